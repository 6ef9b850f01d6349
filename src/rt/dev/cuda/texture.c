/* Textures and surfaces by the GPU's own sampler.
 *
 * The runtime keeps texels in plain device memory, row after row; the sampler reads arrays in a
 * layout of its own. So each texture has an array beside its memory: before a launch of a kernel
 * that samples anything, in the same queue, memory is copied to the arrays of all live textures,
 * and after it the arrays of surfaces are copied back. One queue at a time should use a surface, as
 * CUDA asks too. What is only fetched from by index is read in place. */
#include <stdlib.h>
#include "rt/dev/cuda/nvidia_int.h"

struct nv_texture {
    struct nv_texture *next;
    struct texture_desc desc;
    uint64_t handle;
    bool in_place;
    nv_mipmap mipmap;
    nv_array levels[TEXTURE_MAX_LEVELS]; /* of the mipmap, or one of its own */
    unsigned made;
};

static int format_of(const struct texture_desc *t)
{
    static const int formats[3][3] = {{0x08, 0x09, 0x0a}, {0x01, 0x02, 0x03}, {0, 0x10, 0x20}};
    return formats[t->channel][t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2];
}

static bool is_layered(const struct texture_desc *t)
{
    return t->geometry == IR_TEX_A1D || t->geometry == IR_TEX_A2D || t->geometry == IR_TEX_ACUBE;
}

static uint32_t slices_of(const struct texture_desc *t, const struct texture_level *l)
{
    const bool cube = t->geometry == IR_TEX_CUBE || t->geometry == IR_TEX_ACUBE;
    return t->geometry == IR_TEX_3D ? l->depth : (t->layers ? t->layers : 1) * (cube ? 6 : 1);
}

static bool has_rows(const struct texture_desc *t) /* more than one */
{
    return t->geometry != IR_TEX_1D && t->geometry != IR_TEX_A1D;
}

/* ---- the array ---- */
static nv_result make_array(struct dev *d, struct nv_texture *x)
{
    const struct texture_desc *t = &x->desc;
    const struct texture_level *l = &t->levels[0];
    const bool cube = t->geometry == IR_TEX_CUBE || t->geometry == IR_TEX_ACUBE;
    const bool flat = t->geometry == IR_TEX_1D || t->geometry == IR_TEX_2D;
    struct nv_array_desc a = {.width = l->width,
                              .height = has_rows(t) ? l->height : 0,
                              .depth = flat ? 0 : slices_of(t, l),
                              .format = format_of(t),
                              .channels = t->components,
                              .flags = (is_layered(t) ? CUDA_ARRAY_LAYERED : 0) |
                                       (cube ? CUDA_ARRAY_CUBE : 0) |
                                       (t->surface ? CUDA_ARRAY_SURFACE : 0) |
                                       (t->geometry == IR_TEX_2D ? CUDA_ARRAY_GATHER : 0)};
    if (t->nlevels == 1)
        return d->api.array_create(&x->levels[0], &a);
    a.flags &= ~(unsigned)CUDA_ARRAY_GATHER;
    nv_result r = d->api.mipmap_create(&x->mipmap, &a, t->nlevels);
    for (uint32_t k = 0; !r && k < t->nlevels; k++)
        r = d->api.mipmap_level(&x->levels[k], x->mipmap, k);
    return r;
}

/* Memory → array, or back. */
static nv_result move_level(struct dev *d, nv_stream s, const struct nv_texture *x, uint32_t k,
                            bool back)
{
    const struct texture_desc *t = &x->desc;
    const struct texture_level *l = &t->levels[k];
    const struct nv_copy_end memory = {.kind = CUDA_MEMORY_DEVICE,
                                       .device = t->memory + l->offset,
                                       .pitch = l->row,
                                       .height = has_rows(t) ? l->slice / l->row : 1};
    const struct nv_copy_end array = {.kind = CUDA_MEMORY_ARRAY, .array = x->levels[k]};
    const struct nv_copy3d c = {.from = back ? array : memory,
                                .to = back ? memory : array,
                                .width_bytes = (size_t)l->width * t->components * t->bits / 8,
                                .height = has_rows(t) ? l->height : 1,
                                .depth = slices_of(t, l)};
    return d->api.copy3d(&c, s);
}

/* ---- the object ---- */
static nv_result make_object(struct dev *d, struct nv_texture *x)
{
    const struct texture_desc *t = &x->desc;
    struct nv_resource r = {.kind = x->mipmap ? CUDA_RESOURCE_MIPMAP : CUDA_RESOURCE_ARRAY};
    r.of.array = x->mipmap ? (nv_array)(void *)x->mipmap : x->levels[0];
    if (x->in_place) {
        r.kind = CUDA_RESOURCE_LINEAR;
        r.of.linear.memory = t->memory + t->levels[0].offset;
        r.of.linear.format = format_of(t);
        r.of.linear.channels = t->components;
        r.of.linear.bytes = t->bytes;
    }
    if (t->surface)
        return d->api.surface_create(&x->handle, &r);
    struct nv_sampler c = {.filter = t->filter,
                           .level_filter = t->level_filter,
                           .level_bias = t->level_bias,
                           .min_level = t->min_level,
                           .max_level = t->max_level};
    if (t->channel != TEXTURE_FLOAT && !t->normalized_values)
        c.flags |= CUDA_SAMPLE_INTEGERS;
    if (t->normalized_coordinates)
        c.flags |= CUDA_SAMPLE_NORMALIZED;
    if (t->srgb)
        c.flags |= CUDA_SAMPLE_SRGB;
    for (unsigned k = 0; k < 3; k++)
        c.address[k] = t->address[k]; /* the numbers are the same */
    for (unsigned k = 0; k < 4; k++)
        c.border[k] = t->border[k];
    return d->api.texture_create(&x->handle, &r, &c, NULL);
}

static void destroy(struct dev *d, struct nv_texture *x)
{
    if (nv_enter_with(d, x->made) == TERN_OK) {
        if (x->handle && x->desc.surface)
            d->api.surface_destroy(x->handle);
        else if (x->handle)
            d->api.texture_destroy(x->handle);
        if (x->mipmap)
            d->api.mipmap_destroy(x->mipmap);
        else if (x->levels[0])
            d->api.array_destroy(x->levels[0]);
    }
    free(x);
}

enum tern_error nv_texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle)
{
    *handle = 0;
    enum tern_error e = nv_enter(d);
    if (e)
        return e;
    if (!desc->nlevels || !desc->memory || (desc->channel == TEXTURE_FLOAT && desc->bits == 8))
        return TERN_INVALID_ARGUMENT;
    struct nv_texture *x = calloc(1, sizeof *x);
    if (!x)
        return TERN_OUT_OF_MEMORY;
    x->desc = *desc;
    x->made = d->made;
    x->in_place = desc->linear;
    nv_result r = x->in_place ? 0 : make_array(d, x);
    if (!r)
        r = make_object(d, x);
    if (r) {
        destroy(d, x);
        return nv_check(d, r, "making a texture");
    }
    pthread_mutex_lock(&d->lock);
    x->next = d->textures;
    d->textures = x;
    pthread_mutex_unlock(&d->lock);
    *handle = x->handle;
    return TERN_OK;
}

enum tern_error nv_texture_free(struct dev *d, uint64_t handle)
{
    pthread_mutex_lock(&d->lock);
    struct nv_texture **at = &d->textures;
    while (*at && ((*at)->handle != handle || (*at)->made != d->made))
        at = &(*at)->next;
    struct nv_texture *x = *at;
    if (x)
        *at = x->next;
    pthread_mutex_unlock(&d->lock);
    if (x)
        destroy(d, x);
    return x ? TERN_OK : TERN_INVALID_HANDLE;
}

nv_result nv_textures_sync(struct dev *d, nv_stream s, bool back)
{
    nv_result r = 0;
    pthread_mutex_lock(&d->lock);
    for (struct nv_texture *x = d->textures; x && !r; x = x->next)
        if (x->made == d->made && !x->in_place && (!back || x->desc.surface))
            for (uint32_t k = 0; k < x->desc.nlevels && !r; k++)
                r = move_level(d, s, x, k, back);
    pthread_mutex_unlock(&d->lock);
    return r;
}

void nv_textures_drop(struct dev *d)
{
    while (d->textures) {
        struct nv_texture *x = d->textures;
        d->textures = x->next;
        destroy(d, x);
    }
}
