/* Runs of a block's threads, as items again: a window of them at a time. */
#pragma once
#include "cub/block/block.cuh"

namespace cub
{
template <class Item, int X, int RUNS, int DECODED, class N = unsigned, int Y = 1, int Z = 1>
class BlockRunLengthDecode
{
    enum { THREADS = X * Y * Z, ALL = THREADS * RUNS };
    typedef BlockScan<N, X, BLOCK_SCAN_RAKING, Y, Z> scan;

  public:
    struct TempStorage {
        typename scan::TempStorage sums;
        tern_parallel::room<Item, ALL> items;
        N offsets[ALL];
    };

  private:
    TempStorage &s;
    const int t;

    template <class L> __device__ void begin(Item (&items)[RUNS], L (&offsets)[RUNS])
    {
        for (int i = 0; i < RUNS; i++) {
            s.items[t * RUNS + i] = items[i];
            s.offsets[t * RUNS + i] = (N)offsets[i];
        }
        __syncthreads();
    }
    template <class L, class M>
    __device__ void begin_lengths(Item (&items)[RUNS], L (&lengths)[RUNS], M &total)
    {
        N offsets[RUNS], sum;
        for (int i = 0; i < RUNS; i++)
            offsets[i] = (N)lengths[i];
        scan(s.sums).ExclusiveSum(offsets, offsets, sum);
        total = (M)sum;
        begin(items, offsets);
    }
    /* The last run that begins at or before an item; of empty ones, too, the last. */
    __device__ int run_of(N at) const
    {
        int from = 0, to = ALL;
        while (from < to) {
            const int middle = (from + to) / 2;
            if (at < s.offsets[middle])
                to = middle;
            else
                from = middle + 1;
        }
        return from - 1;
    }

  public:
    template <class L, class M>
    __device__ BlockRunLengthDecode(TempStorage &s, Item (&items)[RUNS], L (&lengths)[RUNS],
                                    M &total)
        : s(s), t(detail::thread_in_block())
    {
        begin_lengths(items, lengths, total);
    }
    template <class L>
    __device__ BlockRunLengthDecode(TempStorage &s, Item (&items)[RUNS], L (&offsets)[RUNS])
        : s(s), t(detail::thread_in_block())
    {
        begin(items, offsets);
    }
    template <class L, class M>
    __device__ BlockRunLengthDecode(Item (&items)[RUNS], L (&lengths)[RUNS], M &total)
        : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
        begin_lengths(items, lengths, total);
    }
    template <class L>
    __device__ BlockRunLengthDecode(Item (&items)[RUNS], L (&offsets)[RUNS])
        : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
        begin(items, offsets);
    }
    /* Blocked items from `from` on, and each one's place in its run. */
    template <class M>
    __device__ void RunLengthDecode(Item (&items)[DECODED], M (&places)[DECODED], N from = 0)
    {
        for (int i = 0; i < DECODED; i++) {
            const N at = from + (N)(t * DECODED + i);
            const int run = run_of(at);
            items[i] = s.items[run];
            places[i] = (M)(at - s.offsets[run]);
        }
    }
    __device__ void RunLengthDecode(Item (&items)[DECODED], N from = 0)
    {
        N places[DECODED];
        RunLengthDecode(items, places, from);
    }
};
} // namespace cub
