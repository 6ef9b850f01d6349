// RUN: tern compile %s --to ir
__device__ int counter;
__global__ void kernel(int *values)
{
    values[threadIdx.x] = countr + 1;
    vlaues[0] = 2;
    __synchthreads();
    unknown_type x;
}
