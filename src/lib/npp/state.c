/* NPP's stream, facts of the device, memory. */
#include <stdio.h>
#include "lib/npp/npp_int.h"

const char *const npp_names[NPP_NTYPES] = {
#define X(name, text, bytes) text,
    NPP_TYPES(X)
#undef X
};
const int npp_bytes[NPP_NTYPES] = {
#define X(name, text, bytes) bytes,
    NPP_TYPES(X)
#undef X
};

/* The process's, as NPP has it: programs set it before they start threads. */
static _Atomic(cudaStream_t) current;

const NppLibraryVersion *nppGetLibVersion(void)
{
    static const NppLibraryVersion version = {NPP_VERSION_MAJOR, NPP_VERSION_MINOR,
                                              NPP_VERSION_BUILD};
    return &version;
}

cudaStream_t nppGetStream(void)
{
    return current;
}

NppStatus nppSetStream(cudaStream_t stream)
{
    current = stream;
    return NPP_SUCCESS;
}

static int fact(enum cudaDeviceAttr what)
{
    int device = 0, value = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, what, device);
    return value;
}

unsigned nppGetGpuNumSMs(void)
{
    return (unsigned)fact(cudaDevAttrMultiProcessorCount);
}

unsigned nppGetMaxThreadsPerBlock(void)
{
    return (unsigned)fact(cudaDevAttrMaxThreadsPerBlock);
}

unsigned nppGetMaxThreadsPerSM(void)
{
    return (unsigned)fact(cudaDevAttrMaxThreadsPerMultiProcessor);
}

const char *nppGetGpuName(void)
{
    static _Thread_local struct cudaDeviceProp properties;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, device) != cudaSuccess)
        return "";
    return properties.name;
}

NppStatus nppGetStreamContext(NppStreamContext *out)
{
    if (!out)
        return NPP_NULL_POINTER_ERROR;
    *out = (NppStreamContext){.hStream = current};
    if (cudaGetDevice(&out->nCudaDeviceId) != cudaSuccess)
        return NPP_ERROR;
    out->nMultiProcessorCount = fact(cudaDevAttrMultiProcessorCount);
    out->nMaxThreadsPerMultiProcessor = fact(cudaDevAttrMaxThreadsPerMultiProcessor);
    out->nMaxThreadsPerBlock = fact(cudaDevAttrMaxThreadsPerBlock);
    out->nSharedMemPerBlock = (size_t)fact(cudaDevAttrMaxSharedMemoryPerBlock);
    out->nCudaDevAttrComputeCapabilityMajor = fact(cudaDevAttrComputeCapabilityMajor);
    out->nCudaDevAttrComputeCapabilityMinor = fact(cudaDevAttrComputeCapabilityMinor);
    return NPP_SUCCESS;
}

/* Kernels need the stream alone of it. */
NppStreamContext npp_context(void)
{
    return (NppStreamContext){.hStream = current};
}

NppStatus npp_status(enum tern_error e)
{
    return e == TERN_OK              ? NPP_SUCCESS
           : e == TERN_OUT_OF_MEMORY ? NPP_MEMORY_ALLOCATION_ERR
                                     : NPP_CUDA_KERNEL_EXECUTION_ERROR;
}

NppStatus npp_run_plain(const struct npp_call *call, const char *header, const char *kernel,
                        int64_t n, void *const *args)
{
    struct lib_device d;
    enum tern_error e = lib_device(&d);
    if (!e)
        e = lib_run(&d, call->stream, header, kernel, lib_blocks(n, NPP_THREADS),
                    (tern_dim){.x = NPP_THREADS}, args);
    return npp_status(e);
}

NppStatus npp_run_from(const struct npp_call *call, const char *header, const char *kernel,
                       bool both, int64_t n, void *const *args)
{
    char name[96];
    snprintf(name, sizeof name, both ? "%s<%s, %s>" : "%s<%s>", kernel, npp_names[call->from],
             npp_names[call->to]);
    return npp_run_plain(call, header, name, n, args);
}

NppStatus npp_run(const struct npp_call *call, const char *kernel, bool both, int64_t n,
                  void *const *args)
{
    return npp_run_from(call, "npp/image.h", kernel, both, n, args);
}

/* ---- memory ---- */

/* Rows begin at multiples of 512 bytes. */
static void *image(int width, int height, int *step, size_t pixel)
{
    void *p = NULL;
    if (width < 1 || height < 1 || !step)
        return NULL;
    const size_t row = ((size_t)width * pixel + 511) / 512 * 512;
    if (row > INT32_MAX || cudaMalloc(&p, row * (size_t)height) != cudaSuccess)
        return NULL;
    *step = (int)row;
    return p;
}

#define IMAGE(type, channels)                                                                      \
    Npp##type *nppiMalloc_##type##_C##channels(int width, int height, int *step)                   \
    {                                                                                              \
        return image(width, height, step, sizeof(Npp##type) * channels);                           \
    }
IMAGE(8u, 1)
IMAGE(8u, 2)
IMAGE(8u, 3)
IMAGE(8u, 4)
IMAGE(16u, 1)
IMAGE(16u, 2)
IMAGE(16u, 3)
IMAGE(16u, 4)
IMAGE(16s, 1)
IMAGE(16s, 2)
IMAGE(16s, 4)
IMAGE(32s, 1)
IMAGE(32s, 3)
IMAGE(32s, 4)
IMAGE(32f, 1)
IMAGE(32f, 2)
IMAGE(32f, 3)
IMAGE(32f, 4)

static void *signal_of(size_t n, size_t bytes)
{
    void *p = NULL;
    return n && n <= SIZE_MAX / bytes && cudaMalloc(&p, n * bytes) == cudaSuccess ? p : NULL;
}
#define SIGNAL(type)                                                                               \
    Npp##type *nppsMalloc_##type(size_t n)                                                         \
    {                                                                                              \
        return signal_of(n, sizeof(Npp##type));                                                    \
    }
SIGNAL(8u)
SIGNAL(8s)
SIGNAL(16u)
SIGNAL(16s)
SIGNAL(32u)
SIGNAL(32s)
SIGNAL(32f)
SIGNAL(64f)

void nppiFree(void *p)
{
    cudaFree(p);
}

void nppsFree(void *p)
{
    cudaFree(p);
}
