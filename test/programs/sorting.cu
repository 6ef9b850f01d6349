// Three ways to sort: a bitonic network, radix by bits with scans, and merging.
#include <algorithm>
#include <vector>
#include "check.h"

__global__ void bitonic(int *a, int n)
{
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = a[i];
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
                int low = 2 * i - (i & (stride - 1)), high = low + stride;
                bool up = (low & size) == 0;
                if ((s[low] > s[high]) == up) {
                    int t = s[low];
                    s[low] = s[high];
                    s[high] = t;
                }
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = s[i];
}
__global__ void radix(unsigned *a, unsigned *b) // one block, one element a thread
{

    unsigned x = a[threadIdx.x];
    for (int bit = 0; bit < 32; bit++) {
        bool one = x >> bit & 1;
        int total = __syncthreads_count(!one);
        __shared__ unsigned base[32];
        unsigned ballot = __ballot_sync(~0u, !one), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        if (lane == 0)
            base[warp] = __popc(ballot);
        __syncthreads();
        unsigned before = __popc(ballot & ((1u << lane) - 1));
        for (unsigned w = 0; w < warp; w++)
            before += base[w];
        b[one ? total + threadIdx.x - before : before] = x;
        __syncthreads();
        x = b[threadIdx.x];
    }
    a[threadIdx.x] = x;
}
template <class T> __global__ void merge(const T *in, T *out, int width, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * width;
    if (i >= n)
        return;
    int a = i, mid = min(i + width, n), b = mid, end = min(i + 2 * width, n);
    for (int k = i; k < end; k++)
        out[k] = b >= end || (a < mid && !(in[b] < in[a])) ? in[a++] : in[b++];
}
struct item {
    int key, order;
    __host__ __device__ bool operator<(const item &o) const { return key < o.key; }
};

int main()
{
    const int n = 1024;
    int *a;
    unsigned *u, *v;
    CUDA(cudaMallocManaged(&a, n * sizeof *a));
    CUDA(cudaMallocManaged(&u, n * sizeof *u));
    CUDA(cudaMallocManaged(&v, n * sizeof *v));
    std::vector<int> want(n);
    for (int i = 0; i < n; i++) {
        want[i] = a[i] = (int)(i * 2654435761u) >> 4;
        u[i] = (unsigned)i * 2246822519u;
    }
    std::vector<unsigned> wantu(u, u + n);
    std::sort(want.begin(), want.end());
    std::sort(wantu.begin(), wantu.end());
    bitonic<<<1, 128, n * sizeof(int)>>>(a, n);
    radix<<<1, n>>>(u, v);
    CUDA(cudaDeviceSynchronize());
    CHECK(std::equal(want.begin(), want.end(), a));
    CHECK(std::equal(wantu.begin(), wantu.end(), u));

    const int m = 1500;
    item *x, *y;
    CUDA(cudaMallocManaged(&x, m * sizeof *x));
    CUDA(cudaMallocManaged(&y, m * sizeof *y));
    for (int i = 0; i < m; i++)
        x[i] = {i * 7919 % 97, i};
    for (int width = 1; width < m; width *= 2) {
        int runs = (m + 2 * width - 1) / (2 * width);
        merge<<<(runs + 63) / 64, 64>>>(x, y, width, m);
        std::swap(x, y);
    }
    CUDA(cudaDeviceSynchronize());
    for (int i = 1; i < m; i++) // stable
        CHECK(x[i - 1].key < x[i].key || (x[i - 1].key == x[i].key && x[i - 1].order < x[i].order));
    puts("ok");
}
