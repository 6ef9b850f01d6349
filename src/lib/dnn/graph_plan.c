/* A plan of an operation graph: its tensors by their numbers, its nodes in an order in which what
 * is read has been written, and places in the workspace for what only nodes see. */
#include <stdlib.h>
#include <string.h>
#include "lib/dnn/graph_int.h"

/* ---- tensors ---- */

int64_t dnn_graph_count(const struct graph_tensor *t)
{
    int64_t n = 1;
    for (int k = 0; k < t->dims; k++)
        n *= t->dim[k];
    return n;
}

bool dnn_graph_float(cudnnDataType_t t)
{
    enum lib_type known;
    return cudnn_type(t, &known);
}

bool dnn_graph_whole(cudnnDataType_t t)
{
    return t == CUDNN_DATA_INT8 || t == CUDNN_DATA_UINT8 || t == CUDNN_DATA_INT32 ||
           t == CUDNN_DATA_UINT32 || t == CUDNN_DATA_INT64 || t == CUDNN_DATA_BOOLEAN;
}

const char *dnn_graph_stored(cudnnDataType_t t)
{
    switch (t) {
    case CUDNN_DATA_FLOAT: return "float";
    case CUDNN_DATA_DOUBLE: return "double";
    case CUDNN_DATA_HALF: return "__half";
    case CUDNN_DATA_BFLOAT16: return "__nv_bfloat16";
    case CUDNN_DATA_INT8: return "signed char";
    case CUDNN_DATA_UINT8: return "unsigned char";
    case CUDNN_DATA_INT32: return "int";
    case CUDNN_DATA_UINT32: return "unsigned";
    case CUDNN_DATA_INT64: return "long long";
    case CUDNN_DATA_BOOLEAN: return "truth";
    case CUDNN_DATA_FP8_E4M3: return "__nv_fp8_e4m3";
    case CUDNN_DATA_FP8_E5M2: return "__nv_fp8_e5m2";
    default: return NULL;
    }
}

const char *dnn_graph_wide(cudnnDataType_t compute, const struct graph_tensor *const *all, int n)
{
    bool whole = compute != CUDNN_DATA_DOUBLE && dnn_graph_whole(compute);
    if (compute == CUDNN_DATA_DOUBLE)
        return "double";
    for (int k = 0; k < n; k++) {
        if (all[k] && all[k]->type == CUDNN_DATA_DOUBLE)
            return "double";
        whole = whole && (!all[k] || dnn_graph_whole(all[k]->type));
    }
    return whole ? "long long" : "float";
}

static size_t bytes_of(const struct graph_tensor *t)
{
    int64_t last = 0;
    for (int k = 0; k < t->dims; k++)
        last += (t->dim[k] - 1) * t->step[k];
    return (size_t)(last + 1) * cudnn_bytes(t->type);
}

int dnn_graph_tensor_of(const struct graph_plan *p, int64_t uid)
{
    for (int k = 0; k < p->ntensors; k++)
        if (p->tensors[k].uid == uid)
            return k;
    return -1;
}

static void read_tensor(const struct graph_descriptor *d, struct graph_tensor *t)
{
    const struct graph_value *dim = dnn_graph_find(d, CUDNN_ATTR_TENSOR_DIMENSIONS),
                             *step = dnn_graph_find(d, CUDNN_ATTR_TENSOR_STRIDES),
                             *constant = dnn_graph_find(d, CUDNN_ATTR_TENSOR_CONSTANT_VALUE);
    *t = (struct graph_tensor){
        .uid = dnn_graph_int(d, CUDNN_ATTR_TENSOR_UNIQUE_ID, 0),
        .type = (cudnnDataType_t)dnn_graph_int(d, CUDNN_ATTR_TENSOR_DATA_TYPE, 0),
        .dims = (int)dim->count,
        .is_virtual = dnn_graph_int(d, CUDNN_ATTR_TENSOR_IS_VIRTUAL, 0) != 0,
        .by_value = constant || dnn_graph_int(d, CUDNN_ATTR_TENSOR_IS_BY_VALUE, 0) != 0,
        .constant = constant != NULL,
        .ragged = -1,
        .ragged_scale = 1,
        .from = -1,
        .until = -1};
    memcpy(t->dim, dim->data, (size_t)dim->count * sizeof *t->dim);
    memcpy(t->step, step->data, (size_t)step->count * sizeof *t->step);
    if (constant)
        memcpy(t->value, constant->data, (size_t)constant->count);
    t->bytes = bytes_of(t);
}

static bool alike(const struct graph_tensor *a, const struct graph_tensor *b)
{
    return a->type == b->type && a->dims == b->dims && !memcmp(a->dim, b->dim, sizeof a->dim) &&
           !memcmp(a->step, b->step, sizeof a->step) && a->is_virtual == b->is_virtual &&
           a->by_value == b->by_value;
}

/* The index of the tensor that d describes; a new one if need be. */
static cudnnStatus_t add_tensor(struct graph_plan *p, const struct graph_descriptor *d, int *at);

/* Elements that one place of a sequence takes. */
static int64_t row_of(const struct graph_tensor *t)
{
    int64_t row = 1;
    for (int d = 1; d < t->dims; d++)
        if (t->dim[d] > 1 && t->step[d] > row)
            row = t->step[d];
    return row;
}

/* Sequences in a row: nodes see them as batches of one size. Offsets count the elements of the
 * smallest tensor that has them, and others in proportion. */
static cudnnStatus_t add_ragged(struct graph_plan *p, const struct graph_descriptor *offsets,
                                struct graph_tensor *t)
{
    int at;
    const cudnnStatus_t s = add_tensor(p, offsets, &at);
    if (s)
        return s;
    const struct graph_tensor *o = &p->tensors[at];
    if ((o->type != CUDNN_DATA_INT32 && o->type != CUDNN_DATA_INT64) || t->dims < 2 ||
        dnn_graph_count(o) != t->dim[0] + 1 || !dnn_graph_is_line(o, t->dim[0] + 1))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED,
                               "offsets of sequences that are not a line of batches + 1 integers");
    int64_t last = 0;
    for (int d = 1; d < t->dims; d++)
        last += (t->dim[d] - 1) * t->step[d];
    if (t->step[0] <= last)
        t->step[0] = last + 1;
    t->bytes = bytes_of(t);
    t->ragged = at;
    int64_t least = row_of(t);
    for (int k = 0; k < p->ntensors; k++)
        if (p->tensors[k].ragged == at && row_of(&p->tensors[k]) < least)
            least = row_of(&p->tensors[k]);
    t->ragged_scale = row_of(t) / least;
    for (int k = 0; k < p->ntensors; k++)
        if (p->tensors[k].ragged == at)
            p->tensors[k].ragged_scale = row_of(&p->tensors[k]) / least;
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t add_tensor(struct graph_plan *p, const struct graph_descriptor *d, int *at)
{
    struct graph_tensor t;
    if (d->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "%s where a tensor belongs",
                               dnn_graph_type_name(d->type));
    read_tensor(d, &t);
    *at = dnn_graph_tensor_of(p, t.uid);
    if (*at >= 0)
        return alike(&t, &p->tensors[*at])
                   ? CUDNN_STATUS_SUCCESS
                   : dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES,
                                     "tensor %lld is two different ones", (long long)t.uid);
    if (!dnn_graph_stored(t.type))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "tensor %lld is of type %d",
                               (long long)t.uid, (int)t.type);
    const struct graph_descriptor *ragged =
        dnn_graph_child(d, CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC, 0);
    if (ragged) {
        const cudnnStatus_t s = add_ragged(p, ragged, &t);
        if (s)
            return s;
    }
    struct graph_tensor *more = realloc(p->tensors, (size_t)(p->ntensors + 1) * sizeof *p->tensors);
    if (!more)
        return CUDNN_STATUS_ALLOC_FAILED;
    p->tensors = more;
    p->tensors[ *at = p->ntensors++] = t;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- nodes ---- */

/* A port may have many tensors: those after the first come behind all ports. */
static cudnnStatus_t add_node(struct graph_plan *p, const struct graph_descriptor *d,
                              struct graph_node *n)
{
    const struct graph_kind *kind = dnn_graph_kind_of(d->type);
    if (!kind)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "%s is no operation that is supported",
                               dnn_graph_type_name(d->type));
    int most = kind->nports;
    for (int k = 0; k < kind->nports; k++) {
        const struct graph_value *v = dnn_graph_find(d, kind->ports[k].name);
        most += v && v->count > 1 ? (int)v->count - 1 : 0;
    }
    *n = (struct graph_node){.kind = kind, .d = d, .count = kind->nports};
    n->at = malloc((size_t)most * sizeof *n->at);
    if (!n->at)
        return CUDNN_STATUS_ALLOC_FAILED;
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    for (int k = 0; k < kind->nports && !s; k++) {
        const struct graph_descriptor *t = dnn_graph_child(d, kind->ports[k].name, 0);
        n->at[k] = -1;
        if (t)
            s = add_tensor(p, t, &n->at[k]);
        for (int64_t i = 1; !s && (t = dnn_graph_child(d, kind->ports[k].name, i)); i++)
            s = add_tensor(p, t, &n->at[n->count++]);
    }
    return s;
}

static enum graph_way way_of(const struct graph_node *n, int i)
{
    const enum graph_way way = i < n->kind->nports ? n->kind->ports[i].way : GRAPH_IN;
    if (way != GRAPH_PHASE)
        return way;
    return dnn_graph_int(n->d, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING) ==
                   CUDNN_NORM_FWD_TRAINING
               ? GRAPH_OUT
               : GRAPH_IN;
}

bool dnn_graph_written(const struct graph_node *n, int i)
{
    return way_of(n, i) == GRAPH_OUT;
}

static bool writes(const struct graph_node *n, int tensor)
{
    for (int i = 0; i < n->count; i++)
        if (n->at[i] == tensor && way_of(n, i) == GRAPH_OUT)
            return true;
    return false;
}

/* Has each tensor that n reads been written, if one of the nodes from `next` on will write it? */
static bool may_run(const struct graph_plan *p, const struct graph_node *n, int next)
{
    for (int i = 0; i < n->count; i++)
        if (n->at[i] >= 0 && way_of(n, i) == GRAPH_IN)
            for (int k = next; k < p->nnodes; k++)
                if (&p->nodes[k] != n && writes(&p->nodes[k], n->at[i]))
                    return false;
    return true;
}

static cudnnStatus_t sort(struct graph_plan *p)
{
    for (int next = 0; next < p->nnodes; next++) {
        int k = next;
        while (k < p->nnodes && !may_run(p, &p->nodes[k], next))
            k++;
        if (k == p->nnodes)
            return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "an operation graph with a circle");
        const struct graph_node n = p->nodes[k];
        memmove(&p->nodes[next + 1], &p->nodes[next], (size_t)(k - next) * sizeof n);
        p->nodes[next] = n;
    }
    return CUDNN_STATUS_SUCCESS;
}

/* ---- the workspace ---- */

static void lives(struct graph_plan *p)
{
    for (int k = 0; k < p->nnodes; k++)
        for (int i = 0; i < p->nodes[k].count; i++)
            if (p->nodes[k].at[i] >= 0) {
                struct graph_tensor *t = &p->tensors[p->nodes[k].at[i]];
                if (t->from < 0)
                    t->from = k;
                t->until = k;
            }
    for (int k = 0; k < p->ntensors; k++)
        if (p->tensors[k].by_value) /* written before the first node */
            p->tensors[k].from = 0;
}

static bool in_workspace(const struct graph_tensor *t)
{
    return (t->is_virtual || t->by_value || t->ragged >= 0) && t->from >= 0;
}

/* Each at the first place that is free of those who live when it does. */
static void place(struct graph_plan *p)
{
    for (int k = 0; k < p->ntensors; k++) {
        struct graph_tensor *t = &p->tensors[k];
        if (!in_workspace(t))
            continue;
        for (bool moved = true; moved;) {
            moved = false;
            for (int i = 0; i < k; i++) {
                const struct graph_tensor *o = &p->tensors[i];
                if (in_workspace(o) && o->from <= t->until && t->from <= o->until &&
                    o->place < t->place + t->bytes && t->place < o->place + o->bytes) {
                    t->place = (o->place + o->bytes + GRAPH_ALIGN - 1) / GRAPH_ALIGN * GRAPH_ALIGN;
                    moved = true;
                }
            }
        }
        if (t->place + t->bytes > p->workspace)
            p->workspace = t->place + t->bytes;
    }
    p->scratch = (p->workspace + GRAPH_ALIGN - 1) / GRAPH_ALIGN * GRAPH_ALIGN;
    for (int k = 0; k < p->nnodes; k++)
        if (p->nodes[k].scratch && p->scratch + p->nodes[k].scratch > p->workspace)
            p->workspace = p->scratch + p->nodes[k].scratch;
    /* What is given may lie anywhere; the first place is aligned. */
    p->workspace = p->workspace ? p->workspace + GRAPH_ALIGN : 0;
}

/* ---- plans ---- */

void dnn_graph_plan_free(struct graph_plan *p)
{
    if (!p)
        return;
    for (int k = 0; k < p->nnodes; k++)
        free(p->nodes[k].at);
    free(p->nodes);
    free(p->tensors);
    free(p);
}

static cudnnStatus_t build(struct graph_plan *p, const struct graph_descriptor *graph, int count)
{
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    p->nodes = calloc((size_t)count, sizeof *p->nodes);
    if (!p->nodes)
        return CUDNN_STATUS_ALLOC_FAILED;
    for (int k = 0; k < count && !s; k++) {
        p->nnodes++;
        s = add_node(p, dnn_graph_child(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, k), &p->nodes[k]);
    }
    if (!s)
        s = sort(p);
    for (int k = 0; k < p->nnodes && !s; k++)
        s = p->nodes[k].kind->check(p, &p->nodes[k]);
    if (!s) {
        lives(p);
        place(p);
    }
    return s;
}

cudnnStatus_t dnn_graph_plan_new(const struct graph_descriptor *graph, struct graph_plan **out)
{
    const struct graph_value *ops = dnn_graph_find(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    if (!ops->count)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "an operation graph without operations");
    struct graph_plan *p = calloc(1, sizeof *p);
    if (!p)
        return CUDNN_STATUS_ALLOC_FAILED;
    const cudnnStatus_t s = build(p, graph, (int)ops->count);
    if (s) {
        dnn_graph_plan_free(p);
        return s;
    }
    *out = p;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- execution ---- */

cudnnStatus_t dnn_graph_status(enum tern_error e, const char *what)
{
    if (!e)
        return CUDNN_STATUS_SUCCESS;
    return dnn_graph_wrong(cudnn_status(e), "%s: %s", what, tern_error_text(e));
}

/* Where each tensor is: in the variant pack, or in the workspace. */
static cudnnStatus_t find_data(struct graph_run *r, const struct graph_descriptor *pack)
{
    const struct graph_value *uids = dnn_graph_find(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS),
                             *data = dnn_graph_find(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS),
                             *space = dnn_graph_find(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
    uintptr_t work = space && space->count ? *(const uintptr_t *)(const void *)space->data : 0;
    if (r->plan->workspace && !work)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "the plan needs a workspace");
    work = (work + GRAPH_ALIGN - 1) / GRAPH_ALIGN * GRAPH_ALIGN;
    for (int k = 0; k < r->plan->ntensors; k++) {
        const struct graph_tensor *t = &r->plan->tensors[k];
        void *given = NULL;
        for (int64_t i = 0; i < uids->count; i++)
            if (((const int64_t *)(const void *)uids->data)[i] == t->uid)
                given = ((void *const *)(const void *)data->data)[i];
        if (t->by_value)
            r->given[k] = t->constant ? t->value : given;
        if (!t->is_virtual && !given && !t->constant)
            return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NULL_POINTER,
                                   "the variant pack has no tensor %lld", (long long)t->uid);
        r->data[k] = in_workspace(t) ? (void *)(work + t->place) : given;
        r->outside[k] = given;
    }
    r->scratch = (void *)(work + r->plan->scratch);
    return CUDNN_STATUS_SUCCESS;
}

/* Scalars of the host go through the parameters of a kernel: so they may change as soon as the call
 * returns, and are kept where the stream is captured. */
static cudnnStatus_t write_values(const struct graph_run *r)
{
    struct node_values v = {0};
    enum tern_error e = TERN_OK;
    for (int k = 0; k < r->plan->ntensors && !e; k++) {
        const struct graph_tensor *t = &r->plan->tensors[k];
        if (t->by_value && in_workspace(t)) {
            unsigned long long words[2] = {0};
            v.bytes[v.count] = (int)cudnn_bytes(t->type);
            memcpy(words, r->given[k], cudnn_bytes(t->type));
            v.to[v.count] = r->data[k];
            v.low[v.count] = words[0];
            v.high[v.count++] = words[1];
        }
        if (v.count == NODE_VALUES || (v.count && k + 1 == r->plan->ntensors)) {
            e = dnn_run(r->dnn, "nodes.h", (tern_dim){1}, 0, (void *[]){&v}, "node_write_values");
            v.count = 0;
        }
    }
    return dnn_graph_status(e, "scalars");
}

/* Sequences in a row that node k reads, and that no node has written, become batches. */
static cudnnStatus_t unpack(const struct graph_run *r, int k)
{
    const struct graph_node *n = &r->plan->nodes[k];
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    for (int i = 0; i < n->count && !s; i++) {
        const int at = n->at[i];
        if (at < 0 || r->plan->tensors[at].ragged < 0 || r->plan->tensors[at].is_virtual ||
            way_of(n, i) != GRAPH_IN || r->plan->tensors[at].from != k)
            continue;
        s = dnn_graph_ragged(r, at, false);
    }
    return s;
}

static cudnnStatus_t pack_again(const struct graph_run *r, int k)
{
    const struct graph_node *n = &r->plan->nodes[k];
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    for (int i = 0; i < n->count && !s; i++)
        if (n->at[i] >= 0 && r->plan->tensors[n->at[i]].ragged >= 0 &&
            !r->plan->tensors[n->at[i]].is_virtual && way_of(n, i) == GRAPH_OUT)
            s = dnn_graph_ragged(r, n->at[i], true);
    return s;
}

cudnnStatus_t dnn_graph_plan_run(const struct graph_plan *p, struct dnn *dnn,
                                 const struct graph_descriptor *pack)
{
    struct graph_run r = {.dnn = dnn, .plan = p};
    r.data = calloc((size_t)p->ntensors, sizeof *r.data);
    r.outside = calloc((size_t)p->ntensors, sizeof *r.outside);
    r.given = calloc((size_t)p->ntensors, sizeof *r.given);
    cudnnStatus_t s =
        r.data && r.outside && r.given ? find_data(&r, pack) : CUDNN_STATUS_ALLOC_FAILED;
    if (!s)
        s = write_values(&r);
    for (int k = 0; k < p->nnodes && !s; k++) {
        s = unpack(&r, k);
        if (!s)
            s = p->nodes[k].kind->run(&r, &p->nodes[k]);
        if (!s)
            s = pack_again(&r, k);
    }
    free(r.data);
    free(r.outside);
    free(r.given);
    return s;
}
