/* Nodes of graphs that move elements, or make them: reshaped, transposed, sliced, joined; random
 * numbers; pages; and sequences in a row, which nodes see as batches. */
#include <string.h>
#include "lib/dnn/graph_kinds.h"

static cudnnStatus_t misfit(const char *what)
{
    return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "%s of shapes that do not fit",
                           what);
}

/* to = from, element by element; both are views with shapes and steps of their own. */
static cudnnStatus_t copy(const struct graph_run *r, const struct graph_tensor *to, void *out,
                          const struct graph_tensor *from, const void *in)
{
    struct node_each e = {.axis = -1, .out = out, .in = {in}, .p = {1, 1}};
    const struct graph_tensor *all[NODE_INPUTS] = {from};
    const bool whole = dnn_graph_whole(from->type) && dnn_graph_whole(to->type);
    return dnn_graph_each(r, "identity", whole ? CUDNN_DATA_INT64 : CUDNN_DATA_FLOAT, &e, to, all);
}

static void *at_element(const struct graph_tensor *t, void *p, int64_t element)
{
    return (char *)p + element * (int64_t)cudnn_bytes(t->type);
}

/* ---- shapes ---- */

/* Dimensions by falling steps, those that follow each other without gaps as one: how the elements
 * lie in memory. */
static void by_memory(const struct graph_tensor *t, struct graph_tensor *out)
{
    *out = *t;
    out->dims = 0;
    for (int d = 0; d < t->dims; d++) {
        if (t->dim[d] == 1)
            continue;
        int k = out->dims++;
        for (; k > 0 && out->step[k - 1] < t->step[d]; k--) {
            out->dim[k] = out->dim[k - 1];
            out->step[k] = out->step[k - 1];
        }
        out->dim[k] = t->dim[d];
        out->step[k] = t->step[d];
    }
    int last = 0;
    for (int k = 1; k < out->dims; k++)
        if (out->step[last] == out->dim[k] * out->step[k]) {
            out->dim[last] *= out->dim[k];
            out->step[last] = out->step[k];
        } else {
            out->dim[++last] = out->dim[k];
            out->step[last] = out->step[k];
        }
    if (!out->dims) {
        out->dim[0] = out->step[0] = 1;
        last = 0;
    }
    out->dims = last + 1;
}

/* The same by the order of dimensions: where places in it lie. */
static void by_order(const struct graph_tensor *t, struct graph_tensor *out)
{
    *out = *t;
    out->dims = 0;
    for (int d = 0; d < t->dims; d++) {
        const int k = out->dims - 1;
        if (t->dim[d] == 1)
            continue;
        if (k >= 0 && out->step[k] == t->dim[d] * t->step[d]) {
            out->dim[k] *= t->dim[d];
            out->step[k] = t->step[d];
        } else {
            out->dim[out->dims] = t->dim[d];
            out->step[out->dims++] = t->step[d];
        }
    }
    if (!out->dims) {
        out->dim[0] = out->step[0] = 1;
        out->dims = 1;
    }
}

/* Divides dimensions of both until they are the same; false: they have no common ones. */
static bool alike_by_parts(struct graph_tensor *a, struct graph_tensor *b)
{
    for (int k = 0; k < a->dims || k < b->dims; k++) {
        if (k >= a->dims || k >= b->dims)
            return false;
        if (a->dim[k] == b->dim[k])
            continue;
        struct graph_tensor *more = a->dim[k] > b->dim[k] ? a : b;
        const int64_t part = more == a ? b->dim[k] : a->dim[k];
        if (more->dim[k] % part || more->dims == GRAPH_DIMS)
            return false;
        memmove(&more->dim[k + 1], &more->dim[k], (size_t)(more->dims - k) * sizeof *more->dim);
        memmove(&more->step[k + 1], &more->step[k], (size_t)(more->dims - k) * sizeof *more->step);
        more->dims++;
        /* The outer part comes first. */
        more->dim[k] = part;
        more->dim[k + 1] /= part;
        more->step[k] = more->step[k + 1] * more->dim[k + 1];
    }
    return true;
}

/* A view shows the same memory; a logical one the elements in the order of its dimensions. */
static bool reshaped(const struct graph_node *n, const struct graph_tensor *x,
                     const struct graph_tensor *y, struct graph_tensor *from,
                     struct graph_tensor *to)
{
    if (dnn_graph_count(x) != dnn_graph_count(y))
        return false;
    if (dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_RESHAPE_MODE, CUDNN_RESHAPE_VIEW_ONLY) ==
        CUDNN_RESHAPE_LOGICAL) {
        by_order(x, from);
        by_order(y, to);
    } else {
        by_memory(x, from);
        by_memory(y, to);
    }
    return alike_by_parts(from, to);
}

cudnnStatus_t dnn_graph_check_reshape(const struct graph_plan *p, struct graph_node *n)
{
    struct graph_tensor from, to;
    return reshaped(n, dnn_graph_port_of(p, n, MOVE_X), dnn_graph_port_of(p, n, MOVE_Y), &from, &to)
               ? CUDNN_STATUS_SUCCESS
               : misfit("a reshaped tensor");
}

cudnnStatus_t dnn_graph_run_reshape(const struct graph_run *r, const struct graph_node *n)
{
    struct graph_tensor from, to;
    reshaped(n, dnn_graph_port_of(r->plan, n, MOVE_X), dnn_graph_port_of(r->plan, n, MOVE_Y), &from,
             &to);
    return copy(r, &to, dnn_graph_data(r, n, MOVE_Y), &from, dnn_graph_data(r, n, MOVE_X));
}

/* x with its dimensions in y's order. */
static bool transposed(const struct graph_node *n, const struct graph_tensor *x,
                       const struct graph_tensor *y, struct graph_tensor *from)
{
    const struct graph_value *v = dnn_graph_find(n->d, CUDNN_ATTR_OPERATION_TRANSPOSE_PERMUTATION);
    if (!v || v->count != x->dims || y->dims != x->dims)
        return false;
    *from = *x;
    unsigned seen = 0;
    for (int d = 0; d < x->dims; d++) {
        const int64_t k = ((const int64_t *)(const void *)v->data)[d];
        if (k < 0 || k >= x->dims || seen & 1u << k)
            return false;
        seen |= 1u << k;
        from->dim[d] = x->dim[k];
        from->step[d] = x->step[k];
    }
    return dnn_graph_alike(from, y);
}

cudnnStatus_t dnn_graph_check_transpose(const struct graph_plan *p, struct graph_node *n)
{
    struct graph_tensor from;
    return transposed(n, dnn_graph_port_of(p, n, MOVE_X), dnn_graph_port_of(p, n, MOVE_Y), &from)
               ? CUDNN_STATUS_SUCCESS
               : misfit("a transposed tensor");
}

cudnnStatus_t dnn_graph_run_transpose(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_tensor *y = dnn_graph_port_of(r->plan, n, MOVE_Y);
    struct graph_tensor from;
    transposed(n, dnn_graph_port_of(r->plan, n, MOVE_X), y, &from);
    return copy(r, y, dnn_graph_data(r, n, MOVE_Y), &from, dnn_graph_data(r, n, MOVE_X));
}

static int64_t entry(const struct graph_node *n, cudnnBackendAttributeName_t name, int d,
                     int64_t otherwise)
{
    const struct graph_value *v = dnn_graph_find(n->d, name);
    return v && d < v->count ? ((const int64_t *)(const void *)v->data)[d] : otherwise;
}

/* The part of x that y is; first: its first element. */
static bool sliced(const struct graph_node *n, const struct graph_tensor *x,
                   const struct graph_tensor *y, struct graph_tensor *from, int64_t *first)
{
    *from = *x;
    *first = 0;
    if (y->dims != x->dims)
        return false;
    for (int d = 0; d < x->dims; d++) {
        const int64_t start = entry(n, CUDNN_ATTR_OPERATION_SLICE_START_INDICES, d, 0),
                      limit = entry(n, CUDNN_ATTR_OPERATION_SLICE_LIMIT_INDICES, d, x->dim[d]),
                      each = entry(n, CUDNN_ATTR_OPERATION_SLICE_STRIDES, d, 1);
        if (start < 0 || each < 1 || limit > x->dim[d] || start >= limit)
            return false;
        from->dim[d] = (limit - start + each - 1) / each;
        from->step[d] = x->step[d] * each;
        *first += start * x->step[d];
    }
    return dnn_graph_alike(from, y);
}

cudnnStatus_t dnn_graph_check_slice(const struct graph_plan *p, struct graph_node *n)
{
    struct graph_tensor from;
    int64_t first;
    return sliced(n, dnn_graph_port_of(p, n, MOVE_X), dnn_graph_port_of(p, n, MOVE_Y), &from,
                  &first)
               ? CUDNN_STATUS_SUCCESS
               : misfit("a slice");
}

cudnnStatus_t dnn_graph_run_slice(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_tensor *x = dnn_graph_port_of(r->plan, n, MOVE_X),
                              *y = dnn_graph_port_of(r->plan, n, MOVE_Y);
    struct graph_tensor from;
    int64_t first;
    sliced(n, x, y, &from, &first);
    return copy(r, y, dnn_graph_data(r, n, MOVE_Y), &from,
                at_element(x, dnn_graph_data(r, n, MOVE_X), first));
}

/* The i-th input; the others stand behind the ports. */
static int input_of(int i)
{
    return i ? MOVE_Y + i : MOVE_X;
}

cudnnStatus_t dnn_graph_check_concat(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_tensor *y = dnn_graph_port_of(p, n, MOVE_Y);
    const int64_t axis = dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_CONCAT_AXIS, -1);
    int64_t all = 0;
    if (axis < 0 || axis >= y->dims)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "joined along the axis %d", (int)axis);
    for (int i = 0; i < n->count - 1; i++) {
        const struct graph_tensor *x = &p->tensors[n->at[input_of(i)]];
        struct graph_tensor part = *y;
        if (x->dims != y->dims)
            return misfit("joined tensors");
        part.dim[axis] = x->dim[axis];
        if (!dnn_graph_alike(x, &part))
            return misfit("joined tensors");
        all += x->dim[axis];
    }
    return all == y->dim[axis] ? CUDNN_STATUS_SUCCESS : misfit("joined tensors");
}

cudnnStatus_t dnn_graph_run_concat(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_tensor *y = dnn_graph_port_of(r->plan, n, MOVE_Y);
    const int64_t axis = dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_CONCAT_AXIS, 0);
    void *to = dnn_graph_data(r, n, MOVE_Y);
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    for (int i = 0; i < n->count - 1 && !s; i++) {
        const struct graph_tensor *x = &r->plan->tensors[n->at[input_of(i)]];
        struct graph_tensor part = *y;
        part.dim[axis] = x->dim[axis];
        const void *from = r->data[n->at[input_of(i)]];
        if (from != to) /* it may be there already */
            s = copy(r, &part, to, x, from);
        to = at_element(y, to, x->dim[axis] * y->step[axis]);
    }
    return s;
}

/* ---- random numbers ---- */

cudnnStatus_t dnn_graph_check_random(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_descriptor *d = dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_RNG_DESC, 0);
    const int64_t draw = d ? dnn_graph_int(d, CUDNN_ATTR_RNG_DISTRIBUTION, -1) : -1;
    if (draw < CUDNN_RNG_DISTRIBUTION_BERNOULLI || draw > CUDNN_RNG_DISTRIBUTION_NORMAL)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "random numbers of the distribution %d",
                               (int)draw);
    for (int k = RANDOM_SEED; k <= RANDOM_OFFSET; k++) {
        const struct graph_tensor *t = dnn_graph_port_of(p, n, k);
        if (t && (dnn_graph_count(t) != 1 ||
                  (t->type != CUDNN_DATA_INT64 && t->type != CUDNN_DATA_INT32)))
            return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED,
                                   "a seed or an offset that is not one integer");
    }
    if (dnn_graph_node_type(dnn_graph_port_of(p, n, RANDOM_Y)->type) < 0)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                               "random numbers of the type %d",
                               (int)dnn_graph_port_of(p, n, RANDOM_Y)->type);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_graph_run_random(const struct graph_run *r, const struct graph_node *n)
{
    static const struct {
        cudnnBackendAttributeName_t first, second;
    } numbers[] = {
        [CUDNN_RNG_DISTRIBUTION_BERNOULLI] = {CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY,
                                              CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY},
        [CUDNN_RNG_DISTRIBUTION_UNIFORM] = {CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM,
                                            CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM},
        [CUDNN_RNG_DISTRIBUTION_NORMAL] = {CUDNN_ATTR_RNG_NORMAL_DIST_MEAN,
                                           CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION}};
    static const double otherwise[][2] = {{0.5, 0.5}, {0, 1}, {0, 1}};
    const struct graph_descriptor *d = dnn_graph_child(n->d, CUDNN_ATTR_OPERATION_RNG_DESC, 0);
    const struct graph_tensor *y = dnn_graph_port_of(r->plan, n, RANDOM_Y);
    const int64_t draw = dnn_graph_int(d, CUDNN_ATTR_RNG_DISTRIBUTION, 0);
    const struct graph_value *seed = dnn_graph_find(n->d, CUDNN_ATTR_OPERATION_RNG_SEED);
    struct node_random m = {.count = dnn_graph_count(y),
                            .dims = y->dims,
                            .draw = (int)draw,
                            .typed = dnn_graph_node_type(y->type),
                            .out = dnn_graph_data(r, n, RANDOM_Y)};
    dnn_graph_line(r, n, RANDOM_SEED, 1, &m.seed);
    dnn_graph_line(r, n, RANDOM_OFFSET, 1, &m.offset);
    if (seed && seed->type == CUDNN_TYPE_INT64)
        m.given_seed = (unsigned long long)dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_RNG_SEED, 0);
    for (int k = 0; k < y->dims; k++) {
        m.dim[k] = y->dim[k];
        m.step[k] = y->step[k];
    }
    m.p[0] = dnn_graph_real(d, numbers[draw].first, otherwise[draw][0]);
    m.p[1] = dnn_graph_real(d, numbers[draw].second, otherwise[draw][1]);
    return dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h", dnn_grid(m.count), 0, (void *[]){&m},
                                    "node_random_places"),
                            "random numbers");
}

/* ---- pages ---- */

/* In y places of a sequence and a head's numbers stand either way: a head's lie together. */
cudnnStatus_t dnn_graph_check_pages(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_tensor *from = dnn_graph_port_of(p, n, PAGES_FROM),
                              *y = dnn_graph_port_of(p, n, PAGES_Y),
                              *table = dnn_graph_port_of(p, n, PAGES_TABLE),
                              *lengths = dnn_graph_port_of(p, n, PAGES_LENGTHS);
    if (from->dims != 4 || y->dims != 4 || table->dims != 4 || (lengths && lengths->dims < 1))
        return misfit("pages");
    const int place = y->step[2] == 1 && y->step[3] != 1 ? 3 : 2, number = 5 - place;
    if (from->type != y->type || from->dim[1] != y->dim[1] || from->dim[3] != y->dim[number] ||
        table->dim[0] != y->dim[0] || table->dim[2] * from->dim[2] < y->dim[place])
        return misfit("pages");
    if (table->type != CUDNN_DATA_INT32 || (lengths && lengths->type != CUDNN_DATA_INT32))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                               "tables of pages, or lengths, that are not INT32");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_graph_run_pages(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_tensor *from = dnn_graph_port_of(r->plan, n, PAGES_FROM),
                              *y = dnn_graph_port_of(r->plan, n, PAGES_Y),
                              *table = dnn_graph_port_of(r->plan, n, PAGES_TABLE),
                              *lengths = dnn_graph_port_of(r->plan, n, PAGES_LENGTHS);
    const int place = y->step[2] == 1 && y->step[3] != 1 ? 3 : 2, number = 5 - place;
    struct node_pages m = {
        .batch = y->dim[0],
        .heads = y->dim[1],
        .places = from->dim[2],
        .length = y->dim[place],
        .size = y->dim[number],
        .y_step = {y->step[0], y->step[1], y->step[place], y->step[number]},
        .from_step = {from->step[0], from->step[1], from->step[2], from->step[3]},
        .table_step = {table->step[0], table->step[2]},
        .table = dnn_graph_data(r, n, PAGES_TABLE),
        .lengths = dnn_graph_data(r, n, PAGES_LENGTHS),
        .length_step = lengths ? lengths->step[0] : 0};
    const void *in = dnn_graph_data(r, n, PAGES_FROM);
    void *out = dnn_graph_data(r, n, PAGES_Y);
    return dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h",
                                    dnn_grid(m.batch * m.heads * m.length * m.size), 0,
                                    (void *[]){&m, (void *)&in, &out}, "node_load_pages<%s>",
                                    dnn_graph_stored(y->type)),
                            "pages");
}

/* ---- sequences in a row ---- */

cudnnStatus_t dnn_graph_ragged(const struct graph_run *r, int tensor, bool pack)
{
    const struct graph_tensor *t = &r->plan->tensors[tensor],
                              *offsets = &r->plan->tensors[t->ragged];
    struct node_ragged m = {.count = dnn_graph_count(t),
                            .dims = t->dims,
                            .pack = pack,
                            .scale = t->ragged_scale,
                            .offsets = {r->data[t->ragged], dnn_graph_node_type(offsets->type)},
                            .sequences = r->outside[tensor],
                            .batches = r->data[tensor]};
    for (int k = 0; k < t->dims; k++) {
        m.dim[k] = t->dim[k];
        m.step[k] = t->step[k];
    }
    return dnn_graph_status(dnn_run(r->dnn, "nodes_layer.h", dnn_grid(m.count), 0, (void *[]){&m},
                                    "node_ragged_copy<%s>", dnn_graph_stored(t->type)),
                            "sequences in a row");
}
