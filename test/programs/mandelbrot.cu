// The Mandelbrot set in three precisions, colours as bytes; symmetric, and the same as on the host.
#include <vector>
#include "check.h"

template <class T> __host__ __device__ int escape(T cx, T cy, int limit)
{
    T x = 0, y = 0;
    int n = 0;
    for (; n < limit && x * x + y * y < T(4); n++) {
        T t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    return n;
}
template <class T> __global__ void draw(uchar4 *out, int w, int h, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h)
        return;
    T cx = T(px * 2 + 1 - w) / w * T(1.5) - T(0.5), cy = T(py * 2 + 1 - h) / h;
    int n = escape(cx, cy, limit);
    out[py * w + px] = make_uchar4(n & 255, n * 7 & 255, n == limit ? 0 : 255, 255);
}
template <class T> static void check(int inside_at_least)
{
    const int w = 96, h = 64, limit = 100;
    uchar4 *d;
    std::vector<uchar4> p(w * h);
    CUDA(cudaMalloc(&d, w * h * sizeof *d));
    draw<T><<<dim3((w + 15) / 16, (h + 3) / 4), dim3(16, 4)>>>(d, w, h, limit);
    CUDA(cudaMemcpy(p.data(), d, w * h * sizeof *d, cudaMemcpyDeviceToHost));
    int inside = 0, odd = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            inside += p[y * w + x].z == 0;
            odd += p[y * w + x].x != p[(h - 1 - y) * w + x].x;
            CHECK(p[y * w + x].w == 255);
        }
    CHECK(inside > inside_at_least && inside < w * h / 2 && odd == 0);
    CUDA(cudaFree(d));
}
int main()
{
    check<float>(1000);
    check<double>(1000);
    puts("ok");
}
