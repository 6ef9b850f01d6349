// Threads of a block that walk through memory side by side, and blocks in a row: in shapes that end in the
// middle of a gang, of a block, of a turn.
// TEST sums: --kernel sums --grid 3 --block 256 --arg 'f32[5000]=iota' --arg 'f32[3]' --arg i32:4999
// EXPECT arg 1: sum 33725450 checksum 47c2cfa34e6a01c4
// TEST sums_odd: --kernel sums --grid 2 --block 250 --arg 'f32[5000]=iota' --arg 'f32[2]' --arg i32:4321
// EXPECT arg 1: sum 20764449 checksum 4ed44cd6450c04e0
// TEST sums_none: --kernel sums --grid 2 --block 256 --arg 'f32[8]=iota' --arg 'f32[2]' --arg i32:0
// EXPECT arg 1: sum -512 checksum b9005819b166ac35
// TEST strided: --kernel strided --grid 3 --block 192 --arg 'i32[4000]=iota' --arg 'i32[4000]' --arg u32:3977 --arg u32:3900
// EXPECT arg 1: sum 7609555 checksum f185b3ae8f5193c9
// TEST wrapping: --kernel wrapping --block 128 --arg 'i32[1024]=iota' --arg 'i32[128]' --arg u32:4294967080
// EXPECT arg 1: sum 491212 checksum 6cbcb3feab23c14d
// TEST rows: --kernel rows --grid 4,5 --block 32,8 --arg 'f32[4000]=iota' --arg 'f32[4000]' --arg i32:100 --arg i32:39
// EXPECT arg 1: sum 14710066 checksum 04164c0e5401d5cd
// TEST rows_odd: --kernel rows --grid 9,7 --block 12,6,2 --arg 'f32[4000]=iota' --arg 'f32[4000]' --arg i32:100 --arg i32:39
// EXPECT arg 1: sum 14719756 checksum 007472ebdaf32447
// TEST planes: --kernel planes --grid 3,4 --block 32,4 --arg 'f32[7800]=iota' --arg 'f32[7800]' --arg i32:65 --arg i32:12 --arg i32:10
// EXPECT arg 1: sum 117920880 checksum 60b713b52a53bd97
// TEST planes_line: --kernel planes --grid 2,13 --block 48 --arg 'f32[7800]=iota' --arg 'f32[7800]' --arg i32:65 --arg i32:12 --arg i32:10
// EXPECT arg 1: sum 117920880 checksum 60b713b52a53bd97
// TEST planes_none: --kernel planes --grid 3,4 --block 32,4 --arg 'f32[7800]=iota' --arg 'f32[7800]' --arg i32:65 --arg i32:0 --arg i32:10
// EXPECT arg 1: sum 0 checksum b87e0684937f18a5
// TEST columns: --kernel columns --grid 3,2,2 --block 12,5,2 --arg 'i32[9000]=iota' --arg i32:30 --arg i32:20 --arg u32:15 --arg i32:1
// EXPECT arg 0: sum 1277867737316 checksum 24956761dbe3e6f3
// TEST columns_wide: --kernel columns --grid 40,3 --block 16,8 --arg 'i32[48000]=iota' --arg i32:600 --arg i32:16 --arg u32:5 --arg i32:1
// EXPECT arg 0: sum 15804580800 checksum 6be232a446ba320b
// TEST columns_off: --kernel columns --grid 3,2 --block 12,5 --arg 'i32[9000]=iota' --arg i32:30 --arg i32:20 --arg u32:15 --arg i32:0
// EXPECT arg 0: sum 40495500 checksum e2eb01ec229b9795
// TEST apart: --kernel apart --block 64 --arg 'i64[64]'
// EXPECT arg 0: sum -17179868928 checksum b76d9bc09785b1a5
// TEST turned: --kernel turned --grid 5 --block 64 --arg 'i32[1000]=iota' --arg 'i32[1000]' --arg i32:8 --arg i32:25
// EXPECT arg 1: sum 499500 checksum 15988b7862cc60dd

__global__ void sums(const float *x, float *y, int n)
{
    __shared__ float part[1024];
    float s = 0, most = -1;
    for (int i = blockIdx.x * 7 + threadIdx.x; i < n && i < 4500; i += blockDim.x) {
        s += x[i];
        most = x[i] > most ? x[i] : most;
    }
    part[threadIdx.x] = s + most;
    __syncthreads();
    for (int k = 512; k > 0; k /= 2) {
        if (threadIdx.x < k && threadIdx.x + k < blockDim.x)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}

__global__ void strided(const int *x, int *y, unsigned n, unsigned most)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n && i <= most; i += blockDim.x * gridDim.x)
        y[i] = i % 3 ? 2 * x[i] : 5 - x[i];
}

// Counts past 2^32: threads that are done do not start again.
__global__ void wrapping(const int *x, int *y, unsigned n)
{
    int s = 0, turns = 0;
    for (unsigned i = 4294966784u + threadIdx.x; i < n && turns < 9; i += blockDim.x, turns++)
        s += x[i & 1023];
    y[threadIdx.x] = s + 1000 * turns;
}

__global__ void rows(const float *x, float *y, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = (blockIdx.y * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y;
    if (i > 0 && i < w - 1 && j > 0 && j < h)
        y[j * w + i] = x[j * w + i] + 0.5f * (x[j * w + i - 1] + x[(j - 1) * w + i + 1]) + blockIdx.x;
}

// A loop over planes, for all threads of many blocks at once.
__global__ void planes(const float *x, float *y, int w, int h, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, plane = w * h;
    float far = i * 0.25f - j;
    if (i > 0 && i < w - 1 && j > 0 && j < h - 1)
        for (int k = 1; k < d - 1; k++) {
            int at = k * plane + j * w + i;
            float s = x[at - 1] + x[at + 1] + x[at - w] + x[at + w] + x[at - plane] + x[at + plane];
            y[at] = (k & 1) ? s + far : s - far;
        }
}

// In place: each plane needs the one before it.
__global__ void columns(int *x, int w, int h, unsigned d, int on)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = (blockIdx.y * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y;
    if (!on || i >= w || blockIdx.z)
        return;
    if (j >= h)
        return;
    for (unsigned k = 1; k < d; k++)
        x[(k * h + j) * w + i] += 3 * x[((k - 1) * h + j) * w + i] + threadIdx.z;
}

// Two indices that wrap in different lanes: their difference is not the same for all.
__global__ void apart(long long *y)
{
    unsigned a = threadIdx.x - 5u, b = threadIdx.x - 9u;
    y[threadIdx.x] = (long long)((unsigned long long)a - (unsigned long long)b);
}

// Each block turns a matrix through shared memory: its loop divides, and threads leave it an iteration apart at
// most, so that lanes are better than threads one at a time, which a barrier would make coroutines of.
__global__ void turned(const int *x, int *y, int rows, int columns)
{
    __shared__ int part[512];
    const int n = rows * columns, base = blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        part[i] = x[base + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[base + i] = part[i % rows * columns + i / rows];
}
