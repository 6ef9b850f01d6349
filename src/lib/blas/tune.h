/* Measuring, for `tern tune blas`: which cut of a kernel is the fastest for which size. */
#ifndef LIB_BLAS_TUNE_H
#define LIB_BLAS_TUNE_H

#include "lib/blas/blas_int.h"

/* One size of one type. */
struct blas_measured {
    const char *type, *family; /* "f32", "tiled" */
    int64_t size;              /* of square matrices */
    struct blas_cut best;
    double gflops;
    double gflops_by_size; /* of the cut that would be taken without; 0: it failed */
    unsigned tried,
        wrong; /* cuts; wrong: not compiled, or with other results than they must have */
};
struct blas_tuning {
    double seconds;   /* about: all types together */
    const char *type; /* NULL: all */
    void (*found)(void *ctx, const struct blas_measured *m);
    void (*tell)(void *ctx, unsigned percent);
    void *ctx;
    const volatile int *cancel; /* non-zero: no more, and nothing is kept */
};
/* Measures and keeps the table, for the current device and its driver; *rows: in it. A device whose
 * products have one way only has none. CUBLAS_STATUS_INVALID_VALUE: there is no such type. The
 * command finds it in the shared library, by its name: what it tunes is not part of it. */
cublasStatus_t ternBlasTune(const struct blas_tuning *how, unsigned *rows);

/* The table as text, and back; false: it is none, or of another version. */
enum { BLAS_TUNED_ROWS = 128 };
struct blas_tuned {
    char family[16], type[8];
    int64_t size;
    int m, n, wm, wn;
};
size_t blas_tuned_text(const struct blas_tuned *rows, unsigned n, char *out, size_t size);
bool blas_tuned_read(const char *text, size_t n, struct blas_tuned rows[BLAS_TUNED_ROWS],
                     unsigned *count);
/* The row for a product of m by n, `batch` times; NULL: none is near. */
const struct blas_tuned *blas_tuned_find(const struct blas_tuned *rows, unsigned count,
                                         const char *family, const char *type, int64_t m, int64_t n,
                                         int64_t batch);

#endif
