/* tern compile: shows what becomes of a source. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tern.h"

static int write_output(const struct args *a, const struct sbuf *out, bool binary)
{
    const bool to_stdout = !a->output || !strcmp(a->output, "-");
    if (to_stdout && binary && isatty(STDOUT_FILENO))
        return complain("this output is binary: write it to a file with -o");
    FILE *f = to_stdout ? stdout : fopen(a->output, "wb");
    const bool written = f && fwrite(out->data, 1, out->len, f) == out->len;
    if (f && !to_stdout ? fclose(f) || !written : !written) {
        complain("%s: %s", to_stdout ? "standard output" : a->output, strerror(errno));
        return EXIT_IO;
    }
    return EXIT_FINE;
}

static bool has_kernels(const struct ir_module *m)
{
    ir_each_func (f, m)
        if (f->flags & IR_FUNC_KERNEL)
            return true;
    return false;
}

/* What the target understands of the command line; false: a word is for other targets. */
static bool set_options(const struct args *a, const struct back_target *t, void *own)
{
    back_option_set(t, own, "arch", &a->mode.arch, 1);
    if (a->block_given)
        back_option_set(t, own, "block", a->block, 3);
    if (a->shared)
        back_option_set(t, own, "shared", &a->shared, 1);
    for (size_t k = 0; k < a->ntarget_options; k++) {
        const struct target_option *o = &a->target_options[k];
        if (!back_option_set(t, own, o->name, &o->value, 1)) {
            complain("--%s is not for --to %s; see `tern help`", o->name, t->name);
            return false;
        }
    }
    return true;
}

static int emit(const struct args *a, struct compilation *c, const struct back_target *t,
                const void *own)
{
    struct back_options o = {.as_written = a->level >= 0 && a->level < 2,
                             .host = a->host && !strcmp(a->host, "own"),
                             .own = own};
    const struct ir_func *kernel = a->kernel ? ir_kernel_find(c->module, a->kernel) : NULL;
    if (a->kernel && !kernel)
        return complain("there is no kernel '%s' in %s", a->kernel, a->input);
    o.kernel = kernel ? kernel->name : NULL;
    if (!a->quiet && !o.host &&
        !has_kernels(c->module)) /* what only host code can read is passed over */
        complain("%s has no kernels; --name makes one of a template", a->input);
    struct sbuf out;
    sbuf_init(&out, NULL);
    struct progress *p = progress_start("compiling");
    const struct diag_entry *shown = c->diag.last;
    const enum tern_error e = compile_emit(c, t, &o, &out);
    progress_end(p);
    print_dumps(c);
    int code = exit_code_of(e);
    if (e != TERN_OK)
        print_diagnostics(a, c, e == TERN_OUT_OF_MEMORY ? NULL : shown);
    else
        code = write_output(a, &out, t->binary);
    sbuf_free(&out);
    return code;
}

static void print_times(const struct compilation *c)
{
    struct sbuf out;
    sbuf_init(&out, NULL);
    pass_print_times(&c->log, &out);
    if (out.len)
        fwrite(out.data, 1, out.len, stderr);
    sbuf_free(&out);
}

int command_compile(struct args *a)
{
    const char *to = a->to ? a->to : "ir";
    const struct back_target *t = strcmp(to, "ir") ? back_find(to) : NULL;
    if (strcmp(to, "ir") && !t) {
        const char *names[16] = {"ir"};
        size_t n = 1;
        for (size_t i = 0; back_targets[i] && n < 16; i++)
            names[n++] = back_targets[i]->name;
        const char *near = diag_nearest(to, names, n);
        return complain("there is no target '%s'%s%s%s; see `tern help compile`", to,
                        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    void *own = t ? calloc(1, t->option_bytes) : NULL;
    if (t && (!own || !set_options(a, t, own))) {
        free(own);
        return own ? EXIT_USAGE : EXIT_MEMORY;
    }
    struct compilation c;
    const bool native = !t || (t->native && t->native(own));
    int code = compile_input(a, a->level >= 0 ? (unsigned)a->level : t ? 2 : 0, native, &c);
    if (code == EXIT_FINE && t) {
        code = emit(a, &c, t, own);
    } else if (code == EXIT_FINE) {
        struct sbuf out;
        sbuf_init(&out, NULL);
        ir_print(c.module, &out, 0);
        code = write_output(a, &out, false);
        sbuf_free(&out);
    }
    if (c.log.times.len)
        print_times(&c);
    compile_free(&c);
    free(own);
    return code;
}
