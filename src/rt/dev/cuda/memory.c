/* Memory: the pool of rt/heap.h over the driver's allocations. Freed memory may still be in use by
 * work that was submitted before: the pool waits for the device before it uses it again. */
#include <stdio.h>
#include <stdlib.h>
#include "rt/dev/cuda/nvidia_int.h"
#include "rt/heap.h"

static enum tern_error take(void *ctx, uint64_t bytes, uint64_t *address)
{
    struct dev *d = ctx;
    nv_ptr base = 0;
    const nv_result r = d->api.mem_alloc(&base, bytes);
    *address = base;
    return r == 2 ? TERN_OUT_OF_MEMORY : r ? nv_check(d, r, "allocating memory") : TERN_OK;
}

static void give(void *ctx, uint64_t address, uint64_t bytes)
{
    struct dev *d = ctx;
    (void)bytes;
    d->api.mem_free(address);
}

static enum tern_error settle(void *ctx)
{
    struct dev *d = ctx;
    const nv_result r = nv_wait_queues(d);
    return r ? nv_check(d, r, "waiting for the device") : TERN_OK;
}

enum tern_error nv_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                         dev_ptr *out)
{
    *out = 0;
    const enum tern_error e = nv_enter(d);
    return e ? e : heap_alloc(d->pool, size, align, name, out);
}

/* ---- managed memory: the driver's own, listed so that it can be freed ---- */
struct nv_managed {
    struct nv_managed *next;
    dev_ptr at;
    unsigned made;
};

enum tern_error nv_managed_alloc(struct dev *d, uint64_t size, dev_ptr *out)
{
    enum { EVERYWHERE = 1 };
    *out = 0;
    enum tern_error e = nv_enter(d);
    if (e)
        return e;
    struct nv_managed *m = calloc(1, sizeof *m);
    nv_ptr p = 0;
    nv_result r = m ? d->api.managed_alloc(&p, size ? size : 1, EVERYWHERE) : 2;
    if (r) {
        free(m);
        return nv_check(d, r, "allocating managed memory");
    }
    pthread_mutex_lock(&d->lock);
    *m = (struct nv_managed){d->managed, p, d->made};
    d->managed = m;
    pthread_mutex_unlock(&d->lock);
    *out = p;
    return TERN_OK;
}

bool nv_is_managed(struct dev *d, dev_ptr p)
{
    pthread_mutex_lock(&d->lock);
    const struct nv_managed *m = d->managed;
    while (m && m->at != p)
        m = m->next;
    pthread_mutex_unlock(&d->lock);
    return m;
}

static enum tern_error managed_free(struct dev *d, dev_ptr a)
{
    pthread_mutex_lock(&d->lock);
    struct nv_managed **at = &d->managed;
    while (*at && (*at)->at != a)
        at = &(*at)->next;
    struct nv_managed *m = *at;
    if (m)
        *at = m->next;
    pthread_mutex_unlock(&d->lock);
    if (!m)
        return TERN_INVALID_ARGUMENT;
    const unsigned made = m->made;
    free(m);
    enum tern_error e = nv_enter_with(d, made);
    return e ? e : nv_check(d, d->api.mem_free(a), "freeing managed memory");
}

static void managed_drop(struct dev *d)
{
    while (d->managed)
        managed_free(d, d->managed->at);
}

enum tern_error nv_free(struct dev *d, dev_ptr a)
{
    const enum tern_error e = heap_release(d->pool, a);
    return a && e == TERN_INVALID_ARGUMENT ? managed_free(d, a) : e;
}

struct nv_pool_stats nv_pool_stats(struct dev *d)
{
    const struct heap_stats s = heap_stats(d->pool);
    return (struct nv_pool_stats){.driver_allocations = s.chunks,
                                  .driver_bytes = s.held,
                                  .used_bytes = s.used,
                                  .peak_used = s.peak_used,
                                  .peak_driver = s.peak_held};
}

enum tern_error nv_pool_new(struct dev *d)
{
    const struct heap_source source = {
        .ctx = d, .granule = UINT64_C(2) << 20, .take = take, .give = give, .settle = settle};
    return heap_new(&source, &d->pool);
}

void nv_pool_free(struct dev *d)
{
    managed_drop(d);
    heap_free(d->pool);
    d->pool = NULL;
}
