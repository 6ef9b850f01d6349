/* For the programs here that call cuDNN: what dnn.h has, and an end where a call fails. */
#pragma once
#include "dnn.h"
#include <cudnn.h>

#define NN(call)                                                                                   \
    do {                                                                                           \
        cudnnStatus_t s_ = (call);                                                                 \
        if (s_ != CUDNN_STATUS_SUCCESS) {                                                          \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudnnGetErrorString(s_));         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
