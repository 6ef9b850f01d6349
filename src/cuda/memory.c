/* Memory: allocations, copies, fills, symbols.
 *
 * Every allocation is remembered with its kind, so that a pointer can be told apart
 * (cudaMemcpyDefault, cudaPointerGetAttributes) and a wrong one is an error instead of a crash. */
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_int.h"

/* ---- what has been allocated ---- */

static struct {
    pthread_mutex_t lock;
    struct cuda_range *ranges; /* sorted by address */
    size_t n, cap;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t first_above(uint64_t at)
{
    size_t low = 0, high = table.n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (table.ranges[mid].at > at)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool remember(uint64_t at, uint64_t size, enum cuda_kind kind, int device, unsigned flags)
{
    pthread_mutex_lock(&table.lock);
    bool ok = true;
    if (table.n == table.cap) {
        size_t cap = table.cap ? 2 * table.cap : 64;
        struct cuda_range *grown = realloc(table.ranges, cap * sizeof *grown);
        ok = grown != NULL;
        if (ok) {
            table.ranges = grown;
            table.cap = cap;
        }
    }
    if (ok) {
        size_t k = first_above(at);
        memmove(table.ranges + k + 1, table.ranges + k, (table.n - k) * sizeof *table.ranges);
        table.ranges[k] = (struct cuda_range){at, size, kind, device, flags};
        table.n++;
    }
    pthread_mutex_unlock(&table.lock);
    return ok;
}

/* Takes the range that starts at p out of the table. */
static bool forget(const void *p, struct cuda_range *out)
{
    pthread_mutex_lock(&table.lock);
    size_t k = first_above((uint64_t)(uintptr_t)p);
    bool ok = k && table.ranges[k - 1].at == (uint64_t)(uintptr_t)p;
    if (ok) {
        *out = table.ranges[k - 1];
        memmove(table.ranges + k - 1, table.ranges + k, (table.n - k) * sizeof *table.ranges);
        table.n--;
    }
    pthread_mutex_unlock(&table.lock);
    return ok;
}

bool cuda_find_range(const void *p, uint64_t size, struct cuda_range *out)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    pthread_mutex_lock(&table.lock);
    size_t k = first_above(at);
    bool ok = k &&
              at - table.ranges[k - 1].at < table.ranges[k - 1].size + !table.ranges[k - 1].size &&
              size <= table.ranges[k - 1].size - (at - table.ranges[k - 1].at);
    if (ok)
        *out = table.ranges[k - 1];
    pthread_mutex_unlock(&table.lock);
    return ok;
}

void cuda_forget_ranges(int device)
{
    pthread_mutex_lock(&table.lock);
    size_t n = 0;
    for (size_t k = 0; k < table.n; k++)
        if (table.ranges[k].kind == CUDA_HOST || table.ranges[k].kind == CUDA_REGISTERED ||
            table.ranges[k].device != device)
            table.ranges[n++] = table.ranges[k];
    table.n = n;
    pthread_mutex_unlock(&table.lock);
}

/* ---- allocation ---- */

static cudaError_t allocate(void **p, size_t size, enum cuda_kind kind, unsigned flags)
{
    struct cuda_device *d;
    dev_ptr at;
    if (!p)
        return cudaErrorInvalidValue;
    *p = NULL;
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess || !size)
        return e;
    if (kind == CUDA_MANAGED && !(d->info.flags & DEV_HOST_MEMORY))
        return cudaErrorNotSupported;
    e = cuda_from(d, d->rt.driver->alloc(d->rt.dev, size, 256, NULL, &at));
    if (e == cudaSuccess && !remember(at, size, kind, d->ordinal, flags)) {
        d->rt.driver->free(d->rt.dev, at);
        e = cudaErrorMemoryAllocation;
    }
    if (e == cudaSuccess)
        *p = (void *)(uintptr_t)at;
    return e;
}

cudaError_t cudaMalloc(void **p, size_t size)
{
    return cuda_return(allocate(p, size, CUDA_DEVICE, 0));
}

cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream)
{
    struct cuda_device *d;
    struct CUstream_st *s;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_stream(d, stream, &s);
    return cuda_return(e != cudaSuccess ? e : allocate(p, size, CUDA_DEVICE, 0));
}

cudaError_t cudaMallocManaged(void **p, size_t size, unsigned int flags)
{
    if (!size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cuda_return(cudaErrorInvalidValue);
    return cuda_return(allocate(p, size, CUDA_MANAGED, flags));
}

/* Waits for the device first: work that still uses the memory must not see it go. */
cudaError_t cudaFree(void *p)
{
    struct cuda_device *d;
    struct cuda_range r;
    if (!p)
        return cuda_return(cuda_start());
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess)
        return cuda_return(e);
    if (!cuda_find_range(p, 0, &r) || r.at != (uint64_t)(uintptr_t)p ||
        (r.kind != CUDA_DEVICE && r.kind != CUDA_MANAGED))
        return cuda_return(cudaErrorInvalidValue);
    e = cuda_device_at(r.device, &d);
    if (e == cudaSuccess) {
        pthread_mutex_lock(&d->lock);
        e = cuda_wait_all(d);
        pthread_mutex_unlock(&d->lock);
    }
    if (!forget(p, &r))
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t freed = cuda_from(d, d->rt.driver->free(d->rt.dev, r.at));
    return cuda_return(e != cudaSuccess ? e : freed);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
    struct cuda_device *d;
    struct CUstream_st *s;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_stream(d, stream, &s);
    return e != cudaSuccess ? cuda_return(e) : cudaFree(p);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - 511)
        return cuda_return(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    if (height && *pitch > SIZE_MAX / height)
        return cuda_return(cudaErrorMemoryAllocation);
    return cudaMalloc(p, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    if (!p || (extent.depth && extent.height > SIZE_MAX / extent.depth))
        return cuda_return(cudaErrorInvalidValue);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaHostAlloc(void **p, size_t size, unsigned int flags)
{
    if (!p || flags & ~7u)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_start();
    if (e != cudaSuccess)
        return cuda_return(e);
    *p = size ? aligned_alloc(4096, (size + 4095) / 4096 * 4096) : NULL;
    if (size && (!*p || !remember((uint64_t)(uintptr_t)*p, size, CUDA_HOST, cuda_current_ordinal(),
                                  flags))) {
        free(*p);
        *p = NULL;
        return cuda_return(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **p, size_t size)
{
    return cudaHostAlloc(p, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *p)
{
    struct cuda_range r;
    if (!p)
        return cudaSuccess;
    if (!cuda_find_range(p, 0, &r) || r.kind != CUDA_HOST || !forget(p, &r))
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cudaDeviceSynchronize();
    free(p);
    return e;
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    struct cuda_range r;
    if (!p || !size)
        return cuda_return(cudaErrorInvalidValue);
    if (cuda_find_range(p, 0, &r))
        return cuda_return(cudaErrorHostMemoryAlreadyRegistered);
    bool ok =
        remember((uint64_t)(uintptr_t)p, size, CUDA_REGISTERED, cuda_current_ordinal(), flags);
    return cuda_return(ok ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *p)
{
    struct cuda_range r;
    if (!cuda_find_range(p, 0, &r) || r.kind != CUDA_REGISTERED || !forget(p, &r))
        return cuda_return(cudaErrorHostMemoryNotRegistered);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    struct cuda_device *d;
    struct cuda_range r;
    if (!device || flags)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess)
        return cuda_return(e);
    if (!cuda_find_range(host, 0, &r) || r.kind == CUDA_DEVICE)
        return cuda_return(cudaErrorInvalidValue);
    if (!(d->info.flags & DEV_HOST_MEMORY))
        return cuda_return(cudaErrorNotSupported);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    struct cuda_range r;
    if (!flags || !cuda_find_range(host, 0, &r) || r.kind != CUDA_HOST)
        return cuda_return(cudaErrorInvalidValue);
    *flags = r.flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    struct cuda_device *d;
    struct dev_info info;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_from(d, d->rt.driver->info(d->rt.dev, &info));
    if (e == cudaSuccess && available)
        *available = info.memory_free;
    if (e == cudaSuccess && total)
        *total = info.memory;
    return cuda_return(e);
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, int device, cudaStream_t stream)
{
    struct cuda_range r;
    struct cuda_device *d;
    struct CUstream_st *s;
    if (!cuda_find_range(p, size, &r) || r.kind != CUDA_MANAGED)
        return cuda_return(cudaErrorInvalidValue);
    if (device != cudaCpuDeviceId && (device < 0 || device >= cuda_device_total()))
        return cuda_return(cudaErrorInvalidDevice);
    cudaError_t e = cuda_current(&d);
    return cuda_return(
        e != cudaSuccess
            ? e
            : cuda_stream(d, stream, &s)); /* it is where it is: host and device share it */
}

cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice, int device)
{
    struct cuda_range r;
    (void)device;
    bool ok = cuda_find_range(p, size, &r) && r.kind == CUDA_MANAGED &&
              advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    return cuda_return(ok ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    struct cuda_range r;
    if (!a)
        return cuda_return(cudaErrorInvalidValue);
    *a = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                        .device = cudaInvalidDeviceId};
    if (!cuda_find_range(p, 0, &r)) {
        a->hostPointer = (void *)p;
        return cuda_return(cuda_start());
    }
    static const enum cudaMemoryType types[] = {[CUDA_DEVICE] = cudaMemoryTypeDevice,
                                                [CUDA_HOST] = cudaMemoryTypeHost,
                                                [CUDA_MANAGED] = cudaMemoryTypeManaged,
                                                [CUDA_REGISTERED] = cudaMemoryTypeHost};
    a->type = types[r.kind];
    a->device = r.device;
    a->devicePointer = (void *)p;
    a->hostPointer = r.kind == CUDA_DEVICE ? NULL : (void *)p;
    return cudaSuccess;
}

/* ---- copies ---- */

struct place {
    const void *p;
    bool device;             /* else: host */
    struct cuda_device *dev; /* of device memory */
};

/* Where p is, by what the table knows and what the direction claims. */
static cudaError_t locate(const void *p, uint64_t size, bool claims_device, bool known,
                          struct place *out)
{
    struct cuda_range r;
    bool found = cuda_find_range(p, size, &r);
    *out = (struct place){.p = p};
    if (found && (r.kind == CUDA_DEVICE || r.kind == CUDA_MANAGED)) {
        if (known && !claims_device && r.kind == CUDA_DEVICE && size) {
            struct cuda_device *d;
            cudaError_t e = cuda_device_at(r.device, &d);
            if (e != cudaSuccess || !(d->info.flags & DEV_HOST_MEMORY))
                return cudaErrorInvalidValue;
        }
        out->device = true;
        return cuda_device_at(r.device, &out->dev);
    }
    if (known && claims_device && size) { /* a symbol's address, or nothing of ours */
        struct cuda_device *d;
        cudaError_t e = cuda_current(&d);
        if (e != cudaSuccess)
            return e;
        if (found && d->info.flags & DEV_HOST_MEMORY)
            return cudaSuccess; /* mapped host memory is device memory here */
        if (cuda_find_range(p, 0, &r))
            return cudaErrorInvalidValue; /* ours, but shorter */
        out->device = true;
        out->dev = d;
    }
    return cudaSuccess;
}

static cudaError_t transfer(struct CUstream_st *s, const struct place *to, const struct place *from,
                            uint64_t n, bool wait)
{
    struct cuda_device *d = to->device ? to->dev : from->device ? from->dev : s->device;
    const struct dev_driver *v = d->rt.driver;
    struct CUstream_st *on = s->device == d ? s : &d->legacy;
    cudaError_t e = cuda_stream_begin(on);
    if (e != cudaSuccess || !n)
        return e;
    dev_ptr a = (dev_ptr)(uintptr_t)to->p, b = (dev_ptr)(uintptr_t)from->p;
    if (to->device && from->device && to->dev != from->dev) { /* through the host */
        char *buffer = malloc(n);
        if (!buffer)
            return cudaErrorMemoryAllocation;
        e = cuda_from(from->dev, from->dev->rt.driver->copy_out(
                                     from->dev->rt.dev, from->dev->legacy.queue, buffer, b, n));
        if (e == cudaSuccess)
            e = cuda_from(from->dev, from->dev->rt.driver->queue_wait(from->dev->legacy.queue));
        if (e == cudaSuccess)
            e = cuda_from(d, v->copy_in(d->rt.dev, on->queue, a, buffer, n));
        if (e == cudaSuccess)
            e = cuda_from(d, v->queue_wait(on->queue));
        free(buffer);
        return e;
    }
    if (to->device && from->device)
        e = cuda_from(d, v->copy(d->rt.dev, on->queue, a, b, n));
    else if (to->device)
        e = cuda_from(d, v->copy_in(d->rt.dev, on->queue, a, from->p, n));
    else if (from->device)
        e = cuda_from(d, v->copy_out(d->rt.dev, on->queue, (void *)to->p, b, n));
    else {
        e = cuda_from(d, v->queue_wait(on->queue));
        memmove((void *)to->p, from->p, n);
    }
    if (e == cudaSuccess && wait)
        e = cuda_from(d, v->queue_wait(on->queue));
    return e;
}

static cudaError_t copy(void *to, const void *from, uint64_t n, enum cudaMemcpyKind kind,
                        cudaStream_t stream, bool wait)
{
    struct cuda_device *d;
    struct CUstream_st *s;
    struct place a, b;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_stream(d, stream, &s);
    if (e != cudaSuccess || !n)
        return e;
    if (!to || !from)
        return cudaErrorInvalidValue;
    bool known = kind != cudaMemcpyDefault;
    e = locate(to, n, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice, known,
               &a);
    if (e == cudaSuccess)
        e = locate(from, n, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice,
                   known, &b);
    /* A copy that ends in plain host memory is done when the call returns, as CUDA promises. */
    return e != cudaSuccess ? e : transfer(s, &a, &b, n, wait || (!a.device && !b.device));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    return cuda_return(copy(to, from, size, kind, 0, true));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return cuda_return(copy(to, from, size, kind, stream, false));
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind,
                             cudaStream_t stream, bool wait)
{
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    if (width == to_pitch && width == from_pitch)
        return copy(to, from, width * height, kind, stream, wait);
    cudaError_t e = cudaSuccess;
    for (size_t y = 0; y < height && e == cudaSuccess; y++)
        e = copy((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width, kind,
                 stream, wait && y + 1 == height);
    return e;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return cuda_return(copy_rows(to, to_pitch, from, from_pitch, width, height, kind, 0, true));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return cuda_return(
        copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, false));
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool wait)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray)
        return cudaErrorNotSupported;
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < p->extent.depth && e == cudaSuccess; z++) {
        char *to = (char *)p->dstPtr.ptr +
                   ((p->dstPos.z + z) * p->dstPtr.ysize + p->dstPos.y) * p->dstPtr.pitch +
                   p->dstPos.x;
        const char *from = (const char *)p->srcPtr.ptr +
                           ((p->srcPos.z + z) * p->srcPtr.ysize + p->srcPos.y) * p->srcPtr.pitch +
                           p->srcPos.x;
        e = copy_rows(to, p->dstPtr.pitch, from, p->srcPtr.pitch, p->extent.width, p->extent.height,
                      p->kind, stream, wait && z + 1 == p->extent.depth);
    }
    return e;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return cuda_return(copy_box(p, 0, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return cuda_return(copy_box(p, stream, false));
}

static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device, size_t n,
                             cudaStream_t stream, bool wait)
{
    struct cuda_device *a, *b, *d;
    struct CUstream_st *s;
    cudaError_t e = cuda_device_at(to_device, &a);
    if (e == cudaSuccess)
        e = cuda_device_at(from_device, &b);
    if (e == cudaSuccess)
        e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_stream(d, stream, &s);
    if (e != cudaSuccess)
        return e;
    struct place x = {to, true, a}, y = {from, true, b};
    return transfer(s, &x, &y, n, wait);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
    return cuda_return(copy_peer(to, to_device, from, from_device, size, 0, true));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream)
{
    return cuda_return(copy_peer(to, to_device, from, from_device, size, stream, false));
}

/* ---- fills ---- */

static cudaError_t fill_rows(void *p, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream)
{
    struct cuda_device *d;
    struct CUstream_st *s;
    struct place a;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_stream(d, stream, &s);
    if (e != cudaSuccess || !width || !height)
        return e;
    e = p ? locate(p, (height - 1) * pitch + width, true, true, &a) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_stream_begin(s);
    if (e == cudaSuccess && !a.device) {
        e = cuda_from(d, d->rt.driver->queue_wait(s->queue));
        for (size_t y = 0; y < height; y++)
            memset((char *)p + y * pitch, value, width);
        return e;
    }
    if (pitch == width)
        width *= height, height = 1;
    for (size_t y = 0; y < height && e == cudaSuccess; y++)
        e = cuda_from(a.dev,
                      a.dev->rt.driver->fill(
                          a.dev->rt.dev, a.dev == s->device ? s->queue : a.dev->legacy.queue,
                          (dev_ptr)(uintptr_t)p + y * pitch, width, (unsigned char)value, 1));
    return e;
}

cudaError_t cudaMemset(void *p, int value, size_t size)
{
    return cuda_return(fill_rows(p, size, value, size, 1, 0));
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream)
{
    return cuda_return(fill_rows(p, size, value, size, 1, stream));
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return cuda_return(width > pitch ? cudaErrorInvalidPitchValue
                                     : fill_rows(p, pitch, value, width, height, 0));
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return cuda_return(width > pitch ? cudaErrorInvalidPitchValue
                                     : fill_rows(p, pitch, value, width, height, stream));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < extent.depth && e == cudaSuccess; z++)
        e = fill_rows((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, extent.width,
                      extent.height, 0);
    return cuda_return(e);
}

/* ---- symbols ---- */

static cudaError_t symbol_place(const void *symbol, size_t size, size_t offset, struct place *out)
{
    struct cuda_device *d = NULL;
    dev_ptr p = 0;
    uint64_t whole = 0;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_symbol(d, symbol, &p, &whole);
    if (e == cudaSuccess && (offset > whole || size > whole - offset))
        e = cudaErrorInvalidValue;
    *out = (struct place){.p = (void *)(uintptr_t)(p + offset), .device = true, .dev = d};
    return e;
}

static cudaError_t copy_symbol(const void *symbol, void *other, size_t size, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool to_symbol,
                               bool wait)
{
    struct place a, b;
    struct CUstream_st *s;
    bool device = kind == cudaMemcpyDeviceToDevice;
    if (kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) ||
        kind == cudaMemcpyHostToHost)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t e = symbol_place(symbol, size, offset, &a);
    if (e == cudaSuccess)
        e = cuda_stream(a.dev, stream, &s);
    if (e == cudaSuccess)
        e = locate(other, size, device, kind != cudaMemcpyDefault, &b);
    if (e != cudaSuccess)
        return e;
    return transfer(s, to_symbol ? &a : &b, to_symbol ? &b : &a, size, wait);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return cuda_return(copy_symbol(symbol, (void *)from, size, offset, kind, 0, true, true));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return cuda_return(copy_symbol(symbol, to, size, offset, kind, 0, false, true));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cuda_return(copy_symbol(symbol, (void *)from, size, offset, kind, stream, true, false));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return cuda_return(copy_symbol(symbol, to, size, offset, kind, stream, false, false));
}

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
    struct place a;
    cudaError_t e = p ? symbol_place(symbol, 0, 0, &a) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *p = (void *)a.p;
    return cuda_return(e);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    struct cuda_device *d;
    dev_ptr p;
    uint64_t whole;
    cudaError_t e = size ? cuda_current(&d) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_symbol(d, symbol, &p, &whole);
    if (e == cudaSuccess)
        *size = whole;
    return cuda_return(e);
}
