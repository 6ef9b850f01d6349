// RUN: tern compile %s --to ir -O 2 | grep -cE 'condbr|store'
// RUN: tern compile %s --to c -o - | grep -c "fiber" || true
// A loop that the source asks to unroll stays one where a hundred branches would stay in its copies; threads that
// leave before a barrier leave the others on SIMD lanes.
__global__ void fill(int n, float *x)
{
#pragma unroll
    for (int k = 0; k < 512; k++) {
        int i = k * 32 + threadIdx.x;
        if (i < n)
            x[i] = 1;
    }
}
__global__ void shift(int n, const int *in, int *out)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[threadIdx.x / 2];
}
