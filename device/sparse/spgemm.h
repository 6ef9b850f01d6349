/* Sparse by sparse, by rows. Which columns a row of the product has is found in a table of its own (open addressing, a power of two of places),
 * which is then sorted; values are summed up in the order of A's entries, so they are the same each time. A block for each row. */
#pragma once
#include "device/sparse/walk.h"

enum { GEMM_THREADS = 64 };
const unsigned NO_COLUMN = 0xffffffffu;

/* How many products a row has, and how large its table is. */
template <class O, class I>
__global__ void gemm_bounds(sparse_view a, sparse_view b, long long *products, long long *tables)
{
    const csr_walk<O, I> x(a), y(b);
    EACH_LINE (line, a.lines) {
        long long sum = 0;
        const long long n = x.length(line);
        for (long long k = threadIdx.x % 32; k < n; k += 32)
            sum += y.length(x.column(line, k));
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0) {
            long long size = 1;
            const long long most = sum < b.width ? sum : b.width;
            while (size < most * 3 / 2)
                size *= 2;
            products[line] = sum;
            tables[line] = most ? size : 0;
        }
    }
}

/* Lines first … last - 1; places[] is where a line's table begins, counted from the first's. All places are empty. */
template <class O, class I>
__global__ void gemm_insert(sparse_view a, sparse_view b, long long first, long long last, const long long *places, unsigned *table, long long *counts)
{
    __shared__ int found;
    const csr_walk<O, I> x(a), y(b);
    for (long long line = first + blockIdx.x; line < last; line += gridDim.x) {
        if (threadIdx.x == 0)
            found = 0;
        __syncthreads();
        unsigned *const mine = table + (places[line] - places[first]);
        const unsigned mask = (unsigned)(places[line + 1] - places[line]) - 1;
        int fresh = 0;
        for (long long k = 0; k < x.length(line); k++) {
            const long long other = x.column(line, k), n = y.length(other);
            for (long long e = threadIdx.x; e < n; e += GEMM_THREADS) {
                const unsigned column = (unsigned)y.column(other, e);
                for (unsigned at = column * 2654435761u >> 7 & mask;; at = (at + 1) & mask) {
                    const unsigned old = atomicCAS(&mine[at], NO_COLUMN, column);
                    if (old == NO_COLUMN)
                        fresh++;
                    if (old == NO_COLUMN || old == column)
                        break;
                }
            }
        }
        atomicAdd(&found, fresh);
        __syncthreads();
        if (threadIdx.x == 0)
            counts[line] = found;
        __syncthreads();
    }
}

/* Sorts the tables: columns ascend, empty places come last. Then the columns go to the row. */
__global__ void gemm_columns(long long first, long long last, const long long *places, unsigned *table, const long long *offsets, unsigned *columns)
{
    for (long long line = first + blockIdx.x; line < last; line += gridDim.x) {
        unsigned *const mine = table + (places[line] - places[first]);
        const long long size = places[line + 1] - places[line];
        for (long long width = 2; width <= size; width *= 2)
            for (long long step = width / 2; step > 0; step /= 2) {
                for (long long i = threadIdx.x; i < size / 2; i += GEMM_THREADS) {
                    const long long low = i / step * 2 * step + i % step, high = low + step;
                    const unsigned u = mine[low], v = mine[high];
                    if ((u > v) == ((low & width) == 0)) {
                        mine[low] = v;
                        mine[high] = u;
                    }
                }
                __syncthreads();
            }
        for (long long k = offsets[line] + threadIdx.x; k < offsets[line + 1]; k += GEMM_THREADS)
            columns[k] = mine[k - offsets[line]];
        __syncthreads();
    }
}

template <class O, class I, class A, class B, class C>
__global__ void gemm_values(sparse_view a, sparse_view b, const long long *offsets, const unsigned *columns, C *sums)
{
    const csr_walk<O, I> x(a), y(b);
    for (long long line = blockIdx.x; line < a.lines; line += gridDim.x) {
        const long long begin = offsets[line], end = offsets[line + 1];
        for (long long k = begin + threadIdx.x; k < end; k += GEMM_THREADS)
            sums[k] = zero<C>();
        __syncthreads();
        for (long long k = 0; k < x.length(line); k++) {
            const long long other = x.column(line, k), n = y.length(other);
            const C factor = to<C>(((const A *)a.values)[x.place(line, k)]);
            for (long long e = threadIdx.x; e < n; e += GEMM_THREADS) {
                const unsigned column = (unsigned)y.column(other, e);
                long long low = begin, high = end;
                while (low < high) {
                    const long long middle = (low + high) / 2;
                    if (columns[middle] < column)
                        low = middle + 1;
                    else
                        high = middle;
                }
                mad(sums[low], factor, to<C>(((const B *)b.values)[y.place(other, e)]));
            }
            __syncthreads();
        }
    }
}

/* ---- to the caller's arrays ---- */
template <class O> __global__ void gemm_put_offsets(long long n, const long long *offsets, long long base, O *to)
{
    EACH_ELEMENT (i, n + 1)
        to[i] = (O)(offsets[i] + base);
}
template <class I> __global__ void gemm_put_columns(long long n, const unsigned *columns, long long base, I *to)
{
    EACH_ELEMENT (i, n)
        to[i] = (I)((long long)columns[i] + base);
}
template <class C, class Y> __global__ void gemm_put_values(long long n, const C *sums, sparse_scalar alpha, sparse_scalar beta, Y *to)
{
    const C a = value_of<C>(alpha), b = value_of<C>(beta);
    EACH_ELEMENT (i, n)
        finish(&to[i], sums[i], a, b);
}
