/* Functions of the driver API that say that they are not supported: what they are for, no device
 * does. */
#include "cuda/driver_int.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define REFUSE(name, parameters)                                                                   \
    CUresult name parameters                                                                       \
    {                                                                                              \
        return CUDA_ERROR_NOT_SUPPORTED;                                                           \
    }
/* addresses and memory apart */
REFUSE(cuMemAddressReserve, (CUdeviceptr * p, size_t size, size_t alignment, CUdeviceptr address,
                             unsigned long long flags))
REFUSE(cuMemAddressFree, (CUdeviceptr p, size_t size))
REFUSE(cuMemCreate, (CUmemGenericAllocationHandle * handle, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags))
REFUSE(cuMemRelease, (CUmemGenericAllocationHandle handle))
REFUSE(cuMemMap, (CUdeviceptr p, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags))
REFUSE(cuMemUnmap, (CUdeviceptr p, size_t size))
REFUSE(cuMemSetAccess, (CUdeviceptr p, size_t size, const CUmemAccessDesc *access, size_t count))
REFUSE(cuMemGetAccess, (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p))
REFUSE(cuMemGetAllocationGranularity, (size_t * granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option))
REFUSE(cuMemGetAllocationPropertiesFromHandle,
       (CUmemAllocationProp * prop, CUmemGenericAllocationHandle handle))
REFUSE(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle * handle, void *p))
REFUSE(cuMemExportToShareableHandle, (void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags))
REFUSE(cuMemImportFromShareableHandle,
       (CUmemGenericAllocationHandle * handle, void *shareable, CUmemAllocationHandleType type))
/* between processes */
REFUSE(cuIpcGetEventHandle, (CUipcEventHandle * handle, CUevent event))
REFUSE(cuIpcOpenEventHandle, (CUevent * event, CUipcEventHandle handle))
REFUSE(cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr p))
REFUSE(cuIpcOpenMemHandle, (CUdeviceptr * p, CUipcMemHandle handle, unsigned int flags))
REFUSE(cuIpcCloseMemHandle, (CUdeviceptr p))
/* streams that watch memory */
REFUSE(cuStreamWaitValue32, (CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags))
REFUSE(cuStreamWaitValue64, (CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned int flags))
REFUSE(cuStreamWriteValue32, (CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags))
REFUSE(cuStreamWriteValue64, (CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned int flags))
