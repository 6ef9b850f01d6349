// RUN: tern compile %s --to ir -o %t
__global__ void k(int *y)
{
    y[0] = 1;
}
