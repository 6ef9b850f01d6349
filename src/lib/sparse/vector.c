/* Sparse vectors with dense ones. */
#include "lib/sparse/sparse_int.h"

static const char header[] = "sparse/vector.h";

enum { DOT_BLOCKS = 256 };

/* What elements of a type are computed with where the caller does not say. */
static enum lib_type computed(enum lib_type t)
{
    return t == LIB_F16 || t == LIB_BF16 ? LIB_F32 : t;
}

static bool floating(enum lib_type t)
{
    return t != LIB_I8 && t != LIB_I32;
}

static cusparseStatus_t check(cusparseHandle_t h, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, bool any_type)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!x || !y || x->size != y->size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (x->type != y->type || (!any_type && !floating(x->type)))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return s;
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha,
                               cusparseConstSpVecDescr_t vecX, const void *beta,
                               cusparseDnVecDescr_t vecY)
{
    sparse_log("cusparseAxpby");
    const cusparseStatus_t s = check(handle, vecX, vecY, false);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || !beta)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const enum lib_type t = vecX->type, c = computed(t);
    struct sparse_scalar a = sparse_scalar(handle, c, alpha), b = sparse_scalar(handle, c, beta);
    int64_t size = vecY->size, nnz = vecX->nnz, base = vecX->base;
    const void *indices = vecX->indices, *x = vecX->values;
    void *y = vecY->values;
    const tern_dim threads = {SPARSE_THREADS};
    enum tern_error e =
        sparse_run(handle, header, sparse_grid(size), threads, (void *[]){&size, &b, &y},
                   "scale<%s, %s>", sparse_type(t), sparse_type(c));
    if (!e)
        e = sparse_run(handle, header, sparse_grid(nnz), threads,
                       (void *[]){&nnz, &indices, &x, &base, &a, &y}, "add_entries<%s, %s, %s>",
                       sparse_type(t), sparse_index(vecX->index), sparse_type(c));
    return sparse_status(e);
}

static cusparseStatus_t move(cusparseHandle_t h, const char *kernel, cusparseConstSpVecDescr_t v,
                             cusparseConstDnVecDescr_t d)
{
    const cusparseStatus_t s = check(h, v, d, true);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    int64_t nnz = v->nnz, base = v->base;
    const void *indices = v->indices;
    void *x = v->values, *y = d->values;
    return sparse_status(sparse_run(h, header, sparse_grid(nnz), (tern_dim){SPARSE_THREADS},
                                    (void *[]){&nnz, &indices, &x, &base, &y}, "%s<%s, %s>", kernel,
                                    sparse_type(v->type), sparse_index(v->index)));
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
                                cusparseSpVecDescr_t vecX)
{
    sparse_log("cusparseGather");
    return move(handle, "gather", vecX, vecY);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                                 cusparseDnVecDescr_t vecY)
{
    sparse_log("cusparseScatter");
    return move(handle, "scatter", vecX, vecY);
}

cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c_coeff, const void *s_coeff,
                             cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY)
{
    sparse_log("cusparseRot");
    const cusparseStatus_t s = check(handle, vecX, vecY, false);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!c_coeff || !s_coeff)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const enum lib_type t = vecX->type, c = computed(t);
    struct sparse_scalar cosine = sparse_scalar(handle, c, c_coeff),
                         sine = sparse_scalar(handle, c, s_coeff);
    int64_t nnz = vecX->nnz, base = vecX->base;
    return sparse_status(sparse_run(
        handle, header, sparse_grid(nnz), (tern_dim){SPARSE_THREADS},
        (void *[]){&nnz, &vecX->indices, &vecX->values, &base, &vecY->values, &cosine, &sine},
        "rotate<%s, %s, %s>", sparse_type(t), sparse_index(vecX->index), sparse_type(c)));
}

static cusparseStatus_t check_dot(cusparseHandle_t h, cusparseOperation_t op,
                                  cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                  const void *result, cudaDataType compute, struct sparse_types *t)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!x || !y || !result || x->size != y->size || !sparse_op_known(op))
        return CUSPARSE_STATUS_INVALID_VALUE;
    enum lib_type sum;
    if (!lib_type_of(compute, &sum) || !sparse_types_of(x->type, y->type, sum, compute, t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return s;
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
                                         cusparseConstSpVecDescr_t vecX,
                                         cusparseConstDnVecDescr_t vecY, const void *result,
                                         cudaDataType computeType, size_t *bufferSize)
{
    struct sparse_types t;
    const cusparseStatus_t s = check_dot(handle, opX, vecX, vecY, result, computeType, &t);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *bufferSize = (DOT_BLOCKS + 1) * lib_types[t.sum].bytes;
    return s;
}

/* Where the stream is recorded, the result is there when the graph has run. */
static enum tern_error to_host(const struct cusparseContext *h, const void *from, size_t bytes,
                               void *to)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(h->stream, &capture);
    if (capture == cudaStreamCaptureStatusNone)
        return sparse_read(h, from, bytes, to);
    return lib_error(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, h->stream));
}

cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                              cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
                              void *result, cudaDataType computeType, void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseSpVV");
    struct sparse_types t;
    const cusparseStatus_t s = check_dot(handle, opX, vecX, vecY, result, computeType, &t);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    int64_t nnz = vecX->nnz, base = vecX->base;
    tern_dim grid = sparse_grid(nnz ? nnz : 1);
    if (grid.x > DOT_BLOCKS)
        grid.x = DOT_BLOCKS;
    int conj = opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, blocks = (int)grid.x;
    const void *indices = vecX->indices, *x = vecX->values, *y = vecY->values;
    const size_t bytes = lib_types[t.sum].bytes;
    void *parts;
    enum tern_error e = lib_scratch(handle->stream, (DOT_BLOCKS + 1) * bytes, &parts);
    const bool on_host = handle->pointer_mode == CUSPARSE_POINTER_MODE_HOST;
    void *total = on_host ? (char *)parts + DOT_BLOCKS * bytes : result;
    if (!e)
        e = sparse_run(handle, header, grid, (tern_dim){SPARSE_THREADS},
                       (void *[]){&nnz, &indices, &x, &base, &conj, &y, &parts},
                       "dot_parts<%s, %s, %s, %s>", sparse_type(t.a), sparse_type(t.x),
                       sparse_index(vecX->index), sparse_type(t.sum));
    if (!e)
        e = sparse_run(handle, header, (tern_dim){1}, (tern_dim){SPARSE_WARP},
                       (void *[]){&blocks, &parts, &total}, "dot_total<%s>", sparse_type(t.sum));
    if (!e && on_host)
        e = to_host(handle, total, bytes, result);
    lib_scratch_free(handle->stream, parts);
    return sparse_status(e);
}

/* ---- a dense matrix with a sparse vector ---- */

cusparseStatus_t sparse_gemvi_buffer_size(cusparseHandle_t handle, enum lib_type type,
                                          cusparseOperation_t transA, int m, int n, int nnz,
                                          int *pBufferSize)
{
    (void)type;
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    if (m < 0 || n < 0 || nnz < 0 || !sparse_op_known(transA) || !pBufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *pBufferSize = 256;
    return s;
}

cusparseStatus_t sparse_gemvi(cusparseHandle_t handle, enum lib_type type,
                              cusparseOperation_t transA, int m, int n, const void *alpha,
                              const void *A, int lda, int nnz, const void *xVal, const int *xInd,
                              const void *beta, void *y, cusparseIndexBase_t idxBase, void *pBuffer)
{
    (void)pBuffer;
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    const bool plain = transA == CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (m < 0 || n < 0 || nnz < 0 || nnz > (plain ? n : m) || lda < m || !alpha || !beta ||
        !sparse_op_known(transA) || !sparse_base_known(idxBase) || (m && n && !A) ||
        (nnz && (!xVal || !xInd)) || ((plain ? m : n) && !y))
        return CUSPARSE_STATUS_INVALID_VALUE;
    int64_t rows = plain ? m : n, row = plain ? 1 : lda, col = plain ? lda : 1;
    int conj = transA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, base = (int)idxBase;
    struct sparse_scalar a = sparse_scalar(handle, type, alpha),
                         b = sparse_scalar(handle, type, beta);
    return sparse_status(
        sparse_run(handle, header, sparse_warp_grid(rows), (tern_dim){SPARSE_THREADS},
                   (void *[]){&rows, &row, &col, &conj, &A, &nnz, &xVal, &xInd, &base, &a, &b, &y},
                   "gemvi<%s>", sparse_type(type)));
}
