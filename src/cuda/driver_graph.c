/* The driver API: graphs and capture. */
#include "cuda/driver_int.h"

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphCreate(graph, flags));
}

CUresult cuGraphDestroy(CUgraph graph)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphDestroy(graph));
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphClone(clone, graph));
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphNodeFindInClone(node, original, clone));
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphGetNodes(graph, nodes, count));
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphGetRootNodes(graph, nodes, count));
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphGetEdges(graph, from, to, count));
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphNodeGetDependencies(node, nodes, count));
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphNodeGetDependentNodes(node, nodes, count));
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddDependencies(graph, from, to, count));
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphRemoveDependencies(graph, from, to, count));
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphDestroyNode(node));
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)type));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                             size_t nafter)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddEmptyNode(node, graph, after, nafter));
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                            size_t nafter, const CUDA_HOST_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddHostNode(node, graph, after, nafter,
                                        (const struct cudaHostNodeParams *)params));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphHostNodeGetParams(node, (struct cudaHostNodeParams *)params));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphHostNodeSetParams(node, (const struct cudaHostNodeParams *)params));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaGraphExecHostNodeSetParams(exec, node, (const struct cudaHostNodeParams *)params));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                  size_t nafter, CUgraph child)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddChildGraphNode(node, graph, after, nafter, child));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphChildGraphNodeGetGraph(node, child));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphExecChildGraphNodeSetParams(exec, node, child));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                   size_t nafter, CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddEventRecordNode(node, graph, after, nafter, event));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphEventRecordNodeGetEvent(node, event));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphEventRecordNodeSetEvent(node, event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                 size_t nafter, CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddEventWaitNode(node, graph, after, nafter, event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphEventWaitNodeGetEvent(node, event));
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphEventWaitNodeSetEvent(node, event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                               size_t nafter, CUdeviceptr p)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddMemFreeNode(node, graph, after, nafter, (void *)(uintptr_t)p));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphInstantiateWithFlags(exec, graph, flags));
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphLaunch(exec, stream));
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphUpload(exec, stream));
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphExecDestroy(exec));
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphExecUpdate(exec, graph, (struct cudaGraphExecUpdateResultInfo *)info));
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphNodeSetEnabled(exec, node, enabled));
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphNodeGetEnabled(exec, node, enabled));
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphDebugDotPrint(graph, path, flags));
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)mode));
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamEndCapture(stream, graph));
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status));
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                CUgraph *graph, const CUgraphNode **after, size_t *nafter)
{
    PROF_CALL(__func__);
    unsigned long long number = 0;
    const cudaError_t e = cudaStreamGetCaptureInfo_v2(
        stream, (enum cudaStreamCaptureStatus *)status, id ? &number : NULL, graph, after, nafter);
    if (id && e == cudaSuccess)
        *id = number;
    RETURN_RUNTIME(e);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, size_t nafter,
                                           unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamUpdateCaptureDependencies(stream, after, nafter, flags));
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}

/* ---- nodes whose parameters look different here ---- */

static struct cudaKernelNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS *p)
{
    return (struct cudaKernelNodeParams){.func = p->func ? (void *)p->func : (void *)p->kern,
                                         .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t nafter, const CUDA_KERNEL_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaKernelNodeParams k = kernel_params(params);
    RETURN_RUNTIME(cudaGraphAddKernelNode(node, graph, after, nafter, &k));
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaKernelNodeParams k = kernel_params(params);
    RETURN_RUNTIME(cudaGraphKernelNodeSetParams(node, &k));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaKernelNodeParams k = kernel_params(params);
    RETURN_RUNTIME(cudaGraphExecKernelNodeSetParams(exec, node, &k));
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    struct cudaKernelNodeParams k;
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t last = cuda_last();
    const CUresult r = driver_result(cudaGraphKernelNodeGetParams(node, &k));
    cuda_set_last(last);
    if (r == CUDA_SUCCESS)
        *params = (CUDA_KERNEL_NODE_PARAMS){.func = k.func,
                                            .gridDimX = k.gridDim.x,
                                            .gridDimY = k.gridDim.y,
                                            .gridDimZ = k.gridDim.z,
                                            .blockDimX = k.blockDim.x,
                                            .blockDimY = k.blockDim.y,
                                            .blockDimZ = k.blockDim.z,
                                            .sharedMemBytes = k.sharedMemBytes,
                                            .kernelParams = k.kernelParams};
    return r;
}

static struct cudaMemsetParams fill_params(const CUDA_MEMSET_NODE_PARAMS *p)
{
    return (struct cudaMemsetParams){.dst = (void *)(uintptr_t)p->dst,
                                     .pitch = p->pitch,
                                     .value = p->value,
                                     .elementSize = p->elementSize,
                                     .width = p->width,
                                     .height = p->height};
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t nafter, const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context)
{
    PROF_CALL(__func__);
    (void)context; /* the memory tells the device */
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaMemsetParams f = fill_params(params);
    RETURN_RUNTIME(cudaGraphAddMemsetNode(node, graph, after, nafter, &f));
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaMemsetParams f = fill_params(params);
    RETURN_RUNTIME(cudaGraphMemsetNodeSetParams(node, &f));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    PROF_CALL(__func__);
    (void)context;
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaMemsetParams f = fill_params(params);
    RETURN_RUNTIME(cudaGraphExecMemsetNodeSetParams(exec, node, &f));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t nafter, const CUDA_MEMCPY3D *params, CUcontext context)
{
    PROF_CALL(__func__);
    struct work w;
    struct tern_node *n;
    (void)context;
    CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    if (!node || cuda_handle_gone(graph) || (nafter && !after))
        return CUDA_ERROR_INVALID_VALUE;
    cudaError_t e = driver_box_work(params, &w);
    if (e == cudaSuccess && (!w.copy.width || !w.copy.height || !w.copy.depth))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_current(&w.device);
    if (e == cudaSuccess)
        e = cuda_from(graph_add((struct tern_graph *)graph, (struct tern_node *const *)after,
                                nafter, &w, &n));
    if (e == cudaSuccess)
        *node = (CUgraphNode)n;
    return driver_result(e);
}
