/* gemm in all its forms: typed, by types in arguments, batched, grouped. All are one struct gemm.
 */
#include <stdlib.h>
#include "lib/blas/blas_int.h"

struct gemm {
    cublasOperation_t transa, transb;
    int64_t m, n, k;
    const void *alpha, *A, *B, *beta;
    void *C;
    int64_t lda, ldb, ldc, stride_a, stride_b, stride_c, count;
    bool arrays;
    struct blas_types types;
    enum lib_type scalar; /* as the caller gives alpha and beta */
};

static bool valid_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

static bool valid(cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
                  int64_t k, int64_t lda, int64_t ldb, int64_t ldc)
{
    return valid_op(transa) && valid_op(transb) && m >= 0 && n >= 0 && k >= 0 &&
           lda >= at_least_one(transa == CUBLAS_OP_N ? m : k) &&
           ldb >= at_least_one(transb == CUBLAS_OP_N ? k : n) && ldc >= at_least_one(m);
}

/* Scalars that are narrower than what is computed with, in device memory. */
static enum tern_error widen(struct cublasContext *h, const struct gemm *g, const void **at,
                             void **scratch)
{
    *scratch = NULL;
    if (!*at || g->scalar == g->types.scale)
        return TERN_OK;
    int64_t one = 1;
    enum tern_error e = lib_scratch(h->stream, 16, scratch);
    if (!e)
        e = lib_run(&h->device, h->stream, "blas/level1.h", "copy<__half, float>", (tern_dim){1},
                    (tern_dim){256}, (void *[]){&one, (void *)at, &one, scratch, &one});
    *at = *scratch;
    return e;
}

/* On the CPU most of a small product's time would go by before its first multiplication: what it is
 * is said once, where it is used. */
static bool may_be_small(const struct cublasContext *h, enum lib_type t)
{
    return h->device.host_path && h->pointer_mode == CUBLAS_POINTER_MODE_HOST &&
           (t == LIB_F32 || t == LIB_F64);
}

/* All but of the batch. */
static inline void describe_small(struct blas_small *s, enum lib_type t, cublasOperation_t transa,
                                  cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                  const void *alpha, const void *A, int64_t lda, const void *B,
                                  int64_t ldb, const void *beta, void *C, int64_t ldc)
{
    const bool b_plain = transb == CUBLAS_OP_N, wide = t == LIB_F64;
    s->type = t;
    s->a_across = transa != CUBLAS_OP_N;
    s->m = m;
    s->n = n;
    s->k = k;
    s->alpha = wide ? *(const double *)alpha : (double)*(const float *)alpha;
    s->beta = wide ? *(const double *)beta : (double)*(const float *)beta;
    s->a = A;
    s->b = B;
    s->c = C;
    s->lda = lda;
    s->b_row = b_plain ? 1 : ldb;
    s->b_col = b_plain ? ldb : 1;
    s->ldc = ldc;
}

/* False: it is none. */
static bool small_gemm(struct cublasContext *h, const struct gemm *g, enum tern_error *e)
{
    const enum lib_type t = g->types.c;
    if (!may_be_small(h, t) || g->types.a != t || g->types.b != t || g->types.sum != t ||
        g->scalar != t || !g->m || !g->n || !g->count)
        return false;
    struct blas_small s;
    describe_small(&s, t, g->transa, g->transb, g->m, g->n, g->k, g->alpha, g->A, g->lda, g->B,
                   g->ldb, g->beta, g->C, g->ldc);
    s.arrays = g->arrays;
    s.stride_a = g->stride_a;
    s.stride_b = g->stride_b;
    s.stride_c = g->stride_c;
    s.count = g->count;
    return blas_host_small(h, &s, e);
}

static cublasStatus_t gemm(cublasHandle_t h, const struct gemm *g)
{
    enum tern_error e;
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!valid(g->transa, g->transb, g->m, g->n, g->k, g->lda, g->ldb, g->ldc) || g->count < 0 ||
        !g->alpha || !g->beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (small_gemm(h, g, &e))
        return blas_status(e);
    struct blas_product p = {.a = blas_matrix(g->A, g->lda, g->transa),
                             .b = blas_matrix(g->B, g->ldb, g->transb),
                             .c = g->C,
                             .d = g->C,
                             .c_row = 1,
                             .c_col = g->ldc,
                             .c_stride = g->stride_c,
                             .d_row = 1,
                             .d_col = g->ldc,
                             .d_stride = g->stride_c,
                             .c_array = g->arrays,
                             .d_array = g->arrays,
                             .m = g->m,
                             .n = g->n,
                             .k = g->k};
    p.a.stride = g->stride_a;
    p.b.stride = g->stride_b;
    p.a.array = p.b.array = g->arrays;
    void *a_scratch, *b_scratch = NULL;
    blas_scalar(h, g->scalar, g->alpha, &p.alpha, p.alpha_value);
    blas_scalar(h, g->scalar, g->beta, &p.beta, p.beta_value);
    e = widen(h, g, &p.alpha, &a_scratch);
    if (!e)
        e = widen(h, g, &p.beta, &b_scratch);
    if (!e)
        e = blas_product(h, &g->types, &p, g->count);
    lib_scratch_free(h->stream, a_scratch);
    lib_scratch_free(h->stream, b_scratch);
    return blas_status(e);
}

/* ---- types ---- */

static struct blas_types same(enum lib_type t)
{
    const enum lib_type sum = t == LIB_F16 ? LIB_F32 : t;
    return (struct blas_types){.a = t, .b = t, .c = t, .sum = sum, .scale = sum};
}

/* How exact: TF32 and the like are only taken where the caller allows them. */
static bool allows_tf32(const struct cublasContext *h, cublasComputeType_t compute)
{
    return compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
           (compute == CUBLAS_COMPUTE_32F &&
            ((unsigned)h->math & 15) == CUBLAS_TF32_TENSOR_OP_MATH);
}

/* COMBINATION(compute, A and B, C, sum and scale, alpha and beta): what there is beside one type
 * for all. */
#define COMBINATIONS(X)                                                                            \
    X(16F, F16, F16, F32, F16)                                                                     \
    X(32F, F16, F16, F32, F32)                                                                     \
    X(32F, F16, F32, F32, F32)                                                                     \
    X(32F, BF16, BF16, F32, F32)                                                                   \
    X(32F, BF16, F32, F32, F32)                                                                    \
    X(32F, I8, F32, F32, F32)                                                                      \
    X(32F, F32, F32, F32, F32)                                                                     \
    X(32F, C8, C32, C32, C32)                                                                      \
    X(32F, C32, C32, C32, C32)                                                                     \
    X(64F, F64, F64, F64, F64)                                                                     \
    X(64F, C64, C64, C64, C64)                                                                     \
    X(32I, I8, I32, I32, I32)

static const struct {
    cublasComputeType_t compute;
    enum lib_type in, out, sum, scalar;
} combinations[] = {
#define X(compute, in, out, sum, scalar)                                                           \
    {CUBLAS_COMPUTE_##compute, LIB_##in, LIB_##out, LIB_##sum, LIB_##scalar},
    COMBINATIONS(X)
#undef X
};

/* Which of 16F, 32F, 64F, 32I it is: the others differ in how exact they have to be. */
static cublasComputeType_t plain(cublasComputeType_t compute)
{
    switch (compute) {
    case CUBLAS_COMPUTE_16F_PEDANTIC: return CUBLAS_COMPUTE_16F;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9: return CUBLAS_COMPUTE_32F;
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT: return CUBLAS_COMPUTE_64F;
    case CUBLAS_COMPUTE_32I_PEDANTIC: return CUBLAS_COMPUTE_32I;
    default: return compute;
    }
}

bool blas_types_of(const struct cublasContext *h, cudaDataType a, cudaDataType b, cudaDataType c,
                   cublasComputeType_t compute, struct blas_types *types, enum lib_type *scalar)
{
    enum lib_type ta, tb, tc;
    if (!lib_type_of(a, &ta) || !lib_type_of(b, &tb) || !lib_type_of(c, &tc) || ta != tb)
        return false;
    for (size_t k = 0; k < sizeof combinations / sizeof *combinations; k++)
        if (combinations[k].compute == plain(compute) && combinations[k].in == ta &&
            combinations[k].out == tc) {
            *types = (struct blas_types){.a = ta,
                                         .b = tb,
                                         .c = tc,
                                         .sum = combinations[k].sum,
                                         .scale = combinations[k].sum,
                                         .tf32 = allows_tf32(h, compute)};
            *scalar = combinations[k].scalar;
            return true;
        }
    return false;
}

static cublasStatus_t gemm_ex(cublasHandle_t h, struct gemm *g, cudaDataType a, cudaDataType b,
                              cudaDataType c, cublasComputeType_t compute)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!blas_types_of(h, a, b, c, compute, &g->types, &g->scalar))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return gemm(h, g);
}

/* ---- the functions ---- */

static struct gemm given(cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
                         int64_t k, const void *alpha, const void *A, int64_t lda, const void *B,
                         int64_t ldb, const void *beta, void *C, int64_t ldc)
{
    return (struct gemm){.transa = transa,
                         .transb = transb,
                         .m = m,
                         .n = n,
                         .k = k,
                         .alpha = alpha,
                         .A = A,
                         .B = B,
                         .beta = beta,
                         .C = C,
                         .lda = lda,
                         .ldb = ldb,
                         .ldc = ldc,
                         .count = 1};
}

static cublasStatus_t typed(cublasHandle_t h, enum lib_type t, struct gemm *g)
{
    g->types = same(t);
    g->scalar = t;
    g->types.tf32 = h && t == LIB_F32 && allows_tf32(h, CUBLAS_COMPUTE_32F);
    return gemm(h, g);
}

cublasStatus_t blas_gemm(cublasHandle_t h, enum lib_type t, cublasOperation_t transa,
                         cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                         const void *alpha, const void *A, int64_t lda, const void *B, int64_t ldb,
                         const void *beta, void *C, int64_t ldc)
{
    cublasStatus_t status;
    if (blas_enter(h, &status) && may_be_small(h, t) && m > 0 && n > 0 && alpha && beta &&
        valid(transa, transb, m, n, k, lda, ldb, ldc)) {
        enum tern_error e;
        struct blas_small s;
        describe_small(&s, t, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
        s.arrays = false;
        s.stride_a = s.stride_b = s.stride_c = 0;
        s.count = 1;
        if (blas_host_small(h, &s, &e))
            return blas_status(e);
    }
    struct gemm g = given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    return typed(h, t, &g);
}

cublasStatus_t blas_gemm_batched(cublasHandle_t h, enum lib_type t, cublasOperation_t transa,
                                 cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                 const void *alpha, const void *A, int64_t lda, const void *B,
                                 int64_t ldb, const void *beta, const void *C, int64_t ldc,
                                 int64_t count)
{
    struct gemm g =
        given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, (void *)(uintptr_t)C, ldc);
    g.arrays = true;
    g.count = count;
    return typed(h, t, &g);
}

cublasStatus_t blas_gemm_strided(cublasHandle_t h, enum lib_type t, cublasOperation_t transa,
                                 cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                 const void *alpha, const void *A, int64_t lda, long long stride_a,
                                 const void *B, int64_t ldb, long long stride_b, const void *beta,
                                 void *C, int64_t ldc, long long stride_c, int64_t count)
{
    struct gemm g = given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    g.stride_a = stride_a;
    g.stride_b = stride_b;
    g.stride_c = stride_c;
    g.count = count;
    return typed(h, t, &g);
}

cublasStatus_t blas_sgemm_ex(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb,
                             int64_t m, int64_t n, int64_t k, const float *alpha, const void *A,
                             cudaDataType a_type, int64_t lda, const void *B, cudaDataType b_type,
                             int64_t ldb, const float *beta, void *C, cudaDataType c_type,
                             int64_t ldc)
{
    struct gemm g = given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    return gemm_ex(h, &g, a_type, b_type, c_type, CUBLAS_COMPUTE_32F);
}

cublasStatus_t blas_cgemm_ex(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb,
                             int64_t m, int64_t n, int64_t k, const cuComplex *alpha, const void *A,
                             cudaDataType a_type, int64_t lda, const void *B, cudaDataType b_type,
                             int64_t ldb, const cuComplex *beta, void *C, cudaDataType c_type,
                             int64_t ldc)
{
    struct gemm g = given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    if (c_type != CUDA_C_32F)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return gemm_ex(h, &g, a_type, b_type, c_type, CUBLAS_COMPUTE_32F);
}

cublasStatus_t blas_gemm_ex(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb,
                            int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,
                            cudaDataType a_type, int64_t lda, const void *B, cudaDataType b_type,
                            int64_t ldb, const void *beta, void *C, cudaDataType c_type,
                            int64_t ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)algo;
    struct gemm g = given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    return gemm_ex(h, &g, a_type, b_type, c_type, compute);
}

cublasStatus_t blas_gemm_batched_ex(cublasHandle_t h, cublasOperation_t transa,
                                    cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                    const void *alpha, const void *const A[], cudaDataType a_type,
                                    int64_t lda, const void *const B[], cudaDataType b_type,
                                    int64_t ldb, const void *beta, void *const C[],
                                    cudaDataType c_type, int64_t ldc, int64_t count,
                                    cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    (void)algo;
    struct gemm g =
        given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, (void *)(uintptr_t)C, ldc);
    g.arrays = true;
    g.count = count;
    return gemm_ex(h, &g, a_type, b_type, c_type, compute);
}

cublasStatus_t blas_gemm_strided_ex(cublasHandle_t h, cublasOperation_t transa,
                                    cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                    const void *alpha, const void *A, cudaDataType a_type,
                                    int64_t lda, long long stride_a, const void *B,
                                    cudaDataType b_type, int64_t ldb, long long stride_b,
                                    const void *beta, void *C, cudaDataType c_type, int64_t ldc,
                                    long long stride_c, int64_t count, cublasComputeType_t compute,
                                    cublasGemmAlgo_t algo)
{
    (void)algo;
    struct gemm g = given(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    g.stride_a = stride_a;
    g.stride_b = stride_b;
    g.stride_c = stride_c;
    g.count = count;
    return gemm_ex(h, &g, a_type, b_type, c_type, compute);
}

/* ---- groups: each a batch of its own shape. Arrays of sizes are on the host. ---- */

static int64_t entry(const void *sizes, int64_t k, bool wide)
{
    return wide ? ((const int64_t *)sizes)[k] : ((const int *)sizes)[k];
}

static const void *moved(const void *p, int64_t bytes)
{
    return p ? (const char *)p + bytes : NULL;
}

static cublasStatus_t grouped(cublasHandle_t h, const struct blas_types *types,
                              enum lib_type scalar, const cublasOperation_t *transa,
                              const cublasOperation_t *transb, const void *m, const void *n,
                              const void *k, const void *alpha, const void *A, const void *lda,
                              const void *B, const void *ldb, const void *beta, const void *C,
                              const void *ldc, int64_t groups, const void *sizes, bool wide)
{
    if (groups < 0 || (groups && (!transa || !transb || !m || !n || !k || !alpha || !A || !lda ||
                                  !B || !ldb || !beta || !C || !ldc || !sizes)))
        return CUBLAS_STATUS_INVALID_VALUE;
    int64_t before = 0;
    const int64_t bytes = (int64_t)lib_types[scalar].bytes, pointer = (int64_t)sizeof(void *);
    for (int64_t g = 0; g < groups; g++) {
        struct gemm one =
            given(transa[g], transb[g], entry(m, g, wide), entry(n, g, wide), entry(k, g, wide),
                  moved(alpha, g * bytes), moved(A, before * pointer), entry(lda, g, wide),
                  moved(B, before * pointer), entry(ldb, g, wide), moved(beta, g * bytes),
                  (void *)(uintptr_t)moved(C, before * pointer), entry(ldc, g, wide));
        one.arrays = true;
        one.count = entry(sizes, g, wide);
        one.types = *types;
        one.scalar = scalar;
        const cublasStatus_t s = gemm(h, &one);
        if (s != CUBLAS_STATUS_SUCCESS)
            return s;
        before += one.count;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_gemm_grouped(cublasHandle_t h, enum lib_type t,
                                 const cublasOperation_t transa[], const cublasOperation_t transb[],
                                 const void *m, const void *n, const void *k, const void *alpha,
                                 const void *A, const void *lda, const void *B, const void *ldb,
                                 const void *beta, const void *C, const void *ldc, int64_t groups,
                                 const void *sizes, bool wide)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    const struct blas_types types = same(t);
    return grouped(h, &types, t, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
                   groups, sizes, wide);
}

cublasStatus_t blas_gemm_grouped_ex(cublasHandle_t h, const cublasOperation_t transa[],
                                    const cublasOperation_t transb[], const void *m, const void *n,
                                    const void *k, const void *alpha, const void *const A[],
                                    cudaDataType_t a_type, const void *lda, const void *const B[],
                                    cudaDataType_t b_type, const void *ldb, const void *beta,
                                    void *const C[], cudaDataType_t c_type, const void *ldc,
                                    int64_t groups, const void *sizes, cublasComputeType_t compute,
                                    bool wide)
{
    cublasStatus_t s;
    struct blas_types types;
    enum lib_type scalar;
    if (!blas_enter(h, &s))
        return s;
    if (!blas_types_of(h, a_type, b_type, c_type, compute, &types, &scalar))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return grouped(h, &types, scalar, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
                   groups, sizes, wide);
}
