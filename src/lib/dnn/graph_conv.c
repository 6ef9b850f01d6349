/* Nodes of graphs with windows: convolutions in their three directions, pooling. */
#include "lib/dnn/graph_kinds.h"

enum { SPACE = 3 }; /* dimensions that a window may have */

static cudnnStatus_t misfit(const char *what)
{
    return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "%s of shapes that do not fit",
                           what);
}

/* n, c, depth, height, width of a tensor with 3 to 5 dimensions; what is missing is 1. */
static void steps5(const struct graph_tensor *t, long long *step)
{
    const int space = t->dims - 2;
    for (int k = 0; k < 5; k++)
        step[k] = 0;
    step[0] = t->step[0];
    step[1] = t->step[1];
    for (int k = 0; k < space; k++)
        step[5 - space + k] = t->step[2 + k];
}

static void space3(const struct graph_tensor *t, long long *dim)
{
    const int space = t->dims - 2;
    for (int k = 0; k < SPACE; k++)
        dim[k] = k < SPACE - space ? 1 : t->dim[2 + k - (SPACE - space)];
}

/* ---- convolutions ---- */

/* Attributes of an operation, by its direction. */
static const struct way {
    enum dnn_conv what;
    cudnnBackendAttributeName_t descriptor, alpha, beta;
} ways[] = {{DNN_FORWARD, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
             CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
             CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
            {DNN_DATA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
            {DNN_FILTER, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};

static int64_t entry(const struct graph_descriptor *d, cudnnBackendAttributeName_t name, int k,
                     int64_t otherwise)
{
    const struct graph_value *v = dnn_graph_find(d, name);
    return v && k < v->count ? ((const int64_t *)(const void *)v->data)[k] : otherwise;
}

/* The window of a convolution; false: shapes that do not fit. */
static bool conv_window(const struct graph_plan *p, const struct graph_node *n, enum dnn_conv what,
                        struct dnn_window *w)
{
    const struct graph_descriptor *d = dnn_graph_child(n->d, ways[what].descriptor, 0);
    const struct graph_tensor *x = dnn_graph_port_of(p, n, CONV_X),
                              *f = dnn_graph_port_of(p, n, CONV_W),
                              *y = dnn_graph_port_of(p, n, CONV_Y);
    const int space = x->dims - 2;
    if (!d || space < 1 || space > SPACE || f->dims != x->dims || y->dims != x->dims ||
        dnn_graph_int(d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 0) != space ||
        x->dim[0] != y->dim[0] || f->dim[0] != y->dim[1] || x->dim[1] % f->dim[1] ||
        f->dim[0] % (x->dim[1] / f->dim[1]))
        return false;
    *w = (struct dnn_window){.n = x->dim[0],
                             .c = x->dim[1],
                             .k = y->dim[1],
                             .groups = x->dim[1] / f->dim[1],
                             .flip = dnn_graph_int(d, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                                                   CUDNN_CROSS_CORRELATION) == CUDNN_CONVOLUTION,
                             .alpha = dnn_graph_real(n->d, ways[what].alpha, 1),
                             .beta = dnn_graph_real(n->d, ways[what].beta, 0)};
    space3(x, w->in);
    space3(y, w->out);
    space3(f, w->size);
    steps5(x, w->x_step);
    steps5(y, w->y_step);
    steps5(f, w->w_step);
    bool fits = true;
    for (int k = 0; k < SPACE; k++) {
        const int own = k - (SPACE - space);
        w->stride[k] = own < 0 ? 1 : entry(d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, own, 1);
        w->dilation[k] = own < 0 ? 1 : entry(d, CUDNN_ATTR_CONVOLUTION_DILATIONS, own, 1);
        w->pad[k] = own < 0 ? 0 : entry(d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, own, 0);
        const int64_t after =
            own < 0 ? 0 : entry(d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, own, w->pad[k]);
        if (w->stride[k] < 1 || w->dilation[k] < 1 || w->pad[k] < 0 || after < 0)
            return false;
        const int64_t room = w->in[k] + w->pad[k] + after - ((w->size[k] - 1) * w->dilation[k] + 1);
        fits = fits && room >= 0 && w->out[k] == room / w->stride[k] + 1;
    }
    return fits;
}

/* The one type of all three, where terndnn has it and sums as it does. */
static bool one_type(const struct graph_plan *p, const struct graph_node *n, enum dnn_conv what,
                     enum lib_type *t)
{
    const struct graph_descriptor *d = dnn_graph_child(n->d, ways[what].descriptor, 0);
    const cudnnDataType_t type = dnn_graph_port_of(p, n, CONV_X)->type;
    const int64_t compute = dnn_graph_int(d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    return dnn_graph_port_of(p, n, CONV_W)->type == type &&
           dnn_graph_port_of(p, n, CONV_Y)->type == type && cudnn_type(type, t) &&
           (*t == LIB_F64 || compute != CUDNN_DATA_DOUBLE);
}

static cudnnStatus_t check_conv(const struct graph_plan *p, struct graph_node *n,
                                enum dnn_conv what)
{
    struct dnn_window w;
    enum lib_type t;
    if (!conv_window(p, n, what, &w))
        return misfit("a convolution");
    for (int k = 0; k < SPACE; k++)
        if (w.in[k] > INT32_MAX || w.out[k] > INT32_MAX)
            return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "images of 2^31 places");
    if (one_type(p, n, what, &t) && dnn_conv_better(&w))
        n->scratch = dnn_conv_bytes(t, what, &w);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t run_conv(const struct graph_run *r, const struct graph_node *n,
                              enum dnn_conv what)
{
    const struct graph_descriptor *d = dnn_graph_child(n->d, ways[what].descriptor, 0);
    const struct graph_tensor *tx = dnn_graph_port_of(r->plan, n, CONV_X),
                              *tf = dnn_graph_port_of(r->plan, n, CONV_W),
                              *ty = dnn_graph_port_of(r->plan, n, CONV_Y);
    const struct graph_tensor *all[] = {tx, tf, ty};
    void *x = dnn_graph_data(r, n, CONV_X), *f = dnn_graph_data(r, n, CONV_W),
         *y = dnn_graph_data(r, n, CONV_Y);
    struct dnn_window w;
    enum lib_type t;
    conv_window(r->plan, n, what, &w);
    if (one_type(r->plan, n, what, &t))
        return dnn_graph_status(dnn_convolve(r->dnn, t, what, &w, dnn_conv_better(&w), x, f, y,
                                             n->scratch ? r->scratch : NULL),
                                "a convolution");
    const cudnnDataType_t compute =
        (cudnnDataType_t)dnn_graph_int(d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    const char *wide = dnn_graph_wide(compute, all, 3), *nx = dnn_graph_stored(tx->type),
               *nf = dnn_graph_stored(tf->type), *ny = dnn_graph_stored(ty->type);
    enum tern_error e = TERN_OK;
    switch (what) {
    case DNN_FORWARD:
        e = dnn_run(r->dnn, "convolve.h", dnn_blocks(w.n * w.k), 0, (void *[]){&w, &x, &f, &y},
                    "conv_forward<%s, %s, %s, %s>", nx, nf, ny, wide);
        break;
    case DNN_DATA:
        e = dnn_run(r->dnn, "convolve.h", dnn_blocks(w.n * w.c), 0, (void *[]){&w, &f, &y, &x},
                    "conv_data<%s, %s, %s, %s>", nf, ny, nx, wide);
        break;
    case DNN_FILTER:
        e = dnn_run(r->dnn, "convolve.h",
                    dnn_blocks(w.k * (w.c / w.groups) * w.size[0] * w.size[1] * w.size[2]), 0,
                    (void *[]){&w, &x, &y, &f}, "conv_filter<%s, %s, %s, %s>", nx, ny, nf, wide);
        break;
    }
    return dnn_graph_status(e, "a convolution");
}

#define DIRECTION(name, what)                                                                      \
    cudnnStatus_t dnn_graph_check_##name(const struct graph_plan *p, struct graph_node *n)         \
    {                                                                                              \
        return check_conv(p, n, what);                                                             \
    }                                                                                              \
    cudnnStatus_t dnn_graph_run_##name(const struct graph_run *r, const struct graph_node *n)      \
    {                                                                                              \
        return run_conv(r, n, what);                                                               \
    }
DIRECTION(conv_forward, DNN_FORWARD)
DIRECTION(conv_data, DNN_DATA)
DIRECTION(conv_filter, DNN_FILTER)

/* ---- pooling ---- */

/* A whole number of what may be fractions; -1: it is none. */
static int64_t whole_of(const struct graph_descriptor *d, cudnnBackendAttributeName_t name, int k,
                        int64_t otherwise)
{
    const struct graph_value *v = dnn_graph_find(d, name);
    if (!v || k >= v->count)
        return otherwise;
    if (v->type != CUDNN_TYPE_FRACTION)
        return ((const int64_t *)(const void *)v->data)[k];
    const cudnnFraction_t f = ((const cudnnFraction_t *)(const void *)v->data)[k];
    return f.denominator && f.numerator % f.denominator == 0 ? f.numerator / f.denominator : -1;
}

static cudnnStatus_t pool_window(const struct graph_descriptor *d, const struct graph_tensor *x,
                                 const struct graph_tensor *y, struct dnn_window *w, int *outside)
{
    const int space = x->dims - 2;
    const int64_t mode = dnn_graph_int(d, CUDNN_ATTR_RESAMPLE_MODE, -1),
                  padding = dnn_graph_int(d, CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_ZERO_PAD);
    if (space < 1 || space > SPACE || y->dims != x->dims || x->dim[0] != y->dim[0] ||
        x->dim[1] != y->dim[1] || dnn_graph_int(d, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, 0) != space)
        return misfit("pooling");
    if (mode != CUDNN_RESAMPLE_MAXPOOL && mode != CUDNN_RESAMPLE_AVGPOOL &&
        mode != CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED,
                               "resampling by interpolation (the mode %d)", (int)mode);
    *w = (struct dnn_window){.n = x->dim[0],
                             .c = x->dim[1],
                             .k = x->dim[1],
                             .groups = 1,
                             .dilation = {1, 1, 1},
                             .kind = mode == CUDNN_RESAMPLE_MAXPOOL   ? DNN_POOL_MAX
                                     : mode == CUDNN_RESAMPLE_AVGPOOL ? DNN_POOL_AVERAGE_PADDED
                                                                      : DNN_POOL_AVERAGE};
    *outside = padding == CUDNN_ZERO_PAD      ? NODE_OUTSIDE_ZERO
               : padding == CUDNN_NEG_INF_PAD ? NODE_OUTSIDE_NOTHING
                                              : NODE_OUTSIDE_EDGE;
    if (padding == CUDNN_NEG_INF_PAD && mode == CUDNN_RESAMPLE_AVGPOOL)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "means with an infinite padding");
    space3(x, w->in);
    space3(y, w->out);
    steps5(x, w->x_step);
    steps5(y, w->y_step);
    for (int k = 0; k < SPACE; k++) {
        const int own = k - (SPACE - space);
        w->size[k] = own < 0 ? 1 : whole_of(d, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, own, 1);
        w->stride[k] = own < 0 ? 1 : whole_of(d, CUDNN_ATTR_RESAMPLE_STRIDES, own, 1);
        w->pad[k] = own < 0 ? 0 : whole_of(d, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, own, 0);
        const int64_t after =
            own < 0 ? 0 : whole_of(d, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, own, w->pad[k]);
        if (w->size[k] < 1 || w->stride[k] < 1 || w->pad[k] < 0 || after < 0)
            return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "pooling by fractions of places");
        const int64_t room = w->in[k] + w->pad[k] + after - w->size[k];
        if (room < 0 || w->out[k] != room / w->stride[k] + 1 || w->in[k] > INT32_MAX)
            return misfit("pooling");
    }
    return CUDNN_STATUS_SUCCESS;
}

/* Indices are those of a window's places, which a type must hold. */
static cudnnStatus_t index_fits(const struct graph_tensor *index, const struct graph_tensor *y,
                                const struct dnn_window *w)
{
    if (!index)
        return CUDNN_STATUS_SUCCESS;
    const int64_t taps = w->size[0] * w->size[1] * w->size[2];
    if (!dnn_graph_alike(index, y))
        return misfit("indices of pooling");
    if (!(index->type == CUDNN_DATA_INT8 && taps <= INT8_MAX + 1) &&
        !(index->type == CUDNN_DATA_UINT8 && taps <= UINT8_MAX + 1) &&
        index->type != CUDNN_DATA_INT32 && index->type != CUDNN_DATA_INT64)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                               "indices of pooling whose type does not hold them");
    return CUDNN_STATUS_SUCCESS;
}

static struct node_number index_of(const struct graph_run *r, const struct graph_node *n, int port,
                                   long long *step)
{
    const struct graph_tensor *t = dnn_graph_port_of(r->plan, n, port);
    struct node_number index = {.at = dnn_graph_data(r, n, port)};
    if (t) {
        index.type = dnn_graph_node_type(t->type);
        steps5(t, step);
    }
    return index;
}

cudnnStatus_t dnn_graph_check_pool_forward(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_descriptor *d =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, 0);
    const struct graph_tensor *x = dnn_graph_port_of(p, n, POOL_X),
                              *y = dnn_graph_port_of(p, n, POOL_Y),
                              *index = dnn_graph_port_of(p, n, POOL_INDEX);
    struct dnn_window w;
    int outside;
    if (!d)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "pooling without a descriptor");
    const cudnnStatus_t s = pool_window(d, x, y, &w, &outside);
    if (!s && index && w.kind != DNN_POOL_MAX)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "indices of means");
    return s ? s : index_fits(index, y, &w);
}

cudnnStatus_t dnn_graph_run_pool_forward(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_descriptor *d =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, 0);
    const struct graph_tensor *x = dnn_graph_port_of(r->plan, n, POOL_X),
                              *y = dnn_graph_port_of(r->plan, n, POOL_Y);
    const struct graph_tensor *all[] = {x, y};
    struct dnn_window w;
    int outside;
    long long i[5] = {0};
    struct node_number index = index_of(r, n, POOL_INDEX, i);
    void *px = dnn_graph_data(r, n, POOL_X), *py = dnn_graph_data(r, n, POOL_Y);
    pool_window(d, x, y, &w, &outside);
    w.alpha = dnn_graph_real(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_ALPHA, 1);
    w.beta = dnn_graph_real(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_BETA, 0);
    const char *wide = dnn_graph_wide(CUDNN_DATA_FLOAT, all, 2);
    return dnn_graph_status(
        dnn_run(r->dnn, "nodes_layer.h", dnn_blocks(w.n * w.c), 0,
                (void *[]){&w, &outside, &px, &py, &index, &i[0], &i[1], &i[2], &i[3], &i[4]},
                "node_pool_forward<%s, %s, %s>", wide, dnn_graph_stored(x->type),
                dnn_graph_stored(y->type)),
        "pooling");
}

cudnnStatus_t dnn_graph_check_pool_backward(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_descriptor *d =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, 0);
    const struct graph_tensor *dx = dnn_graph_port_of(p, n, POOL_BACK_DX),
                              *dy = dnn_graph_port_of(p, n, POOL_BACK_DY),
                              *index = dnn_graph_port_of(p, n, POOL_BACK_INDEX),
                              *x = dnn_graph_port_of(p, n, POOL_BACK_X);
    struct dnn_window w;
    int outside;
    if (!d)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "pooling without a descriptor");
    cudnnStatus_t s = pool_window(d, dx, dy, &w, &outside);
    if (!s)
        s = index_fits(index, dy, &w);
    if (s)
        return s;
    if (w.kind == DNN_POOL_MAX && !index && !x)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM,
                               "gradients of pooling without indices and without its input");
    if (x && !index && w.kind == DNN_POOL_MAX) {
        bool same = dnn_graph_alike(x, dx);
        for (int k = 0; k < x->dims && same; k++)
            same = x->step[k] == dx->step[k];
        if (!same)
            return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT,
                                   "gradients of pooling that do not lie as its input");
    }
    if (w.kind != DNN_POOL_MAX && outside == NODE_OUTSIDE_EDGE)
        for (int k = 0; k < SPACE; k++)
            if ((w.out[k] - 1) * w.stride[k] - w.pad[k] + w.size[k] > w.in[k] || w.pad[k])
                return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED,
                                       "gradients of means with repeated edges");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_graph_run_pool_backward(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_descriptor *d =
        dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, 0);
    const struct graph_tensor *dx = dnn_graph_port_of(r->plan, n, POOL_BACK_DX),
                              *dy = dnn_graph_port_of(r->plan, n, POOL_BACK_DY),
                              *x = dnn_graph_port_of(r->plan, n, POOL_BACK_X);
    const struct graph_tensor *all[] = {dx, dy};
    struct dnn_window w;
    int outside;
    long long i[5] = {0};
    struct node_number index = index_of(r, n, POOL_BACK_INDEX, i);
    void *pdx = dnn_graph_data(r, n, POOL_BACK_DX), *pdy = dnn_graph_data(r, n, POOL_BACK_DY),
         *px = dnn_graph_data(r, n, POOL_BACK_X);
    pool_window(d, dx, dy, &w, &outside);
    w.alpha = dnn_graph_real(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_ALPHA, 1);
    w.beta = dnn_graph_real(n->d, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_BETA, 0);
    const char *wide = dnn_graph_wide(CUDNN_DATA_FLOAT, all, 2);
    return dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h", dnn_blocks(w.n * w.c), 0,
                                    (void *[]){&w, &outside, &px, &pdy, &pdx, &index, &i[0], &i[1],
                                               &i[2], &i[3], &i[4]},
                                    "node_pool_backward<%s, %s, %s, %s>", wide,
                                    dnn_graph_stored(x ? x->type : dx->type),
                                    dnn_graph_stored(dy->type), dnn_graph_stored(dx->type)),
                            "gradients of pooling");
}
