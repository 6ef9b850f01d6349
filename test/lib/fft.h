/* For the programs here that test cuFFT: data, and transforms as sums in long double. */
#pragma once
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cufft.h>
#include <cufftXt.h>
#include "check.h"

#define FFT(call)                                                                                  \
    do {                                                                                           \
        cufftResult r_ = (call);                                                                   \
        if (r_ != CUFFT_SUCCESS) {                                                                 \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)r_);                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef std::complex<double> zd;
typedef std::complex<long double> zl;

/* Numbers between -1 and 1, always the same. */
inline double number(unsigned long long i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15ull;
    i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9ull;
    return (double)(long long)(i ^ i >> 32) / 9223372036854775808.0;
}

/* exp(sign 2 pi i k / n) for all k. */
inline std::vector<zd> roots(long long n, int sign)
{
    std::vector<zd> w(n);
    for (long long k = 0; k < n; k++)
        w[k] = zd((double)cosl(2 * M_PIl * k / n), sign * (double)sinl(2 * M_PIl * k / n));
    return w;
}

/* One line as a sum, in long double where it counts: along one axis. */
inline void line(std::vector<zd> &x, size_t at, size_t apart, const std::vector<zd> &w)
{
    const size_t n = w.size();
    std::vector<zd> y(n);
    for (size_t k = 0; k < n; k++) {
        double re = 0, im = 0;
        size_t e = 0;
        for (size_t j = 0; j < n; j++) {
            const zd v = x[at + j * apart], r = w[e];
            re += v.real() * r.real() - v.imag() * r.imag();
            im += v.real() * r.imag() + v.imag() * r.real();
            e += k;
            if (e >= n)
                e -= n;
        }
        y[k] = zd(re, im);
    }
    for (size_t k = 0; k < n; k++)
        x[at + k * apart] = y[k];
}

/* All axes of n[0] by n[1] by n[2], without gaps. */
inline void reference(std::vector<zd> &x, const std::vector<int> &n, int sign)
{
    size_t apart = 1;
    for (int d = (int)n.size() - 1; d >= 0; d--) {
        const std::vector<zd> w = roots(n[d], sign);
        for (size_t at = 0; at < x.size(); at++)
            if (at / apart % n[d] == 0)
                line(x, at, apart, w);
        apart *= n[d];
    }
}

/* Root of the mean square of a difference, against that of the reference. */
inline double distance(const std::vector<zd> &a, const std::vector<zd> &b)
{
    double d = 0, all = 0;
    for (size_t i = 0; i < a.size(); i++) {
        d += std::norm(a[i] - b[i]);
        all += std::norm(b[i]);
    }
    return all ? sqrt(d / all) : sqrt(d);
}

template <class T> struct device {
    T *p;
    size_t n;
    explicit device(size_t count) : p(nullptr), n(count)
    {
        CUDA(cudaMalloc(&p, n * sizeof(T) + 1));
        CUDA(cudaMemset(p, 0, n * sizeof(T) + 1));
    }
    explicit device(const std::vector<T> &v) : device(v.size())
    {
        put(v);
    }
    ~device()
    {
        cudaFree(p);
    }
    device(const device &) = delete;
    void put(const std::vector<T> &v)
    {
        CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};
