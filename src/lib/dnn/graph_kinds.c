/* The operations of cuDNN's graphs: which tensors each reads and writes, and who does it. */
#include "lib/dnn/graph_int.h"
#include "lib/dnn/graph_kinds.h"

#define PORTS(name) name##_ports, (int)(sizeof name##_ports / sizeof *name##_ports)
#define IN(name)                                                                                   \
    {                                                                                              \
        CUDNN_ATTR_OPERATION_##name, GRAPH_IN, true                                                \
    }
#define MAY_IN(name)                                                                               \
    {                                                                                              \
        CUDNN_ATTR_OPERATION_##name, GRAPH_IN, false                                               \
    }
#define OUT(name)                                                                                  \
    {                                                                                              \
        CUDNN_ATTR_OPERATION_##name, GRAPH_OUT, true                                               \
    }
#define MAY_OUT(name)                                                                              \
    {                                                                                              \
        CUDNN_ATTR_OPERATION_##name, GRAPH_OUT, false                                              \
    }

/* In the order of the enums of graph_kinds.h. */
static const struct graph_port pointwise_ports[] = {
    MAY_IN(POINTWISE_XDESC),  MAY_IN(POINTWISE_BDESC),  MAY_IN(POINTWISE_TDESC),
    MAY_IN(POINTWISE_DYDESC), MAY_OUT(POINTWISE_YDESC), MAY_OUT(POINTWISE_DXDESC)};
static const struct graph_port matmul_ports[] = {IN(MATMUL_ADESC),
                                                 IN(MATMUL_BDESC),
                                                 OUT(MATMUL_CDESC),
                                                 MAY_IN(MATMUL_GEMM_M_OVERRIDE_DESC),
                                                 MAY_IN(MATMUL_GEMM_N_OVERRIDE_DESC),
                                                 MAY_IN(MATMUL_GEMM_K_OVERRIDE_DESC)};

static const struct graph_kind kinds[] = {
#define KIND(type, name)                                                                           \
    {CUDNN_BACKEND_OPERATION_##type##_DESCRIPTOR, PORTS(name), dnn_graph_check_##name,             \
     dnn_graph_run_##name},
    GRAPH_KINDS(KIND)
#undef KIND
};

const struct graph_kind *dnn_graph_kind_of(cudnnBackendDescriptorType_t type)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (kinds[k].type == type)
            return &kinds[k];
    return NULL;
}
