/* Kernels of NPP that look at connected pixels and at distances: labels by union and find (a label is the place of the region's first pixel, so
 * results are the same each time), their compression, distances to sites. */
#pragma once
#include "device/npp/image.h"

/* Parents of pixels, by their place in the image: y * width + x. */
struct npp_parents {
    unsigned *p;
    int step, width;
};
__device__ inline unsigned *npp_parent(const npp_parents &l, unsigned i)
{
    return (unsigned *)((char *)l.p + (long long)(i / l.width) * l.step) + i % l.width;
}
__device__ inline unsigned npp_root(const npp_parents &l, unsigned i)
{
    for (;;) {
        const unsigned up = *(volatile unsigned *)npp_parent(l, i);
        if (up == i)
            return i;
        i = up;
    }
}
/* The smaller root becomes the other's parent; who comes too late goes on with what he found. */
__device__ inline void npp_join(const npp_parents &l, unsigned a, unsigned b)
{
    for (;;) {
        a = npp_root(l, a);
        b = npp_root(l, b);
        if (a == b)
            return;
        if (a < b) {
            const unsigned other = a;
            a = b;
            b = other;
        }
        const unsigned found = atomicMin(npp_parent(l, a), b);
        if (found == a)
            return;
        a = found;
    }
}
__global__ void npp_label_start(npp_parents l, int height)
{
    NPP_EACH (i, (long long)l.width * height)
        *npp_parent(l, (unsigned)i) = (unsigned)i;
}
/* With the neighbours of the same value before it: two, or four with those across. */
template <class T> __global__ void npp_label_join(npp_parents l, int height, int across, const void *a, int a_step)
{
    NPP_EACH (i, (long long)l.width * height) {
        const int y = (int)(i / l.width), x = (int)(i % l.width);
        const T v = npp_at<T>(a, a_step, y, x);
        if (x && npp_at<T>(a, a_step, y, x - 1) == v)
            npp_join(l, (unsigned)i, (unsigned)i - 1);
        for (int dx = -1; y && dx <= 1; dx++)
            if ((across || !dx) && x + dx >= 0 && x + dx < l.width && npp_at<T>(a, a_step, y - 1, x + dx) == v)
                npp_join(l, (unsigned)i, (unsigned)(i - l.width + dx));
    }
}
__global__ void npp_label_end(npp_parents l, int height)
{
    NPP_EACH (i, (long long)l.width * height)
        *npp_parent(l, (unsigned)i) = npp_root(l, (unsigned)i);
}

/* ---- labels without gaps: which there are, how many before each of NPP_RANGES ranges, new numbers ---- */

__global__ void npp_label_mark(npp_parents l, int height, unsigned n, unsigned *marks)
{
    NPP_EACH (i, (long long)l.width * height) {
        const unsigned label = *npp_parent(l, (unsigned)i);
        if (label < n)
            atomicOr(&marks[label], 1u);
    }
}
__global__ void npp_label_count(unsigned n, unsigned *marks, unsigned *before)
{
    const unsigned r = blockIdx.x * blockDim.x + threadIdx.x, length = (n + NPP_RANGES - 1) / NPP_RANGES;
    if (r >= NPP_RANGES)
        return;
    before[r] = 0;
    for (unsigned k = r * length; k < n && k < (r + 1) * length; k++)
        before[r] += marks[k];
}
__global__ void npp_label_add(unsigned *before)
{
    unsigned sum = 0;
    for (int r = 0; r <= NPP_RANGES; r++) {
        const unsigned here = r < NPP_RANGES ? before[r] : 0;
        before[r] = sum;
        sum += here;
    }
}
__global__ void npp_label_number(unsigned n, unsigned *marks, const unsigned *before)
{
    const unsigned r = blockIdx.x * blockDim.x + threadIdx.x, length = (n + NPP_RANGES - 1) / NPP_RANGES;
    unsigned sum = r < NPP_RANGES ? before[r] : 0;
    for (unsigned k = r * length; r < NPP_RANGES && k < n && k < (r + 1) * length; k++) {
        const unsigned here = marks[k];
        marks[k] = sum;
        sum += here;
    }
}
__global__ void npp_label_rename(npp_parents l, int height, unsigned n, const unsigned *numbers)
{
    NPP_EACH (i, (long long)l.width * height) {
        unsigned *p = npp_parent(l, (unsigned)i);
        if (*p < n)
            *p = numbers[*p];
    }
}

/* ---- distances to sites: pixels from low to high ---- */

/* The row of the nearest site in the pixel's column, -1 without one; a thread for each column. */
template <class T> __global__ void npp_site_rows(int width, int height, int low, int high, const void *a, int a_step, int *rows)
{
    NPP_EACH (x, width) {
        int last = -1;
        for (int y = 0; y < height; y++) {
            const int v = npp_at<T>(a, a_step, y, x);
            last = v >= low && v <= high ? y : last;
            rows[(long long)y * width + x] = last;
        }
        last = -1;
        for (int y = height - 1; y >= 0; y--) {
            int *p = rows + (long long)y * width + x;
            last = *p == y ? y : last;
            if (last >= 0 && (*p < 0 || last - y < y - *p))
                *p = last;
        }
    }
}
/* Where there is no site. */
template <class D> struct npp_far;
template <> struct npp_far<unsigned short> {
    static constexpr unsigned short value = 65535;
};
template <> struct npp_far<float> {
    static constexpr float value = 3.402823466e38f;
};
/* Of the columns' sites the nearest: columns to both sides until they are too far away themselves. Numbers of 16 bits are cut off. */
template <class T, class D>
__global__ void npp_site_distance(int width, int height, const int *rows, void *d, int d_step, short *places, int places_step)
{
    NPP_EACH (i, (long long)width * height) {
        const int y = (int)(i / width), x = (int)(i % width);
        long long best = -1;
        int found = -1;
        for (long long k = 0; k < width && (best < 0 || k * k < best); k++)
            for (int side = -1; side <= 1; side += 2) {
                const long long at = x + side * k;
                const int row = at >= 0 && at < width ? rows[y * (long long)width + at] : -1;
                const long long square = k * k + (long long)(row - y) * (row - y);
                if (row >= 0 && (best < 0 || square < best)) {
                    best = square;
                    found = (int)at;
                }
            }
        if (d)
            npp_at<D>(d, d_step, y, x) = best < 0 ? (D)npp_far<D>::value : (D)sqrt((double)best);
        if (places) {
            npp_at<short>(places, places_step, y, 2ll * x) = (short)found;
            npp_at<short>(places, places_step, y, 2ll * x + 1) = (short)(found < 0 ? -1 : rows[y * (long long)width + found]);
        }
    }
}
