// OPTIONS: -fmad=false
// Floating point: special values, rounding modes, conversions that saturate, comparisons, what IEEE says.
#include <cfloat>
#include <cmath>
#include <cstring>
#include "check.h"

struct row {
    float add, sub, mul, div, root, fused, near_even;
    double dadd, dmul, ddiv, droot, dfused;
    int less, classes;
    int to_int;
    unsigned to_unsigned;
    long long to_long;
};
__host__ __device__ row compute(float a, float b)
{
    row r;
    double x = a, y = b;
    r.add = a + b, r.sub = a - b, r.mul = a * b, r.div = a / b, r.root = sqrtf(fabsf(a)), r.fused = fmaf(a, b, -a);
    r.near_even = rintf(a);
    r.dadd = x + y, r.dmul = x * y, r.ddiv = x / y, r.droot = sqrt(fabs(x)), r.dfused = fma(x, y, -x);
    r.less = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    r.classes = (isnan(a) != 0) | (isinf(a) != 0) << 1 | (isfinite(a) != 0) << 2 | (signbit(a) != 0) << 3;
    const bool fits = a > -2e9f && a < 2e9f;
    r.to_int = fits ? (int)a : 0, r.to_unsigned = fits && a > -1 ? (unsigned)a : 0, r.to_long = fits ? (long long)x : 0;
    return r;
}
__global__ void run(const float *v, row *out, int n) { out[threadIdx.x] = compute(v[threadIdx.x % n], v[threadIdx.x / n]); }
__global__ void modes(float *f, int *i)
{
    float third = 3.0f;
    f[0] = __fadd_ru(1.0f, 1e-20f), f[1] = __fadd_rd(1.0f, 1e-20f), f[2] = __fdiv_rz(1.0f, third), f[3] = __fdiv_ru(1.0f, third);
    f[4] = __fmul_rd(1.1f, 1.1f), f[5] = __fmul_ru(1.1f, 1.1f), f[6] = __fsqrt_rd(2.0f), f[7] = __fsqrt_ru(2.0f);
    f[8] = __double2float_rd(0.1), f[9] = __double2float_ru(0.1);
    f[10] = fminf(NAN, 3.0f), f[11] = fmaxf(-(float)threadIdx.x, 0.0f), f[12] = __saturatef(1.5f), f[13] = copysignf(2.0f, -0.0f);
    i[0] = __float2int_rn(2.5f), i[1] = __float2int_ru(2.1f), i[2] = __float2int_rd(-2.1f), i[3] = __float2int_rz(-2.9f);
    i[4] = __float2int_rz(1e30f), i[5] = __float2int_rz(-1e30f), i[6] = __float2int_rz(NAN);
    i[7] = (int)__float2uint_rz(-5.0f);
}
static bool same(const void *a, const void *b, size_t n, bool nans) { return nans || !memcmp(a, b, n); }

int main()
{
    const float v[] = {0.0f, -0.0f, 1.0f, -1.5f, 0.1f, 3.0f, 1e-40f, FLT_MIN, FLT_MAX, INFINITY, -INFINITY, NAN, 2.5f, 16777217.0f, -123456.789f, 1e9f};
    const int n = sizeof v / sizeof *v;
    float *in, *f;
    row *out;
    int *i;
    CUDA(cudaMallocManaged(&in, sizeof v));
    CUDA(cudaMallocManaged(&out, n * n * sizeof *out));
    CUDA(cudaMallocManaged(&f, 64));
    CUDA(cudaMallocManaged(&i, 64));
    memcpy(in, v, sizeof v);
    run<<<1, n * n>>>(in, out, n);
    modes<<<1, 1>>>(f, i);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < n * n; k++) {
        const row h = compute(v[k % n], v[k / n]), d = out[k];
#define SAME(m) CHECK(same(&h.m, &d.m, sizeof h.m, h.m != h.m && d.m != d.m))
        SAME(add);
        SAME(sub);
        SAME(mul);
        SAME(div);
        SAME(root);
        SAME(fused);
        SAME(near_even);
        SAME(dadd);
        SAME(dmul);
        SAME(ddiv);
        SAME(droot);
        SAME(dfused);
        CHECK(h.less == d.less && h.to_int == d.to_int && h.to_unsigned == d.to_unsigned && h.to_long == d.to_long);
        CHECK(v[k % n] != v[k % n] || h.classes == d.classes);
    }
    CHECK(f[0] == nextafterf(1, 2) && f[1] == 1 && nextafterf(f[2], 1) == f[3] && f[5] == nextafterf(f[4], 2));
    CHECK(nextafterf(f[6], 2) == f[7] && nextafterf(f[8], 1) == f[9]);
    CHECK(f[10] == 3 && !std::signbit(f[11]) && f[12] == 1 && f[13] == -2);
    CHECK(i[0] == 2 && i[1] == 3 && i[2] == -3 && i[3] == -2 && i[4] == 0x7fffffff && i[5] == (int)0x80000000 && i[6] == 0 && i[7] == 0);
    puts("ok");
}
