// Every pass from source to bytes has a name and a time, for every target and for library code that is linked in.
// RUN: tern compile %s --to c --time-passes -o %t 2>&1 | awk '{print $NF}'
// RUN: tern compile %s --to ptx --time-passes -o %t 2>&1 | awk '{print $NF}' | grep 'ptx/'
// RUN: tern compile %s --to spirv --time-passes -o %t 2>&1 | awk '{print $NF}' | grep 'spirv/\|library/'
// RUN: tern compile %s --to wgsl --time-passes -o %t 2>&1 | awk '{print $NF}' | grep 'wgsl/'
// RUN: tern compile %s --to wasm --time-passes -o %t 2>&1 | awk '{print $NF}' | grep 'wasm/'
// RUN: tern compile %s --to a64 --time-passes -o %t 2>&1 | awk '{print $NF}' | grep 'a64/\|library/'
// RUN: tern compile %s --to x64 --time-passes -o %t 2>&1 | awk '{print $NF}' | grep 'x64/'
// RUN: tern compile targets/saxpy.cu --to sass -arch sm_90 --time-passes -o %t 2>&1 | awk '{print $NF}' | grep 'sass/'
__global__ void k(int n, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *p = (float *)malloc(4);
    *p = i < n ? __sinf(x[i]) : 0;
    __syncthreads();
    y[i] = *p;
    free(p);
}
