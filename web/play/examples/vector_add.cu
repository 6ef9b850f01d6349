// Vector addition: one thread for each element.
// tern run: --kernel add --grid 4 --block 256 --arg f32[1000]=iota --arg f32[1000]=0.5 --arg f32[1000] --arg i32:1000
// tern play: view=2 as=plot
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
