/* image OUT: writes a C file with images of our own headers (src/front/cuda/pp/image.h): reads all
 * of them with the preprocessor that Tern has, which tells what each comes to, and leaves out those
 * whose meaning could be another where a source reads them. With a second argument a list of these
 * goes there, and why. Runs while Tern is built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "front/cuda/pp/image.h"
#include "front/cuda/pp/pp_int.h"

struct asked {
    const char *name;
    const struct macro *macro; /* NULL: there was none */
    const char *file;          /* where it is defined; NULL: built in */
    bool used;                 /* its value is, too */
};

struct record {
    const char *path;
    struct source_file *file;
    struct sbuf bytes;
    VEC(struct token) tokens; /* as they are in bytes, from starts[…] on */
    VEC(size_t) starts, steps;
    const char *why, *what; /* it has no image */
    source_loc last;
    bool prelude;
    VEC(const char *) wants;
    VEC(struct asked) asks;
    VEC(const char *) words; /* that are left in its text */
    const struct pp_header *header;
};

struct definition { /* of macros called so */
    const char *file;
    bool several, undefined;
};

static struct mem memory;
static struct arena arena;
static struct interner names;
static struct map words; /* text → 1 + number */
static VEC(const char *) all_words;

/* of the half that is read now */
static VEC(struct record *) records;
static struct map by_path, definitions, absent;

static uint32_t word_of(const char *text, size_t len)
{
    const char *key = intern(&names, text, len);
    uintptr_t n = (uintptr_t)map_get(&words, map_key(key));
    if (!n) {
        vec_push(&arena, &all_words, key);
        n = all_words.len;
        map_set(&words, map_key(key), (void *)n);
    }
    return (uint32_t)n - 1;
}

static void put_number(struct sbuf *b, uint32_t v)
{
    for (; v > 127; v >>= 7)
        sbuf_putc(b, (char)(v | 128));
    sbuf_putc(b, (char)v);
}

static void put_word(struct sbuf *b, const char *text, size_t len)
{
    put_number(b, word_of(text, len));
}

static void put_step(struct record *r, enum image_step s)
{
    vec_push(&arena, &r->steps, r->bytes.len);
    sbuf_putc(&r->bytes, IMAGE_STEP);
    sbuf_putc(&r->bytes, (char)s);
}

static uint32_t zigzag(uint32_t moved)
{
    return moved << 1 ^ ((int32_t)moved < 0 ? UINT32_MAX : 0);
}

static void refuse(struct record *r, const char *why, const char *what)
{
    if (r && !r->why) {
        r->why = why;
        r->what = what;
    }
}

static struct record *record_of(const struct source_file *f)
{
    return f ? map_get(&by_path, map_key(intern_z(&names, f->path))) : NULL;
}

static const struct source_file *file_of(const struct pp *pp, source_loc loc)
{
    return source_file_at(pp->sm, source_expanded(pp->sm, loc));
}

/* ---- what the preprocessor tells ---- */

static void begin(struct pp *pp, struct pp_buffer *b)
{
    if (strncmp(b->file->path, "<tern>/", 7))
        return;
    const char *path = intern_z(&names, b->file->path);
    struct record *r = map_get(&by_path, map_key(path));
    if (r) {
        refuse(r, "is read twice", "");
        return;
    }
    r = arena_new(&arena, struct record);
    r->path = path;
    r->file = b->file;
    r->prelude = !pp->prelude_end;
    sbuf_init(&r->bytes, &arena);
    map_set(&by_path, map_key(path), r);
    vec_push(&arena, &records, r);
}

static uint32_t word_length(const char *p)
{
    uint32_t n = 0;
    while (p[n] == '_' || (p[n] >= '0' && p[n] <= '9') ||
           ((p[n] | 32) >= 'a' && (p[n] | 32) <= 'z'))
        n++;
    return n;
}

static void give(struct pp *pp, const struct token *t)
{
    const source_loc loc = source_expanded(pp->sm, t->span.loc);
    const struct source_file *f = source_file_at(pp->sm, loc);
    struct record *r = record_of(f);
    if (!r)
        return;
    if (pp->buf->file != f || !(t->flags & TOKEN_SYSTEM))
        refuse(r, "runs into another", "");
    const uint32_t at = loc - f->base,
                   len = loc == t->span.loc ? t->span.len : word_length(f->text + at);
    const uint32_t natural = t->kind == TOKEN_PUNCT   ? (uint32_t)strlen(punct_text(t->punct))
                             : t->kind == TOKEN_IDENT ? (uint32_t)intern_len(t->u.name)
                             : t->kind == TOKEN_CHAR  ? 0
                                                      : (uint32_t)t->u.text.len;
    const uint32_t moved = at - r->last;
    struct token flat = *t;
    flat.span = span_at(at, len);
    vec_push(&arena, &r->tokens, flat);
    vec_push(&arena, &r->starts, r->bytes.len);
    r->last = at;
    sbuf_putc(&r->bytes, (char)(t->kind | (t->flags & TOKEN_BOL ? IMAGE_BOL : 0) |
                                (t->flags & TOKEN_SPACE ? IMAGE_SPACE : 0) |
                                (len != natural ? IMAGE_LEN : 0) | (t->prefix ? IMAGE_PREFIX : 0)));
    put_number(&r->bytes, zigzag(moved));
    if (len != natural)
        put_number(&r->bytes, len);
    if (t->prefix)
        sbuf_putc(&r->bytes, (char)t->prefix);
    switch (t->kind) {
    case TOKEN_PUNCT: sbuf_putc(&r->bytes, (char)t->punct); break;
    case TOKEN_CHAR:
        sbuf_putc(&r->bytes, (char)t->punct);
        put_number(&r->bytes, (uint32_t)t->u.value);
        put_number(&r->bytes, (uint32_t)(t->u.value >> 32));
        break;
    case TOKEN_IDENT:
        put_word(&r->bytes, t->u.name, intern_len(t->u.name));
        vec_push(&arena, &r->words, t->u.name);
        break;
    default: put_word(&r->bytes, t->u.text.ptr, t->u.text.len);
    }
}

static void body_token(struct sbuf *b, const struct macro *m, const struct token *t)
{
    const char head[4] = {(char)t->kind, (char)t->punct, (char)t->flags, (char)t->prefix};
    sbuf_put(b, head, sizeof head);
    put_number(b, t->span.loc - m->body_loc);
    put_number(b, t->span.len);
    if (t->kind == TOKEN_IDENT) {
        put_word(b, t->u.name, intern_len(t->u.name));
    } else if (t->kind == PP_OTHER) {
        put_word(b, t->u.text.ptr, t->u.text.len);
        put_number(b, (uint32_t)t->u.text.len);
    } else if (t->kind >= TOKEN_INTERNAL) {
        put_word(b, t->u.text.ptr, strlen(t->u.text.ptr));
        put_number(b, (uint32_t)t->u.text.len);
    } else if (t->kind != TOKEN_PUNCT) {
        put_word(b, t->u.text.ptr, t->u.text.len);
    }
}

static struct definition *definition_of(const char *name)
{
    struct definition *d = map_get(&definitions, map_key(name));
    if (!d) {
        d = arena_new(&arena, struct definition);
        map_set(&definitions, map_key(name), d);
    }
    return d;
}

static void define(struct pp *pp, const struct macro *m)
{
    const struct source_file *f = file_of(pp, m->span.loc);
    struct definition *d = definition_of(m->name);
    const char *path = f ? intern_z(&names, f->path) : NULL;
    d->several |= d->file && d->file != path;
    d->file = path;
    struct record *r = record_of(f);
    if (!r)
        return;
    struct sbuf *b = &r->bytes;
    put_step(r, IMAGE_DEFINE);
    put_number(b, m->span.loc - f->base);
    sbuf_putc(b, (char)((m->kind == MACRO_FUNCTION) | m->variadic << 1 | m->plain << 2));
    put_word(b, m->name, intern_len(m->name));
    put_number(b, m->nparams);
    for (uint32_t i = 0; i < m->nparams; i++)
        put_word(b, m->params[i], intern_len(m->params[i]));
    put_number(b, m->nbody);
    put_number(b, m->body_loc ? m->body_loc - f->base : 0);
    put_number(b, m->body_len);
    for (uint32_t i = 0; i < m->nbody; i++)
        body_token(b, m, &m->body[i]);
}

static void include(struct record *r, const struct pp_included *i)
{
    if (!r)
        return;
    put_step(r, IMAGE_INCLUDE);
    sbuf_putc(&r->bytes, (char)(i->quoted | i->next << 1));
    put_number(&r->bytes, i->at.loc - r->file->base);
    put_number(&r->bytes, i->at.len);
    put_word(&r->bytes, i->name, strlen(i->name));
}

static void ask(struct pp *pp, struct record *r, const char *name, const struct macro *m, bool used)
{
    if (!r)
        return;
    const struct source_file *f = m && m->span.loc ? file_of(pp, m->span.loc) : NULL;
    const struct asked a = {name, m, f ? intern_z(&names, f->path) : NULL, used};
    vec_push(&arena, &r->asks, a);
}

void pp_record(struct pp *pp, enum pp_event what, const void *it)
{
    struct record *r = pp->buf ? record_of(pp->buf->file) : NULL;
    switch (what) {
    case PP_BEGINS: begin(pp, (struct pp_buffer *)it); break;
    case PP_ENDS:
        if (r && !r->header) {
            r->header = ((const struct pp_buffer *)it)->header;
            put_step(r, IMAGE_END);
        }
        break;
    case PP_WANTS:
        if (r)
            vec_push(&arena, &r->wants, ((const struct pp_header *)it)->path);
        break;
    case PP_INCLUDES: include(r, it); break;
    case PP_GIVES: give(pp, it); break;
    case PP_DEFINES: define(pp, it); break;
    case PP_UNDEFINES:
        definition_of(it)->undefined = true;
        if (r) {
            put_step(r, IMAGE_UNDEF);
            put_word(&r->bytes, it, strlen(it));
        }
        break;
    case PP_ASKS: ask(pp, r, it, pp_macro(pp, it), false); break;
    case PP_USES: ask(pp, r, ((const struct macro *)it)->name, it, true); break;
    case PP_ODD: refuse(r, "does something odd", it); break;
    }
}

/* ---- which of them have the same meaning wherever they are read ---- */

/* Everything that r includes, itself as well. */
static void reach(struct map *seen, struct record *r)
{
    if (!r || map_has(seen, map_key(r->path)))
        return;
    map_set(seen, map_key(r->path), r);
    vec_each (const char *, w, &r->wants)
        reach(seen, map_get(&by_path, map_key(intern_z(&names, *w))));
}

static bool is_among(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return true;
    return false;
}

static bool in_prelude(const char *path)
{
    const struct record *r = map_get(&by_path, map_key(path));
    return r && r->prelude;
}

static void judge_macro(struct record *r, const struct map *seen, const struct asked *a)
{
    /* What options and processors make of it. Whether there is the first two is the half's. */
    static const char *const vary[] = {
        "__cplusplus", "__CUDA_ARCH__", "__CUDA_ARCH_LIST__", "__CUDA_ARCH_FEAT_SM90_ALL",
        "__x86_64__",  "__x86_64",      "__amd64__",          "__SSE__",
        "__SSE2__",    "__aarch64__",   "__ARM_ARCH",         NULL};
    if (!a->file) {
        static const uint8_t same[] = {MACRO_NAMED_PUNCT, MACRO_DEFINED, MACRO_HAS_ATTRIBUTE,
                                       MACRO_HAS_BUILTIN};
        if (a->used && !memchr(same, a->macro->kind, sizeof same))
            refuse(r, "uses", a->name);
        return;
    }
    if (!strncmp(a->name, "__cpp_", 6))
        refuse(r, "uses", a->name);
    if (is_among(a->name, vary) &&
        (a->used || !is_among(a->name, (const char *[]){"__cplusplus", "__CUDA_ARCH__", NULL})))
        refuse(r, "uses", a->name);
    if (a->file == r->path || !strcmp(a->file, "<predefined>"))
        return;
    const struct definition *d = definition_of(a->name);
    if (d->several || d->undefined)
        refuse(r, "uses what several define", a->name);
    if (!map_has(seen, map_key(a->file)) && !in_prelude(a->file))
        refuse(r, "uses what it does not include", a->name);
}

static void judge_absent(struct record *r, const char *name)
{
    static const char *const options[] = {"__USE_FAST_MATH__", "__TERN_PAGE__", "__TERN_HOST__",
                                          "__TERN_DEVICE__", NULL};
    static const char *const vary[] = {
        "__x86_64__", "__x86_64",    "__amd64__",  "__SSE__",
        "__SSE2__",   "__aarch64__", "__ARM_ARCH", "__CUDA_ARCH_FEAT_SM90_ALL",
        NULL};
    const struct definition *d = definition_of(name);
    if (is_among(name, vary))
        refuse(r, "asks for", name);
    if (d->file && (d->file != r->path || d->several))
        refuse(r, "asks for what another defines", name);
    if (!r->why && !is_among(name, options) &&
        !(r->header->guard && !strcmp(r->header->guard, name)))
        map_set(&absent, map_key(name), (void *)name);
}

static void judge(const struct pp *pp, struct record *r)
{
    struct map seen;
    map_init(&seen, &arena);
    reach(&seen, r);
    if (!r->header)
        refuse(r, "does not end", "");
    if (r->header && !r->header->once && !r->header->guard)
        refuse(r, "may be read again", "");
    vec_each (struct asked, a, &r->asks)
        if (a->macro)
            judge_macro(r, &seen, a);
    vec_each (const char *, w, &r->words) { /* that would be another's macro, had it been read */
        const struct macro *m = pp_macro(pp, *w);
        const struct source_file *f = m && m->span.loc ? file_of(pp, m->span.loc) : NULL;
        if (f && !r->prelude && strcmp(f->path, r->path) &&
            !in_prelude(intern_z(&names, f->path)) && strcmp(f->path, "<predefined>"))
            refuse(r, "has a word that is a macro elsewhere", *w);
    }
    vec_each (struct asked, a, &r->asks)
        if (!a->macro)
            judge_absent(r, a->name);
}

/* ---- what is read only where something leads to it ---- */

/* Where token n begins, or all of them end. */
static size_t start_of(const struct record *r, size_t n, size_t end)
{
    return n < r->starts.len ? r->starts.data[n] : end;
}

/* The bytes of a declaration, when no step is in between: else its end is 0. */
static void bounds(const struct record *r, const struct pp_item *i, size_t *from, size_t *to)
{
    *from = start_of(r, i->from, r->bytes.len);
    *to = start_of(r, i->to, r->bytes.len);
    vec_each (size_t, s, &r->steps)
        if (*s > *from && *s < *to) {
            if (*s < start_of(r, i->to - 1, *to)) {
                *to = 0;
                return;
            }
            *to = *s; /* behind its last token */
        }
}

/* The image again, with steps before those declarations. */
static void mark_items(struct record *r, const struct pp_options *options)
{
    struct sbuf out;
    struct pp *pp = arena_new(&arena, struct pp);
    struct pp_item *items;
    size_t done = 0;
    const size_t len = r->tokens.len;
    sbuf_init(&out, &arena);
    for (unsigned k = 0; k < 4; k++) /* for who looks ahead */
        vec_push(&arena, &r->tokens, ((struct token){0}));
    pp->arena = &arena;
    pp->names = &names;
    pp->opt = options;
    pp->tokens.data = r->tokens.data;
    pp->tokens.len = len;
    const size_t n = pp_items(pp, &items);
    for (size_t k = 0; k < n; k++) {
        const struct pp_item *i = &items[k];
        size_t from, to;
        bounds(r, i, &from, &to);
        if (!i->name || !to)
            continue;
        sbuf_put(&out, r->bytes.data + done, from - done);
        sbuf_putc(&out, IMAGE_STEP);
        sbuf_putc(&out, IMAGE_ITEM);
        put_word(&out, i->name, intern_len(i->name));
        put_number(&out, (uint32_t)(i->to - i->from));
        put_number(&out, (uint32_t)(to - from));
        const uint32_t before = i->from ? r->tokens.data[i->from - 1].span.loc : 0;
        put_number(&out, zigzag(r->tokens.data[i->to - 1].span.loc - before));
        sbuf_put(&out, r->bytes.data + from, to - from);
        done = to;
    }
    sbuf_put(&out, r->bytes.data + done, r->bytes.len - done);
    r->bytes = out;
}

/* ---- the halves ---- */

static void put_octal(FILE *out, const char *p, size_t n)
{
    fputc('"', out);
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)p[i];
        if (c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?')
            fputc(c, out);
        else
            fprintf(out, "\\%03o", c);
        if (i % 100 == 99)
            fputs("\"\n\"", out);
    }
    fputc('"', out);
}

static int by_its_path(const void *a, const void *b)
{
    return strcmp((*(struct record *const *)a)->path, (*(struct record *const *)b)->path);
}

/* An image is larger than its packed text: these are not worth it. */
static const char *const seldom[] = {"filesystem", "regex", "tern_page.h", "valarray", NULL};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Ours in the place of the standard ones, and what goes with them. */
static void sources(struct sbuf *text, bool host)
{
    static const char *const more[] = {"texture_fetch_functions.h",
                                       "simd_functions.h",
                                       "dpx_functions.h",
                                       "cuda_runtime_types.h",
                                       "int128.h",
                                       "cooperative_groups.h",
                                       "cuda_fp16.h",
                                       NULL};
    size_t n;
    const struct embedded_file *files = embedded_files(&n);
    for (size_t i = 0; i < n; i++) {
        const char *name = files[i].name;
        const bool standard = !strncmp(name, "std/", 4), own = !strncmp(name, "host/", 5);
        if (standard || (own && (host || strncmp(name + 5, "tern_", 5))))
            sbuf_printf(text, "#include <%s>\n", name + (standard ? 4 : 5));
        else if (is_among(name, more) && !host)
            sbuf_printf(text, "#include <%s>\n", name);
    }
}

static void read_half(bool host, FILE *out, FILE *list)
{
    const struct pp_options options = {.host = host, .device = !host, .no_images = true};
    struct source_map sm;
    struct diag diag;
    struct pp_result result;
    struct sbuf text, said;
    struct pp *pp = arena_new(&arena, struct pp);
    records.len = 0;
    map_init(&by_path, &arena);
    map_init(&definitions, &arena);
    map_init(&absent, &arena);
    sbuf_init(&text, &arena);
    sbuf_init(&said, &arena);
    sources(&text, host);
    source_init(&sm, &arena);
    diag_init(&diag, &arena, &sm);
    if (!pp_run_with(pp, &arena, &names, &sm, &diag, &options, "images", text.data, text.len,
                     &result)) {
        diag_render_text(&diag, &said, false);
        fputs(said.data, stderr);
        exit(1);
    }
    vec_each (struct record *, r, &records) {
        judge(pp, *r);
        if (is_among(base_of((*r)->path), seldom))
            refuse(*r, "is read seldom, as text", "");
    }
    qsort(records.data, records.len, sizeof *records.data, by_its_path);
    fprintf(out, "static const struct image images_%d[] = {\n", host);
    size_t bytes = 0;
    vec_each (struct record *, it, &records) {
        const struct record *r = *it;
        if (r->why) {
            if (list)
                fprintf(list, "%s %s: %s %s\n", host ? "host" : "device", r->path, r->why, r->what);
            continue;
        }
        mark_items(*it, &options);
        const char *guard = r->header->guard;
        bytes += r->bytes.len;
        fprintf(out, "{\"%s\", (const unsigned char *)\n", r->path);
        put_octal(out, r->bytes.data, r->bytes.len);
        fprintf(out, ",\n%u, %d},\n", guard ? 1 + word_of(guard, strlen(guard)) : 0,
                r->header->once);
    }
    fprintf(out, "{0}};\nstatic const uint32_t absent_%d[] = {\n", host);
    map_each (e, &absent) {
        fprintf(out, "%u,\n", word_of(e->value, strlen(e->value)));
        if (list)
            fprintf(list, "%s absent %s\n", host ? "host" : "device", (const char *)e->value);
    }
    fprintf(out, "0};\n");
    if (list)
        fprintf(list, "%s: %zu bytes\n", host ? "host" : "device", bytes);
}

static void put_words(FILE *out)
{
    size_t at = 0;
    fprintf(out, "const struct image_word image_words[] = {\n");
    vec_each (const char *, w, &all_words) {
        fprintf(out, "{%zu, %zu},\n", at, intern_len(*w));
        at += intern_len(*w);
    }
    fprintf(out, "};\nconst size_t image_word_count = %zu;\nconst char image_text[] =\n",
            all_words.len);
    vec_each (const char *, w, &all_words) {
        put_octal(out, *w, intern_len(*w));
        fputc('\n', out);
    }
    fputs(";\n", out);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL,
         *list = argc > 2 ? fopen(argv[2], "w") : NULL;
    if (!out)
        return 1;
    arena_init(&arena, &memory);
    intern_init(&names, &arena);
    map_init(&words, &arena);
    fputs("/* Made by tool/image.c. */\n#include \"front/cuda/pp/image.h\"\n", out);
    read_half(false, out, list);
    read_half(true, out, list);
    fputs("#define SET(n) {images_##n, sizeof images_##n / sizeof *images_##n - 1, absent_##n, "
          "sizeof absent_##n / sizeof *absent_##n - 1}\n"
          "const struct image_set image_sets[2] = {SET(0), SET(1)};\n",
          out);
    put_words(out);
    return fclose(out) || (list && fclose(list));
}
