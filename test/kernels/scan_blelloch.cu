// Exclusive prefix sums, up and down a tree, in dynamic shared memory padded against bank conflicts.
// TEST exclusive: --kernel scan --block 512 --shared 4224 --arg 'u32[1024]=rand:5' --arg 'u32[1024]'
// EXPECT arg 1: sum 2154951225482 checksum b4d75031ec04f096
#define LOG_BANKS 5
#define PADDED(i) ((i) + ((i) >> LOG_BANKS))

__global__ void scan(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned tree[];
    const int n = 2 * blockDim.x, t = threadIdx.x;
    int offset = 1;
    tree[PADDED(t)] = in[t];
    tree[PADDED(t + n / 2)] = in[t + n / 2];
    for (int d = n >> 1; d > 0; d >>= 1, offset *= 2) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            tree[PADDED(b)] += tree[PADDED(a)];
        }
    }
    if (t == 0)
        tree[PADDED(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            unsigned x = tree[PADDED(a)];
            tree[PADDED(a)] = tree[PADDED(b)];
            tree[PADDED(b)] += x;
        }
    }
    __syncthreads();
    out[t] = tree[PADDED(t)];
    out[t + n / 2] = tree[PADDED(t + n / 2)];
}
