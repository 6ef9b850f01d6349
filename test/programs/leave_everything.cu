// Exits with streams, events, memory and running kernels left as they are: the runtime cleans up, and the exit code stands.
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

__global__ void spin(volatile int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[threadIdx.x] += i;
}

static int leave(int how)
{
    int *d;
    cudaStream_t s;
    cudaEvent_t e;
    CUDA(cudaMalloc(&d, 1 << 20));
    CUDA(cudaMalloc(&d, 1 << 20));
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaEventCreate(&e));
    spin<<<4, 32, 0, s>>>(d, 1000);
    CUDA(cudaEventRecord(e, s));
    CUDA(cudaMemcpyAsync(d + 1024, d, 4096, cudaMemcpyDeviceToDevice, s));
    if (how == 1)
        exit(41);
    if (how == 2)
        _exit(42);
    if (how == 3)
        CUDA(cudaDeviceReset());
    return 43;
}
struct at_exit { // static objects that use CUDA after main
    ~at_exit()
    {
        int n;
        if (cudaGetDeviceCount(&n) == cudaSuccess)
            cudaDeviceSynchronize();
    }
} late;

int main(int argc, char **argv)
{
    if (argc > 1)
        return leave(atoi(argv[1]));
    for (int how = 0; how < 4; how++) {
        pid_t child = fork();
        if (!child) {
            char number[2] = {(char)('0' + how), 0};
            execl(argv[0], argv[0], number, (char *)nullptr);
            _exit(1);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (how == 1 ? 41 : how == 2 ? 42 : 43));
    }
    puts("ok");
}
