/* Scans of whole ranges, and of runs of equal keys. */
#pragma once
#include "cub/iterator/iterators.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_device.cuh"
#include "cub/util_stream.cuh"

namespace cub
{
using tern_parallel::workspace;

struct DeviceScan {
    template <class I, class O, class Op, class T, class N, detail::if_range<O> = 0>
    static cudaError_t ExclusiveScan(void *memory, size_t &bytes, I in, O out, Op op, T init, N n,
                                     detail::on_stream stream = {}, bool = false)
    {
        return scan<true>(memory, bytes, in, out, op, init, n, stream);
    }
    template <class I, class O, class Op, class T, class N, detail::if_range<O> = 0>
    static cudaError_t InclusiveScanInit(void *memory, size_t &bytes, I in, O out, Op op, T init,
                                         N n, detail::on_stream stream = {})
    {
        return scan<false>(memory, bytes, in, out, op, init, n, stream);
    }
    template <class I, class O, class Op, class N, detail::if_range<O> = 0>
    static cudaError_t InclusiveScan(void *memory, size_t &bytes, I in, O out, Op op, N n,
                                     detail::on_stream stream = {}, bool = false)
    {
        typedef detail::scan_of<Op, I> S;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan<false, S>(w, detail::raw(in), detail::raw(out), (size_t)n,
                                                 op, tern_parallel::start_none(), stream);
        });
    }
    template <class I, class O, class N, detail::if_number<N> = 0>
    static cudaError_t ExclusiveSum(void *memory, size_t &bytes, I in, O out, N n,
                                    detail::on_stream stream = {}, bool = false)
    {
        return scan<true>(memory, bytes, in, out, cub::Sum(), detail::value_of<I>(), n, stream);
    }
    template <class I, class O, class N, detail::if_number<N> = 0>
    static cudaError_t InclusiveSum(void *memory, size_t &bytes, I in, O out, N n,
                                    detail::on_stream stream = {}, bool = false)
    {
        return InclusiveScan(memory, bytes, in, out, cub::Sum(), n, stream);
    }
    /* in place */
    template <class I, class Op, class T, class N, detail::if_number<N> = 0,
              detail::if_operator<Op> = 0>
    static cudaError_t ExclusiveScan(void *memory, size_t &bytes, I data, Op op, T init, N n,
                                     detail::on_stream stream = {}, bool = false)
    {
        return scan<true>(memory, bytes, data, data, op, init, n, stream);
    }
    template <class I, class Op, class N, detail::if_number<N> = 0, detail::if_operator<Op> = 0>
    static cudaError_t InclusiveScan(void *memory, size_t &bytes, I data, Op op, N n,
                                     detail::on_stream stream = {}, bool = false)
    {
        return InclusiveScan(memory, bytes, data, data, op, n, stream);
    }
    template <class I, class N, detail::if_number<N> = 0>
    static cudaError_t ExclusiveSum(void *memory, size_t &bytes, I data, N n,
                                    detail::on_stream stream = {}, bool = false)
    {
        return ExclusiveSum(memory, bytes, data, data, n, stream);
    }
    template <class I, class N, detail::if_number<N> = 0>
    static cudaError_t InclusiveSum(void *memory, size_t &bytes, I data, N n,
                                    detail::on_stream stream = {}, bool = false)
    {
        return InclusiveSum(memory, bytes, data, data, n, stream);
    }

    /* ---- runs of equal keys: by an operator of the caller's, if there is one ---- */

    template <class K, class V, class O, class Op, class N, class Q, detail::if_operator<Q> = 0>
    static cudaError_t InclusiveScanByKey(void *memory, size_t &bytes, K keys, V values, O out,
                                          Op op, N n, Q equal, detail::on_stream stream = {},
                                          bool = false)
    {
        typedef detail::scan_of<Op, V> T;
        typedef tern_parallel::runs_of<T, detail::raw_t<K>, detail::raw_t<V>, Q> runs;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan_runs<T>(
                w, runs{detail::raw(keys), detail::raw(values), equal}, detail::raw(out), (size_t)n,
                op, stream);
        });
    }
    template <class K, class V, class O, class Op, class T, class N, class Q,
              detail::if_operator<Q> = 0>
    static cudaError_t ExclusiveScanByKey(void *memory, size_t &bytes, K keys, V values, O out,
                                          Op op, T init, N n, Q equal,
                                          detail::on_stream stream = {}, bool = false)
    {
        typedef detail::made_by<Op, T, detail::value_of<V>> S;
        typedef tern_parallel::runs_before<S, detail::raw_t<K>, detail::raw_t<V>, Q> runs;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan_runs<S>(
                w, runs{detail::raw(keys), detail::raw(values), equal, (S)init}, detail::raw(out),
                (size_t)n, op, stream);
        });
    }
    template <class K, class V, class O, class N, class Q, detail::if_operator<Q> = 0>
    static cudaError_t InclusiveSumByKey(void *memory, size_t &bytes, K keys, V values, O out, N n,
                                         Q equal, detail::on_stream stream = {}, bool = false)
    {
        return InclusiveScanByKey(memory, bytes, keys, values, out, cub::Sum(), n, equal, stream);
    }
    template <class K, class V, class O, class N, class Q, detail::if_operator<Q> = 0>
    static cudaError_t ExclusiveSumByKey(void *memory, size_t &bytes, K keys, V values, O out, N n,
                                         Q equal, detail::on_stream stream = {}, bool = false)
    {
        return ExclusiveScanByKey(memory, bytes, keys, values, out, cub::Sum(),
                                  detail::value_of<V>(), n, equal, stream);
    }
    template <class K, class V, class O, class Op, class N>
    static cudaError_t InclusiveScanByKey(void *memory, size_t &bytes, K keys, V values, O out,
                                          Op op, N n, detail::on_stream stream = {})
    {
        return InclusiveScanByKey(memory, bytes, keys, values, out, op, n, Equality(), stream);
    }
    template <class K, class V, class O, class Op, class T, class N, detail::if_number<N> = 0>
    static cudaError_t ExclusiveScanByKey(void *memory, size_t &bytes, K keys, V values, O out,
                                          Op op, T init, N n, detail::on_stream stream = {})
    {
        return ExclusiveScanByKey(memory, bytes, keys, values, out, op, init, n, Equality(),
                                  stream);
    }
    template <class K, class V, class O, class N>
    static cudaError_t InclusiveSumByKey(void *memory, size_t &bytes, K keys, V values, O out, N n,
                                         detail::on_stream stream = {})
    {
        return InclusiveSumByKey(memory, bytes, keys, values, out, n, Equality(), stream);
    }
    template <class K, class V, class O, class N>
    static cudaError_t ExclusiveSumByKey(void *memory, size_t &bytes, K keys, V values, O out, N n,
                                         detail::on_stream stream = {})
    {
        return ExclusiveSumByKey(memory, bytes, keys, values, out, n, Equality(), stream);
    }

    /* ---- with memory of the stream's own ---- */

    template <class I, class O, class Op, class T, class N, detail::if_number<N> = 0,
              detail::if_range<O> = 0>
    static cudaError_t ExclusiveScan(I in, O out, Op op, T init, N n, detail::on_stream stream = {})
    {
        return detail::in_one_call(stream, [&](void *memory, size_t &bytes) {
            return scan<true>(memory, bytes, in, out, op, init, n, stream);
        });
    }
    template <class I, class O, class Op, class T, class N, detail::if_number<N> = 0,
              detail::if_range<O> = 0>
    static cudaError_t InclusiveScanInit(I in, O out, Op op, T init, N n,
                                         detail::on_stream stream = {})
    {
        return detail::in_one_call(stream, [&](void *memory, size_t &bytes) {
            return scan<false>(memory, bytes, in, out, op, init, n, stream);
        });
    }
    template <class I, class O, class Op, class N, detail::if_number<N> = 0,
              detail::if_range<O> = 0>
    static cudaError_t InclusiveScan(I in, O out, Op op, N n, detail::on_stream stream = {})
    {
        return detail::in_one_call(stream, [&](void *memory, size_t &bytes) {
            return InclusiveScan(memory, bytes, in, out, op, n, stream);
        });
    }
    template <class I, class O, class N, detail::if_number<N> = 0, detail::if_range<O> = 0>
    static cudaError_t ExclusiveSum(I in, O out, N n, detail::on_stream stream = {})
    {
        return ExclusiveScan(in, out, cub::Sum(), detail::value_of<I>(), n, stream);
    }
    template <class I, class O, class N, detail::if_number<N> = 0, detail::if_range<O> = 0>
    static cudaError_t InclusiveSum(I in, O out, N n, detail::on_stream stream = {})
    {
        return InclusiveScan(in, out, cub::Sum(), n, stream);
    }

  private:
    template <bool exclusive, class I, class O, class Op, class T, class N>
    static cudaError_t scan(void *memory, size_t &bytes, I in, O out, Op op, T init, N n,
                            detail::on_stream stream)
    {
        typedef detail::made_by<Op, detail::start_of<T>, detail::value_of<I>> S;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            return tern_parallel::scan<exclusive, S>(w, detail::raw(in), detail::raw(out),
                                                     (size_t)n, op,
                                                     detail::start_type<T>::template as<S>(init),
                                                     stream);
        });
    }
};
} // namespace cub
