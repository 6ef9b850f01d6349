/* Types of the runtime API that programs name in declarations shared by both halves. */
#pragma once
/* Programs ask for the names of NVIDIA's guards, here and in our other headers. */
#define __DRIVER_TYPES_H__
#include "vector_types.h"

typedef struct CUstream_st *cudaStream_t;
/* named by host and device code; the last two only mean something on a device */
typedef unsigned long long cudaGraphConditionalHandle;
#define cudaStreamLegacy        ((cudaStream_t)0x1)
#define cudaStreamPerThread     ((cudaStream_t)0x2)
#define cudaStreamTailLaunch    ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct cudaUserObject *cudaUserObject_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

/* CUDA_ERRORS(X): X(name without its prefix, number) */
#define CUDA_ERRORS(X)                                                                             \
    X(Success, 0)                                                                                  \
    X(ErrorInvalidValue, 1)                                                                        \
    X(ErrorMemoryAllocation, 2)                                                                    \
    X(ErrorInitializationError, 3)                                                                 \
    X(ErrorCudartUnloading, 4)                                                                     \
    X(ErrorProfilerDisabled, 5)                                                                    \
    X(ErrorProfilerNotInitialized, 6)                                                              \
    X(ErrorProfilerAlreadyStarted, 7)                                                              \
    X(ErrorProfilerAlreadyStopped, 8)                                                              \
    X(ErrorInvalidConfiguration, 9)                                                                \
    X(ErrorInvalidPitchValue, 12)                                                                  \
    X(ErrorInvalidSymbol, 13)                                                                      \
    X(ErrorInvalidHostPointer, 16)                                                                 \
    X(ErrorInvalidDevicePointer, 17)                                                               \
    X(ErrorInvalidTexture, 18)                                                                     \
    X(ErrorInvalidTextureBinding, 19)                                                              \
    X(ErrorInvalidChannelDescriptor, 20)                                                           \
    X(ErrorInvalidMemcpyDirection, 21)                                                             \
    X(ErrorAddressOfConstant, 22)                                                                  \
    X(ErrorTextureFetchFailed, 23)                                                                 \
    X(ErrorTextureNotBound, 24)                                                                    \
    X(ErrorSynchronizationError, 25)                                                               \
    X(ErrorInvalidFilterSetting, 26)                                                               \
    X(ErrorInvalidNormSetting, 27)                                                                 \
    X(ErrorMixedDeviceExecution, 28)                                                               \
    X(ErrorNotYetImplemented, 31)                                                                  \
    X(ErrorMemoryValueTooLarge, 32)                                                                \
    X(ErrorStubLibrary, 34)                                                                        \
    X(ErrorInsufficientDriver, 35)                                                                 \
    X(ErrorCallRequiresNewerDriver, 36)                                                            \
    X(ErrorInvalidSurface, 37)                                                                     \
    X(ErrorDuplicateVariableName, 43)                                                              \
    X(ErrorDuplicateTextureName, 44)                                                               \
    X(ErrorDuplicateSurfaceName, 45)                                                               \
    X(ErrorDevicesUnavailable, 46)                                                                 \
    X(ErrorIncompatibleDriverContext, 49)                                                          \
    X(ErrorMissingConfiguration, 52)                                                               \
    X(ErrorPriorLaunchFailure, 53)                                                                 \
    X(ErrorLaunchMaxDepthExceeded, 65)                                                             \
    X(ErrorLaunchFileScopedTex, 66)                                                                \
    X(ErrorLaunchFileScopedSurf, 67)                                                               \
    X(ErrorSyncDepthExceeded, 68)                                                                  \
    X(ErrorLaunchPendingCountExceeded, 69)                                                         \
    X(ErrorInvalidDeviceFunction, 98)                                                              \
    X(ErrorNoDevice, 100)                                                                          \
    X(ErrorInvalidDevice, 101)                                                                     \
    X(ErrorDeviceNotLicensed, 102)                                                                 \
    X(ErrorSoftwareValidityNotEstablished, 103)                                                    \
    X(ErrorStartupFailure, 127)                                                                    \
    X(ErrorInvalidKernelImage, 200)                                                                \
    X(ErrorDeviceUninitialized, 201)                                                               \
    X(ErrorMapBufferObjectFailed, 205)                                                             \
    X(ErrorUnmapBufferObjectFailed, 206)                                                           \
    X(ErrorArrayIsMapped, 207)                                                                     \
    X(ErrorAlreadyMapped, 208)                                                                     \
    X(ErrorNoKernelImageForDevice, 209)                                                            \
    X(ErrorAlreadyAcquired, 210)                                                                   \
    X(ErrorNotMapped, 211)                                                                         \
    X(ErrorNotMappedAsArray, 212)                                                                  \
    X(ErrorNotMappedAsPointer, 213)                                                                \
    X(ErrorECCUncorrectable, 214)                                                                  \
    X(ErrorUnsupportedLimit, 215)                                                                  \
    X(ErrorDeviceAlreadyInUse, 216)                                                                \
    X(ErrorPeerAccessUnsupported, 217)                                                             \
    X(ErrorInvalidPtx, 218)                                                                        \
    X(ErrorInvalidGraphicsContext, 219)                                                            \
    X(ErrorNvlinkUncorrectable, 220)                                                               \
    X(ErrorJitCompilerNotFound, 221)                                                               \
    X(ErrorUnsupportedPtxVersion, 222)                                                             \
    X(ErrorJitCompilationDisabled, 223)                                                            \
    X(ErrorUnsupportedExecAffinity, 224)                                                           \
    X(ErrorUnsupportedDevSideSync, 225)                                                            \
    X(ErrorContained, 226)                                                                         \
    X(ErrorInvalidSource, 300)                                                                     \
    X(ErrorFileNotFound, 301)                                                                      \
    X(ErrorSharedObjectSymbolNotFound, 302)                                                        \
    X(ErrorSharedObjectInitFailed, 303)                                                            \
    X(ErrorOperatingSystem, 304)                                                                   \
    X(ErrorInvalidResourceHandle, 400)                                                             \
    X(ErrorIllegalState, 401)                                                                      \
    X(ErrorLossyQuery, 402)                                                                        \
    X(ErrorSymbolNotFound, 500)                                                                    \
    X(ErrorNotReady, 600)                                                                          \
    X(ErrorIllegalAddress, 700)                                                                    \
    X(ErrorLaunchOutOfResources, 701)                                                              \
    X(ErrorLaunchTimeout, 702)                                                                     \
    X(ErrorLaunchIncompatibleTexturing, 703)                                                       \
    X(ErrorPeerAccessAlreadyEnabled, 704)                                                          \
    X(ErrorPeerAccessNotEnabled, 705)                                                              \
    X(ErrorSetOnActiveProcess, 708)                                                                \
    X(ErrorContextIsDestroyed, 709)                                                                \
    X(ErrorAssert, 710)                                                                            \
    X(ErrorTooManyPeers, 711)                                                                      \
    X(ErrorHostMemoryAlreadyRegistered, 712)                                                       \
    X(ErrorHostMemoryNotRegistered, 713)                                                           \
    X(ErrorHardwareStackError, 714)                                                                \
    X(ErrorIllegalInstruction, 715)                                                                \
    X(ErrorMisalignedAddress, 716)                                                                 \
    X(ErrorInvalidAddressSpace, 717)                                                               \
    X(ErrorInvalidPc, 718)                                                                         \
    X(ErrorLaunchFailure, 719)                                                                     \
    X(ErrorCooperativeLaunchTooLarge, 720)                                                         \
    X(ErrorTensorMemoryLeak, 721)                                                                  \
    X(ErrorNotPermitted, 800)                                                                      \
    X(ErrorNotSupported, 801)                                                                      \
    X(ErrorSystemNotReady, 802)                                                                    \
    X(ErrorSystemDriverMismatch, 803)                                                              \
    X(ErrorCompatNotSupportedOnDevice, 804)                                                        \
    X(ErrorMpsConnectionFailed, 805)                                                               \
    X(ErrorMpsRpcFailure, 806)                                                                     \
    X(ErrorMpsServerNotReady, 807)                                                                 \
    X(ErrorMpsMaxClientsReached, 808)                                                              \
    X(ErrorMpsMaxConnectionsReached, 809)                                                          \
    X(ErrorMpsClientTerminated, 810)                                                               \
    X(ErrorCdpNotSupported, 811)                                                                   \
    X(ErrorCdpVersionMismatch, 812)                                                                \
    X(ErrorStreamCaptureUnsupported, 900)                                                          \
    X(ErrorStreamCaptureInvalidated, 901)                                                          \
    X(ErrorStreamCaptureMerge, 902)                                                                \
    X(ErrorStreamCaptureUnmatched, 903)                                                            \
    X(ErrorStreamCaptureUnjoined, 904)                                                             \
    X(ErrorStreamCaptureIsolation, 905)                                                            \
    X(ErrorStreamCaptureImplicit, 906)                                                             \
    X(ErrorCapturedEvent, 907)                                                                     \
    X(ErrorStreamCaptureWrongThread, 908)                                                          \
    X(ErrorTimeout, 909)                                                                           \
    X(ErrorGraphExecUpdateFailure, 910)                                                            \
    X(ErrorExternalDevice, 911)                                                                    \
    X(ErrorInvalidClusterSize, 912)                                                                \
    X(ErrorFunctionNotLoaded, 913)                                                                 \
    X(ErrorInvalidResourceType, 914)                                                               \
    X(ErrorInvalidResourceConfiguration, 915)                                                      \
    X(ErrorUnknown, 999)                                                                           \
    X(ErrorApiFailureBase, 10000)

enum cudaError {
#define __TERN_X(name, number) cuda##name = number,
    CUDA_ERRORS(__TERN_X)
#undef __TERN_X
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3,
    cudaChannelFormatKindNV12 = 4,
    cudaChannelFormatKindUnsignedNormalized8X1 = 5,
    cudaChannelFormatKindUnsignedNormalized8X2 = 6,
    cudaChannelFormatKindUnsignedNormalized8X4 = 7,
    cudaChannelFormatKindUnsignedNormalized16X1 = 8,
    cudaChannelFormatKindUnsignedNormalized16X2 = 9,
    cudaChannelFormatKindUnsignedNormalized16X4 = 10,
    cudaChannelFormatKindSignedNormalized8X1 = 11,
    cudaChannelFormatKindSignedNormalized8X2 = 12,
    cudaChannelFormatKindSignedNormalized8X4 = 13,
    cudaChannelFormatKindSignedNormalized16X1 = 14,
    cudaChannelFormatKindSignedNormalized16X2 = 15,
    cudaChannelFormatKindSignedNormalized16X4 = 16,
    cudaChannelFormatKindUnsignedBlockCompressed1 = 17,
    cudaChannelFormatKindUnsignedBlockCompressed1SRGB = 18,
    cudaChannelFormatKindUnsignedBlockCompressed2 = 19,
    cudaChannelFormatKindUnsignedBlockCompressed2SRGB = 20,
    cudaChannelFormatKindUnsignedBlockCompressed3 = 21,
    cudaChannelFormatKindUnsignedBlockCompressed3SRGB = 22,
    cudaChannelFormatKindUnsignedBlockCompressed4 = 23,
    cudaChannelFormatKindSignedBlockCompressed4 = 24,
    cudaChannelFormatKindUnsignedBlockCompressed5 = 25,
    cudaChannelFormatKindSignedBlockCompressed5 = 26,
    cudaChannelFormatKindUnsignedBlockCompressed6H = 27,
    cudaChannelFormatKindSignedBlockCompressed6H = 28,
    cudaChannelFormatKindUnsignedBlockCompressed7 = 29,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB = 30,
    cudaChannelFormatKindUnsignedNormalized1010102 = 31
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaExtent {
    __SIZE_TYPE__ width, height, depth;
};
struct cudaPos {
    __SIZE_TYPE__ x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    __SIZE_TYPE__ pitch, xsize, ysize;
};

enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3,
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2,
};
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

#define cudaTextureType1D             0x01
#define cudaTextureType2D             0x02
#define cudaTextureType3D             0x03
#define cudaTextureTypeCubemap        0x0C
#define cudaTextureType1DLayered      0xF1
#define cudaTextureType2DLayered      0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D             0x01
#define cudaSurfaceType2D             0x02
#define cudaSurfaceType3D             0x03
#define cudaSurfaceType1DLayered      0xF1
#define cudaSurfaceType2DLayered      0xF2
#define cudaStreamDefault             0x00
#define cudaStreamNonBlocking         0x01
#define cudaEventDefault              0x00
#define cudaEventBlockingSync         0x01
#define cudaEventDisableTiming        0x02
#define cudaHostAllocDefault          0x00
#define cudaHostAllocPortable         0x01
#define cudaHostAllocMapped           0x02
#define cudaMemAttachGlobal           0x01
#define cudaMemAttachHost             0x02
#define cudaCpuDeviceId               (-1)
