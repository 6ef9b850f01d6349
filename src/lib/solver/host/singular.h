/* Singular values and vectors of square matrices on the CPU, in double precision: to bidiagonal
 * form, which is solved by halves.
 *
 * singular.c  the whole, and the bidiagonal form
 * halves.c    singular values of a bidiagonal matrix
 * small.c     eigenvalues of many small matrices, each by one core
 * turns.c     singular values of many small matrices, the same
 * loops.c     loops over many numbers, for each instruction set (singular.inc) */
#ifndef LIB_SOLVER_HOST_SINGULAR_H
#define LIB_SOLVER_HOST_SINGULAR_H

#include "lib/solver/host/leaf.h"

struct loops {
    void (*dot4)(int64_t n, const double *a, int64_t lda, const double *v, double *out);
    double (*dot)(int64_t n, const double *a, const double *v);
    void (*add4)(int64_t n, const double *a, int64_t lda, const double *by, double *x);
    void (*add)(int64_t n, const double *a, double by, double *x);
    void (*secular)(int64_t n, const double *z, const double *p, double t, double *sum,
                    double *slope);
    void (*ratios)(int64_t n, const double *distance, const double *p, double pole,
                   double *product);
    void (*vectors)(int64_t n, const double *z, const double *distance, const double *d, double *v,
                    double *u, double length[2]);
    void (*turn)(int64_t rows, int64_t count, const double *turns, double *z, int64_t ld);
    void (*squares)(int64_t n, const double *x, const double *y, double out[3]);
    void (*rotate)(int64_t n, double c, double s, double *x, double *y);
};
const struct loops *host_loops(void); /* for this processor */

/* Of r, n by n, elements no larger than 1 or so: singular values to sigma, falling; right vectors
 * to v, left ones to r. The stream is waited for. */
void host_singular(struct work *w, int64_t n, void *r, double *sigma, void *v);

/* Of the bidiagonal matrix with d on the diagonal and e above it: singular values to d, falling,
 * left and right vectors to u and v, n by n. w's type is double. */
void host_halves(struct work *w, int64_t n, double *d, const double *e, double *u, double *v);

enum { HOST_SMALL = 128 /* rows of a matrix that this is better for than for all cores */ };
/* Eigenvalues and, to out unless it is NULL, vectors of many Hermitian matrices whose triangle is
 * given, of any type, lda n elements apart; out may be the matrices. */
void host_small(struct work *w, bool upper, int64_t n, int64_t count, const void *a, int64_t lda,
                bool sort, void *values, void *out, int *info);

/* X (rows by cols, rows >= cols; the given matrices, lda elements a column, or their adjoints)
 * becomes U S V', all of U and of V; either may be NULL. Of real numbers. */
struct host_turns {
    int64_t rows, cols, lda, ldu, ustep, ldv, vstep;
    const void *a;
    void *values, *u, *v;
    int *info, sweeps;
    double tolerance;
    bool adjoint, sort;
};
void host_turns(struct work *w, const struct host_turns *g, int64_t count);

/* Everything that was given to the stream is done. */
void host_settle(struct work *w);

#endif
