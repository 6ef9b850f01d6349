// Threads that meet over distances: constants, those of loops, in both orders of gangs.

// Sorts 2 * blockDim.x numbers to a block, in pairs as in a network.
extern "C" __global__ void sort_pairs(const int *in, int *out)
{
    __shared__ int a[256];
    int t = threadIdx.x, n = 2 * blockDim.x, first = blockIdx.x * n;
    a[t] = in[first + t];
    a[t + blockDim.x] = in[first + t + blockDim.x];
    __syncthreads();
    for (int size = 2; size <= n; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int low = t & (step - 1), i = (t - low) * 2 + low;
            int x = a[i], y = a[i + step];
            if ((x > y) == ((i & size) == 0)) {
                a[i] = y;
                a[i + step] = x;
            }
            __syncthreads();
        }
    out[first + t] = a[t];
    out[first + t + blockDim.x] = a[t + blockDim.x];
}
// TEST sort_64: --kernel sort_pairs --grid 2 --block 64 --arg 'i32[256]=rand:5' --arg 'i32[256]=zero'
// EXPECT arg 1: sum 9412209580 checksum e510a1f784e70669
// TEST sort_128: --kernel sort_pairs --grid 1 --block 128 --arg 'i32[256]=rand:5' --arg 'i32[256]=zero'
// EXPECT arg 1: sum 9412209580 checksum e6fc8c9dcb1c7f75
// TEST sort_8: --kernel sort_pairs --grid 16 --block 8 --arg 'i32[256]=rand:5' --arg 'i32[256]=zero'
// EXPECT arg 1: sum 9412209580 checksum 26b492c9b3e65739

// The same with one thread to a number; blocks of half as many threads as the loop was made for.
extern "C" __global__ void sort_partners(const int *in, int *out)
{
    __shared__ int a[256];
    int t = threadIdx.x, n = blockDim.x, first = blockIdx.x * n;
    a[t] = in[first + t];
    __syncthreads();
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                if ((t & k) == 0 ? a[t] > a[other] : a[t] < a[other]) {
                    int x = a[t];
                    a[t] = a[other];
                    a[other] = x;
                }
            }
            __syncthreads();
        }
    out[first + t] = a[t];
}
// TEST partners_64: --kernel sort_partners --grid 4 --block 64 --arg 'i32[256]=rand:5' --arg 'i32[256]=zero'
// EXPECT arg 1: sum 9412209580 checksum ba2f1845ac66a569
// TEST partners_256: --kernel sort_partners --grid 1 --block 256 --arg 'i32[256]=rand:5' --arg 'i32[256]=zero'
// EXPECT arg 1: sum 9412209580 checksum e6fc8c9dcb1c7f75

// Sums from below and from above, in place.
extern "C" __global__ void sums(const int *in, int *out, int most)
{
    __shared__ int a[512], b[512];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    a[t] = b[t] = in[i];
    __syncthreads();
    for (int s = 1; s < 512; s *= 2) {
        int x = a[t];
        if (t >= s)
            x += a[t - s];
        __syncthreads();
        a[t] = x;
        __syncthreads();
    }
    for (int s = 1; s < most; s += s) {
        int x = b[t];
        if (t + s < blockDim.x)
            x += b[t + s];
        __syncthreads();
        b[t] = x;
        __syncthreads();
    }
    out[i] = a[t] ^ 3 * b[t];
}
// TEST sums_100: --kernel sums --grid 5 --block 100 --arg 'i32[500]=iota' --arg 'i32[500]=zero' --arg i32:512
// EXPECT arg 1: sum 21045520 checksum b8febc447508c94f
// TEST sums_256: --kernel sums --grid 2 --block 256 --arg 'i32[512]=iota' --arg 'i32[512]=zero' --arg i32:512
// EXPECT arg 1: sum 61023744 checksum 3f22ff132efb716e

// Both parts of numbers that lie side by side, in memory of all; nothing is touched behind the last.
extern "C" __global__ void parts(const float *in, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        float re = in[2 * t], im = in[2 * t + 1];
        out[2 * t] = re * re - im * im;
        out[2 * t + 1] = 2 * re * im;
    }
}
// TEST parts: --kernel parts --grid 3 --block 96 --arg 'f32[512]=iota' --arg 'f32[512]=zero' --arg i32:256
// EXPECT arg 1: sum 44477184 checksum b0920ff719b8dc65

// What a warp of a tree keeps of each pair: even from odd, neighbours that change places.
extern "C" __global__ void places(const short *in, short *out, double *wide)
{
    __shared__ short a[512];
    __shared__ double w[512];
    int t = threadIdx.x;
    a[2 * t] = in[t];
    a[2 * t + 1] = in[t + blockDim.x];
    w[t ^ 1] = in[t];
    w[blockDim.x + (t & ~3) + (3 - (t & 3))] = in[t + blockDim.x];
    __syncthreads();
    out[t] = a[t ^ 5] + a[(t & ~7) * 2 + (t & 7)];
    wide[t] = w[t] + 1000 * w[blockDim.x + t] + w[(t >> 1) * 2];
}
// TEST places_64: --kernel places --grid 1 --block 64 --arg 'i16[128]=iota' --arg 'i16[64]=zero' --arg 'f64[64]=zero'
// EXPECT arg 1: sum 6976 checksum 3a7b93d6f84535e5
// EXPECT arg 2: sum 6116064 checksum 80e2f6919053c64a
// TEST places_200: --kernel places --grid 1 --block 200 --arg 'i16[400]=iota' --arg 'i16[200]=zero' --arg 'f64[200]=zero'
// EXPECT arg 1: sum 69400 checksum da5609ddc81ecfc5
// EXPECT arg 2: sum 59939900 checksum 5a8f44af0aad7bf2
