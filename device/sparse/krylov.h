/* Krylov methods: vectors by all threads, scalars (doubles, in one array) by one. Once s[KRYLOV_DONE] is not zero, nothing changes any more. */
#pragma once
#include "device/sparse/walk.h"
#include "device/sparse/krylov_scalars.h"

/* s[to] = x . y, in two steps. */
template <class T> __global__ void krylov_dot(long long n, const T *x, const T *y, double *parts)
{
    __shared__ double part[4];
    double sum = 0;
    EACH_ELEMENT (i, n)
        sum += (double)x[i] * (double)y[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            sum += part[w];
        parts[blockIdx.x] = sum;
    }
}
__global__ void krylov_total(int n, const double *parts, double *s, int to)
{
    double sum = 0;
    for (int k = threadIdx.x; k < n; k += 32)
        sum += parts[k];
    sum = warp_sum(sum);
    if (threadIdx.x == 0 && s[KRYLOV_DONE] == 0.0)
        s[to] = sum;
}
/* z = s[a] * x + s[b] * y; any two may be the same vector. */
template <class T> __global__ void krylov_combine(long long n, const double *s, int a, const T *x, int b, const T *y, T *z)
{
    if (s[KRYLOV_DONE] != 0.0)
        return;
    const T u = (T)s[a], v = (T)s[b];
    EACH_ELEMENT (i, n)
        z[i] = u * x[i] + v * y[i];
}
/* z = r / diagonal */
template <class T> __global__ void krylov_jacobi(long long n, const T *diagonal, const T *r, T *z)
{
    EACH_ELEMENT (i, n)
        z[i] = r[i] / diagonal[i];
}
template <class W, class T> __global__ void krylov_diagonal(sparse_view v, T *diagonal)
{
    const W w(v);
    EACH_LINE (line, v.lines) {
        const long long n = w.length(line);
        if (threadIdx.x % 32 == 0)
            diagonal[line] = T(1);
        __syncwarp();
        for (long long k = threadIdx.x % 32; k < n; k += 32)
            if (w.column(line, k) == line)
                diagonal[line] = ((const T *)v.values)[w.place(line, k)];
    }
}

__device__ inline void krylov_check(double *s, double size)
{
    s[KRYLOV_RESIDUAL] = s[KRYLOV_FIRST] > 0 ? size / s[KRYLOV_FIRST] : size;
    if (!(size == size))
        s[KRYLOV_DONE] = -1;
    else if (size <= s[KRYLOV_TOLERANCE] * s[KRYLOV_FIRST])
        s[KRYLOV_DONE] = 1;
}
/* A quotient, or the end. */
__device__ inline double krylov_over(double *s, double a, double b)
{
    if (b == 0) {
        if (s[KRYLOV_DONE] == 0)
            s[KRYLOV_DONE] = -1;
        return 0;
    }
    return a / b;
}

/* The scalars between the vectors' steps. */
__global__ void krylov_stage(double *s, int stage, int j, int m)
{
    if (s[KRYLOV_DONE] != 0.0)
        return;
    double *const h = s + KRYLOV_MATRIX, *const cosine = h + (m + 1) * m, *const sine = cosine + m, *const g = sine + m, *const y = g + m + 1;
    switch (stage) {
    case STAGE_BEGIN: /* A: |b|^2, B: |r|^2 */
        s[KRYLOV_FIRST] = sqrt(s[KRYLOV_A]);
        krylov_check(s, sqrt(s[KRYLOV_B]));
        s[KRYLOV_A] = s[KRYLOV_C] = s[KRYLOV_E] = 1;
        break;
    case STAGE_FIRST: s[KRYLOV_FIRST] = sqrt(s[KRYLOV_A]); break; /* A: |b|^2 */
    case STAGE_CG_ALPHA: /* A: r.z, B: p.q */
        s[KRYLOV_C] = krylov_over(s, s[KRYLOV_A], s[KRYLOV_B]);
        s[KRYLOV_D] = -s[KRYLOV_C];
        break;
    case STAGE_CG_BETA: /* B: the new r.z, E: |r|^2 */
        s[KRYLOV_C] = krylov_over(s, s[KRYLOV_B], s[KRYLOV_A]);
        s[KRYLOV_A] = s[KRYLOV_B];
        s[KRYLOV_ITERATIONS] += 1;
        krylov_check(s, sqrt(s[KRYLOV_E]));
        break;
    case STAGE_BI_BETA: { /* B: r^.r; A: the last; C: alpha; E: omega */
        const double beta = krylov_over(s, s[KRYLOV_B], s[KRYLOV_A]) * krylov_over(s, s[KRYLOV_C], s[KRYLOV_E]);
        s[KRYLOV_A] = s[KRYLOV_B];
        s[KRYLOV_F] = beta;
        s[KRYLOV_G] = -beta * s[KRYLOV_E];
        break;
    }
    case STAGE_BI_ALPHA: /* B: r^.v */
        s[KRYLOV_C] = krylov_over(s, s[KRYLOV_A], s[KRYLOV_B]);
        s[KRYLOV_D] = -s[KRYLOV_C];
        break;
    case STAGE_BI_OMEGA: /* F: t.s, G: t.t */
        s[KRYLOV_E] = s[KRYLOV_G] == 0 ? 0 : s[KRYLOV_F] / s[KRYLOV_G];
        s[KRYLOV_F] = -s[KRYLOV_E];
        break;
    case STAGE_BI_CHECK: /* G: |r|^2 */
        s[KRYLOV_ITERATIONS] += 1;
        krylov_check(s, sqrt(s[KRYLOV_G]));
        break;
    case STAGE_GM_BEGIN: /* B: |r|^2 */
        g[0] = sqrt(s[KRYLOV_B]);
        s[KRYLOV_STEPS] = 0;
        krylov_check(s, g[0]);
        s[KRYLOV_C] = g[0] > 0 ? 1 / g[0] : 0;
        break;
    case STAGE_GM_PROJECT: /* B: w.v_i, for i = j % (m + 1) of column j / (m + 1) */
        h[j / (m + 1) * (m + 1) + j % (m + 1)] = s[KRYLOV_B];
        s[KRYLOV_D] = -s[KRYLOV_B];
        break;
    case STAGE_GM_ROTATE: { /* B: |w|^2; column j */
        double *const c = h + j * (m + 1);
        c[j + 1] = sqrt(s[KRYLOV_B]);
        s[KRYLOV_C] = c[j + 1] > 0 ? 1 / c[j + 1] : 0;
        for (int i = 0; i < j; i++) {
            const double u = cosine[i] * c[i] + sine[i] * c[i + 1];
            c[i + 1] = cosine[i] * c[i + 1] - sine[i] * c[i];
            c[i] = u;
        }
        const double size = sqrt(c[j] * c[j] + c[j + 1] * c[j + 1]);
        cosine[j] = size > 0 ? c[j] / size : 1;
        sine[j] = size > 0 ? c[j + 1] / size : 0;
        c[j] = size;
        g[j + 1] = -sine[j] * g[j];
        g[j] = cosine[j] * g[j];
        s[KRYLOV_STEPS] = j + 1;
        s[KRYLOV_ITERATIONS] += 1;
        /* The solution is put together before anything stops: see STAGE_GM_SOLVE. */
        s[KRYLOV_RESIDUAL] = fabs(g[j + 1]) / (s[KRYLOV_FIRST] > 0 ? s[KRYLOV_FIRST] : 1);
        if (s[KRYLOV_RESIDUAL] <= s[KRYLOV_TOLERANCE] || s[KRYLOV_C] == 0)
            s[KRYLOV_DONE] = 2;
        break;
    }
    case STAGE_MR_BEGIN: /* A: z.v */
        s[KRYLOV_FIRST] = sqrt(s[KRYLOV_A]);
        s[MINRES_GAMMA] = s[KRYLOV_FIRST];
        s[MINRES_GAMMA_LAST] = 1;
        s[MINRES_ETA] = s[KRYLOV_FIRST];
        s[MINRES_C] = s[MINRES_C_LAST] = 1;
        s[MINRES_S] = s[MINRES_S_LAST] = 0;
        krylov_check(s, s[KRYLOV_FIRST]);
        if (s[KRYLOV_FIRST] == 0)
            s[KRYLOV_DONE] = 1;
        s[KRYLOV_C] = krylov_over(s, 1, s[MINRES_GAMMA]);
        break;
    case STAGE_MR_DELTA: /* B: z.Az */
        s[MINRES_DELTA] = s[KRYLOV_B];
        s[KRYLOV_D] = -s[KRYLOV_B] / s[MINRES_GAMMA];
        s[KRYLOV_E] = -s[MINRES_GAMMA] / s[MINRES_GAMMA_LAST];
        break;
    case STAGE_MR_ROTATE: { /* A: z.v of the next */
        const double next = sqrt(s[KRYLOV_A] > 0 ? s[KRYLOV_A] : 0), gamma = s[MINRES_GAMMA], delta = s[MINRES_DELTA];
        const double a0 = s[MINRES_C] * delta - s[MINRES_C_LAST] * s[MINRES_S] * gamma, a1 = sqrt(a0 * a0 + next * next);
        const double a2 = s[MINRES_S] * delta + s[MINRES_C_LAST] * s[MINRES_C] * gamma, a3 = s[MINRES_S_LAST] * gamma;
        const double c = krylov_over(s, a0, a1), n = a1 == 0 ? 0 : next / a1;
        s[KRYLOV_D] = a1 == 0 ? 0 : 1 / a1;
        s[KRYLOV_E] = a1 == 0 ? 0 : -a3 / a1;
        s[KRYLOV_F] = a1 == 0 ? 0 : -a2 / a1;
        s[KRYLOV_G] = c * s[MINRES_ETA];
        s[MINRES_ETA] = -n * s[MINRES_ETA];
        s[MINRES_C_LAST] = s[MINRES_C];
        s[MINRES_S_LAST] = s[MINRES_S];
        s[MINRES_C] = c;
        s[MINRES_S] = n;
        s[MINRES_GAMMA_LAST] = gamma;
        s[MINRES_GAMMA] = next;
        s[KRYLOV_C] = next > 0 ? 1 / next : 0;
        break;
    }
    case STAGE_MR_CHECK:
        s[KRYLOV_ITERATIONS] += 1;
        krylov_check(s, fabs(s[MINRES_ETA]));
        if (s[KRYLOV_DONE] == 0 && s[MINRES_GAMMA] == 0)
            s[KRYLOV_DONE] = 1; /* nothing is left to search in */
        break;
    case STAGE_SCALE: /* B: |w|^2 */
        s[KRYLOV_A] = sqrt(s[KRYLOV_B]);
        s[KRYLOV_C] = s[KRYLOV_A] > 0 ? 1 / s[KRYLOV_A] : 0;
        break;
    case STAGE_NEGATE: s[KRYLOV_D] = -s[KRYLOV_B]; break;
    default: break;
    }
}
/* GMRES: y from the triangle, where the cycle went on or has just ended. */
__global__ void krylov_triangle(double *s, int m)
{
    double *const h = s + KRYLOV_MATRIX, *const g = h + (m + 1) * m + 2 * m, *const y = g + m + 1;
    const bool ends = s[KRYLOV_DONE] == 2.0;
    const int n = s[KRYLOV_DONE] == 0.0 || ends ? (int)s[KRYLOV_STEPS] : 0;
    for (int i = 0; i < m; i++)
        y[i] = 0;
    for (int i = n - 1; i >= 0; i--) {
        double sum = g[i];
        for (int k = i + 1; k < n; k++)
            sum -= h[k * (m + 1) + i] * y[k];
        y[i] = h[i * (m + 1) + i] != 0 ? sum / h[i * (m + 1) + i] : 0;
    }
    s[KRYLOV_STEPS] = 0;
    if (ends)
        s[KRYLOV_DONE] = s[KRYLOV_RESIDUAL] <= s[KRYLOV_TOLERANCE] ? 1 : 3;
}
/* sum = the basis times y; always: y is zero where nothing is to be added. */
template <class T> __global__ void krylov_basis(long long n, int m, const T *basis, const double *y, T *sum)
{
    EACH_ELEMENT (i, n) {
        double v = 0;
        for (int k = 0; k < m; k++)
            if (y[k] != 0)
                v += y[k] * (double)basis[k * n + i];
        sum[i] = (T)v;
    }
}
template <class T> __global__ void krylov_add(long long n, const T *z, T *x)
{
    EACH_ELEMENT (i, n)
        x[i] += z[i];
}
