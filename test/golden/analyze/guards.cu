// What the threads of a block do that get there: a condition may leave one along an axis, or part a warp at an edge only.
// RUN: tern analyze %s --block 16,16
__global__ void guarded(float *out, const float *in)
{
    __shared__ float w[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    w[ty][tx] = in[ty * 16 + tx];
    __syncthreads();
    if (tx == 0)
        out[blockIdx.x * 16 + ty] = w[tx][ty];
    if (tx == 3 && ty == 2)
        out[tx * 100] = w[ty][tx];
}
__global__ void flags(int *p, int n, int k)
{
    bool computed = false;
    int t = threadIdx.x, v = 0;
    for (int i = 0; i < n; i++) {
        computed = false;
        if (t >= i && t <= k - i) {
            computed = true;
            v += p[t];
        }
        __syncthreads();
        if (i == n - 1)
            break;
        if (computed) {
            p[t] = v;
            p[t + 1] += v;
        }
        __syncthreads();
    }
    if (computed)
        p[t] = v * 2 + p[t + 7];
}
__global__ void rows(float *p)
{
    __shared__ float s[16][32];
    s[threadIdx.y][threadIdx.x] = p[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x != 0)
        p[threadIdx.x * 64] = s[threadIdx.x][0];
}
