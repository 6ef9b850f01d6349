// What programs of the driver API share: CU ends the program with the name of a call's error.
#pragma once
#include "check.h"
#include <cuda.h>

#define CU(call)                                                                                   \
    do {                                                                                           \
        CUresult r_ = (call);                                                                      \
        if (r_ != CUDA_SUCCESS) {                                                                  \
            const char *n_ = "?";                                                                  \
            cuGetErrorName(r_, &n_);                                                               \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, n_);                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
