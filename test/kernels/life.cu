// The game of life on a torus, a bit for each cell of a row.
// TEST glider: --kernel life --block 32 --arg 'u32[32]' --arg i32:64
// EXPECT arg 0: sum 3997696 checksum 6665c977d440e8ac
__global__ void life(unsigned *out, int steps)
{
    __shared__ unsigned rows[2][32];
    int y = threadIdx.x;
    rows[0][y] = y == 1 ? 2u : y == 2 ? 4u : y == 3 ? 7u : y >= 20 && y < 23 ? 1u << 20 : 0u;
    for (int s = 0; s < steps; s++) {
        __syncthreads();
        unsigned next = 0;
        for (unsigned x = 0; x < 32; x++) {
            int n = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy)
                        n += rows[s & 1][(y + dy) & 31] >> ((x + dx) & 31) & 1;
            unsigned alive = rows[s & 1][y] >> x & 1;
            next |= (unsigned)(n == 3 || (n == 2 && alive)) << x;
        }
        rows[~s & 1][y] = next;
    }
    __syncthreads();
    out[y] = rows[steps & 1][y];
}
