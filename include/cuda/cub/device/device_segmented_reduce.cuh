/* Reductions of each segment of a range. */
#pragma once
#include "cub/device/device_reduce.cuh"

namespace cub
{
namespace detail
{
/* Elements with their index in the range; what is least of a segment counts from its begin. */
template <class B, class To> struct from_begin {
    B begins;
    To out;
    struct place {
        from_begin &to;
        size_t k;
        template <class P> __host__ __device__ void operator=(P pair)
        {
            if (pair.key >= 0)
                pair.key -= (long long)to.begins[k];
            to.out[k] = pair;
        }
    };
    __host__ __device__ place operator[](size_t k)
    {
        return place{*this, k};
    }
};
/* Where segments of one size begin; `next`: where they end. */
struct even_segments {
    size_t size, next;
    __host__ __device__ size_t operator[](size_t k) const
    {
        return (k + next) * size;
    }
};
} // namespace detail

/* Segments as two ranges of offsets, or all of one size. */
struct DeviceSegmentedReduce {
    template <class I, class O, class N, class B, class E, class Op, class T,
              detail::if_range<E> = 0>
    static cudaError_t Reduce(void *memory, size_t &bytes, I in, O out, N segments, B begins,
                              E ends, Op op, T init, detail::on_stream stream = {}, bool = false)
    {
        typedef detail::made_by<Op, detail::start_of<T>, detail::value_of<I>> S;
        return reduce<S>(memory, bytes, in, detail::raw(out), segments, begins, ends, op,
                         detail::start_type<T>::template as<S>(init), stream);
    }
    template <class I, class O, class N, class M, class Op, class T, detail::if_number<M> = 0>
    static cudaError_t Reduce(void *memory, size_t &bytes, I in, O out, N segments, M size, Op op,
                              T init, detail::on_stream stream = {})
    {
        return Reduce(memory, bytes, in, out, segments, detail::even_segments{(size_t)size, 0},
                      detail::even_segments{(size_t)size, 1}, op, init, stream);
    }
#define CUB_SEGMENTED(name, op, init)                                                              \
    template <class I, class O, class N, class B, class E, detail::if_range<E> = 0>                \
    static cudaError_t name(void *memory, size_t &bytes, I in, O out, N segments, B begins,        \
                            E ends, detail::on_stream stream = {}, bool = false)                   \
    {                                                                                              \
        return Reduce(memory, bytes, in, out, segments, begins, ends, op, init, stream);           \
    }                                                                                              \
    template <class I, class O, class N, class M, detail::if_number<M> = 0>                        \
    static cudaError_t name(void *memory, size_t &bytes, I in, O out, N segments, M size,          \
                            detail::on_stream stream = {})                                         \
    {                                                                                              \
        return Reduce(memory, bytes, in, out, segments, size, op, init, stream);                   \
    }
    CUB_SEGMENTED(Sum, cub::Sum(), (typename detail::goes_out<O, I>::type()))
    CUB_SEGMENTED(Min, cub::Min(), detail::above_all<detail::value_of<I>>())
    CUB_SEGMENTED(Max, cub::Max(), detail::below_all<detail::value_of<I>>())
#undef CUB_SEGMENTED
    /* The place in its segment, too; of a segment without elements 1 and what none is after. */
#define CUB_SEGMENTED(name, order, none)                                                           \
    template <class I, class O, class N, class B, class E, detail::if_range<E> = 0>                \
    static cudaError_t name(void *memory, size_t &bytes, I in, O out, N segments, B begins,        \
                            E ends, detail::on_stream stream = {}, bool = false)                   \
    {                                                                                              \
        return first_of(memory, bytes, in, out, segments, begins, ends, order, none, stream);      \
    }                                                                                              \
    template <class I, class O, class N, class M, detail::if_number<M> = 0>                        \
    static cudaError_t name(void *memory, size_t &bytes, I in, O out, N segments, M size,          \
                            detail::on_stream stream = {})                                         \
    {                                                                                              \
        return first_of(memory, bytes, in, out, segments, detail::even_segments{(size_t)size, 0},  \
                        detail::even_segments{(size_t)size, 1}, order, none, stream);              \
    }
    CUB_SEGMENTED(ArgMin, detail::first_least(), detail::limits_of<detail::value_of<I>>::max())
    CUB_SEGMENTED(ArgMax, detail::first_largest(), detail::limits_of<detail::value_of<I>>::lowest())
#undef CUB_SEGMENTED

  private:
    template <class S, class I, class To, class N, class B, class E, class Op, class Start>
    static cudaError_t reduce(void *memory, size_t &bytes, I in, To to, N segments, B begins,
                              E ends, Op op, Start start, cudaStream_t stream)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            if (!w.counts() && segments > 0)
                tern_parallel::reduce_segments<S>
                    <<<tern_parallel::blocks_for((size_t)segments, 1), tern_parallel::THREADS, 0,
                       stream>>>(detail::raw(in), detail::raw(begins), detail::raw(ends),
                                 (size_t)segments, to, op, start);
            return w.counts() ? cudaSuccess : cudaPeekAtLastError();
        });
    }
    template <class I, class O, class N, class B, class E, class F>
    static cudaError_t first_of(void *memory, size_t &bytes, I in, O out, N segments, B begins,
                                E ends, F order, detail::value_of<I> none, cudaStream_t stream)
    {
        typedef detail::put_pair<detail::pair_of<O, I>, detail::raw_t<O>> pairs;
        typedef detail::from_begin<detail::raw_t<B>, pairs> to;
        typedef KeyValuePair<long long, detail::value_of<I>> pair;
        return reduce<pair>(memory, bytes, ArgIndexInputIterator<I, long long>(in),
                            to{detail::raw(begins), pairs{detail::raw(out)}}, segments, begins,
                            ends, order, tern_parallel::start_value<pair>{pair(-1, none)}, stream);
    }
};
} // namespace cub
