/* Kernels of NPP's edges: gradients of a small square around a pixel, what is largest across an edge, edges that hang together with a strong one. */
#pragma once
#include "device/npp/regions.h"

/* To the right and upwards. Pixels outside of the source are those of its border. */
template <class T> __device__ inline void npp_slopes(const npp_derivative &k, const npp_around &w, const void *a, int a_step, int x, int y, double *dx, double *dy)
{
    const int right = w.source_width - 1 - w.left, bottom = w.source_height - 1 - w.top;
    double across = 0, up = 0;
    for (int j = -k.reach; j <= k.reach; j++)
        for (int i = -k.reach; i <= k.reach; i++) {
            const int px = x + i < -w.left ? -w.left : x + i > right ? right : x + i, py = y + j < -w.top ? -w.top : y + j > bottom ? bottom : y + j;
            const double v = (double)npp_at<T>(a, a_step, py, px);
            across += v * k.slope[i + k.reach] * k.smooth[j + k.reach];
            up -= v * k.slope[j + k.reach] * k.smooth[i + k.reach];
        }
    *dx = across;
    *dy = up;
}
__device__ inline double npp_magnitude(int norm, double dx, double dy)
{
    return norm == NPP_NORM_L1 ? fabs(dx) + fabs(dy) : norm == NPP_NORM_L2 ? sqrt(dx * dx + dy * dy) : fmax(fabs(dx), fabs(dy));
}
/* What is not asked for is NULL. */
template <class T>
__global__ void npp_gradient(int width, int height, npp_derivative k, npp_around w, int norm, const void *a, int a_step, void *x_out, int x_step, void *y_out,
                             int y_step, void *magnitude, int magnitude_step, void *angle, int angle_step)
{
    NPP_EACH (i, (long long)width * height) {
        const int y = (int)(i / width), x = (int)(i % width);
        double dx, dy;
        npp_slopes<T>(k, w, a, a_step, x, y, &dx, &dy);
        if (x_out)
            npp_at<short>(x_out, x_step, y, x) = npp_as<short>::of(dx);
        if (y_out)
            npp_at<short>(y_out, y_step, y, x) = npp_as<short>::of(dy);
        if (magnitude)
            npp_at<short>(magnitude, magnitude_step, y, x) = npp_as<short>::of(npp_magnitude(norm, dx, dy));
        if (angle)
            npp_at<float>(angle, angle_step, y, x) = (float)atan2(dy, dx);
    }
}

/* ---- Canny's edges ---- */

/* Each pixel is a region of its own, without an edge yet. sector: 0 the edge's neighbours are beside it, 1 above on the right, 2 above and below,
 * 3 above on the left. */
template <class T>
__global__ void npp_canny_slopes(int width, int height, npp_derivative k, npp_around w, int norm, const void *a, int a_step, float *magnitude, unsigned char *sector,
                                 unsigned *parents)
{
    NPP_EACH (i, (long long)width * height) {
        double dx, dy;
        npp_slopes<T>(k, w, a, a_step, (int)(i % width), (int)(i / width), &dx, &dy);
        magnitude[i] = (float)npp_magnitude(norm, dx, dy);
        const double steep = 2.414213562373095, flat = 0.4142135623730951; /* of three eighths and one eighth of a half turn */
        sector[i] = fabs(dy) <= flat * fabs(dx) ? 0 : fabs(dy) >= steep * fabs(dx) ? 2 : (dx > 0) == (dy > 0) ? 1 : 3;
        parents[i] = (unsigned)i;
    }
}
__device__ inline float npp_canny_at(int width, int height, const float *magnitude, int x, int y)
{
    return x < 0 || y < 0 || x >= width || y >= height ? 0.0f : magnitude[(long long)y * width + x];
}
/* No edge, a weak one or a strong one. Of two that are equal across the edge the first is it. */
__global__ void npp_canny_thin(int width, int height, float low, float high, const float *magnitude, const unsigned char *sector, unsigned char *kind)
{
    NPP_EACH (i, (long long)width * height) {
        const int y = (int)(i / width), x = (int)(i % width), s = sector[i];
        const int dx = s == 2 ? 0 : s == 3 ? -1 : 1, dy = s == 0 ? 0 : -1;
        const float m = magnitude[i];
        const bool top = m > npp_canny_at(width, height, magnitude, x - dx, y - dy) && m >= npp_canny_at(width, height, magnitude, x + dx, y + dy);
        kind[i] = !top || m <= low ? 0 : m > high ? 2 : 1;
    }
}
__global__ void npp_canny_join(int width, int height, const unsigned char *kind, unsigned *parents)
{
    const npp_parents l = {parents, width * (int)sizeof(unsigned), width};
    NPP_EACH (i, (long long)width * height) {
        const int y = (int)(i / width), x = (int)(i % width);
        if (!kind[i])
            continue;
        if (x && kind[i - 1])
            npp_join(l, (unsigned)i, (unsigned)i - 1);
        for (int dx = -1; y && dx <= 1; dx++)
            if (x + dx >= 0 && x + dx < width && kind[i - width + dx])
                npp_join(l, (unsigned)i, (unsigned)(i - width + dx));
    }
}
__global__ void npp_canny_mark(int width, int height, const unsigned char *kind, unsigned *parents, unsigned *strong)
{
    const npp_parents l = {parents, width * (int)sizeof(unsigned), width};
    NPP_EACH (i, (long long)width * height)
        if (kind[i] == 2)
            atomicOr(&strong[npp_root(l, (unsigned)i)], 1u);
}
__global__ void npp_canny_end(int width, int height, const unsigned char *kind, unsigned *parents, const unsigned *strong, void *d, int d_step)
{
    const npp_parents l = {parents, width * (int)sizeof(unsigned), width};
    NPP_EACH (i, (long long)width * height)
        npp_at<unsigned char>(d, d_step, i / width, i % width) = kind[i] && strong[npp_root(l, (unsigned)i)] ? 255 : 0;
}
