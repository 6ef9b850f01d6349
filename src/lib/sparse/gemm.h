/* A product of sparse matrices: its structure, then its values. */
#ifndef LIB_SPARSE_GEMM_H
#define LIB_SPARSE_GEMM_H

#include "lib/sparse/sparse_int.h"
#include "device/sparse/bins.h"

struct cusparseSpGEMMDescr {
    int64_t products; /* -1: not counted yet */
    int64_t rows, nnz;
    void *memory;               /* of the device, for offsets and the four that follow */
    int64_t *offsets;           /* rows + 1 */
    int64_t *list;              /* the rows, bin by bin, as their values are computed */
    unsigned *begins, *extents; /* of each row: its least column; columns from that to the last */
    struct gemm_note *note;
    unsigned *columns; /* nnz */
    void *sums;        /* of the last product */
    size_t sum_bytes;
    size_t element; /* bytes of a sum: what the list was made for; 0: there is none */
    struct gemm_bins bins;
    unsigned in_bin[GEMM_BINS + 1];
    int64_t apart; /* elements of the rows in no bin */
};

/* Which elements A * B has. element: bytes of a sum, where that is known already. Waits for the
 * stream. */
enum tern_error gemm_structure(const struct cusparseContext *h, cusparseConstSpMatDescr_t a,
                               cusparseConstSpMatDescr_t b, size_t element,
                               cusparseSpGEMMDescr_t d);
/* Their values, to d->sums. */
enum tern_error gemm_values(const struct cusparseContext *h, cusparseConstSpMatDescr_t a,
                            cusparseConstSpMatDescr_t b, const struct sparse_types *t,
                            cusparseSpGEMMDescr_t d);
void gemm_release(cusparseSpGEMMDescr_t d);

#endif
