/* Cholesky's factorisation: by halves, until a block fits into one kernel; f64 on NVIDIA's GPUs by
 * blocks of columns, each while the columns after the next are brought up to date. */
#include "lib/solver/solver_int.h"
#include "device/blas/rows_shared.h"
#include "lib/blas/part.h"
#include "lib/solver/host/leaf.h"

#include <stdio.h>

/* Rows that one block of threads factorises. */
static int tile_rows(const struct work *w)
{
    if (host_leaves(w))
        return HOST_SQUARE;
    if (w->h->device.host_path)
        return CHOL_BLOCK;
    return lib_types[w->type].bytes > 8 ? CHOL_BLOCK : 2 * CHOL_BLOCK;
}

static void tile(struct work *w, bool upper, int64_t n, void *a, int64_t lda, int *info,
                 int64_t base)
{
    enum { THREADS = 256 };
    int rows = (int)n, up = upper;
    void *args[] = {&rows, &a, &lda, &up, &info, &base};
    char kernel[64];
    if (w->error || n <= 0)
        return;
    if (host_leaves(w)) {
        host_square(w, upper, rows, a, lda, info, base);
        return;
    }
    if (w->h->device.host_path) {
        work_run(w, "chol.h", "potrf_block", 1, CHOL_BLOCK, args);
        return;
    }
    snprintf(kernel, sizeof kernel, "potrf_tile<%s, %d>", lib_types[w->type].name, tile_rows(w));
    work_fail(w, lib_run(&w->h->device, w->h->stream, "solver/chol.h", kernel, (tern_dim){1},
                         (tern_dim){THREADS}, args));
}

static void factor(struct work *w, bool upper, int64_t n, void *a, int64_t lda, int *info,
                   int64_t base)
{
    if (n <= tile_rows(w)) {
        tile(w, upper, n, a, lda, info, base);
        return;
    }
    const int64_t left = solver_half(n, tile_rows(w)), right = n - left;
    void *next = work_at(w, a, lda, left, left);
    factor(w, upper, left, a, lda, info, base);
    if (upper) {
        void *beside = work_at(w, a, lda, 0, left);
        work_trsm(w, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT,
                  left, right, a, lda, beside, lda);
        work_herk(w, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, right, left, -1, beside, lda, 1, next,
                  lda);
    } else {
        void *below = work_at(w, a, lda, left, 0);
        work_trsm(w, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT,
                  right, left, a, lda, below, lda);
        work_herk(w, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, right, left, -1, below, lda, 1, next,
                  lda);
    }
    factor(w, upper, right, next, lda, info, base + left);
}

/* ---- by blocks of columns ---- */

/* Columns of a block, so many that what follows is multiplied at full speed. Inside, they are done
 * SQUARE_ROWS at a time, each brought up to date with all before it when its turn comes. */
static int64_t width_of(int64_t n)
{
    enum { MANY = 8192 };
    return (n >= MANY ? 8 : 4) * SQUARE_ROWS;
}

struct blocks {
    struct work *w;
    bool upper;
    int64_t n, lda, width;
    void *a, *inverse;
    /* What is below the squares of this block and of the next, in columns that begin at multiples
     * of 16 bytes, as products like them. */
    void *done[2];
    int64_t ldd;
    int *info;
};

static bool by_blocks(const struct work *w)
{
    const struct lib_device *d = &w->h->device;
    return w->type == LIB_F64 && !d->host_path && d->capability >= 80 &&
           d->info.shared_per_block >= BELOW_SHARED && d->info.shared_per_block >= SQUARE_SHARED;
}

/* Element (i, j) of the lower triangle, which the upper one has as (j, i). */
static void *at(const struct blocks *b, int64_t i, int64_t j)
{
    return b->upper ? work_at(b->w, b->a, b->lda, j, i) : work_at(b->w, b->a, b->lda, i, j);
}

/* The same of a block's part that is done: rows and columns from the block's first on. */
static void *done_at(const struct blocks *b, void *done, int64_t i, int64_t j)
{
    return b->upper ? work_at(b->w, done, b->ldd, j, i) : work_at(b->w, done, b->ldd, i, j);
}

/* The square on the diagonal at k. */
static void square(struct blocks *b, int64_t k, int rows, bool inverse)
{
    struct work *w = b->w;
    int up = b->upper;
    int64_t base = k;
    void *corner = at(b, k, k), *out = inverse ? b->inverse : NULL;
    if (!w->error)
        work_fail(w,
                  lib_run_shared(&w->h->device, w->h->stream, "solver/square.h", "potrf_square",
                                 (tern_dim){1}, (tern_dim){SQUARE_THREADS}, SQUARE_SHARED,
                                 (void *[]){&rows, &corner, &b->lda, &up, &b->info, &base, &out}));
}

/* What is below the square at k, there and at `to`. */
static void below(struct blocks *b, int64_t k, void *to)
{
    struct work *w = b->w;
    int64_t m = b->n - k - SQUARE_ROWS, one = 1;
    int64_t *row = b->upper ? &b->lda : &one, *col = b->upper ? &one : &b->lda;
    int64_t *to_row = b->upper ? &b->ldd : &one, *to_col = b->upper ? &one : &b->ldd;
    void *first = at(b, k + SQUARE_ROWS, k);
    const char *kernel = w->h->device.capability == 90 ? "potrf_below<8>" : "potrf_below<4>";
    if (!w->error)
        work_fail(
            w, lib_run_shared(&w->h->device, w->h->stream, "solver/square.h", kernel,
                              (tern_dim){(uint32_t)((m + BELOW_ROWS - 1) / BELOW_ROWS)},
                              (tern_dim){BELOW_THREADS}, BELOW_SHARED,
                              (void *[]){&m, &first, row, col, &b->inverse, &to, to_row, to_col}));
}

/* Columns first … first + count - 1 of the triangle less what the first k columns of the block at
 * `from` say. */
static void off(struct blocks *b, int64_t from, void *done, int64_t k, int64_t first, int64_t count)
{
    struct work *w = b->w;
    const void *rows = done_at(b, done, first - from, 0);
    if (count <= 0 || w->error)
        return;
    work_fail(w, blas_take_off(w->h->blas, w->type, b->upper, b->n - first, count, k, rows, b->ldd,
                               at(b, first, first), b->lda));
}

static void panel(struct blocks *b, int64_t k, void *done)
{
    const int64_t end = b->n - k < b->width ? b->n : k + b->width;
    for (int64_t now = k; now < end; now += SQUARE_ROWS) {
        const int64_t left = b->n - now, rows = left < SQUARE_ROWS ? left : SQUARE_ROWS;
        if (now > k)
            off(b, k, done, now - k, now, rows);
        square(b, now, (int)rows, left > rows);
        if (left > rows)
            below(b, now, done_at(b, done, now + rows - k, now - k));
    }
}

static void factor_by_blocks(struct work *w, bool upper, int64_t n, void *a, int64_t lda, int *info)
{
    const int64_t width = width_of(n);
    struct blocks b = {
        .w = w, .upper = upper, .n = n, .lda = lda, .width = width, .a = a, .info = info};
    b.ldd = upper ? width : (n + 1) / 2 * 2;
    b.inverse = work_elements(w, SQUARE_ROWS * SQUARE_ROWS);
    for (int k = 0; k < 2 && n > SQUARE_ROWS; k++)
        b.done[k] = work_elements(w, (n + 1) / 2 * 2 * (k && n <= width ? 1 : width));
    const bool side = n > 2 * width && work_side(w);
    panel(&b, 0, b.done[0]);
    for (int64_t k = 0, now = 0; k + width < n; k += width, now ^= 1) {
        const int64_t next = k + width, count = n - next < width ? n - next : width;
        if (side) {
            work_meet(w);
            work_beside(w, true);
        }
        off(&b, k, b.done[now], width, next, count);
        panel(&b, next, b.done[now ^ 1]);
        work_beside(w, false);
        off(&b, k, b.done[now], width, next + count, n - next - count);
    }
    if (side)
        work_meet(w);
}

void chol_factor(struct work *w, cublasFillMode_t uplo, int64_t n, void *a, int64_t lda, int *info)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    work_zero(w, info, sizeof *info);
    if (by_blocks(w))
        factor_by_blocks(w, upper, n, a, lda, info);
    else
        factor(w, upper, n, a, lda, info, 0);
}

static void solve(struct work *w, cublasFillMode_t uplo, int64_t n, int64_t nrhs, const void *a,
                  int64_t lda, void *b, int64_t ldb, int *info)
{
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const cublasOperation_t first = upper ? CUBLAS_OP_C : CUBLAS_OP_N;
    const cublasOperation_t second = upper ? CUBLAS_OP_N : CUBLAS_OP_C;
    work_trsm(w, CUBLAS_SIDE_LEFT, uplo, first, CUBLAS_DIAG_NON_UNIT, n, nrhs, a, lda, b, ldb);
    work_trsm(w, CUBLAS_SIDE_LEFT, uplo, second, CUBLAS_DIAG_NON_UNIT, n, nrhs, a, lda, b, ldb);
    work_zero(w, info, sizeof *info);
}

/* ---- the calls ---- */

cusolverStatus_t solver_potrf_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                                   int *size)
{
    (void)type;
    (void)A;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && size);
    *size = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t solver_potrf(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, void *workspace, int64_t size,
                              int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    chol_factor(&w, uplo, n, A, lda, info);
    return work_end(&w);
}

cusolverStatus_t solver_potrs(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, int64_t nrhs, const void *A, int64_t lda, void *B,
                              int64_t ldb, int *info)
{
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && nrhs >= 0 && valid_ld(lda, n) &&
                            valid_ld(ldb, n) && info);
    struct work w = work_begin(handle, type);
    solve(&w, uplo, n, nrhs, A, lda, B, ldb, info);
    return work_end(&w);
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType typeA,
                                             const void *A, int64_t lda, cudaDataType computeType,
                                             size_t *onDevice, size_t *onHost)
{
    enum lib_type type;
    (void)params;
    (void)A;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && onDevice && onHost);
    if (!solver_type(typeA, &type) || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    *onDevice = SOLVER_BYTES;
    *onHost = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType typeA, void *A,
                                  int64_t lda, cudaDataType computeType, void *onDevice,
                                  size_t deviceBytes, void *onHost, size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)params;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, true);
    if (!solver_type(typeA, &type) || computeType != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return solver_potrf(handle, type, uplo, n, A, lda, onDevice, (int64_t)deviceBytes, info);
}

cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType typeA, const void *A, int64_t lda,
                                  cudaDataType typeB, void *B, int64_t ldb, int *info)
{
    enum lib_type type;
    (void)params;
    SOLVER_CALL(handle, true);
    if (!solver_type(typeA, &type) || typeB != typeA)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    return solver_potrs(handle, type, uplo, n, nrhs, A, lda, B, ldb, info);
}

/* ---- inverses and products of triangles ---- */

/* The inverse of a triangle, all of a matrix. */
static void *inverse(struct work *w, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n,
                     const void *a, int64_t lda)
{
    void *x = work_elements(w, n * n);
    work_each(w, "util.h", "identity", n * n, (void *[]){&n, &n, &x, &n});
    work_trsm(w, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, diag, n, n, a, lda, x, n);
    return x;
}

/* info: the first element of the diagonal that is 0, from 1. */
static void look_for_zero(struct work *w, int64_t n, const void *a, int64_t lda, int *info)
{
    work_run(w, "util.h", "zero_on_diagonal", 1, 1, (void *[]){&n, (void *)&a, &lda, &info});
}

cusolverStatus_t solver_potri_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                                   int *size)
{
    return solver_potrf_size(handle, type, uplo, n, A, lda, size);
}

cusolverStatus_t solver_potri(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, void *workspace, int64_t size,
                              int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    look_for_zero(&w, n, A, lda, info);
    void *x = inverse(&w, uplo, CUBLAS_DIAG_NON_UNIT, n, A, lda);
    work_herk(&w, uplo, upper ? CUBLAS_OP_N : CUBLAS_OP_C, n, n, 1, x, n, 0, A, lda);
    return work_end(&w);
}

cusolverStatus_t solver_lauum_size(cusolverDnHandle_t handle, enum lib_type type,
                                   cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                                   int *size)
{
    return solver_potrf_size(handle, type, uplo, n, A, lda, size);
}

/* U U', or L' L, in place of the triangle. */
cusolverStatus_t solver_lauum(cusolverDnHandle_t handle, enum lib_type type, cublasFillMode_t uplo,
                              int64_t n, void *A, int64_t lda, void *workspace, int64_t size,
                              int *info)
{
    (void)workspace;
    (void)size;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info);
    struct work w = work_begin(handle, type);
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    int part = (upper ? PART_UPPER : PART_LOWER) | PART_OUTSIDE;
    void *x = work_elements(&w, n * n);
    work_zero(&w, info, sizeof *info);
    work_each(&w, "util.h", "copy_part", n * n, (void *[]){&n, &n, &A, &lda, &x, &n, &part});
    work_herk(&w, uplo, upper ? CUBLAS_OP_N : CUBLAS_OP_C, n, n, 1, x, n, 0, A, lda);
    return work_end(&w);
}

cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             cublasDiagType_t diag, int64_t n, cudaDataType typeA,
                                             void *A, int64_t lda, size_t *onDevice, size_t *onHost)
{
    (void)diag;
    return cusolverDnXpotrf_bufferSize(handle, NULL, uplo, n, typeA, A, lda, typeA, onDevice,
                                       onHost);
}

cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                  cublasDiagType_t diag, int64_t n, cudaDataType typeA, void *A,
                                  int64_t lda, void *onDevice, size_t deviceBytes, void *onHost,
                                  size_t hostBytes, int *info)
{
    enum lib_type type;
    (void)onDevice;
    (void)deviceBytes;
    (void)onHost;
    (void)hostBytes;
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && info &&
                            (diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT));
    if (!solver_type(typeA, &type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    struct work w = work_begin(handle, type);
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER, unit = diag == CUBLAS_DIAG_UNIT;
    int part =
        upper ? (unit ? PART_STRICT_UPPER : PART_UPPER) : (unit ? PART_STRICT_LOWER : PART_LOWER);
    if (unit)
        work_zero(&w, info, sizeof *info);
    else
        look_for_zero(&w, n, A, lda, info);
    void *x = inverse(&w, uplo, diag, n, A, lda);
    work_each(&w, "util.h", "copy_part", n * n, (void *[]){&n, &n, &x, &n, &A, &lda, &part});
    return work_end(&w);
}

/* ---- many matrices: one block each ---- */

cusolverStatus_t solver_potrf_batched(cusolverDnHandle_t handle, enum lib_type type,
                                      cublasFillMode_t uplo, int64_t n, void *A, int64_t lda,
                                      int *info, int64_t count)
{
    SOLVER_CALL(handle,
                valid_fill(uplo) && n >= 0 && valid_ld(lda, n) && count >= 0 && (info || !count));
    struct work w = work_begin(handle, type);
    int rows = (int)n, upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const size_t near = (size_t)n * (size_t)(n | 1) * lib_types[type].bytes;
    const struct lib_device *d = &handle->device;
    void *args[] = {&rows, &A, &lda, &upper, &info};
    char kernel[64];
    if (d->host_path && count) {
        host_factors(&w, upper, n, A, lda, info, count);
        return work_end(&w);
    }
    if (n > SOLVER_THREADS || near > d->info.shared_per_block) {
        work_run(&w, "chol.h", "potrf_batched", count, SOLVER_THREADS, args);
        return work_end(&w);
    }
    const int held = n <= 32 ? 32 : 64; /* rows in registers of a block's threads */
    if (n && lib_in_registers(d) && held * lib_types[type].bytes <= ROWS_BYTES) {
        snprintf(kernel, sizeof kernel, "potrf_rows<%s, %d>", lib_types[type].name, held);
        if (count)
            work_fail(&w, lib_run(d, w.h->stream, "blas/rows.h", kernel,
                                  (tern_dim){(uint32_t)count}, (tern_dim){(uint32_t)held}, args));
        return work_end(&w);
    }
    snprintf(kernel, sizeof kernel, "potrf_near<%s>", lib_types[type].name);
    if (count)
        work_fail(&w,
                  lib_run_shared(d, w.h->stream, "blas/near.h", kernel, (tern_dim){(uint32_t)count},
                                 (tern_dim){SOLVER_THREADS}, (uint32_t)near, args));
    return work_end(&w);
}

cusolverStatus_t solver_potrs_batched(cusolverDnHandle_t handle, enum lib_type type,
                                      cublasFillMode_t uplo, int64_t n, int64_t nrhs, void *A,
                                      int64_t lda, void *B, int64_t ldb, int *info, int64_t count)
{
    SOLVER_CALL(handle, valid_fill(uplo) && n >= 0 && nrhs >= 0 && valid_ld(lda, n) &&
                            valid_ld(ldb, n) && count >= 0 && (info || !count));
    struct work w = work_begin(handle, type);
    int rows = (int)n, columns = (int)nrhs, upper = uplo == CUBLAS_FILL_MODE_UPPER;
    if (count)
        work_zero(&w, info, sizeof *info); /* one for all: whether the arguments were right */
    work_run(&w, "chol.h", "potrs_batched", count, SOLVER_THREADS,
             (void *[]){&rows, &columns, &A, &lda, &B, &ldb, &upper});
    return work_end(&w);
}
