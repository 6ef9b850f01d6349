/* Products on NVIDIA's matrix instructions (mma.sync, from sm_80 on): a block computes TILE by TILE elements of the result, its
 * warps 64 by 32 each; tiles of A and B come to shared memory by cp.async, several steps of k ahead.
 *
 * Both operands lie in shared memory as in global memory, in chunks of 16 bytes: rows of the tile are what is not contiguous.
 * Chunks are permuted within a row (swizzled), so that the eight rows that a matrix load reads lie in different banks. */
#pragma once
#include "device/blas/gemm.h"

enum { TENSOR_TILE = 128, TENSOR_ROW_BYTES = 128, TENSOR_STAGES = 3, TENSOR_THREADS = 256 };
/* Shared memory: for each stage a tile of A and one of B, 16 KB each. */
enum { TENSOR_LD = TENSOR_TILE + 4 }; /* of the sums there: no two lanes in one bank */
enum { TENSOR_TILE_BYTES = TENSOR_TILE * TENSOR_ROW_BYTES, TENSOR_SHARED = TENSOR_STAGES * 2 * TENSOR_TILE_BYTES };

/* What one instruction takes: a step of k is 32 bytes of each row (f64: 32 bytes are four elements, one instruction). */
template <class T> struct tensor_type;
template <> struct tensor_type<__half> {
    typedef float sum;
    static __device__ inline void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
template <> struct tensor_type<__nv_bfloat16> {
    typedef float sum;
    static __device__ inline void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
template <> struct tensor_type<float> { /* tf32 */
    typedef float sum;
    static __device__ inline void mma(float *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
template <> struct tensor_type<signed char> {
    typedef int sum;
    static __device__ inline void mma(int *c, const unsigned *a, const unsigned *b)
    {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

__device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* Where chunk c of row r lies in a tile whose rows have `chunks` chunks. */
__device__ inline int swizzled(int r, int c, int chunks) { return (r * chunks + (c ^ (r & 7))) * 16; }
/* The same for elements of 4 and 8 bytes that are read one by one across rows. */
__device__ inline int swizzled_wide(int r, int c, int chunks) { return (r * chunks + (c ^ ((r & 3) << 1))) * 16; }

/* Brings a tile: rows [r0, r0 + rows) by contiguous elements [e0, ...). `along` is 1 apart, rows are `apart` apart. What lies
 * outside is 0. */
template <class T, int ROWS, int CHUNKS, bool ALIGNED, bool WIDE>
__device__ inline void bring(unsigned char *tile, const T *p, long long apart, long long r0, long long r_end, long long e0, long long e_end)
{
    const int per = 16 / (int)sizeof(T);
    for (int i = threadIdx.x; i < ROWS * CHUNKS; i += TENSOR_THREADS) {
        const int r = i / CHUNKS, c = i % CHUNKS;
        const long long row = r0 + r, e = e0 + c * per, left = e_end - e;
        const int valid = row < r_end && left > 0 ? (left < per ? (int)left : per) : 0;
        unsigned char *to_ = tile + (WIDE ? swizzled_wide(r, c, CHUNKS) : swizzled(r, c, CHUNKS));
        if (ALIGNED) {
            const T *from = valid ? p + row * apart + e : p;
            const int bytes = valid * (int)sizeof(T);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to_)), "l"(from), "r"(bytes) : "memory");
        } else {
            T *out = (T *)to_;
            for (int k = 0; k < per; k++)
                out[k] = k < valid ? p[row * apart + e + k] : T(0);
        }
    }
}

__device__ inline void load4(unsigned *r, unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
__device__ inline void load4_across(unsigned *r, unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

/* Registers of A for rows m0 to m0 + 15 and step s of k; ALONG: k is contiguous. */
template <class T, bool ALONG> __device__ inline void fragment_a(unsigned *r, const unsigned char *tile, int m0, int s)
{
    const int lane = threadIdx.x & 31, i = lane >> 3, q = lane & 7;
    if (ALONG)
        load4(r, shared_address(tile + swizzled(m0 + (i & 1) * 8 + q, 2 * s + (i >> 1), 8)));
    else if (sizeof(T) == 2)
        load4_across(r, shared_address(tile + swizzled(s * 16 + (i >> 1) * 8 + q, m0 / 8 + (i & 1), 16)));
    else
        for (int j = 0; j < 4; j++) { /* rows g and g + 8, columns t and t + 4 */
            const int k = s * 8 + (lane & 3) + (j >> 1) * 4, m = m0 + (lane >> 2) + (j & 1) * 8;
            r[j] = *(const unsigned *)(tile + swizzled_wide(k, m / 4, 32) + m % 4 * 4);
        }
}
/* Registers of B for columns n0 to n0 + 15: two instructions' worth. */
template <class T, bool ALONG> __device__ inline void fragment_b(unsigned *r, const unsigned char *tile, int n0, int s)
{
    const int lane = threadIdx.x & 31, i = lane >> 3, q = lane & 7;
    if (ALONG)
        load4(r, shared_address(tile + swizzled(n0 + (i >> 1) * 8 + q, 2 * s + (i & 1), 8)));
    else if (sizeof(T) == 2)
        load4_across(r, shared_address(tile + swizzled(s * 16 + (i & 1) * 8 + q, n0 / 8 + (i >> 1), 16)));
    else
        for (int j = 0; j < 4; j++) {
            const int k = s * 8 + (lane & 3) + (j & 1) * 4, n = n0 + (lane >> 2) + (j >> 1) * 8;
            r[j] = *(const unsigned *)(tile + swizzled_wide(k, n / 4, 32) + n % 4 * 4);
        }
}

__device__ inline unsigned to_tf32(unsigned v)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(__uint_as_float(v)));
    return r;
}

/* A_ALONG, B_ALONG: whether k is contiguous. */
template <class T, class F, class C, class S, bool A_ALONG, bool B_ALONG, bool ALIGNED, int EPILOGUE>
__global__ __launch_bounds__(TENSOR_THREADS, sizeof(T) == 4 ? 1 : 2) void tensor_product(blas_product p)
{
    typedef typename tensor_type<T>::sum X;
    extern __shared__ __align__(128) unsigned char tensor_memory[];
    const int BK = TENSOR_ROW_BYTES / (int)sizeof(T), STEPS = 4;
    const bool wide_a = !A_ALONG && sizeof(T) == 4, wide_b = !B_ALONG && sizeof(T) == 4;
    const long long tiles = (p.m + TENSOR_TILE - 1) / TENSOR_TILE, tiles_n = (p.n + TENSOR_TILE - 1) / TENSOR_TILE;
    /* Blocks that run together share columns and rows: eight rows of tiles at a time. */
    const long long group = 8 * tiles_n, first_row = blockIdx.x / group * 8;
    const long long height = tiles - first_row < 8 ? tiles - first_row : 8;
    const long long i0 = (first_row + blockIdx.x % group % height) * TENSOR_TILE, j0 = blockIdx.x % group / height * TENSOR_TILE;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + TENSOR_TILE - 1 : p.part == BLAS_LOWER ? i0 + TENSOR_TILE - 1 < j0 : false)
        return;
    const S alpha = p.scalar_vector ? one<S>() : scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    const T *a = batch<const T>(p.a.p, p.a.array, p.a.stride, p.a.offset, z);
    const T *b = batch<const T>(p.b.p, p.b.array, p.b.stride, p.b.offset, z);
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, wm = warp % 2 * 64, wn = warp / 2 * 32;
    X sum[4][4][4];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[i][j][e] = X(0);
    const long long count = is_zero(alpha) ? 0 : (p.k + BK - 1) / BK;

#define TENSOR_BRING(step)                                                                         \
    {                                                                                              \
        unsigned char *at = tensor_memory + (int)((step) % TENSOR_STAGES) * 2 * TENSOR_TILE_BYTES; \
        const long long k0 = (step) * BK;                                                          \
        if (A_ALONG)                                                                               \
            bring<T, TENSOR_TILE, 8, ALIGNED, false>(at, a, p.a.row, i0, p.m, k0, p.k);            \
        else                                                                                       \
            bring<T, BK, TENSOR_TILE * (int)sizeof(T) / 16, ALIGNED, wide_a>(at, a, p.a.col, k0, p.k, i0, p.m); \
        at += TENSOR_TILE_BYTES;                                                                   \
        if (B_ALONG)                                                                               \
            bring<T, TENSOR_TILE, 8, ALIGNED, false>(at, b, p.b.col, j0, p.n, k0, p.k);            \
        else                                                                                       \
            bring<T, BK, TENSOR_TILE * (int)sizeof(T) / 16, ALIGNED, wide_b>(at, b, p.b.row, k0, p.k, j0, p.n); \
    }
    for (int s = 0; s < TENSOR_STAGES - 1; s++) {
        if (s < count)
            TENSOR_BRING((long long)s)
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (long long step = 0; step < count; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(TENSOR_STAGES - 2) : "memory");
        __syncthreads();
        if (step + TENSOR_STAGES - 1 < count)
            TENSOR_BRING(step + TENSOR_STAGES - 1)
        asm volatile("cp.async.commit_group;" ::: "memory");
        const unsigned char *ta = tensor_memory + (int)(step % TENSOR_STAGES) * 2 * TENSOR_TILE_BYTES, *tb = ta + TENSOR_TILE_BYTES;
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            unsigned fa[4][4], fb[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                fragment_a<T, A_ALONG>(fa[i], ta, wm + i * 16, s);
#pragma unroll
            for (int j = 0; j < 2; j++)
                fragment_b<T, B_ALONG>(fb[j], tb, wn + j * 16, s);
            if (sizeof(T) == 4) { /* to the nearest, not towards 0 */
#pragma unroll
                for (int i = 0; i < 16; i++)
                    fa[i / 4][i % 4] = to_tf32(fa[i / 4][i % 4]);
#pragma unroll
                for (int j = 0; j < 8; j++)
                    fb[j / 4][j % 4] = to_tf32(fb[j / 4][j % 4]);
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    tensor_type<T>::mma(sum[i][j], fa[i], fb[j / 2] + j % 2 * 2);
        }
    }
#undef TENSOR_BRING
    /* By way of shared memory: threads side by side write elements side by side. */
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    X *tile = (X *)tensor_memory;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                tile[(wn + j * 8 + (lane & 3) * 2 + e % 2) * TENSOR_LD + wm + i * 16 + (lane >> 2) + e / 2 * 8] = sum[i][j][e];
    __syncthreads();
    const F *c = batch<const F>(p.c, p.c_array, p.c_stride, p.c_offset, z);
    C *d = batch<C>(p.d, p.d_array, p.d_stride, p.d_offset, z);
    for (int e = threadIdx.x; e < TENSOR_TILE * TENSOR_TILE; e += TENSOR_THREADS) {
        const int r = e % TENSOR_TILE, q = e / TENSOR_TILE;
        if (i0 + r < p.m && j0 + q < p.n)
            finish<F, C, X, S, EPILOGUE>(p, d, c, tile[q * TENSOR_LD + r], alpha, beta, i0 + r, j0 + q, z);
    }
}

/* ---- f64: m8n8k4. A block computes 64 by 128, its eight warps 32 by 32 each; 16 elements of k at a time. ---- */
enum { DOUBLE_M = 64, DOUBLE_N = 128, DOUBLE_STAGES = 3, DOUBLE_A_BYTES = DOUBLE_M * 128, DOUBLE_B_BYTES = DOUBLE_N * 128,
       DOUBLE_SHARED = DOUBLE_STAGES * (DOUBLE_A_BYTES + DOUBLE_B_BYTES) };

template <bool A_ALONG, bool B_ALONG, bool ALIGNED>
__global__ __launch_bounds__(TENSOR_THREADS, 2) void double_product(blas_product p)
{
    extern __shared__ __align__(128) unsigned char tensor_memory[];
    const int BK = 16;
    const long long tiles = (p.m + DOUBLE_M - 1) / DOUBLE_M, tiles_n = (p.n + DOUBLE_N - 1) / DOUBLE_N;
    const long long group = 16 * tiles_n, first_row = blockIdx.x / group * 16;
    const long long height = tiles - first_row < 16 ? tiles - first_row : 16;
    const long long i0 = (first_row + blockIdx.x % group % height) * DOUBLE_M, j0 = blockIdx.x % group / height * DOUBLE_N;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + DOUBLE_N - 1 : p.part == BLAS_LOWER ? i0 + DOUBLE_M - 1 < j0 : false)
        return;
    const double alpha = scalar<double>(p.alpha, p.alpha_value), beta = scalar<double>(p.beta, p.beta_value);
    const double *a = batch<const double>(p.a.p, p.a.array, p.a.stride, p.a.offset, z);
    const double *b = batch<const double>(p.b.p, p.b.array, p.b.stride, p.b.offset, z);
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, wm = warp % 2 * 32, wn = warp / 2 * 32, g = lane >> 2, t = lane & 3;
    double sum[4][4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum[i][j][0] = sum[i][j][1] = 0;
    const long long count = alpha == 0 ? 0 : (p.k + BK - 1) / BK;

#define DOUBLE_BRING(step)                                                                         \
    {                                                                                              \
        unsigned char *at = tensor_memory + (int)((step) % DOUBLE_STAGES) * (DOUBLE_A_BYTES + DOUBLE_B_BYTES); \
        const long long k0 = (step) * BK;                                                          \
        if (A_ALONG)                                                                               \
            bring<double, DOUBLE_M, 8, ALIGNED, true>(at, a, p.a.row, i0, p.m, k0, p.k);           \
        else                                                                                       \
            bring<double, BK, DOUBLE_M / 2, ALIGNED, true>(at, a, p.a.col, k0, p.k, i0, p.m);      \
        at += DOUBLE_A_BYTES;                                                                      \
        if (B_ALONG)                                                                               \
            bring<double, DOUBLE_N, 8, ALIGNED, true>(at, b, p.b.col, j0, p.n, k0, p.k);           \
        else                                                                                       \
            bring<double, BK, DOUBLE_N / 2, ALIGNED, true>(at, b, p.b.row, k0, p.k, j0, p.n);      \
    }
    for (int s = 0; s < DOUBLE_STAGES - 1; s++) {
        if (s < count)
            DOUBLE_BRING((long long)s)
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (long long step = 0; step < count; step++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(DOUBLE_STAGES - 2) : "memory");
        __syncthreads();
        if (step + DOUBLE_STAGES - 1 < count)
            DOUBLE_BRING(step + DOUBLE_STAGES - 1)
        asm volatile("cp.async.commit_group;" ::: "memory");
        const unsigned char *ta = tensor_memory + (int)(step % DOUBLE_STAGES) * (DOUBLE_A_BYTES + DOUBLE_B_BYTES), *tb = ta + DOUBLE_A_BYTES;
#pragma unroll
        for (int s = 0; s < 4; s++) {
            const int k = s * 4 + t;
            double fa[4], fb[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int m = wm + i * 8 + g;
                fa[i] = *(const double *)(ta + (A_ALONG ? swizzled_wide(m, k / 2, 8) + k % 2 * 8 : swizzled_wide(k, m / 2, DOUBLE_M / 2) + m % 2 * 8));
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int n = wn + j * 8 + g;
                fb[j] = *(const double *)(tb + (B_ALONG ? swizzled_wide(n, k / 2, 8) + k % 2 * 8 : swizzled_wide(k, n / 2, DOUBLE_N / 2) + n % 2 * 8));
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                                 : "+d"(sum[i][j][0]), "+d"(sum[i][j][1])
                                 : "d"(fa[i]), "d"(fb[j]));
        }
    }
#undef DOUBLE_BRING
    const double *c = batch<const double>(p.c, p.c_array, p.c_stride, p.c_offset, z);
    double *d = batch<double>(p.d, p.d_array, p.d_stride, p.d_offset, z);
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const long long r = i0 + wm + i * 8 + g, q = j0 + wn + j * 8 + t * 2 + e;
                if (r < p.m && q < p.n)
                    finish<double, double, double, double, 0>(p, d, c, sum[i][j][e], alpha, beta, r, q, z);
            }
}
