// Sparse matrix times vector: the matrix has ones where (i * 7 + j * 3) % 11 == 0, made on the spot in
// three formats.
// TEST csr: --kernel csr --grid 2 --block 64 --arg 'i32[101]' --arg 'i32[1000]' --arg 'f32[100]=iota' --arg 'f32[100]'
// EXPECT arg 3: sum 45045 checksum 53c3f08e77bd5cdc
// TEST warp: --kernel by_warp --grid 4 --block 128 --arg 'f32[100]=iota' --arg 'f32[100]'
// EXPECT arg 1: sum 45045 checksum 53c3f08e77bd5cdc
// TEST ell: --kernel ell --block 128 --arg 'f32[100]=iota' --arg 'f32[100]' --arg 'i32[1200]'
// EXPECT arg 1: sum 45045 checksum 53c3f08e77bd5cdc
__device__ inline bool stored(int i, int j) { return (i * 7 + j * 3) % 11 == 0; }

__global__ void csr(int *rows, int *cols, const float *x, float *y)
{
    // block 0 builds the matrix; block 1 waits for it on a flag in the last row pointer
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            int n = 0;
            for (int i = 0; i < 100; i++) {
                rows[i] = n;
                for (int j = 0; j < 100; j++)
                    if (stored(i, j) && n < 1000)
                        cols[n++] = j;
            }
            __threadfence();
            atomicExch(&rows[100], n);
        }
    }
    if (threadIdx.x == 0)
        while (atomicAdd(&rows[100], 0) == 0)
            ;
    __syncthreads();
    __threadfence();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 100; i += gridDim.x * blockDim.x) {
        float sum = 0;
        int end = i == 99 ? rows[100] : rows[i + 1];
        for (int p = rows[i]; p < end; p++)
            sum += x[cols[p]];
        y[i] = sum;
    }
}

__global__ void by_warp(const float *x, float *y)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x / 32;
    for (int i = warp; i < 100; i += warps) {
        float sum = 0;
        for (int j = lane; j < 100; j += 32)
            if (stored(i, j))
                sum += x[j];
        for (int d = 16; d; d >>= 1)
            sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0)
            y[i] = sum;
    }
}

__global__ void ell(const float *x, float *y, int *cols)
{
    const int rows = 100, width = 12;
    int i = threadIdx.x;
    if (i < rows) {
        int n = 0;
        for (int j = 0; j < 100; j++)
            if (stored(i, j))
                cols[n++ * rows + i] = j;
        for (; n < width; n++)
            cols[n * rows + i] = -1;
        float sum = 0;
        for (int k = 0; k < width; k++) {
            int j = cols[k * rows + i];
            if (j >= 0)
                sum += x[j];
        }
        y[i] = sum;
    }
}
