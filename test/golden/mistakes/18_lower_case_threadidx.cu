// RUN: tern compile %s --to ir -o %t
__global__ void k(float *y)
{
    int i = threadidx.x;
    y[i] = 1;
}
