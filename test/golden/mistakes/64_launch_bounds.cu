// RUN: tern compile %s --to ir -o %t
__global__ void __launch_bounds__("256") k(float *y)
{
    y[threadIdx.x] = 1;
}
