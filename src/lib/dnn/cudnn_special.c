/* cuDNN: spatial transformers, and the loss of connectionist temporal classification. */
#include <stdlib.h>
#include <string.h>
#include "lib/dnn/cudnn_int.h"

struct cudnnSpatialTransformerStruct {
    cudnnDataType_t type;
    int dims, dim[CUDNN_DIM_MAX];
};
struct cudnnCTCLossStruct {
    cudnnDataType_t type;
    cudnnLossNormalizationMode_t normalization;
    cudnnNanPropagation_t nan;
    cudnnCTCGradMode_t mode;
    int longest;
};

/* ---- spatial transformers ---- */

CUDNN_DESCRIPTOR(SpatialTransformer)

cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t d,
                                                     cudnnSamplerType_t samplerType,
                                                     cudnnDataType_t dataType, const int nbDims,
                                                     const int dimA[])
{
    enum lib_type t;
    if (!d || !dimA || samplerType != CUDNN_SAMPLER_BILINEAR)
        return CUDNN_STATUS_BAD_PARAM;
    if (nbDims != 4 || !cudnn_type(dataType, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int k = 0; k < nbDims; k++)
        if (dimA[k] < 1)
            return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnSpatialTransformerStruct){dataType, nbDims, {0}};
    memcpy(d->dim, dimA, (size_t)nbDims * sizeof *dimA);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t grid(cudnnHandle_t h, const struct cudnnSpatialTransformerStruct *d,
                          const void *from, void *to, bool back)
{
    enum lib_type t;
    if (!d || d->dims != 4 || !from || !to || !cudnn_type(d->type, &t))
        return CUDNN_STATUS_BAD_PARAM;
    long long n = d->dim[0], height = d->dim[2], width = d->dim[3];
    void *args[] = {&n, &height, &width, &from, &to};
    return cudnn_status(dnn_run(&h->d, "window.h",
                                back ? dnn_blocks(2 * n) : dnn_grid(n * height * width), 0, args,
                                back ? "grid_backward<%s>" : "grid_forward<%s>", dnn_name(t)));
}

cudnnStatus_t cudnnSpatialTfGridGeneratorForward(cudnnHandle_t handle,
                                                 const cudnnSpatialTransformerDescriptor_t stDesc,
                                                 const void *theta, void *grid_out)
{
    CUDNN_CALL(handle, true);
    return grid(handle, stDesc, theta, grid_out, false);
}

cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(cudnnHandle_t handle,
                                                  const cudnnSpatialTransformerDescriptor_t stDesc,
                                                  const void *dgrid, void *dtheta)
{
    CUDNN_CALL(handle, true);
    return grid(handle, stDesc, dgrid, dtheta, true);
}

/* y's shape is the descriptor's; x has as many images and channels. */
static bool sampler(const struct cudnnSpatialTransformerStruct *d,
                    const struct cudnnTensorStruct *x, const struct cudnnTensorStruct *y,
                    struct dnn_window *w)
{
    if (!d || d->dims != 4 || x->dims != 4 || y->dims != 4 || x->type != d->type ||
        y->type != d->type || memcmp(y->dim, d->dim, 4 * sizeof *y->dim) ||
        x->dim[0] != y->dim[0] || x->dim[1] != y->dim[1])
        return false;
    *w = (struct dnn_window){.n = x->dim[0], .c = x->dim[1], .k = x->dim[1], .groups = 1};
    for (int k = 0; k < 2; k++) {
        w->in[k + 1] = x->dim[k + 2];
        w->out[k + 1] = y->dim[k + 2];
        w->x_step[k] = x->step[k];
        w->y_step[k] = y->step[k];
        w->x_step[k + 3] = x->step[k + 2];
        w->y_step[k + 3] = y->step[k + 2];
    }
    return true;
}

cudnnStatus_t cudnnSpatialTfSamplerForward(cudnnHandle_t handle,
                                           cudnnSpatialTransformerDescriptor_t stDesc,
                                           const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                           const void *x, const void *grid_in, const void *beta,
                                           cudnnTensorDescriptor_t yDesc, void *y)
{
    enum lib_type t;
    struct dnn_window w;
    CUDNN_CALL(handle, alpha && xDesc && x && grid_in && beta && yDesc && y && x != y &&
                           sampler(stDesc, xDesc, yDesc, &w) && cudnn_type(xDesc->type, &t));
    w.alpha = cudnn_scalar(t, alpha);
    w.beta = cudnn_scalar(t, beta);
    return cudnn_status(dnn_run(&handle->d, "window.h", dnn_grid(cudnn_count(yDesc)), 0,
                                (void *[]){&w, &x, &grid_in, &y}, "sample_forward<%s>",
                                dnn_name(t)));
}

cudnnStatus_t cudnnSpatialTfSamplerBackward(cudnnHandle_t handle,
                                            cudnnSpatialTransformerDescriptor_t stDesc,
                                            const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                            const void *x, const void *beta,
                                            const cudnnTensorDescriptor_t dxDesc, void *dx,
                                            const void *alphaDgrid,
                                            const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                            const void *grid_in, const void *betaDgrid, void *dgrid)
{
    enum lib_type t;
    struct dnn_window w;
    CUDNN_CALL(handle, alpha && xDesc && x && beta && dxDesc && dx && alphaDgrid && dyDesc && dy &&
                           grid_in && betaDgrid && dgrid && cudnn_same_shape(xDesc, dxDesc) &&
                           sampler(stDesc, xDesc, dyDesc, &w) && cudnn_type(xDesc->type, &t));
    if (!cudnn_alike(xDesc, dxDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    w.alpha = cudnn_scalar(t, alpha);
    w.beta = cudnn_scalar(t, beta);
    double a = cudnn_scalar(t, alphaDgrid), b = cudnn_scalar(t, betaDgrid);
    enum tern_error e =
        dnn_run(&handle->d, "window.h", dnn_grid(w.n * w.out[1] * w.out[2]), 0,
                (void *[]){&w, &x, &grid_in, &dy, &dgrid, &a, &b}, "sample_grid<%s>", dnn_name(t));
    if (!e)
        e = dnn_run(&handle->d, "window.h", dnn_grid(cudnn_count(xDesc)), 0,
                    (void *[]){&w, &grid_in, &dy, &dx}, "sample_backward<%s>", dnn_name(t));
    return cudnn_status(e);
}

/* ---- connectionist temporal classification ---- */

CUDNN_DESCRIPTOR(CTCLoss)

cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType,
                                           cudnnLossNormalizationMode_t normMode,
                                           cudnnCTCGradMode_t ctcGradMode, int maxLabelLength)
{
    if (!d || (unsigned)normMode > CUDNN_LOSS_NORMALIZATION_SOFTMAX || maxLabelLength < 0)
        return CUDNN_STATUS_BAD_PARAM;
    if (compType != CUDNN_DATA_FLOAT)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *d = (struct cudnnCTCLossStruct){compType, normMode, CUDNN_NOT_PROPAGATE_NAN, ctcGradMode,
                                     maxLabelLength};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType,
                                           cudnnLossNormalizationMode_t normMode,
                                           cudnnNanPropagation_t gradMode, int maxLabelLength)
{
    const cudnnStatus_t s = cudnnSetCTCLossDescriptor_v9(
        d, compType, normMode, CUDNN_CTC_ZERO_OOB_GRADIENTS, maxLabelLength);
    if (!s)
        d->nan = gradMode;
    return s;
}

cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType,
                                          cudnnLossNormalizationMode_t normMode,
                                          cudnnNanPropagation_t gradMode)
{
    return cudnnSetCTCLossDescriptor_v8(d, compType, normMode, gradMode, 0);
}

cudnnStatus_t cudnnSetCTCLossDescriptor(cudnnCTCLossDescriptor_t d, cudnnDataType_t compType)
{
    return cudnnSetCTCLossDescriptorEx(d, compType, CUDNN_LOSS_NORMALIZATION_SOFTMAX,
                                       CUDNN_NOT_PROPAGATE_NAN);
}

cudnnStatus_t cudnnGetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType,
                                           cudnnLossNormalizationMode_t *normMode,
                                           cudnnCTCGradMode_t *ctcGradMode, int *maxLabelLength)
{
    if (!d || !compType)
        return CUDNN_STATUS_BAD_PARAM;
    *compType = d->type;
    if (normMode)
        *normMode = d->normalization;
    if (ctcGradMode)
        *ctcGradMode = d->mode;
    if (maxLabelLength)
        *maxLabelLength = d->longest;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType,
                                           cudnnLossNormalizationMode_t *normMode,
                                           cudnnNanPropagation_t *gradMode, int *maxLabelLength)
{
    const cudnnStatus_t s =
        cudnnGetCTCLossDescriptor_v9(d, compType, normMode, NULL, maxLabelLength);
    if (!s && gradMode)
        *gradMode = d->nan;
    return s;
}

cudnnStatus_t cudnnGetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType,
                                          cudnnLossNormalizationMode_t *normMode,
                                          cudnnNanPropagation_t *gradMode)
{
    return cudnnGetCTCLossDescriptor_v8(d, compType, normMode, gradMode, NULL);
}

cudnnStatus_t cudnnGetCTCLossDescriptor(cudnnCTCLossDescriptor_t d, cudnnDataType_t *compType)
{
    return cudnnGetCTCLossDescriptor_v9(d, compType, NULL, NULL, NULL);
}

static bool ctc_fits(const struct cudnnCTCLossStruct *d, const struct cudnnTensorStruct *probs,
                     const struct cudnnTensorStruct *gradients)
{
    return d && d->type == CUDNN_DATA_FLOAT && probs && probs->dims == 3 &&
           probs->type == CUDNN_DATA_FLOAT && cudnn_packed(probs) &&
           (!gradients || (cudnn_same_shape(probs, gradients) && cudnn_packed(gradients) &&
                           gradients->type == CUDNN_DATA_FLOAT));
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algo,
                                              cudnnCTCLossDescriptor_t ctcLossDesc,
                                              const cudnnTensorDescriptor_t probsDesc,
                                              const cudnnTensorDescriptor_t gradientsDesc,
                                              size_t *sizeInBytes)
{
    (void)algo;
    CUDNN_CALL(handle, sizeInBytes && ctc_fits(ctcLossDesc, probsDesc, gradientsDesc));
    *sizeInBytes = 0; /* the stream's pool gives it */
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle,
                                           const cudnnTensorDescriptor_t probsDesc,
                                           const cudnnTensorDescriptor_t gradientsDesc,
                                           const int *labels, const int *labelLengths,
                                           const int *inputLengths, cudnnCTCLossAlgo_t algo,
                                           cudnnCTCLossDescriptor_t ctcLossDesc,
                                           size_t *sizeInBytes)
{
    CUDNN_CALL(handle, labels && labelLengths && inputLengths);
    return cudnnGetCTCLossWorkspaceSize_v8(handle, algo, ctcLossDesc, probsDesc, gradientsDesc,
                                           sizeInBytes);
}

/* Labels and lengths are on the device. */
static enum tern_error ctc(cudnnHandle_t h, const struct cudnnCTCLossStruct *d,
                           const struct cudnnTensorStruct *p, const void *probs, const int *labels,
                           const int *label_lengths, const int *input_lengths, long long longest,
                           void *costs, void *gradients)
{
    long long steps = p->dim[0], batch = p->dim[1], classes = p->dim[2], count = cudnn_count(p);
    void *logs = NULL, *room = NULL;
    enum tern_error e = lib_scratch(h->d.stream, (size_t)count * sizeof(float), &logs);
    if (!e)
        e = lib_scratch(h->d.stream,
                        (size_t)(2 * batch * steps * (2 * longest + 1)) * sizeof(float), &room);
    struct dnn_rows r = {.lines = steps * batch,
                         .inner = 1,
                         .length = classes,
                         .outer_step = classes,
                         .step = 1,
                         .alpha = 1};
    if (!e && d->normalization == CUDNN_LOSS_NORMALIZATION_SOFTMAX)
        e = dnn_run(&h->d, "rows.h", dnn_warps(r.lines), 0, (void *[]){&r, &probs, &logs},
                    "softmax<float, 1>");
    else if (!e)
        e = dnn_run(&h->d, "rows.h", dnn_grid(count), 0, (void *[]){&count, &probs, &logs},
                    "ctc_logs");
    if (!e)
        e = dnn_run(&h->d, "rows.h", dnn_blocks(batch), 0,
                    (void *[]){&steps, &batch, &classes, &longest, &logs, &labels, &label_lengths,
                               &input_lengths, &costs, &gradients, &room},
                    "ctc");
    lib_scratch_free(h->d.stream, room);
    lib_scratch_free(h->d.stream, logs);
    return e;
}

cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algo,
                              cudnnCTCLossDescriptor_t ctcLossDesc,
                              const cudnnTensorDescriptor_t probsDesc, const void *probs,
                              const int labels[], const int labelLengths[],
                              const int inputLengths[], void *costs,
                              const cudnnTensorDescriptor_t gradientsDesc, void *gradients,
                              size_t workSpaceSizeInBytes, void *workspace)
{
    (void)algo;
    (void)workSpaceSizeInBytes;
    (void)workspace;
    CUDNN_CALL(handle, probs && labels && labelLengths && inputLengths && costs &&
                           ctc_fits(ctcLossDesc, probsDesc, gradientsDesc) && ctcLossDesc->longest);
    if (ctcLossDesc->mode != CUDNN_CTC_ZERO_OOB_GRADIENTS)
        return CUDNN_STATUS_NOT_SUPPORTED;
    return cudnn_status(ctc(handle, ctcLossDesc, probsDesc, probs, labels, labelLengths,
                            inputLengths, ctcLossDesc->longest, costs,
                            gradientsDesc ? gradients : NULL));
}

/* With labels of the host: they are looked at, and copied. */
cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, const cudnnTensorDescriptor_t probsDesc,
                           const void *probs, const int hostLabels[], const int hostLabelLengths[],
                           const int hostInputLengths[], void *costs,
                           const cudnnTensorDescriptor_t gradientsDesc, void *gradients,
                           cudnnCTCLossAlgo_t algo, cudnnCTCLossDescriptor_t ctcLossDesc,
                           void *workspace, size_t workSpaceSizeInBytes)
{
    (void)algo;
    (void)workspace;
    (void)workSpaceSizeInBytes;
    CUDNN_CALL(handle, probs && hostLabels && hostLabelLengths && hostInputLengths && costs &&
                           ctc_fits(ctcLossDesc, probsDesc, gradientsDesc));
    if (ctcLossDesc->mode != CUDNN_CTC_ZERO_OOB_GRADIENTS)
        return CUDNN_STATUS_NOT_SUPPORTED;
    const int batch = probsDesc->dim[1];
    long long longest = 0, all = 0;
    for (int b = 0; b < batch; b++) {
        if (hostLabelLengths[b] < 0 || hostInputLengths[b] < 0 ||
            hostInputLengths[b] > probsDesc->dim[0])
            return CUDNN_STATUS_BAD_PARAM;
        longest = hostLabelLengths[b] > longest ? hostLabelLengths[b] : longest;
        all += hostLabelLengths[b];
    }
    for (long long k = 0; k < all; k++)
        if (hostLabels[k] < 1 || hostLabels[k] >= probsDesc->dim[2])
            return CUDNN_STATUS_BAD_PARAM;
    cudaStream_t stream = handle->d.stream;
    const size_t each = (size_t)batch * sizeof(int), text = (size_t)all * sizeof(int);
    char *device = NULL;
    enum tern_error e = lib_scratch(stream, 2 * each + text + 1, (void **)&device);
    if (!e)
        e = lib_error(
            cudaMemcpyAsync(device, hostLabelLengths, each, cudaMemcpyHostToDevice, stream));
    if (!e)
        e = lib_error(
            cudaMemcpyAsync(device + each, hostInputLengths, each, cudaMemcpyHostToDevice, stream));
    if (!e && text)
        e = lib_error(
            cudaMemcpyAsync(device + 2 * each, hostLabels, text, cudaMemcpyHostToDevice, stream));
    if (!e)
        e = ctc(handle, ctcLossDesc, probsDesc, probs, (int *)(void *)(device + 2 * each),
                (int *)(void *)device, (int *)(void *)(device + each), longest, costs,
                gradientsDesc ? gradients : NULL);
    if (!e) /* the caller's arrays are read until here */
        e = lib_error(cudaStreamSynchronize(stream));
    lib_scratch_free(stream, device);
    return cudnn_status(e);
}
