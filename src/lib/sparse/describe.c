/* Descriptors: what a vector or a matrix is made of. They own no device memory. */
#include <stdlib.h>
#include "lib/sparse/sparse_int.h"

/* The constant forms make the same objects: what may be written to is up to the functions that take
 * them. */
#define MUTABLE(p) ((void *)(uintptr_t)(p))

/* ---- the older calls' descriptors ---- */

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *out)
{
    if (!out)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t d)
{
    free(d);
    return CUSPARSE_STATUS_SUCCESS;
}

#define FIELD(Set, Get, type, field, last)                                                         \
    cusparseStatus_t Set(cusparseMatDescr_t d, type value)                                         \
    {                                                                                              \
        if (!d || (unsigned)value > (last))                                                        \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        d->field = value;                                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    type Get(const cusparseMatDescr_t d)                                                           \
    {                                                                                              \
        return d ? d->field : (type)0;                                                             \
    }
FIELD(cusparseSetMatType, cusparseGetMatType, cusparseMatrixType_t, type,
      CUSPARSE_MATRIX_TYPE_TRIANGULAR)
FIELD(cusparseSetMatFillMode, cusparseGetMatFillMode, cusparseFillMode_t, fill,
      CUSPARSE_FILL_MODE_UPPER)
FIELD(cusparseSetMatDiagType, cusparseGetMatDiagType, cusparseDiagType_t, diag,
      CUSPARSE_DIAG_TYPE_UNIT)
FIELD(cusparseSetMatIndexBase, cusparseGetMatIndexBase, cusparseIndexBase_t, base,
      CUSPARSE_INDEX_BASE_ONE)

cusparseStatus_t sparse_general(const struct cusparseMatDescr *d)
{
    return !d                                        ? CUSPARSE_STATUS_INVALID_VALUE
           : d->type == CUSPARSE_MATRIX_TYPE_GENERAL ? CUSPARSE_STATUS_SUCCESS
                                                     : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

/* ---- what all have ---- */

static bool index_known(cusparseIndexType_t t)
{
    return t == CUSPARSE_INDEX_32I || t == CUSPARSE_INDEX_64I;
}

bool sparse_base_known(cusparseIndexBase_t b)
{
    return b == CUSPARSE_INDEX_BASE_ZERO || b == CUSPARSE_INDEX_BASE_ONE;
}

bool sparse_op_known(cusparseOperation_t op)
{
    return (unsigned)op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

/* Types of elements that kernels have; others are refused when the descriptor is made. */
static bool type_known(cudaDataType given, enum lib_type *t)
{
    if (!lib_type_of(given, t))
        return false;
    return *t <= LIB_I32;
}

static cudaDataType number(enum lib_type t)
{
    return (cudaDataType)lib_types[t].number;
}

size_t sparse_index_bytes(cusparseIndexType_t t)
{
    return t == CUSPARSE_INDEX_64I ? 8 : 4;
}

#define PUT(to, value)                                                                             \
    do {                                                                                           \
        if (!(to))                                                                                 \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        *(to) = (value);                                                                           \
    } while (0)

/* ---- sparse vectors ---- */

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *out, int64_t size, int64_t nnz,
                                     void *indices, void *values, cusparseIndexType_t index,
                                     cusparseIndexBase_t base, cudaDataType type)
{
    enum lib_type t;
    if (!out || size < 0 || nnz < 0 || nnz > size || !sparse_base_known(base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!index_known(index) || !type_known(type, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (nnz && (!indices || !values))
        return CUSPARSE_STATUS_INVALID_VALUE;
    *out = malloc(sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = (struct cusparseSpVecDescr){size, nnz, indices, values, index, base, t};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *out, int64_t size, int64_t nnz,
                                          const void *indices, const void *values,
                                          cusparseIndexType_t index, cusparseIndexBase_t base,
                                          cudaDataType type)
{
    return cusparseCreateSpVec((cusparseSpVecDescr_t *)MUTABLE(out), size, nnz, MUTABLE(indices),
                               MUTABLE(values), index, base, type);
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t d)
{
    free(MUTABLE(d));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t d, int64_t *size, int64_t *nnz,
                                       const void **indices, const void **values,
                                       cusparseIndexType_t *index, cusparseIndexBase_t *base,
                                       cudaDataType *type)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(size, d->size);
    PUT(nnz, d->nnz);
    PUT(indices, d->indices);
    PUT(values, d->values);
    PUT(index, d->index);
    PUT(base, d->base);
    PUT(type, number(d->type));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t d, int64_t *size, int64_t *nnz,
                                  void **indices, void **values, cusparseIndexType_t *index,
                                  cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseConstSpVecGet(d, size, nnz, (const void **)indices, (const void **)values, index,
                                 base, type);
}

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t d, cusparseIndexBase_t *base)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(base, d->base);
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- values: the same three functions for each object ---- */
#define VALUES(Object, Get, ConstGet, Set)                                                         \
    cusparseStatus_t ConstGet(cusparseConst##Object d, const void **values)                        \
    {                                                                                              \
        if (!d)                                                                                    \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        PUT(values, d->values);                                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t Get(cusparse##Object d, void **values)                                        \
    {                                                                                              \
        return ConstGet(d, (const void **)values);                                                 \
    }                                                                                              \
    cusparseStatus_t Set(cusparse##Object d, void *values)                                         \
    {                                                                                              \
        if (!d || !values)                                                                         \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        d->values = values;                                                                        \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
VALUES(SpVecDescr_t, cusparseSpVecGetValues, cusparseConstSpVecGetValues, cusparseSpVecSetValues)
VALUES(DnVecDescr_t, cusparseDnVecGetValues, cusparseConstDnVecGetValues, cusparseDnVecSetValues)
VALUES(SpMatDescr_t, cusparseSpMatGetValues, cusparseConstSpMatGetValues, cusparseSpMatSetValues)
VALUES(DnMatDescr_t, cusparseDnMatGetValues, cusparseConstDnMatGetValues, cusparseDnMatSetValues)

/* ---- dense vectors ---- */

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *out, int64_t size, void *values,
                                     cudaDataType type)
{
    enum lib_type t;
    if (!out || size < 0 || (size && !values))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!type_known(type, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *out = malloc(sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = (struct cusparseDnVecDescr){size, values, t};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *out, int64_t size,
                                          const void *values, cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)MUTABLE(out), size, MUTABLE(values), type);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t d)
{
    free(MUTABLE(d));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t d, int64_t *size,
                                       const void **values, cudaDataType *type)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(size, d->size);
    PUT(values, d->values);
    PUT(type, number(d->type));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t d, int64_t *size, void **values,
                                  cudaDataType *type)
{
    return cusparseConstDnVecGet(d, size, (const void **)values, type);
}

/* ---- sparse matrices ---- */

bool sparse_complete(const struct cusparseSpMatDescr *m)
{
    const bool by_columns = m->format == CUSPARSE_FORMAT_CSC,
               ell = m->format == CUSPARSE_FORMAT_BLOCKED_ELL,
               coo = m->format == CUSPARSE_FORMAT_COO;
    const int64_t entries = m->slice ? m->values_size : m->nnz;
    const int64_t lines = ell ? 0 : coo ? entries : by_columns ? m->cols : m->rows;
    return !sparse_missing(lines, entries, m->offsets, m->indices) && (!entries || m->values);
}

static cusparseStatus_t make(cusparseSpMatDescr_t *out, struct cusparseSpMatDescr m,
                             cudaDataType type)
{
    if (!out || m.rows < 0 || m.cols < 0 || m.nnz < 0 || !sparse_base_known(m.base))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (m.nnz &&
        !sparse_complete(&m)) /* without entries arrays may follow, once counts are known */
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!index_known(m.offset_type) || !index_known(m.index_type) || !type_known(type, &m.type))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    m.batch = 1;
    *out = malloc(sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = m;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols,
                                   int64_t nnz, void *offsets, void *indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    return make(out,
                (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSR,
                                            .rows = rows,
                                            .cols = cols,
                                            .nnz = nnz,
                                            .offsets = offsets,
                                            .indices = indices,
                                            .values = values,
                                            .offset_type = offset_type,
                                            .index_type = index_type,
                                            .base = base},
                type);
}

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t cols,
                                        int64_t nnz, const void *offsets, const void *indices,
                                        const void *values, cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    return cusparseCreateCsr((cusparseSpMatDescr_t *)MUTABLE(out), rows, cols, nnz,
                             MUTABLE(offsets), MUTABLE(indices), MUTABLE(values), offset_type,
                             index_type, base, type);
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols,
                                   int64_t nnz, void *offsets, void *indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type)
{
    const cusparseStatus_t s = cusparseCreateCsr(out, rows, cols, nnz, offsets, indices, values,
                                                 offset_type, index_type, base, type);
    if (s == CUSPARSE_STATUS_SUCCESS)
        (*out)->format = CUSPARSE_FORMAT_CSC;
    return s;
}

cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t cols,
                                        int64_t nnz, const void *offsets, const void *indices,
                                        const void *values, cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type)
{
    return cusparseCreateCsc((cusparseSpMatDescr_t *)MUTABLE(out), rows, cols, nnz,
                             MUTABLE(offsets), MUTABLE(indices), MUTABLE(values), offset_type,
                             index_type, base, type);
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols,
                                   int64_t nnz, void *row_indices, void *indices, void *values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                   cudaDataType type)
{
    const cusparseStatus_t s = cusparseCreateCsr(out, rows, cols, nnz, row_indices, indices, values,
                                                 index_type, index_type, base, type);
    if (s == CUSPARSE_STATUS_SUCCESS)
        (*out)->format = CUSPARSE_FORMAT_COO;
    return s;
}

cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *out, int64_t rows, int64_t cols,
                                        int64_t nnz, const void *row_indices, const void *indices,
                                        const void *values, cusparseIndexType_t index_type,
                                        cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateCoo((cusparseSpMatDescr_t *)MUTABLE(out), rows, cols, nnz,
                             MUTABLE(row_indices), MUTABLE(indices), MUTABLE(values), index_type,
                             base, type);
}

cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *out, int64_t brows, int64_t bcols,
                                   int64_t bnnz, int64_t block_rows, int64_t block_cols,
                                   void *offsets, void *indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type,
                                   cusparseOrder_t order)
{
    if (block_rows <= 0 || block_cols <= 0 ||
        (order != CUSPARSE_ORDER_ROW && order != CUSPARSE_ORDER_COL))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return make(out,
                (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_BSR,
                                            .rows = brows * block_rows,
                                            .cols = bcols * block_cols,
                                            .nnz = bnnz,
                                            .offsets = offsets,
                                            .indices = indices,
                                            .values = values,
                                            .offset_type = offset_type,
                                            .index_type = index_type,
                                            .base = base,
                                            .block_rows = block_rows,
                                            .block_cols = block_cols,
                                            .block_order = order},
                type);
}

cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t *out, int64_t brows,
                                        int64_t bcols, int64_t bnnz, int64_t block_rows,
                                        int64_t block_cols, const void *offsets,
                                        const void *indices, const void *values,
                                        cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateBsr((cusparseSpMatDescr_t *)MUTABLE(out), brows, bcols, bnnz, block_rows,
                             block_cols, MUTABLE(offsets), MUTABLE(indices), MUTABLE(values),
                             offset_type, index_type, base, type, order);
}

cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols,
                                          int64_t block, int64_t ell_cols, void *indices,
                                          void *values, cusparseIndexType_t index_type,
                                          cusparseIndexBase_t base, cudaDataType type)
{
    if (block <= 0 || ell_cols < 0 || ell_cols > cols || ell_cols % block || rows % block ||
        cols % block)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return make(out,
                (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_BLOCKED_ELL,
                                            .rows = rows,
                                            .cols = cols,
                                            .nnz = rows * ell_cols,
                                            .indices = indices,
                                            .values = values,
                                            .offset_type = index_type,
                                            .index_type = index_type,
                                            .base = base,
                                            .block_rows = block,
                                            .block_cols = block,
                                            .block_order = CUSPARSE_ORDER_ROW,
                                            .ell_cols = ell_cols},
                type);
}

cusparseStatus_t cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t *out, int64_t rows,
                                               int64_t cols, int64_t block, int64_t ell_cols,
                                               const void *indices, const void *values,
                                               cusparseIndexType_t index_type,
                                               cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateBlockedEll((cusparseSpMatDescr_t *)MUTABLE(out), rows, cols, block,
                                    ell_cols, MUTABLE(indices), MUTABLE(values), index_type, base,
                                    type);
}

cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols,
                                         int64_t nnz, int64_t values_size, int64_t slice,
                                         void *offsets, void *indices, void *values,
                                         cusparseIndexType_t offset_type,
                                         cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                         cudaDataType type)
{
    if (slice <= 0 || values_size < nnz)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return make(out,
                (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_SLICED_ELLPACK,
                                            .rows = rows,
                                            .cols = cols,
                                            .nnz = nnz,
                                            .offsets = offsets,
                                            .indices = indices,
                                            .values = values,
                                            .offset_type = offset_type,
                                            .index_type = index_type,
                                            .base = base,
                                            .slice = slice,
                                            .values_size = values_size},
                type);
}

cusparseStatus_t cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t *out, int64_t rows,
                                              int64_t cols, int64_t nnz, int64_t values_size,
                                              int64_t slice, const void *offsets,
                                              const void *indices, const void *values,
                                              cusparseIndexType_t offset_type,
                                              cusparseIndexType_t index_type,
                                              cusparseIndexBase_t base, cudaDataType type)
{
    return cusparseCreateSlicedEll((cusparseSpMatDescr_t *)MUTABLE(out), rows, cols, nnz,
                                   values_size, slice, MUTABLE(offsets), MUTABLE(indices),
                                   MUTABLE(values), offset_type, index_type, base, type);
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t d)
{
    free(MUTABLE(d));
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- and back ---- */

static cusparseStatus_t get(cusparseConstSpMatDescr_t d, cusparseFormat_t format, int64_t *rows,
                            int64_t *cols, int64_t *nnz, const void **offsets, const void **indices,
                            const void **values, cusparseIndexType_t *offset_type,
                            cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                            cudaDataType *type)
{
    if (!d || d->format != format)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(rows, d->rows);
    PUT(cols, d->cols);
    PUT(nnz, d->nnz);
    PUT(offsets, d->offsets);
    PUT(indices, d->indices);
    PUT(values, d->values);
    PUT(offset_type, d->offset_type);
    PUT(index_type, d->index_type);
    PUT(base, d->base);
    PUT(type, number(d->type));
    return CUSPARSE_STATUS_SUCCESS;
}

#define COMPRESSED(Get, ConstGet, format)                                                          \
    cusparseStatus_t ConstGet(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols,           \
                              int64_t *nnz, const void **offsets, const void **indices,            \
                              const void **values, cusparseIndexType_t *offset_type,               \
                              cusparseIndexType_t *index_type, cusparseIndexBase_t *base,          \
                              cudaDataType *type)                                                  \
    {                                                                                              \
        return get(d, format, rows, cols, nnz, offsets, indices, values, offset_type, index_type,  \
                   base, type);                                                                    \
    }                                                                                              \
    cusparseStatus_t Get(cusparseSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz,       \
                         void **offsets, void **indices, void **values,                            \
                         cusparseIndexType_t *offset_type, cusparseIndexType_t *index_type,        \
                         cusparseIndexBase_t *base, cudaDataType *type)                            \
    {                                                                                              \
        return get(d, format, rows, cols, nnz, (const void **)offsets, (const void **)indices,     \
                   (const void **)values, offset_type, index_type, base, type);                    \
    }
COMPRESSED(cusparseCsrGet, cusparseConstCsrGet, CUSPARSE_FORMAT_CSR)
COMPRESSED(cusparseCscGet, cusparseConstCscGet, CUSPARSE_FORMAT_CSC)

cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols,
                                     int64_t *nnz, const void **row_indices, const void **indices,
                                     const void **values, cusparseIndexType_t *index_type,
                                     cusparseIndexBase_t *base, cudaDataType *type)
{
    return get(d, CUSPARSE_FORMAT_COO, rows, cols, nnz, row_indices, indices, values, index_type,
               index_type, base, type);
}

cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *nnz,
                                void **row_indices, void **indices, void **values,
                                cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                cudaDataType *type)
{
    return cusparseConstCooGet(d, rows, cols, nnz, (const void **)row_indices,
                               (const void **)indices, (const void **)values, index_type, base,
                               type);
}

cusparseStatus_t cusparseConstBlockedEllGet(cusparseConstSpMatDescr_t d, int64_t *rows,
                                            int64_t *cols, int64_t *block, int64_t *ell_cols,
                                            const void **indices, const void **values,
                                            cusparseIndexType_t *index_type,
                                            cusparseIndexBase_t *base, cudaDataType *type)
{
    if (!d || d->format != CUSPARSE_FORMAT_BLOCKED_ELL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(rows, d->rows);
    PUT(cols, d->cols);
    PUT(block, d->block_rows);
    PUT(ell_cols, d->ell_cols);
    PUT(indices, d->indices);
    PUT(values, d->values);
    PUT(index_type, d->index_type);
    PUT(base, d->base);
    PUT(type, number(d->type));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseBlockedEllGet(cusparseSpMatDescr_t d, int64_t *rows, int64_t *cols,
                                       int64_t *block, int64_t *ell_cols, void **indices,
                                       void **values, cusparseIndexType_t *index_type,
                                       cusparseIndexBase_t *base, cudaDataType *type)
{
    return cusparseConstBlockedEllGet(d, rows, cols, block, ell_cols, (const void **)indices,
                                      (const void **)values, index_type, base, type);
}

static cusparseStatus_t set(cusparseSpMatDescr_t d, cusparseFormat_t format, void *offsets,
                            void *indices, void *values)
{
    if (!d || d->format != format || !offsets || (d->nnz && (!indices || !values)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    d->offsets = offsets;
    d->indices = indices;
    d->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t d, void *offsets, void *indices,
                                        void *values)
{
    return set(d, CUSPARSE_FORMAT_CSR, offsets, indices, values);
}

cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t d, void *offsets, void *indices,
                                        void *values)
{
    return set(d, CUSPARSE_FORMAT_CSC, offsets, indices, values);
}

cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t d, void *rows, void *indices,
                                        void *values)
{
    return set(d, CUSPARSE_FORMAT_COO, rows, indices, values);
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t d, cusparseFormat_t *format)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(format, d->format);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t d, cusparseIndexBase_t *base)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(base, d->base);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t d, int64_t *rows, int64_t *cols,
                                      int64_t *nnz)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(rows, d->rows);
    PUT(cols, d->cols);
    PUT(nnz, d->format == CUSPARSE_FORMAT_BSR ? d->nnz * d->block_rows * d->block_cols : d->nnz);
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- batches and attributes ---- */

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t d, int *count)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(count, d->batch);
    return CUSPARSE_STATUS_SUCCESS;
}

/* Matrices of a batch share an array (0), or have their own. */
static bool too_close(int64_t stride, int64_t size)
{
    return stride < 0 || (stride > 0 && stride < size);
}

/* lines, entries: elements of one matrix's offsets and values */
static cusparseStatus_t set_batch(cusparseSpMatDescr_t d, int count, int64_t offsets,
                                  int64_t indices, int64_t values, int64_t lines, int64_t entries)
{
    if (count < 1 || too_close(offsets, lines) || too_close(indices, d->nnz) ||
        too_close(values, entries))
        return CUSPARSE_STATUS_INVALID_VALUE;
    d->batch = count;
    d->offsets_stride = offsets;
    d->indices_stride = indices;
    d->values_stride = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t d, int count, int64_t stride)
{
    if (!d || d->format != CUSPARSE_FORMAT_COO)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return set_batch(d, count, stride, stride, stride, d->nnz, d->nnz);
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t d, int count, int64_t offsets,
                                            int64_t entries)
{
    if (!d || (d->format != CUSPARSE_FORMAT_CSR && d->format != CUSPARSE_FORMAT_CSC))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return set_batch(d, count, offsets, entries, entries,
                     (d->format == CUSPARSE_FORMAT_CSC ? d->cols : d->rows) + 1, d->nnz);
}

cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t d, int count, int64_t offsets,
                                            int64_t indices, int64_t values)
{
    if (!d || d->format != CUSPARSE_FORMAT_BSR)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return set_batch(d, count, offsets, indices, values, d->rows / d->block_rows + 1,
                     d->nnz * d->block_rows * d->block_cols);
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t d,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    if (!d || !data || size != sizeof(int))
        return CUSPARSE_STATUS_INVALID_VALUE;
    switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE: *(cusparseFillMode_t *)data = d->fill; break;
    case CUSPARSE_SPMAT_DIAG_TYPE: *(cusparseDiagType_t *)data = d->diag; break;
    default: return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t d,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size)
{
    if (!d || !data || size != sizeof(int) || *(unsigned *)data > 1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE: d->fill = *(cusparseFillMode_t *)data; break;
    case CUSPARSE_SPMAT_DIAG_TYPE: d->diag = *(cusparseDiagType_t *)data; break;
    default: return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- dense matrices ---- */

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *out, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType type,
                                     cusparseOrder_t order)
{
    enum lib_type t;
    if (!out || rows < 0 || cols < 0 || (rows && cols && !values) ||
        (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) ||
        ld < (order == CUSPARSE_ORDER_COL ? rows : cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!type_known(type, &t))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    *out = malloc(sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = (struct cusparseDnMatDescr){rows, cols, ld, values, t, order, 1, 0};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *out, int64_t rows,
                                          int64_t cols, int64_t ld, const void *values,
                                          cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)MUTABLE(out), rows, cols, ld,
                               MUTABLE(values), type, order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t d)
{
    free(MUTABLE(d));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t d, int64_t *rows, int64_t *cols,
                                       int64_t *ld, const void **values, cudaDataType *type,
                                       cusparseOrder_t *order)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(rows, d->rows);
    PUT(cols, d->cols);
    PUT(ld, d->ld);
    PUT(values, d->values);
    PUT(type, number(d->type));
    PUT(order, d->order);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t d, int64_t *rows, int64_t *cols, int64_t *ld,
                                  void **values, cudaDataType *type, cusparseOrder_t *order)
{
    return cusparseConstDnMatGet(d, rows, cols, ld, (const void **)values, type, order);
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t d, int count, int64_t stride)
{
    if (!d || count < 1 ||
        too_close(stride, d->ld * (d->order == CUSPARSE_ORDER_COL ? d->cols : d->rows)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    d->batch = count;
    d->stride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t d, int *count,
                                              int64_t *stride)
{
    if (!d)
        return CUSPARSE_STATUS_INVALID_VALUE;
    PUT(count, d->batch);
    PUT(stride, d->stride);
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- as kernels have them ---- */

static void *at(const void *p, int64_t elements, size_t bytes)
{
    return p ? (char *)MUTABLE(p) + elements * (int64_t)bytes : NULL;
}

struct sparse_view sparse_view(const struct cusparseSpMatDescr *m, int64_t batch, bool *by_columns,
                               int *kind)
{
    *by_columns = m->format == CUSPARSE_FORMAT_CSC;
    struct sparse_view v = {
        .offsets = at(m->offsets, batch * m->offsets_stride, sparse_index_bytes(m->offset_type)),
        .indices = at(m->indices, batch * m->indices_stride, sparse_index_bytes(m->index_type)),
        .values = at(m->values, batch * m->values_stride, lib_types[m->type].bytes),
        .lines = *by_columns ? m->cols : m->rows,
        .width = *by_columns ? m->rows : m->cols,
        .entries = m->nnz,
        .base = m->base,
        .slice = m->slice ? m->slice : 1,
        .down = m->block_rows ? m->block_rows : 1,
        .across = m->block_cols ? m->block_cols : 1,
        .ell = m->ell_cols,
        .block_by_columns = m->block_order == CUSPARSE_ORDER_COL,
    };
    switch (m->format) {
    case CUSPARSE_FORMAT_BSR:
        *kind = SPARSE_BSR;
        v.entries = m->nnz * m->block_rows * m->block_cols;
        break;
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
        *kind = SPARSE_SELL;
        v.entries = m->values_size;
        break;
    case CUSPARSE_FORMAT_BLOCKED_ELL: *kind = SPARSE_ELL; break;
    default: *kind = SPARSE_CSR;
    }
    return v;
}

struct sparse_dense sparse_dense(const struct cusparseDnMatDescr *m, int64_t batch,
                                 cusparseOperation_t op)
{
    const bool columns =
        (m->order == CUSPARSE_ORDER_COL) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
    return (struct sparse_dense){
        .p = at(m->values, batch * m->stride, lib_types[m->type].bytes),
        .row = columns ? 1 : m->ld,
        .col = columns ? m->ld : 1,
        .conj = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
    };
}
