// RUN: tern run %s --device interp --kernel indices --grid 2,3,2 --block 2,2,2 --arg 'i32[96]' --print 96
// RUN: tern run %s --device interp --kernel matrix --grid 2,2 --block 8,8 --arg 'f32[256]=iota' --arg 'f32[256]=2' --arg 'f32[256]' --arg i32:16 --print 16
// Every component of the indices, through a number that each thread has alone.
__global__ void indices(int *out)
{
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * 8 + thread] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.x +
                              10000 * threadIdx.y + 100000 * threadIdx.z;
}

__global__ void matrix(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
