/* Types of pointers to the functions of the driver API, as cuGetProcAddress gives them:
 * PFN_name, and with the version of CUDA that brought it. */
#pragma once
#ifndef __TERN_DEVICE__ /* for host code */
#include "cuda.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef CUresult (*PFN_cuInit)(unsigned int flags);
typedef PFN_cuInit PFN_cuInit_v2000;
typedef CUresult (*PFN_cuDriverGetVersion)(int *version);
typedef PFN_cuDriverGetVersion PFN_cuDriverGetVersion_v2020;
typedef CUresult (*PFN_cuGetErrorString)(CUresult error, const char **text);
typedef PFN_cuGetErrorString PFN_cuGetErrorString_v6000;
typedef CUresult (*PFN_cuGetErrorName)(CUresult error, const char **name);
typedef PFN_cuGetErrorName PFN_cuGetErrorName_v6000;
typedef CUresult (*PFN_cuGetProcAddress)(const char *symbol, void **function, int version,
                                         cuuint64_t flags, CUdriverProcAddressQueryResult *status);
typedef PFN_cuGetProcAddress PFN_cuGetProcAddress_v12000;
typedef CUresult (*PFN_cuTensorMapEncodeTiled)(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box, const cuuint32_t *step,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000;
typedef CUresult (*PFN_cuTensorMapEncodeIm2col)(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *size, const cuuint64_t *stride, const int *lower, const int *upper,
    cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeIm2col PFN_cuTensorMapEncodeIm2col_v12000;
typedef CUresult (*PFN_cuTensorMapReplaceAddress)(CUtensorMap *map, void *address);
typedef PFN_cuTensorMapReplaceAddress PFN_cuTensorMapReplaceAddress_v12000;
typedef CUresult (*PFN_cuDeviceGet)(CUdevice *device, int ordinal);
typedef PFN_cuDeviceGet PFN_cuDeviceGet_v2000;
typedef CUresult (*PFN_cuDeviceGetCount)(int *count);
typedef PFN_cuDeviceGetCount PFN_cuDeviceGetCount_v2000;
typedef CUresult (*PFN_cuDeviceGetName)(char *name, int length, CUdevice device);
typedef PFN_cuDeviceGetName PFN_cuDeviceGetName_v2000;
typedef CUresult (*PFN_cuDeviceGetUuid)(CUuuid *uuid, CUdevice device);
typedef PFN_cuDeviceGetUuid PFN_cuDeviceGetUuid_v11040;
typedef CUresult (*PFN_cuDeviceTotalMem)(size_t *bytes, CUdevice device);
typedef PFN_cuDeviceTotalMem PFN_cuDeviceTotalMem_v3020;
typedef CUresult (*PFN_cuDeviceGetAttribute)(int *value, CUdevice_attribute attribute,
                                             CUdevice device);
typedef PFN_cuDeviceGetAttribute PFN_cuDeviceGetAttribute_v2000;
typedef CUresult (*PFN_cuDeviceComputeCapability)(int *major, int *minor, CUdevice device);
typedef PFN_cuDeviceComputeCapability PFN_cuDeviceComputeCapability_v2000;
typedef CUresult (*PFN_cuDeviceGetProperties)(CUdevprop *prop, CUdevice device);
typedef PFN_cuDeviceGetProperties PFN_cuDeviceGetProperties_v2000;
typedef CUresult (*PFN_cuDeviceGetPCIBusId)(char *text, int length, CUdevice device);
typedef PFN_cuDeviceGetPCIBusId PFN_cuDeviceGetPCIBusId_v4010;
typedef CUresult (*PFN_cuDeviceGetByPCIBusId)(CUdevice *device, const char *text);
typedef PFN_cuDeviceGetByPCIBusId PFN_cuDeviceGetByPCIBusId_v4010;
typedef CUresult (*PFN_cuDeviceCanAccessPeer)(int *can, CUdevice device, CUdevice peer);
typedef PFN_cuDeviceCanAccessPeer PFN_cuDeviceCanAccessPeer_v4000;
typedef CUresult (*PFN_cuDeviceGetP2PAttribute)(int *value, CUdevice_P2PAttribute attribute,
                                                CUdevice from, CUdevice to);
typedef PFN_cuDeviceGetP2PAttribute PFN_cuDeviceGetP2PAttribute_v8000;
typedef CUresult (*PFN_cuDeviceGetDefaultMemPool)(CUmemoryPool *pool, CUdevice device);
typedef PFN_cuDeviceGetDefaultMemPool PFN_cuDeviceGetDefaultMemPool_v11020;
typedef CUresult (*PFN_cuDeviceGetMemPool)(CUmemoryPool *pool, CUdevice device);
typedef PFN_cuDeviceGetMemPool PFN_cuDeviceGetMemPool_v11020;
typedef CUresult (*PFN_cuDeviceSetMemPool)(CUdevice device, CUmemoryPool pool);
typedef PFN_cuDeviceSetMemPool PFN_cuDeviceSetMemPool_v11020;
typedef CUresult (*PFN_cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
typedef PFN_cuDevicePrimaryCtxRetain PFN_cuDevicePrimaryCtxRetain_v7000;
typedef CUresult (*PFN_cuDevicePrimaryCtxRelease)(CUdevice device);
typedef PFN_cuDevicePrimaryCtxRelease PFN_cuDevicePrimaryCtxRelease_v11000;
typedef CUresult (*PFN_cuDevicePrimaryCtxReset)(CUdevice device);
typedef PFN_cuDevicePrimaryCtxReset PFN_cuDevicePrimaryCtxReset_v11000;
typedef CUresult (*PFN_cuDevicePrimaryCtxSetFlags)(CUdevice device, unsigned int flags);
typedef PFN_cuDevicePrimaryCtxSetFlags PFN_cuDevicePrimaryCtxSetFlags_v11000;
typedef CUresult (*PFN_cuDevicePrimaryCtxGetState)(CUdevice device, unsigned int *flags,
                                                   int *active);
typedef PFN_cuDevicePrimaryCtxGetState PFN_cuDevicePrimaryCtxGetState_v7000;
typedef CUresult (*PFN_cuCtxCreate)(CUcontext *context, unsigned int flags, CUdevice device);
typedef PFN_cuCtxCreate PFN_cuCtxCreate_v11040;
typedef CUresult (*PFN_cuCtxDestroy)(CUcontext context);
typedef PFN_cuCtxDestroy PFN_cuCtxDestroy_v4000;
typedef CUresult (*PFN_cuCtxPushCurrent)(CUcontext context);
typedef PFN_cuCtxPushCurrent PFN_cuCtxPushCurrent_v4000;
typedef CUresult (*PFN_cuCtxPopCurrent)(CUcontext *context);
typedef PFN_cuCtxPopCurrent PFN_cuCtxPopCurrent_v4000;
typedef CUresult (*PFN_cuCtxSetCurrent)(CUcontext context);
typedef PFN_cuCtxSetCurrent PFN_cuCtxSetCurrent_v4000;
typedef CUresult (*PFN_cuCtxGetCurrent)(CUcontext *context);
typedef PFN_cuCtxGetCurrent PFN_cuCtxGetCurrent_v4000;
typedef CUresult (*PFN_cuCtxGetDevice)(CUdevice *device);
typedef PFN_cuCtxGetDevice PFN_cuCtxGetDevice_v2000;
typedef CUresult (*PFN_cuCtxGetFlags)(unsigned int *flags);
typedef PFN_cuCtxGetFlags PFN_cuCtxGetFlags_v7000;
typedef CUresult (*PFN_cuCtxGetId)(CUcontext context, unsigned long long *id);
typedef PFN_cuCtxGetId PFN_cuCtxGetId_v12000;
typedef CUresult (*PFN_cuCtxGetApiVersion)(CUcontext context, unsigned int *version);
typedef PFN_cuCtxGetApiVersion PFN_cuCtxGetApiVersion_v3020;
typedef CUresult (*PFN_cuCtxSynchronize)(void);
typedef PFN_cuCtxSynchronize PFN_cuCtxSynchronize_v2000;
typedef CUresult (*PFN_cuCtxSetLimit)(CUlimit limit, size_t value);
typedef PFN_cuCtxSetLimit PFN_cuCtxSetLimit_v3010;
typedef CUresult (*PFN_cuCtxGetLimit)(size_t *value, CUlimit limit);
typedef PFN_cuCtxGetLimit PFN_cuCtxGetLimit_v3010;
typedef CUresult (*PFN_cuCtxGetCacheConfig)(CUfunc_cache *config);
typedef PFN_cuCtxGetCacheConfig PFN_cuCtxGetCacheConfig_v3020;
typedef CUresult (*PFN_cuCtxSetCacheConfig)(CUfunc_cache config);
typedef PFN_cuCtxSetCacheConfig PFN_cuCtxSetCacheConfig_v3020;
typedef CUresult (*PFN_cuCtxGetSharedMemConfig)(CUsharedconfig *config);
typedef PFN_cuCtxGetSharedMemConfig PFN_cuCtxGetSharedMemConfig_v4020;
typedef CUresult (*PFN_cuCtxSetSharedMemConfig)(CUsharedconfig config);
typedef PFN_cuCtxSetSharedMemConfig PFN_cuCtxSetSharedMemConfig_v4020;
typedef CUresult (*PFN_cuCtxGetStreamPriorityRange)(int *least, int *greatest);
typedef PFN_cuCtxGetStreamPriorityRange PFN_cuCtxGetStreamPriorityRange_v5050;
typedef CUresult (*PFN_cuCtxEnablePeerAccess)(CUcontext peer, unsigned int flags);
typedef PFN_cuCtxEnablePeerAccess PFN_cuCtxEnablePeerAccess_v4000;
typedef CUresult (*PFN_cuCtxDisablePeerAccess)(CUcontext peer);
typedef PFN_cuCtxDisablePeerAccess PFN_cuCtxDisablePeerAccess_v4000;
typedef CUresult (*PFN_cuModuleLoad)(CUmodule *module, const char *path);
typedef PFN_cuModuleLoad PFN_cuModuleLoad_v2000;
typedef CUresult (*PFN_cuModuleLoadData)(CUmodule *module, const void *image);
typedef PFN_cuModuleLoadData PFN_cuModuleLoadData_v2000;
typedef CUresult (*PFN_cuModuleLoadDataEx)(CUmodule *module, const void *image,
                                           unsigned int noptions, CUjit_option *options,
                                           void **values);
typedef PFN_cuModuleLoadDataEx PFN_cuModuleLoadDataEx_v2010;
typedef CUresult (*PFN_cuModuleLoadFatBinary)(CUmodule *module, const void *image);
typedef PFN_cuModuleLoadFatBinary PFN_cuModuleLoadFatBinary_v2000;
typedef CUresult (*PFN_cuModuleUnload)(CUmodule module);
typedef PFN_cuModuleUnload PFN_cuModuleUnload_v2000;
typedef CUresult (*PFN_cuModuleGetLoadingMode)(CUmoduleLoadingMode *mode);
typedef PFN_cuModuleGetLoadingMode PFN_cuModuleGetLoadingMode_v11070;
typedef CUresult (*PFN_cuModuleGetFunction)(CUfunction *function, CUmodule module,
                                            const char *name);
typedef PFN_cuModuleGetFunction PFN_cuModuleGetFunction_v2000;
typedef CUresult (*PFN_cuModuleGetGlobal)(CUdeviceptr *p, size_t *bytes, CUmodule module,
                                          const char *name);
typedef PFN_cuModuleGetGlobal PFN_cuModuleGetGlobal_v3020;
typedef CUresult (*PFN_cuLinkCreate)(unsigned int noptions, CUjit_option *options, void **values,
                                     CUlinkState *state);
typedef PFN_cuLinkCreate PFN_cuLinkCreate_v6050;
typedef CUresult (*PFN_cuLinkAddData)(CUlinkState state, CUjitInputType type, void *data,
                                      size_t size, const char *name, unsigned int noptions,
                                      CUjit_option *options, void **values);
typedef PFN_cuLinkAddData PFN_cuLinkAddData_v6050;
typedef CUresult (*PFN_cuLinkAddFile)(CUlinkState state, CUjitInputType type, const char *path,
                                      unsigned int noptions, CUjit_option *options, void **values);
typedef PFN_cuLinkAddFile PFN_cuLinkAddFile_v6050;
typedef CUresult (*PFN_cuLinkComplete)(CUlinkState state, void **image, size_t *size);
typedef PFN_cuLinkComplete PFN_cuLinkComplete_v5050;
typedef CUresult (*PFN_cuLinkDestroy)(CUlinkState state);
typedef PFN_cuLinkDestroy PFN_cuLinkDestroy_v5050;
typedef CUresult (*PFN_cuLibraryLoadData)(CUlibrary *library, const void *image,
                                          CUjit_option *options, void **values,
                                          unsigned int noptions, CUlibraryOption *library_options,
                                          void **library_values, unsigned int nlibrary_options);
typedef PFN_cuLibraryLoadData PFN_cuLibraryLoadData_v12000;
typedef CUresult (*PFN_cuLibraryLoadFromFile)(CUlibrary *library, const char *path,
                                              CUjit_option *options, void **values,
                                              unsigned int noptions,
                                              CUlibraryOption *library_options,
                                              void **library_values, unsigned int nlibrary_options);
typedef PFN_cuLibraryLoadFromFile PFN_cuLibraryLoadFromFile_v12000;
typedef CUresult (*PFN_cuLibraryUnload)(CUlibrary library);
typedef PFN_cuLibraryUnload PFN_cuLibraryUnload_v12000;
typedef CUresult (*PFN_cuLibraryGetKernel)(CUkernel *kernel, CUlibrary library, const char *name);
typedef PFN_cuLibraryGetKernel PFN_cuLibraryGetKernel_v12000;
typedef CUresult (*PFN_cuLibraryGetModule)(CUmodule *module, CUlibrary library);
typedef PFN_cuLibraryGetModule PFN_cuLibraryGetModule_v12000;
typedef CUresult (*PFN_cuLibraryGetGlobal)(CUdeviceptr *p, size_t *bytes, CUlibrary library,
                                           const char *name);
typedef PFN_cuLibraryGetGlobal PFN_cuLibraryGetGlobal_v12000;
typedef CUresult (*PFN_cuKernelGetFunction)(CUfunction *function, CUkernel kernel);
typedef PFN_cuKernelGetFunction PFN_cuKernelGetFunction_v12000;
typedef CUresult (*PFN_cuLaunchKernel)(CUfunction f, unsigned int gx, unsigned int gy,
                                       unsigned int gz, unsigned int bx, unsigned int by,
                                       unsigned int bz, unsigned int shared, CUstream stream,
                                       void **params, void **extra);
typedef PFN_cuLaunchKernel PFN_cuLaunchKernel_v4000;
typedef CUresult (*PFN_cuLaunchKernelEx)(const CUlaunchConfig *config, CUfunction f, void **params,
                                         void **extra);
typedef PFN_cuLaunchKernelEx PFN_cuLaunchKernelEx_v11060;
typedef CUresult (*PFN_cuLaunchCooperativeKernel)(CUfunction f, unsigned int gx, unsigned int gy,
                                                  unsigned int gz, unsigned int bx, unsigned int by,
                                                  unsigned int bz, unsigned int shared,
                                                  CUstream stream, void **params);
typedef PFN_cuLaunchCooperativeKernel PFN_cuLaunchCooperativeKernel_v9000;
typedef CUresult (*PFN_cuLaunchHostFunc)(CUstream stream, CUhostFn fn, void *data);
typedef PFN_cuLaunchHostFunc PFN_cuLaunchHostFunc_v10000;
typedef CUresult (*PFN_cuFuncGetAttribute)(int *value, CUfunction_attribute attribute,
                                           CUfunction f);
typedef PFN_cuFuncGetAttribute PFN_cuFuncGetAttribute_v2020;
typedef CUresult (*PFN_cuFuncSetAttribute)(CUfunction f, CUfunction_attribute attribute, int value);
typedef PFN_cuFuncSetAttribute PFN_cuFuncSetAttribute_v9000;
typedef CUresult (*PFN_cuFuncSetCacheConfig)(CUfunction f, CUfunc_cache config);
typedef PFN_cuFuncSetCacheConfig PFN_cuFuncSetCacheConfig_v3000;
typedef CUresult (*PFN_cuFuncSetSharedMemConfig)(CUfunction f, CUsharedconfig config);
typedef PFN_cuFuncSetSharedMemConfig PFN_cuFuncSetSharedMemConfig_v4020;
typedef CUresult (*PFN_cuFuncGetModule)(CUmodule *module, CUfunction f);
typedef PFN_cuFuncGetModule PFN_cuFuncGetModule_v11000;
typedef CUresult (*PFN_cuFuncGetName)(const char **name, CUfunction f);
typedef PFN_cuFuncGetName PFN_cuFuncGetName_v12030;
typedef CUresult (*PFN_cuFuncGetParamInfo)(CUfunction f, size_t index, size_t *offset,
                                           size_t *size);
typedef PFN_cuFuncGetParamInfo PFN_cuFuncGetParamInfo_v12040;
typedef CUresult (*PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor)(int *blocks, CUfunction f,
                                                                    int threads, size_t shared);
typedef PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050;
typedef CUresult (*PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(
    int *blocks, CUfunction f, int threads, size_t shared, unsigned int flags);
typedef PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000;
typedef CUresult (*PFN_cuOccupancyMaxPotentialBlockSize)(int *grid, int *block, CUfunction f,
                                                         CUoccupancyB2DSize size, size_t shared,
                                                         int limit);
typedef PFN_cuOccupancyMaxPotentialBlockSize PFN_cuOccupancyMaxPotentialBlockSize_v6050;
typedef CUresult (*PFN_cuOccupancyMaxPotentialBlockSizeWithFlags)(int *grid, int *block,
                                                                  CUfunction f,
                                                                  CUoccupancyB2DSize size,
                                                                  size_t shared, int limit,
                                                                  unsigned int flags);
typedef PFN_cuOccupancyMaxPotentialBlockSizeWithFlags
    PFN_cuOccupancyMaxPotentialBlockSizeWithFlags_v7000;
typedef CUresult (*PFN_cuOccupancyAvailableDynamicSMemPerBlock)(size_t *shared, CUfunction f,
                                                                int blocks, int threads);
typedef PFN_cuOccupancyAvailableDynamicSMemPerBlock
    PFN_cuOccupancyAvailableDynamicSMemPerBlock_v10020;
typedef CUresult (*PFN_cuMemGetInfo)(size_t *available, size_t *total);
typedef PFN_cuMemGetInfo PFN_cuMemGetInfo_v3020;
typedef CUresult (*PFN_cuMemAlloc)(CUdeviceptr *p, size_t size);
typedef PFN_cuMemAlloc PFN_cuMemAlloc_v3020;
typedef CUresult (*PFN_cuMemAllocPitch)(CUdeviceptr *p, size_t *pitch, size_t width, size_t height,
                                        unsigned int element);
typedef PFN_cuMemAllocPitch PFN_cuMemAllocPitch_v3020;
typedef CUresult (*PFN_cuMemFree)(CUdeviceptr p);
typedef PFN_cuMemFree PFN_cuMemFree_v3020;
typedef CUresult (*PFN_cuMemGetAddressRange)(CUdeviceptr *base, size_t *size, CUdeviceptr p);
typedef PFN_cuMemGetAddressRange PFN_cuMemGetAddressRange_v3020;
typedef CUresult (*PFN_cuMemAllocHost)(void **p, size_t size);
typedef PFN_cuMemAllocHost PFN_cuMemAllocHost_v3020;
typedef CUresult (*PFN_cuMemFreeHost)(void *p);
typedef PFN_cuMemFreeHost PFN_cuMemFreeHost_v2000;
typedef CUresult (*PFN_cuMemHostAlloc)(void **p, size_t size, unsigned int flags);
typedef PFN_cuMemHostAlloc PFN_cuMemHostAlloc_v2020;
typedef CUresult (*PFN_cuMemHostGetDevicePointer)(CUdeviceptr *device, void *host,
                                                  unsigned int flags);
typedef PFN_cuMemHostGetDevicePointer PFN_cuMemHostGetDevicePointer_v3020;
typedef CUresult (*PFN_cuMemHostGetFlags)(unsigned int *flags, void *host);
typedef PFN_cuMemHostGetFlags PFN_cuMemHostGetFlags_v2030;
typedef CUresult (*PFN_cuMemHostRegister)(void *p, size_t size, unsigned int flags);
typedef PFN_cuMemHostRegister PFN_cuMemHostRegister_v6050;
typedef CUresult (*PFN_cuMemHostUnregister)(void *p);
typedef PFN_cuMemHostUnregister PFN_cuMemHostUnregister_v4000;
typedef CUresult (*PFN_cuMemAllocManaged)(CUdeviceptr *p, size_t size, unsigned int flags);
typedef PFN_cuMemAllocManaged PFN_cuMemAllocManaged_v6000;
typedef CUresult (*PFN_cuMemPrefetchAsync)(CUdeviceptr p, size_t size, CUdevice device,
                                           CUstream stream);
typedef PFN_cuMemPrefetchAsync PFN_cuMemPrefetchAsync_v12020;
typedef CUresult (*PFN_cuMemAdvise)(CUdeviceptr p, size_t size, CUmem_advise advice,
                                    CUdevice device);
typedef PFN_cuMemAdvise PFN_cuMemAdvise_v12020;
typedef CUresult (*PFN_cuMemRangeGetAttribute)(void *data, size_t size,
                                               CUmem_range_attribute attribute, CUdeviceptr p,
                                               size_t count);
typedef PFN_cuMemRangeGetAttribute PFN_cuMemRangeGetAttribute_v8000;
typedef CUresult (*PFN_cuMemRangeGetAttributes)(void **data, size_t *sizes,
                                                CUmem_range_attribute *attributes, size_t n,
                                                CUdeviceptr p, size_t count);
typedef PFN_cuMemRangeGetAttributes PFN_cuMemRangeGetAttributes_v8000;
typedef CUresult (*PFN_cuMemAllocAsync)(CUdeviceptr *p, size_t size, CUstream stream);
typedef PFN_cuMemAllocAsync PFN_cuMemAllocAsync_v11020;
typedef CUresult (*PFN_cuMemFreeAsync)(CUdeviceptr p, CUstream stream);
typedef PFN_cuMemFreeAsync PFN_cuMemFreeAsync_v11020;
typedef CUresult (*PFN_cuMemAllocFromPoolAsync)(CUdeviceptr *p, size_t size, CUmemoryPool pool,
                                                CUstream stream);
typedef PFN_cuMemAllocFromPoolAsync PFN_cuMemAllocFromPoolAsync_v11020;
typedef CUresult (*PFN_cuMemPoolCreate)(CUmemoryPool *pool, const CUmemPoolProps *props);
typedef PFN_cuMemPoolCreate PFN_cuMemPoolCreate_v11020;
typedef CUresult (*PFN_cuMemPoolDestroy)(CUmemoryPool pool);
typedef PFN_cuMemPoolDestroy PFN_cuMemPoolDestroy_v11020;
typedef CUresult (*PFN_cuMemPoolTrimTo)(CUmemoryPool pool, size_t keep);
typedef PFN_cuMemPoolTrimTo PFN_cuMemPoolTrimTo_v11020;
typedef CUresult (*PFN_cuMemPoolSetAttribute)(CUmemoryPool pool, CUmemPool_attribute attribute,
                                              void *value);
typedef PFN_cuMemPoolSetAttribute PFN_cuMemPoolSetAttribute_v11020;
typedef CUresult (*PFN_cuMemPoolGetAttribute)(CUmemoryPool pool, CUmemPool_attribute attribute,
                                              void *value);
typedef PFN_cuMemPoolGetAttribute PFN_cuMemPoolGetAttribute_v11020;
typedef CUresult (*PFN_cuPointerGetAttribute)(void *data, CUpointer_attribute attribute,
                                              CUdeviceptr p);
typedef PFN_cuPointerGetAttribute PFN_cuPointerGetAttribute_v4000;
typedef CUresult (*PFN_cuPointerGetAttributes)(unsigned int n, CUpointer_attribute *attributes,
                                               void **data, CUdeviceptr p);
typedef PFN_cuPointerGetAttributes PFN_cuPointerGetAttributes_v7000;
typedef CUresult (*PFN_cuMemcpy)(CUdeviceptr to, CUdeviceptr from, size_t size);
typedef PFN_cuMemcpy PFN_cuMemcpy_v4000;
typedef CUresult (*PFN_cuMemcpyAsync)(CUdeviceptr to, CUdeviceptr from, size_t size,
                                      CUstream stream);
typedef PFN_cuMemcpyAsync PFN_cuMemcpyAsync_v4000;
typedef CUresult (*PFN_cuMemcpyPeer)(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                     CUcontext from_context, size_t size);
typedef PFN_cuMemcpyPeer PFN_cuMemcpyPeer_v4000;
typedef CUresult (*PFN_cuMemcpyPeerAsync)(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                          CUcontext from_context, size_t size, CUstream stream);
typedef PFN_cuMemcpyPeerAsync PFN_cuMemcpyPeerAsync_v4000;
typedef CUresult (*PFN_cuMemcpyHtoD)(CUdeviceptr to, const void *from, size_t size);
typedef PFN_cuMemcpyHtoD PFN_cuMemcpyHtoD_v3020;
typedef CUresult (*PFN_cuMemcpyHtoDAsync)(CUdeviceptr to, const void *from, size_t size,
                                          CUstream stream);
typedef PFN_cuMemcpyHtoDAsync PFN_cuMemcpyHtoDAsync_v3020;
typedef CUresult (*PFN_cuMemcpyDtoH)(void *to, CUdeviceptr from, size_t size);
typedef PFN_cuMemcpyDtoH PFN_cuMemcpyDtoH_v3020;
typedef CUresult (*PFN_cuMemcpyDtoHAsync)(void *to, CUdeviceptr from, size_t size, CUstream stream);
typedef PFN_cuMemcpyDtoHAsync PFN_cuMemcpyDtoHAsync_v3020;
typedef CUresult (*PFN_cuMemcpyDtoD)(CUdeviceptr to, CUdeviceptr from, size_t size);
typedef PFN_cuMemcpyDtoD PFN_cuMemcpyDtoD_v3020;
typedef CUresult (*PFN_cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t size,
                                          CUstream stream);
typedef PFN_cuMemcpyDtoDAsync PFN_cuMemcpyDtoDAsync_v3020;
typedef CUresult (*PFN_cuMemcpyDtoA)(CUarray to, size_t offset, CUdeviceptr from, size_t size);
typedef PFN_cuMemcpyDtoA PFN_cuMemcpyDtoA_v3020;
typedef CUresult (*PFN_cuMemcpyAtoD)(CUdeviceptr to, CUarray from, size_t offset, size_t size);
typedef PFN_cuMemcpyAtoD PFN_cuMemcpyAtoD_v3020;
typedef CUresult (*PFN_cuMemcpyHtoA)(CUarray to, size_t offset, const void *from, size_t size);
typedef PFN_cuMemcpyHtoA PFN_cuMemcpyHtoA_v3020;
typedef CUresult (*PFN_cuMemcpyAtoH)(void *to, CUarray from, size_t offset, size_t size);
typedef PFN_cuMemcpyAtoH PFN_cuMemcpyAtoH_v3020;
typedef CUresult (*PFN_cuMemcpyAtoA)(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                                     size_t size);
typedef PFN_cuMemcpyAtoA PFN_cuMemcpyAtoA_v3020;
typedef CUresult (*PFN_cuMemcpyHtoAAsync)(CUarray to, size_t offset, const void *from, size_t size,
                                          CUstream stream);
typedef PFN_cuMemcpyHtoAAsync PFN_cuMemcpyHtoAAsync_v3020;
typedef CUresult (*PFN_cuMemcpyAtoHAsync)(void *to, CUarray from, size_t offset, size_t size,
                                          CUstream stream);
typedef PFN_cuMemcpyAtoHAsync PFN_cuMemcpyAtoHAsync_v3020;
typedef CUresult (*PFN_cuMemcpy2D)(const CUDA_MEMCPY2D *p);
typedef PFN_cuMemcpy2D PFN_cuMemcpy2D_v3020;
typedef CUresult (*PFN_cuMemcpy2DUnaligned)(const CUDA_MEMCPY2D *p);
typedef PFN_cuMemcpy2DUnaligned PFN_cuMemcpy2DUnaligned_v3020;
typedef CUresult (*PFN_cuMemcpy2DAsync)(const CUDA_MEMCPY2D *p, CUstream stream);
typedef PFN_cuMemcpy2DAsync PFN_cuMemcpy2DAsync_v3020;
typedef CUresult (*PFN_cuMemcpy3D)(const CUDA_MEMCPY3D *p);
typedef PFN_cuMemcpy3D PFN_cuMemcpy3D_v3020;
typedef CUresult (*PFN_cuMemcpy3DAsync)(const CUDA_MEMCPY3D *p, CUstream stream);
typedef PFN_cuMemcpy3DAsync PFN_cuMemcpy3DAsync_v3020;
typedef CUresult (*PFN_cuMemsetD8)(CUdeviceptr p, unsigned char value, size_t n);
typedef PFN_cuMemsetD8 PFN_cuMemsetD8_v3020;
typedef CUresult (*PFN_cuMemsetD16)(CUdeviceptr p, unsigned short value, size_t n);
typedef PFN_cuMemsetD16 PFN_cuMemsetD16_v3020;
typedef CUresult (*PFN_cuMemsetD32)(CUdeviceptr p, unsigned int value, size_t n);
typedef PFN_cuMemsetD32 PFN_cuMemsetD32_v3020;
typedef CUresult (*PFN_cuMemsetD2D8)(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                                     size_t height);
typedef PFN_cuMemsetD2D8 PFN_cuMemsetD2D8_v3020;
typedef CUresult (*PFN_cuMemsetD2D16)(CUdeviceptr p, size_t pitch, unsigned short value,
                                      size_t width, size_t height);
typedef PFN_cuMemsetD2D16 PFN_cuMemsetD2D16_v3020;
typedef CUresult (*PFN_cuMemsetD2D32)(CUdeviceptr p, size_t pitch, unsigned int value, size_t width,
                                      size_t height);
typedef PFN_cuMemsetD2D32 PFN_cuMemsetD2D32_v3020;
typedef CUresult (*PFN_cuMemsetD8Async)(CUdeviceptr p, unsigned char value, size_t n,
                                        CUstream stream);
typedef PFN_cuMemsetD8Async PFN_cuMemsetD8Async_v3020;
typedef CUresult (*PFN_cuMemsetD16Async)(CUdeviceptr p, unsigned short value, size_t n,
                                         CUstream stream);
typedef PFN_cuMemsetD16Async PFN_cuMemsetD16Async_v3020;
typedef CUresult (*PFN_cuMemsetD32Async)(CUdeviceptr p, unsigned int value, size_t n,
                                         CUstream stream);
typedef PFN_cuMemsetD32Async PFN_cuMemsetD32Async_v3020;
typedef CUresult (*PFN_cuMemsetD2D8Async)(CUdeviceptr p, size_t pitch, unsigned char value,
                                          size_t width, size_t height, CUstream stream);
typedef PFN_cuMemsetD2D8Async PFN_cuMemsetD2D8Async_v3020;
typedef CUresult (*PFN_cuMemsetD2D16Async)(CUdeviceptr p, size_t pitch, unsigned short value,
                                           size_t width, size_t height, CUstream stream);
typedef PFN_cuMemsetD2D16Async PFN_cuMemsetD2D16Async_v3020;
typedef CUresult (*PFN_cuMemsetD2D32Async)(CUdeviceptr p, size_t pitch, unsigned int value,
                                           size_t width, size_t height, CUstream stream);
typedef PFN_cuMemsetD2D32Async PFN_cuMemsetD2D32Async_v3020;
typedef CUresult (*PFN_cuArrayCreate)(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc);
typedef PFN_cuArrayCreate PFN_cuArrayCreate_v3020;
typedef CUresult (*PFN_cuArrayGetDescriptor)(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array);
typedef PFN_cuArrayGetDescriptor PFN_cuArrayGetDescriptor_v3020;
typedef CUresult (*PFN_cuArray3DCreate)(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc);
typedef PFN_cuArray3DCreate PFN_cuArray3DCreate_v3020;
typedef CUresult (*PFN_cuArray3DGetDescriptor)(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array);
typedef PFN_cuArray3DGetDescriptor PFN_cuArray3DGetDescriptor_v3020;
typedef CUresult (*PFN_cuArrayDestroy)(CUarray array);
typedef PFN_cuArrayDestroy PFN_cuArrayDestroy_v2000;
typedef CUresult (*PFN_cuMipmappedArrayCreate)(CUmipmappedArray *mipmap,
                                               const CUDA_ARRAY3D_DESCRIPTOR *desc,
                                               unsigned int levels);
typedef PFN_cuMipmappedArrayCreate PFN_cuMipmappedArrayCreate_v5000;
typedef CUresult (*PFN_cuMipmappedArrayGetLevel)(CUarray *array, CUmipmappedArray mipmap,
                                                 unsigned int level);
typedef PFN_cuMipmappedArrayGetLevel PFN_cuMipmappedArrayGetLevel_v5000;
typedef CUresult (*PFN_cuMipmappedArrayDestroy)(CUmipmappedArray mipmap);
typedef PFN_cuMipmappedArrayDestroy PFN_cuMipmappedArrayDestroy_v5000;
typedef CUresult (*PFN_cuTexObjectCreate)(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                          const CUDA_TEXTURE_DESC *texture,
                                          const CUDA_RESOURCE_VIEW_DESC *view);
typedef PFN_cuTexObjectCreate PFN_cuTexObjectCreate_v5000;
typedef CUresult (*PFN_cuTexObjectDestroy)(CUtexObject object);
typedef PFN_cuTexObjectDestroy PFN_cuTexObjectDestroy_v5000;
typedef CUresult (*PFN_cuTexObjectGetResourceDesc)(CUDA_RESOURCE_DESC *resource,
                                                   CUtexObject object);
typedef PFN_cuTexObjectGetResourceDesc PFN_cuTexObjectGetResourceDesc_v5000;
typedef CUresult (*PFN_cuTexObjectGetTextureDesc)(CUDA_TEXTURE_DESC *texture, CUtexObject object);
typedef PFN_cuTexObjectGetTextureDesc PFN_cuTexObjectGetTextureDesc_v5000;
typedef CUresult (*PFN_cuSurfObjectCreate)(CUsurfObject *object,
                                           const CUDA_RESOURCE_DESC *resource);
typedef PFN_cuSurfObjectCreate PFN_cuSurfObjectCreate_v5000;
typedef CUresult (*PFN_cuSurfObjectDestroy)(CUsurfObject object);
typedef PFN_cuSurfObjectDestroy PFN_cuSurfObjectDestroy_v5000;
typedef CUresult (*PFN_cuSurfObjectGetResourceDesc)(CUDA_RESOURCE_DESC *resource,
                                                    CUsurfObject object);
typedef PFN_cuSurfObjectGetResourceDesc PFN_cuSurfObjectGetResourceDesc_v5000;
typedef CUresult (*PFN_cuStreamCreate)(CUstream *stream, unsigned int flags);
typedef PFN_cuStreamCreate PFN_cuStreamCreate_v2000;
typedef CUresult (*PFN_cuStreamCreateWithPriority)(CUstream *stream, unsigned int flags,
                                                   int priority);
typedef PFN_cuStreamCreateWithPriority PFN_cuStreamCreateWithPriority_v5050;
typedef CUresult (*PFN_cuStreamDestroy)(CUstream stream);
typedef PFN_cuStreamDestroy PFN_cuStreamDestroy_v4000;
typedef CUresult (*PFN_cuStreamGetPriority)(CUstream stream, int *priority);
typedef PFN_cuStreamGetPriority PFN_cuStreamGetPriority_v5050;
typedef CUresult (*PFN_cuStreamGetFlags)(CUstream stream, unsigned int *flags);
typedef PFN_cuStreamGetFlags PFN_cuStreamGetFlags_v5050;
typedef CUresult (*PFN_cuStreamGetId)(CUstream stream, unsigned long long *id);
typedef PFN_cuStreamGetId PFN_cuStreamGetId_v12000;
typedef CUresult (*PFN_cuStreamGetCtx)(CUstream stream, CUcontext *context);
typedef PFN_cuStreamGetCtx PFN_cuStreamGetCtx_v9020;
typedef CUresult (*PFN_cuStreamWaitEvent)(CUstream stream, CUevent event, unsigned int flags);
typedef PFN_cuStreamWaitEvent PFN_cuStreamWaitEvent_v3020;
typedef CUresult (*PFN_cuStreamAddCallback)(CUstream stream, CUstreamCallback callback, void *data,
                                            unsigned int flags);
typedef PFN_cuStreamAddCallback PFN_cuStreamAddCallback_v5000;
typedef CUresult (*PFN_cuStreamAttachMemAsync)(CUstream stream, CUdeviceptr p, size_t length,
                                               unsigned int flags);
typedef PFN_cuStreamAttachMemAsync PFN_cuStreamAttachMemAsync_v6000;
typedef CUresult (*PFN_cuStreamQuery)(CUstream stream);
typedef PFN_cuStreamQuery PFN_cuStreamQuery_v2000;
typedef CUresult (*PFN_cuStreamSynchronize)(CUstream stream);
typedef PFN_cuStreamSynchronize PFN_cuStreamSynchronize_v2000;
typedef CUresult (*PFN_cuEventCreate)(CUevent *event, unsigned int flags);
typedef PFN_cuEventCreate PFN_cuEventCreate_v2000;
typedef CUresult (*PFN_cuEventRecord)(CUevent event, CUstream stream);
typedef PFN_cuEventRecord PFN_cuEventRecord_v2000;
typedef CUresult (*PFN_cuEventRecordWithFlags)(CUevent event, CUstream stream, unsigned int flags);
typedef PFN_cuEventRecordWithFlags PFN_cuEventRecordWithFlags_v11010;
typedef CUresult (*PFN_cuEventQuery)(CUevent event);
typedef PFN_cuEventQuery PFN_cuEventQuery_v2000;
typedef CUresult (*PFN_cuEventSynchronize)(CUevent event);
typedef PFN_cuEventSynchronize PFN_cuEventSynchronize_v2000;
typedef CUresult (*PFN_cuEventDestroy)(CUevent event);
typedef PFN_cuEventDestroy PFN_cuEventDestroy_v4000;
typedef CUresult (*PFN_cuEventElapsedTime)(float *ms, CUevent start, CUevent end);
typedef PFN_cuEventElapsedTime PFN_cuEventElapsedTime_v2000;
typedef CUresult (*PFN_cuProfilerStart)(void);
typedef CUresult (*PFN_cuProfilerStop)(void);
typedef CUresult (*PFN_cuGraphCreate)(CUgraph *graph, unsigned int flags);
typedef PFN_cuGraphCreate PFN_cuGraphCreate_v10000;
typedef CUresult (*PFN_cuGraphDestroy)(CUgraph graph);
typedef PFN_cuGraphDestroy PFN_cuGraphDestroy_v10000;
typedef CUresult (*PFN_cuGraphClone)(CUgraph *clone, CUgraph graph);
typedef PFN_cuGraphClone PFN_cuGraphClone_v10000;
typedef CUresult (*PFN_cuGraphNodeFindInClone)(CUgraphNode *node, CUgraphNode original,
                                               CUgraph clone);
typedef PFN_cuGraphNodeFindInClone PFN_cuGraphNodeFindInClone_v10000;
typedef CUresult (*PFN_cuGraphGetNodes)(CUgraph graph, CUgraphNode *nodes, size_t *count);
typedef PFN_cuGraphGetNodes PFN_cuGraphGetNodes_v10000;
typedef CUresult (*PFN_cuGraphGetRootNodes)(CUgraph graph, CUgraphNode *nodes, size_t *count);
typedef PFN_cuGraphGetRootNodes PFN_cuGraphGetRootNodes_v10000;
typedef CUresult (*PFN_cuGraphGetEdges)(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                        size_t *count);
typedef PFN_cuGraphGetEdges PFN_cuGraphGetEdges_v12030;
typedef CUresult (*PFN_cuGraphNodeGetDependencies)(CUgraphNode node, CUgraphNode *nodes,
                                                   size_t *count);
typedef PFN_cuGraphNodeGetDependencies PFN_cuGraphNodeGetDependencies_v12030;
typedef CUresult (*PFN_cuGraphNodeGetDependentNodes)(CUgraphNode node, CUgraphNode *nodes,
                                                     size_t *count);
typedef PFN_cuGraphNodeGetDependentNodes PFN_cuGraphNodeGetDependentNodes_v12030;
typedef CUresult (*PFN_cuGraphAddDependencies)(CUgraph graph, const CUgraphNode *from,
                                               const CUgraphNode *to, size_t count);
typedef PFN_cuGraphAddDependencies PFN_cuGraphAddDependencies_v12030;
typedef CUresult (*PFN_cuGraphRemoveDependencies)(CUgraph graph, const CUgraphNode *from,
                                                  const CUgraphNode *to, size_t count);
typedef PFN_cuGraphRemoveDependencies PFN_cuGraphRemoveDependencies_v12030;
typedef CUresult (*PFN_cuGraphDestroyNode)(CUgraphNode node);
typedef PFN_cuGraphDestroyNode PFN_cuGraphDestroyNode_v10000;
typedef CUresult (*PFN_cuGraphNodeGetType)(CUgraphNode node, CUgraphNodeType *type);
typedef PFN_cuGraphNodeGetType PFN_cuGraphNodeGetType_v10000;
typedef CUresult (*PFN_cuGraphAddEmptyNode)(CUgraphNode *node, CUgraph graph,
                                            const CUgraphNode *after, size_t nafter);
typedef PFN_cuGraphAddEmptyNode PFN_cuGraphAddEmptyNode_v10000;
typedef CUresult (*PFN_cuGraphAddHostNode)(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *after, size_t nafter,
                                           const CUDA_HOST_NODE_PARAMS *params);
typedef PFN_cuGraphAddHostNode PFN_cuGraphAddHostNode_v10000;
typedef CUresult (*PFN_cuGraphHostNodeGetParams)(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params);
typedef PFN_cuGraphHostNodeGetParams PFN_cuGraphHostNodeGetParams_v10000;
typedef CUresult (*PFN_cuGraphHostNodeSetParams)(CUgraphNode node,
                                                 const CUDA_HOST_NODE_PARAMS *params);
typedef PFN_cuGraphHostNodeSetParams PFN_cuGraphHostNodeSetParams_v10000;
typedef CUresult (*PFN_cuGraphExecHostNodeSetParams)(CUgraphExec exec, CUgraphNode node,
                                                     const CUDA_HOST_NODE_PARAMS *params);
typedef PFN_cuGraphExecHostNodeSetParams PFN_cuGraphExecHostNodeSetParams_v10020;
typedef CUresult (*PFN_cuGraphAddChildGraphNode)(CUgraphNode *node, CUgraph graph,
                                                 const CUgraphNode *after, size_t nafter,
                                                 CUgraph child);
typedef PFN_cuGraphAddChildGraphNode PFN_cuGraphAddChildGraphNode_v10000;
typedef CUresult (*PFN_cuGraphChildGraphNodeGetGraph)(CUgraphNode node, CUgraph *child);
typedef PFN_cuGraphChildGraphNodeGetGraph PFN_cuGraphChildGraphNodeGetGraph_v10000;
typedef CUresult (*PFN_cuGraphExecChildGraphNodeSetParams)(CUgraphExec exec, CUgraphNode node,
                                                           CUgraph child);
typedef PFN_cuGraphExecChildGraphNodeSetParams PFN_cuGraphExecChildGraphNodeSetParams_v11010;
typedef CUresult (*PFN_cuGraphAddEventRecordNode)(CUgraphNode *node, CUgraph graph,
                                                  const CUgraphNode *after, size_t nafter,
                                                  CUevent event);
typedef PFN_cuGraphAddEventRecordNode PFN_cuGraphAddEventRecordNode_v11010;
typedef CUresult (*PFN_cuGraphEventRecordNodeGetEvent)(CUgraphNode node, CUevent *event);
typedef PFN_cuGraphEventRecordNodeGetEvent PFN_cuGraphEventRecordNodeGetEvent_v11010;
typedef CUresult (*PFN_cuGraphEventRecordNodeSetEvent)(CUgraphNode node, CUevent event);
typedef PFN_cuGraphEventRecordNodeSetEvent PFN_cuGraphEventRecordNodeSetEvent_v11010;
typedef CUresult (*PFN_cuGraphExecEventRecordNodeSetEvent)(CUgraphExec exec, CUgraphNode node,
                                                           CUevent event);
typedef PFN_cuGraphExecEventRecordNodeSetEvent PFN_cuGraphExecEventRecordNodeSetEvent_v11010;
typedef CUresult (*PFN_cuGraphAddEventWaitNode)(CUgraphNode *node, CUgraph graph,
                                                const CUgraphNode *after, size_t nafter,
                                                CUevent event);
typedef PFN_cuGraphAddEventWaitNode PFN_cuGraphAddEventWaitNode_v11010;
typedef CUresult (*PFN_cuGraphEventWaitNodeGetEvent)(CUgraphNode node, CUevent *event);
typedef PFN_cuGraphEventWaitNodeGetEvent PFN_cuGraphEventWaitNodeGetEvent_v11010;
typedef CUresult (*PFN_cuGraphEventWaitNodeSetEvent)(CUgraphNode node, CUevent event);
typedef PFN_cuGraphEventWaitNodeSetEvent PFN_cuGraphEventWaitNodeSetEvent_v11010;
typedef CUresult (*PFN_cuGraphExecEventWaitNodeSetEvent)(CUgraphExec exec, CUgraphNode node,
                                                         CUevent event);
typedef PFN_cuGraphExecEventWaitNodeSetEvent PFN_cuGraphExecEventWaitNodeSetEvent_v11010;
typedef CUresult (*PFN_cuGraphAddMemFreeNode)(CUgraphNode *node, CUgraph graph,
                                              const CUgraphNode *after, size_t nafter,
                                              CUdeviceptr p);
typedef PFN_cuGraphAddMemFreeNode PFN_cuGraphAddMemFreeNode_v11040;
typedef CUresult (*PFN_cuGraphInstantiateWithFlags)(CUgraphExec *exec, CUgraph graph,
                                                    unsigned long long flags);
typedef PFN_cuGraphInstantiateWithFlags PFN_cuGraphInstantiateWithFlags_v11040;
typedef CUresult (*PFN_cuGraphLaunch)(CUgraphExec exec, CUstream stream);
typedef PFN_cuGraphLaunch PFN_cuGraphLaunch_v10000;
typedef CUresult (*PFN_cuGraphUpload)(CUgraphExec exec, CUstream stream);
typedef PFN_cuGraphUpload PFN_cuGraphUpload_v11010;
typedef CUresult (*PFN_cuGraphExecDestroy)(CUgraphExec exec);
typedef PFN_cuGraphExecDestroy PFN_cuGraphExecDestroy_v10000;
typedef CUresult (*PFN_cuGraphExecUpdate)(CUgraphExec exec, CUgraph graph,
                                          CUgraphExecUpdateResultInfo *info);
typedef PFN_cuGraphExecUpdate PFN_cuGraphExecUpdate_v12000;
typedef CUresult (*PFN_cuGraphNodeSetEnabled)(CUgraphExec exec, CUgraphNode node,
                                              unsigned int enabled);
typedef PFN_cuGraphNodeSetEnabled PFN_cuGraphNodeSetEnabled_v11060;
typedef CUresult (*PFN_cuGraphNodeGetEnabled)(CUgraphExec exec, CUgraphNode node,
                                              unsigned int *enabled);
typedef PFN_cuGraphNodeGetEnabled PFN_cuGraphNodeGetEnabled_v11060;
typedef CUresult (*PFN_cuGraphDebugDotPrint)(CUgraph graph, const char *path, unsigned int flags);
typedef PFN_cuGraphDebugDotPrint PFN_cuGraphDebugDotPrint_v11030;
typedef CUresult (*PFN_cuStreamBeginCapture)(CUstream stream, CUstreamCaptureMode mode);
typedef PFN_cuStreamBeginCapture PFN_cuStreamBeginCapture_v10010;
typedef CUresult (*PFN_cuStreamEndCapture)(CUstream stream, CUgraph *graph);
typedef PFN_cuStreamEndCapture PFN_cuStreamEndCapture_v10000;
typedef CUresult (*PFN_cuStreamIsCapturing)(CUstream stream, CUstreamCaptureStatus *status);
typedef PFN_cuStreamIsCapturing PFN_cuStreamIsCapturing_v10000;
typedef CUresult (*PFN_cuStreamGetCaptureInfo)(CUstream stream, CUstreamCaptureStatus *status,
                                               cuuint64_t *id, CUgraph *graph,
                                               const CUgraphNode **after, size_t *nafter);
typedef PFN_cuStreamGetCaptureInfo PFN_cuStreamGetCaptureInfo_v12030;
typedef CUresult (*PFN_cuStreamUpdateCaptureDependencies)(CUstream stream, CUgraphNode *after,
                                                          size_t nafter, unsigned int flags);
typedef PFN_cuStreamUpdateCaptureDependencies PFN_cuStreamUpdateCaptureDependencies_v12030;
typedef CUresult (*PFN_cuThreadExchangeStreamCaptureMode)(CUstreamCaptureMode *mode);
typedef PFN_cuThreadExchangeStreamCaptureMode PFN_cuThreadExchangeStreamCaptureMode_v10010;
typedef CUresult (*PFN_cuGraphAddKernelNode)(CUgraphNode *node, CUgraph graph,
                                             const CUgraphNode *after, size_t nafter,
                                             const CUDA_KERNEL_NODE_PARAMS *params);
typedef PFN_cuGraphAddKernelNode PFN_cuGraphAddKernelNode_v12000;
typedef CUresult (*PFN_cuGraphKernelNodeSetParams)(CUgraphNode node,
                                                   const CUDA_KERNEL_NODE_PARAMS *params);
typedef PFN_cuGraphKernelNodeSetParams PFN_cuGraphKernelNodeSetParams_v12000;
typedef CUresult (*PFN_cuGraphExecKernelNodeSetParams)(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_KERNEL_NODE_PARAMS *params);
typedef PFN_cuGraphExecKernelNodeSetParams PFN_cuGraphExecKernelNodeSetParams_v12000;
typedef CUresult (*PFN_cuGraphKernelNodeGetParams)(CUgraphNode node,
                                                   CUDA_KERNEL_NODE_PARAMS *params);
typedef PFN_cuGraphKernelNodeGetParams PFN_cuGraphKernelNodeGetParams_v12000;
typedef CUresult (*PFN_cuGraphAddMemsetNode)(CUgraphNode *node, CUgraph graph,
                                             const CUgraphNode *after, size_t nafter,
                                             const CUDA_MEMSET_NODE_PARAMS *params,
                                             CUcontext context);
typedef PFN_cuGraphAddMemsetNode PFN_cuGraphAddMemsetNode_v10000;
typedef CUresult (*PFN_cuGraphMemsetNodeSetParams)(CUgraphNode node,
                                                   const CUDA_MEMSET_NODE_PARAMS *params);
typedef PFN_cuGraphMemsetNodeSetParams PFN_cuGraphMemsetNodeSetParams_v10000;
typedef CUresult (*PFN_cuGraphExecMemsetNodeSetParams)(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_MEMSET_NODE_PARAMS *params,
                                                       CUcontext context);
typedef PFN_cuGraphExecMemsetNodeSetParams PFN_cuGraphExecMemsetNodeSetParams_v10020;
typedef CUresult (*PFN_cuGraphAddMemcpyNode)(CUgraphNode *node, CUgraph graph,
                                             const CUgraphNode *after, size_t nafter,
                                             const CUDA_MEMCPY3D *params, CUcontext context);
typedef PFN_cuGraphAddMemcpyNode PFN_cuGraphAddMemcpyNode_v10000;
typedef CUresult (*PFN_cuMemAddressReserve)(CUdeviceptr *p, size_t size, size_t alignment,
                                            CUdeviceptr address, unsigned long long flags);
typedef PFN_cuMemAddressReserve PFN_cuMemAddressReserve_v10020;
typedef CUresult (*PFN_cuMemAddressFree)(CUdeviceptr p, size_t size);
typedef PFN_cuMemAddressFree PFN_cuMemAddressFree_v10020;
typedef CUresult (*PFN_cuMemCreate)(CUmemGenericAllocationHandle *handle, size_t size,
                                    const CUmemAllocationProp *prop, unsigned long long flags);
typedef PFN_cuMemCreate PFN_cuMemCreate_v10020;
typedef CUresult (*PFN_cuMemRelease)(CUmemGenericAllocationHandle handle);
typedef PFN_cuMemRelease PFN_cuMemRelease_v10020;
typedef CUresult (*PFN_cuMemMap)(CUdeviceptr p, size_t size, size_t offset,
                                 CUmemGenericAllocationHandle handle, unsigned long long flags);
typedef PFN_cuMemMap PFN_cuMemMap_v10020;
typedef CUresult (*PFN_cuMemUnmap)(CUdeviceptr p, size_t size);
typedef PFN_cuMemUnmap PFN_cuMemUnmap_v10020;
typedef CUresult (*PFN_cuMemSetAccess)(CUdeviceptr p, size_t size, const CUmemAccessDesc *access,
                                       size_t count);
typedef PFN_cuMemSetAccess PFN_cuMemSetAccess_v10020;
typedef CUresult (*PFN_cuMemGetAccess)(unsigned long long *flags, const CUmemLocation *location,
                                       CUdeviceptr p);
typedef PFN_cuMemGetAccess PFN_cuMemGetAccess_v10020;
typedef CUresult (*PFN_cuMemGetAllocationGranularity)(size_t *granularity,
                                                      const CUmemAllocationProp *prop,
                                                      CUmemAllocationGranularity_flags option);
typedef PFN_cuMemGetAllocationGranularity PFN_cuMemGetAllocationGranularity_v10020;
typedef CUresult (*PFN_cuMemGetAllocationPropertiesFromHandle)(CUmemAllocationProp *prop,
                                                               CUmemGenericAllocationHandle handle);
typedef PFN_cuMemGetAllocationPropertiesFromHandle
    PFN_cuMemGetAllocationPropertiesFromHandle_v10020;
typedef CUresult (*PFN_cuMemRetainAllocationHandle)(CUmemGenericAllocationHandle *handle, void *p);
typedef PFN_cuMemRetainAllocationHandle PFN_cuMemRetainAllocationHandle_v11000;
typedef CUresult (*PFN_cuMemExportToShareableHandle)(void *shareable,
                                                     CUmemGenericAllocationHandle handle,
                                                     CUmemAllocationHandleType type,
                                                     unsigned long long flags);
typedef PFN_cuMemExportToShareableHandle PFN_cuMemExportToShareableHandle_v10020;
typedef CUresult (*PFN_cuMemImportFromShareableHandle)(CUmemGenericAllocationHandle *handle,
                                                       void *shareable,
                                                       CUmemAllocationHandleType type);
typedef PFN_cuMemImportFromShareableHandle PFN_cuMemImportFromShareableHandle_v10020;
typedef CUresult (*PFN_cuIpcGetEventHandle)(CUipcEventHandle *handle, CUevent event);
typedef PFN_cuIpcGetEventHandle PFN_cuIpcGetEventHandle_v4010;
typedef CUresult (*PFN_cuIpcOpenEventHandle)(CUevent *event, CUipcEventHandle handle);
typedef PFN_cuIpcOpenEventHandle PFN_cuIpcOpenEventHandle_v4010;
typedef CUresult (*PFN_cuIpcGetMemHandle)(CUipcMemHandle *handle, CUdeviceptr p);
typedef PFN_cuIpcGetMemHandle PFN_cuIpcGetMemHandle_v4010;
typedef CUresult (*PFN_cuIpcOpenMemHandle)(CUdeviceptr *p, CUipcMemHandle handle,
                                           unsigned int flags);
typedef PFN_cuIpcOpenMemHandle PFN_cuIpcOpenMemHandle_v11000;
typedef CUresult (*PFN_cuIpcCloseMemHandle)(CUdeviceptr p);
typedef PFN_cuIpcCloseMemHandle PFN_cuIpcCloseMemHandle_v4010;
typedef CUresult (*PFN_cuStreamWaitValue32)(CUstream stream, CUdeviceptr p, cuuint32_t value,
                                            unsigned int flags);
typedef PFN_cuStreamWaitValue32 PFN_cuStreamWaitValue32_v11070;
typedef CUresult (*PFN_cuStreamWaitValue64)(CUstream stream, CUdeviceptr p, cuuint64_t value,
                                            unsigned int flags);
typedef PFN_cuStreamWaitValue64 PFN_cuStreamWaitValue64_v11070;
typedef CUresult (*PFN_cuStreamWriteValue32)(CUstream stream, CUdeviceptr p, cuuint32_t value,
                                             unsigned int flags);
typedef PFN_cuStreamWriteValue32 PFN_cuStreamWriteValue32_v11070;
typedef CUresult (*PFN_cuStreamWriteValue64)(CUstream stream, CUdeviceptr p, cuuint64_t value,
                                             unsigned int flags);
typedef PFN_cuStreamWriteValue64 PFN_cuStreamWriteValue64_v11070;
typedef CUresult (*PFN_cuLibraryGetManaged)(CUdeviceptr *p, size_t *bytes, CUlibrary library,
                                            const char *name);
typedef PFN_cuLibraryGetManaged PFN_cuLibraryGetManaged_v12000;
typedef CUresult (*PFN_cuLibraryGetUnifiedFunction)(void **function, CUlibrary library,
                                                    const char *name);
typedef PFN_cuLibraryGetUnifiedFunction PFN_cuLibraryGetUnifiedFunction_v12000;
typedef CUresult (*PFN_cuLibraryGetKernelCount)(unsigned int *count, CUlibrary library);
typedef PFN_cuLibraryGetKernelCount PFN_cuLibraryGetKernelCount_v12040;
typedef CUresult (*PFN_cuLibraryEnumerateKernels)(CUkernel *kernels, unsigned int room,
                                                  CUlibrary library);
typedef PFN_cuLibraryEnumerateKernels PFN_cuLibraryEnumerateKernels_v12040;
typedef CUresult (*PFN_cuKernelGetAttribute)(int *value, CUfunction_attribute attribute,
                                             CUkernel kernel, CUdevice device);
typedef PFN_cuKernelGetAttribute PFN_cuKernelGetAttribute_v12000;
typedef CUresult (*PFN_cuKernelSetAttribute)(CUfunction_attribute attribute, int value,
                                             CUkernel kernel, CUdevice device);
typedef PFN_cuKernelSetAttribute PFN_cuKernelSetAttribute_v12000;
typedef CUresult (*PFN_cuKernelSetCacheConfig)(CUkernel kernel, CUfunc_cache config,
                                               CUdevice device);
typedef PFN_cuKernelSetCacheConfig PFN_cuKernelSetCacheConfig_v12000;
typedef CUresult (*PFN_cuKernelGetName)(const char **name, CUkernel kernel);
typedef PFN_cuKernelGetName PFN_cuKernelGetName_v12030;
typedef CUresult (*PFN_cuKernelGetParamInfo)(CUkernel kernel, size_t index, size_t *offset,
                                             size_t *size);
typedef PFN_cuKernelGetParamInfo PFN_cuKernelGetParamInfo_v12040;
typedef CUresult (*PFN_cuKernelGetLibrary)(CUlibrary *library, CUkernel kernel);
typedef PFN_cuKernelGetLibrary PFN_cuKernelGetLibrary_v12050;
typedef CUresult (*PFN_cuModuleGetFunctionCount)(unsigned int *count, CUmodule module);
typedef PFN_cuModuleGetFunctionCount PFN_cuModuleGetFunctionCount_v12040;
typedef CUresult (*PFN_cuModuleEnumerateFunctions)(CUfunction *functions, unsigned int room,
                                                   CUmodule module);
typedef PFN_cuModuleEnumerateFunctions PFN_cuModuleEnumerateFunctions_v12040;
typedef CUresult (*PFN_cuFuncIsLoaded)(CUfunctionLoadingState *state, CUfunction f);
typedef PFN_cuFuncIsLoaded PFN_cuFuncIsLoaded_v12040;
typedef CUresult (*PFN_cuFuncLoad)(CUfunction f);
typedef PFN_cuFuncLoad PFN_cuFuncLoad_v12040;
typedef CUresult (*PFN_cuOccupancyMaxActiveClusters)(int *clusters, CUfunction f,
                                                     const CUlaunchConfig *config);
typedef PFN_cuOccupancyMaxActiveClusters PFN_cuOccupancyMaxActiveClusters_v11070;
typedef CUresult (*PFN_cuOccupancyMaxPotentialClusterSize)(int *size, CUfunction f,
                                                           const CUlaunchConfig *config);
typedef PFN_cuOccupancyMaxPotentialClusterSize PFN_cuOccupancyMaxPotentialClusterSize_v11070;
typedef CUresult (*PFN_cuCtxSetFlags)(unsigned int flags);
typedef PFN_cuCtxSetFlags PFN_cuCtxSetFlags_v12010;
typedef CUresult (*PFN_cuCtxCreate_v3)(CUcontext *context, CUexecAffinityParam *params, int count,
                                       unsigned int flags, CUdevice device);
typedef PFN_cuCtxCreate_v3 PFN_cuCtxCreate_v12050;
typedef CUresult (*PFN_cuCtxGetExecAffinity)(CUexecAffinityParam *param, CUexecAffinityType type);
typedef PFN_cuCtxGetExecAffinity PFN_cuCtxGetExecAffinity_v11040;
typedef CUresult (*PFN_cuDeviceGetExecAffinitySupport)(int *supported, CUexecAffinityType type,
                                                       CUdevice device);
typedef PFN_cuDeviceGetExecAffinitySupport PFN_cuDeviceGetExecAffinitySupport_v11040;
typedef CUresult (*PFN_cuCtxResetPersistingL2Cache)(void);
typedef PFN_cuCtxResetPersistingL2Cache PFN_cuCtxResetPersistingL2Cache_v11000;
typedef CUresult (*PFN_cuCtxRecordEvent)(CUcontext context, CUevent event);
typedef PFN_cuCtxRecordEvent PFN_cuCtxRecordEvent_v12050;
typedef CUresult (*PFN_cuCtxWaitEvent)(CUcontext context, CUevent event);
typedef PFN_cuCtxWaitEvent PFN_cuCtxWaitEvent_v12050;
typedef CUresult (*PFN_cuDeviceGetDevResource)(CUdevice device, CUdevResource *resource,
                                               CUdevResourceType type);
typedef PFN_cuDeviceGetDevResource PFN_cuDeviceGetDevResource_v12040;
typedef CUresult (*PFN_cuCtxGetDevResource)(CUcontext context, CUdevResource *resource,
                                            CUdevResourceType type);
typedef PFN_cuCtxGetDevResource PFN_cuCtxGetDevResource_v12040;
typedef CUresult (*PFN_cuDevSmResourceSplitByCount)(CUdevResource *result, unsigned int *groups,
                                                    const CUdevResource *input, CUdevResource *rest,
                                                    unsigned int flags, unsigned int least);
typedef PFN_cuDevSmResourceSplitByCount PFN_cuDevSmResourceSplitByCount_v12040;
typedef CUresult (*PFN_cuDevResourceGenerateDesc)(CUdevResourceDesc *desc, CUdevResource *resources,
                                                  unsigned int count);
typedef PFN_cuDevResourceGenerateDesc PFN_cuDevResourceGenerateDesc_v12040;
typedef CUresult (*PFN_cuGreenCtxCreate)(CUgreenCtx *context, CUdevResourceDesc desc,
                                         CUdevice device, unsigned int flags);
typedef PFN_cuGreenCtxCreate PFN_cuGreenCtxCreate_v12040;
typedef CUresult (*PFN_cuGreenCtxDestroy)(CUgreenCtx context);
typedef PFN_cuGreenCtxDestroy PFN_cuGreenCtxDestroy_v12040;
typedef CUresult (*PFN_cuCtxFromGreenCtx)(CUcontext *context, CUgreenCtx from);
typedef PFN_cuCtxFromGreenCtx PFN_cuCtxFromGreenCtx_v12040;
typedef CUresult (*PFN_cuGreenCtxGetDevResource)(CUgreenCtx context, CUdevResource *resource,
                                                 CUdevResourceType type);
typedef PFN_cuGreenCtxGetDevResource PFN_cuGreenCtxGetDevResource_v12040;
typedef CUresult (*PFN_cuGreenCtxRecordEvent)(CUgreenCtx context, CUevent event);
typedef PFN_cuGreenCtxRecordEvent PFN_cuGreenCtxRecordEvent_v12040;
typedef CUresult (*PFN_cuGreenCtxWaitEvent)(CUgreenCtx context, CUevent event);
typedef PFN_cuGreenCtxWaitEvent PFN_cuGreenCtxWaitEvent_v12040;
typedef CUresult (*PFN_cuGreenCtxStreamCreate)(CUstream *stream, CUgreenCtx context,
                                               unsigned int flags, int priority);
typedef PFN_cuGreenCtxStreamCreate PFN_cuGreenCtxStreamCreate_v12050;
typedef CUresult (*PFN_cuStreamGetGreenCtx)(CUstream stream, CUgreenCtx *context);
typedef PFN_cuStreamGetGreenCtx PFN_cuStreamGetGreenCtx_v12040;
typedef CUresult (*PFN_cuPointerSetAttribute)(const void *value, CUpointer_attribute attribute,
                                              CUdeviceptr p);
typedef PFN_cuPointerSetAttribute PFN_cuPointerSetAttribute_v6000;
typedef CUresult (*PFN_cuMemPoolSetAccess)(CUmemoryPool pool, const CUmemAccessDesc *list,
                                           size_t count);
typedef PFN_cuMemPoolSetAccess PFN_cuMemPoolSetAccess_v11020;
typedef CUresult (*PFN_cuMemPoolGetAccess)(CUmemAccess_flags *flags, CUmemoryPool pool,
                                           CUmemLocation *location);
typedef PFN_cuMemPoolGetAccess PFN_cuMemPoolGetAccess_v11020;
typedef CUresult (*PFN_cuMemcpy3DPeer)(const CUDA_MEMCPY3D_PEER *p);
typedef PFN_cuMemcpy3DPeer PFN_cuMemcpy3DPeer_v4000;
typedef CUresult (*PFN_cuMemcpy3DPeerAsync)(const CUDA_MEMCPY3D_PEER *p, CUstream stream);
typedef PFN_cuMemcpy3DPeerAsync PFN_cuMemcpy3DPeerAsync_v4000;
typedef CUresult (*PFN_cuMemcpyBatchAsync)(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes,
                                           size_t count, CUmemcpyAttributes *attributes,
                                           size_t *indices, size_t nattributes, size_t *failed,
                                           CUstream stream);
typedef PFN_cuMemcpyBatchAsync PFN_cuMemcpyBatchAsync_v12080;
typedef CUresult (*PFN_cuMemcpy3DBatchAsync)(size_t count, CUDA_MEMCPY3D_BATCH_OP *list,
                                             size_t *failed, unsigned long long flags,
                                             CUstream stream);
typedef PFN_cuMemcpy3DBatchAsync PFN_cuMemcpy3DBatchAsync_v12080;
typedef CUresult (*PFN_cuArrayGetPlane)(CUarray *plane, CUarray array, unsigned int index);
typedef PFN_cuArrayGetPlane PFN_cuArrayGetPlane_v11020;
typedef CUresult (*PFN_cuArrayGetSparseProperties)(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
                                                   CUarray array);
typedef PFN_cuArrayGetSparseProperties PFN_cuArrayGetSparseProperties_v11010;
typedef CUresult (*PFN_cuArrayGetMemoryRequirements)(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                                                     CUarray array, CUdevice device);
typedef PFN_cuArrayGetMemoryRequirements PFN_cuArrayGetMemoryRequirements_v11060;
typedef CUresult (*PFN_cuMipmappedArrayGetSparseProperties)(
    CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUmipmappedArray mipmap);
typedef PFN_cuMipmappedArrayGetSparseProperties PFN_cuMipmappedArrayGetSparseProperties_v11010;
typedef CUresult (*PFN_cuMipmappedArrayGetMemoryRequirements)(
    CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUmipmappedArray mipmap, CUdevice device);
typedef PFN_cuMipmappedArrayGetMemoryRequirements PFN_cuMipmappedArrayGetMemoryRequirements_v11060;
typedef CUresult (*PFN_cuDeviceGetTexture1DLinearMaxWidth)(size_t *width, CUarray_format format,
                                                           unsigned int nchannels, CUdevice device);
typedef PFN_cuDeviceGetTexture1DLinearMaxWidth PFN_cuDeviceGetTexture1DLinearMaxWidth_v11010;
typedef CUresult (*PFN_cuTexObjectGetResourceViewDesc)(CUDA_RESOURCE_VIEW_DESC *view,
                                                       CUtexObject object);
typedef PFN_cuTexObjectGetResourceViewDesc PFN_cuTexObjectGetResourceViewDesc_v5000;
typedef CUresult (*PFN_cuStreamCopyAttributes)(CUstream to, CUstream from);
typedef PFN_cuStreamCopyAttributes PFN_cuStreamCopyAttributes_v11000;
typedef CUresult (*PFN_cuStreamGetAttribute)(CUstream stream, CUstreamAttrID attribute,
                                             CUstreamAttrValue *value);
typedef PFN_cuStreamGetAttribute PFN_cuStreamGetAttribute_v11000;
typedef CUresult (*PFN_cuStreamSetAttribute)(CUstream stream, CUstreamAttrID attribute,
                                             const CUstreamAttrValue *value);
typedef PFN_cuStreamSetAttribute PFN_cuStreamSetAttribute_v11000;
typedef CUresult (*PFN_cuGraphMemcpyNodeGetParams)(CUgraphNode node, CUDA_MEMCPY3D *params);
typedef PFN_cuGraphMemcpyNodeGetParams PFN_cuGraphMemcpyNodeGetParams_v10000;
typedef CUresult (*PFN_cuGraphMemcpyNodeSetParams)(CUgraphNode node, const CUDA_MEMCPY3D *params);
typedef PFN_cuGraphMemcpyNodeSetParams PFN_cuGraphMemcpyNodeSetParams_v10000;
typedef CUresult (*PFN_cuGraphExecMemcpyNodeSetParams)(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_MEMCPY3D *params,
                                                       CUcontext context);
typedef PFN_cuGraphExecMemcpyNodeSetParams PFN_cuGraphExecMemcpyNodeSetParams_v10020;
typedef CUresult (*PFN_cuGraphMemsetNodeGetParams)(CUgraphNode node,
                                                   CUDA_MEMSET_NODE_PARAMS *params);
typedef PFN_cuGraphMemsetNodeGetParams PFN_cuGraphMemsetNodeGetParams_v10000;
typedef CUresult (*PFN_cuGraphAddMemAllocNode)(CUgraphNode *node, CUgraph graph,
                                               const CUgraphNode *after, size_t nafter,
                                               CUDA_MEM_ALLOC_NODE_PARAMS *params);
typedef PFN_cuGraphAddMemAllocNode PFN_cuGraphAddMemAllocNode_v11040;
typedef CUresult (*PFN_cuGraphMemAllocNodeGetParams)(CUgraphNode node,
                                                     CUDA_MEM_ALLOC_NODE_PARAMS *params);
typedef PFN_cuGraphMemAllocNodeGetParams PFN_cuGraphMemAllocNodeGetParams_v11040;
typedef CUresult (*PFN_cuGraphMemFreeNodeGetParams)(CUgraphNode node, CUdeviceptr *p);
typedef PFN_cuGraphMemFreeNodeGetParams PFN_cuGraphMemFreeNodeGetParams_v11040;
typedef CUresult (*PFN_cuDeviceGraphMemTrim)(CUdevice device);
typedef PFN_cuDeviceGraphMemTrim PFN_cuDeviceGraphMemTrim_v11040;
typedef CUresult (*PFN_cuDeviceGetGraphMemAttribute)(CUdevice device,
                                                     CUgraphMem_attribute attribute, void *value);
typedef PFN_cuDeviceGetGraphMemAttribute PFN_cuDeviceGetGraphMemAttribute_v11040;
typedef CUresult (*PFN_cuDeviceSetGraphMemAttribute)(CUdevice device,
                                                     CUgraphMem_attribute attribute, void *value);
typedef PFN_cuDeviceSetGraphMemAttribute PFN_cuDeviceSetGraphMemAttribute_v11040;
typedef CUresult (*PFN_cuUserObjectCreate)(CUuserObject *object, void *p, CUhostFn destroy,
                                           unsigned int count, unsigned int flags);
typedef PFN_cuUserObjectCreate PFN_cuUserObjectCreate_v11030;
typedef CUresult (*PFN_cuUserObjectRetain)(CUuserObject object, unsigned int count);
typedef PFN_cuUserObjectRetain PFN_cuUserObjectRetain_v11030;
typedef CUresult (*PFN_cuUserObjectRelease)(CUuserObject object, unsigned int count);
typedef PFN_cuUserObjectRelease PFN_cuUserObjectRelease_v11030;
typedef CUresult (*PFN_cuGraphRetainUserObject)(CUgraph graph, CUuserObject object,
                                                unsigned int count, unsigned int flags);
typedef PFN_cuGraphRetainUserObject PFN_cuGraphRetainUserObject_v11030;
typedef CUresult (*PFN_cuGraphReleaseUserObject)(CUgraph graph, CUuserObject object,
                                                 unsigned int count);
typedef PFN_cuGraphReleaseUserObject PFN_cuGraphReleaseUserObject_v11030;
typedef CUresult (*PFN_cuGraphInstantiateWithParams)(CUgraphExec *exec, CUgraph graph,
                                                     CUDA_GRAPH_INSTANTIATE_PARAMS *params);
typedef PFN_cuGraphInstantiateWithParams PFN_cuGraphInstantiateWithParams_v12000;
typedef CUresult (*PFN_cuGraphExecGetFlags)(CUgraphExec exec, cuuint64_t *flags);
typedef PFN_cuGraphExecGetFlags PFN_cuGraphExecGetFlags_v12000;
typedef CUresult (*PFN_cuGraphConditionalHandleCreate)(CUgraphConditionalHandle *handle,
                                                       CUgraph graph, CUcontext context,
                                                       unsigned int first, unsigned int flags);
typedef PFN_cuGraphConditionalHandleCreate PFN_cuGraphConditionalHandleCreate_v12030;
typedef CUresult (*PFN_cuGraphAddNode)(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                       size_t nafter, CUgraphNodeParams *params);
typedef PFN_cuGraphAddNode PFN_cuGraphAddNode_v12030;
typedef CUresult (*PFN_cuGraphNodeSetParams)(CUgraphNode node, CUgraphNodeParams *params);
typedef PFN_cuGraphNodeSetParams PFN_cuGraphNodeSetParams_v12020;
typedef CUresult (*PFN_cuGraphExecNodeSetParams)(CUgraphExec exec, CUgraphNode node,
                                                 CUgraphNodeParams *params);
typedef PFN_cuGraphExecNodeSetParams PFN_cuGraphExecNodeSetParams_v12020;
typedef CUresult (*PFN_cuGraphKernelNodeSetAttribute)(CUgraphNode node,
                                                      CUkernelNodeAttrID attribute,
                                                      const CUkernelNodeAttrValue *value);
typedef PFN_cuGraphKernelNodeSetAttribute PFN_cuGraphKernelNodeSetAttribute_v11000;
typedef CUresult (*PFN_cuGraphKernelNodeGetAttribute)(CUgraphNode node,
                                                      CUkernelNodeAttrID attribute,
                                                      CUkernelNodeAttrValue *value);
typedef PFN_cuGraphKernelNodeGetAttribute PFN_cuGraphKernelNodeGetAttribute_v11000;
typedef CUresult (*PFN_cuGraphKernelNodeCopyAttributes)(CUgraphNode to, CUgraphNode from);
typedef PFN_cuGraphKernelNodeCopyAttributes PFN_cuGraphKernelNodeCopyAttributes_v11000;
typedef CUresult (*PFN_cuGraphGetEdges_v2)(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                           CUgraphEdgeData *edges, size_t *count);
typedef CUresult (*PFN_cuGraphNodeGetDependencies_v2)(CUgraphNode node, CUgraphNode *nodes,
                                                      CUgraphEdgeData *edges, size_t *count);
typedef CUresult (*PFN_cuGraphNodeGetDependentNodes_v2)(CUgraphNode node, CUgraphNode *nodes,
                                                        CUgraphEdgeData *edges, size_t *count);
typedef CUresult (*PFN_cuGraphAddDependencies_v2)(CUgraph graph, const CUgraphNode *from,
                                                  const CUgraphNode *to,
                                                  const CUgraphEdgeData *edges, size_t count);
typedef CUresult (*PFN_cuGraphRemoveDependencies_v2)(CUgraph graph, const CUgraphNode *from,
                                                     const CUgraphNode *to,
                                                     const CUgraphEdgeData *edges, size_t count);
typedef CUresult (*PFN_cuGraphAddNode_v2)(CUgraphNode *node, CUgraph graph,
                                          const CUgraphNode *after, const CUgraphEdgeData *edges,
                                          size_t nafter, CUgraphNodeParams *params);
typedef CUresult (*PFN_cuStreamBeginCaptureToGraph)(CUstream stream, CUgraph graph,
                                                    const CUgraphNode *after,
                                                    const CUgraphEdgeData *edges, size_t nafter,
                                                    CUstreamCaptureMode mode);
typedef PFN_cuStreamBeginCaptureToGraph PFN_cuStreamBeginCaptureToGraph_v12030;
typedef CUresult (*PFN_cuStreamGetCaptureInfo_v3)(CUstream stream, CUstreamCaptureStatus *status,
                                                  cuuint64_t *id, CUgraph *graph,
                                                  const CUgraphNode **after,
                                                  const CUgraphEdgeData **edges, size_t *nafter);
typedef CUresult (*PFN_cuStreamUpdateCaptureDependencies_v2)(CUstream stream, CUgraphNode *after,
                                                             const CUgraphEdgeData *edges,
                                                             size_t nafter, unsigned int flags);
typedef CUresult (*PFN_cuStreamBatchMemOp)(CUstream stream, unsigned int count,
                                           CUstreamBatchMemOpParams *list, unsigned int flags);
typedef PFN_cuStreamBatchMemOp PFN_cuStreamBatchMemOp_v11070;
typedef CUresult (*PFN_cuGraphAddBatchMemOpNode)(CUgraphNode *node, CUgraph graph,
                                                 const CUgraphNode *after, size_t nafter,
                                                 const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
typedef PFN_cuGraphAddBatchMemOpNode PFN_cuGraphAddBatchMemOpNode_v11070;
typedef CUresult (*PFN_cuGraphBatchMemOpNodeGetParams)(CUgraphNode node,
                                                       CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
typedef PFN_cuGraphBatchMemOpNodeGetParams PFN_cuGraphBatchMemOpNodeGetParams_v11070;
typedef CUresult (*PFN_cuGraphBatchMemOpNodeSetParams)(CUgraphNode node,
                                                       const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
typedef PFN_cuGraphBatchMemOpNodeSetParams PFN_cuGraphBatchMemOpNodeSetParams_v11070;
typedef CUresult (*PFN_cuGraphExecBatchMemOpNodeSetParams)(
    CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
typedef PFN_cuGraphExecBatchMemOpNodeSetParams PFN_cuGraphExecBatchMemOpNodeSetParams_v11070;
typedef CUresult (*PFN_cuFuncSetBlockShape)(CUfunction f, int x, int y, int z);
typedef PFN_cuFuncSetBlockShape PFN_cuFuncSetBlockShape_v2000;
typedef CUresult (*PFN_cuFuncSetSharedSize)(CUfunction f, unsigned int bytes);
typedef PFN_cuFuncSetSharedSize PFN_cuFuncSetSharedSize_v2000;
typedef CUresult (*PFN_cuParamSetSize)(CUfunction f, unsigned int bytes);
typedef PFN_cuParamSetSize PFN_cuParamSetSize_v2000;
typedef CUresult (*PFN_cuParamSetv)(CUfunction f, int offset, void *p, unsigned int bytes);
typedef PFN_cuParamSetv PFN_cuParamSetv_v2000;
typedef CUresult (*PFN_cuParamSeti)(CUfunction f, int offset, unsigned int value);
typedef PFN_cuParamSeti PFN_cuParamSeti_v2000;
typedef CUresult (*PFN_cuParamSetf)(CUfunction f, int offset, float value);
typedef PFN_cuParamSetf PFN_cuParamSetf_v2000;
typedef CUresult (*PFN_cuLaunchGridAsync)(CUfunction f, int width, int height, CUstream stream);
typedef PFN_cuLaunchGridAsync PFN_cuLaunchGridAsync_v2000;
typedef CUresult (*PFN_cuLaunchGrid)(CUfunction f, int width, int height);
typedef PFN_cuLaunchGrid PFN_cuLaunchGrid_v2000;
typedef CUresult (*PFN_cuLaunch)(CUfunction f);
typedef PFN_cuLaunch PFN_cuLaunch_v2000;
typedef CUresult (*PFN_cuCtxAttach)(CUcontext *context, unsigned int flags);
typedef PFN_cuCtxAttach PFN_cuCtxAttach_v2000;
typedef CUresult (*PFN_cuCtxDetach)(CUcontext context);
typedef PFN_cuCtxDetach PFN_cuCtxDetach_v2000;
typedef CUresult (*PFN_cuModuleGetTexRef)(CUtexref *reference, CUmodule module, const char *name);
typedef PFN_cuModuleGetTexRef PFN_cuModuleGetTexRef_v2000;
typedef CUresult (*PFN_cuTexRefCreate)(CUtexref *reference);
typedef PFN_cuTexRefCreate PFN_cuTexRefCreate_v2000;
typedef CUresult (*PFN_cuTexRefDestroy)(CUtexref reference);
typedef PFN_cuTexRefDestroy PFN_cuTexRefDestroy_v2000;
typedef CUresult (*PFN_cuTexRefSetArray)(CUtexref r, CUarray array, unsigned int flags);
typedef PFN_cuTexRefSetArray PFN_cuTexRefSetArray_v2000;
typedef CUresult (*PFN_cuTexRefSetMipmappedArray)(CUtexref r, CUmipmappedArray mipmap,
                                                  unsigned int flags);
typedef PFN_cuTexRefSetMipmappedArray PFN_cuTexRefSetMipmappedArray_v5000;
typedef CUresult (*PFN_cuTexRefSetAddress)(size_t *offset, CUtexref r, CUdeviceptr p, size_t bytes);
typedef PFN_cuTexRefSetAddress PFN_cuTexRefSetAddress_v3020;
typedef CUresult (*PFN_cuTexRefSetAddress2D)(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *desc,
                                             CUdeviceptr p, size_t pitch);
typedef PFN_cuTexRefSetAddress2D PFN_cuTexRefSetAddress2D_v4010;
typedef CUresult (*PFN_cuTexRefSetFormat)(CUtexref r, CUarray_format format, int channels);
typedef PFN_cuTexRefSetFormat PFN_cuTexRefSetFormat_v2000;
typedef CUresult (*PFN_cuTexRefSetAddressMode)(CUtexref r, int dim, CUaddress_mode mode);
typedef PFN_cuTexRefSetAddressMode PFN_cuTexRefSetAddressMode_v2000;
typedef CUresult (*PFN_cuTexRefSetMipmapLevelClamp)(CUtexref r, float least, float most);
typedef PFN_cuTexRefSetMipmapLevelClamp PFN_cuTexRefSetMipmapLevelClamp_v5000;
typedef CUresult (*PFN_cuTexRefSetMaxAnisotropy)(CUtexref r, unsigned int most);
typedef PFN_cuTexRefSetMaxAnisotropy PFN_cuTexRefSetMaxAnisotropy_v5000;
typedef CUresult (*PFN_cuTexRefSetBorderColor)(CUtexref r, float *color);
typedef PFN_cuTexRefSetBorderColor PFN_cuTexRefSetBorderColor_v8000;
typedef CUresult (*PFN_cuTexRefGetAddress)(CUdeviceptr *p, CUtexref r);
typedef PFN_cuTexRefGetAddress PFN_cuTexRefGetAddress_v3020;
typedef CUresult (*PFN_cuTexRefGetArray)(CUarray *array, CUtexref r);
typedef PFN_cuTexRefGetArray PFN_cuTexRefGetArray_v2000;
typedef CUresult (*PFN_cuTexRefGetMipmappedArray)(CUmipmappedArray *mipmap, CUtexref r);
typedef PFN_cuTexRefGetMipmappedArray PFN_cuTexRefGetMipmappedArray_v5000;
typedef CUresult (*PFN_cuTexRefGetAddressMode)(CUaddress_mode *mode, CUtexref r, int dim);
typedef PFN_cuTexRefGetAddressMode PFN_cuTexRefGetAddressMode_v2000;
typedef CUresult (*PFN_cuTexRefGetFormat)(CUarray_format *format, int *channels, CUtexref r);
typedef PFN_cuTexRefGetFormat PFN_cuTexRefGetFormat_v2000;
typedef CUresult (*PFN_cuTexRefGetMipmapLevelClamp)(float *least, float *most, CUtexref r);
typedef PFN_cuTexRefGetMipmapLevelClamp PFN_cuTexRefGetMipmapLevelClamp_v5000;
typedef CUresult (*PFN_cuTexRefGetMaxAnisotropy)(int *most, CUtexref r);
typedef PFN_cuTexRefGetMaxAnisotropy PFN_cuTexRefGetMaxAnisotropy_v5000;
typedef CUresult (*PFN_cuTexRefGetBorderColor)(float *color, CUtexref r);
typedef PFN_cuTexRefGetBorderColor PFN_cuTexRefGetBorderColor_v8000;
typedef CUresult (*PFN_cuParamSetTexRef)(CUfunction f, int unit, CUtexref r);
typedef PFN_cuParamSetTexRef PFN_cuParamSetTexRef_v2000;
typedef CUresult (*PFN_cuModuleGetSurfRef)(CUsurfref *reference, CUmodule module, const char *name);
typedef PFN_cuModuleGetSurfRef PFN_cuModuleGetSurfRef_v3000;
typedef CUresult (*PFN_cuSurfRefSetArray)(CUsurfref reference, CUarray array, unsigned int flags);
typedef PFN_cuSurfRefSetArray PFN_cuSurfRefSetArray_v3000;
typedef CUresult (*PFN_cuSurfRefGetArray)(CUarray *array, CUsurfref reference);
typedef PFN_cuSurfRefGetArray PFN_cuSurfRefGetArray_v3000;
typedef CUresult (*PFN_cuTexRefSetFilterMode)(CUtexref r, CUfilter_mode value);
typedef PFN_cuTexRefSetFilterMode PFN_cuTexRefSetFilterMode_v2000;
typedef CUresult (*PFN_cuTexRefGetFilterMode)(CUfilter_mode *value, CUtexref r);
typedef PFN_cuTexRefGetFilterMode PFN_cuTexRefGetFilterMode_v2000;
typedef CUresult (*PFN_cuTexRefSetMipmapFilterMode)(CUtexref r, CUfilter_mode value);
typedef PFN_cuTexRefSetMipmapFilterMode PFN_cuTexRefSetMipmapFilterMode_v5000;
typedef CUresult (*PFN_cuTexRefGetMipmapFilterMode)(CUfilter_mode *value, CUtexref r);
typedef PFN_cuTexRefGetMipmapFilterMode PFN_cuTexRefGetMipmapFilterMode_v5000;
typedef CUresult (*PFN_cuTexRefSetMipmapLevelBias)(CUtexref r, float value);
typedef PFN_cuTexRefSetMipmapLevelBias PFN_cuTexRefSetMipmapLevelBias_v5000;
typedef CUresult (*PFN_cuTexRefGetMipmapLevelBias)(float *value, CUtexref r);
typedef PFN_cuTexRefGetMipmapLevelBias PFN_cuTexRefGetMipmapLevelBias_v5000;
typedef CUresult (*PFN_cuTexRefSetFlags)(CUtexref r, unsigned int value);
typedef PFN_cuTexRefSetFlags PFN_cuTexRefSetFlags_v2000;
typedef CUresult (*PFN_cuTexRefGetFlags)(unsigned int *value, CUtexref r);
typedef PFN_cuTexRefGetFlags PFN_cuTexRefGetFlags_v2000;
typedef CUresult (*PFN_cuImportExternalMemory)(CUexternalMemory *memory,
                                               const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc);
typedef PFN_cuImportExternalMemory PFN_cuImportExternalMemory_v10000;
typedef CUresult (*PFN_cuExternalMemoryGetMappedBuffer)(
    CUdeviceptr *p, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc);
typedef PFN_cuExternalMemoryGetMappedBuffer PFN_cuExternalMemoryGetMappedBuffer_v10000;
typedef CUresult (*PFN_cuExternalMemoryGetMappedMipmappedArray)(
    CUmipmappedArray *mipmap, CUexternalMemory memory,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc);
typedef PFN_cuExternalMemoryGetMappedMipmappedArray
    PFN_cuExternalMemoryGetMappedMipmappedArray_v10000;
typedef CUresult (*PFN_cuDestroyExternalMemory)(CUexternalMemory memory);
typedef PFN_cuDestroyExternalMemory PFN_cuDestroyExternalMemory_v10000;
typedef CUresult (*PFN_cuImportExternalSemaphore)(CUexternalSemaphore *semaphore,
                                                  const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc);
typedef PFN_cuImportExternalSemaphore PFN_cuImportExternalSemaphore_v10000;
typedef CUresult (*PFN_cuSignalExternalSemaphoresAsync)(
    const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
    unsigned int count, CUstream stream);
typedef PFN_cuSignalExternalSemaphoresAsync PFN_cuSignalExternalSemaphoresAsync_v10000;
typedef CUresult (*PFN_cuWaitExternalSemaphoresAsync)(
    const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
    unsigned int count, CUstream stream);
typedef PFN_cuWaitExternalSemaphoresAsync PFN_cuWaitExternalSemaphoresAsync_v10000;
typedef CUresult (*PFN_cuDestroyExternalSemaphore)(CUexternalSemaphore semaphore);
typedef PFN_cuDestroyExternalSemaphore PFN_cuDestroyExternalSemaphore_v10000;
typedef CUresult (*PFN_cuGraphAddExternalSemaphoresSignalNode)(
    CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t nafter,
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
typedef PFN_cuGraphAddExternalSemaphoresSignalNode
    PFN_cuGraphAddExternalSemaphoresSignalNode_v11020;
typedef CUresult (*PFN_cuGraphAddExternalSemaphoresWaitNode)(
    CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t nafter,
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
typedef PFN_cuGraphAddExternalSemaphoresWaitNode PFN_cuGraphAddExternalSemaphoresWaitNode_v11020;
typedef CUresult (*PFN_cuGraphExternalSemaphoresSignalNodeGetParams)(
    CUgraphNode node, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
typedef PFN_cuGraphExternalSemaphoresSignalNodeGetParams
    PFN_cuGraphExternalSemaphoresSignalNodeGetParams_v11020;
typedef CUresult (*PFN_cuGraphExternalSemaphoresSignalNodeSetParams)(
    CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
typedef PFN_cuGraphExternalSemaphoresSignalNodeSetParams
    PFN_cuGraphExternalSemaphoresSignalNodeSetParams_v11020;
typedef CUresult (*PFN_cuGraphExternalSemaphoresWaitNodeGetParams)(
    CUgraphNode node, CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
typedef PFN_cuGraphExternalSemaphoresWaitNodeGetParams
    PFN_cuGraphExternalSemaphoresWaitNodeGetParams_v11020;
typedef CUresult (*PFN_cuGraphExternalSemaphoresWaitNodeSetParams)(
    CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
typedef PFN_cuGraphExternalSemaphoresWaitNodeSetParams
    PFN_cuGraphExternalSemaphoresWaitNodeSetParams_v11020;
typedef CUresult (*PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams)(
    CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params);
typedef PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams
    PFN_cuGraphExecExternalSemaphoresSignalNodeSetParams_v11020;
typedef CUresult (*PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams)(
    CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params);
typedef PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams
    PFN_cuGraphExecExternalSemaphoresWaitNodeSetParams_v11020;
typedef CUresult (*PFN_cuGraphicsUnregisterResource)(CUgraphicsResource resource);
typedef PFN_cuGraphicsUnregisterResource PFN_cuGraphicsUnregisterResource_v3000;
typedef CUresult (*PFN_cuGraphicsSubResourceGetMappedArray)(CUarray *array,
                                                            CUgraphicsResource resource,
                                                            unsigned int index, unsigned int level);
typedef PFN_cuGraphicsSubResourceGetMappedArray PFN_cuGraphicsSubResourceGetMappedArray_v3000;
typedef CUresult (*PFN_cuGraphicsResourceGetMappedMipmappedArray)(CUmipmappedArray *mipmap,
                                                                  CUgraphicsResource resource);
typedef PFN_cuGraphicsResourceGetMappedMipmappedArray
    PFN_cuGraphicsResourceGetMappedMipmappedArray_v5000;
typedef CUresult (*PFN_cuGraphicsResourceGetMappedPointer)(CUdeviceptr *p, size_t *size,
                                                           CUgraphicsResource resource);
typedef PFN_cuGraphicsResourceGetMappedPointer PFN_cuGraphicsResourceGetMappedPointer_v3020;
typedef CUresult (*PFN_cuGraphicsResourceSetMapFlags)(CUgraphicsResource resource,
                                                      unsigned int flags);
typedef PFN_cuGraphicsResourceSetMapFlags PFN_cuGraphicsResourceSetMapFlags_v6050;
typedef CUresult (*PFN_cuGraphicsMapResources)(unsigned int count, CUgraphicsResource *resources,
                                               CUstream stream);
typedef PFN_cuGraphicsMapResources PFN_cuGraphicsMapResources_v3000;
typedef CUresult (*PFN_cuGraphicsUnmapResources)(unsigned int count, CUgraphicsResource *resources,
                                                 CUstream stream);
typedef PFN_cuGraphicsUnmapResources PFN_cuGraphicsUnmapResources_v3000;
typedef CUresult (*PFN_cuDeviceGetNvSciSyncAttributes)(void *attributes, CUdevice device,
                                                       int flags);
typedef PFN_cuDeviceGetNvSciSyncAttributes PFN_cuDeviceGetNvSciSyncAttributes_v10020;
typedef CUresult (*PFN_cuDeviceGetLuid)(char *luid, unsigned int *mask, CUdevice device);
typedef PFN_cuDeviceGetLuid PFN_cuDeviceGetLuid_v10000;
typedef CUresult (*PFN_cuFlushGPUDirectRDMAWrites)(CUflushGPUDirectRDMAWritesTarget target,
                                                   CUflushGPUDirectRDMAWritesScope scope);
typedef PFN_cuFlushGPUDirectRDMAWrites PFN_cuFlushGPUDirectRDMAWrites_v11030;
typedef CUresult (*PFN_cuMemGetHandleForAddressRange)(void *handle, CUdeviceptr p, size_t size,
                                                      CUmemRangeHandleType type,
                                                      unsigned long long flags);
typedef PFN_cuMemGetHandleForAddressRange PFN_cuMemGetHandleForAddressRange_v11070;
typedef CUresult (*PFN_cuMulticastCreate)(CUmemGenericAllocationHandle *handle,
                                          const CUmulticastObjectProp *prop);
typedef PFN_cuMulticastCreate PFN_cuMulticastCreate_v12010;
typedef CUresult (*PFN_cuMulticastAddDevice)(CUmemGenericAllocationHandle handle, CUdevice device);
typedef PFN_cuMulticastAddDevice PFN_cuMulticastAddDevice_v12010;
typedef CUresult (*PFN_cuMulticastBindMem)(CUmemGenericAllocationHandle handle, size_t offset,
                                           CUmemGenericAllocationHandle memory,
                                           size_t memory_offset, size_t size,
                                           unsigned long long flags);
typedef PFN_cuMulticastBindMem PFN_cuMulticastBindMem_v12010;
typedef CUresult (*PFN_cuMulticastBindAddr)(CUmemGenericAllocationHandle handle, size_t offset,
                                            CUdeviceptr p, size_t size, unsigned long long flags);
typedef PFN_cuMulticastBindAddr PFN_cuMulticastBindAddr_v12010;
typedef CUresult (*PFN_cuMulticastUnbind)(CUmemGenericAllocationHandle handle, CUdevice device,
                                          size_t offset, size_t size);
typedef PFN_cuMulticastUnbind PFN_cuMulticastUnbind_v12010;
typedef CUresult (*PFN_cuMulticastGetGranularity)(size_t *granularity,
                                                  const CUmulticastObjectProp *prop,
                                                  CUmulticastGranularity_flags option);
typedef PFN_cuMulticastGetGranularity PFN_cuMulticastGetGranularity_v12010;
typedef CUresult (*PFN_cuLaunchCooperativeKernelMultiDevice)(CUDA_LAUNCH_PARAMS *list,
                                                             unsigned int count,
                                                             unsigned int flags);
typedef PFN_cuLaunchCooperativeKernelMultiDevice PFN_cuLaunchCooperativeKernelMultiDevice_v9000;
typedef CUresult (*PFN_cuCoredumpGetAttribute)(CUcoredumpSettings attribute, void *value,
                                               size_t *size);
typedef PFN_cuCoredumpGetAttribute PFN_cuCoredumpGetAttribute_v12010;
typedef CUresult (*PFN_cuCoredumpSetAttribute)(CUcoredumpSettings attribute, void *value,
                                               size_t *size);
typedef PFN_cuCoredumpSetAttribute PFN_cuCoredumpSetAttribute_v12010;
typedef CUresult (*PFN_cuCoredumpGetAttributeGlobal)(CUcoredumpSettings attribute, void *value,
                                                     size_t *size);
typedef PFN_cuCoredumpGetAttributeGlobal PFN_cuCoredumpGetAttributeGlobal_v12010;
typedef CUresult (*PFN_cuCoredumpSetAttributeGlobal)(CUcoredumpSettings attribute, void *value,
                                                     size_t *size);
typedef PFN_cuCoredumpSetAttributeGlobal PFN_cuCoredumpSetAttributeGlobal_v12010;
typedef CUresult (*PFN_cuDeviceRegisterAsyncNotification)(CUdevice device, CUasyncCallback fn,
                                                          void *data,
                                                          CUasyncCallbackHandle *callback);
typedef PFN_cuDeviceRegisterAsyncNotification PFN_cuDeviceRegisterAsyncNotification_v12040;
typedef CUresult (*PFN_cuDeviceUnregisterAsyncNotification)(CUdevice device,
                                                            CUasyncCallbackHandle callback);
typedef PFN_cuDeviceUnregisterAsyncNotification PFN_cuDeviceUnregisterAsyncNotification_v12040;
typedef CUresult (*PFN_cuMemMapArrayAsync)(CUarrayMapInfo *list, unsigned int count,
                                           CUstream stream);
typedef PFN_cuMemMapArrayAsync PFN_cuMemMapArrayAsync_v11010;
typedef CUresult (*PFN_cuMemPoolExportToShareableHandle)(void *handle, CUmemoryPool pool,
                                                         CUmemAllocationHandleType type,
                                                         unsigned long long flags);
typedef PFN_cuMemPoolExportToShareableHandle PFN_cuMemPoolExportToShareableHandle_v11020;
typedef CUresult (*PFN_cuMemPoolImportFromShareableHandle)(CUmemoryPool *pool, void *handle,
                                                           CUmemAllocationHandleType type,
                                                           unsigned long long flags);
typedef PFN_cuMemPoolImportFromShareableHandle PFN_cuMemPoolImportFromShareableHandle_v11020;
typedef CUresult (*PFN_cuMemPoolExportPointer)(CUmemPoolPtrExportData *data, CUdeviceptr p);
typedef PFN_cuMemPoolExportPointer PFN_cuMemPoolExportPointer_v11020;
typedef CUresult (*PFN_cuMemPoolImportPointer)(CUdeviceptr *p, CUmemoryPool pool,
                                               CUmemPoolPtrExportData *data);
typedef PFN_cuMemPoolImportPointer PFN_cuMemPoolImportPointer_v11020;
typedef CUresult (*PFN_cuMemcpyBatchAsync_v2)(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes,
                                              size_t count, CUmemcpyAttributes *attributes,
                                              size_t *indices, size_t nattributes, CUstream stream);
typedef CUresult (*PFN_cuMemcpy3DBatchAsync_v2)(size_t count, CUDA_MEMCPY3D_BATCH_OP *list,
                                                unsigned long long flags, CUstream stream);
/* Asked for by name only: cuGetProcAddress says whether there are such functions. */
typedef CUresult (*PFN_cuTensorMapEncodeTiled)(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000;
typedef CUresult (*PFN_cuTensorMapEncodeIm2col)(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *dims, const cuuint64_t *strides, const int *lower, const int *upper,
    cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeIm2col PFN_cuTensorMapEncodeIm2col_v12000;
#ifdef __cplusplus
}
#endif
#endif
