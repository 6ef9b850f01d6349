// Compilation at run time: source to PTX to a module; name expressions, headers, options, logs.
#include "check.h"
#include <cstring>
#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char source[] = R"(
#include "scale.h"
#include <other.h>
namespace ns {
template <class T, int N> __global__ void scale(T *p, T by) { p[threadIdx.x] *= by * N * FACTOR + OTHER; }
}
extern "C" __global__ void plain(int *p) { p[threadIdx.x] += twice(threadIdx.x); }
__constant__ int unused;
)";

// what says nothing of where it lives is the device's; a header comes first
static void default_device()
{
    static const char text[] = R"(
int table[4] = {1, 2, 3, 4};
int counter;
struct S {
    static int count;
    int v;
    int get() { return v + SEVEN; }
};
int S::count = 9;
static int twice(int x) { return 2 * x; }
template <class T> T four = T(4);
template <class F> int apply(F f, int x) { return f(x); }
extern "C" __global__ void all(int *p)
{
    S s{twice(p[0])};
    auto thrice = [](int q) { return q * 3; };
    p[0] = apply(thrice, s.get() + table[1]);
    counter += 2;
    p[1] = counter + S::count + four<int>;
}
)";
    nvrtcProgram p;
    const char *header = "#define SEVEN 7\n", *name = "seven.h",
               *options[] = {"-default-device", "--pre-include=seven.h", "--no-display-error-number", "-diag-suppress=177"};
    CHECK(nvrtcCreateProgram(&p, text, "default.cu", 1, &header, &name) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 3, options + 1) == NVRTC_ERROR_COMPILATION);
    CHECK(nvrtcCompileProgram(p, 4, options) == NVRTC_SUCCESS);
    size_t size;
    CHECK(nvrtcGetPTXSize(p, &size) == NVRTC_SUCCESS);
    std::string ptx(size, 0);
    CHECK(nvrtcGetPTX(p, &ptx[0]) == NVRTC_SUCCESS && nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    CUmodule m;
    CUfunction f;
    CHECK(cuModuleLoadData(&m, ptx.c_str()) == CUDA_SUCCESS && cuModuleGetFunction(&f, m, "all") == CUDA_SUCCESS);
    int h[2] = {1, 0}, *d;
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    void *args[] = {&d};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 33 && h[1] == 15);
    CHECK(cuModuleUnload(m) == CUDA_SUCCESS);
    CUDA(cudaFree(d));
}

// names with casts, blanks and aliases in them, and those of variables, which nothing may use
static void name_expressions()
{
    static const char text[] = R"(
namespace a {
using real = float;
template <int N, class T> __global__ void fill(T *p) { *p = N; }
template <bool B> __global__ void flag(int *p) { *p = B; }
__constant__ int c[3] = {5, 6, 7};
template <class T> __device__ T v = 8;
}
__device__ int plain = 9;
__device__ int helper() { return 1; }
)";
    static const char *const names[][2] = {{"a::fill<(int)3, float >", "_ZN1a4fillILi3EfEEvPT0_"},
                                           {"a::fill<1 + 2,a::real>", "_ZN1a4fillILi3EfEEvPT0_"},
                                           {"&a::flag<(bool)1>", "_ZN1a4flagILb1EEEvPi"},
                                           {"&a::c", "_ZN1a1cE"},
                                           {"a::v<int>", "_ZN1a1vIiEE"},
                                           {"&plain", "plain"}};
    nvrtcProgram p;
    CHECK(nvrtcCreateProgram(&p, text, "names.cu", 0, 0, 0) == NVRTC_SUCCESS);
    for (auto &n : names)
        CHECK(nvrtcAddNameExpression(p, n[0]) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, 0) == NVRTC_SUCCESS);
    size_t size;
    CHECK(nvrtcGetPTXSize(p, &size) == NVRTC_SUCCESS);
    std::string ptx(size, 0);
    CHECK(nvrtcGetPTX(p, &ptx[0]) == NVRTC_SUCCESS);
    for (auto &n : names) {
        const char *lowered = "";
        CHECK(nvrtcGetLoweredName(p, n[0], &lowered) == NVRTC_SUCCESS);
        if (strncmp(n[1], "_ZN1a4f", 7)) // how templates' results are written differs
            CHECK(!strcmp(lowered, n[1]));
        CHECK(ptx.find(lowered) != std::string::npos);
    }
    CUmodule m;
    CUDA(cudaFree(0));
    CHECK(cuModuleLoadData(&m, ptx.c_str()) == CUDA_SUCCESS);
    static const int values[] = {5, 8, 9};
    for (int k = 0; k < 3; k++) {
        CUdeviceptr at;
        int got = 0;
        CHECK(cuModuleGetGlobal(&at, &size, m, names[3 + k][1]) == CUDA_SUCCESS && size == (k ? 4u : 12u));
        CHECK(cuMemcpyDtoH(&got, at, sizeof got) == CUDA_SUCCESS && got == values[k]);
    }
    CHECK(cuModuleUnload(m) == CUDA_SUCCESS && nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    // which header is missing, and where it was wanted, programs read in the log
    const char *middle = "\n#include <not/there.h>\n", *called = "middle.h";
    CHECK(nvrtcCreateProgram(&p, "#include \"middle.h\"\n", "outer.cu", 1, &middle, &called) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, 0) == NVRTC_ERROR_COMPILATION && nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS);
    std::string log(size, 0);
    CHECK(nvrtcGetProgramLog(p, &log[0]) == NVRTC_SUCCESS);
    CHECK(log.find("middle.h(2): catastrophic error: cannot open source file \"not/there.h\"\n") != std::string::npos);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    // there is no other compiler that would see what is no declaration
    for (const char *wrong : {"NOT CUDA C!", "int f(unknown x) { return 0; }"}) {
        CHECK(nvrtcCreateProgram(&p, wrong, "wrong.cu", 0, 0, 0) == NVRTC_SUCCESS);
        CHECK(nvrtcCompileProgram(p, 0, 0) == NVRTC_ERROR_COMPILATION && nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    }
    CHECK(nvrtcCreateProgram(&p, text, "names.cu", 0, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "helper") == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, 0) == NVRTC_ERROR_COMPILATION);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

int main()
{
    name_expressions();
    int major, minor, archs;
    CHECK(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major >= 11);
    CHECK(nvrtcGetNumSupportedArchs(&archs) == NVRTC_SUCCESS && archs > 0);
    nvrtcProgram p;
    const char *headers[] = {"inline __device__ int twice(int x) { return 2 * x; }\n", "#define OTHER 1\n"},
               *names[] = {"scale.h", "other.h"};
    CHECK(nvrtcCreateProgram(&p, source, "source.cu", 2, headers, names) == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "ns::scale<float, 2>") == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "&ns::scale<int,3>") == NVRTC_SUCCESS);
    const char *options[] = {"--gpu-architecture=compute_80", "-DFACTOR=2", "-std=c++17", "-no-such-option"};
    CHECK(nvrtcCompileProgram(p, 4, options) == NVRTC_ERROR_INVALID_OPTION);
    CHECK(nvrtcCompileProgram(p, 3, options) == NVRTC_SUCCESS);
    size_t size;
    CHECK(nvrtcGetPTXSize(p, &size) == NVRTC_SUCCESS && size > 100);
    std::string ptx(size, 0);
    CHECK(nvrtcGetPTX(p, &ptx[0]) == NVRTC_SUCCESS && !ptx[size - 1] && strlen(ptx.c_str()) == size - 1);
    const char *scale_float, *scale_int, *none;
    CHECK(nvrtcGetLoweredName(p, "ns::scale<float, 2>", &scale_float) == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(p, "&ns::scale<int,3>", &scale_int) == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(p, "ns::other", &none) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CHECK(ptx.find(scale_float) != std::string::npos);

    CUDA(cudaFree(0));
    CUmodule m;
    CUfunction f, i, plain;
    CHECK(cuModuleLoadData(&m, ptx.c_str()) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&f, m, scale_float) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&i, m, scale_int) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&plain, m, "plain") == CUDA_SUCCESS);
    float h[4] = {1, 2, 3, 4}, by = 0.5f, *d;
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    void *args[] = {&d, &by};
    CHECK(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS);
    CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 3 && h[3] == 12);
    int whole = 2, k[4] = {1, 1, 1, 1};
    CUDA(cudaMemcpy(d, k, sizeof k, cudaMemcpyHostToDevice));
    args[1] = &whole;
    CHECK(cuLaunchKernel(i, 1, 1, 1, 4, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS);
    CHECK(cuLaunchKernel(plain, 1, 1, 1, 4, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS);
    CUDA(cudaMemcpy(k, d, sizeof k, cudaMemcpyDeviceToHost));
    CHECK(k[0] == 13 && k[3] == 19);
    CHECK(cuModuleUnload(m) == CUDA_SUCCESS);

    // for a real architecture there is an image too, which loads
    CHECK(nvrtcGetCUBINSize(p, &size) == NVRTC_SUCCESS && size == 0);
    options[0] = "-arch=sm_80";
    CHECK(nvrtcCompileProgram(p, 3, options) == NVRTC_SUCCESS);
    CHECK(nvrtcGetCUBINSize(p, &size) == NVRTC_SUCCESS && size > 100);
    std::string cubin(size, 0);
    CHECK(nvrtcGetCUBIN(p, &cubin[0]) == NVRTC_SUCCESS);
    CHECK(cuModuleLoadData(&m, cubin.data()) == CUDA_SUCCESS);
    CHECK(cuModuleGetFunction(&plain, m, "plain") == CUDA_SUCCESS);
    CHECK(cuModuleUnload(m) == CUDA_SUCCESS);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS && !p);

    // the language is the one that is asked for
    CHECK(nvrtcCreateProgram(&p, "#if __cplusplus < 202002L\n#error an older one\n#endif\n", "language.cu", 0, 0, 0) == NVRTC_SUCCESS);
    const char *twenty = "--std=c++20";
    CHECK(nvrtcCompileProgram(p, 1, &twenty) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_ERROR_COMPILATION);
    for (const char *none : {"-std=c++26", "--std=c++1998", "-std=17"})
        CHECK(nvrtcCompileProgram(p, 1, &none) == NVRTC_ERROR_INVALID_OPTION);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    CHECK(nvrtcCreateProgram(&p, "#if __cplusplus != 199711L\n#error another one\n#endif\n", "language.cu", 0, 0, 0) == NVRTC_SUCCESS);
    const char *three = "-std=c++03";
    CHECK(nvrtcCompileProgram(p, 1, &three) == NVRTC_SUCCESS);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    default_device();

    // what is refused says why
    CHECK(nvrtcCreateProgram(&p, "__global__ void k(int *p) { *p = undeclared; }", "bad.cu", 0, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, 0) == NVRTC_ERROR_COMPILATION);
    CHECK(nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS && size > 10);
    std::string log(size, 0);
    CHECK(nvrtcGetProgramLog(p, &log[0]) == NVRTC_SUCCESS);
    CHECK(log.find("bad.cu") != std::string::npos);
#ifndef BY_NVCC // which words it differently, and has a size of what is not there
    CHECK(log.find("bad.cu:1") != std::string::npos && log.find("undeclared") != std::string::npos);
    CHECK(nvrtcGetPTXSize(p, &size) == NVRTC_ERROR_INVALID_PROGRAM);
#endif
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    // double as pairs of floats: 48 bits instead of 53
    for (const char *f64 : {"--f64=exact", "--f64=fast"}) {
        const bool fast = !strcmp(f64, "--f64=fast");
        CHECK(nvrtcCreateProgram(&p, "extern \"C\" __global__ void third(double *x) { x[0] = x[0] / 3 + x[1]; }", "third.cu",
                                 0, 0, 0) == NVRTC_SUCCESS);
        CHECK(nvrtcCompileProgram(p, 1, &f64) == NVRTC_SUCCESS && nvrtcGetPTXSize(p, &size) == NVRTC_SUCCESS);
        ptx.assign(size, 0);
        CHECK(nvrtcGetPTX(p, &ptx[0]) == NVRTC_SUCCESS && nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
        CHECK((ptx.find("div.rn.f64") == std::string::npos) == fast);
        CHECK(cuModuleLoadData(&m, ptx.c_str()) == CUDA_SUCCESS && cuModuleGetFunction(&f, m, "third") == CUDA_SUCCESS);
        double x[2] = {1, 0}, *on_device, off;
        CUDA(cudaMalloc(&on_device, sizeof x));
        CUDA(cudaMemcpy(on_device, x, sizeof x, cudaMemcpyHostToDevice));
        void *pointer[] = {&on_device};
        CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, pointer, 0) == CUDA_SUCCESS);
        CUDA(cudaMemcpy(x, on_device, sizeof x, cudaMemcpyDeviceToHost));
        off = x[0] * 3 - 1;
        CHECK(fast ? off > -1e-13 && off < 1e-13 : off == 0);
        CHECK(cuModuleUnload(m) == CUDA_SUCCESS);
    }
    const char *unknown = "--f64=quick";
    CHECK(nvrtcCreateProgram(&p, "", "empty.cu", 0, 0, 0) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 1, &unknown) == NVRTC_ERROR_INVALID_OPTION && nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    puts("ok");
}
