/* Arrays and textures, as array.c, texture.c and the driver API share them. */
#ifndef CUDA_ARRAY_H
#define CUDA_ARRAY_H

#include "cuda/cuda_int.h"
#include "rt/texture.h"

struct cudaArray {
    struct tern_device *device;
    struct texture_desc texels; /* its layout; how it is sampled is the texture's */
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags;
    bool level; /* of a mipmapped array, which owns it */
};

struct cudaMipmappedArray {
    struct tern_device *device;
    struct texture_desc texels;
    struct cudaArray levels[TEXTURE_MAX_LEVELS];
};

/* Fills the format of a texel; false: not one that textures have. */
bool cuda_format(const struct cudaChannelFormatDesc *c, struct texture_desc *t);

#endif
