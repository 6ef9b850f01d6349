/* Distributions: random bits to uniform, normal, log-normal and Poisson numbers.
 *
 * Uniform numbers lie in (0, 1]. Normal numbers come in pairs by Box and Muller. Poisson: products
 * of uniforms for a small mean, Hoermann's transformed rejection (PTRS) for a large one. */
#ifndef TERN_DEVICE_DIST_H
#define TERN_DEVICE_DIST_H

#include "rand.h"
#include "../libm/f32.h"
#include "../libm/f64.h"

__TERN_FN float __tern_rand_uniformf(__tern_u32 x)
{
    return (float)x * 0x1p-32f + 0x1p-33f;
}
__TERN_FN double __tern_rand_uniform32(__tern_u32 x) /* a double from 32 bits */
{
    return (double)x * 0x1p-32 + 0x1p-33;
}
__TERN_FN double __tern_rand_uniform(__tern_u32 x, __tern_u32 y) /* 53 bits of two words */
{
    __tern_u64 z = (__tern_u64)x ^ (__tern_u64)y << 21;
    return (double)z * 0x1p-53 + 0x1p-54;
}
struct __tern_pairf {
    float x, y;
};
struct __tern_pair {
    double x, y;
};
/* The logarithm of a uniform number, from 2^-33 to 1: logf without its answers to other numbers and
 * without its last half bit, since normal numbers are made as fast as they are stored only if this
 * takes few steps. */
__TERN_FN float __tern_rand_logf(float u)
{
    const __tern_i32 e = (__tern_i32)(__tern_bits_f32(u) - 0x3f3504f3u) >> 23;
    const float f = __tern_f32_bits(__tern_bits_f32(u) - ((__tern_u32)e << 23)) - 1.0f;
    const float t = __tern_fmaf(f * f, __tern_fmaf(f, __tern_p_logf(f), -0.5f), f);
    return __tern_fmaf((float)e, __tern_k_ln2_hf, t);
}
/* sin and cos of 2^-32 (b + 1/2) turns: the nearest quarter turn is in b's upper bits, what is left
 * is exact, and there is nothing that a compiler which takes sums apart could spoil. */
__TERN_FN struct __tern_pairf __tern_rand_circlef(__tern_u32 b)
{
    struct __tern_pairf p;
    const __tern_u32 q = (b + 0x20000000u) >> 30, odd = q & 1u;
    const float r = (float)(__tern_i32)(b - (q << 30)) * 0x1p-31f + 0x1p-32f, z = r * r;
    const float s =
        __tern_fmaf(r, __tern_k_pi_hf, r * __tern_fmaf(z, __tern_p_sinpif(z), __tern_k_pi_mf));
    const float c = __tern_fmaf(z, __tern_p_cospif(z), 1.0f);
    p.x = __tern_f32_bits(__tern_bits_f32(odd ? c : s) ^ (q & 2u) << 30);
    p.y = __tern_f32_bits(__tern_bits_f32(odd ? s : c) ^ ((q + 1u) & 2u) << 30);
    return p;
}
__TERN_FN struct __tern_pairf __tern_rand_normal2f(__tern_u32 a, __tern_u32 b)
{
    const float radius = __tern_sqrtf(-2.0f * __tern_rand_logf(__tern_rand_uniformf(a)));
    struct __tern_pairf r = __tern_rand_circlef(b);
    r.x *= radius;
    r.y *= radius;
    return r;
}
__TERN_FN struct __tern_pair __tern_rand_normal2_of(double u, double v)
{
    struct __tern_pair r;
    double radius = __tern_sqrt(-2.0 * __tern_log(u)), s, c;
    __tern_sincospi(2.0 * v, &s, &c);
    r.x = s * radius;
    r.y = c * radius;
    return r;
}
__TERN_FN struct __tern_pair __tern_rand_normal2(__tern_u32 a0, __tern_u32 a1, __tern_u32 b0,
                                                 __tern_u32 b1)
{
    return __tern_rand_normal2_of(__tern_rand_uniform(a0, a1), __tern_rand_uniform(b0, b1));
}
/* MRG32k3a's numbers are of 32 bits, whatever they are made into. */
__TERN_FN float __tern_rand_mrg_uniformf(struct __tern_mrg *s)
{
    return (float)(__tern_mrg_raw(s) * 2.3283065498378288e-10);
}
__TERN_FN double __tern_rand_mrg_uniform(struct __tern_mrg *s)
{
    return __tern_mrg_raw(s) * 2.3283065498378288e-10; /* 1/m1 */
}
__TERN_FN float __tern_rand_log_normalf(float normal, float mean, float deviation)
{
    return __tern_expf(__tern_fmaf(normal, deviation, mean));
}
__TERN_FN double __tern_rand_log_normal(double normal, double mean, double deviation)
{
    return __tern_exp(__tern_fma(normal, deviation, mean));
}

/* Two normal doubles of the next words. */
#define __TERN_RAND_NORMAL2(G)                                                                     \
    __TERN_FN struct __tern_pair __tern_##G##_normal2(struct __tern_##G *s)                        \
    {                                                                                              \
        __tern_u32 a = __tern_##G##_next(s), b = __tern_##G##_next(s);                             \
        __tern_u32 c = __tern_##G##_next(s), d = __tern_##G##_next(s);                             \
        return __tern_rand_normal2(a, b, c, d);                                                    \
    }
__TERN_RAND_NORMAL2(philox)
__TERN_RAND_NORMAL2(xorwow)
__TERN_FN struct __tern_pair __tern_mrg_normal2(struct __tern_mrg *s)
{
    double u = __tern_rand_mrg_uniform(s), v = __tern_rand_mrg_uniform(s);
    return __tern_rand_normal2_of(u, v);
}

/* A Poisson number, drawing as many 32-bit words as it takes: NAME(state *, mean). */
#define __TERN_RAND_POISSON(NAME, STATE, NEXT)                                                     \
    __TERN_FN __tern_u32 NAME(STATE *s, double mean)                                               \
    {                                                                                              \
        if (mean < 10.0) {                                                                         \
            double limit = __tern_exp(-mean), p = 1.0;                                             \
            __tern_u32 k = 0u;                                                                     \
            for (p *= __tern_rand_uniform32(NEXT(s)); p > limit; k++)                              \
                p *= __tern_rand_uniform32(NEXT(s));                                               \
            return k;                                                                              \
        }                                                                                          \
        double root = __tern_sqrt(mean), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;        \
        double inv_alpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2.0);          \
        double log_mean = __tern_log(mean);                                                        \
        for (;;) {                                                                                 \
            double u = __tern_rand_uniform32(NEXT(s)) - 0.5, v = __tern_rand_uniform32(NEXT(s));   \
            double us = 0.5 - __tern_abs(u),                                                       \
                   k = __tern_floor((2.0 * a / us + b) * u + mean + 0.43);                         \
            if (us >= 0.07 && v <= vr)                                                             \
                return (__tern_u32)__tern_f64_to_i64(k);                                           \
            if (k < 0.0 || (us < 0.013 && v > us))                                                 \
                continue;                                                                          \
            if (__tern_log(v * inv_alpha / (a / (us * us) + b)) <=                                 \
                -mean + k * log_mean - __tern_lgamma(k + 1.0))                                     \
                return (__tern_u32)__tern_f64_to_i64(k);                                           \
        }                                                                                          \
    }
__TERN_RAND_POISSON(__tern_philox_poisson, struct __tern_philox, __tern_philox_next)
__TERN_RAND_POISSON(__tern_xorwow_poisson, struct __tern_xorwow, __tern_xorwow_next)
__TERN_RAND_POISSON(__tern_mrg_poisson, struct __tern_mrg, __tern_mrg_next)
__TERN_RAND_POISSON(__tern_mt_poisson, struct __tern_mt, __tern_mt_next)
__TERN_RAND_POISSON(__tern_lcg_poisson, struct __tern_lcg, __tern_lcg_next)
#endif
