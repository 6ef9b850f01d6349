/* Products on Hopper's matrix instructions (see wgmma.h) with operands that have tensor maps: the copy engine brings tiles, told so by one
 * thread of the last warps; two groups of four warps multiply, 64 columns of a tile each, or tiles of their own in turn. Blocks stay, and go from tile to tile of the result: the next tile's
 * operands come while the last one's sums are stored.
 *
 * Each stage of shared memory has two barriers: `full` when its bytes are there, `empty` when both groups have multiplied with them. */
#pragma once
#include "device/blas/wgmma.h"
#include "cuda.h"

enum { MAPPED_THREADS = 384, MAPPED_GROUP = 8 };

__device__ inline void barrier_init(unsigned at, int arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory"); }
__device__ inline void barrier_expect(unsigned at, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}
__device__ inline void barrier_arrive(unsigned at) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory"); }
__device__ inline void barrier_wait(unsigned at, int parity)
{
    unsigned done;
    do
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(at), "r"(parity) : "memory");
    while (!done);
}
/* So many bytes, as they lie; addresses and their number are multiples of 16. */
__device__ inline void barrier_copy(unsigned to_, const void *from, int bytes, unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to_), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
__device__ inline void bring_box(unsigned to_, const CUtensorMap *map, unsigned barrier, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to_), "l"(map), "r"(barrier), "r"(x),
                 "r"(y), "r"(z)
                 : "memory");
}

/* Rows that lie in a tile for so many of an operand: where k is across, panels are whole. */
__host__ __device__ constexpr int mapped_lines(int rows, bool along) { return along ? rows : (rows + 63) / 64 * 64; }

/* LINES rows of an operand from row r on, 128 bytes of k from k0 on. */
template <class T, int LINES, bool ALONG> __device__ inline void bring_mapped(unsigned to_, const CUtensorMap *map, unsigned barrier, int r, int k0, int z)
{
    if (ALONG) {
        bring_box(to_, map, barrier, k0, r, z);
        return;
    }
#pragma unroll
    for (int q = 0; q < mapped_lines(LINES, false) / 64; q++)
        bring_box(to_ + q * 64 * WGMMA_DEPTH, map, barrier, r + q * 64, k0, z);
}

/* Which tile of the result: those that run together share columns and rows, MAPPED_GROUP rows of tiles at a time. */
struct mapped_tile {
    int i, j, z;
};
__device__ inline mapped_tile mapped_at(unsigned tile, unsigned tiles_m, unsigned tiles_n)
{
    mapped_tile t;
    const unsigned each = tiles_m * tiles_n, in = tile % each, row = in / (MAPPED_GROUP * tiles_n) * MAPPED_GROUP, rest = in - row * tiles_n;
    const unsigned height = tiles_m - row < MAPPED_GROUP ? tiles_m - row : MAPPED_GROUP;
    t.z = (int)(tile / each);
    t.i = (int)(row + rest % height);
    t.j = (int)(rest / height);
    return t;
}

/* Two neighbours of a column of the result as they are stored, in a word or two. */
template <class C> union mapped_pair {
    C each[2];
    unsigned words[sizeof(C) / 2];
    __device__ mapped_pair() {}
};

/* Four threads side by side have four words each, word c of thread t: gives thread t word t of thread c. All of the warp is here: shuffles
 * among lanes that are not known before cost a search for them each. */
__device__ inline void turn_words(unsigned *x, int t)
{
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int step = k / 2 + 1, a = k < 2 ? k * 2 : k - 2, b = a + step;
        const bool high = (t & step) != 0;
        const unsigned y = __shfl_xor_sync(0xffffffff, high ? x[a] : x[b], step);
        x[a] = high ? y : x[a];
        x[b] = high ? x[b] : y;
    }
}

/* Of 32 rows of a column, the first `rows` of which are there (a multiple of 8), a thread of four has two of each eight: pairs, eight rows apart.
 * In memory each of the four takes 8 rows of 2 bytes at once, or pairs of 4 bytes. */
template <class C> __device__ __forceinline__ uint4 whole_eight(const C *p, int rows)
{
    const int t = threadIdx.x & 3;
    return t * 8 < rows ? *(const uint4 *)(p + t * 8) : make_uint4(0, 0, 0, 0);
}
template <class C> __device__ __forceinline__ void split_eight(C (&out)[8], const uint4 &all)
{
    mapped_pair<C> pair;
    unsigned x[4] = {all.x, all.y, all.z, all.w};
    turn_words(x, threadIdx.x & 3);
#pragma unroll
    for (int q = 0; q < 4; q++) {
        pair.words[0] = x[q];
        out[q * 2] = pair.each[0];
        out[q * 2 + 1] = pair.each[1];
    }
}
template <class C> __device__ __forceinline__ void read_eight(C (&out)[8], const C *p, int rows)
{
    if (sizeof(C) == 2) {
        split_eight(out, whole_eight(p, rows));
        return;
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        mapped_pair<C> pair;
        uint2 two = make_uint2(0, 0);
        if (q * 8 < rows)
            two = *(const uint2 *)(p + q * 8 + (threadIdx.x & 3) * 2);
        pair.words[0] = two.x;
        pair.words[sizeof(C) / 2 - 1] = two.y;
        out[q * 2] = pair.each[0];
        out[q * 2 + 1] = pair.each[1];
    }
}
template <class C, class S> __device__ __forceinline__ void write_eight(C *p, const S (&v)[8], int rows)
{
    const int t = threadIdx.x & 3;
    mapped_pair<C> pair[4];
#pragma unroll
    for (int q = 0; q < 8; q++)
        pair[q / 2].each[q % 2] = to<C>(v[q]);
    if (sizeof(C) == 2) {
        unsigned x[4] = {pair[0].words[0], pair[1].words[0], pair[2].words[0], pair[3].words[0]};
        turn_words(x, t);
        if (t * 8 < rows)
            *(uint4 *)(p + t * 8) = make_uint4(x[0], x[1], x[2], x[3]);
    } else {
#pragma unroll
        for (int q = 0; q < 4; q++)
            if (q * 8 < rows)
                *(uint2 *)(p + q * 8 + t * 2) = make_uint2(pair[q].words[0], pair[q].words[sizeof(C) / 2 - 1]);
    }
}

/* A thread's part of one column of the result, ROWS rows from d and c on, of which `rows` are there: as many as of the tile, or none. WIDE:
 * pieces of 16 bytes may be read and written. There is an element at `any`. */
template <class C, class X, class S, int ROWS>
__device__ __forceinline__ void store_column(C *d, const C *c, const C *any, const X *sums, S alpha, S beta, int rows, int tile_rows, bool wide)
{
    const int t = threadIdx.x & 3;
    const bool reads = !is_zero(beta); /* what is there may be no number */
#pragma unroll
    for (int b = 0; b < ROWS / 32; b++) {
        const bool whole = wide && tile_rows >= b * 32 + 32; /* the same for all of a warp */
        S v[8];
        C old[8];
#pragma unroll
        for (int q = 0; q < 8; q++)
            v[q] = mul(alpha, to<S>(sums[(b * 4 + q / 2) * 4 + q % 2]));
        if (reads) {
            if (whole) {
                read_eight(old, c + b * 32, rows - b * 32);
            } else {
#pragma unroll
                for (int q = 0; q < 8; q++) {
                    const int r = b * 32 + t * 2 + q / 2 * 8 + q % 2;
                    old[q] = *(r < rows ? c + r : any);
                }
            }
#pragma unroll
            for (int q = 0; q < 8; q++)
                mad(v[q], beta, to<S>(old[q]));
        }
        if (whole) {
            write_eight(d + b * 32, v, rows - b * 32);
        } else {
#pragma unroll
            for (int q = 0; q < 8; q++) {
                const int r = b * 32 + t * 2 + q / 2 * 8 + q % 2;
                if (r < rows)
                    d[r] = to<C>(v[q]);
            }
        }
    }
}

/* What follows a product, where everything may be read and written in pieces of 16 bytes, of 8 rows each. */
struct mapped_after {
    float alpha, beta, last; /* with the scales of A and B, of C; of D */
    const void *bias;        /* of the tile's first row, in pairs */
    void *aux;               /* of the tile's first row of the column */
    int aux_out;
};

/* Bits that say which of 32 rows were positive, as they lie in memory: a byte for eight rows, which four threads make together. */
__device__ __forceinline__ void write_bits(unsigned char *to_, const float (&v)[8], int rows)
{
    const int t = threadIdx.x & 3;
    unsigned bits = 0;
#pragma unroll
    for (int q = 0; q < 8; q++)
        bits |= (v[q] > 0.f ? 1u : 0u) << (q / 2 * 8 + t * 2 + q % 2);
    bits |= __shfl_xor_sync(0xffffffff, bits, 1);
    bits |= __shfl_xor_sync(0xffffffff, bits, 2);
    if (t * 8 < rows)
        to_[t] = (unsigned char)(bits >> t * 8);
}
__device__ __forceinline__ void keep_bits(float (&v)[8], const unsigned char *from, int rows)
{
#pragma unroll
    for (int q = 0; q < 8; q++)
        if (q / 2 * 8 < rows)
            v[q] = from[q / 2] >> ((threadIdx.x & 3) * 2 + q % 2) & 1 ? v[q] : 0.f;
}

template <class C, int BIAS> __device__ __forceinline__ void read_bias(float (&two)[2], const void *bias, int r)
{
    if (BIAS == 2 || sizeof(C) == 4) {
        const float2 f = *(const float2 *)((const float *)bias + r);
        two[0] = f.x;
        two[1] = f.y;
        return;
    }
    mapped_pair<C> pair;
    pair.words[0] = *(const unsigned *)((const C *)bias + r);
    two[0] = to<float>(pair.each[0]);
    two[1] = to<float>(pair.each[1]);
}

/* What GELU's gradient reads of a thread's two columns of a tile: on its way while the tile is multiplied, if it has 16 bits. */
template <class C, int ROWS, int ACTIVATION> struct mapped_ahead {
    static constexpr bool used = ACTIVATION == BLAS_DGELU && sizeof(C) == 2 && ROWS < 256; /* of more there are no registers */
    uint4 of[used ? 2 : 1][used ? ROWS / 32 : 1];
    __device__ __forceinline__ void look(int column, const C *from, int rows)
    {
        if (used)
#pragma unroll
            for (int b = 0; b < (used ? ROWS / 32 : 1); b++)
                of[used ? column : 0][b] = whole_eight(from + b * 32, rows - b * 32);
    }
    __device__ __forceinline__ void give(C (&out)[8], int column, const C *from, int b, int rows) const
    {
        if (used)
            split_eight(out, of[used ? column : 0][used ? b : 0]);
        else
            read_eight(out, from + b * 32, rows);
    }
};

/* As store_column, with what follows. ACTIVATION as in product.h; BIAS: of type C (1), float (2). */
template <class C, class X, int ROWS, int ACTIVATION, int BIAS>
__device__ __forceinline__ void finish_column(C *d, const C *c, const X *sums, const mapped_after &e, int rows, const mapped_ahead<C, ROWS, ACTIVATION> &ahead, int column)
{
    const int t = threadIdx.x & 3;
    C old[8];
#pragma unroll
    for (int b = 0; b < ROWS / 32; b++) {
        const int left = rows - b * 32;
        float v[8];
#pragma unroll
        for (int q = 0; q < 8; q++)
            v[q] = e.alpha * to<float>(sums[(b * 4 + q / 2) * 4 + q % 2]);
        if (e.beta != 0.f) {
            read_eight(old, c + b * 32, left);
#pragma unroll
            for (int q = 0; q < 8; q++)
                v[q] += e.beta * to<float>(old[q]);
        }
        if (BIAS) {
#pragma unroll
            for (int q = 0; q < 4; q++) {
                float two[2];
                read_bias<C, BIAS>(two, e.bias, (q * 8 < left) * (b * 32 + q * 8 + t * 2)); /* the tile's first is there */
                v[q * 2] += two[0];
                v[q * 2 + 1] += two[1];
            }
        }
        if (ACTIVATION == BLAS_RELU) {
            if (e.aux_out)
                write_bits((unsigned char *)e.aux + b * 4, v, left);
#pragma unroll
            for (int q = 0; q < 8; q++)
                v[q] = v[q] > 0.f ? v[q] : v[q] != v[q] ? v[q] : 0.f;
        } else if (ACTIVATION == BLAS_GELU) {
            if (e.aux_out)
                write_eight((C *)e.aux + b * 32, v, left);
#pragma unroll
            for (int q = 0; q < 8; q++)
                v[q] = gelu(v[q]);
        } else if (ACTIVATION == BLAS_DRELU) {
            keep_bits(v, (const unsigned char *)e.aux + b * 4, left);
        } else if (ACTIVATION == BLAS_DGELU) {
            ahead.give(old, column, (const C *)e.aux, b, left);
#pragma unroll
            for (int q = 0; q < 8; q++)
                v[q] *= gelu_slope(to<float>(old[q]));
        }
#pragma unroll
        for (int q = 0; q < 8; q++)
            v[q] *= e.last;
        write_eight(d + b * 32, v, left);
    }
}

__device__ inline mapped_after after_product(const blas_epilogue &e, float alpha, float beta)
{
    mapped_after a;
    a.alpha = alpha * (e.a_scale ? *e.a_scale : 1.f) * (e.b_scale ? *e.b_scale : 1.f);
    a.beta = beta * (e.c_scale ? *e.c_scale : 1.f);
    a.last = e.d_scale ? *e.d_scale : 1.f;
    a.bias = e.bias;
    a.aux = e.aux;
    a.aux_out = e.aux_out;
    return a;
}

__device__ inline unsigned word_of(float x) { return __float_as_uint(x); }
__device__ inline unsigned word_of(int x) { return (unsigned)x; }
template <class X> __device__ inline X of_word(unsigned x);
template <> __device__ inline float of_word<float>(unsigned x) { return __uint_as_float(x); }
template <> __device__ inline int of_word<int>(unsigned x) { return (int)x; }

/* Where a group of warps is in the ring of stages. */
struct mapped_place {
    int stage, parity;
};
template <int STAGES> __device__ __forceinline__ void mapped_advance(mapped_place &at, int steps)
{
    at.stage += steps;
    at.parity ^= at.stage / STAGES & 1;
    at.stage %= STAGES;
}

/* What a block multiplies, one after the other: its share of the steps of tiles that are shared out, which it may enter and leave amid k;
 * then whole tiles. Shares are cut so that all blocks have as many steps, give or take one. */
struct mapped_part {
    unsigned tile;
    int first, end; /* steps */
};
struct mapped_walk {
    unsigned whole, next;
    unsigned long long steps, all, at, end; /* of a tile, of all that are shared, of this block's share */
};
__device__ inline unsigned long long mapped_share(unsigned long long all, unsigned block) { return all * block / gridDim.x; }
__device__ inline mapped_walk mapped_begin(const blas_deal &deal, unsigned tiles, int steps)
{
    mapped_walk w;
    w.whole = steps ? (unsigned)deal.whole : tiles; /* nothing to share */
    w.next = blockIdx.x;
    w.steps = steps;
    w.all = (unsigned long long)(tiles - w.whole) * steps;
    w.at = w.all ? mapped_share(w.all, blockIdx.x) : 0;
    w.end = w.all ? mapped_share(w.all, blockIdx.x + 1) : 0;
    return w;
}
__device__ inline bool mapped_next(mapped_walk &w, mapped_part &part)
{
    if (w.at < w.end) {
        const unsigned tile = (unsigned)(w.at / w.steps);
        part.first = (int)(w.at - tile * w.steps);
        part.end = (int)(w.end - tile * w.steps < w.steps ? w.end - tile * w.steps : w.steps);
        part.tile = w.whole + tile;
        w.at += part.end - part.first;
        return true;
    }
    part.tile = w.next;
    part.first = 0;
    part.end = (int)w.steps;
    w.next += gridDim.x;
    return part.tile < w.whole;
}

/* The sums of a part of a tile's k are kept, and whichever block's come last adds those of all parts up, in their order: no block awaits
 * another. True: it is this one, and `sum` is of all of k. A block has at most two such parts: of a tile it is not first in, of one it is. */
template <class X, int N> __device__ __forceinline__ bool mapped_meet(X (&sum)[N], const blas_deal &deal, const mapped_walk &w, unsigned tile, unsigned *came)
{
    const int thread = threadIdx.x, group = thread / 128;
    const unsigned long long begin = (tile - w.whole) * w.steps;
    const unsigned first = (unsigned)(((begin + 1) * gridDim.x - 1) / w.all), last = (unsigned)(((begin + w.steps) * gridDim.x - 1) / w.all);
    X *const sums = (X *)deal.sums;
    const int each = N * 256, own = 2 * blockIdx.x + (mapped_share(w.all, blockIdx.x) <= begin);
#pragma unroll
    for (int k = 0; k < N; k += 4)
        *(uint4 *)(sums + (long long)own * each + k * 256 + thread * 4) = make_uint4(word_of(sum[k]), word_of(sum[k + 1]), word_of(sum[k + 2]), word_of(sum[k + 3]));
    __threadfence();
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    if (thread % 128 == 0)
        came[group] = atomicAdd(deal.arrived + 2 * (tile - w.whole) + group, 1u);
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
    if (came[group] < last - first)
        return false;
    __threadfence();
    clear_sums(sum);
    for (unsigned b = first; b <= last; b++) {
        const X *from = sums + (long long)(2 * b + (mapped_share(w.all, b) <= begin)) * each + thread * 4;
#pragma unroll
        for (int k = 0; k < N; k += 4) {
            const uint4 four = __ldcg((const uint4 *)(from + k * 256));
            sum[k] += of_word<X>(four.x);
            sum[k + 1] += of_word<X>(four.y);
            sum[k + 2] += of_word<X>(four.z);
            sum[k + 3] += of_word<X>(four.w);
        }
    }
    return true;
}

/* Which part of a tile a thread's sums of 64 columns, from `own` on, are: two columns, eight apart. */
template <int ROWS> struct mapped_spot {
    long long i, j;
    int rows, cols; /* that are there */
    __device__ __forceinline__ mapped_spot(const blas_product &p, const mapped_tile &at, int own)
    {
        i = (long long)at.i * ROWS;
        j = (long long)at.j * WGMMA_COLS + own + (threadIdx.x >> 5 & 3) * 16 + (threadIdx.x & 31) / 4;
        rows = p.m - i < ROWS ? (int)(p.m - i) : ROWS;
        cols = j + 8 < p.n ? 2 : j < p.n ? 1 : 0;
    }
    __device__ __forceinline__ int rows_of(int column) const { return column < cols ? rows : 0; }
    /* What an epilogue keeps or reads of a column: `per` bytes for 8 rows. */
    __device__ __forceinline__ char *aux(const blas_product &p, const mapped_tile &at, int column, int per) const
    {
        return (char *)p.e.aux + (i + p.e.aux_stride * at.z + (j + column * 8) * p.e.aux_ld) / 8 * per;
    }
};
template <class C, int ROWS, int ACTIVATION>
__device__ __forceinline__ void mapped_look(mapped_ahead<C, ROWS, ACTIVATION> &ahead, const blas_product &p, const mapped_tile &at, int own)
{
    if (!ahead.used)
        return;
    const mapped_spot<ROWS> spot(p, at, own);
#pragma unroll
    for (int column = 0; column < 2; column++)
        ahead.look(column, (const C *)spot.aux(p, at, column, 8 * (int)sizeof(C)), spot.rows_of(column));
}

/* The sums of 64 columns of a tile, from `own` on, to where they belong, with what follows. */
template <class C, class X, class S, int ROWS, int AFTER, int BIAS>
__device__ __forceinline__ void mapped_finish(const blas_product &p, const mapped_tile &at, const X (&sum)[ROWS / 2], int own, S alpha, S beta,
                                              const mapped_ahead<C, ROWS, AFTER ? AFTER - 1 : 0> &ahead)
{
    const mapped_spot<ROWS> spot(p, at, own);
    const C *c = batch<const C>(p.c, p.c_array, p.c_stride, p.c_offset, at.z) + spot.i;
    C *d = batch<C>(p.d, p.d_array, p.d_stride, p.d_offset, at.z) + spot.i;
    const long long j = spot.j;
    if (AFTER) {
        const int per = AFTER == 1 + BLAS_RELU || AFTER == 1 + BLAS_DRELU ? 1 : 8 * (int)sizeof(C); /* bytes for 8 rows */
        mapped_after e = after_product(p.e, to<float>(alpha), to<float>(beta));
        e.bias = (const char *)e.bias + (spot.i + p.e.bias_stride * at.z) * (BIAS == 1 ? (int)sizeof(C) : 4);
        e.aux = spot.aux(p, at, 0, per);
        finish_column<C, X, ROWS, AFTER ? AFTER - 1 : 0, BIAS>(d + j * p.d_col, c + j * p.c_col, sum, e, spot.rows_of(0), ahead, 0);
        e.aux = spot.aux(p, at, 1, per);
        finish_column<C, X, ROWS, AFTER ? AFTER - 1 : 0, BIAS>(d + (j + 8) * p.d_col, c + (j + 8) * p.c_col, sum + 2, e, spot.rows_of(1), ahead, 1);
        return;
    }
    const bool wide = ((unsigned long long)d | (unsigned long long)p.d_col * sizeof(C) | (is_zero(beta) ? 0 : (unsigned long long)c | (unsigned long long)p.c_col * sizeof(C))) % 16 == 0;
    store_column<C, X, S, ROWS>(d + j * p.d_col, c + j * p.c_col, c, sum, alpha, beta, spot.rows_of(0), spot.rows, wide);
    store_column<C, X, S, ROWS>(d + (j + 8) * p.d_col, c + (j + 8) * p.c_col, c, sum + 2, alpha, beta, spot.rows_of(1), spot.rows, wide);
}

/* AFTER: nothing follows the product (0), or 1 and the activation; BIAS as in finish_column. TURNS: groups have tiles of their own in turn, so that
 * one multiplies while the other stores, which pays where what follows takes long beside k; none of them is shared out. */
template <class Q, class P, class C, class S, int ROWS, int STAGES, bool A_ALONG, bool B_ALONG, bool PROMOTED = false, int AFTER = 0, int BIAS = 0, bool TURNS = false>
__global__ __launch_bounds__(MAPPED_THREADS, 1) void mapped_product(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, blas_product p, int count, blas_deal deal)
{
    typedef typename wgmma_type<P, Q>::sum X;
    extern __shared__ __align__(1024) unsigned char wgmma_memory[];
    __shared__ __align__(8) unsigned long long barriers[2 * STAGES + 2];
    __shared__ unsigned came[2]; /* parts of a tile that were there before, as either group saw it */
    const int BK = WGMMA_DEPTH / (int)sizeof(Q), P_BYTES = WGMMA_COLS * WGMMA_DEPTH, STAGE = P_BYTES + mapped_lines(ROWS, A_ALONG) * WGMMA_DEPTH;
    const unsigned memory = (shared_address(wgmma_memory) + 1023) & ~1023u, full = shared_address(barriers), empty = full + 8 * STAGES, order = empty + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, TURNS ? 1 : 2);
        }
        barrier_init(order, 1);
        barrier_init(order + 8, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const unsigned tiles_m = (unsigned)((p.m + ROWS - 1) / ROWS), tiles_n = (unsigned)((p.n + WGMMA_COLS - 1) / WGMMA_COLS), tiles = tiles_m * tiles_n * count;
    const S alpha = scalar<S>(p.alpha, p.alpha_value), beta = scalar<S>(p.beta, p.beta_value);
    const int steps = is_zero(alpha) ? 0 : (int)((p.k + BK - 1) / BK), group = threadIdx.x / 128;
    mapped_walk walk = mapped_begin(deal, tiles, steps);
    mapped_part part_of;
    mapped_place at = {0, 0};
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 256)
            while (mapped_next(walk, part_of)) {
                const mapped_tile tile = mapped_at(part_of.tile, tiles_m, tiles_n);
                for (int s = part_of.first; s < part_of.end; s++) {
                    const unsigned to_ = memory + at.stage * STAGE, there = full + 8 * at.stage;
                    barrier_wait(empty + 8 * at.stage, at.parity ^ 1);
                    barrier_expect(there, STAGE);
                    bring_mapped<P, WGMMA_COLS, B_ALONG>(to_, &b_map, there, tile.j * WGMMA_COLS, s * BK, tile.z);
                    bring_mapped<Q, ROWS, A_ALONG>(to_ + P_BYTES, &a_map, there, tile.i * ROWS, s * BK, tile.z);
                    mapped_advance<STAGES>(at, 1);
                }
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int own = TURNS ? 0 : group * 64;
        for (int turn = 0; mapped_next(walk, part_of); turn++) {
            const int count_of = part_of.end - part_of.first;
            if (TURNS && turn % 2 != group) {
                mapped_advance<STAGES>(at, count_of);
                continue;
            }
            if (TURNS) /* a stage's barrier tells this round of the ring from the last one, not from the one before that */
                barrier_wait(order + 8 * group, turn / 2 % 2 ^ !group);
            const mapped_tile tile = mapped_at(part_of.tile, tiles_m, tiles_n);
            X sum[ROWS / 2], high[ROWS / 2], part[ROWS / 2]; /* high: in turns, of the upper 64 columns */
            mapped_ahead<C, ROWS, AFTER ? AFTER - 1 : 0> ahead, ahead_high;
            mapped_look(ahead, p, tile, own);
            clear_sums(sum);
            if (TURNS) {
                mapped_look(ahead_high, p, tile, 64);
                clear_sums(high);
            }
            int last = -1;
            for (int s = 0; s < count_of; s++) {
                const unsigned from = memory + at.stage * STAGE;
                barrier_wait(full + 8 * at.stage, at.parity);
                begin_step<PROMOTED, P, Q, A_ALONG, B_ALONG>(sum, part, from + own * WGMMA_DEPTH, from + P_BYTES);
                if (TURNS)
                    begin_step<PROMOTED, P, Q, A_ALONG, B_ALONG>(high, part, from + 64 * WGMMA_DEPTH, from + P_BYTES);
                await_step<PROMOTED, TURNS ? 2 : 1>(sum, part);
                if (last >= 0 && threadIdx.x % 128 == 0)
                    barrier_arrive(empty + 8 * last);
                last = at.stage;
                mapped_advance<STAGES>(at, 1);
            }
            if (TURNS && threadIdx.x % 128 == 0)
                barrier_arrive(order + 8 * (group ^ 1));
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (last >= 0 && threadIdx.x % 128 == 0)
                barrier_arrive(empty + 8 * last);
            if (!TURNS && count_of < steps && !mapped_meet(sum, deal, walk, part_of.tile, came))
                continue;
            mapped_finish<C, X, S, ROWS, AFTER, BIAS>(p, tile, sum, own, alpha, beta, ahead);
            if (TURNS)
                mapped_finish<C, X, S, ROWS, AFTER, BIAS>(p, tile, high, 64, alpha, beta, ahead_high);
        }
    }
}
