/* A condition that all threads of a block answer alike, and that the loop does not change, is asked before it: loads of several iterations stand side by
 * side in both. Where threads of a warp answer differently, there is one loop.
 * RUN: tern compile %s --to ptx -arch sm_90 --kernel gated | grep -E 'ld.global|bra|:$'
 * RUN: tern compile %s --to ptx -arch sm_90 --kernel odd | grep -c 'many:'
 */
__global__ void gated(const float *x, const float *gate, float *out, int n)
{
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) {
        sum += x[i];
        if (gate)
            sum *= gate[i];
    }
    out[threadIdx.x] = sum;
}
__global__ void odd(const float *x, const float *gate, float *out, int n)
{
    const bool mine = threadIdx.x & 1;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) {
        sum += x[i];
        if (mine)
            sum *= gate[i];
    }
    out[threadIdx.x] = sum;
}
