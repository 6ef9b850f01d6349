/* Descriptors of cuDNN's graphs: what they may be told, what they answer, when they are final. */
#include <stdlib.h>
#include <string.h>
#include "lib/dnn/graph_int.h"

enum { MAGIC = 0xcd2291 };

/* Types of attributes that are one of two. */
enum { SEED = -1, REAL = -2 };
#define CUDNN_TYPE_SEED SEED
#define CUDNN_TYPE_REAL REAL

static const struct row {
    cudnnBackendAttributeName_t name;
    const char *text;
    cudnnBackendDescriptorType_t owner;
    int type;
} rows[] = {
#define ROW(name, number, owner, type)                                                             \
    {CUDNN_##name, "CUDNN_" #name, CUDNN_BACKEND_##owner##_DESCRIPTOR, (int)CUDNN_TYPE_##type},
    TERN_CUDNN_ATTRIBUTES(ROW)
#undef ROW
};

static const struct row *row_of(cudnnBackendAttributeName_t name)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].name == name)
            return &rows[k];
    return NULL;
}

const char *dnn_graph_attribute_name(cudnnBackendAttributeName_t name)
{
    const struct row *r = row_of(name);
    return r ? r->text : NULL;
}

const char *dnn_graph_type_name(cudnnBackendDescriptorType_t type)
{
    switch ((int)type) {
#define NAME(name, number)                                                                         \
    case number: return "CUDNN_" #name;
        TERN_CUDNN_DESCRIPTORS(NAME)
#undef NAME
    }
    return NULL;
}

size_t dnn_graph_element(cudnnBackendAttributeType_t type)
{
    switch ((int)type) {
#define SIZE(name, number, bytes)                                                                  \
    case number: return bytes;
        TERN_CUDNN_ATTRIBUTE_TYPES(SIZE)
#undef SIZE
    }
    return 0;
}

/* ---- memory ---- */

struct graph_descriptor *dnn_graph_new(cudnnBackendDescriptorType_t type)
{
    struct graph_descriptor *d = calloc(1, sizeof *d);
    if (d) {
        d->magic = MAGIC;
        d->type = type;
        atomic_init(&d->holders, 1);
    }
    return d;
}

static void value_free(struct graph_value *v)
{
    if (v->type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
        for (int64_t k = 0; k < v->count; k++)
            dnn_graph_drop(((struct graph_descriptor **)(void *)v->data)[k]);
    free(v);
}

static void values_free(struct graph_descriptor *d)
{
    while (d->values) {
        struct graph_value *next = d->values->next;
        value_free(d->values);
        d->values = next;
    }
}

void dnn_graph_drop(struct graph_descriptor *d)
{
    if (!d || atomic_fetch_sub(&d->holders, 1) > 1)
        return;
    values_free(d);
    dnn_graph_plan_free(d->plan);
    d->magic = 0;
    free(d);
}

static struct graph_descriptor *entered(cudnnBackendDescriptor_t given)
{
    struct graph_descriptor *d = given;
    return d && d->magic == MAGIC ? d : NULL;
}

/* ---- what they were told ---- */

const struct graph_value *dnn_graph_find(const struct graph_descriptor *d,
                                         cudnnBackendAttributeName_t name)
{
    for (const struct graph_value *v = d->values; v; v = v->next)
        if (v->name == name)
            return v;
    return NULL;
}

int64_t dnn_graph_int(const struct graph_descriptor *d, cudnnBackendAttributeName_t name,
                      int64_t otherwise)
{
    const struct graph_value *v = dnn_graph_find(d, name);
    int32_t narrow;
    int64_t wide;
    if (!v || !v->count)
        return otherwise;
    switch (dnn_graph_element(v->type)) {
    case 1: return v->data[0];
    case sizeof narrow: memcpy(&narrow, v->data, sizeof narrow); return narrow;
    default: memcpy(&wide, v->data, sizeof wide); return wide;
    }
}

double dnn_graph_real(const struct graph_descriptor *d, cudnnBackendAttributeName_t name,
                      double otherwise)
{
    const struct graph_value *v = dnn_graph_find(d, name);
    float narrow;
    double wide;
    if (!v || !v->count)
        return otherwise;
    if (v->type == CUDNN_TYPE_FLOAT) {
        memcpy(&narrow, v->data, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, v->data, sizeof wide);
    return wide;
}

struct graph_descriptor *dnn_graph_child(const struct graph_descriptor *d,
                                         cudnnBackendAttributeName_t name, int64_t i)
{
    const struct graph_value *v = dnn_graph_find(d, name);
    if (!v || v->type != CUDNN_TYPE_BACKEND_DESCRIPTOR || i >= v->count)
        return NULL;
    return ((struct graph_descriptor *const *)(const void *)v->data)[i];
}

cudnnStatus_t dnn_graph_set(struct graph_descriptor *d, cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, int64_t count, const void *data)
{
    const size_t bytes = (size_t)count * dnn_graph_element(type);
    struct graph_value *v = malloc(sizeof *v + bytes), **at = &d->values;
    if (!v)
        return CUDNN_STATUS_ALLOC_FAILED;
    *v = (struct graph_value){.name = name, .type = type, .count = count};
    if (bytes)
        memcpy(v->data, data, bytes);
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
        for (int64_t k = 0; k < count; k++)
            atomic_fetch_add(&((struct graph_descriptor **)(void *)v->data)[k]->holders, 1);
    while (*at && (*at)->name != name)
        at = &(*at)->next;
    if (*at) {
        struct graph_value *old = *at;
        v->next = old->next;
        value_free(old);
    }
    *at = v;
    return CUDNN_STATUS_SUCCESS;
}

static bool type_fits(int wanted, cudnnBackendAttributeType_t given)
{
    if (wanted == REAL)
        return given == CUDNN_TYPE_FLOAT || given == CUDNN_TYPE_DOUBLE;
    if (wanted == SEED)
        return given == CUDNN_TYPE_INT64 || given == CUDNN_TYPE_BACKEND_DESCRIPTOR;
    /* Windows of pooling, once whole numbers, are fractions. */
    return wanted == (int)given || (wanted == CUDNN_TYPE_FRACTION && given == CUDNN_TYPE_INT64);
}

/* Is it an attribute of that descriptor, of that type? */
static cudnnStatus_t attribute_fits(const struct graph_descriptor *d,
                                    cudnnBackendAttributeName_t name,
                                    cudnnBackendAttributeType_t type)
{
    const struct row *r = row_of(name);
    if (!r || r->owner != d->type)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "%s is no attribute of %s",
                               r ? r->text : "an unknown number", dnn_graph_type_name(d->type));
    if (!type_fits(r->type, type))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "%s is not of type %d",
                               r->text, (int)type);
    return CUDNN_STATUS_SUCCESS;
}

/* ---- the calls ---- */

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t descriptorType,
                                           cudnnBackendDescriptor_t *descriptor)
{
    if (!descriptor)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for a descriptor");
    *descriptor = NULL;
    if (!dnn_graph_type_name(descriptorType))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "%d is no type of descriptor",
                               (int)descriptorType);
    *descriptor = dnn_graph_new(descriptorType);
    return *descriptor ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor)
{
    struct graph_descriptor *d = entered(descriptor);
    if (descriptor && !d)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "no descriptor");
    dnn_graph_drop(d);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t descriptor)
{
    struct graph_descriptor *d = entered(descriptor);
    if (!d)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "no descriptor");
    values_free(d);
    dnn_graph_plan_free(d->plan);
    d->plan = NULL;
    d->final = false;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                       cudnnBackendAttributeName_t attributeName,
                                       cudnnBackendAttributeType_t attributeType,
                                       int64_t elementCount, const void *arrayOfElements)
{
    struct graph_descriptor *d = entered(descriptor);
    if (!d || elementCount < 0 || (elementCount && !arrayOfElements))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "no descriptor, or no elements");
    if (d->final)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "%s is final", dnn_graph_type_name(d->type));
    const cudnnStatus_t s = attribute_fits(d, attributeName, attributeType);
    if (s)
        return s;
    if (attributeType == CUDNN_TYPE_BACKEND_DESCRIPTOR)
        for (int64_t k = 0; k < elementCount; k++) {
            const struct graph_descriptor *e =
                entered(((const cudnnBackendDescriptor_t *)arrayOfElements)[k]);
            if (!e || !e->final || e == d)
                return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                                       "%s: a descriptor that is not final",
                                       dnn_graph_attribute_name(attributeName));
        }
    return dnn_graph_set(d, attributeName, attributeType, elementCount, arrayOfElements);
}

/* ---- what must be there when they become final ---- */

static const struct {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t must[4];
    int count;
} wanted[] = {
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR,
     {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_ATTR_TENSOR_DIMENSIONS,
      CUDNN_ATTR_TENSOR_STRIDES},
     4},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, {CUDNN_ATTR_POINTWISE_MODE}, 1},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
     {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
      CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_DILATIONS},
     4},
    {CUDNN_BACKEND_REDUCTION_DESCRIPTOR, {CUDNN_ATTR_REDUCTION_OPERATOR}, 1},
    {CUDNN_BACKEND_RESAMPLE_DESCRIPTOR, {CUDNN_ATTR_RESAMPLE_MODE}, 1},
    {CUDNN_BACKEND_RNG_DESCRIPTOR, {CUDNN_ATTR_RNG_DISTRIBUTION}, 1},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, {CUDNN_ATTR_OPERATIONGRAPH_OPS}, 1},
    {CUDNN_BACKEND_ENGINE_DESCRIPTOR,
     {CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_ATTR_ENGINE_GLOBAL_INDEX},
     2},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
     {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINEHEUR_MODE},
     2},
    {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, {CUDNN_ATTR_ENGINECFG_ENGINE}, 1},
    {CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
     {CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE},
     2},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
     {CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS},
     2},
};

static cudnnStatus_t complete(const struct graph_descriptor *d)
{
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        for (int i = 0; wanted[k].type == d->type && i < wanted[k].count; i++)
            if (!dnn_graph_find(d, wanted[k].must[i]))
                return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "%s is not set",
                                       dnn_graph_attribute_name(wanted[k].must[i]));
    const struct graph_kind *kind = dnn_graph_kind_of(d->type);
    for (int k = 0; kind && k < kind->nports; k++)
        if (kind->ports[k].must && !dnn_graph_find(d, kind->ports[k].name))
            return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "%s is not set",
                                   dnn_graph_attribute_name(kind->ports[k].name));
    return CUDNN_STATUS_SUCCESS;
}

/* A constant is where its pointer points now. */
static cudnnStatus_t keep_constant(struct graph_descriptor *d, cudnnDataType_t type)
{
    const struct graph_value *v = dnn_graph_find(d, CUDNN_ATTR_TENSOR_CONSTANT_VALUE);
    const void *at = NULL;
    if (!v || v->type == CUDNN_TYPE_CHAR)
        return CUDNN_STATUS_SUCCESS;
    memcpy(&at, v->data, sizeof at);
    if (!at)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a constant is nowhere");
    return dnn_graph_set(d, CUDNN_ATTR_TENSOR_CONSTANT_VALUE, CUDNN_TYPE_CHAR,
                         (int64_t)cudnn_bytes(type), at);
}

static cudnnStatus_t tensor_right(struct graph_descriptor *d)
{
    const struct graph_value *dim = dnn_graph_find(d, CUDNN_ATTR_TENSOR_DIMENSIONS),
                             *step = dnn_graph_find(d, CUDNN_ATTR_TENSOR_STRIDES);
    if (dim->count != step->count || dim->count < 1)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "a tensor has %d dimensions and %d strides",
                               (int)dim->count, (int)step->count);
    if (dim->count > GRAPH_DIMS)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "a tensor of %d dimensions",
                               (int)dim->count);
    for (int64_t k = 0; k < dim->count; k++)
        if (((const int64_t *)(const void *)dim->data)[k] < 1)
            return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "a tensor's dimension is not positive");
    const int type = (int)dnn_graph_int(d, CUDNN_ATTR_TENSOR_DATA_TYPE, 0);
    if (type < CUDNN_DATA_FLOAT || type > CUDNN_DATA_COMPLEX_FP64)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "%d is no type of elements", type);
    const int order = (int)dnn_graph_int(d, CUDNN_ATTR_TENSOR_REORDERING_MODE, 0);
    if (order != CUDNN_TENSOR_REORDERING_NONE)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "a tensor in the order %d",
                               order);
    if (dnn_graph_int(d, CUDNN_ATTR_TENSOR_VECTOR_COUNT, 1) > 1)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "a tensor of vectors");
    return keep_constant(d, (cudnnDataType_t)type);
}

static cudnnStatus_t engine_right(const struct graph_descriptor *d)
{
    const struct graph_descriptor *g = dnn_graph_child(d, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, 0);
    if (!g || !g->plan)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "an engine without an operation graph");
    if (dnn_graph_int(d, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 0))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "there is one engine, number 0");
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t pack_right(const struct graph_descriptor *d)
{
    const struct graph_value *uids = dnn_graph_find(d, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS),
                             *data = dnn_graph_find(d, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    const struct graph_value *over = dnn_graph_find(d, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_UNIQUE_IDS);
    if (uids->count != data->count)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "a variant pack has %d tensors, %d pointers",
                               (int)uids->count, (int)data->count);
    if (over && over->count)
        return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE,
                               "shapes that a variant pack changes");
    return CUDNN_STATUS_SUCCESS;
}

/* The plan of an engine's configuration; NULL: it has none. */
static const struct graph_plan *plan_of(const struct graph_descriptor *config)
{
    const struct graph_descriptor *e =
        config ? dnn_graph_child(config, CUDNN_ATTR_ENGINECFG_ENGINE, 0) : NULL;
    const struct graph_descriptor *g =
        e ? dnn_graph_child(e, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, 0) : NULL;
    return g ? g->plan : NULL;
}

static cudnnStatus_t execution_right(struct graph_descriptor *d)
{
    const struct graph_value *text =
        dnn_graph_find(d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
    if (text && !dnn_graph_find(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)) {
        const cudnnStatus_t s =
            dnn_graph_from_json(d, (const char *)text->data, (size_t)text->count);
        if (s)
            return s;
    }
    if (!plan_of(dnn_graph_child(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 0)))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "an execution plan without an engine");
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t dnn_graph_finalize(struct graph_descriptor *d)
{
    cudnnStatus_t s = complete(d);
    if (s)
        return s;
    switch (d->type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR: s = tensor_right(d); break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: s = dnn_graph_plan_new(d, &d->plan); break;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR: s = engine_right(d); break;
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR: s = pack_right(d); break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: s = execution_right(d); break;
    case CUDNN_BACKEND_INTERMEDIATE_INFO_DESCRIPTOR:
    case CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR:
    case CUDNN_BACKEND_LAYOUT_INFO_DESCRIPTOR:
        s = dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "%s is only read",
                            dnn_graph_type_name(d->type));
        break;
    default:
        if (!strncmp(dnn_graph_type_name(d->type), "CUDNN_BACKEND_OPERATION_", 24) &&
            !dnn_graph_kind_of(d->type))
            s = dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "%s is not supported",
                                dnn_graph_type_name(d->type));
        break;
    }
    d->final = !s;
    return s;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor)
{
    struct graph_descriptor *d = entered(descriptor);
    if (!d)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "no descriptor");
    return d->final ? CUDNN_STATUS_SUCCESS : dnn_graph_finalize(d);
}

/* ---- what they answer ---- */

/* Gives what was asked for, as many as there is room for. */
static cudnnStatus_t answer(cudnnBackendAttributeType_t type, int64_t count, const void *data,
                            int64_t room, int64_t *given, void *out)
{
    if (given)
        *given = count;
    if (room && out && count)
        memcpy(out, data, (size_t)(count < room ? count : room) * dnn_graph_element(type));
    return CUDNN_STATUS_SUCCESS;
}

/* Makes `to`, which the caller has created, what `from` is. */
static cudnnStatus_t become(struct graph_descriptor *to, const struct graph_descriptor *from)
{
    if (!to || to->type != from->type)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE,
                               "a %s was to be created for it", dnn_graph_type_name(from->type));
    values_free(to);
    for (const struct graph_value *v = from->values; v; v = v->next) {
        const cudnnStatus_t s = dnn_graph_set(to, v->name, v->type, v->count, v->data);
        if (s)
            return s;
    }
    return dnn_graph_finalize(to);
}

/* The one configuration of the one engine. */
static cudnnStatus_t results(const struct graph_descriptor *d, int64_t room, int64_t *given,
                             void *out)
{
    struct graph_descriptor *graph = dnn_graph_child(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 0);
    const int64_t zero = 0;
    if (given)
        *given = 1;
    if (!room || !out)
        return CUDNN_STATUS_SUCCESS;
    struct graph_descriptor *e = dnn_graph_new(CUDNN_BACKEND_ENGINE_DESCRIPTOR),
                            *c = dnn_graph_new(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    cudnnStatus_t s = e && c ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
    if (!s)
        s = dnn_graph_set(e, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                          &graph);
    if (!s)
        s = dnn_graph_set(e, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &zero);
    if (!s)
        s = dnn_graph_finalize(e);
    if (!s)
        s = dnn_graph_set(c, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &e);
    if (!s)
        s = become(entered(*(cudnnBackendDescriptor_t *)out), c);
    dnn_graph_drop(e);
    dnn_graph_drop(c);
    return s;
}

/* What is not kept as it was set. */
static cudnnStatus_t computed(const struct graph_descriptor *d, cudnnBackendAttributeName_t name,
                              cudnnBackendAttributeType_t type, int64_t room, int64_t *given,
                              void *out, bool *is)
{
    const cudnnBackendBehaviorNote_t behaves[] = {
        CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION,
        CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API};
    const int32_t shared = 0;
    const struct graph_plan *plan;
    int64_t number = 1;
    *is = true;
    switch ((int)name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS: return results(d, room, given, out);
    case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
        return answer(type, 1, &number, room, given, out);
    case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE: return answer(type, 2, behaves, room, given, out);
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
    case CUDNN_ATTR_ENGINE_KNOB_INFO:
    case CUDNN_ATTR_ENGINE_LAYOUT_INFO: return answer(type, 0, NULL, room, given, out);
    case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED: return answer(type, 1, &shared, room, given, out);
    case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
        plan = plan_of(name == CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE
                           ? d
                           : dnn_graph_child(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 0));
        number = plan ? (int64_t)plan->workspace : 0;
        return answer(type, 1, &number, room, given, out);
    case CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION:
        return dnn_graph_to_json(d, room, given, out);
    default: *is = false; return CUDNN_STATUS_SUCCESS;
    }
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t attributeName,
                                       cudnnBackendAttributeType_t attributeType,
                                       int64_t requestedElementCount, int64_t *elementCount,
                                       void *arrayOfElements)
{
    const struct graph_descriptor *d = entered(descriptor);
    bool is;
    if (!d || requestedElementCount < 0)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "no descriptor, or no room");
    if (!d->final)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "%s is not final",
                               dnn_graph_type_name(d->type));
    cudnnStatus_t s = attribute_fits(d, attributeName, attributeType);
    if (s)
        return s;
    s = computed(d, attributeName, attributeType, requestedElementCount, elementCount,
                 arrayOfElements, &is);
    if (is)
        return s;
    const struct graph_value *v = dnn_graph_find(d, attributeName);
    if (!v || v->type != attributeType || v->type != CUDNN_TYPE_BACKEND_DESCRIPTOR)
        return v && v->type != attributeType
                   ? dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "%s is of another type",
                                     dnn_graph_attribute_name(attributeName))
                   : answer(attributeType, v ? v->count : 0, v ? v->data : NULL,
                            requestedElementCount, elementCount, arrayOfElements);
    if (elementCount)
        *elementCount = v->count;
    for (int64_t k = 0; k < v->count && k < requestedElementCount && arrayOfElements && !s; k++)
        s = become(entered(((cudnnBackendDescriptor_t *)arrayOfElements)[k]),
                   dnn_graph_child(d, attributeName, k));
    return s;
}

/* ---- execution ---- */

static cudnnStatus_t ready(cudnnHandle_t handle, cudnnBackendDescriptor_t executionPlan,
                           cudnnBackendDescriptor_t variantPack, const struct graph_plan **plan)
{
    const struct graph_descriptor *e = entered(executionPlan), *v = entered(variantPack);
    if (!cudnn_entered(handle))
        return dnn_graph_wrong(CUDNN_STATUS_NOT_INITIALIZED, "no handle");
    if (!e || !v || e->type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ||
        v->type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM, "no execution plan, or no variant pack");
    if (!e->final || !v->final)
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "not final");
    *plan = plan_of(dnn_graph_child(e, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 0));
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t executionPlan,
                                  cudnnBackendDescriptor_t variantPack)
{
    const struct graph_plan *plan = NULL;
    const cudnnStatus_t s = ready(handle, executionPlan, variantPack, &plan);
    return s ? s : dnn_graph_plan_run(plan, &handle->d, variantPack);
}

/* What the plan launches becomes nodes of the caller's graph: on a stream of its own, which is
 * captured. */
static cudnnStatus_t capture(cudnnHandle_t handle, const struct graph_plan *plan,
                             const struct graph_descriptor *pack, cudaGraph_t graph)
{
    cudaStream_t before = handle->d.stream, stream = NULL;
    cudaGraph_t same = NULL;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
        return CUDNN_STATUS_ALLOC_FAILED;
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    if (cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, cudaStreamCaptureModeRelaxed))
        s = dnn_graph_wrong(CUDNN_STATUS_EXECUTION_FAILED, "a graph that cannot be captured to");
    if (!s) {
        dnn_stream(&handle->d, stream);
        s = dnn_graph_plan_run(plan, &handle->d, pack);
        dnn_stream(&handle->d, before);
        if (cudaStreamEndCapture(stream, &same) && !s)
            s = dnn_graph_wrong(CUDNN_STATUS_EXECUTION_FAILED, "a plan that cannot be captured");
    }
    cudaStreamDestroy(stream);
    return s;
}

cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t handle,
                                            cudnnBackendDescriptor_t executionPlan,
                                            cudnnBackendDescriptor_t variantPack, cudaGraph_t graph)
{
    const struct graph_plan *plan = NULL;
    const cudnnStatus_t s = ready(handle, executionPlan, variantPack, &plan);
    if (s)
        return s;
    return graph ? capture(handle, plan, entered(variantPack), graph)
                 : dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no graph");
}

/* The nodes that the graph has are those of a plan before: they make room for the same with other
 * pointers and numbers, so that cudaGraphExecUpdate finds the same topology. */
static cudnnStatus_t empty(cudaGraph_t graph)
{
    size_t count = 0;
    if (!graph || cudaGraphGetNodes(graph, NULL, &count))
        return dnn_graph_wrong(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no graph");
    cudaGraphNode_t *nodes = malloc((count + 1) * sizeof *nodes);
    if (!nodes)
        return CUDNN_STATUS_ALLOC_FAILED;
    bool gone = !cudaGraphGetNodes(graph, nodes, &count);
    for (size_t k = 0; k < count && gone; k++)
        gone = !cudaGraphDestroyNode(nodes[k]);
    free(nodes);
    return gone ? CUDNN_STATUS_SUCCESS
                : dnn_graph_wrong(CUDNN_STATUS_EXECUTION_FAILED, "a graph that cannot be emptied");
}

cudnnStatus_t cudnnBackendUpdateCudaGraph(cudnnHandle_t handle,
                                          cudnnBackendDescriptor_t executionPlan,
                                          cudnnBackendDescriptor_t variantPack, cudaGraph_t graph)
{
    const struct graph_plan *plan = NULL;
    cudnnStatus_t s = ready(handle, executionPlan, variantPack, &plan);
    if (!s)
        s = empty(graph);
    return s ? s : capture(handle, plan, entered(variantPack), graph);
}
