/* Rows to blocks, blocks to rows, blocks to other blocks, lines of blocks and columns of blocks
 * exchanged. */
#include "lib/sparse/sparse_int.h"

static const char header[] = "sparse/block.h";
static const tern_dim threads = {SPARSE_THREADS};

enum { NOTE = 256 };

static cusparseStatus_t check(cusparseHandle_t h, cusparseDirection_t dir, int m, int n,
                              const struct cusparseMatDescr *d, int rows, int cols)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if ((unsigned)dir > CUSPARSE_DIRECTION_COLUMN || m < 0 || n < 0 || rows < 1 || cols < 1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_general(d);
}

/* What of it there is to be read, and where the result is described. */
static cusparseStatus_t check_arrays(int64_t lines, const void *offsets,
                                     const struct cusparseMatDescr *result, const void *offsets_out)
{
    return (lines && !offsets) || !offsets_out ? CUSPARSE_STATUS_INVALID_VALUE
                                               : sparse_general(result);
}

/* m by n elements; blocks of rows by cols. */
static struct sparse_view view(cusparseDirection_t dir, int64_t m, int64_t n,
                               const struct cusparseMatDescr *d, const void *values,
                               const int *offsets, const int *indices, int rows, int cols)
{
    return (struct sparse_view){.offsets = offsets,
                                .indices = indices,
                                .values = (void *)(uintptr_t)values,
                                .lines = m,
                                .width = n,
                                .base = d->base,
                                .slice = 1,
                                .down = rows,
                                .across = cols,
                                .block_by_columns = dir == CUSPARSE_DIRECTION_COLUMN};
}

static enum tern_error put_total(const struct cusparseContext *h, const int *offsets, int64_t lines,
                                 int64_t base, int *to)
{
    int total;
    enum tern_error e = sparse_read(h, offsets + lines, sizeof total, &total);
    total -= (int)base;
    if (e || !to)
        return e;
    if (h->pointer_mode == CUSPARSE_POINTER_MODE_HOST) {
        *to = total;
        return TERN_OK;
    }
    return lib_error(cudaMemcpy(to, &total, sizeof total, cudaMemcpyHostToDevice));
}

/* ---- rows to blocks ---- */

static enum tern_error count(const struct cusparseContext *h, struct sparse_view *v, int64_t base,
                             int *offsets, int *total)
{
    int64_t lines = (v->lines + v->down - 1) / v->down;
    enum tern_error e = sparse_run(h, header, sparse_grid(lines), threads,
                                   (void *[]){v, &lines, &offsets}, "block_counts");
    if (!e)
        e = sparse_scan(h, offsets, lines, base, CUSPARSE_INDEX_32I);
    return e ? e : put_total(h, offsets, lines, base, total);
}

static enum tern_error fill(const struct cusparseContext *h, enum lib_type t, struct sparse_view *v,
                            int64_t base, const int *offsets, int *indices, void *values)
{
    int64_t lines = (v->lines + v->down - 1) / v->down;
    int end;
    enum tern_error e = sparse_read(h, offsets + lines, sizeof end, &end);
    const size_t bytes = (size_t)(end - base) * (size_t)(v->down * v->across) * lib_types[t].bytes;
    if (!e && bytes && (!indices || !values))
        return TERN_INVALID_ARGUMENT;
    if (!e && bytes)
        e = lib_error(cudaMemsetAsync(values, 0, bytes, h->stream));
    if (!e)
        e = sparse_run(h, header, sparse_grid(lines), threads,
                       (void *[]){v, &lines, &offsets, &base, &indices, &values}, "block_fill<%s>",
                       sparse_type(t));
    return e;
}

cusparseStatus_t cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m,
                                       int n, const cusparseMatDescr_t descrA, const int *offsetsA,
                                       const int *indicesA, const cusparseMatDescr_t descrC,
                                       int *offsetsC, int rowBlockDim, int colBlockDim,
                                       int *nnzTotalDevHostPtr, void *pBuffer)
{
    (void)pBuffer;
    sparse_log("cusparseXcsr2gebsrNnz");
    cusparseStatus_t s = check(handle, dirA, m, n, descrA, rowBlockDim, colBlockDim);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = check_arrays(m, offsetsA, descrC, offsetsC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!nnzTotalDevHostPtr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct sparse_view v =
        view(dirA, m, n, descrA, NULL, offsetsA, indicesA, rowBlockDim, colBlockDim);
    return sparse_status(count(handle, &v, descrC->base, offsetsC, nnzTotalDevHostPtr));
}

cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m,
                                     int n, const cusparseMatDescr_t descrA, const int *offsetsA,
                                     const int *indicesA, int blockDim,
                                     const cusparseMatDescr_t descrC, int *offsetsC,
                                     int *nnzTotalDevHostPtr)
{
    return cusparseXcsr2gebsrNnz(handle, dirA, m, n, descrA, offsetsA, indicesA, descrC, offsetsC,
                                 blockDim, blockDim, nnzTotalDevHostPtr, NULL);
}

cusparseStatus_t sparse_csr2gebsr(cusparseHandle_t handle, enum lib_type type,
                                  cusparseDirection_t dirA, int m, int n,
                                  const cusparseMatDescr_t descrA, const void *valA,
                                  const int *offsetsA, const int *indicesA,
                                  const cusparseMatDescr_t descrC, void *valC, int *offsetsC,
                                  int *indicesC, int rowBlockDim, int colBlockDim, void *pBuffer)
{
    (void)pBuffer;
    cusparseStatus_t s = check(handle, dirA, m, n, descrA, rowBlockDim, colBlockDim);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = check_arrays(m, offsetsA, descrC, offsetsC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct sparse_view v =
        view(dirA, m, n, descrA, valA, offsetsA, indicesA, rowBlockDim, colBlockDim);
    return sparse_status(fill(handle, type, &v, descrC->base, offsetsC, indicesC, valC));
}

cusparseStatus_t sparse_csr2bsr(cusparseHandle_t handle, enum lib_type type,
                                cusparseDirection_t dirA, int m, int n,
                                const cusparseMatDescr_t descrA, const void *valA,
                                const int *offsetsA, const int *indicesA, int blockDim,
                                const cusparseMatDescr_t descrC, void *valC, int *offsetsC,
                                int *indicesC)
{
    return sparse_csr2gebsr(handle, type, dirA, m, n, descrA, valA, offsetsA, indicesA, descrC,
                            valC, offsetsC, indicesC, blockDim, blockDim, NULL);
}

static const struct cusparseMatDescr plain; /* of calls that have no descriptor */

#define SIZES(name, parameters, valid)                                                             \
    cusparseStatus_t name##_buffer_size parameters(int){                                           \
        SIZE_BODY(valid)} cusparseStatus_t name##_buffer_size_ext                                  \
    parameters(size_t)                                                                             \
    {                                                                                              \
        SIZE_BODY(valid)                                                                           \
    }
#define SIZE_BODY(valid)                                                                           \
    (void)type, (void)values, (void)offsets, (void)indices;                                        \
    const cusparseStatus_t s = valid;                                                              \
    if (s == CUSPARSE_STATUS_SUCCESS && bytes)                                                     \
        *bytes = NOTE;                                                                             \
    return s == CUSPARSE_STATUS_SUCCESS && !bytes ? CUSPARSE_STATUS_INVALID_VALUE : s;
#define TO_BLOCKS(S)                                                                               \
    (cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA, int m, int n,          \
     const cusparseMatDescr_t descrA, const void *values, const int *offsets, const int *indices,  \
     int rows, int cols, S *bytes)
#define OTHER_BLOCKS(S)                                                                            \
    (cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA, int mb, int nb,        \
     int nnzb, const cusparseMatDescr_t descrA, const void *values, const int *offsets,            \
     const int *indices, int rows, int cols, int rows_out, int cols_out, S *bytes)
#define TURNED_BLOCKS(S)                                                                           \
    (cusparseHandle_t handle, enum lib_type type, int mb, int nb, int nnzb, const void *values,    \
     const int *offsets, const int *indices, int rows, int cols, S *bytes)
SIZES(sparse_csr2gebsr, TO_BLOCKS, check(handle, dirA, m, n, descrA, rows, cols))
SIZES(sparse_gebsr2gebsr, OTHER_BLOCKS,
      nnzb < 0 || rows_out < 1 || cols_out < 1 ? CUSPARSE_STATUS_INVALID_VALUE
                                               : check(handle, dirA, mb, nb, descrA, rows, cols))
SIZES(sparse_gebsr2gebsc, TURNED_BLOCKS,
      nnzb < 0 ? CUSPARSE_STATUS_INVALID_VALUE
               : check(handle, CUSPARSE_DIRECTION_ROW, mb, nb, &plain, rows, cols))

/* ---- blocks to rows ---- */

static enum tern_error to_rows(const struct cusparseContext *h, enum lib_type t,
                               struct sparse_view *v, int64_t base, int *offsets, int *indices,
                               void *values)
{
    if (v->lines == 0) {
        const int first = (int)base;
        return lib_error(cudaMemcpy(offsets, &first, sizeof first, cudaMemcpyHostToDevice));
    }
    return sparse_run(h, header, sparse_warp_grid(v->lines), threads,
                      (void *[]){v, &base, &offsets, &indices, &values}, "block_rows<%s>",
                      sparse_type(t));
}

cusparseStatus_t sparse_gebsr2csr(cusparseHandle_t handle, enum lib_type type,
                                  cusparseDirection_t dirA, int mb, int nb,
                                  const cusparseMatDescr_t descrA, const void *valA,
                                  const int *offsetsA, const int *indicesA, int rowBlockDim,
                                  int colBlockDim, const cusparseMatDescr_t descrC, void *valC,
                                  int *offsetsC, int *indicesC)
{
    cusparseStatus_t s = check(handle, dirA, mb, nb, descrA, rowBlockDim, colBlockDim);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = check_arrays(mb, offsetsA, descrC, offsetsC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct sparse_view v = view(dirA, (int64_t)mb * rowBlockDim, (int64_t)nb * colBlockDim, descrA,
                                valA, offsetsA, indicesA, rowBlockDim, colBlockDim);
    return sparse_status(to_rows(handle, type, &v, descrC->base, offsetsC, indicesC, valC));
}

cusparseStatus_t cusparseXgebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb,
                                    int nb, const cusparseMatDescr_t descrA, const int *offsetsA,
                                    const int *indicesA, int rowBlockDim, int colBlockDim,
                                    const cusparseMatDescr_t descrC, int *offsetsC, int *indicesC)
{
    return sparse_gebsr2csr(handle, LIB_F32, dirA, mb, nb, descrA, NULL, offsetsA, indicesA,
                            rowBlockDim, colBlockDim, descrC, NULL, offsetsC, indicesC);
}

cusparseStatus_t sparse_bsr2csr(cusparseHandle_t handle, enum lib_type type,
                                cusparseDirection_t dirA, int mb, int nb,
                                const cusparseMatDescr_t descrA, const void *valA,
                                const int *offsetsA, const int *indicesA, int blockDim,
                                const cusparseMatDescr_t descrC, void *valC, int *offsetsC,
                                int *indicesC)
{
    return sparse_gebsr2csr(handle, type, dirA, mb, nb, descrA, valA, offsetsA, indicesA, blockDim,
                            blockDim, descrC, valC, offsetsC, indicesC);
}

/* ---- blocks to other blocks: by way of rows ---- */

struct rows {
    void *offsets, *indices, *values;
    struct sparse_view v;
};

static enum tern_error rows_begin(const struct cusparseContext *h, enum lib_type t,
                                  cusparseDirection_t dir, int64_t m, int64_t n, int64_t entries,
                                  const struct cusparseMatDescr *d, const void *values,
                                  const int *offsets, const int *indices, int down, int across,
                                  int down_out, int across_out, struct rows *r)
{
    static const struct cusparseMatDescr zero_based;
    struct sparse_view v = view(dir, m, n, d, values, offsets, indices, down, across);
    *r = (struct rows){0};
    enum tern_error e = lib_scratch(h->stream, ((size_t)m + 1) * sizeof(int), &r->offsets);
    if (!e)
        e = lib_scratch(h->stream, (size_t)entries * sizeof(int), &r->indices);
    if (!e && values)
        e = lib_scratch(h->stream, (size_t)entries * lib_types[t].bytes, &r->values);
    if (!e)
        e = to_rows(h, t, &v, 0, r->offsets, r->indices, r->values);
    r->v = view(dir, m, n, &zero_based, r->values, r->offsets, r->indices, down_out, across_out);
    return e;
}

static void rows_end(const struct cusparseContext *h, struct rows *r)
{
    lib_scratch_free(h->stream, r->values);
    lib_scratch_free(h->stream, r->indices);
    lib_scratch_free(h->stream, r->offsets);
}

cusparseStatus_t cusparseXgebsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int mb,
                                         int nb, int nnzb, const cusparseMatDescr_t descrA,
                                         const int *offsetsA, const int *indicesA, int rowBlockDimA,
                                         int colBlockDimA, const cusparseMatDescr_t descrC,
                                         int *offsetsC, int rowBlockDimC, int colBlockDimC,
                                         int *nnzTotalDevHostPtr, void *pBuffer)
{
    (void)pBuffer;
    sparse_log("cusparseXgebsr2gebsrNnz");
    cusparseStatus_t s = check(handle, dirA, mb, nb, descrA, rowBlockDimA, colBlockDimA);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = check_arrays(mb, offsetsA, descrC, offsetsC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (nnzb < 0 || rowBlockDimC < 1 || colBlockDimC < 1 || !nnzTotalDevHostPtr ||
        (nnzb && !indicesA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct rows r;
    enum tern_error e =
        rows_begin(handle, LIB_F32, dirA, (int64_t)mb * rowBlockDimA, (int64_t)nb * colBlockDimA,
                   (int64_t)nnzb * rowBlockDimA * colBlockDimA, descrA, NULL, offsetsA, indicesA,
                   rowBlockDimA, colBlockDimA, rowBlockDimC, colBlockDimC, &r);
    if (!e)
        e = count(handle, &r.v, descrC->base, offsetsC, nnzTotalDevHostPtr);
    rows_end(handle, &r);
    return sparse_status(e);
}

cusparseStatus_t sparse_gebsr2gebsr(cusparseHandle_t handle, enum lib_type type,
                                    cusparseDirection_t dirA, int mb, int nb, int nnzb,
                                    const cusparseMatDescr_t descrA, const void *valA,
                                    const int *offsetsA, const int *indicesA, int rowBlockDimA,
                                    int colBlockDimA, const cusparseMatDescr_t descrC, void *valC,
                                    int *offsetsC, int *indicesC, int rowBlockDimC,
                                    int colBlockDimC, void *pBuffer)
{
    (void)pBuffer;
    cusparseStatus_t s = check(handle, dirA, mb, nb, descrA, rowBlockDimA, colBlockDimA);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = check_arrays(mb, offsetsA, descrC, offsetsC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (nnzb < 0 || rowBlockDimC < 1 || colBlockDimC < 1 || (nnzb && (!indicesA || !valA)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct rows r;
    enum tern_error e =
        rows_begin(handle, type, dirA, (int64_t)mb * rowBlockDimA, (int64_t)nb * colBlockDimA,
                   (int64_t)nnzb * rowBlockDimA * colBlockDimA, descrA, valA, offsetsA, indicesA,
                   rowBlockDimA, colBlockDimA, rowBlockDimC, colBlockDimC, &r);
    if (!e)
        e = fill(handle, type, &r.v, descrC->base, offsetsC, indicesC, valC);
    rows_end(handle, &r);
    return sparse_status(e);
}

/* ---- lines and columns of blocks exchanged; blocks stay as they are ---- */

cusparseStatus_t sparse_gebsr2gebsc(cusparseHandle_t handle, enum lib_type type, int mb, int nb,
                                    int nnzb, const void *values, const int *offsets,
                                    const int *indices, int rowBlockDim, int colBlockDim,
                                    void *bscVal, int *bscRowInd, int *bscColPtr,
                                    cusparseAction_t copyValues, cusparseIndexBase_t idxBase,
                                    void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s =
        check(handle, CUSPARSE_DIRECTION_ROW, mb, nb, &plain, rowBlockDim, colBlockDim);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (nnzb < 0 || !sparse_base_known(idxBase) || !bscColPtr ||
        (unsigned)copyValues > CUSPARSE_ACTION_NUMERIC ||
        sparse_missing(mb, nnzb, offsets, indices) || (nnzb && !bscRowInd) ||
        (nnzb && copyValues == CUSPARSE_ACTION_NUMERIC && (!values || !bscVal)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(sparse_transpose(handle, mb, nb, nnzb, idxBase, offsets, indices, values,
                                          lib_types[type].bytes, (int64_t)rowBlockDim * colBlockDim,
                                          bscColPtr, bscRowInd,
                                          copyValues == CUSPARSE_ACTION_NUMERIC ? bscVal : NULL));
}
