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
/* What fails is told by the call that fails, or ends the grid: nothing is left to be asked for. */
__TERN_FN cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}
__TERN_FN cudaError_t cudaPeekAtLastError()
{
    return cudaSuccess;
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
#endif
