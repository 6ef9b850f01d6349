// RUN: tern compile %s --to ir -o %t
__global__ void k(int *y)
{
    if (y[0] = 1)
        y[1] = 2;
}
