// Graphs that decide while they run: if, if else, while, switch, one inside another, through capture, and again after an
// update; and what is refused.
#include "check.h"

__global__ void set(cudaGraphConditionalHandle handle, const int *p)
{
    cudaGraphSetConditional(handle, *p);
}
__global__ void add(int *p, int by)
{
    *p += by;
}
__global__ void count_down(cudaGraphConditionalHandle handle, int *left, int *done)
{
    *done += 1;
    cudaGraphSetConditional(handle, --*left > 0);
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *f, void *a, void *b, void *c = 0)
{
    void *args[] = {a, b, c};
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    p.kernel.func = f;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = args;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddNode(&node, graph, after, after != 0, &p));
    return node;
}

static cudaGraph_t *condition(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle,
                              cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaGraphNode_t node;
    cudaGraphNodeType kind;
    CUDA(cudaGraphAddNode(&node, graph, after, after != 0, &p));
    CUDA(cudaGraphNodeGetType(node, &kind));
    CHECK(kind == cudaGraphNodeTypeConditional);
    return p.conditional.phGraph_out;
}

static int *x; // what to decide by, and what was done

static int run(cudaGraphExec_t exec, int by)
{
    int h[2] = {by, 0};
    CUDA(cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost));
    return h[1];
}

static cudaGraphExec_t ready(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    return exec;
}

int main()
{
    CUDA(cudaMalloc(&x, 2 * sizeof *x));
    int *out = x + 1, one = 1, ten = 10, hundred = 100;
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle, inner;

    // if and else; the number stays from one replay to the next, unless there is a default
    for (int with_else = 0; with_else < 2; with_else++) {
        CUDA(cudaGraphCreate(&graph, 0));
        CUDA(cudaGraphConditionalHandleCreate(&handle, graph));
        cudaGraphNode_t first = kernel(graph, 0, (void *)set, &handle, &x);
        cudaGraph_t *bodies = condition(graph, &first, handle, cudaGraphCondTypeIf, 1 + with_else);
        kernel(bodies[0], 0, (void *)add, &out, &one);
        if (with_else)
            kernel(bodies[1], 0, (void *)add, &out, &ten);
        cudaGraphExec_t exec = ready(graph);
        CHECK(run(exec, 1) == 1 && run(exec, 0) == 10 * with_else && run(exec, 7) == 1);
        CUDA(cudaGraphExecDestroy(exec));
        CUDA(cudaGraphDestroy(graph));
    }

    // while, its body captured; a default starts it each time; an inner if
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    CUDA(cudaGraphConditionalHandleCreate(&inner, graph));
    cudaGraph_t body = *condition(graph, 0, handle, cudaGraphCondTypeWhile, 1);
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamBeginCaptureToGraph(stream, body, 0, 0, 0, cudaStreamCaptureModeGlobal));
    count_down<<<1, 1, 0, stream>>>(handle, x, out);
    set<<<1, 1, 0, stream>>>(inner, x);
    CUDA(cudaStreamEndCapture(stream, 0));
    size_t n = 2;
    cudaGraphNode_t nodes[2];
    CUDA(cudaGraphGetNodes(body, nodes, &n));
    CHECK(n == 2);
    kernel(*condition(body, &nodes[1], inner, cudaGraphCondTypeIf, 1), 0, (void *)add, &out, &hundred);
    cudaGraphExec_t exec = ready(graph);
    CHECK(run(exec, 5) == 5 + 4 * hundred && run(exec, 1) == 1 && run(exec, 3) == 3 + 2 * hundred);
    cudaGraph_t copy;
    CUDA(cudaGraphClone(&copy, graph));
    CUDA(cudaGraphDestroy(graph));
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaGraphExecUpdate(exec, copy, &info));
    CHECK(run(exec, 2) == 2 + hundred);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(copy));

    // a handle may be made while the graph is captured
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *after;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaStreamGetCaptureInfo_v2(stream, &status, 0, &graph, &after, &n));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph));
    set<<<1, 1, 0, stream>>>(handle, x);
    CUDA(cudaStreamGetCaptureInfo_v2(stream, &status, 0, &graph, &after, &n));
    CHECK(n == 1);
    kernel(*condition(graph, after, handle, cudaGraphCondTypeIf, 1), 0, (void *)add, &out, &ten);
    CUDA(cudaGraphGetNodes(graph, 0, &n));
    CHECK(n == 2);
    CUDA(cudaGraphGetNodes(graph, nodes, &n));
    CUDA(cudaStreamUpdateCaptureDependencies(stream, &nodes[1], 1, cudaStreamSetCaptureDependencies));
    CUDA(cudaStreamEndCapture(stream, &graph));
    exec = ready(graph);
    CHECK(run(exec, 0) == 0 && run(exec, 4) == 10);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));

    // switch: numbers past the last body do nothing
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph));
    cudaGraphNode_t first = kernel(graph, 0, (void *)set, &handle, &x);
    cudaGraph_t *bodies = condition(graph, &first, handle, cudaGraphCondTypeSwitch, 3);
    kernel(bodies[0], 0, (void *)add, &out, &one);
    kernel(bodies[1], 0, (void *)add, &out, &ten);
    kernel(bodies[2], 0, (void *)add, &out, &hundred);
    exec = ready(graph);
    CHECK(run(exec, 0) == 1 && run(exec, 1) == 10 && run(exec, 2) == 100 && run(exec, 3) == 0);
    CUDA(cudaGraphExecDestroy(exec));

    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    cudaGraphNode_t node;
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 2;
    CHECK(cudaGraphAddNode(&node, graph, 0, 0, &p) == cudaErrorInvalidValue);
    p.conditional.size = 1;
    p.conditional.handle = 12345;
    CHECK(cudaGraphAddNode(&node, graph, 0, 0, &p) == cudaErrorInvalidValue);
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 8) == cudaErrorInvalidValue);
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(x));
    puts("ok");
}
