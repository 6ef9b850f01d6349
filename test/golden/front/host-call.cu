// RUN: tern compile %s --to ir
#include <cstdio>
int host_only(int x) { return x + 1; }
__host__ int marked(int x) { return x; }
__device__ int fine(int x) { return x; }
__global__ void k(int *p)
{
    *p = host_only(fine(1));
    *p = marked(2);
}
