/* wmma of 4-bit numbers and of bits (see mma.h): 8 by 8, 32 or 128 deep, the left operand by rows, the right one by columns.
 * A lane holds 32 bits of each: of row or column lane / 4, those from 32 * (lane % 4) on. */
#pragma once
#include "mma.h"
#if defined(__TERN_DEVICE__) || defined(__CUDACC__)
namespace nvcuda {
namespace wmma {
template <> struct __tern_shape<8, 8, 32> { static constexpr int down = 1, across = 1; static constexpr bool flip = false; };
template <> struct __tern_shape<8, 8, 128> { static constexpr int down = 1, across = 1; static constexpr bool flip = false; };

template <class T, int bits> class __tern_bits_fragment {
public:
    typedef T element_type, storage_element_type;
    enum { num_elements = 32 / bits, num_storage_elements = 1, __bits = bits };
    T x[1];
};
#define __TERN_BITS(precision, k, T, bits)                                                         \
    template <> class fragment<matrix_a, 8, 8, k, experimental::precision, row_major> : public __tern_bits_fragment<T, bits> {}; \
    template <> class fragment<matrix_b, 8, 8, k, experimental::precision, col_major> : public __tern_bits_fragment<T, bits> {};
__TERN_BITS(precision::u4, 32, unsigned, 4)
__TERN_BITS(precision::s4, 32, int, 4)
__TERN_BITS(precision::b1, 128, unsigned, 1)
#undef __TERN_BITS

/* ldm counts elements, as everywhere; lines begin at whole words. */
template <class F> __device__ inline void __tern_load_bits(F &f, const void *p, unsigned ldm)
{
    const int lane = (int)__tern_sreg_laneid();
    f.x[0] = ((const unsigned *)p)[lane / 4 * (ldm * F::__bits / 32) + lane % 4];
    __syncwarp();
}
#define __TERN_LOAD(use, k, precision, layout)                                                     \
    template <class P> __device__ inline void load_matrix_sync(fragment<use, 8, 8, k, experimental::precision, layout> &f, const P *p, unsigned ldm) \
    {                                                                                              \
        __tern_load_bits(f, p, ldm);                                                               \
    }
__TERN_LOAD(matrix_a, 32, precision::u4, row_major)
__TERN_LOAD(matrix_b, 32, precision::u4, col_major)
__TERN_LOAD(matrix_a, 32, precision::s4, row_major)
__TERN_LOAD(matrix_b, 32, precision::s4, col_major)
__TERN_LOAD(matrix_a, 128, precision::b1, row_major)
__TERN_LOAD(matrix_b, 128, precision::b1, col_major)
#undef __TERN_LOAD

#ifdef __TERN_DEVICE__
#define __TERN_MULTIPLY(types, how)                                                                \
    asm volatile("mma.sync.aligned." types ".s32" how " {%0,%1}, {%2}, {%3}, {%4,%5};"             \
                 : "=r"(d.x[0]), "=r"(d.x[1]) : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]))
#else
#define __TERN_MULTIPLY(types, how) (void)0
#endif
#define __TERN_MMA(precision, types)                                                               \
    __device__ inline void mma_sync(fragment<accumulator, 8, 8, 32, int> &d,                       \
                                    const fragment<matrix_a, 8, 8, 32, experimental::precision, row_major> &a, \
                                    const fragment<matrix_b, 8, 8, 32, experimental::precision, col_major> &b, \
                                    const fragment<accumulator, 8, 8, 32, int> &c, bool satf = false) \
    {                                                                                              \
        if (satf)                                                                                  \
            __TERN_MULTIPLY("m8n8k32.row.col.satfinite." types, "");                               \
        else                                                                                       \
            __TERN_MULTIPLY("m8n8k32.row.col." types, "");                                         \
    }
__TERN_MMA(precision::u4, "s32.u4.u4")
__TERN_MMA(precision::s4, "s32.s4.s4")
#undef __TERN_MMA
__device__ inline void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d, const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                                 const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                                 const fragment<accumulator, 8, 8, 128, int> &c, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                                 experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    if (op == experimental::bmmaBitOpAND)
        __TERN_MULTIPLY("m8n8k128.row.col.s32.b1.b1", ".and.popc");
    else
        __TERN_MULTIPLY("m8n8k128.row.col.s32.b1.b1", ".xor.popc");
}
#undef __TERN_MULTIPLY
}
}
#endif
