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

/* ---- rows: a warp for some of them, side by side ---- */

enum { ROWS_THREADS = 256 };

/* The products of COUNT entries, `step` apart from `at` on; what would be behind `end` is the first again. All that is read is on its way
 * before the first is used. */
template <int COUNT, class O, class I, class A, class X, class C>
__device__ inline void products(C *product, const I *indices, const A *values, int conj, const X *x, O at, int step, O end)
{
    I index[COUNT];
    A value[COUNT];
    X other[COUNT];
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
        const O place = at + u * step < end ? at + u * step : at;
        index[u] = indices[place];
        value[u] = values[place];
    }
#pragma unroll
    for (int u = 0; u < COUNT; u++)
        other[u] = x[index[u]];
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
        const C wide = to<C>(value[u]);
        product[u] = mul(conj ? conjugate(wide) : wide, to<C>(other[u]));
    }
}
template <int COUNT, class O, class I, class A, class X, class C>
__device__ inline void add_products(C &sum, const I *indices, const A *values, int conj, const X *x, O at, int step, O end)
{
    for (; at < end; at += COUNT * step) {
        C product[COUNT];
        products<COUNT>(product, indices, values, conj, x, at, step, end);
#pragma unroll
        for (int u = 0; u < COUNT; u++)
            if (at + u * step < end)
                sum = add(sum, product[u]);
    }
}

/* Entries begin to end, of lines side by side, one after the other: they are added along each line, whose lane has from, to and its sum. */
template <int COUNT, class O, class I, class A, class X, class C>
__device__ inline void add_along(C &sum, const I *indices, const A *values, int conj, const X *x, O begin, O end, O from, O to)
{
    const int lane = threadIdx.x % 32;
    for (O at = begin; at < end; at += COUNT * 32) {
        C product[COUNT];
        const O own = at + lane < end ? at + lane : end - 1;
        products<COUNT>(product, indices, values, conj, x, own, 32, end);
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            const O base = at + u * 32;
            if (base >= end)
                break;
            const bool here = from < to && from < base + 32, begins = here && from >= base, takes = here && to > base;
            const unsigned heads = 1u | __reduce_or_sync(0xffffffffu, begins ? 1u << (int)(from - base) : 0u);
            const int behind = lane - 31 + __clz((int)(heads & (0xffffffffu >> (31 - lane))));
            C upto = product[u];
#pragma unroll
            for (int d = 1; d < 32; d *= 2) {
                const C before = lane_before(upto, d);
                if (behind >= d)
                    upto = add(before, upto);
            }
            const C all = lane_at(upto, takes ? (int)((to < base + 32 ? to : base + 32) - base) - 1 : 0);
            if (takes)
                sum = add(sum, all);
        }
    }
}

/* A warp has `rows` lines. Where they are of about one length and their columns lie near each other, some lanes have each; else the warp goes
 * through their entries one after the other, since scattered elements of x take all that the first cache can look up. Lines of more than
 * `most` entries are left to mv_parts. */
template <class O, class I, class A, class X, class Y, class C>
__global__ void __launch_bounds__(ROWS_THREADS, sizeof(C) > 8 ? 3 : sizeof(C) > 4 || sizeof(O) > 4 ? 5 : 6)
    mv_rows(sparse_view v, int conj, const X *x, sparse_scalar alpha, sparse_scalar beta, Y *y, int rows, int most, sparse_part *parts,
            unsigned *nparts, unsigned *done)
{
    enum { COUNT = 4, NEAR = 64 /* columns */ };
    const unsigned full = 0xffffffffu;
    const O *offsets = (const O *)v.offsets, origin = (O)v.base;
    const I *indices = (const I *)v.indices;
    const A *values = (const A *)v.values;
    const X *from_base = x - v.base;
    const int lane = threadIdx.x % 32;
    for (long long first = (blockIdx.x * (long long)ROWS_THREADS + threadIdx.x) / 32 * rows; first < v.lines;
         first += (long long)gridDim.x * (ROWS_THREADS / 32) * rows) {
        const int here = v.lines - first < rows ? (int)(v.lines - first) : rows;
        const long long line = first + (lane < here ? lane : here - 1);
        const O to = offsets[line + 1] - origin, from = lane < here ? offsets[line] - origin : to;
        const O begin = __shfl_sync(full, from, 0), end = __shfl_sync(full, to, 31);
        const bool cut = to - from > most;
        unsigned cuts = __ballot_sync(full, cut);
        const int longest = (int)__reduce_max_sync(full, cut ? 0u : (unsigned)(to - from));
        const I column = from < to ? indices[from] : I(0), last = __shfl_up_sync(full, column, 1);
        const bool near = lane == 0 || from == to || (column - last < NEAR && last - column < NEAR);
        const int nnear = __popc(__ballot_sync(full, near));
        if (!cuts && nnear >= 24 && (O)longest * here <= (end - begin) + (end - begin) / 2) {
            int lanes = 1;
            while (lanes < 32 && lanes * COUNT < longest)
                lanes *= 2;
            for (int next = 0; next < here; next += 32 / lanes) {
                const int k = next + lane / lanes;
                const O at = __shfl_sync(full, from, k < here ? k : 0), until = __shfl_sync(full, to, k < here ? k : 0);
                C sum = zero<C>();
                if (k < here)
                    add_products<COUNT>(sum, indices, values, conj, from_base, (O)(at + lane % lanes), lanes, until);
                for (int mask = lanes / 2; mask; mask /= 2)
                    sum = add(sum, from_lane(sum, mask));
                if (k < here && lane % lanes == 0)
                    finish(&y[first + k], sum, value_of<C>(alpha), value_of<C>(beta));
            }
            continue;
        }
        C sum = zero<C>();
        for (O at = begin;; cuts &= cuts - 1) {
            const int owner = cuts ? __ffs((int)cuts) - 1 : 31;
            const O hole = __shfl_sync(full, cuts ? from : to, owner);
            add_along<COUNT>(sum, indices, values, conj, from_base, at, hole, from, cut ? from : to);
            if (!cuts)
                break;
            at = __shfl_sync(full, to, owner);
            const int count = (int)((at - hole + most - 1) / most);
            unsigned place = lane == 0 ? atomicAdd(nparts, (unsigned)count) : 0;
            place = __shfl_sync(full, place, 0);
            for (int k = lane; k < count; k += 32) {
                const sparse_part part = {first + owner, (long long)hole + (long long)k * most, (int)place, count};
                parts[place + k] = part;
            }
            if (lane == 0)
                done[place] = 0;
        }
        if (lane < here && !cut)
            finish(&y[first + lane], sum, value_of<C>(alpha), value_of<C>(beta));
    }
}
/* A warp for each part. Whose line is done with it adds what its parts have, in their order: the same each time. */
template <class O, class I, class A, class X, class Y, class C>
__global__ void __launch_bounds__(ROWS_THREADS, sizeof(C) > 8 ? 3 : 4)
    mv_parts(sparse_view v, int conj, const X *x, sparse_scalar alpha, sparse_scalar beta, Y *y, int most, const sparse_part *parts,
             const unsigned *nparts, C *sums, unsigned *done)
{
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    const int lane = threadIdx.x % 32;
    const long long n = *nparts;
    EACH_LINE (i, n) {
        const sparse_part p = parts[i];
        const O behind = ((const O *)v.offsets)[p.line + 1] - (O)v.base, first = (O)p.first;
        C sum = zero<C>();
        add_products<8>(sum, (const I *)v.indices, (const A *)v.values, conj, x - v.base, (O)(first + lane), 32,
                        behind - first < most ? behind : (O)(first + most));
        sum = warp_sum(sum);
        unsigned before = 0;
        if (lane == 0) {
            sums[i] = sum;
            __threadfence();
            before = atomicAdd(&done[p.begin], 1u);
        }
        if (__shfl_sync(0xffffffffu, before, 0) != (unsigned)p.count - 1)
            continue;
        __threadfence();
        sum = zero<C>();
        for (int k = lane; k < p.count; k += 32)
            sum = add(sum, sums[p.begin + k]);
        sum = warp_sum(sum);
        if (lane == 0)
            finish(&y[p.line], sum, a, b);
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
/* Equal shares of lines and entries together, however long the lines are: Merrill's and Garland's merge path. A share's last line may go on in
 * the next: its sum so far is carried there by mm_carry. Where a share begins is found by SEARCHERS lanes, which ask as many places at a time,
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
/* For each column: a warp for a run of tiles that carry the same line, a block for a long one. */
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
