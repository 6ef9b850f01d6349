// y = a * x + y, one thread for each element.
// TEST plain: --kernel saxpy --grid 4 --block 256 --arg i32:1000 --arg f32:2 --arg 'f32[1000]=iota' --arg 'f32[1000]=1'
// EXPECT arg 3: sum 1000000 checksum 0747a5ac9b014718
extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
