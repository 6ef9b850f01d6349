/* Random numbers in kernels, in the shape of cuRAND's device API, on top of device/rand.
 *
 * Philox, XORWOW, MRG32k3a and MTGP32 give cuRAND's own streams; see device/libm/README.md. Sobol
 * generators take their direction numbers from the program, as in cuRAND. */
#pragma once
#define CURAND_KERNEL_H_
#include "cuda_runtime.h"
#include "curand.h"
#include "tern_curand_directions.h"

/* The second number of a Box-Muller pair waits in the state. The host only needs the sizes. */
struct curandStatePhilox4_32_10 {
    unsigned int counter[4], key[2], out[4], used;
    int has_float, has_double;
    float spare;
    double spare_double;
};
struct curandStateXORWOW {
    unsigned int v[5], d;
    int has_float, has_double;
    float spare;
    double spare_double;
};
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int has_float, has_double;
    float spare;
    double spare_double;
};
struct curandStateSobol32 {
    unsigned int i, x, direction[32];
};
struct curandStateScrambledSobol32 {
    unsigned int i, x, direction[32];
};
struct curandStateSobol64 {
    unsigned long long i, x, direction[64];
};
struct curandStateScrambledSobol64 {
    unsigned long long i, x, direction[64];
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

#ifdef __TERN_DEVICE__
/* A state is the generator's own, then the spare numbers: the generator works on its head. */
#define __TERN_CURAND(S, G)                                                                        \
    __TERN_FN void curand_init(unsigned long long seed, unsigned long long sequence,               \
                               unsigned long long offset, S *s)                                    \
    {                                                                                              \
        s->has_float = 0;                                                                          \
        s->has_double = 0;                                                                         \
        __tern_##G##_init((struct __tern_##G *)s, seed, sequence, offset);                         \
    }                                                                                              \
    __TERN_FN unsigned int curand(S *s)                                                            \
    {                                                                                              \
        return __tern_##G##_next((struct __tern_##G *)s);                                          \
    }                                                                                              \
    __TERN_FN void skipahead(unsigned long long n, S *s)                                           \
    {                                                                                              \
        __tern_##G##_skip((struct __tern_##G *)s, n);                                              \
    }                                                                                              \
    __TERN_FN float2 curand_normal2(S *s)                                                          \
    {                                                                                              \
        unsigned int a = curand(s), b = curand(s);                                                 \
        struct __tern_pairf n = __tern_rand_normal2f(a, b);                                        \
        return make_float2(n.x, n.y);                                                              \
    }                                                                                              \
    __TERN_FN double2 curand_normal2_double(S *s)                                                  \
    {                                                                                              \
        struct __tern_pair n = __tern_##G##_normal2((struct __tern_##G *)s);                       \
        return make_double2(n.x, n.y);                                                             \
    }                                                                                              \
    __TERN_FN float curand_normal(S *s)                                                            \
    {                                                                                              \
        if (s->has_float) {                                                                        \
            s->has_float = 0;                                                                      \
            return s->spare;                                                                       \
        }                                                                                          \
        float2 n = curand_normal2(s);                                                              \
        s->spare = n.y;                                                                            \
        s->has_float = 1;                                                                          \
        return n.x;                                                                                \
    }                                                                                              \
    __TERN_FN double curand_normal_double(S *s)                                                    \
    {                                                                                              \
        if (s->has_double) {                                                                       \
            s->has_double = 0;                                                                     \
            return s->spare_double;                                                                \
        }                                                                                          \
        double2 n = curand_normal2_double(s);                                                      \
        s->spare_double = n.y;                                                                     \
        s->has_double = 1;                                                                         \
        return n.x;                                                                                \
    }                                                                                              \
    __TERN_FN float curand_log_normal(S *s, float mean, float deviation)                           \
    {                                                                                              \
        return __tern_rand_log_normalf(curand_normal(s), mean, deviation);                         \
    }                                                                                              \
    __TERN_FN double curand_log_normal_double(S *s, double mean, double deviation)                 \
    {                                                                                              \
        return __tern_rand_log_normal(curand_normal_double(s), mean, deviation);                   \
    }                                                                                              \
    __TERN_FN float2 curand_log_normal2(S *s, float mean, float deviation)                         \
    {                                                                                              \
        float2 n = curand_normal2(s);                                                              \
        return make_float2(__tern_rand_log_normalf(n.x, mean, deviation),                          \
                           __tern_rand_log_normalf(n.y, mean, deviation));                         \
    }                                                                                              \
    __TERN_FN double2 curand_log_normal2_double(S *s, double mean, double deviation)               \
    {                                                                                              \
        double2 n = curand_normal2_double(s);                                                      \
        return make_double2(__tern_rand_log_normal(n.x, mean, deviation),                          \
                            __tern_rand_log_normal(n.y, mean, deviation));                         \
    }                                                                                              \
    __TERN_FN unsigned int curand_poisson(S *s, double mean)                                       \
    {                                                                                              \
        return __tern_##G##_poisson((struct __tern_##G *)s, mean);                                 \
    }
__TERN_CURAND(curandStatePhilox4_32_10_t, philox)
__TERN_CURAND(curandStateXORWOW_t, xorwow)
__TERN_CURAND(curandStateMRG32k3a_t, mrg)
#undef __TERN_CURAND
__TERN_FN float curand_uniform(curandStatePhilox4_32_10_t *s)
{
    return __tern_rand_uniformf(curand(s));
}
__TERN_FN float curand_uniform(curandStateXORWOW_t *s)
{
    return __tern_rand_uniformf(curand(s));
}
__TERN_FN float curand_uniform(curandStateMRG32k3a_t *s)
{
    return __tern_rand_mrg_uniformf((struct __tern_mrg *)s);
}
/* Philox spends one word on a double, XORWOW two, as cuRAND's do. */
__TERN_FN double curand_uniform_double(curandStatePhilox4_32_10_t *s)
{
    return __tern_rand_uniform32(curand(s));
}
__TERN_FN double curand_uniform_double(curandStateXORWOW_t *s)
{
    unsigned int a = curand(s), b = curand(s);
    return __tern_rand_uniform(a, b);
}
__TERN_FN double curand_uniform_double(curandStateMRG32k3a_t *s)
{
    return __tern_rand_mrg_uniform((struct __tern_mrg *)s);
}
__TERN_FN void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *s)
{
    __tern_xorwow_skip_sequence((struct __tern_xorwow *)s, n);
}
__TERN_FN void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *s)
{
    __tern_mrg_skip_subsequence((struct __tern_mrg *)s, n);
}
__TERN_FN void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *s)
{
    __tern_mrg_skip_sequence((struct __tern_mrg *)s, n);
}
/* Philox's sequences are the upper half of the counter. */
__TERN_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    __tern_philox_skip_sequence((struct __tern_philox *)s, n);
}
__TERN_FN uint4 curand4(curandStatePhilox4_32_10_t *s)
{
    unsigned int a = curand(s), b = curand(s), c = curand(s), d = curand(s);
    return make_uint4(a, b, c, d);
}
__TERN_FN float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    uint4 r = curand4(s);
    return make_float4(__tern_rand_uniformf(r.x), __tern_rand_uniformf(r.y),
                       __tern_rand_uniformf(r.z), __tern_rand_uniformf(r.w));
}
__TERN_FN double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    uint4 r = curand4(s);
    return make_double2(__tern_rand_uniform(r.x, r.y), __tern_rand_uniform(r.z, r.w));
}
__TERN_FN double4 curand_uniform4_double(curandStatePhilox4_32_10_t *s)
{
    uint4 a = curand4(s), b = curand4(s);
    return make_double4(__tern_rand_uniform(a.x, a.y), __tern_rand_uniform(a.z, a.w),
                        __tern_rand_uniform(b.x, b.y), __tern_rand_uniform(b.z, b.w));
}
__TERN_FN double4 curand_normal4_double(curandStatePhilox4_32_10_t *s)
{
    uint4 a = curand4(s), b = curand4(s);
    struct __tern_pair m = __tern_rand_normal2(a.x, a.y, a.z, a.w),
                       n = __tern_rand_normal2(b.x, b.y, b.z, b.w);
    return make_double4(m.x, m.y, n.x, n.y);
}
__TERN_FN double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *s, double mean,
                                            double deviation)
{
    double4 n = curand_normal4_double(s);
    return make_double4(
        __tern_rand_log_normal(n.x, mean, deviation), __tern_rand_log_normal(n.y, mean, deviation),
        __tern_rand_log_normal(n.z, mean, deviation), __tern_rand_log_normal(n.w, mean, deviation));
}
__TERN_FN float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
    uint4 r = curand4(s);
    struct __tern_pairf a = __tern_rand_normal2f(r.x, r.y), b = __tern_rand_normal2f(r.z, r.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
__TERN_FN float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float deviation)
{
    float4 n = curand_normal4(s);
    return make_float4(__tern_rand_log_normalf(n.x, mean, deviation),
                       __tern_rand_log_normalf(n.y, mean, deviation),
                       __tern_rand_log_normalf(n.z, mean, deviation),
                       __tern_rand_log_normalf(n.w, mean, deviation));
}
__TERN_FN uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double mean)
{
    unsigned int a = curand_poisson(s, mean), b = curand_poisson(s, mean),
                 c = curand_poisson(s, mean), d = curand_poisson(s, mean);
    return make_uint4(a, b, c, d);
}

/* Quasi-random: one number of the sequence after the other; distributions by inversion. */
#define __TERN_CURAND_SOBOL(S, W, U, TOP)                                                          \
    __TERN_FN void skipahead(U n, S *s)                                                            \
    {                                                                                              \
        U from = s->i ^ s->i >> 1, to = (s->i + n) ^ (s->i + n) >> 1, change = from ^ to;          \
        for (int k = 0; k <= TOP; k++)                                                             \
            s->x ^= (change >> k & 1u) != 0u ? s->direction[k] : 0u;                               \
        s->i += n;                                                                                 \
    }                                                                                              \
    __TERN_FN U curand(S *s)                                                                       \
    {                                                                                              \
        U r = s->x, low = ~s->i & (s->i + 1u);                                                     \
        s->x ^= s->direction[low == 0u ? TOP : TOP - (int)__tern_op_clz(low)];                     \
        s->i++;                                                                                    \
        return r;                                                                                  \
    }                                                                                              \
    __TERN_FN float curand_uniform(S *s)                                                           \
    {                                                                                              \
        return __tern_rand_uniformf((unsigned int)(curand(s) >> (TOP - 31)));                      \
    }                                                                                              \
    __TERN_FN double curand_uniform_double(S *s)                                                   \
    {                                                                                              \
        U r = curand(s);                                                                           \
        return TOP == 31 ? (double)(unsigned int)r * 0x1p-32 + 0x1p-32                             \
                         : (double)(r >> (TOP - 31 > 11 ? 11 : 0)) * 0x1p-53 + 0x1p-54;            \
    }                                                                                              \
    __TERN_FN float curand_normal(S *s)                                                            \
    {                                                                                              \
        return __tern_normcdfinvf(curand_uniform(s));                                              \
    }                                                                                              \
    __TERN_FN double curand_normal_double(S *s)                                                    \
    {                                                                                              \
        return __tern_normcdfinv(curand_uniform_double(s) - (TOP == 31 ? 0x1p-33 : 0.0));          \
    }                                                                                              \
    __TERN_FN float curand_log_normal(S *s, float mean, float deviation)                           \
    {                                                                                              \
        return __tern_rand_log_normalf(curand_normal(s), mean, deviation);                         \
    }                                                                                              \
    __TERN_FN double curand_log_normal_double(S *s, double mean, double deviation)                 \
    {                                                                                              \
        return __tern_rand_log_normal(curand_normal_double(s), mean, deviation);                   \
    }
__TERN_CURAND_SOBOL(curandStateSobol32_t, 32, unsigned int, 31)
__TERN_CURAND_SOBOL(curandStateScrambledSobol32_t, 32, unsigned int, 31)
__TERN_CURAND_SOBOL(curandStateSobol64_t, 64, unsigned long long, 63)
__TERN_CURAND_SOBOL(curandStateScrambledSobol64_t, 64, unsigned long long, 63)
#undef __TERN_CURAND_SOBOL
#define __TERN_CURAND_SOBOL_INIT(S, U, n)                                                          \
    __TERN_FN void curand_init(U *direction, U offset, S *s)                                       \
    {                                                                                              \
        for (int k = 0; k < n; k++)                                                                \
            s->direction[k] = direction[k];                                                        \
        s->i = 0;                                                                                  \
        s->x = 0;                                                                                  \
        skipahead(offset, s);                                                                      \
    }
#define __TERN_CURAND_SCRAMBLED_INIT(S, U, n)                                                      \
    __TERN_FN void curand_init(U *direction, U scramble, U offset, S *s)                           \
    {                                                                                              \
        for (int k = 0; k < n; k++)                                                                \
            s->direction[k] = direction[k];                                                        \
        s->i = 0;                                                                                  \
        s->x = scramble;                                                                           \
        skipahead(offset, s);                                                                      \
    }
__TERN_CURAND_SOBOL_INIT(curandStateSobol32_t, unsigned int, 32)
__TERN_CURAND_SOBOL_INIT(curandStateSobol64_t, unsigned long long, 64)
__TERN_CURAND_SCRAMBLED_INIT(curandStateScrambledSobol32_t, unsigned int, 32)
__TERN_CURAND_SCRAMBLED_INIT(curandStateScrambledSobol64_t, unsigned long long, 64)
#undef __TERN_CURAND_SOBOL_INIT
#undef __TERN_CURAND_SCRAMBLED_INIT
#elif defined __cplusplus
/* For functions of both sides that name them: nothing but kernels may come by. */
#include <stdio.h>
#include <stdlib.h>
#define __TERN_KERNELS_ONLY(type, name)                                                            \
    template <class... A> __device__ inline type name(A &&...)                                     \
    {                                                                                              \
        fprintf(stderr, #name ": called by host code, but only kernels have it\n");                \
        abort();                                                                                   \
    }
__TERN_KERNELS_ONLY(void, curand_init)
__TERN_KERNELS_ONLY(void, skipahead)
__TERN_KERNELS_ONLY(unsigned int, curand)
__TERN_KERNELS_ONLY(uint4, curand4)
__TERN_KERNELS_ONLY(unsigned int, curand_poisson)
__TERN_KERNELS_ONLY(uint4, curand_poisson4)
__TERN_KERNELS_ONLY(float, curand_uniform)
__TERN_KERNELS_ONLY(float4, curand_uniform4)
__TERN_KERNELS_ONLY(double, curand_uniform_double)
__TERN_KERNELS_ONLY(double2, curand_uniform2_double)
__TERN_KERNELS_ONLY(float, curand_normal)
__TERN_KERNELS_ONLY(float2, curand_normal2)
__TERN_KERNELS_ONLY(float4, curand_normal4)
__TERN_KERNELS_ONLY(double, curand_normal_double)
__TERN_KERNELS_ONLY(double2, curand_normal2_double)
__TERN_KERNELS_ONLY(float, curand_log_normal)
__TERN_KERNELS_ONLY(float2, curand_log_normal2)
__TERN_KERNELS_ONLY(float4, curand_log_normal4)
__TERN_KERNELS_ONLY(double, curand_log_normal_double)
__TERN_KERNELS_ONLY(double2, curand_log_normal2_double)
#undef __TERN_KERNELS_ONLY
#endif
#include "curand_mtgp32_kernel.h"
