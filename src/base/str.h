/* Strings: views, an interner whose results compare by pointer, and a growing buffer. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include "base/arena.h"

struct str {
    const char *ptr;
    size_t len;
};

#define STR(lit) ((struct str){(lit), sizeof(lit) - 1})
struct str str_of(const char *z);
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *z);
bool str_starts(struct str a, const char *prefix);
bool str_same_but_blanks(const char *a, const char *b); /* k<float,128>, k<float, 128> */

/* Interned strings are NUL-terminated and equal if and only if their pointers are. */
struct interner {
    struct arena *arena;
    const char **slots; /* open addressing; length is stored before the text */
    size_t len, cap;
    uint32_t marks;
};
void intern_init(struct interner *in, struct arena *a);
const char *intern(struct interner *in, const char *s, size_t n);
const char *intern_z(struct interner *in, const char *z);
size_t intern_len(const char *interned);
/* A mark that whoever goes through names may leave on one; 0 at first. */
uint32_t *intern_mark(const char *interned);
uint32_t intern_marks(struct interner *in); /* one that no name has yet */

/* A growing byte buffer for output. Backed by malloc through struct mem when it has one (then it
 * unwinds like an arena), else by plain malloc: then a failed growth sets `failed` and drops. */
struct sbuf {
    char *data; /* NUL-terminated after every call */
    size_t len, cap;
    struct arena *arena; /* NULL: plain malloc, free with sbuf_free */
    bool failed;
};
void sbuf_init(struct sbuf *b, struct arena *a);
void sbuf_free(struct sbuf *b);
void sbuf_put(struct sbuf *b, const void *p, size_t n);
void sbuf_putc(struct sbuf *b, char c);
void sbuf_puts(struct sbuf *b, const char *z);
void sbuf_printf(struct sbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sbuf_vprintf(struct sbuf *b, const char *fmt, va_list ap);
/* Text from outside in generated code: in a comment, which it cannot end, whether that ends with
 * the line or not; between the quotes of a string of C. */
void sbuf_comment(struct sbuf *b, const char *z);
void sbuf_quoted(struct sbuf *b, const char *z);
void sbuf_u32le(struct sbuf *b, uint32_t v);
void sbuf_u64le(struct sbuf *b, uint64_t v);

#endif
