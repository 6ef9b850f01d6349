// Copies between each two devices of the process, by every call that makes them, of a few bytes and of more than a piece,
// behind kernels on both ends; what comes is compared whole. `peers [BYTES]` then tells how fast, in GB/s. Ends with "ok".
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static int errors;

__global__ void number(unsigned *p, size_t n, unsigned first)
{
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += gridDim.x * (size_t)blockDim.x)
        p[k] = first + (unsigned)k * 2654435761u;
}

static void call(cudaError_t e, const char *what, int from, int to)
{
    if (e != cudaSuccess && errors++ < 10)
        printf("%s from device %d to %d: %s\n", what, from, to, cudaGetErrorString(e));
}

enum Way { PEER, PEER_ASYNC, DEFAULT, ASYNC_FROM, ASYNC_TO, BOX, WAYS };
static const char *const names[WAYS] = {"cudaMemcpyPeer", "cudaMemcpyPeerAsync", "cudaMemcpy", "cudaMemcpyAsync, the source's stream",
                                        "cudaMemcpyAsync, the other's stream", "cudaMemcpy3DPeer"};

static void copy(Way way, void *to, int to_device, void *from, int from_device, size_t bytes)
{
    cudaStream_t s = 0;
    cudaSetDevice(way == ASYNC_TO ? to_device : from_device);
    if (way == ASYNC_TO) { // another device's stream knows nothing of the kernel
        cudaSetDevice(from_device);
        cudaDeviceSynchronize();
        cudaSetDevice(to_device);
    }
    cudaStreamCreate(&s);
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(from, bytes, bytes, 1);
    p.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
    p.srcDevice = from_device;
    p.dstDevice = to_device;
    p.extent = make_cudaExtent(bytes, 1, 1);
    call(way == PEER         ? cudaMemcpyPeer(to, to_device, from, from_device, bytes)
         : way == PEER_ASYNC ? cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, 0)
         : way == DEFAULT    ? cudaMemcpy(to, from, bytes, cudaMemcpyDefault)
         : way == BOX        ? cudaMemcpy3DPeer(&p)
         : way == ASYNC_FROM ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, 0)
                             : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, s),
         names[way], from_device, to_device);
    call(cudaStreamSynchronize(way == ASYNC_TO ? s : 0), names[way], from_device, to_device);
    cudaStreamDestroy(s);
}

static void check(int from, int to, size_t words)
{
    unsigned *a, *b;
    std::vector<unsigned> got(words);
    cudaSetDevice(from);
    call(cudaMalloc(&a, words * 4), "cudaMalloc", from, to);
    cudaSetDevice(to);
    call(cudaMalloc(&b, words * 4), "cudaMalloc", from, to);
    for (int way = 0; way < WAYS && !errors; way++) {
        const unsigned first = (unsigned)way * 1000003u + 17;
        cudaSetDevice(to);
        call(cudaMemset(b, 255, words * 4), "cudaMemset", from, to);
        cudaDeviceSynchronize();
        cudaSetDevice(from);
        number<<<8, 64>>>(a, words, first);
        copy((Way)way, b, to, a, from, words * 4);
        cudaSetDevice(to);
        call(cudaMemcpy(got.data(), b, words * 4, cudaMemcpyDeviceToHost), "cudaMemcpy", to, -1);
        for (size_t k = 0; k < words; k++)
            if (got[k] != first + (unsigned)k * 2654435761u) {
                errors++;
                printf("%s from device %d to %d, %zu words: word %zu is %u\n", names[way], from, to, words, k, got[k]);
                break;
            }
    }
    cudaFree(b);
    cudaSetDevice(from);
    cudaFree(a);
}

static void speed(int from, int to, size_t bytes)
{
    char *a, *b;
    double best = 1e9;
    cudaSetDevice(from);
    call(cudaMalloc(&a, bytes), "cudaMalloc", from, to);
    call(cudaMemset(a, 1, bytes), "cudaMemset", from, to);
    cudaSetDevice(to);
    call(cudaMalloc(&b, bytes), "cudaMalloc", from, to);
    for (int r = 0; r < 5; r++) {
        const auto start = std::chrono::steady_clock::now();
        call(cudaMemcpyPeer(b, to, a, from, bytes), "cudaMemcpyPeer", from, to);
        cudaDeviceSynchronize();
        const double t = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = t < best ? t : best;
    }
    printf("device %d to %d: %.2f GB/s\n", from, to, (double)bytes / best / 1e9);
    cudaFree(b);
    cudaSetDevice(from);
    cudaFree(a);
}

int main(int argc, char **argv)
{
    int n = 0;
    cudaGetDeviceCount(&n);
    if (n < 2)
        errors++;
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++) {
            if (from == to)
                continue;
            check(from, to, 5);
            check(from, to, 2300001);
            if (argc > 1)
                speed(from, to, strtoull(argv[1], NULL, 10));
        }
    puts(errors ? "wrong" : "ok");
    return errors != 0;
}
