/* cuDNN's graphs.
 *
 * graph_descriptor.c  descriptors and their attributes, by cuDNN's table of them
 * graph_plan.c        an operation graph as a plan: tensors, nodes in order, memory between them
 * graph_kinds.c       which operations there are: their tensors, and who does them
 * graph_basic.c       elements, products
 * graph_move.c        copies: reshaped, transposed, sliced, joined; random numbers; pages;
 * sequences in a row graph_conv.c        convolutions, pooling graph_norm.c        reductions,
 * normalisation and its statistics graph_attend.c      attention as one operation graph_json.c
 * plans as text
 *
 * A descriptor keeps what it was given, attribute by attribute; only plans give it a meaning. What
 * a descriptor refers to lives as long as it does, whoever destroys it first. */
#ifndef LIB_DNN_GRAPH_INT_H
#define LIB_DNN_GRAPH_INT_H

#include <stdatomic.h>
#include "lib/dnn/cudnn_int.h"
#include "device/dnn/nodes_shared.h"

/* ---- descriptors ---- */
struct graph_value { /* of an attribute */
    struct graph_value *next;
    cudnnBackendAttributeName_t name;
    cudnnBackendAttributeType_t type;
    int64_t count;
    unsigned char data[];
};
struct graph_plan;
struct graph_descriptor {
    uint32_t magic;
    atomic_int holders;
    cudnnBackendDescriptorType_t type;
    bool final;
    struct graph_value *values;
    struct graph_plan *plan; /* of an operation graph */
};

const char *dnn_graph_type_name(cudnnBackendDescriptorType_t type);     /* NULL: none of cuDNN's */
const char *dnn_graph_attribute_name(cudnnBackendAttributeName_t name); /* NULL: none of cuDNN's */
size_t dnn_graph_element(cudnnBackendAttributeType_t type); /* bytes; 0: none of cuDNN's */
const struct graph_value *dnn_graph_find(const struct graph_descriptor *d,
                                         cudnnBackendAttributeName_t name);
/* What was set, or `otherwise`. */
int64_t dnn_graph_int(const struct graph_descriptor *d, cudnnBackendAttributeName_t name,
                      int64_t otherwise);
double dnn_graph_real(const struct graph_descriptor *d, cudnnBackendAttributeName_t name,
                      double otherwise);
struct graph_descriptor *dnn_graph_child(const struct graph_descriptor *d,
                                         cudnnBackendAttributeName_t name, int64_t i);
/* Without asking whether it may: `data` is copied, descriptors in it are held. */
cudnnStatus_t dnn_graph_set(struct graph_descriptor *d, cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, int64_t count, const void *data);
cudnnStatus_t dnn_graph_finalize(struct graph_descriptor *d);
struct graph_descriptor *dnn_graph_new(cudnnBackendDescriptorType_t type);
void dnn_graph_drop(struct graph_descriptor *d);

/* ---- plans ---- */
enum { GRAPH_DIMS = CUDNN_DIM_MAX, GRAPH_PORTS = 20, GRAPH_ALIGN = 256 };

struct graph_tensor {
    int64_t uid;
    cudnnDataType_t type;
    int dims;
    int64_t dim[GRAPH_DIMS], step[GRAPH_DIMS];
    bool is_virtual, by_value, constant;
    unsigned char value[16]; /* of a constant */
    int ragged;              /* the tensor of its offsets: sequences in a row; -1: none */
    int64_t ragged_scale;    /* offsets are multiplied by */
    /* In the plan: bytes of workspace from `place`, from the node that writes it to the last that
     * reads it. */
    size_t bytes, place;
    int from, until;
};
struct graph_kind;
struct graph_node {
    const struct graph_kind *kind;
    const struct graph_descriptor *d;
    int *at;        /* index of each port's tensor; -1: none */
    int count;      /* ports, and more inputs where a port has many */
    size_t scratch; /* bytes of workspace that it needs while it runs */
};
struct graph_plan {
    struct graph_tensor *tensors;
    struct graph_node *nodes;
    int ntensors, nnodes;
    size_t workspace, scratch; /* scratch: where nodes' own begins */
};
/* Where tensors are, while a plan runs. */
struct graph_run {
    struct dnn *dnn;
    const struct graph_plan *plan;
    void **data;        /* on the device, of each tensor */
    void **outside;     /* where sequences in a row are; data has them as batches */
    const void **given; /* on the host, of those by value */
    void *scratch;      /* of the node that runs */
};

/* PHASE: read where normalisation has its statistics given, else written. */
enum graph_way { GRAPH_IN, GRAPH_OUT, GRAPH_PHASE };
struct graph_port {
    cudnnBackendAttributeName_t name;
    enum graph_way way;
    bool must;
};
struct graph_kind {
    cudnnBackendDescriptorType_t type;
    const struct graph_port *ports;
    int nports;
    /* Is it one that can be done? Says why not, or how much scratch memory it needs. */
    cudnnStatus_t (*check)(const struct graph_plan *p, struct graph_node *n);
    cudnnStatus_t (*run)(const struct graph_run *r, const struct graph_node *n);
};
const struct graph_kind *dnn_graph_kind_of(cudnnBackendDescriptorType_t type); /* NULL: refused */

cudnnStatus_t dnn_graph_plan_new(const struct graph_descriptor *graph, struct graph_plan **out);
void dnn_graph_plan_free(struct graph_plan *p);
cudnnStatus_t dnn_graph_plan_run(const struct graph_plan *p, struct dnn *dnn,
                                 const struct graph_descriptor *pack);
int dnn_graph_tensor_of(const struct graph_plan *p, int64_t uid); /* -1: none */

/* ---- graph_json.c: an execution plan as text, and a configuration of an engine from it ---- */
cudnnStatus_t dnn_graph_to_json(const struct graph_descriptor *plan, int64_t room, int64_t *given,
                                char *out);
cudnnStatus_t dnn_graph_from_json(struct graph_descriptor *plan, const char *text, size_t bytes);

/* ---- for kinds ---- */
/* The tensor of a port, where it is; NULL: none. */
static inline const struct graph_tensor *dnn_graph_port_of(const struct graph_plan *p,
                                                           const struct graph_node *n, int port)
{
    return n->at[port] < 0 ? NULL : &p->tensors[n->at[port]];
}
static inline void *dnn_graph_data(const struct graph_run *r, const struct graph_node *n, int port)
{
    return n->at[port] < 0 ? NULL : r->data[n->at[port]];
}
int64_t dnn_graph_count(const struct graph_tensor *t);
bool dnn_graph_alike(const struct graph_tensor *a, const struct graph_tensor *b); /* of one shape */
const char *dnn_graph_stored(cudnnDataType_t t); /* in kernels; NULL: no element that they know */
bool dnn_graph_float(cudnnDataType_t t);
bool dnn_graph_whole(cudnnDataType_t t); /* integers, truths among them */
/* What is computed with, by the attribute and by what is read and written. */
const char *dnn_graph_wide(cudnnDataType_t compute, const struct graph_tensor *const *all, int n);
cudnnStatus_t dnn_graph_status(enum tern_error e, const char *what);

bool dnn_graph_written(const struct graph_node *n, int i); /* is its i-th tensor? */

/* ---- graph_norm.c ---- */
/* The type of small tensors' elements, an enum node_type; -1: another. */
int dnn_graph_node_type(cudnnDataType_t t);
/* A tensor with one dimension that is not 1, without gaps, of n elements (1: a scalar); at NULL
 * where there is none. false: it is another. */
bool dnn_graph_line(const struct graph_run *r, const struct graph_node *n, int port, int64_t count,
                    struct node_number *out);
bool dnn_graph_is_line(const struct graph_tensor *t, int64_t count); /* NULL is */
/* ---- graph_move.c ---- */
/* Between sequences in a row and batches; pack: to the sequences. */
cudnnStatus_t dnn_graph_ragged(const struct graph_run *r, int tensor, bool pack);
/* ---- graph_basic.c ---- */
/* May `in` be repeated to the shape of out? */
bool dnn_graph_broadcasts(const struct graph_tensor *in, const struct graph_tensor *out);
/* out = function(in…), a mode of nodes.h, at each place of out. e has out, in, p and axis. */
cudnnStatus_t dnn_graph_each(const struct graph_run *r, const char *function,
                             cudnnDataType_t compute, struct node_each *e,
                             const struct graph_tensor *out,
                             const struct graph_tensor *const in[NODE_INPUTS]);

#endif
