/* Cholesky's factorisation of SQUARE_ROWS rows of f64 by one block, and the factor's inverse, with which what lies below it is a product:
 * on NVIDIA's matrix instructions (mma.sync m8n8k4, from sm_80 on).
 *
 * The matrix is in shared memory, in blocks of 32 rows and columns. A warp factorises a block of the diagonal in registers, a row a lane, and
 * inverts it on the way, a column a lane: what each step takes off the rows below it, it takes off the identity's, too. All warps multiply
 * what is below with the inverse and take the product off the diagonal's next block; while one warp is at that, the others take it off the rest,
 * store what is done and go on with the inverse, of which
 * blocks of the diagonal have places of their own, the others are where their mirror images are in the matrix. */
#pragma once
#include "device/blas/double.h"
#include "device/solver/warp.h"

enum { SQUARE_LD = SQUARE_ROWS + 4, SQUARE_STEP = 32, SQUARE_STEP_LD = SQUARE_STEP + 4 };

struct square_memory {
    double a[SQUARE_ROWS][SQUARE_LD];                                      /* by rows: L below, the inverse above */
    double inverse[SQUARE_ROWS / SQUARE_STEP][SQUARE_STEP][SQUARE_STEP_LD]; /* of the diagonal's blocks */
    double part[SQUARE_THREADS / 32][SQUARE_STEP][12];                      /* a warp's own: 8 columns */
    double column[2][SQUARE_STEP]; /* of this step and of the last */
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

/* Step K of a block of the diagonal, and those after it; r is a row of the block a lane, x a column of the inverse; under: the reciprocal of the
 * factor's element on the diagonal. What the next step begins with comes first. */
template <int K> struct square_steps {
    static __device__ __forceinline__ void factor(square_memory &s, double (&r)[SQUARE_STEP], double (&x)[SQUARE_STEP], double under, int &bad)
    {
        const int lane = threadIdx.x;
        r[K] *= under;
        x[K] *= under;
        s.column[K % 2][lane] = r[K];
        const int N = K + 1 < SQUARE_STEP ? K + 1 : K;
        double next = under;
        if (N > K) {
            const double first = __shfl_sync(0xffffffffu, r[K], N);
            r[N] -= r[K] * first;
            x[N] -= x[K] * first;
            const double d = __shfl_sync(0xffffffffu, r[N], N);
            if (!(d > 0.0) && !bad)
                bad = N + 1;
            next = reciprocal_root(d);
        }
        __syncwarp();
#pragma unroll
        for (int j = K + 2; j < SQUARE_STEP; j++) {
            const double c = s.column[K % 2][j];
            r[j] -= r[K] * c;
            x[j] -= x[K] * c;
        }
        square_steps<K + 1>::factor(s, r, x, next, bad);
    }
};
template <> struct square_steps<SQUARE_STEP> {
    static __device__ __forceinline__ void factor(square_memory &, double (&)[SQUARE_STEP], double (&)[SQUARE_STEP], double, int &) {}
};

/* L L' of block b of the diagonal, a row a lane, and its inverse, a column a lane. One warp. */
__device__ inline void square_diagonal(square_memory &s, int b, int n)
{
    const int lane = threadIdx.x, at = b * SQUARE_STEP;
    double r[SQUARE_STEP], x[SQUARE_STEP];
    int bad = 0;
#pragma unroll
    for (int j = 0; j < SQUARE_STEP; j++) {
        r[j] = s.a[at + lane][at + j];
        x[j] = j == lane ? 1.0 : 0.0;
    }
    const double d = __shfl_sync(0xffffffffu, r[0], 0);
    if (!(d > 0.0))
        bad = 1;
    square_steps<0>::factor(s, r, x, reciprocal_root(d), bad);
    if (bad && at + bad <= n && lane == 0)
        s.bad = at + bad;
#pragma unroll
    for (int j = 0; j < SQUARE_STEP; j++) {
        s.a[at + lane][at + j] = j <= lane ? r[j] : 0.0;
        s.inverse[b][j][lane] = x[j];
    }
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

/* What is right of block b in rows [from, end), less the product of its columns; by `warps` warps, of which this one is the at-th. */
__device__ inline void square_rest(square_memory &s, int b, int from, int end, int at_warp, int warps)
{
    const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3, at = b * SQUARE_STEP, next = at + SQUARE_STEP;
    for (int i = from + at_warp * 8; i < end; i += warps * 8)
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

/* Element number e of the square, e going through it as it lies in memory. Where that is by columns, a warp takes 8 rows of 4 columns, so that it
 * meets whole sectors there and each bank of shared memory twice. */
__device__ inline void square_place(int e, bool upper, int &i, int &j)
{
    const int lane = e & 31, patch = e >> 5;
    i = upper ? e / SQUARE_ROWS : patch % (SQUARE_ROWS / 8) * 8 + (lane & 3) + (lane >> 4) * 4;
    j = upper ? e % SQUARE_ROWS : patch / (SQUARE_ROWS / 8) * 4 + (lane >> 2 & 3);
}

/* Rows of block i of the inverse left of the diagonal; those above are there. */
__device__ inline void square_inverse_row(square_memory &s, int i, int at_warp, int warps)
{
    for (int item = at_warp; item < i * 4; item += warps)
        square_inverse(s, i, item / 4, item % 4 * 8);
}

/* Part b of the square, by columns or rows as it lies in memory, to where it came from. Of threads, this is the at-th of so many. */
enum { SQUARE_PART = SQUARE_ROWS * SQUARE_STEP };
__device__ inline void square_store(const square_memory &s, int b, int n, double *a, long long lda, bool upper, int at, int threads)
{
#pragma unroll 4
    for (int e = b * SQUARE_PART + at; e < (b + 1) * SQUARE_PART; e += threads) {
        int i, j;
        square_place(e, upper, i, j);
        if (i < n && j <= i)
            a[upper ? j + i * lda : i + j * lda] = s.a[i][j];
    }
}
/* Rows of block b of the inverse. */
__device__ inline void square_store_inverse(const square_memory &s, int b, double *out, int at, int threads)
{
#pragma unroll 4
    for (int e = b * SQUARE_PART + at; e < (b + 1) * SQUARE_PART; e += threads) {
        const int i = e / SQUARE_ROWS, j = e % SQUARE_ROWS, bj = j / SQUARE_STEP, ri = i % SQUARE_STEP, rj = j % SQUARE_STEP;
        if (b >= bj)
            out[e] = b == bj ? s.inverse[b][ri][rj] : s.a[bj * SQUARE_STEP + ri][b * SQUARE_STEP + rj];
    }
}

/* n <= SQUARE_ROWS rows; out: the inverse of L, SQUARE_ROWS by SQUARE_ROWS by rows, of which blocks above the diagonal's are not written; NULL where
 * it is not wanted. info as potrf_block has it; where there was something wrong before, nothing is done. */
__global__ void __launch_bounds__(SQUARE_THREADS) potrf_square(int n, double *a, long long lda, int upper, int *info, long long base, double *out)
{
    extern __shared__ __align__(16) double panel_shared[];
    square_memory &s = *(square_memory *)panel_shared;
    const int t = threadIdx.x, warp = t >> 5, BLOCKS = SQUARE_ROWS / SQUARE_STEP, WARPS = SQUARE_THREADS / 32;
    if (*info)
        return;
    if (t == 0)
        s.bad = 0;
#pragma unroll 16
    for (int e = t; e < SQUARE_ROWS * SQUARE_ROWS; e += SQUARE_THREADS) {
        int i, j;
        square_place(e, upper, i, j);
        double v = i == j ? 1.0 : 0.0;
        if (i < n && j <= i)
            v = upper ? a[j + i * lda] : a[i + j * lda];
        s.a[i][j] = v;
    }
    __syncthreads();
    int b = 0;
    for (;; b++) {
        if (b) {
            square_rest(s, b - 1, b * SQUARE_STEP, (b + 1) * SQUARE_STEP, warp, WARPS);
            __syncthreads();
        }
        if (warp == 0) {
            square_diagonal(s, b, n);
        } else if (b) {
            square_rest(s, b - 1, (b + 1) * SQUARE_STEP, SQUARE_ROWS, warp - 1, WARPS - 1);
            square_store(s, b - 1, n, a, lda, upper, t - 32, SQUARE_THREADS - 32);
            if (out) {
                square_inverse_row(s, b - 1, warp - 1, WARPS - 1);
                if (b > 1)
                    square_store_inverse(s, b - 2, out, t - 32, SQUARE_THREADS - 32);
            }
        }
        __syncthreads();
        if (s.bad || b == BLOCKS - 1)
            break;
        square_below(s, b);
        __syncthreads();
    }
    const int bad = s.bad;
    if (bad && t == 0)
        *info = (int)base + bad;
    for (; b < BLOCKS; b++)
        square_store(s, b, n, a, lda, upper, t, SQUARE_THREADS);
    if (bad || !out)
        return;
    square_inverse_row(s, BLOCKS - 1, warp, WARPS);
    __syncthreads();
    square_store_inverse(s, BLOCKS - 2, out, t, SQUARE_THREADS);
    square_store_inverse(s, BLOCKS - 1, out, t, SQUARE_THREADS);
}

/* ---- what is below ---- */
enum { BELOW_LD = SQUARE_ROWS + 8 }; /* so that eight lanes read two rows in all banks */
struct below_memory {
    double inverse[SQUARE_ROWS][BELOW_LD], rows[BELOW_ROWS][BELOW_LD];
};
static_assert(sizeof(below_memory) <= BELOW_SHARED, "what the host reserves");

/* BELOW_ROWS rows below a square times its inverse's transpose, in place, and to done: element (i, j) is at a[i row + j col], and alike in done. m rows
 * are there. Warps take 32 rows by 32 columns each, of which the later ones need more of k: two that share a scheduler have as much to do
 * as two others. SHAPE as double_mma has it. */
template <int SHAPE>
__global__ void __launch_bounds__(SQUARE_THREADS) potrf_below(long long m, double *a, long long row, long long col, const double *inverse, double *done, long long done_row, long long done_col)
{
    extern __shared__ __align__(16) double panel_shared[];
    below_memory &s = *(below_memory *)panel_shared;
    const int t = threadIdx.x, warp = t >> 5, lane = t & 31, g = lane >> 2, q = lane & 3;
    const long long i0 = blockIdx.x * (long long)BELOW_ROWS;
    const int rows = m - i0 < BELOW_ROWS ? (int)(m - i0) : BELOW_ROWS;
    a += i0 * row;
    done += i0 * done_row;
    for (int e = t; e < SQUARE_ROWS * SQUARE_ROWS / 2; e += SQUARE_THREADS) {
        const int i = e / (SQUARE_ROWS / 2), j = e % (SQUARE_ROWS / 2) * 2;
        if (i / SQUARE_STEP >= j / SQUARE_STEP)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address((unsigned char *)&s.inverse[i][j])), "l"(inverse + i * SQUARE_ROWS + j) : "memory");
    }
    for (int e = t; e < BELOW_ROWS * SQUARE_ROWS; e += SQUARE_THREADS) {
        const int patch = e >> 5; /* by columns: 4 rows of 8 columns a warp */
        const int i = row == 1 ? patch % (BELOW_ROWS / 4) * 4 + (lane & 1) + (lane >> 4) * 2 : e / SQUARE_ROWS;
        const int j = row == 1 ? patch / (BELOW_ROWS / 4) * 8 + (lane >> 1 & 7) : e % SQUARE_ROWS;
        const double *from = a + (i < rows ? i : rows - 1) * row + j * col;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address((unsigned char *)&s.rows[i][j])), "l"(from) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    const int block = warp < 4 ? warp : 7 - warp, c0 = block * SQUARE_STEP, r0 = warp / 4 * 32;
    double sum[2][4][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[i][j][e] = 0.0;
#pragma unroll 2
    for (int k = 0; k < c0 + SQUARE_STEP; k += 8) {
        double2 low[2], high[2], b[4];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            low[i] = *(const double2 *)&s.inverse[c0 + i * 16 + g][k + 2 * q];
            high[i] = *(const double2 *)&s.inverse[c0 + i * 16 + 8 + g][k + 2 * q];
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
            b[j] = *(const double2 *)&s.rows[r0 + j * 8 + g][k + 2 * q];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                double_mma<SHAPE>(sum[i][j], low[i], high[i], b[j]);
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int c = c0 + i * 16 + g + e / 2 * 8, r = r0 + j * 8 + q * 2 + e % 2;
                if (r < rows) {
                    a[r * row + c * col] = sum[i][j][e];
                    done[r * done_row + c * done_col] = sum[i][j][e];
                }
            }
}
