// Pairs of half and of bfloat16: comparisons of every kind with NaN in either lane, minima and maxima that keep
// NaN, complex products, bytes. Device and host against the same in float.
// LONG ON: cpu: the host compiler takes eight seconds for it
#include <cmath>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "check.h"

const int VALUES = 10, RESULTS = 24;
__host__ __device__ float value(int i)
{
    const float v[VALUES] = {0.0f, -0.0f, 1.0f, -1.5f, 2.0f, 300.0f, -300.0f, INFINITY, -INFINITY, NAN};
    return v[i];
}
// one word for each function: two lanes as bits, or a truth
template <class P> __host__ __device__ unsigned bits(P p)
{
    unsigned short x, y;
    memcpy(&x, &p.x, 2);
    memcpy(&y, &p.y, 2);
    return x | (unsigned)y << 16;
}
template <class T, class P> __host__ __device__ void all(P a, P b, unsigned *r)
{
    r[0] = bits(__heq2(a, b)), r[1] = bits(__hequ2(a, b)), r[2] = bits(__hne2(a, b)), r[3] = bits(__hneu2(a, b));
    r[4] = bits(__hlt2(a, b)), r[5] = bits(__hltu2(a, b)), r[6] = bits(__hle2(a, b)), r[7] = bits(__hleu2(a, b));
    r[8] = bits(__hgt2(a, b)), r[9] = bits(__hgtu2(a, b)), r[10] = bits(__hge2(a, b)), r[11] = bits(__hgeu2(a, b));
    r[12] = __hbeq2(a, b) | __hbequ2(a, b) << 1 | __hbne2(a, b) << 2 | __hbneu2(a, b) << 3 | __hblt2(a, b) << 4 |
            __hbltu2(a, b) << 5 | __hble2(a, b) << 6 | __hbleu2(a, b) << 7 | __hbgt2(a, b) << 8 |
            __hbgtu2(a, b) << 9 | __hbge2(a, b) << 10 | __hbgeu2(a, b) << 11;
    r[13] = __hequ2_mask(a, b), r[14] = __hneu2_mask(a, b), r[15] = __hltu2_mask(a, b), r[16] = __hleu2_mask(a, b);
    r[17] = __hgtu2_mask(a, b), r[18] = __hgeu2_mask(a, b);
    r[19] = bits(__hmin2_nan(a, b)), r[20] = bits(__hmax2_nan(a, b));
    r[21] = bits(__hmin2(a, b)), r[22] = bits(__hmax2(a, b));
    P c = a;
    r[23] = bits(c++) == bits(a) && bits(--c) == bits(P(T(T(a.x + T(1)) - T(1)), T(T(a.y + T(1)) - T(1))));
}
template <class T, class P> __global__ void on_device(unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = VALUES * VALUES;
    if (i < n * n / VALUES)
        all<T>(P(T(value(i % VALUES)), T(value(i / VALUES % VALUES))),
               P(T(value(i / n)), T(value(i % VALUES * 7 % VALUES))), out + i * RESULTS);
}

static unsigned lanes(bool x, bool y, unsigned one)
{
    return (x ? one : 0) | (y ? one << 16 : 0);
}
template <class P, class T> static unsigned extreme(float a, float b, bool most, bool nan)
{
    float r = a != a ? b : b != b ? a : a == b ? (signbit(a) == most ? b : a) : (a < b) != most ? a : b;
    return nan && (a != a || b != b) ? 0x7fff : bits(P(T(r), T(0.0f)));
}
template <class T, class P> static void check(unsigned one)
{
    const int n = VALUES * VALUES * VALUES;
    unsigned *out, host[RESULTS];
    CUDA(cudaMallocManaged(&out, n * RESULTS * sizeof *out));
    on_device<T, P><<<(n + 63) / 64, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        const unsigned *r = out + i * RESULTS;
        P a(T(value(i % VALUES)), T(value(i / VALUES % VALUES)));
        P b(T(value(i / VALUES / VALUES)), T(value(i % VALUES * 7 % VALUES)));
        float x = a.x, y = a.y, u = b.x, v = b.y;
        bool nx = x != x || u != u, ny = y != y || v != v;
        const bool lane[6][2] = {{x == u, y == v}, {!nx && x != u, !ny && y != v}, {x < u, y < v},
                                 {x <= u, y <= v}, {x > u, y > v},                 {x >= u, y >= v}};
        all<T>(a, b, host);
        for (int k = 0; k < RESULTS; k++) // NaN has many spellings
            CHECK(host[k] == r[k] || (k >= 19 && k <= 22 && (nx || ny)));
        for (int k = 0; k < 6; k++) {
            bool p = lane[k][0], q = lane[k][1];
            CHECK(r[2 * k] == lanes(p, q, one) && r[2 * k + 1] == lanes(p || nx, q || ny, one));
            CHECK((r[12] >> 2 * k & 3) == ((p && q) | ((p || nx) && (q || ny)) << 1));
            CHECK(r[13 + k] == lanes(p || nx, q || ny, 0xffff));
        }
        for (int k = 0; k < 4; k++) {
            unsigned p = extreme<P, T>(x, u, k & 1, k < 2), q = extreme<P, T>(y, v, k & 1, k < 2), got = r[19 + k];
            CHECK((got & 0xffff) == p || (k >= 2 && x != x && u != u));
            CHECK(got >> 16 == q || (k >= 2 && y != y && v != v));
        }
        CHECK(r[23] == 1 || x != x || y != y);
    }
    P z = __hcmadd(P(T(2.0f), T(3.0f)), P(T(5.0f), T(-1.0f)), P(T(0.5f), T(0.25f))); // (2 + 3i)(5 - i) + …
    CHECK((float)z.x == 13.5f && (float)z.y == 13.25f);
    CHECK((float)htanh_approx(T(0.0f)) == 0 && (float)h2tanh_approx(P(T(1.0f), T(9.0f))).y == 1);
    CHECK((signed char)T(-3.5f) == -3 && (unsigned char)T(200.0f) == 200 && (long)T(-7.0f) == -7);
    CUDA(cudaFree(out));
}

int main()
{
    check<__half, __half2>(0x3c00);
    check<__nv_bfloat16, __nv_bfloat162>(0x3f80);
    CHECK(__half2char_rz(__half(-1.75f)) == -1 && __half2char_rz(__half(500.0f)) == 127 && __half2char_rz(__half(NAN)) == 0);
    CHECK(__half2uchar_rz(__half(254.9f)) == 254 && __half2uchar_rz(__half(-4.0f)) == 0);
    CHECK(__bfloat162char_rz(__nv_bfloat16(-1e9f)) == -128 && __bfloat162uchar_rz(__nv_bfloat16(1e9f)) == 255);
    __half2_raw h = {0x3c00, 0xc000}; // 1, -2
    CHECK(__nv_cvt_halfraw2_to_fp8x2(h, __NV_SATFINITE, __NV_E5M2) == 0xc03c);
    __nv_bfloat162_raw b = {0x3f80, 0xc000};
    CHECK(__nv_cvt_bfloat16raw2_to_fp8x2(b, __NV_SATFINITE, __NV_E5M2) == 0xc03c);
    CHECK(__nv_cvt_double2_to_fp8x2(make_double2(1, -2), __NV_SATFINITE, __NV_E4M3) == 0xc038);
    puts("ok");
}
