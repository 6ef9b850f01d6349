/* Handles and their settings. */
#include <stdlib.h>
#include "lib/blas/blas_int.h"

enum { MAGIC = 0x0b1a5b1a };

bool blas_enter(cublasHandle_t h, cublasStatus_t *status)
{
    *status = h && h->magic == MAGIC ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
    return *status == CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_status(enum tern_error e)
{
    switch (e) {
    case TERN_OK: return CUBLAS_STATUS_SUCCESS;
    case TERN_OUT_OF_MEMORY: return CUBLAS_STATUS_ALLOC_FAILED;
    case TERN_NO_DEVICE: return CUBLAS_STATUS_NOT_INITIALIZED;
    case TERN_INVALID_ARGUMENT: return CUBLAS_STATUS_INVALID_VALUE;
    case TERN_UNSUPPORTED: return CUBLAS_STATUS_NOT_SUPPORTED;
    case TERN_INTERNAL: return CUBLAS_STATUS_INTERNAL_ERROR;
    default: return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = NULL;
    struct cublasContext *h = calloc(1, sizeof *h);
    if (!h)
        return CUBLAS_STATUS_ALLOC_FAILED;
    enum tern_error e = lib_device(&h->device);
    if (e) {
        free(h);
        return e == TERN_OUT_OF_MEMORY ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_NOT_INITIALIZED;
    }
    h->magic = MAGIC;
    h->emulation.special = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
    *handle = h;
    return CUBLAS_STATUS_SUCCESS;
}

/* Waits for the device, as cuBLAS does. */
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    cublasStatus_t s;
    if (!blas_enter(handle, &s))
        return s;
    cudaDeviceSynchronize();
    handle->magic = 0;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle; /* the same for all */
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    if (!value)
        return CUBLAS_STATUS_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION: *value = CUBLAS_VER_MAJOR; break;
    case MINOR_VERSION: *value = CUBLAS_VER_MINOR; break;
    case PATCH_LEVEL: *value = CUBLAS_VER_PATCH; break;
    default: return CUBLAS_STATUS_INVALID_VALUE;
    }
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
    return CUDART_VERSION;
}

/* ---- settings: one function to set, one to get ---- */
#define SETTING(Set, Get, type, field, valid)                                                      \
    cublasStatus_t Set(cublasHandle_t handle, type value)                                          \
    {                                                                                              \
        cublasStatus_t s;                                                                          \
        if (!blas_enter(handle, &s))                                                               \
            return s;                                                                              \
        if (!(valid))                                                                              \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        handle->field = value;                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t Get(cublasHandle_t handle, type *value)                                         \
    {                                                                                              \
        cublasStatus_t s;                                                                          \
        if (!blas_enter(handle, &s))                                                               \
            return s;                                                                              \
        if (!value)                                                                                \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        *value = handle->field;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream, true)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode,
        value == CUBLAS_POINTER_MODE_HOST || value == CUBLAS_POINTER_MODE_DEVICE)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics,
        value == CUBLAS_ATOMICS_NOT_ALLOWED || value == CUBLAS_ATOMICS_ALLOWED)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math,
        (unsigned)value < 32 && ((unsigned)value & 15) <= 8)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_count, value >= 0)
SETTING(cublasSetEmulationStrategy, cublasGetEmulationStrategy, cublasEmulationStrategy_t,
        emulation.strategy, (unsigned)value <= CUBLAS_EMULATION_STRATEGY_EAGER)
SETTING(cublasSetEmulationSpecialValuesSupport, cublasGetEmulationSpecialValuesSupport,
        cudaEmulationSpecialValuesSupport, emulation.special,
        (unsigned)value <= CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT)
SETTING(cublasSetFixedPointEmulationMantissaControl, cublasGetFixedPointEmulationMantissaControl,
        cudaEmulationMantissaControl, emulation.mantissa,
        (unsigned)value <= CUDA_EMULATION_MANTISSA_CONTROL_FIXED)
SETTING(cublasSetFixedPointEmulationMaxMantissaBitCount,
        cublasGetFixedPointEmulationMaxMantissaBitCount, int, emulation.most_bits, value >= 0)
SETTING(cublasSetFixedPointEmulationMantissaBitOffset,
        cublasGetFixedPointEmulationMantissaBitOffset, int, emulation.bit_offset, true)
SETTING(cublasSetFixedPointEmulationMantissaBitCountPointer,
        cublasGetFixedPointEmulationMantissaBitCountPointer, int *, emulation.bit_count, true)

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    cublasStatus_t s;
    if (!blas_enter(handle, &s))
        return s;
    if ((uintptr_t)workspace % 256 || (!workspace && bytes))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- statuses ---- */

const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define X(name, number, text)                                                                      \
    case CUBLAS_STATUS_##name: return "CUBLAS_STATUS_" #name;
        CUBLAS_STATUSES(X)
#undef X
    }
    return "unknown status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
#define X(name, number, text)                                                                      \
    case CUBLAS_STATUS_##name: return text;
        CUBLAS_STATUSES(X)
#undef X
    }
    return "unknown status";
}
