/* Functions over whole ranges: called without memory they say how much they want, called with it
 * they put their work on the stream. */
#pragma once
#include "cub/iterator/iterators.cuh"
#include "cub/util_debug.cuh"

namespace cub
{
using tern_parallel::workspace;

namespace detail
{
template <class N> using if_number = typename std::enable_if<std::is_integral<N>::value, int>::type;
template <class I, class F> struct call_each {
    I in;
    F f;
    __host__ __device__ void operator()(size_t i)
    {
        f(in[i]);
    }
};
} // namespace detail

struct DeviceReduce {
    template <class I, class O, class Op, class T, class N>
    static cudaError_t Reduce(void *memory, size_t &bytes, I in, O out, N n, Op op, T init,
                              cudaStream_t stream = 0)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::reduce(w, detail::raw(in), detail::raw(out), (size_t)n, op, init,
                                         stream);
        });
    }
    template <class I, class O, class Op, class F, class T, class N>
    static cudaError_t TransformReduce(void *memory, size_t &bytes, I in, O out, N n, Op op, F f,
                                       T init, cudaStream_t stream = 0)
    {
        return Reduce(memory, bytes, TransformInputIterator<T, F, I>(in, f), out, n, op, init,
                      stream);
    }
    template <class I, class O, class N>
    static cudaError_t Sum(void *memory, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0)
    {
        typedef detail::sum_of<I, O> T;
        return Reduce(memory, bytes, in, out, n, cub::Sum(), T(), stream);
    }
    template <class I, class O, class N>
    static cudaError_t Min(void *memory, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return Reduce(memory, bytes, in, out, n, cub::Min(), std::numeric_limits<T>::max(), stream);
    }
    template <class I, class O, class N>
    static cudaError_t Max(void *memory, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return Reduce(memory, bytes, in, out, n, cub::Max(), std::numeric_limits<T>::lowest(),
                      stream);
    }
    template <class I, class O, class N>
    static cudaError_t ArgMin(void *memory, size_t &bytes, I in, O out, N n,
                              cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return Reduce(
            memory, bytes, ArgIndexInputIterator<I, int>(in), out, n, cub::ArgMin(),
            KeyValuePair<int, T>(std::numeric_limits<int>::max(), std::numeric_limits<T>::max()),
            stream);
    }
    template <class I, class O, class N>
    static cudaError_t ArgMax(void *memory, size_t &bytes, I in, O out, N n,
                              cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return Reduce(
            memory, bytes, ArgIndexInputIterator<I, int>(in), out, n, cub::ArgMax(),
            KeyValuePair<int, T>(std::numeric_limits<int>::max(), std::numeric_limits<T>::lowest()),
            stream);
    }
    template <class K, class KO, class V, class VO, class C, class Op, class N>
    static cudaError_t ReduceByKey(void *memory, size_t &bytes, K keys, KO keys_out, V values,
                                   VO values_out, C count, Op op, N n, cudaStream_t stream = 0)
    {
        typedef detail::sum_of<V, VO> T;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::reduce_runs<T>(
                w, detail::raw(keys), detail::raw(values), detail::raw(keys_out),
                detail::raw(values_out), detail::raw(count), (size_t)n, Equality(), op, stream);
        });
    }
};

struct DeviceScan {
    template <class I, class O, class Op, class T, class N>
    static cudaError_t ExclusiveScan(void *memory, size_t &bytes, I in, O out, Op op, T init, N n,
                                     cudaStream_t stream = 0)
    {
        typedef typename detail::sum_type<T, detail::value_of<I>>::type S;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan<true, S>(w, detail::raw(in), detail::raw(out), (size_t)n, op,
                                                tern_parallel::start_value<S>{(S)init}, stream);
        });
    }
    template <class I, class O, class Op, class N>
    static cudaError_t InclusiveScan(void *memory, size_t &bytes, I in, O out, Op op, N n,
                                     cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan<false, T>(w, detail::raw(in), detail::raw(out), (size_t)n,
                                                 op, tern_parallel::start_none(), stream);
        });
    }
    template <class I, class O, class Op, class T, class N>
    static cudaError_t InclusiveScanInit(void *memory, size_t &bytes, I in, O out, Op op, T init,
                                         N n, cudaStream_t stream = 0)
    {
        typedef typename detail::sum_type<T, detail::value_of<I>>::type S;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan<false, S>(w, detail::raw(in), detail::raw(out), (size_t)n,
                                                 op, tern_parallel::start_value<S>{(S)init},
                                                 stream);
        });
    }
    /* in place */
    template <class I, class N, detail::if_number<N> = 0>
    static cudaError_t ExclusiveSum(void *memory, size_t &bytes, I data, N n,
                                    cudaStream_t stream = 0)
    {
        return ExclusiveSum(memory, bytes, data, data, n, stream);
    }
    template <class I, class N, detail::if_number<N> = 0>
    static cudaError_t InclusiveSum(void *memory, size_t &bytes, I data, N n,
                                    cudaStream_t stream = 0)
    {
        return InclusiveSum(memory, bytes, data, data, n, stream);
    }
    template <class I, class O, class N, detail::if_number<N> = 0>
    static cudaError_t ExclusiveSum(void *memory, size_t &bytes, I in, O out, N n,
                                    cudaStream_t stream = 0)
    {
        typedef detail::sum_of<I, O> T;
        return ExclusiveScan(memory, bytes, in, out, cub::Sum(), T(), n, stream);
    }
    template <class I, class O, class N, detail::if_number<N> = 0>
    static cudaError_t InclusiveSum(void *memory, size_t &bytes, I in, O out, N n,
                                    cudaStream_t stream = 0)
    {
        typedef detail::sum_of<I, O> T;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan<false, T>(w, detail::raw(in), detail::raw(out), (size_t)n,
                                                 cub::Sum(), tern_parallel::start_none(), stream);
        });
    }
    template <class K, class V, class O, class Op, class N>
    static cudaError_t InclusiveScanByKey(void *memory, size_t &bytes, K keys, V values, O out,
                                          Op op, N n, cudaStream_t stream = 0)
    {
        typedef detail::value_of<V> T;
        typedef tern_parallel::runs_of<T, detail::raw_t<K>, detail::raw_t<V>, Equality> runs;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan_runs<T>(
                w, runs{detail::raw(keys), detail::raw(values), Equality()}, detail::raw(out),
                (size_t)n, op, stream);
        });
    }
    template <class K, class V, class O, class Op, class T, class N>
    static cudaError_t ExclusiveScanByKey(void *memory, size_t &bytes, K keys, V values, O out,
                                          Op op, T init, N n, cudaStream_t stream = 0)
    {
        typedef tern_parallel::runs_before<T, detail::raw_t<K>, detail::raw_t<V>, Equality> runs;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan_runs<T>(
                w, runs{detail::raw(keys), detail::raw(values), Equality(), init}, detail::raw(out),
                (size_t)n, op, stream);
        });
    }
    template <class K, class V, class O, class N>
    static cudaError_t InclusiveSumByKey(void *memory, size_t &bytes, K keys, V values, O out, N n,
                                         cudaStream_t stream = 0)
    {
        return InclusiveScanByKey(memory, bytes, keys, values, out, cub::Sum(), n, stream);
    }
    template <class K, class V, class O, class N>
    static cudaError_t ExclusiveSumByKey(void *memory, size_t &bytes, K keys, V values, O out, N n,
                                         cudaStream_t stream = 0)
    {
        return ExclusiveScanByKey(memory, bytes, keys, values, out, cub::Sum(),
                                  detail::value_of<V>(), n, stream);
    }
};

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
} // namespace detail

struct DeviceSelect {
    template <class I, class F, class O, class C, class N, detail::if_number<N> = 0>
    static cudaError_t Flagged(void *memory, size_t &bytes, I in, F flags, O out, C count, N n,
                               cudaStream_t stream = 0)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::select(w, detail::raw(in), detail::raw(flags), detail::raw(out),
                                         detail::raw(count), (size_t)n, stream);
        });
    }
    template <class I, class O, class C, class Q, class N, detail::if_number<N> = 0>
    static cudaError_t If(void *memory, size_t &bytes, I in, O out, C count, N n, Q chosen,
                          cudaStream_t stream = 0)
    {
        typedef tern_parallel::flags_if<detail::raw_t<I>, Q> flags;
        return Flagged(memory, bytes, in, flags{detail::raw(in), chosen}, out, count, n, stream);
    }
    /* Those whose flag is chosen. */
    template <class I, class F, class O, class C, class Q, class N>
    static cudaError_t FlaggedIf(void *memory, size_t &bytes, I in, F flags, O out, C count, N n,
                                 Q chosen, cudaStream_t stream = 0)
    {
        typedef tern_parallel::flags_if<detail::raw_t<F>, Q> asked;
        return Flagged(memory, bytes, in, asked{detail::raw(flags), chosen}, out, count, n, stream);
    }
    /* in place, through a copy */
    template <class I, class F, class C, class N, detail::if_number<N> = 0>
    static cudaError_t Flagged(void *memory, size_t &bytes, I data, F flags, C count, N n,
                               cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            T *copy = w.take<T>((size_t)n);
            if (!w.counts())
                tern_parallel::copy(detail::raw(data), copy, (size_t)n, stream);
            return tern_parallel::select(w, (const T *)copy, detail::raw(flags), detail::raw(data),
                                         detail::raw(count), (size_t)n, stream);
        });
    }
    template <class I, class C, class Q, class N, detail::if_number<N> = 0>
    static cudaError_t If(void *memory, size_t &bytes, I data, C count, N n, Q chosen,
                          cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            T *copy = w.take<T>((size_t)n);
            if (!w.counts())
                tern_parallel::copy(detail::raw(data), copy, (size_t)n, stream);
            return tern_parallel::select(w, (const T *)copy,
                                         tern_parallel::flags_if<const T *, Q>{copy, chosen},
                                         detail::raw(data), detail::raw(count), (size_t)n, stream);
        });
    }
    template <class I, class O, class C, class N>
    static cudaError_t Unique(void *memory, size_t &bytes, I in, O out, C count, N n,
                              cudaStream_t stream = 0)
    {
        typedef tern_parallel::flags_first<detail::raw_t<I>, Equality> flags;
        return Flagged(memory, bytes, in, flags{detail::raw(in), Equality()}, out, count, n,
                       stream);
    }
    template <class K, class V, class KO, class VO, class C, class N>
    static cudaError_t UniqueByKey(void *memory, size_t &bytes, K keys, V values, KO keys_out,
                                   VO values_out, C count, N n, cudaStream_t stream = 0)
    {
        typedef tern_parallel::flags_first<detail::raw_t<K>, Equality> flags;
        return Flagged(memory, bytes, thrust::make_zip_iterator(keys, values),
                       flags{detail::raw(keys), Equality()},
                       thrust::make_zip_iterator(keys_out, values_out), count, n, stream);
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
                          N n, P in_first, Q in_second, cudaStream_t stream = 0)
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
                               cudaStream_t stream = 0)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::partition<tern_parallel::BACKWARDS>(
                w, detail::raw(in), detail::raw(flags), detail::raw(out), detail::raw(out),
                detail::raw(count), (size_t)n, stream);
        });
    }
    template <class I, class O, class C, class Q, class N>
    static cudaError_t If(void *memory, size_t &bytes, I in, O out, C count, N n, Q chosen,
                          cudaStream_t stream = 0)
    {
        typedef tern_parallel::flags_if<detail::raw_t<I>, Q> flags;
        return Flagged(memory, bytes, in, flags{detail::raw(in), chosen}, out, count, n, stream);
    }
};

struct DeviceRunLengthEncode {
    /* Where runs of more than one begin, and their lengths. */
    template <class I, class O, class L, class C, class N>
    static cudaError_t NonTrivialRuns(void *memory, size_t &bytes, I in, O offsets, L lengths,
                                      C count, N n, cudaStream_t stream = 0)
    {
        typedef detail::value_of<L> T;
        typedef detail::value_of<O> At;
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
                              cudaStream_t stream = 0)
    {
        typedef detail::value_of<L> T;
        return DeviceReduce::ReduceByKey(memory, bytes, in, out, ConstantInputIterator<T>(1),
                                         lengths, count, cub::Sum(), n, stream);
    }
};

struct DeviceFor {
    template <class I, class F>
    static cudaError_t ForEachN(I first, size_t n, F f, cudaStream_t stream = 0)
    {
        return tern_parallel::each(detail::call_each<detail::raw_t<I>, F>{detail::raw(first), f}, n,
                                   stream);
    }
    template <class I, class F>
    static cudaError_t ForEach(I first, I last, F f, cudaStream_t stream = 0)
    {
        return ForEachN(first, (size_t)(last - first), f, stream);
    }
    template <class I, class F>
    static cudaError_t ForEachCopyN(I first, size_t n, F f, cudaStream_t stream = 0)
    {
        return ForEachN(first, n, f, stream);
    }
    template <class I, class F>
    static cudaError_t ForEachCopy(I first, I last, F f, cudaStream_t stream = 0)
    {
        return ForEach(first, last, f, stream);
    }
    /* with memory that is not wanted */
    template <class F, class N>
    static cudaError_t Bulk(void *memory, size_t &bytes, N n, F f, cudaStream_t stream = 0)
    {
        bytes = memory ? bytes : 1;
        return memory ? tern_parallel::each(f, (size_t)n, stream) : cudaSuccess;
    }
    template <class I, class F>
    static cudaError_t ForEachN(void *memory, size_t &bytes, I first, size_t n, F f,
                                cudaStream_t stream = 0)
    {
        bytes = memory ? bytes : 1;
        return memory ? ForEachN(first, n, f, stream) : cudaSuccess;
    }
    template <class F, class N> static cudaError_t Bulk(N n, F f, cudaStream_t stream = 0)
    {
        return tern_parallel::each(f, (size_t)n, stream);
    }
};

/* ---- segments ---- */

namespace detail
{
/* The start, of key -1, is of no element. */
struct first_least {
    template <class P> __host__ __device__ P operator()(const P &a, const P &b) const
    {
        if (a.key < 0 || b.key < 0)
            return a.key < 0 ? b : a;
        return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
    }
};
struct first_largest {
    template <class P> __host__ __device__ P operator()(const P &a, const P &b) const
    {
        if (a.key < 0 || b.key < 0)
            return a.key < 0 ? b : a;
        return a.value < b.value || (b.value == a.value && b.key < a.key) ? b : a;
    }
};
/* Elements with their index in the range; what is least of a segment counts from its begin. */
template <class B, class O> struct from_begin {
    B begins;
    O out;
    struct place {
        O &out;
        size_t k, begin;
        template <class P> __host__ __device__ void operator=(P pair)
        {
            if (pair.key >= 0)
                pair.key -= (int)begin;
            else
                pair.key = 1; /* an empty segment */
            out[k] = pair;
        }
    };
    __host__ __device__ place operator[](size_t k)
    {
        return place{out, k, (size_t)begins[k]};
    }
};
} // namespace detail

struct DeviceSegmentedReduce {
    template <class I, class O, class B, class E, class Op, class T>
    static cudaError_t Reduce(void *memory, size_t &bytes, I in, O out, int segments, B begins,
                              E ends, Op op, T init, cudaStream_t stream = 0)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            if (!w.counts() && segments > 0)
                tern_parallel::reduce_segments<T>
                    <<<(unsigned)segments, tern_parallel::THREADS, 0, stream>>>(
                        detail::raw(in), detail::raw(begins), detail::raw(ends), (size_t)segments,
                        detail::raw(out), op, init);
            return w.counts() ? cudaSuccess : cudaPeekAtLastError();
        });
    }
    template <class I, class O, class B, class E>
    static cudaError_t Sum(void *memory, size_t &bytes, I in, O out, int segments, B begins, E ends,
                           cudaStream_t stream = 0)
    {
        typedef detail::sum_of<I, O> T;
        return Reduce(memory, bytes, in, out, segments, begins, ends, cub::Sum(), T(), stream);
    }
    template <class I, class O, class B, class E>
    static cudaError_t Min(void *memory, size_t &bytes, I in, O out, int segments, B begins, E ends,
                           cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return Reduce(memory, bytes, in, out, segments, begins, ends, cub::Min(),
                      std::numeric_limits<T>::max(), stream);
    }
    template <class I, class O, class B, class E>
    static cudaError_t Max(void *memory, size_t &bytes, I in, O out, int segments, B begins, E ends,
                           cudaStream_t stream = 0)
    {
        typedef detail::value_of<I> T;
        return Reduce(memory, bytes, in, out, segments, begins, ends, cub::Max(),
                      std::numeric_limits<T>::lowest(), stream);
    }
    template <class I, class O, class B, class E>
    static cudaError_t ArgMin(void *memory, size_t &bytes, I in, O out, int segments, B begins,
                              E ends, cudaStream_t stream = 0)
    {
        return first_of(memory, bytes, in, out, segments, begins, ends, detail::first_least(),
                        std::numeric_limits<detail::value_of<I>>::max(), stream);
    }
    template <class I, class O, class B, class E>
    static cudaError_t ArgMax(void *memory, size_t &bytes, I in, O out, int segments, B begins,
                              E ends, cudaStream_t stream = 0)
    {
        return first_of(memory, bytes, in, out, segments, begins, ends, detail::first_largest(),
                        std::numeric_limits<detail::value_of<I>>::lowest(), stream);
    }

private:
    /* The place in its segment, too; of a segment without elements -1 and `none`. */
    template <class I, class O, class B, class E, class F>
    static cudaError_t first_of(void *memory, size_t &bytes, I in, O out, int segments, B begins,
                                E ends, F order, detail::value_of<I> none, cudaStream_t stream)
    {
        typedef detail::from_begin<detail::raw_t<B>, detail::raw_t<O>> to;
        return Reduce(memory, bytes, ArgIndexInputIterator<I, int>(in),
                      to{detail::raw(begins), detail::raw(out)}, segments, begins, ends, order,
                      KeyValuePair<int, detail::value_of<I>>(-1, none), stream);
    }
};

/* ---- histograms ---- */

namespace detail
{
/* Levels at even distances. */
template <class L> struct even_levels {
    L lower, upper;
    int bins;
    /* In the type of both: 256 is a level of bytes too, and half a level one of floats. */
    template <class S> CUB_HD int of(const S &of) const
    {
        typedef typename std::common_type<L, S>::type T;
        const T sample = (T)of, low = (T)lower, high = (T)upper;
        if (!(sample >= low && sample < high))
            return -1;
        if constexpr (std::is_integral<T>::value) {
            const unsigned long long range = (unsigned long long)(high - low),
                                     from = (unsigned long long)(sample - low);
            /* Divisions of 64 bits are slow; what is asked is the same for all samples. */
            if (range == (unsigned long long)bins)
                return (int)from;
            if (range <= 0xffffffffull && range * bins <= 0xffffffffull)
                return (int)((unsigned)from * (unsigned)bins / (unsigned)range);
            return (int)(from * bins / range);
        } else
            return (int)((sample - low) * ((T)bins / (high - low)));
    }
};
template <class L> struct given_levels {
    const L *levels;
    int bins;
    template <class S> CUB_HD int of(const S &sample) const
    {
        int from = 0, to = bins + 1; /* how many levels are not above */
        while (from < to) {
            const int middle = (from + to) / 2;
            if ((L)sample < levels[middle])
                to = middle;
            else
                from = middle + 1;
        }
        return from <= bins ? from - 1 : -1;
    }
};
template <class C> struct zero_each {
    C *counts;
    CUB_HD void operator()(size_t i)
    {
        counts[i] = 0;
    }
};
/* Samples of one channel of pixels with `channels` samples each. A block counts in shared memory
 * what it has room for, in several copies where there are few bins, so that its warps do not meet
 * in one, and adds that to the counts of all at its end. */
enum { SHARED_BINS = 4096, COUNT_COPIES = 4, COUNT_AT_ONCE = 8 };
/* AT_ONCE 1: on a processor, where threads of a block do not wait for memory or each other. */
template <int AT_ONCE, class I, class C, class L>
__global__ void count_samples(I in, C *counts, L levels, size_t n, int channels, int channel)
{
    typedef typename std::decay<decltype(in[(size_t)0])>::type S;
    __shared__ unsigned all[SHARED_BINS];
    const bool shared = levels.bins <= SHARED_BINS;
    const int copies =
        AT_ONCE > 1 && levels.bins * COUNT_COPIES <= SHARED_BINS ? (int)COUNT_COPIES : 1;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (int b = threadIdx.x; shared && b < levels.bins * copies; b += blockDim.x)
        all[b] = 0;
    __syncthreads();
    const int own = AT_ONCE > 1 ? (int)(threadIdx.x / 32) % copies * levels.bins : 0;
    const auto count = [&](const S &sample) {
        const int bin = levels.of(sample);
        if (bin < 0 || bin >= levels.bins)
            return;
        if (shared)
            atomicAdd(&all[own + bin], 1u);
        else
            atomicAdd(&counts[bin], (C)1);
    };
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; AT_ONCE > 1 && i + (AT_ONCE - 1) * step < n; i += AT_ONCE * step) {
        S samples[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            samples[k] = in[(i + k * step) * channels + channel];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            count(samples[k]);
    }
    for (; i < n; i += step)
        count((S)in[i * channels + channel]);
    __syncthreads();
    for (int b = threadIdx.x; shared && b < levels.bins; b += blockDim.x) {
        unsigned sum = 0;
        for (int c = 0; c < copies; c++)
            sum += all[c * levels.bins + b];
        if (sum)
            atomicAdd(&counts[b], (C)sum);
    }
}
template <class I, class C, class L>
cudaError_t count(I in, C *counts, L levels, size_t n, cudaStream_t stream, int channels = 1,
                  int channel = 0)
{
    const unsigned blocks = tern_parallel::blocks_for(n, 16 * tern_parallel::THREADS);
    cudaError_t e = tern_parallel::each(zero_each<C>{counts}, levels.bins, stream);
    if (e || !n)
        return e;
    const unsigned grid = blocks < 1024 ? blocks : 1024;
    if (tern_parallel::on_processor())
        count_samples<1, raw_t<I>, C, L><<<grid, tern_parallel::THREADS, 0, stream>>>(
            raw(in), counts, levels, n, channels, channel);
    else
        count_samples<COUNT_AT_ONCE, raw_t<I>, C, L><<<grid, tern_parallel::THREADS, 0, stream>>>(
            raw(in), counts, levels, n, channels, channel);
    return cudaPeekAtLastError();
}
} // namespace detail

struct DeviceHistogram {
    template <class I, class C, class L, class N>
    static cudaError_t HistogramEven(void *memory, size_t &bytes, I in, C *counts, int levels,
                                     L lower, L upper, N n, cudaStream_t stream = 0)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return w.counts()
                       ? cudaSuccess
                       : detail::count(in, counts, detail::even_levels<L>{lower, upper, levels - 1},
                                       (size_t)n, stream);
        });
    }
    template <class I, class C, class L, class N>
    static cudaError_t HistogramRange(void *memory, size_t &bytes, I in, C *counts, int levels,
                                      const L *at, N n, cudaStream_t stream = 0)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return w.counts() ? cudaSuccess
                              : detail::count(in, counts, detail::given_levels<L>{at, levels - 1},
                                              (size_t)n, stream);
        });
    }
    template <int CHANNELS, int ACTIVE, class I, class C, class L, class N>
    static cudaError_t MultiHistogramEven(void *memory, size_t &bytes, I in, C *counts[ACTIVE],
                                          int levels[ACTIVE], L lower[ACTIVE], L upper[ACTIVE],
                                          N pixels, cudaStream_t stream = 0)
    {
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            cudaError_t e = cudaSuccess;
            for (int c = 0; c < ACTIVE && !w.counts() && !e; c++)
                e = detail::count(in, counts[c],
                                  detail::even_levels<L>{lower[c], upper[c], levels[c] - 1},
                                  (size_t)pixels, stream, CHANNELS, c);
            return e;
        });
    }
};
} // namespace cub
