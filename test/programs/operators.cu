// A small vector and matrix class for both sides, with every kind of operator; checked against plain arithmetic.
#include <cmath>
#include "check.h"

template <class T, int N> struct vec {
    T v[N];
    __host__ __device__ T &operator[](int i) { return v[i]; }
    __host__ __device__ const T &operator[](int i) const { return v[i]; }
    __host__ __device__ vec operator+(const vec &o) const
    {
        vec r = *this;
        return r += o;
    }
    __host__ __device__ vec &operator+=(const vec &o)
    {
        for (int i = 0; i < N; i++)
            v[i] += o[i];
        return *this;
    }
    __host__ __device__ vec operator-() const
    {
        vec r;
        for (int i = 0; i < N; i++)
            r[i] = -v[i];
        return r;
    }
    __host__ __device__ friend vec operator*(T k, vec x)
    {
        for (auto &e : x.v)
            e *= k;
        return x;
    }
    __host__ __device__ T operator*(const vec &o) const
    {
        T s = 0;
        for (int i = 0; i < N; i++)
            s += v[i] * o[i];
        return s;
    }
    __host__ __device__ vec &operator++() { return *this += vec{{1, 1, 1}}; }
    __host__ __device__ vec operator++(int)
    {
        vec old = *this;
        ++*this;
        return old;
    }
    __host__ __device__ bool operator==(const vec &o) const
    {
        for (int i = 0; i < N; i++)
            if (v[i] != o[i])
                return false;
        return true;
    }
    __host__ __device__ explicit operator bool() const { return !(*this == vec{}); }
    __host__ __device__ operator T() const { return v[0]; }
    template <class U> __host__ __device__ vec<U, N> as() const
    {
        vec<U, N> r;
        for (int i = 0; i < N; i++)
            r[i] = (U)v[i];
        return r;
    }
};
template <class T> using vec3 = vec<T, 3>;
template <class T> __host__ __device__ vec3<T> cross(const vec3<T> &a, const vec3<T> &b)
{
    return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
struct adder {
    int base;
    __host__ __device__ int operator()(int a, int b = 5) const { return base + a * b; }
    __host__ __device__ const adder *operator->() const { return this; }
    __host__ __device__ int operator,(int x) const { return base - x; }
};
template <class T> __host__ __device__ void work(T *out, int i)
{
    vec3<T> a{{(T)i, 2, 3}}, b{{1, (T)(i + 1), -1}};
    vec3<T> c = a + b + -(T(2) * a);
    auto old = c++;
    out[0] = a * b, out[1] = c * old, out[2] = cross(a, b) * a, out[3] = (T)c + (T)(a ? 1 : 0) + (T)(bool)vec3<T>{};
    adder f{7};
    out[4] = (T)(f(3) + f(2, 2) + f->base + (f, 4) + a.template as<int>()[2]);
}
template <class T> __global__ void run(T *out) { work(out + 5 * threadIdx.x, threadIdx.x); }

template <class T> static void same()
{
    T *out, h[5];
    CUDA(cudaMallocManaged(&out, 5 * 64 * sizeof *out));
    run<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        work(h, i);
        for (int k = 0; k < 5; k++)
            CHECK(out[5 * i + k] == h[k]);
        CHECK(h[2] == 0);
    }
}
int main()
{
    same<int>();
    same<double>();
    puts("ok");
}
