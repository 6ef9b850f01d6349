/* Tensor maps, which the host encodes and kernels copy boxes by. */
#include <string.h>
#include "cuda/driver_int.h"
#include "rt/tensor.h"

/* The device's own map, or ours. */
static CUresult encode(CUtensorMap *map, const struct tensor_desc *t)
{
    struct tern_device *d;
    if (!tensor_valid(t) || (uintptr_t)map % 64)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    const cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess)
        return driver_result(e);
    uint64_t words[TENSOR_MAP_WORDS];
    if (d->rt.driver->tensor_map) {
        const enum tern_error no = d->rt.driver->tensor_map(d->rt.dev, t, words);
        if (no)
            return driver_result(cuda_from(no));
    } else if (t->interleave) {
        return CUDA_ERROR_NOT_SUPPORTED; /* copies by them are not emulated */
    } else {
        tensor_encode(t, words);
    }
    memcpy(map, words, sizeof words);
    return CUDA_SUCCESS;
}

static bool describe(struct tensor_desc *t, CUtensorMapDataType type, cuuint32_t rank,
                     const void *address, const cuuint64_t *size, const cuuint64_t *stride,
                     const cuuint32_t *step, CUtensorMapInterleave interleave,
                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                     CUtensorMapFloatOOBfill fill)
{
    *t = (struct tensor_desc){.type = (uint32_t)type,
                              .rank = rank,
                              .interleave = (uint32_t)interleave,
                              .swizzle = (uint32_t)swizzle,
                              .promotion = (uint32_t)promotion,
                              .fill = (uint32_t)fill,
                              .address = (uintptr_t)address};
    if (!rank || rank > TENSOR_MAX_RANK || !size || !step || (rank > 1 && !stride))
        return false;
    for (cuuint32_t k = 0; k < rank; k++) {
        t->size[k] = size[k];
        t->step[k] = step[k];
        if (k + 1 < rank)
            t->stride[k] = stride[k];
    }
    return true;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    PROF_CALL(__func__);
    struct tensor_desc t;
    if (!map || !box ||
        !describe(&t, type, rank, address, size, stride, step, interleave, swizzle, promotion,
                  fill))
        return CUDA_ERROR_INVALID_VALUE;
    for (cuuint32_t k = 0; k < rank; k++)
        t.box[k] = box[k];
    return encode(map, &t);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    PROF_CALL(__func__);
    struct tensor_desc t;
    if (!map || !lower || !upper || rank < 3 ||
        !describe(&t, type, rank, address, size, stride, step, interleave, swizzle, promotion,
                  fill))
        return CUDA_ERROR_INVALID_VALUE;
    t.im2col = true;
    t.channels = channels;
    t.pixels = pixels;
    for (cuuint32_t k = 0; k + 2 < rank; k++) {
        t.lower[k] = lower[k];
        t.upper[k] = upper[k];
    }
    return encode(map, &t);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    uint64_t words[TENSOR_MAP_WORDS];
    if (!map || (uintptr_t)map % 64 || (uintptr_t)address % 16)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult r = driver_enter();
    if (r != CUDA_SUCCESS)
        return r;
    const cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess)
        return driver_result(e);
    memcpy(words, map, sizeof words);
    if (d->rt.driver->tensor_move) {
        const enum tern_error no = d->rt.driver->tensor_move(d->rt.dev, words, (uintptr_t)address);
        if (no)
            return driver_result(cuda_from(no));
    } else {
        words[1] = (uintptr_t)address;
    }
    memcpy(map, words, sizeof words);
    return CUDA_SUCCESS;
}
