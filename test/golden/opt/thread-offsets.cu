/* Indices of threads are unsigned, and could wrap as far as their type says; they end at 1,023, so that constants
 * beside them come out of the address: one address for eight rows, not eight.
 * RUN: tern compile %s --to ptx --kernel sum | grep ld.shared
 */
__global__ void sum(float *out)
{
    __shared__ float rows[128][32];
    for (int k = threadIdx.x; k < 128 * 32; k += blockDim.x)
        rows[k / 32][k % 32] = k;
    __syncthreads();
    float total = 0;
    for (int u = 0; u < 4; u++)
        total += rows[u + 8 * threadIdx.y][threadIdx.x];
    out[threadIdx.y * 32 + threadIdx.x] = total;
}

/* RUN: tern compile %s --to ptx --kernel fill | grep -c 'ld.global'
 * Sums that a loop around carries and loads of a loop that repeats its body share registers: with 64 sums the loop is repeated
 * twice, not eight times. */
__global__ void fill(float *out, const float4 *in, int n)
{
    __shared__ float4 tile[1024];
    float sums[64] = {};
    for (int s = 0; s < n; s++) {
        for (int y = threadIdx.x; y < 1024; y += 32) {
            tile[y] = in[y * n + s];
            tile[y ^ 1] = in[y * n - s];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k++)
            sums[k] += tile[threadIdx.x * 16 + k].x;
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < 64; k++)
        out[k * 32 + threadIdx.x] = sums[k];
}
