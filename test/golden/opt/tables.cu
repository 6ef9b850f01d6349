// Local arrays of constants become constants of the module; what a thread writes does not.
// RUN: tern compile %s --to ir -O2 | grep -E '^(global|kernel)|alloca' | sed 's/(.*//'
// RUN: tern run %s --kernel digits --block 4 --arg 'i8[4]=iota' --arg 'i8[4]=0' --print 4
// RUN: tern run %s --kernel weights --block 6 --arg 'i32[6]=iota' --arg 'i32[6]=0' --print 6
// RUN: tern run %s --kernel between --block 4 --arg 'i32[4]=iota' --arg 'i32[64]=0' --print 40
__global__ void digits(const char *x, char *y)
{
    const char hex[] = "0123456789abcdef";
    y[threadIdx.x] = hex[x[threadIdx.x] & 15];
}
__global__ void weights(const int *x, int *y)
{
    int w[5] = {7, 5, 0, 3};
    y[threadIdx.x] = w[x[threadIdx.x] % 5u];
}
__global__ void counted(const int *x, int *y)
{
    int n[4] = {0, 0, 0, 0};
    for (int k = 0; k < 100; k++)
        n[x[k] & 3]++;
    y[threadIdx.x] = n[x[threadIdx.x] & 3];
}
__global__ void between(const int *x, int *y)
{
    int w[4];
    w[0] = 1, w[1] = 2, w[2] = 3, w[3] = 4;
    y[threadIdx.x] = w[x[threadIdx.x] & 3];
    w[2] = 9;
    y[threadIdx.x + 32] = w[x[threadIdx.x] & 3];
}
