// Which devices a rank of Slurm's sees, and which it uses when it does not choose.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

int main()
{
    int n = 0, device = -1;
    cudaDeviceProp p;
    cudaGetDeviceCount(&n);
    const char *rank = getenv("SLURM_PROCID");
    if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&p, device) != cudaSuccess)
        return 1;
    printf("rank %s has %d, uses %s\n", rank ? rank : "?", n, strstr(p.name, "interp") || strstr(p.name, "Interp") ? "interp" : "cpu");
    return 0;
}
