/* Memory, and buffers that programs register. Transfers do not become faster by registration: it is
 * checked and counted. */
#include <stdlib.h>
#include "lib/nccl/nccl_int.h"

ncclResult_t ncclMemAlloc(void **ptr, size_t size)
{
    if (!ptr || !size)
        return ncclInvalidArgument;
    return cudaMalloc(ptr, size) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void *ptr)
{
    return cudaFree(ptr) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

/* What a handle stands for. */
struct ncclWindow {
    struct ncclComm *comm;
    void *buff;
    size_t size;
    bool window;
};

static ncclResult_t keep(ncclComm_t comm, void *buff, size_t size, bool window,
                         struct ncclWindow **out)
{
    ncclResult_t e;
    struct ncclComm *c = nccl_comm(comm, &e);
    if (!c)
        return e;
    if (!buff || !size || !out)
        return ncclInvalidArgument;
    *out = malloc(sizeof **out);
    if (!*out)
        return ncclSystemError;
    **out = (struct ncclWindow){c, buff, size, window};
    return ncclSuccess;
}

static ncclResult_t drop(ncclComm_t comm, struct ncclWindow *w, bool window)
{
    if (!comm || comm->magic != NCCL_COMM_MAGIC)
        return ncclInvalidArgument;
    if (!w)
        return ncclSuccess;
    if (w->comm != comm || w->window != window)
        return ncclInvalidArgument;
    free(w);
    return ncclSuccess;
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buff, size_t size, void **handle)
{
    return keep(comm, buff, size, false, (struct ncclWindow **)(void *)handle);
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle)
{
    return drop(comm, handle, false);
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win,
                                    int winFlags)
{
    if (winFlags & ~NCCL_WIN_COLL_SYMMETRIC)
        return ncclInvalidArgument;
    return keep(comm, buff, size, true, win);
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t win)
{
    return drop(comm, win, true);
}
