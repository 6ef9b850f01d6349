/* Sparse by dense, vectors and matrices: which kernels do it. */
#include <stdio.h>
#include "lib/sparse/sparse_int.h"

static const char header[] = "sparse/product.h";

enum {
    ROWS_THREADS = 256, /* as product.h has it */
    SEARCHERS = 8,      /* and this */
    MOST_PARTS = 8192,  /* warps for parts of long rows; they go on with others */
    NOTE =
        256, /* bytes that buffers are said to need: scratch memory comes from the stream's pool */
};

/* ---- types ---- */

/* Matrix, vector, result and sum: the combinations that cuSPARSE has. */
static const struct sparse_types combinations[] = {
    {LIB_F32, LIB_F32, LIB_F32, LIB_F32},   {LIB_F64, LIB_F64, LIB_F64, LIB_F64},
    {LIB_C32, LIB_C32, LIB_C32, LIB_C32},   {LIB_C64, LIB_C64, LIB_C64, LIB_C64},
    {LIB_I8, LIB_I8, LIB_I32, LIB_I32},     {LIB_I8, LIB_I8, LIB_F32, LIB_F32},
    {LIB_F16, LIB_F16, LIB_F32, LIB_F32},   {LIB_F16, LIB_F16, LIB_F16, LIB_F32},
    {LIB_BF16, LIB_BF16, LIB_F32, LIB_F32}, {LIB_BF16, LIB_BF16, LIB_BF16, LIB_F32},
    {LIB_F32, LIB_F64, LIB_F64, LIB_F64},   {LIB_F32, LIB_C32, LIB_C32, LIB_C32},
    {LIB_F64, LIB_C64, LIB_C64, LIB_C64},
};

bool sparse_types_of(enum lib_type a, enum lib_type x, enum lib_type y, cudaDataType compute,
                     struct sparse_types *t)
{
    enum lib_type sum;
    if (!lib_type_of(compute, &sum))
        return false;
    *t = (struct sparse_types){a, x, y, sum};
    for (size_t k = 0; k < sizeof combinations / sizeof *combinations; k++) {
        const struct sparse_types *c = &combinations[k];
        if (c->a == a && c->x == x && c->y == y && c->sum == sum)
            return true;
    }
    return false;
}

/* ---- the sparse operand ---- */

struct operand {
    struct sparse_view v;
    bool along, coo; /* coo: across, entries in any order */
    int kind, conj;
    cusparseIndexType_t offset_type, index_type;
    void *scratch;
    char walk[64];
};

static enum tern_error operand_begin(const struct cusparseContext *h,
                                     const struct cusparseSpMatDescr *m, int64_t batch,
                                     cusparseOperation_t op, struct operand *o)
{
    bool by_columns;
    *o = (struct operand){.offset_type = m->offset_type, .index_type = m->index_type};
    o->v = sparse_view(m, batch, &by_columns, &o->kind);
    o->along = (op == CUSPARSE_OPERATION_NON_TRANSPOSE) != by_columns;
    o->conj = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && lib_types[m->type].complex;
    snprintf(o->walk, sizeof o->walk, "%s<%s, %s>", sparse_walk(o->kind),
             sparse_index(o->offset_type), sparse_index(o->index_type));
    if (m->format != CUSPARSE_FORMAT_COO)
        return TERN_OK;
    o->coo = !o->along;
    if (o->coo)
        return TERN_OK;
    const void *rows_of = o->v.offsets;
    const enum tern_error e = lib_scratch(
        h->stream, (size_t)(m->rows + 1) * sparse_index_bytes(o->offset_type), &o->scratch);
    o->v.offsets = o->scratch;
    return e ? e
             : sparse_offsets(h, rows_of, m->nnz, m->rows, m->base, m->base, o->scratch,
                              o->index_type, o->offset_type);
}

static void operand_end(const struct cusparseContext *h, struct operand *o)
{
    lib_scratch_free(h->stream, o->scratch);
}

/* ---- vectors ---- */

/* Shares of rows and entries together (device/sparse/product.h): where each begins; and the line
 * that it carries on is where the next one begins. */
struct shares {
    int64_t each, tiles;
    void *starts, *carried, *sums; /* sums: `columns` of each share, for the line that goes on */
};

static enum tern_error shares_begin(const struct cusparseContext *h, struct operand *o,
                                    const struct sparse_types *t, int64_t each, int64_t columns,
                                    struct shares *s)
{
    const int64_t all = o->v.lines + o->v.entries;
    *s = (struct shares){.each = each, .tiles = (all + each - 1) / each};
    enum tern_error e = lib_scratch(h->stream, (size_t)(s->tiles + 1) * 8, &s->starts);
    if (!e)
        e = lib_scratch(h->stream, (size_t)(s->tiles * columns) * lib_types[t->sum].bytes,
                        &s->sums);
    s->carried = s->starts ? (char *)s->starts + 8 : NULL;
    if (!e)
        e = sparse_run(h, header, sparse_grid((s->tiles + 1) * SEARCHERS),
                       (tern_dim){SPARSE_THREADS},
                       (void *[]){&o->v, &s->each, &s->tiles, &s->starts}, "merge_starts<%s>",
                       sparse_index(o->offset_type));
    return e;
}

static void shares_end(const struct cusparseContext *h, struct shares *s)
{
    lib_scratch_free(h->stream, s->sums);
    lib_scratch_free(h->stream, s->starts);
}

/* As many rows a warp as have ENTRIES together; what a warp does not take of a row is left to
 * parts. */
static enum tern_error by_rows(const struct cusparseContext *h, struct operand *o,
                               const struct sparse_types *t, const void *x,
                               struct sparse_scalar alpha, struct sparse_scalar beta, void *y)
{
    enum { ENTRIES = 512, LEAST = 512, MOST = 2048, WARPS = ROWS_THREADS / SPARSE_WARP };
    const int64_t entries = o->v.entries, lines = o->v.lines, twice = 2 * entries / lines;
    int most = twice < LEAST ? LEAST : twice > MOST ? MOST : (int)twice, rows = SPARSE_WARP;
    while (rows > 1 && entries / lines * rows > ENTRIES)
        rows /= 2;
    /* A row that is cut has more than `most` entries, so it has at most twice as many parts as
     * would fill them. */
    const size_t bound = entries > most ? (size_t)(entries / most + 1) * 2 : 0, head = 256;
    char *memory = NULL;
    enum tern_error e = TERN_OK;
    if (bound)
        e = lib_scratch(h->stream,
                        head + bound * (sizeof(struct sparse_part) + lib_types[t->sum].bytes +
                                        sizeof(uint32_t)),
                        (void **)&memory);
    if (!e && bound)
        e = lib_error(cudaMemsetAsync(memory, 0, sizeof(uint32_t), h->stream));
    void *count = memory, *parts = memory ? memory + head : NULL,
         *sums = memory ? (char *)parts + bound * sizeof(struct sparse_part) : NULL,
         *done = memory ? (char *)sums + bound * lib_types[t->sum].bytes : NULL;
    const char *types[] = {sparse_index(o->offset_type),
                           sparse_index(o->index_type),
                           sparse_type(t->a),
                           sparse_type(t->x),
                           sparse_type(t->y),
                           sparse_type(t->sum)};
    if (!e)
        e = sparse_run(
            h, header, lib_blocks((lines + rows - 1) / rows, WARPS), (tern_dim){ROWS_THREADS},
            (void *[]){&o->v, &o->conj, &x, &alpha, &beta, &y, &rows, &most, &parts, &count, &done},
            "mv_rows<%s, %s, %s, %s, %s, %s>", types[0], types[1], types[2], types[3], types[4],
            types[5]);
    if (!e && bound)
        e = sparse_run(
            h, header, lib_blocks(bound < MOST_PARTS ? (int64_t)bound : MOST_PARTS, WARPS),
            (tern_dim){ROWS_THREADS},
            (void *[]){&o->v, &o->conj, &x, &alpha, &beta, &y, &most, &parts, &count, &sums, &done},
            "mv_parts<%s, %s, %s, %s, %s, %s>", types[0], types[1], types[2], types[3], types[4],
            types[5]);
    lib_scratch_free(h->stream, memory);
    return e;
}

/* n by `columns` sums of zero. */
static enum tern_error sums_begin(const struct cusparseContext *h, const struct sparse_types *t,
                                  int64_t n, void **sums)
{
    const size_t bytes = (size_t)n * lib_types[t->sum].bytes;
    enum tern_error e = lib_scratch(h->stream, bytes, sums);
    if (!e && bytes)
        e = lib_error(cudaMemsetAsync(*sums, 0, bytes, h->stream));
    return e;
}

static enum tern_error vector_across(const struct cusparseContext *h, struct operand *o,
                                     const struct sparse_types *t, const void *x,
                                     struct sparse_scalar alpha, struct sparse_scalar beta, void *y)
{
    const tern_dim threads = {SPARSE_THREADS};
    void *sums;
    enum tern_error e = sums_begin(h, t, o->v.width, &sums);
    if (!e && o->coo)
        e = sparse_run(h, header, sparse_grid(o->v.entries), threads,
                       (void *[]){&o->v.entries, &o->v.offsets, &o->v.indices, &o->v.values,
                                  &o->v.base, &o->conj, &x, &sums},
                       "coo_across<%s, %s, %s, %s>", sparse_index(o->index_type), sparse_type(t->a),
                       sparse_type(t->x), sparse_type(t->sum));
    else if (!e)
        e = sparse_run(h, header, sparse_warp_grid(o->v.lines), threads,
                       (void *[]){&o->v, &o->conj, &x, &sums}, "mv_across<%s, %s, %s, %s>", o->walk,
                       sparse_type(t->a), sparse_type(t->x), sparse_type(t->sum));
    if (!e)
        e = sparse_run(h, header, sparse_grid(o->v.width), threads,
                       (void *[]){&o->v.width, &sums, &alpha, &beta, &y}, "mv_finish<%s, %s>",
                       sparse_type(t->sum), sparse_type(t->y));
    lib_scratch_free(h->stream, sums);
    return e;
}

/* On the CPU, rows of float and double: C functions. */
static enum tern_error by_host(const struct cusparseContext *h, const struct operand *o,
                               const struct sparse_types *t, const void *x,
                               struct sparse_scalar alpha, struct sparse_scalar beta, void *y)
{
    if (!h->device.host_path || o->kind != SPARSE_CSR || !o->along || t->a != t->sum ||
        t->x != t->sum || t->y != t->sum)
        return TERN_UNSUPPORTED;
    return sparse_host_mv(
        h, &(struct sparse_host_mv){.a = o->v,
                                    .wide_offsets = o->offset_type == CUSPARSE_INDEX_64I,
                                    .wide_indices = o->index_type == CUSPARSE_INDEX_64I,
                                    .type = t->sum,
                                    .x = x,
                                    .y = y,
                                    .alpha = alpha,
                                    .beta = beta});
}

static enum tern_error vector(const struct cusparseContext *h, const struct cusparseSpMatDescr *m,
                              cusparseOperation_t op, const struct sparse_types *t, const void *x,
                              struct sparse_scalar alpha, struct sparse_scalar beta, void *y)
{
    struct operand o;
    enum tern_error e = operand_begin(h, m, 0, op, &o);
    if (!e && !o.along) {
        e = vector_across(h, &o, t, x, alpha, beta, y);
    } else if (!e && (e = by_host(h, &o, t, x, alpha, beta, y)) == TERN_UNSUPPORTED) {
        if (o.kind == SPARSE_CSR)
            e = by_rows(h, &o, t, x, alpha, beta, y);
        else
            e = sparse_run(h, header, sparse_warp_grid(o.v.lines), (tern_dim){SPARSE_THREADS},
                           (void *[]){&o.v, &o.conj, &x, &alpha, &beta, &y},
                           "mv_along<%s, %s, %s, %s, %s>", o.walk, sparse_type(t->a),
                           sparse_type(t->x), sparse_type(t->y), sparse_type(t->sum));
    }
    operand_end(h, &o);
    return e;
}

static cusparseStatus_t check_vector(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                     const void *beta, cusparseConstDnVecDescr_t y,
                                     cudaDataType compute, cusparseSpMVAlg_t alg,
                                     struct sparse_types *t)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!alpha || !beta || !a || !x || !y || !sparse_op_known(op) ||
        (unsigned)alg > CUSPARSE_SPMV_BSR_ALG1 || !sparse_complete(a))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (x->size != (plain ? a->cols : a->rows) || y->size != (plain ? a->rows : a->cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!sparse_types_of(a->type, x->type, y->type, compute, t) ||
        a->format == CUSPARSE_FORMAT_BLOCKED_ELL)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return s;
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                              const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
                              cusparseSpMVAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer; /* all algorithms give the same, and need no memory of the caller's */
    sparse_log("cusparseSpMV");
    struct sparse_types t;
    const cusparseStatus_t s =
        check_vector(handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg, &t);
    if (s != CUSPARSE_STATUS_SUCCESS || vecY->size == 0)
        return s;
    return sparse_status(vector(handle, matA, opA, &t, vecX->values,
                                sparse_scalar(handle, t.sum, alpha),
                                sparse_scalar(handle, t.sum, beta), vecY->values));
}

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, size_t *bufferSize)
{
    struct sparse_types t;
    const cusparseStatus_t s =
        check_vector(handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg, &t);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *bufferSize = NOTE;
    return s;
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer; /* shares are found as the product goes */
    struct sparse_types t;
    return check_vector(handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg, &t);
}

/* ---- matrices ---- */

static enum tern_error matrix_across(const struct cusparseContext *h, struct operand *o,
                                     const struct sparse_types *t, struct sparse_dense x, int64_t n,
                                     struct sparse_scalar alpha, struct sparse_scalar beta,
                                     struct sparse_dense y)
{
    const tern_dim threads = {SPARSE_THREADS};
    void *sums;
    enum tern_error e = sums_begin(h, t, o->v.width * n, &sums);
    if (!e && o->coo)
        e = sparse_run(h, header, sparse_grid(o->v.entries * n), threads,
                       (void *[]){&o->v.entries, &o->v.offsets, &o->v.indices, &o->v.values,
                                  &o->v.base, &o->conj, &x, &n, &sums},
                       "mm_coo_across<%s, %s, %s, %s>", sparse_index(o->index_type),
                       sparse_type(t->a), sparse_type(t->x), sparse_type(t->sum));
    else if (!e)
        e = sparse_run(h, header, sparse_warp_grid(o->v.lines), threads,
                       (void *[]){&o->v, &o->conj, &x, &n, &sums}, "mm_across<%s, %s, %s, %s>",
                       o->walk, sparse_type(t->a), sparse_type(t->x), sparse_type(t->sum));
    if (!e)
        e = sparse_run(h, header, sparse_grid(o->v.width * n), threads,
                       (void *[]){&o->v.width, &n, &sums, &alpha, &beta, &y}, "mm_finish<%s, %s>",
                       sparse_type(t->sum), sparse_type(t->y));
    lib_scratch_free(h->stream, sums);
    return e;
}

/* Rows by shares, a warp each: enough of them for every unit, and none so short that looking for
 * its place costs more than it. */
static enum tern_error matrix_merge(const struct cusparseContext *h, struct operand *o,
                                    const struct sparse_types *t, struct sparse_dense x, int64_t n,
                                    int parts, struct sparse_scalar alpha,
                                    struct sparse_scalar beta, struct sparse_dense y)
{
    enum { LEAST = 64, MOST = 512, WARPS = 128 /* for each unit */ };
    const int64_t all = o->v.lines + o->v.entries, columns = (n + parts - 1) / parts;
    const int64_t each = all / ((int64_t)h->device.threads * WARPS) + 1;
    struct shares s;
    enum tern_error e = shares_begin(h, o, t,
                                     each < LEAST  ? LEAST
                                     : each > MOST ? MOST
                                                   : each,
                                     n, &s);
    tern_dim grid = sparse_warp_grid(s.tiles);
    grid.y = (uint32_t)(columns > 65535 ? 65535 : columns);
    if (!e)
        e = sparse_run(h, header, grid, (tern_dim){SPARSE_THREADS},
                       (void *[]){&o->v, &o->conj, &x, &n, &parts, &alpha, &beta, &y, &s.each,
                                  &s.tiles, &s.starts, &s.sums},
                       "mm_merge<%s, %s, %s, %s, %s, %s>", sparse_index(o->offset_type),
                       sparse_index(o->index_type), sparse_type(t->a), sparse_type(t->x),
                       sparse_type(t->y), sparse_type(t->sum));
    if (!e)
        e = sparse_run(
            h, header, sparse_warp_grid(s.tiles), (tern_dim){SPARSE_THREADS},
            (void *[]){&s.tiles, &s.carried, &s.sums, &o->v.lines, &n, &parts, &alpha, &y},
            "mm_carry<%s, %s>", sparse_type(t->y), sparse_type(t->sum));
    shares_end(h, &s);
    return e;
}

static enum tern_error matrix(const struct cusparseContext *h, const struct cusparseSpMatDescr *m,
                              int64_t batch, cusparseOperation_t op, const struct sparse_types *t,
                              struct sparse_dense x, int64_t n, struct sparse_scalar alpha,
                              struct sparse_scalar beta, struct sparse_dense y)
{
    struct operand o;
    enum tern_error e = operand_begin(h, m, batch, op, &o);
    x.conj = x.conj && lib_types[t->x].complex;
    int parts = 1;
    while (parts < n && parts < SPARSE_WARP)
        parts *= 2;
    if (!e && !o.along)
        e = matrix_across(h, &o, t, x, n, alpha, beta, y);
    else if (!e && o.kind == SPARSE_CSR && o.v.lines)
        e = matrix_merge(h, &o, t, x, n, parts, alpha, beta, y);
    else if (!e)
        e = sparse_run(h, header, sparse_warp_grid(o.v.lines), (tern_dim){SPARSE_THREADS},
                       (void *[]){&o.v, &o.conj, &x, &n, &parts, &alpha, &beta, &y},
                       "mm_along<%s, %s, %s, %s, %s>", o.walk, sparse_type(t->a), sparse_type(t->x),
                       sparse_type(t->y), sparse_type(t->sum));
    operand_end(h, &o);
    return e;
}

static bool product_known(cusparseSpMMAlg_t alg)
{
    return (unsigned)alg <= CUSPARSE_SPMM_CSR_ALG2 ||
           (alg >= CUSPARSE_SPMM_CSR_ALG3 && alg <= CUSPARSE_SPMM_BSR_ALG1);
}

static cusparseStatus_t check_matrix(cusparseHandle_t h, cusparseOperation_t opA,
                                     cusparseOperation_t opB, const void *alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                     const void *beta, cusparseConstDnMatDescr_t c,
                                     cudaDataType compute, cusparseSpMMAlg_t alg,
                                     struct sparse_types *t)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!alpha || !beta || !a || !b || !c || !sparse_op_known(opA) || !sparse_op_known(opB) ||
        !product_known(alg) || !sparse_complete(a))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool plain_a = opA == CUSPARSE_OPERATION_NON_TRANSPOSE,
               plain_b = opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (c->rows != (plain_a ? a->rows : a->cols) || c->cols != (plain_b ? b->cols : b->rows) ||
        (plain_a ? a->cols : a->rows) != (plain_b ? b->rows : b->cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if ((a->batch > 1 && a->batch != c->batch) || (b->batch > 1 && b->batch != c->batch) ||
        (c->batch > 1 && !c->stride))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_types_of(a->type, b->type, c->type, compute, t) ? s
                                                                  : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, size_t *bufferSize)
{
    struct sparse_types t;
    const cusparseStatus_t s =
        check_matrix(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, &t);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *bufferSize = NOTE;
    return s;
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer;
    struct sparse_types t;
    return check_matrix(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, &t);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA,
                              cusparseOperation_t opB, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                              const void *beta, cusparseDnMatDescr_t matC, cudaDataType computeType,
                              cusparseSpMMAlg_t alg, void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseSpMM");
    struct sparse_types t;
    const cusparseStatus_t s =
        check_matrix(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, &t);
    if (s != CUSPARSE_STATUS_SUCCESS || matC->rows == 0 || matC->cols == 0)
        return s;
    const struct sparse_scalar a = sparse_scalar(handle, t.sum, alpha),
                               b = sparse_scalar(handle, t.sum, beta);
    enum tern_error e = TERN_OK;
    for (int64_t k = 0; k < matC->batch && !e; k++)
        e = matrix(handle, matA, matA->batch > 1 ? k : 0, opA, &t,
                   sparse_dense(matB, matB->batch > 1 ? k : 0, opB), matC->cols, a, b,
                   sparse_dense(matC, k, CUSPARSE_OPERATION_NON_TRANSPOSE));
    return sparse_status(e);
}

/* ---- products with operations of the caller's own: they come as NVIDIA's LTO-IR, which Tern does
 * not read ---- */

cusparseStatus_t cusparseSpMMOp_createPlan(
    cusparseHandle_t handle, cusparseSpMMOpPlan_t *plan, cusparseOperation_t opA,
    cusparseOperation_t opB, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
    cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMOpAlg_t alg,
    const void *addOperationNvvmBuffer, size_t addOperationBufferSize,
    const void *mulOperationNvvmBuffer, size_t mulOperationBufferSize,
    const void *epilogueNvvmBuffer, size_t epilogueBufferSize, size_t *SpMMWorkspaceSize)
{
    (void)opA, (void)opB, (void)matA, (void)matB, (void)matC, (void)computeType, (void)alg;
    (void)addOperationNvvmBuffer, (void)addOperationBufferSize, (void)mulOperationNvvmBuffer;
    (void)mulOperationBufferSize, (void)epilogueNvvmBuffer, (void)epilogueBufferSize;
    (void)SpMMWorkspaceSize;
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    if (plan)
        *plan = NULL;
    lib_say("tern: cusparseSpMMOp_createPlan: operations in LTO-IR cannot be read\n");
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpMMOp(cusparseSpMMOpPlan_t plan, void *externalBuffer)
{
    (void)plan, (void)externalBuffer; /* there are no plans */
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseSpMMOp_destroyPlan(cusparseSpMMOpPlan_t plan)
{
    return plan ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS;
}

/* ---- the older calls, on blocks ---- */

struct cusparseSpMatDescr sparse_blocks(cusparseDirection_t dir, int mb, int nb, int nnzb,
                                        const struct cusparseMatDescr *d, enum lib_type t,
                                        const void *values, const int *offsets, const int *indices,
                                        int dim)
{
    return (struct cusparseSpMatDescr){
        .format = CUSPARSE_FORMAT_BSR,
        .rows = (int64_t)mb * dim,
        .cols = (int64_t)nb * dim,
        .nnz = nnzb,
        .offsets = (void *)(uintptr_t)offsets,
        .indices = (void *)(uintptr_t)indices,
        .values = (void *)(uintptr_t)values,
        .offset_type = CUSPARSE_INDEX_32I,
        .index_type = CUSPARSE_INDEX_32I,
        .base = d->base,
        .type = t,
        .block_rows = dim,
        .block_cols = dim,
        .block_order = dir == CUSPARSE_DIRECTION_COLUMN ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW,
        .batch = 1,
        .fill = d->fill,
        .diag = d->diag,
    };
}

static cusparseStatus_t check_blocks(cusparseHandle_t h, cusparseDirection_t dir, int mb, int nb,
                                     int nnzb, const struct cusparseMatDescr *d, int dim)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if ((unsigned)dir > CUSPARSE_DIRECTION_COLUMN || mb < 0 || nb < 0 || nnzb < 0 || dim < 1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_general(d);
}

cusparseStatus_t sparse_bsrmv(cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA,
                              cusparseOperation_t transA, int mb, int nb, int nnzb,
                              const void *alpha, const cusparseMatDescr_t descrA,
                              const void *values, const int *offsets, const int *indices,
                              int blockDim, const void *x, const void *beta, void *y)
{
    const cusparseStatus_t s = check_blocks(handle, dirA, mb, nb, nnzb, descrA, blockDim);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!sparse_op_known(transA) || !alpha || !beta || (mb && nb && (!x || !y)) ||
        sparse_missing(mb, nnzb, offsets, indices) || (nnzb && !values))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (mb == 0 || nb == 0)
        return s;
    const struct sparse_types t = {type, type, type, type};
    const struct cusparseSpMatDescr m =
        sparse_blocks(dirA, mb, nb, nnzb, descrA, type, values, offsets, indices, blockDim);
    return sparse_status(vector(handle, &m, transA, &t, x, sparse_scalar(handle, type, alpha),
                                sparse_scalar(handle, type, beta), y));
}

cusparseStatus_t sparse_bsrxmv(cusparseHandle_t handle, enum lib_type type,
                               cusparseDirection_t dirA, cusparseOperation_t transA, int sizeOfMask,
                               int mb, int nb, int nnzb, const void *alpha,
                               const cusparseMatDescr_t descrA, const void *values, const int *mask,
                               const int *offsets, const int *ends, const int *indices,
                               int blockDim, const void *x, const void *beta, void *y)
{
    const cusparseStatus_t s = check_blocks(handle, dirA, mb, nb, nnzb, descrA, blockDim);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (sizeOfMask < 0 || sizeOfMask > mb || !alpha || !beta || !sparse_op_known(transA) ||
        (sizeOfMask && (!mask || !offsets || !ends || !x || !y)) || (nnzb && (!indices || !values)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (transA != CUSPARSE_OPERATION_NON_TRANSPOSE)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    const struct cusparseSpMatDescr m =
        sparse_blocks(dirA, mb, nb, nnzb, descrA, type, values, offsets, indices, blockDim);
    const struct sparse_scalar a = sparse_scalar(handle, type, alpha),
                               b = sparse_scalar(handle, type, beta);
    bool by_columns;
    int kind;
    struct sparse_view v = sparse_view(&m, 0, &by_columns, &kind);
    return sparse_status(
        sparse_run(handle, header, sparse_warp_grid((int64_t)sizeOfMask * blockDim),
                   (tern_dim){SPARSE_THREADS},
                   (void *[]){&v, &mask, &sizeOfMask, &ends, &x, (void *)&a, (void *)&b, &y},
                   "bsrx_along<%s>", sparse_type(type)));
}

cusparseStatus_t sparse_bsrmm(cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA,
                              cusparseOperation_t transA, cusparseOperation_t transB, int mb, int n,
                              int kb, int nnzb, const void *alpha, const cusparseMatDescr_t descrA,
                              const void *values, const int *offsets, const int *indices,
                              const int blockSize, const void *B, const int ldb, const void *beta,
                              void *C, int ldc)
{
    const cusparseStatus_t s = check_blocks(handle, dirA, mb, kb, nnzb, descrA, blockSize);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!sparse_op_known(transA) || !sparse_op_known(transB) || n < 0 || !alpha || !beta ||
        sparse_missing(mb, nnzb, offsets, indices) || (nnzb && !values))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool plain_a = transA == CUSPARSE_OPERATION_NON_TRANSPOSE,
               plain_b = transB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    const int64_t m = (int64_t)(plain_a ? mb : kb) * blockSize,
                  k = (int64_t)(plain_a ? kb : mb) * blockSize;
    if (ldb < (plain_b ? k : n) || ldc < m || (n && ((k && !B) || (m && !C))))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return s;
    const struct sparse_types t = {type, type, type, type};
    const struct cusparseSpMatDescr a =
        sparse_blocks(dirA, mb, kb, nnzb, descrA, type, values, offsets, indices, blockSize);
    const struct cusparseDnMatDescr
        b = {.ld = ldb, .values = (void *)(uintptr_t)B, .type = type, .order = CUSPARSE_ORDER_COL},
        c = {.ld = ldc, .values = C, .type = type, .order = CUSPARSE_ORDER_COL};
    return sparse_status(matrix(handle, &a, 0, transA, &t, sparse_dense(&b, 0, transB), n,
                                sparse_scalar(handle, type, alpha),
                                sparse_scalar(handle, type, beta),
                                sparse_dense(&c, 0, CUSPARSE_OPERATION_NON_TRANSPOSE)));
}
