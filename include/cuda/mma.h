/* wmma: matrix fragments spread over a warp, multiplied by the IR's mma.
 *
 * A fragment's elements lie where src/ir/mma.def puts them. 16x16 is two multiplications side by side,
 * 32x8 two below each other, and 8x32 is computed as the transpose of 32x8. */
#pragma once
#include "cuda_fp16.h"
#include "cuda_bf16.h"
#if defined(__TERN_DEVICE__) || defined(__CUDACC__) /* host code sees the types */

namespace nvcuda {
namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
}
/* Elements of less than a byte: tern_mma_bits.h. */
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
enum layout_t { mem_row_major, mem_col_major };

/* An element type: how it is stored, how many lie in a register, registers of the left and the right
 * operand, rows of the left one. */
template <class T> struct __tern_input;
template <> struct __tern_input<__half> { typedef __half type; static constexpr int per = 2, left = 4, right = 2, rows = 16; };
template <> struct __tern_input<__nv_bfloat16> { typedef __nv_bfloat16 type; static constexpr int per = 2, left = 4, right = 2, rows = 16; };
template <> struct __tern_input<signed char> { typedef signed char type; static constexpr int per = 4, left = 2, right = 1, rows = 16; };
template <> struct __tern_input<unsigned char> { typedef unsigned char type; static constexpr int per = 4, left = 2, right = 1, rows = 16; };
template <> struct __tern_input<precision::tf32> { typedef float type; static constexpr int per = 1, left = 4, right = 2, rows = 16; };
template <> struct __tern_input<double> { typedef double type; static constexpr int per = 1, left = 1, right = 1, rows = 8; };

/* The number of the multiplication in src/ir/mma.def. */
template <class T, class C> struct __tern_kind;
template <> struct __tern_kind<__half, float> { static constexpr int value = 1; };
template <> struct __tern_kind<__half, __half> { static constexpr int value = 3; };
template <> struct __tern_kind<__nv_bfloat16, float> { static constexpr int value = 5; };
template <> struct __tern_kind<precision::tf32, float> { static constexpr int value = 7; };
template <> struct __tern_kind<double, double> { static constexpr int value = 8; };
template <> struct __tern_kind<signed char, int> { static constexpr int value = 11; };
template <> struct __tern_kind<unsigned char, int> { static constexpr int value = 12; };

/* A shape: blocks down, blocks across, and whether it is computed transposed. */
template <int m, int n, int k> struct __tern_shape;
template <> struct __tern_shape<16, 16, 16> { static constexpr int down = 1, across = 2; static constexpr bool flip = false; };
template <> struct __tern_shape<32, 8, 16> { static constexpr int down = 2, across = 1; static constexpr bool flip = false; };
template <> struct __tern_shape<8, 32, 16> { static constexpr int down = 2, across = 1; static constexpr bool flip = true; };
template <> struct __tern_shape<16, 16, 8> { static constexpr int down = 1, across = 2; static constexpr bool flip = false; };
template <> struct __tern_shape<8, 8, 4> { static constexpr int down = 1, across = 1; static constexpr bool flip = false; };

struct __tern_place { int row, col; };
/* Where element i of a left operand lies, and of a right one. */
template <class T> __device__ inline __tern_place __tern_left(int i)
{
    constexpr int per = __tern_input<T>::per, n = __tern_input<T>::left * per;
    int lane = (int)__tern_sreg_laneid(), block = i / n, r = i % n / per, j = i % per;
    return __tern_place{16 * block + lane / 4 + 8 * (r % 2), lane % 4 * per + j + 4 * per * (r / 2)};
}
template <class T> __device__ inline __tern_place __tern_right(int i)
{
    constexpr int per = __tern_input<T>::per, n = __tern_input<T>::right * per;
    int lane = (int)__tern_sreg_laneid(), block = i / n, r = i % n / per, j = i % per;
    return __tern_place{lane % 4 * per + j + 4 * per * r, 8 * block + lane / 4};
}

template <class L> struct __tern_is_layout { static constexpr bool value = false; };
template <> struct __tern_is_layout<row_major> { static constexpr bool value = true; };
template <> struct __tern_is_layout<col_major> { static constexpr bool value = true; };

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment;

template <int m, int n, int k, class T, class L> class fragment<matrix_a, m, n, k, T, L> {
    static_assert(__tern_is_layout<L>::value, "a fragment of matrix_a needs a layout: row_major or col_major");
    typedef __tern_shape<m, n, k> shape;
    typedef __tern_input<T> in;

public:
    typedef typename in::type element_type;
    typedef element_type storage_element_type;
    enum { num_elements = in::per * (shape::flip ? shape::across * in::right : shape::down * in::left),
           num_storage_elements = num_elements };
    alignas(8) element_type x[num_elements];
    __device__ static __tern_place __place(int i)
    {
        if (!shape::flip)
            return __tern_left<T>(i);
        __tern_place p = __tern_right<T>(i);
        return __tern_place{p.col, p.row};
    }
};
template <int m, int n, int k, class T, class L> class fragment<matrix_b, m, n, k, T, L> {
    static_assert(__tern_is_layout<L>::value, "a fragment of matrix_b needs a layout: row_major or col_major");
    typedef __tern_shape<m, n, k> shape;
    typedef __tern_input<T> in;

public:
    typedef typename in::type element_type;
    typedef element_type storage_element_type;
    enum { num_elements = in::per * (shape::flip ? shape::down * in::left : shape::across * in::right),
           num_storage_elements = num_elements };
    alignas(8) element_type x[num_elements];
    __device__ static __tern_place __place(int i)
    {
        if (!shape::flip)
            return __tern_right<T>(i);
        __tern_place p = __tern_left<T>(i);
        return __tern_place{p.col, p.row};
    }
};
template <int m, int n, int k, class T> class fragment<accumulator, m, n, k, T, void> {
    typedef __tern_shape<m, n, k> shape;

public:
    typedef T element_type;
    typedef T storage_element_type;
    enum { num_elements = m * n / 32, num_storage_elements = num_elements };
    enum { __values = m == 8 && n == 8 ? 2 : 4 }; /* of one multiplication */
    alignas(8) T x[num_elements];
    __device__ static __tern_place __place(int i)
    {
        int lane = (int)__tern_sreg_laneid(), block = i / __values, v = i % __values;
        int row = 16 * (block / shape::across) + lane / 4 + 8 * (v / 2);
        int col = 8 * (block % shape::across) + 2 * (lane % 4) + v % 2;
        return shape::flip ? __tern_place{col, row} : __tern_place{row, col};
    }
};

template <class Use, int m, int n, int k, class T, class L, class V>
__device__ inline void fill_fragment(fragment<Use, m, n, k, T, L> &f, const V &v)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = v;
}
template <class Use, int m, int n, int k, class T, class P>
__device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, row_major> &f, const P *p, unsigned ldm)
{
    for (int i = 0; i < f.num_elements; i++) {
        __tern_place at = f.__place(i);
        f.x[i] = p[at.row * ldm + at.col];
    }
    __syncwarp();
}
template <class Use, int m, int n, int k, class T, class P>
__device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, col_major> &f, const P *p, unsigned ldm)
{
    for (int i = 0; i < f.num_elements; i++) {
        __tern_place at = f.__place(i);
        f.x[i] = p[at.col * ldm + at.row];
    }
    __syncwarp();
}
template <int m, int n, int k, class T>
__device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p, unsigned ldm, layout_t layout)
{
    for (int i = 0; i < f.num_elements; i++) {
        __tern_place at = f.__place(i);
        f.x[i] = layout == mem_row_major ? p[at.row * ldm + at.col] : p[at.col * ldm + at.row];
    }
    __syncwarp();
}
template <int m, int n, int k, class T>
__device__ inline void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f, unsigned ldm, layout_t layout)
{
    for (int i = 0; i < f.num_elements; i++) {
        __tern_place at = f.__place(i);
        p[layout == mem_row_major ? at.row * ldm + at.col : at.col * ldm + at.row] = f.x[i];
    }
    __syncwarp();
}

template <class T> struct __tern_is_int { static constexpr bool value = false; };
template <> struct __tern_is_int<int> { static constexpr bool value = true; };
/* Registers as mma takes them: packed words, or numbers where a number fills a register. */
template <class T> struct __tern_register { typedef unsigned type; };
template <> struct __tern_register<double> { typedef double type; };
template <> struct __tern_register<int> { typedef int type; };
template <class T> struct __tern_sum_register { typedef T type; };
template <> struct __tern_sum_register<__half> { typedef unsigned type; };

template <int m, int n, int k, class T, class LA, class LB, class C>
__device__ inline void mma_sync(fragment<accumulator, m, n, k, C> &d, const fragment<matrix_a, m, n, k, T, LA> &a,
                                const fragment<matrix_b, m, n, k, T, LB> &b, const fragment<accumulator, m, n, k, C> &c,
                                bool satf = false)
{
    /* Products never fill 32 bits: where sums stay at the ends, only adding c can pass them. d may be c. */
    const fragment<accumulator, m, n, k, C> kept = c;
    fragment<accumulator, m, n, k, C> from = c;
    if constexpr (__tern_is_int<C>::value)
        if (satf)
            fill_fragment(from, 0);
    typedef __tern_shape<m, n, k> shape;
    typedef __tern_input<T> in;
    typedef typename __tern_register<T>::type reg;
    typedef typename __tern_sum_register<C>::type sum;
    const reg *left, *right;
    if constexpr (shape::flip) {
        left = (const reg *)b.x;
        right = (const reg *)a.x;
    } else {
        left = (const reg *)a.x;
        right = (const reg *)b.x;
    }
    constexpr int values = (m == 8 && n == 8 ? 2 : 4) * (int)sizeof(C) / (int)sizeof(sum);
    for (int i = 0; i < shape::down; i++)
        for (int j = 0; j < shape::across; j++) {
            int at = (i * shape::across + j) * values;
            __tern_mma(__tern_kind<T, C>::value, (sum *)d.x + at, left + i * in::left, right + j * in::right,
                       (const sum *)from.x + at);
        }
    if constexpr (__tern_is_int<C>::value)
        for (int i = 0; satf && i < d.num_elements; i++) {
            const long long s = (long long)d.x[i] + kept.x[i];
            d.x[i] = s > 0x7fffffff ? 0x7fffffff : s < -0x7fffffffll - 1 ? -0x7fffffff - 1 : (int)s;
        }
}

__device__ inline float __float_to_tf32(float x)
{
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}
}
}
#endif
#if __has_include("tern_mma_bits.h") /* a page of kernels does without */
#include "tern_mma_bits.h"
#endif
