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

static struct {
    pthread_mutex_t lock;
    bool on, to_output, to_error;
    int file; /* -1: none */
    cublasLogCallback callback;
    cublasHandle_t handle;
    cublasStatus_t last;
    struct {
        int level, mask;
        bool disabled, own_file;
        FILE *file;
        cublasLtLoggerCallback_t callback;
        size_t capacity;
    } lt;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1, .lt = {.capacity = 8192}};

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

/* ---- cuBLASLt's logging: calls are level 5, the fifth bit of the mask ---- */

enum { LT_CALLS = 5, LT_CALLS_MASK = 16 };

void lt_log(const char *function, const char *format, ...)
{
    if (__atomic_load_n(&state.lt.level, __ATOMIC_RELAXED) < LT_CALLS &&
        !(__atomic_load_n(&state.lt.mask, __ATOMIC_RELAXED) & LT_CALLS_MASK))
        return;
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&state.lock);
    const cublasLtLoggerCallback_t callback = state.lt.disabled ? NULL : state.lt.callback;
    if (state.lt.file && !state.lt.disabled) {
        fprintf(state.lt.file, "[cublasLt][Api][%s] %s\n", function, line);
        fflush(state.lt.file);
    }
    pthread_mutex_unlock(&state.lock);
    if (callback)
        callback(LT_CALLS, function, line);
}

static cublasStatus_t lt_file(FILE *file, bool own)
{
    pthread_mutex_lock(&state.lock);
    if (state.lt.file && state.lt.own_file)
        fclose(state.lt.file);
    state.lt.file = file;
    state.lt.own_file = own;
    pthread_mutex_unlock(&state.lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetFile(FILE *file)
{
    return lt_file(file, false);
}

cublasStatus_t cublasLtLoggerOpenFile(const char *path)
{
    FILE *f = path ? fopen(path, "a") : NULL;
    return f ? lt_file(f, true) : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback)
{
    pthread_mutex_lock(&state.lock);
    state.lt.callback = callback;
    pthread_mutex_unlock(&state.lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetLevel(int level)
{
    if (level < 0 || level > LT_CALLS)
        return CUBLAS_STATUS_INVALID_VALUE;
    __atomic_store_n(&state.lt.level, level, __ATOMIC_RELAXED);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerSetMask(int mask)
{
    __atomic_store_n(&state.lt.mask, mask, __ATOMIC_RELAXED);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtLoggerForceDisable(void)
{
    pthread_mutex_lock(&state.lock);
    state.lt.disabled = true;
    pthread_mutex_unlock(&state.lock);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity)
{
    if (!capacity)
        return CUBLAS_STATUS_INVALID_VALUE;
    *capacity = __atomic_load_n(&state.lt.capacity, __ATOMIC_RELAXED);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity)
{
    __atomic_store_n(&state.lt.capacity, capacity, __ATOMIC_RELAXED);
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
