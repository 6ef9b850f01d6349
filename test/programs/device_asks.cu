// OPTIONS: -rdc=true
/* What a kernel asks of the runtime is what the host is told: its device, the device's attributes, how many there are. Events and streams of
 * kernels order nothing that the order of launches does not. */
#include <cstdio>
#include <cuda_runtime.h>
__global__ void child(int *o) { atomicAdd(o, 1); }
__global__ void ask(int *o)
{
    int device = -1, count = -1, value = 0;
    bool good = cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceCount(&count) == cudaSuccess;
    o[0] = good;
    o[1] = device;
    o[2] = count;
    good = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device) == cudaSuccess;
    o[3] = good ? value : -1;
    good = cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device) == cudaSuccess;
    o[4] = good ? value : -1;
    o[5] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)157, device);
    o[6] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count);
    cudaRuntimeGetVersion(&o[7]);
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    child<<<1, 4, 0, s>>>(o + 8);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(0, e, 0);
    child<<<1, 3>>>(o + 8);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
}
int main()
{
    int *o, got[9] = {}, warp = 0, units = 0, count = 0, device = -1;
    cudaMalloc(&o, sizeof got);
    cudaMemset(o, 0, sizeof got);
    ask<<<1, 1>>>(o);
    cudaMemcpy(got, o, sizeof got, cudaMemcpyDeviceToHost);
    cudaGetDevice(&device);
    cudaGetDeviceCount(&count);
    cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device);
    const int known[9] = {1, device, count, warp, units, cudaErrorInvalidValue, cudaErrorInvalidDevice, CUDART_VERSION, 7};
    for (int k = 0; k < 9; k++)
        if (got[k] != known[k])
            return printf("%d: %d, not %d\n", k, got[k], known[k]), 1;
    puts("ok");
}
