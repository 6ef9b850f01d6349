// One thread with several devices: ncclCommInitAll, groups, graphs, splits, shrinking, streams in any order; and calls
// that must be refused. Needs two devices: TERN_DEVICES=cpu,cpu.
#include "ranks.h"

static int errors;

static void expect(const char *what, double got, double want)
{
    if (got != want && errors++ < 20)
        printf("%s: %g, not %g\n", what, got, want);
}

__global__ void fill(float *x, int n, float v)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = v + (float)(i % 7);
}

__global__ void twice(float *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] *= 2;
}

struct Device {
    ncclComm_t comm;
    cudaStream_t stream, other;
    float *x, *y;
};
enum { N = 100003 };

static void expect_all(const char *what, Device &d, const float *p, float base, float step)
{
    std::vector<float> h(N);
    CUDA(cudaStreamSynchronize(d.stream));
    CUDA(cudaMemcpy(h.data(), p, N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; k++)
        if (h[k] != base + step * (float)(k % 7)) {
            expect(what, h[k], base + step * (float)(k % 7));
            return;
        }
}

// Kernels before and after, in stream order, without waiting.
static void in_stream_order(std::vector<Device> &all)
{
    const int n = (int)all.size();
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < n; k++) {
            CUDA(cudaSetDevice(k));
            fill<<<8, 64, 0, all[k].stream>>>(all[k].x, N, (float)(k + round));
        }
        NCCL(ncclGroupStart());
        for (auto &d : all)
            NCCL(ncclAllReduce(d.x, d.y, N, ncclFloat, ncclSum, d.comm, d.stream));
        NCCL(ncclGroupEnd());
        for (int k = 0; k < n; k++) {
            CUDA(cudaSetDevice(k));
            twice<<<8, 64, 0, all[k].stream>>>(all[k].y, N);
        }
        for (int k = 0; k < n; k++) {
            CUDA(cudaSetDevice(k));
            expect_all("stream order", all[k], all[k].y, (float)(2 * n * round + n * (n - 1)), 2.f * n);
        }
    }
}

// Operations of one communicator on two streams keep their order.
static void two_streams(std::vector<Device> &all)
{
    const int n = (int)all.size();
    for (int k = 0; k < n; k++) {
        CUDA(cudaSetDevice(k));
        fill<<<8, 64, 0, all[k].stream>>>(all[k].x, N, 1);
    }
    for (int step = 0; step < 4; step++) {
        NCCL(ncclGroupStart());
        for (auto &d : all)
            NCCL(ncclAllReduce(d.x, d.x, N, ncclFloat, ncclMax, d.comm, step % 2 ? d.other : d.stream));
        NCCL(ncclGroupEnd());
    }
    NCCL(ncclGroupStart()); // two in one group
    for (auto &d : all) {
        NCCL(ncclAllReduce(d.x, d.y, N, ncclFloat, ncclSum, d.comm, d.stream));
        NCCL(ncclBroadcast(d.y, d.x, N, ncclFloat, n - 1, d.comm, d.other));
    }
    NCCL(ncclGroupEnd());
    for (int k = 0; k < n; k++) {
        CUDA(cudaSetDevice(k));
        CUDA(cudaStreamSynchronize(all[k].other));
        expect_all("two streams", all[k], all[k].x, (float)n, (float)n);
    }
}

static void graphs(std::vector<Device> &all)
{
    const int n = (int)all.size();
    std::vector<cudaGraphExec_t> run(n), bare(n);
    // Graphs of nothing but operations, made and launched while another device is the current one.
    for (int k = 0; k < n; k++) {
        cudaGraph_t g;
        CUDA(cudaSetDevice(k));
        fill<<<8, 64, 0, all[k].stream>>>(all[k].x, N, (float)k);
        CUDA(cudaStreamBeginCapture(all[k].stream, cudaStreamCaptureModeThreadLocal));
        NCCL(ncclAllReduce(all[k].x, all[k].y, N, ncclFloat, ncclMax, all[k].comm, all[k].stream));
        CUDA(cudaStreamEndCapture(all[k].stream, &g));
        CUDA(cudaSetDevice(0));
        CUDA(cudaGraphInstantiate(&bare[k], g, NULL, NULL, 0));
        CUDA(cudaGraphDestroy(g));
    }
    for (int k = 0; k < n; k++)
        CUDA(cudaGraphLaunch(bare[k], all[k].stream));
    for (int k = 0; k < n; k++) {
        expect_all("bare graph", all[k], all[k].y, (float)(n - 1), 1);
        CUDA(cudaGraphExecDestroy(bare[k]));
    }
    for (int k = 0; k < n; k++) {
        cudaGraph_t g;
        Device &d = all[k];
        CUDA(cudaSetDevice(k));
        CUDA(cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal));
        fill<<<8, 64, 0, d.stream>>>(d.x, N, (float)k);
        NCCL(ncclAllReduce(d.x, d.y, N, ncclFloat, ncclSum, d.comm, d.stream));
        twice<<<8, 64, 0, d.stream>>>(d.y, N);
        NCCL(ncclAllReduce(d.y, d.x, N, ncclFloat, ncclAvg, d.comm, d.stream));
        CUDA(cudaStreamEndCapture(d.stream, &g));
        CUDA(cudaGraphInstantiate(&run[k], g, NULL, NULL, 0));
        CUDA(cudaGraphDestroy(g));
        CUDA(cudaMemset(d.x, 0, N * sizeof(float)));
    }
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < n; k++) {
            CUDA(cudaSetDevice(k));
            CUDA(cudaGraphLaunch(run[k], all[k].stream));
        }
    for (int k = 0; k < n; k++) {
        CUDA(cudaSetDevice(k));
        expect_all("graph", all[k], all[k].x, (float)(n * (n - 1)), 2.f * n);
        CUDA(cudaGraphExecDestroy(run[k]));
    }
}

static void splits(std::vector<Device> &all)
{
    const int n = (int)all.size();
    std::vector<ncclComm_t> half(n), turned(n), fewer(n);
    NCCL(ncclGroupStart());
    for (int k = 0; k < n; k++)
        NCCL(ncclCommSplit(all[k].comm, k % 2, 0, &half[k], NULL));
    NCCL(ncclGroupEnd());
    NCCL(ncclGroupStart());
    for (int k = 0; k < n; k++)
        NCCL(ncclCommSplit(all[k].comm, k == 0 ? NCCL_SPLIT_NOCOLOR : 5, -k, &turned[k], NULL));
    NCCL(ncclGroupEnd());
    expect("nobody's", turned[0] == NULL, 1);
    int exclude = 0;
    NCCL(ncclGroupStart());
    for (int k = 1; k < n; k++)
        NCCL(ncclCommShrink(all[k].comm, &exclude, 1, &fewer[k], NULL, NCCL_SHRINK_DEFAULT));
    NCCL(ncclGroupEnd());
    for (int k = 0; k < n; k++) {
        int rank, count, device;
        NCCL(ncclCommUserRank(half[k], &rank));
        NCCL(ncclCommCount(half[k], &count));
        NCCL(ncclCommCuDevice(half[k], &device));
        expect("rank of a half", rank, k / 2);
        expect("ranks of a half", count, (n + (k % 2 == 0)) / 2);
        expect("device", device, k);
        CUDA(cudaSetDevice(k));
        fill<<<8, 64, 0, all[k].stream>>>(all[k].x, N, (float)k);
        if (!k)
            continue;
        NCCL(ncclCommUserRank(turned[k], &rank));
        expect("rank by key", rank, n - 1 - k);
        NCCL(ncclCommUserRank(fewer[k], &rank));
        NCCL(ncclCommCount(fewer[k], &count));
        expect("rank of fewer", rank, k - 1);
        expect("fewer", count, n - 1);
    }
    NCCL(ncclGroupStart());
    for (int k = 0; k < n; k++)
        NCCL(ncclAllReduce(all[k].x, all[k].y, N, ncclFloat, ncclMin, half[k], all[k].stream));
    NCCL(ncclGroupEnd());
    for (int k = 0; k < n; k++) {
        CUDA(cudaSetDevice(k));
        expect_all("a half's", all[k], all[k].y, (float)(k % 2), 1);
    }
    NCCL(ncclGroupStart());
    for (int k = 1; k < n; k++)
        NCCL(ncclBroadcast(all[k].x, all[k].y, N, ncclFloat, 0, turned[k], all[k].stream));
    NCCL(ncclGroupEnd());
    for (int k = 1; k < n; k++) {
        CUDA(cudaSetDevice(k));
        expect_all("the last one's", all[k], all[k].y, (float)(n - 1), 1);
        NCCL(ncclCommDestroy(turned[k]));
        NCCL(ncclCommDestroy(fewer[k]));
    }
    for (int k = 0; k < n; k++)
        NCCL(ncclCommDestroy(half[k]));
}

static void refusals(Device &d)
{
    ncclComm_t c = NULL;
    ncclUniqueId none = {};
    ncclConfig_t bad = NCCL_CONFIG_INITIALIZER;
    void *handle = NULL;
    CUDA(cudaSetDevice(0));
    expect("root", ncclBroadcast(d.x, d.x, 1, ncclFloat, 99, d.comm, d.stream), ncclInvalidArgument);
    expect("type", ncclAllReduce(d.x, d.x, 1, ncclNumTypes, ncclSum, d.comm, d.stream), ncclInvalidArgument);
    expect("operation", ncclAllReduce(d.x, d.x, 1, ncclFloat, (ncclRedOp_t)77, d.comm, d.stream),
           ncclInvalidArgument);
    expect("buffer", ncclAllReduce(NULL, d.x, 1, ncclFloat, ncclSum, d.comm, d.stream), ncclInvalidArgument);
    expect("communicator", ncclAllReduce(d.x, d.x, 1, ncclFloat, ncclSum, NULL, d.stream), ncclInvalidArgument);
    expect("id", ncclCommInitRank(&c, 1, none, 0), ncclInvalidArgument);
    expect("an end without a start", ncclGroupEnd(), ncclInvalidUsage);
    bad.magic = 1;
    NCCL(ncclGetUniqueId(&none));
    expect("config", ncclCommInitRankConfig(&c, 1, none, 0, &bad), ncclInvalidArgument);
    expect("rank", ncclCommInitRank(&c, 2, none, 2), ncclInvalidArgument);
    NCCL(ncclGroupStart()); // one wrong call spoils a group, and nothing of it is done
    NCCL(ncclBroadcast(d.x, d.x, 1, ncclFloat, 0, d.comm, d.stream));
    expect("in a group", ncclSend(d.x, 1, ncclFloat, -1, d.comm, d.stream), ncclInvalidArgument);
    expect("the group", ncclGroupEnd(), ncclInvalidArgument);
    NCCL(ncclCommRegister(d.comm, d.x, 4, &handle));
    NCCL(ncclCommDeregister(d.comm, handle));
    ncclConfig_t later = NCCL_CONFIG_INITIALIZER;
    later.blocking = 0; // alone, and without waiting
    ncclResult_t e = ncclCommInitRankConfig(&c, 1, none, 0, &later);
    expect("under way", e == ncclSuccess || e == ncclInProgress, 1);
    do
        NCCL(ncclCommGetAsyncError(c, &e));
    while (e == ncclInProgress);
    expect("made", e, ncclSuccess);
    NCCL(ncclAllReduce(d.x, d.y, 5, ncclFloat, ncclAvg, c, d.stream));
    NCCL(ncclCommFinalize(c));
    NCCL(ncclCommDestroy(c));
    void *memory = NULL;
    NCCL(ncclMemAlloc(&memory, 100));
    NCCL(ncclMemFree(memory));
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    NCCL(ncclGroupStart());
    NCCL(ncclBroadcast(d.x, d.x, 1, ncclFloat, 0, d.comm, d.stream));
    NCCL(ncclGroupSimulateEnd(&info));
}

int main()
{
    int n = 0;
    CUDA(cudaGetDeviceCount(&n));
    std::vector<Device> all(n);
    std::vector<ncclComm_t> comms(n);
    NCCL(ncclCommInitAll(comms.data(), n, NULL));
    for (int k = 0; k < n; k++) {
        CUDA(cudaSetDevice(k));
        all[k].comm = comms[k];
        CUDA(cudaStreamCreate(&all[k].stream));
        CUDA(cudaStreamCreate(&all[k].other));
        CUDA(cudaMalloc(&all[k].x, N * sizeof(float)));
        CUDA(cudaMalloc(&all[k].y, N * sizeof(float)));
    }
    in_stream_order(all);
    two_streams(all);
    if (!getenv("TERN_TEST_NO_GRAPHS"))
        graphs(all);
    splits(all);
    refusals(all[0]);
    in_stream_order(all);
    for (auto &d : all)
        NCCL(ncclCommFinalize(d.comm));
    for (auto &d : all)
        NCCL(ncclCommDestroy(d.comm));
    puts(errors ? "wrong" : "ok");
    return errors != 0;
}
