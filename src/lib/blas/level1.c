/* Level 1: vectors. What has a type in its name and what is told it (Ex) come together here. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lib/blas/blas_int.h"

enum { THREADS = 256, MAX_BLOCKS = 1024 };

static const char header[] = "blas/level1.h";

/* A vector that runs backwards begins at its end. */
static void *first(const void *x, enum lib_type t, int64_t n, int64_t inc)
{
    const int64_t back = inc < 0 ? (1 - n) * inc : 0;
    return (char *)(uintptr_t)x + back * (int64_t)lib_types[t].bytes;
}

static tern_dim blocks_for(int64_t n)
{
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return (tern_dim){(uint32_t)(blocks < 1 ? 1 : blocks > MAX_BLOCKS ? MAX_BLOCKS : blocks)};
}

/* Sums end with a tree of each block: on the CPU few blocks go through many elements each, as many
 * whatever the cores are, so that results are the same. */
enum { HOST_SUM_BLOCKS = 64 };
static tern_dim sum_blocks(const struct cublasContext *h, int64_t n)
{
    tern_dim grid = blocks_for(n);
    if (h->device.host_path && grid.x > HOST_SUM_BLOCKS)
        grid.x = HOST_SUM_BLOCKS;
    return grid;
}

/* Whether a thread reads 16 bytes at once: lanes of the CPU read what lies side by side. */
static int chunks(const struct cublasContext *h)
{
    return !h->device.host_path;
}

static enum tern_error run(struct cublasContext *h, tern_dim grid, void *const *args,
                           const char *format, ...)
{
    char name[256];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    return lib_run(&h->device, h->stream, header, name, grid, (tern_dim){THREADS}, args);
}

/* What elements of a type are computed with. */
static enum lib_type computed(enum lib_type t)
{
    return t == LIB_F16 || t == LIB_BF16 ? LIB_F32 : t;
}

static enum lib_type real_of(enum lib_type t)
{
    return t == LIB_C32 ? LIB_F32 : t == LIB_C64 ? LIB_F64 : t;
}

static const char *name_of(enum lib_type t)
{
    return lib_types[t].name;
}

/* Types of the Ex forms: floating point, and what is computed with no narrower than the elements.
 */
static bool types_of(cudaDataType given, cudaDataType execution, enum lib_type *t)
{
    enum lib_type x;
    if (!lib_type_of(given, t) || !lib_type_of(execution, &x))
        return false;
    switch (*t) {
    case LIB_F16:
    case LIB_BF16: return x == LIB_F32;
    case LIB_F32:
    case LIB_F64:
    case LIB_C32:
    case LIB_C64: return x == *t;
    default: return false;
    }
}

/* ---- results: where the caller wants them ---- */

struct result {
    void *device;
    void *host; /* NULL: it is the device's */
    size_t bytes;
};

static enum tern_error result_begin(struct cublasContext *h, void *to, size_t bytes,
                                    struct result *r)
{
    *r = (struct result){.device = to, .bytes = bytes};
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return TERN_OK;
    r->host = to;
    return lib_scratch(h->stream, 16, &r->device);
}

/* Results on the host are there when the call returns. */
static enum tern_error result_end(struct cublasContext *h, struct result *r, enum tern_error e)
{
    if (!r->host)
        return e;
    if (!e)
        e = lib_error(
            cudaMemcpyAsync(r->host, r->device, r->bytes, cudaMemcpyDeviceToHost, h->stream));
    if (!e)
        e = lib_error(cudaStreamSynchronize(h->stream));
    lib_scratch_free(h->stream, r->device);
    return e;
}

/* The result of no elements. */
static enum tern_error zero_result(struct cublasContext *h, void *to, size_t bytes)
{
    if (h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return lib_error(cudaMemsetAsync(to, 0, bytes, h->stream));
    memset(to, 0, bytes);
    return TERN_OK;
}

/* ---- sums ---- */

enum { SUM_DOT, SUM_DOTC, SUM_ABS };

static enum tern_error sum(struct cublasContext *h, int op, enum lib_type t, int64_t n,
                           const void *x, int64_t incx, const void *y, int64_t incy, void *to,
                           enum lib_type result)
{
    if (n <= 0)
        return zero_result(h, to, lib_types[result].bytes);
    const enum lib_type c = op == SUM_ABS ? real_of(computed(t)) : computed(t);
    const tern_dim grid = sum_blocks(h, n);
    const int parts = (int)grid.x;
    void *scratch;
    struct result r;
    enum tern_error e = lib_scratch(h->stream, (size_t)parts * lib_types[c].bytes, &scratch);
    if (e)
        return e;
    e = result_begin(h, to, lib_types[result].bytes, &r);
    const void *xs = first(x, t, n, incx), *ys = first(y, t, n, incy);
    if (!e)
        e = op == SUM_ABS ? run(h, grid, (void *[]){&n, &xs, &incx, &scratch},
                                "absolutes<%d, %s, %s>", chunks(h), name_of(t), name_of(c))
                          : run(h, grid, (void *[]){&n, &xs, &incx, &ys, &incy, &scratch},
                                "products<%d, %s, %s, %d>", chunks(h), name_of(t), name_of(c),
                                op == SUM_DOTC);
    if (!e)
        e = run(h, (tern_dim){1}, (void *[]){(void *)&parts, &scratch, &r.device}, "total<%s, %s>",
                name_of(c), name_of(result));
    e = result_end(h, &r, e);
    lib_scratch_free(h->stream, scratch);
    return e;
}

static enum tern_error norm(struct cublasContext *h, enum lib_type t, int64_t n, const void *x,
                            int64_t incx, void *to, enum lib_type result)
{
    if (n <= 0)
        return zero_result(h, to, lib_types[result].bytes);
    const tern_dim grid = sum_blocks(h, n);
    const int parts = (int)grid.x;
    void *scratch;
    struct result r;
    enum tern_error e = lib_scratch(h->stream, (size_t)parts * 2 * sizeof(double), &scratch);
    if (e)
        return e;
    e = result_begin(h, to, lib_types[result].bytes, &r);
    const void *xs = first(x, t, n, incx);
    if (!e)
        e = run(h, grid, (void *[]){&n, &xs, &incx, &scratch}, "sums_of_squares<%d, %s>", chunks(h),
                name_of(t));
    if (!e)
        e = run(h, (tern_dim){1}, (void *[]){(void *)&parts, &scratch, &r.device}, "root<%s>",
                name_of(result));
    e = result_end(h, &r, e);
    lib_scratch_free(h->stream, scratch);
    return e;
}

static cublasStatus_t extreme(cublasHandle_t h, enum lib_type t, int64_t n, const void *x,
                              int64_t incx, void *to, bool wide, bool largest)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!to)
        return CUBLAS_STATUS_INVALID_VALUE;
    const size_t bytes = wide ? 8 : 4;
    if (n <= 0 || incx <= 0)
        return blas_status(zero_result(h, to, bytes));
    const tern_dim grid = sum_blocks(h, n);
    const int parts = (int)grid.x;
    void *scratch;
    struct result r;
    enum tern_error e = lib_scratch(h->stream, (size_t)parts * 16, &scratch);
    if (e)
        return blas_status(e);
    e = result_begin(h, to, bytes, &r);
    if (!e)
        e = run(h, grid, (void *[]){&n, (void *)&x, &incx, &scratch}, "places<%d, %s, %d>",
                chunks(h), name_of(t), largest);
    if (!e)
        e = run(h, (tern_dim){1}, (void *[]){(void *)&parts, &scratch, &r.device},
                "best_place<%s, %d>", wide ? "long long" : "int", largest);
    e = result_end(h, &r, e);
    lib_scratch_free(h->stream, scratch);
    return blas_status(e);
}

cublasStatus_t blas_nrm2(cublasHandle_t h, enum lib_type t, int64_t n, const void *x, int64_t incx,
                         void *result)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    return blas_status(norm(h, t, incx > 0 ? n : 0, x, incx, result, real_of(t)));
}

cublasStatus_t blas_asum(cublasHandle_t h, enum lib_type t, int64_t n, const void *x, int64_t incx,
                         void *result)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    return blas_status(sum(h, SUM_ABS, t, incx > 0 ? n : 0, x, incx, x, incx, result, real_of(t)));
}

static cublasStatus_t dot(cublasHandle_t h, int op, enum lib_type t, int64_t n, const void *x,
                          int64_t incx, const void *y, int64_t incy, void *result)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    return blas_status(sum(h, op, t, n, x, incx, y, incy, result, t));
}

cublasStatus_t blas_dot(cublasHandle_t h, enum lib_type t, int64_t n, const void *x, int64_t incx,
                        const void *y, int64_t incy, void *result)
{
    return dot(h, SUM_DOT, t, n, x, incx, y, incy, result);
}

cublasStatus_t blas_dotc(cublasHandle_t h, enum lib_type t, int64_t n, const void *x, int64_t incx,
                         const void *y, int64_t incy, void *result)
{
    return dot(h, SUM_DOTC, t, n, x, incx, y, incy, result);
}

cublasStatus_t blas_amax(cublasHandle_t h, enum lib_type t, int64_t n, const void *x, int64_t incx,
                         void *result, bool wide)
{
    return extreme(h, t, n, x, incx, result, wide, true);
}

cublasStatus_t blas_amin(cublasHandle_t h, enum lib_type t, int64_t n, const void *x, int64_t incx,
                         void *result, bool wide)
{
    return extreme(h, t, n, x, incx, result, wide, false);
}

/* ---- element by element ---- */

cublasStatus_t blas_copy(cublasHandle_t h, enum lib_type t, int64_t n, const void *x, int64_t incx,
                         void *y, int64_t incy)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s) || n <= 0)
        return s;
    const void *xs = first(x, t, n, incx);
    void *ys = first(y, t, n, incy);
    return blas_status(run(h, blocks_for(n), (void *[]){&n, &xs, &incx, &ys, &incy}, "copy<%s, %s>",
                           name_of(t), name_of(t)));
}

cublasStatus_t blas_swap(cublasHandle_t h, enum lib_type t, int64_t n, void *x, int64_t incx,
                         void *y, int64_t incy)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s) || n <= 0)
        return s;
    void *xs = first(x, t, n, incx), *ys = first(y, t, n, incy);
    return blas_status(
        run(h, blocks_for(n), (void *[]){&n, &xs, &incx, &ys, &incy}, "swap<%s>", name_of(t)));
}

static cublasStatus_t scal(cublasHandle_t h, enum lib_type t, enum lib_type scalar, int64_t n,
                           const void *alpha, void *x, int64_t incx)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    const void *at;
    double value[2];
    blas_scalar(h, scalar, alpha, &at, value);
    return blas_status(run(h, blocks_for(n), (void *[]){&n, &at, &value[0], &value[1], &x, &incx},
                           "scal<%s, %s, %s>", name_of(t), name_of(scalar), name_of(computed(t))));
}

cublasStatus_t blas_scal(cublasHandle_t h, enum lib_type t, int64_t n, const void *alpha, void *x,
                         int64_t incx)
{
    return scal(h, t, t, n, alpha, x, incx);
}

cublasStatus_t blas_scal_real(cublasHandle_t h, enum lib_type t, int64_t n, const void *alpha,
                              void *x, int64_t incx)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    const void *at;
    double value[2];
    blas_scalar(h, real_of(t), alpha, &at, value);
    return blas_status(run(h, blocks_for(n), (void *[]){&n, &at, &value[0], &x, &incx},
                           "scal_real<%s>", name_of(real_of(t))));
}

static cublasStatus_t axpy(cublasHandle_t h, enum lib_type t, enum lib_type scalar, int64_t n,
                           const void *alpha, const void *x, int64_t incx, void *y, int64_t incy)
{
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    const void *at, *xs = first(x, t, n, incx);
    void *ys = first(y, t, n, incy);
    double value[2];
    blas_scalar(h, scalar, alpha, &at, value);
    return blas_status(run(h, blocks_for(n),
                           (void *[]){&n, &at, &value[0], &value[1], &xs, &incx, &ys, &incy},
                           "axpy<%s, %s, %s>", name_of(t), name_of(scalar), name_of(computed(t))));
}

cublasStatus_t blas_axpy(cublasHandle_t h, enum lib_type t, int64_t n, const void *alpha,
                         const void *x, int64_t incx, void *y, int64_t incy)
{
    return axpy(h, t, t, n, alpha, x, incx, y, incy);
}

/* c is real, of the kind of s. */
static cublasStatus_t rot(cublasHandle_t h, enum lib_type t, enum lib_type scalar, int64_t n,
                          void *x, int64_t incx, void *y, int64_t incy, const void *c,
                          const void *s)
{
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!c || !s)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    const void *c_at, *s_at;
    double cv[2], sv[2];
    blas_scalar(h, real_of(scalar), c, &c_at, cv);
    blas_scalar(h, scalar, s, &s_at, sv);
    void *xs = first(x, t, n, incx), *ys = first(y, t, n, incy);
    return blas_status(
        run(h, blocks_for(n),
            (void *[]){&n, &xs, &incx, &ys, &incy, &c_at, &cv[0], &s_at, &sv[0], &sv[1]},
            "rot<%s, %s, %s>", name_of(t), name_of(scalar), name_of(computed(t))));
}

cublasStatus_t blas_rot(cublasHandle_t h, enum lib_type t, int64_t n, void *x, int64_t incx,
                        void *y, int64_t incy, const void *c, const void *s)
{
    return rot(h, t, t, n, x, incx, y, incy, c, s);
}

cublasStatus_t blas_rot_real(cublasHandle_t h, enum lib_type t, int64_t n, void *x, int64_t incx,
                             void *y, int64_t incy, const void *c, const void *s)
{
    return rot(h, t, real_of(t), n, x, incx, y, incy, c, s);
}

/* ---- few scalars: on the device where they are there, else there and back ---- */

struct exchange {
    void *given; /* NULL: none */
    size_t bytes;
    bool in, out;
};

static enum tern_error with_scalars(struct cublasContext *h, struct exchange *x, unsigned n,
                                    const char *name)
{
    enum { SLOT = 64 };
    char *scratch = NULL;
    void *at[8];
    void *args[8];
    enum tern_error e = TERN_OK;
    const bool on_host = h->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    if (on_host)
        e = lib_scratch(h->stream, n * SLOT, (void **)&scratch);
    for (unsigned k = 0; k < n; k++) {
        at[k] = on_host ? scratch + k * SLOT : x[k].given;
        args[k] = &at[k];
        if (!e && on_host && x[k].in)
            e = lib_error(
                cudaMemcpyAsync(at[k], x[k].given, x[k].bytes, cudaMemcpyHostToDevice, h->stream));
    }
    if (!e)
        e = lib_run(&h->device, h->stream, header, name, (tern_dim){1}, (tern_dim){1}, args);
    for (unsigned k = 0; k < n && on_host; k++)
        if (!e && x[k].out)
            e = lib_error(
                cudaMemcpyAsync(x[k].given, at[k], x[k].bytes, cudaMemcpyDeviceToHost, h->stream));
    if (!e && on_host)
        e = lib_error(cudaStreamSynchronize(h->stream));
    lib_scratch_free(h->stream, scratch);
    return e;
}

cublasStatus_t blas_rotg(cublasHandle_t h, enum lib_type t, void *a, void *b, void *c, void *s)
{
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!a || !b || !c || !s)
        return CUBLAS_STATUS_INVALID_VALUE;
    const size_t bytes = lib_types[t].bytes, real = lib_types[real_of(t)].bytes;
    struct exchange x[] = {{a, bytes, true, true},
                           {b, bytes, true, true},
                           {c, real, true, true},
                           {s, bytes, true, true}};
    char name[64];
    snprintf(name, sizeof name, lib_types[t].complex ? "rotg_complex<%s>" : "rotg<%s>",
             name_of(real_of(t)));
    return blas_status(with_scalars(h, x, 4, name));
}

cublasStatus_t blas_rotmg(cublasHandle_t h, enum lib_type t, void *d1, void *d2, void *x1,
                          const void *y1, void *param)
{
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!d1 || !d2 || !x1 || !y1 || !param)
        return CUBLAS_STATUS_INVALID_VALUE;
    const size_t bytes = lib_types[t].bytes;
    struct exchange x[] = {{d1, bytes, true, true},
                           {d2, bytes, true, true},
                           {x1, bytes, true, true},
                           {(void *)(uintptr_t)y1, bytes, true, false},
                           {param, 5 * bytes, true, true}};
    char name[64];
    snprintf(name, sizeof name, "rotmg<%s>", name_of(t));
    return blas_status(with_scalars(h, x, 5, name));
}

static cublasStatus_t rotm(cublasHandle_t h, enum lib_type t, enum lib_type p, int64_t n, void *x,
                           int64_t incx, void *y, int64_t incy, const void *param)
{
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!param)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    const size_t bytes = 5 * lib_types[p].bytes;
    void *scratch = NULL, *xs = first(x, t, n, incx), *ys = first(y, t, n, incy);
    enum tern_error e = TERN_OK;
    if (h->pointer_mode == CUBLAS_POINTER_MODE_HOST) {
        e = lib_scratch(h->stream, bytes, &scratch);
        if (!e)
            e = lib_error(
                cudaMemcpyAsync(scratch, param, bytes, cudaMemcpyHostToDevice, h->stream));
        param = scratch;
    }
    if (!e)
        e = run(h, blocks_for(n), (void *[]){&n, &xs, &incx, &ys, &incy, (void *)&param},
                "rotm<%s, %s, %s>", name_of(t), name_of(p), name_of(computed(t)));
    lib_scratch_free(h->stream, scratch);
    return blas_status(e);
}

cublasStatus_t blas_rotm(cublasHandle_t h, enum lib_type t, int64_t n, void *x, int64_t incx,
                         void *y, int64_t incy, const void *param)
{
    return rotm(h, t, t, n, x, incx, y, incy, param);
}

/* ---- types told by arguments ---- */

/* A norm is computed in reals, also where the elements are complex. */
static bool norm_types(cudaDataType given, cudaDataType execution, enum lib_type *t)
{
    if (given == CUDA_C_32F && execution == CUDA_R_32F)
        execution = CUDA_C_32F;
    if (given == CUDA_C_64F && execution == CUDA_R_64F)
        execution = CUDA_C_64F;
    return types_of(given, execution, t);
}

cublasStatus_t blas_nrm2_ex(cublasHandle_t h, int64_t n, const void *x, cudaDataType x_type,
                            int64_t incx, void *result, cudaDataType result_type,
                            cudaDataType execution)
{
    enum lib_type t, r;
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!norm_types(x_type, execution, &t) || !lib_type_of(result_type, &r) || r != real_of(t))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    return blas_status(norm(h, t, incx > 0 ? n : 0, x, incx, result, r));
}

cublasStatus_t blas_asum_ex(cublasHandle_t h, int64_t n, const void *x, cudaDataType x_type,
                            int64_t incx, void *result, cudaDataType result_type,
                            cudaDataType execution)
{
    enum lib_type t, r;
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!norm_types(x_type, execution, &t) || !lib_type_of(result_type, &r) || r != real_of(t))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    return blas_status(sum(h, SUM_ABS, t, incx > 0 ? n : 0, x, incx, x, incx, result, r));
}

static cublasStatus_t dot_ex(cublasHandle_t h, int op, int64_t n, const void *x,
                             cudaDataType x_type, int64_t incx, const void *y, cudaDataType y_type,
                             int64_t incy, void *result, cudaDataType result_type,
                             cudaDataType execution)
{
    enum lib_type t;
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!types_of(x_type, execution, &t) || y_type != x_type || result_type != x_type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return dot(h, op, t, n, x, incx, y, incy, result);
}

cublasStatus_t blas_dot_ex(cublasHandle_t h, int64_t n, const void *x, cudaDataType x_type,
                           int64_t incx, const void *y, cudaDataType y_type, int64_t incy,
                           void *result, cudaDataType result_type, cudaDataType execution)
{
    return dot_ex(h, SUM_DOT, n, x, x_type, incx, y, y_type, incy, result, result_type, execution);
}

cublasStatus_t blas_dotc_ex(cublasHandle_t h, int64_t n, const void *x, cudaDataType x_type,
                            int64_t incx, const void *y, cudaDataType y_type, int64_t incy,
                            void *result, cudaDataType result_type, cudaDataType execution)
{
    return dot_ex(h, SUM_DOTC, n, x, x_type, incx, y, y_type, incy, result, result_type, execution);
}

/* The scalar of narrow elements is a float, or as narrow. */
static bool scalar_of(cudaDataType given, enum lib_type t, enum lib_type *scalar)
{
    return lib_type_of(given, scalar) && (*scalar == t || *scalar == computed(t));
}

cublasStatus_t blas_scal_ex(cublasHandle_t h, int64_t n, const void *alpha, cudaDataType alpha_type,
                            void *x, cudaDataType x_type, int64_t incx, cudaDataType execution)
{
    enum lib_type t, a;
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!types_of(x_type, execution, &t) || !scalar_of(alpha_type, t, &a))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return scal(h, t, a, n, alpha, x, incx);
}

cublasStatus_t blas_axpy_ex(cublasHandle_t h, int64_t n, const void *alpha, cudaDataType alpha_type,
                            const void *x, cudaDataType x_type, int64_t incx, void *y,
                            cudaDataType y_type, int64_t incy, cudaDataType execution)
{
    enum lib_type t, a;
    cublasStatus_t s;
    if (!blas_enter(h, &s))
        return s;
    if (!types_of(x_type, execution, &t) || y_type != x_type || !scalar_of(alpha_type, t, &a))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return axpy(h, t, a, n, alpha, x, incx, y, incy);
}

cublasStatus_t blas_copy_ex(cublasHandle_t h, int64_t n, const void *x, cudaDataType x_type,
                            int64_t incx, void *y, cudaDataType y_type, int64_t incy)
{
    enum lib_type t;
    if (!lib_type_of(x_type, &t) || x_type != y_type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return blas_copy(h, t, n, x, incx, y, incy);
}

cublasStatus_t blas_swap_ex(cublasHandle_t h, int64_t n, void *x, cudaDataType x_type, int64_t incx,
                            void *y, cudaDataType y_type, int64_t incy)
{
    enum lib_type t;
    if (!lib_type_of(x_type, &t) || x_type != y_type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return blas_swap(h, t, n, x, incx, y, incy);
}

static bool floating(cudaDataType type, enum lib_type *t)
{
    return lib_type_of(type, t) && *t != LIB_I8 && *t != LIB_I32 && *t != LIB_C8 && *t < LIB_I8;
}

cublasStatus_t blas_amax_ex(cublasHandle_t h, int64_t n, const void *x, cudaDataType x_type,
                            int64_t incx, void *result, bool wide)
{
    enum lib_type t;
    return floating(x_type, &t) ? extreme(h, t, n, x, incx, result, wide, true)
                                : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t blas_amin_ex(cublasHandle_t h, int64_t n, const void *x, cudaDataType x_type,
                            int64_t incx, void *result, bool wide)
{
    enum lib_type t;
    return floating(x_type, &t) ? extreme(h, t, n, x, incx, result, wide, false)
                                : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t blas_rot_ex(cublasHandle_t h, int64_t n, void *x, cudaDataType x_type, int64_t incx,
                           void *y, cudaDataType y_type, int64_t incy, const void *c, const void *s,
                           cudaDataType cs_type, cudaDataType execution)
{
    enum lib_type t, a;
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!types_of(x_type, execution, &t) || y_type != x_type || !lib_type_of(cs_type, &a) ||
        (a != t && a != real_of(t)))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return rot(h, t, a, n, x, incx, y, incy, c, s);
}

cublasStatus_t blas_rotg_ex(cublasHandle_t h, void *a, void *b, cudaDataType ab_type, void *c,
                            void *s, cudaDataType cs_type, cudaDataType execution)
{
    enum lib_type t;
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!types_of(ab_type, execution, &t) || computed(t) != t || cs_type != ab_type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return blas_rotg(h, t, a, b, c, s);
}

cublasStatus_t blas_rotm_ex(cublasHandle_t h, int64_t n, void *x, cudaDataType x_type, int64_t incx,
                            void *y, cudaDataType y_type, int64_t incy, const void *param,
                            cudaDataType param_type, cudaDataType execution)
{
    enum lib_type t, p;
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!types_of(x_type, execution, &t) || lib_types[t].complex || y_type != x_type ||
        !scalar_of(param_type, t, &p))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return rotm(h, t, p, n, x, incx, y, incy, param);
}

cublasStatus_t blas_rotmg_ex(cublasHandle_t h, void *d1, cudaDataType d1_type, void *d2,
                             cudaDataType d2_type, void *x1, cudaDataType x1_type, const void *y1,
                             cudaDataType y1_type, void *param, cudaDataType param_type,
                             cudaDataType execution)
{
    enum lib_type t;
    cublasStatus_t status;
    if (!blas_enter(h, &status))
        return status;
    if (!types_of(d1_type, execution, &t) || (t != LIB_F32 && t != LIB_F64) || d2_type != d1_type ||
        x1_type != d1_type || y1_type != d1_type || param_type != d1_type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return blas_rotmg(h, t, d1, d2, x1, y1, param);
}
