// RUN: tern compile %s --to ir -o %t
__device__ int no_return(int x)
{
    if (x > 0)
        return 1;
}
__global__ void k(int *p, unsigned n)
{
    int i = threadIdx.x;
    for (int i = 0; i < 4; i++)
        p[i] = 0;
    int big = 3000000000;
    char small = 300;
    int narrow{2.5};
    *p = no_return(i) + big + small + narrow;
    *p == 3;
    if (*p = 4)
        return;
}
