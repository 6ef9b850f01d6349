/* Devices, occupancy, memory that is divided, and policies by architecture. */
#pragma once
#include "cub/util_debug.cuh"
#include "cub/util_macro.cuh"

namespace cub
{
inline int CurrentDevice()
{
    int device = -1;
    return CubDebug(cudaGetDevice(&device)) ? -1 : device;
}
inline int DeviceCountUncached()
{
    int count = -1;
    return CubDebug(cudaGetDeviceCount(&count)) ? -1 : count;
}
inline int DeviceCount()
{
    return DeviceCountUncached();
}
/* Another device until the end of a scope. */
class SwitchDevice
{
    int before;

  public:
    explicit SwitchDevice(int device) : before(CurrentDevice())
    {
        if (device != before)
            (void)CubDebug(cudaSetDevice(device));
    }
    ~SwitchDevice()
    {
        if (CurrentDevice() != before)
            (void)CubDebug(cudaSetDevice(before));
    }
};

/* 100 × major + 10 × minor. Kernels are compiled where they run, for what is there. */
inline cudaError_t SmVersionUncached(int &version, int device = CurrentDevice())
{
    int major = 0, minor = 0;
    cudaError_t e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (!e)
        e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (!e)
        version = 100 * major + 10 * minor;
    return CubDebug(e);
}
inline cudaError_t SmVersion(int &version, int device = CurrentDevice())
{
    return SmVersionUncached(version, device);
}
inline cudaError_t PtxVersionUncached(int &version, int device = CurrentDevice())
{
    return SmVersionUncached(version, device);
}
inline cudaError_t PtxVersion(int &version, int device = CurrentDevice())
{
    return SmVersionUncached(version, device);
}
CUB_HD inline cudaError_t SyncStream(cudaStream_t stream)
{
#ifdef __CUDA_ARCH__
    (void)stream;
    return cudaErrorNotSupported;
#else
    return cudaStreamSynchronize(stream);
#endif
}
inline cudaError_t HasUVA(bool &yes)
{
    int device = 0, uva = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (!e)
        e = cudaDeviceGetAttribute(&uva, cudaDevAttrUnifiedAddressing, device);
    yes = uva == 1;
    return CubDebug(e);
}
template <class Kernel>
cudaError_t MaxSmOccupancy(int &blocks, Kernel kernel, int threads, int shared = 0)
{
    return CubDebug(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, (size_t)shared));
}

/* One piece of memory as several, each at 256 bytes; without memory, how much they want. */
template <int N>
CUB_HD cudaError_t AliasTemporaries(void *memory, size_t &bytes, void *(&parts)[N],
                                    const size_t (&sizes)[N])
{
    const size_t align = 256;
    size_t at[N], end = 0;
    for (int i = 0; i < N; i++) {
        at[i] = end;
        end += (sizes[i] + align - 1) / align * align;
    }
    end += align - 1; /* for memory that is not where it should be */
    if (!memory) {
        bytes = end;
        return cudaSuccess;
    }
    if (bytes < end)
        return cudaErrorInvalidValue;
    char *const first = (char *)(((size_t)memory + align - 1) / align * align);
    for (int i = 0; i < N; i++)
        parts[i] = first + at[i];
    return cudaSuccess;
}

/* Policies for architectures, the newest first: the one that a device is new enough for. */
template <int version, class Policy, class Older> struct ChainedPolicy {
    typedef Policy ActivePolicy;
    template <class F> static cudaError_t Invoke(int of_device, F &op)
    {
        if constexpr (std::is_same<Policy, Older>::value)
            return op.template Invoke<Policy>();
        else
            return of_device < version ? Older::MaxPolicy::Invoke(of_device, op)
                                       : op.template Invoke<Policy>();
    }
};

struct KernelConfig {
    int block_threads = 0, items_per_thread = 0, tile_size = 0, sm_occupancy = 0;
    template <class Agent, class Kernel> cudaError_t Init(Kernel kernel)
    {
        block_threads = Agent::BLOCK_THREADS;
        items_per_thread = Agent::ITEMS_PER_THREAD;
        tile_size = block_threads * items_per_thread;
        return MaxSmOccupancy(sm_occupancy, kernel, block_threads);
    }
};
namespace detail
{
using cub::AliasTemporaries;
}
} // namespace cub
