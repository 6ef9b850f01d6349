/* NPP's gradients and edges. NVIDIA documents neither how far from a pixel its Canny looks nor what
 * it does with the border of the region: these are Canny's steps as they are taught, what lies
 * outside of the region has no magnitude. */
#include "lib/npp/npp_int.h"

static const struct npp_derivative prewitt = {1, {-1, 0, 1}, {1, 1, 1}};
static const struct npp_derivative scharr = {1, {-1, 0, 1}, {3, 10, 3}};
static const struct npp_derivative sobel = {1, {-1, 0, 1}, {1, 2, 1}};
static const struct npp_derivative wide_sobel = {2, {-1, -2, 0, 2, 1}, {1, 4, 6, 4, 1}};

/* An image, where the region lies in it, and what is asked of its slopes. */
struct slopes {
    struct npp_derivative k;
    struct npp_around around;
    int width, height, norm;
};

static NppStatus slopes_of(struct slopes *s, const struct npp_derivative *small,
                           const struct npp_derivative *large, NppiSize source, NppiPoint offset,
                           NppiSize size, NppiMaskSize mask, NppiNorm norm, NppiBorderType border)
{
    const struct npp_derivative *k = mask == NPP_MASK_SIZE_3_X_3   ? small
                                     : mask == NPP_MASK_SIZE_5_X_5 ? large
                                                                   : NULL;
    if (source.width < 1 || source.height < 1)
        return NPP_SIZE_ERROR;
    if (!k)
        return NPP_MASK_SIZE_ERROR;
    if ((unsigned)norm > NPP_NORM_L2)
        return NPP_BAD_ARGUMENT_ERROR;
    if (border != NPP_BORDER_REPLICATE)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    *s = (struct slopes){.k = *k,
                         .around = {.clamp = 1,
                                    .left = offset.x,
                                    .top = offset.y,
                                    .source_width = source.width,
                                    .source_height = source.height},
                         .width = size.width,
                         .height = size.height,
                         .norm = (int)norm};
    return NPP_SUCCESS;
}

static NppStatus gradient(const struct npp_call *call, struct slopes *s, const void *a, int a_step,
                          void *x, int x_step, void *y, int y_step, void *magnitude,
                          int magnitude_step, Npp32f *angle, int angle_step)
{
    if ((x && x_step <= 0) || (y && y_step <= 0) || (magnitude && magnitude_step <= 0) ||
        (angle && angle_step <= 0))
        return NPP_STEP_ERROR;
    return npp_run_from(call, "npp/edges.h", "npp_gradient", false, (int64_t)s->width * s->height,
                        (void *[]){&s->width, &s->height, &s->k, &s->around, &s->norm, &a, &a_step,
                                   &x, &x_step, &y, &y_step, &magnitude, &magnitude_step, &angle,
                                   &angle_step});
}

#define GRADIENT(name, small, large)                                                               \
    NppStatus npp_gradient_##name(const struct npp_call *call, const void *a, int a_step,          \
                                  NppiSize source, NppiPoint offset, void *x, int x_step, void *y, \
                                  int y_step, void *magnitude, int magnitude_step, Npp32f *angle,  \
                                  int angle_step, NppiSize size, NppiMaskSize mask, NppiNorm norm, \
                                  NppiBorderType border)                                           \
    {                                                                                              \
        struct slopes s;                                                                           \
        NppStatus r = npp_check(a, a_step, a, a_step, size);                                       \
        if (r == NPP_SUCCESS)                                                                      \
            r = slopes_of(&s, small, large, source, offset, size, mask, norm, border);             \
        return r != NPP_SUCCESS ? r                                                                \
                                : gradient(call, &s, a, a_step, x, x_step, y, y_step, magnitude,   \
                                           magnitude_step, angle, angle_step);                     \
    }
GRADIENT(prewitt, &prewitt, NULL)
GRADIENT(scharr, &scharr, NULL)
GRADIENT(sobel, &sobel, &wide_sobel)

/* ---- Canny's edges ---- */

NppStatus nppiFilterCannyBorderGetBufferSize(NppiSize size, int *bytes)
{
    return npp_small_buffer(size, bytes);
}

/* What lies between the steps, for each pixel. */
struct canny {
    float *magnitude;
    unsigned *parents, *strong;
    unsigned char *sector, *kind;
};

static NppStatus canny_steps(const struct npp_call *call, struct slopes *s, struct canny c,
                             const void *a, int a_step, void *d, int d_step, float low, float high)
{
    const int64_t n = (int64_t)s->width * s->height;
    int *w = &s->width, *h = &s->height;
    NppStatus r = npp_run_from(call, "npp/edges.h", "npp_canny_slopes", false, n,
                               (void *[]){w, h, &s->k, &s->around, &s->norm, &a, &a_step,
                                          &c.magnitude, &c.sector, &c.parents});
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, "npp/edges.h", "npp_canny_thin", n,
                          (void *[]){w, h, &low, &high, &c.magnitude, &c.sector, &c.kind});
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, "npp/edges.h", "npp_canny_join", n,
                          (void *[]){w, h, &c.kind, &c.parents});
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, "npp/edges.h", "npp_canny_mark", n,
                          (void *[]){w, h, &c.kind, &c.parents, &c.strong});
    if (r == NPP_SUCCESS)
        r = npp_run_plain(call, "npp/edges.h", "npp_canny_end", n,
                          (void *[]){w, h, &c.kind, &c.parents, &c.strong, &d, &d_step});
    return r;
}

NppStatus npp_canny(const struct npp_call *call, const void *a, int a_step, NppiSize source,
                    NppiPoint offset, void *d, int d_step, NppiSize size,
                    NppiDifferentialKernel filter, NppiMaskSize mask, Npp16s low, Npp16s high,
                    NppiNorm norm, NppiBorderType border, Npp8u *buffer)
{
    struct slopes s;
    NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (!buffer)
        return NPP_NULL_POINTER_ERROR;
    if (low < 0 || high < low)
        return NPP_RANGE_ERROR;
    r = filter == NPP_FILTER_SCHARR
            ? slopes_of(&s, &scharr, NULL, source, offset, size, mask, norm, border)
            : slopes_of(&s, &sobel, &wide_sobel, source, offset, size, mask, norm, border);
    if (r != NPP_SUCCESS)
        return r;
    const size_t n = (size_t)size.width * (size_t)size.height;
    struct canny c;
    void *p;
    const enum tern_error e = lib_scratch(call->stream, n * 14, &p);
    if (e)
        return npp_status(e);
    c.magnitude = p;
    c.parents = (unsigned *)p + n;
    c.strong = c.parents + n;
    c.sector = (unsigned char *)(c.strong + n);
    c.kind = c.sector + n;
    r = cudaMemsetAsync(c.strong, 0, n * 4, call->stream) == cudaSuccess
            ? canny_steps(call, &s, c, a, a_step, d, d_step, low, high)
            : NPP_CUDA_KERNEL_EXECUTION_ERROR;
    lib_scratch_free(call->stream, p);
    return r;
}
