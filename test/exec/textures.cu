// Textures and surfaces: tex, tld4, suld, sust of every shape.
#include "../programs/check.h"

__global__ void read(cudaTextureObject_t line, cudaTextureObject_t plane, cudaTextureObject_t layers, cudaTextureObject_t bytes, float *out)
{
    int i = threadIdx.x;
    float4 g = tex2Dgather<float4>(plane, 2.0f, 2.0f, 0);
    float v[10] = {tex1Dfetch<float>(line, i), tex2D<float>(plane, (i % 8) + 0.5f, (i / 8) + 0.5f), tex2D<float>(plane, (i % 8) + 1.0f, 1.5f),
                   tex2DLayered<float>(layers, (i % 8) + 0.5f, 1.5f, i % 3), tex2DLod<float>(plane, 3.5f, 2.5f, 0.0f),
                   tex2D<float>(plane, -3.0f, 100.0f), (float)tex1Dfetch<unsigned char>(bytes, i), g.x, g.y + g.z, g.w};
    for (int k = 0; k < 10; k++)
        out[i * 10 + k] = v[k];
}

__global__ void copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;
    float v = surf2Dread<float>(from, x * 4, y);
    float outside = surf2Dread<float>(from, 4 * 100, y, cudaBoundaryModeZero);
    surf2Dwrite(v * 2 + outside, to, x * 4, y);
}

int main()
{
    const int w = 8, h = 4;
    float host[w * h], line[32];
    unsigned char small[32];
    for (int i = 0; i < 32; i++)
        host[i] = (float)(i * i % 37), line[i] = 100.0f - i, small[i] = (unsigned char)(200 + i);
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t plane, copied;
    CUDA(cudaMallocArray(&plane, &f, w, h, cudaArraySurfaceLoadStore | cudaArrayTextureGather));
    CUDA(cudaMallocArray(&copied, &f, w, h, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(plane, 0, 0, host, w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plane;
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
    t.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t planes, lines, layers, bytes;
    CUDA(cudaCreateTextureObject(&planes, &r, &t, nullptr));
    float *d, *out;
    unsigned char *b;
    CUDA(cudaMalloc(&d, sizeof line));
    CUDA(cudaMalloc(&b, sizeof small));
    CUDA(cudaMalloc(&out, 320 * sizeof(float)));
    CUDA(cudaMemcpy(d, line, sizeof line, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(b, small, sizeof small, cudaMemcpyHostToDevice));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = d;
    linear.res.linear.desc = f;
    linear.res.linear.sizeInBytes = sizeof line;
    cudaTextureDesc point = {};
    CUDA(cudaCreateTextureObject(&lines, &linear, &point, nullptr));
    linear.res.linear.devPtr = b;
    linear.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
    linear.res.linear.sizeInBytes = sizeof small;
    CUDA(cudaCreateTextureObject(&bytes, &linear, &point, nullptr));
    cudaArray_t stack;
    CUDA(cudaMalloc3DArray(&stack, &f, make_cudaExtent(w, h, 3), cudaArrayLayered));
    float all[3][32];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 32; i++)
            all[k][i] = host[i] + 1000.0f * k;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(all, w * 4, w, h);
    p.dstArray = stack;
    p.extent = make_cudaExtent(w, h, 3);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    r.res.array.array = stack;
    CUDA(cudaCreateTextureObject(&layers, &r, &t, nullptr));
    read<<<1, 32>>>(lines, planes, layers, bytes, out);
    float got[320];
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        const float *g = got + i * 10;
        int x = i % 8, y = i / 8;
        CHECK(g[0] == line[i] && g[1] == host[y * w + x]);
        float next = host[w + (x < 7 ? x + 1 : 7)];
        CHECK(g[2] == (host[w + x] + next) / 2);
        CHECK(g[3] == host[w + x] + 1000.0f * (i % 3) && g[4] == host[2 * w + 3] && g[5] == host[3 * w] && g[6] == 200 + i);
        CHECK(g[7] == host[2 * w + 1] && g[8] == host[2 * w + 2] + host[w + 2] && g[9] == host[w + 1]);
    }
    cudaSurfaceObject_t from, to;
    r.res.array.array = plane;
    CUDA(cudaCreateSurfaceObject(&from, &r));
    r.res.array.array = copied;
    CUDA(cudaCreateSurfaceObject(&to, &r));
    copy<<<1, dim3(w, h)>>>(from, to);
    CUDA(cudaMemcpy2DFromArray(got, w * 4, copied, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(got[i] == 2 * host[i]);
    puts("ok");
    return 0;
}
