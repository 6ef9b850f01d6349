// Pieces of work in streams, ordered by events; a callback; a graph that was captured.
#include <cstdio>
__global__ void scale(float *x, int n, float f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= f;
}
static void CUDART_CB done(void *what)
{
    printf("%s\n", (const char *)what);
}
int main()
{
    const int n = 1024, parts = 4;
    float *h, *d;
    cudaStream_t s[parts], work;
    cudaEvent_t ready;
    cudaMallocHost((void **)&h, n * parts * sizeof(float));
    cudaMalloc((void **)&d, n * parts * sizeof(float));
    for (int i = 0; i < n * parts; i++)
        h[i] = i;
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    for (int k = 0; k < parts; k++) {
        cudaStreamCreate(&s[k]);
        cudaMemcpyAsync(d + k * n, h + k * n, n * sizeof(float), cudaMemcpyHostToDevice, s[k]);
        scale<<<n / 256, 256, 0, s[k]>>>(d + k * n, n, k + 1.0f);
        cudaMemcpyAsync(h + k * n, d + k * n, n * sizeof(float), cudaMemcpyDeviceToHost, s[k]);
    }
    cudaEventRecord(ready, s[3]);
    cudaStreamWaitEvent(s[0], ready, 0);
    cudaLaunchHostFunc(s[0], done, (void *)"all parts are back");
    for (int k = 0; k < parts; k++)
        cudaStreamSynchronize(s[k]);
    for (int k = 0; k < parts; k++)
        printf("part %d: %g %g\n", k, h[k * n], h[k * n + n - 1]);
    cudaStreamCreate(&work);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(work, cudaStreamCaptureModeGlobal);
    for (int k = 0; k < 3; k++)
        scale<<<n / 256, 256, 0, work>>>(d, n, 2.0f);
    cudaStreamEndCapture(work, &graph);
    cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
    for (int k = 0; k < 2; k++)
        cudaGraphLaunch(exec, work);
    cudaStreamSynchronize(work);
    cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("after the graph: %g\n", h[1]);
    cudaGraph_t made; // node by node
    cudaGraphExec_t again;
    cudaGraphNode_t first, second, third;
    int count = n;
    float half = 0.5f;
    void *args[] = {&d, &count, &half};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)scale;
    kernel.gridDim = dim3(n / 256);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = args;
    cudaHostNodeParams call = {done, (void *)"a node"};
    cudaGraphCreate(&made, 0);
    cudaGraphAddKernelNode(&first, made, nullptr, 0, &kernel);
    cudaGraphAddMemcpyNode1D(&second, made, &first, 1, h, d, 8, cudaMemcpyDeviceToHost);
    cudaGraphAddHostNode(&third, made, &second, 1, &call);
    cudaGraphInstantiate(&again, made, 0);
    half = 100; // what the node has is what it was made with
    cudaGraphLaunch(again, work);
    cudaStreamSynchronize(work);
    size_t nodes = 0;
    cudaGraphGetNodes(made, nullptr, &nodes);
    printf("node by node: %g, %zu nodes\n", h[1], nodes);
    cudaGraphExecDestroy(again);
    cudaGraphDestroy(made);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    for (int k = 0; k < parts; k++)
        cudaStreamDestroy(s[k]);
    cudaStreamDestroy(work);
    cudaEventDestroy(ready);
    cudaFreeHost(h);
    cudaFree(d);
    puts(cudaGetErrorName(cudaGetLastError()));
}
