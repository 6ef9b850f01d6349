// What was destroyed, used again: an error, never more. What is made afterwards, perhaps at the same address, is alive.
#include <cstdio>
#include <cstring>
#include <cuda.h>

static int wrong;
#define GONE(call) ((call) ? void() : void((wrong++, printf("%s: no error\n", #call))))
#define GOOD(call) ((call) ? void((wrong++, printf("%s: an error\n", #call))) : void())

__global__ void set(int *x) { *x = 7; }

static void graphs(int *x)
{
    cudaGraph_t g, copy, child;
    cudaGraphExec_t exec, other;
    cudaGraphNode_t node, more;
    size_t n = 0;
    void *args[] = {&x};
    cudaKernelNodeParams p = {};
    p.func = (void *)set;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    for (int round = 0; round < 3; round++) {
        GOOD(cudaGraphCreate(&g, 0));
        GOOD(cudaGraphAddKernelNode(&node, g, nullptr, 0, &p));
        GOOD(cudaGraphCreate(&copy, 0));
        GOOD(cudaGraphAddChildGraphNode(&more, copy, nullptr, 0, g));
        GOOD(cudaGraphChildGraphNodeGetGraph(more, &child));
        GOOD(cudaGraphGetNodes(child, nullptr, &n));
        GOOD(cudaGraphInstantiate(&exec, copy, 0));
        GOOD(cudaGraphLaunch(exec, 0));
        GOOD(cudaGraphDestroy(g));
        GONE(cudaGraphDestroy(g));
        GONE(cudaGraphInstantiate(&other, g, 0));
        GONE(cudaGraphAddEmptyNode(&node, g, nullptr, 0));
        GONE(cudaGraphGetNodes(g, nullptr, &n));
        GONE(cudaGraphClone(&child, g));
        GONE(cudaGraphExecUpdate(exec, g, nullptr));
        GONE(cudaGraphAddChildGraphNode(&node, copy, nullptr, 0, g));
        GOOD(cudaGraphExecDestroy(exec));
        GONE(cudaGraphExecDestroy(exec));
        GONE(cudaGraphLaunch(exec, 0));
        GONE(cudaGraphUpload(exec, 0));
        GONE(cudaGraphExecUpdate(exec, copy, nullptr));
        GOOD(cudaGraphDestroy(copy));
        GONE(cudaGraphLaunch(exec, 0));
    }
}

static void arrays()
{
    cudaArray_t a, level;
    cudaMipmappedArray_t m;
    float v[16] = {};
    const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    for (int round = 0; round < 3; round++) {
        GOOD(cudaMallocArray(&a, &d, 4, 4));
        GOOD(cudaMemcpy2DToArray(a, 0, 0, v, 16, 16, 4, cudaMemcpyHostToDevice));
        GOOD(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(4, 4, 0), 2));
        GOOD(cudaFreeArray(a));
        GONE(cudaFreeArray(a));
        GONE(cudaMemcpy2DToArray(a, 0, 0, v, 16, 16, 4, cudaMemcpyHostToDevice));
        GONE(cudaMemcpy2DFromArray(v, 16, a, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
        GONE(cudaArrayGetInfo(nullptr, nullptr, nullptr, a));
        cudaResourceDesc r = {};
        cudaTextureDesc t = {};
        cudaTextureObject_t texture;
        r.resType = cudaResourceTypeArray;
        r.res.array.array = a;
        GONE(cudaCreateTextureObject(&texture, &r, &t, nullptr));
        GOOD(cudaGetMipmappedArrayLevel(&level, m, 1));
        GOOD(cudaArrayGetInfo(nullptr, nullptr, nullptr, level));
        GOOD(cudaFreeMipmappedArray(m));
        GONE(cudaFreeMipmappedArray(m));
        GONE(cudaGetMipmappedArrayLevel(&level, m, 0));
    }
}

static void functions()
{
    CUmodule m;
    CUfunction f;
    char data[64] = "not a function";
    for (int round = 0; round < 3; round++) {
        GOOD(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing() { ret; }"));
        GOOD(cuModuleGetFunction(&f, m, "nothing"));
        GOOD(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
        GOOD(cuCtxSynchronize());
        GOOD(cuModuleUnload(m));
        GONE(cuModuleUnload(m));
        GONE(cuModuleGetFunction(&f, m, "nothing"));
        GONE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr));
    }
    // What can never have been a kernel.
    GONE(cudaLaunchKernel((const void *)data, dim3(1), dim3(1), nullptr, 0, 0));
    cudaFuncAttributes a;
    GONE(cudaFuncGetAttributes(&a, (const void *)&wrong));
}

int main()
{
    int *x = nullptr, y = 0;
    GOOD(cudaMalloc(&x, sizeof *x));
    graphs(x);
    GOOD(cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost));
    arrays();
    functions();
    set<<<1, 1>>>(x);
    GOOD(cudaDeviceSynchronize());
    puts(wrong || y != 7 ? "wrong" : "ok");
    return wrong != 0;
}
