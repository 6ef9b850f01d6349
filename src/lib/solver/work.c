/* What a call is made of. See solver_int.h. */
#include "lib/solver/solver_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work work_begin(cusolverDnHandle_t h, enum lib_type type)
{
    const bool narrow = type == LIB_F32 || type == LIB_C32;
    return (struct work){
        .h = h, .type = type, .real = narrow ? LIB_F32 : LIB_F64, .stream = h->stream};
}

void work_fail(struct work *w, enum tern_error e)
{
    if (!w->error)
        w->error = e;
}

cusolverStatus_t work_end(struct work *w)
{
    work_beside(w, false);
    work_release(w, 0);
    switch (w->error) {
    case TERN_OK: return CUSOLVER_STATUS_SUCCESS;
    case TERN_OUT_OF_MEMORY: return CUSOLVER_STATUS_ALLOC_FAILED;
    case TERN_INVALID_ARGUMENT: return CUSOLVER_STATUS_INVALID_VALUE;
    case TERN_UNSUPPORTED: return CUSOLVER_STATUS_NOT_SUPPORTED;
    case TERN_INTERNAL: return CUSOLVER_STATUS_INTERNAL_ERROR;
    default: return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
}

bool solver_type(cudaDataType type, enum lib_type *out)
{
    return lib_type_of(type, out) &&
           (*out == LIB_F32 || *out == LIB_F64 || *out == LIB_C32 || *out == LIB_C64);
}

/* ---- two streams ---- */

bool work_side(struct work *w)
{
    struct cusolverDnContext *h = w->h;
    int least = 0, most = 0;
    if (h->device.host_path || !h->device.capability || w->error)
        return false;
    for (size_t k = 0; k < sizeof h->events / sizeof *h->events; k++)
        if (!h->events[k] &&
            cudaEventCreateWithFlags(&h->events[k], cudaEventDisableTiming) != cudaSuccess)
            return false;
    if (!h->side &&
        (cudaDeviceGetStreamPriorityRange(&least, &most) != cudaSuccess ||
         cudaStreamCreateWithPriority(&h->side, cudaStreamNonBlocking, most) != cudaSuccess)) {
        h->side = NULL;
        return false;
    }
    return true;
}

void work_beside(struct work *w, bool side)
{
    struct cusolverDnContext *h = w->h;
    h->stream = side ? h->side : w->stream;
    cublasSetStream_v2(h->blas, h->stream);
}

static void wait_for(struct work *w, cudaEvent_t event, cudaStream_t other, cudaStream_t waits)
{
    if (!w->error)
        work_fail(w, lib_error(cudaEventRecord(event, other)));
    if (!w->error)
        work_fail(w, lib_error(cudaStreamWaitEvent(waits, event, 0)));
}

void work_meet(struct work *w)
{
    struct cusolverDnContext *h = w->h;
    wait_for(w, h->events[0], h->side, w->stream);
    wait_for(w, h->events[1], w->stream, h->side);
}

/* ---- memory ---- */

void *work_bytes(struct work *w, size_t bytes)
{
    void *p = NULL;
    if (w->error)
        return NULL;
    if (w->nscratch == (int)(sizeof w->scratch / sizeof *w->scratch)) {
        work_fail(w, TERN_INTERNAL);
        return NULL;
    }
    work_fail(w, lib_scratch(w->h->stream, bytes ? bytes : 1, &p));
    if (p)
        w->scratch[w->nscratch++] = p;
    return p;
}

void work_release(struct work *w, int since)
{
    while (w->nscratch > since)
        lib_scratch_free(w->h->stream, w->scratch[--w->nscratch]);
}

void *work_elements(struct work *w, int64_t count)
{
    return work_bytes(w, (size_t)count * lib_types[w->type].bytes);
}

void *work_reals(struct work *w, int64_t count)
{
    return work_bytes(w, (size_t)count * lib_types[w->real].bytes);
}

void *work_at(const struct work *w, const void *a, int64_t lda, int64_t i, int64_t j)
{
    return a ? (char *)a + (i + j * lda) * (int64_t)lib_types[w->type].bytes : NULL;
}

void work_zero(struct work *w, void *p, size_t bytes)
{
    if (!w->error && bytes)
        work_fail(w, lib_error(cudaMemsetAsync(p, 0, bytes, w->h->stream)));
}

static void move(struct work *w, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    if (!w->error && bytes)
        work_fail(w, lib_error(cudaMemcpyAsync(to, from, bytes, kind, w->h->stream)));
}

void work_copy(struct work *w, void *to, const void *from, size_t bytes)
{
    move(w, to, from, bytes, cudaMemcpyDeviceToDevice);
}

void work_get(struct work *w, void *host, const void *device, size_t bytes)
{
    move(w, host, device, bytes, cudaMemcpyDeviceToHost);
    if (!w->error)
        work_fail(w, lib_error(cudaStreamSynchronize(w->h->stream)));
}

void work_put(struct work *w, void *device, const void *host, size_t bytes)
{
    move(w, device, host, bytes, cudaMemcpyHostToDevice);
    if (!w->error)
        work_fail(w, lib_error(cudaStreamSynchronize(w->h->stream)));
}

/* ---- kernels ---- */

void work_run2(struct work *w, const char *header, const char *name, tern_dim grid, int threads,
               void *const *args)
{
    char path[64], kernel[96];
    if (w->error)
        return;
    snprintf(path, sizeof path, "solver/%s", header);
    snprintf(kernel, sizeof kernel, "%s<%s>", name, lib_types[w->type].name);
    const tern_dim block = {(uint32_t)threads, 1, 1};
    work_fail(w, lib_run(&w->h->device, w->h->stream, path, kernel, grid, block, args));
}

void work_run(struct work *w, const char *header, const char *name, int64_t blocks, int threads,
              void *const *args)
{
    if (blocks > 0)
        work_run2(w, header, name, (tern_dim){(uint32_t)blocks, 1, 1}, threads, args);
}

enum { EACH_THREADS = 128, EACH_BLOCKS = 65536 };

void work_each(struct work *w, const char *header, const char *name, int64_t count,
               void *const *args)
{
    const int64_t blocks = (count + EACH_THREADS - 1) / EACH_THREADS;
    work_run(w, header, name, blocks < EACH_BLOCKS ? blocks : EACH_BLOCKS, EACH_THREADS, args);
}

void work_each_real(struct work *w, const char *header, const char *name, int64_t count,
                    void *const *args)
{
    const enum lib_type type = w->type;
    w->type = w->real;
    work_each(w, header, name, count, args);
    w->type = type;
}

/* ---- absolute values: doubles on the host ---- */

void work_get_reals(struct work *w, double *host, const void *device, int64_t count)
{
    if (w->error || count <= 0)
        return;
    work_get(w, host, device, (size_t)count * lib_types[w->real].bytes);
    if (w->real == LIB_F32) /* from the last on: they lie in the same place */
        for (int64_t k = count; k-- > 0;) {
            float f;
            memcpy(&f, (char *)host + (size_t)k * sizeof f, sizeof f);
            host[k] = (double)f;
        }
}

void work_put_reals(struct work *w, void *device, const double *host, int64_t count)
{
    float *narrow = NULL;
    if (w->error || count <= 0)
        return;
    if (w->real == LIB_F32) {
        narrow = malloc((size_t)count * sizeof *narrow);
        if (!narrow) {
            work_fail(w, TERN_OUT_OF_MEMORY);
            return;
        }
        for (int64_t k = 0; k < count; k++)
            narrow[k] = (float)host[k];
    }
    work_put(w, device, narrow ? (const void *)narrow : host,
             (size_t)count * lib_types[w->real].bytes);
    free(narrow);
}

double work_largest(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda)
{
    void *each = work_reals(w, n);
    double *host = calloc((size_t)(n ? n : 1), sizeof *host), most = 0;
    if (!host)
        work_fail(w, TERN_OUT_OF_MEMORY);
    work_run(w, "jacobi.h", "largest_elements", n, SOLVER_THREADS,
             (void *[]){&m, (void *)&a, &lda, &each});
    work_get_reals(w, host, each, n);
    for (int64_t k = 0; k < n && !w->error; k++)
        most = host[k] > most || isnan(host[k]) ? host[k] : most;
    free(host);
    return most;
}

/* ---- products ---- */

/* A real number as an element of any type. */
union scalar {
    float f[2];
    double d[2];
};

static union scalar scalar(enum lib_type type, double v)
{
    union scalar s = {.d = {0, 0}};
    if (type == LIB_F32 || type == LIB_C32) {
        s.f[0] = (float)v;
        s.f[1] = 0;
    } else {
        s.d[0] = v;
        s.d[1] = 0;
    }
    return s;
}

static void blas(struct work *w, cublasStatus_t s)
{
    switch (s) {
    case CUBLAS_STATUS_SUCCESS: break;
    case CUBLAS_STATUS_ALLOC_FAILED: work_fail(w, TERN_OUT_OF_MEMORY); break;
    case CUBLAS_STATUS_INVALID_VALUE: work_fail(w, TERN_INTERNAL); break;
    case CUBLAS_STATUS_NOT_SUPPORTED: work_fail(w, TERN_UNSUPPORTED); break;
    default: work_fail(w, TERN_DEVICE_LOST);
    }
}

void work_gemm(struct work *w, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n,
               int64_t k, double alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
               double beta, void *c, int64_t ldc)
{
    const union scalar x = scalar(w->type, alpha), y = scalar(w->type, beta);
    if (!w->error && m > 0 && n > 0)
        blas(w, blas_gemm(w->h->blas, w->type, ta, tb, m, n, k, &x, a, lda, b, ldb, &y, c, ldc));
}

void work_gemm_strided(struct work *w, cublasOperation_t ta, cublasOperation_t tb, int64_t m,
                       int64_t n, int64_t k, double alpha, const void *a, int64_t lda,
                       int64_t stride_a, const void *b, int64_t ldb, int64_t stride_b, double beta,
                       void *c, int64_t ldc, int64_t stride_c, int64_t count)
{
    const union scalar x = scalar(w->type, alpha), y = scalar(w->type, beta);
    if (!w->error && m > 0 && n > 0)
        blas(w, blas_gemm_strided(w->h->blas, w->type, ta, tb, m, n, k, &x, a, lda, stride_a, b,
                                  ldb, stride_b, &y, c, ldc, stride_c, count));
}

void work_gemm_parts(struct work *w, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                     const void *b, int64_t ldb, void *c, int64_t ldc, int64_t stride,
                     int64_t parts)
{
    work_gemm_strided(w, CUBLAS_OP_C, CUBLAS_OP_N, m, n, k, 1, a, lda, k, b, ldb, k, 0, c, ldc,
                      stride, parts);
}

void work_trsm(struct work *w, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
               cublasDiagType_t diag, int64_t m, int64_t n, const void *a, int64_t lda, void *b,
               int64_t ldb)
{
    const union scalar one = scalar(w->type, 1);
    if (!w->error && m > 0 && n > 0)
        blas(w, blas_trsm(w->h->blas, w->type, side, uplo, op, diag, m, n, &one, a, lda, b, ldb));
}

void work_trmm(struct work *w, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
               cublasDiagType_t diag, int64_t m, int64_t n, double alpha, const void *a,
               int64_t lda, void *b, int64_t ldb)
{
    const union scalar x = scalar(w->type, alpha);
    if (!w->error && m > 0 && n > 0)
        blas(w, blas_trmm(w->h->blas, w->type, side, uplo, op, diag, m, n, &x, a, lda, b, ldb, b,
                          ldb));
}

void work_herk(struct work *w, cublasFillMode_t uplo, cublasOperation_t op, int64_t n, int64_t k,
               double alpha, const void *a, int64_t lda, double beta, void *c, int64_t ldc)
{
    const bool complex = lib_types[w->type].complex;
    const union scalar x = scalar(w->real, alpha), y = scalar(w->real, beta);
    if (w->error || n <= 0)
        return;
    if (complex)
        blas(w, blas_herk(w->h->blas, w->type, uplo, op, n, k, &x, a, lda, &y, c, ldc));
    else
        blas(w, blas_syrk(w->h->blas, w->type, uplo, op == CUBLAS_OP_C ? CUBLAS_OP_T : op, n, k, &x,
                          a, lda, &y, c, ldc));
}

void work_syr2k(struct work *w, cublasFillMode_t uplo, int64_t n, int64_t k, double alpha,
                const void *a, int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc)
{
    const union scalar x = scalar(w->type, alpha), one = scalar(w->type, 1);
    if (!w->error && n > 0)
        blas(w, blas_syr2k(w->h->blas, w->type, uplo, CUBLAS_OP_N, n, k, &x, a, lda, b, ldb, &one,
                           c, ldc));
}

void work_gemv(struct work *w, int64_t n, const void *a, int64_t lda, const void *x, void *y)
{
    const union scalar one = scalar(w->type, 1), zero = scalar(w->type, 0);
    if (!w->error && n > 0)
        blas(w, blas_gemv(w->h->blas, w->type, CUBLAS_OP_N, n, n, &one, a, lda, x, 1, &zero, y, 1));
}
