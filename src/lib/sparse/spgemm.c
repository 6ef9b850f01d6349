/* Sparse by sparse: first which elements the product has, then their values. The descriptor keeps
 * the first for further products of matrices with the same structure. */
#include <stdlib.h>
#include "lib/sparse/gemm.h"

static const char header[] = "sparse/spgemm.h";
static const tern_dim threads = {SPARSE_THREADS};

enum { NOTE = 256 };

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

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
    if (descr)
        gemm_release(descr);
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

/* ---- to the caller ---- */

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
    return sparse_status(gemm_structure(handle, matA, matB, lib_types[t.sum].bytes, descr));
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
    enum tern_error e = descr->products < 0
                            ? gemm_structure(handle, matA, matB, lib_types[t.sum].bytes, descr)
                            : TERN_OK;
    if (!e)
        e = gemm_values(handle, matA, matB, &t, descr);
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
    const enum tern_error e = gemm_structure(handle, matA, matB, 0, descr);
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
    enum tern_error e = gemm_values(handle, matA, matB, &t, descr);
    if (!e)
        e = put_values(handle, &t, descr, matC, sparse_scalar(handle, t.sum, alpha),
                       sparse_scalar(handle, t.sum, beta));
    return sparse_status(e);
}
