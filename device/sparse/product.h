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
 * the next: its sum so far is carried there by mv_carry. Where a share begins is found by SEARCHERS lanes, which ask as many places at a time,
 * for each share and where the last one ends. */
enum { SEARCHERS = 8 };
template <class O> __global__ void merge_starts(sparse_view v, long long share, long long tiles, long long *starts)
{
    const O *ends = (const O *)v.offsets + 1;
    const long long all = v.lines + v.entries, each = 32 / SEARCHERS;
    const int lane = threadIdx.x % SEARCHERS, shift = threadIdx.x % 32 - lane;
    for (long long first = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32 * each; first <= tiles; first += (long long)gridDim.x * blockDim.x / SEARCHERS) {
        const long long tile = first + threadIdx.x % 32 / SEARCHERS, diagonal = tile * share < all ? tile * share : all;
        long long low = diagonal > v.entries ? diagonal - v.entries : 0, high = diagonal < v.lines ? diagonal : v.lines;
        while (__any_sync(0xffffffffu, low < high)) {
            const long long step = (high - low + SEARCHERS - 1) / SEARCHERS, asked = low + (lane + 1) * step - 1;
            const bool before = asked < high && (long long)ends[asked] - v.base <= diagonal - asked - 1;
            const int count = __popc(__ballot_sync(0xffffffffu, before) >> shift & ((1u << SEARCHERS) - 1));
            const long long limit = low + (count + 1) * step - 1;
            low += count * step;
            high = high < limit ? high : limit;
        }
        if (lane == 0 && tile <= tiles)
            starts[tile] = low;
    }
}

/* Products of a share lie in shared memory with a gap after each 32: lines of one length begin in different banks. */
enum { MERGE_THREADS = 256, MERGE_WARPS = MERGE_THREADS / 32 };
__device__ inline int spread(int k) { return k + k / 32; }
template <class C> __device__ inline C sum_of(const C *product, int from, int to, int step)
{
    C sum = zero<C>();
    int k = from;
    for (; k + 3 * step < to; k += 4 * step) {
        const C p0 = product[spread(k)], p1 = product[spread(k + step)], p2 = product[spread(k + 2 * step)], p3 = product[spread(k + 3 * step)];
        sum = add(sum, add(add(p0, p1), add(p2, p3)));
    }
    for (; k < to; k += step)
        sum = add(sum, product[spread(k)]);
    return sum;
}

template <class O, class I, class A, class X, class Y, class C, int ITEMS>
__global__ void __launch_bounds__(MERGE_THREADS, sizeof(C) > 8 ? 3 : sizeof(C) > 4 ? 4 : 5)
    mv_merge(sparse_view v, int conj, const X *x, sparse_scalar alpha, sparse_scalar beta, Y *y, const long long *starts, C *carry, long long tiles)
{
    enum { TILE = MERGE_THREADS * ITEMS, LONG = 8 /* times the lanes that a line has */ };
    __shared__ C product[TILE + TILE / 32];
    __shared__ int end[TILE + 1]; /* of the share's lines, in it */
    __shared__ int later[TILE / LONG + 1];
    __shared__ int nlater;
    const O *ends = (const O *)v.offsets + 1;
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    const long long all = v.lines + v.entries;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const X *from_base = x - v.base;
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const long long d0 = tile * TILE, d1 = d0 + TILE < all ? d0 + TILE : all;
        const long long line0 = starts[tile], line1 = starts[tile + 1], entry0 = d0 - line0;
        const int lines = (int)(line1 - line0), n = (int)(d1 - line1 - entry0);
        I index[ITEMS];
        A value[ITEMS];
        if (n > 0) {
            const I *indices = (const I *)v.indices + entry0;
            const A *values = (const A *)v.values + entry0;
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                const int k = i * MERGE_THREADS + t < n ? i * MERGE_THREADS + t : n - 1;
                index[i] = indices[k];
                value[i] = values[k];
            }
        }
        /* While those are on their way */
        if (t == 0) {
            nlater = 0;
            end[lines] = n;
        }
        for (int k = t; k < lines; k += MERGE_THREADS)
            end[k] = (int)((long long)ends[line0 + k] - v.base - entry0);
        if (n > 0) {
            X other[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                other[i] = from_base[index[i]];
#pragma unroll
            for (int i = 0; i < ITEMS; i++) { /* what is beyond the last is not asked for */
                const C wide_value = to<C>(value[i]);
                product[i * spread(MERGE_THREADS) + spread(t)] = mul(conj ? conjugate(wide_value) : wide_value, to<C>(other[i]));
            }
        }
        __syncthreads();
        /* The share's lines, and what it has of the one that goes on: as many lanes for each as there are. */
        int each = 1;
        while (each < 32 && 2 * each * (lines + 1) <= MERGE_THREADS)
            each *= 2;
        for (int first = 0; first <= lines; first += MERGE_THREADS / each) {
            const int line = first + t / each;
            const int from = line > 0 && line <= lines ? end[line - 1] : 0, to_here = line <= lines ? end[line] : 0;
            const bool wait = to_here - from > LONG * each && each < 32;
            C sum = wait ? zero<C>() : sum_of(product, from + t % each, to_here, each);
            for (int mask = each / 2; mask; mask /= 2)
                sum = add(sum, from_lane(sum, mask));
            if (t % each || line > lines)
                continue;
            if (wait) {
                later[atomicAdd(&nlater, 1)] = line;
            } else if (line < lines) {
                finish(&y[line0 + line], sum, a, b);
            } else {
                carry[tile] = sum;
            }
        }
        __syncthreads();
        for (int k = warp; k < nlater; k += MERGE_WARPS) {
            const int line = later[k];
            const C sum = warp_sum(sum_of(product, (line ? end[line - 1] : 0) + lane, end[line], 32));
            if (lane == 0 && line < lines) {
                finish(&y[line0 + line], sum, a, b);
            } else if (lane == 0) {
                carry[tile] = sum;
            }
        }
        __syncthreads();
    }
}
/* Where the shares end that carry the same line as this one. */
__device__ inline long long run_end(const long long *carry_line, long long tile, long long tiles)
{
    long long low = tile + 1, high = tiles;
    if (low < tiles && carry_line[low] != carry_line[tile])
        return low;
    while (low < high) {
        const long long middle = (low + high) / 2;
        if (carry_line[middle] == carry_line[tile])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
/* A thread for each tile whose carried line is not its predecessor's adds it; the warp helps it where the run is long. */
template <class Y, class C>
__global__ void mv_carry(long long tiles, const long long *carry_line, const C *carry, long long lines, sparse_scalar alpha, Y *y)
{
    const C a = value_of<C>(alpha);
    const int lane = threadIdx.x % 32;
    for (long long first = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32 * 32; first < tiles; first += (long long)gridDim.x * blockDim.x) {
        const long long tile = first + lane, line = tile < tiles ? carry_line[tile] : lines;
        const bool head = line < lines && (tile == 0 || carry_line[tile - 1] != line);
        const long long last = head ? run_end(carry_line, tile, tiles) : tile;
        if (head && last == tile + 1)
            finish(&y[line], carry[tile], a, one<C>());
        for (unsigned left = __ballot_sync(0xffffffffu, last > tile + 1); left; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const long long until = __shfl_sync(0xffffffffu, last, owner);
            C sum = zero<C>();
#pragma unroll 4
            for (long long k = first + owner + lane; k < until; k += 32)
                sum = add(sum, carry[k]);
            sum = warp_sum(sum);
            if (lane == owner)
                finish(&y[line], sum, a, one<C>());
        }
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
/* The same by shares, a warp each, so that no line is too long for one: `share` lines and entries together. What a share has of a line that
 * goes on is a row of carry. */
/* COUNT entries of a line, `step` apart, of which those before `until` are there: all that is read is on its way before the first is used. */
template <int COUNT, class C, class I, class A, class X>
__device__ inline void mm_entries(C &sum, const I *indices, const A *values, long long base, int conj, const X *x, long long row, int conj_x,
                                  long long first, int step, long long until)
{
    I index[COUNT];
    A value[COUNT];
    X other[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const long long place = first + i * step < until ? first + i * step : first;
        index[i] = indices[place];
        value[i] = values[place];
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        other[i] = x[((long long)index[i] - base) * row];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (first + i * step < until) {
            const C wide_value = to<C>(value[i]), wide_other = to<C>(other[i]);
            mad(sum, conj ? conjugate(wide_value) : wide_value, conj_x ? conjugate(wide_other) : wide_other);
        }
}
template <class O, class I, class A, class X, class Y, class C>
__global__ void mm_merge(sparse_view v, int conj, sparse_dense x, long long n, int parts, sparse_scalar alpha, sparse_scalar beta, sparse_dense y,
                         long long share, long long tiles, const long long *starts, C *carry)
{
    const O *ends = (const O *)v.offsets + 1;
    const I *indices = (const I *)v.indices;
    const A *values = (const A *)v.values;
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    const long long all = v.lines + v.entries;
    const int lane = threadIdx.x % 32, part = lane / parts, shares = 32 / parts;
    EACH_LINE (tile, tiles) {
        const long long d0 = tile * share, d1 = d0 + share < all ? d0 + share : all;
        const long long line0 = starts[tile], line1 = starts[tile + 1];
        for (long long j0 = (long long)blockIdx.y * parts; j0 < n; j0 += (long long)gridDim.y * parts) {
            const long long j = j0 + lane % parts;
            const X *from = (const X *)x.p + (j < n ? j : n - 1) * x.col;
            long long k = d0 - line0;
            for (long long line = line0; line <= line1; line++) {
                const long long until = line < line1 ? (long long)ends[line] - v.base : d1 - line1;
                C sum = zero<C>();
                long long first = k + part;
                for (; first + 7 * shares < until; first += 8 * shares)
                    mm_entries<8>(sum, indices, values, v.base, conj, from, x.row, x.conj, first, shares, until);
                for (; first < until; first += 4 * shares)
                    mm_entries<4>(sum, indices, values, v.base, conj, from, x.row, x.conj, first, shares, until);
                k = until;
                sum = warp_sum(sum, parts);
                if (part || j >= n)
                    continue;
                if (line < line1)
                    finish(&((Y *)y.p)[line * y.row + j * y.col], sum, a, b);
                else
                    carry[tile * n + j] = sum;
            }
        }
    }
}
/* What tiles first, first + step … before last carry of a column. */
template <class C> __device__ inline C mm_carried(const C *carry, long long n, long long j, long long first, long long step, long long last)
{
    C sum = zero<C>();
    for (; first + 3 * step < last; first += 4 * step) { /* on their way together */
        const C u = carry[first * n + j], v = carry[(first + step) * n + j], w = carry[(first + 2 * step) * n + j], x = carry[(first + 3 * step) * n + j];
        sum = add(sum, add(add(u, v), add(w, x)));
    }
    for (; first < last; first += step)
        sum = add(sum, carry[first * n + j]);
    return sum;
}
/* As mv_carry, for each column: a warp for a run of tiles that carry the same line, a block for a long one. */
enum { CARRY_WARPS = 8 /* of a block, at most */, LONG_RUN = 64 };
template <class Y, class C>
__global__ void mm_carry(long long tiles, const long long *carry_line, const C *carry, long long lines, long long n, int parts, sparse_scalar alpha,
                         sparse_dense y)
{
    __shared__ long long begin[CARRY_WARPS], end[CARRY_WARPS];
    __shared__ C sums[CARRY_WARPS * 32];
    const C a = value_of<C>(alpha);
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
    for (long long first = (long long)blockIdx.x * warps; first < tiles; first += (long long)gridDim.x * warps) {
        const long long tile = first + warp, line = tile < tiles ? carry_line[tile] : lines;
        const bool head = line < lines && (tile == 0 || carry_line[tile - 1] != line);
        const long long last = head ? run_end(carry_line, tile, tiles) : tile;
        const bool many = last - tile > LONG_RUN;
        for (long long j0 = 0; head && !many && j0 < n; j0 += parts) {
            const long long j = j0 + lane % parts;
            const C sum = warp_sum(j < n ? mm_carried(carry, n, j, tile + lane / parts, 32 / parts, last) : zero<C>(), parts);
            if (lane < parts && j < n)
                finish(&((Y *)y.p)[line * y.row + j * y.col], sum, a, one<C>());
        }
        if (lane == 0) {
            begin[warp] = tile;
            end[warp] = many ? last : tile;
        }
        __syncthreads();
        for (int w = 0; w < warps; w++)
            for (long long j0 = 0; begin[w] < end[w] && j0 < n; j0 += parts) {
                const long long j = j0 + lane % parts;
                const C own = warp_sum(j < n ? mm_carried(carry, n, j, begin[w] + t / parts, blockDim.x / parts, end[w]) : zero<C>(), parts);
                sums[t] = own;
                __syncthreads();
                if (t < parts && j < n) {
                    C sum = own;
                    for (int k = 1; k < warps; k++)
                        sum = add(sum, sums[k * 32 + t]);
                    finish(&((Y *)y.p)[carry_line[begin[w]] * y.row + j * y.col], sum, a, one<C>());
                }
                __syncthreads();
            }
        __syncthreads();
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
