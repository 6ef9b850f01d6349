/* Scans and selections that read their range once: a block that has the sum of its tile looks back
 * over the tiles before it until it meets one that knows the sum of all up to itself. Blocks wait
 * for others here, which only devices may be asked to do that promise progress: a block that has
 * begun goes on, whatever others do. Tiles are taken in the order in which blocks begin, so those
 * that a block waits for have begun. */
#pragma once
#include "tern_parallel.h"
#include <type_traits>

namespace tern_parallel
{
/* TERN_PARALLEL_ONCE: 1 takes these ways on every device (where blocks run one after the other they
 * end as well), 0 on none. */
inline bool blocks_progress()
{
#if defined TERN_PARALLEL_ONCE && TERN_PARALLEL_ONCE
    return true;
#elif defined TERN_PARALLEL_ONCE
    return false;
#else
    int device = 0, yes = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&yes, cudaDevAttrComputePreemptionSupported, device) ==
               cudaSuccess &&
           yes;
#endif
}

/* ---- values as words, which lanes exchange and tiles publish ---- */

template <class T> struct as_words {
    enum { count = (sizeof(T) + 3) / 4 };
    unsigned w[count];
    __device__ static as_words of(const T &v)
    {
        as_words a;
        a.w[count - 1] = 0;
        memcpy(a.w, &v, sizeof(T));
        return a;
    }
    __device__ T value() const
    {
        T v;
        memcpy(&v, w, sizeof(T));
        return v;
    }
};

template <class T> struct moves_in_words {
    enum {
        value =
            __is_trivially_copyable(T) && std::is_default_constructible<T>::value && sizeof(T) <= 32
    };
};

template <class T> __device__ T lane_above(const T &v, unsigned by)
{
    as_words<T> a = as_words<T>::of(v);
#pragma unroll
    for (int i = 0; i < as_words<T>::count; i++)
        a.w[i] = __shfl_down_sync(~0u, a.w[i], by);
    return a.value();
}
template <class T> __device__ T lane_below(const T &v, unsigned by)
{
    as_words<T> a = as_words<T>::of(v);
#pragma unroll
    for (int i = 0; i < as_words<T>::count; i++)
        a.w[i] = __shfl_up_sync(~0u, a.w[i], by);
    return a.value();
}
template <class T> __device__ T lane_at(const T &v, unsigned lane)
{
    as_words<T> a = as_words<T>::of(v);
#pragma unroll
    for (int i = 0; i < as_words<T>::count; i++)
        a.w[i] = __shfl_sync(~0u, a.w[i], lane);
    return a.value();
}

/* A sum that may be of nothing yet. */
template <class T> struct maybe {
    T sum;
    bool some;
    template <class Op> __device__ void then(const T &next, Op &op)
    {
        sum = some ? op(sum, next) : next;
        some = true;
    }
};

/* ---- what tiles tell each other ---- */

/* Each 32 bits of a value lie in one word with the state, which is read and written at once: words
 * with the same state are of one value, and nothing else has to be seen in order. */
enum tile_state { NOTHING, OWN, ALL };

/* How long who looks back waits, in ns: before it asks first, and before it asks again. What is the
 * quickest was measured (test/h200/cub). */
template <int before, int between> struct waits {
    enum { first = before, pause = between };
};
typedef waits<800, 500> patient;     /* selections, runs */
typedef waits<1200, 650> patientest; /* scans */

template <class T> struct tile_sums {
    enum { words = as_words<T>::count };
    unsigned long long *at;

    static size_t bytes(size_t tiles)
    {
        return tiles * words * sizeof(unsigned long long);
    }
    __device__ void publish(size_t tile, const T &v, tile_state state) const
    {
        const as_words<T> a = as_words<T>::of(v);
        volatile unsigned long long *to = at + tile * words;
#pragma unroll
        for (int i = 0; i < words; i++)
            to[i] = (unsigned long long)state << 32 | a.w[i];
    }
    __device__ unsigned read(size_t tile, T *v) const
    {
        as_words<T> a;
        const volatile unsigned long long *from = at + tile * words;
        unsigned long long got[words];
#pragma unroll
        for (int i = 0; i < words; i++)
            got[i] = from[i];
        unsigned state = (unsigned)(got[0] >> 32);
#pragma unroll
        for (int i = 0; i < words; i++) {
            a.w[i] = (unsigned)got[i];
            if ((unsigned)(got[i] >> 32) != state)
                state = NOTHING;
        }
        *v = a.value();
        return state;
    }

    /* The sum of all tiles before `tile`, which is not the first: by a whole warp, known to lane 0.
     * Lane k looks at the tile k + 1 before; those that had nothing to say are asked again after a
     * pause, so that all that wait do not keep their memory busy. Where there are many tiles,
     * nobody asks before the last few can have an answer. */
    template <class Patience, class Op> __device__ T before(size_t tile, Op &op) const
    {
        enum { MANY = 256 };
        const unsigned lane = threadIdx.x % WARP;
        maybe<T> all = {};
        if (Patience::first && tile >= MANY)
            __nanosleep(Patience::first);
        for (size_t nearest = tile - 1;; nearest -= WARP) {
            T v = {};
            unsigned state = lane <= nearest ? read(nearest - lane, &v) : (unsigned)OWN, known,
                     needed;
            for (;;) {
                known = __ballot_sync(~0u, state == ALL);
                needed = known ? known ^ (known - 1) : ~0u; /* up to the first that knows all */
                if (!(__ballot_sync(~0u, state == NOTHING) & needed))
                    break;
                __nanosleep(Patience::pause);
                if (state == NOTHING)
                    state = read(nearest - lane, &v);
            }
            const unsigned last = 31 - (unsigned)__clz((int)needed);
#pragma unroll
            for (unsigned d = 1; d < WARP; d *= 2) {
                const T earlier = lane_above(v, d);
                if (lane + d <= last)
                    v = op(earlier, v);
            }
            all.sum = all.some ? op(v, all.sum) : v;
            all.some = true;
            if (known)
                return all.sum;
        }
    }
};

/* Which tile a block takes. */
static __device__ inline unsigned next_tile(unsigned *counter)
{
    __shared__ unsigned tile;
    if (threadIdx.x == 0)
        tile = atomicAdd(counter, 1u);
    __syncthreads();
    return tile;
}

/* ---- elements side by side ---- */

template <int bytes> struct chunk_of {
    enum { exists = 0 };
    typedef unsigned type;
};
template <> struct chunk_of<4> {
    enum { exists = 1 };
    typedef unsigned type;
};
template <> struct chunk_of<8> {
    enum { exists = 1 };
    typedef uint2 type;
};
template <> struct chunk_of<16> {
    enum { exists = 1 };
    typedef uint4 type;
};

template <class P> struct pointed {
    typedef void type;
    enum { plain = 0, bytes = 0 };
};
template <class X> struct pointed<X *> {
    typedef typename std::remove_cv<X>::type type;
    enum {
        plain = __is_trivially_copyable(type) && std::is_default_constructible<type>::value &&
                !std::is_volatile<X>::value,
        bytes = sizeof(X)
    };
};
template <class P> struct is_plain_memory {
    enum { value = 0 };
};
template <class X> struct is_plain_memory<X *> {
    enum {
        value = pointed<X *>::plain && moves_in_words<typename pointed<X *>::type>::value &&
                sizeof(X) <= 16
    };
};
template <class P, int n> struct in_chunks {
    enum { bytes = n * pointed<P>::bytes, value = pointed<P>::plain && chunk_of<bytes>::exists };
};

/* n neighbours at i, which is a multiple of n; in one access where the range is memory and aligned.
 */
template <int n, class In, class X> __device__ void read_row(In in, size_t i, X *to)
{
    if constexpr (in_chunks<In, n>::value) {
        typedef typename chunk_of<in_chunks<In, n>::bytes>::type chunk;
        typedef typename pointed<In>::type type;
        if ((size_t)in % sizeof(chunk) == 0) {
            const chunk all = *(const chunk *)(in + i);
            type each[n];
            memcpy(each, &all, sizeof all);
#pragma unroll
            for (int k = 0; k < n; k++)
                to[k] = (X)each[k];
            return;
        }
    }
#pragma unroll
    for (int k = 0; k < n; k++)
        to[k] = (X)in[i + k];
}
/* Rows of them, one every `step`. Whether they are aligned is asked once, so that all are on their
 * way before the first is used. */
template <int n, int rows, int step, class In, class X>
__device__ void read_rows(In in, size_t i, X (*to)[n])
{
    if constexpr (in_chunks<In, n>::value) {
        typedef typename chunk_of<in_chunks<In, n>::bytes>::type chunk;
        typedef typename pointed<In>::type type;
        if ((size_t)in % sizeof(chunk) == 0) {
            chunk all[rows];
#pragma unroll
            for (int r = 0; r < rows; r++)
                all[r] = *(const chunk *)(in + i + r * step);
#pragma unroll
            for (int r = 0; r < rows; r++) {
                type each[n];
                memcpy(each, &all[r], sizeof each);
#pragma unroll
                for (int k = 0; k < n; k++)
                    to[r][k] = (X)each[k];
            }
            return;
        }
    }
#pragma unroll
    for (int r = 0; r < rows; r++)
#pragma unroll
        for (int k = 0; k < n; k++)
            to[r][k] = (X)in[i + r * step + k];
}
/* The same of a tile that ends early, by the whole block: past the end comes the last element
 * again, which nobody is asked for twice. */
template <int n, int rows, int step, class In, class X>
__device__ void read_rows(In in, size_t i, X (*to)[n], size_t end)
{
    __shared__ room<X, 1> last;
#pragma unroll
    for (int r = 0; r < rows; r++)
#pragma unroll
        for (int k = 0; k < n; k++) {
            const size_t at = i + r * step + k;
            if (at < end)
                to[r][k] = (X)in[at];
            if (at + 1 == end)
                last[0] = to[r][k];
        }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows; r++)
#pragma unroll
        for (int k = 0; k < n; k++)
            if (i + r * step + k >= end)
                to[r][k] = last[0];
    __syncthreads(); /* before the next call writes it */
}
template <int n, class Out, class X> __device__ void write_row(Out out, size_t i, const X *from)
{
    if constexpr (in_chunks<Out, n>::value) {
        typedef typename chunk_of<in_chunks<Out, n>::bytes>::type chunk;
        typedef typename pointed<Out>::type type;
        if ((size_t)out % sizeof(chunk) == 0) {
            chunk all;
            type each[n];
#pragma unroll
            for (int k = 0; k < n; k++)
                each[k] = (type)from[k];
            memcpy(&all, each, sizeof all);
            *(chunk *)(out + i) = all;
            return;
        }
    }
#pragma unroll
    for (int k = 0; k < n; k++)
        out[i + k] = from[k];
}

/* A thread's part of a tile: `rows` times `side` neighbours. A warp's row is side by side, so that
 * what lanes read together lies together; a warp has its rows one after the other. */
template <int element> struct rows_of {
    enum {
        side = element <= 1   ? 16
               : element <= 2 ? 8
               : element <= 4 ? 4
               : element <= 8 ? 2
                              : 1,
        rows = element <= 1    ? 1
               : element <= 2  ? 2
               : element <= 16 ? 4
                               : 2,
        items = side * rows,
        row = side * WARP,
        size = items * THREADS,
    };
    /* of the thread's first element in the tile; its next row is `row` further */
    __device__ static unsigned first()
    {
        return threadIdx.x / WARP * (WARP * items) + threadIdx.x % WARP * side;
    }
};

/* ---- elements with a mark ---- */

/* How many a warp has in each of its rows, a byte for each. */
struct row_counts {
    unsigned lanes, rows; /* before the lane, in the whole row */
    __device__ unsigned before(int row) const
    {
        return lanes >> 8 * row & 255;
    }
    __device__ unsigned of_row(int row) const
    {
        return rows >> 8 * row & 255;
    }
    __device__ unsigned of_warp() const
    {
        const unsigned pairs = (rows & 0xff00ff) + (rows >> 8 & 0xff00ff);
        return (pairs & 0xffff) + (pairs >> 16);
    }
};
/* marks: of a thread's elements, bit r * side + k. */
template <class Shape> __device__ row_counts count_marks(unsigned marks)
{
    enum { side = Shape::side, rows = Shape::rows };
    static_assert(side * WARP < 256 && rows <= 4, "the counts of four rows fit one word");
    const unsigned lane = threadIdx.x % WARP;
    unsigned own = 0;
#pragma unroll
    for (int r = 0; r < rows; r++)
        own |= (unsigned)__popc(marks >> r * side & ((1u << side) - 1)) << 8 * r;
    unsigned upto = own;
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2) {
        const unsigned earlier = __shfl_up_sync(~0u, upto, d);
        if (lane >= d)
            upto += earlier;
    }
    return row_counts{upto - own, __shfl_sync(~0u, upto, WARP - 1)};
}

struct warp_counts {
    unsigned before, all; /* of the warps before, of the tile */
};
static __device__ inline warp_counts sum_warps(const unsigned *sums)
{
    warp_counts counts = {};
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++) {
        const unsigned own = sums[w];
        counts.before += w < threadIdx.x / WARP ? own : 0;
        counts.all += own;
    }
    return counts;
}

/* ---- scans ---- */

/* 32 KB a block, three blocks a unit: the more a tile has, the fewer look back. */
template <int element> struct scan_rows_of : rows_of<element> {
    enum {
        rows = element == 4 || element == 8 ? 8 : (int)rows_of<element>::rows,
        items = rows_of<element>::side * rows,
        size = items * THREADS,
    };
    __device__ static unsigned first()
    {
        return threadIdx.x / WARP * (WARP * items) + threadIdx.x % WARP * rows_of<element>::side;
    }
};

/* Where a scan's results go: out[i], or what a functor makes of them. */
template <bool exclusive, class Out> struct into_range {
    Out out;
    template <int n, class T, class Op>
    __device__ void put(size_t i, unsigned count, const maybe<T> &before, const T *own, Op &op)
    {
        T row[n];
        maybe<T> sum = before;
#pragma unroll
        for (int k = 0; k < n; k++) {
            const T with = before.some ? op(before.sum, own[k]) : own[k];
            if constexpr (exclusive)
                row[k] = sum.sum;
            else
                row[k] = with;
            sum.sum = with;
        }
        if (count >= (unsigned)n)
            write_row<n>(out, i, row);
        else
#pragma unroll
            for (int k = 0; k < n; k++)
                if ((unsigned)k < count)
                    out[i + k] = row[k];
    }
};
template <class F> struct into_each { /* f(i, are there any before, their sum, the sum with i) */
    F f;
    template <int n, class T, class Op>
    __device__ void put(size_t i, unsigned count, const maybe<T> &before, const T *own, Op &op)
    {
        maybe<T> sum = before;
#pragma unroll
        for (int k = 0; k < n; k++) {
            const T with = before.some ? op(before.sum, own[k]) : own[k];
            if ((unsigned)k < count)
                f(i + k, sum.some, sum.sum, with);
            sum.sum = with;
            sum.some = true;
        }
    }
};

/* lanes[r]: sums of a thread's rows, become sums along the warp's rows up to the lane. */
template <int rows, class T, class Op> __device__ void scan_lanes(T *lanes, Op &op)
{
    const unsigned lane = threadIdx.x % WARP;
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2)
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const T earlier = lane_below(lanes[r], d);
            if (lane >= d)
                lanes[r] = op(earlier, lanes[r]);
        }
}
/* own[k] become sums along the row. */
template <int side, class T, class Op> __device__ void scan_row(T *own, Op &op)
{
#pragma unroll
    for (int k = 1; k < side; k++)
        own[k] = op(own[k - 1], own[k]);
}
/* What a warp has in its rows up to each, and lanes[r] becomes what lanes before have in the row.
 */
template <int rows, class T, class Op> __device__ void end_rows(T *lanes, T *ends, Op &op)
{
#pragma unroll
    for (int r = 0; r < rows; r++) {
        ends[r] = lane_at(lanes[r], WARP - 1);
        if (r)
            ends[r] = op(ends[r - 1], ends[r]);
        lanes[r] = lane_below(lanes[r], 1);
    }
}

/* The sum before a tile, for all threads; sums: of the tile's warps. */
template <class T, class Op, class Start>
__device__ maybe<T> carry_of(size_t tile, room<T, WARPS> &sums, tile_sums<T> tiles, Op &op,
                             Start &start)
{
    __shared__ room<T, 1> carry;
    if (threadIdx.x < WARP) {
        T own = sums[0];
#pragma unroll
        for (int w = 1; w < WARPS; w++)
            own = op(own, sums[w]);
        if (tile) {
            if (threadIdx.x == 0)
                tiles.publish(tile, own, OWN);
            const T before = tiles.template before<patientest>(tile, op);
            if (threadIdx.x == 0) {
                tiles.publish(tile, op(before, own), ALL);
                carry[0] = before;
            }
        } else if (threadIdx.x == 0) {
            if constexpr (Start::given) {
                const T first = start.get();
                carry[0] = first;
                own = op(first, own);
            }
            tiles.publish(0, own, ALL);
        }
    }
    __syncthreads();
    maybe<T> before = {};
    before.some = Start::given || tile;
    if (before.some)
        before.sum = carry[0];
    return before;
}

template <class T, class In, class Sink, class Op, class Start>
__global__ void __launch_bounds__(THREADS, sizeof(T) == 4 || sizeof(T) == 8 ? 3 : 1)
    scan_once(In in, Sink sink, size_t n, unsigned *counter, tile_sums<T> tiles, Op op, Start start)
{
    typedef scan_rows_of<(int)sizeof(T)> shape;
    constexpr int side = shape::side, rows = shape::rows;
    __shared__ room<T, WARPS> sums;
    const size_t tile = next_tile(counter), base = tile * shape::size, at = base + shape::first();
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const bool whole = n - base >= (size_t)shape::size;
    T own[rows][side], lanes[rows], ends[rows];
    if (whole)
        read_rows<side, rows, shape::row>(in, at, own);
    else
        read_rows<side, rows, shape::row>(in, at, own, n);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        scan_row<side>(own[r], op);
        lanes[r] = own[r][side - 1];
    }
    scan_lanes<rows>(lanes, op);
    end_rows<rows>(lanes, ends, op);
    if (lane == 0)
        sums[warp] = ends[rows - 1];
    __syncthreads();
    maybe<T> before = carry_of(tile, sums, tiles, op, start);
    for (unsigned w = 0; w < warp; w++)
        before.then(sums[w], op);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const size_t i = at + r * shape::row;
        const unsigned count = whole          ? (unsigned)side
                               : i >= n       ? 0
                               : n - i < side ? (unsigned)(n - i)
                                              : (unsigned)side;
        maybe<T> mine = before;
        if (r)
            mine.then(ends[r - 1], op);
        if (lane)
            mine.then(lanes[r], op);
        if (count)
            sink.template put<side>(i, count, mine, own[r], op);
    }
}

template <class T, class In, class Sink, class Op, class Start>
cudaError_t scan_into(workspace &w, In in, Sink sink, size_t n, Op op, Start start,
                      cudaStream_t stream)
{
    const size_t size = scan_rows_of<(int)sizeof(T)>::size, tiles = (n + size - 1) / size;
    const size_t bytes = 256 + tile_sums<T>::bytes(tiles);
    char *memory = w.take<char>(bytes);
    if (w.counts() || !n)
        return cudaSuccess;
    const cudaError_t e = cudaMemsetAsync(memory, 0, bytes, stream);
    if (e)
        return e;
    scan_once<T><<<(unsigned)tiles, THREADS, 0, stream>>>(
        in, sink, n, (unsigned *)memory, tile_sums<T>{(unsigned long long *)(memory + 256)}, op,
        start);
    return cudaPeekAtLastError();
}

/* ---- selections ---- */

/* Flags that ask for the elements themselves, which are at hand as own[k]; `applies` says so of a
 * kind. A stencil, whose iterator may be of the same type, is asked where it lies. */
template <class In, class Flags> struct asks_elements {
    enum { applies = 0 };
};
template <class In, class P> struct asks_elements<In, flags_if<In, P>> {
    enum { applies = 1 };
    template <class X> __device__ static bool is(flags_if<In, P> &f, size_t, const X *own, int k)
    {
        return f.predicate(own[k]) ? true : false;
    }
};
template <class In, class P> struct asks_elements<In, flags_if_not<In, P>> {
    enum { applies = 1 };
    template <class X>
    __device__ static bool is(flags_if_not<In, P> &f, size_t, const X *own, int k)
    {
        return f.predicate(own[k]) ? false : true;
    }
};
template <class In, class Equal> struct asks_elements<In, flags_first<In, Equal>> {
    enum { applies = 1 };
    template <class X>
    __device__ static bool is(flags_first<In, Equal> &f, size_t i, const X *own, int k)
    {
        return k == 0 ? f[i] : !f.equal(own[k - 1], own[k]);
    }
};

/* Marks of a thread's elements in the first `size` of a tile that begins at `base`. */
template <class Shape, class Is> __device__ unsigned mark_those(size_t base, unsigned size, Is is)
{
    unsigned marks = 0;
#pragma unroll
    for (int r = 0; r < Shape::rows; r++)
#pragma unroll
        for (int k = 0; k < Shape::side; k++) {
            const unsigned i = Shape::first() + r * Shape::row + k;
            if (i < size && is(base + i, r, k))
                marks |= 1u << (r * Shape::side + k);
        }
    return marks;
}

/* What a selection moves through shared memory: elements, where they are small and lie in memory,
 * else their numbers in the tile. */
template <class In> struct moved_by {
    enum { value = pointed<In>::plain && pointed<In>::bytes <= 8, number = !value };
    typedef typename std::conditional<value, typename pointed<In>::type, unsigned short>::type type;
    enum { element = value ? (pointed<In>::bytes < 4 ? 4 : (int)pointed<In>::bytes) : 4 };
    typedef rows_of<(int)element> shape;
};

template <rest how, class In, class Flags, class Out, class Others, class Count>
__global__ void __launch_bounds__(THREADS, how == NOWHERE ? 6 : 4)
    select_once(In in, Flags flags, Out out, Others others, Count count, size_t n,
                unsigned *counter, tile_sums<unsigned long long> tiles)
{
    typedef moved_by<In> moved;
    typedef typename moved::type M;
    typedef typename moved::shape shape;
    typedef asks_elements<typename std::conditional<moved::value, In, void>::type, Flags> elements;
    constexpr int side = shape::side, rows = shape::rows;
    __shared__ room<M, shape::size> kept;
    __shared__ unsigned sums[WARPS];
    __shared__ unsigned long long carry;
    const size_t tile = next_tile(counter), base = tile * shape::size;
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP, first = shape::first();
    const unsigned size =
        n - base < (size_t)shape::size ? (unsigned)(n - base) : (unsigned)shape::size;
    M own[rows][side];
    if constexpr (moved::value) {
        if (size == (unsigned)shape::size)
            read_rows<side, rows, shape::row>(in, base + first, own);
        else
            read_rows<side, rows, shape::row>(in, base + first, own, n);
    } else {
#pragma unroll
        for (int r = 0; r < rows; r++)
#pragma unroll
            for (int k = 0; k < side; k++)
                own[r][k] = (M)(first + r * shape::row + k);
    }
    const auto where_it_lies = [&](size_t at, int, int) { return flags[at] ? true : false; };
    unsigned chosen;
    if constexpr (elements::applies) {
        const auto at_hand = [&](size_t at, int r, int k) {
            return elements::is(flags, at, own[r], k);
        };
        chosen = flags.in == in ? mark_those<shape>(base, size, at_hand)
                                : mark_those<shape>(base, size, where_it_lies);
    } else
        chosen = mark_those<shape>(base, size, where_it_lies);
    const row_counts counts = count_marks<shape>(chosen);
    if (lane == 0)
        sums[warp] = counts.of_warp();
    __syncthreads();
    const warp_counts counted = sum_warps(sums);
    const unsigned all = counted.all;
    unsigned place = counted.before;
    add plus;
    if (t == 0)
        tiles.publish(tile, all, tile ? OWN : ALL);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        unsigned to = place + counts.before(r);
#pragma unroll
        for (int k = 0; k < side; k++) {
            const unsigned i = first + r * shape::row + k;
            if (chosen >> (r * side + k) & 1)
                kept[(int)to++] = own[r][k];
            else if (how != NOWHERE && i < size)
                kept[(int)(all + i - to)] = own[r][k];
        }
        place += counts.of_row(r);
    }
    if (warp == 0) {
        const unsigned long long before = tile ? tiles.before<patient>(tile, plus) : 0;
        if (t == 0) {
            if (tile)
                tiles.publish(tile, before + all, ALL);
            carry = before;
            if (base + size == n)
                *count = before + all;
        }
    }
    __syncthreads();
    const size_t selected = carry;
    for (unsigned i = t; i < (how == NOWHERE ? all : size); i += THREADS) {
        size_t from = 0;
        if constexpr (moved::number)
            from = base + kept[(int)i];
        if (i < all) {
            if constexpr (moved::value)
                out[selected + i] = kept[(int)i];
            else
                out[selected + i] = in[from];
        } else if constexpr (how == BACKWARDS) {
            const size_t to = n - 1 - (base - selected + (i - all));
            if constexpr (moved::value)
                others[to] = kept[(int)i];
            else
                others[to] = in[from];
        }
    }
}

/* BEHIND must know how many are chosen in all, which one pass does not. */
template <rest how, class In, class Flags, class Out, class Others, class Count>
cudaError_t partition_once(workspace &w, In in, Flags flags, Out out, Others others, Count count,
                           size_t n, cudaStream_t stream)
{
    static_assert(how != BEHIND, "");
    typedef tile_sums<unsigned long long> sums;
    const size_t size = moved_by<In>::shape::size, tiles = (n + size - 1) / size;
    const size_t bytes = 256 + sums::bytes(tiles);
    char *memory = w.take<char>(bytes);
    if (w.counts())
        return cudaSuccess;
    if (!n)
        return each(put_none<Count>{count}, 1, stream);
    const cudaError_t e = cudaMemsetAsync(memory, 0, bytes, stream);
    if (e)
        return e;
    select_once<how><<<(unsigned)tiles, THREADS, 0, stream>>>(
        in, flags, out, others, count, n, (unsigned *)memory,
        sums{(unsigned long long *)(memory + 256)});
    return cudaPeekAtLastError();
}
} // namespace tern_parallel
