#pragma once
#include "cub/util_type.cuh"
#include <cstdio>
#include <cstdlib>

namespace cub
{
/* Prints an error, with its place, and gives it back. */
CUB_HD inline cudaError_t Debug(cudaError_t e, const char *file, int line)
{
    if (e != cudaSuccess)
        printf("CUDA error %d [%s, %d]\n", (int)e, file, line);
    return e;
}
} // namespace cub
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e)                                                                            \
    if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__))                                          \
    exit(1)
