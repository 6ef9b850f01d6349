/* Beside BLAS: sums and diagonals of matrices, triangles packed and not, factorisations of many
 * small matrices. */
#include <stdio.h>
#include <string.h>
#include "device/blas/rows_shared.h"
#include "lib/blas/blas_int.h"

enum { THREADS = 256, MAX_BLOCKS = 65536, LAPACK_THREADS = 64, MAX_MATRICES = 1 << 20 };

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

static bool valid_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static bool valid_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}

static tern_dim blocks_for(int64_t n)
{
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return (tern_dim){(uint32_t)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS)};
}

static enum tern_error run(struct cublasContext *h, const char *header, const char *kernel,
                           enum lib_type t, tern_dim grid, uint32_t threads, void *const *args)
{
    char name[128];
    snprintf(name, sizeof name, "%s<%s>", kernel, lib_types[t].name);
    return lib_run(&h->device, h->stream, header, name, grid, (tern_dim){threads}, args);
}

cublasStatus_t blas_geam(cublasHandle_t h, enum lib_type t, cublasOperation_t transa,
                         cublasOperation_t transb, int64_t m, int64_t n, const void *alpha,
                         const void *A, int64_t lda, const void *beta, const void *B, int64_t ldb,
                         void *C, int64_t ldc)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid_op(transa) || !valid_op(transb) || m < 0 || n < 0 || !alpha || !beta ||
        ldc < at_least_one(m) || (A && lda < at_least_one(transa == CUBLAS_OP_N ? m : n)) ||
        (B && ldb < at_least_one(transb == CUBLAS_OP_N ? m : n)) ||
        (A == C && (transa != CUBLAS_OP_N || lda != ldc)) ||
        (B == C && (transb != CUBLAS_OP_N || ldb != ldc)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    struct blas_operand a = blas_matrix(A, lda, transa), b = blas_matrix(B, ldb, transb);
    const void *a_at, *b_at;
    double av[2], bv[2];
    blas_scalar(h, t, alpha, &a_at, av);
    blas_scalar(h, t, beta, &b_at, bv);
    return blas_status(
        run(h, "blas/extra.h", "geam", t, blocks_for(m * n), THREADS,
            (void *[]){&m, &n, &a, &a_at, &av[0], &av[1], &b, &b_at, &bv[0], &bv[1], &C, &ldc}));
}

cublasStatus_t blas_dgmm(cublasHandle_t h, enum lib_type t, cublasSideMode_t mode, int64_t m,
                         int64_t n, const void *A, int64_t lda, const void *x, int64_t incx,
                         void *C, int64_t ldc)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if ((mode != CUBLAS_SIDE_LEFT && mode != CUBLAS_SIDE_RIGHT) || m < 0 || n < 0 ||
        lda < at_least_one(m) || ldc < at_least_one(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    int left = mode == CUBLAS_SIDE_LEFT;
    const int64_t back = incx < 0 ? (1 - (left ? m : n)) * incx : 0;
    const void *xs = (const char *)x + back * (int64_t)lib_types[t].bytes;
    return blas_status(run(h, "blas/extra.h", "dgmm", t, blocks_for(m * n), THREADS,
                           (void *[]){&m, &n, &left, (void *)&A, &lda, &xs, &incx, &C, &ldc}));
}

cublasStatus_t blas_tpttr(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo, int64_t n,
                          const void *AP, void *A, int64_t lda)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid_fill(uplo) || n < 0 || lda < at_least_one(n))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    int upper = uplo == CUBLAS_FILL_MODE_UPPER;
    return blas_status(run(h, "blas/extra.h", "unpack", t, blocks_for(n * n), THREADS,
                           (void *[]){&n, &upper, (void *)&AP, &A, &lda}));
}

cublasStatus_t blas_trttp(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo, int64_t n,
                          const void *A, int64_t lda, void *AP)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid_fill(uplo) || n < 0 || lda < at_least_one(n))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    int upper = uplo == CUBLAS_FILL_MODE_UPPER;
    return blas_status(run(h, "blas/extra.h", "pack", t, blocks_for(n * n), THREADS,
                           (void *[]){&n, &upper, (void *)&A, &lda, &AP}));
}

/* ---- many small matrices: one block each ---- */

static enum tern_error batch(struct cublasContext *h, const char *kernel, enum lib_type t,
                             int64_t count, void *const *args)
{
    return run(h, "blas/lapack.h", kernel, t, (tern_dim){(uint32_t)count}, LAPACK_THREADS, args);
}

/* Shared memory for a matrix of m by n that a block of a GPU holds (device/blas/near.h); 0: it does
 * not. */
static uint32_t near_bytes(const struct lib_device *d, enum lib_type t, int64_t m, int64_t n)
{
    enum { STATIC = 256, WIDEST = 4 * LAPACK_THREADS };
    const size_t bytes = (size_t)m * (size_t)(n | 1) * lib_types[t].bytes;
    return d->host_path || m > LAPACK_THREADS || n > WIDEST ||
                   bytes + STATIC > d->info.shared_per_block
               ? 0
               : (uint32_t)bytes;
}

static enum tern_error batch_near(struct cublasContext *h, const char *kernel, enum lib_type t,
                                  int64_t count, uint32_t shared, void *const *args)
{
    char name[64];
    snprintf(name, sizeof name, "%s<%s>", kernel, lib_types[t].name);
    return lib_run_shared(&h->device, h->stream, "blas/near.h", name, (tern_dim){(uint32_t)count},
                          (tern_dim){LAPACK_THREADS}, shared, args);
}

/* The rows that a block has in registers of its threads (device/blas/rows.h), of a matrix of n; 0:
 * they do not fit. */
static int rows_in_registers(const struct lib_device *d, enum lib_type t, int64_t n)
{
    enum { STATIC = 256 };
    const int rows = n <= 32 ? 32 : 64;
    return !lib_in_registers(d) || n > rows || rows * lib_types[t].bytes > ROWS_BYTES ||
                   (size_t)(n * ROWS_PITCH(n)) * lib_types[t].bytes + STATIC >
                       d->info.shared_per_block
               ? 0
               : rows;
}

static enum tern_error getrf_rows(struct cublasContext *h, enum lib_type t, int64_t n, int rows,
                                  int64_t count, void *const *args)
{
    char name[64];
    snprintf(name, sizeof name, "getrf_rows<%s, %d>", lib_types[t].name, rows);
    return lib_run_shared(&h->device, h->stream, "blas/rows.h", name, (tern_dim){(uint32_t)count},
                          (tern_dim){(uint32_t)rows},
                          (uint32_t)((size_t)(n * ROWS_PITCH(n)) * lib_types[t].bytes), args);
}

static int64_t part(int64_t left)
{
    return left < MAX_MATRICES ? left : MAX_MATRICES;
}

cublasStatus_t blas_getrf_batched(cublasHandle_t h, enum lib_type t, int64_t n, const void *A,
                                  int64_t lda, int *P, int *info, int64_t count)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (n < 0 || lda < at_least_one(n) || count < 0 || (count && !info))
        return CUBLAS_STATUS_INVALID_VALUE;
    int rows = (int)n;
    const uint32_t shared = near_bytes(&h->device, t, n, n);
    const int held = rows_in_registers(&h->device, t, n);
    enum tern_error e = TERN_OK;
    if (h->device.host_path && n && count && count <= INT32_MAX)
        return blas_status(blas_host_eliminate(h, t, n, A, lda, P, info, count));
    for (int64_t from = 0; from < count && n && !e; from += MAX_MATRICES) {
        void *args[] = {&rows, (void *)&A, &lda, &P, &info, &from};
        e = held     ? getrf_rows(h, t, n, held, part(count - from), args)
            : shared ? batch_near(h, "getrf_near", t, part(count - from), shared, args)
                     : batch(h, "getrf", t, part(count - from), args);
    }
    return blas_status(e);
}

/* info is the host's: which argument is wrong, as LAPACK counts. */
cublasStatus_t blas_getrs_batched(cublasHandle_t h, enum lib_type t, cublasOperation_t trans,
                                  int64_t n, int64_t nrhs, const void *A, int64_t lda, const int *P,
                                  const void *B, int64_t ldb, int *info, int64_t count)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!info)
        return CUBLAS_STATUS_INVALID_VALUE;
    *info = !valid_op(trans)        ? -1
            : n < 0                 ? -2
            : nrhs < 0              ? -3
            : lda < at_least_one(n) ? -5
            : ldb < at_least_one(n) ? -8
            : count < 0             ? -10
                                    : 0;
    if (*info)
        return CUBLAS_STATUS_INVALID_VALUE;
    int rows = (int)n, columns = (int)nrhs, op = (int)trans;
    enum tern_error e = TERN_OK;
    for (int64_t from = 0; from < count && n && nrhs && !e; from += MAX_MATRICES)
        e = batch(h, "getrs", t, part(count - from),
                  (void *[]){&rows, &columns, &op, (void *)&A, &lda, (void *)&P, (void *)&B, &ldb,
                             &from});
    return blas_status(e);
}

cublasStatus_t blas_getri_batched(cublasHandle_t h, enum lib_type t, int64_t n, const void *A,
                                  int64_t lda, const int *P, const void *C, int64_t ldc, int *info,
                                  int64_t count)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (n < 0 || lda < at_least_one(n) || ldc < at_least_one(n) || count < 0 || (count && !info))
        return CUBLAS_STATUS_INVALID_VALUE;
    int rows = (int)n;
    enum tern_error e = TERN_OK;
    for (int64_t from = 0; from < count && n && !e; from += MAX_MATRICES)
        e = batch(h, "getri", t, part(count - from),
                  (void *[]){&rows, (void *)&A, &lda, (void *)&P, (void *)&C, &ldc, &info, &from});
    return blas_status(e);
}

cublasStatus_t blas_matinv_batched(cublasHandle_t h, enum lib_type t, int64_t n, const void *A,
                                   int64_t lda, const void *C, int64_t ldc, int *info,
                                   int64_t count)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (n < 0 || lda < at_least_one(n) || ldc < at_least_one(n) || count < 0 || (count && !info))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n > 32) /* as NVIDIA's */
        return CUBLAS_STATUS_INVALID_VALUE;
    int rows = (int)n;
    enum tern_error e = TERN_OK;
    for (int64_t from = 0; from < count && n && !e; from += MAX_MATRICES) {
        const size_t now = (size_t)part(count - from);
        void *work, *pivots = NULL;
        e = lib_scratch(h->stream, now * (size_t)(n * n) * lib_types[t].bytes, &work);
        if (!e)
            e = lib_scratch(h->stream, now * (size_t)n * sizeof(int), &pivots);
        if (!e)
            e = batch(h, "matinv", t, (int64_t)now,
                      (void *[]){&rows, (void *)&A, &lda, (void *)&C, &ldc, &work, &pivots, &info,
                                 &from});
        lib_scratch_free(h->stream, work);
        lib_scratch_free(h->stream, pivots);
    }
    return blas_status(e);
}

cublasStatus_t blas_geqrf_batched(cublasHandle_t h, enum lib_type t, int64_t m, int64_t n,
                                  const void *A, int64_t lda, const void *tau, int *info,
                                  int64_t count)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!info)
        return CUBLAS_STATUS_INVALID_VALUE;
    *info = m < 0 ? -1 : n < 0 ? -2 : lda < at_least_one(m) ? -4 : count < 0 ? -7 : 0;
    if (*info)
        return CUBLAS_STATUS_INVALID_VALUE;
    int rows = (int)m, columns = (int)n;
    const uint32_t shared = near_bytes(&h->device, t, m, n);
    enum tern_error e = TERN_OK;
    if (h->device.host_path && m && n && count && count <= INT32_MAX)
        return blas_status(blas_host_reflect(h, t, m, n, A, lda, tau, count));
    for (int64_t from = 0; from < count && m && n && !e; from += MAX_MATRICES) {
        void *args[] = {&rows, &columns, (void *)&A, &lda, (void *)&tau, &from};
        e = shared ? batch_near(h, "geqrf_near", t, part(count - from), shared, args)
                   : batch(h, "geqrf", t, part(count - from), args);
    }
    return blas_status(e);
}

cublasStatus_t blas_gels_batched(cublasHandle_t h, enum lib_type t, cublasOperation_t trans,
                                 int64_t m, int64_t n, int64_t nrhs, const void *A, int64_t lda,
                                 const void *C, int64_t ldc, int *info, int *device_info,
                                 int64_t count)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!info)
        return CUBLAS_STATUS_INVALID_VALUE;
    *info = m < 0                   ? -2
            : n < 0                 ? -3
            : nrhs < 0              ? -4
            : lda < at_least_one(m) ? -6
            : ldc < at_least_one(m) ? -8
            : count < 0             ? -11
                                    : 0;
    if (*info)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (trans != CUBLAS_OP_N || m < n) /* as NVIDIA's: tall matrices, not transposed */
        return CUBLAS_STATUS_NOT_SUPPORTED;
    int rows = (int)m, columns = (int)n, sides = (int)nrhs;
    enum tern_error e = TERN_OK;
    for (int64_t from = 0; from < count && m && n && !e; from += MAX_MATRICES) {
        void *taus;
        e = lib_scratch(h->stream, (size_t)(part(count - from) * n) * lib_types[t].bytes, &taus);
        if (!e)
            e = batch(h, "gels", t, part(count - from),
                      (void *[]){&rows, &columns, &sides, (void *)&A, &lda, (void *)&C, &ldc, &taus,
                                 &device_info, &from});
        lib_scratch_free(h->stream, taus);
    }
    return blas_status(e);
}
