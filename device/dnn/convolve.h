/* Convolutions by index, for any layout, groups, strides and dilations: one thread for each element of the result. And the matrices
 * of those that are done as products. */
#pragma once
#include "device/dnn/window.h"

struct place3 {
    long long z, y, x;
    __device__ place3(long long i, const long long *dim) : z(i / (dim[1] * dim[2])), y(i / dim[2] % dim[1]), x(i % dim[2]) {}
};
/* The input place that tap r of output place o sees, in dimension d; below 0 or past the end: padding. */
__device__ inline long long seen(const dnn_window &w, int d, long long o, long long r)
{
    return o * w.stride[d] - w.pad[d] + (w.flip ? w.size[d] - 1 - r : r) * w.dilation[d];
}
/* The output place that sees input place i through tap r, or -1. */
__device__ inline long long seer(const dnn_window &w, int d, long long i, long long r)
{
    const long long o = i + w.pad[d] - (w.flip ? w.size[d] - 1 - r : r) * w.dilation[d];
    return o < 0 || o % w.stride[d] || o / w.stride[d] >= w.out[d] ? -1 : o / w.stride[d];
}
__device__ inline bool inside(const dnn_window &w, int d, long long i) { return i >= 0 && i < w.in[d]; }

template <class T> __global__ void conv_forward(dnn_window w, const T *x0, const T *f0, T *y0)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.out[0] * w.out[1] * w.out[2], each = w.c / w.groups;
    EACH_PLACE (i, w.n * w.k * image) {
        const long long n = i / (w.k * image), k = i / image % w.k;
        const place3 o(i % image, w.out);
        const T *x = x0 + n * w.x_step[0] + k / (w.k / w.groups) * each * w.x_step[1], *f = f0 + k * w.w_step[0];
        A sum = A(0);
        for (long long c = 0; c < each; c++)
            for (long long z = 0; z < w.size[0]; z++) {
                const long long iz = seen(w, 0, o.z, z);
                if (!inside(w, 0, iz))
                    continue;
                for (long long y = 0; y < w.size[1]; y++) {
                    const long long iy = seen(w, 1, o.y, y);
                    if (!inside(w, 1, iy))
                        continue;
                    for (long long r = 0; r < w.size[2]; r++) {
                        const long long ix = seen(w, 2, o.x, r);
                        if (inside(w, 2, ix))
                            sum += to<A>(x[c * w.x_step[1] + step3(w.x_step, iz, iy, ix)]) * to<A>(f[c * w.w_step[1] + step3(w.w_step, z, y, r)]);
                    }
                }
            }
        blend(y0 + n * w.y_step[0] + k * w.y_step[1] + step3(w.y_step, o.z, o.y, o.x), sum, w.alpha, w.beta);
    }
}
template <class T> __global__ void conv_data(dnn_window w, const T *f0, const T *dy0, T *dx0)
{
    typedef typename wide_of<T>::type A;
    const long long image = w.in[0] * w.in[1] * w.in[2], each = w.c / w.groups, out = w.k / w.groups;
    EACH_PLACE (i, w.n * w.c * image) {
        const long long n = i / (w.c * image), c = i / image % w.c, g = c / each;
        const place3 p(i % image, w.in);
        const T *dy = dy0 + n * w.y_step[0] + g * out * w.y_step[1], *f = f0 + g * out * w.w_step[0] + c % each * w.w_step[1];
        A sum = A(0);
        for (long long z = 0; z < w.size[0]; z++) {
            const long long oz = seer(w, 0, p.z, z);
            if (oz < 0)
                continue;
            for (long long y = 0; y < w.size[1]; y++) {
                const long long oy = seer(w, 1, p.y, y);
                if (oy < 0)
                    continue;
                for (long long r = 0; r < w.size[2]; r++) {
                    const long long ox = seer(w, 2, p.x, r);
                    if (ox < 0)
                        continue;
                    for (long long k = 0; k < out; k++)
                        sum += to<A>(dy[k * w.y_step[1] + step3(w.y_step, oz, oy, ox)]) * to<A>(f[k * w.w_step[0] + step3(w.w_step, z, y, r)]);
                }
            }
        }
        blend(dx0 + n * w.x_step[0] + c * w.x_step[1] + step3(w.x_step, p.z, p.y, p.x), sum, w.alpha, w.beta);
    }
}
/* One block for each element of the filter: the sum runs over all images. */
template <class T> __global__ void conv_filter(dnn_window w, const T *x0, const T *dy0, T *df)
{
    typedef typename wide_of<T>::type A;
    const long long taps = w.size[0] * w.size[1] * w.size[2], each = w.c / w.groups, image = w.out[0] * w.out[1] * w.out[2];
    for (long long i = blockIdx.x; i < w.k * each * taps; i += gridDim.x) {
        const long long k = i / (each * taps), c = i / taps % each, g = k / (w.k / w.groups);
        const place3 r(i % taps, w.size);
        const T *x = x0 + (g * each + c) * w.x_step[1], *dy = dy0 + k * w.y_step[1];
        A sum = A(0);
        for (long long e = threadIdx.x; e < w.n * image; e += DNN_THREADS) {
            const long long n = e / image;
            const place3 o(e % image, w.out);
            const long long iz = seen(w, 0, o.z, r.z), iy = seen(w, 1, o.y, r.y), ix = seen(w, 2, o.x, r.x);
            if (inside(w, 0, iz) && inside(w, 1, iy) && inside(w, 2, ix))
                sum += to<A>(x[n * w.x_step[0] + step3(w.x_step, iz, iy, ix)]) * to<A>(dy[n * w.y_step[0] + step3(w.y_step, o.z, o.y, o.x)]);
        }
        sum = block_sum(sum);
        if (threadIdx.x == 0)
            blend(df + k * w.w_step[0] + c * w.w_step[1] + step3(w.w_step, r.z, r.y, r.x), sum, w.alpha, w.beta);
    }
}
/* For the channels of a group of `images` images: a row for each channel and tap, a column for each output place. */
template <class T> __global__ void conv_columns(dnn_window w, long long images, const T *x, T *columns)
{
    const long long taps = w.size[0] * w.size[1] * w.size[2], rows = w.c / w.groups * taps, image = w.out[0] * w.out[1] * w.out[2];
    EACH_PLACE (i, images * rows * image) {
        const long long n = i / (rows * image), c = i / (taps * image) % (w.c / w.groups);
        const place3 r(i / image % taps, w.size), o(i % image, w.out);
        const long long iz = seen(w, 0, o.z, r.z), iy = seen(w, 1, o.y, r.y), ix = seen(w, 2, o.x, r.x);
        const bool in = inside(w, 0, iz) && inside(w, 1, iy) && inside(w, 2, ix);
        columns[i] = in ? x[n * w.x_step[0] + c * w.x_step[1] + step3(w.x_step, iz, iy, ix)] : to<T>(0.f);
    }
}
/* The way back: each place of dx gathers what its columns hold. */
template <class T> __global__ void conv_gather(dnn_window w, long long images, const T *columns, T *dx)
{
    typedef typename wide_of<T>::type A;
    const long long taps = w.size[0] * w.size[1] * w.size[2], each = w.c / w.groups, out = w.out[0] * w.out[1] * w.out[2];
    const long long image = w.in[0] * w.in[1] * w.in[2];
    EACH_PLACE (i, images * each * image) {
        const long long n = i / (each * image), c = i / image % each;
        const place3 p(i % image, w.in);
        const T *column = columns + (n * each + c) * taps * out;
        A sum = A(0);
        for (long long z = 0; z < w.size[0]; z++)
            for (long long y = 0; y < w.size[1]; y++)
                for (long long r = 0; r < w.size[2]; r++) {
                    const long long oz = seer(w, 0, p.z, z), oy = seer(w, 1, p.y, y), ox = seer(w, 2, p.x, r);
                    if (oz >= 0 && oy >= 0 && ox >= 0)
                        sum += to<A>(column[((z * w.size[1] + y) * w.size[2] + r) * out + (oz * w.out[1] + oy) * w.out[2] + ox]);
                }
        blend(dx + n * w.x_step[0] + c * w.x_step[1] + step3(w.x_step, p.z, p.y, p.x), sum, w.alpha, w.beta);
    }
}
