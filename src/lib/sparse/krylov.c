/* Krylov methods on the device: see cuda/tern_krylov.h. The methods below are lists of launches;
 * scalars are computed between them by one thread (krylov_stage), and once the method is done the
 * rest of the list changes nothing. */
#include <stdlib.h>
#include <string.h>
#include "lib/sparse/sparse_int.h"
#include "cuda/tern_krylov.h"
#include "device/sparse/krylov_scalars.h"

static const char header[] = "sparse/krylov.h";
static const tern_dim threads = {SPARSE_THREADS};

enum {
    DOT_BLOCKS = 256,
    LOOK = 16, /* iterations between looks at whether it is done */
    RESTART = 30,
    MAX_RESTART = 1000,
};

struct krylov {
    cusparseHandle_t h;
    cusparseConstSpMatDescr_t a;
    enum lib_type t;
    int64_t n;
    int m;         /* GMRES: steps of a cycle; else 0 */
    double *s;     /* scalars */
    double *parts; /* of dots */
    char *memory;  /* vectors */
    size_t bytes;  /* of one */
    enum tern_error e;
    cusparseDnVecDescr_t from, to;
    /* the preconditioner */
    ternPrecondition_t kind;
    void *diagonal, *values, *between;
    cusparseSpMatDescr_t lower, upper;
    cusparseSpSVDescr_t solve_lower, solve_upper;
    cusparseOperation_t second;
};

static void note(struct krylov *k, enum tern_error e)
{
    if (!k->e)
        k->e = e;
}

static void note_status(struct krylov *k, cusparseStatus_t s)
{
    if (s != CUSPARSE_STATUS_SUCCESS)
        note(k, s == CUSPARSE_STATUS_ALLOC_FAILED    ? TERN_OUT_OF_MEMORY
                : s == CUSPARSE_STATUS_NOT_SUPPORTED ? TERN_UNSUPPORTED
                : s == CUSPARSE_STATUS_INVALID_VALUE ? TERN_INVALID_ARGUMENT
                                                     : TERN_DEVICE_LOST);
}

static void *vector(const struct krylov *k, int i)
{
    return k->memory + (size_t)i * k->bytes;
}

/* ---- steps ---- */

static void dot(struct krylov *k, int to, const void *x, const void *y)
{
    tern_dim grid = sparse_grid(k->n);
    if (grid.x > DOT_BLOCKS)
        grid.x = DOT_BLOCKS;
    int blocks = (int)grid.x;
    if (!k->e)
        note(k, sparse_run(k->h, header, grid, threads, (void *[]){&k->n, &x, &y, &k->parts},
                           "krylov_dot<%s>", sparse_type(k->t)));
    if (!k->e)
        note(k, sparse_run(k->h, header, (tern_dim){1}, (tern_dim){SPARSE_WARP},
                           (void *[]){&blocks, &k->parts, &k->s, &to}, "krylov_total"));
}

static void stage(struct krylov *k, int which, int j)
{
    if (!k->e)
        note(k, sparse_run(k->h, header, (tern_dim){1}, (tern_dim){1},
                           (void *[]){&k->s, &which, &j, &k->m}, "krylov_stage"));
}

/* z = s[a] * x + s[b] * y */
static void combine(struct krylov *k, int a, const void *x, int b, const void *y, void *z)
{
    if (!k->e)
        note(k, sparse_run(k->h, header, sparse_grid(k->n), threads,
                           (void *[]){&k->n, &k->s, &a, &x, &b, &y, &z}, "krylov_combine<%s>",
                           sparse_type(k->t)));
}

static void multiply(struct krylov *k, const void *x, void *y)
{
    static const double one = 1, zero = 0;
    static const float one32 = 1, zero32 = 0;
    const bool wide = k->t == LIB_F64;
    if (k->e)
        return;
    k->from->values = (void *)(uintptr_t)x;
    k->to->values = y;
    note_status(k, cusparseSpMV(k->h, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                wide ? (const void *)&one : &one32, k->a, k->from,
                                wide ? (const void *)&zero : &zero32, k->to,
                                wide ? CUDA_R_64F : CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
}

static void copy(struct krylov *k, const void *x, void *y)
{
    if (!k->e && k->n)
        note(k, lib_error(cudaMemcpyAsync(y, x, (size_t)k->n * lib_types[k->t].bytes,
                                          cudaMemcpyDeviceToDevice, k->h->stream)));
}

static void triangle(struct krylov *k, cusparseSpMatDescr_t m, cusparseSpSVDescr_t d,
                     cusparseOperation_t op, const void *x, void *y, bool analyse)
{
    static const double one = 1;
    static const float one32 = 1;
    const bool wide = k->t == LIB_F64;
    const void *alpha = wide ? (const void *)&one : &one32;
    const cudaDataType type = wide ? CUDA_R_64F : CUDA_R_32F;
    if (k->e)
        return;
    k->from->values = (void *)(uintptr_t)x;
    k->to->values = y;
    note_status(k, analyse ? cusparseSpSV_analysis(k->h, op, alpha, m, k->from, k->to, type,
                                                   CUSPARSE_SPSV_ALG_DEFAULT, d, NULL)
                           : cusparseSpSV_solve(k->h, op, alpha, m, k->from, k->to, type,
                                                CUSPARSE_SPSV_ALG_DEFAULT, d));
}

/* z = M^-1 r */
static void precondition(struct krylov *k, const void *r, void *z)
{
    switch (k->kind) {
    case TERN_PRECONDITION_JACOBI:
        if (!k->e)
            note(k, sparse_run(k->h, header, sparse_grid(k->n), threads,
                               (void *[]){&k->n, &k->diagonal, &r, &z}, "krylov_jacobi<%s>",
                               sparse_type(k->t)));
        break;
    case TERN_PRECONDITION_ILU0:
    case TERN_PRECONDITION_IC0:
        triangle(k, k->lower, k->solve_lower, CUSPARSE_OPERATION_NON_TRANSPOSE, r, k->between,
                 false);
        triangle(k, k->upper, k->solve_upper, k->second, k->between, z, false);
        break;
    default: copy(k, r, z);
    }
}

/* ---- preconditioners ---- */

static void make_jacobi(struct krylov *k)
{
    bool by_columns;
    int kind;
    struct sparse_view v = sparse_view(k->a, 0, &by_columns, &kind);
    if (k->a->format == CUSPARSE_FORMAT_COO) {
        note(k, TERN_UNSUPPORTED);
        return;
    }
    note(k, lib_error(cudaMalloc(&k->diagonal, k->bytes)));
    if (!k->e)
        note(k, sparse_run(k->h, header, sparse_warp_grid(v.lines), threads,
                           (void *[]){&v, &k->diagonal}, "krylov_diagonal<%s<%s, %s>, %s>",
                           sparse_walk(kind), sparse_index(k->a->offset_type),
                           sparse_index(k->a->index_type), sparse_type(k->t)));
}

/* The factors' values, in a copy. A pivot that is zero is the end. */
static cusparseStatus_t factor(struct krylov *k, bool ilu)
{
    struct cusparseMatDescr d = {.base = k->a->base};
    const int n = (int)k->n, nnz = (int)k->a->nnz;
    const int *offsets = k->a->offsets, *indices = k->a->indices;
    const cusparseSolvePolicy_t policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    int position;
    cusparseStatus_t s;
    if (ilu) {
        csrilu02Info_t info;
        s = cusparseCreateCsrilu02Info(&info);
        if (s != CUSPARSE_STATUS_SUCCESS)
            return s;
        s = sparse_csrilu02_analysis(k->h, k->t, n, nnz, &d, k->values, offsets, indices, info,
                                     policy, NULL);
        if (s == CUSPARSE_STATUS_SUCCESS)
            s = sparse_csrilu02(k->h, k->t, n, nnz, &d, k->values, offsets, indices, info, policy,
                                NULL);
        if (s == CUSPARSE_STATUS_SUCCESS)
            s = cusparseXcsrilu02_zeroPivot(k->h, info, &position);
        cusparseDestroyCsrilu02Info(info);
        return s;
    }
    csric02Info_t info;
    s = cusparseCreateCsric02Info(&info);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    s = sparse_csric02_analysis(k->h, k->t, n, nnz, &d, k->values, offsets, indices, info, policy,
                                NULL);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = sparse_csric02(k->h, k->t, n, nnz, &d, k->values, offsets, indices, info, policy, NULL);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = cusparseXcsric02_zeroPivot(k->h, info, &position);
    cusparseDestroyCsric02Info(info);
    return s;
}

static cusparseStatus_t make_factors(struct krylov *k, bool ilu)
{
    const struct cusparseSpMatDescr *a = k->a;
    if (a->format != CUSPARSE_FORMAT_CSR || a->offset_type != CUSPARSE_INDEX_32I ||
        a->index_type != CUSPARSE_INDEX_32I || k->n > INT32_MAX || a->nnz > INT32_MAX)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    const size_t bytes = (size_t)a->nnz * lib_types[k->t].bytes;
    note(k, lib_error(cudaMalloc(&k->values, bytes ? bytes : 1)));
    if (!k->e)
        note(k, lib_error(cudaMalloc(&k->between, k->bytes)));
    if (!k->e)
        note(k, lib_error(cudaMemcpyAsync(k->values, a->values, bytes, cudaMemcpyDeviceToDevice,
                                          k->h->stream)));
    if (k->e)
        return sparse_status(k->e);
    const cusparseStatus_t s = factor(k, ilu);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    k->lower = malloc(sizeof *k->lower);
    k->upper = malloc(sizeof *k->upper);
    if (!k->lower || !k->upper)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *k->lower = *k->upper = *a;
    k->lower->values = k->upper->values = k->values;
    k->lower->fill = CUSPARSE_FILL_MODE_LOWER;
    k->lower->diag = ilu ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    k->upper->fill = ilu ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    k->upper->diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
    k->second = ilu ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    note_status(k, cusparseSpSV_createDescr(&k->solve_lower));
    note_status(k, cusparseSpSV_createDescr(&k->solve_upper));
    triangle(k, k->lower, k->solve_lower, CUSPARSE_OPERATION_NON_TRANSPOSE, k->memory, k->between,
             true);
    triangle(k, k->upper, k->solve_upper, k->second, k->memory, k->between, true);
    return sparse_status(k->e);
}

/* ---- the methods ---- */

/* r = b - A x */
static void residual(struct krylov *k, const void *b, const void *x, void *r)
{
    multiply(k, x, r);
    combine(k, KRYLOV_ONE, b, KRYLOV_MINUS, r, r);
}

/* Whether it is done; the host waits. */
static bool done(struct krylov *k)
{
    double flag = 0;
    if (!k->e)
        note(k, sparse_read(k->h, k->s + KRYLOV_DONE, sizeof flag, &flag));
    return k->e || flag != 0;
}

static void begin(struct krylov *k, const void *b, const void *x, void *r)
{
    residual(k, b, x, r);
    dot(k, KRYLOV_A, b, b);
    dot(k, KRYLOV_B, r, r);
    stage(k, STAGE_BEGIN, 0);
}

static void conjugate_gradients(struct krylov *k, const void *b, void *x, int most)
{
    void *r = vector(k, 0), *z = vector(k, 1), *p = vector(k, 2), *q = vector(k, 3);
    begin(k, b, x, r);
    precondition(k, r, z);
    copy(k, z, p);
    dot(k, KRYLOV_A, r, z);
    for (int i = 0; i < most; i++) {
        if (i % LOOK == 0 && done(k))
            return;
        multiply(k, p, q);
        dot(k, KRYLOV_B, p, q);
        stage(k, STAGE_CG_ALPHA, 0);
        combine(k, KRYLOV_C, p, KRYLOV_ONE, x, x);
        combine(k, KRYLOV_D, q, KRYLOV_ONE, r, r);
        precondition(k, r, z);
        dot(k, KRYLOV_B, r, z);
        dot(k, KRYLOV_E, r, r);
        stage(k, STAGE_CG_BETA, 0);
        combine(k, KRYLOV_ONE, z, KRYLOV_C, p, p);
    }
}

static void stabilised_gradients(struct krylov *k, const void *b, void *x, int most)
{
    void *r = vector(k, 0), *shadow = vector(k, 1), *p = vector(k, 2), *v = vector(k, 3),
         *hat = vector(k, 4), *t = vector(k, 5), *other = vector(k, 6);
    begin(k, b, x, r);
    copy(k, r, shadow);
    combine(k, KRYLOV_ZERO, r, KRYLOV_ZERO, r, p);
    combine(k, KRYLOV_ZERO, r, KRYLOV_ZERO, r, v);
    for (int i = 0; i < most; i++) {
        if (i % LOOK == 0 && done(k))
            return;
        dot(k, KRYLOV_B, shadow, r);
        stage(k, STAGE_BI_BETA, 0);
        combine(k, KRYLOV_F, p, KRYLOV_G, v, p);
        combine(k, KRYLOV_ONE, r, KRYLOV_ONE, p, p);
        precondition(k, p, hat);
        multiply(k, hat, v);
        dot(k, KRYLOV_B, shadow, v);
        stage(k, STAGE_BI_ALPHA, 0);
        combine(k, KRYLOV_D, v, KRYLOV_ONE, r, r);
        precondition(k, r, other);
        multiply(k, other, t);
        dot(k, KRYLOV_F, t, r);
        dot(k, KRYLOV_G, t, t);
        stage(k, STAGE_BI_OMEGA, 0);
        combine(k, KRYLOV_C, hat, KRYLOV_ONE, x, x);
        combine(k, KRYLOV_E, other, KRYLOV_ONE, x, x);
        combine(k, KRYLOV_F, t, KRYLOV_ONE, r, r);
        dot(k, KRYLOV_G, r, r);
        stage(k, STAGE_BI_CHECK, 0);
    }
}

/* One column of the basis: orthogonal to those before it. */
static void arnoldi(struct krylov *k, int j, void *w)
{
    for (int i = 0; i <= j; i++) {
        dot(k, KRYLOV_B, w, vector(k, 3 + i));
        stage(k, STAGE_GM_PROJECT, j * (k->m + 1) + i);
        combine(k, KRYLOV_D, vector(k, 3 + i), KRYLOV_ONE, w, w);
    }
    dot(k, KRYLOV_B, w, w);
    stage(k, STAGE_GM_ROTATE, j);
}

static void minimal_residuals(struct krylov *k, const void *b, void *x, int most)
{
    void *r = vector(k, 0), *z = vector(k, 1), *w = vector(k, 2), *basis = vector(k, 3);
    double *y = k->s + KRYLOV_MATRIX + (k->m + 1) * k->m + 2 * k->m + k->m + 1;
    dot(k, KRYLOV_A, b, b);
    stage(k, STAGE_FIRST, 0);
    for (int i = 0; i < most;) {
        residual(k, b, x, r);
        dot(k, KRYLOV_B, r, r);
        stage(k, STAGE_GM_BEGIN, 0);
        if (done(k))
            return;
        combine(k, KRYLOV_C, r, KRYLOV_ZERO, r, basis);
        for (int j = 0; j < k->m && i < most; j++, i++) {
            precondition(k, vector(k, 3 + j), z);
            multiply(k, z, w);
            arnoldi(k, j, w);
            if (j + 1 < k->m)
                combine(k, KRYLOV_C, w, KRYLOV_ZERO, w, vector(k, 3 + j + 1));
            if (j % LOOK == LOOK - 1 && done(k))
                break;
        }
        if (!k->e)
            note(k, sparse_run(k->h, header, (tern_dim){1}, (tern_dim){1}, (void *[]){&k->s, &k->m},
                               "krylov_triangle"));
        if (!k->e)
            note(k, sparse_run(k->h, header, sparse_grid(k->n), threads,
                               (void *[]){&k->n, &k->m, &basis, &y, &w}, "krylov_basis<%s>",
                               sparse_type(k->t)));
        precondition(k, w, z);
        if (!k->e)
            note(k, sparse_run(k->h, header, sparse_grid(k->n), threads, (void *[]){&k->n, &z, &x},
                               "krylov_add<%s>", sparse_type(k->t)));
    }
}

static void symmetric_residuals(struct krylov *k, const void *b, void *x, int most)
{
    void *v = vector(k, 0), *v_last = vector(k, 1), *v_next = vector(k, 2), *z = vector(k, 3),
         *z_next = vector(k, 4), *w = vector(k, 5), *w_last = vector(k, 6), *w_next = vector(k, 7);
    residual(k, b, x, v);
    precondition(k, v, z);
    dot(k, KRYLOV_A, z, v);
    stage(k, STAGE_MR_BEGIN, 0);
    combine(k, KRYLOV_ZERO, v, KRYLOV_ZERO, v, v_last);
    combine(k, KRYLOV_ZERO, v, KRYLOV_ZERO, v, w);
    combine(k, KRYLOV_ZERO, v, KRYLOV_ZERO, v, w_last);
    for (int i = 0; i < most; i++) {
        if (i % LOOK == 0 && done(k))
            return;
        combine(k, KRYLOV_C, z, KRYLOV_ZERO, z, z);
        multiply(k, z, v_next);
        dot(k, KRYLOV_B, v_next, z);
        stage(k, STAGE_MR_DELTA, 0);
        combine(k, KRYLOV_D, v, KRYLOV_ONE, v_next, v_next);
        combine(k, KRYLOV_E, v_last, KRYLOV_ONE, v_next, v_next);
        precondition(k, v_next, z_next);
        dot(k, KRYLOV_A, z_next, v_next);
        stage(k, STAGE_MR_ROTATE, 0);
        combine(k, KRYLOV_D, z, KRYLOV_E, w_last, w_next);
        combine(k, KRYLOV_F, w, KRYLOV_ONE, w_next, w_next);
        combine(k, KRYLOV_G, w_next, KRYLOV_ONE, x, x);
        stage(k, STAGE_MR_CHECK, 0);
        void *t = v_last;
        v_last = v;
        v = v_next;
        v_next = t;
        t = w_last;
        w_last = w;
        w = w_next;
        w_next = t;
        t = z;
        z = z_next;
        z_next = t;
    }
}

/* ---- beginning and end ---- */

static void open_krylov(struct krylov *k, cusparseHandle_t h, cusparseConstSpMatDescr_t a,
                        enum lib_type t, int vectors, int m, double tolerance)
{
    *k = (struct krylov){.h = h, .a = a, .t = t, .n = a->rows, .m = m};
    /* Vectors of a basis follow each other without gaps. */
    k->bytes = (size_t)k->n * lib_types[t].bytes;
    const size_t scalars = KRYLOV_MATRIX + (size_t)(m + 1) * (size_t)m + 5 * (size_t)m + 2;
    double first[KRYLOV_MATRIX] = {
        [KRYLOV_ONE] = 1, [KRYLOV_MINUS] = -1, [KRYLOV_TOLERANCE] = tolerance};
    note(k, lib_error(cudaMalloc((void **)&k->s, scalars * sizeof(double))));
    if (!k->e)
        note(k, lib_error(cudaMalloc((void **)&k->parts, DOT_BLOCKS * sizeof(double))));
    if (!k->e)
        note(k, lib_error(cudaMalloc((void **)&k->memory, k->bytes * (size_t)vectors + 16)));
    if (!k->e)
        note(k, lib_error(
                    cudaMemcpyAsync(k->s, first, sizeof first, cudaMemcpyHostToDevice, h->stream)));
    if (!k->e)
        note(k, lib_error(cudaStreamSynchronize(h->stream)));
    k->from = calloc(1, sizeof *k->from);
    k->to = calloc(1, sizeof *k->to);
    if (!k->from || !k->to) {
        note(k, TERN_OUT_OF_MEMORY);
        return;
    }
    k->from->size = k->to->size = k->n;
    k->from->type = k->to->type = t;
}

static void close_krylov(struct krylov *k)
{
    void *const device[] = {k->s, k->parts, k->memory, k->diagonal, k->values, k->between};
    cudaStreamSynchronize(k->h->stream);
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        if (device[i])
            cudaFree(device[i]);
    if (k->solve_lower)
        cusparseSpSV_destroyDescr(k->solve_lower);
    if (k->solve_upper)
        cusparseSpSV_destroyDescr(k->solve_upper);
    free(k->lower);
    free(k->upper);
    free(k->from);
    free(k->to);
}

static cusparseStatus_t check(cusparseHandle_t h, cusparseConstSpMatDescr_t a,
                              cusparseConstDnVecDescr_t b)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    if (!a || !b || a->rows != a->cols || b->size != a->rows || a->rows == 0 || !sparse_complete(a))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if ((a->type != LIB_F32 && a->type != LIB_F64) || b->type != a->type ||
        a->format == CUSPARSE_FORMAT_BLOCKED_ELL)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return s;
}

static void run(struct krylov *k, const ternKrylovOptions_t *o, const void *b, void *x)
{
    switch (o->method) {
    case TERN_KRYLOV_CG: conjugate_gradients(k, b, x, o->maxIterations); break;
    case TERN_KRYLOV_BICGSTAB: stabilised_gradients(k, b, x, o->maxIterations); break;
    case TERN_KRYLOV_GMRES: minimal_residuals(k, b, x, o->maxIterations); break;
    default: symmetric_residuals(k, b, x, o->maxIterations);
    }
}

cusparseStatus_t ternKrylovSolve(cusparseHandle_t handle, const ternKrylovOptions_t *options,
                                 cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecB,
                                 cusparseDnVecDescr_t vecX, ternKrylovResult_t *result)
{
    sparse_log("ternKrylovSolve");
    cusparseStatus_t s = check(handle, matA, vecB);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (!options || !vecX || vecX->size != matA->rows || vecX->type != matA->type || !result ||
        (unsigned)options->method > TERN_KRYLOV_MINRES ||
        (unsigned)options->precondition > TERN_PRECONDITION_IC0 || options->maxIterations < 0 ||
        options->restart < 0 || options->restart > MAX_RESTART || !(options->tolerance >= 0))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const bool symmetric =
        options->method == TERN_KRYLOV_CG || options->method == TERN_KRYLOV_MINRES;
    if (symmetric && options->precondition == TERN_PRECONDITION_ILU0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    const int m = options->method != TERN_KRYLOV_GMRES ? 0
                  : options->restart                   ? options->restart
                                                       : RESTART;
    static const int vectors[] = {4, 7, 3, 8};
    const cusparsePointerMode_t mode = handle->pointer_mode;
    handle->pointer_mode = CUSPARSE_POINTER_MODE_HOST;
    struct krylov k;
    open_krylov(&k, handle, matA, matA->type, vectors[options->method] + m, m, options->tolerance);
    k.kind = options->precondition;
    s = sparse_status(k.e);
    if (!k.e && k.kind == TERN_PRECONDITION_JACOBI)
        make_jacobi(&k);
    else if (!k.e && k.kind != TERN_PRECONDITION_NONE)
        s = make_factors(&k, k.kind == TERN_PRECONDITION_ILU0);
    if (s == CUSPARSE_STATUS_SUCCESS) {
        double last[KRYLOV_ITERATIONS + 1] = {0};
        if (!k.e)
            run(&k, options, vecB->values, vecX->values);
        if (!k.e)
            note(&k, sparse_read(handle, k.s, sizeof last, last));
        *result = (ternKrylovResult_t){.iterations = (int)last[KRYLOV_ITERATIONS],
                                       .converged = last[KRYLOV_DONE] == 1   ? 1
                                                    : last[KRYLOV_DONE] == 0 ? 0
                                                                             : -1,
                                       .residual = last[KRYLOV_RESIDUAL]};
        s = sparse_status(k.e);
    }
    close_krylov(&k);
    handle->pointer_mode = mode;
    return s;
}

cusparseStatus_t ternLanczos(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                             cusparseConstDnVecDescr_t vecStart, int steps, double *diagonal,
                             double *off)
{
    sparse_log("ternLanczos");
    cusparseStatus_t s = check(handle, matA, vecStart);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (steps < 1 || steps > matA->rows || !diagonal || !off)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const cusparsePointerMode_t mode = handle->pointer_mode;
    handle->pointer_mode = CUSPARSE_POINTER_MODE_HOST;
    struct krylov k;
    open_krylov(&k, handle, matA, matA->type, steps + 1, 0, 0);
    copy(&k, vecStart->values, vector(&k, 0));
    for (int j = 0; j < steps; j++) {
        void *w = vector(&k, j + 1), *v = vector(&k, j);
        if (j == 0) {
            dot(&k, KRYLOV_B, v, v);
            stage(&k, STAGE_SCALE, 0);
        }
        combine(&k, KRYLOV_C, v, KRYLOV_ZERO, v, v);
        multiply(&k, v, w);
        for (int round = 0; round < 2; round++)
            for (int i = j; i >= 0; i--) {
                dot(&k, KRYLOV_B, w, vector(&k, i));
                if (round == 0 && i == j && !k.e)
                    note(&k, lib_error(cudaMemcpyAsync(diagonal + j, k.s + KRYLOV_B, sizeof(double),
                                                       cudaMemcpyDeviceToDevice, handle->stream)));
                stage(&k, STAGE_NEGATE, 0);
                combine(&k, KRYLOV_D, vector(&k, i), KRYLOV_ONE, w, w);
            }
        dot(&k, KRYLOV_B, w, w);
        stage(&k, STAGE_SCALE, 0);
        if (!k.e)
            note(&k, lib_error(cudaMemcpyAsync(off + j, k.s + KRYLOV_A, sizeof(double),
                                               cudaMemcpyDeviceToDevice, handle->stream)));
    }
    s = sparse_status(k.e);
    close_krylov(&k);
    handle->pointer_mode = mode;
    return s;
}
