/* Sorting by comparison, keys that fit registers: tiles are sorted, then runs are merged in pairs.
 * A thread has an odd number of neighbours, so that lanes meet in no bank of shared memory. */
#pragma once
#include "tern_parallel.h"

namespace tern_parallel
{
template <class K> struct merge_shape {
    enum {
        items = sizeof(K) <= 4   ? 17
                : sizeof(K) <= 8 ? 11
                                 : 5,
        size = THREADS * items,
    };
};

template <class K, class V> struct merge_room {
    enum { size = merge_shape<K>::size, with_values = has_values<V>::value };
    room<K, size + 1> keys;                       /* what follows a run is read, and not used */
    unsigned short order[with_values ? size : 1]; /* where the key of a place was in the tile */
};

/* The n elements from `first` on of what two runs of the tile become, into registers. Of equal ones
 * those of the first run come first. */
template <class K, class V, class Less>
__device__ void merge_taken(merge_room<K, V> &s, unsigned a, unsigned na, unsigned b, unsigned nb,
                            unsigned first, K *own, unsigned *from, Less &less)
{
    constexpr int items = merge_shape<K>::items;
    unsigned low = first > nb ? first - nb : 0, high = first < na ? first : na;
    while (low < high) { /* as merge_split */
        const unsigned middle = (low + high) / 2;
        if (less(s.keys[(int)(b + first - 1 - middle)], s.keys[(int)(a + middle)]))
            high = middle;
        else
            low = middle + 1;
    }
    const unsigned a_end = a + na, b_end = b + nb;
    a += low;
    b += first - low;
    K left = s.keys[(int)a], right = s.keys[(int)b];
#pragma unroll
    for (int i = 0; i < items; i++) {
        const bool second = a >= a_end || (b < b_end && less(right, left));
        own[i] = second ? right : left;
        from[i] = second ? b : a;
        a += second ? 0 : 1;
        b += second ? 1 : 0;
        const K key = s.keys[(int)(second ? b : a)];
        left = second ? left : key;
        right = second ? key : right;
    }
}

/* WHOLE: the tile is full, so that nothing is asked of its elements' places. */
template <bool WHOLE, class K, class V>
__device__ void put_own(merge_room<K, V> &s, const share &mine, const K *own, const unsigned *from)
{
    constexpr unsigned items = merge_shape<K>::items, with_values = merge_room<K, V>::with_values;
    K *const to = &s.keys[(int)mine.first];
    unsigned short *const order = s.order + (with_values ? mine.first : 0);
#pragma unroll
    for (unsigned i = 0; i < items; i++)
        if (WHOLE || mine.first + i < mine.last) {
            to[i] = own[i];
            if constexpr (with_values)
                order[i] = (unsigned short)from[i];
        }
}

/* Neighbours are exchanged until all are in order. */
template <int items, class K, class Less>
__device__ void sort_few(K *own, unsigned *from, unsigned n, Less &less)
{
#pragma unroll
    for (int round = 0; round < items; round++) {
#pragma unroll
        for (int i = 0; i + 1 < items; i++)
            if (i % 2 == round % 2) {
                const bool swap = (unsigned)i + 1 < n && less(own[i + 1], own[i]);
                const K key = own[i];
                const unsigned at = from[i];
                own[i] = swap ? own[i + 1] : key;
                own[i + 1] = swap ? key : own[i + 1];
                from[i] = swap ? from[i + 1] : at;
                from[i + 1] = swap ? at : from[i + 1];
            }
    }
}

/* Where the tile's elements were: the first `count` from a on, the others from b on. */
template <class X> struct two_runs {
    const X *a, *b;
    unsigned count;
    __device__ two_runs(const X *p, size_t a, size_t b, unsigned count)
        : a(p + a), b(p + b - count), count(count)
    {
    }
    __device__ const X &operator[](unsigned i) const
    {
        return (i < count ? a : b)[i];
    }
};

/* The tile as it lies in s goes out; values by the order of their keys, read before any is written,
 * so that both may be the same memory. */
template <bool WHOLE, class K, class V>
__device__ void write_merged(merge_room<K, V> &s, const share &mine, K *keys_out,
                             const two_runs<V> &values, V *values_out)
{
    constexpr unsigned items = merge_shape<K>::items;
    const unsigned t = threadIdx.x;
    const K *const sorted = &s.keys[(int)t];
    K *const out = keys_out + mine.start + t;
#pragma unroll
    for (unsigned k = 0; k < items; k++)
        if (WHOLE || k * THREADS + t < mine.count)
            out[k * THREADS] = sorted[k * THREADS];
    if constexpr (has_values<V>::value) {
        const unsigned short *const order = s.order + t;
        V *const value_out = values_out + mine.start + t;
        if constexpr (small_key<V>::value) {
            V own[items];
#pragma unroll
            for (unsigned k = 0; k < items; k++)
                if (WHOLE || k * THREADS + t < mine.count)
                    own[k] = values[order[k * THREADS]];
            __syncthreads();
#pragma unroll
            for (unsigned k = 0; k < items; k++)
                if (WHOLE || k * THREADS + t < mine.count)
                    value_out[k * THREADS] = own[k];
        } else
            for (unsigned i = t; i < mine.count; i += THREADS)
                values_out[mine.start + i] = values[s.order[i]];
    }
}

/* Tiles by themselves. */
template <class K, class V, class Less>
__global__ void __launch_bounds__(THREADS, 3)
    sort_small_tiles(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                     Less less)
{
    __shared__ merge_room<K, V> s;
    constexpr unsigned items = merge_shape<K>::items;
    const share mine(n, blockIdx.x, items);
    const unsigned t = threadIdx.x;
    K own[items];
    unsigned from[items];
#pragma unroll
    for (unsigned k = 0; k < items; k++)
        if (k * THREADS + t < mine.count)
            own[k] = keys[mine.start + k * THREADS + t];
#pragma unroll
    for (unsigned k = 0; k < items; k++)
        if (k * THREADS + t < mine.count)
            s.keys[(int)(k * THREADS + t)] = own[k];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < items; k++) {
        from[k] = mine.first + k;
        if (mine.first + k < mine.last)
            own[k] = s.keys[(int)(mine.first + k)];
    }
    sort_few<(int)items>(own, from, mine.first < mine.last ? mine.last - mine.first : 0, less);
    __syncthreads();
    put_own<false>(s, mine, own, from);
    for (unsigned width = items; width < mine.count; width *= 2) {
        __syncthreads();
        const unsigned left = mine.first / (2 * width) * (2 * width);
        const unsigned right = left + width < mine.count ? left + width : mine.count;
        const unsigned end = right + width < mine.count ? right + width : mine.count;
        if (mine.first < mine.last) {
            merge_taken(s, left, right - left, right, end - right, mine.first - left, own, from,
                        less);
            if constexpr (has_values<V>::value)
#pragma unroll
                for (unsigned k = 0; k < items; k++)
                    if (mine.first + k < mine.last)
                        from[k] = s.order[from[k]];
        }
        __syncthreads();
        put_own<false>(s, mine, own, from);
    }
    __syncthreads();
    write_merged<false>(s, mine, keys_out, two_runs<V>(values, mine.start, mine.start, 0),
                        values_out);
}

/* Where each tile of what runs of `width` become begins: how many of the first run lie before. */
template <class K, class Less>
__global__ void split_tiles(const K *keys, size_t n, size_t width, size_t *splits, size_t tiles,
                            Less less)
{
    const size_t tile = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (tile >= tiles)
        return;
    const size_t start = tile * merge_shape<K>::size, left = start / (2 * width) * (2 * width);
    const size_t right = left + width < n ? left + width : n;
    const size_t end = right + width < n ? right + width : n;
    splits[tile] =
        merge_split(keys + left, right - left, keys + right, end - right, start - left, less);
}

/* The first na elements of the tile come from a on, the others from b on. */
template <bool WHOLE, class K, class V, class Less>
__device__ void merge_small_tile(merge_room<K, V> &s, const share &mine, const K *keys, K *keys_out,
                                 const V *values, V *values_out, size_t a, size_t b, unsigned na,
                                 Less &less)
{
    constexpr unsigned items = merge_shape<K>::items;
    const unsigned t = threadIdx.x;
    const two_runs<K> runs(keys, a, b, na);
    K *const read = &s.keys[(int)t];
    K own[items];
    unsigned from[items];
#pragma unroll
    for (unsigned k = 0; k < items; k++)
        if (WHOLE || k * THREADS + t < mine.count)
            own[k] = runs[k * THREADS + t];
#pragma unroll
    for (unsigned k = 0; k < items; k++)
        if (WHOLE || k * THREADS + t < mine.count)
            read[k * THREADS] = own[k];
    __syncthreads();
    if (WHOLE || mine.first < mine.last)
        merge_taken(s, 0, na, na, mine.count - na, mine.first, own, from, less);
    __syncthreads();
    put_own<WHOLE>(s, mine, own, from);
    __syncthreads();
    write_merged<WHOLE>(s, mine, keys_out, two_runs<V>(values, a, b, na), values_out);
}

template <class K, class V, class Less>
__global__ void __launch_bounds__(THREADS, 4)
    merge_small_tiles(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                      size_t width, const size_t *splits, Less less)
{
    __shared__ merge_room<K, V> s;
    constexpr unsigned items = merge_shape<K>::items;
    const share mine(n, blockIdx.x, items);
    const size_t left = mine.start / (2 * width) * (2 * width);
    const size_t right = left + width < n ? left + width : n;
    const size_t end = right + width < n ? right + width : n;
    const size_t split = splits[blockIdx.x];
    const size_t last = mine.start + mine.count == end ? right - left : splits[blockIdx.x + 1];
    const size_t a = left + split, b = right + (mine.start - left - split);
    const unsigned na = (unsigned)(last - split);
    if (mine.count == (unsigned)merge_shape<K>::size)
        merge_small_tile<true>(s, mine, keys, keys_out, values, values_out, a, b, na, less);
    else
        merge_small_tile<false>(s, mine, keys, keys_out, values, values_out, a, b, na, less);
}

/* As sort_merge. The result is in keys[0], where tiles can be sorted in place. */
template <class K, class V, class Less>
cudaError_t merge_small(workspace &w, K *const keys[2], V *const values[2], size_t n, Less less,
                        int *where, cudaStream_t stream)
{
    const size_t size = merge_shape<K>::size, tiles = (n + size - 1) / size;
    size_t *splits = w.take<size_t>(tiles + 1);
    *where = 0;
    if (w.counts() || n < 2)
        return cudaSuccess;
    int passes = 0;
    for (size_t width = size; width < n; width *= 2)
        passes++;
    constexpr bool in_place = !has_values<V>::value || small_key<V>::value;
    *where = in_place ? passes % 2 : 1;
    sort_small_tiles<K, V><<<(unsigned)tiles, THREADS, 0, stream>>>(
        (const K *)keys[0], keys[*where], (const V *)values[0], values[*where], n, less);
    for (size_t width = size; width < n; width *= 2, *where = !*where) {
        split_tiles<K><<<blocks_for(tiles, THREADS), THREADS, 0, stream>>>(
            (const K *)keys[*where], n, width, splits, tiles, less);
        merge_small_tiles<K, V><<<(unsigned)tiles, THREADS, 0, stream>>>(
            (const K *)keys[*where], keys[!*where], (const V *)values[*where], values[!*where], n,
            width, (const size_t *)splits, less);
    }
    return cudaPeekAtLastError();
}
} // namespace tern_parallel
