// A program whose records are known: test/prof/check.mjs counts them.
#include <cstdio>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtx3.hpp>
#include <pthread.h>

struct own_domain {
    static constexpr const char *name = "library";
};

__global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
__global__ void add_one(float *x)
{
    x[threadIdx.x] += 1;
}

static void *other_thread(void *)
{
    nvtx3::scoped_range range{"other \"thread\"", nvtx3::rgb{200, 10, 10}};
    float *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    add_one<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    cudaFree(p);
    return nullptr;
}

int main(int argc, char **argv)
{
    const int n = 1 << 16;
    static float host[n];
    float *x, *kept;
    if (argc > 1 && argv[1][0] == 'b') // bounded by the program
        cudaProfilerStart();
    nvtxRangePush("all");
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&kept, 1024);
    cudaMemcpy(x, host, n * sizeof *x, cudaMemcpyHostToDevice);
    cudaStream_t s;
    cudaStreamCreate(&s);
    nvtxRangeId_t span = nvtxRangeStartA("launches");
    {
        nvtx3::scoped_range_in<own_domain> range{"in a domain"};
        for (int k = 0; k < 10; k++)
            scale<<<n / 256, 256, 0, s>>>(x, 2, n);
        cudaStreamSynchronize(s);
    }
    nvtxRangeEnd(span);
    nvtxMark("half");
    if (argc > 1 && argv[1][0] == 'b')
        cudaProfilerStop();

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add_one<<<1, 64, 0, s>>>(x);
    add_one<<<1, 128, 0, s>>>(x);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);

    pthread_t thread;
    pthread_create(&thread, nullptr, other_thread, nullptr);
    pthread_join(thread, nullptr);
    cudaMemcpy(host, x, n * sizeof *x, cudaMemcpyDeviceToHost);
    cudaMemcpy(x + n / 2, x, n / 2 * sizeof *x, cudaMemcpyDeviceToDevice);
    cudaFree(x); // kept is not
    cudaStreamDestroy(s);
    nvtxRangePop();
    printf("done %g\n", host[0]);
}
