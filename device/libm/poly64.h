/* Written by tool/math/coef.py: do not edit. The polynomials and constants of the 64-bit functions.
 * A constant x is x_h + x_m + x_l; a short one has trailing zeros in its head. */
#ifndef TERN_DEVICE_POLY64_H
#define TERN_DEVICE_POLY64_H

#include "prim.h"

#define __tern_k_ln2_h 0x1.62e42fefa39efp-1
#define __tern_k_ln2_m 0x1.abc9e3b39803fp-56
#define __tern_k_ln2_l 0x1.7b57a079a1934p-111
#define __tern_k_log2e_h 0x1.71547652b82fep+0
#define __tern_k_log2e_m 0x1.777d0ffda0d24p-56
#define __tern_k_log2e_l -0x1.60bb8a5442ab9p-110
#define __tern_k_ln10_h 0x1.26bb1bbb55516p+1
#define __tern_k_ln10_m -0x1.f48ad494ea3e9p-53
#define __tern_k_ln10_l -0x1.9ebae3ae0260cp-107
#define __tern_k_log2_10_h 0x1.a934f0979a371p+1
#define __tern_k_log2_10_m 0x1.7f2495fb7fa6dp-53
#define __tern_k_log2_10_l 0x1.fb699b2d8abfcp-107
#define __tern_k_log10_2_h 0x1.34413509f79ffp-2
#define __tern_k_log10_2_m -0x1.9dc1da994fd21p-59
#define __tern_k_log10_2_l 0x1.22f04d5a618a8p-114
#define __tern_k_log10e_h 0x1.bcb7b1526e50ep-2
#define __tern_k_log10e_m 0x1.95355baaafad3p-57
#define __tern_k_log10e_l 0x1.ee191f71a3012p-112
#define __tern_k_pi_h 0x1.921fb54442d18p+1
#define __tern_k_pi_m 0x1.1a62633145c07p-53
#define __tern_k_pi_l -0x1.f1976b7ed8fbcp-109
#define __tern_k_pi_2_h 0x1.921fb54442d18p+0
#define __tern_k_pi_2_m 0x1.1a62633145c07p-54
#define __tern_k_pi_2_l -0x1.f1976b7ed8fbcp-110
#define __tern_k_pi_4_h 0x1.921fb54442d18p-1
#define __tern_k_pi_4_m 0x1.1a62633145c07p-55
#define __tern_k_pi_4_l -0x1.f1976b7ed8fbcp-111
#define __tern_k_2_pi_h 0x1.45f306dc9c883p-1
#define __tern_k_2_pi_m -0x1.6b01ec5417056p-55
#define __tern_k_2_pi_l -0x1.6447e493ad4cep-109
#define __tern_k_2_ln2_h 0x1.71547652b82fep+1
#define __tern_k_2_ln2_m 0x1.777d0ffda0d24p-55
#define __tern_k_2_ln2_l -0x1.60bb8a5442ab9p-109
#define __tern_k_2_3ln2_h 0x1.ec709dc3a03fdp-1
#define __tern_k_2_3ln2_m 0x1.d27f05548af0cp-55
#define __tern_k_2_3ln2_l -0x1.d64f631b038f7p-111
#define __tern_k_sqrt1_2_h 0x1.6a09e667f3bcdp-1
#define __tern_k_sqrt1_2_m -0x1.bdd3413b26456p-55
#define __tern_k_sqrt1_2_l 0x1.57d3e3adec175p-109
#define __tern_k_2_sqrtpi_h 0x1.20dd750429b6dp+0
#define __tern_k_2_sqrtpi_m 0x1.1ae3a914fed8p-56
#define __tern_k_2_sqrtpi_l -0x1.3cbbebf65f145p-111
#define __tern_k_1_sqrtpi_h 0x1.20dd750429b6dp-1
#define __tern_k_1_sqrtpi_m 0x1.1ae3a914fed8p-57
#define __tern_k_1_sqrtpi_l -0x1.3cbbebf65f145p-112
#define __tern_k_half_ln2pi_h 0x1.d67f1c864beb5p-1
#define __tern_k_half_ln2pi_m -0x1.65b5a1b7ff5dfp-55
#define __tern_k_half_ln2pi_l -0x1.b7f70c13dc1ccp-110
#define __tern_k_log2_sqrt2pi_h 0x1.536439a4c6efcp+0
#define __tern_k_log2_sqrt2pi_m -0x1.49e49a361efebp-54
#define __tern_k_log2_sqrt2pi_l 0x1.1c4e970c93c98p-110
#define __tern_k_sqrt2_h 0x1.6a09e667f3bcdp+0
#define __tern_k_sqrt2_m -0x1.bdd3413b26456p-54
#define __tern_k_sqrt2_l 0x1.57d3e3adec175p-108
#define __tern_k_sqrtpi_2_h 0x1.c5bf891b4ef6bp-1
#define __tern_k_sqrtpi_2_m -0x1.618f13eb7ca89p-55
#define __tern_k_sqrtpi_2_l -0x1.b1f0071b7aae4p-111
#define __tern_k_j01_h 0x1.33d152e971b4p+1
#define __tern_k_j01_m -0x1.0f539d7da258ep-53
#define __tern_k_j01_l -0x1.646effa90e9e4p-107
#define __tern_k_j02_h 0x1.6148f5b2c2e45p+2
#define __tern_k_j02_m 0x1.75054cd60a517p-54
#define __tern_k_j02_l -0x1.2c78a130dfed1p-112
#define __tern_k_j03_h 0x1.14eb56cccdecap+3
#define __tern_k_j03_m -0x1.51970714c7c25p-52
#define __tern_k_j03_l -0x1.3d1debae8c3cfp-107
#define __tern_k_j11_h 0x1.ea75575af6f09p+1
#define __tern_k_j11_m -0x1.60155a9d1b256p-53
#define __tern_k_j11_l -0x1.fb72b16a8f55ep-108
#define __tern_k_j12_h 0x1.c0ff5f3b4725p+2
#define __tern_k_j12_m -0x1.b226d9d243827p-54
#define __tern_k_j12_l -0x1.3ceb4a3a76e2cp-109
#define __tern_k_y01_h 0x1.c982eb8d417eap-1
#define __tern_k_y01_m 0x1.ea9d270347f83p-56
#define __tern_k_y01_l -0x1.2c2f4d6e99a1fp-112
#define __tern_k_y02_h 0x1.fa9534d98569cp+1
#define __tern_k_y02_m -0x1.f06ae7804384ep-54
#define __tern_k_y02_l 0x1.a02d2e779d6a4p-109
#define __tern_k_y03_h 0x1.c581dc4e72103p+2
#define __tern_k_y03_m -0x1.9774a495f56cfp-54
#define __tern_k_y03_l 0x1.acc2b9cf914d1p-113
#define __tern_k_y11_h 0x1.193bed4dff243p+1
#define __tern_k_y11_m -0x1.bd1e50d219bfdp-55
#define __tern_k_y11_l -0x1.eaabce933bf64p-114
#define __tern_k_y12_h 0x1.5b7fe4e87b02ep+2
#define __tern_k_y12_m 0x1.dfe7bac228e8cp-52
#define __tern_k_y12_l -0x1.11f731cc08f3p-108
#define __tern_k_1_y01_h 0x1.1e7d3131dd6bap+0
#define __tern_k_1_y01_m 0x1.e5197d7b65facp-54
#define __tern_k_1_y01_l 0x1.5548ba3bb6509p-108
#define __tern_k_ln_y01_h -0x1.cce4b73e6f025p-4
#define __tern_k_ln_y01_m -0x1.4297c34fad727p-58
#define __tern_k_ln_y01_l -0x1.a0362bd695958p-113
#define __tern_k_pio2_a 0x1.921fb54442d18p+0
#define __tern_k_pio2_b 0x1.1a62633p-54
#define __tern_k_pio2_c 0x1.45c06e0e68948p-86
#define __tern_k_pio2_d 0x1.27044533e63ap-142
#define __tern_k_ln2_short_h 0x1.62e42fefa38p-1
#define __tern_k_ln2_short_m 0x1.ef35793c7673p-45
#define __tern_k_log10_2_short_h 0x1.34413509f78p-2
#define __tern_k_log10_2_short_m 0x1.fef311f12b358p-46

/* The bits of 2/pi, after one word of zeros. */
__TERN_CONST __tern_u64 __tern_2_over_pi[20] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
    0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
};

/* on [-0.347613, 0.347613], degree 10, weighted error 2^-63.82 */
__TERN_FN double __tern_p_exp(double x)
{
    double a = 0x1.111111110e967p-7;
    a = __tern_fma(a, x, 0x1.5555555555556p-5);
    a = __tern_fma(a, x, 0x1.555555555555cp-3);
    a = __tern_fma(a, x, 0x1p-1);
    double b = 0x1.1f7174017070ep-29;
    b = __tern_fma(b, x, 0x1.af70c6fd8060dp-26);
    b = __tern_fma(b, x, 0x1.27e4dbad0342cp-22);
    b = __tern_fma(b, x, 0x1.71dded503a472p-19);
    b = __tern_fma(b, x, 0x1.a01a01a702533p-16);
    b = __tern_fma(b, x, 0x1.a01a01b4a0f73p-13);
    b = __tern_fma(b, x, 0x1.6c16c16c1619bp-10);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [-0.501, 0.501], degree 9, weighted error 2^-57.64 */
__TERN_FN double __tern_p_exp2(double x)
{
    double a = 0x1.5d87fe78a5735p-10;
    a = __tern_fma(a, x, 0x1.3b2ab6fb9ff3ep-7);
    a = __tern_fma(a, x, 0x1.c6b08d704a0c1p-5);
    a = __tern_fma(a, x, 0x1.ebfbdff82c5a5p-3);
    double b = 0x1.e9c6a4273bf2fp-32;
    b = __tern_fma(b, x, 0x1.e61cf6ca67f96p-28);
    b = __tern_fma(b, x, 0x1.b525020ecc8b5p-24);
    b = __tern_fma(b, x, 0x1.62bfc6ac524afp-20);
    b = __tern_fma(b, x, 0x1.ffcbfc649a5ep-17);
    b = __tern_fma(b, x, 0x1.4309130f380f2p-13);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [-0.150967, 0.150967], degree 9, weighted error 2^-57.71 */
__TERN_FN double __tern_p_exp10(double x)
{
    double a = 0x1.1429ffd1d40cep-1;
    a = __tern_fma(a, x, 0x1.2bd7609fd4d28p+0);
    a = __tern_fma(a, x, 0x1.0470591de2ca5p+1);
    a = __tern_fma(a, x, 0x1.53524c73cea78p+1);
    double b = 0x1.fbd6085a6d26cp-13;
    b = __tern_fma(b, x, 0x1.2f759d4a8f7c5p-10);
    b = __tern_fma(b, x, 0x1.4897979a7d18cp-8);
    b = __tern_fma(b, x, 0x1.41165d60601fcp-6);
    b = __tern_fma(b, x, 0x1.16e4dfc9d103cp-4);
    b = __tern_fma(b, x, 0x1.a7ed70a278d42p-3);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [-0.292894, 0.414215], degree 19, weighted error 2^-58.77 */
__TERN_FN double __tern_p_log(double x)
{
    double a = -0x1.99999ace66424p-4;
    a = __tern_fma(a, x, 0x1.c71c70457d59dp-4);
    a = __tern_fma(a, x, -0x1.fffffff3f2351p-4);
    a = __tern_fma(a, x, 0x1.2492492736c6cp-3);
    a = __tern_fma(a, x, -0x1.5555555569423p-3);
    a = __tern_fma(a, x, 0x1.9999999994ffep-3);
    a = __tern_fma(a, x, -0x1.ffffffffffeap-3);
    a = __tern_fma(a, x, 0x1.555555555556bp-2);
    double b = -0x1.881b9e04a58d8p-6;
    b = __tern_fma(b, x, 0x1.ce7f56c00d43bp-5);
    b = __tern_fma(b, x, -0x1.006fcd525c4bep-4);
    b = __tern_fma(b, x, 0x1.bcc8356d78d7dp-5);
    b = __tern_fma(b, x, -0x1.b508f2d6c96d9p-5);
    b = __tern_fma(b, x, 0x1.dc888e8284013p-5);
    b = __tern_fma(b, x, -0x1.00c183aab6c4bp-4);
    b = __tern_fma(b, x, 0x1.1168be235c42dp-4);
    b = __tern_fma(b, x, -0x1.248a6a9142d13p-4);
    b = __tern_fma(b, x, 0x1.3b0dad7f73c0cp-4);
    b = __tern_fma(b, x, -0x1.55556b5aac06ep-4);
    b = __tern_fma(b, x, 0x1.745d55a7bc3cep-4);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.02945], degree 7, weighted error 2^-73.5 */
__TERN_FN double __tern_p_log2pow(double x)
{
    double a = 0x1.0c9a853b0746bp-2;
    a = __tern_fma(a, x, 0x1.484b13d6accd4p-2);
    a = __tern_fma(a, x, 0x1.a61762a7aeddfp-2);
    a = __tern_fma(a, x, 0x1.2776c50ef9bfcp-1);
    double b = 0x1.61f2713ff09b2p-3;
    b = __tern_fma(b, x, 0x1.58fc9f3902afcp-3);
    b = __tern_fma(b, x, 0x1.8a09b9d857179p-3);
    b = __tern_fma(b, x, 0x1.c68ee953b611bp-3);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.61932], degree 5, weighted error 2^-57.88 */
__TERN_FN double __tern_p_sin(double x)
{
    double r = 0x1.5d8b545ecb547p-33;
    r = __tern_fma(r, x, -0x1.ae5e4b8153dd1p-26);
    r = __tern_fma(r, x, 0x1.71de355529ab8p-19);
    r = __tern_fma(r, x, -0x1.a01a019be920dp-13);
    r = __tern_fma(r, x, 0x1.111111110f73p-7);
    r = __tern_fma(r, x, -0x1.5555555555548p-3);
    return r;
}

/* on [0.0, 0.61932], degree 5, weighted error 2^-64.09 */
__TERN_FN double __tern_p_cos(double x)
{
    double r = -0x1.8fa3c33f1b8a9p-37;
    r = __tern_fma(r, x, 0x1.1ee9d794742b6p-29);
    r = __tern_fma(r, x, -0x1.27e4f7ed03585p-22);
    r = __tern_fma(r, x, 0x1.a01a019c8b2c2p-16);
    r = __tern_fma(r, x, -0x1.6c16c16c15003p-10);
    r = __tern_fma(r, x, 0x1.555555555554bp-5);
    return r;
}

/* on [0.0, 0.0626], degree 5, weighted error 2^-57.98 */
__TERN_FN double __tern_p_sinpi(double x)
{
    double r = 0x1.e40437446047ap-12;
    r = __tern_fma(r, x, -0x1.e300a881fc027p-8);
    r = __tern_fma(r, x, 0x1.5078301f01fp-4);
    r = __tern_fma(r, x, -0x1.32d2cce3385dp-1);
    r = __tern_fma(r, x, 0x1.466bc67758debp+1);
    r = __tern_fma(r, x, -0x1.4abbce625be47p+2);
    return r;
}

/* on [0.0, 0.0626], degree 6, weighted error 2^-61.5 */
__TERN_FN double __tern_p_cospi(double x)
{
    double r = -0x1.aff12def38c7cp-14;
    r = __tern_fma(r, x, 0x1.f9c3db4eb2af8p-10);
    r = __tern_fma(r, x, -0x1.a6d1e13fcf482p-6);
    r = __tern_fma(r, x, 0x1.e1f506749fbebp-3);
    r = __tern_fma(r, x, -0x1.55d3c7e3bf5c3p+0);
    r = __tern_fma(r, x, 0x1.03c1f081b5a4fp+2);
    r = __tern_fma(r, x, -0x1.3bd3cc9be45dep+2);
    return r;
}

/* on [0.0, 0.61932], degree 14, weighted error 2^-59.67 */
__TERN_FN double __tern_p_tan(double x)
{
    double a = 0x1.34bbb094b43abp-11;
    a = __tern_fma(a, x, 0x1.7db1992ffeae8p-10);
    a = __tern_fma(a, x, 0x1.d6d2e6ff91eaap-9);
    a = __tern_fma(a, x, 0x1.226e3a854c59fp-7);
    a = __tern_fma(a, x, 0x1.664f485d09ec8p-6);
    a = __tern_fma(a, x, 0x1.ba1ba1babf9c1p-5);
    a = __tern_fma(a, x, 0x1.11111111105cdp-3);
    a = __tern_fma(a, x, 0x1.555555555555ep-2);
    double b = 0x1.491725449f024p-17;
    b = __tern_fma(b, x, -0x1.97dd5d537e788p-16);
    b = __tern_fma(b, x, 0x1.9893230f2cb11p-15);
    b = __tern_fma(b, x, -0x1.af62a3bbe44ebp-16);
    b = __tern_fma(b, x, 0x1.1a317e2ce28e9p-14);
    b = __tern_fma(b, x, 0x1.5e58caad3c3edp-14);
    b = __tern_fma(b, x, 0x1.ff34a3251ff74p-13);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.2501], degree 12, weighted error 2^-59.84 */
__TERN_FN double __tern_p_asin(double x)
{
    double a = 0x1.75825f707c7a7p-7;
    a = __tern_fma(a, x, 0x1.ca1fe9c18ffc9p-7);
    a = __tern_fma(a, x, 0x1.1c49ecd41dd2dp-6);
    a = __tern_fma(a, x, 0x1.6e8bdf0d5fc98p-6);
    a = __tern_fma(a, x, 0x1.f1c71a9392896p-6);
    a = __tern_fma(a, x, 0x1.6db6db72154efp-5);
    a = __tern_fma(a, x, 0x1.333333332e10ap-4);
    a = __tern_fma(a, x, 0x1.5555555555577p-3);
    double b = 0x1.0b7462ae8c9aep-5;
    b = __tern_fma(b, x, -0x1.588a14e6d948cp-6);
    b = __tern_fma(b, x, 0x1.63fbc9c22f381p-6);
    b = __tern_fma(b, x, 0x1.e4ca0f7da9f6fp-9);
    b = __tern_fma(b, x, 0x1.614f5f73149fbp-7);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 1.0], degree 19, weighted error 2^-56.87 */
__TERN_FN double __tern_p_atan(double x)
{
    double a = 0x1.e1bba76f5ad53p-5;
    a = __tern_fma(a, x, -0x1.110e513b26bcep-4);
    a = __tern_fma(a, x, 0x1.3b13669c64689p-4);
    a = __tern_fma(a, x, -0x1.745d11ae9f4abp-4);
    a = __tern_fma(a, x, 0x1.c71c717fd16f3p-4);
    a = __tern_fma(a, x, -0x1.249249237f5e2p-3);
    a = __tern_fma(a, x, 0x1.99999999955b5p-3);
    a = __tern_fma(a, x, -0x1.5555555555526p-2);
    double b = 0x1.bbf69a5fddb62p-17;
    b = __tern_fma(b, x, -0x1.3f3bddbd2ccb1p-13);
    b = __tern_fma(b, x, 0x1.b40129d7d0ed6p-11);
    b = __tern_fma(b, x, -0x1.7a3e1103947d5p-9);
    b = __tern_fma(b, x, 0x1.d7bd6fbf44be7p-8);
    b = __tern_fma(b, x, -0x1.c792c82eb48f8p-7);
    b = __tern_fma(b, x, 0x1.683e578893553p-6);
    b = __tern_fma(b, x, -0x1.e9fb4af2b7bfbp-6);
    b = __tern_fma(b, x, 0x1.2c2ebe6426938p-5);
    b = __tern_fma(b, x, -0x1.59a42d9c1fb36p-5);
    b = __tern_fma(b, x, 0x1.82dae8aae2da2p-5);
    b = __tern_fma(b, x, -0x1.ae5e778adc84ep-5);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 1.0001], degree 6, weighted error 2^-61.77 */
__TERN_FN double __tern_p_sinh(double x)
{
    double r = 0x1.b5c89504c9106p-41;
    r = __tern_fma(r, x, 0x1.6116f4a566679p-33);
    r = __tern_fma(r, x, 0x1.ae646ff5038c9p-26);
    r = __tern_fma(r, x, 0x1.71de3a3b06c1bp-19);
    r = __tern_fma(r, x, 0x1.a01a01a037269p-13);
    r = __tern_fma(r, x, 0x1.111111111101ep-7);
    r = __tern_fma(r, x, 0x1.5555555555556p-3);
    return r;
}

/* on [0.0, 0.3026], degree 10, weighted error 2^-60.53 */
__TERN_FN double __tern_p_tanh(double x)
{
    double a = 0x1.664f48593f387p-6;
    a = __tern_fma(a, x, -0x1.ba1ba1b97cb0ep-5);
    a = __tern_fma(a, x, 0x1.111111111079p-3);
    a = __tern_fma(a, x, -0x1.555555555554fp-2);
    double b = -0x1.46edabbd1f4f1p-16;
    b = __tern_fma(b, x, 0x1.5d665d4c5641ep-14);
    b = __tern_fma(b, x, -0x1.e96b0292c1c39p-13);
    b = __tern_fma(b, x, 0x1.348339ace7358p-11);
    b = __tern_fma(b, x, -0x1.7d8fc5d299a7bp-10);
    b = __tern_fma(b, x, 0x1.d6d29a8a52903p-9);
    b = __tern_fma(b, x, -0x1.226e2f0dff5a3p-7);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.2501], degree 11, weighted error 2^-60.39 */
__TERN_FN double __tern_p_asinh(double x)
{
    double a = 0x1.79418867be071p-7;
    a = __tern_fma(a, x, -0x1.c972dcaaaed16p-7);
    a = __tern_fma(a, x, 0x1.1c4d2ef8deb87p-6);
    a = __tern_fma(a, x, -0x1.6e8b8c9bd98afp-6);
    a = __tern_fma(a, x, 0x1.f1c71ba94b8a5p-6);
    a = __tern_fma(a, x, -0x1.6db6db6ba5503p-5);
    a = __tern_fma(a, x, 0x1.3333333330749p-4);
    a = __tern_fma(a, x, -0x1.5555555555541p-3);
    double b = 0x1.c2349df8e2018p-10;
    b = __tern_fma(b, x, -0x1.3711df5338885p-8);
    b = __tern_fma(b, x, 0x1.e93a19add7b17p-8);
    b = __tern_fma(b, x, -0x1.386876517524dp-7);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.35, 2.85], degree 5, weighted error 2^-8.308 */
__TERN_FN double __tern_p_rcbrt0(double x)
{
    double r = -0x1.2099462c21c7ep-5;
    r = __tern_fma(r, x, 0x1.53dc429b39107p-2);
    r = __tern_fma(r, x, -0x1.3b25797953561p+0);
    r = __tern_fma(r, x, 0x1.27046d3e53185p+1);
    r = __tern_fma(r, x, -0x1.31d2b54d85388p+1);
    r = __tern_fma(r, x, 0x1.021987ad5db1ap+1);
    return r;
}

/* on [0.0, 1.0001], degree 12, weighted error 2^-56.13 */
__TERN_FN double __tern_p_erf(double x)
{
    double a = -0x1.f4dcf1d8750bp-17;
    a = __tern_fma(a, x, 0x1.f9a3b9580289bp-14);
    a = __tern_fma(a, x, -0x1.c02db9333856fp-11);
    a = __tern_fma(a, x, 0x1.565bcd2c635f1p-8);
    a = __tern_fma(a, x, -0x1.b82ce31354cfep-6);
    a = __tern_fma(a, x, 0x1.ce2f21a0458d8p-4);
    a = __tern_fma(a, x, -0x1.812746b037a25p-2);
    a = __tern_fma(a, x, 0x1.06eba8214db69p-3);
    double b = 0x1.3bbd2e43d67b7p-33;
    b = __tern_fma(b, x, -0x1.c4cbff9291d36p-30);
    b = __tern_fma(b, x, 0x1.1323148006b2ap-26);
    b = __tern_fma(b, x, -0x1.6391229a43ccbp-23);
    b = __tern_fma(b, x, 0x1.ba691d1d75bb1p-20);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 5.01] about 1.0, degree 18, weighted error 2^-58.96 */
__TERN_FN double __tern_p_erfc1(double x)
{
    double a = -0x1.b8cbd2e090f09p-16;
    a = __tern_fma(a, x, -0x1.f1b45e4115dap-13);
    a = __tern_fma(a, x, 0x1.033f68ed24877p-9);
    a = __tern_fma(a, x, -0x1.48c9d40c13106p-7);
    a = __tern_fma(a, x, 0x1.5477f09ccd117p-5);
    a = __tern_fma(a, x, 0x1.afabc11a28bdfp-1);
    a = __tern_fma(a, x, 0x1.51c9b0006c243p+1);
    a = __tern_fma(a, x, 0x1.d97fbf27aa2a1p+0);
    double b = -0x1.4cc8be5d24f7ap-40;
    b = __tern_fma(b, x, 0x1.1b8a4af2ad929p-35);
    b = __tern_fma(b, x, -0x1.bd736957790bap-32);
    b = __tern_fma(b, x, 0x1.aa5c5e1d5344ap-29);
    b = __tern_fma(b, x, -0x1.11d3d8bd9b8b1p-26);
    b = __tern_fma(b, x, 0x1.d9e9863e3121ap-25);
    b = __tern_fma(b, x, -0x1.c0df72dfb1ab5p-24);
    b = __tern_fma(b, x, -0x1.1a2d8c4fec50ep-23);
    b = __tern_fma(b, x, 0x1.1290193ac1856p-19);
    b = __tern_fma(b, x, -0x1.41fc7a774508ep-17);
    b = __tern_fma(b, x, 0x1.c781a3c7671ddp-16);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-1.0, 1.0], degree 24, weighted error 2^-53.99 */
__TERN_FN double __tern_p_erfcx(double x)
{
    double a = 0x1.3079edf6f12d1p-5;
    a = __tern_fma(a, x, -0x1.0fb06dfeea131p-4);
    a = __tern_fma(a, x, 0x1.7fee004e0cca3p-4);
    a = __tern_fma(a, x, -0x1.9ddb23c3df7f8p-4);
    a = __tern_fma(a, x, 0x1.16ecefcfa567cp-4);
    a = __tern_fma(a, x, 0x1.f7f5df66fbae1p-7);
    a = __tern_fma(a, x, -0x1.1df1ad154a28ep-3);
    a = __tern_fma(a, x, 0x1.3ba5916e9fd7fp+0);
    double b = -0x1.01997cc28eefep-33;
    b = __tern_fma(b, x, 0x1.1c16da783041ep-30);
    b = __tern_fma(b, x, 0x1.329a128f995cap-29);
    b = __tern_fma(b, x, -0x1.bc58a206d512dp-27);
    b = __tern_fma(b, x, -0x1.348e87025b476p-26);
    b = __tern_fma(b, x, 0x1.cef65eb9fc2bep-24);
    b = __tern_fma(b, x, 0x1.3ae312583ca26p-24);
    b = __tern_fma(b, x, -0x1.b9ec60d589ecep-21);
    b = __tern_fma(b, x, 0x1.3e0b8f6c95562p-22);
    b = __tern_fma(b, x, 0x1.7f15e57086b4bp-18);
    b = __tern_fma(b, x, -0x1.789eae46c547fp-17);
    b = __tern_fma(b, x, -0x1.9957ff77c4a25p-16);
    b = __tern_fma(b, x, 0x1.3be0fe4889da7p-13);
    b = __tern_fma(b, x, -0x1.a1df282674a8p-13);
    b = __tern_fma(b, x, -0x1.8d4aa86bc5c41p-11);
    b = __tern_fma(b, x, 0x1.49c6727a24113p-8);
    b = __tern_fma(b, x, -0x1.0962386eed437p-6);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-3.125, 3.126] about 3.125, degree 22, weighted error 2^-54.87 */
__TERN_FN double __tern_p_erfinv0(double x)
{
    double a = -0x1.ac61b8e9508ddp-28;
    a = __tern_fma(a, x, 0x1.db9fbe04932f5p-22);
    a = __tern_fma(a, x, -0x1.710f903876ef1p-19);
    a = __tern_fma(a, x, -0x1.62fb9e3b8a14ap-18);
    a = __tern_fma(a, x, 0x1.aa46bc94b9376p-13);
    a = __tern_fma(a, x, -0x1.68af564e3325ep-10);
    a = __tern_fma(a, x, -0x1.c68cde90dc3e4p-10);
    a = __tern_fma(a, x, 0x1.f6f0fe0a1d402p-3);
    double b = 0x1.c823762f47853p-69;
    b = __tern_fma(b, x, -0x1.a6a6d82bbaa0fp-67);
    b = __tern_fma(b, x, -0x1.661191029b3fp-62);
    b = __tern_fma(b, x, 0x1.3a84aa58b571fp-59);
    b = __tern_fma(b, x, 0x1.3f11d49ecaf4dp-57);
    b = __tern_fma(b, x, -0x1.6c332191c0774p-53);
    b = __tern_fma(b, x, 0x1.0745aabbfac62p-51);
    b = __tern_fma(b, x, 0x1.752a548dc50cp-48);
    b = __tern_fma(b, x, -0x1.fa691a8bdb633p-45);
    b = __tern_fma(b, x, 0x1.a94fa41f4261ap-44);
    b = __tern_fma(b, x, 0x1.48b1551db7f49p-39);
    b = __tern_fma(b, x, -0x1.64ae498a7696dp-36);
    b = __tern_fma(b, x, 0x1.44419e7bd5abep-37);
    b = __tern_fma(b, x, 0x1.190a371752d9ep-30);
    b = __tern_fma(b, x, -0x1.f62ea8ad3e337p-28);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-0.752001, 0.76] about 3.25, degree 19, weighted error 2^-54.42 */
__TERN_FN double __tern_p_erfinv1(double x)
{
    double a = -0x1.7448bd490645ap-12;
    a = __tern_fma(a, x, 0x1.f3cc549c3511fp-11);
    a = __tern_fma(a, x, -0x1.ba9240d664409p-10);
    a = __tern_fma(a, x, 0x1.468eeca948a0bp-9);
    a = __tern_fma(a, x, -0x1.ebadabba0a0a9p-9);
    a = __tern_fma(a, x, 0x1.5ffcfe5b6a255p-8);
    a = __tern_fma(a, x, 0x1.0158a6d641d55p+0);
    a = __tern_fma(a, x, 0x1.8abcc380d5a48p+1);
    double b = -0x1.0c4cae8c235c6p-26;
    b = __tern_fma(b, x, -0x1.5c9f797d9d014p-36);
    b = __tern_fma(b, x, 0x1.1c84723e9f10fp-23);
    b = __tern_fma(b, x, -0x1.2137148415856p-22);
    b = __tern_fma(b, x, -0x1.ed0bd996fd578p-26);
    b = __tern_fma(b, x, 0x1.91af9a0e4c553p-20);
    b = __tern_fma(b, x, -0x1.0b6dec2c3a935p-18);
    b = __tern_fma(b, x, 0x1.88e1768272546p-19);
    b = __tern_fma(b, x, 0x1.a23f86c89abfbp-17);
    b = __tern_fma(b, x, -0x1.8cf1e80cf8debp-15);
    b = __tern_fma(b, x, 0x1.1e6acbd74081ep-14);
    b = __tern_fma(b, x, 0x1.932df99c172cap-16);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-1.01, 1.01] about 5.0, degree 18, weighted error 2^-55.7 */
__TERN_FN double __tern_p_erfinv2(double x)
{
    double a = -0x1.0a9056adead19p-20;
    a = __tern_fma(a, x, 0x1.2fbcf8e4dafffp-18);
    a = __tern_fma(a, x, -0x1.4a3490120d7e3p-16);
    a = __tern_fma(a, x, 0x1.3ebf4f0466d4ep-14);
    a = __tern_fma(a, x, -0x1.c2f36aa1861a5p-13);
    a = __tern_fma(a, x, -0x1.22ea5df20a0bfp-13);
    a = __tern_fma(a, x, 0x1.02a30d1fba10bp+0);
    a = __tern_fma(a, x, 0x1.3664ddd1ad7fbp+2);
    double b = -0x1.7ce6db82d9637p-36;
    b = __tern_fma(b, x, 0x1.6fe1a7c5b6ddfp-35);
    b = __tern_fma(b, x, 0x1.4da4b503994a3p-34);
    b = __tern_fma(b, x, -0x1.dbbd372be4063p-32);
    b = __tern_fma(b, x, 0x1.66166e6525e2ep-30);
    b = __tern_fma(b, x, -0x1.de61a1b907279p-29);
    b = __tern_fma(b, x, 0x1.0d4534a7d3b75p-27);
    b = __tern_fma(b, x, -0x1.05eacfc207f82p-26);
    b = __tern_fma(b, x, 0x1.f25adefce4a42p-26);
    b = __tern_fma(b, x, -0x1.222ccf0f28a72p-24);
    b = __tern_fma(b, x, 0x1.ebe586e1fc59fp-23);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-0.5, 0.5], degree 14, weighted error 2^-59.06 */
__TERN_FN double __tern_p_rgamma(double x)
{
    double a = -0x1.7a5da937556aap-12;
    a = __tern_fma(a, x, -0x1.a5b350a7a9c9dp-11);
    a = __tern_fma(a, x, 0x1.06e8179e15b76p-7);
    a = __tern_fma(a, x, -0x1.21198511753a6p-6);
    a = __tern_fma(a, x, -0x1.92449b66f1947p-6);
    a = __tern_fma(a, x, 0x1.875ac57822505p-3);
    a = __tern_fma(a, x, -0x1.dd603fb6ac12p-3);
    a = __tern_fma(a, x, -0x1.b0ee6072093cep-2);
    double b = 0x1.b0fb4cb595d8ap-28;
    b = __tern_fma(b, x, -0x1.7da306ae34583p-30);
    b = __tern_fma(b, x, -0x1.b9372a420917ep-23);
    b = __tern_fma(b, x, 0x1.676df202806a9p-20);
    b = __tern_fma(b, x, -0x1.5b7d81233a356p-19);
    b = __tern_fma(b, x, -0x1.265f4d5dfe3p-16);
    b = __tern_fma(b, x, 0x1.3156559db0847p-13);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.015625], degree 6, weighted error 2^-64.49 */
__TERN_FN double __tern_p_stirling(double x)
{
    double r = 0x1.45fb481a4e0edp-8;
    r = __tern_fma(r, x, -0x1.ee5770a42bddep-10);
    r = __tern_fma(r, x, 0x1.b92034a1d7225p-11);
    r = __tern_fma(r, x, -0x1.381330c837b5ep-11);
    r = __tern_fma(r, x, 0x1.a01a015cd37fap-11);
    r = __tern_fma(r, x, -0x1.6c16c16c1088bp-9);
    r = __tern_fma(r, x, 0x1.5555555555555p-4);
    return r;
}

/* on [-0.75, 0.751], degree 22, weighted error 2^-55.71 */
__TERN_FN double __tern_p_lgamma(double x)
{
    double a = 0x1.0b36af8355967p-11;
    a = __tern_fma(a, x, -0x1.38ac5c27f1675p-10);
    a = __tern_fma(a, x, 0x1.7add6ead9591dp-9);
    a = __tern_fma(a, x, -0x1.e404fc219fa5p-8);
    a = __tern_fma(a, x, 0x1.51322ac7d87a4p-6);
    a = __tern_fma(a, x, -0x1.13e001a5575adp-4);
    a = __tern_fma(a, x, 0x1.4a34cc4a60fa6p-2);
    a = __tern_fma(a, x, 0x1.b0ee6072093cep-2);
    double b = -0x1.b9fd0da1b271fp-27;
    b = __tern_fma(b, x, 0x1.812afc983ec26p-26);
    b = __tern_fma(b, x, -0x1.2af3e5665a1a8p-27);
    b = __tern_fma(b, x, 0x1.089c65e0f9e8p-25);
    b = __tern_fma(b, x, -0x1.e7504808d7befp-24);
    b = __tern_fma(b, x, 0x1.e3007dd13737bp-23);
    b = __tern_fma(b, x, -0x1.dace281a90e37p-22);
    b = __tern_fma(b, x, 0x1.fdb0c981134dbp-21);
    b = __tern_fma(b, x, -0x1.1200b32bd3a86p-19);
    b = __tern_fma(b, x, 0x1.25b2b9365b756p-18);
    b = __tern_fma(b, x, -0x1.3cb930e092a72p-17);
    b = __tern_fma(b, x, 0x1.580cb84731f78p-16);
    b = __tern_fma(b, x, -0x1.78de673c620bap-15);
    b = __tern_fma(b, x, 0x1.a127b6a1ce19bp-14);
    b = __tern_fma(b, x, -0x1.d3fd4d1e5de5fp-13);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 5.8], degree 8, weighted error 2^-57.08 */
__TERN_FN double __tern_p_j0a(double x)
{
    double a = 0x1.c71c71c428ad2p-18;
    a = __tern_fma(a, x, -0x1.c71c71c712459p-12);
    a = __tern_fma(a, x, 0x1.ffffffffffddap-7);
    a = __tern_fma(a, x, -0x1.ffffffffffffbp-3);
    double b = -0x1.f0eb4f307247p-56;
    b = __tern_fma(b, x, 0x1.51462d89d57c1p-47);
    b = __tern_fma(b, x, -0x1.52243cb4709ep-39);
    b = __tern_fma(b, x, 0x1.02e8436762631p-31);
    b = __tern_fma(b, x, -0x1.2345670d906eap-24);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [-0.914826, 1.60517], degree 15, weighted error 2^-53.18 */
__TERN_FN double __tern_p_j0b(double x)
{
    double a = -0x1.232c7719e6087p-18;
    a = __tern_fma(a, x, 0x1.6ed3b9d9e475cp-15);
    a = __tern_fma(a, x, 0x1.15382b9fe3cc1p-12);
    a = __tern_fma(a, x, -0x1.1f992590bb7e5p-9);
    a = __tern_fma(a, x, -0x1.1bb1cbe1a3bcdp-7);
    a = __tern_fma(a, x, 0x1.cfae864368b92p-5);
    a = __tern_fma(a, x, 0x1.ba1deea029491p-4);
    a = __tern_fma(a, x, -0x1.09cdb3655128p-1);
    double b = -0x1.9cebb21137a1dp-46;
    b = __tern_fma(b, x, 0x1.c0916845949e3p-43);
    b = __tern_fma(b, x, 0x1.a70cf4c0fbf3ap-40);
    b = __tern_fma(b, x, -0x1.bf452be5236e6p-36);
    b = __tern_fma(b, x, -0x1.5bbbd506e825ap-32);
    b = __tern_fma(b, x, 0x1.294f04ac94b36p-28);
    b = __tern_fma(b, x, 0x1.7ff8b89f6afdap-25);
    b = __tern_fma(b, x, -0x1.1cce264b01973p-21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-1.53008, 1.48992], degree 16, weighted error 2^-54.32 */
__TERN_FN double __tern_p_j0c(double x)
{
    double a = 0x1.ad77d7506b004p-19;
    a = __tern_fma(a, x, -0x1.863f481c9778p-15);
    a = __tern_fma(a, x, -0x1.6f641f41a2286p-13);
    a = __tern_fma(a, x, 0x1.27e31fe9ac63bp-9);
    a = __tern_fma(a, x, 0x1.2f7ffe90257acp-8);
    a = __tern_fma(a, x, -0x1.b2150cb41e91bp-5);
    a = __tern_fma(a, x, -0x1.f8f72e7a848e1p-6);
    a = __tern_fma(a, x, 0x1.5c6e60a097823p-2);
    double b = 0x1.937f8a623c4eep-51;
    b = __tern_fma(b, x, 0x1.8efeba129077ap-48);
    b = __tern_fma(b, x, -0x1.16903d09906b5p-43);
    b = __tern_fma(b, x, -0x1.84b96850f6c7bp-40);
    b = __tern_fma(b, x, 0x1.e324d4ef3c0f4p-36);
    b = __tern_fma(b, x, 0x1.1d04cdf32d302p-32);
    b = __tern_fma(b, x, -0x1.41d793fe8d094p-28);
    b = __tern_fma(b, x, -0x1.2da3806e3561ap-25);
    b = __tern_fma(b, x, 0x1.32e6da8876dccp-21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-1.66373, -0.643728], degree 11, weighted error 2^-55.5 */
__TERN_FN double __tern_p_j0d(double x)
{
    double a = -0x1.2d0ba7fb44f46p-19;
    a = __tern_fma(a, x, 0x1.787d978e2c7dbp-15);
    a = __tern_fma(a, x, 0x1.d7d03460f4af3p-14);
    a = __tern_fma(a, x, -0x1.0e0c26cb26dacp-9);
    a = __tern_fma(a, x, -0x1.48e5a15b3392dp-9);
    a = __tern_fma(a, x, 0x1.68b987de53a94p-5);
    a = __tern_fma(a, x, 0x1.00f7fe1051c99p-6);
    a = __tern_fma(a, x, -0x1.15f79778eb2bdp-2);
    double b = 0x1.e9d09a5b43b73p-33;
    b = __tern_fma(b, x, 0x1.0054c9c983f69p-27);
    b = __tern_fma(b, x, 0x1.3f40005e050d9p-25);
    b = __tern_fma(b, x, -0x1.2321c236e812cp-21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 5.8], degree 8, weighted error 2^-60.38 */
__TERN_FN double __tern_p_j1a(double x)
{
    double a = 0x1.6c16c16aefe16p-21;
    a = __tern_fma(a, x, -0x1.c71c71c7186f8p-15);
    a = __tern_fma(a, x, 0x1.55555555554e8p-9);
    a = __tern_fma(a, x, -0x1.fffffffffffffp-5);
    double b = -0x1.8fe163a943c4ap-60;
    b = __tern_fma(b, x, 0x1.2bed1a8a8ee34p-51);
    b = __tern_fma(b, x, -0x1.5225b6a6d487ap-43);
    b = __tern_fma(b, x, 0x1.27e4e8a877a23p-35);
    b = __tern_fma(b, x, -0x1.845c89ad1255ap-28);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [-1.44171, 1.57829], degree 15, weighted error 2^-54.68 */
__TERN_FN double __tern_p_j1b(double x)
{
    double a = -0x1.9799d4eb22b1fp-19;
    a = __tern_fma(a, x, 0x1.83a06e2f5a75ep-15);
    a = __tern_fma(a, x, 0x1.6e4c2d538b237p-13);
    a = __tern_fma(a, x, -0x1.24b3409957bd9p-9);
    a = __tern_fma(a, x, -0x1.537544c33224dp-8);
    a = __tern_fma(a, x, 0x1.b589d1da138f3p-5);
    a = __tern_fma(a, x, 0x1.ae8a39f51ad09p-5);
    a = __tern_fma(a, x, -0x1.9c6cf582cbf7fp-2);
    double b = -0x1.819ab8eed97e5p-48;
    b = __tern_fma(b, x, 0x1.0fb62f839d18fp-43);
    b = __tern_fma(b, x, 0x1.5fba585ee513cp-40);
    b = __tern_fma(b, x, -0x1.ec2cdf5d42686p-36);
    b = __tern_fma(b, x, -0x1.03bd00e0372bbp-32);
    b = __tern_fma(b, x, 0x1.456954f9f0492p-28);
    b = __tern_fma(b, x, 0x1.17069c1ee1b5cp-25);
    b = __tern_fma(b, x, -0x1.33825c2034dd9p-21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-1.62559, 0.994413], degree 15, weighted error 2^-53.51 */
__TERN_FN double __tern_p_j1c(double x)
{
    double a = 0x1.4255b0516858fp-19;
    a = __tern_fma(a, x, -0x1.796a751ac1b82p-15);
    a = __tern_fma(a, x, -0x1.07358bbdf4d11p-13);
    a = __tern_fma(a, x, 0x1.13fbc7d6925b8p-9);
    a = __tern_fma(a, x, 0x1.9a4b292e3e285p-9);
    a = __tern_fma(a, x, -0x1.80c83bdeee50cp-5);
    a = __tern_fma(a, x, -0x1.5e70dc60362c2p-6);
    a = __tern_fma(a, x, 0x1.33518b3874e8ap-2);
    double b = 0x1.db9f6b1526386p-50;
    b = __tern_fma(b, x, -0x1.2a7bd2a9039eap-43);
    b = __tern_fma(b, x, -0x1.3e3dd7fac5ec8p-40);
    b = __tern_fma(b, x, 0x1.ece0760f79d3cp-36);
    b = __tern_fma(b, x, 0x1.c644960648e55p-33);
    b = __tern_fma(b, x, -0x1.446344065af4bp-28);
    b = __tern_fma(b, x, -0x1.d48e07a7723edp-26);
    b = __tern_fma(b, x, 0x1.3026df250fdadp-21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 5.8], degree 9, weighted error 2^-55.31 */
__TERN_FN double __tern_p_y0a(double x)
{
    double a = -0x1.4c030d9940009p-17;
    a = __tern_fma(a, x, 0x1.268a9aaaea15cp-11);
    a = __tern_fma(a, x, -0x1.12583f4a4abb2p-6);
    a = __tern_fma(a, x, 0x1.750811790a13cp-3);
    double b = -0x1.a45a176dc988ap-64;
    b = __tern_fma(b, x, 0x1.fa5c7bc8f174fp-55);
    b = __tern_fma(b, x, -0x1.3c11ee6a8a4c1p-46);
    b = __tern_fma(b, x, 0x1.2eb2637437359p-38);
    b = __tern_fma(b, x, -0x1.b796f88b3a718p-31);
    b = __tern_fma(b, x, 0x1.cf0413ada1f89p-24);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [-1.56768, 1.55232], degree 22, weighted error 2^-55.18 */
__TERN_FN double __tern_p_y0b(double x)
{
    double a = -0x1.486371adc6a04p-18;
    a = __tern_fma(a, x, 0x1.ab2c1fe7b895dp-15);
    a = __tern_fma(a, x, 0x1.9982765116fbdp-13);
    a = __tern_fma(a, x, -0x1.1e32bc4ef50b1p-9);
    a = __tern_fma(a, x, -0x1.c116fdc597e1dp-8);
    a = __tern_fma(a, x, 0x1.df6d59bf50e7dp-5);
    a = __tern_fma(a, x, 0x1.a09c9290367efp-5);
    a = __tern_fma(a, x, -0x1.9c34256a12a0cp-2);
    double b = 0x1.08acba3b93c6bp-50;
    b = __tern_fma(b, x, -0x1.67b9da9e2979dp-48);
    b = __tern_fma(b, x, 0x1.088cb1f6e3c18p-47);
    b = __tern_fma(b, x, -0x1.ed0144904a63dp-47);
    b = __tern_fma(b, x, 0x1.3ca547b1d1f2ap-43);
    b = __tern_fma(b, x, -0x1.82da7fcf5b53cp-41);
    b = __tern_fma(b, x, 0x1.69b41783f1952p-39);
    b = __tern_fma(b, x, -0x1.6ea9524bffcfep-37);
    b = __tern_fma(b, x, 0x1.87b0e70d2707ep-35);
    b = __tern_fma(b, x, -0x1.99e716fe2842dp-33);
    b = __tern_fma(b, x, 0x1.a5bba8615814ap-31);
    b = __tern_fma(b, x, -0x1.f68a9cc34301ep-29);
    b = __tern_fma(b, x, 0x1.452dd5e77478ap-26);
    b = __tern_fma(b, x, -0x1.7770ff101903ep-26);
    b = __tern_fma(b, x, -0x1.3b2160bc50f28p-22);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-1.59605, 0.923949], degree 14, weighted error 2^-53.63 */
__TERN_FN double __tern_p_y0c(double x)
{
    double a = 0x1.6a922735a949cp-19;
    a = __tern_fma(a, x, -0x1.8177e50164c8fp-15);
    a = __tern_fma(a, x, -0x1.26dd71e3917abp-13);
    a = __tern_fma(a, x, 0x1.1d35e85fe1a95p-9);
    a = __tern_fma(a, x, 0x1.b2f14a95526dap-9);
    a = __tern_fma(a, x, -0x1.8969c64cbf4bdp-5);
    a = __tern_fma(a, x, -0x1.5aef611fc4d54p-6);
    a = __tern_fma(a, x, 0x1.334cca0697a5bp-2);
    double b = -0x1.15614be9a68a6p-43;
    b = __tern_fma(b, x, -0x1.6e9ec74c44511p-40);
    b = __tern_fma(b, x, 0x1.f1c5223409b6ap-36);
    b = __tern_fma(b, x, 0x1.fa681f73772ep-33);
    b = __tern_fma(b, x, -0x1.442b005a38ba8p-28);
    b = __tern_fma(b, x, -0x1.0a2813c2952ep-25);
    b = __tern_fma(b, x, 0x1.34aa76df7b084p-21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 1.7], degree 7, weighted error 2^-54.49 */
__TERN_FN double __tern_p_y1a(double x)
{
    double a = 0x1.2c7dbffb7ca93p-14;
    a = __tern_fma(a, x, -0x1.835b9789491c6p-9);
    a = __tern_fma(a, x, 0x1.bd3975c75b462p-5);
    a = __tern_fma(a, x, -0x1.91866143cbc8ap-3);
    double b = 0x1.21c65e77a17fp-42;
    b = __tern_fma(b, x, -0x1.f0971af2f0abcp-35);
    b = __tern_fma(b, x, 0x1.32e5480e75087p-27);
    b = __tern_fma(b, x, -0x1.0a780a19e3883p-20);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [-0.907141, 1.61286], degree 28, weighted error 2^-54.42 */
__TERN_FN double __tern_p_y1b(double x)
{
    double a = -0x1.0b2d87747ea46p-11;
    a = __tern_fma(a, x, 0x1.17ab4af2ad29bp-10);
    a = __tern_fma(a, x, -0x1.5429dc5a5294fp-9);
    a = __tern_fma(a, x, 0x1.e671c7d13f66bp-8);
    a = __tern_fma(a, x, -0x1.3a6dec37297adp-8);
    a = __tern_fma(a, x, -0x1.0d2af4e9325aap-5);
    a = __tern_fma(a, x, -0x1.e56f82217b8eep-4);
    a = __tern_fma(a, x, 0x1.0aa48442f014bp-1);
    double b = 0x1.e7780baf41071p-39;
    b = __tern_fma(b, x, -0x1.692facab4f72p-35);
    b = __tern_fma(b, x, 0x1.cc906dcd8b475p-33);
    b = __tern_fma(b, x, -0x1.4a3938c310626p-31);
    b = __tern_fma(b, x, 0x1.2f5bde4584a6p-30);
    b = __tern_fma(b, x, -0x1.c9f00604c3de6p-30);
    b = __tern_fma(b, x, 0x1.c4c5e71934b3ep-29);
    b = __tern_fma(b, x, -0x1.1d825d45cdd98p-27);
    b = __tern_fma(b, x, 0x1.5038e54d5802ap-26);
    b = __tern_fma(b, x, -0x1.6d363cebc06a8p-25);
    b = __tern_fma(b, x, 0x1.8ae110d73772bp-24);
    b = __tern_fma(b, x, -0x1.b0f380912c271p-23);
    b = __tern_fma(b, x, 0x1.dbcde79b57818p-22);
    b = __tern_fma(b, x, -0x1.051ada9aee47cp-20);
    b = __tern_fma(b, x, 0x1.1e73dd3fb8b1ap-19);
    b = __tern_fma(b, x, -0x1.3a29c37722581p-18);
    b = __tern_fma(b, x, 0x1.586669bdae72cp-17);
    b = __tern_fma(b, x, -0x1.7956773e112fp-16);
    b = __tern_fma(b, x, 0x1.9d1735366b047p-15);
    b = __tern_fma(b, x, -0x1.c3fae69104a16p-14);
    b = __tern_fma(b, x, 0x1.eea7bd674759fp-13);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [-1.63968, 2.58032], degree 21, weighted error 2^-53.28 */
__TERN_FN double __tern_p_y1c(double x)
{
    double a = -0x1.80619153b577fp-19;
    a = __tern_fma(a, x, 0x1.85b940ee61f58p-15);
    a = __tern_fma(a, x, 0x1.337c7e139c66ap-13);
    a = __tern_fma(a, x, -0x1.1be6db9927e99p-9);
    a = __tern_fma(a, x, -0x1.10a329e2c2494p-8);
    a = __tern_fma(a, x, 0x1.a15d92dfe3ebcp-5);
    a = __tern_fma(a, x, 0x1.00b9f8571ca1fp-5);
    a = __tern_fma(a, x, -0x1.5c7c556f0c19ap-2);
    double b = -0x1.0c96f604b627p-58;
    b = __tern_fma(b, x, 0x1.d41367de8e1e9p-55);
    b = __tern_fma(b, x, -0x1.6376c25cf983p-52);
    b = __tern_fma(b, x, 0x1.74f85337824ep-50);
    b = __tern_fma(b, x, -0x1.b7d3ed2bb6001p-48);
    b = __tern_fma(b, x, 0x1.389ed9deb5862p-45);
    b = __tern_fma(b, x, -0x1.c4df12d2afcacp-43);
    b = __tern_fma(b, x, 0x1.4abd1bd5b9581p-40);
    b = __tern_fma(b, x, -0x1.37e475269809ep-38);
    b = __tern_fma(b, x, 0x1.3e7e8e50e1d77p-39);
    b = __tern_fma(b, x, -0x1.a7f097e94ebd5p-32);
    b = __tern_fma(b, x, 0x1.80b22041a201bp-28);
    b = __tern_fma(b, x, 0x1.b62cda9d2af71p-26);
    b = __tern_fma(b, x, -0x1.255e6e0e6b0c4p-21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.015873], degree 11, weighted error 2^-55.43 */
__TERN_FN double __tern_p_hp0(double x)
{
    double a = -0x1.7faf7b6b7236p+16;
    a = __tern_fma(a, x, 0x1.6e2714918f06ep+11);
    a = __tern_fma(a, x, -0x1.b676136257e05p+6);
    a = __tern_fma(a, x, 0x1.84ad3ab016beap+2);
    a = __tern_fma(a, x, -0x1.251eb962fcc37p-1);
    a = __tern_fma(a, x, 0x1.cb5fffbacac49p-4);
    a = __tern_fma(a, x, -0x1.1ffffffffb805p-4);
    a = __tern_fma(a, x, 0x1p+0);
    double b = -0x1.ccbde0f78f1ccp+33;
    b = __tern_fma(b, x, 0x1.9f186a870e4cp+30);
    b = __tern_fma(b, x, -0x1.64a070c205634p+26);
    b = __tern_fma(b, x, 0x1.98335a722abf5p+21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.015873], degree 10, weighted error 2^-54.23 */
__TERN_FN double __tern_p_hq0(double x)
{
    double a = 0x1.ba4745f4b034ep+0;
    a = __tern_fma(a, x, -0x1.d11df3701f221p-3);
    a = __tern_fma(a, x, 0x1.2bfffffc5f55ep-4);
    a = __tern_fma(a, x, -0x1.ffffffffffd83p-4);
    double b = -0x1.2201cc02b184cp+31;
    b = __tern_fma(b, x, 0x1.006ee51159658p+28);
    b = __tern_fma(b, x, -0x1.b4a1339002fc9p+23);
    b = __tern_fma(b, x, 0x1.fa3ebc6d60f3ep+18);
    b = __tern_fma(b, x, -0x1.f700bdc36f3ep+13);
    b = __tern_fma(b, x, 0x1.0e4ab38909b97p+9);
    b = __tern_fma(b, x, -0x1.8581e11b583bdp+4);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.015873], degree 11, weighted error 2^-55.35 */
__TERN_FN double __tern_p_hp1(double x)
{
    double a = 0x1.9d6937fe6d729p+16;
    a = __tern_fma(a, x, -0x1.8e60004f194cbp+11);
    a = __tern_fma(a, x, 0x1.e4b0528cb773ep+6);
    a = __tern_fma(a, x, -0x1.b8813a3d6352p+2);
    a = __tern_fma(a, x, 0x1.5a6a2696d48b9p-1);
    a = __tern_fma(a, x, -0x1.274fffdb5078cp-3);
    a = __tern_fma(a, x, 0x1.dffffffffb3afp-4);
    a = __tern_fma(a, x, 0x1p+0);
    double b = 0x1.eaffb20c56ee7p+33;
    b = __tern_fma(b, x, -0x1.bac8513d6ecd5p+30);
    b = __tern_fma(b, x, 0x1.7d09cad9b6a4fp+26);
    b = __tern_fma(b, x, -0x1.b56e6ee6d40f1p+21);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.015873], degree 10, weighted error 2^-54.16 */
__TERN_FN double __tern_p_hq1(double x)
{
    double a = -0x1.fe52b441e8955p+0;
    a = __tern_fma(a, x, 0x1.1c3cf95421c4dp-2);
    a = __tern_fma(a, x, -0x1.a3fffffc25e57p-4);
    a = __tern_fma(a, x, 0x1.7ffffffffff57p-2);
    double b = 0x1.359ad7f2161c7p+31;
    b = __tern_fma(b, x, -0x1.1219babf7782cp+28);
    b = __tern_fma(b, x, 0x1.d3afe2b2c899ap+23);
    b = __tern_fma(b, x, -0x1.102629d8a0502p+19);
    b = __tern_fma(b, x, 0x1.104a06a99ebffp+14);
    b = __tern_fma(b, x, -0x1.28378b13c4686p+9);
    b = __tern_fma(b, x, 0x1.b35d3c6483ebdp+4);
    double z = x * x;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 65.0], degree 15, weighted error 2^-56.51 */
__TERN_FN double __tern_p_i0a(double x)
{
    double a = 0x1.522a441cbbcbep-39;
    a = __tern_fma(a, x, 0x1.02e85c071572dp-31);
    a = __tern_fma(a, x, 0x1.23456789bfb4bp-24);
    a = __tern_fma(a, x, 0x1.c71c71c71b361p-18);
    a = __tern_fma(a, x, 0x1.c71c71c71c7cp-12);
    a = __tern_fma(a, x, 0x1.ffffffffffffcp-7);
    a = __tern_fma(a, x, 0x1p-2);
    a = __tern_fma(a, x, 0x1p+0);
    double b = 0x1.1d0051ea198cp-110;
    b = __tern_fma(b, x, 0x1.1062d5b86c5d5p-101);
    b = __tern_fma(b, x, 0x1.f2a71878a23c1p-92);
    b = __tern_fma(b, x, 0x1.40a6c175cc46ap-82);
    b = __tern_fma(b, x, 0x1.69e5c6fe91d65p-73);
    b = __tern_fma(b, x, 0x1.55ff5c6aa9ae1p-64);
    b = __tern_fma(b, x, 0x1.0b31526049767p-55);
    b = __tern_fma(b, x, 0x1.522a415b76b96p-47);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 65.0], degree 14, weighted error 2^-55.16 */
__TERN_FN double __tern_p_i1a(double x)
{
    double a = 0x1.522a4090abd68p-43;
    a = __tern_fma(a, x, 0x1.27e4fba49beaap-35);
    a = __tern_fma(a, x, 0x1.845c8a09c5877p-28);
    a = __tern_fma(a, x, 0x1.6c16c16c39cafp-21);
    a = __tern_fma(a, x, 0x1.c71c71c71aac3p-15);
    a = __tern_fma(a, x, 0x1.5555555555609p-9);
    a = __tern_fma(a, x, 0x1.ffffffffffffap-5);
    a = __tern_fma(a, x, 0x1p-1);
    double b = 0x1.0f26e1352188cp-105;
    b = __tern_fma(b, x, 0x1.d6802484451c5p-97);
    b = __tern_fma(b, x, 0x1.9637e58d5f2d2p-87);
    b = __tern_fma(b, x, 0x1.e0c398d2e1f32p-78);
    b = __tern_fma(b, x, 0x1.f1a2ff40a3e6ep-69);
    b = __tern_fma(b, x, 0x1.ab7e9595f0ce2p-60);
    b = __tern_fma(b, x, 0x1.2c97863213295p-51);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.1251], degree 22, weighted error 2^-53.33 */
__TERN_FN double __tern_p_i0b(double x)
{
    double a = 0x1.24d29fe353f79p+5;
    a = __tern_fma(a, x, -0x1.1fafc9c9ee157p-2);
    a = __tern_fma(a, x, 0x1.87b09271a57fep-4);
    a = __tern_fma(a, x, 0x1.6e429a1eefd32p-5);
    a = __tern_fma(a, x, 0x1.debb9c8bb290cp-6);
    a = __tern_fma(a, x, 0x1.cb94dd5abfd06p-6);
    a = __tern_fma(a, x, 0x1.9884533d4b3bdp-5);
    a = __tern_fma(a, x, 0x1.9884533d4365p-2);
    double b = 0x1.32c07983dc4ccp+53;
    b = __tern_fma(b, x, -0x1.933798bd59bep+53);
    b = __tern_fma(b, x, 0x1.e139eed1b76dfp+52);
    b = __tern_fma(b, x, -0x1.57a162a3032e8p+51);
    b = __tern_fma(b, x, 0x1.4516600b8ae54p+49);
    b = __tern_fma(b, x, -0x1.a8123bae717a9p+46);
    b = __tern_fma(b, x, 0x1.7bd80e7142fdp+43);
    b = __tern_fma(b, x, -0x1.ade5b6d949e9p+39);
    b = __tern_fma(b, x, 0x1.5de3418c75484p+34);
    b = __tern_fma(b, x, 0x1.74041c415dfe5p+31);
    b = __tern_fma(b, x, -0x1.c6772275e7482p+28);
    b = __tern_fma(b, x, 0x1.130c80333b5a2p+25);
    b = __tern_fma(b, x, -0x1.c06662e449a51p+20);
    b = __tern_fma(b, x, 0x1.079cf0b84f025p+16);
    b = __tern_fma(b, x, -0x1.c65be803d22a3p+10);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

/* on [0.0, 0.1251], degree 22, weighted error 2^-53.63 */
__TERN_FN double __tern_p_i1b(double x)
{
    double a = -0x1.59359e999ac17p+4;
    a = __tern_fma(a, x, 0x1.ab2783a097fa9p-5);
    a = __tern_fma(a, x, -0x1.d373efa5e0a8ap-4);
    a = __tern_fma(a, x, -0x1.d70f88eea081dp-5);
    a = __tern_fma(a, x, -0x1.4f1cbf8e1b32dp-5);
    a = __tern_fma(a, x, -0x1.7efc0ded176e2p-5);
    a = __tern_fma(a, x, -0x1.32633e6df417ep-3);
    a = __tern_fma(a, x, 0x1.9884533d43651p-2);
    double b = -0x1.d6e2f58b1e317p+53;
    b = __tern_fma(b, x, 0x1.3accc250732a6p+54);
    b = __tern_fma(b, x, -0x1.81dc77c10a16ep+53);
    b = __tern_fma(b, x, 0x1.1ee81aee34b04p+52);
    b = __tern_fma(b, x, -0x1.20a246608b126p+50);
    b = __tern_fma(b, x, 0x1.9eaf0d46ee1b5p+47);
    b = __tern_fma(b, x, -0x1.b551748cf3c63p+44);
    b = __tern_fma(b, x, 0x1.55ef356d09c2ep+41);
    b = __tern_fma(b, x, -0x1.89608d51ad39bp+37);
    b = __tern_fma(b, x, 0x1.4052e8c9829bap+33);
    b = __tern_fma(b, x, -0x1.42732d2b51e13p+28);
    b = __tern_fma(b, x, 0x1.db8526483bcbdp+20);
    b = __tern_fma(b, x, 0x1.aa201e582bc3bp+18);
    b = __tern_fma(b, x, -0x1.a762eb33fbd19p+14);
    b = __tern_fma(b, x, 0x1.cb0cd8e1e9df6p+9);
    double z = x * x;
    z = z * z;
    return __tern_fma(b, z * z, a);
}

#endif
