/* Products on NVIDIA's matrix instructions (mma.sync, from sm_80 on): a block computes ROWS by TENSOR_TILE elements of the
 * result, its warps ROWS / 2 by 32 each; tiles of A and B come to shared memory by cp.async, several steps of k ahead.
 *
 * Both operands lie in shared memory as in global memory, in chunks of 16 bytes: rows of the tile are what is not contiguous.
 * Chunks are permuted within a row (swizzled), so that lanes that read at once read different banks. Where k is contiguous in both
 * operands, a thread reads whole chunks: which element of k goes to which place of an instruction does not matter as long as it is the
 * same for A and B. */
#pragma once
#include "device/blas/gemm.h"

enum { TENSOR_TILE = 128, TENSOR_ROW_BYTES = 128, TENSOR_STAGES = 3, TENSOR_THREADS = 256 };
/* Shared memory: for each stage a tile of A and one of B. */
__host__ __device__ constexpr int tensor_stage(int rows) { return (rows + TENSOR_TILE) * TENSOR_ROW_BYTES; }

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

/* Where chunk c of row r lies in a tile whose rows have `chunks` chunks: for lanes that read words of eight rows; of two rows whole
 * chunks, WHOLE; of four rows elements of 4 and 8 bytes, WIDE. */
enum { SWIZZLE_WORDS, SWIZZLE_WHOLE, SWIZZLE_WIDE };
template <int HOW> __device__ inline int swizzled(int r, int c, int chunks)
{
    const int by = HOW == SWIZZLE_WIDE ? (r & 3) << 1 : HOW == SWIZZLE_WHOLE ? (r & 1) << 2 | (r >> 1 & 3) : r & 7;
    return (r * chunks + (c ^ by)) * 16;
}

/* Brings a tile: rows [r0, r0 + rows) by contiguous elements [e0, ...). `along` is 1 apart, rows are `apart` apart. What lies
 * outside is 0. */
template <class T, int ROWS, int CHUNKS, bool ALIGNED, int HOW>
__device__ inline void bring(unsigned char *tile, const T *p, long long apart, long long r0, long long r_end, long long e0, long long e_end)
{
    const int per = 16 / (int)sizeof(T);
    for (int i = threadIdx.x; i < ROWS * CHUNKS; i += TENSOR_THREADS) {
        const int r = i / CHUNKS, c = i % CHUNKS;
        const long long row = r0 + r, e = e0 + c * per, left = e_end - e;
        const int valid = row < r_end && left > 0 ? (left < per ? (int)left : per) : 0;
        unsigned char *to_ = tile + swizzled<HOW>(r, c, CHUNKS);
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

__device__ inline unsigned word_at(const unsigned char *p) { return *(const unsigned *)p; }

/* The register of an operand for row x (of A or B') of ROWS and elements k to k + 1 (16 bits), k (32 bits) or k to k + 3 (8 bits), which is
 * word t of the chunk; ALONG: k is contiguous. */
template <class T, int ROWS, bool ALONG> __device__ inline unsigned operand_word(const unsigned char *tile, int x, int chunk, int t)
{
    const int k = chunk * (16 / (int)sizeof(T)) + t * (4 / (int)sizeof(T));
    if (ALONG)
        return word_at(tile + swizzled<SWIZZLE_WORDS>(x, chunk, 8) + t * 4);
    if (sizeof(T) == 4)
        return word_at(tile + swizzled<SWIZZLE_WIDE>(k, x / 4, ROWS / 4) + x % 4 * 4);
    const unsigned short low = *(const unsigned short *)(tile + swizzled<SWIZZLE_WORDS>(k, x / 8, ROWS / 8) + x % 8 * 2);
    const unsigned short high = *(const unsigned short *)(tile + swizzled<SWIZZLE_WORDS>(k + 1, x / 8, ROWS / 8) + x % 8 * 2);
    return low | (unsigned)high << 16;
}

__device__ inline unsigned to_tf32(unsigned v)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(__uint_as_float(v)));
    return r;
}

/* To the nearest, not towards 0. */
__device__ inline void round_all(uint4 &v)
{
    v.x = to_tf32(v.x);
    v.y = to_tf32(v.y);
    v.z = to_tf32(v.z);
    v.w = to_tf32(v.w);
}

/* A_ALONG, B_ALONG: whether k is contiguous. */
template <class T, class F, class C, class S, int ROWS, bool A_ALONG, bool B_ALONG, bool ALIGNED, int EPILOGUE>
__global__ __launch_bounds__(TENSOR_THREADS, ROWS == 64 ? 2 : sizeof(T) < 4 && A_ALONG && B_ALONG ? 2 : 1) void tensor_product(blas_product p)
{
    typedef typename tensor_type<T>::sum X;
    extern __shared__ __align__(128) unsigned char tensor_memory[];
    const int BK = TENSOR_ROW_BYTES / (int)sizeof(T), STEPS = 4, I = ROWS / 32, STAGE = tensor_stage(ROWS), LD = ROWS + 4; /* no two lanes in one bank */
    const int whole = A_ALONG && B_ALONG ? SWIZZLE_WHOLE : SWIZZLE_WORDS, across = sizeof(T) == 4 ? SWIZZLE_WIDE : SWIZZLE_WORDS;
    const tile_place place = place_of_tile<ROWS, TENSOR_TILE>(p);
    const long long i0 = place.i, j0 = place.j;
    const long long z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + TENSOR_TILE - 1 : p.part == BLAS_LOWER ? i0 + ROWS - 1 < j0 : false)
        return;
    const S alpha = p.scalar_vector ? one<S>() : scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    const T *a = batch<const T>(p.a.p, p.a.array, p.a.stride, p.a.offset, z);
    const T *b = batch<const T>(p.b.p, p.b.array, p.b.stride, p.b.offset, z);
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, wm = warp % 2 * (ROWS / 2), wn = warp / 2 * 32;
    X sum[I][4][4];
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[i][j][e] = X(0);
    const long long count = is_zero(alpha) ? 0 : (p.k + BK - 1) / BK;

#define TENSOR_BRING(step)                                                                         \
    {                                                                                              \
        unsigned char *at = tensor_memory + (int)((step) % TENSOR_STAGES) * STAGE; \
        const long long k0 = (step) * BK;                                                          \
        if (A_ALONG)                                                                               \
            bring<T, ROWS, 8, ALIGNED, whole>(at, a, p.a.row, i0, p.m, k0, p.k);            \
        else                                                                                       \
            bring<T, BK, ROWS * (int)sizeof(T) / 16, ALIGNED, across>(at, a, p.a.col, k0, p.k, i0, p.m); \
        at += ROWS * TENSOR_ROW_BYTES;                                                                   \
        if (B_ALONG)                                                                               \
            bring<T, TENSOR_TILE, 8, ALIGNED, whole>(at, b, p.b.col, j0, p.n, k0, p.k);            \
        else                                                                                       \
            bring<T, BK, TENSOR_TILE * (int)sizeof(T) / 16, ALIGNED, across>(at, b, p.b.row, k0, p.k, j0, p.n); \
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
        const unsigned char *ta = tensor_memory + (int)(step % TENSOR_STAGES) * STAGE, *tb = ta + ROWS * TENSOR_ROW_BYTES;
        const int g = lane >> 2, t = lane & 3;
        if (A_ALONG && B_ALONG) {
#pragma unroll
            for (int q = 0; q < 2; q++) { /* 64 bytes of k: two instructions' worth, a chunk for each thread */
                uint4 fa[I][2], fb[4];
#pragma unroll
                for (int i = 0; i < I; i++) {
                    fa[i][0] = *(const uint4 *)(ta + swizzled<SWIZZLE_WHOLE>(wm + i * 16 + g, q * 4 + t, 8));
                    fa[i][1] = *(const uint4 *)(ta + swizzled<SWIZZLE_WHOLE>(wm + i * 16 + g + 8, q * 4 + t, 8));
                    if (sizeof(T) == 4) {
                        round_all(fa[i][0]);
                        round_all(fa[i][1]);
                    }
                }
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    fb[j] = *(const uint4 *)(tb + swizzled<SWIZZLE_WHOLE>(wn + j * 8 + g, q * 4 + t, 8));
                    if (sizeof(T) == 4)
                        round_all(fb[j]);
                }
#pragma unroll
                for (int i = 0; i < I; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        const unsigned a0[4] = {fa[i][0].x, fa[i][1].x, fa[i][0].y, fa[i][1].y}, b0[2] = {fb[j].x, fb[j].y};
                        const unsigned a1[4] = {fa[i][0].z, fa[i][1].z, fa[i][0].w, fa[i][1].w}, b1[2] = {fb[j].z, fb[j].w};
                        tensor_type<T>::mma(sum[i][j], a0, b0);
                        tensor_type<T>::mma(sum[i][j], a1, b1);
                    }
            }
        } else {
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
                unsigned fa[I][4], fb[4][2];
#pragma unroll
                for (int i = 0; i < I; i++)
#pragma unroll
                    for (int e = 0; e < 4; e++) {
                        const unsigned v = operand_word<T, ROWS, A_ALONG>(ta, wm + i * 16 + g + e % 2 * 8, 2 * s + e / 2, t);
                        fa[i][e] = sizeof(T) == 4 ? to_tf32(v) : v;
                    }
#pragma unroll
                for (int j = 0; j < 4; j++)
#pragma unroll
                    for (int e = 0; e < 2; e++) {
                        const unsigned v = operand_word<T, TENSOR_TILE, B_ALONG>(tb, wn + j * 8 + g, 2 * s + e, t);
                        fb[j][e] = sizeof(T) == 4 ? to_tf32(v) : v;
                    }
#pragma unroll
                for (int i = 0; i < I; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++)
                        tensor_type<T>::mma(sum[i][j], fa[i], fb[j]);
            }
        }
    }
#undef TENSOR_BRING
    /* By way of shared memory: threads side by side write elements side by side. */
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    X *tile = (X *)tensor_memory;
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                tile[(wn + j * 8 + (lane & 3) * 2 + e % 2) * LD + wm + i * 16 + (lane >> 2) + e / 2 * 8] = sum[i][j][e];
    __syncthreads();
    write_tile<F, C, X, S, EPILOGUE, ROWS, TENSOR_TILE, LD, TENSOR_THREADS>(p, tile, alpha, beta, i0, j0, z);
}

