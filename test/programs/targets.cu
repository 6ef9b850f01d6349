// <nv/target>: what is compiled for which half, and from which architecture on.
#include <cstdio>
#include <nv/target>
__host__ __device__ int where()
{
    NV_IF_TARGET(NV_IS_DEVICE, (return 1;), (return 2;))
}
__host__ __device__ int which()
{
    int x = 0;
    NV_IF_TARGET(NV_PROVIDES_SM_60, (x += 10; if (x > 5) { x += 1; }))
    NV_IF_ELSE_TARGET(NV_IS_HOST, (x += 100;), (x += 200;))
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_120, (x += 1000;), NV_PROVIDES_SM_50, (x += 2000, x += 3000;), NV_IS_HOST, (x += 7000;), NV_ANY_TARGET, (x += 9000;))
    return x;
}
__global__ void k(int *p) { p[0] = where(), p[1] = which(); }
int main()
{
    int *p;
    cudaMallocManaged(&p, 8);
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", p[0], p[1], where(), which());
    puts(p[0] == 1 && p[1] == 5211 && where() == 2 && which() == 7100 ? "ok" : "wrong");
}
