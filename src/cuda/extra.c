/* What is left of the runtime API: launches with attributes, queries, and what is refused. */
#include <string.h>
#include "cuda/driver_int.h"

/* ---- launches with attributes ---- */

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_stream *s;
    const struct rt_kernel *k;
    struct dev_launch shape;
    cudaError_t e = cuda_launch_shape(config, &shape);
    if (e == cudaSuccess)
        e = cuda_kernel_by_handle(func, &d, &k);
    if (e == cudaSuccess)
        e = cuda_current_stream(config->stream, &s);
    if (e == cudaSuccess && s->device != d)
        e = cudaErrorInvalidResourceHandle;
    return cuda_return(e != cudaSuccess ? e : cuda_submit_kernel(s, k, (void *)func, &shape, args));
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    cudaError_t e = name ? cuda_kernel_by_handle(func, &d, &k) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *name = k->name;
    return cuda_return(e);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    cudaError_t e = offset ? cuda_kernel_by_handle(func, &d, &k) : cudaErrorInvalidValue;
    if (e == cudaSuccess && index >= k->nparams)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess) {
        *offset = k->params[index].offset;
        if (size)
            *size = k->params[index].size;
    }
    return cuda_return(e);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *func, int blocks,
                                                      int threads)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    const struct rt_kernel *k;
    if (!shared || blocks <= 0 || threads <= 0)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_kernel_by_handle(func, &d, &k);
    if (e == cudaSuccess) {
        const uint32_t share = d->info.shared_per_block / (uint32_t)blocks;
        *shared = share > k->static_shared ? share - k->static_shared : 0;
    }
    return cuda_return(e);
}

/* ---- streams ---- */

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = device ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *device = cuda_ordinal_of(s->device);
    return cuda_return(e);
}

/* Attributes are hints on caches and waiting: taken, and told as zero. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                   const union cudaLaunchAttributeValue *value)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    (void)attribute;
    return cuda_return(value ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                   union cudaLaunchAttributeValue *value)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = value ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess) {
        memset(value, 0, sizeof *value);
        if (attribute == cudaLaunchAttributePriority)
            value->priority = s->priority;
    }
    return cuda_return(e);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    PROF_CALL(__func__);
    struct tern_stream *a, *b;
    cudaError_t e = cuda_current_stream(to, &a);
    return cuda_return(e != cudaSuccess ? e : cuda_current_stream(from, &b));
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    return cuda_return(cuda_current(&d));
}

/* ---- devices ---- */

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from,
                                      int to)
{
    PROF_CALL(__func__);
    int can = 0;
    if (!value || (int)attribute < 1 || (int)attribute > 4 || from == to)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cudaDeviceCanAccessPeer(&can, from, to);
    *value = attribute == cudaDevP2PAttrPerformanceRank ? 0 : can;
    return e;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const struct cudaChannelFormatDesc *format,
                                                 int device)
{
    PROF_CALL(__func__);
    struct cudaDeviceProp p;
    if (!width || !format)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (e == cudaSuccess)
        *width = (size_t)p.maxTexture1DLinear;
    return e;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    PROF_CALL(__func__);
    CUdriverProcAddressQueryResult r;
    if (!symbol || !function)
        return cuda_return(cudaErrorInvalidValue);
    const CUresult e = cuGetProcAddress(symbol, function, CUDA_VERSION, flags, &r);
    if (status)
        *status = (enum cudaDriverEntryPointQueryResult)r;
    return cuda_return((cudaError_t)e);
}

/* How much lies after p in its allocation: the size of a texture that is bound without one. */
size_t __tern_bytes_after(const void *p)
{
    struct cuda_range r;
    return cuda_find_range(p, 0, &r) ? (size_t)(r.at + r.size - (uint64_t)(uintptr_t)p) : 0;
}

/* ---- refused ---- */

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define REFUSE(name, parameters)                                                                   \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        return cuda_return(cudaErrorNotSupported);                                                 \
    }
/* memory and events of other processes */
REFUSE(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event))
REFUSE(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle))
REFUSE(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *p))
REFUSE(cudaIpcOpenMemHandle, (void **p, cudaIpcMemHandle_t handle, unsigned int flags))
REFUSE(cudaIpcCloseMemHandle, (void *p))
REFUSE(cudaMemPoolExportToShareableHandle,
       (void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
        unsigned int flags))
REFUSE(cudaMemPoolImportFromShareableHandle,
       (cudaMemPool_t * pool, void *handle, enum cudaMemAllocationHandleType type,
        unsigned int flags))
REFUSE(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData * data, void *p))
REFUSE(cudaMemPoolImportPointer,
       (void **p, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data))
/* memory and semaphores of other APIs */
REFUSE(cudaDestroyExternalMemory, (cudaExternalMemory_t memory))
REFUSE(cudaDestroyExternalSemaphore, (cudaExternalSemaphore_t semaphore))
REFUSE(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource))
REFUSE(cudaGraphicsMapResources,
       (int count, cudaGraphicsResource_t *resources, cudaStream_t stream))
REFUSE(cudaGraphicsUnmapResources,
       (int count, cudaGraphicsResource_t *resources, cudaStream_t stream))
REFUSE(cudaGraphicsResourceGetMappedPointer,
       (void **p, size_t *size, cudaGraphicsResource_t resource))
REFUSE(cudaGraphicsResourceSetMapFlags, (cudaGraphicsResource_t resource, unsigned int flags))
/* one kernel over several devices */
REFUSE(cudaLaunchCooperativeKernelMultiDevice,
       (struct cudaLaunchParams * list, unsigned int count, unsigned int flags))
REFUSE(cudaDeviceFlushGPUDirectRDMAWrites, (int target, int scope))
