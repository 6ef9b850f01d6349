/* Level 3: what is made of products. */
#include <stdio.h>
#include <string.h>
#include "lib/blas/blas_int.h"
#include "lib/blas/part.h"

static bool valid_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static bool valid_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}

static bool valid_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}

static bool valid_diag(cublasDiagType_t diag)
{
    return diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

static enum lib_type real_of(enum lib_type t)
{
    return t == LIB_C32 ? LIB_F32 : t == LIB_C64 ? LIB_F64 : t;
}

static void set_result(struct blas_product *p, void *C, int64_t ldc)
{
    p->c = p->d = C;
    p->c_row = p->d_row = 1;
    p->c_col = p->d_col = ldc;
}

/* A real scalar of a complex product: in device memory it has no imaginary part beside it, so one
 * is made. */
static enum tern_error real_scalar(struct cublasContext *h, enum lib_type t, const void *given,
                                   const void **at, double value[2], void **scratch)
{
    *scratch = NULL;
    blas_scalar(h, real_of(t), given, at, value);
    if (!*at)
        return TERN_OK;
    enum tern_error e = lib_scratch(h->stream, 16, scratch);
    if (!e)
        e = lib_error(cudaMemsetAsync(*scratch, 0, 16, h->stream));
    if (!e)
        e = lib_error(cudaMemcpyAsync(*scratch, given, lib_types[real_of(t)].bytes,
                                      cudaMemcpyDeviceToDevice, h->stream));
    *at = *scratch;
    return e;
}

/* ---- syrk and its kin: one triangle of op(A) op(B)' ---- */

struct update {
    cublasFillMode_t uplo;
    cublasOperation_t trans;
    int64_t n, k;
    const void *alpha, *A, *B, *beta;
    int64_t lda, ldb;
    void *C;
    int64_t ldc;
    bool hermitian, real_alpha, real_beta, twice;
    enum lib_type type, stored; /* of the product; of A, where it is narrower */
};

static cublasStatus_t update(cublasHandle_t h, const struct update *u)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    const bool plain = u->trans == CUBLAS_OP_N, is_complex = lib_types[u->type].complex;
    const int64_t rows = at_least_one(plain ? u->n : u->k);
    if (!valid_fill(u->uplo) || !valid_op(u->trans) || u->n < 0 || u->k < 0 || u->lda < rows ||
        u->ldb < rows || u->ldc < at_least_one(u->n) || !u->alpha || !u->beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (is_complex && !plain && u->hermitian != (u->trans == CUBLAS_OP_C))
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublasOperation_t mirror = u->hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    struct blas_product p = {.a = blas_matrix(u->A, u->lda, plain ? CUBLAS_OP_N : mirror),
                             .b = blas_matrix(u->B, u->ldb, plain ? mirror : CUBLAS_OP_N),
                             .m = u->n,
                             .n = u->n,
                             .k = u->k,
                             .part = u->uplo == CUBLAS_FILL_MODE_UPPER ? BLAS_UPPER : BLAS_LOWER,
                             .real_diagonal = u->hermitian};
    set_result(&p, u->C, u->ldc);
    void *a_scratch = NULL, *b_scratch = NULL;
    enum tern_error e = TERN_OK;
    if (u->real_alpha)
        e = real_scalar(h, u->type, u->alpha, &p.alpha, p.alpha_value, &a_scratch);
    else
        blas_scalar(h, u->type, u->alpha, &p.alpha, p.alpha_value);
    if (u->real_beta && !e)
        e = real_scalar(h, u->type, u->beta, &p.beta, p.beta_value, &b_scratch);
    else if (!u->real_beta)
        blas_scalar(h, u->type, u->beta, &p.beta, p.beta_value);
    const struct blas_types types = {
        .a = u->stored, .b = u->stored, .c = u->type, .sum = u->type, .scale = u->type};
    if (!e)
        e = blas_product(h, &types, &p, 1);
    if (u->twice && !e) { /* the same with A and B exchanged, added; alpha conjugated */
        p.a = blas_matrix(u->B, u->ldb, plain ? CUBLAS_OP_N : mirror);
        p.b = blas_matrix(u->A, u->lda, plain ? mirror : CUBLAS_OP_N);
        p.beta = NULL;
        p.beta_value[0] = 1;
        p.beta_value[1] = 0;
        p.conj_alpha = u->hermitian;
        e = blas_product(h, &types, &p, 1);
    }
    lib_scratch_free(h->stream, a_scratch);
    lib_scratch_free(h->stream, b_scratch);
    return blas_status(e);
}

cublasStatus_t blas_syrk(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,
                         cublasOperation_t trans, int64_t n, int64_t k, const void *alpha,
                         const void *A, int64_t lda, const void *beta, void *C, int64_t ldc)
{
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, A, beta, lda, lda, C, ldc, false,
                                      false, false, false, t, t});
}

cublasStatus_t blas_herk(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,
                         cublasOperation_t trans, int64_t n, int64_t k, const void *alpha,
                         const void *A, int64_t lda, const void *beta, void *C, int64_t ldc)
{
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, A, beta, lda, lda, C, ldc, true,
                                      true, true, false, t, t});
}

cublasStatus_t blas_syr2k(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,
                          cublasOperation_t trans, int64_t n, int64_t k, const void *alpha,
                          const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta,
                          void *C, int64_t ldc)
{
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, B, beta, lda, ldb, C, ldc, false,
                                      false, false, true, t, t});
}

cublasStatus_t blas_her2k(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,
                          cublasOperation_t trans, int64_t n, int64_t k, const void *alpha,
                          const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta,
                          void *C, int64_t ldc)
{
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, B, beta, lda, ldb, C, ldc, true,
                                      false, true, true, t, t});
}

cublasStatus_t blas_syrkx(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,
                          cublasOperation_t trans, int64_t n, int64_t k, const void *alpha,
                          const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta,
                          void *C, int64_t ldc)
{
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, B, beta, lda, ldb, C, ldc, false,
                                      false, false, false, t, t});
}

cublasStatus_t blas_herkx(cublasHandle_t h, enum lib_type t, cublasFillMode_t uplo,
                          cublasOperation_t trans, int64_t n, int64_t k, const void *alpha,
                          const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta,
                          void *C, int64_t ldc)
{
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, B, beta, lda, ldb, C, ldc, true,
                                      false, true, false, t, t});
}

enum tern_error blas_take_off(cublasHandle_t h, enum lib_type t, bool upper, int64_t m, int64_t n,
                              int64_t k, const void *A, int64_t lda, void *C, int64_t ldc)
{
    const cublasOperation_t turned = lib_types[t].complex ? CUBLAS_OP_C : CUBLAS_OP_T;
    struct blas_product p = {.a = blas_matrix(A, lda, upper ? turned : CUBLAS_OP_N),
                             .b = blas_matrix(A, lda, upper ? CUBLAS_OP_N : turned),
                             .m = upper ? n : m,
                             .n = upper ? m : n,
                             .k = k,
                             .part = upper ? BLAS_UPPER : BLAS_LOWER,
                             .alpha_value = {-1},
                             .beta_value = {1},
                             .real_diagonal = lib_types[t].complex};
    set_result(&p, C, ldc);
    const struct blas_types types = {.a = t, .b = t, .c = t, .sum = t, .scale = t};
    return blas_product(h, &types, &p, 1);
}

static bool complex_stored(cudaDataType a, cudaDataType c, enum lib_type *stored)
{
    return c == CUDA_C_32F && lib_type_of(a, stored) && (*stored == LIB_C32 || *stored == LIB_C8);
}

cublasStatus_t blas_csyrk_ex(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,
                             int64_t n, int64_t k, const cuComplex *alpha, const void *A,
                             cudaDataType a_type, int64_t lda, const cuComplex *beta, void *C,
                             cudaDataType c_type, int64_t ldc)
{
    enum lib_type stored;
    if (!complex_stored(a_type, c_type, &stored))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, A, beta, lda, lda, C, ldc, false,
                                      false, false, false, LIB_C32, stored});
}

cublasStatus_t blas_cherk_ex(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,
                             int64_t n, int64_t k, const float *alpha, const void *A,
                             cudaDataType a_type, int64_t lda, const float *beta, void *C,
                             cudaDataType c_type, int64_t ldc)
{
    enum lib_type stored;
    if (!complex_stored(a_type, c_type, &stored))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return update(h, &(struct update){uplo, trans, n, k, alpha, A, A, beta, lda, lda, C, ldc, true,
                                      true, true, false, LIB_C32, stored});
}

/* ---- symm, hemm ---- */

static cublasStatus_t symmetric(cublasHandle_t h, enum lib_type t, int kind, cublasSideMode_t side,
                                cublasFillMode_t uplo, int64_t m, int64_t n, const void *alpha,
                                const void *A, int64_t lda, const void *B, int64_t ldb,
                                const void *beta, void *C, int64_t ldc)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    const bool left = side == CUBLAS_SIDE_LEFT;
    if (!valid_side(side) || !valid_fill(uplo) || m < 0 || n < 0 || !alpha || !beta ||
        lda < at_least_one(left ? m : n) || ldb < at_least_one(m) || ldc < at_least_one(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    struct blas_operand a = blas_matrix(A, lda, CUBLAS_OP_N), b = blas_matrix(B, ldb, CUBLAS_OP_N);
    a.upper = uplo == CUBLAS_FILL_MODE_UPPER;
    struct blas_product p = {
        .a = left ? a : b, .b = left ? b : a, .m = m, .n = n, .k = left ? m : n};
    set_result(&p, C, ldc);
    blas_scalar(h, t, alpha, &p.alpha, p.alpha_value);
    blas_scalar(h, t, beta, &p.beta, p.beta_value);
    const struct blas_types types = {.a = t,
                                     .b = t,
                                     .c = t,
                                     .sum = t,
                                     .scale = t,
                                     .a_kind = left ? kind : BLAS_GENERAL,
                                     .b_kind = left ? BLAS_GENERAL : kind};
    return blas_status(blas_product(h, &types, &p, 1));
}

cublasStatus_t blas_symm(cublasHandle_t h, enum lib_type t, cublasSideMode_t side,
                         cublasFillMode_t uplo, int64_t m, int64_t n, const void *alpha,
                         const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta,
                         void *C, int64_t ldc)
{
    return symmetric(h, t, BLAS_SYMMETRIC, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}

cublasStatus_t blas_hemm(cublasHandle_t h, enum lib_type t, cublasSideMode_t side,
                         cublasFillMode_t uplo, int64_t m, int64_t n, const void *alpha,
                         const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta,
                         void *C, int64_t ldc)
{
    return symmetric(h, t, BLAS_HERMITIAN, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc);
}

/* ---- triangles ---- */

/* op(A) of a triangle: transposed, an upper one is lower. */
static struct blas_operand triangle(const void *A, int64_t lda, cublasFillMode_t uplo,
                                    cublasOperation_t trans, cublasDiagType_t diag)
{
    struct blas_operand a = blas_matrix(A, lda, trans);
    a.upper = (uplo == CUBLAS_FILL_MODE_UPPER) == (trans == CUBLAS_OP_N);
    a.unit = diag == CUBLAS_DIAG_UNIT;
    return a;
}

cublasStatus_t blas_trmm(cublasHandle_t h, enum lib_type t, cublasSideMode_t side,
                         cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                         int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda,
                         const void *B, int64_t ldb, void *C, int64_t ldc)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    const bool left = side == CUBLAS_SIDE_LEFT;
    if (!valid_side(side) || !valid_fill(uplo) || !valid_op(trans) || !valid_diag(diag) || m < 0 ||
        n < 0 || !alpha || lda < at_least_one(left ? m : n) || ldb < at_least_one(m) ||
        ldc < at_least_one(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    const size_t bytes = lib_types[t].bytes;
    void *copy = NULL;
    enum tern_error e = TERN_OK;
    if (B == C) { /* in place: each element needs what others overwrite */
        e = lib_scratch(h->stream, (size_t)(m * n) * bytes, &copy);
        if (!e)
            e = lib_error(cudaMemcpy2DAsync(copy, (size_t)m * bytes, B, (size_t)ldb * bytes,
                                            (size_t)m * bytes, (size_t)n, cudaMemcpyDeviceToDevice,
                                            h->stream));
        B = copy;
        ldb = m;
    }
    const struct blas_operand a = triangle(A, lda, uplo, trans, diag),
                              b = blas_matrix(B, ldb, CUBLAS_OP_N);
    struct blas_product p = {
        .a = left ? a : b, .b = left ? b : a, .m = m, .n = n, .k = left ? m : n};
    set_result(&p, C, ldc);
    blas_scalar(h, t, alpha, &p.alpha, p.alpha_value);
    const struct blas_types types = {.a = t,
                                     .b = t,
                                     .c = t,
                                     .sum = t,
                                     .scale = t,
                                     .a_kind = left ? BLAS_TRIANGULAR : BLAS_GENERAL,
                                     .b_kind = left ? BLAS_GENERAL : BLAS_TRIANGULAR};
    if (!e)
        e = blas_product(h, &types, &p, 1);
    lib_scratch_free(h->stream, copy);
    return blas_status(e);
}

enum {
    SOLVE_ROWS = 32,
    SOLVE_THREADS = 64,
    INVERT_THREADS = 256,
    APPLY_COLUMNS = 16, /* as extra.h has them */
    MAX_BATCH = 65535,
    MAX_BLOCKS = 65536
};

static uint32_t upto(int64_t n, int64_t most)
{
    return (uint32_t)(n < most ? n : most);
}

static enum tern_error scale(struct cublasContext *h, enum lib_type t, int64_t m, int64_t n,
                             const void *alpha, struct blas_operand *b, int64_t count)
{
    const void *at;
    double value[2];
    blas_scalar(h, t, alpha, &at, value);
    if (!at && value[0] == 1 && value[1] == 0)
        return TERN_OK;
    char name[64];
    enum tern_error e = TERN_OK;
    snprintf(name, sizeof name, "scale<%s>", lib_types[t].name);
    for (int64_t from = 0; from < count && !e; from += MAX_BATCH)
        e = lib_run(
            &h->device, h->stream, "blas/extra.h", name,
            (tern_dim){upto((m * n + 255) / 256, MAX_BLOCKS), upto(count - from, MAX_BATCH)},
            (tern_dim){256}, (void *[]){&m, &n, &at, &value[0], &value[1], b, &from});
    return e;
}

/* A X = B in place, for op(A) m by m and B m by n. A triangle of few rows is one launch; a larger
 * one is two, and a product that takes the rows that are known out of the others. */
struct solve {
    struct cublasContext *h;
    enum lib_type t;
    struct blas_operand a, b;
    int64_t n, count;
    int rows; /* of the triangles that one launch does */
    char
        *inverse; /* GPUs: those of all of them, rows by rows each, of one matrix after the other */
    int64_t stride; /* elements of a matrix's */
    char kernel[64];
};

/* C functions do it on the CPU, where there is enough to do. */
static bool on_host(const struct solve *s, int64_t m)
{
    enum { LEAST_ROWS = 16, LEAST_COLUMNS = 8 };
    return s->h->device.host_path && (s->t == LIB_F32 || s->t == LIB_F64) && s->count == 1 &&
           !s->a.array && !s->b.array && m >= LEAST_ROWS && s->n >= LEAST_COLUMNS;
}

static enum tern_error solve_begin_on_host(struct solve *s, int64_t m)
{
    s->rows = BLAS_TRIANGLE_ROWS;
    s->stride = blas_triangle_elements(s->t);
    const int64_t triangles = (m + s->rows - 1) / s->rows;
    void *memory;
    enum tern_error e =
        lib_scratch(s->h->stream, (size_t)(s->stride * triangles) * lib_types[s->t].bytes, &memory);
    s->inverse = memory;
    return e ? e : blas_host_invert(s->h, s->t, &s->a, m, &s->b, memory);
}

/* GPUs: the triangles along the diagonal of op(A), m by m, are inverted at once. Where that would
 * take much memory, each is solved when its turn comes. */
static enum tern_error solve_begin(struct solve *s, int64_t m)
{
    enum { MOST_BYTES = 64 << 20, WIDE_SHARED = 48 << 10 };
    const struct lib_device *d = &s->h->device;
    const char *type = lib_types[s->t].name;
    const size_t bytes = lib_types[s->t].bytes;
    s->rows = bytes > 8 || m <= SOLVE_ROWS || d->info.shared_per_block < WIDE_SHARED
                  ? SOLVE_ROWS
                  : 2 * SOLVE_ROWS;
    int64_t triangles = (m + s->rows - 1) / s->rows, first = 0;
    s->stride = triangles * s->rows * s->rows;
    if (on_host(s, m))
        return solve_begin_on_host(s, m);
    if (d->host_path || s->count > MAX_BATCH ||
        s->count > (int64_t)(MOST_BYTES / bytes) / s->stride) {
        s->rows = SOLVE_ROWS;
        snprintf(s->kernel, sizeof s->kernel, "solve<%s>", type);
        return TERN_OK;
    }
    void *memory;
    enum tern_error e = lib_scratch(s->h->stream, (size_t)(s->stride * s->count) * bytes, &memory);
    s->inverse = memory;
    if (e)
        return e;
    snprintf(s->kernel, sizeof s->kernel, "invert<%s, %d, %d>", type, s->rows, s->a.upper != 0);
    e = lib_run(&s->h->device, s->h->stream, "blas/extra.h", s->kernel,
                (tern_dim){(uint32_t)triangles, (uint32_t)s->count}, (tern_dim){INVERT_THREADS},
                (void *[]){&m, &s->a, &first, &s->inverse});
    snprintf(s->kernel, sizeof s->kernel, "apply_inverse<%s, %d>", type, s->rows);
    return e;
}

static enum tern_error apply_inverse(const struct solve *s, int64_t at, int64_t rows)
{
    struct blas_operand x = s->b;
    int64_t n = s->n, stride = s->stride, first = 0;
    const char *inverse = s->inverse + (size_t)(at * s->rows) * lib_types[s->t].bytes;
    x.offset += at * x.row;
    if (s->h->device.host_path)
        return blas_host_apply(
            s->h, s->t, s->inverse + (size_t)(at / s->rows * s->stride) * lib_types[s->t].bytes,
            s->a.upper, &x, rows, n);
    return lib_run(
        &s->h->device, s->h->stream, "blas/extra.h", s->kernel,
        (tern_dim){(uint32_t)((n + APPLY_COLUMNS - 1) / APPLY_COLUMNS), (uint32_t)s->count},
        (tern_dim){INVERT_THREADS}, (void *[]){&rows, &n, (void *)&inverse, &stride, &x, &first});
}

static enum tern_error solve_triangle(const struct solve *s, int64_t at, int64_t rows)
{
    enum tern_error e = TERN_OK;
    struct blas_operand tri = s->a, x = s->b;
    int64_t n = s->n;
    if (s->inverse)
        return apply_inverse(s, at, rows);
    tri.offset += at * (tri.row + tri.col);
    x.offset += at * x.row;
    for (int64_t from = 0; from < s->count && !e; from += MAX_BATCH)
        e = lib_run(&s->h->device, s->h->stream, "blas/extra.h", s->kernel,
                    (tern_dim){(uint32_t)((n + SOLVE_THREADS - 1) / SOLVE_THREADS),
                               upto(s->count - from, MAX_BATCH)},
                    (tern_dim){SOLVE_THREADS}, (void *[]){&rows, &n, &tri, &x, &from});
    return e;
}

/* Rows [to, to + m) of B less those of A, of k columns, times rows [at, at + k) of what is known.
 */
static enum tern_error solve_rest(const struct solve *s, int64_t to, int64_t m, int64_t at,
                                  int64_t k)
{
    const struct blas_types types = {.a = s->t, .b = s->t, .c = s->t, .sum = s->t, .scale = s->t};
    const struct blas_operand *b = &s->b;
    const int64_t offset = b->offset + to * b->row;
    struct blas_product p = {.a = s->a,
                             .b = *b,
                             .c = b->p,
                             .d = (void *)(uintptr_t)b->p,
                             .c_row = b->row,
                             .c_col = b->col,
                             .c_stride = b->stride,
                             .c_offset = offset,
                             .d_row = b->row,
                             .d_col = b->col,
                             .d_stride = b->stride,
                             .d_offset = offset,
                             .c_array = b->array,
                             .d_array = b->array,
                             .m = m,
                             .n = s->n,
                             .k = k,
                             .alpha_value = {-1},
                             .beta_value = {1}};
    p.a.offset += to * s->a.row + at * s->a.col;
    p.b.offset += at * b->row;
    return blas_product(s->h, &types, &p, s->count);
}

static enum tern_error solve_rows(const struct solve *s, int64_t at, int64_t m)
{
    if (m <= s->rows)
        return solve_triangle(s, at, m);
    const int64_t half = (m / s->rows + 1) / 2 * s->rows, low = at + half, rest = m - half;
    const bool upper = s->a.upper;
    enum tern_error e = upper ? solve_rows(s, low, rest) : solve_rows(s, at, half);
    if (!e)
        e = upper ? solve_rest(s, at, half, low, rest) : solve_rest(s, low, rest, at, half);
    if (e)
        return e;
    return upper ? solve_rows(s, at, half) : solve_rows(s, low, rest);
}

static cublasStatus_t trsm(cublasHandle_t h, enum lib_type t, cublasSideMode_t side,
                           cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                           int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda,
                           const void *B, int64_t ldb, int64_t count, bool arrays)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    const bool left = side == CUBLAS_SIDE_LEFT;
    if (!valid_side(side) || !valid_fill(uplo) || !valid_op(trans) || !valid_diag(diag) || m < 0 ||
        n < 0 || !alpha || count < 0 || lda < at_least_one(left ? m : n) || ldb < at_least_one(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n || !count)
        return CUBLAS_STATUS_SUCCESS;
    struct blas_operand a = triangle(A, lda, uplo, trans, diag),
                        b = blas_matrix(B, ldb, CUBLAS_OP_N);
    a.array = b.array = arrays;
    if (!left) { /* X op(A) = B is op(A)' X' = B' */
        const int64_t row = a.row;
        a.row = a.col;
        a.col = row;
        a.upper = !a.upper;
        b.row = ldb;
        b.col = 1;
    }
    const int64_t rows = left ? m : n, cols = left ? n : m;
    enum tern_error e = scale(h, t, rows, cols, alpha, &b, count);
    struct solve all = {.h = h, .t = t, .a = a, .b = b, .n = cols, .count = count};
    if (!e)
        e = solve_begin(&all, rows);
    if (!e)
        e = solve_rows(&all, 0, rows);
    lib_scratch_free(h->stream, all.inverse);
    return blas_status(e);
}

cublasStatus_t blas_trsm(cublasHandle_t h, enum lib_type t, cublasSideMode_t side,
                         cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                         int64_t m, int64_t n, const void *alpha, const void *A, int64_t lda,
                         void *B, int64_t ldb)
{
    return trsm(h, t, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, 1, false);
}

cublasStatus_t blas_trsm_batched(cublasHandle_t h, enum lib_type t, cublasSideMode_t side,
                                 cublasFillMode_t uplo, cublasOperation_t trans,
                                 cublasDiagType_t diag, int64_t m, int64_t n, const void *alpha,
                                 const void *A, int64_t lda, const void *B, int64_t ldb,
                                 int64_t count)
{
    return trsm(h, t, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, count, true);
}
