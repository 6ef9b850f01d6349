// RUN: terncc -c %s -o %t
__global__ void k(int n, float *y)
{
    y[threadIdx.x] = n;
}
int main()
{
    float *y;
    cudaMalloc(&y, 128);
    k(32, y);
    return cudaDeviceSynchronize();
}
