// RUN: tern compile %s --to ir -o %t
struct later;
__global__ void k(float *y)
{
    later x;
    y[0] = 1.0f;
}
