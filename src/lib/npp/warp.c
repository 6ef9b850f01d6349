/* NPP's geometry: each pixel that is written looks up its place in the source. */
#include <math.h>
#include <string.h>
#include "lib/npp/npp_int.h"

static bool is_sampled(int interpolation)
{
    return interpolation == NPPI_INTER_NN || interpolation == NPPI_INTER_LINEAR ||
           interpolation == NPPI_INTER_CUBIC;
}

/* What of a rectangle lies in an image. */
static bool clip(NppiRect *r, NppiSize size)
{
    const int x1 = r->x + r->width < size.width ? r->x + r->width : size.width;
    const int y1 = r->y + r->height < size.height ? r->y + r->height : size.height;
    r->x = r->x > 0 ? r->x : 0;
    r->y = r->y > 0 ? r->y : 0;
    r->width = x1 - r->x;
    r->height = y1 - r->y;
    return r->width > 0 && r->height > 0;
}

static NppStatus warp(const struct npp_call *call, const double *to_source, bool clamp,
                      const void *a, int a_step, NppiRect from, void *d, int d_step, NppiRect to,
                      int interpolation)
{
    const NppiSize size = {to.width, to.height};
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!is_sampled(interpolation))
        return NPP_INTERPOLATION_ERROR;
    struct npp_warp w = {.x0 = from.x,
                         .y0 = from.y,
                         .x1 = from.x + from.width,
                         .y1 = from.y + from.height,
                         .interpolation = interpolation,
                         .clamp = clamp};
    memcpy(w.to_source, to_source, sizeof w.to_source);
    struct npp_shape s = npp_shape_of(call, size);
    char *first = (char *)d + (ptrdiff_t)to.y * d_step +
                  (ptrdiff_t)to.x * call->channels * npp_bytes[call->from];
    int x = to.x, y = to.y;
    return npp_run(call, "npp_warp_image", false, npp_count(&s),
                   (void *[]){&s, &w, &x, &y, &a, &a_step, &first, &d_step});
}

/* The inverse of three by three; false: none. */
static bool inverse(const double *m, double *r)
{
    const double c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8],
                 c2 = m[3] * m[7] - m[4] * m[6];
    const double det = m[0] * c0 + m[1] * c1 + m[2] * c2;
    if (det == 0 || !isfinite(det))
        return false;
    const double all[9] = {c0, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                           c1, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                           c2, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int k = 0; k < 9; k++)
        r[k] = all[k] / det;
    return true;
}

static NppStatus matrix(const struct npp_call *call, const void *a, NppiSize size, int a_step,
                        NppiRect from, void *d, int d_step, NppiRect to, const double *m, bool back,
                        int interpolation)
{
    double to_source[9];
    if (size.width < 1 || size.height < 1 || to.width < 0 || to.height < 0 || to.x < 0 || to.y < 0)
        return NPP_SIZE_ERROR;
    if (from.width < 1 || from.height < 1)
        return NPP_RECTANGLE_ERROR;
    if (!clip(&from, size))
        return NPP_WRONG_INTERSECTION_ROI_WARNING;
    if (back)
        memcpy(to_source, m, sizeof to_source);
    else if (!inverse(m, to_source))
        return NPP_COEFFICIENT_ERROR;
    return warp(call, to_source, false, a, a_step, from, d, d_step, to, interpolation);
}

static NppStatus affine(const struct npp_call *call, const void *a, NppiSize size, int a_step,
                        NppiRect from, void *d, int d_step, NppiRect to, const double (*c)[3],
                        bool back, int interpolation)
{
    if (!c)
        return NPP_NULL_POINTER_ERROR;
    const double m[9] = {c[0][0], c[0][1], c[0][2], c[1][0], c[1][1], c[1][2], 0, 0, 1};
    return matrix(call, a, size, a_step, from, d, d_step, to, m, back, interpolation);
}

static NppStatus perspective(const struct npp_call *call, const void *a, NppiSize size, int a_step,
                             NppiRect from, void *d, int d_step, NppiRect to, const double (*c)[3],
                             bool back, int interpolation)
{
    if (!c)
        return NPP_NULL_POINTER_ERROR;
    return matrix(call, a, size, a_step, from, d, d_step, to, &c[0][0], back, interpolation);
}

#define WARP(name, how, back)                                                                      \
    NppStatus npp_warp_##name(const struct npp_call *call, const void *a, NppiSize size,           \
                              int a_step, NppiRect from, void *d, int d_step, NppiRect to,         \
                              const double(*c)[3], int interpolation)                              \
    {                                                                                              \
        return how(call, a, size, a_step, from, d, d_step, to, c, back, interpolation);            \
    }
WARP(affine, affine, false)
WARP(affine_back, affine, true)
WARP(perspective, perspective, false)
WARP(perspective_back, perspective, true)

/* Counter-clockwise, in degrees, where y points down. */
NppStatus npp_rotate(const struct npp_call *call, const void *a, NppiSize size, int a_step,
                     NppiRect from, void *d, int d_step, NppiRect to, double angle, double shift_x,
                     double shift_y, int interpolation)
{
    const double turn = angle * (3.14159265358979323846 / 180), c = cos(turn), s = sin(turn);
    const double m[2][3] = {{c, s, shift_x}, {-s, c, shift_y}};
    return affine(call, a, size, a_step, from, d, d_step, to, m, false, interpolation);
}

/* The mean of what a pixel covers. */
static NppStatus shrink(const struct npp_call *call, const void *a, int a_step, NppiRect from,
                        void *d, int d_step, NppiRect to)
{
    const NppiSize size = {to.width, to.height};
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    double fx = (double)from.width / to.width, fy = (double)from.height / to.height;
    if (fx < 1 || fy < 1)
        return NPP_RESIZE_FACTOR_ERROR;
    struct npp_warp w = {
        .x0 = from.x, .y0 = from.y, .x1 = from.x + from.width, .y1 = from.y + from.height};
    struct npp_shape s = npp_shape_of(call, size);
    char *first = (char *)d + (ptrdiff_t)to.y * d_step +
                  (ptrdiff_t)to.x * call->channels * npp_bytes[call->from];
    return npp_run(call, "npp_shrink", false, npp_count(&s),
                   (void *[]){&s, &w, &fx, &fy, &a, &a_step, &first, &d_step});
}

NppStatus npp_resize(const struct npp_call *call, const void *a, int a_step, NppiSize size,
                     NppiRect from, void *d, int d_step, NppiSize room, NppiRect to,
                     int interpolation)
{
    if (from.width < 1 || from.height < 1 || to.width < 1 || to.height < 1)
        return NPP_RECTANGLE_ERROR;
    if (from.x < 0 || from.y < 0 || from.x > size.width - from.width ||
        from.y > size.height - from.height || to.x < 0 || to.y < 0 ||
        to.x > room.width - to.width || to.y > room.height - to.height)
        return NPP_WRONG_INTERSECTION_ROI_WARNING;
    if (interpolation == NPPI_INTER_SUPER)
        return shrink(call, a, a_step, from, d, d_step, to);
    const double fx = (double)from.width / to.width, fy = (double)from.height / to.height;
    /* Centres of pixels: (x - to.x + 1/2) fx - 1/2 + from.x. */
    const double m[9] = {
        fx, 0, (0.5 - to.x) * fx - 0.5 + from.x, 0, fy, (0.5 - to.y) * fy - 0.5 + from.y, 0, 0, 1};
    return warp(call, m, true, a, a_step, from, d, d_step, to, interpolation);
}
