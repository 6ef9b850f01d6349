/* cuDNN's descriptors, and what its calls share. */
#ifndef LIB_DNN_CUDNN_INT_H
#define LIB_DNN_CUDNN_INT_H

#include "lib/dnn/dnn_int.h"
#include "cuda/cudnn.h"

struct cudnnContext {
    uint32_t magic;
    struct dnn d;
};
bool cudnn_entered(cudnnHandle_t h);
cudnnStatus_t cudnn_status(enum tern_error e);

#define CUDNN_CALL(handle, arguments_are_right)                                                    \
    do {                                                                                           \
        if (!cudnn_entered(handle))                                                                \
            return CUDNN_STATUS_NOT_INITIALIZED;                                                   \
        if (!(arguments_are_right))                                                                \
            return CUDNN_STATUS_BAD_PARAM;                                                         \
    } while (0)

struct cudnnTensorStruct {
    cudnnDataType_t type;
    int dims, dim[CUDNN_DIM_MAX], step[CUDNN_DIM_MAX];
};
struct cudnnFilterStruct {
    cudnnDataType_t type;
    cudnnTensorFormat_t format;
    int dims, dim[CUDNN_DIM_MAX];
};
struct cudnnConvolutionStruct {
    int dims, pad[CUDNN_DIM_MAX], stride[CUDNN_DIM_MAX], dilation[CUDNN_DIM_MAX];
    cudnnConvolutionMode_t mode;
    cudnnDataType_t compute;
    cudnnMathType_t math;
    int groups;
};
struct cudnnPoolingStruct {
    cudnnPoolingMode_t mode;
    cudnnNanPropagation_t nan;
    int dims, size[CUDNN_DIM_MAX], pad[CUDNN_DIM_MAX], stride[CUDNN_DIM_MAX];
};
struct cudnnActivationStruct {
    cudnnActivationMode_t mode;
    cudnnNanPropagation_t nan;
    double coefficient, swish;
};
struct cudnnOpTensorStruct {
    cudnnOpTensorOp_t op;
    cudnnDataType_t compute;
    cudnnNanPropagation_t nan;
};
struct cudnnReduceTensorStruct {
    cudnnReduceTensorOp_t op;
    cudnnDataType_t compute;
    cudnnNanPropagation_t nan;
    cudnnReduceTensorIndices_t indices;
    cudnnIndicesType_t index_type;
};
struct cudnnLRNStruct {
    unsigned size;
    double alpha, beta, k;
};
struct cudnnDropoutStruct {
    float dropout;
    void *states;
    unsigned long long seed;
};

/* A descriptor that is created empty and destroyed. */
#define CUDNN_DESCRIPTOR(Name)                                                                     \
    cudnnStatus_t cudnnCreate##Name##Descriptor(cudnn##Name##Descriptor_t *out)                    \
    {                                                                                              \
        if (!out)                                                                                  \
            return CUDNN_STATUS_BAD_PARAM;                                                         \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;                            \
    }                                                                                              \
    cudnnStatus_t cudnnDestroy##Name##Descriptor(cudnn##Name##Descriptor_t d)                      \
    {                                                                                              \
        free(d);                                                                                   \
        return CUDNN_STATUS_SUCCESS;                                                               \
    }

/* ---- cudnn_tensor.c ---- */
size_t cudnn_bytes(cudnnDataType_t t); /* of an element; 0: no type whose elements have bytes */
bool cudnn_type(cudnnDataType_t t, enum lib_type *out); /* one that kernels compute with */
/* A scalar of a call: double where elements are, else float. */
double cudnn_scalar(enum lib_type t, const void *given);
int64_t cudnn_count(const struct cudnnTensorStruct *t);
bool cudnn_alike(const struct cudnnTensorStruct *a,
                 const struct cudnnTensorStruct *b); /* shape and steps */
bool cudnn_same_shape(const struct cudnnTensorStruct *a, const struct cudnnTensorStruct *b);
bool cudnn_dense(const struct cudnnTensorStruct *t);  /* no gaps, in some order of dimensions */
bool cudnn_packed(const struct cudnnTensorStruct *t); /* no gaps, the last dimension first */
/* Dimensions from..end as one: how many places, and their step. */
bool cudnn_collapse(const struct cudnnTensorStruct *t, int from, int64_t *count, int64_t *step);
/* out = alpha f(inputs) + beta out; inputs whose dimensions are 1 repeat. in may hold NULL. */
struct cudnn_input {
    const struct cudnnTensorStruct *t;
    const void *p;
};
cudnnStatus_t cudnn_each(cudnnHandle_t h, const char *shell, const char *function, double p,
                         double q, const struct cudnn_input *in, int nin, double alpha, double beta,
                         const struct cudnnTensorStruct *out, void *y);
cudnnStatus_t cudnn_reduce(cudnnHandle_t h, const char *name, double alpha,
                           const struct cudnnTensorStruct *a, const void *x, double beta,
                           const struct cudnnTensorStruct *c, void *y, unsigned *index);
/* Name of an activation in kernels, and its parameter. */
const char *cudnn_activation(const struct cudnnActivationStruct *a, double *p);

cudnnStatus_t cudnn_refused(const char *function);
/* Remembers why, for cudnnGetLastErrorString of this thread, and returns the status. */
cudnnStatus_t dnn_graph_wrong(cudnnStatus_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
