// Blocks whose rows are shorter than a vector: gangs of several blocks, of parts of vectors, of several rows.
// TEST plane_8x8: --kernel plane --grid 5,3 --block 8,8 --arg 'i32[888]=rand:51' --arg 'i32[888]' --arg i32:37 --arg i32:24
// EXPECT arg 1: sum -12279374566 checksum 252c81dd55bef477
// TEST plane_4x4: --kernel plane --grid 10,6 --block 4,4 --arg 'i32[888]=rand:51' --arg 'i32[888]' --arg i32:37 --arg i32:24
// EXPECT arg 1: sum -12279374566 checksum 252c81dd55bef477
// TEST plane_16x2: --kernel plane --grid 3,12 --block 16,2 --arg 'i32[888]=rand:51' --arg 'i32[888]' --arg i32:37 --arg i32:24
// EXPECT arg 1: sum -12279374566 checksum 252c81dd55bef477
// TEST plane_5x6: --kernel plane --grid 8,4 --block 5,6 --arg 'i32[888]=rand:51' --arg 'i32[888]' --arg i32:37 --arg i32:24
// EXPECT arg 1: sum -12279374566 checksum 252c81dd55bef477
// TEST plane_2x12: --kernel plane --grid 19,2 --block 2,12 --arg 'i32[888]=rand:51' --arg 'i32[888]' --arg i32:37 --arg i32:24
// EXPECT arg 1: sum -12279374566 checksum 252c81dd55bef477
// TEST plane_1x24: --kernel plane --grid 37,1 --block 1,24 --arg 'i32[888]=rand:51' --arg 'i32[888]' --arg i32:37 --arg i32:24
// EXPECT arg 1: sum -12279374566 checksum 252c81dd55bef477
// TEST plane_1x1: --kernel plane --grid 37,24 --block 1,1 --arg 'i32[888]=rand:51' --arg 'i32[888]' --arg i32:37 --arg i32:24
// EXPECT arg 1: sum -12279374566 checksum 252c81dd55bef477
// TEST product_8x8: --kernel product --grid 4,3 --block 8,8 --arg 'i32[576]=rand:52' --arg 'i32[768]=rand:53' --arg 'i32[768]' --arg i32:24 --arg i32:32
// EXPECT arg 2: sum 6697068571 checksum 16a58fc3e01292b1
// TEST product_4x8: --kernel product --grid 8,3 --block 4,8 --arg 'i32[576]=rand:52' --arg 'i32[768]=rand:53' --arg 'i32[768]' --arg i32:24 --arg i32:32
// EXPECT arg 2: sum 6697068571 checksum 16a58fc3e01292b1
// TEST product_1x3: --kernel product --grid 32,8 --block 1,3 --arg 'i32[576]=rand:52' --arg 'i32[768]=rand:53' --arg 'i32[768]' --arg i32:24 --arg i32:32
// EXPECT arg 2: sum 6697068571 checksum 16a58fc3e01292b1
// TEST apart_1: --kernel apart --grid 77 --block 1 --arg 'i32[616]' --arg 'i32[5]' --arg i32:70
// EXPECT arg 0: sum 238526 checksum d0b9a27ab62e7b20
// EXPECT arg 1: sum 5888 checksum 532df3c8d7334655
// TEST apart_8: --kernel apart --grid 77 --block 8 --arg 'i32[616]' --arg 'i32[5]' --arg i32:70
// EXPECT arg 0: sum 8172980 checksum 8c7acb0a60c2a7a1
// EXPECT arg 1: sum 63649 checksum 54e41e94576c889b
// TEST apart_2x4: --kernel apart --grid 77 --block 2,4 --arg 'i32[616]' --arg 'i32[5]' --arg i32:70
// EXPECT arg 0: sum 8172980 checksum 8c7acb0a60c2a7a1
// EXPECT arg 1: sum 63649 checksum 54e41e94576c889b
// TEST volumes_4x4x4: --kernel volumes --grid 3,2,2 --block 4,4,4 --arg 'i32[768]=rand:54' --arg 'i32[768]' --arg i32:12 --arg i32:8
// EXPECT arg 1: sum 20208042312 checksum bd58e6b2e46e1bd3
// TEST volumes_8x2x2: --kernel volumes --grid 2,4,4 --block 8,2,2 --arg 'i32[768]=rand:54' --arg 'i32[768]' --arg i32:12 --arg i32:8
// EXPECT arg 1: sum 20208042312 checksum bd58e6b2e46e1bd3
// TEST tiles_8x4x2: --kernel tiles --grid 3,2 --block 8,4,2 --arg 'i32[384]=rand:55' --arg 'i32[384]'
// EXPECT arg 1: sum 14160196903 checksum 518eab745404d711
// TEST tiles_4x8x2: --kernel tiles --grid 3,2 --block 4,8,2 --arg 'i32[384]=rand:55' --arg 'i32[384]'
// EXPECT arg 1: sum 20499960029 checksum cdc6f83b39c826cd
// TEST tiles_2x2x16: --kernel tiles --grid 3,2 --block 2,2,16 --arg 'i32[384]=rand:55' --arg 'i32[384]'
// EXPECT arg 1: sum 8642487438 checksum 5a41ed2b7d648efa
// TEST rows_8x8: --kernel rows --grid 2 --block 8,8 --arg 'i32[128]=rand:56' --arg 'i32[128]'
// EXPECT arg 1: sum -9020639089 checksum 4a1fce337c938c09
// TEST rows_16x4: --kernel rows --grid 2 --block 16,4 --arg 'i32[128]=rand:56' --arg 'i32[128]'
// EXPECT arg 1: sum -9817096673 checksum 2d7d1286d07df43f
// TEST rows_4x4x4: --kernel rows --grid 2 --block 4,4,4 --arg 'i32[128]=rand:56' --arg 'i32[128]'
// EXPECT arg 1: sum 18919610654 checksum 02fdc425960ba8ef
// TEST wrapped_8: --kernel wrapped --grid 9 --block 8 --arg 'i32[72]=rand:57' --arg 'i64[72]' --arg u32:0xffffffe3
// EXPECT arg 1: sum 119118648460 checksum 575c4805ca53fce2
// TEST wrapped_1: --kernel wrapped --grid 72 --block 1 --arg 'i32[72]=rand:57' --arg 'i64[72]' --arg u32:0xffffffe3
// EXPECT arg 1: sum 119118648460 checksum 575c4805ca53fce2

__global__ void plane(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        out[y * w + x] = in[y * w + x] + in[y * w + x - 1] - in[y * w + x + 1] * 3 + in[(y - 1) * w + x] - in[(y + 1) * w + x];
}

__global__ void product(const int *a, const int *b, int *c, int n, int w)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= w)
        return;
    int s = 0;
    for (int k = 0; k < n; k++)
        s += a[row * n + k] * b[k * w + col];
    c[row * w + col] = s;
}

// What a block does depends on its number: how often, in which order, whether at all.
__global__ void apart(int *out, int *counts, int most)
{
    int b = blockIdx.x, t = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y, last[5];
    if (b >= most)
        return;
    for (int k = 0; k < 5; k++)
        last[k] = b ^ k;
    int s = 0;
    for (int k = 0; k < b % 7 + t % 3; k++) {
        if ((s ^ b) & 1)
            last[k % 5] += s + t;
        s = s * 3 + last[(k + b) % 5];
    }
    out[b * n + n - 1 - t] = s;
    atomicAdd(&counts[b & 3], (s & 255) + t);
    if (s & 4)
        atomicMax(&counts[4], b);
}

__global__ void volumes(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z, i = (z * h + y) * w + x;
    if (x >= w || y >= h)
        return;
    int s = in[i] + 2 * x + 3 * y + 5 * z;
    if (z > 0)
        s += in[i - w * h];
    if (x + 1 < w)
        s -= in[i + 1];
    out[i] = s;
}

__global__ void tiles(const int *in, int *out)
{
    __shared__ int s[64];
    int n = blockDim.x * blockDim.y, t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,
        at = (blockIdx.y * gridDim.x + blockIdx.x) * 64;
    s[t] = in[at + t];
    __syncthreads();
    int sum = 0;
    for (unsigned k = 0; k < blockDim.x; k++)
        sum += s[threadIdx.z * n + threadIdx.y * blockDim.x + k] * (int)(k + threadIdx.x);
    __syncthreads();
    out[at + 63 - t] = sum + s[t ^ 5];
}

// Warps that have several rows.
__global__ void rows(const int *in, int *out)
{
    __shared__ int s[8][8];
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, at = blockIdx.x * 64;
    int v = in[at + t];
    s[t / 8][t % 8] = v;
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    out[at + t] = v + s[t % 8][t / 8] * (int)(threadIdx.x + 3 * threadIdx.y + 7 * threadIdx.z);
}

// Numbers of 32 bits that wrap between the threads of one vector.
__global__ void wrapped(const int *in, long long *out, unsigned start)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = start + i;
    out[i] = (long long)(int)k * 3 + (unsigned long long)k;
    if (k < 40)
        out[i] += in[k];
}
