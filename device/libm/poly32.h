/* Written by tool/math/coef.py: do not edit. The polynomials and constants of the 32-bit functions.
 * A constant x is x_h + x_m + x_l; a short one has trailing zeros in its head. */
#ifndef TERN_DEVICE_POLY32_H
#define TERN_DEVICE_POLY32_H

#include "prim.h"

#define __tern_k_ln2_hf 0x1.62e43p-1f
#define __tern_k_ln2_mf -0x1.05c61p-29f
#define __tern_k_ln2_lf -0x1.950d88p-54f
#define __tern_k_log2e_hf 0x1.715476p+0f
#define __tern_k_log2e_mf 0x1.4ae0cp-26f
#define __tern_k_log2e_lf -0x1.e8883p-52f
#define __tern_k_ln10_hf 0x1.26bb1cp+1f
#define __tern_k_ln10_mf -0x1.12aabap-25f
#define __tern_k_ln10_lf -0x1.3e915ap-50f
#define __tern_k_log2_10_hf 0x1.a934fp+1f
#define __tern_k_log2_10_mf 0x1.2f346ep-24f
#define __tern_k_log2_10_lf 0x1.5fc926p-51f
#define __tern_k_log10_2_hf 0x1.344136p-2f
#define __tern_k_log10_2_mf -0x1.ec10cp-27f
#define __tern_k_log10_2_lf -0x1.0cee0ep-54f
#define __tern_k_log10e_hf 0x1.bcb7b2p-2f
#define __tern_k_log10e_mf -0x1.5b235ep-27f
#define __tern_k_log10e_lf -0x1.cd5954p-54f
#define __tern_k_pi_hf 0x1.921fb6p+1f
#define __tern_k_pi_mf -0x1.777a5cp-24f
#define __tern_k_pi_lf -0x1.ee59dap-49f
#define __tern_k_pi_2_hf 0x1.921fb6p+0f
#define __tern_k_pi_2_mf -0x1.777a5cp-25f
#define __tern_k_pi_2_lf -0x1.ee59dap-50f
#define __tern_k_pi_4_hf 0x1.921fb6p-1f
#define __tern_k_pi_4_mf -0x1.777a5cp-26f
#define __tern_k_pi_4_lf -0x1.ee59dap-51f
#define __tern_k_2_pi_hf 0x1.45f306p-1f
#define __tern_k_2_pi_mf 0x1.b9391p-26f
#define __tern_k_2_pi_lf 0x1.529fc2p-52f
#define __tern_k_2_ln2_hf 0x1.715476p+1f
#define __tern_k_2_ln2_mf 0x1.4ae0cp-25f
#define __tern_k_2_ln2_lf -0x1.e8883p-51f
#define __tern_k_2_3ln2_hf 0x1.ec709ep-1f
#define __tern_k_2_3ln2_mf -0x1.e2fe02p-28f
#define __tern_k_2_3ln2_lf 0x1.749fc2p-53f
#define __tern_k_sqrt1_2_hf 0x1.6a09e6p-1f
#define __tern_k_sqrt1_2_mf 0x1.9fcef4p-27f
#define __tern_k_sqrt1_2_lf -0x1.b7ba68p-52f
#define __tern_k_2_sqrtpi_hf 0x1.20dd76p+0f
#define __tern_k_2_sqrtpi_mf -0x1.f7ac92p-25f
#define __tern_k_2_sqrtpi_lf -0x1.7728e2p-51f
#define __tern_k_1_sqrtpi_hf 0x1.20dd76p-1f
#define __tern_k_1_sqrtpi_mf -0x1.f7ac92p-26f
#define __tern_k_1_sqrtpi_lf -0x1.7728e2p-52f
#define __tern_k_half_ln2pi_hf 0x1.d67f1cp-1f
#define __tern_k_half_ln2pi_mf 0x1.0c97d6p-26f
#define __tern_k_half_ln2pi_lf 0x1.29a4a6p-51f
#define __tern_k_log2_sqrt2pi_hf 0x1.53643ap+0f
#define __tern_k_log2_sqrt2pi_mf -0x1.6ce442p-26f
#define __tern_k_log2_sqrt2pi_lf 0x1.d6c36cp-51f
#define __tern_k_sqrt2_hf 0x1.6a09e6p+0f
#define __tern_k_sqrt2_mf 0x1.9fcef4p-26f
#define __tern_k_sqrt2_lf -0x1.b7ba68p-51f
#define __tern_k_sqrtpi_2_hf 0x1.c5bf8ap-1f
#define __tern_k_sqrtpi_2_mf -0x1.c96212p-26f
#define __tern_k_sqrtpi_2_lf -0x1.5618f2p-51f
#define __tern_k_j01_hf 0x1.33d152p+1f
#define __tern_k_j01_mf 0x1.d2e368p-24f
#define __tern_k_j01_lf -0x1.0f539ep-53f
#define __tern_k_j02_hf 0x1.6148f6p+2f
#define __tern_k_j02_mf -0x1.34f46ep-24f
#define __tern_k_j02_lf -0x1.7457d6p-49f
#define __tern_k_j03_hf 0x1.14eb56p+3f
#define __tern_k_j03_mf 0x1.999bdap-22f
#define __tern_k_j03_lf -0x1.8a8cb8p-47f
#define __tern_k_j11_hf 0x1.ea7558p+1f
#define __tern_k_j11_mf -0x1.4a121ep-24f
#define __tern_k_j11_lf -0x1.d60156p-49f
#define __tern_k_j12_hf 0x1.c0ff6p+2f
#define __tern_k_j12_mf -0x1.8971b6p-23f
#define __tern_k_j12_lf -0x1.b226dap-54f
#define __tern_k_y01_hf 0x1.c982ecp-1f
#define __tern_k_y01_mf -0x1.cafa06p-27f
#define __tern_k_y01_lf 0x1.1ea9d2p-52f
#define __tern_k_y02_hf 0x1.fa9534p+1f
#define __tern_k_y02_mf 0x1.b30ad4p-24f
#define __tern_k_y02_lf -0x1.0f8358p-49f
#define __tern_k_y03_hf 0x1.c581dcp+2f
#define __tern_k_y03_mf 0x1.39c84p-24f
#define __tern_k_y03_lf 0x1.73445ap-49f
#define __tern_k_y11_hf 0x1.193beep+1f
#define __tern_k_y11_mf -0x1.6401b8p-24f
#define __tern_k_y11_lf 0x1.72170ep-50f
#define __tern_k_y12_hf 0x1.5b7fe4p+2f
#define __tern_k_y12_mf 0x1.d0f606p-23f
#define __tern_k_y12_lf -0x1.880612p-50f
#define __tern_k_1_y01_hf 0x1.1e7d32p+0f
#define __tern_k_1_y01_mf -0x1.9c4528p-25f
#define __tern_k_1_y01_lf -0x1.61ae68p-50f
#define __tern_k_ln_y01_hf -0x1.cce4b8p-4f
#define __tern_k_ln_y01_mf 0x1.8321fcp-29f
#define __tern_k_ln_y01_lf -0x1.54297cp-54f
#define __tern_k_pio2_af 0x1.921fb6p+0f
#define __tern_k_pio2_bf -0x1.778p-25f
#define __tern_k_pio2_cf 0x1.68c234p-39f
#define __tern_k_pio2_df 0x1.898cc6p-64f
#define __tern_k_ln2_short_hf 0x1.62e4p-1f
#define __tern_k_ln2_short_mf 0x1.7f7d1cp-20f
#define __tern_k_log10_2_short_hf 0x1.3442p-2f
#define __tern_k_log10_2_short_mf -0x1.95ec1p-19f

/* The bits of 2/pi, after one word of zeros. */
__TERN_CONST __tern_u32 __tern_2_over_pif[8] = {
    0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
    0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
};

/* on [-0.347613, 0.347613], degree 4, weighted error 2^-28.08 */
__TERN_FN float __tern_p_expf(float x)
{
    float r = 0x1.6cfe7cp-10f;
    r = __tern_fmaf(r, x, 0x1.123bccp-7f);
    r = __tern_fmaf(r, x, 0x1.555538p-5f);
    r = __tern_fmaf(r, x, 0x1.55548ep-3f);
    r = __tern_fmaf(r, x, 0x1p-1f);
    return r;
}

/* on [-0.501, 0.501], degree 4, weighted error 2^-28.18 */
__TERN_FN float __tern_p_exp2f(float x)
{
    float r = 0x1.4448dcp-13f;
    r = __tern_fmaf(r, x, 0x1.5f059ep-10f);
    r = __tern_fmaf(r, x, 0x1.3b2a28p-7f);
    r = __tern_fmaf(r, x, 0x1.c6af86p-5f);
    r = __tern_fmaf(r, x, 0x1.ebfbep-3f);
    return r;
}

/* on [-0.150967, 0.150967], degree 4, weighted error 2^-27.69 */
__TERN_FN float __tern_p_exp10f(float x)
{
    float r = 0x1.a9edbcp-3f;
    r = __tern_fmaf(r, x, 0x1.15632cp-1f);
    r = __tern_fmaf(r, x, 0x1.2bd6bep+0f);
    r = __tern_fmaf(r, x, 0x1.046fb8p+1f);
    r = __tern_fmaf(r, x, 0x1.53524cp+1f);
    return r;
}

/* on [-0.292894, 0.414215], degree 7, weighted error 2^-26.61 */
__TERN_FN float __tern_p_logf(float x)
{
    float a = -0x1.5471f2p-3f;
    a = __tern_fmaf(a, x, 0x1.999fbap-3f);
    a = __tern_fmaf(a, x, -0x1.00020ap-2f);
    a = __tern_fmaf(a, x, 0x1.555554p-2f);
    float b = -0x1.3408d2p-4f;
    b = __tern_fmaf(b, x, 0x1.04c06p-3f);
    b = __tern_fmaf(b, x, -0x1.0ddaecp-3f);
    b = __tern_fmaf(b, x, 0x1.22ecc2p-3f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 0.02945], degree 2, weighted error 2^-36.81 */
__TERN_FN float __tern_p_log2powf(float x)
{
    float r = 0x1.59ee58p-2f;
    r = __tern_fmaf(r, x, 0x1.a5bbf8p-2f);
    r = __tern_fmaf(r, x, 0x1.27770ep-1f);
    return r;
}

/* on [0.0, 0.61932], degree 2, weighted error 2^-27.84 */
__TERN_FN float __tern_p_sinf(float x)
{
    float r = -0x1.991c36p-13f;
    r = __tern_fmaf(r, x, 0x1.1106c6p-7f);
    r = __tern_fmaf(r, x, -0x1.555544p-3f);
    return r;
}

/* on [0.0, 0.61932], degree 2, weighted error 2^-33.13 */
__TERN_FN float __tern_p_cosf(float x)
{
    float r = 0x1.99e0f8p-16f;
    r = __tern_fmaf(r, x, -0x1.6c0c1ap-10f);
    r = __tern_fmaf(r, x, 0x1.55554ap-5f);
    return r;
}

/* on [0.0, 0.0626], degree 2, weighted error 2^-27.95 */
__TERN_FN float __tern_p_sinpif(float x)
{
    float r = -0x1.2ddc44p-1f;
    r = __tern_fmaf(r, x, 0x1.46607cp+1f);
    r = __tern_fmaf(r, x, -0x1.4abbcp+2f);
    return r;
}

/* on [0.0, 0.0626], degree 3, weighted error 2^-31.19 */
__TERN_FN float __tern_p_cospif(float x)
{
    float r = 0x1.d47d46p-3f;
    r = __tern_fmaf(r, x, -0x1.55b146p+0f);
    r = __tern_fmaf(r, x, 0x1.03c1aep+2f);
    r = __tern_fmaf(r, x, -0x1.3bd3ccp+2f);
    return r;
}

/* on [0.0, 0.61932], degree 6, weighted error 2^-29.49 */
__TERN_FN float __tern_p_tanf(float x)
{
    float r = 0x1.1f8cfep-8f;
    r = __tern_fmaf(r, x, 0x1.25b95ap-14f);
    r = __tern_fmaf(r, x, 0x1.6374d8p-7f);
    r = __tern_fmaf(r, x, 0x1.5ca43ep-6f);
    r = __tern_fmaf(r, x, 0x1.badbfcp-5f);
    r = __tern_fmaf(r, x, 0x1.110d96p-3f);
    r = __tern_fmaf(r, x, 0x1.55556p-2f);
    return r;
}

/* on [0.0, 0.2501], degree 4, weighted error 2^-27.6 */
__TERN_FN float __tern_p_asinf(float x)
{
    float r = 0x1.596d2ep-5f;
    r = __tern_fmaf(r, x, 0x1.8c2d84p-6f);
    r = __tern_fmaf(r, x, 0x1.747d0ap-5f);
    r = __tern_fmaf(r, x, 0x1.3301fcp-4f);
    r = __tern_fmaf(r, x, 0x1.5555c8p-3f);
    return r;
}

/* on [0.0, 1.0], degree 8, weighted error 2^-28.5 */
__TERN_FN float __tern_p_atanf(float x)
{
    float a = 0x1.c08c1ap-4f;
    a = __tern_fmaf(a, x, -0x1.242084p-3f);
    a = __tern_fmaf(a, x, 0x1.9991e4p-3f);
    a = __tern_fmaf(a, x, -0x1.55553ep-2f);
    float b = -0x1.d330bcp-10f;
    b = __tern_fmaf(b, x, 0x1.641216p-7f);
    b = __tern_fmaf(b, x, -0x1.fd706cp-6f);
    b = __tern_fmaf(b, x, 0x1.da24f6p-5f);
    b = __tern_fmaf(b, x, -0x1.580818p-4f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 1.0001], degree 3, weighted error 2^-31.62 */
__TERN_FN float __tern_p_sinhf(float x)
{
    float r = 0x1.756cb4p-19f;
    r = __tern_fmaf(r, x, 0x1.a022bap-13f);
    r = __tern_fmaf(r, x, 0x1.1110ep-7f);
    r = __tern_fmaf(r, x, 0x1.555556p-3f);
    return r;
}

/* on [0.0, 0.3026], degree 4, weighted error 2^-29.71 */
__TERN_FN float __tern_p_tanhf(float x)
{
    float r = -0x1.9921a6p-8f;
    r = __tern_fmaf(r, x, 0x1.58e518p-6f);
    r = __tern_fmaf(r, x, -0x1.b91e7ep-5f);
    r = __tern_fmaf(r, x, 0x1.110ceep-3f);
    r = __tern_fmaf(r, x, -0x1.55554ap-2f);
    return r;
}

/* on [0.0, 0.2501], degree 4, weighted error 2^-29.57 */
__TERN_FN float __tern_p_asinhf(float x)
{
    float r = -0x1.b142fcp-7f;
    r = __tern_fmaf(r, x, 0x1.cd6254p-6f);
    r = __tern_fmaf(r, x, -0x1.6b95cp-5f);
    r = __tern_fmaf(r, x, 0x1.3324f2p-4f);
    r = __tern_fmaf(r, x, -0x1.555536p-3f);
    return r;
}

/* on [0.35, 2.85], degree 4, weighted error 2^-7.08 */
__TERN_FN float __tern_p_rcbrt0f(float x)
{
    float r = 0x1.adb48p-5f;
    r = __tern_fmaf(r, x, -0x1.a759f2p-2f);
    r = __tern_fmaf(r, x, 0x1.39cddcp+0f);
    r = __tern_fmaf(r, x, -0x1.c3beaep+0f);
    r = __tern_fmaf(r, x, 0x1.e49dd8p+0f);
    return r;
}

/* on [0.0, 1.0001], degree 6, weighted error 2^-29.39 */
__TERN_FN float __tern_p_erff(float x)
{
    float r = 0x1.4771fcp-14f;
    r = __tern_fmaf(r, x, -0x1.a3515ep-11f);
    r = __tern_fmaf(r, x, 0x1.53f224p-8f);
    r = __tern_fmaf(r, x, -0x1.b7f71ap-6f);
    r = __tern_fmaf(r, x, 0x1.ce2ce6p-4f);
    r = __tern_fmaf(r, x, -0x1.81273ep-2f);
    r = __tern_fmaf(r, x, 0x1.06eba8p-3f);
    return r;
}

/* on [0.0, 3.01] about 1.0, degree 6, weighted error 2^-26.87 */
__TERN_FN float __tern_p_erfc1f(float x)
{
    float r = -0x1.79dfeap-14f;
    r = __tern_fmaf(r, x, 0x1.844014p-10f);
    r = __tern_fmaf(r, x, -0x1.35bef2p-7f);
    r = __tern_fmaf(r, x, 0x1.520522p-5f);
    r = __tern_fmaf(r, x, 0x1.afb44ap-1f);
    r = __tern_fmaf(r, x, 0x1.51c988p+1f);
    r = __tern_fmaf(r, x, 0x1.d97fcp+0f);
    return r;
}

/* on [-1.0, 1.0], degree 12, weighted error 2^-24.83 */
__TERN_FN float __tern_p_erfcxf(float x)
{
    float a = 0x1.3070f2p-5f;
    a = __tern_fmaf(a, x, -0x1.1012d6p-4f);
    a = __tern_fmaf(a, x, 0x1.7fec98p-4f);
    a = __tern_fmaf(a, x, -0x1.9dc1dap-4f);
    a = __tern_fmaf(a, x, 0x1.16ed5ep-4f);
    a = __tern_fmaf(a, x, 0x1.f7e308p-7f);
    a = __tern_fmaf(a, x, -0x1.1df1bp-3f);
    a = __tern_fmaf(a, x, 0x1.3ba592p+0f);
    float b = 0x1.5dd0bcp-13f;
    b = __tern_fmaf(b, x, -0x1.f41df8p-13f);
    b = __tern_fmaf(b, x, -0x1.c9f548p-11f);
    b = __tern_fmaf(b, x, 0x1.4b6ae4p-8f);
    b = __tern_fmaf(b, x, -0x1.06c09ap-6f);
    float z = x * x;
    z = z * z;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 5.001], degree 8, weighted error 2^-26.93 */
__TERN_FN float __tern_p_erfinv0f(float x)
{
    float a = -0x1.0ada78p-13f;
    a = __tern_fmaf(a, x, -0x1.31ff84p-9f);
    a = __tern_fmaf(a, x, 0x1.7a6eb2p-7f);
    a = __tern_fmaf(a, x, 0x1.db2a08p-3f);
    float b = -0x1.2edfbap-27f;
    b = __tern_fmaf(b, x, 0x1.dbea28p-23f);
    b = __tern_fmaf(b, x, -0x1.0a16a2p-19f);
    b = __tern_fmaf(b, x, 0x1.0d9c86p-18f);
    b = __tern_fmaf(b, x, 0x1.74dedcp-15f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [-0.766169, 1.01] about 3.0, degree 9, weighted error 2^-26.55 */
__TERN_FN float __tern_p_erfinv1f(float x)
{
    float a = -0x1.f4c388p-8f;
    a = __tern_fmaf(a, x, 0x1.358144p-7f);
    a = __tern_fmaf(a, x, 0x1.006dcap+0f);
    a = __tern_fmaf(a, x, 0x1.6a9efcp+1f);
    float b = 0x1.0edfp-13f;
    b = __tern_fmaf(b, x, -0x1.4afadap-12f);
    b = __tern_fmaf(b, x, -0x1.51d2f6p-14f);
    b = __tern_fmaf(b, x, 0x1.871abap-10f);
    b = __tern_fmaf(b, x, -0x1.d58dfep-9f);
    b = __tern_fmaf(b, x, 0x1.74919p-8f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 0.3] about 4.0, degree 3, weighted error 2^-24.81 */
__TERN_FN float __tern_p_erfinv2f(float x)
{
    float r = -0x1.1d88aep-11f;
    r = __tern_fmaf(r, x, 0x1.305f6ep-10f);
    r = __tern_fmaf(r, x, 0x1.026ecp+0f);
    r = __tern_fmaf(r, x, 0x1.eb7e08p+1f);
    return r;
}

/* on [-0.5, 0.5], degree 7, weighted error 2^-28.99 */
__TERN_FN float __tern_p_rgammaf(float x)
{
    float a = -0x1.92455ep-6f;
    a = __tern_fmaf(a, x, 0x1.875b66p-3f);
    a = __tern_fmaf(a, x, -0x1.dd604p-3f);
    a = __tern_fmaf(a, x, -0x1.b0ee62p-2f);
    float b = -0x1.861836p-12f;
    b = __tern_fmaf(b, x, -0x1.7903aep-11f);
    b = __tern_fmaf(b, x, 0x1.06fceap-7f);
    b = __tern_fmaf(b, x, -0x1.215f4ap-6f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 0.015625], degree 2, weighted error 2^-33.82 */
__TERN_FN float __tern_p_stirlingf(float x)
{
    float r = 0x1.a9cc0cp-11f;
    r = __tern_fmaf(r, x, -0x1.6c296ep-9f);
    r = __tern_fmaf(r, x, 0x1.555556p-4f);
    return r;
}

/* on [-0.75, 0.751], degree 10, weighted error 2^-24.88 */
__TERN_FN float __tern_p_lgammaf(float x)
{
    float a = 0x1.513294p-6f;
    a = __tern_fmaf(a, x, -0x1.13dfap-4f);
    a = __tern_fmaf(a, x, 0x1.4a34ccp-2f);
    a = __tern_fmaf(a, x, 0x1.b0ee6p-2f);
    float b = -0x1.f70388p-15f;
    b = __tern_fmaf(b, x, 0x1.0bf1bep-13f);
    b = __tern_fmaf(b, x, -0x1.d51b0ep-13f);
    b = __tern_fmaf(b, x, 0x1.05de18p-11f);
    b = __tern_fmaf(b, x, -0x1.36b8c8p-10f);
    b = __tern_fmaf(b, x, 0x1.7af656p-9f);
    b = __tern_fmaf(b, x, -0x1.e43828p-8f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 5.8], degree 5, weighted error 2^-33.22 */
__TERN_FN float __tern_p_j0af(float x)
{
    float r = 0x1.d63c3cp-32f;
    r = __tern_fmaf(r, x, -0x1.21f42p-24f);
    r = __tern_fmaf(r, x, 0x1.c70aacp-18f);
    r = __tern_fmaf(r, x, -0x1.c71c02p-12f);
    r = __tern_fmaf(r, x, 0x1.fffffep-7f);
    r = __tern_fmaf(r, x, -0x1p-2f);
    return r;
}

/* on [-0.914826, 1.60517], degree 8, weighted error 2^-24.51 */
__TERN_FN float __tern_p_j0bf(float x)
{
    float a = -0x1.1bb34ep-7f;
    a = __tern_fmaf(a, x, 0x1.cfaf1ep-5f);
    a = __tern_fmaf(a, x, 0x1.ba1deep-4f);
    a = __tern_fmaf(a, x, -0x1.09cdb4p-1f);
    float b = -0x1.0db952p-22f;
    b = __tern_fmaf(b, x, -0x1.46a74ap-18f);
    b = __tern_fmaf(b, x, 0x1.703254p-15f);
    b = __tern_fmaf(b, x, 0x1.15ee6p-12f);
    b = __tern_fmaf(b, x, -0x1.1fae5ep-9f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [-1.53008, 1.48992], degree 9, weighted error 2^-25.04 */
__TERN_FN float __tern_p_j0cf(float x)
{
    float a = 0x1.2f7fc8p-8f;
    a = __tern_fmaf(a, x, -0x1.b214ccp-5f);
    a = __tern_fmaf(a, x, -0x1.f8f73p-6f);
    a = __tern_fmaf(a, x, 0x1.5c6e6p-2f);
    float b = -0x1.02979p-25f;
    b = __tern_fmaf(b, x, 0x1.13e688p-21f);
    b = __tern_fmaf(b, x, 0x1.aa8954p-19f);
    b = __tern_fmaf(b, x, -0x1.848fdp-15f);
    b = __tern_fmaf(b, x, -0x1.6f52d2p-13f);
    b = __tern_fmaf(b, x, 0x1.27da4p-9f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [-1.66373, -0.643728], degree 6, weighted error 2^-28.83 */
__TERN_FN float __tern_p_j0df(float x)
{
    float r = 0x1.503164p-15f;
    r = __tern_fmaf(r, x, 0x1.22f3d6p-14f);
    r = __tern_fmaf(r, x, -0x1.1bdf98p-9f);
    r = __tern_fmaf(r, x, -0x1.5a44f4p-9f);
    r = __tern_fmaf(r, x, 0x1.67f67ep-5f);
    r = __tern_fmaf(r, x, 0x1.0066b2p-6f);
    r = __tern_fmaf(r, x, -0x1.15f8fep-2f);
    return r;
}

/* on [0.0, 5.8], degree 4, weighted error 2^-29.34 */
__TERN_FN float __tern_p_j1af(float x)
{
    float r = -0x1.5f41ap-28f;
    r = __tern_fmaf(r, x, 0x1.6a514p-21f);
    r = __tern_fmaf(r, x, -0x1.c708ecp-15f);
    r = __tern_fmaf(r, x, 0x1.5554fap-9f);
    r = __tern_fmaf(r, x, -0x1.fffffep-5f);
    return r;
}

/* on [-1.44171, 1.57829], degree 9, weighted error 2^-25.5 */
__TERN_FN float __tern_p_j1bf(float x)
{
    float a = -0x1.5375b6p-8f;
    a = __tern_fmaf(a, x, 0x1.b589fap-5f);
    a = __tern_fmaf(a, x, 0x1.ae8a38p-5f);
    a = __tern_fmaf(a, x, -0x1.9c6cf6p-2f);
    float b = 0x1.91464ep-25f;
    b = __tern_fmaf(b, x, -0x1.34179ap-21f);
    b = __tern_fmaf(b, x, -0x1.a01254p-19f);
    b = __tern_fmaf(b, x, 0x1.843b26p-15f);
    b = __tern_fmaf(b, x, 0x1.6e77dep-13f);
    b = __tern_fmaf(b, x, -0x1.24b7dep-9f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [-1.62559, 0.994413], degree 8, weighted error 2^-24.48 */
__TERN_FN float __tern_p_j1cf(float x)
{
    float a = 0x1.9a4ad6p-9f;
    a = __tern_fmaf(a, x, -0x1.80c896p-5f);
    a = __tern_fmaf(a, x, -0x1.5e70dcp-6f);
    a = __tern_fmaf(a, x, 0x1.33518cp-2f);
    float b = 0x1.420accp-21f;
    b = __tern_fmaf(b, x, 0x1.3105c4p-19f);
    b = __tern_fmaf(b, x, -0x1.7bc48ep-15f);
    b = __tern_fmaf(b, x, -0x1.06fddcp-13f);
    b = __tern_fmaf(b, x, 0x1.14091ep-9f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 5.8], degree 5, weighted error 2^-25.46 */
__TERN_FN float __tern_p_y0af(float x)
{
    float r = -0x1.f71206p-31f;
    r = __tern_fmaf(r, x, 0x1.d98814p-24f);
    r = __tern_fmaf(r, x, -0x1.4c8076p-17f);
    r = __tern_fmaf(r, x, 0x1.268f3ap-11f);
    r = __tern_fmaf(r, x, -0x1.12585ep-6f);
    r = __tern_fmaf(r, x, 0x1.750812p-3f);
    return r;
}

/* on [-1.56768, 1.55232], degree 9, weighted error 2^-24.7 */
__TERN_FN float __tern_p_y0bf(float x)
{
    float a = -0x1.c116acp-8f;
    a = __tern_fmaf(a, x, 0x1.df6d58p-5f);
    a = __tern_fmaf(a, x, 0x1.a09c94p-5f);
    a = __tern_fmaf(a, x, -0x1.9c3426p-2f);
    float b = -0x1.bf1f3ap-25f;
    b = __tern_fmaf(b, x, -0x1.67f08p-23f);
    b = __tern_fmaf(b, x, -0x1.43757ap-18f);
    b = __tern_fmaf(b, x, 0x1.a9211cp-15f);
    b = __tern_fmaf(b, x, 0x1.995ddp-13f);
    b = __tern_fmaf(b, x, -0x1.1e2d9ap-9f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [-1.59605, 0.923949], degree 8, weighted error 2^-28.52 */
__TERN_FN float __tern_p_y0cf(float x)
{
    float a = 0x1.b2f19ep-9f;
    a = __tern_fmaf(a, x, -0x1.8969cap-5f);
    a = __tern_fmaf(a, x, -0x1.5aef62p-6f);
    a = __tern_fmaf(a, x, 0x1.334ccap-2f);
    float b = 0x1.4d4bf6p-21f;
    b = __tern_fmaf(b, x, 0x1.66d18ap-19f);
    b = __tern_fmaf(b, x, -0x1.8238d6p-15f);
    b = __tern_fmaf(b, x, -0x1.26e266p-13f);
    b = __tern_fmaf(b, x, 0x1.1d3792p-9f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 1.7], degree 4, weighted error 2^-25.09 */
__TERN_FN float __tern_p_y1af(float x)
{
    float r = -0x1.0f0f46p-20f;
    r = __tern_fmaf(r, x, 0x1.2d18dap-14f);
    r = __tern_fmaf(r, x, -0x1.836248p-9f);
    r = __tern_fmaf(r, x, 0x1.bd39a2p-5f);
    r = __tern_fmaf(r, x, -0x1.918662p-3f);
    return r;
}

/* on [-0.907141, 1.61286], degree 13, weighted error 2^-25.99 */
__TERN_FN float __tern_p_y1bf(float x)
{
    float a = -0x1.0cf9c8p-11f;
    a = __tern_fmaf(a, x, 0x1.1a2b06p-10f);
    a = __tern_fmaf(a, x, -0x1.5428c2p-9f);
    a = __tern_fmaf(a, x, 0x1.e645aap-8f);
    a = __tern_fmaf(a, x, -0x1.3a6c9cp-8f);
    a = __tern_fmaf(a, x, -0x1.0d2a58p-5f);
    a = __tern_fmaf(a, x, -0x1.e56f82p-4f);
    a = __tern_fmaf(a, x, 0x1.0aa484p-1f);
    float b = -0x1.c464c4p-20f;
    b = __tern_fmaf(b, x, 0x1.8f268ep-17f);
    b = __tern_fmaf(b, x, -0x1.203d12p-15f);
    b = __tern_fmaf(b, x, 0x1.eb2f4cp-15f);
    b = __tern_fmaf(b, x, -0x1.959214p-14f);
    b = __tern_fmaf(b, x, 0x1.ce1418p-13f);
    float z = x * x;
    z = z * z;
    return __tern_fmaf(b, z * z, a);
}

/* on [-1.63968, 2.58032], degree 10, weighted error 2^-24.97 */
__TERN_FN float __tern_p_y1cf(float x)
{
    float a = -0x1.10a398p-8f;
    a = __tern_fmaf(a, x, 0x1.a15da8p-5f);
    a = __tern_fmaf(a, x, 0x1.00b9f8p-5f);
    a = __tern_fmaf(a, x, -0x1.5c7c56p-2f);
    float b = 0x1.b25948p-29f;
    b = __tern_fmaf(b, x, 0x1.dedb2ep-26f);
    b = __tern_fmaf(b, x, -0x1.1f469p-21f);
    b = __tern_fmaf(b, x, -0x1.83865ap-19f);
    b = __tern_fmaf(b, x, 0x1.85ac74p-15f);
    b = __tern_fmaf(b, x, 0x1.33961ap-13f);
    b = __tern_fmaf(b, x, -0x1.1be7fp-9f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 0.015873], degree 3, weighted error 2^-28.85 */
__TERN_FN float __tern_p_hp0f(float x)
{
    float r = -0x1.bfd85cp-2f;
    r = __tern_fmaf(r, x, 0x1.c6d36ep-4f);
    r = __tern_fmaf(r, x, -0x1.1ffd24p-4f);
    r = __tern_fmaf(r, x, 0x1p+0f);
    return r;
}

/* on [0.0, 0.015873], degree 2, weighted error 2^-26.71 */
__TERN_FN float __tern_p_hq0f(float x)
{
    float r = -0x1.83ddbcp-3f;
    r = __tern_fmaf(r, x, 0x1.2ae0ap-4f);
    r = __tern_fmaf(r, x, -0x1.ffff76p-4f);
    return r;
}

/* on [0.0, 0.015873], degree 3, weighted error 2^-28.67 */
__TERN_FN float __tern_p_hp1f(float x)
{
    float r = 0x1.0b68e2p-1f;
    r = __tern_fmaf(r, x, -0x1.24b50ap-3f);
    r = __tern_fmaf(r, x, 0x1.dffcb8p-4f);
    r = __tern_fmaf(r, x, 0x1p+0f);
    return r;
}

/* on [0.0, 0.015873], degree 3, weighted error 2^-31.15 */
__TERN_FN float __tern_p_hq1f(float x)
{
    float r = -0x1.5925b2p+0f;
    r = __tern_fmaf(r, x, 0x1.1577a6p-2f);
    r = __tern_fmaf(r, x, -0x1.a3e3e2p-4f);
    r = __tern_fmaf(r, x, 0x1.7ffffep-2f);
    return r;
}

/* on [0.0, 65.0], degree 9, weighted error 2^-26.42 */
__TERN_FN float __tern_p_i0af(float x)
{
    float a = 0x1.c7202cp-12f;
    a = __tern_fmaf(a, x, 0x1.ffffaep-7f);
    a = __tern_fmaf(a, x, 0x1.000002p-2f);
    a = __tern_fmaf(a, x, 0x1p+0f);
    float b = 0x1.08317ap-54f;
    b = __tern_fmaf(b, x, 0x1.a1eef4p-48f);
    b = __tern_fmaf(b, x, 0x1.72b616p-39f);
    b = __tern_fmaf(b, x, 0x1.fc79e8p-32f);
    b = __tern_fmaf(b, x, 0x1.240d4ap-24f);
    b = __tern_fmaf(b, x, 0x1.c6f69cp-18f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 65.0], degree 9, weighted error 2^-27.61 */
__TERN_FN float __tern_p_i1af(float x)
{
    float a = 0x1.c72044p-15f;
    a = __tern_fmaf(a, x, 0x1.55551ep-9f);
    a = __tern_fmaf(a, x, 0x1.000002p-4f);
    a = __tern_fmaf(a, x, 0x1p-1f);
    float b = 0x1.a7dcdp-59f;
    b = __tern_fmaf(b, x, 0x1.70b458p-52f);
    b = __tern_fmaf(b, x, 0x1.7357bp-43f);
    b = __tern_fmaf(b, x, 0x1.226b44p-35f);
    b = __tern_fmaf(b, x, 0x1.856f2ap-28f);
    b = __tern_fmaf(b, x, 0x1.6bf78ep-21f);
    float z = x * x;
    return __tern_fmaf(b, z * z, a);
}

/* on [0.0, 0.1251], degree 5, weighted error 2^-25.07 */
__TERN_FN float __tern_p_i0bf(float x)
{
    float r = 0x1.b3a2fcp-3f;
    r = __tern_fmaf(r, x, 0x1.5e485ep-5f);
    r = __tern_fmaf(r, x, 0x1.bfbd24p-6f);
    r = __tern_fmaf(r, x, 0x1.ce163ep-6f);
    r = __tern_fmaf(r, x, 0x1.987d4cp-5f);
    r = __tern_fmaf(r, x, 0x1.988454p-2f);
    return r;
}

/* on [0.0, 0.1251], degree 5, weighted error 2^-25.07 */
__TERN_FN float __tern_p_i1bf(float x)
{
    float r = -0x1.36c1d2p-1f;
    r = __tern_fmaf(r, x, 0x1.cee52p-5f);
    r = __tern_fmaf(r, x, -0x1.a283d6p-5f);
    r = __tern_fmaf(r, x, -0x1.7bd2dp-5f);
    r = __tern_fmaf(r, x, -0x1.3265fap-3f);
    r = __tern_fmaf(r, x, 0x1.988454p-2f);
    return r;
}

#endif
