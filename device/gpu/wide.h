/* Division of 64-bit integers where a GPU has none of these: digit by digit, from the first that
 * can be there. As ops.def says, x/0 is all ones and x%0 is x. */
#ifndef TERN_DEVICE_GPU_WIDE_H
#define TERN_DEVICE_GPU_WIDE_H

__TERN_FN unsigned long long __tern_wide_divide(unsigned long long a, unsigned long long b,
                                                unsigned long long *rest)
{
    unsigned long long q = 0;
    if (!b) {
        *rest = a;
        return ~0ull;
    }
    for (int n = __clzll((long long)b) - __clzll((long long)a); n >= 0; n--)
        if (a >= b << n) {
            a -= b << n;
            q |= 1ull << n;
        }
    *rest = a;
    return q;
}

__TERN_FN unsigned long long __tern_wide_abs(unsigned long long a)
{
    return (long long)a < 0 ? 0 - a : a;
}

extern "C" __device__ __noinline__ unsigned long long __tern_soft64_udiv(unsigned long long a,
                                                                         unsigned long long b)
{
    unsigned long long rest;
    return __tern_wide_divide(a, b, &rest);
}

extern "C" __device__ __noinline__ unsigned long long __tern_soft64_urem(unsigned long long a,
                                                                         unsigned long long b)
{
    unsigned long long rest;
    __tern_wide_divide(a, b, &rest);
    return rest;
}

extern "C" __device__ __noinline__ unsigned long long __tern_soft64_sdiv(unsigned long long a,
                                                                         unsigned long long b)
{
    unsigned long long rest, q = __tern_wide_divide(__tern_wide_abs(a), __tern_wide_abs(b), &rest);
    return b && (long long)(a ^ b) < 0 ? 0 - q : q;
}

extern "C" __device__ __noinline__ unsigned long long __tern_soft64_srem(unsigned long long a,
                                                                         unsigned long long b)
{
    unsigned long long rest;
    __tern_wide_divide(__tern_wide_abs(a), __tern_wide_abs(b), &rest);
    return (long long)a < 0 ? 0 - rest : rest;
}

__global__ void __tern_keep_wide(unsigned long long *p)
{
    p[0] = __tern_soft64_udiv(p[0], p[1]) + __tern_soft64_urem(p[0], p[1]) +
           __tern_soft64_sdiv(p[0], p[1]) + __tern_soft64_srem(p[0], p[1]);
}

#endif
