/* A function for each element, index or place of a view. */
#pragma once
#include "cub/iterator/iterators.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_device.cuh"
#include "cub/util_stream.cuh"
#include <cuda/std/mdspan>

namespace cub
{
using tern_parallel::workspace;

namespace detail
{
template <class I, class F> struct call_each {
    I in;
    F f;
    __host__ __device__ void operator()(size_t i)
    {
        f(in[i]);
    }
};
/* f(i, the indices of place i): the last index runs fastest, or, `left`, the first. */
template <bool left, class X, class F> struct call_place {
    X extents;
    F f;
    __host__ __device__ void operator()(size_t i)
    {
        call(i, std::make_index_sequence<X::rank()>());
    }

  private:
    typedef typename X::index_type I;
    template <size_t... k> __host__ __device__ void call(size_t i, std::index_sequence<k...>)
    {
        f((I)i, index(i, k)...);
    }
    __host__ __device__ I index(size_t i, size_t k) const
    {
        for (size_t j = left ? 0 : X::rank() - 1; j != k; j += left ? 1 : -1)
            i /= (size_t)extents.extent(j);
        return (I)(i % (size_t)extents.extent(k));
    }
};
/* How many places extents have. */
template <class X> CUB_HD constexpr size_t size(const X &extents)
{
    size_t n = 1;
    for (size_t k = 0; k < X::rank(); k++)
        n *= (size_t)extents.extent(k);
    return n;
}
template <class L> struct runs_left : std::false_type {
};
template <> struct runs_left<cuda::std::layout_left> : std::true_type {
};
} // namespace detail

/* Each, too, with memory that is not wanted. */
struct DeviceFor {
    template <class N, class F, detail::if_number<N> = 0>
    static cudaError_t Bulk(N n, F f, detail::on_stream stream = {})
    {
        return n > 0 ? tern_parallel::each(f, (size_t)n, stream) : cudaSuccess;
    }
    template <class I, class N, class F, detail::if_number<N> = 0>
    static cudaError_t ForEachN(I first, N n, F f, detail::on_stream stream = {})
    {
        return Bulk(n, detail::call_each<detail::raw_t<I>, F>{detail::raw(first), f}, stream);
    }
    template <class I, class F>
    static cudaError_t ForEach(I first, I last, F f, detail::on_stream stream = {})
    {
        return ForEachN(first, (size_t)(last - first), f, stream);
    }
    template <class I, class N, class F, detail::if_number<N> = 0>
    static cudaError_t ForEachCopyN(I first, N n, F f, detail::on_stream stream = {})
    {
        return ForEachN(first, n, f, stream);
    }
    template <class I, class F>
    static cudaError_t ForEachCopy(I first, I last, F f, detail::on_stream stream = {})
    {
        return ForEach(first, last, f, stream);
    }
    template <class J, size_t... E, class F>
    static cudaError_t ForEachInExtents(const cuda::std::extents<J, E...> &extents, F f,
                                        detail::on_stream stream = {})
    {
        typedef cuda::std::extents<J, E...> X;
        return Bulk(detail::size(extents), detail::call_place<false, X, F>{extents, f}, stream);
    }
    template <class M, class F>
    static cudaError_t ForEachInLayout(const M &mapping, F f, detail::on_stream stream = {})
    {
        typedef typename M::extents_type X;
        constexpr bool left = detail::runs_left<typename M::layout_type>::value;
        return Bulk(detail::size(mapping.extents()),
                    detail::call_place<left, X, F>{mapping.extents(), f}, stream);
    }
#define CUB_WITH_MEMORY(name, types, arguments, ...)                                               \
    template <types, class F>                                                                      \
    static cudaError_t name(void *memory, size_t &bytes, arguments, F f,                           \
                            detail::on_stream stream = {})                                         \
    {                                                                                              \
        bytes = memory ? bytes : 1;                                                                \
        return memory ? name(__VA_ARGS__, f, stream) : cudaSuccess;                                \
    }
#define CUB_BOTH(a, b) a, b
    CUB_WITH_MEMORY(Bulk, class N, N n, n)
    CUB_WITH_MEMORY(ForEachN, CUB_BOTH(class I, class N), CUB_BOTH(I first, N n), first, n)
    CUB_WITH_MEMORY(ForEach, class I, CUB_BOTH(I first, I last), first, last)
    CUB_WITH_MEMORY(ForEachCopyN, CUB_BOTH(class I, class N), CUB_BOTH(I first, N n), first, n)
    CUB_WITH_MEMORY(ForEachCopy, class I, CUB_BOTH(I first, I last), first, last)
    CUB_WITH_MEMORY(ForEachInExtents, class X, const X &extents, extents)
    CUB_WITH_MEMORY(ForEachInLayout, class M, const M &mapping, mapping)
#undef CUB_BOTH
#undef CUB_WITH_MEMORY
};
} // namespace cub
