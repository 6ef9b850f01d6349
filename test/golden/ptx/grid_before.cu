// RUN: tern compile %s --to ptx -arch sm_90 | grep -E 'griddep|ld\.global|st\.global'
// What the grid before may still write when a kernel begins is not read by ld.global.nc, which the assembler may move in front of the wait.
static __device__ __forceinline__ void wait_for_it() { cudaGridDependencySynchronize(); }

__global__ void copy(const int *__restrict__ from, int *__restrict__ to)
{
    wait_for_it();
    to[threadIdx.x] = from[threadIdx.x];
}
__global__ void plain(const int *__restrict__ from, int *__restrict__ to) { to[threadIdx.x] = from[threadIdx.x]; }
