// Things that are destroyed while work still needs them, destroyed twice, or used after: CUDA allows the first and
// answers the others with an error.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
#include "check.h"

__global__ void add(int *x, int n, int by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] += by;
}

static const int N = 1000;

// An event is destroyed at once after another stream was told to wait for it; the streams, too.
static void one_round(std::atomic<int> *wrong)
{
    cudaStream_t first, second;
    cudaEvent_t event;
    int *x, result[N];
    if (cudaStreamCreate(&first) || cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) || cudaMalloc(&x, sizeof result) ||
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming)) {
        ++*wrong;
        return;
    }
    cudaMemsetAsync(x, 0, sizeof result, first);
    add<<<4, 64, 0, first>>>(x, N, 3);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    add<<<4, 64, 0, second>>>(x, N, 4);
    cudaMemcpyAsync(result, x, sizeof result, cudaMemcpyDeviceToHost, second);
    cudaStreamSynchronize(second);
    cudaStreamDestroy(second);
    cudaFree(x);
    for (int i = 0; i < N; i++)
        if (result[i] != 7) {
            ++*wrong;
            break;
        }
}

static void many_threads(int threads, int rounds)
{
    std::atomic<int> wrong{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; t++)
        all.emplace_back([&wrong, rounds] {
            for (int k = 0; k < rounds; k++)
                one_round(&wrong);
        });
    for (auto &t : all)
        t.join();
    CHECK(wrong == 0);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

static void twice()
{
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(event, 0) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventSynchronize(event) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventQuery(event) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamWaitEvent(0, event, 0) == cudaErrorInvalidResourceHandle);

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) != cudaSuccess);

    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    CHECK(cudaGraphCreate(&graph, 0) == cudaSuccess);
    CHECK(cudaGraphClone(&clone, graph) == cudaSuccess);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess && cudaGraphDestroy(clone) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) != cudaSuccess && cudaGraphDestroy(clone) != cudaSuccess);
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
    CHECK(cudaGraphExecDestroy(exec) != cudaSuccess);

    cudaArray_t array, level;
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &floats, 16, 16) == cudaSuccess);
    CHECK(cudaFreeArray(array) == cudaSuccess);
    CHECK(cudaFreeArray(array) != cudaSuccess);
    CHECK(cudaMallocMipmappedArray(&mipmap, &floats, make_cudaExtent(16, 16, 0), 3, 0) == cudaSuccess);
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 1) == cudaSuccess);
    CHECK(cudaFreeArray(level) != cudaSuccess);
    CHECK(cudaFreeMipmappedArray(mipmap) == cudaSuccess);
    CHECK(cudaFreeMipmappedArray(mipmap) != cudaSuccess);

    int *x;
    CHECK(cudaMalloc(&x, 4) == cudaSuccess);
    CHECK(cudaFree(x) == cudaSuccess);
    CHECK(cudaFree(x) == cudaErrorInvalidValue);
    cudaGetLastError();
}

int main()
{
    twice();
    many_threads(8, 40);
    many_threads(64, 4);
    printf("ok\n");
}
