/* A pool of device memory.
 *
 * Best fit, the lowest address among equals, in bins of powers of two. Small requests have chunks
 * of their own: between large ones they would cut holes that nothing large fits into again.
 * Requests from LARGE_BYTES on get a chunk of their own size.
 *
 * Where the source has a settle function, freed memory may still be in use by work that was
 * submitted before: it waits on a list until the next allocation that would otherwise need a chunk,
 * or until it is too much, which waits for the device once and makes all of it available.
 *
 * A heap that has to grow beyond what was ever in use at once, and some, first gives back the
 * chunks that lie empty: they were too small or in the way. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "rt/heap.h"

#define SMALL_BYTES   (UINT64_C(64) << 10)
#define CHUNK_BYTES   (UINT64_C(2) << 20)
#define LARGE_BYTES   (UINT64_C(32) << 20)
#define SLACK_BYTES   (UINT64_C(2) << 20) /* what a heap may hold idle in any case */
#define WAITING_BYTES (UINT64_C(2) << 20)
#define MOST_BYTES    (UINT64_C(1) << 46)

enum block_state { BLOCK_USED, BLOCK_WAITING, BLOCK_FREE };

struct block {
    struct block *prev, *next;           /* in its chunk, by address */
    struct block *free_prev, *free_next; /* FREE: the bin's list; WAITING: the waiting list */
    struct block *hash_next;             /* USED: by address */
    struct chunk *chunk;
    uint64_t address, bytes, asked;
    enum block_state state;
    char name[32];
};

struct chunk {
    struct chunk *prev, *next;
    uint64_t base, bytes;
    struct block *first;
    bool small; /* for requests of SMALL_BYTES at most */
};

enum { BINS = 40, SLOTS = 4096 };

struct heap {
    struct heap_source source;
    pthread_mutex_t lock;
    struct chunk *chunks;
    struct block *bins[2][BINS]; /* by kind of chunk: free blocks of 2^k grains and more */
    struct block *waiting;
    uint64_t waiting_bytes;
    struct block *spare; /* of the structs */
    struct block *used[SLOTS];
    struct heap_stats stats;
};

static struct block *block_new(struct heap *h)
{
    struct block *b = h->spare;
    if (!b)
        return calloc(1, sizeof *b);
    h->spare = b->next;
    return b;
}

static void block_drop(struct heap *h, struct block *b)
{
    b->next = h->spare;
    h->spare = b;
}

static unsigned bin_of(uint64_t bytes)
{
    const unsigned k = 63 - (unsigned)__builtin_clzll(bytes / HEAP_GRAIN | 1);
    return k < BINS ? k : BINS - 1;
}

static struct block **slot_of(struct heap *h, uint64_t a)
{
    return &h->used[a / HEAP_GRAIN * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static void bin_add(struct heap *h, struct block *b)
{
    struct block **bin = &h->bins[b->chunk->small][bin_of(b->bytes)];
    b->state = BLOCK_FREE;
    b->free_prev = NULL;
    b->free_next = *bin;
    if (*bin)
        (*bin)->free_prev = b;
    *bin = b;
}

static void bin_remove(struct heap *h, struct block *b)
{
    if (b->free_prev)
        b->free_prev->free_next = b->free_next;
    else
        h->bins[b->chunk->small][bin_of(b->bytes)] = b->free_next;
    if (b->free_next)
        b->free_next->free_prev = b->free_prev;
}

/* Joins b with free neighbours and puts the whole into its bin. */
static void make_free(struct heap *h, struct block *b)
{
    struct block *n = b->next;
    if (n && n->state == BLOCK_FREE) {
        bin_remove(h, n);
        b->bytes += n->bytes;
        b->next = n->next;
        if (n->next)
            n->next->prev = b;
        block_drop(h, n);
    }
    struct block *q = b->prev;
    if (q && q->state == BLOCK_FREE) {
        bin_remove(h, q);
        q->bytes += b->bytes;
        q->next = b->next;
        if (b->next)
            b->next->prev = q;
        block_drop(h, b);
        b = q;
    }
    bin_add(h, b);
}

static bool fits_better(const struct block *a, const struct block *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
}

/* The smallest block that fits, within a few steps of each bin. */
static struct block *find_free(struct heap *h, uint64_t bytes)
{
    struct block **bins = h->bins[bytes <= SMALL_BYTES];
    for (unsigned k = bin_of(bytes); k < BINS; k++) {
        struct block *best = NULL;
        unsigned steps = 0;
        for (struct block *b = bins[k]; b && steps < 256; b = b->free_next, steps++)
            if (b->bytes >= bytes && (!best || fits_better(b, best)))
                best = b;
        if (best)
            return best;
    }
    return NULL;
}

/* ---- chunks ---- */

static void drop_chunk(struct heap *h, struct chunk *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        h->chunks = c->next;
    if (c->next)
        c->next->prev = c->prev;
    h->source.give(h->source.ctx, c->base, c->bytes);
    h->stats.held -= c->bytes;
    block_drop(h, c->first);
    free(c);
}

static bool is_empty(const struct chunk *c)
{
    return c->first->state == BLOCK_FREE && !c->first->next;
}

static bool give_back(struct heap *h, uint64_t keep)
{
    bool any = false;
    for (struct chunk *c = h->chunks, *next; c && h->stats.held > keep; c = next) {
        next = c->next;
        if (is_empty(c)) {
            bin_remove(h, c->first);
            drop_chunk(h, c);
            any = true;
        }
    }
    return any;
}

static enum tern_error add_chunk(struct heap *h, uint64_t bytes, bool small)
{
    struct chunk *c = calloc(1, sizeof *c);
    struct block *b = c ? block_new(h) : NULL;
    uint64_t base = 0;
    enum tern_error e = b ? h->source.take(h->source.ctx, bytes, &base) : TERN_OUT_OF_MEMORY;
    if (e) {
        if (b)
            block_drop(h, b);
        free(c);
        return e;
    }
    *b = (struct block){.chunk = c, .address = base, .bytes = bytes};
    *c =
        (struct chunk){.base = base, .bytes = bytes, .first = b, .next = h->chunks, .small = small};
    if (h->chunks)
        h->chunks->prev = c;
    h->chunks = c;
    h->stats.chunks++;
    h->stats.held += bytes;
    if (h->stats.held > h->stats.peak_held)
        h->stats.peak_held = h->stats.held;
    bin_add(h, b);
    return TERN_OK;
}

/* Everything freed so far can be used again once the device is idle. */
static enum tern_error settle(struct heap *h)
{
    if (!h->waiting)
        return TERN_OK;
    enum tern_error e = h->source.settle(h->source.ctx);
    if (e)
        return e;
    while (h->waiting) {
        struct block *b = h->waiting;
        h->waiting = b->free_next;
        h->waiting_bytes -= b->bytes;
        make_free(h, b);
    }
    return TERN_OK;
}

static uint64_t rounded(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) / to * to;
}

static enum tern_error grow(struct heap *h, uint64_t bytes)
{
    const bool small = bytes <= SMALL_BYTES;
    const uint64_t granule = h->source.granule;
    const uint64_t want =
        bytes > CHUNK_BYTES / 2 ? rounded(bytes, granule) : rounded(CHUNK_BYTES, granule);
    const uint64_t used = h->stats.used + bytes,
                   peak = used > h->stats.peak_used ? used : h->stats.peak_used;
    if (h->stats.held + want > peak + peak / 16 + SLACK_BYTES)
        give_back(h, 0);
    enum tern_error e = add_chunk(h, want, small);
    if (e != TERN_OUT_OF_MEMORY)
        return e;
    /* no memory: what lies idle goes back first, and the request gets no more than it asked for */
    if (give_back(h, 0) || want > bytes)
        e = add_chunk(h, bytes, small);
    return e;
}

/* ---- allocation ---- */

static void cut(struct heap *h, struct block *b, uint64_t bytes)
{
    struct block *rest = b->bytes > bytes ? block_new(h) : NULL;
    bin_remove(h, b);
    if (!rest)
        return;
    *rest = (struct block){.prev = b,
                           .next = b->next,
                           .chunk = b->chunk,
                           .address = b->address + bytes,
                           .bytes = b->bytes - bytes};
    if (b->next)
        b->next->prev = rest;
    b->next = rest;
    b->bytes = bytes;
    bin_add(h, rest);
}

static void set_name(struct block *b, const char *name)
{
    size_t n = 0;
    while (name && name[n] && n < sizeof b->name - 1) {
        b->name[n] = name[n];
        n++;
    }
    b->name[n] = 0;
}

enum tern_error heap_alloc(struct heap *h, uint64_t size, uint32_t align, const char *name,
                           uint64_t *out)
{
    *out = 0;
    if (align > HEAP_GRAIN || align & (align - 1))
        return TERN_INVALID_ARGUMENT;
    if (size > MOST_BYTES)
        return TERN_OUT_OF_MEMORY;
    const uint64_t bytes = size ? rounded(size, HEAP_GRAIN) : HEAP_GRAIN;
    pthread_mutex_lock(&h->lock);
    h->stats.allocations++;
    /* what waits is also what cannot be joined with its neighbours: not too much of it */
    const bool many = h->waiting_bytes > WAITING_BYTES && h->waiting_bytes > h->stats.held / 64;
    enum tern_error e = many ? settle(h) : TERN_OK;
    struct block *b = e ? NULL : find_free(h, bytes);
    if (!b && !e && h->waiting && !(e = settle(h)))
        b = find_free(h, bytes);
    if (b)
        h->stats.hits++;
    else if (!e && !(e = grow(h, bytes)))
        b = find_free(h, bytes);
    if (b) {
        cut(h, b, bytes);
        b->state = BLOCK_USED;
        b->asked = size;
        set_name(b, name);
        struct block **slot = slot_of(h, b->address);
        b->hash_next = *slot;
        *slot = b;
        h->stats.used += b->bytes;
        if (h->stats.used > h->stats.peak_used)
            h->stats.peak_used = h->stats.used;
        *out = b->address;
    }
    pthread_mutex_unlock(&h->lock);
    return b ? TERN_OK : e ? e : TERN_OUT_OF_MEMORY;
}

enum tern_error heap_release(struct heap *h, uint64_t address)
{
    if (!address)
        return TERN_OK;
    pthread_mutex_lock(&h->lock);
    struct block **at = slot_of(h, address);
    while (*at && (*at)->address != address)
        at = &(*at)->hash_next;
    struct block *b = *at;
    if (b) {
        *at = b->hash_next;
        h->stats.used -= b->bytes;
        if (h->source.settle) {
            b->state = BLOCK_WAITING;
            b->free_next = h->waiting;
            h->waiting = b;
            h->waiting_bytes += b->bytes;
        } else {
            const bool large = b->chunk->bytes >= LARGE_BYTES;
            struct chunk *c = b->chunk;
            make_free(h, b);
            if (large && is_empty(c) && h->stats.held > h->stats.peak_used + SLACK_BYTES)
                give_back(h, h->stats.peak_used);
        }
    }
    pthread_mutex_unlock(&h->lock);
    return b ? TERN_OK : TERN_INVALID_ARGUMENT;
}

/* ---- the rest ---- */

enum tern_error heap_new(const struct heap_source *source, struct heap **out)
{
    struct heap *h = calloc(1, sizeof *h);
    *out = h;
    if (!h)
        return TERN_OUT_OF_MEMORY;
    h->source = *source;
    pthread_mutex_init(&h->lock, NULL);
    return TERN_OK;
}

void heap_free(struct heap *h)
{
    if (!h)
        return;
    for (struct chunk *c = h->chunks, *next; c; c = next) {
        next = c->next;
        for (struct block *b = c->first, *after; b; b = after) {
            after = b->next;
            free(b);
        }
        h->source.give(h->source.ctx, c->base, c->bytes);
        free(c);
    }
    while (h->spare) {
        struct block *b = h->spare;
        h->spare = b->next;
        free(b);
    }
    pthread_mutex_destroy(&h->lock);
    free(h);
}

struct heap_stats heap_stats(struct heap *h)
{
    pthread_mutex_lock(&h->lock);
    const struct heap_stats s = h->stats;
    pthread_mutex_unlock(&h->lock);
    return s;
}

bool heap_nearest(struct heap *h, uint64_t address, struct heap_found *out)
{
    const struct block *best = NULL;
    pthread_mutex_lock(&h->lock);
    for (const struct chunk *c = h->chunks; c; c = c->next)
        for (const struct block *b = c->first; b; b = b->next)
            if (b->state == BLOCK_USED && b->address <= address &&
                (!best || b->address > best->address))
                best = b;
    if (best) {
        *out = (struct heap_found){.address = best->address, .size = best->asked};
        memcpy(out->name, best->name, sizeof out->name);
    }
    pthread_mutex_unlock(&h->lock);
    return best != NULL;
}
