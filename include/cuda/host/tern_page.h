/* The runtime API in pages, as far as it has structures in it: in C++, over a few functions of the page (web/tern/runtime.js). One
 * memory is the host's and the device's, so that a copy is a copy of bytes. */
#pragma once
#include <string.h>
extern "C" {
cudaError_t __tern_page_fail(cudaError_t e); /* gives it back, and it is the last error */
cudaError_t __tern_page_sync(void);
void *__tern_page_range(size_t size, int kind);
void __tern_page_give(void *p);
int __tern_page_find(const void *p, void **base, size_t *size); /* enum cudaMemoryType, or 0 */
int __tern_page_kernel(const void *func, size_t *facts);        /* shared, local, most shared */

cudaError_t __tern_page_call_node(cudaGraphNode_t *node, cudaGraph_t graph, void (*f)(void *), void *data);
cudaError_t __tern_page_kernel_node(cudaGraphNode_t *node, cudaGraph_t graph, const void *func, dim3 grid, dim3 block,
                                    void **args, size_t shared);

/* ---- errors ---- */
inline const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
#define __TERN_X(name, number) case number: return "cuda" #name;
        CUDA_ERRORS(__TERN_X)
#undef __TERN_X
    }
    return "unrecognized error code";
}
inline const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
#define __TERN_X(name, text) case cuda##name: return text;
        CUDA_ERROR_TEXTS(__TERN_X)
#undef __TERN_X
    }
    return cudaGetErrorName(error);
}

/* ---- the device ---- */
inline cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    if (!p)
        return __tern_page_fail(cudaErrorInvalidValue);
    if (device)
        return __tern_page_fail(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    strcpy(p->name, "WebAssembly");
    p->totalGlobalMem = 1ul << 31;
    p->sharedMemPerBlock = 49152;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->memPitch = 2147483647;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->totalConstMem = 65536;
    p->major = 8;
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->surfaceAlignment = 512;
    p->multiProcessorCount = 1;
    p->integrated = p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = 1;
    p->concurrentManagedAccess = p->pageableMemoryAccess = p->cooperativeLaunch = 1;
    p->canUseHostPointerForRegisteredMem = p->hostRegisterSupported = 1;
    p->maxThreadsPerMultiProcessor = 2048;
    p->sharedMemPerMultiprocessor = 233472;
    p->sharedMemPerBlockOptin = 232448 - 1024;
    p->maxBlocksPerMultiProcessor = 32;
    p->maxTexture1D = p->maxTexture2D[0] = p->maxTexture2D[1] = 65536;
    p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
    p->maxSurface1D = p->maxSurface2D[0] = p->maxSurface2D[1] = 65536;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp p;
    if (!value)
        return __tern_page_fail(cudaErrorInvalidValue);
    const cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (e)
        return e;
    switch ((int)attribute) {
#define __TERN_X(name, number, driver, field) case number: *value = (int)p.field; return cudaSuccess;
        CUDA_DEVICE_ATTRIBUTES(__TERN_X)
#undef __TERN_X
    }
    return __tern_page_fail(cudaErrorInvalidValue);
}
inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *func)
{
    size_t facts[3];
    if (!a)
        return __tern_page_fail(cudaErrorInvalidValue);
    if (!__tern_page_kernel(func, facts))
        return __tern_page_fail(cudaErrorInvalidDeviceFunction);
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = facts[0];
    a->localSizeBytes = facts[1];
    a->maxThreadsPerBlock = 1024;
    a->numRegs = 32;
    a->ptxVersion = a->binaryVersion = 80;
    a->maxDynamicSharedSizeBytes = (int)(facts[2] - facts[0]);
    return cudaSuccess;
}
inline cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    void *base;
    size_t size;
    if (!a)
        return __tern_page_fail(cudaErrorInvalidValue);
    const int kind = __tern_page_find(p, &base, &size);
    a->type = (enum cudaMemoryType)kind;
    a->device = kind ? 0 : -2;
    a->devicePointer = kind ? (void *)p : nullptr;
    a->hostPointer = kind == cudaMemoryTypeDevice || !kind ? nullptr : (void *)p;
    if (!kind)
        a->hostPointer = (void *)p;
    return cudaSuccess;
}

/* ---- texels: struct texture_desc of src/rt/texture.h ---- */
struct __tern_page_level {
    unsigned width, height, depth;
    unsigned long offset, row, slice;
};
struct __tern_page_texture {
    int geometry;
    unsigned long memory, bytes;
    unsigned layers, nlevels;
    struct __tern_page_level levels[16];
    int channel;
    unsigned char components, bits;
    int address[3];
    int filter, level_filter;
    bool normalized_coordinates, normalized_values, srgb;
    float level_bias, min_level, max_level;
    float border[4];
    bool linear, surface;
};
struct cudaArray {
    struct __tern_page_texture texels;
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags;
    bool part; /* of a mipmap */
};
inline bool __tern_page_format(const struct cudaChannelFormatDesc *d, struct __tern_page_texture *t)
{
    const int n = d->w ? 4 : d->y ? 2 : 1;
    if ((d->x != 8 && d->x != 16 && d->x != 32) || d->f > cudaChannelFormatKindFloat ||
        (n == 4 && (d->y != d->x || d->z != d->x || d->w != d->x)) || (n == 2 && (d->y != d->x || d->z)))
        return false;
    t->channel = (int)d->f;
    t->components = (unsigned char)n;
    t->bits = (unsigned char)d->x;
    return true;
}
/* Levels after each other; 0: all there are. */
inline bool __tern_page_layout(struct __tern_page_texture *t, unsigned w, unsigned h, unsigned d, unsigned levels)
{
    const unsigned long element = (unsigned long)t->components * t->bits / 8;
    const bool cube = t->geometry >= 5, layered = t->geometry == 3 || t->geometry == 4 || t->geometry == 6;
    unsigned long at = 0;
    unsigned most = 1;
    for (unsigned n = w > h ? w > d ? w : d : h > d ? h : d; n > 1; n /= 2)
        most++;
    if (!levels)
        levels = most;
    if (!w || !h || !d || levels > most || levels > 16)
        return false;
    t->nlevels = levels;
    for (unsigned k = 0; k < levels; k++) {
        struct __tern_page_level *l = &t->levels[k];
        l->width = w >> k ? w >> k : 1;
        l->height = h >> k ? h >> k : 1;
        l->depth = d >> k ? d >> k : 1;
        l->offset = at;
        l->row = l->width * element;
        l->slice = l->row * l->height;
        at += l->slice * l->depth * (layered ? t->layers : 1) * (cube ? 6 : 1);
    }
    t->bytes = at;
    return true;
}
inline cudaError_t __tern_page_array(struct cudaArray *a, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent x, unsigned flags, unsigned levels)
{
    struct __tern_page_texture *t = &a->texels;
    const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
    memset(a, 0, sizeof *a);
    a->desc = *desc;
    a->extent = x;
    a->flags = flags;
    if (!__tern_page_format(desc, t))
        return cudaErrorInvalidChannelDescriptor;
    t->geometry = cube ? layered ? 6 : 5 : layered ? x.height ? 4 : 3 : x.depth ? 2 : x.height ? 1 : 0;
    t->layers = layered ? (unsigned)(cube ? x.depth / 6 : x.depth) : 1;
    if ((cube && (x.width != x.height || x.depth % 6 || !x.depth)) || (layered && !t->layers))
        return cudaErrorInvalidValue;
    if (!__tern_page_layout(t, (unsigned)x.width, x.height ? (unsigned)x.height : 1,
                            t->geometry == 2 ? (unsigned)x.depth : 1, levels))
        return cudaErrorInvalidValue;
    t->memory = (unsigned long)__tern_page_range(t->bytes, cudaMemoryTypeDevice);
    return t->memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t __tern_page_new_array(struct cudaArray **out, const struct cudaChannelFormatDesc *desc,
                                         struct cudaExtent x, unsigned flags, unsigned levels)
{
    if (!out || !desc)
        return __tern_page_fail(cudaErrorInvalidValue);
    struct cudaArray *a = new cudaArray;
    const cudaError_t e = __tern_page_array(a, desc, x, flags, levels);
    if (e) {
        delete a;
        return __tern_page_fail(e);
    }
    *out = a;
    return cudaSuccess;
}
inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int flags)
{
    return __tern_page_new_array(array, desc, extent, flags, 1);
}
inline cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                                   size_t height, unsigned int flags)
{
    struct cudaExtent x = {width, height, 0};
    return __tern_page_new_array(array, desc, x, flags, 1);
}
inline cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap, const struct cudaChannelFormatDesc *desc,
                                            struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
    return __tern_page_new_array((struct cudaArray **)mipmap, desc, extent, flags, levels);
}
inline cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!array)
        return cudaSuccess;
    if (!array->part)
        __tern_page_give((void *)array->texels.memory);
    delete array;
    return cudaSuccess;
}
inline cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    return cudaFreeArray((struct cudaArray *)mipmap);
}
inline cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmap, unsigned int level)
{
    const struct cudaArray *m = (const struct cudaArray *)mipmap;
    if (!array || !m || level >= m->texels.nlevels)
        return __tern_page_fail(cudaErrorInvalidValue);
    struct cudaArray *a = new cudaArray;
    *a = *m;
    const struct __tern_page_level *l = &m->texels.levels[level];
    a->texels.memory += l->offset;
    a->texels.levels[0] = *l;
    a->texels.levels[0].offset = 0;
    a->texels.nlevels = 1;
    a->extent.width = l->width;
    a->extent.height = m->extent.height ? l->height : 0;
    a->extent.depth = m->texels.geometry == 2 ? l->depth : m->extent.depth;
    a->part = true;
    *array = a;
    return cudaSuccess;
}
inline cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    if (!desc || !array)
        return __tern_page_fail(cudaErrorInvalidValue);
    *desc = array->desc;
    return cudaSuccess;
}
inline cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                                    cudaArray_t array)
{
    if (!array)
        return __tern_page_fail(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

/* ---- copies of boxes; they are done at once, and cannot be captured ---- */
inline cudaError_t __tern_page_now(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus s = cudaStreamCaptureStatusNone;
    const cudaError_t e = cudaStreamIsCapturing(stream, &s);
    return e ? e : s == cudaStreamCaptureStatusNone ? cudaSuccess : __tern_page_fail(cudaErrorStreamCaptureUnsupported);
}
struct __tern_page_box {
    char *at;
    size_t row, slice;
};
inline cudaError_t __tern_page_boxes(struct __tern_page_box to, struct __tern_page_box from, size_t width, size_t height,
                                     size_t depth)
{
    const cudaError_t e = __tern_page_sync();
    if (e)
        return e;
    if (!width || !height || !depth)
        return cudaSuccess;
    if (!to.at || !from.at)
        return __tern_page_fail(cudaErrorInvalidValue);
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            memmove(to.at + z * to.slice + y * to.row, from.at + z * from.slice + y * from.row, width);
    return cudaSuccess;
}
inline size_t __tern_page_element(cudaArray_const_t a)
{
    return (size_t)a->texels.components * a->texels.bits / 8;
}
inline struct __tern_page_box __tern_page_in(cudaArray_const_t a, size_t bytes, size_t y, size_t z)
{
    const struct __tern_page_level *l = &a->texels.levels[0];
    struct __tern_page_box b = {(char *)a->texels.memory + bytes + y * l->row + z * l->slice, l->row, l->slice};
    return b;
}
inline struct __tern_page_box __tern_page_at(const void *p, size_t row, size_t slice)
{
    struct __tern_page_box b = {(char *)p, row, slice};
    return b;
}
inline cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    if (!p || (!p->srcArray == !p->srcPtr.ptr) || (!p->dstArray == !p->dstPtr.ptr))
        return __tern_page_fail(cudaErrorInvalidValue);
    const size_t unit = p->srcArray ? __tern_page_element(p->srcArray) : p->dstArray ? __tern_page_element(p->dstArray) : 1;
    struct __tern_page_box from =
        p->srcArray ? __tern_page_in(p->srcArray, p->srcPos.x * unit, p->srcPos.y, p->srcPos.z)
                    : __tern_page_at((char *)p->srcPtr.ptr + p->srcPos.x + p->srcPos.y * p->srcPtr.pitch +
                                         p->srcPos.z * p->srcPtr.pitch * p->srcPtr.ysize,
                                     p->srcPtr.pitch, p->srcPtr.pitch * p->srcPtr.ysize);
    struct __tern_page_box to =
        p->dstArray ? __tern_page_in(p->dstArray, p->dstPos.x * unit, p->dstPos.y, p->dstPos.z)
                    : __tern_page_at((char *)p->dstPtr.ptr + p->dstPos.x + p->dstPos.y * p->dstPtr.pitch +
                                         p->dstPos.z * p->dstPtr.pitch * p->dstPtr.ysize,
                                     p->dstPtr.pitch, p->dstPtr.pitch * p->dstPtr.ysize);
    return __tern_page_boxes(to, from, p->extent.width * unit, p->extent.height, p->extent.depth);
}
inline cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    const cudaError_t e = __tern_page_now(stream);
    return e ? e : cudaMemcpy3D(p);
}
inline cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent x)
{
    size_t pitch = 0;
    void *at = nullptr;
    const cudaError_t e = p ? cudaMallocPitch(&at, &pitch, x.width, x.height * x.depth) : __tern_page_fail(cudaErrorInvalidValue);
    if (e)
        return e;
    p->ptr = at;
    p->pitch = pitch;
    p->xsize = x.width;
    p->ysize = x.height;
    return cudaSuccess;
}
inline cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent x)
{
    for (size_t z = 0; z < x.depth; z++) {
        const cudaError_t e = cudaMemset2D((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, x.width, x.height);
        if (e)
            return e;
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent x, cudaStream_t stream)
{
    const cudaError_t e = __tern_page_now(stream);
    return e ? e : cudaMemset3D(p, value, x);
}
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                       size_t height, enum cudaMemcpyKind)
{
    if (!to || x + width > to->texels.levels[0].row || y + height > to->texels.levels[0].height || pitch < width)
        return __tern_page_fail(cudaErrorInvalidValue);
    return __tern_page_boxes(__tern_page_in(to, x, y, 0), __tern_page_at(from, pitch, 0), width, height, 1);
}
inline cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                         size_t height, enum cudaMemcpyKind)
{
    if (!from || x + width > from->texels.levels[0].row || y + height > from->texels.levels[0].height || pitch < width)
        return __tern_page_fail(cudaErrorInvalidValue);
    return __tern_page_boxes(__tern_page_at(to, pitch, 0), __tern_page_in(from, x, y, 0), width, height, 1);
}
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                            size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const cudaError_t e = __tern_page_now(stream);
    return e ? e : cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}
inline cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const cudaError_t e = __tern_page_now(stream);
    return e ? e : cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
}
/* A run of bytes that goes on in the next row. */
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind)
{
    struct __tern_page_box b = __tern_page_in(to, x, y, 0);
    return __tern_page_boxes(b, __tern_page_at(from, 0, 0), size, 1, 1);
}
inline cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind)
{
    return __tern_page_boxes(__tern_page_at(to, 0, 0), __tern_page_in(from, x, y, 0), size, 1, 1);
}

/* ---- texture and surface objects: the address of what is sampled ---- */
struct __tern_page_object {
    struct __tern_page_texture texels;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
};
inline cudaError_t __tern_page_source(const struct cudaResourceDesc *r, struct __tern_page_texture *t)
{
    if (r->resType == cudaResourceTypeArray || r->resType == cudaResourceTypeMipmappedArray) {
        const struct cudaArray *a = r->res.array.array;
        if (!a)
            return cudaErrorInvalidResourceHandle;
        *t = a->texels;
        return cudaSuccess;
    }
    const bool pitched = r->resType == cudaResourceTypePitch2D;
    memset(t, 0, sizeof *t);
    t->geometry = pitched;
    t->layers = 1;
    t->linear = !pitched;
    if (!__tern_page_format(pitched ? &r->res.pitch2D.desc : &r->res.linear.desc, t))
        return cudaErrorInvalidChannelDescriptor;
    const size_t element = (size_t)t->components * t->bits / 8;
    const size_t width = pitched ? r->res.pitch2D.width : r->res.linear.sizeInBytes / element;
    const size_t height = pitched ? r->res.pitch2D.height : 1;
    if (!__tern_page_layout(t, (unsigned)width, (unsigned)height, 1, 1))
        return cudaErrorInvalidValue;
    t->memory = (unsigned long)(pitched ? r->res.pitch2D.devPtr : r->res.linear.devPtr);
    if (pitched) {
        if (r->res.pitch2D.pitchInBytes < t->levels[0].row)
            return cudaErrorInvalidValue;
        t->levels[0].row = r->res.pitch2D.pitchInBytes;
        t->levels[0].slice = t->levels[0].row * height;
    }
    return t->memory ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t __tern_page_sampled(struct __tern_page_texture *t, const struct cudaTextureDesc *c)
{
    for (int k = 0; k < 3; k++) {
        if ((unsigned)c->addressMode[k] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        t->address[k] = (int)c->addressMode[k];
    }
    if ((unsigned)c->filterMode > cudaFilterModeLinear || (unsigned)c->mipmapFilterMode > cudaFilterModeLinear ||
        (unsigned)c->readMode > cudaReadModeNormalizedFloat || (c->readMode == cudaReadModeNormalizedFloat && t->bits == 32))
        return cudaErrorInvalidValue;
    const bool floats = t->channel == (int)cudaChannelFormatKindFloat;
    if (c->filterMode == cudaFilterModeLinear && !floats && c->readMode == cudaReadModeElementType)
        return cudaErrorInvalidFilterSetting;
    t->filter = (int)c->filterMode;
    t->level_filter = (int)c->mipmapFilterMode;
    t->normalized_coordinates = c->normalizedCoords != 0;
    t->normalized_values = c->readMode == cudaReadModeNormalizedFloat && !floats;
    t->srgb = c->sRGB != 0;
    t->level_bias = c->mipmapLevelBias;
    t->min_level = c->minMipmapLevelClamp;
    t->max_level = c->maxMipmapLevelClamp;
    memcpy(t->border, c->borderColor, sizeof t->border);
    return cudaSuccess;
}
inline cudaError_t __tern_page_new_object(unsigned long long *object, const struct cudaResourceDesc *r,
                                          const struct cudaTextureDesc *c)
{
    if (!object || !r)
        return __tern_page_fail(cudaErrorInvalidValue);
    struct __tern_page_object *o = new __tern_page_object;
    cudaError_t e = __tern_page_source(r, &o->texels);
    o->texels.surface = !c;
    if (!e && c)
        e = __tern_page_sampled(&o->texels, c);
    if (e) {
        delete o;
        return __tern_page_fail(e);
    }
    o->resource = *r;
    if (c)
        o->texture = *c;
    *object = (unsigned long long)o;
    return cudaSuccess;
}
inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                           const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view)
{
    if (view && view->format != cudaResViewFormatNone)
        return __tern_page_fail(cudaErrorNotSupported);
    return texture ? __tern_page_new_object(object, resource, texture) : __tern_page_fail(cudaErrorInvalidValue);
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    if (object)
        delete (struct __tern_page_object *)object;
    return cudaSuccess;
}
inline cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object)
{
    *resource = ((struct __tern_page_object *)object)->resource;
    return cudaSuccess;
}
inline cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture, cudaTextureObject_t object)
{
    *texture = ((struct __tern_page_object *)object)->texture;
    return cudaSuccess;
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
    return __tern_page_new_object(object, resource, nullptr);
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return cudaDestroyTextureObject(object);
}

/* ---- graphs, node by node: what is added later runs later ---- */
inline void __tern_page_copy_node(void *p) { cudaMemcpy3D((const struct cudaMemcpy3DParms *)p); }
inline void __tern_page_fill_node(void *data)
{
    const struct cudaMemsetParams *p = (const struct cudaMemsetParams *)data;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            memcpy((char *)p->dst + y * p->pitch + x * p->elementSize, &p->value, p->elementSize);
}
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                          const struct cudaKernelNodeParams *p)
{
    if (!p || p->extra)
        return __tern_page_fail(cudaErrorInvalidValue);
    return __tern_page_kernel_node(node, graph, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes);
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                          const struct cudaMemcpy3DParms *p)
{
    return p ? __tern_page_call_node(node, graph, __tern_page_copy_node, new cudaMemcpy3DParms(*p)) : __tern_page_fail(cudaErrorInvalidValue);
}
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                          const struct cudaMemsetParams *p)
{
    return p ? __tern_page_call_node(node, graph, __tern_page_fill_node, new cudaMemsetParams(*p)) : __tern_page_fail(cudaErrorInvalidValue);
}
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *, size_t,
                                        const struct cudaHostNodeParams *p)
{
    return p && p->fn ? __tern_page_call_node(node, graph, p->fn, p->userData) : __tern_page_fail(cudaErrorInvalidValue);
}
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args)
{
    if (!c)
        return __tern_page_fail(cudaErrorInvalidValue);
    for (unsigned k = 0; k < c->numAttrs; k++)
        if (c->attrs[k].id == cudaLaunchAttributeClusterDimension)
            return __tern_page_fail(cudaErrorNotSupported);
    return cudaLaunchKernel(func, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream);
}
}
