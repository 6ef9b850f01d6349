/* A stored sparse matrix as data: what the host side of the library gives to kernels and to its own loops. C and CUDA C++. */
#pragma once

/* How the entries of a line (a row, or a column where the format is by columns) are found: walk.h has a class for each. */
enum { SPARSE_CSR, SPARSE_SELL, SPARSE_BSR, SPARSE_ELL };

struct sparse_view {
    const void *offsets, *indices; /* ELL has no offsets */
    void *values;
    long long lines, width;        /* rows and columns; exchanged where lines are columns */
    long long entries;             /* stored, padding too */
    long long base;                /* of the first line, in offsets and indices */
    long long slice;               /* SELL: lines of a slice */
    long long down, across;        /* BSR, ELL: lines and elements of a block */
    long long ell;                 /* ELL: elements of a line */
    int block_by_columns;          /* BSR: elements of a block, one column after the other */
};

/* A scalar of the caller's. */
struct sparse_scalar {
    const void *at; /* in device memory; NULL: the value */
    double value[2];
};

/* Dense matrices: element (i, j) is p[i * row + j * col]. */
struct sparse_dense {
    void *p;
    long long row, col;
    int conj;
};

/* A part of a line that is too long for one warp: entries from `first` on. Its line's parts are those from `begin` on, `count` of them. */
struct sparse_part {
    long long line, first;
    int begin, count;
};
