/* Sparse by sparse, by rows. Which columns a row of the product has is found in shared memory:
 * where they lie close together as bits of a window, else in a table (open addressing) that is then
 * sorted; rows that are too long for both have a bit for each column in global memory. Sums are
 * found in the same three ways. The products of a row are one list, in the order of A's entries
 * and, for each, of B's: thread t of a block takes product t of so many at a time, however long B's
 * rows are. Where threads have products of several entries, they add them one entry after the
 * other, so that sums are the same each time. */
#pragma once
#include "device/sparse/bins.h"
#include "device/sparse/walk.h"

const unsigned NO_COLUMN = 0xffffffffu;

/* ---- what rows take ---- */

enum { LANES = 8 }; /* that look at a row */
#define EACH_GROUP(first, n)                                                                       \
    for (long long first = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32 * (32 / LANES); \
         first < (n); first += (long long)gridDim.x * blockDim.x / LANES)

template <int lanes> __device__ inline unsigned least_of(unsigned v)
{
    for (int mask = lanes / 2; mask; mask /= 2) {
        const unsigned other = __shfl_xor_sync(0xffffffffu, v, mask);
        v = other < v ? other : v;
    }
    return v;
}
template <int lanes> __device__ inline unsigned most_of(unsigned v)
{
    return ~least_of<lanes>(~v);
}

/* Rows that are too long for a few lanes go to a list, for many blocks. */
enum { LONG_LINE = 512 };
__device__ inline void set_aside(long long line, unsigned *count, long long *longs)
{
    longs[atomicAdd(count, 1u)] = line;
}
#define EACH_LONG_LINE(i, count) for (unsigned i = blockIdx.y; i < (count); i += gridDim.y)

/* The least and the greatest column of each row; NO_COLUMN and 0: none. */
template <class O, class I>
__global__ void gemm_spans(sparse_view b, unsigned *least, unsigned *greatest, gemm_note *note,
                           long long *longs)
{
    const csr_walk<O, I> y(b);
    EACH_GROUP(first, b.lines)
    {
        const long long line = first + threadIdx.x % 32 / LANES,
                        n = line < b.lines ? y.length(line) : 0;
        unsigned low = NO_COLUMN, high = 0;
        for (long long k = threadIdx.x % LANES; k < n && n <= LONG_LINE; k += LANES) {
            const unsigned column = (unsigned)y.column(line, k);
            low = column < low ? column : low;
            high = column > high ? column : high;
        }
        low = least_of<LANES>(low);
        high = most_of<LANES>(high);
        if (line < b.lines && threadIdx.x % LANES == 0) {
            least[line] = low;
            greatest[line] = high;
            if (n > LONG_LINE)
                set_aside(line, &note->longs_of_b, longs);
        }
    }
}
template <class O, class I>
__global__ void gemm_long_spans(sparse_view b, unsigned *least, unsigned *greatest,
                                const gemm_note *note, const long long *longs)
{
    const csr_walk<O, I> y(b);
    EACH_LONG_LINE(i, note->longs_of_b)
    {
        const long long line = longs[i];
        unsigned low = NO_COLUMN, high = 0;
        for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x; k < y.length(line);
             k += (long long)gridDim.x * blockDim.x) {
            const unsigned column = (unsigned)y.column(line, k);
            low = column < low ? column : low;
            high = column > high ? column : high;
        }
        low = least_of<32>(low);
        high = most_of<32>(high);
        if (threadIdx.x % 32 == 0 && low != NO_COLUMN) {
            atomicMin(&least[line], low);
            atomicMax(&greatest[line], high);
        }
    }
}

/* What rows of B, entry by entry of A's, make of a row of the product. */
struct gemm_bound {
    unsigned low, high;
    long long sum; /* of products */
    template <class X, class Y>
    __device__ gemm_bound(const X &x, const Y &y, long long line, long long from, long long n,
                          long long step, const unsigned *least, const unsigned *greatest)
        : low(NO_COLUMN), high(0), sum(0)
    {
        for (long long k = from; k < n; k += step) {
            const long long other = x.column(line, k);
            sum += y.length(other);
            low = least[other] < low ? least[other] : low;
            high = greatest[other] > high ? greatest[other] : high;
        }
    }
    template <int lanes> __device__ void meet()
    {
        for (int mask = lanes / 2; mask; mask /= 2)
            sum += from_lane(sum, mask);
        low = least_of<lanes>(low);
        high = most_of<lanes>(high);
    }
    __device__ unsigned extent() const
    {
        return sum ? high - low + 1 : 0;
    }
    __device__ long long most() const
    {
        return sum < extent() ? sum : extent();
    }
};

/* For each row of the product: how many elements it has at most, its least column, and how many
 * columns there are from that to the last. Long ones are zeroed first, and have their last column
 * for their extent until all their blocks have been there. */
template <class O, class I>
__global__ void gemm_bounds(sparse_view a, sparse_view b, const unsigned *least,
                            const unsigned *greatest, long long *most, unsigned *begins,
                            unsigned *extents, gemm_note *note, long long *longs)
{
    const csr_walk<O, I> x(a), y(b);
    unsigned long long products = 0, room = 0;
    EACH_GROUP(first, a.lines)
    {
        const long long line = first + threadIdx.x % 32 / LANES,
                        n = line < a.lines ? x.length(line) : 0;
        gemm_bound bound(x, y, line, threadIdx.x % LANES, n <= LONG_LINE ? n : 0, LANES, least,
                         greatest);
        bound.template meet<LANES>();
        if (line < a.lines && threadIdx.x % LANES == 0) {
            most[line] = bound.most();
            begins[line] = bound.low;
            extents[line] = bound.extent();
            products += bound.sum;
            room += bound.most();
            if (n > LONG_LINE)
                set_aside(line, &note->longs_of_a, longs);
        }
    }
    products = warp_sum((long long)products);
    room = warp_sum((long long)room);
    if (threadIdx.x % 32 == 0 && products) {
        atomicAdd(&note->products, products);
        atomicAdd(&note->room, room);
    }
}
template <class O, class I>
__global__ void gemm_long_bounds(sparse_view a, sparse_view b, const unsigned *least,
                                 const unsigned *greatest, long long *most, unsigned *begins,
                                 unsigned *extents, const gemm_note *note, const long long *longs)
{
    const csr_walk<O, I> x(a), y(b);
    EACH_LONG_LINE(i, note->longs_of_a)
    {
        const long long line = longs[i];
        gemm_bound bound(x, y, line, blockIdx.x * (long long)blockDim.x + threadIdx.x,
                         x.length(line), (long long)gridDim.x * blockDim.x, least, greatest);
        bound.template meet<32>();
        if (threadIdx.x % 32 == 0 && bound.sum) {
            atomicAdd((unsigned long long *)&most[line], (unsigned long long)bound.sum);
            atomicMin(&begins[line], bound.low);
            atomicMax(&extents[line], bound.high);
        }
    }
}
__global__ void gemm_end_bounds(long long *most, const unsigned *begins, unsigned *extents,
                                gemm_note *note, const long long *longs)
{
    EACH_ELEMENT(i, note->longs_of_a)
    {
        const long long line = longs[i], sum = most[line],
                        extent = sum ? extents[line] - begins[line] + 1 : 0,
                        bound = sum < extent ? sum : extent;
        most[line] = bound;
        extents[line] = (unsigned)extent;
        atomicAdd(&note->products, (unsigned long long)sum);
        atomicAdd(&note->room, (unsigned long long)bound);
    }
}

/* A window is cleared and read whole. */
__device__ inline bool has_room(const gemm_bin &b, long long n, long long extent)
{
    return b.sparsest
               ? extent <= b.most && extent <= n * b.sparsest && (!b.longest || n <= b.longest)
               : n <= b.most;
}
__device__ inline int bin_of(const gemm_bins &bins, long long n, long long extent)
{
    int k = 0;
    while (k < bins.count && !has_room(bins.bin[k], n, extent))
        k++;
    return k;
}
/* Rows of most[] elements; ended: most[] are offsets. rows: NULL to count the rows of each bin;
 * else they are put there, bin by bin. Rows without elements are in none. */
__global__ void gemm_place(long long lines, const long long *most, int ended,
                           const unsigned *extents, gemm_bins bins, gemm_note *note,
                           long long *rows)
{
    __shared__ unsigned count[GEMM_BINS + 1], begin[GEMM_BINS + 1];
    const int t = threadIdx.x;
    for (long long first = (long long)blockIdx.x * blockDim.x; first < lines;
         first += (long long)gridDim.x * blockDim.x) {
        const long long line = first + t, n = line >= lines ? 0
                                              : ended       ? most[line + 1] - most[line]
                                                            : most[line];
        if (t <= GEMM_BINS)
            count[t] = 0;
        __syncthreads();
        const int bin = n ? bin_of(bins, n, extents[line]) : -1;
        const unsigned place = n ? atomicAdd(&count[bin], 1u) : 0;
        __syncthreads();
        if (t <= GEMM_BINS && count[t]) {
            begin[t] = atomicAdd(rows ? &note->placed[t] : &note->rows[t], count[t]);
            for (int k = 0; k < t; k++)
                begin[t] += note->rows[k];
        }
        __syncthreads();
        if (n && rows)
            rows[begin[bin] + place] = line;
        else if (bin == bins.count)
            atomicAdd(&note->apart, (unsigned long long)n);
        __syncthreads();
    }
}

/* ---- the products of a row as one list ---- */

extern __shared__ __align__(16) unsigned char gemm_memory[];

/* Of the threads before this one and this one; all: of all threads. parts: one for each warp. */
__device__ inline long long sum_up_to(long long v, long long *parts, long long *all)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 1; d < 32; d *= 2) {
        const long long before = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += before;
    }
    if (lane == 31)
        parts[warp] = v;
    __syncthreads();
    long long sum = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
        if (w == warp)
            v += sum;
        sum += parts[w];
    }
    *all = sum;
    __syncthreads();
    return v;
}

/* A block takes as many entries of A's row as it has threads: a power of two. */
struct gemm_list {
    long long *begins, *ends,
        *parts; /* where B's row begins, shifted; where its products end; for sums */
    __device__ unsigned char *make(unsigned char *memory)
    {
        begins = (long long *)memory;
        ends = begins + blockDim.x;
        parts = ends + blockDim.x;
        return (unsigned char *)(parts + 32);
    }
    /* Entries k … k + entries - 1 of the row: how many products they have. begin + a product's
     * number is its place in B. */
    template <class O, class I>
    __device__ long long load(const csr_walk<O, I> &x, const csr_walk<O, I> &y, long long line,
                              long long k, int entries)
    {
        const int t = threadIdx.x;
        const bool mine = t < entries && k + t < x.length(line);
        const long long other = mine ? x.column(line, k + t) : 0, n = mine ? y.length(other) : 0;
        long long all;
        const long long end = sum_up_to(n, parts, &all);
        ends[t] = end;
        begins[t] = (mine ? y.first(other) : 0) - (end - n);
        __syncthreads();
        return all;
    }
    /* The entry that product p is of. */
    __device__ int find(long long p) const
    {
        int e = 0;
        for (int step = blockDim.x / 2; step; step /= 2)
            if (ends[e + step - 1] <= p)
                e += step;
        return e;
    }
};

/* ---- tables ---- */

/* Places of a table of n elements: a power of two, a quarter of it empty. */
__device__ inline unsigned table_size(long long n)
{
    unsigned size = 32;
    while (size * 3ll < n * 4)
        size *= 2;
    return size;
}
__device__ inline unsigned table_place(unsigned column, unsigned mask)
{
    return column * 2654435761u >> __clz((int)mask);
}
__device__ inline void table_insert(unsigned *table, unsigned mask, unsigned column)
{
    for (unsigned at = table_place(column, mask);; at = (at + 1) & mask) {
        unsigned old = table[at];
        if (old == NO_COLUMN)
            old = atomicCAS(&table[at], NO_COLUMN, column);
        if (old == NO_COLUMN || old == column)
            return;
    }
}
__device__ inline unsigned table_find(const unsigned *table, unsigned mask, unsigned column)
{
    unsigned at = table_place(column, mask);
    while (table[at] != column)
        at = (at + 1) & mask;
    return at;
}
/* How many of the threads before this one have the flag; all: of all threads. */
__device__ inline int flags_before(bool flag, int *parts, int *all)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned mask = __ballot_sync(0xffffffffu, flag);
    int before = __popc(mask & ((1u << lane) - 1));
    if (warps == 1) {
        *all = __popc(mask);
        __syncwarp();
        return before;
    }
    if (lane == 0)
        parts[warp] = __popc(mask);
    __syncthreads();
    *all = 0;
    for (int w = 0; w < warps; w++) {
        before += w < warp ? parts[w] : 0;
        *all += parts[w];
    }
    __syncthreads();
    return before;
}
/* Elements to the front. How many they are. */
__device__ inline int table_gather(unsigned *table, unsigned size, int *parts)
{
    int count = 0;
    for (unsigned first = 0; first < size; first += blockDim.x) {
        const unsigned v = first + threadIdx.x < size ? table[first + threadIdx.x] : NO_COLUMN;
        int all;
        const int place = count + flags_before(v != NO_COLUMN, parts, &all);
        if (v != NO_COLUMN)
            table[place] = v;
        count += all;
    }
    __syncthreads();
    return count;
}
__device__ inline void table_sort(unsigned *table, int count)
{
    int size = 1;
    while (size < count)
        size *= 2;
    for (int i = count + threadIdx.x; i < size; i += blockDim.x)
        table[i] = NO_COLUMN;
    __syncthreads();
    for (int width = 2; width <= size; width *= 2)
        for (int step = width / 2; step > 0; step /= 2) {
            for (int i = threadIdx.x; i < size / 2; i += blockDim.x) {
                const int low = (i & ~(step - 1)) * 2 + (i & (step - 1)), high = low + step;
                const unsigned u = table[low], v = table[high];
                if ((u > v) == ((low & width) == 0)) {
                    table[low] = v;
                    table[high] = u;
                }
            }
            __syncthreads();
        }
}

/* ---- columns: counts, and where there is an array for them, the columns themselves ---- */

/* ranks[w]: how many bits there are before word w. Each warp has words one after the other. */
__device__ inline int rank_words(const unsigned *bits, unsigned *ranks, int words, int *parts)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32,
              each = (words + (int)blockDim.x - 1) / (int)blockDim.x * 32, begin = warp * each,
              end = begin + each < words ? begin + each : words;
    int sum = 0, before = 0, all = 0;
    for (int first = begin; first < end; first += 32) {
        const int w = first + lane, mine = w < end ? __popc(bits[w]) : 0;
        int upto = mine;
        for (int d = 1; d < 32; d *= 2) {
            const int earlier = __shfl_up_sync(0xffffffffu, upto, d);
            upto += lane >= d ? earlier : 0;
        }
        if (w < end)
            ranks[w] = (unsigned)(sum + upto - mine);
        sum += __shfl_sync(0xffffffffu, upto, 31);
    }
    if (lane == 0)
        parts[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warps; w++) {
        before += w < warp ? parts[w] : 0;
        all += parts[w];
    }
    for (int w = begin + lane; before && w < end; w += 32)
        ranks[w] += (unsigned)before;
    __syncthreads();
    return all;
}
/* A window's columns: by columns where most of them are there, else by words. */
__device__ inline void put_window(const unsigned *bits, const unsigned *ranks, int extent,
                                  unsigned begin, int count, unsigned *columns)
{
    if (extent > 8ll * count) {
        for (int w = threadIdx.x; w < (extent + 31) / 32; w += blockDim.x) {
            unsigned *to = columns + ranks[w];
            for (unsigned word = bits[w]; word; word &= word - 1)
                *to++ = begin + (unsigned)(w * 32 + __ffs((int)word) - 1);
        }
        return;
    }
    for (int c = threadIdx.x; c < extent; c += blockDim.x) {
        const unsigned word = bits[c / 32];
        if (word >> c % 32 & 1)
            columns[ranks[c / 32] + __popc(word & ((1u << c % 32) - 1))] = begin + c;
    }
}

template <class O, class I>
__global__ void gemm_window_columns(sparse_view a, sparse_view b, const long long *rows,
                                    long long n, const unsigned *begins, const unsigned *extents,
                                    const long long *starts, unsigned *columns, long long *counts)
{
    const csr_walk<O, I> x(a), y(b);
    gemm_list list;
    unsigned *const bits = (unsigned *)list.make(gemm_memory);
    for (long long r = blockIdx.x; r < n; r += gridDim.x) {
        const long long line = rows[r];
        const unsigned begin = begins[line];
        const int extent = (int)extents[line], words = (extent + 31) / 32;
        unsigned *const ranks = bits + words;
        for (int w = threadIdx.x; w < words; w += blockDim.x)
            bits[w] = 0;
        for (long long k = 0; k < x.length(line); k += blockDim.x) {
            const long long all = list.load(x, y, line, k, blockDim.x);
            for (long long p = threadIdx.x; p < all; p += blockDim.x) {
                const unsigned column =
                                   (unsigned)((long long)y.indices[list.begins[list.find(p)] + p] -
                                              y.base) -
                                   begin,
                               bit = 1u << column % 32;
                if (!(bits[column / 32] & bit))
                    atomicOr(&bits[column / 32], bit);
            }
            __syncthreads();
        }
        const int count = rank_words(bits, ranks, words, (int *)list.parts);
        if (threadIdx.x == 0)
            counts[line] = count;
        if (columns)
            put_window(bits, ranks, extent, begin, count, columns + starts[line]);
        __syncthreads();
    }
}

template <class O, class I>
__global__ void gemm_table_columns(sparse_view a, sparse_view b, const long long *rows, long long n,
                                   const long long *most, const long long *starts,
                                   unsigned *columns, long long *counts)
{
    const csr_walk<O, I> x(a), y(b);
    gemm_list list;
    unsigned *const table = (unsigned *)list.make(gemm_memory);
    for (long long r = blockIdx.x; r < n; r += gridDim.x) {
        const long long line = rows[r];
        const unsigned size = table_size(most[line]);
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
            table[i] = NO_COLUMN;
        for (long long k = 0; k < x.length(line); k += blockDim.x) {
            const long long all = list.load(x, y, line, k, blockDim.x);
            for (long long p = threadIdx.x; p < all; p += blockDim.x)
                table_insert(
                    table, size - 1,
                    (unsigned)((long long)y.indices[list.begins[list.find(p)] + p] - y.base));
            __syncthreads();
        }
        const int count = table_gather(table, size, (int *)list.parts);
        if (threadIdx.x == 0)
            counts[line] = count;
        if (columns) {
            table_sort(table, count);
            for (int k = threadIdx.x; k < count; k += blockDim.x)
                columns[starts[line] + k] = table[k];
        }
        __syncthreads();
    }
}

/* Long rows: row blockIdx.y of the list, whose bits begin at zero. Blocks share its entries, few at
 * a time. */
enum { FEW = 32 };
template <class O, class I>
__global__ void gemm_mark(sparse_view a, sparse_view b, const long long *rows, unsigned *bits,
                          long long words)
{
    const csr_walk<O, I> x(a), y(b);
    gemm_list list;
    list.make(gemm_memory);
    const long long line = rows[blockIdx.y];
    unsigned *const mine = bits + blockIdx.y * words;
    for (long long k = blockIdx.x * FEW; k < x.length(line); k += gridDim.x * FEW) {
        const long long all = list.load(x, y, line, k, FEW);
        for (long long p = threadIdx.x; p < all; p += blockDim.x) {
            const unsigned column = (unsigned)((long long)y.indices[list.begins[list.find(p)] + p] -
                                               y.base),
                           bit = 1u << column % 32;
            if (!(mine[column / 32] & bit))
                atomicOr(&mine[column / 32], bit);
        }
        __syncthreads();
    }
}
/* A block for each of those rows. */
__global__ void gemm_bit_columns(const long long *rows, const unsigned *bits, long long words,
                                 const long long *starts, unsigned *columns, long long *counts)
{
    __shared__ long long parts[32];
    const long long line = rows[blockIdx.x];
    const unsigned *const mine = bits + blockIdx.x * words;
    long long count = 0;
    for (long long first = 0; first < words; first += blockDim.x) {
        const long long w = first + threadIdx.x;
        unsigned word = w < words ? mine[w] : 0;
        long long all;
        const int n = __popc(word);
        const long long end = sum_up_to(n, parts, &all);
        if (columns) {
            unsigned *to = columns + starts[line] + count + end - n;
            for (; word; word &= word - 1)
                *to++ = (unsigned)(w * 32 + __ffs((int)word) - 1);
        }
        count += all;
    }
    if (threadIdx.x == 0)
        counts[line] = count;
}

/* The line that element k is of: from `low` to `high`, which has begun. */
__device__ inline long long line_of(const long long *offsets, long long low, long long high,
                                    long long k)
{
    while (low < high) {
        const long long half = high - (high - low) / 2;
        if (offsets[half] <= k)
            low = half;
        else
            high = half - 1;
    }
    return low;
}
/* From where there was room to where they belong: warps share elements, however long lines are. */
__global__ void gemm_move_columns(long long lines, const long long *starts, const unsigned *from,
                                  const long long *offsets, unsigned *columns)
{
    const long long all = offsets[lines],
                    warp = (long long)blockDim.x / 32 * blockIdx.x + threadIdx.x / 32;
    for (long long first = warp * GEMM_MOVED; first < all;
         first += (long long)gridDim.x * blockDim.x / 32 * GEMM_MOVED) {
        const long long past = first + GEMM_MOVED < all ? first + GEMM_MOVED : all;
        long long line = line_of(offsets, 0, lines - 1, first), end = offsets[line + 1],
                  apart = starts[line] - offsets[line];
        for (long long k = first + threadIdx.x % 32; k < past; k += 32) {
            if (k >= end) { /* mostly the next line, or one soon after it */
                for (int steps = 0; steps < 4 && k >= end; steps++)
                    end = offsets[++line + 1];
                if (k >= end)
                    line = line_of(offsets, line, lines - 1, k);
                end = offsets[line + 1];
                apart = starts[line] - offsets[line];
            }
            columns[k] = from[apart + k];
        }
    }
}

/* ---- sums ---- */

/* What a block has for its products: a factor and an entry a thread, and claims. */
template <class C> struct gemm_round {
    gemm_list list;
    C *factors;
    unsigned *claims;
    int *range; /* two: the first and the last entry whose products are added */
    __device__ unsigned char *make(unsigned char *memory, int *two)
    {
        factors = (C *)memory;
        claims = (unsigned *)list.make((unsigned char *)(factors + blockDim.x));
        range = two;
        for (unsigned i = threadIdx.x; i < blockDim.x * GEMM_CLAIMS; i += blockDim.x)
            claims[i] = UNCLAIMED;
        return (unsigned char *)(claims + blockDim.x * GEMM_CLAIMS);
    }
    enum { UNCLAIMED = -1, FEW_ENTRIES = 3 };

    /* Each thread adds a product of `entry` (-1: none) to *sum. Of the products that go to one
     * place, those of the first entry are added first: their entry has the lowest number on the
     * place's claim, which places that are far apart share. */
    __device__ void add_claimed(int entry, C *sum, C product, unsigned place) const
    {
        unsigned *const claim = &claims[place % (blockDim.x * GEMM_CLAIMS)];
        for (bool more = true; more;) {
            if (entry >= 0)
                atomicMin(claim, (unsigned)entry);
            __syncthreads();
            const bool now = entry >= 0 && *claim == (unsigned)entry;
            more = __syncthreads_or(entry >= 0 && !now);
            if (now) {
                *sum = add(*sum, product);
                *claim = UNCLAIMED;
                entry = -1;
            }
            if (more)
                __syncthreads();
        }
    }
    __device__ void add_in_turn(int entry, C *sum, C product) const
    {
        const int until = range[1];
        for (int e = range[0]; e <= until; e++) {
            if (e == entry)
                *sum = add(*sum, product);
            __syncthreads();
        }
    }
};

/* Adds the products of A's entries [from, to) in a row, entry by entry. `where` tells each column's
 * place among the sums. */
template <class A, class B, class C, class O, class I, class W>
__device__ inline void add_products(const sparse_view &a, const sparse_view &b, long long line,
                                    long long from, long long to_entry, gemm_round<C> &round,
                                    const W &where, C *sums)
{
    const csr_walk<O, I> x(a), y(b);
    const int t = threadIdx.x, threads = blockDim.x;
    for (long long k = from; k < to_entry; k += threads) {
        if (k + t < to_entry)
            round.factors[t] = to<C>(((const A *)a.values)[x.place(line, k + t)]);
        const int entries = to_entry - k < threads ? (int)(to_entry - k) : threads;
        const long long all = round.list.load(x, y, line, k, entries);
        for (long long first = 0; first < all; first += threads) {
            const long long p = first + t,
                            last = all - 1 < first + threads - 1 ? all - 1 : first + threads - 1;
            int entry = -1;
            unsigned place = 0;
            C product = zero<C>();
            if (p < all) {
                entry = round.list.find(p);
                const long long at = round.list.begins[entry] + p;
                product = mul(round.factors[entry], to<C>(((const B *)b.values)[at]));
                place = where((unsigned)((long long)y.indices[at] - y.base));
            }
            if (t == 0)
                round.range[0] = entry;
            if (p == last)
                round.range[1] = entry;
            __syncthreads();
            if (round.range[1] - round.range[0] < gemm_round<C>::FEW_ENTRIES)
                round.add_in_turn(entry, sums + place, product);
            else
                round.add_claimed(entry, sums + place, product, place);
        }
        __syncthreads();
    }
}

struct in_window {
    unsigned begin;
    __device__ unsigned operator()(unsigned column) const
    {
        return column - begin;
    }
};
struct in_table {
    const unsigned *table;
    unsigned mask;
    __device__ unsigned operator()(unsigned column) const
    {
        return table_find(table, mask, column);
    }
};

template <class O, class I, class A, class B, class C>
__global__ void gemm_window_values(sparse_view a, sparse_view b, const long long *rows, long long n,
                                   const unsigned *begins, const unsigned *extents,
                                   const long long *offsets, const unsigned *columns, C *values)
{
    __shared__ int range[2];
    gemm_round<C> round;
    C *const sums = (C *)round.make(gemm_memory, range);
    for (long long r = blockIdx.x; r < n; r += gridDim.x) {
        const long long line = rows[r];
        const in_window where = {begins[line]};
        for (unsigned i = threadIdx.x; i < extents[line]; i += blockDim.x)
            sums[i] = zero<C>();
        add_products<A, B, C, O, I>(a, b, line, 0, csr_walk<O, I>(a).length(line), round, where,
                                    sums);
        for (long long k = offsets[line] + threadIdx.x; k < offsets[line + 1]; k += blockDim.x)
            values[k] = sums[where(columns[k])];
        __syncthreads();
    }
}

template <class O, class I, class A, class B, class C>
__global__ void gemm_table_values(sparse_view a, sparse_view b, const long long *rows, long long n,
                                  const long long *offsets, const unsigned *columns, C *values)
{
    __shared__ int range[2];
    gemm_round<C> round;
    C *const sums = (C *)round.make(gemm_memory, range);
    for (long long r = blockIdx.x; r < n; r += gridDim.x) {
        const long long line = rows[r], begin = offsets[line], end = offsets[line + 1];
        const unsigned size = table_size(end - begin);
        unsigned *const table = (unsigned *)(sums + size);
        const in_table where = {table, size - 1};
        for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
            table[i] = NO_COLUMN;
            sums[i] = zero<C>();
        }
        __syncthreads();
        for (long long k = begin + threadIdx.x; k < end; k += blockDim.x)
            table_insert(table, size - 1, columns[k]);
        add_products<A, B, C, O, I>(a, b, line, 0, csr_walk<O, I>(a).length(line), round, where,
                                    sums);
        for (long long k = begin + threadIdx.x; k < end; k += blockDim.x)
            values[k] = sums[where(columns[k])];
        __syncthreads();
    }
}

/* Long rows: 32 columns of a row, and how many elements the row has before them. */
struct gemm_rank {
    unsigned bits, before;
};
struct in_ranks {
    const gemm_rank *ranks;
    __device__ unsigned operator()(unsigned column) const
    {
        const gemm_rank r = ranks[column / 32];
        return r.before + __popc(r.bits & ((1u << column % 32) - 1));
    }
};
/* Row blockIdx.y of the list, whose ranks begin at zero. */
__global__ void gemm_make_ranks(const long long *rows, const long long *offsets,
                                const unsigned *columns, gemm_rank *ranks, long long words)
{
    const long long line = rows[blockIdx.y], begin = offsets[line];
    gemm_rank *const mine = ranks + blockIdx.y * words;
    for (long long k = begin + (long long)blockIdx.x * blockDim.x + threadIdx.x;
         k < offsets[line + 1]; k += (long long)gridDim.x * blockDim.x) {
        const unsigned column = columns[k];
        atomicOr(&mine[column / 32].bits, 1u << column % 32);
        if (k == begin || columns[k - 1] / 32 != column / 32)
            mine[column / 32].before = (unsigned)(k - begin);
    }
}
/* Where the sums of each of n rows begin among those of all of them. One block. */
__global__ void gemm_part_starts(const long long *rows, long long n, const long long *offsets,
                                 long long *starts)
{
    __shared__ long long parts[32];
    long long before = 0;
    for (long long first = 0; first < n; first += blockDim.x) {
        const long long r = first + threadIdx.x,
                        mine = r < n ? offsets[rows[r] + 1] - offsets[rows[r]] : 0;
        long long all;
        const long long end = sum_up_to(mine, parts, &all);
        if (r < n)
            starts[r] = before + end - mine;
        before += all;
    }
}
/* A part: so many of A's entries; a row with few of them has fewer parts than there may be. */
enum { LEAST_PART = 128 };
__device__ inline long long part_of(long long entries, long long parts)
{
    const long long n = (entries + parts - 1) / parts;
    return n < LEAST_PART ? LEAST_PART : n;
}
/* Part blockIdx.x of row blockIdx.y; of a row that has one only, they are its values. */
template <class O, class I, class A, class B, class C>
__global__ void gemm_rank_values(sparse_view a, sparse_view b, const long long *rows,
                                 const long long *offsets, const gemm_rank *ranks, long long words,
                                 const long long *starts, long long apart, C *sums, C *values)
{
    __shared__ int range[2];
    const long long line = rows[blockIdx.y], entries = csr_walk<O, I>(a).length(line),
                    each = part_of(entries, gridDim.x), from = blockIdx.x * each,
                    past = from + each < entries ? from + each : entries,
                    count = offsets[line + 1] - offsets[line];
    if (from >= entries)
        return;
    gemm_round<C> round;
    round.make(gemm_memory, range);
    const in_ranks where = {ranks + blockIdx.y * words};
    C *const mine =
        each >= entries ? values + offsets[line] : sums + blockIdx.x * apart + starts[blockIdx.y];
    for (long long k = threadIdx.x; k < count; k += blockDim.x)
        mine[k] = zero<C>();
    add_products<A, B, C, O, I>(a, b, line, from, past, round, where, mine);
}
template <class O, class C>
__global__ void gemm_add_parts(sparse_view a, const long long *rows, const long long *offsets,
                               const long long *starts, long long apart, long long parts,
                               const C *sums, C *values)
{
    const long long line = rows[blockIdx.y], begin = offsets[line],
                    entries = (long long)(((const O *)a.offsets)[line + 1] -
                                          ((const O *)a.offsets)[line]),
                    each = part_of(entries, parts), used = (entries + each - 1) / each;
    if (used < 2)
        return;
    for (long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
         k < offsets[line + 1] - begin; k += (long long)gridDim.x * blockDim.x) {
        const C *part = sums + starts[blockIdx.y] + k;
        C sum = *part;
        long long p = 1;
        for (; p + 3 < used; p += 4) { /* on their way together */
            const C u = part[p * apart], v = part[(p + 1) * apart], w = part[(p + 2) * apart],
                    x = part[(p + 3) * apart];
            sum = add(add(add(add(sum, u), v), w), x);
        }
        for (; p < used; p++)
            sum = add(sum, part[p * apart]);
        values[begin + k] = sum;
    }
}

/* ---- to the caller's arrays ---- */
template <class O>
__global__ void gemm_put_offsets(long long n, const long long *offsets, long long base, O *to)
{
    EACH_ELEMENT(i, n + 1)
    to[i] = (O)(offsets[i] + base);
}
template <class I>
__global__ void gemm_put_columns(long long n, const unsigned *columns, long long base, I *to)
{
    EACH_ELEMENT(i, n)
    to[i] = (I)((long long)columns[i] + base);
}
template <class C, class Y>
__global__ void gemm_put_values(long long n, const C *sums, sparse_scalar alpha, sparse_scalar beta,
                                Y *to)
{
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    EACH_ELEMENT(i, n)
    finish(&to[i], sums[i], a, b);
}
