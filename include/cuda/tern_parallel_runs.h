/* Runs of equal keys, each reduced to one key and one value, or to one key and its length, in one
 * pass over keys that lie in memory. A tile's runs are put side by side in shared memory while the
 * sums of the tiles before it are on their way (tern_parallel_once.h), and go out together. */
#pragma once
#include "tern_parallel_once.h"

namespace tern_parallel
{
template <class K, class T> struct runs_shape {
    enum { wider = sizeof(K) > sizeof(T) ? sizeof(K) : sizeof(T) };
    typedef rows_of<(int)wider> wide;
    enum {
        side = wide::side > 4 ? 4 : (int)wide::side,
        rows = 2,
        items = side * rows,
        row = side * WARP,
        size = items * THREADS,
    };
    __device__ static unsigned first()
    {
        return threadIdx.x / WARP * (WARP * items) + threadIdx.x % WARP * side;
    }
};

/* Which of a thread's elements begin a run: bit r * side + k. The last element before a row is the
 * lane's before, or the row's before. */
template <class Shape, class K, class Equal>
__device__ unsigned heads_of(const K *keys, size_t at, K (*own)[Shape::side], Equal &equal)
{
    const unsigned lane = threadIdx.x % WARP;
    unsigned heads = 0;
#pragma unroll
    for (int r = 0; r < Shape::rows; r++) {
        K previous = lane_below(own[r][Shape::side - 1], 1);
        if (r) {
            const K above = lane_at(own[r ? r - 1 : 0][Shape::side - 1], WARP - 1);
            if (lane == 0)
                previous = above;
        } else if (lane == 0 && at) {
            previous = keys[at - 1];
        }
        const bool first = r == 0 && at == 0;
        heads |= (unsigned)(first || !equal(previous, own[r][0])) << r * Shape::side;
#pragma unroll
        for (int k = 1; k < Shape::side; k++)
            heads |= (unsigned)!equal(own[r][k - 1], own[r][k]) << (r * Shape::side + k);
    }
    return heads;
}

template <class T, class C, class K, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
__global__ void __launch_bounds__(THREADS)
    reduce_runs_once(const K *keys, Values values, KeysOut keys_out, ValuesOut values_out,
                     Count count, size_t n, unsigned *counter, tile_sums<packed_run<T, C>> tiles,
                     Equal equal, Op op)
{
    typedef packed_run<T, C> run;
    typedef runs_shape<K, T> shape;
    constexpr int side = shape::side, rows = shape::rows;
    __shared__ room<K, shape::size> kept;   /* of each run that begins here: its key, */
    __shared__ room<T, shape::size> before; /* and what this tile has of the run before it */
    __shared__ room<run, WARPS> sums;
    __shared__ room<run, 1> carry;
    __shared__ room<run, 1> last; /* of the range: what this tile has up to it */
    __shared__ bool begins;       /* with a run of its own */
    join_packed<T, C, Op> join{op};
    const size_t tile = next_tile(counter), base = tile * shape::size, at = base + shape::first();
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    const bool whole = n - base >= (size_t)shape::size;
    K own[rows][side];
    T value[rows][side];
    if (whole) {
        read_rows<side, rows, shape::row>(keys, at, own);
        read_rows<side, rows, shape::row>(values, at, value);
    } else {
        read_rows<side, rows, shape::row>(keys, at, own, n);
        read_rows<side, rows, shape::row>(values, at, value, n);
    }
    unsigned heads = heads_of<shape>(keys, at < n ? at : n - 1, own, equal);
    run sum[rows][side], lanes[rows], ends[rows]; /* as in scan_once */
#pragma unroll
    for (int r = 0; r < rows; r++)
#pragma unroll
        for (int k = 0; k < side; k++) {
            if (!whole && at + r * shape::row + k >= n)
                heads &= ~(1u << (r * side + k));
            sum[r][k].value = value[r][k];
            sum[r][k].twice = heads >> (r * side + k) & 1 ? 3 : 0;
        }
#pragma unroll
    for (int r = 0; r < rows; r++) {
        scan_row<side>(sum[r], join);
        lanes[r] = sum[r][side - 1];
    }
    scan_lanes<rows>(lanes, join);
    end_rows<rows>(lanes, ends, join);
    if (lane == 0)
        sums[(int)warp] = ends[rows - 1];
    if (t == 0)
        begins = heads & 1;
    __syncthreads();
    run all = sums[0];
    maybe<run> warps_before = {};
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w)
            all = join(all, sums[w]);
        if ((unsigned)w < warp)
            warps_before.then(sums[w], join);
    }
    if (t == 0)
        tiles.publish(tile, all, tile ? OWN : ALL);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        maybe<run> mine = warps_before; /* up to the thread's row */
        if (r)
            mine.then(ends[r ? r - 1 : 0], join);
        if (lane)
            mine.then(lanes[r], join);
#pragma unroll
        for (int k = 0; k < side; k++) {
            maybe<run> upto = mine;
            if (k)
                upto.then(sum[r][k ? k - 1 : 0], join);
            const int place = upto.some ? (int)(upto.sum.twice >> 1) : 0;
            if (heads >> (r * side + k) & 1) {
                kept[place] = own[r][k];
                if (upto.some)
                    before[place] = upto.sum.value;
            }
            if (at + r * shape::row + k == n - 1) {
                mine.then(sum[r][k], join);
                last[0] = mine.sum;
            }
        }
    }
    if (warp == 0 && tile) {
        const run earlier = tiles.template before<impatient>(tile, join);
        if (t == 0) {
            tiles.publish(tile, join(earlier, all), ALL);
            carry[0] = earlier;
        }
    }
    __syncthreads();
    const C earlier = tile ? carry[0].twice >> 1 : 0, here = all.twice >> 1;
    for (C i = t; i < here; i += THREADS) {
        keys_out[earlier + i] = kept[(int)i];
        if (i)
            values_out[earlier + i - 1] = before[(int)i];
        else if (tile)
            values_out[earlier - 1] = begins ? carry[0].value : op(carry[0].value, before[0]);
    }
    if (t == 0 && n - base <= (size_t)shape::size) {
        values_out[earlier + here - 1] =
            here || !tile ? last[0].value : op(carry[0].value, last[0].value);
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
    const size_t size = runs_shape<K, T>::size, tiles = (n + size - 1) / size;
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
template <class K> struct lengths_shape : rows_of<sizeof(K) < 4 ? 4 : (int)sizeof(K)> {
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
    typedef lengths_shape<K> shape;
    constexpr int side = shape::side, rows = shape::rows;
    static_assert(side * WARP < 256 && rows <= 4, "the counts of four rows fit one word");
    __shared__ room<K, shape::size> kept;
    __shared__ unsigned short begins[shape::size];
    __shared__ unsigned sums[WARPS], lasts[WARPS];
    __shared__ room<run_ends<C>, 1> carry;
    const size_t tile = next_tile(counter), base = tile * shape::size, at = base + shape::first();
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP, first = shape::first();
    const unsigned size =
        n - base < (size_t)shape::size ? (unsigned)(n - base) : (unsigned)shape::size;
    K own[rows][side];
    if (size == (unsigned)shape::size)
        read_rows<side, rows, shape::row>(keys, at, own);
    else
        read_rows<side, rows, shape::row>(keys, at, own, n);
    unsigned heads = heads_of<shape>(keys, at < n ? at : n - 1, own, equal);
    unsigned counts = 0, last = 0; /* bytes with the number in each row; 1 + the last head */
#pragma unroll
    for (int r = 0; r < rows; r++)
#pragma unroll
        for (int k = 0; k < side; k++) {
            const unsigned i = first + r * shape::row + k;
            if (i >= size)
                heads &= ~(1u << (r * side + k));
            else if (heads >> (r * side + k) & 1) {
                counts += 1u << 8 * r;
                last = i + 1;
            }
        }
    unsigned upto = counts;
#pragma unroll
    for (unsigned d = 1; d < WARP; d *= 2) {
        const unsigned earlier = __shfl_up_sync(~0u, upto, d),
                       other = __shfl_xor_sync(~0u, last, d);
        if (lane >= d)
            upto += earlier;
        last = other > last ? other : last;
    }
    const unsigned whole_rows = __shfl_sync(~0u, upto, WARP - 1);
    upto -= counts;
    if (lane == 0) {
        unsigned sum = 0;
#pragma unroll
        for (int r = 0; r < rows; r++)
            sum += whole_rows >> 8 * r & 255;
        sums[warp] = sum;
        lasts[warp] = last;
    }
    __syncthreads();
    unsigned place = 0, here = 0,
             end = 0; /* runs before the warp, in the tile; 1 + its last head */
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++) {
        place += w < warp ? sums[w] : 0;
        here += sums[w];
        end = lasts[w] ? lasts[w] : end;
    }
    const run_ends<C> mine = {(C)here, end ? (C)(base + end) : (C)0};
    if (t == 0)
        tiles.publish(tile, mine, tile ? OWN : ALL);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        unsigned to = place + (upto >> 8 * r & 255);
#pragma unroll
        for (int k = 0; k < side; k++)
            if (heads >> (r * side + k) & 1) {
                begins[to] = (unsigned short)(first + r * shape::row + k);
                kept[(int)to++] = own[r][k];
            }
        place += whole_rows >> 8 * r & 255;
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
    const size_t size = lengths_shape<K>::size, tiles = (n + size - 1) / size;
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
