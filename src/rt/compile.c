/* Compilation without a device. */
#include "rt/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "back/ptx/ptx.h"
#include "driver/pipeline.h"
#include "rt/module.h"

static char *copy_of(const char *text, size_t n)
{
    char *p = malloc(n + 1);
    if (p) {
        memcpy(p, text, n);
        p[n] = 0;
    }
    return p;
}

static char *arena_copy(struct arena *a, const char *text, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, text, n);
    p[n] = 0;
    return p;
}

/* Headers that came with the request, by name, from whatever folder they are asked for; then the
 * disk. */
static char *read_header(void *ctx, struct arena *a, const char *path, size_t *len)
{
    const struct rt_request *r = ctx;
    for (size_t k = 0; k < r->nheaders; k++) {
        const char *name = r->headers[k].name;
        const size_t n = strlen(name), m = strlen(path);
        if (m < n || strcmp(path + m - n, name) || (m > n && path[m - n - 1] != '/'))
            continue;
        *len = strlen(r->headers[k].text);
        return arena_copy(a, r->headers[k].text, *len);
    }
    FILE *f = r->ninclude_dirs ? fopen(path, "rb") : NULL;
    if (!f)
        return NULL;
    char *data = NULL;
    if (!fseek(f, 0, SEEK_END)) {
        const long size = ftell(f);
        rewind(f);
        if (size >= 0 && size < 1 << 30) {
            data = arena_alloc(a, (size_t)size + 1);
            *len = fread(data, 1, (size_t)size, f);
            data[*len] = 0;
        }
    }
    fclose(f);
    return data;
}

/* What is called so in the IR, in the output; or NULL. */
static const char *symbol_of(const struct compilation *c, const char *name)
{
    vec_each (struct back_kernel, k, &c->kernels)
        if (!strcmp(k->name, name))
            return k->symbol;
    vec_each (struct back_global, g, &c->globals)
        if (!strcmp(g->name, name))
            return g->symbol;
    return NULL;
}

/* What kernels and variables that were asked for are called in the output. */
static bool find_symbols(const struct rt_request *r, const struct compilation *c,
                         struct rt_compiled *out)
{
    out->symbols = calloc(r->nnames + 1, sizeof *out->symbols);
    if (!out->symbols)
        return false;
    out->nsymbols = r->nnames;
    for (size_t k = 0; k < r->nnames; k++)
        vec_each (struct compile_request, q, &c->requests) {
            const char *symbol = strcmp(q->text, r->names[k]) ? NULL : symbol_of(c, q->name);
            if (symbol && !out->symbols[k] && !(out->symbols[k] = copy_of(symbol, strlen(symbol))))
                return false;
        }
    return true;
}

/* Headers that are missing in NVRTC's words, too: programs find out by them which texts they have
 * to hand over, and compile again. */
static void tell_missing(const struct diag *d, struct sbuf *log)
{
    for (const struct diag_entry *e = d->first; e; e = e->next) {
        struct source_pos at;
        if (e->missing && source_position(d->sources, e->span.loc, &at))
            sbuf_printf(log, "%s(%u): catastrophic error: cannot open source file \"%s\"\n",
                        at.path, at.line, e->missing);
    }
}

enum tern_error rt_compile(const struct rt_request *r, struct rt_compiled *out)
{
    *out = (struct rt_compiled){0};
    struct compile_define *defines = calloc(r->ndefines + 1, sizeof *defines);
    if (!defines)
        return TERN_OUT_OF_MEMORY;
    for (size_t k = 0; k < r->ndefines; k++)
        defines[k] = (struct compile_define){r->defines[k].kind, r->defines[k].text};
    struct compile_options options = {.path = r->path,
                                      .language = SOURCE_CUDA,
                                      .include_dirs = r->include_dirs,
                                      .ninclude_dirs = r->ninclude_dirs,
                                      .defines = defines,
                                      .ndefines = r->ndefines,
                                      .standard = r->standard,
                                      .names = r->names,
                                      .nnames = r->nnames,
                                      .alone = true,
                                      .mode = r->mode,
                                      .default_device = r->default_device,
                                      .level = 2,
                                      .native = r->mode.arch >= 900,
                                      .read_file = read_header,
                                      .read_ctx = (void *)r};
    struct compilation c;
    struct sbuf text;
    sbuf_init(&text, NULL);
    enum tern_error e = compile_source(&c, &options, r->text, strlen(r->text));
    if (!e) {
        const struct ptx_options own = {.arch = r->mode.arch};
        e = compile_emit(&c, &back_ptx,
                         &(struct back_options){.line_info = r->line_info, .own = &own}, &text);
    }
    struct sbuf log;
    sbuf_init(&log, NULL);
    tell_missing(&c.diag, &log);
    diag_render_text(&c.diag, &log, false);
    if (log.len && !log.failed)
        out->log = copy_of(log.data, log.len);
    sbuf_free(&log);
    if (!e &&
        (text.failed || !(out->text = copy_of(text.data, text.len)) || !find_symbols(r, &c, out)))
        e = TERN_OUT_OF_MEMORY;
    out->length = text.len;
    sbuf_free(&text);
    compile_free(&c);
    free(defines);
    return e;
}

void rt_compiled_free(struct rt_compiled *c)
{
    for (size_t k = 0; k < c->nsymbols; k++)
        free(c->symbols[k]);
    free(c->symbols);
    free(c->text);
    free(c->log);
    *c = (struct rt_compiled){0};
}
