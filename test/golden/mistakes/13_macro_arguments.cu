// RUN: tern compile %s --to ir -o %t
#define AT(row, column) ((row) * 16 + (column))
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[AT(i)] = x[i];
}
