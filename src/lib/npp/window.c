/* NPP's filters: what lies around a pixel. Without a border the caller sees to it that there is
 * something. */
#include "lib/npp/npp_int.h"

struct weights {
    const Npp8u *mask;
    const Npp32s *whole;
    const Npp32f *weights;
    double divisor;
};

static NppStatus filter(const struct npp_call *call, int op, struct npp_around w, struct weights g,
                        const void *a, int a_step, void *d, int d_step, NppiSize size)
{
    const NppStatus r = npp_check(a, a_step, d, d_step, size);
    if (r != NPP_SUCCESS)
        return r;
    if (w.width < 1 || w.height < 1 || w.width > INT32_MAX / w.height)
        return NPP_MASK_SIZE_ERROR;
    if (w.anchor_x < 0 || w.anchor_y < 0 || w.anchor_x >= w.width || w.anchor_y >= w.height)
        return NPP_ANCHOR_ERROR;
    struct npp_shape s = npp_shape_of(call, size);
    return npp_run(call, "npp_window", false, npp_count(&s),
                   (void *[]){&s, &op, &w, &g.mask, &g.whole, &g.weights, &g.divisor, &a, &a_step,
                              &d, &d_step});
}

static struct npp_around around(NppiSize mask, NppiPoint anchor)
{
    return (struct npp_around){
        .width = mask.width, .height = mask.height, .anchor_x = anchor.x, .anchor_y = anchor.y};
}

static NppStatus plain(const struct npp_call *call, int op, const void *a, int a_step, void *d,
                       int d_step, NppiSize size, NppiSize mask, NppiPoint anchor)
{
    const double divisor = op == NPP_BOX ? (double)mask.width * mask.height : 1;
    return filter(call, op, around(mask, anchor), (struct weights){.divisor = divisor}, a, a_step,
                  d, d_step, size);
}

static NppStatus bordered(const struct npp_call *call, int op, const void *a, int a_step,
                          NppiSize source, NppiPoint offset, void *d, int d_step, NppiSize size,
                          NppiSize mask, NppiPoint anchor, NppiBorderType type)
{
    if (type != NPP_BORDER_REPLICATE)
        return NPP_NOT_SUPPORTED_MODE_ERROR;
    if (source.width < 1 || source.height < 1)
        return NPP_SIZE_ERROR;
    struct npp_around w = around(mask, anchor);
    w.clamp = 1;
    w.left = offset.x;
    w.top = offset.y;
    w.source_width = source.width;
    w.source_height = source.height;
    const double divisor = op == NPP_BOX ? (double)mask.width * mask.height : 1;
    return filter(call, op, w, (struct weights){.divisor = divisor}, a, a_step, d, d_step, size);
}

#define FILTER(name, op)                                                                           \
    NppStatus npp_filter_##name(const struct npp_call *call, const void *a, int a_step, void *d,   \
                                int d_step, NppiSize size, NppiSize mask, NppiPoint anchor)        \
    {                                                                                              \
        return plain(call, op, a, a_step, d, d_step, size, mask, anchor);                          \
    }                                                                                              \
    NppStatus npp_filter_##name##_border(                                                          \
        const struct npp_call *call, const void *a, int a_step, NppiSize source, NppiPoint offset, \
        void *d, int d_step, NppiSize size, NppiSize mask, NppiPoint anchor, NppiBorderType type)  \
    {                                                                                              \
        return bordered(call, op, a, a_step, source, offset, d, d_step, size, mask, anchor, type); \
    }
FILTER(box, NPP_BOX)
FILTER(max, NPP_MAX)
FILTER(min, NPP_MIN)

/* A mask of places that count; of three by three all do. */
#define MORPHOLOGY(name, op)                                                                       \
    NppStatus npp_##name(const struct npp_call *call, const void *a, int a_step, void *d,          \
                         int d_step, NppiSize size, const Npp8u *mask, NppiSize mask_size,         \
                         NppiPoint anchor)                                                         \
    {                                                                                              \
        if (!mask)                                                                                 \
            return NPP_NULL_POINTER_ERROR;                                                         \
        return filter(call, op, around(mask_size, anchor),                                         \
                      (struct weights){.mask = mask, .divisor = 1}, a, a_step, d, d_step, size);   \
    }                                                                                              \
    NppStatus npp_##name##_3x3(const struct npp_call *call, const void *a, int a_step, void *d,    \
                               int d_step, NppiSize size)                                          \
    {                                                                                              \
        return plain(call, op, a, a_step, d, d_step, size, (NppiSize){3, 3}, (NppiPoint){1, 1});   \
    }
MORPHOLOGY(dilate, NPP_MAX)
MORPHOLOGY(erode, NPP_MIN)

NppStatus npp_filter_whole(const struct npp_call *call, const void *a, int a_step, void *d,
                           int d_step, NppiSize size, const Npp32s *kernel, NppiSize kernel_size,
                           NppiPoint anchor, Npp32s divisor)
{
    if (!kernel)
        return NPP_NULL_POINTER_ERROR;
    if (!divisor)
        return NPP_DIVISOR_ERROR;
    return filter(call, NPP_FILTER, around(kernel_size, anchor),
                  (struct weights){.whole = kernel, .divisor = divisor}, a, a_step, d, d_step,
                  size);
}

NppStatus npp_filter_weights(const struct npp_call *call, const void *a, int a_step, void *d,
                             int d_step, NppiSize size, const Npp32f *kernel, NppiSize kernel_size,
                             NppiPoint anchor)
{
    if (!kernel)
        return NPP_NULL_POINTER_ERROR;
    return filter(call, NPP_FILTER, around(kernel_size, anchor),
                  (struct weights){.weights = kernel, .divisor = 1}, a, a_step, d, d_step, size);
}
