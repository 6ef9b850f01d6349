// Templates of functions whose names stand in parentheses, as libraries write those that a macro may have, too: (isnan), (min).
#include <cstdio>

namespace numbers {
template <class T> __host__ __device__ bool(isnan)(const T &x) { return x != x; }
struct half {
    float v;
};
template <> __host__ __device__ inline bool(isnan)(const half &h) { return h.v != h.v || h.v > 5; }
template <class T> struct limits {
    static __host__ __device__ T(max)() { return T(9); }
    __host__ __device__ T(min)(T a) const;
    template <class U> static __host__ __device__ U(middle)(U a);
};
template <class T> __host__ __device__ T(limits<T>::min)(T a) const { return a - 1; }
template <class T> template <class U> __host__ __device__ U(limits<T>::middle)(U a) { return a / 2; }
} // namespace numbers

__host__ __device__ int all()
{
    const numbers::half h{7};
    return (numbers::isnan)(h) + 2 * (numbers::isnan)(3.f) + 10 * (numbers::limits<int>::max)() + 100 * (numbers::limits<int>{}.min)(3) +
           1000 * (numbers::limits<int>::middle)(9);
}
__global__ void kernel(int *out) { *out = all(); }

int main()
{
    int *there;
    cudaMallocManaged(&there, sizeof *there);
    kernel<<<1, 1>>>(there);
    cudaDeviceSynchronize();
    printf("%d %d\n", all(), *there);
}
