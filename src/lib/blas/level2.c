/* Level 2: matrices and vectors. */
#include <stdio.h>
#include "lib/blas/blas_int.h"
#include "device/blas/stored.h"

enum { THREADS = 256, MAX_BLOCKS = 65536, GEMV_THREADS = 128 };

static const char header[] = "blas/level2.h";

static bool valid_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static bool valid_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

static void *first(const void *x, enum lib_type t, int64_t n, int64_t inc)
{
    const int64_t back = inc < 0 ? (1 - n) * inc : 0;
    return (char *)(uintptr_t)x + back * (int64_t)lib_types[t].bytes;
}

static tern_dim blocks_for(int64_t n)
{
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return (tern_dim){(uint32_t)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS)};
}

static enum tern_error run(struct cublasContext *h, const char *kernel, enum lib_type t,
                           tern_dim grid, tern_dim block, void *const *args)
{
    char name[128];
    snprintf(name, sizeof name, "%s<%s>", kernel, lib_types[t].name);
    return lib_run(&h->device, h->stream, header, name, grid, block, args);
}

/* ---- y = alpha op(A) x + beta y ---- */

static cublasStatus_t matvec(struct cublasContext *h, enum lib_type t, const struct blas_stored *a,
                             const void *alpha, const void *x, int64_t incx, const void *beta,
                             void *y, int64_t incy)
{
    if (!alpha || !beta || !incx || !incy)
        return CUBLAS_STATUS_INVALID_VALUE;
    const int64_t rows = a->trans ? a->cols : a->rows, cols = a->trans ? a->rows : a->cols;
    if (!rows || !cols)
        return CUBLAS_STATUS_SUCCESS;
    struct blas_matvec p = {.a = *a,
                            .x = first(x, t, cols, incx),
                            .y = first(y, t, rows, incy),
                            .incx = incx,
                            .incy = incy};
    blas_scalar(h, t, alpha, &p.alpha, p.alpha_value);
    blas_scalar(h, t, beta, &p.beta, p.beta_value);
    return blas_status(run(h, "matvec", t, blocks_for(rows), (tern_dim){THREADS}, (void *[]){&p}));
}

/* Full matrices: enough blocks for all of the device, also where there are few rows. */
static enum tern_error gemv_plain(struct cublasContext *h, enum lib_type t, int64_t m, int64_t n,
                                  const void *alpha, const void *A, int64_t lda, const void *x,
                                  int64_t incx, const void *beta, void *y, int64_t incy)
{
    const void *a_at, *b_at;
    double a[2], b[2];
    blas_scalar(h, t, alpha, &a_at, a);
    blas_scalar(h, t, beta, &b_at, b);
    const int64_t bytes = (int64_t)lib_types[t].bytes;
    /* Chunks of 16 bytes where columns begin at such places, and there are enough of them. */
    const int64_t rows =
        ((uintptr_t)A | (uintptr_t)(lda * bytes)) % 16 == 0 && m * n >= 1 << 16 ? 16 / bytes : 1;
    const int64_t blocks = (m + GEMV_THREADS * rows - 1) / (GEMV_THREADS * rows),
                  wanted = 8 * (int64_t)h->device.threads;
    int64_t shares = at_least_one((wanted + blocks - 1) / blocks);
    const int64_t most = at_least_one(n / 32);
    shares = shares < most ? shares : most;
    shares = shares < 4096 ? shares : 4096;
    const int64_t share = (n + shares - 1) / shares;
    int count = (int)((n + share - 1) / share);
    void *parts;
    enum tern_error e = lib_scratch(h->stream, (size_t)(m * count) * lib_types[t].bytes, &parts);
    if (e)
        return e;
    char name[64];
    snprintf(name, sizeof name, "gemv_columns<%s, %d>", lib_types[t].name, (int)rows);
    e = lib_run(&h->device, h->stream, header, name, (tern_dim){(uint32_t)blocks, (uint32_t)count},
                (tern_dim){GEMV_THREADS},
                (void *[]){&m, &n, (void *)&share, (void *)&A, &lda, (void *)&x, &incx, &parts});
    if (!e)
        e = run(
            h, "gemv_end", t, blocks_for(m), (tern_dim){THREADS},
            (void *[]){&m, &count, &parts, &a_at, &a[0], &a[1], &b_at, &b[0], &b[1], &y, &incy});
    lib_scratch_free(h->stream, parts);
    return e;
}

static enum tern_error gemv_transposed(struct cublasContext *h, enum lib_type t, int conj,
                                       int64_t m, int64_t n, const void *alpha, const void *A,
                                       int64_t lda, const void *x, int64_t incx, const void *beta,
                                       void *y, int64_t incy)
{
    const void *a_at, *b_at;
    double a[2], b[2];
    blas_scalar(h, t, alpha, &a_at, a);
    blas_scalar(h, t, beta, &b_at, b);
    return run(h, "gemv_rows", t, (tern_dim){(uint32_t)(n < MAX_BLOCKS ? n : MAX_BLOCKS)},
               (tern_dim){THREADS},
               (void *[]){&m, &n, (void *)&A, &lda, (void *)&x, &incx, &conj, &a_at, &a[0], &a[1],
                          &b_at, &b[0], &b[1], &y, &incy});
}

cublasStatus_t blas_gemv(cublasHandle_t h, enum lib_type t, cublasOperation_t trans, int64_t m,
                         int64_t n, const void *alpha, const void *A, int64_t lda, const void *x,
                         int64_t incx, const void *beta, void *y, int64_t incy)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid_op(trans) || m < 0 || n < 0 || lda < at_least_one(m) || !alpha || !beta || !incx ||
        !incy)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    const bool plain = trans == CUBLAS_OP_N;
    const void *xs = first(x, t, plain ? n : m, incx);
    void *ys = first(y, t, plain ? m : n, incy);
    return blas_status(plain ? gemv_plain(h, t, m, n, alpha, A, lda, xs, incx, beta, ys, incy)
                             : gemv_transposed(h, t, trans == CUBLAS_OP_C, m, n, alpha, A, lda, xs,
                                               incx, beta, ys, incy));
}

cublasStatus_t blas_gbmv(cublasHandle_t h, enum lib_type t, cublasOperation_t trans, int64_t m,
                         int64_t n, int64_t kl, int64_t ku, const void *alpha, const void *A,
                         int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                         int64_t incy)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid_op(trans) || m < 0 || n < 0 || kl < 0 || ku < 0 || lda < kl + ku + 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    const struct blas_stored a = {.p = A,
                                  .ld = lda,
                                  .rows = m,
                                  .cols = n,
                                  .below = kl,
                                  .above = ku,
                                  .storage = BLAS_BAND,
                                  .trans = trans != CUBLAS_OP_N,
                                  .conj = trans == CUBLAS_OP_C};
    return matvec(h, t, &a, alpha, x, incx, beta, y, incy);
}

/* A symmetric or Hermitian matrix; k: its band's width, or -1. */
static cublasStatus_t symmetric(cublasHandle_t h, enum lib_type t, int kind, int storage,
                                cublasFillMode_t uplo, int64_t n, int64_t k, const void *alpha,
                                const void *A, int64_t lda, const void *x, int64_t incx,
                                const void *beta, void *y, int64_t incy)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    const int64_t least = storage == BLAS_BAND ? k + 1 : storage == BLAS_FULL ? at_least_one(n) : 0;
    if (!valid_fill(uplo) || n < 0 || k < 0 || lda < least)
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    const struct blas_stored a = {.p = A,
                                  .ld = lda,
                                  .rows = n,
                                  .cols = n,
                                  .below = upper ? 0 : k,
                                  .above = upper ? k : 0,
                                  .storage = storage,
                                  .kind = kind,
                                  .upper = upper};
    return matvec(h, t, &a, alpha, x, incx, beta, y, incy);
}

#define FULL(function, kind)                                                                       \
    cublasStatus_t function(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo, int64_t n,   \
                            const void *alpha, const void *A, int64_t lda, const void *x,          \
                            int64_t incx, const void *beta, void *y, int64_t incy)                 \
    {                                                                                              \
        return symmetric(h, t, kind, BLAS_FULL, uplo, n, 0, alpha, A, lda, x, incx, beta, y,       \
                         incy);                                                                    \
    }
#define BAND(function, kind)                                                                       \
    cublasStatus_t function(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo, int64_t n,   \
                            int64_t k, const void *alpha, const void *A, int64_t lda,              \
                            const void *x, int64_t incx, const void *beta, void *y, int64_t incy)  \
    {                                                                                              \
        return symmetric(h, t, kind, BLAS_BAND, uplo, n, k, alpha, A, lda, x, incx, beta, y,       \
                         incy);                                                                    \
    }
#define PACKED(function, kind)                                                                     \
    cublasStatus_t function(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo, int64_t n,   \
                            const void *alpha, const void *AP, const void *x, int64_t incx,        \
                            const void *beta, void *y, int64_t incy)                               \
    {                                                                                              \
        return symmetric(h, t, kind, BLAS_PACKED, uplo, n, 0, alpha, AP, 0, x, incx, beta, y,      \
                         incy);                                                                    \
    }
FULL(blas_symv, BLAS_SYMMETRIC)
FULL(blas_hemv, BLAS_HERMITIAN)
BAND(blas_sbmv, BLAS_SYMMETRIC)
BAND(blas_hbmv, BLAS_HERMITIAN)
PACKED(blas_spmv, BLAS_SYMMETRIC)
PACKED(blas_hpmv, BLAS_HERMITIAN)

/* ---- triangles: x = op(A) x, and op(A) x = b ---- */

static cublasStatus_t triangle(cublasHandle_t h, enum lib_type t, bool solve, int storage,
                               cublasFillMode_t uplo, cublasOperation_t trans,
                               cublasDiagType_t diag, int64_t n, int64_t k, const void *A,
                               int64_t lda, void *x, int64_t incx)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    const int64_t least = storage == BLAS_BAND ? k + 1 : storage == BLAS_FULL ? at_least_one(n) : 0;
    if (!valid_fill(uplo) || !valid_op(trans) || n < 0 || k < 0 || lda < least || !incx ||
        (diag != CUBLAS_DIAG_UNIT && diag != CUBLAS_DIAG_NON_UNIT))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
    struct blas_matvec p = {.a = {.p = A,
                                  .ld = lda,
                                  .rows = n,
                                  .cols = n,
                                  .below = upper ? 0 : k,
                                  .above = upper ? k : 0,
                                  .storage = storage,
                                  .kind = BLAS_TRIANGULAR,
                                  .upper = upper,
                                  .unit = diag == CUBLAS_DIAG_UNIT,
                                  .trans = trans != CUBLAS_OP_N,
                                  .conj = trans == CUBLAS_OP_C},
                            .y = first(x, t, n, incx),
                            .incy = incx,
                            .incx = 1,
                            .alpha_value = {1}};
    if (solve)
        return blas_status(
            run(h, "solve_vector", t, (tern_dim){1}, (tern_dim){THREADS}, (void *[]){&p}));
    void *copy; /* each row reads what others write */
    enum tern_error e = lib_scratch(h->stream, (size_t)n * lib_types[t].bytes, &copy);
    if (e)
        return blas_status(e);
    char name[128];
    int64_t one = 1;
    p.x = copy;
    snprintf(name, sizeof name, "copy<%s, %s>", lib_types[t].name, lib_types[t].name);
    e = lib_run(&h->device, h->stream, "blas/level1.h", name, blocks_for(n), (tern_dim){THREADS},
                (void *[]){&n, &p.y, &incx, &copy, &one});
    if (!e)
        e = run(h, "matvec", t, blocks_for(n), (tern_dim){THREADS}, (void *[]){&p});
    lib_scratch_free(h->stream, copy);
    return blas_status(e);
}

#define TRIANGLES(full, band, packed, solve)                                                       \
    cublasStatus_t full(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,                  \
                        cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const void *A,  \
                        int64_t lda, void *x, int64_t incx)                                        \
    {                                                                                              \
        return triangle(h, t, solve, BLAS_FULL, uplo, trans, diag, n, 0, A, lda, x, incx);         \
    }                                                                                              \
    cublasStatus_t band(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,                  \
                        cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k,      \
                        const void *A, int64_t lda, void *x, int64_t incx)                         \
    {                                                                                              \
        return triangle(h, t, solve, BLAS_BAND, uplo, trans, diag, n, k, A, lda, x, incx);         \
    }                                                                                              \
    cublasStatus_t packed(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,                \
                          cublasOperation_t trans, cublasDiagType_t diag, int64_t n,               \
                          const void *AP, void *x, int64_t incx)                                   \
    {                                                                                              \
        return triangle(h, t, solve, BLAS_PACKED, uplo, trans, diag, n, 0, AP, 0, x, incx);        \
    }
TRIANGLES(blas_trmv, blas_tbmv, blas_tpmv, false)
TRIANGLES(blas_trsv, blas_tbsv, blas_tpsv, true)

/* ---- A += alpha x y' ---- */

static cublasStatus_t rank(cublasHandle_t h, enum lib_type t, struct blas_rank *p,
                           const void *alpha, enum lib_type scalar, const void *x, int64_t incx,
                           const void *y, int64_t incy, int64_t least)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!alpha || !incx || !incy || p->rows < 0 || p->cols < 0 || p->ld < least || p->part < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!p->rows || !p->cols)
        return CUBLAS_STATUS_SUCCESS;
    p->x = first(x, t, p->rows, incx);
    p->y = first(y, t, p->cols, incy);
    p->incx = incx;
    p->incy = incy;
    p->real_alpha = scalar != t;
    blas_scalar(h, scalar, alpha, &p->alpha, p->alpha_value);
    return blas_status(
        run(h, "rank", t, blocks_for(p->rows * p->cols), (tern_dim){THREADS}, (void *[]){p}));
}

static cublasStatus_t ger(cublasHandle_t h, enum lib_type t, bool conj, int64_t m, int64_t n,
                          const void *alpha, const void *x, int64_t incx, const void *y,
                          int64_t incy, void *A, int64_t lda)
{
    struct blas_rank p = {.a = A, .ld = lda, .rows = m, .cols = n, .conj = conj};
    return rank(h, t, &p, alpha, t, x, incx, y, incy, at_least_one(m));
}

cublasStatus_t blas_geru(cublasHandle_t h, enum lib_type t, int64_t m, int64_t n, const void *alpha,
                         const void *x, int64_t incx, const void *y, int64_t incy, void *A,
                         int64_t lda)
{
    return ger(h, t, false, m, n, alpha, x, incx, y, incy, A, lda);
}

cublasStatus_t blas_gerc(cublasHandle_t h, enum lib_type t, int64_t m, int64_t n, const void *alpha,
                         const void *x, int64_t incx, const void *y, int64_t incy, void *A,
                         int64_t lda)
{
    return ger(h, t, true, m, n, alpha, x, incx, y, incy, A, lda);
}

static int part_of(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_UPPER   ? BLAS_UPPER
           : uplo == CUBLAS_FILL_MODE_LOWER ? BLAS_LOWER
                                            : -1;
}

static enum lib_type real_of(enum lib_type t)
{
    return t == LIB_C32 ? LIB_F32 : t == LIB_C64 ? LIB_F64 : t;
}

/* One vector or two; Hermitian: conjugates, a real diagonal, and with one vector a real scalar. */
#define RANK1(function, hermitian, packed_)                                                        \
    cublasStatus_t function(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo, int64_t n,   \
                            const void *alpha, const void *x, int64_t incx,                        \
                            void *A RANK_LD_##packed_)                                             \
    {                                                                                              \
        struct blas_rank p = {.a = A,                                                              \
                              .ld = RANK_LD_OF_##packed_,                                          \
                              .rows = n,                                                           \
                              .cols = n,                                                           \
                              .storage = packed_ ? BLAS_PACKED : BLAS_FULL,                        \
                              .part = part_of(uplo),                                               \
                              .conj = hermitian,                                                   \
                              .real_diagonal = hermitian};                                         \
        return rank(h, t, &p, alpha, hermitian ? real_of(t) : t, x, incx, x, incx,                 \
                    packed_ ? 0 : at_least_one(n));                                                \
    }
#define RANK2(function, hermitian, packed_)                                                        \
    cublasStatus_t function(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo, int64_t n,   \
                            const void *alpha, const void *x, int64_t incx, const void *y,         \
                            int64_t incy, void *A RANK_LD_##packed_)                               \
    {                                                                                              \
        struct blas_rank p = {.a = A,                                                              \
                              .ld = RANK_LD_OF_##packed_,                                          \
                              .rows = n,                                                           \
                              .cols = n,                                                           \
                              .storage = packed_ ? BLAS_PACKED : BLAS_FULL,                        \
                              .part = part_of(uplo),                                               \
                              .conj = hermitian,                                                   \
                              .twice = true,                                                       \
                              .real_diagonal = hermitian};                                         \
        return rank(h, t, &p, alpha, t, x, incx, y, incy, packed_ ? 0 : at_least_one(n));          \
    }
#define RANK_LD_0    , int64_t lda
#define RANK_LD_OF_0 lda
#define RANK_LD_1
#define RANK_LD_OF_1 0
RANK1(blas_syr, 0, 0)
RANK1(blas_her, 1, 0)
RANK1(blas_spr, 0, 1)
RANK1(blas_hpr, 1, 1)
RANK2(blas_syr2, 0, 0)
RANK2(blas_her2, 1, 0)
RANK2(blas_spr2, 0, 1)
RANK2(blas_hpr2, 1, 1)

/* ---- many: as products with one column ---- */

struct batched {
    cublasOperation_t trans;
    int64_t m, n, lda, incx, incy, count;
    const void *alpha, *A, *x, *beta;
    void *y;
    int64_t stride_a, stride_x, stride_y;
    bool arrays;
};

static cublasStatus_t gemv_batch(cublasHandle_t h, enum lib_type in, enum lib_type out,
                                 const struct batched *b)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid_op(b->trans) || b->m < 0 || b->n < 0 || b->lda < at_least_one(b->m) || !b->incx ||
        !b->incy || b->count < 0 || !b->alpha || !b->beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool plain = b->trans == CUBLAS_OP_N;
    const int64_t rows = plain ? b->m : b->n, cols = plain ? b->n : b->m;
    if (!rows || !cols)
        return CUBLAS_STATUS_SUCCESS;
    struct blas_product p = {.a = blas_matrix(b->A, b->lda, b->trans),
                             .b = {.p = b->x,
                                   .row = b->incx,
                                   .col = 1,
                                   .stride = b->stride_x,
                                   .offset = b->incx < 0 ? (1 - cols) * b->incx : 0,
                                   .array = b->arrays},
                             .c = b->y,
                             .d = b->y,
                             .c_row = b->incy,
                             .c_col = 1,
                             .c_stride = b->stride_y,
                             .c_offset = b->incy < 0 ? (1 - rows) * b->incy : 0,
                             .d_row = b->incy,
                             .d_col = 1,
                             .d_stride = b->stride_y,
                             .d_offset = b->incy < 0 ? (1 - rows) * b->incy : 0,
                             .c_array = b->arrays,
                             .d_array = b->arrays,
                             .m = rows,
                             .n = 1,
                             .k = cols};
    p.a.stride = b->stride_a;
    p.a.array = b->arrays;
    const enum lib_type sum = in == LIB_F16 || in == LIB_BF16 ? LIB_F32 : in;
    blas_scalar(h, sum, b->alpha, &p.alpha, p.alpha_value);
    blas_scalar(h, sum, b->beta, &p.beta, p.beta_value);
    const struct blas_types types = {.a = in, .b = in, .c = out, .sum = sum, .scale = sum};
    return blas_status(blas_product(h, &types, &p, b->count));
}

cublasStatus_t blas_gemv_batched_mixed(cublasHandle_t h, enum lib_type t, enum lib_type out,
                                       cublasOperation_t trans, int64_t m, int64_t n,
                                       const float *alpha, const void *A, int64_t lda,
                                       const void *x, int64_t incx, const float *beta,
                                       const void *y, int64_t incy, int64_t count)
{
    const struct batched b = {.trans = trans,
                              .m = m,
                              .n = n,
                              .lda = lda,
                              .incx = incx,
                              .incy = incy,
                              .count = count,
                              .alpha = alpha,
                              .A = A,
                              .x = x,
                              .beta = beta,
                              .y = (void *)(uintptr_t)y,
                              .arrays = true};
    return gemv_batch(h, t, out, &b);
}

static cublasStatus_t gemv_strided(cublasHandle_t h, enum lib_type t, enum lib_type out,
                                   cublasOperation_t trans, int64_t m, int64_t n, const void *alpha,
                                   const void *A, int64_t lda, int64_t stride_a, const void *x,
                                   int64_t incx, int64_t stride_x, const void *beta, void *y,
                                   int64_t incy, int64_t stride_y, int64_t count)
{
    const struct batched b = {.trans = trans,
                              .m = m,
                              .n = n,
                              .lda = lda,
                              .incx = incx,
                              .incy = incy,
                              .count = count,
                              .alpha = alpha,
                              .A = A,
                              .x = x,
                              .beta = beta,
                              .y = y,
                              .stride_a = stride_a,
                              .stride_x = stride_x,
                              .stride_y = stride_y};
    return gemv_batch(h, t, out, &b);
}

cublasStatus_t blas_gemv_strided_mixed(cublasHandle_t h, enum lib_type t, enum lib_type out,
                                       cublasOperation_t trans, int64_t m, int64_t n,
                                       const float *alpha, const void *A, int64_t lda,
                                       long long stride_a, const void *x, int64_t incx,
                                       long long stride_x, const float *beta, void *y, int64_t incy,
                                       long long stride_y, int64_t count)
{
    return gemv_strided(h, t, out, trans, m, n, alpha, A, lda, stride_a, x, incx, stride_x, beta, y,
                        incy, stride_y, count);
}

cublasStatus_t blas_gemv_batched(cublasHandle_t h, enum lib_type t, cublasOperation_t trans,
                                 int64_t m, int64_t n, const void *alpha, const void *A,
                                 int64_t lda, const void *x, int64_t incx, const void *beta,
                                 const void *y, int64_t incy, int64_t count)
{
    return blas_gemv_batched_mixed(h, t, t, trans, m, n, alpha, A, lda, x, incx, beta, y, incy,
                                   count);
}

cublasStatus_t blas_gemv_strided(cublasHandle_t h, enum lib_type t, cublasOperation_t trans,
                                 int64_t m, int64_t n, const void *alpha, const void *A,
                                 int64_t lda, long long stride_a, const void *x, int64_t incx,
                                 long long stride_x, const void *beta, void *y, int64_t incy,
                                 long long stride_y, int64_t count)
{
    return gemv_strided(h, t, t, trans, m, n, alpha, A, lda, stride_a, x, incx, stride_x, beta, y,
                        incy, stride_y, count);
}
