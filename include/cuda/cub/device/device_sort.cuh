/* Sorting whole ranges, and each segment of a range. */
#pragma once
#include "cub/block/radix_rank_sort_operations.cuh"
#include "cub/iterator/iterators.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_device.cuh"
#include "cub/util_stream.cuh"

namespace cub
{
using tern_parallel::workspace;

namespace detail
{

/* Keys that a decomposer takes apart: by comparison, stably. */
template <class K, class V, class D>
cudaError_t decomposed_sort(void *memory, size_t &bytes, const K *in, K *out, const V *values_in,
                            V *values_out, size_t n, D parts, int from, int to, bool down,
                            cudaStream_t stream)
{
    return in_two_calls(memory, bytes, [&](workspace &w) {
        constexpr bool with_values = tern_parallel::has_values<V>::value;
        K *keys[2] = {out, w.take<K>(n)};
        V *values[2] = {values_out, w.take<V>(with_values ? n : 0)};
        if (!w.counts()) {
            tern_parallel::copy(in, out, n, stream);
            if constexpr (with_values)
                tern_parallel::copy(values_in, values_out, n, stream);
        }
        int where = 0;
        const cudaError_t e = tern_parallel::sort_merge(
            w, keys, values, n, parts_less<K, D>{parts, from, to, down}, &where, stream);
        if (e || w.counts() || !where)
            return e;
        tern_parallel::copy((const K *)keys[1], out, n, stream);
        if constexpr (with_values)
            tern_parallel::copy((const V *)values[1], values_out, n, stream);
        return cudaPeekAtLastError();
    });
}
template <class K, class V, class D>
cudaError_t decomposed_sort(void *memory, size_t &bytes, DoubleBuffer<K> &keys,
                            DoubleBuffer<V> *values, size_t n, D parts, int from, int to, bool down,
                            cudaStream_t stream)
{
    return in_two_calls(memory, bytes, [&](workspace &w) {
        K *k[2] = {keys.Current(), keys.Alternate()};
        V *v[2] = {values ? values->Current() : (V *)0, values ? values->Alternate() : (V *)0};
        int where = 0;
        const cudaError_t e = tern_parallel::sort_merge(
            w, k, v, n, parts_less<K, D>{parts, from, to, down}, &where, stream);
        if (!w.counts() && where) {
            keys.selector ^= 1;
            if (values)
                values->selector ^= 1;
        }
        return e;
    });
}

/* From in to out: the memory between is such that the last pass ends in out. */
template <class K, class V>
cudaError_t radix_sort(void *memory, size_t &bytes, const K *in, K *out, const V *values_in,
                       V *values_out, size_t n, int from, int to, bool down, cudaStream_t stream)
{
    if constexpr (!is_plain_key<K>::value)
        return decomposed_sort(memory, bytes, in, out, values_in, values_out, n,
                               traits_decomposer<K>(), from, to, down, stream);
    else
    return in_two_calls(memory, bytes, [&](workspace &w) {
        constexpr bool with_values = tern_parallel::has_values<V>::value;
        K *more = w.take<K>(n);
        V *more_values = w.take<V>(with_values ? n : 0);
        const int passes = (to - from + tern_parallel::DIGIT_BITS - 1) / tern_parallel::DIGIT_BITS;
        K *keys[2] = {passes % 2 ? more : out, passes % 2 ? out : more};
        V *values[2] = {passes % 2 ? more_values : values_out,
                        passes % 2 ? values_out : more_values};
        if (!w.counts() && !passes) {
            tern_parallel::copy(in, out, n, stream);
            if constexpr (with_values)
                tern_parallel::copy(values_in, values_out, n, stream);
        }
        int where;
        return tern_parallel::sort_digits(w, in, values_in, keys, values, n, from, to, down, &where,
                                          stream);
    });
}
template <class K, class V>
cudaError_t radix_sort(void *memory, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> *values,
                       size_t n, int from, int to, bool down, cudaStream_t stream)
{
    if constexpr (!is_plain_key<K>::value)
        return decomposed_sort(memory, bytes, keys, values, n, traits_decomposer<K>(), from, to,
                               down, stream);
    else
    return in_two_calls(memory, bytes, [&](workspace &w) {
        K *k[2] = {keys.Current(), keys.Alternate()};
        V *v[2] = {values ? values->Current() : (V *)0, values ? values->Alternate() : (V *)0};
        int where;
        const cudaError_t e = tern_parallel::sort_digits(w, (const K *)k[0], (const V *)v[0], k, v,
                                                         n, from, to, down, &where, stream);
        if (!w.counts() && where) {
            keys.selector ^= 1;
            if (values)
                values->selector ^= 1;
        }
        return e;
    });
}
} // namespace detail

struct DeviceRadixSort {
/* Between two ranges, or in a double buffer. */
#define CUB_SORT(keys_name, pairs_name, down)                                                      \
    template <class K, class N>                                                                    \
    static cudaError_t keys_name(void *memory, size_t &bytes, const K *in, K *out, N n,            \
                                 int from = 0, int to = sizeof(K) * 8,                             \
                                 detail::on_stream stream = {}, bool = false)                      \
    {                                                                                              \
        typedef tern_parallel::no_values none;                                                     \
        return detail::radix_sort(memory, bytes, in, out, (const none *)0, (none *)0, (size_t)n,   \
                                  from, to, down, stream);                                         \
    }                                                                                              \
    template <class K, class N>                                                                    \
    static cudaError_t keys_name(void *memory, size_t &bytes, DoubleBuffer<K> &keys, N n,          \
                                 int from = 0, int to = sizeof(K) * 8,                             \
                                 detail::on_stream stream = {}, bool = false)                      \
    {                                                                                              \
        return detail::radix_sort(memory, bytes, keys,                                             \
                                  (DoubleBuffer<tern_parallel::no_values> *)0, (size_t)n, from,    \
                                  to, down, stream);                                               \
    }                                                                                              \
    template <class K, class V, class N>                                                           \
    static cudaError_t pairs_name(void *memory, size_t &bytes, const K *in, K *out,                \
                                  const V *values_in, V *values_out, N n, int from = 0,            \
                                  int to = sizeof(K) * 8, detail::on_stream stream = {},           \
                                  bool = false)                                                    \
    {                                                                                              \
        return detail::radix_sort(memory, bytes, in, out, values_in, values_out, (size_t)n, from,  \
                                  to, down, stream);                                               \
    }                                                                                              \
    template <class K, class V, class N>                                                           \
    static cudaError_t pairs_name(void *memory, size_t &bytes, DoubleBuffer<K> &keys,              \
                                  DoubleBuffer<V> &values, N n, int from = 0,                      \
                                  int to = sizeof(K) * 8, detail::on_stream stream = {},           \
                                  bool = false)                                                    \
    {                                                                                              \
        return detail::radix_sort(memory, bytes, keys, &values, (size_t)n, from, to, down,         \
                                  stream);                                                         \
    }
    CUB_SORT(SortKeys, SortPairs, false)
    CUB_SORT(SortKeysDescending, SortPairsDescending, true)
#undef CUB_SORT
/* The same by bits [from, to) of what a decomposer makes of the keys, or all of them. */
#define CUB_SORT(keys_name, pairs_name, down)                                                      \
    CUB_SORT_PARTS(keys_name, pairs_name, down, BITS_GIVEN, from, to)                              \
    CUB_SORT_PARTS(keys_name, pairs_name, down, BITS_ALL, 0, 1 << 30)
#define BITS_GIVEN , int from, int to
#define BITS_ALL
#define CUB_SORT_PARTS(keys_name, pairs_name, down, bits, first, last)                             \
    template <class K, class N, class D, detail::if_operator<D> = 0>                               \
    static cudaError_t keys_name(void *memory, size_t &bytes, const K *in, K *out, N n,            \
                                 D parts bits, detail::on_stream stream = {})                      \
    {                                                                                              \
        typedef tern_parallel::no_values none;                                                     \
        return detail::decomposed_sort(memory, bytes, in, out, (const none *)0, (none *)0,         \
                                       (size_t)n, parts, first, last, down, stream);               \
    }                                                                                              \
    template <class K, class N, class D, detail::if_operator<D> = 0>                               \
    static cudaError_t keys_name(void *memory, size_t &bytes, DoubleBuffer<K> &keys, N n,          \
                                 D parts bits, detail::on_stream stream = {})                      \
    {                                                                                              \
        return detail::decomposed_sort(memory, bytes, keys,                                        \
                                       (DoubleBuffer<tern_parallel::no_values> *)0, (size_t)n,     \
                                       parts, first, last, down, stream);                          \
    }                                                                                              \
    template <class K, class V, class N, class D, detail::if_operator<D> = 0>                      \
    static cudaError_t pairs_name(void *memory, size_t &bytes, const K *in, K *out,                \
                                  const V *values_in, V *values_out, N n, D parts bits,            \
                                  detail::on_stream stream = {})                                   \
    {                                                                                              \
        return detail::decomposed_sort(memory, bytes, in, out, values_in, values_out, (size_t)n,   \
                                       parts, first, last, down, stream);                          \
    }                                                                                              \
    template <class K, class V, class N, class D, detail::if_operator<D> = 0>                      \
    static cudaError_t pairs_name(void *memory, size_t &bytes, DoubleBuffer<K> &keys,              \
                                  DoubleBuffer<V> &values, N n, D parts bits,                      \
                                  detail::on_stream stream = {})                                   \
    {                                                                                              \
        return detail::decomposed_sort(memory, bytes, keys, &values, (size_t)n, parts, first,      \
                                       last, down, stream);                                        \
    }
    CUB_SORT(SortKeys, SortPairs, false)
    CUB_SORT(SortKeysDescending, SortPairsDescending, true)
#undef CUB_SORT_PARTS
#undef BITS_GIVEN
#undef BITS_ALL
#undef CUB_SORT
};

namespace detail
{
/* A range that is sorted: in its own memory, if it is memory, beside as much again. */
template <class T, class R> struct sorted_place {
    static constexpr bool is_memory = std::is_same<R, T *>::value;
    R range;
    size_t n;
    T *at[2];
    sorted_place(workspace &w, R range, size_t n) : range(range), n(n)
    {
        at[1] = w.take<T>(n);
        if constexpr (is_memory)
            at[0] = range;
        else
            at[0] = w.take<T>(n);
    }
    void get(cudaStream_t stream)
    {
        if constexpr (!is_memory)
            tern_parallel::copy(range, at[0], n, stream);
    }
    void put(int where, cudaStream_t stream)
    {
        if (!is_memory || where)
            tern_parallel::copy((const T *)at[where], range, n, stream);
    }
};
} // namespace detail

/* By comparison, in place. */
struct DeviceMergeSort {
    template <class K, class V, class N, class C>
    static cudaError_t SortPairs(void *memory, size_t &bytes, K keys, V values, N n, C less,
                                 detail::on_stream stream = {}, bool = false)
    {
        typedef detail::value_of<K> KT;
        typedef detail::value_of<V> VT;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            detail::sorted_place<KT, detail::raw_t<K>> k(w, detail::raw(keys), (size_t)n);
            detail::sorted_place<VT, detail::raw_t<V>> v(w, detail::raw(values), (size_t)n);
            int where;
            if (!w.counts()) {
                k.get(stream);
                v.get(stream);
            }
            const cudaError_t e =
                tern_parallel::sort_merge(w, k.at, v.at, (size_t)n, less, &where, stream);
            if (e || w.counts())
                return e;
            k.put(where, stream);
            v.put(where, stream);
            return cudaPeekAtLastError();
        });
    }
    template <class K, class N, class C>
    static cudaError_t SortKeys(void *memory, size_t &bytes, K keys, N n, C less,
                                detail::on_stream stream = {}, bool = false)
    {
        typedef detail::value_of<K> T;
        return detail::in_two_calls(memory, bytes, [&](workspace &w) {
            detail::sorted_place<T, detail::raw_t<K>> k(w, detail::raw(keys), (size_t)n);
            tern_parallel::no_values *none[2] = {0, 0};
            int where;
            if (!w.counts())
                k.get(stream);
            const cudaError_t e =
                tern_parallel::sort_merge(w, k.at, none, (size_t)n, less, &where, stream);
            if (e || w.counts())
                return e;
            k.put(where, stream);
            return cudaPeekAtLastError();
        });
    }
    template <class I, class O, class N, class C>
    static cudaError_t SortKeysCopy(void *memory, size_t &bytes, I in, O out, N n, C less,
                                    detail::on_stream stream = {}, bool = false)
    {
        if (memory)
            tern_parallel::copy(detail::raw(in), detail::raw(out), (size_t)n, stream);
        return SortKeys(memory, bytes, out, n, less, stream);
    }
    template <class KI, class VI, class KO, class VO, class N, class C>
    static cudaError_t SortPairsCopy(void *memory, size_t &bytes, KI keys, VI values, KO keys_out,
                                     VO values_out, N n, C less, detail::on_stream stream = {}, bool = false)
    {
        if (memory) {
            tern_parallel::copy(detail::raw(keys), detail::raw(keys_out), (size_t)n, stream);
            tern_parallel::copy(detail::raw(values), detail::raw(values_out), (size_t)n, stream);
        }
        return SortPairs(memory, bytes, keys_out, values_out, n, less, stream);
    }
    template <class I, class O, class N, class C>
    static cudaError_t StableSortKeysCopy(void *memory, size_t &bytes, I in, O out, N n, C less,
                                          detail::on_stream stream = {}, bool = false)
    {
        return SortKeysCopy(memory, bytes, in, out, n, less, stream);
    }
    template <class K, class N, class C>
    static cudaError_t StableSortKeys(void *memory, size_t &bytes, K keys, N n, C less,
                                      detail::on_stream stream = {}, bool = false)
    {
        return SortKeys(memory, bytes, keys, n, less, stream);
    }
    template <class K, class V, class N, class C>
    static cudaError_t StableSortPairs(void *memory, size_t &bytes, K keys, V values, N n, C less,
                                       detail::on_stream stream = {}, bool = false)
    {
        return SortPairs(memory, bytes, keys, values, n, less, stream);
    }
};

namespace detail
{
template <class K> struct bits_less { /* by the bits [from, to) */
    static_assert(is_plain_key<K>::value, "keys of segments are numbers");
    int from, to;
    bool down;
    CUB_HD bool operator()(const K &a, const K &b) const
    {
        int left = to - from; /* whole words, the highest first */
        while (left > 0) {
            const int some = (left - 1) % 64 + 1, at = from + left - some;
            const unsigned long long mask = some < 64 ? (1ull << some) - 1 : ~0ull;
            const unsigned long long x = (tern_parallel::key_bits<K>::of(a) >> at) & mask;
            const unsigned long long y = (tern_parallel::key_bits<K>::of(b) >> at) & mask;
            if (x != y)
                return down ? y < x : x < y;
            left -= some;
        }
        return false;
    }
};
/* [start, last), by a block; `in` is read, and out and more take turns so that out has the end. */
template <class K, class V>
__device__ void sort_segment(const K *in, K *out, K *more, const V *values_in, V *values_out,
                             V *more_values, size_t start, size_t last, bits_less<K> less)
{
    constexpr bool with_values = tern_parallel::has_values<V>::value;
    const size_t n = last > start ? last - start : 0;
    int passes = 0;
    for (size_t width = 1; width < n; width *= 2)
        passes++;
    K *from = (passes % 2 ? more : out) + start, *to = (passes % 2 ? out : more) + start;
    V *values_from = (passes % 2 ? more_values : values_out) + start;
    V *values_to = (passes % 2 ? values_out : more_values) + start;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        from[i] = in[start + i];
        if constexpr (with_values)
            values_from[i] = values_in[start + i];
    }
    for (size_t width = 1; width < n; width *= 2) {
        __syncthreads();
        tern_parallel::merge_each<K, V, bits_less<K>> step{from, to,    values_from, values_to,
                                                           n,    width, less};
        for (size_t i = threadIdx.x; i < n; i += blockDim.x)
            step(i);
        K *k = from;
        V *v = values_from;
        from = to;
        values_from = values_to;
        to = k;
        values_to = v;
    }
}
template <class K, class V, class B, class E>
__global__ void sort_segments(const K *in, K *out, K *more, const V *values_in, V *values_out,
                              V *more_values, B begins, E ends, size_t segments,
                              bits_less<K> less)
{
    for (size_t k = blockIdx.x; k < segments; k += gridDim.x)
        sort_segment<K, V>(in, out, more, values_in, values_out, more_values, (size_t)begins[k],
                           (size_t)ends[k], less);
}
template <class K, class V, class B, class E>
cudaError_t segmented_sort(void *memory, size_t &bytes, const K *in, K *out, const V *values_in,
                           V *values_out, size_t n, long long segments, B begins, E ends, int from,
                           int to, bool down, cudaStream_t stream)
{
    return in_two_calls(memory, bytes, [&](workspace &w) {
        K *more = w.take<K>(n);
        V *more_values = w.take<V>(tern_parallel::has_values<V>::value ? n : 0);
        if (!w.counts() && segments > 0)
            sort_segments<K, V><<<tern_parallel::blocks_for((size_t)segments, 1),
                                  tern_parallel::THREADS, 0, stream>>>(
                in, out, more, values_in, values_out, more_values, raw(begins), raw(ends),
                (size_t)segments, bits_less<K>{from, to, down});
        return w.counts() ? cudaSuccess : cudaPeekAtLastError();
    });
}
/* The end is in the other buffer, and what is in no segment stays in this one. */
template <class K, class V, class B, class E>
cudaError_t segmented_sort(void *memory, size_t &bytes, DoubleBuffer<K> &keys,
                           DoubleBuffer<V> *values, size_t n, long long segments, B begins, E ends,
                           int from, int to, bool down, cudaStream_t stream)
{
    V *const current = values ? values->Current() : (V *)0;
    V *const other = values ? values->Alternate() : (V *)0;
    const cudaError_t e =
        segmented_sort(memory, bytes, (const K *)keys.Current(), keys.Alternate(),
                       (const V *)current, other, n, segments, begins, ends, from, to, down, stream);
    if (memory && segments > 0) {
        keys.selector ^= 1;
        if (values)
            values->selector ^= 1;
    }
    return e;
}
} // namespace detail

#define CUB_SEGMENTED(keys_name, pairs_name, down, bits, first, last)                              \
    template <class K, class N, class M, class B, class E>                                         \
    static cudaError_t keys_name(void *memory, size_t &bytes, const K *in, K *out, N n,            \
                                 M segments, B begins, E ends bits(K),                             \
                                 detail::on_stream stream = {}, bool = false)                      \
    {                                                                                              \
        typedef tern_parallel::no_values none;                                                     \
        return detail::segmented_sort(memory, bytes, in, out, (const none *)0, (none *)0,          \
                                      (size_t)n, segments, begins, ends, first, last, down,        \
                                      stream);                                                     \
    }                                                                                              \
    template <class K, class N, class M, class B, class E>                                         \
    static cudaError_t keys_name(void *memory, size_t &bytes, DoubleBuffer<K> &keys, N n,          \
                                 M segments, B begins, E ends bits(K),                             \
                                 detail::on_stream stream = {}, bool = false)                      \
    {                                                                                              \
        return detail::segmented_sort(memory, bytes, keys,                                         \
                                      (DoubleBuffer<tern_parallel::no_values> *)0, (size_t)n,      \
                                      segments, begins, ends, first, last, down, stream);          \
    }                                                                                              \
    template <class K, class V, class N, class M, class B, class E>                                \
    static cudaError_t pairs_name(void *memory, size_t &bytes, const K *in, K *out,                \
                                  const V *values_in, V *values_out, N n, M segments, B begins,    \
                                  E ends bits(K), detail::on_stream stream = {}, bool = false)     \
    {                                                                                              \
        return detail::segmented_sort(memory, bytes, in, out, values_in, values_out, (size_t)n,    \
                                      segments, begins, ends, first, last, down, stream);          \
    }                                                                                              \
    template <class K, class V, class N, class M, class B, class E>                                \
    static cudaError_t pairs_name(void *memory, size_t &bytes, DoubleBuffer<K> &keys,              \
                                  DoubleBuffer<V> &values, N n, M segments, B begins,              \
                                  E ends bits(K), detail::on_stream stream = {}, bool = false)     \
    {                                                                                              \
        return detail::segmented_sort(memory, bytes, keys, &values, (size_t)n, segments, begins,   \
                                      ends, first, last, down, stream);                            \
    }
#define CUB_BITS(K) , int from = 0, int to = sizeof(K) * 8
#define CUB_WHOLE(K)
struct DeviceSegmentedRadixSort {
    CUB_SEGMENTED(SortKeys, SortPairs, false, CUB_BITS, from, to)
    CUB_SEGMENTED(SortKeysDescending, SortPairsDescending, true, CUB_BITS, from, to)
};
#define CUB_SORT(keys_name, pairs_name, down)                                                      \
    CUB_SEGMENTED(keys_name, pairs_name, down, CUB_WHOLE, 0, (int)sizeof(K) * 8)
struct DeviceSegmentedSort {
    CUB_SORT(SortKeys, SortPairs, false)
    CUB_SORT(SortKeysDescending, SortPairsDescending, true)
    CUB_SORT(StableSortKeys, StableSortPairs, false)
    CUB_SORT(StableSortKeysDescending, StableSortPairsDescending, true)
};
#undef CUB_SORT
#undef CUB_WHOLE
#undef CUB_BITS
#undef CUB_SEGMENTED
} // namespace cub
