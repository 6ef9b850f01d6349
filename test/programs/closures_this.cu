// Closures of member functions: they see the object, by its address or as a copy.
// OPTIONS: --extended-lambda
#include "check.h"

template <class F> __global__ void each(F f, int n)
{
    int i = threadIdx.x;
    if (i < n)
        f(i);
}

struct solver {
    static constexpr int width = 3;
    float *x;
    float a;

    __host__ __device__ float scaled(float y) const { return a * y; }
    void copied(int n)
    {
        each<<<1, 32>>>([=, *this] __device__(int i) { x[i] *= a; }, n);
    }
    void through_this(int n)
    {
        each<<<1, 32>>>([this] __device__(int i) { this->x[i] += a; }, n);
    }
    void by_default(int n, float b)
    {
        auto f = [=] __host__ __device__(int i) {
            float part[width] = {b, 0, 0};
            x[i] = scaled(x[i]) + part[0];
        };
        each<<<1, 32>>>(f, n);
    }
    void shadowed(int n)
    {
        float a = 100;
        each<<<1, 32>>>([=] __device__(int i) { x[i] += a; }, n);
    }
    void outside(int n);
};
void solver::outside(int n)
{
    each<<<1, 32>>>([=] __device__(int i) { x[i] -= a; }, n);
}
template <class T> class counter {
    T *x, step;

  public:
    counter(T *x, T step) : x(x), step(step) {}
    void add(int n)
    {
        each<<<1, 32>>>([=, *this] __device__(int i) { x[i] += step; }, n);
    }
    void add_again(int n)
    {
        each<<<1, 32>>>([*this] __host__ __device__(int i) { x[i] += step; }, n);
    }
};

int main()
{
    solver *s;
    CUDA(cudaMallocManaged(&s, sizeof *s));
    CUDA(cudaMallocManaged(&s->x, 32 * sizeof *s->x));
    s->a = 2;
    for (int i = 0; i < 32; i++)
        s->x[i] = i;
    s->copied(32); // 2i
    CUDA(cudaDeviceSynchronize());
    s->through_this(32); // 2i + 2
    s->by_default(32, 5); // 4i + 9
    s->shadowed(32); // 4i + 109
    s->outside(32); // 4i + 107
    counter<float> three(s->x, 3);
    three.add(32);
    three.add_again(32);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        CHECK(s->x[i] == 4 * i + 113);
    puts("ok");
}
