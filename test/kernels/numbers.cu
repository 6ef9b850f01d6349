// Number theory: a sieve, Collatz lengths, gcd, modular powers, random numbers, pi by darts.
// TEST sieve: --kernel sieve --block 64 --arg 'u8[1000]=1'
// EXPECT arg 0: sum 168 checksum ae2c3cd97719e35f
// TEST collatz: --kernel collatz --grid 4 --block 64 --arg 'i32[256]'
// EXPECT arg 0: sum 11515 checksum 27bc788452f08580
// TEST powers: --kernel powers --grid 2 --block 32 --arg 'u64[64]'
// EXPECT arg 0: sum 34648277185555 checksum 5df9f0c4c11f3636
// TEST darts: --kernel darts --grid 2 --block 64 --arg 'u32[1]' --arg i32:50
// EXPECT arg 0: sum 5002 checksum 0857fdfdcd2dce1a
__global__ void sieve(unsigned char *prime)
{
    if (threadIdx.x < 2)
        prime[threadIdx.x] = 0;
    for (int p = 2; p * p < 1000; p++) {
        __syncthreads();
        if (!prime[p])
            continue;
        for (int i = p * p + p * threadIdx.x; i < 1000; i += p * blockDim.x)
            prime[i] = 0;
    }
}

__global__ void collatz(int *steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    unsigned long long x = i + 1;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        n++;
    }
    steps[i] = n;
}

__device__ unsigned long long gcd(unsigned long long a, unsigned long long b) { return b ? gcd(b, a % b) : a; }

__global__ void powers(unsigned long long *out)
{
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x, m = 1000000007ull, b = i + 2, e = 123456789 + i, r = 1;
    for (; e; e >>= 1) {
        if (e & 1)
            r = r * b % m;
        b = b * b % m;
    }
    out[i] = r * 1000 + gcd(r, 360360) % 1000;
}

__global__ void darts(unsigned *inside, int throws)
{
    unsigned s = blockIdx.x * blockDim.x + threadIdx.x + 1, hits = 0;
    s *= 747796405u;
    for (int i = 0; i < throws; i++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        unsigned x = s & 0xffff, y = s >> 16;
        hits += (unsigned long long)x * x + (unsigned long long)y * y < (1ull << 32);
    }
    unsigned lanes = __ballot_sync(0xffffffff, true);
    for (int d = 16; d; d >>= 1)
        hits += __shfl_xor_sync(lanes, hits, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(inside, hits);
}
