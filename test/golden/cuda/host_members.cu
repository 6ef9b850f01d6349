// RUN: tern compile %s --to ir -O0
// Host code's members of class templates may use what only host code knows; device code may not
// use those members. A missing name in a declaration gets its hint as one in a body does.
#include <iostream>
#include <string>
#include <thrust/async/reduce.h>

template <typename T> struct complex_number {
    T re, im;
    __host__ __device__ complex_number(T r, T i) : re(r), im(i) {}
    std::string text() const;
    static void dump(std::ostream &out) { out << "x"; }
    friend std::ostream &operator<<(std::ostream &out, const complex_number<T> &c) { return out << c.re; }
    using label = std::string;
};

__global__ void good(float *p)
{
    complex_number<float> c(p[0], p[1]);
    p[2] = c.re * c.im;
}
__global__ void bad(float *p)
{
    complex_number<float> c(p[0], p[1]);
    c.text();
    if (undeclared_here > 2)
        p[0] = 1;
    else if (p[1] > 2)
        p[0] = 2;
    else
        p[0] = 3;
}
__device__ flaot typo(float x);
__global__ void by_value(thrust::pair<int, int> p, int *out) {}
