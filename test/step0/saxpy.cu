// y = a*x + y, the first kernel everybody writes
// tern run: --kernel saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg 'f32[1000]=iota' --arg 'f32[1000]=rand:1'
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
