// RUN: tern compile %s --to ir -o %t
__device__ void increment(int &x) { x++; }
__global__ void k(int *y)
{
    increment(3);
    y[0] = 1;
}
