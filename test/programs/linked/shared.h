// What the two files share: device functions, variables and kernels that one has and the other
// uses.
#pragma once
struct Shape {
    float width, height;
    __device__ float area() const;
};
extern __device__ int calls;
extern __constant__ float table[4];
__device__ int twice(int x);
__global__ void fill(int *out, int n);
static __device__ int offset = 7; // each file has its own
template <class T> __device__ T square(T x)
{
    return x * x;
}
inline __device__ int triple(int x)
{
    return 3 * x;
}
constexpr __device__ int unchanged(int x) // constexpr is inline too
{
    return x;
}
