// RUN: tern compile %s --to ir -o %t
__global__ void k(int *y)
{
    y[threadIdx.x] = 1;
    __syncthreads;
    y[0] = y[1];
}
