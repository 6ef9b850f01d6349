// The driver API: contexts, modules from PTX, launches, memory, streams, events, errors.
#include "check_driver.h"
#include <cstring>

static const char ptx[] = R"(
.version 7.0
.target sm_50
.address_size 64
.global .align 4 .u32 bias = 5;
.visible .entry add(.param .u64 p, .param .u32 n, .param .f32 a)
{
    .reg .pred %q;
    .reg .b32 %r<8>;
    .reg .f32 %f<3>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [a];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %q, %r5, %r1;
    @%q bra done;
    mul.wide.u32 %d2, %r5, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r6, [bias];
    cvt.rn.f32.u32 %f2, %r6;
    add.f32 %f2, %f2, %f1;
    st.global.f32 [%d3], %f2;
done:
    ret;
}
)";

int main()
{
    int count = 0, value = 0;
    CHECK(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    CU(cuInit(0));
    CU(cuDeviceGetCount(&count));
    CHECK(count >= 1);
    CUdevice device;
    CU(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGet(&device, count) == CUDA_ERROR_INVALID_DEVICE);
    CU(cuDeviceGet(&device, 0));
    char name[100];
    CU(cuDeviceGetName(name, sizeof name, device));
    CHECK(name[0]);
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    CHECK(value == 32);
    CUdeviceptr p;
    CHECK(cuMemAlloc(&p, 64) == CUDA_ERROR_INVALID_CONTEXT);
    CUcontext context, top;
    CU(cuCtxCreate(&context, nullptr, 0, device));
#if CUDART_VERSION < 13000
    CU(cuCtxDestroy(context));
    CU(cuCtxCreate(&context, 0, device));
#endif
    // Either a device maps memory itself, or it says so and the calls do, too.
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t granularity = 0;
    CHECK(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
          (value ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED));
    CU(cuCtxGetCurrent(&top));
    CHECK(top == context);

    CUmodule module;
    CUfunction f;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CHECK(cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_50\n.visible .entry x() { nonsense; }", 2, options,
                             values) == CUDA_ERROR_INVALID_PTX);
    CHECK(strstr(log, "nonsense"));
    CHECK(cuModuleLoadData(&module, "\x7f" "ELF") == CUDA_ERROR_INVALID_IMAGE);
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&f, module, "add"));
    CHECK(cuModuleGetFunction(&f, module, "sub") == CUDA_ERROR_NOT_FOUND);
    CU(cuModuleGetFunction(&f, module, "add"));

    const unsigned n = 1000;
    static float h[n];
    float a = 0.5f;
    CU(cuMemAlloc(&p, sizeof h));
    CU(cuMemsetD32(p, 0, n));
    void *args[] = {&p, (void *)&n, &a};
    CUstream s;
    CUevent start, end;
    CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&start, 0));
    CU(cuEventCreate(&end, 0));
    CU(cuStreamSynchronize(0));
    CU(cuEventRecord(start, s));
    CU(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, s, args, nullptr));
    CU(cuEventRecord(end, s));
    CU(cuMemcpyDtoHAsync(h, p, sizeof h, s));
    CU(cuStreamSynchronize(s));
    for (float x : h)
        CHECK(x == 5.5f);
    float ms = -1;
    CU(cuEventElapsedTime(&ms, start, end));
    CHECK(ms >= 0);

    // a variable of the module, and packed arguments
    CUdeviceptr bias;
    size_t bytes;
    CU(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
    CHECK(bytes == 4);
    int seven = 7;
    CU(cuMemcpyHtoD(bias, &seven, 4));
    struct {
        CUdeviceptr p;
        unsigned n;
        float a;
    } block = {p, n, 1.0f};
    size_t size = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CU(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
    CU(cuMemcpyDtoH(h, p, sizeof h));
    for (float x : h)
        CHECK(x == 8.0f);

    // what goes wrong
    CHECK(cuLaunchKernel(f, 8, 1, 1, 4096, 1, 1, 0, nullptr, args, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFree(p + 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyHtoD(p, h, sizeof h + 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyHtoD(p + sizeof h, h, 4) == CUDA_ERROR_INVALID_VALUE);
    float stack[4];
    CHECK(cuMemcpyHtoD((CUdeviceptr)(size_t)stack, h, 4) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaGetLastError() == cudaSuccess); // the runtime's last error is its own
    const char *text;
    CU(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    CHECK(!strcmp(text, "out of memory"));

    // rows
    CUdeviceptr rows;
    size_t pitch;
    CU(cuMemAllocPitch(&rows, &pitch, 100, 10, 4));
    CU(cuMemsetD2D8(rows, pitch, 3, 100, 10));
    unsigned char packed[10][100] = {};
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = rows;
    c.srcPitch = pitch;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = packed;
    c.dstPitch = 100;
    c.WidthInBytes = 100;
    c.Height = 10;
    CU(cuMemcpy2D(&c));
    CHECK(packed[0][0] == 3 && packed[9][99] == 3);
    CUdeviceptr base;
    CU(cuMemGetAddressRange(&base, &size, rows + pitch));
    CHECK(base == rows && size == pitch * 10);

    // by name
    void *fn = nullptr;
    CUdriverProcAddressQueryResult status;
    CU(cuGetProcAddress("cuMemAlloc", &fn, 12000, 0, &status));
    CHECK(fn == (void *)cuMemAlloc && status == CU_GET_PROC_ADDRESS_SUCCESS);
    CU(cuGetProcAddress("cuNothing", &fn, 12000, 0, &status));
    CHECK(!fn && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);

    CU(cuMemFree(rows));
    CU(cuMemFree(p));
    CU(cuEventDestroy(start));
    CU(cuEventDestroy(end));
    CU(cuStreamDestroy(s));
    CU(cuModuleUnload(module));
    CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
    CU(cuCtxDestroy(context));
    CHECK(cuCtxDestroy(context) == CUDA_ERROR_INVALID_CONTEXT);

    // with the runtime: the primary context is the runtime's
    CU(cuDevicePrimaryCtxRetain(&context, device));
    CU(cuCtxSetCurrent(context));
    CUDA(cudaMalloc((void **)&p, 16));
    CU(cuMemcpyHtoD(p, h, 16));
    CU(cuMemFree(p));
    CU(cuDevicePrimaryCtxRelease(device));
    puts("ok");
}
