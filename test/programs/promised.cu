// A system that promises any amount of memory does not make the device's larger: an allocation beyond it fails.
// NOT ON: vulkan: its driver asks the system
// NOT ON: cuda: its driver asks the system
// NOT UNDER: asan: it has its own mmap
// NOT UNDER: tsan: it has its own mmap
#include <cuda.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "check.h"

// As the system's where vm.overcommit_memory is 1: all of the program calls this one.
extern "C" void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) noexcept
{
    if (flags & MAP_ANONYMOUS)
        flags |= MAP_NORESERVE;
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

static void physical(size_t bytes)
{
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp about = {};
    size_t grain;
    about.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    about.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CHECK(cuMemGetAllocationGranularity(&grain, &about, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS);
    CHECK(cuMemCreate(&handle, (bytes / grain + 1) * grain, &about, 0) == CUDA_ERROR_OUT_OF_MEMORY);
}

int main()
{
    size_t available, total;
    CUDA(cudaMemGetInfo(&available, &total));
    CHECK(total > 0);
    for (size_t bytes : {(size_t)16 << 40, total + 4096}) {
        void *p = &p;
        CHECK(cudaMalloc(&p, bytes) == cudaErrorMemoryAllocation && !p);
        CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
        CHECK(cudaMallocManaged(&p, bytes) == cudaErrorMemoryAllocation);
        cudaGetLastError();
        physical(bytes);
    }
    printf("ok\n");
}
