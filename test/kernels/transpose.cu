// A matrix turned over tile by tile; the tile has a column too many, against bank conflicts.
// TEST tile: --kernel transpose --grid 2,3 --block 32,8 --arg 'f32[3500]=iota' --arg 'f32[3500]' --arg i32:50 --arg i32:70
// EXPECT arg 1: sum 6123250 checksum 22c6fd206aac5274
#define TILE 32
__global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
