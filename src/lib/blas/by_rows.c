/* Products by rows: those of the exchanged operands by columns. */
#include "lib/blas/blas_int.h"
#include "lib/blas/by_rows.h"

/* op(X) of `rows` by `cols`, which lies by columns, or turned. */
static struct blas_operand operand(const void *p, uint64_t rows, uint64_t cols, bool turned,
                                   bool shared)
{
    return (struct blas_operand){.p = p,
                                 .row = turned ? (long long)cols : 1,
                                 .col = turned ? 1 : (long long)rows,
                                 .stride = shared ? 0 : (long long)(rows * cols)};
}

enum tern_error blas_by_rows(const struct lib_device *d, cudaStream_t stream, enum lib_type type,
                             const struct tern_gemm *g, const void *a, const void *b, void *c,
                             const void *bias)
{
    static const int activations[] = {BLAS_NOTHING, BLAS_RELU, BLAS_GELU};
    const enum lib_type sum = type == LIB_F64 ? LIB_F64 : LIB_F32;
    const struct blas_types types = {.a = type,
                                     .b = type,
                                     .c = type,
                                     .sum = sum,
                                     .scale = sum,
                                     .epilogue = bias || g->activation};
    const long long size = (long long)(g->m * g->n);
    struct blas_product p = {.a = operand(b, g->n, g->k, g->b_turned, g->b_shared),
                             .b = operand(a, g->k, g->m, g->a_turned, g->a_shared),
                             .c = c,
                             .d = c,
                             .c_row = 1,
                             .c_col = (long long)g->n,
                             .c_stride = size,
                             .d_row = 1,
                             .d_col = (long long)g->n,
                             .d_stride = size,
                             .m = (long long)g->n,
                             .n = (long long)g->m,
                             .k = (long long)g->k,
                             .alpha_value = {g->alpha},
                             .beta_value = {g->beta}};
    p.e.bias = bias;
    p.e.bias_kind = bias != NULL;
    p.e.activation = activations[g->activation];
    struct cublasContext h = {.device = *d, .stream = stream};
    return blas_product(&h, &types, &p, g->batch ? (int64_t)g->batch : 1);
}
