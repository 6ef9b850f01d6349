// The driver API as it was before CUDA 4: launches kept with the function, counted contexts, texture references.
// NOT ON: vulkan: the device has no textures
#include "check_driver.h"

static const char text[] = R"(
texture<float, 1, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> plane;
__device__ int other;
extern "C" __global__ void read_line(float *out, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        out[k] = tex1Dfetch(line, k) + other;
}
extern "C" __global__ void read_plane(float *out, float x, float y)
{
    *out = tex2D(plane, x, y);
}
extern "C" __global__ void scale(float *p, float by, int from, double plus)
{
    extern __shared__ float s[];
    const int k = threadIdx.x + threadIdx.y * blockDim.x + (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x * blockDim.y;
    s[threadIdx.x] = by;
    __syncthreads();
    if (k >= from)
        p[k] = p[k] * s[threadIdx.x] + (float)plus;
}
)";

enum { N = 32 };
static CUdeviceptr d;
static float h[N];

static void set()
{
    for (int k = 0; k < N; k++)
        h[k] = (float)k;
    CU(cuMemcpyHtoD(d, h, sizeof h));
}

static void launches(CUmodule m)
{
    CUfunction f;
    CU(cuModuleGetFunction(&f, m, "scale"));
    double plus = 0.5;
    set();
    CU(cuFuncSetBlockShape(f, 4, 2, 1));
    CU(cuFuncSetSharedSize(f, 4 * sizeof(float)));
    CU(cuParamSetv(f, 0, &d, sizeof d));
    CU(cuParamSetf(f, 8, 2.0f));
    CU(cuParamSeti(f, 12, 1));
    CU(cuParamSetv(f, 16, &plus, sizeof plus));
    CU(cuParamSetSize(f, 16));
    CHECK(cuLaunchGrid(f, 2, 2) == CUDA_ERROR_INVALID_VALUE); // an argument is missing
    CU(cuParamSetSize(f, 24));
    CU(cuLaunchGrid(f, 2, 2));
    CU(cuMemcpyDtoH(h, d, sizeof h));
    CHECK(h[0] == 0 && h[1] == 2.5f && h[N - 1] == 2 * (N - 1) + 0.5f);
    set();
    CU(cuLaunch(f)); // one block
    CU(cuMemcpyDtoH(h, d, sizeof h));
    CHECK(h[7] == 14.5f && h[8] == 8);
    CUstream s;
    CU(cuStreamCreate(&s, 0));
    set();
    CU(cuParamSetf(f, 8, 3.0f));
    CU(cuLaunchGridAsync(f, 4, 1, s));
    CU(cuStreamSynchronize(s));
    CU(cuMemcpyDtoH(h, d, sizeof h));
    CHECK(h[N - 1] == 3 * (N - 1) + 0.5f);
    CU(cuStreamDestroy(s));
    CHECK(cuFuncSetBlockShape(f, 0, 1, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSetSize(f, 1 << 20) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuParamSeti(f, 4094, 1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuFuncSetBlockShape(nullptr, 1, 1, 1) == CUDA_ERROR_INVALID_HANDLE);
}

static void references(CUmodule m)
{
    CUtexref line, same, plane, own;
    CUfunction f;
    CUdeviceptr at, out;
    int n = N;
    CU(cuModuleGetTexRef(&line, m, "line"));
    CU(cuModuleGetTexRef(&same, m, "line"));
    CHECK(line == same);
    CHECK(cuModuleGetTexRef(&same, m, "other") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetTexRef(&same, m, "nothing") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuTexRefGetAddress(&at, line) == CUDA_ERROR_INVALID_VALUE); // nothing is bound
    CU(cuMemAlloc(&out, sizeof h));
    set();
    size_t offset = 9;
    CU(cuTexRefSetFormat(line, CU_AD_FORMAT_FLOAT, 1));
    CU(cuTexRefSetAddress(&offset, line, d, sizeof h));
    CHECK(!offset);
    CU(cuTexRefGetAddress(&at, line));
    CHECK(at == d);
    CU(cuModuleGetFunction(&f, m, "read_line"));
    CU(cuParamSetTexRef(f, CU_PARAM_TR_DEFAULT, line));
    void *args[] = {&out, &n};
    CU(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, 0, args, nullptr));
    float r[N];
    CU(cuMemcpyDtoH(r, out, sizeof r));
    for (int k = 0; k < N; k++)
        CHECK(r[k] == h[k]);

    // an array, whose filter changes while it is bound
    CUarray array, got;
    CUDA_ARRAY_DESCRIPTOR desc = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    CU(cuArrayCreate(&array, &desc));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = h;
    copy.srcPitch = 8 * sizeof(float);
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 8 * sizeof(float);
    copy.Height = 4;
    CU(cuMemcpy2D(&copy));
    CU(cuModuleGetTexRef(&plane, m, "plane"));
    CU(cuTexRefSetFilterMode(plane, CU_TR_FILTER_MODE_POINT));
    CU(cuTexRefSetAddressMode(plane, 0, CU_TR_ADDRESS_MODE_CLAMP));
    CU(cuTexRefSetAddressMode(plane, 1, CU_TR_ADDRESS_MODE_CLAMP));
    CU(cuTexRefSetArray(plane, array, CU_TRSA_OVERRIDE_FORMAT));
    CU(cuTexRefGetArray(&got, plane));
    CHECK(got == array);
    CU(cuModuleGetFunction(&f, m, "read_plane"));
    float x = 2, y = 1.5f, v = -1;
    void *at2[] = {&out, &x, &y};
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, at2, nullptr));
    CU(cuMemcpyDtoH(&v, out, sizeof v));
    CHECK(v == 10); // row 1, column 2
    CU(cuTexRefSetFilterMode(plane, CU_TR_FILTER_MODE_LINEAR));
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, at2, nullptr));
    CU(cuMemcpyDtoH(&v, out, sizeof v));
    CHECK(v == 9.5f); // between columns 1 and 2
    CUfilter_mode mode;
    CUaddress_mode address;
    CUarray_format format;
    int channels = 0;
    unsigned flags = 9;
    CU(cuTexRefGetFilterMode(&mode, plane));
    CU(cuTexRefGetAddressMode(&address, plane, 1));
    CU(cuTexRefGetFormat(&format, &channels, plane));
    CU(cuTexRefGetFlags(&flags, plane));
    CHECK(mode == CU_TR_FILTER_MODE_LINEAR && address == CU_TR_ADDRESS_MODE_CLAMP &&
          format == CU_AD_FORMAT_FLOAT && channels == 1 && !flags);

    // pitched memory
    CUDA_ARRAY_DESCRIPTOR flat = {4, 2, CU_AD_FORMAT_FLOAT, 1};
    CU(cuTexRefSetFilterMode(plane, CU_TR_FILTER_MODE_POINT));
    CU(cuTexRefSetAddress2D(plane, &flat, d, 16 * sizeof(float)));
    x = 3.5f;
    CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, at2, nullptr));
    CU(cuMemcpyDtoH(&v, out, sizeof v));
    CHECK(v == 19);

    // one of no module
    float border[4] = {1, 2, 3, 4}, back[4];
    CU(cuTexRefCreate(&own));
    CU(cuTexRefSetBorderColor(own, border));
    CU(cuTexRefGetBorderColor(back, own));
    CHECK(back[3] == 4);
    CU(cuTexRefSetMaxAnisotropy(own, 4));
    CU(cuTexRefGetMaxAnisotropy(&channels, own));
    CHECK(channels == 4);
    CU(cuTexRefDestroy(own));
    CHECK(cuTexRefDestroy(own) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefDestroy(line) == CUDA_ERROR_INVALID_VALUE); // the module's
    CUsurfref surface;
    CHECK(cuModuleGetSurfRef(&surface, m, "line") == CUDA_ERROR_NOT_FOUND);
    CU(cuArrayDestroy(array));
    CU(cuMemFree(out));
}

// What is left of the table: every name has an address, and what is refused says so.
static void names()
{
    void *p;
    CUdriverProcAddressQueryResult found;
    for (const char *name : {"cuGraphAddNode", "cuStreamBatchMemOp", "cuTexRefSetAddress2D_v3", "cuGreenCtxCreate",
                             "cuMulticastCreate", "cuLibraryGetKernelCount", "cuCtxCreate_v3", "cuMemMap"}) {
        CU(cuGetProcAddress(name, &p, 12040, 0, &found));
        CHECK(p && found == CU_GET_PROC_ADDRESS_SUCCESS);
    }
    // one name, two sets of parameters: as the program's CUDA has them
    void *older, *newer;
    CU(cuGetProcAddress("cuGraphAddNode", &older, 12040, 0, &found));
    CU(cuGetProcAddress("cuGraphAddNode", &newer, 13000, 0, &found));
    CU(cuGetProcAddress("cuGraphAddNode_v2", &p, 12040, 0, &found));
    CHECK(newer == p && older != p);
    // and for a default stream of each thread's own, by flag; where that is no difference it is the same function
    const cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    CU(cuGetProcAddress("cuStreamQuery", &older, 12040, 0, &found));
    CU(cuGetProcAddress("cuStreamQuery", &newer, 12040, per_thread, &found));
    CHECK(older && newer && older != newer);
    CU(cuGetProcAddress("cuInit", &older, 12040, 0, &found));
    CU(cuGetProcAddress("cuInit", &newer, 12040, per_thread, &found));
    CHECK(older && older == newer);
    cudaDriverEntryPointQueryResult entry;
    CUDA(cudaGetDriverEntryPointByVersion("cuGraphAddNode", &p, 12040, ::cudaEnableDefault, &entry));
    CUDA(cudaGetDriverEntryPointByVersion("cuGraphAddNode", &newer, 13000, cudaEnableDefault, &entry));
    CHECK(entry == cudaDriverEntryPointSuccess && p != newer);
    CUmemGenericAllocationHandle handle;
    CUmulticastObjectProp prop = {};
    int value = 1;
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
    CHECK(!value && cuMulticastCreate(&handle, &prop) == CUDA_ERROR_NOT_SUPPORTED);
    CUexternalMemory memory;
    CHECK(cuImportExternalMemory(&memory, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
    cudaExternalMemory_t imported;
    CHECK(cudaImportExternalMemory(&imported, nullptr) == cudaErrorNotSupported);
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, 0));
    CHECK(!value && cuArrayGetSparseProperties(&sparse, nullptr) == CUDA_ERROR_INVALID_VALUE);
}

int main()
{
    CU(cuInit(0));
    CUcontext c, again;
    CU(cuCtxCreate(&c, 0, 0));
    CU(cuCtxAttach(&again, 0));
    CHECK(again == c);
    CU(cuCtxDetach(c));
    CUmodule m;
    CU(cuMemAlloc(&d, sizeof h));
    CU(cuModuleLoadData(&m, text));
    launches(m);
    references(m);
    names();
    CU(cuModuleUnload(m));
    CU(cuMemFree(d));
    CU(cuCtxDetach(c)); // the last: it goes
    CHECK(cuCtxDetach(c) == CUDA_ERROR_INVALID_CONTEXT);
    printf("ok\n");
}
