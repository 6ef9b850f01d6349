/* Intrinsics: integers, rounded arithmetic, conversions, warps, memory, time.
 *
 * Each is one or a few operations of the IR; __tern_op_… and the other builtins are described in
 * src/front/cuda/lower/builtin.def. */
#pragma once
#define __DEVICE_FUNCTIONS_H__
#include "host_defines.h"
#ifdef __TERN_DEVICE__
#include "device_launch_parameters.h"

/* ---- bits and integers ---- */
__TERN_FN int __clz(int x) { return (int)__tern_op_clz((unsigned)x); }
__TERN_FN int __clzll(long long x) { return (int)__tern_op_clz((unsigned long long)x); }
__TERN_FN int __popc(unsigned x) { return (int)__tern_op_popc(x); }
__TERN_FN int __popcll(unsigned long long x) { return (int)__tern_op_popc(x); }
__TERN_FN unsigned short __nv_bswap16(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
__TERN_FN unsigned __nv_bswap32(unsigned x) { return __tern_op_prmt(x, 0u, 0x0123u); }
__TERN_FN unsigned long long __nv_bswap64(unsigned long long x)
{
    return (unsigned long long)__nv_bswap32((unsigned)x) << 32 | __nv_bswap32((unsigned)(x >> 32));
}
__TERN_FN unsigned __brev(unsigned x) { return __tern_op_brev(x); }
__TERN_FN unsigned long long __brevll(unsigned long long x) { return __tern_op_brev(x); }
__TERN_FN int __ffs(int x) { return 32 - (int)__tern_op_clz((unsigned)(x & -x)); }
__TERN_FN int __ffsll(long long x) { return 64 - (int)__tern_op_clz((unsigned long long)(x & -x)); }
__TERN_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned s) { return __tern_op_prmt(x, y, s & 0x7777u); }
__TERN_FN int __mulhi(int x, int y) { return __tern_op_smulhi(x, y); }
__TERN_FN unsigned __umulhi(unsigned x, unsigned y) { return __tern_op_umulhi(x, y); }
__TERN_FN long long __mul64hi(long long x, long long y) { return __tern_op_smulhi(x, y); }
__TERN_FN unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return __tern_op_umulhi(x, y); }
__TERN_FN int mulhi(int x, int y) { return __tern_op_smulhi(x, y); }
__TERN_FN unsigned mulhi(unsigned x, unsigned y) { return __tern_op_umulhi(x, y); }
__TERN_FN long long mul64hi(long long x, long long y) { return __tern_op_smulhi(x, y); }
__TERN_FN int __mul24(int x, int y) { return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)); }
__TERN_FN unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
__TERN_FN int mul24(int x, int y) { return __mul24(x, y); }
__TERN_FN unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }
__TERN_FN unsigned __sad(int x, int y, unsigned z) { return z + (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x); }
__TERN_FN unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
__TERN_FN int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
__TERN_FN int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
__TERN_FN unsigned __uhadd(unsigned x, unsigned y) { return (x & y) + ((x ^ y) >> 1); }
__TERN_FN unsigned __urhadd(unsigned x, unsigned y) { return (x | y) - ((x ^ y) >> 1); }
__TERN_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return __tern_op_fshl(hi, lo, n); }
__TERN_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return __tern_op_fshr(hi, lo, n); }
__TERN_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? lo : __tern_op_fshl(hi, lo, n); }
__TERN_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? hi : __tern_op_fshr(hi, lo, n); }
__TERN_FN int __dp4a(int a, int b, int c) { return __tern_op_dp4a(a, b, c); }
__TERN_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return __tern_op_udp4a(a, b, c); }
__TERN_FN int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__TERN_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__TERN_FN int __dp2a_lo(int a, int b, int c) { return c + (short)a * (signed char)b + (a >> 16) * (signed char)(b >> 8); }
__TERN_FN int __dp2a_hi(int a, int b, int c) { return c + (short)a * (signed char)(b >> 16) + (a >> 16) * (b >> 24); }
__TERN_FN unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) { return c + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu); }
__TERN_FN unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return c + (a & 0xffffu) * (b >> 16 & 0xffu) + (a >> 16) * (b >> 24); }
__TERN_FN unsigned __bfe(unsigned x, unsigned at, unsigned n) { return n >= 32 ? x >> at : x >> at & ((1u << n) - 1u); }
/* The n-th set bit of mask, counted from base: upwards if offset > 0, downwards if < 0; -1 if none. */
__TERN_FN unsigned __fns(unsigned mask, unsigned base, int offset)
{
    if (offset == 0)
        return mask >> base & 1u ? base : 0xffffffffu;
    int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1u) && --left == 0)
            return (unsigned)i;
    return 0xffffffffu;
}

/* ---- arithmetic with a rounding mode ---- */
#define __TERN_ROUNDED(m)                                                                          \
    __TERN_FN float __fadd_##m(float x, float y) { return __tern_op_fadd_##m(x, y); }              \
    __TERN_FN float __fsub_##m(float x, float y) { return __tern_op_fsub_##m(x, y); }              \
    __TERN_FN float __fmul_##m(float x, float y) { return __tern_op_fmul_##m(x, y); }              \
    __TERN_FN float __fdiv_##m(float x, float y) { return __tern_op_fdiv_##m(x, y); }              \
    __TERN_FN float __fmaf_##m(float x, float y, float z) { return __tern_op_fma_##m(x, y, z); }   \
    __TERN_FN float __fmaf_ieee_##m(float x, float y, float z) { return __tern_op_fma_##m(x, y, z); } \
    __TERN_FN float __frcp_##m(float x) { return __tern_op_fdiv_##m(1.0f, x); }                    \
    __TERN_FN float __fsqrt_##m(float x) { return __tern_op_fsqrt_##m(x); }                        \
    __TERN_FN double __dadd_##m(double x, double y) { return __tern_op_fadd_##m(x, y); }           \
    __TERN_FN double __dsub_##m(double x, double y) { return __tern_op_fsub_##m(x, y); }           \
    __TERN_FN double __dmul_##m(double x, double y) { return __tern_op_fmul_##m(x, y); }           \
    __TERN_FN double __ddiv_##m(double x, double y) { return __tern_op_fdiv_##m(x, y); }           \
    __TERN_FN double __fma_##m(double x, double y, double z) { return __tern_op_fma_##m(x, y, z); } \
    __TERN_FN double __drcp_##m(double x) { return __tern_op_fdiv_##m(1.0, x); }                   \
    __TERN_FN double __dsqrt_##m(double x) { return __tern_op_fsqrt_##m(x); }                      \
    __TERN_FN int __float2int_##m(float x) { return __tern_op_ftosi_##m<int>(x); }                 \
    __TERN_FN unsigned __float2uint_##m(float x) { return __tern_op_ftoui_##m<unsigned>(x); }      \
    __TERN_FN long long __float2ll_##m(float x) { return __tern_op_ftosi_##m<long long>(x); }      \
    __TERN_FN unsigned long long __float2ull_##m(float x) { return __tern_op_ftoui_##m<unsigned long long>(x); } \
    __TERN_FN int __double2int_##m(double x) { return __tern_op_ftosi_##m<int>(x); }               \
    __TERN_FN unsigned __double2uint_##m(double x) { return __tern_op_ftoui_##m<unsigned>(x); }    \
    __TERN_FN long long __double2ll_##m(double x) { return __tern_op_ftosi_##m<long long>(x); }    \
    __TERN_FN unsigned long long __double2ull_##m(double x) { return __tern_op_ftoui_##m<unsigned long long>(x); } \
    __TERN_FN float __double2float_##m(double x) { return __tern_op_fcvt_##m<float>(x); }          \
    __TERN_FN float __int2float_##m(int x) { return __tern_op_sitof_##m<float>(x); }               \
    __TERN_FN float __uint2float_##m(unsigned x) { return __tern_op_uitof_##m<float>(x); }         \
    __TERN_FN float __ll2float_##m(long long x) { return __tern_op_sitof_##m<float>(x); }          \
    __TERN_FN float __ull2float_##m(unsigned long long x) { return __tern_op_uitof_##m<float>(x); } \
    __TERN_FN double __ll2double_##m(long long x) { return __tern_op_sitof_##m<double>(x); }       \
    __TERN_FN double __ull2double_##m(unsigned long long x) { return __tern_op_uitof_##m<double>(x); }
__TERN_ROUNDED(rn)
__TERN_ROUNDED(rz)
__TERN_ROUNDED(ru)
__TERN_ROUNDED(rd)
#undef __TERN_ROUNDED
/* Two steps from any number within 3 ulp give the nearest one for every x (tried for all of two binades, which is all there are). */
__TERN_FN float __tern_rsqrt_step(float x, float y)
{
    float h = __fmul_rn(x, y), d = __fmaf_rn(__fmaf_rn(x, y, -h), y, __fmaf_rn(h, y, -1.0f));
    return __fmaf_rn(y, __fmaf_rn(d, __fmul_rn(0.375f, d), __fmul_rn(-0.5f, d)), y);
}
__TERN_FN float __frsqrt_rn(float x)
{
    if (!(x > 0.0f && x < __tern_op_bitcast<float>(0x7f800000u)))
        return 1.0f / __fsqrt_rn(x);
    bool tiny = x < 0x1p-100f; /* keeps the remainders from underflowing */
    float s = tiny ? x * 0x1p100f : x, r = __tern_op_frsqrt_fast(s);
    r = __tern_rsqrt_step(s, __tern_rsqrt_step(s, r));
    return tiny ? r * 0x1p50f : r;
}
__TERN_FN double __int2double_rn(int x) { return x; }
__TERN_FN double __uint2double_rn(unsigned x) { return x; }

/* ---- the same bits ---- */
__TERN_FN int __float_as_int(float x) { return __tern_op_bitcast<int>(x); }
__TERN_FN unsigned __float_as_uint(float x) { return __tern_op_bitcast<unsigned>(x); }
__TERN_FN float __int_as_float(int x) { return __tern_op_bitcast<float>(x); }
__TERN_FN float __uint_as_float(unsigned x) { return __tern_op_bitcast<float>(x); }
__TERN_FN long long __double_as_longlong(double x) { return __tern_op_bitcast<long long>(x); }
__TERN_FN double __longlong_as_double(long long x) { return __tern_op_bitcast<double>(x); }
__TERN_FN int __double2hiint(double x) { return (int)(__tern_op_bitcast<unsigned long long>(x) >> 32); }
__TERN_FN int __double2loint(double x) { return (int)__tern_op_bitcast<unsigned long long>(x); }
__TERN_FN double __hiloint2double(int hi, int lo)
{
    return __tern_op_bitcast<double>((unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

/* ---- quick, less exact ---- */
__TERN_FN float __saturatef(float x) { return __tern_op_fmin(__tern_op_fmax(x, 0.0f), 1.0f); }
__TERN_FN float __fdividef(float x, float y) { return __tern_op_fdiv_fast(x, y); }
__TERN_FN float fdividef(float x, float y) { return __tern_op_fdiv_fast(x, y); }
__TERN_FN double fdivide(double x, double y) { return x / y; }
__TERN_FN float __sinf(float x) { return __tern_op_fsin_fast(x); }
__TERN_FN float __cosf(float x) { return __tern_op_fcos_fast(x); }
__TERN_FN void __sincosf(float x, float *s, float *c)
{
    *s = __tern_op_fsin_fast(x);
    *c = __tern_op_fcos_fast(x);
}
__TERN_FN float __tanf(float x) { return __tern_op_fdiv_fast(__tern_op_fsin_fast(x), __tern_op_fcos_fast(x)); }
__TERN_FN float __tanhf(float x) { return __tern_op_ftanh_fast(x); }
__TERN_FN float __expf(float x) { return __tern_op_fexp2_fast(__tern_op_fmul(x, 1.4426950408889634f)); }
__TERN_FN float __exp10f(float x) { return __tern_op_fexp2_fast(__tern_op_fmul(x, 3.3219280948873623f)); }
__TERN_FN float __exp2f(float x) { return __tern_op_fexp2_fast(x); }
__TERN_FN float __log2f(float x) { return __tern_op_flog2_fast(x); }
__TERN_FN float __logf(float x) { return __tern_op_fmul(__tern_op_flog2_fast(x), 0.6931471805599453f); }
__TERN_FN float __log10f(float x) { return __tern_op_fmul(__tern_op_flog2_fast(x), 0.30102999566398120f); }
__TERN_FN float __powf(float x, float y) { return __tern_op_fexp2_fast(__tern_op_fmul(y, __tern_op_flog2_fast(x))); }

/* ---- barriers and fences ---- */
__TERN_FN void __syncthreads() { __tern_barrier(0, 0); }
__TERN_FN void __barrier_sync(unsigned id) { __tern_barrier(id, 0); }
__TERN_FN void __barrier_sync_count(unsigned id, unsigned threads) { __tern_barrier(id, threads); }
__TERN_FN int __syncthreads_count(int p) { return __tern_barrier_count(0, 0, p != 0); }
__TERN_FN int __syncthreads_and(int p) { return __tern_barrier_and(0, 0, p != 0); }
__TERN_FN int __syncthreads_or(int p) { return __tern_barrier_or(0, 0, p != 0); }
__TERN_FN void __syncwarp(unsigned mask = 0xffffffffu) { __tern_warpsync(mask); }
__TERN_FN void __threadfence_block() { __tern_fence(5, 0); }
__TERN_FN void __threadfence() { __tern_fence(5, 1); }
__TERN_FN void __threadfence_system() { __tern_fence(5, 2); }

/* ---- warps ---- */
__TERN_FN unsigned __activemask() { return __tern_activemask(); }
__TERN_FN int __all_sync(unsigned mask, int p) { return __tern_vote_all(mask, p != 0); }
__TERN_FN int __any_sync(unsigned mask, int p) { return __tern_vote_any(mask, p != 0); }
__TERN_FN int __uni_sync(unsigned mask, int p) { return __tern_vote_uni(mask, p != 0); }
__TERN_FN unsigned __ballot_sync(unsigned mask, int p) { return __tern_vote_ballot(mask, p != 0); }
__TERN_FN int __all(int p) { return __tern_vote_all(__tern_activemask(), p != 0); }
__TERN_FN int __any(int p) { return __tern_vote_any(__tern_activemask(), p != 0); }
__TERN_FN unsigned __ballot(int p) { return __tern_vote_ballot(__tern_activemask(), p != 0); }

/* control: lanes shuffle within segments of width lanes, and an up-shuffle stops at the lower end */
#define __TERN_SHFL(T)                                                                             \
    __TERN_FN T __shfl_sync(unsigned mask, T v, int lane, int width = 32)                          \
    { return __tern_shfl_idx(mask, v, (unsigned)lane, (unsigned)(32 - width) << 8 | 31u); }        \
    __TERN_FN T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32)                 \
    { return __tern_shfl_up(mask, v, delta, (unsigned)(32 - width) << 8); }                        \
    __TERN_FN T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32)               \
    { return __tern_shfl_down(mask, v, delta, (unsigned)(32 - width) << 8 | 31u); }                \
    __TERN_FN T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32)                     \
    { return __tern_shfl_xor(mask, v, (unsigned)lanes, (unsigned)(32 - width) << 8 | 31u); }
__TERN_SHFL(int)
__TERN_SHFL(unsigned)
__TERN_SHFL(long)
__TERN_SHFL(unsigned long)
__TERN_SHFL(long long)
__TERN_SHFL(unsigned long long)
__TERN_SHFL(float)
__TERN_SHFL(double)
#undef __TERN_SHFL
/* without a mask, as before CUDA 9: the lanes that are here together */
template <class T> __TERN_FN T __shfl(T v, int lane, int width = 32) { return __shfl_sync(__tern_activemask(), v, lane, width); }
template <class T> __TERN_FN T __shfl_up(T v, unsigned delta, int width = 32) { return __shfl_up_sync(__tern_activemask(), v, delta, width); }
template <class T> __TERN_FN T __shfl_down(T v, unsigned delta, int width = 32) { return __shfl_down_sync(__tern_activemask(), v, delta, width); }
template <class T> __TERN_FN T __shfl_xor(T v, int lanes, int width = 32) { return __shfl_xor_sync(__tern_activemask(), v, lanes, width); }

template <class T> __TERN_FN unsigned __match_any_sync(unsigned mask, T v) { return __tern_match_any(mask, v); }
template <class T> __TERN_FN unsigned __match_all_sync(unsigned mask, T v, int *all) { return __tern_match_all(mask, v, all); }
__TERN_FN unsigned __reduce_add_sync(unsigned mask, unsigned v) { return __tern_redux_add(mask, v); }
__TERN_FN int __reduce_add_sync(unsigned mask, int v) { return __tern_redux_add(mask, v); }
__TERN_FN unsigned __reduce_min_sync(unsigned mask, unsigned v) { return __tern_redux_umin(mask, v); }
__TERN_FN int __reduce_min_sync(unsigned mask, int v) { return __tern_redux_smin(mask, v); }
__TERN_FN unsigned __reduce_max_sync(unsigned mask, unsigned v) { return __tern_redux_umax(mask, v); }
__TERN_FN int __reduce_max_sync(unsigned mask, int v) { return __tern_redux_smax(mask, v); }
__TERN_FN unsigned __reduce_and_sync(unsigned mask, unsigned v) { return __tern_redux_and(mask, v); }
__TERN_FN unsigned __reduce_or_sync(unsigned mask, unsigned v) { return __tern_redux_or(mask, v); }
__TERN_FN unsigned __reduce_xor_sync(unsigned mask, unsigned v) { return __tern_redux_xor(mask, v); }

/* ---- memory ---- */
/* Cache hints change nothing that a program can see, but __ldg says that nobody writes there. */
template <class T> __TERN_FN T __ldg(const T *p) { return *p; }
#define __TERN_LDG(T) __TERN_FN T __ldg(const T *p) { return __tern_load_invariant(p); }
__TERN_LDG(char)
__TERN_LDG(signed char)
__TERN_LDG(unsigned char)
__TERN_LDG(short)
__TERN_LDG(unsigned short)
__TERN_LDG(int)
__TERN_LDG(unsigned)
__TERN_LDG(long)
__TERN_LDG(unsigned long)
__TERN_LDG(long long)
__TERN_LDG(unsigned long long)
__TERN_LDG(float)
__TERN_LDG(double)
#undef __TERN_LDG
__TERN_FN float2 __ldg(const float2 *p) { return float2{__ldg(&p->x), __ldg(&p->y)}; }
__TERN_FN float4 __ldg(const float4 *p) { return float4{__ldg(&p->x), __ldg(&p->y), __ldg(&p->z), __ldg(&p->w)}; }
__TERN_FN double2 __ldg(const double2 *p) { return double2{__ldg(&p->x), __ldg(&p->y)}; }
__TERN_FN int2 __ldg(const int2 *p) { return int2{__ldg(&p->x), __ldg(&p->y)}; }
__TERN_FN int4 __ldg(const int4 *p) { return int4{__ldg(&p->x), __ldg(&p->y), __ldg(&p->z), __ldg(&p->w)}; }
__TERN_FN uint2 __ldg(const uint2 *p) { return uint2{__ldg(&p->x), __ldg(&p->y)}; }
__TERN_FN uint4 __ldg(const uint4 *p) { return uint4{__ldg(&p->x), __ldg(&p->y), __ldg(&p->z), __ldg(&p->w)}; }
template <class T> __TERN_FN T __ldca(const T *p) { return *p; }
template <class T> __TERN_FN T __ldcs(const T *p) { return *p; }
template <class T> __TERN_FN T __ldlu(const T *p) { return *p; }
template <class T> __TERN_FN void __stwb(T *p, T v) { *p = v; }
template <class T> __TERN_FN void __stcs(T *p, T v) { *p = v; }
/* Past the cache of one multiprocessor: other blocks' writes are seen (cg), the host's too (cv), and each call is an access
 * of its own. Vectors are so element by element, which is all that NVIDIA promises of them. */
#define __TERN_PAST_CACHE(T)                                                                                                       \
    __TERN_FN T __ldcg(const T *p) { return __tern_atomic_load(p, 1, 1); }                                                         \
    __TERN_FN T __ldcv(const T *p) { return __tern_atomic_load(p, 1, 2); }                                                         \
    __TERN_FN void __stcg(T *p, T v) { __tern_atomic_store(p, v, 1, 1); }                                                          \
    __TERN_FN void __stwt(T *p, T v) { __tern_atomic_store(p, v, 1, 2); }
#define __TERN_PAST_CACHE2(T)                                                                                                      \
    __TERN_FN T __ldcg(const T *p) { return T{__tern_atomic_load(&p->x, 1, 1), __tern_atomic_load(&p->y, 1, 1)}; }                                                     \
    __TERN_FN T __ldcv(const T *p) { return T{__tern_atomic_load(&p->x, 1, 2), __tern_atomic_load(&p->y, 1, 2)}; }                                                     \
    __TERN_FN void __stcg(T *p, T v) { __tern_atomic_store(&p->x, v.x, 1, 1), __tern_atomic_store(&p->y, v.y, 1, 1); }                                                   \
    __TERN_FN void __stwt(T *p, T v) { __tern_atomic_store(&p->x, v.x, 1, 2), __tern_atomic_store(&p->y, v.y, 1, 2); }
#define __TERN_PAST_CACHE4(T)                                                                                                      \
    __TERN_FN T __ldcg(const T *p) { return T{__tern_atomic_load(&p->x, 1, 1), __tern_atomic_load(&p->y, 1, 1), __tern_atomic_load(&p->z, 1, 1), __tern_atomic_load(&p->w, 1, 1)}; }                       \
    __TERN_FN T __ldcv(const T *p) { return T{__tern_atomic_load(&p->x, 1, 2), __tern_atomic_load(&p->y, 1, 2), __tern_atomic_load(&p->z, 1, 2), __tern_atomic_load(&p->w, 1, 2)}; }                       \
    __TERN_FN void __stcg(T *p, T v) { __tern_atomic_store(&p->x, v.x, 1, 1), __tern_atomic_store(&p->y, v.y, 1, 1), __tern_atomic_store(&p->z, v.z, 1, 1), __tern_atomic_store(&p->w, v.w, 1, 1); }           \
    __TERN_FN void __stwt(T *p, T v) { __tern_atomic_store(&p->x, v.x, 1, 2), __tern_atomic_store(&p->y, v.y, 1, 2), __tern_atomic_store(&p->z, v.z, 1, 2), __tern_atomic_store(&p->w, v.w, 1, 2); }
__TERN_PAST_CACHE(char)
__TERN_PAST_CACHE(signed char)
__TERN_PAST_CACHE(unsigned char)
__TERN_PAST_CACHE(short)
__TERN_PAST_CACHE(unsigned short)
__TERN_PAST_CACHE(int)
__TERN_PAST_CACHE(unsigned)
__TERN_PAST_CACHE(long)
__TERN_PAST_CACHE(unsigned long)
__TERN_PAST_CACHE(long long)
__TERN_PAST_CACHE(unsigned long long)
__TERN_PAST_CACHE(float)
__TERN_PAST_CACHE(double)
__TERN_PAST_CACHE2(char2)
__TERN_PAST_CACHE2(uchar2)
__TERN_PAST_CACHE2(short2)
__TERN_PAST_CACHE2(ushort2)
__TERN_PAST_CACHE2(int2)
__TERN_PAST_CACHE2(uint2)
__TERN_PAST_CACHE2(longlong2)
__TERN_PAST_CACHE2(ulonglong2)
__TERN_PAST_CACHE2(float2)
__TERN_PAST_CACHE2(double2)
__TERN_PAST_CACHE4(char4)
__TERN_PAST_CACHE4(uchar4)
__TERN_PAST_CACHE4(short4)
__TERN_PAST_CACHE4(ushort4)
__TERN_PAST_CACHE4(int4)
__TERN_PAST_CACHE4(uint4)
__TERN_PAST_CACHE4(float4)
#undef __TERN_PAST_CACHE
#undef __TERN_PAST_CACHE2
#undef __TERN_PAST_CACHE4

__TERN_FN unsigned __isGlobal(const void *p) { return __tern_isspace_global(p); }
__TERN_FN unsigned __isShared(const void *p) { return __tern_isspace_shared(p); }
/* The window of shared memory is the cluster's. */
__TERN_FN unsigned __isClusterShared(const void *p) { return __tern_isspace_shared(p); }
__TERN_FN unsigned __isConstant(const void *p) { return __tern_isspace_const(p); }
__TERN_FN unsigned __isLocal(const void *p) { return __tern_isspace_local(p); }
__TERN_FN unsigned __isGridConstant(const void *p) { return __tern_isspace_param(p); }
__TERN_FN __SIZE_TYPE__ __cvta_generic_to_global(const void *p) { return __tern_to_global(p); }
__TERN_FN __SIZE_TYPE__ __cvta_generic_to_shared(const void *p) { return __tern_to_shared(p); }
__TERN_FN __SIZE_TYPE__ __cvta_generic_to_constant(const void *p) { return __tern_to_const(p); }
__TERN_FN __SIZE_TYPE__ __cvta_generic_to_local(const void *p) { return __tern_to_local(p); }
__TERN_FN void *__cvta_global_to_generic(__SIZE_TYPE__ a) { return __tern_from_global(a); }
__TERN_FN void *__cvta_shared_to_generic(__SIZE_TYPE__ a) { return __tern_from_shared(a); }
__TERN_FN void *__cvta_constant_to_generic(__SIZE_TYPE__ a) { return __tern_from_const(a); }
__TERN_FN void *__cvta_local_to_generic(__SIZE_TYPE__ a) { return __tern_from_local(a); }

/* ---- clusters ---- */
#define __TERN_CLUSTER_WORD(name, sreg)                                                            \
    __TERN_FN unsigned name()                                                                      \
    {                                                                                              \
        unsigned v;                                                                                \
        asm("mov.u32 %0, %%" sreg ";" : "=r"(v));                                                  \
        return v;                                                                                  \
    }
#define __TERN_CLUSTER_DIM(name, sreg)                                                             \
    __TERN_FN dim3 name()                                                                          \
    {                                                                                              \
        unsigned x, y, z;                                                                          \
        asm("mov.u32 %0, %%" sreg ".x;" : "=r"(x));                                                \
        asm("mov.u32 %0, %%" sreg ".y;" : "=r"(y));                                                \
        asm("mov.u32 %0, %%" sreg ".z;" : "=r"(z));                                                \
        return dim3(x, y, z);                                                                      \
    }
__TERN_CLUSTER_DIM(__clusterDim, "cluster_nctaid")
__TERN_CLUSTER_DIM(__clusterRelativeBlockIdx, "cluster_ctaid")
__TERN_CLUSTER_DIM(__clusterGridDimInClusters, "nclusterid")
__TERN_CLUSTER_DIM(__clusterIdx, "clusterid")
__TERN_CLUSTER_WORD(__clusterRelativeBlockRank, "cluster_ctarank")
__TERN_CLUSTER_WORD(__clusterSizeInBlocks, "cluster_nctarank")
#undef __TERN_CLUSTER_WORD
#undef __TERN_CLUSTER_DIM
__TERN_FN unsigned __clusterDimIsSpecified()
{
    unsigned v;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(v));
    return v;
}
__TERN_FN void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
__TERN_FN void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }
__TERN_FN void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
__TERN_FN void __threadfence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }
__TERN_FN unsigned __cluster_query_shared_rank(const void *p)
{
    unsigned r;
    asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(p));
    return r;
}
__TERN_FN void *__cluster_map_shared_rank(const void *p, unsigned rank)
{
    void *q;
    asm("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(rank));
    return q;
}
__TERN_FN unsigned __isCtaShared(const void *p)
{
    return __isShared(p) && __cluster_query_shared_rank(p) == __clusterRelativeBlockRank();
}

/* ---- time and ends ---- */
typedef long clock_t;
__TERN_FN clock_t clock() { return (clock_t)__tern_clock(); }
__TERN_FN long long clock64() { return (long long)__tern_clock(); }
__TERN_FN void __nanosleep(unsigned ns) { __tern_sleep(ns); }
__TERN_FN void __brkpt(int = 0) { __tern_trap(); }
__TERN_FN void __assume(bool) {}
#define __prof_trigger(n)
#endif
