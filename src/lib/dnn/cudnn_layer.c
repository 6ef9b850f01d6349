/* cuDNN: activations, softmax, pooling, normalisation over channels and batches, dropout. */
#include <stdlib.h>
#include <string.h>
#include "lib/dnn/cudnn_int.h"

/* ---- activations ---- */

CUDNN_DESCRIPTOR(Activation)

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t d,
                                           cudnnActivationMode_t mode, cudnnNanPropagation_t nan,
                                           double coef)
{
    if (!d || (unsigned)mode > CUDNN_ACTIVATION_SWISH)
        return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnActivationStruct){mode, nan, coef, 1};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t d,
                                           cudnnActivationMode_t *mode, cudnnNanPropagation_t *nan,
                                           double *coef)
{
    if (!d || !mode || !nan || !coef)
        return CUDNN_STATUS_BAD_PARAM;
    *mode = d->mode;
    *nan = d->nan;
    *coef = d->coefficient;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t d, double beta)
{
    if (!d)
        return CUDNN_STATUS_BAD_PARAM;
    d->swish = beta;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t d, double *beta)
{
    if (!d || !beta)
        return CUDNN_STATUS_BAD_PARAM;
    *beta = d->swish;
    return CUDNN_STATUS_SUCCESS;
}

const char *cudnn_activation(const struct cudnnActivationStruct *a, double *p)
{
    static const char *const names[] = {"act_sigmoid",      "act_relu", "act_tanh",
                                        "act_clipped_relu", "act_elu",  "act_identity",
                                        "act_swish"};
    *p = a->mode == CUDNN_ACTIVATION_SWISH ? a->swish : a->coefficient;
    return names[a->mode];
}

cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle,
                                     cudnnActivationDescriptor_t activationDesc, const void *alpha,
                                     const cudnnTensorDescriptor_t xDesc, const void *x,
                                     const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
{
    enum lib_type t;
    double p;
    CUDNN_CALL(handle,
               activationDesc && alpha && xDesc && beta && yDesc && cudnn_same_shape(xDesc, yDesc));
    if (!cudnn_type(yDesc->type, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const char *name = cudnn_activation(activationDesc, &p);
    return cudnn_each(handle, "forward", name, p, 0, (struct cudnn_input[]){{xDesc, x}}, 1,
                      cudnn_scalar(t, alpha), cudnn_scalar(t, beta), yDesc, y);
}

/* From y, where it says enough: programs overwrite x with it. */
cudnnStatus_t cudnnActivationBackward(cudnnHandle_t handle,
                                      cudnnActivationDescriptor_t activationDesc, const void *alpha,
                                      const cudnnTensorDescriptor_t yDesc, const void *y,
                                      const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                      const cudnnTensorDescriptor_t xDesc, const void *x,
                                      const void *beta, const cudnnTensorDescriptor_t dxDesc,
                                      void *dx)
{
    static const char *const names[] = {"res_sigmoid",      "res_relu", "res_tanh",
                                        "res_clipped_relu", "res_elu",  "res_identity",
                                        "act_swish"};
    enum lib_type t;
    double p;
    CUDNN_CALL(handle, activationDesc && alpha && yDesc && dyDesc && beta && dxDesc &&
                           cudnn_same_shape(yDesc, dyDesc) && cudnn_same_shape(yDesc, dxDesc));
    const bool from_x = activationDesc->mode == CUDNN_ACTIVATION_SWISH;
    if (from_x && !xDesc)
        return CUDNN_STATUS_BAD_PARAM;
    if (!cudnn_type(dxDesc->type, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    cudnn_activation(activationDesc, &p);
    const struct cudnn_input in[] = {{dyDesc, dy}, {from_x ? xDesc : yDesc, from_x ? x : y}};
    return cudnn_each(handle, "backward", names[activationDesc->mode], p, 0, in, 2,
                      cudnn_scalar(t, alpha), cudnn_scalar(t, beta), dxDesc, dx);
}

/* ---- softmax ---- */

static cudnnStatus_t lines(const struct cudnnTensorStruct *t, cudnnSoftmaxMode_t mode,
                           struct dnn_rows *r)
{
    int64_t count, step;
    if (t->dims < 2)
        return CUDNN_STATUS_BAD_PARAM;
    if (!cudnn_collapse(t, mode == CUDNN_SOFTMAX_MODE_INSTANCE ? 1 : 2, &count, &step))
        return CUDNN_STATUS_NOT_SUPPORTED;
    r->outer_step = t->step[0];
    if (mode == CUDNN_SOFTMAX_MODE_INSTANCE) {
        r->lines = t->dim[0];
        r->inner = 1;
        r->length = count;
        r->step = step;
    } else {
        r->lines = t->dim[0] * count;
        r->inner = count;
        r->inner_step = step;
        r->length = t->dim[1];
        r->step = t->step[1];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo,
                                  cudnnSoftmaxMode_t mode, const void *alpha,
                                  const cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
{
    enum lib_type t;
    struct dnn_rows r = {0};
    CUDNN_CALL(handle, alpha && xDesc && beta && yDesc && (unsigned)algo <= CUDNN_SOFTMAX_LOG &&
                           (unsigned)mode <= CUDNN_SOFTMAX_MODE_CHANNEL &&
                           cudnn_same_shape(xDesc, yDesc) && xDesc->type == yDesc->type);
    if (!cudnn_type(xDesc->type, &t) || !cudnn_alike(xDesc, yDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const cudnnStatus_t s = lines(xDesc, mode, &r);
    r.alpha = cudnn_scalar(t, alpha);
    r.beta = cudnn_scalar(t, beta);
    return s ? s
             : cudnn_status(dnn_run(&handle->d, "rows.h", dnn_warps(r.lines), 0,
                                    (void *[]){&r, &x, &y}, "softmax<%s, %d>", dnn_name(t),
                                    algo == CUDNN_SOFTMAX_LOG));
}

cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algo,
                                   cudnnSoftmaxMode_t mode, const void *alpha,
                                   const cudnnTensorDescriptor_t yDesc, const void *y,
                                   const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                   const void *beta, const cudnnTensorDescriptor_t dxDesc, void *dx)
{
    enum lib_type t;
    struct dnn_rows r = {0};
    CUDNN_CALL(handle, alpha && yDesc && dyDesc && beta && dxDesc &&
                           (unsigned)algo <= CUDNN_SOFTMAX_LOG &&
                           (unsigned)mode <= CUDNN_SOFTMAX_MODE_CHANNEL &&
                           cudnn_same_shape(yDesc, dyDesc) && cudnn_same_shape(yDesc, dxDesc) &&
                           yDesc->type == dyDesc->type && yDesc->type == dxDesc->type);
    if (!cudnn_type(yDesc->type, &t) || !cudnn_alike(yDesc, dyDesc) || !cudnn_alike(yDesc, dxDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const cudnnStatus_t s = lines(yDesc, mode, &r);
    r.alpha = cudnn_scalar(t, alpha);
    r.beta = cudnn_scalar(t, beta);
    return s ? s
             : cudnn_status(dnn_run(&handle->d, "rows.h", dnn_warps(r.lines), 0,
                                    (void *[]){&r, &y, &dy, &dx}, "softmax_back<%s, %d>",
                                    dnn_name(t), algo == CUDNN_SOFTMAX_LOG));
}

/* ---- pooling ---- */

CUDNN_DESCRIPTOR(Pooling)

cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t d, const cudnnPoolingMode_t mode,
                                          const cudnnNanPropagation_t nan, int nbDims,
                                          const int windowDimA[], const int paddingA[],
                                          const int strideA[])
{
    if (!d || (unsigned)mode > CUDNN_POOLING_MAX_DETERMINISTIC || nbDims < 1 || !windowDimA ||
        !paddingA || !strideA)
        return CUDNN_STATUS_BAD_PARAM;
    if (nbDims > 3)
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int k = 0; k < nbDims; k++)
        if (windowDimA[k] < 1 || paddingA[k] < 0 || strideA[k] < 1)
            return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnPoolingStruct){.mode = mode, .nan = nan, .dims = nbDims};
    memcpy(d->size, windowDimA, (size_t)nbDims * sizeof *windowDimA);
    memcpy(d->pad, paddingA, (size_t)nbDims * sizeof *paddingA);
    memcpy(d->stride, strideA, (size_t)nbDims * sizeof *strideA);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t d, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int windowHeight,
                                          int windowWidth, int verticalPadding,
                                          int horizontalPadding, int verticalStride,
                                          int horizontalStride)
{
    return cudnnSetPoolingNdDescriptor(d, mode, nan, 2, (int[]){windowHeight, windowWidth},
                                       (int[]){verticalPadding, horizontalPadding},
                                       (int[]){verticalStride, horizontalStride});
}

cudnnStatus_t cudnnGetPoolingNdDescriptor(const cudnnPoolingDescriptor_t d, int nbDimsRequested,
                                          cudnnPoolingMode_t *mode, cudnnNanPropagation_t *nan,
                                          int *nbDims, int windowDimA[], int paddingA[],
                                          int strideA[])
{
    if (!d || !mode || !nan || !nbDims || nbDimsRequested < 0)
        return CUDNN_STATUS_BAD_PARAM;
    *mode = d->mode;
    *nan = d->nan;
    *nbDims = d->dims;
    for (int k = 0; k < d->dims && k < nbDimsRequested; k++) {
        windowDimA[k] = d->size[k];
        paddingA[k] = d->pad[k];
        strideA[k] = d->stride[k];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetPooling2dDescriptor(const cudnnPoolingDescriptor_t d,
                                          cudnnPoolingMode_t *mode, cudnnNanPropagation_t *nan,
                                          int *windowHeight, int *windowWidth, int *verticalPadding,
                                          int *horizontalPadding, int *verticalStride,
                                          int *horizontalStride)
{
    int dims, size[2], pad[2], stride[2];
    if (!d || d->dims != 2 || !windowHeight || !windowWidth || !verticalPadding ||
        !horizontalPadding || !verticalStride || !horizontalStride)
        return CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t s = cudnnGetPoolingNdDescriptor(d, 2, mode, nan, &dims, size, pad, stride);
    if (s)
        return s;
    *windowHeight = size[0];
    *windowWidth = size[1];
    *verticalPadding = pad[0];
    *horizontalPadding = pad[1];
    *verticalStride = stride[0];
    *horizontalStride = stride[1];
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(const cudnnPoolingDescriptor_t d,
                                                const cudnnTensorDescriptor_t in, int nbDims,
                                                int outDimA[])
{
    if (!d || !in || !outDimA || nbDims != in->dims || in->dims != d->dims + 2)
        return CUDNN_STATUS_BAD_PARAM;
    outDimA[0] = in->dim[0];
    outDimA[1] = in->dim[1];
    for (int k = 0; k < d->dims; k++) {
        const int room = in->dim[k + 2] + 2 * d->pad[k] - d->size[k];
        outDimA[k + 2] = room < 0 ? 0 : 1 + room / d->stride[k];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetPooling2dForwardOutputDim(const cudnnPoolingDescriptor_t d,
                                                const cudnnTensorDescriptor_t in, int *n, int *c,
                                                int *h, int *w)
{
    int out[4];
    if (!n || !c || !h || !w)
        return CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t s = cudnnGetPoolingNdForwardOutputDim(d, in, 4, out);
    if (s)
        return s;
    *n = out[0];
    *c = out[1];
    *h = out[2];
    *w = out[3];
    return CUDNN_STATUS_SUCCESS;
}

static void steps5(const struct cudnnTensorStruct *t, long long *step)
{
    for (int k = 0; k < 5; k++)
        step[k] = 0;
    step[0] = t->step[0];
    step[1] = t->step[1];
    for (int k = 2; k < t->dims; k++)
        step[5 - t->dims + k] = t->step[k];
}

static cudnnStatus_t pool_window(cudnnPoolingDescriptor_t d, cudnnTensorDescriptor_t x,
                                 cudnnTensorDescriptor_t y, struct dnn_window *w)
{
    static const int kinds[] = {DNN_POOL_MAX, DNN_POOL_AVERAGE_PADDED, DNN_POOL_AVERAGE,
                                DNN_POOL_MAX};
    int out[CUDNN_DIM_MAX];
    const cudnnStatus_t s = cudnnGetPoolingNdForwardOutputDim(d, x, x->dims, out);
    if (s || y->dims != x->dims || memcmp(out, y->dim, (size_t)x->dims * sizeof *out))
        return CUDNN_STATUS_BAD_PARAM;
    *w = (struct dnn_window){
        .n = x->dim[0], .c = x->dim[1], .k = x->dim[1], .groups = 1, .kind = kinds[d->mode]};
    for (int k = 0; k < 3; k++) {
        const int at = k - (3 - d->dims);
        w->in[k] = at < 0 ? 1 : x->dim[at + 2];
        w->out[k] = at < 0 ? 1 : y->dim[at + 2];
        w->size[k] = at < 0 ? 1 : d->size[at];
        w->pad[k] = at < 0 ? 0 : d->pad[at];
        w->stride[k] = at < 0 ? 1 : d->stride[at];
        w->dilation[k] = 1;
    }
    steps5(x, w->x_step);
    steps5(y, w->y_step);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t poolingDesc,
                                  const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                  const void *x, const void *beta,
                                  const cudnnTensorDescriptor_t yDesc, void *y)
{
    enum lib_type t;
    struct dnn_window w;
    CUDNN_CALL(handle,
               poolingDesc && alpha && xDesc && beta && yDesc && xDesc->type == yDesc->type);
    if (!cudnn_type(xDesc->type, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const cudnnStatus_t s = pool_window(poolingDesc, xDesc, yDesc, &w);
    w.alpha = cudnn_scalar(t, alpha);
    w.beta = cudnn_scalar(t, beta);
    return s ? s : cudnn_status(dnn_pool(&handle->d, t, &w, x, NULL, y));
}

cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t poolingDesc,
                                   const void *alpha, const cudnnTensorDescriptor_t yDesc,
                                   const void *y, const cudnnTensorDescriptor_t dyDesc,
                                   const void *dy, const cudnnTensorDescriptor_t xDesc,
                                   const void *x, const void *beta,
                                   const cudnnTensorDescriptor_t dxDesc, void *dx)
{
    enum lib_type t;
    struct dnn_window w;
    (void)y;
    CUDNN_CALL(handle, poolingDesc && alpha && yDesc && dyDesc && xDesc && beta && dxDesc && dy &&
                           xDesc->type == dyDesc->type && xDesc->type == dxDesc->type &&
                           cudnn_same_shape(xDesc, dxDesc) && cudnn_same_shape(yDesc, dyDesc));
    if (!cudnn_type(xDesc->type, &t) || !cudnn_alike(xDesc, dxDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const cudnnStatus_t s = pool_window(poolingDesc, xDesc, dyDesc, &w);
    w.alpha = cudnn_scalar(t, alpha);
    w.beta = cudnn_scalar(t, beta);
    return s ? s : cudnn_status(dnn_pool(&handle->d, t, &w, x, dy, dx));
}

/* ---- local response ---- */

CUDNN_DESCRIPTOR(LRN)

cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t d, unsigned lrnN, double lrnAlpha,
                                    double lrnBeta, double lrnK)
{
    if (!d || lrnN < CUDNN_LRN_MIN_N || lrnN > CUDNN_LRN_MAX_N || lrnBeta < CUDNN_LRN_MIN_BETA ||
        lrnK < CUDNN_LRN_MIN_K)
        return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnLRNStruct){lrnN, lrnAlpha, lrnBeta, lrnK};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetLRNDescriptor(cudnnLRNDescriptor_t d, unsigned *lrnN, double *lrnAlpha,
                                    double *lrnBeta, double *lrnK)
{
    if (!d)
        return CUDNN_STATUS_BAD_PARAM;
    if (lrnN)
        *lrnN = d->size;
    if (lrnAlpha)
        *lrnAlpha = d->alpha;
    if (lrnBeta)
        *lrnBeta = d->beta;
    if (lrnK)
        *lrnK = d->k;
    return CUDNN_STATUS_SUCCESS;
}

static struct dnn_norm planes(const struct cudnnTensorStruct *t, double alpha, double beta)
{
    return (struct dnn_norm){.n = t->dim[0],
                             .c = t->dim[1],
                             .s = cudnn_count(t) / t->dim[0] / t->dim[1],
                             .alpha = alpha,
                             .beta = beta};
}

cudnnStatus_t cudnnLRNCrossChannelForward(cudnnHandle_t handle, cudnnLRNDescriptor_t normDesc,
                                          cudnnLRNMode_t lrnMode, const void *alpha,
                                          const cudnnTensorDescriptor_t xDesc, const void *x,
                                          const void *beta, const cudnnTensorDescriptor_t yDesc,
                                          void *y)
{
    enum lib_type t;
    CUDNN_CALL(handle, normDesc && normDesc->size && lrnMode == CUDNN_LRN_CROSS_CHANNEL_DIM1 &&
                           alpha && xDesc && beta && yDesc && cudnn_same_shape(xDesc, yDesc) &&
                           xDesc->type == yDesc->type && xDesc->dims >= 2 && x != y);
    if (!cudnn_type(xDesc->type, &t) || !cudnn_packed(xDesc) || !cudnn_packed(yDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    struct dnn_norm p = planes(xDesc, cudnn_scalar(t, alpha), cudnn_scalar(t, beta));
    long long size = normDesc->size;
    struct cudnnLRNStruct l = *normDesc;
    return cudnn_status(dnn_run(&handle->d, "window.h", dnn_grid(cudnn_count(xDesc)), 0,
                                (void *[]){&p, &size, &l.alpha, &l.beta, &l.k, &x, &y},
                                "response_forward<%s>", dnn_name(t)));
}

cudnnStatus_t cudnnLRNCrossChannelBackward(cudnnHandle_t handle, cudnnLRNDescriptor_t normDesc,
                                           cudnnLRNMode_t lrnMode, const void *alpha,
                                           const cudnnTensorDescriptor_t yDesc, const void *y,
                                           const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const cudnnTensorDescriptor_t xDesc, const void *x,
                                           const void *beta, const cudnnTensorDescriptor_t dxDesc,
                                           void *dx)
{
    enum lib_type t;
    CUDNN_CALL(handle, normDesc && normDesc->size && lrnMode == CUDNN_LRN_CROSS_CHANNEL_DIM1 &&
                           alpha && yDesc && dyDesc && xDesc && beta && dxDesc &&
                           cudnn_same_shape(xDesc, yDesc) && cudnn_same_shape(xDesc, dyDesc) &&
                           cudnn_same_shape(xDesc, dxDesc) && xDesc->dims >= 2 && dx != dy);
    if (!cudnn_type(xDesc->type, &t) || !cudnn_packed(xDesc) || !cudnn_packed(yDesc) ||
        !cudnn_packed(dyDesc) || !cudnn_packed(dxDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    struct dnn_norm p = planes(xDesc, cudnn_scalar(t, alpha), cudnn_scalar(t, beta));
    long long size = normDesc->size;
    struct cudnnLRNStruct l = *normDesc;
    return cudnn_status(dnn_run(&handle->d, "window.h", dnn_grid(cudnn_count(xDesc)), 0,
                                (void *[]){&p, &size, &l.alpha, &l.beta, &l.k, &x, &y, &dy, &dx},
                                "response_backward<%s>", dnn_name(t)));
}

/* ---- dropout: the state is the seed and how many blocks of four numbers have been taken ---- */

CUDNN_DESCRIPTOR(Dropout)

enum { STATE_BYTES = 2 * sizeof(uint64_t) };

cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *sizeInBytes)
{
    CUDNN_CALL(handle, sizeInBytes);
    *sizeInBytes = STATE_BYTES;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t xdesc, size_t *sizeInBytes)
{
    if (!xdesc || !sizeInBytes)
        return CUDNN_STATUS_BAD_PARAM;
    *sizeInBytes = (size_t)cudnn_count(xdesc);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t handle,
                                            float dropout, void *states, size_t stateSizeInBytes,
                                            unsigned long long seed)
{
    CUDNN_CALL(handle, d && dropout >= 0 && dropout <= 1);
    if (states && stateSizeInBytes < STATE_BYTES)
        return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnDropoutStruct){dropout, states, seed};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t handle,
                                        float dropout, void *states, size_t stateSizeInBytes,
                                        unsigned long long seed)
{
    const cudnnStatus_t s =
        cudnnRestoreDropoutDescriptor(d, handle, dropout, states, stateSizeInBytes, seed);
    if (s || !states)
        return s;
    return cudnn_status(dnn_run(&handle->d, "learn.h", (tern_dim){1}, 0,
                                (void *[]){&d->states, &d->seed}, "drop_seed"));
}

cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t d, cudnnHandle_t handle,
                                        float *dropout, void **states, unsigned long long *seed)
{
    CUDNN_CALL(handle, d);
    if (dropout)
        *dropout = d->dropout;
    if (states)
        *states = d->states;
    if (seed)
        *seed = d->seed;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t dropoutDesc,
                                  const cudnnTensorDescriptor_t xdesc, const void *x,
                                  const cudnnTensorDescriptor_t ydesc, void *y, void *reserveSpace,
                                  size_t reserveSpaceSizeInBytes)
{
    enum lib_type t;
    CUDNN_CALL(handle, dropoutDesc && xdesc && ydesc && cudnn_same_shape(xdesc, ydesc) &&
                           xdesc->type == ydesc->type && reserveSpace && dropoutDesc->states &&
                           reserveSpaceSizeInBytes >= (size_t)cudnn_count(xdesc));
    if (!cudnn_type(xdesc->type, &t) || !cudnn_alike(xdesc, ydesc) || !cudnn_dense(xdesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    int64_t n = cudnn_count(xdesc);
    double p = dropoutDesc->dropout;
    uint64_t seed = 0, offset = 0, by = (uint64_t)(n + 3) / 4;
    enum tern_error e =
        dnn_run(&handle->d, "learn.h", dnn_grid((n + 3) / 4), 0,
                (void *[]){&n, &p, &seed, &offset, &dropoutDesc->states, &x, &y, &reserveSpace},
                "drop<%s>", dnn_name(t));
    if (!e)
        e = dnn_run(&handle->d, "learn.h", (tern_dim){1}, 0, (void *[]){&dropoutDesc->states, &by},
                    "drop_advance");
    return cudnn_status(e);
}

cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t handle, const cudnnDropoutDescriptor_t dropoutDesc,
                                   const cudnnTensorDescriptor_t dydesc, const void *dy,
                                   const cudnnTensorDescriptor_t dxdesc, void *dx,
                                   void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    enum lib_type t;
    CUDNN_CALL(handle, dropoutDesc && dydesc && dxdesc && cudnn_same_shape(dydesc, dxdesc) &&
                           dydesc->type == dxdesc->type && reserveSpace &&
                           reserveSpaceSizeInBytes >= (size_t)cudnn_count(dydesc));
    if (!cudnn_type(dydesc->type, &t) || !cudnn_alike(dydesc, dxdesc) || !cudnn_dense(dydesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    int64_t n = cudnn_count(dydesc);
    double p = dropoutDesc->dropout;
    return cudnn_status(dnn_run(&handle->d, "learn.h", dnn_grid(n), 0,
                                (void *[]){&n, &p, &reserveSpace, &dy, &dx}, "drop_back<%s>",
                                dnn_name(t)));
}
