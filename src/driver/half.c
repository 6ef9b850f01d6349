/* The device half of a program: see half.h. */
#include <stdlib.h>
#include <string.h>
#include "driver/half.h"
#include "front/cuda/cuda.h"
#include "front/cuda/host/host.h"

static char *copy_of(const char *text, size_t len)
{
    char *p = malloc(len + 1);
    if (p) {
        memcpy(p, text, len);
        p[len] = 0;
    }
    return p;
}

struct half {
    const struct compile_options *options;
    const char *text;
    size_t len;
    char *made;
    size_t made_len;
};

static bool preprocess(struct compilation *c, void *arg)
{
    struct half *h = arg;
    const struct compile_options *o = h->options;
    struct pp_switch *switches = arena_array(&c->arena, struct pp_switch, o->ndefines + 1);
    for (size_t i = 0; i < o->ndefines; i++) {
        const char k = o->defines[i].kind;
        switches[i].kind = k == 'U' ? PP_UNDEF : k == 'i' ? PP_INCLUDE : PP_DEFINE;
        switches[i].text = o->defines[i].text;
    }
    static const char *const system_dirs[] = {"/usr/include", "/usr/local/include"};
    struct pp_options options = {.include_dirs = o->include_dirs,
                                 .ninclude_dirs = o->ninclude_dirs,
                                 .system_dirs = system_dirs,
                                 .nsystem_dirs = 2,
                                 .switches = switches,
                                 .nswitches = o->ndefines,
                                 .device = true,
                                 .fast_math = o->mode.fast_math,
                                 .arch = o->mode.arch,
                                 .cplusplus = pp_standard(o->standard),
                                 .read_file = o->read_file,
                                 .read_ctx = o->read_ctx};
    struct pp_result result = {0};
    struct sbuf out;
    sbuf_init(&out, &c->arena);
    sbuf_puts(&out, "");
    if (!pp_run(&c->arena, &c->names, &c->sources, &c->diag, &options, o->path, h->text, h->len,
                &result) ||
        c->diag.errors)
        return false;
    pp_print(&result, &c->sources, &out);
    if (host_has_closures(out.data)) {
        const struct sbuf printed = out;
        sbuf_init(&out, &c->arena);
        if (!host_hoist(&c->arena, &c->sources, &c->diag, o->path, printed.data, printed.len, true,
                        &out))
            return false;
    }
    h->made = copy_of(out.data, h->made_len = out.len);
    return true;
}

static char *said(const struct diag *d, enum half_form form)
{
    struct sbuf b;
    sbuf_init(&b, NULL);
    if (form == HALF_JSON && d->first)
        diag_render_json(d, &b);
    else
        diag_render_text(d, &b, form == HALF_COLOR);
    char *copy = b.len ? copy_of(b.data, b.len) : NULL;
    sbuf_free(&b);
    return copy;
}

char *compile_device_half(const struct compile_options *o, enum half_form form, const char *text,
                          size_t len, size_t *out_len, char **diagnostics)
{
    struct compilation c;
    struct half h = {.options = o, .text = text, .len = len};
    *diagnostics = NULL;
    if (compile_apart(&c, o->memory_limit, preprocess, &h))
        *diagnostics = said(&c.diag, form);
    compile_free(&c);
    if (!h.made)
        return NULL;
    struct compile_options check = {.path = o->path,
                                    .language = SOURCE_CUDA,
                                    .mode = o->mode,
                                    .warnings = o->warnings,
                                    .nwarnings = o->nwarnings,
                                    .error_limit = o->error_limit};
    const enum tern_error e = compile_source(&c, &check, h.made, h.made_len);
    *diagnostics = said(&c.diag, form);
    if (e) {
        free(h.made);
        h.made = NULL;
    }
    compile_free(&c);
    *out_len = h.made_len;
    return h.made;
}
