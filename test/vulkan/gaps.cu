// What the tests of missing features run: every kernel must give the same with a feature or without it.
__global__ void wide(double *d, const float *a, int n)
{
    int i = threadIdx.x;
    if (i < n)
        d[i] = (double)a[i] * 3.0 + __dadd_ru((double)i, 0.1);
}

__global__ void sums(float *s, const float *a)
{
    __shared__ float part;
    if (!threadIdx.x)
        part = 0;
    __syncthreads();
    atomicAdd(&part, a[threadIdx.x]);
    __syncthreads();
    if (!threadIdx.x)
        atomicAdd(s, part);
}

__global__ void votes(unsigned *out, const unsigned *a)
{
    unsigned v = a[threadIdx.x];
    out[threadIdx.x] = __ballot_sync(~0u, v & 1) + __shfl_xor_sync(~0u, v, 3) + __reduce_add_sync(~0u, v) +
                       __match_any_sync(~0u, v & 3) + __popc(__activemask());
}

__global__ void ticks(unsigned *out)
{
    long long t = clock64();
    out[threadIdx.x] = clock64() >= t;
}

__global__ void fused(float *f, double *d)
{
    float x = 1 + ldexpf(1, -12 - (int)(threadIdx.x & 1)), y = ldexpf(3, (int)threadIdx.x - 40);
    f[threadIdx.x] = fmaf(x, x, -1 - y);
    d[threadIdx.x] = fma((double)x + y, (double)x, -1.0);
}

// Zeros that a compiler knows, and numbers that it does not.
__global__ void zeros(float *out, double *wide, const float *in)
{
    const float numbers[] = {-1, -0.0f, INFINITY, -INFINITY, in[0], 0, 1e-40f, NAN}, x = numbers[threadIdx.x & 7];
    const double y = x;
    const float r[] = {x * 0.0f, x * -0.0f, x + 0.0f, x + -0.0f, 0.0f - x, -0.0f - x, x - 0.0f, 0.0f / x, x / 0.0f, -0.0f / x, x / -0.0f};
    const double d[] = {y * 0.0, y * -0.0, y + 0.0, y + -0.0, 0.0 - y, -0.0 - y, y - 0.0, 0.0 / y, y / 0.0, -0.0 / y, y / -0.0};
    for (int k = 0; k < 11; k++) {
        out[threadIdx.x * 11 + k] = r[k] != r[k] ? 7.0f : r[k];
        wide[threadIdx.x * 11 + k] = d[k] != d[k] ? 7.0 : d[k];
    }
}

// Two warps fill what the other two empty: each side waits at one barrier and only arrives at the other.
__global__ void meets(int *out)
{
    __shared__ int s[64];
    const int t = threadIdx.x & 63;
    for (int round = 0; round < 5; round++)
        if (threadIdx.x < 64) {
            if (round)
                asm volatile("bar.sync 2, 128;" ::: "memory");
            s[t] = t * (round + 1);
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[t] += s[63 - t] * 7;
            if (round < 4)
                asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
}

// Ends when somebody writes to p[0], which nobody does.
__global__ void endless(volatile int *p)
{
    while (p[0] == 0)
        ;
    p[1] = 1;
}
