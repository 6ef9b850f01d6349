/* Types that only the host half of a program uses: properties, attributes, parameters of copies. */
#pragma once
#include "cuda_jit_types.h"
#include "driver_types.h"
#include <stddef.h>

/* Texts for the errors that programs meet; the others are told by their names. */
#define CUDA_ERROR_TEXTS(X)                                                                        \
    X(Success, "no error")                                                                         \
    X(ErrorInvalidValue, "invalid argument")                                                       \
    X(ErrorMemoryAllocation, "out of memory")                                                      \
    X(ErrorInitializationError, "initialization error")                                            \
    X(ErrorInvalidConfiguration, "invalid configuration argument")                                 \
    X(ErrorInvalidPitchValue, "invalid pitch argument")                                            \
    X(ErrorInvalidSymbol, "invalid device symbol")                                                 \
    X(ErrorInvalidDevicePointer, "invalid device pointer")                                         \
    X(ErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                            \
    X(ErrorMissingConfiguration, "__global__ function call is not configured")                     \
    X(ErrorInvalidDeviceFunction, "invalid device function")                                       \
    X(ErrorNoDevice, "no CUDA-capable device is detected")                                         \
    X(ErrorInvalidDevice, "invalid device ordinal")                                                \
    X(ErrorInvalidKernelImage, "device kernel image is invalid")                                   \
    X(ErrorInvalidPtx, "the device half of the program was refused by the compiler")               \
    X(ErrorPeerAccessUnsupported, "peer access is not supported between these two devices")        \
    X(ErrorPeerAccessAlreadyEnabled, "peer access is already enabled")                             \
    X(ErrorPeerAccessNotEnabled, "peer access has not been enabled")                               \
    X(ErrorOperatingSystem, "OS call failed or operation not supported on this OS")                \
    X(ErrorInvalidResourceHandle, "invalid resource handle")                                       \
    X(ErrorSymbolNotFound, "named symbol not found")                                               \
    X(ErrorNotReady, "device not ready")                                                           \
    X(ErrorIllegalAddress, "an illegal memory access was encountered")                             \
    X(ErrorLaunchOutOfResources, "too many resources requested for launch")                        \
    X(ErrorLaunchTimeout, "the launch timed out and was terminated")                               \
    X(ErrorAssert, "device-side assert triggered")                                                 \
    X(ErrorHostMemoryAlreadyRegistered,                                                            \
      "part or all of the requested memory range is already mapped")                               \
    X(ErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region")   \
    X(ErrorMisalignedAddress, "misaligned address")                                                \
    X(ErrorLaunchFailure, "unspecified launch failure")                                            \
    X(ErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")                     \
    X(ErrorNotSupported, "operation not supported")                                                \
    X(ErrorUnknown, "unknown error")

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

/* CUDA_DEVICE_ATTRIBUTES(X): X(name, number, name in the driver API, field of cudaDeviceProp) */
#define CUDA_DEVICE_ATTRIBUTES(X)                                                                  \
    X(MaxThreadsPerBlock, 1, MAX_THREADS_PER_BLOCK, maxThreadsPerBlock)                            \
    X(MaxBlockDimX, 2, MAX_BLOCK_DIM_X, maxThreadsDim[0])                                          \
    X(MaxBlockDimY, 3, MAX_BLOCK_DIM_Y, maxThreadsDim[1])                                          \
    X(MaxBlockDimZ, 4, MAX_BLOCK_DIM_Z, maxThreadsDim[2])                                          \
    X(MaxGridDimX, 5, MAX_GRID_DIM_X, maxGridSize[0])                                              \
    X(MaxGridDimY, 6, MAX_GRID_DIM_Y, maxGridSize[1])                                              \
    X(MaxGridDimZ, 7, MAX_GRID_DIM_Z, maxGridSize[2])                                              \
    X(MaxSharedMemoryPerBlock, 8, MAX_SHARED_MEMORY_PER_BLOCK, sharedMemPerBlock)                  \
    X(TotalConstantMemory, 9, TOTAL_CONSTANT_MEMORY, totalConstMem)                                \
    X(WarpSize, 10, WARP_SIZE, warpSize)                                                           \
    X(MaxPitch, 11, MAX_PITCH, memPitch)                                                           \
    X(MaxRegistersPerBlock, 12, MAX_REGISTERS_PER_BLOCK, regsPerBlock)                             \
    X(ClockRate, 13, CLOCK_RATE, clockRate)                                                        \
    X(TextureAlignment, 14, TEXTURE_ALIGNMENT, textureAlignment)                                   \
    X(GpuOverlap, 15, GPU_OVERLAP, deviceOverlap)                                                  \
    X(MultiProcessorCount, 16, MULTIPROCESSOR_COUNT, multiProcessorCount)                          \
    X(KernelExecTimeout, 17, KERNEL_EXEC_TIMEOUT, kernelExecTimeoutEnabled)                        \
    X(Integrated, 18, INTEGRATED, integrated)                                                      \
    X(CanMapHostMemory, 19, CAN_MAP_HOST_MEMORY, canMapHostMemory)                                 \
    X(ComputeMode, 20, COMPUTE_MODE, computeMode)                                                  \
    X(MaxTexture1DWidth, 21, MAXIMUM_TEXTURE1D_WIDTH, maxTexture1D)                                \
    X(MaxTexture2DWidth, 22, MAXIMUM_TEXTURE2D_WIDTH, maxTexture2D[0])                             \
    X(MaxTexture2DHeight, 23, MAXIMUM_TEXTURE2D_HEIGHT, maxTexture2D[1])                           \
    X(MaxTexture3DWidth, 24, MAXIMUM_TEXTURE3D_WIDTH, maxTexture3D[0])                             \
    X(MaxTexture3DHeight, 25, MAXIMUM_TEXTURE3D_HEIGHT, maxTexture3D[1])                           \
    X(MaxTexture3DDepth, 26, MAXIMUM_TEXTURE3D_DEPTH, maxTexture3D[2])                             \
    X(MaxTexture2DLayeredWidth, 27, MAXIMUM_TEXTURE2D_LAYERED_WIDTH, maxTexture2DLayered[0])       \
    X(MaxTexture2DLayeredHeight, 28, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, maxTexture2DLayered[1])     \
    X(MaxTexture2DLayeredLayers, 29, MAXIMUM_TEXTURE2D_LAYERED_LAYERS, maxTexture2DLayered[2])     \
    X(SurfaceAlignment, 30, SURFACE_ALIGNMENT, surfaceAlignment)                                   \
    X(ConcurrentKernels, 31, CONCURRENT_KERNELS, concurrentKernels)                                \
    X(EccEnabled, 32, ECC_ENABLED, ECCEnabled)                                                     \
    X(PciBusId, 33, PCI_BUS_ID, pciBusID)                                                          \
    X(PciDeviceId, 34, PCI_DEVICE_ID, pciDeviceID)                                                 \
    X(TccDriver, 35, TCC_DRIVER, tccDriver)                                                        \
    X(MemoryClockRate, 36, MEMORY_CLOCK_RATE, memoryClockRate)                                     \
    X(GlobalMemoryBusWidth, 37, GLOBAL_MEMORY_BUS_WIDTH, memoryBusWidth)                           \
    X(L2CacheSize, 38, L2_CACHE_SIZE, l2CacheSize)                                                 \
    X(MaxThreadsPerMultiProcessor, 39, MAX_THREADS_PER_MULTIPROCESSOR,                             \
      maxThreadsPerMultiProcessor)                                                                 \
    X(AsyncEngineCount, 40, ASYNC_ENGINE_COUNT, asyncEngineCount)                                  \
    X(UnifiedAddressing, 41, UNIFIED_ADDRESSING, unifiedAddressing)                                \
    X(MaxTexture1DLayeredWidth, 42, MAXIMUM_TEXTURE1D_LAYERED_WIDTH, maxTexture1DLayered[0])       \
    X(MaxTexture1DLayeredLayers, 43, MAXIMUM_TEXTURE1D_LAYERED_LAYERS, maxTexture1DLayered[1])     \
    X(PciDomainId, 50, PCI_DOMAIN_ID, pciDomainID)                                                 \
    X(TexturePitchAlignment, 51, TEXTURE_PITCH_ALIGNMENT, texturePitchAlignment)                   \
    X(MaxTextureCubemapWidth, 52, MAXIMUM_TEXTURECUBEMAP_WIDTH, maxTextureCubemap)                 \
    X(MaxSurface1DWidth, 55, MAXIMUM_SURFACE1D_WIDTH, maxSurface1D)                                \
    X(MaxSurface2DWidth, 56, MAXIMUM_SURFACE2D_WIDTH, maxSurface2D[0])                             \
    X(MaxSurface2DHeight, 57, MAXIMUM_SURFACE2D_HEIGHT, maxSurface2D[1])                           \
    X(MaxSurface3DWidth, 58, MAXIMUM_SURFACE3D_WIDTH, maxSurface3D[0])                             \
    X(MaxSurface3DHeight, 59, MAXIMUM_SURFACE3D_HEIGHT, maxSurface3D[1])                           \
    X(MaxSurface3DDepth, 60, MAXIMUM_SURFACE3D_DEPTH, maxSurface3D[2])                             \
    X(MaxTexture1DLinearWidth, 69, MAXIMUM_TEXTURE1D_LINEAR_WIDTH, maxTexture1DLinear)             \
    X(MaxTexture2DLinearWidth, 70, MAXIMUM_TEXTURE2D_LINEAR_WIDTH, maxTexture2DLinear[0])          \
    X(MaxTexture2DLinearHeight, 71, MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, maxTexture2DLinear[1])        \
    X(MaxTexture2DLinearPitch, 72, MAXIMUM_TEXTURE2D_LINEAR_PITCH, maxTexture2DLinear[2])          \
    X(ComputeCapabilityMajor, 75, COMPUTE_CAPABILITY_MAJOR, major)                                 \
    X(ComputeCapabilityMinor, 76, COMPUTE_CAPABILITY_MINOR, minor)                                 \
    X(StreamPrioritiesSupported, 78, STREAM_PRIORITIES_SUPPORTED, streamPrioritiesSupported)       \
    X(GlobalL1CacheSupported, 79, GLOBAL_L1_CACHE_SUPPORTED, globalL1CacheSupported)               \
    X(LocalL1CacheSupported, 80, LOCAL_L1_CACHE_SUPPORTED, localL1CacheSupported)                  \
    X(MaxSharedMemoryPerMultiprocessor, 81, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,                  \
      sharedMemPerMultiprocessor)                                                                  \
    X(MaxRegistersPerMultiprocessor, 82, MAX_REGISTERS_PER_MULTIPROCESSOR, regsPerMultiprocessor)  \
    X(ManagedMemory, 83, MANAGED_MEMORY, managedMemory)                                            \
    X(IsMultiGpuBoard, 84, MULTI_GPU_BOARD, isMultiGpuBoard)                                       \
    X(MultiGpuBoardGroupID, 85, MULTI_GPU_BOARD_GROUP_ID, multiGpuBoardGroupID)                    \
    X(HostNativeAtomicSupported, 86, HOST_NATIVE_ATOMIC_SUPPORTED, hostNativeAtomicSupported)      \
    X(SingleToDoublePrecisionPerfRatio, 87, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,                 \
      singleToDoublePrecisionPerfRatio)                                                            \
    X(PageableMemoryAccess, 88, PAGEABLE_MEMORY_ACCESS, pageableMemoryAccess)                      \
    X(ConcurrentManagedAccess, 89, CONCURRENT_MANAGED_ACCESS, concurrentManagedAccess)             \
    X(ComputePreemptionSupported, 90, COMPUTE_PREEMPTION_SUPPORTED, computePreemptionSupported)    \
    X(CanUseHostPointerForRegisteredMem, 91, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,              \
      canUseHostPointerForRegisteredMem)                                                           \
    X(CooperativeLaunch, 95, COOPERATIVE_LAUNCH, cooperativeLaunch)                                \
    X(CooperativeMultiDeviceLaunch, 96, COOPERATIVE_MULTI_DEVICE_LAUNCH,                           \
      cooperativeMultiDeviceLaunch)                                                                \
    X(MaxSharedMemoryPerBlockOptin, 97, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, sharedMemPerBlockOptin) \
    X(HostRegisterSupported, 99, HOST_REGISTER_SUPPORTED, hostRegisterSupported)                   \
    X(PageableMemoryAccessUsesHostPageTables, 100, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,   \
      pageableMemoryAccessUsesHostPageTables)                                                      \
    X(DirectManagedMemAccessFromHost, 101, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST,                    \
      directManagedMemAccessFromHost)                                                              \
    X(MaxBlocksPerMultiprocessor, 106, MAX_BLOCKS_PER_MULTIPROCESSOR, maxBlocksPerMultiProcessor)  \
    X(MaxPersistingL2CacheSize, 108, MAX_PERSISTING_L2_CACHE_SIZE, persistingL2CacheMaxSize)       \
    X(MaxAccessPolicyWindowSize, 109, MAX_ACCESS_POLICY_WINDOW_SIZE, accessPolicyMaxWindowSize)    \
    X(ReservedSharedMemoryPerBlock, 111, RESERVED_SHARED_MEMORY_PER_BLOCK,                         \
      reservedSharedMemPerBlock)                                                                   \
    X(MemoryPoolsSupported, 115, MEMORY_POOLS_SUPPORTED, memoryPoolsSupported)                     \
    X(MemoryPoolSupportedHandleTypes, 119, MEMPOOL_SUPPORTED_HANDLE_TYPES,                         \
      memoryPoolSupportedHandleTypes)                                                              \
    X(ClusterLaunch, 120, CLUSTER_LAUNCH, clusterLaunch)

/* What no device has: 0. X(name, number) */
#define CUDA_ABSENT_ATTRIBUTES(X)                                                                  \
    X(MaxTexture2DGatherWidth, 45)                                                                 \
    X(MaxTexture2DGatherHeight, 46)                                                                \
    X(MaxTexture3DWidthAlt, 47)                                                                    \
    X(MaxTexture3DHeightAlt, 48)                                                                   \
    X(MaxTexture3DDepthAlt, 49)                                                                    \
    X(MaxTextureCubemapLayeredWidth, 53)                                                           \
    X(MaxTextureCubemapLayeredLayers, 54)                                                          \
    X(MaxSurface1DLayeredWidth, 61)                                                                \
    X(MaxSurface1DLayeredLayers, 62)                                                               \
    X(MaxSurface2DLayeredWidth, 63)                                                                \
    X(MaxSurface2DLayeredHeight, 64)                                                               \
    X(MaxSurface2DLayeredLayers, 65)                                                               \
    X(MaxSurfaceCubemapWidth, 66)                                                                  \
    X(MaxSurfaceCubemapLayeredWidth, 67)                                                           \
    X(MaxSurfaceCubemapLayeredLayers, 68)                                                          \
    X(MaxTexture2DMipmappedWidth, 73)                                                              \
    X(MaxTexture2DMipmappedHeight, 74)                                                             \
    X(MaxTexture1DMipmappedWidth, 77)                                                              \
    X(CanFlushRemoteWrites, 98)                                                                    \
    X(SparseCudaArraySupported, 112)                                                               \
    X(HostRegisterReadOnlySupported, 113)                                                          \
    X(TimelineSemaphoreInteropSupported, 114)                                                      \
    X(GPUDirectRDMASupported, 116)                                                                 \
    X(GPUDirectRDMAFlushWritesOptions, 117)                                                        \
    X(GPUDirectRDMAWritesOrdering, 118)                                                            \
    X(DeferredMappingCudaArraySupported, 121)                                                      \
    X(IpcEventSupport, 125)                                                                        \
    X(MemSyncDomainCount, 126)                                                                     \
    X(NumaConfig, 130)                                                                             \
    X(NumaId, 131)                                                                                 \
    X(MpsEnabled, 133)                                                                             \
    X(D3D12CigSupported, 135)                                                                      \
    X(VulkanCigSupported, 138)                                                                     \
    X(HostNumaMemoryPoolsSupported, 142)                                                           \
    X(HostNumaMultinodeIpcSupported, 143)                                                          \
    X(HostMemoryPoolsSupported, 144)                                                               \
    X(OnlyPartialHostNativeAtomicSupported, 147)

enum cudaDeviceAttr {
#define __TERN_X(name, number, driver, field) cudaDevAttr##name = number,
    CUDA_DEVICE_ATTRIBUTES(__TERN_X)
#undef __TERN_X
#define __TERN_X(name, number) cudaDevAttr##name = number,
        CUDA_ABSENT_ATTRIBUTES(__TERN_X)
#undef __TERN_X
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
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
    cudaFuncAttributeMax
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
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
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
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
enum cudaResourceViewFormat {
    cudaResViewFormatNone = 0,
    cudaResViewFormatUnsignedChar1 = 1,
    cudaResViewFormatUnsignedChar2 = 2,
    cudaResViewFormatUnsignedChar4 = 3,
    cudaResViewFormatSignedChar1 = 4,
    cudaResViewFormatSignedChar2 = 5,
    cudaResViewFormatSignedChar4 = 6,
    cudaResViewFormatUnsignedShort1 = 7,
    cudaResViewFormatUnsignedShort2 = 8,
    cudaResViewFormatUnsignedShort4 = 9,
    cudaResViewFormatSignedShort1 = 10,
    cudaResViewFormatSignedShort2 = 11,
    cudaResViewFormatSignedShort4 = 12,
    cudaResViewFormatUnsignedInt1 = 13,
    cudaResViewFormatUnsignedInt2 = 14,
    cudaResViewFormatUnsignedInt4 = 15,
    cudaResViewFormatSignedInt1 = 16,
    cudaResViewFormatSignedInt2 = 17,
    cudaResViewFormatSignedInt4 = 18,
    cudaResViewFormatHalf1 = 19,
    cudaResViewFormatHalf2 = 20,
    cudaResViewFormatHalf4 = 21,
    cudaResViewFormatFloat1 = 22,
    cudaResViewFormatFloat2 = 23,
    cudaResViewFormatFloat4 = 24,
    cudaResViewFormatUnsignedBlockCompressed1 = 25,
    cudaResViewFormatUnsignedBlockCompressed2 = 26,
    cudaResViewFormatUnsignedBlockCompressed3 = 27,
    cudaResViewFormatUnsignedBlockCompressed4 = 28,
    cudaResViewFormatSignedBlockCompressed4 = 29,
    cudaResViewFormatUnsignedBlockCompressed5 = 30,
    cudaResViewFormatSignedBlockCompressed5 = 31,
    cudaResViewFormatUnsignedBlockCompressed6H = 32,
    cudaResViewFormatSignedBlockCompressed6H = 33,
    cudaResViewFormatUnsignedBlockCompressed7 = 34
};
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

/* ---- memory in stream order ---- */
enum cudaMemAllocationType {
    cudaMemAllocationTypeInvalid = 0,
    cudaMemAllocationTypePinned = 1,
    cudaMemAllocationTypeManaged = 2
};
enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone = 0,
    cudaMemHandleTypePosixFileDescriptor = 1,
    cudaMemHandleTypeWin32 = 2,
    cudaMemHandleTypeWin32Kmt = 4,
    cudaMemHandleTypeFabric = 8
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeNone = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2,
    cudaMemLocationTypeHostNuma = 3,
    cudaMemLocationTypeHostNumaCurrent = 4
};
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned char reserved[56];
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaMemAccessFlags {
    cudaMemAccessFlagsProtNone = 0,
    cudaMemAccessFlagsProtRead = 1,
    cudaMemAccessFlagsProtReadWrite = 3
};
struct cudaMemAccessDesc {
    struct cudaMemLocation location;
    enum cudaMemAccessFlags flags;
};
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1,
    cudaMemRangeAttributePreferredLocation = 2,
    cudaMemRangeAttributeAccessedBy = 3,
    cudaMemRangeAttributeLastPrefetchLocation = 4,
    cudaMemRangeAttributePreferredLocationType = 5,
    cudaMemRangeAttributePreferredLocationId = 6,
    cudaMemRangeAttributeLastPrefetchLocationType = 7,
    cudaMemRangeAttributeLastPrefetchLocationId = 8
};

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

/* ---- graphs ---- */
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeEmpty = 5,
    cudaGraphNodeTypeWaitEvent = 6,
    cudaGraphNodeTypeEventRecord = 7,
    cudaGraphNodeTypeExtSemaphoreSignal = 8,
    cudaGraphNodeTypeExtSemaphoreWait = 9,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11,
    cudaGraphNodeTypeConditional = 13,
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
struct cudaMemAllocNodeParams {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};
enum cudaStreamUpdateCaptureDependenciesFlags {
    cudaStreamAddCaptureDependencies = 0,
    cudaStreamSetCaptureDependencies = 1
};
enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagDeviceLaunch = 4,
    cudaGraphInstantiateFlagUseNodePriority = 8
};
enum cudaGraphInstantiateResult {
    cudaGraphInstantiateSuccess = 0,
    cudaGraphInstantiateError = 1,
    cudaGraphInstantiateInvalidStructure = 2,
    cudaGraphInstantiateNodeOperationNotSupported = 3,
    cudaGraphInstantiateMultipleDevicesNotSupported = 4,
    cudaGraphInstantiateConditionalHandleUnused = 5
};
struct cudaGraphInstantiateParams {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    enum cudaGraphInstantiateResult result_out;
};
typedef struct cudaGraphInstantiateParams cudaGraphInstantiateParams;
enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0,
    cudaGraphExecUpdateError = 1,
    cudaGraphExecUpdateErrorTopologyChanged = 2,
    cudaGraphExecUpdateErrorNodeTypeChanged = 3,
    cudaGraphExecUpdateErrorFunctionChanged = 4,
    cudaGraphExecUpdateErrorParametersChanged = 5,
    cudaGraphExecUpdateErrorNotSupported = 6,
    cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
    cudaGraphExecUpdateErrorAttributesChanged = 8
};
struct cudaGraphExecUpdateResultInfo {
    enum cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
typedef struct cudaGraphExecUpdateResultInfo cudaGraphExecUpdateResultInfo;
typedef struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;

enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent = 0,
    cudaGraphMemAttrUsedMemHigh = 1,
    cudaGraphMemAttrReservedMemCurrent = 2,
    cudaGraphMemAttrReservedMemHigh = 3
};
/* A node of any kind. */
struct cudaKernelNodeParamsV2 {
    void *func;
    dim3 gridDim, blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaMemcpyNodeParams {
    int flags, reserved[3];
    struct cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
};
struct cudaEventWaitNodeParams {
    cudaEvent_t event;
};
struct cudaEventRecordNodeParams {
    cudaEvent_t event;
};
struct cudaMemFreeNodeParams {
    void *dptr;
};
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf = 0,
    cudaGraphCondTypeWhile = 1,
    cudaGraphCondTypeSwitch = 2
};
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned int size;
    cudaGraph_t *phGraph_out;
};
struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParamsV2 kernel;
        struct cudaMemcpyNodeParams memcpy;
        struct cudaMemsetParams memset;
        struct cudaHostNodeParams host;
        struct cudaChildGraphNodeParams graph;
        struct cudaEventWaitNodeParams eventWait;
        struct cudaEventRecordNodeParams eventRecord;
        struct cudaMemAllocNodeParams alloc;
        struct cudaMemFreeNodeParams free;
        struct cudaConditionalNodeParams conditional;
    };
    long long reserved2;
};
typedef struct cudaGraphNodeParams cudaGraphNodeParams;
enum cudaUserObjectFlags { cudaUserObjectNoDestructorSync = 1 };
enum cudaUserObjectRetainFlags { cudaGraphUserObjectMove = 1 };

/* ---- launches with attributes ---- */
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeAccessPolicyWindow = 1,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeSynchronizationPolicy = 3,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributeProgrammaticEvent = 7,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributeMemSyncDomainMap = 9,
    cudaLaunchAttributeMemSyncDomain = 10,
    cudaLaunchAttributePreferredClusterDimension = 11,
    cudaLaunchAttributeLaunchCompletionEvent = 12,
    cudaLaunchAttributeDeviceUpdatableKernelNode = 13,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
    cudaLaunchAttributeNvlinkUtilCentricScheduling = 16
};
typedef enum cudaLaunchAttributeID cudaLaunchAttributeID;
enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0,
    cudaAccessPropertyStreaming = 1,
    cudaAccessPropertyPersisting = 2
};
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1,
    cudaSyncPolicySpin = 2,
    cudaSyncPolicyYield = 3,
    cudaSyncPolicyBlockingSync = 4
};
union cudaLaunchAttributeValue {
    char pad[64];
    struct cudaAccessPolicyWindow accessPolicyWindow;
    enum cudaSynchronizationPolicy syncPolicy;
    int cooperative, priority, programmaticStreamSerializationAllowed;
    struct {
        unsigned int x, y, z;
    } clusterDim;
};
typedef union cudaLaunchAttributeValue cudaLaunchAttributeValue;
/* what they were called when streams and nodes had attributes of their own */
#define cudaStreamAttrID                          cudaLaunchAttributeID
#define cudaStreamAttrValue                       cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow     cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy  cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority               cudaLaunchAttributePriority
#define cudaKernelNodeAttrID                      cudaLaunchAttributeID
#define cudaKernelNodeAttrValue                   cudaLaunchAttributeValue
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative        cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributeClusterDimension   cudaLaunchAttributeClusterDimension
#define cudaKernelNodeAttributePriority           cudaLaunchAttributePriority
struct cudaLaunchAttribute_st {
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
};
typedef struct cudaLaunchAttribute_st cudaLaunchAttribute;
struct cudaLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
};
typedef struct cudaLaunchConfig_st cudaLaunchConfig_t;
struct cudaLaunchParams {
    void *func;
    dim3 gridDim, blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
};

/* ---- copies in one call ---- */
enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderInvalid = 0,
    cudaMemcpySrcAccessOrderStream = 1,
    cudaMemcpySrcAccessOrderDuringApiCall = 2,
    cudaMemcpySrcAccessOrderAny = 3
};
struct cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    struct cudaMemLocation srcLocHint, dstLocHint;
    unsigned int flags;
};
enum cudaMemcpy3DOperandType { cudaMemcpyOperandTypePointer = 1, cudaMemcpyOperandTypeArray = 2 };
struct cudaOffset3D {
    size_t x, y, z;
};
struct cudaMemcpy3DOperand {
    enum cudaMemcpy3DOperandType type;
    union {
        struct {
            void *ptr;
            size_t rowLength, layerHeight; /* in elements and rows; 0: as the box has */
            struct cudaMemLocation locHint;
        } ptr;
        struct {
            cudaArray_t array;
            struct cudaOffset3D offset;
        } array;
    } op;
};
struct cudaMemcpy3DBatchOp {
    struct cudaMemcpy3DOperand src, dst;
    struct cudaExtent extent;
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    unsigned int flags;
};

/* ---- of what is refused ---- */
struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned int reserved[4];
};
struct cudaArraySparseProperties {
    struct {
        unsigned int width, height, depth;
    } tileExtent;
    unsigned int miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned int flags, reserved[4];
};
typedef struct cudaAsyncNotificationInfo cudaAsyncNotificationInfo_t;
typedef struct cudaAsyncCallbackEntry *cudaAsyncCallbackHandle_t;
typedef void (*cudaAsyncCallback)(cudaAsyncNotificationInfo_t *info, void *data,
                                  cudaAsyncCallbackHandle_t callback);
typedef struct cudaIpcEventHandle_st {
    char reserved[64];
} cudaIpcEventHandle_t;
typedef struct cudaIpcMemHandle_st {
    char reserved[64];
} cudaIpcMemHandle_t;
struct cudaMemPoolPtrExportData {
    unsigned char reserved[64];
};
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
struct cudaExternalMemoryHandleDesc;
struct cudaExternalMemoryBufferDesc;
struct cudaExternalMemoryMipmappedArrayDesc;
struct cudaExternalSemaphoreHandleDesc;
struct cudaExternalSemaphoreSignalParams;
struct cudaExternalSemaphoreWaitParams;
struct cudaExternalSemaphoreSignalNodeParams;
struct cudaExternalSemaphoreWaitNodeParams;
#define cudaIpcMemLazyEnablePeerAccess 0x01
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4,
    cudaDevP2PAttrOnlyPartialNativeAtomicSupported = 5
};
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2
};
enum cudaGetDriverEntryPointFlags {
    cudaEnableDefault = 0x0,
    cudaEnableLegacyStream = 0x1,
    cudaEnablePerThreadDefaultStream = 0x2
};
enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
};

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
enum cudaCGScope { cudaCGScopeInvalid = 0, cudaCGScopeGrid = 1, cudaCGScopeMultiGrid = 2 };
enum cudaGraphKernelNodeField {
    cudaGraphKernelNodeFieldInvalid = 0,
    cudaGraphKernelNodeFieldGridDim = 1,
    cudaGraphKernelNodeFieldParam = 2,
    cudaGraphKernelNodeFieldEnabled = 3
};
#define CUDA_IPC_HANDLE_SIZE                                     64
#define cudaArrayColorAttachment                                 32
#define cudaArrayDeferredMapping                                 128
#define cudaArraySparse                                          64
#define cudaArraySparsePropertiesSingleMipTail                   1
#define cudaDeviceMask                                           255
#define cudaDeviceScheduleMask                                   7
#define cudaDeviceSyncMemops                                     128
#define cudaExternalMemoryDedicated                              1
#define cudaExternalSemaphoreSignalSkipNvSciBufMemSync           1
#define cudaExternalSemaphoreWaitSkipNvSciBufMemSync             2
#define cudaGraphKernelNodePortDefault                           0
#define cudaGraphKernelNodePortLaunchCompletion                  2
#define cudaGraphKernelNodePortProgrammatic                      1
#define cudaHostRegisterIoMemory                                 4
#define cudaInitDeviceFlagsAreValid                              1
#define cudaKernelNodeAttributeClusterSchedulingPolicyPreference 5
#define cudaKernelNodeAttributeDeviceUpdatableKernelNode         13
#define cudaKernelNodeAttributeMemSyncDomain                     10
#define cudaKernelNodeAttributeMemSyncDomainMap                  9
#define cudaKernelNodeAttributeNvlinkUtilCentricScheduling       16
#define cudaKernelNodeAttributePreferredSharedMemoryCarveout     14
#define cudaMemPoolCreateUsageHwDecompress                       2
#define cudaNvSciSyncAttrSignal                                  1
#define cudaNvSciSyncAttrWait                                    2
#define cudaOccupancyDisableCachingOverride                      1
#define cudaStreamAttributeMemSyncDomain                         10
#define cudaStreamAttributeMemSyncDomainMap                      9
#define cudaSurfaceTypeCubemap                                   12
#define cudaSurfaceTypeCubemapLayered                            252
