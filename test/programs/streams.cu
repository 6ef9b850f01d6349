// Streams, events, callbacks, and the order that the default stream promises.
#include "check.h"
#include <atomic>

__global__ void step(int *p, int from, int to)
{
    if (*p == from)
        *p = to;
}
__global__ void spin(float *p, int n)
{
    float x = 1;
    for (int i = 0; i < n; i++)
        x = x * 0.5f + 1;
    *p = x;
}
static std::atomic<int> called;

int main()
{
    // The range that is told is the one that counts.
    int least, greatest, priority;
    cudaStream_t urgent;
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest <= least);
    CUDA(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest - 5));
    CUDA(cudaStreamGetPriority(urgent, &priority));
    CHECK(priority == greatest);
    int supported;
    CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrStreamPrioritiesSupported, 0));
    CHECK(supported == (least != greatest));
    CUDA(cudaStreamDestroy(urgent));

    cudaStream_t a, b, free_one;
    cudaEvent_t start, end, sync;
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreate(&b));
    CUDA(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventCreateWithFlags(&sync, cudaEventDisableTiming));
    int *p, r = -1;
    float *f;
    CUDA(cudaMalloc(&p, sizeof r));
    CUDA(cudaMalloc(&f, sizeof *f));
    CUDA(cudaMemset(p, 0, sizeof r));
    CUDA(cudaEventRecord(start, a));
    spin<<<1, 1, 0, a>>>(f, 100000);
    step<<<1, 1, 0, a>>>(p, 0, 1);
    CUDA(cudaEventRecord(sync, a));
    CUDA(cudaStreamWaitEvent(b, sync, 0));
    step<<<1, 1, 0, b>>>(p, 1, 2);
    step<<<1, 1>>>(p, 2, 3); // the default stream follows both
    step<<<1, 1, 0, a>>>(p, 3, 4);
    CUDA(cudaEventRecord(end, a));
    CUDA(cudaLaunchHostFunc(a, [](void *x) { ((std::atomic<int> *)x)->fetch_add(1); }, &called));
    CUDA(cudaStreamAddCallback(a, [](cudaStream_t, cudaError_t e, void *x) {
        if (e == cudaSuccess)
            ((std::atomic<int> *)x)->fetch_add(10);
    }, &called, 0));
    CUDA(cudaStreamSynchronize(a));
    CHECK(called == 11);
    CUDA(cudaMemcpy(&r, p, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r == 4);
    float ms = -1;
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, start, end));
    CHECK(ms >= 0 && ms < 60000);
    CHECK(cudaStreamQuery(a) == cudaSuccess && cudaEventQuery(end) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&ms, sync, end) == cudaErrorInvalidResourceHandle);
    step<<<1, 1, 0, free_one>>>(p, 4, 5);
    CUDA(cudaMemcpyAsync(&r, p, sizeof r, cudaMemcpyDeviceToHost, free_one));
    CUDA(cudaStreamSynchronize(free_one));
    CHECK(r == 5);
    unsigned flags;
    CUDA(cudaStreamGetFlags(free_one, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    CUDA(cudaStreamDestroy(a));
    CUDA(cudaStreamDestroy(b));
    CUDA(cudaStreamDestroy(free_one));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(end));
    CUDA(cudaEventDestroy(sync));
    puts("ok");
}
