// RUN: tern compile %s --to ir -o %t
__global__ void k(int *y)
{
    int a[2] = {1, 2, 3};
    y[0] = a[0];
}
