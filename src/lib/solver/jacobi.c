/* Eigenvalues by Jacobi's rotations: many small matrices one block each, on GPUs without leaving it
 * (device/solver/jacobi_near.h) where they fit, or of many by reflections and QL steps
 * (device/solver/small_eigen.h); large ones round by round. */
#include "lib/solver/solver_int.h"
#include "lib/solver/host/singular.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- settings and reports ---- */

static void *new_settings(void)
{
    struct jacobi *j = calloc(1, sizeof *j);
    if (j)
        *j = (struct jacobi){.sweeps = JACOBI_SWEEPS, .sort = 1, .residual = -1, .done = -1};
    return j;
}

double jacobi_tolerance(const struct work *w, const struct jacobi *j)
{
    const double eps = w->real == LIB_F32 ? FLT_EPSILON : DBL_EPSILON;
    return j && j->tolerance > eps ? j->tolerance : eps;
}

#define SETTINGS(kind, Kind)                                                                       \
    cusolverStatus_t cusolverDnCreate##Kind##Info(kind##Info_t *info)                              \
    {                                                                                              \
        if (!info)                                                                                 \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        *info = new_settings();                                                                    \
        return *info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;                     \
    }                                                                                              \
    cusolverStatus_t cusolverDnDestroy##Kind##Info(kind##Info_t info)                              \
    {                                                                                              \
        free(info);                                                                                \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusolverStatus_t cusolverDnX##kind##SetTolerance(kind##Info_t info, double tolerance)          \
    {                                                                                              \
        if (!info)                                                                                 \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        info->set.tolerance = tolerance;                                                           \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusolverStatus_t cusolverDnX##kind##SetMaxSweeps(kind##Info_t info, int sweeps)                \
    {                                                                                              \
        if (!info || sweeps < 0)                                                                   \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        info->set.sweeps = sweeps;                                                                 \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusolverStatus_t cusolverDnX##kind##SetSortEig(kind##Info_t info, int sort)                    \
    {                                                                                              \
        if (!info)                                                                                 \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        info->set.sort = sort;                                                                     \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusolverStatus_t cusolverDnX##kind##GetResidual(cusolverDnHandle_t handle, kind##Info_t info,  \
                                                    double *residual)                              \
    {                                                                                              \
        SOLVER_CALL(handle, info &&residual);                                                      \
        if (info->set.done < 0)                                                                    \
            return CUSOLVER_STATUS_NOT_SUPPORTED;                                                  \
        *residual = info->set.residual;                                                            \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusolverStatus_t cusolverDnX##kind##GetSweeps(cusolverDnHandle_t handle, kind##Info_t info,    \
                                                  int *sweeps)                                     \
    {                                                                                              \
        SOLVER_CALL(handle, info &&sweeps);                                                        \
        if (info->set.done < 0)                                                                    \
            return CUSOLVER_STATUS_NOT_SUPPORTED;                                                  \
        *sweeps = info->set.done;                                                                  \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
SETTINGS(syevj, Syevj)
SETTINGS(gesvdj, Gesvdj)

/* ---- the algorithm ---- */

/* As device/solver/jacobi.h's to_middle, for a matrix of so many elements. */
static double to_middle(struct work *w, int64_t count, const void *a, void *norms)
{
    double most = 0;
    int exponent;
    work_run(w, "jacobi.h", "largest_elements", 1, SOLVER_THREADS,
             (void *[]){&count, (void *)&a, &count, &norms});
    work_get_reals(w, &most, norms, 1);
    if (!(most > 0) || !isfinite(most) || (most <= 1e8 && most >= 1e-8))
        return 1;
    frexp(most, &exponent);
    const int limit = w->real == LIB_F32 ? 120 : 1000;
    return ldexp(1, -exponent < limit ? -exponent : limit);
}

static void scale(struct work *w, int64_t n, void *a, double factor)
{
    void *none = NULL;
    if (factor != 1)
        work_each(w, "jacobi.h", "scaled_columns", n * n,
                  (void *[]){&n, &n, &a, &n, &none, &none, &factor, &a, &n});
}

/* A (all of it, n by n) becomes diagonal. */
static void by_rounds(struct work *w, int64_t n, void *a, void *v, struct jacobi *set, int *info)
{
    const int64_t even = n + n % 2;
    const double tolerance = jacobi_tolerance(w, set);
    void *angles = work_elements(w, 4 * even), *norms = work_reals(w, 2);
    double norm[2] = {0, 0};
    int done = 0;
    const double middle = to_middle(w, n * n, a, norms);
    scale(w, n, a, middle);
    if (v)
        work_each(w, "util.h", "identity", n * n, (void *[]){&n, &n, &v, &n});
    for (;; done++) {
        work_run(w, "jacobi.h", "off_norm", 1, SOLVER_THREADS, (void *[]){&n, &a, &n, &norms});
        work_get_reals(w, norm, norms, 2);
        if (w->error || !(norm[0] > tolerance * norm[1]) || done == set->sweeps)
            break;
        for (int64_t round = 0; round < even - 1; round++) {
            work_each(w, "jacobi.h", "jacobi_angles", even / 2,
                      (void *[]){&n, &round, &a, &n, &angles});
            work_each(w, "jacobi.h", "jacobi_columns", even / 2 * n,
                      (void *[]){&n, &round, &a, &v, &n, &angles});
            work_each(w, "jacobi.h", "jacobi_rows", even / 2 * n,
                      (void *[]){&n, &round, &a, &n, &angles});
        }
    }
    scale(w, n, a, 1 / middle);
    set->residual = norm[0] / middle;
    set->done = done;
    const bool little = norm[0] <= tolerance * norm[1] && isfinite(norm[1]);
    const int left = norm[0] == 0 || little ? 0 : (int)n + 1;
    work_put(w, info, &left, sizeof left);
}

/* What the one matrix of a call took. */
static void get_report(struct work *w, int64_t count, const void *report, struct jacobi *set)
{
    double told[2] = {0, 0};
    if (count != 1)
        return;
    work_get_reals(w, told, report, 2);
    set->residual = told[0];
    set->done = (int)told[1];
}

/* Matrices of n rows, one behind the other, all of each. */
static void in_blocks(struct work *w, int64_t n, int64_t count, void *a, void *v,
                      struct jacobi *set, int *info)
{
    void *report = work_reals(w, 2 * count);
    double tolerance = jacobi_tolerance(w, set);
    work_run(w, "jacobi.h", "jacobi_small", count, SOLVER_THREADS,
             (void *[]){&n, &a, &v, &tolerance, &set->sweeps, &report, &info});
    get_report(w, count, report, set);
}

/* Half the columns of the kernel that turns a matrix of n rows in a block's shared memory, vectors
 * in registers; 0: there is none. */
static int near_half(const struct work *w, int64_t n)
{
    enum { REGISTERS = 512 /* bytes of a thread's for a row of the vectors */ };
    const struct lib_device *d = &w->h->device;
    const int half = n <= 16   ? 8
                     : n <= 24 ? 12
                     : n <= 32 ? 16
                               : 32,
              bytes = (int)lib_types[w->type].bytes;
    return !lib_in_registers(d) || n > 2 * half || 2 * half * bytes > REGISTERS ||
                   (size_t)NEAR_SHARED(half, bytes) > d->info.shared_per_block
               ? 0
               : half;
}

/* Matrices of n rows whose triangle is given, each lda n elements after the last; out: NULL, or
 * where the vectors go, ldo n elements apart. */
static void near_all(struct work *w, bool upper, int64_t n, int64_t count, void *a, int64_t lda,
                     struct jacobi *set, void *values, void *out, int64_t ldo, int *info)
{
    const int half = near_half(w, n);
    char kernel[64];
    int rows = (int)n, up = upper, sort = set->sort;
    int64_t step = lda * n, out_step = ldo * n;
    double tolerance = jacobi_tolerance(w, set);
    void *report = work_reals(w, 2 * count);
    if (w->error || !count)
        return;
    snprintf(kernel, sizeof kernel, "syevj_near<%s, %d>", lib_types[w->type].name, half);
    work_fail(w,
              lib_run_shared(&w->h->device, w->h->stream, "solver/jacobi_near.h", kernel,
                             (tern_dim){(uint32_t)count}, (tern_dim){(uint32_t)NEAR_THREADS(half)},
                             (uint32_t)NEAR_SHARED(half, (int)lib_types[w->type].bytes),
                             (void *[]){&rows, &a, &lda, &step, &up, &tolerance, &set->sweeps,
                                        &sort, &values, &out, &ldo, &out_step, &report, &info}));
    get_report(w, count, report, set);
}

/* Whether matrices of n rows are diagonalised by reflections and QL steps in a block's shared
 * memory, which takes less than rotations where nobody has asked for few of those. */
static bool small_suits(const struct work *w, int64_t n, const struct jacobi *set)
{
    enum {
        ENOUGH = 10, /* sweeps that any matrix is diagonal after */
        FEW = 32,    /* rows that rotations take no longer for */
    };
    const struct lib_device *d = &w->h->device;
    if (n > JACOBI_ROWS || set->sweeps < ENOUGH)
        return false;
    if (d->host_path)
        return true;
    return lib_in_registers(d) && (n > FEW || !near_half(w, n)) &&
           (size_t)SMALL_SHARED(n, (int64_t)lib_types[w->type].bytes) <= d->info.shared_per_block;
}

static void small_all(struct work *w, bool upper, int64_t n, int64_t count, void *a, int64_t lda,
                      const struct jacobi *set, void *values, void *out, int *info)
{
    char kernel[64];
    int rows = (int)n, up = upper, sort = set->sort;
    int64_t step = lda * n;
    if (w->h->device.host_path) {
        host_small(w, upper, n, count, a, lda, set->sort, values, out, info);
        return;
    }
    if (w->error)
        return;
    snprintf(kernel, sizeof kernel, "syev_small<%s>", lib_types[w->type].name);
    work_fail(w,
              lib_run_shared(&w->h->device, w->h->stream, "solver/small_eigen.h", kernel,
                             (tern_dim){(uint32_t)count}, (tern_dim){(uint32_t)SMALL_THREADS(rows)},
                             (uint32_t)SMALL_SHARED(rows, (int)lib_types[w->type].bytes),
                             (void *[]){&rows, &a, &lda, &step, &up, &sort, &values, &out, &lda,
                                        &step, &info}));
}

static void finish(struct work *w, int64_t n, int64_t count, void *a, void *v,
                   const struct jacobi *set, void *values, void *out, int64_t ldo)
{
    int sort = set->sort;
    work_run(w, "jacobi.h", "jacobi_finish", count, SOLVER_THREADS,
             (void *[]){&n, &a, &v, &sort, &values, &out, &ldo});
}

void jacobi_solve(struct work *w, int64_t n, void *full, syevjInfo_t params, void *values,
                  void *out, int64_t ldo, int *info)
{
    if (n && near_half(w, n)) {
        near_all(w, false, n, 1, full, n, &params->set, values, out, ldo, info);
        return;
    }
    void *v = out ? work_elements(w, n * n) : NULL;
    if (!n)
        work_zero(w, info, sizeof *info);
    else if (n <= JACOBI_ROWS / 2)
        in_blocks(w, n, 1, full, v, &params->set, info);
    else
        by_rounds(w, n, full, v, &params->set, info);
    finish(w, n, n > 0, full, v, &params->set, values, out, ldo);
}

/* ---- the calls ---- */

static bool valid(cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n, int64_t lda)
{
    return (jobz == CUSOLVER_EIG_MODE_NOVECTOR || jobz == CUSOLVER_EIG_MODE_VECTOR) &&
           valid_fill(uplo) && n >= 0 && valid_ld(lda, n);
}

cusolverStatus_t solver_syevj_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                   const void *A, int64_t lda, const void *W, int *size,
                                   syevjInfo_t params)
{
    (void)type;
    (void)A;
    (void)W;
    SOLVER_CALL(handle, valid(jobz, uplo, n, lda) && size && params);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_syevj(cusolverDnHandle_t handle, enum lib_type type, cusolverEigMode_t jobz,
                              cublasFillMode_t uplo, int64_t n, void *A, int64_t lda, void *W,
                              void *workspace, int64_t size, int *info, syevjInfo_t params)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid(jobz, uplo, n, lda) && info && params);
    struct work w = work_begin(handle, type);
    void *full = eigen_full(&w, uplo, n, A, lda, false);
    jacobi_solve(&w, n, full, params, W, jobz == CUSOLVER_EIG_MODE_VECTOR ? A : NULL, lda, info);
    return work_end(&w);
}

cusolverStatus_t solver_syevj_batched_size(cusolverDnHandle_t handle, enum lib_type type,
                                           cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                           const void *A, int64_t lda, const void *W, int *size,
                                           syevjInfo_t params, int64_t count)
{
    SOLVER_CALL(handle, count >= 0);
    return solver_syevj_size(handle, type, jobz, uplo, n, A, lda, W, size, params);
}

void jacobi_batch(struct work *w, struct jacobi *set, bool vectors, cublasFillMode_t uplo,
                  int64_t n, void *A, int64_t lda, void *W, int *info, int64_t count)
{
    int upper = uplo == CUBLAS_FILL_MODE_UPPER;
    if (!n || !count)
        return;
    if (small_suits(w, n, set)) {
        small_all(w, upper, n, count, A, lda, set, W, vectors ? A : NULL, info);
        return;
    }
    if (near_half(w, n)) {
        near_all(w, upper, n, count, A, lda, set, W, vectors ? A : NULL, lda, info);
        return;
    }
    if (n > JACOBI_ROWS) {
        for (int64_t k = 0; k < count; k++) {
            struct work one = work_begin(w->h, w->type);
            struct syevjInfo own = {*set};
            void *a = work_at(w, A, lda, 0, k * n);
            jacobi_solve(&one, n, eigen_full(&one, uplo, n, a, lda, false), &own,
                         (char *)W + (size_t)(k * n) * lib_types[w->real].bytes, vectors ? a : NULL,
                         lda, info + k);
            if (work_end(&one) != CUSOLVER_STATUS_SUCCESS)
                work_fail(w, one.error);
        }
        return;
    }
    void *full = work_elements(w, n * n * count);
    void *v = vectors ? work_elements(w, n * n * count) : NULL;
    work_run2(w, "jacobi.h", "mirror_all", (tern_dim){(uint32_t)count, 1, 1}, SOLVER_THREADS,
              (void *[]){&n, &A, &lda, &upper, &full});
    in_blocks(w, n, count, full, v, set, info);
    finish(w, n, count, full, v, set, W, vectors ? A : NULL, lda);
}

cusolverStatus_t solver_syevj_batched(cusolverDnHandle_t handle, enum lib_type type,
                                      cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                      void *A, int64_t lda, void *W, void *workspace, int64_t size,
                                      int *info, syevjInfo_t params, int64_t count)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid(jobz, uplo, n, lda) && info && params && count >= 0);
    struct work w = work_begin(handle, type);
    jacobi_batch(&w, &params->set, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo, n, A, lda, W, info,
                 count);
    return work_end(&w);
}

cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle,
                                                   cusolverDnParams_t params,
                                                   cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                                   int64_t n, cudaDataType typeA, const void *A,
                                                   int64_t lda, cudaDataType typeW, const void *W,
                                                   cudaDataType computeType, size_t *onDevice,
                                                   size_t *onHost, int64_t count)
{
    SOLVER_CALL(handle, count >= 0);
    return cusolverDnXsyevd_bufferSize(handle, params, jobz, uplo, n, typeA, A, lda, typeW, W,
                                       computeType, onDevice, onHost);
}

cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                        cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                        cudaDataType typeA, void *A, int64_t lda,
                                        cudaDataType typeW, void *W, cudaDataType computeType,
                                        void *onDevice, size_t deviceBytes, void *onHost,
                                        size_t hostBytes, int *info, int64_t count)
{
    enum lib_type type, values;
    struct jacobi set = {.sweeps = JACOBI_SWEEPS, .sort = 1};
    (void)params;
    (void)onDevice;
    (void)deviceBytes;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, valid(jobz, uplo, n, lda) && info && count >= 0);
    if (!solver_type(typeA, &type) || !solver_type(typeW, &values) || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    struct work w = work_begin(handle, type);
    if (values != w.real)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    jacobi_batch(&w, &set, jobz == CUSOLVER_EIG_MODE_VECTOR, uplo, n, A, lda, W, info, count);
    return work_end(&w);
}
