/* Strings: views, the interner, and the output buffer. */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"

struct str str_of(const char *z)
{
    return (struct str){z, z ? strlen(z) : 0};
}

bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

bool str_is(struct str a, const char *z)
{
    return str_eq(a, str_of(z));
}

bool str_starts(struct str a, const char *prefix)
{
    size_t n = strlen(prefix);
    return a.len >= n && (!n || !memcmp(a.ptr, prefix, n));
}

bool str_same_but_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " \t\n");
        b += strspn(b, " \t\n");
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

/* What stands before the text of an interned string. */
struct intern_header {
    uint32_t len, mark;
    uint64_t hash;
};

static struct intern_header *header(const char *interned)
{
    return (struct intern_header *)(interned - sizeof(struct intern_header));
}

void intern_init(struct interner *in, struct arena *a)
{
    *in = (struct interner){.arena = a};
}

/* The slot that holds the string, or the free slot where it belongs. */
static const char **intern_find(const char **slots, size_t cap, uint64_t hash, const char *s,
                                size_t n)
{
    for (size_t i = hash;; i++) {
        const char **slot = &slots[i & (cap - 1)];
        if (!*slot)
            return slot;
        struct intern_header *h = header(*slot);
        if (h->hash == hash && h->len == n && !memcmp(*slot, s, n))
            return slot;
    }
}

const char *intern(struct interner *in, const char *s, size_t n)
{
    if (!n)
        s = "";
    if (in->len * 4 >= in->cap * 3) {
        size_t cap = in->cap ? in->cap * 2 : 1024;
        const char **slots = arena_array(in->arena, const char *, cap);
        for (size_t i = 0; i < in->cap; i++) {
            const char *old = in->slots[i];
            if (old)
                *intern_find(slots, cap, header(old)->hash, old, header(old)->len) = old;
        }
        in->slots = slots;
        in->cap = cap;
    }
    uint64_t hash = hash_bytes(s, n, 0);
    const char **slot = intern_find(in->slots, in->cap, hash, s, n);
    if (!*slot) {
        struct intern_header *h = arena_alloc_unset(in->arena, sizeof *h + n + 1);
        *h = (struct intern_header){.len = (uint32_t)n, .hash = hash};
        char *text = memcpy(h + 1, s, n);
        text[n] = 0;
        *slot = text;
        in->len++;
    }
    return *slot;
}

const char *intern_z(struct interner *in, const char *z)
{
    return intern(in, z, strlen(z));
}

size_t intern_len(const char *interned)
{
    return header(interned)->len;
}

uint32_t *intern_mark(const char *interned)
{
    return &header(interned)->mark;
}

uint32_t intern_marks(struct interner *in)
{
    return ++in->marks;
}

/* With cap 0, data is a constant empty string: there to be read, never written. */
void sbuf_init(struct sbuf *b, struct arena *a)
{
    *b = (struct sbuf){.data = (char *)"", .arena = a};
}

void sbuf_free(struct sbuf *b)
{
    if (!b->arena && b->cap)
        free(b->data);
    sbuf_init(b, b->arena);
}

/* Room for n more bytes and the NUL. */
static bool reserve(struct sbuf *b, size_t n)
{
    if (b->failed)
        return false;
    if (n < b->cap - b->len)
        return true;
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->len <= n) {
        if (cap > PTRDIFF_MAX / 2) {
            b->failed = true;
            return false;
        }
        cap *= 2;
    }
    char *data = b->arena ? arena_grow(b->arena, b->cap ? b->data : NULL, b->cap, cap)
                          : realloc(b->cap ? b->data : NULL, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    b->data[b->len] = 0;
    return true;
}

void sbuf_put(struct sbuf *b, const void *p, size_t n)
{
    if (!n || !reserve(b, n))
        return;
    memcpy(b->data + b->len, p, n);
    b->len += n;
    b->data[b->len] = 0;
}

void sbuf_putc(struct sbuf *b, char c)
{
    sbuf_put(b, &c, 1);
}

void sbuf_puts(struct sbuf *b, const char *z)
{
    sbuf_put(b, z, strlen(z));
}

void sbuf_vprintf(struct sbuf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    size_t room = b->cap - b->len;
    int n = vsnprintf(b->cap ? b->data + b->len : NULL, room, fmt, ap);
    if (n < 0)
        b->failed = true;
    else if ((size_t)n < room)
        b->len += (size_t)n;
    else if (reserve(b, (size_t)n))
        b->len += (size_t)vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
    if (b->cap)
        b->data[b->len] = 0;
    va_end(again);
}

void sbuf_printf(struct sbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    sbuf_vprintf(b, fmt, ap);
    va_end(ap);
}

void sbuf_comment(struct sbuf *b, const char *z)
{
    for (char before = 0; *z; before = *z++) {
        if (before == '*' && *z == '/')
            sbuf_putc(b, ' ');
        sbuf_putc(b, (unsigned char)*z < ' ' || *z == '\\' ? '?' : *z);
    }
}

void sbuf_quoted(struct sbuf *b, const char *z)
{
    for (; *z; z++) {
        if ((unsigned char)*z < ' ')
            sbuf_printf(b, "\\%03o", (unsigned)(unsigned char)*z);
        else if (*z == '"' || *z == '\\')
            sbuf_printf(b, "\\%c", *z);
        else
            sbuf_putc(b, *z);
    }
}

void sbuf_u32le(struct sbuf *b, uint32_t v)
{
    sbuf_put(b, (unsigned char[]){v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24}, 4);
}

void sbuf_u64le(struct sbuf *b, uint64_t v)
{
    sbuf_u32le(b, (uint32_t)v);
    sbuf_u32le(b, (uint32_t)(v >> 32));
}
