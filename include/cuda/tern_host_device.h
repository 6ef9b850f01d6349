/* What device code calls, seen from the host half. A __host__ __device__ function, or a default
 * argument, may name these without a host call ever reaching them, so that they must be declared;
 * what has a meaning on the host has it, the rest ends the program. */
#pragma once
#if defined(__cplusplus) && defined(__CUDACC__) && !defined(__TERN_DEVICE__)
#include <math.h>
#include <string.h>
#ifdef __TERN_HOST__
#include <exception> /* what throw, typeid and dynamic_cast are made of */
#endif

static const uint3 threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0};
static const dim3 blockDim(1, 1, 1), gridDim(1, 1, 1);
static const int warpSize = 32;

/* ---- bits and numbers ---- */
#ifdef __TERN_HOST__
#include "tern_host_builtins.h"
/* GNU's atomic functions. */
#define __TERN_SYNC(name, op, v)                                                                   \
    template <class T, class U> inline T __sync_fetch_and_##name(volatile T *p, U u)               \
    {                                                                                              \
        return __tern_atomic_##op((T *)p, v, 5, 2);                                                \
    }                                                                                              \
    template <class T, class U> inline T __atomic_fetch_##name(volatile T *p, U u, int)            \
    {                                                                                              \
        return __tern_atomic_##op((T *)p, v, 5, 2);                                                \
    }
__TERN_SYNC(add, add, (T)u)
__TERN_SYNC(sub, add, (T)-u)
__TERN_SYNC(and, and, (T)u)
__TERN_SYNC(or, or, (T)u)
__TERN_SYNC(xor, xor, (T)u)
#undef __TERN_SYNC
/* Pointers by bytes, whatever they point to. */
#define __TERN_SYNC_POINTER(name, v)                                                               \
    template <class T, class U> inline T *__sync_fetch_and_##name(T *volatile *p, U u)             \
    {                                                                                              \
        return (T *)__tern_atomic_add((unsigned long *)p, v, 5, 2);                                \
    }                                                                                              \
    template <class T, class U> inline T *__atomic_fetch_##name(T *volatile *p, U u, int)          \
    {                                                                                              \
        return (T *)__tern_atomic_add((unsigned long *)p, v, 5, 2);                                \
    }
__TERN_SYNC_POINTER(add, (unsigned long)u)
__TERN_SYNC_POINTER(sub, 0ul - (unsigned long)u)
#undef __TERN_SYNC_POINTER
template <class T, class U> inline T __sync_add_and_fetch(volatile T *p, U u)
{
    return __sync_fetch_and_add(p, u) + (T)u;
}
template <class T, class U> inline T __sync_sub_and_fetch(volatile T *p, U u)
{
    return __sync_fetch_and_sub(p, u) - (T)u;
}
template <class T, class U, class V>
inline T __sync_val_compare_and_swap(volatile T *p, U was, V is)
{
    return __tern_atomic_cas((T *)p, (T)was, (T)is, 5, 2);
}
template <class T, class U, class V>
inline bool __sync_bool_compare_and_swap(volatile T *p, U was, V is)
{
    return __sync_val_compare_and_swap(p, was, is) == (T)was;
}
template <class T, class U> inline T __sync_lock_test_and_set(volatile T *p, U u)
{
    return __tern_atomic_xchg((T *)p, (T)u, 5, 2);
}
template <class T> inline void __sync_lock_release(volatile T *p)
{
    __tern_atomic_store((T *)p, (T)0, 5, 2);
}
inline void __sync_synchronize()
{
    __tern_fence(5, 2);
}
/* Whatever order is asked for, the strongest is given. */
enum {
    __ATOMIC_RELAXED,
    __ATOMIC_CONSUME,
    __ATOMIC_ACQUIRE,
    __ATOMIC_RELEASE,
    __ATOMIC_ACQ_REL,
    __ATOMIC_SEQ_CST
};
inline void __atomic_thread_fence(int)
{
    __tern_fence(5, 2);
}
template <class T> inline T __atomic_load_n(const volatile T *p, int)
{
    return __tern_atomic_load((T *)p, 5, 2);
}
template <class T, class U> inline void __atomic_store_n(volatile T *p, U u, int)
{
    __tern_atomic_store((T *)p, (T)u, 5, 2);
}
template <class T, class U> inline T __atomic_exchange_n(volatile T *p, U u, int)
{
    return __tern_atomic_xchg((T *)p, (T)u, 5, 2);
}
template <class T, class U> inline T __atomic_add_fetch(volatile T *p, U u, int)
{
    return __sync_add_and_fetch(p, u);
}
template <class T, class U> inline T __atomic_sub_fetch(volatile T *p, U u, int)
{
    return __sync_sub_and_fetch(p, u);
}
template <class T, class U>
inline bool __atomic_compare_exchange_n(volatile T *p, T *was, U is, bool, int, int)
{
    const T found = __tern_atomic_cas((T *)p, *was, (T)is, 5, 2);
    const bool same = found == *was;
    if (!same)
        *was = found;
    return same;
}
/* Of any type with as many bytes as a word: its bits. */
template <int bytes> struct __tern_atomic_word;
template <> struct __tern_atomic_word<1> {
    typedef unsigned char type;
};
template <> struct __tern_atomic_word<2> {
    typedef unsigned short type;
};
template <> struct __tern_atomic_word<4> {
    typedef unsigned type;
};
template <> struct __tern_atomic_word<8> {
    typedef unsigned long type;
};
template <class T> inline void __atomic_load(const volatile T *p, T *to, int order)
{
    typedef typename __tern_atomic_word<sizeof(T)>::type word;
    const word w = __atomic_load_n((const volatile word *)p, order);
    __builtin_memcpy(to, &w, sizeof w);
}
template <class T> inline void __atomic_store(volatile T *p, const T *from, int order)
{
    typedef typename __tern_atomic_word<sizeof(T)>::type word;
    word w;
    __builtin_memcpy(&w, from, sizeof w);
    __atomic_store_n((volatile word *)p, w, order);
}
template <class T> inline void __atomic_exchange(volatile T *p, const T *from, T *to, int order)
{
    typedef typename __tern_atomic_word<sizeof(T)>::type word;
    word w;
    __builtin_memcpy(&w, from, sizeof w);
    w = __atomic_exchange_n((volatile word *)p, w, order);
    __builtin_memcpy(to, &w, sizeof w);
}
template <class T>
inline bool __atomic_compare_exchange(volatile T *p, T *was, const T *is, bool weak, int order,
                                      int failed)
{
    typedef typename __tern_atomic_word<sizeof(T)>::type word;
    word seen, next;
    __builtin_memcpy(&seen, was, sizeof seen);
    __builtin_memcpy(&next, is, sizeof next);
    const bool same =
        __atomic_compare_exchange_n((volatile word *)p, &seen, next, weak, order, failed);
    __builtin_memcpy(was, &seen, sizeof seen);
    return same;
}
#endif
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static inline unsigned __brev(unsigned x)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1u) << (31 - i);
    return r;
}
static inline unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    const unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned pick = s >> (4 * i) & 15u,
                       byte = (unsigned)(both >> (8 * (pick & 7u))) & 255u;
        r |= (pick & 8u ? (byte & 128u ? 255u : 0u) : byte) << (8 * i);
    }
    return r;
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) << (n & 31u) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31u));
}
static inline int __mul24(int x, int y)
{
    return (x << 8 >> 8) * (y << 8 >> 8);
}
static inline unsigned __umul24(unsigned x, unsigned y)
{
    return (x & 0xffffffu) * (y & 0xffffffu);
}
static inline int __mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
#ifdef __TERN_HOST__
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    const unsigned long long a = x >> 32, b = (unsigned)x, c = y >> 32, d = (unsigned)y, t = b * d,
                             u = a * d + (t >> 32), v = b * c + (unsigned)u;
    return a * c + (u >> 32) + (v >> 32);
}
static inline long long __mul64hi(long long x, long long y)
{
    return (long long)(__umul64hi((unsigned long long)x, (unsigned long long)y) -
                       (x < 0 ? (unsigned long long)y : 0) - (y < 0 ? (unsigned long long)x : 0));
}
#else
__extension__ static inline long long __mul64hi(long long x, long long y)
{
    return (long long)((__int128)x * y >> 64);
}
__extension__ static inline unsigned long long __umul64hi(unsigned long long x,
                                                          unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
#endif
static inline unsigned __sad(int x, int y, unsigned z)
{
    return (unsigned)(x > y ? x - y : y - x) + z;
}
static inline unsigned __usad(unsigned x, unsigned y, unsigned z)
{
    return (x > y ? x - y : y - x) + z;
}
#define __TERN_HOST_BITS(name, To, From)                                                           \
    static inline To name(From x)                                                                  \
    {                                                                                              \
        To r;                                                                                      \
        memcpy(&r, &x, sizeof r);                                                                  \
        return r;                                                                                  \
    }
__TERN_HOST_BITS(__float_as_int, int, float)
__TERN_HOST_BITS(__int_as_float, float, int)
__TERN_HOST_BITS(__float_as_uint, unsigned, float)
__TERN_HOST_BITS(__uint_as_float, float, unsigned)
__TERN_HOST_BITS(__double_as_longlong, long long, double)
__TERN_HOST_BITS(__longlong_as_double, double, long long)
#undef __TERN_HOST_BITS
static inline float __saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
static inline float __fdividef(float x, float y)
{
    return x / y;
}
static inline float __fadd_rn(float x, float y)
{
    return x + y;
}
static inline float __fsub_rn(float x, float y)
{
    return x - y;
}
static inline float __fmul_rn(float x, float y)
{
    return x * y;
}
static inline float __fmaf_rn(float x, float y, float z)
{
    return fmaf(x, y, z);
}
static inline float __fdiv_rn(float x, float y)
{
    return x / y;
}
static inline float __fsqrt_rn(float x)
{
    return sqrtf(x);
}
static inline float __frcp_rn(float x)
{
    return 1.0f / x;
}
static inline float __frsqrt_rn(float x)
{
    return (float)(1.0 / sqrt((double)x)); /* the nearest one, for every x */
}
static inline double __dadd_rn(double x, double y)
{
    return x + y;
}
static inline double __dmul_rn(double x, double y)
{
    return x * y;
}
static inline double __ddiv_rn(double x, double y)
{
    return x / y;
}
static inline double __fma_rn(double x, double y, double z)
{
    return fma(x, y, z);
}
/* The C library has declared these, but does not have them. */
extern "C" inline float __expf(float x) noexcept
{
    return expf(x);
}
extern "C" inline float __exp10f(float x) noexcept
{
    return powf(10.0f, x);
}
extern "C" inline float __logf(float x) noexcept
{
    return logf(x);
}
extern "C" inline float __log2f(float x) noexcept
{
    return log2f(x);
}
extern "C" inline float __log10f(float x) noexcept
{
    return log10f(x);
}
extern "C" inline float __sinf(float x) noexcept
{
    return sinf(x);
}
extern "C" inline float __cosf(float x) noexcept
{
    return cosf(x);
}
extern "C" inline float __tanf(float x) noexcept
{
    return tanf(x);
}
extern "C" inline float __powf(float x, float y) noexcept
{
    return powf(x, y);
}
extern "C" inline void __sincosf(float x, float *s, float *c) noexcept
{
    *s = sinf(x), *c = cosf(x);
}
static inline int __float2int_rn(float x)
{
    return (int)nearbyintf(x);
}
static inline int __float2int_rz(float x)
{
    return (int)x;
}
static inline int __float2int_ru(float x)
{
    return (int)ceilf(x);
}
static inline int __float2int_rd(float x)
{
    return (int)floorf(x);
}
static inline unsigned __float2uint_rn(float x)
{
    return (unsigned)nearbyintf(x);
}
static inline unsigned __float2uint_rz(float x)
{
    return (unsigned)x;
}
static inline float __int2float_rn(int x)
{
    return (float)x;
}
static inline float __uint2float_rn(unsigned x)
{
    return (float)x;
}
static inline int __double2int_rn(double x)
{
    return (int)nearbyint(x);
}
static inline int __double2int_rz(double x)
{
    return (int)x;
}
static inline float __double2float_rn(double x)
{
    return (float)x;
}
static inline double __int2double_rn(int x)
{
    return x;
}
static inline double __hiloint2double(int hi, int lo)
{
    return __longlong_as_double((long long)hi << 32 | (unsigned)lo);
}
static inline int __double2hiint(double x)
{
    return (int)(__double_as_longlong(x) >> 32);
}
static inline int __double2loint(double x)
{
    return (int)__double_as_longlong(x);
}
#include "tern_host_math.h"
static inline float rcbrtf(float x)
{
    return 1.0f / cbrtf(x);
}
static inline double rcbrt(double x)
{
    return 1.0 / cbrt(x);
}
static inline float normcdff(float x)
{
    return 0.5f * erfcf(-x * 0.70710678f);
}
static inline double normcdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}
template <class __tern_T> static inline __tern_T __ldg(const __tern_T *p)
{
    return *p;
}
template <class __tern_T> static inline __tern_T __ldcs(const __tern_T *p)
{
    return *p;
}
template <class __tern_T> static inline __tern_T __ldcg(const __tern_T *p)
{
    return *p;
}
template <class __tern_T> static inline __tern_T __ldca(const __tern_T *p)
{
    return *p;
}

/* ---- threads: nothing to wait for, nobody to exchange with ---- */
#define __TERN_HOST_NOT(type, name, params)                                                        \
    static inline type name params                                                                 \
    {                                                                                              \
        __builtin_trap();                                                                          \
    }
#ifndef __TERN_EDITOR__ /* clang's own */
__TERN_HOST_NOT(void, __syncthreads, ())
#endif
__TERN_HOST_NOT(int, __syncthreads_count, (int))
__TERN_HOST_NOT(void, __barrier_sync, (unsigned))
__TERN_HOST_NOT(void, __barrier_sync_count, (unsigned, unsigned))
__TERN_HOST_NOT(dim3, __clusterDim, ())
__TERN_HOST_NOT(dim3, __clusterRelativeBlockIdx, ())
__TERN_HOST_NOT(dim3, __clusterGridDimInClusters, ())
__TERN_HOST_NOT(dim3, __clusterIdx, ())
__TERN_HOST_NOT(unsigned, __clusterRelativeBlockRank, ())
__TERN_HOST_NOT(unsigned, __clusterSizeInBlocks, ())
__TERN_HOST_NOT(unsigned, __clusterDimIsSpecified, ())
__TERN_HOST_NOT(void, __cluster_barrier_arrive, ())
__TERN_HOST_NOT(void, __cluster_barrier_arrive_relaxed, ())
__TERN_HOST_NOT(void, __cluster_barrier_wait, ())
__TERN_HOST_NOT(void, __threadfence_cluster, ())
__TERN_HOST_NOT(unsigned, __cluster_query_shared_rank, (const void *))
__TERN_HOST_NOT(void *, __cluster_map_shared_rank, (const void *, unsigned))
__TERN_HOST_NOT(unsigned, __isCtaShared, (const void *))
__TERN_HOST_NOT(int, __syncthreads_and, (int))
__TERN_HOST_NOT(int, __syncthreads_or, (int))
__TERN_HOST_NOT(void, __syncwarp, (unsigned = ~0u))
__TERN_HOST_NOT(void, __threadfence, ())
__TERN_HOST_NOT(void, __threadfence_block, ())
__TERN_HOST_NOT(void, __threadfence_system, ())
__TERN_HOST_NOT(void, __trap, ())
__TERN_HOST_NOT(void, __brkpt, ())
__TERN_HOST_NOT(void, __nanosleep, (unsigned))
__TERN_HOST_NOT(long long, clock64, ())
__TERN_HOST_NOT(unsigned, __activemask, ())
__TERN_HOST_NOT(unsigned, __ballot_sync, (unsigned, int))
__TERN_HOST_NOT(int, __any_sync, (unsigned, int))
__TERN_HOST_NOT(int, __all_sync, (unsigned, int))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, __shfl_sync, (unsigned, __tern_T, int, int = 32))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, __shfl_up_sync, (unsigned, __tern_T, unsigned, int = 32))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, __shfl_down_sync, (unsigned, __tern_T, unsigned, int = 32))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, __shfl_xor_sync, (unsigned, __tern_T, int, int = 32))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicAdd, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicSub, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicExch, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicMin, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicMax, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicAnd, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicOr, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicXor, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicInc, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicDec, (__tern_T *, __tern_T))
template <class __tern_T>
__TERN_HOST_NOT(__tern_T, atomicCAS, (__tern_T *, __tern_T, __tern_T))
#undef __TERN_HOST_NOT
#endif
