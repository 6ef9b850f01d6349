// Kernels that start kernels, which run when the one that started them is done.
// TEST tree: --kernel tree --block 4 --arg 'i32[64]' --arg i32:0
// EXPECT arg 0: sum 28 checksum d216ce82ea3989c5
// TEST after: --kernel after --grid 2 --block 32 --arg 'i32[128]'
// EXPECT arg 0: sum 100 checksum 107c1305f0f2351e

__global__ void tree(int *out, int depth)
{
    atomicAdd(&out[depth * 8 + threadIdx.x], 1);
    if (depth < 3 && threadIdx.x % 2 == 0)
        tree<<<1, threadIdx.x + 2>>>(out, depth + 1);
}

struct part {
    int from, n;
    short scale;
};

__global__ void scale(int *data, part p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        data[p.from + i] = data[p.from + i] * p.scale + 1;
}

__global__ void after(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        part p = {(int)blockIdx.x * 64, 50, (short)(blockIdx.x + 2)};
        scale<<<dim3(4), dim3(16)>>>(out, p);
    }
    out[2 * i] = i;
    out[2 * i + 1] = -i;
}
