/* Handles, parameters and logging. */
#include "lib/solver/solver_int.h"

#include <pthread.h>
#include <stdlib.h>

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
    *handle = h;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    SOLVER_CALL(handle, true);
    cublasDestroy_v2(handle->blas); /* waits for the device */
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

/* ---- logging: calls are level 5, the fifth bit of the mask ---- */

enum { CALLS = 5, CALLS_MASK = 16 };
static struct {
    pthread_mutex_t lock;
    int level, mask;
    bool disabled, own_file;
    FILE *file;
    cusolverDnLoggerCallback_t callback;
} logging = {.lock = PTHREAD_MUTEX_INITIALIZER};

void solver_log(const char *function)
{
    if (__atomic_load_n(&logging.level, __ATOMIC_RELAXED) < CALLS &&
        !(__atomic_load_n(&logging.mask, __ATOMIC_RELAXED) & CALLS_MASK))
        return;
    pthread_mutex_lock(&logging.lock);
    const cusolverDnLoggerCallback_t callback = logging.disabled ? NULL : logging.callback;
    if (logging.file && !logging.disabled) {
        fprintf(logging.file, "[cusolver][%s] called\n", function);
        fflush(logging.file);
    }
    pthread_mutex_unlock(&logging.lock);
    if (callback)
        callback(CALLS, function, "called");
}

static cusolverStatus_t log_to(FILE *file, bool own)
{
    pthread_mutex_lock(&logging.lock);
    if (logging.own_file)
        fclose(logging.file);
    logging.file = file;
    logging.own_file = own;
    pthread_mutex_unlock(&logging.lock);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnLoggerSetFile(FILE *file)
{
    return log_to(file, false);
}

cusolverStatus_t cusolverDnLoggerOpenFile(const char *path)
{
    FILE *f = path ? fopen(path, "a") : NULL;
    return f ? log_to(f, true) : CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t cusolverDnLoggerSetCallback(cusolverDnLoggerCallback_t callback)
{
    pthread_mutex_lock(&logging.lock);
    logging.callback = callback;
    pthread_mutex_unlock(&logging.lock);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnLoggerSetLevel(int level)
{
    if (level < 0 || level > CALLS)
        return CUSOLVER_STATUS_INVALID_VALUE;
    __atomic_store_n(&logging.level, level, __ATOMIC_RELAXED);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnLoggerSetMask(int mask)
{
    __atomic_store_n(&logging.mask, mask, __ATOMIC_RELAXED);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnLoggerForceDisable(void)
{
    pthread_mutex_lock(&logging.lock);
    logging.disabled = true;
    pthread_mutex_unlock(&logging.lock);
    return CUSOLVER_STATUS_SUCCESS;
}
