/* For `record`: as much of CUDA as clang needs to read the mistakes without NVIDIA's headers. */
#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __host__               __attribute__((host))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
typedef __SIZE_TYPE__ size_t;
struct uint3 {
    unsigned x, y, z;
};
struct float3 {
    float x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
typedef int cudaError_t;
typedef struct stream *cudaStream_t;
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                void *stream = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream);
template <class T> cudaError_t cudaMalloc(T **p, size_t n);
cudaError_t cudaDeviceSynchronize();
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ float sqrtf(float);
extern "C" __device__ float fmaxf(float, float);
__device__ void __syncthreads();
__device__ int atomicAdd(int *, int);
__device__ unsigned atomicAdd(unsigned *, unsigned);
__device__ float atomicAdd(float *, float);
