// RUN: tern compile %s --to ir -O2 -Wno-shared-race | awk '/^kernel/ { print $2 } /.step./ { print NF ? $0 : 0 }' | grep -oE '@[a-z_]{3,}|load.*step.|store.*step.'
// Which accesses threads of a warp exchange something by: in the kernels that say so, and in no other.
__global__ void exchange_neighbours(int *p)
{
    __shared__ int s[33];
    s[threadIdx.x] = p[threadIdx.x];
    p[threadIdx.x] = s[threadIdx.x + 1];
}
__global__ void exchange_around_a_loop(int *p, int n)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    for (int k = 0; k < n; k++) {
        s[t] = p[t] + k;
        __syncthreads();
        p[t] += s[31 - t];
    }
}
__global__ void exchange_one_for_all(int *p)
{
    __shared__ int s;
    if (threadIdx.x == 3)
        s = p[0];
    p[threadIdx.x] = s;
}
__global__ void with_barriers(int *p)
{
    __shared__ int s[33];
    int t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
    int x = s[31 - t];
    __syncthreads();
    s[t] = x;
}
__global__ void reduction(int *p)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        p[0] = s[0];
}
__global__ void reduction_interleaved(int *p)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
    for (unsigned k = 1; k < blockDim.x; k *= 2) {
        if (t % (2 * k) == 0)
            s[t] += s[t + k];
        __syncthreads();
    }
}
__global__ void sorting(int *p, int j)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x, other = t ^ j;
    s[t] = p[t];
    __syncthreads();
    if (other > t && s[t] > s[other]) {
        int x = s[t];
        s[t] = s[other];
        s[other] = x;
    }
    __syncthreads();
    p[t] = s[t];
}
__global__ void butterfly(int *p, int span)
{
    __shared__ int s[512];
    int t = threadIdx.x, low = t & (span - 1), a = (t - low) * 2 + low;
    int x = s[a], y = s[a + span];
    s[a] = x + y;
    s[a + span] = x - y;
}
struct pair {
    int x, y;
};
__global__ void its_own(int *p, int n)
{
    __shared__ pair s[64];
    __shared__ int rows[8][64];
    int t = threadIdx.x;
    s[t].x = p[t];
    s[t].y = s[t].x + 1;
    for (int k = 0; k < n; k++)
        rows[k][t] = s[t].y;
    for (int k = 1; k < n; k++)
        p[t] += rows[k - 1][t];
    __syncthreads();
    if (t == 5)
        for (int k = 0; k < n; k++)
            rows[0][k] += rows[0][k + 1];
}
__global__ void barrier_first(int *p)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = p[t];
    for (int k = 128; k; k >>= 1) {
        __syncthreads();
        if (t < k)
            s[t] += s[t + k];
    }
    if (t == 0)
        p[0] = s[0];
}
