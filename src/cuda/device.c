/* Devices: choosing, describing, waiting, resetting. */
#include <stdio.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include "cuda/cuda_int.h"

cudaError_t cudaGetDeviceCount(int *count)
{
    PROF_CALL(__func__);
    if (!count)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_start();
    *count = cuda_device_total();
    return cuda_return(e);
}

cudaError_t cudaGetDevice(int *device)
{
    PROF_CALL(__func__);
    if (!device)
        return cuda_return(cudaErrorInvalidValue);
    const cudaError_t e = cuda_start(); /* which device is current follows from it */
    *device = cuda_current_ordinal();
    return cuda_return(e);
}

cudaError_t cudaSetDevice(int device)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    cudaError_t e = cuda_device_at(device, &d);
    if (e == cudaSuccess)
        cuda_set_current(device);
    return cuda_return(e);
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    (void)deviceFlags, (void)flags;
    return cuda_return(cuda_device_at(device, &d));
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    PROF_CALL(__func__);
    if (count && !devices)
        return cuda_return(cudaErrorInvalidValue);
    for (int k = 0; k < count; k++)
        if (devices[k] < 0 || devices[k] >= cuda_device_total())
            return cuda_return(cudaErrorInvalidDevice);
    return cudaSuccess;
}

static int clamped(uint64_t v)
{
    return v > INT32_MAX ? INT32_MAX : (int)v;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if (!p)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cuda_device_at(device, &d);
    if (e != cudaSuccess)
        return cuda_return(e);
    const struct dev_info *i = &d->info;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", i->name);
    const uint64_t which = i->gpu ? i->gpu - 1 : (uint64_t)device; /* one GPU twice is one */
    memcpy(p->uuid.bytes, &(uint64_t){hash_bytes(i->name, strlen(i->name), which)}, 8);
    p->totalGlobalMem = i->memory;
    p->sharedMemPerBlock = cuda_usual_shared(d);
    p->sharedMemPerBlockOptin = i->shared_per_block;
    p->sharedMemPerMultiprocessor = i->unit_shared ? i->unit_shared : i->shared_per_block;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = clamped(i->warp_size);
    p->memPitch = INT32_MAX;
    p->maxThreadsPerBlock = clamped(i->max_threads_per_block);
    p->maxThreadsPerMultiProcessor =
        i->unit_threads ? clamped(i->unit_threads) : p->maxThreadsPerBlock;
    for (int k = 0; k < 3; k++) {
        p->maxThreadsDim[k] = clamped(i->max_block[k]);
        p->maxGridSize[k] = clamped(i->max_grid[k]);
    }
    p->clockRate = clamped(i->clock_khz);
    p->memoryClockRate = clamped(i->memory_khz);
    p->memoryBusWidth = clamped(i->memory_bits);
    p->l2CacheSize = clamped(i->cache_bytes);
    p->totalConstMem = 65536;
    p->major = (int)(cuda_arch(i) / 100);
    p->minor = (int)(cuda_arch(i) / 10 % 10);
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->surfaceAlignment = 512;
    p->multiProcessorCount = clamped(i->units);
    p->integrated = (i->flags & DEV_HOST_MEMORY) != 0;
    p->canMapHostMemory = i->flags & DEV_HOST_MEMORY || d->rt.driver->share;
    p->concurrentManagedAccess = (i->flags & DEV_HOST_MEMORY) != 0;
    p->managedMemory = (i->flags & (DEV_HOST_MEMORY | DEV_MANAGED)) != 0;
    p->directManagedMemAccessFromHost = (i->flags & DEV_HOST_MEMORY) != 0;
    p->pageableMemoryAccess = (i->flags & DEV_READS_HOST) != 0; /* the interpreter does not */
    p->pageableMemoryAccessUsesHostPageTables =
        (i->flags & (DEV_READS_HOST | DEV_GPU)) == DEV_READS_HOST;
    if (cuda_check()) /* which holds programs to what all GPUs can reach */
        p->pageableMemoryAccess = p->pageableMemoryAccessUsesHostPageTables = 0;
    p->streamPrioritiesSupported = p->concurrentKernels = p->deviceOverlap = p->unifiedAddressing =
        p->asyncEngineCount = 1;
    p->cooperativeLaunch = (i->flags & DEV_COOPERATIVE) != 0;
    p->clusterLaunch = 1; /* in software where there are none */
    p->computePreemptionSupported = (i->flags & DEV_PROGRESS) != 0;
    p->hostRegisterSupported = p->memoryPoolsSupported = 1;
    p->maxBlocksPerMultiProcessor = i->unit_blocks ? clamped(i->unit_blocks) : 1;
    if (d->rt.driver->texture_new) {
        p->maxTexture1D = p->maxSurface1D = 1 << 17;
        p->maxTexture1DLinear = 1 << 28;
        for (int k = 0; k < 2; k++)
            p->maxTexture2D[k] = p->maxTexture2DLinear[k] = p->maxTexture2DLayered[k] =
                p->maxSurface2D[k] = 1 << 16;
        p->maxTexture2DLinear[2] = 1 << 21;
        p->maxTexture2DLayered[2] = p->maxTexture1DLayered[1] = 2048;
        p->maxTexture1DLayered[0] = p->maxTextureCubemap = 1 << 15;
        for (int k = 0; k < 3; k++)
            p->maxTexture3D[k] = p->maxSurface3D[k] = 1 << 14;
    }
    p->singleToDoublePrecisionPerfRatio = i->flags & DEV_F64 ? 2 : 32;
    return cudaSuccess;
}

/* False: no attribute has the number. */
static bool attribute_of(const struct cudaDeviceProp *p, int attribute, int32_t *value)
{
    switch (attribute) {
#define X(name, number, driver, field)                                                             \
    case cudaDevAttr##name: *value = clamped((uint64_t)p->field); return true;
        CUDA_DEVICE_ATTRIBUTES(X)
#undef X
#define X(name, number) case cudaDevAttr##name:
        CUDA_ABSENT_ATTRIBUTES(X)
#undef X
        *value = 0;
        return true;
    }
    return false;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    PROF_CALL(__func__);
    struct cudaDeviceProp p;
    if (!value)
        return cuda_return(cudaErrorInvalidValue);
    cudaError_t e = cudaGetDeviceProperties(&p, device);
    if (e != cudaSuccess)
        return e;
    return attribute_of(&p, attribute, value) ? cudaSuccess : cuda_return(cudaErrorInvalidValue);
}

void cuda_device_facts(struct rt_device *d, int32_t out[IR_DEVICE_FACTS_WORDS])
{
    const struct tern_device *device =
        (struct tern_device *)((char *)d - offsetof(struct tern_device, rt));
    struct cudaDeviceProp p = {0};
    out[0] = cuda_ordinal_of(device);
    out[IR_DEVICE_FACTS_WORDS - 1] = cuda_device_total();
    cudaGetDeviceProperties(&p, out[0]);
    for (int a = 1; a < IR_DEVICE_FACTS_WORDS - 1; a++)
        if (!attribute_of(&p, a, &out[a]))
            out[a] = -1;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    PROF_CALL(__func__);
    if (!device || !prop)
        return cuda_return(cudaErrorInvalidValue);
    *device = 0;
    struct cudaDeviceProp p;
    int best = -1;
    cudaError_t e = cuda_start();
    for (int k = 0; k < cuda_device_total() && e == cudaSuccess;
         k++) { /* what is 0 is not asked for */
        if (cudaGetDeviceProperties(&p, k))
            continue;
        const int score = (p.major * 10 + p.minor >= prop->major * 10 + prop->minor) +
                          (p.totalGlobalMem >= prop->totalGlobalMem) +
                          (p.multiProcessorCount >= prop->multiProcessorCount) +
                          (p.maxThreadsPerBlock >= prop->maxThreadsPerBlock);
        if (score > best) {
            best = score;
            *device = k;
        }
    }
    return cuda_return(e);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    PROF_CALL(__func__);
    return cuda_return(flags & ~0x1fu ? cudaErrorInvalidValue
                                      : cudaSuccess); /* hints on waiting: nothing to do */
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    PROF_CALL(__func__);
    if (!flags)
        return cuda_return(cudaErrorInvalidValue);
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_from(tern_device_wait(d));
    if (e == cudaSuccess)
        e = cuda_wait_all(d);
    return cuda_return(e);
}

cudaError_t cudaThreadSynchronize(void)
{
    PROF_CALL(__func__);
    return cudaDeviceSynchronize();
}

cudaError_t cudaDeviceReset(void)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    cudaError_t e = cuda_device_at(cuda_current_ordinal(), &d);
    if (e == cudaSuccess)
        cuda_close_device(d);
    cuda_peek(true);
    return e;
}

cudaError_t cudaThreadExit(void)
{
    PROF_CALL(__func__);
    return cudaDeviceReset();
}

/* Limits are remembered and given back. Of the heap, the stack and waiting launches the device is
 * told; the others it sizes by itself, as needed. */
enum { LIMITS = cudaLimitPersistingL2CacheSize + 1 };
static const size_t default_limits[LIMITS] = {[cudaLimitStackSize] = 1024,
                                              [cudaLimitPrintfFifoSize] = 1 << 20,
                                              [cudaLimitMallocHeapSize] = DEV_DEFAULT_HEAP,
                                              [cudaLimitDevRuntimeSyncDepth] = 2,
                                              [cudaLimitDevRuntimePendingLaunchCount] =
                                                  DEV_DEFAULT_PENDING,
                                              [cudaLimitMaxL2FetchGranularity] = 64,
                                              [cudaLimitPersistingL2CacheSize] = 0};
static size_t set_limits[CUDA_MAX_DEVICES][LIMITS]; /* 0: the default */

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if (!value || (unsigned)limit >= LIMITS)
        return cuda_return(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    cudaError_t e = cuda_current(&d);
    if (e != cudaSuccess)
        return cuda_return(e);
    const size_t set = __atomic_load_n(&set_limits[d->ordinal][limit], __ATOMIC_RELAXED);
    *value = set ? set : default_limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    if ((unsigned)limit >= LIMITS)
        return cuda_return(cudaErrorUnsupportedLimit);
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess && limit == cudaLimitMallocHeapSize) {
        const struct dev_driver *v = d->rt.driver;
        if (v->heap_limit)
            e = cuda_from(device_check(d, v->heap_limit(d->rt.dev, value)));
        else if (value > DEV_DEFAULT_HEAP)
            e = cudaErrorMemoryAllocation; /* the device's is of one size */
    }
    if (e == cudaSuccess && limit == cudaLimitStackSize && d->rt.driver->stack_limit)
        e = cuda_from(device_check(d, d->rt.driver->stack_limit(d->rt.dev, value)));
    if (e == cudaSuccess && limit == cudaLimitDevRuntimePendingLaunchCount &&
        d->rt.driver->pending_limit)
        e = cuda_from(d->rt.driver->pending_limit(d->rt.dev, value));
    if (e == cudaSuccess)
        __atomic_store_n(&set_limits[d->ordinal][limit], value, __ATOMIC_RELAXED);
    return cuda_return(e);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    PROF_CALL(__func__);
    if (!config)
        return cuda_return(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    PROF_CALL(__func__);
    return cuda_return((unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue
                                                                   : cudaSuccess);
}

/* Their names from before a device could have several threads. */
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    PROF_CALL(__func__);
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    PROF_CALL(__func__);
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    PROF_CALL(__func__);
    return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    PROF_CALL(__func__);
    return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    PROF_CALL(__func__);
    if (!config)
        return cuda_return(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    PROF_CALL(__func__);
    return cuda_return((unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                                         : cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    PROF_CALL(__func__);
    if (least)
        *least = 0;
    if (greatest)
        *greatest = CUDA_GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    PROF_CALL(__func__);
    struct tern_device *d;
    cudaError_t e = cuda_device_at(device, &d);
    if (!text || length < 13)
        return cuda_return(cudaErrorInvalidValue);
    if (e == cudaSuccess)
        snprintf(text, (size_t)length, "0000:%02x:00.0", (unsigned)device);
    return cuda_return(e);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    PROF_CALL(__func__);
    unsigned bus;
    if (!device || !text || sscanf(text, "0000:%x:00.0", &bus) != 1 ||
        (int)bus >= cuda_device_total())
        return cuda_return(cudaErrorInvalidValue);
    *device = (int)bus;
    return cudaSuccess;
}

/* ---- peers ---- */

/* Kernels reach into another device's memory where both use the host's addresses, or where the
 * driver connects them. Copies between devices need none of this. */
static bool can_reach(const struct tern_device *d, const struct tern_device *peer)
{
    if (d == peer || d->rt.driver != peer->rt.driver)
        return false;
    return d->info.flags & DEV_READS_HOST || d->rt.driver->peer_enable;
}

static struct {
    pthread_mutex_t lock;
    bool on[CUDA_MAX_DEVICES][CUDA_MAX_DEVICES];
} peers = {.lock = PTHREAD_MUTEX_INITIALIZER};

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    PROF_CALL(__func__);
    struct tern_device *d, *p;
    cudaError_t e = can ? cuda_device_at(device, &d) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cuda_device_at(peer, &p);
    if (e == cudaSuccess)
        *can = can_reach(d, p);
    return cuda_return(e);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    PROF_CALL(__func__);
    struct tern_device *d, *p;
    cudaError_t e = flags ? cudaErrorInvalidValue : cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_device_at(peer, &p);
    if (e == cudaSuccess && d == p)
        e = cudaErrorInvalidDevice;
    if (e == cudaSuccess && !can_reach(d, p))
        e = cudaErrorPeerAccessUnsupported;
    if (e != cudaSuccess)
        return cuda_return(e);
    pthread_mutex_lock(&peers.lock);
    bool *on = &peers.on[d->ordinal][p->ordinal];
    if (*on)
        e = cudaErrorPeerAccessAlreadyEnabled;
    else if (d->rt.driver->peer_enable)
        e = cuda_from(device_check(d, d->rt.driver->peer_enable(d->rt.dev, p->rt.dev)));
    if (e == cudaSuccess)
        *on = true;
    pthread_mutex_unlock(&peers.lock);
    return cuda_return(e);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    PROF_CALL(__func__);
    struct tern_device *d, *p;
    cudaError_t e = cuda_current(&d);
    if (e == cudaSuccess)
        e = cuda_device_at(peer, &p);
    if (e != cudaSuccess)
        return cuda_return(e);
    pthread_mutex_lock(&peers.lock);
    if (!peers.on[d->ordinal][p->ordinal])
        e = cudaErrorPeerAccessNotEnabled;
    peers.on[d->ordinal][p->ordinal] = false;
    pthread_mutex_unlock(&peers.lock);
    return cuda_return(e);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    PROF_CALL(__func__);
    if (!version)
        return cuda_return(cudaErrorInvalidValue);
    *version = CUDA_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    PROF_CALL(__func__);
    if (!version)
        return cuda_return(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
    prof_pause(false);
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    prof_pause(true);
    return cudaSuccess;
}
