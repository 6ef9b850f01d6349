// Threads that part and meet: nested branches, loops of different lengths, switch, break, goto, early return.
#include "check.h"

__host__ __device__ int collatz(unsigned n)
{
    int steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}
__host__ __device__ int maze(int x)
{
    int r = 0;
    for (int i = 0; i < x % 13; i++) {
        if (i == 7)
            break;
        if ((i ^ x) & 1)
            continue;
        switch ((x + i) % 5) {
        case 0: r += 1; // falls through
        case 1: r += 10; break;
        case 2:
            if (x > 40)
                return -r;
            r += 100;
            break;
        default: r ^= i;
        }
        do {
            r += 3;
        } while (r % 4);
    }
    return x < 0 ? 0 : r;
}
__host__ __device__ int jump(int x)
{
    int r = 0;
again:
    r += x;
    if (--x > 0 && x % 7)
        goto again;
    if (x == 21)
        goto out;
    r *= 2;
out:
    return r;
}
__global__ void run(int *a, int *b, int *c, int *warps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = collatz(i + 1);
    b[i] = maze(i);
    c[i] = jump(i);
    // After it all, the warp is whole again.
    warps[i] = __popc(__ballot_sync(~0u, true)) + __shfl_sync(~0u, i, 3);
}

int main()
{
    const int n = 256;
    int *m;
    CUDA(cudaMallocManaged(&m, 4 * n * sizeof *m));
    run<<<n / 64, 64>>>(m, m + n, m + 2 * n, m + 3 * n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        CHECK(m[i] == collatz(i + 1));
        CHECK(m[n + i] == maze(i));
        CHECK(m[2 * n + i] == jump(i));
        CHECK(m[3 * n + i] == 32 + i / 32 * 32 + 3);
    }
    puts("ok");
}
