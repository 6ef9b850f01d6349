// A 5x5 filter from constant memory over an image, with zeros outside.
// TEST filter: --kernel convolve --grid 3,3 --block 16,8 --arg 'i32[960]=iota' --arg 'i32[960]' --arg i32:40 --arg i32:24
// EXPECT arg 1: sum 6391830 checksum fe607a5b87f6739b
__constant__ int filter[5][5] = {{1, 0, -1, 2, 1}, {0, 3, 0, 0, 1}, {2, 0, 4, 0, -2}, {1, 1, 0, -3, 0}, {0, -1, 5, 0, 1}};

__global__ void convolve(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
    if (x >= w || y >= h)
        return;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int px = x + dx, py = y + dy;
            if (px < 0 || px >= w || py < 0 || py >= h)
                continue;
            sum += in[py * w + px] * filter[dy + 2][dx + 2];
        }
    out[y * w + x] = sum;
}
