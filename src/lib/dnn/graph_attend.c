/* Attention of graphs as one operation. */
#include "lib/dnn/graph_kinds.h"

enum {
    SHARED = 48 << 10, /* bytes of shared memory that every device has for a block */
    WARPS = DNN_THREADS / DNN_WARP
};

static cudnnStatus_t misfit(const char *what)
{
    return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "attention whose %s do not fit",
                           what);
}

static cudnnStatus_t refused(const char *what)
{
    return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "attention with %s", what);
}

/* What an attention may also have, and this one does not do. */
static const struct {
    cudnnBackendAttributeName_t name;
    const char *what;
} others[] = {{CUDNN_ATTR_OPERATION_SDPA_FWD_BLOCK_MASK_DESC, "blocks that are masked"},
              {CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH, "a graph of its own for scores"},
              {CUDNN_ATTR_OPERATION_SDPA_FWD_SOFTMAX_DESC, "a descriptor of its softmax"},
              {CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_SEED_DESC, "dropout inside one operation"},
              {CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_OFFSET_DESC, "dropout inside one operation"},
              {CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_RNG_DUMP_DESC, "dropout inside one operation"},
              {CUDNN_ATTR_OPERATION_SDPA_FWD_DROPOUT_PROBABILITY, "dropout inside one operation"}};

/* A table of pages [batch, 1, pages, 1]: what the pages hold is in the places of a tensor's first
 * dimension. */
static bool table_right(const struct graph_tensor *table, int64_t batch)
{
    return !table ||
           (table->dims == 4 && table->dim[0] == batch && table->type == CUDNN_DATA_INT32);
}

static bool lengths_right(const struct graph_tensor *t, int64_t batch)
{
    return !t || (t->type == CUDNN_DATA_INT32 && dnn_graph_count(t) == batch && t->dims >= 1 &&
                  t->dim[0] == batch);
}

/* Keys that a sequence may have. */
static int64_t keys_of(const struct graph_tensor *k, const struct graph_tensor *table)
{
    return table ? table->dim[2] * k->dim[2] : k->dim[2];
}

cudnnStatus_t dnn_graph_check_attention(const struct graph_plan *p, struct graph_node *n)
{
    const struct graph_tensor *t[ATTENTION_KEY_LENGTHS + 1];
    for (int k = 0; k <= ATTENTION_KEY_LENGTHS; k++)
        t[k] = dnn_graph_port_of(p, n, k);
    const struct graph_tensor *q = t[ATTENTION_Q], *k = t[ATTENTION_K], *v = t[ATTENTION_V],
                              *o = t[ATTENTION_O], *stats = t[ATTENTION_STATS];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (dnn_graph_find(n->d, others[i].name))
            return refused(others[i].what);
    if (q->dims != 4 || k->dims != 4 || v->dims != 4 || o->dims != 4)
        return misfit("numbers of dimensions");
    if (!dnn_graph_float(q->type) || k->type != q->type || v->type != q->type ||
        !dnn_graph_float(o->type))
        return refused("elements that are no floats, or queries and keys of different types");
    if (q->step[3] != 1 || k->step[3] != 1 || v->step[3] != 1 || o->step[3] != 1)
        return refused("heads whose numbers do not lie together");
    const int64_t batch = q->dim[0], heads = q->dim[1];
    const bool pages = t[ATTENTION_K_PAGES] || t[ATTENTION_V_PAGES];
    if ((!t[ATTENTION_K_PAGES] && k->dim[0] != batch) ||
        (!t[ATTENTION_V_PAGES] && v->dim[0] != batch) || heads % k->dim[1] || heads % v->dim[1] ||
        k->dim[3] != q->dim[3] || o->dim[0] != batch || o->dim[1] != heads ||
        o->dim[2] != q->dim[2] || o->dim[3] != v->dim[3] || (!pages && k->dim[2] != v->dim[2]))
        return misfit("shapes");
    if (!table_right(t[ATTENTION_K_PAGES], batch) || !table_right(t[ATTENTION_V_PAGES], batch) ||
        !lengths_right(t[ATTENTION_QUERY_LENGTHS], batch) ||
        !lengths_right(t[ATTENTION_KEY_LENGTHS], batch))
        return misfit("pages or lengths");
    if (pages && !t[ATTENTION_KEY_LENGTHS])
        return refused("pages and without lengths of sequences");
    if (stats && (stats->dims != 4 || stats->type != CUDNN_DATA_FLOAT || stats->dim[0] != batch ||
                  stats->dim[1] != heads || stats->dim[2] != q->dim[2] || stats->dim[3] != 1))
        return misfit("statistics");
    if (t[ATTENTION_SCALE] && (dnn_graph_count(t[ATTENTION_SCALE]) != 1 ||
                               dnn_graph_node_type(t[ATTENTION_SCALE]->type) < 0))
        return misfit("scales");
    const int64_t wide = q->type == CUDNN_DATA_DOUBLE ? 8 : 4;
    if (WARPS * (q->dim[3] + v->dim[3]) * wide > SHARED)
        return refused("heads that shared memory does not hold");
    return CUDNN_STATUS_SUCCESS;
}

static void steps_of(const struct graph_tensor *t, long long *step)
{
    for (int d = 0; t && d < 3; d++)
        step[d] = t->step[d];
}

/* With terndnn's kernels, which choose matrix instructions where they can: *done is false where
 * they do not fit. */
static cudnnStatus_t simple(const struct graph_run *r, const struct graph_node *n, bool *done)
{
    const struct graph_plan *p = r->plan;
    const struct graph_tensor *q = dnn_graph_port_of(p, n, ATTENTION_Q),
                              *k = dnn_graph_port_of(p, n, ATTENTION_K),
                              *v = dnn_graph_port_of(p, n, ATTENTION_V),
                              *o = dnn_graph_port_of(p, n, ATTENTION_O),
                              *stats = dnn_graph_port_of(p, n, ATTENTION_STATS),
                              *scale = dnn_graph_port_of(p, n, ATTENTION_SCALE);
    const float *number = scale ? r->given[n->at[ATTENTION_SCALE]] : NULL;
    enum lib_type t;
    struct dnn_attention a = {.batch = q->dim[0],
                              .heads = q->dim[1],
                              .kv_heads = k->dim[1],
                              .queries = q->dim[2],
                              .keys = k->dim[2],
                              .size = q->dim[3],
                              .value_size = v->dim[3],
                              .scale = number ? (double)*number : 1};
    steps_of(q, a.q_step);
    steps_of(k, a.k_step);
    steps_of(v, a.v_step);
    steps_of(o, a.o_step);
    void *pq = dnn_graph_data(r, n, ATTENTION_Q), *pk = dnn_graph_data(r, n, ATTENTION_K),
         *pv = dnn_graph_data(r, n, ATTENTION_V), *po = dnn_graph_data(r, n, ATTENTION_O);
    *done = cudnn_type(q->type, &t) && q->type == o->type && k->dim[1] == v->dim[1] &&
            (!scale || (number && scale->type == CUDNN_DATA_FLOAT)) &&
            n->at[ATTENTION_K_PAGES] < 0 && n->at[ATTENTION_V_PAGES] < 0 &&
            n->at[ATTENTION_QUERY_LENGTHS] < 0 && n->at[ATTENTION_KEY_LENGTHS] < 0 &&
            (!stats || (stats->step[2] == 1 && stats->step[1] == a.queries &&
                        stats->step[0] == a.heads * a.queries)) &&
            dnn_flash_fits(r->dnn, t, &a, pq, pk, pv, po);
    return *done ? dnn_graph_status(dnn_flash_forward(r->dnn, t, &a, pq, pk, pv, po,
                                                      dnn_graph_data(r, n, ATTENTION_STATS)),
                                    "attention")
                 : CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_graph_run_attention(const struct graph_run *r, const struct graph_node *n)
{
    const struct graph_plan *p = r->plan;
    const struct graph_tensor *q = dnn_graph_port_of(p, n, ATTENTION_Q),
                              *k = dnn_graph_port_of(p, n, ATTENTION_K),
                              *v = dnn_graph_port_of(p, n, ATTENTION_V),
                              *o = dnn_graph_port_of(p, n, ATTENTION_O),
                              *k_table = dnn_graph_port_of(p, n, ATTENTION_K_PAGES),
                              *v_table = dnn_graph_port_of(p, n, ATTENTION_V_PAGES),
                              *queries = dnn_graph_port_of(p, n, ATTENTION_QUERY_LENGTHS),
                              *keys = dnn_graph_port_of(p, n, ATTENTION_KEY_LENGTHS);
    bool done;
    const cudnnStatus_t s = simple(r, n, &done);
    if (s || done)
        return s;
    const int64_t most_k = keys_of(k, k_table), most_v = keys_of(v, v_table);
    struct node_attend a = {
        .batch = q->dim[0],
        .heads = q->dim[1],
        .k_heads = k->dim[1],
        .v_heads = v->dim[1],
        .queries = q->dim[2],
        .keys = most_k < most_v ? most_k : most_v,
        .size = q->dim[3],
        .value_size = v->dim[3],
        .q = dnn_graph_data(r, n, ATTENTION_Q),
        .k = dnn_graph_data(r, n, ATTENTION_K),
        .v = dnn_graph_data(r, n, ATTENTION_V),
        .o = dnn_graph_data(r, n, ATTENTION_O),
        .stats = dnn_graph_data(r, n, ATTENTION_STATS),
        .k_pages = dnn_graph_data(r, n, ATTENTION_K_PAGES),
        .v_pages = dnn_graph_data(r, n, ATTENTION_V_PAGES),
        .query_lengths = dnn_graph_data(r, n, ATTENTION_QUERY_LENGTHS),
        .key_lengths = dnn_graph_data(r, n, ATTENTION_KEY_LENGTHS),
        .query_length_step = queries ? queries->step[0] : 0,
        .key_length_step = keys ? keys->step[0] : 0,
        .k_places = k->dim[2],
        .v_places = v->dim[2],
        .k_page_step = {k_table ? k_table->step[0] : 0, k_table ? k_table->step[2] : 0},
        .v_page_step = {v_table ? v_table->step[0] : 0, v_table ? v_table->step[2] : 0}};
    steps_of(q, a.q_step);
    steps_of(k, a.k_step);
    steps_of(v, a.v_step);
    steps_of(o, a.o_step);
    steps_of(dnn_graph_port_of(p, n, ATTENTION_STATS), a.stats_step);
    dnn_graph_line(r, n, ATTENTION_SCALE, 1, &a.scale);
    const bool f64 = q->type == CUDNN_DATA_DOUBLE;
    return dnn_graph_status(
        dnn_run(r->dnn, "nodes_attend.h", dnn_warps(a.batch * a.heads * a.queries),
                (uint32_t)(WARPS * (a.size + a.value_size) * (f64 ? 8 : 4)), (void *[]){&a},
                "node_attend_queries<%s, %s, %s>", f64 ? "double" : "float",
                dnn_graph_stored(o->type), dnn_graph_stored(q->type)),
        "attention");
}
