/* Jacobi's rotations for many small matrices on GPUs, a block each: what is rotated never leaves
 * the block's shared memory and registers.
 *
 * Columns sit in two rows of `half` places, and those of a place make a pair. After a round all but
 * the first move on by one place, in a ring, so that a sweep brings each together with each and
 * leaves all where they began. What a thread reads and where it writes it is the same in every
 * round. Of an odd number of columns there is one more, which is 0. */
#pragma once
#include "device/solver/jacobi.h"
#include "device/solver/warp.h"

/* col_p' = c col_p - g col_q, col_q' = conj(g) col_p + c col_q. */
template <class T> struct near_rotation {
    typename real_of<T>::type c;
    T g;
};
/* As rotation_of, without a division: (a, r) (r', b) becomes diagonal, a less by `moved` and b
 * more. */
template <class T>
__device__ inline near_rotation<T> near_rotation_of(typename real_of<T>::type a,
                                                    typename real_of<T>::type b, T r,
                                                    typename real_of<T>::type &moved)
{
    typedef typename real_of<T>::type R;
    near_rotation<T> o;
    const R d = b - a, rr = squared(r), square = d * d + R(4) * rr;
    if (!(square > nearly_nothing(R(0)))) { /* its digits are not all there */
        const rotation<T> slow = rotation_of<T>(a, b, r);
        o.c = slow.c;
        o.g = mul(make<T>(slow.s, R(0)), slow.f);
        moved = slow.s / slow.c * length(r);
        return o;
    }
    const R under = reciprocal_root(square), cc = R(0.5) * fabs(d) * under + R(0.5),
            up = reciprocal_root(cc);
    const R factor = (d < R(0) ? -under : under) * up;
    o.g = mul(make<T>(factor, R(0)), conjugate(r));
    o.c = cc * up;
    o.c += R(0.5) * up * (R(1) - o.c * o.c - squared(o.g)); /* so that both squares are 1 */
    moved = rr * factor * up;
    return o;
}
/* The same, and what is left beside the diagonal. */
template <class T>
__device__ inline near_rotation<T> near_rotation_of(typename real_of<T>::type a,
                                                    typename real_of<T>::type b, T r,
                                                    typename real_of<T>::type &moved, T &left)
{
    left = zero<T>();
    return near_rotation_of<T>(a, b, r, moved);
}
/* In double precision half of a round's time would be the angle's: its tangent is a float's, and
 * the rotation by it is a double's. Beside the diagonal 2^-22 of what was there is left, which the
 * next sweep finds, as it finds what other rotations bring. */
__device__ inline near_rotation<double> near_rotation_of(double a, double b, double r,
                                                         double &moved, double &left)
{
    near_rotation<double> o;
    const double d = b - a;
    /* Both times a power of two, so that the larger one is from 1 to 2. */
    const int high =
        max(__double2hiint(d) & 0x7fffffff, __double2hiint(r) & 0x7fffffff) & 0x7ff00000;
    const double up = __hiloint2double(max((2046 << 20) - high, 1 << 20), 0);
    const float fd = (float)(d * up), fr = (float)(r * up), square = fd * fd + 4.f * fr * fr;
    float length, quotient, tangent = 0.f, about;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(length) : "f"(square));
    asm("div.approx.f32 %0, %1, %2;" : "=f"(quotient) : "f"(2.f * fr), "f"(fabsf(fd) + length));
    if (square > 0.f)
        tangent = fd < 0.f ? -quotient : quotient;
    const double t = tangent, x = fma(t, t, 1.0);
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(about) : "f"(fmaf(tangent, tangent, 1.f)));
    const double y = about, e = fma(-(x * y), y, 1.0);
    o.c = fma(y * e, fma(0.375, e, 0.5), y);
    o.g = t * o.c;
    moved = o.g * (2.0 * o.c * r - o.g * d);
    left = (o.c - o.g) * (o.c + o.g) * r - o.c * o.g * d;
    return o;
}
template <class T> __device__ inline void near_rotate(const near_rotation<T> &o, T &p, T &q)
{
    typedef typename real_of<T>::type R;
    const T x = p, y = q, c = make<T>(o.c, R(0));
    p = mul(c, x);
    mad(p, negated(o.g), y);
    q = mul(c, y);
    mad(q, conjugate(o.g), x);
}

/* A thread's row of all columns, of which `half` pairs are there; what is beyond them is no more
 * than what was pushed there. Those are turned, too, by what is no rotation: without branches the
 * loads of a pair do not wait for the pair before. */
template <class T, int HALF> struct near_row {
    T top[HALF], bottom[HALF];
    template <int FROM, int END> __device__ __forceinline__ void rotate(const near_rotation<T> *r)
    {
#pragma unroll
        for (int k = FROM; k < END; k++)
            near_rotate(r[k], top[k], bottom[k]);
    }
    __device__ __forceinline__ void move_on(int half)
    {
        T last = bottom[0];
#pragma unroll
        for (int k = 1; k < HALF; k++)
            if (k == half - 1)
                last = top[k];
#pragma unroll
        for (int k = HALF - 1; k > 1; k--)
            top[k] = top[k - 1];
        if (HALF > 1 && half > 1)
            top[1] = bottom[0];
#pragma unroll
        for (int k = 0; k < HALF; k++)
            bottom[k] = k == half - 1 || k + 1 == HALF ? last : bottom[k + 1];
    }
};

/* ---- from both sides ---- */

/* Elements are kept at places: rows of top and bottom columns times columns of them, four
 * triangles, column after column, so that threads that go along one meet in no bank. Of the second
 * the diagonal is used, too: the pairs' own. The matrix's diagonal is apart. */
template <int HALF> __device__ __forceinline__ int near_at(int quarter, int k, int l)
{
    return quarter * (HALF * (HALF + 1) / 2) + l * (l + 1) / 2 + k;
}
template <class T, int HALF> struct near_square {
    T e[4 * (HALF * (HALF + 1) / 2)];
    typename real_of<T>::type d[2][HALF];
};
template <class T, int HALF> struct near_memory {
    near_square<T, HALF> a[2]; /* this round's and the next one's */
    near_rotation<T> r[2][HALF];
    typename real_of<T>::type sums[NEAR_WORKERS(HALF) / 32][3];
    int rank[2][HALF];
};
/* Where a column at place k of the top (0) or the bottom (1) goes after a round. */
struct near_place {
    int row, k;
};
__device__ inline near_place near_next(int row, int k, int half)
{
    near_place to = {row, k};
    if (row == 0 && k > 0) {
        to.row = k == half - 1;
        to.k = k == half - 1 ? k : k + 1;
    } else if (row == 1) {
        to.row = k == 0 && half > 1 ? 0 : 1;
        to.k = k == 0 ? (half > 1 ? 1 : 0) : k - 1;
    }
    return to;
}
/* An element's index in e; below: it is the conjugate of what is asked for. */
template <int HALF> __device__ inline int near_index(near_place i, near_place j, bool &below)
{
    const int there = near_at<HALF>(i.row * 2 + j.row, i.k, j.k),
              mirrored = near_at<HALF>(j.row * 2 + i.row, j.k, i.k);
    below = i.k > j.k || (i.k == j.k && i.row > j.row);
    return below ? mirrored : there;
}

/* The sums of all workers' values, for all of them; every thread of the block comes here. */
template <int HALF, class R> __device__ inline void near_totals(R (*sums)[3], R &x, R &y)
{
    const int warps = NEAR_WORKERS(HALF) / 32;
    x = sum_over_warp(x);
    y = sum_over_warp(y);
    if ((int)threadIdx.x < NEAR_WORKERS(HALF) && threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32][0] = x;
        sums[threadIdx.x / 32][1] = y;
    }
    __syncthreads();
    x = y = R(0);
    for (int k = 0; k < warps; k++) {
        x += sums[k][0];
        y += sums[k][1];
    }
}
template <int HALF, class R> __device__ inline R near_most(R (*sums)[3], R x)
{
    for (int mask = 16; mask; mask /= 2) {
        const R other = lane_at(x, mask);
        x = other > x ? other : x;
    }
    if ((int)threadIdx.x < NEAR_WORKERS(HALF) && threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32][2] = x;
    __syncthreads();
    x = R(0);
    for (int k = 0; k < NEAR_WORKERS(HALF) / 32; k++)
        x = sums[k][2] > x ? sums[k][2] : x;
    return x;
}

/* The triangle comes to its places, by workers; the result is the largest of a thread's elements.
 */
template <class T, int HALF>
__device__ inline typename real_of<T>::type near_load(int n, int half, const T *a, long long lda,
                                                      bool upper, near_square<T, HALF> &s)
{
    typedef typename real_of<T>::type R;
    const int t = threadIdx.x, even = 2 * half;
    R most = R(0);
    for (int p = t; t < NEAR_WORKERS(HALF) && p < even * even; p += NEAR_WORKERS(HALF)) {
        const int j = p / even, i = p - j * even;
        if (upper ? i > j : i < j)
            continue;
        const T v = i < n && j < n ? a[i + j * lda] : zero<T>();
        const near_place at = {i >= half, i >= half ? i - half : i},
                         to = {j >= half, j >= half ? j - half : j};
        const R size = i == j ? fabs(real_part(v)) : size_of(v);
        most = size > most ? size : most;
        if (i == j) {
            s.d[at.row][at.k] = real_part(v);
        } else {
            bool below;
            const int index = near_index<HALF>(at, to, below);
            s.e[index] = below ? conjugate(v) : v;
        }
    }
    return most;
}

/* A pair's own: what is beside the diagonal becomes little or 0. */
template <class T, int HALF>
__device__ __forceinline__ void near_turn_own(const near_square<T, HALF> &now,
                                              near_square<T, HALF> &next, int k, int half,
                                              near_rotation<T> &r)
{
    typedef typename real_of<T>::type R;
    const near_place top = near_next(0, k, half), bottom = near_next(1, k, half);
    bool below;
    const R a = now.d[0][k], b = now.d[1][k];
    R moved;
    T left;
    r = near_rotation_of(a, b, if_it_tells(a, b, now.e[near_at<HALF>(1, k, k)]), moved, left);
    next.d[top.row][top.k] = a - moved;
    next.d[bottom.row][bottom.k] = b + moved;
    const int to = near_index<HALF>(top, bottom, below);
    next.e[to] = below ? conjugate(left) : left;
}

/* What two pairs of places have in common: four elements, and where they go. */
template <int HALF> struct near_item {
    int k, l, to[4]; /* to: twice the index, and 1 where the conjugate goes there */
    __device__ __forceinline__ void begin(int number, int half)
    {
        l = 1;
        while (number >= l) /* the columns of a triangle */
            number -= l++;
        k = number;
#pragma unroll
        for (int q = 0; q < 4; q++) {
            bool below;
            const int index =
                near_index<HALF>(near_next(q / 2, k, half), near_next(q % 2, l, half), below);
            to[q] = 2 * index + below;
        }
    }
    template <class T>
    __device__ __forceinline__ void turn(const near_square<T, HALF> &now,
                                         near_square<T, HALF> &next,
                                         const near_rotation<T> *r) const
    {
        T v[4];
#pragma unroll
        for (int q = 0; q < 4; q++)
            v[q] = now.e[near_at<HALF>(q, k, l)];
        near_rotation<T> rows = r[k];
        const near_rotation<T> columns = r[l];
        rows.g = conjugate(rows.g);
        near_rotate(columns, v[0], v[1]);
        near_rotate(columns, v[2], v[3]);
        near_rotate(rows, v[0], v[2]);
        near_rotate(rows, v[1], v[3]);
#pragma unroll
        for (int q = 0; q < 4; q++)
            next.e[to[q] >> 1] = to[q] & 1 ? conjugate(v[q]) : v[q];
    }
};

/* The squares of what is beside the diagonal, and of it: a thread's. */
template <class T, int HALF>
__device__ __forceinline__ void
near_squares(const near_square<T, HALF> &s, const near_item<HALF> *items, int count, int half,
             typename real_of<T>::type &beside, typename real_of<T>::type &on)
{
    const int t = threadIdx.x;
    beside = on = typename real_of<T>::type(0);
    if (t >= NEAR_WORKERS(HALF))
        return;
#pragma unroll
    for (int m = 0; m < NEAR_EACH(HALF); m++)
        if (m * NEAR_WORKERS(HALF) + t < count)
#pragma unroll
            for (int q = 0; q < 4; q++)
                beside += squared(s.e[near_at<HALF>(q, items[m].k, items[m].l)]);
    if (t < half) {
        beside += squared(s.e[near_at<HALF>(1, t, t)]);
        on = s.d[0][t] * s.d[0][t] + s.d[1][t] * s.d[1][t];
    }
    beside *= typename real_of<T>::type(2);
}

/* Eigenvalues to values, in increasing order where it is asked for, and vectors to out, if it is
 * there, in the same one; report and info as jacobi_small has them. At most 2 HALF rows; out may be
 * the matrix. */
template <class T, int HALF>
__global__ void __launch_bounds__(NEAR_THREADS(HALF), HALF > 16 ? 2 : 4)
    syevj_near(int n, const T *as, long long lda, long long a_step, int upper, double tolerance,
               int sweeps, int sort, typename real_of<T>::type *values, T *outs, long long ldo,
               long long out_step, typename real_of<T>::type *report, int *info)
{
    typedef typename real_of<T>::type R;
    extern __shared__ __align__(16) double panel_shared[];
    static_assert(sizeof(near_memory<T, HALF>) <= NEAR_SHARED(HALF, sizeof(T)),
                  "what the host reserves");
    near_memory<T, HALF> &s = *(near_memory<T, HALF> *)panel_shared;
    enum { WORKERS = NEAR_WORKERS(HALF) };
    const int t = threadIdx.x, half = (n + 1) / 2, count = half * (half - 1) / 2, row = t - WORKERS;
    const bool turns = t >= WORKERS && outs;
    T *const out = outs ? outs + blockIdx.x * out_step : NULL;
    near_item<HALF> items[NEAR_EACH(HALF)];
    near_row<T, HALF> v;
    R beside = R(0), all = R(0);
    int done = 0, now = 0, pending = 0, parity = 0;
    const R middle = to_middle(near_most<HALF>(
        s.sums, near_load<T, HALF>(n, half, as + blockIdx.x * a_step, lda, upper, s.a[0])));
    if (t < WORKERS) {
#pragma unroll
        for (int m = 0; m < NEAR_EACH(HALF); m++)
            if (m * WORKERS + t < count)
                items[m].begin(m * WORKERS + t, half);
        if (middle != R(1)) {
#pragma unroll
            for (int m = 0; m < NEAR_EACH(HALF); m++)
                if (m * WORKERS + t < count)
                    for (int q = 0; q < 4; q++) {
                        T &e = s.a[0].e[near_at<HALF>(q, items[m].k, items[m].l)];
                        e = scaled(e, middle);
                    }
            if (t < half) {
                T &e = s.a[0].e[near_at<HALF>(1, t, t)];
                e = scaled(e, middle);
                s.a[0].d[0][t] *= middle;
                s.a[0].d[1][t] *= middle;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < HALF; k++) {
        v.top[k] = row == k ? one<T>() : zero<T>();
        v.bottom[k] = row == k + half ? one<T>() : zero<T>();
    }
    if (t < 2 * HALF && t % HALF >= half) {
        near_rotation<T> &none = s.r[t / HALF][t % HALF];
        none.c = R(1);
        none.g = zero<T>();
    }
    __syncthreads();
    for (;; done++) {
        R on;
        near_squares(s.a[now], items, count, half, beside, on);
        near_totals<HALF>(s.sums, beside, on);
        all = beside + on;
        if (is_diagonal(beside, all, R(tolerance)) || !is_number(all) || done == sweeps)
            break;
        for (int round = 0; round < 2 * half - 1; round++, parity ^= 1, now ^= 1) {
            if (t < half)
                near_turn_own(s.a[now], s.a[now ^ 1], t, half, s.r[parity][t]);
            else if (turns && pending) /* the vectors are a round behind, half of them while angles
                                          are found */
                v.template rotate<0, HALF * 3 / 4>(s.r[parity ^ 1]);
            __syncthreads();
            if (turns && pending) {
                v.template rotate<HALF * 3 / 4, HALF>(s.r[parity ^ 1]);
                v.move_on(half);
            }
            pending = 1;
            if (t < WORKERS)
#pragma unroll
                for (int m = 0; m < NEAR_EACH(HALF); m++)
                    if (m * WORKERS + t < count)
                        items[m].turn(s.a[now], s.a[now ^ 1], s.r[parity]);
            __syncthreads();
        }
    }
    if (turns && pending) {
        v.template rotate<0, HALF>(s.r[parity ^ 1]);
        v.move_on(half);
    }
    if (t < n) { /* all are where they began */
        const R own = s.a[now].d[t >= half][t >= half ? t - half : t];
        int at = sort ? 0 : t;
        for (int j = 0; sort && j < n; j++) {
            const R other = s.a[now].d[j >= half][j >= half ? j - half : j];
            at += other < own || (other == own && j < t);
        }
        s.rank[t >= half][t >= half ? t - half : t] = at;
        values[(long long)blockIdx.x * n + at] = own / middle;
    }
    __syncthreads();
    if (turns && row < n) {
#pragma unroll
        for (int k = 0; k < HALF; k++) {
            if (k < half)
                out[row + s.rank[0][k] * ldo] = v.top[k];
            if (k + half < n)
                out[row + s.rank[1][k] * ldo] = v.bottom[k];
        }
    }
    if (t == 0) {
        report[2 * blockIdx.x] = sqrt(beside) / middle;
        report[2 * blockIdx.x + 1] = R(done);
        info[blockIdx.x] = is_diagonal(beside, all, R(tolerance)) ? 0 : n + 1;
    }
}

/* ---- from one side ---- */

enum { NEAR_COLUMN = 2 * NEAR_SVD_HALF };

/* A warp has a row of X a lane. Squares of each pair's columns and their product, for the lanes 2 k
 * of pair k. */
template <class T>
__device__ __forceinline__ void near_products(const near_row<T, NEAR_SVD_HALF> &x,
                                              typename real_of<T>::type &pp,
                                              typename real_of<T>::type &qq, T &pq)
{
    typedef typename real_of<T>::type R;
    const int lane = threadIdx.x % 32;
    R square[NEAR_SVD_HALF];
    T product[NEAR_SVD_HALF];
#pragma unroll
    for (int k = 0; k < NEAR_SVD_HALF; k++)
        product[k] = mul(conjugate(x.top[k]), x.bottom[k]);
    pq = warp_sums<NEAR_SVD_HALF, T>::of(product, lane, 16);
#pragma unroll
    for (int k = 0; k < NEAR_SVD_HALF; k++)
        square[k] = squared(x.top[k]);
    pp = warp_sums<NEAR_SVD_HALF, R>::of(square, lane, 16);
#pragma unroll
    for (int k = 0; k < NEAR_SVD_HALF; k++)
        square[k] = squared(x.bottom[k]);
    qq = warp_sums<NEAR_SVD_HALF, R>::of(square, lane, 16);
}

/* Column j of what a lane has a row of: of a matrix, by whatever distances its rows and columns
 * lie, or of the identity. */
template <class T> struct near_source {
    const T *a; /* NULL: the identity */
    long long row, col;
    int rows, cols;
    bool adjoint;
    __device__ __forceinline__ T at(int j) const
    {
        const int lane = threadIdx.x % 32;
        T v = make<T>(!a && lane == j ? 1 : 0, 0);
        if (a && j < cols && lane < rows)
            v = a[lane * row + j * col];
        return adjoint ? conjugate(v) : v;
    }
};
/* And where it goes, in the order of rank and each column times its own number. */
template <class T> struct near_target {
    T *a; /* NULL: nowhere */
    long long lda;
    int rows, cols;
    const typename real_of<T>::type *by;
    const int *rank;
    __device__ __forceinline__ void put(int j, T v) const
    {
        const int lane = threadIdx.x % 32;
        if (a && j < cols && lane < rows)
            a[lane + rank[j] * lda] = scaled(v, by[j]);
    }
};

/* As complete of jacobi.h, by a warp that has a row a lane. */
template <class T>
__device__ inline void near_complete(int n, columns_there<typename real_of<T>::type> there, T *u,
                                     long long ldu)
{
    typedef typename real_of<T>::type R;
    const int lane = threadIdx.x % 32;
    int axis = 0;
    for (int k = 0; k < n; k++)
        for (bool found = there(k); axis < n && !found; axis++) {
            T c = lane == axis ? one<T>() : zero<T>();
            R size = R(1);
            for (int again = 0; again < 2; again++) {
                for (int l = 0; l < n; l++) {
                    if (l >= k && !there(l))
                        continue;
                    const T other = lane < n ? u[lane + l * ldu] : zero<T>();
                    c = sub(c, mul(sum_over_warp(mul(conjugate(other), c)), other));
                }
                size = sqrt(sum_over_warp(squared(c)));
                if (size * size * R(4 * n) < R(1))
                    break;
                c = over(c, make<T>(size, R(0)));
            }
            found = size * size * R(4 * n) >= R(1);
            if (found && lane < n)
                u[lane + k * ldu] = c;
        }
}

/* As svd_small of jacobi.h, of at most 32 rows: one warp turns X, the other one V. */
template <class T>
__global__ void __launch_bounds__(64)
    svd_near(int rows, int cols, const T *as, long long lda, int adjoint, double tolerance,
             int sweeps, int sort, typename real_of<T>::type *values, T *us, long long ldu,
             long long u_step, T *ws, long long ldw, long long w_step,
             typename real_of<T>::type *report, int *info)
{
    typedef typename real_of<T>::type R;
    enum { HALF = NEAR_SVD_HALF };
    __shared__ near_rotation<T> r[2][HALF];
    __shared__ R norms[NEAR_COLUMN],
        by[2][NEAR_COLUMN]; /* by: what columns of V and of U are multiplied with */
    __shared__ int rank[NEAR_COLUMN], left;
    const int t = threadIdx.x, lane = t % 32, half = (cols + 1) / 2, z = blockIdx.x;
    const bool first = t < 32;
    const T *const none = NULL, *const a = as + z * lda * (adjoint ? rows : cols);
    near_row<T, HALF> x;
    R largest = R(0), square = R(0), worst = R(0);
    const near_source<T> from = {first ? a : none, adjoint ? lda : 1, adjoint ? 1 : lda, rows, cols,
                                 first && adjoint};
#pragma unroll
    for (int k = 0; k < HALF; k++) {
        x.top[k] = k < half ? from.at(k) : zero<T>();
        x.bottom[k] = k < half ? from.at(k + half) : zero<T>();
        const R p = size_of(x.top[k]), q = size_of(x.bottom[k]), most = p > q ? p : q;
        largest = most > largest ? most : largest;
    }
    for (int mask = 16; mask; mask /= 2) {
        const R other = lane_at(largest, mask);
        largest = other > largest ? other : largest;
    }
    const R middle = to_middle(largest); /* V's is 1 */
#pragma unroll
    for (int k = 0; k < HALF; k++) {
        if (middle != R(1)) {
            x.top[k] = scaled(x.top[k], middle);
            x.bottom[k] = scaled(x.bottom[k], middle);
        }
        square += squared(x.top[k]) + squared(x.bottom[k]);
    }
    const R least = R(tolerance) * sqrt(sum_over_warp(square)); /* as svd_round's */
    int done = 0, parity = 0;
    bool again = true;
    for (; again && done < sweeps; done++) {
        bool turned = false;
        worst = R(0);
        for (int round = 0; round < 2 * half - 1; round++, parity ^= 1) {
            if (first) {
                near_rotation<T> o;
                R pp, qq, unused;
                T pq;
                near_products(x, pp, qq, pq);
                o.c = R(1);
                o.g = zero<T>();
                const R size = lane / 2 < half ? length(pq) : R(0), long_p = sqrt(pp),
                        long_q = sqrt(qq);
                if (size > R(tolerance) * long_p * long_q) {
                    turned = turned || (long_p > least && long_q > least);
                    o = near_rotation_of<T>(pp, qq, pq, unused);
                } else if (size > worst) {
                    worst = size;
                }
                if (lane % 2 == 0)
                    r[parity][lane / 2] = o;
            }
            __syncthreads();
            x.template rotate<0, HALF>(r[parity]);
            x.move_on(half);
        }
        if (first) {
            const bool any = __any_sync(0xffffffffu, turned);
            if (lane == 0)
                left = any;
        }
        __syncthreads();
        again = left;
        __syncthreads();
    }
    if (first) {
        R pp, qq;
        T unused;
        near_products(x, pp, qq, unused);
        if (lane % 2 == 0 && lane / 2 < half) {
            norms[lane / 2] = sqrt(pp);
            norms[lane / 2 + half] = sqrt(qq);
        }
        __syncwarp();
        if (lane < cols) {
            int at = sort ? 0 : lane;
            for (int j = 0; sort && j < cols; j++)
                at += norms[j] > norms[lane] || (norms[j] == norms[lane] && j < lane);
            rank[lane] = at;
            by[0][lane] = R(1);
            by[1][lane] = norms[lane] > nearly_nothing(R(0)) ? R(1) / norms[lane] : R(0);
            values[(long long)z * cols + at] = norms[lane] / middle;
        }
    }
    __syncthreads();
    T *const u = us ? us + z * u_step : us, *const w = ws ? ws + z * w_step : ws;
    const near_target<T> to = {first ? u : w, first ? ldu : ldw, first ? rows : cols,
                               cols,          by[first],         rank};
#pragma unroll
    for (int k = 0; k < HALF; k++)
        if (k < half) {
            to.put(k, x.top[k]);
            to.put(k + half, x.bottom[k]);
        }
    if (!first)
        return;
    R most = R(0);
    for (int j = 0; j < cols; j++)
        most = norms[j] > most ? norms[j] : most;
    if (u)
        near_complete(rows, columns_there<R>{values + (long long)z * cols, cols, middle, least}, u,
                      ldu);
    for (int mask = 16; mask; mask /= 2) {
        const R other = lane_at(worst, mask);
        worst = other > worst ? other : worst;
    }
    if (lane == 0) {
        report[2 * z] = most > R(0) ? worst / most : R(0);
        report[2 * z + 1] = R(done);
        info[z] = again || !is_number(least) ? cols + 1 : 0;
    }
}
