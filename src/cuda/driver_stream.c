/* The driver API: streams, events, arrays, textures. */
#include <stdlib.h>
#include <string.h>
#include "cuda/array.h"
#include "cuda/driver_int.h"

/* ---- streams ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy(CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamDestroy(stream));
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamGetPriority(stream, priority));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamGetFlags(stream, flags));
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamGetId(stream, id));
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    CUresult r = context ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_current_stream(stream, &s));
    if (r == CUDA_SUCCESS)
        *context = cuda_primary(cuda_ordinal_of(s->device));
    return r;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr p, size_t length, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamAttachMemAsync(stream, (void *)(uintptr_t)p, length, flags));
}

CUresult cuStreamQuery(CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamQuery(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaStreamSynchronize(stream));
}

/* A status of no error is 0 in both APIs, and a callback is called only then. */
struct callback {
    CUstreamCallback fn;
    CUstream stream;
    void *data;
};

static void run_callback(void *arg)
{
    const struct callback c = *(struct callback *)arg;
    free(arg);
    c.fn(c.stream, CUDA_SUCCESS, c.data);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
                             unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_stream *s;
    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = driver_enter();
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_current_stream(stream, &s));
    if (r != CUDA_SUCCESS)
        return r;
    if (s->capture)
        return driver_result(cuda_from(capture_break(s, TERN_CAPTURE_UNSUPPORTED)));
    struct callback *c = malloc(sizeof *c);
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *c = (struct callback){callback, stream, data};
    const enum tern_error e = tern_call(s, run_callback, c);
    if (e)
        free(c);
    return driver_result(cuda_from(e));
}

/* ---- events ---- */

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaEventRecord(event, stream));
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaEventRecordWithFlags(event, stream, flags));
}

CUresult cuEventQuery(CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaEventQuery(event));
}

CUresult cuEventSynchronize(CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaEventSynchronize(event));
}

CUresult cuEventDestroy(CUevent event)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaEventDestroy(event));
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaEventElapsedTime(ms, start, end));
}

/* ---- arrays ---- */

static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { NFORMATS = sizeof formats / sizeof *formats };

static bool channels(CUarray_format format, unsigned n, struct cudaChannelFormatDesc *out)
{
    for (size_t k = 0; k < NFORMATS; k++)
        if (formats[k].format == format && (n == 1 || n == 2 || n == 4)) {
            const int b = formats[k].bits;
            *out = (struct cudaChannelFormatDesc){b, n > 1 ? b : 0, n > 2 ? b : 0, n > 3 ? b : 0,
                                                  formats[k].kind};
            return true;
        }
    return false;
}

static void format_of(const struct cudaChannelFormatDesc *c, CUarray_format *format, unsigned *n)
{
    for (size_t k = 0; k < NFORMATS; k++)
        if (formats[k].bits == c->x && formats[k].kind == c->f)
            *format = formats[k].format;
    *n = c->w ? 4 : c->y ? 2 : 1;
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    PROF_CALL(__func__);
    struct cudaChannelFormatDesc c;
    if (!array || !desc || !channels(desc->Format, desc->NumChannels, &c))
        return CUDA_ERROR_INVALID_VALUE;
    RETURN_RUNTIME(cudaMalloc3DArray((cudaArray_t *)array, &c,
                                     (struct cudaExtent){desc->Width, desc->Height, desc->Depth},
                                     desc->Flags));
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc)
{
    PROF_CALL(__func__);
    if (!desc)
        return CUDA_ERROR_INVALID_VALUE;
    return cuArray3DCreate(array, &(CUDA_ARRAY3D_DESCRIPTOR){.Width = desc->Width,
                                                             .Height = desc->Height,
                                                             .Format = desc->Format,
                                                             .NumChannels = desc->NumChannels});
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array)
{
    PROF_CALL(__func__);
    const struct cudaArray *a = (struct cudaArray *)array;
    if (!desc || !array)
        return array ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *desc = (CUDA_ARRAY3D_DESCRIPTOR){.Width = a->extent.width,
                                      .Height = a->extent.height,
                                      .Depth = a->extent.depth,
                                      .Flags = a->flags};
    format_of(&a->desc, &desc->Format, &desc->NumChannels);
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array)
{
    PROF_CALL(__func__);
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult r = desc ? cuArray3DGetDescriptor(&d, array) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *desc = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return r;
}

CUresult cuArrayDestroy(CUarray array)
{
    PROF_CALL(__func__);
    if (!array)
        return CUDA_ERROR_INVALID_HANDLE;
    RETURN_RUNTIME(cudaFreeArray((cudaArray_t)array));
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                                unsigned int levels)
{
    PROF_CALL(__func__);
    struct cudaChannelFormatDesc c;
    if (!mipmap || !desc || !channels(desc->Format, desc->NumChannels, &c))
        return CUDA_ERROR_INVALID_VALUE;
    RETURN_RUNTIME(cudaMallocMipmappedArray(
        (cudaMipmappedArray_t *)mipmap, &c,
        (struct cudaExtent){desc->Width, desc->Height, desc->Depth}, levels, desc->Flags));
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned int level)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(
        cudaGetMipmappedArrayLevel((cudaArray_t *)array, (cudaMipmappedArray_t)mipmap, level));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap)
{
    PROF_CALL(__func__);
    if (!mipmap)
        return CUDA_ERROR_INVALID_HANDLE;
    RETURN_RUNTIME(cudaFreeMipmappedArray((cudaMipmappedArray_t)mipmap));
}

CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned int index)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaArrayGetPlane((cudaArray_t *)plane, (cudaArray_t)array, index));
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaArrayGetSparseProperties(properties, (cudaArray_t)array));
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array,
                                      CUdevice device)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaArrayGetMemoryRequirements(requirements, (cudaArray_t)array, device));
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
                                             CUmipmappedArray mipmap)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMipmappedArrayGetSparseProperties(properties, (cudaMipmappedArray_t)mipmap));
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                                               CUmipmappedArray mipmap, CUdevice device)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaMipmappedArrayGetMemoryRequirements(requirements,
                                                           (cudaMipmappedArray_t)mipmap, device));
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
                                            unsigned int nchannels, CUdevice device)
{
    PROF_CALL(__func__);
    struct cudaChannelFormatDesc c;
    if (!width || !channels(format, nchannels, &c))
        return CUDA_ERROR_INVALID_VALUE;
    RETURN_ENTERED(driver_device(device), cudaDeviceGetTexture1DLinearMaxWidth(width, &c, device));
}

/* ---- textures and surfaces ---- */

static bool resource(const CUDA_RESOURCE_DESC *d, struct cudaResourceDesc *r)
{
    *r = (struct cudaResourceDesc){.resType = (enum cudaResourceType)d->resType};
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY: r->res.array.array = (cudaArray_t)d->res.array.hArray; return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        r->res.mipmap.mipmap = (cudaMipmappedArray_t)d->res.mipmap.hMipmappedArray;
        return true;
    case CU_RESOURCE_TYPE_LINEAR:
        r->res.linear.devPtr = (void *)(uintptr_t)d->res.linear.devPtr;
        r->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        return channels(d->res.linear.format, d->res.linear.numChannels, &r->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        r->res.pitch2D.devPtr = (void *)(uintptr_t)d->res.pitch2D.devPtr;
        r->res.pitch2D.width = d->res.pitch2D.width;
        r->res.pitch2D.height = d->res.pitch2D.height;
        r->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        return channels(d->res.pitch2D.format, d->res.pitch2D.numChannels, &r->res.pitch2D.desc);
    }
    return false;
}

static void driver_resource(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *d)
{
    memset(d, 0, sizeof *d);
    d->resType = (CUresourcetype)r->resType;
    switch (r->resType) {
    case cudaResourceTypeArray: d->res.array.hArray = (CUarray)r->res.array.array; break;
    case cudaResourceTypeMipmappedArray:
        d->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
        break;
    case cudaResourceTypeLinear:
        d->res.linear.devPtr = (CUdeviceptr)(uintptr_t)r->res.linear.devPtr;
        d->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        format_of(&r->res.linear.desc, &d->res.linear.format, &d->res.linear.numChannels);
        break;
    case cudaResourceTypePitch2D:
        d->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)r->res.pitch2D.devPtr;
        d->res.pitch2D.width = r->res.pitch2D.width;
        d->res.pitch2D.height = r->res.pitch2D.height;
        d->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        format_of(&r->res.pitch2D.desc, &d->res.pitch2D.format, &d->res.pitch2D.numChannels);
        break;
    }
}

/* Integers of 8 and 16 bits are read as fractions unless the flag says otherwise; wider ones and
 * floats are read as they are. */
static enum cudaTextureReadMode read_mode(const struct cudaResourceDesc *r, unsigned flags)
{
    const struct cudaChannelFormatDesc *c =
        r->resType == cudaResourceTypeLinear    ? &r->res.linear.desc
        : r->resType == cudaResourceTypePitch2D ? &r->res.pitch2D.desc
        : r->resType == cudaResourceTypeArray   ? &r->res.array.array->desc
                                                : &r->res.mipmap.mipmap->levels[0].desc;
    return c->f == cudaChannelFormatKindFloat || c->x == 32 || flags & CU_TRSF_READ_AS_INTEGER
               ? cudaReadModeElementType
               : cudaReadModeNormalizedFloat;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *desc,
                           const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    PROF_CALL(__func__);
    struct cudaResourceDesc r;
    if (!object || !desc || !texture || !resource(desc, &r) ||
        (r.resType == cudaResourceTypeArray && !r.res.array.array) ||
        (r.resType == cudaResourceTypeMipmappedArray && !r.res.mipmap.mipmap))
        return CUDA_ERROR_INVALID_VALUE;
    if (view && view->format != CU_RES_VIEW_FORMAT_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct cudaTextureDesc t = {
        .filterMode = (enum cudaTextureFilterMode)texture->filterMode,
        .readMode = read_mode(&r, texture->flags),
        .sRGB = (texture->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = texture->maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)texture->mipmapFilterMode,
        .mipmapLevelBias = texture->mipmapLevelBias,
        .minMipmapLevelClamp = texture->minMipmapLevelClamp,
        .maxMipmapLevelClamp = texture->maxMipmapLevelClamp};
    for (int k = 0; k < 3; k++)
        t.addressMode[k] = (enum cudaTextureAddressMode)texture->addressMode[k];
    memcpy(t.borderColor, texture->borderColor, sizeof t.borderColor);
    RETURN_RUNTIME(cudaCreateTextureObject(object, &r, &t, NULL));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDestroyTextureObject(object));
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *desc, CUtexObject object)
{
    PROF_CALL(__func__);
    struct cudaResourceDesc r;
    const cudaError_t last = cuda_last();
    CUresult e = desc ? driver_result(cudaGetTextureObjectResourceDesc(&r, object))
                      : CUDA_ERROR_INVALID_VALUE;
    cuda_set_last(last);
    if (e == CUDA_SUCCESS)
        driver_resource(&r, desc);
    return e;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
    PROF_CALL(__func__);
    struct cudaTextureDesc t;
    const cudaError_t last = cuda_last();
    CUresult e = texture ? driver_result(cudaGetTextureObjectTextureDesc(&t, object))
                         : CUDA_ERROR_INVALID_VALUE;
    cuda_set_last(last);
    if (e != CUDA_SUCCESS)
        return e;
    *texture = (CUDA_TEXTURE_DESC){
        .filterMode = (CUfilter_mode)t.filterMode,
        .flags = (t.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
                 (t.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                 (t.sRGB ? CU_TRSF_SRGB : 0u),
        .maxAnisotropy = t.maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)t.mipmapFilterMode,
        .mipmapLevelBias = t.mipmapLevelBias,
        .minMipmapLevelClamp = t.minMipmapLevelClamp,
        .maxMipmapLevelClamp = t.maxMipmapLevelClamp};
    for (int k = 0; k < 3; k++)
        texture->addressMode[k] = (CUaddress_mode)t.addressMode[k];
    memcpy(texture->borderColor, t.borderColor, sizeof t.borderColor);
    return CUDA_SUCCESS;
}

/* There are no views of another format: an object was made without one. */
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    PROF_CALL(__func__);
    CUDA_RESOURCE_DESC r;
    const CUresult e = view ? cuTexObjectGetResourceDesc(&r, object) : CUDA_ERROR_INVALID_VALUE;
    return e != CUDA_SUCCESS ? e : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *desc)
{
    PROF_CALL(__func__);
    struct cudaResourceDesc r;
    if (!object || !desc || !resource(desc, &r))
        return CUDA_ERROR_INVALID_VALUE;
    RETURN_RUNTIME(cudaCreateSurfaceObject(object, &r));
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDestroySurfaceObject(object));
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *desc, CUsurfObject object)
{
    PROF_CALL(__func__);
    struct cudaResourceDesc r;
    const cudaError_t last = cuda_last();
    CUresult e = desc ? driver_result(cudaGetSurfaceObjectResourceDesc(&r, object))
                      : CUDA_ERROR_INVALID_VALUE;
    cuda_set_last(last);
    if (e == CUDA_SUCCESS)
        driver_resource(&r, desc);
    return e;
}
