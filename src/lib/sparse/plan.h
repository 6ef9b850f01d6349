/* Plans: in which order the lines of a triangular system, or of a factorisation, can be computed.
 */
#ifndef LIB_SPARSE_PLAN_H
#define LIB_SPARSE_PLAN_H

#include "lib/sparse/sparse_int.h"
#include "device/sparse/plan.h"

/* Levels that one launch does. */
struct plan_step {
    int first, last;
    int64_t lines;
};

struct plan {
    struct sparse_plan at; /* device memory, one allocation */
    void *memory;
    int64_t n;
    struct plan_step *steps;
    int nsteps;
    bool lower;         /* lines are computed from the first on */
    int64_t structural; /* the first line without a diagonal; -1: none */
    int64_t block;      /* lines of a block: what pivots are counted in */
    int64_t base;
    void *values; /* a copy of the matrix's, once they have been changed through the plan */
    size_t value_bytes;
    const void *source; /* the matrix's values when the plan was made */
    enum lib_type type;
    cusparseOperation_t op; /* and what it was made for */
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    /* Pivots of factors that are too small. */
    int boost;
    double tolerance;
    double instead[2];
};

/* A triangle of op(m), or all of m (whole). What was there before is freed. */
enum tern_error plan_make(const struct cusparseContext *h, struct plan *p,
                          const struct cusparseSpMatDescr *m, cusparseOperation_t op, bool whole);
/* Whether the plan, if any, is one for op(m): sizes, triangle and operation. */
bool plan_fits(const struct plan *p, const struct cusparseSpMatDescr *m, cusparseOperation_t op);
void plan_free(struct plan *p);
enum tern_error plan_begin(const struct cusparseContext *h, struct plan *p); /* no pivot is zero */
/* As cusparseXcsrilu02_zeroPivot and its like answer. */
cusparseStatus_t plan_zero_pivot(cusparseHandle_t h, struct plan *p, int *position);

/* ---- host/triangle.c: the same by C functions, on the CPU ---- */
struct host_solve {
    struct sparse_plan p;
    int64_t n;
    bool lower, conj;
    enum lib_type type;
    const void *values;
    struct sparse_scalar alpha;
    struct sparse_dense x, y;
    int64_t sides;
};
enum tern_error plan_host_solve(const struct cusparseContext *h, const struct host_solve *s);
enum host_factor { FACTOR_ILU, FACTOR_IC };
struct host_factors {
    enum host_factor which;
    struct sparse_plan p;
    int64_t n;
    enum lib_type type;
    void *values;
    int boost;
    double tolerance, instead[2];
};
enum tern_error plan_host_factor(const struct cusparseContext *h, const struct host_factors *f);

#endif
