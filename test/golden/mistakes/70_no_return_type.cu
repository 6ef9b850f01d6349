// RUN: tern compile %s --to ir -o %t
__global__ k(float *y)
{
    y[threadIdx.x] = 1.0f;
}
