/* Texture and surface references, as they were until CUDA 11. */
#pragma once
#include "driver_types.h"

struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int __cudaReserved[14];
};
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
    int __cudaReserved[2]; /* the surface object that the host bound to the reference */
};
