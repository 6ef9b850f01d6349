/* The driver API: start, errors, devices, contexts.
 *
 * A device has one address space and one set of streams, whatever contexts are made on it: a
 * context is a name for its device. The primary one is what the runtime API uses. */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver_int.h"

/* ---- errors ---- */

static const struct {
    CUresult number;
    const char *name;
} names[] = {
#define X(name, number) {CUDA_##name, "CUDA_" #name},
    CUDA_DRIVER_ERRORS(X)
#undef X
};
enum { NNAMES = sizeof names / sizeof *names };

CUresult driver_result(cudaError_t e)
{
    static const struct {
        cudaError_t runtime;
        CUresult driver;
    } others[] = {
        {cudaErrorInvalidConfiguration, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidPitchValue, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidSymbol, CUDA_ERROR_NOT_FOUND},
        {cudaErrorInvalidDevicePointer, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidChannelDescriptor, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidMemcpyDirection, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidFilterSetting, CUDA_ERROR_INVALID_VALUE},
        {cudaErrorInvalidDeviceFunction, CUDA_ERROR_INVALID_HANDLE},
    };
    for (size_t k = 0; k < NNAMES; k++)
        if ((int)names[k].number == (int)e)
            return names[k].number;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].runtime == e)
            return others[k].driver;
    return CUDA_ERROR_UNKNOWN;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = NULL;
    for (size_t k = 0; k < NNAMES; k++)
        if (names[k].number == error)
            *name = names[k].name;
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    const char *name;
    CUresult r = text ? cuGetErrorName(error, &name) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) /* the runtime API has texts for the same numbers */
        *text = error == CUDA_ERROR_INVALID_CONTEXT   ? "invalid device context"
                : error == CUDA_ERROR_NOT_INITIALIZED ? "initialization error"
                                                      : cudaGetErrorString((cudaError_t)error);
    else if (text)
        *text = NULL;
    return r;
}

/* ---- start ---- */

CUresult cuInit(unsigned int flags)
{
    PROF_CALL(__func__);
    return flags ? CUDA_ERROR_INVALID_VALUE : driver_result(cuda_start());
}

CUresult driver_enter(void)
{
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    return cuda_context_top() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDriverGetVersion(int *version)
{
    PROF_CALL(__func__);
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- devices ---- */

CUresult driver_device(CUdevice device)
{
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    return device >= 0 && device < cuda_device_total() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* Without a context: devices are asked before one is made. */
#define RETURN_OF_DEVICE(device, call) RETURN_ENTERED(driver_device(device), call)

CUresult cuDeviceGetCount(int *count)
{
    PROF_CALL(__func__);
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    *count = cuda_device_total();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    PROF_CALL(__func__);
    CUresult r = device ? driver_device(ordinal) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *device = ordinal;
    return r;
}

static CUresult properties(struct cudaDeviceProp *p, CUdevice device)
{
    RETURN_OF_DEVICE(device, cudaGetDeviceProperties(p, device));
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    PROF_CALL(__func__);
    struct cudaDeviceProp p;
    CUresult r = name && length > 0 ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) {
        size_t n = strlen(p.name);
        if (n >= (size_t)length)
            n = (size_t)length - 1;
        memcpy(name, p.name, n);
        name[n] = 0;
    }
    return r;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    PROF_CALL(__func__);
    struct cudaDeviceProp p;
    CUresult r = uuid ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *uuid = p.uuid;
    return r;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    PROF_CALL(__func__);
    struct cudaDeviceProp p;
    CUresult r = bytes ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *bytes = p.totalGlobalMem;
    return r;
}

/* What only the driver API asks, and devices differ in. */
static CUresult capability(int *value, CUdevice_attribute attribute, CUdevice device)
{
    struct tern_device *d;
    CUresult r = driver_device(device);
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_device_at(device, &d));
    if (r != CUDA_SUCCESS)
        return r;
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
        *value = cuda_waits_for_words(d);
        break;
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
        *value = cuda_maps_memory(d);
        break;
    default: *value = 0; break;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    PROF_CALL(__func__);
#define X(name, number) case number:
    switch ((int)attribute) {
        CUDA_DRIVER_ATTRIBUTES(X)
        return value ? capability(value, attribute, device) : CUDA_ERROR_INVALID_VALUE;
        CUDA_MISSING_ATTRIBUTES(X)
        if (!value)
            return CUDA_ERROR_INVALID_VALUE;
        *value = 0;
        return driver_device(device);
    default: break;
    }
#undef X
    RETURN_OF_DEVICE(device, cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    PROF_CALL(__func__);
    struct cudaDeviceProp p;
    CUresult r = major && minor ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) {
        *major = p.major;
        *minor = p.minor;
    }
    return r;
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice device)
{
    PROF_CALL(__func__);
    struct cudaDeviceProp p;
    CUresult r = prop ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    *prop = (CUdevprop){.maxThreadsPerBlock = p.maxThreadsPerBlock,
                        .sharedMemPerBlock = (int)p.sharedMemPerBlock,
                        .totalConstantMemory = (int)p.totalConstMem,
                        .SIMDWidth = p.warpSize,
                        .memPitch = (int)p.memPitch,
                        .regsPerBlock = p.regsPerBlock,
                        .clockRate = p.clockRate,
                        .textureAlign = (int)p.textureAlignment};
    memcpy(prop->maxThreadsDim, p.maxThreadsDim, sizeof p.maxThreadsDim);
    memcpy(prop->maxGridSize, p.maxGridSize, sizeof p.maxGridSize);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device)
{
    PROF_CALL(__func__);
    RETURN_OF_DEVICE(device, cudaDeviceGetPCIBusId(text, length, device));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    PROF_CALL(__func__);
    RETURN_OF_DEVICE(0, cudaDeviceGetByPCIBusId(device, text));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    PROF_CALL(__func__);
    RETURN_OF_DEVICE(device, cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to)
{
    PROF_CALL(__func__);
    if (!value || (int)attribute < 1 || (int)attribute > 4 || from == to)
        return CUDA_ERROR_INVALID_VALUE;
    if (driver_device(from) != CUDA_SUCCESS)
        return driver_device(from);
    int can = 0;
    CUresult r = cuDeviceCanAccessPeer(&can, from, to);
    *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? 0 : can;
    return r;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    PROF_CALL(__func__);
    RETURN_OF_DEVICE(device, cudaDeviceGetDefaultMemPool(pool, device));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    PROF_CALL(__func__);
    RETURN_OF_DEVICE(device, cudaDeviceGetMemPool(pool, device));
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    PROF_CALL(__func__);
    RETURN_OF_DEVICE(device, cudaDeviceSetMemPool(device, pool));
}

/* ---- contexts ---- */

static struct {
    pthread_mutex_t lock;
    struct CUctx_st *made; /* by cuCtxCreate */
    unsigned long long next_id;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_id = CUDA_MAX_DEVICES + 1};

bool driver_is_context(const struct CUctx_st *c)
{
    for (int k = 0; k < cuda_device_total(); k++)
        if (c == cuda_primary(k))
            return true;
    pthread_mutex_lock(&contexts.lock);
    const struct CUctx_st *at = contexts.made;
    while (at && at != c)
        at = at->next;
    pthread_mutex_unlock(&contexts.lock);
    return at != NULL;
}

static CUresult open_device(CUdevice device)
{
    struct tern_device *d;
    CUresult r = driver_device(device);
    return r != CUDA_SUCCESS ? r : driver_result(cuda_device_at(device, &d));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    PROF_CALL(__func__);
    CUresult r = context ? open_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) {
        *context = cuda_primary(device);
        __atomic_add_fetch(&(*context)->users, 1, __ATOMIC_RELAXED);
    }
    return r;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    PROF_CALL(__func__);
    CUresult r = driver_device(device);
    if (r != CUDA_SUCCESS)
        return r;
    struct CUctx_st *c = cuda_primary(device);
    unsigned users = __atomic_load_n(&c->users, __ATOMIC_RELAXED);
    do
        if (!users)
            return CUDA_ERROR_INVALID_CONTEXT;
    while (!__atomic_compare_exchange_n(&c->users, &users, users - 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    return CUDA_SUCCESS; /* what lives on the device stays: the runtime API may use it too */
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    CUresult r = driver_device(device);
    if (r == CUDA_SUCCESS)
        r = driver_result(cuda_device_at(device, &d));
    if (r == CUDA_SUCCESS)
        cuda_close_device(d);
    return r;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    PROF_CALL(__func__);
    CUresult r = driver_device(device);
    if (r == CUDA_SUCCESS && flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        r = CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        cuda_primary(device)->flags = flags; /* hints on waiting */
    return r;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    PROF_CALL(__func__);
    CUresult r = flags && active ? driver_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS) {
        *flags = cuda_primary(device)->flags;
        *active = cuda_primary(device)->users != 0 || cuda_context_top() == cuda_primary(device);
    }
    return r;
}

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    PROF_CALL(__func__);
    if (!context || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = open_device(device);
    if (r != CUDA_SUCCESS)
        return r;
    struct CUctx_st *c = calloc(1, sizeof *c);
    if (!c || !cuda_context_push(c)) {
        free(c);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&contexts.lock);
    *c = (struct CUctx_st){
        .ordinal = device, .flags = flags, .id = contexts.next_id++, .next = contexts.made};
    contexts.made = c;
    pthread_mutex_unlock(&contexts.lock);
    *context = c;
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext context)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if (!context || !driver_is_context(context) || context->primary)
        return context ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    CUresult r = driver_result(cuda_device_at(context->ordinal, &d));
    if (r == CUDA_SUCCESS)
        device_wait(d);
    if (cuda_context_top() == context)
        cuda_context_pop();
    pthread_mutex_lock(&contexts.lock);
    struct CUctx_st **at = &contexts.made;
    while (*at != context)
        at = &(*at)->next;
    *at = context->next;
    pthread_mutex_unlock(&contexts.lock);
    free(context);
    return r;
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    PROF_CALL(__func__);
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!context || !driver_is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return cuda_context_push(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    PROF_CALL(__func__);
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    struct CUctx_st *top = cuda_context_pop();
    if (context)
        *context = top;
    return top ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    PROF_CALL(__func__);
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (context && !driver_is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    cuda_context_set(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    PROF_CALL(__func__);
    if (!cuda_started())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (!context)
        return CUDA_ERROR_INVALID_VALUE;
    *context = cuda_context_top();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    PROF_CALL(__func__);
    CUresult r = device ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *device = cuda_context_top()->ordinal;
    return r;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    PROF_CALL(__func__);
    CUresult r = flags ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *flags = cuda_context_top()->flags;
    return r;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    PROF_CALL(__func__);
    CUresult r = id ? driver_enter() : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS && context && !driver_is_context(context))
        r = CUDA_ERROR_INVALID_CONTEXT;
    if (r == CUDA_SUCCESS)
        *id = context ? context->id : cuda_context_top()->id;
    return r;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    PROF_CALL(__func__);
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    if (context && !driver_is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020; /* of the functions named _v2 */
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceSynchronize());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)config));
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    PROF_CALL(__func__);
    RETURN_RUNTIME(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    PROF_CALL(__func__);
    if (!peer || !driver_is_context(peer))
        return CUDA_ERROR_INVALID_CONTEXT;
    RETURN_RUNTIME(cudaDeviceEnablePeerAccess(peer->ordinal, flags));
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    PROF_CALL(__func__);
    if (!peer || !driver_is_context(peer))
        return CUDA_ERROR_INVALID_CONTEXT;
    RETURN_RUNTIME(cudaDeviceDisablePeerAccess(peer->ordinal));
}

CUresult cuProfilerStart(void)
{
    prof_pause(false);
    return driver_enter();
}

CUresult cuProfilerStop(void)
{
    prof_pause(true);
    return driver_enter();
}
