/* Level 3 on matrices in memory of the host (or of any device): they are brought to the device,
 * whole; a product whose matrices do not fit goes by blocks. A call ends when the result is there.
 */
#include "lib/blas/xt_int.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x37b1a5, BLOCK = 2048 };

struct cublasXtContext {
    uint32_t magic;
    cublasHandle_t blas;
    int device, block;
    cublasXtPinnedMemMode_t pinning;
};

/* ---- handles and settings ---- */

static bool valid(cublasXtHandle_t h)
{
    return h && h->magic == MAGIC;
}

/* A handle of cuBLAS belongs to the device that is current when it is made. */
static cublasStatus_t settle(cublasXtHandle_t h, int device)
{
    int before = 0;
    cublasHandle_t blas = NULL;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device) != cudaSuccess)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t s = cublasCreate_v2(&blas);
    if (s == CUBLAS_STATUS_SUCCESS) {
        if (h->blas)
            cublasDestroy_v2(h->blas);
        h->blas = blas;
        h->device = device;
    }
    cudaSetDevice(before);
    return s;
}

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = NULL;
    struct cublasXtContext *h = calloc(1, sizeof *h);
    if (!h)
        return CUBLAS_STATUS_ALLOC_FAILED;
    h->magic = MAGIC;
    h->block = BLOCK;
    const cublasStatus_t s = settle(h, 0);
    if (s != CUBLAS_STATUS_SUCCESS) {
        free(h);
        return s == CUBLAS_STATUS_INVALID_VALUE ? CUBLAS_STATUS_NOT_INITIALIZED : s;
    }
    *handle = h;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cublasDestroy_v2(handle->blas);
    handle->magic = 0;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtMaxBoards(int *boards)
{
    if (!boards)
        return CUBLAS_STATUS_INVALID_VALUE;
    return cudaGetDeviceCount(boards) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                     : CUBLAS_STATUS_NOT_INITIALIZED;
}

static bool valid_devices(int count, const int *devices)
{
    int all = 0;
    if (count < 1 || !devices || cudaGetDeviceCount(&all) != cudaSuccess)
        return false;
    for (int k = 0; k < count; k++)
        if (devices[k] < 0 || devices[k] >= all)
            return false;
    return true;
}

cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int *boards)
{
    if (!valid_devices(count, devices) || !boards)
        return CUBLAS_STATUS_INVALID_VALUE;
    *boards = count;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[])
{
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return valid_devices(count, devices) ? settle(handle, devices[0]) : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block)
{
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (block < 1)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->block = block;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *block)
{
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!block)
        return CUBLAS_STATUS_INVALID_VALUE;
    *block = handle->block;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode)
{
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (mode != CUBLASXT_PINNING_DISABLED && mode != CUBLASXT_PINNING_ENABLED)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->pinning = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode)
{
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->pinning;
    return CUBLAS_STATUS_SUCCESS;
}

static bool valid_routine(cublasXtBlasOp_t op, cublasXtOpType_t type)
{
    return (unsigned)op < CUBLASXT_ROUTINE_MAX && (unsigned)type <= CUBLASXT_DOUBLECOMPLEX;
}

cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t op,
                                     cublasXtOpType_t type, void *routine)
{
    (void)routine;
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return valid_routine(op, type) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t op,
                                   cublasXtOpType_t type, float ratio)
{
    if (!valid(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!valid_routine(op, type) || !(ratio >= 0 && ratio <= 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    return ratio > 0 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}

/* ---- a call: its device, and memory there ---- */

struct call {
    cublasXtHandle_t h;
    size_t bytes; /* of an element */
    int before;   /* the device that was current */
    cublasStatus_t status;
    void *memory[3];
    int used;
};

static bool begin(struct call *c, cublasXtHandle_t h, enum lib_type type)
{
    *c = (struct call){.h = h, .bytes = lib_types[type].bytes};
    if (!valid(h))
        c->status = CUBLAS_STATUS_NOT_INITIALIZED;
    else if (cudaGetDevice(&c->before) != cudaSuccess || cudaSetDevice(h->device) != cudaSuccess)
        c->status = CUBLAS_STATUS_EXECUTION_FAILED;
    return !c->status;
}

static cublasStatus_t end(struct call *c)
{
    if (c->status == CUBLAS_STATUS_NOT_INITIALIZED)
        return c->status;
    while (c->used)
        cudaFree(c->memory[--c->used]);
    cudaSetDevice(c->before);
    return c->status;
}

static void fail(struct call *c, cublasStatus_t s)
{
    if (!c->status)
        c->status = s;
}

static void *reserve(struct call *c, size_t rows, size_t columns)
{
    void *p = NULL;
    if (c->status)
        return NULL;
    if (rows && columns > SIZE_MAX / c->bytes / rows) {
        fail(c, CUBLAS_STATUS_ALLOC_FAILED);
    } else if (cudaMalloc(&p, rows * columns * c->bytes + 1) != cudaSuccess) {
        (void)cudaGetLastError();
        fail(c, CUBLAS_STATUS_ALLOC_FAILED);
    } else {
        c->memory[c->used++] = p;
    }
    return p;
}

static void move(struct call *c, void *to, size_t to_ld, const void *from, size_t from_ld,
                 size_t rows, size_t columns)
{
    if (!c->status && rows && columns &&
        cudaMemcpy2D(to, to_ld * c->bytes, from, from_ld * c->bytes, rows * c->bytes, columns,
                     cudaMemcpyDefault) != cudaSuccess)
        fail(c, CUBLAS_STATUS_MAPPING_ERROR);
}

/* A matrix of the caller's on the device; its leading dimension there is its rows, or 1. */
static void *bring(struct call *c, const void *a, size_t lda, size_t rows, size_t columns)
{
    if (lda < (rows > 1 ? rows : 1) || (!a && rows && columns))
        fail(c, CUBLAS_STATUS_INVALID_VALUE);
    void *p = reserve(c, rows, columns);
    move(c, p, rows, a, lda, rows, columns);
    return p;
}

static int64_t ld(size_t rows)
{
    return rows > 1 ? (int64_t)rows : 1;
}

static void back(struct call *c, void *to, size_t to_ld, const void *p, size_t rows, size_t columns)
{
    if (!c->status && cudaDeviceSynchronize() != cudaSuccess)
        fail(c, CUBLAS_STATUS_EXECUTION_FAILED);
    move(c, to, to_ld, p, rows, rows, columns);
}

/* ---- products ---- */

struct product {
    enum lib_type type;
    cublasOperation_t transa, transb;
    size_t m, n, k, lda, ldb, ldc;
    const void *alpha, *a, *b, *beta;
    void *c;
};

static bool is_zero(enum lib_type type, const void *v)
{
    const float *f = v;
    const double *d = v;
    switch (type) {
    case LIB_F32: return f[0] == 0;
    case LIB_C32: return f[0] == 0 && f[1] == 0;
    case LIB_C64: return d[0] == 0 && d[1] == 0;
    default: return d[0] == 0;
    }
}

static const void *one_of(enum lib_type type)
{
    static const float f[2] = {1, 0};
    static const double d[2] = {1, 0};
    return type == LIB_F32 || type == LIB_C32 ? (const void *)f : (const void *)d;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows [i, i + m) and columns [j, j + n) of op(X), to p. */
static void bring_part(struct call *c, void *p, const void *x, size_t ldx, cublasOperation_t op,
                       size_t i, size_t j, size_t m, size_t n)
{
    const bool plain = op == CUBLAS_OP_N;
    const size_t row = plain ? i : j, column = plain ? j : i, rows = plain ? m : n,
                 columns = plain ? n : m;
    move(c, p, rows, (const char *)x + (row + column * ldx) * c->bytes, ldx, rows, columns);
}

static void by_blocks(struct call *c, const struct product *p, size_t block)
{
    const size_t bm = least(block, p->m), bn = least(block, p->n), bk = least(block, p->k);
    void *a = reserve(c, bm, bk), *b = reserve(c, bk, bn), *d = reserve(c, bm, bn);
    const bool reads = !is_zero(p->type, p->beta);
    for (size_t j = 0; j < p->n && !c->status; j += bn)
        for (size_t i = 0; i < p->m && !c->status; i += bm) {
            const size_t m = least(bm, p->m - i), n = least(bn, p->n - j);
            char *to = (char *)p->c + (i + j * p->ldc) * c->bytes;
            if (reads)
                move(c, d, m, to, p->ldc, m, n);
            for (size_t l = 0; (l < p->k || !l) && !c->status; l += bk ? bk : 1) {
                const size_t k = least(bk, p->k - l);
                bring_part(c, a, p->a, p->lda, p->transa, i, l, m, k);
                bring_part(c, b, p->b, p->ldb, p->transb, l, j, k, n);
                if (c->status)
                    break;
                fail(c, blas_gemm(c->h->blas, p->type, p->transa, p->transb, (int64_t)m, (int64_t)n,
                                  (int64_t)k, p->alpha, a, ld(p->transa == CUBLAS_OP_N ? m : k), b,
                                  ld(p->transb == CUBLAS_OP_N ? k : n),
                                  l ? one_of(p->type) : p->beta, d, ld(m)));
            }
            back(c, to, p->ldc, d, m, n);
        }
}

/* Whether all three fit into the device's memory, with some left. */
static bool fits(const struct call *c, const struct product *p)
{
    size_t unused = 0, total = 0;
    if (cudaMemGetInfo(&unused, &total) != cudaSuccess)
        return false;
    const double all =
        (double)p->m * (double)p->k + (double)p->k * (double)p->n + (double)p->m * (double)p->n;
    return all * (double)c->bytes < 0.8 * (double)unused;
}

cublasStatus_t xt_gemm(cublasXtHandle_t handle, enum lib_type type, cublasOperation_t transa,
                       cublasOperation_t transb, size_t m, size_t n, size_t k, const void *alpha,
                       const void *A, size_t lda, const void *B, size_t ldb, const void *beta,
                       void *C, size_t ldc)
{
    struct call c;
    const struct product p = {type, transa, transb, m, n, k, lda, ldb, ldc, alpha, A, B, beta, C};
    if (begin(&c, handle, type)) {
        const bool ops = (unsigned)transa <= CUBLAS_OP_C && (unsigned)transb <= CUBLAS_OP_C;
        if (!ops || !alpha || !beta || lda < (size_t)ld(transa == CUBLAS_OP_N ? m : k) ||
            ldb < (size_t)ld(transb == CUBLAS_OP_N ? k : n) || ldc < (size_t)ld(m))
            fail(&c, CUBLAS_STATUS_INVALID_VALUE);
        else if (m && n)
            by_blocks(&c, &p,
                      fits(&c, &p) && handle->block >= BLOCK ? SIZE_MAX : (size_t)handle->block);
    }
    return end(&c);
}

/* ---- the others: C = f(A, B, C), where B may be none ---- */

struct shapes {
    size_t a_rows, a_cols, b_rows, b_cols, m, n;
};

struct operands {
    void *a, *b, *c;
};

static bool bring_all(struct call *c, cublasXtHandle_t h, enum lib_type type, struct shapes s,
                      const void *A, size_t lda, const void *B, size_t ldb, void *C, size_t ldc,
                      struct operands *o)
{
    if (!begin(c, h, type))
        return false;
    o->a = bring(c, A, lda, s.a_rows, s.a_cols);
    o->b = B ? bring(c, B, ldb, s.b_rows, s.b_cols) : NULL;
    o->c = bring(c, C, ldc, s.m, s.n);
    return !c->status;
}

static struct shapes rank_k(cublasOperation_t trans, size_t n, size_t k)
{
    const size_t rows = trans == CUBLAS_OP_N ? n : k, columns = trans == CUBLAS_OP_N ? k : n;
    return (struct shapes){rows, columns, rows, columns, n, n};
}

static struct shapes beside(cublasSideMode_t side, size_t m, size_t n)
{
    const size_t rows = side == CUBLAS_SIDE_LEFT ? m : n;
    return (struct shapes){rows, rows, m, n, m, n};
}

#define XT_ONE(name)                                                                               \
    cublasStatus_t xt_##name(cublasXtHandle_t handle, enum lib_type type, cublasFillMode_t uplo,   \
                             cublasOperation_t trans, size_t n, size_t k, const void *alpha,       \
                             const void *A, size_t lda, const void *beta, void *C, size_t ldc)     \
    {                                                                                              \
        struct call c;                                                                             \
        struct operands o;                                                                         \
        const struct shapes s = rank_k(trans, n, k);                                               \
        if (bring_all(&c, handle, type, s, A, lda, NULL, 0, C, ldc, &o)) {                         \
            fail(&c, blas_##name(handle->blas, type, uplo, trans, (int64_t)n, (int64_t)k, alpha,   \
                                 o.a, ld(s.a_rows), beta, o.c, ld(n)));                            \
            back(&c, C, ldc, o.c, n, n);                                                           \
        }                                                                                          \
        return end(&c);                                                                            \
    }
#define XT_TWO(name)                                                                               \
    cublasStatus_t xt_##name(cublasXtHandle_t handle, enum lib_type type, cublasFillMode_t uplo,   \
                             cublasOperation_t trans, size_t n, size_t k, const void *alpha,       \
                             const void *A, size_t lda, const void *B, size_t ldb,                 \
                             const void *beta, void *C, size_t ldc)                                \
    {                                                                                              \
        struct call c;                                                                             \
        struct operands o;                                                                         \
        const struct shapes s = rank_k(trans, n, k);                                               \
        if (bring_all(&c, handle, type, s, A, lda, B, ldb, C, ldc, &o)) {                          \
            fail(&c, blas_##name(handle->blas, type, uplo, trans, (int64_t)n, (int64_t)k, alpha,   \
                                 o.a, ld(s.a_rows), o.b, ld(s.b_rows), beta, o.c, ld(n)));         \
            back(&c, C, ldc, o.c, n, n);                                                           \
        }                                                                                          \
        return end(&c);                                                                            \
    }
#define XT_BESIDE(name)                                                                            \
    cublasStatus_t xt_##name(cublasXtHandle_t handle, enum lib_type type, cublasSideMode_t side,   \
                             cublasFillMode_t uplo, size_t m, size_t n, const void *alpha,         \
                             const void *A, size_t lda, const void *B, size_t ldb,                 \
                             const void *beta, void *C, size_t ldc)                                \
    {                                                                                              \
        struct call c;                                                                             \
        struct operands o;                                                                         \
        const struct shapes s = beside(side, m, n);                                                \
        if (bring_all(&c, handle, type, s, A, lda, B, ldb, C, ldc, &o)) {                          \
            fail(&c, blas_##name(handle->blas, type, side, uplo, (int64_t)m, (int64_t)n, alpha,    \
                                 o.a, ld(s.a_rows), o.b, ld(m), beta, o.c, ld(m)));                \
            back(&c, C, ldc, o.c, m, n);                                                           \
        }                                                                                          \
        return end(&c);                                                                            \
    }
XT_ONE(syrk)
XT_ONE(herk)
XT_TWO(syr2k)
XT_TWO(her2k)
XT_TWO(syrkx)
XT_TWO(herkx)
XT_BESIDE(symm)
XT_BESIDE(hemm)

/* A packed triangle is unpacked on the device. */
cublasStatus_t xt_spmm(cublasXtHandle_t handle, enum lib_type type, cublasSideMode_t side,
                       cublasFillMode_t uplo, size_t m, size_t n, const void *alpha, const void *AP,
                       const void *B, size_t ldb, const void *beta, void *C, size_t ldc)
{
    struct call c;
    const size_t rows = side == CUBLAS_SIDE_LEFT ? m : n, count = rows * (rows + 1) / 2;
    void *packed = NULL;
    if (begin(&c, handle, type)) {
        void *a = reserve(&c, rows, rows), *b = bring(&c, B, ldb, m, n),
             *d = bring(&c, C, ldc, m, n);
        if (!c.status && cudaMalloc(&packed, count * c.bytes + 1) != cudaSuccess)
            fail(&c, CUBLAS_STATUS_ALLOC_FAILED);
        move(&c, packed, count, AP, count, count, 1);
        if (!c.status)
            fail(&c, blas_tpttr(handle->blas, type, uplo, (int64_t)rows, packed, a, ld(rows)));
        if (!c.status)
            fail(&c, blas_symm(handle->blas, type, side, uplo, (int64_t)m, (int64_t)n, alpha, a,
                               ld(rows), b, ld(m), beta, d, ld(m)));
        back(&c, C, ldc, d, m, n);
        cudaFree(packed);
    }
    return end(&c);
}

cublasStatus_t xt_trmm(cublasXtHandle_t handle, enum lib_type type, cublasSideMode_t side,
                       cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                       size_t m, size_t n, const void *alpha, const void *A, size_t lda,
                       const void *B, size_t ldb, void *C, size_t ldc)
{
    struct call c;
    struct operands o;
    const struct shapes s = beside(side, m, n);
    if (bring_all(&c, handle, type, s, A, lda, B, ldb, C, ldc, &o)) {
        fail(&c, blas_trmm(handle->blas, type, side, uplo, trans, diag, (int64_t)m, (int64_t)n,
                           alpha, o.a, ld(s.a_rows), o.b, ld(m), o.c, ld(m)));
        back(&c, C, ldc, o.c, m, n);
    }
    return end(&c);
}

cublasStatus_t xt_trsm(cublasXtHandle_t handle, enum lib_type type, cublasSideMode_t side,
                       cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                       size_t m, size_t n, const void *alpha, const void *A, size_t lda, void *B,
                       size_t ldb)
{
    struct call c;
    struct operands o;
    const struct shapes s = beside(side, m, n);
    if (bring_all(&c, handle, type, s, A, lda, NULL, 0, B, ldb, &o)) {
        fail(&c, blas_trsm(handle->blas, type, side, uplo, trans, diag, (int64_t)m, (int64_t)n,
                           alpha, o.a, ld(s.a_rows), o.c, ld(m)));
        back(&c, B, ldb, o.c, m, n);
    }
    return end(&c);
}
