/* Kernels by name, products, elementwise work and reductions: what the rest is made of. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lib/dnn/dnn_int.h"

enum tern_error dnn_run(const struct dnn *d, const char *header, tern_dim grid, uint32_t shared,
                        void *const *args, const char *format, ...)
{
    char name[320], path[64];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    snprintf(path, sizeof path, "dnn/%s", header);
    return lib_run_shared(&d->device, d->stream, path, name, grid, (tern_dim){DNN_THREADS}, shared,
                          args);
}

/* ---- lines in registers ---- */

bool dnn_aligned(int n, const void *const *pointers)
{
    for (int k = 0; k < n; k++)
        if ((uintptr_t)pointers[k] % 16)
            return false;
    return true;
}

bool dnn_line(const struct dnn *d, enum lib_type t, int64_t lines, int64_t length, int most,
              struct dnn_line *out)
{
    static const struct {
        int width, chunks;
    } shapes[] = {{8, 1},   {16, 1},  {32, 1},  {32, 2},  {32, 4},  {64, 4},   {128, 2},
                  {128, 4}, {256, 2}, {256, 4}, {512, 2}, {512, 4}, {1024, 2}, {1024, 4}};
    const int64_t bytes = length * (int64_t)lib_types[t].bytes;
    if (!d->device.capability || bytes % 16 || !bytes)
        return false;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (shapes[k].chunks <= most && bytes / 16 <= shapes[k].width * shapes[k].chunks) {
            const int block = shapes[k].width > DNN_THREADS ? shapes[k].width : DNN_THREADS;
            *out = (struct dnn_line){.width = shapes[k].width,
                                     .chunks = shapes[k].chunks,
                                     .grid = lib_blocks(lines, block / shapes[k].width),
                                     .block = {(uint32_t)block}};
            return true;
        }
    return false;
}

enum tern_error dnn_run_lines(const struct dnn *d, const struct dnn_line *l, void *const *args,
                              const char *name, enum lib_type t, int flag)
{
    char kernel[128];
    snprintf(kernel, sizeof kernel, "%s<%s, %d, %d, %d>", name, dnn_name(t), l->width, l->chunks,
             flag);
    return lib_run(&d->device, d->stream, "dnn/lines.h", kernel, l->grid, l->block, args);
}

const char *dnn_name(enum lib_type t)
{
    return lib_types[t].name;
}

const char *dnn_wide(enum lib_type t)
{
    return t == LIB_F64 ? "double" : t == LIB_I32 ? "int" : "float";
}

size_t dnn_wide_bytes(enum lib_type t)
{
    return t == LIB_F64 ? sizeof(double) : sizeof(float);
}

tern_dim dnn_grid(int64_t places)
{
    return lib_blocks(places, DNN_THREADS);
}

tern_dim dnn_warps(int64_t lines)
{
    return lib_blocks(lines, DNN_THREADS / DNN_WARP);
}

tern_dim dnn_blocks(int64_t sets)
{
    return lib_blocks(sets, 1);
}

/* ---- products ---- */

static enum tern_error from_blas(cublasStatus_t s)
{
    switch (s) {
    case CUBLAS_STATUS_SUCCESS: return TERN_OK;
    case CUBLAS_STATUS_ALLOC_FAILED: return TERN_OUT_OF_MEMORY;
    case CUBLAS_STATUS_INVALID_VALUE: return TERN_INVALID_ARGUMENT;
    case CUBLAS_STATUS_NOT_SUPPORTED: return TERN_UNSUPPORTED;
    default: return TERN_DEVICE_LOST;
    }
}

/* cuBLAS goes by columns: the product by rows is that of the exchanged operands. */
enum tern_error dnn_multiply(const struct dnn *d, enum lib_type t, const struct dnn_product *p,
                             const void *a, const void *b, void *c)
{
    const float alpha32 = (float)p->alpha, beta32 = (float)p->beta;
    const bool f64 = t == LIB_F64;
    const cudaDataType type = (cudaDataType)lib_types[t].number;
    if (!p->m || !p->n || !p->batch)
        return TERN_OK;
    return from_blas(cublasGemmStridedBatchedEx_64(
        d->blas, p->tb ? CUBLAS_OP_T : CUBLAS_OP_N, p->ta ? CUBLAS_OP_T : CUBLAS_OP_N, p->n, p->m,
        p->k, f64 ? (const void *)&p->alpha : &alpha32, b, type, p->ldb, p->b_step, a, type, p->lda,
        p->a_step, f64 ? (const void *)&p->beta : &beta32, c, type, p->ldc, p->c_step, p->batch,
        f64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

/* ---- elements ---- */

struct dnn_each dnn_row(int64_t n)
{
    struct dnn_each e = {.count = n, .dims = 1, .flat = 1, .alpha = 1};
    e.dim[0] = n;
    e.out_step[0] = 1;
    for (int k = 0; k < DNN_INPUTS; k++)
        e.in_step[k][0] = 1;
    return e;
}

/* Results of 16 bits of these functions are computed with less exact exponentials (each.h). */
static bool brief(enum lib_type t, const char *function)
{
    static const char *const names[] = {"act_gelu", "act_quick_gelu", "act_silu", "act_swish",
                                        "act_sigmoid"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(function, names[k]))
            return t == LIB_F16 || t == LIB_BF16;
    return false;
}

enum tern_error dnn_each_of(const struct dnn *d, enum lib_type out, enum lib_type in,
                            struct dnn_each *e, const char *shell, const char *function)
{
    const char *wide = dnn_wide(out);
    const void *all[] = {e->out, e->in[0], e->in[1], e->in[2]};
    if (d->device.capability && e->flat && out == in && dnn_aligned(4, all)) {
        const int64_t each = 16 / (int64_t)lib_types[out].bytes;
        const char *with = brief(out, function) ? "brief" : wide;
        return dnn_run(d, "each.h", dnn_grid((e->count + each - 1) / each), 0, (void *[]){e},
                       "each_flat<%s, %s, %s<%s, %s<%s> > >", dnn_name(out), with, shell, with,
                       function, with);
    }
    return dnn_run(d, "each.h", dnn_grid(e->count), 0, (void *[]){e},
                   "each<%s, %s, %s<%s, %s<%s> > >", dnn_name(out), dnn_name(in), shell, wide,
                   function, wide);
}

/* ---- reductions ---- */

enum tern_error dnn_reduce_of(const struct dnn *d, enum lib_type t, const struct dnn_reduce *r,
                              const char *name)
{
    struct dnn_reduce copy = *r;
    return dnn_run(d, "reduce.h", dnn_blocks(r->kept), 0, (void *[]){&copy},
                   "reduce<%s, red_%s<%s> >", dnn_name(t), name, dnn_wide(t));
}

struct dnn_reduce dnn_along(int64_t outer, int64_t axis, int64_t inner)
{
    return (struct dnn_reduce){.kept = outer * inner,
                               .gone = axis,
                               .kept_dims = 2,
                               .gone_dims = 1,
                               .kept_dim = {outer, inner},
                               .kept_in = {axis * inner, 1},
                               .kept_out = {inner, 1},
                               .gone_dim = {axis},
                               .gone_in = {inner},
                               .alpha = 1};
}
