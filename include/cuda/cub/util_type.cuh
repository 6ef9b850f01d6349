/* Small types that CUB's interfaces use. */
#pragma once
#include "tern_parallel.h"
#include "thrust/detail/traits.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#define CUB_VERSION 200400
#define CUB_HD      __host__ __device__

namespace cub
{
struct NullType {
};

template <int value_> struct Int2Type {
    enum { VALUE = value_ };
};

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

/* Numbers as bits: TwiddleIn gives unsigned numbers of the same order, TwiddleOut the bits again.
 */
template <class T> struct NumericTraits {
    typedef typename tern_parallel::unsigned_of<sizeof(T)>::type UnsignedBits;
    static constexpr bool PRIMITIVE = true, NULL_TYPE = false;
    static constexpr UnsignedBits HIGH_BIT = (UnsignedBits)((UnsignedBits)1 << (8 * sizeof(T) - 1));
    CUB_HD static UnsignedBits TwiddleIn(UnsignedBits u)
    {
        if constexpr (std::is_floating_point<T>::value)
            return (UnsignedBits)(u & HIGH_BIT ? ~u : u ^ HIGH_BIT);
        else if constexpr (std::is_signed<T>::value)
            return (UnsignedBits)(u ^ HIGH_BIT);
        else
            return u;
    }
    CUB_HD static UnsignedBits TwiddleOut(UnsignedBits u)
    {
        if constexpr (std::is_floating_point<T>::value)
            return (UnsignedBits)(u & HIGH_BIT ? u ^ HIGH_BIT : ~u);
        else
            return TwiddleIn(u);
    }
    CUB_HD static T Max()
    {
        return std::numeric_limits<T>::max();
    }
    CUB_HD static T Lowest()
    {
        return std::numeric_limits<T>::lowest();
    }
};
template <class T> struct Traits : NumericTraits<typename std::remove_cv<T>::type> {
};

namespace detail
{
template <class I> using value_of = thrust::detail::value_of<I>;
template <class I> using raw_t = thrust::detail::raw_t<I>;
template <class I> raw_t<I> raw(const I &i)
{
    return thrust::detail::raw(i);
}
/* What is added up in: the wider of what comes in and goes out. */
template <class A, class B, bool = std::is_arithmetic<A>::value &&std::is_arithmetic<B>::value>
struct sum_type {
    typedef A type;
};
template <class A, class B> struct sum_type<A, B, true> {
    typedef typename std::common_type<A, B>::type type;
};
template <class I, class O> using sum_of = typename sum_type<value_of<I>, value_of<O>>::type;

/* Device-wide functions: without memory they say how much they want. */
template <class F> cudaError_t in_two_calls(void *memory, size_t &bytes, F f)
{
    tern_parallel::workspace w(memory);
    const cudaError_t e = f(w);
    if (!memory)
        bytes = w.used ? w.used : 1;
    return e;
}
/* Which thread of the block this is, whatever its shape. */
__device__ inline int thread_in_block()
{
    return (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
} // namespace detail
} // namespace cub
