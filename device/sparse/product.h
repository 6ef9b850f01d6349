/* Sparse by dense. Along lines: each line of the stored matrix is a line of the result. Across: each is spread over the result. */
#pragma once
#include "device/sparse/walk.h"

/* ---- vectors ---- */
template <class W, class A, class X, class Y, class C>
__global__ void mv_along(sparse_view v, int conj, const X *x, sparse_scalar alpha, sparse_scalar beta, Y *y)
{
    const W w(v);
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    EACH_LINE (line, v.lines) {
        C sum = zero<C>();
        const long long n = w.length(line);
        for (long long k = threadIdx.x % 32; k < n; k += 32) {
            const long long column = w.column(line, k);
            if (column >= 0) {
                const C value = to<C>(((const A *)v.values)[w.place(line, k)]);
                mad(sum, conj ? conjugate(value) : value, to<C>(x[column]));
            }
        }
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            finish(&y[line], sum, a, b);
    }
}

/* Sums begin at zero. */
template <class W, class A, class X, class C> __global__ void mv_across(sparse_view v, int conj, const X *x, C *sums)
{
    const W w(v);
    EACH_LINE (line, v.lines) {
        const C factor = to<C>(x[line]);
        const long long n = w.length(line);
        for (long long k = threadIdx.x % 32; k < n; k += 32) {
            const long long column = w.column(line, k);
            if (column >= 0) {
                const C value = to<C>(((const A *)v.values)[w.place(line, k)]);
                meet(&sums[column], mul(conj ? conjugate(value) : value, factor));
            }
        }
    }
}
template <class C, class Y> __global__ void mv_finish(long long n, const C *sums, sparse_scalar alpha, sparse_scalar beta, Y *y)
{
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    EACH_ELEMENT (i, n)
        finish(&y[i], sums[i], a, b);
}

/* Equal shares of lines and entries together, however long the lines are: Merrill's and Garland's merge path. A share's last line may go on in
 * the next: its sum so far is carried there by mv_carry. */
template <class O> __device__ inline long long merge_line(const O *ends, long long base, long long diagonal, long long low, long long high)
{
    while (low < high) {
        const long long middle = (low + high) / 2;
        if ((long long)ends[middle] - base <= diagonal - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
enum { MERGE_THREADS = 128 };
template <class O, class I, class A, class X, class Y, class C, int ITEMS>
__global__ void mv_merge(sparse_view v, int conj, const X *x, sparse_scalar alpha, sparse_scalar beta, Y *y, long long *carry_line, C *carry,
                         long long tiles)
{
    __shared__ C product[MERGE_THREADS * ITEMS];
    __shared__ C line_sum[MERGE_THREADS * ITEMS];
    __shared__ C left[MERGE_THREADS];
    __shared__ long long last[MERGE_THREADS];
    const O *ends = (const O *)v.offsets + 1;
    const I *indices = (const I *)v.indices;
    const A *values = (const A *)v.values;
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    const long long all = v.lines + v.entries;
    const int t = threadIdx.x;
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const long long d0 = tile * MERGE_THREADS * ITEMS, d1 = d0 + MERGE_THREADS * ITEMS < all ? d0 + MERGE_THREADS * ITEMS : all;
        const long long line0 = merge_line(ends, v.base, d0, d0 > v.entries ? d0 - v.entries : 0, d0 < v.lines ? d0 : v.lines);
        const long long line1 = merge_line(ends, v.base, d1, d1 > v.entries ? d1 - v.entries : 0, d1 < v.lines ? d1 : v.lines);
        const long long entry0 = d0 - line0, entry1 = d1 - line1;
        for (long long k = entry0 + t; k < entry1; k += MERGE_THREADS) {
            const C value = to<C>(values[k]);
            product[k - entry0] = mul(conj ? conjugate(value) : value, to<C>(x[(long long)indices[k] - v.base]));
        }
        __syncthreads();
        const long long from = d0 + t * ITEMS < d1 ? d0 + t * ITEMS : d1, until = from + ITEMS < d1 ? from + ITEMS : d1;
        long long low = from > entry1 ? from - entry1 : 0, high = from - entry0;
        if (low < line0)
            low = line0;
        if (high > line1)
            high = line1;
        long long line = merge_line(ends, v.base, from, low, high), entry = from - line;
        C sum = zero<C>();
        while (line + entry < until) {
            if (line < v.lines && (long long)ends[line] - v.base <= entry) {
                line_sum[line - line0] = sum;
                sum = zero<C>();
                line++;
            } else {
                sum = add(sum, product[entry - entry0]);
                entry++;
            }
        }
        left[t] = sum;
        last[t] = line;
        __syncthreads();
        if (t == 0 || last[t - 1] != line) {
            C total = sum;
            for (int other = t + 1; other < MERGE_THREADS && last[other] == line; other++)
                total = add(total, left[other]);
            if (line < line1) {
                line_sum[line - line0] = add(line_sum[line - line0], total);
            } else {
                carry_line[tile] = line;
                carry[tile] = total;
            }
        }
        __syncthreads();
        for (long long k = t; k < line1 - line0; k += MERGE_THREADS)
            finish(&y[line0 + k], line_sum[k], a, b);
        __syncthreads();
    }
}
/* A warp for each tile whose carried line is not its predecessor's: it adds up the run. */
template <class Y, class C>
__global__ void mv_carry(long long tiles, const long long *carry_line, const C *carry, long long lines, sparse_scalar alpha, Y *y)
{
    const C a = value_of<C>(alpha);
    EACH_LINE (tile, tiles) {
        const long long line = carry_line[tile];
        if (line >= lines || (tile && carry_line[tile - 1] == line))
            continue;
        long long low = tile + 1, high = tiles;
        while (low < high) {
            const long long middle = (low + high) / 2;
            if (carry_line[middle] == line)
                low = middle + 1;
            else
                high = middle;
        }
        C sum = zero<C>();
        for (long long k = tile + threadIdx.x % 32; k < low; k += 32)
            sum = add(sum, carry[k]);
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            finish(&y[line], sum, a, one<C>());
    }
}

/* Entries in any order: rows and columns of each. */
template <class I, class A, class X, class C>
__global__ void coo_across(long long n, const I *from, const I *into, const A *values, long long base, int conj, const X *x, C *sums)
{
    EACH_ELEMENT (k, n) {
        const C value = to<C>(values[k]);
        meet(&sums[(long long)into[k] - base], mul(conj ? conjugate(value) : value, to<C>(x[(long long)from[k] - base])));
    }
}

/* ---- matrices: `parts` lanes (a power of two) for the columns of the result, the others share the entries of a line ---- */
template <class W, class A, class X, class Y, class C>
__global__ void mm_along(sparse_view v, int conj, sparse_dense x, long long n, int parts, sparse_scalar alpha, sparse_scalar beta, sparse_dense y)
{
    const W w(v);
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    const int lane = threadIdx.x % 32, share = lane / parts, shares = 32 / parts;
    EACH_LINE (line, v.lines) {
        const long long length = w.length(line);
        for (long long j0 = 0; j0 < n; j0 += parts) {
            const long long j = j0 + lane % parts;
            C sum = zero<C>();
            if (j < n)
                for (long long k = share; k < length; k += shares) {
                    const long long column = w.column(line, k);
                    if (column >= 0) {
                        const C value = to<C>(((const A *)v.values)[w.place(line, k)]);
                        const C other = to<C>(((const X *)x.p)[column * x.row + j * x.col]);
                        mad(sum, conj ? conjugate(value) : value, x.conj ? conjugate(other) : other);
                    }
                }
            sum = warp_sum(sum, parts);
            if (share == 0 && j < n)
                finish(&((Y *)y.p)[line * y.row + j * y.col], sum, a, b);
        }
    }
}
/* sums: width by n, rows of n. */
template <class W, class A, class X, class C> __global__ void mm_across(sparse_view v, int conj, sparse_dense x, long long n, C *sums)
{
    const W w(v);
    EACH_LINE (line, v.lines) {
        const long long length = w.length(line);
        for (long long e = threadIdx.x % 32; e < length * n; e += 32) {
            const long long k = e / n, j = e % n, column = w.column(line, k);
            if (column >= 0) {
                const C value = to<C>(((const A *)v.values)[w.place(line, k)]);
                const C other = to<C>(((const X *)x.p)[line * x.row + j * x.col]);
                meet(&sums[column * n + j], mul(conj ? conjugate(value) : value, x.conj ? conjugate(other) : other));
            }
        }
    }
}
template <class I, class A, class X, class C>
__global__ void mm_coo_across(long long entries, const I *from, const I *into, const A *values, long long base, int conj, sparse_dense x, long long n,
                              C *sums)
{
    EACH_ELEMENT (e, entries * n) {
        const long long k = e / n, j = e % n;
        const C value = to<C>(values[k]);
        const C other = to<C>(((const X *)x.p)[((long long)from[k] - base) * x.row + j * x.col]);
        meet(&sums[((long long)into[k] - base) * n + j], mul(conj ? conjugate(value) : value, x.conj ? conjugate(other) : other));
    }
}
template <class C, class Y>
__global__ void mm_finish(long long m, long long n, const C *sums, sparse_scalar alpha, sparse_scalar beta, sparse_dense y)
{
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    EACH_ELEMENT (e, m * n)
        finish(&((Y *)y.p)[e / n * y.row + e % n * y.col], sums[e], a, b);
}

/* Some lines of blocks only, each with an end of its own. */
template <class T>
__global__ void bsrx_along(sparse_view v, const int *mask, int size, const int *ends, const T *x, sparse_scalar alpha, sparse_scalar beta, T *y)
{
    const bsr_walk<int, int> w(v);
    const T a = value_of<T>(alpha), b = value_of<T>(beta);
    EACH_LINE (i, size * v.down) {
        const long long block = mask[i / v.down] - v.base, line = block * v.down + i % v.down;
        const long long n = (long long)(ends[block] - w.offsets[block]) * v.across;
        T sum = zero<T>();
        for (long long k = threadIdx.x % 32; k < n; k += 32)
            mad(sum, ((const T *)v.values)[w.place(line, k)], x[w.column(line, k)]);
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            finish(&y[line], sum, a, b);
    }
}
