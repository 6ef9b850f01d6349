/* The reduction to a tridiagonal matrix on GPUs: a few columns by one launch whose blocks meet twice for each (panel.h says how).
 *
 * Columns first .. k-1 have been reduced, but the rest of the matrix has not heard of it: V and W say what is to come off, A - V W' - W V'.
 * A column is two phases. In the first all rows are brought up to date, 32 of them a block, whose warps share the columns of V and W:
 * W's last column is finished, column k computed and its length. In the second each block makes the reflection's vector of it, in shared
 * memory, and each warp multiplies columns with it: of A, which is all there, and of V and W. */
#pragma once
#include "device/solver/panel.h"

enum { TRI_THREADS = 512, TRI_WARPS = TRI_THREADS / 32 };

template <class R> __device__ inline double square_of(R v) { return (double)v * v; }
template <class R> __device__ inline double square_of(complex<R> v) { return (double)v.x * v.x + (double)v.y * v.y; }

template <class T> __device__ inline T sum_over_warp(T v)
{
    for (int mask = 16; mask; mask /= 2)
        v = add(v, lane_at(v, mask));
    return v;
}

/* What blocks tell each other, in device memory. */
template <class T, int COLUMNS> struct tri_board {
    typedef typename real_of<T>::type R;
    unsigned *arrived;
    T *dots;  /* V' v, then W' v */
    T *parts; /* of v' A v, a block each */
    T *x, *y; /* column k, A v; n elements each */
    double *norms; /* of column k's part below the next row, a block each; squares of f32 neither overflow nor vanish there */
    __device__ tri_board(void *memory, long long n)
    {
        arrived = (unsigned *)memory;
        dots = (T *)((char *)memory + 256);
        parts = dots + 2 * COLUMNS;
        x = parts + gridDim.x;
        y = x + n;
        norms = (double *)(y + n);
    }
    __device__ void meet(unsigned n) const
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            meet_others(arrived, n * gridDim.x);
        }
        __syncthreads();
    }
};

/* What the blocks have written, one each, a lane's share: several are on their way at once. */
template <class T> __device__ inline T tri_sum(const T *from, int lane)
{
    T sum = zero<T>();
    for (int b = lane; b < (int)gridDim.x; b += 5 * 32) {
        T v[5];
#pragma unroll
        for (int q = 0; q < 5; q++) {
            v[q] = zero<T>();
            if (b + q * 32 < (int)gridDim.x)
                v[q] = told(from + b + q * 32);
        }
#pragma unroll
        for (int q = 0; q < 5; q++)
            sum = add(sum, v[q]);
    }
    return sum;
}

/* A thread's part of 32 rows: of V and W the columns of its warp, and what the first warp finishes with. */
template <class T, int COLUMNS> struct tri_rows {
    T v[COLUMNS / TRI_WARPS], w[COLUMNS / TRI_WARPS], u, y, x;
    __device__ __forceinline__ void fetch(const tri_board<T, COLUMNS> &board, long long i, bool inside, long long k, int columns, bool ends, const T *a, long long lda,
                                          const T *vs, const T *ws, long long ldv)
    {
        const int warp = threadIdx.x / 32;
#pragma unroll
        for (int c = 0; c < COLUMNS / TRI_WARPS; c++) {
            const int q = warp + c * TRI_WARPS;
            v[c] = w[c] = zero<T>();
            if (inside && q < columns - 1) {
                v[c] = told(vs + i + q * ldv);
                w[c] = told(ws + i + q * ldv);
            }
        }
        u = y = x = zero<T>();
        if (inside && warp == 0) {
            if (columns) {
                u = told(vs + i + (columns - 1) * ldv);
                y = told(board.y + i);
            }
            if (!ends)
                x = a[i + k * lda];
        }
    }
};

/* What a phase knows of the column before: dots with it, W's element in row k, and the factors that finish W's column. */
template <class T, int COLUMNS> struct tri_last {
    T v_dots[COLUMNS], w_dots[COLUMNS]; /* V' v, W' v */
    T v_row[COLUMNS], w_row[COLUMNS];   /* row k of V and W */
    T tau, alpha;
};

/* done: columns of V and W but for the last, whose vector begins in row k. */
template <class T, int COLUMNS>
__device__ __forceinline__ void tri_learn(tri_last<T, COLUMNS> &s, const tri_board<T, COLUMNS> &board, long long k, int done, const T *v, const T *w, long long ldv, const T *tau)
{
    typedef typename real_of<T>::type R;
    const int t = threadIdx.x, lane = t % 32;
    T f = zero<T>(), y = zero<T>(), product = zero<T>(), off = zero<T>();
    if (t < 32) { /* all that is far away is asked for at once */
        f = told(tau + k - 1);
        y = told(board.y + k);
        product = tri_sum(board.parts, lane);
    }
    for (int q = t - 32; q >= 0 && q < done; q += TRI_THREADS - 32) {
        const T a = told(board.dots + q), b = told(board.dots + COLUMNS + q), c = told(v + k + q * ldv), d = told(w + k + q * ldv);
        s.v_dots[q] = a;
        s.w_dots[q] = b;
        s.v_row[q] = c;
        s.w_row[q] = d;
    }
    __syncthreads();
    if (t < 32) {
        for (int q = lane; q < done; q += 32) {
            const T x = mul(conjugate(s.w_dots[q]), s.v_dots[q]);
            product = sub(product, add(x, conjugate(x)));
            mad(off, s.v_row[q], s.w_dots[q]);
            mad(off, s.w_row[q], s.v_dots[q]);
        }
        product = sum_over_warp(product);
        off = sum_over_warp(off);
        if (lane == 0) {
            const T half = make<T>(R(-0.5), R(0));
            s.tau = f;
            s.alpha = mul(mul(half, f), mul(conjugate(f), product));
            s.v_row[done] = one<T>();
            s.w_row[done] = add(mul(f, sub(y, off)), s.alpha);
        }
    }
    __syncthreads();
}

/* The first phase: k is the column, or, ends, the row after the last one. columns: of V and W that there are. */
template <class T, int COLUMNS>
__device__ __forceinline__ void tri_update(tri_last<T, COLUMNS> &s, const tri_board<T, COLUMNS> &board, long long n, long long k, int columns, bool ends, const T *a, long long lda,
                                  const T *v, T *w, long long ldv, const T *tau, typename real_of<T>::type *d)
{
    typedef typename real_of<T>::type R;
    __shared__ T finish[TRI_WARPS][33], off[TRI_WARPS][33];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, done = columns - 1;
    double norm = 0.0;
    tri_rows<T, COLUMNS> r;
    long long group = k / 32 + blockIdx.x, i = group * 32 + lane;
    bool inside = i >= k && i < n;
    r.fetch(board, i, inside, k, columns, ends, a, lda, v, w, ldv);
    if (columns)
        tri_learn(s, board, k, done, v, w, ldv, tau);
    for (; group * 32 < n; group += gridDim.x) {
        if (columns) {
            T f = zero<T>(), o = zero<T>();
#pragma unroll
            for (int c = 0; c < COLUMNS / TRI_WARPS; c++) {
                const int q = warp + c * TRI_WARPS;
                if (q < done) {
                    mad(f, r.v[c], s.w_dots[q]);
                    mad(f, r.w[c], s.v_dots[q]);
                    mad(o, r.v[c], conjugate(s.w_row[q]));
                    mad(o, r.w[c], conjugate(s.v_row[q]));
                }
            }
            finish[warp][lane] = f;
            off[warp][lane] = o;
            __syncthreads();
        }
        if (warp == 0 && inside) {
            T x = r.x;
            if (columns) {
                T f = zero<T>(), o = zero<T>();
#pragma unroll
                for (int q = 0; q < TRI_WARPS; q++) {
                    f = add(f, finish[q][lane]);
                    o = add(o, off[q][lane]);
                }
                const T own = add(mul(s.tau, sub(r.y, f)), mul(s.alpha, r.u));
                w[i + done * ldv] = own;
                x = sub(sub(x, o), add(mul(r.u, conjugate(s.w_row[done])), own));
            }
            if (!ends) {
                if (i == k) {
                    drop_imaginary(x);
                    d[k] = real_part(x);
                }
                board.x[i] = x;
                if (i > k + 1)
                    norm += square_of(x);
            }
        }
        i += 32 * (long long)gridDim.x;
        inside = i < n;
        r.fetch(board, i, inside, k, columns, ends, a, lda, v, w, ldv);
        __syncthreads();
    }
    if (warp == 0 && !ends) {
        for (int mask = 16; mask; mask /= 2)
            norm += lane_at(norm, mask);
        if (lane == 0)
            board.norms[blockIdx.x] = norm;
    }
}

/* The second phase: vector has room for n elements. */
template <class T, int COLUMNS>
__device__ __forceinline__ void tri_multiply(const tri_board<T, COLUMNS> &board, long long n, long long k, int columns, T *a, long long lda, T *v, const T *w, long long ldv,
                                    const typename real_of<T>::type *d, typename real_of<T>::type *e, T *tau, T *vector)
{
    typedef typename real_of<T>::type R;
    __shared__ T part[TRI_WARPS];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int below = (int)(n - k - 1);
    /* The vector without its factor, but for its first element, on its way with the norm. */
    double square = tri_sum(board.norms, lane);
    const T alpha = told(board.x + k + 1);
#pragma unroll 4
    for (int j = t; j < below; j += TRI_THREADS)
        vector[j] = told(board.x + k + 1 + j);
    for (int mask = 16; mask; mask /= 2)
        square += lane_at(square, mask);
    /* What is below 1e-140 of a matrix that is near 1 may as well be 0, and must be where its squares are not all there. */
    const bool none = square < 1e-280 && imaginary_part(alpha) == R(0);
    const R norm = (R)sqrt(square + square_of(alpha)), beta = none ? real_part(alpha) : real_part(alpha) >= R(0) ? -norm : norm;
    const T top = none ? one<T>() : sub(alpha, make<T>(beta, R(0))), scale = none ? one<T>() : over(one<T>(), top);
    if (blockIdx.x == 0 && t == 0) {
        e[k] = beta;
        tau[k] = none ? zero<T>() : make<T>((beta - real_part(alpha)) / beta, -imaginary_part(alpha) / beta);
        a[k + k * lda] = make<T>(told(d + k), R(0));
    }
    for (int j = t; j < below; j += TRI_THREADS) {
        const long long i = k + 1 + j;
        if (j == 0)
            vector[0] = top;
        else if (none)
            vector[j] = zero<T>();
        if (i / 32 % gridDim.x == blockIdx.x) {
            const T u = j ? mul(scale, vector[j]) : one<T>();
            v[i + columns * ldv] = u;
            a[i + k * lda] = j ? u : make<T>(beta, R(0));
        }
    }
    __syncthreads();
    T sum = zero<T>();
    for (long long item = warp * (long long)gridDim.x + blockIdx.x; item < below + 2 * columns; item += TRI_WARPS * (long long)gridDim.x) {
        const int q = (int)item;
        const long long c = k + 1 + item - 2 * columns;
        const T *from = item >= 2 * columns ? a + k + 1 + c * lda : q < columns ? v + k + 1 + q * ldv : w + k + 1 + (q - columns) * ldv;
        T x = zero<T>();
        if (item >= 2 * columns) {
#pragma unroll 8
            for (int j = lane; j < below; j += 32)
                mad(x, conjugate(from[j]), vector[j]);
        } else {
#pragma unroll 8
            for (int j = lane; j < below; j += 32)
                mad(x, conjugate(told(from + j)), vector[j]);
        }
        x = mul(scale, sum_over_warp(x));
        if (lane == 0) {
            if (item >= 2 * columns) {
                board.y[c] = x;
                mad(sum, conjugate(x), mul(scale, vector[c - k - 1]));
            } else {
                board.dots[q < columns ? q : COLUMNS + q - columns] = x;
            }
        }
    }
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    if (t == 0) {
        T all = zero<T>();
        for (int q = 0; q < TRI_WARPS; q++)
            all = add(all, part[q]);
        board.parts[blockIdx.x] = all;
    }
}

/* Columns first .. end-1 of A, all of which is there, as tridiagonal_column of eigen.h stores them; V and W for the columns after them. All
 * blocks must be on the device at once. */
template <class T, int COLUMNS>
__global__ void __launch_bounds__(TRI_THREADS) tridiagonal_panel(long long n, long long first, long long end, T *a, long long lda, T *v, T *w, long long ldv,
                                                                 typename real_of<T>::type *d, typename real_of<T>::type *e, T *tau, void *memory)
{
    extern __shared__ double panel_shared[];
    __shared__ tri_last<T, COLUMNS> s;
    const tri_board<T, COLUMNS> board(memory, n);
    unsigned times = 0;
    for (long long k = first;; k++) {
        const int columns = (int)(k - first);
        tri_update(s, board, n, k, columns, k == end, a, lda, v, w, ldv, tau, d);
        if (k == end || k + 1 >= n)
            return;
        board.meet(++times);
        tri_multiply(board, n, k, columns, a, lda, v, w, ldv, d, e, tau, (T *)panel_shared);
        board.meet(++times);
    }
}
