/* tern run: compiles a kernel, gives it its arguments, runs it, shows its buffers. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "tern.h"

/* ---- `tern run:` in a comment of the file ---- */
/* Splits at blanks; quotes hold words together. Words stay in `line`. */
static size_t split_words(char *line, char **words, size_t max)
{
    size_t n = 0;
    char *p = line;
    while (n < max) {
        while (*p && isspace((unsigned char)*p))
            p++;
        if (!*p)
            break;
        words[n++] = p;
        char *to = p;
        char quote = 0;
        for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
            if (quote ? *p == quote : *p == '\'' || *p == '"')
                quote = quote ? 0 : *p;
            else
                *to++ = *p;
        }
        const bool last = !*p;
        *to = 0;
        if (last)
            break;
        p++;
    }
    return n;
}

#define MAX_WORDS 256
/* Adds the file's own options to *a. *line must outlive it. */
static bool file_options(struct args *a, char **line)
{
    static const char mark[] = "tern run:";
    size_t len;
    *line = NULL;
    if (!a->input || a->launch_given || !strcmp(a->input, "-"))
        return true;
    char *text = read_whole_file(a->input, &len);
    if (!text)
        return true; /* reported when it is compiled */
    char *at = strstr(text, mark), *words[MAX_WORDS];
    if (at) {
        at += sizeof mark - 1;
        at[strcspn(at, "\r\n")] = 0;
        *line = strdup(at);
    }
    free(text);
    if (!*line)
        return true;
    const size_t n = split_words(*line, words, MAX_WORDS);
    return args_parse(a, (int)n, words);
}

/* ---- the kernel and its parameters ---- */
static const struct ir_func *find_kernel(const struct args *a, const struct ir_module *m)
{
    const struct ir_func *only = NULL;
    const char *names[64];
    size_t n = 0;
    ir_each_func (f, m) {
        if (!(f->flags & IR_FUNC_KERNEL) || !f->first)
            continue;
        if (a->kernel && (str_same_but_blanks(f->name, a->kernel) ||
                          (f->display && str_same_but_blanks(f->display, a->kernel)) ||
                          (f->mangled && str_same_but_blanks(f->mangled, a->kernel))))
            return f;
        only = f;
        if (n < 64)
            names[n++] = f->display ? f->display : f->name;
    }
    if (!a->kernel && n == 1)
        return only;
    if (!n) {
        complain("%s has no kernels", a->input);
    } else if (!a->kernel) {
        complain("which kernel? --kernel %s%s%s", names[0], n > 1 ? ", " : "",
                 n > 1 ? names[1] : "");
    } else {
        const char *near = diag_nearest(a->kernel, names, n);
        complain("there is no kernel '%s'; did you mean '%s'?", a->kernel, near ? near : names[0]);
    }
    return NULL;
}

static bool is_pointer(const struct ir_param *p)
{
    return ir_kind(p->type) == IR_PTR && !p->byval_size;
}

/* What a parameter takes, in the words of the command line. */
static void describe_param(const struct ir_param *p, char *out, size_t size)
{
    char type[32];
    ir_type_name(p->type, type);
    const int n = p->name ? snprintf(out, size, "'%.40s' is ", p->name) : 0;
    if (is_pointer(p))
        snprintf(out + n, size - (size_t)n, "a pointer, TYPE[COUNT]");
    else if (p->byval_size)
        snprintf(out + n, size - (size_t)n, "a class of %u bytes", p->byval_size);
    else
        snprintf(out + n, size - (size_t)n, "%s", type);
}

static bool wrong_count(const struct ir_func *f, size_t given)
{
    const size_t n = f->params.len;
    complain("'%s' takes %zu argument%s, %zu %s given", f->display ? f->display : f->name, n,
             n == 1 ? "" : "s", given, given == 1 ? "was" : "were");
    for (size_t i = 0; i < n; i++) {
        char takes[128];
        describe_param(&f->params.data[i], takes, sizeof takes);
        fprintf(stderr, "  argument %zu: %s\n", i, takes);
    }
    return false;
}

/* A pointer to each argument; false: they do not fit. */
static bool fill_params(const struct ir_func *f, struct kernel_arg *args, size_t nargs,
                        void **pointers)
{
    if (nargs != f->params.len)
        return wrong_count(f, nargs);
    for (size_t i = 0; i < nargs; i++) {
        const struct ir_param *p = &f->params.data[i];
        struct kernel_arg *x = &args[i];
        const uint32_t size = p->byval_size ? p->byval_size : ir_bytes(p->type);
        bool fits = x->is_buffer ? is_pointer(p) || ir_kind(p->type) == IR_I64 : x->bytes == size;
        if (!x->is_buffer && x->type && !p->byval_size && !is_pointer(p))
            fits &= (ir_class(p->type) == IR_CLASS_FLOAT) == (x->type->kind >= VALUE_FLOAT);
        if (!fits) {
            char takes[128];
            describe_param(p, takes, sizeof takes);
            complain("argument %zu: %s, not %s", i, takes,
                     x->is_buffer ? "a buffer"
                     : x->type    ? x->type->name
                                  : "that many bytes");
            return false;
        }
        pointers[i] = x->is_buffer ? (void *)&x->address : (void *)x->data;
    }
    return true;
}

/* ---- running ---- */
struct session {
    struct args *args;
    struct tern_context *context;
    struct tern_device *device;
    struct compilation compilation;
    struct tern_module *module;
    struct kernel_arg *values;
    size_t nvalues;
    void **params;       /* a pointer to each argument */
    struct report *last; /* what the device had to say, but for what kernels print */
};

static void take_report(void *ctx, const struct report *r)
{
    struct session *s = ctx;
    free(s->last);
    s->last = report_copy(r);
}

static void say(void *user, const char *text)
{
    (void)user;
    fputs(text, stderr);
}

static int device_failed(struct session *s, enum tern_error e, const char *doing)
{
    const struct report *r = s->last, silent = {.kind = REPORT_CALL, .error = e, .advice = doing};
    const bool color = s->args->color;
    struct sbuf out;
    struct json_writer w;
    sbuf_init(&out, NULL);
    sbuf_puts(&out, "");
    if (!r)
        r = &silent;
    if (s->args->json) {
        json_begin(&w, &out, false);
        report_json(r, &w);
        fprintf(stderr, "%s\n", out.data ? out.data : "{}");
    } else {
        report_text(r, &out);
        fprintf(stderr, "%serror:%s %s\n", color ? "\033[1;31m" : "", color ? "\033[0m" : "",
                out.failed ? tern_error_text(e) : out.data);
    }
    sbuf_free(&out);
    return exit_code_of(e);
}

static int upload(struct session *s, const struct ir_func *f)
{
    for (size_t i = 0; i < s->nvalues; i++) {
        struct kernel_arg *x = &s->values[i];
        char number[32];
        snprintf(number, sizeof number, "argument %zu", i);
        const char *name = i < f->params.len ? f->first->params.data[i]->name : NULL;
        if (!name)
            name = number;
        if (!x->is_buffer)
            continue;
        enum tern_error e = buffer_new(s->device, x->bytes ? x->bytes : 1, name, &x->buffer);
        if (e == TERN_OK && x->bytes)
            e = tern_buffer_write(x->buffer, 0, x->data, x->bytes);
        if (e != TERN_OK)
            return device_failed(s, e, "while giving the buffers to the device");
        x->address = tern_buffer_address(x->buffer);
    }
    return EXIT_FINE;
}

static int show(struct session *s)
{
    struct sbuf out;
    struct json_writer w;
    sbuf_init(&out, NULL);
    json_begin(&w, &out, true);
    json_array(&w);
    for (size_t i = 0; i < s->nvalues; i++) {
        struct kernel_arg *x = &s->values[i];
        if (!x->is_buffer)
            continue;
        const enum tern_error e =
            x->bytes ? tern_buffer_read(x->buffer, 0, x->data, x->bytes) : TERN_OK;
        if (e != TERN_OK) {
            sbuf_free(&out);
            return device_failed(s, e, "while fetching the buffers");
        }
        if (s->args->json)
            kernel_arg_json(x, &w, s->args->print);
        else if (!s->args->quiet)
            kernel_arg_show(x, (unsigned)i, s->args->print);
    }
    json_end(&w);
    if (s->args->json)
        printf("%s\n", out.data ? out.data : "[]");
    sbuf_free(&out);
    return EXIT_FINE;
}

/* The kernel alone: others of the file may use what the device has not. */
static int load(struct session *s, const struct ir_func *f)
{
    struct diag *diag = &s->compilation.diag;
    const struct diag_entry *shown = diag->last;
    const unsigned errors = diag->errors;
    enum tern_error e = s->args->mode.fast_f64 ? device_test_pairs(s->device) : TERN_OK;
    if (e == TERN_UNSUPPORTED) {
        complain(
            "--f64=fast: this device's float arithmetic does not round as pairs of floats need it");
        return exit_code_of(e);
    }
    if (e == TERN_OK)
        e = compile_keep(&s->compilation, f->name);
    if (e == TERN_OK)
        e = module_load(s->device, &s->compilation, &s->module);
    if (e == TERN_OK)
        return EXIT_FINE;
    if (diag->errors > errors || e == TERN_OUT_OF_MEMORY) {
        print_diagnostics(s->args, &s->compilation, e == TERN_OUT_OF_MEMORY ? NULL : shown);
        return exit_code_of(e);
    }
    return device_failed(s, e, "while loading the module");
}

/* One launch of several, for who measures them. */
struct again {
    struct session *session;
    struct tern_kernel *kernel;
    struct dev_launch shape;
    enum tern_error error;
};

static double once_more(void *ctx)
{
    struct again *r = ctx;
    const uint64_t start = thread_nanoseconds();
    r->error = kernel_launch(NULL, r->kernel, &r->shape, r->session->params);
    if (!r->error)
        r->error = tern_device_wait(r->session->device);
    return r->error ? -1 : (double)(thread_nanoseconds() - start) * 1e-9;
}

static int launch(struct session *s)
{
    const struct args *a = s->args;
    const struct ir_func *f = find_kernel(a, s->compilation.module);
    if (!f)
        return EXIT_USAGE;
    int code = upload(s, f);
    if (code != EXIT_FINE)
        return code;
    s->params = calloc(f->params.len + 1, sizeof *s->params);
    if (!s->params)
        return EXIT_MEMORY;
    if (!fill_params(f, s->values, s->nvalues, s->params))
        return EXIT_USAGE;
    code = load(s, f);
    if (code != EXIT_FINE)
        return code;
    struct tern_kernel *k;
    enum tern_error e = tern_module_kernel(s->module, f->name, &k);
    if (e != TERN_OK)
        return device_failed(s, e, "while looking for the kernel");
    const struct dev_launch shape = {
        .grid = {a->grid[0], a->grid[1], a->grid[2]},
        .block = {a->block[0], a->block[1], a->block[2]},
        .shared = a->shared,
        .cooperative = a->cooperative,
        .timeout_ns = (uint64_t)(a->timeout * 1e9),
    };
    if (a->repeat) {
        struct again again = {s, k, shape, TERN_OK};
        const bool good =
            a->repeat(a->repeat_ctx, f->display ? f->display : f->name, once_more, &again);
        return good ? EXIT_FINE : device_failed(s, again.error, "while running the kernel");
    }
    struct progress *p = progress_start("running");
    e = kernel_launch(NULL, k, &shape, s->params);
    if (e == TERN_OK)
        e = tern_device_wait(s->device);
    progress_end(p);
    fflush(stdout);
    return e == TERN_OK ? show(s) : device_failed(s, e, "while running the kernel");
}

/* The interpreter is nobody's first choice: if it was not asked for, say what is missing. */
static void say_why_interpreter(const char *asked)
{
    const char *why = asked && *asked && strcmp(asked, "auto") != 0 ? NULL : select_missing();
    if (why)
        fprintf(stderr, "tern: %s: kernels run in the interpreter\n", why);
}

static int run(struct session *s)
{
    struct args *a = s->args;
    s->values = calloc(a->kernel_args.len + 1, sizeof *s->values);
    if (!s->values)
        return EXIT_MEMORY;
    for (; s->nvalues < a->kernel_args.len; s->nvalues++)
        if (!kernel_arg_parse(&s->values[s->nvalues], a->kernel_args.data[s->nvalues],
                              (unsigned)s->nvalues)) {
            kernel_arg_free(&s->values[s->nvalues]);
            return EXIT_USAGE;
        }
    const struct tern_options options = {.devices = a->device ? a->device : "auto", .say = say};
    const struct context_host host = {.reports = {take_report, s}, .cancel = cancel_flag()};
    struct tern_device_info info;
    enum tern_error e = context_new(&options, &host, &s->context);
    if (e == TERN_OK)
        e = tern_context_device(s->context, 0, &s->device);
    if (e == TERN_OK)
        e = tern_device_info(s->device, &info);
    if (e != TERN_OK)
        return exit_code_of(e);
    if (info.checked)
        say_why_interpreter(a->device);
    if (a->kernel && strchr(a->kernel, '<'))
        a->names.data[a->names.len++] = a->kernel;
    const unsigned level = a->level >= 0 ? (unsigned)a->level : device_level(s->device);
    const int code = compile_input(a, level, device_is_native(s->device), &s->compilation);
    return code == EXIT_FINE ? launch(s) : code;
}

/* A CUDA source with nothing said about kernels is run as a whole, host code and all. */
static bool is_program(const struct args *a)
{
    const size_t n = a->input ? strlen(a->input) : 0;
    const bool named = n > 3 && !strcmp(a->input + n - 3, ".cu");
    const bool cuda = a->language == SOURCE_AUTO ? named : a->language == SOURCE_CUDA;
    return n && (a->more.len || cuda) && !a->launch_given;
}

static int run_file(struct args *a, bool may_be_program)
{
    struct session s = {.args = a};
    char *line = NULL;
    int code = EXIT_USAGE;
    if (a->more.len && a->launch_given)
        complain("a kernel that is run by itself is of one file");
    else if (file_options(a, &line))
        code = may_be_program && is_program(a) ? run_program(a) : run(&s);
    tern_module_free(s.module);
    for (size_t i = 0; i < s.nvalues; i++) {
        tern_buffer_free(s.values[i].buffer);
        kernel_arg_free(&s.values[i]);
    }
    tern_context_free(s.context);
    compile_free(&s.compilation);
    free(s.values);
    free(s.params);
    free(s.last);
    free(line);
    return code;
}

int run_kernel_file(struct args *a)
{
    return run_file(a, false);
}

int command_run(struct args *a)
{
    return run_file(a, true);
}
