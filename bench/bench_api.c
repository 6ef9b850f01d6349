/* What the APIs cost over the device: launches, allocations, events, copies, graphs. On the CPU
 * device, or the one that TERN_DEVICES names. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "bench.h"
#include "cuda/cuda.h"

enum { N = 2000, NODES = 100, COPY_BYTES = 64 << 20 };

static struct {
    CUfunction empty;
    CUdeviceptr p, big;
    void *host, *other;
    cudaEvent_t event;
    cudaGraphExec_t exec;
    struct tern_kernel *kernel;
    struct tern_device *device;
    cudaStream_t stream;
    CUgraph graph;
} b;

/* What the device itself takes for the same launches. */
static void device_launches(void *arg)
{
    const struct dev_driver *v = b.device->rt.driver;
    struct tern_stream *s = (struct tern_stream *)b.stream;
    uint64_t params[2] = {b.p, 0};
    (void)arg;
    for (int k = 0; k < N; k++) {
        const struct dev_launch l = {.grid = {1, 1, 1},
                                     .block = {1, 1, 1},
                                     .params = params,
                                     .param_bytes = b.kernel->rt->param_bytes};
        if (v->launch(b.device->rt.dev, s->queue, b.kernel->rt->dev, &l))
            exit(1);
    }
    v->queue_wait(s->queue);
}

static void launches(void *arg)
{
    void *args[] = {&b.p};
    (void)arg;
    for (int k = 0; k < N; k++)
        if (cuLaunchKernel(b.empty, 1, 1, 1, 1, 1, 1, 0, b.stream, args, NULL))
            exit(1);
    cuStreamSynchronize(b.stream);
}

static void allocations(void *arg)
{
    void *p;
    (void)arg;
    for (int k = 0; k < N; k++)
        if (cudaMalloc(&p, 1 << 16) || cudaFree(p))
            exit(1);
}

static void async_allocations(void *arg)
{
    void *p;
    (void)arg;
    for (int k = 0; k < N; k++)
        if (cudaMallocAsync(&p, 1 << 16, b.stream) || cudaFreeAsync(p, b.stream))
            exit(1);
    cudaStreamSynchronize(b.stream);
}

static void records(void *arg)
{
    (void)arg;
    for (int k = 0; k < N; k++)
        if (cudaEventRecord(b.event, b.stream))
            exit(1);
    cudaStreamSynchronize(b.stream);
}

static void copy_in(void *arg)
{
    (void)arg;
    if (cuMemcpyHtoD(b.big, b.host, COPY_BYTES))
        exit(1);
}

static void plain_copy(void *arg)
{
    (void)arg;
    memcpy(b.other, b.host, COPY_BYTES);
}

static void node_launches(void *arg)
{
    (void)arg;
    const struct dev_driver *v = b.device->rt.driver;
    struct tern_stream *s = (struct tern_stream *)b.stream;
    uint64_t params[2] = {b.p, 0};
    for (int r = 0; r < N / NODES; r++)
        for (int k = 0; k < NODES; k++) {
            const struct dev_launch l = {.grid = {1, 1, 1},
                                         .block = {1, 1, 1},
                                         .params = params,
                                         .param_bytes = b.kernel->rt->param_bytes};
            v->launch(b.device->rt.dev, s->queue, b.kernel->rt->dev, &l);
        }
    v->queue_wait(s->queue);
}

static void replays(void *arg)
{
    (void)arg;
    for (int k = 0; k < N / NODES; k++)
        if (cudaGraphLaunch(b.exec, b.stream))
            exit(1);
    cudaStreamSynchronize(b.stream);
}

int main(void)
{
    CUcontext context;
    CUmodule module;
    if (!getenv("TERN_DEVICES"))
        setenv("TERN_DEVICES", "cpu", 1);
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, "extern \"C\" __global__ void empty(int *p) {}\n") ||
        cuModuleGetFunction(&b.empty, module, "empty") || cuMemAlloc(&b.p, 64) ||
        cuMemAlloc(&b.big, COPY_BYTES) || cuEventCreate(&b.event, CU_EVENT_DISABLE_TIMING) ||
        cuStreamCreate(&b.stream, CU_STREAM_NON_BLOCKING))
        return 1;
    b.kernel = (struct tern_kernel *)b.empty;
    b.device = b.kernel->module->device;
    b.host = malloc(COPY_BYTES);
    b.other = malloc(COPY_BYTES);
    if (!b.host || !b.other)
        return 1;
    memset(b.host, 1, COPY_BYTES);
    memset(b.other, 1, COPY_BYTES);
    void *args[] = {&b.p};
    if (cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_RELAXED))
        return 1;
    for (int k = 0; k < NODES; k++)
        cuLaunchKernel(b.empty, 1, 1, 1, 1, 1, 1, 0, b.stream, args, NULL);
    if (cuStreamEndCapture(b.stream, &b.graph) || cuGraphInstantiate(&b.exec, b.graph, 0))
        return 1;

    const double own = bench_best(device_launches, NULL, 7) / N * 1e6;
    bench_report("launch, the device's own cost", own, "us", 0);
    bench_report("launch, the API's cost beyond", bench_best(launches, NULL, 7) / N * 1e6 - own,
                 "us", 2);
    bench_report("cudaMalloc and cudaFree of 64 KiB", bench_best(allocations, NULL, 7) / N * 1e6,
                 "us", 0.3);
    bench_report("cudaMallocAsync and cudaFreeAsync",
                 bench_best(async_allocations, NULL, 7) / N * 1e6, "us", 0);
    bench_report("cudaEventRecord", bench_best(records, NULL, 7) / N * 1e6, "us", 0.2);
    bench_report("memcpy of 64 MiB", COPY_BYTES / bench_best(plain_copy, NULL, 7) * 1e-9, "GB/s",
                 0);
    bench_report("cudaMemcpy of 64 MiB", COPY_BYTES / bench_best(copy_in, NULL, 7) * 1e-9, "GB/s",
                 0);
    const double nodes = bench_best(node_launches, NULL, 7) / N * 1e6;
    bench_report("graph of 100 kernels, beyond them",
                 bench_best(replays, NULL, 7) / N * 1e6 - nodes, "us/node", 0.5);
    return 0;
}
