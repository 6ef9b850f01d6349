// Arithmetic in double at its edges: every pair, and every triple, of zeros, subnormals, powers of two, neighbours of
// one, halfway cases, the largest numbers, infinities and NaN, in all four directions of rounding.
// TEST pairs: --kernel pairs --grid 3 --block 32 --arg 'u64[96]'
// TEST triples: --kernel triples --grid 3 --block 32 --arg 'u64[96]'
__constant__ unsigned long long edges[30] = {
    0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x000fffffffffffff, 0x0008000000000000, 0x0010000000000000,
    0x0010000000000001, 0x001fffffffffffff, 0x0020000000000000, 0x0350000000000001, 0x1ff0000000000000, 0x2000000000000003,
    0x3c90000000000000, 0x3ca0000000000000, 0x3fe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
    0x3ff8000000000000, 0x3fffffffffffffff, 0x4000000000000000, 0x4008000000000001, 0x4330000000000000, 0x433fffffffffffff,
    0x4340000000000001, 0x5ff0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000};

__device__ unsigned long long bits(double x)
{
    return x != x ? 0x7ff8000000000000 : (unsigned long long)__double_as_longlong(x);
}

__device__ double edge(int i) { return __longlong_as_double((long long)(edges[i % 30] | (i < 30 ? 0 : 1ull << 63))); }

// a thread keeps the first operand and walks through the others
__global__ void pairs(unsigned long long *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long h = 0;
#pragma unroll 1
    for (int j = 0; j < 60; j++) {
        double x = edge(t % 60), y = edge(j);
        h = h * 31 + bits(__dadd_rn(x, y));
        h = h * 31 + bits(__dadd_rz(x, y));
        h = h * 31 + bits(__dadd_ru(x, y));
        h = h * 31 + bits(__dadd_rd(x, y));
        h = h * 31 + bits(__dmul_rn(x, y));
        h = h * 31 + bits(__dmul_rz(x, y));
        h = h * 31 + bits(__dmul_ru(x, y));
        h = h * 31 + bits(__dmul_rd(x, y));
        h = h * 31 + bits(__ddiv_rn(x, y));
        h = h * 31 + bits(__ddiv_rd(x, y));
        h = h * 31 + bits(x < y ? 1 : x == y ? 2 : x > y ? 3 : 4);
        h = h * 31 + bits(fmin(x, y)) + bits(fmax(x, y)) * 7;
    }
    out[t] = h;
}

__global__ void triples(unsigned long long *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long h = 0;
#pragma unroll 1
    for (int j = 0; j < 60; j++)
#pragma unroll 1
        for (int k = 0; k < 60; k++) {
            double x = edge(t % 60), y = edge(j), z = edge(k);
            h = h * 31 + bits(__fma_rn(x, y, z));
            h = h * 31 + bits(__fma_rz(x, y, z));
            h = h * 31 + bits(__fma_ru(x, y, z));
            h = h * 31 + bits(__fma_rd(x, y, z));
        }
    out[t] = h;
}
