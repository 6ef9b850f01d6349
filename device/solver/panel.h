/* A few columns of a tall matrix by many blocks at once: each has PANEL_THREADS rows in shared memory, and they meet once for each column.
 *
 * What blocks tell each other lies on a board in device memory, at another place for each column: their candidates, or their sums, and the
 * row that the column is about. All blocks must be on the device at once (launches have no more of them than it has units); one block alone
 * waits for nobody. Shared memory has column after column: a thread goes along its row. */
#pragma once
#include "device/solver/warp.h"

/* One thread of each block: what all of the block's have written is there for who sees that it has come. */
__device__ inline void say_arrived(unsigned *arrived) { asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(arrived), "r"(1u) : "memory"); }
__device__ inline void await_others(unsigned *arrived, unsigned all)
{
    unsigned now;
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
    while (now < all);
}
__device__ inline void meet_others(unsigned *arrived, unsigned all)
{
    say_arrived(arrived);
    await_others(arrived, all);
}

/* Elements of the board, as work_board reserves it: a line of each block and one more, for each column and one more. */
template <class T, int COLUMNS> struct panel_board {
    typedef typename real_of<T>::type R;
    unsigned *arrived; /* begins at 0 */
    T *lines;          /* [step][block or blocks][COLUMNS] */
    R *sizes;          /* [step][block] */
    int *rows;
    int blocks;
    __device__ panel_board(void *memory) : blocks((int)gridDim.x)
    {
        arrived = (unsigned *)memory;
        lines = (T *)((char *)memory + 256);
        sizes = (R *)(lines + (COLUMNS + 1) * (blocks + 1) * COLUMNS);
        rows = (int *)(sizes + (COLUMNS + 1) * blocks);
    }
    __device__ T *line(int step, int block) const { return lines + (step * (blocks + 1) + block) * COLUMNS; }
    __device__ R &size(int step, int block) const { return sizes[step * blocks + block]; }
    __device__ int &row(int step, int block) const { return rows[step * blocks + block]; }
    /* All threads of all blocks have come here for the n-th time. */
    __device__ void meet(unsigned n) const
    {
        __syncthreads();
        if (blocks > 1 && threadIdx.x == 0) {
            meet_others(arrived, n * (unsigned)blocks);
        }
        __syncthreads();
    }
};
/* What another block has written: from memory, not from a cache of this one's. */
template <class R> __device__ inline R told(const R *p) { return *(const volatile R *)p; }
template <class R> __device__ inline complex<R> told(const complex<R> *p)
{
    complex<R> v = {told(&p->x), told(&p->y)};
    return v;
}

/* The larger of two candidates; of equal ones the upper row. */
template <class R> __device__ inline void better(R &most, int &at, R v, int row)
{
    if (v > most || (v == most && row < at)) {
        most = v;
        at = row;
    }
}
template <class R> __device__ inline void best_of_warp(R &most, int &at)
{
    for (int mask = 16; mask; mask /= 2) {
        const R v = lane_at(most, mask);
        const int row = lane_at(at, mask);
        better(most, at, v, row);
    }
}

/* ---- Gauss ---- */
/* Which row is column k's pivot, where rows are exchanged: its elements come to upper, those of row k to other. */
template <class T, int COLUMNS>
__device__ inline int lu_choose(const T *tile, int k, int m, int n, bool exchanges, const panel_board<T, COLUMNS> &board, T *upper, T *other)
{
    typedef typename real_of<T>::type R;
    __shared__ R most_of[PANEL_THREADS / 32];
    __shared__ int row_of[PANEL_THREADS / 32], pivot;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, block = (int)blockIdx.x, first = block * PANEL_THREADS, i = first + t;
    R most = i >= k && i < m && exchanges ? size_of(tile[k * PANEL_THREADS + t]) : R(-1);
    int at = i;
    if (!(most >= R(0))) /* no number is none */
        most = R(-1);
    best_of_warp(most, at);
    if (lane == 0) {
        most_of[warp] = most;
        row_of[warp] = at;
    }
    __syncthreads();
    for (int w = 0; w < PANEL_THREADS / 32; w++)
        better(most, at, most_of[w], row_of[w]);
    if (t == 0) {
        board.size(k, block) = most;
        board.row(k, block) = at;
    }
    if (t < n && most >= R(0))
        board.line(k, block)[t] = tile[t * PANEL_THREADS + at - first];
    if (t < n && k >= first && k < first + PANEL_THREADS)
        board.line(k, board.blocks)[t] = tile[t * PANEL_THREADS + k - first];
    board.meet(k + 1);
    if (warp == 0) {
        most = R(-1);
        at = m;
        for (int b = lane; b < board.blocks; b += 32)
            better(most, at, told(&board.size(k, b)), told(&board.row(k, b)));
        best_of_warp(most, at);
        const bool found = most >= R(0);
        if (lane == 0)
            pivot = found ? at : k;
        if (lane < n) {
            upper[lane] = told(board.line(k, found ? at / PANEL_THREADS : board.blocks) + lane);
            other[lane] = told(board.line(k, board.blocks) + lane);
        }
    }
    __syncthreads();
    return pivot;
}

/* As getrf_panel of lu.h, for n <= COLUMNS. */
template <class T, class P, int COLUMNS>
__global__ void __launch_bounds__(PANEL_THREADS) getrf_tall(int m, int n, T *a, long long lda, P *pivots, int *info, long long base, void *memory)
{
    extern __shared__ double panel_shared[];
    __shared__ T upper[COLUMNS], other[COLUMNS];
    T *tile = (T *)panel_shared;
    const panel_board<T, COLUMNS> board(memory);
    const int t = threadIdx.x, i = (int)blockIdx.x * PANEL_THREADS + t;
    int bad = 0;
    for (int j = 0; j < n; j++)
        tile[j * PANEL_THREADS + t] = i < m ? a[i + j * lda] : zero<T>();
    __syncthreads();
    for (int k = 0; k < (m < n ? m : n); k++) {
        const int p = lu_choose(tile, k, m, n, pivots != 0, board, upper, other);
        if (pivots && i == 0)
            pivots[k] = (P)(base + p + 1);
        if (p != k && (i == k || i == p))
            for (int j = 0; j < n; j++)
                tile[j * PANEL_THREADS + t] = i == k ? upper[j] : other[j];
        const T d = upper[k];
        if (is_zero(d)) {
            if (!bad)
                bad = k + 1;
        } else if (i > k) {
            const T f = over(tile[k * PANEL_THREADS + t], d), g = negated(f);
            tile[k * PANEL_THREADS + t] = f;
#pragma unroll 4
            for (int j = k + 1; j < n; j++)
                mad(tile[j * PANEL_THREADS + t], g, upper[j]);
        }
        __syncthreads();
    }
    for (int j = 0; j < n; j++)
        if (i < m)
            a[i + j * lda] = tile[j * PANEL_THREADS + t];
    if (i == 0 && bad && !*info)
        *info = (int)base + bad;
}

/* ---- Householder ---- */
/* What a warp knows of column k below row k, times each column, becomes a sum of the block's; row k goes on the board beside them. */
template <class T, int COLUMNS>
__device__ inline void qr_sums(const T *tile, int k, int first, int n, const panel_board<T, COLUMNS> &board)
{
    enum { EACH = PANEL_THREADS / 32 };
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    T v[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        v[r] = zero<T>();
        if (first + r * 32 + lane > k)
            v[r] = conjugate(tile[k * PANEL_THREADS + r * 32 + lane]);
    }
    for (int j = k + warp; j < n; j += PANEL_THREADS / 32) {
        T sum = zero<T>();
#pragma unroll
        for (int r = 0; r < EACH; r++)
            mad(sum, v[r], tile[j * PANEL_THREADS + r * 32 + lane]);
        for (int mask = 16; mask; mask /= 2)
            sum = add(sum, lane_at(sum, mask));
        if (lane == 0)
            board.line(k, blockIdx.x)[j] = sum;
    }
    if (k >= first && k < first + PANEL_THREADS && threadIdx.x < n)
        board.line(k, board.blocks)[threadIdx.x] = tile[threadIdx.x * PANEL_THREADS + k - first];
}

/* A power of two near the largest element of all blocks' rows. */
template <class T, int COLUMNS>
__device__ inline typename real_of<T>::type qr_unit(const T *tile, int n, const panel_board<T, COLUMNS> &board)
{
    typedef typename real_of<T>::type R;
    enum { LIMIT = sizeof(R) == 8 ? 1000 : 120 }; /* of exponents, so that the reciprocal is a number, too */
    __shared__ R all[PANEL_THREADS / 32];
    const int t = threadIdx.x;
    R most = R(0);
    int unused = 0, power = 0;
    for (int j = 0; j < n; j++) {
        const R v = size_of(tile[j * PANEL_THREADS + t]);
        most = v > most ? v : most;
    }
    best_of_warp(most, unused);
    if (t % 32 == 0)
        all[t / 32] = most;
    __syncthreads();
    for (int w = 0; w < PANEL_THREADS / 32; w++)
        most = all[w] > most ? all[w] : most;
    if (t == 0)
        board.size(COLUMNS, blockIdx.x) = most;
    board.meet(1);
    for (int b = t % 32; b < board.blocks; b += 32) {
        const R v = told(&board.size(COLUMNS, b));
        most = v > most ? v : most;
    }
    best_of_warp(most, unused);
    if (most > R(0) && isfinite(most))
        frexp(most, &power);
    return ldexp(R(1), power > LIMIT ? LIMIT : power < -LIMIT ? -LIMIT : power);
}

/* As geqrf_panel of qr.h, for n <= COLUMNS. Squares must not over- or underflow: the panel is computed divided by a power of two near its
 * largest element, which changes R alone. */
template <class T, int COLUMNS>
__global__ void __launch_bounds__(PANEL_THREADS) geqrf_tall(int m, int n, T *a, long long lda, T *tau, void *memory)
{
    typedef typename real_of<T>::type R;
    extern __shared__ double panel_shared[];
    __shared__ T part[PANEL_THREADS / 32][COLUMNS], row[COLUMNS], dot[COLUMNS];
    T *tile = (T *)panel_shared;
    const panel_board<T, COLUMNS> board(memory);
    const int t = threadIdx.x, first = (int)blockIdx.x * PANEL_THREADS, i = first + t, warp = t / 32, lane = t % 32;
    for (int j = 0; j < n; j++)
        tile[j * PANEL_THREADS + t] = i < m ? a[i + j * lda] : zero<T>();
    const R up = qr_unit(tile, n, board), down = R(1) / up;
    for (int j = 0; j < n; j++)
        tile[j * PANEL_THREADS + t] = mul(make<T>(down, R(0)), tile[j * PANEL_THREADS + t]);
    __syncthreads();
    for (int k = 0; k < (m < n ? m : n); k++) {
        qr_sums(tile, k, first, n, board);
        board.meet(k + 2); /* once they met for the largest element */
        if (lane < n) { /* in an order that is always the same */
            T sum = zero<T>();
            for (int b = warp; b < board.blocks && lane >= k; b += PANEL_THREADS / 32)
                sum = add(sum, told(board.line(k, b) + lane));
            part[warp][lane] = sum;
        }
        if (t < n)
            row[t] = told(board.line(k, board.blocks) + t);
        __syncthreads();
        if (t < n) {
            T sum = zero<T>();
            for (int w = 0; w < PANEL_THREADS / 32; w++)
                sum = add(sum, part[w][t]);
            dot[t] = sum;
        }
        __syncthreads();
        const T alpha = row[k];
        const R below = real_part(dot[k]);
        /* The panel's largest is near 1: squares that are so small that not all of them is there may as well be 0. */
        const bool none = below < nearly_nothing(R(0)) && imaginary_part(alpha) == R(0);
        const R norm = sqrt(below + squared(alpha)), beta = real_part(alpha) >= R(0) ? -norm : norm;
        const T f = none ? zero<T>() : make<T>((beta - real_part(alpha)) / beta, -imaginary_part(alpha) / beta);
        if (i == 0)
            tau[k] = f;
        if (!none && i >= k) {
            const T scale = over(one<T>(), sub(alpha, make<T>(beta, R(0))));
            const T v = i == k ? one<T>() : mul(scale, tile[k * PANEL_THREADS + t]), g = negated(mul(conjugate(f), v)), h = conjugate(scale);
            tile[k * PANEL_THREADS + t] = i == k ? make<T>(beta, R(0)) : v;
#pragma unroll 4
            for (int j = k + 1; j < n; j++)
                mad(tile[j * PANEL_THREADS + t], g, add(row[j], mul(h, dot[j])));
        }
        __syncthreads();
    }
    for (int j = 0; j < n; j++)
        if (i < m)
            a[i + j * lda] = i <= j ? mul(make<T>(up, R(0)), tile[j * PANEL_THREADS + t]) : tile[j * PANEL_THREADS + t];
}
