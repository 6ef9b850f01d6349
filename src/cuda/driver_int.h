/* What the files of the driver API share. Most of its functions have a twin in the runtime API and
 * are made of it: the same objects, other names and error numbers. */
#ifndef CUDA_DRIVER_INT_H
#define CUDA_DRIVER_INT_H

#include "cuda/cuda.h"
#include "cuda/cuda_int.h"

/* Numbers are the same in both APIs where the driver's has one. */
CUresult driver_result(cudaError_t e);
/* The driver has been initialised, and a context is current on this thread. */
CUresult driver_enter(void);

/* ---- driver_module.c ---- */
struct tern_source;
/* lent: it goes with another handle. */
CUresult driver_load(struct tern_device *d, const struct tern_source *source, bool lent, unsigned n,
                     const CUjit_option *options, void **values, struct tern_module **out);
void driver_unload(struct tern_module *m);
/* driver_old.c: what is kept with a module that goes. */
void driver_module_gone(const struct tern_module *m);
bool driver_is_module(const struct tern_module *m);
CUresult driver_read_file(const char *path, char **out, size_t *size); /* free() it */
/* What a CUfunction, or a CUkernel in its place, is on its device. */
CUresult driver_function(CUfunction f, struct tern_kernel **out);

cudaError_t driver_box_work(const CUDA_MEMCPY3D *p, struct work *w);

/* driver_per_thread.c: the function's twin for a default stream of the thread's own takes its
 * place, if it has one. */
void driver_per_thread(const char *symbol, void **function);

/* The driver has been initialised, and there is such a device. */
CUresult driver_device(CUdevice device);
bool driver_is_context(const struct CUctx_st *c);

/* Returns what a runtime call gives, in the driver's numbers, once `entered` is success. The
 * runtime's last error is its own. */
#define RETURN_RUNTIME(call) RETURN_ENTERED(driver_enter(), call)
#define RETURN_ENTERED(entered, call)                                                              \
    do {                                                                                           \
        CUresult r_ = entered;                                                                     \
        if (r_ != CUDA_SUCCESS)                                                                    \
            return r_;                                                                             \
        const cudaError_t last_ = cuda_last();                                                     \
        r_ = driver_result(call);                                                                  \
        cuda_set_last(last_);                                                                      \
        return r_;                                                                                 \
    } while (0)

#endif
