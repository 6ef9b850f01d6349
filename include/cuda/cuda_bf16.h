/* bfloat16: the upper half of a float, its pair, and their functions.
 *
 * Arithmetic happens in the format itself, rounded once, as the IR defines it for __tern_bf16. The
 * host half gets the same from tern_host_float.h, but for what needs a device. */
#pragma once
#define __CUDA_BF16_H__
#include "cuda_runtime.h"

struct __nv_bfloat16_raw {
    unsigned short x;
};
struct alignas(4) __nv_bfloat162_raw {
    unsigned short x, y;
};
#ifndef __TERN_DEVICE__
#include "tern_host_float.h"
#endif
struct __nv_bfloat16 {
    __tern_bf16 __v;
    __nv_bfloat16() = default;
    __TERN_HDM __nv_bfloat16(__tern_bf16 v, int, int) : __v(v)
    {
    }
    __TERN_HDM __nv_bfloat16(__nv_bfloat16_raw r) : __v(__tern_op_bitcast<__tern_bf16>(r.x))
    {
    }
    __TERN_HDM __nv_bfloat16(float f) : __v((__tern_bf16)f)
    {
    }
    __TERN_HDM __nv_bfloat16(double f) : __v((__tern_bf16)f)
    {
    }
    __TERN_HDM __nv_bfloat16(int i) : __v(__tern_op_sitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16(unsigned i) : __v(__tern_op_uitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16(short i) : __v(__tern_op_sitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16(unsigned short i) : __v(__tern_op_uitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16(long i) : __v(__tern_op_sitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16(unsigned long i) : __v(__tern_op_uitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16(long long i) : __v(__tern_op_sitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16(unsigned long long i) : __v(__tern_op_uitof<__tern_bf16>(i))
    {
    }
    __TERN_HDM __nv_bfloat16 &operator=(float f)
    {
        __v = (__tern_bf16)f;
        return *this;
    }
    __TERN_HDM __nv_bfloat16 &operator=(double f)
    {
        __v = (__tern_bf16)f;
        return *this;
    }
    __TERN_HDM __nv_bfloat16 &operator=(int i)
    {
        __v = __tern_op_sitof<__tern_bf16>(i);
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
    __TERN_HDM operator __nv_bfloat16_raw() const
    {
        return __nv_bfloat16_raw{__tern_op_bitcast<unsigned short>(__v)};
    }
};
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __TERN_HDM __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b)
    {
    }
    __TERN_HDM __nv_bfloat162(__nv_bfloat162_raw r)
        : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y})
    {
    }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define __TERN_H(e) __nv_bfloat16((__tern_bf16)(e), 0, 0)
/* ---- conversions ---- */
__TERN_FN __nv_bfloat16 __float2bfloat16(float f)
{
    return __nv_bfloat16(f);
}
__TERN_FN __nv_bfloat16 __float2bfloat16_rn(float f)
{
    return __TERN_H(__tern_op_fcvt_rn<__tern_bf16>(f));
}
__TERN_FN int __bfloat162int_rn(__nv_bfloat16 a)
{
    return __tern_op_ftosi_rn<int>((float)a.__v);
}
__TERN_FN unsigned __bfloat162uint_rn(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rn<unsigned>((float)a.__v);
}
__TERN_FN short __bfloat162short_rn(__nv_bfloat16 a)
{
    return (short)__tern_op_ftosi_rn<short>((float)a.__v);
}
__TERN_FN unsigned short __bfloat162ushort_rn(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rn<unsigned short>((float)a.__v);
}
__TERN_FN long long __bfloat162ll_rn(__nv_bfloat16 a)
{
    return __tern_op_ftosi_rn<long long>((float)a.__v);
}
__TERN_FN unsigned long long __bfloat162ull_rn(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rn<unsigned long long>((float)a.__v);
}
__TERN_FN __nv_bfloat16 __int2bfloat16_rn(int i)
{
    return __TERN_H(__tern_op_sitof_rn<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __uint2bfloat16_rn(unsigned i)
{
    return __TERN_H(__tern_op_uitof_rn<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __short2bfloat16_rn(short i)
{
    return __TERN_H(__tern_op_sitof_rn<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ushort2bfloat16_rn(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_rn<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ll2bfloat16_rn(long long i)
{
    return __TERN_H(__tern_op_sitof_rn<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ull2bfloat16_rn(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_rn<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __float2bfloat16_rz(float f)
{
    return __TERN_H(__tern_op_fcvt_rz<__tern_bf16>(f));
}
__TERN_FN int __bfloat162int_rz(__nv_bfloat16 a)
{
    return __tern_op_ftosi_rz<int>((float)a.__v);
}
__TERN_FN unsigned __bfloat162uint_rz(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rz<unsigned>((float)a.__v);
}
__TERN_FN short __bfloat162short_rz(__nv_bfloat16 a)
{
    return (short)__tern_op_ftosi_rz<short>((float)a.__v);
}
__TERN_FN unsigned short __bfloat162ushort_rz(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rz<unsigned short>((float)a.__v);
}
__TERN_FN long long __bfloat162ll_rz(__nv_bfloat16 a)
{
    return __tern_op_ftosi_rz<long long>((float)a.__v);
}
__TERN_FN unsigned long long __bfloat162ull_rz(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rz<unsigned long long>((float)a.__v);
}
__TERN_FN __nv_bfloat16 __int2bfloat16_rz(int i)
{
    return __TERN_H(__tern_op_sitof_rz<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __uint2bfloat16_rz(unsigned i)
{
    return __TERN_H(__tern_op_uitof_rz<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __short2bfloat16_rz(short i)
{
    return __TERN_H(__tern_op_sitof_rz<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ushort2bfloat16_rz(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_rz<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ll2bfloat16_rz(long long i)
{
    return __TERN_H(__tern_op_sitof_rz<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ull2bfloat16_rz(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_rz<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __float2bfloat16_ru(float f)
{
    return __TERN_H(__tern_op_fcvt_ru<__tern_bf16>(f));
}
__TERN_FN int __bfloat162int_ru(__nv_bfloat16 a)
{
    return __tern_op_ftosi_ru<int>((float)a.__v);
}
__TERN_FN unsigned __bfloat162uint_ru(__nv_bfloat16 a)
{
    return __tern_op_ftoui_ru<unsigned>((float)a.__v);
}
__TERN_FN short __bfloat162short_ru(__nv_bfloat16 a)
{
    return (short)__tern_op_ftosi_ru<short>((float)a.__v);
}
__TERN_FN unsigned short __bfloat162ushort_ru(__nv_bfloat16 a)
{
    return __tern_op_ftoui_ru<unsigned short>((float)a.__v);
}
__TERN_FN long long __bfloat162ll_ru(__nv_bfloat16 a)
{
    return __tern_op_ftosi_ru<long long>((float)a.__v);
}
__TERN_FN unsigned long long __bfloat162ull_ru(__nv_bfloat16 a)
{
    return __tern_op_ftoui_ru<unsigned long long>((float)a.__v);
}
__TERN_FN __nv_bfloat16 __int2bfloat16_ru(int i)
{
    return __TERN_H(__tern_op_sitof_ru<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __uint2bfloat16_ru(unsigned i)
{
    return __TERN_H(__tern_op_uitof_ru<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __short2bfloat16_ru(short i)
{
    return __TERN_H(__tern_op_sitof_ru<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ushort2bfloat16_ru(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_ru<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ll2bfloat16_ru(long long i)
{
    return __TERN_H(__tern_op_sitof_ru<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ull2bfloat16_ru(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_ru<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __float2bfloat16_rd(float f)
{
    return __TERN_H(__tern_op_fcvt_rd<__tern_bf16>(f));
}
__TERN_FN int __bfloat162int_rd(__nv_bfloat16 a)
{
    return __tern_op_ftosi_rd<int>((float)a.__v);
}
__TERN_FN unsigned __bfloat162uint_rd(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rd<unsigned>((float)a.__v);
}
__TERN_FN short __bfloat162short_rd(__nv_bfloat16 a)
{
    return (short)__tern_op_ftosi_rd<short>((float)a.__v);
}
__TERN_FN unsigned short __bfloat162ushort_rd(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rd<unsigned short>((float)a.__v);
}
__TERN_FN long long __bfloat162ll_rd(__nv_bfloat16 a)
{
    return __tern_op_ftosi_rd<long long>((float)a.__v);
}
__TERN_FN unsigned long long __bfloat162ull_rd(__nv_bfloat16 a)
{
    return __tern_op_ftoui_rd<unsigned long long>((float)a.__v);
}
__TERN_FN __nv_bfloat16 __int2bfloat16_rd(int i)
{
    return __TERN_H(__tern_op_sitof_rd<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __uint2bfloat16_rd(unsigned i)
{
    return __TERN_H(__tern_op_uitof_rd<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __short2bfloat16_rd(short i)
{
    return __TERN_H(__tern_op_sitof_rd<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ushort2bfloat16_rd(unsigned short i)
{
    return __TERN_H(__tern_op_uitof_rd<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ll2bfloat16_rd(long long i)
{
    return __TERN_H(__tern_op_sitof_rd<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __ull2bfloat16_rd(unsigned long long i)
{
    return __TERN_H(__tern_op_uitof_rd<__tern_bf16>(i));
}
__TERN_FN __nv_bfloat16 __double2bfloat16(double f)
{
    return __nv_bfloat16(f);
}
__TERN_FN float __bfloat162float(__nv_bfloat16 a)
{
    return (float)a.__v;
}
__TERN_FN __nv_bfloat162 __float2bfloat162_rn(float f)
{
    return __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f));
}
__TERN_FN __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
__TERN_FN __nv_bfloat162 __float22bfloat162_rn(float2 f)
{
    return __nv_bfloat162(__nv_bfloat16(f.x), __nv_bfloat16(f.y));
}
__TERN_FN float2 __bfloat1622float2(__nv_bfloat162 a)
{
    return float2{(float)a.x.__v, (float)a.y.__v};
}
__TERN_FN float __low2float(__nv_bfloat162 a)
{
    return (float)a.x.__v;
}
__TERN_FN float __high2float(__nv_bfloat162 a)
{
    return (float)a.y.__v;
}
__TERN_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a)
{
    return __nv_bfloat162(a, a);
}
__TERN_FN __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
__TERN_FN __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a)
{
    return a.x;
}
__TERN_FN __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a)
{
    return a.y;
}
__TERN_FN __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.x, a.x);
}
__TERN_FN __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.y, a.y);
}
__TERN_FN __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.y, a.x);
}
__TERN_FN __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
__TERN_FN __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}
__TERN_FN __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
__TERN_FN unsigned short __bfloat16_as_ushort(__nv_bfloat16 a)
{
    return __tern_op_bitcast<unsigned short>(a.__v);
}
__TERN_FN short __bfloat16_as_short(__nv_bfloat16 a)
{
    return __tern_op_bitcast<short>(a.__v);
}
__TERN_FN __nv_bfloat16 __ushort_as_bfloat16(unsigned short u)
{
    return __TERN_H(__tern_op_bitcast<__tern_bf16>(u));
}
__TERN_FN __nv_bfloat16 __short_as_bfloat16(short u)
{
    return __TERN_H(__tern_op_bitcast<__tern_bf16>(u));
}

/* ---- arithmetic ---- */
#define __TERN_H2(n, e)                                                                            \
    __TERN_FN __nv_bfloat16 n(__nv_bfloat16 a, __nv_bfloat16 b)                                    \
    {                                                                                              \
        return __TERN_H(e);                                                                        \
    }
#define __TERN_H22(n, m)                                                                           \
    __TERN_FN __nv_bfloat162 n(__nv_bfloat162 a, __nv_bfloat162 b)                                 \
    {                                                                                              \
        return __nv_bfloat162(m(a.x, b.x), m(a.y, b.y));                                           \
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
__TERN_H2(__hadd_sat,
          __tern_op_fmin(__tern_op_fmax((__tern_bf16)(a.__v + b.__v), (__tern_bf16)0.0f),
                         (__tern_bf16)1.0f))
__TERN_H22(__hadd2_sat, __hadd_sat)
__TERN_H2(__hsub_rn, a.__v - b.__v)
__TERN_H22(__hsub2_rn, __hsub)
__TERN_H2(__hsub_sat,
          __tern_op_fmin(__tern_op_fmax((__tern_bf16)(a.__v - b.__v), (__tern_bf16)0.0f),
                         (__tern_bf16)1.0f))
__TERN_H22(__hsub2_sat, __hsub_sat)
__TERN_H2(__hmul_rn, a.__v *b.__v)
__TERN_H22(__hmul2_rn, __hmul)
__TERN_H2(__hmul_sat, __tern_op_fmin(__tern_op_fmax((__tern_bf16)(a.__v *b.__v), (__tern_bf16)0.0f),
                                     (__tern_bf16)1.0f))
__TERN_H22(__hmul2_sat, __hmul_sat)
__TERN_FN __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __TERN_H(__tern_op_fma(a.__v, b.__v, c.__v));
}
__TERN_FN __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __TERN_H(__tern_op_fmin(
        __tern_op_fmax(__tern_op_fma(a.__v, b.__v, c.__v), (__tern_bf16)0.0f), (__tern_bf16)1.0f));
}
__TERN_FN __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __TERN_H(__tern_op_fmax(__tern_op_fma(a.__v, b.__v, c.__v), (__tern_bf16)0.0f));
}
__TERN_FN __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
__TERN_FN __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
__TERN_FN __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
__TERN_FN __nv_bfloat16 __hneg(__nv_bfloat16 a)
{
    return __TERN_H(__tern_op_fneg(a.__v));
}
__TERN_FN __nv_bfloat16 __habs(__nv_bfloat16 a)
{
    return __TERN_H(__tern_op_fabs(a.__v));
}
__TERN_FN __nv_bfloat162 __hneg2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__hneg(a.x), __hneg(a.y));
}
__TERN_FN __nv_bfloat162 __habs2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__habs(a.x), __habs(a.y));
}

/* ---- comparison ---- */
__TERN_FN bool __heq(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return a.__v == b.__v;
}
__TERN_FN bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return !(a.__v < b.__v || a.__v > b.__v);
}
__TERN_FN __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__nv_bfloat16(__heq(a.x, b.x) ? 1.0f : 0.0f),
                          __nv_bfloat16(__heq(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
__TERN_FN unsigned __heq2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hne(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return a.__v < b.__v || a.__v > b.__v;
}
__TERN_FN bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return a.__v != b.__v;
}
__TERN_FN __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__nv_bfloat16(__hne(a.x, b.x) ? 1.0f : 0.0f),
                          __nv_bfloat16(__hne(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
__TERN_FN unsigned __hne2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hle(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return a.__v <= b.__v;
}
__TERN_FN bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return !(a.__v > b.__v);
}
__TERN_FN __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__nv_bfloat16(__hle(a.x, b.x) ? 1.0f : 0.0f),
                          __nv_bfloat16(__hle(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}
__TERN_FN unsigned __hle2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hge(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return a.__v >= b.__v;
}
__TERN_FN bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return !(a.__v < b.__v);
}
__TERN_FN __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__nv_bfloat16(__hge(a.x, b.x) ? 1.0f : 0.0f),
                          __nv_bfloat16(__hge(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
__TERN_FN unsigned __hge2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return a.__v < b.__v;
}
__TERN_FN bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return !(a.__v >= b.__v);
}
__TERN_FN __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__nv_bfloat16(__hlt(a.x, b.x) ? 1.0f : 0.0f),
                          __nv_bfloat16(__hlt(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
__TERN_FN unsigned __hlt2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return a.__v > b.__v;
}
__TERN_FN bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return !(a.__v <= b.__v);
}
__TERN_FN __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(__nv_bfloat16(__hgt(a.x, b.x) ? 1.0f : 0.0f),
                          __nv_bfloat16(__hgt(a.y, b.y) ? 1.0f : 0.0f));
}
__TERN_FN bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
__TERN_FN unsigned __hgt2_mask(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u);
}
__TERN_FN bool __hisnan(__nv_bfloat16 a)
{
    return a.__v != a.__v;
}
__TERN_FN int __hisinf(__nv_bfloat16 a)
{
    float f = (float)a.__v;
    return f == __builtin_huge_valf() ? 1 : f == -__builtin_huge_valf() ? -1 : 0;
}
__TERN_FN __nv_bfloat162 __hisnan2(__nv_bfloat162 a)
{
    return __nv_bfloat162(__nv_bfloat16(__hisnan(a.x) ? 1.0f : 0.0f),
                          __nv_bfloat16(__hisnan(a.y) ? 1.0f : 0.0f));
}

/* ---- functions: computed in float, rounded once more ---- */
__TERN_FN __nv_bfloat16 hsqrt(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_op_fsqrt(x));
}
__TERN_FN __nv_bfloat162 h2sqrt(__nv_bfloat162 a)
{
    return __nv_bfloat162(hsqrt(a.x), hsqrt(a.y));
}
__TERN_FN __nv_bfloat16 hrsqrt(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_rsqrtf(x));
}
__TERN_FN __nv_bfloat162 h2rsqrt(__nv_bfloat162 a)
{
    return __nv_bfloat162(hrsqrt(a.x), hrsqrt(a.y));
}
__TERN_FN __nv_bfloat16 hrcp(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(1.0f / x);
}
__TERN_FN __nv_bfloat162 h2rcp(__nv_bfloat162 a)
{
    return __nv_bfloat162(hrcp(a.x), hrcp(a.y));
}
__TERN_FN __nv_bfloat16 hsin(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_sinf(x));
}
__TERN_FN __nv_bfloat162 h2sin(__nv_bfloat162 a)
{
    return __nv_bfloat162(hsin(a.x), hsin(a.y));
}
__TERN_FN __nv_bfloat16 hcos(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_cosf(x));
}
__TERN_FN __nv_bfloat162 h2cos(__nv_bfloat162 a)
{
    return __nv_bfloat162(hcos(a.x), hcos(a.y));
}
__TERN_FN __nv_bfloat16 hexp(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_expf(x));
}
__TERN_FN __nv_bfloat162 h2exp(__nv_bfloat162 a)
{
    return __nv_bfloat162(hexp(a.x), hexp(a.y));
}
__TERN_FN __nv_bfloat16 hexp2(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_exp2f(x));
}
__TERN_FN __nv_bfloat162 h2exp2(__nv_bfloat162 a)
{
    return __nv_bfloat162(hexp2(a.x), hexp2(a.y));
}
__TERN_FN __nv_bfloat16 hexp10(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_exp10f(x));
}
__TERN_FN __nv_bfloat162 h2exp10(__nv_bfloat162 a)
{
    return __nv_bfloat162(hexp10(a.x), hexp10(a.y));
}
__TERN_FN __nv_bfloat16 hlog(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_logf(x));
}
__TERN_FN __nv_bfloat162 h2log(__nv_bfloat162 a)
{
    return __nv_bfloat162(hlog(a.x), hlog(a.y));
}
__TERN_FN __nv_bfloat16 hlog2(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_log2f(x));
}
__TERN_FN __nv_bfloat162 h2log2(__nv_bfloat162 a)
{
    return __nv_bfloat162(hlog2(a.x), hlog2(a.y));
}
__TERN_FN __nv_bfloat16 hlog10(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_log10f(x));
}
__TERN_FN __nv_bfloat162 h2log10(__nv_bfloat162 a)
{
    return __nv_bfloat162(hlog10(a.x), hlog10(a.y));
}
__TERN_FN __nv_bfloat16 htanh(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_tanhf(x));
}
__TERN_FN __nv_bfloat162 h2tanh(__nv_bfloat162 a)
{
    return __nv_bfloat162(htanh(a.x), htanh(a.y));
}
__TERN_FN __nv_bfloat16 hfloor(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_op_ffloor(x));
}
__TERN_FN __nv_bfloat162 h2floor(__nv_bfloat162 a)
{
    return __nv_bfloat162(hfloor(a.x), hfloor(a.y));
}
__TERN_FN __nv_bfloat16 hceil(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_op_fceil(x));
}
__TERN_FN __nv_bfloat162 h2ceil(__nv_bfloat162 a)
{
    return __nv_bfloat162(hceil(a.x), hceil(a.y));
}
__TERN_FN __nv_bfloat16 htrunc(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_op_ftrunc(x));
}
__TERN_FN __nv_bfloat162 h2trunc(__nv_bfloat162 a)
{
    return __nv_bfloat162(htrunc(a.x), htrunc(a.y));
}
__TERN_FN __nv_bfloat16 hrint(__nv_bfloat16 a)
{
    float x = (float)a.__v;
    return __nv_bfloat16(__tern_op_frint(x));
}
__TERN_FN __nv_bfloat162 h2rint(__nv_bfloat162 a)
{
    return __nv_bfloat162(hrint(a.x), hrint(a.y));
}

/* ---- operators ---- */
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
__TERN_FN __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hadd(a, b);
}
__TERN_FN __nv_bfloat16 &operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    a = __hadd(a, b);
    return a;
}
__TERN_FN __nv_bfloat162 operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hadd2(a, b);
}
__TERN_FN __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    a = __hadd2(a, b);
    return a;
}
__TERN_FN __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hsub(a, b);
}
__TERN_FN __nv_bfloat16 &operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    a = __hsub(a, b);
    return a;
}
__TERN_FN __nv_bfloat162 operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hsub2(a, b);
}
__TERN_FN __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    a = __hsub2(a, b);
    return a;
}
__TERN_FN __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hmul(a, b);
}
__TERN_FN __nv_bfloat16 &operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    a = __hmul(a, b);
    return a;
}
__TERN_FN __nv_bfloat162 operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hmul2(a, b);
}
__TERN_FN __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    a = __hmul2(a, b);
    return a;
}
__TERN_FN __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hdiv(a, b);
}
__TERN_FN __nv_bfloat16 &operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    a = __hdiv(a, b);
    return a;
}
__TERN_FN __nv_bfloat162 operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __h2div(a, b);
}
__TERN_FN __nv_bfloat162 &operator/=(__nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    a = __h2div(a, b);
    return a;
}
__TERN_FN __nv_bfloat16 operator-(const __nv_bfloat16 &a)
{
    return __hneg(a);
}
__TERN_FN __nv_bfloat16 operator+(const __nv_bfloat16 &a)
{
    return a;
}
__TERN_FN __nv_bfloat162 operator-(const __nv_bfloat162 &a)
{
    return __hneg2(a);
}
__TERN_FN __nv_bfloat16 &operator++(__nv_bfloat16 &a)
{
    a = __hadd(a, __nv_bfloat16(1.0f));
    return a;
}
__TERN_FN __nv_bfloat16 operator++(__nv_bfloat16 &a, int)
{
    __nv_bfloat16 old = a;
    a = __hadd(a, __nv_bfloat16(1.0f));
    return old;
}
__TERN_FN __nv_bfloat16 &operator--(__nv_bfloat16 &a)
{
    a = __hsub(a, __nv_bfloat16(1.0f));
    return a;
}
__TERN_FN bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __heq(a, b);
}
__TERN_FN bool operator==(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hbeq2(a, b);
}
__TERN_FN bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hgt(a, b);
}
__TERN_FN bool operator>(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hbgt2(a, b);
}
__TERN_FN bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hlt(a, b);
}
__TERN_FN bool operator<(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hblt2(a, b);
}
__TERN_FN bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hge(a, b);
}
__TERN_FN bool operator>=(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hbge2(a, b);
}
__TERN_FN bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hle(a, b);
}
__TERN_FN bool operator<=(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hble2(a, b);
}
__TERN_FN bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
{
    return __hneu(a, b);
}
__TERN_FN bool operator!=(const __nv_bfloat162 &a, const __nv_bfloat162 &b)
{
    return __hneu(a.x, b.x) || __hneu(a.y, b.y);
}
#endif

#ifdef __TERN_DEVICE__
/* ---- warps, memory, atomics ---- */
__TERN_FN __nv_bfloat16 __shfl_sync(unsigned mask, __nv_bfloat16 a, int lane, int width = 32)
{
    return __ushort_as_bfloat16(
        (unsigned short)__tern_shfl_idx(mask, (unsigned)__bfloat16_as_ushort(a), (unsigned)lane,
                                        (unsigned)(32 - width) << 8 | 31u));
}
__TERN_FN __nv_bfloat162 __shfl_sync(unsigned mask, __nv_bfloat162 a, int lane, int width = 32)
{
    unsigned u = __tern_shfl_idx(
        mask, (unsigned)__bfloat16_as_ushort(a.x) | (unsigned)__bfloat16_as_ushort(a.y) << 16,
        (unsigned)lane, (unsigned)(32 - width) << 8 | 31u);
    return __nv_bfloat162(__ushort_as_bfloat16((unsigned short)u),
                          __ushort_as_bfloat16((unsigned short)(u >> 16)));
}
__TERN_FN __nv_bfloat16 __shfl_up_sync(unsigned mask, __nv_bfloat16 a, unsigned delta,
                                       int width = 32)
{
    return __ushort_as_bfloat16((unsigned short)__tern_shfl_up(
        mask, (unsigned)__bfloat16_as_ushort(a), (unsigned)delta, (unsigned)(32 - width) << 8));
}
__TERN_FN __nv_bfloat162 __shfl_up_sync(unsigned mask, __nv_bfloat162 a, unsigned delta,
                                        int width = 32)
{
    unsigned u = __tern_shfl_up(
        mask, (unsigned)__bfloat16_as_ushort(a.x) | (unsigned)__bfloat16_as_ushort(a.y) << 16,
        (unsigned)delta, (unsigned)(32 - width) << 8);
    return __nv_bfloat162(__ushort_as_bfloat16((unsigned short)u),
                          __ushort_as_bfloat16((unsigned short)(u >> 16)));
}
__TERN_FN __nv_bfloat16 __shfl_down_sync(unsigned mask, __nv_bfloat16 a, unsigned delta,
                                         int width = 32)
{
    return __ushort_as_bfloat16(
        (unsigned short)__tern_shfl_down(mask, (unsigned)__bfloat16_as_ushort(a), (unsigned)delta,
                                         (unsigned)(32 - width) << 8 | 31u));
}
__TERN_FN __nv_bfloat162 __shfl_down_sync(unsigned mask, __nv_bfloat162 a, unsigned delta,
                                          int width = 32)
{
    unsigned u = __tern_shfl_down(
        mask, (unsigned)__bfloat16_as_ushort(a.x) | (unsigned)__bfloat16_as_ushort(a.y) << 16,
        (unsigned)delta, (unsigned)(32 - width) << 8 | 31u);
    return __nv_bfloat162(__ushort_as_bfloat16((unsigned short)u),
                          __ushort_as_bfloat16((unsigned short)(u >> 16)));
}
__TERN_FN __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 a, int lanes, int width = 32)
{
    return __ushort_as_bfloat16(
        (unsigned short)__tern_shfl_xor(mask, (unsigned)__bfloat16_as_ushort(a), (unsigned)lanes,
                                        (unsigned)(32 - width) << 8 | 31u));
}
__TERN_FN __nv_bfloat162 __shfl_xor_sync(unsigned mask, __nv_bfloat162 a, int lanes, int width = 32)
{
    unsigned u = __tern_shfl_xor(
        mask, (unsigned)__bfloat16_as_ushort(a.x) | (unsigned)__bfloat16_as_ushort(a.y) << 16,
        (unsigned)lanes, (unsigned)(32 - width) << 8 | 31u);
    return __nv_bfloat162(__ushort_as_bfloat16((unsigned short)u),
                          __ushort_as_bfloat16((unsigned short)(u >> 16)));
}
__TERN_FN __nv_bfloat16 __ldg(const __nv_bfloat16 *p)
{
    return __ushort_as_bfloat16(__tern_load_invariant((const unsigned short *)p));
}
__TERN_FN __nv_bfloat162 __ldg(const __nv_bfloat162 *p)
{
    return __nv_bfloat162(__ldg(&p->x), __ldg(&p->y));
}
__TERN_FN __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
    return __TERN_H(__tern_atomic_fadd(&p->__v, v.__v, 1, 1));
}
/* two halves in one word: each is added by itself, as CUDA promises */
__TERN_FN __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
    __nv_bfloat16 x = atomicAdd(&p->x, v.x), y = atomicAdd(&p->y, v.y);
    return __nv_bfloat162(x, y);
}
#endif
#undef __TERN_H
#undef __TERN_H2
#undef __TERN_H22
