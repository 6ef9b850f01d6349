/* Eigenvectors of tridiagonal matrices by halves (divide and conquer, as Cuppen, Gu and Eisenstat have it): the leaves, and for each merge the
 * roots of the secular equation, the vectors of D + rho z z', and what is to be multiplied with them.
 *
 * Roots and vectors are computed in f64 whatever Q's type is. A root is kept as its distance from the nearer pole, since it is the distances
 * to the poles that vectors are made of; z is computed again from the roots, so that vectors are orthogonal however close roots are. */
#pragma once
#include "device/solver/util.h"

enum { DIVIDE_WARPS = 4, DIVIDE_THREADS = 32 * DIVIDE_WARPS, LEAF_STEPS = 50 };

__device__ inline double sum_of_warp(double v)
{
    for (int mask = 16; mask; mask /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, mask);
    return v;
}
__device__ inline double product_of_warp(double v)
{
    for (int mask = 16; mask; mask /= 2)
        v *= __shfl_xor_sync(0xffffffffu, v, mask);
    return v;
}

/* ---- leaves: QL steps, a row of the vectors a thread ---- */

/* One QL step on rows [from, to] with Wilkinson's shift; thread t has row t of z. */
__device__ inline void leaf_step(double *d, double *e, int from, int to, double (*z)[DIVIDE_LEAF + 1], int t)
{
    double g = (d[from + 1] - d[from]) / (2.0 * e[from]), r = hypot(g, 1.0);
    g = d[to] - d[from] + e[from] / (g + (g >= 0.0 ? r : -r));
    double s = 1.0, c = 1.0, p = 0.0;
    int i = to - 1;
    bool whole = true;
    for (; i >= from; i--) {
        const double f = s * e[i], b = c * e[i];
        r = hypot(f, g);
        __syncthreads(); /* all have read what one writes */
        if (t == 0)
            e[i + 1] = r;
        if (r == 0.0) {
            if (t == 0) {
                d[i + 1] -= p;
                e[to] = 0.0;
            }
            whole = false;
            break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double q = (d[i] - g) * s + 2.0 * c * b;
        p = s * q;
        __syncthreads();
        if (t == 0)
            d[i + 1] = g + p;
        g = c * q - b;
        const double x = z[t][i + 1], y = z[t][i];
        z[t][i + 1] = s * y + c * x;
        z[t][i] = c * y - s * x;
        __syncthreads();
    }
    __syncthreads();
    if (whole && t == 0) {
        d[from] -= p;
        e[from] = g;
        e[to] = 0.0;
    }
    __syncthreads();
}

/* Part blockIdx.x of the matrix, rows starts[x] to starts[x + 1]: its eigenvalues to d, vectors to Q. bad counts what does not converge. */
template <class R> __global__ void divide_leaf(const long long *starts, double *d, const double *e, R *q, long long ldq, int *bad)
{
    __shared__ double ds[DIVIDE_LEAF], es[DIVIDE_LEAF], z[DIVIDE_LEAF][DIVIDE_LEAF + 1];
    const int t = threadIdx.x;
    const long long at = starts[blockIdx.x];
    const int n = (int)(starts[blockIdx.x + 1] - at);
    ds[t] = t < n ? d[at + t] : 0.0;
    es[t] = t + 1 < n ? e[at + t] : 0.0;
    for (int j = 0; j < DIVIDE_LEAF; j++)
        z[t][j] = t == j ? 1.0 : 0.0;
    __syncthreads();
    int left = 0;
    for (int k = 0; k < n; k++)
        for (int step = 0;; step++) {
            int to = k;
            for (; to + 1 < n; to++) {
                const double size = fabs(ds[to]) + fabs(ds[to + 1]);
                if (fabs(es[to]) <= 1.2e-16 * size)
                    break;
            }
            if (to == k)
                break;
            if (step == LEAF_STEPS) {
                left++;
                break;
            }
            __syncthreads();
            leaf_step(ds, es, k, to, z, t);
        }
    __syncthreads();
    if (t < n) {
        d[at + t] = ds[t];
        for (int j = 0; j < n; j++)
            q[at + t + (at + j) * ldq] = (R)z[t][j];
    }
    if (t == 0 && left)
        atomicAdd(bad, left);
}

/* ---- merges: blockIdx.y is the merge ---- */

/* The last row of each upper part's vectors and the first of each lower one's. */
template <class R> __global__ void divide_rows(const divide_merge *merges, const R *q, long long ldq, double *z)
{
    const divide_merge m = merges[blockIdx.y];
    EACH_OF (j, m.upper + m.lower)
        z[m.at + j] = (double)q[m.at + m.upper - (j < m.upper ? 1 : 0) + (m.at + j) * ldq];
}

/* Rotations of columns, one row a thread. */
template <class R>
__global__ void divide_rotate(const divide_merge *merges, R *q, long long ldq, const long long *first, const long long *second, const double *cosine, const double *sine)
{
    const divide_merge m = merges[blockIdx.y];
    EACH_OF (i, m.upper + m.lower) {
        R *row = q + m.at + i;
        for (long long k = m.at; k < m.at + m.rotations; k++) {
            const R c = (R)cosine[k], s = (R)sine[k], x = row[first[k] * ldq], y = row[second[k] * ldq];
            row[first[k] * ldq] = c * x + s * y;
            row[second[k] * ldq] = c * y - s * x;
        }
    }
}

/* What the secular equation and its derivative are at x, poles up to j apart from those after it: lanes share the poles. */
struct secular {
    double below, below_slope, above, above_slope;
};
__device__ inline secular secular_at(long long k, const double *d, const double *z, long long j, double origin, double x)
{
    secular f = {0, 0, 0, 0};
    for (long long i = threadIdx.x % 32; i < k; i += 32) {
        const double t = z[i] / ((d[i] - origin) - x), v = z[i] * t, slope = t * t;
        if (i <= j) {
            f.below += v;
            f.below_slope += slope;
        } else {
            f.above += v;
            f.above_slope += slope;
        }
    }
    f.below = sum_of_warp(f.below);
    f.below_slope = sum_of_warp(f.below_slope);
    f.above = sum_of_warp(f.above);
    f.above_slope = sum_of_warp(f.above_slope);
    return f;
}

/* The root of a x^2 + b x + c between low and high; their middle where rounding has left none. */
__device__ inline double root_between(double a, double b, double c, double low, double high)
{
    const double under = b * b - 4.0 * a * c, root = sqrt(under > 0.0 ? under : 0.0), q = -0.5 * (b + (b >= 0.0 ? root : -root));
    const double x = q / a, y = c / q;
    if (x > low && x < high)
        return x;
    if (y > low && y < high)
        return y;
    return 0.5 * (low + high);
}

/* Root j: its distance from the pole that *nearest becomes. */
__device__ inline double secular_root(long long k, const double *d, const double *z, double rho, long long j, long long *nearest)
{
    enum { STEPS = 40, MOST = 400 };
    const double one_over = 1.0 / rho, eps = 1.1102230246251565e-16;
    const bool last = j + 1 == k;
    double origin = d[j], low = 0.0, high, x;
    *nearest = j;
    if (last) {
        double size = 0.0;
        for (long long i = threadIdx.x % 32; i < k; i += 32)
            size += z[i] * z[i];
        high = rho * sum_of_warp(size);
        x = 0.5 * high;
    } else {
        /* Which half the root is in says which pole is nearer; the two poles and what the others give there say about where. */
        const double gap = d[j + 1] - d[j], u = z[j] * z[j], v = z[j + 1] * z[j + 1];
        const secular f = secular_at(k, d, z, j, d[j], 0.5 * gap);
        const double all = one_over + f.below + f.above, others = all + 2.0 * u / gap - 2.0 * v / gap;
        if (all >= 0.0) {
            high = 0.5 * gap;
            x = root_between(others, -(others * gap + u + v), u * gap, low, high);
        } else {
            *nearest = j + 1;
            origin = d[j + 1];
            low = -0.5 * gap;
            high = 0.0;
            x = root_between(others, others * gap - u - v, -v * gap, low, high);
        }
    }
    for (int step = 0; step < MOST; step++) {
        const secular f = secular_at(k, d, z, j, origin, x);
        const double w = one_over + f.below + f.above, size = one_over - f.below + f.above, slope = f.below_slope + f.above_slope;
        if (fabs(w) <= eps * (8.0 * size + fabs(x) * slope))
            break;
        if (w < 0.0)
            low = x;
        else
            high = x;
        double next;
        if (step >= STEPS) {
            next = 0.5 * (low + high);
        } else if (last) {
            const double distance = (d[j] - origin) - x, rest = one_over + f.below - distance * f.below_slope;
            next = x + distance + distance * distance * f.below_slope / rest;
        } else {
            const double p = (d[j] - origin) - x, q = (d[j + 1] - origin) - x, c = w - p * f.below_slope - q * f.above_slope;
            next = x + root_between(c, p * q * slope - (p + q) * w, p * q * w, low - x, high - x);
        }
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (next == x || !(next > low && next < high))
            break;
        x = next;
    }
    return x;
}

/* A root a warp. */
__global__ void divide_roots(const divide_merge *merges, const double *d, const double *z, double *roots, double *values, long long *poles)
{
    const divide_merge m = merges[blockIdx.y];
    const long long j = blockIdx.x * (long long)DIVIDE_WARPS + threadIdx.x / 32;
    if (j >= m.count)
        return;
    long long nearest;
    const double x = secular_root(m.count, d + m.at, z + m.at, m.rho, j, &nearest);
    if (threadIdx.x % 32 == 0) {
        roots[m.at + j] = x;
        poles[m.at + j] = nearest;
        values[m.at + j] = d[m.at + nearest] + x;
    }
}

/* The z whose equation has exactly these roots, but for a factor; an element a warp. */
__global__ void divide_again(const divide_merge *merges, const double *d, const double *z, const double *roots, const long long *poles, double *again)
{
    const divide_merge m = merges[blockIdx.y];
    const long long i = blockIdx.x * (long long)DIVIDE_WARPS + threadIdx.x / 32;
    if (i >= m.count)
        return;
    d += m.at;
    double v = 1.0;
    for (long long j = threadIdx.x % 32; j < m.count; j += 32) {
        const double to = (d[poles[m.at + j]] - d[i]) + roots[m.at + j];
        v *= j == i ? to : to / (d[j] - d[i]);
    }
    v = sqrt(fabs(product_of_warp(v)));
    if (threadIdx.x % 32 == 0)
        again[m.at + i] = z[m.at + i] < 0.0 ? -v : v;
}

/* The vectors, of length 1, their elements in the order of Q's columns; one a warp. */
template <class R>
__global__ void divide_vectors(const divide_merge *merges, const double *d, const double *again, const double *roots, const long long *poles, const long long *order, R *s, long long lds)
{
    const divide_merge m = merges[blockIdx.y];
    const long long j = blockIdx.x * (long long)DIVIDE_WARPS + threadIdx.x / 32;
    if (j >= m.count)
        return;
    d += m.at;
    again += m.at;
    order += m.at;
    const double origin = d[poles[m.at + j]], x = roots[m.at + j];
    double square = 0.0;
    for (long long i = threadIdx.x % 32; i < m.count; i += 32) {
        const double v = again[i] / ((d[i] - origin) - x);
        square += v * v;
    }
    const double scale = 1.0 / sqrt(sum_of_warp(square));
    for (long long r = threadIdx.x % 32; r < m.count; r += 32) {
        const long long i = order[r];
        s[m.at + r + (m.at + j) * lds] = (R)(scale * (again[i] / ((d[i] - origin) - x)));
    }
}

/* Q's columns in their new order, to another matrix; back: those that stay, from there. */
template <class R>
__global__ void divide_gather(const divide_merge *merges, R *q, R *other, long long ld, const long long *columns, int back)
{
    const divide_merge m = merges[blockIdx.y];
    const long long rows = m.upper + m.lower, skip = back ? m.count : 0;
    EACH_IN (i, j, rows, rows - skip) {
        const long long r = m.at + i, c = m.at + skip + j;
        if (back)
            q[r + c * ld] = other[r + c * ld];
        else
            other[r + c * ld] = q[r + columns[c] * ld];
    }
}
