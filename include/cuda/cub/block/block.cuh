/* What the threads of a block do together: loads and stores, exchanges, reductions, scans. */
#pragma once
#include "cub/thread/thread_operators.cuh"

namespace cub
{
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
/* All reductions and scans keep the order of threads, so the choice makes no difference here. */
enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace detail
{
/* Memory for those that were given none. */
template <class T> __device__ T &own()
{
    __shared__ T s;
    return s;
}
} // namespace detail

/* ---- loads and stores: blocked, a thread's items are neighbours; striped, a block's threads' are
 * ---- */

template <class T, int N, class I> __device__ void LoadDirectBlocked(int t, I in, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        items[i] = in[t * N + i];
}
template <class T, int N, class I>
__device__ void LoadDirectBlocked(int t, I in, T (&items)[N], int valid)
{
    for (int i = 0; i < N; i++)
        if (t * N + i < valid)
            items[i] = in[t * N + i];
}
template <class T, int N, class I, class D>
__device__ void LoadDirectBlocked(int t, I in, T (&items)[N], int valid, D other)
{
    for (int i = 0; i < N; i++) {
        items[i] = other;
        if (t * N + i < valid)
            items[i] = in[t * N + i];
    }
}
template <int THREADS, class T, int N, class I>
__device__ void LoadDirectStriped(int t, I in, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        items[i] = in[i * THREADS + t];
}
template <int THREADS, class T, int N, class I>
__device__ void LoadDirectStriped(int t, I in, T (&items)[N], int valid)
{
    for (int i = 0; i < N; i++)
        if (i * THREADS + t < valid)
            items[i] = in[i * THREADS + t];
}
template <int THREADS, class T, int N, class I, class D>
__device__ void LoadDirectStriped(int t, I in, T (&items)[N], int valid, D other)
{
    for (int i = 0; i < N; i++) {
        items[i] = other;
        if (i * THREADS + t < valid)
            items[i] = in[i * THREADS + t];
    }
}
template <class T, int N, class O> __device__ void StoreDirectBlocked(int t, O out, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        out[t * N + i] = items[i];
}
template <class T, int N, class O>
__device__ void StoreDirectBlocked(int t, O out, T (&items)[N], int valid)
{
    for (int i = 0; i < N; i++)
        if (t * N + i < valid)
            out[t * N + i] = items[i];
}
template <int THREADS, class T, int N, class O>
__device__ void StoreDirectStriped(int t, O out, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        out[i * THREADS + t] = items[i];
}
template <int THREADS, class T, int N, class O>
__device__ void StoreDirectStriped(int t, O out, T (&items)[N], int valid)
{
    for (int i = 0; i < N; i++)
        if (i * THREADS + t < valid)
            out[i * THREADS + t] = items[i];
}

/* A warp's items are neighbours, and striped among its lanes. */
namespace detail
{
template <int N> __device__ int in_warp_stripes(int t, int i)
{
    return t / 32 * 32 * N + i * 32 + t % 32;
}
} // namespace detail
template <class T, int N, class I> __device__ void LoadDirectWarpStriped(int t, I in, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        items[i] = in[detail::in_warp_stripes<N>(t, i)];
}
template <class T, int N, class I>
__device__ void LoadDirectWarpStriped(int t, I in, T (&items)[N], int valid)
{
    for (int i = 0; i < N; i++)
        if (detail::in_warp_stripes<N>(t, i) < valid)
            items[i] = in[detail::in_warp_stripes<N>(t, i)];
}
template <class T, int N, class I, class D>
__device__ void LoadDirectWarpStriped(int t, I in, T (&items)[N], int valid, D other)
{
    for (int i = 0; i < N; i++) {
        items[i] = other;
        if (detail::in_warp_stripes<N>(t, i) < valid)
            items[i] = in[detail::in_warp_stripes<N>(t, i)];
    }
}
template <class T, int N, class O>
__device__ void StoreDirectWarpStriped(int t, O out, T (&items)[N])
{
    for (int i = 0; i < N; i++)
        out[detail::in_warp_stripes<N>(t, i)] = items[i];
}
template <class T, int N, class O>
__device__ void StoreDirectWarpStriped(int t, O out, T (&items)[N], int valid)
{
    for (int i = 0; i < N; i++)
        if (detail::in_warp_stripes<N>(t, i) < valid)
            out[detail::in_warp_stripes<N>(t, i)] = items[i];
}
/* Neighbours may go as one access: that is the compiler's choice. */
template <class T, int N> __device__ void LoadDirectBlockedVectorized(int t, T *in, T (&items)[N])
{
    LoadDirectBlocked(t, in, items);
}
template <class T, int N> __device__ void StoreDirectBlockedVectorized(int t, T *out, T (&items)[N])
{
    StoreDirectBlocked(t, out, items);
}

template <class T, int X, int N, BlockLoadAlgorithm how = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockLoad
{
    const int t;

  public:
    struct TempStorage {
    };
    __device__ BlockLoad() : t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockLoad(TempStorage &) : t(detail::thread_in_block())
    {
    }
    template <class I, class... More> __device__ void Load(I in, T (&items)[N], More... more)
    {
        if constexpr (how == BLOCK_LOAD_STRIPED)
            LoadDirectStriped<X * Y * Z>(t, in, items, more...);
        else
            LoadDirectBlocked(t, in, items, more...);
    }
};
template <class T, int X, int N, BlockStoreAlgorithm how = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int = 0>
class BlockStore
{
    const int t;

  public:
    struct TempStorage {
    };
    __device__ BlockStore() : t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockStore(TempStorage &) : t(detail::thread_in_block())
    {
    }
    template <class O, class... More> __device__ void Store(O out, T (&items)[N], More... more)
    {
        if constexpr (how == BLOCK_STORE_STRIPED)
            StoreDirectStriped<X * Y * Z>(t, out, items, more...);
        else
            StoreDirectBlocked(t, out, items, more...);
    }
};

/* ---- exchanges ---- */

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0> class BlockExchange
{
    enum { THREADS = X * Y * Z };

  public:
    typedef tern_parallel::room<T, THREADS * N> TempStorage;

  private:
    TempStorage &s;
    const int t;
    /* The k-th item of this thread in each arrangement. */
    __device__ int blocked(int k) const
    {
        return t * N + k;
    }
    __device__ int striped(int k) const
    {
        return k * THREADS + t;
    }
    __device__ int warp_striped(int k) const
    {
        const int width = THREADS < 32 ? (int)THREADS : 32;
        return t / width * width * N + k * width + t % width;
    }

  public:
    __device__ BlockExchange() : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockExchange(TempStorage &s) : s(s), t(detail::thread_in_block())
    {
    }
#define CUB_EXCHANGE(name, from, to)                                                               \
    template <class U> __device__ void name(const T(&in)[N], U(&out)[N])                           \
    {                                                                                              \
        for (int k = 0; k < N; k++)                                                                \
            s[from(k)] = in[k];                                                                    \
        __syncthreads();                                                                           \
        for (int k = 0; k < N; k++)                                                                \
            out[k] = s[to(k)];                                                                     \
    }                                                                                              \
    __device__ void name(T(&items)[N])                                                             \
    {                                                                                              \
        name(items, items);                                                                        \
    }
    CUB_EXCHANGE(StripedToBlocked, striped, blocked)
    CUB_EXCHANGE(BlockedToStriped, blocked, striped)
    CUB_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
    CUB_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef CUB_EXCHANGE
#define CUB_EXCHANGE(name, to)                                                                     \
    template <class U, class R>                                                                    \
    __device__ void name(const T(&in)[N], U(&out)[N], const R(&ranks)[N])                          \
    {                                                                                              \
        for (int k = 0; k < N; k++)                                                                \
            s[ranks[k]] = in[k];                                                                   \
        __syncthreads();                                                                           \
        for (int k = 0; k < N; k++)                                                                \
            out[k] = s[to(k)];                                                                     \
    }                                                                                              \
    template <class R> __device__ void name(T(&items)[N], const R(&ranks)[N])                      \
    {                                                                                              \
        name(items, items, ranks);                                                                 \
    }
    CUB_EXCHANGE(ScatterToBlocked, blocked)
    CUB_EXCHANGE(ScatterToStriped, striped)
#undef CUB_EXCHANGE
    /* Items whose rank is negative, or whose flag is not set, go nowhere. */
    template <class U, class R>
    __device__ void ScatterToStripedGuarded(const T (&in)[N], U (&out)[N], const R (&ranks)[N])
    {
        for (int k = 0; k < N; k++)
            if (ranks[k] >= 0)
                s[ranks[k]] = in[k];
        __syncthreads();
        for (int k = 0; k < N; k++)
            out[k] = s[striped(k)];
    }
    template <class R>
    __device__ void ScatterToStripedGuarded(T (&items)[N], const R (&ranks)[N])
    {
        ScatterToStripedGuarded(items, items, ranks);
    }
    template <class U, class R, class F>
    __device__ void ScatterToStripedFlagged(const T (&in)[N], U (&out)[N], const R (&ranks)[N],
                                            const F (&valid)[N])
    {
        for (int k = 0; k < N; k++)
            if (valid[k])
                s[ranks[k]] = in[k];
        __syncthreads();
        for (int k = 0; k < N; k++)
            out[k] = s[striped(k)];
    }
    template <class R, class F>
    __device__ void ScatterToStripedFlagged(T (&items)[N], const R (&ranks)[N], const F (&valid)[N])
    {
        ScatterToStripedFlagged(items, items, ranks, valid);
    }
};

/* ---- reductions: thread 0 has the result ---- */

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
class BlockReduce
{
    enum { THREADS = X * Y * Z };

  public:
    typedef tern_parallel::room<T, THREADS> TempStorage;

  private:
    TempStorage &s;
    const int t;

  public:
    __device__ BlockReduce() : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockReduce(TempStorage &s) : s(s), t(detail::thread_in_block())
    {
    }
    template <class Op> __device__ T Reduce(T x, Op op, int valid)
    {
        s[t] = x;
        for (int d = 1; d < THREADS; d *= 2) {
            __syncthreads();
            if (t % (2 * d) == 0 && t + d < valid)
                s[t] = op(s[t], s[t + d]);
        }
        return s[t];
    }
    template <class Op> __device__ T Reduce(T x, Op op)
    {
        return Reduce(x, op, THREADS);
    }
    template <int N, class Op> __device__ T Reduce(T (&items)[N], Op op)
    {
        T x = items[0];
        for (int i = 1; i < N; i++)
            x = op(x, items[i]);
        return Reduce(x, op, THREADS);
    }
    __device__ T Sum(T x)
    {
        return Reduce(x, cub::Sum(), THREADS);
    }
    __device__ T Sum(T x, int valid)
    {
        return Reduce(x, cub::Sum(), valid);
    }
    template <int N> __device__ T Sum(T (&items)[N])
    {
        return Reduce(items, cub::Sum());
    }
};

/* ---- scans ---- */

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan
{
    enum { THREADS = X * Y * Z };

  public:
    struct TempStorage {
        tern_parallel::room<T, THREADS> a, b;
        tern_parallel::room<T, 1> prefix;
    };

  private:
    TempStorage &s;
    const int t;

    /* Each thread's becomes the sum up to it; what the threads have so far stays readable. */
    template <class Op> __device__ tern_parallel::room<T, THREADS> &inclusive(T x, Op op)
    {
        tern_parallel::room<T, THREADS> *from = &s.a, *to = &s.b;
        s.a[t] = x;
        for (int d = 1; d < THREADS; d *= 2) {
            __syncthreads();
            if (t >= d)
                (*to)[t] = op((*from)[t - d], (*from)[t]);
            else
                (*to)[t] = (*from)[t];
            tern_parallel::room<T, THREADS> *swap = from;
            from = to;
            to = swap;
        }
        __syncthreads();
        return *from;
    }
    template <int N, class Op> __device__ static T total(T (&items)[N], Op op)
    {
        T x = items[0];
        for (int i = 1; i < N; i++)
            x = op(x, items[i]);
        return x;
    }
    /* The first warp asks for what comes before the block; its lane 0's answer counts. */
    template <class F> __device__ T ask(F &before, T sum)
    {
        if (t < 32) {
            T x = before(sum);
            if (t == 0)
                s.prefix[0] = x;
        }
        __syncthreads();
        return s.prefix[0];
    }
    template <int N, class Op>
    __device__ static void inclusive_items(T (&in)[N], T (&out)[N], bool has, T before, Op op)
    {
        T x = in[0];
        if (has)
            x = op(before, x);
        out[0] = x;
        for (int i = 1; i < N; i++) {
            x = op(x, in[i]);
            out[i] = x;
        }
    }
    template <int N, class Op>
    __device__ static void exclusive_items(T (&in)[N], T (&out)[N], T before, Op op)
    {
        for (int i = 0; i < N; i++) {
            T next = op(before, in[i]);
            out[i] = before;
            before = next;
        }
    }

    /* An argument that is not a value to start with. */
    template <class Op>
    using if_operator = typename std::enable_if<!std::is_convertible<Op, T>::value, int>::type;

  public:
    __device__ BlockScan() : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockScan(TempStorage &s) : s(s), t(detail::thread_in_block())
    {
    }

    template <int N, class Op> __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T &sum)
    {
        auto &sums = inclusive(total(in, op), op);
        sum = sums[THREADS - 1];
        inclusive_items(in, out, t > 0, sums[t ? t - 1 : 0], op);
    }
    template <int N, class Op> __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op)
    {
        T sum;
        InclusiveScan(in, out, op, sum);
    }
    template <int N, class Op, class F, if_operator<Op> = 0>
    __device__ void InclusiveScan(T (&in)[N], T (&out)[N], Op op, F &before)
    {
        auto &sums = inclusive(total(in, op), op);
        T x = ask(before, sums[THREADS - 1]);
        if (t)
            x = op(x, sums[t - 1]);
        inclusive_items(in, out, true, x, op);
    }
    /* With a start, which the sum of all has not. */
    template <int N, class Op, if_operator<Op> = 0>
    __device__ void InclusiveScan(T (&in)[N], T (&out)[N], T init, Op op, T &sum)
    {
        auto &sums = inclusive(total(in, op), op);
        sum = sums[THREADS - 1];
        if (t)
            init = op(init, sums[t - 1]);
        inclusive_items(in, out, true, init, op);
    }
    template <int N, class Op, if_operator<Op> = 0>
    __device__ void InclusiveScan(T (&in)[N], T (&out)[N], T init, Op op)
    {
        T sum;
        InclusiveScan(in, out, init, op, sum);
    }
    /* Without a start thread 0's first item has none. */
    template <int N, class Op> __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], Op op)
    {
        auto &sums = inclusive(total(in, op), op);
        T x = t ? sums[t - 1] : in[0];
        for (int i = 0; i < N; i++) {
            T next = i || t ? op(x, in[i]) : in[0];
            if (i || t)
                out[i] = x;
            x = next;
        }
    }
    template <int N, class Op>
    __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T init, Op op, T &sum)
    {
        auto &sums = inclusive(total(in, op), op);
        sum = sums[THREADS - 1];
        if (t)
            init = op(init, sums[t - 1]);
        exclusive_items(in, out, init, op);
    }
    template <int N, class Op> __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], T init, Op op)
    {
        T sum;
        ExclusiveScan(in, out, init, op, sum);
    }
    template <int N, class Op, class F, if_operator<Op> = 0>
    __device__ void ExclusiveScan(T (&in)[N], T (&out)[N], Op op, F &before)
    {
        auto &sums = inclusive(total(in, op), op);
        T x = ask(before, sums[THREADS - 1]);
        if (t)
            x = op(x, sums[t - 1]);
        exclusive_items(in, out, x, op);
    }
    template <class Op, class... More, if_operator<Op> = 0>
    __device__ void InclusiveScan(T in, T &out, Op op, More &...more)
    {
        T a[1] = {in}, b[1];
        InclusiveScan(a, b, op, more...);
        out = b[0];
    }
    template <class Op, class... More, if_operator<Op> = 0>
    __device__ void InclusiveScan(T in, T &out, T init, Op op, More &...more)
    {
        T a[1] = {in}, b[1];
        InclusiveScan(a, b, init, op, more...);
        out = b[0];
    }
    template <class Op> __device__ void ExclusiveScan(T in, T &out, T init, Op op)
    {
        T a[1] = {in}, b[1];
        ExclusiveScan(a, b, init, op);
        out = b[0];
    }
    template <class Op> __device__ void ExclusiveScan(T in, T &out, T init, Op op, T &sum)
    {
        T a[1] = {in}, b[1];
        ExclusiveScan(a, b, init, op, sum);
        out = b[0];
    }
    template <class Op, class F, if_operator<Op> = 0>
    __device__ void ExclusiveScan(T in, T &out, Op op, F &before)
    {
        T a[1] = {in}, b[1];
        ExclusiveScan(a, b, op, before);
        out = b[0];
    }
    /* Without a start thread 0 has none. */
    template <class Op> __device__ void ExclusiveScan(T in, T &out, Op op)
    {
        auto &sums = inclusive(in, op);
        if (t)
            out = sums[t - 1];
    }

    __device__ void InclusiveSum(T in, T &out)
    {
        InclusiveScan(in, out, cub::Sum());
    }
    __device__ void InclusiveSum(T in, T &out, T &sum)
    {
        InclusiveScan(in, out, cub::Sum(), sum);
    }
    template <class F> __device__ void InclusiveSum(T in, T &out, F &before)
    {
        InclusiveScan(in, out, cub::Sum(), before);
    }
    template <int N> __device__ void InclusiveSum(T (&in)[N], T (&out)[N])
    {
        InclusiveScan(in, out, cub::Sum());
    }
    template <int N> __device__ void InclusiveSum(T (&in)[N], T (&out)[N], T &sum)
    {
        InclusiveScan(in, out, cub::Sum(), sum);
    }
    template <int N, class F> __device__ void InclusiveSum(T (&in)[N], T (&out)[N], F &before)
    {
        InclusiveScan(in, out, cub::Sum(), before);
    }
    __device__ void ExclusiveSum(T in, T &out)
    {
        ExclusiveScan(in, out, T(), cub::Sum());
    }
    __device__ void ExclusiveSum(T in, T &out, T &sum)
    {
        ExclusiveScan(in, out, T(), cub::Sum(), sum);
    }
    template <class F> __device__ void ExclusiveSum(T in, T &out, F &before)
    {
        ExclusiveScan(in, out, cub::Sum(), before);
    }
    template <int N> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N])
    {
        ExclusiveScan(in, out, T(), cub::Sum());
    }
    template <int N> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], T &sum)
    {
        ExclusiveScan(in, out, T(), cub::Sum(), sum);
    }
    template <int N, class F> __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], F &before)
    {
        ExclusiveScan(in, out, cub::Sum(), before);
    }
};

/* ---- neighbours ---- */

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity
{
    enum { THREADS = X * Y * Z };

  public:
    struct TempStorage {
        tern_parallel::room<T, THREADS> first, last;
    };

  private:
    TempStorage &s;
    const int t;

  public:
    __device__ BlockDiscontinuity() : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockDiscontinuity(TempStorage &s) : s(s), t(detail::thread_in_block())
    {
    }
    /* A flag where an item differs from the one before; the block's first always has one. */
    template <int N, class F, class Q>
    __device__ void FlagHeads(F (&flags)[N], T (&in)[N], Q differ)
    {
        s.last[t] = in[N - 1];
        __syncthreads();
        flags[0] = t == 0 ? 1 : (F)differ(s.last[t - 1], in[0]);
        for (int i = 1; i < N; i++)
            flags[i] = (F)differ(in[i - 1], in[i]);
    }
    template <int N, class F, class Q>
    __device__ void FlagHeads(F (&flags)[N], T (&in)[N], Q differ, T before)
    {
        FlagHeads(flags, in, differ);
        if (t == 0)
            flags[0] = (F)differ(before, in[0]);
    }
    template <int N, class F, class Q>
    __device__ void FlagTails(F (&flags)[N], T (&in)[N], Q differ)
    {
        s.first[t] = in[0];
        __syncthreads();
        flags[N - 1] = t == THREADS - 1 ? 1 : (F)differ(in[N - 1], s.first[t + 1]);
        for (int i = 0; i < N - 1; i++)
            flags[i] = (F)differ(in[i], in[i + 1]);
    }
    template <int N, class F, class Q>
    __device__ void FlagTails(F (&flags)[N], T (&in)[N], Q differ, T behind)
    {
        FlagTails(flags, in, differ);
        if (t == THREADS - 1)
            flags[N - 1] = (F)differ(in[N - 1], behind);
    }
    template <int N, class F, class Q>
    __device__ void FlagHeadsAndTails(F (&heads)[N], F (&tails)[N], T (&in)[N], Q differ)
    {
        FlagHeads(heads, in, differ);
        FlagTails(tails, in, differ);
    }
    /* With the item before the block's, the one behind it, or both. */
    template <int N, class F, class Q>
    __device__ void FlagHeadsAndTails(F (&heads)[N], F (&tails)[N], T behind, T (&in)[N], Q differ)
    {
        FlagHeads(heads, in, differ);
        FlagTails(tails, in, differ, behind);
    }
    template <int N, class F, class Q>
    __device__ void FlagHeadsAndTails(F (&heads)[N], T before, F (&tails)[N], T (&in)[N], Q differ)
    {
        FlagHeads(heads, in, differ, before);
        FlagTails(tails, in, differ);
    }
    template <int N, class F, class Q>
    __device__ void FlagHeadsAndTails(F (&heads)[N], T before, F (&tails)[N], T behind, T (&in)[N],
                                      Q differ)
    {
        FlagHeads(heads, in, differ, before);
        FlagTails(tails, in, differ, behind);
    }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference
{
    enum { THREADS = X * Y * Z };

  public:
    struct TempStorage {
        tern_parallel::room<T, THREADS> first, last;
    };

  private:
    TempStorage &s;
    const int t;

  public:
    __device__ BlockAdjacentDifference()
        : s(detail::own<TempStorage>()), t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockAdjacentDifference(TempStorage &s) : s(s), t(detail::thread_in_block())
    {
    }
    /* f(item, the one before); the block's first stays as it is. */
    template <int N, class R, class F> __device__ void SubtractLeft(T (&in)[N], R (&out)[N], F f)
    {
        s.last[t] = in[N - 1];
        __syncthreads();
        for (int i = N - 1; i > 0; i--)
            out[i] = f(in[i], in[i - 1]);
        out[0] = in[0];
        if (t)
            out[0] = f(in[0], s.last[t - 1]);
    }
    template <int N, class R, class F>
    __device__ void SubtractLeft(T (&in)[N], R (&out)[N], F f, T before)
    {
        T first = in[0];
        SubtractLeft(in, out, f);
        if (t == 0)
            out[0] = f(first, before);
    }
    template <int N, class R, class F> __device__ void SubtractRight(T (&in)[N], R (&out)[N], F f)
    {
        s.first[t] = in[0];
        __syncthreads();
        for (int i = 0; i < N - 1; i++)
            out[i] = f(in[i], in[i + 1]);
        out[N - 1] = in[N - 1];
        if (t < THREADS - 1)
            out[N - 1] = f(in[N - 1], s.first[t + 1]);
    }
    template <int N, class R, class F>
    __device__ void SubtractRight(T (&in)[N], R (&out)[N], F f, T behind)
    {
        T last = in[N - 1];
        SubtractRight(in, out, f);
        if (t == THREADS - 1)
            out[N - 1] = f(last, behind);
    }
    /* Of the block's first `valid` items; the others stay as they are. */
    template <int N, class R, class F>
    __device__ void SubtractLeftPartialTile(T (&in)[N], R (&out)[N], F f, int valid)
    {
        s.last[t] = in[N - 1];
        __syncthreads();
        for (int i = N - 1; i >= 0; i--) {
            const int at = t * N + i;
            if (at > 0 && at < valid)
                out[i] = f(in[i], i ? in[i - 1] : s.last[t - 1]);
            else
                out[i] = in[i];
        }
    }
    template <int N, class R, class F>
    __device__ void SubtractLeftPartialTile(T (&in)[N], R (&out)[N], F f, int valid, T before)
    {
        T first = in[0];
        SubtractLeftPartialTile(in, out, f, valid);
        if (t == 0 && valid > 0)
            out[0] = f(first, before);
    }
    template <int N, class R, class F>
    __device__ void SubtractRightPartialTile(T (&in)[N], R (&out)[N], F f, int valid)
    {
        s.first[t] = in[0];
        __syncthreads();
        for (int i = 0; i < N; i++) {
            if (t * N + i + 1 < valid)
                out[i] = f(in[i], i + 1 < N ? in[i + 1] : s.first[t + 1]);
            else
                out[i] = in[i];
        }
    }
};

/* ---- histograms ---- */

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class T, int X, int N, int BINS, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1,
          int Z = 1, int = 0>
class BlockHistogram
{
    const int t;

  public:
    struct TempStorage {
    };
    __device__ BlockHistogram() : t(detail::thread_in_block())
    {
    }
    __device__ explicit BlockHistogram(TempStorage &) : t(detail::thread_in_block())
    {
    }
    template <class C> __device__ void InitHistogram(C (&counts)[BINS])
    {
        for (int i = t; i < BINS; i += X * Y * Z)
            counts[i] = 0;
    }
    template <class C> __device__ void Composite(T (&items)[N], C (&counts)[BINS])
    {
        for (int i = 0; i < N; i++)
            atomicAdd(&counts[items[i]], (C)1);
    }
    template <class C> __device__ void Histogram(T (&items)[N], C (&counts)[BINS])
    {
        InitHistogram(counts);
        __syncthreads();
        Composite(items, counts);
    }
};
} // namespace cub
