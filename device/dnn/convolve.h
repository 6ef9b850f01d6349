/* Convolutions by index, for any layout, groups, strides, dilations and types of elements: one
 * thread for each element of the result. And the matrices of those that are done as products. */
#pragma once
#include "device/dnn/elements.h"
#include "device/dnn/window.h"

/* The input place that tap r of output place o sees, in dimension d; below 0 or past the end:
 * padding. */
__device__ inline int seen(const dnn_window &w, int d, int o, int r)
{
    return o * (int)w.stride[d] - (int)w.pad[d] +
           (w.flip ? (int)w.size[d] - 1 - r : r) * (int)w.dilation[d];
}
/* The output place that sees input place i through tap r, or -1. */
__device__ inline int seer(const dnn_window &w, int d, int i, int r)
{
    const int o = i + (int)w.pad[d] - (w.flip ? (int)w.size[d] - 1 - r : r) * (int)w.dilation[d],
              stride = (int)w.stride[d];
    if (o < 0)
        return -1;
    if (stride == 1)
        return o < (int)w.out[d] ? o : -1;
    return o % stride || o / stride >= (int)w.out[d] ? -1 : o / stride;
}
__device__ inline bool inside(const dnn_window &w, int d, int i)
{
    return i >= 0 && i < (int)w.in[d];
}

template <class T, class F = T, class Y = T, class A = typename wide_of<T>::type>
__global__ void conv_forward(dnn_window w, const T *x0, const F *f0, Y *y0)
{
    const long long image = w.out[0] * w.out[1] * w.out[2], each = w.c / w.groups;
    EACH_LINE(line, w.n * w.k)
    {
        const long long n = line / w.k, k = line % w.k;
        const T *x = x0 + n * w.x_step[0] + k / (w.k / w.groups) * each * w.x_step[1];
        const F *f = f0 + k * w.w_step[0];
        EACH_OF_IMAGE(i, image)
        {
            const place3 o(i, w.out);
            A sum = A(0);
            for (long long c = 0; c < each; c++)
                for (int z = 0; z < w.size[0]; z++)
                    for (int y = 0; y < w.size[1]; y++)
                        for (int r = 0; r < w.size[2]; r++) {
                            const int iz = seen(w, 0, o.z, z), iy = seen(w, 1, o.y, y),
                                      ix = seen(w, 2, o.x, r);
                            if (inside(w, 0, iz) && inside(w, 1, iy) && inside(w, 2, ix))
                                sum += element<A, T>::get(
                                           x[c * w.x_step[1] + offset3(w.x_step, iz, iy, ix)]) *
                                       element<A, F>::get(
                                           f[c * w.w_step[1] + offset3(w.w_step, z, y, r)]);
                        }
            mix(y0 + n * w.y_step[0] + k * w.y_step[1] + offset3(w.y_step, o.z, o.y, o.x), sum,
                w.alpha, w.beta);
        }
    }
}
template <class F, class Y = F, class T = F, class A = typename wide_of<T>::type>
__global__ void conv_data(dnn_window w, const F *f0, const Y *dy0, T *dx0)
{
    const long long image = w.in[0] * w.in[1] * w.in[2], each = w.c / w.groups,
                    out = w.k / w.groups;
    EACH_LINE(line, w.n * w.c)
    {
        const long long n = line / w.c, c = line % w.c, g = c / each;
        const Y *dy = dy0 + n * w.y_step[0] + g * out * w.y_step[1];
        const F *f = f0 + g * out * w.w_step[0] + c % each * w.w_step[1];
        EACH_OF_IMAGE(i, image)
        {
            const place3 p(i, w.in);
            A sum = A(0);
            for (int z = 0; z < w.size[0]; z++)
                for (int y = 0; y < w.size[1]; y++)
                    for (int r = 0; r < w.size[2]; r++) {
                        const int oz = seer(w, 0, p.z, z), oy = seer(w, 1, p.y, y),
                                  ox = seer(w, 2, p.x, r);
                        if (oz < 0 || oy < 0 || ox < 0)
                            continue;
                        const Y *from = dy + offset3(w.y_step, oz, oy, ox);
                        const F *tap = f + offset3(w.w_step, z, y, r);
                        for (long long k = 0; k < out; k++)
                            sum += element<A, Y>::get(from[k * w.y_step[1]]) *
                                   element<A, F>::get(tap[k * w.w_step[0]]);
                    }
            mix(dx0 + n * w.x_step[0] + c * w.x_step[1] + offset3(w.x_step, p.z, p.y, p.x), sum,
                w.alpha, w.beta);
        }
    }
}
/* One block for each element of the filter: the sum runs over all images. */
template <class T, class Y = T, class F = T, class A = typename wide_of<T>::type>
__global__ void conv_filter(dnn_window w, const T *x0, const Y *dy0, F *df)
{
    const long long taps = w.size[0] * w.size[1] * w.size[2], each = w.c / w.groups,
                    image = w.out[0] * w.out[1] * w.out[2];
    for (long long i = blockIdx.x; i < w.k * each * taps; i += gridDim.x) {
        const long long k = i / (each * taps), c = i / taps % each, g = k / (w.k / w.groups);
        const place3 r((unsigned)(i % taps), w.size);
        const T *x = x0 + (g * each + c) * w.x_step[1];
        const Y *dy = dy0 + k * w.y_step[1];
        A sum = A(0);
        for (long long n = 0; n < w.n; n++)
            EACH_OF_IMAGE(e, image)
            {
                const place3 o(e, w.out);
                const int iz = seen(w, 0, o.z, r.z), iy = seen(w, 1, o.y, r.y),
                          ix = seen(w, 2, o.x, r.x);
                if (inside(w, 0, iz) && inside(w, 1, iy) && inside(w, 2, ix))
                    sum +=
                        element<A, T>::get(x[n * w.x_step[0] + offset3(w.x_step, iz, iy, ix)]) *
                        element<A, Y>::get(dy[n * w.y_step[0] + offset3(w.y_step, o.z, o.y, o.x)]);
            }
        sum = block_sum(sum);
        if (threadIdx.x == 0)
            mix(df + k * w.w_step[0] + c * w.w_step[1] + offset3(w.w_step, r.z, r.y, r.x), sum,
                w.alpha, w.beta);
    }
}
/* Lines may be few and long: blocks take DNN_SPAN places of one at a time. */
#define EACH_SPAN(span, line, lines, length)                                                       \
    EACH_LINE(span, (lines) * (((length) + DNN_SPAN - 1) / DNN_SPAN))                              \
    for (long long line = span / (((length) + DNN_SPAN - 1) / DNN_SPAN), once = 1; once; once = 0)
#define EACH_OF_SPAN(i, span, length)                                                              \
    for (unsigned i##_0 = (unsigned)(span % (((length) + DNN_SPAN - 1) / DNN_SPAN)) * DNN_SPAN,    \
                  i = i##_0 + threadIdx.x;                                                         \
         i < (unsigned)(length) && i < i##_0 + DNN_SPAN; i += DNN_THREADS)

/* For the channels of a group of `images` images: a row for each channel and tap, a column for each
 * output place; of each image by itself, or joined: all images' columns side by side. */
template <class T>
__global__ void conv_columns(dnn_window w, long long images, int joined, const T *x, T *columns)
{
    const unsigned image = (unsigned)(w.out[0] * w.out[1] * w.out[2]);
    const long long taps = w.size[0] * w.size[1] * w.size[2], rows = w.c / w.groups * taps,
                    length = joined ? images * image : image;
    EACH_SPAN(span, line, joined ? rows : images * rows, length)
    {
        const long long c = line % rows / taps;
        const place3 r((unsigned)(line % taps), w.size);
        const T *channel = x + (joined ? 0 : line / rows * w.x_step[0]) + c * w.x_step[1];
        EACH_OF_SPAN(i, span, length)
        {
            const place3 o(joined ? i % image : i, w.out);
            const T *from = joined ? channel + i / image * w.x_step[0] : channel;
            const int iz = seen(w, 0, o.z, r.z), iy = seen(w, 1, o.y, r.y),
                      ix = seen(w, 2, o.x, r.x);
            const bool in = inside(w, 0, iz) && inside(w, 1, iy) && inside(w, 2, ix);
            columns[line * length + i] = in ? from[offset3(w.x_step, iz, iy, ix)] : to<T>(0.f);
        }
    }
}
/* The way back: each place of dx gathers what its columns hold. */
template <class T>
__global__ void conv_gather(dnn_window w, long long images, int joined, const T *columns, T *dx)
{
    typedef typename wide_of<T>::type A;
    const long long taps = w.size[0] * w.size[1] * w.size[2], each = w.c / w.groups,
                    out = w.out[0] * w.out[1] * w.out[2], length = joined ? images * out : out;
    const long long image = w.in[0] * w.in[1] * w.in[2];
    EACH_SPAN(span, line, images * each, image)
    {
        const long long n = line / each, c = line % each;
        const T *column = columns + (joined ? c * taps * length + n * out : line * taps * out);
        EACH_OF_SPAN(i, span, image)
        {
            const place3 p(i, w.in);
            A sum = A(0);
            long long tap = 0;
            for (int z = 0; z < w.size[0]; z++)
                for (int y = 0; y < w.size[1]; y++)
                    for (int r = 0; r < w.size[2]; r++, tap++) {
                        const int oz = seer(w, 0, p.z, z), oy = seer(w, 1, p.y, y),
                                  ox = seer(w, 2, p.x, r);
                        if (oz >= 0 && oy >= 0 && ox >= 0)
                            sum += to<A>(column[tap * length +
                                                (oz * (int)w.out[1] + oy) * (int)w.out[2] + ox]);
                    }
            blend(dx + n * w.x_step[0] + c * w.x_step[1] + offset3(w.x_step, p.z, p.y, p.x), sum,
                  w.alpha, w.beta);
        }
    }
}
/* Channels of `images` results, which lie image after image, with the images side by side; back. */
template <class T>
__global__ void conv_join(dnn_window w, long long images, long long channels, const T *y, T *out)
{
    const unsigned image = (unsigned)(w.out[0] * w.out[1] * w.out[2]);
    const long long length = images * image;
    EACH_SPAN(span, line, channels, length)
    {
        EACH_OF_SPAN(i, span, length)
        out[line * length + i] = y[i / image * w.y_step[0] + line * w.y_step[1] + i % image];
    }
}
template <class T>
__global__ void conv_part(dnn_window w, long long images, long long channels, const T *from, T *y)
{
    typedef typename wide_of<T>::type A;
    const unsigned image = (unsigned)(w.out[0] * w.out[1] * w.out[2]);
    const long long length = images * image;
    EACH_SPAN(span, line, channels, length)
    {
        EACH_OF_SPAN(i, span, length)
        blend(y + i / image * w.y_step[0] + line * w.y_step[1] + i % image,
              to<A>(from[line * length + i]), w.alpha, w.beta);
    }
}
/* The gradient of filters is `count` partial sums, which are added in their order. */
template <class T>
__global__ void conv_sum(long long n, long long count, double alpha, double beta, const T *parts,
                         T *out)
{
    EACH_PLACE(i, n)
    {
        T sum = parts[i];
        for (long long k = 1; k < count; k++)
            sum += parts[k * n + i];
        blend(out + i, sum, alpha, beta);
    }
}
