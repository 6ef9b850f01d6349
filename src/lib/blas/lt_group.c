/* Groups: products of many shapes, one after the other. Shapes, pointers and scales of a group are
 * arrays in device memory; they are brought to the host, which waits for the stream. */
#include <stdlib.h>
#include <string.h>
#include "lib/blas/lt_int.h"

bool lt_grouped(const cublasLtMatrixLayoutOpaque_t *layout)
{
    struct lt_layout l;
    memcpy(&l, layout, sizeof l);
    return l.mode == CUBLASLT_BATCH_MODE_GROUPED;
}

static cublasLtMatrixLayoutOpaque_t single(const cublasLtMatrixLayoutOpaque_t *group, uint64_t rows,
                                           uint64_t cols, int64_t ld)
{
    struct lt_layout l;
    cublasLtMatrixLayoutOpaque_t out = *group;
    memcpy(&l, group, sizeof l);
    l.rows = rows;
    l.cols = cols;
    l.ld = ld;
    l.batch = 1;
    l.mode = CUBLASLT_BATCH_MODE_STRIDED;
    memcpy(&out, &l, sizeof l);
    return out;
}

cublasLtMatrixLayoutOpaque_t lt_one_of_group(const cublasLtMatrixLayoutOpaque_t *layout)
{
    return single(layout, 16, 16, 16);
}

/* Scales that are one for each product of a group are one for a product. */
static void scalar_modes(struct lt_desc *d)
{
    for (int k = 0; k < LT_SCALES; k++)
        if (d->scale_mode[k] == CUBLASLT_MATMUL_MATRIX_SCALE_PER_BATCH_SCALAR_32F)
            d->scale_mode[k] = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
}

cublasLtMatmulDescOpaque_t lt_desc_of_group(const cublasLtMatmulDescOpaque_t *desc)
{
    struct lt_desc d;
    cublasLtMatmulDescOpaque_t out = *desc;
    memcpy(&d, desc, sizeof d);
    scalar_modes(&d);
    memcpy(&out, &d, sizeof d);
    return out;
}

/* Arrays of a group on the host, each of `count`. */
struct group {
    int count;
    int32_t *rows[4], *cols[4], *ld[4];
    void **p[4], **alpha, **beta, **scale[LT_SCALES], **bias;
    char *memory;
    size_t used;
};

/* A copy of n bytes of device memory; NULL where there is nothing to copy. */
static void *bring(struct group *g, cudaStream_t stream, const void *from, size_t n, cudaError_t *e)
{
    if (!from)
        return NULL;
    void *to = g->memory + g->used;
    g->used += (n + 7) / 8 * 8;
    if (*e == cudaSuccess)
        *e = cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToHost, stream);
    return to;
}

static bool scales_in_arrays(int32_t mode)
{
    return mode != CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
}

static cublasStatus_t bring_all(struct cublasContext *h, const struct lt_desc *d,
                                const struct lt_operands *o, struct group *g)
{
    const size_t count = (size_t)g->count, ints = count * sizeof(int32_t),
                 pointers = count * sizeof(void *);
    cudaError_t e = cudaSuccess;
    g->memory = malloc(12 * (ints + 8) + (4 + 2 + LT_SCALES + 1) * pointers);
    if (!g->memory)
        return CUBLAS_STATUS_ALLOC_FAILED;
    for (int k = 0; k < 4; k++) {
        struct lt_layout l;
        memcpy(&l, o->layout[k], sizeof l);
        g->rows[k] = bring(g, h->stream, (const void *)(uintptr_t)l.rows, ints, &e);
        g->cols[k] = bring(g, h->stream, (const void *)(uintptr_t)l.cols, ints, &e);
        g->ld[k] = bring(g, h->stream, (const void *)(uintptr_t)l.ld, ints, &e);
        g->p[k] = bring(g, h->stream, k == LT_D ? o->d : o->p[k], pointers, &e);
        if (!g->rows[k] || !g->cols[k] || !g->ld[k])
            return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (d->alpha_group)
        g->alpha = bring(g, h->stream, o->alpha, pointers, &e);
    if (d->beta_group)
        g->beta = bring(g, h->stream, o->beta, pointers, &e);
    for (int k = 0; k < LT_SCALES; k++)
        if (scales_in_arrays(d->scale_mode[k]))
            g->scale[k] = bring(g, h->stream, d->scale[k], pointers, &e);
    g->bias = bring(g, h->stream, d->bias, pointers, &e);
    if (e == cudaSuccess)
        e = cudaStreamSynchronize(h->stream);
    return blas_status(lib_error(e));
}

static cublasStatus_t one(struct cublasContext *h, const struct lt_desc *d,
                          const struct lt_operands *o, const struct group *g, int z)
{
    struct lt_desc mine = *d;
    struct lt_operands single_of = *o;
    cublasLtMatmulDescOpaque_t desc = {{0}};
    cublasLtMatrixLayoutOpaque_t layout[4];
    for (int k = 0; k < 4; k++) {
        if (g->rows[k][z] < 0 || g->cols[k][z] < 0)
            return CUBLAS_STATUS_INVALID_VALUE;
        layout[k] =
            single(o->layout[k], (uint64_t)g->rows[k][z], (uint64_t)g->cols[k][z], g->ld[k][z]);
        single_of.layout[k] = &layout[k];
    }
    if (!g->rows[LT_D][z] || !g->cols[LT_D][z])
        return CUBLAS_STATUS_SUCCESS;
    for (int k = 0; k < 3; k++)
        single_of.p[k] = g->p[k] ? g->p[k][z] : NULL;
    single_of.d = g->p[LT_D][z];
    if (g->alpha)
        single_of.alpha = g->alpha[z];
    if (g->beta)
        single_of.beta = g->beta[z];
    for (int k = 0; k < LT_SCALES; k++)
        if (g->scale[k])
            mine.scale[k] = g->scale[k][z];
    scalar_modes(&mine);
    if (g->bias)
        mine.bias = g->bias[z];
    mine.bias_stride = 0;
    memcpy(&desc, &mine, sizeof mine);
    return lt_matmul(h, &desc, &single_of);
}

cublasStatus_t lt_group(struct cublasContext *h, const cublasLtMatmulDescOpaque_t *desc,
                        const struct lt_operands *o)
{
    struct lt_desc d;
    struct lt_layout l;
    struct group g = {0};
    enum cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    memcpy(&d, desc, sizeof d);
    memcpy(&l, o->layout[LT_D], sizeof l);
    g.count = l.batch;
    for (int k = 0; k < 4; k++) {
        memcpy(&l, o->layout[k], sizeof l);
        if (l.mode != CUBLASLT_BATCH_MODE_GROUPED || l.batch != g.count)
            return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (d.aux || d.epilogue & 16 || d.epilogue >= 256 ||
        (cudaStreamIsCapturing(h->stream, &capturing) == cudaSuccess &&
         capturing != cudaStreamCaptureStatusNone))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!g.count)
        return CUBLAS_STATUS_SUCCESS;
    cublasStatus_t s = bring_all(h, &d, o, &g);
    for (int z = 0; z < g.count && s == CUBLAS_STATUS_SUCCESS; z++)
        s = one(h, &d, o, &g, z);
    free(g.memory);
    return s;
}
