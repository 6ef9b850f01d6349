/* Graphs as newer programs build them: nodes of any kind through one function, data on edges, and
 * attributes of kernels. Each node is made by the function of its kind, conditional ones here. */
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_int.h"

/* ---- conditions ---- */

/* A handle is the address of its number, which kernels write and which lives as long as the graph.
 */
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int first, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_graph *g = (struct tern_graph *)graph;
    void *p = NULL;
    if (!handle || cuda_handle_gone(graph) || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_graph_memory(g, sizeof first, &p);
    const uint64_t at = (uint64_t)(uintptr_t)p;
    if (e == cudaSuccess) /* at once: streams may be captured */
        e = cuda_from(d->rt.driver->copy_in(d->rt.dev, d->own.queue, at, &first, sizeof first));
    if (e == cudaSuccess)
        e = cuda_from(device_check(d, d->rt.driver->queue_wait(d->own.queue)));
    if (e == cudaSuccess && flags & cudaGraphCondAssignDefault)
        e = cuda_from(graph_default(g, d, at, first));
    if (e == cudaSuccess)
        *handle = at;
    return cuda_return(e);
}

static cudaError_t add_condition(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t nafter,
                                 struct cudaConditionalNodeParams *params)
{
    static const struct {
        enum condition_kind kind;
        unsigned most;
    } types[] = {[cudaGraphCondTypeIf] = {CONDITION_IF, 2},
                 [cudaGraphCondTypeWhile] = {CONDITION_WHILE, 1},
                 [cudaGraphCondTypeSwitch] = {CONDITION_SWITCH, 1u << 16}};
    struct cuda_range r;
    if (!node || cuda_handle_gone(graph) || (nafter && !after) ||
        (unsigned)params->type >= sizeof types / sizeof *types || !params->size ||
        params->size > types[params->type].most ||
        !cuda_find_range((void *)(uintptr_t)params->handle, 0, &r) || r.at != params->handle ||
        !(r.flags & CUDA_OF_GRAPH))
        return cuda_return(cudaErrorInvalidValue);
    struct work w = {.kind = WORK_CONDITION,
                     .condition = {.kind = types[params->type].kind,
                                   .at = params->handle,
                                   .nbodies = params->size}};
    struct tern_graph empty = {0}, **bodies = calloc(params->size, sizeof *bodies);
    cudaError_t e = bodies ? cuda_current(&w.device) : cudaErrorMemoryAllocation;
    for (unsigned k = 0; bodies && k < params->size; k++)
        bodies[k] = &empty; /* the node makes copies, which the program fills */
    w.condition.bodies = bodies;
    struct tern_node *n = NULL;
    if (e == cudaSuccess)
        e = cuda_from(graph_add((struct tern_graph *)graph, (struct tern_node *const *)after,
                                nafter, &w, &n));
    free(bodies);
    if (e == cudaSuccess) {
        *node = (cudaGraphNode_t)n;
        params->phGraph_out = (cudaGraph_t *)n->work.condition.bodies;
        for (unsigned k = 0; k < params->size; k++)
            cuda_handle_inner(n->work.condition.bodies[k]);
    }
    return cuda_return(e);
}

/* ---- nodes of any kind ---- */

static struct cudaKernelNodeParams kernel_params(const struct cudaKernelNodeParamsV2 *p)
{
    return (struct cudaKernelNodeParams){.func = p->func,
                                         .gridDim = p->gridDim,
                                         .blockDim = p->blockDim,
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t nafter, struct cudaGraphNodeParams *params)
{
    PROF_CALL(__func__);
    if (!params)
        return cuda_return(cudaErrorInvalidValue);
    switch (params->type) {
    case cudaGraphNodeTypeKernel: {
        const struct cudaKernelNodeParams kernel = kernel_params(&params->kernel);
        return cudaGraphAddKernelNode(node, graph, after, nafter, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, after, nafter, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(node, graph, after, nafter, &params->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(node, graph, after, nafter, &params->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, after, nafter, params->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, after, nafter);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, after, nafter, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, after, nafter, params->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return cudaGraphAddMemAllocNode(node, graph, after, nafter, &params->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, after, nafter, params->free.dptr);
    case cudaGraphNodeTypeConditional:
        return add_condition(node, graph, after, nafter, &params->conditional);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait: return cuda_return(cudaErrorNotSupported);
    }
    return cuda_return(cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    PROF_CALL(__func__);
    if (!params)
        return cuda_return(cudaErrorInvalidValue);
    switch (params->type) {
    case cudaGraphNodeTypeKernel: {
        const struct cudaKernelNodeParams kernel = kernel_params(&params->kernel);
        return cudaGraphKernelNodeSetParams(node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphMemsetNodeSetParams(node, &params->memset);
    case cudaGraphNodeTypeHost: return cudaGraphHostNodeSetParams(node, &params->host);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphEventWaitNodeSetEvent(node, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphEventRecordNodeSetEvent(node, params->eventRecord.event);
    default: return cuda_return(cudaErrorNotSupported);
    }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *params)
{
    PROF_CALL(__func__);
    if (!params)
        return cuda_return(cudaErrorInvalidValue);
    switch (params->type) {
    case cudaGraphNodeTypeKernel: {
        const struct cudaKernelNodeParams kernel = kernel_params(&params->kernel);
        return cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphExecMemcpyNodeSetParams(exec, node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphExecMemsetNodeSetParams(exec, node, &params->memset);
    case cudaGraphNodeTypeHost: return cudaGraphExecHostNodeSetParams(exec, node, &params->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphExecEventWaitNodeSetEvent(exec, node, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphExecEventRecordNodeSetEvent(exec, node, params->eventRecord.event);
    default: return cuda_return(cudaErrorNotSupported);
    }
}

/* ---- attributes of kernels ---- */

static struct tern_node *kernel_node(cudaGraphNode_t node)
{
    struct tern_node *n = (struct tern_node *)node;
    return n && n->work.kind == WORK_KERNEL ? n : NULL;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node,
                                            enum cudaLaunchAttributeID attribute,
                                            const union cudaLaunchAttributeValue *value)
{
    PROF_CALL(__func__);
    struct tern_node *n = kernel_node(node);
    if (!n || !value)
        return cuda_return(cudaErrorInvalidValue);
    cuda_shape_set(&n->work.kernel.shape, attribute, value);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                            enum cudaLaunchAttributeID attribute,
                                            union cudaLaunchAttributeValue *value)
{
    PROF_CALL(__func__);
    struct tern_node *n = kernel_node(node);
    if (!n || !value)
        return cuda_return(cudaErrorInvalidValue);
    cuda_shape_get(&n->work.kernel.shape, attribute, value);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to)
{
    PROF_CALL(__func__);
    struct tern_node *a = kernel_node(from), *b = kernel_node(to);
    if (!a || !b)
        return cuda_return(cudaErrorInvalidValue);
    struct dev_launch *shape = &b->work.kernel.shape;
    const struct dev_launch *given = &a->work.kernel.shape;
    shape->cooperative = given->cooperative;
    shape->overlaps = given->overlaps;
    memcpy(shape->cluster, given->cluster, sizeof shape->cluster);
    return cudaSuccess;
}

/* ---- data on edges ---- */

/* Only full dependencies: nothing starts before what it depends on has ended. */
static bool plain(const cudaGraphEdgeData *edges, size_t n)
{
    for (size_t k = 0; edges && k < n; k++)
        if (edges[k].from_port || edges[k].to_port || edges[k].type)
            return false;
    return true;
}

static cudaError_t told(cudaError_t e, cudaGraphEdgeData *edges, const size_t *count)
{
    if (e == cudaSuccess && edges && count)
        memset(edges, 0, *count * sizeof *edges);
    return e;
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *edges, size_t *count)
{
    PROF_CALL(__func__);
    return told(cudaGraphGetEdges(graph, from, to, count), edges, count);
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                            cudaGraphEdgeData *edges, size_t *count)
{
    PROF_CALL(__func__);
    return told(cudaGraphNodeGetDependencies(node, nodes, count), edges, count);
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                              cudaGraphEdgeData *edges, size_t *count)
{
    PROF_CALL(__func__);
    return told(cudaGraphNodeGetDependentNodes(node, nodes, count), edges, count);
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count)
{
    PROF_CALL(__func__);
    return plain(edges, count) ? cudaGraphAddDependencies(graph, from, to, count)
                               : cuda_return(cudaErrorNotSupported);
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                           const cudaGraphNode_t *to,
                                           const cudaGraphEdgeData *edges, size_t count)
{
    PROF_CALL(__func__);
    return plain(edges, count) ? cudaGraphRemoveDependencies(graph, from, to, count)
                               : cuda_return(cudaErrorNotSupported);
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                const cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
                                size_t nafter, struct cudaGraphNodeParams *params)
{
    PROF_CALL(__func__);
    return plain(edges, nafter) ? cudaGraphAddNode(node, graph, after, nafter, params)
                                : cuda_return(cudaErrorNotSupported);
}

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **after,
                                        const cudaGraphEdgeData **edges, size_t *nafter)
{
    PROF_CALL(__func__);
    if (edges)
        *edges = NULL; /* every edge is a plain one */
    return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, after, nafter);
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *after,
                                                   const cudaGraphEdgeData *edges, size_t nafter,
                                                   unsigned int flags)
{
    PROF_CALL(__func__);
    return plain(edges, nafter) ? cudaStreamUpdateCaptureDependencies(stream, after, nafter, flags)
                                : cuda_return(cudaErrorNotSupported);
}
