// RUN: tern compile %s --to ir -o %t --error-limit 200 2>&1 | grep -E "front/.*(error|warning|note):|layout"
// What device code cannot have, each said by name; and warnings of templates, said once with where they come from.
#include <cstdarg>
#include <mma.h>
template <typename T> concept number = sizeof(T) > 2;
template <number T> __device__ T twice(T x) { return x + x; }
template <typename T> requires(sizeof(T) == 4) __device__ int four(T x) { return 4; }
struct ordered { int a; __device__ auto operator<=>(const ordered &) const = default; };
struct base { __device__ virtual int f() { return 1; } };
struct derived : base { __device__ int f() override { return 2; } };
struct blob { int big[1000]; __device__ bool operator==(const blob &) const = default; };
struct with_long { char c; long double x; };
consteval int square(int x) { return x * x; }
__device__ int sum(int n, ...)
{
    va_list a;
    va_start(a, n);
    int s = va_arg(a, int);
    va_end(a);
    return s;
}
__global__ void concepts(int *p) { p[0] = twice('c'); }
__global__ void clauses(int *p) { p[0] = four(2.0); }
__global__ void ordering(int *p) { p[0] = ordered{1} < ordered{2}; }
__global__ void three_way(int *p) { p[0] = 1 <=> 2; }
__global__ void types(int *p, base *b) { p[0] = dynamic_cast<derived *>(b) != nullptr; }
__global__ void sizes(int *p, int n) { p[0] = *(int *)alloca(n); }
__global__ void waits() { cudaDeviceSynchronize(); }
__global__ void long_parameter(long double x, int *p) { p[0] = x; }
__global__ void long_member(with_long x, int *p) { p[0] = x.x; }
__global__ void long_local(double *p) { long double x = p[0]; p[0] = x; }
__global__ void variadic(int *p) { p[0] = sum(1, 2); }
__global__ void compare(int *p, blob *a) { p[0] = a[0] == a[1]; }
__global__ void immediate(int *p) { p[0] = square(p[1]); }
__global__ void layouts()
{
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __half> b;
}
template <typename T> __device__ void put(T *p)
{
    unsigned char c = 1000;
    T t = 70000;
    p[0] = t + c;
}
__global__ void instances(short *s, char *c, int *i)
{
    put(s);
    put(c);
    put(i);
}
