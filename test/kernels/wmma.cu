// Matrices in fragments of a warp: half with float and half sums, every other type of element, other shapes.
// TEST half: --kernel f16 --block 32 --arg 'f16[1024]=iota' --arg 'f32[256]'
// EXPECT arg 1: sum 528 checksum 2d7ae7241f0dff55
// TEST shapes: --kernel shapes --block 32 --arg 'i32[3]'
// EXPECT arg 0: sum 3 checksum de24483a76fbb974
// TEST bytes: --kernel s8 --block 32 --arg 'i32[256]'
// EXPECT arg 0: sum 13312 checksum 88c7214d8a7731b1
// TEST double: --kernel f64 --block 32 --arg 'f64[64]'
// EXPECT arg 0: sum 91152 checksum 1f676a68c2304e4f
// TEST brain: --kernel bf16 --block 32 --arg 'f32[256]'
// EXPECT arg 0: sum -1418 checksum 2aed2740026c9085
// TEST nineteen: --kernel tf32 --block 32 --arg 'f32[256]'
// EXPECT arg 0: sum -666.5 checksum bc3a1314a2fca731
// TEST unsigned: --kernel u8 --block 32 --arg 'i32[256]'
// EXPECT arg 0: sum 66466816 checksum 5f7f8bb2b9aa72dc
// TEST tiled: --kernel tiled --grid 2,2 --block 32 --arg 'f32[1024]'
// EXPECT arg 0: sum 113904 checksum 43f9f0ee12dc0d85
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

__global__ void f16(const half *in, float *out)
{
    __shared__ half a[256], b[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        a[i] = __int2half_rn((int)(float)in[i] % 5 - 2);
        b[i] = __int2half_rn((int)(float)in[i] % 7 - 3);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 2.0f;
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

template <int M, int N, class LA, class LB> __device__ int check()
{
    constexpr int K = 16;
    __shared__ half a[32 * 16], b[32 * 16], c[16 * 32];
    for (int i = threadIdx.x; i < M * K; i += 32)
        a[i] = __int2half_rn(i % 5);
    for (int i = threadIdx.x; i < K * N; i += 32)
        b[i] = __int2half_rn(i % 3);
    for (int i = threadIdx.x; i < M * N; i += 32)
        c[i] = __int2half_rn(i % 4);
    __syncthreads();
    wmma::fragment<wmma::matrix_a, M, N, K, half, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, half, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, half> fc, fd;
    constexpr bool rows_a = std::is_same<LA, wmma::row_major>::value, rows_b = std::is_same<LB, wmma::row_major>::value;
    wmma::load_matrix_sync(fa, a, rows_a ? K : M);
    wmma::load_matrix_sync(fb, b, rows_b ? N : K);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc);
    __shared__ half d[16 * 32];
    wmma::store_matrix_sync(d, fd, M, wmma::mem_col_major);
    __syncthreads();
    int bad = 0;
    for (int i = threadIdx.x; i < M * N; i += 32) {
        int row = i / N, col = i % N;
        float sum = i % 4;
        for (int k = 0; k < K; k++)
            sum += (float)((rows_a ? row * K + k : k * M + row) % 5) * (float)((rows_b ? k * N + col : col * K + k) % 3);
        bad += (float)d[col * M + row] != sum;
    }
    __syncthreads();
    return __syncthreads_or(bad) ? 0 : 1;
}

__global__ void shapes(int *out)
{
    int square = check<16, 16, wmma::row_major, wmma::row_major>();
    int tall = check<32, 8, wmma::col_major, wmma::row_major>();
    int wide = check<8, 32, wmma::row_major, wmma::col_major>();
    out[0] = square;
    out[1] = tall;
    out[2] = wide;
}

template <class T> __device__ void bytes(int *out)
{
    __shared__ T a[256], b[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        a[i] = (T)(i * 7 - 100);
        b[i] = (T)(i * 3 + 5);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 0);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

__global__ void s8(int *out) { bytes<signed char>(out); }

__global__ void u8(int *out) { bytes<unsigned char>(out); }

__global__ void bf16(float *out)
{
    __shared__ __nv_bfloat16 a[256], b[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        a[i] = __float2bfloat16(i % 5 - 2.5f);
        b[i] = __float2bfloat16(i % 7 * 0.25f);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.5f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

__global__ void tf32(float *out)
{
    __shared__ float a[128], b[128];
    for (int i = threadIdx.x; i < 128; i += 32) {
        a[i] = wmma::__float_to_tf32(i % 5 - 2.5f);
        b[i] = wmma::__float_to_tf32(i % 7 * 0.25f);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
    wmma::fill_fragment(fc, 0.5f);
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}

__global__ void f64(double *out)
{
    __shared__ double a[32], b[32];
    a[threadIdx.x] = threadIdx.x + 0.5;
    b[threadIdx.x] = 2.0 * threadIdx.x - 10;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
    wmma::fill_fragment(fc, 0.25);
    wmma::load_matrix_sync(fa, a, 4);
    wmma::load_matrix_sync(fb, b, 8);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 8, wmma::mem_row_major);
}

// 32x32 from 16x16 pieces; A is i + j mod 4, B is i * j mod 5
__global__ void tiled(float *out)
{
    __shared__ half a[256], b[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < 48; k += 16) {
        for (int i = threadIdx.x; i < 256; i += 32) {
            int r = i / 16, c = i % 16;
            a[i] = __int2half_rn((blockIdx.y * 16 + r + k + c) % 4);
            b[i] = __int2half_rn((k + r) * (blockIdx.x * 16 + c) % 5);
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, a, 16);
        wmma::load_matrix_sync(fb, b, 16);
        wmma::mma_sync(fc, fa, fb, fc);
        __syncthreads();
    }
    wmma::store_matrix_sync(out + blockIdx.y * 16 * 32 + blockIdx.x * 16, fc, 32, wmma::mem_row_major);
}
