/* Sparse systems in one call, an eigenvalue near a number, orders and permutations. */
#include "lib/solver/sp_int.h"

#include <complex.h>
#undef complex /* a name of ours */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* reorder, as csrlsv… count them. */
static bool order_kind(int64_t reorder, enum sp_order *how)
{
    static const enum sp_order kinds[] = {SP_NATURAL, SP_RCM, SP_DEGREE, SP_DISSECTION};
    if (reorder < 0 || reorder > 3)
        return false;
    *how = kinds[reorder];
    return true;
}

static cusolverStatus_t memory_or(int bad)
{
    return bad == SP_NO_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}

enum method { CHOLESKY, ELIMINATE, REFLECT };

/* ---- A x = b ---- */

/* x, or in *singular which pivot there is not. */
static cusolverStatus_t solve(const struct sp_matrix *a, enum method how, enum sp_order order,
                              double tolerance, const void *b, void *x, int *singular)
{
    const struct sp_ops *ops = sp_ops_of(a->complex);
    int bad = SP_NO_MEMORY;
    void *f = NULL;
    if (how == CHOLESKY)
        f = ops->cholesky(a, sp_ordering(a, order), &bad);
    else if (how == ELIMINATE)
        f = ops->eliminate(a, sp_ordering(a, order), 1, &bad);
    else
        f = ops->reflect(a, sp_column_ordering(a, order), &bad);
    *singular = bad;
    if (!f)
        return memory_or(bad);
    if (how == CHOLESKY) {
        if ((*singular = ops->small_cholesky(f, tolerance)) < 0)
            ops->solve_cholesky(f, b, x);
        ops->free_cholesky(f);
    } else if (how == ELIMINATE) {
        if ((*singular = ops->small_eliminated(f, tolerance)) < 0)
            ops->solve_eliminated(f, b, x);
        ops->free_eliminated(f);
    } else {
        if ((*singular = ops->small_reflected(f, tolerance)) < 0)
            ops->solve_reflected(f, b, x);
        ops->free_reflected(f);
    }
    return CUSOLVER_STATUS_SUCCESS;
}

static double real_of(enum lib_type type, const void *at)
{
    return type == LIB_F32 || type == LIB_C32 ? (double)*(const float *)at : *(const double *)at;
}

static cusolverStatus_t system_of(cusolverSpHandle_t handle, const struct sp_source *s,
                                  enum method how, const void *b, const void *tol, int64_t reorder,
                                  void *x, int *singularity)
{
    struct sp_matrix a;
    enum sp_order order;
    SP_CALL(handle, singularity && b && x && order_kind(reorder, &order));
    cusolverStatus_t status = sp_load(handle, s, &a);
    if (status)
        return status;
    void *hb = sp_get(handle->stream, s->type, b, s->m, s->on_device);
    void *hx = calloc((size_t)s->n + 1, 16);
    if (!hb || !hx)
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    if (!status)
        status = solve(&a, how, order, real_of(s->type, tol), hb, hx, singularity);
    if (!status && *singularity < 0 && !sp_put(handle->stream, s->type, x, hx, s->n, s->on_device))
        status = CUSOLVER_STATUS_EXECUTION_FAILED;
    free(hb);
    free(hx);
    sp_free(&a);
    return status;
}

#define SYSTEM(name, how, device)                                                                  \
    cusolverStatus_t sp_##name(cusolverSpHandle_t handle, enum lib_type type, int64_t n,           \
                               int64_t nnz, const cusparseMatDescr_t descr, const void *val,       \
                               const int *ptr, const int *col, const void *b, const void *tol,     \
                               int64_t reorder, void *x, int *singularity)                         \
    {                                                                                              \
        const struct sp_source s = {(int)n, (int)n, (int)nnz, descr, type, val, ptr, col, device}; \
        return system_of(handle, &s, how, b, tol, reorder, x, singularity);                        \
    }
SYSTEM(csrlsvlu_host, ELIMINATE, false)
SYSTEM(csrlsvqr, REFLECT, true)
SYSTEM(csrlsvqr_host, REFLECT, false)
SYSTEM(csrlsvchol, CHOLESKY, true)
SYSTEM(csrlsvchol_host, CHOLESKY, false)

/* Least squares of a matrix of full rank. */
cusolverStatus_t sp_csrlsqvqr_host(cusolverSpHandle_t handle, enum lib_type type, int64_t m,
                                   int64_t n, int64_t nnz, const cusparseMatDescr_t descr,
                                   const void *val, const int *ptr, const int *col, const void *b,
                                   const void *tol, int *rank, void *x, int *p, void *min_norm)
{
    const struct sp_source s = {(int)m, (int)n, (int)nnz, descr, type, val, ptr, col, false};
    struct sp_matrix a;
    SP_CALL(handle, rank && b && x && p && min_norm && n <= m);
    cusolverStatus_t status = sp_load(handle, &s, &a);
    if (status)
        return status;
    const struct sp_ops *ops = sp_ops_of(a.complex);
    int bad, *order = sp_column_ordering(&a, SP_DEGREE);
    if (order)
        memcpy(p, order, (size_t)n * sizeof *p);
    void *f = ops->reflect(&a, order, &bad);
    void *hb = sp_get(handle->stream, type, b, m, false), *hx = calloc((size_t)n + 1, 16);
    if (!f || !hb || !hx) {
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    } else if (ops->small_reflected(f, real_of(type, tol)) >= 0) {
        status = CUSOLVER_STATUS_NOT_SUPPORTED;
    } else {
        const double left = ops->solve_reflected(f, hb, hx);
        *rank = (int)n;
        sp_put(handle->stream, type, x, hx, n, false);
        if (type == LIB_F32 || type == LIB_C32)
            *(float *)min_norm = (float)left;
        else
            *(double *)min_norm = left;
    }
    ops->free_reflected(f);
    free(hb);
    free(hx);
    sp_free(&a);
    return status;
}

/* ---- the eigenvalue that is next to a number ---- */

/* A - mu I, with a diagonal where there was none; all complex. */
static bool shifted(const struct sp_matrix *a, double _Complex mu, struct sp_matrix *out)
{
    const size_t count = (size_t)a->ptr[a->m] + (size_t)a->m;
    *out = (struct sp_matrix){.m = a->m, .n = a->n, .complex = true};
    out->ptr = calloc((size_t)a->m + 1, sizeof *out->ptr);
    out->col = malloc((count + 1) * sizeof *out->col);
    double _Complex *val = malloc((count + 1) * sizeof *val);
    out->val = val;
    if (!out->ptr || !out->col || !val)
        return false;
    int to = 0;
    for (int i = 0; i < a->m; i++) {
        bool there = false;
        for (int p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
            const double *v = a->val;
            val[to] = a->complex ? ((double _Complex *)a->val)[p] : v[p];
            if (a->col[p] == i) {
                val[to] -= mu;
                there = true;
            }
            out->col[to++] = a->col[p];
        }
        if (!there) {
            val[to] = -mu;
            out->col[to++] = i;
        }
        out->ptr[i + 1] = to;
    }
    return true;
}

static double norm_of(const double _Complex *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s = hypot(s, cabs(x[i]));
    return s;
}

/* Inverse iteration: x becomes (A - mu0)^-1 x, of length 1, until A x - mu x is small. */
static cusolverStatus_t nearest(const struct sp_matrix *a, double _Complex mu0, int64_t steps,
                                double tolerance, double _Complex *x, double _Complex *mu)
{
    const struct sp_ops *ops = sp_ops_of(true);
    struct sp_matrix shift;
    int bad = SP_NO_MEMORY;
    double _Complex *y = calloc((size_t)a->n + 1, sizeof *y);
    void *f = NULL;
    *mu = mu0;
    for (int again = 0; y && !f && again < 2;
         again++) { /* mu0 itself may be one: then next to it */
        if (again)
            sp_free(&shift);
        mu0 += again * 1e-10 * (cabs(mu0) + 1);
        if (shifted(a, mu0, &shift))
            f = ops->eliminate(&shift, sp_ordering(&shift, SP_DEGREE), 1, &bad);
    }
    if (f) {
        for (int64_t k = 0; k < steps; k++) {
            const double before = norm_of(x, a->n);
            for (int i = 0; i < a->n; i++)
                x[i] /= before;
            ops->solve_eliminated(f, x, y);
            /* x = (A - mu0) y: y'x / y'y is the eigenvalue less mu0, and x less that times y is
             * what is left. */
            const double size = norm_of(y, a->n);
            double _Complex dot = 0;
            for (int i = 0; i < a->n; i++)
                dot += conj(y[i]) * x[i];
            const double _Complex less = dot / (size * size);
            double left = 0;
            for (int i = 0; i < a->n; i++) {
                left = hypot(left, cabs(x[i] - less * y[i]) / size);
                x[i] = y[i] / size;
            }
            *mu = mu0 + less;
            if (left <= tolerance)
                break;
        }
    }
    ops->free_eliminated(f);
    if (y)
        sp_free(&shift);
    free(y);
    return bad == SP_REGULAR     ? CUSOLVER_STATUS_SUCCESS
           : bad == SP_NO_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED
                                 : CUSOLVER_STATUS_INTERNAL_ERROR;
}

static double _Complex number(enum lib_type type, const void *at)
{
    const bool narrow = type == LIB_F32 || type == LIB_C32;
    const double x = real_of(type, at);
    if (!sp_complex(type))
        return x;
    return x + I * (narrow ? (double)((const float *)at)[1] : ((const double *)at)[1]);
}

static cusolverStatus_t eigenvalue(cusolverSpHandle_t handle, const struct sp_source *s,
                                   const void *mu0, const void *x0, int64_t steps, const void *tol,
                                   void *mu, void *x)
{
    struct sp_matrix a;
    SP_CALL(handle, mu0 && x0 && steps >= 0 && mu && x);
    cusolverStatus_t status = sp_load(handle, s, &a);
    if (status)
        return status;
    const int n = s->n;
    double *start = sp_get(handle->stream, s->type, x0, n, s->on_device);
    double _Complex *hx = calloc((size_t)n + 1, sizeof *hx), value = 0;
    double *out = calloc((size_t)n + 1, 2 * sizeof *out);
    if (!start || !hx || !out)
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    for (int i = 0; !status && i < n; i++)
        hx[i] = a.complex ? ((double _Complex *)start)[i] : start[i];
    if (!status)
        status = nearest(&a, number(s->type, mu0), steps, real_of(s->type, tol), hx, &value);
    if (!status) {
        double told[2] = {creal(value), cimag(value)};
        for (int i = 0; i < n; i++) {
            if (a.complex)
                ((double _Complex *)out)[i] = hx[i];
            else
                out[i] = creal(hx[i]);
        }
        if (!sp_put(handle->stream, s->type, mu, told, 1, s->on_device) ||
            !sp_put(handle->stream, s->type, x, out, n, s->on_device))
            status = CUSOLVER_STATUS_EXECUTION_FAILED;
    }
    free(start);
    free(hx);
    free(out);
    sp_free(&a);
    return status;
}

#define EIGENVALUE(name, device)                                                                   \
    cusolverStatus_t sp_##name(cusolverSpHandle_t handle, enum lib_type type, int64_t m,           \
                               int64_t nnz, const cusparseMatDescr_t descr, const void *val,       \
                               const int *ptr, const int *col, const void *mu0, const void *x0,    \
                               int64_t steps, const void *tol, void *mu, void *x)                  \
    {                                                                                              \
        const struct sp_source s = {(int)m, (int)m, (int)nnz, descr, type, val, ptr, col, device}; \
        return eigenvalue(handle, &s, mu0, x0, steps, tol, mu, x);                                 \
    }
EIGENVALUE(csreigvsi, true)
EIGENVALUE(csreigvsi_host, false)

/* ---- orders and permutations ---- */

static cusolverStatus_t order(cusolverSpHandle_t handle, int n, int nnz, cusparseMatDescr_t descr,
                              const int *ptr, const int *col, enum sp_order how, int *p)
{
    const struct sp_source s = {n, n, nnz, descr, LIB_F64, NULL, ptr, col, false};
    struct sp_matrix a;
    SP_CALL(handle, p);
    const cusolverStatus_t status = sp_load(handle, &s, &a);
    if (status)
        return status;
    int *found = sp_ordering(&a, how);
    if (found)
        memcpy(p, found, (size_t)n * sizeof *p);
    sp_free(&a);
    const bool right = found;
    free(found);
    return right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t descr, const int *ptr,
                                          const int *col, int *p)
{
    return order(handle, n, nnz, descr, ptr, col, SP_RCM, p);
}

cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t descr, const int *ptr,
                                          const int *col, int *p)
{
    return order(handle, n, nnz, descr, ptr, col, SP_DEGREE, p);
}

cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnz,
                                          const cusparseMatDescr_t descr, const int *ptr,
                                          const int *col, int *p)
{
    return order(handle, n, nnz, descr, ptr, col, SP_DEGREE, p);
}

cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnz,
                                           const cusparseMatDescr_t descr, const int *ptr,
                                           const int *col, const int64_t *options, int *p)
{
    (void)options;
    return order(handle, n, nnz, descr, ptr, col, SP_DISSECTION, p);
}

/* Rows in an order that leaves the largest elements that can be had on the diagonal: columns take
 * their rows one after the other, and those who hold one move where they can. */
struct matching {
    const struct sp_matrix *a; /* by rows; rows are matched with columns */
    int *row_of, *seen;
};

static bool place(struct matching *m, int row, int stamp)
{
    for (int pass = 0; pass < 2; pass++)
        for (int p = m->a->ptr[row]; p < m->a->ptr[row + 1]; p++) {
            const int c = m->a->col[p];
            const double *v = m->a->val;
            if (m->a->complex ? v[2 * p] == 0 && v[2 * p + 1] == 0 : v[p] == 0)
                continue;
            if (pass == 0 ? m->row_of[c] >= 0 : m->seen[c] == stamp)
                continue;
            if (pass) {
                m->seen[c] = stamp;
                if (!place(m, m->row_of[c], stamp))
                    continue;
            }
            m->row_of[c] = row;
            return true;
        }
    return false;
}

cusolverStatus_t sp_csrzfd_host(cusolverSpHandle_t handle, enum lib_type type, int64_t n,
                                int64_t nnz, const cusparseMatDescr_t descr, const void *val,
                                const int *ptr, const int *col, int *P, int *numnz)
{
    const struct sp_source s = {(int)n, (int)n, (int)nnz, descr, type, val, ptr, col, false};
    struct sp_matrix a;
    SP_CALL(handle, P && numnz);
    const cusolverStatus_t status = sp_load(handle, &s, &a);
    if (status)
        return status;
    struct matching m = {&a, malloc(((size_t)n + 1) * sizeof(int)),
                         calloc((size_t)n + 1, sizeof(int))};
    int *used = calloc((size_t)n + 1, sizeof *used), found = 0, next = 0;
    const bool right = m.row_of && m.seen && used;
    for (int i = 0; right && i < n; i++)
        m.row_of[i] = -1;
    for (int i = 0; right && i < n; i++)
        found += place(&m, i, i + 1);
    for (int c = 0; right && c < n; c++)
        if (m.row_of[c] >= 0)
            used[m.row_of[c]] = 1;
    for (int c = 0; right && c < n; c++) {
        while (next < n && used[next])
            next++;
        P[c] = m.row_of[c] >= 0 ? m.row_of[c] : next++;
    }
    *numnz = found;
    free(m.row_of);
    free(m.seen);
    free(used);
    sp_free(&a);
    return right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                   const cusparseMatDescr_t descr, const int *ptr,
                                                   const int *col, const int *p, const int *q,
                                                   size_t *bytes)
{
    (void)descr, (void)ptr, (void)col, (void)p, (void)q;
    SP_CALL(handle, m >= 0 && n >= 0 && nnz >= 0 && bytes);
    *bytes = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

struct moved {
    int col, from;
};

static int by_column(const void *a, const void *b)
{
    const struct moved *x = a, *y = b;
    return x->col < y->col ? -1 : x->col > y->col;
}

/* B = A(p, q), in place; map follows the elements. */
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
                                        const cusparseMatDescr_t descr, int *ptr, int *col,
                                        const int *p, const int *q, int *map, void *buffer)
{
    const struct sp_source s = {m, n, nnz, descr, LIB_F64, NULL, ptr, col, false};
    struct sp_matrix a;
    (void)buffer;
    SP_CALL(handle, p && q && map);
    const cusolverStatus_t status = sp_load(handle, &s, &a);
    if (status)
        return status;
    const int base = descr ? (int)cusparseGetMatIndexBase(descr) : 0;
    int *place = calloc((size_t)n + 1, sizeof *place),
        *old = malloc(((size_t)nnz + 1) * sizeof *old);
    struct moved *row = malloc(((size_t)nnz + 1) * sizeof *row);
    const bool right = place && old && row;
    if (right) {
        memcpy(old, map, (size_t)nnz * sizeof *old);
        for (int j = 0; j < n; j++)
            place[q[j]] = j;
        int to = 0;
        for (int i = 0; i < m; i++) {
            int count = 0;
            for (int k = a.ptr[p[i]]; k < a.ptr[p[i] + 1]; k++)
                row[count++] = (struct moved){place[a.col[k]], k};
            qsort(row, (size_t)count, sizeof *row, by_column);
            ptr[i] = to + base;
            for (int k = 0; k < count; k++) {
                col[to] = row[k].col + base;
                map[to++] = old[row[k].from];
            }
        }
        ptr[m] = to + base;
    }
    free(place);
    free(old);
    free(row);
    sp_free(&a);
    return right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

/* Is the pattern that of its transpose? Rows end where end says. */
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnz,
                                         const cusparseMatDescr_t descr, const int *ptr,
                                         const int *end, const int *col, int *symmetric)
{
    SP_CALL(handle, m >= 0 && nnz >= 0 && ptr && end && col && symmetric);
    const int base = descr ? (int)cusparseGetMatIndexBase(descr) : 0;
    *symmetric = 1;
    for (int i = 0; i < m && *symmetric; i++)
        for (int p = ptr[i] - base; p < end[i] - base && *symmetric; p++) {
            const int j = col[p] - base;
            int found = 0;
            for (int r = ptr[j] - base; r < end[j] - base && !found; r++)
                found = col[r] - base == i;
            *symmetric = found;
        }
    return CUSOLVER_STATUS_SUCCESS;
}
