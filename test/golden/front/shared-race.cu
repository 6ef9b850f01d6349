// RUN: tern compile %s --to ir -o %t
// RUN: tern compile %s --to ir -o %t -Wno-shared-race
// RUN: tern compile %s --to ir -o %t -Werror 2>&1 | grep -c error:
// Shared memory that is read at another thread's index before a barrier; and what is right.
__global__ void wrong(float *out)
{
    __shared__ float tile[256];
    __shared__ float square[16][17];
    int t = threadIdx.x;
    tile[t] = out[t];
    out[t] = tile[t + 1];
    square[threadIdx.y][threadIdx.x] = out[t];
    float v = square[threadIdx.x][threadIdx.y];
    out[t] = v;
}
__global__ void loop(float *out)
{
    extern __shared__ float sum[];
    const unsigned t = threadIdx.x;
    sum[t] = out[t];
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            sum[t] += sum[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[0] = sum[0];
}
template <int N> __global__ void in_template(int *out)
{
    __shared__ int box[N];
    box[threadIdx.x] = out[threadIdx.x];
    out[threadIdx.x] = box[N - 1 - threadIdx.x];
}
template __global__ void in_template<32>(int *);
template __global__ void in_template<64>(int *);

__device__ void may_wait();
__device__ void may_wait() { __syncthreads(); }
__global__ void right(float *out, int n)
{
    __shared__ float tile[256], stack[1024], both[2][64];
    volatile __shared__ float warp[64];
    __shared__ int counts[32];
    int t = threadIdx.x, now = 0;
    tile[t] = out[t];
    __syncthreads();
    out[t] = tile[t + 1];
    may_wait();
    tile[threadIdx.x] = 1;
    out[t] += tile[t]; // its own
    may_wait();
    stack[t * 4 + 1] = out[t];
    out[t] += stack[t * 4]; // a stretch of its own
    both[now][t] = 2;
    out[t] += both[1 - now][t + 1]; // the other buffer
    warp[t] = 3;
    out[t] += warp[t + 16];
    atomicAdd(&counts[t & 7], 1);
    if (t < 32)
        out[t] += counts[0];
    if (threadIdx.x == 0) {
        tile[t] = 5;
        out[0] = tile[1];
    }
    for (int i = 0; i < n; i++) {
        __syncthreads();
        tile[t] = i;
        __syncthreads();
        out[t] += tile[255 - t];
    }
}
