/* Arrays: memory laid out for textures and surfaces, and copies to and from it.
 *
 * An array is a struct texture_desc without its sampling half: texels lie row after row, slice
 * after slice, level after level, so that copies are copies of boxes. A level of a mipmapped array
 * is an array that lives in the other's memory. */
#include <stdlib.h>
#include <string.h>
#include "cuda/array.h"

/* ---- formats ---- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* Components have one size and come without gaps: 1, 2 or 4 of them, of 8, 16 or 32 bits. */
bool cuda_format(const struct cudaChannelFormatDesc *c, struct texture_desc *t)
{
    const int bits[4] = {c->x, c->y, c->z, c->w};
    int n = 0;
    while (n < 4 && bits[n])
        n++;
    for (int k = 0; k < 4; k++)
        if (bits[k] != (k < n ? c->x : 0))
            return false;
    if ((n != 1 && n != 2 && n != 4) || (c->x != 8 && c->x != 16 && c->x != 32))
        return false;
    static const enum texture_channel channels[] = {[cudaChannelFormatKindSigned] = TEXTURE_SIGNED,
                                                    [cudaChannelFormatKindUnsigned] =
                                                        TEXTURE_UNSIGNED,
                                                    [cudaChannelFormatKindFloat] = TEXTURE_FLOAT};
    if ((unsigned)c->f > cudaChannelFormatKindFloat ||
        (c->f == cudaChannelFormatKindFloat && c->x == 8))
        return false;
    t->channel = channels[c->f];
    t->components = (uint8_t)n;
    t->bits = (uint8_t)c->x;
    return true;
}

static enum ir_tex_geometry geometry_of(struct cudaExtent e, unsigned flags)
{
    if (flags & cudaArrayCubemap)
        return flags & cudaArrayLayered ? IR_TEX_ACUBE : IR_TEX_CUBE;
    if (flags & cudaArrayLayered)
        return e.height ? IR_TEX_A2D : IR_TEX_A1D;
    return e.depth ? IR_TEX_3D : e.height ? IR_TEX_2D : IR_TEX_1D;
}

static bool shape_is_right(struct cudaExtent e, unsigned flags)
{
    if (!e.width || e.width > UINT32_MAX || e.height > UINT32_MAX || e.depth > UINT32_MAX ||
        flags & ~15u)
        return false;
    if (flags & cudaArrayCubemap)
        return e.width == e.height && e.depth &&
               (flags & cudaArrayLayered ? e.depth % 6 == 0 : e.depth == 6);
    if (flags & cudaArrayLayered)
        return e.depth != 0;
    return !e.depth || e.height;
}

/* ---- making and freeing ---- */

static cudaError_t make(struct texture_desc *t, const struct cudaChannelFormatDesc *desc,
                        struct cudaExtent e, unsigned levels, unsigned flags,
                        struct tern_device **d)
{
    *t = (struct texture_desc){.geometry = geometry_of(e, flags), .layers = 1};
    if (!shape_is_right(e, flags))
        return cudaErrorInvalidValue;
    if (!cuda_format(desc, t))
        return cudaErrorInvalidChannelDescriptor;
    const bool deep = t->geometry == IR_TEX_3D;
    if (t->geometry == IR_TEX_ACUBE)
        t->layers = (uint32_t)e.depth / 6;
    else if (flags & cudaArrayLayered)
        t->layers = (uint32_t)e.depth;
    if (!texture_layout(t, (uint32_t)e.width, e.height ? (uint32_t)e.height : 1,
                        deep ? (uint32_t)e.depth : 1, levels))
        return cudaErrorInvalidValue;
    cudaError_t r = cuda_current(d);
    if (r != cudaSuccess)
        return r;
    dev_ptr at;
    device_use(*d);
    r = cuda_from(
        device_check(*d, (*d)->rt.driver->alloc((*d)->rt.dev, t->bytes, 512, "array", &at)));
    t->memory = at;
    return r;
}

static cudaError_t give_back(struct tern_device *d, dev_ptr at)
{
    cudaError_t e = cuda_wait_all(d);
    cudaError_t freed = cuda_from(d->rt.driver->free(d->rt.dev, at));
    return e != cudaSuccess ? e : freed;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    PROF_CALL(__func__);
    if (!array || !desc)
        return cuda_return(cudaErrorInvalidValue);
    struct cudaArray *a = calloc(1, sizeof *a);
    if (!a)
        return cuda_return(cudaErrorMemoryAllocation);
    cudaError_t e = make(&a->texels, desc, extent, 1, flags, &a->device);
    if (e != cudaSuccess) {
        free(a);
        return cuda_return(e);
    }
    a->desc = *desc;
    a->extent = extent;
    a->flags = flags;
    if (!cuda_handle_add(HANDLE_ARRAY, a)) {
        give_back(a->device, a->texels.memory);
        free(a);
        return cuda_return(cudaErrorMemoryAllocation);
    }
    *array = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    PROF_CALL(__func__);
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    PROF_CALL(__func__);
    if (!array)
        return cudaSuccess;
    if (!cuda_handle_remove(HANDLE_ARRAY, array)) /* gone already, or a level of a mipmap */
        return cuda_return(cudaErrorInvalidResourceHandle);
    cudaError_t e = give_back(array->device, array->texels.memory);
    free(array);
    return cuda_return(e);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int levels,
                                     unsigned int flags)
{
    PROF_CALL(__func__);
    if (!mipmap || !desc || !levels)
        return cuda_return(cudaErrorInvalidValue);
    struct cudaMipmappedArray *m = calloc(1, sizeof *m);
    if (!m)
        return cuda_return(cudaErrorMemoryAllocation);
    const size_t longest = extent.width > extent.height ? extent.width : extent.height;
    unsigned most = 1;
    for (size_t k = longest > extent.depth || flags & 5 ? longest : extent.depth; k > 1; k /= 2)
        most++;
    if (levels > most)
        levels = most;
    cudaError_t e = levels > TEXTURE_MAX_LEVELS
                        ? cudaErrorInvalidValue
                        : make(&m->texels, desc, extent, levels, flags, &m->device);
    if (e != cudaSuccess) {
        free(m);
        return cuda_return(e);
    }
    for (unsigned k = 0; k < levels; k++) {
        struct cudaArray *a = &m->levels[k];
        const struct texture_level *l = &m->texels.levels[k];
        *a = (struct cudaArray){
            .device = m->device, .desc = *desc, .flags = flags, .level = true, .texels = m->texels};
        a->extent = (struct cudaExtent){l->width, extent.height ? l->height : 0,
                                        flags & 5      ? extent.depth
                                        : extent.depth ? l->depth
                                                       : 0};
        a->texels.nlevels = 1;
        a->texels.levels[0] = *l;
        a->texels.levels[0].offset = 0;
        a->texels.memory += l->offset;
        const uint64_t end = k + 1 < levels ? m->texels.levels[k + 1].offset : m->texels.bytes;
        a->texels.bytes = end - l->offset;
    }
    if (!cuda_handle_add(HANDLE_MIPMAP, m)) {
        give_back(m->device, m->texels.memory);
        free(m);
        return cuda_return(cudaErrorMemoryAllocation);
    }
    *mipmap = m;
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmap,
                                       unsigned int level)
{
    PROF_CALL(__func__);
    if (!array || cuda_handle_gone(mipmap) || level >= mipmap->texels.nlevels)
        return cuda_return(cudaErrorInvalidValue);
    *array = (cudaArray_t)&mipmap->levels[level];
    cuda_handle_inner(*array);
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    PROF_CALL(__func__);
    if (!mipmap)
        return cudaSuccess;
    if (!cuda_handle_remove(HANDLE_MIPMAP, mipmap))
        return cuda_return(cudaErrorInvalidResourceHandle);
    cudaError_t e = give_back(mipmap->device, mipmap->texels.memory);
    free(mipmap);
    return cuda_return(e);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    PROF_CALL(__func__);
    if (!desc || cuda_handle_gone(array))
        return cuda_return(cudaErrorInvalidValue);
    *desc = array->desc;
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    PROF_CALL(__func__);
    if (cuda_handle_gone(array))
        return cuda_return(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

/* ---- copies ---- */

size_t cuda_array_element(cudaArray_const_t a)
{
    return a ? (size_t)a->texels.components * a->texels.bits / 8 : 0;
}

cudaError_t cuda_array_place(cudaArray_const_t a, uint64_t x, uint64_t y, uint64_t z,
                             uint64_t width, uint64_t height, uint64_t depth,
                             struct work_place *out)
{
    const struct texture_level *l = &a->texels.levels[0];
    const uint64_t slices = a->texels.bytes / l->slice;
    if (x > l->row || width > l->row - x || y > l->height || height > l->height - y || z > slices ||
        depth > slices - z)
        return cudaErrorInvalidValue;
    *out = (struct work_place){.device = a->device,
                               .at = a->texels.memory + z * l->slice + y * l->row + x,
                               .row = l->row,
                               .slice = l->slice};
    return cudaSuccess;
}

/* Rows between an array and memory; x counts bytes. */
static cudaError_t copy_rows(cudaArray_const_t array, size_t x, size_t y, void *p, size_t pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind, bool to_array,
                             cudaStream_t stream, bool wait)
{
    struct tern_stream *s;
    struct work_place a, b;
    if (cuda_handle_gone(array) || (unsigned)kind > cudaMemcpyDefault)
        return array ? cudaErrorInvalidMemcpyDirection : cudaErrorInvalidResourceHandle;
    if (kind == (to_array ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t e = cuda_current_stream(stream, &s);
    if (e != cudaSuccess || !width || !height)
        return e;
    if (!p || (height == 1 && pitch && width > pitch))
        return cudaErrorInvalidValue;
    if (height > 1 && width > pitch)
        return cudaErrorInvalidPitchValue;
    e = cuda_array_place(array, x, y, 0, width, height, 1, &a);
    if (e == cudaSuccess)
        e = cuda_locate(p, (height - 1) * pitch + width, kind == cudaMemcpyDeviceToDevice,
                        kind != cudaMemcpyDefault, &b);
    b.row = pitch;
    return e != cudaSuccess
               ? e
               : cuda_copy(s, to_array ? &a : &b, to_array ? &b : &a, width, height, 1, wait);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(
        copy_rows(to, x, y, (void *)from, pitch, width, height, kind, true, 0, true));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(
        copy_rows(to, x, y, (void *)from, pitch, width, height, kind, true, stream, false));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(copy_rows(from, x, y, to, pitch, width, height, kind, false, 0, true));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_rows(from, x, y, to, pitch, width, height, kind, false, stream, false));
}

/* ---- what no array is: of several planes, in parts, mapped later ---- */

cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned int index)
{
    PROF_CALL(__func__);
    (void)plane, (void)index;
    return cuda_return(array ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                         cudaArray_t array)
{
    PROF_CALL(__func__);
    (void)properties, (void)array;
    return cuda_return(cudaErrorInvalidValue);
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                           cudaArray_t array, int device)
{
    PROF_CALL(__func__);
    (void)requirements, (void)array, (void)device;
    return cuda_return(cudaErrorInvalidValue);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                                  cudaMipmappedArray_t mipmap)
{
    PROF_CALL(__func__);
    (void)properties, (void)mipmap;
    return cuda_return(cudaErrorInvalidValue);
}

cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                        cudaMipmappedArray_t mipmap, int device)
{
    PROF_CALL(__func__);
    (void)requirements, (void)mipmap, (void)device;
    return cuda_return(cudaErrorInvalidValue);
}

/* Bytes that may run over several rows: the rest of the first row, whole rows, the rest. */
static cudaError_t copy_run(cudaArray_const_t array, size_t x, size_t y, char *p, size_t size,
                            enum cudaMemcpyKind kind, bool to_array, cudaStream_t stream, bool wait)
{
    if (cuda_handle_gone(array))
        return cudaErrorInvalidResourceHandle;
    const size_t row = array->texels.levels[0].row;
    cudaError_t e = cudaSuccess;
    while (size && e == cudaSuccess) {
        const bool whole = !x && size >= row;
        size_t n = whole ? row : size < row - x ? size : row - x;
        size_t rows = whole ? size / row : 1;
        if (x >= row)
            return cudaErrorInvalidValue;
        e = copy_rows(array, x, y, p, n, n, rows, kind, to_array, stream, wait && n * rows == size);
        p += n * rows;
        size -= n * rows;
        y += rows;
        x = 0;
    }
    return e;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                              enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(copy_run(to, x, y, (char *)from, size, kind, true, 0, true));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_run(to, x, y, (char *)from, size, kind, true, stream, false));
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cuda_return(copy_run(from, x, y, to, size, kind, false, 0, true));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    PROF_CALL(__func__);
    return cuda_return(copy_run(from, x, y, to, size, kind, false, stream, false));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    struct work_place a, b;
    if (cuda_handle_gone(to) || cuda_handle_gone(from))
        return cuda_return(cudaErrorInvalidResourceHandle);
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cuda_return(cudaErrorInvalidMemcpyDirection);
    cudaError_t e = cuda_current_stream(0, &s);
    if (e == cudaSuccess)
        e = cuda_array_place(to, to_x, to_y, 0, width, height, 1, &a);
    if (e == cudaSuccess)
        e = cuda_array_place(from, from_x, from_y, 0, width, height, 1, &b);
    return cuda_return(e != cudaSuccess ? e : cuda_copy(s, &a, &b, width, height, 1, false));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t size,
                                   enum cudaMemcpyKind kind)
{
    PROF_CALL(__func__);
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, size, 1, kind);
}
