/* Runs of equal keys, each reduced to one key and one value, or to one key and its length, in one
 * pass over keys that lie in memory. A tile's runs are put side by side in shared memory while the
 * sums of the tiles before it are on their way (tern_parallel_once.h), and go out together. */
#pragma once
#include "tern_parallel_once.h"

namespace tern_parallel
{
template <int element> struct runs_shape : rows_of < element<4 ? 4 : element> {
};

/* Which of a thread's elements begin a run: bit r * side + k. The last element before a row is the
 * lane's before, or the row's before; `before` is the one before the warp's first row, for lane 0.
 */
template <class Shape, class K, class Equal>
__device__ unsigned heads_of(size_t at, const K &before, K (*own)[Shape::side], Equal &equal)
{
    const unsigned lane = threadIdx.x % WARP;
    unsigned heads = 0;
#pragma unroll
    for (int r = 0; r < Shape::rows; r++) {
        K previous = lane_below(own[r][Shape::side - 1], 1);
        const K above = r ? lane_at(own[r ? r - 1 : 0][Shape::side - 1], WARP - 1) : before;
        if (lane == 0)
            previous = above;
        heads |= (unsigned)!equal(previous, own[r][0]) << r * Shape::side;
#pragma unroll
        for (int k = 1; k < Shape::side; k++)
            heads |= (unsigned)!equal(own[r][k - 1], own[r][k]) << (r * Shape::side + k);
    }
    return at ? heads : heads | 1;
}
/* Those of a thread's elements that lie in the range, `left` after its first and with it. */
template <class Shape> __device__ unsigned in_range(size_t at, size_t n)
{
    unsigned in = 0;
#pragma unroll
    for (int r = 0; r < Shape::rows; r++)
#pragma unroll
        for (int k = 0; k < Shape::side; k++)
            if (at + r * Shape::row + k < n)
                in |= 1u << (r * Shape::side + k);
    return in;
}

/* The last run of each row of a warp, summed from its head on, or from where the row begins. */
template <class Shape, class T> struct row_tails {
    enum { side = Shape::side, rows = Shape::rows };
    T lanes[rows], ends[rows]; /* up to the lane before, in its row; of the whole row */
    unsigned begun;            /* bit r: does a run begin before the lane in row r? */
    unsigned begin;            /* ... in row r at all? */

    template <class Op> __device__ void sum(T (*values)[side], unsigned heads, Op &op)
    {
        const unsigned lane = threadIdx.x % WARP;
        unsigned from[rows]; /* the lane where what lanes[r] sums up begins */
        begun = begin = 0;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            T own = values[r][0];
#pragma unroll
            for (int k = 1; k < side; k++)
                own = heads >> (r * side + k) & 1 ? values[r][k] : op(own, values[r][k]);
            lanes[r] = own;
            const unsigned with = __ballot_sync(~0u, heads >> r * side & ((1u << side) - 1)),
                           upto = with & ((2u << lane) - 1);
            from[r] = upto ? 31 - (unsigned)__clz((int)upto) : 0;
            begin |= (with ? 1u : 0u) << r;
            begun |= (with & ((1u << lane) - 1) ? 1u : 0u) << r;
        }
#pragma unroll
        for (unsigned d = 1; d < WARP; d *= 2)
#pragma unroll
            for (int r = 0; r < rows; r++) {
                const T earlier = lane_below(lanes[r], d);
                if (lane >= from[r] + d)
                    lanes[r] = op(earlier, lanes[r]);
            }
#pragma unroll
        for (int r = 0; r < rows; r++) {
            ends[r] = lane_at(lanes[r], WARP - 1);
            lanes[r] = lane_below(lanes[r], 1);
        }
    }
    /* What there is behind row r, after `before`. */
    template <class Op> __device__ T behind(int r, const T &before, Op &op) const
    {
        return begin >> r & 1 ? ends[r] : op(before, ends[r]);
    }
    /* What there is before the lane's elements in row r. */
    template <class Op> __device__ T at_lane(int r, const T &before, Op &op) const
    {
        if (threadIdx.x % WARP == 0)
            return before;
        return begun >> r & 1 ? lanes[r] : op(before, lanes[r]);
    }
};

/* Elements past the end begin runs of their own, so that the last run ends like the others; nobody
 * sees those. */
template <class T, class C, class K, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
__global__ void __launch_bounds__(THREADS, 4)
    reduce_runs_once(const K *keys, Values values, KeysOut keys_out, ValuesOut values_out,
                     Count count, size_t n, unsigned *counter, tile_sums<packed_run<T, C>> tiles,
                     Equal equal, Op op)
{
    typedef packed_run<T, C> run;
    typedef runs_shape<(int)(sizeof(K) > sizeof(T) ? sizeof(K) : sizeof(T))> shape;
    constexpr int side = shape::side, rows = shape::rows;
    __shared__ room<K, shape::size> kept;  /* of each run that begins here: its key, */
    __shared__ room<T, shape::size> ended; /* and what this tile has of the run before it */
    __shared__ room<run, WARPS> sums;
    __shared__ room<run, 1> carry;
    __shared__ bool begins; /* with a run of its own */
    join_packed<T, C, Op> join{op};
    const size_t tile = next_tile(counter), base = tile * shape::size, at = base + shape::first();
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    const bool whole = n - base >= (size_t)shape::size;
    const size_t edge = at < n ? at : n - 1;
    const K key_before = keys[edge ? edge - 1 : 0]; /* lane 0's is used */
    K own[rows][side];
    T value[rows][side];
    if (whole) {
        read_rows<side, rows, shape::row>(keys, at, own);
        read_rows<side, rows, shape::row>(values, at, value);
    } else {
        read_rows<side, rows, shape::row>(keys, at, own, n);
        read_rows<side, rows, shape::row>(values, at, value, n);
    }
    unsigned heads = heads_of<shape>(at, key_before, own, equal);
    if (!whole)
        heads |= ~in_range<shape>(at, n);
    const row_counts counts = count_marks<shape>(heads);
    row_tails<shape, T> tails;
    tails.sum(value, heads, op);
    T tail = tails.ends[0];
#pragma unroll
    for (int r = 1; r < rows; r++)
        tail = tails.behind(r, tail, op);
    if (lane == 0)
        sums[(int)warp] = run{tail, (C)(2 * counts.of_warp() + (tails.begin ? 1 : 0))};
    if (t == 0)
        begins = heads & 1;
    __syncthreads();
    run all = sums[0], upto = all; /* of the tile; of the warps before */
#pragma unroll
    for (int w = 1; w < WARPS; w++) {
        if ((unsigned)w == warp)
            upto = all;
        all = join(all, sums[w]);
    }
    if (t == 0)
        tiles.publish(tile, all, tile ? OWN : ALL);
    unsigned place = warp ? (unsigned)(upto.twice >> 1) : 0;
    T before = upto.value;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const bool some = r || warp; /* is there anything before the row? */
        T sum = some ? tails.at_lane(r, before, op) : tails.lanes[r];
        unsigned to = place + counts.before(r);
#pragma unroll
        for (int k = 0; k < side; k++) {
            if (heads >> (r * side + k) & 1) {
                ended[(int)to] = sum;
                kept[(int)to++] = own[r][k];
                sum = value[r][k];
            } else if (k || some || lane)
                sum = op(sum, value[r][k]);
            else
                sum = value[r][k];
        }
        before = some ? tails.behind(r, before, op) : tails.ends[r];
        place += counts.of_row(r);
    }
    if (warp == 0 && tile) {
        const run earlier = tiles.template before<patient>(tile, join);
        if (t == 0) {
            tiles.publish(tile, join(earlier, all), ALL);
            carry[0] = earlier;
        }
    }
    __syncthreads();
    const unsigned past = whole ? 0 : (unsigned)(base + shape::size - n),
                   here = (unsigned)(all.twice >> 1) - past;
    const C earlier = tile ? carry[0].twice >> 1 : 0;
    for (unsigned i = t; i < here; i += THREADS) {
        keys_out[earlier + i] = kept[(int)i];
        if (i)
            values_out[earlier + i - 1] = ended[(int)i];
    }
    if (t)
        return;
    /* The run that goes on from the tile before, and the last of all. */
    const bool last = n - base <= (size_t)shape::size;
    if (tile && (here || last)) {
        const T open = carry[0].value, rest = here || past ? ended[0] : all.value;
        values_out[earlier - 1] = begins ? open : op(open, rest);
    }
    if (last) {
        if (here)
            values_out[earlier + here - 1] = past ? (T)ended[(int)here] : all.value;
        *count = earlier + here;
    }
}

template <class T, class C, class K, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
cudaError_t reduce_runs_into(workspace &w, const K *keys, Values values, KeysOut keys_out,
                             ValuesOut values_out, Count count, size_t n, Equal equal, Op op,
                             cudaStream_t stream)
{
    typedef tile_sums<packed_run<T, C>> sums;
    const size_t size = runs_shape<(int)(sizeof(K) > sizeof(T) ? sizeof(K) : sizeof(T))>::size,
                 tiles = (n + size - 1) / size;
    const size_t bytes = 256 + sums::bytes(tiles);
    char *memory = w.take<char>(bytes);
    if (w.counts())
        return cudaSuccess;
    const cudaError_t e = cudaMemsetAsync(memory, 0, bytes, stream);
    if (e)
        return e;
    reduce_runs_once<T, C><<<(unsigned)tiles, THREADS, 0, stream>>>(
        keys, values, keys_out, values_out, count, n, (unsigned *)memory,
        sums{(unsigned long long *)(memory + 256)}, equal, op);
    return cudaPeekAtLastError();
}

/* ---- lengths: where runs begin is all that they need ---- */

template <class C> struct run_ends {
    C count, last; /* runs; 1 + where the last of them begins, 0: there is none */
};
template <class C> struct join_ends {
    __device__ run_ends<C> operator()(const run_ends<C> &a, const run_ends<C> &b) const
    {
        return run_ends<C>{(C)(a.count + b.count), b.last ? b.last : a.last};
    }
};
template <class Keys> struct has_lengths_once {
    enum { value = !CHUNKS_ONLY && is_plain_memory<Keys>::value && pointed<Keys>::bytes <= 8 };
};

/* As select_once, of the keys that begin a run. A run that goes on behind its tile has its length
 * from the tile where the next one begins. */
template <class C, class K, class KeysOut, class Lengths, class Count, class Equal>
__global__ void __launch_bounds__(THREADS)
    measure_runs_once(const K *keys, KeysOut keys_out, Lengths lengths, Count count, size_t n,
                      unsigned *counter, tile_sums<run_ends<C>> tiles, Equal equal)
{
    typedef runs_shape<(int)sizeof(K)> shape;
    constexpr int side = shape::side, rows = shape::rows;
    __shared__ room<K, shape::size> kept;
    __shared__ unsigned short begins[shape::size];
    __shared__ unsigned sums[WARPS], lasts[WARPS];
    __shared__ room<run_ends<C>, 1> carry;
    const size_t tile = next_tile(counter), base = tile * shape::size, at = base + shape::first();
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP, first = shape::first();
    const bool whole = n - base >= (size_t)shape::size;
    const size_t edge = at < n ? at : n - 1;
    const K key_before = keys[edge ? edge - 1 : 0]; /* lane 0's is used */
    K own[rows][side];
    if (whole)
        read_rows<side, rows, shape::row>(keys, at, own);
    else
        read_rows<side, rows, shape::row>(keys, at, own, n);
    unsigned heads = heads_of<shape>(at, key_before, own, equal);
    if (!whole)
        heads &= in_range<shape>(at, n);
    const row_counts counts = count_marks<shape>(heads);
    const unsigned bit = 31 - (unsigned)__clz((int)heads);
    unsigned last =
        heads ? first + bit / side * shape::row + bit % side + 1 : 0; /* 1 + its place */
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2) {
        const unsigned other = __shfl_xor_sync(~0u, last, d);
        last = other > last ? other : last;
    }
    if (lane == 0) {
        sums[warp] = counts.of_warp();
        lasts[warp] = last;
    }
    __syncthreads();
    const warp_counts counted = sum_warps(sums);
    const unsigned here = counted.all;
    unsigned place = counted.before, end = 0; /* 1 + where the tile's last run begins */
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++)
        end = lasts[w] > end ? lasts[w] : end;
    const run_ends<C> mine = {(C)here, end ? (C)(base + end) : (C)0};
    if (t == 0)
        tiles.publish(tile, mine, tile ? OWN : ALL);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        unsigned to = place + counts.before(r);
#pragma unroll
        for (int k = 0; k < side; k++)
            if (heads >> (r * side + k) & 1) {
                begins[to] = (unsigned short)(first + r * shape::row + k);
                kept[(int)to++] = own[r][k];
            }
        place += counts.of_row(r);
    }
    if (warp == 0 && tile) {
        join_ends<C> join;
        const run_ends<C> before = tiles.template before<patient>(tile, join);
        if (t == 0) {
            tiles.publish(tile, join(before, mine), ALL);
            carry[0] = before;
        }
    }
    __syncthreads();
    const size_t earlier = tile ? carry[0].count : 0, open = tile ? carry[0].last : 0;
    for (unsigned i = t; i < here; i += THREADS) {
        keys_out[earlier + i] = kept[(int)i];
        if (i + 1 < here)
            lengths[earlier + i] = begins[i + 1] - begins[i];
    }
    if (t == 0 && here && earlier)
        lengths[earlier - 1] = base + begins[0] + 1 - open;
    if (t == 0 && n - base <= (size_t)shape::size) {
        lengths[earlier + here - 1] = n + 1 - (end ? base + end : open);
        *count = earlier + here;
    }
}

template <class C, class K, class KeysOut, class Lengths, class Count, class Equal>
cudaError_t measure_runs_by(workspace &w, const K *keys, KeysOut keys_out, Lengths lengths,
                            Count count, size_t n, Equal equal, cudaStream_t stream)
{
    typedef tile_sums<run_ends<C>> sums;
    const size_t size = runs_shape<(int)sizeof(K)>::size, tiles = (n + size - 1) / size;
    const size_t bytes = 256 + sums::bytes(tiles);
    char *memory = w.take<char>(bytes);
    if (w.counts())
        return cudaSuccess;
    if (!n)
        return each(put_none<Count>{count}, 1, stream);
    const cudaError_t e = cudaMemsetAsync(memory, 0, bytes, stream);
    if (e)
        return e;
    measure_runs_once<C><<<(unsigned)tiles, THREADS, 0, stream>>>(
        keys, keys_out, lengths, count, n, (unsigned *)memory,
        sums{(unsigned long long *)(memory + 256)}, equal);
    return cudaPeekAtLastError();
}
/* Each run of equal keys becomes one key and its length; only where blocks progress. */
template <class K, class KeysOut, class Lengths, class Count, class Equal>
cudaError_t measure_runs(workspace &w, const K *keys, KeysOut keys_out, Lengths lengths,
                         Count count, size_t n, Equal equal, cudaStream_t stream)
{
    return n < 1ull << 31
               ? measure_runs_by<unsigned>(w, keys, keys_out, lengths, count, n, equal, stream)
               : measure_runs_by<unsigned long long>(w, keys, keys_out, lengths, count, n, equal,
                                                     stream);
}
} // namespace tern_parallel
