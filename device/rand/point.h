/* What a quasi-random word is made into: for kernels and for the host side. Distributions by inversion. */
#ifndef TERN_DEVICE_POINT_H
#define TERN_DEVICE_POINT_H
#include "what.h"

/* The least k to which Poisson's distribution reaches u. Weights are counted from that of the mean, so that none is too large or too
 * small for a double; what is less than 1e-20 of it is left out. */
__TERN_FN __tern_u32 __tern_poisson_quantile(double u, double mean)
{
    const __tern_u32 middle = (__tern_u32)mean;
    __tern_u32 k = middle;
    double weight = 1, sum = 1, least = 1;
    for (; k > 0 && weight > 1e-20; k--) {
        weight *= (double)k / mean;
        sum += weight;
        least = weight;
    }
    weight = 1;
    for (__tern_u32 up = middle + 1u; weight > 1e-20; up++) {
        weight *= mean / (double)up;
        sum += weight;
    }
    const double goal = u * sum;
    double reached = least;
    for (weight = least; reached < goal && weight > 0; k++) {
        weight *= mean / ((double)k + 1);
        reached += weight;
        if (k > middle && weight <= 1e-20)
            break; /* rounding alone is left */
    }
    return k;
}

#define __TERN_SOBOL_PUT(NAME, U, UNIFORMF, UNIFORM, INNER)                                                                          \
    __TERN_FN void NAME(U x, int what, void *out, unsigned long long at, double a, double b)                                         \
    {                                                                                                                                \
        switch (what) {                                                                                                              \
        case RAND_WORDS: ((__tern_u32 *)out)[at] = (__tern_u32)x; break;                                                             \
        case RAND_LONGS: ((__tern_u64 *)out)[at] = x; break;                                                                         \
        case RAND_UNIFORM: ((float *)out)[at] = UNIFORMF; break;                                                                     \
        case RAND_UNIFORM_DOUBLE: ((double *)out)[at] = UNIFORM; break;                                                              \
        case RAND_NORMAL: ((float *)out)[at] = (float)b * __tern_normcdfinvf(UNIFORMF) + (float)a; break;                            \
        case RAND_NORMAL_DOUBLE: ((double *)out)[at] = b * __tern_normcdfinv(INNER) + a; break;                                      \
        case RAND_LOG_NORMAL: ((float *)out)[at] = __tern_expf((float)b * __tern_normcdfinvf(UNIFORMF) + (float)a); break;           \
        case RAND_POISSON: ((__tern_u32 *)out)[at] = __tern_poisson_quantile(INNER, a); break;                                       \
        default: ((double *)out)[at] = __tern_exp(b * __tern_normcdfinv(INNER) + a); break;                                          \
        }                                                                                                                            \
    }
/* A double of 32 bits is never 0 and may be 1; normal ones are made of what lies between. */
__TERN_SOBOL_PUT(__tern_sobol32_put, __tern_u32, __tern_rand_uniformf(x), (double)x * 0x1p-32 + 0x1p-32, __tern_rand_uniform32(x))
__TERN_SOBOL_PUT(__tern_sobol64_put, __tern_u64, __tern_rand_uniformf((__tern_u32)(x >> 32)), (double)(x >> 11) * 0x1p-53 + 0x1p-54,
                 (double)(x >> 11) * 0x1p-53 + 0x1p-54)
#undef __TERN_SOBOL_PUT
#endif
