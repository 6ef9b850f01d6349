/* The preprocessor and its printer: whatever the text, an end and no crash. */
#include "fuzz.h"

#include "front/cuda/pp/pp.h"

/* Every header is the text itself once more, so that includes nest. */
struct disk {
    const char *text;
    size_t size;
};

static char *read_file(void *ctx, struct arena *a, const char *path, size_t *len)
{
    const struct disk *d = ctx;
    if (path[0] != 's')
        return NULL;
    *len = d->size;
    return arena_strndup(a, d->text, d->size);
}

static void fuzz(struct arena *a, const char *text, size_t size)
{
    struct interner names;
    struct source_map sm;
    struct diag diag;
    struct pp_result result;
    struct sbuf out;
    struct disk disk = {text, size};
    struct pp_options opt = {
        .device = true, .no_prelude = true, .read_file = read_file, .read_ctx = &disk};
    intern_init(&names, a);
    source_init(&sm, a);
    diag_init(&diag, a, &sm);
    pp_run(a, &names, &sm, &diag, &opt, "fuzz.cu", text, size, &result);
    if (!result.tokens.len || result.tokens.data[result.tokens.len - 1].kind != TOKEN_EOF)
        abort();
    for (size_t i = 0; i < result.tokens.len; i++) {
        const struct token *t = &result.tokens.data[i];
        struct token_num n;
        if (t->kind >= TOKEN_INTERNAL)
            abort();
        if (t->kind == TOKEN_NUMBER)
            token_number(t->u.text, &n);
    }
    sbuf_init(&out, a);
    pp_print(&result, &sm, &out);
    diag_render_text(&diag, &out, false);
}
FUZZ_TARGET(fuzz)
