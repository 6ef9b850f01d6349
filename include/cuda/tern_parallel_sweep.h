/* Sorting by digits of eight bits where blocks progress: the digits of all places are counted in
 * one pass over the keys; then each place takes one pass, in which a tile's keys go to their places
 * at once. Where a digit's keys of a tile begin, its thread learns by looking back over the tiles.
 */
#pragma once
#include "tern_parallel_once.h"

namespace tern_parallel
{
enum {
    SWEEP_THREADS = 384,
    SWEEP_WARPS = SWEEP_THREADS / WARP,
    PLACES = 8,          /* at most: keys of 64 bits */
    SWEEP_OWN = 1 << 30, /* in the two highest bits: what kind of count the others are */
    SWEEP_COUNT = SWEEP_OWN - 1,
    COUNT_BLOCKS = 1024,
};

/* Keys of a tile: their largest part, key or value, fills no more than 43 KB. A unit has three
 * blocks of keys alone, two with values: digits and places are packed, so that registers do not
 * overflow. */
template <int bytes> struct sweep_tile {
    enum {
        items = bytes <= 4   ? 23
                : bytes <= 8 ? 14
                             : 7,
        size = SWEEP_THREADS * items,
    };
};

/* The places [from, to) of a key, eight bits each. */
struct digit_range {
    int from, to;
    bool down;
    __host__ __device__ int places() const
    {
        return (to - from + DIGIT_BITS - 1) / DIGIT_BITS;
    }
    __host__ __device__ digit at(int place) const
    {
        const int shift = from + place * DIGIT_BITS;
        return digit{shift, to - shift < DIGIT_BITS ? to - shift : DIGIT_BITS, down};
    }
};

/* counts[place][digit], of all keys. */
template <class K>
__global__ void __launch_bounds__(THREADS)
    count_all_digits(const K *keys, size_t n, unsigned long long *counts, digit_range range)
{
    enum { side = sizeof(K) < 16 ? 16 / sizeof(K) : 1, most = sizeof(K) };
    __shared__ unsigned sums[most][DIGITS];
    const unsigned t = threadIdx.x;
    const int places = range.places();
    for (int p = 0; p < places; p++)
        sums[p][t] = 0;
    __syncthreads();
    const auto count = [&](const K &key) {
#pragma unroll
        for (int p = 0; p < most; p++)
            if (p < places)
                atomicAdd(&sums[p][range.at(p).of(key)], 1u);
    };
    const size_t step = (size_t)gridDim.x * THREADS * side;
    for (size_t i = ((size_t)blockIdx.x * THREADS + t) * side; i < n; i += step) {
        K own[side];
        if (n - i >= side) {
            read_row<(int)side>(keys, i, own);
#pragma unroll
            for (int k = 0; k < side; k++)
                count(own[k]);
        } else
            for (; i < n; i++)
                count(keys[i]);
    }
    __syncthreads();
    for (int p = 0; p < places; p++)
        if (sums[p][t])
            atomicAdd(&counts[p * DIGITS + t], (unsigned long long)sums[p][t]);
}

/* Sums of what a block's first DIGITS threads have, before each: all threads call it. */
template <class T> __device__ T digits_before(T own, room<T, DIGITS / WARP> &warps)
{
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    T upto = own;
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2) {
        const T earlier = lane_below(upto, d);
        if (lane >= d)
            upto += earlier;
    }
    if (t < DIGITS && lane == WARP - 1)
        warps[(int)warp] = upto;
    __syncthreads();
    T sum = upto - own;
#pragma unroll
    for (unsigned w = 0; w < DIGITS / WARP; w++)
        if (w < warp)
            sum += warps[(int)w];
    return sum;
}

/* Counts become first places, a block for each place. */
template <class T> __global__ void __launch_bounds__(DIGITS) first_of_digits(T *counts)
{
    __shared__ room<T, DIGITS / WARP> warps;
    T *own = counts + blockIdx.x * DIGITS + threadIdx.x;
    *own = digits_before(*own, warps);
}

/* What a block knows of its tile: counts are not needed any more when its keys lie in memory. */
template <int bytes> struct sweep_places {
    union {
        unsigned counts[SWEEP_WARPS]
                       [DIGITS]; /* of a digit in a warp's part, then their first place */
        alignas(16) unsigned char memory[bytes];
    };
    unsigned long long to[DIGITS]; /* what turns a place in the tile into one in the range */
    room<unsigned, DIGITS / WARP> warps;
};

/* How many keys of digit t lie in the tiles before, of which AHEAD are asked at once. */
static __device__ inline unsigned look_back(const unsigned *states, size_t tile)
{
    enum { AHEAD = 4 };
    const volatile unsigned *at = states + tile * DIGITS + threadIdx.x;
    unsigned state[AHEAD], sum = 0;
    for (;;) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            state[k] = (size_t)k < tile ? at[-(k + 1) * (long)DIGITS] : 0;
        unsigned known = 0; /* those before the first that is not known yet */
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            if (known == (unsigned)k && state[k] & ~(unsigned)SWEEP_COUNT) {
                sum += state[k] & SWEEP_COUNT;
                if (!(state[k] & SWEEP_OWN))
                    return sum;
                known++;
            }
        tile -= known;
        at -= known * (long)DIGITS;
    }
}

/* Digits of a thread's keys, four in a register. */
template <int items> struct digits_of {
    unsigned words[(items + 3) / 4];
    __device__ void put(int k, unsigned digit)
    {
        words[k / 4] = k % 4 ? words[k / 4] + (digit << 8 * (k % 4)) : digit;
    }
    __device__ unsigned get(int k) const
    {
        return words[k / 4] >> 8 * (k % 4) & 255;
    }
};

/* Places of a thread's keys in the tile, two in a register. */
template <int items> struct places_of {
    unsigned words[(items + 1) / 2];
    __device__ void put(int k, unsigned place)
    {
        words[k / 2] = k % 2 ? words[k / 2] + (place << 16) : place;
    }
    __device__ unsigned get(int k) const
    {
        return k % 2 ? words[k / 2] >> 16 : words[k / 2] & 0xffff;
    }
};

/* Keys of each digit in the warp's part. */
template <int items, class S, class K>
__device__ void count_swept(S &s, const K *own, digit place, digits_of<items> &digits)
{
    unsigned *const counts = s.counts[threadIdx.x / WARP];
#pragma unroll
    for (int k = 0; k < items; k++) {
        const unsigned d = place.of(own[k]);
        digits.put(k, d);
        atomicAdd(&counts[d], 1u);
    }
}

/* As rank_digits; counts are first places, and go on behind the keys that have theirs. */
template <int items, class S>
__device__ void rank_swept(S &s, const digits_of<items> &digits, places_of<items> &ranks)
{
    const unsigned below = (1u << threadIdx.x % WARP) - 1;
    unsigned *const places = s.counts[threadIdx.x / WARP];
#pragma unroll
    for (int k = 0; k < items; k++) {
        const unsigned d = digits.get(k), lanes = lanes_with(d);
        const unsigned first = places[d];
        __syncwarp();
        if ((lanes & below) == 0) /* the first of them counts them all */
            places[d] = first + (unsigned)__popc(lanes);
        __syncwarp();
        ranks.put(k, first + (unsigned)__popc(lanes & below));
    }
}

/* Counts of digits become their places in the tile; those of the tile are published. Returns how
 * many have digit t, for t < DIGITS; past: elements past the end, with the last digit. */
template <class S>
__device__ unsigned place_swept(S &s, size_t tile, unsigned *states, unsigned past, unsigned last)
{
    const unsigned t = threadIdx.x;
    unsigned sum = 0;
    if (t < DIGITS) {
#pragma unroll
        for (unsigned w = 0; w < SWEEP_WARPS; w++) {
            const unsigned c = s.counts[w][t];
            s.counts[w][t] = sum;
            sum += c;
        }
        const unsigned whole = sum - (t == last ? past : 0);
        ((volatile unsigned *)states)[tile * DIGITS + t] =
            tile ? whole | SWEEP_OWN : whole | 2u * SWEEP_OWN;
    }
    const unsigned first = digits_before(sum, s.warps);
    if (t < DIGITS) {
#pragma unroll
        for (unsigned w = 0; w < SWEEP_WARPS; w++)
            s.counts[w][t] += first;
        s.to[t] = 0ull - first;
        sum -= t == last ? past : 0;
    }
    return sum;
}

/* f(k) for a thread's elements, `step` apart, that are there. */
template <int items, class F>
__device__ void each_there(bool whole, unsigned first, unsigned step, unsigned count, const F &f)
{
    if (whole) {
#pragma unroll
        for (int k = 0; k < items; k++)
            f(k);
    } else {
#pragma unroll
        for (int k = 0; k < items; k++)
            if (first + (unsigned)k * step < count)
                f(k);
    }
}

/* Keys go to their places in shared memory, and from there, neighbours beside each other, out; then
 * values through the same memory, unless they are large. A tile's counts are published before its
 * keys have their places, so that others seldom wait for them. bases: where digits begin; next:
 * where they go on, for the tiles of the next launch. */
template <class K, class V>
__global__ void __launch_bounds__(SWEEP_THREADS, has_values<V>::value ? 2 : 3)
    sweep_digits(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                 unsigned *counter, unsigned *states, const unsigned long long *bases,
                 unsigned long long *next, digit place)
{
    typedef sort_tile_of<K, V> moves;
    typedef sweep_tile<(int)moves::bytes> shape;
    constexpr int items = shape::items;
    __shared__ sweep_places<(int)moves::bytes * shape::size> s;
    K *const sorted = (K *)s.memory;
    const unsigned t = threadIdx.x, warp = t / WARP;
    for (unsigned i = t; i < SWEEP_WARPS * DIGITS; i += SWEEP_THREADS)
        s.counts[0][i] = 0;
    const size_t tile = next_tile(counter), start = tile * shape::size;
    const unsigned count =
        n - start < (size_t)shape::size ? (unsigned)(n - start) : (unsigned)shape::size;
    const unsigned first = warp * (WARP * items) + t % WARP;
    const bool whole = count == (unsigned)shape::size;
    const K *const from = keys + start + first;
    K own[items];
    places_of<items> ranks;
    if (!whole)
#pragma unroll
        for (int k = 0; k < items; k++)
            own[k] = last_key<K>(place.down); /* past the end: those that come last */
    each_there<items>(whole, first, WARP, count, [&](int k) { own[k] = from[k * WARP]; });
    digits_of<items> digits;
    count_swept<items>(s, own, place, digits);
    __syncthreads();
    const unsigned mine =
        place_swept(s, tile, states, (unsigned)shape::size - count, (1u << place.bits) - 1);
    __syncthreads();
    rank_swept<items>(s, digits, ranks);
    __syncthreads(); /* counts are read */
#pragma unroll
    for (int k = 0; k < items; k++)
        sorted[ranks.get(k)] = own[k];
    /* Values are on their way while the tiles before are asked. */
    constexpr bool early =
        moves::moved && std::is_default_constructible<V>::value && __is_trivially_copyable(V);
    const V *const values_from = has_values<V>::value ? values + start + first : values;
    typename std::conditional<early, V, char>::type value[items];
    if constexpr (early)
        each_there<items>(whole, first, WARP, count,
                          [&](int k) { value[k] = values_from[k * WARP]; });
    if (t < DIGITS) {
        const unsigned before = tile ? look_back(states, tile) : 0;
        if (tile)
            ((volatile unsigned *)states)[tile * DIGITS + t] = (before + mine) | 2u * SWEEP_OWN;
        const unsigned long long base = bases[t] + before;
        s.to[t] += base;
        if (start + count == n && next)
            next[t] = base + mine;
    }
    __syncthreads();
    K *const own_out = keys_out + t;
    each_there<items>(whole, t, SWEEP_THREADS, count, [&](int k) {
        const K key = (sorted + t)[k * SWEEP_THREADS];
        const unsigned d = place.of(key);
        digits.put(k, d);
        own_out[s.to[d] + (unsigned)k * SWEEP_THREADS] = key;
    });
    if constexpr (moves::moved) {
        V *const moved = (V *)s.memory, *const value_out = values_out + t;
        __syncthreads();
        each_there<items>(whole, first, WARP, count, [&](int k) {
            if constexpr (early)
                moved[ranks.get(k)] = value[k];
            else
                moved[ranks.get(k)] = values_from[k * WARP];
        });
        __syncthreads();
        each_there<items>(whole, t, SWEEP_THREADS, count, [&](int k) {
            value_out[s.to[digits.get(k)] + (unsigned)k * SWEEP_THREADS] =
                (moved + t)[k * SWEEP_THREADS];
        });
    } else if constexpr (has_values<V>::value) {
        each_there<items>(whole, first, WARP, count, [&](int k) {
            values_out[s.to[place.of(own[k])] + ranks.get(k)] = values_from[k * WARP];
        });
    }
}

/* As sort_digits. Counts between tiles have 30 bits: longer ranges are swept in several launches.
 */
template <class K, class V>
cudaError_t sweep(workspace &w, const K *in, const V *values_in, K *const keys[2],
                  V *const values[2], size_t n, int from, int to, bool down, int *where,
                  cudaStream_t stream)
{
    typedef sweep_tile<(int)sort_tile_of<K, V>::bytes> shape;
    enum { HEAD = 256 };
    const size_t size = shape::size, portion = (1u << 29) / size * size;
    const size_t most = n < portion ? n : portion, tiles = (most + size - 1) / size;
    const digit_range range = {from, to, down};
    const size_t bases_bytes = (PLACES + 2) * DIGITS * sizeof(unsigned long long);
    const size_t state_bytes = HEAD + tiles * DIGITS * sizeof(unsigned);
    unsigned long long *bases = w.take<unsigned long long>((PLACES + 2) * DIGITS);
    char *state = w.take<char>(state_bytes);
    *where = range.places() > 0 && n ? range.places() % 2 : 0;
    if (w.counts() || !n || from >= to)
        return cudaSuccess;
    cudaError_t e = cudaMemsetAsync(bases, 0, bases_bytes, stream);
    unsigned blocks = blocks_for(n, (size_t)THREADS * 16);
    blocks = blocks < COUNT_BLOCKS ? blocks : (unsigned)COUNT_BLOCKS;
    count_all_digits<K><<<blocks, THREADS, 0, stream>>>(in, n, bases, range);
    first_of_digits<unsigned long long><<<range.places(), DIGITS, 0, stream>>>(bases);
    for (int p = 0, at = 0; p < range.places() && !e; p++, at = !at) {
        const K *source = p ? keys[at] : in;
        const V *source_values = p ? values[at] : values_in;
        unsigned long long *now = bases + p * DIGITS;
        for (size_t start = 0, turn = 0; start < n && !e; start += portion, turn++) {
            const size_t count = n - start < portion ? n - start : portion;
            unsigned long long *next =
                count < n - start ? bases + (PLACES + turn % 2) * DIGITS : nullptr;
            e = cudaMemsetAsync(
                state, 0, HEAD + (count + size - 1) / size * DIGITS * sizeof(unsigned), stream);
            sweep_digits<K, V><<<(unsigned)((count + size - 1) / size), SWEEP_THREADS, 0, stream>>>(
                source + start, keys[!at],
                has_values<V>::value ? source_values + start : source_values, values[!at], count,
                (unsigned *)state, (unsigned *)(state + HEAD), now, next, range.at(p));
            now = next;
        }
    }
    return e ? e : cudaPeekAtLastError();
}
} // namespace tern_parallel
