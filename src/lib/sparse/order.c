/* Order: sorting entries, rows and columns exchanged, offsets and indices. */
#include <stdlib.h>
#include "lib/sparse/sparse_int.h"

static const char header[] = "sparse/order.h";
static const tern_dim threads = {SPARSE_THREADS};

enum { NOTE = 256 };

static cusparseStatus_t check(cusparseHandle_t h, int m, int n, int nnz)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    return m < 0 || n < 0 || nnz < 0 ? CUSPARSE_STATUS_INVALID_VALUE : s;
}

static cusparseStatus_t check_lines(cusparseHandle_t h, int m, int n, int nnz,
                                    const struct cusparseMatDescr *d)
{
    const cusparseStatus_t s = check(h, m, n, nnz);
    return s == CUSPARSE_STATUS_SUCCESS ? sparse_general(d) : s;
}

static cusparseStatus_t put_size(cusparseStatus_t s, size_t *bytes)
{
    if (s == CUSPARSE_STATUS_SUCCESS && !bytes)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (s == CUSPARSE_STATUS_SUCCESS)
        *bytes = NOTE;
    return s;
}

/* An element of this size, whatever it is. */
static const char *of_size(size_t bytes)
{
    switch (bytes) {
    case 1: return "signed char";
    case 2: return "short";
    case 4: return "int";
    case 8: return "long long";
    default: return "complex<double>";
    }
}

static enum tern_error iota(const struct cusparseContext *h, int *p, int64_t n)
{
    return sparse_run(h, header, sparse_grid(n), threads, (void *[]){&p, &n}, "iota<int>");
}

enum tern_error sparse_gather(const struct cusparseContext *h, int64_t n, const int *places,
                              const void *from, void *to, size_t bytes, int64_t each)
{
    return sparse_run(h, header, sparse_grid(n * each), threads,
                      (void *[]){&n, &places, &from, &to, &each}, "gather_by<%s>", of_size(bytes));
}

enum tern_error sparse_lines(const struct cusparseContext *h, const int *offsets, int64_t lines,
                             int64_t base, int *line_of, int64_t base_out)
{
    return sparse_run(h, header, sparse_warp_grid(lines), threads,
                      (void *[]){&offsets, &lines, &base, &line_of, &base_out},
                      "lines_of<int, int>");
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
    const cusparseStatus_t s = check(handle, 0, n, 0);
    if (s == CUSPARSE_STATUS_SUCCESS && n && !p)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return s != CUSPARSE_STATUS_SUCCESS ? s : sparse_status(iota(handle, p, n));
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m,
                                  int *csrSortedRowPtr, cusparseIndexBase_t idxBase)
{
    const cusparseStatus_t s = check(handle, m, 0, nnz);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!sparse_base_known(idxBase) || !csrSortedRowPtr || (nnz && !cooRowInd))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sparse_offsets(handle, cooRowInd, nnz, m, idxBase, idxBase,
                                        csrSortedRowPtr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I));
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrSortedRowPtr, int nnz,
                                  int m, int *cooRowInd, cusparseIndexBase_t idxBase)
{
    const cusparseStatus_t s = check(handle, m, 0, nnz);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!sparse_base_known(idxBase) || sparse_missing(m, nnz, csrSortedRowPtr, cooRowInd))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sparse_lines(handle, csrSortedRowPtr, m, idxBase, cooRowInd, idxBase));
}

/* ---- sorting ---- */

/* By (high, low); places, where there are any, follow. high may only be read. */
static enum tern_error sort_pairs(const struct cusparseContext *h, int64_t n, const int *high,
                                  int64_t highs, int *low, int64_t lows, int *high_out, int *places)
{
    int bits = sparse_bits(lows + 2); /* whatever the base */
    void *keys, *own = NULL;
    enum tern_error e = lib_scratch(h->stream, (size_t)n * 8, &keys);
    if (!e && !places) {
        e = lib_scratch(h->stream, (size_t)n * sizeof(int), &own);
        if (!e)
            e = iota(h, own, n);
    }
    if (!e)
        e = sparse_run(h, header, sparse_grid(n), threads,
                       (void *[]){&n, &high, &low, &bits, &keys}, "pair_keys");
    if (!e)
        e = sparse_sort(h, keys, true, bits + sparse_bits(highs + 2), places ? places : own,
                        CUSPARSE_INDEX_32I, n);
    if (!e)
        e = sparse_run(h, header, sparse_grid(n), threads,
                       (void *[]){&n, &keys, &bits, &high_out, &low}, "split_keys");
    lib_scratch_free(h->stream, own);
    lib_scratch_free(h->stream, keys);
    return e;
}

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cooRowsA, const int *cooColsA,
                                                size_t *pBufferSizeInBytes)
{
    (void)cooRowsA, (void)cooColsA;
    return put_size(check(handle, m, n, nnz), pBufferSizeInBytes);
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz,
                                       int *cooRowsA, int *cooColsA, int *P, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check(handle, m, n, nnz);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (nnz && (!cooRowsA || !cooColsA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sort_pairs(handle, nnz, cooRowsA, m, cooColsA, n, cooRowsA, P));
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz,
                                          int *cooRowsA, int *cooColsA, int *P, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check(handle, m, n, nnz);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (nnz && (!cooRowsA || !cooColsA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sort_pairs(handle, nnz, cooColsA, n, cooRowsA, m, cooColsA, P));
}

/* Lines stay where they are. */
static enum tern_error sort_lines(const struct cusparseContext *h, int64_t lines, int64_t width,
                                  int64_t nnz, int64_t base, const int *offsets, int *indices,
                                  int *places)
{
    void *line_of;
    enum tern_error e = lib_scratch(h->stream, (size_t)nnz * sizeof(int), &line_of);
    if (!e)
        e = sparse_lines(h, offsets, lines, base, line_of, 0);
    if (!e)
        e = sort_pairs(h, nnz, line_of, lines, indices, width, NULL, places);
    lib_scratch_free(h->stream, line_of);
    return e;
}

cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *csrRowPtrA, const int *csrColIndA,
                                                size_t *pBufferSizeInBytes)
{
    (void)csrRowPtrA, (void)csrColIndA;
    return put_size(check(handle, m, n, nnz), pBufferSizeInBytes);
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *csrRowPtrA,
                                  int *csrColIndA, int *P, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check_lines(handle, m, n, nnz, descrA);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (sparse_missing(m, nnz, csrRowPtrA, csrColIndA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sort_lines(handle, m, n, nnz, descrA->base, csrRowPtrA, csrColIndA, P));
}

cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
                                                const int *cscColPtrA, const int *cscRowIndA,
                                                size_t *pBufferSizeInBytes)
{
    (void)cscColPtrA, (void)cscRowIndA;
    return put_size(check(handle, m, n, nnz), pBufferSizeInBytes);
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *cscColPtrA,
                                  int *cscRowIndA, int *P, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check_lines(handle, m, n, nnz, descrA);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (sparse_missing(n, nnz, cscColPtrA, cscRowIndA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sort_lines(handle, n, m, nnz, descrA->base, cscColPtrA, cscRowIndA, P));
}

/* ---- sorting and its undoing ---- */

struct csru2csrInfo {
    int *places; /* of the entries before they were sorted */
    int64_t n;
};

cusparseStatus_t cusparseCreateCsru2csrInfo(csru2csrInfo_t *info)
{
    if (!info)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *info = calloc(1, sizeof **info);
    return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyCsru2csrInfo(csru2csrInfo_t info)
{
    if (info && info->places)
        cudaFree(info->places);
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sparse_csru2csr_buffer_size_ext(cusparseHandle_t handle, enum lib_type type, int m,
                                                 int n, int nnz, void *csrVal, const int *csrRowPtr,
                                                 int *csrColInd, csru2csrInfo_t info,
                                                 size_t *pBufferSizeInBytes)
{
    (void)type, (void)csrVal, (void)csrRowPtr, (void)csrColInd;
    return put_size(info ? check(handle, m, n, nnz) : CUSPARSE_STATUS_INVALID_VALUE,
                    pBufferSizeInBytes);
}

/* values in another order, by way of a copy */
static enum tern_error reorder(const struct cusparseContext *h, int64_t n, const int *places,
                               void *values, size_t bytes, bool back)
{
    void *copy;
    enum tern_error e = lib_scratch(h->stream, (size_t)n * bytes, &copy);
    if (!e && n)
        e = lib_error(
            cudaMemcpyAsync(copy, values, (size_t)n * bytes, cudaMemcpyDeviceToDevice, h->stream));
    if (!e && back)
        e = sparse_run(h, header, sparse_grid(n), threads, (void *[]){&n, &places, &copy, &values},
                       "scatter_by<%s>", of_size(bytes));
    else if (!e)
        e = sparse_gather(h, n, places, copy, values, bytes, 1);
    lib_scratch_free(h->stream, copy);
    return e;
}

cusparseStatus_t sparse_csru2csr(cusparseHandle_t handle, enum lib_type type, int m, int n, int nnz,
                                 const cusparseMatDescr_t descrA, void *csrVal,
                                 const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info,
                                 void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check_lines(handle, m, n, nnz, descrA);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!info || sparse_missing(m, nnz, csrRowPtr, csrColInd) || (nnz && !csrVal))
        return CUSPARSE_STATUS_INVALID_VALUE;
    enum tern_error e = TERN_OK;
    if (!info->places || info->n != nnz) {
        if (info->places)
            cudaFree(info->places);
        info->n = nnz;
        e = lib_error(cudaMalloc((void **)&info->places, ((size_t)nnz + 1) * sizeof(int)));
    }
    if (!e)
        e = iota(handle, info->places, nnz);
    if (!e)
        e = sort_lines(handle, m, n, nnz, descrA->base, csrRowPtr, csrColInd, info->places);
    if (!e)
        e = reorder(handle, nnz, info->places, csrVal, lib_types[type].bytes, false);
    return sparse_status(e);
}

cusparseStatus_t sparse_csr2csru(cusparseHandle_t handle, enum lib_type type, int m, int n, int nnz,
                                 const cusparseMatDescr_t descrA, void *csrVal,
                                 const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info,
                                 void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check_lines(handle, m, n, nnz, descrA);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!info || !info->places || info->n != nnz || sparse_missing(m, nnz, csrRowPtr, csrColInd) ||
        (nnz && !csrVal))
        return CUSPARSE_STATUS_INVALID_VALUE;
    enum tern_error e = reorder(handle, nnz, info->places, csrVal, lib_types[type].bytes, true);
    if (!e)
        e = reorder(handle, nnz, info->places, csrColInd, sizeof(int), true);
    return sparse_status(e);
}

/* ---- rows and columns exchanged ---- */

enum tern_error sparse_transpose(const struct cusparseContext *h, int64_t lines, int64_t width,
                                 int64_t nnz, int64_t base, const int *offsets, const int *indices,
                                 const void *values, size_t bytes, int64_t each, int *offsets_out,
                                 int *indices_out, void *values_out)
{
    void *keys, *places = NULL, *line_of = NULL;
    enum tern_error e = lib_scratch(h->stream, (size_t)nnz * sizeof(int), &keys);
    if (!e)
        e = lib_scratch(h->stream, (size_t)nnz * sizeof(int), &places);
    if (!e)
        e = lib_scratch(h->stream, (size_t)nnz * sizeof(int), &line_of);
    if (!e && nnz)
        e = lib_error(cudaMemcpyAsync(keys, indices, (size_t)nnz * sizeof(int),
                                      cudaMemcpyDeviceToDevice, h->stream));
    if (!e)
        e = iota(h, places, nnz);
    if (!e)
        e = sparse_lines(h, offsets, lines, base, line_of, base);
    if (!e)
        e = sparse_sort(h, keys, false, sparse_bits(width + 2), places, CUSPARSE_INDEX_32I, nnz);
    if (!e)
        e = sparse_offsets(h, keys, nnz, width, base, base, offsets_out, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I);
    if (!e)
        e = sparse_gather(h, nnz, places, line_of, indices_out, sizeof(int), 1);
    if (!e && values_out)
        e = sparse_gather(h, nnz, places, values, values_out, bytes, each);
    lib_scratch_free(h->stream, line_of);
    lib_scratch_free(h->stream, places);
    lib_scratch_free(h->stream, keys);
    return e;
}

static cusparseStatus_t check_turn(cusparseHandle_t h, int m, int n, int nnz, cudaDataType type,
                                   cusparseAction_t copied, cusparseIndexBase_t base,
                                   cusparseCsr2CscAlg_t alg, enum lib_type *t)
{
    const cusparseStatus_t s = check(h, m, n, nnz);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if ((unsigned)copied > CUSPARSE_ACTION_NUMERIC || !sparse_base_known(base) ||
        (alg != CUSPARSE_CSR2CSC_ALG1 && alg != CUSPARSE_CSR2CSC_ALG2))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return lib_type_of(type, t) && *t <= LIB_I32 ? s : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                               const void *csrVal, const int *csrRowPtr,
                                               const int *csrColInd, void *cscVal, int *cscColPtr,
                                               int *cscRowInd, cudaDataType valType,
                                               cusparseAction_t copyValues,
                                               cusparseIndexBase_t idxBase,
                                               cusparseCsr2CscAlg_t alg, size_t *bufferSize)
{
    (void)csrVal, (void)csrRowPtr, (void)csrColInd, (void)cscVal, (void)cscColPtr, (void)cscRowInd;
    enum lib_type t;
    return put_size(check_turn(handle, m, n, nnz, valType, copyValues, idxBase, alg, &t),
                    bufferSize);
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
                                    const void *csrVal, const int *csrRowPtr, const int *csrColInd,
                                    void *cscVal, int *cscColPtr, int *cscRowInd,
                                    cudaDataType valType, cusparseAction_t copyValues,
                                    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg,
                                    void *buffer)
{
    (void)buffer;
    sparse_log("cusparseCsr2cscEx2");
    enum lib_type t;
    const cusparseStatus_t s = check_turn(handle, m, n, nnz, valType, copyValues, idxBase, alg, &t);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!cscColPtr || sparse_missing(m, nnz, csrRowPtr, csrColInd) || (nnz && !cscRowInd) ||
        (nnz && copyValues == CUSPARSE_ACTION_NUMERIC && (!csrVal || !cscVal)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sparse_transpose(handle, m, n, nnz, idxBase, csrRowPtr, csrColInd, csrVal,
                                          lib_types[t].bytes, 1, cscColPtr, cscRowInd,
                                          copyValues == CUSPARSE_ACTION_NUMERIC ? cscVal : NULL));
}
