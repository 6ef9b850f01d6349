/* Products on the CPU by C functions: BLIS's five loops around one micro-kernel for each
 * instruction set. Everything but the micro-kernels is portable; block sizes are named parameters
 * in the file of the instruction set.
 *
 * host.c     which products, in which shares; the loops
 * small.c    small products, without panels; batch.c: factorisations of many small matrices
 * pack.c     panels of A and B, of any type and kind, as what is computed with
 * triangle.c triangular solves
 * store.c    from tiles of sums to the result: scalars, types, epilogues
 * neon.c, avx2.c, avx512.c, plain.c   micro-kernels */
#ifndef LIB_BLAS_HOST_HOST_H
#define LIB_BLAS_HOST_HOST_H

#include "lib/blas/blas_int.h"

enum {
    HOST_MAX_MR = 32,
    HOST_MAX_NR = 16,
    HOST_MAX_TILE = HOST_MAX_MR * HOST_MAX_NR,
};

/* tile sums one: out (mr by nr, by columns) = a (k columns of mr) * b (k rows of nr). Panels are
 * aligned to 64 bytes. put: c = alpha out + beta c, mr rows of n columns. whole: both at once, of
 * nr columns; NULL: there is none. small: as part.h has it. */
struct host_f32 {
    int mr, nr;
    int kc, mc, nc; /* a: mc by kc is for the second cache, b: kc by nc for the last */
    void (*tile)(int64_t k, const float *a, const float *b, float *out);
    void (*put)(const float *sum, int n, float alpha, float beta, float *c, int64_t ld);
    void (*whole)(int64_t k, const float *a, const float *b, float alpha, float beta, float *c,
                  int64_t ld);
    void (*small)(int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                  const float *b, int64_t row, int64_t col, float beta, float *c, int64_t ld);
};
struct host_f64 {
    int mr, nr;
    int kc, mc, nc;
    void (*tile)(int64_t k, const double *a, const double *b, double *out);
    void (*put)(const double *sum, int n, double alpha, double beta, double *c, int64_t ld);
    void (*whole)(int64_t k, const double *a, const double *b, double alpha, double beta, double *c,
                  int64_t ld);
    void (*small)(int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
                  const double *b, int64_t row, int64_t col, double beta, double *c, int64_t ld);
};
struct host_kernels {
    const char *name;
    bool (*works)(void); /* on this machine */
    struct host_f32 f32;
    struct host_f64 f64;
};
extern const struct host_kernels host_neon, host_avx512, host_avx2, host_plain;
const struct host_kernels *host_kernels(void); /* the best that works here */

/* A put for MR rows of type T; TARGET is the instruction set's attribute. Where beta is 0, what c
 * has may be no number. */
#define HOST_PUT(TARGET, name, T, MR)                                                              \
    TARGET static void name(const T *restrict sum, int n, T alpha, T beta, T *restrict c,          \
                            int64_t ld)                                                            \
    {                                                                                              \
        for (int j = 0; j < n; j++, c += ld, sum += (MR))                                          \
            if (beta == 0)                                                                         \
                for (int i = 0; i < (MR); i++)                                                     \
                    c[i] = alpha * sum[i];                                                         \
            else                                                                                   \
                for (int i = 0; i < (MR); i++)                                                     \
                    c[i] = alpha * sum[i] + beta * c[i];                                           \
    }

/* ---- pack.c ---- */
enum host_part { HOST_REAL, HOST_IMAGINARY }; /* of complex elements */
/* Rows [i0, i0 + n) and columns [k0, k0 + nk) of o, in panels of r rows, the last filled up with
 * zeros. */
struct host_source {
    const struct blas_operand *o;
    const void *p;
    enum lib_type type;
    int kind;
    bool across; /* rows are o's columns: B by columns */
};
void host_pack_f32(const struct host_source *s, enum host_part part, int64_t i0, int64_t n,
                   int64_t k0, int64_t nk, int r, float *to);
void host_pack_f64(const struct host_source *s, enum host_part part, int64_t i0, int64_t n,
                   int64_t k0, int64_t nk, int r, double *to);
/* One element of o as a complex number, and whether it is one at all: outside of a triangle there
 * is none. */
bool host_element(const struct host_source *s, int64_t r, int64_t c, double v[2]);

/* ---- store.c ---- */
struct host_scalars {
    double alpha[2], beta[2];
};
void host_scalars(const struct blas_types *t, const struct blas_product *p, struct host_scalars *s);
/* Element (i, j) of matrix z of the result from its sum. */
void host_store(const struct blas_types *t, const struct blas_product *p,
                const struct host_scalars *s, int64_t z, const void *c, void *d, int64_t i,
                int64_t j, const double sum[2]);
/* Rows i to i + n of column j; false: only element by element. */
bool host_store_f32(const struct blas_types *t, const struct blas_product *p,
                    const struct host_scalars *s, const void *c, void *d, int64_t i, int64_t j,
                    int64_t n, const float *re, const float *im);
bool host_store_f64(const struct blas_types *t, const struct blas_product *p,
                    const struct host_scalars *s, const void *c, void *d, int64_t i, int64_t j,
                    int64_t n, const double *re, const double *im);
const void *host_matrix(const void *p, int array, int64_t stride, int64_t offset, int64_t z,
                        size_t bytes);

#endif
