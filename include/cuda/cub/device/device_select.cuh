/* Selections, partitions and runs of equal elements. */
#pragma once
#include "cub/device/device_reduce.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_device.cuh"
#include "cub/util_stream.cuh"

namespace cub
{
namespace detail
{
/* Keys with their places, of which the places go out. */
template <class K, class At> struct key_at {
    K key;
    At at;
};
template <class In, class At> struct keys_at {
    In in;
    typedef typename std::decay<decltype(std::declval<In &>()[(size_t)0])>::type K;
    __host__ __device__ key_at<K, At> operator[](size_t i)
    {
        return key_at<K, At>{in[i], (At)i};
    }
};
struct same_key {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const
    {
        return a.key == b.key;
    }
};
template <class At> struct place_of {
    At &to;
    template <class T> __host__ __device__ void operator=(const T &from)
    {
        to = from.at;
    }
};
template <class At> struct places_of {
    At *to;
    __host__ __device__ place_of<At> operator[](size_t i)
    {
        return place_of<At>{to[i]};
    }
};
template <class T> struct longer_runs {
    const T *lengths;
    const size_t *runs;
    __host__ __device__ bool operator[](size_t i)
    {
        return i < *runs && lengths[i] > 1;
    }
};
template <class F, class Q> tern_parallel::flags_if<raw_t<F>, Q> asked_of(F flags, Q chosen)
{
    return {raw(flags), chosen};
}
/* Through a copy, of which flags_of makes the flags. */
template <class I, class C, class Flags>
cudaError_t select_in_place(void *memory, size_t &bytes, I data, C count, size_t n,
                            on_stream stream, Flags flags_of)
{
    typedef value_of<I> T;
    return in_two_calls(memory, bytes, [&](workspace &w) {
        T *copy = w.take<T>(n);
        if (!w.counts())
            tern_parallel::copy(raw(data), copy, n, stream);
        return tern_parallel::select(w, (const T *)copy, flags_of((const T *)copy), raw(data),
                                     raw(count), n, stream);
    });
}
} // namespace detail

struct DeviceSelect {
    template <class I, class F, class O, class C, class N, detail::if_number<N> = 0>
    static cudaError_t Flagged(void *memory, size_t &bytes, I in, F flags, O out, C count, N n,
                               detail::on_stream stream = {}, bool = false)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::select(w, detail::raw(in), detail::raw(flags), detail::raw(out),
                                         detail::raw(count), (size_t)n, stream);
        });
    }
    template <class I, class O, class C, class Q, class N, detail::if_number<N> = 0>
    static cudaError_t If(void *memory, size_t &bytes, I in, O out, C count, N n, Q chosen,
                          detail::on_stream stream = {}, bool = false)
    {
        typedef tern_parallel::flags_if<detail::raw_t<I>, Q> flags;
        return Flagged(memory, bytes, in, flags{detail::raw(in), chosen}, out, count, n, stream);
    }
    /* Those whose flag is chosen. */
    template <class I, class F, class O, class C, class Q, class N, detail::if_number<N> = 0>
    static cudaError_t FlaggedIf(void *memory, size_t &bytes, I in, F flags, O out, C count, N n,
                                 Q chosen, detail::on_stream stream = {}, bool = false)
    {
        return Flagged(memory, bytes, in, detail::asked_of(flags, chosen), out, count, n, stream);
    }
    /* in place, through a copy */
    template <class I, class F, class C, class N, class Q, detail::if_number<N> = 0>
    static cudaError_t FlaggedIf(void *memory, size_t &bytes, I data, F flags, C count, N n,
                                 Q chosen, detail::on_stream stream = {})
    {
        return Flagged(memory, bytes, data, detail::asked_of(flags, chosen), count, n, stream);
    }
    template <class I, class F, class C, class N, detail::if_number<N> = 0>
    static cudaError_t Flagged(void *memory, size_t &bytes, I data, F flags, C count, N n,
                               detail::on_stream stream = {}, bool = false)
    {
        return detail::select_in_place(memory, bytes, data, count, (size_t)n, stream,
                                       [&](const void *) { return detail::raw(flags); });
    }
    template <class I, class C, class Q, class N, detail::if_number<N> = 0>
    static cudaError_t If(void *memory, size_t &bytes, I data, C count, N n, Q chosen,
                          detail::on_stream stream = {}, bool = false)
    {
        typedef const detail::value_of<I> *copy;
        return detail::select_in_place(memory, bytes, data, count, (size_t)n, stream, [&](copy c) {
            return tern_parallel::flags_if<copy, Q>{c, chosen};
        });
    }
    /* The first of each run of equal ones: by an operator of the caller's, if there is one. */
    template <class I, class O, class C, class N, class Q, detail::if_number<N> = 0,
              detail::if_operator<Q> = 0>
    static cudaError_t Unique(void *memory, size_t &bytes, I in, O out, C count, N n, Q equal,
                              detail::on_stream stream = {})
    {
        typedef tern_parallel::flags_first<detail::raw_t<I>, Q> flags;
        return Flagged(memory, bytes, in, flags{detail::raw(in), equal}, out, count, n, stream);
    }
    template <class I, class O, class C, class N, detail::if_number<N> = 0>
    static cudaError_t Unique(void *memory, size_t &bytes, I in, O out, C count, N n,
                              detail::on_stream stream = {}, bool = false)
    {
        return Unique(memory, bytes, in, out, count, n, Equality(), stream);
    }
    template <class K, class V, class KO, class VO, class C, class N, class Q,
              detail::if_number<N> = 0, detail::if_operator<Q> = 0>
    static cudaError_t UniqueByKey(void *memory, size_t &bytes, K keys, V values, KO keys_out,
                                   VO values_out, C count, N n, Q equal,
                                   detail::on_stream stream = {}, bool = false)
    {
        typedef tern_parallel::flags_first<detail::raw_t<K>, Q> flags;
        return Flagged(memory, bytes, thrust::make_zip_iterator(keys, values),
                       flags{detail::raw(keys), equal},
                       thrust::make_zip_iterator(keys_out, values_out), count, n, stream);
    }
    template <class K, class V, class KO, class VO, class C, class N, detail::if_number<N> = 0>
    static cudaError_t UniqueByKey(void *memory, size_t &bytes, K keys, V values, KO keys_out,
                                   VO values_out, C count, N n, detail::on_stream stream = {},
                                   bool = false)
    {
        return UniqueByKey(memory, bytes, keys, values, keys_out, values_out, count, n, Equality(),
                           stream);
    }
};

namespace detail
{
/* Of three parts: the first that a predicate chooses, what only the second one does, what neither
 * does. */
template <int part, class In, class A, class B> struct flags_part {
    In in;
    A first;
    B second;
    __host__ __device__ bool operator[](size_t i)
    {
        if (first(in[i]))
            return part == 0;
        return part == (second(in[i]) ? 1 : 2);
    }
};
} // namespace detail

/* Those that are not chosen go to the end, backwards. */
struct DevicePartition {
    /* In three parts, in order; counts: of the first two. */
    template <class I, class A, class B, class R, class C, class N, class P, class Q>
    static cudaError_t If(void *memory, size_t &bytes, I in, A first, B second, R rest, C counts,
                          N n, P in_first, Q in_second, detail::on_stream stream = {}, bool = false)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            typedef detail::raw_t<I> In;
            size_t *others = w.take<size_t>(1);
            const workspace here = w;
            auto to = detail::raw(counts);
            cudaError_t e = tern_parallel::select(
                w, detail::raw(in),
                detail::flags_part<0, In, P, Q>{detail::raw(in), in_first, in_second},
                detail::raw(first), to, (size_t)n, stream);
            if (!w.counts())
                w = here;
            if (!e)
                e = tern_parallel::select(
                    w, detail::raw(in),
                    detail::flags_part<1, In, P, Q>{detail::raw(in), in_first, in_second},
                    detail::raw(second), to + 1, (size_t)n, stream);
            if (!w.counts())
                w = here;
            if (!e)
                e = tern_parallel::select(
                    w, detail::raw(in),
                    detail::flags_part<2, In, P, Q>{detail::raw(in), in_first, in_second},
                    detail::raw(rest), others, (size_t)n, stream);
            return e;
        });
    }
    template <class I, class F, class O, class C, class N>
    static cudaError_t Flagged(void *memory, size_t &bytes, I in, F flags, O out, C count, N n,
                               detail::on_stream stream = {}, bool = false)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::partition<tern_parallel::BACKWARDS>(
                w, detail::raw(in), detail::raw(flags), detail::raw(out), detail::raw(out),
                detail::raw(count), (size_t)n, stream);
        });
    }
    template <class I, class O, class C, class Q, class N>
    static cudaError_t If(void *memory, size_t &bytes, I in, O out, C count, N n, Q chosen,
                          detail::on_stream stream = {}, bool = false)
    {
        typedef tern_parallel::flags_if<detail::raw_t<I>, Q> flags;
        return Flagged(memory, bytes, in, flags{detail::raw(in), chosen}, out, count, n, stream);
    }
};

namespace detail
{
/* What lengths are counted in: as they go out, or as numbers where anything goes out. */
template <class L, bool = std::is_integral<value_of<L>>::value> struct length_of {
    typedef value_of<L> type;
};
template <class L> struct length_of<L, false> {
    typedef long long type;
};
} // namespace detail

struct DeviceRunLengthEncode {
    /* Where runs of more than one begin, and their lengths. */
    template <class I, class O, class L, class C, class N>
    static cudaError_t NonTrivialRuns(void *memory, size_t &bytes, I in, O offsets, L lengths,
                                      C count, N n, detail::on_stream stream = {}, bool = false)
    {
        typedef typename detail::length_of<L>::type T;
        typedef typename detail::length_of<O>::type At;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            T *all = w.take<T>((size_t)n);
            At *first = w.take<At>((size_t)n);
            size_t *runs = w.take<size_t>(1);
            const tern_parallel::workspace here = w;
            typedef ConstantInputIterator<T> ones;
            typedef detail::keys_at<detail::raw_t<I>, At> keys;
            cudaError_t e = tern_parallel::reduce_runs<T>(
                w, keys{detail::raw(in)}, ones(1), detail::places_of<At>{first}, all, runs,
                (size_t)n, detail::same_key(), cub::Sum(), stream);
            const size_t used = w.used;
            w = here;
            typedef detail::longer_runs<T> longer;
            if (!e)
                e = tern_parallel::select(
                    w, thrust::make_zip_iterator((const At *)first, (const T *)all),
                    longer{all, runs},
                    thrust::make_zip_iterator(detail::raw(offsets), detail::raw(lengths)),
                    detail::raw(count), (size_t)n, stream);
            w.used = w.used > used ? w.used : used;
            return e;
        });
    }
    template <class I, class O, class L, class C, class N>
    static cudaError_t Encode(void *memory, size_t &bytes, I in, O out, L lengths, C count, N n,
                              detail::on_stream stream = {}, bool = false)
    {
        typedef typename detail::length_of<L>::type T;
        if constexpr (tern_parallel::has_lengths_once<detail::raw_t<I>>::value)
            if (tern_parallel::blocks_progress())
                return detail::in_two_calls(memory, bytes, [&](workspace &w) {
                    return tern_parallel::measure_runs(w, detail::raw(in), detail::raw(out),
                                                       detail::raw(lengths), detail::raw(count),
                                                       (size_t)n, Equality(), stream);
                });
        return DeviceReduce::ReduceByKey(memory, bytes, in, out, ConstantInputIterator<T>(1),
                                         lengths, count, cub::Sum(), n, stream);
    }
};
} // namespace cub
