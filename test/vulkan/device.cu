// What programs see of a device that is not as usual: device MODE, behind test/vulkan/standin.c.
#include <cstdio>
#include <cstring>

#define CHECK(c)                                                                                                       \
    do {                                                                                                               \
        if (!(c))                                                                                                      \
            return printf("device.cu:%d: %s: %s\n", __LINE__, #c, cudaGetErrorString(cudaGetLastError())), 1;          \
    } while (0)

struct node {
    int value;
    node *next;
};

__global__ void walk(node *first, int *sum)
{
    for (node *n = first; n; n = n->next) {
        *sum += n->value;
        n->value = -n->value;
    }
}

// A list that the host builds, the device walks and changes, and the host reads again: one address for both.
static int managed()
{
    enum { N = 100 };
    node *nodes[N];
    int *sum, want = 0;
    CHECK(cudaMallocManaged(&sum, sizeof *sum) == cudaSuccess);
    for (int k = 0; k < N; k++) {
        CHECK(cudaMallocManaged(&nodes[k], k == 50 ? 5 << 20 : sizeof(node)) == cudaSuccess);
        *nodes[k] = {k * k, k ? nodes[k - 1] : nullptr};
        want += k * k;
    }
    for (int round = 0; round < 2; round++) {
        *sum = 0;
        walk<<<1, 1>>>(nodes[N - 1], sum);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(*sum == (round ? -want : want));
        CHECK(nodes[7]->value == (round ? 49 : -49));
    }
    int *plain, got = 0;
    CHECK(cudaMalloc(&plain, sizeof *plain) == cudaSuccess);
    CHECK(cudaMemcpy(plain, sum, sizeof *sum, cudaMemcpyDefault) == cudaSuccess);
    CHECK(cudaMemcpy(&got, plain, sizeof got, cudaMemcpyDefault) == cudaSuccess && got == *sum);
    for (int k = 0; k < N; k++)
        CHECK(cudaFree(nodes[k]) == cudaSuccess);
    return 0;
}

static int unmanaged()
{
    void *p;
    int can = 1;
    CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrManagedMemory, 0) == cudaSuccess && !can);
    CHECK(cudaMallocManaged(&p, 64) == cudaErrorNotSupported);
    return 0;
}

__global__ void count(int *p)
{
    atomicAdd(p, 1);
}

// The device is lost, which every call says until it is opened anew; then it works again.
static int lost()
{
    int *p, n = 0;
    CHECK(cudaMalloc(&p, sizeof *p) == cudaSuccess);
    cudaMemset(p, 0, sizeof *p);
    count<<<1, 32>>>(p);
    cudaError_t e = cudaDeviceSynchronize();
    CHECK(e != cudaSuccess);
    puts(cudaGetErrorString(e));
    CHECK(cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost) != cudaSuccess);
    cudaDeviceReset();
    cudaGetLastError();
    CHECK(cudaMalloc(&p, sizeof *p) == cudaSuccess);
    CHECK(cudaMemset(p, 0, sizeof *p) == cudaSuccess);
    count<<<1, 32>>>(p);
    CHECK(cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost) == cudaSuccess && n == 32);
    return 0;
}

static int budget()
{
    size_t free, total;
    void *p;
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess && free == 100 << 20 && total > free);
    CHECK(cudaMalloc(&p, 200 << 20) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&p, 50 << 20) == cudaSuccess);
    return 0;
}

__global__ void where(int *out)
{
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x == 0)
        out[b] = b + 1000 * (int)(gridDim.x + gridDim.y + gridDim.z);
}

// Every block of a grid that takes several dispatches, each once.
static int split()
{
    const dim3 grid(7, 5, 4);
    int *p, h[7 * 5 * 4];
    CHECK(cudaMalloc(&p, sizeof h) == cudaSuccess && cudaMemset(p, 0xff, sizeof h) == cudaSuccess);
    where<<<grid, 32>>>(p);
    CHECK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 7 * 5 * 4; k++)
        CHECK(h[k] == k + 16000);
    return 0;
}

__global__ void twist(unsigned *p, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = p[i] * 2654435761u + i;
}

// Long and short copies there and back, with kernels between, on two streams.
static int copies()
{
    const int sizes[] = {1, 1000, 70001, 524288, 1572864, 2700001};
    cudaStream_t s[2];
    CHECK(cudaStreamCreate(&s[0]) == cudaSuccess && cudaStreamCreate(&s[1]) == cudaSuccess);
    for (int n : sizes) {
        unsigned *d[2], *h[2];
        for (int k = 0; k < 2; k++) {
            h[k] = new unsigned[n];
            for (int i = 0; i < n; i++)
                h[k][i] = i * 7 + k;
            CHECK(cudaMalloc(&d[k], n * 4) == cudaSuccess);
            CHECK(cudaMemcpyAsync(d[k], h[k], n * 4, cudaMemcpyHostToDevice, s[k]) == cudaSuccess);
            twist<<<4, 64, 0, s[k]>>>(d[k], n);
        }
        for (int k = 0; k < 2; k++) {
            CHECK(cudaMemcpyAsync(h[k], d[k], n * 4, cudaMemcpyDeviceToHost, s[k]) == cudaSuccess);
            twist<<<4, 64, 0, s[k]>>>(d[k], n);
        }
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < n; i++)
                CHECK(h[k][i] == (i * 7u + k) * 2654435761u + i);
            CHECK(cudaMemcpy(h[k], d[k], n * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
            for (int i = 0; i < n; i++)
                CHECK(h[k][i] == ((i * 7u + k) * 2654435761u + i) * 2654435761u + i);
            CHECK(cudaFree(d[k]) == cudaSuccess);
            delete[] h[k];
        }
    }
    return 0;
}

struct large { // does not travel in push constants
    int add, filler[40];
};

__global__ void step(int *p, large by)
{
    p[threadIdx.x] = 2 * p[threadIdx.x] + by.add;
}

// Twenty kernels, a fill and a copy, recorded once and launched three times, between other work.
static int graph()
{
    int *p, *q, h[32], want = 5;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t x;
    CHECK(cudaMalloc(&p, sizeof h) == cudaSuccess && cudaMalloc(&q, sizeof h) == cudaSuccess);
    CHECK(cudaStreamCreate(&s) == cudaSuccess);
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(cudaMemsetAsync(q, 0, sizeof h, s) == cudaSuccess);
    for (int k = 0; k < 20; k++)
        step<<<1, 32, 0, s>>>(p, large{k % 3, {}});
    CHECK(cudaMemcpyAsync(q, p, sizeof h / 2, cudaMemcpyDeviceToDevice, s) == cudaSuccess);
    CHECK(cudaStreamEndCapture(s, &g) == cudaSuccess && cudaGraphInstantiate(&x, g, nullptr, nullptr, 0) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        h[k] = want;
    CHECK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice) == cudaSuccess);
    for (int turn = 0; turn < 3; turn++) {
        CHECK(cudaGraphLaunch(x, s) == cudaSuccess);
        step<<<1, 32, 0, s>>>(p, large{1, {}});
        for (int k = 0; k < 20; k++)
            want = (int)(2u * (unsigned)want + k % 3);
        if (turn < 2)
            want = (int)(2u * (unsigned)want + 1);
    }
    CHECK(cudaStreamSynchronize(s) == cudaSuccess);
    CHECK(cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int k = 0; k < 32; k++)
        CHECK(h[k] == (k < 16 ? want : 0));
    CHECK(cudaGraphExecDestroy(x) == cudaSuccess && cudaGraphDestroy(g) == cudaSuccess);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)();
    } modes[] = {{"managed", managed}, {"unmanaged", unmanaged}, {"lost", lost}, {"budget", budget}, {"split", split}, {"graph", graph},
                 {"copies", copies}};
    for (const auto &m : modes)
        if (argc > 1 && !strcmp(argv[1], m.name)) {
            int r = m.run();
            if (!r)
                puts("ok");
            return r;
        }
    return 2;
}
