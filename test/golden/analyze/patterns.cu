// RUN: tern analyze %s --block 32,8
// RUN: tern analyze %s --block 16,16 --json
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
struct P { float x, y, z, w, more[12]; };
__global__ void aos(struct P *p, int *count, int n, int *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].x = p[i].x * 2.0;
    if (p[i].y > 1.5f) { p[i].z = sqrtf(p[i].y); p[i].w += 1; }
    atomicAdd(count, 1);
    int k = i;
    while (next[k] != 0) k = next[k];
    p[k].w = 3;
}
__global__ void reduce(float *out, const float *in, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, s[0]);
}
