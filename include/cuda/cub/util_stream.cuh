/* Where a device-wide function works: a stream, or what names one. */
#pragma once
#include "cub/util_type.cuh"
#include <cuda/stream_ref>

namespace cub
{
namespace detail
{
template <class E, class = void> struct has_get : std::false_type {
};
template <class E>
struct has_get<E, typename std::enable_if<std::is_convertible<
                      decltype(std::declval<const E &>().get()), cudaStream_t>::value>::type>
    : std::true_type {
};
template <class E, class = void> struct has_stream : std::false_type {
};
template <class E>
struct has_stream<E, decltype((void)std::declval<const E &>().stream())> : std::true_type {
};
template <class E, class Q, class = void> struct has_query : std::false_type {
};
template <class E, class Q>
struct has_query<E, Q, decltype((void)std::declval<const E &>().query(std::declval<const Q &>()))>
    : std::true_type {
};

/* A stream, an object that has one, or an environment, which may name one. */
struct on_stream {
    cudaStream_t stream;
    on_stream(cudaStream_t stream = 0) : stream(stream)
    {
    }
    template <class E, typename std::enable_if<std::is_class<E>::value, int>::type = 0>
    on_stream(const E &e) : stream(of(e))
    {
    }
    operator cudaStream_t() const
    {
        return stream;
    }

  private:
    template <class E> static cudaStream_t of(const E &e)
    {
        if constexpr (std::is_convertible<E, cudaStream_t>::value)
            return e;
        else if constexpr (has_get<E>::value)
            return e.get();
        else if constexpr (has_stream<E>::value)
            return on_stream(e.stream()).stream;
        else if constexpr (has_query<E, cuda::get_stream_t>::value)
            return on_stream(e.query(cuda::get_stream_t())).stream;
        else
            return 0;
    }
};

/* An index that counts elements; a range, unlike an operator, can be indexed. */
template <class N> using if_number = typename std::enable_if<std::is_integral<N>::value, int>::type;
template <class R, class = void> struct is_range : std::false_type {
};
template <class R> struct is_range<R, decltype((void)std::declval<R &>()[0])> : std::true_type {
};
template <class R> using if_range = typename std::enable_if<is_range<R>::value, int>::type;
template <class R>
using if_operator = typename std::enable_if<!is_range<R>::value && std::is_class<R>::value &&
                                                !std::is_convertible<R, cudaStream_t>::value,
                                            int>::type;

/* Device-wide functions: without memory they say how much they want. */
template <class F> cudaError_t in_two_calls(void *memory, size_t &bytes, F f)
{
    tern_parallel::workspace w(memory);
    const cudaError_t e = f(w);
    if (!memory)
        bytes = w.used ? w.used : 1;
    return e;
}
/* The same with memory of the stream's own. */
template <class F> cudaError_t in_one_call(cudaStream_t stream, F f)
{
    size_t bytes = 0;
    void *memory = 0;
    cudaError_t e = f((void *)0, bytes);
    if (!e)
        e = cudaMallocAsync(&memory, bytes, stream);
    if (e)
        return e;
    e = f(memory, bytes);
    const cudaError_t freed = cudaFreeAsync(memory, stream);
    return e ? e : freed;
}

/* ---- what scans and reductions start with ---- */

template <class T> struct start_type {
    typedef T type;
    template <class S> static tern_parallel::start_value<S> as(const T &t)
    {
        return tern_parallel::start_value<S>{(S)t};
    }
};
template <class T, class It> struct start_type<FutureValue<T, It>> {
    typedef T type;
    template <class S> static tern_parallel::start_read<S, raw_t<It>> as(const FutureValue<T, It> &t)
    {
        return tern_parallel::start_read<S, raw_t<It>>{raw(t.at)};
    }
};
template <class T> using start_of = typename start_type<T>::type;
} // namespace detail
} // namespace cub
