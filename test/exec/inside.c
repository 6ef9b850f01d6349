/* A program with a runtime inside (theirs.c), in CUDA 13's shape, and, as LIBRARY, a library with
 * another one, which uses it before main. */
#include <stdio.h>
#include <string.h>
#include "cuda/cuda_runtime_api.h"

#ifdef LIBRARY
static int *early;

__attribute__((constructor)) static void begin(void)
{
    if (cudaMalloc((void **)&early, sizeof *early) != cudaSuccess)
        early = NULL;
}

int *library_memory(void);
int *library_memory(void)
{
    return early;
}
#else
#define MUST(call)                                                                                 \
    do {                                                                                           \
        const cudaError_t e_ = (call);                                                             \
        if (e_ != cudaSuccess)                                                                     \
            return printf("%s: %d\n", #call, (int)e_), 1;                                          \
    } while (0)

int *library_memory(void);
cudaError_t cudaNothingOfOurs(void);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t n, enum cudaMemcpyKind kind,
                                 cudaStream_t stream);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);

static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry set(.param .u64 p) {\n"
                          ".reg .u64 %a;\n"
                          "ld.param.u64 %a, [p];\n"
                          "st.global.u32 [%a], 42;\n"
                          "ret;\n}\n";

int main(void)
{
    long long properties[1008 / 8]; /* as large as CUDA 13 has them: CUDA 12's do not fit */
    cudaLibrary_t library;
    cudaKernel_t kernel;
    int *p = library_memory(), got = 0;
    void *args[] = {&p};
    if (!p)
        return puts("the library got no memory"), 1;
    MUST(cudaGetDeviceProperties((struct cudaDeviceProp *)properties, 0));
    MUST(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    MUST(cudaLibraryGetKernel(&kernel, library, "set"));
    MUST(cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL));
    MUST(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
    if (got != 42)
        return printf("%d\n", got), 1;
    got = 0;
    MUST(cudaMemcpyAsync_ptsz(&got, p, sizeof got, cudaMemcpyDeviceToHost, NULL));
    MUST(cudaStreamSynchronize_ptsz(NULL));
    if (got != 42)
        return printf("per thread: %d\n", got), 1;
    if (cudaNothingOfOurs() != cudaErrorNotSupported)
        return puts("a function that Tern does not have succeeded"), 1;
    MUST(cudaFree(p));
    puts("ok");
    return 0;
}
#endif
