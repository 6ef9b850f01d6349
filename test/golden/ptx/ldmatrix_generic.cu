// An address without a state space is a generic one; it is in shared memory, and the instruction stays one.
// RUN: tern compile %s --to ptx -arch sm_90 | grep -E "ldmatrix|shfl"
__global__ void k(int *out)
{
    __shared__ short tile[64 * 8];
    for (int i = threadIdx.x; i < 64 * 8; i += 32)
        tile[i] = i;
    __syncthreads();
    const int *at = (const int *)tile + threadIdx.x * 4;
    int a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    out[threadIdx.x] = a + b + c + d;
}
