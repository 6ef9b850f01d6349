/* Texture and surface objects. The handle that kernels get is the device's own; what it was made
 * from is remembered, because a program may ask. */
#include <stdlib.h>
#include <string.h>
#include "cuda/array.h"

struct object {
    struct object *next;
    uint64_t handle;
    struct tern_device *device;
    bool surface, viewed;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
};

static struct {
    pthread_mutex_t lock;
    struct object *objects;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what is sampled ---- */

/* How much of bytes from p on a texture can show: NVIDIA takes more than the allocation has, too,
 * and fetches outside of a texture are 0. A checker is told of it by who looks the place up. */
static size_t bytes_there(const void *p, size_t bytes)
{
    struct cuda_range r;
    if (cuda_check() || !cuda_find_range(p, 0, &r))
        return bytes;
    const uint64_t left = r.at + r.size - (uint64_t)(uintptr_t)p;
    return bytes < left ? bytes : (size_t)left;
}

static cudaError_t from_linear(const struct cudaResourceDesc *r, struct texture_desc *t,
                               struct tern_device **d)
{
    const bool pitched = r->resType == cudaResourceTypePitch2D;
    const struct cudaChannelFormatDesc *format =
        pitched ? &r->res.pitch2D.desc : &r->res.linear.desc;
    *t = (struct texture_desc){
        .geometry = pitched ? IR_TEX_2D : IR_TEX_1D, .layers = 1, .linear = !pitched};
    if (!cuda_format(format, t))
        return cudaErrorInvalidChannelDescriptor;
    const size_t element = (size_t)t->components * t->bits / 8;
    const size_t width = pitched ? r->res.pitch2D.width
                                 : bytes_there(r->res.linear.devPtr, r->res.linear.sizeInBytes) /
                                       element,
                 height = pitched ? r->res.pitch2D.height : 1;
    if (!width || !height || width > UINT32_MAX || height > UINT32_MAX)
        return cudaErrorInvalidValue;
    texture_layout(t, (uint32_t)width, (uint32_t)height, 1, 1);
    const void *p = pitched ? r->res.pitch2D.devPtr : r->res.linear.devPtr;
    if (pitched) {
        if (r->res.pitch2D.pitchInBytes < t->levels[0].row)
            return cudaErrorInvalidValue;
        t->levels[0].row = r->res.pitch2D.pitchInBytes;
        t->levels[0].slice = t->levels[0].row * height;
        t->bytes = t->levels[0].row * (height - 1) + width * element;
    }
    struct work_place at;
    cudaError_t e = p ? cuda_locate(p, t->bytes, true, true, &at) : cudaErrorInvalidValue;
    if (e == cudaSuccess && at.device)
        *d = at.device;
    t->memory = at.at;
    return e;
}

static cudaError_t source_of(const struct cudaResourceDesc *r, struct texture_desc *t,
                             struct tern_device **d)
{
    switch (r->resType) {
    case cudaResourceTypeArray:
        if (cuda_handle_gone(r->res.array.array))
            return cudaErrorInvalidResourceHandle;
        *t = r->res.array.array->texels;
        *d = r->res.array.array->device;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        if (cuda_handle_gone(r->res.mipmap.mipmap))
            return cudaErrorInvalidResourceHandle;
        *t = r->res.mipmap.mipmap->texels;
        *d = r->res.mipmap.mipmap->device;
        return cudaSuccess;
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D: return from_linear(r, t, d);
    }
    return cudaErrorInvalidValue;
}

/* ---- objects ---- */

static cudaError_t make(const struct cudaResourceDesc *r, const struct cudaTextureDesc *c,
                        const struct cudaResourceViewDesc *view, bool surface, uint64_t *handle)
{
    struct texture_desc t;
    struct tern_device *d;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = source_of(r, &t, &d);
    if (e != cudaSuccess)
        return e;
    if (view && view->format != cudaResViewFormatNone)
        return cudaErrorNotSupported; /* another format over the same texels */
    t.surface = surface;
    if (!surface) {
        for (int k = 0; k < 3; k++) {
            if ((unsigned)c->addressMode[k] > cudaAddressModeBorder)
                return cudaErrorInvalidValue;
            t.address[k] = (enum texture_address)c->addressMode[k];
        }
        if ((unsigned)c->filterMode > cudaFilterModeLinear ||
            (unsigned)c->mipmapFilterMode > cudaFilterModeLinear ||
            (unsigned)c->readMode > cudaReadModeNormalizedFloat)
            return cudaErrorInvalidValue;
        if (c->readMode == cudaReadModeNormalizedFloat && t.bits == 32)
            return cudaErrorInvalidValue; /* only integers of 8 and 16 bits are normalised */
        if (c->filterMode == cudaFilterModeLinear && t.channel != TEXTURE_FLOAT &&
            c->readMode == cudaReadModeElementType)
            return cudaErrorInvalidFilterSetting;
        t.filter = (enum texture_filter)c->filterMode;
        t.level_filter = (enum texture_filter)c->mipmapFilterMode;
        t.normalized_coordinates = c->normalizedCoords != 0;
        t.normalized_values =
            c->readMode == cudaReadModeNormalizedFloat && t.channel != TEXTURE_FLOAT;
        t.srgb = c->sRGB != 0;
        t.level_bias = c->mipmapLevelBias;
        t.min_level = c->minMipmapLevelClamp;
        t.max_level = c->maxMipmapLevelClamp;
        memcpy(t.border, c->borderColor, sizeof t.border);
    }
    if (!d->rt.driver->texture_new)
        return cudaErrorNotSupported;
    struct object *o = calloc(1, sizeof *o);
    if (!o)
        return cudaErrorMemoryAllocation;
    e = cuda_from(device_check(d, d->rt.driver->texture_new(d->rt.dev, &t, handle)));
    if (e != cudaSuccess) {
        free(o);
        return e;
    }
    *o = (struct object){.handle = *handle, .device = d, .surface = surface, .resource = *r};
    if (c)
        o->texture = *c;
    if (view) {
        o->view = *view;
        o->viewed = true;
    }
    pthread_mutex_lock(&table.lock);
    o->next = table.objects;
    table.objects = o;
    pthread_mutex_unlock(&table.lock);
    return cudaSuccess;
}

static cudaError_t drop(uint64_t handle, bool surface)
{
    pthread_mutex_lock(&table.lock);
    struct object **at = &table.objects;
    while (*at && ((*at)->handle != handle || (*at)->surface != surface))
        at = &(*at)->next;
    struct object *o = *at;
    if (o)
        *at = o->next;
    pthread_mutex_unlock(&table.lock);
    if (!o)
        return cudaErrorInvalidValue;
    cudaError_t e = cuda_wait_all(o->device);
    cudaError_t freed = cuda_from(o->device->rt.driver->texture_free(o->device->rt.dev, handle));
    free(o);
    return e != cudaSuccess ? e : freed;
}

static bool find(uint64_t handle, bool surface, struct object *out)
{
    pthread_mutex_lock(&table.lock);
    const struct object *o = table.objects;
    while (o && (o->handle != handle || o->surface != surface))
        o = o->next;
    if (o)
        *out = *o;
    pthread_mutex_unlock(&table.lock);
    return o != NULL;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view)
{
    PROF_CALL(__func__);
    uint64_t handle;
    if (!object || !resource || !texture)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = make(resource, texture, view, false, &handle);
    if (e == cudaSuccess)
        *object = handle;
    return cuda_return(e);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    PROF_CALL(__func__);
    return object ? cuda_return(drop(object, false)) : cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t object)
{
    PROF_CALL(__func__);
    struct object o;
    if (!resource || !find(object, false, &o))
        return cuda_return(cudaErrorInvalidValue);
    *resource = o.resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture,
                                            cudaTextureObject_t object)
{
    PROF_CALL(__func__);
    struct object o;
    if (!texture || !find(object, false, &o))
        return cuda_return(cudaErrorInvalidValue);
    *texture = o.texture;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                                 cudaTextureObject_t object)
{
    PROF_CALL(__func__);
    struct object o;
    if (!view || !find(object, false, &o) || !o.viewed)
        return cuda_return(cudaErrorInvalidValue);
    *view = o.view;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource)
{
    PROF_CALL(__func__);
    uint64_t handle;
    if (!object || !resource)
        return cuda_return(cudaErrorInvalidValue);
    if (resource->resType != cudaResourceTypeArray)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = make(resource, NULL, NULL, true, &handle);
    if (e == cudaSuccess)
        *object = handle;
    return cuda_return(e);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    PROF_CALL(__func__);
    return object ? cuda_return(drop(object, true)) : cudaSuccess;
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t object)
{
    PROF_CALL(__func__);
    struct object o;
    if (!resource || !find(object, true, &o))
        return cuda_return(cudaErrorInvalidValue);
    *resource = o.resource;
    return cudaSuccess;
}
