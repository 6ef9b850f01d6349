// RUN: tern compile %s --to ir -o %t
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (i) {
    case 0: y[i] = 1; break;
    case 0: y[i] = 2; break;
    }
}
