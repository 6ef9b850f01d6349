/* Triangular systems with one or many right-hand sides: the generic calls, and the older ones on
 * blocks. */
#include <stdlib.h>
#include "lib/sparse/plan.h"

static const char header[] = "sparse/solve.h";

struct cusparseSpSVDescr {
    struct plan plan;
};
struct cusparseSpSMDescr {
    struct plan plan;
};
struct bsrsv2Info {
    struct plan plan;
};
struct bsrsm2Info {
    struct plan plan;
};

#define OBJECT(Create, Destroy, type)                                                              \
    cusparseStatus_t Create(type *out)                                                             \
    {                                                                                              \
        if (!out)                                                                                  \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        *out = calloc(1, sizeof **out);                                                            \
        if (!*out)                                                                                 \
            return CUSPARSE_STATUS_ALLOC_FAILED;                                                   \
        (*out)->plan.structural = -1;                                                              \
        (*out)->plan.block = 1;                                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t Destroy(type p)                                                               \
    {                                                                                              \
        if (p)                                                                                     \
            plan_free(&p->plan);                                                                   \
        free(p);                                                                                   \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
OBJECT(cusparseSpSV_createDescr, cusparseSpSV_destroyDescr, cusparseSpSVDescr_t)
OBJECT(cusparseSpSM_createDescr, cusparseSpSM_destroyDescr, cusparseSpSMDescr_t)
OBJECT(cusparseCreateBsrsv2Info, cusparseDestroyBsrsv2Info, bsrsv2Info_t)
OBJECT(cusparseCreateBsrsm2Info, cusparseDestroyBsrsm2Info, bsrsm2Info_t)

enum { NOTE = 256, THREADS = 256 };

/* op(A) y = alpha * x. */
static enum tern_error solve(const struct cusparseContext *h, struct plan *p,
                             const struct cusparseSpMatDescr *m, cusparseOperation_t op,
                             struct sparse_scalar alpha, struct sparse_dense x,
                             struct sparse_dense y, int64_t sides)
{
    const enum lib_type t = m->type;
    const void *values = m->values;
    if (!plan_fits(p, m, op))
        return TERN_INVALID_ARGUMENT; /* not analysed, or another matrix was */
    if (sides > INT32_MAX)
        return TERN_UNSUPPORTED;
    int conj = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && lib_types[t].complex, n = (int)sides;
    x.conj = x.conj && lib_types[t].complex;
    y.conj = y.conj && lib_types[t].complex;
    if (p->values)
        values = p->values;
    enum tern_error e = plan_begin(h, p);
    if (e || p->n == 0 || sides == 0)
        return e;
    if (h->device.host_path)
        return plan_host_solve(h, &(struct host_solve){.p = p->at,
                                                       .n = p->n,
                                                       .lower = p->lower,
                                                       .conj = conj,
                                                       .type = t,
                                                       .values = values,
                                                       .alpha = alpha,
                                                       .x = x,
                                                       .y = y,
                                                       .sides = sides});
    for (int k = 0; k < p->nsteps && !e; k++) {
        struct plan_step *s = &p->steps[k];
        const tern_dim grid =
            s->last - s->first > 1 ? (tern_dim){1} : sparse_warp_grid(s->lines * sides);
        e = sparse_run(h, header, grid,
                       (tern_dim){s->last - s->first > 1 ? THREADS : SPARSE_THREADS},
                       (void *[]){&p->at, &s->first, &s->last, &values, &conj, &alpha, &x, &y, &n},
                       "solve_lines<%s>", sparse_type(t));
    }
    return e;
}

static bool solvable(enum lib_type t)
{
    return t == LIB_F32 || t == LIB_F64 || t == LIB_C32 || t == LIB_C64;
}

/* New values, of all entries or of the diagonal. */
static cusparseStatus_t update(cusparseHandle_t h, struct plan *p, const void *old,
                               const void *fresh, enum lib_type t, bool diagonal)
{
    enum tern_error e = p->memory ? TERN_OK : TERN_INVALID_ARGUMENT;
    if (!e && !p->values && p->value_bytes) {
        e = lib_error(cudaMalloc(&p->values, p->value_bytes));
        if (!e && diagonal)
            e = lib_error(cudaMemcpyAsync(p->values, old, p->value_bytes, cudaMemcpyDeviceToDevice,
                                          h->stream));
    }
    if (!e && !diagonal)
        e = lib_error(
            cudaMemcpyAsync(p->values, fresh, p->value_bytes, cudaMemcpyDeviceToDevice, h->stream));
    else if (!e)
        e = sparse_run(h, header, sparse_grid(p->n), (tern_dim){SPARSE_THREADS},
                       (void *[]){&p->n, &p->at.diagonal, &fresh, &p->values}, "put_diagonal<%s>",
                       sparse_type(t));
    return sparse_status(e);
}

/* ---- one right-hand side ---- */

static cusparseStatus_t check(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, const void *x, const void *y,
                              const void *descr, enum lib_type xt, enum lib_type yt,
                              cudaDataType compute, unsigned alg)
{
    cusparseStatus_t s;
    enum lib_type t;
    if (!sparse_enter(h, &s))
        return s;
    if (!alpha || !a || !x || !y || !descr || !sparse_op_known(op) || a->rows != a->cols ||
        alg != 0 || !sparse_complete(a))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!lib_type_of(compute, &t) || !solvable(t) || a->type != t || xt != t || yt != t ||
        a->format == CUSPARSE_FORMAT_BLOCKED_ELL)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return s;
}

static cusparseStatus_t check_vector(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                     cusparseConstDnVecDescr_t y, const void *descr,
                                     cudaDataType compute, cusparseSpSVAlg_t alg)
{
    const cusparseStatus_t s = check(h, op, alpha, a, x, y, descr, x ? x->type : LIB_F32,
                                     y ? y->type : LIB_F32, compute, alg);
    if (s == CUSPARSE_STATUS_SUCCESS && (x->size != a->rows || y->size != a->rows))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return s;
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                         cudaDataType computeType, cusparseSpSVAlg_t alg,
                                         cusparseSpSVDescr_t descr, size_t *bufferSize)
{
    const cusparseStatus_t s =
        check_vector(handle, opA, alpha, matA, vecX, vecY, descr, computeType, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *bufferSize = NOTE;
    return s;
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       const void *alpha, cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                       cudaDataType computeType, cusparseSpSVAlg_t alg,
                                       cusparseSpSVDescr_t descr, void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseSpSV_analysis");
    const cusparseStatus_t s =
        check_vector(handle, opA, alpha, matA, vecX, vecY, descr, computeType, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    return sparse_status(plan_make(handle, &descr->plan, matA, opA, false));
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    const void *alpha, cusparseConstSpMatDescr_t matA,
                                    cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                    cudaDataType computeType, cusparseSpSVAlg_t alg,
                                    cusparseSpSVDescr_t descr)
{
    sparse_log("cusparseSpSV_solve");
    const cusparseStatus_t s =
        check_vector(handle, opA, alpha, matA, vecX, vecY, descr, computeType, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    return sparse_status(solve(handle, &descr->plan, matA, opA,
                               sparse_scalar(handle, matA->type, alpha),
                               (struct sparse_dense){.p = vecX->values, .row = 1, .col = 1},
                               (struct sparse_dense){.p = vecY->values, .row = 1, .col = 1}, 1));
}

cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t descr,
                                           void *newValues, cusparseSpSVUpdate_t part)
{
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    if (!descr || !newValues || (unsigned)part > CUSPARSE_SPSV_UPDATE_DIAGONAL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return update(handle, &descr->plan, descr->plan.source, newValues, descr->plan.type,
                  part == CUSPARSE_SPSV_UPDATE_DIAGONAL);
}

/* ---- many ---- */

static cusparseStatus_t check_matrix(cusparseHandle_t h, cusparseOperation_t opA,
                                     cusparseOperation_t opB, const void *alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                     cusparseConstDnMatDescr_t c, const void *descr,
                                     cudaDataType compute, cusparseSpSMAlg_t alg)
{
    const cusparseStatus_t s = check(h, opA, alpha, a, b, c, descr, b ? b->type : LIB_F32,
                                     c ? c->type : LIB_F32, compute, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    const bool plain = opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (!sparse_op_known(opB) || c->rows != a->rows || (plain ? b->rows : b->cols) != a->rows ||
        (plain ? b->cols : b->rows) != c->cols)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return s;
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                         cudaDataType computeType, cusparseSpSMAlg_t alg,
                                         cusparseSpSMDescr_t descr, size_t *bufferSize)
{
    const cusparseStatus_t s =
        check_matrix(handle, opA, opB, alpha, matA, matB, matC, descr, computeType, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *bufferSize = NOTE;
    return s;
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       cusparseOperation_t opB, const void *alpha,
                                       cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                       cudaDataType computeType, cusparseSpSMAlg_t alg,
                                       cusparseSpSMDescr_t descr, void *externalBuffer)
{
    (void)externalBuffer;
    sparse_log("cusparseSpSM_analysis");
    const cusparseStatus_t s =
        check_matrix(handle, opA, opB, alpha, matA, matB, matC, descr, computeType, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    return sparse_status(plan_make(handle, &descr->plan, matA, opA, false));
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    cusparseOperation_t opB, const void *alpha,
                                    cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                    cusparseDnMatDescr_t matC, cudaDataType computeType,
                                    cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr)
{
    sparse_log("cusparseSpSM_solve");
    const cusparseStatus_t s =
        check_matrix(handle, opA, opB, alpha, matA, matB, matC, descr, computeType, alg);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    return sparse_status(solve(handle, &descr->plan, matA, opA,
                               sparse_scalar(handle, matA->type, alpha), sparse_dense(matB, 0, opB),
                               sparse_dense(matC, 0, CUSPARSE_OPERATION_NON_TRANSPOSE),
                               matC->cols));
}

cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseSpSMDescr_t descr,
                                           void *newValues, cusparseSpSMUpdate_t part)
{
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    if (!descr || !newValues || (unsigned)part > CUSPARSE_SPSM_UPDATE_DIAGONAL)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return update(handle, &descr->plan, descr->plan.source, newValues, descr->plan.type,
                  part == CUSPARSE_SPSM_UPDATE_DIAGONAL);
}

/* ---- the older calls, on blocks ---- */

static cusparseStatus_t check_blocks(cusparseHandle_t h, cusparseDirection_t dir,
                                     cusparseOperation_t op, int mb, int nnzb,
                                     const struct cusparseMatDescr *d, const int *offsets,
                                     const int *indices, int dim, const void *info)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if ((unsigned)dir > CUSPARSE_DIRECTION_COLUMN || mb < 0 || nnzb < 0 || dim < 1 || !info ||
        !sparse_op_known(op) || sparse_missing(mb, nnzb, offsets, indices))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_general(d);
}

#define SIZES(family, ext, INFO, MORE)                                                             \
    cusparseStatus_t family(cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA, \
                            cusparseOperation_t transA, MORE const cusparseMatDescr_t descrA,      \
                            void *values, const int *offsets, const int *indices, int dim,         \
                            INFO info, int *bytes)                                                 \
    {                                                                                              \
        (void)type, (void)values;                                                                  \
        const cusparseStatus_t s =                                                                 \
            check_blocks(handle, dirA, transA, mb, nnzb, descrA, offsets, indices, dim, info);     \
        if (s == CUSPARSE_STATUS_SUCCESS && bytes)                                                 \
            *bytes = NOTE;                                                                         \
        return s == CUSPARSE_STATUS_SUCCESS && !bytes ? CUSPARSE_STATUS_INVALID_VALUE : s;         \
    }                                                                                              \
    cusparseStatus_t ext(cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA,    \
                         cusparseOperation_t transA, MORE const cusparseMatDescr_t descrA,         \
                         void *values, const int *offsets, const int *indices, int dim, INFO info, \
                         size_t *bytes)                                                            \
    {                                                                                              \
        (void)type, (void)values;                                                                  \
        const cusparseStatus_t s =                                                                 \
            check_blocks(handle, dirA, transA, mb, nnzb, descrA, offsets, indices, dim, info);     \
        if (s == CUSPARSE_STATUS_SUCCESS && bytes)                                                 \
            *bytes = NOTE;                                                                         \
        return s == CUSPARSE_STATUS_SUCCESS && !bytes ? CUSPARSE_STATUS_INVALID_VALUE : s;         \
    }
#define ONE_SIDE   int mb, int nnzb,
#define MANY_SIDES cusparseOperation_t transXY UNUSED, int mb, int n UNUSED, int nnzb,
#define UNUSED     __attribute__((unused))
SIZES(sparse_bsrsv2_buffer_size, sparse_bsrsv2_buffer_size_ext, bsrsv2Info_t, ONE_SIDE)
SIZES(sparse_bsrsm2_buffer_size, sparse_bsrsm2_buffer_size_ext, bsrsm2Info_t, MANY_SIDES)

cusparseStatus_t sparse_bsrsv2_analysis(cusparseHandle_t handle, enum lib_type type,
                                        cusparseDirection_t dirA, cusparseOperation_t transA,
                                        int mb, int nnzb, const cusparseMatDescr_t descrA,
                                        const void *values, const int *offsets, const int *indices,
                                        int dim, bsrsv2Info_t info, cusparseSolvePolicy_t policy,
                                        void *buffer)
{
    (void)policy, (void)buffer;
    const cusparseStatus_t s =
        check_blocks(handle, dirA, transA, mb, nnzb, descrA, offsets, indices, dim, info);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    const struct cusparseSpMatDescr m =
        sparse_blocks(dirA, mb, mb, nnzb, descrA, type, values, offsets, indices, dim);
    return sparse_status(plan_make(handle, &info->plan, &m, transA, false));
}

cusparseStatus_t sparse_bsrsv2_solve(cusparseHandle_t handle, enum lib_type type,
                                     cusparseDirection_t dirA, cusparseOperation_t transA, int mb,
                                     int nnzb, const void *alpha, const cusparseMatDescr_t descrA,
                                     const void *values, const int *offsets, const int *indices,
                                     int dim, bsrsv2Info_t info, const void *f, void *x,
                                     cusparseSolvePolicy_t policy, void *buffer)
{
    (void)policy, (void)buffer;
    const cusparseStatus_t s =
        check_blocks(handle, dirA, transA, mb, nnzb, descrA, offsets, indices, dim, info);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!alpha || (nnzb && !values) || (mb && (!f || !x)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const struct cusparseSpMatDescr m =
        sparse_blocks(dirA, mb, mb, nnzb, descrA, type, values, offsets, indices, dim);
    return sparse_status(solve(handle, &info->plan, &m, transA, sparse_scalar(handle, type, alpha),
                               (struct sparse_dense){.p = (void *)(uintptr_t)f, .row = 1, .col = 1},
                               (struct sparse_dense){.p = x, .row = 1, .col = 1}, 1));
}

cusparseStatus_t sparse_bsrsm2_analysis(cusparseHandle_t handle, enum lib_type type,
                                        cusparseDirection_t dirA, cusparseOperation_t transA,
                                        cusparseOperation_t transXY, int mb, int n, int nnzb,
                                        const cusparseMatDescr_t descrA, const void *values,
                                        const int *offsets, const int *indices, int dim,
                                        bsrsm2Info_t info, cusparseSolvePolicy_t policy,
                                        void *buffer)
{
    (void)transXY, (void)n, (void)policy, (void)buffer;
    const cusparseStatus_t s =
        check_blocks(handle, dirA, transA, mb, nnzb, descrA, offsets, indices, dim, info);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    const struct cusparseSpMatDescr m =
        sparse_blocks(dirA, mb, mb, nnzb, descrA, type, values, offsets, indices, dim);
    return sparse_status(plan_make(handle, &info->plan, &m, transA, false));
}

cusparseStatus_t sparse_bsrsm2_solve(cusparseHandle_t handle, enum lib_type type,
                                     cusparseDirection_t dirA, cusparseOperation_t transA,
                                     cusparseOperation_t transXY, int mb, int n, int nnzb,
                                     const void *alpha, const cusparseMatDescr_t descrA,
                                     const void *values, const int *offsets, const int *indices,
                                     int dim, bsrsm2Info_t info, const void *B, int ldb, void *X,
                                     int ldx, cusparseSolvePolicy_t policy, void *buffer)
{
    (void)policy, (void)buffer;
    const cusparseStatus_t s =
        check_blocks(handle, dirA, transA, mb, nnzb, descrA, offsets, indices, dim, info);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    const bool plain = transXY == CUSPARSE_OPERATION_NON_TRANSPOSE;
    const int64_t least = plain ? (int64_t)mb * dim : n;
    if (!alpha || n < 0 || ldb < least || ldx < least || (nnzb && !values) ||
        (mb && n && (!B || !X)) || !sparse_op_known(transXY))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (transXY == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
        return CUSPARSE_STATUS_NOT_SUPPORTED; /* cuSPARSE's restriction */
    const struct cusparseSpMatDescr m =
        sparse_blocks(dirA, mb, mb, nnzb, descrA, type, values, offsets, indices, dim);
    return sparse_status(
        solve(handle, &info->plan, &m, transA, sparse_scalar(handle, type, alpha),
              (struct sparse_dense){
                  .p = (void *)(uintptr_t)B, .row = plain ? 1 : ldb, .col = plain ? ldb : 1},
              (struct sparse_dense){.p = X, .row = plain ? 1 : ldx, .col = plain ? ldx : 1}, n));
}

cusparseStatus_t cusparseXbsrsv2_zeroPivot(cusparseHandle_t handle, bsrsv2Info_t info,
                                           int *position)
{
    return plan_zero_pivot(handle, info ? &info->plan : NULL, position);
}

cusparseStatus_t cusparseXbsrsm2_zeroPivot(cusparseHandle_t handle, bsrsm2Info_t info,
                                           int *position)
{
    return plan_zero_pivot(handle, info ? &info->plan : NULL, position);
}
