/* Leaves of factorisations on the CPU, as C functions in the order of the stream. */
#ifndef LIB_SOLVER_HOST_LEAF_H
#define LIB_SOLVER_HOST_LEAF_H

#include "lib/solver/solver_int.h"

enum {
    HOST_SQUARE = 256,
    HOST_COLUMNS = 256,
    HOST_FEW_COLUMNS = 32, /* of taller matrices: the rest is for all cores */
    HOST_REFLECTIONS = 64, /* of a block */
    HOST_PANEL = 32,       /* columns of a reduction that are told to the rest at once */
    HOST_PARTS = 64,       /* that a product with a vector is summed of, at most */
};

/* Whether there are any for the type, and the device is the CPU. */
bool host_leaves(const struct work *w);
/* Cholesky's factor of n <= HOST_SQUARE rows; info as potrf_block of chol.h has it. */
void host_square(struct work *w, bool upper, int n, void *a, int64_t lda, int *info, int64_t base);
/* Those of many matrices, of any type and size, each by one core: batch.c. */
void host_factors(struct work *w, bool upper, int64_t n, void *const *a, int64_t lda, int *info,
                  int64_t count);
/* Gauss's of n <= host_columns_most(m) columns of m >= n rows; as getrf_panel of lu.h. */
static inline int64_t host_columns_most(int64_t m)
{
    return m <= 2 * HOST_COLUMNS ? HOST_COLUMNS : HOST_FEW_COLUMNS;
}
void host_columns(struct work *w, int64_t m, int n, void *a, int64_t lda, void *pivots, bool wide,
                  int *info, int64_t base);
/* n <= HOST_REFLECTIONS columns of m >= n rows: reflected, unless they are (done); V with its ones
 * and zeros to v, T of I - V T V' to t, which may be NULL. */
void host_reflect(struct work *w, bool done, int64_t m, int n, void *a, int64_t lda, void *tau,
                  void *v, int64_t ldv, void *t, int64_t ldt);
/* Columns [first, end), at most HOST_PANEL, of a reduction to tridiagonal form, as eigen.h has it,
 * of the lower triangle alone. y: n elements for each of host_parts. */
int host_parts(const struct work *w, int64_t n);
void host_tridiagonal(struct work *w, int64_t n, int64_t first, int64_t end, void *a, int64_t lda,
                      void *v, void *x, void *d, void *e, void *tau, void *y);

#endif
