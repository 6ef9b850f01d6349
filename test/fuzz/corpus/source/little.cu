__constant__ float weights[4];
template <class T> __device__ T half_of(T x) { return x / 2; }
struct pair { float a; int b; };
__global__ void little(float *x, int *n, pair *p)
{
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t % 64] = x[i] * weights[t & 3];
    __syncthreads();
    for (int k = 0; k < *n; k++) {
        if (k == t)
            continue;
        s[t % 64] += half_of(s[(t + k) % 64]);
    }
    atomicAdd(&p[i % 8].b, __popc(__ballot_sync(~0u, s[t % 64] > 1)));
    p[i].a = __shfl_xor_sync(~0u, s[t % 64], 1);
}
