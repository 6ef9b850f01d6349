// Several kinds of device in one program: mixed N, with so many devices in TERN_DEVICES.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(c)                                                                                                       \
    do {                                                                                                               \
        if (!(c)) {                                                                                                    \
            printf("mixed.cu:%d: %s: %s\n", __LINE__, #c, cudaGetErrorString(cudaGetLastError()));                     \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define CUDA(call) CHECK((call) == cudaSuccess)

__constant__ int add;
__device__ int launches;

__global__ void step(int *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = p[i] * 3 + add;
    if (!i)
        atomicAdd(&launches, 1);
}

enum { N = 100003, MOST = 8 };
static int n;
static int *buffer[MOST];
static cudaStream_t stream[MOST];
static cudaEvent_t done[MOST];

static void start()
{
    for (int d = 0; d < n; d++) {
        cudaDeviceProp p;
        const int amount = d + 1;
        CUDA(cudaSetDevice(d));
        CUDA(cudaGetDeviceProperties(&p, d));
        CUDA(cudaMalloc(&buffer[d], N * sizeof(int)));
        CUDA(cudaStreamCreate(&stream[d]));
        CUDA(cudaEventCreate(&done[d]));
        CUDA(cudaMemcpyToSymbol(add, &amount, sizeof amount)); // each device has its own
        cudaPointerAttributes a;
        CUDA(cudaPointerGetAttributes(&a, buffer[d] + 5));
        CHECK(a.device == d && a.type == cudaMemoryTypeDevice);
    }
}

static int expected(int value, int first, int hops)
{
    for (int k = 0; k < hops; k++)
        value = value * 3 + (first + k) % n + 1;
    return value;
}

static void fill(std::vector<int> &h, int seed)
{
    for (int i = 0; i < N; i++)
        h[i] = i * 7 + seed;
}

// Round the devices with nothing but streams and events to keep the order; each way of copying between them.
static void ring(int way)
{
    const int hops = 2 * n + 1;
    std::vector<int> in(N), out(N);
    fill(in, way);
    CUDA(cudaSetDevice(0));
    CUDA(cudaMemcpyAsync(buffer[0], in.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream[0]));
    for (int k = 0; k < hops; k++) {
        const int d = k % n, next = (k + 1) % n;
        CUDA(cudaSetDevice(d));
        step<<<(N + 127) / 128, 128, 0, stream[d]>>>(buffer[d], N);
        CUDA(cudaGetLastError());
        CUDA(cudaEventRecord(done[d], stream[d]));
        if (k + 1 == hops)
            break;
        if (way == 0) { // the receiver fetches it
            CUDA(cudaSetDevice(next));
            CUDA(cudaStreamWaitEvent(stream[next], done[d], 0));
            CUDA(cudaMemcpyPeerAsync(buffer[next], next, buffer[d], d, N * sizeof(int), stream[next]));
        } else if (way == 1) { // the sender brings it
            CUDA(cudaMemcpyAsync(buffer[next], buffer[d], N * sizeof(int), cudaMemcpyDefault, stream[d]));
            CUDA(cudaEventRecord(done[d], stream[d]));
            CUDA(cudaStreamWaitEvent(stream[next], done[d], 0));
        } else if (way == 2) { // rows
            CUDA(cudaStreamSynchronize(stream[d]));
            CUDA(cudaMemcpy2D(buffer[next], 400, buffer[d], 400, 400, N / 100, cudaMemcpyDeviceToDevice));
            CUDA(cudaMemcpy(buffer[next] + N / 100 * 100, buffer[d] + N / 100 * 100, N % 100 * sizeof(int), cudaMemcpyDefault));
        } else { // by way of the host
            CUDA(cudaMemcpyAsync(out.data(), buffer[d], N * sizeof(int), cudaMemcpyDeviceToHost, stream[d]));
            CUDA(cudaStreamSynchronize(stream[d]));
            CUDA(cudaSetDevice(next));
            CUDA(cudaMemcpyAsync(buffer[next], out.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream[next]));
        }
    }
    const int last = (hops - 1) % n;
    CUDA(cudaEventSynchronize(done[last]));
    memset(out.data(), 0, N * sizeof(int));
    CUDA(cudaMemcpy(out.data(), buffer[last], N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        CHECK(out[i] == expected(in[i], 0, hops));
}

// A thread for each device, all at once.
static void alone(int d)
{
    std::vector<int> in(N), out(N);
    fill(in, d);
    CUDA(cudaSetDevice(d));
    CUDA(cudaMemcpy(buffer[d], in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    for (int k = 0; k < 5; k++)
        step<<<(N + 255) / 256, 256, 0, stream[d]>>>(buffer[d], N);
    CUDA(cudaMemcpyAsync(out.data(), buffer[d], N * sizeof(int), cudaMemcpyDeviceToHost, stream[d]));
    CUDA(cudaStreamSynchronize(stream[d]));
    for (int i = 0; i < N; i++) {
        int want = in[i];
        for (int k = 0; k < 5; k++)
            want = want * 3 + d + 1;
        CHECK(out[i] == want);
    }
}

// Pinned memory serves all of them; what belongs to one is refused by another.
static void shared()
{
    int *pinned, count;
    CUDA(cudaMallocHost(&pinned, N * sizeof(int)));
    for (int d = 0; d < n; d++) {
        CUDA(cudaSetDevice(d));
        for (int i = 0; i < N; i++)
            pinned[i] = i ^ d;
        CUDA(cudaMemcpyAsync(buffer[d], pinned, N * sizeof(int), cudaMemcpyDefault, stream[d]));
        CUDA(cudaMemsetAsync(buffer[d] + 10, 0, 40, stream[d]));
        CUDA(cudaStreamSynchronize(stream[d]));
        memset(pinned, 0, N * sizeof(int));
        CUDA(cudaMemcpy(pinned, buffer[d], N * sizeof(int), cudaMemcpyDefault));
        CHECK(pinned[9] == (9 ^ d) && pinned[10] == 0 && pinned[19] == 0 && pinned[N - 1] == ((N - 1) ^ d));
        CUDA(cudaMemcpyFromSymbol(&count, launches, sizeof count));
        CHECK(count > 5);
        const int other = (d + 1) % n;
        if (n > 1) {
            step<<<1, 32, 0, stream[other]>>>(buffer[d], 1);
            CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
            CHECK(cudaEventRecord(done[d], stream[other]) == cudaErrorInvalidResourceHandle);
            cudaGetLastError();
        }
    }
    CUDA(cudaFreeHost(pinned));
}

// One is closed; the others go on.
static void reset()
{
    CUDA(cudaSetDevice(n - 1));
    CUDA(cudaDeviceReset());
    for (int d = 0; d + 1 < n; d++)
        alone(d);
    CUDA(cudaSetDevice(n - 1));
    int *p, h = 5, amount = 1;
    CUDA(cudaMemcpyToSymbol(add, &amount, sizeof amount));
    CUDA(cudaMalloc(&p, sizeof *p));
    CUDA(cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice));
    step<<<1, 1>>>(p, 1);
    CUDA(cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h == 16);
}

int main(int argc, char **argv)
{
    CUDA(cudaGetDeviceCount(&n));
    CHECK(argc == 2 && n == atoi(argv[1]) && n <= MOST);
    start();
    for (int way = 0; way < 4; way++)
        ring(way);
    std::vector<std::thread> threads;
    for (int d = 0; d < n; d++)
        threads.emplace_back(alone, d);
    for (auto &t : threads)
        t.join();
    shared();
    reset();
    puts("ok");
}
