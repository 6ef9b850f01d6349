/* Neural operations on any device: Tern's own library. Only for host code.
 *
 * Arrays are in device memory. Elements are float, double, __half or __nv_bfloat16 (cudaDataType); narrow ones are computed with as
 * floats. Where a comment says "wide", an array is of float for these, and of double for double: statistics and parameters of
 * normalisation, state of optimisers, losses of rows. Calls go into the stream of the handle and do not wait. Sums are in a fixed
 * order: the same each time on one device. Memory for what lies between comes from the stream's pool. A handle may be used by one
 * thread at a time. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "cuda_runtime_api.h"
#include "library_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct terndnnContext *terndnnHandle_t;

typedef enum {
    TERNDNN_STATUS_SUCCESS = 0,
    TERNDNN_STATUS_NOT_INITIALIZED = 1, /* no handle */
    TERNDNN_STATUS_ALLOC_FAILED = 2,
    TERNDNN_STATUS_INVALID_VALUE = 3,
    TERNDNN_STATUS_NOT_SUPPORTED = 4,
    TERNDNN_STATUS_EXECUTION_FAILED = 5
} terndnnStatus_t;

/* ---- named operations: X(NAME, name in kernels, …) ---- */
/* p and q are the two parameters of a call; what is not named takes none. */
#define TERNDNN_ACTIVATIONS(X) \
    X(IDENTITY, identity) \
    X(RELU, relu) \
    X(CLIPPED_RELU, clipped_relu) /* p: the ceiling */ \
    X(LEAKY_RELU, leaky_relu) /* p: slope below 0 */ \
    X(ELU, elu) /* p: alpha */ \
    X(CELU, celu) /* p: alpha */ \
    X(SELU, selu) \
    X(SIGMOID, sigmoid) \
    X(HARDSIGMOID, hardsigmoid) \
    X(LOGSIGMOID, logsigmoid) \
    X(TANH, tanh) \
    X(HARDTANH, hardtanh) /* p, q: from, to */ \
    X(GELU, gelu) \
    X(GELU_TANH, gelu_tanh) \
    X(QUICK_GELU, quick_gelu) \
    X(SILU, silu) \
    X(SWISH, swish) /* p: beta */ \
    X(SOFTPLUS, softplus) /* p: beta; q: linear from beta x > q on */ \
    X(SOFTSIGN, softsign) \
    X(MISH, mish) \
    X(HARDSWISH, hardswish) \
    X(HARDSHRINK, hardshrink) /* p */ \
    X(SOFTSHRINK, softshrink) /* p */ \
    X(TANHSHRINK, tanhshrink) \
    X(THRESHOLD, threshold) /* p: from; q: what is below */ \
    X(RELU_SQUARED, relu_squared)

/* Of each element x against its target t. */
#define TERNDNN_LOSSES(X) \
    X(SQUARED, squared) \
    X(ABSOLUTE, absolute) \
    X(SMOOTH_ABSOLUTE, smooth_absolute) /* p: beta */ \
    X(HUBER, huber) /* p: delta */ \
    X(LOG_COSH, log_cosh) \
    X(BINARY_ENTROPY, binary_entropy) \
    X(BINARY_ENTROPY_LOGITS, binary_entropy_logits) \
    X(DIVERGENCE, divergence) /* of t from exp(x) */ \
    X(POISSON, poisson) /* x is the logarithm of the rate */ \
    X(HINGE, hinge) /* p: margin; t is 1 or -1 */ \
    X(SQUARED_HINGE, squared_hinge) \
    X(SOFT_MARGIN, soft_margin) \
    X(QUANTILE, quantile) /* p */ \
    X(FOCAL, focal) /* p: gamma, q: alpha; x is a logit */

/* Of p * a and q * b. */
#define TERNDNN_BINARIES(X) \
    X(ADD, add) \
    X(SUBTRACT, subtract) \
    X(MULTIPLY, multiply) \
    X(DIVIDE, divide) \
    X(MINIMUM, minimum) \
    X(MAXIMUM, maximum) \
    X(ROOT, root) /* of the first */ \
    X(ONE_MINUS, one_minus) /* the first */ \
    X(CONSTANT, constant) /* p */ \
    X(FIRST, first)

#define TERNDNN_REDUCTIONS(X) \
    X(SUM, sum) \
    X(PRODUCT, product) \
    X(MINIMUM, minimum) \
    X(MAXIMUM, maximum) \
    X(ABSOLUTE_MAXIMUM, absolute_maximum) \
    X(MEAN, mean) \
    X(NORM1, norm1) \
    X(NORM2, norm2) \
    X(PRODUCT_NO_ZEROS, product_no_zeros)

/* X(NAME, name, arrays of state) */
#define TERNDNN_OPTIMIZERS(X) \
    X(SGD, sgd, 0) \
    X(MOMENTUM, momentum, 1) \
    X(ADAM, adam, 2) \
    X(ADAMW, adamw, 2) \
    X(ADAMAX, adamax, 2) \
    X(RMSPROP, rmsprop, 1) \
    X(ADAGRAD, adagrad, 1) \
    X(ADADELTA, adadelta, 2) \
    X(LION, lion, 1)

/* X(NAME, name, elements of a block, bytes of a block): llama.cpp's blocks */
#define TERNDNN_FORMATS(X) \
    X(Q4_0, q4_0, 32, 18) \
    X(Q4_1, q4_1, 32, 20) \
    X(Q5_0, q5_0, 32, 22) \
    X(Q5_1, q5_1, 32, 24) \
    X(Q8_0, q8_0, 32, 34) \
    X(Q4_K, q4_k, 256, 144) \
    X(Q5_K, q5_k, 256, 176) \
    X(Q6_K, q6_k, 256, 210)

#define TERNDNN_ENUMERATOR(NAME, name) TERNDNN_ACTIVATION_##NAME,
typedef enum { TERNDNN_ACTIVATIONS(TERNDNN_ENUMERATOR) TERNDNN_ACTIVATION_COUNT } terndnnActivation_t;
#undef TERNDNN_ENUMERATOR
#define TERNDNN_ENUMERATOR(NAME, name) TERNDNN_LOSS_##NAME,
typedef enum { TERNDNN_LOSSES(TERNDNN_ENUMERATOR) TERNDNN_LOSS_COUNT } terndnnLoss_t;
#undef TERNDNN_ENUMERATOR
#define TERNDNN_ENUMERATOR(NAME, name) TERNDNN_BINARY_##NAME,
typedef enum { TERNDNN_BINARIES(TERNDNN_ENUMERATOR) TERNDNN_BINARY_COUNT } terndnnBinary_t;
#undef TERNDNN_ENUMERATOR
#define TERNDNN_ENUMERATOR(NAME, name) TERNDNN_REDUCE_##NAME,
typedef enum { TERNDNN_REDUCTIONS(TERNDNN_ENUMERATOR) TERNDNN_REDUCE_COUNT } terndnnReduction_t;
#undef TERNDNN_ENUMERATOR
#define TERNDNN_ENUMERATOR(NAME, name, states) TERNDNN_OPTIMIZER_##NAME,
typedef enum { TERNDNN_OPTIMIZERS(TERNDNN_ENUMERATOR) TERNDNN_OPTIMIZER_COUNT } terndnnOptimizer_t;
#undef TERNDNN_ENUMERATOR
#define TERNDNN_ENUMERATOR(NAME, name, size, bytes) TERNDNN_FORMAT_##NAME,
typedef enum { TERNDNN_FORMATS(TERNDNN_ENUMERATOR) TERNDNN_FORMAT_COUNT } terndnnFormat_t;
#undef TERNDNN_ENUMERATOR

/* Of a loss: each element's, or one number. */
typedef enum { TERNDNN_LOSS_EACH, TERNDNN_LOSS_MEAN, TERNDNN_LOSS_SUM } terndnnLossResult_t;

/* ---- shapes ---- */
/* x is [images, channels, places]. What shares a mean and a variance:
 * BATCH: a channel of all images. GROUP: a group of channels of an image; LAYER is one group, INSTANCE a group for each channel; a matrix of
 * rows is images of `columns` channels of one place, so LAYER is layer normalisation. RMS: as LAYER, without a mean. */
typedef enum { TERNDNN_NORM_BATCH, TERNDNN_NORM_LAYER, TERNDNN_NORM_GROUP, TERNDNN_NORM_INSTANCE, TERNDNN_NORM_RMS } terndnnNormKind_t;
typedef struct {
    terndnnNormKind_t kind;
    int64_t images, channels, places;
    int64_t groups; /* GROUP */
    double epsilon;
} terndnnNorm_t;

/* Windows over [images, channels, in[0], in[1], in[2]]; one and two dimensions have 1 in front. */
typedef enum {
    TERNDNN_POOL_MAX,            /* the first of equals takes the gradient; a NaN is larger than all */
    TERNDNN_POOL_AVERAGE_PADDED, /* divided by the whole window */
    TERNDNN_POOL_AVERAGE         /* divided by what of the window is inside */
} terndnnPoolKind_t;
typedef struct {
    terndnnPoolKind_t kind;
    int adaptive; /* windows by the ratio of in and out: size, pad, stride and dilation are not looked at */
    int64_t images, channels, in[3], out[3], size[3], pad[3], stride[3], dilation[3]; /* a stride or dilation of 0 is 1 */
} terndnnPool_t;

/* x [images, channels, in], filter [results, channels / groups, size], y [images, results, out]; with channels_last x [images, in, channels],
 * filter [results, size, channels / groups], y [images, out, results]. `out` is what terndnnConvolutionOut gives. */
typedef enum {
    TERNDNN_CONVOLUTION_ANY,    /* whichever is expected to be faster */
    TERNDNN_CONVOLUTION_DIRECT, /* by index, without memory of its own */
    TERNDNN_CONVOLUTION_PRODUCT /* columns, then products of matrices */
} terndnnConvolutionWay_t;
typedef struct {
    int64_t images, channels, results, groups; /* groups 0 is 1 */
    int64_t in[3], out[3], size[3], pad[3], stride[3], dilation[3];
    int flip; /* convolution as mathematics has it; 0: cross-correlation, as networks have it */
    terndnnConvolutionWay_t way;
    int channels_last;
    int tf32; /* floats may be multiplied with 11 bits, where that is faster */
} terndnnConvolution_t;

/* Queries [batch, heads, queries, size], keys [batch, kv_heads, keys, size], values [batch, kv_heads, keys, value_size], outputs
 * [batch, heads, queries, value_size]; heads is a multiple of kv_heads. Steps, in elements, of batch, head and place; all 0: the
 * arrays have no gaps. Query i stands at place keys - queries + i, so with a cache of keys it sees all before it. */
typedef struct {
    int64_t batch, heads, kv_heads, queries, keys, size, value_size;
    int64_t q_step[3], k_step[3], v_step[3], o_step[3];
    const int *lengths;  /* in device memory: how many keys of each sequence are there; NULL: all */
    const float *slopes; /* in device memory: ALiBi, of each head; NULL: none */
    int causal;
    int window;   /* how many keys a query sees, back from its own place; 0: all */
    double scale; /* 0: 1 / sqrt(size) */
    double cap;   /* scores become cap * tanh(score / cap); 0: they do not */
} terndnnAttention_t;

typedef struct {
    int64_t batch, heads, length, size;
    int64_t step[3];      /* in elements, of batch, head and place; all 0: [batch, heads, length, size] without gaps */
    int64_t rotated;      /* of size, from its beginning; 0: all */
    const int *positions; /* of each place, in device memory; NULL: first, first + 1, … */
    int first;
    int halves;   /* pairs are rotated / 2 apart; 0: neighbours */
    int backward; /* the gradient: turns the other way */
    double base;  /* 0: 10000 */
    double scale; /* of positions; 0: 1 */
} terndnnRotary_t;

typedef struct {
    double rate, beta1, beta2, epsilon, decay, momentum;
    int nesterov;
    int64_t step; /* counts from 1: Adam's corrections */
} terndnnOptimizerOptions_t;

#include "tern_terndnn.h"

#ifdef __cplusplus
}
#endif
