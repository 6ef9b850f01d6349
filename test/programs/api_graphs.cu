// Graphs: built by hand and by capture, instantiated, replayed, updated, cloned; children, host nodes, memory.
#include "check.h"

__global__ void add(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}
__global__ void multiply(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= by;
}
__device__ int symbol[4];

static const int n = 256;
static int h[n];
static bool all(int *p, int value)
{
    CUDA(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    for (int x : h)
        if (x != value)
            return false;
    return true;
}
static void count(void *p)
{
    ++*(int *)p;
}
static int destroyed;
static void destroy(void *)
{
    destroyed++;
}

static void by_hand(int *p)
{
    cudaGraph_t g, clone;
    cudaGraphNode_t set, a, m, host, copy, empty;
    CUDA(cudaGraphCreate(&g, 0));
    cudaMemsetParams fill = {};
    fill.dst = p;
    fill.elementSize = 4;
    fill.value = 1;
    fill.width = n;
    fill.height = 1;
    CUDA(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &fill));
    int by = 2, many = n, called = 0;
    void *args[] = {&p, &many, &by};
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = dim3(2);
    k.blockDim = dim3(128);
    k.kernelParams = args;
    CUDA(cudaGraphAddKernelNode(&a, g, &set, 1, &k));
    k.func = (void *)multiply;
    CUDA(cudaGraphAddKernelNode(&m, g, &a, 1, &k));
    cudaHostNodeParams call = {count, &called};
    CUDA(cudaGraphAddHostNode(&host, g, &m, 1, &call));
    CUDA(cudaGraphAddMemcpyNode1D(&copy, g, &m, 1, h, p, sizeof h, cudaMemcpyDeviceToHost));
    cudaGraphNode_t both[] = {host, copy};
    CUDA(cudaGraphAddEmptyNode(&empty, g, both, 2));

    size_t count = 0, edges = 0;
    CUDA(cudaGraphGetNodes(g, nullptr, &count));
    CUDA(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
#if CUDART_VERSION < 13000
    CUDA(cudaGraphGetEdges(g, nullptr, nullptr, &edges));
#endif
    CHECK(count == 6 && edges == 6);
    cudaGraphNode_t root[4];
    count = 4;
    CUDA(cudaGraphGetRootNodes(g, root, &count));
    CHECK(count == 1 && root[0] == set && root[1] == nullptr);
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(host, &type));
    CHECK(type == cudaGraphNodeTypeHost);
    CHECK(cudaGraphAddDependencies(g, &set, &a, nullptr, 1) == cudaErrorInvalidValue); // is there already

    cudaGraphExec_t x;
    CUDA(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++)
        CUDA(cudaGraphLaunch(x, 0));
    CUDA(cudaStreamSynchronize(0));
    CHECK(called == 3 && h[0] == 6 && all(p, 6));

    // other parameters, in the executable graph only
    by = 5;
    CUDA(cudaGraphExecKernelNodeSetParams(x, m, &k));
    CUDA(cudaGraphLaunch(x, 0));
    CHECK(all(p, 15));
    CUDA(cudaGraphKernelNodeGetParams(m, &k));
    CHECK(*(int *)k.kernelParams[2] == 2 && k.gridDim.x == 2);
    CUDA(cudaGraphNodeSetEnabled(x, m, 0));
    CUDA(cudaGraphLaunch(x, 0));
    CHECK(all(p, 3));

    // a clone is its own; the executable graph takes its parameters
    CUDA(cudaGraphClone(&clone, g));
    cudaGraphNode_t in_clone;
    CUDA(cudaGraphNodeFindInClone(&in_clone, set, clone));
    fill.value = 10;
    CUDA(cudaGraphMemsetNodeSetParams(in_clone, &fill));
    CUDA(cudaGraphMemsetNodeGetParams(set, &fill));
    CHECK(fill.value == 1 && fill.width == n);
    CUDA(cudaGraphExecUpdate(x, clone, nullptr));
    CUDA(cudaGraphNodeFindInClone(&in_clone, m, clone));
    CUDA(cudaGraphNodeSetEnabled(x, in_clone, 1));
    CUDA(cudaGraphLaunch(x, 0));
    CHECK(all(p, 24));
    CUDA(cudaGraphDestroyNode(empty));
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(x, g, &info) == cudaErrorGraphExecUpdateFailure &&
          info.result == cudaGraphExecUpdateErrorTopologyChanged);
    cudaGetLastError();

    // a cycle cannot run
    cudaGraphEdgeData edge = {};
    CUDA(cudaGraphAddDependencies(g, &m, &set, &edge, 1));
    cudaGraphExec_t none;
    CHECK(cudaGraphInstantiate(&none, g, 0) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaGraphRemoveDependencies(g, &m, &set, nullptr, 1));

    // a child, twice
    cudaGraph_t parent;
    cudaGraphNode_t first, second;
    CUDA(cudaGraphCreate(&parent, 0));
    CUDA(cudaGraphAddChildGraphNode(&first, parent, nullptr, 0, g));
    CUDA(cudaGraphAddChildGraphNode(&second, parent, &first, 1, g));
    cudaGraphExec_t y;
    CUDA(cudaGraphInstantiate(&y, parent, 0));
    called = 0;
    CUDA(cudaGraphLaunch(y, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(called == 2 && all(p, 6));
    CUDA(cudaGraphExecDestroy(x));
    CUDA(cudaGraphExecDestroy(y));
    CUDA(cudaGraphDestroy(parent));
    CUDA(cudaGraphDestroy(clone));
    CUDA(cudaGraphDestroy(g));
}

static void by_capture(int *p)
{
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamCreate(&t));
    CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    int *q;
    CUDA(cudaMalloc(&q, sizeof h));
    CUDA(cudaDeviceSynchronize());
    cudaGraph_t g;
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CUDA(cudaMemsetAsync(p, 0, sizeof h, s));
    add<<<2, 128, 0, s>>>(p, n, 1);
    CUDA(cudaEventRecord(fork, s));
    CUDA(cudaStreamWaitEvent(t, fork, 0));
    CUDA(cudaMemcpyAsync(q, p, sizeof h, cudaMemcpyDeviceToDevice, t));
    multiply<<<2, 128, 0, t>>>(q, n, 7);
    add<<<2, 128, 0, s>>>(p, n, 2);
    CUDA(cudaEventRecord(join, t));
    CUDA(cudaStreamWaitEvent(s, join, 0));
    void *tmp;
    CUDA(cudaMallocAsync(&tmp, sizeof h, s));
    CUDA(cudaMemcpyAsync(tmp, q, sizeof h, cudaMemcpyDeviceToDevice, s));
    CUDA(cudaMemcpyAsync(q, tmp, sizeof h, cudaMemcpyDeviceToDevice, s));
    CUDA(cudaFreeAsync(tmp, s));
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    CUDA(cudaStreamGetCaptureInfo(s, &status, &id));
    CHECK(status == cudaStreamCaptureStatusActive && id);
    CUDA(cudaStreamEndCapture(s, &g));
    size_t count = 0;
    CUDA(cudaGraphGetNodes(g, nullptr, &count));
    CHECK(count == 9);
    CUDA(cudaMemset(q, 0, sizeof h));
    cudaGraphExec_t x;
    CUDA(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0));
    for (int i = 0; i < 10; i++)
        CUDA(cudaGraphLaunch(x, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(all(p, 3) && all(q, 7));
    cudaUserObject_t object;
    CUDA(cudaUserObjectCreate(&object, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
    CUDA(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    CUDA(cudaGraphDestroy(g));
    CHECK(destroyed == 1);
    CUDA(cudaGraphLaunch(x, s)); // the executable graph is its own
    CUDA(cudaGraphExecDestroy(x));

    // what may not be captured, and what then happens
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
    CUDA(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusInvalidated);
    CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated && !g);
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1>>>(p, n, 1); // the default stream would have to wait
    CHECK(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
    CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated);
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecord(fork, s));
    CUDA(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 1, 0, t>>>(p, n, 1);
    CHECK(cudaEventSynchronize(fork) == cudaErrorCapturedEvent);
    CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureUnjoined);
    CHECK(cudaStreamEndCapture(s, &g) == cudaErrorInvalidValue);

    // a stream that took part may go before the end, if what it did was waited for
    for (int joined = 0; joined < 2; joined++) {
        cudaStream_t gone;
        CUDA(cudaStreamCreate(&gone));
        CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        CUDA(cudaEventRecord(fork, s));
        CUDA(cudaStreamWaitEvent(gone, fork, 0));
        add<<<1, 1, 0, gone>>>(p, n, 0);
        CUDA(cudaEventRecord(join, gone));
        if (joined)
            CUDA(cudaStreamWaitEvent(s, join, 0));
        CUDA(cudaStreamDestroy(gone));
        CHECK(cudaStreamEndCapture(s, &g) == (joined ? cudaSuccess : cudaErrorStreamCaptureInvalidated));
        CHECK(!g == !joined);
        if (joined)
            CUDA(cudaGraphDestroy(g));
    }
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    add<<<1, 1, 0, t>>>(p, n, 0);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaEventDestroy(fork));
    CUDA(cudaEventDestroy(join));
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaStreamDestroy(t));
    CUDA(cudaFree(q));
}

static void symbols_and_events()
{
    cudaGraph_t g;
    cudaGraphNode_t to, record, from;
    cudaEvent_t event;
    int in[4] = {1, 2, 3, 4}, out[4] = {};
    CUDA(cudaEventCreate(&event));
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, symbol, in, sizeof in, 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphAddEventRecordNode(&record, g, &to, 1, event));
    CUDA(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &record, 1, out, symbol, sizeof out, 0, cudaMemcpyDeviceToHost));
    cudaGraphExec_t x;
    CUDA(cudaGraphInstantiate(&x, g, 0));
    CUDA(cudaGraphLaunch(x, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(out[3] == 4 && cudaEventQuery(event) == cudaSuccess);
    CUDA(cudaGraphExecDestroy(x));
    CUDA(cudaGraphDestroy(g));
    CUDA(cudaEventDestroy(event));
}

// Nodes of any kind through one function.
static void any_kind(int *p)
{
    cudaGraph_t g;
    cudaGraphNode_t a, b, c;
    int out[4] = {}, *q = p, n = 4, value = 3;
    void *args[] = {&q, &n, &value};
    CUDA(cudaGraphCreate(&g, 0));
    cudaGraphNodeParams set = {cudaGraphNodeTypeMemset}, kernel = {cudaGraphNodeTypeKernel}, copy = {cudaGraphNodeTypeMemcpy};
    set.memset.dst = p;
    set.memset.value = 0;
    set.memset.elementSize = 4;
    set.memset.width = 4;
    set.memset.height = 1;
    CUDA(cudaGraphAddNode(&a, g, nullptr, nullptr, 0, &set));
    kernel.kernel.func = (void *)add;
    kernel.kernel.gridDim = dim3(1);
    kernel.kernel.blockDim = dim3(4);
    kernel.kernel.kernelParams = args;
    CUDA(cudaGraphAddNode(&b, g, &a, nullptr, 1, &kernel));
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(p, sizeof out, 4, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(out, sizeof out, 4, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(sizeof out, 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaGraphAddNode(&c, g, &b, nullptr, 1, &copy));
    cudaGraphExec_t x;
    CUDA(cudaGraphInstantiate(&x, g, 0));
    CUDA(cudaGraphLaunch(x, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 3 && out[3] == 3);
    value = 8;
    CUDA(cudaGraphExecNodeSetParams(x, b, &kernel));
    CUDA(cudaGraphLaunch(x, 0));
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 8);
    CUDA(cudaGraphExecDestroy(x));
    CUDA(cudaGraphDestroy(g));
}

int main()
{
    int *p;
    CUDA(cudaMalloc(&p, sizeof h));
    any_kind(p);
    by_hand(p);
    by_capture(p);
    symbols_and_events();
    CUDA(cudaFree(p));
    puts("ok");
}
