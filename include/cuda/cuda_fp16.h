/* half: IEEE binary16, its pair half2, and their functions.
 *
 * Arithmetic happens in the format itself, rounded once, as the IR defines it for __tern_f16. The
 * host half gets the same from tern_host_float.h, but for what needs a device. */
#pragma once
#define __CUDA_FP16_H__
#include "cuda_runtime.h"

struct __half_raw {
    unsigned short x;
};
struct alignas(4) __half2_raw {
    unsigned short x, y;
};
#ifndef __TERN_DEVICE__
#include "tern_host_float.h"
#endif
struct __half {
    __tern_f16 __v;
    __half() = default;
    __TERN_HDM __half(__tern_f16 v, int, int) : __v(v)
    {
    }
    __TERN_HDM __half(__half_raw r) : __v(__tern_op_bitcast<__tern_f16>(r.x))
    {
    }
    __TERN_HDM __half(float f) : __v((__tern_f16)f)
    {
    }
    __TERN_HDM __half(double f) : __v((__tern_f16)f)
    {
    }
    __TERN_HDM __half(int i) : __v(__tern_op_sitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half(unsigned i) : __v(__tern_op_uitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half(short i) : __v(__tern_op_sitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half(unsigned short i) : __v(__tern_op_uitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half(long i) : __v(__tern_op_sitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half(unsigned long i) : __v(__tern_op_uitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half(long long i) : __v(__tern_op_sitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half(unsigned long long i) : __v(__tern_op_uitof<__tern_f16>(i))
    {
    }
    __TERN_HDM __half &operator=(float f)
    {
        __v = (__tern_f16)f;
        return *this;
    }
    __TERN_HDM __half &operator=(double f)
    {
        __v = (__tern_f16)f;
        return *this;
    }
    __TERN_HDM __half &operator=(int i)
    {
        __v = __tern_op_sitof<__tern_f16>(i);
        return *this;
    }
    __TERN_HDM operator float() const
    {
        return (float)__v;
    }
    __TERN_HDM explicit operator double() const
    {
        return (double)__v;
    }
    __TERN_HDM explicit operator int() const
    {
        return (int)(float)__v;
    }
    __TERN_HDM explicit operator unsigned() const
    {
        return (unsigned)(float)__v;
    }
    __TERN_HDM explicit operator short() const
    {
        return (short)(float)__v;
    }
    __TERN_HDM explicit operator unsigned short() const
    {
        return (unsigned short)(float)__v;
    }
    __TERN_HDM explicit operator long long() const
    {
        return (long long)(float)__v;
    }
    __TERN_HDM explicit operator unsigned long long() const
    {
        return (unsigned long long)(float)__v;
    }
    __TERN_HDM explicit operator bool() const
    {
        return (float)__v != 0.0f;
    }
    __TERN_HDM operator __half_raw() const
    {
        return __half_raw{__tern_op_bitcast<unsigned short>(__v)};
    }
};
struct alignas(4) __half2 {
    __half x, y;
    __half2() = default;
    __TERN_HDM __half2(__half a, __half b) : x(a), y(b)
    {
    }
    __TERN_HDM __half2(__half2_raw r) : x(__half_raw{r.x}), y(__half_raw{r.y})
    {
    }
};
typedef __half half;
typedef __half2 half2;

#define __TERN_H(e) __half((__tern_f16)(e), 0, 0)
/* ---- conversions ---- */
__TERN_FN __half __float2half(float f)
{
    return __half(f);
}
__TERN_FN __half __float2half_rn(float f)
{
    return __TERN_H(__tern_op_fcvt_rn<__tern_f16>(f));
}
__TERN_FN int __half2int_rn(__half a)
{
    return __tern_op_ftosi_rn<int>((float)a.__v);
}
__TERN_FN unsigned __half2uint_rn(__half a)
{
    return __tern_op_ftoui_rn<unsigned>((float)a.__v);
}
__TERN_FN short __half2short_rn(__half a)
{
    return (short)__tern_op_ftosi_rn<short>((float)a.__v);
}
__TERN_FN unsigned short __half2ushort_rn(__half a)
{
    return __tern_op_ftoui_rn<unsigned short>((float)a.__v);
}
__TERN_FN long long __half2ll_rn(__half a)
{
    return __tern_op_ftosi_rn<long long>((float)a.__v);
}
__TERN_FN unsigned long long __half2ull_rn(__half a)
{
    return __tern_op_ftoui_rn<unsigned long long>((float)a.__v);
}
__TERN_FN __half __int2half_rn(int i)
{
    return __TERN_H(__tern_op_sitof_rn<__tern_f16>(i));
}
__TERN_FN __half __uint2half_rn(unsigned i)
{
    return __TERN_H(__tern_op_uitof_rn<__tern_f16>(i));
}
__TERN_FN __half __short2half_rn(short i)
{
    return __TERN_H(__tern_op_sitof_rn<__tern_f16>(i));
}
__TERN_FN __half __ushort2half_rn(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_rn<__tern_f16>(i));
}
__TERN_FN __half __ll2half_rn(long long i)
{
    return __TERN_H(__tern_op_sitof_rn<__tern_f16>(i));
}
__TERN_FN __half __ull2half_rn(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_rn<__tern_f16>(i));
}
__TERN_FN __half __float2half_rz(float f)
{
    return __TERN_H(__tern_op_fcvt_rz<__tern_f16>(f));
}
__TERN_FN int __half2int_rz(__half a)
{
    return __tern_op_ftosi_rz<int>((float)a.__v);
}
__TERN_FN unsigned __half2uint_rz(__half a)
{
    return __tern_op_ftoui_rz<unsigned>((float)a.__v);
}
__TERN_FN short __half2short_rz(__half a)
{
    return (short)__tern_op_ftosi_rz<short>((float)a.__v);
}
__TERN_FN unsigned short __half2ushort_rz(__half a)
{
    return __tern_op_ftoui_rz<unsigned short>((float)a.__v);
}
__TERN_FN long long __half2ll_rz(__half a)
{
    return __tern_op_ftosi_rz<long long>((float)a.__v);
}
__TERN_FN unsigned long long __half2ull_rz(__half a)
{
    return __tern_op_ftoui_rz<unsigned long long>((float)a.__v);
}
__TERN_FN __half __int2half_rz(int i)
{
    return __TERN_H(__tern_op_sitof_rz<__tern_f16>(i));
}
__TERN_FN __half __uint2half_rz(unsigned i)
{
    return __TERN_H(__tern_op_uitof_rz<__tern_f16>(i));
}
__TERN_FN __half __short2half_rz(short i)
{
    return __TERN_H(__tern_op_sitof_rz<__tern_f16>(i));
}
__TERN_FN __half __ushort2half_rz(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_rz<__tern_f16>(i));
}
__TERN_FN __half __ll2half_rz(long long i)
{
    return __TERN_H(__tern_op_sitof_rz<__tern_f16>(i));
}
__TERN_FN __half __ull2half_rz(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_rz<__tern_f16>(i));
}
__TERN_FN __half __float2half_ru(float f)
{
    return __TERN_H(__tern_op_fcvt_ru<__tern_f16>(f));
}
__TERN_FN int __half2int_ru(__half a)
{
    return __tern_op_ftosi_ru<int>((float)a.__v);
}
__TERN_FN unsigned __half2uint_ru(__half a)
{
    return __tern_op_ftoui_ru<unsigned>((float)a.__v);
}
__TERN_FN short __half2short_ru(__half a)
{
    return (short)__tern_op_ftosi_ru<short>((float)a.__v);
}
__TERN_FN unsigned short __half2ushort_ru(__half a)
{
    return __tern_op_ftoui_ru<unsigned short>((float)a.__v);
}
__TERN_FN long long __half2ll_ru(__half a)
{
    return __tern_op_ftosi_ru<long long>((float)a.__v);
}
__TERN_FN unsigned long long __half2ull_ru(__half a)
{
    return __tern_op_ftoui_ru<unsigned long long>((float)a.__v);
}
__TERN_FN __half __int2half_ru(int i)
{
    return __TERN_H(__tern_op_sitof_ru<__tern_f16>(i));
}
__TERN_FN __half __uint2half_ru(unsigned i)
{
    return __TERN_H(__tern_op_uitof_ru<__tern_f16>(i));
}
__TERN_FN __half __short2half_ru(short i)
{
    return __TERN_H(__tern_op_sitof_ru<__tern_f16>(i));
}
__TERN_FN __half __ushort2half_ru(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_ru<__tern_f16>(i));
}
__TERN_FN __half __ll2half_ru(long long i)
{
    return __TERN_H(__tern_op_sitof_ru<__tern_f16>(i));
}
__TERN_FN __half __ull2half_ru(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_ru<__tern_f16>(i));
}
__TERN_FN __half __float2half_rd(float f)
{
    return __TERN_H(__tern_op_fcvt_rd<__tern_f16>(f));
}
__TERN_FN int __half2int_rd(__half a)
{
    return __tern_op_ftosi_rd<int>((float)a.__v);
}
__TERN_FN unsigned __half2uint_rd(__half a)
{
    return __tern_op_ftoui_rd<unsigned>((float)a.__v);
}
__TERN_FN short __half2short_rd(__half a)
{
    return (short)__tern_op_ftosi_rd<short>((float)a.__v);
}
__TERN_FN unsigned short __half2ushort_rd(__half a)
{
    return __tern_op_ftoui_rd<unsigned short>((float)a.__v);
}
__TERN_FN long long __half2ll_rd(__half a)
{
    return __tern_op_ftosi_rd<long long>((float)a.__v);
}
__TERN_FN unsigned long long __half2ull_rd(__half a)
{
    return __tern_op_ftoui_rd<unsigned long long>((float)a.__v);
}
__TERN_FN __half __int2half_rd(int i)
{
    return __TERN_H(__tern_op_sitof_rd<__tern_f16>(i));
}
__TERN_FN __half __uint2half_rd(unsigned i)
{
    return __TERN_H(__tern_op_uitof_rd<__tern_f16>(i));
}
__TERN_FN __half __short2half_rd(short i)
{
    return __TERN_H(__tern_op_sitof_rd<__tern_f16>(i));
}
__TERN_FN __half __ushort2half_rd(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_rd<__tern_f16>(i));
}
__TERN_FN __half __ll2half_rd(long long i)
{
    return __TERN_H(__tern_op_sitof_rd<__tern_f16>(i));
}
__TERN_FN __half __ull2half_rd(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_rd<__tern_f16>(i));
}
__TERN_FN __half __double2half(double f)
{
    return __half(f);
}
__TERN_FN float __half2float(__half a)
{
    return (float)a.__v;
}
__TERN_FN __half2 __float2half2_rn(float f)
{
    return __half2(__half(f), __half(f));
}
__TERN_FN __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__half(a), __half(b));
}
__TERN_FN __half2 __float22half2_rn(float2 f)
{
    return __half2(__half(f.x), __half(f.y));
}
__TERN_FN float2 __half22float2(__half2 a)
{
    return float2{(float)a.x.__v, (float)a.y.__v};
}
__TERN_FN float __low2float(__half2 a)
{
    return (float)a.x.__v;
}
__TERN_FN float __high2float(__half2 a)
{
    return (float)a.y.__v;
}
__TERN_FN __half2 __half2half2(__half a)
{
    return __half2(a, a);
}
__TERN_FN __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
__TERN_FN __half __low2half(__half2 a)
{
    return a.x;
}
__TERN_FN __half __high2half(__half2 a)
{
    return a.y;
}
__TERN_FN __half2 __low2half2(__half2 a)
{
    return __half2(a.x, a.x);
}
__TERN_FN __half2 __high2half2(__half2 a)
{
    return __half2(a.y, a.y);
}
__TERN_FN __half2 __lowhigh2highlow(__half2 a)
{
    return __half2(a.y, a.x);
}
__TERN_FN __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
__TERN_FN __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
__TERN_FN __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
__TERN_FN unsigned short __half_as_ushort(__half a)
{
    return __tern_op_bitcast<unsigned short>(a.__v);
}
__TERN_FN short __half_as_short(__half a)
{
    return __tern_op_bitcast<short>(a.__v);
}
__TERN_FN __half __ushort_as_half(unsigned short u)
{
    return __TERN_H(__tern_op_bitcast<__tern_f16>(u));
}
__TERN_FN __half __short_as_half(short u)
{
    return __TERN_H(__tern_op_bitcast<__tern_f16>(u));
}

/* ---- arithmetic ---- */
#define __TERN_H2(n, e)                                                                            \
    __TERN_FN __half n(__half a, __half b)                                                         \
    {                                                                                              \
        return __TERN_H(e);                                                                        \
    }
#define __TERN_H22(n, m)                                                                           \
    __TERN_FN __half2 n(__half2 a, __half2 b)                                                      \
    {                                                                                              \
        return __half2(m(a.x, b.x), m(a.y, b.y));                                                  \
    }
__TERN_H2(__hadd, a.__v + b.__v)
__TERN_H22(__hadd2, __hadd)
__TERN_H2(__hsub, a.__v - b.__v)
__TERN_H22(__hsub2, __hsub)
__TERN_H2(__hmul, a.__v *b.__v)
__TERN_H22(__hmul2, __hmul)
__TERN_H2(__hdiv, a.__v / b.__v)
__TERN_H22(__h2div, __hdiv)
__TERN_H2(__hmin, __tern_op_fmin(a.__v, b.__v))
__TERN_H22(__hmin2, __hmin)
__TERN_H2(__hmax, __tern_op_fmax(a.__v, b.__v))
__TERN_H22(__hmax2, __hmax)
__TERN_H2(__hadd_rn, a.__v + b.__v)
__TERN_H22(__hadd2_rn, __hadd)
__TERN_H2(__hadd_sat, __tern_op_fmin(__tern_op_fmax((__tern_f16)(a.__v + b.__v), (__tern_f16)0.0f),
                                     (__tern_f16)1.0f))
__TERN_H22(__hadd2_sat, __hadd_sat)
__TERN_H2(__hsub_rn, a.__v - b.__v)
__TERN_H22(__hsub2_rn, __hsub)
__TERN_H2(__hsub_sat, __tern_op_fmin(__tern_op_fmax((__tern_f16)(a.__v - b.__v), (__tern_f16)0.0f),
                                     (__tern_f16)1.0f))
__TERN_H22(__hsub2_sat, __hsub_sat)
__TERN_H2(__hmul_rn, a.__v *b.__v)
__TERN_H22(__hmul2_rn, __hmul)
__TERN_H2(__hmul_sat, __tern_op_fmin(__tern_op_fmax((__tern_f16)(a.__v *b.__v), (__tern_f16)0.0f),
                                     (__tern_f16)1.0f))
__TERN_H22(__hmul2_sat, __hmul_sat)
__TERN_FN __half __hfma(__half a, __half b, __half c)
{
    return __TERN_H(__tern_op_fma(a.__v, b.__v, c.__v));
}
__TERN_FN __half __hfma_sat(__half a, __half b, __half c)
{
    return __TERN_H(__tern_op_fmin(
        __tern_op_fmax(__tern_op_fma(a.__v, b.__v, c.__v), (__tern_f16)0.0f), (__tern_f16)1.0f));
}
__TERN_FN __half __hfma_relu(__half a, __half b, __half c)
{
    return __TERN_H(__tern_op_fmax(__tern_op_fma(a.__v, b.__v, c.__v), (__tern_f16)0.0f));
}
__TERN_FN __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__TERN_FN __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
__TERN_FN __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
__TERN_FN __half __hneg(__half a)
{
    return __TERN_H(__tern_op_fneg(a.__v));
}
__TERN_FN __half __habs(__half a)
{
    return __TERN_H(__tern_op_fabs(a.__v));
}
__TERN_FN __half2 __hneg2(__half2 a)
{
    return __half2(__hneg(a.x), __hneg(a.y));
}
__TERN_FN __half2 __habs2(__half2 a)
{
    return __half2(__habs(a.x), __habs(a.y));
}

/* ---- comparison ---- */
__TERN_FN bool __heq(__half a, __half b)
{
    return a.__v == b.__v;
}
__TERN_FN bool __hequ(__half a, __half b)
{
    return !(a.__v < b.__v || a.__v > b.__v);
}
__TERN_FN __half2 __heq2(__half2 a, __half2 b)
{
    return __half2(__half(__heq(a.x, b.x) ? 1.0f : 0.0f), __half(__heq(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbeq2(__half2 a, __half2 b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
__TERN_FN unsigned __heq2_mask(__half2 a, __half2 b)
{
    return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hne(__half a, __half b)
{
    return a.__v < b.__v || a.__v > b.__v;
}
__TERN_FN bool __hneu(__half a, __half b)
{
    return a.__v != b.__v;
}
__TERN_FN __half2 __hne2(__half2 a, __half2 b)
{
    return __half2(__half(__hne(a.x, b.x) ? 1.0f : 0.0f), __half(__hne(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbne2(__half2 a, __half2 b)
{
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
__TERN_FN unsigned __hne2_mask(__half2 a, __half2 b)
{
    return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hle(__half a, __half b)
{
    return a.__v <= b.__v;
}
__TERN_FN bool __hleu(__half a, __half b)
{
    return !(a.__v > b.__v);
}
__TERN_FN __half2 __hle2(__half2 a, __half2 b)
{
    return __half2(__half(__hle(a.x, b.x) ? 1.0f : 0.0f), __half(__hle(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hble2(__half2 a, __half2 b)
{
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}
__TERN_FN unsigned __hle2_mask(__half2 a, __half2 b)
{
    return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hge(__half a, __half b)
{
    return a.__v >= b.__v;
}
__TERN_FN bool __hgeu(__half a, __half b)
{
    return !(a.__v < b.__v);
}
__TERN_FN __half2 __hge2(__half2 a, __half2 b)
{
    return __half2(__half(__hge(a.x, b.x) ? 1.0f : 0.0f), __half(__hge(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbge2(__half2 a, __half2 b)
{
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
__TERN_FN unsigned __hge2_mask(__half2 a, __half2 b)
{
    return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hlt(__half a, __half b)
{
    return a.__v < b.__v;
}
__TERN_FN bool __hltu(__half a, __half b)
{
    return !(a.__v >= b.__v);
}
__TERN_FN __half2 __hlt2(__half2 a, __half2 b)
{
    return __half2(__half(__hlt(a.x, b.x) ? 1.0f : 0.0f), __half(__hlt(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hblt2(__half2 a, __half2 b)
{
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
__TERN_FN unsigned __hlt2_mask(__half2 a, __half2 b)
{
    return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hgt(__half a, __half b)
{
    return a.__v > b.__v;
}
__TERN_FN bool __hgtu(__half a, __half b)
{
    return !(a.__v <= b.__v);
}
__TERN_FN __half2 __hgt2(__half2 a, __half2 b)
{
    return __half2(__half(__hgt(a.x, b.x) ? 1.0f : 0.0f), __half(__hgt(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbgt2(__half2 a, __half2 b)
{
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
__TERN_FN unsigned __hgt2_mask(__half2 a, __half2 b)
{
    return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hisnan(__half a)
{
    return a.__v != a.__v;
}
__TERN_FN int __hisinf(__half a)
{
    float f = (float)a.__v;
    return f == __builtin_huge_valf() ? 1 : f == -__builtin_huge_valf() ? -1 : 0;
}
__TERN_FN __half2 __hisnan2(__half2 a)
{
    return __half2(__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- functions: computed in float, rounded once more ---- */
__TERN_FN __half hsqrt(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_op_fsqrt(x));
}
__TERN_FN __half2 h2sqrt(__half2 a)
{
    return __half2(hsqrt(a.x), hsqrt(a.y));
}
__TERN_FN __half hrsqrt(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_rsqrtf(x));
}
__TERN_FN __half2 h2rsqrt(__half2 a)
{
    return __half2(hrsqrt(a.x), hrsqrt(a.y));
}
__TERN_FN __half hrcp(__half a)
{
    float x = (float)a.__v;
    return __half(1.0f / x);
}
__TERN_FN __half2 h2rcp(__half2 a)
{
    return __half2(hrcp(a.x), hrcp(a.y));
}
__TERN_FN __half hsin(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_sinf(x));
}
__TERN_FN __half2 h2sin(__half2 a)
{
    return __half2(hsin(a.x), hsin(a.y));
}
__TERN_FN __half hcos(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_cosf(x));
}
__TERN_FN __half2 h2cos(__half2 a)
{
    return __half2(hcos(a.x), hcos(a.y));
}
__TERN_FN __half hexp(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_expf(x));
}
__TERN_FN __half2 h2exp(__half2 a)
{
    return __half2(hexp(a.x), hexp(a.y));
}
__TERN_FN __half hexp2(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_exp2f(x));
}
__TERN_FN __half2 h2exp2(__half2 a)
{
    return __half2(hexp2(a.x), hexp2(a.y));
}
__TERN_FN __half hexp10(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_exp10f(x));
}
__TERN_FN __half2 h2exp10(__half2 a)
{
    return __half2(hexp10(a.x), hexp10(a.y));
}
__TERN_FN __half hlog(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_logf(x));
}
__TERN_FN __half2 h2log(__half2 a)
{
    return __half2(hlog(a.x), hlog(a.y));
}
__TERN_FN __half hlog2(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_log2f(x));
}
__TERN_FN __half2 h2log2(__half2 a)
{
    return __half2(hlog2(a.x), hlog2(a.y));
}
__TERN_FN __half hlog10(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_log10f(x));
}
__TERN_FN __half2 h2log10(__half2 a)
{
    return __half2(hlog10(a.x), hlog10(a.y));
}
__TERN_FN __half htanh(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_tanhf(x));
}
__TERN_FN __half2 h2tanh(__half2 a)
{
    return __half2(htanh(a.x), htanh(a.y));
}
__TERN_FN __half hfloor(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_op_ffloor(x));
}
__TERN_FN __half2 h2floor(__half2 a)
{
    return __half2(hfloor(a.x), hfloor(a.y));
}
__TERN_FN __half hceil(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_op_fceil(x));
}
__TERN_FN __half2 h2ceil(__half2 a)
{
    return __half2(hceil(a.x), hceil(a.y));
}
__TERN_FN __half htrunc(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_op_ftrunc(x));
}
__TERN_FN __half2 h2trunc(__half2 a)
{
    return __half2(htrunc(a.x), htrunc(a.y));
}
__TERN_FN __half hrint(__half a)
{
    float x = (float)a.__v;
    return __half(__tern_op_frint(x));
}
__TERN_FN __half2 h2rint(__half2 a)
{
    return __half2(hrint(a.x), hrint(a.y));
}

/* ---- operators ---- */
#ifndef __CUDA_NO_HALF_OPERATORS__
__TERN_FN __half operator+(const __half &a, const __half &b)
{
    return __hadd(a, b);
}
__TERN_FN __half &operator+=(__half &a, const __half &b)
{
    a = __hadd(a, b);
    return a;
}
__TERN_FN __half2 operator+(const __half2 &a, const __half2 &b)
{
    return __hadd2(a, b);
}
__TERN_FN __half2 &operator+=(__half2 &a, const __half2 &b)
{
    a = __hadd2(a, b);
    return a;
}
__TERN_FN __half operator-(const __half &a, const __half &b)
{
    return __hsub(a, b);
}
__TERN_FN __half &operator-=(__half &a, const __half &b)
{
    a = __hsub(a, b);
    return a;
}
__TERN_FN __half2 operator-(const __half2 &a, const __half2 &b)
{
    return __hsub2(a, b);
}
__TERN_FN __half2 &operator-=(__half2 &a, const __half2 &b)
{
    a = __hsub2(a, b);
    return a;
}
__TERN_FN __half operator*(const __half &a, const __half &b)
{
    return __hmul(a, b);
}
__TERN_FN __half &operator*=(__half &a, const __half &b)
{
    a = __hmul(a, b);
    return a;
}
__TERN_FN __half2 operator*(const __half2 &a, const __half2 &b)
{
    return __hmul2(a, b);
}
__TERN_FN __half2 &operator*=(__half2 &a, const __half2 &b)
{
    a = __hmul2(a, b);
    return a;
}
__TERN_FN __half operator/(const __half &a, const __half &b)
{
    return __hdiv(a, b);
}
__TERN_FN __half &operator/=(__half &a, const __half &b)
{
    a = __hdiv(a, b);
    return a;
}
__TERN_FN __half2 operator/(const __half2 &a, const __half2 &b)
{
    return __h2div(a, b);
}
__TERN_FN __half2 &operator/=(__half2 &a, const __half2 &b)
{
    a = __h2div(a, b);
    return a;
}
__TERN_FN __half operator-(const __half &a)
{
    return __hneg(a);
}
__TERN_FN __half operator+(const __half &a)
{
    return a;
}
__TERN_FN __half2 operator-(const __half2 &a)
{
    return __hneg2(a);
}
__TERN_FN __half &operator++(__half &a)
{
    a = __hadd(a, __half(1.0f));
    return a;
}
__TERN_FN __half operator++(__half &a, int)
{
    __half old = a;
    a = __hadd(a, __half(1.0f));
    return old;
}
__TERN_FN __half &operator--(__half &a)
{
    a = __hsub(a, __half(1.0f));
    return a;
}
__TERN_FN bool operator==(const __half &a, const __half &b)
{
    return __heq(a, b);
}
__TERN_FN bool operator==(const __half2 &a, const __half2 &b)
{
    return __hbeq2(a, b);
}
__TERN_FN bool operator>(const __half &a, const __half &b)
{
    return __hgt(a, b);
}
__TERN_FN bool operator>(const __half2 &a, const __half2 &b)
{
    return __hbgt2(a, b);
}
__TERN_FN bool operator<(const __half &a, const __half &b)
{
    return __hlt(a, b);
}
__TERN_FN bool operator<(const __half2 &a, const __half2 &b)
{
    return __hblt2(a, b);
}
__TERN_FN bool operator>=(const __half &a, const __half &b)
{
    return __hge(a, b);
}
__TERN_FN bool operator>=(const __half2 &a, const __half2 &b)
{
    return __hbge2(a, b);
}
__TERN_FN bool operator<=(const __half &a, const __half &b)
{
    return __hle(a, b);
}
__TERN_FN bool operator<=(const __half2 &a, const __half2 &b)
{
    return __hble2(a, b);
}
__TERN_FN bool operator!=(const __half &a, const __half &b)
{
    return __hneu(a, b);
}
__TERN_FN bool operator!=(const __half2 &a, const __half2 &b)
{
    return __hneu(a.x, b.x) || __hneu(a.y, b.y);
}
#endif

#ifdef __TERN_DEVICE__
/* ---- warps, memory, atomics ---- */
__TERN_FN __half __shfl_sync(unsigned mask, __half a, int lane, int width = 32)
{
    return __ushort_as_half((unsigned short)__tern_shfl_idx(
        mask, (unsigned)__half_as_ushort(a), (unsigned)lane, (unsigned)(32 - width) << 8 | 31u));
}
__TERN_FN __half2 __shfl_sync(unsigned mask, __half2 a, int lane, int width = 32)
{
    unsigned u = __tern_shfl_idx(
        mask, (unsigned)__half_as_ushort(a.x) | (unsigned)__half_as_ushort(a.y) << 16,
        (unsigned)lane, (unsigned)(32 - width) << 8 | 31u);
    return __half2(__ushort_as_half((unsigned short)u),
                   __ushort_as_half((unsigned short)(u >> 16)));
}
__TERN_FN __half __shfl_up_sync(unsigned mask, __half a, unsigned delta, int width = 32)
{
    return __ushort_as_half((unsigned short)__tern_shfl_up(
        mask, (unsigned)__half_as_ushort(a), (unsigned)delta, (unsigned)(32 - width) << 8));
}
__TERN_FN __half2 __shfl_up_sync(unsigned mask, __half2 a, unsigned delta, int width = 32)
{
    unsigned u = __tern_shfl_up(
        mask, (unsigned)__half_as_ushort(a.x) | (unsigned)__half_as_ushort(a.y) << 16,
        (unsigned)delta, (unsigned)(32 - width) << 8);
    return __half2(__ushort_as_half((unsigned short)u),
                   __ushort_as_half((unsigned short)(u >> 16)));
}
__TERN_FN __half __shfl_down_sync(unsigned mask, __half a, unsigned delta, int width = 32)
{
    return __ushort_as_half((unsigned short)__tern_shfl_down(
        mask, (unsigned)__half_as_ushort(a), (unsigned)delta, (unsigned)(32 - width) << 8 | 31u));
}
__TERN_FN __half2 __shfl_down_sync(unsigned mask, __half2 a, unsigned delta, int width = 32)
{
    unsigned u = __tern_shfl_down(
        mask, (unsigned)__half_as_ushort(a.x) | (unsigned)__half_as_ushort(a.y) << 16,
        (unsigned)delta, (unsigned)(32 - width) << 8 | 31u);
    return __half2(__ushort_as_half((unsigned short)u),
                   __ushort_as_half((unsigned short)(u >> 16)));
}
__TERN_FN __half __shfl_xor_sync(unsigned mask, __half a, int lanes, int width = 32)
{
    return __ushort_as_half((unsigned short)__tern_shfl_xor(
        mask, (unsigned)__half_as_ushort(a), (unsigned)lanes, (unsigned)(32 - width) << 8 | 31u));
}
__TERN_FN __half2 __shfl_xor_sync(unsigned mask, __half2 a, int lanes, int width = 32)
{
    unsigned u = __tern_shfl_xor(
        mask, (unsigned)__half_as_ushort(a.x) | (unsigned)__half_as_ushort(a.y) << 16,
        (unsigned)lanes, (unsigned)(32 - width) << 8 | 31u);
    return __half2(__ushort_as_half((unsigned short)u),
                   __ushort_as_half((unsigned short)(u >> 16)));
}
__TERN_FN __half __ldg(const __half *p)
{
    return __ushort_as_half(__tern_load_invariant((const unsigned short *)p));
}
__TERN_FN __half2 __ldg(const __half2 *p)
{
    return __half2(__ldg(&p->x), __ldg(&p->y));
}
__TERN_FN __half atomicAdd(__half *p, __half v)
{
    return __TERN_H(__tern_atomic_fadd(&p->__v, v.__v, 1, 1));
}
/* two halves in one word: each is added by itself, as CUDA promises */
__TERN_FN __half2 atomicAdd(__half2 *p, __half2 v)
{
    __half x = atomicAdd(&p->x, v.x), y = atomicAdd(&p->y, v.y);
    return __half2(x, y);
}
#endif
#undef __TERN_H
#undef __TERN_H2
#undef __TERN_H22
typedef __half nv_half;
typedef __half2 nv_half2;
#define CUDART_INF_FP16        __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16        __ushort_as_half((unsigned short)0x7fff)
#define CUDART_ONE_FP16        __ushort_as_half((unsigned short)0x3c00)
#define CUDART_ZERO_FP16       __ushort_as_half((unsigned short)0x0000)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
