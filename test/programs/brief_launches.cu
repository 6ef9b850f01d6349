// Launches that take little time may be done by whoever launches them; kernels that wait for the host must not be, however
// short they were before. Order, results, counts and errors are the same in any case.
// NOT ON: interp: its launches are done when they return
// NOT ON: vulkan: a kernel sees what the host writes meanwhile only if the driver likes
#include <cuda_runtime.h>
#include <chrono>
#include <thread>
#include <vector>

#include "check.h"

__global__ void add(int *x, int by)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += by;
}

__global__ void twice(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

// Waits by what may have changed: a volatile read, an atomic one, a function's.
__global__ void wait_volatile(volatile int *flag, int *seen)
{
    while (!*flag)
        ;
    *seen = *flag;
}

__global__ void wait_atomic(int *flag, int *seen)
{
    int v;
    while (!(v = atomicAdd_system(flag, 0)))
        ;
    *seen = v;
}

__noinline__ __device__ int look(volatile int *flag)
{
    return *flag;
}

__global__ void wait_called(volatile int *flag, int *seen)
{
    int v;
    do
        v = look(flag);
    while (!v);
    *seen = v;
}

// As long as it is told to.
__global__ void rounds(int n, unsigned *x)
{
    unsigned v = *x;
    for (int k = 0; k < n; k++)
        v = v * 1664525u + 1013904223u;
    *x = v;
}

template <class Flag> static void waits(void (*kernel)(Flag *, int *))
{
    int *flag, *seen;
    CUDA(cudaMallocHost(&flag, sizeof *flag));
    CUDA(cudaMallocHost(&seen, sizeof *seen));
    *flag = 3;
    for (int k = 0; k < 200; k++) // none of these has to wait
        kernel<<<1, 1>>>(flag, seen);
    CUDA(cudaDeviceSynchronize());
    CHECK(*seen == 3);
    *(volatile int *)flag = 0;
    kernel<<<1, 1>>>(flag, seen);
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    __atomic_store_n(flag, 7, __ATOMIC_SEQ_CST);
    CUDA(cudaDeviceSynchronize());
    CHECK(*seen == 7);
    CUDA(cudaFreeHost(flag));
    CUDA(cudaFreeHost(seen));
}

int main()
{
    enum { N = 256, MANY = 2000 };
    int *x, host[N];
    CUDA(cudaMalloc(&x, sizeof host));
    CUDA(cudaMemset(x, 0, sizeof host));
    cudaStream_t a, b;
    cudaEvent_t done;
    CUDA(cudaStreamCreate(&a));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&done));

    // One stream, in order: x = 2 x + 1, modulo 2^32.
    unsigned expected = 0;
    for (int k = 0; k < MANY; k++) {
        twice<<<2, N / 2, 0, a>>>(x);
        add<<<1, N, 0, a>>>(x, 1);
        expected = 2 * expected + 1;
    }
    CUDA(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, a));
    CUDA(cudaStreamSynchronize(a));
    for (int v : host)
        CHECK((unsigned)v == expected);

    // Two streams that wait for each other's events, the default stream between them.
    for (int k = 0; k < MANY; k++) {
        add<<<1, N, 0, b>>>(x, k);
        CUDA(cudaEventRecord(done, b));
        CUDA(cudaStreamWaitEvent(a, done, 0));
        twice<<<1, N, 0, a>>>(x);
        add<<<1, N>>>(x, 3);
        CUDA(cudaEventRecord(done, 0));
        CUDA(cudaStreamWaitEvent(b, done, 0));
        expected = 2 * (expected + k) + 3;
    }
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int v : host)
        CHECK((unsigned)v == expected);

    // Threads, each with its stream; a kernel whose launches differ much in length.
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([] {
            cudaStream_t s;
            unsigned *y, got, expected = 1;
            CUDA(cudaStreamCreate(&s));
            CUDA(cudaMalloc(&y, sizeof *y));
            CUDA(cudaMemcpy(y, &expected, sizeof *y, cudaMemcpyHostToDevice));
            for (int k = 0; k < 300; k++) {
                const int n = k % 50 == 49 ? 100000 : 3;
                rounds<<<1, 1, 0, s>>>(n, y);
                for (int i = 0; i < n; i++)
                    expected = expected * 1664525u + 1013904223u;
            }
            CUDA(cudaMemcpyAsync(&got, y, sizeof got, cudaMemcpyDeviceToHost, s));
            CUDA(cudaStreamSynchronize(s));
            CHECK(got == expected);
            CUDA(cudaFree(y));
            CUDA(cudaStreamDestroy(s));
        });
    for (std::thread &t : threads)
        t.join();

    waits<volatile int>(wait_volatile);
    waits<int>(wait_atomic);
    waits<volatile int>(wait_called);

    // A bad address is told by who waits, as ever.
    for (int k = 0; k < 100; k++)
        add<<<1, N>>>(x, 1);
    CUDA(cudaDeviceSynchronize());
    add<<<1, N>>>(nullptr, 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    puts("ok");
}
