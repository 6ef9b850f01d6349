/* Functions over whole ranges that put each element by itself: transforms, differences, merging,
 * copies of many ranges, and the largest of a range. */
#pragma once
#include "cub/device/device_for.cuh"
#include "cub/device/device_sort.cuh"
#include "thrust/tuple.h"
#include <tuple>
#include <utility>

namespace cub
{
namespace detail
{
/* f of the inputs' elements at each index that a predicate of theirs chooses. */
struct all_chosen {
    template <class... T> __host__ __device__ bool operator()(const T &...) const
    {
        return true;
    }
};
template <class Q, class F, class O, class... I> struct transform_each {
    Q chosen;
    F f;
    O out;
    thrust::tuple<I...> in;
    __host__ __device__ void operator()(size_t i)
    {
        call(i, std::index_sequence_for<I...>());
    }

  private:
    template <size_t... k> __host__ __device__ void call(size_t i, std::index_sequence<k...>)
    {
        if (chosen(thrust::get<(int)k>(in)[i]...))
            out[i] = f(thrust::get<(int)k>(in)[i]...);
    }
};
template <class Q, class O, class N, class F, class... I>
cudaError_t transform(O out, N n, Q chosen, F f, cudaStream_t stream, I... in)
{
    if (n <= 0)
        return cudaSuccess;
    return tern_parallel::each(
        transform_each<Q, F, raw_t<O>, raw_t<I>...>{chosen, f, raw(out),
                                                    thrust::tuple<raw_t<I>...>(raw(in)...)},
        (size_t)n, stream);
}
/* Inputs as a tuple, or one. */
template <class Q, class O, class N, class F, size_t... k, class T>
cudaError_t transform_parts(O out, N n, Q chosen, F f, cudaStream_t stream,
                            std::index_sequence<k...>, const T &in)
{
    using std::get;
    return transform(out, n, chosen, f, stream, get<k>(in)...);
}
template <class Q, class T, class O, class N, class F>
cudaError_t transform_all(const T &in, O out, N n, Q chosen, F f, cudaStream_t stream)
{
    return transform(out, n, chosen, f, stream, in);
}
template <class Q, class... I, class O, class N, class F>
cudaError_t transform_all(const std::tuple<I...> &in, O out, N n, Q chosen, F f,
                          cudaStream_t stream)
{
    return transform_parts(out, n, chosen, f, stream, std::index_sequence_for<I...>(), in);
}
template <class Q, class... I, class O, class N, class F>
cudaError_t transform_all(const thrust::tuple<I...> &in, O out, N n, Q chosen, F f,
                          cudaStream_t stream)
{
    return transform_parts(out, n, chosen, f, stream, std::index_sequence_for<I...>(), in);
}

template <class T> struct always {
    T value;
    __host__ __device__ T operator()() const
    {
        return value;
    }
};
struct minus_next {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return a - b;
    }
};
struct less_of {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const
    {
        return a < b;
    }
};

/* out[i] from i and its neighbour; the element without one is copied. */
template <bool right, class I, class O, class F> struct difference_each {
    I in;
    O out;
    size_t n;
    F f;
    __host__ __device__ void operator()(size_t i)
    {
        if constexpr (right) {
            if (i + 1 < n)
                out[i] = f(in[i], in[i + 1]);
            else
                out[i] = in[i];
        } else {
            if (i)
                out[i] = f(in[i], in[i - 1]);
            else
                out[i] = in[i];
        }
    }
};

/* An element of either range goes to its place among both; of equal ones the first range's are
 * first. */
template <class A, class B, class O, class VA, class VB, class VO, class C, bool with_values>
struct merge_both {
    A a;
    size_t na;
    B b;
    size_t nb;
    O out;
    VA va;
    VB vb;
    VO values_out;
    C less;
    __host__ __device__ void operator()(size_t i)
    {
        if (i < na) {
            const size_t at = i + tern_parallel::lower_place(b, 0, nb, a[i], less);
            out[at] = a[i];
            if constexpr (with_values)
                values_out[at] = va[i];
        } else {
            const size_t k = i - na, at = k + tern_parallel::upper_place(a, 0, na, b[k], less);
            out[at] = b[k];
            if constexpr (with_values)
                values_out[at] = vb[k];
        }
    }
};

/* A block for each of many ranges. */
template <class In, class Out, class Sizes>
__global__ void copy_ranges(In in, Out out, Sizes sizes, size_t ranges)
{
    for (size_t k = blockIdx.x; k < ranges; k += gridDim.x) {
        const size_t n = sizes[k];
        auto from = in[k];
        auto to = out[k];
        for (size_t i = threadIdx.x; i < n; i += blockDim.x)
            to[i] = from[i];
    }
}
template <class In, class Out, class Sizes>
__global__ void copy_bytes(In in, Out out, Sizes sizes, size_t ranges)
{
    for (size_t k = blockIdx.x; k < ranges; k += gridDim.x) {
        const size_t n = sizes[k];
        const char *from = (const char *)(const void *)in[k];
        char *to = (char *)(void *)out[k];
        if (((size_t)from | (size_t)to | n) % 16 == 0) {
            for (size_t i = threadIdx.x; i < n / 16; i += blockDim.x)
                ((uint4 *)to)[i] = ((const uint4 *)from)[i];
        } else
            for (size_t i = threadIdx.x; i < n; i += blockDim.x)
                to[i] = from[i];
    }
}
} // namespace detail

/* Each, too, with memory that is not wanted. */
struct DeviceTransform {
    template <class I, class O, class N, class F, detail::if_number<N> = 0>
    static cudaError_t Transform(I in, O out, N n, F f, detail::on_stream stream = {})
    {
        return detail::transform_all(in, out, n, detail::all_chosen(), f, stream);
    }
    template <class I, class O, class N, class F, detail::if_number<N> = 0>
    static cudaError_t TransformStableArgumentAddresses(I in, O out, N n, F f,
                                                        detail::on_stream stream = {})
    {
        return Transform(in, out, n, f, stream);
    }
    template <class I, class O, class N, class Q, class F, detail::if_number<N> = 0>
    static cudaError_t TransformIf(I in, O out, N n, Q chosen, F f, detail::on_stream stream = {})
    {
        return detail::transform_all(in, out, n, chosen, f, stream);
    }
    template <class O, class N, class T, detail::if_number<N> = 0>
    static cudaError_t Fill(O out, N n, T value, detail::on_stream stream = {})
    {
        return Generate(out, n, detail::always<T>{value}, stream);
    }
    template <class O, class N, class F, detail::if_number<N> = 0>
    static cudaError_t Generate(O out, N n, F f, detail::on_stream stream = {})
    {
        return detail::transform(out, n, detail::all_chosen(), f, stream);
    }
    template <class I, class O, class N, class F, detail::if_number<N> = 0>
    static cudaError_t Transform(void *memory, size_t &bytes, I in, O out, N n, F f,
                                 detail::on_stream stream = {})
    {
        bytes = memory ? bytes : 1;
        return memory ? Transform(in, out, n, f, stream) : cudaSuccess;
    }
    template <class I, class O, class N, class F, detail::if_number<N> = 0>
    static cudaError_t TransformStableArgumentAddresses(void *memory, size_t &bytes, I in, O out,
                                                        N n, F f, detail::on_stream stream = {})
    {
        return Transform(memory, bytes, in, out, n, f, stream);
    }
    template <class I, class O, class N, class Q, class F, detail::if_number<N> = 0>
    static cudaError_t TransformIf(void *memory, size_t &bytes, I in, O out, N n, Q chosen, F f,
                                   detail::on_stream stream = {})
    {
        bytes = memory ? bytes : 1;
        return memory ? TransformIf(in, out, n, chosen, f, stream) : cudaSuccess;
    }
    template <class O, class N, class T, detail::if_number<N> = 0>
    static cudaError_t Fill(void *memory, size_t &bytes, O out, N n, T value,
                            detail::on_stream stream = {})
    {
        bytes = memory ? bytes : 1;
        return memory ? Fill(out, n, value, stream) : cudaSuccess;
    }
    template <class O, class N, class F, detail::if_number<N> = 0>
    static cudaError_t Generate(void *memory, size_t &bytes, O out, N n, F f,
                                detail::on_stream stream = {})
    {
        bytes = memory ? bytes : 1;
        return memory ? Generate(out, n, f, stream) : cudaSuccess;
    }
};

struct DeviceAdjacentDifference {
#define CUB_DIFFERENCE(name, right)                                                                \
    template <class I, class O, class N, class F = cub::detail::minus_next>                        \
    static cudaError_t name##Copy(void *memory, size_t &bytes, I in, O out, N n, F f = F(),        \
                                  detail::on_stream stream = {})                                         \
    {                                                                                              \
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {                             \
            typedef detail::difference_each<right, detail::raw_t<I>, detail::raw_t<O>, F> step;    \
            return w.counts() ? cudaSuccess                                                        \
                              : tern_parallel::each(                                               \
                                    step{detail::raw(in), detail::raw(out), (size_t)n, f},         \
                                    (size_t)n, stream);                                            \
        });                                                                                        \
    }                                                                                              \
    template <class I, class N, class F = cub::detail::minus_next>                                 \
    static cudaError_t name(void *memory, size_t &bytes, I range, N n, F f = F(),                  \
                            detail::on_stream stream = {})                                               \
    {                                                                                              \
        typedef detail::value_of<I> T;                                                             \
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {                             \
            typedef detail::difference_each<right, const T *, detail::raw_t<I>, F> step;           \
            T *copy = w.take<T>((size_t)n);                                                        \
            if (w.counts())                                                                        \
                return cudaSuccess;                                                                \
            tern_parallel::copy(detail::raw(range), copy, (size_t)n, stream);                      \
            return tern_parallel::each(step{copy, detail::raw(range), (size_t)n, f}, (size_t)n,    \
                                       stream);                                                    \
        });                                                                                        \
    }
    CUB_DIFFERENCE(SubtractLeft, false)
    CUB_DIFFERENCE(SubtractRight, true)
#undef CUB_DIFFERENCE
};

struct DeviceMerge {
    template <class A, class NA, class B, class NB, class O, class C = detail::less_of>
    static cudaError_t MergeKeys(void *memory, size_t &bytes, A a, NA na, B b, NB nb, O out,
                                 C less = C(), detail::on_stream stream = {})
    {
        typedef detail::merge_both<detail::raw_t<A>, detail::raw_t<B>, detail::raw_t<O>, int, int,
                                   int, C, false>
            step;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return w.counts()
                       ? cudaSuccess
                       : tern_parallel::each(step{detail::raw(a), (size_t)na, detail::raw(b),
                                                  (size_t)nb, detail::raw(out), 0, 0, 0, less},
                                             (size_t)na + (size_t)nb, stream);
        });
    }
    template <class A, class VA, class NA, class B, class VB, class NB, class O, class VO,
              class C = detail::less_of>
    static cudaError_t MergePairs(void *memory, size_t &bytes, A a, VA va, NA na, B b, VB vb, NB nb,
                                  O out, VO values_out, C less = C(), detail::on_stream stream = {})
    {
        typedef detail::merge_both<detail::raw_t<A>, detail::raw_t<B>, detail::raw_t<O>,
                                   detail::raw_t<VA>, detail::raw_t<VB>, detail::raw_t<VO>, C, true>
            step;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return w.counts()
                       ? cudaSuccess
                       : tern_parallel::each(step{detail::raw(a), (size_t)na, detail::raw(b),
                                                  (size_t)nb, detail::raw(out), detail::raw(va),
                                                  detail::raw(vb), detail::raw(values_out), less},
                                             (size_t)na + (size_t)nb, stream);
        });
    }
};

namespace detail
{
/* An element of a view at the indices of place i. */
template <class From, class To> struct copy_place {
    From from;
    To to;
    template <class I, class... J> __host__ __device__ void operator()(I, J... at)
    {
        to.data_handle()[to.mapping()(at...)] = from.data_handle()[from.mapping()(at...)];
    }
};
} // namespace detail

struct DeviceCopy {
    /* Between views of the same extents, whatever their layouts. */
    template <class T, class X, class L, class A, class U, class Y, class M, class B>
    static cudaError_t Copy(cuda::std::mdspan<T, X, L, A> from, cuda::std::mdspan<U, Y, M, B> to,
                            detail::on_stream stream = {})
    {
        typedef detail::copy_place<decltype(from), decltype(to)> step;
        for (size_t k = 0; k < X::rank(); k++)
            if (from.extent(k) != to.extent(k))
                return cudaErrorInvalidValue;
        return DeviceFor::ForEachInExtents(from.extents(), step{from, to}, stream);
    }
    template <class T, class X, class L, class A, class U, class Y, class M, class B>
    static cudaError_t Copy(void *memory, size_t &bytes, cuda::std::mdspan<T, X, L, A> from,
                            cuda::std::mdspan<U, Y, M, B> to, detail::on_stream stream = {})
    {
        bytes = memory ? bytes : 1;
        return memory ? Copy(from, to, stream) : cudaSuccess;
    }
    template <class In, class Out, class Sizes, class N>
    static cudaError_t Batched(void *memory, size_t &bytes, In in, Out out, Sizes sizes, N ranges,
                               detail::on_stream stream = {})
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            if (!w.counts() && ranges > 0)
                detail::copy_ranges<<<tern_parallel::blocks_for((size_t)ranges, 1),
                                      tern_parallel::THREADS, 0, stream>>>(
                    detail::raw(in), detail::raw(out), detail::raw(sizes), (size_t)ranges);
            return w.counts() ? cudaSuccess : cudaPeekAtLastError();
        });
    }
};
struct DeviceMemcpy {
    template <class In, class Out, class Sizes, class N>
    static cudaError_t Batched(void *memory, size_t &bytes, In in, Out out, Sizes sizes, N ranges,
                               detail::on_stream stream = {})
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            if (!w.counts() && ranges > 0)
                detail::copy_bytes<<<tern_parallel::blocks_for((size_t)ranges, 1),
                                     tern_parallel::THREADS, 0, stream>>>(
                    detail::raw(in), detail::raw(out), detail::raw(sizes), (size_t)ranges);
            return w.counts() ? cudaSuccess : cudaPeekAtLastError();
        });
    }
};

/* The first k of the range in order, which callers may not rely on. */
struct DeviceTopK {
#define CUB_TOP(name, down)                                                                        \
    template <class I, class O, class N, class K>                                                  \
    static cudaError_t name##Keys(void *memory, size_t &bytes, I in, O out, N n, K k,              \
                                  detail::on_stream stream = {})                                         \
    {                                                                                              \
        typedef detail::value_of<I> T;                                                             \
        typedef tern_parallel::no_values none;                                                     \
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {                             \
            T *keys[2] = {w.take<T>((size_t)n), w.take<T>((size_t)n)};                             \
            none *values[2] = {0, 0};                                                              \
            int where;                                                                             \
            if (!w.counts())                                                                       \
                tern_parallel::copy(detail::raw(in), keys[0], (size_t)n, stream);                  \
            const cudaError_t e = tern_parallel::sort_digits(                                      \
                w, (const T *)keys[0], (const none *)0, keys, values, (size_t)n, 0,                \
                8 * (int)sizeof(T), down, &where, stream);                                         \
            if (e || w.counts())                                                                   \
                return e;                                                                          \
            return tern_parallel::copy((const T *)keys[where], detail::raw(out),                   \
                                       (size_t)(k < n ? k : n), stream);                           \
        });                                                                                        \
    }                                                                                              \
    template <class I, class O, class VI, class VO, class N, class K>                              \
    static cudaError_t name##Pairs(void *memory, size_t &bytes, I in, O out, VI values_in,         \
                                   VO values_out, N n, K k, detail::on_stream stream = {})               \
    {                                                                                              \
        typedef detail::value_of<I> T;                                                             \
        typedef detail::value_of<VI> V;                                                            \
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {                             \
            T *keys[2] = {w.take<T>((size_t)n), w.take<T>((size_t)n)};                             \
            V *values[2] = {w.take<V>((size_t)n), w.take<V>((size_t)n)};                           \
            int where;                                                                             \
            if (!w.counts()) {                                                                     \
                tern_parallel::copy(detail::raw(in), keys[0], (size_t)n, stream);                  \
                tern_parallel::copy(detail::raw(values_in), values[0], (size_t)n, stream);         \
            }                                                                                      \
            const cudaError_t e = tern_parallel::sort_digits(                                      \
                w, (const T *)keys[0], (const V *)values[0], keys, values, (size_t)n, 0,           \
                8 * (int)sizeof(T), down, &where, stream);                                         \
            if (e || w.counts())                                                                   \
                return e;                                                                          \
            const size_t some = (size_t)(k < n ? k : n);                                           \
            tern_parallel::copy((const T *)keys[where], detail::raw(out), some, stream);           \
            return tern_parallel::copy((const V *)values[where], detail::raw(values_out), some,    \
                                       stream);                                                    \
        });                                                                                        \
    }
    CUB_TOP(Max, true)
    CUB_TOP(Min, false)
#undef CUB_TOP
};
} // namespace cub
