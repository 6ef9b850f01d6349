/* Reductions of whole ranges and of runs of equal keys. */
#pragma once
#include "cub/iterator/iterators.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_device.cuh"
#include "cub/util_stream.cuh"

namespace cub
{
using tern_parallel::workspace;

namespace detail
{
/* What no element is larger, or smaller, than. */
template <class T> T above_all()
{
    if constexpr (std::numeric_limits<T>::has_infinity)
        return std::numeric_limits<T>::infinity();
    else
        return limits_of<T>::max();
}
template <class T> T below_all()
{
    if constexpr (std::numeric_limits<T>::has_infinity)
        return -std::numeric_limits<T>::infinity();
    else
        return limits_of<T>::lowest();
}

/* Of pairs of an index and a value; a start, of key -1, is of no element. */
struct first_least {
    template <class P> __host__ __device__ P operator()(const P &a, const P &b) const
    {
        if (a.key < 0 || b.key < 0)
            return a.key < 0 ? b : a;
        return b.value < a.value || (!(a.value < b.value) && b.key < a.key) ? b : a;
    }
};
struct first_largest {
    template <class P> __host__ __device__ P operator()(const P &a, const P &b) const
    {
        if (a.key < 0 || b.key < 0)
            return a.key < 0 ? b : a;
        return a.value < b.value || (!(b.value < a.value) && b.key < a.key) ? b : a;
    }
};

/* An index and a value go out as one, as a pair of any kind, or apart; `empty` stands for the index
 * of no element. */
template <class P> struct as_pair {
    template <class K, class V> __host__ __device__ static P of(const K &key, const V &value)
    {
        return P{(decltype(P().first))key, (decltype(P().second))value};
    }
};
template <class K, class V> struct as_pair<KeyValuePair<K, V>> {
    template <class I, class T>
    __host__ __device__ static KeyValuePair<K, V> of(const I &key, const T &value)
    {
        return KeyValuePair<K, V>((K)key, (V)value);
    }
};
template <class P, class O> struct put_pair {
    O out;
    struct place {
        O &out;
        size_t k;
        template <class From> __host__ __device__ void operator=(const From &from)
        {
            out[k] = as_pair<P>::of(from.key < 0 ? 1 : from.key, from.value);
        }
    };
    __host__ __device__ place operator[](size_t k)
    {
        return place{out, k};
    }
};
template <class V, class At> struct put_apart {
    V values;
    At places;
    struct place {
        put_apart &to;
        size_t k;
        template <class From> __host__ __device__ void operator=(const From &from)
        {
            to.values[k] = from.value;
            to.places[k] = from.key < 0 ? 0 : from.key;
        }
    };
    __host__ __device__ place operator[](size_t k)
    {
        return place{*this, k};
    }
};
/* What pairs an output takes: what it is made of, or an index of 32 bits and the value. */
template <class O, class I>
using pair_of = typename std::conditional<std::is_class<value_of<O>>::value &&
                                              !std::is_same<value_of<O>, thrust::detail::forget>::value,
                                          value_of<O>, KeyValuePair<int, value_of<I>>>::type;
} // namespace detail

struct DeviceReduce {
    template <class I, class O, class Op, class T, class N>
    static cudaError_t Reduce(void *memory, size_t &bytes, I in, O out, N n, Op op, T init,
                              detail::on_stream stream = {}, bool = false)
    {
        typedef detail::made_by<Op, detail::start_of<T>, detail::value_of<I>> S;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::reduce<S>(w, detail::raw(in), detail::raw(out), (size_t)n, op,
                                            detail::start_type<T>::template as<S>(init), stream);
        });
    }
    template <class I, class O, class Op, class F, class T, class N>
    static cudaError_t TransformReduce(void *memory, size_t &bytes, I in, O out, N n, Op op, F f,
                                       T init, detail::on_stream stream = {}, bool = false)
    {
        typedef typename std::decay<decltype(f(std::declval<detail::value_of<I>>()))>::type V;
        return Reduce(memory, bytes, TransformInputIterator<V, F, I>(in, f), out, n, op, init,
                      stream);
    }
    template <class I, class O, class N>
    static cudaError_t Sum(void *memory, size_t &bytes, I in, O out, N n,
                           detail::on_stream stream = {}, bool = false)
    {
        return Reduce(memory, bytes, in, out, n, cub::Sum(),
                      typename detail::goes_out<O, I>::type(), stream);
    }
    template <class I, class O, class N>
    static cudaError_t Min(void *memory, size_t &bytes, I in, O out, N n,
                           detail::on_stream stream = {}, bool = false)
    {
        return Reduce(memory, bytes, in, out, n, cub::Min(),
                      detail::above_all<detail::value_of<I>>(), stream);
    }
    template <class I, class O, class N>
    static cudaError_t Max(void *memory, size_t &bytes, I in, O out, N n,
                           detail::on_stream stream = {}, bool = false)
    {
        return Reduce(memory, bytes, in, out, n, cub::Max(),
                      detail::below_all<detail::value_of<I>>(), stream);
    }
    /* The first of those that are least, with its index: as a pair, or apart. */
    template <class I, class O, class N, detail::if_number<N> = 0>
    static cudaError_t ArgMin(void *memory, size_t &bytes, I in, O out, N n,
                              detail::on_stream stream = {}, bool = false)
    {
        typedef detail::put_pair<detail::pair_of<O, I>, detail::raw_t<O>> to;
        return first_of(memory, bytes, in, to{detail::raw(out)}, n, detail::first_least(),
                        detail::limits_of<detail::value_of<I>>::max(), stream);
    }
    template <class I, class O, class At, class N, detail::if_range<At> = 0>
    static cudaError_t ArgMin(void *memory, size_t &bytes, I in, O out, At index, N n,
                              detail::on_stream stream = {})
    {
        typedef detail::put_apart<detail::raw_t<O>, detail::raw_t<At>> to;
        return first_of(memory, bytes, in, to{detail::raw(out), detail::raw(index)}, n,
                        detail::first_least(), detail::limits_of<detail::value_of<I>>::max(),
                        stream);
    }
    template <class I, class O, class N, detail::if_number<N> = 0>
    static cudaError_t ArgMax(void *memory, size_t &bytes, I in, O out, N n,
                              detail::on_stream stream = {}, bool = false)
    {
        typedef detail::put_pair<detail::pair_of<O, I>, detail::raw_t<O>> to;
        return first_of(memory, bytes, in, to{detail::raw(out)}, n, detail::first_largest(),
                        detail::limits_of<detail::value_of<I>>::lowest(), stream);
    }
    template <class I, class O, class At, class N, detail::if_range<At> = 0>
    static cudaError_t ArgMax(void *memory, size_t &bytes, I in, O out, At index, N n,
                              detail::on_stream stream = {})
    {
        typedef detail::put_apart<detail::raw_t<O>, detail::raw_t<At>> to;
        return first_of(memory, bytes, in, to{detail::raw(out), detail::raw(index)}, n,
                        detail::first_largest(), detail::limits_of<detail::value_of<I>>::lowest(),
                        stream);
    }
    template <class K, class KO, class V, class VO, class C, class Op, class N>
    static cudaError_t ReduceByKey(void *memory, size_t &bytes, K keys, KO keys_out, V values,
                                   VO values_out, C count, Op op, N n,
                                   detail::on_stream stream = {}, bool = false)
    {
        typedef detail::scan_of<Op, V> T;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::reduce_runs<T>(
                w, detail::raw(keys), detail::raw(values), detail::raw(keys_out),
                detail::raw(values_out), detail::raw(count), (size_t)n, Equality(), op, stream);
        });
    }

    /* with memory of the stream's own */
    template <class I, class O, class Op, class T, class N, detail::if_number<N> = 0>
    static cudaError_t Reduce(I in, O out, N n, Op op, T init, detail::on_stream stream = {})
    {
        return detail::in_one_call(stream, [&](void *memory, size_t &bytes) {
            return Reduce(memory, bytes, in, out, n, op, init, stream);
        });
    }
    template <class I, class O, class Op, class F, class T, class N, detail::if_number<N> = 0>
    static cudaError_t TransformReduce(I in, O out, N n, Op op, F f, T init,
                                       detail::on_stream stream = {})
    {
        return detail::in_one_call(stream, [&](void *memory, size_t &bytes) {
            return TransformReduce(memory, bytes, in, out, n, op, f, init, stream);
        });
    }
#define CUB_ONE_CALL(name)                                                                         \
    template <class I, class O, class N, detail::if_number<N> = 0>                                 \
    static cudaError_t name(I in, O out, N n, detail::on_stream stream = {})                       \
    {                                                                                              \
        return detail::in_one_call(stream, [&](void *memory, size_t &bytes) {                      \
            return name(memory, bytes, in, out, n, stream);                                        \
        });                                                                                        \
    }
    CUB_ONE_CALL(Sum)
    CUB_ONE_CALL(Min)
    CUB_ONE_CALL(Max)
#undef CUB_ONE_CALL
#define CUB_ONE_CALL(name)                                                                         \
    template <class I, class O, class At, class N, detail::if_number<N> = 0>                       \
    static cudaError_t name(I in, O out, At index, N n, detail::on_stream stream = {})             \
    {                                                                                              \
        return detail::in_one_call(stream, [&](void *memory, size_t &bytes) {                      \
            return name(memory, bytes, in, out, index, n, stream);                                 \
        });                                                                                        \
    }
    CUB_ONE_CALL(ArgMin)
    CUB_ONE_CALL(ArgMax)
#undef CUB_ONE_CALL

  private:
    template <class I, class To, class N, class F>
    static cudaError_t first_of(void *memory, size_t &bytes, I in, To to, N n, F order,
                                detail::value_of<I> none, detail::on_stream stream)
    {
        typedef ArgIndexInputIterator<I, long long> indexed;
        typedef KeyValuePair<long long, detail::value_of<I>> pair;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::reduce<pair>(w, indexed(in), to, (size_t)n, order,
                                               tern_parallel::start_value<pair>{pair(-1, none)},
                                               stream);
        });
    }
};
} // namespace cub
