// Moving data about: transposes with padded tiles, gathers and scatters, vector loads, reversal, all element sizes.
#include <vector>
#include "check.h"

template <class T> __global__ void transpose(const T *in, T *out, int w, int h)
{
    __shared__ T tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w)
        out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}
template <class T> static void check(int w, int h)
{
    T *in, *out;
    CUDA(cudaMallocManaged(&in, w * h * sizeof *in));
    CUDA(cudaMallocManaged(&out, w * h * sizeof *out));
    for (int i = 0; i < w * h; i++)
        in[i] = T(i % 251);
    transpose<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h);
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            CHECK(out[x * h + y] == in[y * w + x]);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}
__global__ void vectors(const float4 *in, float4 *out, const int2 *index, uchar4 *bytes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 v = in[index[i].x];
    out[index[i].y] = make_float4(v.w, v.z, v.y, v.x);
    unsigned char *raw = reinterpret_cast<unsigned char *>(bytes + i);
    raw[0] = (unsigned char)i, raw[3] = 9;
    bytes[i].y = raw[0];
    *reinterpret_cast<unsigned short *>(raw + 2) |= 0x100;
}
__global__ void reverse(int *a, int n)
{
    extern __shared__ int s[];
    s[threadIdx.x] = a[blockIdx.x * n + threadIdx.x];
    __syncthreads();
    a[blockIdx.x * n + threadIdx.x] = s[n - 1 - threadIdx.x];
}

int main()
{
    check<unsigned char>(33, 70), check<short>(16, 16), check<int>(1, 100), check<float>(47, 31), check<double>(65, 20), check<long long>(5, 5);
    const int n = 100;
    float4 *in, *out;
    int2 *index;
    uchar4 *bytes;
    CUDA(cudaMallocManaged(&in, n * sizeof *in));
    CUDA(cudaMallocManaged(&out, n * sizeof *out));
    CUDA(cudaMallocManaged(&index, n * sizeof *index));
    CUDA(cudaMallocManaged(&bytes, n * sizeof *bytes));
    for (int i = 0; i < n; i++) {
        in[i] = make_float4(i, i + 0.25f, i + 0.5f, i + 0.75f);
        index[i] = make_int2(i * 7 % n, i * 13 % n);
        bytes[i] = make_uchar4(0, 0, 0, 0);
    }
    vectors<<<2, 64>>>(in, out, index, bytes, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        CHECK(out[index[i].y].x == index[i].x + 0.75f && out[index[i].y].w == index[i].x);
        CHECK(bytes[i].x == i && bytes[i].y == i && bytes[i].z == 0 && bytes[i].w == 9);
    }
    int *a;
    CUDA(cudaMallocManaged(&a, 4 * 50 * sizeof *a));
    for (int i = 0; i < 200; i++)
        a[i] = i;
    reverse<<<4, 50, 50 * sizeof(int)>>>(a, 50);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 200; i++)
        CHECK(a[i] == i / 50 * 50 + 49 - i % 50);
    puts("ok");
}
