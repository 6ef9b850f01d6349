/* A pool over the driver's allocations.
 *
 * Chunks are taken from the driver, cut into blocks, and joined again when neighbours are free.
 * Freed memory may still be in use by work that was submitted before: it waits on a list until the
 * next allocation that would otherwise ask the driver, or until it is too much, which waits for the
 * device once and makes all of it available. That is the wait that freeing through the driver would
 * have cost each time. Requests from 32 MiB on get a chunk of their own size, which is given back
 * to the driver when it does not fit the next one.
 *
 * The best fit is taken, the lowest address among equals. Small requests have chunks of their own:
 * between large ones they would cut holes that nothing large fits into again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rt/dev/cuda/cuda_int.h"

#define GRAIN         512u
#define SMALL_BYTES   (UINT64_C(64) << 10)
#define CHUNK_BYTES   (UINT64_C(2) << 20)
#define MANY_BYTES    (UINT64_C(32) << 20) /* a pool that holds these grows by two chunks */
#define LARGE_BYTES   (UINT64_C(32) << 20)
#define WAITING_BYTES (UINT64_C(2) << 20)

enum block_state { BLOCK_USED, BLOCK_WAITING, BLOCK_FREE };

struct block {
    struct block *prev, *next;           /* in its chunk, by address; all blocks in one list */
    struct block *free_prev, *free_next; /* FREE: the bin's list; WAITING: the waiting list */
    struct block *hash_next;             /* USED: by address */
    struct chunk *chunk;
    dev_ptr address;
    uint64_t bytes, asked;
    enum block_state state;
    char name[32];
};

struct chunk {
    struct chunk *prev, *next;
    dev_ptr base;
    uint64_t bytes;
    struct block *first;
    bool small; /* for requests of SMALL_BYTES at most */
};

enum { BINS = 40, SLOTS = 1024 };

struct cuda_pool {
    pthread_mutex_t lock;
    struct chunk *chunks;
    struct block *bins[2][BINS]; /* by kind of chunk: free blocks of 2^k grains and more */
    struct block *waiting;
    uint64_t waiting_bytes;
    struct block *used[SLOTS];
    struct cuda_pool_stats stats;
};

static unsigned bin_of(uint64_t bytes)
{
    unsigned k = 0;
    for (uint64_t n = bytes / GRAIN; n > 1 && k < BINS - 1; n >>= 1)
        k++;
    return k;
}

static struct block **slot_of(struct cuda_pool *p, dev_ptr a)
{
    return &p->used[a / GRAIN * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

static void bin_add(struct cuda_pool *p, struct block *b)
{
    struct block **bin = &p->bins[b->chunk->small][bin_of(b->bytes)];
    b->state = BLOCK_FREE;
    b->free_prev = NULL;
    b->free_next = *bin;
    if (*bin)
        (*bin)->free_prev = b;
    *bin = b;
}

static void bin_remove(struct cuda_pool *p, struct block *b)
{
    if (b->free_prev)
        b->free_prev->free_next = b->free_next;
    else
        p->bins[b->chunk->small][bin_of(b->bytes)] = b->free_next;
    if (b->free_next)
        b->free_next->free_prev = b->free_prev;
}

/* Joins b with free neighbours and puts the whole into its bin. */
static void make_free(struct cuda_pool *p, struct block *b)
{
    struct block *n = b->next;
    if (n && n->state == BLOCK_FREE) {
        bin_remove(p, n);
        b->bytes += n->bytes;
        b->next = n->next;
        if (n->next)
            n->next->prev = b;
        free(n);
    }
    struct block *q = b->prev;
    if (q && q->state == BLOCK_FREE) {
        bin_remove(p, q);
        q->bytes += b->bytes;
        q->next = b->next;
        if (b->next)
            b->next->prev = q;
        free(b);
        b = q;
    }
    bin_add(p, b);
}

static bool fits_better(const struct block *a, const struct block *b)
{
    return a->bytes != b->bytes ? a->bytes < b->bytes : a->address < b->address;
}

/* The smallest block that fits, within a few steps of each bin. */
static struct block *find_free(struct cuda_pool *p, uint64_t bytes)
{
    struct block **bins = p->bins[bytes <= SMALL_BYTES];
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

static bool is_whole(const struct block *b)
{
    return !b->prev && !b->next;
}

static void drop_chunk(struct dev *d, struct cuda_pool *p, struct chunk *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        p->chunks = c->next;
    if (c->next)
        c->next->prev = c->prev;
    d->api.mem_free(c->base);
    p->stats.driver_bytes -= c->bytes;
    free(c->first);
    free(c);
}

/* Gives chunks that nothing lies in back to the driver. */
static bool give_back(struct dev *d, struct cuda_pool *p)
{
    bool any = false;
    for (struct chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        if (c->first->state == BLOCK_FREE && is_whole(c->first)) {
            bin_remove(p, c->first);
            drop_chunk(d, p, c);
            any = true;
        }
    }
    return any;
}

static cuda_result add_chunk(struct dev *d, struct cuda_pool *p, uint64_t bytes, bool small)
{
    struct chunk *c = calloc(1, sizeof *c);
    struct block *b = calloc(1, sizeof *b);
    cuda_ptr base = 0;
    cuda_result r = c && b ? d->api.mem_alloc(&base, bytes) : 2;
    if (r) {
        free(c);
        free(b);
        return r;
    }
    *b = (struct block){.chunk = c, .address = base, .bytes = bytes};
    *c =
        (struct chunk){.base = base, .bytes = bytes, .first = b, .next = p->chunks, .small = small};
    if (p->chunks)
        p->chunks->prev = c;
    p->chunks = c;
    p->stats.driver_allocations++;
    p->stats.driver_bytes += bytes;
    if (p->stats.driver_bytes > p->stats.peak_driver)
        p->stats.peak_driver = p->stats.driver_bytes;
    bin_add(p, b);
    return 0;
}

/* Everything freed so far can be used again once the device is idle. */
static cuda_result settle(struct dev *d, struct cuda_pool *p)
{
    if (!p->waiting)
        return 0;
    cuda_result r = d->api.ctx_sync();
    if (r)
        return r;
    while (p->waiting) {
        struct block *b = p->waiting;
        p->waiting = b->free_next;
        p->waiting_bytes -= b->bytes;
        make_free(p, b);
    }
    return 0;
}

static cuda_result grow(struct dev *d, struct cuda_pool *p, uint64_t bytes)
{
    const bool small = bytes <= SMALL_BYTES;
    uint64_t want = CHUNK_BYTES << (!small && p->stats.driver_bytes >= MANY_BYTES);
    if (bytes >= LARGE_BYTES)
        want = (bytes + (UINT64_C(2) << 20) - 1) >> 21 << 21;
    else
        while (want < bytes)
            want *= 2;
    cuda_result r = add_chunk(d, p, want, small);
    if (r != 2)
        return r;
    /* no memory: what lies idle goes back first, and the request gets no more than it asked for */
    if (give_back(d, p) || want > bytes)
        r = add_chunk(d, p, bytes, small);
    return r;
}

enum tern_error cuda_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                           dev_ptr *out)
{
    struct cuda_pool *p = d->pool;
    *out = 0;
    enum tern_error e = cuda_enter(d);
    if (e)
        return e;
    if (align > GRAIN || size > UINT64_C(1) << 46)
        return size > UINT64_C(1) << 46 ? TERN_OUT_OF_MEMORY : TERN_INVALID_ARGUMENT;
    uint64_t bytes = (size + GRAIN - 1) / GRAIN * GRAIN;
    if (!bytes)
        bytes = GRAIN;
    pthread_mutex_lock(&p->lock);
    /* what waits is also what cannot be joined with its neighbours: not too much of it */
    bool many = p->waiting_bytes > WAITING_BYTES && p->waiting_bytes > p->stats.driver_bytes / 64;
    cuda_result r = many ? settle(d, p) : 0;
    struct block *b = r ? NULL : find_free(p, bytes);
    if (!b && !r && !(r = settle(d, p)))
        b = find_free(p, bytes);
    if (!b && !r && !(r = grow(d, p, bytes)))
        b = find_free(p, bytes);
    if (b) {
        struct block *rest = b->bytes > bytes ? calloc(1, sizeof *rest) : NULL;
        bin_remove(p, b);
        if (rest) {
            *rest = (struct block){.prev = b,
                                   .next = b->next,
                                   .chunk = b->chunk,
                                   .address = b->address + bytes,
                                   .bytes = b->bytes - bytes};
            if (b->next)
                b->next->prev = rest;
            b->next = rest;
            b->bytes = bytes;
            bin_add(p, rest);
        }
        b->state = BLOCK_USED;
        b->asked = size;
        snprintf(b->name, sizeof b->name, "%s", name ? name : "");
        struct block **slot = slot_of(p, b->address);
        b->hash_next = *slot;
        *slot = b;
        p->stats.used_bytes += b->bytes;
        if (p->stats.used_bytes > p->stats.peak_used)
            p->stats.peak_used = p->stats.used_bytes;
        *out = b->address;
    }
    pthread_mutex_unlock(&p->lock);
    if (!b)
        return r ? cuda_check(d, r, "allocating memory") : TERN_OUT_OF_MEMORY;
    return TERN_OK;
}

enum tern_error cuda_free(struct dev *d, dev_ptr a)
{
    struct cuda_pool *p = d->pool;
    if (!a)
        return TERN_OK;
    pthread_mutex_lock(&p->lock);
    struct block **at = slot_of(p, a);
    while (*at && (*at)->address != a)
        at = &(*at)->hash_next;
    struct block *b = *at;
    if (b) {
        *at = b->hash_next;
        b->state = BLOCK_WAITING;
        b->free_next = p->waiting;
        p->waiting = b;
        p->waiting_bytes += b->bytes;
        p->stats.used_bytes -= b->bytes;
    }
    pthread_mutex_unlock(&p->lock);
    return b ? TERN_OK : TERN_INVALID_ARGUMENT;
}

struct cuda_pool_stats cuda_pool_stats(struct dev *d)
{
    pthread_mutex_lock(&d->pool->lock);
    struct cuda_pool_stats s = d->pool->stats;
    pthread_mutex_unlock(&d->pool->lock);
    return s;
}

void cuda_describe(struct dev *d, dev_ptr a, char *out, size_t n)
{
    struct cuda_pool *p = d->pool;
    struct block *near = NULL;
    pthread_mutex_lock(&p->lock);
    for (size_t k = 0; k < SLOTS; k++)
        for (struct block *b = p->used[k]; b; b = b->hash_next)
            if (b->address <= a && (!near || b->address > near->address))
                near = b;
    if (near)
        snprintf(out, n, "%s (%llu bytes at 0x%llx)", near->name[0] ? near->name : "an allocation",
                 (unsigned long long)near->asked, (unsigned long long)near->address);
    else
        snprintf(out, n, "no allocation");
    pthread_mutex_unlock(&p->lock);
}

enum tern_error cuda_pool_new(struct dev *d)
{
    struct cuda_pool *p = calloc(1, sizeof *p);
    if (!p)
        return TERN_OUT_OF_MEMORY;
    pthread_mutex_init(&p->lock, NULL);
    d->pool = p;
    return TERN_OK;
}

void cuda_pool_free(struct dev *d)
{
    struct cuda_pool *p = d->pool;
    if (!p)
        return;
    for (struct chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        for (struct block *b = c->first, *after; b; b = after) {
            after = b->next;
            free(b);
        }
        d->api.mem_free(c->base);
        free(c);
    }
    pthread_mutex_destroy(&p->lock);
    free(p);
    d->pool = NULL;
}
