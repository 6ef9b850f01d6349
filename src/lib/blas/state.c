/* What a process has once: where calls are logged, and the handle and last error of the API without
 * handles. */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lib/blas/lt_int.h"
#include "lib/blas/old.h"
#include "lib/log.h"

static struct {
    pthread_mutex_t lock;
    bool on, to_output, to_error;
    int file; /* -1: none */
    cublasLogCallback callback;
    cublasHandle_t handle;
    cublasStatus_t last;
    size_t lt_capacity; /* of cuBLASLt's heuristics */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1, .lt_capacity = 8192};

/* ---- logging ---- */

cublasStatus_t cublasLoggerConfigure(int on, int to_output, int to_error, const char *file)
{
    int opened = -1;
    if (file && *file && (opened = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    pthread_mutex_lock(&state.lock);
    if (state.file >= 0)
        close(state.file);
    state.file = opened;
    state.to_output = to_output;
    state.to_error = to_error;
    __atomic_store_n(&state.on, on || state.callback, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&state.lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback)
{
    pthread_mutex_lock(&state.lock);
    state.callback = callback;
    if (callback)
        __atomic_store_n(&state.on, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&state.lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback)
{
    if (!callback)
        return CUBLAS_STATUS_INVALID_VALUE;
    pthread_mutex_lock(&state.lock);
    *callback = state.callback;
    pthread_mutex_unlock(&state.lock);
    return CUBLAS_STATUS_SUCCESS;
}

static void put(int file, const char *line)
{
    if (file >= 0 && write(file, line, strlen(line)) < 0)
        return; /* there is nobody to tell */
}

void blas_log(const char *function)
{
    if (!__atomic_load_n(&state.on, __ATOMIC_RELAXED))
        return;
    char line[128];
    snprintf(line, sizeof line, "I! cuBLAS (v%d.%d) function %s() called\n", CUBLAS_VER_MAJOR,
             CUBLAS_VER_MINOR, function);
    pthread_mutex_lock(&state.lock);
    const cublasLogCallback callback = state.callback;
    put(state.to_output ? STDOUT_FILENO : -1, line);
    put(state.to_error ? STDERR_FILENO : -1, line);
    put(state.file, line);
    pthread_mutex_unlock(&state.lock);
    if (callback)
        callback(line);
}

void cublasXerbla(const char *function, int argument)
{
    lib_say("tern: %s: argument %d is out of range\n", function, argument);
}

/* ---- cuBLASLt's logging ---- */

static struct lib_logger lt_logger = LIB_LOGGER;

void lt_log(const char *function, const char *format, ...)
{
    char text[256], line[400];
    va_list args;
    if (!lib_log_wanted(&lt_logger))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(line, sizeof line, "[cublasLt][Api][%s] %s\n", function, text);
    lib_log(&lt_logger, function, text, line);
}

cublasStatus_t cublasLtLoggerSetFile(FILE *file)
{
    lib_log_file(&lt_logger, file);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerOpenFile(const char *path)
{
    return lib_log_open(&lt_logger, path) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback)
{
    lib_log_call(&lt_logger, callback);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetLevel(int level)
{
    return lib_log_level(&lt_logger, level) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtLoggerSetMask(int mask)
{
    lib_log_mask(&lt_logger, mask);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerForceDisable(void)
{
    lib_log_disable(&lt_logger);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity)
{
    if (!capacity)
        return CUBLAS_STATUS_INVALID_VALUE;
    *capacity = __atomic_load_n(&state.lt_capacity, __ATOMIC_RELAXED);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity)
{
    __atomic_store_n(&state.lt_capacity, capacity, __ATOMIC_RELAXED);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- the API without handles ---- */

cublasHandle_t blas_old_handle(void)
{
    pthread_mutex_lock(&state.lock);
    const cublasHandle_t h = state.handle;
    pthread_mutex_unlock(&state.lock);
    return h;
}

void blas_old_end(cublasStatus_t s)
{
    if (s == CUBLAS_STATUS_SUCCESS)
        return;
    pthread_mutex_lock(&state.lock);
    state.last = s;
    pthread_mutex_unlock(&state.lock);
}

cublasStatus_t cublasInit(void)
{
    cublasHandle_t h;
    if (blas_old_handle())
        return CUBLAS_STATUS_SUCCESS;
    const cublasStatus_t s = cublasCreate_v2(&h);
    if (s == CUBLAS_STATUS_SUCCESS) {
        pthread_mutex_lock(&state.lock);
        state.handle = h;
        state.last = CUBLAS_STATUS_SUCCESS;
        pthread_mutex_unlock(&state.lock);
    }
    return s;
}

cublasStatus_t cublasShutdown(void)
{
    pthread_mutex_lock(&state.lock);
    const cublasHandle_t h = state.handle;
    state.handle = NULL;
    pthread_mutex_unlock(&state.lock);
    return h ? cublasDestroy_v2(h) : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetError(void)
{
    pthread_mutex_lock(&state.lock);
    const cublasStatus_t s = state.last;
    state.last = CUBLAS_STATUS_SUCCESS;
    pthread_mutex_unlock(&state.lock);
    return s;
}

cublasStatus_t cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(NULL, version);
}

cublasStatus_t cublasAlloc(int n, int size, void **p)
{
    if (n <= 0 || size <= 0 || !p)
        return CUBLAS_STATUS_INVALID_VALUE;
    return cudaMalloc(p, (size_t)n * (size_t)size) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                  : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasFree(void *p)
{
    return cudaFree(p) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}

cublasStatus_t cublasSetKernelStream(cudaStream_t stream)
{
    return cublasSetStream_v2(blas_old_handle(), stream);
}
