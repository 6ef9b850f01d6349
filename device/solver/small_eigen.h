/* Eigenvalues and vectors of many small Hermitian matrices on GPUs, a block each, all of it in
 * shared memory: reflections make the matrix tridiagonal, and QL steps with implicit shifts
 * diagonalise that. A step's rotations are a chain that one warp goes along; the others, a row of
 * the vectors a thread, apply them one step behind. */
#pragma once
#include "device/solver/jacobi.h"
#include "device/solver/warp.h"

enum {
    SMALL_STEP = 4 /* elements that are read before the first is written: writing may be to where
                      the next is read from */
};

template <class R> struct small_turn {
    R c, s;
};
/* What a step's rotations are of: the columns from l to m. m below 0: there are no more. */
struct small_step {
    int l, m;
};
/* The block's shared memory. */
template <class T> struct small_memory {
    typedef typename real_of<T>::type R;
    int n, ld; /* ld is odd: neighbours in a row are in other banks, too */
    T *a, *v, *w;
    R *d, *e;
    small_turn<R> *turns; /* two of n */
    T *sums;              /* two of SMALL_WARPS */
    small_step *steps;
    int *rank, *failed;
    __device__ small_memory(int n_, double *from) : n(n_), ld(n_ | 1)
    {
        a = (T *)from;
        v = a + ld * n;
        w = v + n;
        sums = w + n;
        turns = (small_turn<R> *)(sums + 2 * SMALL_WARPS);
        d = (R *)(turns + 2 * n);
        e = d + n;
        steps = (small_step *)(e + n);
        rank = (int *)(steps + 2);
        failed = rank + n;
    }
};

/* A sum for all threads. The sums of two calls in turn lie apart, so that one barrier is enough. */
template <class T> __device__ inline T small_sum(const small_memory<T> &s, int &turn, T v)
{
    T *sums = s.sums + (turn ^= 1) * SMALL_WARPS;
    const int warps = blockDim.x / 32;
    v = sum_over_warp(v);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v;
    __syncthreads();
    v = sums[0];
    for (int k = 1; k < warps; k++)
        v = add(v, sums[k]);
    return v;
}

/* All of the matrix, from its triangle, brought to where squares are numbers. The result is by how
 * much. */
template <class T>
__device__ inline typename real_of<T>::type small_load(const small_memory<T> &s, const T *a,
                                                       long long lda, bool upper)
{
    typedef typename real_of<T>::type R;
    const int t = threadIdx.x, n = s.n;
    R *const found = (R *)s.sums;
    R most = R(0);
    for (int p = t; p < n * n; p += blockDim.x) {
        const int j = p / n, i = p - j * n;
        if (upper ? i > j : i < j)
            continue;
        T x = a[i + j * lda];
        if (i == j)
            drop_imaginary(x);
        s.a[i + j * s.ld] = x;
        s.a[j + i * s.ld] = i == j ? x : conjugate(x);
        const R size = size_of(x);
        most = size > most || size != size ? size : most;
    }
    for (int mask = 16; mask; mask /= 2) {
        const R other = lane_at(most, mask);
        most = other > most || other != other ? other : most;
    }
    if (t % 32 == 0)
        found[t / 32] = most;
    __syncthreads();
    for (int k = 0; k < (int)blockDim.x / 32; k++)
        most = found[k] > most || found[k] != found[k] ? found[k] : most;
    const R middle = to_middle(most);
    for (int p = t; middle != R(1) && p < n * n; p += blockDim.x) {
        T &x = s.a[p % n + p / n * s.ld];
        x = scaled(x, middle);
    }
    __syncthreads();
    return middle;
}

/* Q' A Q is tridiagonal: its diagonals to d and e, reflections below e in the columns of a and tau.
 * A thread has a row. */
template <class T> __device__ inline void small_reduce(const small_memory<T> &s)
{
    typedef typename real_of<T>::type R;
    const int t = threadIdx.x, n = s.n, ld = s.ld;
    int turn = 0;
    for (int k = 0; k + 1 < n; k++) {
        T *const row = s.a + t;
        const bool mine = t > k && t < n;
        const T x = mine ? row[k * ld] : zero<T>();
        const R tail = real_part(small_sum(s, turn, make<T>(t > k + 1 ? squared(x) : R(0), R(0))));
        const T alpha = s.a[k + 1 + k * ld];
        const R re = real_part(alpha), im = imaginary_part(alpha);
        T tau = zero<T>(), over_x = zero<T>();
        R beta = re;
        if (tail > R(0) || im != R(0)) {
            const R length = sqrt(re * re + im * im + tail);
            beta = re < R(0) ? length : -length;
            tau = make<T>((beta - re) / beta, -im / beta);
            over_x = over(one<T>(), make<T>(re - beta, im));
        }
        const T v = !mine ? zero<T>() : t == k + 1 ? one<T>() : mul(x, over_x);
        if (t < n)
            s.v[t] = v;
        __syncthreads();
        if (t == 0) {
            s.d[k] = real_part(s.a[k + k * ld]);
            s.e[k] = beta;
        }
        T p[4] = {zero<T>(), zero<T>(), zero<T>(), zero<T>()};
        if (mine) {
            row[k * ld] = t == k + 1 ? tau : v;
            int j = k + 1;
            for (; j + 3 < n; j += 4)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    mad(p[q], row[(j + q) * ld], s.v[j + q]);
            for (; j < n; j++)
                mad(p[0], row[j * ld], s.v[j]);
        }
        const T product = mul(tau, add(add(p[0], p[1]), add(p[2], p[3])));
        const T dot = small_sum(s, turn, mul(conjugate(product), v));
        const T w = sub(product, mul(mul(make<T>(R(0.5), R(0)), mul(tau, dot)), v));
        if (t < n)
            s.w[t] = w;
        __syncthreads();
        if (mine) {
            const T own_v = negated(v), own_w = negated(w);
            for (int j = k + 1; j < n; j += SMALL_STEP) {
                T y[SMALL_STEP];
#pragma unroll
                for (int q = 0; q < SMALL_STEP; q++)
                    if (j + q < n) {
                        y[q] = row[(j + q) * ld];
                        mad(y[q], own_v, conjugate(s.w[j + q]));
                        mad(y[q], own_w, conjugate(s.v[j + q]));
                    }
#pragma unroll
                for (int q = 0; q < SMALL_STEP; q++)
                    if (j + q < n)
                        row[(j + q) * ld] = y[q];
            }
        }
        __syncthreads();
    }
    if (t == 0) {
        s.d[n - 1] = real_part(s.a[n - 1 + (n - 1) * ld]);
        s.e[n - 1] = R(0);
    }
    __syncthreads();
}

/* Q in place of the reflections, the last first. A thread has a column. */
template <class T> __device__ inline void small_form(const small_memory<T> &s)
{
    const int t = threadIdx.x, n = s.n, ld = s.ld;
    T *const column = s.a + t * ld;
    for (int k = n - 2; k >= 0; k--) {
        const T *v = s.a + k * ld;
        const T tau = v[k + 1];
        if (t > k && t < n) {
            for (int i = k + 1; i < n && t == k + 1; i++)
                column[i] = i == t ? one<T>() : zero<T>();
            if (t > k + 1)
                column[k + 1] = zero<T>();
            T p[4] = {column[k + 1], zero<T>(), zero<T>(), zero<T>()};
            int i = k + 2;
            for (; i + 3 < n; i += 4)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    mad(p[q], conjugate(v[i + q]), column[i + q]);
            for (; i < n; i++)
                mad(p[0], conjugate(v[i]), column[i]);
            const T by = negated(mul(tau, add(add(p[0], p[1]), add(p[2], p[3]))));
            column[k + 1] = add(column[k + 1], by);
            for (int j = k + 2; j < n; j += SMALL_STEP) {
                T y[SMALL_STEP];
#pragma unroll
                for (int q = 0; q < SMALL_STEP; q++)
                    if (j + q < n) {
                        y[q] = column[j + q];
                        mad(y[q], by, v[j + q]);
                    }
#pragma unroll
                for (int q = 0; q < SMALL_STEP; q++)
                    if (j + q < n)
                        column[j + q] = y[q];
            }
        }
        __syncthreads();
    }
    if (t < n) {
        for (int i = 1; i < n && t == 0; i++)
            column[i] = zero<T>();
        column[0] = t == 0 ? one<T>() : zero<T>();
    }
    __syncthreads();
}

/* The next step's rotations, by a warp: one lane goes along them. l: where what is left begins;
 * done: steps. */
template <class T>
__device__ inline void small_chase(const small_memory<T> &s, int which, int &l, int &done)
{
    typedef typename real_of<T>::type R;
    enum {
        MOST_STEPS =
            30 /* for each row, as LAPACK; a graded matrix takes most of them in its first rows */
    };
    const R half = sizeof(R) == 8 ? R(0x1p-53) : R(0x1p-24);
    const int lane = threadIdx.x % 32, n = s.n;
    int m = l;
    for (;;) {
        m = n - 1;
        for (int from = l; from < n - 1; from += 32) {
            const int i = from + lane;
            const bool apart =
                i < n - 1 && fabs(s.e[i]) <= half * (fabs(s.d[i]) + fabs(s.d[i + 1]));
            const unsigned found = __ballot_sync(0xffffffffu, apart);
            if (found) {
                m = from + __ffs(found) - 1;
                break;
            }
        }
        if (m > l || l >= n - 1)
            break;
        l++;
    }
    const bool fails = m > l && done++ == MOST_STEPS * n;
    if (l >= n - 1 || fails)
        m = -1;
    if (lane == 0) {
        if (fails)
            *s.failed = 1;
        s.steps[which].l = l;
        s.steps[which].m = m;
        if (m > l) {
            small_turn<R> *turns = s.turns + which * n;
            const R first = s.d[l], below = s.e[l];
            R g = (s.d[l + 1] - first) / (R(2) * below), r = sqrt(g * g + R(1));
            g = s.d[m] - first + below / (g + (g < R(0) ? -r : r));
            R c = R(1), sine = R(1), p = R(0), upper = s.d[m];
            int i = m - 1;
            R next_d = s.d[i], next_e = s.e[i];
            for (; i >= l; i--) {
                const R d = next_d, e = next_e;
                if (i > l) {
                    next_d = s.d[i - 1];
                    next_e = s.e[i - 1];
                }
                const R f = sine * e, b = c * e, square = f * f + g * g, before = upper - p;
                const R under =
                    reciprocal_root(square); /* at once: what follows is not waited for */
                r = square * under;
                sine = f * under;
                c = g * under;
                if (!(square >
                      nearly_nothing(R(0)))) { /* of such small ones the squares are no numbers */
                    const R most = fabs(f) > fabs(g) ? fabs(f) : fabs(g);
                    if (most == R(0)) { /* it falls apart here */
                        s.e[i + 1] = R(0);
                        s.d[i + 1] = before;
                        s.e[m] = R(0);
                        break;
                    }
                    const R x = f / most, y = g / most, again = R(1) / sqrt(x * x + y * y);
                    r = most / again;
                    sine = x * again;
                    c = y * again;
                }
                s.e[i + 1] = r;
                const R q = (d - before) * sine + R(2) * b * c;
                p = sine * q;
                s.d[i + 1] = before + p;
                g = c * q - b;
                upper = d;
                turns[i].c = c;
                turns[i].s = sine;
            }
            if (i < l) {
                s.d[l] -= p;
                s.e[l] = g;
                s.e[m] = R(0);
            } else {
                s.steps[which].l = i + 1; /* rotations of the rest there are none */
            }
        }
    }
    __syncwarp();
}
template <class T> __device__ inline void small_apply(const small_memory<T> &s, int which)
{
    const small_step step = s.steps[which];
    const small_turn<typename real_of<T>::type> *turns = s.turns + which * s.n;
    T *row = s.a + threadIdx.x, carried = row[step.m * s.ld];
    for (int i = step.m - 1; i >= step.l; i -= SMALL_STEP) {
        T x[SMALL_STEP];
        small_turn<typename real_of<T>::type> by[SMALL_STEP];
#pragma unroll
        for (int q = 0; q < SMALL_STEP; q++)
            if (i - q >= step.l) {
                x[q] = row[(i - q) * s.ld];
                by[q] = turns[i - q];
            }
#pragma unroll
        for (int q = 0; q < SMALL_STEP; q++)
            if (i - q >= step.l) {
                row[(i - q + 1) * s.ld] = add(scaled(x[q], by[q].s), scaled(carried, by[q].c));
                carried = sub(scaled(x[q], by[q].c), scaled(carried, by[q].s));
            }
    }
    row[step.l * s.ld] = carried;
}

/* As syevj_near, of any number of rows that shared memory has room for: SMALL_THREADS(n) threads,
 * SMALL_SHARED(n, sizeof(T)) bytes. */
template <class T>
__global__ void syev_small(int n, const T *as, long long lda, long long a_step, int upper, int sort,
                           typename real_of<T>::type *values, T *outs, long long ldo,
                           long long out_step, int *info)
{
    typedef typename real_of<T>::type R;
    extern __shared__ __align__(16) double panel_shared[];
    const small_memory<T> s(n, panel_shared);
    const int t = threadIdx.x;
    const bool chases = t >= (int)blockDim.x - 32;
    T *const out = outs ? outs + blockIdx.x * out_step : NULL;
    const R middle = small_load(s, as + blockIdx.x * a_step, lda, upper);
    small_reduce(s);
    if (out)
        small_form(s);
    if (t == 0)
        *s.failed = 0;
    __syncthreads();
    int l = 0, done = 0;
    for (int which = 0, before = 0;; which ^= 1, before = 1) {
        if (chases)
            small_chase(s, which, l, done);
        else if (before && out && t < n)
            small_apply(s, which ^ 1);
        __syncthreads();
        if (s.steps[which].m < 0)
            break;
    }
    if (t < n) {
        const R own = s.d[t];
        int at = sort ? 0 : t;
        for (int j = 0; sort && j < n; j++)
            at += s.d[j] < own || (s.d[j] == own && j < t);
        s.rank[t] = at;
        values[(long long)blockIdx.x * n + at] = own / middle;
    }
    __syncthreads();
    if (out && t < n)
        for (int j = 0; j < n; j++)
            out[t + s.rank[j] * ldo] = s.a[t + j * s.ld];
    if (t == 0)
        info[blockIdx.x] = *s.failed ? n + 1 : 0;
}
