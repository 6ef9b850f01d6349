/* cusolverRf: the factors of a matrix are given once; matrices of the same pattern are factorised
 * along them, without exchanges. M = L + U - I, by rows, of P A Q'. */
#include "lib/solver/sp_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cusolverRfCommon {
    cusolverRfMatrixFormat_t format;
    cusolverRfUnitDiagonal_t diagonal;
    cusolverRfFactorization_t factorization;
    cusolverRfTriangularSolve_t solution;
    cusolverRfResetValuesFastMode_t fast;
    cusolverRfNumericBoostReport_t boosted;
    double zero, boost;
    int n, count, batch, nnz;
    int *ptr, *col, *diag;              /* of M; where a row has its diagonal */
    int *place;                         /* where an element of A goes */
    double *given;                      /* elements of A, of each matrix of the batch */
    double *val;                        /* of M, of each of them */
    int *zero_pivot;                    /* of each: -1, or which row */
    int *on_device_ptr, *on_device_col; /* for those who ask for M there */
    double *on_device_val;
    bool set, analysed, factorised;
};

#define RF_CALL(handle, arguments_are_right)                                                       \
    do {                                                                                           \
        if (!(handle))                                                                             \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                                \
        if (!(arguments_are_right))                                                                \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
    } while (0)

cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    (*handle)->solution = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
    return CUSOLVER_STATUS_SUCCESS;
}

static void forget(struct cusolverRfCommon *r)
{
    free(r->ptr);
    free(r->col);
    free(r->diag);
    free(r->place);
    free(r->given);
    free(r->val);
    free(r->zero_pivot);
    cudaFree(r->on_device_ptr);
    cudaFree(r->on_device_col);
    cudaFree(r->on_device_val);
    r->ptr = r->col = r->diag = r->place = r->zero_pivot = r->on_device_ptr = r->on_device_col =
        NULL;
    r->given = r->val = r->on_device_val = NULL;
    r->set = r->analysed = r->factorised = false;
}

cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle)
{
    RF_CALL(handle, true);
    forget(handle);
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- settings ---- */

cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
                                           cusolverRfMatrixFormat_t format,
                                           cusolverRfUnitDiagonal_t diagonal)
{
    RF_CALL(handle, (unsigned)format <= CUSOLVERRF_MATRIX_FORMAT_CSC &&
                        (unsigned)diagonal <= CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U);
    handle->format = format;
    handle->diagonal = diagonal;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle,
                                           cusolverRfMatrixFormat_t *format,
                                           cusolverRfUnitDiagonal_t *diagonal)
{
    RF_CALL(handle, format && diagonal);
    *format = handle->format;
    *diagonal = handle->diagonal;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero,
                                                double boost)
{
    RF_CALL(handle, true);
    handle->zero = zero;
    handle->boost = boost;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double *zero,
                                                double *boost)
{
    RF_CALL(handle, zero && boost);
    *zero = handle->zero;
    *boost = handle->boost;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
                                                 cusolverRfNumericBoostReport_t *report)
{
    RF_CALL(handle, report);
    *report = handle->boosted;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle,
                                   cusolverRfFactorization_t factorization,
                                   cusolverRfTriangularSolve_t solution)
{
    RF_CALL(handle, (unsigned)factorization <= CUSOLVERRF_FACTORIZATION_ALG2 &&
                        solution >= CUSOLVERRF_TRIANGULAR_SOLVE_ALG1 &&
                        solution <= CUSOLVERRF_TRIANGULAR_SOLVE_ALG3);
    handle->factorization = factorization;
    handle->solution = solution;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle,
                                   cusolverRfFactorization_t *factorization,
                                   cusolverRfTriangularSolve_t *solution)
{
    RF_CALL(handle, factorization && solution);
    *factorization = handle->factorization;
    *solution = handle->solution;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle,
                                                  cusolverRfResetValuesFastMode_t fast)
{
    RF_CALL(handle, true);
    handle->fast = fast;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle,
                                                  cusolverRfResetValuesFastMode_t *fast)
{
    RF_CALL(handle, fast);
    *fast = handle->fast;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- the pattern ---- */

struct given { /* a matrix of the caller's, on the host */
    int n, nnz;
    const int *ptr, *col;
};

static bool valid(const struct given *g)
{
    if (!g->ptr || (g->nnz && !g->col) || g->ptr[0] != 0 || g->ptr[g->n] != g->nnz)
        return false;
    for (int i = 0; i < g->n; i++)
        if (g->ptr[i] > g->ptr[i + 1])
            return false;
    for (int p = 0; p < g->nnz; p++)
        if (g->col[p] < 0 || g->col[p] >= g->n)
            return false;
    return true;
}

static int smaller(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

/* The rows of M: the union of L's, U's and the diagonal. */
static bool pattern(struct cusolverRfCommon *r, const struct given *l, const struct given *u)
{
    const int n = r->n;
    int *mark = malloc(((size_t)n + 1) * sizeof *mark), count = 0;
    r->ptr = calloc((size_t)n + 1, sizeof *r->ptr);
    r->col = malloc(((size_t)l->nnz + (size_t)u->nnz + (size_t)n + 1) * sizeof *r->col);
    r->diag = malloc(((size_t)n + 1) * sizeof *r->diag);
    const bool right = mark && r->ptr && r->col && r->diag;
    for (int i = 0; right && i < n; i++)
        mark[i] = -1;
    for (int i = 0; right && i < n; i++) {
        const int from = count;
        mark[i] = i;
        r->col[count++] = i;
        for (int which = 0; which < 2; which++) {
            const struct given *g = which ? u : l;
            for (int p = g->ptr[i]; p < g->ptr[i + 1]; p++)
                if (mark[g->col[p]] != i) {
                    mark[g->col[p]] = i;
                    r->col[count++] = g->col[p];
                }
        }
        qsort(r->col + from, (size_t)(count - from), sizeof *r->col, smaller);
        for (int p = from; p < count; p++)
            if (r->col[p] == i)
                r->diag[i] = p;
        r->ptr[i + 1] = count;
    }
    r->count = count;
    free(mark);
    return right;
}

/* Where each element of A goes in M: row p[i] of A is row i, column q[j] is column j. -1 in *lost:
 * all have a place. */
static bool places(struct cusolverRfCommon *r, const struct given *a, const int *p, const int *q,
                   bool *lost)
{
    const int n = r->n;
    int *row = malloc(((size_t)n + 1) * sizeof *row), *col = malloc(((size_t)n + 1) * sizeof *col);
    free(r->place);
    r->place = malloc(((size_t)a->nnz + 1) * sizeof *r->place);
    const bool right = row && col && r->place;
    *lost = false;
    for (int i = 0; right && i < n; i++) {
        row[p ? p[i] : i] = i;
        col[q ? q[i] : i] = i;
    }
    for (int i = 0; right && i < n; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const int to = row[i], c = col[a->col[k]];
            const int *at = bsearch(&c, r->col + r->ptr[to], (size_t)(r->ptr[to + 1] - r->ptr[to]),
                                    sizeof c, smaller);
            r->place[k] = at ? (int)(at - r->col) : 0;
            *lost |= !at;
        }
    free(row);
    free(col);
    return right;
}

/* M before it is factorised: A's elements in their places. */
/* Whether each number below n is there once. NULL is the order as it is. */
static bool is_order(const int *p, int n)
{
    bool *seen = calloc((size_t)n + 1, sizeof *seen), right = seen;
    for (int i = 0; right && p && i < n; i++) {
        right = p[i] >= 0 && p[i] < n && !seen[p[i]];
        if (right)
            seen[p[i]] = true;
    }
    free(seen);
    return right;
}

static void keep(struct cusolverRfCommon *r, int which, const double *val)
{
    memcpy(r->given + (size_t)which * (size_t)r->nnz, val, (size_t)r->nnz * sizeof *val);
}

static void spread(struct cusolverRfCommon *r, int which)
{
    const double *val = r->given + (size_t)which * (size_t)r->nnz;
    double *m = r->val + (size_t)which * (size_t)r->count;
    memset(m, 0, (size_t)r->count * sizeof *m);
    for (int k = 0; k < r->nnz; k++)
        m[r->place[k]] += val[k];
}

static cusolverStatus_t setup(cusolverRfHandle_t r, int batch, const struct given *a,
                              double *const *values, const struct given *l, const struct given *u,
                              const int *p, const int *q)
{
    bool lost;
    RF_CALL(r, a->n >= 0 && batch > 0 && valid(a) && valid(l) && valid(u) && is_order(p, a->n) &&
                   is_order(q, a->n));
    if (r->format != CUSOLVERRF_MATRIX_FORMAT_CSR)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    forget(r);
    r->n = a->n;
    r->nnz = a->nnz;
    r->batch = batch;
    if (!pattern(r, l, u) || !places(r, a, p, q, &lost))
        return CUSOLVER_STATUS_ALLOC_FAILED;
    if (lost)
        return CUSOLVER_STATUS_INVALID_VALUE;
    r->given = malloc((size_t)batch * (size_t)r->nnz * sizeof *r->given + 1);
    r->val = malloc((size_t)batch * (size_t)r->count * sizeof *r->val + 1);
    r->zero_pivot = calloc((size_t)batch, sizeof *r->zero_pivot);
    if (!r->given || !r->val || !r->zero_pivot)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (int k = 0; k < batch; k++)
        keep(r, k, values[k]);
    r->set = true;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetupHost(int n, int nnzA, int *ptrA, int *colA, double *valA, int nnzL,
                                     int *ptrL, int *colL, double *valL, int nnzU, int *ptrU,
                                     int *colU, double *valU, int *P, int *Q,
                                     cusolverRfHandle_t handle)
{
    const struct given a = {n, nnzA, ptrA, colA}, l = {n, nnzL, ptrL, colL},
                       u = {n, nnzU, ptrU, colU};
    RF_CALL(handle, valA && valL && valU);
    return setup(handle, 1, &a, &valA, &l, &u, P, Q);
}

cusolverStatus_t cusolverRfBatchSetupHost(int batch, int n, int nnzA, int *ptrA, int *colA,
                                          double *valA[], int nnzL, int *ptrL, int *colL,
                                          double *valL, int nnzU, int *ptrU, int *colU,
                                          double *valU, int *P, int *Q, cusolverRfHandle_t handle)
{
    const struct given a = {n, nnzA, ptrA, colA}, l = {n, nnzL, ptrL, colL},
                       u = {n, nnzU, ptrU, colU};
    RF_CALL(handle, valA && valL && valU);
    return setup(handle, batch, &a, valA, &l, &u, P, Q);
}

/* ---- memory of the device ---- */

static void *fetch(const void *from, size_t bytes)
{
    void *to = from ? malloc(bytes + 1) : NULL;
    if (to && bytes && cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) {
        free(to);
        to = NULL;
    }
    return to;
}

cusolverStatus_t cusolverRfSetupDevice(int n, int nnzA, int *ptrA, int *colA, double *valA,
                                       int nnzL, int *ptrL, int *colL, double *valL, int nnzU,
                                       int *ptrU, int *colU, double *valU, int *P, int *Q,
                                       cusolverRfHandle_t handle)
{
    const size_t rows = ((size_t)n + 1) * sizeof(int), order = (size_t)n * sizeof(int);
    RF_CALL(handle, n >= 0 && nnzA >= 0 && nnzL >= 0 && nnzU >= 0);
    void *at[] = {fetch(ptrA, rows),
                  fetch(colA, (size_t)nnzA * 4),
                  fetch(valA, (size_t)nnzA * 8),
                  fetch(ptrL, rows),
                  fetch(colL, (size_t)nnzL * 4),
                  fetch(valL, (size_t)nnzL * 8),
                  fetch(ptrU, rows),
                  fetch(colU, (size_t)nnzU * 4),
                  fetch(valU, (size_t)nnzU * 8),
                  fetch(P, order),
                  fetch(Q, order)};
    bool right = true;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        right = right && at[k];
    const cusolverStatus_t status =
        right ? cusolverRfSetupHost(n, nnzA, at[0], at[1], at[2], nnzL, at[3], at[4], at[5], nnzU,
                                    at[6], at[7], at[8], at[9], at[10], handle)
              : CUSOLVER_STATUS_EXECUTION_FAILED;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        free(at[k]);
    return status;
}

/* New values in the same places; in fast mode the pattern is not even read. */
static cusolverStatus_t reset(cusolverRfHandle_t r, int batch, int n, int nnz, const int *ptr,
                              const int *col, double *const *values, const int *P, const int *Q)
{
    RF_CALL(r, r->set && batch == r->batch && n == r->n && nnz == r->nnz);
    bool right = true, lost = false;
    if (r->fast == CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF) {
        int *hp = fetch(ptr, ((size_t)n + 1) * sizeof *hp),
            *hc = fetch(col, (size_t)nnz * sizeof *hc);
        int *p = fetch(P, (size_t)n * sizeof *p), *q = fetch(Q, (size_t)n * sizeof *q);
        const struct given a = {n, nnz, hp, hc};
        right = hp && hc && p && q && valid(&a) && is_order(p, n) && is_order(q, n) &&
                places(r, &a, p, q, &lost);
        free(hp);
        free(hc);
        free(p);
        free(q);
    }
    for (int k = 0; right && !lost && k < batch; k++) {
        double *v = fetch(values[k], (size_t)nnz * sizeof *v);
        right = v;
        if (v)
            keep(r, k, v);
        free(v);
    }
    r->factorised = false;
    return right && !lost ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t cusolverRfResetValues(int n, int nnz, int *ptr, int *col, double *val, int *P,
                                       int *Q, cusolverRfHandle_t handle)
{
    return reset(handle, 1, n, nnz, ptr, col, &val, P, Q);
}

cusolverStatus_t cusolverRfBatchResetValues(int batch, int n, int nnz, int *ptr, int *col,
                                            double *val[], int *P, int *Q,
                                            cusolverRfHandle_t handle)
{
    double **values = batch > 0 ? fetch(val, (size_t)batch * sizeof *values) : NULL;
    RF_CALL(handle, values);
    const cusolverStatus_t status = reset(handle, batch, n, nnz, ptr, col, values, P, Q);
    free(values);
    return status;
}

cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle)
{
    RF_CALL(handle, handle->set);
    handle->analysed = true;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfBatchAnalyze(cusolverRfHandle_t handle)
{
    return cusolverRfAnalyze(handle);
}

/* ---- elimination along the pattern, row by row ---- */

/* The first row whose pivot is not above what counts as zero and is not boosted, or -1. */
static int eliminate(struct cusolverRfCommon *r, double *m, int *where)
{
    int bad = -1;
    for (int i = 0; i < r->n; i++)
        where[i] = -1;
    for (int i = 0; i < r->n; i++) {
        for (int p = r->ptr[i]; p < r->ptr[i + 1]; p++)
            where[r->col[p]] = p;
        for (int p = r->ptr[i]; p < r->diag[i]; p++) {
            const int k = r->col[p];
            const double f = m[p] /= m[r->diag[k]];
            for (int s = r->diag[k] + 1; s < r->ptr[k + 1]; s++)
                if (where[r->col[s]] >= 0)
                    m[where[r->col[s]]] -= f * m[s];
        }
        double *d = m + r->diag[i];
        const bool none = !(fabs(*d) > r->zero);
        if (none && r->boost > 0) {
            *d = r->boost;
            r->boosted = CUSOLVERRF_NUMERIC_BOOST_USED;
        } else if (none && bad < 0) {
            bad = i;
        }
        for (int p = r->ptr[i]; p < r->ptr[i + 1]; p++)
            where[r->col[p]] = -1;
    }
    return bad;
}

static cusolverStatus_t refactor(cusolverRfHandle_t r)
{
    RF_CALL(r, r->analysed);
    int *where = malloc(((size_t)r->n + 1) * sizeof *where), bad = -1;
    if (!where)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    r->boosted = CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
    for (int k = 0; k < r->batch; k++) {
        spread(r, k); /* each time: the factors are in its place */
        r->zero_pivot[k] = eliminate(r, r->val + (size_t)k * (size_t)r->count, where);
        bad = r->zero_pivot[k] > bad ? r->zero_pivot[k] : bad;
    }
    free(where);
    r->factorised = true;
    return bad >= 0 ? CUSOLVER_STATUS_ZERO_PIVOT : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle)
{
    return refactor(handle);
}

cusolverStatus_t cusolverRfBatchRefactor(cusolverRfHandle_t handle)
{
    return refactor(handle);
}

cusolverStatus_t cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int *position)
{
    RF_CALL(handle, handle->factorised && position);
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;
    for (int k = 0; k < handle->batch; k++) {
        position[k] = handle->zero_pivot[k];
        if (position[k] >= 0)
            status = CUSOLVER_STATUS_ZERO_PIVOT;
    }
    return status;
}

/* x = Q' U^-1 L^-1 P b, in place, one column. */
static void solve(const struct cusolverRfCommon *r, const double *m, const int *p, const int *q,
                  double *b, double *y)
{
    for (int i = 0; i < r->n; i++)
        y[i] = b[p ? p[i] : i];
    for (int i = 0; i < r->n; i++)
        for (int s = r->ptr[i]; s < r->diag[i]; s++)
            y[i] -= m[s] * y[r->col[s]];
    for (int i = r->n - 1; i >= 0; i--) {
        for (int s = r->diag[i] + 1; s < r->ptr[i + 1]; s++)
            y[i] -= m[s] * y[r->col[s]];
        y[i] /= m[r->diag[i]];
    }
    for (int i = 0; i < r->n; i++)
        b[q ? q[i] : i] = y[i];
}

static cusolverStatus_t solve_all(cusolverRfHandle_t r, const int *P, const int *Q, int nrhs,
                                  double *const *XF, int ldxf)
{
    RF_CALL(r, r->factorised && nrhs >= 0 && XF && ldxf >= (r->n > 1 ? r->n : 1));
    int *p = fetch(P, (size_t)r->n * sizeof *p), *q = fetch(Q, (size_t)r->n * sizeof *q);
    double *y = malloc(((size_t)r->n + 1) * sizeof *y);
    bool right = p && q && y && is_order(p, r->n) && is_order(q, r->n);
    for (int k = 0; right && k < r->batch; k++) {
        const size_t bytes =
            nrhs ? ((size_t)(nrhs - 1) * (size_t)ldxf + (size_t)r->n) * sizeof(double) : 0;
        double *x = fetch(XF[k], bytes);
        right = x;
        for (int j = 0; x && j < nrhs; j++)
            solve(r, r->val + (size_t)k * (size_t)r->count, p, q, x + (size_t)j * (size_t)ldxf, y);
        if (x && bytes)
            right = cudaMemcpy(XF[k], x, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
        free(x);
    }
    free(p);
    free(q);
    free(y);
    return right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs, double *temp,
                                 int ldt, double *XF, int ldxf)
{
    (void)temp, (void)ldt;
    RF_CALL(handle, handle->batch == 1);
    return solve_all(handle, P, Q, nrhs, &XF, ldxf);
}

cusolverStatus_t cusolverRfBatchSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs,
                                      double *temp, int ldt, double *XF[], int ldxf)
{
    (void)temp, (void)ldt;
    RF_CALL(handle, XF);
    double **each = fetch(XF, (size_t)handle->batch * sizeof *each);
    RF_CALL(handle, each);
    const cusolverStatus_t status = solve_all(handle, P, Q, nrhs, each, ldxf);
    free(each);
    return status;
}

/* ---- the factors ---- */

static void *on_device(const void *from, size_t bytes)
{
    void *to = NULL;
    if (!from || cudaMalloc(&to, bytes + 1) != cudaSuccess)
        return NULL;
    if (cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess)
        return to;
    cudaFree(to);
    return NULL;
}

static bool unit_upper(const struct cusolverRfCommon *r)
{
    return r->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U ||
           r->diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U;
}

/* M as the caller has it: where U is to have the ones, the pivots move to L. */
static double *bundled(const struct cusolverRfCommon *r)
{
    double *m = malloc(((size_t)r->count + 1) * sizeof *m);
    for (int i = 0; m && i < r->n; i++)
        for (int p = r->ptr[i]; p < r->ptr[i + 1]; p++) {
            m[p] = r->val[p];
            if (unit_upper(r) && p < r->diag[i])
                m[p] *= r->val[r->diag[r->col[p]]];
            else if (unit_upper(r) && p > r->diag[i])
                m[p] /= r->val[r->diag[i]];
        }
    return m;
}

/* Copies that the handle keeps until it changes. */
cusolverStatus_t cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle, int *nnz,
                                                      int **ptr, int **col, double **val)
{
    RF_CALL(handle, handle->factorised && nnz && ptr && col && val);
    struct cusolverRfCommon *r = handle;
    cudaFree(r->on_device_ptr);
    cudaFree(r->on_device_col);
    cudaFree(r->on_device_val);
    r->on_device_ptr = on_device(r->ptr, ((size_t)r->n + 1) * sizeof *r->ptr);
    r->on_device_col = on_device(r->col, (size_t)r->count * sizeof *r->col);
    double *m = bundled(r);
    r->on_device_val = on_device(m, (size_t)r->count * sizeof *m);
    free(m);
    *nnz = r->count;
    *ptr = r->on_device_ptr;
    *col = r->on_device_col;
    *val = r->on_device_val;
    return *ptr && *col && *val ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

static void *copy_of(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (to)
        memcpy(to, from, bytes);
    return to;
}

/* The caller frees what it gets. */
cusolverStatus_t cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle, int *nnz, int **ptr,
                                                     int **col, double **val)
{
    RF_CALL(handle, handle->factorised && nnz && ptr && col && val);
    *nnz = handle->count;
    *ptr = copy_of(handle->ptr, ((size_t)handle->n + 1) * sizeof **ptr);
    *col = copy_of(handle->col, (size_t)handle->count * sizeof **col);
    *val = bundled(handle);
    if (*ptr && *col && *val)
        return CUSOLVER_STATUS_SUCCESS;
    free(*ptr);
    free(*col);
    free(*val);
    *ptr = *col = NULL;
    *val = NULL;
    return CUSOLVER_STATUS_ALLOC_FAILED;
}

/* One of the two factors. */
struct split {
    int count, *ptr, *col;
    double *val;
};

static bool split_begin(struct split *s, const struct cusolverRfCommon *r)
{
    const size_t most = (size_t)(r->count + r->n) + 1;
    *s = (struct split){.ptr = calloc((size_t)r->n + 1, sizeof *s->ptr),
                        .col = malloc(most * sizeof *s->col),
                        .val = malloc(most * sizeof *s->val)};
    return s->ptr && s->col && s->val;
}

static void split_put(struct split *s, int col, double val)
{
    s->col[s->count] = col;
    s->val[s->count++] = val;
}

static void split_drop(struct split *s)
{
    free(s->ptr);
    free(s->col);
    free(s->val);
}

/* The ones are in the factor that the format names, if they are to be stored at all. */
static void split_up(const struct cusolverRfCommon *r, const double *m, struct split *l,
                     struct split *u)
{
    const bool upper = unit_upper(r), stored = r->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L ||
                                               r->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U;
    for (int i = 0; i < r->n; i++) {
        const int d = r->diag[i];
        for (int p = r->ptr[i]; p < d; p++)
            split_put(l, r->col[p], m[p]);
        if (upper || stored)
            split_put(l, i, upper ? m[d] : 1);
        if (!upper || stored)
            split_put(u, i, upper ? 1 : m[d]);
        for (int p = d + 1; p < r->ptr[i + 1]; p++)
            split_put(u, r->col[p], m[p]);
        l->ptr[i + 1] = l->count;
        u->ptr[i + 1] = u->count;
    }
}

/* The caller frees what it gets. */
cusolverStatus_t cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t handle, int *nnzL, int **ptrL,
                                                   int **colL, double **valL, int *nnzU, int **ptrU,
                                                   int **colU, double **valU)
{
    RF_CALL(handle,
            handle->factorised && nnzL && ptrL && colL && valL && nnzU && ptrU && colU && valU);
    struct split l = {0}, u = {0};
    double *m = bundled(handle);
    const bool right = m && split_begin(&l, handle) && split_begin(&u, handle);
    if (right)
        split_up(handle, m, &l, &u);
    free(m);
    if (!right) {
        split_drop(&l);
        split_drop(&u);
        return CUSOLVER_STATUS_ALLOC_FAILED;
    }
    *nnzL = l.count, *ptrL = l.ptr, *colL = l.col, *valL = l.val;
    *nnzU = u.count, *ptrU = u.ptr, *colU = u.col, *valU = u.val;
    return CUSOLVER_STATUS_SUCCESS;
}
