/* Memory: allocations on devices and on the host. */
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_int.h"

cudaError_t cuda_allocate(void **p, size_t size, enum cuda_kind kind, unsigned flags)
{
    struct tern_device *d;
    dev_ptr at;
    if (!p)
        return cudaErrorInvalidValue;
    *p = NULL;
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess || !size)
        return e;
    if (d->info.memory && size > d->info.memory) /* where the system would promise anything */
        return cudaErrorMemoryAllocation;
    const bool apart = kind == CUDA_MANAGED && !(d->info.flags & DEV_HOST_MEMORY);
    if (apart && !d->rt.driver->managed_alloc)
        return cudaErrorNotSupported;
    device_use(d);
    e = cuda_from(device_check(d, apart ? d->rt.driver->managed_alloc(d->rt.dev, size, &at)
                                        : d->rt.driver->alloc(d->rt.dev, size, 256, NULL, &at)));
    if (e != cudaSuccess)
        return e;
    struct cuda_range r = {
        .at = at, .size = size, .kind = kind, .device = cuda_ordinal_of(d), .flags = flags};
    if (!cuda_remember(&r)) {
        d->rt.driver->free(d->rt.dev, at);
        return cudaErrorMemoryAllocation;
    }
    *p = (void *)(uintptr_t)at;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t size)
{
    PROF_CALL(__func__);
    return cuda_return(cuda_allocate(p, size, CUDA_DEVICE, 0));
}

cudaError_t cudaMallocManaged(void **p, size_t size, unsigned int flags)
{
    PROF_CALL(__func__);
    if (!size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return cuda_return(cudaErrorInvalidValue);
    return cuda_return(cuda_allocate(p, size, CUDA_MANAGED, flags));
}

/* Waits for the device first: work that still uses the memory must not see it go. */
cudaError_t cuda_release(void *p, bool of_graph)
{
    struct tern_device *d;
    struct cuda_range r;
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess || !p)
        return e;
    if (!cuda_find_range(p, 0, &r) || r.at != (uint64_t)(uintptr_t)p ||
        (r.kind != CUDA_DEVICE && r.kind != CUDA_MANAGED) || r.flags & CUDA_NOT_OURS) {
        if (cuda_check())
            check_bad_free(cuda_check(), (uint64_t)(uintptr_t)p, "cudaFree");
        return cudaErrorInvalidValue;
    }
    if (r.flags & CUDA_OF_GRAPH && !of_graph)
        return cuda_wait_all(d); /* it goes with the graph */
    e = cuda_device_at(r.device, &d);
    if (e == cudaSuccess)
        e = cuda_wait_all(d);
    if (!cuda_forget(p, &r))
        return cudaErrorInvalidValue;
    cudaError_t freed =
        r.pool ? cuda_pool_return(&r, NULL) : cuda_from(d->rt.driver->free(d->rt.dev, r.at));
    return e != cudaSuccess ? e : freed;
}

cudaError_t cudaFree(void *p)
{
    PROF_CALL(__func__);
    return cuda_return(cuda_release(p, false));
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    PROF_CALL(__func__);
    if (!pitch || width > SIZE_MAX - 511)
        return cuda_return(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    if (height && *pitch > SIZE_MAX / height)
        return cuda_return(cudaErrorMemoryAllocation);
    return cudaMalloc(p, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
    PROF_CALL(__func__);
    if (!p || (extent.depth && extent.height > SIZE_MAX / extent.depth))
        return cuda_return(cudaErrorInvalidValue);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

/* From the device's driver where it has such memory; kernels may use it then at its address. */
static cudaError_t host_allocate(struct tern_device *d, void **p, size_t size, bool *by_driver)
{
    *by_driver = d->rt.driver->host_alloc != NULL;
    device_use(d);
    if (size > SIZE_MAX / 2)
        return cudaErrorMemoryAllocation;
    if (*by_driver)
        return cuda_from(device_check(d, d->rt.driver->host_alloc(d->rt.dev, size, p)));
    *p = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void host_release(struct tern_device *d, void *p, bool by_driver)
{
    if (by_driver)
        d->rt.driver->host_free(d->rt.dev, p);
    else
        free(p);
}

cudaError_t cudaHostAlloc(void **p, size_t size, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    bool by_driver = false;
    if (!p || flags & ~7u)
        return cuda_return(cudaErrorInvalidValue);
    *p = NULL;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess && size)
        e = host_allocate(d, p, size, &by_driver);
    if (e != cudaSuccess || !size)
        return cuda_return(e);
    struct cuda_range r = {.at = (uint64_t)(uintptr_t)*p,
                           .size = size,
                           .kind = CUDA_HOST,
                           .device = cuda_ordinal_of(d),
                           .flags = flags | (by_driver ? CUDA_BY_DRIVER : 0u)};
    if (!cuda_remember(&r)) {
        host_release(d, *p, by_driver);
        *p = NULL;
        return cuda_return(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **p, size_t size)
{
    PROF_CALL(__func__);
    return cudaHostAlloc(p, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    struct tern_device *d;
    if (!p)
        return cudaSuccess;
    if (!cuda_find_range(p, 0, &r) || r.kind != CUDA_HOST || r.at != (uint64_t)(uintptr_t)p) {
        if (cuda_check())
            check_bad_free(cuda_check(), (uint64_t)(uintptr_t)p, "cudaFreeHost");
        return cuda_return(cudaErrorInvalidValue);
    }
    cudaError_t e = cuda_device_at(r.device, &d);
    if (e == cudaSuccess)
        e = cuda_wait_all(d);
    if (!cuda_forget(p, &r))
        return cuda_return(cudaErrorInvalidValue);
    host_release(d, p, r.flags & CUDA_BY_DRIVER);
    return cuda_return(e);
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    struct tern_device *d;
    if (!p || !size)
        return cuda_return(cudaErrorInvalidValue);
    if (flags & ~15u)
        return cuda_return(cudaErrorInvalidValue);
    if (cuda_find_range(p, 0, &r))
        return cuda_return(cudaErrorHostMemoryAlreadyRegistered);
    r = (struct cuda_range){.at = (uint64_t)(uintptr_t)p,
                            .size = size,
                            .kind = CUDA_REGISTERED,
                            .device = cuda_current_ordinal(),
                            .flags = flags};
    if (cuda_device_at(r.device, &d) == cudaSuccess && d->rt.driver->share &&
        !d->rt.driver->share(d->rt.dev, p, size, !(flags & cudaHostRegisterReadOnly)))
        r.flags |= CUDA_LENT;
    if (cuda_remember(&r))
        return cudaSuccess;
    if (r.flags & CUDA_LENT)
        d->rt.driver->unshare(d->rt.dev, r.at);
    return cuda_return(cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    struct tern_device *d = NULL;
    if (!p)
        return cuda_return(cudaErrorInvalidValue);
    if (!cuda_find_range(p, 0, &r) || r.kind != CUDA_REGISTERED || !cuda_forget(p, &r))
        return cuda_return(cudaErrorHostMemoryNotRegistered);
    if (!(r.flags & CUDA_LENT))
        return cudaSuccess;
    cudaError_t e = cuda_device_at(r.device, &d);
    if (e == cudaSuccess)
        e = cuda_wait_all(d);
    if (d)
        d->rt.driver->unshare(d->rt.dev, r.at);
    return cuda_return(e);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct cuda_range r;
    if (!device || flags)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess)
        return cuda_return(e);
    if (!cuda_find_range(host, 0, &r) || r.kind == CUDA_DEVICE)
        return cuda_return(cudaErrorInvalidValue);
    if (!(r.flags & (CUDA_BY_DRIVER | CUDA_LENT)) && r.kind != CUDA_MANAGED &&
        !(d->info.flags & DEV_READS_HOST))
        return cuda_return(cudaErrorNotSupported);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    if (!flags || !cuda_find_range(host, 0, &r) ||
        (r.kind != CUDA_HOST && r.kind != CUDA_REGISTERED))
        return cuda_return(cudaErrorInvalidValue);
    *flags = (r.flags & 0xff) | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct dev_info info;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_from(d->rt.driver->info(d->rt.dev, &info));
    if (e == cudaSuccess && available)
        *available = info.memory_free;
    if (e == cudaSuccess && total)
        *total = info.memory;
    return cuda_return(e);
}

/* ---- managed memory: host and device share it, so that advice changes nothing but what is told
 * when asked ---- */

cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, int device, cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    struct tern_stream *s;
    if (!size || !cuda_find_memory(p, size, &r) || r.kind != CUDA_MANAGED)
        return cuda_return(cudaErrorInvalidValue);
    if (device != cudaCpuDeviceId && (device < 0 || device >= cuda_device_total()))
        return cuda_return(cudaErrorInvalidDevice);
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e == cudaSuccess)
        cuda_advise(p, cudaMemRangeAttributeLastPrefetchLocation, device);
    return cuda_return(e);
}

cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice, int device)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    if (!size || !cuda_find_memory(p, size, &r) || r.kind != CUDA_MANAGED)
        return cuda_return(cudaErrorInvalidValue);
    if (advice >= cudaMemAdviseSetPreferredLocation && device != cudaCpuDeviceId &&
        (device < 0 || device >= cuda_device_total()))
        return cuda_return(cudaErrorInvalidDevice);
    switch (advice) {
    case cudaMemAdviseSetReadMostly: cuda_advise(p, cudaMemRangeAttributeReadMostly, 1); break;
    case cudaMemAdviseUnsetReadMostly: cuda_advise(p, cudaMemRangeAttributeReadMostly, 0); break;
    case cudaMemAdviseSetPreferredLocation:
        cuda_advise(p, cudaMemRangeAttributePreferredLocation, device);
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        cuda_advise(p, cudaMemRangeAttributePreferredLocation, cudaInvalidDeviceId);
        break;
    case cudaMemAdviseSetAccessedBy: cuda_advise(p, cudaMemRangeAttributeAccessedBy, device); break;
    case cudaMemAdviseUnsetAccessedBy:
        cuda_advise(p, cudaMemRangeAttributeAccessedBy, cudaInvalidDeviceId);
        break;
    default: return cuda_return(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

/* The number that stands for a location in older calls; cudaInvalidDeviceId: no location. */
static int device_at(struct cudaMemLocation location)
{
    switch (location.type) {
    case cudaMemLocationTypeDevice: return location.id < 0 ? cudaInvalidDeviceId : location.id;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent: return cudaCpuDeviceId;
    default: return cudaInvalidDeviceId;
    }
}

cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t size, struct cudaMemLocation location,
                                    unsigned int flags, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return flags ? cuda_return(cudaErrorInvalidValue)
                 : cudaMemPrefetchAsync(p, size, device_at(location), stream);
}

cudaError_t cudaMemAdvise_v2(const void *p, size_t size, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
    PROF_CALL(__func__);
    const bool anywhere =
        advice == cudaMemAdviseUnsetPreferredLocation; /* which is not looked at */
    return cudaMemAdvise(p, size, advice, anywhere ? cudaCpuDeviceId : device_at(location));
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *p, size_t count)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    int *out = data;
    if (!data || !size || size % sizeof *out || !cuda_find_memory(p, count, &r) ||
        r.kind != CUDA_MANAGED || (unsigned)attribute < cudaMemRangeAttributeReadMostly ||
        attribute > cudaMemRangeAttributeLastPrefetchLocation)
        return cuda_return(cudaErrorInvalidValue);
    const size_t n = attribute == cudaMemRangeAttributeAccessedBy ? size / sizeof *out : 1;
    out[0] = r.advice[attribute - cudaMemRangeAttributeReadMostly];
    for (size_t k = 1; k < n; k++)
        out[k] = cudaInvalidDeviceId;
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
                                      enum cudaMemRangeAttribute *attributes, size_t n,
                                      const void *p, size_t count)
{
    PROF_CALL(__func__);
    if (!data || !sizes || !attributes || !n)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cudaSuccess;
    for (size_t k = 0; k < n && e == cudaSuccess; k++)
        e = cudaMemRangeGetAttribute(data[k], sizes[k], attributes[k], p, count);
    return e;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    if (!a)
        return cuda_return(cudaErrorInvalidValue);
    *a = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                        .device = cudaInvalidDeviceId};
    if (!cuda_find_memory(p, 0, &r)) {
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
