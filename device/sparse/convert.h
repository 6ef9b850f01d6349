/* Between formats: elements that are kept (not zero, or larger than a threshold) become entries. */
#pragma once
#include "device/sparse/walk.h"

__device__ inline double magnitude(float v) { return fabsf(v); }
__device__ inline double magnitude(double v) { return fabs(v); }
__device__ inline double magnitude(__half v) { return fabsf(__half2float(v)); }
__device__ inline double magnitude(__nv_bfloat16 v) { return fabsf(__bfloat162float(v)); }
__device__ inline double magnitude(signed char v) { return fabs((double)v); }
__device__ inline double magnitude(int v) { return fabs((double)v); }
template <class R> __device__ inline double magnitude(complex<R> v) { return hypot((double)v.x, (double)v.y); }
__device__ inline bool differs(float v) { return v != 0.f; }
__device__ inline bool differs(double v) { return v != 0.0; }
__device__ inline bool differs(__half v) { return __half2float(v) != 0.f; }
__device__ inline bool differs(__nv_bfloat16 v) { return __bfloat162float(v) != 0.f; }
__device__ inline bool differs(signed char v) { return v != 0; }
__device__ inline bool differs(int v) { return v != 0; }
template <class R> __device__ inline bool differs(complex<R> v) { return v.x != R(0) || v.y != R(0); }

/* Where elements come from: a dense matrix or one by rows. */
template <class T> struct dense_lines {
    const T *p;
    long long row, col, width;
    __device__ dense_lines(const sparse_view &v, const sparse_dense &d) : p((const T *)d.p), row(d.row), col(d.col), width(v.width) {}
    __device__ long long length(long long line) const { return width; }
    __device__ long long column(long long line, long long k) const { return k; }
    __device__ T value(long long line, long long k) const { return p[line * row + k * col]; }
};
template <class T> struct csr_lines {
    csr_walk<int, int> w;
    const T *values;
    __device__ csr_lines(const sparse_view &v, const sparse_dense &d) : w(v), values((const T *)v.values) {}
    __device__ long long length(long long line) const { return w.length(line); }
    __device__ long long column(long long line, long long k) const { return w.column(line, k); }
    __device__ T value(long long line, long long k) const { return values[w.place(line, k)]; }
};
/* THRESHOLD: |v| > threshold (of type R), else v != 0. */
template <class R, bool THRESHOLD, class T> __device__ inline bool kept(T v, const sparse_scalar &threshold)
{
    return THRESHOLD ? magnitude(v) > (threshold.at ? (double)*(const R *)threshold.at : threshold.value[0]) : differs(v);
}

template <class S, class R, bool THRESHOLD, class O> __global__ void keep_counts(sparse_view v, sparse_dense d, sparse_scalar threshold, O *counts)
{
    const S s(v, d);
    EACH_LINE (line, v.lines) {
        int count = 0;
        const long long n = s.length(line);
        for (long long k = threadIdx.x % 32; k < n; k += 32)
            count += kept<R, THRESHOLD>(s.value(line, k), threshold) ? 1 : 0;
        count = warp_sum(count);
        if (threadIdx.x % 32 == 0)
            counts[line] = (O)count;
    }
}
/* In the order of columns: lanes count those before them. rows_of, indices and values may be absent. */
template <class S, class T, class R, bool THRESHOLD, class O, class I>
__global__ void keep_fill(sparse_view v, sparse_dense d, sparse_scalar threshold, const O *offsets, long long base, I *rows_of, I *indices, T *values)
{
    const S s(v, d);
    const int lane = threadIdx.x % 32;
    EACH_LINE (line, v.lines) {
        long long to = (long long)offsets[line] - base;
        const long long n = s.length(line);
        for (long long k0 = 0; k0 < n; k0 += 32) {
            const long long k = k0 + lane;
            T value;
            bool keep = false;
            if (k < n) {
                value = s.value(line, k);
                keep = kept<R, THRESHOLD>(value, threshold);
            }
            const unsigned mask = __ballot_sync(0xffffffffu, keep);
            if (keep) {
                const long long at = to + __popc(mask & ((1u << lane) - 1));
                indices[at] = (I)(s.column(line, k) + base);
                values[at] = value;
                if (rows_of)
                    rows_of[at] = (I)(line + base);
            }
            to += __popc(mask);
        }
    }
}
/* |a| as keys that sort as numbers do. */
template <class T, class K> __global__ void size_keys(long long rows, long long cols, const T *a, long long row, long long col, K *keys)
{
    EACH_ELEMENT (e, rows * cols) {
        union {
            T value;
            K key;
        } u;
        u.value = fabs(a[e % rows * row + e / rows * col]);
        keys[e] = u.key;
    }
}

/* ---- dense ---- */
template <class T> __global__ void clear_dense(long long rows, long long cols, sparse_dense d)
{
    const T none = to<T>(0);
    EACH_ELEMENT (e, rows * cols)
        ((T *)d.p)[e % rows * d.row + e / rows * d.col] = none;
}
template <class W, class T> __global__ void to_dense(sparse_view v, sparse_dense d)
{
    const W w(v);
    EACH_LINE (line, v.lines) {
        const long long n = w.length(line);
        for (long long k = threadIdx.x % 32; k < n; k += 32) {
            const long long column = w.column(line, k);
            if (column >= 0)
                ((T *)d.p)[line * d.row + column * d.col] = ((const T *)v.values)[w.place(line, k)];
        }
    }
}
template <class I, class T> __global__ void coo_to_dense(long long n, const I *rows_of, const I *indices, const T *values, long long base, sparse_dense d)
{
    EACH_ELEMENT (k, n)
        ((T *)d.p)[((long long)rows_of[k] - base) * d.row + ((long long)indices[k] - base) * d.col] = values[k];
}
/* Values of entries whose places are known. */
template <class W, class T> __global__ void from_dense(sparse_view v, sparse_dense d)
{
    const W w(v);
    EACH_LINE (line, v.lines) {
        const long long n = w.length(line);
        for (long long k = threadIdx.x % 32; k < n; k += 32) {
            const long long column = w.column(line, k);
            if (column >= 0)
                ((T *)v.values)[w.place(line, k)] = ((const T *)d.p)[line * d.row + column * d.col];
        }
    }
}

/* ---- sampled products: C = alpha * (op(A) op(B)) where C has entries + beta * C. A warp for each entry. ---- */
template <class W, class A, class C, class S>
__global__ void sampled(sparse_view v, int by_columns, sparse_dense a, sparse_dense b, long long inner, sparse_scalar alpha, sparse_scalar beta)
{
    const W w(v);
    const S al = value_of<S>(alpha), be = value_of<S>(beta);
    for (long long line = blockIdx.x; line < v.lines; line += gridDim.x) {
        const long long n = w.length(line);
        for (long long k = threadIdx.x / 32; k < n; k += blockDim.x / 32) {
            const long long column = w.column(line, k);
            if (column < 0)
                continue;
            const long long i = by_columns ? column : line, j = by_columns ? line : column;
            S sum = zero<S>();
            for (long long l = threadIdx.x % 32; l < inner; l += 32) {
                const S x = to<S>(((const A *)a.p)[i * a.row + l * a.col]), y = to<S>(((const A *)b.p)[l * b.row + j * b.col]);
                mad(sum, a.conj ? conjugate(x) : x, b.conj ? conjugate(y) : y);
            }
            sum = warp_sum(sum);
            if (threadIdx.x % 32 == 0)
                finish(&((C *)v.values)[w.place(line, k)], sum, al, be);
        }
    }
}

/* ---- sums of two matrices by rows, columns ascending ---- */
template <class W> __device__ inline int merged(const W &a, const W &b, long long line)
{
    const long long na = a.length(line), nb = b.length(line);
    long long i = 0, j = 0;
    int n = 0;
    while (i < na || j < nb) {
        const long long x = i < na ? a.column(line, i) : 0x7fffffffffffffffLL, y = j < nb ? b.column(line, j) : 0x7fffffffffffffffLL;
        i += x <= y;
        j += y <= x;
        n++;
    }
    return n;
}
__global__ void geam_counts(sparse_view a, sparse_view b, int *counts)
{
    const csr_walk<int, int> x(a), y(b);
    EACH_ELEMENT (line, a.lines)
        counts[line] = merged(x, y, line);
}
template <class T>
__global__ void geam_fill(sparse_view a, sparse_view b, sparse_scalar alpha, sparse_scalar beta, const int *offsets, long long base, int *indices, T *values)
{
    const csr_walk<int, int> u(a), w(b);
    const T al = value_of<T>(alpha), be = value_of<T>(beta);
    EACH_ELEMENT (line, a.lines) {
        const long long na = u.length(line), nb = w.length(line);
        long long i = 0, j = 0, to = offsets[line] - base;
        while (i < na || j < nb) {
            const long long x = i < na ? u.column(line, i) : 0x7fffffffffffffffLL, y = j < nb ? w.column(line, j) : 0x7fffffffffffffffLL;
            T sum = zero<T>();
            if (x <= y)
                mad(sum, al, ((const T *)a.values)[u.place(line, i++)]);
            if (y <= x)
                mad(sum, be, ((const T *)b.values)[w.place(line, j++)]);
            indices[to] = (int)((x < y ? x : y) + base);
            values[to++] = sum;
        }
    }
}
