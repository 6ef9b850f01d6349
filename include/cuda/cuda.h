/* The driver API, for host code in C and C++. Device code gets the types that declarations shared
 * by both halves name. */
#pragma once
#define __cuda_cuda_h__
#define CUDAAPI
#define CUDA_CB
#include <stdint.h>
#include "cuda_runtime.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct cudaUserObject *CUuserObject;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef uint64_t cuuint64_t;
typedef uint32_t cuuint32_t;
#include "cuda_tensor_map.h"

/* CUDA_DRIVER_ERRORS(X): X(name without its prefix, number) */
#define CUDA_DRIVER_ERRORS(X)                                                                      \
    X(SUCCESS, 0)                                                                                  \
    X(ERROR_INVALID_VALUE, 1)                                                                      \
    X(ERROR_OUT_OF_MEMORY, 2)                                                                      \
    X(ERROR_NOT_INITIALIZED, 3)                                                                    \
    X(ERROR_DEINITIALIZED, 4)                                                                      \
    X(ERROR_PROFILER_DISABLED, 5)                                                                  \
    X(ERROR_PROFILER_NOT_INITIALIZED, 6)                                                           \
    X(ERROR_PROFILER_ALREADY_STARTED, 7)                                                           \
    X(ERROR_PROFILER_ALREADY_STOPPED, 8)                                                           \
    X(ERROR_STUB_LIBRARY, 34)                                                                      \
    X(ERROR_DEVICE_UNAVAILABLE, 46)                                                                \
    X(ERROR_NO_DEVICE, 100)                                                                        \
    X(ERROR_INVALID_DEVICE, 101)                                                                   \
    X(ERROR_DEVICE_NOT_LICENSED, 102)                                                              \
    X(ERROR_INVALID_IMAGE, 200)                                                                    \
    X(ERROR_INVALID_CONTEXT, 201)                                                                  \
    X(ERROR_CONTEXT_ALREADY_CURRENT, 202)                                                          \
    X(ERROR_MAP_FAILED, 205)                                                                       \
    X(ERROR_UNMAP_FAILED, 206)                                                                     \
    X(ERROR_ARRAY_IS_MAPPED, 207)                                                                  \
    X(ERROR_ALREADY_MAPPED, 208)                                                                   \
    X(ERROR_NO_BINARY_FOR_GPU, 209)                                                                \
    X(ERROR_ALREADY_ACQUIRED, 210)                                                                 \
    X(ERROR_NOT_MAPPED, 211)                                                                       \
    X(ERROR_NOT_MAPPED_AS_ARRAY, 212)                                                              \
    X(ERROR_NOT_MAPPED_AS_POINTER, 213)                                                            \
    X(ERROR_ECC_UNCORRECTABLE, 214)                                                                \
    X(ERROR_UNSUPPORTED_LIMIT, 215)                                                                \
    X(ERROR_CONTEXT_ALREADY_IN_USE, 216)                                                           \
    X(ERROR_PEER_ACCESS_UNSUPPORTED, 217)                                                          \
    X(ERROR_INVALID_PTX, 218)                                                                      \
    X(ERROR_INVALID_GRAPHICS_CONTEXT, 219)                                                         \
    X(ERROR_NVLINK_UNCORRECTABLE, 220)                                                             \
    X(ERROR_JIT_COMPILER_NOT_FOUND, 221)                                                           \
    X(ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                          \
    X(ERROR_JIT_COMPILATION_DISABLED, 223)                                                         \
    X(ERROR_UNSUPPORTED_EXEC_AFFINITY, 224)                                                        \
    X(ERROR_INVALID_SOURCE, 300)                                                                   \
    X(ERROR_FILE_NOT_FOUND, 301)                                                                   \
    X(ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302)                                                   \
    X(ERROR_SHARED_OBJECT_INIT_FAILED, 303)                                                        \
    X(ERROR_OPERATING_SYSTEM, 304)                                                                 \
    X(ERROR_INVALID_HANDLE, 400)                                                                   \
    X(ERROR_ILLEGAL_STATE, 401)                                                                    \
    X(ERROR_NOT_FOUND, 500)                                                                        \
    X(ERROR_NOT_READY, 600)                                                                        \
    X(ERROR_ILLEGAL_ADDRESS, 700)                                                                  \
    X(ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                          \
    X(ERROR_LAUNCH_TIMEOUT, 702)                                                                   \
    X(ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703)                                                    \
    X(ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)                                                      \
    X(ERROR_PEER_ACCESS_NOT_ENABLED, 705)                                                          \
    X(ERROR_PRIMARY_CONTEXT_ACTIVE, 708)                                                           \
    X(ERROR_CONTEXT_IS_DESTROYED, 709)                                                             \
    X(ERROR_ASSERT, 710)                                                                           \
    X(ERROR_TOO_MANY_PEERS, 711)                                                                   \
    X(ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712)                                                   \
    X(ERROR_HOST_MEMORY_NOT_REGISTERED, 713)                                                       \
    X(ERROR_HARDWARE_STACK_ERROR, 714)                                                             \
    X(ERROR_ILLEGAL_INSTRUCTION, 715)                                                              \
    X(ERROR_MISALIGNED_ADDRESS, 716)                                                               \
    X(ERROR_INVALID_ADDRESS_SPACE, 717)                                                            \
    X(ERROR_INVALID_PC, 718)                                                                       \
    X(ERROR_LAUNCH_FAILED, 719)                                                                    \
    X(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)                                                     \
    X(ERROR_NOT_PERMITTED, 800)                                                                    \
    X(ERROR_NOT_SUPPORTED, 801)                                                                    \
    X(ERROR_SYSTEM_NOT_READY, 802)                                                                 \
    X(ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)                                                       \
    X(ERROR_STREAM_CAPTURE_INVALIDATED, 901)                                                       \
    X(ERROR_STREAM_CAPTURE_MERGE, 902)                                                             \
    X(ERROR_STREAM_CAPTURE_UNMATCHED, 903)                                                         \
    X(ERROR_STREAM_CAPTURE_UNJOINED, 904)                                                          \
    X(ERROR_STREAM_CAPTURE_ISOLATION, 905)                                                         \
    X(ERROR_STREAM_CAPTURE_IMPLICIT, 906)                                                          \
    X(ERROR_CAPTURED_EVENT, 907)                                                                   \
    X(ERROR_STREAM_CAPTURE_WRONG_THREAD, 908)                                                      \
    X(ERROR_TIMEOUT, 909)                                                                          \
    X(ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910)                                                        \
    X(ERROR_EXTERNAL_DEVICE, 911)                                                                  \
    X(ERROR_INVALID_CLUSTER_SIZE, 912)                                                             \
    X(ERROR_FUNCTION_NOT_LOADED, 913)                                                              \
    X(ERROR_INVALID_RESOURCE_TYPE, 914)                                                            \
    X(ERROR_INVALID_RESOURCE_CONFIGURATION, 915)                                                   \
    X(ERROR_UNKNOWN, 999)

typedef enum cudaError_enum {
#define __TERN_X(name, number) CUDA_##name = number,
    CUDA_DRIVER_ERRORS(__TERN_X)
#undef __TERN_X
} CUresult;

/* Device code sees them where classes of both halves have members of these types; what pages
 * compile does not. */
#if !defined(__TERN_DEVICE__) || __has_include("cuda_driver_types.h")
#include "cuda_runtime_types.h"
#include "cuda_external_types.h"
#include "cuda_driver_types.h"
#endif

#ifndef __TERN_DEVICE__

#ifdef __cplusplus
extern "C" {
#endif

/* Names that have changed their meaning over the years carry a version. */
#define cuDeviceTotalMem                   cuDeviceTotalMem_v2
#define cuDeviceGetUuid                    cuDeviceGetUuid_v2
#define cuDevicePrimaryCtxRelease          cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset            cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags         cuDevicePrimaryCtxSetFlags_v2
#define cuCtxCreate                        cuCtxCreate_v2
#define cuCtxDestroy                       cuCtxDestroy_v2
#define cuCtxPopCurrent                    cuCtxPopCurrent_v2
#define cuCtxPushCurrent                   cuCtxPushCurrent_v2
#define cuModuleGetGlobal                  cuModuleGetGlobal_v2
#define cuLinkCreate                       cuLinkCreate_v2
#define cuLinkAddData                      cuLinkAddData_v2
#define cuLinkAddFile                      cuLinkAddFile_v2
#define cuMemGetInfo                       cuMemGetInfo_v2
#define cuMemAlloc                         cuMemAlloc_v2
#define cuMemAllocPitch                    cuMemAllocPitch_v2
#define cuMemFree                          cuMemFree_v2
#define cuMemGetAddressRange               cuMemGetAddressRange_v2
#define cuMemAllocHost                     cuMemAllocHost_v2
#define cuMemHostGetDevicePointer          cuMemHostGetDevicePointer_v2
#define cuMemHostRegister                  cuMemHostRegister_v2
#define cuMemcpyHtoD                       cuMemcpyHtoD_v2
#define cuMemcpyDtoH                       cuMemcpyDtoH_v2
#define cuMemcpyDtoD                       cuMemcpyDtoD_v2
#define cuMemcpyDtoA                       cuMemcpyDtoA_v2
#define cuMemcpyAtoD                       cuMemcpyAtoD_v2
#define cuMemcpyHtoA                       cuMemcpyHtoA_v2
#define cuMemcpyAtoH                       cuMemcpyAtoH_v2
#define cuMemcpyAtoA                       cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync                  cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync                  cuMemcpyAtoHAsync_v2
#define cuMemcpy2D                         cuMemcpy2D_v2
#define cuMemcpy2DUnaligned                cuMemcpy2DUnaligned_v2
#define cuMemcpy3D                         cuMemcpy3D_v2
#define cuMemcpyHtoDAsync                  cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync                  cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync                  cuMemcpyDtoDAsync_v2
#define cuMemcpy2DAsync                    cuMemcpy2DAsync_v2
#define cuMemcpy3DAsync                    cuMemcpy3DAsync_v2
#define cuMemsetD8                         cuMemsetD8_v2
#define cuMemsetD16                        cuMemsetD16_v2
#define cuMemsetD32                        cuMemsetD32_v2
#define cuMemsetD2D8                       cuMemsetD2D8_v2
#define cuMemsetD2D16                      cuMemsetD2D16_v2
#define cuMemsetD2D32                      cuMemsetD2D32_v2
#define cuArrayCreate                      cuArrayCreate_v2
#define cuArrayGetDescriptor               cuArrayGetDescriptor_v2
#define cuArray3DCreate                    cuArray3DCreate_v2
#define cuArray3DGetDescriptor             cuArray3DGetDescriptor_v2
#define cuStreamDestroy                    cuStreamDestroy_v2
#define cuEventDestroy                     cuEventDestroy_v2
#define cuStreamBeginCapture               cuStreamBeginCapture_v2
#define cuStreamGetCaptureInfo             cuStreamGetCaptureInfo_v2
#define cuGraphAddKernelNode               cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams         cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams         cuGraphKernelNodeSetParams_v2
#define cuGraphExecKernelNodeSetParams     cuGraphExecKernelNodeSetParams_v2
#define cuGraphExecUpdate                  cuGraphExecUpdate_v2
#define cuGraphInstantiate                 cuGraphInstantiateWithFlags
#define cuGetProcAddress                   cuGetProcAddress_v2
#define cuStreamWaitValue32                cuStreamWaitValue32_v2
#define cuStreamWaitValue64                cuStreamWaitValue64_v2
#define cuStreamWriteValue32               cuStreamWriteValue32_v2
#define cuStreamWriteValue64               cuStreamWriteValue64_v2
#define cuStreamBatchMemOp                 cuStreamBatchMemOp_v2
#define cuIpcOpenMemHandle                 cuIpcOpenMemHandle_v2
#define cuTexRefSetAddress                 cuTexRefSetAddress_v2
#define cuTexRefSetAddress2D               cuTexRefSetAddress2D_v3
#define cuTexRefGetAddress                 cuTexRefGetAddress_v2
#define cuGraphicsResourceGetMappedPointer cuGraphicsResourceGetMappedPointer_v2
#define cuGraphicsResourceSetMapFlags      cuGraphicsResourceSetMapFlags_v2

/* start, errors, version */
CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status);

/* tensor maps */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address);

/* devices */
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);

/* contexts */
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuDevicePrimaryCtxReset(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetFlags(unsigned int *flags);
CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);
CUresult cuCtxSetFlags(unsigned int flags);
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *params, int count,
                        unsigned int flags, CUdevice device);
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *param, CUexecAffinityType type);
CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult cuCtxWaitEvent(CUcontext context, CUevent event);
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type);
CUresult cuCtxGetDevResource(CUcontext context, CUdevResource *resource, CUdevResourceType type);
CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *groups,
                                     const CUdevResource *input, CUdevResource *rest,
                                     unsigned int flags, unsigned int least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources,
                                   unsigned int count);
CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc desc, CUdevice device,
                          unsigned int flags);
CUresult cuGreenCtxDestroy(CUgreenCtx context);
CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx from);
CUresult cuGreenCtxGetDevResource(CUgreenCtx context, CUdevResource *resource,
                                  CUdevResourceType type);
CUresult cuGreenCtxRecordEvent(CUgreenCtx context, CUevent event);
CUresult cuGreenCtxWaitEvent(CUgreenCtx context, CUevent event);
CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned int flags,
                                int priority);
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *context);

/* modules */
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int noptions,
                            CUjit_option *options, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal(CUdeviceptr *p, size_t *bytes, CUmodule module, const char *name);
CUresult cuLinkCreate(unsigned int noptions, CUjit_option *options, void **values,
                      CUlinkState *state);
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                       const char *name, unsigned int noptions, CUjit_option *options,
                       void **values);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int noptions, CUjit_option *options, void **values);
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size);
CUresult cuLinkDestroy(CUlinkState state);
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
                           void **values, unsigned int noptions, CUlibraryOption *library_options,
                           void **library_values, unsigned int nlibrary_options);
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
                               void **values, unsigned int noptions,
                               CUlibraryOption *library_options, void **library_values,
                               unsigned int nlibrary_options);
CUresult cuLibraryUnload(CUlibrary library);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name);
CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *bytes, CUlibrary library, const char *name);
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name);
CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary library);
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int room, CUlibrary library);
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size);
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int room, CUmodule module);
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f);
CUresult cuFuncLoad(CUfunction f);

/* launches */
CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
                        unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                        CUstream stream, void **params, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
                                   unsigned int bx, unsigned int by, unsigned int bz,
                                   unsigned int shared, CUstream stream, void **params);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *data);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction f);
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache config);
CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig config);
CUresult cuFuncGetModule(CUmodule *module, CUfunction f);
CUresult cuFuncGetName(const char **name, CUfunction f);
CUresult cuFuncGetParamInfo(CUfunction f, size_t index, size_t *offset, size_t *size);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                     size_t shared);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction f,
                                                              int threads, size_t shared,
                                                              unsigned int flags);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
                                          CUoccupancyB2DSize size, size_t shared, int limit);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
                                                   CUoccupancyB2DSize size, size_t shared,
                                                   int limit, unsigned int flags);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction f, int blocks,
                                                 int threads);
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config);
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config);

/* memory */
CUresult cuMemGetInfo(size_t *available, size_t *total);
CUresult cuMemAlloc(CUdeviceptr *p, size_t size);
CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height,
                         unsigned int element);
CUresult cuMemFree(CUdeviceptr p);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p);
CUresult cuMemAllocHost(void **p, size_t size);
CUresult cuMemFreeHost(void *p);
CUresult cuMemHostAlloc(void **p, size_t size, unsigned int flags);
CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags);
CUresult cuMemHostGetFlags(unsigned int *flags, void *host);
CUresult cuMemHostRegister(void *p, size_t size, unsigned int flags);
CUresult cuMemHostUnregister(void *p);
CUresult cuMemAllocManaged(CUdeviceptr *p, size_t size, unsigned int flags);
CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t size, CUdevice device, CUstream stream);
CUresult cuMemAdvise(CUdeviceptr p, size_t size, CUmem_advise advice, CUdevice device);
CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attribute,
                                CUdeviceptr p, size_t count);
CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes,
                                 size_t n, CUdeviceptr p, size_t count);
CUresult cuMemAllocAsync(CUdeviceptr *p, size_t size, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t size, CUmemoryPool pool, CUstream stream);
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props);
CUresult cuMemPoolDestroy(CUmemoryPool pool);
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep);
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value);
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr p);
CUresult cuPointerGetAttributes(unsigned int n, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr p);
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr p);
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count);
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t size);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t size, CUstream stream);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t size);
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t size);
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t size);
CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t size);
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size);
CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t size,
                           CUstream stream);
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t size, CUstream stream);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *p);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *p);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *p, CUstream stream);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *p);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *p, CUstream stream);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *p);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *p, CUstream stream);
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                            size_t *failed, CUstream stream);
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *indices, size_t nattributes,
                               CUstream stream);
CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *list,
                                 unsigned long long flags, CUstream stream);
CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *list, size_t *failed,
                              unsigned long long flags, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t n);
CUresult cuMemsetD16(CUdeviceptr p, unsigned short value, size_t n);
CUresult cuMemsetD32(CUdeviceptr p, unsigned int value, size_t n);
CUresult cuMemsetD2D8(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                      size_t height);
CUresult cuMemsetD2D16(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                       size_t height);
CUresult cuMemsetD2D32(CUdeviceptr p, size_t pitch, unsigned int value, size_t width,
                       size_t height);
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t n, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr p, unsigned int value, size_t n, CUstream stream);
CUresult cuMemsetD2D8Async(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream);
CUresult cuMemsetD2D16Async(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream);
CUresult cuMemsetD2D32Async(CUdeviceptr p, size_t pitch, unsigned int value, size_t width,
                            size_t height, CUstream stream);

/* arrays, textures, surfaces */
CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc);
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array);
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc);
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *desc,
                                unsigned int levels);
CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned int level);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap);
CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned int index);
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array);
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array,
                                      CUdevice device);
CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
                                             CUmipmappedArray mipmap);
CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                                               CUmipmappedArray mipmap, CUdevice device);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format,
                                            unsigned int nchannels, CUdevice device);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object);
CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view);
CUresult cuTexObjectDestroy(CUtexObject object);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object);
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(CUsurfObject object);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object);

/* streams and events */
CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
                             unsigned int flags);
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr p, size_t length, unsigned int flags);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value);
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

/* graphs and capture */
CUresult cuGraphCreate(CUgraph *graph, unsigned int flags);
CUresult cuGraphDestroy(CUgraph graph);
CUresult cuGraphClone(CUgraph *clone, CUgraph graph);
CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count);
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count);
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count);
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count);
CUresult cuGraphDestroyNode(CUgraphNode node);
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type);
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                             size_t nafter);
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                            size_t nafter, const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                  size_t nafter, CUgraph child);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child);
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child);
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                   size_t nafter, CUevent event);
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event);
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event);
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                 size_t nafter, CUevent event);
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event);
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event);
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                               size_t nafter, CUdeviceptr p);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec exec);
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info);
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled);
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled);
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags);
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                CUgraph *graph, const CUgraphNode **after, size_t *nafter);
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after, size_t nafter,
                                           unsigned int flags);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t nafter, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t nafter, const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context);
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context);
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                              size_t nafter, const CUDA_MEMCPY3D *params, CUcontext context);

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params, CUcontext context);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params);
CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                size_t nafter, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *p);
CUresult cuDeviceGraphMemTrim(CUdevice device);
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value);
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value);
CUresult cuUserObjectCreate(CUuserObject *object, void *p, CUhostFn destroy, unsigned int count,
                            unsigned int flags);
CUresult cuUserObjectRetain(CUuserObject object, unsigned int count);
CUresult cuUserObjectRelease(CUuserObject object, unsigned int count);
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags);
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count);
CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params);
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags);
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph,
                                        CUcontext context, unsigned int first, unsigned int flags);
CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t nafter,
                        CUgraphNodeParams *params);
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params);
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params);
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value);
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value);
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from);
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edges, size_t *count);
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges,
                                       size_t *count);
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
                                         CUgraphEdgeData *edges, size_t *count);
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count);
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count);
CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                           const CUgraphEdgeData *edges, size_t nafter, CUgraphNodeParams *params);
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                     const CUgraphEdgeData *edges, size_t nafter,
                                     CUstreamCaptureMode mode);
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **after,
                                   const CUgraphEdgeData **edges, size_t *nafter);
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *after,
                                              const CUgraphEdgeData *edges, size_t nafter,
                                              unsigned int flags);

/* words that streams wait for and write */
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags);
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned int flags);
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags);
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned int flags);
CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
                            unsigned int flags);
CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                  size_t nafter, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);

/* addresses and memory apart; between processes */
CUresult cuMemAddressReserve(CUdeviceptr *p, size_t size, size_t alignment, CUdeviceptr address,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr p, size_t size);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemMap(CUdeviceptr p, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr p, size_t size);
CUresult cuMemSetAccess(CUdeviceptr p, size_t size, const CUmemAccessDesc *access, size_t count);
CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p);
CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *p);
CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type);
CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle);
CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr p);
CUresult cuIpcOpenMemHandle(CUdeviceptr *p, CUipcMemHandle handle, unsigned int flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr p);

/* as it was before CUDA 4 */
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z);
CUresult cuFuncSetSharedSize(CUfunction f, unsigned int bytes);
CUresult cuParamSetSize(CUfunction f, unsigned int bytes);
CUresult cuParamSetv(CUfunction f, int offset, void *p, unsigned int bytes);
CUresult cuParamSeti(CUfunction f, int offset, unsigned int value);
CUresult cuParamSetf(CUfunction f, int offset, float value);
CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream);
CUresult cuLaunchGrid(CUfunction f, int width, int height);
CUresult cuLaunch(CUfunction f);
CUresult cuCtxAttach(CUcontext *context, unsigned int flags);
CUresult cuCtxDetach(CUcontext context);
CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name);
CUresult cuTexRefCreate(CUtexref *reference);
CUresult cuTexRefDestroy(CUtexref reference);
CUresult cuTexRefSetArray(CUtexref r, CUarray array, unsigned int flags);
CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray mipmap, unsigned int flags);
CUresult cuTexRefSetAddress(size_t *offset, CUtexref r, CUdeviceptr p, size_t bytes);
CUresult cuTexRefSetAddress2D(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr p,
                              size_t pitch);
CUresult cuTexRefSetFormat(CUtexref r, CUarray_format format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref r, int dim, CUaddress_mode mode);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref r, float least, float most);
CUresult cuTexRefSetMaxAnisotropy(CUtexref r, unsigned int most);
CUresult cuTexRefSetBorderColor(CUtexref r, float *color);
CUresult cuTexRefGetAddress(CUdeviceptr *p, CUtexref r);
CUresult cuTexRefGetArray(CUarray *array, CUtexref r);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *mipmap, CUtexref r);
CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref r, int dim);
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref r);
CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref r);
CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref r);
CUresult cuTexRefGetBorderColor(float *color, CUtexref r);
CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref r);
CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name);
CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned int flags);
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref reference);
CUresult cuTexRefSetFilterMode(CUtexref r, CUfilter_mode value);
CUresult cuTexRefGetFilterMode(CUfilter_mode *value, CUtexref r);
CUresult cuTexRefSetMipmapFilterMode(CUtexref r, CUfilter_mode value);
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *value, CUtexref r);
CUresult cuTexRefSetMipmapLevelBias(CUtexref r, float value);
CUresult cuTexRefGetMipmapLevelBias(float *value, CUtexref r);
CUresult cuTexRefSetFlags(CUtexref r, unsigned int value);
CUresult cuTexRefGetFlags(unsigned int *value, CUtexref r);

/* refused */
CUresult cuImportExternalMemory(CUexternalMemory *memory,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc);
CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *p, CUexternalMemory memory,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc);
CUresult
cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap, CUexternalMemory memory,
                                        const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc);
CUresult cuDestroyExternalMemory(CUexternalMemory memory);
CUresult cuImportExternalSemaphore(CUexternalSemaphore *semaphore,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc);
CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *list,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
                                         unsigned int count, CUstream stream);
CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *list,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
                                       unsigned int count, CUstream stream);
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore semaphore);
CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph,
                                                const CUgraphNode *after, size_t nafter,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph,
                                              const CUgraphNode *after, size_t nafter,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode node,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUresult
cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node,
                                             const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode node,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUresult
cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
CUresult
cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource);
CUresult cuGraphicsSubResourceGetMappedArray(CUarray *array, CUgraphicsResource resource,
                                             unsigned int index, unsigned int level);
CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *mipmap,
                                                   CUgraphicsResource resource);
CUresult cuGraphicsResourceGetMappedPointer(CUdeviceptr *p, size_t *size,
                                            CUgraphicsResource resource);
CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags);
CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources, CUstream stream);
CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
                                  CUstream stream);
CUresult cuDeviceGetNvSciSyncAttributes(void *attributes, CUdevice device, int flags);
CUresult cuDeviceGetLuid(char *luid, unsigned int *mask, CUdevice device);
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope);
CUresult cuMemGetHandleForAddressRange(void *handle, CUdeviceptr p, size_t size,
                                       CUmemRangeHandleType type, unsigned long long flags);
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *handle, const CUmulticastObjectProp *prop);
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device);
CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle, size_t offset,
                            CUmemGenericAllocationHandle memory, size_t memory_offset, size_t size,
                            unsigned long long flags);
CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle, size_t offset, CUdeviceptr p,
                             size_t size, unsigned long long flags);
CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset,
                           size_t size);
CUresult cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                   CUmulticastGranularity_flags option);
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *list, unsigned int count,
                                              unsigned int flags);
CUresult cuCoredumpGetAttribute(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuCoredumpSetAttribute(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings attribute, void *value, size_t *size);
CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback fn, void *data,
                                           CUasyncCallbackHandle *callback);
CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback);
CUresult cuMemMapArrayAsync(CUarrayMapInfo *list, unsigned int count, CUstream stream);
CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool,
                                          CUmemAllocationHandleType type, unsigned long long flags);
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle,
                                            CUmemAllocationHandleType type,
                                            unsigned long long flags);
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr p);
CUresult cuMemPoolImportPointer(CUdeviceptr *p, CUmemoryPool pool, CUmemPoolPtrExportData *data);

#ifdef __cplusplus
}
/* What CUDA 13 gave other parameters. */
static inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *params,
                                   unsigned int flags, CUdevice device)
{
    return params && (params->numExecAffinityParams || params->cigParams)
               ? CUDA_ERROR_NOT_SUPPORTED
               : cuCtxCreate(context, flags, device);
}
static inline CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t size, CUmemLocation location,
                                          unsigned int flags, CUstream stream)
{
    struct cudaMemLocation at;
    at.type = (enum cudaMemLocationType)location.type;
    at.id = location.id;
    return (CUresult)cudaMemPrefetchAsync_v2((const void *)p, size, at, flags, stream);
}
static inline CUresult cuMemAdvise(CUdeviceptr p, size_t size, CUmem_advise advice,
                                   CUmemLocation location)
{
    struct cudaMemLocation at;
    at.type = (enum cudaMemLocationType)location.type;
    at.id = location.id;
    return (CUresult)cudaMemAdvise_v2((const void *)p, size, (enum cudaMemoryAdvise)advice, at);
}
static inline CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                      const CUgraphEdgeData *edges, size_t nafter,
                                      CUgraphNodeParams *params)
{
    return cuGraphAddNode_v2(node, graph, after, edges, nafter, params);
}
static inline CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                       CUgraphEdgeData *edges, size_t *count)
{
    return cuGraphGetEdges_v2(graph, from, to, edges, count);
}
static inline CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
                                                  CUgraphEdgeData *edges, size_t *count)
{
    return cuGraphNodeGetDependencies_v2(node, nodes, edges, count);
}
static inline CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                                                    CUgraphEdgeData *edges, size_t *count)
{
    return cuGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}
static inline CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                              const CUgraphNode *to, const CUgraphEdgeData *edges,
                                              size_t count)
{
    return cuGraphAddDependencies_v2(graph, from, to, edges, count);
}
static inline CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                                 const CUgraphNode *to,
                                                 const CUgraphEdgeData *edges, size_t count)
{
    return cuGraphRemoveDependencies_v2(graph, from, to, edges, count);
}
static inline CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                              cuuint64_t *id, CUgraph *graph,
                                              const CUgraphNode **after,
                                              const CUgraphEdgeData **edges, size_t *nafter)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, after, edges, nafter);
}
static inline CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after,
                                                         const CUgraphEdgeData *edges,
                                                         size_t nafter, unsigned int flags)
{
    return cuStreamUpdateCaptureDependencies_v2(stream, after, edges, nafter, flags);
}
#endif
#endif
