// Matrix product in tiles: each block brings 16 x 16 pieces of A and B into shared memory.
// tern run: --kernel gemm --grid 8,8 --block 16,16 --arg f32[16384]=rand:1 --arg f32[16384]=rand:2 --arg f32[16384] --arg i32:128
// tern play: view=2 as=image width=128
#define TILE 16

__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[TILE][TILE], sb[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        sa[y][x] = a[row * n + k + x];
        sb[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += sa[y][i] * sb[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
