/* What is left of the runtime API: launches with attributes, queries, and what is refused. */
#include <stdlib.h>
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

/* Attributes are hints on caches and waiting: kept, and told back. The only priority is the
 * stream's own, which its creation gave. */
static const enum cudaLaunchAttributeID kept[] = {
    cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeSynchronizationPolicy,
    cudaLaunchAttributeMemSyncDomainMap, cudaLaunchAttributeMemSyncDomain};
enum { NKEPT = sizeof kept / sizeof *kept };

static cudaError_t attribute_place(struct tern_stream *s, enum cudaLaunchAttributeID attribute,
                                   union cudaLaunchAttributeValue **out)
{
    for (unsigned k = 0; k < NKEPT; k++) {
        if (kept[k] != attribute)
            continue;
        if (!s->attributes) {
            union cudaLaunchAttributeValue *all = calloc(NKEPT, sizeof *all);
            if (!all)
                return cudaErrorMemoryAllocation;
            all[1].syncPolicy = cudaSyncPolicyAuto;
            all[2].pad[1] = 1; /* the remote domain is 1, the default one 0 */
            s->attributes = all;
        }
        *out = (union cudaLaunchAttributeValue *)s->attributes + k;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                   const union cudaLaunchAttributeValue *value)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    union cudaLaunchAttributeValue *place;
    cudaError_t e = value ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e != cudaSuccess || attribute == cudaLaunchAttributePriority)
        return cuda_return(e);
    e = attribute_place(s, attribute, &place);
    if (e == cudaSuccess)
        *place = *value;
    return cuda_return(e);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                   union cudaLaunchAttributeValue *value)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    union cudaLaunchAttributeValue *place;
    cudaError_t e = value ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return cuda_return(e);
    if (attribute == cudaLaunchAttributePriority) {
        memset(value, 0, sizeof *value);
        value->priority = s->priority;
        return cudaSuccess;
    }
    e = attribute_place(s, attribute, &place);
    if (e == cudaSuccess)
        *value = *place;
    return cuda_return(e);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    PROF_CALL(__func__);
    struct tern_stream *a, *b;
    union cudaLaunchAttributeValue *into, *of;
    cudaError_t e = cuda_current_stream(to, &a);
    if (e == cudaSuccess)
        e = cuda_current_stream(from, &b);
    for (unsigned k = 0; k < NKEPT && e == cudaSuccess; k++) {
        e = attribute_place(a, kept[k], &into);
        if (e == cudaSuccess)
            e = attribute_place(b, kept[k], &of);
        if (e == cudaSuccess)
            *into = *of;
    }
    return cuda_return(e);
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

static cudaError_t driver_entry(const char *symbol, void **function, unsigned version,
                                unsigned long long flags,
                                enum cudaDriverEntryPointQueryResult *status)
{
    CUdriverProcAddressQueryResult r;
    if (!symbol || !function)
        return cuda_return(cudaErrorInvalidValue);
    const CUresult e = cuGetProcAddress(symbol, function, (int)version, flags, &r);
    if (e == CUDA_SUCCESS && status)
        *status = (enum cudaDriverEntryPointQueryResult)r;
    return cuda_return((cudaError_t)e);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    PROF_CALL(__func__);
    return driver_entry(symbol, function, CUDA_VERSION, flags, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    PROF_CALL(__func__);
    return driver_entry(symbol, function, version, flags, status);
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
/* memory and semaphores of other APIs */
REFUSE(cudaImportExternalMemory,
       (cudaExternalMemory_t * memory, const struct cudaExternalMemoryHandleDesc *desc))
REFUSE(cudaExternalMemoryGetMappedBuffer,
       (void **p, cudaExternalMemory_t memory, const struct cudaExternalMemoryBufferDesc *desc))
REFUSE(cudaExternalMemoryGetMappedMipmappedArray,
       (cudaMipmappedArray_t * mipmap, cudaExternalMemory_t memory,
        const struct cudaExternalMemoryMipmappedArrayDesc *desc))
REFUSE(cudaImportExternalSemaphore,
       (cudaExternalSemaphore_t * semaphore, const struct cudaExternalSemaphoreHandleDesc *desc))
REFUSE(cudaSignalExternalSemaphoresAsync,
       (const cudaExternalSemaphore_t *list, const struct cudaExternalSemaphoreSignalParams *params,
        unsigned int count, cudaStream_t stream))
REFUSE(cudaWaitExternalSemaphoresAsync,
       (const cudaExternalSemaphore_t *list, const struct cudaExternalSemaphoreWaitParams *params,
        unsigned int count, cudaStream_t stream))
REFUSE(cudaGraphAddExternalSemaphoresSignalNode,
       (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t nafter,
        const struct cudaExternalSemaphoreSignalNodeParams *params))
REFUSE(cudaGraphAddExternalSemaphoresWaitNode,
       (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t nafter,
        const struct cudaExternalSemaphoreWaitNodeParams *params))
REFUSE(cudaGraphExternalSemaphoresSignalNodeGetParams,
       (cudaGraphNode_t node, struct cudaExternalSemaphoreSignalNodeParams *params))
REFUSE(cudaGraphExternalSemaphoresSignalNodeSetParams,
       (cudaGraphNode_t node, const struct cudaExternalSemaphoreSignalNodeParams *params))
REFUSE(cudaGraphExternalSemaphoresWaitNodeGetParams,
       (cudaGraphNode_t node, struct cudaExternalSemaphoreWaitNodeParams *params))
REFUSE(cudaGraphExternalSemaphoresWaitNodeSetParams,
       (cudaGraphNode_t node, const struct cudaExternalSemaphoreWaitNodeParams *params))
REFUSE(cudaGraphExecExternalSemaphoresSignalNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node,
        const struct cudaExternalSemaphoreSignalNodeParams *params))
REFUSE(cudaGraphExecExternalSemaphoresWaitNodeSetParams,
       (cudaGraphExec_t exec, cudaGraphNode_t node,
        const struct cudaExternalSemaphoreWaitNodeParams *params))
REFUSE(cudaGraphicsSubResourceGetMappedArray, (cudaArray_t * array, cudaGraphicsResource_t resource,
                                               unsigned int index, unsigned int level))
REFUSE(cudaGraphicsResourceGetMappedMipmappedArray,
       (cudaMipmappedArray_t * mipmap, cudaGraphicsResource_t resource))
REFUSE(cudaDeviceGetNvSciSyncAttributes, (void *attributes, int device, int flags))
/* news of a device's memory */
REFUSE(cudaDeviceRegisterAsyncNotification,
       (int device, cudaAsyncCallback fn, void *data, cudaAsyncCallbackHandle_t *callback))
REFUSE(cudaDeviceUnregisterAsyncNotification, (int device, cudaAsyncCallbackHandle_t callback))
