// RUN: tern compile %s --to ir -o %t
__global__ void k(int *y)
{
    int i = blockIdx * blockDim + threadIdx;
    y[i] = 1;
}
