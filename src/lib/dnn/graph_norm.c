/* Nodes of graphs that sum: reductions, normalisation, statistics of batches. */
#include "lib/dnn/graph_kinds.h"

/* ---- tensors that are walked together ---- */

static int64_t step_at(const struct graph_tensor *t, int dims, int d)
{
    const int own = t ? d - (dims - t->dims) : -1;
    return own < 0 || t->dim[own] == 1 ? 0 : t->step[own];
}

/* Adds a dimension behind the others, or makes the last one longer where all lie on. */
static void add_to(int64_t dim, const int64_t *step, int *dims, long long *dim_of,
                   long long (*step_of)[NODE_DIMS])
{
    int d = *dims - 1;
    bool on = d >= 0;
    if (dim == 1)
        return;
    for (int k = 0; k < NODE_PORTS; k++)
        on = on && step_of[k][d] == step[k] * dim;
    if (!on)
        d = (*dims)++;
    dim_of[d] = on ? dim_of[d] * dim : dim;
    for (int k = 0; k < NODE_PORTS; k++)
        step_of[k][d] = step[k];
}

/* Dimensions of `shape`; of dimension d `kept[d]` places are kept and the others go into them.
 * Ports have the shape, or 1 or kept[d] places in a dimension. */
static void box_of(const struct graph_tensor *shape, const int64_t *kept,
                   const struct graph_tensor *const *ports, struct node_box *b)
{
    b->kept = b->gone = 1;
    for (int d = 0; d < shape->dims; d++) {
        const int64_t gone = shape->dim[d] / kept[d];
        int64_t of_kept[NODE_PORTS], of_gone[NODE_PORTS];
        for (int k = 0; k < NODE_PORTS; k++) {
            const int64_t step = step_at(ports[k], shape->dims, d);
            const int own = ports[k] ? d - (shape->dims - ports[k]->dims) : -1;
            const bool whole = own >= 0 && ports[k]->dim[own] == shape->dim[d];
            of_gone[k] = whole || kept[d] == 1 ? step : 0;
            of_kept[k] = whole ? step * gone : step;
        }
        add_to(kept[d], of_kept, &b->kept_dims, b->kept_dim, b->kept_step);
        add_to(gone, of_gone, &b->gone_dims, b->gone_dim, b->gone_step);
        b->kept *= kept[d];
        b->gone *= gone;
    }
}

int dnn_graph_node_type(cudnnDataType_t t)
{
    switch (t) {
    case CUDNN_DATA_FLOAT: return NODE_F32;
    case CUDNN_DATA_DOUBLE: return NODE_F64;
    case CUDNN_DATA_HALF: return NODE_F16;
    case CUDNN_DATA_BFLOAT16: return NODE_BF16;
    case CUDNN_DATA_INT8: return NODE_I8;
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN: return NODE_U8;
    case CUDNN_DATA_INT32: return NODE_I32;
    case CUDNN_DATA_INT64: return NODE_I64;
    default: return -1;
    }
}

bool dnn_graph_is_line(const struct graph_tensor *t, int64_t count)
{
    if (!t)
        return true;
    for (int d = 0; d < t->dims; d++)
        if (t->dim[d] > 1 && (t->dim[d] != count || t->step[d] != 1))
            return false;
    return dnn_graph_count(t) == count && dnn_graph_node_type(t->type) >= 0;
}

bool dnn_graph_line(const struct graph_run *r, const struct graph_node *n, int port, int64_t count,
                    struct node_number *out)
{
    const struct graph_tensor *t = dnn_graph_port_of(r->plan, n, port);
    *out = (struct node_number){.at = dnn_graph_data(r, n, port)};
    if (t)
        out->type = dnn_graph_node_type(t->type);
    return dnn_graph_is_line(t, count);
}

static cudnnStatus_t shapes_wrong(const char *what)
{
    return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "%s of shapes that do not fit",
                           what);
}

/* ---- reductions ---- */

static const char *const reductions[] = {[CUDNN_REDUCE_TENSOR_ADD] = "sum",
                                         [CUDNN_REDUCE_TENSOR_MUL] = "product",
                                         [CUDNN_REDUCE_TENSOR_MIN] = "minimum",
                                         [CUDNN_REDUCE_TENSOR_MAX] = "maximum",
                                         [CUDNN_REDUCE_TENSOR_AMAX] = "absolute_maximum",
                                         [CUDNN_REDUCE_TENSOR_AVG] = "mean",
                                         [CUDNN_REDUCE_TENSOR_NORM1] = "norm1",
                                         [CUDNN_REDUCE_TENSOR_NORM2] = "norm2",
                                         [CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS] = "product_no_zeros"};

/* Does x shrink to y? Several of a dimension may go into one, too: heads that share a key. */
static bool shrinks(const struct graph_tensor *x, const struct graph_tensor *y)
{
    bool yes = x->dims == y->dims;
    for (int d = 0; d < x->dims && yes; d++)
        yes = x->dim[d] % y->dim[d] == 0;
    return yes;
}

cudnnStatus_t dnn_graph_check_reduction(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_descriptor *d =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_REDUCTION_DESC, 0);
    const int64_t op = d ? dnn_graph_int(d, CUDNN_ATTR_REDUCTION_OPERATOR, -1) : -1;
    if (op < 0 || op >= (int64_t)(sizeof reductions / sizeof *reductions))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "a reduction by the operator %d",
                               (int)op);
    return shrinks(dnn_graph_port_of(p, n, REDUCTION_X), dnn_graph_port_of(p, n, REDUCTION_Y))
               ? CUDNN_STATUS_SUCCESS
               : shapes_wrong("a reduction");
}

static cudnnStatus_t reduce(const struct graph_run *r, const char *name, const char *wide,
                            const struct graph_tensor *x, void *from, const struct graph_tensor *y,
                            void *to)
{
    enum { FEW = 32 }; /* a block for each place has too little to do */
    const struct graph_tensor *ports[NODE_PORTS] = {x, y};
    struct node_box b = {.at = {from, to}};
    box_of(x, y->dim, ports, &b);
    const bool few = b.gone <= FEW;
    return dnn_graph_status(
        dnn_run(r->dnn, "nodes_layer.h", few ? dnn_grid(b.kept) : dnn_blocks(b.kept), 0,
                (void *[]){&b}, "node_reduce%s<red_%s<%s>, %s, %s, %s>", few ? "_few" : "", name,
                wide, wide, dnn_graph_stored(y->type), dnn_graph_stored(x->type)),
        "a reduction");
}

/* Integers are summed in doubles, which hold them up to 2^53. */
static const char *sums_in(cudnnDataType_t compute, const struct graph_tensor *const *all, int n)
{
    const char *wide = dnn_graph_wide(compute, all, n);
    return wide[0] == 'f' ? wide : "double";
}

cudnnStatus_t dnn_graph_run_reduction(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_descriptor *d =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_REDUCTION_DESC, 0);
    const struct graph_tensor *x = dnn_graph_port_of(r->plan, n, REDUCTION_X),
                              *y = dnn_graph_port_of(r->plan, n, REDUCTION_Y);
    const struct graph_tensor *all[] = {x, y};
    const cudnnDataType_t compute =
        (cudnnDataType_t)dnn_graph_int(d, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    return reduce(r, reductions[dnn_graph_int(d, CUDNN_ATTR_REDUCTION_OPERATOR, 0)],
                  sums_in(compute, all, 2), x, dnn_graph_data(r, n, REDUCTION_X), y,
                  dnn_graph_data(r, n, REDUCTION_Y));
}

/* Sums and sums of squares of channels. */
cudnnStatus_t dnn_graph_check_statistics(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_tensor *x = dnn_graph_port_of(p, n, STATISTICS_X);
    return shrinks(x, dnn_graph_port_of(p, n, STATISTICS_SUM)) &&
                   shrinks(x, dnn_graph_port_of(p, n, STATISTICS_SQUARES))
               ? CUDNN_STATUS_SUCCESS
               : shapes_wrong("statistics");
}

cudnnStatus_t dnn_graph_run_statistics(const struct graph_run *r, const struct graph_node *n)
{
    static const char *const names[] = {"sum", "squares"};
    const struct graph_tensor *x = dnn_graph_port_of(r->plan, n, STATISTICS_X);
    const cudnnDataType_t compute = (cudnnDataType_t)dnn_graph_int(
        n->d, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_DATA_FLOAT);
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    for (int k = 0; k < 2 && !s; k++) {
        const struct graph_tensor *y = dnn_graph_port_of(r->plan, n, STATISTICS_SUM + k);
        const struct graph_tensor *all[] = {x, y};
        s = reduce(r, names[k], sums_in(compute, all, 2), x, dnn_graph_data(r, n, STATISTICS_X), y,
                   dnn_graph_data(r, n, STATISTICS_SUM + k));
    }
    return s;
}

/* ---- normalisation ---- */

/* How many places of each dimension are kept: a mean for each. By the mode and, for layers, by the
 * parameters' shape; wide is of the shape that is normalised. */
static bool normalised(cudnnBackendNormMode_t mode, const struct graph_tensor *x,
                       const struct graph_tensor *scale, const struct graph_tensor *bias,
                       int64_t *kept)
{
    const struct graph_tensor *like = scale ? scale : bias;
    if (x->dims < 2)
        return false;
    for (int d = 0; d < x->dims; d++) {
        const int own = like ? d - (x->dims - like->dims) : -1;
        bool gone;
        switch ((int)mode) {
        case CUDNN_BATCH_NORM: gone = d != 1; break;
        case CUDNN_INSTANCE_NORM: gone = d > 1; break;
        case CUDNN_ADA_LAYER_NORM: /* parameters of each batch */
            gone = d > 0 && own >= 0 && like->dim[own] == x->dim[d];
            break;
        case CUDNN_LAYER_NORM:
        case CUDNN_RMS_NORM: gone = own >= 0 && like->dim[own] == x->dim[d]; break;
        default: return false;
        }
        kept[d] = gone ? 1 : x->dim[d];
    }
    return like || mode == CUDNN_BATCH_NORM || mode == CUDNN_INSTANCE_NORM;
}

/* Has t the shape `kept`? Statistics are float or double, or what x is. */
static bool statistic(const struct graph_tensor *t, const struct graph_tensor *x,
                      const int64_t *kept)
{
    if (!t)
        return true;
    bool yes = t->dims == x->dims && dnn_graph_node_type(t->type) >= 0;
    for (int d = 0; d < x->dims && yes; d++)
        yes = t->dim[d] == kept[d];
    return yes;
}

static bool scalar(const struct graph_tensor *t)
{
    return !t || (dnn_graph_count(t) == 1 && dnn_graph_node_type(t->type) >= 0);
}

static cudnnStatus_t mode_refused(const struct graph_node *n, int peers, int64_t mode)
{
    if (n->at[peers] >= 0)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED,
                               "batch normalisation over several devices");
    return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED,
                           "normalisation of the mode %d, or without parameters of a shape that "
                           "says what is normalised",
                           (int)mode);
}

cudnnStatus_t dnn_graph_check_norm_forward(const struct graph_plan *p, struct graph_node *n)
{
    const int64_t mode = dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, -1);
    const struct graph_tensor *t[NORM_FWD_PEERS];
    int64_t kept[GRAPH_DIMS];
    for (int k = 0; k < NORM_FWD_PEERS; k++)
        t[k] = dnn_graph_port_of(p, n, k);
    const struct graph_tensor *x = t[NORM_FWD_X], *scale = t[NORM_FWD_SCALE],
                              *bias = t[NORM_FWD_BIAS];
    if (n->at[NORM_FWD_PEERS] >= 0 ||
        !normalised((cudnnBackendNormMode_t)mode, x, scale, bias, kept))
        return mode_refused(n, NORM_FWD_PEERS, mode);
    bool right = dnn_graph_alike(x, t[NORM_FWD_Y]) && (!scale || dnn_graph_broadcasts(scale, x)) &&
                 (!bias || dnn_graph_broadcasts(bias, x)) && scalar(t[NORM_FWD_EPSILON]) &&
                 scalar(t[NORM_FWD_FACTOR]) && statistic(t[NORM_FWD_MEAN], x, kept) &&
                 statistic(t[NORM_FWD_INVERSE], x, kept);
    for (int k = NORM_FWD_MEAN_WAS; k <= NORM_FWD_VARIANCE_IS; k++)
        right = right && statistic(t[k], x, kept);
    if (!right)
        return shapes_wrong("normalisation");
    if (scale && bias && scale->type != bias->type)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                               "scale and bias of different types");
    const bool running = t[NORM_FWD_MEAN_IS] || t[NORM_FWD_VARIANCE_IS];
    if (running && (!t[NORM_FWD_FACTOR] || !t[NORM_FWD_MEAN_WAS] || !t[NORM_FWD_VARIANCE_WAS]))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM,
                               "running statistics without what they were, or their factor");
    const bool given = !dnn_graph_written(n, NORM_FWD_MEAN) && t[NORM_FWD_INVERSE];
    if (!given && !t[NORM_FWD_EPSILON])
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "normalisation without an epsilon");
    if (mode == CUDNN_BATCH_NORM && !dnn_graph_written(n, NORM_FWD_MEAN) &&
        (!t[NORM_FWD_MEAN] || !t[NORM_FWD_INVERSE]))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "inference without the batch's statistics");
    return CUDNN_STATUS_SUCCESS;
}

static struct node_number number_of(const struct graph_run *r, const struct graph_node *n, int port)
{
    const struct graph_tensor *t = dnn_graph_port_of(r->plan, n, port);
    return (struct node_number){.at = dnn_graph_data(r, n, port),
                                .type = t ? dnn_graph_node_type(t->type) : 0};
}

/* Puts ports of a node into a box, which walks over the dimensions of the first. */
static void fill(const struct graph_run *r, const struct graph_node *n, const int *ports, int count,
                 const int64_t *kept, struct node_box *b)
{
    const struct graph_tensor *t[NODE_PORTS] = {0};
    for (int k = 0; k < count; k++) {
        t[k] = dnn_graph_port_of(r->plan, n, ports[k]);
        b->at[k] = dnn_graph_data(r, n, ports[k]);
        b->type[k] = t[k] ? dnn_graph_node_type(t[k]->type) : 0;
    }
    box_of(t[0], kept, t, b);
}

static const char *norms_in(const struct graph_tensor *x)
{
    return x->type == CUDNN_DATA_DOUBLE ? "double" : "float";
}

cudnnStatus_t dnn_graph_run_norm_forward(const struct graph_run *r, const struct graph_node *n)
{
    /* In the order of enum node_norm_port. */
    static const int ports[NODE_PORTS] = {
        NORM_FWD_X,       NORM_FWD_Y,          NORM_FWD_SCALE,    NORM_FWD_BIAS,
        NORM_FWD_MEAN,    NORM_FWD_INVERSE,    NORM_FWD_MEAN_WAS, NORM_FWD_VARIANCE_WAS,
        NORM_FWD_MEAN_IS, NORM_FWD_VARIANCE_IS};
    const struct graph_tensor *x = dnn_graph_port_of(r->plan, n, NORM_FWD_X),
                              *y = dnn_graph_port_of(r->plan, n, NORM_FWD_Y),
                              *scale = dnn_graph_port_of(r->plan, n, NORM_FWD_SCALE),
                              *bias = dnn_graph_port_of(r->plan, n, NORM_FWD_BIAS);
    const cudnnBackendNormMode_t mode =
        (cudnnBackendNormMode_t)dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, 0);
    const struct graph_tensor *like = scale ? scale : bias ? bias : x;
    int64_t kept[GRAPH_DIMS];
    struct node_norm m = {.epsilon = number_of(r, n, NORM_FWD_EPSILON),
                          .factor = number_of(r, n, NORM_FWD_FACTOR),
                          .rms = mode == CUDNN_RMS_NORM,
                          .given =
                              !dnn_graph_written(n, NORM_FWD_MEAN) && n->at[NORM_FWD_INVERSE] >= 0};
    normalised(mode, x, scale, bias, kept);
    fill(r, n, ports, NODE_PORTS, kept, &m.b);
    return dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h", dnn_blocks(m.b.kept), 0,
                                    (void *[]){&m}, "node_norm_forward<%s, %s, %s, %s>",
                                    norms_in(x), dnn_graph_stored(x->type),
                                    dnn_graph_stored(y->type), dnn_graph_stored(like->type)),
                            "normalisation");
}

cudnnStatus_t dnn_graph_check_norm_backward(const struct graph_plan *p, struct graph_node *n)
{
    const int64_t mode = dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, -1);
    const struct graph_tensor *t[NORM_BWD_PEERS];
    int64_t kept[GRAPH_DIMS];
    for (int k = 0; k < NORM_BWD_PEERS; k++)
        t[k] = dnn_graph_port_of(p, n, k);
    const struct graph_tensor *x = t[NORM_BWD_X], *scale = t[NORM_BWD_SCALE];
    if (n->at[NORM_BWD_PEERS] >= 0 ||
        !normalised((cudnnBackendNormMode_t)mode, x, scale, NULL, kept))
        return mode_refused(n, NORM_BWD_PEERS, mode);
    if (!t[NORM_BWD_INVERSE] || (!t[NORM_BWD_MEAN] && mode != CUDNN_RMS_NORM))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED,
                               "gradients of a normalisation whose statistics were not kept");
    for (int k = NORM_BWD_DSCALE; k <= NORM_BWD_DBIAS; k++)
        if (t[k] && (!shrinks(x, t[k]) || !dnn_graph_alike(scale, t[k]) ||
                     dnn_graph_node_type(t[k]->type) < 0))
            return shapes_wrong("gradients of a normalisation's parameters");
    return dnn_graph_alike(x, t[NORM_BWD_DY]) && dnn_graph_alike(x, t[NORM_BWD_DX]) &&
                   dnn_graph_broadcasts(scale, x) && scale->dims == x->dims &&
                   statistic(t[NORM_BWD_MEAN], x, kept) && statistic(t[NORM_BWD_INVERSE], x, kept)
               ? CUDNN_STATUS_SUCCESS
               : shapes_wrong("gradients of a normalisation");
}

cudnnStatus_t dnn_graph_run_norm_backward(const struct graph_run *r, const struct graph_node *n)
{
    /* In the orders of enum node_norm_params and node_norm_back. */
    static const int params[] = {NORM_BWD_X,       NORM_BWD_DY,     NORM_BWD_MEAN,
                                 NORM_BWD_INVERSE, NORM_BWD_DSCALE, NORM_BWD_DBIAS};
    static const int back[] = {NORM_BWD_X,  NORM_BWD_DY,   NORM_BWD_SCALE,
                               NORM_BWD_DX, NORM_BWD_MEAN, NORM_BWD_INVERSE};
    const struct graph_tensor *x = dnn_graph_port_of(r->plan, n, NORM_BWD_X),
                              *dy = dnn_graph_port_of(r->plan, n, NORM_BWD_DY),
                              *dx = dnn_graph_port_of(r->plan, n, NORM_BWD_DX),
                              *scale = dnn_graph_port_of(r->plan, n, NORM_BWD_SCALE);
    const cudnnBackendNormMode_t mode =
        (cudnnBackendNormMode_t)dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_NORM_BWD_MODE, 0);
    const char *wide = norms_in(x);
    int64_t kept[GRAPH_DIMS];
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    struct node_norm of_params = {.rms = mode == CUDNN_RMS_NORM}, of_x = of_params;
    if (n->at[NORM_BWD_DSCALE] >= 0 || n->at[NORM_BWD_DBIAS] >= 0) { /* dx may be dy */
        fill(r, n, params, 6, scale->dim, &of_params.b);
        s = dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h", dnn_blocks(of_params.b.kept), 0,
                                     (void *[]){&of_params}, "node_norm_params<%s, %s, %s>", wide,
                                     dnn_graph_stored(x->type), dnn_graph_stored(dy->type)),
                             "gradients of parameters");
    }
    if (s)
        return s;
    normalised(mode, x, scale, NULL, kept);
    fill(r, n, back, 6, kept, &of_x.b);
    return dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h", dnn_blocks(of_x.b.kept), 0,
                                    (void *[]){&of_x}, "node_norm_backward<%s, %s, %s, %s, %s>",
                                    wide, dnn_graph_stored(x->type), dnn_graph_stored(dy->type),
                                    dnn_graph_stored(dx->type), dnn_graph_stored(scale->type)),
                            "gradients of a normalisation");
}

/* ---- from sums to what normalises a batch, and back ---- */

cudnnStatus_t dnn_graph_check_finalize(const struct graph_plan *p, struct graph_node *n)
{
    const bool training = dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, 0) ==
                          CUDNN_BN_FINALIZE_STATISTICS_TRAINING;
    const struct graph_tensor *channels =
        dnn_graph_port_of(p, n, training ? FINALIZE_SUM : FINALIZE_MEAN_WAS);
    const int must[2][3] = {{FINALIZE_MEAN_WAS, FINALIZE_VARIANCE_WAS, FINALIZE_EPSILON},
                            {FINALIZE_SUM, FINALIZE_SQUARES, FINALIZE_COUNT}};
    for (int k = 0; k < 3; k++)
        if (n->at[must[training][k]] < 0)
            return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM,
                                   "statistics of a batch without all of their tensors");
    if (n->at[FINALIZE_EPSILON] < 0 ||
        ((n->at[FINALIZE_MEAN_IS] >= 0 || n->at[FINALIZE_VARIANCE_IS] >= 0) &&
         n->at[FINALIZE_FACTOR] < 0))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM,
                               "statistics of a batch without epsilon, or their factor");
    for (int k = 0; k < n->count; k++)
        if (!dnn_graph_is_line(dnn_graph_port_of(p, n, k),
                               k < FINALIZE_COUNT ? dnn_graph_count(channels) : 1))
            return shapes_wrong("statistics of a batch");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_graph_run_finalize(const struct graph_run *r, const struct graph_node *n)
{
    const bool training = dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, 0) ==
                          CUDNN_BN_FINALIZE_STATISTICS_TRAINING;
    const cudnnDataType_t compute = (cudnnDataType_t)dnn_graph_int(
        n->d, CUDNN_ATTR_OPERATION_BN_FINALIZE_MATH_PREC, CUDNN_DATA_FLOAT);
    struct node_finalize f = {.channels = dnn_graph_count(dnn_graph_port_of(
                                  r->plan, n, training ? FINALIZE_SUM : FINALIZE_MEAN_WAS)),
                              .training = training};
    struct node_number *const all[] = {&f.sum,      &f.squares,      &f.scale,    &f.bias,
                                       &f.mean_was, &f.variance_was, &f.mean_is,  &f.variance_is,
                                       &f.mean,     &f.inverse,      &f.eq_scale, &f.eq_bias,
                                       &f.count,    &f.epsilon,      &f.factor};
    for (int k = 0; k <= FINALIZE_FACTOR; k++)
        *all[k] = number_of(r, n, k);
    return dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h", dnn_grid(f.channels), 0,
                                    (void *[]){&f}, "node_norm_finalize<%s>",
                                    compute == CUDNN_DATA_DOUBLE ? "double" : "float"),
                            "statistics of a batch");
}

cudnnStatus_t dnn_graph_check_weights(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_tensor *x = dnn_graph_port_of(p, n, WEIGHTS_X),
                              *dy = dnn_graph_port_of(p, n, WEIGHTS_DY);
    bool right = x->dims >= 2 && dnn_graph_alike(x, dy);
    for (int k = 0; k < n->count && right; k++)
        if (k != WEIGHTS_X && k != WEIGHTS_DY)
            right = dnn_graph_is_line(dnn_graph_port_of(p, n, k), x->dim[1]) &&
                    dnn_graph_port_of(p, n, k)->dims == x->dims &&
                    dnn_graph_port_of(p, n, k)->dim[1] == x->dim[1];
    return right ? CUDNN_STATUS_SUCCESS
                 : shapes_wrong("gradients of a batch normalisation's parameters");
}

cudnnStatus_t dnn_graph_run_weights(const struct graph_run *r, const struct graph_node *n)
{
    static const int params[] = {WEIGHTS_X,       WEIGHTS_DY,     WEIGHTS_MEAN,
                                 WEIGHTS_INVERSE, WEIGHTS_DSCALE, WEIGHTS_DBIAS};
    const struct graph_tensor *x = dnn_graph_port_of(r->plan, n, WEIGHTS_X),
                              *dy = dnn_graph_port_of(r->plan, n, WEIGHTS_DY);
    const char *wide = norms_in(x);
    struct node_norm m = {0};
    fill(r, n, params, 6, dnn_graph_port_of(r->plan, n, WEIGHTS_DSCALE)->dim, &m.b);
    struct node_weights w = {.channels = x->dim[1],
                             .count = dnn_graph_count(x) / x->dim[1],
                             .dscale = number_of(r, n, WEIGHTS_DSCALE),
                             .dbias = number_of(r, n, WEIGHTS_DBIAS),
                             .scale = number_of(r, n, WEIGHTS_SCALE),
                             .mean = number_of(r, n, WEIGHTS_MEAN),
                             .inverse = number_of(r, n, WEIGHTS_INVERSE),
                             .eq_dy = number_of(r, n, WEIGHTS_EQ_DY),
                             .eq_x = number_of(r, n, WEIGHTS_EQ_X),
                             .eq_bias = number_of(r, n, WEIGHTS_EQ_BIAS)};
    enum tern_error e = dnn_run(r->dnn, "nodes_layer.h", dnn_blocks(m.b.kept), 0, (void *[]){&m},
                                "node_norm_params<%s, %s, %s>", wide, dnn_graph_stored(x->type),
                                dnn_graph_stored(dy->type));
    if (!e)
        e = dnn_run(r->dnn, "nodes_layer.h", dnn_grid(w.channels), 0, (void *[]){&w},
                    "node_norm_weights<%s>", wide);
    return dnn_graph_status(e, "gradients of a batch normalisation's parameters");
}
