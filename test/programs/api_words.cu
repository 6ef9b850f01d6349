// Streams that wait for words in memory and write them, attributes and events of contexts, copies in one call.
#include "check_driver.h"
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

__global__ void add(int *p, int by)
{
    *p += by;
}

static int *d;

static int value()
{
    int h;
    CUDA(cudaMemcpyAsync(&h, d, sizeof h, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    CUDA(cudaStreamSynchronize(cudaStreamPerThread));
    return h;
}

static int attribute(CUdevice_attribute a)
{
    int v = -1;
    CU(cuDeviceGetAttribute(&v, a, 0));
    return v;
}

static void refused()
{
    CHECK(!attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS));
    CHECK(!attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR));
    CHECK(cuStreamWaitValue32(0, (CUdeviceptr)d, 0, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(cuStreamWriteValue32(0, (CUdeviceptr)d, 0, 0) == CUDA_ERROR_NOT_SUPPORTED);
}

static void words()
{
    CUstream a, b;
    unsigned *w;
    CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    CUDA(cudaMallocHost(&w, 64));
    memset(w, 0, 64);
    const CUdeviceptr p = (CUdeviceptr)w;
    // code is loaded at its first launch, for which NVIDIA's driver may wait for all streams
    add<<<1, 1, 0, a>>>(d, 1);
    add<<<1, 1, 0, b>>>(d, 1);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemset(d, 0, 4));
    CUDA(cudaDeviceSynchronize());

    // a waits; b goes on, and lets a go
    CU(cuStreamWaitValue32(a, p, 3, CU_STREAM_WAIT_VALUE_GEQ));
    add<<<1, 1, 0, a>>>(d, 1);
    CHECK(cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    add<<<1, 1, 0, b>>>(d, 10);
    CU(cuStreamSynchronize(b));
    CHECK(value() == 10 && cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    CU(cuStreamWriteValue32(b, p, 2, 0));
    CU(cuStreamSynchronize(b));
    CHECK(w[0] == 2 && cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    CU(cuStreamWriteValue32(b, p, 7, 0));
    CU(cuStreamSynchronize(a));
    CHECK(value() == 11);

    // the host writes, in the middle of a wait
    std::thread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        __atomic_store_n(&w[2], 0x10u, __ATOMIC_RELEASE);
    });
    CU(cuStreamWaitValue32(a, p + 8, 0x18, CU_STREAM_WAIT_VALUE_AND));
    CU(cuStreamSynchronize(a));
    writer.join();
    // going round: 1 comes after 0xffffffff; equal; nor; 64 bits
    w[0] = 1;
    CU(cuStreamWaitValue32(a, p, 0xffffffffu, CU_STREAM_WAIT_VALUE_GEQ));
    CU(cuStreamWaitValue32(a, p, 1, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuStreamWaitValue32(a, p, 0, CU_STREAM_WAIT_VALUE_NOR));
    CU(cuStreamSynchronize(a));
    CU(cuStreamWriteValue64(a, p + 16, 0x123456789abcdefull, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    CU(cuStreamWaitValue64(a, p + 16, 0x123456789abcdefull, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuStreamSynchronize(a));
    CHECK(*(unsigned long long *)(w + 4) == 0x123456789abcdefull);

    // a list, in one call and as a node
    CUstreamBatchMemOpParams ops[3];
    memset(ops, 0, sizeof ops);
    ops[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    ops[0].waitValue.address = p + 32;
    ops[0].waitValue.value = 1;
    ops[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
    ops[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[2].writeValue.address = p + 36;
    ops[2].writeValue.value = 77;
    CU(cuStreamBatchMemOp(a, 3, ops, 0));
    CHECK(cuStreamQuery(a) == CUDA_ERROR_NOT_READY && !w[9]);
    CU(cuStreamWriteValue32(b, p + 32, 1, 0));
    CU(cuStreamSynchronize(a));
    CHECK(w[9] == 77);
    CUgraph g;
    CUgraphNode node;
    CUgraphExec x;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {}, back;
    params.count = 3;
    params.paramArray = ops;
    CU(cuGraphCreate(&g, 0));
    CU(cuGraphAddBatchMemOpNode(&node, g, nullptr, 0, &params));
    CUgraphNodeType type;
    CU(cuGraphNodeGetType(node, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    CU(cuGraphBatchMemOpNodeGetParams(node, &back));
    CHECK(back.count == 3 && back.paramArray[2].writeValue.value == 77 &&
          back.paramArray[1].operation == CU_STREAM_MEM_OP_BARRIER &&
          back.paramArray[0].waitValue.flags == CU_STREAM_WAIT_VALUE_EQ);
    ops[2].writeValue.value = 88;
    CU(cuGraphBatchMemOpNodeSetParams(node, &params));
    CU(cuGraphInstantiate(&x, g, 0));
    CU(cuGraphLaunch(x, a));
    CU(cuStreamSynchronize(a));
    CHECK(w[9] == 88);
    ops[2].writeValue.value = 99;
    CU(cuGraphExecBatchMemOpNodeSetParams(x, node, &params));
    CU(cuGraphLaunch(x, a));
    CU(cuStreamSynchronize(a));
    CHECK(w[9] == 99);
    CU(cuGraphExecDestroy(x));
    CU(cuGraphDestroy(g));
    // captured
    CU(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuStreamWriteValue32(a, p + 40, 5, 0));
    CU(cuStreamEndCapture(a, &g));
    CHECK(!w[10]);
    CU(cuGraphInstantiate(&x, g, 0));
    CU(cuGraphLaunch(x, a));
    CU(cuStreamSynchronize(a));
    CHECK(w[10] == 5);
    CU(cuGraphExecDestroy(x));
    CU(cuGraphDestroy(g));

    CHECK(cuStreamWaitValue32(a, p + 2, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamWaitValue64(a, p + 4, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamWaitValue32(a, p, 0, 9) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuStreamWaitValue32(a, p, 0, CU_STREAM_WAIT_VALUE_FLUSH) == CUDA_ERROR_NOT_SUPPORTED);
    CHECK(!attribute(CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES));
    static int unknown;
    CHECK(cuStreamWriteValue32(a, (CUdeviceptr)&unknown, 0, 0) == CUDA_ERROR_INVALID_VALUE);

    // an event of all that the context does waits for it; all that comes then waits for the event
    CUevent e;
    CU(cuEventCreate(&e, 0));
    CU(cuStreamWaitValue32(a, p + 44, 1, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuCtxRecordEvent(nullptr, e));
    CHECK(cuEventQuery(e) == CUDA_ERROR_NOT_READY);
    CU(cuCtxWaitEvent(nullptr, e));
    add<<<1, 1, 0, b>>>(d, 100);
    CHECK(cuStreamQuery(b) == CUDA_ERROR_NOT_READY);
    __atomic_store_n(&w[11], 1u, __ATOMIC_RELEASE);
    CU(cuStreamSynchronize(b));
    CU(cuEventSynchronize(e));
    CHECK(value() == 111);
    CU(cuEventDestroy(e));
    CU(cuStreamDestroy(a));
    CU(cuStreamDestroy(b));
    CUDA(cudaFreeHost(w));
}

static void attributes()
{
    CUstream a, b;
    CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    CUstreamAttrValue v = {}, back = {};
    CU(cuStreamGetAttribute(a, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &back));
    CHECK(back.syncPolicy == CU_SYNC_POLICY_AUTO);
    v.accessPolicyWindow.base_ptr = d;
    v.accessPolicyWindow.num_bytes = 4;
    v.accessPolicyWindow.hitRatio = 0.5f;
    v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_STREAMING;
    CU(cuStreamSetAttribute(a, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    CU(cuStreamCopyAttributes(b, a));
    CU(cuStreamGetAttribute(b, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &back));
    CHECK(back.accessPolicyWindow.base_ptr == d && back.accessPolicyWindow.hitRatio == 0.5f);
    CHECK(cuStreamGetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &back) == CUDA_ERROR_INVALID_VALUE);
    CU(cuStreamDestroy(a));
    CU(cuStreamDestroy(b));

    unsigned flags = 0, on = 1;
    CU(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    CU(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_YIELD);
    CU(cuCtxResetPersistingL2Cache());
    int supported = 1;
    CU(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
    CHECK(!supported);
    CUexecAffinityParam affinity = {};
    affinity.param.smCount.val = 1;
    CUcontext c, top;
    CHECK(cuCtxCreate_v3(&c, &affinity, 1, 0, 0) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    CHECK(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    CU(cuCtxCreate_v3(&c, nullptr, 0, 0, 0));
    CU(cuCtxDestroy(c));
    CU(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)d));
    int told = 0;
    CU(cuPointerGetAttribute(&told, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)d));
    CHECK(told == 1);
    CHECK(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_MAPPED, (CUdeviceptr)d) == CUDA_ERROR_INVALID_VALUE);
    CUmemoryPool pool;
    CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CU(cuDeviceGetDefaultMemPool(&pool, 0));
    CU(cuMemPoolGetAccess(&access, pool, &here));
    CHECK(access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

    // a green context has all units
    CUdevResource all, some[2];
    CU(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    CHECK((int)all.sm.smCount == attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    unsigned groups = 2;
    CU(cuDevSmResourceSplitByCount(some, &groups, &all, nullptr, 0, 1));
    CHECK(groups == 1 && some[0].sm.smCount == all.sm.smCount);
    CUdevResourceDesc desc;
    CUgreenCtx green, of;
    CU(cuDevResourceGenerateDesc(&desc, some, 1));
    CU(cuCtxGetCurrent(&top));
    CU(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    CU(cuCtxGetCurrent(&c));
    CHECK(c == top);
    CU(cuCtxFromGreenCtx(&c, green));
    CU(cuCtxSetCurrent(c));
    CU(cuGreenCtxStreamCreate(&a, green, CU_STREAM_NON_BLOCKING, 0));
    CU(cuStreamGetGreenCtx(a, &of));
    CHECK(of == green);
    add<<<1, 1, 0, a>>>(d, 1);
    CU(cuStreamSynchronize(a));
    CU(cuStreamDestroy(a));
    CU(cuCtxSetCurrent(top));
    CU(cuGreenCtxDestroy(green));
    CHECK(cuGreenCtxDestroy(green) == CUDA_ERROR_INVALID_CONTEXT);
    free(desc);
}

static void batches()
{
    enum { N = 16 };
    cudaStream_t s;
    int from[2][N], to[2][N] = {}, *p[2];
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int k = 0; k < 2; k++) {
        CUDA(cudaMalloc(&p[k], sizeof from[k]));
        for (int i = 0; i < N; i++)
            from[k][i] = 100 * k + i;
    }
    void *in_to[] = {p[0], p[1]}, *in_from[] = {from[0], from[1]}, *out_to[] = {to[0], to[1]},
         *out_from[] = {p[0], p[1]};
    size_t sizes[] = {sizeof from[0], sizeof from[1]}, first[] = {0}, failed = 0;
    cudaMemcpyAttributes a = {};
    a.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    CUDA(cudaMemcpyBatchAsync(in_to, in_from, sizes, 2, &a, first, 1, &failed, s));
    a.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CUDA(cudaMemcpyBatchAsync(out_to, out_from, sizes, 2, &a, first, 1, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(!memcmp(from, to, sizeof from));
    CHECK(cudaMemcpyBatchAsync(out_to, out_from, sizes, 2, &a, first, 1, &failed, 0) == cudaErrorInvalidValue);
    size_t bad[] = {sizeof from[0], 0};
    CHECK(cudaMemcpyBatchAsync(out_to, out_from, bad, 2, &a, first, 1, &failed, s) == cudaErrorInvalidValue);
    CHECK(failed == 1);
    cudaGetLastError();

    // a box of 3 × 2 out of rows of 4
    cudaMemcpy3DBatchOp op = {};
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = p[1];
    op.src.op.ptr.rowLength = 4 * sizeof(int);
    op.src.op.ptr.layerHeight = 2;
    op.dst.op.ptr.ptr = to[0];
    op.extent = {3 * sizeof(int), 2, 1};
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    memset(to, 0, sizeof to);
    CUDA(cudaMemcpy3DBatchAsync(1, &op, &failed, 0, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(to[0][0] == 100 && to[0][2] == 102 && to[0][3] == 104 && to[0][5] == 106 && !to[0][6]);

    // a box between contexts
    CUcontext c;
    CU(cuCtxGetCurrent(&c));
    CUDA_MEMCPY3D_PEER peer = {};
    peer.srcMemoryType = peer.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    peer.srcDevice = (CUdeviceptr)p[0];
    peer.dstDevice = (CUdeviceptr)p[1];
    peer.WidthInBytes = sizeof from[0];
    peer.Height = peer.Depth = 1;
    CHECK(cuMemcpy3DPeer(&peer) == CUDA_ERROR_INVALID_CONTEXT);
    peer.srcContext = peer.dstContext = c;
    CU(cuMemcpy3DPeer(&peer));
    CUDA(cudaMemcpy(to[1], p[1], sizeof to[1], cudaMemcpyDeviceToHost));
    CHECK(!memcmp(from[0], to[1], sizeof to[1]));
    CUDA(cudaMemset(p[1], 0, sizeof to[1]));
    CUDA(cudaDeviceSynchronize());
    CU(cuMemcpy3DPeerAsync(&peer, s));
    CUDA(cudaStreamSynchronize(s));
    CUDA(cudaMemcpy(to[1], p[1], sizeof to[1], cudaMemcpyDeviceToHost));
    CHECK(!memcmp(from[0], to[1], sizeof to[1]));
    CUDA(cudaFree(p[0]));
    CUDA(cudaFree(p[1]));
    CUDA(cudaStreamDestroy(s));
}

// A word that never comes: the limit on waiting ends it, and the device can be reset.
static void never(const char *self)
{
    char line[100] = "";
    std::string all;
    FILE *f = popen((std::string("TERN_WAIT_LIMIT=0.3 '") + self + "' never 2>&1").c_str(), "r");
    CHECK(f);
    while (fgets(line, sizeof line, f))
        all += line;
    CHECK(!pclose(f));
    CHECK(all.find("cudaErrorLaunchTimeout") != std::string::npos && all.find("over") != std::string::npos);
}

static bool on_nvidia()
{
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    return strstr(p.name, "NVIDIA");
}

int main(int argc, char **argv)
{
    CU(cuInit(0));
    CUDA(cudaMalloc(&d, 4));
    CUDA(cudaMemset(d, 0, 4));
    add<<<1, 1>>>(d, 0);
    CUDA(cudaDeviceSynchronize());
    if (argc > 1) {
        CUstream s;
        CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
        CU(cuStreamWaitValue32(s, (CUdeviceptr)d, 1, CU_STREAM_WAIT_VALUE_EQ));
        printf("%s\n", cudaGetErrorName(cudaStreamSynchronize((cudaStream_t)s)));
        CUDA(cudaDeviceReset());
        printf("over\n");
        return 0;
    }
    if (attribute(CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS)) {
        words();
        if (!on_nvidia()) // what its driver waits for, it waits for
            never(argv[0]);
    } else {
        refused();
    }
    attributes();
    batches();
    printf("ok\n");
}
