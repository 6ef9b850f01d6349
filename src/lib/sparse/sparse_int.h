/* Sparse linear algebra: cuSPARSE's functions.
 *
 * state.c       handles, settings, statuses, logging
 * describe.c    descriptors of vectors and matrices
 * launch.c      kernels by name, scalars, counts, scans, sorting: what the rest is made of
 * vector.c      sparse vectors with dense ones
 * product.c     sparse by dense: SpMV, SpMM and the older calls on blocks; host/ does them on the
 * CPU spgemm.c      sparse by sparse: the calls; gemm.c: what they do; sampled.c: SDDMM; sum.c:
 * csrgeam2 convert.c     between formats, generic; order.c: sorting, transposing; block.c: blocks;
 * prune.c: small elements plan.c which rows of a triangular system may be computed together solve.c
 * triangular systems; factor.c: incomplete factors; band.c: systems of three and five diagonals
 * colour.c      colouring
 *
 * A matrix is handed to kernels as a struct sparse_view (device/sparse/view.h): lines of entries. A
 * matrix by columns is the view of its transpose, so each function has two forms: results along
 * lines (no two threads meet) and across them (sums meet: atomics). */
#ifndef LIB_SPARSE_SPARSE_INT_H
#define LIB_SPARSE_SPARSE_INT_H

#include "lib/lib.h"
#include "cuda/cusparse.h"
#include "device/sparse/view.h"

struct cusparseContext {
    uint32_t magic;
    struct lib_device device;
    cudaStream_t stream;
    cusparsePointerMode_t pointer_mode;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseIndexBase_t base;
};

struct cusparseSpVecDescr {
    int64_t size, nnz;
    void *indices, *values;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    enum lib_type type;
};

struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    enum lib_type type;
};

struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, cols; /* elements, in every format */
    int64_t nnz;        /* stored entries; BSR: blocks */
    void *offsets;      /* CSR, CSC, BSR, SELL; COO: rows */
    void *indices, *values;
    cusparseIndexType_t offset_type, index_type;
    cusparseIndexBase_t base;
    enum lib_type type;
    int64_t block_rows, block_cols; /* BSR, ELL */
    cusparseOrder_t block_order;
    int64_t ell_cols, slice, values_size;
    int batch;
    int64_t offsets_stride, indices_stride,
        values_stride; /* from one matrix of the batch to the next */
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
};

struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    void *values;
    enum lib_type type;
    cusparseOrder_t order;
    int batch;
    int64_t stride;
};

/* ---- state.c ---- */
bool sparse_enter(cusparseHandle_t h, cusparseStatus_t *status); /* false: *status says why */
cusparseStatus_t sparse_status(enum tern_error e);
void sparse_log(const char *function); /* a call, where the program has asked for it */

/* ---- describe.c ---- */
/* Whether a call can work with what the older calls describe a matrix by: the kinds of matrices
 * that are stored in part (symmetric, Hermitian, triangular) are refused, as cuSPARSE does. */
cusparseStatus_t sparse_general(const struct cusparseMatDescr *d);
bool sparse_base_known(cusparseIndexBase_t base);
bool sparse_op_known(cusparseOperation_t op);
/* Rows as the older calls have them: whether an array is not there that has elements. */
static inline bool sparse_missing(int64_t lines, int64_t entries, const void *offsets,
                                  const void *indices)
{
    return (lines > 0 && !offsets) || (entries > 0 && !indices);
}
/* Whether the arrays of a matrix that is read are there. */
bool sparse_complete(const struct cusparseSpMatDescr *m);
/* Matrix `batch` of the descriptor, as the kernels have it. *by_columns: lines are columns. *kind:
 * SPARSE_CSR, …. A COO matrix needs sparse_lines. */
struct sparse_view sparse_view(const struct cusparseSpMatDescr *m, int64_t batch, bool *by_columns,
                               int *kind);
size_t sparse_index_bytes(cusparseIndexType_t t);
/* Element (i, j) of op(matrix `batch`). */
struct sparse_dense sparse_dense(const struct cusparseDnMatDescr *m, int64_t batch,
                                 cusparseOperation_t op);

/* ---- launch.c ---- */
enum { SPARSE_THREADS = 128, SPARSE_WARP = 32 };
/* A kernel of device/sparse by its name, made as printf makes it. */
enum tern_error sparse_run(const struct cusparseContext *h, const char *header, tern_dim grid,
                           tern_dim block, void *const *args, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* With shared memory of the launch. */
enum tern_error sparse_run_shared(const struct cusparseContext *h, const char *header,
                                  tern_dim grid, tern_dim block, uint32_t shared, void *const *args,
                                  const char *format, ...) __attribute__((format(printf, 7, 8)));
/* Blocks of SPARSE_THREADS threads for n elements, or n warps; kernels walk on where there are
 * fewer. */
tern_dim sparse_grid(int64_t n);
tern_dim sparse_warp_grid(int64_t warps);
/* A scalar of the caller's, wherever the pointer mode says that it is. */
struct sparse_scalar sparse_scalar(const struct cusparseContext *h, enum lib_type type,
                                   const void *given);
struct sparse_scalar sparse_constant(double value);
/* Whether the host knows that it is zero. */
bool sparse_known_zero(struct sparse_scalar s);
const char *sparse_type(enum lib_type t);        /* its name in kernels */
const char *sparse_index(cusparseIndexType_t t); /* int, long long */
const char *sparse_walk(int kind);               /* the class of a view */
/* offsets[0 … n] = base + how many come before, from counts[0 … n - 1] in the same array; counts
 * may be 32 or 64 bits. */
enum tern_error sparse_scan(const struct cusparseContext *h, void *offsets, int64_t n, int64_t base,
                            cusparseIndexType_t type);
/* Sorts keys (unsigned, of 32 or 64 bits, of which `bits` count) with their places, stably. Both
 * are replaced. */
enum tern_error sparse_sort(const struct cusparseContext *h, void *keys, bool wide, int bits,
                            void *places, cusparseIndexType_t place_type, int64_t n);
int sparse_bits(int64_t n); /* that numbers below n have */
/* One number of the device's, on the host: waits for the stream. */
enum tern_error sparse_read(const struct cusparseContext *h, const void *from, size_t bytes,
                            void *to);
/* A count of 32 bits in device memory goes where the pointer mode says. */
enum tern_error sparse_put_count(const struct cusparseContext *h, const int *device, int *to);
/* Offsets of the rows of sorted indices: off[0 … rows]. */
enum tern_error sparse_offsets(const struct cusparseContext *h, const void *rows_of, int64_t nnz,
                               int64_t rows, int64_t base, int64_t base_out, void *offsets,
                               cusparseIndexType_t from, cusparseIndexType_t to);

/* ---- product.c ---- */
struct sparse_types {
    enum lib_type a, x, y, sum; /* sum: what is computed with, and of alpha and beta */
};
bool sparse_types_of(enum lib_type a, enum lib_type x, enum lib_type y, cudaDataType compute,
                     struct sparse_types *t);

/* A matrix of square blocks, as the older calls have it. */
struct cusparseSpMatDescr sparse_blocks(cusparseDirection_t dir, int mb, int nb, int nnzb,
                                        const struct cusparseMatDescr *d, enum lib_type t,
                                        const void *values, const int *offsets, const int *indices,
                                        int dim);

/* ---- order.c ---- */
/* to[k] = from[places[k]], for elements, or groups of `each` elements, of some bytes */
enum tern_error sparse_gather(const struct cusparseContext *h, int64_t n, const int *places,
                              const void *from, void *to, size_t bytes, int64_t each);
/* The line of each entry. */
enum tern_error sparse_lines(const struct cusparseContext *h, const int *offsets, int64_t lines,
                             int64_t base, int *line_of, int64_t base_out);
/* Lines and columns exchanged; values_out may be NULL; an entry has `each` elements. */
enum tern_error sparse_transpose(const struct cusparseContext *h, int64_t lines, int64_t width,
                                 int64_t nnz, int64_t base, const int *offsets, const int *indices,
                                 const void *values, size_t bytes, int64_t each, int *offsets_out,
                                 int *indices_out, void *values_out);

/* ---- host/ ---- */
struct sparse_host_mv {
    struct sparse_view a;
    bool wide_offsets, wide_indices;
    enum lib_type type;
    const void *x;
    void *y;
    struct sparse_scalar alpha, beta;
};
/* y = alpha * A * x + beta * y by C functions; TERN_UNSUPPORTED: not these types. */
enum tern_error sparse_host_mv(const struct cusparseContext *h, const struct sparse_host_mv *p);

/* ---- the families of cusparse.def ---- */
#include "lib_cusparse.h"

#endif
