// RUN: tern compile %s --to ir -o %t
__global__ void k(float *y)
{
    const int last;
    y[last] = 1.0f;
}
