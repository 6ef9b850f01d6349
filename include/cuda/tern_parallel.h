/* Parallel algorithms over ranges in device memory: what <thrust/…> and <cub/…> are made of.
 *
 * A range is anything device code can index: pointers, or classes with operator[]. Work is put on a
 * stream and not waited for. Memory for what lies between kernels comes from a workspace, which
 * counts instead of giving while it has none: so each algorithm is called twice, as CUB's callers
 * do. No kernel waits for another block, so any number of blocks may run at a time. */
#pragma once
#include "cuda_runtime.h"

namespace tern_parallel
{
enum {
    THREADS = 256,
    REDUCE_ITEMS = 16,
    SCAN_ITEMS = 8,
    SORT_ITEMS = 16,
    DIGIT_BITS = 4,
    DIGITS = 16,
};

struct workspace {
    char *base;
    size_t used = 0;
    explicit workspace(void *memory) : base((char *)memory)
    {
    }
    bool counts() const
    {
        return !base;
    }
    template <class T> T *take(size_t n)
    {
        used = (used + 255) / 256 * 256;
        T *p = base ? (T *)(base + used) : (T *)0;
        used += n * sizeof(T);
        return p;
    }
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
    if (t < count) {
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
template <class T, class In, class Begin, class End, class Out, class Op>
__global__ void reduce_segments(In in, Begin begin, End end, size_t segments, Out out, Op op,
                                T init)
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
            T sum = init;
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

template <class T, class In, class Out, class Op>
cudaError_t reduce(workspace &w, In in, Out out, size_t n, Op op, T init, cudaStream_t stream)
{
    const size_t tiles = (n + THREADS * REDUCE_ITEMS - 1) / (THREADS * REDUCE_ITEMS);
    T *partial = w.take<T>(tiles);
    if (w.counts())
        return cudaSuccess;
    if (tiles)
        reduce_tiles<T><<<(unsigned)tiles, THREADS, 0, stream>>>(in, n, partial, op);
    reduce_segments<T>
        <<<1, THREADS, 0, stream>>>(partial, bound{0}, bound{tiles}, 1, out, op, init);
    return cudaPeekAtLastError();
}

/* ---- scans: op is associative ----
 * Tiles are summed, one block scans the sums, the tiles are scanned from there. */

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

/* The items [first, last) of a thread in its tile, and how many threads of the block have some. */
struct share {
    size_t first, last;
    unsigned threads;
    __device__ share(size_t n, unsigned items)
    {
        const size_t tile = (size_t)THREADS * items, start = blockIdx.x * tile, rest = n - start;
        const size_t end = start + (rest < tile ? rest : tile);
        first = start + (size_t)threadIdx.x * items;
        last = first + items < end ? first + items : end;
        threads = (unsigned)((end - start + items - 1) / items);
    }
};

template <class T, class In, class Op> __device__ T sum_of(In in, const share &mine, Op op)
{
    T sum = in[mine.first];
    for (size_t i = mine.first + 1; i < mine.last; i++)
        sum = op(sum, in[i]);
    return sum;
}

template <class T, class In, class Op> __global__ void scan_sums(In in, size_t n, T *sums, Op op)
{
    __shared__ room<T, THREADS> s;
    const share mine(n, SCAN_ITEMS);
    const unsigned t = threadIdx.x;
    if (t < mine.threads)
        s[t] = sum_of<T>(in, mine, op);
    for (unsigned d = 1; d < THREADS; d *= 2) { /* neighbours, so that the order is kept */
        __syncthreads();
        if (t % (2 * d) == 0 && t + d < mine.threads)
            s[t] = op(s[t], s[t + d]);
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

template <class T, class Op> __global__ void scan_carries(T *sums, size_t n, Op op)
{
    __shared__ room<T, THREADS> a, b;
    const unsigned t = threadIdx.x;
    for (size_t at = 0; at < n; at += THREADS) {
        const unsigned count = n - at < THREADS ? (unsigned)(n - at) : THREADS;
        __syncthreads();
        if (t < count) {
            T v = sums[at + t];
            if (t == 0 && at)
                v = op(sums[at - 1], v);
            a[t] = v;
        }
        scan_room(a, b, count, op);
        if (t < count)
            sums[at + t] = a[t];
    }
}

/* What a scan starts with: a value, one to be read on the device, or none. */
template <class T> struct start_value {
    T value;
    enum { given = 1 };
    __host__ __device__ T get() const
    {
        return value;
    }
};
template <class T, class P> struct start_read {
    P value;
    enum { given = 1 };
    __host__ __device__ T get() const
    {
        return *value;
    }
};
struct start_none {
    enum { given = 0 };
};

template <bool exclusive, class T, class In, class Out, class Op, class Start>
__global__ void scan_tiles(In in, Out out, size_t n, const T *sums, Op op, Start start)
{
    __shared__ room<T, THREADS> a, b;
    const share mine(n, SCAN_ITEMS);
    const unsigned t = threadIdx.x;
    if (t < mine.threads)
        a[t] = sum_of<T>(in, mine, op);
    scan_room(a, b, mine.threads, op);
    if (t >= mine.threads)
        return;
    size_t i = mine.first;
    if constexpr (Start::given) {
        T before = start.get();
        if (blockIdx.x)
            before = op(before, sums[blockIdx.x - 1]);
        if (t)
            before = op(before, a[t - 1]);
        for (; i < mine.last; i++) {
            T with = op(before, in[i]);
            if constexpr (exclusive)
                out[i] = before;
            else
                out[i] = with;
            before = with;
        }
    } else {
        T sum = in[i];
        if (t)
            sum = op(a[t - 1], sum);
        if (blockIdx.x)
            sum = op(sums[blockIdx.x - 1], sum);
        out[i] = sum;
        for (i++; i < mine.last; i++) {
            sum = op(sum, in[i]);
            out[i] = sum;
        }
    }
}

/* out may be in. */
template <bool exclusive, class T, class In, class Out, class Op, class Start>
cudaError_t scan(workspace &w, In in, Out out, size_t n, Op op, Start start, cudaStream_t stream)
{
    static_assert(!exclusive || Start::given, "an exclusive scan starts with a value");
    const size_t tile = (size_t)THREADS * SCAN_ITEMS, tiles = (n + tile - 1) / tile;
    T *sums = w.take<T>(tiles);
    if (w.counts() || !n)
        return cudaSuccess;
    if (tiles > 1) {
        scan_sums<T><<<(unsigned)tiles, THREADS, 0, stream>>>(in, n, sums, op);
        scan_carries<T><<<1, THREADS, 0, stream>>>(sums, tiles, op);
    }
    scan_tiles<exclusive, T>
        <<<(unsigned)tiles, THREADS, 0, stream>>>(in, out, n, (const T *)sums, op, start);
    return cudaPeekAtLastError();
}

/* ---- runs of equal keys ---- */

/* A value, and how many runs began up to it: joining two of these is associative. */
template <class T> struct in_run {
    T value;
    size_t runs;
    bool head;
};
template <class T, class Op> struct join_runs {
    Op op;
    __host__ __device__ in_run<T> operator()(const in_run<T> &a, const in_run<T> &b)
    {
        if (b.head)
            return in_run<T>{b.value, a.runs + b.runs, true};
        return in_run<T>{op(a.value, b.value), a.runs + b.runs, a.head};
    }
};
template <class T, class Keys, class Values, class Equal> struct runs_of {
    Keys keys;
    Values values;
    Equal equal;
    __host__ __device__ in_run<T> operator[](size_t i)
    {
        const bool head = i == 0 || !equal(keys[i - 1], keys[i]);
        return in_run<T>{values[i], head, head};
    }
};
/* The same for exclusive scans: each has the value before it, heads have the first. */
template <class T, class Keys, class Values, class Equal> struct runs_before {
    Keys keys;
    Values values;
    Equal equal;
    T first;
    __host__ __device__ in_run<T> operator[](size_t i)
    {
        const bool head = i == 0 || !equal(keys[i - 1], keys[i]);
        T value = first;
        if (!head)
            value = values[i - 1];
        return in_run<T>{value, head, head};
    }
};
template <class T, class Out> struct values_of_runs {
    const in_run<T> *from;
    Out out;
    __host__ __device__ void operator()(size_t i)
    {
        out[i] = from[i].value;
    }
};

template <class T, class Runs, class Out, class Op>
cudaError_t scan_runs(workspace &w, Runs runs, Out out, size_t n, Op op, cudaStream_t stream)
{
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

/* Each run of equal keys becomes one key and op over its values; *count of them. */
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
cudaError_t reduce_runs(workspace &w, Keys keys, Values values, KeysOut keys_out,
                        ValuesOut values_out, Count count, size_t n, Equal equal, Op op,
                        cudaStream_t stream)
{
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

template <class Flags> struct as_count {
    Flags flags;
    __host__ __device__ size_t operator[](size_t i)
    {
        return flags[i] ? 1 : 0;
    }
};
template <class In, class Out> struct put_selected {
    const size_t *sums;
    In in;
    Out out;
    __host__ __device__ void operator()(size_t i)
    {
        const size_t before = i ? sums[i - 1] : 0;
        if (sums[i] != before)
            out[before] = in[i];
    }
};
/* Those not selected: behind the selected ones, or backwards from the end, or elsewhere. */
enum rest { BEHIND, BACKWARDS, ELSEWHERE };
template <class In, class Out> struct put_rest {
    const size_t *sums;
    size_t n;
    rest how;
    In in;
    Out out;
    __host__ __device__ void operator()(size_t i)
    {
        const size_t before = i ? sums[i - 1] : 0;
        if (sums[i] == before)
            out[how == BACKWARDS ? n - 1 - (i - before)
                                 : (how == BEHIND ? sums[n - 1] : 0) + (i - before)] = in[i];
    }
};
template <class Count> struct put_count {
    const size_t *sums;
    size_t n;
    Count count;
    __host__ __device__ void operator()(size_t)
    {
        *count = n ? sums[n - 1] : 0;
    }
};

/* sums[i] becomes the number of flags up to i. */
template <class Flags>
cudaError_t number(workspace &w, Flags flags, size_t *sums, size_t n, cudaStream_t stream)
{
    if (!w.counts())
        copy(as_count<Flags>{flags}, sums, n, stream);
    return scan<false, size_t>(w, sums, sums, n, add(), start_none(), stream);
}

/* What has its flag set, in order; out must not overlap in. */
template <class In, class Flags, class Out, class Count>
cudaError_t select(workspace &w, In in, Flags flags, Out out, Count count, size_t n,
                   cudaStream_t stream)
{
    size_t *sums = w.take<size_t>(n);
    cudaError_t e = number(w, flags, sums, n, stream);
    if (e || w.counts())
        return e;
    each(put_selected<In, Out>{sums, in, out}, n, stream);
    return each(put_count<Count>{sums, n, count}, 1, stream);
}

/* The same, and those without a flag go to others. */
template <class In, class Flags, class Out, class Others, class Count>
cudaError_t partition(workspace &w, In in, Flags flags, Out out, Others others, rest how,
                      Count count, size_t n, cudaStream_t stream)
{
    size_t *sums = w.take<size_t>(n);
    cudaError_t e = number(w, flags, sums, n, stream);
    if (e || w.counts())
        return e;
    each(put_selected<In, Out>{sums, in, out}, n, stream);
    each(put_rest<In, Others>{sums, n, how, in, others}, n, stream);
    return each(put_count<Count>{sums, n, count}, 1, stream);
}

template <class In, class Predicate> struct flags_if {
    In in;
    Predicate predicate;
    __host__ __device__ bool operator[](size_t i)
    {
        return predicate(in[i]);
    }
};
template <class In, class Predicate> struct flags_if_not {
    In in;
    Predicate predicate;
    __host__ __device__ bool operator[](size_t i)
    {
        return !predicate(in[i]);
    }
};
template <class In, class Equal> struct flags_first { /* of a run of equal ones */
    In in;
    Equal equal;
    __host__ __device__ bool operator[](size_t i)
    {
        return i == 0 || !equal(in[i - 1], in[i]);
    }
};

/* ---- sorting by digits ---- */

template <int size> struct unsigned_of;
template <> struct unsigned_of<1> {
    typedef unsigned char type;
};
template <> struct unsigned_of<2> {
    typedef unsigned short type;
};
template <> struct unsigned_of<4> {
    typedef unsigned type;
};
template <> struct unsigned_of<8> {
    typedef unsigned long long type;
};

/* A key as an unsigned number with the same order. */
template <class K> struct key_bits {
    typedef typename unsigned_of<sizeof(K)>::type U;
    __host__ __device__ static U of(const K &k)
    {
        const U top = (U)((U)1 << (sizeof(U) * 8 - 1));
        if constexpr (K(0.5f) != K(0)) { /* floating: −0 is 0, and negative ones are backwards */
            U u;
            memcpy(&u, &k, sizeof u);
            if (u == top)
                u = 0;
            return u & top ? (U)~u : (U)(u | top);
        } else if constexpr (K(-1) < K(1)) {
            return (U)((U)k ^ top);
        } else {
            return (U)k;
        }
    }
};

template <> struct key_bits<bool> {
    __host__ __device__ static unsigned char of(bool k)
    {
        return k;
    }
};

struct digit {
    int shift, bits;
    bool down;
    template <class K> __host__ __device__ unsigned of(const K &k) const
    {
        const unsigned d = (unsigned)(key_bits<K>::of(k) >> shift), mask = (1u << bits) - 1;
        return (down ? ~d : d) & mask;
    }
};

template <class K>
__global__ void count_digits(const K *keys, size_t n, unsigned *counts, digit place)
{
    __shared__ unsigned sums[DIGITS];
    const unsigned t = threadIdx.x;
    if (t < DIGITS)
        sums[t] = 0;
    __syncthreads();
    const size_t start = (size_t)blockIdx.x * (THREADS * SORT_ITEMS);
    for (unsigned k = 0; k < SORT_ITEMS; k++) {
        const size_t i = start + k * THREADS + t;
        if (i < n)
            atomicAdd(&sums[place.of(keys[i])], 1u);
    }
    __syncthreads();
    if (t < DIGITS)
        counts[(size_t)t * gridDim.x + blockIdx.x] = sums[t];
}

struct no_values {
};
template <class V> struct has_values {
    enum { value = 1 };
};
template <> struct has_values<no_values> {
    enum { value = 0 };
};

/* Counters stand digit by digit, and in each thread by thread, so that equal keys keep their
 * order. */
template <class K, class V>
__global__ void put_digits(const K *keys, K *keys_out, const V *values, V *values_out, size_t n,
                           const unsigned *places, digit place)
{
    __shared__ unsigned counters[DIGITS * THREADS], starts[DIGITS];
    __shared__ room<unsigned, THREADS> a, b;
    const unsigned t = threadIdx.x;
    const share mine(n, SORT_ITEMS);
    for (unsigned d = 0; d < DIGITS; d++)
        counters[d * THREADS + t] = 0;
    for (size_t i = mine.first; i < mine.last; i++)
        counters[place.of(keys[i]) * THREADS + t]++;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < DIGITS; k++)
        sum += counters[t * DIGITS + k];
    a[t] = sum;
    scan_room(a, b, THREADS, add());
    sum = t ? a[t - 1] : 0;
    for (unsigned k = 0; k < DIGITS; k++) {
        const unsigned c = counters[t * DIGITS + k];
        counters[t * DIGITS + k] = sum;
        sum += c;
    }
    __syncthreads();
    if (t < DIGITS)
        starts[t] = places[(size_t)t * gridDim.x + blockIdx.x] - counters[t * THREADS];
    __syncthreads();
    for (size_t i = mine.first; i < mine.last; i++) {
        const K k = keys[i];
        const unsigned d = place.of(k), to = starts[d] + counters[d * THREADS + t]++;
        keys_out[to] = k;
        if constexpr (has_values<V>::value)
            values_out[to] = values[i];
    }
}

/* Sorts keys[0], and values[0] beside them, into keys[1] and values[1] or back: *where says which
 * has them in the end. By the bits [from, to) of the key alone; equal keys keep their order. */
template <class K, class V>
cudaError_t sort_digits(workspace &w, K *const keys[2], V *const values[2], size_t n, int from,
                        int to, bool down, int *where, cudaStream_t stream)
{
    const size_t tile = (size_t)THREADS * SORT_ITEMS, tiles = (n + tile - 1) / tile;
    unsigned *counts = w.take<unsigned>(tiles * DIGITS);
    const workspace here = w;
    *where = 0;
    for (int shift = from; n && shift < to; shift += DIGIT_BITS) {
        const digit place = {shift, to - shift < DIGIT_BITS ? to - shift : DIGIT_BITS, down};
        w = here;
        if (!w.counts())
            count_digits<K>
                <<<(unsigned)tiles, THREADS, 0, stream>>>(keys[*where], n, counts, place);
        scan<true, unsigned>(w, counts, counts, tiles * DIGITS, add(), start_value<unsigned>{0},
                             stream);
        if (!w.counts())
            put_digits<K, V><<<(unsigned)tiles, THREADS, 0, stream>>>(
                keys[*where], keys[!*where], values[*where], values[!*where], n, counts, place);
        *where = !*where;
    }
    return w.counts() ? cudaSuccess : cudaPeekAtLastError();
}

/* ---- sorting by comparison: runs of equal length are merged in pairs ---- */

template <class Keys, class K, class Less>
__host__ __device__ size_t lower_place(Keys keys, size_t from, size_t to, const K &k, Less less)
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (less(keys[middle], k))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}
template <class Keys, class K, class Less>
__host__ __device__ size_t upper_place(Keys keys, size_t from, size_t to, const K &k, Less less)
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (less(k, keys[middle]))
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

template <class K, class V, class Less> struct merge_each {
    const K *keys;
    K *keys_out;
    const V *values;
    V *values_out;
    size_t n, width;
    Less less;
    __host__ __device__ void operator()(size_t i)
    {
        const size_t left = i / (2 * width) * (2 * width);
        const size_t right = left + width < n ? left + width : n;
        const size_t end = right + width < n ? right + width : n;
        const size_t to = i < right ? i + (lower_place(keys, right, end, keys[i], less) - right)
                                    : i - right + upper_place(keys, left, right, keys[i], less);
        keys_out[to] = keys[i];
        if constexpr (has_values<V>::value)
            values_out[to] = values[i];
    }
};

template <class K, class V, class Less>
cudaError_t sort_merge(K *const keys[2], V *const values[2], size_t n, Less less, int *where,
                       cudaStream_t stream)
{
    *where = 0;
    for (size_t width = 1; width < n; width *= 2, *where = !*where)
        each(merge_each<K, V, Less>{keys[*where], keys[!*where], values[*where], values[!*where], n,
                                    width, less},
             n, stream);
    return cudaPeekAtLastError();
}
} // namespace tern_parallel
