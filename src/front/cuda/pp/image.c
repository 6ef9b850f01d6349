/* Reads images of our own headers in place of their texts: see image.h. */
#include "front/cuda/pp/pp_int.h"

#ifndef TERN_SMALL
#include <string.h>
#include "front/cuda/pp/image.h"

static uint32_t number(const unsigned char **p)
{
    uint32_t v = *(*p)++;
    if (v < 128)
        return v;
    v &= 127;
    for (unsigned shift = 7;; shift += 7) {
        const uint32_t byte = *(*p)++;
        v |= (byte & 127) << shift;
        if (byte < 128)
            return v;
    }
}

static uint64_t wide_number(const unsigned char **p)
{
    uint64_t low = number(p);
    return low | (uint64_t)number(p) << 32;
}

/* Names are interned when they are first met. */
static const char *name_of(struct pp *pp, uint32_t word)
{
    const char **slot = &pp->image_names[word];
    if (!*slot)
        *slot = intern(pp->names, image_text + image_words[word].at, image_words[word].len);
    return *slot;
}

static struct str text_of(uint32_t word)
{
    return (struct str){image_text + image_words[word].at, image_words[word].len};
}

static const struct image *find(const struct image_set *set, const char *path)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const int c = strcmp(set->images[mid].path, path);
        if (!c)
            return &set->images[mid];
        *(c < 0 ? &low : &high) = c < 0 ? mid + 1 : mid;
    }
    return NULL;
}

void pp_images_start(struct pp *pp)
{
    const struct pp_options *o = pp->opt;
    if (o->no_prelude || o->no_images || o->fast_math || o->page || o->device == o->host)
        return;
    pp->images = &image_sets[o->host];
    pp->image_names = arena_array(pp->arena, const char *, image_word_count);
}

/* Macros that a source has made, and that headers ask for. */
static bool source_interferes(struct pp *pp)
{
    for (size_t i = 0; i < pp->images->nabsent; i++) {
        const struct macro *m = pp_macro(pp, name_of(pp, pp->images->absent[i]));
        if (m && !m->system)
            return true;
    }
    return false;
}

const struct image *pp_image_of(struct pp *pp, const struct pp_header *h)
{
    if (!pp->images || !h->file || !pp->resting)
        return NULL;
    const struct image *i = find(pp->images, h->path);
    if (i && source_interferes(pp)) {
        pp->images = NULL;
        return NULL;
    }
    return i && i->bytes ? i : NULL;
}

const unsigned char *pp_image_bytes(const struct image *i)
{
    return i->bytes;
}

bool pp_image_begin(struct pp *pp, const struct image *i, struct pp_header *h)
{
    if (i->once)
        h->once = true;
    if (i->guard) {
        h->guard = name_of(pp, i->guard - 1);
        if (pp_macro(pp, h->guard))
            return false;
    }
    return true;
}

static void include(struct pp *pp, struct pp_buffer *b)
{
    const unsigned char **p = &b->image;
    const unsigned flags = *(*p)++;
    const uint32_t at = number(p), len = number(p);
    pp_include(pp, name_of(pp, number(p)), flags & 1, flags & 2, span_at(b->file->base + at, len));
}

static void body_token(struct pp *pp, const unsigned char **p, source_loc base, struct token *t)
{
    *t = (struct token){.kind = (*p)[0], .punct = (*p)[1], .flags = (*p)[2], .prefix = (*p)[3]};
    *p += 4;
    t->span.loc = base + number(p);
    t->span.len = number(p);
    if (t->kind == TOKEN_IDENT) {
        t->u.name = name_of(pp, number(p));
    } else if (t->kind >= TOKEN_INTERNAL) {
        t->u.text.ptr = name_of(pp, number(p));
        t->u.text.len = number(p);
    } else if (t->kind != TOKEN_PUNCT) {
        t->u.text = text_of(number(p));
    }
}

static void define(struct pp *pp, struct pp_buffer *b)
{
    const unsigned char **p = &b->image;
    struct macro *m = arena_new(pp->arena, struct macro);
    m->span.loc = b->file->base + number(p);
    const unsigned flags = *(*p)++;
    const uint32_t word = number(p);
    m->name = name_of(pp, word);
    m->span.len = image_words[word].len;
    m->kind = flags & 1 ? MACRO_FUNCTION : MACRO_OBJECT;
    m->variadic = flags & 2;
    m->plain = flags & 4;
    m->system = true;
    m->nparams = number(p);
    if (m->kind == MACRO_FUNCTION)
        m->params = arena_array(pp->arena, const char *, m->nparams ? m->nparams : 1);
    for (uint32_t i = 0; i < m->nparams; i++)
        m->params[i] = name_of(pp, number(p));
    m->nbody = number(p);
    m->body = arena_array(pp->arena, struct token, m->nbody ? m->nbody : 1);
    m->body_loc = number(p);
    m->body_len = number(p);
    if (m->body_loc)
        m->body_loc += b->file->base;
    for (uint32_t i = 0; i < m->nbody; i++)
        body_token(pp, p, m->body_loc, &m->body[i]);
    map_set(&pp->macros, map_key(m->name), m);
}

static source_loc moved_by(const unsigned char **p)
{
    const uint32_t v = number(p);
    return v >> 1 ^ (0 - (v & 1));
}

static void item(struct pp *pp, struct pp_buffer *b)
{
    const unsigned char **p = &b->image;
    struct pp_lazy *l = arena_new(pp->arena, struct pp_lazy);
    l->name = name_of(pp, number(p));
    l->count = number(p);
    const uint32_t bytes = number(p);
    const source_loc moved = moved_by(p);
    l->bytes = *p;
    l->loc = b->image_loc;
    *p += bytes;
    b->image_loc += moved;
    const struct token t = {.kind = PP_LAZY, .flags = TOKEN_SYSTEM, .u.text.ptr = (const char *)l};
    vec_push(pp->arena, &pp->tokens, t);
}

/* False: the image is at its end. */
static bool step(struct pp *pp, struct pp_buffer *b)
{
    switch ((enum image_step) * b->image++) {
    case IMAGE_END: return false;
    case IMAGE_INCLUDE: include(pp, b); break;
    case IMAGE_DEFINE: define(pp, b); break;
    case IMAGE_UNDEF: map_del(&pp->macros, map_key(name_of(pp, number(&b->image)))); break;
    case IMAGE_ITEM: item(pp, b); break;
    }
    return true;
}

static void token(struct pp *pp, const unsigned char **at, source_loc *loc, struct token *t)
{
    const unsigned char *p = *at;
    const unsigned head = *p++;
    uint32_t len = 0;
    *loc += moved_by(&p);
    t->kind = head & 7;
    t->flags = (uint8_t)(TOKEN_SYSTEM | (head & IMAGE_BOL ? TOKEN_BOL : 0) |
                         (head & IMAGE_SPACE ? TOKEN_SPACE : 0));
    t->punct = t->prefix = 0;
    if (head & IMAGE_LEN)
        len = number(&p);
    if (head & IMAGE_PREFIX)
        t->prefix = *p++;
    switch (t->kind) {
    case TOKEN_PUNCT:
        t->punct = *p++;
        t->u.value = 0;
        if (!(head & IMAGE_LEN))
            len = t->punct <= PUNCT_ARROW_STAR ? 3 : t->punct <= PUNCT_HASHHASH ? 2 : 1;
        break;
    case TOKEN_CHAR:
        t->punct = *p++;
        t->u.value = wide_number(&p);
        break;
    default: {
        const uint32_t word = number(&p);
        if (t->kind == TOKEN_IDENT)
            t->u.name = name_of(pp, word);
        else
            t->u.text = text_of(word);
        if (!(head & IMAGE_LEN))
            len = image_words[word].len;
    }
    }
    t->span = span_at(*loc, len);
    *at = p;
}

void pp_image_read(struct pp *pp, const struct pp_lazy *l, struct token *out)
{
    const unsigned char *p = l->bytes;
    source_loc loc = l->loc;
    for (uint32_t i = 0; i < l->count; i++)
        token(pp, &p, &loc, &out[i]);
}

bool pp_image_run(struct pp *pp, struct pp_buffer *b)
{
    while (pp->buf == b && !pp->stop) {
        if (*b->image == IMAGE_STEP) {
            b->image++;
            if (!step(pp, b))
                return false;
        } else {
            VEC_MORE(pp->arena, &pp->tokens);
            token(pp, &b->image, &b->image_loc, &pp->tokens.data[pp->tokens.len++]);
        }
    }
    return true;
}
#endif
