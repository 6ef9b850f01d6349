/* cuBLAS on every device.
 *
 * handle.c    handles and their settings
 * copy.c      vectors and matrices between host and device
 * state.c     what a process has once: logging, and the API without handles
 * level1.c    vectors
 * level2.c    matrices and vectors
 * product.c   the one product of matrices behind all of level 3, and which kernel does it
 * mapped.c    products on Hopper's matrix instructions
 * host/       products on the CPU, by C functions
 * tune.c      which cut of a kernel is taken where `tern tune blas` has measured; tune.h
 * gemm.c      gemm in all its forms
 * level3.c    what is made of products: syrk, symm, trmm, trsm and their kin
 * lt_*.c      cuBLASLt, on the same products; lt_int.h
 * doubles.c   tern_blas.h: doubles as pairs of floats, products of halves
 * by_rows.c   products for plans of tern.h; by_rows.h
 * xt.c        cublasXt: matrices of the host; xt_int.h
 * extra.c     beside BLAS: geam, dgmm, packed triangles, batches of small factorisations
 *
 * The functions themselves are made from cublas.def: cublasSgemm_v2 is blas_gemm(handle, LIB_F32,
 * …). */
#ifndef LIB_BLAS_BLAS_INT_H
#define LIB_BLAS_BLAS_INT_H

#include "lib/lib.h"
#include "cuda/cublas_api.h"
#include "device/blas/product.h"

struct blas_trial;
struct cublasContext {
    uint32_t magic;
    struct lib_device device;
    cudaStream_t stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    int sm_count;
    struct blas_trial *trial; /* tune.c's handle: which cut to take; else NULL */
    const char *why;          /* the last product's cut was chosen, for the log */
    struct {                  /* how f32 and f64 may be emulated: they are not */
        cublasEmulationStrategy_t strategy;
        cudaEmulationSpecialValuesSupport special;
        cudaEmulationMantissaControl mantissa;
        int most_bits, bit_offset;
        int *bit_count;
    } emulation;
};

/* The handle, or NULL and *status. */
bool blas_enter(cublasHandle_t h, cublasStatus_t *status);
cublasStatus_t blas_status(enum tern_error e);

/* ---- state.c ---- */
void blas_log(const char *function); /* a call, where the program has asked for it */

/* ---- product.c ---- */
struct blas_types {
    enum lib_type a, b, c; /* c: of D, and of C */
    enum lib_type source;  /* of C where it is apart */
    bool apart;
    enum lib_type sum, scale;
    int a_kind, b_kind; /* BLAS_GENERAL … */
    bool epilogue;
    bool tf32;  /* f32 may be multiplied with 11 bits */
    bool pairs; /* doubles are pairs of floats */
    bool fast;  /* products of small floats may be added up with the bits that the hardware has */
};
/* What the types of a product and of its scalars are; false: there is no such product. */
bool blas_types_of(const struct cublasContext *h, cudaDataType a, cudaDataType b, cudaDataType c,
                   cublasComputeType_t compute, struct blas_types *types, enum lib_type *scalar);
/* op(A) of a matrix stored by columns. */
struct blas_operand blas_matrix(const void *p, int64_t ld, cublasOperation_t op);
/* A scalar of the caller's, wherever the pointer mode says that it is. */
void blas_scalar(const struct cublasContext *h, enum lib_type type, const void *given,
                 const void **at, double value[2]);
enum tern_error blas_product(struct cublasContext *h, const struct blas_types *t,
                             struct blas_product *p, int64_t batch);

/* How a kernel may cut the result: m by n elements a block, wm by wn a warp; how many blocks a
 * multiprocessor has at once, and how fast each element of a full one is, in percent of the best.
 * Tables end with 0. */
struct blas_cut {
    int m, n, wm, wn, per_unit, percent;
};
/* Multiprocessors that products may take: all, or as many as the program has said. */
uint32_t blas_units(const struct cublasContext *h);
/* Kernels that have several: X(NAME, "name in tables") */
#define BLAS_FAMILIES(X)                                                                           \
    X(TILED, "tiled")                                                                              \
    X(MATRIX, "matrix")                                                                            \
    X(SIMT, "simt")                                                                                \
    X(DOUBLE, "double")                                                                            \
    X(MAPPED, "mapped")                                                                            \
    X(PROMOTED, "promoted")                                                                        \
    X(MAPPED_DOUBLE, "mapped_double")
enum blas_family {
#define X(name, word) BLAS_FAMILY_##name,
    BLAS_FAMILIES(X)
#undef X
};
/* The one that was measured to be the fastest, else the one that ends first: multiprocessors take
 * their blocks in rounds. */
const struct blas_cut *blas_best_cut(enum blas_family f, const struct blas_cut *c,
                                     struct cublasContext *h, const struct blas_types *t,
                                     const struct blas_product *p, int64_t batch);
/* Whether pieces of 16 bytes may be read: pointers in arrays are not known here. */
bool blas_aligned(const struct blas_operand *o, enum lib_type t);

/* Tells the log which kernel does a product. */
void blas_note(const struct cublasContext *h, const struct blas_product *p, int64_t batch,
               const char *kernel, int64_t tiles);

/* ---- tune.c ---- */
/* The cut that is tried, or that was measured; NULL: neither. */
const struct blas_cut *blas_tuned_cut(enum blas_family f, const struct blas_cut *c,
                                      struct cublasContext *h, const struct blas_types *t,
                                      const struct blas_product *p, int64_t batch);
/* Kernels that keep many values in each thread suit the device's compiler: its profile says so. */
bool blas_suits_registers(const struct cublasContext *h);

/* ---- mapped.c ---- */
/* false: this product is not one for those kernels. */
bool blas_hopper_product(struct cublasContext *h, const struct blas_types *t,
                         struct blas_product *p, int64_t batch, enum tern_error *error);
/* The same for products of floats that are large enough. */
bool blas_mapped_single(struct cublasContext *h, const struct blas_types *t, struct blas_product *p,
                        int64_t batch, enum tern_error *error);
/* An operand's copy in which k is contiguous and rows were, in device memory that the caller frees:
 * a pass over memory, which costs little beside the product where that is large. */
enum tern_error blas_turn(struct cublasContext *h, enum lib_type t, struct blas_operand *o,
                          int64_t rows, int64_t k, int64_t batch, void **copy);

/* ---- host/ ---- */
/* The same by C functions, on the CPU: in the order of the stream, and in graphs. */
enum tern_error blas_host_product(struct cublasContext *h, const struct blas_types *t,
                                  const struct blas_product *p, int64_t batch);

/* C = alpha op(A) op(B) + beta C of general matrices of float or double, by columns. */
struct blas_small {
    enum lib_type type;
    bool a_across, arrays; /* A is transposed; a, b and c are arrays of pointers */
    int64_t m, n, k;
    double alpha, beta;
    const void *a, *b;
    void *c;
    int64_t lda, b_row, b_col, ldc;
    int64_t stride_a, stride_b, stride_c, count;
    int64_t group; /* matrices of one call; blas_host_small's own */
};
/* The shortest way to it; false: not for these sizes. What s says is used where it lies: to copy it
 * would take as long as the smallest products. */
bool blas_host_small(struct cublasContext *h, struct blas_small *s, enum tern_error *error);
/* Gauss's elimination of many matrices, each by one core. */
enum tern_error blas_host_eliminate(struct cublasContext *h, enum lib_type t, int64_t n,
                                    void *const *a, int64_t lda, int *pivots, int *info,
                                    int64_t count);
/* Householder's reflections of many small matrices of m by n, as geqrfBatched has them. */
enum tern_error blas_host_reflect(struct cublasContext *h, enum lib_type t, int64_t m, int64_t n,
                                  void *const *a, int64_t lda, void *const *tau, int64_t count);

/* Triangles of float or double: inverses of all along the diagonal of op(A), m by m, each
 * blas_triangle_elements; and rows of B (at most BLAS_TRIANGLE_ROWS, n columns) times one of them,
 * in place. */
enum { BLAS_TRIANGLE_ROWS = 64 };
int64_t blas_triangle_elements(enum lib_type t);
enum tern_error blas_host_invert(struct cublasContext *h, enum lib_type t,
                                 const struct blas_operand *a, int64_t m,
                                 const struct blas_operand *b, void *out);
enum tern_error blas_host_apply(struct cublasContext *h, enum lib_type t, const void *inverse,
                                bool upper, const struct blas_operand *b, int64_t rows, int64_t n);

/* ---- doubles.c ---- */
/* Sums and products of floats in the time of one of doubles. */
enum tern_error blas_measure_doubles(const struct lib_device *d, double *rate);

/* ---- the families of cublas.def ---- */
#include "lib_cublas.h"

#endif
