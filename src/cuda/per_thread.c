/* The names that nvcc --default-stream per-thread gives functions: there, stream 0 is the thread's
 * own. Those that wait (_ptds) wait for more than they must. */
#include "cuda/cuda_int.h"

#define OWN(s) ((s) ? (s) : cudaStreamPerThread)
#define NAME(name, end, params, args)                                                              \
    cudaError_t name##end params;                                                                  \
    cudaError_t name##end params                                                                   \
    {                                                                                              \
        return name args;                                                                          \
    }
#define WAITS(name, params, args)   NAME(name, _ptds, params, args)
#define STREAMS(name, params, args) NAME(name, _ptsz, params, args)

cudaError_t __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t s);

STREAMS(__cudaLaunchKernel,
        (void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s),
        (kernel, grid, block, args, shared, OWN(s)))
STREAMS(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, OWN(stream)))
STREAMS(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
        (event, OWN(stream), flags))
STREAMS(cudaFreeAsync, (void *p, cudaStream_t stream), (p, OWN(stream)))
STREAMS(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, OWN(stream)))
STREAMS(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), (exec, OWN(stream)))
STREAMS(cudaLaunchCooperativeKernel,
        (const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
        (func, grid, block, args, shared, OWN(stream)))
STREAMS(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void *data),
        (OWN(stream), fn, data))
STREAMS(cudaLaunchKernel,
        (const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
        (func, grid, block, args, shared, OWN(stream)))
STREAMS(cudaMallocAsync, (void **p, size_t size, cudaStream_t stream), (p, size, OWN(stream)))
STREAMS(cudaMallocFromPoolAsync, (void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream),
        (p, size, pool, OWN(stream)))
STREAMS(cudaMemPrefetchAsync, (const void *p, size_t size, int device, cudaStream_t stream),
        (p, size, device, OWN(stream)))
STREAMS(cudaMemPrefetchAsync_v2,
        (const void *p, size_t size, struct cudaMemLocation location, unsigned int flags,
         cudaStream_t stream),
        (p, size, location, flags, OWN(stream)))
WAITS(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
      (to, from, size, kind))
WAITS(cudaMemcpy2D,
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
       enum cudaMemcpyKind kind),
      (to, to_pitch, from, from_pitch, width, height, kind))
WAITS(cudaMemcpy2DArrayToArray,
      (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
       size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind),
      (to, to_x, to_y, from, from_x, from_y, width, height, kind))
STREAMS(cudaMemcpy2DAsync,
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
         size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, to_pitch, from, from_pitch, width, height, kind, OWN(stream)))
WAITS(cudaMemcpy2DFromArray,
      (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
       size_t height, enum cudaMemcpyKind kind),
      (to, pitch, from, x, y, width, height, kind))
STREAMS(cudaMemcpy2DFromArrayAsync,
        (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
         size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, pitch, from, x, y, width, height, kind, OWN(stream)))
WAITS(cudaMemcpy2DToArray,
      (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
       size_t height, enum cudaMemcpyKind kind),
      (to, x, y, from, pitch, width, height, kind))
STREAMS(cudaMemcpy2DToArrayAsync,
        (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
         size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, x, y, from, pitch, width, height, kind, OWN(stream)))
WAITS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p))
STREAMS(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t stream),
        (p, OWN(stream)))
STREAMS(cudaMemcpy3DBatchAsync,
        (size_t count, struct cudaMemcpy3DBatchOp *list, size_t *failed, unsigned long long flags,
         cudaStream_t stream),
        (count, list, failed, flags, OWN(stream)))
WAITS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), (p))
STREAMS(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream),
        (p, OWN(stream)))
WAITS(cudaMemcpyArrayToArray,
      (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
       size_t from_y, size_t size, enum cudaMemcpyKind kind),
      (to, to_x, to_y, from, from_x, from_y, size, kind))
STREAMS(cudaMemcpyAsync,
        (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, from, size, kind, OWN(stream)))
STREAMS(cudaMemcpyBatchAsync,
        (void **to, void **from, size_t *sizes, size_t count,
         struct cudaMemcpyAttributes *attributes, size_t *indices, size_t nattributes,
         size_t *failed, cudaStream_t stream),
        (to, from, sizes, count, attributes, indices, nattributes, failed, OWN(stream)))
WAITS(cudaMemcpyFromArray,
      (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind),
      (to, from, x, y, size, kind))
STREAMS(cudaMemcpyFromArrayAsync,
        (void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, from, x, y, size, kind, OWN(stream)))
WAITS(cudaMemcpyFromSymbol,
      (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
      (to, symbol, size, offset, kind))
STREAMS(cudaMemcpyFromSymbolAsync,
        (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind,
         cudaStream_t stream),
        (to, symbol, size, offset, kind, OWN(stream)))
WAITS(cudaMemcpyToArray,
      (cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind),
      (to, x, y, from, size, kind))
STREAMS(cudaMemcpyToArrayAsync,
        (cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
         enum cudaMemcpyKind kind, cudaStream_t stream),
        (to, x, y, from, size, kind, OWN(stream)))
WAITS(cudaMemcpyToSymbol,
      (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),
      (symbol, from, size, offset, kind))
STREAMS(cudaMemcpyToSymbolAsync,
        (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind,
         cudaStream_t stream),
        (symbol, from, size, offset, kind, OWN(stream)))
WAITS(cudaMemset, (void *p, int value, size_t size), (p, value, size))
WAITS(cudaMemset2D, (void *p, size_t pitch, int value, size_t width, size_t height),
      (p, pitch, value, width, height))
STREAMS(cudaMemset2DAsync,
        (void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
        (p, pitch, value, width, height, OWN(stream)))
WAITS(cudaMemset3D, (struct cudaPitchedPtr p, int value, struct cudaExtent extent),
      (p, value, extent))
STREAMS(cudaMemset3DAsync,
        (struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t stream),
        (p, value, extent, OWN(stream)))
STREAMS(cudaMemsetAsync, (void *p, int value, size_t size, cudaStream_t stream),
        (p, value, size, OWN(stream)))
STREAMS(cudaSignalExternalSemaphoresAsync,
        (const cudaExternalSemaphore_t *list,
         const struct cudaExternalSemaphoreSignalParams *params, unsigned int count,
         cudaStream_t stream),
        (list, params, count, OWN(stream)))
STREAMS(cudaStreamAddCallback,
        (cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags),
        (OWN(stream), callback, data, flags))
STREAMS(cudaStreamAttachMemAsync, (cudaStream_t stream, void *p, size_t length, unsigned int flags),
        (OWN(stream), p, length, flags))
STREAMS(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
        (OWN(stream), mode))
STREAMS(cudaStreamBeginCaptureToGraph,
        (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
         const struct cudaGraphEdgeData *edges, size_t nafter, enum cudaStreamCaptureMode mode),
        (OWN(stream), graph, after, edges, nafter, mode))
STREAMS(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), (OWN(to), OWN(from)))
STREAMS(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (OWN(stream), graph))
STREAMS(cudaStreamGetAttribute,
        (cudaStream_t stream, enum cudaLaunchAttributeID attribute,
         union cudaLaunchAttributeValue *value),
        (OWN(stream), attribute, value))
STREAMS(cudaStreamGetCaptureInfo_v2,
        (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
         cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *nafter),
        (OWN(stream), status, id, graph, after, nafter))
STREAMS(cudaStreamGetCaptureInfo_v3,
        (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
         cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
         size_t *nafter),
        (OWN(stream), status, id, graph, after, edges, nafter))
STREAMS(cudaStreamGetDevice, (cudaStream_t stream, int *device), (OWN(stream), device))
STREAMS(cudaStreamGetFlags, (cudaStream_t stream, unsigned int *flags), (OWN(stream), flags))
STREAMS(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), (OWN(stream), id))
STREAMS(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (OWN(stream), priority))
STREAMS(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status),
        (OWN(stream), status))
STREAMS(cudaStreamQuery, (cudaStream_t stream), (OWN(stream)))
STREAMS(cudaStreamSetAttribute,
        (cudaStream_t stream, enum cudaLaunchAttributeID attribute,
         const union cudaLaunchAttributeValue *value),
        (OWN(stream), attribute, value))
STREAMS(cudaStreamSynchronize, (cudaStream_t stream), (OWN(stream)))
STREAMS(cudaStreamUpdateCaptureDependencies,
        (cudaStream_t stream, cudaGraphNode_t *after, size_t nafter, unsigned int flags),
        (OWN(stream), after, nafter, flags))
STREAMS(cudaStreamUpdateCaptureDependencies_v2,
        (cudaStream_t stream, cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t nafter,
         unsigned int flags),
        (OWN(stream), after, edges, nafter, flags))
STREAMS(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
        (OWN(stream), event, flags))
STREAMS(cudaWaitExternalSemaphoresAsync,
        (const cudaExternalSemaphore_t *list, const struct cudaExternalSemaphoreWaitParams *params,
         unsigned int count, cudaStream_t stream),
        (list, params, count, OWN(stream)))

/* ---- those whose stream lies in what they are pointed to ---- */
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *f, void **args);
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                struct cudaGraphInstantiateParams *params);

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *f, void **args)
{
    if (!config)
        return cudaLaunchKernelExC(config, f, args);
    cudaLaunchConfig_t own = *config;
    own.stream = OWN(own.stream);
    return cudaLaunchKernelExC(&own, f, args);
}

cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                struct cudaGraphInstantiateParams *params)
{
    if (!params)
        return cudaGraphInstantiateWithParams(exec, graph, params);
    const cudaStream_t given = params->uploadStream;
    params->uploadStream = OWN(given);
    const cudaError_t e = cudaGraphInstantiateWithParams(exec, graph, params);
    params->uploadStream = given;
    return e;
}

/* ---- the driver's functions: those of the same kind, unless the caller says which ---- */
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function,
                                         unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
                                                  unsigned version, unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status);

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function,
                                         unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPoint(symbol, function,
                                   flags ? flags : cudaEnablePerThreadDefaultStream, status);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
                                                  unsigned version, unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(
        symbol, function, version, flags ? flags : cudaEnablePerThreadDefaultStream, status);
}
