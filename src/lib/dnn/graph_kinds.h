/* Operations of graphs that are done: a row for each, and its ports by name. */
#ifndef LIB_DNN_GRAPH_KINDS_H
#define LIB_DNN_GRAPH_KINDS_H

#include "lib/dnn/graph_int.h"

/* X(OPERATION, name): graph_check_NAME and graph_run_NAME do it. */
#define GRAPH_KINDS(X)                                                                             \
    X(POINTWISE, pointwise)                                                                        \
    X(MATMUL, matmul)                                                                              \
    X(REDUCTION, reduction)                                                                        \
    X(CONVOLUTION_FORWARD, conv_forward)                                                           \
    X(CONVOLUTION_BACKWARD_DATA, conv_data)                                                        \
    X(CONVOLUTION_BACKWARD_FILTER, conv_filter)                                                    \
    X(RESAMPLE_FWD, pool_forward)                                                                  \
    X(RESAMPLE_BWD, pool_backward)                                                                 \
    X(NORM_FORWARD, norm_forward)                                                                  \
    X(NORM_BACKWARD, norm_backward)                                                                \
    X(GEN_STATS, statistics)                                                                       \
    X(BN_FINALIZE_STATISTICS, finalize)                                                            \
    X(BN_BWD_WEIGHTS, weights)                                                                     \
    X(RESHAPE, reshape)                                                                            \
    X(TRANSPOSE, transpose)                                                                        \
    X(SLICE, slice)                                                                                \
    X(CONCAT, concat)                                                                              \
    X(RNG, random)                                                                                 \
    X(PAGED_CACHE_LOAD, pages)                                                                     \
    X(SDPA_FWD, attention)

#define DECLARE(type, name)                                                                        \
    cudnnStatus_t dnn_graph_check_##name(const struct graph_plan *p, struct graph_node *n);        \
    cudnnStatus_t dnn_graph_run_##name(const struct graph_run *r, const struct graph_node *n);
GRAPH_KINDS(DECLARE)
#undef DECLARE

enum { POINTWISE_X, POINTWISE_B, POINTWISE_T, POINTWISE_DY, POINTWISE_Y, POINTWISE_DX };
enum { MATMUL_A, MATMUL_B, MATMUL_C, MATMUL_M, MATMUL_N, MATMUL_K };
enum { REDUCTION_X, REDUCTION_Y };
enum { CONV_X, CONV_W, CONV_Y }; /* of all three directions */
enum { POOL_X, POOL_Y, POOL_INDEX };
enum { POOL_BACK_DX, POOL_BACK_DY, POOL_BACK_INDEX, POOL_BACK_X, POOL_BACK_Y };
enum {
    NORM_FWD_X,
    NORM_FWD_MEAN,
    NORM_FWD_INVERSE,
    NORM_FWD_SCALE,
    NORM_FWD_BIAS,
    NORM_FWD_EPSILON,
    NORM_FWD_FACTOR,
    NORM_FWD_MEAN_WAS,
    NORM_FWD_VARIANCE_WAS,
    NORM_FWD_MEAN_IS,
    NORM_FWD_VARIANCE_IS,
    NORM_FWD_Y,
    NORM_FWD_PEERS
};
enum {
    NORM_BWD_X,
    NORM_BWD_MEAN,
    NORM_BWD_INVERSE,
    NORM_BWD_DY,
    NORM_BWD_SCALE,
    NORM_BWD_EPSILON,
    NORM_BWD_DSCALE,
    NORM_BWD_DBIAS,
    NORM_BWD_DX,
    NORM_BWD_PEERS
};
enum { STATISTICS_X, STATISTICS_SUM, STATISTICS_SQUARES };
enum {
    FINALIZE_SUM,
    FINALIZE_SQUARES,
    FINALIZE_SCALE,
    FINALIZE_BIAS,
    FINALIZE_MEAN_WAS,
    FINALIZE_VARIANCE_WAS,
    FINALIZE_MEAN_IS,
    FINALIZE_VARIANCE_IS,
    FINALIZE_MEAN,
    FINALIZE_INVERSE,
    FINALIZE_EQ_SCALE,
    FINALIZE_EQ_BIAS,
    FINALIZE_COUNT,
    FINALIZE_EPSILON,
    FINALIZE_FACTOR
};
enum {
    WEIGHTS_MEAN,
    WEIGHTS_INVERSE,
    WEIGHTS_SCALE,
    WEIGHTS_X,
    WEIGHTS_DY,
    WEIGHTS_DSCALE,
    WEIGHTS_DBIAS,
    WEIGHTS_EQ_DY,
    WEIGHTS_EQ_X,
    WEIGHTS_EQ_BIAS
};
enum { MOVE_X, MOVE_Y }; /* of reshape, transpose, slice; concat has more inputs behind */
enum { RANDOM_Y, RANDOM_SEED, RANDOM_OFFSET };
enum { PAGES_FROM, PAGES_Y, PAGES_LENGTHS, PAGES_TABLE };
enum {
    ATTENTION_Q,
    ATTENTION_K,
    ATTENTION_V,
    ATTENTION_O,
    ATTENTION_STATS,
    ATTENTION_SCALE,
    ATTENTION_BLOCKS,
    ATTENTION_K_PAGES,
    ATTENTION_V_PAGES,
    ATTENTION_QUERY_LENGTHS,
    ATTENTION_KEY_LENGTHS
};

#endif
