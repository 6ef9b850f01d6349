// RUN: tern compile %s --to ir
// What nvstd::function does not hold: no function at all, one of other parameters.
#include <nvfunctional>
__device__ int joined(int a, int b) { return a + b; }
__global__ void number(int *p)
{
    nvstd::function<int(int)> f = 5;
    p[0] = f(1);
}
__global__ void parameters(int *p)
{
    nvstd::function<int(int)> f = joined;
    p[0] = f(1);
}
