/* Jacobi's rotations: eigenvalues of Hermitian matrices (from both sides) and singular values (from one side). In a round every column is in one
 * pair; after n - 1 rounds (n, for odd n) every pair has met. */
#pragma once
#include "device/solver/util.h"

/* Pair k of a round of `even` columns, of which n are there. */
__device__ inline bool pair_of(long long n, long long even, long long round, long long k, long long *p, long long *q)
{
    const long long others = even - 1;
    const long long x = k == 0 ? even - 1 : (round + k) % others, y = k == 0 ? round : (round - k + others) % others;
    *p = x < y ? x : y;
    *q = x < y ? y : x;
    return *q < n;
}
__device__ inline long long evened(long long n) { return n + n % 2; }

/* The rotation that makes (a, r) (r', b) diagonal: col_p' = c col_p - s f col_q and col_q' = s col_p + c f col_q, with f = conj(r) / |r|. */
template <class T> struct rotation {
    typename real_of<T>::type c, s;
    T f;
};
template <class T> __device__ inline typename real_of<T>::type length(T v) { return fabs(v); }
template <class R> __device__ inline R length(complex<R> v)
{
    const R x = fabs(v.x), y = fabs(v.y), most = x > y ? x : y;
    if (most == R(0))
        return most;
    const R a = v.x / most, b = v.y / most;
    return most * sqrt(a * a + b * b);
}
template <class T> __device__ inline rotation<T> rotation_of(typename real_of<T>::type a, typename real_of<T>::type b, T r)
{
    typedef typename real_of<T>::type R;
    rotation<T> o;
    const R size = length(r);
    o.c = R(1);
    o.s = R(0);
    o.f = one<T>();
    if (!(size > R(0)))
        return o;
    const R z = (b - a) / (R(2) * size), far = fabs(z);
    const R t = (z < R(0) ? R(-1) : R(1)) / (far + (far > R(1e9) ? far : sqrt(R(1) + z * z)));
    o.c = R(1) / sqrt(R(1) + t * t);
    o.s = t * o.c;
    o.f = make<T>(real_part(r) / size, -imaginary_part(r) / size);
    return o;
}
template <class T> __device__ inline void rotate(const rotation<T> &o, T &p, T &q)
{
    typedef typename real_of<T>::type R;
    const T x = p, y = mul(o.f, q), c = make<T>(o.c, R(0)), s = make<T>(o.s, R(0));
    p = sub(mul(c, x), mul(s, y));
    q = add(mul(s, x), mul(c, y));
}
template <class T> __device__ inline void rotate_back(const rotation<T> &o, T &p, T &q) /* rows: with the conjugate */
{
    rotation<T> other = o;
    other.f = conjugate(o.f);
    rotate(other, p, q);
}

/* What is beside the diagonal, or 0 where it is so small that what a rotation adds to the elements on it would be lost in their rounding:
 * equal eigenvalues never part then, and turning them again and again ends late. */
template <class T> __device__ inline T if_it_tells(typename real_of<T>::type a, typename real_of<T>::type b, T r)
{
    typedef typename real_of<T>::type R;
    const R x = fabs(a), y = fabs(b), half = sizeof(R) == 8 ? R(0x1p-53) : R(0x1p-24);
    return size_of(r) <= half * (x < y ? x : y) ? zero<T>() : r;
}

/* A power of two that brings a matrix whose largest element this is to where squares are numbers; 1 where they are, so that most matrices are
 * rotated as they are, and where there is no such power. */
template <class R> __device__ inline R to_middle(R most)
{
    R f = R(1);
    if (!(most > R(0)) || !(most - most == R(0)))
        return f;
    for (int k = 0; k < 50 && most * f > R(1e8); k++)
        f *= R(1) / R(1 << 20);
    for (int k = 0; k < (sizeof(R) == 8 ? 50 : 6) && most * f < R(1e-8); k++)
        f *= R(1 << 20);
    return f;
}
template <class R> __device__ inline bool is_number(R v) { return v - v == R(0); }
/* Of the squares beside the diagonal and of all: little is left. A matrix that has no numbers is never done. */
template <class R> __device__ inline bool is_diagonal(R beside, R all, R tolerance)
{
    return beside == R(0) || (sqrt(beside) <= tolerance * sqrt(all) && is_number(all));
}
template <class T> __device__ inline T scaled(T v, typename real_of<T>::type f)
{
    return mul(make<T>(f, typename real_of<T>::type(0)), v);
}

/* ---- from both sides ---- */

/* Steps of a round, for thread id of so many threads. */
template <class T>
__device__ void find_angles(long long id, long long threads, long long n, long long round, const T *a, long long lda, rotation<T> *out)
{
    typedef typename real_of<T>::type R;
    const long long even = evened(n);
    for (long long k = id; k < even / 2; k += threads) {
        long long p, q;
        if (pair_of(n, even, round, k, &p, &q)) {
            const R x = real_part(a[p + p * lda]), y = real_part(a[q + q * lda]);
            out[k] = rotation_of<T>(x, y, if_it_tells(x, y, a[p + q * lda]));
        }
    }
}
template <class T>
__device__ void turn_columns(long long id, long long threads, long long n, long long round, long long m, T *a, long long lda, const rotation<T> *r)
{
    const long long even = evened(n);
    for (long long e = id; e < even / 2 * m; e += threads) {
        const long long k = e / m, i = e % m;
        long long p, q;
        if (pair_of(n, even, round, k, &p, &q))
            rotate(r[k], a[i + p * lda], a[i + q * lda]);
    }
}
template <class T> __device__ void turn_rows(long long id, long long threads, long long n, long long round, T *a, long long lda, const rotation<T> *r)
{
    const long long even = evened(n);
    for (long long e = id; e < even / 2 * n; e += threads) {
        const long long k = e % (even / 2), j = e / (even / 2);
        long long p, q;
        if (!pair_of(n, even, round, k, &p, &q))
            continue;
        rotate_back(r[k], a[p + j * lda], a[q + j * lda]);
        if (j == p || j == q) { /* these two are 0 now, and the diagonal is real */
            a[(j == p ? q : p) + j * lda] = zero<T>();
            drop_imaginary(a[j + j * lda]);
        }
    }
}
/* The squares of what is beside the diagonal, and of all. */
template <class T> __device__ void squares(long long n, const T *a, long long lda, typename real_of<T>::type *beside, typename real_of<T>::type *all)
{
    typedef typename real_of<T>::type R;
    R off = R(0), on = R(0);
    for (long long e = threadIdx.x; e < n * n; e += LAPACK_THREADS) {
        const R s = squared(a[e % n + e / n * lda]);
        if (e % n == e / n)
            on += s;
        else
            off += s;
    }
    *beside = sum_of_block(off);
    *all = *beside + sum_of_block(on);
}
template <class T> __global__ void off_norm(long long n, const T *a, long long lda, typename real_of<T>::type *out)
{
    typename real_of<T>::type beside, all;
    squares(n, a, lda, &beside, &all);
    if (threadIdx.x == 0) {
        out[0] = sqrt(beside);
        out[1] = sqrt(all);
    }
}
template <class T> __global__ void jacobi_angles(long long n, long long round, const T *a, long long lda, rotation<T> *r)
{
    find_angles(blockIdx.x * (long long)blockDim.x + threadIdx.x, gridDim.x * (long long)blockDim.x, n, round, a, lda, r);
}
template <class T> __global__ void jacobi_columns(long long n, long long round, T *a, T *v, long long lda, const rotation<T> *r)
{
    const long long id = blockIdx.x * (long long)blockDim.x + threadIdx.x, threads = gridDim.x * (long long)blockDim.x;
    turn_columns(id, threads, n, round, n, a, lda, r);
    if (v)
        turn_columns(id, threads, n, round, n, v, lda, r);
}
template <class T> __global__ void jacobi_rows(long long n, long long round, T *a, long long lda, const rotation<T> *r)
{
    turn_rows(blockIdx.x * (long long)blockDim.x + threadIdx.x, gridDim.x * (long long)blockDim.x, n, round, a, lda, r);
}

/* Many small matrices, one block each: A becomes diagonal, V has the vectors. report: what is left beside the diagonal, and how many sweeps. */
template <class T>
__global__ void jacobi_small(long long n, T *as, T *vs, double tolerance, int sweeps, typename real_of<T>::type *report, int *info)
{
    typedef typename real_of<T>::type R;
    __shared__ rotation<T> r[JACOBI_ROWS / 2];
    T *a = as + blockIdx.x * n * n, *v = vs ? vs + blockIdx.x * n * n : NULL;
    const int t = threadIdx.x;
    R beside, all, most = R(0);
    int done = 0;
    for (long long e = t; e < n * n; e += LAPACK_THREADS) {
        const R size = size_of(a[e]);
        most = size > most ? size : most;
    }
    const R middle = to_middle(most_of_block(most));
    for (long long e = t; middle != R(1) && e < n * n; e += LAPACK_THREADS)
        a[e] = scaled(a[e], middle);
    for (long long e = t; v && e < n * n; e += LAPACK_THREADS)
        v[e] = e % n == e / n ? one<T>() : zero<T>();
    __syncthreads();
    for (;; done++) {
        squares(n, a, n, &beside, &all);
        if (is_diagonal(beside, all, R(tolerance)) || !is_number(all) || done == sweeps)
            break;
        for (long long round = 0; round < evened(n) - 1; round++) {
            find_angles(t, LAPACK_THREADS, n, round, a, n, r);
            __syncthreads();
            turn_columns(t, LAPACK_THREADS, n, round, n, a, n, r);
            if (v)
                turn_columns(t, LAPACK_THREADS, n, round, n, v, n, r);
            __syncthreads();
            turn_rows(t, LAPACK_THREADS, n, round, a, n, r);
            __syncthreads();
        }
    }
    for (long long k = t; middle != R(1) && k < n; k += LAPACK_THREADS) /* of what is left only these are read */
        a[k + k * n] = scaled(a[k + k * n], R(1) / middle);
    if (t == 0) {
        report[2 * blockIdx.x] = sqrt(beside) / middle;
        report[2 * blockIdx.x + 1] = R(done);
        info[blockIdx.x] = is_diagonal(beside, all, R(tolerance)) ? 0 : (int)n + 1;
    }
}

/* The diagonal to values, in increasing order where it is asked for, and the vectors in the same one. One block a matrix. */
template <class T>
__global__ void jacobi_finish(long long n, const T *as, const T *vs, int sort, typename real_of<T>::type *values, T *out, long long ldo)
{
    typedef typename real_of<T>::type R;
    const T *a = as + blockIdx.x * n * n, *v = vs ? vs + blockIdx.x * n * n : NULL;
    T *o = out ? out + blockIdx.x * ldo * n : NULL;
    for (long long k = 0; k < n; k++) {
        const R own = real_part(a[k + k * n]);
        long long at = k;
        if (sort) {
            at = 0;
            for (long long j = 0; j < n; j++) {
                const R other = real_part(a[j + j * n]);
                at += other < own || (other == own && j < k);
            }
        }
        if (threadIdx.x == 0)
            values[blockIdx.x * n + at] = own;
        for (long long i = threadIdx.x; o && i < n; i += blockDim.x)
            o[i + at * ldo] = v[i + k * n];
    }
}

/* ---- from one side ---- */

/* One pair of columns a block; V turns with A. turned counts the pairs that were not orthogonal. Columns no longer than `least` are rounding, which
 * never becomes orthogonal to what it is the rounding of: they turn but do not count. */
template <class T>
__global__ void svd_round(long long m, long long n, long long round, T *a, long long lda, T *v, long long ldv, double tolerance, double least, int *turned)
{
    typedef typename real_of<T>::type R;
    long long p, q;
    const int t = threadIdx.x;
    if (!pair_of(n, evened(n), round, blockIdx.x, &p, &q))
        return;
    T *x = a + p * lda, *y = a + q * lda;
    R xx = R(0), yy = R(0);
    T xy = zero<T>();
    for (long long i = t; i < m; i += LAPACK_THREADS) {
        xx += squared(x[i]);
        yy += squared(y[i]);
        mad(xy, conjugate(x[i]), y[i]);
    }
    xx = sum_of_block(xx);
    yy = sum_of_block(yy);
    xy = sum_of_block(xy);
    if (!(length(xy) > R(tolerance) * sqrt(xx) * sqrt(yy)))
        return;
    if (t == 0 && sqrt(xx) > R(least) && sqrt(yy) > R(least))
        atomicAdd(turned, 1);
    const rotation<T> r = rotation_of<T>(xx, yy, xy);
    for (long long i = t; i < m; i += LAPACK_THREADS)
        rotate(r, x[i], y[i]);
    for (long long i = t; v && i < n; i += LAPACK_THREADS)
        rotate(r, v[i + p * ldv], v[i + q * ldv]);
}
template <class T> __global__ void column_norms(long long m, const T *a, long long lda, typename real_of<T>::type *out)
{
    typedef typename real_of<T>::type R;
    const T *x = a + blockIdx.x * lda;
    R s = R(0);
    for (long long i = threadIdx.x; i < m; i += LAPACK_THREADS)
        s += squared(x[i]);
    s = sum_of_block(s);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sqrt(s);
}
/* The largest element of each column, one a block; no number, where there is one that is none. */
template <class T> __global__ void largest_elements(long long m, const T *a, long long lda, typename real_of<T>::type *out)
{
    typedef typename real_of<T>::type R;
    const T *x = a + blockIdx.x * lda;
    R most = R(0), none = R(0);
    for (long long i = threadIdx.x; i < m; i += LAPACK_THREADS) {
        const R v = size_of(x[i]);
        most = v > most ? v : most;
        none = v != v ? R(1) : none;
    }
    most = most_of_block(most);
    none = most_of_block(none);
    if (threadIdx.x == 0)
        out[blockIdx.x] = none > R(0) ? R(0) / (none - none) : most;
}
/* B = A times a number; columns in the order that is given, if one is, and each divided by its own number, if there are some. */
template <class T>
__global__ void scaled_columns(long long m, long long n, const T *a, long long lda, const long long *order, const typename real_of<T>::type *by, double factor,
                               T *b, long long ldb)
{
    typedef typename real_of<T>::type R;
    EACH_IN (i, j, m, n) {
        const T v = a[i + (order ? order[j] : j) * lda];
        R f = R(factor);
        if (by)
            f = by[j] > R(0) ? f / by[j] : R(0);
        b[i + j * ldb] = mul(make<T>(f, R(0)), v);
    }
}

/* Which of U's columns there are: those of singular values that are more than rounding. */
template <class R> struct columns_there {
    const R *values;
    int count;
    R times, least;
    __device__ bool operator()(long long k) const { return k < count && values[k] * times > least; }
};
/* The others become orthonormal to them and to each other. */
template <class T>
__device__ void complete(long long n, columns_there<typename real_of<T>::type> there, T *u, long long ldu)
{
    typedef typename real_of<T>::type R;
    long long axis = 0;
    for (long long k = 0; k < n; k++)
        for (; axis < n && !there(k); axis++) { /* what an axis has outside of the columns so far */
            T *c = u + k * ldu;
            for (long long i = 0; i < n; i++)
                c[i] = i == axis ? one<T>() : zero<T>();
            R size = R(1);
            for (int again = 0; again < 2; again++) {
                for (long long l = 0; l < n; l++) {
                    T dot = zero<T>();
                    if (l >= k && !there(l))
                        continue;
                    for (long long i = 0; i < n; i++)
                        mad(dot, conjugate(u[i + l * ldu]), c[i]);
                    for (long long i = 0; i < n; i++)
                        c[i] = sub(c[i], mul(dot, u[i + l * ldu]));
                }
                R s = R(0);
                for (long long i = 0; i < n; i++)
                    s += squared(c[i]);
                size = sqrt(s);
                if (size * size * R(4 * n) < R(1))
                    break;
                for (long long i = 0; i < n; i++)
                    c[i] = over(c[i], make<T>(size, R(0)));
            }
            if (size * size * R(4 * n) >= R(1)) {
                axis++;
                break;
            }
        }
}
/* Many small matrices, one block each: X (rows by cols, rows >= cols; given, or its adjoint) becomes U S V', all of U and V. */
template <class T>
__global__ void svd_small(long long rows, long long cols, const T *as, long long lda, int adjoint, T *xs, T *vs, double tolerance, int sweeps, int sort,
                          typename real_of<T>::type *values, T *us, long long ldu, long long u_step, T *ws, long long ldw, long long w_step,
                          typename real_of<T>::type *report, int *info)
{
    typedef typename real_of<T>::type R;
    __shared__ int turned;
    const long long z = blockIdx.x;
    const int t = threadIdx.x;
    const T *a = as + z * lda * (adjoint ? rows : cols);
    T *x = xs + z * rows * cols, *v = vs + z * cols * cols;
    R *s = values + z * cols, largest = R(0);
    for (long long e = t; e < rows * cols; e += LAPACK_THREADS) {
        const long long i = e % rows, j = e / rows;
        x[e] = adjoint ? conjugate(a[j + i * lda]) : a[i + j * lda];
        const R size = size_of(x[e]);
        largest = size > largest ? size : largest;
    }
    const R middle = to_middle(most_of_block(largest));
    for (long long e = t; middle != R(1) && e < rows * cols; e += LAPACK_THREADS)
        x[e] = scaled(x[e], middle);
    for (long long e = t; e < cols * cols; e += LAPACK_THREADS)
        v[e] = e % cols == e / cols ? one<T>() : zero<T>();
    int done = 0, left = 1;
    R worst = R(0), all = R(0);
    __syncthreads();
    for (long long e = t; e < rows * cols; e += LAPACK_THREADS)
        all += squared(x[e]);
    const R least = R(tolerance) * sqrt(sum_of_block(all)); /* as svd_round's */
    for (; left && done < sweeps; done++) {
        __syncthreads();
        if (t == 0)
            turned = 0;
        worst = R(0);
        __syncthreads();
        for (long long round = 0; round < evened(cols) - 1; round++) {
            for (long long k = t; k < evened(cols) / 2; k += LAPACK_THREADS) { /* one pair a thread */
                long long p, q;
                if (!pair_of(cols, evened(cols), round, k, &p, &q))
                    continue;
                R xx = R(0), yy = R(0);
                T xy = zero<T>();
                for (long long i = 0; i < rows; i++) {
                    xx += squared(x[i + p * rows]);
                    yy += squared(x[i + q * rows]);
                    mad(xy, conjugate(x[i + p * rows]), x[i + q * rows]);
                }
                if (!(length(xy) > R(tolerance) * sqrt(xx) * sqrt(yy))) {
                    worst = length(xy) > worst ? length(xy) : worst;
                    continue;
                }
                if (sqrt(xx) > least && sqrt(yy) > least)
                    turned = 1;
                const rotation<T> r = rotation_of<T>(xx, yy, xy);
                for (long long i = 0; i < rows; i++)
                    rotate(r, x[i + p * rows], x[i + q * rows]);
                for (long long i = 0; i < cols; i++)
                    rotate(r, v[i + p * cols], v[i + q * cols]);
            }
            __syncthreads();
        }
        left = turned;
    }
    worst = most_of_block(worst);
    __shared__ R most;
    if (t == 0) { /* small: one thread sorts, writes and completes */
        most = R(0);
        for (long long k = 0; k < cols; k++) {
            R n = R(0);
            for (long long i = 0; i < rows; i++)
                n += squared(x[i + k * rows]);
            n = sqrt(n);
            most = n > most ? n : most;
            long long at = k;
            if (sort) {
                at = 0;
                for (long long j = 0; j < cols; j++) {
                    R other = R(0);
                    for (long long i = 0; i < rows; i++)
                        other += squared(x[i + j * rows]);
                    other = sqrt(other);
                    at += other > n || (other == n && j < k);
                }
            }
            s[at] = n / middle;
            for (long long i = 0; us && i < rows; i++)
                us[z * u_step + i + at * ldu] = n > R(0) ? over(x[i + k * rows], make<T>(n, R(0))) : zero<T>();
            for (long long i = 0; ws && i < cols; i++)
                ws[z * w_step + i + at * ldw] = v[i + k * cols];
        }
        if (us)
            complete(rows, columns_there<R>{s, (int)cols, middle, least}, us + z * u_step, ldu);
        report[2 * z] = most > R(0) ? worst / most : R(0);
        report[2 * z + 1] = R(done);
        info[z] = left || !is_number(least) ? (int)cols + 1 : 0;
    }
}

/* All of Hermitian matrices, one block each, from their triangles. */
template <class T> __global__ void mirror_all(long long n, const T *as, long long lda, int upper, T *bs)
{
    const T *a = as + blockIdx.x * lda * n;
    T *b = bs + blockIdx.x * n * n;
    for (long long e = threadIdx.x; e < n * n; e += blockDim.x) {
        const long long i = e % n, j = e / n;
        T v = i != j && (i > j) == (upper != 0) ? conjugate(a[j + i * lda]) : a[i + j * lda];
        if (i == j)
            drop_imaginary(v);
        b[e] = v;
    }
}
