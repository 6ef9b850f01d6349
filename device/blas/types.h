/* Elements of matrices: complex numbers, and conversions between what is stored and what is computed with. */
#pragma once
#include "cuda_fp16.h"
#include "cuda_bf16.h"
#include "cuda_fp8.h"

template <class R> struct __align__(2 * sizeof(R)) complex {
    R x, y;
};

template <class T> struct real_of {
    typedef T type;
};
template <class R> struct real_of<complex<R>> {
    typedef R type;
};

/* Elements that lie together as one access of 16 bytes. */
template <class T> union chunk {
    uint4 whole;
    T each[16 / sizeof(T)];
    __device__ chunk() {}
};

/* ---- what a stored element is computed with ---- */
__device__ inline float wide(float v) { return v; }
__device__ inline double wide(double v) { return v; }
__device__ inline int wide(int v) { return v; }
__device__ inline int wide(signed char v) { return v; }
__device__ inline int wide(unsigned char v) { return v; }
__device__ inline float wide(__half v) { return __half2float(v); }
__device__ inline float wide(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ inline float wide(__nv_fp8_e4m3 v) { return (float)v; }
__device__ inline float wide(__nv_fp8_e5m2 v) { return (float)v; }

/* ---- and back: to is told apart by its type ---- */
template <class From> __device__ inline void narrow(float &to, From v) { to = (float)v; }
template <class From> __device__ inline void narrow(double &to, From v) { to = (double)v; }
template <class From> __device__ inline void narrow(int &to, From v) { to = (int)v; }
__device__ inline void narrow(int &to, float v) { to = __float2int_rn(v); }
template <class From> __device__ inline void narrow(__half &to, From v) { to = __float2half((float)v); }
template <class From> __device__ inline void narrow(__nv_bfloat16 &to, From v) { to = __float2bfloat16((float)v); }
template <class From> __device__ inline void narrow(__nv_fp8_e4m3 &to, From v) { to = __nv_fp8_e4m3((float)v); }
template <class From> __device__ inline void narrow(__nv_fp8_e5m2 &to, From v) { to = __nv_fp8_e5m2((float)v); }
__device__ inline void narrow(signed char &to, int v) { to = (signed char)(v < -128 ? -128 : v > 127 ? 127 : v); }
__device__ inline void narrow(signed char &to, float v)
{
    const float r = rintf(v);
    to = (signed char)(r < -128.f ? -128 : r > 127.f ? 127 : (int)r);
}

/* ---- one way for real and complex ---- */
template <class To, class From> struct conversion {
    static __device__ To of(From v)
    {
        To to;
        narrow(to, wide(v));
        return to;
    }
};
template <class T> struct conversion<T, T> {
    static __device__ T of(T v) { return v; }
};
template <class To, class From> struct conversion<complex<To>, complex<From>> {
    static __device__ complex<To> of(complex<From> v)
    {
        complex<To> to;
        narrow(to.x, wide(v.x));
        narrow(to.y, wide(v.y));
        return to;
    }
};
template <class T> struct conversion<complex<T>, complex<T>> {
    static __device__ complex<T> of(complex<T> v) { return v; }
};
template <class To, class From> struct conversion<complex<To>, From> {
    static __device__ complex<To> of(From v)
    {
        complex<To> to;
        narrow(to.x, wide(v));
        to.y = To(0);
        return to;
    }
};
template <class To, class From> __device__ inline To to(From v) { return conversion<To, From>::of(v); }

/* ---- arithmetic that both have ---- */
template <class T> __device__ inline T zero() { return T(0); }
template <> __device__ inline complex<float> zero<complex<float>>() { complex<float> z = {0.f, 0.f}; return z; }
template <> __device__ inline complex<double> zero<complex<double>>() { complex<double> z = {0.0, 0.0}; return z; }
template <class T> __device__ inline T one() { return T(1); }
template <> __device__ inline complex<float> one<complex<float>>() { complex<float> z = {1.f, 0.f}; return z; }
template <> __device__ inline complex<double> one<complex<double>>() { complex<double> z = {1.0, 0.0}; return z; }

template <class T> __device__ inline T conjugate(T v) { return v; }
template <class R> __device__ inline complex<R> conjugate(complex<R> v) { v.y = -v.y; return v; }
template <class T> __device__ inline void drop_imaginary(T &) {}
template <class R> __device__ inline void drop_imaginary(complex<R> &v) { v.y = R(0); }

template <class T> __device__ inline void mad(T &sum, T a, T b) { sum += a * b; }
template <class R> __device__ inline void mad(complex<R> &sum, complex<R> a, complex<R> b)
{
    sum.x += a.x * b.x;
    sum.x -= a.y * b.y;
    sum.y += a.x * b.y;
    sum.y += a.y * b.x;
}
template <class T> __device__ inline T add(T a, T b) { return a + b; }
template <class R> __device__ inline complex<R> add(complex<R> a, complex<R> b)
{
    a.x += b.x;
    a.y += b.y;
    return a;
}
template <class T> __device__ inline T sub(T a, T b) { return a - b; }
template <class R> __device__ inline complex<R> sub(complex<R> a, complex<R> b)
{
    a.x -= b.x;
    a.y -= b.y;
    return a;
}
template <class T> __device__ inline T mul(T a, T b) { return a * b; }
template <class R> __device__ inline complex<R> mul(complex<R> a, complex<R> b)
{
    complex<R> c = {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
    return c;
}
template <class T> __device__ inline T over(T a, T b) { return a / b; }
/* Smith's way: no overflow on the way to a quotient that has none. */
template <class R> __device__ inline complex<R> over(complex<R> a, complex<R> b)
{
    complex<R> c;
    if (fabs(b.x) >= fabs(b.y)) {
        const R r = b.y / b.x, d = b.x + b.y * r;
        c.x = (a.x + a.y * r) / d;
        c.y = (a.y - a.x * r) / d;
    } else {
        const R r = b.x / b.y, d = b.x * r + b.y;
        c.x = (a.x * r + a.y) / d;
        c.y = (a.y * r - a.x) / d;
    }
    return c;
}
template <class T> __device__ inline bool is_zero(T v) { return v == T(0); }
template <class R> __device__ inline bool is_zero(complex<R> v) { return v.x == R(0) && v.y == R(0); }
template <class T> __device__ inline T negated(T v) { return -v; }
template <class R> __device__ inline complex<R> negated(complex<R> v) { v.x = -v.x; v.y = -v.y; return v; }

/* A scalar of the caller's: in device memory, or given with the launch. */
template <class S> __device__ inline S scalar(const void *at, const double *value) { return at ? *(const S *)at : S(value[0]); }
template <> __device__ inline complex<float> scalar<complex<float>>(const void *at, const double *value)
{
    complex<float> v = {(float)value[0], (float)value[1]};
    return at ? *(const complex<float> *)at : v;
}
template <> __device__ inline complex<double> scalar<complex<double>>(const void *at, const double *value)
{
    complex<double> v = {value[0], value[1]};
    return at ? *(const complex<double> *)at : v;
}
template <> __device__ inline __half scalar<__half>(const void *at, const double *value)
{
    return at ? *(const __half *)at : __float2half((float)value[0]);
}
template <> __device__ inline __nv_bfloat16 scalar<__nv_bfloat16>(const void *at, const double *value)
{
    return at ? *(const __nv_bfloat16 *)at : __float2bfloat16((float)value[0]);
}
