/* Arenas: chunks of system memory, handed out front to back, released all at once.
 *
 * Chunks double from 4 KiB to 2 MiB, so that a small arena is cheap and a large one makes few
 * calls; the largest are asked for as one page, where the system has such: taking memory page by
 * page was a third of the time that a program with streams and Thrust takes to compile. Under ASan
 * and CFG=hostile each allocation is a chunk of its own and growing always moves: then a stray
 * access, or a pointer kept across arena_grow, is seen.
 *
 * A large block has a chunk of its own, which goes back when it grows into another or is dropped:
 * arrays that double would else leave as much behind as they hold. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { ALIGN = 16, CHUNK_MIN = 4096, CHUNK_MAX = 2 << 20, LARGE = CHUNK_MAX / 4, PAGE = 1 << 16 };

#if defined(TERN_HOSTILE) || defined(__SANITIZE_ADDRESS__)
#define CHUNK_PER_ALLOCATION 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHUNK_PER_ALLOCATION 1
#endif
#endif
#ifndef CHUNK_PER_ALLOCATION
#define CHUNK_PER_ALLOCATION 0
#endif

struct arena_chunk {
    struct arena_chunk *next;                /* in its arena */
    struct arena_chunk *mem_prev, *mem_next; /* among all chunks of the struct mem */
    size_t size;                             /* of the whole chunk, this header included */
    bool alone;                              /* it holds one block */
};

#if defined(__linux__) && !CHUNK_PER_ALLOCATION
#define PAGES 1
#else
#define PAGES 0
#endif

#if PAGES
/* Large chunks are the system's pages, zero and not in memory until they are written, and go back
 * to it when they are released: malloc would keep them. */
static bool is_pages(size_t size)
{
    return size >= LARGE;
}

/* What chunks of pages are multiples of, on every processor. */
static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

static void *more_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void *pages(size_t size)
{
    if (size < CHUNK_MAX)
        return more_pages(size);
    char *p = more_pages(size + CHUNK_MAX);
    if (!p)
        return NULL;
    const size_t before = -(uintptr_t)p % CHUNK_MAX;
    if (before)
        munmap(p, before);
    munmap(p + before + size, CHUNK_MAX - before);
#ifdef MADV_HUGEPAGE
    madvise(p + before, size, MADV_HUGEPAGE); /* where it cannot be done, pages are small */
#endif
    return p + before;
}
#endif

static void *system_memory(size_t size)
{
#if PAGES
    if (is_pages(size))
        return pages(size);
#endif
    return malloc(size ? size : 1);
}

static void system_release(void *p, size_t size)
{
#if PAGES
    if (is_pages(size)) {
        munmap(p, size);
        return;
    }
#endif
    (void)size;
    free(p);
}

/* False: there is none, as tests want it, or it would be more than the limit. */
static bool mem_may(struct mem *m, size_t size)
{
    if (m->fail_after > 0 && --m->fail_after == 0)
        return false;
    return !m->limit || (size <= m->limit && m->used <= m->limit - size);
}

static void mem_count(struct mem *m, size_t size)
{
    m->used += size;
    if (m->used > m->peak)
        m->peak = m->used;
}

static void *mem_get(struct mem *m, size_t size)
{
    void *p = mem_may(m, size) ? system_memory(size) : NULL;
    if (p)
        mem_count(m, size);
    return p;
}

static void mem_put(struct mem *m, void *p, size_t size)
{
    if (!p)
        return;
    m->used -= size;
    system_release(p, size);
}

static _Noreturn void out_of_memory(struct mem *m)
{
    if (!m->unwind)
        abort(); /* the contract of struct mem is broken; there is nowhere to go */
    longjmp(*m->unwind, 1);
}

void arena_init(struct arena *a, struct mem *m)
{
    *a = (struct arena){.mem = m};
}

static void release_chunk(struct mem *m, struct arena_chunk *c)
{
    *(c->mem_prev ? &c->mem_prev->mem_next : &m->chunks) = c->mem_next;
    if (c->mem_next)
        c->mem_next->mem_prev = c->mem_prev;
    mem_put(m, c, c->size);
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        release_chunk(a->mem, c);
    }
    arena_init(a, a->mem);
}

void mem_release(struct mem *m)
{
    while (m->chunks)
        release_chunk(m, m->chunks);
}

static size_t round_up(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* A new chunk with room for size bytes. One that serves a single large request goes behind the
 * current chunk, whose rest stays in use. */
static char *new_chunk(struct arena *a, size_t size)
{
    size_t header = round_up(sizeof(struct arena_chunk));
    size_t want = a->chunks ? 2 * a->chunks->size : CHUNK_MIN;
    want = want < CHUNK_MIN ? CHUNK_MIN : want > CHUNK_MAX ? CHUNK_MAX : want;
    bool alone = CHUNK_PER_ALLOCATION || a->mem->exact || size > want / 4;
    size_t whole = alone ? header + size : want;
#if PAGES
    if (is_pages(whole))
        whole = whole_pages(whole);
#endif
    struct arena_chunk *c = mem_get(a->mem, whole);
    if (!c)
        out_of_memory(a->mem);
    c->size = whole;
    c->alone = alone;
    c->mem_prev = NULL;
    c->mem_next = a->mem->chunks;
    if (c->mem_next)
        c->mem_next->mem_prev = c;
    a->mem->chunks = c;
    char *payload = (char *)c + header;
    if (alone && a->chunks) {
        c->next = a->chunks->next;
        a->chunks->next = c;
        return payload;
    }
    c->next = a->chunks;
    a->chunks = c;
    a->at = payload + size;
    a->end = (char *)c + whole;
    return payload;
}

/* A large block is fresh where its pages are: it is zero. */
static bool is_fresh(size_t room)
{
    return PAGES && room > LARGE;
}

static void *alloc_raw(struct arena *a, size_t size)
{
    if (size > PTRDIFF_MAX - 4096)
        out_of_memory(a->mem);
    size_t room = CHUNK_PER_ALLOCATION ? size : round_up(size ? size : 1);
    if (CHUNK_PER_ALLOCATION || room > LARGE || room > (size_t)(a->end - a->at))
        return new_chunk(a, room);
    char *p = a->at;
    a->at += room;
    return p;
}

void *arena_alloc(struct arena *a, size_t size)
{
    void *p = alloc_raw(a, size);
    return is_fresh(size) ? p : memset(p, 0, size);
}

void *arena_alloc_unset(struct arena *a, size_t size)
{
    return alloc_raw(a, size);
}

void *arena_alloc_array(struct arena *a, size_t n, size_t elem)
{
    if (elem && n > PTRDIFF_MAX / elem)
        out_of_memory(a->mem);
    return arena_alloc(a, n * elem);
}

/* Where the arena has its chunk that holds this block alone; NULL: there is none. */
static struct arena_chunk **chunk_of(struct arena *a, const void *p)
{
    const size_t header = round_up(sizeof(struct arena_chunk));
    for (struct arena_chunk **at = &a->chunks, *c; (c = *at); at = &c->next)
        if (c->alone && (char *)c + header == (const char *)p)
            return at;
    return NULL;
}

void arena_drop(struct arena *a, void *p, size_t size)
{
    struct arena_chunk **at = size > LARGE ? chunk_of(a, p) : NULL;
    if (!at)
        return;
    struct arena_chunk *c = *at;
    if (c == a->chunks) /* the ones behind it have no room that is known of */
        a->at = a->end = NULL;
    *at = c->next;
    release_chunk(a->mem, c);
}

#if PAGES
/* A large block takes its pages along. NULL: it cannot. */
static void *grow_pages(struct arena *a, void *p, size_t old, size_t size)
{
    const size_t header = round_up(sizeof(struct arena_chunk));
    struct arena_chunk **at = old > LARGE ? chunk_of(a, p) : NULL, *c;
    if (!at)
        return NULL;
    const size_t had = (*at)->size, whole = whole_pages(header + size);
    if (whole <= had)
        return p;
    const bool current = *at == a->chunks;
    if (!mem_may(a->mem, whole - had))
        out_of_memory(a->mem);
    if ((c = mremap(*at, had, whole, MREMAP_MAYMOVE)) == MAP_FAILED)
        return NULL;
    mem_count(a->mem, whole - had);
    c->size = whole;
    *at = c;
    *(c->mem_prev ? &c->mem_prev->mem_next : &a->mem->chunks) = c;
    if (c->mem_next)
        c->mem_next->mem_prev = c;
    if (current)
        a->at = a->end = NULL;
    return (char *)c + header;
}
#endif

void *arena_grow(struct arena *a, void *p, size_t old, size_t size)
{
    if (size <= old)
        return p;
    if (size > PTRDIFF_MAX - 4096)
        out_of_memory(a->mem);
#if PAGES
    void *grown = grow_pages(a, p, old, size);
    if (grown)
        return grown;
#endif
    size_t had = round_up(old), room = round_up(size);
    bool newest = !CHUNK_PER_ALLOCATION && old && (char *)p + had == a->at;
    if (newest && room <= LARGE && room - had <= (size_t)(a->end - a->at)) {
        a->at += room - had;
    } else {
        void *moved = alloc_raw(a, size);
        if (old)
            memcpy(moved, p, old);
#ifdef TERN_HOSTILE
        if (old)
            memset(p, 0xdd, old);
#endif
        arena_drop(a, p, old);
        p = moved;
        if (is_fresh(size))
            return p;
    }
    memset((char *)p + old, 0, size - old);
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = alloc_raw(a, n + 1);
    if (n)
        memcpy(p, s, n);
    p[n] = 0;
    return p;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    char most[128]; /* what does not fit is formatted again */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(most, sizeof most, fmt, ap);
    char *p = alloc_raw(a, n < 0 ? 1 : (size_t)n + 1);
    p[0] = 0;
    if (n > 0 && (size_t)n < sizeof most)
        memcpy(p, most, (size_t)n + 1);
    else if (n > 0)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}
