/* Incomplete factors: LU and Cholesky without fill, of rows and of blocks. A matrix of blocks is
 * one of rows whose blocks are full. */
#include <stdlib.h>
#include <string.h>
#include "lib/sparse/plan.h"

static const char header[] = "sparse/solve.h";

enum { NOTE = 256, THREADS = 256 };

#define OBJECT(tag, Create, Destroy)                                                               \
    struct tag##Info {                                                                             \
        struct plan plan;                                                                          \
    };                                                                                             \
    cusparseStatus_t Create(tag##Info_t *out)                                                      \
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
    cusparseStatus_t Destroy(tag##Info_t p)                                                        \
    {                                                                                              \
        if (p)                                                                                     \
            plan_free(&p->plan);                                                                   \
        free(p);                                                                                   \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t cusparseX##tag##_zeroPivot(cusparseHandle_t handle, tag##Info_t info,         \
                                                int *position)                                     \
    {                                                                                              \
        return plan_zero_pivot(handle, info ? &info->plan : NULL, position);                       \
    }
OBJECT(csrilu02, cusparseCreateCsrilu02Info, cusparseDestroyCsrilu02Info)
OBJECT(bsrilu02, cusparseCreateBsrilu02Info, cusparseDestroyBsrilu02Info)
OBJECT(csric02, cusparseCreateCsric02Info, cusparseDestroyCsric02Info)
OBJECT(bsric02, cusparseCreateBsric02Info, cusparseDestroyBsric02Info)

static cusparseStatus_t check(cusparseHandle_t h, cusparseDirection_t dir, int m, int nnz,
                              const struct cusparseMatDescr *d, const int *offsets,
                              const int *indices, int dim, const void *info)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if ((unsigned)dir > CUSPARSE_DIRECTION_COLUMN || m < 0 || nnz < 0 || dim < 1 || !info ||
        sparse_missing(m, nnz, offsets, indices))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_general(d);
}

static cusparseStatus_t analyse(cusparseHandle_t h, enum lib_type t, cusparseDirection_t dir, int m,
                                int nnz, const struct cusparseMatDescr *d, const void *values,
                                const int *offsets, const int *indices, int dim, struct plan *p)
{
    const struct cusparseSpMatDescr matrix =
        sparse_blocks(dir, m, m, nnz, d, t, values, offsets, indices, dim);
    return sparse_status(plan_make(h, p, &matrix, CUSPARSE_OPERATION_NON_TRANSPOSE, true));
}

static cusparseStatus_t factor(cusparseHandle_t h, enum host_factor which,
                               const struct cusparseSpMatDescr *m, struct plan *p)
{
    const enum lib_type t = m->type;
    void *values = m->values;
    if (!plan_fits(p, m, CUSPARSE_OPERATION_NON_TRANSPOSE) || (m->nnz && !values))
        return CUSPARSE_STATUS_INVALID_VALUE; /* not analysed, or another matrix was */
    enum tern_error e = plan_begin(h, p);
    if (e || p->n == 0)
        return sparse_status(e);
    if (h->device.host_path) {
        struct host_factors f = {.which = which,
                                 .p = p->at,
                                 .n = p->n,
                                 .type = t,
                                 .values = values,
                                 .boost = p->boost,
                                 .tolerance = p->tolerance};
        memcpy(f.instead, p->instead, sizeof f.instead);
        return sparse_status(plan_host_factor(h, &f));
    }
    struct sparse_scalar instead = {.value = {p->instead[0], p->instead[1]}};
    for (int k = 0; k < p->nsteps && !e; k++) {
        struct plan_step *s = &p->steps[k];
        const bool narrow = s->last - s->first > 1;
        const tern_dim grid = narrow ? (tern_dim){1} : sparse_warp_grid(s->lines),
                       block = {narrow ? THREADS : SPARSE_THREADS};
        e = which == FACTOR_ILU ? sparse_run(h, header, grid, block,
                                             (void *[]){&p->at, &s->first, &s->last, &values,
                                                        &p->boost, &p->tolerance, &instead},
                                             "ilu_lines<%s>", sparse_type(t))
                                : sparse_run(h, header, grid, block,
                                             (void *[]){&p->at, &s->first, &s->last, &values},
                                             "ic_lines<%s>", sparse_type(t));
    }
    return sparse_status(e);
}

/* Pivots that are too small become boost_val; both are on the host or on the device, as the pointer
 * mode says. */
static cusparseStatus_t boost(cusparseHandle_t h, enum lib_type t, struct plan *p, int enable,
                              const double *tolerance, const void *instead)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!p || (enable && (!tolerance || !instead)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    p->boost = enable != 0;
    if (!enable)
        return s;
    char value[16];
    enum tern_error e = TERN_OK;
    p->tolerance = 0;
    if (h->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE) {
        e = sparse_read(h, tolerance, sizeof p->tolerance, &p->tolerance);
        if (!e)
            e = sparse_read(h, instead, lib_types[t].bytes, value);
    } else {
        p->tolerance = *tolerance;
        memcpy(value, instead, lib_types[t].bytes);
    }
    struct cusparseContext host = {.pointer_mode = CUSPARSE_POINTER_MODE_HOST};
    const struct sparse_scalar v = sparse_scalar(&host, t, value);
    memcpy(p->instead, v.value, sizeof p->instead);
    return sparse_status(e);
}

cusparseStatus_t sparse_csrilu02_numeric_boost(cusparseHandle_t handle, enum lib_type type,
                                               csrilu02Info_t info, int enable_boost, double *tol,
                                               void *boost_val)
{
    return boost(handle, type, info ? &info->plan : NULL, enable_boost, tol, boost_val);
}

cusparseStatus_t sparse_bsrilu02_numeric_boost(cusparseHandle_t handle, enum lib_type type,
                                               bsrilu02Info_t info, int enable_boost, double *tol,
                                               void *boost_val)
{
    return boost(handle, type, info ? &info->plan : NULL, enable_boost, tol, boost_val);
}

/* The four functions of rows, and of blocks: they differ in parameters only. */
#define ROWS(name, which)                                                                          \
    cusparseStatus_t sparse_##name##_buffer_size(                                                  \
        cusparseHandle_t handle, enum lib_type type, int m, int nnz,                               \
        const cusparseMatDescr_t descrA, void *values, const int *offsets, const int *indices,     \
        name##Info_t info, int *bytes)                                                             \
    {                                                                                              \
        (void)type, (void)values;                                                                  \
        const cusparseStatus_t s =                                                                 \
            check(handle, CUSPARSE_DIRECTION_ROW, m, nnz, descrA, offsets, indices, 1, info);      \
        if (bytes)                                                                                 \
            *bytes = NOTE;                                                                         \
        return s == CUSPARSE_STATUS_SUCCESS && !bytes ? CUSPARSE_STATUS_INVALID_VALUE : s;         \
    }                                                                                              \
    cusparseStatus_t sparse_##name##_buffer_size_ext(                                              \
        cusparseHandle_t handle, enum lib_type type, int m, int nnz,                               \
        const cusparseMatDescr_t descrA, void *values, const int *offsets, const int *indices,     \
        name##Info_t info, size_t *bytes)                                                          \
    {                                                                                              \
        (void)type, (void)values;                                                                  \
        const cusparseStatus_t s =                                                                 \
            check(handle, CUSPARSE_DIRECTION_ROW, m, nnz, descrA, offsets, indices, 1, info);      \
        if (bytes)                                                                                 \
            *bytes = NOTE;                                                                         \
        return s == CUSPARSE_STATUS_SUCCESS && !bytes ? CUSPARSE_STATUS_INVALID_VALUE : s;         \
    }                                                                                              \
    cusparseStatus_t sparse_##name##_analysis(                                                     \
        cusparseHandle_t handle, enum lib_type type, int m, int nnz,                               \
        const cusparseMatDescr_t descrA, const void *values, const int *offsets,                   \
        const int *indices, name##Info_t info, cusparseSolvePolicy_t policy, void *buffer)         \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        const cusparseStatus_t s =                                                                 \
            check(handle, CUSPARSE_DIRECTION_ROW, m, nnz, descrA, offsets, indices, 1, info);      \
        return s != CUSPARSE_STATUS_SUCCESS                                                        \
                   ? s                                                                             \
                   : analyse(handle, type, CUSPARSE_DIRECTION_ROW, m, nnz, descrA, values,         \
                             offsets, indices, 1, &info->plan);                                    \
    }                                                                                              \
    cusparseStatus_t sparse_##name(cusparseHandle_t handle, enum lib_type type, int m, int nnz,    \
                                   const cusparseMatDescr_t descrA, void *values,                  \
                                   const int *offsets, const int *indices, name##Info_t info,      \
                                   cusparseSolvePolicy_t policy, void *buffer)                     \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        const cusparseStatus_t s =                                                                 \
            check(handle, CUSPARSE_DIRECTION_ROW, m, nnz, descrA, offsets, indices, 1, info);      \
        if (s != CUSPARSE_STATUS_SUCCESS)                                                          \
            return s;                                                                              \
        const struct cusparseSpMatDescr a = sparse_blocks(                                         \
            CUSPARSE_DIRECTION_ROW, m, m, nnz, descrA, type, values, offsets, indices, 1);         \
        return factor(handle, which, &a, &info->plan);                                             \
    }
ROWS(csrilu02, FACTOR_ILU)
ROWS(csric02, FACTOR_IC)

#define BLOCKS(name, which, CONST)                                                                 \
    cusparseStatus_t sparse_##name##_buffer_size(                                                  \
        cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA, int mb, int nnzb,   \
        const cusparseMatDescr_t descrA, void *values, const int *offsets, const int *indices,     \
        int dim, name##Info_t info, int *bytes)                                                    \
    {                                                                                              \
        (void)type, (void)values;                                                                  \
        const cusparseStatus_t s =                                                                 \
            check(handle, dirA, mb, nnzb, descrA, offsets, indices, dim, info);                    \
        if (bytes)                                                                                 \
            *bytes = NOTE;                                                                         \
        return s == CUSPARSE_STATUS_SUCCESS && !bytes ? CUSPARSE_STATUS_INVALID_VALUE : s;         \
    }                                                                                              \
    cusparseStatus_t sparse_##name##_buffer_size_ext(                                              \
        cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA, int mb, int nnzb,   \
        const cusparseMatDescr_t descrA, void *values, const int *offsets, const int *indices,     \
        int dim, name##Info_t info, size_t *bytes)                                                 \
    {                                                                                              \
        (void)type, (void)values;                                                                  \
        const cusparseStatus_t s =                                                                 \
            check(handle, dirA, mb, nnzb, descrA, offsets, indices, dim, info);                    \
        if (bytes)                                                                                 \
            *bytes = NOTE;                                                                         \
        return s == CUSPARSE_STATUS_SUCCESS && !bytes ? CUSPARSE_STATUS_INVALID_VALUE : s;         \
    }                                                                                              \
    cusparseStatus_t sparse_##name##_analysis(                                                     \
        cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA, int mb, int nnzb,   \
        const cusparseMatDescr_t descrA, CONST void *values, const int *offsets,                   \
        const int *indices, int dim, name##Info_t info, cusparseSolvePolicy_t policy,              \
        void *buffer)                                                                              \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        const cusparseStatus_t s =                                                                 \
            check(handle, dirA, mb, nnzb, descrA, offsets, indices, dim, info);                    \
        return s != CUSPARSE_STATUS_SUCCESS ? s                                                    \
                                            : analyse(handle, type, dirA, mb, nnzb, descrA,        \
                                                      values, offsets, indices, dim, &info->plan); \
    }                                                                                              \
    cusparseStatus_t sparse_##name(                                                                \
        cusparseHandle_t handle, enum lib_type type, cusparseDirection_t dirA, int mb, int nnzb,   \
        const cusparseMatDescr_t descrA, void *values, const int *offsets, const int *indices,     \
        int dim, name##Info_t info, cusparseSolvePolicy_t policy, void *buffer)                    \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        cusparseStatus_t s = check(handle, dirA, mb, nnzb, descrA, offsets, indices, dim, info);   \
        if (s != CUSPARSE_STATUS_SUCCESS)                                                          \
            return s;                                                                              \
        const struct cusparseSpMatDescr a =                                                        \
            sparse_blocks(dirA, mb, mb, nnzb, descrA, type, values, offsets, indices, dim);        \
        return factor(handle, which, &a, &info->plan);                                             \
    }
BLOCKS(bsrilu02, FACTOR_ILU, )
BLOCKS(bsric02, FACTOR_IC, const)
