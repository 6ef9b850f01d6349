/* f64 products on NVIDIA's matrix instructions: mma.sync m8n8k4 (from sm_80 on), m16n8k8 or m16n8k16 (sm_90), in tiles that cp.async brings.
 *
 * The result is stored by columns and the instruction's by rows, so its first operand is op(B)' and its second op(A): the two sums of a
 * thread that lie side by side are neighbours in memory. Which k goes to which place of an instruction does not matter as long as it is
 * the same for both operands: a thread takes k and k + 1 of a chunk of 16 bytes as its places t and t + 4. */
#pragma once
#include "device/blas/tensor.h"

enum { DOUBLE_K = 16, DOUBLE_THREADS = 256 };

/* Where chunk c of line l is. ALONG, a line is a row of 8 chunks, and lanes read whole chunks of two rows at once; else a line is a k, and
 * lanes read elements of lines 2t. */
template <bool ALONG> __device__ inline int double_place(int l, int c, int chunks)
{
    return (l * chunks + (c ^ (ALONG ? (l & 1) << 2 | (l >> 1 & 3) : (l >> 1 & 3) << 1))) * 16;
}

/* A tile of an operand: LINES rows from p on, of which `rows` are there, and DOUBLE_K of k, of which `deep` are there. */
template <int LINES, bool ALONG, bool ALIGNED> __device__ inline void double_bring(unsigned char *tile, const double *p, long long apart, int rows, int deep)
{
    const int chunks = ALONG ? DOUBLE_K / 2 : LINES / 2, step = DOUBLE_THREADS / chunks, c = threadIdx.x % chunks, first = threadIdx.x / chunks;
    const int left = (ALONG ? deep : rows) - c * 2, lines = ALONG ? rows : deep, bytes = left <= 0 ? 0 : left < 2 ? 8 : 16;
    const double *from = p + first * apart + c * 2;
#pragma unroll
    for (int l = 0; l < (ALONG ? LINES : DOUBLE_K); l += step) {
        const int valid = first + l < lines ? bytes : 0;
        unsigned char *to_ = tile + double_place<ALONG>(first + l, c, chunks);
        if (ALIGNED) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to_)), "l"(valid ? from : p), "r"(valid) : "memory");
        } else {
            ((double *)to_)[0] = valid ? from[0] : 0.0;
            ((double *)to_)[1] = valid > 8 ? from[1] : 0.0;
        }
        from += step * apart;
    }
}

/* k and k + 1 of row x, chunk c of k. */
template <int LINES, bool ALONG> __device__ inline double2 double_pair(const unsigned char *tile, int x, int c)
{
    if (ALONG)
        return *(const double2 *)(tile + double_place<true>(x, c, DOUBLE_K / 2));
    double2 v;
    v.x = *(const double *)(tile + double_place<false>(2 * c, x / 2, LINES / 2) + x % 2 * 8);
    v.y = *(const double *)(tile + double_place<false>(2 * c + 1, x / 2, LINES / 2) + x % 2 * 8);
    return v;
}

/* c: two sums of eight rows, and two of the eight that follow; 8 of k (SHAPE 4: by m8n8k4, 8: m16n8k8). */
template <int SHAPE> __device__ inline void double_mma(double *c, double2 low, double2 high, double2 b)
{
    if (SHAPE == 8) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                     : "d"(low.x), "d"(high.x), "d"(low.y), "d"(high.y), "d"(b.x), "d"(b.y));
        return;
    }
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(low.x), "d"(b.x));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[2]), "+d"(c[3]) : "d"(high.x), "d"(b.x));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(low.y), "d"(b.y));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[2]), "+d"(c[3]) : "d"(high.y), "d"(b.y));
}
/* 16 of k at once. */
__device__ inline void double_mma_deep(double *c, const double2 *low, const double2 *high, const double2 *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(low[0].x), "d"(high[0].x), "d"(low[0].y), "d"(high[0].y), "d"(low[1].x), "d"(high[1].x), "d"(low[1].y), "d"(high[1].y), "d"(b[0].x), "d"(b[0].y),
                   "d"(b[1].x), "d"(b[1].y));
}

/* COLS by ROWS elements of the result a block, WARP_COLS by WARP_ROWS a warp. */
template <int COLS, int ROWS, int WARP_COLS, int WARP_ROWS, int STAGES, bool A_ALONG, bool B_ALONG, bool ALIGNED, int SHAPE>
__global__ __launch_bounds__(DOUBLE_THREADS, COLS * ROWS > 8192 ? 1 : 2) void double_product(blas_product p)
{
    extern __shared__ __align__(128) unsigned char tensor_memory[];
    const int COLS_BYTES = COLS * DOUBLE_K * 8, STAGE = COLS_BYTES + ROWS * DOUBLE_K * 8, I = WARP_COLS / 16, J = WARP_ROWS / 8;
    const tile_place place = place_of_tile<ROWS, COLS>(p);
    const long long i0 = place.i, j0 = place.j;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + COLS - 1 : p.part == BLAS_LOWER ? i0 + ROWS - 1 < j0 : false)
        return;
    const double alpha = scalar<double>(p.alpha, p.alpha_value), beta = scalar<double>(p.beta, p.beta_value);
    const long long a_apart = A_ALONG ? p.a.row : p.a.col, b_apart = B_ALONG ? p.b.col : p.b.row;
    const double *a = batch<const double>(p.a.p, p.a.array, p.a.stride, p.a.offset, z) + (A_ALONG ? i0 * a_apart : i0);
    const double *b = batch<const double>(p.b.p, p.b.array, p.b.stride, p.b.offset, z) + (B_ALONG ? j0 * b_apart : j0);
    const long long a_step = DOUBLE_K * (A_ALONG ? 1 : a_apart), b_step = DOUBLE_K * (B_ALONG ? 1 : b_apart);
    const int rows = p.m - i0 < ROWS ? (int)(p.m - i0) : ROWS, cols = p.n - j0 < COLS ? (int)(p.n - j0) : COLS;
    int deep = alpha == 0 ? 0 : (int)p.k;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    const int wc = warp % (COLS / WARP_COLS) * WARP_COLS, wr = warp / (COLS / WARP_COLS) * WARP_ROWS;
    double sum[I][J][4];
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < J; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[i][j][e] = 0;
    const int count = (deep + DOUBLE_K - 1) / DOUBLE_K;
#define DOUBLE_BRING(stage)                                                                        \
    if (deep > 0) {                                                                                \
        double_bring<COLS, B_ALONG, ALIGNED>(tensor_memory + (stage) * STAGE, b, b_apart, cols, deep); \
        double_bring<ROWS, A_ALONG, ALIGNED>(tensor_memory + (stage) * STAGE + COLS_BYTES, a, a_apart, rows, deep); \
        a += a_step;                                                                               \
        b += b_step;                                                                               \
        deep -= DOUBLE_K;                                                                          \
    }                                                                                              \
    asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        DOUBLE_BRING(s)
    }
    int stage = 0, next = STAGES - 1;
    for (int step = 0; step < count; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        DOUBLE_BRING(next)
        const unsigned char *tb = tensor_memory + stage * STAGE, *ta = tb + COLS_BYTES;
        const int DEEP = SHAPE == 16 ? 2 : 1; /* pairs of k that an instruction takes of each thread */
#pragma unroll
        for (int s = 0; s < DOUBLE_K / 8; s += DEEP) {
            double2 low[I][DEEP], high[I][DEEP], fb[J][DEEP];
#pragma unroll
            for (int i = 0; i < I; i++)
#pragma unroll
                for (int q = 0; q < DEEP; q++) {
                    low[i][q] = double_pair<COLS, B_ALONG>(tb, wc + i * 16 + g, (s + q) * 4 + t);
                    high[i][q] = double_pair<COLS, B_ALONG>(tb, wc + i * 16 + g + 8, (s + q) * 4 + t);
                }
#pragma unroll
            for (int j = 0; j < J; j++)
#pragma unroll
                for (int q = 0; q < DEEP; q++)
                    fb[j][q] = double_pair<ROWS, A_ALONG>(ta, wr + j * 8 + g, (s + q) * 4 + t);
#pragma unroll
            for (int i = 0; i < I; i++)
#pragma unroll
                for (int j = 0; j < J; j++)
                    if (SHAPE == 16)
                        double_mma_deep(sum[i][j], low[i], high[i], fb[j]);
                    else
                        double_mma<SHAPE>(sum[i][j], low[i][0], high[i][0], fb[j][0]);
        }
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
#undef DOUBLE_BRING
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    const int LD = ROWS + 2;
    double *tile = (double *)tensor_memory;
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < J; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                tile[(wc + i * 16 + g + e / 2 * 8) * LD + wr + j * 8 + t * 2 + e % 2] = sum[i][j][e];
    __syncthreads();
    write_tile<double, double, double, double, 0, ROWS, COLS, LD, DOUBLE_THREADS>(p, tile, alpha, beta, i0, j0, z);
}
