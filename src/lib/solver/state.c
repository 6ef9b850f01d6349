/* Handles, parameters and logging. */
#include "lib/solver/solver_int.h"

#include <pthread.h>
#include <stdlib.h>
#include "lib/log.h"

enum { MAGIC = 0x501bed01 };

bool solver_entered(cusolverDnHandle_t h)
{
    return h && h->magic == MAGIC;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = NULL;
    struct cusolverDnContext *h = calloc(1, sizeof *h);
    if (!h)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    const enum tern_error e = lib_device(&h->device);
    const cublasStatus_t s = e ? CUBLAS_STATUS_NOT_INITIALIZED : cublasCreate_v2(&h->blas);
    if (s != CUBLAS_STATUS_SUCCESS) {
        free(h);
        return e == TERN_OUT_OF_MEMORY || s == CUBLAS_STATUS_ALLOC_FAILED
                   ? CUSOLVER_STATUS_ALLOC_FAILED
                   : CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    h->magic = MAGIC;
    h->deterministic = CUSOLVER_DETERMINISTIC_RESULTS;
    h->math = CUSOLVER_DEFAULT_MATH;
    h->band_from = -1;
    *handle = h;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    SOLVER_CALL(handle, true);
    cublasDestroy_v2(handle->blas); /* waits for the device */
    for (size_t k = 0; k < sizeof handle->events / sizeof *handle->events; k++)
        if (handle->events[k])
            cudaEventDestroy(handle->events[k]);
    if (handle->side)
        cudaStreamDestroy(handle->side);
    handle->magic = 0;
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    SOLVER_CALL(handle, true);
    handle->stream = stream;
    cublasSetStream_v2(handle->blas, stream);
    return CUSOLVER_STATUS_SUCCESS;
}

/* A setting that is kept: a function that sets it and one that gets it. */
#define SETTING(Name, type, field, valid)                                                          \
    cusolverStatus_t cusolverDnSet##Name(cusolverDnHandle_t handle, type value)                    \
    {                                                                                              \
        SOLVER_CALL(handle, valid);                                                                \
        handle->field = value;                                                                     \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    GETTING(Name, type, field)
#define GETTING(Name, type, field)                                                                 \
    cusolverStatus_t cusolverDnGet##Name(cusolverDnHandle_t handle, type *value)                   \
    {                                                                                              \
        SOLVER_CALL(handle, value);                                                                \
        *value = handle->field;                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
GETTING(Stream, cudaStream_t, stream)
SETTING(DeterministicMode, cusolverDeterministicMode_t, deterministic,
        value == CUSOLVER_DETERMINISTIC_RESULTS ||
            value == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
SETTING(MathMode, cusolverMathMode_t, math,
        value == CUSOLVER_DEFAULT_MATH || value == CUSOLVER_FP32_EMULATED_BF16X9_MATH)
SETTING(EmulationStrategy, cudaEmulationStrategy_t, emulation, true)
SETTING(TwoStageRows, int64_t, band_from, value >= -1)

cusolverStatus_t cusolverGetVersion(int *version)
{
    if (!version)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    if (!value)
        return CUSOLVER_STATUS_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION: *value = CUSOLVER_VER_MAJOR; break;
    case MINOR_VERSION: *value = CUSOLVER_VER_MINOR; break;
    case PATCH_LEVEL: *value = CUSOLVER_VER_PATCH; break;
    default: return CUSOLVER_STATUS_INVALID_VALUE;
    }
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- parameters of the 64-bit API ---- */

enum { FUNCTIONS = CUSOLVERDN_SYEVBATCHED + 1 };
struct cusolverDnParams {
    cusolverAlgMode_t algorithm[FUNCTIONS];
};

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
    if (!params)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *params = calloc(1, sizeof **params);
    return *params ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    free(params);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm)
{
    if (!params || (unsigned)function >= FUNCTIONS || (unsigned)algorithm > CUSOLVER_ALG_2)
        return CUSOLVER_STATUS_INVALID_VALUE;
    params->algorithm[function] = algorithm;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- logging ---- */

static struct lib_logger logger = LIB_LOGGER;

void solver_log(const char *function)
{
    char line[160];
    if (!lib_log_wanted(&logger))
        return;
    snprintf(line, sizeof line, "[cusolver][%s] called\n", function);
    lib_log(&logger, function, "called", line);
}

cusolverStatus_t cusolverDnLoggerSetFile(FILE *file)
{
    lib_log_file(&logger, file);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnLoggerOpenFile(const char *path)
{
    return lib_log_open(&logger, path) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t callback)
{
    lib_log_call(&logger, callback);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnLoggerSetLevel(int level)
{
    return lib_log_level(&logger, level) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t cusolverDnLoggerSetMask(int mask)
{
    lib_log_mask(&logger, mask);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnLoggerForceDisable(void)
{
    lib_log_disable(&logger);
    return CUSOLVER_STATUS_SUCCESS;
}
