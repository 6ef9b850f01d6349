// C = A * B through shared tiles, for any element type.
// TEST f32: --kernel 'gemm<float, 16>' --grid 2,4 --block 16,16 --arg 'f32[3072]=iota' --arg 'f32[1536]=iota' --arg 'f32[2048]' --arg i32:48 --arg i32:32
// EXPECT arg 2: sum 2949312 checksum ed6f4c75bb7b7b25
// TEST f64: --kernel 'gemm<double, 16>' --grid 2,4 --block 16,16 --arg 'f64[3072]=iota' --arg 'f64[1536]=iota' --arg 'f64[2048]' --arg i32:48 --arg i32:32
// EXPECT arg 2: sum 2949312 checksum 3511b903dffd4425
template <typename T, int N> __global__ void gemm(const T *a, const T *b, T *c, int k, int m)
{
    __shared__ T as[N][N];
    __shared__ T bs[N][N];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * N + ty, col = blockIdx.x * N + tx;
    T sum = 0;
    for (int t = 0; t < k / N; t++) {
        int ai = row * k + t * N + tx, bi = (t * N + ty) * m + col;
        as[ty][tx] = static_cast<T>(static_cast<int>(a[ai]) % 16);
        bs[ty][tx] = static_cast<T>(static_cast<int>(b[bi]) % 9);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < N; p++)
            sum += as[ty][p] * bs[p][tx];
        __syncthreads();
    }
    c[row * m + col] = sum;
}
