/* Functions that CUDA 13 gave other parameters, for C++: a program may be written for either. */
#pragma once
#if defined __cplusplus && !defined __TERN_DEVICE__

static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t size,
                                               struct cudaMemLocation location, unsigned int flags,
                                               cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync_v2(p, size, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice,
                                        struct cudaMemLocation location)
{
    return cudaMemAdvise_v2(p, size, advice, location);
}
static inline cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                               const size_t *sizes, size_t count,
                                               struct cudaMemcpyAttributes *attributes,
                                               size_t *indices, size_t nattributes,
                                               cudaStream_t stream)
{
    return cudaMemcpyBatchAsync((void **)to, (void **)from, (size_t *)sizes, count, attributes,
                                indices, nattributes, 0, stream);
}
static inline cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list,
                                                 unsigned long long flags, cudaStream_t stream)
{
    return cudaMemcpy3DBatchAsync(count, list, 0, flags, stream);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                            size_t *count)
{
    return cudaGraphGetEdges_v2(graph, from, to, edges, count);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                       cudaGraphEdgeData *edges, size_t *count)
{
    return cudaGraphNodeGetDependencies_v2(node, nodes, edges, count);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                         cudaGraphNode_t *nodes,
                                                         cudaGraphEdgeData *edges, size_t *count)
{
    return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edges, size_t count)
{
    return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                      const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to,
                                                      const cudaGraphEdgeData *edges, size_t count)
{
    return cudaGraphRemoveDependencies_v2(graph, from, to, edges, count);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *after,
                                           const cudaGraphEdgeData *edges, size_t nafter,
                                           struct cudaGraphNodeParams *params)
{
    return cudaGraphAddNode_v2(node, graph, after, edges, nafter, params);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                   enum cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **after,
                                                   const cudaGraphEdgeData **edges, size_t *nafter)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, nafter);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                              cudaGraphNode_t *after,
                                                              const cudaGraphEdgeData *edges,
                                                              size_t nafter, unsigned int flags)
{
    return cudaStreamUpdateCaptureDependencies_v2(stream, after, edges, nafter, flags);
}
#endif
