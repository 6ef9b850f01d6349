/* Operations of graphs that are done: a row for each, and its ports by name. */
#ifndef LIB_DNN_GRAPH_KINDS_H
#define LIB_DNN_GRAPH_KINDS_H

#include "lib/dnn/graph_int.h"

/* X(OPERATION, name): graph_check_NAME and graph_run_NAME do it. */
#define GRAPH_KINDS(X)                                                                             \
    X(POINTWISE, pointwise)                                                                        \
    X(MATMUL, matmul)

#define DECLARE(type, name)                                                                        \
    cudnnStatus_t dnn_graph_check_##name(const struct graph_plan *p, const struct graph_node *n);  \
    cudnnStatus_t dnn_graph_run_##name(const struct graph_run *r, const struct graph_node *n);
GRAPH_KINDS(DECLARE)
#undef DECLARE

enum { POINTWISE_X, POINTWISE_B, POINTWISE_T, POINTWISE_DY, POINTWISE_Y, POINTWISE_DX };
enum { MATMUL_A, MATMUL_B, MATMUL_C, MATMUL_M, MATMUL_N, MATMUL_K };

#endif
