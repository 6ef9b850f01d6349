// A texture object with filtering, one in plain memory, and a surface.
#include <cstdio>
__global__ void sample(cudaTextureObject_t t, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(t, (i + 0.75f) / n, 0.5f);
}
__global__ void fetch(cudaTextureObject_t t, int *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<int>(t, n - 1 - i);
}
__global__ void paint(cudaSurfaceObject_t s, int w, int h)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x < w && y < h)
        surf2Dwrite(float(10 * y + x), s, x * sizeof(float), y);
}
int main()
{
    const int w = 8, h = 4;
    float image[h][w], out[16];
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            image[y][x] = x * x + y;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    cudaMallocArray(&a, &f, w, h, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(a, 0, 0, image, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    d.readMode = cudaReadModeElementType;
    d.normalizedCoords = 1;
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    float *o;
    cudaMalloc(&o, sizeof out);
    sample<<<1, 16>>>(t, o, 16);
    cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost);
    for (float v : out)
        printf("%.3f ", v);
    puts("");
    cudaSurfaceObject_t s;
    cudaCreateSurfaceObject(&s, &r);
    paint<<<1, dim3(w, h)>>>(s, w, h);
    cudaMemcpy2DFromArray(image, w * sizeof(float), a, 0, 0, w * sizeof(float), h, cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", image[0][0], image[2][3], image[3][7]);
    int numbers[5] = {5, 4, 3, 2, 1}, *n, *m;
    cudaMalloc(&n, sizeof numbers);
    cudaMalloc(&m, sizeof numbers);
    cudaMemcpy(n, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaResourceDesc line = {};
    line.resType = cudaResourceTypeLinear;
    line.res.linear.devPtr = n;
    line.res.linear.desc = cudaCreateChannelDesc<int>();
    line.res.linear.sizeInBytes = sizeof numbers;
    cudaTextureDesc plain = {};
    cudaTextureObject_t u;
    cudaCreateTextureObject(&u, &line, &plain, nullptr);
    fetch<<<1, 32>>>(u, m, 5);
    cudaMemcpy(numbers, m, sizeof numbers, cudaMemcpyDeviceToHost);
    for (int v : numbers)
        printf("%d ", v);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaDestroyTextureObject(t), cudaDestroyTextureObject(u), cudaDestroySurfaceObject(s);
    cudaFreeArray(a);
    cudaFree(o), cudaFree(n), cudaFree(m);
}
