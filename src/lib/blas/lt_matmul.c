/* Products of cuBLASLt: descriptors become the one product of blas_int.h, gradients of biases sums
 * beside it. */
#include <stdio.h>
#include <string.h>
#include "lib/blas/lt_int.h"

/* ---- handles: a cuBLAS handle is one too ---- */

static struct cublasContext *context(cublasLtHandle_t h)
{
    cublasStatus_t s;
    struct cublasContext *c = (struct cublasContext *)(void *)h;
    return blas_enter(c, &s) ? c : NULL;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return cublasCreate_v2((cublasHandle_t *)(void *)handle);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy_v2((cublasHandle_t)(void *)handle);
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusString(status);
}

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return CUDART_VERSION;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    return cublasGetProperty(type, value);
}

unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
    (void)mask;
    return 0;
}

/* ---- what a product is ---- */

static bool floating(enum lib_type t)
{
    return t == LIB_F16 || t == LIB_BF16 || t == LIB_F32 || t == LIB_E4M3 || t == LIB_E5M2;
}

static bool small_float(enum lib_type t)
{
    return t == LIB_E4M3 || t == LIB_E5M2;
}

/* COMBINATION rows of cuBLAS, and what only cuBLASLt has: small floats, bytes with a float scale, C
 * and D of two types. */
static bool types_of(struct lt_matmul *m)
{
    enum lib_type t[4], scale;
    for (int k = 0; k < 4; k++)
        if (!lib_type_of((cudaDataType)m->layout[k].type, &t[k]))
            return false;
    if (!lib_type_of((cudaDataType)m->d.scale_type, &scale))
        return false;
    const struct cublasContext plain = {0};
    const cublasComputeType_t compute = (cublasComputeType_t)m->d.compute;
    if (t[LT_A] == t[LT_B] && t[LT_C] == t[LT_D] &&
        blas_types_of(&plain, (cudaDataType)m->layout[LT_A].type,
                      (cudaDataType)m->layout[LT_B].type, (cudaDataType)m->layout[LT_D].type,
                      compute, &m->types, &m->scalar) &&
        (m->scalar == scale || (m->scalar == LIB_F16 && scale == LIB_F32))) {
        m->scalar = scale;
        return true;
    }
    const bool f32 = compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
                     compute == CUBLAS_COMPUTE_32F_FAST_16F ||
                     compute == CUBLAS_COMPUTE_32F_FAST_16BF ||
                     compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    const bool i32 = compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC;
    m->scalar = scale;
    m->types = (struct blas_types){.a = t[LT_A],
                                   .b = t[LT_B],
                                   .c = t[LT_D],
                                   .source = t[LT_C],
                                   .apart = t[LT_C] != t[LT_D],
                                   .fast = m->d.fast != 0,
                                   .sum = i32 ? LIB_I32 : LIB_F32,
                                   .scale = LIB_F32};
    if (scale != LIB_F32)
        return false;
    if (i32)
        return t[LT_A] == LIB_I8 && t[LT_B] == LIB_I8 && t[LT_C] == LIB_I8 && t[LT_D] == LIB_I8;
    return f32 && floating(t[LT_A]) && floating(t[LT_B]) && floating(t[LT_C]) &&
           floating(t[LT_D]) &&
           (t[LT_A] == t[LT_B] || (small_float(t[LT_A]) && small_float(t[LT_B])));
}

/* Distances between rows and columns; false: they are not all the same. */
static bool strides(const struct lt_layout *l, int64_t *row, int64_t *col)
{
    if (l->order != CUBLASLT_ORDER_COL && l->order != CUBLASLT_ORDER_ROW)
        return false;
    *row = l->order == CUBLASLT_ORDER_COL ? 1 : l->ld;
    *col = l->order == CUBLASLT_ORDER_COL ? l->ld : 1;
    return true;
}

static bool operand(const struct lt_layout *l, int32_t op, struct blas_operand *o)
{
    int64_t row, col;
    if (!strides(l, &row, &col) || op < CUBLAS_OP_N || op > CUBLAS_OP_C)
        return false;
    const bool plain = op == CUBLAS_OP_N;
    *o = (struct blas_operand){.row = plain ? row : col,
                               .col = plain ? col : row,
                               .stride = l->stride,
                               .array = l->mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY,
                               .conj = op == CUBLAS_OP_C};
    return true;
}

static bool fits(const struct lt_layout *l)
{
    const int64_t least = (int64_t)(l->order == CUBLASLT_ORDER_ROW ? l->cols : l->rows);
    return l->order > CUBLASLT_ORDER_ROW || l->ld >= (least > 1 ? least : 1) || l->ld < 0;
}

static cublasStatus_t shapes(struct lt_matmul *m)
{
    struct blas_product *p = &m->p;
    const struct lt_layout *l = m->layout;
    for (int k = 0; k < 4; k++)
        if (!fits(&l[k]))
            return CUBLAS_STATUS_INVALID_VALUE;
    if (!operand(&l[LT_A], m->d.transa, &p->a) || !operand(&l[LT_B], m->d.transb, &p->b))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    int64_t c_row, c_col, d_row, d_col;
    if (!strides(&l[LT_C], &c_row, &c_col) || !strides(&l[LT_D], &d_row, &d_col) ||
        m->d.transc != CUBLAS_OP_N || m->d.fill != CUBLAS_FILL_MODE_FULL)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const bool ta = m->d.transa != CUBLAS_OP_N, tb = m->d.transb != CUBLAS_OP_N;
    p->m = (int64_t)(ta ? l[LT_A].cols : l[LT_A].rows);
    p->k = (int64_t)(ta ? l[LT_A].rows : l[LT_A].cols);
    p->n = (int64_t)(tb ? l[LT_B].rows : l[LT_B].cols);
    m->batch = l[LT_D].batch;
    if ((int64_t)(tb ? l[LT_B].cols : l[LT_B].rows) != p->k || (int64_t)l[LT_D].rows != p->m ||
        (int64_t)l[LT_D].cols != p->n || (int64_t)l[LT_C].rows != p->m ||
        (int64_t)l[LT_C].cols != p->n || m->batch < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int k = 0; k < 3; k++)
        if (l[k].batch != m->batch)
            return CUBLAS_STATUS_INVALID_VALUE;
    p->c_row = c_row;
    p->c_col = c_col;
    p->d_row = d_row;
    p->d_col = d_col;
    p->c_stride = l[LT_C].stride;
    p->d_stride = l[LT_D].stride;
    p->c_array = l[LT_C].mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY;
    p->d_array = l[LT_D].mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY;
    return CUBLAS_STATUS_SUCCESS;
}

enum { RELU = 2, BIAS = 4, DRELU = 8, BGRAD = 16, GELU = 32, DGELU = 64, AUX = 128 };

static enum lib_type bias_type(const struct lt_matmul *m)
{
    enum lib_type t;
    if (m->d.bias_type >= 0 && lib_type_of((cudaDataType)m->d.bias_type, &t))
        return t;
    if (small_float(m->types.c))
        return m->types.apart && m->types.source == LIB_F16 ? LIB_F16 : LIB_BF16;
    return m->types.c == LIB_I8 ? LIB_F32 : m->types.c;
}

static cublasStatus_t epilogue(struct lt_matmul *m)
{
    const uint32_t wanted = m->d.epilogue;
    struct blas_epilogue *e = &m->p.e;
    static const int modes[] = {CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
                                CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F};
    for (int k = 0; k < LT_SCALES; k++)
        if (m->d.scale_mode[k] != modes[0] &&
            !(m->d.scale_mode[k] == modes[1] && (k == LT_A || k == LT_B)))
            return CUBLAS_STATUS_NOT_SUPPORTED;
    if (m->d.scale_mode[LT_A] != m->d.scale_mode[LT_B] || m->d.scale[LT_OUT] || m->d.aux_amax)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    e->scale_mode = m->d.scale_mode[LT_A] == modes[1];
    e->a_scale = m->d.scale[LT_A];
    e->b_scale = m->d.scale[LT_B];
    e->c_scale = m->d.scale[LT_C];
    e->d_scale = m->d.scale[LT_D];
    e->amax = m->d.amax;
    const bool gradients = wanted == CUBLASLT_EPILOGUE_BGRADA || wanted == CUBLASLT_EPILOGUE_BGRADB;
    if (wanted & RELU)
        e->activation = BLAS_RELU;
    else if (wanted & GELU)
        e->activation = BLAS_GELU;
    else if (wanted & DRELU)
        e->activation = BLAS_DRELU;
    else if (wanted & DGELU)
        e->activation = BLAS_DGELU;
    const uint32_t known = 1 | RELU | BIAS | DRELU | BGRAD | GELU | DGELU | AUX;
    if (!gradients && wanted & ~known)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    m->types.epilogue = e->activation || (wanted & BIAS && !gradients) || e->a_scale ||
                        e->b_scale || e->c_scale || e->d_scale || e->amax || m->p.scalar_vector;
    if (m->types.epilogue && m->types.scale != LIB_F32)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!gradients && wanted & AUX) {
        enum lib_type t = m->types.c;
        const bool bits = wanted & (RELU | DRELU);
        if (m->d.aux_type >= 0 && !bits &&
            (!lib_type_of((cudaDataType)m->d.aux_type, &t) || t != m->types.c))
            return CUBLAS_STATUS_NOT_SUPPORTED;
        if (!m->d.aux || m->d.aux_ld < m->p.m || m->layout[LT_D].order != CUBLASLT_ORDER_COL)
            return CUBLAS_STATUS_INVALID_VALUE;
        e->aux = m->d.aux;
        e->aux_ld = m->d.aux_ld;
        e->aux_stride = m->d.aux_stride;
        e->aux_out = (wanted & (RELU | GELU)) != 0;
    }
    if (wanted & BIAS && !gradients) {
        const enum lib_type t = bias_type(m);
        if (!m->d.bias)
            return CUBLAS_STATUS_INVALID_VALUE;
        e->bias = m->d.bias;
        e->bias_stride = m->d.bias_stride;
        e->bias_kind = t == m->types.c ? 1 : t == LIB_F32 ? 2 : t == LIB_BF16 ? 3 : 4;
        if (t != m->types.c && t != LIB_F32 && t != LIB_BF16 && t != LIB_F16)
            return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* All that can be said before there are matrices; of groups nothing is known but types. */
static cublasStatus_t describe(const cublasLtMatmulDescOpaque_t *desc,
                               const cublasLtMatrixLayoutOpaque_t *a,
                               const cublasLtMatrixLayoutOpaque_t *b,
                               const cublasLtMatrixLayoutOpaque_t *c,
                               const cublasLtMatrixLayoutOpaque_t *d, struct lt_matmul *m)
{
    if (!desc || !a || !b || !d)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lt_grouped(d)) {
        const cublasLtMatrixLayoutOpaque_t *given[4] = {a, b, c ? c : d, d};
        cublasLtMatrixLayoutOpaque_t one[4];
        for (int k = 0; k < 4; k++)
            one[k] = lt_one_of_group(given[k]);
        cublasLtMatmulDescOpaque_t plain = lt_desc_of_group(desc);
        return describe(&plain, &one[0], &one[1], &one[2], &one[3], m);
    }
    memset(m, 0, sizeof *m);
    memcpy(&m->d, desc, sizeof m->d);
    memcpy(&m->layout[LT_A], a, sizeof *m->layout);
    memcpy(&m->layout[LT_B], b, sizeof *m->layout);
    memcpy(&m->layout[LT_C], c ? c : d, sizeof *m->layout);
    memcpy(&m->layout[LT_D], d, sizeof *m->layout);
    m->p.scalar_vector = m->d.pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO ||
                         m->d.pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
    cublasStatus_t s = lt_pack_describe(m);
    if (s != CUBLAS_STATUS_SUCCESS)
        return s;
    if (!types_of(m) || m->d.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    s = shapes(m);
    return s != CUBLAS_STATUS_SUCCESS ? s : epilogue(m);
}

/* ---- gradients of biases: sums of rows, in the type of the bias ---- */

static enum tern_error row_sums(struct cublasContext *h, enum lib_type t, enum lib_type out,
                                const void *p, int64_t rows, int64_t cols, int64_t row, int64_t col,
                                void *to)
{
    enum {
        ROWS = 32,
        THREADS = 256,
        LEAST = 256,
        MOST = 64
    }; /* rows and threads as lt.h has them */
    const bool along = row != 1;
    const int64_t most = (cols + LEAST - 1) / LEAST;
    int count = (int)(most < 1 ? 1 : most < MOST ? most : MOST);
    int64_t each = (cols + count - 1) / count, apart = along ? row : col;
    float *parts;
    char name[128];
    enum tern_error e =
        lib_scratch(h->stream, (size_t)(rows * count) * sizeof *parts, (void **)&parts);
    if (e)
        return e;
    snprintf(name, sizeof name, "row_parts<%s, %s>", lib_types[t].name, along ? "true" : "false");
    e = lib_run(&h->device, h->stream, "blas/lt.h", name,
                (tern_dim){(uint32_t)((rows + ROWS - 1) / ROWS), (uint32_t)count},
                (tern_dim){THREADS}, (void *[]){&rows, &cols, &each, &apart, (void *)&p, &parts});
    snprintf(name, sizeof name, "row_totals<%s>", lib_types[out].name);
    if (!e)
        e = lib_run(&h->device, h->stream, "blas/lt.h", name, lib_blocks(rows, THREADS),
                    (tern_dim){THREADS}, (void *[]){&rows, &count, &parts, &to});
    lib_scratch_free(h->stream, parts);
    return e;
}

static enum tern_error gradients(struct cublasContext *h, const struct lt_matmul *m)
{
    const struct blas_product *p = &m->p;
    const enum lib_type out = bias_type(m);
    if (m->d.epilogue == CUBLASLT_EPILOGUE_BGRADA)
        return row_sums(h, m->types.a, out, p->a.p, p->m, p->k, p->a.row, p->a.col, m->d.bias);
    if (m->d.epilogue == CUBLASLT_EPILOGUE_BGRADB)
        return row_sums(h, m->types.b, out, p->b.p, p->n, p->k, p->b.col, p->b.row, m->d.bias);
    return row_sums(h, m->types.c, out, p->d, p->m, p->n, p->d_row, p->d_col, m->d.bias);
}

static bool has_gradient(const struct lt_matmul *m)
{
    return m->d.epilogue == CUBLASLT_EPILOGUE_BGRADA || m->d.epilogue == CUBLASLT_EPILOGUE_BGRADB ||
           m->d.epilogue & BGRAD;
}

/* The product itself, with what must be unpacked before it and packed after it. */
static enum tern_error run(struct cublasContext *h, struct lt_matmul *m, void *D)
{
    void *scratch[4] = {NULL};
    enum tern_error e = TERN_OK;
    if (m->pack.any)
        e = lt_unpack(h, m, scratch);
    if (!e && m->p.e.amax)
        e = lib_error(cudaMemsetAsync(m->p.e.amax, 0, sizeof(float), h->stream));
    if (!e)
        e = blas_product(h, &m->types, &m->p, m->batch);
    if (!e && has_gradient(m) && m->p.m && m->p.n)
        e = gradients(h, m);
    return m->pack.any ? lt_repack(h, m, D, scratch, e) : e;
}

cublasStatus_t lt_matmul(struct cublasContext *h, const cublasLtMatmulDescOpaque_t *desc,
                         const struct lt_operands *o)
{
    struct lt_matmul m;
    if (!o->alpha || !o->p[LT_A] || !o->p[LT_B] || !o->d)
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasStatus_t s =
        describe(desc, o->layout[LT_A], o->layout[LT_B], o->layout[LT_C], o->layout[LT_D], &m);
    if (s != CUBLAS_STATUS_SUCCESS)
        return s;
    lt_log("cublasLtMatmul", "m=%lld n=%lld k=%lld batch=%lld epilogue=%u", (long long)m.p.m,
           (long long)m.p.n, (long long)m.p.k, (long long)m.batch, m.d.epilogue);
    h->pointer_mode = m.d.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE ? CUBLAS_POINTER_MODE_DEVICE
                                                                       : CUBLAS_POINTER_MODE_HOST;
    m.p.a.p = o->p[LT_A];
    m.p.b.p = o->p[LT_B];
    m.p.c = o->p[LT_C];
    m.p.d = o->d;
    const bool no_beta = m.d.pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
    if (m.p.scalar_vector)
        m.p.alpha = o->alpha;
    else
        blas_scalar(h, m.scalar, o->alpha, &m.p.alpha, m.p.alpha_value);
    if (!no_beta && o->beta)
        blas_scalar(h, m.scalar, o->beta, &m.p.beta, m.p.beta_value);
    if (m.p.alpha && m.scalar != m.types.scale)
        return CUBLAS_STATUS_NOT_SUPPORTED; /* half scalars on the device */
    if (!m.p.c && (m.p.beta || m.p.beta_value[0] != 0 || m.p.beta_value[1] != 0))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m.p.c)
        m.p.c = o->d;
    if (has_gradient(&m) && (!m.d.bias || m.batch > 1))
        return m.d.bias ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
    return blas_status(run(h, &m, o->d));
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                              const void *A, cublasLtMatrixLayout_t a, const void *B,
                              cublasLtMatrixLayout_t b, const void *beta, const void *C,
                              cublasLtMatrixLayout_t c, void *D, cublasLtMatrixLayout_t d,
                              const cublasLtMatmulAlgo_t *algo, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    (void)algo;
    (void)workspace;
    (void)bytes;
    const struct cublasContext *given = context(handle);
    if (!given)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!desc || !a || !b || !d || !alpha || !A || !B || !D)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct cublasContext h = *given;
    h.stream = stream;
    const struct lt_operands o = {alpha, {A, B, C}, beta, D, {a, b, c ? c : d, d}};
    return lt_grouped(d) ? lt_group(&h, desc, &o) : lt_matmul(&h, desc, &o);
}

/* ---- algorithms: there is one, which chooses its kernel itself ---- */

static void default_algo(cublasLtMatmulAlgo_t *algo)
{
    const struct lt_algo a = {.magic = LT_MAGIC, .split = 1};
    memset(algo, 0, sizeof *algo);
    memcpy(algo, &a, sizeof a);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int *returned)
{
    struct lt_matmul m;
    (void)preference;
    if (!context(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (requested < 1 || !results || !returned)
        return CUBLAS_STATUS_INVALID_VALUE;
    *returned = 0;
    cublasStatus_t s = describe(desc, a, b, c, d, &m);
    if (s != CUBLAS_STATUS_SUCCESS)
        return s;
    results[0] = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    default_algo(&results[0].algo);
    *returned = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristicForStream(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int requested, cublasLtMatmulHeuristicResult_t results[],
    int *returned, cudaStream_t stream)
{
    (void)stream;
    return cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, c, d, preference, requested, results,
                                          returned);
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t *algo,
                                       cublasLtMatmulHeuristicResult_t *result)
{
    struct lt_matmul m;
    struct lt_algo given;
    if (!context(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!algo || !result)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(&given, algo, sizeof given);
    if (given.magic != LT_MAGIC)
        return CUBLAS_STATUS_INVALID_VALUE;
    /* Tiles, stages and parts of k that no kernel of ours has. */
    if (given.id || given.tile || given.stages || given.split > 1 || given.reduction)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    cublasStatus_t s = describe(desc, a, b, c, d, &m);
    if (s != CUBLAS_STATUS_SUCCESS)
        return s;
    *result = (cublasLtMatmulHeuristicResult_t){
        .algo = *algo, .state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute,
                                        cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                                        cudaDataType_t c, cudaDataType_t d, int requested,
                                        int ids[], int *returned)
{
    struct lt_matmul m = {.d = {.compute = (int32_t)compute, .scale_type = (int32_t)scale},
                          .layout = {{.type = (int32_t)a},
                                     {.type = (int32_t)b},
                                     {.type = (int32_t)c},
                                     {.type = (int32_t)d}}};
    if (!context(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (requested < 1 || !ids || !returned)
        return CUBLAS_STATUS_INVALID_VALUE;
    *returned = 0;
    if (!types_of(&m))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    ids[0] = 0;
    *returned = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute,
                                      cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                                      cudaDataType_t c, cudaDataType_t d, int id,
                                      cublasLtMatmulAlgo_t *algo)
{
    int ids[1], n;
    /* Programs may have numbers of NVIDIA's algorithms: whichever it is, ours chooses its kernel.
     */
    if (!algo || id < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasStatus_t s = cublasLtMatmulAlgoGetIds(handle, compute, scale, a, b, c, d, 1, ids, &n);
    if (s == CUBLAS_STATUS_SUCCESS)
        default_algo(algo);
    return s;
}

cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                 cublasLtMatmulAlgoCapAttributes_t attribute,
                                                 void *to, size_t bytes, size_t *written)
{
    static const struct {
        cublasLtMatmulAlgoCapAttributes_t attribute;
        uint64_t value;
        size_t bytes;
    } rows[] = {
        {CUBLASLT_ALGO_CAP_SPLITK_SUPPORT, 0, 4},
        {CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK, 0, 4},
        {CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT, 0, 4},
        {CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT, 1, 4},
        {CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT, 1, 4},
        {CUBLASLT_ALGO_CAP_UPLO_SUPPORT, 0, 4},
        {CUBLASLT_ALGO_CAP_TILE_IDS, CUBLASLT_MATMUL_TILE_UNDEFINED, 4},
        {CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX, 0, 4},
        {CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER, 1, 4},
        {CUBLASLT_ALGO_CAP_POINTER_MODE_MASK, 1 | 2 | 8 | 16, 4},
        {CUBLASLT_ALGO_CAP_EPILOGUE_MASK,
         1 | RELU | BIAS | DRELU | BGRAD | GELU | DGELU | AUX | 768, 4},
        {CUBLASLT_ALGO_CAP_STAGES_IDS, CUBLASLT_MATMUL_STAGES_UNDEFINED, 4},
        {CUBLASLT_ALGO_CAP_LD_NEGATIVE, 1, 4},
        {CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA, 8},
        {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES, 1, 4},
        {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES, 1, 4},
        {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES, 1, 4},
        {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES, 1, 4},
        {CUBLASLT_ALGO_CAP_ATOMIC_SYNC, 0, 4},
        {CUBLASLT_ALGO_CAP_POINTER_ARRAY_BATCH_SUPPORT, 1, 4},
    };
    for (size_t k = 0; algo && k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].attribute != attribute)
            continue;
        if ((bytes && (!to || bytes < rows[k].bytes)) || (!bytes && !written))
            return CUBLAS_STATUS_INVALID_VALUE;
        const uint32_t narrow = (uint32_t)rows[k].value;
        if (bytes)
            memcpy(to, rows[k].bytes == 8 ? (const void *)&rows[k].value : &narrow, rows[k].bytes);
        if (written)
            *written = rows[k].bytes;
        return CUBLAS_STATUS_SUCCESS;
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- transforms: C = alpha op(A) + beta op(B), each in its order ---- */

struct place { /* as device/blas/lt.h has it */
    const void *p;
    long long ld, stride;
    int order, trans, conj;
};

static bool place_of(const cublasLtMatrixLayoutOpaque_t *given, int32_t op, const void *p,
                     struct lt_layout *l, struct place *out)
{
    memcpy(l, given, sizeof *l);
    *out = (struct place){p, l->ld, l->stride, l->order, op != CUBLAS_OP_N, op == CUBLAS_OP_C};
    return l->order <= CUBLASLT_ORDER_COL32_2R_4R4 && op >= CUBLAS_OP_N && op <= CUBLAS_OP_C;
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc,
                                       const void *alpha, const void *A, cublasLtMatrixLayout_t a,
                                       const void *beta, const void *B, cublasLtMatrixLayout_t b,
                                       void *C, cublasLtMatrixLayout_t c, cudaStream_t stream)
{
    const struct cublasContext *given = context(handle);
    if (!given)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!desc || !A || !a || !C || !c || !alpha || (B && (!b || !beta)))
        return CUBLAS_STATUS_INVALID_VALUE;
    struct lt_transform t;
    struct lt_layout la, lb, lc;
    struct place pa, pb, pc;
    enum lib_type in, out, scale;
    memcpy(&t, desc, sizeof t);
    if (!place_of(a, t.transa, A, &la, &pa) ||
        !place_of(B ? b : a, B ? t.transb : 0, B, &lb, &pb) ||
        !place_of(c, CUBLAS_OP_N, C, &lc, &pc) || !lib_type_of((cudaDataType)la.type, &in) ||
        !lib_type_of((cudaDataType)lc.type, &out) ||
        !lib_type_of((cudaDataType)t.scale_type, &scale) || (B && lb.type != la.type) ||
        lib_types[in].complex != lib_types[out].complex ||
        (scale != LIB_F32 && scale != LIB_F64 && scale != LIB_I32 && scale != LIB_C32 &&
         scale != LIB_C64))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    struct cublasContext h = *given;
    h.stream = stream;
    h.pointer_mode = (cublasPointerMode_t)t.pointer_mode;
    const void *alpha_at, *beta_at = NULL;
    double av[2], bv[2] = {0, 0};
    blas_scalar(&h, scale, alpha, &alpha_at, av);
    if (B)
        blas_scalar(&h, scale, beta, &beta_at, bv);
    int64_t rows = (int64_t)lc.rows, cols = (int64_t)lc.cols;
    char name[160];
    snprintf(name, sizeof name, "transform<%s, %s, %s>", lib_types[in].name, lib_types[out].name,
             lib_types[scale].name);
    const int64_t blocks = (rows * cols + 255) / 256;
    if (!blocks || !lc.batch)
        return CUBLAS_STATUS_SUCCESS;
    return blas_status(
        lib_run(&h.device, stream, "blas/lt.h", name,
                (tern_dim){(uint32_t)(blocks < 65535 ? blocks : 65535), (uint32_t)lc.batch},
                (tern_dim){256},
                (void *[]){&rows, &cols, &pa, &alpha_at, &av[0], &av[1], &pb, &beta_at, &bv[0],
                           &bv[1], &pc}));
}
