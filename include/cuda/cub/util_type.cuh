/* Small types that CUB's interfaces use. */
#pragma once
#include "tern_parallel.h"
#include "thrust/detail/traits.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#include "cub/util_arch.cuh"
#define CUB_HD __host__ __device__

namespace tern_parallel
{
template <> struct is_float_key<__half> : std::true_type {
};
template <> struct is_float_key<__nv_bfloat16> : std::true_type {
};
} // namespace tern_parallel

namespace cub
{
struct NullType {
    template <class T> CUB_HD NullType &operator=(const T &)
    {
        return *this;
    }
    CUB_HD bool operator==(const NullType &) const
    {
        return true;
    }
    CUB_HD bool operator!=(const NullType &) const
    {
        return false;
    }
};

template <int value_> struct Int2Type {
    enum { VALUE = value_ };
};
#if __cplusplus >= 201703L
namespace detail
{
template <auto value> using constant_t = std::integral_constant<decltype(value), value>;
template <auto value> static constexpr constant_t<value> constant_v{};
} // namespace detail
#endif

template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    CUB_HD KeyValuePair()
    {
    }
    CUB_HD KeyValuePair(const K &key, const V &value) : key(key), value(value)
    {
    }
    CUB_HD bool operator==(const KeyValuePair &o) const
    {
        return key == o.key && value == o.value;
    }
    CUB_HD bool operator!=(const KeyValuePair &o) const
    {
        return !(*this == o);
    }
};

/* Two buffers that take turns. */
template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector;
    CUB_HD DoubleBuffer() : d_buffers{0, 0}, selector(0)
    {
    }
    CUB_HD DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0)
    {
    }
    CUB_HD T *Current()
    {
        return d_buffers[selector];
    }
    CUB_HD T *Alternate()
    {
        return d_buffers[selector ^ 1];
    }
};

enum CacheLoadModifier {
    LOAD_DEFAULT,
    LOAD_CA,
    LOAD_CG,
    LOAD_CS,
    LOAD_CV,
    LOAD_LDG,
    LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <class A, class B> CUB_HD constexpr auto DivideAndRoundUp(A a, B b)
{
    return (a + b - 1) / b;
}

namespace detail
{
/* What the standard library's limits do not know of. */
template <class T> struct limits_of {
    CUB_HD static T max()
    {
        return std::numeric_limits<T>::max();
    }
    CUB_HD static T lowest()
    {
        return std::numeric_limits<T>::lowest();
    }
};
template <> struct limits_of<__half> {
    CUB_HD static __half max()
    {
        return __ushort_as_half((unsigned short)0x7bff);
    }
    CUB_HD static __half lowest()
    {
        return __ushort_as_half((unsigned short)0xfbff);
    }
};
template <> struct limits_of<__nv_bfloat16> {
    CUB_HD static __nv_bfloat16 max()
    {
        return __ushort_as_bfloat16((unsigned short)0x7f7f);
    }
    CUB_HD static __nv_bfloat16 lowest()
    {
        return __ushort_as_bfloat16((unsigned short)0xff7f);
    }
};
} // namespace detail

/* ---- facts of types ---- */

template <int N, int = N, int = 0> struct Log2 { /* rounded up */
    enum { VALUE = 1 + Log2<(N + 1) / 2>::VALUE };
};
template <int a, int b> struct Log2<1, a, b> {
    enum { VALUE = 0 };
};
template <int a, int b> struct Log2<0, a, b> {
    enum { VALUE = 0 };
};
template <int N> struct PowerOfTwo {
    enum { VALUE = (N & (N - 1)) == 0 };
};
template <bool yes, class A, class B> struct If {
    typedef typename std::conditional<yes, A, B>::type Type;
};
template <class A, class B> struct Equals {
    enum { VALUE = std::is_same<A, B>::value, NEGATE = !VALUE };
};
template <class T> struct IsPointer {
    enum { VALUE = std::is_pointer<T>::value };
};
template <class T> struct IsVolatile {
    enum { VALUE = std::is_volatile<T>::value };
};
template <class T, class U = T> struct RemoveQualifiers {
    typedef typename std::remove_cv<U>::type Type;
};
template <bool yes, class T = void> struct EnableIf {
    typedef typename std::enable_if<yes, T>::type Type;
};
template <class T> struct EnableIf<false, T> {
};
/* Is an operator called with the items' index, too? */
template <class T, class Op, class = void> struct BinaryOpHasIdxParam {
    static constexpr bool HAS_PARAM = false;
};
template <class T, class Op>
struct BinaryOpHasIdxParam<T, Op,
                           decltype((void)std::declval<Op &>()(std::declval<T>(),
                                                               std::declval<T>(), 0))> {
    static constexpr bool HAS_PARAM = true;
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

namespace detail
{
template <class T>
struct category_of
    : std::integral_constant<Category,
                             tern_parallel::is_float_key<T>::value && sizeof(T) <= 8 ? FLOATING_POINT
                             : !std::is_integral<T>::value || (sizeof(T) > 8) ? NOT_A_NUMBER
                             : std::is_signed<T>::value            ? SIGNED_INTEGER
                                                                   : UNSIGNED_INTEGER> {
};
} // namespace detail

/* What a number of a program's own is like, for BaseTraits. */
template <class T> struct FpLimits {
    CUB_HD static T Max()
    {
        return detail::limits_of<T>::max();
    }
    CUB_HD static T Lowest()
    {
        return detail::limits_of<T>::lowest();
    }
};

/* Numbers as bits: TwiddleIn gives unsigned numbers of the same order, TwiddleOut the bits again.
 */
template <Category category, bool primitive, bool null_type, class Bits, class T> struct BaseTraits {
    typedef Bits UnsignedBits;
    static constexpr Category CATEGORY = category;
    static constexpr bool PRIMITIVE = primitive, NULL_TYPE = null_type;
    static constexpr Bits HIGH_BIT = (Bits)((Bits)1 << (8 * sizeof(Bits) - 1));
    static constexpr Bits LOWEST_KEY = category == UNSIGNED_INTEGER ? (Bits)0
                                       : category == SIGNED_INTEGER ? HIGH_BIT
                                                                    : (Bits) ~(Bits)0;
    static constexpr Bits MAX_KEY =
        category == UNSIGNED_INTEGER ? (Bits) ~(Bits)0 : (Bits)(HIGH_BIT ^ (Bits) ~(Bits)0);
    CUB_HD static Bits TwiddleIn(Bits u)
    {
        if constexpr (category == FLOATING_POINT)
            return (Bits)(u & HIGH_BIT ? ~u : u ^ HIGH_BIT);
        else if constexpr (category == SIGNED_INTEGER)
            return (Bits)(u ^ HIGH_BIT);
        else
            return u;
    }
    CUB_HD static Bits TwiddleOut(Bits u)
    {
        if constexpr (category == FLOATING_POINT)
            return (Bits)(u & HIGH_BIT ? u ^ HIGH_BIT : ~u);
        else
            return TwiddleIn(u);
    }
    CUB_HD static T Max()
    {
        return FpLimits<T>::Max();
    }
    CUB_HD static T Lowest()
    {
        return FpLimits<T>::Lowest();
    }
};
template <bool null_type, class Bits, class T> struct BaseTraits<NOT_A_NUMBER, false, null_type, Bits, T> {
    static constexpr Category CATEGORY = NOT_A_NUMBER;
    static constexpr bool PRIMITIVE = false, NULL_TYPE = null_type;
};
namespace detail
{
template <class T, Category category> struct traits_of {
    typedef BaseTraits<category, true, false, typename tern_parallel::unsigned_of<sizeof(T)>::type, T>
        type;
};
template <class T> struct traits_of<T, NOT_A_NUMBER> {
    typedef BaseTraits<NOT_A_NUMBER, false, std::is_same<T, NullType>::value, T, T> type;
};
} // namespace detail
template <class T> struct NumericTraits : detail::traits_of<T, detail::category_of<T>::value>::type {
};
template <class T> struct Traits : NumericTraits<typename std::remove_cv<T>::type> {
};

/* ---- values ---- */

/* Memory for a T that no constructor has touched. */
template <class T> struct Uninitialized {
    alignas(T) unsigned char storage[sizeof(T)];
    CUB_HD T &Alias()
    {
        return reinterpret_cast<T &>(*this);
    }
};
template <class T, int COUNT> struct ArrayWrapper {
    T array[COUNT];
};
/* A value that is read on the device when it is wanted. */
template <class T, class It = T *> struct FutureValue {
    typedef T value_type;
    typedef It iterator_type;
    It at;
    explicit CUB_HD FutureValue(It at) : at(at)
    {
    }
    CUB_HD operator T() const
    {
        return *at;
    }
};

#if defined(__CUDACC__) || defined(__TERN_DEVICE__)
template <class T, int N> struct CubVector;
#define CUB_VECTOR(n, fields)                                                                      \
    template <class T> struct CubVector<T, n> {                                                    \
        typedef T BaseType;                                                                        \
        typedef CubVector Type;                                                                    \
        T fields;                                                                                  \
    };
CUB_VECTOR(1, x)
CUB_VECTOR(2, x; T y)
CUB_VECTOR(3, x; T y; T z)
CUB_VECTOR(4, x; T y; T z; T w)
#undef CUB_VECTOR
#endif

namespace detail
{
template <class I> using value_of = thrust::detail::value_of<I>;
using thrust::detail::raw;
using thrust::detail::raw_t;
/* What goes out, which is the input's type where an output takes anything. */
template <class O, class I, class = void> struct goes_out {
    typedef value_of<I> type;
};
template <class O, class I>
struct goes_out<O, I,
                typename std::enable_if<std::is_convertible<value_of<I>, value_of<O>>::value &&
                                        !std::is_same<value_of<O>, thrust::detail::forget>::value &&
                                        !std::is_void<value_of<O>>::value>::type> {
    typedef value_of<O> type;
};
/* What an operator makes of a start and an item: sums are kept as that. */
template <class Op, class T, class V>
using made_by =
    typename std::decay<decltype(std::declval<Op &>()(std::declval<T>(), std::declval<V>()))>::type;
template <class Op, class I> using scan_of = made_by<Op, value_of<I>, value_of<I>>;
template <class I, class O>
using sum_of = decltype(std::declval<typename goes_out<O, I>::type>() + std::declval<value_of<I>>());

/* Which thread of the block this is, whatever its shape. */
__device__ inline int thread_in_block()
{
    return (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
} // namespace detail
} // namespace cub
