/* A pool of device memory: what devices allocate from, so that an allocation seldom asks the driver
 * or the operating system.
 *
 * Chunks are taken from a source, cut into blocks, and joined again when neighbours are free. */
#ifndef RT_HEAP_H
#define RT_HEAP_H

#include "base/base.h"

struct heap;

/* Where chunks come from. All functions are called with the heap's lock held. */
struct heap_source {
    void *ctx;
    uint64_t granule; /* chunks are multiples of this: what the source rounds to itself */
    enum tern_error (*take)(void *ctx, uint64_t bytes, uint64_t *address);
    void (*give)(void *ctx, uint64_t address, uint64_t bytes);
    /* Optional: waits until nothing uses freed memory any more. Where it is NULL, whoever frees has
     * waited. */
    enum tern_error (*settle)(void *ctx);
};

struct heap_stats {
    uint64_t allocations, hits; /* hits: did not need a chunk */
    uint64_t chunks;            /* taken so far */
    uint64_t held, peak_held;   /* bytes, from the source */
    uint64_t used, peak_used;   /* bytes, of allocations as rounded */
};

/* What lies at or before an address. */
struct heap_found {
    uint64_t address, size; /* as asked for */
    char name[32];
};

enum tern_error heap_new(const struct heap_source *source, struct heap **out);
void heap_free(struct heap *h); /* gives everything back */
/* align: at most HEAP_GRAIN. */
enum tern_error heap_alloc(struct heap *h, uint64_t size, uint32_t align, const char *name,
                           uint64_t *out);
enum tern_error heap_release(struct heap *h, uint64_t address);
struct heap_stats heap_stats(struct heap *h);
bool heap_nearest(struct heap *h, uint64_t address, struct heap_found *out);

enum { HEAP_GRAIN = 512 };

#endif
