/* The quick functions (__sinf, __log2f, …) on devices whose hardware has none: short, without a
 * branch, and the same bits in the interpreter and on the CPU.
 *
 * sin, cos: absolute error 2^-22 in [-pi, pi], more outside. log2: absolute error 2^-23 in [1/2, 2],
 * 1 ulp elsewhere. The exponential and the hyperbolic tangent are the library's own. */
#ifndef TERN_DEVICE_QUICK_H
#define TERN_DEVICE_QUICK_H

#include "f32.h"

/* sin(x + turn pi/2) */
__TERN_FN float __tern_quick_circle(float x, __tern_u32 turn)
{
    float n = __tern_rintf(x * __tern_k_2_pi_hf);
    float r = __tern_fmaf(n, -__tern_k_pi_2_hf, x), z, s, c, v;
    r = __tern_fmaf(n, -__tern_k_pi_2_mf, r);
    r = r > 0.8f ? 0.8f : r; /* of a large x nothing is left but a number in [-1, 1] */
    r = r < -0.8f ? -0.8f : r;
    z = r * r;
    s = __tern_fmaf(r * z, __tern_p_sinf(z), r);
    c = __tern_fmaf(z * z, __tern_p_cosf(z), __tern_fmaf(-0.5f, z, 1.0f));
    __tern_u32 q = __tern_bits_f32(n + 0x1.8p23f) + turn; /* the low bits are n's */
    v = (q & 1u) != 0u ? c : s;
    v = __tern_f32_bits(__tern_bits_f32(v) ^ (q & 2u) << 30);
    return x - x == 0.0f ? v : __tern_f32_bits(0x7fffffffu);
}
__TERN_FN float __tern_quick_sinf(float x)
{
    return x == 0.0f ? x : __tern_quick_circle(x, 0u);
}
__TERN_FN float __tern_quick_cosf(float x)
{
    return __tern_quick_circle(x, 1u);
}
__TERN_FN float __tern_quick_log2f(float x)
{
    struct __tern_log_partsf s = __tern_log_splitf(x);
    float t = __tern_fmaf(s.f * s.f, __tern_fmaf(s.f, __tern_p_logf(s.f), -0.5f), s.f);
    return __tern_log_endsf(x, __tern_fmaf(t, __tern_k_log2e_hf, s.e));
}
__TERN_FN float __tern_quick_exp2f(float x)
{
    return __tern_exp2f(x);
}
__TERN_FN float __tern_quick_tanhf(float x)
{
    return __tern_tanhf(x);
}
#endif
