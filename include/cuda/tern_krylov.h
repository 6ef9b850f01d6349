/* Krylov methods on the matrices and vectors of cusparse.h: Tern's own calls. Everything stays on the device: scalars too, so the host waits only
 * now and then to see whether it is done. Only for host code; elements are float or double. */
#pragma once
#include "cusparse.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TERN_KRYLOV_CG,       /* symmetric, positive definite */
    TERN_KRYLOV_BICGSTAB, /* any */
    TERN_KRYLOV_GMRES,    /* any; begins again after `restart` steps */
    TERN_KRYLOV_MINRES    /* symmetric */
} ternKrylovMethod_t;

/* What stands for the inverse of the matrix on the way. CG and MINRES need a symmetric, positive definite one: not ILU0. */
typedef enum {
    TERN_PRECONDITION_NONE,
    TERN_PRECONDITION_JACOBI, /* the diagonal */
    TERN_PRECONDITION_ILU0,   /* CSR with 32-bit indices and ascending columns, as csrilu02 has it */
    TERN_PRECONDITION_IC0     /* the same, as csric02 has it */
} ternPrecondition_t;

typedef struct {
    ternKrylovMethod_t method;
    ternPrecondition_t precondition;
    int maxIterations; /* products with the matrix and its preconditioner: two an iteration for BICGSTAB */
    int restart;       /* GMRES: 0 is 30 */
    double tolerance;  /* of |b - A x| / |b|; MINRES: in the preconditioner's norm, against the first residual */
} ternKrylovOptions_t;

typedef struct {
    int iterations;
    int converged;   /* 0: maxIterations; -1: the method broke down */
    double residual; /* what was compared with the tolerance, as the method carries it along */
} ternKrylovResult_t;

/* x is the first guess and the solution. Waits for the stream of the handle. */
cusparseStatus_t ternKrylovSolve(cusparseHandle_t handle, const ternKrylovOptions_t *options, cusparseConstSpMatDescr_t matA,
                                 cusparseConstDnVecDescr_t vecB, cusparseDnVecDescr_t vecX, ternKrylovResult_t *result);

/* `steps` steps of Lanczos from vecStart, each new vector made orthogonal to all before it: the tridiagonal matrix goes to diagonal[steps] and
 * off[steps], in device memory; off[steps - 1] is the size of what is left. Waits for the stream. */
cusparseStatus_t ternLanczos(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecStart, int steps, double *diagonal,
                             double *off);

#ifdef __cplusplus
}
#endif
