/* What the lanes of a warp, or of a part of it, do together. */
#pragma once
#include "cub/thread/thread_operators.cuh"

namespace cub
{
namespace detail
{
/* W lanes that start at a multiple of W. */
template <int W> struct lanes {
    static_assert(W > 0 && W <= 32, "a warp has 32 lanes");
    __device__ static int hardware()
    {
        return thread_in_block() % 32;
    }
    __device__ static int lane()
    {
        return hardware() % W;
    }
    __device__ static void wait()
    {
        if constexpr (W == 32)
            __syncwarp();
        else
            __syncwarp(((1u << W) - 1) << (hardware() / W * W));
    }
};
} // namespace detail

template <class T, int W = 32, int = 0> class WarpReduce
{
  public:
    typedef tern_parallel::room<T, W> TempStorage;

  private:
    typedef detail::lanes<W> lanes;
    TempStorage &s;

    /* Lane k's becomes that of the lanes [k, end). */
    template <class Op> __device__ T segments(T x, Op op, int end)
    {
        const int k = lanes::lane();
        lanes::wait();
        s[k] = x;
        for (int d = 1; d < W; d *= 2) {
            lanes::wait();
            const bool more = k + d < end;
            if (more)
                x = op(x, s[k + d]);
            lanes::wait();
            s[k] = x;
        }
        return x;
    }
    __device__ int next_flag(int flag, int from) const
    {
        unsigned flags = __ballot_sync(__activemask(), flag) >> (lanes::hardware() / W * W);
        if (W < 32)
            flags &= (1u << (W & 31)) - 1;
        const unsigned behind = from < 32 ? flags >> from << from : 0;
        return behind ? __ffs(behind) - 1 : W;
    }

  public:
    __device__ explicit WarpReduce(TempStorage &s) : s(s)
    {
    }
    template <class Op> __device__ T Reduce(T x, Op op, int valid = W)
    {
        return segments(x, op, valid);
    }
    __device__ T Sum(T x, int valid = W)
    {
        return segments(x, cub::Sum(), valid);
    }
    __device__ T Max(T x, int valid = W)
    {
        return segments(x, cub::Max(), valid);
    }
    __device__ T Min(T x, int valid = W)
    {
        return segments(x, cub::Min(), valid);
    }
    /* Of each lane's items. */
#define CUB_OF_ITEMS(name, op)                                                                     \
    template <int N> __device__ T name(const T(&items)[N])                                         \
    {                                                                                              \
        return Reduce(items, op());                                                                \
    }
    template <int N, class Op> __device__ T Reduce(const T (&items)[N], Op op)
    {
        T x = items[0];
        for (int i = 1; i < N; i++)
            x = op(x, items[i]);
        return segments(x, op, W);
    }
    CUB_OF_ITEMS(Sum, cub::Sum)
    CUB_OF_ITEMS(Max, cub::Max)
    CUB_OF_ITEMS(Min, cub::Min)
#undef CUB_OF_ITEMS
    template <class Op, class F> __device__ T HeadSegmentedReduce(T x, F head, Op op)
    {
        return segments(x, op, next_flag(head ? 1 : 0, lanes::lane() + 1));
    }
    template <class Op, class F> __device__ T TailSegmentedReduce(T x, F tail, Op op)
    {
        return segments(x, op, next_flag(tail ? 1 : 0, lanes::lane()) + 1);
    }
    template <class F> __device__ T HeadSegmentedSum(T x, F head)
    {
        return HeadSegmentedReduce(x, head, cub::Sum());
    }
    template <class F> __device__ T TailSegmentedSum(T x, F tail)
    {
        return TailSegmentedReduce(x, tail, cub::Sum());
    }
};

template <class T, int W = 32, int = 0> class WarpScan
{
  public:
    typedef tern_parallel::room<T, W> TempStorage;

  private:
    typedef detail::lanes<W> lanes;
    TempStorage &s;

    template <class Op> __device__ T inclusive(T x, Op op)
    {
        const int k = lanes::lane();
        lanes::wait();
        s[k] = x;
        for (int d = 1; d < W; d *= 2) {
            lanes::wait();
            if (k >= d)
                x = op(s[k - d], x);
            lanes::wait();
            s[k] = x;
        }
        lanes::wait();
        return x;
    }

  public:
    __device__ explicit WarpScan(TempStorage &s) : s(s)
    {
    }
    template <class Op> __device__ void InclusiveScan(T x, T &out, Op op)
    {
        out = inclusive(x, op);
    }
    template <class Op> __device__ void InclusiveScan(T x, T &out, Op op, T &sum)
    {
        out = inclusive(x, op);
        sum = s[W - 1];
    }
    /* With a start, which the sum of all has not. */
    template <class Op> __device__ void InclusiveScan(T x, T &out, T init, Op op)
    {
        out = op(init, inclusive(x, op));
    }
    template <class Op> __device__ void InclusiveScan(T x, T &out, T init, Op op, T &sum)
    {
        InclusiveScan(x, out, init, op);
        sum = s[W - 1];
    }
    template <class Op> __device__ void ExclusiveScan(T x, T &out, T init, Op op)
    {
        inclusive(x, op);
        out = lanes::lane() ? op(init, s[lanes::lane() - 1]) : init;
    }
    template <class Op> __device__ void ExclusiveScan(T x, T &out, T init, Op op, T &sum)
    {
        ExclusiveScan(x, out, init, op);
        sum = s[W - 1];
    }
    /* Without a start lane 0 has none. */
    template <class Op> __device__ void ExclusiveScan(T x, T &out, Op op)
    {
        inclusive(x, op);
        if (lanes::lane())
            out = s[lanes::lane() - 1];
    }
    template <class Op> __device__ void Scan(T x, T &in, T &ex, T init, Op op)
    {
        in = op(init, inclusive(x, op));
        ex = lanes::lane() ? op(init, s[lanes::lane() - 1]) : init;
    }
    template <class Op> __device__ void Scan(T x, T &in, T &ex, Op op)
    {
        in = inclusive(x, op);
        if (lanes::lane())
            ex = s[lanes::lane() - 1];
    }
    __device__ void InclusiveSum(T x, T &out)
    {
        InclusiveScan(x, out, cub::Sum());
    }
    __device__ void InclusiveSum(T x, T &out, T &sum)
    {
        InclusiveScan(x, out, cub::Sum(), sum);
    }
    __device__ void ExclusiveSum(T x, T &out)
    {
        ExclusiveScan(x, out, T(), cub::Sum());
    }
    __device__ void ExclusiveSum(T x, T &out, T &sum)
    {
        ExclusiveScan(x, out, T(), cub::Sum(), sum);
    }
    __device__ T Broadcast(T x, unsigned from)
    {
        lanes::wait();
        if (lanes::lane() == (int)from)
            s[0] = x;
        lanes::wait();
        return s[0];
    }
};

template <class T, int ITEMS, int W = 32, int = 0> class WarpExchange
{
  public:
    typedef tern_parallel::room<T, W * ITEMS> TempStorage;

  private:
    typedef detail::lanes<W> lanes;
    TempStorage &s;

  public:
    __device__ explicit WarpExchange(TempStorage &s) : s(s)
    {
    }
    template <class U> __device__ void BlockedToStriped(const T (&in)[ITEMS], U (&out)[ITEMS])
    {
        lanes::wait();
        for (int i = 0; i < ITEMS; i++)
            s[lanes::lane() * ITEMS + i] = in[i];
        lanes::wait();
        for (int i = 0; i < ITEMS; i++)
            out[i] = s[i * W + lanes::lane()];
    }
    template <class U> __device__ void StripedToBlocked(const T (&in)[ITEMS], U (&out)[ITEMS])
    {
        lanes::wait();
        for (int i = 0; i < ITEMS; i++)
            s[i * W + lanes::lane()] = in[i];
        lanes::wait();
        for (int i = 0; i < ITEMS; i++)
            out[i] = s[lanes::lane() * ITEMS + i];
    }
    template <class U, class R>
    __device__ void ScatterToStriped(const T (&in)[ITEMS], U (&out)[ITEMS], const R (&ranks)[ITEMS])
    {
        lanes::wait();
        for (int i = 0; i < ITEMS; i++)
            s[ranks[i]] = in[i];
        lanes::wait();
        for (int i = 0; i < ITEMS; i++)
            out[i] = s[i * W + lanes::lane()];
    }
    template <class R> __device__ void ScatterToStriped(T (&items)[ITEMS], const R (&ranks)[ITEMS])
    {
        ScatterToStriped(items, items, ranks);
    }
};
} // namespace cub
