// Pools, memory in stream order, pinned, registered and managed memory, boxes, per-thread streams, occupancy.
#include "check.h"
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

__global__ void add(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}

static void pools()
{
    cudaStream_t s, t;
    cudaMemPool_t pool, own;
    CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    uint64_t threshold = UINT64_MAX, used, reserved;
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    int *a, *b, *c, h[1000];
    CUDA(cudaMallocAsync(&a, sizeof h, s));
    CUDA(cudaMemsetAsync(a, 0, sizeof h, s));
    add<<<4, 256, 0, s>>>(a, 1000, 7);
    CUDA(cudaMemcpyAsync(h, a, sizeof h, cudaMemcpyDeviceToHost, s));
    CUDA(cudaFreeAsync(a, s));
    CUDA(cudaMallocAsync(&b, sizeof h, s));
    CHECK(a == b); // in the same stream it is there again at once
    CUDA(cudaStreamSynchronize(s));
    CHECK(h[0] == 7 && h[999] == 7);
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used >= sizeof h && used < 2 * sizeof h);
    CUDA(cudaFreeAsync(b, s));
    CHECK(cudaFreeAsync(b, s) == cudaErrorInvalidValue);
    CUDA(cudaFreeAsync(nullptr, s));
    CUDA(cudaStreamSynchronize(s));
    CUDA(cudaMallocAsync(&c, sizeof h, t)); // in another after the first has come so far
    CHECK(c == b);
    CUDA(cudaFree(c)); // cudaFree takes it too
    CUDA(cudaMemPoolTrimTo(pool, 0));
    CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    CHECK(reserved == 0);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.maxSize = 1 << 20;
    CUDA(cudaMemPoolCreate(&own, &props));
    CUDA(cudaMallocAsync(&a, 1 << 19, own, s)); // C++ knows it by this name, too
    CHECK(cudaMallocFromPoolAsync((void **)&b, 1 << 20, own, s) == cudaErrorMemoryAllocation);
    CUDA(cudaFreeAsync(a, s));
    CUDA(cudaStreamSynchronize(s));
    CUDA(cudaMemPoolDestroy(own));
    CHECK(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaStreamDestroy(t));
}

static void pageable()
{
    // a copy from pageable memory has taken it when the call returns
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    int *p, h[64], back[64];
    CUDA(cudaMalloc(&p, 4 << 20));
    for (int round = 0; round < 20; round++) {
        add<<<4096, 256, 0, s>>>(p, 1 << 20, 1); // keeps the stream busy
        for (int &x : h)
            x = round;
        CUDA(cudaMemcpyAsync(p, h, sizeof h, cudaMemcpyHostToDevice, s));
        memset(h, 0xee, sizeof h);
        CUDA(cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDeviceToHost, s));
        CHECK(back[0] == round && back[63] == round);
    }
    CUDA(cudaStreamDestroy(s));
    CUDA(cudaFree(p));
}

static void host_memory()
{
    int *pinned, *seen, *registered = (int *)aligned_alloc(4096, 4096);
    CUDA(cudaHostAlloc(&pinned, 4096, cudaHostAllocMapped));
    unsigned flags;
    CUDA(cudaHostGetFlags(&flags, pinned));
    CHECK(flags & cudaHostAllocMapped);
    cudaPointerAttributes a;
    CUDA(cudaPointerGetAttributes(&a, pinned + 1));
    CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == pinned + 1);
    CUDA(cudaHostRegister(registered, 4096, cudaHostRegisterMapped));
    CHECK(cudaHostRegister(registered, 4096, 0) == cudaErrorHostMemoryAlreadyRegistered);
    cudaError_t e = cudaHostGetDevicePointer(&seen, registered, 0);
    if (e == cudaSuccess) {
        memset(registered, 0, 4096);
        add<<<4, 256>>>(seen, 1024, 3);
        CUDA(cudaDeviceSynchronize());
        CHECK(registered[1023] == 3);
    } else {
        cudaDeviceProp p;
        CUDA(cudaGetDeviceProperties(&p, 0));
        CHECK(e == cudaErrorNotSupported && !p.canMapHostMemory);
    }
    CUDA(cudaHostUnregister(registered));
    CHECK(cudaHostUnregister(registered) == cudaErrorHostMemoryNotRegistered);
    CHECK(cudaHostUnregister(nullptr) == cudaErrorInvalidValue);
    CUDA(cudaPointerGetAttributes(&a, registered));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    cudaGetLastError();
    free(registered);
    CUDA(cudaFreeHost(pinned));
}

static void managed()
{
    int *p;
    cudaError_t e = cudaMallocManaged(&p, 4096);
    if (e == cudaErrorNotSupported) {
        cudaGetLastError();
        return;
    }
    CUDA(e);
    for (int i = 0; i < 1024; i++)
        p[i] = i;
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CUDA(cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, here));
    CUDA(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, host));
    CUDA(cudaMemPrefetchAsync(p, 4096, here, 0));
#if CUDART_VERSION < 13000
    CUDA(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    CUDA(cudaMemPrefetchAsync(p, 4096, 0));
#endif
    int value = -9;
    CUDA(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 4096));
    CHECK(value == 1);
    CUDA(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, p, 4096));
    CHECK(value == cudaCpuDeviceId);
    CUDA(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, p, 4096));
    CHECK(value == 0);
    add<<<4, 256>>>(p, 1024, 1);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[0] == 1 && p[1023] == 1024);
    CHECK(cudaMemAdvise(p, 8192, cudaMemAdviseSetReadMostly, here) == cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA(cudaFree(p));
}

static void boxes()
{
    cudaPitchedPtr d;
    CUDA(cudaMalloc3D(&d, make_cudaExtent(20, 5, 3)));
    CHECK(d.pitch >= 20);
    CUDA(cudaMemset3D(d, 1, make_cudaExtent(20, 5, 3)));
    unsigned char in[3][5][20], out[3][5][20] = {};
    for (int i = 0; i < 300; i++)
        (&in[0][0][0])[i] = (unsigned char)i;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(in, 20, 20, 5);
    p.dstPtr = d;
    p.dstPos = make_cudaPos(4, 1, 1);
    p.extent = make_cudaExtent(10, 3, 2);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    p = {};
    p.srcPtr = d;
    p.dstPtr = make_cudaPitchedPtr(out, 20, 20, 5);
    p.extent = make_cudaExtent(20, 5, 3);
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&p));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 20; x++) {
                bool inside = z >= 1 && y >= 1 && y < 4 && x >= 4 && x < 14;
                CHECK(out[z][y][x] == (inside ? in[z - 1][y - 1][x - 4] : 1));
            }
    CUDA(cudaFree(d.ptr));
}

static void one_thread(int k)
{
    int *p, h[256];
    CUDA(cudaMalloc(&p, sizeof h));
    CUDA(cudaMemsetAsync(p, 0, sizeof h, cudaStreamPerThread));
    for (int i = 0; i < 50; i++)
        add<<<1, 256, 0, cudaStreamPerThread>>>(p, 256, k + 1);
    CUDA(cudaMemcpyAsync(h, p, sizeof h, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    CUDA(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(h[255] == 50 * (k + 1));
    CUDA(cudaFree(p));
}
static void per_thread_streams()
{
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++)
        threads.emplace_back(one_thread, k);
    for (auto &t : threads)
        t.join();
}

int main()
{
    pools();
    pageable();
    host_memory();
    managed();
    boxes();
    per_thread_streams();
    int grid, block, blocks;
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
    CHECK(grid > 0 && block > 0 && block <= 1024);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
    CHECK(blocks > 0);
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, add));
    CHECK(a.maxThreadsPerBlock >= 256);
    size_t before, total;
    CUDA(cudaMemGetInfo(&before, &total));
    CHECK(total >= before && before > 0);
    puts("ok");
}
