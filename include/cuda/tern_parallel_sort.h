/* Sorting ranges in device memory: numbers by their digits, everything else by merging. */
#pragma once
#include "tern_parallel.h"

namespace tern_parallel
{
/* ---- sorting by digits ---- */

template <int size> struct unsigned_of;
template <> struct unsigned_of<1> {
    typedef unsigned char type;
};
template <> struct unsigned_of<2> {
    typedef unsigned short type;
};
template <> struct unsigned_of<4> {
    typedef unsigned type;
};
template <> struct unsigned_of<8> {
    typedef unsigned long long type;
};
/* As far as sorting goes; the words are what a 128-bit integer is made of. */
struct wide_bits {
    unsigned long long low, high;
    __host__ __device__ unsigned long long operator>>(int n) const
    {
        return n >= 64 ? high >> (n - 64) : n ? low >> n | high << (64 - n) : low;
    }
};
template <> struct unsigned_of<16> {
    typedef wide_bits type;
};

/* Is it ordered as a floating number's bits are? */
template <class K> struct is_float_key : std::is_floating_point<K> {
};

/* A key as an unsigned number with the same order. */
template <class K> struct key_bits {
    typedef typename unsigned_of<sizeof(K)>::type U;
    __host__ __device__ static U of(const K &k)
    {
        if constexpr (sizeof(K) == 16) {
            U u;
            memcpy(&u, &k, sizeof u);
            u.high ^= K(-1) < K(1) ? 1ull << 63 : 0;
            return u;
        } else
            return narrow(k);
    }

  private:
    __host__ __device__ static U narrow(const K &k)
    {
        const U top = (U)((U)1 << (sizeof(U) * 8 - 1));
        if constexpr (is_float_key<K>::value) { /* floating: −0 is 0, and negative ones are backwards */
            U u;
            memcpy(&u, &k, sizeof u);
            if (u == top)
                u = 0;
            return u & top ? (U)~u : (U)(u | top);
        } else if constexpr (K(-1) < K(1)) {
            return (U)((U)k ^ top);
        } else {
            return (U)k;
        }
    }
};

/* A key that no other one comes after, or, where the order is down, before. */
template <class K> __device__ K last_key(bool down)
{
    typedef typename unsigned_of<sizeof(K)>::type U;
    if constexpr (std::is_same<K, bool>::value) {
        return !down;
    } else if constexpr (sizeof(K) == 16) {
        const unsigned long long all = down ? 0 : ~0ull;
        const U u = {all, all ^ (K(-1) < K(1) ? 1ull << 63 : 0)};
        K k;
        memcpy(&k, &u, sizeof k);
        return k;
    } else {
        U u = down ? (U)0 : (U) ~(U)0;
        const U top = (U)((U)1 << (sizeof(U) * 8 - 1));
        if constexpr (is_float_key<K>::value)
            u = down ? (U) ~(U)0 : (U)~top;
        else if constexpr (K(-1) < K(1))
            u = (U)(u ^ top);
        K k;
        memcpy(&k, &u, sizeof k);
        return k;
    }
}

template <> struct key_bits<bool> {
    __host__ __device__ static unsigned char of(bool k)
    {
        return k;
    }
};

struct digit {
    int shift, bits;
    bool down;
    template <class K> __host__ __device__ unsigned of(const K &k) const
    {
        const unsigned d = (unsigned)(key_bits<K>::of(k) >> shift), mask = (1u << bits) - 1;
        return (d ^ (down ? ~0u : 0u)) & mask;
    }
};

template <class V> struct has_values {
    enum { value = 1 };
};
template <> struct has_values<no_values> {
    enum { value = 0 };
};

enum { DIGIT_BITS = 8, DIGITS = 256 };

/* Keys of a tile: as many as shared memory has room for, and no more than 16 to a thread. */
template <int bytes> struct sort_tile {
    enum {
        wanted = TILE_BYTES / (THREADS * bytes),
        items = wanted < 1    ? 1
                : wanted > 16 ? 16
                              : wanted,
        size = THREADS * items,
    };
};
template <class K, class V> struct sort_tile_of {
    enum {
        moved = has_values<V>::value && sizeof(V) <= 16, /* values go through shared memory */
        bytes = moved && sizeof(V) > sizeof(K) ? sizeof(V) : sizeof(K),
    };
    typedef sort_tile<(int)bytes> type;
};

template <class Tile, class K>
__global__ void count_digits(const K *keys, size_t n, unsigned *counts, digit place)
{
    __shared__ unsigned sums[DIGITS];
    const unsigned t = threadIdx.x;
    sums[t] = 0;
    __syncthreads();
    const share mine(n, blockIdx.x, Tile::items);
    if (mine.count == (unsigned)Tile::size) {
        K own[Tile::items];
#pragma unroll
        for (unsigned k = 0; k < (unsigned)Tile::items; k++)
            own[k] = keys[mine.start + k * THREADS + t];
#pragma unroll
        for (unsigned k = 0; k < (unsigned)Tile::items; k++)
            atomicAdd(&sums[place.of(own[k])], 1u);
    } else
        for (unsigned i = t; i < mine.count; i += THREADS)
            atomicAdd(&sums[place.of(keys[mine.start + i])], 1u);
    __syncthreads();
    counts[(size_t)t * gridDim.x + blockIdx.x] = sums[t];
}

/* The lanes of a warp that have the same digit. */
static __device__ inline unsigned lanes_with(unsigned d)
{
    unsigned lanes = ~0u;
#pragma unroll
    for (unsigned b = 0; b < DIGIT_BITS; b++) {
        const bool bit = (d & 1u << b) != 0;
        lanes &= __ballot_sync(~0u, bit) ^ (bit ? 0u : ~0u);
    }
    return lanes;
}
/* What a block knows of its tile while it sorts it by one digit. */
struct digit_places {
    unsigned counts[WARPS][DIGITS]; /* keys of a digit in a warp's part, then their first place */
    unsigned to[DIGITS];            /* what turns a place in the tile into one in the range */
    room<unsigned, THREADS> a, b;
};

/* Each warp has a part of the tile, in order: a key's place is after those of smaller digits, those
 * of its digit in warps before, and those of its digit before it in its warp. ranks[k]: the last.
 */
template <int items>
__device__ void rank_digits(digit_places &s, const unsigned *digits, unsigned *ranks)
{
    const unsigned t = threadIdx.x, warp = t / WARP, below = (1u << t % WARP) - 1;
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++)
        s.counts[w][t] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; k++) {
        const unsigned d = digits[k], lanes = lanes_with(d);
        const unsigned had = s.counts[warp][d];
        __syncwarp();
        if ((lanes & below) == 0) /* the first of them counts them all */
            s.counts[warp][d] = had + (unsigned)__popc(lanes);
        __syncwarp();
        ranks[k] = had + (unsigned)__popc(lanes & below);
    }
    __syncthreads();
}

/* counts become first places; thread t has digit t. */
static __device__ inline void place_digits(digit_places &s, const unsigned *places)
{
    const unsigned t = threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++) {
        const unsigned c = s.counts[w][t];
        s.counts[w][t] = sum;
        sum += c;
    }
    s.a[t] = sum;
    scan_room(s.a, s.b, THREADS, add());
    const unsigned first = t ? s.a[t - 1] : 0;
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++)
        s.counts[w][t] += first;
    s.to[t] = places[(size_t)t * gridDim.x + blockIdx.x] - first;
    __syncthreads();
}

/* Keys go to their places in shared memory, and from there, neighbours beside each other, out; then
 * values through the same memory, unless they are large. */
template <class Tile, class K, class V>
__global__ void put_digits(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                           const unsigned *places, digit place)
{
    constexpr int items = Tile::items;
    __shared__ digit_places s;
    __shared__ alignas(16) unsigned char memory[(int)sort_tile_of<K, V>::bytes * Tile::size];
    K *const sorted = (K *)memory;
    const unsigned t = threadIdx.x, warp = t / WARP;
    const share mine(n, blockIdx.x, items);
    const unsigned first = warp * (WARP * items) + t % WARP;
    K own[items];
    unsigned digits[items], ranks[items];
#pragma unroll
    for (int k = 0; k < items; k++) { /* what is past the end has the last digit and comes last */
        const unsigned i = first + (unsigned)k * WARP;
        digits[k] = DIGITS - 1;
        if (i < mine.count) {
            own[k] = keys[mine.start + i];
            digits[k] = place.of(own[k]);
        }
    }
    rank_digits<items>(s, digits, ranks);
    place_digits(s, places);
#pragma unroll
    for (int k = 0; k < items; k++) {
        ranks[k] += s.counts[warp][digits[k]];
        if (first + (unsigned)k * WARP < mine.count)
            sorted[ranks[k]] = own[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; k++) {
        const unsigned i = (unsigned)k * THREADS + t;
        if (i < mine.count) {
            const K key = sorted[i];
            digits[k] = s.to[place.of(key)] + i;
            keys_out[digits[k]] = key;
        }
    }
    if constexpr (sort_tile_of<K, V>::moved) {
        V *const moved = (V *)memory;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < items; k++) {
            const unsigned i = first + (unsigned)k * WARP;
            if (i < mine.count)
                moved[ranks[k]] = values[mine.start + i];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < items; k++) {
            const unsigned i = (unsigned)k * THREADS + t;
            if (i < mine.count)
                values_out[digits[k]] = moved[i];
        }
    } else if constexpr (has_values<V>::value) {
#pragma unroll
        for (int k = 0; k < items; k++) {
            const unsigned i = first + (unsigned)k * WARP;
            if (i < mine.count)
                values_out[s.to[place.of(own[k])] + ranks[k]] = values[mine.start + i];
        }
    }
}

/* ---- the same by chunks ---- */

template <class K>
__global__ void chunk_digits(const K *keys, chunks c, size_t *counts, digit place)
{
    __shared__ size_t sums[DIGITS];
    for (unsigned d = 0; d < DIGITS; d++)
        sums[d] = 0;
    const size_t last = c.last();
    for (size_t i = c.first(); i < last; i++)
        sums[place.of(keys[i])]++;
    for (unsigned d = 0; d < DIGITS; d++)
        counts[(size_t)d * gridDim.x + blockIdx.x] = sums[d];
}

template <class T> __global__ void chunk_places(T *counts, unsigned n)
{
    T sum = 0;
    for (unsigned i = 0; i < n; i++) {
        const T count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

template <class K, class V>
__global__ void put_chunk_digits(const K *keys, K *keys_out, const V *values, V *values_out,
                                 chunks c, const size_t *places, digit place)
{
    __shared__ size_t to[DIGITS];
    for (unsigned d = 0; d < DIGITS; d++)
        to[d] = places[(size_t)d * gridDim.x + blockIdx.x];
    const size_t last = c.last();
    for (size_t i = c.first(); i < last; i++) {
        const K key = keys[i];
        const size_t at = to[place.of(key)]++;
        keys_out[at] = key;
        if constexpr (has_values<V>::value)
            values_out[at] = values[i];
    }
}

template <class K, class V>
cudaError_t sort_chunk_digits(workspace &w, const K *in, const V *values_in, K *const keys[2],
                              V *const values[2], size_t n, int from, int to, bool down, int *where,
                              cudaStream_t stream)
{
    const chunks c(n);
    size_t *counts = w.take<size_t>((size_t)c.count() * DIGITS);
    *where = 0;
    for (int shift = from; n && shift < to; shift += DIGIT_BITS, *where = !*where) {
        const digit place = {shift, to - shift < DIGIT_BITS ? to - shift : DIGIT_BITS, down};
        const K *source = shift == from ? in : keys[*where];
        const V *source_values = shift == from ? values_in : values[*where];
        if (w.counts())
            continue;
        chunk_digits<K><<<c.count(), 1, 0, stream>>>(source, c, counts, place);
        chunk_places<size_t><<<1, 1, 0, stream>>>(counts, c.count() * DIGITS);
        put_chunk_digits<K, V><<<c.count(), 1, 0, stream>>>(source, keys[!*where], source_values,
                                                            values[!*where], c,
                                                            (const size_t *)counts, place);
    }
    return w.counts() ? cudaSuccess : cudaPeekAtLastError();
}

template <class K, class V>
cudaError_t sweep(workspace &w, const K *in, const V *values_in, K *const keys[2],
                  V *const values[2], size_t n, int from, int to, bool down, int *where,
                  cudaStream_t stream); /* tern_parallel_sweep.h */

template <class K, class V>
cudaError_t sort_tile_digits(workspace &w, const K *in, const V *values_in, K *const keys[2],
                             V *const values[2], size_t n, int from, int to, bool down, int *where,
                             cudaStream_t stream)
{
    typedef typename sort_tile_of<K, V>::type Tile;
    const size_t tiles = (n + Tile::size - 1) / Tile::size;
    unsigned *counts = w.take<unsigned>(tiles * DIGITS);
    const workspace here = w;
    *where = 0;
    if (n > ~0u)
        return cudaErrorInvalidValue; /* places are counted in 32 bits */
    for (int shift = from; n && shift < to; shift += DIGIT_BITS) {
        const digit place = {shift, to - shift < DIGIT_BITS ? to - shift : DIGIT_BITS, down};
        const K *source = shift == from ? in : keys[*where];
        const V *source_values = shift == from ? values_in : values[*where];
        w = here;
        if (!w.counts())
            count_digits<Tile, K>
                <<<(unsigned)tiles, THREADS, 0, stream>>>(source, n, counts, place);
        scan<true, unsigned>(w, counts, counts, tiles * DIGITS, add(), start_value<unsigned>{0},
                             stream);
        if (!w.counts())
            put_digits<Tile, K, V><<<(unsigned)tiles, THREADS, 0, stream>>>(
                source, keys[!*where], source_values, values[!*where], n, counts, place);
        *where = !*where;
    }
    return w.counts() ? cudaSuccess : cudaPeekAtLastError();
}

/* Sorts what in and values_in have into keys[1], keys[0] and so on in turn, and the values beside
 * them: *where says which has them in the end. By the bits [from, to) of the key alone; equal keys
 * keep their order. in may be keys[0]; with no bits, it must be. */
template <class K, class V>
cudaError_t sort_digits(workspace &w, const K *in, const V *values_in, K *const keys[2],
                        V *const values[2], size_t n, int from, int to, bool down, int *where,
                        cudaStream_t stream)
{
    if constexpr (!CHUNKS_ONLY) {
        if (blocks_progress())
            return sweep(w, in, values_in, keys, values, n, from, to, down, where, stream);
        if (!on_processor())
            return sort_tile_digits(w, in, values_in, keys, values, n, from, to, down, where,
                                    stream);
    }
    return sort_chunk_digits(w, in, values_in, keys, values, n, from, to, down, where, stream);
}

/* ---- sorting by comparison: runs of equal length are merged in pairs ---- */

template <class K, class V, class Less> struct merge_each {
    const K *keys;
    K *keys_out;
    const V *values;
    V *values_out;
    size_t n, width;
    Less less;
    __host__ __device__ void operator()(size_t i)
    {
        const size_t left = i / (2 * width) * (2 * width);
        const size_t right = left + width < n ? left + width : n;
        const size_t end = right + width < n ? right + width : n;
        const size_t to = i < right ? i + (lower_place(keys, right, end, keys[i], less) - right)
                                    : i - right + upper_place(keys, left, right, keys[i], less);
        keys_out[to] = keys[i];
        if constexpr (has_values<V>::value)
            values_out[to] = values[i];
    }
};

/* Where the first `diagonal` of what two sorted ranges become together comes from: how many of a.
 * Of equal ones those of a come first. */
template <class A, class B, class Less>
__host__ __device__ size_t merge_split(A a, size_t na, B b, size_t nb, size_t diagonal, Less less)
{
    size_t from = diagonal > nb ? diagonal - nb : 0, to = diagonal < na ? diagonal : na;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (less(b[diagonal - 1 - middle], a[middle]))
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* A tile of large keys that is sorted, or merged, in shared memory. Elements move by their numbers,
 * so that keys and values are moved once. */
template <class K> struct merge_tile {
    enum {
        wanted = TILE_BYTES / (THREADS * (sizeof(K) + 2)),
        items = wanted >= 8   ? 8
                : wanted >= 4 ? 4
                : wanted >= 2 ? 2
                              : 1,
        size = THREADS * items,
        fits = wanted >= 1,
    };
    room<K, size> keys;
    unsigned short order[2][size];
};

/* Keys that a thread keeps in registers while it compares them. */
template <class K> struct small_key {
    enum { value = sizeof(K) <= 16 && __is_trivial(K) };
};

/* Each thread merges `count` elements of two runs of the tile's order. FRESH: the order is that of
 * the keys themselves. */
template <bool FRESH, class K, class Less>
__device__ void merge_own(merge_tile<K> &s, int from, unsigned a, unsigned na, unsigned b,
                          unsigned nb, unsigned diagonal, unsigned to, unsigned count, Less less)
{
    const unsigned short *order = s.order[from];
    const auto place = [&](unsigned at) { return FRESH ? at : (unsigned)order[at]; };
    unsigned i = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (i < high) { /* as merge_split */
        const unsigned middle = (i + high) / 2;
        if (less(s.keys[(int)place(b + diagonal - 1 - middle)], s.keys[(int)place(a + middle)]))
            high = middle;
        else
            i = middle + 1;
    }
    unsigned k = diagonal - i;
    for (unsigned at = 0; at < count; at++) {
        const bool second =
            i >= na || (k < nb && less(s.keys[(int)place(b + k)], s.keys[(int)place(a + i)]));
        s.order[!from][to + at] = (unsigned short)(second ? place(b + k) : place(a + i));
        i += second ? 0 : 1;
        k += second ? 1 : 0;
    }
}

/* Tiles by themselves: runs of 1, 2, 4, … are merged until the tile is one. */
template <class K, class V, class Less>
__global__ void sort_tiles(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                           Less less)
{
    typedef merge_tile<K> tile_type;
    __shared__ tile_type s;
    constexpr unsigned items = tile_type::items;
    const share mine(n, blockIdx.x, items);
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < mine.count; i += THREADS) {
        s.keys[(int)i] = keys[mine.start + i];
        s.order[0][i] = (unsigned short)i;
    }
    int from = 0;
    for (unsigned width = 1; width < mine.count; width *= 2, from = !from) {
        __syncthreads();
        for (unsigned at = mine.first; at < mine.last;) {
            const unsigned left = at / (2 * width) * (2 * width);
            const unsigned right = left + width < mine.count ? left + width : mine.count;
            const unsigned end = right + width < mine.count ? right + width : mine.count;
            const unsigned stop = end < mine.last ? end : mine.last;
            merge_own<false>(s, from, left, right - left, right, end - right, at - left, at,
                             stop - at, less);
            at = stop;
        }
    }
    __syncthreads();
    for (unsigned i = t; i < mine.count; i += THREADS) {
        const unsigned k = s.order[from][i];
        keys_out[mine.start + i] = s.keys[(int)k];
        if constexpr (has_values<V>::value)
            values_out[mine.start + i] = values[mine.start + k];
    }
}

/* A tile of what two runs of `width` become: its part of each is found, read and merged. */
template <class K, class V, class Less>
__global__ void merge_tiles(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                            size_t width, Less less)
{
    typedef merge_tile<K> tile_type;
    __shared__ tile_type s;
    __shared__ size_t splits[2];
    constexpr unsigned items = tile_type::items;
    const share mine(n, blockIdx.x, items);
    const unsigned t = threadIdx.x;
    const size_t left = mine.start / (2 * width) * (2 * width);
    const size_t right = left + width < n ? left + width : n;
    const size_t end = right + width < n ? right + width : n;
    if (t < 2)
        splits[t] = merge_split(keys + left, right - left, keys + right, end - right,
                                mine.start - left + (t ? mine.count : 0), less);
    __syncthreads();
    const size_t a = left + splits[0], b = right + (mine.start - left - splits[0]);
    const unsigned na = (unsigned)(splits[1] - splits[0]), nb = mine.count - na;
    for (unsigned i = t; i < mine.count; i += THREADS) {
        s.keys[(int)i] = keys[i < na ? a + i : b + (i - na)];
    }
    __syncthreads();
    if (mine.first < mine.last)
        merge_own<true>(s, 0, 0, na, na, nb, mine.first, mine.first, mine.last - mine.first, less);
    __syncthreads();
    for (unsigned i = t; i < mine.count; i += THREADS) {
        const unsigned k = s.order[1][i];
        keys_out[mine.start + i] = s.keys[(int)k];
        if constexpr (has_values<V>::value)
            values_out[mine.start + i] = values[k < na ? a + k : b + (k - na)];
    }
}

/* The elements [first, last) of what two runs of `width` become, one after the other. */
template <class K, class V, class Less>
__device__ void merge_part(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                           size_t width, size_t first, size_t last, Less less)
{
    const size_t left = first / (2 * width) * (2 * width);
    const size_t right = left + width < n ? left + width : n;
    const size_t end = right + width < n ? right + width : n;
    size_t a = left + merge_split(keys + left, right - left, keys + right, end - right,
                                  first - left, less);
    size_t b = right + (first - a);
    for (size_t i = first; i < last; i++) {
        const size_t k = a >= right || (b < end && less(keys[b], keys[a])) ? b++ : a++;
        keys_out[i] = keys[k];
        if constexpr (has_values<V>::value)
            values_out[i] = values[k];
    }
}

/* Chunks by themselves, from the one range to the other and back for each doubling from RUN to the
 * size of a chunk. */
template <class K, class V, class Less>
__global__ void sort_chunks(K *keys, K *more, V *values, V *more_values, chunks c, Less less)
{
    const size_t first = c.first(), last = c.last(), n = last - first;
    K *from = keys + first, *to = more + first;
    V *values_from = values + first, *values_to = more_values + first;
    enum { RUN = 8 }; /* by insertion */
    for (size_t start = 0; start < n; start += RUN)
        for (size_t i = start + 1; i < start + RUN && i < n; i++) {
            const K key = from[i];
            V value;
            if constexpr (has_values<V>::value)
                value = values_from[i];
            size_t k = i;
            for (; k > start && less(key, from[k - 1]); k--) {
                from[k] = from[k - 1];
                if constexpr (has_values<V>::value)
                    values_from[k] = values_from[k - 1];
            }
            from[k] = key;
            if constexpr (has_values<V>::value)
                values_from[k] = value;
        }
    for (size_t width = RUN; width < c.size; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width)
            merge_part(from, to, values_from, values_to, n, width, at,
                       at + 2 * width < n ? at + 2 * width : n, less);
        K *k = from;
        V *v = values_from;
        from = to;
        values_from = values_to;
        to = k;
        values_to = v;
    }
}

template <class K, class V, class Less>
__global__ void merge_chunks(const K *keys, K *keys_out, const V *values, V *values_out, chunks c,
                             size_t width, Less less)
{
    merge_part(keys, keys_out, values, values_out, c.n, width, c.first(), c.last(), less);
}

template <class K, class V, class Less>
cudaError_t merge_by_chunks(K *const keys[2], V *const values[2], size_t n, Less less, int *where,
                            cudaStream_t stream)
{
    chunks c(n);
    size_t size = 8; /* a power of two, so that runs of chunks pair up */
    *where = 0;
    for (; size < c.size; size *= 2)
        *where = !*where;
    c.size = size;
    if (n > 1)
        sort_chunks<K, V>
            <<<c.count(), 1, 0, stream>>>(keys[0], keys[1], values[0], values[1], c, less);
    else
        *where = 0;
    for (size_t width = size; width < n; width *= 2, *where = !*where)
        merge_chunks<K, V><<<c.count(), 1, 0, stream>>>(keys[*where], keys[!*where], values[*where],
                                                        values[!*where], c, width, less);
    return cudaPeekAtLastError();
}

template <class K, class V, class Less>
cudaError_t merge_large(K *const keys[2], V *const values[2], size_t n, Less less, int *where,
                        cudaStream_t stream)
{
    *where = 0;
    if constexpr (merge_tile<K>::fits) {
        const size_t size = merge_tile<K>::size;
        const unsigned tiles = (unsigned)((n + size - 1) / size);
        if (n > 1) {
            sort_tiles<K, V>
                <<<tiles, THREADS, 0, stream>>>(keys[0], keys[1], values[0], values[1], n, less);
            *where = 1;
        }
        for (size_t width = size; width < n; width *= 2, *where = !*where)
            merge_tiles<K, V><<<tiles, THREADS, 0, stream>>>(
                keys[*where], keys[!*where], values[*where], values[!*where], n, width, less);
    } else
        for (size_t width = 1; width < n; width *= 2, *where = !*where)
            each(merge_each<K, V, Less>{keys[*where], keys[!*where], values[*where],
                                        values[!*where], n, width, less},
                 n, stream);
    return cudaPeekAtLastError();
}

template <class K, class V, class Less>
cudaError_t merge_small(workspace &w, K *const keys[2], V *const values[2], size_t n, Less less,
                        int *where, cudaStream_t stream); /* tern_parallel_merge.h */

/* Sorts keys[0], and values[0] beside it; *where says which of the two has the result. Equal keys
 * keep their order. */
template <class K, class V, class Less>
cudaError_t sort_merge(workspace &w, K *const keys[2], V *const values[2], size_t n, Less less,
                       int *where, cudaStream_t stream)
{
    *where = 0;
    if constexpr (!CHUNKS_ONLY) {
        if (!on_processor()) {
            if constexpr (small_key<K>::value)
                return merge_small(w, keys, values, n, less, where, stream);
            else
                return w.counts() ? cudaSuccess : merge_large(keys, values, n, less, where, stream);
        }
    }
    return w.counts() ? cudaSuccess : merge_by_chunks(keys, values, n, less, where, stream);
}
} // namespace tern_parallel
#include "tern_parallel_merge.h"
#include "tern_parallel_sweep.h"
