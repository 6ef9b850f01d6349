/* Cholesky's factorisation of SQUARE_ROWS rows of f64 by one block, and the factor's inverse, with which what lies below it is a product:
 * on NVIDIA's matrix instructions (mma.sync m8n8k4, from sm_80 on).
 *
 * The matrix is in shared memory, in tiles of 8 rows and columns, which are what these instructions make. One warp brings the next tile of the
 * diagonal up to date and factorises it in registers, a row a lane, and
 * inverts it on the way, a column a lane: what each step takes off the rows below it, it takes off the identity's, too. All warps multiply
 * what is below with that inverse; then, while the first is at the next tile, the others take the product off the rest,
 * store what is done and go on with the inverse of the whole, of which
 * tiles of the diagonal have places of their own, the others are where their mirror images are in the matrix. The code of a tile is short: that of
 * 32 columns in one piece was fetched more slowly than it ran. */
#pragma once
#include "device/blas/double.h"
#include "device/solver/warp.h"

enum { SQUARE_LD = SQUARE_ROWS + 4, TILE = 8, TILE_LD = TILE + 4, TILES = SQUARE_ROWS / TILE, SQUARE_WARPS = SQUARE_THREADS / 32 };

struct square_memory {
    double a[SQUARE_ROWS][SQUARE_LD];          /* by rows: L below, the inverse above */
    double inverse[TILES][TILE][TILE_LD];      /* of the diagonal's tiles */
    double part[SQUARE_WARPS][TILE][TILE_LD]; /* a warp's own */
    int bad;
};
static_assert(sizeof(square_memory) <= SQUARE_SHARED, "what the host reserves");

/* A warp's tile: elements (g, 2 t) and (g, 2 t + 1) are lane 4 g + t's. */
struct square_tile {
    double c[2];
    __device__ square_tile() : c{0.0, 0.0} {}
    static __device__ inline double2 *of(double *at, int ld)
    {
        const int lane = threadIdx.x & 31;
        return (double2 *)(at + (lane >> 2) * ld + (lane & 3) * 2);
    }
    __device__ inline void load(double *at, int ld)
    {
        const double2 v = *of(at, ld);
        c[0] = v.x;
        c[1] = v.y;
    }
    __device__ inline void store(double *at, int ld, double sign = 1.0) const { *of(at, ld) = make_double2(sign * c[0], sign * c[1]); }
    /* += sign times the tile at a times the tile at b; TURNED: times its transpose. */
    template <bool TURNED> __device__ inline void add(double sign, const double *a, int lda, const double *b, int ldb)
    {
        const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
#pragma unroll
        for (int k = 0; k < TILE; k += 4) {
            const double x = sign * a[g * lda + k + t], y = TURNED ? b[g * ldb + k + t] : b[(k + t) * ldb + g];
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(x), "d"(y));
        }
    }
};
__device__ inline double *square_at(square_memory &s, int i, int j) { return &s.a[i * TILE][j * TILE]; }

/* What two columns are divided by: the reciprocals of the factor's elements on the diagonal, and the element below the first of them. Of the
 * matrix's d0 above d1 and e below d0. Both roots are on their way at once: the second is that of the determinant, scaled by powers of 2 so that
 * d0 is a number from 1 to 4 and d1 none of the smallest. */
struct square_pivot {
    double first, second, below;
};
__device__ inline square_pivot square_pivot_of(double d0, double e, double d1, int at, int &bad)
{
    const bool tiny = __double2hiint(d0) < 0x00100000, small = __double2hiint(d1) < 0x10000000;
    const double boost = tiny ? 0x1p54 : 1.0, lift = small ? 0x1p108 : 1.0, v = d0 * boost;
    const int power = ((__double2hiint(v) >> 20) - 1023) & ~1;
    const double scale = __hiloint2double((1023 - power) << 20, 0), half = __hiloint2double((1023 - ((tiny ? power - 54 : power) >> 1)) << 20, 0);
    const double m = v * scale, determinant = fma(m, d1 * lift, -(e * boost * scale * lift * e));
    const double root = reciprocal_root(m), other = reciprocal_root(determinant), first = root * half;
    if (!bad)
        bad = !(d0 > 0.0) ? at + 1 : !(determinant > 0.0) ? at + 2 : 0;
    return {first, other * (m * root) * (small ? 0x1p54 : 1.0), e * first};
}

/* Columns K and K + 1 of a tile of the diagonal, and those after them; r is a row of the tile a lane, x a column of the inverse. What the next two
 * begin with is found from elements that are there before these are divided, so that no root waits for a lane. */
template <int K> struct square_steps {
    static __device__ __forceinline__ double lane_of(double v, int lane) { return __shfl_sync(0xffffffffu, v, lane); }
    static __device__ __forceinline__ void factor(double (&r)[TILE], double (&x)[TILE], square_pivot p, int &bad)
    {
        const int N = K + 2 < TILE ? K + 2 : 0;
        square_pivot next = p;
        if (N) { /* elements of the factor: rows N and N + 1, columns K (u) and K + 1 (v) */
            const double u0 = lane_of(r[K], N) * p.first, u1 = lane_of(r[K], N + 1) * p.first;
            const double v0 = (lane_of(r[K + 1], N) - u0 * p.below) * p.second, v1 = (lane_of(r[K + 1], N + 1) - u1 * p.below) * p.second;
            next = square_pivot_of(lane_of(r[N], N) - u0 * u0 - v0 * v0, lane_of(r[N], N + 1) - u0 * u1 - v0 * v1,
                                   lane_of(r[N + 1], N + 1) - u1 * u1 - v1 * v1, N, bad);
        }
        r[K] *= p.first;
        r[K + 1] = (r[K + 1] - r[K] * p.below) * p.second;
        x[K] *= p.first;
        x[K + 1] = (x[K + 1] - x[K] * p.below) * p.second;
#pragma unroll
        for (int j = K + 2; j < TILE; j++) {
            const double u = lane_of(r[K], j), v = lane_of(r[K + 1], j);
            r[j] = r[j] - r[K] * u - r[K + 1] * v;
            x[j] = x[j] - x[K] * u - x[K + 1] * v;
        }
        square_steps<K + 2>::factor(r, x, next, bad);
    }
};
template <> struct square_steps<TILE> {
    static __device__ __forceinline__ void factor(double (&)[TILE], double (&)[TILE], square_pivot, int &) {}
};

/* L L' of tile b of the diagonal, a row a lane, and its inverse, a column a lane. One warp, of which the lanes from 8 on repeat the first. */
__device__ inline void square_diagonal(square_memory &s, int b, int n)
{
    const int lane = threadIdx.x % TILE, at = b * TILE;
    double *tile = square_at(s, b, b), r[TILE], x[TILE];
    int bad = 0;
#pragma unroll
    for (int j = 0; j < TILE; j++) {
        r[j] = tile[lane * SQUARE_LD + j];
        x[j] = j == lane ? 1.0 : 0.0;
    }
    square_steps<0>::factor(r, x, square_pivot_of(tile[0], tile[SQUARE_LD], tile[SQUARE_LD + 1], 0, bad), bad);
    if (bad && at + bad <= n && threadIdx.x == 0)
        s.bad = at + bad;
    if (threadIdx.x < TILE)
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            tile[lane * SQUARE_LD + j] = j <= lane ? r[j] : 0.0;
            s.inverse[b][j][lane] = x[j];
        }
}

/* Tiles below tile b of the diagonal: times its inverse's transpose, in place. */
__device__ inline void square_below(square_memory &s, int b)
{
    for (int i = b + 1 + threadIdx.x / 32; i < TILES; i += SQUARE_WARPS) {
        square_tile c;
        c.add<true>(1.0, square_at(s, i, b), SQUARE_LD, &s.inverse[b][0][0], TILE_LD);
        __syncwarp();
        c.store(square_at(s, i, b), SQUARE_LD);
    }
}

/* Tiles (i, j) to (i, j + COUNT - 1), less the product of column b's. */
template <int COUNT> __device__ inline void square_take_off(square_memory &s, int b, int i, int j)
{
    square_tile c[COUNT];
#pragma unroll
    for (int q = 0; q < COUNT; q++)
        c[q].load(square_at(s, i, j + q), SQUARE_LD);
#pragma unroll
    for (int q = 0; q < COUNT; q++)
        c[q].template add<true>(-1.0, square_at(s, i, b), SQUARE_LD, square_at(s, j + q, b), SQUARE_LD);
#pragma unroll
    for (int q = 0; q < COUNT; q++)
        c[q].store(square_at(s, i, j + q), SQUARE_LD);
}
/* All that is right of column b but the next tile of the diagonal, by `warps` warps, of which this one is the at-th: short rows and long ones in turn. */
__device__ inline void square_rest(square_memory &s, int b, int at, int warps)
{
    for (int first = b + 2, turn = 0; first < TILES; first += warps, turn ^= 1) {
        const int i = first + (turn ? warps - 1 - at : at);
        if (i >= TILES)
            continue;
        int j = b + 1;
        for (; j + 3 <= i; j += 4)
            square_take_off<4>(s, b, i, j);
        for (; j <= i; j++)
            square_take_off<1>(s, b, i, j);
    }
}

/* Row i of the inverse left of the diagonal; those above are there. A warp a tile: - X(i, i) times the sum of L(i, k) X(k, j). */
__device__ inline void square_inverse_row(square_memory &s, int i, int at_warp, int warps)
{
    for (int j = at_warp; j < i; j += warps) {
        double *part = &s.part[threadIdx.x / 32][0][0];
        square_tile even, odd, c;
        even.add<false>(1.0, square_at(s, i, j), SQUARE_LD, &s.inverse[j][0][0], TILE_LD);
        for (int k = j + 1; k < i; k += 2) { /* X(k, j) is above the diagonal; two sums wait for each other less */
            odd.add<false>(1.0, square_at(s, i, k), SQUARE_LD, square_at(s, j, k), SQUARE_LD);
            if (k + 1 < i)
                even.add<false>(1.0, square_at(s, i, k + 1), SQUARE_LD, square_at(s, j, k + 1), SQUARE_LD);
        }
        even.c[0] += odd.c[0];
        even.c[1] += odd.c[1];
        even.store(part, TILE_LD);
        __syncwarp();
        c.add<false>(-1.0, &s.inverse[i][0][0], TILE_LD, part, TILE_LD);
        c.store(square_at(s, j, i), SQUARE_LD);
        __syncwarp();
    }
}

/* Element number e of the square, e going through it as it lies in memory. Where that is by columns, a warp takes 8 rows of 4 columns, so that it
 * meets whole sectors there and each bank of shared memory twice. */
__device__ inline void square_place(int e, bool upper, int &i, int &j)
{
    const int lane = e & 31, patch = e >> 5;
    i = upper ? e / SQUARE_ROWS : patch % (SQUARE_ROWS / 8) * 8 + (lane & 3) + (lane >> 4) * 4;
    j = upper ? e % SQUARE_ROWS : patch / (SQUARE_ROWS / 8) * 4 + (lane >> 2 & 3);
}

/* Part b of the square, by columns or rows as it lies in memory, to where it came from. Of threads, this is the at-th of so many. */
enum { SQUARE_PART = SQUARE_ROWS * TILE };
__device__ inline void square_store(const square_memory &s, int b, int n, double *a, long long lda, bool upper, int at, int threads)
{
    for (int e = b * SQUARE_PART + at; e < (b + 1) * SQUARE_PART; e += threads) {
        int i, j;
        square_place(e, upper, i, j);
        if (i < n && j <= i)
            a[upper ? j + i * lda : i + j * lda] = s.a[i][j];
    }
}
/* Row b of the inverse's tiles, with zeros above the diagonal where what multiplies by it looks. */
__device__ inline void square_store_inverse(const square_memory &s, int b, double *out, int at, int threads)
{
    const int until = (b * TILE / BELOW_STEP + 1) * BELOW_STEP;
    for (int e = at; e < TILE * SQUARE_ROWS; e += threads) {
        const int i = e / SQUARE_ROWS, j = e % SQUARE_ROWS, bj = j / TILE, rj = j % TILE;
        if (j < until)
            out[b * SQUARE_PART + e] = bj > b ? 0.0 : bj == b ? s.inverse[b][i][rj] : s.a[bj * TILE + i][b * TILE + rj];
    }
}

/* n <= SQUARE_ROWS rows; out: the inverse of L, SQUARE_ROWS by SQUARE_ROWS by rows, of which blocks of BELOW_STEP rows above the diagonal's are not
 * written; NULL where it is not wanted. info as potrf_block has it; where there was something wrong before, nothing is done. */
__global__ void __launch_bounds__(SQUARE_THREADS) potrf_square(int n, double *a, long long lda, int upper, int *info, long long base, double *out)
{
    extern __shared__ __align__(16) double panel_shared[];
    square_memory &s = *(square_memory *)panel_shared;
    const int t = threadIdx.x, warp = t >> 5, wrong = *info;
    if (t == 0)
        s.bad = 0;
    for (int e = t; e < SQUARE_ROWS * SQUARE_ROWS; e += SQUARE_THREADS) { /* all of it on its way at once */
        int i, j;
        square_place(e, upper, i, j);
        const double *from = upper ? a + j + i * lda : a + i + j * lda;
        if (i < n && j <= i)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address((unsigned char *)&s.a[i][j])), "l"(from) : "memory");
        else
            s.a[i][j] = i == j ? 1.0 : 0.0;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (wrong)
        return;
    __syncthreads();
    int b = 0;
    for (;; b++) {
        if (warp == 0) {
            if (b) {
                square_take_off<1>(s, b - 1, b, b);
                __syncwarp();
            }
            square_diagonal(s, b, n);
        } else if (b) {
            square_rest(s, b - 1, warp - 1, SQUARE_WARPS - 1);
            square_store(s, b - 1, n, a, lda, upper, t - 32, SQUARE_THREADS - 32);
            if (out) {
                square_inverse_row(s, b - 1, warp - 1, SQUARE_WARPS - 1);
                if (b > 1)
                    square_store_inverse(s, b - 2, out, t - 32, SQUARE_THREADS - 32);
            }
        }
        __syncthreads();
        if (s.bad || b == TILES - 1)
            break;
        square_below(s, b);
        __syncthreads();
    }
    const int bad = s.bad;
    if (bad && t == 0)
        *info = (int)base + bad;
    for (; b < TILES; b++)
        square_store(s, b, n, a, lda, upper, t, SQUARE_THREADS);
    if (bad || !out)
        return;
    square_inverse_row(s, TILES - 1, warp, SQUARE_WARPS);
    __syncthreads();
    square_store_inverse(s, TILES - 2, out, t, SQUARE_THREADS);
    square_store_inverse(s, TILES - 1, out, t, SQUARE_THREADS);
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
__global__ void __launch_bounds__(BELOW_THREADS) potrf_below(long long m, double *a, long long row, long long col, const double *inverse, double *done, long long done_row, long long done_col)
{
    extern __shared__ __align__(16) double panel_shared[];
    below_memory &s = *(below_memory *)panel_shared;
    const int t = threadIdx.x, warp = t >> 5, lane = t & 31, g = lane >> 2, q = lane & 3;
    const long long i0 = blockIdx.x * (long long)BELOW_ROWS;
    const int rows = m - i0 < BELOW_ROWS ? (int)(m - i0) : BELOW_ROWS;
    a += i0 * row;
    done += i0 * done_row;
    for (int e = t; e < SQUARE_ROWS * SQUARE_ROWS / 2; e += BELOW_THREADS) {
        const int i = e / (SQUARE_ROWS / 2), j = e % (SQUARE_ROWS / 2) * 2;
        if (i / BELOW_STEP >= j / BELOW_STEP)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address((unsigned char *)&s.inverse[i][j])), "l"(inverse + i * SQUARE_ROWS + j) : "memory");
    }
    for (int e = t; e < BELOW_ROWS * SQUARE_ROWS; e += BELOW_THREADS) {
        const int patch = e >> 5; /* by columns: 4 rows of 8 columns a warp */
        const int i = row == 1 ? patch % (BELOW_ROWS / 4) * 4 + (lane & 1) + (lane >> 4) * 2 : e / SQUARE_ROWS;
        const int j = row == 1 ? patch / (BELOW_ROWS / 4) * 8 + (lane >> 1 & 7) : e % SQUARE_ROWS;
        const double *from = a + (i < rows ? i : rows - 1) * row + j * col;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address((unsigned char *)&s.rows[i][j])), "l"(from) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    const int block = warp < 4 ? warp : 7 - warp, c0 = block * BELOW_STEP, r0 = warp / 4 * 32;
    double sum[2][4][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[i][j][e] = 0.0;
#pragma unroll 2
    for (int k = 0; k < c0 + BELOW_STEP; k += 8) {
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
