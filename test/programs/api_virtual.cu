// Addresses and memory apart: reserving, making, mapping, access, growing in place, and another process.
#include "check_driver.h"
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void number(int *p, int n, int from)
{
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        p[k] = from + k;
}
__global__ void sum(const int *p, int n, long long *out)
{
    long long s = 0;
    for (int k = 0; k < n; k++)
        s += p[k];
    *out = s;
}

static CUmemAllocationProp prop;
static size_t granule;

static CUmemGenericAllocationHandle make(size_t size)
{
    CUmemGenericAllocationHandle h;
    CU(cuMemCreate(&h, size, &prop, 0));
    return h;
}

static void allow(CUdeviceptr p, size_t size, CUmemAccess_flags flags)
{
    CUmemAccessDesc a = {prop.location, flags};
    CU(cuMemSetAccess(p, size, &a, 1));
}

// Another process: the memory by its descriptor, whose first number is told and then changed.
static int child(int fd)
{
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    CU(cuMemImportFromShareableHandle(&h, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    CU(cuMemAddressReserve(&p, granule, 0, 0, 0));
    CU(cuMemMap(p, granule, 0, h, 0));
    CU(cuMemRelease(h));
    allow(p, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    int first;
    CU(cuMemcpyDtoH(&first, p, sizeof first));
    number<<<1, 32>>>((int *)p, 4, 1000);
    CUDA(cudaDeviceSynchronize());
    return first == 70 ? 0 : 3;
}

static void between_processes(const char *self)
{
    CUdeviceptr p;
    CUmemGenericAllocationHandle h = make(granule);
    CU(cuMemAddressReserve(&p, granule, 0, 0, 0));
    CU(cuMemMap(p, granule, 0, h, 0));
    allow(p, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    number<<<1, 32>>>((int *)p, 4, 70);
    CUDA(cudaDeviceSynchronize());
    int fd = -1, status = -1, four[4];
    CU(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    fcntl(fd, F_SETFD, 0);
    const std::string number_of_fd = std::to_string(fd);
    const pid_t pid = fork();
    if (!pid) {
        execl(self, self, number_of_fd.c_str(), (char *)nullptr);
        _exit(9);
    }
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status));
    CU(cuMemcpyDtoH(four, p, sizeof four));
    CHECK(four[0] == 1000 && four[3] == 1003);
    close(fd);
    CU(cuMemUnmap(p, granule));
    CU(cuMemRelease(h));
    CU(cuMemAddressFree(p, granule));
}

static void grow()
{
    const size_t whole = 4 * granule, half = granule / sizeof(int);
    CUdeviceptr p;
    CU(cuMemAddressReserve(&p, whole, 1 << 21, 0, 0));
    CHECK(p % (1 << 21) == 0);
    CUmemGenericAllocationHandle a = make(granule), b = make(granule), back;
    CU(cuMemMap(p, granule, 0, a, 0));
    CHECK(cuMemMap(p, granule, 0, b, 0) == CUDA_ERROR_INVALID_VALUE); // there is something
    CHECK(cuMemMap(p + whole, granule, 0, b, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemMap(p + granule, granule, granule, b, 0) == CUDA_ERROR_INVALID_VALUE); // beyond it
    CHECK(cuMemSetAccess(p, 2 * granule, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
    unsigned long long flags = 9;
    CU(cuMemGetAccess(&flags, &prop.location, p));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    allow(p, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CU(cuMemGetAccess(&flags, &prop.location, p + 5));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    number<<<1, 64>>>((int *)p, (int)half, 0);
    CUDA(cudaDeviceSynchronize());

    // more memory behind it, at once or later: a copy and a kernel go across
    CU(cuMemMap(p + granule, granule, 0, b, 0));
    allow(p + granule, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    number<<<1, 64>>>((int *)p + half, (int)half, (int)half);
    long long *out, s = 0;
    CUDA(cudaMalloc(&out, sizeof *out));
    sum<<<1, 1>>>((const int *)p, (int)(2 * half), out);
    CUDA(cudaMemcpy(&s, out, sizeof s, cudaMemcpyDeviceToHost));
    const long long n = 2 * (long long)half;
    CHECK(s == n * (n - 1) / 2);
    int *h = (int *)malloc(2 * granule);
    CU(cuMemcpyDtoH(h, p, 2 * granule));
    CHECK(h[half - 1] == (int)half - 1 && h[half] == (int)half && h[2 * half - 1] == (int)(2 * half) - 1);
    CUDA(cudaMemset((void *)p, 0, 2 * granule));
    CU(cuMemcpyDtoH(h, p, 2 * granule));
    CHECK(!h[0] && !h[2 * half - 1]);
    CUdeviceptr base;
    size_t size;
    CU(cuMemGetAddressRange(&base, &size, p + granule + 1));
    CHECK(base == p && size == 2 * granule);
    CHECK(cuMemFree(p) == CUDA_ERROR_INVALID_VALUE); // it is not such memory

    // one memory at two addresses
    CUdeviceptr q;
    CU(cuMemAddressReserve(&q, granule, 0, 0, 0));
    CU(cuMemMap(q, granule, 0, a, 0));
    allow(q, granule, CU_MEM_ACCESS_FLAGS_PROT_READ);
    number<<<1, 32>>>((int *)p, 8, 500);
    CU(cuMemcpyDtoH(h, q, 32));
    CHECK(h[0] == 500 && h[7] == 507);
    CU(cuMemUnmap(q, granule));
    CU(cuMemAddressFree(q, granule));

    // handles are counted, and what is mapped stays
    CU(cuMemRetainAllocationHandle(&back, (void *)(p + granule)));
    CHECK(back == b);
    CU(cuMemRelease(back));
    CU(cuMemRelease(a));
    CU(cuMemRelease(b));
    CHECK(cuMemRelease(b) == CUDA_ERROR_INVALID_VALUE);
    CU(cuMemcpyDtoH(h, p, 32));
    CHECK(h[7] == 507);
    CHECK(cuMemUnmap(p, granule / 2) == CUDA_ERROR_INVALID_VALUE); // a part of a mapping
    CHECK(cuMemAddressFree(p, whole) == CUDA_ERROR_INVALID_VALUE); // something is mapped
    CU(cuMemUnmap(p, granule));
    CU(cuMemcpyDtoH(h, p + granule, 32)); // the other is still there
    CHECK(cuMemGetAddressRange(&base, &size, p) == CUDA_ERROR_NOT_FOUND);
    CU(cuMemUnmap(p + granule, granule));
    CU(cuMemAddressFree(p, whole));
    CHECK(cuMemAddressFree(p, whole) == CUDA_ERROR_INVALID_VALUE);
    CUDA(cudaFree(out));
    free(h);
}

// Memory that was taken away, or that may only be read, is an error that sticks.
static void faults()
{
    CUdeviceptr p;
    CU(cuMemAddressReserve(&p, granule, 0, 0, 0));
    CUmemGenericAllocationHandle h = make(granule);
    CU(cuMemMap(p, granule, 0, h, 0));
    allow(p, granule, CU_MEM_ACCESS_FLAGS_PROT_READ);
    number<<<1, 32>>>((int *)p, 8, 500);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CUDA(cudaDeviceReset());
    CUDA(cudaFree(nullptr));
    allow(p, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE); // the mapping is still there
    number<<<1, 32>>>((int *)p, 8, 500);
    CUDA(cudaDeviceSynchronize());
    CU(cuMemUnmap(p, granule));
    CU(cuMemRelease(h));
    CU(cuMemAddressFree(p, granule));
}

int main(int argc, char **argv)
{
    CU(cuInit(0));
    int supported = -1, descriptors = -1;
    CU(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    CU(cuDeviceGetAttribute(&descriptors, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
    CHECK(supported == descriptors);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (supported) // asked before there is a context
        CU(cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    CUDA(cudaSetDevice(0));
    CUDA(cudaFree(nullptr));
    CUdeviceptr p;
    if (!supported) {
        CHECK(cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_ERROR_NOT_SUPPORTED);
        CHECK(cuMemAddressReserve(&p, 1 << 21, 0, 0, 0) == CUDA_ERROR_NOT_SUPPORTED);
        CUmemGenericAllocationHandle h;
        CHECK(cuMemCreate(&h, 1 << 21, &prop, 0) == CUDA_ERROR_NOT_SUPPORTED);
        printf("ok\n");
        return 0;
    }
    CU(cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    if (argc > 1)
        return child(atoi(argv[1]));
    CHECK(cuMemAddressReserve(&p, granule + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    grow();
    between_processes(argv[0]);
    faults();
    printf("ok\n");
}
