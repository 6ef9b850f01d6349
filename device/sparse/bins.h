/* Rows of a product of sparse matrices by what they take. C and CUDA C++. */
#pragma once

enum {
    GEMM_BINS = 8,
    GEMM_CLAIMS = 8,   /* of a block, for each of its threads */
    GEMM_MOVED = 8192, /* columns that a block moves at once */
};

/* The first bin that has room takes a row; rows of none are done by several blocks, in global
 * memory. */
struct gemm_bin {
    long long most; /* window: columns from the row's first to its last; table: elements */
    int sparsest;   /* a window may be so many times as large as what is in it; 0: a table */
    int threads;
    long long longest; /* of a window: elements; 0: any number */
};
struct gemm_bins {
    struct gemm_bin bin[GEMM_BINS];
    int count;
};

/* What the host has to know of the rows. */
struct gemm_note {
    unsigned long long products, room; /* room: elements that rows may have at most */
    unsigned long long apart;          /* elements of rows that are in no bin */
    unsigned rows[GEMM_BINS + 1], placed[GEMM_BINS + 1]; /* in each bin */
    unsigned longs_of_a, longs_of_b;                     /* rows with many entries */
};
