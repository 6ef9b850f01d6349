/* Texture and surface references, as they were until CUDA 11: variables of the program that the
 * host binds memory to. The device's copy of the variable holds an object in its last words, so
 * that binding is making an object and writing the variable. */
#include <string.h>
#include "cuda/cuda_int.h"
#include "cuda/texture_types.h"

static uint64_t handle_of(const struct textureReference *r)
{
    return (uint32_t)r->__cudaReserved[12] | (uint64_t)(uint32_t)r->__cudaReserved[13] << 32;
}

static cudaError_t unbind(struct textureReference *r)
{
    const uint64_t old = handle_of(r);
    r->__cudaReserved[12] = r->__cudaReserved[13] = 0;
    return old ? cudaDestroyTextureObject(old) : cudaSuccess;
}

/* Where the device has its copy of the program's variable REFERENCE, of SIZE bytes at least. */
static cudaError_t device_copy(const void *reference, uint64_t size, struct work_place *place)
{
    uint64_t has;
    *place = (struct work_place){0};
    cudaError_t e = cuda_current(&place->device);
    if (e == cudaSuccess)
        e = cuda_symbol(place->device, reference, &place->at, &has);
    return e == cudaSuccess && has < size ? cudaErrorInvalidSymbol : e;
}

static cudaError_t write_copy(const void *reference, uint64_t size, const struct work_place *place)
{
    const struct work_place from = {.at = (uint64_t)(uintptr_t)reference};
    return cuda_copy(&place->device->own, place, &from, size, 1, 1, true);
}

cudaError_t __tern_bind_texture(const struct textureReference *reference,
                                const struct cudaResourceDesc *resource, int read_mode)
{
    struct textureReference *r = (struct textureReference *)reference;
    struct work_place copy;
    if (!reference || !resource)
        return cuda_return(cudaErrorInvalidTexture);
    cudaError_t e = device_copy(reference, sizeof *r, &copy);
    if (e == cudaErrorInvalidSymbol)
        e = cudaErrorInvalidTexture;
    if (e == cudaSuccess)
        e = unbind(r);
    cudaTextureObject_t object = 0;
    struct cudaTextureDesc t = {.filterMode = r->filterMode,
                                .readMode = (enum cudaTextureReadMode)read_mode,
                                .sRGB = r->sRGB,
                                .normalizedCoords = r->normalized,
                                .maxAnisotropy = r->maxAnisotropy,
                                .mipmapFilterMode = r->mipmapFilterMode,
                                .mipmapLevelBias = r->mipmapLevelBias,
                                .minMipmapLevelClamp = r->minMipmapLevelClamp,
                                .maxMipmapLevelClamp = r->maxMipmapLevelClamp};
    memcpy(t.addressMode, r->addressMode, sizeof t.addressMode);
    if (e == cudaSuccess)
        e = cudaCreateTextureObject(&object, resource, &t, NULL);
    if (e == cudaSuccess) {
        r->__cudaReserved[12] = (int)(uint32_t)object;
        r->__cudaReserved[13] = (int)(uint32_t)(object >> 32);
        e = write_copy(r, sizeof *r, &copy);
    }
    return cuda_return(e);
}

cudaError_t cudaUnbindTexture(const struct textureReference *reference)
{
    PROF_CALL(__func__);
    return cuda_return(reference ? unbind((struct textureReference *)reference)
                                 : cudaErrorInvalidTexture);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *reference)
{
    PROF_CALL(__func__);
    if (!offset || !reference)
        return cuda_return(offset ? cudaErrorInvalidTexture : cudaErrorInvalidValue);
    if (!handle_of(reference))
        return cuda_return(cudaErrorInvalidTextureBinding);
    *offset = 0; /* any address may be bound */
    return cudaSuccess;
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *reference,
                                   cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *format)
{
    PROF_CALL(__func__);
    struct surfaceReference *r = (struct surfaceReference *)reference;
    struct work_place copy;
    if (!reference || !format)
        return cuda_return(cudaErrorInvalidSurface);
    cudaError_t e = device_copy(reference, sizeof *r, &copy);
    if (e == cudaErrorInvalidSymbol)
        e = cudaErrorInvalidSurface;
    const uint64_t old = (uint32_t)r->__cudaReserved[0] | (uint64_t)(uint32_t)r->__cudaReserved[1]
                                                              << 32;
    if (e == cudaSuccess && old)
        e = cudaDestroySurfaceObject(old);
    cudaSurfaceObject_t object = 0;
    const struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray,
                                              .res.array.array = (cudaArray_t)array};
    if (e == cudaSuccess)
        e = cudaCreateSurfaceObject(&object, &resource);
    if (e == cudaSuccess) {
        r->channelDesc = *format;
        r->__cudaReserved[0] = (int)(uint32_t)object;
        r->__cudaReserved[1] = (int)(uint32_t)(object >> 32);
        e = write_copy(r, sizeof *r, &copy);
    }
    return cuda_return(e);
}
