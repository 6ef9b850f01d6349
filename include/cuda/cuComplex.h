/* Complex numbers by CUDA's C names. */
#pragma once
#define CU_COMPLEX_H_
#include "cuda_runtime.h"
typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

#define __TERN_COMPLEX(C, T, make, re, im, conj, add, sub, mul, div, fma, abs, hyp)                \
    __TERN_HD T re(C z) { return z.x; }                                                            \
    __TERN_HD T im(C z) { return z.y; }                                                            \
    __TERN_HD C make(T x, T y) { C z; z.x = x; z.y = y; return z; }                                \
    __TERN_HD C conj(C z) { return make(z.x, -z.y); }                                              \
    __TERN_HD C add(C a, C b) { return make(a.x + b.x, a.y + b.y); }                               \
    __TERN_HD C sub(C a, C b) { return make(a.x - b.x, a.y - b.y); }                               \
    __TERN_HD C mul(C a, C b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }       \
    __TERN_HD C fma(C a, C b, C c) { return make(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y); } \
    __TERN_HD C div(C a, C b)                                                                      \
    {                                                                                              \
        T s = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y), o = (T)1 / s;                       \
        T ar = a.x * o, ai = a.y * o, br = b.x * o, bi = b.y * o;                                  \
        s = (T)1 / (br * br + bi * bi);                                                            \
        return make((ar * br + ai * bi) * s, (ai * br - ar * bi) * s);                             \
    }                                                                                              \
    __TERN_HD T abs(C z) { return hyp(z.x, z.y); }
__TERN_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf, cuCmulf, cuCdivf, cuCfmaf, cuCabsf, hypotf)
__TERN_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv, cuCfma, cuCabs, hypot)
#undef __TERN_COMPLEX
__TERN_HD cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
__TERN_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
__TERN_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }
