/* Cholesky's factorisation of SQUARE_ROWS rows of f64 by one block, and the factor's inverse, with which what lies below it is a product:
 * on NVIDIA's matrix instructions (mma.sync m8n8k4, from sm_80 on).
 *
 * The matrix is in shared memory, in blocks of 32 rows and columns. A warp factorises a block of the diagonal in registers, a row a lane, and
 * inverts it, a column a lane; all warps multiply what is below with the inverse and take the product off the rest. Of the inverse,
 * blocks of the diagonal have places of their own, the others are where their mirror images are in the matrix. */
#pragma once
#include "device/blas/double.h"
#include "device/solver/util.h"

enum { SQUARE_LD = SQUARE_ROWS + 4, SQUARE_STEP = 32, SQUARE_STEP_LD = SQUARE_STEP + 4 };

struct square_memory {
    double a[SQUARE_ROWS][SQUARE_LD];                                      /* by rows: L below, the inverse above */
    double inverse[SQUARE_ROWS / SQUARE_STEP][SQUARE_STEP][SQUARE_STEP_LD]; /* of the diagonal's blocks */
    double part[SQUARE_THREADS / 32][SQUARE_STEP][12];                      /* a warp's own: 8 columns */
    double column[SQUARE_STEP];
    int bad;
};
static_assert(sizeof(square_memory) <= SQUARE_SHARED, "what the host reserves");

/* c += the 8 by 4 elements at a (row g) times the 4 by 8 at b; TURNED: b is what is to be transposed. */
template <bool TURNED> __device__ inline void square_mma(double *c, const double *a, int lda, const double *b, int ldb)
{
    const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    const double x = a[g * lda + t], y = TURNED ? b[g * ldb + t] : b[t * ldb + g];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(x), "d"(y));
}

/* 1 / sqrt(d), but for its last bit: a step follows another through it. Even powers of two come off first. */
__device__ inline double reciprocal_root(double d)
{
    const int high = __double2hiint(d), power = ((high >> 20) - 1023) & ~1;
    if (!(d > 1e-300 && d < 1e300))
        return 1.0 / sqrt(d);
    const double m = __hiloint2double(high - power * (1 << 20), __double2loint(d));
    float about;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(about) : "f"((float)m));
    double y = about;
    y = fma(0.5 * y, fma(-m * y, y, 1.0), y);
    y = fma(0.5 * y, fma(-m * y, y, 1.0), y);
    return __hiloint2double(__double2hiint(y) - power / 2 * (1 << 20), __double2loint(y));
}

/* Step K of a block of the diagonal, and those after it; r is a row a lane. */
template <int K> struct square_steps {
    static __device__ __forceinline__ void factor(square_memory &s, double (&r)[SQUARE_STEP], double &own, int &bad)
    {
        const int lane = threadIdx.x;
        const double d = __shfl_sync(0xffffffffu, r[K], K), under = reciprocal_root(d);
        if (!(d > 0.0) && !bad)
            bad = K + 1;
        if (lane == K)
            own = under;
        r[K] *= under;
        __syncwarp();
        s.column[lane] = r[K];
        __syncwarp();
#pragma unroll
        for (int j = K + 1; j < SQUARE_STEP; j++)
            r[j] -= r[K] * s.column[j];
        square_steps<K + 1>::factor(s, r, own, bad);
    }
    /* Element K of a column of the inverse. */
    static __device__ __forceinline__ void invert(const square_memory &s, const double *row, double (&x)[SQUARE_STEP])
    {
        double sum = (int)threadIdx.x == K ? 1.0 : 0.0, more = 0.0;
#pragma unroll
        for (int k = 0; k < K / 2; k++) {
            sum -= row[2 * k] * x[2 * k];
            more -= row[2 * k + 1] * x[2 * k + 1];
        }
        if (K % 2)
            sum -= row[K - K % 2] * x[K - K % 2];
        x[K] = (sum + more) * s.column[K];
        square_steps<K + 1>::invert(s, row + SQUARE_LD, x);
    }
};
template <> struct square_steps<SQUARE_STEP> {
    static __device__ __forceinline__ void factor(square_memory &, double (&)[SQUARE_STEP], double &, int &) {}
    static __device__ __forceinline__ void invert(const square_memory &, const double *, double (&)[SQUARE_STEP]) {}
};

/* L L' of block b of the diagonal, a row a lane; then its inverse, a column a lane. One warp. */
__device__ inline void square_diagonal(square_memory &s, int b, int n)
{
    const int lane = threadIdx.x, at = b * SQUARE_STEP;
    double r[SQUARE_STEP], own = 1.0; /* own: the reciprocal of this row's element of the diagonal */
    int bad = 0;
#pragma unroll
    for (int j = 0; j < SQUARE_STEP; j++)
        r[j] = s.a[at + lane][at + j];
    square_steps<0>::factor(s, r, own, bad);
    if (bad && at + bad <= n && lane == 0)
        s.bad = at + bad;
#pragma unroll
    for (int j = 0; j < SQUARE_STEP; j++)
        s.a[at + lane][at + j] = j <= lane ? r[j] : 0.0;
    s.column[lane] = own;
    __syncwarp();
    square_steps<0>::invert(s, &s.a[at][at], r);
#pragma unroll
    for (int i = 0; i < SQUARE_STEP; i++)
        s.inverse[b][i][lane] = r[i];
}

/* Rows below block b, 8 of them a warp: times the inverse's transpose, in place. */
__device__ inline void square_below(square_memory &s, int b)
{
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3, at = b * SQUARE_STEP;
    for (int i = at + SQUARE_STEP + warp * 8; i < SQUARE_ROWS; i += SQUARE_THREADS / 32 * 8) {
        double c[4][2];
#pragma unroll
        for (int j = 0; j < 4; j++)
            c[j][0] = c[j][1] = 0.0;
#pragma unroll
        for (int k = 0; k < SQUARE_STEP; k += 4)
#pragma unroll
            for (int j = 0; j < 4; j++)
                square_mma<true>(c[j], &s.a[i][at + k], SQUARE_LD, &s.inverse[b][j * 8][k], SQUARE_STEP_LD);
        __syncwarp();
#pragma unroll
        for (int j = 0; j < 4; j++) {
            s.a[i + g][at + j * 8 + t * 2] = c[j][0];
            s.a[i + g][at + j * 8 + t * 2 + 1] = c[j][1];
        }
    }
}

/* What is right of block b, and below, less the product of the columns that are done. */
__device__ inline void square_rest(square_memory &s, int b)
{
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3, at = b * SQUARE_STEP, next = at + SQUARE_STEP;
    for (int i = next + warp * 8; i < SQUARE_ROWS; i += SQUARE_THREADS / 32 * 8)
        for (int j = next; j <= i; j += 32) { /* four at once: some may lie above the diagonal, where nobody looks */
            double c[4][2];
#pragma unroll
            for (int q = 0; q < 4; q++)
                c[q][0] = c[q][1] = 0.0;
#pragma unroll
            for (int k = 0; k < SQUARE_STEP; k += 4)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    square_mma<true>(c[q], &s.a[i][at + k], SQUARE_LD, &s.a[j + q * 8][at + k], SQUARE_LD);
#pragma unroll
            for (int q = 0; q < 4; q++) {
                s.a[i + g][j + q * 8 + t * 2] -= c[q][0];
                s.a[i + g][j + q * 8 + t * 2 + 1] -= c[q][1];
            }
        }
}

/* Block (i, j) of the inverse, columns [q, q + 8) of it, a warp: - X(i, i) times the sum of L(i, k) X(k, j). */
__device__ inline void square_inverse(square_memory &s, int i, int j, int q)
{
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    double(*part)[12] = s.part[warp], c[4][2];
#pragma unroll
    for (int r = 0; r < 4; r++)
        c[r][0] = c[r][1] = 0.0;
    for (int k = j; k < i; k++) {
        /* X(k, j): its own place, or above the diagonal. */
        const double *x = k == j ? &s.inverse[j][0][q] : &s.a[j * SQUARE_STEP][k * SQUARE_STEP + q];
        const int ld = k == j ? SQUARE_STEP_LD : SQUARE_LD;
#pragma unroll
        for (int l = 0; l < SQUARE_STEP; l += 4)
#pragma unroll
            for (int r = 0; r < 4; r++)
                square_mma<false>(c[r], &s.a[i * SQUARE_STEP + r * 8][k * SQUARE_STEP + l], SQUARE_LD, x + l * ld, ld);
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        part[r * 8 + g][t * 2] = c[r][0];
        part[r * 8 + g][t * 2 + 1] = c[r][1];
        c[r][0] = c[r][1] = 0.0;
    }
    __syncwarp();
#pragma unroll
    for (int l = 0; l < SQUARE_STEP; l += 4)
#pragma unroll
        for (int r = 0; r < 4; r++)
            square_mma<false>(c[r], &s.inverse[i][r * 8][l], SQUARE_STEP_LD, &part[l][0], 12);
#pragma unroll
    for (int r = 0; r < 4; r++) {
        s.a[j * SQUARE_STEP + r * 8 + g][i * SQUARE_STEP + q + t * 2] = -c[r][0];
        s.a[j * SQUARE_STEP + r * 8 + g][i * SQUARE_STEP + q + t * 2 + 1] = -c[r][1];
    }
    __syncwarp();
}

/* n <= SQUARE_ROWS rows; out: the inverse of L, SQUARE_ROWS by SQUARE_ROWS by columns, zeros above. info as potrf_block has it; where there
 * was something wrong before, nothing is done. */
__global__ void __launch_bounds__(SQUARE_THREADS) potrf_square(int n, double *a, long long lda, int upper, int *info, long long base, double *out)
{
    extern __shared__ double panel_shared[];
    square_memory &s = *(square_memory *)panel_shared;
    const int t = threadIdx.x, warp = t >> 5, BLOCKS = SQUARE_ROWS / SQUARE_STEP;
    if (*info)
        return;
    if (t == 0)
        s.bad = 0;
#pragma unroll 16
    for (int e = t; e < SQUARE_ROWS * SQUARE_ROWS; e += SQUARE_THREADS) {
        const int i = upper ? e / SQUARE_ROWS : e % SQUARE_ROWS, j = upper ? e % SQUARE_ROWS : e / SQUARE_ROWS;
        double v = i == j ? 1.0 : 0.0;
        if (i < n && j <= i)
            v = upper ? a[j + i * lda] : a[i + j * lda];
        s.a[i][j] = v;
    }
    __syncthreads();
    for (int b = 0; b < BLOCKS; b++) {
        if (t < 32)
            square_diagonal(s, b, n);
        __syncthreads();
        if (s.bad)
            break;
        square_below(s, b);
        __syncthreads();
        square_rest(s, b);
        __syncthreads();
    }
    const int bad = s.bad;
    for (int e = t; e < SQUARE_ROWS * SQUARE_ROWS; e += SQUARE_THREADS) {
        const int i = upper ? e / SQUARE_ROWS : e % SQUARE_ROWS, j = upper ? e % SQUARE_ROWS : e / SQUARE_ROWS;
        if (i < n && j <= i)
            a[upper ? j + i * lda : i + j * lda] = s.a[i][j];
    }
    if (bad) {
        if (t == 0)
            *info = (int)base + bad;
        return;
    }
    __syncthreads();
    for (int apart = 1; apart < BLOCKS; apart++) {
        for (int item = warp; item < (BLOCKS - apart) * 4; item += SQUARE_THREADS / 32)
            square_inverse(s, item / 4 + apart, item / 4, item % 4 * 8);
        __syncthreads();
    }
    for (int e = t; e < SQUARE_ROWS * SQUARE_ROWS; e += SQUARE_THREADS) {
        const int i = e % SQUARE_ROWS, j = e / SQUARE_ROWS, bi = i / SQUARE_STEP, bj = j / SQUARE_STEP, ri = i % SQUARE_STEP, rj = j % SQUARE_STEP;
        out[e] = bi == bj ? s.inverse[bi][ri][rj] : bi > bj ? s.a[bj * SQUARE_STEP + ri][bi * SQUARE_STEP + rj] : 0.0;
    }
}
