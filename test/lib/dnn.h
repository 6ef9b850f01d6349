/* For the programs here that test terndnn and cuDNN: arrays on both sides, numbers of any type as
 * doubles, and gradients by differences: what a way back gives must be how sum(y * weights) changes
 * with each input. */
#pragma once
#include "check.h"
#include <cmath>
#include <cstring>
#include <cstdint>
#include <functional>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <terndnn.h>

#define DNN(call)                                                                                  \
    do {                                                                                           \
        terndnnStatus_t s_ = (call);                                                               \
        if (s_ != TERNDNN_STATUS_SUCCESS) {                                                        \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, terndnnGetErrorString(s_));       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define FAILS(status, call) CHECK((call) == TERNDNN_STATUS_##status)

/* A software GPU compiles long: there, a sample of each table. */
static inline bool slow_device()
{
    const char *device = getenv("TERN_DEVICES");
    return device && strcmp(device, "vulkan") == 0;
}

template <class T> struct number;
#define NUMBER(T, code, digits, from, into)                                                        \
    template <> struct number<T> {                                                                 \
        static cudaDataType type()                                                                 \
        {                                                                                          \
            return code;                                                                           \
        }                                                                                          \
        static double eps()                                                                        \
        {                                                                                          \
            return digits;                                                                         \
        }                                                                                          \
        static double get(T v)                                                                     \
        {                                                                                          \
            return from;                                                                           \
        }                                                                                          \
        static T put(double v)                                                                     \
        {                                                                                          \
            return into;                                                                           \
        }                                                                                          \
    }
static inline uint16_t half_bits(double v)
{
    __half h = __float2half((float)v);
    uint16_t b;
    memcpy(&b, &h, 2);
    return b;
}
NUMBER(float, CUDA_R_32F, 1.2e-7, v, (float)v);
NUMBER(double, CUDA_R_64F, 2.3e-16, v, v);
NUMBER(__half, CUDA_R_16F, 9.8e-4, __half2float(v), __float2half((float)v));
NUMBER(__nv_bfloat16, CUDA_R_16BF, 7.9e-3, __bfloat162float(v), __float2bfloat16((float)v));

/* The same numbers on every machine. */
static uint64_t seed_now = 1;
static inline double uniform() /* -1 to 1 */
{
    seed_now = seed_now * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(seed_now >> 11 << 1) / 9007199254740992.0 - 1;
}

typedef std::vector<double> numbers;
static inline numbers some(size_t n, double size = 1, double middle = 0)
{
    numbers v(n);
    for (double &x : v)
        x = middle + size * uniform();
    return v;
}

/* An array on the device, as doubles on the host. */
template <class T> struct array {
    size_t n;
    T *p = nullptr;
    explicit array(size_t count) : n(count)
    {
        CUDA(cudaMalloc((void **)&p, (n ? n : 1) * sizeof(T)));
        CUDA(cudaMemset(p, 0xff, n * sizeof(T))); /* NaN: what is not written shows */
    }
    explicit array(const numbers &v) : array(v.size())
    {
        put(v);
    }
    array(const array &) = delete;
    ~array()
    {
        cudaFree(p);
    }
    void put(const numbers &v)
    {
        std::vector<T> h(n);
        for (size_t i = 0; i < n; i++)
            h[i] = number<T>::put(v[i]);
        CUDA(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    numbers get() const
    {
        std::vector<T> h(n);
        CUDA(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        numbers v(n);
        for (size_t i = 0; i < n; i++)
            v[i] = number<T>::get(h[i]);
        return v;
    }
};
template <class T> struct plain_array {
    T *p = nullptr;
    size_t n;
    explicit plain_array(const std::vector<T> &v) : n(v.size())
    {
        CUDA(cudaMalloc((void **)&p, (n ? n : 1) * sizeof(T)));
        CUDA(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    plain_array(const plain_array &) = delete;
    ~plain_array()
    {
        cudaFree(p);
    }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};
/* As the device has them after rounding to T. */
template <class T> numbers rounded(numbers v)
{
    for (double &x : v)
        x = number<T>::get(number<T>::put(x));
    return v;
}
static inline void same(const char *what, const numbers &got, const numbers &want, double tolerance)
{
    CHECK(got.size() == want.size());
    double size = 1e-30;
    for (double w : want)
        size = std::fmax(size, std::fabs(w));
    for (size_t i = 0; i < got.size(); i++)
        if (!(std::fabs(got[i] - want[i]) <= tolerance * (size + std::fabs(want[i]))) &&
            !(std::isnan(got[i]) && std::isnan(want[i]))) {
            printf("%s: [%zu of %zu] is %.17g, not %.17g (tolerance %g)\n", what, i, got.size(),
                   got[i], want[i], tolerance);
            exit(1);
        }
}

/* How sum(weights * f(x)) changes with each x, by central differences: f in double, on the host or
 * the device. */
static inline numbers differences(const numbers &x, const numbers &weights,
                                  const std::function<numbers(const numbers &)> &f, double h = 1e-5)
{
    numbers g(x.size()), at = x;
    for (size_t i = 0; i < x.size(); i++) {
        at[i] = x[i] + h;
        const numbers up = f(at);
        at[i] = x[i] - h;
        const numbers down = f(at);
        at[i] = x[i];
        for (size_t j = 0; j < up.size(); j++)
            g[i] += weights[j] * (up[j] - down[j]) / (2 * h);
    }
    return g;
}
