/* The other end of cmd/dropin/mpi.c, the library that `tern mpi` puts in front of MPI: it is told
 * how to know and how to copy memory that the host cannot read. */
#include <dlfcn.h>
#include "cuda/cuda_int.h"

static int device_memory(const void *p)
{
    struct cuda_range r;
    struct tern_device *d;
    return cuda_find_range(p, 0, &r) && r.kind == CUDA_DEVICE &&
           cuda_device_at(r.device, &d) == cudaSuccess && !(d->info.flags & DEV_HOST_MEMORY);
}

static int copy(void *to, const void *from, size_t n)
{
    return cudaMemcpy(to, from, n, cudaMemcpyDefault) != cudaSuccess;
}

void cuda_tell_mpi(void)
{
    void (*tell)(int (*)(const void *), int (*)(void *, const void *, size_t)) = NULL;
    *(void **)&tell = dlsym(RTLD_DEFAULT, "tern_mpi_cuda");
    if (tell)
        tell(device_memory, copy);
}
