// Default arguments of templates that only their first declaration gives, on both sides.
#include <cstdio>
template <class T> __host__ __device__ T sum(const T *a, int n, T first = T(3), int step = 1);
template <class T> __host__ __device__ T sum(const T *a, int n, T first, int step)
{
    for (int i = 0; i < n; i += step)
        first += a[i];
    return first;
}
template <class T, class U = int> __host__ __device__ T made(U u = 7);
template <class T, class U> __host__ __device__ T made(U u) { return (T)u / 2; }
template <class T> struct holder {
    static __host__ __device__ int of(T a, int b = 5);
};
template <class T> __host__ __device__ int holder<T>::of(T a, int b) { return (int)a * b; }
__host__ __device__ float all()
{
    const int a[4] = {1, 2, 3, 4};
    const float b[2] = {0.5f, 0.25f};
    return sum(a, 4) + 100 * sum(a, 4, 0, 2) + sum(b, 2) + made<float>() + made<float>(9.0f) + 1000 * holder<short>::of(2);
}
__global__ void kernel(float *out) { *out = all(); }
int main()
{
    float *out;
    cudaMallocManaged(&out, sizeof *out);
    kernel<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%g %g\n", all(), *out);
}
