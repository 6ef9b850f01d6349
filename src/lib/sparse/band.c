/* Systems of three and five diagonals. All go side by side: a thread solves one, with pivots. */
#include "lib/sparse/sparse_int.h"

static const char header[] = "sparse/band.h";
static const tern_dim threads = {SPARSE_WARP}; /* systems are few and long */

enum { NOTE = 256 };

static tern_dim grid(int64_t systems)
{
    const int64_t n = (systems + SPARSE_WARP - 1) / SPARSE_WARP;
    return (tern_dim){(uint32_t)(n > 65535 ? 65535 : n)};
}

static cusparseStatus_t check(cusparseHandle_t h, int64_t m, int64_t systems)
{
    cusparseStatus_t s;
    if (!sparse_enter(h, &s))
        return s;
    return m < 0 || systems < 0 ? CUSPARSE_STATUS_INVALID_VALUE : s;
}

/* Arrays of which an element is wanted and none is there. */
static bool missing(int64_t n, const void *const *arrays, int count)
{
    bool any = false;
    for (int k = 0; k < count; k++)
        any |= !arrays[k];
    return n > 0 && any;
}
#define MISSING(n, ...)                                                                            \
    missing(n, (const void *const[]){__VA_ARGS__},                                                 \
            (int)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)))

enum { LEAST = 3 /* equations of a system that cuSPARSE takes where it may not be interleaved */ };

static cusparseStatus_t put_size(cusparseStatus_t s, size_t *bytes)
{
    if (s == CUSPARSE_STATUS_SUCCESS && !bytes)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (s == CUSPARSE_STATUS_SUCCESS)
        *bytes = NOTE;
    return s;
}

static enum tern_error beside(const struct cusparseContext *h, enum lib_type t, int64_t m,
                              int64_t systems, const void *from, int64_t stride, void *to)
{
    return sparse_run(h, header, sparse_grid(m * systems), (tern_dim){SPARSE_THREADS},
                      (void *[]){&m, &systems, &from, &stride, &to}, "side_by_side<%s>",
                      sparse_type(t));
}

static enum tern_error tridiagonal(const struct cusparseContext *h, enum lib_type t, int64_t m,
                                   int64_t systems, void *dl, void *d, void *du, void *x)
{
    return sparse_run(h, header, grid(systems), threads, (void *[]){&m, &systems, &dl, &d, &du, &x},
                      "tridiagonal<%s>", sparse_type(t));
}

/* Copies side by side, solved, and the solutions back: the diagonals are the caller's. */
static enum tern_error by_copies(const struct cusparseContext *h, enum lib_type t, int64_t m,
                                 int64_t systems, const void *const diagonals[3], int64_t stride,
                                 void *x, int64_t x_stride)
{
    const size_t bytes = (size_t)(m * systems) * lib_types[t].bytes;
    void *copy[4] = {NULL, NULL, NULL, NULL};
    enum tern_error e = TERN_OK;
    for (int k = 0; k < 4 && !e; k++) {
        e = lib_scratch(h->stream, bytes, &copy[k]);
        if (!e)
            e = k < 3 ? beside(h, t, m, systems, diagonals[k], stride, copy[k])
                      : beside(h, t, m, systems, x, x_stride, copy[k]);
    }
    if (!e)
        e = tridiagonal(h, t, m, systems, copy[0], copy[1], copy[2], copy[3]);
    if (!e)
        e = sparse_run(h, header, sparse_grid(m * systems), (tern_dim){SPARSE_THREADS},
                       (void *[]){&m, &systems, &copy[3], &x, &x_stride}, "one_after_other<%s>",
                       sparse_type(t));
    for (int k = 3; k >= 0; k--)
        lib_scratch_free(h->stream, copy[k]);
    return e;
}

/* ---- one matrix, many right-hand sides ---- */

cusparseStatus_t sparse_gtsv2_buffer_size_ext(cusparseHandle_t handle, enum lib_type type, int m,
                                              int n, const void *dl, const void *d, const void *du,
                                              const void *B, int ldb, size_t *bytes)
{
    (void)type, (void)dl, (void)d, (void)du, (void)B;
    return put_size(ldb < m || m < LEAST ? CUSPARSE_STATUS_INVALID_VALUE : check(handle, m, n),
                    bytes);
}

cusparseStatus_t sparse_gtsv2(cusparseHandle_t handle, enum lib_type type, int m, int n,
                              const void *dl, const void *d, const void *du, void *B, int ldb,
                              void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check(handle, m, n);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (ldb < m || m < LEAST || MISSING(n, dl, d, du, B))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(
        by_copies(handle, type, m, n, (const void *const[]){dl, d, du}, 0, B, ldb));
}

cusparseStatus_t sparse_gtsv2_nopivot_buffer_size_ext(cusparseHandle_t handle, enum lib_type type,
                                                      int m, int n, const void *dl, const void *d,
                                                      const void *du, const void *B, int ldb,
                                                      size_t *bytes)
{
    return sparse_gtsv2_buffer_size_ext(handle, type, m, n, dl, d, du, B, ldb, bytes);
}

cusparseStatus_t sparse_gtsv2_nopivot(cusparseHandle_t handle, enum lib_type type, int m, int n,
                                      const void *dl, const void *d, const void *du, void *B,
                                      int ldb, void *pBuffer)
{
    return sparse_gtsv2(handle, type, m, n, dl, d, du, B, ldb, pBuffer);
}

/* ---- many matrices ---- */

cusparseStatus_t sparse_gtsv2strided_batch_buffer_size_ext(
    cusparseHandle_t handle, enum lib_type type, int m, const void *dl, const void *d,
    const void *du, const void *x, int batchCount, int batchStride, size_t *bytes)
{
    (void)type, (void)dl, (void)d, (void)du, (void)x;
    return put_size(batchStride < m || m < LEAST ? CUSPARSE_STATUS_INVALID_VALUE
                                                 : check(handle, m, batchCount),
                    bytes);
}

cusparseStatus_t sparse_gtsv2strided_batch(cusparseHandle_t handle, enum lib_type type, int m,
                                           const void *dl, const void *d, const void *du, void *x,
                                           int batchCount, int batchStride, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check(handle, m, batchCount);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (batchStride < m || m < LEAST || MISSING(batchCount, dl, d, du, x))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(by_copies(handle, type, m, batchCount, (const void *const[]){dl, d, du},
                                   batchStride, x, batchStride));
}

cusparseStatus_t sparse_gtsv_interleaved_batch_buffer_size_ext(cusparseHandle_t handle,
                                                               enum lib_type type, int algo, int m,
                                                               const void *dl, const void *d,
                                                               const void *du, const void *x,
                                                               int batchCount, size_t *bytes)
{
    (void)type, (void)dl, (void)d, (void)du, (void)x;
    return put_size(
        (unsigned)algo > 2 ? CUSPARSE_STATUS_INVALID_VALUE : check(handle, m, batchCount), bytes);
}

cusparseStatus_t sparse_gtsv_interleaved_batch(cusparseHandle_t handle, enum lib_type type,
                                               int algo, int m, void *dl, void *d, void *du,
                                               void *x, int batchCount, void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check(handle, m, batchCount);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if ((unsigned)algo > 2 || MISSING((int64_t)m * batchCount, dl, d, du, x))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_status(tridiagonal(handle, type, m, batchCount, dl, d, du, x));
}

cusparseStatus_t sparse_gpsv_interleaved_batch_buffer_size_ext(
    cusparseHandle_t handle, enum lib_type type, int algo, int m, const void *ds, const void *dl,
    const void *d, const void *du, const void *dw, const void *x, int batchCount, size_t *bytes)
{
    (void)type, (void)ds, (void)dl, (void)d, (void)du, (void)dw, (void)x;
    return put_size(algo ? CUSPARSE_STATUS_INVALID_VALUE : check(handle, m, batchCount), bytes);
}

cusparseStatus_t sparse_gpsv_interleaved_batch(cusparseHandle_t handle, enum lib_type type,
                                               int algo, int m, void *ds, void *dl, void *d,
                                               void *du, void *dw, void *x, int batchCount,
                                               void *pBuffer)
{
    (void)pBuffer;
    const cusparseStatus_t s = check(handle, m, batchCount);
    if (s != CUSPARSE_STATUS_SUCCESS)
        return s;
    if (algo || MISSING((int64_t)m * batchCount, ds, dl, d, du, dw, x))
        return CUSPARSE_STATUS_INVALID_VALUE;
    int64_t rows = m, systems = batchCount;
    return sparse_status(sparse_run(handle, header, grid(systems), threads,
                                    (void *[]){&rows, &systems, &ds, &dl, &d, &du, &dw, &x},
                                    "pentadiagonal<%s>", sparse_type(type)));
}
