// LONG ON: vulkan: the sampler is the one of api_textures
// Texture references, as programs for CUDA 11 and before have them.
#include "check.h"

texture<float, 1, cudaReadModeElementType> line;
static texture<float, cudaTextureType2D> image;
static texture<float, 1> plain; // as it is by itself: points, clamped
static texture<float, 1> smooth(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<uchar4, 2, cudaReadModeNormalizedFloat> pixels;
surface<void, 2> source;
static surface<void, cudaSurfaceType2D> target;

__global__ void read(float *out)
{
    int i = threadIdx.x;
    out[i] = tex1Dfetch(line, i) + tex2D(image, i % 4 + 0.5f, i / 4 + 0.5f);
}
__global__ void color(float4 *out)
{
    out[threadIdx.x] = tex2D(pixels, threadIdx.x + 0.5f, 0.5f);
}
__global__ void outside(float *out)
{
    out[0] = tex1D(plain, -1.5f);
    out[1] = tex1D(plain, 9.5f);
    out[2] = tex1D(smooth, 1.25f);
}
__global__ void turn()
{
    float v;
    surf2Dread(&v, source, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(v + surf2Dread<float>(source, 0, 1), target, threadIdx.y * 4, threadIdx.x);
}

/* what a reference has that the program did not set, or set where it was declared */
static void defaults(float *out)
{
    CHECK(plain.channelDesc.x == 32 && plain.channelDesc.y == 0 && plain.channelDesc.f == cudaChannelFormatKindFloat);
    CHECK(pixels.channelDesc.w == 8 && pixels.channelDesc.f == cudaChannelFormatKindUnsigned);
    CHECK(plain.addressMode[0] == cudaAddressModeClamp && !plain.normalized);
    const float h[4] = {1, 2, 3, 5};
    float to[3];
    cudaArray_t a;
    CUDA(cudaMallocArray(&a, &plain.channelDesc, 4));
    CUDA(cudaMemcpyToArray(a, 0, 0, h, sizeof h, cudaMemcpyHostToDevice));
    plain.normalized = true;
    CUDA(cudaBindTextureToArray(plain, a));
    CUDA(cudaBindTextureToArray(smooth, a));
    outside<<<1, 1>>>(out);
    CUDA(cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost));
    CHECK(to[0] == 1 && to[1] == 5 && to[2] == 1.5f);
}

/* what is in one array goes to another, by references to their surfaces */
static void surfaces(const float *h)
{
    cudaArray_t a, b;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&a, &format, 4, 4, cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&b, &format, 4, 4, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpyToArray(a, 0, 0, h, 64, cudaMemcpyHostToDevice));
    CUDA(cudaBindSurfaceToArray(source, a));
    CUDA(cudaBindSurfaceToArray(target, a, format));
    CUDA(cudaBindSurfaceToArray(target, b)); // the last one counts
    turn<<<1, dim3(4, 4)>>>();
    float to[16];
    CUDA(cudaMemcpyFromArray(to, b, 0, 0, sizeof to, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        CHECK(to[i] == h[i % 4 * 4 + i / 4] + h[4]);
}

int main()
{
    float h[16], *p, *out;
    for (int i = 0; i < 16; i++)
        h[i] = i;
    CUDA(cudaMalloc(&p, sizeof h));
    CUDA(cudaMalloc(&out, sizeof h));
    CUDA(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    size_t offset = 1;
    cudaError_t e = cudaBindTexture(&offset, line, p, sizeof h);
    if (e == cudaErrorNotSupported) { // a device without textures says so
        puts("no textures here\nok");
        return 0;
    }
    CUDA(e);
    CHECK(offset == 0);
    surfaces(h);
    defaults(out);
    cudaArray_t a;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&a, &format, 4, 4));
    CUDA(cudaMemcpyToArray(a, 0, 0, h, sizeof h, cudaMemcpyHostToDevice));
    image.addressMode[0] = cudaAddressModeClamp;
    image.filterMode = cudaFilterModePoint;
    image.normalized = false;
    CUDA(cudaBindTextureToArray(image, a, format));
    read<<<1, 16>>>(out);
    CUDA(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        CHECK(h[i] == 2 * i);
    CUDA(cudaUnbindTexture(image));
    CHECK(cudaGetTextureAlignmentOffset(&offset, image) == cudaErrorInvalidTextureBinding);
    cudaGetLastError();
    uchar4 *rows, c[2] = {{255, 0, 51, 255}, {0, 255, 0, 0}};
    size_t pitch;
    CUDA(cudaMallocPitch(&rows, &pitch, sizeof c, 1));
    CUDA(cudaMemcpy(rows, c, sizeof c, cudaMemcpyHostToDevice));
    CUDA(cudaBindTexture2D(nullptr, pixels, rows, cudaCreateChannelDesc<uchar4>(), 2, 1, pitch));
    const cudaChannelFormatDesc by_address = cudaCreateChannelDesc<uchar4>();
    CUDA(cudaBindTexture2D(nullptr, &pixels, rows, &by_address, 2, 1, pitch));
    color<<<1, 2>>>((float4 *)out);
    CUDA(cudaMemcpy(h, out, 32, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 1 && h[1] == 0 && h[2] > 0.199f && h[2] < 0.201f && h[5] == 1);
    CUDA(cudaUnbindTexture(pixels));
    CUDA(cudaUnbindTexture(line));
    puts("ok");
}
