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
#define MAY_PHASE(name)                                                                            \
    {                                                                                              \
        CUDNN_ATTR_OPERATION_##name, GRAPH_PHASE, false                                            \
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

static const struct graph_port reduction_ports[] = {IN(REDUCTION_XDESC), OUT(REDUCTION_YDESC)};
static const struct graph_port conv_forward_ports[] = {
    IN(CONVOLUTION_FORWARD_X), IN(CONVOLUTION_FORWARD_W), OUT(CONVOLUTION_FORWARD_Y)};
static const struct graph_port conv_data_ports[] = {
    OUT(CONVOLUTION_BWD_DATA_DX), IN(CONVOLUTION_BWD_DATA_W), IN(CONVOLUTION_BWD_DATA_DY)};
static const struct graph_port conv_filter_ports[] = {
    IN(CONVOLUTION_BWD_FILTER_X), OUT(CONVOLUTION_BWD_FILTER_DW), IN(CONVOLUTION_BWD_FILTER_DY)};
static const struct graph_port pool_forward_ports[] = {
    IN(RESAMPLE_FWD_XDESC), OUT(RESAMPLE_FWD_YDESC), MAY_OUT(RESAMPLE_FWD_IDXDESC)};
static const struct graph_port pool_backward_ports[] = {
    OUT(RESAMPLE_BWD_DXDESC), IN(RESAMPLE_BWD_DYDESC), MAY_IN(RESAMPLE_BWD_IDXDESC),
    MAY_IN(RESAMPLE_BWD_XDESC), MAY_IN(RESAMPLE_BWD_YDESC)};
static const struct graph_port norm_forward_ports[] = {IN(NORM_FWD_XDESC),
                                                       MAY_PHASE(NORM_FWD_MEAN_DESC),
                                                       MAY_PHASE(NORM_FWD_INV_VARIANCE_DESC),
                                                       MAY_IN(NORM_FWD_SCALE_DESC),
                                                       MAY_IN(NORM_FWD_BIAS_DESC),
                                                       MAY_IN(NORM_FWD_EPSILON_DESC),
                                                       MAY_IN(NORM_FWD_EXP_AVG_FACTOR_DESC),
                                                       MAY_IN(NORM_FWD_INPUT_RUNNING_MEAN_DESC),
                                                       MAY_IN(NORM_FWD_INPUT_RUNNING_VAR_DESC),
                                                       MAY_OUT(NORM_FWD_OUTPUT_RUNNING_MEAN_DESC),
                                                       MAY_OUT(NORM_FWD_OUTPUT_RUNNING_VAR_DESC),
                                                       OUT(NORM_FWD_YDESC),
                                                       MAY_IN(NORM_FWD_PEER_STAT_DESCS)};
static const struct graph_port norm_backward_ports[] = {IN(NORM_BWD_XDESC),
                                                        MAY_IN(NORM_BWD_MEAN_DESC),
                                                        MAY_IN(NORM_BWD_INV_VARIANCE_DESC),
                                                        IN(NORM_BWD_DYDESC),
                                                        IN(NORM_BWD_SCALE_DESC),
                                                        MAY_IN(NORM_BWD_EPSILON_DESC),
                                                        MAY_OUT(NORM_BWD_DSCALE_DESC),
                                                        MAY_OUT(NORM_BWD_DBIAS_DESC),
                                                        OUT(NORM_BWD_DXDESC),
                                                        MAY_IN(NORM_BWD_PEER_STAT_DESCS)};
static const struct graph_port statistics_ports[] = {IN(GENSTATS_XDESC), OUT(GENSTATS_SUMDESC),
                                                     OUT(GENSTATS_SQSUMDESC)};
static const struct graph_port finalize_ports[] = {MAY_IN(BN_FINALIZE_Y_SUM_DESC),
                                                   MAY_IN(BN_FINALIZE_Y_SQ_SUM_DESC),
                                                   MAY_IN(BN_FINALIZE_SCALE_DESC),
                                                   MAY_IN(BN_FINALIZE_BIAS_DESC),
                                                   MAY_IN(BN_FINALIZE_PREV_RUNNING_MEAN_DESC),
                                                   MAY_IN(BN_FINALIZE_PREV_RUNNING_VAR_DESC),
                                                   MAY_OUT(BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC),
                                                   MAY_OUT(BN_FINALIZE_UPDATED_RUNNING_VAR_DESC),
                                                   MAY_OUT(BN_FINALIZE_SAVED_MEAN_DESC),
                                                   MAY_OUT(BN_FINALIZE_SAVED_INV_STD_DESC),
                                                   MAY_OUT(BN_FINALIZE_EQ_SCALE_DESC),
                                                   MAY_OUT(BN_FINALIZE_EQ_BIAS_DESC),
                                                   MAY_IN(BN_FINALIZE_ACCUM_COUNT_DESC),
                                                   MAY_IN(BN_FINALIZE_EPSILON_DESC),
                                                   MAY_IN(BN_FINALIZE_EXP_AVERATE_FACTOR_DESC)};
static const struct graph_port weights_ports[] = {
    IN(BN_BWD_WEIGHTS_MEAN_DESC),        IN(BN_BWD_WEIGHTS_INVSTD_DESC),
    IN(BN_BWD_WEIGHTS_BN_SCALE_DESC),    IN(BN_BWD_WEIGHTS_X_DESC),
    IN(BN_BWD_WEIGHTS_DY_DESC),          OUT(BN_BWD_WEIGHTS_DBN_SCALE_DESC),
    OUT(BN_BWD_WEIGHTS_DBN_BIAS_DESC),   OUT(BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC),
    OUT(BN_BWD_WEIGHTS_EQ_X_SCALE_DESC), OUT(BN_BWD_WEIGHTS_EQ_BIAS)};
static const struct graph_port reshape_ports[] = {IN(RESHAPE_XDESC), OUT(RESHAPE_YDESC)};
static const struct graph_port transpose_ports[] = {IN(TRANSPOSE_XDESC), OUT(TRANSPOSE_YDESC)};
static const struct graph_port slice_ports[] = {IN(SLICE_XDESC), OUT(SLICE_YDESC)};
static const struct graph_port concat_ports[] = {IN(CONCAT_INPUT_DESCS), OUT(CONCAT_OUTPUT_DESC)};
/* A seed may be a number: it is no tensor then. */
static const struct graph_port random_ports[] = {OUT(RNG_YDESC), MAY_IN(RNG_SEED),
                                                 MAY_IN(RNG_OFFSET_DESC)};
static const struct graph_port pages_ports[] = {
    IN(PAGED_CACHE_LOAD_CONTAINER_DESC), OUT(PAGED_CACHE_LOAD_YDESC),
    MAY_IN(PAGED_CACHE_LOAD_SEQUENCE_DESC), IN(PAGED_CACHE_LOAD_PAGE_TABLE_DESC)};
static const struct graph_port attention_ports[] = {IN(SDPA_FWD_QDESC),
                                                    IN(SDPA_FWD_KDESC),
                                                    IN(SDPA_FWD_VDESC),
                                                    OUT(SDPA_FWD_ODESC),
                                                    MAY_OUT(SDPA_FWD_STATSDESC),
                                                    MAY_IN(SDPA_FWD_SCALEDESC),
                                                    MAY_IN(SDPA_FWD_BLOCK_MASK_DESC),
                                                    MAY_IN(SDPA_FWD_PAGE_TABLE_KDESC),
                                                    MAY_IN(SDPA_FWD_PAGE_TABLE_VDESC),
                                                    MAY_IN(SDPA_FWD_SEQ_LEN_QDESC),
                                                    MAY_IN(SDPA_FWD_SEQ_LEN_KVDESC)};

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
