// Conway's Game of Life on a torus. The first frame is noise: a cell lives if its number is odd. Animate it.
// tern run: --kernel life --grid 16,16 --block 16,16 --arg u32[65536]=rand:4 --arg u32[65536] --arg i32:256
// tern play: view=1 as=image width=256 low=0 high=1 swap=0,1 animate
__global__ void life(const unsigned *from, unsigned *to, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                neighbours += from[(y + dy + n) % n * n + (x + dx + n) % n] & 1;
    unsigned alive = from[y * n + x] & 1;
    to[y * n + x] = neighbours == 3 || (alive && neighbours == 2);
}
