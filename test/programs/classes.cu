// Classes shared by both halves, inheritance, virtual calls, lambdas and recursion on the device.
#include "check.h"

struct Vec3 {
    float x, y, z;
    __host__ __device__ Vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
    __host__ __device__ Vec3 operator+(const Vec3 &o) const { return Vec3(x + o.x, y + o.y, z + o.z); }
    __host__ __device__ Vec3 operator*(float k) const { return {x * k, y * k, z * k}; }
    __host__ __device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};
struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Box : Square {
    using Square::Square;
    __device__ float area() const override { return 6 * Square::area(); }
};
__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
template <class F> __device__ float apply(F f, float x)
{
    return f(x);
}
__global__ void run(const Vec3 *in, Vec3 by, float *out, int *ints)
{
    int i = threadIdx.x;
    Vec3 v = in[i] + by * 2.f;
    out[i] = v.dot(by);
    if (i == 0) {
        Square s(3);
        Box b(2);
        const Shape *shapes[2] = {&s, &b};
        float sum = 0;
        for (const Shape *p : shapes)
            sum += p->area();
        out[8] = sum;
        float k = 5;
        out[9] = apply([=](float x) { return x * k + by.y; }, 2.f);
        ints[0] = fibonacci(12);
    }
}

int main()
{
    Vec3 h[8], by(1, -1, 0.5f), *d;
    float r[10], *o;
    int n, *di;
    for (int i = 0; i < 8; i++)
        h[i] = Vec3(i, 2 * i, -i);
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMalloc(&o, sizeof r));
    CUDA(cudaMalloc(&di, sizeof n));
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    run<<<1, 8>>>(d, by, o, di);
    CUDA(cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&n, di, sizeof n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        CHECK(r[i] == (h[i] + by * 2.f).dot(by));
    CHECK(r[8] == 9 + 24);
    CHECK(r[9] == 9);
    CHECK(n == 144);
    puts("ok");
}
