// Pitched, 3-D, pinned, managed and asynchronous memory; fills and copies of every direction.
#include "check.h"

__global__ void twice(float *p, size_t pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        ((float *)((char *)p + y * pitch))[x] *= 2;
}
__global__ void inc(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i]++;
}

int main()
{
    const int w = 37, h = 11;
    float a[h][w], b[h][w], *d;
    size_t pitch;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            a[y][x] = y * 100 + x;
    CUDA(cudaMallocPitch(&d, &pitch, w * sizeof(float), h));
    CHECK(pitch >= w * sizeof(float) && pitch % 256 == 0);
    CUDA(cudaMemcpy2D(d, pitch, a, sizeof a[0], sizeof a[0], h, cudaMemcpyHostToDevice));
    twice<<<dim3(2, 2), dim3(32, 8)>>>(d, pitch, w, h);
    CUDA(cudaMemcpy2D(b, sizeof b[0], d, pitch, sizeof b[0], h, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            CHECK(b[y][x] == 2 * a[y][x]);
    CUDA(cudaFree(d));

    int *pinned, *managed, *dev, n = 1000;
    CUDA(cudaMallocHost(&pinned, n * sizeof(int)));
    CUDA(cudaMalloc(&dev, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        pinned[i] = i;
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaMemcpyAsync(dev, pinned, n * sizeof(int), cudaMemcpyHostToDevice, s));
    inc<<<4, 256, 0, s>>>(dev, n);
    CUDA(cudaMemcpyAsync(pinned, dev, n * sizeof(int), cudaMemcpyDefault, s));
    CUDA(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++)
        CHECK(pinned[i] == i + 1);
    if (cudaMallocManaged(&managed, n * sizeof(int)) == cudaSuccess) {
        for (int i = 0; i < n; i++)
            managed[i] = -i;
        inc<<<4, 256>>>(managed, n);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++)
            CHECK(managed[i] == 1 - i);
        CUDA(cudaFree(managed));
    } else {
        CHECK(cudaGetLastError() == cudaErrorNotSupported);
    }
    int *copy;
    CUDA(cudaMallocAsync(&copy, n * sizeof(int), s));
    CUDA(cudaMemcpyAsync(copy, dev, n * sizeof(int), cudaMemcpyDeviceToDevice, s));
    CUDA(cudaMemsetAsync(dev, 0xff, 4 * sizeof(int), s));
    CUDA(cudaMemcpyAsync(pinned, copy, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(pinned[999] == 1000);
    CUDA(cudaMemcpy(pinned, dev, 5 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(pinned[3] == -1 && pinned[4] == 5);
    CUDA(cudaMemset((char *)dev + 3, 0, 6));
    unsigned char bytes[12];
    CUDA(cudaMemcpy(bytes, dev, 12, cudaMemcpyDeviceToHost));
    CHECK(bytes[2] == 255 && bytes[3] == 0 && bytes[8] == 0 && bytes[9] == 255);
    cudaPitchedPtr box;
    CUDA(cudaMalloc3D(&box, make_cudaExtent(16, 4, 3)));
    CUDA(cudaMemset3D(box, 7, make_cudaExtent(16, 4, 3)));
    unsigned char flat[16 * 4 * 3];
    cudaMemcpy3DParms parms = {};
    parms.srcPtr = box;
    parms.dstPtr = make_cudaPitchedPtr(flat, 16, 16, 4);
    parms.extent = make_cudaExtent(16, 4, 3);
    parms.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&parms));
    for (unsigned char c : flat)
        CHECK(c == 7);
    size_t available, total;
    CUDA(cudaMemGetInfo(&available, &total));
    CHECK(total > 0 && available <= total);
    CUDA(cudaFreeAsync(copy, s));
    CUDA(cudaFree(dev));
    CUDA(cudaFree(box.ptr));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaStreamDestroy(s));
    puts("ok");
}
