/* The part of the runtime API that kernels call when they launch kernels.
 *
 * Children run in the order of their launches once their parent is done, whatever their stream, so
 * that a stream is a name and nothing more. A kernel cannot wait for its children: CUDA 12 took
 * that away. */
#pragma once
#include "cuda_runtime.h"
#ifdef __TERN_DEVICE__
__TERN_FN cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = (cudaStream_t)0x10;
    return cudaSuccess;
}
/* What is recorded and waited for is in the order of the launches anyway. */
__TERN_FN cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = (cudaEvent_t)0x10;
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0)
{
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t = 0, unsigned = 0)
{
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaEventDestroy(cudaEvent_t)
{
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0)
{
    return cudaSuccess;
}
/* The number of this device, its attributes at theirs, how many devices there are: the runtime
 * writes them when it loads a module. Where there is none, as in a page, all are 0. */
__TERN_FN cudaError_t cudaGetDeviceCount(int *count)
{
    *count = ((const int *)__tern_device_facts())[159];
    return *count ? cudaSuccess : cudaErrorNotSupported;
}
__TERN_FN cudaError_t cudaGetDevice(int *device)
{
    *device = ((const int *)__tern_device_facts())[0];
    return ((const int *)__tern_device_facts())[159] ? cudaSuccess : cudaErrorNotSupported;
}
__TERN_FN cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    const int *facts = (const int *)__tern_device_facts();
    if (!facts[159])
        return cudaErrorNotSupported;
    if (device != facts[0]) /* another device's are not known here */
        return cudaErrorInvalidDevice;
    if (attribute < 1 || attribute > 158 || facts[attribute] < 0)
        return cudaErrorInvalidValue;
    *value = facts[attribute];
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
/* Other calls tell what fails themselves, or end the grid: it is a launch that failed. In CUDA
 * every thread has an error of its own; here the module has one. */
__TERN_FN cudaError_t cudaGetLastError()
{
    return (cudaError_t)atomicExch((unsigned *)__tern_launch_error(), 0u);
}
__TERN_FN cudaError_t cudaPeekAtLastError()
{
    return (cudaError_t)atomicAdd((unsigned *)__tern_launch_error(), 0u);
}
__TERN_FN const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaSuccess                 ? "cudaSuccess"
           : error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
                                                : "another error";
}
__TERN_FN const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess                 ? "no error"
           : error == cudaErrorMemoryAllocation ? "out of memory"
                                                : "another error";
}
__TERN_FN cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
template <class T> __TERN_FN cudaError_t cudaMalloc(T **p, size_t size)
{
    *p = (T *)malloc(size);
    return *p || !size ? cudaSuccess : cudaErrorMemoryAllocation;
}
__TERN_FN cudaError_t cudaFree(void *p)
{
    free(p);
    return cudaSuccess;
}
/* The host's: kernels cannot call them, classes of both sides name them. */
cudaError_t cudaMallocHost(void **p, size_t size);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMallocManaged(void **p, size_t size, unsigned flags = 1);
/* Copies and fills are children like others, in the order of their launches. */
static __global__ void __tern_copy_rows(char *to, size_t to_pitch, const char *from,
                                        size_t from_pitch, size_t width)
{
    for (size_t k = threadIdx.x; k < width; k += blockDim.x)
        to[blockIdx.x * to_pitch + k] = from[blockIdx.x * from_pitch + k];
}
static __global__ void __tern_fill_rows(char *to, size_t pitch, int value, size_t width)
{
    for (size_t k = threadIdx.x; k < width; k += blockDim.x)
        to[blockIdx.x * pitch + k] = (char)value;
}
__TERN_FN cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                        size_t from_pitch, size_t width, size_t height,
                                        cudaMemcpyKind = cudaMemcpyDefault, cudaStream_t stream = 0)
{
    if (width && height)
        __tern_copy_rows<<<(unsigned)height, 256, 0, stream>>>(
            (char *)to, to_pitch, (const char *)from, from_pitch, width);
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                                      cudaMemcpyKind kind = cudaMemcpyDefault,
                                      cudaStream_t stream = 0)
{
    return cudaMemcpy2DAsync(to, 0, from, 0, size, 1, kind, stream);
}
__TERN_FN cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                        size_t height, cudaStream_t stream = 0)
{
    if (width && height)
        __tern_fill_rows<<<(unsigned)height, 256, 0, stream>>>((char *)to, pitch, value, width);
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream = 0)
{
    return cudaMemset2DAsync(to, 0, value, size, 1, stream);
}
/* A kernel launched before the one ahead of it is done waits here for what that one wrote, or says that the next may begin. */
__TERN_FN void cudaGridDependencySynchronize()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__TERN_FN void cudaTriggerProgrammaticLaunchCompletion()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/* A handle is the address of its number. */
__TERN_FN void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    *(volatile unsigned int *)handle = value;
}
#endif
