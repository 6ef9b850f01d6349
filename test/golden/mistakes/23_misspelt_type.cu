// RUN: tern compile %s --to ir -o %t
__global__ void k(flaot *y)
{
    y[threadIdx.x] = 1;
}
