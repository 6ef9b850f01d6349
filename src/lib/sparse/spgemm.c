/* Sparse by sparse: first which elements the product has, then their values. The descriptor keeps
 * the first for further products of matrices with the same structure. */
#include <stdlib.h>
#include "lib/sparse/sparse_int.h"

static const char header[] = "sparse/spgemm.h";
static const tern_dim threads = {SPARSE_THREADS};

enum {
    NOTE = 256,
    GEMM_THREADS = 64,
    MAX_BLOCKS = 65535,
    MAX_TABLE = 1 << 26, /* places of the tables of one launch, unless one row needs more */
};

struct cusparseSpGEMMDescr {
    int64_t products; /* -1: not counted yet */
    int64_t rows, nnz;
    int64_t *offsets; /* device memory: rows + 1; columns: nnz */
    unsigned *columns;
    void *sums; /* of the last product */
    size_t sum_bytes;
};

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr)
{
    if (!descr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *descr = calloc(1, sizeof **descr);
    if (!*descr)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    (*descr)->products = -1;
    return CUSPARSE_STATUS_SUCCESS;
}

static void release(cusparseSpGEMMDescr_t d)
{
    if (d->offsets)
        cudaFree(d->offsets);
    if (d->columns)
        cudaFree(d->columns);
    if (d->sums)
        cudaFree(d->sums);
    *d = (struct cusparseSpGEMMDescr){.products = -1};
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
    if (descr)
        release(descr);
    free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t check(cusparseHandle_t h, cusparseOperation_t opA, cusparseOperation_t opB,
                              cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                              cusparseConstSpMatDescr_t c, cusparseSpGEMMAlg_t alg,
                              cusparseSpGEMMDescr_t d)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!a || !b || !c || !d || a->cols != b->rows || c->rows != a->rows || c->cols != b->cols ||
        !sparse_op_known(opA) || !sparse_op_known(opB) || (unsigned)alg > CUSPARSE_SPGEMM_ALG3 ||
        !sparse_complete(a) || !sparse_complete(b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (opA != CUSPARSE_OPERATION_NON_TRANSPOSE || opB != CUSPARSE_OPERATION_NON_TRANSPOSE ||
        a->format != CUSPARSE_FORMAT_CSR || b->format != CUSPARSE_FORMAT_CSR ||
        c->format != CUSPARSE_FORMAT_CSR || a->offset_type != b->offset_type ||
        a->index_type != b->index_type || b->cols >= UINT32_MAX || a->batch > 1 || b->batch > 1 ||
        c->batch > 1)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return s;
}

static tern_dim rows_grid(int64_t rows)
{
    return (tern_dim){(uint32_t)(rows > MAX_BLOCKS ? MAX_BLOCKS : rows)};
}

/* ---- structure ---- */

/* One piece of the rows: their tables, filled; counts or, once offsets are known, columns. */
static enum tern_error piece(const struct cusparseContext *h, struct sparse_view *a,
                             struct sparse_view *b, cusparseIndexType_t ot, cusparseIndexType_t it,
                             int64_t first, int64_t last, int64_t entries, int64_t *places,
                             int64_t *counts, const int64_t *offsets, unsigned *columns)
{
    void *table;
    const tern_dim block = {GEMM_THREADS};
    enum tern_error e = lib_scratch(h->stream, (size_t)entries * sizeof(unsigned), &table);
    if (!e && entries)
        e = lib_error(cudaMemsetAsync(table, 0xff, (size_t)entries * sizeof(unsigned), h->stream));
    if (!e)
        e = sparse_run(h, header, rows_grid(last - first), block,
                       (void *[]){a, b, &first, &last, &places, &table, &counts},
                       "gemm_insert<%s, %s>", sparse_index(ot), sparse_index(it));
    if (!e && offsets)
        e = sparse_run(h, header, rows_grid(last - first), block,
                       (void *[]){&first, &last, &places, &table, &offsets, &columns},
                       "gemm_columns");
    lib_scratch_free(h->stream, table);
    return e;
}

/* All pieces: as many rows at once as tables fit. */
static enum tern_error pieces(const struct cusparseContext *h, struct sparse_view *a,
                              struct sparse_view *b, cusparseIndexType_t ot, cusparseIndexType_t it,
                              const int64_t *host_places, int64_t *places, int64_t *counts,
                              const int64_t *offsets, unsigned *columns)
{
    enum tern_error e = TERN_OK;
    for (int64_t first = 0, last; first < a->lines && !e; first = last) {
        last = first + 1;
        while (last < a->lines && host_places[last + 1] - host_places[first] <= MAX_TABLE)
            last++;
        e = piece(h, a, b, ot, it, first, last, host_places[last] - host_places[first], places,
                  counts, offsets, columns);
    }
    return e;
}

static enum tern_error structure(const struct cusparseContext *h, cusparseConstSpMatDescr_t ma,
                                 cusparseConstSpMatDescr_t mb, cusparseSpGEMMDescr_t d)
{
    bool by_columns;
    int kind;
    struct sparse_view a = sparse_view(ma, 0, &by_columns, &kind),
                       b = sparse_view(mb, 0, &by_columns, &kind);
    const cusparseIndexType_t ot = ma->offset_type, it = ma->index_type, wide = CUSPARSE_INDEX_64I;
    const size_t bytes = ((size_t)a.lines + 1) * 8;
    release(d);
    void *products = NULL, *places = NULL, *counts = NULL;
    int64_t *host_places = malloc(bytes);
    enum tern_error e = host_places ? TERN_OK : TERN_OUT_OF_MEMORY;
    if (!e)
        e = lib_scratch(h->stream, bytes, &products);
    if (!e)
        e = lib_scratch(h->stream, bytes, &places);
    if (!e)
        e = lib_scratch(h->stream, bytes, &counts);
    if (!e)
        e = lib_error(cudaMalloc((void **)&d->offsets, bytes));
    if (!e)
        e = sparse_run(h, header, sparse_warp_grid(a.lines), threads,
                       (void *[]){&a, &b, &products, &places}, "gemm_bounds<%s, %s>",
                       sparse_index(ot), sparse_index(it));
    if (!e)
        e = sparse_scan(h, products, a.lines, 0, wide);
    if (!e)
        e = sparse_scan(h, places, a.lines, 0, wide);
    if (!e)
        e = sparse_read(h, (int64_t *)products + a.lines, 8, &d->products);
    if (!e)
        e = sparse_read(h, places, bytes, host_places);
    if (!e)
        e = pieces(h, &a, &b, ot, it, host_places, places, d->offsets, NULL, NULL);
    if (!e)
        e = sparse_scan(h, d->offsets, a.lines, 0, wide);
    if (!e)
        e = sparse_read(h, d->offsets + a.lines, 8, &d->nnz);
    if (!e)
        e = lib_error(cudaMalloc((void **)&d->columns, ((size_t)d->nnz + 1) * sizeof *d->columns));
    if (!e)
        e = pieces(h, &a, &b, ot, it, host_places, places, counts, d->offsets, d->columns);
    d->rows = a.lines;
    lib_scratch_free(h->stream, counts);
    lib_scratch_free(h->stream, places);
    lib_scratch_free(h->stream, products);
    free(host_places);
    if (e)
        release(d);
    return e;
}

/* ---- values ---- */

static enum tern_error values(const struct cusparseContext *h, cusparseConstSpMatDescr_t ma,
                              cusparseConstSpMatDescr_t mb, const struct sparse_types *t,
                              cusparseSpGEMMDescr_t d)
{
    bool by_columns;
    int kind;
    struct sparse_view a = sparse_view(ma, 0, &by_columns, &kind),
                       b = sparse_view(mb, 0, &by_columns, &kind);
    const size_t bytes = ((size_t)d->nnz + 1) * lib_types[t->sum].bytes;
    enum tern_error e = TERN_OK;
    if (d->sum_bytes < bytes) {
        if (d->sums)
            cudaFree(d->sums);
        d->sums = NULL;
        d->sum_bytes = bytes;
        e = lib_error(cudaMalloc(&d->sums, bytes));
    }
    if (!e)
        e = sparse_run(h, header, rows_grid(a.lines), (tern_dim){GEMM_THREADS},
                       (void *[]){&a, &b, &d->offsets, &d->columns, &d->sums},
                       "gemm_values<%s, %s, %s, %s, %s>", sparse_index(ma->offset_type),
                       sparse_index(ma->index_type), sparse_type(t->a), sparse_type(t->x),
                       sparse_type(t->sum));
    return e;
}

static enum tern_error put_structure(const struct cusparseContext *h, cusparseSpGEMMDescr_t d,
                                     cusparseSpMatDescr_t c)
{
    int64_t base = c->base;
    enum tern_error e = sparse_run(h, header, sparse_grid(d->rows + 1), threads,
                                   (void *[]){&d->rows, &d->offsets, &base, &c->offsets},
                                   "gemm_put_offsets<%s>", sparse_index(c->offset_type));
    if (!e)
        e = sparse_run(h, header, sparse_grid(d->nnz), threads,
                       (void *[]){&d->nnz, &d->columns, &base, &c->indices}, "gemm_put_columns<%s>",
                       sparse_index(c->index_type));
    return e;
}

static enum tern_error put_values(const struct cusparseContext *h, const struct sparse_types *t,
                                  cusparseSpGEMMDescr_t d, cusparseSpMatDescr_t c,
                                  struct sparse_scalar alpha, struct sparse_scalar beta)
{
    return sparse_run(h, header, sparse_grid(d->nnz), threads,
                      (void *[]){&d->nnz, &d->sums, &alpha, &beta, &c->values},
                      "gemm_put_values<%s, %s>", sparse_type(t->sum), sparse_type(t->y));
}

/* ---- the calls ---- */

/* A call with no buffer asks for its size. */
static bool asks(size_t *bytes, const void *buffer)
{
    if (!buffer && bytes)
        *bytes = NOTE;
    return !buffer;
}

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
                                               cusparseOperation_t opB, const void *alpha,
                                               cusparseConstSpMatDescr_t matA,
                                               cusparseConstSpMatDescr_t matB, const void *beta,
                                               cusparseSpMatDescr_t matC, cudaDataType computeType,
                                               cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                               size_t *bufferSize1, void *externalBuffer1)
{
    struct sparse_types t;
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || !beta || !bufferSize1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse_types_of(matA->type, matB->type, matC->type, computeType, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (asks(bufferSize1, externalBuffer1))
        return s;
    return sparse_status(structure(handle, matA, matB, descr));
}

cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr, int64_t *num_prods)
{
    if (!descr || !num_prods || descr->products < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *num_prods = descr->products;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t handle, cusparseOperation_t opA,
                                               cusparseOperation_t opB, const void *alpha,
                                               cusparseConstSpMatDescr_t matA,
                                               cusparseConstSpMatDescr_t matB, const void *beta,
                                               cusparseSpMatDescr_t matC, cudaDataType computeType,
                                               cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                               float chunk_fraction, size_t *bufferSize3,
                                               void *externalBuffer3, size_t *bufferSize2)
{
    struct sparse_types t;
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || !beta || !bufferSize3 || !(chunk_fraction > 0 && chunk_fraction <= 1))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse_types_of(matA->type, matB->type, matC->type, computeType, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (!asks(bufferSize3, externalBuffer3) && bufferSize2)
        *bufferSize2 = NOTE;
    return s;
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA,
                                        cusparseOperation_t opB, const void *alpha,
                                        cusparseConstSpMatDescr_t matA,
                                        cusparseConstSpMatDescr_t matB, const void *beta,
                                        cusparseSpMatDescr_t matC, cudaDataType computeType,
                                        cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                        size_t *bufferSize2, void *externalBuffer2)
{
    sparse_log("cusparseSpGEMM_compute");
    struct sparse_types t;
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || !beta || !bufferSize2)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse_types_of(matA->type, matB->type, matC->type, computeType, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (asks(bufferSize2, externalBuffer2))
        return s;
    enum tern_error e = descr->products < 0 ? structure(handle, matA, matB, descr) : TERN_OK;
    if (!e)
        e = values(handle, matA, matB, &t, descr);
    if (!e)
        matC->nnz = descr->nnz;
    return sparse_status(e);
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA,
                                     cusparseOperation_t opB, const void *alpha,
                                     cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
                                     const void *beta, cusparseSpMatDescr_t matC,
                                     cudaDataType computeType, cusparseSpGEMMAlg_t alg,
                                     cusparseSpGEMMDescr_t descr)
{
    sparse_log("cusparseSpGEMM_copy");
    struct sparse_types t;
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || !beta || !descr->sums || !matC->offsets ||
        (descr->nnz && (!matC->indices || !matC->values)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse_types_of(matA->type, matB->type, matC->type, computeType, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    enum tern_error e = put_structure(handle, descr, matC);
    if (!e)
        e = put_values(handle, &t, descr, matC, sparse_scalar(handle, t.sum, alpha),
                       sparse_scalar(handle, t.sum, beta));
    return sparse_status(e);
}

/* ---- the same structure again ---- */

cusparseStatus_t
cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
                                   cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
                                   cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                   cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                   size_t *bufferSize1, void *externalBuffer1)
{
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    asks(bufferSize1, externalBuffer1);
    return s;
}

cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
                                         cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                         cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                         size_t *bufferSize2, void *externalBuffer2,
                                         size_t *bufferSize3, void *externalBuffer3,
                                         size_t *bufferSize4, void *externalBuffer4)
{
    sparse_log("cusparseSpGEMMreuse_nnz");
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize2 || !bufferSize3 || !bufferSize4)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool a = asks(bufferSize2, externalBuffer2), b = asks(bufferSize3, externalBuffer3),
               c = asks(bufferSize4, externalBuffer4);
    if (a || b || c)
        return s;
    const enum tern_error e = structure(handle, matA, matB, descr);
    if (!e)
        matC->nnz = descr->nnz;
    return sparse_status(e);
}

cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
                                          cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
                                          cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr,
                                          size_t *bufferSize5, void *externalBuffer5)
{
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize5)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (asks(bufferSize5, externalBuffer5))
        return s;
    if (!descr->offsets || !matC->offsets || (descr->nnz && !matC->indices))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(put_structure(handle, descr, matC));
}

cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opA,
                                             cusparseOperation_t opB, const void *alpha,
                                             cusparseConstSpMatDescr_t matA,
                                             cusparseConstSpMatDescr_t matB, const void *beta,
                                             cusparseSpMatDescr_t matC, cudaDataType computeType,
                                             cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr)
{
    sparse_log("cusparseSpGEMMreuse_compute");
    struct sparse_types t;
    const cusparseStatus_t s = check(handle, opA, opB, matA, matB, matC, alg, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || !beta || !descr->offsets || (descr->nnz && !matC->values))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse_types_of(matA->type, matB->type, matC->type, computeType, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    enum tern_error e = values(handle, matA, matB, &t, descr);
    if (!e)
        e = put_values(handle, &t, descr, matC, sparse_scalar(handle, t.sum, alpha),
                       sparse_scalar(handle, t.sum, beta));
    return sparse_status(e);
}
