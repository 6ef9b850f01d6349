// Variables outside of kernels: device, constant, managed, with initialisers; dynamic shared memory.
// TEST globals: --kernel globals --grid 2 --block 16 --arg 'i32[32]'
// EXPECT arg 0: sum 13136 checksum a3f80a96d7134115
// TEST dynamic: --kernel dynamic --block 32 --shared 512 --arg 'i32[32]'
// EXPECT arg 0: sum 10912 checksum 09813997e5af3fcc
// TEST managed: --kernel managed --block 8 --arg 'i32[8]'
// EXPECT arg 0: sum 239 checksum a42e6e09199fde80
struct item {
    int a;
    float b;
    const char *name;
};
__device__ int numbers[16] = {1, 2, 3, 0, 50};
__constant__ item items[2] = {{1, 2.5f, "one"}, {3, 4.5f, "three"}};
__device__ int total = 40, *pointer = &total;
static __device__ const float pi = 3.25f;
__managed__ int managed_words[8] = {8, 7, 6};
namespace space {
__device__ unsigned char flag = 3;
}
extern __constant__ int later;
__constant__ int later = 9;

__global__ void globals(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = numbers[threadIdx.x] + items[blockIdx.x].a * 100 + (int)(items[blockIdx.x].b * 10) + items[blockIdx.x].name[1] + *pointer + (int)(pi * 4) + space::flag + later;
}

__global__ void dynamic(int *out)
{
    extern __shared__ char memory[];
    int *words = (int *)memory;
    double *wide = (double *)(memory + 32 * sizeof(int));
    int t = threadIdx.x;
    words[t] = t * t;
    wide[t] = t * 0.5;
    __syncthreads();
    out[t] = words[31 - t] + (int)(wide[t ^ 1] * 2);
}

__global__ void managed(int *out) { out[threadIdx.x] = managed_words[threadIdx.x]++ * 10 + managed_words[threadIdx.x]; }
