// Arrays, texture and surface objects: 1D, 2D, 3D, layered, linear and pitched memory; filters and addressing.
#include "check.h"
#include <cmath>
#include <cstring>

__global__ void fetch1(cudaTextureObject_t t, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<float>(t, i);
}
__global__ void sample2(cudaTextureObject_t t, float *out, const float2 *at, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(t, at[i].x, at[i].y);
}
__global__ void sample3(cudaTextureObject_t t, float *out)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    out[(z * 4 + y) * 4 + x] = tex3D<float>(t, x + 0.5f, y + 0.5f, z + 0.5f);
}
__global__ void layer2(cudaTextureObject_t t, float *out)
{
    out[threadIdx.y * 4 + threadIdx.x] = tex2DLayered<float>(t, threadIdx.x + 0.5f, 0.5f, threadIdx.y);
}
__global__ void bytes2(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 0.5f);
}
__global__ void invert(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < w && y < h) {
        int v;
        surf2Dread(&v, from, x * 4, y);
        surf2Dwrite(1000 - v, to, (w - 1 - x) * 4, y);
    }
}

template <class T> static cudaTextureObject_t sampled(cudaArray_t a, cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalized, T)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc t = {};
    for (auto &m : t.addressMode)
        m = mode;
    t.filterMode = filter;
    t.readMode = cudaReadModeElementType;
    t.normalizedCoords = normalized;
    cudaTextureObject_t o;
    CUDA(cudaCreateTextureObject(&o, &r, &t, nullptr));
    return o;
}

int main()
{
    float *out, h[64];
    CUDA(cudaMalloc(&out, sizeof h));

    // linear memory
    float *linear, line[16];
    for (int i = 0; i < 16; i++)
        line[i] = i * 1.5f;
    CUDA(cudaMalloc(&linear, sizeof line));
    CUDA(cudaMemcpy(linear, line, sizeof line, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = linear;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = sizeof line;
    cudaTextureDesc d = {};
    d.readMode = cudaReadModeElementType;
    cudaTextureObject_t t;
    cudaError_t e = cudaCreateTextureObject(&t, &r, &d, nullptr);
    if (e == cudaErrorNotSupported) { // a device without textures says so
        puts("no textures here\nok");
        return 0;
    }
    CUDA(e);
    fetch1<<<1, 16>>>(t, out, 16);
    CUDA(cudaMemcpy(h, out, sizeof line, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(h, line, sizeof line));
    cudaResourceDesc back;
    CUDA(cudaGetTextureObjectResourceDesc(&back, t));
    CHECK(back.resType == cudaResourceTypeLinear && back.res.linear.devPtr == linear);
    CUDA(cudaDestroyTextureObject(t));
    CHECK(cudaDestroyTextureObject(t) == cudaErrorInvalidValue);
    cudaGetLastError();
    r.res.linear.sizeInBytes = 4 << 20; // more than there is: what is there can be fetched
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    CUDA(cudaMemset(out, 0, sizeof line));
    fetch1<<<1, 16>>>(t, out, 16);
    CUDA(cudaMemcpy(h, out, sizeof line, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(h, line, sizeof line));
    CUDA(cudaDestroyTextureObject(t));

    // a 2D array: point, linear, wrap, clamp, border
    cudaArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&a, &format, 4, 4));
    float image[16];
    for (int i = 0; i < 16; i++)
        image[i] = i;
    CUDA(cudaMemcpy2DToArray(a, 0, 0, image, 16, 16, 4, cudaMemcpyHostToDevice));
    cudaExtent extent;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&format, &extent, &flags, a));
    CHECK(extent.width == 4 && extent.height == 4 && extent.depth == 0 && format.x == 32);
    float2 places[4] = {{1.5f, 2.5f}, {2.0f, 1.0f}, {-1.0f, 0.5f}, {5.5f, 3.5f}}, *at;
    CUDA(cudaMalloc(&at, sizeof places));
    CUDA(cudaMemcpy(at, places, sizeof places, cudaMemcpyHostToDevice));
    t = sampled(a, cudaFilterModePoint, cudaAddressModeClamp, false, 0.f);
    sample2<<<1, 4>>>(t, out, at, 4);
    CUDA(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 9 && h[1] == 6 && h[2] == 0 && h[3] == 15);
    CUDA(cudaDestroyTextureObject(t));
    t = sampled(a, cudaFilterModeLinear, cudaAddressModeBorder, false, 0.f);
    sample2<<<1, 4>>>(t, out, at, 4);
    CUDA(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 9 && h[1] == 3.5f && h[2] == 0 && h[3] == 0);
    CUDA(cudaDestroyTextureObject(t));
    float2 unit[4] = {{0.125f, 0.125f}, {1.125f, 0.125f}, {-0.125f, 0.375f}, {0.875f, 1.875f}};
    CUDA(cudaMemcpy(at, unit, sizeof unit, cudaMemcpyHostToDevice));
    t = sampled(a, cudaFilterModePoint, cudaAddressModeWrap, true, 0.f);
    sample2<<<1, 4>>>(t, out, at, 4);
    CUDA(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 0 && h[2] == 7 && h[3] == 15);
    CUDA(cudaDestroyTextureObject(t));

    // parts of arrays, back and between
    cudaArray_t b;
    CUDA(cudaMallocArray(&b, &format, 4, 4));
    CUDA(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 16, 4));
    float part[4] = {};
    CUDA(cudaMemcpy2DFromArray(part, 8, b, 4, 1, 8, 2, cudaMemcpyDeviceToHost));
    CHECK(part[0] == 5 && part[1] == 6 && part[2] == 9 && part[3] == 10);
    CHECK(cudaMemcpy2DFromArray(part, 8, b, 12, 1, 8, 2, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    float run[6] = {};
    CUDA(cudaMemcpyFromArray(run, b, 8, 0, sizeof run, cudaMemcpyDeviceToHost));
    CHECK(run[0] == 2 && run[5] == 7);
    cudaGetLastError();
    CUDA(cudaFreeArray(b));
    CUDA(cudaFreeArray(a));

    // 3D, by a copy of a box
    float cube[64];
    for (int i = 0; i < 64; i++)
        cube[i] = i * i;
    CUDA(cudaMalloc3DArray(&a, &format, make_cudaExtent(4, 4, 4)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cube, 16, 4, 4);
    p.dstArray = a;
    p.extent = make_cudaExtent(4, 4, 4);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    t = sampled(a, cudaFilterModePoint, cudaAddressModeClamp, false, 0.f);
    sample3<<<1, dim3(4, 4, 4)>>>(t, out);
    CUDA(cudaMemcpy(h, out, sizeof cube, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(h, cube, sizeof cube));
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFreeArray(a));

    // layers
    CUDA(cudaMalloc3DArray(&a, &format, make_cudaExtent(4, 1, 3), cudaArrayLayered));
    p.srcPtr = make_cudaPitchedPtr(cube, 16, 4, 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(4, 1, 3);
    CUDA(cudaMemcpy3D(&p));
    t = sampled(a, cudaFilterModePoint, cudaAddressModeClamp, false, 0.f);
    layer2<<<1, dim3(4, 3)>>>(t, out);
    CUDA(cudaMemcpy(h, out, 48, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(h, cube, 48));
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFreeArray(a));

    // bytes as fractions, from pitched memory
    uchar4 *rows, pixels[2] = {{0, 51, 102, 255}, {255, 0, 255, 0}};
    size_t pitch;
    CUDA(cudaMallocPitch(&rows, &pitch, sizeof pixels, 2));
    CUDA(cudaMemcpy2D(rows, pitch, pixels, sizeof pixels, sizeof pixels, 1, cudaMemcpyHostToDevice));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = rows;
    r.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    r.res.pitch2D.width = 2;
    r.res.pitch2D.height = 2;
    r.res.pitch2D.pitchInBytes = pitch;
    d.readMode = cudaReadModeNormalizedFloat;
    CUDA(cudaCreateTextureObject(&t, &r, &d, nullptr));
    bytes2<<<1, 2>>>(t, (float4 *)out);
    CUDA(cudaMemcpy(h, out, 32, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && fabsf(h[1] - 0.2f) < 1e-6f && h[3] == 1 && h[4] == 1 && h[7] == 0);
    CUDA(cudaDestroyTextureObject(t));
    d.filterMode = cudaFilterModeLinear;
    d.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidFilterSetting); // of integers
    cudaGetLastError();

    // surfaces
    int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8}, turned[8];
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    CUDA(cudaMallocArray(&a, &ints, 4, 2, cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&b, &ints, 4, 2, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpyToArray(a, 0, 0, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t from, to;
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CUDA(cudaCreateSurfaceObject(&from, &r));
    r.res.array.array = b;
    CUDA(cudaCreateSurfaceObject(&to, &r));
    invert<<<1, dim3(4, 2)>>>(from, to, 4, 2);
    CUDA(cudaMemcpyFromArray(turned, b, 0, 0, sizeof turned, cudaMemcpyDeviceToHost));
    CHECK(turned[0] == 996 && turned[3] == 999 && turned[7] == 995);
    CUDA(cudaDestroySurfaceObject(from));
    CUDA(cudaDestroySurfaceObject(to));
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
    CHECK(cudaMallocArray(&a, &ints, 0, 2) == cudaErrorInvalidValue);
    CUDA(cudaFree(out));
    puts("ok");
}
