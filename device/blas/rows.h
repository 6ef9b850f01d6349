/* Factorisations of many small matrices on GPUs: a matrix a block, a row a thread, in registers.
 * Column k is a thread's first register in step k: what a step takes off moves all of them on by
 * one, so that no register is chosen by a number that is not known. At most ROWS rows. */
#pragma once
#include "device/blas/lapack.h"
#include "device/blas/rows_shared.h"

enum { ROWS_PART = 8 }; /* columns that are looked at together for whether they are still there */

template <int ROWS> __device__ __forceinline__ void rows_meet()
{
    if (ROWS > 32)
        __syncthreads();
    else
        __syncwarp();
}

/* Between registers and a row: parts are read and written whole, so that there are no branches
 * between their columns; what is behind the row's end is there, and nobody's. */
template <int ROWS, class T>
__device__ __forceinline__ void rows_store(const T (&v)[ROWS], T *to, int count)
{
#pragma unroll
    for (int part = 0; part < ROWS; part += ROWS_PART)
        if (part < count) {
#pragma unroll
            for (int q = 0; q < ROWS_PART; q++)
                to[part + q] = v[part + q];
        }
}
/* v[j] = v[j + 1] + g times what the row of the step has there, of `left` columns. */
template <int ROWS, bool CONJUGATED, class T>
__device__ __forceinline__ void rows_take_off(T (&v)[ROWS], T g, const T *row, int left)
{
#pragma unroll
    for (int part = 0; part < ROWS; part += ROWS_PART)
        if (part < left) {
#pragma unroll
            for (int q = 0; q < ROWS_PART; q++) {
                const int j = part + q;
                T x = v[j + 1 < ROWS ? j + 1 : j];
                mad(x, g, CONJUGATED ? conjugate(row[j]) : row[j]);
                v[j] = x;
            }
        }
}
/* The first `count` elements, at least one, that lie `step` apart; the others are 0. */
template <int ROWS, bool CONJUGATED, class T>
__device__ __forceinline__ void rows_load(T (&v)[ROWS], const T *from, long long step, int count)
{
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        const T x = from[(j < count ? j : 0) * step], y = CONJUGATED ? conjugate(x) : x;
        v[j] = j < count ? y : zero<T>();
    }
}

/* The largest of a warp's values, none of which is below 0, as whole numbers; of those that are as
 * large the least place. Who has none says so. */
__device__ __forceinline__ unsigned rows_first(bool counts, unsigned high, unsigned low,
                                               unsigned place)
{
    const unsigned most = __reduce_max_sync(0xffffffffu, counts ? high : 0u);
    counts = counts && high == most;
    const unsigned lower = __reduce_max_sync(0xffffffffu, counts ? low : 0u);
    return __reduce_min_sync(0xffffffffu, counts && low == lower ? place : 0xffffffffu);
}
__device__ __forceinline__ unsigned rows_first(bool counts, double v, unsigned place)
{
    return rows_first(counts, __double2hiint(v), __double2loint(v), place);
}
__device__ __forceinline__ unsigned rows_first(bool counts, float v, unsigned place)
{
    return rows_first(counts, __float_as_int(v), 0u, place);
}

/* The place of the largest value of all threads that wait, and, in its lower bits, whose it is; of
 * equal ones the upper place. No number is none; where all are none, the upper place. */
template <int ROWS, class R>
__device__ __forceinline__ int rows_pivot(R v, bool waits, int place, R *best, unsigned *where)
{
    const unsigned own = place * ROWS + threadIdx.x;
    const bool counts = waits && v == v;
    unsigned found = rows_first(counts, v, own);
    if (found == 0xffffffffu)
        found = rows_first(waits, R(0), own);
    if (ROWS == 32)
        return found;
    if (own == found || (threadIdx.x % 32 == 0 && found == 0xffffffffu)) {
        best[threadIdx.x / 32] = counts ? v : R(-1);
        where[threadIdx.x / 32] = found;
    }
    __syncthreads();
    return best[1] > best[0] || (best[1] == best[0] && where[1] < where[0]) ? where[1] : where[0];
}

/* 1 / d, as exact as quotients by d are, without a branch; of numbers that are not plain it is
 * none. The first guess is a float's, of d's 24 leading bits. */
__device__ __forceinline__ double rows_reciprocal(double d)
{
    const int high = __double2hiint(d), power = ((high >> 20) & 0x7ff) - 1023;
    const float m =
        __int_as_float((__funnelshift_l(__double2loint(d), high, 3) & 0x007fffff) + (127 << 23));
    float about;
    asm("rcp.approx.f32 %0, %1;" : "=f"(about) : "f"(m));
    const int bits = __float_as_int(about);
    const double y = __hiloint2double(((bits >> 3) + ((1023 - 127 - power) << 20)) |
                                          (high & (int)0x80000000),
                                      bits << 29),
                 e = fma(-d, y, 1.0);
    return fma(y, fma(e, e, e), y);
}
__device__ __forceinline__ float rows_reciprocal(float d)
{
    return 1.f / d;
}
template <class R> __device__ __forceinline__ complex<R> rows_reciprocal(complex<R> d)
{
    return over(one<complex<R>>(), d);
}
/* Neither it nor its reciprocal is near the range's ends. */
__device__ __forceinline__ bool rows_plain(double d)
{
    const int e = (__double2hiint(d) >> 20) & 0x7ff;
    return e > 2 && e < 2044;
}
__device__ __forceinline__ bool rows_plain(float d)
{
    return fabsf(d) > 0x1p-120f && fabsf(d) < 0x1p120f;
}
template <class R> __device__ __forceinline__ bool rows_plain(complex<R>)
{
    return false;
}

template <class R> __device__ __forceinline__ R rows_from(R v, int lane)
{
    return __shfl_sync(0xffffffffu, v, lane);
}
template <class R> __device__ __forceinline__ complex<R> rows_from(complex<R> v, int lane)
{
    complex<R> w = {rows_from(v.x, lane), rows_from(v.y, lane)};
    return w;
}

/* As getrf of lapack.h. Rows stay where they are: a thread knows the place that its row has come
 * to. What is done of a row is in shared memory, where the others read it once its turn has come.
 * Each thread has the reciprocal of its element before it is known whose will be the pivot. */
template <class T, int ROWS>
__global__ void __launch_bounds__(ROWS)
    getrf_rows(int n, T *const *as, long long lda, int *pivots, int *info, long long first)
{
    typedef typename real_of<T>::type R;
    extern __shared__ double near_shared[];
    __shared__ R best[2][2];
    __shared__ unsigned where[2][2];
    const long long z = blockIdx.x + first;
    T *const s = (T *)near_shared, *const a = as[z];
    const int t = threadIdx.x, ld = ROWS_PITCH(n);
    T *const own = s + t * ld;
    T v[ROWS];
    int bad = 0, place = t;
    bool waits = t < n; /* its turn has not come */
    rows_load<ROWS, false>(v, a + (t < n ? t : 0), lda, n);
    for (int k = 0; k < n; k++) {
        const T reciprocal = rows_reciprocal(v[0]);
        const R size = pivots ? size_of(v[0]) : R(0); /* equal ones: the place is k */
        const int found = rows_pivot<ROWS>(size, waits, place, best[k % 2], where[k % 2]),
                  from = found / ROWS, who = found % ROWS;
        T d, under;
        if (ROWS == 32) {
            d = rows_from(v[0], who);
            under = rows_from(reciprocal, who);
        }
        if (t == 0 && pivots)
            pivots[z * n + k] = from + 1;
        if (t == who) {
            rows_store(v, own + k, n - k);
            place = k;
            waits = false;
        } else if (place == k && waits) {
            place = from;
        }
        rows_meet<ROWS>();
        const T *const row = s + who * ld + k;
        if (ROWS > 32) {
            d = row[0];
            under = rows_reciprocal(d);
        }
        const bool none = is_zero(d);
        if (none && !bad)
            bad = k + 1;
        const T f = none ? v[0] : rows_plain(d) ? mul(v[0], under) : over(v[0], d);
        if (waits)
            own[k] = f;
        rows_take_off<ROWS, false>(v, none ? zero<T>() : negated(f), row + 1, n - k - 1);
    }
    for (int j = 0; t < n && j < n; j++)
        a[place + j * lda] = own[j];
    if (t == 0)
        info[z] = bad;
}

/* As potrf_near of near.h; where a pivot is not positive, columns from it on stay as they were. */
template <class T, int ROWS>
__global__ void __launch_bounds__(ROWS)
    potrf_rows(int n, T *const *as, long long lda, int upper, int *info)
{
    typedef typename real_of<T>::type R;
    __shared__ T column[2][ROWS + ROWS_PART];
    T *const a = as[blockIdx.x];
    const int t = threadIdx.x;
    const long long row = upper ? lda : 1, col = upper ? 1 : lda;
    T v[ROWS];
    int bad = 0;
    const int i = t < n ? t : 0;
    if (upper)
        rows_load<ROWS, true>(v, a + i * row, col, i + 1);
    else
        rows_load<ROWS, false>(v, a + i * row, col, i + 1);
    for (int k = 0; k < n; k++) {
        T *const now = column[k % 2];
        now[t] = v[0];
        rows_meet<ROWS>();
        const R d = real_part(now[k]);
        if (!(d > R(0))) {
            bad = k + 1;
            break;
        }
        const R part = R(1) / d, root = sqrt(d);
        const T under = make<T>(root * part, R(0)), g = mul(negated(v[0]), make<T>(part, R(0))),
                f = t == k ? make<T>(root, R(0)) : mul(v[0], under);
        if (t >= k && t < n)
            a[t * row + k * col] = upper ? conjugate(f) : f;
        rows_take_off<ROWS, true>(v, g, now + k + 1, n - k - 1);
    }
    if (t == 0)
        info[blockIdx.x] = bad;
}
