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
    for (int q = t; q < done; q += TRI_THREADS) {
        s.v_dots[q] = told(board.dots + q);
        s.w_dots[q] = told(board.dots + COLUMNS + q);
        s.v_row[q] = told(v + k + q * ldv);
        s.w_row[q] = told(w + k + q * ldv);
    }
    __syncthreads();
    if (t < 32) {
        const T f = told(tau + k - 1);
        T product = zero<T>(), off = zero<T>();
#pragma unroll 4
        for (int b = lane; b < (int)gridDim.x; b += 32)
            product = add(product, told(board.parts + b));
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
            s.w_row[done] = add(mul(f, sub(told(board.y + k), off)), s.alpha);
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
    if (columns)
        tri_learn(s, board, k, done, v, w, ldv, tau);
    for (long long group = k / 32 + blockIdx.x; group * 32 < n; group += gridDim.x) {
        const long long i = group * 32 + lane;
        const bool inside = i >= k && i < n;
        if (columns) {
            T f = zero<T>(), o = zero<T>();
            if (inside)
#pragma unroll 4
                for (int q = warp; q < done; q += TRI_WARPS) {
                    const T x = told(v + i + q * ldv), y = told(w + i + q * ldv);
                    mad(f, x, s.w_dots[q]);
                    mad(f, y, s.v_dots[q]);
                    mad(o, x, conjugate(s.w_row[q]));
                    mad(o, y, conjugate(s.v_row[q]));
                }
            finish[warp][lane] = f;
            off[warp][lane] = o;
            __syncthreads();
        }
        if (warp == 0 && inside) {
            T x = ends ? zero<T>() : a[i + k * lda];
            if (columns) {
                T f = zero<T>();
                for (int q = 0; q < TRI_WARPS; q++) {
                    f = add(f, finish[q][lane]);
                    x = sub(x, off[q][lane]);
                }
                const T u = told(v + i + done * ldv), own = add(mul(s.tau, sub(told(board.y + i), f)), mul(s.alpha, u));
                w[i + done * ldv] = own;
                x = sub(x, add(mul(u, conjugate(s.w_row[done])), own));
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
    double square = 0.0;
#pragma unroll 4
    for (int b = lane; b < (int)gridDim.x; b += 32)
        square += told(board.norms + b);
    for (int mask = 16; mask; mask /= 2)
        square += lane_at(square, mask);
    const T alpha = told(board.x + k + 1);
    /* What is below 1e-140 of a matrix that is near 1 may as well be 0, and must be where its squares are not all there. */
    const bool none = square < 1e-280 && imaginary_part(alpha) == R(0);
    const R norm = (R)sqrt(square + square_of(alpha)), beta = none ? real_part(alpha) : real_part(alpha) >= R(0) ? -norm : norm;
    const T scale = none ? zero<T>() : over(one<T>(), sub(alpha, make<T>(beta, R(0))));
    if (blockIdx.x == 0 && t == 0) {
        e[k] = beta;
        tau[k] = none ? zero<T>() : make<T>((beta - real_part(alpha)) / beta, -imaginary_part(alpha) / beta);
        a[k + k * lda] = make<T>(told(d + k), R(0));
    }
    for (int j = t; j < below; j += TRI_THREADS) {
        const T u = j ? mul(scale, told(board.x + k + 1 + j)) : one<T>();
        const long long i = k + 1 + j;
        vector[j] = u;
        if (i / 32 % gridDim.x == blockIdx.x) {
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
        x = sum_over_warp(x);
        if (lane == 0) {
            if (item >= 2 * columns) {
                board.y[c] = x;
                mad(sum, conjugate(x), vector[c - k - 1]);
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
