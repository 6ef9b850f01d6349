/* The driver API: graphs as newer programs build them. Nodes of any kind through one function, what
 * nodes hold told back and changed, memory of graphs, conditions, data on edges. The runtime API's
 * functions do the work; here are the driver's structures, where they differ. */
#include "cuda/driver_int.h"

/* Calls of the runtime API take the driver's structures where they are laid out alike. */
_Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(struct cudaMemAllocNodeParams) &&
                   offsetof(CUDA_MEM_ALLOC_NODE_PARAMS, dptr) ==
                       offsetof(struct cudaMemAllocNodeParams, dptr),
               "cast below");
_Static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(struct cudaGraphInstantiateParams),
               "cast below");
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "cast below");
_Static_assert(sizeof(CUlaunchAttributeValue) == sizeof(union cudaLaunchAttributeValue),
               "cast below");
_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams) &&
                   sizeof(CUgraphNodeParams) == 256,
               "as compiled programs have it");

/* ---- copies and fills, told back and changed ---- */

static cudaError_t copy_work(const CUDA_MEMCPY3D *params, struct work *w)
{
    const cudaError_t e = driver_box_work(params, w);
    return e == cudaSuccess && (!w->copy.width || !w->copy.height || !w->copy.depth)
               ? cudaErrorInvalidValue
               : e;
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    PROF_CALL(__func__);
    struct work w;
    CUresult r = node ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(copy_work(params, &w));
    if (r != CUDA_SUCCESS)
        return r;
    struct tern_node *n = (struct tern_node *)node;
    w.device = n->work.device;
    return driver_result(cuda_from(graph_set(n, &w)));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params, CUcontext context)
{
    PROF_CALL(__func__);
    struct work w;
    (void)context; /* the memory tells the device */
    CUresult r = exec && node ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(copy_work(params, &w));
    if (r != CUDA_SUCCESS)
        return r;
    struct tern_replay *x = (struct tern_replay *)exec;
    w.device = x->device;
    return driver_result(cuda_from(replay_set(x, (struct tern_node *)node, &w)));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    PROF_CALL(__func__);
    const struct tern_node *n = (struct tern_node *)node;
    if (!node || !params || n->work.kind != WORK_COPY)
        return CUDA_ERROR_INVALID_VALUE;
    const struct work_place *to = &n->work.copy.to, *from = &n->work.copy.from;
    const uint64_t width = n->work.copy.width, height = n->work.copy.height;
    *params =
        (CUDA_MEMCPY3D){.srcMemoryType = from->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                        .srcHost = from->device ? NULL : (void *)(uintptr_t)from->at,
                        .srcDevice = from->device ? from->at : 0,
                        .srcPitch = from->row ? from->row : width,
                        .srcHeight = from->slice && from->row ? from->slice / from->row : height,
                        .dstMemoryType = to->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                        .dstHost = to->device ? NULL : (void *)(uintptr_t)to->at,
                        .dstDevice = to->device ? to->at : 0,
                        .dstPitch = to->row ? to->row : width,
                        .dstHeight = to->slice && to->row ? to->slice / to->row : height,
                        .WidthInBytes = width,
                        .Height = height,
                        .Depth = n->work.copy.depth};
    return CUDA_SUCCESS;
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    struct cudaMemsetParams f;
    const cudaError_t last = cuda_last();
    const CUresult r =
        params ? driver_result(cudaGraphMemsetNodeGetParams(node, &f)) : CUDA_ERROR_INVALID_VALUE;
    cuda_set_last(last);
    if (r == CUDA_SUCCESS)
        *params = (CUDA_MEMSET_NODE_PARAMS){.dst = (CUdeviceptr)(uintptr_t)f.dst,
                                            .pitch = f.pitch,
                                            .value = f.value,
                                            .elementSize = f.elementSize,
                                            .width = f.width,
                                            .height = f.height};
    return r;
}

/* ---- memory of graphs ---- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                size_t nafter, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphAddMemAllocNode(node, graph, after, nafter,
                                            (struct cudaMemAllocNodeParams *)params));
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphMemAllocNodeGetParams(node, (struct cudaMemAllocNodeParams *)params));
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *p)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphMemFreeNodeGetParams(node, p));
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    PROF_CALL(__func__);
    RETURN_ENTERED(driver_device(device), cudaDeviceGraphMemTrim(device));
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    PROF_CALL(__func__);
    RETURN_ENTERED(
        driver_device(device),
        cudaDeviceGetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
    PROF_CALL(__func__);
    RETURN_ENTERED(
        driver_device(device),
        cudaDeviceSetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}

/* ---- what lives as long as a graph ---- */

CUresult cuUserObjectCreate(CUuserObject *object, void *p, CUhostFn destroy, unsigned int count,
                            unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaUserObjectCreate(object, p, destroy, count, flags));
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaUserObjectRetain(object, count));
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaUserObjectRelease(object, count));
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphRetainUserObject(graph, object, count, flags));
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphReleaseUserObject(graph, object, count));
}

/* ---- executable graphs ---- */

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaGraphInstantiateWithParams(exec, graph, (struct cudaGraphInstantiateParams *)params));
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags)
{
    PROF_CALL(__func__);
    unsigned long long value = 0;
    const cudaError_t last = cuda_last();
    const CUresult r =
        flags ? driver_result(cudaGraphExecGetFlags(exec, &value)) : CUDA_ERROR_INVALID_VALUE;
    cuda_set_last(last);
    if (r == CUDA_SUCCESS)
        *flags = value;
    return r;
}

/* ---- nodes of any kind ---- */

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph,
                                        CUcontext context, unsigned int first, unsigned int flags)
{
    PROF_CALL(__func__);
    cudaGraphConditionalHandle h = 0;
    (void)context; /* the current one's device */
    CUresult r = handle ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    const cudaError_t last = cuda_last();
    r = driver_result(cudaGraphConditionalHandleCreate(&h, graph, first, flags));
    cuda_set_last(last);
    *handle = h;
    return r;
}

static CUDA_MEMSET_NODE_PARAMS fill_params(const CUDA_MEMSET_NODE_PARAMS_v2 *p)
{
    return (CUDA_MEMSET_NODE_PARAMS){p->dst,         p->pitch, p->value,
                                     p->elementSize, p->width, p->height};
}

static CUresult add_condition(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t nafter, CUDA_CONDITIONAL_NODE_PARAMS *p)
{
    struct cudaGraphNodeParams any = {.type = cudaGraphNodeTypeConditional};
    any.conditional.handle = p->handle;
    any.conditional.type = (enum cudaGraphConditionalNodeType)p->type;
    any.conditional.size = p->size;
    const cudaError_t last = cuda_last();
    const CUresult r = driver_result(cudaGraphAddNode(node, graph, after, nafter, &any));
    cuda_set_last(last);
    if (r == CUDA_SUCCESS)
        p->phGraph_out = any.conditional.phGraph_out;
    return r;
}

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t nafter,
                        CUgraphNodeParams *params)
{
    PROF_CALL(__func__);
    const CUresult r = params ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    switch (params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return cuGraphAddKernelNode(node, graph, after, nafter, &params->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphAddMemcpyNode(node, graph, after, nafter, &params->memcpy.copyParams,
                                    params->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        const CUDA_MEMSET_NODE_PARAMS f = fill_params(&params->memset);
        return cuGraphAddMemsetNode(node, graph, after, nafter, &f, params->memset.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST:
        return cuGraphAddHostNode(node, graph, after, nafter, &params->host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cuGraphAddChildGraphNode(node, graph, after, nafter, params->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY: return cuGraphAddEmptyNode(node, graph, after, nafter);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cuGraphAddEventWaitNode(node, graph, after, nafter, params->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphAddEventRecordNode(node, graph, after, nafter, params->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return cuGraphAddMemAllocNode(node, graph, after, nafter, &params->alloc);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return cuGraphAddMemFreeNode(node, graph, after, nafter, params->free.dptr);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return cuGraphAddBatchMemOpNode(node, graph, after, nafter, &params->memOp);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return add_condition(node, graph, after, nafter, &params->conditional);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    PROF_CALL(__func__);
    const CUresult r = params ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    switch (params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return cuGraphKernelNodeSetParams(node, &params->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        const CUDA_MEMSET_NODE_PARAMS f = fill_params(&params->memset);
        return cuGraphMemsetNodeSetParams(node, &f);
    }
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphHostNodeSetParams(node, &params->host);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cuGraphEventWaitNodeSetEvent(node, params->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphEventRecordNodeSetEvent(node, params->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return cuGraphBatchMemOpNodeSetParams(node, &params->memOp);
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
    PROF_CALL(__func__);
    const CUresult r = params ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    switch (params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return cuGraphExecKernelNodeSetParams(exec, node, &params->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphExecMemcpyNodeSetParams(exec, node, &params->memcpy.copyParams,
                                              params->memcpy.copyCtx);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        const CUDA_MEMSET_NODE_PARAMS f = fill_params(&params->memset);
        return cuGraphExecMemsetNodeSetParams(exec, node, &f, params->memset.ctx);
    }
    case CU_GRAPH_NODE_TYPE_HOST: return cuGraphExecHostNodeSetParams(exec, node, &params->host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cuGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cuGraphExecEventWaitNodeSetEvent(exec, node, params->eventWait.event);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphExecEventRecordNodeSetEvent(exec, node, params->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return cuGraphExecBatchMemOpNodeSetParams(exec, node, &params->memOp);
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
}

/* ---- attributes of kernels ---- */

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphKernelNodeSetAttribute(node, (enum cudaLaunchAttributeID)attribute,
                                                   (const union cudaLaunchAttributeValue *)value));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphKernelNodeGetAttribute(node, (enum cudaLaunchAttributeID)attribute,
                                                   (union cudaLaunchAttributeValue *)value));
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphKernelNodeCopyAttributes(from, to));
}

/* ---- data on edges ---- */

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edges, size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphGetEdges_v2(graph, from, to, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges,
                                       size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaGraphNodeGetDependencies_v2(node, nodes, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
                                         CUgraphEdgeData *edges, size_t *count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaGraphNodeGetDependentNodes_v2(node, nodes, (cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaGraphAddDependencies_v2(graph, from, to, (const cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaGraphRemoveDependencies_v2(graph, from, to, (const cudaGraphEdgeData *)edges, count));
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                           const CUgraphEdgeData *edges, size_t nafter, CUgraphNodeParams *params)
{
    PROF_CALL(__func__);
    for (size_t k = 0; edges && k < nafter; k++)
        if (edges[k].from_port || edges[k].to_port || edges[k].type)
            return CUDA_ERROR_NOT_SUPPORTED; /* a kernel that starts early */
    return cuGraphAddNode(node, graph, after, nafter, params);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                     const CUgraphEdgeData *edges, size_t nafter,
                                     CUstreamCaptureMode mode)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamBeginCaptureToGraph(stream, graph, after,
                                                 (const cudaGraphEdgeData *)edges, nafter,
                                                 (enum cudaStreamCaptureMode)mode));
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **after,
                                   const CUgraphEdgeData **edges, size_t *nafter)
{
    PROF_CALL(__func__);
    if (edges)
        *edges = NULL; /* every edge is a plain one */
    return cuStreamGetCaptureInfo(stream, status, id, graph, after, nafter);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *after,
                                              const CUgraphEdgeData *edges, size_t nafter,
                                              unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamUpdateCaptureDependencies_v2(
        stream, after, (const cudaGraphEdgeData *)edges, nafter, flags));
}
