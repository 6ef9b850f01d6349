/* Sorting the items of a block: by digits, or by merging. */
#pragma once
#include "cub/block/block.cuh"
#include "cub/block/radix_rank_sort_operations.cuh"

namespace cub
{
namespace detail
{
template <class V, int n> struct values_room {
    tern_parallel::room<V, n> s;
};
template <int n> struct values_room<NullType, n> {
};
} // namespace detail

template <class K, int X, int N, class V = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort
{
    enum { THREADS = X * Y * Z, BITS = 4, DIGITS = 16 };
    typedef BlockScan<unsigned, X, BLOCK_SCAN_RAKING, Y, Z> scan;

  public:
    struct TempStorage {
        unsigned counters[DIGITS * THREADS];
        typename scan::TempStorage sums;
        tern_parallel::room<K, THREADS * N> keys;
        detail::values_room<V, THREADS * N> values;
    };

  private:
    TempStorage &s;
    const int t;

    /* Digits of numbers, or of what a decomposer makes of keys. */
    static __device__ tern_parallel::digit digit(int shift, int bits, bool down, NullType)
    {
        return tern_parallel::digit{shift, bits, down};
    }
    template <class D>
    static __device__ detail::parts_digit<D> digit(int shift, int bits, bool down, D parts)
    {
        return detail::parts_digit<D>{shift, bits, down, parts};
    }
    template <class D>
    using width_of = detail::parts_bits<detail::parts_of<K, D>>;

    template <bool with_values, class W, class D = NullType>
    __device__ void sort(K (&keys)[N], W *values, int from, int to, bool down, bool striped,
                         D parts = D())
    {
        for (int shift = from; shift < to; shift += BITS) {
            const auto place = digit(shift, to - shift < BITS ? to - shift : (int)BITS, down, parts);
            __syncthreads();
            for (int d = 0; d < DIGITS; d++)
                s.counters[d * THREADS + t] = 0;
            for (int i = 0; i < N; i++)
                s.counters[place.of(keys[i]) * THREADS + t]++;
            __syncthreads();
            unsigned counts[DIGITS];
            for (int k = 0; k < DIGITS; k++)
                counts[k] = s.counters[t * DIGITS + k];
            scan(s.sums).ExclusiveSum(counts, counts);
            for (int k = 0; k < DIGITS; k++)
                s.counters[t * DIGITS + k] = counts[k];
            __syncthreads();
            for (int i = 0; i < N; i++) {
                const unsigned rank = s.counters[place.of(keys[i]) * THREADS + t]++;
                s.keys[rank] = keys[i];
                if constexpr (with_values)
                    s.values.s[rank] = values[i];
            }
            __syncthreads();
            read<with_values>(keys, values, false);
        }
        if (striped) {
            __syncthreads();
            for (int i = 0; i < N; i++) {
                s.keys[t * N + i] = keys[i];
                if constexpr (with_values)
                    s.values.s[t * N + i] = values[i];
            }
            __syncthreads();
            read<with_values>(keys, values, true);
        }
    }
    template <bool with_values, class W> __device__ void read(K (&keys)[N], W *values, bool striped)
    {
        for (int i = 0; i < N; i++) {
            const int at = striped ? i * THREADS + t : t * N + i;
            keys[i] = s.keys[at];
            if constexpr (with_values)
                values[i] = s.values.s[at];
        }
    }

  public:
    __device__ BlockRadixSort() : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockRadixSort(TempStorage &s) : s(s), t(detail::thread_in_block())
    {
    }
#define CUB_SORT(name, down, striped)                                                              \
    __device__ void name(K(&keys)[N], int from = 0, int to = sizeof(K) * 8)                        \
    {                                                                                              \
        sort<false>(keys, (NullType *)0, from, to, down, striped);                                 \
    }                                                                                              \
    template <class W>                                                                             \
    __device__ void name(K(&keys)[N], W(&values)[N], int from = 0, int to = sizeof(K) * 8)         \
    {                                                                                              \
        sort<true>(keys, values, from, to, down, striped);                                         \
    }                                                                                              \
    template <class D, detail::if_decomposer<D> = 0>                                               \
    __device__ void name(K(&keys)[N], D parts, int from, int to)                                   \
    {                                                                                              \
        sort<false>(keys, (NullType *)0, from, to, down, striped, parts);                          \
    }                                                                                              \
    template <class D, detail::if_decomposer<D> = 0>                                               \
    __device__ void name(K(&keys)[N], D parts)                                                     \
    {                                                                                              \
        name(keys, parts, 0, width_of<D>::width);                                                  \
    }                                                                                              \
    template <class W, class D, detail::if_decomposer<D> = 0>                                      \
    __device__ void name(K(&keys)[N], W(&values)[N], D parts, int from, int to)                    \
    {                                                                                              \
        sort<true>(keys, values, from, to, down, striped, parts);                                  \
    }                                                                                              \
    template <class W, class D, detail::if_decomposer<D> = 0>                                      \
    __device__ void name(K(&keys)[N], W(&values)[N], D parts)                                      \
    {                                                                                              \
        name(keys, values, parts, 0, width_of<D>::width);                                          \
    }
    CUB_SORT(Sort, false, false)
    CUB_SORT(SortDescending, true, false)
    CUB_SORT(SortBlockedToStriped, false, true)
    CUB_SORT(SortDescendingBlockedToStriped, true, true)
#undef CUB_SORT
};

namespace detail
{
/* Where the items of a block's threads, or of a warp's lanes, are sorted. */
struct in_block {
    __device__ static int thread()
    {
        return thread_in_block();
    }
    __device__ static void wait()
    {
        __syncthreads();
    }
};
template <class K, int THREADS, int N, class V, class Where> class merge_sort
{
    enum { COUNT = THREADS * N };

  public:
    struct TempStorage {
        tern_parallel::room<K, COUNT> keys;
        values_room<V, COUNT> values;
    };

  private:
    TempStorage &s;
    const int t;

    /* Runs of `width` are merged in pairs; each item finds its place in the other run. */
    template <bool with_values, class W, class C>
    __device__ void sort(K (&keys)[N], W *values, C less, int count)
    {
        for (int width = 1; width < COUNT; width *= 2) {
            int place[N];
            Where::wait();
            for (int i = 0; i < N; i++)
                s.keys[t * N + i] = keys[i];
            Where::wait();
            K *all = &s.keys[0];
            for (int i = 0; i < N; i++) {
                const int at = t * N + i, left = at / (2 * width) * (2 * width);
                const int right = left + width < count ? left + width : count;
                const int end = right + width < count ? right + width : count;
                if (at >= count)
                    place[i] = at;
                else if (at < right)
                    place[i] = at +
                               (int)tern_parallel::lower_place(all, right, end, keys[i], less) -
                               right;
                else
                    place[i] = at - right +
                               (int)tern_parallel::upper_place(all, left, right, keys[i], less);
            }
            Where::wait();
            for (int i = 0; i < N; i++) {
                s.keys[place[i]] = keys[i];
                if constexpr (with_values)
                    s.values.s[place[i]] = values[i];
            }
            Where::wait();
            for (int i = 0; i < N; i++) {
                keys[i] = s.keys[t * N + i];
                if constexpr (with_values)
                    values[i] = s.values.s[t * N + i];
            }
        }
    }
    __device__ void fill(K (&keys)[N], int valid, const K &other)
    {
        for (int i = 0; i < N; i++)
            if (t * N + i >= valid)
                keys[i] = other;
    }

  public:
    __device__ explicit merge_sort(TempStorage &s) : s(s), t(Where::thread())
    {
    }
    __device__ unsigned get_linear_tid() const
    {
        return t;
    }
    template <class C> __device__ void Sort(K (&keys)[N], C less)
    {
        sort<false>(keys, (NullType *)0, less, COUNT);
    }
    template <class C> __device__ void Sort(K (&keys)[N], C less, int valid, K other)
    {
        fill(keys, valid, other);
        sort<false>(keys, (NullType *)0, less, valid);
    }
    template <class W, class C> __device__ void Sort(K (&keys)[N], W (&values)[N], C less)
    {
        sort<true>(keys, values, less, COUNT);
    }
    template <class W, class C>
    __device__ void Sort(K (&keys)[N], W (&values)[N], C less, int valid, K other)
    {
        fill(keys, valid, other);
        sort<true>(keys, values, less, valid);
    }
    template <class... A> __device__ void StableSort(K (&keys)[N], A &&...more)
    {
        Sort(keys, more...);
    }
};
} // namespace detail

template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort : public detail::merge_sort<K, X * Y * Z, N, V, detail::in_block>
{
    typedef detail::merge_sort<K, X * Y * Z, N, V, detail::in_block> base;

  public:
    typedef typename base::TempStorage TempStorage;
    __device__ BlockMergeSort() : base(detail::own<TempStorage>())
    {
    }
    __device__ explicit BlockMergeSort(TempStorage &s) : base(s)
    {
    }
};
} // namespace cub
