// The templates that CUDA's C++ header puts over the C functions, each called with types that only the template takes.
#include "check.h"

__global__ void fill(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = 3;
}
__device__ float symbol[4];

struct counted {
    int *deleted;
    ~counted() { ++*deleted; }
};
static size_t half_each(int threads) { return 2 * threads; }

static void occupancy()
{
    int blocks = 0, grid = 0, block = 0;
    size_t shared = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 64, 0));
    CHECK(blocks > 0);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, fill, 64, 0, cudaOccupancyDefault));
    CHECK(blocks > 0);
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, fill, 0, 100));
    CHECK(grid > 0 && block > 0 && block <= 100);
    CUDA(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, fill));
    CHECK(grid > 0 && block > 0);
    CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, fill, half_each));
    CHECK(grid > 0 && block > 0);
    CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &grid, &block, fill, [](int threads) { return threads > 32 ? size_t(1) << 30 : size_t(0); }));
    CHECK(grid > 0 && block <= 32);
    CUDA(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, fill, half_each, 128, cudaOccupancyDefault));
    CHECK(block <= 128);
    CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, fill, 1, 64));
    CHECK(shared > 0);
}

static void memory()
{
    float *p, *q, h[4] = {1, 2, 3, 4}, back[4] = {0, 0, 0, 0};
    cudaMemPool_t pool;
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA(cudaMallocFromPoolAsync(&p, sizeof h, pool, 0));
    CUDA(cudaMallocAsync(&q, sizeof h, pool, 0));
    CUDA(cudaMemcpyToSymbolAsync(symbol, h, sizeof h));
    CUDA(cudaMemcpyFromSymbolAsync(back, symbol, sizeof h));
    CUDA(cudaStreamSynchronize(0));
    CHECK(back[3] == 4);
    CUDA(cudaFreeAsync(p, 0));
    CUDA(cudaFreeAsync(q, 0));
    CUDA(cudaMallocManaged(&p, sizeof h));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamAttachMemAsync(stream, p));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(p));
}

template <int n> __global__ void sized(int *p)
{
    *p = n;
}
__device__ float one;

// A symbol that is no array.
static void one_in_a_graph()
{
    float from = 3, other = 4, to = 0;
    cudaGraph_t graph;
    cudaGraphNode_t in, out;
    cudaGraphExec_t exec;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, one, &from, sizeof from, 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, &to, one, sizeof to, 0, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphMemcpyNodeSetParamsToSymbol(in, one, &other, sizeof other, 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphMemcpyNodeSetParamsFromSymbol(out, &to, one, sizeof to, 0, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CUDA(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, &to, one, sizeof to, 0, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaStreamSynchronize(0));
    CHECK(to == 4);
    CUDA(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, in, one, &from, sizeof from, 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaStreamSynchronize(0));
    CHECK(to == 3);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

static void graphs()
{
    one_in_a_graph();
    float h[4] = {5, 6, 7, 8}, other[4] = {9, 9, 9, 9}, back[4] = {0, 0, 0, 0}, more[4] = {0, 0, 0, 0};
    cudaGraph_t graph;
    cudaGraphNode_t in, out;
    cudaGraphExec_t exec;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, symbol, h, sizeof h, 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, back, symbol, sizeof h, 0, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaStreamSynchronize(0));
    CHECK(back[0] == 5);
    CUDA(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, in, symbol, other, sizeof h, 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, more, symbol, sizeof h, 0, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphLaunch(exec, 0));
    CUDA(cudaStreamSynchronize(0));
    CHECK(more[3] == 9 && back[0] == 5);
    CUDA(cudaGraphMemcpyNodeSetParamsToSymbol(in, symbol, other, sizeof h, 0, cudaMemcpyHostToDevice));
    CUDA(cudaGraphMemcpyNodeSetParamsFromSymbol(out, more, symbol, sizeof h, 0, cudaMemcpyDeviceToHost));
    int deleted = 0;
    cudaUserObject_t object;
    CUDA(cudaUserObjectCreate(&object, new counted{&deleted}, 1, cudaUserObjectNoDestructorSync));
    CUDA(cudaUserObjectRelease(object, 1));
    CUDA(cudaDeviceSynchronize());
    CHECK(deleted == 1);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
}

int main()
{
    float *p;
    int n = 4;
    CUDA(cudaMalloc(&p, n * sizeof *p));
    void *args[] = {&p, &n};
    CUDA(cudaLaunchKernel(fill, dim3(1), dim3(4), args));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(4);
    CUDA(cudaLaunchKernelEx(&config, fill, p, n));
    cudaFuncAttributes about;
    CUDA(cudaFuncGetAttributes(&about, fill));
    CUDA(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CUDA(cudaFuncSetCacheConfig(fill, cudaFuncCachePreferL1));
    CUDA(cudaFuncSetSharedMemConfig(fill, cudaSharedMemBankSizeEightByte));
    CUDA(cudaFuncSetSharedMemConfig(sized<3>, cudaSharedMemBankSizeFourByte));
    cudaKernel_t kernel;
    CUDA(cudaGetKernel(&kernel, fill));
    const char *name;
    CUDA(cudaFuncGetName(&name, fill));
    CHECK(name && *name);
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event, cudaEventDisableTiming));
    CUDA(cudaEventDestroy(event));
    occupancy();
    memory();
    graphs();
    puts("ok");
}
