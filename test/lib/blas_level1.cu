// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcublas
/* Level 1 in four types: increments of either sign, no elements, results on host and device, what is not a number, very
 * large and very small; the Ex forms with narrow types. */
#include "blas.h"

template <class T> struct calls;
#define CALLS(T_, L, l, NRM, ASUM, DOT)                                                            \
    template <> struct calls<T_> {                                                                 \
        static constexpr auto nrm2 = cublas##NRM##nrm2;                                            \
        static constexpr auto asum = cublas##ASUM##asum;                                           \
        static constexpr auto dot = cublas##L##DOT;                                                \
        static constexpr auto amax = cublasI##l##amax;                                             \
        static constexpr auto amin = cublasI##l##amin;                                             \
        static constexpr auto amax_64 = cublasI##l##amax_64;                                       \
        static constexpr auto scal = cublas##L##scal;                                              \
        static constexpr auto axpy = cublas##L##axpy;                                              \
        static constexpr auto copy = cublas##L##copy;                                              \
        static constexpr auto swap = cublas##L##swap;                                              \
        static constexpr auto rot = cublas##L##rot;                                                \
        static constexpr auto rotg = cublas##L##rotg;                                              \
    };
CALLS(float, S, s, S, S, dot)
CALLS(double, D, d, D, D, dot)
CALLS(cuComplex, C, c, Sc, Sc, dotu)
CALLS(cuDoubleComplex, Z, z, Dz, Dz, dotu)
template <class T> struct real_of { typedef T type; };
template <> struct real_of<cuComplex> { typedef float type; };
template <> struct real_of<cuDoubleComplex> { typedef double type; };

static long place(long i, long n, long inc) { return inc > 0 ? i * inc : (i - n + 1) * inc; }

template <class T> void vectors(cublasHandle_t h, int n, int incx, int incy)
{
    typedef typename real_of<T>::type R;
    const size_t nx = (size_t)n * abs(incx) + 2, ny = (size_t)n * abs(incy) + 2;
    const double eps = as<T>::eps() * (8 + n);
    both<T> x(nx), y(ny);
    auto X = [&](int i) { return as<T>::wide(x.host[place(i, n, incx)]); };
    auto Y = [&](int i) { return as<T>::wide(y.host[place(i, n, incy)]); };
    zd dot = 0;
    double asum = 0, square = 0;
    for (int i = 0; i < n; i++) {
        dot += X(i) * Y(i);
        asum += fabs(X(i).real()) + fabs(X(i).imag());
        square += std::norm(X(i));
    }
    T d;
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    BLAS(calls<T>::dot(h, n, x.device, incx, y.device, incy, &d));
    CHECK(close(as<T>::wide(d), dot, eps));
    if (incx > 0) {
        R r;
        BLAS(calls<T>::asum(h, n, x.device, incx, &r));
        CHECK(fabs(r - asum) <= eps * (1 + asum));
        BLAS(calls<T>::nrm2(h, n, x.device, incx, &r));
        CHECK(fabs(r - sqrt(square)) <= eps * (1 + sqrt(square)));
        int most = 0, least = 0, got;
        auto size = [&](int i) { return fabs(X(i).real()) + fabs(X(i).imag()); };
        for (int i = 0; i < n; i++) {
            most = !most || size(i) > size(most - 1) ? i + 1 : most;
            least = !least || size(i) < size(least - 1) ? i + 1 : least;
        }
        BLAS(calls<T>::amax(h, n, x.device, incx, &got));
        CHECK(got == most);
        BLAS(calls<T>::amin(h, n, x.device, incx, &got));
        CHECK(got == least);
        int64_t wide;
        BLAS(calls<T>::amax_64(h, n, x.device, incx, &wide));
        CHECK(wide == most);
        /* a result in device memory */
        both<R> result(1);
        BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
        BLAS(calls<T>::nrm2(h, n, x.device, incx, result.device));
        CHECK(fabs(result.get()[0] - sqrt(square)) <= eps * (1 + sqrt(square)));
        BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    }
    const T alpha = any<T>();
    BLAS(calls<T>::axpy(h, n, &alpha, x.device, incx, y.device, incy));
    std::vector<T> got = y.get();
    for (int i = 0; i < n; i++)
        CHECK(close(as<T>::wide(got[place(i, n, incy)]), as<T>::wide(alpha) * X(i) + Y(i), 8 * as<T>::eps()));
    y.put();
    if (incx > 0) {
        BLAS(calls<T>::scal(h, n, &alpha, x.device, incx));
        got = x.get();
        for (size_t i = 0; i < nx; i++)
            CHECK(close(as<T>::wide(got[i]), (i % incx == 0 && (long)i < (long)n * incx ? as<T>::wide(alpha) : zd(1)) * as<T>::wide(x.host[i]),
                        8 * as<T>::eps()));
        x.put();
    }
    const T s = any<T>();
    const R c = (R)0.6;
    BLAS(calls<T>::rot(h, n, x.device, incx, y.device, incy, &c, &s));
    std::vector<T> gotx = x.get();
    got = y.get();
    for (int i = 0; i < n; i++) {
        CHECK(close(as<T>::wide(gotx[place(i, n, incx)]), (double)c * X(i) + as<T>::wide(s) * Y(i), 8 * as<T>::eps()));
        CHECK(close(as<T>::wide(got[place(i, n, incy)]), (double)c * Y(i) - std::conj(as<T>::wide(s)) * X(i), 8 * as<T>::eps()));
    }
    x.put();
    y.put();
    BLAS(calls<T>::swap(h, n, x.device, incx, y.device, incy));
    gotx = x.get();
    for (int i = 0; i < n; i++)
        CHECK(as<T>::wide(gotx[place(i, n, incx)]) == Y(i));
    BLAS(calls<T>::copy(h, n, x.device, incx, y.device, incy));
    got = y.get();
    for (int i = 0; i < n; i++)
        CHECK(as<T>::wide(got[place(i, n, incy)]) == Y(i));
}

template <class T> void all(cublasHandle_t h)
{
    typedef typename real_of<T>::type R;
    vectors<T>(h, 1, 1, 1);
    vectors<T>(h, 7, 2, -3);
    vectors<T>(h, 300, -1, 1);
    vectors<T>(h, 1031, 3, 2);
    R r = 5;
    int k = 5;
    BLAS(calls<T>::nrm2(h, 0, (const T *)nullptr, 1, &r));
    CHECK(r == 0);
    BLAS(calls<T>::amax(h, 0, (const T *)nullptr, 1, &k));
    CHECK(k == 0);
    /* Rotations take a and b to r and 0. */
    T a = any<T>(), b = any<T>(), s;
    const zd a0 = as<T>::wide(a), b0 = as<T>::wide(b);
    R c;
    BLAS(calls<T>::rotg(h, &a, &b, &c, &s));
    CHECK(close((double)c * a0 + as<T>::wide(s) * b0, as<T>::wide(a), 16 * as<T>::eps()));
    CHECK(close((double)c * b0 - std::conj(as<T>::wide(s)) * a0, 0, 16 * as<T>::eps()));
}

/* Norms whose squares are no numbers of the type. */
static void extremes(cublasHandle_t h)
{
    both<double> x(3);
    x.host = {3e300, 4e300, 0};
    x.put();
    double r;
    BLAS(cublasDnrm2(h, 3, x.device, 1, &r));
    CHECK(fabs(r / 5e300 - 1) < 1e-15);
    x.host = {3e-310, 4e-310, 0};
    x.put();
    BLAS(cublasDnrm2(h, 3, x.device, 1, &r));
    CHECK(fabs(r / 5e-310 - 1) < 1e-10);
    x.host = {1, INFINITY, 0};
    x.put();
    BLAS(cublasDnrm2(h, 3, x.device, 1, &r));
    CHECK(std::isinf(r));
    x.host = {1, NAN, 0};
    x.put();
    BLAS(cublasDnrm2(h, 3, x.device, 1, &r));
    CHECK(std::isnan(r));
}

template <class R, class F, class G> void modified(cublasHandle_t h, F rotmg, G rotm)
{
    R d1 = 2, d2 = 3, x1 = (R)0.5, y1 = (R)0.7, p[5] = {};
    both<R> x(9), y(9);
    const R before = d1 * x1 * x1 + d2 * y1 * y1;
    BLAS(rotmg(h, &d1, &d2, &x1, &y1, p));
    CHECK(fabs(d1 * x1 * x1 - before) < 1e-5); /* what was in two is in one */
    BLAS(rotm(h, 9, x.device, 1, y.device, 1, p));
    const std::vector<R> u = x.get(), v = y.get();
    const R h11 = p[0] == 0 ? 1 : p[1], h22 = p[0] == 0 ? 1 : p[4], h21 = p[0] == 1 ? -1 : p[2], h12 = p[0] == 1 ? 1 : p[3];
    for (int i = 0; i < 9; i++) {
        CHECK(fabs(u[i] - (h11 * x.host[i] + h12 * y.host[i])) < 1e-5);
        CHECK(fabs(v[i] - (h21 * x.host[i] + h22 * y.host[i])) < 1e-5);
    }
}

template <class T> void narrow(cublasHandle_t h, cudaDataType type)
{
    const int n = 77;
    both<T> x(n), y(n);
    float alpha = 0.5f;
    T result;
    zd dot = 0;
    double square = 0;
    for (int i = 0; i < n; i++) {
        dot += as<T>::wide(x.host[i]) * as<T>::wide(y.host[i]);
        square += std::norm(as<T>::wide(x.host[i]));
    }
    BLAS(cublasDotEx(h, n, x.device, type, 1, y.device, type, 1, &result, type, CUDA_R_32F));
    CHECK(close(as<T>::wide(result), dot, as<T>::eps() * 8));
    BLAS(cublasNrm2Ex(h, n, x.device, type, 1, &result, type, CUDA_R_32F));
    CHECK(close(as<T>::wide(result), sqrt(square), as<T>::eps() * 8));
    BLAS(cublasAxpyEx(h, n, &alpha, CUDA_R_32F, x.device, type, 1, y.device, type, 1, CUDA_R_32F));
    std::vector<T> got = y.get();
    for (int i = 0; i < n; i++)
        CHECK(close(as<T>::wide(got[i]), 0.5 * as<T>::wide(x.host[i]) + as<T>::wide(y.host[i]), as<T>::eps() * 2));
    BLAS(cublasScalEx(h, n, &alpha, CUDA_R_32F, x.device, type, 1, CUDA_R_32F));
    got = x.get();
    for (int i = 0; i < n; i++)
        CHECK(close(as<T>::wide(got[i]), 0.5 * as<T>::wide(x.host[i]), as<T>::eps()));
    CHECK(cublasDotEx(h, n, x.device, type, 1, y.device, type, 1, &result, type, CUDA_R_64F) == CUBLAS_STATUS_NOT_SUPPORTED);
}

int main()
{
    cublasHandle_t h;
    BLAS(cublasCreate(&h));
    all<float>(h);
    all<double>(h);
    all<cuComplex>(h);
    all<cuDoubleComplex>(h);
    extremes(h);
    modified<float>(h, cublasSrotmg, cublasSrotm);
    modified<double>(h, cublasDrotmg, cublasDrotm);
    narrow<__half>(h, CUDA_R_16F);
    narrow<__nv_bfloat16>(h, CUDA_R_16BF);
    BLAS(cublasDestroy(h));
    puts("ok");
}
