// Graphs through the driver API: nodes of any kind, what they hold, memory, conditions, attributes, edges.
#include "check_driver.h"

enum { N = 64 };

__global__ void add(int *p, int by)
{
    p[threadIdx.x] += by;
}
// counts down; the loop goes on while the number is not 0
__global__ void step(int *p, cudaGraphConditionalHandle handle)
{
    if (!threadIdx.x) {
        p[0] += 1;
        cudaGraphSetConditional(handle, p[0] < 5);
    }
}

static CUdeviceptr d;

static int value(int at)
{
    int h[N];
    CU(cuMemcpyDtoH(h, d, sizeof h));
    return h[at];
}

static void launch(CUgraph g)
{
    CUgraphExec x;
    CU(cuGraphInstantiate(&x, g, 0));
    CU(cuGraphLaunch(x, 0));
    CU(cuCtxSynchronize());
    CU(cuGraphExecDestroy(x));
}

static CUgraphNodeParams kernel_node(const void *symbol, void **args)
{
    CUgraphNodeParams p = {};
    cudaFunction_t f;
    CUDA(cudaGetFuncBySymbol(&f, symbol));
    p.type = CU_GRAPH_NODE_TYPE_KERNEL;
    p.kernel.func = f;
    p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = N;
    p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.kernelParams = args;
    return p;
}

static void any_kind()
{
    CUgraph g;
    CUgraphNode fill, kernel, copy, empty, call;
    CUgraphExec x;
    int by = 5, h[N] = {};
    void *args[] = {&d, &by};
    CU(cuGraphCreate(&g, 0));
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset.dst = d;
    p.memset.elementSize = 4;
    p.memset.value = 1;
    p.memset.width = N;
    p.memset.height = 1;
    CU(cuGraphAddNode_v2(&fill, g, nullptr, nullptr, 0, &p));
    p = kernel_node((const void *)add, args);
    CUgraphEdgeData plain = {}, early = {};
    early.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    CHECK(cuGraphAddNode_v2(&kernel, g, &fill, &early, 1, &p) == CUDA_ERROR_NOT_SUPPORTED);
    CU(cuGraphAddNode_v2(&kernel, g, &fill, &plain, 1, &p));
    CUgraphNodeParams c = {};
    c.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    c.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.memcpy.copyParams.srcDevice = d;
    c.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.memcpy.copyParams.dstHost = h;
    c.memcpy.copyParams.WidthInBytes = sizeof h;
    c.memcpy.copyParams.Height = c.memcpy.copyParams.Depth = 1;
    CU(cuGraphAddNode(&copy, g, &kernel, 1, &c));
    CUgraphNodeParams e = {};
    e.type = CU_GRAPH_NODE_TYPE_EMPTY;
    CU(cuGraphAddNode(&empty, g, &copy, 1, &e));
    static int calls;
    CUgraphNodeParams host = {};
    host.type = CU_GRAPH_NODE_TYPE_HOST;
    host.host.fn = [](void *p) { ++*(int *)p; };
    host.host.userData = &calls;
    CU(cuGraphAddNode(&call, g, &empty, 1, &host));
    CUgraphNodeParams none = {};
    none.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    CHECK(cuGraphAddNode(&call, g, nullptr, 0, &none) == CUDA_ERROR_NOT_SUPPORTED);
    launch(g);
    CHECK(h[0] == 6 && h[N - 1] == 6 && calls == 1);

    // told back
    CUDA_MEMSET_NODE_PARAMS f;
    CU(cuGraphMemsetNodeGetParams(fill, &f));
    CHECK(f.dst == d && f.value == 1 && f.elementSize == 4 && f.width == N && f.height == 1);
    CUDA_MEMCPY3D m;
    CU(cuGraphMemcpyNodeGetParams(copy, &m));
    CHECK(m.srcDevice == d && m.dstHost == h && m.WidthInBytes == sizeof h && m.Height == 1);
    CHECK(cuGraphMemcpyNodeGetParams(fill, &m) == CUDA_ERROR_INVALID_VALUE);
    size_t n = 8;
    CUgraphNode from[8], to[8];
    CUgraphEdgeData edges[8];
    CU(cuGraphGetEdges_v2(g, from, to, edges, &n));
    CHECK(n == 4 && !edges[0].type);
    n = 8;
    CU(cuGraphNodeGetDependencies_v2(copy, from, edges, &n));
    CHECK(n == 1 && from[0] == kernel);
    n = 8;
    CU(cuGraphNodeGetDependentNodes_v2(kernel, to, edges, &n));
    CHECK(n == 1 && to[0] == copy);
    CU(cuGraphRemoveDependencies_v2(g, &copy, &empty, nullptr, 1));
    CU(cuGraphAddDependencies_v2(g, &copy, &empty, &plain, 1));

    // changed, in the graph and in what was made of it
    by = 7;
    CU(cuGraphNodeSetParams(kernel, &p));
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset.dst = d;
    p.memset.elementSize = 4;
    p.memset.value = 2;
    p.memset.width = N;
    p.memset.height = 1;
    CU(cuGraphNodeSetParams(fill, &p));
    launch(g);
    CHECK(h[3] == 9);
    CU(cuGraphInstantiate(&x, g, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
    cuuint64_t flags = 0;
    CU(cuGraphExecGetFlags(x, &flags));
    CHECK(flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    p.memset.value = 30;
    CU(cuGraphExecNodeSetParams(x, fill, &p));
    int other[N] = {};
    m.dstHost = other;
    CU(cuGraphExecMemcpyNodeSetParams(x, copy, &m, nullptr));
    CU(cuGraphLaunch(x, 0));
    CU(cuCtxSynchronize());
    CHECK(other[5] == 37 && h[5] == 9);
    CU(cuGraphExecDestroy(x));
    CU(cuGraphMemcpyNodeSetParams(copy, &m));
    launch(g);
    CHECK(other[5] == 9);

    // attributes of a kernel
    CUkernelNodeAttrValue v = {}, back;
    v.cooperative = 1;
    CU(cuGraphKernelNodeSetAttribute(kernel, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &v));
    CU(cuGraphKernelNodeGetAttribute(kernel, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &back));
    CHECK(back.cooperative == 1);
    CUgraphNode twin;
    p = kernel_node((const void *)add, args);
    CU(cuGraphAddNode(&twin, g, &kernel, 1, &p));
    CU(cuGraphKernelNodeCopyAttributes(twin, kernel));
    CU(cuGraphKernelNodeGetAttribute(twin, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &back));
    CHECK(back.cooperative == 1);
    CHECK(cuGraphKernelNodeGetAttribute(fill, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &back) ==
          CUDA_ERROR_INVALID_VALUE);

    CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
    how.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    v.cooperative = 0;
    CU(cuGraphKernelNodeSetAttribute(kernel, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &v));
    CU(cuGraphKernelNodeCopyAttributes(twin, kernel));
    CU(cuGraphInstantiateWithParams(&x, g, &how));
    CHECK(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
    CU(cuGraphExecGetFlags(x, &flags));
    CHECK(flags == CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
    CU(cuGraphExecDestroy(x));
    CU(cuGraphDestroy(g));
}

static void memory()
{
    CUgraph g;
    CUgraphNode alloc, release, kernel;
    CU(cuGraphCreate(&g, 0));
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.alloc.bytesize = 4096;
    CU(cuGraphAddNode(&alloc, g, nullptr, 0, &p));
    CHECK(p.alloc.dptr);
    CUDA_MEM_ALLOC_NODE_PARAMS a = {};
    CU(cuGraphMemAllocNodeGetParams(alloc, &a));
    CHECK(a.dptr == p.alloc.dptr && a.bytesize == 4096);
    int by = 1;
    CUdeviceptr at = a.dptr;
    void *args[] = {&at, &by};
    CUgraphNodeParams k = kernel_node((const void *)add, args);
    CU(cuGraphAddNode(&kernel, g, &alloc, 1, &k));
    CU(cuGraphAddMemFreeNode(&release, g, &kernel, 1, a.dptr));
    CUdeviceptr freed = 0;
    CU(cuGraphMemFreeNodeGetParams(release, &freed));
    CHECK(freed == a.dptr);
    cuuint64_t used = 0;
    CU(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used >= 4096);
    CU(cuDeviceGraphMemTrim(0));
    launch(g);
    static int destroyed;
    CUuserObject object;
    CU(cuUserObjectCreate(&object, &destroyed, [](void *p) { ++*(int *)p; }, 1,
                          CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CU(cuUserObjectRetain(object, 1));
    CU(cuUserObjectRelease(object, 1));
    CU(cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    CHECK(!destroyed);
    CU(cuGraphDestroy(g));
    CHECK(destroyed == 1);
    used = 0;
    CU(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &used));
    CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used) ==
          CUDA_ERROR_INVALID_VALUE);
}

static void conditions()
{
    CUgraph g;
    CUgraphNode node, inside;
    CUgraphConditionalHandle handle;
    CU(cuMemsetD32(d, 0, N));
    CU(cuGraphCreate(&g, 0));
    CU(cuGraphConditionalHandleCreate(&handle, g, nullptr, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNodeParams p = {};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    p.conditional.size = 1;
    CU(cuGraphAddNode(&node, g, nullptr, 0, &p));
    CUgraphNodeType type;
    CU(cuGraphNodeGetType(node, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_CONDITIONAL);
    void *args[] = {&d, &handle};
    CUgraphNodeParams k = kernel_node((const void *)step, args);
    CU(cuGraphAddNode(&inside, p.conditional.phGraph_out[0], nullptr, 0, &k));
    launch(g);
    CHECK(value(0) == 5);
    CU(cuGraphDestroy(g));
}

static void captured()
{
    CUgraph g, same;
    CUgraphNode fill;
    CUstream s;
    CUDA_MEMSET_NODE_PARAMS f = {};
    f.dst = d;
    f.elementSize = 4;
    f.value = 4;
    f.width = N;
    f.height = 1;
    CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CU(cuGraphCreate(&g, 0));
    CU(cuGraphAddMemsetNode(&fill, g, nullptr, 0, &f, nullptr));
    CU(cuStreamBeginCaptureToGraph(s, g, &fill, nullptr, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    add<<<1, N, 0, s>>>((int *)d, 10);
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    const CUgraphNode *after;
    const CUgraphEdgeData *edges;
    size_t n = 0;
    CU(cuStreamGetCaptureInfo_v3(s, &status, &id, &same, &after, &edges, &n));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && same == g && n == 1);
    CU(cuStreamUpdateCaptureDependencies_v2(s, nullptr, nullptr, 0, 0));
    CU(cuStreamEndCapture(s, &same));
    CHECK(same == g);
    launch(g);
    CHECK(value(0) == 14 && value(N - 1) == 14);
    CU(cuGraphDestroy(g));
    CU(cuStreamDestroy(s));
}

int main()
{
    CU(cuInit(0));
    CUDA(cudaSetDevice(0));
    CUDA(cudaFree(nullptr));
    CU(cuMemAlloc(&d, N * sizeof(int)));
    any_kind();
    memory();
    conditions();
    captured();
    CU(cuMemFree(d));
    printf("ok\n");
}
