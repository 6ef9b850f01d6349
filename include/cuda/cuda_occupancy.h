/* The occupancy of NVIDIA's processors, calculated from their limits: no device is asked. What limits a block here are warps,
 * registers, shared memory and the number of blocks; barriers never do. */
#pragma once
#include <limits.h>
#include <stddef.h>
#if defined __CUDACC__ || defined __TERN_SPLIT__ || defined __TERN_DEVICE__
#include "host_defines.h"
#define __TERN_OCC inline __host__ __device__
#else
#define __TERN_OCC inline
#endif
enum cudaOccError_enum { CUDA_OCC_SUCCESS = 0, CUDA_OCC_ERROR_INVALID_INPUT = 1, CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2 };
typedef enum cudaOccError_enum cudaOccError;
typedef enum cudaOccPartitionedGCConfig_enum { PARTITIONED_GC_OFF, PARTITIONED_GC_ON, PARTITIONED_GC_ON_STRICT } cudaOccPartitionedGCConfig;
typedef enum cudaOccFuncShmemConfig_enum { FUNC_SHMEM_LIMIT_DEFAULT, FUNC_SHMEM_LIMIT_OPTIN } cudaOccFuncShmemConfig;
typedef enum cudaOccCacheConfig_enum { CACHE_PREFER_NONE = 0, CACHE_PREFER_SHARED = 1, CACHE_PREFER_L1 = 2, CACHE_PREFER_EQUAL = 3 } cudaOccCacheConfig;
typedef enum cudaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50
} cudaOccCarveoutConfig;
typedef enum cudaOccLimitingFactor_enum {
    OCC_LIMIT_WARPS = 1,
    OCC_LIMIT_REGISTERS = 2,
    OCC_LIMIT_SHARED_MEMORY = 4,
    OCC_LIMIT_BLOCKS = 8,
    OCC_LIMIT_BARRIERS = 16,
    OCC_LIMIT_VIRTUAL_RESOURCES = 32
} cudaOccLimitingFactor;

struct cudaOccDeviceProp {
    int computeMajor, computeMinor, maxThreadsPerBlock, maxThreadsPerMultiprocessor, regsPerBlock, regsPerMultiprocessor, warpSize;
    size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
    __TERN_OCC cudaOccDeviceProp()
        : computeMajor(0), computeMinor(0), maxThreadsPerBlock(0), maxThreadsPerMultiprocessor(0), regsPerBlock(0), regsPerMultiprocessor(0), warpSize(0),
          sharedMemPerBlock(0), sharedMemPerMultiprocessor(0), numSms(0), sharedMemPerBlockOptin(0), reservedSharedMemPerBlock(0) {}
    template <class P> __TERN_OCC cudaOccDeviceProp(const P &p)
        : computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock), maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor),
          regsPerBlock(p.regsPerBlock), regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize), sharedMemPerBlock(p.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount), sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
          reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {}
#endif
};
struct cudaOccFuncAttributes {
    int maxThreadsPerBlock, numRegs;
    size_t sharedSizeBytes;
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes;
    int numBlockBarriers, virtualResourceCount;
#ifdef __cplusplus
    __TERN_OCC cudaOccFuncAttributes()
        : maxThreadsPerBlock(0), numRegs(0), sharedSizeBytes(0), partitionedGCConfig(PARTITIONED_GC_OFF), shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT),
          maxDynamicSharedSizeBytes(0), numBlockBarriers(1), virtualResourceCount(0) {}
    template <class A> __TERN_OCC cudaOccFuncAttributes(const A &a)
        : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs), sharedSizeBytes(a.sharedSizeBytes), partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT), maxDynamicSharedSizeBytes(a.maxDynamicSharedSizeBytes), numBlockBarriers(1), virtualResourceCount(0) {}
#endif
};
struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig;
#ifdef __cplusplus
    __TERN_OCC cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
};
struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned limitingFactors; /* bits of cudaOccLimitingFactor */
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers, blockLimitVirtual, allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig;
};
#ifndef __cplusplus
typedef struct cudaOccResult cudaOccResult;
typedef struct cudaOccDeviceProp cudaOccDeviceProp;
typedef struct cudaOccFuncAttributes cudaOccFuncAttributes;
typedef struct cudaOccDeviceState cudaOccDeviceState;
#endif

/* What a multiprocessor of an architecture has that its properties do not say: how many blocks, in what pieces shared memory is
 * given, and how much of it there may be beside the cache, in KiB. */
struct __tern_occ_arch {
    int version, blocks, parts, piece;
    int sizes[11]; /* rising, ends at 0 behind the last */
};
static __TERN_OCC int __tern_occ_find(int version, struct __tern_occ_arch *out)
{
    const struct __tern_occ_arch known[] = {
        {70, 32, 4, 256, {8, 16, 32, 64, 96}},
        {72, 32, 4, 256, {8, 16, 32, 64, 96}},
        {75, 16, 4, 256, {32, 64}},
        {80, 32, 4, 128, {8, 16, 32, 64, 100, 132, 164}},
        {86, 16, 4, 128, {8, 16, 32, 64, 100}},
        {87, 16, 4, 128, {8, 16, 32, 64, 100, 132, 164}},
        {89, 24, 4, 128, {8, 16, 32, 64, 100}},
        {90, 32, 4, 128, {8, 16, 32, 64, 100, 132, 164, 196, 228}},
        {100, 32, 4, 128, {8, 16, 32, 64, 100, 132, 164, 196, 228}},
        {103, 32, 4, 128, {8, 16, 32, 64, 100, 132, 164, 196, 228}},
        {120, 24, 4, 128, {8, 16, 32, 64, 100}},
        {121, 24, 4, 128, {8, 16, 32, 64, 100}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].version == version) {
            *out = known[i];
            return 1;
        }
    return 0;
}
static __TERN_OCC size_t __tern_occ_up(size_t x, size_t to) { return (x + to - 1) / to * to; }

/* Shared memory of a multiprocessor: all that it can have, or what the preference leaves, as long as `least` fits. */
static __TERN_OCC size_t __tern_occ_shared(const struct __tern_occ_arch *a, const struct cudaOccDeviceProp *p, const struct cudaOccDeviceState *s, size_t least)
{
    const size_t all = p->sharedMemPerMultiprocessor;
    if (s->carveoutConfig == SHAREDMEM_CARVEOUT_DEFAULT)
        return all;
    size_t wanted = all * (size_t)s->carveoutConfig / 100;
    if (wanted < least)
        wanted = least;
    for (int i = 0; a->sizes[i]; i++)
        if ((size_t)a->sizes[i] * 1024 >= wanted)
            return (size_t)a->sizes[i] * 1024 < all ? (size_t)a->sizes[i] * 1024 : all;
    return all;
}
static __TERN_OCC cudaOccError __tern_occ_check(const struct cudaOccDeviceProp *p, const struct cudaOccFuncAttributes *f, const struct cudaOccDeviceState *s, struct __tern_occ_arch *a)
{
    if (!p || !f || !s || p->warpSize <= 0 || p->maxThreadsPerBlock <= 0 || p->maxThreadsPerMultiprocessor <= 0 || f->maxThreadsPerBlock <= 0 || f->numRegs < 0 ||
        s->carveoutConfig < -1 || s->carveoutConfig > 100)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    return __tern_occ_find(p->computeMajor * 10 + p->computeMinor, a) ? CUDA_OCC_SUCCESS : CUDA_OCC_ERROR_UNKNOWN_DEVICE;
}
static __TERN_OCC cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(struct cudaOccResult *result, const struct cudaOccDeviceProp *properties, const struct cudaOccFuncAttributes *attributes,
                                                                       const struct cudaOccDeviceState *state, int blockSize, size_t dynamicSmemSize)
{
    struct __tern_occ_arch a;
    const cudaOccError e = __tern_occ_check(properties, attributes, state, &a);
    if (e != CUDA_OCC_SUCCESS)
        return e;
    if (!result || blockSize <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    const int warps = (blockSize + properties->warpSize - 1) / properties->warpSize, most = properties->maxThreadsPerBlock < attributes->maxThreadsPerBlock ? properties->maxThreadsPerBlock : attributes->maxThreadsPerBlock;
    /* Each part of the multiprocessor has its own registers, which a warp gets in pieces of 256. */
    const int ofWarp = (int)__tern_occ_up((size_t)attributes->numRegs * (size_t)properties->warpSize, 256), ofPart = properties->regsPerMultiprocessor / a.parts;
    const int inParts = ofWarp ? ofPart / ofWarp * a.parts : 0, evenly = (warps + a.parts - 1) / a.parts * a.parts;
    const size_t shared = __tern_occ_up(attributes->sharedSizeBytes + dynamicSmemSize + properties->reservedSharedMemPerBlock, (size_t)a.piece);
    const size_t optin = properties->sharedMemPerBlockOptin ? properties->sharedMemPerBlockOptin : properties->sharedMemPerBlock;
    const size_t limit = (attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN ? optin : properties->sharedMemPerBlock) + properties->reservedSharedMemPerBlock;
    struct cudaOccResult r;
    r.partitionedGCConfig = PARTITIONED_GC_OFF;
    r.blockLimitWarps = blockSize > most ? 0 : properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;
    r.blockLimitBlocks = a.blocks;
    r.blockLimitRegs = !ofWarp ? INT_MAX : attributes->numRegs > 255 || ofWarp * evenly > properties->regsPerBlock ? 0 : inParts / warps;
    r.blockLimitSharedMem = !shared ? INT_MAX : shared > limit ? 0 : (int)(__tern_occ_shared(&a, properties, state, shared) / shared);
    r.blockLimitBarriers = r.blockLimitVirtual = INT_MAX;
    r.allocatedRegistersPerBlock = ofWarp * warps;
    r.allocatedSharedMemPerBlock = shared;
    const int limits[] = {r.blockLimitWarps, r.blockLimitRegs, r.blockLimitSharedMem, r.blockLimitBlocks};
    int least = INT_MAX;
    for (int i = 0; i < 4; i++)
        least = limits[i] < least ? limits[i] : least;
    r.activeBlocksPerMultiprocessor = least;
    r.limitingFactors = 0;
    for (int i = 0; i < 4; i++)
        r.limitingFactors |= limits[i] == least ? 1u << i : 0u;
    *result = r;
    return CUDA_OCC_SUCCESS;
}
static __TERN_OCC cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const struct cudaOccDeviceProp *properties, const struct cudaOccFuncAttributes *attributes,
                                                                   const struct cudaOccDeviceState *state, int numBlocks, int blockSize)
{
    struct __tern_occ_arch a;
    struct cudaOccResult r;
    cudaOccError e = __tern_occ_check(properties, attributes, state, &a);
    if (e == CUDA_OCC_SUCCESS && (!dynamicSmemSize || numBlocks <= 0))
        e = CUDA_OCC_ERROR_INVALID_INPUT;
    if (e == CUDA_OCC_SUCCESS)
        e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, properties, attributes, state, blockSize, 0);
    if (e != CUDA_OCC_SUCCESS)
        return e;
    *dynamicSmemSize = 0;
    if (r.activeBlocksPerMultiprocessor < numBlocks)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    const size_t optin = properties->sharedMemPerBlockOptin ? properties->sharedMemPerBlockOptin : properties->sharedMemPerBlock;
    const size_t limit = attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN ? optin : properties->sharedMemPerBlock;
    const size_t used = attributes->sharedSizeBytes; /* what is reserved counts as room, as in NVIDIA's calculator */
    size_t each = __tern_occ_shared(&a, properties, state, used + properties->reservedSharedMemPerBlock) / (size_t)numBlocks / (size_t)a.piece * (size_t)a.piece;
    each = each < limit + properties->reservedSharedMemPerBlock ? each : limit + properties->reservedSharedMemPerBlock;
    *dynamicSmemSize = each > used ? each - used : 0;
    return CUDA_OCC_SUCCESS;
}
/* The size of block that keeps most threads busy; of equal ones the largest. */
#define __TERN_OCC_SEARCH(shared)                                                                  \
    struct __tern_occ_arch a;                                                                      \
    struct cudaOccResult r;                                                                        \
    cudaOccError e = __tern_occ_check(properties, attributes, state, &a);                          \
    if (e == CUDA_OCC_SUCCESS && (!minGridSize || !blockSize))                                     \
        e = CUDA_OCC_ERROR_INVALID_INPUT;                                                          \
    if (e != CUDA_OCC_SUCCESS)                                                                     \
        return e;                                                                                  \
    const int most = properties->maxThreadsPerBlock < attributes->maxThreadsPerBlock ? properties->maxThreadsPerBlock : attributes->maxThreadsPerBlock; \
    int best = 0;                                                                                  \
    *minGridSize = *blockSize = 0;                                                                 \
    for (int n = (int)__tern_occ_up((size_t)most, (size_t)properties->warpSize); n > 0; n -= properties->warpSize) { \
        const int threads = n < most ? n : most;                                                   \
        e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, properties, attributes, state, threads, shared); \
        if (e != CUDA_OCC_SUCCESS)                                                                 \
            return e;                                                                              \
        if (r.activeBlocksPerMultiprocessor * threads > best) {                                    \
            best = r.activeBlocksPerMultiprocessor * threads;                                      \
            *minGridSize = r.activeBlocksPerMultiprocessor * properties->numSms;                   \
            *blockSize = threads;                                                                  \
        }                                                                                          \
    }                                                                                              \
    return CUDA_OCC_SUCCESS;
static __TERN_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize, const struct cudaOccDeviceProp *properties, const struct cudaOccFuncAttributes *attributes,
                                                                     const struct cudaOccDeviceState *state, size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize)
{
    __TERN_OCC_SEARCH(blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(threads) : dynamicSMemSize)
}
#ifdef __cplusplus
static __TERN_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties, const cudaOccFuncAttributes *attributes,
                                                                     const cudaOccDeviceState *state, size_t dynamicSMemSize = 0)
{
    return cudaOccMaxPotentialOccupancyBlockSize(minGridSize, blockSize, properties, attributes, state, (size_t(*)(int))0, dynamicSMemSize);
}
template <class F> __TERN_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties, const cudaOccFuncAttributes *attributes,
                                                                                            const cudaOccDeviceState *state, F blockSizeToDynamicSMemSize)
{
    __TERN_OCC_SEARCH((size_t)blockSizeToDynamicSMemSize(threads))
}
#endif
#undef __TERN_OCC_SEARCH
#undef __TERN_OCC
