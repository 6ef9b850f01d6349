// What threads of a warp tell each other by memory with no barrier, no __syncwarp and nothing volatile between: old programs
// count on a warp to do each step together.
// TEST last_warp: --kernel last_warp --grid 2 --block 256 --arg 'i32[512]=iota' --arg 'i32[2]'
// EXPECT arg 1: near 0: 32640 98176 sum 130816
// TEST last_warp_signed: --kernel last_warp_signed --grid 2 --block 128 --arg 'i32[256]=iota' --arg 'i32[2]'
// EXPECT arg 1: near 0: 8128 24512 sum 32640
// TEST no_barrier_at_the_end: --kernel no_barrier_at_the_end --grid 2 --block 32 --arg 'i32[64]=iota' --arg i32:5
// EXPECT arg 0: near 0: 15 20 25 30 35 40 45 50 sum 10080
// TEST rows: --kernel rows --grid 1 --block 8,4 --arg 'i32[32]=iota' --arg i32:3
// EXPECT arg 0: near 0: 108 116 124 132 140 140 124 108 sum 3968
// TEST told: --kernel told --grid 1 --block 32 --arg 'i32[32]=iota' --arg i32:4
// EXPECT arg 0: near 0: 465 466 467 468 469 470 471 472 sum 15376
// TEST shifted: --kernel shifted --grid 2 --block 32 --arg 'i32[64]=iota'
// EXPECT arg 0: near 0: 1 2 3 4 5 6 7 8 sum 2080
// TEST through_pointer: --kernel through_pointer --grid 1 --block 32 --arg 'i32[32]=iota' --arg i32:1
// EXPECT arg 0: near 0: 992 992 990 986 980 972 962 950 sum 21824
// TEST scan: --kernel scan --grid 1 --block 32 --arg 'i32[32]=iota'
// EXPECT arg 0: near 0: 0 1 3 6 10 15 21 28 sum 5456
// TEST reached: --kernel reached --grid 1 --block 32 --arg 'i32[33]=iota'
// EXPECT arg 0: near 0: 3 5 7 9 11 13 15 17 sum 1087
// TEST halving: --kernel halving --grid 1 --block 32 --arg 'i32[32]=iota' --arg i32:16
// EXPECT arg 0: near 0: 496 256 128 136 64 68 72 76 sum 1984
__global__ void last_warp(const int *in, int *out)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (unsigned k = 128; k > 32; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__device__ void sum_of_warp(int *s, int t)
{
    for (int k = 32; k; k /= 2)
        s[t] += s[t + k];
}
__global__ void last_warp_signed(const int *in, int *out)
{
    extern __shared__ int unused[];
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32)
        sum_of_warp(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void no_barrier_at_the_end(int *p, int rounds)
{
    __shared__ int s[32];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < rounds; k++) {
        s[t] = p[blockIdx.x * 32 + t] + sum - sum;
        __syncthreads();
        sum += s[(t + 3) % 32];
    }
    p[blockIdx.x * 32 + t] = sum;
}

__global__ void rows(int *p, int rounds) // warps of several rows
{
    __shared__ int s[4][8];
    int x = threadIdx.x, y = threadIdx.y, v = p[8 * y + x];
    for (int k = 0; k < rounds; k++) {
        s[y][x] = v;
        v += s[(y + 1) % 4][(x + 1) % 8];
    }
    p[8 * y + x] = v;
}

__global__ void told(int *p, int rounds) // one tells all, again and again
{
    __shared__ int s;
    int t = threadIdx.x, v = p[t];
    for (int k = 0; k < rounds; k++) {
        if (t == 31 - k)
            s = v + k;
        v += s;
    }
    p[t] = v;
}

__global__ void shifted(int *p) // in global memory
{
    int i = blockIdx.x * 32 + threadIdx.x;
    p[i] += 1000;
    int next = threadIdx.x < 31 ? p[i + 1] : 1000 + 32 * (int)blockIdx.x + 32;
    p[i] = next - 1000;
}

__global__ void scan(int *p)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = p[t];
    for (int d = 1; d < 32; d *= 2)
        if (t >= d)
            s[t] += s[t - d];
    p[t] = s[t];
}

__global__ void halving(int *p, int from) // each turn's condition keeps its readers and writers apart, but not two turns'
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = p[t];
    __syncthreads();
    for (int k = from; k > 0; k >>= 1)
        if (t < k)
            s[t] += s[t + k];
    p[t] = s[t];
}

typedef int (*choice)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__global__ void through_pointer(int *p, int which) // its threads are not lanes
{
    __shared__ int s[64];
    int t = threadIdx.x;
    choice f = which ? twice : thrice;
    s[t] = f(p[t]);
    s[t + 32] = 0;
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
    p[t] = s[t];
}

struct pair {
    int first, second;
};
__global__ void reached(int *p) // through a pointer to a class, in a loop of one turn more
{
    __shared__ pair s[33];
    pair *mine = &s[threadIdx.x];
    for (int k = 0; k < 2; k++) {
        mine->first = p[threadIdx.x] + k;
        mine->second = k;
        if (threadIdx.x == 31)
            s[32].first = p[32] + k;
        p[threadIdx.x] = mine[1].first + mine->first - k - mine->second * mine->first;
    }
}
