/* What kernels and the functions that launch them agree on. Plain C. */
#pragma once

enum {
    CHOL_BLOCK = 32, /* rows that one block of threads factorises */
    LU_LEAF = 16,    /* columns that one does */
    QR_BLOCK = 32,
    PANEL_THREADS = 256, /* rows of a block, where many of them do a panel of so many columns */
    PANEL_COLUMNS = 32,
    STRIP_THREADS = 256, /* the same where rows are in registers; half of them where the device has room for as many blocks */
    STRIP_COLUMNS = 64,
    FOLLOW_COLUMNS = 16, /* that a block brings up to date after a strip */
    TRI_THREADS = 576,   /* of a block of the reduction to a tridiagonal matrix */
    TRI_EACH = 19,       /* elements in its shared memory for a column; odd, so that columns are in other banks */
    TRI_BOARD_HEAD = 256, /* bytes before what blocks tell each other */
    SWAPS = 32,          /* of rows, that a block does at once */
    SQUARE_ROWS = 128, /* of a block of Cholesky's that one block of so many threads does, in shared memory */
    SQUARE_THREADS = 512,
    SQUARE_SHARED = 159760,
    BELOW_ROWS = 64, /* of what is below such a block, that a block of so many threads does */
    BELOW_THREADS = 256,
    BELOW_STEP = 32, /* rows and columns of its warps */
    BELOW_SHARED = 208896,
    DIVIDE_LEAF = 32, /* rows of a part that one block does */
    JACOBI_ROWS = 128, /* of a matrix that one block does */
    NEAR_SVD_HALF = 16, /* half the columns of one that two warps have in registers */
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

/* Two neighbouring parts of a tridiagonal matrix whose eigenvectors are known, and what becomes of them (divide.h). Columns of the vectors
 * are sorted: those that are 0 in the lower part, those that are 0 nowhere, those that are 0 in the upper part; and those that stay. */
struct divide_merge {
    long long at, upper, lower; /* the first row, and rows of each part */
    long long count;            /* vectors that change */
    long long first, both;      /* of the first and second kind */
    long long rotations;
    double rho; /* what couples the parts */
};

/* Of a reduction to a tridiagonal matrix of n rows: elements in a block's shared memory, and bytes of what blocks tell each other, in elements
 * of so many, where a launch has so many columns. */
#define TRI_SHARED(n, blocks, columns) (((n) / (blocks) + 2 * (columns) / (blocks) + 2) * TRI_EACH)
#define TRI_BOARD(n, blocks, columns, bytes) (TRI_BOARD_HEAD + (blocks) * 16 + (3 * (n) + (blocks) + 4 * (columns)) * 2 * (bytes))

/* Of a matrix of 2 half rows, or fewer, that a block turns in shared memory: threads that do, a thread's pairs of pairs of columns; threads in
 * all, of which the others have a row of the vectors each; and bytes of shared memory. */
#define NEAR_WORKERS(half) ((half) > 16 ? 128 : (half) > 8 ? 96 : 32)
#define NEAR_EACH(half) (((half) * ((half) - 1) / 2 + NEAR_WORKERS(half) - 1) / NEAR_WORKERS(half))
#define NEAR_THREADS(half) (NEAR_WORKERS(half) + ((half) > 16 ? 64 : 32))
#define NEAR_SHARED(half, bytes) ((4 * (half) * ((half) + 1) + 8 * (half) + 16) * (bytes) + 8 * (half))

/* Of a small matrix that a block has in shared memory: its threads, a row of the vectors each and a warp more, and bytes. */
#define SMALL_WARPS 5
#define SMALL_THREADS(n) (((n) + 31) / 32 * 32 + 32)
#define SMALL_SHARED(n, bytes) ((((n) | 1) * (n) + 8 * (n) + 2 * SMALL_WARPS) * (bytes) + 4 * (n) + 32)
