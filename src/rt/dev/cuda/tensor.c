/* Tensor maps by NVIDIA's driver, from CUDA 12 on. */
#include <dlfcn.h>
#include <string.h>
#include "rt/dev/cuda/nvidia_int.h"
#include "rt/tensor.h"

/* A function that older drivers lack. */
static bool find(struct dev *d, const char *name, void *slot)
{
    void *f = dlsym(d->api.library, name);
    memcpy(slot, &f, sizeof f);
    return f != NULL;
}

enum tern_error nv_tensor_map(struct dev *d, const struct tensor_desc *t, uint64_t *map)
{
    nv_result (*tiled)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                       const uint32_t *, const uint32_t *, int, int, int, int);
    nv_result (*im2col)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                        const int *, const int *, uint32_t, uint32_t, const uint32_t *, int, int,
                        int, int);
    _Alignas(64) uint64_t words[TENSOR_MAP_WORDS];
    void *address = (void *)(uintptr_t)t->address;
    enum tern_error e = nv_enter(d);
    if (e)
        return e;
    if (!find(d, "cuTensorMapEncodeTiled", &tiled) || !find(d, "cuTensorMapEncodeIm2col", &im2col))
        return TERN_UNSUPPORTED;
    const nv_result r =
        t->im2col
            ? im2col(words, (int)t->type, t->rank, address, t->size, t->stride, t->lower, t->upper,
                     t->channels, t->pixels, t->step, (int)t->interleave, (int)t->swizzle,
                     (int)t->promotion, (int)t->fill)
            : tiled(words, (int)t->type, t->rank, address, t->size, t->stride, t->box, t->step,
                    (int)t->interleave, (int)t->swizzle, (int)t->promotion, (int)t->fill);
    memcpy(map, words, sizeof words);
    return nv_error(r);
}

enum tern_error nv_tensor_move(struct dev *d, uint64_t *map, uint64_t address)
{
    nv_result (*replace)(void *, void *);
    _Alignas(64) uint64_t words[TENSOR_MAP_WORDS];
    enum tern_error e = nv_enter(d);
    if (e)
        return e;
    if (!find(d, "cuTensorMapReplaceAddress", &replace))
        return TERN_UNSUPPORTED;
    memcpy(words, map, sizeof words);
    const nv_result r = replace(words, (void *)(uintptr_t)address);
    memcpy(map, words, sizeof words);
    return nv_error(r);
}
