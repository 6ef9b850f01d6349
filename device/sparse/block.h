/* Rows to blocks and back. Columns of a row ascend. */
#pragma once
#include "device/sparse/walk.h"

/* The first entry of the line whose column is no less. */
__device__ inline long long entry_from(const csr_walk<int, int> &w, long long line, long long column)
{
    long long low = 0, high = w.length(line);
    while (low < high) {
        const long long middle = (low + high) / 2;
        if (w.column(line, middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
/* The next block of a line of blocks at or after `from`, or -1. */
__device__ inline long long next_block(const csr_walk<int, int> &w, const sparse_view &v, long long line, long long from)
{
    long long best = -1;
    for (long long i = line * v.down; i < (line + 1) * v.down && i < v.lines; i++) {
        const long long k = entry_from(w, i, from * v.across);
        if (k < w.length(i)) {
            const long long b = w.column(i, k) / v.across;
            if (best < 0 || b < best)
                best = b;
        }
    }
    return best;
}
/* v is by rows; down and across are of the blocks that it is to have. */
__global__ void block_counts(sparse_view v, long long lines, int *counts)
{
    const csr_walk<int, int> w(v);
    EACH_ELEMENT (line, lines) {
        int n = 0;
        for (long long b = next_block(w, v, line, 0); b >= 0; b = next_block(w, v, line, b + 1))
            n++;
        counts[line] = n;
    }
}
/* Blocks are zero before. */
template <class T>
__global__ void block_fill(sparse_view v, long long lines, const int *offsets, long long base, int *indices, T *values)
{
    const csr_walk<int, int> w(v);
    EACH_ELEMENT (line, lines) {
        long long to = offsets[line] - base;
        for (long long b = next_block(w, v, line, 0); b >= 0; b = next_block(w, v, line, b + 1), to++) {
            indices[to] = (int)(b + base);
            for (long long i = line * v.down; i < (line + 1) * v.down && i < v.lines; i++)
                for (long long k = entry_from(w, i, b * v.across); k < w.length(i) && w.column(i, k) < (b + 1) * v.across; k++) {
                    const long long r = i - line * v.down, c = w.column(i, k) - b * v.across;
                    values[to * v.down * v.across + (v.block_by_columns ? c * v.down + r : r * v.across + c)] = ((const T *)v.values)[w.place(i, k)];
                }
        }
    }
}
/* Every element of a block becomes an entry. values may be absent. */
template <class T> __global__ void block_rows(sparse_view v, long long base, int *offsets, int *indices, T *values)
{
    const bsr_walk<int, int> w(v);
    EACH_LINE (line, v.lines) {
        const long long n = w.length(line);
        const long long begin = ((long long)w.offsets[line / v.down] - v.base) * v.down * v.across + line % v.down * n;
        if (threadIdx.x % 32 == 0) {
            offsets[line] = (int)(begin + base);
            if (line == v.lines - 1)
                offsets[line + 1] = (int)(begin + n + base);
        }
        for (long long k = threadIdx.x % 32; k < n; k += 32) {
            indices[begin + k] = (int)(w.column(line, k) + base);
            if (values)
                values[begin + k] = ((const T *)v.values)[w.place(line, k)];
        }
    }
}
