// One dimension with a halo in shared memory; two dimensions repeated inside one block; three with planes.
// TEST halo: --kernel line --grid 4 --block 64 --arg 'i32[262]=iota' --arg 'i32[256]'
// EXPECT arg 1: sum 942592 checksum f851f5909c030b91
// TEST plane: --kernel jacobi --block 16,16 --arg 'f32[324]=iota' --arg 'f32[324]' --arg i32:4
// EXPECT arg 1: sum 52326 checksum 8aa0c419c06b3ab8
// TEST cube: --kernel cube --grid 2,2 --block 8,8 --arg 'i32[4096]=iota' --arg 'i32[4096]' --arg i32:16
// EXPECT arg 1: sum 2984996 checksum 38b7bf5506d05a45
#define R 3
__global__ void line(const int *in, int *out)
{
    __shared__ int s[64 + 2 * R];
    int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
    s[l] = in[g + R];
    if (threadIdx.x < R) {
        s[l - R] = in[g];
        s[l + blockDim.x] = in[g + blockDim.x + R];
    }
    __syncthreads();
    int sum = 0;
    for (int o = -R; o <= R; o++)
        sum += s[l + o] * (o + 4);
    out[g] = sum;
}

// exact in binary: every value is a multiple of a power of two
__global__ void jacobi(const float *in, float *out, int steps)
{
    __shared__ float a[18][18], b[18][18];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256)
        a[i / 18][i % 18] = b[i / 18][i % 18] = in[i];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        if (s % 2 == 0)
            b[y][x] = 0.25f * (a[y - 1][x] + a[y + 1][x] + a[y][x - 1] + a[y][x + 1]);
        else
            a[y][x] = 0.25f * (b[y - 1][x] + b[y + 1][x] + b[y][x - 1] + b[y][x + 1]);
        __syncthreads();
    }
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256)
        out[i] = steps % 2 ? b[i / 18][i % 18] : a[i / 18][i % 18];
}

__global__ void cube(const int *in, int *out, const int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#define AT(a, b, c) in[((c) * n + (b)) * n + (a)]
    for (int z = 0; z < n; z++) {
        bool edge = x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1;
        out[(z * n + y) * n + x] =
            edge ? AT(x, y, z)
                 : 6 * AT(x, y, z) - AT(x - 1, y, z) - 2 * AT(x + 1, y, z) - 3 * AT(x, y - 1, z) +
                       AT(x, y + 1, z) * 2 - AT(x, y, z - 1) - AT(x, y, z + 1);
    }
#undef AT
}
