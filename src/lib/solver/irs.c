/* Systems and least squares solved in a lower precision and refined in the caller's. f32 is the
 * lowest that is taken, also where f16, bf16 or tf32 would do. */
#include "lib/solver/solver_int.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Why refinement did not do, as cuSOLVER says it: numbers too large for the lower precision, no
 * factors, numbers that became too large, too many steps. */
enum { MOST_STEPS = 50, TOO_LARGE = -2, FAILED = -3, OVERFLOWED = -5, TOO_MANY = -50 };

/* ---- parameters and reports ---- */

struct cusolverDnIRSParams {
    cusolverPrecType_t main, lowest;
    cusolverIRSRefinement_t refinement;
    int steps, inner_steps;
    double tolerance, inner_tolerance; /* 0: what the caller's precision allows */
    bool fallback;
};
struct cusolverDnIRSInfos {
    int steps, most;
    bool asked;
    double history[MOST_STEPS + 2];
};

cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params)
{
    if (!params)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *params = calloc(1, sizeof **params);
    if (!*params)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    (*params)->refinement = CUSOLVER_IRS_REFINE_NOT_SET;
    (*params)->steps = MOST_STEPS;
    (*params)->fallback = true;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params)
{
    if (!params)
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    free(params);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params,
                                                        cusolverIRSRefinement_t refinement)
{
    if (!params)
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (refinement < CUSOLVER_IRS_REFINE_NOT_SET || refinement > CUSOLVER_IRS_REFINE_GMRES_NOPCOND)
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
    params->refinement = refinement;
    return CUSOLVER_STATUS_SUCCESS;
}

static bool real_type(cusolverPrecType_t t, enum lib_type *type)
{
    switch (t) {
    case CUSOLVER_R_64F: *type = LIB_F64; return true;
    case CUSOLVER_C_64F: *type = LIB_C64; return true;
    case CUSOLVER_R_32F: *type = LIB_F32; return true;
    case CUSOLVER_C_32F: *type = LIB_C32; return true;
    default: return false;
    }
}

/* Which type the factors have: f32 for all that is lower. */
static bool lowest_type(cusolverPrecType_t t, enum lib_type *type)
{
    switch (t) {
    case CUSOLVER_R_16F:
    case CUSOLVER_R_16BF:
    case CUSOLVER_R_TF32: *type = LIB_F32; return true;
    case CUSOLVER_C_16F:
    case CUSOLVER_C_16BF:
    case CUSOLVER_C_TF32: *type = LIB_C32; return true;
    default: return real_type(t, type);
    }
}

cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params,
                                                           cusolverPrecType_t precision)
{
    enum lib_type type;
    if (!params)
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!real_type(precision, &type))
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    params->main = precision;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
                                                             cusolverPrecType_t precision)
{
    enum lib_type type;
    if (!params)
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!lowest_type(precision, &type))
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    params->lowest = precision;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params,
                                                        cusolverPrecType_t main_precision,
                                                        cusolverPrecType_t lowest)
{
    const cusolverStatus_t s = cusolverDnIRSParamsSetSolverMainPrecision(params, main_precision);
    return s ? s : cusolverDnIRSParamsSetSolverLowestPrecision(params, lowest);
}

#define SETTING(Name, type, field)                                                                 \
    cusolverStatus_t cusolverDnIRSParamsSet##Name(cusolverDnIRSParams_t params, type value)        \
    {                                                                                              \
        if (!params)                                                                               \
            return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;                                     \
        params->field = value;                                                                     \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
SETTING(Tol, double, tolerance)
SETTING(TolInner, double, inner_tolerance)
SETTING(MaxIters, cusolver_int_t, steps)
SETTING(MaxItersInner, cusolver_int_t, inner_steps)

cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t *steps)
{
    if (!params)
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!steps)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *steps = params->steps;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t fallback(cusolverDnIRSParams_t params, bool on)
{
    if (!params)
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->fallback = on;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params)
{
    return fallback(params, true);
}

cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params)
{
    return fallback(params, false);
}

cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos)
{
    if (!infos)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *infos = calloc(1, sizeof **infos);
    return *infos ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos)
{
    if (!infos)
        return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    free(infos);
    return CUSOLVER_STATUS_SUCCESS;
}

#define REPORT(Name, from)                                                                         \
    cusolverStatus_t cusolverDnIRSInfosGet##Name(cusolverDnIRSInfos_t infos,                       \
                                                 cusolver_int_t *value)                            \
    {                                                                                              \
        if (!infos)                                                                                \
            return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;                                      \
        if (!value)                                                                                \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        *value = infos->from;                                                                      \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
REPORT(Niters, steps)
REPORT(OuterNiters, steps)
REPORT(MaxIters, most)

cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos)
{
    if (!infos)
        return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    infos->asked = true;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos, void **history)
{
    if (!infos)
        return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    if (!infos->asked || !history)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *history = infos->history;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- the problem: A X = B, or the least squares of it ---- */

struct problem {
    int64_t m, n, nrhs; /* m == n where there are pivots */
    const void *a;
    int64_t lda;
    bool square;
    int *pivots; /* of the caller, or NULL */
};

/* Factors in w's precision; false: it is singular, and info says where. */
static bool factor(struct work *w, struct problem *p, void *f, int *pivots, void *tau, int *info)
{
    int bad = 0;
    if (p->square)
        lu_factor(w, p->n, p->n, f, p->m, pivots, info);
    else {
        qr_factor(w, p->m, p->n, f, p->m, tau);
        work_run(w, "util.h", "zero_on_diagonal", 1, 1, (void *[]){&p->n, &f, &p->m, &info});
    }
    if (p->square && p->pivots)
        work_copy(w, p->pivots, pivots, (size_t)p->n * sizeof *pivots);
    work_get(w, &bad, info, sizeof bad);
    return !bad && !w->error;
}

/* The solution is in the first n rows of b, which has m. */
static void solve(struct work *w, struct problem *p, void *f, int *pivots, void *tau, void *b,
                  int *spare)
{
    if (p->square) {
        lu_solve(w, CUBLAS_OP_N, p->n, p->nrhs, f, p->m, pivots, b, p->m, spare);
        return;
    }
    qr_multiply(w, CUBLAS_SIDE_LEFT, true, p->m, p->nrhs, p->n, f, p->m, tau, b, p->m);
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, p->n,
              p->nrhs, f, p->m, b, p->m);
}

static void copy(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda, void *b,
                 int64_t ldb)
{
    int part = PART_ALL;
    work_each(w, "util.h", "copy_part", m * n,
              (void *[]){&m, &n, (void *)&a, &lda, &b, &ldb, &part});
}

static void column_norms(struct work *w, int64_t rows, int64_t cols, const void *a, int64_t lda,
                         void *norms, double *host)
{
    work_run(w, "jacobi.h", "column_norms", cols, SOLVER_THREADS,
             (void *[]){&rows, (void *)&a, &lda, &norms});
    work_get_reals(w, host, norms, cols);
}

/* What is left of the worst column, measured by what rounding leaves: of a system |r| / (|A| |x|),
 * of least squares |A' r| / (|A| (|r| + |A| |x|)): r itself stays, at right angles to the columns.
 * host has room for the norms of three matrices. */
static double left_over(struct work *w, struct problem *p, const void *r, const void *g,
                        const void *x, int64_t ldx, double norm, void *norms, double *host)
{
    double worst = 0, *rs = host, *xs = host + p->nrhs, *gs = host + 2 * p->nrhs;
    column_norms(w, p->m, p->nrhs, r, p->m, norms, rs);
    column_norms(w, p->n, p->nrhs, x, ldx, norms, xs);
    if (!p->square)
        column_norms(w, p->n, p->nrhs, g, p->n, norms, gs);
    for (int64_t k = 0; k < p->nrhs && !w->error; k++) {
        const double left = p->square ? rs[k] : gs[k];
        const double size = p->square ? norm * xs[k] : norm * rs[k] + norm * norm * xs[k];
        const double ratio = left == 0 ? 0 : size > 0 ? left / size : INFINITY;
        worst = !(ratio <= worst) ? ratio : worst; /* a NaN stays */
    }
    return worst;
}

/* Steps after the first of least squares: R' R d = A' r, with the factor of the lower precision.
 * The reflections would not do: those of the lower precision leave of r a part that does not get
 * smaller. */
static void solve_normal(struct work *w, struct problem *p, const void *f, void *d)
{
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT, p->n,
              p->nrhs, f, p->m, d, p->m);
    work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, p->n,
              p->nrhs, f, p->m, d, p->m);
}

/* Whether all of m by n is a number of the lower precision. */
static bool fits(struct work *w, int64_t m, int64_t n, const void *a, void *norms)
{
    int64_t all = m * n;
    double most = 0;
    work_run(w, "jacobi.h", "largest_elements", 1, SOLVER_THREADS,
             (void *[]){&all, (void *)&a, &all, &norms});
    work_get_reals(w, &most, norms, 1);
    return most <= (double)FLT_MAX; /* not where it is no number */
}

/* How many steps it took; below 0: why it did not work. low is the work in the lower precision. */
static int refine(struct work *w, struct work *low, struct problem *p, const void *b, int64_t ldb,
                  void *x, int64_t ldx, const struct cusolverDnIRSParams *set, int *info,
                  struct cusolverDnIRSInfos *report)
{
    const int64_t m = p->m, n = p->n;
    int64_t rows = p->m, nrhs = p->nrhs, one = m * n;
    void *f = work_elements(low, m * n), *tau = work_elements(low, n),
         *d = work_elements(low, m * nrhs);
    int *pivots = work_bytes(low, (size_t)n * sizeof *pivots);
    void *r = work_elements(w, m * nrhs), *g = work_elements(w, n * nrhs),
         *norms = work_reals(w, nrhs + 1);
    void *all = work_elements(w, m * n);
    double *host = calloc((size_t)(3 * nrhs) + 1, sizeof *host), norm = 0;
    int steps = -1;
    if (!host)
        work_fail(w, TERN_OUT_OF_MEMORY);
    if (w->error || low->error) { /* each would go on with what the other does not have */
        free(host);
        return FAILED;
    }
    copy(w, m, n, p->a, p->lda, all, m);
    copy(w, m, nrhs, b, ldb, r, m);
    if (!fits(w, m, n, all, norms) || !fits(w, m, nrhs, r, norms)) {
        free(host);
        return TOO_LARGE;
    }
    column_norms(w, one, 1, all, one, norms, &norm);
    work_each(w, "irs.h", "narrow_copy", m * n,
              (void *[]){&rows, (void *)&p->n, &all, &rows, &f, &rows});
    if (!factor(low, p, f, pivots, tau, info)) {
        free(host);
        return FAILED;
    }
    const double eps = w->real == LIB_F32 ? FLT_EPSILON : DBL_EPSILON;
    const double bound =
        set->tolerance > 0 ? set->tolerance : eps * (p->square ? 1 : sqrt((double)m));
    for (int k = 0; k <= set->steps && !w->error && !low->error; k++) {
        int first = k == 0;
        const bool normal = !p->square && !first;
        void *from = normal ? g : r;
        int64_t length = normal ? n : m;
        work_each(w, "irs.h", "narrow_copy", length * nrhs,
                  (void *[]){&length, &nrhs, &from, &length, &d, &rows});
        const int before = low->nscratch;
        if (normal)
            solve_normal(low, p, f, d);
        else
            solve(low, p, f, pivots, tau, d, info);
        work_release(low, before);
        work_each(w, "irs.h", "widen_add", n * nrhs,
                  (void *[]){(void *)&p->n, &nrhs, &d, &rows, &x, &ldx, &first});
        copy(w, m, nrhs, b, ldb, r, m);
        work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, m, nrhs, n, -1, p->a, p->lda, x, ldx, 1, r, m);
        if (!p->square)
            work_gemm(w, CUBLAS_OP_C, CUBLAS_OP_N, n, nrhs, m, 1, p->a, p->lda, r, m, 0, g, n);
        const double left = left_over(w, p, r, g, x, ldx, norm, norms, host);
        if (report && report->asked && k <= MOST_STEPS)
            report->history[k] = left;
        if (left <= bound) {
            steps = k;
            break;
        }
        if (!(left < 1e30) || k == set->steps) { /* it does not get better */
            steps = left < 1e30 ? TOO_MANY : OVERFLOWED;
            break;
        }
    }
    free(host);
    return steps;
}

/* In the caller's precision alone. */
static void directly(struct work *w, struct problem *p, const void *b, int64_t ldb, void *x,
                     int64_t ldx, int *info)
{
    void *f = work_elements(w, p->m * p->n), *tau = work_elements(w, p->n);
    void *r = work_elements(w, p->m * p->nrhs);
    int *pivots = work_bytes(w, (size_t)p->n * sizeof *pivots), *spare = work_bytes(w, sizeof(int));
    copy(w, p->m, p->n, p->a, p->lda, f, p->m);
    copy(w, p->m, p->nrhs, b, ldb, r, p->m);
    if (!factor(w, p, f, pivots, tau, info))
        return;
    solve(w, p, f, pivots, tau, r, spare);
    copy(w, p->n, p->nrhs, r, p->m, x, ldx);
}

static cusolverStatus_t run(cusolverDnHandle_t handle, enum lib_type type, enum lib_type lowest,
                            struct problem *p, const void *b, int64_t ldb, void *x, int64_t ldx,
                            const struct cusolverDnIRSParams *set,
                            struct cusolverDnIRSInfos *report, int *steps, int *info)
{
    struct work w = work_begin(handle, type), low = work_begin(handle, lowest);
    int done = 0;
    work_zero(&w, info, sizeof *info);
    if (p->n && p->nrhs) {
        const bool mixed = type != lowest && set->refinement != CUSOLVER_IRS_REFINE_NONE;
        if (mixed)
            done = refine(&w, &low, p, b, ldb, x, ldx, set, info, report);
        if (!mixed || (done < 0 && set->fallback && !low.error)) {
            work_zero(&w, info, sizeof *info);
            directly(&w, p, b, ldb, x, ldx, info);
        }
    }
    if (report) {
        report->steps = done;
        report->most = set->steps;
    }
    *steps = done;
    const cusolverStatus_t first = work_end(&low), second = work_end(&w);
    return first ? first : second;
}

/* ---- the calls ---- */

static const struct cusolverDnIRSParams usual = {
    .refinement = CUSOLVER_IRS_REFINE_CLASSICAL, .steps = MOST_STEPS, .fallback = true};

cusolverStatus_t solver_irs_gesv(cusolverDnHandle_t handle, enum lib_type type,
                                 enum lib_type lowest, int64_t n, int64_t nrhs, void *A,
                                 int64_t lda, cusolver_int_t *pivots, void *B, int64_t ldb, void *X,
                                 int64_t ldx, void *workspace, size_t size, cusolver_int_t *steps,
                                 cusolver_int_t *info)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, n >= 0 && nrhs >= 0 && valid_ld(lda, n) && valid_ld(ldb, n) &&
                            valid_ld(ldx, n) && steps && info);
    struct problem p = {
        .m = n, .n = n, .nrhs = nrhs, .a = A, .lda = lda, .square = true, .pivots = pivots};
    return run(handle, type, lowest, &p, B, ldb, X, ldx, &usual, NULL, steps, info);
}

cusolverStatus_t solver_irs_gesv_size(cusolverDnHandle_t handle, enum lib_type type,
                                      enum lib_type lowest, int64_t n, int64_t nrhs, void *A,
                                      int64_t lda, cusolver_int_t *pivots, void *B, int64_t ldb,
                                      void *X, int64_t ldx, void *workspace, size_t *size)
{
    (void)type, (void)lowest, (void)A, (void)lda, (void)pivots, (void)B, (void)ldb, (void)X,
        (void)ldx, (void)workspace;
    SOLVER_CALL(handle, n >= 0 && nrhs >= 0 && size);
    *size = SOLVER_BYTES;
    return CUSOLVER_STATUS_SUCCESS;
}

static bool valid_gels(int64_t m, int64_t n, int64_t nrhs, int64_t lda, int64_t ldb, int64_t ldx)
{
    return n >= 0 && m >= n && nrhs >= 0 && valid_ld(lda, m) && valid_ld(ldb, m) &&
           valid_ld(ldx, n);
}

cusolverStatus_t solver_irs_gels(cusolverDnHandle_t handle, enum lib_type type,
                                 enum lib_type lowest, int64_t m, int64_t n, int64_t nrhs, void *A,
                                 int64_t lda, void *B, int64_t ldb, void *X, int64_t ldx,
                                 void *workspace, size_t size, cusolver_int_t *steps,
                                 cusolver_int_t *info)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, valid_gels(m, n, nrhs, lda, ldb, ldx) && steps && info);
    struct problem p = {.m = m, .n = n, .nrhs = nrhs, .a = A, .lda = lda};
    return run(handle, type, lowest, &p, B, ldb, X, ldx, &usual, NULL, steps, info);
}

cusolverStatus_t solver_irs_gels_size(cusolverDnHandle_t handle, enum lib_type type,
                                      enum lib_type lowest, int64_t m, int64_t n, int64_t nrhs,
                                      void *A, int64_t lda, void *B, int64_t ldb, void *X,
                                      int64_t ldx, void *workspace, size_t *size)
{
    (void)type, (void)lowest, (void)A, (void)lda, (void)B, (void)ldb, (void)X, (void)ldx,
        (void)workspace;
    SOLVER_CALL(handle, m >= n && n >= 0 && nrhs >= 0 && size);
    *size = SOLVER_BYTES;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t types_of(const struct cusolverDnIRSParams *params, enum lib_type *type,
                                 enum lib_type *lowest)
{
    if (!params)
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!real_type(params->main, type) || !lowest_type(params->lowest, lowest) ||
        lib_types[*type].complex != lib_types[*lowest].complex ||
        lib_types[*lowest].bytes > lib_types[*type].bytes)
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    if (params->steps < 0)
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER;
    return params->refinement == CUSOLVER_IRS_REFINE_NOT_SET
               ? CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE
               : CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t expert(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                               cusolverDnIRSInfos_t infos, struct problem *p, void *B, int64_t ldb,
                               void *X, int64_t ldx, int *steps, int *info)
{
    enum lib_type type, lowest;
    SOLVER_CALL(handle, steps && info);
    const cusolverStatus_t s = types_of(params, &type, &lowest);
    if (s)
        return s;
    if (!infos)
        return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    return run(handle, type, lowest, p, B, ldb, X, ldx, params, infos, steps, info);
}

cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                                    cusolverDnIRSInfos_t infos, cusolver_int_t n,
                                    cusolver_int_t nrhs, void *A, cusolver_int_t lda, void *B,
                                    cusolver_int_t ldb, void *X, cusolver_int_t ldx,
                                    void *workspace, size_t size, cusolver_int_t *steps,
                                    cusolver_int_t *info)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle,
                n >= 0 && nrhs >= 0 && valid_ld(lda, n) && valid_ld(ldb, n) && valid_ld(ldx, n));
    struct problem p = {.m = n, .n = n, .nrhs = nrhs, .a = A, .lda = lda, .square = true};
    return expert(handle, params, infos, &p, B, ldb, X, ldx, steps, info);
}

cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                                    cusolverDnIRSInfos_t infos, cusolver_int_t m, cusolver_int_t n,
                                    cusolver_int_t nrhs, void *A, cusolver_int_t lda, void *B,
                                    cusolver_int_t ldb, void *X, cusolver_int_t ldx,
                                    void *workspace, size_t size, cusolver_int_t *steps,
                                    cusolver_int_t *info)
{
    (void)workspace, (void)size;
    SOLVER_CALL(handle, valid_gels(m, n, nrhs, lda, ldb, ldx));
    struct problem p = {.m = m, .n = n, .nrhs = nrhs, .a = A, .lda = lda};
    return expert(handle, params, infos, &p, B, ldb, X, ldx, steps, info);
}

cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle,
                                               cusolverDnIRSParams_t params, cusolver_int_t n,
                                               cusolver_int_t nrhs, size_t *size)
{
    return cusolverDnIRSXgels_bufferSize(handle, params, n, n, nrhs, size);
}

cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle,
                                               cusolverDnIRSParams_t params, cusolver_int_t m,
                                               cusolver_int_t n, cusolver_int_t nrhs, size_t *size)
{
    enum lib_type type, lowest;
    SOLVER_CALL(handle, m >= n && n >= 0 && nrhs >= 0 && size);
    *size = SOLVER_BYTES;
    return types_of(params, &type, &lowest);
}
