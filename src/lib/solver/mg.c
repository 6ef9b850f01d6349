/* Matrices over several devices: tiles of columns go round the devices of a grid. The handle's
 * first device computes: columns that are elsewhere come to it and go back, in whole tiles. A
 * matrix that is on it alone is worked on where it is. */
#include <stdlib.h>
#include "lib/solver/solver_int.h"

enum { MG_MAGIC = 0x3d6, MG_DEVICES = 64 };

struct cusolverMgContext {
    uint32_t magic;
    int device; /* -1: none selected yet */
    cusolverDnHandle_t dn;
};

struct mg_grid {
    int count;
    int device[MG_DEVICES];
};

struct mg_matrix {
    int64_t rows, cols, tile;
    enum lib_type type;
    struct mg_grid grid;
};

cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    (*handle)->magic = MG_MAGIC;
    (*handle)->device = -1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle)
{
    if (!handle || handle->magic != MG_MAGIC)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (handle->dn)
        cusolverDnDestroy(handle->dn);
    handle->magic = 0;
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

/* The device of a call, until mg_leave. */
static bool enter(int device, int *before)
{
    return cudaGetDevice(before) == cudaSuccess && cudaSetDevice(device) == cudaSuccess;
}

cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int count, int device[])
{
    int there = 0, before;
    if (!handle || handle->magic != MG_MAGIC)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (count < 1 || count > MG_DEVICES || !device || cudaGetDeviceCount(&there) != cudaSuccess)
        return CUSOLVER_STATUS_INVALID_VALUE;
    for (int k = 0; k < count; k++)
        if (device[k] < 0 || device[k] >= there)
            return CUSOLVER_STATUS_INVALID_VALUE;
    if (handle->dn)
        cusolverDnDestroy(handle->dn);
    handle->dn = NULL;
    if (!enter(device[0], &before))
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    const cusolverStatus_t s = cusolverDnCreate(&handle->dn);
    cudaSetDevice(before);
    handle->device = device[0];
    return s;
}

cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t rows, int32_t cols,
                                            const int32_t device[], cusolverMgGridMapping_t mapping)
{
    (void)mapping; /* of one row there is one order */
    if (!grid || rows != 1 || cols < 1 || cols > MG_DEVICES || !device)
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct mg_grid *g = calloc(1, sizeof *g);
    if (!g)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    g->count = cols;
    for (int k = 0; k < cols; k++)
        g->device[k] = device[k];
    *grid = g;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid)
{
    free(grid);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *desc, int64_t rows, int64_t cols,
                                            int64_t row_tile, int64_t col_tile, cudaDataType type,
                                            const cudaLibMgGrid_t grid)
{
    enum lib_type t;
    if (!desc || rows < 0 || cols < 0 || row_tile < 1 || col_tile < 1 || !grid)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (row_tile < rows || !lib_type_of(type, &t) ||
        (t != LIB_F32 && t != LIB_F64 && t != LIB_C32 && t != LIB_C64))
        return CUSOLVER_STATUS_NOT_SUPPORTED; /* rows are not distributed */
    struct mg_matrix *m = calloc(1, sizeof *m);
    if (!m)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    *m = (struct mg_matrix){rows, cols, col_tile, t, *(const struct mg_grid *)grid};
    *desc = m;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc)
{
    free(desc);
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- a part of a matrix on the device that computes ---- */

struct part {
    const struct mg_matrix *m;
    void **array;
    int64_t row, col, rows, cols; /* from 0 */
    bool whole;                   /* it is where it was */
    void *p;
    int64_t ld;
};

/* Moves the part between its tiles and the device. */
static cudaError_t move(const struct part *a, bool out)
{
    const struct mg_matrix *m = a->m;
    const size_t size = lib_types[m->type].bytes;
    cudaError_t e = cudaSuccess;
    for (int64_t j = 0, n; j < a->cols && e == cudaSuccess; j += n) {
        const int64_t col = a->col + j, tile = col / m->tile, in = col % m->tile;
        n = m->tile - in < a->cols - j ? m->tile - in : a->cols - j;
        const int64_t local = tile / m->grid.count * m->tile + in;
        char *there =
                 (char *)a->array[tile % m->grid.count] + (size_t)(a->row + local * m->rows) * size,
             *here = (char *)a->p + (size_t)(j * a->ld) * size;
        e = cudaMemcpy2D(out ? there : here, (size_t)(out ? m->rows : a->ld) * size,
                         out ? here : there, (size_t)(out ? a->ld : m->rows) * size,
                         (size_t)a->rows * size, (size_t)n, cudaMemcpyDefault);
    }
    return e;
}

static enum tern_error part_begin(struct part *a, const struct mg_matrix *m, void **array, int row,
                                  int col, int64_t rows, int64_t cols)
{
    *a = (struct part){.m = m, .array = array, .row = row - 1, .col = col - 1, .rows = rows};
    a->cols = cols;
    a->whole = m->grid.count == 1;
    a->ld = a->whole ? m->rows : rows > 1 ? rows : 1;
    const size_t size = lib_types[m->type].bytes;
    if (a->whole) {
        a->p = (char *)array[0] + (size_t)(a->row + a->col * m->rows) * size;
        return TERN_OK;
    }
    const size_t bytes = (size_t)(a->ld * cols) * size;
    cudaError_t e = cudaMalloc(&a->p, bytes ? bytes : 1);
    if (e == cudaSuccess)
        e = move(a, false);
    return lib_error(e);
}

static enum tern_error part_end(struct part *a, bool write, enum tern_error e)
{
    if (a->whole || !a->p)
        return e;
    if (!e && write)
        e = lib_error(move(a, true));
    cudaFree(a->p);
    return e;
}

/* ---- what a call is made of ---- */

struct call {
    cusolverMgHandle_t h;
    int before;
    int *info; /* on the device */
    cusolverStatus_t status;
};

static bool inside(const struct mg_matrix *m, int row, int col, int64_t rows, int64_t cols)
{
    return m && row >= 1 && col >= 1 && rows >= 0 && cols >= 0 && row - 1 + rows <= m->rows &&
           col - 1 + cols <= m->cols;
}

static bool of_type(const struct mg_matrix *m, cudaDataType compute)
{
    return lib_types[m->type].number == (int)compute;
}

static cusolverStatus_t begin(struct call *c, cusolverMgHandle_t h, bool right)
{
    *c = (struct call){.h = h};
    if (!h || h->magic != MG_MAGIC || !h->dn)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!right)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!enter(h->device, &c->before))
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    return cudaMalloc((void **)&c->info, sizeof(int)) == cudaSuccess &&
                   cudaMemset(c->info, 0, sizeof(int)) == cudaSuccess
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_ALLOC_FAILED;
}

static cusolverStatus_t end(struct call *c, enum tern_error e, cusolverStatus_t s, int *info)
{
    if (s == CUSOLVER_STATUS_SUCCESS && !e && info)
        e = lib_error(cudaMemcpy(info, c->info, sizeof *info, cudaMemcpyDefault));
    if (c->info)
        cudaFree(c->info);
    if (c->h && c->h->dn)
        cudaSetDevice(c->before);
    if (s != CUSOLVER_STATUS_SUCCESS || !e)
        return s;
    return e == TERN_OUT_OF_MEMORY ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_INTERNAL_ERROR;
}

/* Callers have workspaces of one element: ours come from the stream's pool. */
static cusolverStatus_t one_element(cusolverMgHandle_t h, int64_t *lwork)
{
    if (!h || h->magic != MG_MAGIC)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!lwork)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *lwork = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- Cholesky ---- */

typedef cusolverStatus_t triangle_fn(struct call *, cudaDataType, cublasFillMode_t, int n,
                                     const struct part *);

/* Does `f` to the triangle of a square part of A, which is then the result's. */
static cusolverStatus_t triangle_in_place(cusolverMgHandle_t h, triangle_fn *f,
                                          cublasFillMode_t uplo, int n, void *A[], int ia, int ja,
                                          const struct mg_matrix *m, cudaDataType compute,
                                          int *info)
{
    struct call c;
    struct part a = {0};
    cusolverStatus_t s = begin(&c, h, inside(m, ia, ja, n, n) && A && of_type(m, compute));
    enum tern_error e = TERN_OK;
    if (s == CUSOLVER_STATUS_SUCCESS)
        e = part_begin(&a, m, A, ia, ja, n, n);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        s = f(&c, compute, uplo, n, &a);
    return end(&c, part_end(&a, s == CUSOLVER_STATUS_SUCCESS, e), s, info);
}

static cusolverStatus_t potrf(struct call *c, cudaDataType t, cublasFillMode_t uplo, int n,
                              const struct part *a)
{
    return cusolverDnXpotrf(c->h->dn, NULL, uplo, n, t, a->p, a->ld, t, NULL, 0, NULL, 0, c->info);
}

cusolverStatus_t cusolverMgPotrf(cusolverMgHandle_t h, cublasFillMode_t uplo, int n, void *A[],
                                 int ia, int ja, cudaLibMgMatrixDesc_t da, cudaDataType compute,
                                 void *work[], int64_t lwork, int *info)
{
    (void)work;
    (void)lwork;
    return triangle_in_place(h, potrf, uplo, n, A, ia, ja, da, compute, info);
}

cusolverStatus_t cusolverMgPotrs(cusolverMgHandle_t h, cublasFillMode_t uplo, int n, int nrhs,
                                 void *A[], int ia, int ja, cudaLibMgMatrixDesc_t da, void *B[],
                                 int ib, int jb, cudaLibMgMatrixDesc_t db, cudaDataType compute,
                                 void *work[], int64_t lwork, int *info)
{
    (void)work;
    (void)lwork;
    const struct mg_matrix *m = da, *mb = db;
    struct call c;
    struct part a = {0}, b = {0};
    cusolverStatus_t s = begin(&c, h,
                               inside(m, ia, ja, n, n) && inside(mb, ib, jb, n, nrhs) && A && B &&
                                   of_type(m, compute) && of_type(mb, compute));
    enum tern_error e = TERN_OK;
    if (s == CUSOLVER_STATUS_SUCCESS)
        e = part_begin(&a, m, A, ia, ja, n, n);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        e = part_begin(&b, mb, B, ib, jb, n, nrhs);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        s = cusolverDnXpotrs(h->dn, NULL, uplo, n, nrhs, compute, a.p, a.ld, compute, b.p, b.ld,
                             c.info);
    e = part_end(&b, s == CUSOLVER_STATUS_SUCCESS, e);
    return end(&c, part_end(&a, false, e), s, info);
}

static cusolverStatus_t potri(struct call *c, cudaDataType t, cublasFillMode_t uplo, int n,
                              const struct part *a)
{
    const int ld = (int)a->ld;
    cusolverDnHandle_t dn = c->h->dn;
    switch (t) {
    case CUDA_R_32F: return cusolverDnSpotri(dn, uplo, n, a->p, ld, NULL, 0, c->info);
    case CUDA_R_64F: return cusolverDnDpotri(dn, uplo, n, a->p, ld, NULL, 0, c->info);
    case CUDA_C_32F: return cusolverDnCpotri(dn, uplo, n, a->p, ld, NULL, 0, c->info);
    default: return cusolverDnZpotri(dn, uplo, n, a->p, ld, NULL, 0, c->info);
    }
}

cusolverStatus_t cusolverMgPotri(cusolverMgHandle_t h, cublasFillMode_t uplo, int n, void *A[],
                                 int ia, int ja, cudaLibMgMatrixDesc_t da, cudaDataType compute,
                                 void *work[], int64_t lwork, int *info)
{
    (void)work;
    (void)lwork;
    return triangle_in_place(h, potri, uplo, n, A, ia, ja, da, compute, info);
}

/* ---- Gauss: pivots lie as a matrix of one row, column by column ---- */

static enum tern_error move_pivots(const struct mg_matrix *m, int **array, int ja, int n, int *host,
                                   bool out)
{
    cudaError_t e = cudaSuccess;
    for (int64_t j = 0, count; j < n && e == cudaSuccess; j += count) {
        const int64_t col = ja - 1 + j, tile = col / m->tile, in = col % m->tile;
        count = m->tile - in < n - j ? m->tile - in : n - j;
        int *there = array[tile % m->grid.count] + tile / m->grid.count * m->tile + in;
        e = cudaMemcpy(out ? there : host + j, out ? host + j : there, (size_t)count * sizeof *host,
                       cudaMemcpyDefault);
    }
    return lib_error(e);
}

/* Between the caller's ints and the 64-bit numbers of cusolverDnXgetrf. */
static enum tern_error pivots(const struct mg_matrix *m, int **array, int ja, int n, int64_t *wide,
                              bool out)
{
    enum tern_error e = TERN_OUT_OF_MEMORY;
    int *host = malloc(((size_t)n + 1) * sizeof *host);
    int64_t *both = malloc(((size_t)n + 1) * sizeof *both);
    const size_t bytes = (size_t)n * sizeof *both;
    if (host && both && out) {
        e = lib_error(cudaMemcpy(both, wide, bytes, cudaMemcpyDefault));
        for (int k = 0; k < n && !e; k++)
            host[k] = (int)both[k];
        if (!e)
            e = move_pivots(m, array, ja, n, host, true);
    } else if (host && both) {
        e = move_pivots(m, array, ja, n, host, false);
        for (int k = 0; k < n && !e; k++)
            both[k] = host[k];
        if (!e)
            e = lib_error(cudaMemcpy(wide, both, bytes, cudaMemcpyDefault));
    }
    free(host);
    free(both);
    return e;
}

static enum tern_error wide_pivots(int n, int64_t **out)
{
    return lib_error(cudaMalloc((void **)out, ((size_t)n + 1) * sizeof **out));
}

cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t h, int rows, int n, void *A[], int ia, int ja,
                                 cudaLibMgMatrixDesc_t da, int *ipiv[], cudaDataType compute,
                                 void *work[], int64_t lwork, int *info)
{
    (void)work;
    (void)lwork;
    const struct mg_matrix *m = da;
    const int least = rows < n ? rows : n;
    struct call c;
    struct part a = {0};
    int64_t *wide = NULL;
    cusolverStatus_t s = begin(&c, h, inside(m, ia, ja, rows, n) && A && of_type(m, compute));
    enum tern_error e = TERN_OK;
    if (s == CUSOLVER_STATUS_SUCCESS)
        e = part_begin(&a, m, A, ia, ja, rows, n);
    if (s == CUSOLVER_STATUS_SUCCESS && !e && ipiv)
        e = wide_pivots(least, &wide);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        s = cusolverDnXgetrf(h->dn, NULL, rows, n, compute, a.p, a.ld, wide, compute, NULL, 0, NULL,
                             0, c.info);
    if (s == CUSOLVER_STATUS_SUCCESS && !e && ipiv)
        e = pivots(m, ipiv, ja, least, wide, true);
    cudaFree(wide);
    return end(&c, part_end(&a, s == CUSOLVER_STATUS_SUCCESS, e), s, info);
}

cusolverStatus_t cusolverMgGetrs(cusolverMgHandle_t h, cublasOperation_t op, int n, int nrhs,
                                 void *A[], int ia, int ja, cudaLibMgMatrixDesc_t da, int *ipiv[],
                                 void *B[], int ib, int jb, cudaLibMgMatrixDesc_t db,
                                 cudaDataType compute, void *work[], int64_t lwork, int *info)
{
    (void)work;
    (void)lwork;
    const struct mg_matrix *m = da, *mb = db;
    struct call c;
    struct part a = {0}, b = {0};
    int64_t *wide = NULL;
    cusolverStatus_t s = begin(&c, h,
                               inside(m, ia, ja, n, n) && inside(mb, ib, jb, n, nrhs) && A && B &&
                                   of_type(m, compute) && of_type(mb, compute));
    enum tern_error e = TERN_OK;
    if (s == CUSOLVER_STATUS_SUCCESS)
        e = part_begin(&a, m, A, ia, ja, n, n);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        e = part_begin(&b, mb, B, ib, jb, n, nrhs);
    if (s == CUSOLVER_STATUS_SUCCESS && !e && ipiv)
        e = wide_pivots(n, &wide);
    if (s == CUSOLVER_STATUS_SUCCESS && !e && ipiv)
        e = pivots(m, ipiv, ja, n, wide, false);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        s = cusolverDnXgetrs(h->dn, NULL, op, n, nrhs, compute, a.p, a.ld, wide, compute, b.p, b.ld,
                             c.info);
    cudaFree(wide);
    e = part_end(&b, s == CUSOLVER_STATUS_SUCCESS, e);
    return end(&c, part_end(&a, false, e), s, info);
}

/* ---- eigenvalues: W is the host's, or any device's ---- */

cusolverStatus_t cusolverMgSyevd(cusolverMgHandle_t h, cusolverEigMode_t jobz,
                                 cublasFillMode_t uplo, int n, void *A[], int ia, int ja,
                                 cudaLibMgMatrixDesc_t da, void *W, cudaDataType type_w,
                                 cudaDataType compute, void *work[], int64_t lwork, int *info)
{
    (void)work;
    (void)lwork;
    const struct mg_matrix *m = da;
    struct call c;
    struct part a = {0};
    void *values = NULL;
    cusolverStatus_t s = begin(&c, h, inside(m, ia, ja, n, n) && A && W && of_type(m, compute));
    enum tern_error e = TERN_OK;
    const size_t bytes = (size_t)n * (type_w == CUDA_R_64F ? 8 : 4);
    if (s == CUSOLVER_STATUS_SUCCESS)
        e = part_begin(&a, m, A, ia, ja, n, n);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        e = lib_error(cudaMalloc(&values, bytes ? bytes : 1));
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        s = cusolverDnXsyevd(h->dn, NULL, jobz, uplo, n, compute, a.p, a.ld, type_w, values,
                             compute, NULL, 0, NULL, 0, c.info);
    if (s == CUSOLVER_STATUS_SUCCESS && !e)
        e = lib_error(cudaMemcpy(W, values, bytes, cudaMemcpyDefault));
    cudaFree(values);
    return end(&c, part_end(&a, s == CUSOLVER_STATUS_SUCCESS, e), s, info);
}

/* ---- workspaces ---- */

cusolverStatus_t cusolverMgSyevd_bufferSize(cusolverMgHandle_t h, cusolverEigMode_t jobz,
                                            cublasFillMode_t uplo, int n, void *A[], int ia, int ja,
                                            cudaLibMgMatrixDesc_t da, void *W, cudaDataType type_w,
                                            cudaDataType compute, int64_t *lwork)
{
    (void)jobz, (void)uplo, (void)n, (void)A, (void)ia, (void)ja, (void)da, (void)W, (void)type_w;
    (void)compute;
    return one_element(h, lwork);
}

cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t h, int rows, int n, void *A[],
                                            int ia, int ja, cudaLibMgMatrixDesc_t da, int *ipiv[],
                                            cudaDataType compute, int64_t *lwork)
{
    (void)rows, (void)n, (void)A, (void)ia, (void)ja, (void)da, (void)ipiv, (void)compute;
    return one_element(h, lwork);
}

cusolverStatus_t cusolverMgGetrs_bufferSize(cusolverMgHandle_t h, cublasOperation_t op, int n,
                                            int nrhs, void *A[], int ia, int ja,
                                            cudaLibMgMatrixDesc_t da, int *ipiv[], void *B[],
                                            int ib, int jb, cudaLibMgMatrixDesc_t db,
                                            cudaDataType compute, int64_t *lwork)
{
    (void)op, (void)n, (void)nrhs, (void)A, (void)ia, (void)ja, (void)da, (void)ipiv, (void)B;
    (void)ib, (void)jb, (void)db, (void)compute;
    return one_element(h, lwork);
}

cusolverStatus_t cusolverMgPotrf_bufferSize(cusolverMgHandle_t h, cublasFillMode_t uplo, int n,
                                            void *A[], int ia, int ja, cudaLibMgMatrixDesc_t da,
                                            cudaDataType compute, int64_t *lwork)
{
    (void)uplo, (void)n, (void)A, (void)ia, (void)ja, (void)da, (void)compute;
    return one_element(h, lwork);
}

cusolverStatus_t cusolverMgPotrs_bufferSize(cusolverMgHandle_t h, cublasFillMode_t uplo, int n,
                                            int nrhs, void *A[], int ia, int ja,
                                            cudaLibMgMatrixDesc_t da, void *B[], int ib, int jb,
                                            cudaLibMgMatrixDesc_t db, cudaDataType compute,
                                            int64_t *lwork)
{
    (void)uplo, (void)n, (void)nrhs, (void)A, (void)ia, (void)ja, (void)da, (void)B, (void)ib;
    (void)jb, (void)db, (void)compute;
    return one_element(h, lwork);
}

cusolverStatus_t cusolverMgPotri_bufferSize(cusolverMgHandle_t h, cublasFillMode_t uplo, int n,
                                            void *A[], int ia, int ja, cudaLibMgMatrixDesc_t da,
                                            cudaDataType compute, int64_t *lwork)
{
    (void)uplo, (void)n, (void)A, (void)ia, (void)ja, (void)da, (void)compute;
    return one_element(h, lwork);
}
