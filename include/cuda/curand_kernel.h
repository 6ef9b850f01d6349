/* Random numbers in device code: cuRAND's device interface on top of device/rand.
 *
 * XORWOW, Philox 4x32-10 and MRG32k3a give cuRAND's streams for the same seed, sequence and offset;
 * Sobol sequences run over the caller's direction vectors. */
#pragma once
#include "cuda_runtime.h"

/* A generator's words, and the second number of a Box-Muller pair until it is asked for. */
#define __TERN_RAND_STATE(name, words)                                                             \
    struct name {                                                                                  \
        unsigned int __bits[words];                                                                \
        int __has_normal, __has_normal_double;                                                     \
        float __normal;                                                                            \
        double __normal_double;                                                                    \
    };                                                                                             \
    typedef struct name name##_t;
__TERN_RAND_STATE(curandStateXORWOW, 6)
__TERN_RAND_STATE(curandStatePhilox4_32_10, 11)
__TERN_RAND_STATE(curandStateMRG32k3a, 6)
#undef __TERN_RAND_STATE
typedef struct curandStateXORWOW curandState;
typedef struct curandStateXORWOW curandState_t;

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
struct curandStateSobol32 {
    const unsigned int *__direction;
    unsigned int __i, __x;
};
struct curandStateSobol64 {
    const unsigned long long *__direction;
    unsigned long long __i, __x;
};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateScrambledSobol64_t;

#ifdef __TERN_DEVICE__
#define __TERN_RAND(S, g)                                                                          \
    __TERN_FN struct __tern_##g *__tern_bits(S *s) { return (struct __tern_##g *)s->__bits; }      \
    __TERN_FN void curand_init(unsigned long long seed, unsigned long long sequence,               \
                               unsigned long long offset, S *s)                                    \
    {                                                                                              \
        __tern_##g##_init(__tern_bits(s), seed, sequence, offset);                                 \
        s->__has_normal = s->__has_normal_double = 0;                                              \
    }                                                                                              \
    __TERN_FN unsigned int curand(S *s) { return __tern_##g##_next(__tern_bits(s)); }              \
    __TERN_FN void skipahead(unsigned long long n, S *s)                                           \
    {                                                                                              \
        __tern_##g##_skip(__tern_bits(s), n);                                                      \
        s->__has_normal = s->__has_normal_double = 0;                                              \
    }                                                                                              \
    __TERN_FN float curand_uniform(S *s) { return __tern_rand_uniformf(curand(s)); }               \
    __TERN_FN double curand_uniform_double(S *s)                                                   \
    {                                                                                              \
        unsigned int a = curand(s), b = curand(s);                                                 \
        return __tern_rand_uniform(a, b);                                                          \
    }                                                                                              \
    __TERN_FN float2 curand_normal2(S *s)                                                          \
    {                                                                                              \
        unsigned int a = curand(s), b = curand(s);                                                 \
        struct __tern_pairf p = __tern_rand_normal2f(a, b);                                        \
        return make_float2(p.x, p.y);                                                              \
    }                                                                                              \
    __TERN_FN double2 curand_normal2_double(S *s)                                                  \
    {                                                                                              \
        unsigned int a = curand(s), b = curand(s), c = curand(s), d = curand(s);                   \
        struct __tern_pair p = __tern_rand_normal2(a, b, c, d);                                    \
        return make_double2(p.x, p.y);                                                             \
    }                                                                                              \
    __TERN_FN float curand_normal(S *s)                                                            \
    {                                                                                              \
        if (s->__has_normal) {                                                                     \
            s->__has_normal = 0;                                                                   \
            return s->__normal;                                                                    \
        }                                                                                          \
        float2 p = curand_normal2(s);                                                              \
        s->__has_normal = 1;                                                                       \
        s->__normal = p.y;                                                                         \
        return p.x;                                                                                \
    }                                                                                              \
    __TERN_FN double curand_normal_double(S *s)                                                    \
    {                                                                                              \
        if (s->__has_normal_double) {                                                              \
            s->__has_normal_double = 0;                                                            \
            return s->__normal_double;                                                             \
        }                                                                                          \
        double2 p = curand_normal2_double(s);                                                      \
        s->__has_normal_double = 1;                                                                \
        s->__normal_double = p.y;                                                                  \
        return p.x;                                                                                \
    }                                                                                              \
    __TERN_FN float curand_log_normal(S *s, float mean, float deviation)                           \
    { return __tern_rand_log_normalf(curand_normal(s), mean, deviation); }                         \
    __TERN_FN double curand_log_normal_double(S *s, double mean, double deviation)                 \
    { return __tern_rand_log_normal(curand_normal_double(s), mean, deviation); }                   \
    __TERN_FN float2 curand_log_normal2(S *s, float mean, float deviation)                         \
    {                                                                                              \
        float2 p = curand_normal2(s);                                                              \
        return make_float2(__tern_rand_log_normalf(p.x, mean, deviation),                          \
                           __tern_rand_log_normalf(p.y, mean, deviation));                         \
    }                                                                                              \
    __TERN_FN unsigned int curand_poisson(S *s, double mean)                                       \
    { return __tern_##g##_poisson(__tern_bits(s), mean); }
__TERN_RAND(curandStateXORWOW, xorwow)
__TERN_RAND(curandStatePhilox4_32_10, philox)
__TERN_RAND(curandStateMRG32k3a, mrg)
#undef __TERN_RAND
__TERN_FN void skipahead_sequence(unsigned long long n, curandStateXORWOW *s) { __tern_xorwow_skip_sequence(__tern_bits(s), n); }
__TERN_FN void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s) { __tern_mrg_skip_sequence(__tern_bits(s), n); }

/* Philox makes four at a time. */
__TERN_FN uint4 curand4(curandStatePhilox4_32_10 *s)
{
    unsigned int r[4];
    __tern_philox_next4(__tern_bits(s), r);
    return make_uint4(r[0], r[1], r[2], r[3]);
}
__TERN_FN float4 curand_uniform4(curandStatePhilox4_32_10 *s)
{
    uint4 r = curand4(s);
    return make_float4(__tern_rand_uniformf(r.x), __tern_rand_uniformf(r.y), __tern_rand_uniformf(r.z), __tern_rand_uniformf(r.w));
}
__TERN_FN double2 curand_uniform2_double(curandStatePhilox4_32_10 *s)
{
    uint4 r = curand4(s);
    return make_double2(__tern_rand_uniform(r.x, r.y), __tern_rand_uniform(r.z, r.w));
}
__TERN_FN float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
    uint4 r = curand4(s);
    struct __tern_pairf a = __tern_rand_normal2f(r.x, r.y), b = __tern_rand_normal2f(r.z, r.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

/* Quasi-random sequences. */
__TERN_FN void curand_init(const unsigned int *direction, unsigned int offset, curandStateSobol32 *s)
{
    __tern_sobol32_init((struct __tern_sobol32 *)s, direction, 0u, offset);
}
__TERN_FN void curand_init(const unsigned int *direction, unsigned int scramble, unsigned int offset, curandStateSobol32 *s)
{
    __tern_sobol32_init((struct __tern_sobol32 *)s, direction, scramble, offset);
}
__TERN_FN void curand_init(const unsigned long long *direction, unsigned long long offset, curandStateSobol64 *s)
{
    __tern_sobol64_init((struct __tern_sobol64 *)s, direction, 0ull, offset);
}
__TERN_FN void curand_init(const unsigned long long *direction, unsigned long long scramble, unsigned long long offset, curandStateSobol64 *s)
{
    __tern_sobol64_init((struct __tern_sobol64 *)s, direction, scramble, offset);
}
__TERN_FN unsigned int curand(curandStateSobol32 *s) { return __tern_sobol32_next((struct __tern_sobol32 *)s); }
__TERN_FN unsigned long long curand(curandStateSobol64 *s) { return __tern_sobol64_next((struct __tern_sobol64 *)s); }
__TERN_FN float curand_uniform(curandStateSobol32 *s) { return __tern_rand_uniformf(curand(s)); }
__TERN_FN float curand_uniform(curandStateSobol64 *s) { return __tern_rand_uniformf((unsigned int)(curand(s) >> 32)); }
__TERN_FN double curand_uniform_double(curandStateSobol32 *s) { return __tern_rand_uniform32(curand(s)); }
#endif
