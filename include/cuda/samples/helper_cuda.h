/* What the samples of CUDA's toolkit share: errors that end the program, and the choice of a device. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include "helper_string.h"
inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T> inline void check(T result, const char *what, const char *file, int line)
{
    if (!result)
        return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result, _cudaGetErrorEnum((cudaError_t)result), what);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call)    check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(text)   __getLastCudaError(text, __FILE__, __LINE__)
#define printLastCudaError(text) __printLastCudaError(text, __FILE__, __LINE__)
inline void __printLastCudaError(const char *text, const char *file, int line)
{
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, text, (int)e, cudaGetErrorString(e));
}
inline void __getLastCudaError(const char *text, const char *file, int line)
{
    const cudaError_t e = cudaPeekAtLastError();
    __printLastCudaError(text, file, line);
    if (e != cudaSuccess)
        exit(EXIT_FAILURE);
}
#ifndef MAX
#define MAX(a, b) (a > b ? a : b)
#endif
inline int ftoi(float value) { return value >= 0 ? (int)(value + 0.5f) : (int)(value - 0.5f); }
inline int _ConvertSMVer2Cores(int major, int minor)
{
    return major < 6 ? 128 : major == 6 ? minor ? 128 : 64 : major == 7 || (major == 8 && !minor) ? 64 : 128;
}
inline const char *_ConvertSMVer2ArchName(int major, int)
{
    return major == 5 ? "Maxwell" : major == 6 ? "Pascal" : major == 7 ? "Volta" : major == 8 ? "Ampere" : major == 9 ? "Hopper" : "Graphics Device";
}
inline int gpuDeviceInit(int device)
{
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (device < 0)
        device = 0;
    if (device >= count)
        return -device;
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char **argv)
{
    cudaDeviceProp p;
    int device = 0;
    if (checkCmdLineFlag(argc, argv, "device"))
        device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device="));
    if (device < 0) {
        printf("exiting...\n");
        exit(EXIT_FAILURE);
    }
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaGetDeviceProperties(&p, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, p.name, p.major, p.minor);
    return device;
}
