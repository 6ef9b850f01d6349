// OPTIONS: -arch=sm_90
// Launches that may begin before the one before them ends: kernels wait for it by themselves, on a stream and in a graph.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#include "check.h"

__device__ __forceinline__ void wait_for_the_grid_before()
{
    cudaGridDependencySynchronize();
}
__global__ void add_one(const float *__restrict__ from, float *__restrict__ to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    wait_for_the_grid_before();
    if (i < n)
        to[i] = from[i] + 1;
}

static void chain(float *a, float *b, int n, int launches, cudaStream_t stream)
{
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t shape = {};
    shape.gridDim = (n + 255) / 256;
    shape.blockDim = 256;
    shape.stream = stream;
    shape.attrs = &overlap;
    shape.numAttrs = 1;
    for (int k = 0; k < launches; k++)
        cudaLaunchKernelEx(&shape, add_one, (const float *)(k % 2 ? b : a), k % 2 ? a : b, n);
}

int main()
{
    enum { N = 20000, LAUNCHES = 10, GRAPHS = 3 };
    float *a, *b;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemset(a, 0, N * sizeof *a);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    chain(a, b, N, LAUNCHES, stream);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    chain(a, b, N, LAUNCHES, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphNode_t nodes[LAUNCHES];
    size_t count = LAUNCHES;
    cudaGraphGetNodes(graph, nodes, &count);
    cudaLaunchAttributeValue kept = {};
    cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributeProgrammaticStreamSerialization, &kept);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int k = 0; k < GRAPHS; k++)
        cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    std::vector<float> h(N);
    cudaMemcpy(h.data(), a, N * sizeof *a, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (float v : h)
        wrong += v != LAUNCHES * (1 + GRAPHS);
    CUDA(cudaGetLastError());
    CHECK(wrong == 0);
    CHECK(kept.programmaticStreamSerializationAllowed);
    puts("ok");
}
