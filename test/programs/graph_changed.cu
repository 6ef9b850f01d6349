// Executable graphs that are changed while they run: what was launched stays as it was. Launches of one graph on two streams come
// one after the other.
#include "check.h"

struct numbers { // more than what devices take beside a launch
    long long *sum, what, others[20];
};

__global__ void add(numbers n, int turns)
{
    volatile long long *sum = n.sum;
    for (int k = 0; k < turns; k++) { // long enough to be overtaken
        long long was = *sum;
        *sum = was + n.what;
    }
}

const int turns = 10000;

struct graph {
    cudaGraph_t nodes;
    cudaGraphExec_t run;
    cudaGraphNode_t first;
};

static graph made(long long *sum)
{
    graph g;
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    add<<<1, 1, 0, s>>>({sum, 1}, turns);
    add<<<1, 1, 0, s>>>({sum, 1}, turns);
    CUDA(cudaStreamEndCapture(s, &g.nodes));
    CUDA(cudaGraphInstantiate(&g.run, g.nodes, 0));
    size_t one = 1;
    CUDA(cudaGraphGetRootNodes(g.nodes, &g.first, &one));
    CUDA(cudaStreamDestroy(s));
    return g;
}

static void change(const graph &g, long long *sum, long long what)
{
    cudaKernelNodeParams p;
    int n = turns;
    numbers with = {sum, what};
    void *args[] = {&with, &n};
    CUDA(cudaGraphKernelNodeGetParams(g.first, &p));
    p.kernelParams = args;
    CUDA(cudaGraphExecKernelNodeSetParams(g.run, g.first, &p));
    void *reused; // memory of what was changed, if it was given back too early
    CUDA(cudaMalloc(&reused, sizeof with));
    CUDA(cudaMemset(reused, 0, sizeof with));
}

int main()
{
    long long *sum, found = 0, wanted = 0;
    CUDA(cudaMalloc(&sum, sizeof *sum));
    CUDA(cudaMemset(sum, 0, sizeof *sum));
    graph g = made(sum);
    cudaStream_t s[2];
    for (cudaStream_t &each : s)
        CUDA(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 6; k++) {
        change(g, sum, k);
        CUDA(cudaGraphLaunch(g.run, s[0]));
        CUDA(cudaGraphLaunch(g.run, s[k & 1]));
        CUDA(cudaGraphLaunch(g.run, s[1]));
        wanted += 3LL * turns * (k + 1);
    }
    CUDA(cudaGraphExecDestroy(g.run)); // while it runs
    CUDA(cudaGraphDestroy(g.nodes));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    CHECK(found == wanted);
    puts("ok");
}
