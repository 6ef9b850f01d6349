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
