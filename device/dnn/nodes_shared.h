/* Nodes of graphs: what the host side (src/lib/dnn/graph_*.c) and kernels (nodes.h) agree on. Plain
 * C. */
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
/* c[batch, m, n] = a[batch, m, k] b[batch, k, n]. share: batches of the result that have one batch
 * of an operand, in each dimension. limits: places of each sequence that there are, or null;
 * beyond, c is `padding`. */
struct node_product {
    long long m, n, k, batch;
    int dims;
    long long dim[NODE_DIMS], a_step[NODE_DIMS], b_step[NODE_DIMS], c_step[NODE_DIMS],
        a_share[NODE_DIMS], b_share[NODE_DIMS];
    long long a_row, a_col, b_row, b_col, c_row, c_col;
    const int *limits[3]; /* of m, n, k */
    long long limit_step[3];
    double padding;
};
/* Tensors that are walked together: places that are kept, and for each of them places that go into
 * it. A step of 0 repeats an element. type: enum node_type, where a kernel is not made for the
 * element's. */
enum { NODE_PORTS = 10 };
enum node_type { NODE_F32, NODE_F64, NODE_F16, NODE_BF16, NODE_I8, NODE_U8, NODE_I32, NODE_I64 };
struct node_box {
    long long kept, gone;
    int kept_dims, gone_dims;
    long long kept_dim[NODE_DIMS], gone_dim[NODE_DIMS], kept_step[NODE_PORTS][NODE_DIMS],
        gone_step[NODE_PORTS][NODE_DIMS];
    void *at[NODE_PORTS];
    int type[NODE_PORTS];
};
/* A scalar or a line of numbers on the device; null: none. */
struct node_number {
    void *at;
    int type;
};
/* Normalisation: what shares a mean goes into one place that is kept. given: the statistics are
 * read. */
enum node_norm_port {
    NORM_X,
    NORM_Y,
    NORM_SCALE,
    NORM_BIAS,
    NORM_MEAN,
    NORM_INVERSE,
    NORM_MEAN_WAS,
    NORM_VARIANCE_WAS,
    NORM_MEAN_IS,
    NORM_VARIANCE_IS
};
enum node_norm_back {
    NORM_BACK_X,
    NORM_BACK_DY,
    NORM_BACK_SCALE,
    NORM_BACK_DX,
    NORM_BACK_MEAN,
    NORM_BACK_INVERSE
};
enum node_norm_params {
    NORM_PARAMS_X,
    NORM_PARAMS_DY,
    NORM_PARAMS_MEAN,
    NORM_PARAMS_INVERSE,
    NORM_PARAMS_DSCALE,
    NORM_PARAMS_DBIAS
};
struct node_norm {
    struct node_box b;
    struct node_number epsilon, factor;
    int rms, given;
};
/* Statistics of channels from sums and sums of squares, and the line that normalises: eq_scale * x
 * + eq_bias. */
struct node_finalize {
    long long channels;
    int training;
    struct node_number sum, squares, scale, bias, mean_was, variance_was, mean_is, variance_is,
        mean, inverse, eq_scale, eq_bias, count, epsilon, factor;
};
/* Gradients of a normalisation's parameters, and dx = eq_dy * dy + eq_x * x + eq_bias. */
struct node_weights {
    long long channels, count;
    struct node_number dscale, dbias, scale, mean, inverse, eq_dy, eq_x, eq_bias;
};
/* Windows of pooling: what lies outside an image is 0, nothing or the edge. */
enum node_outside { NODE_OUTSIDE_ZERO, NODE_OUTSIDE_NOTHING, NODE_OUTSIDE_EDGE };
enum node_draw { NODE_BERNOULLI, NODE_UNIFORM, NODE_NORMAL };
struct node_random {
    long long count;
    int dims, draw, typed; /* typed: enum node_type of the result */
    long long dim[NODE_DIMS], step[NODE_DIMS];
    void *out;
    struct node_number seed, offset;
    unsigned long long given_seed;
    double p[2];
};
/* Sequences one behind another, and the same in batches of one size: a batch begins at offsets[b] *
 * scale, and its elements lie before the next batch's. */
struct node_ragged {
    long long count;
    int dims, pack; /* pack: from batches to sequences */
    long long dim[NODE_DIMS], step[NODE_DIMS], scale;
    struct node_number offsets;
    void *sequences, *batches;
};
/* Pages [number, heads, places, size] as batches [batch, heads, sequence, size]. */
struct node_pages {
    long long batch, heads, places, length, size, y_step[4], from_step[4], table_step[2];
    const int *table, *lengths;
    long long length_step;
};
/* Attention with what the simple one (attend.h) has not: pages, lengths of both sides, a scale on
 * the device, heads of keys and of values in different numbers. */
struct node_attend {
    long long batch, heads, k_heads, v_heads, queries, keys, size, value_size;
    long long q_step[3], k_step[3], v_step[3], o_step[3], stats_step[3]; /* batch, head, place */
    const void *q, *k, *v;
    void *o;
    float *stats;
    const int *k_pages, *v_pages, *query_lengths, *key_lengths; /* or null */
    long long query_length_step, key_length_step;
    long long k_places, v_places, k_page_step[2],
        v_page_step[2]; /* of a page; steps of the table: batch, page */
    struct node_number scale;
};
