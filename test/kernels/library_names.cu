// Kernels, functions and variables with the names of the C library's, or of what a back end exports.
// TEST exit: --kernel exit --grid 1 --block 4 --arg 'i32[4]'
// EXPECT arg 0: near 0: 0 1 2 3 sum 6
// TEST memcpy: --kernel memcpy --grid 1 --block 4 --arg 'i32[4]'
// EXPECT arg 0: near 0: 0 2 4 6 sum 12
// TEST memset: --kernel memset --grid 1 --block 4 --arg 'i32[4]'
// EXPECT arg 0: near 0: 21 22 23 24 sum 90
// TEST malloc: --kernel malloc --grid 1 --block 4 --arg 'i32[4]'
// EXPECT arg 0: near 0: 4 4 4 4 sum 16
// TEST printf: --kernel printf --grid 1 --block 4 --arg 'i32[4]'
// EXPECT arg 0: near 0: 77 77 77 77 sum 308
// TEST sqrtf: --kernel sqrtf --grid 1 --block 4 --arg 'f32[4]'
// EXPECT arg 0: near 1e-6: 0 1 1.4142135 1.7320508 sum 4.1462643
// TEST memory: --kernel memory --grid 1 --block 4 --arg 'i32[4]'
// EXPECT arg 0: near 0: 3 2 1 0 sum 6
extern "C" __global__ void exit(int *p) { p[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void memcpy(int *p) { p[threadIdx.x] = 2 * threadIdx.x; }
extern "C" __global__ void memset(int *p)
{
    __shared__ int s[64];
    for (int i = threadIdx.x; i < 64; i += 4)
        s[i] = i;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x + 1] + 20;
}
extern "C" __device__ __noinline__ int strlen(int x) { return x > 2 ? 1 + strlen(x - 3) : 1; }
extern "C" __global__ void malloc(int *p) { p[threadIdx.x] = strlen(9 + p[threadIdx.x]); }
extern "C" __device__ int environ = 77;
extern "C" __global__ void printf(int *p) { p[threadIdx.x] = environ; }
extern "C" __device__ __noinline__ float root(float x) { return __fsqrt_rn(x); }
extern "C" __global__ void sqrtf(float *p) { p[threadIdx.x] = root((float)threadIdx.x); }
extern "C" __global__ void memory(int *p)
{
    int *mine = p + threadIdx.x;
    *mine = __shfl_xor_sync(15, (int)threadIdx.x, 3);
}
