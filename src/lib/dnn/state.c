/* Handles, and what went wrong last. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "lib/dnn/graph_int.h"

enum { MAGIC = 0x7e12d221 };

enum tern_error dnn_begin(struct dnn *d)
{
    enum tern_error e = lib_device(&d->device);
    if (e)
        return e;
    switch (cublasCreate_v2(&d->blas)) {
    case CUBLAS_STATUS_SUCCESS: return TERN_OK;
    case CUBLAS_STATUS_ALLOC_FAILED: return TERN_OUT_OF_MEMORY;
    default: return TERN_DEVICE_LOST;
    }
}

void dnn_end(struct dnn *d)
{
    cublasDestroy_v2(d->blas);
}

void dnn_stream(struct dnn *d, cudaStream_t stream)
{
    d->stream = stream;
    cublasSetStream_v2(d->blas, stream);
}

void dnn_open(struct terndnnContext *h, tern_device *d, struct lib_plan *plan)
{
    *h = (struct terndnnContext){.magic = MAGIC};
    lib_device_of(d, plan, &h->d.device);
}

bool dnn_entered(terndnnHandle_t h)
{
    return h && h->magic == MAGIC;
}

terndnnStatus_t dnn_status(enum tern_error e)
{
    switch (e) {
    case TERN_OK: return TERNDNN_STATUS_SUCCESS;
    case TERN_OUT_OF_MEMORY: return TERNDNN_STATUS_ALLOC_FAILED;
    case TERN_INVALID_ARGUMENT: return TERNDNN_STATUS_INVALID_VALUE;
    case TERN_UNSUPPORTED: return TERNDNN_STATUS_NOT_SUPPORTED;
    default: return TERNDNN_STATUS_EXECUTION_FAILED;
    }
}

bool dnn_type(cudaDataType type, enum lib_type *out)
{
    return lib_type_of(type, out) &&
           (*out == LIB_F32 || *out == LIB_F64 || *out == LIB_F16 || *out == LIB_BF16);
}

terndnnStatus_t terndnnCreate(terndnnHandle_t *handle)
{
    if (!handle)
        return TERNDNN_STATUS_INVALID_VALUE;
    *handle = NULL;
    struct terndnnContext *h = calloc(1, sizeof *h);
    if (!h)
        return TERNDNN_STATUS_ALLOC_FAILED;
    const enum tern_error e = dnn_begin(&h->d);
    if (e) {
        free(h);
        return e == TERN_OUT_OF_MEMORY ? TERNDNN_STATUS_ALLOC_FAILED
                                       : TERNDNN_STATUS_NOT_INITIALIZED;
    }
    h->magic = MAGIC;
    *handle = h;
    return TERNDNN_STATUS_SUCCESS;
}

terndnnStatus_t terndnnDestroy(terndnnHandle_t handle)
{
    if (!dnn_entered(handle))
        return TERNDNN_STATUS_NOT_INITIALIZED;
    dnn_end(&handle->d);
    handle->magic = 0;
    free(handle);
    return TERNDNN_STATUS_SUCCESS;
}

terndnnStatus_t terndnnSetStream(terndnnHandle_t handle, cudaStream_t stream)
{
    if (!dnn_entered(handle))
        return TERNDNN_STATUS_NOT_INITIALIZED;
    dnn_stream(&handle->d, stream);
    return TERNDNN_STATUS_SUCCESS;
}

terndnnStatus_t terndnnGetStream(terndnnHandle_t handle, cudaStream_t *stream)
{
    if (!dnn_entered(handle))
        return TERNDNN_STATUS_NOT_INITIALIZED;
    if (!stream)
        return TERNDNN_STATUS_INVALID_VALUE;
    *stream = handle->d.stream;
    return TERNDNN_STATUS_SUCCESS;
}

const char *terndnnGetErrorString(terndnnStatus_t status)
{
    switch (status) {
    case TERNDNN_STATUS_SUCCESS: return "success";
    case TERNDNN_STATUS_NOT_INITIALIZED: return "the handle is none";
    case TERNDNN_STATUS_ALLOC_FAILED: return "there is not enough memory";
    case TERNDNN_STATUS_INVALID_VALUE: return "an argument is out of its range";
    case TERNDNN_STATUS_NOT_SUPPORTED: return "not supported";
    case TERNDNN_STATUS_EXECUTION_FAILED: return "a kernel failed";
    }
    return "unknown status";
}

/* ---- why a call of cuDNN's failed, for each thread ---- */

static _Thread_local char last_error[256];

cudnnStatus_t dnn_graph_wrong(cudnnStatus_t status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    lib_note("cudnn: %s: %s", cudnnGetErrorString(status), last_error);
    return status;
}

void cudnnGetLastErrorString(char *message, size_t max_size)
{
    if (message && max_size)
        snprintf(message, max_size, "%s", last_error);
}
