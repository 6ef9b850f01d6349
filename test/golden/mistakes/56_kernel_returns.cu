// RUN: tern compile %s --to ir -o %t
__global__ int k(int *y)
{
    y[threadIdx.x] = 1;
    return 0;
}
