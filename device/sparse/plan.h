/* Lines in an order in which they can be computed. C and CUDA C++. */
#pragma once

struct sparse_plan {
    int *order;          /* lines, level by level */
    int *levels;         /* where levels begin in order */
    int *offsets;        /* of the lines' entries */
    int *columns;        /* triangles: without the diagonal */
    int *places;         /* where the entries' values lie */
    int *diagonal;       /* the place of a line's diagonal, or -1 */
    int *diagonal_entry; /* whole lines: its entry, or -1 */
    int *pivot;          /* the least line whose pivot is zero */
    int unit;            /* the diagonal is 1 and not read */
};
