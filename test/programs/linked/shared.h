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
// What the other file writes for int, a member and a function: the templates' own bodies are not
// meant.
template <class T> struct Cell {
    T value;
    __host__ __device__ T get() const;
};
template <class T> __host__ __device__ T Cell<T>::get() const
{
    return value;
}
template <> __host__ __device__ int Cell<int>::get() const;
template <class T> __device__ T half(T x)
{
    return x / 2;
}
template <> __device__ int half<int>(int x);
// constants in a header are each file's own; said extern first, one file's
__device__ __constant__ constexpr int twenty = 20;
__constant__ const int levels[2] = {3, 4};
extern const __constant__ int common;
__device__ int constants_there(int i);
