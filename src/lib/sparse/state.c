/* Handles, their settings, statuses, and the log of calls. */
#include <pthread.h>
#include <stdlib.h>
#include "lib/log.h"
#include "lib/sparse/sparse_int.h"

enum { MAGIC = 0x05ba45e0 };

bool sparse_enter(cusparseHandle_t h, cusparseStatus_t *status)
{
    *status = h && h->magic == MAGIC ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_INITIALIZED;
    return *status == CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sparse_status(enum tern_error e)
{
    switch (e) {
    case TERN_OK: return CUSPARSE_STATUS_SUCCESS;
    case TERN_OUT_OF_MEMORY: return CUSPARSE_STATUS_ALLOC_FAILED;
    case TERN_NO_DEVICE: return CUSPARSE_STATUS_NOT_INITIALIZED;
    case TERN_INVALID_ARGUMENT: return CUSPARSE_STATUS_INVALID_VALUE;
    case TERN_UNSUPPORTED: return CUSPARSE_STATUS_NOT_SUPPORTED;
    case TERN_INTERNAL: return CUSPARSE_STATUS_INTERNAL_ERROR;
    default: return CUSPARSE_STATUS_EXECUTION_FAILED;
    }
}

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    sparse_log("cusparseCreate");
    if (!handle)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *handle = NULL;
    struct cusparseContext *h = calloc(1, sizeof *h);
    if (!h)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    enum tern_error e = lib_device(&h->device);
    if (e) {
        free(h);
        return e == TERN_OUT_OF_MEMORY ? CUSPARSE_STATUS_ALLOC_FAILED
                                       : CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    h->magic = MAGIC;
    *handle = h;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    cudaStreamSynchronize(handle->stream);
    handle->magic = 0;
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    cusparseStatus_t s;
    if (!sparse_enter(handle, &s))
        return s;
    if (!version)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    if (!value)
        return CUSPARSE_STATUS_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION: *value = CUSPARSE_VER_MAJOR; break;
    case MINOR_VERSION: *value = CUSPARSE_VER_MINOR; break;
    case PATCH_LEVEL: *value = CUSPARSE_VER_PATCH; break;
    default: return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- settings: one function to set, one to get ---- */
#define SETTING(Set, Get, type, field, valid)                                                      \
    cusparseStatus_t Set(cusparseHandle_t handle, type value)                                      \
    {                                                                                              \
        cusparseStatus_t s;                                                                        \
        if (!sparse_enter(handle, &s))                                                             \
            return s;                                                                              \
        if (!(valid))                                                                              \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        handle->field = value;                                                                     \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    cusparseStatus_t Get(cusparseHandle_t handle, type *value)                                     \
    {                                                                                              \
        cusparseStatus_t s;                                                                        \
        if (!sparse_enter(handle, &s))                                                             \
            return s;                                                                              \
        if (!value)                                                                                \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        *value = handle->field;                                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
SETTING(cusparseSetStream, cusparseGetStream, cudaStream_t, stream, true)
SETTING(cusparseSetPointerMode, cusparseGetPointerMode, cusparsePointerMode_t, pointer_mode,
        value == CUSPARSE_POINTER_MODE_HOST || value == CUSPARSE_POINTER_MODE_DEVICE)

/* ---- statuses ---- */

const char *cusparseGetErrorName(cusparseStatus_t status)
{
    switch (status) {
#define X(name, number, text)                                                                      \
    case CUSPARSE_STATUS_##name: return "CUSPARSE_STATUS_" #name;
        CUSPARSE_STATUSES(X)
#undef X
    }
    return "unrecognized error code";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    switch (status) {
#define X(name, number, text)                                                                      \
    case CUSPARSE_STATUS_##name: return text;
        CUSPARSE_STATUSES(X)
#undef X
    }
    return "unrecognized error code";
}

/* ---- logging ---- */

static struct lib_logger logger = LIB_LOGGER;

void sparse_log(const char *function)
{
    char line[160];
    if (!lib_log_wanted(&logger))
        return;
    snprintf(line, sizeof line, "[cusparse][Api][%s]\n", function);
    lib_log(&logger, function, "called", line);
}

cusparseStatus_t cusparseLoggerSetFile(FILE *file)
{
    lib_log_file(&logger, file);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerOpenFile(const char *path)
{
    return lib_log_open(&logger, path) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t callback)
{
    lib_log_call(&logger, callback);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerSetLevel(int level)
{
    return lib_log_level(&logger, level) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseLoggerSetMask(int mask)
{
    lib_log_mask(&logger, mask);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLoggerForceDisable(void)
{
    lib_log_disable(&logger);
    return CUSPARSE_STATUS_SUCCESS;
}
