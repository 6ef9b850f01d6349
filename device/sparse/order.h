/* Counts to offsets, and sorting by digits of four bits: no block waits for another. */
#pragma once
#include "device/sparse/walk.h"

enum { TILE_THREADS = 128, TILE_ITEMS = 8, TILE = TILE_THREADS * TILE_ITEMS, DIGITS = 16 };

/* The sum of what threads before this one have, and of all. */
template <class T> __device__ inline T before(T mine, T *shared, T *all)
{
    const int t = threadIdx.x;
    shared[t] = mine;
    __syncthreads();
    for (int step = 1; step < TILE_THREADS; step *= 2) {
        const T add = t >= step ? shared[t - step] : T(0);
        __syncthreads();
        shared[t] += add;
        __syncthreads();
    }
    *all = shared[TILE_THREADS - 1];
    const T result = shared[t] - mine;
    __syncthreads();
    return result;
}

/* Exclusive sums of data[0 … n - 1], in each tile; data[n] is written, not read. */
template <class T> __global__ void scan_tiles(T *data, long long n, T *sums, long long tiles)
{
    __shared__ T shared[TILE_THREADS];
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const long long from = tile * TILE + threadIdx.x * TILE_ITEMS;
        T mine = T(0), all;
        for (int k = 0; k < TILE_ITEMS; k++)
            mine += from + k < n ? data[from + k] : T(0);
        T sum = before(mine, shared, &all);
        for (int k = 0; k < TILE_ITEMS; k++)
            if (from + k <= n) {
                const T v = from + k < n ? data[from + k] : T(0);
                data[from + k] = sum;
                sum += v;
            }
        if (threadIdx.x == 0)
            sums[tile] = all;
    }
}
/* One block: the tiles' sums. */
template <class T> __global__ void scan_sums(T *sums, long long tiles, T base)
{
    __shared__ T shared[TILE_THREADS];
    T carry = base;
    for (long long at = 0; at < tiles; at += TILE_THREADS) {
        const long long i = at + threadIdx.x;
        T all;
        const T sum = before(i < tiles ? sums[i] : T(0), shared, &all);
        if (i < tiles)
            sums[i] = carry + sum;
        carry += all;
    }
}
template <class T> __global__ void scan_add(T *data, long long n, const T *sums)
{
    EACH_ELEMENT (i, n + 1)
        data[i] += sums[i / TILE];
}

/* ---- sorting ---- */
template <class K> __global__ void digit_counts(const K *keys, long long n, int shift, int *counts, long long tiles)
{
    __shared__ int count[DIGITS];
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (threadIdx.x < DIGITS)
            count[threadIdx.x] = 0;
        __syncthreads();
        for (int k = 0; k < TILE_ITEMS; k++) {
            const long long i = tile * TILE + k * TILE_THREADS + threadIdx.x;
            if (i < n)
                atomicAdd(&count[(int)(keys[i] >> shift) & (DIGITS - 1)], 1);
        }
        __syncthreads();
        if (threadIdx.x < DIGITS)
            counts[threadIdx.x * tiles + tile] = count[threadIdx.x];
        __syncthreads();
    }
}
/* Keys of a tile keep their order among those of the same digit. */
template <class K, class P>
__global__ void digit_place(const K *keys, const P *places, long long n, int shift, const int *counts, long long tiles, K *keys_out, P *places_out)
{
    __shared__ int count[DIGITS * TILE_THREADS];
    __shared__ int part[TILE_THREADS];
    const int t = threadIdx.x;
    const int share = TILE_THREADS / DIGITS; /* threads that sum up one digit's counts */
    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const long long from = tile * TILE + t * TILE_ITEMS;
        for (int d = 0; d < DIGITS; d++)
            count[d * TILE_THREADS + t] = 0;
        for (int k = 0; k < TILE_ITEMS; k++)
            if (from + k < n)
                count[((int)(keys[from + k] >> shift) & (DIGITS - 1)) * TILE_THREADS + t]++;
        __syncthreads();
        const int digit = t / share, piece = t % share;
        int *mine = count + digit * TILE_THREADS + piece * (TILE_THREADS / share);
        int sum = 0;
        for (int k = 0; k < TILE_THREADS / share; k++) {
            const int v = mine[k];
            mine[k] = sum;
            sum += v;
        }
        part[t] = sum;
        __syncthreads();
        int earlier = counts[digit * tiles + tile];
        for (int p = 0; p < piece; p++)
            earlier += part[digit * share + p];
        for (int k = 0; k < TILE_THREADS / share; k++)
            mine[k] += earlier;
        __syncthreads();
        for (int k = 0; k < TILE_ITEMS; k++)
            if (from + k < n) {
                const K key = keys[from + k];
                const int to = count[((int)(key >> shift) & (DIGITS - 1)) * TILE_THREADS + t]++;
                keys_out[to] = key;
                places_out[to] = places[from + k];
            }
        __syncthreads();
    }
}

/* ---- offsets and indices ---- */
/* Where lines begin among sorted indices. */
template <class F, class T>
__global__ void offsets_of(const F *line_of, long long n, long long lines, long long base, T *offsets, long long base_out)
{
    EACH_ELEMENT (line, lines + 1) {
        long long low = 0, high = n;
        while (low < high) {
            const long long middle = (low + high) / 2;
            if ((long long)line_of[middle] - base < line)
                low = middle + 1;
            else
                high = middle;
        }
        offsets[line] = (T)(low + base_out);
    }
}
/* The line of each entry. */
template <class O, class T> __global__ void lines_of(const O *offsets, long long lines, long long base, T *line_of, long long base_out)
{
    EACH_LINE (line, lines)
        for (long long k = (long long)offsets[line] - base + threadIdx.x % 32; k < (long long)offsets[line + 1] - base; k += 32)
            line_of[k] = (T)(line + base_out);
}
template <class T> __global__ void iota(T *p, long long n)
{
    EACH_ELEMENT (i, n)
        p[i] = (T)i;
}
/* ---- pairs as keys ---- */
__global__ void pair_keys(long long n, const int *high, const int *low, int bits, unsigned long long *keys)
{
    EACH_ELEMENT (k, n)
        keys[k] = (unsigned long long)(unsigned)high[k] << bits | (unsigned)low[k];
}
/* high may be absent. */
__global__ void split_keys(long long n, const unsigned long long *keys, int bits, int *high, int *low)
{
    EACH_ELEMENT (k, n) {
        if (high)
            high[k] = (int)(keys[k] >> bits);
        low[k] = (int)(keys[k] & ((1ull << bits) - 1));
    }
}
/* T: anything of the size; several of them for one place. */
template <class T> __global__ void gather_by(long long n, const int *places, const T *from, T *to, long long each)
{
    EACH_ELEMENT (e, n * each)
        to[e] = from[places[e / each] * each + e % each];
}
template <class T> __global__ void scatter_by(long long n, const int *places, const T *from, T *to)
{
    EACH_ELEMENT (k, n)
        to[places[k]] = from[k];
}
