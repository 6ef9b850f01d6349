/* Memory for compilers: bump arenas over one accounted source.
 *
 * struct mem counts every byte, enforces a limit and can be told to fail on purpose (tests).
 * An arena allocation never returns NULL: when memory runs out it unwinds to the jmp_buf that
 * mem->unwind names. Code in front, opt, lower and back therefore has no out-of-memory paths; the
 * one place that sets the jmp_buf is driver/pipeline.c (and tests). Everything allocated since is
 * released by freeing the arenas, so what an arena owns must not own anything else.
 * Not thread-safe: one struct mem per compilation. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;
struct mem {
    size_t used, peak;
    size_t limit;    /* bytes; 0 is no limit */
    long fail_after; /* test hook: the n-th system allocation from now fails; 0 never */
    bool exact;      /* test hook: every arena allocation is a system allocation of its own */
    jmp_buf *unwind; /* where arenas go when memory runs out; must be set */
    struct arena_chunk *chunks; /* of all arenas over this mem */
};

/* Gives back what every arena over m holds, scratch arenas of functions that were unwound included:
 * called where the unwinding ends. The arenas themselves must not be used again. */
void mem_release(struct mem *m);

struct arena {
    struct mem *mem;
    struct arena_chunk *chunks;
    char *at, *end;
};

void arena_init(struct arena *a, struct mem *m);
void arena_free(struct arena *a); /* gives everything back; the arena can be used again */
void *arena_alloc(struct arena *a, size_t size);                     /* zeroed, 16-byte aligned */
void *arena_alloc_unset(struct arena *a, size_t size);               /* the same, of any contents */
void *arena_alloc_array(struct arena *a, size_t n, size_t elem);     /* n * elem may not overflow */
void *arena_grow(struct arena *a, void *p, size_t old, size_t size); /* to a larger block */
/* Nobody needs the block any more: what is large goes back at once, the rest with the arena. */
void arena_drop(struct arena *a, void *p, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t n); /* NUL-terminated */
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define arena_new(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc_array((a), (size_t)(n), sizeof(T)))

#endif
