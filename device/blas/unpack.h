/* Matrices that products do not take as they lie: numbers of four bits, blocks with scales of their own, interleaved orders, complex numbers
 * in two planes. Each is unpacked to a plain matrix first, and a result is packed last.
 *
 * (o, l) is an element of op(X): o is what the product keeps, l what it sums over; of C and D o is the column, l the row. */
#pragma once
#include "cuda_fp4.h"
#include "device/blas/lt.h"

struct block_scales {
    const void *p;
    int mode; /* as cublasLtMatmulMatrixScale_t has them; 0: none */
};
enum { SCALE_VEC16 = 1, SCALE_VEC32 = 2, SCALE_VEC128 = 4, SCALE_BLK128 = 5 };

/* Where the scale of column l / 16 or l / 32 of row o is: tiles of 128 rows by 4 columns, 32 rows of a tile side by side. */
__device__ inline long long place_of_scale(long long o, long long block, long long inner, int each)
{
    const long long across = ((inner + each - 1) / each + 3) / 4;
    return (block / 4 + o / 128 * across) * 512 + o % 32 * 16 + o % 128 / 32 * 4 + block % 4;
}
__device__ inline float scale_of(const block_scales &s, long long o, long long l, long long outer, long long inner)
{
    if (s.mode == SCALE_VEC16)
        return (float)((const __nv_fp8_e4m3 *)s.p)[place_of_scale(o, l / 16, inner, 16)];
    if (s.mode == SCALE_VEC32)
        return (float)((const __nv_fp8_e8m0 *)s.p)[place_of_scale(o, l / 32, inner, 32)];
    if (s.mode == SCALE_VEC128)
        return ((const float *)s.p)[o + l / 128 * outer];
    return ((const float *)s.p)[l / 128 + o / 128 * (((inner + 127) / 128 + 3) / 4 * 4)];
}

/* Elements as they are stored: T, or one of these. */
struct planes {
    __half part;
};
template <class T, class O> struct packed {
    static __device__ O load(const void *p, long long at, long long) { return to<O>(((const T *)p)[at]); }
    static __device__ void store(void *p, long long at, long long, O v) { ((T *)p)[at] = to<T>(v); }
};
template <> struct packed<__nv_fp4_e2m1, float> {
    static __device__ float load(const void *p, long long at, long long)
    {
        return __tern_e2m1_to(((const unsigned char *)p)[at >> 1] >> (at & 1) * 4 & 15u);
    }
};
template <> struct packed<planes, complex<float>> {
    static __device__ complex<float> load(const void *p, long long at, long long plane)
    {
        complex<float> v = {__half2float(((const __half *)p)[at]), __half2float(((const __half *)((const char *)p + plane))[at])};
        return v;
    }
    static __device__ void store(void *p, long long at, long long plane, complex<float> v)
    {
        ((__half *)p)[at] = __float2half(v.x);
        ((__half *)((char *)p + plane))[at] = __float2half(v.y);
    }
};
template <class O> __device__ inline O scaled(O v, float) { return v; }
template <> __device__ inline float scaled<float>(float v, float s) { return v * s; }

template <class T, class O>
__global__ void unpack(long long outer, long long inner, place_of_matrix m, long long plane, block_scales s, O *out)
{
    const long long z = blockIdx.y;
    EACH_ELEMENT (e, outer * inner) {
        const long long o = e % outer, l = e / outer;
        const O v = packed<T, O>::load(m.p, index_in(m, o, l, z), plane);
        out[z * outer * inner + e] = s.mode ? scaled(v, scale_of(s, o, l, outer, inner)) : m.conj ? conjugate(v) : v;
    }
}

/* A result of rows by cols, by columns. */
template <class T, class O>
__global__ void repack(long long rows, long long cols, place_of_matrix m, long long plane, const O *from)
{
    const long long z = blockIdx.y;
    EACH_ELEMENT (e, rows * cols)
        packed<T, O>::store((void *)m.p, index_in(m, e % rows, e / rows, z), plane, from[z * rows * cols + e]);
}

/* The same with a scale for each block of rows: the block's largest number becomes the largest of the type. */
template <class T> struct block_type;
template <> struct block_type<__nv_fp4_e2m1> {
    enum { each = 16 };
    static __device__ float largest() { return 6.f; }
    static __device__ unsigned char scale(float s) { return __nv_cvt_float_to_fp8(s, __NV_SATFINITE, __NV_E4M3); }
    static __device__ float factor(unsigned char s) { return s ? 1.f / __tern_e4m3_to(s) : 0.f; }
};
template <class T> struct block_type_fp8 {
    enum { each = 32 };
    static __device__ unsigned char scale(float s) { return __nv_cvt_float_to_e8m0(s, __NV_SATFINITE, cudaRoundPosInf); }
    static __device__ float factor(unsigned char s) { return 1.f / __tern_e8m0_to(s); }
};
template <> struct block_type<__nv_fp8_e4m3> : block_type_fp8<__nv_fp8_e4m3> {
    static __device__ float largest() { return 448.f; }
};
template <> struct block_type<__nv_fp8_e5m2> : block_type_fp8<__nv_fp8_e5m2> {
    static __device__ float largest() { return 57344.f; }
};
template <class T> __device__ inline void store_block(T *p, long long at, const float *v, int n, float factor)
{
    for (int k = 0; k < n; k++)
        p[at + k] = T(v[k] * factor);
}
/* Blocks begin with whole bytes; what is left of the last one is padding. */
template <> __device__ inline void store_block<__nv_fp4_e2m1>(__nv_fp4_e2m1 *p, long long at, const float *v, int n, float factor)
{
    for (int k = 0; k < n; k += 2) {
        const float2 two = {v[k] * factor, k + 1 < n ? v[k + 1] * factor : 0.f};
        ((unsigned char *)p)[(at + k) >> 1] = __nv_fp4x2_e2m1(two).__x;
    }
}
template <class T> __global__ void quantise(long long rows, long long cols, long long ld, T *d, unsigned char *scales, const float *from)
{
    typedef block_type<T> type;
    const long long blocks = (rows + type::each - 1) / type::each;
    EACH_ELEMENT (e, blocks * cols) {
        const long long b = e % blocks, j = e / blocks, i = b * type::each;
        const int n = (int)(rows - i < type::each ? rows - i : type::each);
        const float *v = from + i + j * rows;
        float most = 0.f;
        for (int k = 0; k < n; k++)
            most = fmaxf(most, fabsf(v[k]));
        const unsigned char s = type::scale(most / type::largest());
        scales[place_of_scale(j, b, rows, type::each)] = s;
        store_block(d, i + j * ld, v, n, type::factor(s));
    }
}
