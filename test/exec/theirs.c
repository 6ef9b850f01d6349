/* Stands in for NVIDIA's static runtime: functions of its names, each of which tells that it was
 * reached. Some are as short as there, and one is nothing that Tern has. */
#include <stdio.h>
#include <stdlib.h>

#define THEIRS(name)                                                                               \
    int name(void);                                                                                \
    __attribute__((noinline)) int name(void)                                                       \
    {                                                                                              \
        printf("%s of the program itself was called\n", #name);                                    \
        exit(1);                                                                                   \
    }
THEIRS(__cudaRegisterFatBinary)
THEIRS(__cudaRegisterFatBinaryEnd)
THEIRS(__cudaUnregisterFatBinary)
THEIRS(cudaGetDriverEntryPointByVersion) /* so it is CUDA 13's */
THEIRS(cudaGetDeviceProperties)
THEIRS(cudaEventElapsedTime)
THEIRS(cudaMalloc)
THEIRS(cudaFree)
THEIRS(cudaMemcpy)
THEIRS(cudaMemcpyAsync_ptsz)
THEIRS(cudaStreamSynchronize_ptsz)
THEIRS(cudaLaunchKernel)
THEIRS(cudaLibraryLoadData)
THEIRS(cudaLibraryGetKernel)
THEIRS(cudaNothingOfOurs)

/* As short as a function can be, and it does nothing: it stays. */
int __cudaGetProcAddress(void);
int __cudaGetProcAddress(void)
{
    return 0;
}
