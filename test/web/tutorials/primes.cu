// primes.cu: how many primes are there below n?
#include <cstdio>
#include <cstdlib>

__global__ void count_primes(unsigned n, unsigned *count)
{
    __shared__ unsigned found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        bool prime = i > 1;
        for (unsigned d = 2; prime && d * d <= i; d++)
            prime = i % d != 0;
        if (prime)
            atomicAdd(&found, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(count, found);
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100000, count, *d;
    cudaMalloc(&d, sizeof count);
    cudaMemset(d, 0, sizeof count);
    count_primes<<<64, 128>>>(n, d);
    cudaMemcpy(&count, d, sizeof count, cudaMemcpyDeviceToHost);
    printf("%u primes below %u (%s)\n", count, n, cudaGetErrorString(cudaGetLastError()));
}
