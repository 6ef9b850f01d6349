/* malloc and free of kernels: the C library's, within the limit that the program has set, and with
 * a table of what is alive, so that a kernel that frees what is not gets an error, not the process
 * an abort. */
#include <stdlib.h>
#include "rt/dev/cpu/cpu_int.h"

enum { FIRST_SLOTS = 256 };

struct piece {
    void *at; /* NULL: the slot was never used; REMOVED: its piece is gone */
    uint64_t size;
};
#define REMOVED ((void *)-1)

struct cpu_device_heap {
    pthread_mutex_t lock;
    struct piece *pieces; /* open addressing */
    size_t slots, used;   /* a power of two; with those that are removed */
    uint64_t bytes, limit;
};

struct cpu_device_heap *cpu_device_heap_new(uint64_t limit)
{
    struct cpu_device_heap *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    pthread_mutex_init(&h->lock, NULL);
    h->limit = limit;
    return h;
}

void cpu_device_heap_free(struct cpu_device_heap *h)
{
    if (!h)
        return;
    for (size_t k = 0; k < h->slots; k++)
        if (h->pieces[k].at != REMOVED)
            free(h->pieces[k].at);
    free(h->pieces);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

void cpu_device_heap_limit(struct cpu_device_heap *h, uint64_t limit)
{
    pthread_mutex_lock(&h->lock);
    h->limit = limit;
    pthread_mutex_unlock(&h->lock);
}

static size_t slot_of(const void *p)
{
    const uint64_t x = (uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(x ^ x >> 29);
}

static void put(struct cpu_device_heap *h, struct piece what)
{
    size_t k = slot_of(what.at);
    while (h->pieces[k & (h->slots - 1)].at)
        k++;
    h->pieces[k & (h->slots - 1)] = what;
    h->used++;
}

static bool has_room(struct cpu_device_heap *h)
{
    if (2 * (h->used + 1) <= h->slots)
        return true;
    struct piece *old = h->pieces;
    const size_t n = h->slots, slots = n ? 2 * n : FIRST_SLOTS;
    struct piece *fresh = calloc(slots, sizeof *fresh);
    if (!fresh)
        return false;
    h->pieces = fresh;
    h->slots = slots;
    h->used = 0;
    for (size_t k = 0; k < n; k++)
        if (old[k].at && old[k].at != REMOVED)
            put(h, old[k]);
    free(old);
    return true;
}

void *cpu_device_malloc(struct cpu_device_heap *h, uint64_t size)
{
    void *p = NULL;
    pthread_mutex_lock(&h->lock);
    if (size && size <= h->limit && h->bytes <= h->limit - size && has_room(h))
        p = malloc(size);
    if (p) {
        put(h, (struct piece){p, size});
        h->bytes += size;
    }
    pthread_mutex_unlock(&h->lock);
    return p;
}

bool cpu_device_free(struct cpu_device_heap *h, void *p)
{
    struct piece *found = NULL;
    pthread_mutex_lock(&h->lock);
    for (size_t k = slot_of(p); h->slots; k++) {
        struct piece *at = &h->pieces[k & (h->slots - 1)];
        if (at->at == p)
            found = at;
        if (found || !at->at)
            break;
    }
    if (found) {
        h->bytes -= found->size;
        found->at = REMOVED;
    }
    pthread_mutex_unlock(&h->lock);
    if (found)
        free(p);
    return found != NULL;
}
