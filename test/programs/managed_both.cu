// A managed variable that a kernel changes in one place and the host in another, before it waits: both are kept. Pointers to it
// that lie in memory.
// NOT ON: cuda: the host has a copy, which kernels do not reach by its address
#include "check.h"

struct holder {
    int *value;
};
__managed__ int table[4] = {1, 2, 3, 4};

__global__ void by_name(holder *h)
{
    table[1] += 10;
    if (h)
        *h->value += 100; // table[2]
}

int main()
{
    by_name<<<1, 1>>>(nullptr);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(table[1] == 12);
    by_name<<<1, 1>>>(nullptr);
    table[3] = 40;
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(table[0] == 1 && table[1] == 22 && table[2] == 3 && table[3] == 40);

    holder *h;
    CHECK(cudaMallocManaged(&h, sizeof *h) == cudaSuccess);
    h->value = &table[2];
    by_name<<<1, 1>>>(h);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(table[0] == 1 && table[1] == 32 && table[2] == 103 && table[3] == 40);
    by_name<<<1, 1>>>(h);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(table[1] == 42 && table[2] == 203);
    puts("ok");
}
