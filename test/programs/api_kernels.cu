// Kernels by other names: functions and kernels of the driver API, libraries, and what is no kernel.
#include "check_driver.h"
#include <cstring>

__global__ void twice(int *p, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        p[k] *= 2;
}
template <int N> __global__ void plus(int *p)
{
    p[threadIdx.x] += N;
}
extern "C" __global__ void plain(int *p)
{
    p[threadIdx.x] = 7;
}
namespace {
struct two {
    int a, b;
};
__global__ void hidden(int *p, two t)
{
    p[threadIdx.x] = t.a + t.b;
}
} // namespace

static int called;
static void host_function(int *)
{
    called++;
}

static const char text[] = R"(
__device__ int bias = 3;
__managed__ int shared_with_host = 11;
extern "C" __global__ void first(int *p) { p[threadIdx.x] = bias; }
extern "C" __global__ void second(int *p, int by) { p[threadIdx.x] += by + (by < 0 ? shared_with_host : 0); }
)";
static const char ptx[] = R"(
.version 7.0
.target sm_50
.address_size 64
.global .align 4 .u32 count = 9;
.visible .entry fill(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r2, [count];
    st.global.u32 [%d3], %r2;
    ret;
}
)";

static int *d;
enum { N = 64 };

static int value(int at = N - 1)
{
    int h[N];
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; k++)
        CHECK(h[k] == h[at]);
    return h[at];
}

static void set(int v)
{
    int h[N];
    for (int &x : h)
        x = v;
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
}

// the program's own kernels
static void own()
{
    int n = N;
    void *args[] = {&d, &n};
    cudaFunction_t f, same;
    cudaKernel_t k, k2;
    CUDA(cudaGetFuncBySymbol(&f, (const void *)twice));
    CUDA(cudaGetFuncBySymbol(&same, (const void *)twice));
    CHECK(f == same);
    set(3);
    CU(cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, 0, args, nullptr));
    CHECK(value() == 6);
    CUDA(cudaLaunchKernel((const void *)f, dim3(2), dim3(32), args, 0, 0));
    CHECK(value() == 12);
    CUDA(cudaGetKernel(&k, (const void *)twice));
    CUDA(cudaGetKernel(&k2, (const void *)twice));
    CHECK(k == k2);
    CUDA(cudaLaunchKernel((const void *)k, dim3(2), dim3(32), args, 0, 0));
    CHECK(value() == 24);
    CU(cuLaunchKernel((CUfunction)k, 2, 1, 1, 32, 1, 1, 0, 0, args, nullptr));
    CHECK(value() == 48);
    CUfunction of_kernel;
    CU(cuKernelGetFunction(&of_kernel, k));
    CHECK(of_kernel == f);
    CUlibrary library = (CUlibrary)&d;
    CU(cuKernelGetLibrary(&library, k));
    CHECK(!library); // of the program itself
    const char *name = nullptr;
    CU(cuKernelGetName(&name, k));
    CHECK(strstr(name, "twice"));
    size_t offset = 99, size = 99;
    CU(cuKernelGetParamInfo(k, 1, &offset, &size));
    CHECK(offset == sizeof(int *) && size == sizeof(int));
    CHECK(cuKernelGetParamInfo(k, 2, &offset, &size) == CUDA_ERROR_INVALID_VALUE);
    int threads = 0;
    CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, (const void *)f));
    CHECK(threads == a.maxThreadsPerBlock && threads > 0);
    CU(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    CHECK(threads == a.maxThreadsPerBlock);
    CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
    CU(cuFuncLoad(f));
    CU(cuFuncIsLoaded(&state, f));
    CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);
    CUmodule module;
    unsigned count = 0;
    CU(cuFuncGetModule(&module, f));
    CU(cuModuleGetFunctionCount(&count, module));
    CHECK(count >= 4);
    CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE); // the program's

    // every kind of stub by its address
    void *one[] = {&d};
    CUDA(cudaLaunchKernel((const void *)plus<5>, dim3(1), dim3(N), one, 0, 0));
    CHECK(value() == 53);
    CUDA(cudaLaunchKernel((const void *)plus<-3>, dim3(1), dim3(N), one, 0, 0));
    CHECK(value() == 50);
    CUDA(cudaLaunchKernel((const void *)plain, dim3(1), dim3(N), one, 0, 0));
    CHECK(value() == 7);
    two t = {40, 2};
    void *pair[] = {&d, &t};
    CUDA(cudaLaunchKernel((const void *)hidden, dim3(1), dim3(N), pair, 0, 0));
    CHECK(value() == 42);

    // a graph's node
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaGraphExec_t x;
    cudaKernelNodeParams p = {};
    p.func = (void *)k;
    p.gridDim = dim3(2);
    p.blockDim = dim3(32);
    p.kernelParams = args;
    CUDA(cudaGraphCreate(&g, 0));
    CUDA(cudaGraphAddKernelNode(&node, g, nullptr, 0, &p));
    CUDA(cudaGraphInstantiate(&x, g, 0));
    CUDA(cudaGraphLaunch(x, 0));
    CHECK(value() == 84);
    CUDA(cudaGraphExecDestroy(x));
    CUDA(cudaGraphDestroy(g));
}

// what is no kernel is not called
static void none()
{
    int *p = d;
    void *args[] = {&p};
    cudaFunction_t f;
    cudaKernel_t k;
    cudaFuncAttributes a;
    CHECK(cudaLaunchKernel((const void *)host_function, dim3(1), dim3(1), args, 0, 0) ==
          cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetFuncBySymbol(&f, (const void *)host_function) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetKernel(&k, (const void *)host_function) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaFuncGetAttributes(&a, (const void *)host_function) == cudaErrorInvalidDeviceFunction);
    CHECK(cudaGetFuncBySymbol(&f, nullptr) == cudaErrorInvalidDeviceFunction);
    CHECK(!called);
    cudaGetLastError();
}

static void libraries()
{
    cudaLibrary_t l;
    cudaKernel_t k, all[4] = {};
    unsigned count = 0;
    CUDA(cudaLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA(cudaLibraryGetKernelCount(&count, l));
    CHECK(count == 1);
    CUDA(cudaLibraryEnumerateKernels(all, 4, l));
    CUDA(cudaLibraryGetKernel(&k, l, "fill"));
    CHECK(all[0] == k && !all[1]);
    CHECK(cudaLibraryGetKernel(&k, l, "nothing") == cudaErrorSymbolNotFound);
    void *args[] = {&d};
    CUDA(cudaLaunchKernel((const void *)k, dim3(1), dim3(N), args, 0, 0));
    CHECK(value() == 9);
    void *p;
    size_t bytes = 0;
    CUDA(cudaLibraryGetGlobal(&p, &bytes, l, "count"));
    CHECK(bytes == 4);
    int six = 6;
    CUDA(cudaMemcpy(p, &six, sizeof six, cudaMemcpyHostToDevice));
    CUDA(cudaLaunchKernel((const void *)k, dim3(1), dim3(N), args, 0, 0));
    CHECK(value() == 6);
    CHECK(cudaLibraryGetManaged(&p, &bytes, l, "count") == cudaErrorSymbolNotFound);
    CHECK(cudaLibraryGetUnifiedFunction(&p, l, "fill") == cudaErrorSymbolNotFound);
    CUlibrary of = nullptr;
    CU(cuKernelGetLibrary(&of, k));
    CHECK(of == l);
    CUmodule module;
    CU(cuLibraryGetModule(&module, l));
    CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE); // the library's
    CUDA(cudaLibraryUnload(l));
    CHECK(cudaLibraryUnload(l) == cudaErrorInvalidResourceHandle);
    CHECK(cuKernelGetLibrary(&of, k) == CUDA_ERROR_INVALID_HANDLE);

    const char *path = "api_kernels.ptx";
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(ptx, f) >= 0 && !fclose(f));
    CU(cuLibraryLoadFromFile(&l, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    remove(path);
    CU(cuLibraryGetKernel(&k, l, "fill"));
    CU(cuLaunchKernel((CUfunction)k, 1, 1, 1, N, 1, 1, 0, 0, args, nullptr));
    CHECK(value() == 9);
    CU(cuLibraryUnload(l));
    CHECK(cuLibraryLoadData(&l, "nonsense", nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_ERROR_INVALID_IMAGE);

    // CUDA C++ as text, with a managed variable
    CU(cuLibraryLoadData(&l, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CU(cuLibraryGetKernelCount(&count, l));
    CHECK(count == 2);
    int managed = 0;
    CUDA(cudaDeviceGetAttribute(&managed, cudaDevAttrConcurrentManagedAccess, 0));
    if (managed) {
        CUdeviceptr at;
        CU(cuLibraryGetManaged(&at, &bytes, l, "shared_with_host"));
        CHECK(bytes == sizeof(int) && *(int *)(uintptr_t)at == 11);
        *(int *)(uintptr_t)at = 100;
        int by = -1;
        void *two_args[] = {&d, &by};
        CU(cuLibraryGetKernel(&k, l, "second"));
        set(1);
        CU(cuLaunchKernel((CUfunction)k, 1, 1, 1, N, 1, 1, 0, 0, two_args, nullptr));
        CHECK(value() == 100);
    }
    CU(cuLibraryUnload(l));
}

// Several devices: one kernel, a function on each.
static void devices()
{
    int n = 0;
    CUDA(cudaGetDeviceCount(&n));
    cudaKernel_t k;
    CUDA(cudaGetKernel(&k, (const void *)plus<5>));
    for (int i = 0; i < n; i++) {
        int *p, h = 0;
        CUDA(cudaSetDevice(i));
        CUDA(cudaMalloc(&p, sizeof *p));
        CUDA(cudaMemset(p, 0, sizeof *p));
        void *args[] = {&p};
        CUDA(cudaLaunchKernel((const void *)k, dim3(1), dim3(1), args, 0, 0));
        CUDA(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
        CHECK(h == 5);
        CUDA(cudaFree(p));
    }
    CUDA(cudaSetDevice(0));
}

int main()
{
    CUDA(cudaMalloc(&d, N * sizeof *d));
    own();
    none();
    libraries();
    devices();
    CUDA(cudaDeviceReset()); // functions and libraries go with the device, and come again
    CUDA(cudaMalloc(&d, N * sizeof *d));
    own();
    printf("ok\n");
}
