/* Tern's own calls of tern_blas.h: doubles as pairs of floats, chosen by what the device's own
 * take, and products of halves. */
#include <pthread.h>
#include <stdio.h>
#include "lib/blas/blas_int.h"
#include "cuda/tern_blas.h"

/* Sums and products of floats that one of pairs takes, about: where one of doubles takes more,
 * pairs are faster. */
enum { PAIR_COST = 24 };

/* ---- how fast the device's doubles are ---- */

struct rate {
    pthread_mutex_t lock;
    bool known;
    double value;
};
static const char rate_key;

static void rate_init(void *data)
{
    pthread_mutex_init(&((struct rate *)data)->lock, NULL);
}

static void rate_release(void *data)
{
    pthread_mutex_destroy(&((struct rate *)data)->lock);
}

/* Milliseconds of double_rate<type>: the best of three, after one that compiles. */
static enum tern_error time_of(const struct lib_device *d, const char *type, void *memory,
                               cudaEvent_t ends[2], float *best)
{
    enum { ROUNDS = 4, THREADS = 256, STEPS = 4096 };
    int steps = STEPS;
    char name[48];
    snprintf(name, sizeof name, "double_rate<%s>", type);
    for (int round = 0; round < ROUNDS; round++) {
        float ms;
        enum tern_error e = lib_error(cudaEventRecord(ends[0], cudaStreamLegacy));
        if (!e)
            e = lib_run(d, cudaStreamLegacy, "blas/doubles.h", name,
                        (tern_dim){d->info.units ? d->info.units : 1}, (tern_dim){THREADS},
                        (void *[]){&steps, &memory});
        if (!e)
            e = lib_error(cudaEventRecord(ends[1], cudaStreamLegacy));
        if (!e)
            e = lib_error(cudaEventSynchronize(ends[1]));
        if (!e)
            e = lib_error(cudaEventElapsedTime(&ms, ends[0], ends[1]));
        if (e)
            return e;
        if (round == 1 || (round > 1 && ms < *best))
            *best = ms;
    }
    return TERN_OK;
}

enum tern_error blas_measure_doubles(const struct lib_device *d, double *rate)
{
    enum { EACH = 256 * sizeof(double) };
    cudaEvent_t ends[2] = {NULL, NULL};
    void *memory = NULL;
    float f32 = 0, f64 = 0;
    enum tern_error e =
        lib_error(cudaMalloc(&memory, (size_t)(d->info.units ? d->info.units : 1) * EACH));
    for (int k = 0; k < 2 && !e; k++)
        e = lib_error(cudaEventCreate(&ends[k]));
    if (!e)
        e = time_of(d, "float", memory, ends, &f32);
    if (!e)
        e = time_of(d, "double", memory, ends, &f64);
    *rate = !e && f32 > 0 ? (double)f64 / (double)f32 : 1;
    if (!e)
        lib_note("cublas: a sum and product of doubles takes %.1f of floats on %s", *rate,
                 d->info.name);
    for (int k = 0; k < 2; k++)
        if (ends[k])
            cudaEventDestroy(ends[k]);
    cudaFree(memory);
    return e;
}

/* As the device's profile says, or measured, once for all processes. */
static enum tern_error rate_of(const struct lib_device *d, double *out)
{
    struct tern_cuda_profile profile;
    tern_cuda_device_profile(d->device, &profile);
    *out = profile.f64_rate;
    if (*out >= 0)
        return TERN_OK;
    struct rate *r = tern_device_keep(d->device, &rate_key, sizeof *r, rate_init, rate_release);
    if (!r)
        return TERN_OUT_OF_MEMORY;
    enum tern_error e = TERN_OK;
    pthread_mutex_lock(&r->lock);
    if (!r->known && !(e = blas_measure_doubles(d, &r->value))) {
        r->known = true;
        tern_cuda_keep_f64(d->device, r->value);
    }
    *out = r->value;
    pthread_mutex_unlock(&r->lock);
    return e;
}

/* Says in `pairs` what a call that asks for `how` gets. */
static cublasStatus_t way(const struct cublasContext *h, ternDouble_t how, bool *pairs)
{
    double rate;
    *pairs = how == TERN_DOUBLE_PAIRS;
    if ((unsigned)how > TERN_DOUBLE_PAIRS)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (how != TERN_DOUBLE_ANY)
        return CUBLAS_STATUS_SUCCESS;
    const enum tern_error e = rate_of(&h->device, &rate);
    *pairs = !e && (rate == 0 || rate > PAIR_COST);
    return blas_status(e);
}

cublasStatus_t ternDoubleRate(cublasHandle_t handle, double *rate, ternDouble_t *any)
{
    cublasStatus_t s;
    double value;
    bool pairs;
    if (!blas_enter(handle, &s))
        return s;
    s = blas_status(rate_of(&handle->device, &value));
    if (s == CUBLAS_STATUS_SUCCESS)
        s = way(handle, TERN_DOUBLE_ANY, &pairs);
    if (s != CUBLAS_STATUS_SUCCESS)
        return s;
    if (rate)
        *rate = value;
    if (any)
        *any = pairs ? TERN_DOUBLE_PAIRS : TERN_DOUBLE_EXACT;
    return s;
}

/* ---- products and functions ---- */

static int64_t at_least_one(int64_t n)
{
    return n > 1 ? n : 1;
}

cublasStatus_t ternDgemm(cublasHandle_t handle, ternDouble_t how, cublasOperation_t transa,
                         cublasOperation_t transb, int64_t m, int64_t n, int64_t k, double alpha,
                         const double *A, int64_t lda, const double *B, int64_t ldb, double beta,
                         double *C, int64_t ldc)
{
    cublasStatus_t s;
    bool pairs;
    if (!blas_enter(handle, &s))
        return s;
    if ((unsigned)transa > CUBLAS_OP_C || (unsigned)transb > CUBLAS_OP_C || m < 0 || n < 0 ||
        k < 0 || lda < at_least_one(transa == CUBLAS_OP_N ? m : k) ||
        ldb < at_least_one(transb == CUBLAS_OP_N ? k : n) || ldc < at_least_one(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    s = way(handle, how, &pairs);
    if (s != CUBLAS_STATUS_SUCCESS)
        return s;
    const struct blas_types types = {
        .a = LIB_F64, .b = LIB_F64, .c = LIB_F64, .sum = LIB_F64, .scale = LIB_F64, .pairs = pairs};
    struct blas_product p = {.a = blas_matrix(A, lda, transa),
                             .b = blas_matrix(B, ldb, transb),
                             .c = C,
                             .d = C,
                             .c_row = 1,
                             .c_col = ldc,
                             .d_row = 1,
                             .d_col = ldc,
                             .m = m,
                             .n = n,
                             .k = k,
                             .alpha_value = {alpha},
                             .beta_value = {beta}};
    return blas_status(blas_product(handle, &types, &p, 1));
}

cublasStatus_t ternDoubleMath(cublasHandle_t handle, ternDouble_t how,
                              ternDoubleFunction_t function, int64_t n, const double *x, double *y)
{
    static const char *const names[] = {
#define NAME(NAME, name) "double_math<double_" #name ">",
        TERN_DOUBLE_FUNCTIONS(NAME)
#undef NAME
    };
    cublasStatus_t s;
    bool pairs;
    if (!blas_enter(handle, &s))
        return s;
    if ((unsigned)function >= TERN_DOUBLE_FUNCTION_COUNT || n < 0 || (n && (!x || !y)))
        return CUBLAS_STATUS_INVALID_VALUE;
    s = way(handle, how, &pairs);
    if (s != CUBLAS_STATUS_SUCCESS || !n)
        return s;
    struct lib_device d = handle->device;
    d.pairs = pairs;
    return blas_status(lib_run(&d, handle->stream, "blas/doubles.h", names[function],
                               lib_blocks(n, 256), (tern_dim){256}, (void *[]){&n, &x, &y}));
}

/* ---- halves ---- */

static bool is_half(cudaDataType type, enum lib_type *out)
{
    return lib_type_of(type, out) && (*out == LIB_F16 || *out == LIB_BF16);
}

cublasStatus_t ternHalfDot(cublasHandle_t handle, cudaDataType type, int64_t n, const void *x,
                           const void *y, float *result)
{
    enum { THREADS = 256, PARTS = 512 }; /* threads as doubles.h has them */
    cublasStatus_t s;
    enum lib_type t;
    if (!blas_enter(handle, &s))
        return s;
    if (!is_half(type, &t))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (n < 0 || !result || (n && (!x || !y)))
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool on_host = handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    tern_dim grid = lib_blocks(n, THREADS);
    grid.x = grid.x > PARTS ? PARTS : grid.x;
    float *parts, *out = result;
    int count = (int)grid.x;
    char name[40];
    snprintf(name, sizeof name, "half_parts<%s>", lib_types[t].name);
    enum tern_error e = lib_scratch(handle->stream, (PARTS + 1) * sizeof *parts, (void **)&parts);
    if (e)
        return blas_status(e);
    if (on_host)
        out = parts + PARTS;
    e = lib_run(&handle->device, handle->stream, "blas/doubles.h", name, grid, (tern_dim){THREADS},
                (void *[]){&n, &x, &y, &parts});
    if (!e)
        e = lib_run(&handle->device, handle->stream, "blas/doubles.h", "half_total", (tern_dim){1},
                    (tern_dim){THREADS}, (void *[]){&count, &parts, &out});
    if (!e && on_host)
        e = lib_error(
            cudaMemcpyAsync(result, out, sizeof *result, cudaMemcpyDeviceToHost, handle->stream));
    if (!e && on_host)
        e = lib_error(cudaStreamSynchronize(handle->stream));
    lib_scratch_free(handle->stream, parts);
    return blas_status(e);
}

/* A product of one column. */
cublasStatus_t ternHalfGemv(cublasHandle_t handle, cudaDataType type, cublasOperation_t trans,
                            int64_t m, int64_t n, float alpha, const void *A, int64_t lda,
                            const void *x, float beta, float *y)
{
    cublasStatus_t s;
    enum lib_type t;
    if (!blas_enter(handle, &s))
        return s;
    if (!is_half(type, &t))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if ((unsigned)trans > CUBLAS_OP_C || m < 0 || n < 0 || lda < at_least_one(m))
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool plain = trans == CUBLAS_OP_N;
    const int64_t rows = plain ? m : n, length = plain ? n : m;
    const struct blas_types types = {
        .a = t, .b = t, .c = LIB_F32, .sum = LIB_F32, .scale = LIB_F32};
    struct blas_product p = {.a = blas_matrix(A, lda, trans),
                             .b = blas_matrix(x, at_least_one(length), CUBLAS_OP_N),
                             .c = y,
                             .d = y,
                             .c_row = 1,
                             .c_col = at_least_one(rows),
                             .d_row = 1,
                             .d_col = at_least_one(rows),
                             .m = rows,
                             .n = 1,
                             .k = length,
                             .alpha_value = {(double)alpha},
                             .beta_value = {(double)beta}};
    return blas_status(blas_product(handle, &types, &p, 1));
}
