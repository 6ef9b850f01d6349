// C = A * B, one thread for each element of C; the inputs are made from the indices.
// TEST f32: --kernel gemm --grid 3,5 --block 8,8 --arg 'f32[660]=iota' --arg 'f32[340]=iota' --arg 'f32[561]' --arg i32:33 --arg i32:20 --arg i32:17
// EXPECT arg 2: sum 67140 checksum 0c56f56f766a48f2
__global__ void gemm(const float *A, const float *B, float *C, int n, int k, int m)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= m)
        return;
    float sum = 0;
    for (int p = 0; p < k; ++p)
        sum += fmodf(A[row * k + p], 7.0f) * fmodf(B[p * m + col], 5.0f);
    C[row * m + col] = sum;
}
