/* A call of NPP that is to succeed. */
#pragma once
#include <cstdlib>
#include <npp.h>
#include "check.h"

#define NPP(call)                                                                                  \
    do {                                                                                           \
        NppStatus s_ = (call);                                                                     \
        if (s_ != NPP_SUCCESS) {                                                                   \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, (int)s_);                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
