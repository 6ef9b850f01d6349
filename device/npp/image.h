/* Kernels of NPP: a thread for each element or pixel. Integers are computed with in double, rounded to the nearest (halves to even) and kept in
 * range. */
#pragma once
#include "device/npp/shared.h"

#define NPP_EACH(i, n)                                                                                                                                 \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n); i += gridDim.x * (long long)blockDim.x)
/* Elements that are written, with their row, place in the row and channel. */
#define NPP_ELEMENTS(s)                                                                                                                                \
    NPP_EACH (i_, (long long)(s).width * (s).height * (s).channels)                                                                                    \
        for (int row = (int)(i_ / ((s).width * (s).channels)), at = (int)(i_ % ((s).width * (s).channels)), channel = at % (s).channels, once_ = 1;     \
             once_ && !((s).alpha && channel == 3); once_ = 0)

template <class T> __device__ inline T &npp_at(const void *image, int step, long long row, long long at)
{
    return ((T *)((char *)image + row * step))[at];
}

template <class T> struct npp_number {
    typedef double type;
};
template <> struct npp_number<float> {
    typedef float type;
};
template <class T> struct npp_range;
template <> struct npp_range<unsigned char> {
    static constexpr double low = 0, high = 255;
};
template <> struct npp_range<signed char> {
    static constexpr double low = -128, high = 127;
};
template <> struct npp_range<unsigned short> {
    static constexpr double low = 0, high = 65535;
};
template <> struct npp_range<short> {
    static constexpr double low = -32768, high = 32767;
};
template <> struct npp_range<int> {
    static constexpr double low = -2147483648.0, high = 2147483647;
};
template <> struct npp_range<unsigned> {
    static constexpr double low = 0, high = 4294967295.0;
};
/* A number as an element. */
template <class T> struct npp_as {
    __device__ static T of(double v)
    {
        v = rint(v);
        return v != v ? (T)0 : (T)(v < npp_range<T>::low ? npp_range<T>::low : v > npp_range<T>::high ? npp_range<T>::high : v);
    }
};
template <> struct npp_as<float> {
    __device__ static float of(double v) { return (float)v; }
};
template <> struct npp_as<double> {
    __device__ static double of(double v) { return v; }
};

template <class N> __device__ inline N npp_compute(int op, N a, N b)
{
    switch (op) {
    case NPP_ADD: return a + b;
    case NPP_SUB: return a - b;
    case NPP_MUL: return a * b;
    case NPP_DIV: return a / b;
    default: return a < b ? b - a : a - b;
    }
}
/* d = (a op b) 2^-scale, b an image or, where that is NULL, constants. 0 / 0 of integers is 0. */
template <class T>
__global__ void npp_binary(npp_shape s, int op, const void *a, int a_step, const void *b, int b_step, npp_values k, void *d, int d_step, double scale)
{
    typedef typename npp_number<T>::type N;
    NPP_ELEMENTS (s) {
        const N u = (N)npp_at<T>(a, a_step, row, at), v = b ? (N)npp_at<T>(b, b_step, row, at) : (N)k.v[channel];
        npp_at<T>(d, d_step, row, at) = npp_as<T>::of((double)npp_compute<N>(op, u, v) * scale);
    }
}
template <class T> __global__ void npp_bits(npp_shape s, int op, const void *a, int a_step, const void *b, int b_step, npp_values k, void *d, int d_step)
{
    NPP_ELEMENTS (s) {
        const T u = npp_at<T>(a, a_step, row, at);
        const unsigned long long v = b ? (unsigned long long)npp_at<T>(b, b_step, row, at) : (unsigned long long)(long long)k.v[channel];
        const int bits = 8 * (int)sizeof(T);
        T r;
        switch (op) {
        case NPP_AND: r = (T)((unsigned long long)u & v); break;
        case NPP_OR: r = (T)((unsigned long long)u | v); break;
        case NPP_XOR: r = (T)((unsigned long long)u ^ v); break;
        case NPP_LSHIFT: r = v < (unsigned long long)bits ? (T)((unsigned long long)u << v) : (T)0; break;
        default: r = (T)((long long)u >> (v < 63 ? v : 63)); break;
        }
        npp_at<T>(d, d_step, row, at) = r;
    }
}
template <class T> __global__ void npp_unary(npp_shape s, int op, const void *a, int a_step, void *d, int d_step, double scale)
{
    NPP_ELEMENTS (s) {
        const double u = (double)npp_at<T>(a, a_step, row, at);
        double r;
        switch (op) {
        case NPP_ABS: r = fabs(u); break;
        case NPP_SQR: r = u * u; break;
        case NPP_SQRT: r = sqrt(u); break;
        case NPP_LN: r = log(u); break;
        case NPP_EXP: r = exp(u); break;
        default: r = 255 - u; break; /* NOT, of bytes */
        }
        npp_at<T>(d, d_step, row, at) = npp_as<T>::of(r * scale);
    }
}

/* NppCmpOp: less, less or equal, equal, greater or equal, greater. */
template <class N> __device__ inline bool npp_holds(int op, N a, N b)
{
    return op == 0 ? a < b : op == 1 ? a <= b : op == 2 ? a == b : op == 3 ? a >= b : a > b;
}
/* Where an element compares so with a threshold, a value replaces it. */
template <class T> __global__ void npp_threshold(npp_shape s, int op, npp_values limit, npp_values value, const void *a, int a_step, void *d, int d_step)
{
    NPP_ELEMENTS (s) {
        const T u = npp_at<T>(a, a_step, row, at);
        npp_at<T>(d, d_step, row, at) = npp_holds<double>(op, (double)u, limit.v[channel]) ? (T)value.v[channel] : u;
    }
}
/* 255 where all channels of two pixels compare so. */
template <class T>
__global__ void npp_compare(npp_shape s, int op, const void *a, int a_step, const void *b, int b_step, npp_values k, unsigned char *d, int d_step)
{
    NPP_EACH (i, (long long)s.width * s.height) {
        const int row = (int)(i / s.width), x = (int)(i % s.width);
        bool all = true;
        for (int c = 0; c < s.channels - s.alpha; c++) {
            const int at = x * s.channels + c;
            all &= npp_holds<double>(op, (double)npp_at<T>(a, a_step, row, at), b ? (double)npp_at<T>(b, b_step, row, at) : k.v[c]);
        }
        npp_at<unsigned char>(d, d_step, row, x) = all ? 255 : 0;
    }
}

template <class T> __global__ void npp_set(npp_shape s, npp_values k, void *d, int d_step)
{
    NPP_ELEMENTS (s)
        npp_at<T>(d, d_step, row, at) = (T)k.v[channel];
}
/* NppRoundMode: 0 to even, 1 away from zero, 2 towards zero. */
template <class S, class D>
__global__ void npp_convert(npp_shape s, int round, double scale, double offset, const void *a, int a_step, void *d, int d_step)
{
    NPP_ELEMENTS (s) {
        double v = (double)npp_at<S>(a, a_step, row, at) * scale + offset;
        if (round == 1)
            v = v < 0 ? -floor(0.5 - v) : floor(v + 0.5);
        else if (round == 2)
            v = trunc(v);
        npp_at<D>(d, d_step, row, at) = npp_as<D>::of(v);
    }
}

/* Pixels that change their place. s: what is written. w, h: of the source. x, y: which axes are mirrored, or the size of the border at the left and
 * above. order: which channel each is taken from (3 bits each). */
template <class T>
__global__ void npp_move(npp_shape s, int op, const void *a, int a_step, int w, int h, int x, int y, int order, npp_values k, void *d, int d_step)
{
    NPP_ELEMENTS (s) {
        int from_x = at / s.channels, from_y = row, c = channel;
        bool outside = false;
        if (op == NPP_TRANSPOSE) {
            from_y = at / s.channels;
            from_x = row;
        } else if (op == NPP_MIRROR) {
            from_x = x ? w - 1 - from_x : from_x;
            from_y = y ? h - 1 - from_y : from_y;
        } else if (op == NPP_SWAP) {
            c = order >> 3 * channel & 7;
        } else if (op >= NPP_BORDER_VALUE) {
            from_x -= x;
            from_y -= y;
            if (op == NPP_BORDER_VALUE)
                outside = from_x < 0 || from_y < 0 || from_x >= w || from_y >= h;
            else if (op == NPP_BORDER_REPLICATED) {
                from_x = from_x < 0 ? 0 : from_x >= w ? w - 1 : from_x;
                from_y = from_y < 0 ? 0 : from_y >= h ? h - 1 : from_y;
            } else {
                from_x = (from_x % w + w) % w;
                from_y = (from_y % h + h) % h;
            }
        }
        npp_at<T>(d, d_step, row, at) = outside ? (T)k.v[channel] : npp_at<T>(a, a_step, from_y, (long long)from_x * s.channels + c);
    }
}

/* ---- filters ---- */

/* mask: which places count (dilate and erode; NULL: all), weights: of NPP_FILTER, the last first. */
template <class T>
__global__ void npp_window(npp_shape s, int op, npp_around w, const unsigned char *mask, const int *whole, const float *weights, double divisor,
                           const void *a, int a_step, void *d, int d_step)
{
    NPP_ELEMENTS (s) {
        const int x = at / s.channels;
        double sum = 0;
        bool any = false;
        for (int j = 0; j < w.height; j++)
            for (int i = 0; i < w.width; i++) {
                const int place = j * w.width + i, last = w.width * w.height - 1 - place;
                if (mask && !mask[place])
                    continue;
                int px = x - w.anchor_x + i, py = row - w.anchor_y + j;
                if (w.clamp) {
                    const int right = w.source_width - 1 - w.left, bottom = w.source_height - 1 - w.top;
                    px = px < -w.left ? -w.left : px > right ? right : px;
                    py = py < -w.top ? -w.top : py > bottom ? bottom : py;
                }
                const double v = (double)npp_at<T>(a, a_step, py, (long long)px * s.channels + channel);
                if (op == NPP_FILTER)
                    sum += v * (whole ? (double)whole[last] : (double)weights[last]);
                else if (op == NPP_BOX)
                    sum += v;
                else if (!any || (op == NPP_MIN ? v < sum : v > sum))
                    sum = v;
                any = true;
            }
        npp_at<T>(d, d_step, row, at) = npp_as<T>::of(sum / divisor);
    }
}

/* ---- tables ---- */

/* From each level to the next its value, or on a line to the next one's; what lies elsewhere stays. */
template <class T, class V> __global__ void npp_table(npp_shape s, int linear, const void *a, int a_step, void *d, int d_step, const V *values, const V *levels, int count)
{
    NPP_ELEMENTS (s) {
        const T v = npp_at<T>(a, a_step, row, at);
        double out = (double)v;
        for (int k = 0; k + 1 < count; k++)
            if ((double)v >= (double)levels[k] && (double)v < (double)levels[k + 1]) {
                out = (double)values[k];
                if (linear)
                    out += ((double)values[k + 1] - out) * ((double)v - (double)levels[k]) / ((double)levels[k + 1] - (double)levels[k]);
                break;
            }
        npp_at<T>(d, d_step, row, at) = npp_as<T>::of(out);
    }
}

/* ---- geometry ---- */

/* Keys' cubic with -1/2. */
__device__ inline double npp_cubic(double t)
{
    t = fabs(t);
    return t < 1 ? (1.5 * t - 2.5) * t * t + 1 : t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
}
template <class T> __device__ inline double npp_pixel(const npp_warp &w, const void *a, int step, int channels, int c, int x, int y)
{
    x = x < w.x0 ? w.x0 : x >= w.x1 ? w.x1 - 1 : x;
    y = y < w.y0 ? w.y0 : y >= w.y1 ? w.y1 - 1 : y;
    return (double)npp_at<T>(a, step, y, (long long)x * channels + c);
}
/* NppiInterpolationMode: 1 the nearest, 2 linear, 4 cubic. x, y: centres of pixels are whole numbers. */
template <class T> __device__ inline double npp_sample(const npp_warp &w, const void *a, int step, int channels, int c, double x, double y)
{
    if (w.interpolation == 1)
        return npp_pixel<T>(w, a, step, channels, c, (int)floor(x + 0.5), (int)floor(y + 0.5));
    const int fx = (int)floor(x), fy = (int)floor(y), reach = w.interpolation == 2 ? 1 : 2;
    double sum = 0;
    for (int j = 1 - reach; j <= reach; j++)
        for (int i = 1 - reach; i <= reach; i++) {
            const double dx = x - (fx + i), dy = y - (fy + j);
            const double weight = reach == 1 ? (1 - fabs(dx)) * (1 - fabs(dy)) : npp_cubic(dx) * npp_cubic(dy);
            if (weight != 0)
                sum += weight * npp_pixel<T>(w, a, step, channels, c, fx + i, fy + j);
        }
    return sum;
}
/* Pixels of the destination whose place in the source lies outside of it stay as they are, but for resizing. d: the first that is written, (x, y). */
template <class T> __global__ void npp_warp_image(npp_shape s, npp_warp w, int x, int y, const void *a, int a_step, void *d, int d_step)
{
    NPP_ELEMENTS (s) {
        const double u = x + at / s.channels, v = y + row, *m = w.to_source;
        const double z = m[6] * u + m[7] * v + m[8];
        const double sx = (m[0] * u + m[1] * v + m[2]) / z, sy = (m[3] * u + m[4] * v + m[5]) / z;
        if (!w.clamp && !(sx >= w.x0 - 0.5 && sy >= w.y0 - 0.5 && sx < w.x1 - 0.5 && sy < w.y1 - 0.5))
            continue;
        npp_at<T>(d, d_step, row, at) = npp_as<T>::of(npp_sample<T>(w, a, a_step, s.channels, channel, sx, sy));
    }
}
/* The mean of what a smaller pixel covers, parts of pixels by their share. */
template <class T> __global__ void npp_shrink(npp_shape s, npp_warp w, double fx, double fy, const void *a, int a_step, void *d, int d_step)
{
    NPP_ELEMENTS (s) {
        const double left = at / s.channels * fx, right = left + fx, top = row * fy, bottom = top + fy;
        double sum = 0;
        for (int y = (int)floor(top); y < bottom; y++)
            for (int x = (int)floor(left); x < right; x++) {
                const double wide = fmin(right, x + 1.0) - fmax(left, (double)x), high = fmin(bottom, y + 1.0) - fmax(top, (double)y);
                if (wide > 0 && high > 0)
                    sum += wide * high * npp_pixel<T>(w, a, a_step, s.channels, channel, w.x0 + x, w.y0 + y);
            }
        npp_at<T>(d, d_step, row, at) = npp_as<T>::of(sum / (fx * fy));
    }
}

/* ---- colours ---- */

/* Three channels of in_channels to out of out_channels, by a matrix and what is added. */
template <class T> __global__ void npp_colour(int width, int height, int in_channels, int out_channels, int rows, npp_twist t, const void *a, int a_step, void *d, int d_step)
{
    NPP_EACH (i, (long long)width * height) {
        const int row = (int)(i / width), x = (int)(i % width);
        double v[3];
        for (int c = 0; c < 3; c++)
            v[c] = (double)npp_at<T>(a, a_step, row, (long long)x * in_channels + c);
        for (int r = 0; r < rows; r++)
            npp_at<T>(d, d_step, row, (long long)x * out_channels + r) =
                npp_as<T>::of(t.m[r][0] * v[0] + t.m[r][1] * v[1] + t.m[r][2] * v[2] + t.m[r][3]);
    }
}

/* ---- statistics ---- */

/* Of each channel a sum, a sum of squares, the least and the most; a part for each block of threads. */
template <class T> __global__ void npp_parts(npp_shape s, const void *a, int a_step, double *parts)
{
    __shared__ double found[4][NPP_THREADS];
    const int channel = blockIdx.y;
    double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
    NPP_EACH (i, (long long)s.width * s.height) {
        const double v = (double)npp_at<T>(a, a_step, i / s.width, i % s.width * s.channels + channel);
        sum += v;
        squares += v * v;
        least = fmin(least, v);
        most = fmax(most, v);
    }
    found[0][threadIdx.x] = sum;
    found[1][threadIdx.x] = squares;
    found[2][threadIdx.x] = least;
    found[3][threadIdx.x] = most;
    __syncthreads();
    if (threadIdx.x < 4) {
        double r = found[threadIdx.x][0];
        for (int k = 1; k < NPP_THREADS; k++) {
            const double v = found[threadIdx.x][k];
            r = threadIdx.x < 2 ? r + v : threadIdx.x == 2 ? fmin(r, v) : fmax(r, v);
        }
        parts[(channel * NPP_PARTS + blockIdx.x) * 4 + threadIdx.x] = r;
    }
}
/* A thread for each channel; what is given is doubles, or elements for the least and the most. */
template <class T> __global__ void npp_total(int op, int blocks, long long n, const double *parts, void *one, void *two)
{
    const int channel = threadIdx.x;
    double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
    for (int k = 0; k < blocks; k++) {
        const double *p = parts + (channel * NPP_PARTS + k) * 4;
        sum += p[0];
        squares += p[1];
        least = fmin(least, p[2]);
        most = fmax(most, p[3]);
    }
    const double mean = sum / n;
    if (op == NPP_SUM || op == NPP_MEAN || op == NPP_MEAN_STD)
        ((double *)one)[channel] = op == NPP_SUM ? sum : mean;
    else
        ((T *)one)[channel] = (T)(op == NPP_MOST ? most : least);
    if (op == NPP_MEAN_STD)
        ((double *)two)[channel] = sqrt(fmax(squares / n - mean * mean, 0.0));
    if (op == NPP_LEAST_MOST)
        ((T *)two)[channel] = (T)most;
}
/* Bins of the same width between two levels. */
template <class T> __global__ void npp_histogram(npp_shape s, int channel, const void *a, int a_step, int bins, int low, int high, int *counts)
{
    NPP_EACH (i, (long long)s.width * s.height) {
        const long long v = (long long)npp_at<T>(a, a_step, i / s.width, i % s.width * s.channels + channel);
        if (v < low || v >= high)
            continue;
        /* The last level that is not above v. */
        int bin = (int)((v - low) * bins / (high - low));
        while (bin + 1 < bins && low + ((long long)(high - low) * (bin + 1) + bins / 2) / bins <= v)
            bin++;
        while (bin > 0 && low + ((long long)(high - low) * bin + bins / 2) / bins > v)
            bin--;
        atomicAdd(&counts[bin], 1);
    }
}
