/* For the programs here that test cuBLAS: matrices on both sides, and references in long loops. */
#pragma once
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cublas_v2.h>
#include "check.h"

#define BLAS(call)                                                                                 \
    do {                                                                                           \
        cublasStatus_t s_ = (call);                                                                \
        if (s_ != CUBLAS_STATUS_SUCCESS) {                                                         \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cublasGetStatusName(s_));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Elements of the library's types and what references compute with. */
typedef std::complex<double> zd;
template <class T> struct as {
    static zd wide(T v)
    {
        return zd((double)v, 0);
    }
    static T narrow(zd v)
    {
        return (T)v.real();
    }
    static const bool is_complex = false;
    static double eps()
    {
        return sizeof(T) == 8 ? 2.3e-16 : 1.2e-7;
    }
};
template <> struct as<cuComplex> {
    static zd wide(cuComplex v)
    {
        return zd(v.x, v.y);
    }
    static cuComplex narrow(zd v)
    {
        return make_cuComplex((float)v.real(), (float)v.imag());
    }
    static const bool is_complex = true;
    static double eps()
    {
        return 1.2e-7;
    }
};
template <> struct as<cuDoubleComplex> {
    static zd wide(cuDoubleComplex v)
    {
        return zd(v.x, v.y);
    }
    static cuDoubleComplex narrow(zd v)
    {
        return make_cuDoubleComplex(v.real(), v.imag());
    }
    static const bool is_complex = true;
    static double eps()
    {
        return 2.3e-16;
    }
};
template <> struct as<__half> {
    static zd wide(__half v)
    {
        return zd((double)__half2float(v), 0);
    }
    static __half narrow(zd v)
    {
        return __float2half((float)v.real());
    }
    static const bool is_complex = false;
    static double eps()
    {
        return 9.8e-4;
    }
};
template <> struct as<__nv_bfloat16> {
    static zd wide(__nv_bfloat16 v)
    {
        return zd((double)__bfloat162float(v), 0);
    }
    static __nv_bfloat16 narrow(zd v)
    {
        return __float2bfloat16((float)v.real());
    }
    static const bool is_complex = false;
    static double eps()
    {
        return 7.9e-3;
    }
};

static thread_local unsigned seed = 1;
static inline double uniform()
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}
template <class T> T any()
{
    double x = uniform(), y = uniform();
    return as<T>::narrow(zd(x, y));
}

/* Arrays of pointers begin empty. */
template <class T> struct filled {
    static T value()
    {
        return any<T>();
    }
};
template <class T> struct filled<T *> {
    static T *value()
    {
        return nullptr;
    }
};

/* The same elements on the host and on the device. */
template <class T> struct both {
    std::vector<T> host;
    T *device = nullptr;
    explicit both(size_t n) : host(n)
    {
        for (T &v : host)
            v = filled<T>::value();
        CUDA(cudaMalloc((void **)&device, (n + 1) * sizeof(T)));
        put();
    }
    ~both()
    {
        cudaFree(device);
    }
    both(const both &) = delete;
    void put()
    {
        if (!host.empty())
            CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const
    {
        std::vector<T> v(host.size());
        if (!v.empty())
            CUDA(cudaMemcpy(v.data(), device, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

static inline zd op(zd v, cublasOperation_t o)
{
    return o == CUBLAS_OP_C ? std::conj(v) : v;
}
/* Element (i, j) of op(X). */
template <class T>
zd at(const std::vector<T> &x, int ld, cublasOperation_t o, long i, long j, size_t from = 0)
{
    return op(as<T>::wide(o == CUBLAS_OP_N ? x[from + i + j * ld] : x[from + j + i * ld]), o);
}
static inline bool close(zd a, zd b, double bound)
{
    if (std::isnan(a.real()) || std::isnan(b.real()))
        return std::isnan(a.real()) == std::isnan(b.real());
    return std::abs(a - b) <= bound;
}
