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
