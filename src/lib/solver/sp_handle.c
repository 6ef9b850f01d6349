/* Handles and matrices of callers. See sp_int.h. */
#include "lib/solver/sp_int.h"

#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x501b5bad };

bool sp_entered(cusolverSpHandle_t h)
{
    return h && h->magic == MAGIC;
}

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    (*handle)->magic = MAGIC;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle)
{
    SP_CALL(handle, true);
    handle->magic = 0;
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream)
{
    SP_CALL(handle, true);
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *stream)
{
    SP_CALL(handle, stream);
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- between the caller's memory and ours ---- */

static bool fetch(cudaStream_t stream, void *to, const void *from, size_t bytes, bool on_device)
{
    if (!bytes)
        return true;
    if (on_device)
        return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
               cudaStreamSynchronize(stream) == cudaSuccess;
    memcpy(to, from, bytes);
    return true;
}

void *sp_get(cudaStream_t stream, enum lib_type type, const void *from, int64_t count,
             bool on_device)
{
    const size_t numbers = (size_t)count * (sp_complex(type) ? 2 : 1);
    const size_t bytes = (size_t)count * lib_types[type].bytes;
    double *to = malloc(numbers * sizeof *to + 1);
    void *raw = malloc(bytes + 1);
    if (!to || !raw || !fetch(stream, raw, from, bytes, on_device)) {
        free(to);
        to = NULL;
    } else if (type == LIB_F32 || type == LIB_C32) {
        for (size_t k = 0; k < numbers; k++)
            to[k] = (double)((const float *)raw)[k];
    } else {
        memcpy(to, raw, bytes);
    }
    free(raw);
    return to;
}

bool sp_put(cudaStream_t stream, enum lib_type type, void *to, const void *from, int64_t count,
            bool on_device)
{
    const size_t numbers = (size_t)count * (sp_complex(type) ? 2 : 1);
    const size_t bytes = (size_t)count * lib_types[type].bytes;
    void *raw = malloc(bytes + 1);
    bool right = raw;
    if (!raw)
        return false;
    if (type == LIB_F32 || type == LIB_C32)
        for (size_t k = 0; k < numbers; k++)
            ((float *)raw)[k] = (float)((const double *)from)[k];
    else
        memcpy(raw, from, bytes);
    if (!on_device)
        memcpy(to, raw, bytes);
    else if (bytes)
        right = cudaMemcpyAsync(to, raw, bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess &&
                cudaStreamSynchronize(stream) == cudaSuccess;
    free(raw);
    return right;
}

/* ---- matrices ---- */

void sp_free(struct sp_matrix *a)
{
    free(a->ptr);
    free(a->col);
    free(a->val);
    *a = (struct sp_matrix){0};
}

static bool valid_pattern(const struct sp_matrix *a, int nnz)
{
    if (a->ptr[0] != 0 || a->ptr[a->m] != nnz)
        return false;
    for (int i = 0; i < a->m; i++)
        if (a->ptr[i] > a->ptr[i + 1])
            return false;
    for (int p = 0; p < nnz; p++)
        if (a->col[p] < 0 || a->col[p] >= a->n)
            return false;
    return true;
}

cusolverStatus_t sp_load(cusolverSpHandle_t h, const struct sp_source *s, struct sp_matrix *a)
{
    *a = (struct sp_matrix){.m = s->m, .n = s->n, .complex = sp_complex(s->type)};
    if (s->m < 0 || s->n < 0 || s->nnz < 0 || !s->ptr || (s->nnz && !s->col))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (s->descr && cusparseGetMatType(s->descr) != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    const int base = s->descr ? (int)cusparseGetMatIndexBase(s->descr) : 0;
    const size_t rows = ((size_t)s->m + 1) * sizeof *a->ptr, cols = (size_t)s->nnz * sizeof *a->col;
    a->ptr = malloc(rows);
    a->col = malloc(cols + 1);
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;
    if (!a->ptr || !a->col)
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    else if (!fetch(h->stream, a->ptr, s->ptr, rows, s->on_device) ||
             !fetch(h->stream, a->col, s->col, cols, s->on_device))
        status = CUSOLVER_STATUS_EXECUTION_FAILED;
    if (!status && s->val && !(a->val = sp_get(h->stream, s->type, s->val, s->nnz, s->on_device)))
        status = CUSOLVER_STATUS_EXECUTION_FAILED;
    if (!status) {
        for (int i = 0; i <= s->m; i++)
            a->ptr[i] -= base;
        for (int p = 0; p < s->nnz; p++)
            a->col[p] -= base;
        if (!valid_pattern(a, s->nnz))
            status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    if (status)
        sp_free(a);
    return status;
}
