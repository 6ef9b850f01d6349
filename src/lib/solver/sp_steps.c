/* Sparse systems in steps: a pattern is analysed once, factorised with values, and solved with
 * right sides. */
#include "lib/solver/sp_int.h"

#include <stdlib.h>
#include <string.h>

/* What all kinds of infos are. */
struct steps {
    struct sp_matrix a;
    bool analysed, loaded;
    void *f;
    void (*release)(void *f);
    const struct sp_ops *ops;
    int bad; /* of the factors: SP_REGULAR, or which pivot is not there */
};
struct csrluInfoHost {
    struct steps s;
};
struct csrqrInfoHost {
    struct steps s;
};
struct csrqrInfo {
    struct steps s;
};
struct csrcholInfoHost {
    struct steps s;
};
struct csrcholInfo {
    struct steps s;
};

static void drop_factors(struct steps *s)
{
    if (s->f)
        s->release(s->f);
    s->f = NULL;
}

#define INFO(Name, type)                                                                           \
    cusolverStatus_t cusolverSpCreate##Name(type *info)                                            \
    {                                                                                              \
        if (!info)                                                                                 \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
        *info = calloc(1, sizeof **info);                                                          \
        return *info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;                     \
    }                                                                                              \
    cusolverStatus_t cusolverSpDestroy##Name(type info)                                            \
    {                                                                                              \
        if (info) {                                                                                \
            drop_factors(&info->s);                                                                \
            sp_free(&info->s.a);                                                                   \
        }                                                                                          \
        free(info);                                                                                \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
INFO(CsrluInfoHost, csrluInfoHost_t)
INFO(CsrqrInfoHost, csrqrInfoHost_t)
INFO(CsrqrInfo, csrqrInfo_t)
INFO(CsrcholInfoHost, csrcholInfoHost_t)
INFO(CsrcholInfo, csrcholInfo_t)

/* ---- steps ---- */

static cusolverStatus_t analyse(cusolverSpHandle_t handle, struct steps *s,
                                const struct sp_source *from)
{
    SP_CALL(handle, s);
    drop_factors(s);
    sp_free(&s->a);
    s->loaded = false;
    const cusolverStatus_t status = sp_load(handle, from, &s->a);
    s->analysed = !status;
    return status;
}

static cusolverStatus_t buffers(cusolverSpHandle_t handle, const struct steps *s, size_t *internal,
                                size_t *workspace)
{
    SP_CALL(handle, s && s->analysed && internal && workspace);
    *internal = *workspace = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

static void subtract(struct sp_matrix *a, int at, const double *mu)
{
    double *v = a->val;
    for (int part = 0; part < (a->complex ? 2 : 1); part++)
        v[a->complex ? 2 * at + part : at] -= mu[part];
}

/* A - mu I, with a diagonal where there was none. */
static bool shift(struct sp_matrix *a, const double *mu)
{
    const int rows = a->m < a->n ? a->m : a->n;
    const size_t count = (size_t)a->ptr[a->m] + (size_t)rows + 1, bytes = a->complex ? 16 : 8;
    struct sp_matrix out = *a;
    out.ptr = malloc(((size_t)a->m + 1) * sizeof *out.ptr);
    out.col = malloc(count * sizeof *out.col);
    out.val = calloc(count, bytes);
    const bool right = out.ptr && out.col && out.val;
    for (int i = 0, to = 0; right && i <= a->m; i++) {
        out.ptr[i] = to;
        if (i == a->m)
            break;
        int diagonal = -1;
        for (int p = a->ptr[i]; p < a->ptr[i + 1]; p++, to++) {
            out.col[to] = a->col[p];
            memcpy((char *)out.val + (size_t)to * bytes, (char *)a->val + (size_t)p * bytes, bytes);
            if (a->col[p] == i)
                diagonal = to;
        }
        if (diagonal < 0 && i < rows)
            out.col[diagonal = to++] = i;
        if (diagonal >= 0)
            subtract(&out, diagonal, mu);
    }
    if (!right) {
        sp_free(&out);
        return false;
    }
    sp_free(a);
    *a = out;
    return true;
}

/* Values, less mu on the diagonal. */
static cusolverStatus_t load(cusolverSpHandle_t handle, struct steps *s,
                             const struct sp_source *from, const void *mu)
{
    SP_CALL(handle, s && s->analysed && from->val);
    drop_factors(s);
    sp_free(&s->a);
    const cusolverStatus_t status = sp_load(handle, from, &s->a);
    s->loaded = !status;
    s->ops = sp_ops_of(s->a.complex);
    if (status || !mu)
        return status;
    double *by = sp_get(handle->stream, from->type, mu, 1, false);
    const bool none = by && by[0] == 0 && (!s->a.complex || by[1] == 0);
    s->loaded = by && (none || shift(&s->a, by));
    free(by);
    return s->loaded ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

static cusolverStatus_t factors(struct steps *s, void *f, void (*release)(void *))
{
    s->f = f;
    s->release = release;
    return s->bad == SP_NO_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}

static double real_of(enum lib_type type, const void *at)
{
    return type == LIB_F32 || type == LIB_C32 ? (double)*(const float *)at : *(const double *)at;
}

/* Where there is no factor, the pivot that failed is the one. */
static cusolverStatus_t zero_pivot(cusolverSpHandle_t handle, const struct steps *s,
                                   enum lib_type type, const void *tol,
                                   int (*small)(const void *, double), int *position)
{
    SP_CALL(handle, s && s->loaded && position);
    if (s->f)
        *position = small(s->f, real_of(type, tol));
    else
        *position = s->bad;
    return CUSOLVER_STATUS_SUCCESS;
}

enum method { CHOLESKY, ELIMINATE, REFLECT };

static cusolverStatus_t solution(cusolverSpHandle_t handle, const struct steps *s,
                                 enum lib_type type, enum method how, const void *b, void *x,
                                 bool on_device)
{
    SP_CALL(handle, s && s->loaded && b && x);
    if (!s->f)
        return CUSOLVER_STATUS_INTERNAL_ERROR; /* ZeroPivot says where */
    void *hb = sp_get(handle->stream, type, b, s->a.m, on_device);
    void *hx = calloc((size_t)s->a.n + 1, 16);
    bool right = hb && hx;
    if (right) {
        if (how == CHOLESKY)
            s->ops->solve_cholesky(s->f, hb, hx);
        else if (how == ELIMINATE)
            s->ops->solve_eliminated(s->f, hb, hx);
        else
            s->ops->solve_reflected(s->f, hb, hx);
        right = sp_put(handle->stream, type, x, hx, s->a.n, on_device);
    }
    free(hb);
    free(hx);
    return right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

static struct sp_source source(int64_t m, int64_t n, int64_t nnz, cusparseMatDescr_t descr,
                               enum lib_type type, const void *val, const int *ptr, const int *col,
                               bool on_device)
{
    return (struct sp_source){(int)m, (int)n, (int)nnz, descr, type, val, ptr, col, on_device};
}

/* The steps of an info, or of none. */
#define OF(info) ((info) ? &(info)->s : NULL)

/* ---- Cholesky, of the host's and of the device's memory ---- */

#define CHOL(Host, host, type_of, device)                                                          \
    cusolverStatus_t cusolverSpXcsrcholAnalysis##Host(                                             \
        cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descr, const int *ptr, \
        const int *col, type_of info)                                                              \
    {                                                                                              \
        const struct sp_source s = source(n, n, nnz, descr, LIB_F64, NULL, ptr, col, device);      \
        return analyse(handle, OF(info), &s);                                                      \
    }                                                                                              \
    cusolverStatus_t sp_csrchol_buffer_info##host(                                                 \
        cusolverSpHandle_t handle, enum lib_type type, int64_t n, int64_t nnz,                     \
        const cusparseMatDescr_t descr, const void *val, const int *ptr, const int *col,           \
        type_of info, size_t *internal, size_t *workspace)                                         \
    {                                                                                              \
        (void)type, (void)n, (void)nnz, (void)descr, (void)val, (void)ptr, (void)col;              \
        return buffers(handle, OF(info), internal, workspace);                                     \
    }                                                                                              \
    cusolverStatus_t sp_csrchol_factor##host(                                                      \
        cusolverSpHandle_t handle, enum lib_type type, int64_t n, int64_t nnz,                     \
        const cusparseMatDescr_t descr, const void *val, const int *ptr, const int *col,           \
        type_of info, void *buffer)                                                                \
    {                                                                                              \
        const struct sp_source s = source(n, n, nnz, descr, type, val, ptr, col, device);          \
        (void)buffer;                                                                              \
        const cusolverStatus_t status = load(handle, OF(info), &s, NULL);                          \
        if (status)                                                                                \
            return status;                                                                         \
        struct steps *o = &info->s;                                                                \
        return factors(o, o->ops->cholesky(&o->a, sp_ordering(&o->a, SP_NATURAL), &o->bad),        \
                       o->ops->free_cholesky);                                                     \
    }                                                                                              \
    cusolverStatus_t sp_csrchol_zero_pivot##host(cusolverSpHandle_t handle, enum lib_type type,    \
                                                 type_of info, const void *tol, int *position)     \
    {                                                                                              \
        return zero_pivot(handle, OF(info), type, tol,                                             \
                          sp_ops_of(sp_complex(type))->small_cholesky, position);                  \
    }                                                                                              \
    cusolverStatus_t sp_csrchol_solve##host(cusolverSpHandle_t handle, enum lib_type type,         \
                                            int64_t n, const void *b, void *x, type_of info,       \
                                            void *buffer)                                          \
    {                                                                                              \
        (void)n, (void)buffer;                                                                     \
        return solution(handle, OF(info), type, CHOLESKY, b, x, device);                           \
    }
CHOL(Host, _host, csrcholInfoHost_t, false)
CHOL(, , csrcholInfo_t, true)

/* The diagonal of the factor, to the device. */
cusolverStatus_t sp_csrchol_diag(cusolverSpHandle_t handle, enum lib_type type, csrcholInfo_t info,
                                 void *diag)
{
    SP_CALL(handle, info && info->s.f && diag);
    const int n = info->s.a.n;
    double *d = malloc(((size_t)n + 1) * sizeof *d);
    if (!d)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (int k = 0; k < n; k++)
        d[k] = info->s.ops->diagonal(info->s.f, k);
    const bool right = sp_put(handle->stream, sp_complex(type) ? type - LIB_C32 + LIB_F32 : type,
                              diag, d, n, true);
    free(d);
    return right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

/* ---- reflections ---- */

#define QR(Host, host, type_of, device)                                                            \
    cusolverStatus_t cusolverSpXcsrqrAnalysis##Host(cusolverSpHandle_t handle, int m, int n,       \
                                                    int nnz, const cusparseMatDescr_t descr,       \
                                                    const int *ptr, const int *col, type_of info)  \
    {                                                                                              \
        const struct sp_source s = source(m, n, nnz, descr, LIB_F64, NULL, ptr, col, device);      \
        return analyse(handle, OF(info), &s);                                                      \
    }                                                                                              \
    cusolverStatus_t sp_csrqr_buffer_info##host(                                                   \
        cusolverSpHandle_t handle, enum lib_type type, int64_t m, int64_t n, int64_t nnz,          \
        const cusparseMatDescr_t descr, const void *val, const int *ptr, const int *col,           \
        type_of info, size_t *internal, size_t *workspace)                                         \
    {                                                                                              \
        (void)type, (void)m, (void)n, (void)nnz, (void)descr, (void)val, (void)ptr, (void)col;     \
        return buffers(handle, OF(info), internal, workspace);                                     \
    }                                                                                              \
    cusolverStatus_t sp_csrqr_setup##host(                                                         \
        cusolverSpHandle_t handle, enum lib_type type, int64_t m, int64_t n, int64_t nnz,          \
        const cusparseMatDescr_t descr, const void *val, const int *ptr, const int *col,           \
        const void *mu, type_of info)                                                              \
    {                                                                                              \
        const struct sp_source s = source(m, n, nnz, descr, type, val, ptr, col, device);          \
        return load(handle, OF(info), &s, mu);                                                     \
    }                                                                                              \
    cusolverStatus_t sp_csrqr_factor##host(cusolverSpHandle_t handle, enum lib_type type,          \
                                           int64_t m, int64_t n, int64_t nnz, void *b, void *x,    \
                                           type_of info, void *buffer)                             \
    {                                                                                              \
        (void)m, (void)n, (void)nnz, (void)buffer;                                                 \
        SP_CALL(handle, info && info->s.loaded);                                                   \
        struct steps *o = &info->s;                                                                \
        drop_factors(o);                                                                           \
        const cusolverStatus_t status =                                                            \
            factors(o, o->ops->reflect(&o->a, sp_ordering(&o->a, SP_NATURAL), &o->bad),            \
                    o->ops->free_reflected);                                                       \
        return status || !b || !x ? status : solution(handle, o, type, REFLECT, b, x, device);     \
    }                                                                                              \
    cusolverStatus_t sp_csrqr_zero_pivot##host(cusolverSpHandle_t handle, enum lib_type type,      \
                                               type_of info, const void *tol, int *position)       \
    {                                                                                              \
        return zero_pivot(handle, OF(info), type, tol,                                             \
                          sp_ops_of(sp_complex(type))->small_reflected, position);                 \
    }                                                                                              \
    cusolverStatus_t sp_csrqr_solve##host(cusolverSpHandle_t handle, enum lib_type type,           \
                                          int64_t m, int64_t n, void *b, void *x, type_of info,    \
                                          void *buffer)                                            \
    {                                                                                              \
        (void)m, (void)n, (void)buffer;                                                            \
        return solution(handle, OF(info), type, REFLECT, b, x, device);                            \
    }
QR(Host, _host, csrqrInfoHost_t, false)
QR(, , csrqrInfo_t, true)

/* Many matrices of one pattern. */
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnz,
                                                 const cusparseMatDescr_t descr, const int *ptr,
                                                 const int *col, csrqrInfo_t info)
{
    return cusolverSpXcsrqrAnalysis(handle, m, n, nnz, descr, ptr, col, info);
}

cusolverStatus_t sp_csrqr_buffer_info_batched(cusolverSpHandle_t handle, enum lib_type type,
                                              int64_t m, int64_t n, int64_t nnz,
                                              const cusparseMatDescr_t descr, const void *val,
                                              const int *ptr, const int *col, int64_t count,
                                              csrqrInfo_t info, size_t *internal, size_t *workspace)
{
    SP_CALL(handle, count >= 0);
    return sp_csrqr_buffer_info(handle, type, m, n, nnz, descr, val, ptr, col, info, internal,
                                workspace);
}

cusolverStatus_t sp_csrqrsv_batched(cusolverSpHandle_t handle, enum lib_type type, int64_t m,
                                    int64_t n, int64_t nnz, const cusparseMatDescr_t descr,
                                    const void *val, const int *ptr, const int *col, const void *b,
                                    void *x, int64_t count, csrqrInfo_t info, void *buffer)
{
    const size_t element = lib_types[type].bytes;
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;
    SP_CALL(handle, info && info->s.analysed && count >= 0 && val && b && x);
    for (int64_t k = 0; k < count && !status; k++) {
        const struct sp_source s =
            source(m, n, nnz, descr, type, (const char *)val + (size_t)(k * nnz) * element, ptr,
                   col, true);
        status = load(handle, &info->s, &s, NULL);
        if (!status)
            status = sp_csrqr_factor(handle, type, m, n, nnz, (char *)b + (size_t)(k * m) * element,
                                     (char *)x + (size_t)(k * n) * element, info, buffer);
    }
    return status;
}

/* ---- elimination, of the host's memory ---- */

cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnz,
                                              const cusparseMatDescr_t descr, const int *ptr,
                                              const int *col, csrluInfoHost_t info)
{
    const struct sp_source s = source(n, n, nnz, descr, LIB_F64, NULL, ptr, col, false);
    return analyse(handle, OF(info), &s);
}

cusolverStatus_t sp_csrlu_buffer_info_host(cusolverSpHandle_t handle, enum lib_type type, int64_t n,
                                           int64_t nnz, const cusparseMatDescr_t descr,
                                           const void *val, const int *ptr, const int *col,
                                           csrluInfoHost_t info, size_t *internal,
                                           size_t *workspace)
{
    (void)type, (void)n, (void)nnz, (void)descr, (void)val, (void)ptr, (void)col;
    return buffers(handle, OF(info), internal, workspace);
}

cusolverStatus_t sp_csrlu_factor_host(cusolverSpHandle_t handle, enum lib_type type, int64_t n,
                                      int64_t nnz, const cusparseMatDescr_t descr, const void *val,
                                      const int *ptr, const int *col, csrluInfoHost_t info,
                                      const void *threshold, void *buffer)
{
    const struct sp_source s = source(n, n, nnz, descr, type, val, ptr, col, false);
    (void)buffer;
    const cusolverStatus_t status = load(handle, OF(info), &s, NULL);
    if (status)
        return status;
    struct steps *o = &info->s;
    return factors(
        o,
        o->ops->eliminate(&o->a, sp_ordering(&o->a, SP_NATURAL), real_of(type, threshold), &o->bad),
        o->ops->free_eliminated);
}

cusolverStatus_t sp_csrlu_zero_pivot_host(cusolverSpHandle_t handle, enum lib_type type,
                                          csrluInfoHost_t info, const void *tol, int *position)
{
    return zero_pivot(handle, OF(info), type, tol, sp_ops_of(sp_complex(type))->small_eliminated,
                      position);
}

cusolverStatus_t sp_csrlu_solve_host(cusolverSpHandle_t handle, enum lib_type type, int64_t n,
                                     const void *b, void *x, csrluInfoHost_t info, void *buffer)
{
    (void)n, (void)buffer;
    return solution(handle, OF(info), type, ELIMINATE, b, x, false);
}

cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int *lower, int *upper,
                                         csrluInfoHost_t info)
{
    SP_CALL(handle, lower && upper && info && info->s.f);
    info->s.ops->sizes(info->s.f, lower, upper);
    return CUSOLVER_STATUS_SUCCESS;
}

static void hand_over(const struct sp_matrix *m, enum lib_type type, cusparseMatDescr_t descr,
                      void *val, int *ptr, int *col)
{
    const int base = descr ? (int)cusparseGetMatIndexBase(descr) : 0, count = m->ptr[m->m];
    for (int i = 0; i <= m->m; i++)
        ptr[i] = m->ptr[i] + base;
    for (int p = 0; p < count; p++)
        col[p] = m->col[p] + base;
    sp_put(NULL, type, val, m->val, count, false);
}

cusolverStatus_t sp_csrlu_extract_host(cusolverSpHandle_t handle, enum lib_type type, int *P,
                                       int *Q, const cusparseMatDescr_t descrL, void *valL,
                                       int *ptrL, int *colL, const cusparseMatDescr_t descrU,
                                       void *valU, int *ptrU, int *colU, csrluInfoHost_t info,
                                       void *buffer)
{
    struct sp_matrix lower, upper;
    (void)buffer;
    SP_CALL(handle, P && Q && valL && ptrL && colL && valU && ptrU && colU && info && info->s.f);
    const bool right = info->s.ops->extract(info->s.f, P, Q, &lower, &upper);
    if (right) {
        hand_over(&lower, type, descrL, valL, ptrL, colL);
        hand_over(&upper, type, descrU, valU, ptrU, colU);
    }
    sp_free(&lower);
    sp_free(&upper);
    return right ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}
