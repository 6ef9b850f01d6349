/* The places of a block's keys when they are ordered by one digit; equal digits keep their order. */
#pragma once
#include "cub/block/block.cuh"
#include "cub/block/radix_rank_sort_operations.cuh"

namespace cub
{
namespace detail
{
/* A counter for each digit of each thread, digit after digit. */
template <int THREADS, int BITS, bool down, int X, int Y, int Z> class radix_rank
{
    enum { DIGITS = 1 << BITS, COUNT = DIGITS * THREADS };
    typedef BlockScan<unsigned, X, BLOCK_SCAN_RAKING, Y, Z> scan;

  public:
    enum { BINS_TRACKED_PER_THREAD = (DIGITS + THREADS - 1) / THREADS };
    struct TempStorage {
        unsigned counters[COUNT];
        typename scan::TempStorage sums;
    };

  protected:
    TempStorage &s;
    const int t;

    __device__ explicit radix_rank(TempStorage &s) : s(s), t(thread_in_block())
    {
    }
    __device__ int place(unsigned digit, int at) const
    {
        return (down ? DIGITS - 1 - (int)digit : (int)digit) * THREADS + at;
    }
    __device__ void clear()
    {
        __syncthreads();
        for (int d = 0; d < DIGITS; d++)
            s.counters[d * THREADS + t] = 0;
        __syncthreads();
    }
    __device__ void sum()
    {
        unsigned mine[DIGITS];
        __syncthreads();
        for (int k = 0; k < DIGITS; k++)
            mine[k] = s.counters[t * DIGITS + k];
        scan(s.sums).ExclusiveSum(mine, mine);
        for (int k = 0; k < DIGITS; k++)
            s.counters[t * DIGITS + k] = mine[k];
        __syncthreads();
    }
    /* How many keys come before those of this thread's digits; before any key is placed. */
    __device__ void before(int (&prefix)[BINS_TRACKED_PER_THREAD])
    {
        for (int k = 0; k < BINS_TRACKED_PER_THREAD; k++)
            if (t * BINS_TRACKED_PER_THREAD + k < DIGITS)
                prefix[k] = (int)s.counters[place(t * BINS_TRACKED_PER_THREAD + k, 0)];
        __syncthreads();
    }
};
} // namespace detail

template <int X, int BITS, bool down, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS,
          int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixRank : public detail::radix_rank<X * Y * Z, BITS, down, X, Y, Z>
{
    typedef detail::radix_rank<X * Y * Z, BITS, down, X, Y, Z> base;
    using base::s;
    using base::t;

  public:
    typedef typename base::TempStorage TempStorage;
    using base::BINS_TRACKED_PER_THREAD;
    __device__ BlockRadixRank() : base(detail::own<TempStorage>())
    {
    }
    __device__ explicit BlockRadixRank(TempStorage &s) : base(s)
    {
    }
    template <class K, int N, class E>
    __device__ void RankKeys(K (&keys)[N], int (&ranks)[N], E digits)
    {
        int prefix[base::BINS_TRACKED_PER_THREAD];
        RankKeys(keys, ranks, digits, prefix);
    }
    template <class K, int N, class E>
    __device__ void RankKeys(K (&keys)[N], int (&ranks)[N], E digits,
                             int (&prefix)[base::BINS_TRACKED_PER_THREAD])
    {
        base::clear();
        for (int i = 0; i < N; i++)
            s.counters[base::place(digits.Digit(keys[i]), t)]++;
        base::sum();
        base::before(prefix);
        for (int i = 0; i < N; i++)
            ranks[i] = (int)s.counters[base::place(digits.Digit(keys[i]), t)]++;
    }
};

/* The same for keys that lie in stripes of warps: a warp's items come row after row. */
template <int X, int BITS, bool down, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int Y = 1,
          int Z = 1, int = 0>
class BlockRadixRankMatch : public detail::radix_rank<X * Y * Z, BITS, down, X, Y, Z>
{
    typedef detail::radix_rank<X * Y * Z, BITS, down, X, Y, Z> base;
    using base::s;
    using base::t;

  public:
    typedef typename base::TempStorage TempStorage;
    using base::BINS_TRACKED_PER_THREAD;
    __device__ BlockRadixRankMatch() : base(detail::own<TempStorage>())
    {
    }
    __device__ explicit BlockRadixRankMatch(TempStorage &s) : base(s)
    {
    }
    template <class K, int N, class E>
    __device__ void RankKeys(K (&keys)[N], int (&ranks)[N], E digits)
    {
        int prefix[base::BINS_TRACKED_PER_THREAD];
        RankKeys(keys, ranks, digits, prefix);
    }
    template <class K, int N, class E>
    __device__ void RankKeys(K (&keys)[N], int (&ranks)[N], E digits,
                             int (&prefix)[base::BINS_TRACKED_PER_THREAD])
    {
        /* A warp's keys are counted where its first lane's are. */
        const int warp = t / 32 * 32;
        base::clear();
        for (int i = 0; i < N; i++)
            atomicAdd(&s.counters[base::place(digits.Digit(keys[i]), warp)], 1u);
        base::sum();
        base::before(prefix);
        const unsigned all = __activemask(), below = (1u << (t % 32)) - 1;
        for (int i = 0; i < N; i++) {
            const unsigned digit = digits.Digit(keys[i]), same = __match_any_sync(all, digit);
            unsigned &counter = s.counters[base::place(digit, warp)];
            ranks[i] = (int)counter + __popc(same & below);
            __syncwarp(all);
            if (!(same & below))
                counter += __popc(same);
            __syncwarp(all);
        }
    }
};
} // namespace cub
