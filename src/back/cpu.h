/* What targets whose code runs on processors share: C, and machine code.
 *
 * A kernel's threads become lanes, gang by gang; one call of the output runs a range of blocks. */
#ifndef BACK_CPU_H
#define BACK_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct back_cpu_options {
    uint32_t gang;         /* threads per gang; 0: chosen; 1: none */
    uint32_t vector_bytes; /* of a native vector; 0: 16 */
    uint32_t block[3];     /* threads of a block; 0: any */
    uint32_t held;         /* vectors of a block that may be held in registers; 0: none */
    uint32_t divide;       /* integers that vectors divide as floats: enum lower_division */
    bool columns;          /* columns side by side may be written as rows: cpu_columns.c */
};

struct back_cpu_kernel {
    uint32_t gang;
    uint32_t resident; /* blocks that a worker runs at once, each with its shared memory */
    bool asks_space;   /* tells local memory from other memory at run time */
    bool coarsens_x;   /* takes blocks in a row at once, best whole rows of them */
    bool coarsens_y;   /* takes rows of blocks at once, best as many as a worker gets */
};

/* More threads than this in a part of a plane, and it would be gone from the cache when the next
 * one is read beside it. */
enum { BACK_COARSE_THREADS = 32768 };

#endif
