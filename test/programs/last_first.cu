// Threads go round until those behind them are done, which may be in later gangs: looked at by relaxed loads, nothing else says it.
#include <cstdio>
#include <cuda/atomic>
__device__ int look(int *at) { return cuda::atomic_ref<int>(*at).load(cuda::memory_order_relaxed); }
__global__ void last_first(int n, int *state, const int *next)
{
    int missing;
    do {
        missing = 0;
        for (int v = threadIdx.x; v < n; v += blockDim.x)
            if (look(&state[v]) == 0) {
                if (v + 1 < n && look(&state[next[v]]) == 0)
                    missing = 1;
                else
                    atomicOr(&state[v], 1);
            }
    } while (missing);
}
int main()
{
    int *d, *next, n = 1000, sum = 0;
    cudaMallocManaged(&d, n * 4);
    cudaMallocManaged(&next, n * 4);
    for (int i = 0; i < n; i++)
        d[i] = 0, next[i] = i + 1;
    last_first<<<1, 256>>>(n, d, next);
    if (cudaDeviceSynchronize())
        return 1;
    for (int i = 0; i < n; i++)
        sum += d[i];
    puts(sum == n ? "ok" : "wrong");
    return sum != n;
}
