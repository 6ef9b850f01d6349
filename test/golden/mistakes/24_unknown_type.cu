// RUN: tern compile %s --to ir -o %t
__global__ void k(Matrix a, float *y)
{
    y[threadIdx.x] = 1;
}
