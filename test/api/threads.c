/* Four threads, each with a stream of its own on one device: a thousand launches, with allocations,
 * events and copies between. "hang": a device that does not answer is reported. "leave": nothing is
 * freed. Built with the sanitizer of the configuration. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/cuda.h"

enum { THREADS = 4, LAUNCHES = 1000, N = 64 };

static const char code[] =
    "extern \"C\" __global__ void add(int *p, int by) { p[threadIdx.x] += by; }\n";
static CUmodule module;
static CUfunction add;
static CUcontext context;

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #cond);                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void *work(void *arg)
{
    int by = (int)(size_t)arg, h[N];
    CUstream s;
    CUevent e;
    CUdeviceptr p;
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cuStreamCreate(&s, by & 1 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT) == CUDA_SUCCESS);
    CHECK(cuEventCreate(&e, 0) == CUDA_SUCCESS);
    CHECK(cuMemAlloc(&p, sizeof h) == CUDA_SUCCESS);
    CHECK(cuMemsetD32Async(p, 0, N, s) == CUDA_SUCCESS);
    for (int k = 0; k < LAUNCHES; k++) {
        void *args[] = {&p, &by};
        CHECK(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, s, args, NULL) == CUDA_SUCCESS);
        if (k % 50 == 0) {
            CUdeviceptr q;
            CHECK(cuMemAllocAsync(&q, 1000, s) == CUDA_SUCCESS);
            CHECK(cuMemFreeAsync(q, s) == CUDA_SUCCESS);
            CHECK(cuEventRecord(e, s) == CUDA_SUCCESS);
        }
        if (k % 100 == 0) {
            CHECK(cuStreamSynchronize(s) == CUDA_SUCCESS);
            CUdeviceptr q;
            CHECK(cuMemAlloc(&q, 100000) == CUDA_SUCCESS);
            CHECK(cuMemFree(q) == CUDA_SUCCESS); /* waits for the others' streams too */
        }
    }
    CHECK(cuMemcpyDtoHAsync(h, p, sizeof h, s) == CUDA_SUCCESS);
    CHECK(cuStreamSynchronize(s) == CUDA_SUCCESS);
    for (int k = 0; k < N; k++)
        CHECK(h[k] == by * LAUNCHES);
    CHECK(cuMemFree(p) == CUDA_SUCCESS);
    CHECK(cuEventDestroy(e) == CUDA_SUCCESS);
    CHECK(cuStreamDestroy(s) == CUDA_SUCCESS);
    return NULL;
}

static void sleep_long(void *arg)
{
    const int *stop = arg;
    while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE))
        usleep(1000);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    CHECK(cuInit(0) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    CHECK(cuModuleLoadData(&module, code) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&add, module, "add") == CUDA_SUCCESS);
    if (!strcmp(mode, "hang")) {
        static int stop;
        CUstream s;
        CHECK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
        CHECK(cuLaunchHostFunc(s, sleep_long, &stop) == CUDA_SUCCESS);
        CHECK(cuStreamSynchronize(s) == CUDA_ERROR_LAUNCH_TIMEOUT);
        CHECK(cuStreamSynchronize(s) == CUDA_ERROR_LAUNCH_TIMEOUT); /* it sticks */
        __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
        puts("reported");
        return 0;
    }
    if (!strcmp(mode, "leave")) {
        CUdeviceptr p;
        CUstream s;
        int by = 1;
        CHECK(cuStreamCreate(&s, 0) == CUDA_SUCCESS);
        CHECK(cuMemAlloc(&p, N * 4) == CUDA_SUCCESS);
        void *args[] = {&p, &by};
        for (int k = 0; k < 100; k++)
            CHECK(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, s, args, NULL) == CUDA_SUCCESS);
        puts("left");
        return 0;
    }
    pthread_t t[THREADS];
    for (size_t k = 0; k < THREADS; k++)
        CHECK(!pthread_create(&t[k], NULL, work, (void *)(k + 1)));
    for (int k = 0; k < THREADS; k++)
        CHECK(!pthread_join(t[k], NULL));
    CHECK(cuModuleUnload(module) == CUDA_SUCCESS);
    CHECK(cuDevicePrimaryCtxReset(0) == CUDA_SUCCESS);
    printf("%d launches\n", THREADS * LAUNCHES);
    return 0;
}
