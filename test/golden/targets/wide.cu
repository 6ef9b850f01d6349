// 64-bit integers, doubles and conversions.
__global__ void wide(const long long *x, double *y, float *z)
{
    int i = threadIdx.x;
    long long v = x[i] * 1000000007 + (x[i] >> 13);
    y[i] = y[i] * 0.5 + (double)v;
    z[i] = (float)y[i];
}
