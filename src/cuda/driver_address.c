/* The driver API by name: cuGetProcAddress. */
#include <string.h>
#include "cuda/driver_int.h"

#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name

/* A name comes with and without its version: cuMemAlloc stands for cuMemAlloc_v2. */
static const struct {
    const char *name, *symbol;
    void (*function)(void);
} functions[] = {
#define DRIVER(name, how, note) {#name, TEXT(name), (void (*)(void))name},
#define ABSENT(name, why)
#include "cuda/driver.def"
};

/* Names that stand for a later version where a program was built for CUDA 13. */
static const struct {
    const char *name, *symbol;
    void (*function)(void);
} later[] = {
#define LATER(name, version)                                                                       \
    {                                                                                              \
#name, TEXT(name##_##version), (void (*)(void))name##_##version                            \
    }
    LATER(cuGraphAddNode, v2),
    LATER(cuGraphGetEdges, v2),
    LATER(cuGraphNodeGetDependencies, v2),
    LATER(cuGraphNodeGetDependentNodes, v2),
    LATER(cuGraphAddDependencies, v2),
    LATER(cuGraphRemoveDependencies, v2),
    LATER(cuStreamUpdateCaptureDependencies, v2),
    {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3",
     (void (*)(void))cuStreamGetCaptureInfo_v3},
    LATER(cuMemcpyBatchAsync, v2),
    LATER(cuMemcpy3DBatchAsync, v2),
#undef LATER
};

CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    PROF_CALL(__func__);
    if (!symbol || !function || flags & ~(cuuint64_t)3)
        return CUDA_ERROR_INVALID_VALUE;
    *function = NULL;
    const char *found = "";
    for (size_t k = 0; version >= 13000 && k < sizeof later / sizeof *later; k++)
        if (!strcmp(later[k].name, symbol)) {
            memcpy(function, &later[k].function, sizeof *function);
            found = later[k].symbol;
        }
    for (size_t k = 0; k < sizeof functions / sizeof *functions && !*function; k++)
        if (!strcmp(functions[k].name, symbol) || !strcmp(functions[k].symbol, symbol)) {
            memcpy(function, &functions[k].function, sizeof *function);
            found = functions[k].symbol;
        }
    if (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        driver_per_thread(found, function);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
