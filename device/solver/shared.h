/* What kernels and the functions that launch them agree on. Plain C. */
#pragma once

enum {
    CHOL_BLOCK = 32, /* rows that one block of threads factorises */
    LU_LEAF = 16,    /* columns that one does */
    QR_BLOCK = 32,
    PANEL_THREADS = 256, /* rows of a block, where many of them do a panel of so many columns */
    PANEL_COLUMNS = 32,
    SWAPS = 32,          /* of rows, that a block does at once */
    JACOBI_ROWS = 128, /* of a matrix that one block does */
    SOLVER_THREADS = 64 /* as LAPACK_THREADS of device/blas/lapack.h */
};

/* Parts of a matrix. What is outside is not touched, or becomes that of the identity. */
enum {
    PART_ALL,
    PART_LOWER,
    PART_UPPER,
    PART_STRICT_LOWER,
    PART_STRICT_UPPER,
    PART_OUTSIDE = 8
};
