/* Names and texts of errors. */
#include "cuda/cuda_int.h"

static const struct {
    cudaError_t number;
    const char *name;
} names[] = {
#define X(name, number) {cuda##name, "cuda" #name},
    CUDA_ERRORS(X)
#undef X
};

static const struct {
    cudaError_t number;
    const char *text;
} texts[] = {
#define X(name, text) {cuda##name, text},
    CUDA_ERROR_TEXTS(X)
#undef X
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].number == error)
            return names[k].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k].number == error)
            return texts[k].text;
    return cudaGetErrorName(error);
}

cudaError_t cudaGetLastError(void)
{
    cuda_launch_refused(NULL, NULL);
    return cuda_peek(true);
}

cudaError_t cudaPeekAtLastError(void)
{
    cuda_launch_refused(NULL, NULL);
    return cuda_peek(false);
}
