/* The device half of a program: see half.h. */
#include <stdlib.h>
#include <string.h>
#include "driver/half.h"

static char *copy_of(const char *text, size_t len)
{
    char *p = malloc(len + 1);
    if (p) {
        memcpy(p, text, len);
        p[len] = 0;
    }
    return p;
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

/* Headers are read once: what is checked are the tokens that the text is printed from. */
char *compile_device_half(const struct compile_options *o, enum half_form form, const char *text,
                          size_t len, size_t *out_len, char **diagnostics)
{
    struct compilation c;
    struct sbuf printed;
    const struct compile_options check = {.path = o->path,
                                          .language = SOURCE_CUDA,
                                          .include_dirs = o->include_dirs,
                                          .ninclude_dirs = o->ninclude_dirs,
                                          .defines = o->defines,
                                          .ndefines = o->ndefines,
                                          .standard = o->standard,
                                          .mode = o->mode,
                                          .warnings = o->warnings,
                                          .nwarnings = o->nwarnings,
                                          .error_limit = o->error_limit,
                                          .memory_limit = o->memory_limit,
                                          .read_file = o->read_file,
                                          .read_ctx = o->read_ctx,
                                          .print = &printed};
    sbuf_init(&printed, NULL);
    const enum tern_error e = compile_source(&c, &check, text, len);
    *diagnostics = said(&c.diag, form);
    compile_free(&c);
    char *made = e || printed.failed ? NULL : copy_of(printed.data, printed.len);
    *out_len = made ? printed.len : 0;
    sbuf_free(&printed);
    return made;
}
