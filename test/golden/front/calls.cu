// RUN: tern compile %s --to ir
__device__ int one(int a, int b);
__device__ int two(int);
__device__ int two(float, float);
__device__ int three(long);
__device__ int three(unsigned long);
__global__ void k(int *p)
{
    *p = one(1);
    *p = one(1, 2, 3);
    *p = two("x");
    *p = three(1);
    *p = p(1);
    k2<<<1, 1>>>(p);
}
