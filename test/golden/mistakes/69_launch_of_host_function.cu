// RUN: terncc -c %s -o %t
void k(int n, float *y)
{
    y[0] = n;
}
int main()
{
    float *y;
    cudaMalloc(&y, 128);
    k<<<1, 32>>>(32, y);
    return cudaDeviceSynchronize();
}
