/* Between formats: dense and sparse, small elements left out, sampled products, sums. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib/sparse/sparse_int.h"

static const char header[] = "sparse/convert.h";
static const tern_dim threads = {SPARSE_THREADS};

enum { NOTE = 256 };

static enum lib_type real_of(enum lib_type t)
{
    return t == LIB_C32 ? LIB_F32 : t == LIB_C64 ? LIB_F64 : t;
}

/* ---- elements that are kept ---- */

/* Where they come from, and which: |v| > threshold, or v != 0. */
struct source {
    struct sparse_view v; /* lines, width; entries where it is not dense */
    struct sparse_dense d;
    bool dense, above;
    struct sparse_scalar threshold; /* of the real type */
    enum lib_type type;
};

static const char *lines_class(const struct source *s)
{
    return s->dense ? "dense_lines" : "csr_lines";
}

static enum tern_error keep_counts(const struct cusparseContext *h, struct source *s, void *counts,
                                   cusparseIndexType_t t)
{
    return sparse_run(h, header, sparse_warp_grid(s->v.lines), threads,
                      (void *[]){&s->v, &s->d, &s->threshold, &counts},
                      "keep_counts<%s<%s>, %s, %s, %s>", lines_class(s), sparse_type(s->type),
                      sparse_type(real_of(s->type)), s->above ? "true" : "false", sparse_index(t));
}

static enum tern_error keep_fill(const struct cusparseContext *h, struct source *s,
                                 const void *offsets, int64_t base, cusparseIndexType_t ot,
                                 void *rows_of, void *indices, cusparseIndexType_t it, void *values)
{
    return sparse_run(
        h, header, sparse_warp_grid(s->v.lines), threads,
        (void *[]){&s->v, &s->d, &s->threshold, &offsets, &base, &rows_of, &indices, &values},
        "keep_fill<%s<%s>, %s, %s, %s, %s, %s>", lines_class(s), sparse_type(s->type),
        sparse_type(s->type), sparse_type(real_of(s->type)), s->above ? "true" : "false",
        sparse_index(ot), sparse_index(it));
}

/* Offsets of what is kept; the total, where wanted, goes to the host. */
static enum tern_error keep_offsets(const struct cusparseContext *h, struct source *s,
                                    void *offsets, int64_t base, cusparseIndexType_t t,
                                    int64_t *total)
{
    enum tern_error e = keep_counts(h, s, offsets, t);
    if (!e)
        e = sparse_scan(h, offsets, s->v.lines, base, t);
    if (e || !total)
        return e;
    int64_t wide = 0;
    int narrow = 0;
    const size_t bytes = sparse_index_bytes(t);
    e = sparse_read(h, (char *)offsets + (size_t)s->v.lines * bytes, bytes,
                    bytes == 8 ? (void *)&wide : (void *)&narrow);
    *total = (bytes == 8 ? wide : narrow) - base;
    return e;
}

/* The total to where the caller wants it: it is the last offset less the base. */
static enum tern_error put_total(const struct cusparseContext *h, const int *offsets, int64_t lines,
                                 int64_t base, int *to)
{
    int total;
    enum tern_error e = sparse_read(h, offsets + lines, sizeof total, &total);
    total -= (int)base;
    if (e)
        return e;
    if (h->pointer_mode == CUSPARSE_POINTER_MODE_HOST) {
        *to = total;
        return TERN_OK;
    }
    return lib_error(cudaMemcpy(to, &total, sizeof total, cudaMemcpyHostToDevice));
}

static struct source dense_source(enum lib_type t, int64_t lines, int64_t width, const void *p,
                                  int64_t row, int64_t col)
{
    return (struct source){
        .v = {.lines = lines, .width = width, .slice = 1, .down = 1, .across = 1},
        .d = {.p = (void *)(uintptr_t)p, .row = row, .col = col},
        .dense = true,
        .type = t};
}

static struct source row_source(enum lib_type t, int64_t rows, int64_t cols, int64_t nnz,
                                int64_t base, const int *offsets, const int *indices,
                                const void *values)
{
    return (struct source){.v = {.offsets = offsets,
                                 .indices = indices,
                                 .values = (void *)(uintptr_t)values,
                                 .lines = rows,
                                 .width = cols,
                                 .entries = nnz,
                                 .base = base,
                                 .slice = 1,
                                 .down = 1,
                                 .across = 1},
                           .type = t};
}

/* ---- the generic conversions ---- */

static cusparseStatus_t check(cusparseHandle_t h, cusparseConstSpMatDescr_t a,
                              cusparseConstDnMatDescr_t b, unsigned alg)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!a || !b || a->rows != b->rows || a->cols != b->cols || alg != 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return a->type == b->type && a->batch == 1 && b->batch == 1 ? s : CUSPARSE_STATUS_NOT_SUPPORTED;
}

static cusparseStatus_t put_size(cusparseStatus_t s, size_t *bytes)
{
    if (s == CUSPARSE_STATUS_SUCCESS && !bytes)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (s == CUSPARSE_STATUS_SUCCESS)
        *bytes = NOTE;
    return s;
}

/* Element (line, place in it) of a dense matrix, where lines may be columns. */
static struct sparse_dense along(cusparseConstDnMatDescr_t b, bool by_columns)
{
    return sparse_dense(
        b, 0, by_columns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE);
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t matA,
                                                  cusparseDnMatDescr_t matB,
                                                  cusparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize)
{
    return put_size(check(handle, matA, matB, alg), bufferSize);
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                       void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseSparseToDense");
    const cusparseStatus_t s = check(handle, matA, matB, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!sparse_complete(matA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    bool by_columns;
    int kind;
    struct sparse_view v = sparse_view(matA, 0, &by_columns, &kind);
    struct sparse_dense whole = along(matB, false), d = along(matB, by_columns);
    int64_t rows = matB->rows, cols = matB->cols;
    const char *type = sparse_type(matA->type);
    enum tern_error e = sparse_run(handle, header, sparse_grid(rows * cols), threads,
                                   (void *[]){&rows, &cols, &whole}, "clear_dense<%s>", type);
    if (!e && matA->format == CUSPARSE_FORMAT_COO)
        e = sparse_run(handle, header, sparse_grid(v.entries), threads,
                       (void *[]){&v.entries, &v.offsets, &v.indices, &v.values, &v.base, &d},
                       "coo_to_dense<%s, %s>", sparse_index(matA->index_type), type);
    else if (!e)
        e = sparse_run(handle, header, sparse_warp_grid(v.lines), threads, (void *[]){&v, &d},
                       "to_dense<%s<%s, %s>, %s>", sparse_walk(kind),
                       sparse_index(matA->offset_type), sparse_index(matA->index_type), type);
    return sparse_status(e);
}

static bool convertible(cusparseFormat_t f)
{
    return f == CUSPARSE_FORMAT_CSR || f == CUSPARSE_FORMAT_CSC || f == CUSPARSE_FORMAT_COO;
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t matA,
                                                  cusparseSpMatDescr_t matB,
                                                  cusparseDenseToSparseAlg_t alg,
                                                  size_t *bufferSize)
{
    return put_size(check(handle, matB, matA, alg), bufferSize);
}

/* What is kept of the dense matrix; its offsets, where the format has none, are scratch memory. */
static enum tern_error begin(cusparseHandle_t h, cusparseConstDnMatDescr_t a,
                             cusparseSpMatDescr_t b, struct source *s, void **offsets,
                             void **scratch, int64_t *total)
{
    const bool by_columns = b->format == CUSPARSE_FORMAT_CSC;
    const struct sparse_dense d = along(a, by_columns);
    *s = dense_source(a->type, by_columns ? a->cols : a->rows, by_columns ? a->rows : a->cols, d.p,
                      d.row, d.col);
    *scratch = NULL;
    *offsets = b->offsets;
    enum tern_error e = TERN_OK;
    if (b->format == CUSPARSE_FORMAT_COO || !b->offsets) {
        e = lib_scratch(h->stream, ((size_t)s->v.lines + 1) * sparse_index_bytes(b->offset_type),
                        scratch);
        *offsets = *scratch;
    }
    return e ? e : keep_offsets(h, s, *offsets, b->base, b->offset_type, total);
}

cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t matA,
                                                cusparseSpMatDescr_t matB,
                                                cusparseDenseToSparseAlg_t alg,
                                                void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseDenseToSparse_analysis");
    const cusparseStatus_t s = check(handle, matB, matA, alg);
    if (s != CUSPARSE_STATUS_SUCCESS || !convertible(matB->format))
        return s; /* the other formats' entries have their places already */
    struct source from;
    void *offsets, *scratch;
    const enum tern_error e = begin(handle, matA, matB, &from, &offsets, &scratch, &matB->nnz);
    lib_scratch_free(handle->stream, scratch);
    return sparse_status(e);
}

cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                               cusparseConstDnMatDescr_t matA,
                                               cusparseSpMatDescr_t matB,
                                               cusparseDenseToSparseAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseDenseToSparse_convert");
    const cusparseStatus_t s = check(handle, matB, matA, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (matB->nnz && !sparse_complete(matB))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!convertible(matB->format)) {
        bool by_columns;
        int kind;
        struct sparse_view v = sparse_view(matB, 0, &by_columns, &kind);
        struct sparse_dense d = along(matA, false);
        return sparse_status(sparse_run(handle, header, sparse_warp_grid(v.lines), threads,
                                        (void *[]){&v, &d}, "from_dense<%s<%s, %s>, %s>",
                                        sparse_walk(kind), sparse_index(matB->offset_type),
                                        sparse_index(matB->index_type), sparse_type(matB->type)));
    }
    struct source from;
    void *offsets, *scratch;
    enum tern_error e = begin(handle, matA, matB, &from, &offsets, &scratch, NULL);
    if (!e)
        e = keep_fill(handle, &from, offsets, matB->base, matB->offset_type,
                      matB->format == CUSPARSE_FORMAT_COO ? matB->offsets : NULL, matB->indices,
                      matB->index_type, matB->values);
    lib_scratch_free(handle->stream, scratch);
    return sparse_status(e);
}

/* ---- counts of a dense matrix ---- */

static cusparseStatus_t check_sizes(cusparseHandle_t h, int m, int n,
                                    const struct cusparseMatDescr *descr)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    return m < 0 || n < 0 ? CUSPARSE_STATUS_INVALID_VALUE : sparse_general(descr);
}

cusparseStatus_t sparse_nnz(cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA,
                            int m, int n, const cusparseMatDescr_t descrA, const void *A, int lda,
                            int *nnzPerRowCol, int *nnzTotalDevHostPtr)
{
    const cusparseStatus_t s = check_sizes(handle, m, n, descrA);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    const bool rows = dirA == CUSPARSE_DIRECTION_ROW;
    if (lda < m || (unsigned)dirA > CUSPARSE_DIRECTION_COLUMN || !nnzTotalDevHostPtr ||
        (m && n && !A) || ((rows ? m : n) && !nnzPerRowCol))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct source from =
        dense_source(type, rows ? m : n, rows ? n : m, A, rows ? 1 : lda, rows ? lda : 1);
    void *offsets;
    enum tern_error e =
        lib_scratch(handle->stream, ((size_t)from.v.lines + 1) * sizeof(int), &offsets);
    if (!e)
        e = keep_counts(handle, &from, nnzPerRowCol, CUSPARSE_INDEX_32I);
    if (!e)
        e = keep_offsets(handle, &from, offsets, 0, CUSPARSE_INDEX_32I, NULL);
    if (!e)
        e = put_total(handle, offsets, from.v.lines, 0, nnzTotalDevHostPtr);
    lib_scratch_free(handle->stream, offsets);
    return sparse_status(e);
}

/* ---- small elements left out, with a tolerance by value ---- */

static struct sparse_scalar tolerance_of(enum lib_type t, const void *tol)
{
    return sparse_constant(real_of(t) == LIB_F32 ? (double)*(const float *)tol
                                                 : *(const double *)tol);
}

cusparseStatus_t sparse_nnz_compress(cusparseHandle_t handle, enum lib_type type, int m,
                                     const cusparseMatDescr_t descr, const void *csrSortedValA,
                                     const int *csrSortedRowPtrA, int *nnzPerRow, int *nnzC,
                                     const void *tol)
{
    const cusparseStatus_t s = check_sizes(handle, m, 0, descr);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!nnzC || !tol || (m && (!csrSortedRowPtrA || !nnzPerRow)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct source from =
        row_source(type, m, 0, 0, descr->base, csrSortedRowPtrA, NULL, csrSortedValA);
    from.above = true;
    from.threshold = tolerance_of(type, tol);
    void *offsets;
    enum tern_error e = lib_scratch(handle->stream, ((size_t)m + 1) * sizeof(int), &offsets);
    if (!e)
        e = keep_counts(handle, &from, nnzPerRow, CUSPARSE_INDEX_32I);
    if (!e)
        e = keep_offsets(handle, &from, offsets, 0, CUSPARSE_INDEX_32I, NULL);
    if (!e)
        e = put_total(handle, offsets, m, 0, nnzC);
    lib_scratch_free(handle->stream, offsets);
    return sparse_status(e);
}

cusparseStatus_t sparse_csr2csr_compress(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                         const cusparseMatDescr_t descrA, const void *csrSortedValA,
                                         const int *csrSortedColIndA, const int *csrSortedRowPtrA,
                                         int nnzA, const int *nnzPerRow, void *csrSortedValC,
                                         int *csrSortedColIndC, int *csrSortedRowPtrC,
                                         const void *tol)
{
    (void)nnzPerRow; /* counted again: the tolerance says which */
    const cusparseStatus_t s = check_sizes(handle, m, n, descrA);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (nnzA < 0 || !tol || !csrSortedRowPtrC || (nnzA && !csrSortedValA) ||
        sparse_missing(m, nnzA, csrSortedRowPtrA, csrSortedColIndA))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct source from = row_source(type, m, n, nnzA, descrA->base, csrSortedRowPtrA,
                                    csrSortedColIndA, csrSortedValA);
    from.above = true;
    from.threshold = tolerance_of(type, tol);
    enum tern_error e =
        keep_offsets(handle, &from, csrSortedRowPtrC, descrA->base, CUSPARSE_INDEX_32I, NULL);
    if (!e)
        e = keep_fill(handle, &from, csrSortedRowPtrC, descrA->base, CUSPARSE_INDEX_32I, NULL,
                      csrSortedColIndC, CUSPARSE_INDEX_32I, csrSortedValC);
    return sparse_status(e);
}

/* ---- pruning: a threshold of the caller's, or a share of the elements ---- */

struct pruneInfo {
    int unused; /* the share is found again by each call */
};

cusparseStatus_t cusparseCreatePruneInfo(pruneInfo_t *info)
{
    if (!info)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *info = calloc(1, sizeof **info);
    return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyPruneInfo(pruneInfo_t info)
{
    free(info);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t prune_count(cusparseHandle_t h, struct source *from,
                                    const struct cusparseMatDescr *c, int *offsets, int *total)
{
    if (!offsets || !total)
        return CUSPARSE_STATUS_INVALID_VALUE;
    enum tern_error e = keep_offsets(h, from, offsets, c->base, CUSPARSE_INDEX_32I, NULL);
    if (!e)
        e = put_total(h, offsets, from->v.lines, c->base, total);
    return sparse_status(e);
}

static cusparseStatus_t prune_fill(cusparseHandle_t h, struct source *from,
                                   const struct cusparseMatDescr *c, void *values,
                                   const int *offsets, int *indices)
{
    if (from->v.lines && !offsets)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(keep_fill(h, from, offsets, c->base, CUSPARSE_INDEX_32I, NULL, indices,
                                   CUSPARSE_INDEX_32I, values));
}

/* Of rows * cols elements in order of size the one at `percentage`: those above it are kept. */
static enum tern_error share_threshold(cusparseHandle_t h, enum lib_type t, int64_t rows,
                                       int64_t cols, const void *a, int64_t row, int64_t col,
                                       float percentage, void **scratch, struct sparse_scalar *out)
{
    int64_t n = rows * cols, at = (int64_t)ceil((double)n * ((double)percentage / 100)) - 1;
    at = at < 0 ? 0 : at > n - 1 ? n - 1 : at;
    const bool wide = t == LIB_F64;
    const size_t bytes = lib_types[t].bytes;
    void *places = NULL;
    *out = sparse_constant(0);
    enum tern_error e = lib_scratch(h->stream, (size_t)n * bytes, scratch);
    if (n == 0)
        return e;
    if (!e)
        e = lib_scratch(h->stream, (size_t)n * sizeof(int), &places);
    if (!e)
        e = sparse_run(h, header, sparse_grid(n), threads,
                       (void *[]){&rows, &cols, &a, &row, &col, scratch}, "size_keys<%s, %s>",
                       sparse_type(t), wide ? "unsigned long long" : "unsigned");
    if (!e)
        e = sparse_sort(h, *scratch, wide, wide ? 63 : 31, places, CUSPARSE_INDEX_32I, n);
    lib_scratch_free(h->stream, places);
    out->at = (char *)*scratch + (size_t)at * bytes;
    return e;
}

/* The matrix that is pruned: dense, or rows. */
struct pruned {
    bool dense;
    const void *values;
    int lda, nnz;
    const struct cusparseMatDescr *descr;
    const int *offsets, *indices;
};
#define DENSE(A, lda) (&(struct pruned){true, A, lda, 0, NULL, NULL, NULL})
#define ROWS(nnz, d, values, offsets, indices)                                                     \
    (&(struct pruned){false, values, 0, nnz, d, offsets, indices})

/* by: what says which elements go, a threshold or an object. c: of the result. */
static cusparseStatus_t check_prune(cusparseHandle_t h, int m, int n, const struct pruned *a,
                                    const void *by, const struct cusparseMatDescr *c)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (m < 0 || n < 0 || !by)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->dense ? a->lda < m || (m && n && !a->values)
                 : a->nnz < 0 || (a->nnz && !a->values) ||
                       sparse_missing(m, a->nnz, a->offsets, a->indices))
        return CUSPARSE_STATUS_INVALID_VALUE;
    s = a->dense ? s : sparse_general(a->descr);
    return s == CUSPARSE_STATUS_SUCCESS ? sparse_general(c) : s;
}

static struct source prune_dense(enum lib_type t, int m, int n, const void *A, int lda)
{
    struct source s = dense_source(t, m, n, A, 1, lda);
    s.above = true;
    return s;
}

static struct source prune_rows(enum lib_type t, int m, int n, int nnz,
                                const struct cusparseMatDescr *d, const int *offsets,
                                const int *indices, const void *values)
{
    struct source s = row_source(t, m, n, nnz, d->base, offsets, indices, values);
    s.above = true;
    return s;
}

cusparseStatus_t sparse_prune_dense2csr_buffer_size_ext(cusparseHandle_t handle, enum lib_type type,
                                                        int m, int n, const void *A, int lda,
                                                        const void *threshold,
                                                        const cusparseMatDescr_t descrC,
                                                        const void *valC, const int *offsetsC,
                                                        const int *indicesC, size_t *bytes)
{
    (void)type, (void)valC, (void)offsetsC, (void)indicesC;
    return put_size(check_prune(handle, m, n, DENSE(A, lda), threshold, descrC), bytes);
}

cusparseStatus_t sparse_prune_dense2csr_nnz(cusparseHandle_t handle, enum lib_type type, int m,
                                            int n, const void *A, int lda, const void *threshold,
                                            const cusparseMatDescr_t descrC, int *csrRowPtrC,
                                            int *total, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check_prune(handle, m, n, DENSE(A, lda), threshold, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_dense(type, m, n, A, lda);
    from.threshold = sparse_scalar(handle, type, threshold);
    return prune_count(handle, &from, descrC, csrRowPtrC, total);
}

cusparseStatus_t sparse_prune_dense2csr(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                        const void *A, int lda, const void *threshold,
                                        const cusparseMatDescr_t descrC, void *valC,
                                        const int *offsetsC, int *indicesC, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check_prune(handle, m, n, DENSE(A, lda), threshold, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_dense(type, m, n, A, lda);
    from.threshold = sparse_scalar(handle, type, threshold);
    return prune_fill(handle, &from, descrC, valC, offsetsC, indicesC);
}

cusparseStatus_t sparse_prune_csr2csr_buffer_size_ext(
    cusparseHandle_t handle, enum lib_type type, int m, int n, int nnzA,
    const cusparseMatDescr_t descrA, const void *valA, const int *offsetsA, const int *indicesA,
    const void *threshold, const cusparseMatDescr_t descrC, const void *valC, const int *offsetsC,
    const int *indicesC, size_t *bytes)
{
    (void)type, (void)valC, (void)offsetsC, (void)indicesC;
    return put_size(
        check_prune(handle, m, n, ROWS(nnzA, descrA, valA, offsetsA, indicesA), threshold, descrC),
        bytes);
}

cusparseStatus_t sparse_prune_csr2csr_nnz(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                          int nnzA, const cusparseMatDescr_t descrA,
                                          const void *valA, const int *offsetsA,
                                          const int *indicesA, const void *threshold,
                                          const cusparseMatDescr_t descrC, int *offsetsC,
                                          int *total, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s =
        check_prune(handle, m, n, ROWS(nnzA, descrA, valA, offsetsA, indicesA), threshold, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_rows(type, m, n, nnzA, descrA, offsetsA, indicesA, valA);
    from.threshold = sparse_scalar(handle, type, threshold);
    return prune_count(handle, &from, descrC, offsetsC, total);
}

cusparseStatus_t sparse_prune_csr2csr(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                      int nnzA, const cusparseMatDescr_t descrA, const void *valA,
                                      const int *offsetsA, const int *indicesA,
                                      const void *threshold, const cusparseMatDescr_t descrC,
                                      void *valC, const int *offsetsC, int *indicesC, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s =
        check_prune(handle, m, n, ROWS(nnzA, descrA, valA, offsetsA, indicesA), threshold, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_rows(type, m, n, nnzA, descrA, offsetsA, indicesA, valA);
    from.threshold = sparse_scalar(handle, type, threshold);
    return prune_fill(handle, &from, descrC, valC, offsetsC, indicesC);
}

static cusparseStatus_t check_share(cusparseHandle_t h, int m, int n, const struct pruned *a,
                                    float percentage, const void *info,
                                    const struct cusparseMatDescr *c)
{
    const cusparseStatus_t s = check_prune(h, m, n, a, info, c);
    return s == CUSPARSE_STATUS_SUCCESS && !(percentage >= 0 && percentage <= 100)
               ? CUSPARSE_STATUS_INVALID_VALUE
               : s;
}

cusparseStatus_t sparse_prune_dense2csr_by_percentage_buffer_size_ext(
    cusparseHandle_t handle, enum lib_type type, int m, int n, const void *A, int lda,
    float percentage, const cusparseMatDescr_t descrC, const void *valC, const int *offsetsC,
    const int *indicesC, pruneInfo_t info, size_t *bytes)
{
    (void)type, (void)valC, (void)offsetsC, (void)indicesC;
    return put_size(check_share(handle, m, n, DENSE(A, lda), percentage, info, descrC), bytes);
}

cusparseStatus_t sparse_prune_dense2csr_nnz_by_percentage(cusparseHandle_t handle,
                                                          enum lib_type type, int m, int n,
                                                          const void *A, int lda, float percentage,
                                                          const cusparseMatDescr_t descrC,
                                                          int *csrRowPtrC, int *total,
                                                          pruneInfo_t info, void *pBuffer)
{
    (void)pBuffer;
    cusparseStatus_t s = check_share(handle, m, n, DENSE(A, lda), percentage, info, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_dense(type, m, n, A, lda);
    void *scratch = NULL;
    const enum tern_error e =
        share_threshold(handle, type, m, n, A, 1, lda, percentage, &scratch, &from.threshold);
    s = e ? sparse_status(e) : prune_count(handle, &from, descrC, csrRowPtrC, total);
    lib_scratch_free(handle->stream, scratch);
    return s;
}

cusparseStatus_t sparse_prune_dense2csr_by_percentage(cusparseHandle_t handle, enum lib_type type,
                                                      int m, int n, const void *A, int lda,
                                                      float percentage,
                                                      const cusparseMatDescr_t descrC, void *valC,
                                                      const int *offsetsC, int *indicesC,
                                                      pruneInfo_t info, void *pBuffer)
{
    (void)pBuffer;
    cusparseStatus_t s = check_share(handle, m, n, DENSE(A, lda), percentage, info, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_dense(type, m, n, A, lda);
    void *scratch = NULL;
    const enum tern_error e =
        share_threshold(handle, type, m, n, A, 1, lda, percentage, &scratch, &from.threshold);
    s = e ? sparse_status(e) : prune_fill(handle, &from, descrC, valC, offsetsC, indicesC);
    lib_scratch_free(handle->stream, scratch);
    return s;
}

cusparseStatus_t sparse_prune_csr2csr_by_percentage_buffer_size_ext(
    cusparseHandle_t handle, enum lib_type type, int m, int n, int nnzA,
    const cusparseMatDescr_t descrA, const void *valA, const int *offsetsA, const int *indicesA,
    float percentage, const cusparseMatDescr_t descrC, const void *valC, const int *offsetsC,
    const int *indicesC, pruneInfo_t info, size_t *bytes)
{
    (void)type, (void)valC, (void)offsetsC, (void)indicesC;
    return put_size(check_share(handle, m, n, ROWS(nnzA, descrA, valA, offsetsA, indicesA),
                                percentage, info, descrC),
                    bytes);
}

cusparseStatus_t
sparse_prune_csr2csr_nnz_by_percentage(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                       int nnzA, const cusparseMatDescr_t descrA, const void *valA,
                                       const int *offsetsA, const int *indicesA, float percentage,
                                       const cusparseMatDescr_t descrC, int *offsetsC, int *total,
                                       pruneInfo_t info, void *pBuffer)
{
    (void)pBuffer;
    cusparseStatus_t s = check_share(handle, m, n, ROWS(nnzA, descrA, valA, offsetsA, indicesA),
                                     percentage, info, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_rows(type, m, n, nnzA, descrA, offsetsA, indicesA, valA);
    void *scratch = NULL;
    const enum tern_error e = share_threshold(handle, type, nnzA, 1, valA, 1, nnzA, percentage,
                                              &scratch, &from.threshold);
    s = e ? sparse_status(e) : prune_count(handle, &from, descrC, offsetsC, total);
    lib_scratch_free(handle->stream, scratch);
    return s;
}

cusparseStatus_t
sparse_prune_csr2csr_by_percentage(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                   int nnzA, const cusparseMatDescr_t descrA, const void *valA,
                                   const int *offsetsA, const int *indicesA, float percentage,
                                   const cusparseMatDescr_t descrC, void *valC, const int *offsetsC,
                                   int *indicesC, pruneInfo_t info, void *pBuffer)
{
    (void)pBuffer;
    cusparseStatus_t s = check_share(handle, m, n, ROWS(nnzA, descrA, valA, offsetsA, indicesA),
                                     percentage, info, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    struct source from = prune_rows(type, m, n, nnzA, descrA, offsetsA, indicesA, valA);
    void *scratch = NULL;
    const enum tern_error e = share_threshold(handle, type, nnzA, 1, valA, 1, nnzA, percentage,
                                              &scratch, &from.threshold);
    s = e ? sparse_status(e) : prune_fill(handle, &from, descrC, valC, offsetsC, indicesC);
    lib_scratch_free(handle->stream, scratch);
    return s;
}

/* ---- sums ---- */

struct addend {
    const struct cusparseMatDescr *descr;
    int nnz;
    const int *offsets, *indices;
};

static cusparseStatus_t check_sum(cusparseHandle_t h, int m, int n, const struct addend *a,
                                  const struct addend *b, const struct cusparseMatDescr *c)
{
    cusparseStatus_t s = check_sizes(h, m, n, a->descr);
    for (const struct addend *x = a; x && s == CUSPARSE_STATUS_SUCCESS; x = x == a ? b : NULL)
        s = x->nnz < 0 || sparse_missing(m, x->nnz, x->offsets, x->indices)
                ? CUSPARSE_STATUS_INVALID_VALUE
                : sparse_general(x->descr);
    return s == CUSPARSE_STATUS_SUCCESS ? sparse_general(c) : s;
}

cusparseStatus_t sparse_csrgeam2_buffer_size_ext(
    cusparseHandle_t handle, enum lib_type type, int m, int n, const void *alpha,
    const cusparseMatDescr_t descrA, int nnzA, const void *valA, const int *offsetsA,
    const int *indicesA, const void *beta, const cusparseMatDescr_t descrB, int nnzB,
    const void *valB, const int *offsetsB, const int *indicesB, const cusparseMatDescr_t descrC,
    const void *valC, const int *offsetsC, const int *indicesC, size_t *bytes)
{
    (void)type, (void)valA, (void)valB, (void)valC, (void)offsetsC, (void)indicesC;
    const struct addend a = {descrA, nnzA, offsetsA, indicesA},
                        b = {descrB, nnzB, offsetsB, indicesB};
    return put_size(!alpha || !beta ? CUSPARSE_STATUS_INVALID_VALUE
                                    : check_sum(handle, m, n, &a, &b, descrC),
                    bytes);
}

cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n,
                                      const cusparseMatDescr_t descrA, int nnzA,
                                      const int *offsetsA, const int *indicesA,
                                      const cusparseMatDescr_t descrB, int nnzB,
                                      const int *offsetsB, const int *indicesB,
                                      const cusparseMatDescr_t descrC, int *offsetsC,
                                      int *nnzTotalDevHostPtr, void *workspace)
{
    (void)workspace;
    sparse_log("cusparseXcsrgeam2Nnz");
    const struct addend x = {descrA, nnzA, offsetsA, indicesA},
                        y = {descrB, nnzB, offsetsB, indicesB};
    const cusparseStatus_t s = check_sum(handle, m, n, &x, &y, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!offsetsC || !nnzTotalDevHostPtr)
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct source a = row_source(LIB_F32, m, n, nnzA, descrA->base, offsetsA, indicesA, NULL),
                  b = row_source(LIB_F32, m, n, nnzB, descrB->base, offsetsB, indicesB, NULL);
    enum tern_error e = sparse_run(handle, header, sparse_grid(m), threads,
                                   (void *[]){&a.v, &b.v, &offsetsC}, "geam_counts");
    if (!e)
        e = sparse_scan(handle, offsetsC, m, descrC->base, CUSPARSE_INDEX_32I);
    if (!e)
        e = put_total(handle, offsetsC, m, descrC->base, nnzTotalDevHostPtr);
    return sparse_status(e);
}

cusparseStatus_t sparse_csrgeam2(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                 const void *alpha, const cusparseMatDescr_t descrA, int nnzA,
                                 const void *valA, const int *offsetsA, const int *indicesA,
                                 const void *beta, const cusparseMatDescr_t descrB, int nnzB,
                                 const void *valB, const int *offsetsB, const int *indicesB,
                                 const cusparseMatDescr_t descrC, void *valC, int *offsetsC,
                                 int *indicesC, void *pBuffer)
{
    (void)pBuffer;
    const struct addend first = {descrA, nnzA, offsetsA, indicesA},
                        second = {descrB, nnzB, offsetsB, indicesB};
    const cusparseStatus_t s = check_sum(handle, m, n, &first, &second, descrC);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || !beta || (nnzA && !valA) || (nnzB && !valB) || (m && !offsetsC) ||
        (nnzA + (int64_t)nnzB && (!valC || !indicesC)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    struct source a = row_source(type, m, n, nnzA, descrA->base, offsetsA, indicesA, valA),
                  b = row_source(type, m, n, nnzB, descrB->base, offsetsB, indicesB, valB);
    struct sparse_scalar x = sparse_scalar(handle, type, alpha),
                         y = sparse_scalar(handle, type, beta);
    int64_t base = descrC->base;
    return sparse_status(
        sparse_run(handle, header, sparse_grid(m), threads,
                   (void *[]){&a.v, &b.v, &x, &y, &offsetsC, &base, &indicesC, &valC},
                   "geam_fill<%s>", sparse_type(type)));
}

/* ---- sampled products ---- */

static cusparseStatus_t check_sampled(cusparseHandle_t h, cusparseOperation_t opA,
                                      cusparseOperation_t opB, const void *alpha,
                                      cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                      const void *beta, cusparseConstSpMatDescr_t c,
                                      cudaDataType compute, cusparseSDDMMAlg_t alg,
                                      struct sparse_types *t)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!alpha || !beta || !a || !b || !c || !sparse_op_known(opA) || !sparse_op_known(opB) ||
        alg != CUSPARSE_SDDMM_ALG_DEFAULT || !sparse_complete(c))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool plain_a = opA == CUSPARSE_OPERATION_NON_TRANSPOSE,
               plain_b = opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    if ((plain_a ? a->rows : a->cols) != c->rows || (plain_b ? b->cols : b->rows) != c->cols ||
        (plain_a ? a->cols : a->rows) != (plain_b ? b->rows : b->cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if ((a->batch > 1 && a->batch != c->batch) || (b->batch > 1 && b->batch != c->batch) ||
        (c->batch > 1 && !c->values_stride))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (a->type != b->type || !sparse_types_of(a->type, b->type, c->type, compute, t) ||
        c->format == CUSPARSE_FORMAT_SLICED_ELLPACK)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return s;
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, const void *alpha,
                                          cusparseConstDnMatDescr_t matA,
                                          cusparseConstDnMatDescr_t matB, const void *beta,
                                          cusparseSpMatDescr_t matC, cudaDataType computeType,
                                          cusparseSDDMMAlg_t alg, size_t *bufferSize)
{
    struct sparse_types t;
    return put_size(
        check_sampled(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, &t),
        bufferSize);
}

cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, const void *alpha,
                                          cusparseConstDnMatDescr_t matA,
                                          cusparseConstDnMatDescr_t matB, const void *beta,
                                          cusparseSpMatDescr_t matC, cudaDataType computeType,
                                          cusparseSDDMMAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer;
    struct sparse_types t;
    return check_sampled(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, &t);
}

static enum tern_error sampled(const struct cusparseContext *h, const struct sparse_types *t,
                               const struct cusparseSpMatDescr *c, int64_t k, struct sparse_dense a,
                               struct sparse_dense b, int64_t inner, struct sparse_scalar alpha,
                               struct sparse_scalar beta)
{
    bool by_columns;
    int kind;
    void *scratch = NULL;
    struct sparse_view v = sparse_view(c, k, &by_columns, &kind);
    enum tern_error e = TERN_OK;
    if (c->format == CUSPARSE_FORMAT_COO) {
        const void *rows_of = v.offsets;
        e = lib_scratch(h->stream, ((size_t)v.lines + 1) * sparse_index_bytes(c->offset_type),
                        &scratch);
        v.offsets = scratch;
        if (!e)
            e = sparse_offsets(h, rows_of, c->nnz, v.lines, c->base, c->base, scratch,
                               c->index_type, c->offset_type);
    }
    a.conj = a.conj && lib_types[t->a].complex;
    b.conj = b.conj && lib_types[t->a].complex;
    int turned = by_columns;
    if (!e)
        e = sparse_run(h, header, (tern_dim){(uint32_t)(v.lines > 65535 ? 65535 : v.lines)},
                       threads, (void *[]){&v, &turned, &a, &b, &inner, &alpha, &beta},
                       "sampled<%s<%s, %s>, %s, %s, %s>", sparse_walk(kind),
                       sparse_index(c->offset_type), sparse_index(c->index_type), sparse_type(t->a),
                       sparse_type(t->y), sparse_type(t->sum));
    lib_scratch_free(h->stream, scratch);
    return e;
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA,
                               cusparseOperation_t opB, const void *alpha,
                               cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                               const void *beta, cusparseSpMatDescr_t matC,
                               cudaDataType computeType, cusparseSDDMMAlg_t alg,
                               void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseSDDMM");
    struct sparse_types t;
    const cusparseStatus_t s =
        check_sampled(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, &t);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    const struct sparse_scalar x = sparse_scalar(handle, t.sum, alpha),
                               y = sparse_scalar(handle, t.sum, beta);
    const int64_t inner = opA == CUSPARSE_OPERATION_NON_TRANSPOSE ? matA->cols : matA->rows;
    enum tern_error e = TERN_OK;
    for (int64_t k = 0; k < matC->batch && !e; k++)
        e = sampled(handle, &t, matC, k, sparse_dense(matA, matA->batch > 1 ? k : 0, opA),
                    sparse_dense(matB, matB->batch > 1 ? k : 0, opB), inner, x, y);
    return sparse_status(e);
}
