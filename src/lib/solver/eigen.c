/* Eigenvalues of Hermitian matrices: tridiagonal first, then by halves (divide.c) or, where vectors
 * are not wanted, by QL steps on the host; vectors go back through the reflections. */
#include "lib/solver/solver_int.h"
#include "lib/solver/host/singular.h"
#include "lib/solver/host/leaf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = QR_BLOCK };

/* ---- to a tridiagonal matrix ---- */

/* Columns first to end - 1 by blocks that tell each other what they have
 * (device/solver/tridiagonal.h), where the device holds them all and a vector in shared memory;
 * false: it does not. */
enum { PANEL_WIDTH = 64 };

static uint32_t blocks_at_once(const struct work *w)
{
    return w->h->device.info.units ? w->h->device.info.units : 1;
}

static size_t shared_bytes(const struct work *w, int64_t n)
{
    return (size_t)TRI_SHARED(n, blocks_at_once(w), PANEL_WIDTH) * lib_types[w->type].bytes;
}

static bool reduces_at_once(const struct work *w, int64_t n)
{
    enum { STATIC = 28 << 10, LEAST = 64 }; /* LEAST: rows that are worth it */
    const struct lib_device *d = &w->h->device;
    return !d->host_path && d->capability >= 70 && n >= LEAST &&
           shared_bytes(w, n) + STATIC <= d->info.shared_per_block;
}

static void *board(struct work *w, int64_t n)
{
    const size_t bytes =
        (size_t)TRI_BOARD(n, blocks_at_once(w), PANEL_WIDTH, (int64_t)lib_types[w->type].bytes);
    void *board = work_bytes(w, bytes);
    work_zero(w, board, bytes);
    return board;
}

static void panel_at_once(struct work *w, int64_t n, int64_t first, int64_t end, void *a,
                          int64_t lda, void *v, void *x, void *d, void *e, void *tau, void *board)
{
    char kernel[96];
    if (w->error)
        return;
    snprintf(kernel, sizeof kernel, "tridiagonal_panel<%s, %d>", lib_types[w->type].name,
             PANEL_WIDTH);
    work_fail(w, lib_run_shared(
                     &w->h->device, w->h->stream, "solver/tridiagonal.h", kernel,
                     (tern_dim){blocks_at_once(w)}, (tern_dim){TRI_THREADS},
                     (uint32_t)shared_bytes(w, n),
                     (void *[]){&n, &first, &end, &a, &lda, &v, &x, &n, &d, &e, &tau, &board}));
}

static void panel_by_columns(struct work *w, int64_t n, int64_t first, int64_t end, void *a,
                             int64_t lda, void *v, void *x, void *d, void *e, void *tau)
{
    for (int64_t k = first; k < end; k++) {
        work_run(w, "eigen.h", "tridiagonal_column", 1, SOLVER_THREADS,
                 (void *[]){&n, &k, &first, &a, &lda, &v, &x, &n, &d, &e, &tau});
        if (k + 1 >= n)
            break;
        work_gemv(w, n - k - 1, work_at(w, a, lda, k + 1, k + 1), lda,
                  work_at(w, v, n, k + 1, k - first), work_at(w, x, n, k + 1, k - first));
        work_run(w, "eigen.h", "tridiagonal_product", 1, SOLVER_THREADS,
                 (void *[]){&n, &k, &first, &v, &x, &n, &tau});
    }
}

/* By C functions, on the CPU: of the lower triangle alone. */
static void reduce_on_host(struct work *w, int64_t n, void *a, int64_t lda, void *d, void *e,
                           void *tau)
{
    void *v = work_elements(w, n * HOST_PANEL), *x = work_elements(w, n * HOST_PANEL),
         *y = work_elements(w, n * host_parts(w, n));
    for (int64_t first = 0; first < n; first += HOST_PANEL) {
        const int64_t end = first + HOST_PANEL < n ? first + HOST_PANEL : n;
        host_tridiagonal(w, n, first, end, a, lda, v, x, d, e, tau, y);
        work_syr2k(w, CUBLAS_FILL_MODE_LOWER, n - end, end - first, -1, work_at(w, v, n, end, 0), n,
                   work_at(w, x, n, end, 0), n, work_at(w, a, lda, end, end), lda);
    }
}

/* A: all of a Hermitian matrix; products with it are faster than with one triangle. Afterwards the
 * lower one holds the reflections, as LAPACK has them; d and e are device memory. */
void eigen_reduce(struct work *w, int64_t n, void *a, int64_t lda, void *d, void *e, void *tau)
{
    if (host_leaves(w)) {
        reduce_on_host(w, n, a, lda, d, e, tau);
        return;
    }
    const bool at_once = reduces_at_once(w, n);
    const int64_t most = at_once ? PANEL_WIDTH : BLOCK;
    /* V, W and V again: (V W) times (W V)' is one product. */
    void *v = work_elements(w, 3 * n * most);
    void *x = work_at(w, v, n, 0, most), *again = work_at(w, v, n, 0, 2 * most);
    void *told = at_once ? board(w, n) : NULL;
    for (int64_t first = 0; first < n; first += most) {
        const int64_t end = first + most < n ? first + most : n, left = n - end;
        if (at_once)
            panel_at_once(w, n, first, end, a, lda, v, x, d, e, tau, told);
        else
            panel_by_columns(w, n, first, end, a, lda, v, x, d, e, tau);
        if (left == 0)
            break;
        work_copy(w, again, v, (size_t)(n * most) * lib_types[w->type].bytes);
        work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_C, left, left, 2 * most, -1, work_at(w, v, n, end, 0),
                  n, work_at(w, x, n, end, 0), n, 1, work_at(w, a, lda, end, end), lda);
    }
}

/* ---- the tridiagonal matrix ---- */

struct value {
    double value;
    int64_t column;
};

static int smaller_first(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* d and e are of the host; the eigenvalues come in d, in no order. z: the real vectors, or NULL.
 * The result counts what did not converge. */
static int64_t solve(struct work *w, int64_t n, double *d, double *e, void *z)
{
    if (z)
        return divide_solve(w, n, d, e, z);
    if (tridiagonal_eigenvalues(n, d, e))
        return 0;
    int64_t left = 0;
    for (int64_t k = 0; k + 1 < n; k++)
        left += e[k] != 0;
    return left;
}

/* Scales a matrix, so that squares neither overflow nor vanish; by what is the result. */
static double fit(struct work *w, int64_t n, void *a)
{
    const double most = work_largest(w, n, n, a, n), limit = w->real == LIB_F32 ? 1e12 : 1e100;
    int64_t columns = n;
    int power;
    void *none = NULL;
    if (!(most > 0) || !isfinite(most) || (most < limit && most > 1 / limit))
        return 1;
    frexp(most, &power);
    double factor = ldexp(1, power > 1000 ? -1000 : power < -1000 ? 1000 : -power);
    work_each(w, "jacobi.h", "scaled_columns", n * n,
              (void *[]){&n, &columns, &a, &n, &none, &none, &factor, &a, &n});
    return factor;
}

/* Which of the sorted eigenvalues, times a factor, are wanted: from … from+count-1. */
static void choose(const struct eigen_range *r, int64_t n, double factor, const struct value *v,
                   int64_t *from, int64_t *count)
{
    *from = 0;
    *count = n;
    if (r->range == CUSOLVER_EIG_RANGE_I) {
        *from = r->il - 1;
        *count = r->iu - r->il + 1;
    } else if (r->range == CUSOLVER_EIG_RANGE_V) {
        while (*from < n && !(v[*from].value / factor > r->vl))
            ++*from;
        for (*count = 0; *from + *count < n && v[*from + *count].value / factor <= r->vu;)
            ++*count;
    }
}

/* The first vectors of the tridiagonal matrix, in another order, become those of the matrix whose
 * reflections are in full. These begin in the second row, which is put where products like it; of a
 * band (NULL: there was none) in the row after it. */
static void back(struct work *w, int64_t n, int64_t count, void *z, void *order, const void *full,
                 const void *tau, const struct band *band, void *out, int64_t ldo)
{
    const int64_t each = 16 / (int64_t)lib_types[w->type].bytes, below = band ? band->width : 1;
    int64_t ld = band ? band_rows(band) : work_ld(w, n + each - 1);
    int part = PART_ALL;
    void *x = work_elements(w, ld * count);
    if (band)
        work_zero(w, x, (size_t)(ld * count) * lib_types[w->type].bytes);
    else
        x = work_at(w, x, ld, each - 1, 0);
    work_each(w, "eigen.h", "gather_real", n * count,
              (void *[]){&n, &count, &z, &n, &order, &x, &ld});
    if (band)
        band_back(w, band, count, x, ld);
    if (n > below)
        qr_multiply(w, CUBLAS_SIDE_LEFT, false, n - below, count, n - below,
                    work_at(w, full, n, below, 0), n, tau, work_at(w, x, ld, below, 0), ld);
    work_each(w, "util.h", "copy_part", n * count,
              (void *[]){&n, &count, &x, &ld, &out, &ldo, &part});
}

/* A small matrix on the CPU: one core does all of it. */
static int64_t of_small(struct work *w, int64_t n, const void *full,
                        const struct eigen_range *range, void *values, void *out, int64_t ldo,
                        int *info)
{
    struct value sorted[HOST_SMALL];
    double host[HOST_SMALL];
    int64_t from = 0, count = 0;
    int part = PART_ALL;
    void *all = work_reals(w, n), *vectors = out ? work_elements(w, n * n) : NULL;
    host_small(w, false, n, 1, full, n, true, all, vectors, info);
    work_get_reals(w, host, all, n);
    if (w->error)
        return 0;
    for (int64_t k = 0; k < n; k++)
        sorted[k] = (struct value){host[k], k};
    choose(range, n, 1, sorted, &from, &count);
    work_copy(w, values, (char *)all + (size_t)from * lib_types[w->real].bytes,
              (size_t)(n - from) * lib_types[w->real].bytes);
    const void *first = work_at(w, vectors, n, 0, from);
    if (out)
        work_each(w, "util.h", "copy_part", n * count,
                  (void *[]){&n, &count, (void *)&first, &n, &out, &ldo, &part});
    return count;
}

/* All of a Hermitian matrix is in full (which is spent); eigenvalues to values, vectors to the
 * first columns of out (NULL: none), info on the device. The result is how many there are. */
int64_t eigen_solve(struct work *w, int64_t n, void *full, const struct eigen_range *range,
                    void *values, void *out, int64_t ldo, int *info)
{
    int64_t from = 0, count = 0;
    if (!n) {
        work_zero(w, info, sizeof *info);
        return 0;
    }
    const bool two = band_suits(w, n);
    if (w->h->device.host_path && n <= HOST_SMALL && !two)
        return of_small(w, n, full, range, values, out, ldo, info);
    void *d = work_reals(w, n), *e = work_reals(w, n), *tau = work_elements(w, n);
    void *z = out ? work_reals(w, n * n) : NULL, *columns = work_bytes(w, (size_t)n * 8);
    double *hd = calloc((size_t)n, sizeof *hd), *he = calloc((size_t)n, sizeof *he);
    struct value *sorted = calloc((size_t)n, sizeof *sorted);
    int64_t *order = calloc((size_t)n, sizeof *order);
    if (!hd || !he || !sorted || !order)
        work_fail(w, TERN_OUT_OF_MEMORY);
    const double factor = two || reduces_at_once(w, n) ? fit(w, n, full) : 1;
    struct band band;
    if (two)
        band_reduce(w, n, full, n, d, e, tau, &band);
    else
        eigen_reduce(w, n, full, n, d, e, tau);
    work_get_reals(w, hd, d, n);
    work_get_reals(w, he, e, n - 1);
    const int left = w->error ? 0 : (int)solve(w, n, hd, he, z);
    if (!w->error) {
        for (int64_t k = 0; k < n; k++)
            sorted[k] = (struct value){hd[k], k};
        qsort(sorted, (size_t)n, sizeof *sorted, smaller_first);
        choose(range, n, factor, sorted, &from, &count);
        /* Those that follow the wanted ones are written behind them, as cuSOLVER does. */
        for (int64_t k = 0; from + k < n; k++) {
            hd[k] = sorted[from + k].value / factor;
            order[k] = sorted[from + k].column;
        }
        work_put_reals(w, values, hd, n - from);
    }
    if (out && count > 0) {
        work_put(w, columns, order, (size_t)count * sizeof *order);
        back(w, n, count, z, columns, full, tau, two ? &band : NULL, out, ldo);
    }
    work_put(w, info, &left, sizeof left);
    free(hd);
    free(he);
    free(sorted);
    free(order);
    return count;
}

/* All of the matrix whose triangle is given. */
void *eigen_full(struct work *w, cublasFillMode_t uplo, int64_t n, const void *a, int64_t lda,
                 bool flipped)
{
    int upper = uplo == CUBLAS_FILL_MODE_UPPER, flip = flipped;
    void *full = work_elements(w, n * n);
    work_each(w, "util.h", "mirror", n * n,
              (void *[]){&n, (void *)&a, &lda, &upper, &flip, &full, &n});
    return full;
}

/* ---- eigenvalues: the calls ---- */

static const struct eigen_range everything = {.range = CUSOLVER_EIG_RANGE_ALL};

static bool valid_mode(cusolverEigMode_t m)
{
    return m == CUSOLVER_EIG_MODE_NOVECTOR || m == CUSOLVER_EIG_MODE_VECTOR;
}

bool eigen_valid_range(const struct eigen_range *r, int64_t n)
{
    switch (r->range) {
    case CUSOLVER_EIG_RANGE_ALL: return true;
    case CUSOLVER_EIG_RANGE_V: return r->vl < r->vu;
    case CUSOLVER_EIG_RANGE_I: return n == 0 || (r->il >= 1 && r->il <= r->iu && r->iu <= n);
    default: return false;
    }
}

static cusolverStatus_t syevdx(cusolverDnHandle_t handle, enum lib_type type,
                               cusolverEigMode_t jobz, const struct eigen_range *range,
                               cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                               int64_t *count, void *W, int *info)
{
    SOLVER_CALL(handle, valid_mode(jobz) && eigen_valid_range(range, n) && valid_fill(uplo) &&
                            n >= 0 && valid_ld(lda, n) && info && count);
    struct work w = work_begin(handle, type);
    void *full = eigen_full(&w, uplo, n, A, lda, false);
    *count =
        eigen_solve(&w, n, full, range, W, jobz == CUSOLVER_EIG_MODE_VECTOR ? A : NULL, lda, info);
    return work_end(&w);
}

cusolverStatus_t solver_syevd(cusolverDnHandle_t handle, enum lib_type type, cusolverEigMode_t jobz,
                              cublasFillMode_t uplo, int64_t n, void *A, int64_t lda, void *W,
                              void *workspace, int64_t size, int *info)
{
    int64_t count;
    (void)workspace;
    (void)size;
    return syevdx(handle, type, jobz, &everything, uplo, n, A, lda, &count, W, info);
}

cusolverStatus_t solver_syevd_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                   const void *A, int64_t lda, const void *W, int *size)
{
    (void)type;
    (void)A;
    (void)W;
    SOLVER_CALL(handle, valid_mode(jobz) && valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

double solver_real(enum lib_type type, const void *at)
{
    if (!at)
        return 0;
    return type == LIB_F32 || type == LIB_C32 ? (double)*(const float *)at : *(const double *)at;
}

struct eigen_range eigen_range_of(enum lib_type type, cusolverEigRange_t range, const void *vl,
                                  const void *vu, int64_t il, int64_t iu)
{
    return (struct eigen_range){range, solver_real(type, vl), solver_real(type, vu), il, iu};
}

cusolverStatus_t solver_syevdx(cusolverDnHandle_t handle, enum lib_type type,
                               cusolverEigMode_t jobz, cusolverEigRange_t range,
                               cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                               const void *vl, const void *vu, int64_t il, int64_t iu, int *meig,
                               void *W, void *workspace, int64_t size, int *info)
{
    const struct eigen_range r = eigen_range_of(type, range, vl, vu, il, iu);
    int64_t count = 0;
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, meig);
    const cusolverStatus_t s = syevdx(handle, type, jobz, &r, uplo, n, A, lda, &count, W, info);
    *meig = (int)count;
    return s;
}

cusolverStatus_t solver_syevdx_size(cusolverDnHandle_t handle, enum lib_type type,
                                    cusolverEigMode_t jobz, cusolverEigRange_t range,
                                    cublasFillMode_t uplo, int64_t n, const void *A, int64_t lda,
                                    const void *vl, const void *vu, int64_t il, int64_t iu,
                                    int *meig, const void *W, int *size)
{
    const struct eigen_range r = eigen_range_of(type, range, vl, vu, il, iu);
    (void)meig;
    SOLVER_CALL(handle, eigen_valid_range(&r, n));
    return solver_syevd_size(handle, type, jobz, uplo, n, A, lda, W, size);
}

static bool types_of_syevd(cudaDataType a, cudaDataType w, cudaDataType compute,
                           enum lib_type *type)
{
    enum lib_type values;
    if (!solver_type(a, type) || !solver_type(w, &values) || compute != a)
        return false;
    return values == (*type == LIB_F32 || *type == LIB_C32 ? LIB_F32 : LIB_F64);
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                             int64_t n, cudaDataType typeA, const void *A,
                                             int64_t lda, cudaDataType typeW, const void *W,
                                             cudaDataType computeType, size_t *onDevice,
                                             size_t *onHost)
{
    enum lib_type type;
    (void)params;
    (void)A;
    (void)W;
    SOLVER_CALL(handle, valid_mode(jobz) && valid_fill(uplo) && n >= 0 && valid_ld(lda, n) &&
                            onDevice && onHost);
    if (!types_of_syevd(typeA, typeW, computeType, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType typeA, void *A, int64_t lda, cudaDataType typeW,
                                  void *W, cudaDataType computeType, void *onDevice,
                                  size_t deviceBytes, void *onHost, size_t hostBytes, int *info)
{
    int64_t count;
    return cusolverDnXsyevdx(handle, params, jobz, CUSOLVER_EIG_RANGE_ALL, uplo, n, typeA, A, lda,
                             NULL, NULL, 0, 0, &count, typeW, W, computeType, onDevice, deviceBytes,
                             onHost, hostBytes, info);
}

cusolverStatus_t cusolverDnXsyevdx_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
    cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType typeA, const void *A,
    int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *meig, cudaDataType typeW,
    const void *W, cudaDataType computeType, size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)meig;
    SOLVER_CALL(handle, true);
    if (!types_of_syevd(typeA, typeW, computeType, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    const struct eigen_range r = eigen_range_of(type, range, vl, vu, il, iu);
    SOLVER_CALL(handle, eigen_valid_range(&r, n));
    return cusolverDnXsyevd_bufferSize(handle, params, jobz, uplo, n, typeA, A, lda, typeW, W,
                                       computeType, onDevice, onHost);
}

cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                   cusolverEigMode_t jobz, cusolverEigRange_t range,
                                   cublasFillMode_t uplo, int64_t n, cudaDataType typeA, void *A,
                                   int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                                   int64_t *meig, cudaDataType typeW, void *W,
                                   cudaDataType computeType, void *onDevice, size_t deviceBytes,
                                   void *onHost, size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)params;
    (void)onDevice;
    (void)deviceBytes;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, true);
    if (!types_of_syevd(typeA, typeW, computeType, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    const struct eigen_range r = eigen_range_of(type, range, vl, vu, il, iu);
    return syevdx(handle, type, jobz, &r, uplo, n, A, lda, meig, W, info);
}
