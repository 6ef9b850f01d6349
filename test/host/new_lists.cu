// new T[]{…} has as many elements as are written, which delete[] destroys; guides that are written come before those of constructors,
// be these for the device or not.
// OPTIONS: -std=c++20
#include <cstdio>

struct counted {
    int v, *sum;
    __host__ __device__ ~counted() { *sum += v; }
};
template <class T> struct box {
    T v;
    __host__ __device__ box(T x) : v(x) {}
};
box(const char *) -> box<int>;
template <> struct box<int> {
    int v;
    __host__ __device__ box(const char *s) : v(s[0]) {}
};

__host__ __device__ int run()
{
    int sum = 0, *one = new int[]{7}, *three = new int[]{1, 2, 3};
    counted *objects = new counted[]{{4, &sum}, {5, &sum}};
    auto *rows = new int[][2]{{1, 2}, {3, 4}};
    const box b("x");
    const int r = one[0] + three[2] * 10 + objects[1].v * 100 + rows[1][0] * 1000 + b.v * 10000;
    delete[] one;
    delete[] three;
    delete[] objects;
    delete[] rows;
    return r * 100 + sum;
}
__global__ void kernel(int *out) { *out = run(); }

int main()
{
    int *there;
    cudaMallocManaged(&there, sizeof *there);
    kernel<<<1, 1>>>(there);
    cudaDeviceSynchronize();
    printf("%d %d\n", run(), *there);
}
