// What a program must ask for, and what it cannot have: shared memory beyond 48 KB, more memory than there is, images
// that are none, the device in a child process.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

__global__ void last(int *out, int bytes)
{
    extern __shared__ char room[];
    room[bytes - 1] = 7;
    *out = room[bytes - 1];
}

static void shared_memory()
{
    cudaDeviceProp p;
    int *x, got = 0;
    CUDA(cudaGetDeviceProperties(&p, 0));
    CUDA(cudaMalloc(&x, 4));
    last<<<1, 1, 16 << 10>>>(x, 16 << 10);
    CHECK(cudaGetLastError() == cudaSuccess);
    // what properties promise a block, it gets unasked; of less than usual, threads that wait may need some (Vulkan)
    const int promised = (int)p.sharedMemPerBlock;
    CHECK(promised <= 48 << 10 && p.sharedMemPerBlock <= p.sharedMemPerBlockOptin);
    if (promised == 48 << 10) {
        last<<<1, 1, promised>>>(x, promised);
        CHECK(cudaGetLastError() == cudaSuccess);
    }
    last<<<1, 1, 64 << 10>>>(x, 64 << 10);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    if (p.sharedMemPerBlockOptin >= 64 << 10) {
        cudaFuncAttributes a;
        CUDA(cudaFuncGetAttributes(&a, last));
        CHECK(a.maxDynamicSharedSizeBytes == 48 << 10);
        CUDA(cudaFuncSetAttribute(last, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
        CUDA(cudaFuncGetAttributes(&a, last));
        CHECK(a.maxDynamicSharedSizeBytes == 64 << 10);
        last<<<1, 1, 64 << 10>>>(x, 64 << 10);
        CUDA(cudaMemcpy(&got, x, 4, cudaMemcpyDeviceToHost));
        CHECK(got == 7);
    }
    CHECK(cudaFuncSetAttribute(last, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30) == cudaErrorInvalidValue);
    CHECK(cudaFuncSetAttribute(last, (cudaFuncAttribute)99, 1) == cudaErrorInvalidValue);
    CHECK(cudaFuncSetAttribute(last, cudaFuncAttributeClusterDimMustBeSet, 1) == cudaErrorInvalidValue);
    CUDA(cudaFuncSetAttribute(last, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {1, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    config.attrs = &cluster;
    config.numAttrs = 1;
    int clusters = 0, size = 0;
    CUDA(cudaOccupancyMaxActiveClusters(&clusters, last, &config));
    CUDA(cudaOccupancyMaxPotentialClusterSize(&size, last, &config));
    CHECK(clusters >= 1 && size >= 1);
    config.blockDim.x = 2000;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, last, &config) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaFree(x));
}

static void memory()
{
    void *p = &p;
    CHECK(cudaMalloc(&p, (size_t)16 << 40) == cudaErrorMemoryAllocation && !p);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    // More than there is, though not more than a system may promise.
    size_t available, total;
    CUDA(cudaMemGetInfo(&available, &total));
    CHECK(total > 0 && cudaMalloc(&p, total + 4096) == cudaErrorMemoryAllocation && !p);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

static void images()
{
    CUmodule m;
    CHECK(cuModuleLoadData(&m, "garbage") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoadData(&m, "") == CUDA_ERROR_INVALID_IMAGE);
    CHECK(cuModuleLoad(&m, "/dev/zero") == CUDA_ERROR_INVALID_IMAGE);
}

// CUDA does not survive a fork: the child gets an error at once, the parent goes on.
static void child()
{
    int *x, status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        cudaError_t e = cudaMalloc(&x, 4);
        _exit(e == cudaErrorInitializationError && cudaDeviceSynchronize() != cudaSuccess ? 0 : 1);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CUDA(cudaMalloc(&x, 4));
    CUDA(cudaFree(x));
}

int main()
{
    shared_memory();
    memory();
    images();
    child();
    printf("ok\n");
}
