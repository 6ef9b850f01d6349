// RUN: tern compile %s --to ir -o %t
#define SIZE 16;
__global__ void k(int *y)
{
    int a[SIZE];
    y[0] = a[0];
}
