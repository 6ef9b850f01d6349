/* As much of OpenCL as the benchmark needs, by dlopen: the rival is PoCL. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct opencl {
    void *context, *queue, *program;
    void *(*buffer)(void *, uint64_t, size_t, void *, int *);
    void *(*kernel)(void *, const char *, int *);
    int (*arg)(void *, unsigned, size_t, const void *);
    int (*run)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned,
               const void *, void *);
    int (*finish)(void *);
};

static bool opencl_open(struct opencl *c, const char *text)
{
    void *lib = getenv("TERN_BENCH_NO_POCL") ? NULL : dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!lib)
        return false;
    int (*platforms)(unsigned, void **, unsigned *);
    int (*devices)(void *, uint64_t, unsigned, void **, unsigned *);
    void *(*context)(const void *, unsigned, void *const *, void *, void *, int *);
    void *(*queue)(void *, void *, uint64_t, int *);
    void *(*program)(void *, unsigned, const char **, const size_t *, int *);
    int (*build)(void *, unsigned, void *const *, const char *, void *, void *);
    *(void **)&platforms = dlsym(lib, "clGetPlatformIDs");
    *(void **)&devices = dlsym(lib, "clGetDeviceIDs");
    *(void **)&context = dlsym(lib, "clCreateContext");
    *(void **)&queue = dlsym(lib, "clCreateCommandQueue");
    *(void **)&program = dlsym(lib, "clCreateProgramWithSource");
    *(void **)&build = dlsym(lib, "clBuildProgram");
    *(void **)&c->buffer = dlsym(lib, "clCreateBuffer");
    *(void **)&c->kernel = dlsym(lib, "clCreateKernel");
    *(void **)&c->arg = dlsym(lib, "clSetKernelArg");
    *(void **)&c->run = dlsym(lib, "clEnqueueNDRangeKernel");
    *(void **)&c->finish = dlsym(lib, "clFinish");
    void *platform, *device;
    int e = 0;
    if (platforms(1, &platform, NULL) || devices(platform, 1 << 1, 1, &device, NULL))
        return false;
    c->context = context(NULL, 1, &device, NULL, NULL, &e);
    c->queue = queue(c->context, device, 0, &e);
    c->program = program(c->context, 1, &text, NULL, &e);
    return c->context && c->queue && c->program &&
           !build(c->program, 1, &device, "-cl-mad-enable", NULL, NULL);
}

/* Buffers of the caller's memory, which they keep. */
static bool opencl_buffers(struct opencl *c, void *const at[3], const size_t bytes[3], void *out[3])
{
    int e;
    for (int b = 0; b < 3; b++)
        if (!(out[b] = c->buffer(c->context, 1 | 1 << 3, bytes[b], at[b], &e)))
            return false;
    return true;
}

static void *opencl_kernel(struct opencl *c, const char *name, int n, void *const buffers[3])
{
    int e;
    void *k = c->kernel(c->program, name, &e);
    if (!k || c->arg(k, 0, sizeof n, &n))
        return NULL;
    for (unsigned b = 0; b < 3; b++)
        if (c->arg(k, b + 1, sizeof(void *), &buffers[b]))
            return NULL;
    return k;
}

static void opencl_run(struct opencl *c, void *kernel, const uint32_t grid[2],
                       const uint32_t block[2])
{
    size_t local[2] = {block[0], block[1]};
    size_t global[2] = {(size_t)grid[0] * block[0], (size_t)grid[1] * block[1]};
    if (c->run(c->queue, kernel, 2, NULL, global, local, 0, NULL, NULL) || c->finish(c->queue)) {
        fprintf(stderr, "PoCL could not run a kernel\n");
        exit(1);
    }
}
