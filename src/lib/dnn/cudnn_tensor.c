/* cuDNN: handles, statuses, tensors, and what is done with tensors element by element. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "lib/dnn/cudnn_int.h"

enum { MAGIC = 0xcd2290 };

/* ---- handles ---- */

bool cudnn_entered(cudnnHandle_t h)
{
    return h && h->magic == MAGIC;
}

cudnnStatus_t cudnn_status(enum tern_error e)
{
    switch (e) {
    case TERN_OK: return CUDNN_STATUS_SUCCESS;
    case TERN_OUT_OF_MEMORY: return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    case TERN_INVALID_ARGUMENT: return CUDNN_STATUS_BAD_PARAM;
    case TERN_UNSUPPORTED: return CUDNN_STATUS_NOT_SUPPORTED;
    default: return CUDNN_STATUS_EXECUTION_FAILED;
    }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    if (!handle)
        return CUDNN_STATUS_BAD_PARAM;
    *handle = NULL;
    struct cudnnContext *h = calloc(1, sizeof *h);
    if (!h)
        return CUDNN_STATUS_ALLOC_FAILED;
    const enum tern_error e = dnn_begin(&h->d);
    if (e) {
        free(h);
        return e == TERN_OUT_OF_MEMORY ? CUDNN_STATUS_ALLOC_FAILED : CUDNN_STATUS_NOT_INITIALIZED;
    }
    h->magic = MAGIC;
    *handle = h;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
    CUDNN_CALL(handle, true);
    dnn_end(&handle->d);
    handle->magic = 0;
    free(handle);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t streamId)
{
    CUDNN_CALL(handle, true);
    dnn_stream(&handle->d, streamId);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *streamId)
{
    CUDNN_CALL(handle, streamId);
    *streamId = handle->d.stream;
    return CUDNN_STATUS_SUCCESS;
}

size_t cudnnGetVersion(void)
{
    return CUDNN_VERSION;
}

size_t cudnnGetMaxDeviceVersion(void)
{
    return CUDNN_MAX_DEVICE_VERSION;
}

size_t cudnnGetCudartVersion(void)
{
    int version = 0;
    return cudaRuntimeGetVersion(&version) == cudaSuccess ? (size_t)version : 0;
}

cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL};
    if (!value || (unsigned)type > PATCH_LEVEL)
        return CUDNN_STATUS_BAD_PARAM;
    *value = parts[type];
    return CUDNN_STATUS_SUCCESS;
}

/* One library: its parts are of one version. */
#define VERSION_CHECK(Name)                                                                        \
    cudnnStatus_t cudnn##Name##VersionCheck(void)                                                  \
    {                                                                                              \
        return CUDNN_STATUS_SUCCESS;                                                               \
    }
VERSION_CHECK(Graph)
VERSION_CHECK(Ops)
VERSION_CHECK(Cnn)
VERSION_CHECK(Adv)

const char *cudnnGetErrorString(cudnnStatus_t status)
{
    switch ((int)status) {
#define NAME(name, number)                                                                         \
    case number: return #name;
        TERN_CUDNN_STATUSES(NAME)
#undef NAME
    }
    return "CUDNN_UNKNOWN_STATUS";
}

cudnnStatus_t cudnn_refused(const char *function)
{
    lib_note("cudnn: %s is not supported", function);
    return dnn_graph_wrong(CUDNN_STATUS_NOT_SUPPORTED, "%s is not supported", function);
}

/* ---- types ---- */

size_t cudnn_bytes(cudnnDataType_t t)
{
    switch (t) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
    case CUDNN_DATA_COMPLEX_FP32: return 8;
    case CUDNN_DATA_COMPLEX_FP64: return 16;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_UINT32: return 4;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16: return 2;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN:
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2: return 1;
    default: return 0;
    }
}

bool cudnn_type(cudnnDataType_t t, enum lib_type *out)
{
    switch (t) {
    case CUDNN_DATA_FLOAT: *out = LIB_F32; return true;
    case CUDNN_DATA_DOUBLE: *out = LIB_F64; return true;
    case CUDNN_DATA_HALF: *out = LIB_F16; return true;
    case CUDNN_DATA_BFLOAT16: *out = LIB_BF16; return true;
    default: return false;
    }
}

double cudnn_scalar(enum lib_type t, const void *given)
{
    return t == LIB_F64 ? *(const double *)given : *(const float *)given;
}

/* ---- tensors ---- */

CUDNN_DESCRIPTOR(Tensor)

static void pack(struct cudnnTensorStruct *t, bool channels_last)
{
    long long s = 1;
    if (channels_last && t->dims > 1) {
        t->step[1] = 1;
        s = t->dim[1];
    }
    for (int k = t->dims - 1; k >= 0; k--)
        if (!(channels_last && k == 1)) {
            t->step[k] = (int)s;
            s *= t->dim[k];
        }
}

static cudnnStatus_t shape(struct cudnnTensorStruct *t, cudnnDataType_t type, int dims,
                           const int *dim, const int *step)
{
    if (!t || !dim || dims < 1 || dims > CUDNN_DIM_MAX)
        return t && dim && dims > CUDNN_DIM_MAX ? CUDNN_STATUS_NOT_SUPPORTED
                                                : CUDNN_STATUS_BAD_PARAM;
    if (!cudnn_bytes(type))
        return CUDNN_STATUS_NOT_SUPPORTED;
    long long count = 1;
    for (int k = 0; k < dims; k++) {
        count *= dim[k];
        if (dim[k] <= 0)
            return CUDNN_STATUS_BAD_PARAM;
        if (count > INT32_MAX)
            return CUDNN_STATUS_NOT_SUPPORTED;
    }
    t->type = type;
    t->dims = dims;
    memcpy(t->dim, dim, (size_t)dims * sizeof *dim);
    if (step)
        memcpy(t->step, step, (size_t)dims * sizeof *step);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t shape_by_format(struct cudnnTensorStruct *t, cudnnTensorFormat_t format,
                                     cudnnDataType_t type, int dims, const int *dim)
{
    if (format != CUDNN_TENSOR_NCHW && format != CUDNN_TENSOR_NHWC)
        return format == CUDNN_TENSOR_NCHW_VECT_C ? CUDNN_STATUS_NOT_SUPPORTED
                                                  : CUDNN_STATUS_BAD_PARAM;
    const cudnnStatus_t s = shape(t, type, dims, dim, NULL);
    if (!s)
        pack(t, format == CUDNN_TENSOR_NHWC);
    return s;
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensorDesc,
                                         cudnnTensorFormat_t format, cudnnDataType_t dataType,
                                         int n, int c, int h, int w)
{
    return shape_by_format(tensorDesc, format, dataType, 4, (int[]){n, c, h, w});
}

cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensorDesc,
                                           cudnnDataType_t dataType, int n, int c, int h, int w,
                                           int nStride, int cStride, int hStride, int wStride)
{
    return shape(tensorDesc, dataType, 4, (int[]){n, c, h, w},
                 (int[]){nStride, cStride, hStride, wStride});
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensorDesc,
                                         cudnnDataType_t dataType, int nbDims, const int dimA[],
                                         const int strideA[])
{
    if (!strideA)
        return CUDNN_STATUS_BAD_PARAM;
    return shape(tensorDesc, dataType, nbDims, dimA, strideA);
}

cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensorDesc,
                                           cudnnTensorFormat_t format, cudnnDataType_t dataType,
                                           int nbDims, const int dimA[])
{
    return shape_by_format(tensorDesc, format, dataType, nbDims, dimA);
}

cudnnStatus_t cudnnGetTensor4dDescriptor(const cudnnTensorDescriptor_t t, cudnnDataType_t *dataType,
                                         int *n, int *c, int *h, int *w, int *nStride, int *cStride,
                                         int *hStride, int *wStride)
{
    if (!t || t->dims != 4)
        return CUDNN_STATUS_BAD_PARAM;
    int *const out[] = {n, c, h, w, nStride, cStride, hStride, wStride};
    for (int k = 0; k < 8; k++)
        if (out[k])
            *out[k] = k < 4 ? t->dim[k] : t->step[k - 4];
    if (dataType)
        *dataType = t->type;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t t, int nbDimsRequested,
                                         cudnnDataType_t *dataType, int *nbDims, int dimA[],
                                         int strideA[])
{
    if (!t || nbDimsRequested < 0)
        return CUDNN_STATUS_BAD_PARAM;
    if (nbDimsRequested > CUDNN_DIM_MAX)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (dataType)
        *dataType = t->type;
    if (nbDims)
        *nbDims = t->dims;
    for (int k = 0; k < t->dims && k < nbDimsRequested; k++) {
        if (dimA)
            dimA[k] = t->dim[k];
        if (strideA)
            strideA[k] = t->step[k];
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetTensorSizeInBytes(const cudnnTensorDescriptor_t t, size_t *size)
{
    if (!t || !size)
        return CUDNN_STATUS_BAD_PARAM;
    long long last = 0;
    for (int k = 0; k < t->dims; k++)
        last += (long long)(t->dim[k] - 1) * t->step[k];
    *size = t->dims ? (size_t)(last + 1) * cudnn_bytes(t->type) : 0;
    return CUDNN_STATUS_SUCCESS;
}

int64_t cudnn_count(const struct cudnnTensorStruct *t)
{
    int64_t n = 1;
    for (int k = 0; k < t->dims; k++)
        n *= t->dim[k];
    return n;
}

bool cudnn_same_shape(const struct cudnnTensorStruct *a, const struct cudnnTensorStruct *b)
{
    return a->dims == b->dims && !memcmp(a->dim, b->dim, (size_t)a->dims * sizeof *a->dim);
}

bool cudnn_alike(const struct cudnnTensorStruct *a, const struct cudnnTensorStruct *b)
{
    if (!cudnn_same_shape(a, b))
        return false;
    for (int k = 0; k < a->dims; k++)
        if (a->dim[k] > 1 && a->step[k] != b->step[k])
            return false;
    return true;
}

bool cudnn_dense(const struct cudnnTensorStruct *t)
{
    long long last = 0;
    for (int k = 0; k < t->dims; k++) {
        /* Two places of one dimension, or of two with the same step, would lie in one. */
        if (t->dim[k] > 1 && t->step[k] <= 0)
            return false;
        for (int j = 0; j < k; j++)
            if (t->dim[k] > 1 && t->dim[j] > 1 && t->step[j] == t->step[k])
                return false;
        last += (long long)(t->dim[k] - 1) * t->step[k];
    }
    return last + 1 == cudnn_count(t);
}

bool cudnn_collapse(const struct cudnnTensorStruct *t, int from, int64_t *count, int64_t *step)
{
    *count = 1;
    *step = 1;
    for (int k = t->dims - 1; k >= from; k--) {
        if (t->dim[k] == 1)
            continue;
        if (*count == 1)
            *step = t->step[k];
        else if (t->step[k] != *count * *step)
            return false;
        *count *= t->dim[k];
    }
    return true;
}

bool cudnn_packed(const struct cudnnTensorStruct *t)
{
    int64_t count, step;
    return cudnn_collapse(t, 0, &count, &step) && (step == 1 || count == 1);
}

/* ---- element by element ---- */

/* Steps of an input under the shape of the output; false: it does not fit. */
static bool spread(const struct cudnnTensorStruct *in, const struct cudnnTensorStruct *out,
                   long long *step)
{
    if (in->dims != out->dims)
        return false;
    for (int k = 0; k < out->dims; k++) {
        if (in->dim[k] != out->dim[k] && in->dim[k] != 1)
            return false;
        step[k] = in->dim[k] == 1 ? 0 : in->step[k];
    }
    return true;
}

cudnnStatus_t cudnn_each(cudnnHandle_t h, const char *shell, const char *function, double p,
                         double q, const struct cudnn_input *in, int nin, double alpha, double beta,
                         const struct cudnnTensorStruct *out, void *y)
{
    enum lib_type to, from;
    if (!cudnn_type(out->type, &to))
        return CUDNN_STATUS_NOT_SUPPORTED;
    from = to;
    struct dnn_each e = {.count = cudnn_count(out),
                         .dims = out->dims,
                         .flat = cudnn_dense(out),
                         .out = y,
                         .alpha = alpha,
                         .beta = beta,
                         .p = {p, q}};
    for (int k = 0; k < out->dims; k++) {
        e.dim[k] = out->dim[k];
        e.out_step[k] = out->step[k];
    }
    for (int k = 0; k < nin; k++) {
        if (!in[k].t)
            continue;
        if (!cudnn_type(in[k].t->type, &from) || (k && in[k].t->type != in[0].t->type))
            return CUDNN_STATUS_NOT_SUPPORTED;
        if (!spread(in[k].t, out, e.in_step[k]))
            return CUDNN_STATUS_BAD_PARAM;
        e.flat = e.flat && cudnn_alike(in[k].t, out);
        e.in[k] = in[k].p;
    }
    return cudnn_status(dnn_each_of(&h->d, to, from, &e, shell, function));
}

cudnnStatus_t cudnnTransformTensor(cudnnHandle_t handle, const void *alpha,
                                   const cudnnTensorDescriptor_t xDesc, const void *x,
                                   const void *beta, const cudnnTensorDescriptor_t yDesc, void *y)
{
    CUDNN_CALL(handle, alpha && beta && xDesc && yDesc && cudnn_same_shape(xDesc, yDesc));
    return cudnnAddTensor(handle, alpha, xDesc, x, beta, yDesc, y);
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void *alpha,
                             const cudnnTensorDescriptor_t aDesc, const void *A, const void *beta,
                             const cudnnTensorDescriptor_t cDesc, void *C)
{
    enum lib_type t;
    CUDNN_CALL(handle, alpha && beta && aDesc && cDesc);
    if (!cudnn_type(cDesc->type, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const struct cudnn_input in = {aDesc, A};
    return cudnn_each(handle, "pair_of", "bin_first", 1, 0, (struct cudnn_input[]){in, in}, 2,
                      cudnn_scalar(t, alpha), cudnn_scalar(t, beta), cDesc, C);
}

CUDNN_DESCRIPTOR(OpTensor)

cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t d, cudnnOpTensorOp_t op,
                                         cudnnDataType_t compute, cudnnNanPropagation_t nan)
{
    if (!d || (unsigned)op > CUDNN_OP_TENSOR_NOT)
        return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnOpTensorStruct){op, compute, nan};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetOpTensorDescriptor(const cudnnOpTensorDescriptor_t d, cudnnOpTensorOp_t *op,
                                         cudnnDataType_t *compute, cudnnNanPropagation_t *nan)
{
    if (!d || !op || !compute || !nan)
        return CUDNN_STATUS_BAD_PARAM;
    *op = d->op;
    *compute = d->compute;
    *nan = d->nan;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnOpTensor(cudnnHandle_t handle, const cudnnOpTensorDescriptor_t opTensorDesc,
                            const void *alpha1, const cudnnTensorDescriptor_t aDesc, const void *A,
                            const void *alpha2, const cudnnTensorDescriptor_t bDesc, const void *B,
                            const void *beta, const cudnnTensorDescriptor_t cDesc, void *C)
{
    static const char *const names[] = {"bin_add",     "bin_multiply", "bin_minimum",
                                        "bin_maximum", "bin_root",     "bin_one_minus"};
    enum lib_type t;
    const bool one = opTensorDesc && opTensorDesc->op >= CUDNN_OP_TENSOR_SQRT;
    CUDNN_CALL(handle, opTensorDesc && alpha1 && aDesc && beta && cDesc &&
                           (one || (alpha2 && bDesc)) && cudnn_same_shape(aDesc, cDesc));
    if (!cudnn_type(cDesc->type, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    const struct cudnn_input a = {aDesc, A}, b = {bDesc, B};
    return cudnn_each(handle, "pair_of", names[opTensorDesc->op], cudnn_scalar(t, alpha1),
                      one ? 0 : cudnn_scalar(t, alpha2), (struct cudnn_input[]){a, one ? a : b}, 2,
                      1, cudnn_scalar(t, beta), cDesc, C);
}

cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t yDesc, void *y,
                             const void *valuePtr)
{
    enum lib_type t;
    CUDNN_CALL(handle, yDesc && valuePtr);
    if (!cudnn_type(yDesc->type, &t))
        return CUDNN_STATUS_NOT_SUPPORTED;
    double value = 0; /* of the elements' own type */
    switch (t) {
    case LIB_F64: value = *(const double *)valuePtr; break;
    case LIB_F16: value = lib_half(*(const uint16_t *)valuePtr); break;
    case LIB_BF16: value = lib_bfloat(*(const uint16_t *)valuePtr); break;
    default: value = *(const float *)valuePtr; break;
    }
    return cudnn_each(handle, "pair_of", "bin_constant", value, 0,
                      (struct cudnn_input[]){{NULL, NULL}, {NULL, NULL}}, 2, 1, 0, yDesc, y);
}

cudnnStatus_t cudnnScaleTensor(cudnnHandle_t handle, const cudnnTensorDescriptor_t yDesc, void *y,
                               const void *alpha)
{
    static const double zero;
    CUDNN_CALL(handle, yDesc && alpha);
    return cudnnAddTensor(handle, alpha, yDesc, y, &zero, yDesc, y);
}

/* ---- reductions ---- */

CUDNN_DESCRIPTOR(ReduceTensor)

cudnnStatus_t cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t d,
                                             cudnnReduceTensorOp_t op, cudnnDataType_t compute,
                                             cudnnNanPropagation_t nan,
                                             cudnnReduceTensorIndices_t indices,
                                             cudnnIndicesType_t index_type)
{
    if (!d || (unsigned)op > CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS)
        return CUDNN_STATUS_BAD_PARAM;
    *d = (struct cudnnReduceTensorStruct){op, compute, nan, indices, index_type};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetReduceTensorDescriptor(const cudnnReduceTensorDescriptor_t d,
                                             cudnnReduceTensorOp_t *op, cudnnDataType_t *compute,
                                             cudnnNanPropagation_t *nan,
                                             cudnnReduceTensorIndices_t *indices,
                                             cudnnIndicesType_t *index_type)
{
    if (!d || !op || !compute || !nan || !indices || !index_type)
        return CUDNN_STATUS_BAD_PARAM;
    *op = d->op;
    *compute = d->compute;
    *nan = d->nan;
    *indices = d->indices;
    *index_type = d->index_type;
    return CUDNN_STATUS_SUCCESS;
}

static bool wants_indices(const struct cudnnReduceTensorStruct *d)
{
    return d->indices == CUDNN_REDUCE_TENSOR_FLATTENED_INDICES &&
           (d->op == CUDNN_REDUCE_TENSOR_MIN || d->op == CUDNN_REDUCE_TENSOR_MAX ||
            d->op == CUDNN_REDUCE_TENSOR_AMAX);
}

cudnnStatus_t cudnnGetReductionIndicesSize(cudnnHandle_t handle,
                                           const cudnnReduceTensorDescriptor_t reduceTensorDesc,
                                           const cudnnTensorDescriptor_t aDesc,
                                           const cudnnTensorDescriptor_t cDesc, size_t *sizeInBytes)
{
    CUDNN_CALL(handle, reduceTensorDesc && aDesc && cDesc && sizeInBytes);
    *sizeInBytes =
        wants_indices(reduceTensorDesc) ? (size_t)cudnn_count(cDesc) * sizeof(unsigned) : 0;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetReductionWorkspaceSize(cudnnHandle_t handle,
                                             const cudnnReduceTensorDescriptor_t reduceTensorDesc,
                                             const cudnnTensorDescriptor_t aDesc,
                                             const cudnnTensorDescriptor_t cDesc,
                                             size_t *sizeInBytes)
{
    CUDNN_CALL(handle, reduceTensorDesc && aDesc && cDesc && sizeInBytes);
    *sizeInBytes = 0; /* a block of threads sums in its own memory */
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnn_reduce(cudnnHandle_t h, const char *name, double alpha,
                           const struct cudnnTensorStruct *a, const void *x, double beta,
                           const struct cudnnTensorStruct *c, void *y, unsigned *index)
{
    enum lib_type t;
    if (!cudnn_type(a->type, &t) || a->type != c->type)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (a->dims != c->dims)
        return CUDNN_STATUS_BAD_PARAM;
    struct dnn_reduce r = {
        .kept = 1, .gone = 1, .in = x, .out = y, .index = index, .alpha = alpha, .beta = beta};
    for (int k = 0; k < a->dims; k++) {
        if (c->dim[k] == a->dim[k]) {
            r.kept_dim[r.kept_dims] = a->dim[k];
            r.kept_in[r.kept_dims] = a->step[k];
            r.kept_out[r.kept_dims++] = c->step[k];
            r.kept *= a->dim[k];
        } else if (c->dim[k] == 1) {
            r.gone_dim[r.gone_dims] = a->dim[k];
            r.gone_in[r.gone_dims++] = a->step[k];
            r.gone *= a->dim[k];
        } else {
            return CUDNN_STATUS_BAD_PARAM;
        }
    }
    return cudnn_status(dnn_reduce_of(&h->d, t, &r, name));
}

cudnnStatus_t cudnnReduceTensor(cudnnHandle_t handle,
                                const cudnnReduceTensorDescriptor_t reduceTensorDesc, void *indices,
                                size_t indicesSizeInBytes, void *workspace,
                                size_t workspaceSizeInBytes, const void *alpha,
                                const cudnnTensorDescriptor_t aDesc, const void *A,
                                const void *beta, const cudnnTensorDescriptor_t cDesc, void *C)
{
    static const char *const names[] = {
        "sum",  "product", "minimum", "maximum",         "absolute_maximum",
        "mean", "norm1",   "norm2",   "product_no_zeros"};
    enum lib_type t;
    (void)workspace;
    (void)workspaceSizeInBytes;
    CUDNN_CALL(handle, reduceTensorDesc && alpha && aDesc && beta && cDesc);
    const bool wants = wants_indices(reduceTensorDesc);
    if (!cudnn_type(aDesc->type, &t) ||
        (wants && reduceTensorDesc->index_type != CUDNN_32BIT_INDICES))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (wants && (!indices || indicesSizeInBytes < (size_t)cudnn_count(cDesc) * sizeof(unsigned)))
        return CUDNN_STATUS_BAD_PARAM;
    return cudnn_reduce(handle, names[reduceTensorDesc->op], cudnn_scalar(t, alpha), aDesc, A,
                        cudnn_scalar(t, beta), cDesc, C, wants ? indices : NULL);
}
