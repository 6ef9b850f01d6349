/* Texture references, as they were until CUDA 11: variables of the program that the host binds
 * memory to. The device's copy of the variable holds a texture object in its last words, so that
 * binding is making an object and writing the variable. */
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

cudaError_t __tern_bind_texture(const struct textureReference *reference,
                                const struct cudaResourceDesc *resource, int read_mode)
{
    struct textureReference *r = (struct textureReference *)reference;
    struct tern_device *d;
    dev_ptr p;
    uint64_t size;
    if (!reference || !resource)
        return cuda_return(cudaErrorInvalidTexture);
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_symbol(d, reference, &p, &size);
    if (e == cudaErrorInvalidSymbol || (e == cudaSuccess && size < sizeof *r))
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
        const struct work_place to = {.device = d, .at = p}, from = {.at = (uint64_t)(uintptr_t)r};
        e = cuda_copy(&d->own, &to, &from, sizeof *r, 1, 1, true);
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
