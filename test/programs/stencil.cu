// Heat flowing on a plane and in space, with halos in shared memory.
#include <cmath>
#include <utility>
#include <vector>
#include "check.h"

const int W = 70, H = 45;
__global__ void heat(const float *in, float *out, int w, int h)
{
    __shared__ float tile[10][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int cx = min(x, w - 1), cy = min(y, h - 1);
    tile[threadIdx.y + 1][threadIdx.x + 1] = in[cy * w + cx];
    if (threadIdx.x == 0)
        tile[threadIdx.y + 1][0] = in[cy * w + max(cx - 1, 0)];
    if (threadIdx.x == 15)
        tile[threadIdx.y + 1][17] = in[cy * w + min(cx + 1, w - 1)];
    if (threadIdx.y == 0)
        tile[0][threadIdx.x + 1] = in[max(cy - 1, 0) * w + cx];
    if (threadIdx.y == 7)
        tile[9][threadIdx.x + 1] = in[min(cy + 1, h - 1) * w + cx];
    __syncthreads();
    if (x >= w || y >= h)
        return;
    bool edge = x == 0 || y == 0 || x == w - 1 || y == h - 1;
    float here = tile[threadIdx.y + 1][threadIdx.x + 1];
    out[y * w + x] = edge ? here
                          : 0.25f * (tile[threadIdx.y][threadIdx.x + 1] + tile[threadIdx.y + 2][threadIdx.x + 1] +
                                     tile[threadIdx.y + 1][threadIdx.x] + tile[threadIdx.y + 1][threadIdx.x + 2]);
}
__global__ void average3d(const double *in, double *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (z >= n)
        return;
    double sum = 0;
    int count = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int X = x + dx, Y = y + dy, Z = z + dz;
                if (X < 0 || Y < 0 || Z < 0 || X >= n || Y >= n || Z >= n)
                    continue;
                sum += in[(Z * n + Y) * n + X];
                count++;
            }
    out[(z * n + y) * n + x] = sum / count;
}

int main()
{
    std::vector<float> a(W * H, 0.0f), b;
    for (int x = 0; x < W; x++)
        a[x] = 100;
    float *d, *e;
    CUDA(cudaMalloc(&d, W * H * sizeof *d));
    CUDA(cudaMalloc(&e, W * H * sizeof *e));
    CUDA(cudaMemcpy(d, a.data(), W * H * sizeof *d, cudaMemcpyHostToDevice));
    for (int step = 0; step < 20; step++) {
        heat<<<dim3((W + 15) / 16, (H + 7) / 8), dim3(16, 8)>>>(d, e, W, H);
        std::swap(d, e);
        b = a;
        for (int y = 1; y < H - 1; y++)
            for (int x = 1; x < W - 1; x++)
                b[y * W + x] = 0.25f * (a[(y - 1) * W + x] + a[(y + 1) * W + x] + a[y * W + x - 1] + a[y * W + x + 1]);
        std::swap(a, b);
    }
    b.resize(W * H);
    CUDA(cudaMemcpy(b.data(), d, W * H * sizeof *d, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++)
        CHECK(fabsf(a[i] - b[i]) < 1e-4f);

    const int n = 9;
    double *in, *out;
    CUDA(cudaMallocManaged(&in, n * n * n * sizeof *in));
    CUDA(cudaMallocManaged(&out, n * n * n * sizeof *out));
    for (int i = 0; i < n * n * n; i++)
        in[i] = i % n + i / n % n + i / n / n;
    average3d<<<dim3(1, 1, 5), dim3(n, n, 2)>>>(in, out, n);
    CUDA(cudaDeviceSynchronize());
    CHECK(fabs(out[(4 * n + 4) * n + 4] - 12) < 1e-12 && fabs(out[0] - 1.5) < 1e-12);
    puts("ok");
}
