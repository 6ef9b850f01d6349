/* For the programs here that test cuSOLVER: calls by type, matrices with known properties,
 * residuals in long loops. */
#pragma once
#include <algorithm>
#include <functional>
#include "blas.h"
#include <cusolverDn.h>

#define SOLVE(call)                                                                                \
    do {                                                                                           \
        cusolverStatus_t s_ = (call);                                                              \
        if (s_ != CUSOLVER_STATUS_SUCCESS) {                                                       \
            printf("%s:%d: %s: status %d\n", __FILE__, __LINE__, #call, (int)s_);                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A matrix of the reference, by columns. */
struct dense {
    int m, n;
    std::vector<zd> v;
    dense(int m, int n) : m(m), n(n), v((size_t)m * n)
    {
    }
    zd &operator()(int i, int j)
    {
        return v[i + (size_t)j * m];
    }
    zd operator()(int i, int j) const
    {
        return v[i + (size_t)j * m];
    }
    double norm() const
    {
        double s = 0;
        for (const zd &x : v)
            s += std::norm(x);
        return std::sqrt(s);
    }
};
static inline dense times(const dense &a, const dense &b)
{
    dense c(a.m, b.n);
    for (int j = 0; j < b.n; j++)
        for (int l = 0; l < a.n; l++) {
            const zd f = b(l, j);
            for (int i = 0; i < a.m; i++)
                c(i, j) += a(i, l) * f;
        }
    return c;
}
static inline dense adjoint(const dense &a)
{
    dense c(a.n, a.m);
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            c(j, i) = std::conj(a(i, j));
    return c;
}
static inline dense minus(dense a, const dense &b)
{
    for (size_t k = 0; k < a.v.size(); k++)
        a.v[k] -= b.v[k];
    return a;
}
static inline double distance(const dense &a, const dense &b)
{
    return minus(a, b).norm() / std::max(b.norm(), 1e-300);
}
/* How far columns are from being orthonormal. */
static inline double skew(const dense &q)
{
    dense g = times(adjoint(q), q);
    for (int i = 0; i < g.n; i++)
        g(i, i) -= 1.0;
    return g.norm();
}

/* Between the device's elements and the reference's. */
template <class T> dense wide(const std::vector<T> &v, int m, int n, int ld, size_t from = 0)
{
    dense d(m, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            d(i, j) = as<T>::wide(v[from + i + (size_t)j * ld]);
    return d;
}
template <class T> void store(std::vector<T> &v, const dense &d, int ld, size_t from = 0)
{
    for (int j = 0; j < d.n; j++)
        for (int i = 0; i < d.m; i++)
            v[from + i + (size_t)j * ld] = as<T>::narrow(d(i, j));
}
template <class T> dense random_matrix(int m, int n)
{
    dense d(m, n);
    for (zd &x : d.v)
        x = as<T>::wide(any<T>());
    return d;
}
/* Orthonormal columns, by Gram and Schmidt twice. */
template <class T> dense orthonormal(int m, int n)
{
    dense q = random_matrix<T>(m, n);
    for (int j = 0; j < n; j++)
        for (int again = 0; again < 2; again++) {
            for (int l = 0; l < j; l++) {
                zd dot = 0;
                for (int i = 0; i < m; i++)
                    dot += std::conj(q(i, l)) * q(i, j);
                for (int i = 0; i < m; i++)
                    q(i, j) -= dot * q(i, l);
            }
            double s = 0;
            for (int i = 0; i < m; i++)
                s += std::norm(q(i, j));
            for (int i = 0; i < m; i++)
                q(i, j) /= std::sqrt(s);
        }
    return q;
}
/* Hermitian, with the given eigenvalues. */
template <class T> dense hermitian(const std::vector<double> &eigenvalues)
{
    const int n = (int)eigenvalues.size();
    const dense q = orthonormal<T>(n, n);
    dense d = q;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            d(i, j) *= eigenvalues[j];
    dense a = times(d, adjoint(q));
    for (int i = 0; i < n; i++)
        a(i, i) = a(i, i).real();
    return a;
}
/* Hermitian, with elements up to `width` from the diagonal. */
template <class T> dense banded(int n, int width)
{
    dense a = random_matrix<T>(n, n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            if (i == j)
                a(i, j) = a(i, j).real();
            else if (i > j + width)
                a(i, j) = 0;
            if (i > j)
                a(j, i) = std::conj(a(i, j));
        }
    return a;
}
/* The first m rows of the first n columns. */
static inline dense part(const dense &a, int m, int n)
{
    dense d(m, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            d(i, j) = a(i, j);
    return d;
}
/* One triangle, and zeros. */
static inline dense triangle(const dense &a, bool upper)
{
    dense t(a.m, a.n);
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            if (upper ? i <= j : i >= j)
                t(i, j) = a(i, j);
    return t;
}
/* One triangle is spoilt: nobody may read it. */
static inline dense spoilt(dense a, bool upper)
{
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            if (upper ? i > j : i < j)
                a(i, j) = 777.0;
    return a;
}
template <class T> double tolerance(int n)
{
    return as<T>::eps() * 30 * (n + 3);
}

/* A buffer of as many elements as a query said. */
template <class T> struct space {
    T *device = nullptr;
    explicit space(size_t n)
    {
        CUDA(cudaMalloc((void **)&device, (n + 1) * sizeof(T)));
    }
    ~space()
    {
        cudaFree(device);
    }
};
struct flag {
    int *device = nullptr;
    flag()
    {
        CUDA(cudaMalloc((void **)&device, sizeof(int)));
        CUDA(cudaMemset(device, 0x55, sizeof(int)));
    }
    ~flag()
    {
        cudaFree(device);
    }
    int get()
    {
        int v;
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaMemcpy(&v, device, sizeof v, cudaMemcpyDeviceToHost));
        return v;
    }
};

/* The functions of one type; the names of real and complex ones differ. */
template <class T> struct solver;

/* test<T>{h}.all() for each type. Where kernels take long to run or to compile, fewer: f32 and
 * complex f64 have all there is between them. */
template <template <class> class Test> void every_type(cusolverDnHandle_t h)
{
    const char *device = getenv("TERN_DEVICES");
    Test<float>{h}.all();
    if (device && strstr(device, "vulkan"))
        return;
    Test<cuDoubleComplex>{h}.all();
    if (device && strstr(device, "interp"))
        return;
    Test<double>{h}.all();
    Test<cuComplex>{h}.all();
}
