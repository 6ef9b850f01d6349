/* Graphs and stream capture, as the runtime API has them. A cudaGraph_t is a struct tern_graph, a
 * node a struct tern_node, an executable graph a struct tern_replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/cuda_int.h"

static struct tern_graph *graph_of(cudaGraph_t g)
{
    return (struct tern_graph *)g;
}

static struct tern_node *node_of(cudaGraphNode_t n)
{
    return (struct tern_node *)n;
}

static struct tern_replay *replay_of(cudaGraphExec_t x)
{
    return (struct tern_replay *)x;
}

/* ---- work from parameters, and back ---- */

/* Fills w; params, of API_MAX_PARAM_BYTES, takes the arguments. */
static cudaError_t kernel_work(const struct cudaKernelNodeParams *p, char *params, struct work *w)
{
    struct tern_device *d;
    const struct rt_kernel *k;
    if (!p || !p->func)
        return p ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    cudaError_t e = cuda_kernel_by_handle(p->func, &d, &k);
    if (e != cudaSuccess)
        return e;
    *w = (struct work){.kind = WORK_KERNEL,
                       .device = d,
                       .kernel = {.kernel = k,
                                  .shape = {.grid = {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                                            .block = {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                            .shared = p->sharedMemBytes,
                                            .params = params,
                                            .param_bytes = k->param_bytes},
                                  .handle = p->func}};
    e = cuda_from(kernel_check(d, k, &w->kernel.shape));
    if (e == cudaSuccess && p->extra)
        e = cuda_packed_params(p->extra, k, params);
    else if (e == cudaSuccess)
        e = cuda_gather_params(p->kernelParams, k, params);
    return e == cudaSuccess ? cuda_managed_params(d, k, params) : e;
}

static cudaError_t fill_work(const struct cudaMemsetParams *p, struct work *w)
{
    if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
        !p->width || !p->height || p->width > UINT64_MAX / 4)
        return cudaErrorInvalidValue;
    const uint64_t width = p->width * p->elementSize, pitch = p->height > 1 ? p->pitch : width;
    if (pitch < width || pitch > UINT64_MAX / p->height)
        return cudaErrorInvalidValue;
    *w = (struct work){
        .kind = WORK_FILL,
        .fill = {
            .width = width, .height = p->height, .value = p->value, .element = p->elementSize}};
    cudaError_t e = cuda_locate(p->dst, (p->height - 1) * pitch + width, true, true, &w->fill.to);
    w->fill.to.row = pitch;
    return e;
}

static cudaError_t box_work(const struct cudaMemcpy3DParms *p, struct work *w)
{
    cudaError_t e = cuda_box_work(p, w);
    if (e == cudaSuccess && (!w->copy.width || !w->copy.height || !w->copy.depth))
        e = cudaErrorInvalidValue;
    return e;
}

static cudaError_t bytes_work(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                              struct work *w)
{
    if (!to || !from || !n || (unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidValue;
    const bool claimed = kind != cudaMemcpyDefault;
    *w = (struct work){.kind = WORK_COPY, .copy = {.width = n, .height = 1, .depth = 1}};
    cudaError_t e =
        cuda_locate(to, n, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
                    claimed, &w->copy.to);
    if (e == cudaSuccess)
        e = cuda_locate(from, n, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice,
                        claimed, &w->copy.from);
    return e;
}

static cudaError_t symbol_work(const void *symbol, size_t offset, const void *other, size_t n,
                               enum cudaMemcpyKind kind, bool to_symbol, struct work *w)
{
    struct tern_device *d;
    dev_ptr p;
    uint64_t whole;
    if (!other || !n)
        return cudaErrorInvalidValue;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_symbol(d, symbol, &p, &whole);
    if (e == cudaSuccess && (offset > whole || n > whole - offset))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return e;
    struct work_place a = {.device = d, .at = p + offset}, b;
    e = cuda_locate(other, n, kind == cudaMemcpyDeviceToDevice, kind != cudaMemcpyDefault, &b);
    *w = (struct work){.kind = WORK_COPY,
                       .copy = {.to = to_symbol ? a : b,
                                .from = to_symbol ? b : a,
                                .width = n,
                                .height = 1,
                                .depth = 1}};
    return e;
}

static cudaError_t call_work(const struct cudaHostNodeParams *p, struct work *w)
{
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *w = (struct work){.kind = WORK_CALL, .call = {p->fn, p->userData}};
    return cudaSuccess;
}

static cudaError_t event_work(cudaEvent_t event, enum work_kind kind, struct work *w)
{
    if (!cuda_handle_is(HANDLE_EVENT, event))
        return cudaErrorInvalidValue;
    *w = (struct work){.kind = kind, .event = (struct tern_event *)event};
    return cudaSuccess;
}

/* ---- graphs ---- */

/* A graph that the program is to destroy becomes known as one. */
static cudaError_t hand_out(cudaError_t e, struct tern_graph *g, cudaGraph_t *out)
{
    if (e == cudaSuccess && !cuda_handle_add(HANDLE_GRAPH, g)) {
        graph_free(g);
        e = cudaErrorMemoryAllocation;
    }
    if (e == cudaSuccess)
        *out = (cudaGraph_t)g;
    return cuda_return(e);
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_graph *g;
    if (!graph || flags)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_from(graph_new(&g));
    return hand_out(e, g, graph);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    PROF_CALL(__func__);
    if (!cuda_handle_remove(HANDLE_GRAPH, graph))
        return cuda_return(cudaErrorInvalidValue);
    graph_free(graph_of(graph));
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    PROF_CALL(__func__);
    struct tern_graph *g;
    if (!clone || cuda_handle_gone(graph))
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_from(graph_clone(graph_of(graph), &g));
    return hand_out(e, g, clone);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    PROF_CALL(__func__);
    if (!node || !original || cuda_handle_gone(clone))
        return cuda_return(cudaErrorInvalidValue);
    const struct tern_graph *g = graph_of(clone);
    for (size_t k = 0; k < g->nnodes; k++)
        if (g->nodes[k]->origin == node_of(original)) {
            *node = (cudaGraphNode_t)g->nodes[k];
            return cudaSuccess;
        }
    return cuda_return(cudaErrorInvalidValue);
}

/* Lists come in two steps: without a place for them, only their length is told. */
struct list {
    void **out;
    size_t room, n;
};

static void list_add(struct list *l, const void *p)
{
    if (l->out && l->n < l->room)
        l->out[l->n] = (void *)p;
    l->n++;
}

static cudaError_t list_end(struct list *l, size_t *n)
{
    for (size_t k = l->n; l->out && k < l->room; k++)
        l->out[k] = NULL;
    *n = l->out && l->n > l->room ? l->room : l->n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(graph) || !count)
        return cuda_return(cudaErrorInvalidValue);
    struct list l = {(void **)nodes, *count, 0};
    for (size_t k = 0; k < graph_of(graph)->nnodes; k++)
        list_add(&l, graph_of(graph)->nodes[k]);
    return list_end(&l, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(graph) || !count)
        return cuda_return(cudaErrorInvalidValue);
    struct list l = {(void **)nodes, *count, 0};
    for (size_t k = 0; k < graph_of(graph)->nnodes; k++)
        if (!graph_of(graph)->nodes[k]->nafter)
            list_add(&l, graph_of(graph)->nodes[k]);
    return list_end(&l, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              size_t *count)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(graph) || !count || !from != !to)
        return cuda_return(cudaErrorInvalidValue);
    struct list a = {(void **)from, *count, 0}, b = {(void **)to, *count, 0};
    for (size_t k = 0; k < graph_of(graph)->nnodes; k++) {
        const struct tern_node *n = graph_of(graph)->nodes[k];
        for (size_t j = 0; j < n->nafter; j++) {
            list_add(&a, n->after[j]);
            list_add(&b, n);
        }
    }
    list_end(&a, count);
    return list_end(&b, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         size_t *count)
{
    PROF_CALL(__func__);
    if (!node || !count)
        return cuda_return(cudaErrorInvalidValue);
    struct list l = {(void **)nodes, *count, 0};
    for (size_t k = 0; k < node_of(node)->nafter; k++)
        list_add(&l, node_of(node)->after[k]);
    return list_end(&l, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           size_t *count)
{
    PROF_CALL(__func__);
    if (!node || !count)
        return cuda_return(cudaErrorInvalidValue);
    struct list l = {(void **)nodes, *count, 0};
    const struct tern_graph *g = node_of(node)->graph;
    for (size_t k = 0; k < g->nnodes; k++)
        for (size_t j = 0; j < g->nodes[k]->nafter; j++)
            if (g->nodes[k]->after[j] == node_of(node))
                list_add(&l, g->nodes[k]);
    return list_end(&l, count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(graph) || (count && (!from || !to)))
        return cuda_return(cudaErrorInvalidValue);
    for (size_t k = 0; k < count; k++) {
        if (!graph_has(graph_of(graph), node_of(from[k])) ||
            !graph_has(graph_of(graph), node_of(to[k])) || from[k] == to[k])
            return cuda_return(cudaErrorInvalidValue);
        cudaError_t e = cuda_from(graph_depend(node_of(to[k]), node_of(from[k])));
        if (e != cudaSuccess)
            return cuda_return(e);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, size_t count)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(graph) || (count && (!from || !to)))
        return cuda_return(cudaErrorInvalidValue);
    for (size_t k = 0; k < count; k++)
        if (!graph_has(graph_of(graph), node_of(to[k])) ||
            !graph_independ(node_of(to[k]), node_of(from[k])))
            return cuda_return(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    PROF_CALL(__func__);
    if (!node)
        return cuda_return(cudaErrorInvalidValue);
    graph_remove(node_of(node));
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    PROF_CALL(__func__);
    enum { WORDS = 12 }; /* which has a name in the driver API only */
    static const enum cudaGraphNodeType types[] = {[WORK_EMPTY] = cudaGraphNodeTypeEmpty,
                                                   [WORK_KERNEL] = cudaGraphNodeTypeKernel,
                                                   [WORK_COPY] = cudaGraphNodeTypeMemcpy,
                                                   [WORK_FILL] = cudaGraphNodeTypeMemset,
                                                   [WORK_CALL] = cudaGraphNodeTypeHost,
                                                   [WORK_RECORD] = cudaGraphNodeTypeEventRecord,
                                                   [WORK_AFTER] = cudaGraphNodeTypeWaitEvent,
                                                   [WORK_ALLOC] = cudaGraphNodeTypeMemAlloc,
                                                   [WORK_FREE] = cudaGraphNodeTypeMemFree,
                                                   [WORK_GRAPH] = cudaGraphNodeTypeGraph,
                                                   [WORK_WORDS] = (enum cudaGraphNodeType)WORDS,
                                                   [WORK_CONDITION] = cudaGraphNodeTypeConditional};
    if (!node || !type)
        return cuda_return(cudaErrorInvalidValue);
    *type = types[node_of(node)->work.kind];
    return cudaSuccess;
}

/* ---- nodes ---- */

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                       size_t nafter, cudaError_t e, struct work *w)
{
    struct tern_device *d;
    struct tern_node *n;
    if (!node || cuda_handle_gone(graph) || (nafter && !after))
        return cuda_return(cudaErrorInvalidValue);
    if (e == cudaSuccess && !w->device) {
        e = cuda_current(&d);
        w->device = d;
    }
    if (e == cudaSuccess)
        e = cuda_from(graph_add(graph_of(graph), (struct tern_node *const *)after, nafter, w, &n));
    if (e == cudaSuccess)
        *node = (cudaGraphNode_t)n;
    return cuda_return(e);
}

static cudaError_t set(cudaGraphNode_t node, cudaError_t e, struct work *w)
{
    if (!node)
        return cuda_return(cudaErrorInvalidValue);
    if (!w->device)
        w->device = node_of(node)->work.device;
    return cuda_return(e != cudaSuccess ? e : cuda_from(graph_set(node_of(node), w)));
}

static cudaError_t set_exec(cudaGraphExec_t exec, cudaGraphNode_t node, cudaError_t e,
                            struct work *w)
{
    if (!cuda_handle_is(HANDLE_EXEC, exec) || !node)
        return cuda_return(cudaErrorInvalidValue);
    if (!w->device)
        w->device = replay_of(exec)->device;
    return cuda_return(e != cudaSuccess ? e
                                        : cuda_from(replay_set(replay_of(exec), node_of(node), w)));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t nafter)
{
    PROF_CALL(__func__);
    return add(node, graph, after, nafter, cudaSuccess, &(struct work){.kind = WORK_EMPTY});
}

/* A kind of node: its parameters make work, for a new node, an old one, or one of an executable
 * graph. */
#define NODE(Kind, Params, make)                                                                   \
    cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,                 \
                                         const cudaGraphNode_t *after, size_t nafter,              \
                                         const struct Params *params)                              \
    {                                                                                              \
        struct work w = {0};                                                                       \
        const cudaError_t e = make;                                                                \
        return add(node, graph, after, nafter, e, &w);                                             \
    }                                                                                              \
    cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t node, const struct Params *params)  \
    {                                                                                              \
        struct work w = {0};                                                                       \
        const cudaError_t e = make;                                                                \
        return set(node, e, &w);                                                                   \
    }                                                                                              \
    cudaError_t cudaGraphExec##Kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,     \
                                                   const struct Params *params)                    \
    {                                                                                              \
        struct work w = {0};                                                                       \
        const cudaError_t e = make;                                                                \
        return set_exec(exec, node, e, &w);                                                        \
    }

NODE(Kernel, cudaKernelNodeParams, kernel_work(params, (char[API_MAX_PARAM_BYTES]){0}, &w))
NODE(Memcpy, cudaMemcpy3DParms, box_work(params, &w))
NODE(Memset, cudaMemsetParams, fill_work(params, &w))
NODE(Host, cudaHostNodeParams, call_work(params, &w))
#undef NODE

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t nafter, void *to,
                                     const void *from, size_t n, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = bytes_work(to, from, n, kind, &w);
    return add(node, graph, after, nafter, e, &w);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t n, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = bytes_work(to, from, n, kind, &w);
    return set(node, e, &w);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t n, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = bytes_work(to, from, n, kind, &w);
    return set_exec(exec, node, e, &w);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *after, size_t nafter,
                                           const void *symbol, const void *from, size_t n,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = symbol_work(symbol, offset, from, n, kind, true, &w);
    return add(node, graph, after, nafter, e, &w);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *from, size_t n, size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = symbol_work(symbol, offset, from, n, kind, true, &w);
    return set(node, e, &w);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void *symbol, const void *from, size_t n,
                                                     size_t offset, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = symbol_work(symbol, offset, from, n, kind, true, &w);
    return set_exec(exec, node, e, &w);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *after, size_t nafter, void *to,
                                             const void *symbol, size_t n, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = symbol_work(symbol, offset, to, n, kind, false, &w);
    return add(node, graph, after, nafter, e, &w);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                   const void *symbol, size_t n, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = symbol_work(symbol, offset, to, n, kind, false, &w);
    return set(node, e, &w);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void *to, const void *symbol, size_t n,
                                                       size_t offset, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct work w = {0};
    const cudaError_t e = symbol_work(symbol, offset, to, n, kind, false, &w);
    return set_exec(exec, node, e, &w);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, size_t nafter,
                                       cudaGraph_t child)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(child))
        return cuda_return(cudaErrorInvalidValue);
    return add(node, graph, after, nafter, cudaSuccess,
               &(struct work){.kind = WORK_GRAPH, .graph = graph_of(child)});
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *child)
{
    PROF_CALL(__func__);
    if (!node || !child || node_of(node)->work.kind != WORK_GRAPH)
        return cuda_return(cudaErrorInvalidValue);
    *child = (cudaGraph_t)node_of(node)->work.graph;
    cuda_handle_inner(*child);
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(child))
        return cuda_return(cudaErrorInvalidValue);
    return set_exec(exec, node, cudaSuccess,
                    &(struct work){.kind = WORK_GRAPH, .graph = graph_of(child)});
}

#define EVENT_NODE(Kind, which)                                                                    \
    cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,                 \
                                         const cudaGraphNode_t *after, size_t nafter,              \
                                         cudaEvent_t event)                                        \
    {                                                                                              \
        struct work w = {0};                                                                       \
        const cudaError_t e = event_work(event, which, &w);                                        \
        return add(node, graph, after, nafter, e, &w);                                             \
    }                                                                                              \
    cudaError_t cudaGraph##Kind##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)             \
    {                                                                                              \
        struct work w = {0};                                                                       \
        const cudaError_t e = event_work(event, which, &w);                                        \
        return set(node, e, &w);                                                                   \
    }                                                                                              \
    cudaError_t cudaGraphExec##Kind##NodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,      \
                                                  cudaEvent_t event)                               \
    {                                                                                              \
        struct work w = {0};                                                                       \
        const cudaError_t e = event_work(event, which, &w);                                        \
        return set_exec(exec, node, e, &w);                                                        \
    }                                                                                              \
    cudaError_t cudaGraph##Kind##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)            \
    {                                                                                              \
        if (!node || !event || node_of(node)->work.kind != (which))                                \
            return cuda_return(cudaErrorInvalidValue);                                             \
        *event = (cudaEvent_t)node_of(node)->work.event;                                           \
        return cudaSuccess;                                                                        \
    }

EVENT_NODE(EventRecord, WORK_RECORD)
EVENT_NODE(EventWait, WORK_AFTER)
#undef EVENT_NODE

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t nafter,
                                     struct cudaMemAllocNodeParams *params)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if (!params || cuda_handle_gone(graph) || !params->bytesize ||
        params->poolProps.allocType != cudaMemAllocationTypePinned ||
        params->poolProps.location.type != cudaMemLocationTypeDevice)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_device_at(params->poolProps.location.id, &d);
    void *p = NULL;
    if (e == cudaSuccess)
        e = cuda_graph_memory(graph_of(graph), params->bytesize, &p);
    params->dptr = p;
    return add(
        node, graph, after, nafter, e,
        &(struct work){.kind = WORK_ALLOC,
                       .memory = {.address = (uint64_t)(uintptr_t)p, .size = params->bytesize}});
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *params)
{
    PROF_CALL(__func__);
    if (!node || !params || node_of(node)->work.kind != WORK_ALLOC)
        return cuda_return(cudaErrorInvalidValue);
    const struct work *w = &node_of(node)->work;
    *params = (struct cudaMemAllocNodeParams){
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, cuda_ordinal_of(w->device)}},
        .bytesize = w->memory.size,
        .dptr = (void *)(uintptr_t)w->memory.address};
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *after, size_t nafter, void *p)
{
    PROF_CALL(__func__);
    struct cuda_range r;
    if (!cuda_find_range(p, 0, &r) || r.at != (uint64_t)(uintptr_t)p || !(r.flags & CUDA_OF_GRAPH))
        return cuda_return(cudaErrorInvalidValue);
    return add(node, graph, after, nafter, cudaSuccess,
               &(struct work){.kind = WORK_FREE, .memory = {.address = r.at, .size = r.size}});
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *p)
{
    PROF_CALL(__func__);
    if (!node || !p || node_of(node)->work.kind != WORK_FREE)
        return cuda_return(cudaErrorInvalidValue);
    *(void **)p = (void *)(uintptr_t)node_of(node)->work.memory.address;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params)
{
    PROF_CALL(__func__);
    struct tern_node *n = node_of(node);
    if (!node || !params || n->work.kind != WORK_KERNEL)
        return cuda_return(cudaErrorInvalidValue);
    void **args;
    cudaError_t e = cuda_from(graph_args(n, &args));
    if (e != cudaSuccess)
        return cuda_return(e);
    const struct dev_launch *l = &n->work.kernel.shape;
    *params = (struct cudaKernelNodeParams){.func = n->work.kernel.handle,
                                            .gridDim = {l->grid[0], l->grid[1], l->grid[2]},
                                            .blockDim = {l->block[0], l->block[1], l->block[2]},
                                            .sharedMemBytes = l->shared,
                                            .kernelParams = args};
    return cudaSuccess;
}

static struct cudaPitchedPtr pitched(const struct work_place *p, const struct work *w)
{
    return (struct cudaPitchedPtr){(void *)(uintptr_t)p->at, p->row ? p->row : w->copy.width,
                                   w->copy.width,
                                   p->slice && p->row ? p->slice / p->row : w->copy.height};
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
    PROF_CALL(__func__);
    if (!node || !params || node_of(node)->work.kind != WORK_COPY)
        return cuda_return(cudaErrorInvalidValue);
    const struct work *w = &node_of(node)->work;
    static const enum cudaMemcpyKind kinds[2][2] = {
        {cudaMemcpyHostToHost, cudaMemcpyHostToDevice},
        {cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice}};
    *params = (struct cudaMemcpy3DParms){
        .srcPtr = pitched(&w->copy.from, w),
        .dstPtr = pitched(&w->copy.to, w),
        .extent = {w->copy.width, w->copy.height, w->copy.depth},
        .kind = kinds[w->copy.from.device != NULL][w->copy.to.device != NULL]};
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params)
{
    PROF_CALL(__func__);
    if (!node || !params || node_of(node)->work.kind != WORK_FILL)
        return cuda_return(cudaErrorInvalidValue);
    const struct work *w = &node_of(node)->work;
    *params = (struct cudaMemsetParams){.dst = (void *)(uintptr_t)w->fill.to.at,
                                        .pitch = w->fill.to.row,
                                        .value = w->fill.value,
                                        .elementSize = w->fill.element,
                                        .width = w->fill.width / w->fill.element,
                                        .height = w->fill.height};
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params)
{
    PROF_CALL(__func__);
    if (!node || !params || node_of(node)->work.kind != WORK_CALL)
        return cuda_return(cudaErrorInvalidValue);
    *params =
        (struct cudaHostNodeParams){node_of(node)->work.call.fn, node_of(node)->work.call.arg};
    return cudaSuccess;
}

/* ---- executable graphs ---- */

/* The device that a graph is for: where its kernels are, else where its other work was captured. */
static struct tern_device *home_of(const struct tern_graph *g, struct tern_device *current)
{
    struct tern_device *d = NULL;
    for (size_t k = 0; k < g->nnodes; k++) {
        const struct work *w = &g->nodes[k]->work;
        if (w->device && (!d || w->kind == WORK_KERNEL))
            d = w->device;
    }
    return d ? d : current;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    struct tern_replay *r;
    if (!exec || cuda_handle_gone(graph) || flags & ~15ull)
        return cuda_return(cudaErrorInvalidValue);
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return cuda_return(cudaErrorNotSupported);
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        d = home_of(graph_of(graph), d);
    if (e == cudaSuccess)
        e = cuda_from(replay_new(graph_of(graph), d, &r));
    if (e == cudaSuccess && !cuda_handle_add(HANDLE_EXEC, r)) {
        replay_free(r);
        e = cudaErrorMemoryAllocation;
    }
    if (e == cudaSuccess) {
        r->flags = flags;
        *exec = (cudaGraphExec_t)r;
    }
    return cuda_return(e);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    PROF_CALL(__func__);
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           struct cudaGraphInstantiateParams *params)
{
    PROF_CALL(__func__);
    if (!params)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e =
        cudaGraphInstantiateWithFlags(exec, graph, params->flags & ~(unsigned long long)2);
    params->errNode_out = NULL;
    params->result_out = e == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    if (e == cudaSuccess && params->flags & cudaGraphInstantiateFlagUpload) {
        replay_of(*exec)->flags = params->flags;
        e = cudaGraphUpload(*exec, params->uploadStream);
    }
    return e;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    PROF_CALL(__func__);
    if (!cuda_handle_is(HANDLE_EXEC, exec) || !flags)
        return cuda_return(cudaErrorInvalidValue);
    *flags = replay_of(exec)->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    PROF_CALL(__func__);
    if (!cuda_handle_remove(HANDLE_EXEC, exec))
        return cuda_return(cudaErrorInvalidValue);
    device_wait(replay_of(exec)->device); /* parameters of kernels may still be read */
    replay_free(replay_of(exec));
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e =
        cuda_handle_is(HANDLE_EXEC, exec) ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess && !s->capture) {
        e = cuda_from(stream_begin(s));
        if (e == cudaSuccess)
            e = cuda_managed_in(s->device);
    }
    return cuda_return(e != cudaSuccess ? e : cuda_from(replay_run(replay_of(exec), s)));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e =
        cuda_handle_is(HANDLE_EXEC, exec) ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    return cuda_return(e); /* the device gets it with the first launch */
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                struct cudaGraphExecUpdateResultInfo *info)
{
    PROF_CALL(__func__);
    struct tern_node *at;
    if (!cuda_handle_is(HANDLE_EXEC, exec) || cuda_handle_gone(graph))
        return cuda_return(cudaErrorInvalidValue);
    const enum tern_error e = replay_update(replay_of(exec), graph_of(graph), &at);
    if (info)
        *info = (struct cudaGraphExecUpdateResultInfo){
            .result = !e                       ? cudaGraphExecUpdateSuccess
                      : e != TERN_GRAPH_UPDATE ? cudaGraphExecUpdateError
                                               : cudaGraphExecUpdateErrorTopologyChanged,
            .errorNode = (cudaGraphNode_t)at};
    return cuda_return(cuda_from(e));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    PROF_CALL(__func__);
    if (!cuda_handle_is(HANDLE_EXEC, exec) || !node)
        return cuda_return(cudaErrorInvalidValue);
    return cuda_return(cuda_from(replay_enable(replay_of(exec), node_of(node), enabled != 0)));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    PROF_CALL(__func__);
    const struct tern_node *own = cuda_handle_is(HANDLE_EXEC, exec) && node && enabled
                                      ? replay_node(replay_of(exec), node_of(node))
                                      : NULL;
    if (!own)
        return cuda_return(cudaErrorInvalidValue);
    *enabled = !own->off;
    return cudaSuccess;
}

/* ---- capture ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current_stream(stream, &s);
    return cuda_return(
        e != cudaSuccess ? e : cuda_from(capture_begin(s, (enum capture_mode)mode, NULL, NULL, 0)));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          const struct cudaGraphEdgeData *edges, size_t nafter,
                                          enum cudaStreamCaptureMode mode)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    if (cuda_handle_gone(graph) || (nafter && !after) ||
        (unsigned)mode > cudaStreamCaptureModeRelaxed)
        return cuda_return(cudaErrorInvalidValue);
    for (size_t k = 0; edges && k < nafter; k++)
        if (edges[k].from_port || edges[k].to_port || edges[k].type)
            return cuda_return(cudaErrorNotSupported);
    for (size_t k = 0; k < nafter; k++)
        if (!graph_has(graph_of(graph), node_of(after[k])))
            return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_current_stream(stream, &s);
    return cuda_return(e != cudaSuccess
                           ? e
                           : cuda_from(capture_begin(s, (enum capture_mode)mode, graph_of(graph),
                                                     (struct tern_node **)after, nafter)));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    struct tern_graph *g = NULL;
    cudaError_t e = cuda_current_stream(stream, &s);
    const bool own = e == cudaSuccess && s->capture && s->capture->own_graph;
    if (e == cudaSuccess && !graph && (!s->capture || own))
        e = cudaErrorInvalidValue; /* who gave the graph need not be told */
    if (e == cudaSuccess)
        e = cuda_from(capture_end(s, &g));
    if (e == cudaSuccess && g && !cuda_handle_add(HANDLE_GRAPH, g)) {
        e = cudaErrorMemoryAllocation;
        if (own)
            graph_free(g);
        g = NULL;
    }
    if (graph)
        *graph = (cudaGraph_t)g;
    return cuda_return(e);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = status ? cuda_current_stream(stream, &s) : cudaErrorInvalidValue;
    if (e == cudaSuccess && s == &s->device->own && s->device->captures)
        e = cudaErrorStreamCaptureImplicit;
    if (e == cudaSuccess)
        *status = (enum cudaStreamCaptureStatus)capture_status(s);
    return cuda_return(e);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **after, size_t *nafter)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e = cudaStreamIsCapturing(stream, status);
    if (e == cudaSuccess)
        e = cuda_current_stream(stream, &s);
    if (e != cudaSuccess || !s->capture)
        return e;
    if (id)
        *id = s->capture->id;
    if (graph) {
        *graph = (cudaGraph_t)s->capture->graph;
        cuda_handle_inner(*graph);
    }
    if (after)
        *after = (const cudaGraphNode_t *)s->frontier;
    if (nafter)
        *nafter = s->nfrontier;
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *after,
                                                size_t nafter, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    cudaError_t e =
        flags > 1 || (nafter && !after) ? cudaErrorInvalidValue : cuda_current_stream(stream, &s);
    if (e == cudaSuccess && !s->capture)
        e = cudaErrorIllegalState;
    for (size_t k = 0; k < nafter && e == cudaSuccess; k++)
        if (!graph_has(s->capture->graph, node_of(after[k])))
            e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_from(capture_set_frontier(s, (struct tern_node **)after, nafter,
                                           flags == cudaStreamSetCaptureDependencies));
    return cuda_return(e);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    PROF_CALL(__func__);
    static _Thread_local enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return cuda_return(cudaErrorInvalidValue);
    const enum cudaStreamCaptureMode before = current;
    current = *mode;
    *mode = before;
    return cudaSuccess;
}

/* ---- what graphs hold on to ---- */

struct cudaUserObject {
    unsigned count;
    cudaHostFn_t destroy;
    void *p;
};

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *p, cudaHostFn_t destroy,
                                 unsigned int count, unsigned int flags)
{
    PROF_CALL(__func__);
    if (!object || !destroy || !count || flags != cudaUserObjectNoDestructorSync)
        return cuda_return(cudaErrorInvalidValue);
    *object = malloc(sizeof **object);
    if (!*object)
        return cuda_return(cudaErrorMemoryAllocation);
    **object = (struct cudaUserObject){count, destroy, p};
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    PROF_CALL(__func__);
    if (!object || !count)
        return cuda_return(cudaErrorInvalidValue);
    __atomic_add_fetch(&object->count, count, __ATOMIC_RELAXED);
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    PROF_CALL(__func__);
    if (!object || !count)
        return cuda_return(cudaErrorInvalidValue);
    if (!__atomic_sub_fetch(&object->count, count, __ATOMIC_ACQ_REL)) {
        object->destroy(object->p);
        free(object);
    }
    return cudaSuccess;
}

static void release_object(void *object)
{
    cudaUserObjectRelease(object, 1);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(graph) || !object || !count || flags & ~(unsigned)cudaGraphUserObjectMove)
        return cuda_return(cudaErrorInvalidValue);
    for (unsigned k = 0; k < count; k++) {
        cudaError_t e = cuda_from(graph_retain(graph_of(graph), release_object, object));
        if (e != cudaSuccess)
            return cuda_return(e);
        if (!(flags & cudaGraphUserObjectMove))
            cudaUserObjectRetain(object, 1);
    }
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(graph) || !object || !count)
        return cuda_return(cudaErrorInvalidValue);
    for (unsigned k = 0; k < count; k++)
        if (!graph_unretain(graph_of(graph), object))
            return cuda_return(cudaErrorInvalidValue);
    return cudaSuccess;
}

/* Memory of graphs lives with them: there is nothing more to trim, and its size is what they hold.
 */
cudaError_t cudaDeviceGraphMemTrim(int device)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    return cuda_return(cuda_device_at(device, &d));
}

/* ---- a picture ---- */

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    PROF_CALL(__func__);
    static const char *const kinds[] = {"empty",   "kernel", "memcpy", "memset",
                                        "host",    "record", "wait",   "alloc",
                                        "release", "graph",  "words",  "condition"};
    (void)flags; /* how much to say: always all that there is */
    FILE *f = !cuda_handle_gone(graph) && path ? fopen(path, "w") : NULL;
    if (!f)
        return cuda_return(!cuda_handle_gone(graph) && path ? cudaErrorOperatingSystem
                                                            : cudaErrorInvalidValue);
    fprintf(f, "digraph {\n");
    for (size_t k = 0; k < graph_of(graph)->nnodes; k++) {
        const struct tern_node *n = graph_of(graph)->nodes[k];
        fprintf(f, "  n%zu [label=\"%s%s%s\"]\n", k, kinds[n->work.kind],
                n->work.kind == WORK_KERNEL ? " " : "",
                n->work.kind == WORK_KERNEL ? n->work.kernel.kernel->name : "");
        for (size_t j = 0; j < n->nafter; j++)
            fprintf(f, "  n%zu -> n%zu\n", n->after[j]->index, k);
    }
    fprintf(f, "}\n");
    const bool failed = ferror(f) != 0;
    return cuda_return(fclose(f) || failed ? cudaErrorOperatingSystem : cudaSuccess);
}
