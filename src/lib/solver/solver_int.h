/* cuSOLVER on every device: factorisations, eigenvalues, singular values.
 *
 * state.c     handles, parameters and logging
 * work.c      what a call is made of: kernels, products of our cuBLAS, scratch memory, one error
 * panel.c     columns of tall matrices by many blocks at once
 * chol.c      Cholesky's factorisation and what follows from it
 * lu.c        Gauss's elimination
 * qr.c        Householder's reflections
 * indefinite.c  symmetric matrices that need not be definite
 * eigen.c     eigenvalues of Hermitian matrices; divide.c: with vectors, of tridiagonal ones;
 *             tridiagonal.c: without, on the host; band.c: large matrices, in two stages
 * geev.c      eigenvalues of any matrix, on the host
 * general.c   generalised eigenvalues, and the tridiagonal form itself
 * jacobi.c    eigenvalues by rotations, also of many matrices
 * svd.c       singular values by rotations; polar.c: by the polar decomposition; svd_batch.c: of
 *             many matrices
 * bidiagonal.c  the bidiagonal form
 * irs.c       systems solved in a lower precision and refined
 * mg.c        matrices over several devices
 * own.c       tern_solver.h: packed and banded matrices, inverses, determinants, ranks, least
 * squares; function.c: functions of matrices host/       leaves of factorisations on the CPU, C
 * functions sp_*.c      sparse matrices; sp_int.h
 *
 * Products and triangular solves are our cuBLAS's, on halves of the matrix until a block is small
 * enough for one kernel (device/solver/). The functions themselves are made from cusolver.def:
 * cusolverDnSpotrf is solver_potrf(handle, LIB_F32, …); those of the 64-bit API (X) say the type
 * themselves. Workspaces of callers are asked for and not needed: scratch memory comes from the
 * stream's pool. */
#ifndef LIB_SOLVER_SOLVER_INT_H
#define LIB_SOLVER_SOLVER_INT_H

#include "lib/lib.h"
#include "cuda/cusolverDn.h"
#include "device/solver/shared.h"
#include "lib_cublas.h"

struct cusolverDnContext {
    uint32_t magic;
    struct lib_device device;
    cudaStream_t stream;
    cublasHandle_t blas;
    cusolverDeterministicMode_t deterministic;
    cusolverMathMode_t math;
    cudaEmulationStrategy_t emulation;
    cudaStream_t side; /* for what need not wait for the stream's products; NULL: none yet */
    cudaEvent_t events[2];
    int64_t band_from; /* rows that eigenvalues come in two stages from; 0: never, -1: band_suits
                        * knows */
};

bool solver_entered(cusolverDnHandle_t h);
void solver_log(const char *function); /* a call, where the program has asked for it */

/* What a wrong call is answered with: FIRST, before anything is done. */
#define SOLVER_CALL(handle, arguments_are_right)                                                   \
    do {                                                                                           \
        if (!solver_entered(handle))                                                               \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                                \
        if (!(arguments_are_right))                                                                \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
    } while (0)

/* ---- work.c ---- */
/* The work of one call. After an error nothing more is done; work_end says what it was. */
struct work {
    struct cusolverDnContext *h;
    enum lib_type type, real; /* of elements, of their absolute values */
    enum tern_error error;
    cudaStream_t stream; /* the handle's, also while launches go beside it */
    void *scratch[64];
    int nscratch;
};
struct work work_begin(cusolverDnHandle_t h, enum lib_type type);
cusolverStatus_t work_end(struct work *w);
void work_fail(struct work *w, enum tern_error e);
/* Device memory until work_end. */
void *work_bytes(struct work *w, size_t bytes);
void *work_elements(struct work *w, int64_t count); /* of the type */
void *work_reals(struct work *w, int64_t count);
/* A leading dimension for m rows whose columns begin at multiples of 16 bytes. */
static inline int64_t work_ld(const struct work *w, int64_t m)
{
    const int64_t each = 16 / (int64_t)lib_types[w->type].bytes;
    return m > 1 ? (m + each - 1) / each * each : each;
}
/* What has been reserved since there were so many (nscratch) is given back. */
void work_release(struct work *w, int since);
/* The element (i, j) of a matrix. */
void *work_at(const struct work *w, const void *a, int64_t lda, int64_t i, int64_t j);
/* The kernel NAME<type> of device/solver/HEADER, of blocks of threads. */
void work_run(struct work *w, const char *header, const char *name, int64_t blocks, int threads,
              void *const *args);
void work_run2(struct work *w, const char *header, const char *name, tern_dim grid, int threads,
               void *const *args);
/* A kernel for each of count elements. */
void work_each(struct work *w, const char *header, const char *name, int64_t count,
               void *const *args);
/* The same for the kernel of the type's absolute values. */
void work_each_real(struct work *w, const char *header, const char *name, int64_t count,
                    void *const *args);
void work_zero(struct work *w, void *p, size_t bytes);
void work_copy(struct work *w, void *to, const void *from, size_t bytes); /* on the device */
/* Between the host and the device, at once. */
void work_get(struct work *w, void *host, const void *device, size_t bytes);
void work_put(struct work *w, void *device, const void *host, size_t bytes);
/* Absolute values, which the host has as doubles. */
void work_get_reals(struct work *w, double *host, const void *device, int64_t count);
void work_put_reals(struct work *w, void *device, const double *host, int64_t count);
/* The largest absolute value of a matrix; no number, where one of its elements is none. */
double work_largest(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda);

void work_gemm(struct work *w, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n,
               int64_t k, double alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
               double beta, void *c, int64_t ldc);
/* Many products, of matrices so many elements apart. */
void work_gemm_strided(struct work *w, cublasOperation_t ta, cublasOperation_t tb, int64_t m,
                       int64_t n, int64_t k, double alpha, const void *a, int64_t lda,
                       int64_t stride_a, const void *b, int64_t ldb, int64_t stride_b, double beta,
                       void *c, int64_t ldc, int64_t stride_c, int64_t count);
/* A' B of parts of k rows each, to matrices `stride` elements apart. */
void work_gemm_parts(struct work *w, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
                     const void *b, int64_t ldb, void *c, int64_t ldc, int64_t stride,
                     int64_t parts);
void work_trsm(struct work *w, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
               cublasDiagType_t diag, int64_t m, int64_t n, const void *a, int64_t lda, void *b,
               int64_t ldb);
void work_trmm(struct work *w, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
               cublasDiagType_t diag, int64_t m, int64_t n, double alpha, const void *a,
               int64_t lda, void *b, int64_t ldb);
/* C = beta C + alpha op(A) op(A)', one triangle, Hermitian where there are complex numbers. */
void work_herk(struct work *w, cublasFillMode_t uplo, cublasOperation_t op, int64_t n, int64_t k,
               double alpha, const void *a, int64_t lda, double beta, void *c, int64_t ldc);
/* C += alpha (A B' + B A'), one triangle, of real numbers. */
void work_syr2k(struct work *w, cublasFillMode_t uplo, int64_t n, int64_t k, double alpha,
                const void *a, int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc);
void work_gemv(struct work *w, int64_t n, const void *a, int64_t lda, const void *x,
               void *y); /* y = A x */

/* Two streams: what need not wait for the handle's stream may go to one beside it. false: there is
 * none, as on devices that do one thing at a time. */
bool work_side(struct work *w);
/* What follows goes beside, or to the handle's stream. */
void work_beside(struct work *w, bool side);
/* Each waits for what the other has been given so far. */
void work_meet(struct work *w);

/* ---- panel.c ---- */
/* At most PANEL_COLUMNS columns of at most m rows. board NULL: the device does not hold them. */
struct panel {
    void *board;
};
struct panel panel_begin(struct work *w, int64_t m);
/* The kernel NAME<type, MORE PANEL_COLUMNS> of device/solver/panel.h for m rows; the last of args
 * points at the board. */
void panel_run(struct work *w, const char *name, const char *more, int64_t m, void *const *args,
               const struct panel *p);

static inline bool valid_fill(cublasFillMode_t u)
{
    return u == CUBLAS_FILL_MODE_LOWER || u == CUBLAS_FILL_MODE_UPPER;
}
static inline bool valid_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}
static inline bool valid_ld(int64_t ld, int64_t rows)
{
    return ld >= (rows > 1 ? rows : 1);
}
/* The first half of n, a multiple of the block. */
static inline int64_t solver_half(int64_t n, int64_t block)
{
    return ((n / 2 + block - 1) / block) * block;
}
/* Types of the 64-bit API: float, double and their complex numbers. */
bool solver_type(cudaDataType type, enum lib_type *out);

/* What the 64-bit API is told to reserve: one element of the largest type. */
enum { SOLVER_BYTES = 16 };

/* ---- the algorithms, for the calls of other files ---- */
void chol_factor(struct work *w, cublasFillMode_t uplo, int64_t n, void *a, int64_t lda, int *info);
void lu_factor(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, int *pivots, int *info);
void lu_solve(struct work *w, cublasOperation_t op, int64_t n, int64_t nrhs, const void *a,
              int64_t lda, int *pivots, void *b, int64_t ldb, int *info);

/* The determinant is (mantissa[0] + i mantissa[1]) 2^exponent, of a matrix that has been
 * factorised; 0 where it could not be. */
void lu_determinant(struct work *w, int64_t n, const void *a, int64_t lda, const int *pivots,
                    double mantissa[2], int64_t *exponent);

/* A block of reflections, I - V T V', and scratch to apply it with. */
struct reflections {
    int64_t rows, count;
    void *v, *t, *g, *w, *w2;
    int64_t ldv, ldw, most; /* most: reflections that there is room for */
};
void qr_factor(struct work *w, int64_t m, int64_t n, void *a, int64_t lda, void *tau);
void qr_multiply(struct work *w, cublasSideMode_t side, bool adjoint, int64_t m, int64_t n,
                 int64_t k, const void *a, int64_t lda, const void *tau, void *c, int64_t ldc);
void qr_form(struct work *w, int64_t m, int64_t n, int64_t k, void *a, int64_t lda,
             const void *tau);
/* A block of reflections by itself: how many there are at most, scratch for blocks of m rows
 * applied to n columns, and that of the first columns of a panel. Those of its n <= qr_width
 * columns that are no reflection (there are no more than rows) hear of the others. */
int64_t qr_width(const struct work *w);
void qr_reserve(struct work *w, struct reflections *r, int64_t m, int64_t n);
void qr_panel(struct work *w, struct reflections *r, struct panel *tall, int64_t m, int64_t n,
              void *a, int64_t lda, void *tau);
bool qr_op(enum lib_type type, cublasOperation_t op);

/* ---- eigenvalues ---- */
struct eigen_range {
    cusolverEigRange_t range;
    double vl, vu;
    int64_t il, iu;
};
double solver_real(enum lib_type type, const void *at); /* an absolute value of the caller's */
struct eigen_range eigen_range_of(enum lib_type type, cusolverEigRange_t range, const void *vl,
                                  const void *vu, int64_t il, int64_t iu);
bool eigen_valid_range(const struct eigen_range *r, int64_t n);
void *eigen_full(struct work *w, cublasFillMode_t uplo, int64_t n, const void *a, int64_t lda,
                 bool flipped);
void eigen_reduce(struct work *w, int64_t n, void *a, int64_t lda, void *d, void *e, void *tau);
int64_t eigen_solve(struct work *w, int64_t n, void *full, const struct eigen_range *range,
                    void *values, void *out, int64_t ldo, int *info);

/* Eigenvalues of a tridiagonal matrix, in no order, to d; e has n elements, the last is 0. false:
 * they do not converge, and e is not 0 where. */
bool tridiagonal_eigenvalues(int64_t n, double *d, double *e);

/* ---- band.c ---- */
/* What the second stage did: reflections of sweep s at position j, of rows s + 1 + j width on. */
struct band {
    int64_t n, width;
    void *vectors, *tau; /* vectors[row + s n], tau[s + j ldt] */
    int64_t ldt;
};
bool band_suits(const struct work *w, int64_t n);
/* As eigen_reduce, but that the first stage's reflections begin width rows below the diagonal. */
void band_reduce(struct work *w, int64_t n, void *a, int64_t lda, void *d, void *e, void *tau,
                 struct band *b);
/* X = Q X of the second stage. X has band_rows rows, those after the n-th are 0. */
int64_t band_rows(const struct band *b);
void band_back(struct work *w, const struct band *b, int64_t count, void *x, int64_t ldx);

/* ---- divide.c ---- */
/* Eigenvalues, in no order, and real vectors of a tridiagonal matrix: d has n elements, e n - 1 and
 * room for one more. The result counts what did not converge. */
int64_t divide_solve(struct work *w, int64_t n, double *d, double *e, void *q);

/* ---- rotations ---- */
struct jacobi {
    double tolerance; /* 0: what rounding allows */
    int sweeps, sort;
    double residual; /* of the last call */
    int done;        /* sweeps that it took; -1: there was none */
    bool any_way;    /* rotations are not asked for */
};
struct syevjInfo {
    struct jacobi set;
};
struct gesvdjInfo {
    struct jacobi set;
};
enum { JACOBI_SWEEPS = 100 }; /* where nobody has said how many */
double jacobi_tolerance(const struct work *w, const struct jacobi *j);
void jacobi_solve(struct work *w, int64_t n, void *full, syevjInfo_t params, void *values,
                  void *out, int64_t ldo, int *info);
/* Many matrices, lda n elements apart, in place. */
void jacobi_batch(struct work *w, struct jacobi *set, bool vectors, cublasFillMode_t uplo,
                  int64_t n, void *A, int64_t lda, void *W, int *info, int64_t count);
void svd_solve(struct work *w, int64_t m, int64_t n, const void *a, int64_t lda, struct jacobi *set,
               void *s, void *u, int64_t ucols, int64_t ldu, void *v, int64_t vcols, int64_t ldv,
               int *info);
/* ---- polar.c ---- */
/* Whether the device does well with it. */
bool polar_suits(const struct work *w, int64_t n);
/* As svd.c's solve, of a matrix whose largest element is scale. */
void polar_solve(struct work *w, int64_t m, int64_t n, void *a, double scale, void *s, void *u,
                 int64_t columns, int64_t ldu, void *v, int64_t ldv, int *info);
void svd_first(struct work *w, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda, void *s,
               void *u, int64_t ldu, void *v, int64_t ldv, int *info);

/* ---- the families of cusolver.def ---- */
#include "lib_cusolver.h"

#endif
