// How many launches of a kernel may wait for its end: as many as the program is told, and as it asks for.
// OPTIONS: -rdc=true
// NOT ON: vulkan: its launches are written down in a buffer of its own size
// NOT ON: cuda: likewise
#include <cstdio>
__global__ void child(int *n) { atomicAdd(n, 1); }
__global__ void parent(int *n, int *errors, int launches)
{
    for (int i = 0; i < launches; i++) {
        child<<<1, 1>>>(n);
        cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess) { atomicAdd(errors, 1); errors[1] = e; }
    }
}
int main()
{
    int *p;
    size_t limit;
    cudaMallocManaged(&p, 12);
    cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
    for (int round = 0; round < 2; round++) {
        p[0] = p[1] = p[2] = 0;
        parent<<<1, 1>>>(p, p + 1, 3000);
        if (cudaDeviceSynchronize() || p[0] != (round ? 3000 : (int)limit) || p[1] != (round ? 0 : 3000 - (int)limit) || p[2] != (round ? 0 : 69)) {
            printf("round %d: %d ran, %d refused with %d\n", round, p[0], p[1], p[2]);
            return 1;
        }
        if (cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4000) != cudaSuccess)
            return 2;
    }
    puts(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 1 << 20) != cudaSuccess && limit == 2048 ? "ok" : "no limit");
}
