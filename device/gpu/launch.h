/* Kernels that kernels launch, on a GPU whose threads cannot: a record for the launcher, which
 * starts them once the grid is done. Laid out as struct device_output and struct device_child of
 * back/output.h. */
#ifndef TERN_DEVICE_GPU_LAUNCH_H
#define TERN_DEVICE_GPU_LAUNCH_H

#include "device/gpu/output.h"

enum { /* as ir/launch.h and back/output.h */
       __TERN_LAUNCH_INVALID = 9,
       __TERN_LAUNCH_TOO_DEEP = 65,
       __TERN_LAUNCH_TOO_MANY = 69,
       __TERN_LAUNCH_MOST_THREADS = 1024,
       __TERN_LAUNCH_MOST_SHARED = 227 * 1024,
       __TERN_LAUNCH_DEPTH = 24,
       __TERN_LAUNCH_TAIL = 3,
       __TERN_LAUNCH_RECORD = 6,
       __TERN_LAUNCH_HEAD = 11, /* words of a record before the parameters */
};

/* Gives CUDA's error number. */
extern "C" __device__ __noinline__ unsigned __tern_launch(unsigned kernel, unsigned gx, unsigned gy,
                                                          unsigned gz, unsigned bx, unsigned by,
                                                          unsigned bz, unsigned shared,
                                                          unsigned long long stream,
                                                          const unsigned *params, unsigned nparams)
{
    enum { THREADS = __TERN_LAUNCH_MOST_THREADS, HEAD = __TERN_LAUNCH_HEAD };
    if (!gx || !gy || !gz || !bx || !by || !bz || bx > THREADS || by > THREADS || bz > THREADS ||
        bx * by * bz > THREADS || shared > __TERN_LAUNCH_MOST_SHARED)
        return __TERN_LAUNCH_INVALID;
    struct __tern_output *out = __tern_output_at();
    if (out->depth + 1 >= __TERN_LAUNCH_DEPTH)
        return __TERN_LAUNCH_TOO_DEEP;
    unsigned n = HEAD + nparams, at = atomicAdd(&out->used, n);
    if (at > out->capacity || n > out->capacity - at)
        return __TERN_LAUNCH_TOO_MANY;
    unsigned *w = (unsigned *)(out + 1) + at;
    w[0] = n;
    w[1] = __TERN_LAUNCH_RECORD;
    w[2] = kernel;
    w[3] = gx;
    w[4] = gy;
    w[5] = gz;
    w[6] = bx;
    w[7] = by;
    w[8] = bz;
    w[9] = shared;
    w[10] = stream == __TERN_LAUNCH_TAIL;
    for (unsigned k = 0; k < nparams; k++)
        w[HEAD + k] = params[k];
    return 0;
}

__global__ void __tern_keep_launch(unsigned *p)
{
    *p = __tern_launch(0, *p, *p, *p, *p, *p, *p, 0, 0, p, 0);
}

#endif
