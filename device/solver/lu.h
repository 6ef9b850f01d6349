/* Gauss's elimination: columns that one block does, and exchanges of rows. */
#pragma once
#include "device/solver/util.h"

template <class T> __device__ inline void exchange(T &a, T &b)
{
    const T v = a;
    a = b;
    b = v;
}

/* P A = L U of a few columns; pivots (from 1, after base) may be NULL: then rows stay where they are. info: the first pivot that is 0. */
template <class T, class P> __device__ void lu_panel(int m, int n, T *a, long long lda, P *pivots, int *info, long long base)
{
    const int t = threadIdx.x, steps = m < n ? m : n;
    int bad = 0;
    for (int k = 0; k < steps; k++) {
        if (pivots) {
            const int p = pivot_row(a + k * lda, m, k);
            if (t == 0)
                pivots[k] = (P)(base + p + 1);
            if (p != k && t < n)
                exchange(a[k + t * lda], a[p + t * lda]);
            __syncthreads();
        }
        const T d = a[k + k * lda];
        if (is_zero(d)) {
            if (!bad)
                bad = k + 1;
            __syncthreads();
            continue;
        }
        for (int i = k + 1 + t; i < m; i += LAPACK_THREADS) {
            const T f = over(a[i + k * lda], d);
            a[i + k * lda] = f;
            for (int j = k + 1; j < n; j++)
                a[i + j * lda] = sub(a[i + j * lda], mul(f, a[k + j * lda]));
        }
        __syncthreads();
    }
    if (t == 0 && bad && !*info)
        *info = (int)base + bad;
}
template <class T> __global__ void getrf_panel(int m, int n, T *a, long long lda, int *pivots, int *info, long long base)
{
    lu_panel(m, n, a, lda, pivots, info, base);
}
template <class T> __global__ void getrf_panel_wide(int m, int n, T *a, long long lda, long long *pivots, int *info, long long base)
{
    lu_panel(m, n, a, lda, pivots, info, base);
}

/* Rows from .. from+count-1 are exchanged with those that pivots name (row numbers from 1, less base), in this order or the other way round. */
template <class T, class P> __device__ void exchange_rows(long long n, T *a, long long lda, const P *pivots, long long step, long long count, long long base, int back)
{
    EACH_OF (j, n) {
        T *col = a + j * lda;
        for (long long k = 0; k < count; k++) {
            const long long i = back ? count - 1 - k : k, p = (long long)pivots[i * step] - 1 - base;
            if (p != i)
                exchange(col[i], col[p]);
        }
    }
}
template <class T>
__global__ void laswp(long long n, T *a, long long lda, const int *pivots, long long step, long long count, long long base, int back)
{
    exchange_rows(n, a, lda, pivots, step, count, base, back);
}
template <class T>
__global__ void laswp_wide(long long n, T *a, long long lda, const long long *pivots, long long step, long long count, long long base, int back)
{
    exchange_rows(n, a, lda, pivots, step, count, base, back);
}

/* The same for GPUs: SWAPS exchanges at once, as what becomes of the rows that they touch, so that all of it is read before any of it is
 * written. A block does CHUNK_COLUMNS columns. Rows first .. first+SWAPS-1 are slots 0 .. SWAPS-1, those of the pivots the others. */
enum { CHUNK_COLUMNS = 16, CHUNK_THREADS = 256 };
template <class P>
__device__ inline void chunk_map(const P *pivots, long long step, long long count, long long base, int back, long long first, long long *place,
                                 long long *source)
{
    const int lane = threadIdx.x;
    const bool there = first + lane < count;
    const long long p = there ? (long long)pivots[(first + lane) * step] - 1 - base : first + lane;
    int owner = lane, low = lane, high = SWAPS + lane;
    for (int j = SWAPS - 1; j >= 0; j--)
        if (__shfl_sync(0xffffffffu, p, j) == p)
            owner = j;
    const bool inside = p >= first && p < first + SWAPS;
    const int slot = inside ? (int)(p - first) : SWAPS + owner;
    for (int k = 0; k < SWAPS; k++) {
        const int i = back ? SWAPS - 1 - k : k, with = __shfl_sync(0xffffffffu, slot, i), mine = __shfl_sync(0xffffffffu, low, i);
        const int of_low = __shfl_sync(0xffffffffu, low, with % SWAPS), of_high = __shfl_sync(0xffffffffu, high, with % SWAPS);
        if (lane == i)
            low = with < SWAPS ? of_low : of_high;
        if (lane == with % SWAPS) {
            if (with < SWAPS)
                low = mine;
            else
                high = mine;
        }
    }
    const long long of_low = __shfl_sync(0xffffffffu, p, low % SWAPS), of_high = __shfl_sync(0xffffffffu, p, high % SWAPS);
    place[lane] = first + lane;
    source[lane] = low < SWAPS ? first + low : of_low;
    place[SWAPS + lane] = !inside && owner == lane ? p : -1;
    source[SWAPS + lane] = high < SWAPS ? first + high : of_high;
}
template <class T, class P>
__device__ void exchange_chunks(long long n, T *a, long long lda, const P *pivots, long long step, long long count, long long base, int back)
{
    __shared__ long long place[2 * SWAPS], source[2 * SWAPS];
    enum { EACH = CHUNK_COLUMNS * 2 * SWAPS / CHUNK_THREADS, APART = CHUNK_COLUMNS / EACH };
    const long long chunks = (count + SWAPS - 1) / SWAPS;
    const int slot = threadIdx.x % (2 * SWAPS);
    for (long long group = blockIdx.x; group * CHUNK_COLUMNS < n; group += gridDim.x) {
        const long long column = group * CHUNK_COLUMNS + threadIdx.x / (2 * SWAPS);
        for (long long k = 0; k < chunks; k++) {
            if (threadIdx.x < SWAPS)
                chunk_map(pivots, step, count, base, back, (back ? chunks - 1 - k : k) * SWAPS, place, source);
            __syncthreads();
            const long long from = source[slot], to = place[slot];
            const bool moves = to >= 0 && from != to;
            T v[EACH];
#pragma unroll
            for (int c = 0; c < EACH; c++)
                if (moves && column + c * APART < n)
                    v[c] = a[from + (column + c * APART) * lda];
            __syncthreads();
#pragma unroll
            for (int c = 0; c < EACH; c++)
                if (moves && column + c * APART < n)
                    a[to + (column + c * APART) * lda] = v[c];
            __syncthreads();
        }
    }
}
template <class T>
__global__ void laswp_chunks(long long n, T *a, long long lda, const int *pivots, long long step, long long count, long long base, int back)
{
    exchange_chunks(n, a, lda, pivots, step, count, base, back);
}
template <class T>
__global__ void laswp_chunks_wide(long long n, T *a, long long lda, const long long *pivots, long long step, long long count, long long base, int back)
{
    exchange_chunks(n, a, lda, pivots, step, count, base, back);
}
