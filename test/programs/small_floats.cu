/* Floats of 4, 6 and 8 bits (e2m1, e2m3, e3m2, e8m0) on both sides against their definition: every code, every border between two
 * codes and its neighbours, rounding modes, saturation, NaN; pairs and fours; whole numbers. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_fp4.h>

static int wrong;
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x) && wrong++ < 10)                                                                  \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #x);                                         \
    } while (0)

/* What a code is by definition: sign, exponent, fraction; no infinities, no NaN. */
struct format {
    int exponent, fraction;
    int codes() const { return 1 << (exponent + fraction); } /* of one sign */
    double value(int code) const
    {
        const int e = code >> fraction, m = code & ((1 << fraction) - 1), bias = (1 << (exponent - 1)) - 1;
        return e ? ldexp(1.0 + ldexp(m, -fraction), e - bias) : ldexp(m, 1 - bias - fraction);
    }
    /* By search: the nearest, of two as near the one with an even code; or the largest that is not beyond x. */
    int from(double x, cudaRoundMode mode) const
    {
        const int sign = std::signbit(x) ? codes() : 0;
        const double a = fmin(fabs(x), 2 * value(codes() - 1)); /* beyond the last code all are alike */
        int best = 0;
        if (x != x)
            return codes() - 1;
        for (int c = 1; c < codes(); c++) {
            const double now = fabs(value(c) - a), then = fabs(value(best) - a);
            if (mode == cudaRoundZero ? value(c) <= a : now < then || (now == then && c % 2 == 0))
                best = c;
        }
        return sign | best;
    }
};
static const format formats[] = {{2, 1}, {2, 3}, {3, 2}};

__host__ __device__ inline unsigned narrow(int kind, float f, cudaRoundMode mode)
{
    return kind == 0 ? __nv_cvt_float_to_fp4(f, __NV_E2M1, mode) : __nv_cvt_float_to_fp6(f, kind == 1 ? __NV_E2M3 : __NV_E3M2, mode);
}
__host__ __device__ inline unsigned narrow(int kind, double d, cudaRoundMode mode)
{
    return kind == 0 ? __nv_cvt_double_to_fp4(d, __NV_E2M1, mode) : __nv_cvt_double_to_fp6(d, kind == 1 ? __NV_E2M3 : __NV_E3M2, mode);
}
__host__ __device__ inline float widened(int kind, unsigned code)
{
    if (kind == 0) {
        __nv_fp4_e2m1 v;
        v.__x = (__nv_fp4_storage_t)code;
        return (float)v;
    }
    if (kind == 1) {
        __nv_fp6_e2m3 v;
        v.__x = (__nv_fp6_storage_t)code;
        return (float)v;
    }
    __nv_fp6_e3m2 v;
    v.__x = (__nv_fp6_storage_t)code;
    return (float)v;
}

template <class T> __global__ void narrow_all(int n, const T *x, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < 6; k++)
            out[6 * i + k] = narrow(k / 2, x[i], k % 2 ? cudaRoundZero : cudaRoundNearest);
}
__global__ void powers(int n, const float *x, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[3 * i] = __nv_cvt_float_to_e8m0(x[i], __NV_SATFINITE, cudaRoundPosInf);
        out[3 * i + 1] = __nv_cvt_float_to_e8m0(x[i], __NV_NOSAT, cudaRoundZero);
        out[3 * i + 2] = __nv_fp8_e8m0(x[i]).__x;
    }
}
__global__ void widen_all(float *out)
{
    const int i = threadIdx.x;
    if (i < 16)
        out[i] = widened(0, i);
    if (i < 64) {
        out[16 + i] = widened(1, i);
        out[80 + i] = widened(2, i);
    }
    __nv_fp8_e8m0 p;
    p.__x = (__nv_fp8_storage_t)i;
    out[144 + i] = (float)p;
}

template <class T> static std::vector<T> back(const T *device, size_t n)
{
    std::vector<T> v(n);
    cudaMemcpy(v.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}
template <class T> static T *there(const std::vector<T> &v)
{
    T *p;
    cudaMalloc((void **)&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

/* Codes, borders between them, and what is next to each, in T. */
template <class T> static std::vector<T> borders()
{
    std::vector<T> x = {(T)0, (T)1e-30, (T)1e30, (T)INFINITY, (T)NAN};
    for (const format &f : formats)
        for (int c = 0; c < f.codes(); c++)
            for (const double v : {f.value(c), (f.value(c) + f.value(c + 1 < f.codes() ? c + 1 : c)) / 2}) {
                x.push_back((T)v);
                x.push_back(std::nextafter((T)v, (T)1e30));
                x.push_back(std::nextafter((T)v, (T)-1e30));
            }
    for (size_t k = 0, n = x.size(); k < n; k++)
        x.push_back(-x[k]);
    return x;
}
template <class T> static void narrowing()
{
    const std::vector<T> x = borders<T>();
    const int n = (int)x.size();
    T *at = there(x);
    unsigned *codes;
    cudaMalloc((void **)&codes, 6 * n * sizeof *codes);
    narrow_all<<<(n + 127) / 128, 128>>>(n, at, codes);
    const std::vector<unsigned> got = back(codes, 6 * n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++) {
            const cudaRoundMode mode = k % 2 ? cudaRoundZero : cudaRoundNearest;
            const unsigned want = (unsigned)formats[k / 2].from((double)x[i], mode);
            CHECK(got[6 * i + k] == want);
            CHECK(narrow(k / 2, x[i], mode) == want);
        }
    cudaFree(at);
    cudaFree(codes);
}

static void widening()
{
    float *out;
    cudaMalloc((void **)&out, 400 * sizeof *out);
    widen_all<<<1, 256>>>(out);
    const std::vector<float> got = back(out, 400);
    for (int k = 0, at = 0; k < 3; k++)
        for (int c = 0; c < 2 * formats[k].codes(); c++, at++) {
            const int n = formats[k].codes();
            const double want = c < n ? formats[k].value(c) : -formats[k].value(c - n);
            CHECK(got[at] == want && widened(k, c) == want && std::signbit(got[at]) == (c >= n));
        }
    for (int c = 0; c < 255; c++)
        CHECK(got[144 + c] == ldexp(1.0, c - 127));
    CHECK(got[144 + 255] != got[144 + 255]);
    cudaFree(out);
}

/* The least power of two that is not less than x, and the largest that is not more. */
static void powers_of_two()
{
    std::vector<float> x = {0.f, 1e-45f, 3e38f, INFINITY, NAN};
    for (int e = -128; e <= 127; e++)
        for (const float v : {ldexpf(1, e), ldexpf(1.5f, e)}) {
            x.push_back(v);
            x.push_back(nextafterf(v, 0));
            x.push_back(nextafterf(v, INFINITY));
        }
    const int n = (int)x.size();
    float *at = there(x);
    unsigned *codes;
    cudaMalloc((void **)&codes, 3 * n * sizeof *codes);
    powers<<<(n + 127) / 128, 128>>>(n, at, codes);
    const std::vector<unsigned> got = back(codes, 3 * n);
    for (int i = 0; i < n; i++) {
        unsigned up = 0, down = 0;
        while (up < 254 && ldexp(1.0, (int)up - 127) < x[i])
            up++;
        while (down < 254 && ldexp(1.0, (int)down + 1 - 127) <= x[i])
            down++;
        if (x[i] != x[i])
            up = down = 255;
        if (std::isinf(x[i]))
            down = 255;
        CHECK(got[3 * i] == up && got[3 * i + 1] == down && got[3 * i + 2] == up);
        CHECK(__nv_cvt_float_to_e8m0(x[i], __NV_SATFINITE, cudaRoundPosInf) == up);
        CHECK(__nv_cvt_double_to_e8m0(x[i], __NV_NOSAT, cudaRoundZero) == down);
    }
    cudaFree(at);
    cudaFree(codes);
}

static void packed()
{
    const __nv_fp4x2_e2m1 two(float2{1.f, -6.f});
    const __nv_fp4x4_e2m1 four(float4{0.5f, 100.f, -2.5f, 0.f});
    CHECK(sizeof two == 1 && sizeof four == 2 && sizeof(__nv_fp6x2_e3m2) == 2 && sizeof(__nv_fp6x4_e3m2) == 4);
    CHECK(two.__x == 0xf2 && ((float2)two).x == 1.f && ((float2)two).y == -6.f);
    CHECK(four.__x == 0x0c71 && ((float4)four).y == 6.f && ((float4)four).z == -2.f);
    const __nv_fp6x4_e2m3 six(float4{1.f, 7.5f, -0.125f, 2.f});
    CHECK(six.__x == 0x10211f08u && ((float4)six).y == 7.5f && ((float4)six).z == -0.125f);
    const __nv_fp8x2_e8m0 scales(float2{3.f, 0.25f});
    CHECK(scales.__x == 0x7d81 && __nv_cvt_e8m0x2_to_bf162raw(scales.__x).x == 0x4080);
    CHECK(__nv_cvt_fp4x2_to_halfraw2(0x5a, __NV_E2M1).y == 0x4200 && __nv_cvt_fp4x2_to_halfraw2(0x5a, __NV_E2M1).x == 0xbc00);
    CHECK(__nv_fp4_e2m1(5).__x == 6 && __nv_fp4_e2m1(-100ll).__x == 15 && (int)__nv_fp4_e2m1(-3.f) == -3);
    CHECK((unsigned char)__nv_fp6_e3m2(-2.f) == 0 && (bool)__nv_fp4_e2m1(-0.f) == false && __nv_fp8_e8m0(3u).__x == 129);
    CHECK((long long)__nv_fp8_e8m0(1e30f) == 0x7fffffffffffffffll && __nv_fp8_e8m0((1ull << 60) + 1).__x == 188);
}

int main()
{
    widening();
    narrowing<float>();
    narrowing<double>();
    powers_of_two();
    packed();
    if (wrong)
        printf("%d are wrong\n", wrong);
    puts(wrong ? "FAIL" : "ok");
    return wrong != 0;
}
