// Variables and literals of the device, by their addresses: what they are part of, copies that are told no direction, and
// managed variables as the host's pointers.
// NOT ON: cuda: where literals lie is its driver's to know
#include <cstring>
#include <cuda.h>
#include "check.h"

__device__ int table[37];
__constant__ float factors[5] = {1, 2, 3, 4, 5};
__managed__ int shared_with_host[8];
__managed__ int total;
__device__ const char *text = "what a variable points to";

__global__ void addresses(const void **out, int which)
{
    out[0] = which ? "a literal" : text;
    out[1] = text;
    out[2] = &table[5];
    out[3] = &factors[1];
}

static void is_device(const void *p, size_t offset, size_t size)
{
    CUdeviceptr base;
    size_t bytes;
    unsigned type = 0;
    cudaPointerAttributes a;
    CHECK(cuMemGetAddressRange(&base, &bytes, (CUdeviceptr)p) == CUDA_SUCCESS);
    CHECK((CUdeviceptr)p - base == offset && bytes == size);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)p) == CUDA_SUCCESS);
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    CUDA(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == p && !a.hostPointer);
}

static void ranges()
{
    const void **out, *p[4];
    CUDA(cudaMalloc(&out, sizeof p));
    addresses<<<1, 1>>>(out, 1);
    CUDA(cudaMemcpy(p, out, sizeof p, cudaMemcpyDefault));
    is_device(p[0], 0, 10);
    is_device(p[1], 0, 26);
    is_device(p[2], 20, sizeof table);
    is_device(p[3], 4, sizeof factors);

    char host[26] = "";
    float two;
    CUDA(cudaMemcpy(host, p[0], 10, cudaMemcpyDeviceToHost));
    CHECK(!strcmp(host, "a literal"));
    CUDA(cudaMemcpy(host, p[1], 26, cudaMemcpyDefault));
    CHECK(!strcmp(host, "what a variable points to"));
    CUDA(cudaMemcpy(&two, p[3], sizeof two, cudaMemcpyDefault));
    CHECK(two == 2);
    void *at;
    CUDA(cudaGetSymbolAddress(&at, table));
    CHECK((char *)at + 20 == p[2]);

    CUdeviceptr base;
    size_t size;
    CHECK(cuMemGetAddressRange(&base, &size, (CUdeviceptr)&two) == CUDA_ERROR_NOT_FOUND);
    CUDA(cudaFree(out));
}

struct Part {
    char name; // so that the pointers do not come first
    int *first, *last;
};

__global__ void sum(const int *first, const int *last, int *into)
{
    while (first < last)
        *into += *first++;
    shared_with_host[0] = *into;
}
__global__ void sum_part(Part part, int *into)
{
    for (int *p = part.first; p < part.last; p++)
        *into += *p;
}
__global__ void twice()
{
    for (int &x : shared_with_host)
        x *= 2;
}

static void managed()
{
    for (int i = 0; i < 8; i++)
        shared_with_host[i] = i + 1;
    sum<<<1, 1>>>(shared_with_host, shared_with_host + 8, &total);
    CUDA(cudaDeviceSynchronize());
    CHECK(total == 36 && shared_with_host[0] == 36);
    total = 0;
    sum_part<<<1, 1>>>(Part{'a', shared_with_host + 1, shared_with_host + 4}, &total);
    CUDA(cudaDeviceSynchronize());
    CHECK(total == 9);

    // By what the host calls them, in the order of a stream.
    int more[4] = {10, 20, 30, 40}, back = 0;
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    shared_with_host[7] = 7;
    CUDA(cudaMemcpyAsync(shared_with_host, more, sizeof more, cudaMemcpyHostToDevice, s));
    twice<<<1, 1, 0, s>>>();
    CUDA(cudaMemcpyAsync(&back, &shared_with_host[3], sizeof back, cudaMemcpyDefault, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(back == 80 && shared_with_host[0] == 20 && shared_with_host[4] == 10 && shared_with_host[7] == 14);
    shared_with_host[7] = 9;
    CUDA(cudaMemcpyToSymbol(shared_with_host, more, sizeof(int), sizeof(int)));
    CHECK(shared_with_host[7] == 9 && shared_with_host[1] == 10);
    CUDA(cudaMemset(shared_with_host, 0, 2 * sizeof(int)));
    twice<<<1, 1>>>();
    CUDA(cudaDeviceSynchronize());
    CHECK(!shared_with_host[0] && !shared_with_host[1] && shared_with_host[7] == 18);

    // A graph keeps the pointer.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    sum<<<1, 1, 0, s>>>(shared_with_host + 6, shared_with_host + 8, &total);
    CUDA(cudaStreamEndCapture(s, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    total = 5;
    CUDA(cudaGraphLaunch(exec, s));
    CUDA(cudaStreamSynchronize(s));
    CHECK(total == 5 + 28 + 18);

    // It is managed memory.
    cudaPointerAttributes a;
    CUDA(cudaPointerGetAttributes(&a, &shared_with_host[3]));
    CHECK(a.type == cudaMemoryTypeManaged && a.hostPointer == &shared_with_host[3] && a.devicePointer == a.hostPointer);
    CUDA(cudaMemPrefetchAsync(shared_with_host, sizeof shared_with_host, 0, s));
    CUDA(cudaMemAdvise(shared_with_host, sizeof shared_with_host, cudaMemAdviseSetReadMostly, 0));
    void *at;
    CUDA(cudaGetSymbolAddress(&at, shared_with_host));
    CHECK(at == shared_with_host);
    CHECK(cudaFree(shared_with_host) == cudaErrorInvalidValue);
    CUDA(cudaStreamDestroy(s));
}

int main()
{
    ranges();
    managed();
    puts("ok");
}
