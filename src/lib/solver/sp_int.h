/* Sparse matrices, factorised on the host: the pattern decides every step, and there is little to
 * do at once. What comes from a device is fetched, what goes there is sent, in the order of the
 * handle's stream.
 *
 * sp_order.c   orders of rows and columns that keep factors sparse, and permuted patterns
 * sp_core.inc    Cholesky, elimination and reflections, for one type of elements; sp_real.c and
 * sp_complex.c: for double and for complex numbers of it, in which float matrices are factorised,
 * too sp_handle.c  handles, matrices of callers sp_solve.c   systems in one call sp_steps.c   the
 * same in steps: analysis, factors, solutions sp_refactor.c  cusolverRf: factors of matrices of the
 * same pattern */
#ifndef LIB_SOLVER_SP_INT_H
#define LIB_SOLVER_SP_INT_H

#include "lib/lib.h"
#include "cuda/cusparse.h"
#include "cuda/cusolverRf.h"
#include "cuda/cusolverSp.h"
#include "cuda/cusolverSp_LOWLEVEL_PREVIEW.h"
#include "lib_cusolver.h"

struct cusolverSpContext {
    uint32_t magic;
    cudaStream_t stream;
};
bool sp_entered(cusolverSpHandle_t h);
#define SP_CALL(handle, arguments_are_right)                                                       \
    do {                                                                                           \
        if (!sp_entered(handle))                                                                   \
            return CUSOLVER_STATUS_NOT_INITIALIZED;                                                \
        if (!(arguments_are_right))                                                                \
            return CUSOLVER_STATUS_INVALID_VALUE;                                                  \
    } while (0)

/* ---- matrices ---- */
/* By rows, counted from 0, in the host's memory; elements are doubles or pairs of them. */
struct sp_matrix {
    int m, n;
    int *ptr, *col;
    void *val; /* NULL: the pattern alone */
    bool complex;
};
struct sp_source { /* as a call gives it */
    int m, n, nnz;
    cusparseMatDescr_t descr;
    enum lib_type type;
    const void *val;
    const int *ptr, *col;
    bool on_device;
};
cusolverStatus_t sp_load(cusolverSpHandle_t h, const struct sp_source *s, struct sp_matrix *a);
void sp_free(struct sp_matrix *a);
/* Vectors of a type, as doubles; NULL: no memory, or no copy. */
void *sp_get(cudaStream_t stream, enum lib_type type, const void *from, int64_t count,
             bool on_device);
bool sp_put(cudaStream_t stream, enum lib_type type, void *to, const void *from, int64_t count,
            bool on_device);
static inline bool sp_complex(enum lib_type type)
{
    return type == LIB_C32 || type == LIB_C64;
}

/* ---- orders ---- */
enum sp_order { SP_NATURAL, SP_RCM, SP_DEGREE, SP_DISSECTION };
/* Of A + A'; NULL: no memory. p[k]: which row is the k-th. */
int *sp_ordering(const struct sp_matrix *a, enum sp_order how);
int *sp_column_ordering(const struct sp_matrix *a, enum sp_order how); /* of A'A, for reflections */

/* ---- factors ---- */
enum { SP_NO_MEMORY = -2, SP_REGULAR = -1 };
struct sp_ops {
    /* Each takes an order over. bad: which pivot is 0 or not positive, or one of the above. */
    void *(*cholesky)(const struct sp_matrix *a, int *order, int *bad);
    void *(*eliminate)(const struct sp_matrix *a, int *order, double threshold, int *bad);
    void *(*reflect)(const struct sp_matrix *a, int *order, int *bad);
    void (*solve_cholesky)(const void *f, const void *b, void *x);
    void (*solve_eliminated)(const void *f, const void *b, void *x);
    double (*solve_reflected)(const void *f, const void *b, void *x); /* the norm of what is left */
    /* The first pivot whose size is not above the tolerance, or -1. */
    int (*small_cholesky)(const void *f, double tolerance);
    int (*small_eliminated)(const void *f, double tolerance);
    int (*small_reflected)(const void *f, double tolerance);
    void (*free_cholesky)(void *f);
    void (*free_eliminated)(void *f);
    void (*free_reflected)(void *f);
    int64_t (*size_of_cholesky)(const void *f); /* elements */
    double (*diagonal)(const void *f, int k);   /* of Cholesky's factor */
    /* L (its diagonal of ones is not stored) and U by rows, and how rows and columns were
     * exchanged. */
    void (*sizes)(const void *f, int *lower, int *upper);
    bool (*extract)(const void *f, int *p, int *q, struct sp_matrix *lower,
                    struct sp_matrix *upper);
};
extern const struct sp_ops sp_real, sp_complex_ops;
static inline const struct sp_ops *sp_ops_of(bool complex)
{
    return complex ? &sp_complex_ops : &sp_real;
}

#endif
