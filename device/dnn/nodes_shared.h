/* Nodes of graphs: what the host side (src/lib/dnn/graph_*.c) and kernels (nodes.h) agree on. Plain C. */
#pragma once
#include "device/dnn/shared.h"

enum { NODE_DIMS = 8, NODE_INPUTS = 3, NODE_VALUES = 12, NODE_NUMBERS = 6 };

/* A box of places; a step of 0 repeats an element. axis: whose index a function is told. */
struct node_each {
    long long count;
    int dims, axis;
    long long dim[NODE_DIMS], out_step[NODE_DIMS], in_step[NODE_INPUTS][NODE_DIMS];
    void *out;
    const void *in[NODE_INPUTS];
    double p[NODE_NUMBERS];
};
/* Scalars of the host, to be written where kernels read them. */
struct node_values {
    int count;
    void *to[NODE_VALUES];
    int bytes[NODE_VALUES];
    unsigned long long low[NODE_VALUES], high[NODE_VALUES];
};
/* c[batch, m, n] = a[batch, m, k] b[batch, k, n]. share: batches of the result that have one batch of an operand, in each
 * dimension. limits: places of each sequence that there are, or null; beyond, c is `padding`. */
struct node_product {
    long long m, n, k, batch;
    int dims;
    long long dim[NODE_DIMS], a_step[NODE_DIMS], b_step[NODE_DIMS], c_step[NODE_DIMS], a_share[NODE_DIMS], b_share[NODE_DIMS];
    long long a_row, a_col, b_row, b_col, c_row, c_col;
    const int *limits[3]; /* of m, n, k */
    long long limit_step[3];
    double padding;
};
/* Places that are kept, and for each of them places that go into it. */
struct node_reduce {
    long long kept, gone;
    int kept_dims, gone_dims;
    long long kept_dim[NODE_DIMS], kept_in[NODE_DIMS], kept_out[NODE_DIMS], gone_dim[NODE_DIMS], gone_in[NODE_DIMS];
    const void *in;
    void *out;
};
