// A managed variable is one: what kernels do to it by its name and by pointers that lie in memory, and what the host does, is done
// in the order of the stream, with no wait between.
// NOT ON: cuda: the host has a copy, which kernels do not reach by its address
// NOT ON: vulkan: the host has a copy; what is by name and by pointer comes together where the host waits
#include "check.h"

struct holder {
    int *value;
    holder *next;
};
__managed__ int table[4] = {1, 2, 3, 4};
__device__ __managed__ holder first;
static __managed__ double wide[3000];
namespace inner {
__managed__ long long count = 1LL << 40;
}

__global__ void by_name(int n)
{
    table[1] += n;
}

__global__ void by_pointer(const holder *h, int n)
{
    *h->value *= n;
}

__global__ void both(holder *h)
{
    table[1]++;
    h->value[0] *= 2;
    table[1]++;
    wide[2999] = table[1];
    inner::count++;
}

__global__ void along(int n)
{
    for (const holder *h = &first; h; h = h->next)
        h->value[0] += n;
}

int main()
{
    holder *h, *other = &first;
    CHECK(cudaMallocManaged(&h, sizeof *h) == cudaSuccess);
    h->value = &table[1];
    h->next = nullptr;
    by_name<<<1, 1>>>(10);
    by_pointer<<<1, 1>>>(h, 3);
    by_name<<<1, 1>>>(4);
    both<<<1, 1>>>(h);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(table[0] == 1 && table[1] == 83 && wide[2999] == 83 && inner::count == (1LL << 40) + 1);

    other->value = &table[3];
    first.next = h;
    along<<<1, 1>>>(5);
    by_pointer<<<1, 1>>>(other, 10);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(table[1] == 88 && table[3] == 90);

    int *place, seven = 7, seen = 0;
    CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&place), table) == cudaSuccess && place == table);
    CHECK(cudaMemcpyToSymbol(table, &seven, 4, 4) == cudaSuccess && table[1] == 7);
    by_name<<<1, 1>>>(1);
    CHECK(cudaMemcpyFromSymbol(&seen, table, 4, 4) == cudaSuccess && seen == 8);
    CHECK(cudaMemset(wide, 0, sizeof wide) == cudaSuccess && wide[2999] == 0);
    CHECK(cudaDeviceReset() == cudaSuccess);
    table[1] = 3;
    by_name<<<1, 1>>>(2);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && table[1] == 5);
    puts("ok");
}
