// Longest common subsequence along antidiagonals; all shortest paths; change making; edit distance of texts in memory.
// TEST lcs: --kernel lcs --block 64 --arg 'u8[64]=rand:71' --arg 'u8[64]=rand:72' --arg 'i32[1]'
// EXPECT arg 2: sum 38 checksum 0dda9d642aab08b3
// TEST paths: --kernel floyd --block 16,16 --arg 'i32[256]'
// EXPECT arg 0: sum 213909654 checksum cc6c1233b730027f
// TEST change: --kernel change --grid 1 --block 1 --arg 'u64[1]' --arg i32:500
// EXPECT arg 0: sum 6295434 checksum 4e9f6dc2cac55906
// TEST edits: --kernel edits --block 64 --arg 'i32[56]' --arg 'i8[6]=1' --arg i32:6 --arg 'i8[7]=2' --arg i32:7
// EXPECT arg 0: sum 252 checksum 21f0ab1522a672c5
__global__ void lcs(const unsigned char *a, const unsigned char *b, int *result)
{
    __shared__ int d[3][65];
    const int n = 64, i = threadIdx.x + 1;
    if (threadIdx.x < 3)
        for (int k = 0; k < 65; k++)
            d[threadIdx.x][k] = 0;
    __syncthreads();
    int best = 0;
    for (int s = 2; s <= 2 * n; s++) {
        int j = s - i, v = 0;
        if (j >= 1 && j <= n) {
            int up = d[(s - 1) % 3][i - 1], left = d[(s - 1) % 3][i], diagonal = d[(s - 2) % 3][i - 1];
            v = (a[i - 1] & 3) == (b[j - 1] & 3) ? diagonal + 1 : max(up, left);
        }
        __syncthreads();
        d[s % 3][i] = v;
        if (i == n && j == n)
            best = v;
        __syncthreads();
    }
    if (i == n)
        *result = best;
}

__global__ void floyd(int *out)
{
    __shared__ int d[16][16];
    int i = threadIdx.y, j = threadIdx.x;
    d[i][j] = i == j ? 0 : (i * 7 + j * 13) % 5 == 0 ? (i * 3 + j) % 9 + 1 : 1 << 20;
    for (int k = 0; k < 16; k++) {
        __syncthreads();
        int through = d[i][k] + d[k][j];
        __syncthreads();
        if (through < d[i][j])
            d[i][j] = through;
    }
    out[i * 16 + j] = d[i][j];
}

__global__ void change(unsigned long long *ways, int amount)
{
    unsigned long long w[512] = {1};
    const int coins[] = {1, 2, 5, 10, 20, 50, 100, 200};
    for (int c = 0; c < (int)(sizeof coins / sizeof coins[0]); c++)
        for (int a = coins[c]; a <= amount; a++)
            w[a] += w[a - coins[c]];
    *ways = w[amount];
}

// One block, a barrier after each antidiagonal; both indices of a cell grow with the loop.
__global__ void edits(int *table, const char *a, int n, const char *b, int m)
{
    for (int d = 0; d <= n + m; d++) {
        for (int i = max(0, d - m) + threadIdx.x; i <= min(n, d); i += blockDim.x) {
            int j = d - i, *cell = &table[i * (m + 1) + j];
            if (i == 0 || j == 0)
                *cell = i + j;
            else {
                int best = cell[-(m + 1) - 1] + !(a[i - 1] == b[j - 1]), up = cell[-(m+1)], left = cell[-1];
                best = up + 1 < best ? up + 1 : best;
                *cell = left + 1 < best ? left + 1 : best;
            }
        }
        __syncthreads();
    }
}
