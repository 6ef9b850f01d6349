/* Leaves of factorisations on the CPU, as C functions in the order of the stream. */
#ifndef LIB_SOLVER_HOST_LEAF_H
#define LIB_SOLVER_HOST_LEAF_H

#include "lib/solver/solver_int.h"

enum { HOST_SQUARE = 64, HOST_COLUMNS = 32 };

/* Whether there are any for the type, and the device is the CPU. */
bool host_leaves(const struct work *w);
/* Cholesky's factor of n <= HOST_SQUARE rows; info as potrf_block of chol.h has it. */
void host_square(struct work *w, bool upper, int n, void *a, int64_t lda, int *info, int64_t base);
/* Gauss's of n <= HOST_COLUMNS columns of m >= n rows; as getrf_panel of lu.h. */
void host_columns(struct work *w, int64_t m, int n, void *a, int64_t lda, void *pivots, bool wide,
                  int *info, int64_t base);

#endif
