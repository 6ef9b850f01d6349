/* Eigenvalues of Hermitian matrices in two stages: a band of BAND sub-diagonals becomes
 * tridiagonal, and what its reflections are to vectors.
 *
 * Sweep s clears column s below the sub-diagonal. Its first reflection is of the BAND rows below
 * the diagonal; what that brings in below the band, a reflection of the next BAND rows clears, as
 * far as the next sweep wants, and so on to the end: (s, j) is of rows s + 1 + j BAND on. It may be
 * done when (s, j - 1) and (s - 1, j + 1) have been: those two tell it all that it does not have.
 * For whoever does position j of all sweeps keeps what these touch, the square on the diagonal and
 * the one to its left; from one sweep to the next both go on by one row and column. Rows and
 * columns have fixed slots, their number modulo BAND: nothing is moved, a new row takes the place
 * of the one that left.
 *
 * A block has one position, its squares in registers; where there are more positions than blocks,
 * several, which lie in memory. All blocks must be on the device at once. They go by time, 2 s + j:
 * what a step needs is of the time before, so that a single block never waits. */
#pragma once
#include "device/solver/tridiagonal.h"

template <class R> __device__ inline R lane_from(R v, int lane)
{
    return __shfl_sync(0xffffffffu, v, lane);
}
template <class R> __device__ inline complex<R> lane_from(complex<R> v, int lane)
{
    complex<R> w = {lane_from(v.x, lane), lane_from(v.y, lane)};
    return w;
}

/* Threads make a square of SIDE by SIDE; each has 4 rows and 4 columns, SIDE apart. */
template <int BAND> struct chase_shape {
    enum { SIDE = BAND / 4, THREADS = SIDE * SIDE, WARPS = THREADS / 32 };
};

template <class T, int BAND> struct chase_shared {
    T before[BAND], tau_before;    /* the reflection of the position before */
    T row[BAND], corner;           /* the row that comes, and its element on the diagonal */
    T x[BAND], y[BAND], sum[BAND]; /* the column that is reflected; the square's product with its
                                      vector; the vector's with the other square */
    T part[chase_shape<BAND>::WARPS][BAND];
};

/* A position's squares: `off` is left of `square`; of position 0 it has one column. */
template <class T> struct chase_tiles {
    T off[4][4], square[4][4];
};

template <class T, int BAND> struct chase_work {
    typedef typename real_of<T>::type R;
    int n;
    const T *a; /* the band, below the diagonal */
    long long lda;
    R *d, *e;
    T *vectors, *tau; /* of (s, j): vectors[row + s * ldv], tau[s + j * ldt] */
    long long ldv, ldt;
    tri_cell<T> *told_vectors,
        *told_rows; /* of each position: BAND elements, then tau, or the one on the diagonal */
};

/* Each row's sum over the lanes that share it, to all of them. */
template <int SIDE, class T> __device__ __forceinline__ void chase_row_sums(T (&v)[4], int lane)
{
    const T sum = warp_sums<4, T>::of(v, lane, SIDE / 2);
#pragma unroll
    for (int q = 0; q < 4; q++)
        v[q] = lane_from(sum, (lane & ~(SIDE - 1)) + q * (SIDE / 4));
}

template <class T, int BAND>
__device__ __forceinline__ void chase_fetch(const chase_work<T, BAND> &m, int j,
                                            chase_tiles<T> &tiles)
{
    enum { SIDE = chase_shape<BAND>::SIDE };
    const int across = threadIdx.x % SIDE, down = threadIdx.x / SIDE;
#pragma unroll
    for (int q = 0; q < 4; q++)
#pragma unroll
        for (int p = 0; p < 4; p++) {
            const int i = (down + q * SIDE + BAND - 1) % BAND,
                      k = (across + p * SIDE + BAND - 1) % BAND;
            const long long r = 1 + j * BAND + i, c = 1 + j * BAND + k, left = c - BAND;
            tiles.off[q][p] = zero<T>();
            tiles.square[q][p] = zero<T>();
            if (r < m.n && left >= 0 && r - left <= BAND)
                tiles.off[q][p] = m.a[r + left * m.lda];
            if (r < m.n && c < m.n)
                tiles.square[q][p] = r >= c ? m.a[r + c * m.lda] : conjugate(m.a[c + r * m.lda]);
        }
}

/* What the neighbours tell. One block that does all has been told before it asks; without a loop
 * that waits it is faster on the CPU. */
template <bool WAITS, class T>
__device__ __forceinline__ T chase_await(const tri_cell<T> *from, unsigned sweep)
{
    T v;
    if (WAITS)
        return tri_await(from, sweep);
    tri_heard(from, sweep, v);
    return v;
}
template <bool WAITS, class T, int BAND>
__device__ __forceinline__ void chase_hear(const chase_work<T, BAND> &m, chase_shared<T, BAND> &s,
                                           int sweep, int j, bool grows)
{
    const int t = threadIdx.x;
    if (t < BAND) {
        if (j) {
            const tri_cell<T> *const from = m.told_vectors + (j - 1) * (BAND + 1);
            s.before[t] = chase_await<WAITS>(from + t, (unsigned)sweep + 1);
            if (t == 0)
                s.tau_before = chase_await<WAITS>(from + BAND, (unsigned)sweep + 1);
        }
    } else if (t < 2 * BAND && sweep) {
        const tri_cell<T> *const from = m.told_rows + (j + 1) * (BAND + 1);
        s.row[t - BAND] = grows ? chase_await<WAITS>(from + t - BAND, (unsigned)sweep) : zero<T>();
        if (t == BAND)
            s.corner = grows ? chase_await<WAITS>(from + BAND, (unsigned)sweep) : zero<T>();
    }
}

/* The row and column that have left, in the slot `out`, make room for those that come. */
template <class T, int BAND>
__device__ __forceinline__ void chase_go_on(const chase_shared<T, BAND> &s, chase_tiles<T> &tiles,
                                            int out)
{
    enum { SIDE = chase_shape<BAND>::SIDE };
    const int across = threadIdx.x % SIDE, down = threadIdx.x / SIDE;
#pragma unroll
    for (int q = 0; q < 4; q++)
#pragma unroll
        for (int p = 0; p < 4; p++) {
            const int i = down + q * SIDE, k = across + p * SIDE;
            if (i == out) {
                tiles.off[q][p] = k == out ? s.row[k] : zero<T>();
                tiles.square[q][p] = k == out ? s.corner : s.row[k];
            } else if (k == out) {
                tiles.off[q][p] = tiles.square[q][p];
                tiles.square[q][p] = conjugate(s.row[i]);
            }
        }
}

/* The left square times the reflection of the position before; the column to reflect to x. */
template <class T, int BAND>
__device__ __forceinline__ void chase_from_right(chase_shared<T, BAND> &s, chase_tiles<T> &tiles,
                                                 int j, int lead)
{
    enum { SIDE = chase_shape<BAND>::SIDE };
    const int across = threadIdx.x % SIDE, down = threadIdx.x / SIDE, lane = threadIdx.x % 32;
    if (j) {
        T v[4], y[4];
#pragma unroll
        for (int p = 0; p < 4; p++)
            v[p] = s.before[across + p * SIDE];
#pragma unroll
        for (int q = 0; q < 4; q++) {
            y[q] = zero<T>();
#pragma unroll
            for (int p = 0; p < 4; p++)
                mad(y[q], tiles.off[q][p], v[p]);
        }
        chase_row_sums<SIDE>(y, lane);
        const T f = negated(s.tau_before);
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const T g = mul(f, y[q]);
#pragma unroll
            for (int p = 0; p < 4; p++)
                mad(tiles.off[q][p], g, conjugate(v[p]));
        }
    }
#pragma unroll
    for (int q = 0; q < 4; q++)
#pragma unroll
        for (int p = 0; p < 4; p++)
            if (across + p * SIDE == lead)
                s.x[down + q * SIDE] = tiles.off[q][p];
}

/* Each warp finds it for itself. */
template <class T, int BAND>
__device__ __forceinline__ tri_reflection<T> chase_reflect(const chase_shared<T, BAND> &s, int top,
                                                           int lane)
{
    double square = 0.0;
#pragma unroll
    for (int i = 0; i < BAND; i += 32)
        if (i + lane != top)
            square += square_of(s.x[i + lane]);
    for (int mask = 16; mask; mask /= 2)
        square += lane_at(square, mask);
    return tri_reflect(square, s.x[top]);
}

/* One step: position j of a sweep. */
template <bool WAITS, class T, int BAND>
__device__ __forceinline__ void chase_step(const chase_work<T, BAND> &m, chase_shared<T, BAND> &s,
                                           chase_tiles<T> &tiles, int sweep, int j)
{
    typedef typename real_of<T>::type R;
    enum { SIDE = chase_shape<BAND>::SIDE, WARPS = chase_shape<BAND>::WARPS };
    const int t = threadIdx.x, lane = t % 32, across = t % SIDE, down = t / SIDE;
    const int first = sweep + 1 + j * BAND, top = (sweep + 1) % BAND, out = sweep % BAND,
              lead = j ? top : out;
    chase_hear<WAITS>(m, s, sweep, j, first + BAND - 1 < m.n);
    __syncthreads();
    if (sweep) {
#pragma unroll
        for (int q = 0; q < 4; q++)
            if (j == 0 && across == down && across + q * SIDE == out)
                m.d[sweep] = real_part(tiles.square[q][q]);
        chase_go_on(s, tiles, out);
    }
    chase_from_right(s, tiles, j, lead);
    __syncthreads();

    const tri_reflection<T> r = chase_reflect(s, top, lane);
    T rows[4], columns[4], y[4];
    if (t < BAND) {
        const T v = t == top ? one<T>() : mul(r.scale, s.x[t]);
        const int row = first + (t - top + BAND) % BAND;
        if (first + BAND < m.n) {
            tri_tell(m.told_vectors + j * (BAND + 1) + t, (unsigned)sweep + 1, v);
            if (t == 0)
                tri_tell(m.told_vectors + j * (BAND + 1) + BAND, (unsigned)sweep + 1, r.tau);
        }
        if (row < m.n)
            m.vectors[row + sweep * m.ldv] = v;
        if (t == 0)
            m.tau[sweep + j * m.ldt] = r.tau;
    }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const int i = down + q * SIDE, k = across + q * SIDE;
        rows[q] = i == top ? one<T>() : mul(r.scale, s.x[i]);
        columns[q] = k == top ? one<T>() : mul(r.scale, s.x[k]);
    }
    if (j)
#pragma unroll
        for (int p = 0; p < 4; p++) {
            T sum = zero<T>();
#pragma unroll
            for (int q = 0; q < 4; q++)
                mad(sum, conjugate(rows[q]), tiles.off[q][p]);
#pragma unroll
            for (int mask = 16; mask >= SIDE; mask /= 2)
                sum = add(sum, lane_at(sum, mask));
            if (lane < SIDE)
                s.part[t / 32][across + p * SIDE] = sum;
        }
#pragma unroll
    for (int q = 0; q < 4; q++) {
        y[q] = zero<T>();
#pragma unroll
        for (int p = 0; p < 4; p++)
            mad(y[q], tiles.square[q][p], columns[p]);
    }
    chase_row_sums<SIDE>(y, lane);
    if (across == 0)
#pragma unroll
        for (int q = 0; q < 4; q++)
            s.y[down + q * SIDE] = y[q];
    __syncthreads();

    if (j && t < BAND) {
        T sum = zero<T>();
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            sum = add(sum, s.part[w][t]);
        s.sum[t] = sum;
    }
    T product = zero<T>();
#pragma unroll
    for (int i = 0; i < BAND; i += 32)
        mad(product, conjugate(i + lane == top ? one<T>() : mul(r.scale, s.x[i + lane])),
            s.y[i + lane]);
    product = sum_over_warp(product);
    const T half = mul(make<T>(R(-0.5), R(0)), mul(mul(r.tau, conjugate(r.tau)), product));
    __syncthreads();

    if (j) {
        const T f = negated(conjugate(r.tau));
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const T g = mul(f, rows[q]);
#pragma unroll
            for (int p = 0; p < 4; p++) {
                mad(tiles.off[q][p], g, s.sum[across + p * SIDE]);
                if (across + p * SIDE == lead)
                    tiles.off[q][p] = down + q * SIDE == top ? make<T>(r.beta, R(0)) : zero<T>();
                if (down + q * SIDE == top)
                    tri_tell(m.told_rows + j * (BAND + 1) + across + p * SIDE, (unsigned)sweep + 1,
                             tiles.off[q][p]);
            }
        }
    } else if (t == 0) {
        m.e[sweep] = r.beta;
    }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        const T w = add(mul(r.tau, s.y[across + p * SIDE]), mul(half, columns[p]));
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const T own = add(mul(r.tau, y[q]), mul(half, rows[q]));
            mad(tiles.square[q][p], negated(own), conjugate(columns[p]));
            mad(tiles.square[q][p], negated(rows[q]), conjugate(w));
            const int i = down + q * SIDE, k = across + p * SIDE;
            if (i == k)
                drop_imaginary(tiles.square[q][p]);
            if (i == top && k == top) {
                if (j)
                    tri_tell(m.told_rows + j * (BAND + 1) + BAND, (unsigned)sweep + 1,
                             tiles.square[q][p]);
                else if (sweep == m.n - 2)
                    m.d[sweep + 1] = real_part(tiles.square[q][p]);
            }
        }
    }
}

/* All of it. kept: the squares of positions that share a block, 32 elements a thread each. board: 0
 * at first. */
template <class T, int BAND, bool WAITS>
__global__ void __launch_bounds__(chase_shape<BAND>::THREADS)
    chase(long long n, const T *a, long long lda, typename real_of<T>::type *d,
          typename real_of<T>::type *e, T *vectors, long long ldv, T *tau, long long ldt, T *kept,
          void *board)
{
    enum { THREADS = chase_shape<BAND>::THREADS };
    __shared__ chase_shared<T, BAND> s;
    const int positions = ((int)n - 2) / BAND + 1, last = (int)n - 2, t = threadIdx.x;
    tri_cell<T> *const cells = (tri_cell<T> *)board;
    const chase_work<T, BAND> m = {
        (int)n, a, lda, d, e, vectors, tau, ldv, ldt, cells, cells + positions * (BAND + 1)};
    const bool alone = (int)gridDim.x >= positions;
    chase_tiles<T> tiles;
    if (blockIdx.x == 0 && t == 0)
        d[0] = real_part(a[0]);
    for (int time = 0; time <= 2 * last; time++)
        for (int j = blockIdx.x; j < positions && j <= time; j += gridDim.x) {
            const int sweep = (time - j) / 2;
            if ((time - j) % 2 || sweep + j * BAND > last)
                continue;
            T *const own = kept + (long long)j * 32 * THREADS + t;
            if (sweep == 0)
                chase_fetch(m, j, tiles);
            else if (!alone)
#pragma unroll
                for (int k = 0; k < 16; k++) {
                    tiles.off[k / 4][k % 4] = own[k * THREADS];
                    tiles.square[k / 4][k % 4] = own[(16 + k) * THREADS];
                }
            chase_step<WAITS>(m, s, tiles, sweep, j);
            if (!alone) {
#pragma unroll
                for (int k = 0; k < 16; k++) {
                    own[k * THREADS] = tiles.off[k / 4][k % 4];
                    own[(16 + k) * THREADS] = tiles.square[k / 4][k % 4];
                }
                __syncthreads();
            }
        }
}

/* ---- vectors ---- */

/* The reflections of BAND sweeps at one position, as columns of a matrix of 2 BAND rows: a group g
 * of sweeps at j touches rows (g + j) BAND + 1 to (g + j + 2) BAND - 1. Block b makes that of g + b
 * at j + b. */
template <class T, int BAND>
__global__ void chase_diamonds(long long n, long long g, long long j, const T *vectors,
                               long long ldv, T *out)
{
    const long long group = g + blockIdx.x, top = (group + j + blockIdx.x) * BAND;
    T *const v = out + blockIdx.x * (2LL * BAND * BAND);
    for (int k = threadIdx.x; k < 2 * BAND * BAND; k += blockDim.x) {
        const int i = k % (2 * BAND), c = k / (2 * BAND);
        const long long sweep = group * BAND + c;
        T x = zero<T>();
        if (i > c && i <= c + BAND && top + i < n && sweep < n - 1)
            x = vectors[top + i + sweep * ldv];
        v[k] = x;
    }
}

/* T of each I - V T V', from V' V and tau. A row a thread; V' V is not needed left of the column
 * that is done. */
template <class T, int BAND>
__global__ void chase_triangles(long long g, long long j, const T *gram, const T *tau,
                                long long ldt, T *out)
{
    __shared__ T square[BAND][BAND + 1];
    const int i = threadIdx.x;
    const long long at = blockIdx.x * (long long)(BAND * BAND);
    tau += (g + blockIdx.x) * BAND + (j + blockIdx.x) * ldt;
    for (int c = 0; c < BAND; c++)
        square[c][i] = gram[at + i + c * BAND];
    __syncthreads();
    for (int c = 0; c < BAND; c++) {
        T v = zero<T>();
        if (i == c)
            v = tau[c];
        else if (i < c) {
            for (int l = i; l < c; l++)
                mad(v, square[l][i], square[c][l]);
            v = negated(mul(tau[c], v));
        }
        __syncthreads();
        square[c][i] = v;
        __syncthreads();
    }
    for (int c = 0; c < BAND; c++)
        out[at + i + c * BAND] = square[c][i];
}

/* A sum of matrices, `stride` elements apart. */
template <class T>
__global__ void sum_parts(long long count, const T *from, long long stride, int parts, T *to)
{
    EACH_OF(e, count)
    {
        T sum = zero<T>();
        for (int p = 0; p < parts; p++)
            sum = add(sum, from[e + p * stride]);
        to[e] = sum;
    }
}
