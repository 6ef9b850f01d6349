// A walk through the math functions, in float and double, at a few points.
// TEST f32: --kernel single --block 32 --arg 'f32[1024]'
// EXPECT arg 0: near 1e-06 0.0624593178 0.124674733 0.186403297 0.247403959 0.307438515 0.366272529 0.423676257 0.479425539 sum 1437.63854732303
// TEST f64: --kernel twice --block 32 --arg 'f64[1024]'
// EXPECT arg 0: near 1e-13 0.062459317842380201 0.12467473338522769 0.18640329676226988 0.24740395925452294 0.30743851458038085 0.36627252908604757 0.42367625720393803 0.47942553860420301 sum 1437.63854732303
// TEST quick: --kernel quick --block 16 --arg 'f32[128]'
// EXPECT arg 0: near 1e-05 0.124674733 0.247403959 0.366272529 0.479425539 0.585097273 0.68163876 0.767543502 0.841470985 sum 93.7030759157157
template <class T> __device__ void walk(T *out)
{
    int t = threadIdx.x, i = t;
    T x = T(t + 1) / T(16), y = T(33 - t) / T(8);
#define PUT(e)                                                                                     \
    do {                                                                                           \
        out[i] = (e);                                                                              \
        i += 32;                                                                                   \
    } while (0)
    PUT(sin(x));
    PUT(cos(y));
    PUT(tan(x / 2));
    PUT(asin(x / 3));
    PUT(acos(x / 3));
    PUT(atan(y));
    PUT(atan2(x, y));
    PUT(sinh(x));
    PUT(cosh(x));
    PUT(tanh(x));
    PUT(asinh(y));
    PUT(acosh(y + 1));
    PUT(atanh(x / 3));
    PUT(exp(x));
    PUT(exp2(y / 2));
    PUT(expm1(x));
    PUT(log(y));
    PUT(log2(y));
    PUT(log10(y));
    PUT(log1p(x));
    PUT(pow(x, y));
    PUT(sqrt(y));
    PUT(cbrt(y));
    PUT(rsqrt(y));
    PUT(hypot(x, y));
    PUT(erf(x));
    PUT(erfc(x));
    PUT(tgamma(y));
    PUT(lgamma(y));
    PUT(fmod(y * 7, x));
    PUT(floor(y) + ceil(x) + trunc(-y) + round(x * 3) + fabs(-x));
    PUT(fmin(x, y) + fmax(x, y) * 2 + fdim(y, x) + copysign(x, -y));
}
__global__ void single(float *out) { walk<float>(out); }
__global__ void twice(double *out) { walk<double>(out); }

// less exact functions stay near the exact ones
__global__ void quick(float *out)
{
    int t = threadIdx.x;
    float x = (t + 1) / 8.0f;
    out[t] = __sinf(x);
    out[16 + t] = __cosf(x);
    out[32 + t] = __expf(x);
    out[48 + t] = __logf(x);
    out[64 + t] = __powf(x, 1.5f);
    out[80 + t] = __fdividef(x, 3.0f);
    out[96 + t] = __log2f(x);
    out[112 + t] = __tanf(x / 8);
}
