/* libcudart.so.13: functions whose parameters or structures changed from CUDA 12 to 13. */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include "cuda/cuda_runtime_api.h"
#undef cudaStreamGetCaptureInfo /* CUDA 12's header means _v2 by it */

/* cudaDeviceProp lost the fields that cudaDeviceGetAttribute has, and moved together. */
#define FIELDS(X)                                                                                  \
    X(char, name, [256])                                                                           \
    X(cudaUUID_t, uuid, )                                                                          \
    X(char, luid, [8])                                                                             \
    X(unsigned int, luidDeviceNodeMask, )                                                          \
    X(size_t, totalGlobalMem, )                                                                    \
    X(size_t, sharedMemPerBlock, )                                                                 \
    X(int, regsPerBlock, )                                                                         \
    X(int, warpSize, )                                                                             \
    X(size_t, memPitch, )                                                                          \
    X(int, maxThreadsPerBlock, )                                                                   \
    X(int, maxThreadsDim, [3])                                                                     \
    X(int, maxGridSize, [3])                                                                       \
    X(size_t, totalConstMem, )                                                                     \
    X(int, major, )                                                                                \
    X(int, minor, )                                                                                \
    X(size_t, textureAlignment, )                                                                  \
    X(size_t, texturePitchAlignment, )                                                             \
    X(int, multiProcessorCount, )                                                                  \
    X(int, integrated, )                                                                           \
    X(int, canMapHostMemory, )                                                                     \
    X(int, maxTexture1D, )                                                                         \
    X(int, maxTexture1DMipmap, )                                                                   \
    X(int, maxTexture2D, [2])                                                                      \
    X(int, maxTexture2DMipmap, [2])                                                                \
    X(int, maxTexture2DLinear, [3])                                                                \
    X(int, maxTexture2DGather, [2])                                                                \
    X(int, maxTexture3D, [3])                                                                      \
    X(int, maxTexture3DAlt, [3])                                                                   \
    X(int, maxTextureCubemap, )                                                                    \
    X(int, maxTexture1DLayered, [2])                                                               \
    X(int, maxTexture2DLayered, [3])                                                               \
    X(int, maxTextureCubemapLayered, [2])                                                          \
    X(int, maxSurface1D, )                                                                         \
    X(int, maxSurface2D, [2])                                                                      \
    X(int, maxSurface3D, [3])                                                                      \
    X(int, maxSurface1DLayered, [2])                                                               \
    X(int, maxSurface2DLayered, [3])                                                               \
    X(int, maxSurfaceCubemap, )                                                                    \
    X(int, maxSurfaceCubemapLayered, [2])                                                          \
    X(size_t, surfaceAlignment, )                                                                  \
    X(int, concurrentKernels, )                                                                    \
    X(int, ECCEnabled, )                                                                           \
    X(int, pciBusID, )                                                                             \
    X(int, pciDeviceID, )                                                                          \
    X(int, pciDomainID, )                                                                          \
    X(int, tccDriver, )                                                                            \
    X(int, asyncEngineCount, )                                                                     \
    X(int, unifiedAddressing, )                                                                    \
    X(int, memoryBusWidth, )                                                                       \
    X(int, l2CacheSize, )                                                                          \
    X(int, persistingL2CacheMaxSize, )                                                             \
    X(int, maxThreadsPerMultiProcessor, )                                                          \
    X(int, streamPrioritiesSupported, )                                                            \
    X(int, globalL1CacheSupported, )                                                               \
    X(int, localL1CacheSupported, )                                                                \
    X(size_t, sharedMemPerMultiprocessor, )                                                        \
    X(int, regsPerMultiprocessor, )                                                                \
    X(int, managedMemory, )                                                                        \
    X(int, isMultiGpuBoard, )                                                                      \
    X(int, multiGpuBoardGroupID, )                                                                 \
    X(int, hostNativeAtomicSupported, )                                                            \
    X(int, pageableMemoryAccess, )                                                                 \
    X(int, concurrentManagedAccess, )                                                              \
    X(int, computePreemptionSupported, )                                                           \
    X(int, canUseHostPointerForRegisteredMem, )                                                    \
    X(int, cooperativeLaunch, )                                                                    \
    X(size_t, sharedMemPerBlockOptin, )                                                            \
    X(int, pageableMemoryAccessUsesHostPageTables, )                                               \
    X(int, directManagedMemAccessFromHost, )                                                       \
    X(int, maxBlocksPerMultiProcessor, )                                                           \
    X(int, accessPolicyMaxWindowSize, )                                                            \
    X(size_t, reservedSharedMemPerBlock, )                                                         \
    X(int, hostRegisterSupported, )                                                                \
    X(int, sparseCudaArraySupported, )                                                             \
    X(int, hostRegisterReadOnlySupported, )                                                        \
    X(int, timelineSemaphoreInteropSupported, )                                                    \
    X(int, memoryPoolsSupported, )                                                                 \
    X(int, gpuDirectRDMASupported, )                                                               \
    X(unsigned int, gpuDirectRDMAFlushWritesOptions, )                                             \
    X(int, gpuDirectRDMAWritesOrdering, )                                                          \
    X(unsigned int, memoryPoolSupportedHandleTypes, )                                              \
    X(int, deferredMappingCudaArraySupported, )                                                    \
    X(int, ipcEventSupported, )                                                                    \
    X(int, clusterLaunch, )                                                                        \
    X(int, unifiedFunctionPointers, )

struct properties {
#define X(type, field, size) type field size;
    FIELDS(X)
#undef X
    int more[63]; /* NUMA nodes, PCI numbers, room for later */
};
_Static_assert(sizeof(struct properties) == 1008, "as CUDA 13 has it");

static void *ours(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Declared by our headers as CUDA 12 has them: given their names by the linker. */
cudaError_t properties(struct properties *p, int device) __asm__("cudaGetDeviceProperties");

cudaError_t properties(struct properties *p, int device)
{
    cudaError_t (*get)(struct cudaDeviceProp *, int);
    void *f = ours("cudaGetDeviceProperties");
    struct cudaDeviceProp all;
    if (!f || !p)
        return cudaErrorInvalidValue;
    memcpy(&get, &f, sizeof f);
    cudaError_t e = get(&all, device);
    if (e == cudaSuccess) {
        memset(p, 0, sizeof *p);
#define X(type, field, size) memcpy(&p->field, &all.field, sizeof p->field);
        FIELDS(X)
#undef X
    }
    return e;
}

/* What CUDA 12 has with a version has the plain name here. */
#define PLAIN(name, versioned, parameters, arguments)                                              \
    cudaError_t plain_##name parameters __asm__(#name);                                            \
    cudaError_t plain_##name parameters                                                            \
    {                                                                                              \
        return versioned arguments;                                                                \
    }
/* And with a stream, which is the thread's own under the second name. */
#define PLAIN_STREAM(name, versioned, parameters, arguments)                                       \
    PLAIN(name, versioned, parameters, arguments)                                                  \
    cudaError_t own_##name parameters __asm__(#name "_ptsz");                                      \
    cudaError_t own_##name parameters                                                              \
    {                                                                                              \
        stream = stream ? stream : cudaStreamPerThread;                                            \
        return versioned arguments;                                                                \
    }
PLAIN_STREAM(cudaMemPrefetchAsync, cudaMemPrefetchAsync_v2,
             (const void *p, size_t n, struct cudaMemLocation to, unsigned flags,
              cudaStream_t stream),
             (p, n, to, flags, stream))
PLAIN(cudaMemAdvise, cudaMemAdvise_v2,
      (const void *p, size_t n, enum cudaMemoryAdvise advice, struct cudaMemLocation where),
      (p, n, advice, where))
PLAIN(cudaGraphGetEdges, cudaGraphGetEdges_v2,
      (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
       size_t *count),
      (graph, from, to, edges, count))
PLAIN(cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2,
      (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count),
      (node, nodes, edges, count))
PLAIN(cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2,
      (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *count),
      (node, nodes, edges, count))
PLAIN(cudaGraphAddDependencies, cudaGraphAddDependencies_v2,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
       const cudaGraphEdgeData *edges, size_t count),
      (graph, from, to, edges, count))
PLAIN(cudaGraphRemoveDependencies, cudaGraphRemoveDependencies_v2,
      (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
       const cudaGraphEdgeData *edges, size_t count),
      (graph, from, to, edges, count))
PLAIN(cudaGraphAddNode, cudaGraphAddNode_v2,
      (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after,
       const cudaGraphEdgeData *edges, size_t nafter, struct cudaGraphNodeParams *params),
      (node, graph, after, edges, nafter, params))
PLAIN_STREAM(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v3,
             (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
              cudaGraph_t *graph, const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
              size_t *nafter),
             (stream, status, id, graph, after, edges, nafter))
PLAIN_STREAM(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_v2,
             (cudaStream_t stream, cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
              size_t nafter, unsigned flags),
             (stream, after, edges, nafter, flags))

/* Batches told which copy failed in CUDA 12. */
cudaError_t copies(void **to, void **from, size_t *sizes, size_t count,
                   struct cudaMemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                   cudaStream_t stream) __asm__("cudaMemcpyBatchAsync");
cudaError_t boxes(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                  cudaStream_t stream) __asm__("cudaMemcpy3DBatchAsync");

cudaError_t copies(void **to, void **from, size_t *sizes, size_t count,
                   struct cudaMemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                   cudaStream_t stream)
{
    cudaError_t (*all)(void **, void **, size_t *, size_t, struct cudaMemcpyAttributes *, size_t *,
                       size_t, size_t *, cudaStream_t);
    void *f = ours("cudaMemcpyBatchAsync");
    memcpy(&all, &f, sizeof f);
    return f ? all(to, from, sizes, count, attributes, indices, nattributes, NULL, stream)
             : cudaErrorInvalidValue;
}

cudaError_t boxes(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                  cudaStream_t stream)
{
    cudaError_t (*all)(size_t, struct cudaMemcpy3DBatchOp *, size_t *, unsigned long long,
                       cudaStream_t);
    void *f = ours("cudaMemcpy3DBatchAsync");
    memcpy(&all, &f, sizeof f);
    return f ? all(count, list, NULL, flags, stream) : cudaErrorInvalidValue;
}

cudaError_t copies_own(void **to, void **from, size_t *sizes, size_t count,
                       struct cudaMemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                       cudaStream_t stream) __asm__("cudaMemcpyBatchAsync_ptsz");
cudaError_t boxes_own(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                      cudaStream_t stream) __asm__("cudaMemcpy3DBatchAsync_ptsz");

cudaError_t copies_own(void **to, void **from, size_t *sizes, size_t count,
                       struct cudaMemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                       cudaStream_t stream)
{
    return copies(to, from, sizes, count, attributes, indices, nattributes,
                  stream ? stream : cudaStreamPerThread);
}

cudaError_t boxes_own(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                      cudaStream_t stream)
{
    return boxes(count, list, flags, stream ? stream : cudaStreamPerThread);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = 13000;
    return cudaSuccess;
}
