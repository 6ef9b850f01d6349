/* Products of matrices on every device: tiles of A and B in shared memory, a small tile of the result in the registers
 * of each thread. */
#pragma once
#include "device/blas/types.h"
#include "device/blas/product.h"

/* The matrix of the batch that z is. */
template <class T> __device__ inline T *batch(const void *p, int array, long long stride, long long offset, long long z)
{
    return (array ? ((T *const *)p)[z] : (T *)p + stride * z) + offset;
}

/* Element (r, c) of op(X). */
template <class X, class T, int KIND>
__device__ inline X fetch(const blas_operand &o, const T *p, long long r, long long c)
{
    if (KIND == BLAS_GENERAL) {
        const X v = to<X>(p[r * o.row + c * o.col]);
        return o.conj ? conjugate(v) : v;
    }
    const bool inside = r == c || (r < c) == (o.upper != 0);
    if (KIND == BLAS_TRIANGULAR) {
        if (!inside)
            return zero<X>();
        if (r == c && o.unit)
            return one<X>();
        const X v = to<X>(p[r * o.row + c * o.col]);
        return o.conj ? conjugate(v) : v;
    }
    X v = inside ? to<X>(p[r * o.row + c * o.col]) : to<X>(p[c * o.row + r * o.col]);
    if (KIND == BLAS_HERMITIAN) {
        if (r == c)
            drop_imaginary(v);
        else if (!inside != (o.conj != 0))
            v = conjugate(v);
    }
    return v;
}

/* x times the logistic function of 2u, which is (1 + tanh u) / 2: without a difference, so that small results are as exact as large ones. */
__device__ inline float gelu_share(float x)
{
    float share;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(share) : "f"(x * (x * x * -0.10294324f - 2.3022082f))); /* -2u / log 2 */
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(share) : "f"(1.f + share));
    return share;
}
__device__ inline float gelu(float x) { return x * gelu_share(x); }
__device__ inline float gelu_slope(float x)
{
    const float share = gelu_share(x);
    return share + (share - share * share) * (x * (x * x * 0.21406439f + 1.5957691f));
}

/* What follows the product, element by element, in float. */
template <class C>
__device__ inline float epilogue(const blas_epilogue &e, float v, long long r, long long c, long long z)
{
    if (e.bias_kind) {
        const long long at = r + e.bias_stride * z;
        v += e.bias_kind == 1   ? (float)to<float>(((const C *)e.bias)[at])
             : e.bias_kind == 2 ? ((const float *)e.bias)[at]
             : e.bias_kind == 3 ? wide(((const __nv_bfloat16 *)e.bias)[at])
                                : wide(((const __half *)e.bias)[at]);
    }
    const long long at = r + c * e.aux_ld + e.aux_stride * z;
    if (e.activation == BLAS_RELU) {
        if (e.aux_out) {
            unsigned int *word = (unsigned int *)e.aux + at / 32;
            if (v > 0.f)
                atomicOr(word, 1u << (at % 32));
            else
                atomicAnd(word, ~(1u << (at % 32)));
        }
        v = v > 0.f ? v : v != v ? v : 0.f;
    } else if (e.activation == BLAS_GELU) {
        if (e.aux_out)
            ((C *)e.aux)[at] = to<C>(v);
        v = gelu(v);
    } else if (e.activation == BLAS_DRELU) {
        v = ((const unsigned char *)e.aux)[at / 8] >> (at % 8) & 1 ? v : 0.f;
    } else if (e.activation == BLAS_DGELU) {
        v *= gelu_slope(to<float>(((const C *)e.aux)[at]));
    }
    return v;
}

/* Stores one element of the result; F is what C is stored as. */
template <class F, class C, class X, class S, int EPILOGUE>
__device__ inline void finish(const blas_product &p, C *d, const F *c, X sum, S alpha, S beta, long long i, long long j, long long z)
{
    if (p.part == BLAS_UPPER ? i > j : p.part == BLAS_LOWER ? i < j : false)
        return;
    if (EPILOGUE && p.scalar_vector)
        alpha = ((const S *)p.alpha)[i];
    S v = mul(alpha, to<S>(sum));
    if (EPILOGUE) {
        float f = to<float>(v);
        const blas_epilogue &e = p.e;
        if (e.a_scale)
            f *= e.scale_mode ? e.a_scale[i] : *e.a_scale;
        if (e.b_scale)
            f *= e.scale_mode ? e.b_scale[j] : *e.b_scale;
        if (!is_zero(beta))
            f += to<float>(beta) * to<float>(c[i * p.c_row + j * p.c_col]) * (e.c_scale ? *e.c_scale : 1.f);
        f = epilogue<C>(e, f, i, j, z);
        if (e.amax)
            atomicMax((int *)e.amax, __float_as_int(fabsf(f)));
        if (e.d_scale)
            f *= *e.d_scale;
        d[i * p.d_row + j * p.d_col] = to<C>(f);
        return;
    }
    if (!is_zero(beta)) /* what is there may be no number */
        mad(v, beta, to<S>(c[i * p.c_row + j * p.c_col]));
    if (p.real_diagonal && i == j)
        drop_imaginary(v);
    d[i * p.d_row + j * p.d_col] = to<C>(v);
}

/* Which tile of the result a block has, of ROWS by COLS elements: those that run together share columns and rows, eight rows of tiles at a
 * time. There are fewer than 2^31. */
struct tile_place {
    long long i, j;
};
template <int ROWS, int COLS> __device__ inline tile_place place_of_tile(const blas_product &p)
{
    const unsigned tiles_m = (unsigned)((p.m + ROWS - 1) / ROWS), tiles_n = (unsigned)((p.n + COLS - 1) / COLS);
    const unsigned row = blockIdx.x / (8 * tiles_n) * 8, rest = blockIdx.x - row * tiles_n, height = tiles_m - row < 8 ? tiles_m - row : 8;
    tile_place t;
    t.i = (long long)(row + rest % height) * ROWS;
    t.j = (long long)(rest / height) * COLS;
    return t;
}

/* Stores 16 bytes of a column: alpha times the sums, and beta times what c has there. */
template <class F, class C, class X, class S> __device__ inline void write_chunk(const X *sums, S alpha, S beta, bool reads, const F *c, C *d)
{
    chunk<C> out;
    chunk<F> in;
    if (reads)
        in.whole = *(const uint4 *)c;
#pragma unroll
    for (int k = 0; k < 16 / (int)sizeof(C); k++) {
        S v = mul(alpha, to<S>(sums[k]));
        if (reads)
            mad(v, beta, to<S>(in.each[k % (16 / (int)sizeof(F))]));
        out.each[k] = to<C>(v);
    }
    *(uint4 *)d = out.whole;
}

/* Stores a tile of sums that is in shared memory, by columns LD apart: threads side by side write chunks side by side where the matrices
 * allow it. */
template <class F, class C, class X, class S, int EPILOGUE, int ROWS, int COLS, int LD, int THREADS>
__device__ inline void write_tile(const blas_product &p, const X *tile, S alpha, S beta, long long i0, long long j0, long long z)
{
    const F *c = batch<const F>(p.c, p.c_array, p.c_stride, p.c_offset, z);
    C *d = batch<C>(p.d, p.d_array, p.d_stride, p.d_offset, z);
    const int V = 16 / (int)sizeof(C);
    const bool reads = !is_zero(beta);
    const bool wide = !EPILOGUE && sizeof(F) == sizeof(C) && p.part == BLAS_WHOLE && p.d_row == 1 && ((unsigned long long)d | p.d_col * sizeof(C)) % 16 == 0 &&
                      (!reads || (p.c_row == 1 && ((unsigned long long)c | p.c_col * sizeof(F)) % 16 == 0));
    if (wide && i0 + ROWS <= p.m && j0 + COLS <= p.n) {
#pragma unroll
        for (int b = 0; b < ROWS / V * COLS / THREADS; b++) {
            const unsigned e = b * THREADS + threadIdx.x;
            const int r = (int)(e % (ROWS / V)) * V, q = (int)(e / (ROWS / V));
            const X *from = tile + q * LD + r;
            write_chunk(from, alpha, beta, reads, c + i0 + r + (j0 + q) * p.c_col, d + i0 + r + (j0 + q) * p.d_col);
        }
        return;
    }
    for (int e = threadIdx.x; e < ROWS / V * COLS; e += THREADS) {
        const int r = e % (ROWS / V) * V, q = e / (ROWS / V);
        if (j0 + q >= p.n)
            break;
        const X *from = tile + q * LD + r;
        if (wide && i0 + r + V <= p.m) {
            write_chunk(from, alpha, beta, reads, c + i0 + r + (j0 + q) * p.c_col, d + i0 + r + (j0 + q) * p.d_col);
            continue;
        }
        for (int k = 0; k < V; k++)
            if (i0 + r + k < p.m)
                finish<F, C, X, S, EPILOGUE>(p, d, c, from[k], alpha, beta, i0 + r + k, j0 + q, z);
    }
}

/* Blocks of (BM / TM) * (BN / TN) threads, in a row; blockIdx.y is the batch. Pages call this from kernels of their own (web/library). */
template <class A, class B, class F, class C, class X, class S, int KA, int KB, int BM, int BN, int BK, int TM, int TN, int EPILOGUE>
__device__ __forceinline__ void product_tile(const blas_product &p, S alpha, S beta)
{
    __shared__ X as[BK][BM + 1], bs[BK][BN + 1];
    const int threads = (BM / TM) * (BN / TN), t = threadIdx.x;
    const long long tiles = (p.m + BM - 1) / BM;
    const long long i0 = blockIdx.x % tiles * BM, j0 = blockIdx.x / tiles * BN, z = blockIdx.y + p.first;
    if (p.part == BLAS_UPPER ? i0 > j0 + BN - 1 : p.part == BLAS_LOWER ? i0 + BM - 1 < j0 : false)
        return; /* the whole tile lies in the part that is not wanted */
    X sum[TM][TN];
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            sum[i][j] = zero<X>();
    const int ti = t % (BM / TM), tj = t / (BM / TM);
    if (!is_zero(alpha)) {
        const A *a = batch<const A>(p.a.p, p.a.array, p.a.stride, p.a.offset, z);
        const B *b = batch<const B>(p.b.p, p.b.array, p.b.stride, p.b.offset, z);
        for (long long k0 = 0; k0 < p.k; k0 += BK) {
            /* Threads side by side read what lies side by side in memory. */
            for (int e = t; e < BM * BK; e += threads) {
                const int i = p.a.row == 1 ? e % BM : e / BK, k = p.a.row == 1 ? e / BM : e % BK;
                as[k][i] = i0 + i < p.m && k0 + k < p.k ? fetch<X, A, KA>(p.a, a, i0 + i, k0 + k) : zero<X>();
            }
            for (int e = t; e < BN * BK; e += threads) {
                const int j = p.b.row == 1 ? e / BK : e % BN, k = p.b.row == 1 ? e % BK : e / BN;
                bs[k][j] = j0 + j < p.n && k0 + k < p.k ? fetch<X, B, KB>(p.b, b, k0 + k, j0 + j) : zero<X>();
            }
            __syncthreads();
            for (int k = 0; k < BK; k++)
                for (int i = 0; i < TM; i++) {
                    const int ii = ti + i * (BM / TM);
                    const X av = as[k][ii];
                    /* Elements outside of a triangle are not there: not 0 times what may be infinite. */
                    if (KA == BLAS_TRIANGULAR && i0 + ii != k0 + k && (i0 + ii < k0 + k) != (p.a.upper != 0))
                        continue;
                    for (int j = 0; j < TN; j++) {
                        const int jj = tj + j * (BN / TN);
                        if (KB == BLAS_TRIANGULAR && k0 + k != j0 + jj && (k0 + k < j0 + jj) != (p.b.upper != 0))
                            continue;
                        mad(sum[i][j], av, bs[k][jj]);
                    }
                }
            __syncthreads();
        }
    }
    const F *c = batch<const F>(p.c, p.c_array, p.c_stride, p.c_offset, z);
    C *d = batch<C>(p.d, p.d_array, p.d_stride, p.d_offset, z);
    for (int j = 0; j < TN; j++)
        for (int i = 0; i < TM; i++) {
            const long long ii = i0 + ti + i * (BM / TM), jj = j0 + tj + j * (BN / TN);
            if (ii < p.m && jj < p.n)
                finish<F, C, X, S, EPILOGUE>(p, d, c, sum[i][j], alpha, beta, ii, jj, z);
        }
}

template <class A, class B, class F, class C, class X, class S, int KA, int KB, int BM, int BN, int BK, int TM, int TN, int EPILOGUE>
__global__ void product(blas_product p)
{
    const S given = p.scalar_vector ? one<S>() : scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    product_tile<A, B, F, C, X, S, KA, KB, BM, BN, BK, TM, TN, EPILOGUE>(p, p.conj_alpha ? conjugate(given) : given, beta);
}
