/* Types that only the host half of a program uses: properties, attributes, parameters of copies. */
#pragma once
#include "driver_types.h"
#include <stddef.h>

typedef struct CUuuid_st {
    char bytes[16];
} cudaUUID_t;

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
        computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2],
        maxTexture2DMipmap[2], maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap,
        maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2],
        maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
        maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
        asyncEngineCount, unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
        hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
        computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
        maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported;
    int memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch,
        unifiedFunctionPointers;
    int reserved[63];
};

/* CUDA_DEVICE_ATTRIBUTES(X): X(name, number, field of cudaDeviceProp) */
#define CUDA_DEVICE_ATTRIBUTES(X)                                                                  \
    X(MaxThreadsPerBlock, 1, maxThreadsPerBlock)                                                   \
    X(MaxBlockDimX, 2, maxThreadsDim[0])                                                           \
    X(MaxBlockDimY, 3, maxThreadsDim[1])                                                           \
    X(MaxBlockDimZ, 4, maxThreadsDim[2])                                                           \
    X(MaxGridDimX, 5, maxGridSize[0])                                                              \
    X(MaxGridDimY, 6, maxGridSize[1])                                                              \
    X(MaxGridDimZ, 7, maxGridSize[2])                                                              \
    X(MaxSharedMemoryPerBlock, 8, sharedMemPerBlock)                                               \
    X(TotalConstantMemory, 9, totalConstMem)                                                       \
    X(WarpSize, 10, warpSize)                                                                      \
    X(MaxPitch, 11, memPitch)                                                                      \
    X(MaxRegistersPerBlock, 12, regsPerBlock)                                                      \
    X(ClockRate, 13, clockRate)                                                                    \
    X(TextureAlignment, 14, textureAlignment)                                                      \
    X(GpuOverlap, 15, deviceOverlap)                                                               \
    X(MultiProcessorCount, 16, multiProcessorCount)                                                \
    X(KernelExecTimeout, 17, kernelExecTimeoutEnabled)                                             \
    X(Integrated, 18, integrated)                                                                  \
    X(CanMapHostMemory, 19, canMapHostMemory)                                                      \
    X(ComputeMode, 20, computeMode)                                                                \
    X(ConcurrentKernels, 31, concurrentKernels)                                                    \
    X(EccEnabled, 32, ECCEnabled)                                                                  \
    X(PciBusId, 33, pciBusID)                                                                      \
    X(PciDeviceId, 34, pciDeviceID)                                                                \
    X(MemoryClockRate, 36, memoryClockRate)                                                        \
    X(GlobalMemoryBusWidth, 37, memoryBusWidth)                                                    \
    X(L2CacheSize, 38, l2CacheSize)                                                                \
    X(MaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor)                                \
    X(AsyncEngineCount, 40, asyncEngineCount)                                                      \
    X(UnifiedAddressing, 41, unifiedAddressing)                                                    \
    X(PciDomainId, 50, pciDomainID)                                                                \
    X(ComputeCapabilityMajor, 75, major)                                                           \
    X(ComputeCapabilityMinor, 76, minor)                                                           \
    X(StreamPrioritiesSupported, 78, streamPrioritiesSupported)                                    \
    X(MaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor)                            \
    X(MaxRegistersPerMultiprocessor, 82, regsPerMultiprocessor)                                    \
    X(ManagedMemory, 83, managedMemory)                                                            \
    X(PageableMemoryAccess, 88, pageableMemoryAccess)                                              \
    X(ConcurrentManagedAccess, 89, concurrentManagedAccess)                                        \
    X(CooperativeLaunch, 95, cooperativeLaunch)                                                    \
    X(MaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin)                                    \
    X(HostRegisterSupported, 99, hostRegisterSupported)                                            \
    X(MaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor)                                 \
    X(MemoryPoolsSupported, 115, memoryPoolsSupported)

enum cudaDeviceAttr {
#define X(name, number, field) cudaDevAttr##name = number,
    CUDA_DEVICE_ATTRIBUTES(X)
#undef X
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA,
        maxDynamicSharedSizeBytes;
    int preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
        requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2
};
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};

/* ---- arrays, textures, surfaces ---- */
enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3
};
enum cudaResourceViewFormat { cudaResViewFormatNone = 0 };
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
#define cudaArrayDefault          0x00
#define cudaArrayLayered          0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap          0x04
#define cudaArrayTextureGather    0x08

struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);
typedef void (*cudaHostFn_t)(void *userData);

#define cudaStreamLegacy               ((cudaStream_t)0x1)
#define cudaStreamPerThread            ((cudaStream_t)0x2)
#define cudaHostAllocWriteCombined     0x04
#define cudaHostRegisterDefault        0x00
#define cudaHostRegisterPortable       0x01
#define cudaHostRegisterMapped         0x02
#define cudaHostRegisterReadOnly       0x08
#define cudaEventInterprocess          0x04
#define cudaEventRecordDefault         0x00
#define cudaEventRecordExternal        0x01
#define cudaEventWaitDefault           0x00
#define cudaEventWaitExternal          0x01
#define cudaDeviceScheduleAuto         0x00
#define cudaDeviceScheduleSpin         0x01
#define cudaDeviceScheduleYield        0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync         0x04
#define cudaDeviceMapHost              0x08
#define cudaDeviceLmemResizeToMax      0x10
#define cudaInvalidDeviceId            (-2)
#define cudaOccupancyDefault           0x00
#define cudaPeerAccessDefault          0x00
#define cudaMemAttachSingle            0x04
#define cudaComputeModeDefault         0
#define cudaComputeModeExclusive       1
#define cudaComputeModeProhibited      2
