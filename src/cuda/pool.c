/* Memory in stream order: cudaMallocAsync, cudaFreeAsync and their pools.
 *
 * Memory freed in a stream can be had again at once in the same stream, and elsewhere when the
 * stream has come so far. What lies free counts as reserved, and goes back to the device at the
 * next wait as far as it exceeds the pool's threshold. */
#include <stdlib.h>
#include "cuda/cuda_int.h"

struct piece { /* lies free, or will soon */
    struct piece *next;
    uint64_t at, size;
    unsigned long long stream; /* whose order it was freed in; 0: free for all */
    struct tern_event *freed;  /* reached: free for all */
};

struct CUmemPoolHandle_st {
    struct CUmemPoolHandle_st *next;
    struct tern_device *device;
    pthread_mutex_t lock;
    struct piece *pieces;
    uint64_t threshold, limit, reserved, reserved_high, used, used_high;
    int reuse[3]; /* the attributes of that name; kept, and followed as far as the order allows */
};

static struct {
    pthread_mutex_t lock;
    struct CUmemPoolHandle_st *pools;
    unsigned pieces; /* of all pools */
    struct CUmemPoolHandle_st *standard[CUDA_MAX_DEVICES], *current[CUDA_MAX_DEVICES];
    uint64_t of_graphs[CUDA_MAX_DEVICES], of_graphs_high[CUDA_MAX_DEVICES]; /* bytes */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { GRAIN = 512 };

/* ---- pools ---- */

static struct CUmemPoolHandle_st *make(struct tern_device *d, uint64_t limit)
{
    struct CUmemPoolHandle_st *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->device = d;
    p->limit = limit;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    pthread_mutex_init(&p->lock, NULL);
    p->next = table.pools;
    table.pools = p;
    return p;
}

static cudaError_t standard_pool(struct tern_device *d, bool current,
                                 struct CUmemPoolHandle_st **out)
{
    pthread_mutex_lock(&table.lock);
    if (!table.standard[d->ordinal])
        table.standard[d->ordinal] = make(d, 0);
    *out = current && table.current[d->ordinal] ? table.current[d->ordinal]
                                                : table.standard[d->ordinal];
    pthread_mutex_unlock(&table.lock);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

static bool is_pool(const struct CUmemPoolHandle_st *pool)
{
    pthread_mutex_lock(&table.lock);
    const struct CUmemPoolHandle_st *p = table.pools;
    while (p && p != pool)
        p = p->next;
    pthread_mutex_unlock(&table.lock);
    return p != NULL;
}

static void drop_piece(struct CUmemPoolHandle_st *p, struct piece **at)
{
    struct piece *x = *at;
    *at = x->next;
    __atomic_sub_fetch(&table.pieces, 1, __ATOMIC_RELAXED);
    if (x->freed)
        event_free(x->freed);
    p->device->rt.driver->free(p->device->rt.dev, x->at);
    p->reserved -= x->size;
    free(x);
}

static bool is_free(const struct piece *x)
{
    return !x->freed || event_query(x->freed) == TERN_OK;
}

static void trim(struct CUmemPoolHandle_st *p, uint64_t keep)
{
    for (struct piece **at = &p->pieces; *at && p->reserved > keep;)
        if (is_free(*at))
            drop_piece(p, at);
        else
            at = &(*at)->next;
}

void cuda_pools_settle(struct tern_device *d)
{
    if (!__atomic_load_n(&table.pieces, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&table.lock);
    for (struct CUmemPoolHandle_st *p = table.pools; p; p = p->next) {
        if (p->device != d)
            continue;
        pthread_mutex_lock(&p->lock);
        trim(p, cuda_check() ? 0 : p->threshold); /* nobody has it again */
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_unlock(&table.lock);
}

/* The device is about to close. */
void cuda_pools_forget(struct tern_device *d)
{
    pthread_mutex_lock(&table.lock);
    for (struct CUmemPoolHandle_st *p = table.pools; p; p = p->next)
        if (p->device == d) {
            while (p->pieces)
                drop_piece(p, &p->pieces);
            p->reserved = p->used = 0;
        }
    pthread_mutex_unlock(&table.lock);
}

/* ---- allocation ---- */

/* The smallest piece that fits without wasting more than an eighth, or a page. */
static struct piece **find_piece(struct CUmemPoolHandle_st *p, uint64_t size,
                                 const struct tern_stream *s)
{
    struct piece **best = NULL;
    if (cuda_check()) /* who uses it after it was freed is found out where nobody has it again */
        return NULL;
    for (struct piece **at = &p->pieces; *at; at = &(*at)->next)
        if ((*at)->size >= size && (*at)->size - size <= size / 8 + 4096 &&
            (!best || (*at)->size < (*best)->size) && ((*at)->stream == s->id || is_free(*at)))
            best = at;
    return best;
}

static cudaError_t take(struct CUmemPoolHandle_st *p, uint64_t size, const struct tern_stream *s,
                        uint64_t *at, uint64_t *whole)
{
    struct tern_device *d = p->device;
    size = (size + GRAIN - 1) / GRAIN * GRAIN;
    struct piece **found = find_piece(p, size, s);
    if (found) {
        struct piece *x = *found;
        *found = x->next;
        __atomic_sub_fetch(&table.pieces, 1, __ATOMIC_RELAXED);
        *at = x->at;
        *whole = x->size;
        if (x->freed)
            event_free(x->freed);
        free(x);
    } else {
        if (p->limit && p->reserved + size > p->limit)
            trim(p, p->limit > size ? p->limit - size : 0);
        if (p->limit && p->reserved + size > p->limit)
            return cudaErrorMemoryAllocation;
        device_use(d);
        enum tern_error e = d->rt.driver->alloc(d->rt.dev, size, 256, NULL, at);
        if (e == TERN_OUT_OF_MEMORY) { /* what lies free may be in the way */
            trim(p, 0);
            e = d->rt.driver->alloc(d->rt.dev, size, 256, NULL, at);
        }
        if (e)
            return cuda_from(device_check(d, e));
        *whole = size;
        p->reserved += size;
        if (p->reserved > p->reserved_high)
            p->reserved_high = p->reserved;
    }
    p->used += *whole;
    if (p->used > p->used_high)
        p->used_high = p->used;
    return cudaSuccess;
}

cudaError_t cuda_pool_return(const struct cuda_range *r, struct tern_stream *s)
{
    struct CUmemPoolHandle_st *p = r->pool;
    const uint64_t whole = (r->size + GRAIN - 1) / GRAIN * GRAIN;
    struct piece *x = malloc(sizeof *x);
    cudaError_t e = x ? cudaSuccess : cudaErrorMemoryAllocation;
    if (x)
        *x = (struct piece){.at = r->at, .size = whole};
    if (x && s) {
        x->stream = s->id;
        e = cuda_from(event_new(p->device, 0, &x->freed));
        if (e == cudaSuccess)
            e = cuda_from(event_record(x->freed, s));
        if (e == cudaSuccess && cuda_check())
            check_free_in(cuda_check(), s->queue, r->at);
    }
    pthread_mutex_lock(&p->lock);
    p->used -= whole;
    if (e == cudaSuccess) {
        x->next = p->pieces;
        p->pieces = x;
        __atomic_add_fetch(&table.pieces, 1, __ATOMIC_RELAXED);
        if (!s)
            trim(p, p->threshold);
    } else { /* no memory to remember it by: it goes back to the device */
        if (x && x->freed)
            event_free(x->freed);
        free(x);
        device_wait(p->device);
        e = cuda_from(p->device->rt.driver->free(p->device->rt.dev, r->at));
        p->reserved -= whole;
    }
    pthread_mutex_unlock(&p->lock);
    return e;
}

static void count_graph_memory(const void *p, bool more)
{
    struct cuda_range r;
    if (!cuda_find_range(p, 0, &r))
        return;
    pthread_mutex_lock(&table.lock);
    uint64_t *bytes = &table.of_graphs[r.device], *high = &table.of_graphs_high[r.device];
    *bytes = more ? *bytes + r.size : *bytes - r.size;
    *high = *bytes > *high ? *bytes : *high;
    pthread_mutex_unlock(&table.lock);
}

static void free_graph_memory(void *arg)
{
    count_graph_memory(arg, false);
    cuda_release(arg, true);
}

cudaError_t cuda_graph_memory(struct tern_graph *g, size_t size, void **p)
{
    cudaError_t e = cuda_allocate(p, size, CUDA_DEVICE, CUDA_OF_GRAPH);
    if (e == cudaSuccess) {
        e = cuda_from(graph_retain(g, free_graph_memory, *p));
        if (e != cudaSuccess)
            cuda_release(*p, true);
        else
            count_graph_memory(*p, true);
    }
    return e;
}

/* What graphs hold is in use as long as they are there: used and reserved are the same. */
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return cuda_return(cudaErrorInvalidValue);
    const cudaError_t e = cuda_device_at(device, &d);
    if (e != cudaSuccess)
        return cuda_return(e);
    const bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    pthread_mutex_lock(&table.lock);
    *(uint64_t *)value = (high ? table.of_graphs_high : table.of_graphs)[device];
    pthread_mutex_unlock(&table.lock);
    return cudaSuccess;
}

/* The high-water marks can be set to 0: they start anew. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const bool high =
        attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    if (!value || !high || *(uint64_t *)value)
        return cuda_return(cudaErrorInvalidValue);
    const cudaError_t e = cuda_device_at(device, &d);
    if (e != cudaSuccess)
        return cuda_return(e);
    pthread_mutex_lock(&table.lock);
    table.of_graphs_high[device] = table.of_graphs[device];
    pthread_mutex_unlock(&table.lock);
    return cudaSuccess;
}

/* In a captured stream the memory belongs to the graph, from now until the graph is gone. */
static cudaError_t allocate_captured(void **p, size_t size, struct tern_stream *s)
{
    cudaError_t e = cuda_graph_memory(s->capture->graph, size, p);
    if (e != cudaSuccess)
        return e;
    struct work w = {.kind = WORK_ALLOC,
                     .device = s->device,
                     .memory = {.address = (uint64_t)(uintptr_t)*p, .size = size}};
    return cuda_from(work_submit(s, &w));
}

static cudaError_t allocate(void **out, size_t size, struct CUmemPoolHandle_st *p,
                            cudaStream_t stream)
{
    struct tern_stream *s;
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e == cudaSuccess && !p)
        e = standard_pool(s->device, true, &p);
    if (e != cudaSuccess || !size)
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    if (size > UINT64_MAX / 2)
        return cudaErrorMemoryAllocation;
    if (s->capture)
        return allocate_captured(out, size, s);
    uint64_t at = 0, whole = 0;
    pthread_mutex_lock(&p->lock);
    e = take(p, size, s, &at, &whole);
    pthread_mutex_unlock(&p->lock);
    if (e != cudaSuccess)
        return e;
    struct cuda_range r = {.at = at,
                           .size = whole,
                           .kind = CUDA_DEVICE,
                           .device = cuda_ordinal_of(p->device),
                           .pool = p};
    if (!cuda_remember(&r)) {
        cuda_pool_return(&r, s);
        return cudaErrorMemoryAllocation;
    }
    *out = (void *)(uintptr_t)at;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(allocate(p, size, NULL, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(is_pool(pool) ? allocate(p, size, pool, stream) : cudaErrorInvalidValue);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    struct cuda_range r;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e != cudaSuccess || !p) /* null is freed as by cudaFree */
        return cuda_return(e);
    if (!cuda_find_range(p, 0, &r) || r.at != (uint64_t)(uintptr_t)p || r.kind != CUDA_DEVICE ||
        r.flags & CUDA_NOT_OURS) {
        if (cuda_check())
            check_bad_free(cuda_check(), (uint64_t)(uintptr_t)p, "cudaFreeAsync");
        return cuda_return(cudaErrorInvalidValue);
    }
    if (s->capture || r.flags & CUDA_OF_GRAPH) {
        struct work w = {
            .kind = WORK_FREE, .device = s->device, .memory = {.address = r.at, .size = r.size}};
        return cuda_return(r.flags & CUDA_OF_GRAPH ? cuda_from(work_submit(s, &w))
                                                   : cudaErrorInvalidValue);
    }
    if (!r.pool)
        return cuda_return(cuda_release(p, false));
    if (!cuda_forget(p, &r))
        return cuda_return(cudaErrorInvalidValue);
    return cuda_return(cuda_pool_return(&r, s));
}

/* ---- the API of pools ---- */

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    cudaError_t e = pool ? cuda_device_at(device, &d) : cudaErrorInvalidValue;
    return cuda_return(e != cudaSuccess ? e : standard_pool(d, false, pool));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    cudaError_t e = pool ? cuda_device_at(device, &d) : cudaErrorInvalidValue;
    return cuda_return(e != cudaSuccess ? e : standard_pool(d, true, pool));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    cudaError_t e = cuda_device_at(device, &d);
    if (e == cudaSuccess && (!is_pool(pool) || pool->device != d))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess) {
        pthread_mutex_lock(&table.lock);
        table.current[d->ordinal] = pool;
        pthread_mutex_unlock(&table.lock);
    }
    return cuda_return(e);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
        props->location.type != cudaMemLocationTypeDevice)
        return cuda_return(cudaErrorInvalidValue);
    if (props->handleTypes != cudaMemHandleTypeNone)
        return cuda_return(cudaErrorNotSupported); /* memory is not shared between processes */
    cudaError_t e = cuda_device_at(props->location.id, &d);
    if (e != cudaSuccess)
        return cuda_return(e);
    pthread_mutex_lock(&table.lock);
    *pool = make(d, props->maxSize);
    pthread_mutex_unlock(&table.lock);
    return cuda_return(*pool ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    PROF_CALL(__func__);
    if (!is_pool(pool) || pool == table.standard[pool->device->ordinal] || pool->used)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_wait_all(pool->device);
    pthread_mutex_lock(&table.lock);
    struct CUmemPoolHandle_st **at = &table.pools;
    while (*at != pool)
        at = &(*at)->next;
    *at = pool->next;
    if (table.current[pool->device->ordinal] == pool)
        table.current[pool->device->ordinal] = NULL;
    pthread_mutex_unlock(&table.lock);
    while (pool->pieces)
        drop_piece(pool, &pool->pieces);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
    return cuda_return(e);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    PROF_CALL(__func__);
    if (!is_pool(pool))
        return cuda_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&pool->lock);
    trim(pool, keep);
    pthread_mutex_unlock(&pool->lock);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    PROF_CALL(__func__);
    if (!is_pool(pool) || !value)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cudaSuccess;
    pthread_mutex_lock(&pool->lock);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
        break;
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = pool->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: *(uint64_t *)value = pool->reserved; break;
    case cudaMemPoolAttrReservedMemHigh: *(uint64_t *)value = pool->reserved_high; break;
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; break;
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->used_high; break;
    default: e = cudaErrorInvalidValue;
    }
    pthread_mutex_unlock(&pool->lock);
    return cuda_return(e);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    PROF_CALL(__func__);
    if (!is_pool(pool) || !value)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cudaSuccess;
    pthread_mutex_lock(&pool->lock);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(int *)value;
        break;
    case cudaMemPoolAttrReleaseThreshold: pool->threshold = *(uint64_t *)value; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        if (*(uint64_t *)value)
            e = cudaErrorInvalidValue; /* the marks can only be set back */
        else if (attribute == cudaMemPoolAttrUsedMemHigh)
            pool->used_high = pool->used;
        else
            pool->reserved_high = pool->reserved;
        break;
    default: e = cudaErrorInvalidValue;
    }
    pthread_mutex_unlock(&pool->lock);
    return cuda_return(e);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if (!flags || !location || !is_pool(pool) || location->type != cudaMemLocationTypeDevice)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_device_at(location->id, &d);
    if (e == cudaSuccess)
        *flags = d == pool->device ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cuda_return(e);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count)
{
    PROF_CALL(__func__);
    if (!is_pool(pool) || (count && !list))
        return cuda_return(cudaErrorInvalidValue);
    for (size_t k = 0; k < count; k++) {
        struct tern_device *d;
        cudaError_t e = list[k].location.type == cudaMemLocationTypeDevice
                            ? cuda_device_at(list[k].location.id, &d)
                            : cudaErrorInvalidValue;
        if (e != cudaSuccess)
            return cuda_return(e);
        const bool own = d == pool->device;
        if (own != (list[k].flags == cudaMemAccessFlagsProtReadWrite))
            return cuda_return(own ? cudaErrorInvalidValue : cudaErrorNotSupported);
    }
    return cudaSuccess;
}
