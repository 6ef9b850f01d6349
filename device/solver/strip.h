/* Gauss's elimination of a strip of columns by many blocks at once, of float and double, from sm_80 on: a row a thread, in registers, and what
 * follows from a strip for other columns.
 *
 * Rows do not move while columns are done: each knows where it is by now, and goes there in the end. What blocks tell each other, a candidate each
 * column, lies on a board in device memory in words of 32 bits with a tag beside each, the column's number: who reads them knows by it that
 * they are there, and needs no other sign. Words of one column are overwritten two columns later, when all have read them. The board
 * begins as zeros, and tags grow as long as it lives. All blocks must be on the device at once (launches have no more of them than it has
 * units); one block alone waits for nobody. */
#pragma once
#include "device/solver/util.h"

/* How good a candidate is: its size as a number that sorts alike, and where its row is. */
struct strip_best {
    unsigned high, low;
    int place;
};
__device__ inline unsigned long long bits_of(double v) { return (unsigned long long)__double_as_longlong(v); }
__device__ inline unsigned long long bits_of(float v) { return (unsigned long long)(unsigned)__float_as_int(v); }
enum { NOWHERE = 0x7fffffff };
/* No number is worse than 0, and no candidate worse than that. */
template <class T> __device__ inline strip_best strip_candidate(T v, int place, bool is)
{
    const typename real_of<T>::type size = size_of(v);
    const unsigned long long key = !is ? 0 : size >= 0 ? bits_of(size) + 2 : 1;
    strip_best b = {(unsigned)(key >> 32), (unsigned)key, is ? place : NOWHERE};
    return b;
}
/* The best of a warp's; of equal ones the upper row. */
__device__ inline strip_best strip_of_warp(strip_best b)
{
    const unsigned all = 0xffffffffu, high = __reduce_max_sync(all, b.high), low = __reduce_max_sync(all, b.high == high ? b.low : 0u);
    strip_best most = {high, low, __reduce_min_sync(all, b.high == high && b.low == low ? b.place : (int)NOWHERE)};
    return most;
}

/* ---- words with tags ---- */
__device__ inline void tell(unsigned long long *at, unsigned v, unsigned tag)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"((unsigned long long)tag << 32 | v) : "memory");
}
__device__ inline unsigned long long look(const unsigned long long *at)
{
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
    return v;
}
/* An element as words of 32 bits, and back. */
__device__ inline void cut(float v, unsigned *w) { w[0] = (unsigned)__float_as_int(v); }
__device__ inline void cut(double v, unsigned *w)
{
    w[0] = (unsigned)__double2loint(v);
    w[1] = (unsigned)__double2hiint(v);
}
__device__ inline float hear(const float *, const unsigned long long *at, unsigned tag)
{
    unsigned long long v;
    do
        v = look(at);
    while ((unsigned)(v >> 32) != tag);
    return __int_as_float((int)(unsigned)v);
}
__device__ inline double hear(const double *, const unsigned long long *at, unsigned tag)
{
    unsigned long long low, high;
    do {
        low = look(at);
        high = look(at + 1);
    } while ((unsigned)(low >> 32) != tag || (unsigned)(high >> 32) != tag);
    return __hiloint2double((int)(unsigned)high, (int)(unsigned)low);
}

template <class T, int COLUMNS> struct strip_board {
    enum { WORDS = sizeof(T) / 4, HEAD = 4 };
    unsigned long long *memory;
    int blocks;
    __device__ unsigned long long *of(int step, int block) const { return memory + ((step & 1) * blocks + block) * (HEAD + COLUMNS * WORDS); }
    __device__ void tell_head(int step, unsigned tag, strip_best b) const
    {
        unsigned long long *at = of(step, (int)blockIdx.x);
        tell(at, b.high, tag);
        tell(at + 1, b.low, tag);
        tell(at + 2, (unsigned)b.place, tag);
    }
    __device__ void tell_line(int step, unsigned tag, const T (&r)[COLUMNS], int count) const
    {
        unsigned long long *at = of(step, (int)blockIdx.x) + HEAD;
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            if (j < count) {
                unsigned w[WORDS];
                cut(r[j], w);
#pragma unroll
                for (int q = 0; q < WORDS; q++)
                    tell(at + j * WORDS + q, w[q], tag);
            }
    }
    /* The best of all blocks', and whose it is. One warp, or each. */
    __device__ strip_best hear_heads(int step, unsigned tag, int &block) const
    {
        const int lane = threadIdx.x & 31;
        strip_best best = {0, 0, NOWHERE};
        int mine = 0;
        for (int b = lane; b < blocks; b += 32) {
            const unsigned long long *at = of(step, b);
            unsigned long long high, low, place;
            do {
                high = look(at);
                low = look(at + 1);
                place = look(at + 2);
            } while ((unsigned)(high >> 32) != tag || (unsigned)(low >> 32) != tag || (unsigned)(place >> 32) != tag);
            const strip_best now = {(unsigned)high, (unsigned)low, (int)(unsigned)place};
            if (now.high > best.high || (now.high == best.high && (now.low > best.low || (now.low == best.low && now.place < best.place)))) {
                best = now;
                mine = b;
            }
        }
        const strip_best most = strip_of_warp(best);
        const unsigned has = __ballot_sync(0xffffffffu, best.high == most.high && best.low == most.low && best.place == most.place);
        block = __shfl_sync(0xffffffffu, mine, __ffs((int)has) - 1);
        return most;
    }
    __device__ T hear_element(int step, unsigned tag, int block, int j) const
    {
        return hear((const T *)0, of(step, block) + HEAD + j * WORDS, tag);
    }
};

/* P A = L U of n <= COLUMNS columns of m >= n rows, THREADS of them a block; pivots (from 1, after base) may be NULL: then rows stay where they are.
 * info: the first pivot that is 0. moves: for each of COLUMNS rows, which row comes there; then, for each of them, where it goes if that is
 * below them, else -1.
 * Rows that have been chosen go on being computed with, for nothing: so no thread goes another way than the others. Of those the upper
 * triangle's part is what all are told; the first block stores it. */
template <class T, class P, int COLUMNS, int THREADS>
__global__ void __launch_bounds__(THREADS) getrf_strip(int m, int n, T *a, long long lda, P *pivots, int *info, long long base, unsigned long long *memory, int *moves)
{
    enum { WARPS = THREADS / 32, PART = 16 };
    extern __shared__ __align__(16) double panel_shared[];
    __shared__ __align__(16) T upper[2][COLUMNS];
    __shared__ strip_best of_warp[2][WARPS];
    T *tile = (T *)panel_shared; /* the lower triangle's part: column after column, a thread along its row */
    const strip_board<T, COLUMNS> board = {memory, (int)gridDim.x};
    const int t = threadIdx.x, lane = t & 31, i = (int)blockIdx.x * THREADS + t;
    T r[COLUMNS]; /* from this column on */
    int place = i, bad = 0;
    bool chosen = i >= m;
#pragma unroll
    for (int j = 0; j < COLUMNS; j++)
        r[j] = i < m && j < n ? a[i + j * lda] : zero<T>();
    for (int e = t; e < 2 * COLUMNS; e += THREADS)
        (&upper[0][0])[e] = zero<T>();
    for (int k = 0; k < n; k++) {
        const unsigned tag = (unsigned)(base + k + 1);
        const bool is = !chosen && (pivots || place == k);
        strip_best best = strip_of_warp(strip_candidate(r[0], place, is));
        if (lane == 0)
            of_warp[k & 1][t >> 5] = best;
        __syncthreads();
        best = strip_of_warp(of_warp[k & 1][lane % WARPS]);
        T *u = upper[k & 1];
        if (board.blocks == 1) {
            if (is && place == best.place)
#pragma unroll
                for (int j = 0; j < COLUMNS; j++)
                    u[j] = r[j];
        } else {
            if (best.place == NOWHERE ? t == 0 : is && place == best.place) {
                board.tell_head(k, tag, best);
                board.tell_line(k, tag, r, n - k);
            }
            int block;
            best = board.hear_heads(k, tag, block);
            if (t < n - k)
                u[t] = board.hear_element(k, tag, block, t);
        }
        __syncthreads();
        const T d = u[0];
        const bool nothing = is_zero(d);
        const T under = nothing ? zero<T>() : over(one<T>(), d);
        /* The reciprocal of the smallest is no number. */
        const T f = nothing ? r[0] : isfinite(under) ? r[0] * under : r[0] / d;
        const T g = nothing ? zero<T>() : negated(f);
        if (nothing && !bad)
            bad = k + 1;
        if (i == 0 && pivots)
            pivots[k] = (P)(base + best.place + 1);
        if (blockIdx.x == 0 && t < n - k)
            a[k + (k + t) * lda] = u[t];
        tile[k * THREADS + t] = f;
        chosen = chosen || place == best.place;
        place = place == best.place ? k : place == k ? best.place : place;
#pragma unroll
        for (int c = 0; c < COLUMNS; c += PART)
            if (c < n - k) { /* the same for all */
#pragma unroll
                for (int j = c; j < c + PART; j++)
                    if (j + 1 < COLUMNS) {
                        r[j] = r[j + 1];
                        mad(r[j], g, u[j + 1]);
                    }
            }
    }
    const int done = place < n ? place : n;
    if (i < m)
        for (int j = 0; j < done; j++)
            a[place + j * lda] = tile[j * THREADS + t];
    if (i < m && place < n)
        moves[place] = i;
    if (i < n)
        moves[COLUMNS + i] = place < n ? -1 : place;
    if (i == 0 && bad && !*info)
        *info = (int)base + bad;
}

/* ---- what follows for other columns ---- */
/* Rows of FOLLOW_COLUMNS columns from a on go where moves say; a is the strip's first row, of n columns that there are. */
template <class T, int COLUMNS> __device__ inline void strip_move(T *a, long long lda, int columns, int n, const int *moves)
{
    enum { EACH = 2 * COLUMNS * FOLLOW_COLUMNS / STRIP_THREADS, APART = STRIP_THREADS / (2 * COLUMNS) };
    const int slot = threadIdx.x % (2 * COLUMNS), first = threadIdx.x / (2 * COLUMNS), k = slot % COLUMNS;
    int from = k, to = k;
    if (k < n && slot < COLUMNS)
        from = moves[k];
    else if (k < n)
        to = moves[slot];
    const bool goes = k < n && from != to && to >= 0;
    T v[EACH];
#pragma unroll
    for (int c = 0; c < EACH; c++)
        if (goes && first + c * APART < columns)
            v[c] = a[from + (first + c * APART) * lda];
    __syncthreads();
#pragma unroll
    for (int c = 0; c < EACH; c++)
        if (goes && first + c * APART < columns)
            a[to + (first + c * APART) * lda] = v[c];
    __syncthreads();
}
/* The n rows of columns from b on: solved with the unit triangle of the strip at l. Sixteen lanes have a column. */
template <class T, int COLUMNS> __device__ inline void strip_solve(const T *l, long long ldl, T *b, long long ldb, int columns, int n)
{
    enum { LANES = STRIP_THREADS / FOLLOW_COLUMNS, EACH = COLUMNS / LANES };
    extern __shared__ __align__(16) double panel_shared[];
    T *triangle = (T *)panel_shared;
    const int t = threadIdx.x, lane = t % LANES, c = t / LANES;
#pragma unroll 8
    for (int e = t; e < COLUMNS * COLUMNS; e += STRIP_THREADS) {
        const int i = e % COLUMNS, j = e / COLUMNS;
        triangle[e] = i < n && j < i ? l[i + j * ldl] : zero<T>();
    }
    T x[EACH];
#pragma unroll
    for (int q = 0; q < EACH; q++)
        x[q] = c < columns && lane + q * LANES < n ? b[lane + q * LANES + c * ldb] : zero<T>();
    __syncthreads();
#pragma unroll
    for (int p = 0; p < EACH; p++)
        for (int k = 0; k < LANES; k++) {
            const T v = negated(__shfl_sync(0xffffffffu, x[p], (t & 31) / LANES * LANES + k));
#pragma unroll
            for (int q = p; q < EACH; q++)
                if (q > p || lane > k)
                    mad(x[q], triangle[(p * LANES + k) * COLUMNS + lane + q * LANES], v);
        }
#pragma unroll
    for (int q = 0; q < EACH; q++)
        if (c < columns && lane + q * LANES < n)
            b[lane + q * LANES + c * ldb] = x[q];
}

/* After a strip of n columns at a: of `left` columns before it the rows move; of `right` after it they do, and the first n are solved. */
template <class T, int COLUMNS>
__global__ void __launch_bounds__(STRIP_THREADS) getrf_follow(int n, T *a, long long lda, long long left, long long right, const int *moves)
{
    const long long groups = (left + FOLLOW_COLUMNS - 1) / FOLLOW_COLUMNS, group = blockIdx.x;
    const bool before = group < groups;
    const long long at = (before ? group : group - groups) * FOLLOW_COLUMNS, there = (before ? left : right) - at;
    T *b = a + (before ? at - left : n + at) * lda;
    const int columns = there < FOLLOW_COLUMNS ? (int)there : FOLLOW_COLUMNS;
    strip_move<T, COLUMNS>(b, lda, columns, n, moves);
    if (!before)
        strip_solve<T, COLUMNS>(a, lda, b, lda, columns, n);
}

/* Rows of `columns` columns at a after `width` columns' strips, one after the other. */
template <class T, int COLUMNS>
__global__ void __launch_bounds__(STRIP_THREADS) strip_exchange(long long columns, T *a, long long lda, int width, const int *moves)
{
    const long long at = blockIdx.x * (long long)FOLLOW_COLUMNS, there = columns - at;
    for (int k = 0; k < width; k += COLUMNS)
        strip_move<T, COLUMNS>(a + k + at * lda, lda, there < FOLLOW_COLUMNS ? (int)there : FOLLOW_COLUMNS, width - k < COLUMNS ? width - k : COLUMNS,
                               moves + k / COLUMNS * 2 * COLUMNS);
}
