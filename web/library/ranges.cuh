/* Scans and sorts of ranges for the package. A processor goes through chunks, by the kernels that Thrust's and CUB's are made of. GPUs have
 * kernels of their own here: with nothing that warps do together, which shaders may lack, with counts of 32 bits, and in 11 KB of shared
 * memory. */
#pragma once
#include "tern_parallel_sort.h"

enum { PAGE_THREADS = 256, PAGE_ITEMS = 4, PAGE_TILE = PAGE_THREADS * PAGE_ITEMS, PAGE_BITS = 4, PAGE_DIGITS = 16 };
static_assert(tern_parallel::DIGITS == 256 && tern_parallel::DIGIT_BITS == 8 && PAGE_TILE == 1024, "library.js has these");
static_assert(sizeof(tern_parallel::chunks) == 16 && sizeof(tern_parallel::digit) == 12, "library.js writes these");

struct page_sum {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct page_min {
    template <class T> __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
struct page_max {
    template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

/* What threads up to this one have, by op; a[t] is that of thread t then. A step reads the one array and writes the other. */
template <class T, class Op> __device__ __forceinline__ T page_up_to(T mine, T *a, T *b, Op op)
{
    const unsigned t = threadIdx.x;
    a[t] = mine;
    for (unsigned d = 1; d < PAGE_THREADS; d *= 4) {
        __syncthreads();
        if (t >= d)
            mine = op(a[t - d], mine);
        b[t] = mine;
        __syncthreads();
        if (t >= 2 * d)
            mine = op(b[t - 2 * d], mine);
        a[t] = mine;
    }
    __syncthreads();
    return mine;
}

/* `neutral` op x is x. Each tile's sum. */
template <class T, class Op> __global__ void page_tile_sums(const T *in, unsigned n, T *sums, T neutral)
{
    __shared__ T a[PAGE_THREADS];
    const unsigned t = threadIdx.x, first = blockIdx.x * PAGE_TILE;
    Op op;
    T sum = neutral;
    for (unsigned k = 0; k < PAGE_ITEMS; k++)
        if (first + k * PAGE_THREADS + t < n)
            sum = op(sum, in[first + k * PAGE_THREADS + t]);
    a[t] = sum;
    for (unsigned d = PAGE_THREADS / 2; d; d /= 2) {
        __syncthreads();
        if (t < d)
            a[t] = op(a[t], a[t + d]);
    }
    if (t == 0)
        sums[blockIdx.x] = a[0];
}

/* Sums become what all before them come to: one block. */
template <class T, class Op> __global__ void page_carries(T *sums, unsigned n, T neutral)
{
    __shared__ T a[PAGE_THREADS], b[PAGE_THREADS];
    const unsigned t = threadIdx.x;
    Op op;
    T carry = neutral;
    for (unsigned first = 0; first < n; first += PAGE_THREADS) {
        const unsigned i = first + t;
        page_up_to(i < n ? sums[i] : neutral, a, b, op);
        const T before = t ? op(carry, a[t - 1]) : carry, all = a[PAGE_THREADS - 1];
        if (i < n)
            sums[i] = before;
        carry = op(carry, all);
        __syncthreads();
    }
}

/* carries: of tiles, from `start` on if there is one tile only. in may be out. */
template <class T, class Op> __global__ void page_scan(const T *in, T *out, unsigned n, const T *carries, int many, T start, T neutral, int exclusive)
{
    __shared__ T a[PAGE_THREADS], b[PAGE_THREADS];
    const unsigned t = threadIdx.x, first = blockIdx.x * PAGE_TILE + t * PAGE_ITEMS;
    Op op;
    T own[PAGE_ITEMS], sum = neutral;
#pragma unroll
    for (unsigned k = 0; k < PAGE_ITEMS; k++) {
        own[k] = first + k < n ? in[first + k] : neutral;
        sum = op(sum, own[k]);
    }
    page_up_to(sum, a, b, op);
    T before = start;
    if (many)
        before = op(before, carries[blockIdx.x]);
    if (t)
        before = op(before, a[t - 1]);
#pragma unroll
    for (unsigned k = 0; k < PAGE_ITEMS; k++) {
        const T with = op(before, own[k]);
        if (first + k < n)
            out[first + k] = exclusive ? before : with;
        before = with;
    }
}

/* ---- sorting by four bits ---- */

template <class K> __device__ __forceinline__ unsigned page_digit(K key, unsigned shift, unsigned flip)
{
    return ((tern_parallel::key_bits<K>::of(key) ^ flip) >> shift) & (PAGE_DIGITS - 1);
}

/* How many keys of each digit a tile has; flip: all ones, to sort downwards. */
template <class K> __global__ void page_digits(const K *keys, unsigned n, unsigned *counts, unsigned shift, unsigned flip)
{
    __shared__ unsigned sums[PAGE_DIGITS];
    const unsigned t = threadIdx.x, first = blockIdx.x * PAGE_TILE;
    if (t < PAGE_DIGITS)
        sums[t] = 0;
    __syncthreads();
    for (unsigned k = 0; k < PAGE_ITEMS; k++)
        if (first + k * PAGE_THREADS + t < n)
            atomicAdd(&sums[page_digit(keys[first + k * PAGE_THREADS + t], shift, flip)], 1u);
    __syncthreads();
    if (t < PAGE_DIGITS)
        counts[t * gridDim.x + blockIdx.x] = sums[t];
}

/* Keys to their places, and values beside them. A thread has four neighbours. Counts of digits are pairs of 16 bits, of d and of d + 8:
 * word d * 256 + t is thread t's, so what is before it in the array comes before it in the tile. */
template <class K, bool PAIRS>
__global__ void page_put(const K *keys, K *keys_out, const unsigned *values, unsigned *values_out, unsigned n, const unsigned *places, unsigned shift, unsigned flip)
{
    enum { HALF = PAGE_DIGITS / 2 };
    __shared__ unsigned counts[HALF * PAGE_THREADS], a[PAGE_THREADS], b[PAGE_THREADS];
    const unsigned t = threadIdx.x, first = blockIdx.x * PAGE_TILE + t * PAGE_ITEMS;
    K key[PAGE_ITEMS];
    unsigned digit[PAGE_ITEMS], rank[PAGE_ITEMS], low = 0, high = 0, own[HALF], sum = 0;
#pragma unroll
    for (unsigned k = 0; k < PAGE_ITEMS; k++) { /* what is past the end has the last digit and comes last */
        digit[k] = PAGE_DIGITS - 1;
        if (first + k < n) {
            key[k] = keys[first + k];
            digit[k] = page_digit(key[k], shift, flip);
        }
        const unsigned at = digit[k] % HALF * 4; /* four bits count to four */
        rank[k] = (digit[k] < HALF ? low : high) >> at & 15;
        if (digit[k] < HALF)
            low += 1u << at;
        else
            high += 1u << at;
    }
#pragma unroll
    for (unsigned d = 0; d < HALF; d++)
        counts[d * PAGE_THREADS + t] = (low >> 4 * d & 15) | (high >> 4 * d & 15) << 16;
    __syncthreads();
#pragma unroll
    for (unsigned d = 0; d < HALF; d++) {
        own[d] = counts[t * HALF + d];
        sum += own[d];
    }
    unsigned before = page_up_to(sum, a, b, page_sum()) - sum;
    before += a[PAGE_THREADS - 1] << 16; /* digits from 8 on come after all others */
#pragma unroll
    for (unsigned d = 0; d < HALF; d++) {
        counts[t * HALF + d] = before;
        before += own[d];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < PAGE_ITEMS; k++)
        if (first + k < n) {
            const unsigned row = digit[k] % HALF * PAGE_THREADS, down = digit[k] < HALF ? 0 : 16;
            const unsigned in_digit = (counts[row + t] >> down & 0xffff) - (counts[row] >> down & 0xffff) + rank[k];
            const unsigned to = places[digit[k] * gridDim.x + blockIdx.x] + in_digit;
            keys_out[to] = key[k];
            if (PAIRS)
                values_out[to] = values[first + k];
        }
}
