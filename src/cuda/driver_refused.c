/* Functions of the driver API that say that they are not supported: what they are for, no device
 * does. */
#include "cuda/driver_int.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define REFUSE(name, parameters)                                                                   \
    CUresult name parameters                                                                       \
    {                                                                                              \
        return CUDA_ERROR_NOT_SUPPORTED;                                                           \
    }
/* between processes */
REFUSE(cuIpcGetEventHandle, (CUipcEventHandle * handle, CUevent event))
REFUSE(cuIpcOpenEventHandle, (CUevent * event, CUipcEventHandle handle))
REFUSE(cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr p))
REFUSE(cuIpcOpenMemHandle, (CUdeviceptr * p, CUipcMemHandle handle, unsigned int flags))
REFUSE(cuIpcCloseMemHandle, (CUdeviceptr p))
/* memory and semaphores of other APIs */
REFUSE(cuImportExternalMemory,
       (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc))
REFUSE(cuExternalMemoryGetMappedBuffer,
       (CUdeviceptr * p, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc))
REFUSE(cuExternalMemoryGetMappedMipmappedArray,
       (CUmipmappedArray * mipmap, CUexternalMemory memory,
        const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc))
REFUSE(cuDestroyExternalMemory, (CUexternalMemory memory))
REFUSE(cuImportExternalSemaphore,
       (CUexternalSemaphore * semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc))
REFUSE(cuSignalExternalSemaphoresAsync,
       (const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
        unsigned int count, CUstream stream))
REFUSE(cuWaitExternalSemaphoresAsync,
       (const CUexternalSemaphore *list, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
        unsigned int count, CUstream stream))
REFUSE(cuDestroyExternalSemaphore, (CUexternalSemaphore semaphore))
REFUSE(cuGraphAddExternalSemaphoresSignalNode,
       (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t nafter,
        const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
REFUSE(cuGraphAddExternalSemaphoresWaitNode,
       (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t nafter,
        const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
REFUSE(cuGraphExternalSemaphoresSignalNodeGetParams,
       (CUgraphNode node, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
REFUSE(cuGraphExternalSemaphoresSignalNodeSetParams,
       (CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
REFUSE(cuGraphExternalSemaphoresWaitNodeGetParams,
       (CUgraphNode node, CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
REFUSE(cuGraphExternalSemaphoresWaitNodeSetParams,
       (CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
REFUSE(cuGraphExecExternalSemaphoresSignalNodeSetParams,
       (CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params))
REFUSE(cuGraphExecExternalSemaphoresWaitNodeSetParams,
       (CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params))
REFUSE(cuGraphicsUnregisterResource, (CUgraphicsResource resource))
REFUSE(cuGraphicsSubResourceGetMappedArray,
       (CUarray * array, CUgraphicsResource resource, unsigned int index, unsigned int level))
REFUSE(cuGraphicsResourceGetMappedMipmappedArray,
       (CUmipmappedArray * mipmap, CUgraphicsResource resource))
REFUSE(cuGraphicsResourceGetMappedPointer,
       (CUdeviceptr * p, size_t *size, CUgraphicsResource resource))
REFUSE(cuGraphicsResourceSetMapFlags, (CUgraphicsResource resource, unsigned int flags))
REFUSE(cuGraphicsMapResources, (unsigned int count, CUgraphicsResource *resources, CUstream stream))
REFUSE(cuGraphicsUnmapResources,
       (unsigned int count, CUgraphicsResource *resources, CUstream stream))
REFUSE(cuDeviceGetNvSciSyncAttributes, (void *attributes, CUdevice device, int flags))
REFUSE(cuDeviceGetLuid, (char *luid, unsigned int *mask, CUdevice device))
/* other devices on the bus */
REFUSE(cuFlushGPUDirectRDMAWrites,
       (CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope))
REFUSE(cuMemGetHandleForAddressRange, (void *handle, CUdeviceptr p, size_t size,
                                       CUmemRangeHandleType type, unsigned long long flags))
/* one address, or one kernel, for several devices */
REFUSE(cuMulticastCreate,
       (CUmemGenericAllocationHandle * handle, const CUmulticastObjectProp *prop))
REFUSE(cuMulticastAddDevice, (CUmemGenericAllocationHandle handle, CUdevice device))
REFUSE(cuMulticastBindMem,
       (CUmemGenericAllocationHandle handle, size_t offset, CUmemGenericAllocationHandle memory,
        size_t memory_offset, size_t size, unsigned long long flags))
REFUSE(cuMulticastBindAddr, (CUmemGenericAllocationHandle handle, size_t offset, CUdeviceptr p,
                             size_t size, unsigned long long flags))
REFUSE(cuMulticastUnbind,
       (CUmemGenericAllocationHandle handle, CUdevice device, size_t offset, size_t size))
REFUSE(cuMulticastGetGranularity, (size_t * granularity, const CUmulticastObjectProp *prop,
                                   CUmulticastGranularity_flags option))
REFUSE(cuLaunchCooperativeKernelMultiDevice,
       (CUDA_LAUNCH_PARAMS * list, unsigned int count, unsigned int flags))
/* dumps of a device, and news of its memory */
REFUSE(cuCoredumpGetAttribute, (CUcoredumpSettings attribute, void *value, size_t *size))
REFUSE(cuCoredumpSetAttribute, (CUcoredumpSettings attribute, void *value, size_t *size))
REFUSE(cuCoredumpGetAttributeGlobal, (CUcoredumpSettings attribute, void *value, size_t *size))
REFUSE(cuCoredumpSetAttributeGlobal, (CUcoredumpSettings attribute, void *value, size_t *size))
REFUSE(cuDeviceRegisterAsyncNotification,
       (CUdevice device, CUasyncCallback fn, void *data, CUasyncCallbackHandle *callback))
REFUSE(cuDeviceUnregisterAsyncNotification, (CUdevice device, CUasyncCallbackHandle callback))
/* arrays in parts */
REFUSE(cuMemMapArrayAsync, (CUarrayMapInfo * list, unsigned int count, CUstream stream))
/* between processes */
REFUSE(cuMemPoolExportToShareableHandle,
       (void *handle, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags))
REFUSE(cuMemPoolImportFromShareableHandle,
       (CUmemoryPool * pool, void *handle, CUmemAllocationHandleType type,
        unsigned long long flags))
REFUSE(cuMemPoolExportPointer, (CUmemPoolPtrExportData * data, CUdeviceptr p))
REFUSE(cuMemPoolImportPointer, (CUdeviceptr * p, CUmemoryPool pool, CUmemPoolPtrExportData *data))
