/* The reduction to a tridiagonal matrix on GPUs: a few columns by one launch whose blocks exchange what they have twice for each.
 *
 * Columns first .. k-1 have been reduced, but the rest of the matrix has not heard of it: V and W say what is to come off, A - V W' - W V'.
 * A column is two phases. In the first all rows are brought up to date, 32 of them a block, whose warps share the columns of V and W:
 * W's last column is finished, column k computed and its length. In the second every block multiplies columns with the vector v that
 * reflects column k: its own of A, which is all there, each warp some rows of all of them; and one or two of V and W. The vector's first
 * element depends on its length, so that what it adds comes last, and its factor after that.
 *
 * Nobody waits for all others to arrive somewhere. What a block tells is a cell each, an element with the number of the column that it is
 * told for, and who needs it reads until it finds that number: one warp, for something of each block, then all for the rest (all of them
 * asking all the time cost more than the exchange itself). A cell is written again only by who has seen something of every block that came
 * after its reading: a column's norms are told after all that the column before told was read, its parts after the column's rows.
 * Rows of V and W belong to one block. Others read older columns of them, once all blocks have said that these are written. */
#pragma once
#include "device/solver/panel.h"

enum {
    TRI_WORKERS = TRI_THREADS / 32 - 2, /* warps that multiply; two others help */
    TRI_HELPER = TRI_WORKERS * 32,      /* the first helper's first thread */
    /* Of a column's sums in shared memory: a worker's part each, then the vector's element in its row, then its own in the vector's first row. */
    TRI_VECTOR = TRI_WORKERS,
    TRI_FIRST
};

template <class R> __device__ inline double square_of(R v) { return (double)v * v; }
template <class R> __device__ inline double square_of(complex<R> v) { return (double)v.x * v.x + (double)v.y * v.y; }

/* An element that is told: 32 bits of it and the column's number in one word, which memory writes and reads as a whole. */
template <class T> struct tri_cell {
    enum { WORDS = sizeof(T) / 4 };
    unsigned long long word[WORDS];
};
__device__ inline unsigned tri_half(float v, int) { return __float_as_uint(v); }
__device__ inline unsigned tri_half(double v, int q) { return (unsigned)(q ? __double2hiint(v) : __double2loint(v)); }
template <class R> __device__ inline unsigned tri_half(complex<R> v, int q)
{
    const int each = sizeof(R) / 4;
    return q < each ? tri_half(v.x, q) : tri_half(v.y, q - each);
}
__device__ inline void tri_whole(const unsigned *half, float &v) { v = __uint_as_float(half[0]); }
__device__ inline void tri_whole(const unsigned *half, double &v) { v = __hiloint2double((int)half[1], (int)half[0]); }
template <class R> __device__ inline void tri_whole(const unsigned *half, complex<R> &v)
{
    tri_whole(half, v.x);
    tri_whole(half + sizeof(R) / 4, v.y);
}
template <class T> __device__ __forceinline__ void tri_tell(tri_cell<T> *to, unsigned column, T v)
{
#pragma unroll
    for (int q = 0; q < tri_cell<T>::WORDS; q++)
        ((volatile unsigned long long *)to->word)[q] = (unsigned long long)column << 32 | tri_half(v, q);
}
/* Two words are on their way together, each whole. */
__device__ __forceinline__ void tri_words(const unsigned long long *p, unsigned long long (&word)[1]) { word[0] = *(const volatile unsigned long long *)p; }
template <int WORDS> __device__ __forceinline__ void tri_words(const unsigned long long *p, unsigned long long (&word)[WORDS])
{
#pragma unroll
    for (int q = 0; q < WORDS; q += 2)
        asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(word[q]), "=l"(word[q + 1]) : "l"(p + q) : "memory");
}
/* Whether it was told; v: what. */
template <class T> __device__ __forceinline__ bool tri_heard(const tri_cell<T> *from, unsigned column, T &v)
{
    unsigned long long word[tri_cell<T>::WORDS];
    unsigned half[tri_cell<T>::WORDS];
    bool all = true;
    tri_words(from->word, word);
#pragma unroll
    for (int q = 0; q < tri_cell<T>::WORDS; q++) {
        half[q] = (unsigned)word[q];
        all = all && (unsigned)(word[q] >> 32) == column;
    }
    tri_whole(half, v);
    return all;
}
template <class T> __device__ __forceinline__ T tri_await(const tri_cell<T> *from, unsigned column)
{
    T v;
    while (!tri_heard(from, column, v)) {
    }
    return v;
}
/* Several, `step` apart, on their way at once; what is beyond `count` is 0. */
template <int MANY, class T> __device__ __forceinline__ void tri_await_many(const tri_cell<T> *from, unsigned column, int at, int step, int count, T (&v)[MANY])
{
    bool all;
    do {
        all = true;
#pragma unroll
        for (int q = 0; q < MANY; q++) {
            v[q] = zero<T>();
            if (at + q * step < count)
                all = tri_heard(from + at + q * step, column, v[q]) && all;
        }
    } while (!all);
}
/* A lane's share of what the blocks tell, one each. */
template <class T> __device__ inline T tri_sum(const tri_cell<T> *from, unsigned column, int lane)
{
    T sum = zero<T>();
    for (int b = lane; b < (int)gridDim.x; b += 5 * 32) {
        T v[5];
        tri_await_many<5>(from, column, b, 32, (int)gridDim.x, v);
#pragma unroll
        for (int q = 0; q < 5; q++)
            sum = add(sum, v[q]);
    }
    return sum;
}

/* What blocks tell each other, in device memory that is 0 before column 0. */
template <class T, int COLUMNS> struct tri_board {
    unsigned *arrived;       /* blocks that have done a column, each time one has */
    tri_cell<double> *norms; /* of column k's part below the next row, a block each; squares of f32 neither overflow nor vanish there */
    tri_cell<T> *parts;      /* of v' A v, a block each */
    tri_cell<T> *dots;       /* V' v, then W' v */
    tri_cell<T> *rows;       /* the next column's row of V, then of W */
    tri_cell<T> *x, *y, *w;  /* column k, A v, W's last column; n elements each */
    __device__ tri_board(void *memory, int n)
    {
        arrived = (unsigned *)memory;
        norms = (tri_cell<double> *)((char *)memory + TRI_BOARD_HEAD);
        parts = (tri_cell<T> *)(norms + gridDim.x);
        dots = parts + gridDim.x;
        rows = dots + 2 * COLUMNS;
        x = rows + 2 * COLUMNS;
        y = x + n;
        w = y + n;
    }
};

/* The matrix, what has been done of it, and which parts are this block's: groups of 32 rows and single columns are dealt out by turns. */
template <class T> struct tri_work {
    typedef typename real_of<T>::type R;
    T *a, *v, *w, *tau;
    R *d, *e;
    long long lda, ldv;
    int n;
    int row;    /* the first of the block's first 32 that are not all above k */
    int column; /* its first column after k */
    __device__ void go_to(int k)
    {
        while (row + 32 <= k)
            row += 32 * (int)gridDim.x;
        while (column <= k)
            column += (int)gridDim.x;
    }
    __device__ bool owns(int i) const { return (unsigned)i / 32 % gridDim.x == blockIdx.x; }
};

/* A thread's part of 32 rows: of V and W the columns of its warp, and what the first warp finishes with. */
template <class T, int COLUMNS> struct tri_rows {
    enum { EACH = (COLUMNS + TRI_WORKERS - 1) / TRI_WORKERS };
    T v[EACH], w[EACH], x;
    __device__ __forceinline__ void fetch(const tri_work<T> &m, int i, bool inside, int k, int columns, bool ends)
    {
        const int warp = threadIdx.x / 32;
#pragma unroll
        for (int c = 0; c < EACH; c++) {
            const int q = warp + c * TRI_WORKERS;
            v[c] = zero<T>();
            w[c] = zero<T>();
            if (inside && q < columns - 1) {
                v[c] = m.v[i + q * m.ldv];
                w[c] = m.w[i + q * m.ldv];
            }
        }
        x = zero<T>();
        if (inside && warp == 0 && !ends)
            x = m.a[i + k * m.lda];
    }
};

/* What a phase knows of the column before. W's last column is tau (y - what older columns take off) + alpha v. */
template <class T, int COLUMNS> struct tri_last {
    T v_dots[COLUMNS], w_dots[COLUMNS]; /* V' v, W' v */
    T v_row[COLUMNS], w_row[COLUMNS];   /* rows k of V and W */
    T y[32];                            /* A v in the block's first rows */
    T tau, product;                     /* product: v' (A v - what older columns take off) */
    T y_here;                           /* A v in row k, less what older columns take off */
};

/* What others have told of the column before; done: columns of V and W but for the last, whose vector begins in row k.
 * The helpers make sums of it. */
template <class T, int COLUMNS>
__device__ __forceinline__ void tri_learn(tri_last<T, COLUMNS> &s, const tri_board<T, COLUMNS> &board, const tri_work<T> &m, int k, int done)
{
    enum { MANY = COLUMNS / 32 > 1 ? COLUMNS / 32 : 1 };
    const int t = threadIdx.x, lane = t % 32;
    const unsigned before = (unsigned)k;
    T sum = zero<T>();
    if (t >= TRI_HELPER && t < TRI_HELPER + 32)
        sum = tri_sum(board.parts, before, lane);
    __syncthreads(); /* now all is there, or on its way: many who ask all the time would keep it from coming */
    if (t < TRI_HELPER) {
        for (int q = t; q < 4 * COLUMNS; q += TRI_HELPER - 32) {
            const int kind = q / COLUMNS, c = q % COLUMNS;
            if (c < done) {
                const T v = tri_await((kind < 2 ? board.dots : board.rows) + (kind & 1) * COLUMNS + c, before);
                (kind == 0 ? s.v_dots : kind == 1 ? s.w_dots : kind == 2 ? s.v_row : s.w_row)[c] = v;
            }
        }
        const int i = m.row + lane;
        if (t >= TRI_HELPER - 32 && i >= k && i < m.n)
            s.y[lane] = tri_await(board.y + i, before);
    } else {
        T v_dots[MANY], w_dots[MANY], v_row[MANY], w_row[MANY];
        const bool rows = t >= TRI_HELPER + 32;
        tri_await_many<MANY>(board.dots, before, lane, 32, done, v_dots);
        tri_await_many<MANY>(board.dots + COLUMNS, before, lane, 32, done, w_dots);
        if (rows) {
            tri_await_many<MANY>(board.rows, before, lane, 32, done, v_row);
            tri_await_many<MANY>(board.rows + COLUMNS, before, lane, 32, done, w_row);
            if (lane == 0)
                sum = tri_await(board.y + k, before);
        }
#pragma unroll
        for (int q = 0; q < MANY; q++) {
            if (rows) {
                sum = sub(sum, add(mul(v_row[q], w_dots[q]), mul(w_row[q], v_dots[q])));
            } else {
                const T x = mul(conjugate(w_dots[q]), v_dots[q]);
                sum = sub(sum, add(x, conjugate(x)));
            }
        }
    }
    __syncthreads();
    if (t >= TRI_HELPER) {
        sum = sum_over_warp(sum);
        if (lane == 0)
            (t >= TRI_HELPER + 32 ? s.y_here : s.product) = sum;
    }
}

/* The first phase: k is the column, or, ends, the row after the last one. columns: of V and W that there are. */
template <class T, int COLUMNS>
__device__ __forceinline__ void tri_update(tri_last<T, COLUMNS> &s, const tri_board<T, COLUMNS> &board, const tri_work<T> &m, int k, int columns, bool ends)
{
    __shared__ T finish[TRI_WORKERS][33], off[TRI_WORKERS][33];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, done = columns - 1;
    const unsigned column = (unsigned)k + 1;
    double norm = 0.0;
    tri_rows<T, COLUMNS> r;
    int i = m.row + lane;
    bool inside = i >= k && i < m.n && warp < TRI_WORKERS;
    r.fetch(m, i, inside, k, columns, ends);
    if (columns)
        tri_learn(s, board, m, k, done);
    for (bool first = true; i - lane < m.n; first = false) {
        T y = zero<T>(), u = zero<T>();
        if (columns) {
            T whole = zero<T>(), o = zero<T>();
            if (inside && warp == 0) {
                u = m.v[i + done * m.ldv];
                y = first ? s.y[lane] : tri_await(board.y + i, (unsigned)k);
            }
            if (warp < TRI_WORKERS) {
#pragma unroll
                for (int c = 0; c < tri_rows<T, COLUMNS>::EACH; c++) {
                    const int q = warp + c * TRI_WORKERS;
                    if (q < done) {
                        mad(whole, r.v[c], s.w_dots[q]);
                        mad(whole, r.w[c], s.v_dots[q]);
                        mad(o, r.v[c], conjugate(s.w_row[q]));
                        mad(o, r.w[c], conjugate(s.v_row[q]));
                    }
                }
                finish[warp][lane] = whole;
                off[warp][lane] = o;
            }
            __syncthreads();
        }
        if (warp == 0 && inside) {
            T x = r.x;
            if (columns) {
                typedef typename real_of<T>::type R;
                const T alpha = mul(mul(make<T>(R(-0.5), R(0)), s.tau), mul(conjugate(s.tau), s.product)), here = add(mul(s.tau, s.y_here), alpha);
                T whole = zero<T>(), o = zero<T>();
#pragma unroll
                for (int q = 0; q < TRI_WORKERS; q++) {
                    whole = add(whole, finish[q][lane]);
                    o = add(o, off[q][lane]);
                }
                const T own = add(mul(s.tau, sub(y, whole)), mul(alpha, u));
                x = sub(sub(x, o), add(mul(u, conjugate(here)), own));
                if (i == k)
                    drop_imaginary(x);
                if (!ends) {
                    tri_tell(board.x + i, column, x);
                    tri_tell(board.w + i, column, own);
                }
                m.w[i + done * m.ldv] = own;
            } else {
                if (i == k)
                    drop_imaginary(x);
                tri_tell(board.x + i, column, x);
            }
            if (!ends) {
                if (i == k) {
                    m.d[k] = real_part(x);
                    if (k + 1 == m.n) /* tri_store has the others */
                        m.a[k + k * m.lda] = x;
                }
                if (i > k + 1)
                    norm += square_of(x);
            }
        }
        i += 32 * (int)gridDim.x;
        inside = i < m.n && warp < TRI_WORKERS;
        if (i - lane < m.n) {
            r.fetch(m, i, inside, k, columns, ends);
            __syncthreads(); /* finish and off are written again */
        }
    }
    if (warp == 0 && !ends) {
        for (int mask = 16; mask; mask /= 2)
            norm += lane_at(norm, mask);
        if (lane == 0)
            tri_tell(board.norms + blockIdx.x, column, norm);
    }
}

/* What the reflection of column k is: beta takes the place of what is below the diagonal, the vector is `scale` times (top, the rest). */
template <class T> struct tri_reflection {
    typename real_of<T>::type beta;
    T top, scale, tau;
};

/* square: of what is below the next row, whose element is alpha. What is below 1e-140 of a matrix that is near 1 may as well be 0, and must be
 * where its squares are not all there. */
template <class T> __device__ inline tri_reflection<T> tri_reflect(double square, T alpha)
{
    typedef typename real_of<T>::type R;
    const bool none = square < 1e-280 && imaginary_part(alpha) == R(0);
    const R norm = (R)sqrt(square + square_of(alpha));
    tri_reflection<T> r;
    r.beta = none ? real_part(alpha) : real_part(alpha) >= R(0) ? -norm : norm;
    r.top = none ? one<T>() : sub(alpha, make<T>(r.beta, R(0)));
    r.scale = none ? zero<T>() : over(one<T>(), r.top); /* without a reflection the vector is (1, 0), and nobody asks for its products */
    r.tau = none ? zero<T>() : make<T>((r.beta - real_part(alpha)) / r.beta, -imaginary_part(alpha) / r.beta);
    return r;
}

/* What a block multiplies with the vector: columns of A, and columns of V and W, dealt out from the last block on. */
template <class T, int COLUMNS> struct tri_share {
    const tri_board<T, COLUMNS> &board;
    const tri_work<T> &m;
    int k, of_v;    /* of_v: columns of V, and of W */
    int own, below; /* columns of A; the vector's elements */
    __device__ int dot(int at) const { return (int)(gridDim.x - 1 - blockIdx.x) + at * (int)gridDim.x; }
    __device__ bool has_dot(int at) const { return dot(at) < 2 * of_v; }
    /* Elements of that column, `step` apart, 0 beyond its end. W's last column is told, the others are in memory. */
    template <int MANY> __device__ __forceinline__ void dotted(int at, int from, int step, T (&c)[MANY]) const
    {
        const int q = dot(at);
        const T *const column = (q < of_v ? m.v + q * m.ldv : m.w + (q - of_v) * m.ldv) + k + 1;
        if (q == 2 * of_v - 1) {
            tri_await_many<MANY>(board.w + k + 1, (unsigned)k + 1, from, step, below, c);
            return;
        }
#pragma unroll
        for (int p = 0; p < MANY; p++) {
            c[p] = zero<T>();
            if (from + p * step < below)
                c[p] = told(column + from + p * step);
        }
    }
};
/* A worker's rows of a slab, those of lane + 32 * (warp * ROWS + r), times the block's columns, MANY at once; the vector's first element counts
 * as 0. */
template <int ROWS, int MANY, class T, int COLUMNS> __device__ __forceinline__ void tri_slab(const tri_share<T, COLUMNS> &share, int from, T *sums)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = from + warp * ROWS * 32 + lane;
    const T *const a = share.m.a + share.k + 1 + share.m.column * share.m.lda;
    const long long step = gridDim.x * share.m.lda;
    T v[ROWS], dotted[ROWS];
    tri_await_many<ROWS>(share.board.x + share.k + 1, (unsigned)share.k + 1, first, 32, share.below, v);
    if (first == 0)
        v[0] = zero<T>();
    if (share.has_dot(0))
        share.template dotted<ROWS>(0, first, 32, dotted);
    for (int c = 0; c < share.own; c += MANY) {
        T b[MANY][ROWS], sum[MANY];
#pragma unroll
        for (int q = 0; q < MANY; q++)
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                b[q][r] = zero<T>();
                if (c + q < share.own && first + r * 32 < share.below)
                    b[q][r] = a[first + r * 32 + (c + q) * step];
            }
#pragma unroll
        for (int q = 0; q < MANY; q++) {
            sum[q] = zero<T>();
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                mad(sum[q], conjugate(b[q][r]), v[r]);
        }
        const T all = warp_sums<MANY, T>::of(sum, lane, 16);
        const int q = c + lane * MANY / 32;
        if (lane % (32 / MANY) == 0 && q < share.own) {
            T *const place = sums + q * TRI_EACH + warp;
            *place = from ? add(*place, all) : all;
        }
    }
    for (int at = 0; share.has_dot(at); at++) {
        T sum = zero<T>();
        if (at)
            share.template dotted<ROWS>(at, first, 32, dotted);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            mad(sum, conjugate(dotted[r]), v[r]);
        sum = sum_over_warp(sum);
        if (lane == 0) {
            T *const place = sums + (share.own + at) * TRI_EACH + warp;
            *place = from ? add(*place, sum) : sum;
        }
    }
}

/* What the helpers do in the second phase: the first one makes the reflection, the second has what the vector's first element adds to sums. */
template <class T, int COLUMNS> __device__ __forceinline__ tri_reflection<T> tri_find_reflection(const tri_board<T, COLUMNS> &board, int k)
{
    double square = tri_sum(board.norms, (unsigned)k + 1, threadIdx.x % 32);
    __syncthreads(); /* as in tri_learn */
    const T alpha = tri_await(board.x + k + 1, (unsigned)k + 1);
    for (int mask = 16; mask; mask /= 2)
        square += lane_at(square, mask);
    return tri_reflect(square, alpha);
}
template <class T, int COLUMNS> __device__ __forceinline__ void tri_find_firsts(const tri_share<T, COLUMNS> &share, T *sums)
{
    const int lane = threadIdx.x % 32, grid = (int)gridDim.x;
    for (int at = lane, c = share.m.column + lane * grid; at < share.own; at += 32, c += 32 * grid)
        sums[at * TRI_EACH + TRI_FIRST] = share.m.a[share.k + 1 + c * share.m.lda];
    if (lane == 0 && share.has_dot(0)) /* the block will read what others have written of V and W in the column before */
        await_others(share.board.arrived, (unsigned)share.k * gridDim.x);
    __syncthreads();
    for (int at = lane, c = share.m.column + lane * grid; at < share.own; at += 32, c += 32 * grid)
        sums[at * TRI_EACH + TRI_VECTOR] = tri_await(share.board.x + c, (unsigned)share.k + 1);
    for (int at = lane; share.has_dot(at); at += 32) {
        T first[1];
        share.template dotted<1>(at, 0, 1, first);
        sums[(share.own + at) * TRI_EACH + TRI_FIRST] = first[0];
    }
}

/* The block's products, made of what its warps have, are told. */
template <class T> __device__ __forceinline__ T tri_product(const tri_reflection<T> &r, const T *sums)
{
    T few[4] = {mul(conjugate(sums[TRI_FIRST]), r.top), zero<T>(), zero<T>(), zero<T>()};
#pragma unroll
    for (int q = 0; q < TRI_WORKERS; q++)
        few[q % 4] = add(few[q % 4], sums[q]);
    return mul(r.scale, add(add(few[0], few[1]), add(few[2], few[3])));
}
template <class T, int COLUMNS> __device__ __forceinline__ void tri_tell_products(const tri_share<T, COLUMNS> &share, const tri_reflection<T> &r, const T *sums)
{
    const int lane = threadIdx.x % 32, grid = (int)gridDim.x, k = share.k;
    T part = zero<T>();
    for (int at = lane, c = share.m.column + lane * grid; at < share.own; at += 32, c += 32 * grid) {
        const T x = tri_product(r, sums + at * TRI_EACH);
        tri_tell(share.board.y + c, (unsigned)k + 1, x);
        mad(part, conjugate(x), mul(r.scale, c == k + 1 ? r.top : sums[at * TRI_EACH + TRI_VECTOR]));
    }
    part = sum_over_warp(part);
    if (lane == 0)
        tri_tell(share.board.parts + blockIdx.x, (unsigned)k + 1, part);
}
template <class T, int COLUMNS> __device__ __forceinline__ void tri_tell_dots(const tri_share<T, COLUMNS> &share, const tri_reflection<T> &r, const T *sums)
{
    for (int at = threadIdx.x % 32; share.has_dot(at); at += 32) {
        const int q = share.dot(at);
        tri_tell(share.board.dots + (q < share.of_v ? q : COLUMNS + q - share.of_v), (unsigned)share.k + 1, tri_product(r, sums + (share.own + at) * TRI_EACH));
    }
}

/* The block's rows of the vector, to V and to where A keeps it; and the next row of V and W to all. By the last helper. */
template <class T, int COLUMNS>
__device__ __forceinline__ void tri_store(const tri_reflection<T> &r, const tri_board<T, COLUMNS> &board, const tri_work<T> &m, int k, int columns)
{
    typedef typename real_of<T>::type R;
    const int lane = threadIdx.x % 32;
    const unsigned column = (unsigned)k + 1;
    if (m.owns(k) && lane == 0)
        m.a[k + k * m.lda] = make<T>(m.d[k], R(0));
    if (blockIdx.x == 0 && lane == 0) {
        m.e[k] = r.beta;
        m.tau[k] = r.tau;
    }
    for (int i = m.row + lane; i < m.n; i += 32 * (int)gridDim.x) {
        if (i > k) {
            T u = one<T>();
            if (i > k + 1)
                u = mul(r.scale, tri_await(board.x + i, column));
            m.v[i + columns * m.ldv] = u;
            m.a[i + k * m.lda] = i > k + 1 ? u : make<T>(r.beta, R(0));
        }
    }
}

/* The second phase. sums: shared memory, TRI_EACH elements for each of the block's columns and dots. */
template <class T, int COLUMNS>
__device__ __forceinline__ void tri_multiply(tri_last<T, COLUMNS> &s, const tri_board<T, COLUMNS> &board, const tri_work<T> &m, int k, int columns, T *sums)
{
    enum { SLAB = TRI_WORKERS * 32 };
    __shared__ tri_reflection<T> reflection;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const tri_share<T, COLUMNS> share = {board, m, k, columns, m.column < m.n ? (m.n - 1 - m.column) / (int)gridDim.x + 1 : 0, m.n - k - 1};
    if (warp < TRI_WORKERS) {
        __syncthreads(); /* the helpers come by when the vector is there */
        if (share.below <= SLAB)
            tri_slab<1, 8>(share, 0, sums);
        else if (share.below <= 2 * SLAB)
            tri_slab<2, 8>(share, 0, sums);
        else
            for (int from = 0; from < share.below; from += 4 * SLAB)
                tri_slab<4, 4>(share, from, sums);
    } else if (warp == TRI_WORKERS) {
        const tri_reflection<T> r = tri_find_reflection(board, k);
        if (lane == 0) {
            reflection = r;
            s.tau = r.tau;
        }
    } else {
        tri_find_firsts(share, sums);
    }
    __syncthreads();
    if (warp == 0) {
        tri_tell_products(share, reflection, sums);
    } else if (warp == 1) {
        tri_tell_dots(share, reflection, sums);
    } else if (warp == 2) {
        /* All blocks have read the last row: their norms are here. */
        if (m.owns(k + 1))
            for (int q = lane; q < 2 * columns; q += 32) {
                const int c = q < columns ? q : q - columns;
                tri_tell(board.rows + (q < columns ? 0 : COLUMNS) + c, (unsigned)k + 1, (q < columns ? m.v : m.w)[k + 1 + c * m.ldv]);
            }
    } else if (warp == 3) {
        tri_store(reflection, board, m, k, columns);
        __syncwarp();
        if (lane == 0)
            say_arrived(board.arrived);
    }
}

/* Columns first .. end-1 of A, all of which is there, as tridiagonal_column of eigen.h stores them; V and W for the columns after them. All
 * blocks must be on the device at once. */
template <class T, int COLUMNS>
__global__ void __launch_bounds__(TRI_THREADS) tridiagonal_panel(long long n, long long first, long long end, T *a, long long lda, T *v, T *w, long long ldv,
                                                                 typename real_of<T>::type *d, typename real_of<T>::type *e, T *tau, void *memory)
{
    extern __shared__ double panel_shared[];
    __shared__ tri_last<T, COLUMNS> s;
    const tri_board<T, COLUMNS> board(memory, (int)n);
    tri_work<T> m = {a, v, w, tau, d, e, lda, ldv, (int)n, 32 * (int)blockIdx.x, (int)blockIdx.x};
    for (int k = (int)first;; k++) {
        const int columns = k - (int)first;
        m.go_to(k);
        tri_update(s, board, m, k, columns, k == end);
        if (k == end || k + 1 >= m.n)
            return;
        tri_multiply(s, board, m, k, columns, (T *)panel_shared);
    }
}
