/* Kernels that kernels launch, on a GPU whose threads cannot: a record for the launcher, which
 * starts them once the grid is done. Laid out as struct device_output and struct device_child of
 * back/output.h. */
#ifndef TERN_DEVICE_GPU_LAUNCH_H
#define TERN_DEVICE_GPU_LAUNCH_H

struct __tern_output {
    unsigned used, capacity, others[8], depth, other;
};

/* The back end replaces its body: where the output is. */
extern "C" __device__ __noinline__ struct __tern_output *__tern_output_at()
{
    return nullptr;
}

/* Gives CUDA's error number. */
extern "C" __device__ __noinline__ unsigned __tern_launch(unsigned kernel, unsigned gx, unsigned gy,
                                                          unsigned gz, unsigned bx, unsigned by,
                                                          unsigned bz, unsigned shared,
                                                          unsigned long long stream,
                                                          const unsigned *params, unsigned nparams)
{
    enum { INVALID = 9, TOO_DEEP = 65, TOO_MANY = 69 };
    enum {
        THREADS = 1024,
        SHARED = 227 * 1024,
        DEPTH = 24,
        HEAD = 11,
        RECORD_LAUNCH = 6,
        TAIL = 3
    };
    if (!gx || !gy || !gz || !bx || !by || !bz || bx > THREADS || by > THREADS || bz > THREADS ||
        bx * by * bz > THREADS || shared > SHARED)
        return INVALID;
    struct __tern_output *out = __tern_output_at();
    if (out->depth + 1 >= DEPTH)
        return TOO_DEEP;
    unsigned n = HEAD + nparams, at = atomicAdd(&out->used, n);
    if (at > out->capacity || n > out->capacity - at)
        return TOO_MANY;
    unsigned *w = (unsigned *)(out + 1) + at;
    w[0] = n;
    w[1] = RECORD_LAUNCH;
    w[2] = kernel;
    w[3] = gx;
    w[4] = gy;
    w[5] = gz;
    w[6] = bx;
    w[7] = by;
    w[8] = bz;
    w[9] = shared;
    w[10] = stream == TAIL;
    for (unsigned k = 0; k < nparams; k++)
        w[HEAD + k] = params[k];
    return 0;
}

__global__ void __tern_keep_launch(unsigned *p)
{
    *p = __tern_launch(0, *p, *p, *p, *p, *p, *p, 0, 0, p, 0);
}

#endif
