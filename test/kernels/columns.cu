// Tiles that are turned round in shared memory: each row of threads writes a column, beside the next one's; four at a time, with other stores and
// loads of the tile between, with columns that are overwritten, rows too short for four, and from the last row to the first. All must be 0.
// TEST turned_16x16: --kernel turned --grid 2 --block 16,16 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST turned_256: --kernel turned --grid 2 --block 256 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST padded_16x16: --kernel padded --grid 2 --block 16,16 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST padded_16x8: --kernel padded --grid 4 --block 16,8 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST backwards_16x16: --kernel backwards --grid 2 --block 16,16 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST twice_16x16: --kernel twice --grid 2 --block 16,16 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST between_16x16: --kernel between --grid 2 --block 16,16 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
// TEST thin_16x16: --kernel thin --grid 2 --block 16,16 --arg 'u32[512]' --arg 'u32[4096]=iota'
// EXPECT arg 0: sum 0 checksum 28c31cf8df2ec325
struct place {
    unsigned x, y, rows, i, turn; // of the thread; of the block; in the grid; the thread that the turned tile puts here
};

__device__ place here()
{
    const unsigned threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x, rows = threads / 16;
    return {t % 16, t / 16, rows, blockIdx.x * threads + t, t % 16 % rows * 16 + t / 16};
}

__global__ void turned(unsigned *out, const unsigned *in)
{
    __shared__ unsigned tile[16][64];
    const place p = here();
    unsigned bad = 0;
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned q = 0; q < 4; q++)
            tile[p.x][p.y + 16 * q] = in[(p.y + 16 * q) * 16 + p.x + k];
        __syncthreads();
        for (unsigned q = 0; q < 4; q++)
            bad += tile[p.y][p.x + 16 * q] != p.turn + 256 * q + k;
        __syncthreads();
    }
    out[p.i] = bad;
}

__global__ void padded(unsigned *out, const unsigned *in)
{
    __shared__ float tile[16][17];
    __shared__ unsigned row[256];
    const place p = here();
    const unsigned t = p.y * 16 + p.x;
    row[t] = t;
    tile[p.x][p.y] = (float)(int)in[t];
    row[t] += 1;
    __syncthreads();
    out[p.i] = (tile[p.y][p.x % p.rows] != (float)(int)p.turn) + (row[t] != t + 1);
}

__global__ void backwards(unsigned *out, const unsigned *in)
{
    __shared__ unsigned tile[16][32], up[16][32];
    const place p = here();
    const unsigned t = p.y * 16 + p.x;
    tile[15 - p.x][p.y + 4] = in[t];
    up[p.x][31 - p.y] = in[t] * 3;
    __syncthreads();
    out[p.i] = (tile[15 - p.y][p.x + 4] != p.turn) + (up[p.y][31 - p.x] != p.turn * 3);
}

__global__ void twice(unsigned *out, const unsigned *in)
{
    __shared__ unsigned tile[16][32];
    const place p = here();
    const unsigned t = p.y * 16 + p.x;
    tile[p.x][p.y] = in[t];
    tile[p.x][p.y + 16] = in[t + 7];
    tile[p.x][p.y] = in[t] * 5; // the last one counts
    __syncthreads();
    out[p.i] = (tile[p.y][p.x] != p.turn * 5) + (tile[p.y][p.x + 16] != p.turn + 7);
}

__global__ void between(unsigned *out, const unsigned *in)
{
    __shared__ unsigned tile[16][32];
    const place p = here();
    const unsigned t = p.y * 16 + p.x;
    tile[p.x][p.y] = in[t];
    const unsigned read = tile[p.x][p.y]; // what was just written
    tile[p.x][p.y + 16] = read * 2;
    tile[p.x][16 + p.y] += 9;
    __syncthreads();
    out[p.i] = (tile[p.y][p.x] != p.turn) + (tile[p.y][p.x + 16] != p.turn * 2 + 9);
}

__global__ void thin(unsigned *out, const unsigned *in)
{
    __shared__ unsigned tile[16 * 3 + 16]; // rows of three: those of four would meet
    const place p = here();
    const unsigned t = p.y * 16 + p.x;
    for (unsigned k = 0; k < 16; k++) { // the last of the rows of threads wins nowhere: each has its turn
        if (p.y == k)
            tile[p.x * 3 + p.y] = in[t];
        __syncthreads();
    }
    // place x * 3 + y was written last by the largest y that reaches it
    const unsigned at = t % 61, most = at < 16 ? at : 15;
    unsigned y = most;
    while ((at - y) % 3 || (at - y) / 3 > 15)
        y--;
    out[p.i] = tile[at] != y * 16 + (at - y) / 3;
}
