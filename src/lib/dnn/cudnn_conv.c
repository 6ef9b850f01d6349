/* cuDNN: filters and convolutions. There are two ways: products of matrices, which take a
 * workspace, and by index, which takes none. Every algorithm of cuDNN is one of them. */
#include <stdlib.h>
#include <string.h>
#include "lib/dnn/cudnn_int.h"

CUDNN_DESCRIPTOR(Filter)
CUDNN_DESCRIPTOR(Convolution)

/* ---- filters ---- */

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t dataType,
                                         cudnnTensorFormat_t format, int nbDims,
                                         const int filterDimA[])
{
    if (!d || !filterDimA || nbDims < 3)
        return CUDNN_STATUS_BAD_PARAM;
    if (nbDims > CUDNN_DIM_MAX || !cudnn_bytes(dataType) || format == CUDNN_TENSOR_NCHW_VECT_C)
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int k = 0; k < nbDims; k++)
        if (filterDimA[k] <= 0)
            return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnFilterStruct){dataType, format, nbDims, {0}};
    memcpy(d->dim, filterDimA, (size_t)nbDims * sizeof *filterDimA);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t dataType,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w)
{
    return cudnnSetFilterNdDescriptor(d, dataType, format, 4, (int[]){k, c, h, w});
}

cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t d, int nbDimsRequested,
                                         cudnnDataType_t *dataType, cudnnTensorFormat_t *format,
                                         int *nbDims, int filterDimA[])
{
    if (!d || !dataType || !format || !nbDims || !filterDimA || nbDimsRequested < 0)
        return CUDNN_STATUS_BAD_PARAM;
    *dataType = d->type;
    *format = d->format;
    *nbDims = d->dims;
    for (int k = 0; k < d->dims && k < nbDimsRequested; k++)
        filterDimA[k] = d->dim[k];
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetFilter4dDescriptor(const cudnnFilterDescriptor_t d, cudnnDataType_t *dataType,
                                         cudnnTensorFormat_t *format, int *k, int *c, int *h,
                                         int *w)
{
    int dims, dim[4];
    if (!d || d->dims != 4 || !k || !c || !h || !w)
        return CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t s = cudnnGetFilterNdDescriptor(d, 4, dataType, format, &dims, dim);
    if (s)
        return s;
    *k = dim[0];
    *c = dim[1];
    *h = dim[2];
    *w = dim[3];
    return CUDNN_STATUS_SUCCESS;
}

static int64_t filter_count(const struct cudnnFilterStruct *d)
{
    int64_t n = 1;
    for (int k = 0; k < d->dims; k++)
        n *= d->dim[k];
    return n;
}

cudnnStatus_t cudnnGetFilterSizeInBytes(const cudnnFilterDescriptor_t d, size_t *size)
{
    if (!d || !size)
        return CUDNN_STATUS_BAD_PARAM;
    *size = (size_t)filter_count(d) * cudnn_bytes(d->type);
    return CUDNN_STATUS_SUCCESS;
}

/* ---- descriptors of convolutions ---- */

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t d, int arrayLength,
                                              const int padA[], const int filterStrideA[],
                                              const int dilationA[], cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType)
{
    if (!d || arrayLength < 1 || !padA || !filterStrideA || !dilationA ||
        (unsigned)mode > CUDNN_CROSS_CORRELATION)
        return CUDNN_STATUS_BAD_PARAM;
    if (arrayLength > 3)
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int k = 0; k < arrayLength; k++)
        if (padA[k] < 0 || filterStrideA[k] < 1 || dilationA[k] < 1)
            return CUDNN_STATUS_BAD_PARAM;
    const int groups = d->groups ? d->groups : 1;
    *d = (struct cudnnConvolutionStruct){.dims = arrayLength,
                                         .mode = mode,
                                         .compute = computeType,
                                         .math = d->math,
                                         .groups = groups};
    memcpy(d->pad, padA, (size_t)arrayLength * sizeof *padA);
    memcpy(d->stride, filterStrideA, (size_t)arrayLength * sizeof *filterStrideA);
    memcpy(d->dilation, dilationA, (size_t)arrayLength * sizeof *dilationA);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_h, int pad_w,
                                              int u, int v, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t computeType)
{
    return cudnnSetConvolutionNdDescriptor(d, 2, (int[]){pad_h, pad_w}, (int[]){u, v},
                                           (int[]){dilation_h, dilation_w}, mode, computeType);
}

cudnnStatus_t cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t d,
                                              int arrayLengthRequested, int *arrayLength,
                                              int padA[], int strideA[], int dilationA[],
                                              cudnnConvolutionMode_t *mode,
                                              cudnnDataType_t *computeType)
{
    if (!d || !arrayLength || !mode || !computeType || arrayLengthRequested < 0)
        return CUDNN_STATUS_BAD_PARAM;
    *arrayLength = d->dims;
    *mode = d->mode;
    *computeType = d->compute;
    for (int k = 0; k < d->dims && k < arrayLengthRequested; k++) {
        padA[k] = d->pad[k];
        strideA[k] = d->stride[k];
        dilationA[k] = d->dilation[k];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolution2dDescriptor(const cudnnConvolutionDescriptor_t d, int *pad_h,
                                              int *pad_w, int *u, int *v, int *dilation_h,
                                              int *dilation_w, cudnnConvolutionMode_t *mode,
                                              cudnnDataType_t *computeType)
{
    int dims, pad[2], stride[2], dilation[2];
    if (!d || d->dims != 2 || !pad_h || !pad_w || !u || !v || !dilation_h || !dilation_w)
        return CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t s =
        cudnnGetConvolutionNdDescriptor(d, 2, &dims, pad, stride, dilation, mode, computeType);
    if (s)
        return s;
    *pad_h = pad[0];
    *pad_w = pad[1];
    *u = stride[0];
    *v = stride[1];
    *dilation_h = dilation[0];
    *dilation_w = dilation[1];
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t mathType)
{
    if (!d || (unsigned)mathType > CUDNN_FMA_MATH)
        return CUDNN_STATUS_BAD_PARAM;
    d->math = mathType;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t d, cudnnMathType_t *mathType)
{
    if (!d || !mathType)
        return CUDNN_STATUS_BAD_PARAM;
    *mathType = d->math;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int groupCount)
{
    if (!d || groupCount < 1)
        return CUDNN_STATUS_BAD_PARAM;
    d->groups = groupCount;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t d, int *groupCount)
{
    if (!d || !groupCount)
        return CUDNN_STATUS_BAD_PARAM;
    *groupCount = d->groups ? d->groups : 1;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(const cudnnConvolutionDescriptor_t d,
                                                    const cudnnTensorDescriptor_t x,
                                                    const cudnnFilterDescriptor_t f, int nbDims,
                                                    int out[])
{
    if (!d || !x || !f || !out || nbDims != x->dims || f->dims != x->dims ||
        x->dims != d->dims + 2 || x->dim[1] != f->dim[1] * (d->groups ? d->groups : 1))
        return CUDNN_STATUS_BAD_PARAM;
    out[0] = x->dim[0];
    out[1] = f->dim[0];
    for (int k = 0; k < d->dims; k++) {
        const int room = x->dim[k + 2] + 2 * d->pad[k] - ((f->dim[k + 2] - 1) * d->dilation[k] + 1);
        if (room < 0)
            return CUDNN_STATUS_BAD_PARAM;
        out[k + 2] = 1 + room / d->stride[k];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(const cudnnConvolutionDescriptor_t d,
                                                    const cudnnTensorDescriptor_t x,
                                                    const cudnnFilterDescriptor_t f, int *n, int *c,
                                                    int *h, int *w)
{
    int out[4];
    if (!n || !c || !h || !w)
        return CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t s = cudnnGetConvolutionNdForwardOutputDim(d, x, f, 4, out);
    if (s)
        return s;
    *n = out[0];
    *c = out[1];
    *h = out[2];
    *w = out[3];
    return CUDNN_STATUS_SUCCESS;
}

/* ---- the work ---- */

struct convolution {
    enum lib_type t;
    struct dnn_window w;
};

/* Steps in the order n, c, depth, height, width, from `dims` of them. */
static void steps5(const int *step, int dims, long long *out)
{
    memset(out, 0, 5 * sizeof *out);
    out[0] = step[0];
    out[1] = step[1];
    for (int k = 2; k < dims; k++)
        out[5 - dims + k] = step[k];
}

static void filter_steps(const struct cudnnFilterStruct *f, int *step)
{
    int s = 1;
    const bool last = f->format == CUDNN_TENSOR_NHWC;
    if (last) {
        step[1] = 1;
        s = f->dim[1];
    }
    for (int k = f->dims - 1; k >= 0; k--)
        if (!(last && k == 1)) {
            step[k] = s;
            s *= f->dim[k];
        }
}

static cudnnStatus_t convolution_of(cudnnConvolutionDescriptor_t d, cudnnTensorDescriptor_t x,
                                    cudnnFilterDescriptor_t f, cudnnTensorDescriptor_t y,
                                    struct convolution *c)
{
    int out[CUDNN_DIM_MAX], step[CUDNN_DIM_MAX];
    if (!d || !x || !f || !y)
        return CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t s = cudnnGetConvolutionNdForwardOutputDim(d, x, f, x->dims, out);
    if (s)
        return s;
    if (y->dims != x->dims || memcmp(out, y->dim, (size_t)x->dims * sizeof *out) ||
        f->dim[0] % (d->groups ? d->groups : 1))
        return CUDNN_STATUS_BAD_PARAM;
    if (!cudnn_type(x->type, &c->t) || x->type != f->type || x->type != y->type)
        return CUDNN_STATUS_NOT_SUPPORTED;
    c->w = (struct dnn_window){.n = x->dim[0],
                               .c = x->dim[1],
                               .k = y->dim[1],
                               .groups = d->groups ? d->groups : 1,
                               .flip = d->mode == CUDNN_CONVOLUTION,
                               .tf32 = d->math != CUDNN_FMA_MATH,
                               .alpha = 1};
    for (int k = 0; k < 3; k++) {
        const int at = k - (3 - d->dims);
        c->w.in[k] = at < 0 ? 1 : x->dim[at + 2];
        c->w.out[k] = at < 0 ? 1 : y->dim[at + 2];
        c->w.size[k] = at < 0 ? 1 : f->dim[at + 2];
        c->w.pad[k] = at < 0 ? 0 : d->pad[at];
        c->w.stride[k] = at < 0 ? 1 : d->stride[at];
        c->w.dilation[k] = at < 0 ? 1 : d->dilation[at];
    }
    steps5(x->step, x->dims, c->w.x_step);
    steps5(y->step, y->dims, c->w.y_step);
    filter_steps(f, step);
    steps5(step, f->dims, c->w.w_step);
    /* Dimensions that are not there have one place: any step will do, this one says "no gaps". */
    for (int k = 2; k < 5 - d->dims; k++) {
        c->w.x_step[k] = c->w.in[0] * c->w.in[1] * c->w.in[2];
        c->w.y_step[k] = c->w.out[0] * c->w.out[1] * c->w.out[2];
        c->w.w_step[k] = c->w.size[0] * c->w.size[1] * c->w.size[2];
    }
    return CUDNN_STATUS_SUCCESS;
}

/* What an algorithm of cuDNN's is here. */
static bool by_product(enum dnn_conv what, int algo, const struct dnn_window *w)
{
    const bool direct = what == DNN_FORWARD && (algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
                                                algo == CUDNN_CONVOLUTION_FWD_ALGO_DIRECT);
    const bool zero = what != DNN_FORWARD && algo == 0;
    return !direct && !zero && dnn_conv_fits(w);
}

static size_t workspace(enum dnn_conv what, int algo, const struct convolution *c)
{
    return by_product(what, algo, &c->w) ? dnn_conv_bytes(c->t, what, &c->w) : 0;
}

static const int algorithms[] = {CUDNN_CONVOLUTION_FWD_ALGO_COUNT,
                                 CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT,
                                 CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT};

static cudnnStatus_t convolve(cudnnHandle_t h, enum dnn_conv what, int algo, struct convolution *c,
                              const void *alpha, const void *beta, const void *x, const void *f,
                              const void *y, void *space, size_t space_bytes)
{
    if (algo < 0 || algo >= algorithms[what])
        return CUDNN_STATUS_BAD_PARAM;
    const size_t need = workspace(what, algo, c);
    if (need > space_bytes || (need && !space))
        return CUDNN_STATUS_BAD_PARAM;
    c->w.alpha = cudnn_scalar(c->t, alpha);
    c->w.beta = cudnn_scalar(c->t, beta);
    /* Without a workspace, memory of the stream's pool: cuDNN's implicit products are not slow. */
    const bool product = by_product(what, algo, &c->w) ||
                         (algo != CUDNN_CONVOLUTION_FWD_ALGO_DIRECT && dnn_conv_better(&c->w));
    return cudnn_status(dnn_convolve(&h->d, c->t, what, &c->w, product, (void *)(uintptr_t)x,
                                     (void *)(uintptr_t)f, (void *)(uintptr_t)y,
                                     need ? space : NULL));
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha,
                                      const cudnnTensorDescriptor_t xDesc, const void *x,
                                      const cudnnFilterDescriptor_t wDesc, const void *w,
                                      const cudnnConvolutionDescriptor_t convDesc,
                                      cudnnConvolutionFwdAlgo_t algo, void *workSpace,
                                      size_t workSpaceSizeInBytes, const void *beta,
                                      const cudnnTensorDescriptor_t yDesc, void *y)
{
    struct convolution c;
    CUDNN_CALL(handle, alpha && beta && x && w && y);
    const cudnnStatus_t s = convolution_of(convDesc, xDesc, wDesc, yDesc, &c);
    return s ? s
             : convolve(handle, DNN_FORWARD, (int)algo, &c, alpha, beta, x, w, y, workSpace,
                        workSpaceSizeInBytes);
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha,
                                           const cudnnFilterDescriptor_t wDesc, const void *w,
                                           const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const cudnnConvolutionDescriptor_t convDesc,
                                           cudnnConvolutionBwdDataAlgo_t algo, void *workSpace,
                                           size_t workSpaceSizeInBytes, const void *beta,
                                           const cudnnTensorDescriptor_t dxDesc, void *dx)
{
    struct convolution c;
    CUDNN_CALL(handle, alpha && beta && w && dy && dx);
    const cudnnStatus_t s = convolution_of(convDesc, dxDesc, wDesc, dyDesc, &c);
    return s ? s
             : convolve(handle, DNN_DATA, (int)algo, &c, alpha, beta, dx, w, dy, workSpace,
                        workSpaceSizeInBytes);
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha,
                                             const cudnnTensorDescriptor_t xDesc, const void *x,
                                             const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                             const cudnnConvolutionDescriptor_t convDesc,
                                             cudnnConvolutionBwdFilterAlgo_t algo, void *workSpace,
                                             size_t workSpaceSizeInBytes, const void *beta,
                                             const cudnnFilterDescriptor_t dwDesc, void *dw)
{
    struct convolution c;
    CUDNN_CALL(handle, alpha && beta && x && dy && dw);
    const cudnnStatus_t s = convolution_of(convDesc, xDesc, dwDesc, dyDesc, &c);
    return s ? s
             : convolve(handle, DNN_FILTER, (int)algo, &c, alpha, beta, x, dw, dy, workSpace,
                        workSpaceSizeInBytes);
}

cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t handle, const void *alpha,
                                           const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const void *beta, const cudnnTensorDescriptor_t dbDesc,
                                           void *db)
{
    enum lib_type t;
    CUDNN_CALL(handle, alpha && dyDesc && beta && dbDesc && cudnn_count(dbDesc) == dbDesc->dim[1]);
    if (!cudnn_type(dyDesc->type, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    return cudnn_reduce(handle, "sum", cudnn_scalar(t, alpha), dyDesc, dy, cudnn_scalar(t, beta),
                        dbDesc, db, NULL);
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha1, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnConvolutionDescriptor_t convDesc,
    cudnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes,
    const void *alpha2, const cudnnTensorDescriptor_t zDesc, const void *z,
    const cudnnTensorDescriptor_t biasDesc, const void *bias,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t yDesc, void *y)
{
    static const double zero;
    struct convolution c;
    double p;
    CUDNN_CALL(handle, alpha1 && alpha2 && x && w && y && zDesc && biasDesc && bias &&
                           activationDesc && yDesc && cudnn_same_shape(zDesc, yDesc));
    cudnnStatus_t s = convolution_of(convDesc, xDesc, wDesc, yDesc, &c);
    if (s)
        return s;
    /* z may be y: then the convolution adds to it. */
    const double scale = cudnn_scalar(c.t, alpha2);
    const bool in_place = z == y, apart = !in_place && scale != 0;
    if (apart && !z)
        return CUDNN_STATUS_BAD_PARAM;
    s = convolve(handle, DNN_FORWARD, (int)algo, &c, alpha1, in_place ? alpha2 : &zero, x, w, y,
                 workSpace, workSpaceSizeInBytes);
    if (s)
        return s;
    const struct cudnn_input in[] = {
        {yDesc, y}, {biasDesc, bias}, {apart ? zDesc : NULL, apart ? z : NULL}};
    const char *name = cudnn_activation(activationDesc, &p);
    return cudnn_each(handle, "biased", name, p, scale, in, 3, 1, 0, yDesc, y);
}

cudnnStatus_t cudnnIm2Col(cudnnHandle_t handle, const cudnnTensorDescriptor_t xDesc, const void *x,
                          const cudnnFilterDescriptor_t wDesc,
                          const cudnnConvolutionDescriptor_t convDesc, void *colBuffer)
{
    struct cudnnTensorStruct y = {0};
    struct convolution c;
    CUDNN_CALL(handle, xDesc && wDesc && convDesc && x && colBuffer && xDesc->dims <= 5);
    y.type = xDesc->type;
    y.dims = xDesc->dims;
    cudnnStatus_t s =
        cudnnGetConvolutionNdForwardOutputDim(convDesc, xDesc, wDesc, xDesc->dims, y.dim);
    if (!s)
        s = convolution_of(convDesc, xDesc, wDesc, &y, &c);
    if (s)
        return s;
    if (c.w.groups != 1)
        return CUDNN_STATUS_NOT_SUPPORTED;
    int64_t images = c.w.n;
    int joined = 0;
    const int64_t rows = c.w.c * c.w.size[0] * c.w.size[1] * c.w.size[2];
    return cudnn_status(dnn_run(&handle->d, "convolve.h", dnn_blocks(images * rows), 0,
                                (void *[]){&c.w, &images, &joined, &x, &colBuffer},
                                "conv_columns<%s>", dnn_name(c.t)));
}

/* ---- which algorithm ---- */

/* The two that differ, the better one first. */
struct found {
    int algo;
    float time;
    size_t memory;
    cudnnStatus_t status;
};

static void candidates(enum dnn_conv what, const struct convolution *c, struct found *f)
{
    const int product = 1, index = 0; /* of all three kinds */
    const bool better = dnn_conv_better(&c->w);
    f[0].algo = better ? product : index;
    f[1].algo = better ? index : product;
    for (int k = 0; k < 2; k++) {
        f[k].memory = workspace(what, f[k].algo, c);
        f[k].time = -1;
        f[k].status = CUDNN_STATUS_SUCCESS;
    }
}

/* Each is run once to be compiled, and once to be timed. */
static cudnnStatus_t measure(cudnnHandle_t h, enum dnn_conv what, struct convolution *c,
                             struct found *f, const void *x, const void *w, const void *y,
                             void *space, size_t bytes)
{
    static const double one = 1, zero = 0;
    static const float one32 = 1, zero32 = 0;
    const bool wide = c->t == LIB_F64;
    cudaEvent_t from, to;
    if (cudaEventCreate(&from) != cudaSuccess)
        return CUDNN_STATUS_EXECUTION_FAILED;
    if (cudaEventCreate(&to) != cudaSuccess) {
        cudaEventDestroy(from);
        return CUDNN_STATUS_EXECUTION_FAILED;
    }
    for (int k = 0; k < 2; k++) {
        f[k].status = f[k].memory > bytes ? CUDNN_STATUS_ALLOC_FAILED : CUDNN_STATUS_SUCCESS;
        for (int turn = 0; turn < 2 && !f[k].status; turn++) {
            cudaEventRecord(from, h->d.stream);
            f[k].status = convolve(h, what, f[k].algo, c, wide ? (const void *)&one : &one32,
                                   wide ? (const void *)&zero : &zero32, x, w, y, space, bytes);
            cudaEventRecord(to, h->d.stream);
        }
        if (cudaEventSynchronize(to) != cudaSuccess || f[k].status)
            f[k].time = -1;
        else
            cudaEventElapsedTime(&f[k].time, from, to);
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    if (f[1].time >= 0 && (f[0].time < 0 || f[1].time < f[0].time)) {
        const struct found swap = f[0];
        f[0] = f[1];
        f[1] = swap;
    }
    return CUDNN_STATUS_SUCCESS;
}

/* With arrays of its own, as the caller has none yet. */
static cudnnStatus_t measure_alone(cudnnHandle_t h, enum dnn_conv what, struct convolution *c,
                                   struct found *f, cudnnTensorDescriptor_t x,
                                   cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y)
{
    size_t bytes[4] = {0};
    void *p[4] = {0};
    cudnnGetTensorSizeInBytes(x, &bytes[0]);
    cudnnGetFilterSizeInBytes(w, &bytes[1]);
    cudnnGetTensorSizeInBytes(y, &bytes[2]);
    bytes[3] = f[0].memory > f[1].memory ? f[0].memory : f[1].memory;
    enum tern_error e = TERN_OK;
    for (int k = 0; k < 4 && !e; k++) {
        e = lib_scratch(h->d.stream, bytes[k], &p[k]);
        if (!e && p[k])
            e = lib_error(cudaMemsetAsync(p[k], 0, bytes[k], h->d.stream));
    }
    const cudnnStatus_t s =
        e ? cudnn_status(e) : measure(h, what, c, f, p[0], p[1], p[2], p[3], bytes[3]);
    for (int k = 0; k < 4; k++)
        lib_scratch_free(h->d.stream, p[k]);
    return s;
}

/* The functions of the three kinds; x, w, y: which of a call's three descriptors they are. */
#define ALGORITHMS(Kind, Perf, what, FIRST, SECOND, THIRD, x, w, y)                                \
    cudnnStatus_t cudnnGetConvolution##Kind##AlgorithmMaxCount(cudnnHandle_t handle, int *count)   \
    {                                                                                              \
        CUDNN_CALL(handle, count);                                                                 \
        *count = 2;                                                                                \
        return CUDNN_STATUS_SUCCESS;                                                               \
    }                                                                                              \
    static void put_##Perf(const struct found *f, int wanted, int *count,                          \
                           cudnnConvolution##Perf##AlgoPerf_t *out)                                \
    {                                                                                              \
        *count = wanted < 2 ? wanted : 2;                                                          \
        for (int k = 0; k < *count; k++)                                                           \
            out[k] = (cudnnConvolution##Perf##AlgoPerf_t){                                         \
                .algo = (cudnnConvolution##Perf##Algo_t)f[k].algo,                                 \
                .status = f[k].status,                                                             \
                .time = f[k].time,                                                                 \
                .memory = f[k].memory,                                                             \
                .determinism = CUDNN_DETERMINISTIC,                                                \
                .mathType = CUDNN_DEFAULT_MATH};                                                   \
    }                                                                                              \
    cudnnStatus_t cudnnGetConvolution##Kind##Algorithm_v7(                                         \
        cudnnHandle_t handle, const FIRST##_t first, const SECOND##_t second,                      \
        const cudnnConvolutionDescriptor_t convDesc, const THIRD##_t third,                        \
        const int requestedAlgoCount, int *returnedAlgoCount,                                      \
        cudnnConvolution##Perf##AlgoPerf_t *perfResults)                                           \
    {                                                                                              \
        struct convolution c;                                                                      \
        struct found f[2];                                                                         \
        CUDNN_CALL(handle, requestedAlgoCount > 0 && returnedAlgoCount && perfResults);            \
        const cudnnStatus_t s = convolution_of(convDesc, x, w, y, &c);                             \
        if (s)                                                                                     \
            return s;                                                                              \
        candidates(what, &c, f);                                                                   \
        put_##Perf(f, requestedAlgoCount, returnedAlgoCount, perfResults);                         \
        return CUDNN_STATUS_SUCCESS;                                                               \
    }                                                                                              \
    cudnnStatus_t cudnnFindConvolution##Kind##Algorithm(                                           \
        cudnnHandle_t handle, const FIRST##_t first, const SECOND##_t second,                      \
        const cudnnConvolutionDescriptor_t convDesc, const THIRD##_t third,                        \
        const int requestedAlgoCount, int *returnedAlgoCount,                                      \
        cudnnConvolution##Perf##AlgoPerf_t *perfResults)                                           \
    {                                                                                              \
        struct convolution c;                                                                      \
        struct found f[2];                                                                         \
        CUDNN_CALL(handle, requestedAlgoCount > 0 && returnedAlgoCount && perfResults);            \
        cudnnStatus_t s = convolution_of(convDesc, x, w, y, &c);                                   \
        if (s)                                                                                     \
            return s;                                                                              \
        candidates(what, &c, f);                                                                   \
        s = measure_alone(handle, what, &c, f, x, w, y);                                           \
        if (!s)                                                                                    \
            put_##Perf(f, requestedAlgoCount, returnedAlgoCount, perfResults);                     \
        return s;                                                                                  \
    }                                                                                              \
    cudnnStatus_t cudnnGetConvolution##Kind##WorkspaceSize(                                        \
        cudnnHandle_t handle, const FIRST##_t first, const SECOND##_t second,                      \
        const cudnnConvolutionDescriptor_t convDesc, const THIRD##_t third,                        \
        cudnnConvolution##Perf##Algo_t algo, size_t *sizeInBytes)                                  \
    {                                                                                              \
        struct convolution c;                                                                      \
        CUDNN_CALL(handle, sizeInBytes && (int)algo >= 0 && (int)algo < algorithms[what]);         \
        const cudnnStatus_t s = convolution_of(convDesc, x, w, y, &c);                             \
        if (!s)                                                                                    \
            *sizeInBytes = workspace(what, (int)algo, &c);                                         \
        return s;                                                                                  \
    }

/* And with the caller's arrays, which the last one of is written to. */
#define FIND_EX(Kind, Perf, what, FIRST, SECOND, THIRD, x, w, y, xp, wp, yp)                       \
    cudnnStatus_t cudnnFindConvolution##Kind##AlgorithmEx(                                         \
        cudnnHandle_t handle, const FIRST##_t first, const void *one, const SECOND##_t second,     \
        const void *two, const cudnnConvolutionDescriptor_t convDesc, const THIRD##_t third,       \
        void *three, const int requestedAlgoCount, int *returnedAlgoCount,                         \
        cudnnConvolution##Perf##AlgoPerf_t *perfResults, void *workSpace,                          \
        size_t workSpaceSizeInBytes)                                                               \
    {                                                                                              \
        struct convolution c;                                                                      \
        struct found f[2];                                                                         \
        CUDNN_CALL(handle, requestedAlgoCount > 0 && returnedAlgoCount && perfResults && one &&    \
                               two && three);                                                      \
        cudnnStatus_t s = convolution_of(convDesc, x, w, y, &c);                                   \
        if (s)                                                                                     \
            return s;                                                                              \
        candidates(what, &c, f);                                                                   \
        s = measure(handle, what, &c, f, xp, wp, yp, workSpace, workSpaceSizeInBytes);             \
        if (!s)                                                                                    \
            put_##Perf(f, requestedAlgoCount, returnedAlgoCount, perfResults);                     \
        return s;                                                                                  \
    }
ALGORITHMS(Forward, Fwd, DNN_FORWARD, cudnnTensorDescriptor, cudnnFilterDescriptor,
           cudnnTensorDescriptor, first, second, third)
ALGORITHMS(BackwardData, BwdData, DNN_DATA, cudnnFilterDescriptor, cudnnTensorDescriptor,
           cudnnTensorDescriptor, third, first, second)
ALGORITHMS(BackwardFilter, BwdFilter, DNN_FILTER, cudnnTensorDescriptor, cudnnTensorDescriptor,
           cudnnFilterDescriptor, first, third, second)
FIND_EX(Forward, Fwd, DNN_FORWARD, cudnnTensorDescriptor, cudnnFilterDescriptor,
        cudnnTensorDescriptor, first, second, third, one, two, three)
FIND_EX(BackwardData, BwdData, DNN_DATA, cudnnFilterDescriptor, cudnnTensorDescriptor,
        cudnnTensorDescriptor, third, first, second, three, one, two)
FIND_EX(BackwardFilter, BwdFilter, DNN_FILTER, cudnnTensorDescriptor, cudnnTensorDescriptor,
        cudnnFilterDescriptor, first, third, second, one, three, two)
