/* The instructions of textures and surfaces: an array of 5 x 4 floats, 10 * y + x, looked at by
 * textures.ptx through a texture and a surface.
 *
 *   textures TEXTURES.ptx */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda.h"

enum { WIDTH = 5, HEIGHT = 4 };

#define CU(call)                                                                                   \
    do {                                                                                           \
        CUresult e_ = (call);                                                                      \
        if (e_ != CUDA_SUCCESS) {                                                                  \
            printf("%s: error %d\n", #call, (int)e_);                                              \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static CUresult copy(CUarray array, float *host, int back)
{
    CUDA_MEMCPY2D c;
    memset(&c, 0, sizeof c);
    c.srcMemoryType = back ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    c.dstMemoryType = back ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    *(back ? &c.srcArray : &c.dstArray) = array;
    if (back)
        c.dstHost = host, c.dstPitch = WIDTH * sizeof *host;
    else
        c.srcHost = host, c.srcPitch = WIDTH * sizeof *host;
    c.WidthInBytes = WIDTH * sizeof *host;
    c.Height = HEIGHT;
    return cuMemcpy2D(&c);
}

int main(int argc, char **argv)
{
    static char text[65536];
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f || !fread(text, 1, sizeof text - 1, f))
        return 2;
    float host[HEIGHT][WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            host[y][x] = (float)(10 * y + x);
    CUcontext context;
    CUmodule module;
    CUfunction look;
    CUarray array;
    CUdeviceptr out;
    CU(cuInit(0));
    CU(cuCtxCreate(&context, 0, 0));
    CU(cuModuleLoadData(&module, text));
    CU(cuModuleGetFunction(&look, module, "look"));
    CUDA_ARRAY3D_DESCRIPTOR shape;
    memset(&shape, 0, sizeof shape);
    shape.Width = WIDTH;
    shape.Height = HEIGHT;
    shape.Format = CU_AD_FORMAT_FLOAT;
    shape.NumChannels = 1;
    shape.Flags = CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
    CU(cuArray3DCreate(&array, &shape));
    CU(copy(array, host[0], 0));
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    memset(&resource, 0, sizeof resource);
    memset(&texture, 0, sizeof texture);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    texture.addressMode[0] = texture.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject tex;
    CUsurfObject surf;
    CU(cuTexObjectCreate(&tex, &resource, &texture, NULL));
    CU(cuSurfObjectCreate(&surf, &resource));
    CU(cuMemAlloc(&out, 64));
    void *args[] = {&out, &tex, &surf};
    CU(cuLaunchKernel(look, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    float got[10];
    int sizes[3];
    CU(cuMemcpyDtoH(got, out, sizeof got));
    CU(copy(array, host[0], 1));
    memcpy(sizes, got + 6, sizeof sizes);
    static const float want[] = {12, 23, 21, 22, 12, 11};
    for (int i = 0; i < 6; i++)
        if (got[i] != want[i])
            return printf("texel %d is %g, not %g\n", i, (double)got[i], (double)want[i]), 1;
    if (sizes[0] != WIDTH || sizes[1] != HEIGHT || sizes[2] != WIDTH)
        return printf("sizes %d %d %d\n", sizes[0], sizes[1], sizes[2]), 1;
    if (got[9] != 12 || host[1][2] != 24 || host[1][3] != 13)
        return printf("surface: read %g, left %g\n", (double)got[9], (double)host[1][2]), 1;
    static const unsigned row[] = {1007, 5, 0x40000003, 0x40400000, 0x40800000 & 0xff00ff00};
    for (int x = 0; x < WIDTH; x++) {
        unsigned bits;
        memcpy(&bits, &host[0][x], sizeof bits);
        if (bits != row[x])
            return printf("surface: %#x at %d, not %#x\n", bits, x, row[x]), 1;
    }
    puts("ok");
    return 0;
}
