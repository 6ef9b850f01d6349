// Addresses in loops that are sums of what the loop changes and what it does not.
// TEST rows: --kernel rows --grid 2 --block 16,4 --arg 'i32[4096]=rand:61' --arg 'i32[512]' --arg i32:64 --arg i32:13
// EXPECT arg 1: sum 65885868244 checksum 698ba9164a1c045e
// TEST backwards: --kernel backwards --block 64 --arg 'i32[4096]=rand:61' --arg 'i64[64]' --arg i32:40 --arg i64:5
// EXPECT arg 1: sum -8041555298707052832 checksum 693cb98cf2ab3d65
// TEST unsigned: --kernel unsigned_ones --block 64 --arg 'i32[64]=rand:62' --arg 'i32[64]' --arg u32:0xffffffd8
// EXPECT arg 1: sum -121057707200 checksum 329a2fcef0358925
// TEST mixed: --kernel mixed --block 32,2 --arg 'i32[4096]=rand:61' --arg 'i32[64]' --arg i32:7
// EXPECT arg 1: sum -12177133500 checksum 1e4e441e1f7ebece

__global__ void rows(const int *a, int *out, int n, int by)
{
    int row = threadIdx.y + 4 * blockIdx.x, col = threadIdx.x, s = 0;
    for (int k = 0; k < n - 16; k++)
        s += a[row * n + k] * a[k * n + col + 3] - a[(row + by) * n + k + 5];
    for (int r = 0; r < 4; r++)
        out[(row * 16 + col) * 4 + r] = s + r;
}

__global__ void backwards(const int *a, long long *out, int n, long long shift)
{
    long long s = 0;
    for (int k = n; k-- > 0;)
        s = s * 3 + a[(long long)k * 64 + shift + threadIdx.x / 32] + a[63 * 64 - k * 3 + (int)(threadIdx.x / 32) - 1];
    out[threadIdx.x] = s;
}

// These may wrap: k runs over the end of 32 bits.
__global__ void unsigned_ones(const int *a, int *out, unsigned start)
{
    int s = 0;
    for (unsigned k = start; k != 24; k++) {
        unsigned at = k + 40;
        s += a[at] + (a + 8)[(k + threadIdx.x / 32 + 40) & 31];
    }
    out[threadIdx.x] = s;
}

__global__ void mixed(const int *a, int *out, int n)
{
    const int *p = a + threadIdx.y * 1000;
    int s = 0;
    for (int i = 0; i < n; i++) {
        const int *q = p + i * 100;
        for (int j = i; j < 20; j += 2)
            s += q[j * 3 + n] ^ q[threadIdx.x + j - i] ^ ((const short *)p)[n * i + j];
    }
    out[threadIdx.y * 32 + threadIdx.x] = s;
}
