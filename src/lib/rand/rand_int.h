/* cuRAND's host API.
 *
 * host.c    generators, what is made of their numbers, and where: kernels or the host
 * philox.c  Philox on the CPU: several sequences side by side, in vectors */
#ifndef LIB_RAND_RAND_INT_H
#define LIB_RAND_RAND_INT_H

#include <stdbool.h>
#include "device/rand/dist.h"
#undef __TERN_FN /* the headers for programs have their own */
#include "lib/lib.h"

struct philox_call {
    struct __tern_philox *states;
    unsigned sequences, tasks;
    unsigned long long next, items; /* as rand_generate has them */
    void *out;
    bool uniform; /* floats; else words */
};
/* In the order of the stream, on several cores. */
enum tern_error rand_philox(const struct lib_device *d, cudaStream_t stream, struct philox_call *c);

#endif
