/* cuDNN: batch normalisation. */
#include <string.h>
#include "lib/dnn/cudnn_int.h"

/* x as images, channels and places. Per activation, each place of an image is a channel of its own.
 */
static bool view(cudnnBatchNormMode_t mode, const struct cudnnTensorStruct *x, double epsilon,
                 struct dnn_norm *p)
{
    int64_t count, step;
    if (x->dims < 2 ||
        !cudnn_collapse(x, mode == CUDNN_BATCHNORM_PER_ACTIVATION ? 1 : 2, &count, &step))
        return false;
    *p = (struct dnn_norm){.n = x->dim[0], .n_step = x->step[0], .epsilon = epsilon};
    if (mode == CUDNN_BATCHNORM_PER_ACTIVATION) {
        p->c = count;
        p->c_step = step;
        p->s = 1;
    } else {
        p->c = x->dim[1];
        p->c_step = x->step[1];
        p->s = count;
        p->s_step = step;
    }
    return true;
}

/* Parameters: a number for each channel, of the type that elements are computed with. */
static bool params_fit(const struct cudnnTensorStruct *d, const struct dnn_norm *p, enum lib_type t)
{
    return d && d->type == (t == LIB_F64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT) &&
           cudnn_count(d) == p->c && cudnn_dense(d);
}

cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derivedBnDesc,
                                            const cudnnTensorDescriptor_t xDesc,
                                            cudnnBatchNormMode_t mode)
{
    if (!derivedBnDesc || !xDesc || xDesc->dims < 2 ||
        (unsigned)mode > CUDNN_BATCHNORM_SPATIAL_PERSISTENT)
        return CUDNN_STATUS_BAD_PARAM;
    struct cudnnTensorStruct d = *xDesc;
    d.type = xDesc->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    d.dim[0] = 1;
    for (int k = 2; k < d.dims && mode != CUDNN_BATCHNORM_PER_ACTIVATION; k++)
        d.dim[k] = 1;
    int step = 1;
    for (int k = d.dims - 1; k >= 0; k--) {
        d.step[k] = step;
        step *= d.dim[k];
    }
    *derivedBnDesc = d;
    return CUDNN_STATUS_SUCCESS;
}

/* What both ways forward are told, once their arguments are there. */
static cudnnStatus_t forward_of(cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
                                const struct cudnnTensorStruct *x,
                                const struct cudnnTensorStruct *y,
                                const struct cudnnTensorStruct *params, double epsilon,
                                enum lib_type *t, struct dnn_norm *p)
{
    if (!cudnn_type(x->type, t) || !cudnn_alike(x, y) || x->type != y->type ||
        !view(mode, x, epsilon, p))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (!params_fit(params, p, *t))
        return CUDNN_STATUS_BAD_PARAM;
    p->alpha = cudnn_scalar(*t, alpha);
    p->beta = cudnn_scalar(*t, beta);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc,
    void *y, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
    const void *bnBias, const void *estimatedMean, const void *estimatedVariance, double epsilon)
{
    enum lib_type t;
    struct dnn_norm p;
    CUDNN_CALL(handle, alpha && beta && xDesc && yDesc && bnScaleBiasMeanVarDesc && x && y &&
                           bnScale && bnBias && estimatedMean && estimatedVariance &&
                           epsilon >= CUDNN_BN_MIN_EPSILON && cudnn_same_shape(xDesc, yDesc) &&
                           (unsigned)mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
    const cudnnStatus_t s =
        forward_of(mode, alpha, beta, xDesc, yDesc, bnScaleBiasMeanVarDesc, epsilon, &t, &p);
    if (s)
        return s;
    return cudnn_status(
        dnn_run(&handle->d, "norm.h", dnn_grid(p.n * p.c * p.s), 0,
                (void *[]){&p, &x, &bnScale, &bnBias, &estimatedMean, &estimatedVariance, &y},
                "norm_given<%s, %s>", dnn_name(t), dnn_wide(t)));
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t yDesc,
    void *y, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
    const void *bnBias, double exponentialAverageFactor, void *resultRunningMean,
    void *resultRunningVariance, double epsilon, void *resultSaveMean, void *resultSaveInvVariance)
{
    enum lib_type t;
    struct dnn_norm p;
    CUDNN_CALL(handle, alpha && beta && xDesc && yDesc && bnScaleBiasMeanVarDesc && x && y &&
                           bnScale && bnBias && epsilon >= CUDNN_BN_MIN_EPSILON &&
                           !resultRunningMean == !resultRunningVariance &&
                           !resultSaveMean == !resultSaveInvVariance &&
                           cudnn_same_shape(xDesc, yDesc) &&
                           (unsigned)mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
    const cudnnStatus_t s =
        forward_of(mode, alpha, beta, xDesc, yDesc, bnScaleBiasMeanVarDesc, epsilon, &t, &p);
    if (s)
        return s;
    p.factor = exponentialAverageFactor;
    return cudnn_status(
        dnn_run(&handle->d, "norm.h", dnn_blocks(p.c), 0,
                (void *[]){&p, &x, &bnScale, &bnBias, &y, &resultSaveMean, &resultSaveInvVariance,
                           &resultRunningMean, &resultRunningVariance},
                "norm_forward<%s, %s>", dnn_name(t), dnn_wide(t)));
}

/* The statistics of the forward pass, kept or computed again. */
static enum tern_error statistics(cudnnHandle_t h, enum lib_type t, struct dnn_norm *p,
                                  const void *x, const void **mean, const void **inverse,
                                  void **scratch)
{
    *scratch = NULL;
    if (*mean && *inverse)
        return TERN_OK;
    const size_t each = (size_t)p->c * dnn_wide_bytes(t);
    enum tern_error e = lib_scratch(h->d.stream, 2 * each, scratch);
    if (e)
        return e;
    void *second = (char *)*scratch + each;
    *mean = *scratch;
    *inverse = second;
    return dnn_run(&h->d, "norm.h", dnn_blocks(p->c), 0, (void *[]){p, &x, scratch, &second},
                   "norm_statistics<%s, %s>", dnn_name(t), dnn_wide(t));
}

cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alphaDataDiff,
    const void *betaDataDiff, const void *alphaParamDiff, const void *betaParamDiff,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t dyDesc,
    const void *dy, const cudnnTensorDescriptor_t dxDesc, void *dx,
    const cudnnTensorDescriptor_t dBnScaleBiasDesc, const void *bnScale, void *dBnScaleResult,
    void *dBnBiasResult, double epsilon, const void *savedMean, const void *savedInvVariance)
{
    enum lib_type t;
    struct dnn_norm p;
    CUDNN_CALL(handle, alphaDataDiff && betaDataDiff && alphaParamDiff && betaParamDiff && xDesc &&
                           dyDesc && dxDesc && dBnScaleBiasDesc && x && dy && dx && bnScale &&
                           dBnScaleResult && dBnBiasResult && epsilon >= CUDNN_BN_MIN_EPSILON &&
                           !savedMean == !savedInvVariance && cudnn_same_shape(xDesc, dyDesc) &&
                           cudnn_same_shape(xDesc, dxDesc) && dx != x &&
                           (unsigned)mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
    if (!cudnn_type(xDesc->type, &t) || !cudnn_alike(xDesc, dyDesc) ||
        !cudnn_alike(xDesc, dxDesc) || xDesc->type != dyDesc->type || xDesc->type != dxDesc->type ||
        !view(mode, xDesc, epsilon, &p))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (!params_fit(dBnScaleBiasDesc, &p, t))
        return CUDNN_STATUS_BAD_PARAM;
    p.alpha = cudnn_scalar(t, alphaDataDiff);
    p.beta = cudnn_scalar(t, betaDataDiff);
    p.param_alpha = cudnn_scalar(t, alphaParamDiff);
    p.param_beta = cudnn_scalar(t, betaParamDiff);
    void *scratch;
    enum tern_error e = statistics(handle, t, &p, x, &savedMean, &savedInvVariance, &scratch);
    if (!e)
        e = dnn_run(
            &handle->d, "norm.h", dnn_blocks(p.c), 0,
            (void *[]){&p, &x, &dy, &savedMean, &savedInvVariance, &dBnScaleResult, &dBnBiasResult},
            "norm_params<%s, %s>", dnn_name(t), dnn_wide(t));
    if (!e)
        e = dnn_run(&handle->d, "norm.h", dnn_blocks(p.c), 0,
                    (void *[]){&p, &x, &dy, &bnScale, &savedMean, &savedInvVariance, &dx},
                    "norm_backward<%s, %s>", dnn_name(t), dnn_wide(t));
    lib_scratch_free(handle->d.stream, scratch);
    return cudnn_status(e);
}

/* ---- with what follows: an addition and an activation ---- */

static bool ops_are_right(cudnnBatchNormOps_t ops, const struct cudnnActivationStruct *a)
{
    return (unsigned)ops <= CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION &&
           (ops == CUDNN_BATCHNORM_OPS_BN || (a && a->mode == CUDNN_ACTIVATION_RELU));
}

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t zDesc,
    const cudnnTensorDescriptor_t yDesc, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc,
    const cudnnActivationDescriptor_t activationDesc, size_t *sizeInBytes)
{
    (void)mode;
    (void)zDesc;
    CUDNN_CALL(handle, xDesc && yDesc && bnScaleBiasMeanVarDesc && sizeInBytes);
    *sizeInBytes = 0;
    return ops_are_right(bnOps, activationDesc) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const cudnnTensorDescriptor_t xDesc, const cudnnTensorDescriptor_t yDesc,
    const cudnnTensorDescriptor_t dyDesc, const cudnnTensorDescriptor_t dzDesc,
    const cudnnTensorDescriptor_t dxDesc, const cudnnTensorDescriptor_t dBnScaleBiasDesc,
    const cudnnActivationDescriptor_t activationDesc, size_t *sizeInBytes)
{
    (void)mode;
    (void)yDesc;
    (void)dzDesc;
    CUDNN_CALL(handle, xDesc && dyDesc && dxDesc && dBnScaleBiasDesc && sizeInBytes);
    *sizeInBytes = 0; /* the stream's pool gives what lies between */
    return ops_are_right(bnOps, activationDesc) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t xDesc,
    size_t *sizeInBytes)
{
    (void)mode;
    CUDNN_CALL(handle, xDesc && sizeInBytes);
    *sizeInBytes = 0; /* y says where the activation was */
    return ops_are_right(bnOps, activationDesc) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps, const void *alpha,
    const void *beta, const cudnnTensorDescriptor_t xDesc, const void *xData,
    const cudnnTensorDescriptor_t zDesc, const void *zData, const cudnnTensorDescriptor_t yDesc,
    void *yData, const cudnnTensorDescriptor_t bnScaleBiasMeanVarDesc, const void *bnScale,
    const void *bnBias, double exponentialAverageFactor, void *resultRunningMean,
    void *resultRunningVariance, double epsilon, void *resultSaveMean, void *resultSaveInvVariance,
    cudnnActivationDescriptor_t activationDesc, void *workspace, size_t workSpaceSizeInBytes,
    void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    (void)workspace;
    (void)workSpaceSizeInBytes;
    (void)reserveSpace;
    (void)reserveSpaceSizeInBytes;
    const bool add = bnOps == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
    CUDNN_CALL(handle, yDesc && (!add || (zDesc && zData && zData != yData)));
    if (!ops_are_right(bnOps, activationDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const cudnnStatus_t s = cudnnBatchNormalizationForwardTraining(
        handle, mode, alpha, beta, xDesc, xData, yDesc, yData, bnScaleBiasMeanVarDesc, bnScale,
        bnBias, exponentialAverageFactor, resultRunningMean, resultRunningVariance, epsilon,
        resultSaveMean, resultSaveInvVariance);
    if (s || bnOps == CUDNN_BATCHNORM_OPS_BN)
        return s;
    const struct cudnn_input in[] = {
        {yDesc, yData}, {NULL, NULL}, {add ? zDesc : NULL, add ? zData : NULL}};
    return cudnn_each(handle, "biased", "act_relu", 0, 1, in, 3, 1, 0, yDesc, yData);
}

cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t bnOps,
    const void *alphaDataDiff, const void *betaDataDiff, const void *alphaParamDiff,
    const void *betaParamDiff, const cudnnTensorDescriptor_t xDesc, const void *xData,
    const cudnnTensorDescriptor_t yDesc, const void *yData, const cudnnTensorDescriptor_t dyDesc,
    const void *dyData, const cudnnTensorDescriptor_t dzDesc, void *dzData,
    const cudnnTensorDescriptor_t dxDesc, void *dxData,
    const cudnnTensorDescriptor_t dBnScaleBiasDesc, const void *bnScaleData, const void *bnBiasData,
    void *dBnScaleData, void *dBnBiasData, double epsilon, const void *savedMean,
    const void *savedInvVariance, cudnnActivationDescriptor_t activationDesc, void *workSpace,
    size_t workSpaceSizeInBytes, void *reserveSpace, size_t reserveSpaceSizeInBytes)
{
    (void)bnBiasData;
    (void)workSpace;
    (void)workSpaceSizeInBytes;
    (void)reserveSpace;
    (void)reserveSpaceSizeInBytes;
    const bool relu = bnOps != CUDNN_BATCHNORM_OPS_BN;
    const bool add = bnOps == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
    CUDNN_CALL(handle,
               dyDesc && dyData && (!relu || (yDesc && yData)) && (!add || (dzDesc && dzData)));
    if (!ops_are_right(bnOps, activationDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    void *scratch = NULL;
    cudnnStatus_t s = CUDNN_STATUS_SUCCESS;
    if (relu) {
        size_t bytes = 0;
        const struct cudnn_input in[] = {{dyDesc, dyData}, {yDesc, yData}};
        cudnnGetTensorSizeInBytes(dyDesc, &bytes);
        s = cudnn_status(lib_scratch(handle->d.stream, bytes, &scratch));
        if (!s)
            s = cudnn_each(handle, "backward", "res_relu", 0, 0, in, 2, 1, 0, dyDesc, scratch);
        if (!s && add)
            s = cudnn_each(handle, "backward", "res_relu", 0, 0, in, 2, 1, 0, dzDesc, dzData);
    }
    if (!s)
        s = cudnnBatchNormalizationBackward(
            handle, mode, alphaDataDiff, betaDataDiff, alphaParamDiff, betaParamDiff, xDesc, xData,
            dyDesc, relu ? scratch : dyData, dxDesc, dxData, dBnScaleBiasDesc, bnScaleData,
            dBnScaleData, dBnBiasData, epsilon, savedMean, savedInvVariance);
    lib_scratch_free(handle->d.stream, scratch);
    return s;
}
