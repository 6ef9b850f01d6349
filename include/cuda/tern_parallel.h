/* Parallel algorithms over ranges in device memory: what <thrust/…> and <cub/…> are made of.
 *
 * A range is anything device code can index: pointers, or classes with operator[]. Work is put on a
 * stream and not waited for. Memory for what lies between kernels comes from a workspace, which
 * counts instead of giving while it has none: so each algorithm is called twice, as CUB's callers
 * do. No kernel here waits for another block, so any number of blocks may run at a time; those of
 * tern_parallel_once.h, _runs.h and _sweep.h do, where the device promises that it goes well.
 */
#pragma once
#include "cuda_runtime.h"
#include "tern_parallel_range.h"
#include <float.h>

namespace tern_parallel
{
enum {
    THREADS = 256,
    WARP = 32,
    WARPS = THREADS / WARP,
    REDUCE_ITEMS = 16,
    SELECT_ITEMS = 16,
    TILE_BYTES = 16384, /* of shared memory: the smallest that devices have is 32 KB */
};

/* Shared memory for objects, whatever their constructors. */
template <class T, int n> struct room {
    alignas(T) unsigned char bytes[n * sizeof(T)];
    __host__ __device__ T &operator[](int i)
    {
        return reinterpret_cast<T *>(bytes)[i];
    }
};

inline unsigned blocks_for(size_t n, size_t per_block)
{
    const size_t blocks = (n + per_block - 1) / per_block, most = 1u << 30;
    return (unsigned)(blocks < most ? blocks : most);
}

/* ---- on a processor ----
 * A core goes through its part of a range one by one faster than it plays a block of threads with
 * barriers: there, scans, selections and sorts launch blocks of one thread, each with a chunk. */

/* TERN_PARALLEL_CHUNKS: that on every device, and nothing else is compiled. Pages have it, where most of a
 * program's time is its compilation. */
enum {
#ifdef TERN_PARALLEL_CHUNKS
    CHUNKS_ONLY = 1
#else
    CHUNKS_ONLY = 0
#endif
};

inline bool on_processor()
{
    int device = 0, yes = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&yes, cudaDevAttrPageableMemoryAccessUsesHostPageTables,
                                  device) == cudaSuccess &&
           yes;
}

struct chunks {
    size_t n, size;
    explicit chunks(size_t n) : n(n), size((n + 63) / 64)
    {
        size = size < 4096 ? 4096 : size;
    }
    unsigned count() const
    {
        return (unsigned)((n + size - 1) / size);
    }
    __device__ size_t first() const
    {
        return blockIdx.x * size;
    }
    __device__ size_t last() const
    {
        const size_t end = first() + size;
        return end < n ? end : n;
    }
};

/* ---- each index by itself ---- */

template <class F> __global__ void each_kernel(F f, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        f(i);
}

template <class F> cudaError_t each(F f, size_t n, cudaStream_t stream)
{
    if (n)
        each_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream>>>(f, n);
    return cudaPeekAtLastError();
}

template <class In, class Out> struct copy_each {
    In in;
    Out out;
    __host__ __device__ void operator()(size_t i)
    {
        out[i] = in[i];
    }
};
template <class In, class Out> cudaError_t copy(In in, Out out, size_t n, cudaStream_t stream)
{
    return each(copy_each<In, Out>{in, out}, n, stream);
}

/* ---- reduction: op is associative and commutative ---- */

/* What a block's threads have as s[0 … n) becomes s[0], which thread 0 may read. */
template <class Room, class Op> __device__ void reduce_room(Room &s, unsigned n, Op op)
{
    for (unsigned d = THREADS / 2; d; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d && threadIdx.x + d < n)
            s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + d]);
    }
}

template <class T, class In, class Op>
__global__ void reduce_tiles(In in, size_t n, T *partial, Op op)
{
    __shared__ room<T, THREADS> s;
    const size_t start = (size_t)blockIdx.x * (THREADS * REDUCE_ITEMS), rest = n - start;
    const unsigned count = rest < THREADS * REDUCE_ITEMS ? (unsigned)rest : THREADS * REDUCE_ITEMS;
    const unsigned t = threadIdx.x;
    if (count == THREADS * REDUCE_ITEMS) { /* no questions between the loads: all are under way */
        T sum = in[start + t];
#pragma unroll
        for (unsigned k = 1; k < REDUCE_ITEMS; k++)
            sum = op(sum, in[start + k * THREADS + t]);
        s[t] = sum;
    } else if (t < count) {
        T sum = in[start + t];
        for (unsigned i = t + THREADS; i < count; i += THREADS)
            sum = op(sum, in[start + i]);
        s[t] = sum;
    }
    reduce_room(s, count, op);
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

/* A block for each segment [begin[k], end[k]). */
template <class T, class In, class Begin, class End, class Out, class Op, class Start>
__global__ void reduce_segments(In in, Begin begin, End end, size_t segments, Out out, Op op,
                                Start start)
{
    __shared__ room<T, THREADS> s;
    const unsigned t = threadIdx.x;
    for (size_t k = blockIdx.x; k < segments; k += gridDim.x) {
        const size_t from = begin[k], to = end[k], count = to > from ? to - from : 0;
        __syncthreads();
        if (t < count) {
            T sum = in[from + t];
            for (size_t i = from + t + THREADS; i < to; i += THREADS)
                sum = op(sum, in[i]);
            s[t] = sum;
        }
        reduce_room(s, count < THREADS ? (unsigned)count : THREADS, op);
        if (t == 0) {
            T sum = start.get();
            if (count)
                sum = op(sum, s[0]);
            out[k] = sum;
        }
    }
}

struct bound { /* of the one segment [0, n) */
    size_t at;
    __host__ __device__ size_t operator[](size_t) const
    {
        return at;
    }
};

template <class T, class In, class Out, class Op, class Start>
cudaError_t reduce(workspace &w, In in, Out out, size_t n, Op op, Start start, cudaStream_t stream)
{
    const size_t tiles = (n + THREADS * REDUCE_ITEMS - 1) / (THREADS * REDUCE_ITEMS);
    T *partial = w.take<T>(tiles);
    if (w.counts())
        return cudaSuccess;
    if (tiles)
        reduce_tiles<T><<<(unsigned)tiles, THREADS, 0, stream>>>(in, n, partial, op);
    reduce_segments<T>
        <<<1, THREADS, 0, stream>>>(partial, bound{0}, bound{tiles}, 1, out, op, start);
    return cudaPeekAtLastError();
}

/* ---- scans: op is associative ----
 * Tiles are summed, one block scans the sums, the tiles are scanned from there. */

/* A program's iterator is asked once for each element, because it may count them: what it says in the
 * first pass is kept for the second, in the result's place if that is memory for it. */
template <class T, class In> struct both_passes {
    struct first {
        In in;
        T *kept;
        __device__ T operator[](size_t i)
        {
            const T v = in[i];
            kept[i] = v;
            return v;
        }
    };
    struct second {
        In in;
        T *kept; /* or null: there was no first pass */
        __device__ T operator[](size_t i)
        {
            return kept ? kept[i] : (T)in[i];
        }
    };
    template <class Out> static T *room_for(workspace &w, size_t n, const Out &)
    {
        return w.take<T>(n);
    }
    static T *room_for(workspace &, size_t, T *out)
    {
        return out;
    }
};
template <class T, class U> struct both_passes<T, U *> {
    struct first {
        U *in;
        T *none;
        __device__ U &operator[](size_t i) const
        {
            return in[i];
        }
    };
    typedef first second;
    template <class Out> static T *room_for(workspace &, size_t, const Out &)
    {
        return nullptr;
    }
};

/* a[t] becomes a[0] op … op a[t] for t < n; b is for what lies between. */
template <class Room, class Op> __device__ void scan_room(Room &a, Room &b, unsigned n, Op op)
{
    static_assert(THREADS == 256, "an even number of steps ends in a");
    const unsigned t = threadIdx.x;
    Room *from = &a, *to = &b;
    for (unsigned d = 1; d < THREADS; d *= 2) {
        __syncthreads();
        if (t < n) {
            if (t >= d)
                (*to)[t] = op((*from)[t - d], (*from)[t]);
            else
                (*to)[t] = (*from)[t];
        }
        Room *swap = from;
        from = to;
        to = swap;
    }
    __syncthreads();
}

/* A tile of a range: its elements are read and written by neighbouring threads side by side, and
 * lie in shared memory while each thread goes through its own, one after the other. */
template <class T> struct tile {
    enum {
        wanted = TILE_BYTES / (THREADS * sizeof(T)),
        items = wanted < 1    ? 1
                : wanted > 16 ? 16
                              : (int)wanted,
        size = THREADS * items,
        row =
            sizeof(T) < 128 ? 128 / (int)sizeof(T) : 1, /* elements to all banks of shared memory */
        room_size = size + (items > 1 ? size / row : 0),
    };
    room<T, room_size> elements;
    static __device__ int at(int i) /* threads that step by `items` meet in no bank */
    {
        return items > 1 ? i + i / row : i;
    }
    __device__ T &operator[](int i)
    {
        return elements[at(i)];
    }
    template <class In> __device__ void read(In in, size_t start, unsigned count)
    {
        const unsigned t = threadIdx.x;
        if (count == (unsigned)size) {
#pragma unroll
            for (unsigned k = 0; k < (unsigned)items; k++)
                (*this)[k * THREADS + t] = in[start + k * THREADS + t];
        } else
            for (unsigned i = t; i < count; i += THREADS)
                (*this)[i] = in[start + i];
        __syncthreads();
    }
    template <class Out> __device__ void write(Out out, size_t start, unsigned count)
    {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count; i += THREADS)
            out[start + i] = (*this)[i];
    }
};

/* The items [first, last) of a thread in its tile, and how many threads of the block have some. */
struct share {
    size_t start;
    unsigned count, first, last, threads;
    __device__ share(size_t n, size_t which, unsigned items)
    {
        const size_t size = (size_t)THREADS * items;
        start = which * size;
        count = (unsigned)(n - start < size ? n - start : size);
        first = threadIdx.x * items;
        last = first + items < count ? first + items : count;
        threads = (count + items - 1) / items;
    }
};

template <class T, class Op> __device__ T sum_of(tile<T> &s, const share &mine, Op op)
{
    T sum = s[mine.first];
    for (unsigned i = mine.first + 1; i < mine.last; i++)
        sum = op(sum, s[i]);
    return sum;
}

template <class T, class In, class Op> __global__ void scan_sums(In in, size_t n, T *sums, Op op)
{
    __shared__ tile<T> s;
    __shared__ room<T, THREADS> a;
    const share mine(n, blockIdx.x, tile<T>::items);
    const unsigned t = threadIdx.x;
    s.read(in, mine.start, mine.count);
    if (t < mine.threads)
        a[t] = sum_of<T>(s, mine, op);
    for (unsigned d = 1; d < THREADS; d *= 2) { /* neighbours, so that the order is kept */
        __syncthreads();
        if (t % (2 * d) == 0 && t + d < mine.threads)
            a[t] = op(a[t], a[t + d]);
    }
    if (t == 0)
        sums[blockIdx.x] = a[0];
}

/* A thread's elements become their sums, or, exclusive, the sums before them. */
template <bool exclusive, class T, class Op, class Start>
__device__ void scan_own(tile<T> &s, room<T, THREADS> &sums, const share &mine, const T *carry,
                         Op op, Start start)
{
    const unsigned t = threadIdx.x;
    unsigned i = mine.first;
    if constexpr (Start::given) {
        T before = start.get();
        if (carry)
            before = op(before, *carry);
        if (t)
            before = op(before, sums[t - 1]);
        for (; i < mine.last; i++) {
            T with = op(before, s[i]);
            if constexpr (exclusive)
                s[i] = before;
            else
                s[i] = with;
            before = with;
        }
    } else {
        T sum = s[i];
        if (t)
            sum = op(sums[t - 1], sum);
        if (carry)
            sum = op(*carry, sum);
        s[i] = sum;
        for (i++; i < mine.last; i++) {
            sum = op(sum, s[i]);
            s[i] = sum;
        }
    }
}

template <bool exclusive, class T, class In, class Out, class Op, class Start>
__global__ void scan_tiles(In in, Out out, size_t n, const T *sums, Op op, Start start)
{
    __shared__ tile<T> s;
    __shared__ room<T, THREADS> a, b;
    const share mine(n, blockIdx.x, tile<T>::items);
    const unsigned t = threadIdx.x;
    s.read(in, mine.start, mine.count);
    if (t < mine.threads)
        a[t] = sum_of<T>(s, mine, op);
    scan_room(a, b, mine.threads, op);
    if (t < mine.threads)
        scan_own<exclusive>(s, a, mine, blockIdx.x ? &sums[blockIdx.x - 1] : (const T *)0, op,
                            start);
    s.write(out, mine.start, mine.count);
}

/* The sums of tiles become the sums of all tiles up to them, by one block. */
template <class T, class Op> __global__ void scan_carries(T *sums, size_t n, Op op)
{
    __shared__ tile<T> s;
    __shared__ room<T, THREADS> a, b;
    const unsigned t = threadIdx.x;
    for (size_t which = 0; which * tile<T>::size < n; which++) {
        const share mine(n, which, tile<T>::items);
        __syncthreads(); /* what was written is read: by this block alone */
        s.read(sums, mine.start, mine.count);
        if (t < mine.threads)
            a[t] = sum_of<T>(s, mine, op);
        scan_room(a, b, mine.threads, op);
        if (t < mine.threads)
            scan_own<false>(s, a, mine, which ? &sums[mine.start - 1] : (const T *)0, op,
                            start_none());
        s.write(sums, mine.start, mine.count);
    }
}

template <class T, class In, class Op> __global__ void chunk_sums(In in, chunks c, T *sums, Op op)
{
    size_t i = c.first();
    const size_t last = c.last();
    T sum = in[i];
    for (i++; i < last; i++)
        sum = op(sum, (T)in[i]);
    sums[blockIdx.x] = sum;
}

template <class T, class Op> __global__ void chunk_carries(T *sums, unsigned n, Op op)
{
    for (unsigned i = 1; i < n; i++)
        sums[i] = op(sums[i - 1], sums[i]);
}

template <bool exclusive, class T, class In, class Out, class Op, class Start>
__global__ void scan_chunks(In in, Out out, chunks c, const T *sums, Op op, Start start)
{
    size_t i = c.first();
    const size_t last = c.last();
    if constexpr (Start::given) {
        T before = start.get();
        if (blockIdx.x)
            before = op(before, sums[blockIdx.x - 1]);
        for (; i < last; i++) {
            T with = op(before, (T)in[i]);
            if constexpr (exclusive)
                out[i] = before;
            else
                out[i] = with;
            before = with;
        }
    } else {
        T sum = in[i];
        if (blockIdx.x)
            sum = op(sums[blockIdx.x - 1], sum);
        out[i] = sum;
        for (i++; i < last; i++) {
            sum = op(sum, (T)in[i]);
            out[i] = sum;
        }
    }
}

template <bool exclusive, class T, class In, class Out, class Op, class Start>
cudaError_t scan_by_chunks(workspace &w, In in, Out out, size_t n, Op op, Start start,
                           cudaStream_t stream)
{
    typedef both_passes<T, In> passes;
    const chunks c(n);
    const bool several = c.count() > 1;
    T *sums = w.take<T>(c.count());
    T *kept = several ? passes::room_for(w, n, out) : nullptr;
    if (w.counts() || !n)
        return cudaSuccess;
    if (several) {
        chunk_sums<T>
            <<<c.count(), 1, 0, stream>>>(typename passes::first{in, kept}, c, sums, op);
        chunk_carries<T><<<1, 1, 0, stream>>>(sums, c.count(), op);
    }
    scan_chunks<exclusive, T><<<c.count(), 1, 0, stream>>>(
        typename passes::second{in, kept}, out, c, (const T *)sums, op, start);
    return cudaPeekAtLastError();
}

/* In one pass, where the device promises that blocks progress: tern_parallel_once.h. */
inline bool blocks_progress();
template <class T> struct moves_in_words;
template <bool exclusive, class Out> struct into_range;
template <class F> struct into_each;
template <class T, class In, class Sink, class Op, class Start>
cudaError_t scan_into(workspace &w, In in, Sink sink, size_t n, Op op, Start start,
                      cudaStream_t stream);
template <class P> struct is_plain_memory; /* a pointer to what lanes can exchange */
template <class T, class C, class K, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
cudaError_t reduce_runs_into(workspace &w, const K *keys, Values values, KeysOut keys_out,
                             ValuesOut values_out, Count count, size_t n, Equal equal, Op op,
                             cudaStream_t stream);

template <bool exclusive, class T, class In, class Out, class Op, class Start>
cudaError_t scan_by_tiles(workspace &w, In in, Out out, size_t n, Op op, Start start,
                          cudaStream_t stream)
{
    typedef both_passes<T, In> passes;
    const size_t tiles = (n + tile<T>::size - 1) / tile<T>::size;
    T *sums = w.take<T>(tiles);
    T *kept = tiles > 1 ? passes::room_for(w, n, out) : nullptr;
    if (w.counts() || !n)
        return cudaSuccess;
    if (tiles > 1) {
        scan_sums<T><<<(unsigned)tiles, THREADS, 0, stream>>>(typename passes::first{in, kept}, n,
                                                              sums, op);
        scan_carries<T><<<1, THREADS, 0, stream>>>(sums, tiles, op);
    }
    scan_tiles<exclusive, T>
        <<<(unsigned)tiles, THREADS, 0, stream>>>(typename passes::second{in, kept}, out, n,
                                                  (const T *)sums, op, start);
    return cudaPeekAtLastError();
}

/* out may be in. */
template <bool exclusive, class T, class In, class Out, class Op, class Start>
cudaError_t scan(workspace &w, In in, Out out, size_t n, Op op, Start start, cudaStream_t stream)
{
    static_assert(!exclusive || Start::given, "an exclusive scan starts with a value");
    if constexpr (!CHUNKS_ONLY && moves_in_words<T>::value) {
        if (blocks_progress())
            return scan_into<T>(w, in, into_range<exclusive, Out>{out}, n, op, start, stream);
    }
    if constexpr (!CHUNKS_ONLY) {
        if (!on_processor())
            return scan_by_tiles<exclusive, T>(w, in, out, n, op, start, stream);
    }
    return scan_by_chunks<exclusive, T>(w, in, out, n, op, start, stream);
}

/* ---- runs of equal keys ---- */

template <class T, class Out> struct values_of_runs {
    const in_run<T> *from;
    Out out;
    __host__ __device__ void operator()(size_t i)
    {
        out[i] = from[i].value;
    }
};

/* The same in little room; C counts runs. */
template <class T, class C> struct packed_run {
    T value;
    C twice; /* the number of runs, and whether one began in the lowest bit */
};
template <class T, class C, class Op> struct join_packed {
    Op op;
    __device__ packed_run<T, C> operator()(const packed_run<T, C> &a, const packed_run<T, C> &b)
    {
        packed_run<T, C> r;
        r.twice = (C)((a.twice & ~(C)1) + (b.twice & ~(C)1)) | ((a.twice | b.twice) & 1);
        if (b.twice & 1)
            r.value = b.value;
        else
            r.value = op(a.value, b.value);
        return r;
    }
};
template <class T, class C, class Runs> struct packed_runs_of {
    Runs runs;
    __device__ packed_run<T, C> operator[](size_t i)
    {
        const in_run<T> r = runs[i];
        packed_run<T, C> p;
        p.value = r.value;
        p.twice = r.head ? 3 : 0;
        return p;
    }
};
/* May results go out while other blocks read? Values are asked for by their own tile; the key
 * before them is another one's, so keys must be known to lie elsewhere. */
template <class Runs, class Out> bool reads_own(const Runs &, const Out &)
{
    return false;
}
template <class T, class K, class V, class Equal, class O>
bool reads_own(const runs_of<T, K *, V *, Equal> &runs, O *const &out)
{
    return (const void *)runs.keys != (const void *)out;
}

template <class T, class Out> struct value_of_run {
    Out out;
    template <class Run>
    __device__ void operator()(size_t i, bool, const Run &,
                               const Run &with) /* runs are not counted */
    {
        out[i] = with.value;
    }
};

template <class T, class Runs, class Out, class Op>
cudaError_t scan_runs(workspace &w, Runs runs, Out out, size_t n, Op op, cudaStream_t stream)
{
    if constexpr (!CHUNKS_ONLY && moves_in_words<T>::value && sizeof(T) <= 16) {
        if (blocks_progress() && reads_own(runs, out))
            return scan_into<packed_run<T, unsigned>>(
                w, packed_runs_of<T, unsigned, Runs>{runs}, into_each<value_of_run<T, Out>>{{out}},
                n, join_packed<T, unsigned, Op>{op}, start_none(), stream);
    }
    in_run<T> *to = w.take<in_run<T>>(n);
    cudaError_t e =
        scan<false, in_run<T>>(w, runs, to, n, join_runs<T, Op>{op}, start_none(), stream);
    return e || w.counts() ? e : each(values_of_runs<T, Out>{to, out}, n, stream);
}

template <class T, class Keys, class KeysOut, class ValuesOut> struct ends_of_runs {
    const in_run<T> *runs;
    size_t n;
    Keys keys;
    KeysOut keys_out;
    ValuesOut values_out;
    __host__ __device__ void operator()(size_t i)
    {
        const size_t at = runs[i].runs - 1;
        if (i == 0 || runs[i - 1].runs <= at)
            keys_out[at] = keys[i];
        if (i == n - 1 || runs[i + 1].runs > at + 1)
            values_out[at] = runs[i].value;
    }
};
template <class T, class Count> struct count_of_runs {
    const in_run<T> *runs;
    size_t n;
    Count count;
    __host__ __device__ void operator()(size_t)
    {
        *count = n ? runs[n - 1].runs : 0;
    }
};

/* The same in one pass: a run's value is known to the head of the next one. */
template <class T, class C, class Keys, class KeysOut, class ValuesOut, class Count>
struct reduced_run {
    size_t n;
    Keys keys;
    KeysOut keys_out;
    ValuesOut values_out;
    Count count;
    __device__ void operator()(size_t i, bool some, const packed_run<T, C> &before,
                               const packed_run<T, C> &with)
    {
        const C at = with.twice >> 1, was = before.twice >> 1;
        if (!some || at != was) {
            keys_out[at - 1] = keys[i];
            if (some)
                values_out[was - 1] = before.value;
        }
        if (i == n - 1) {
            values_out[at - 1] = with.value;
            *count = at;
        }
    }
};
template <class T, class C, class Keys, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
cudaError_t reduce_packed(workspace &w, Keys keys, Values values, KeysOut keys_out,
                          ValuesOut values_out, Count count, size_t n, Equal equal, Op op,
                          cudaStream_t stream)
{
    if constexpr (is_plain_memory<Keys>::value)
        return reduce_runs_into<T, C>(w, keys, values, keys_out, values_out, count, n, equal, op,
                                      stream); /* tern_parallel_runs.h */
    typedef runs_of<T, Keys, Values, Equal> runs;
    typedef reduced_run<T, C, Keys, KeysOut, ValuesOut, Count> reduced;
    return scan_into<packed_run<T, C>>(w, packed_runs_of<T, C, runs>{runs{keys, values, equal}},
                                       into_each<reduced>{{n, keys, keys_out, values_out, count}},
                                       n, join_packed<T, C, Op>{op}, start_none(), stream);
}
template <class Count> struct put_none {
    Count count;
    __host__ __device__ void operator()(size_t)
    {
        *count = 0;
    }
};

/* Each run of equal keys becomes one key and op over its values; *count of them. */
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
cudaError_t reduce_runs(workspace &w, Keys keys, Values values, KeysOut keys_out,
                        ValuesOut values_out, Count count, size_t n, Equal equal, Op op,
                        cudaStream_t stream)
{
    if constexpr (!CHUNKS_ONLY && moves_in_words<T>::value && sizeof(T) <= 16) {
        if (blocks_progress()) {
            if (!n && !w.counts())
                return each(put_none<Count>{count}, 1, stream);
            return n < 1u << 30
                       ? reduce_packed<T, unsigned>(w, keys, values, keys_out, values_out, count, n,
                                                    equal, op, stream)
                       : reduce_packed<T, unsigned long long>(w, keys, values, keys_out, values_out,
                                                              count, n, equal, op, stream);
        }
    }
    in_run<T> *runs = w.take<in_run<T>>(n);
    cudaError_t e = scan<false, in_run<T>>(w, runs_of<T, Keys, Values, Equal>{keys, values, equal},
                                           runs, n, join_runs<T, Op>{op}, start_none(), stream);
    if (e || w.counts())
        return e;
    each(ends_of_runs<T, Keys, KeysOut, ValuesOut>{runs, n, keys, keys_out, values_out}, n, stream);
    return each(count_of_runs<T, Count>{runs, n, count}, 1, stream);
}

/* ---- selection ---- */

struct add {
    template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
    {
        return a + b;
    }
};

/* A program's predicate is asked once for each element, because it may count them: what it says is
 * kept for the second pass. */
template <class Flags> struct answers {
    Flags flags;
    unsigned char *kept;
    static unsigned char *room_for(workspace &w, size_t n)
    {
        return w.take<unsigned char>(n);
    }
    __device__ bool ask(size_t i)
    {
        const bool yes = flags[i] ? true : false;
        kept[i] = yes;
        return yes;
    }
    __device__ bool operator[](size_t i) const
    {
        return kept[i];
    }
};
template <class T> struct answers<T *> {
    T *flags;
    unsigned char *none;
    static unsigned char *room_for(workspace &, size_t)
    {
        return nullptr;
    }
    __device__ bool ask(size_t i) const
    {
        return flags[i] ? true : false;
    }
    __device__ bool operator[](size_t i) const
    {
        return flags[i] ? true : false;
    }
};

/* How many flags a tile has. */
template <class Flags>
__global__ void count_flags(answers<Flags> flags, size_t n, unsigned *counts)
{
    __shared__ unsigned sum;
    const unsigned t = threadIdx.x;
    const share mine(n, blockIdx.x, SELECT_ITEMS);
    if (t == 0)
        sum = 0;
    __syncthreads();
    unsigned own = 0;
    for (unsigned i = t; i < mine.count; i += THREADS)
        own += flags.ask(mine.start + i);
    atomicAdd(&sum, own);
    __syncthreads();
    if (t == 0)
        counts[blockIdx.x] = sum;
}

template <class Flags> struct as_count {
    Flags flags;
    __device__ unsigned operator[](size_t i)
    {
        return flags[i];
    }
};

/* before[k]: flags in all tiles before k. An element's place is the number of flags before it. */
template <rest how, class In, class Flags, class Out, class Others, class Count>
__global__ void put_flagged(In in, Flags flags, Out out, Others others, Count count, size_t n,
                            const unsigned *counts, const size_t *before)
{
    static_assert(tile<unsigned>::items == SELECT_ITEMS, "tiles are as count_flags has them");
    const unsigned FLAG = 1u << 31;
    __shared__ tile<unsigned> s;
    __shared__ room<unsigned, THREADS> a, b;
    const unsigned t = threadIdx.x;
    const share mine(n, blockIdx.x, SELECT_ITEMS);
    const size_t selected = before[blockIdx.x], last = gridDim.x - 1;
    const size_t all = how == BEHIND ? before[last] + counts[last] : 0;
    s.read(as_count<Flags>{flags}, mine.start, mine.count);
    if (t < mine.threads)
        a[t] = sum_of<unsigned>(s, mine, add());
    scan_room(a, b, mine.threads, add());
    unsigned sum = t && t < mine.threads ? a[t - 1] : 0;
    for (unsigned i = mine.first; i < mine.last; i++) {
        const unsigned flag = s[i];
        s[i] = sum | (flag ? FLAG : 0);
        sum += flag;
    }
    __syncthreads();
    for (unsigned i = t; i < mine.count; i += THREADS) {
        const unsigned place = s[i] & ~FLAG;
        if (s[i] & FLAG)
            out[selected + place] = in[mine.start + i];
        else if constexpr (how != NOWHERE) {
            const size_t unselected = mine.start + i - selected - place;
            others[how == BACKWARDS ? n - 1 - unselected : all + unselected] = in[mine.start + i];
        }
    }
    if (blockIdx.x == last && t == 0)
        *count = selected + counts[last];
}

template <class Flags> __global__ void chunk_flags(answers<Flags> flags, chunks c, size_t *counts)
{
    size_t sum = 0;
    const size_t last = c.last();
    for (size_t i = c.first(); i < last; i++)
        sum += flags.ask(i);
    counts[blockIdx.x] = sum;
}

/* upto[k]: flags in chunks up to k. */
template <rest how, class In, class Flags, class Out, class Others, class Count>
__global__ void put_chunk(In in, Flags flags, Out out, Others others, Count count, chunks c,
                          const size_t *upto)
{
    const size_t last = c.last(), all = upto[gridDim.x - 1];
    size_t place = blockIdx.x ? upto[blockIdx.x - 1] : 0;
    for (size_t i = c.first(); i < last; i++)
        if (flags[i])
            out[place++] = in[i];
        else if constexpr (how != NOWHERE)
            others[how == BACKWARDS ? c.n - 1 - (i - place) : all + (i - place)] = in[i];
    if (blockIdx.x == 0)
        *count = all;
}

template <rest how, class In, class Flags, class Out, class Others, class Count>
cudaError_t partition_by_chunks(workspace &w, In in, Flags flags, Out out, Others others,
                                Count count, size_t n, cudaStream_t stream)
{
    const chunks c(n);
    size_t *counts = w.take<size_t>(c.count());
    const answers<Flags> asked{flags, answers<Flags>::room_for(w, n)};
    if (w.counts())
        return cudaSuccess;
    if (!n)
        return each(put_none<Count>{count}, 1, stream);
    chunk_flags<<<c.count(), 1, 0, stream>>>(asked, c, counts);
    chunk_carries<size_t><<<1, 1, 0, stream>>>(counts, c.count(), add());
    put_chunk<how>
        <<<c.count(), 1, 0, stream>>>(in, asked, out, others, count, c, (const size_t *)counts);
    return cudaPeekAtLastError();
}

template <rest how, class In, class Flags, class Out, class Others, class Count>
cudaError_t partition_once(workspace &w, In in, Flags flags, Out out, Others others, Count count,
                           size_t n, cudaStream_t stream);

template <rest how, class In, class Flags, class Out, class Others, class Count>
cudaError_t partition_by_tiles(workspace &w, In in, Flags flags, Out out, Others others,
                               Count count, size_t n, cudaStream_t stream)
{
    const size_t size = (size_t)THREADS * SELECT_ITEMS, tiles = (n + size - 1) / size;
    unsigned *counts = w.take<unsigned>(tiles);
    size_t *before = w.take<size_t>(tiles);
    const answers<Flags> asked{flags, answers<Flags>::room_for(w, n)};
    if (!w.counts() && n)
        count_flags<<<(unsigned)tiles, THREADS, 0, stream>>>(asked, n, counts);
    cudaError_t e =
        scan<true, size_t>(w, counts, before, tiles, add(), start_value<size_t>{0}, stream);
    if (e || w.counts())
        return e;
    if (!n)
        return each(put_none<Count>{count}, 1, stream);
    put_flagged<how><<<(unsigned)tiles, THREADS, 0, stream>>>(
        in, asked, out, others, count, n, (const unsigned *)counts, (const size_t *)before);
    return cudaPeekAtLastError();
}

/* What has its flag set goes to out, in order, and those without to others, which may be out;
 * neither overlaps in. */
template <rest how, class In, class Flags, class Out, class Others, class Count>
cudaError_t partition(workspace &w, In in, Flags flags, Out out, Others others, Count count,
                      size_t n, cudaStream_t stream)
{
    if constexpr (!CHUNKS_ONLY && how != BEHIND) {
        if (blocks_progress())
            return partition_once<how>(w, in, flags, out, others, count, n, stream);
    }
    if constexpr (!CHUNKS_ONLY) {
        if (!on_processor())
            return partition_by_tiles<how>(w, in, flags, out, others, count, n, stream);
    }
    return partition_by_chunks<how>(w, in, flags, out, others, count, n, stream);
}
template <class In, class Flags, class Out, class Count>
cudaError_t select(workspace &w, In in, Flags flags, Out out, Count count, size_t n,
                   cudaStream_t stream)
{
    return partition<NOWHERE>(w, in, flags, out, out, count, n, stream);
}

} // namespace tern_parallel
#include "tern_parallel_once.h"
#include "tern_parallel_runs.h"
#include "tern_parallel_sort.h"
