// Indices of 32 bits that wrap between neighbouring threads, and such that only might.
// TEST values: --kernel values --grid 2 --block 37 --arg 'i64[444]' --arg u32:0xfffffff5 --arg u32:0x7ffffff3
// EXPECT arg 0: sum 65229912045 checksum c18643d74cb74df6
// TEST halves: --kernel halves --block 64 --arg 'i32[64]=iota' --arg 'i32[64]' --arg u32:0xffffffeb
// EXPECT arg 1: sum 44323 checksum 727d648e2f032c9a
// TEST stores: --kernel stores --block 48 --arg 'i32[48]' --arg u32:0xffffffeb
// EXPECT arg 0: sum 29388 checksum 388dec510c5cbd5c
// TEST neighbours: --kernel neighbours --grid 3 --block 50 --arg 'i32[150]=iota' --arg 'i32[150]' --arg u32:150
// EXPECT arg 1: sum 1240276 checksum 6efafb77021a1ecf
// TEST walk: --kernel walk --block 40 --arg 'i32[40]=iota' --arg 'i64[40]' --arg u32:0x7fffffd1 --arg i32:13
// EXPECT arg 1: sum -330712465952 checksum 911224591ed4aeb2
// TEST down: --kernel down --block 40 --arg 'i32[200]=iota' --arg 'i32[40]' --arg i32:3
// EXPECT arg 1: sum 216000 checksum 027fde7d1031d733

// The numbers themselves, extended.
__global__ void values(long long *out, unsigned u, unsigned s)
{
    int n = gridDim.x * blockDim.x;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned long long)(u + i) * 3;
    out[i + n] = (int)(s + i);
    out[i + 2 * n] = (long long)(int)(s - i) + (unsigned)(5 - i);
    out[i + 3 * n] = (long long)(int)(s + 3 * i) << 2;
    out[i + 4 * n] = (unsigned long long)(u + 7 * i) * 4 + (unsigned)(i - 20);
    out[i + 5 * n] = (long long)(int)(2 * (s - i)) - (int)(i * 0x10000000u);
}

// Threads below and above the wrap read the same buffer, through pointers that differ.
__global__ void halves(const int *in, int *out, unsigned start)
{
    unsigned t = threadIdx.x, k = start + t;
    const int *low = in - (unsigned long long)start;
    int x;
    if (k >= start)
        x = low[k] * 2;
    else
        x = in[k] + 1000;
    out[t] = x;
}

__global__ void stores(int *out, unsigned start)
{
    unsigned t = threadIdx.x, k = start + t;
    int *low = out - (unsigned long long)start, *high = out + (0u - start);
    if (k >= start)
        low[k] = 7 * t;
    else
        high[k] = 1000 + t;
}

// One below thread 0 is far away; nobody goes there.
__global__ void neighbours(const int *in, int *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = 10 * in[i];
    if (i > 0)
        x += in[i - 1];
    if (i + 1 < n)
        x += 100 * in[i + 1];
    out[i] = x;
}

// A variable that goes round a loop, past the wrap.
__global__ void walk(const int *in, long long *out, unsigned start, int step)
{
    int t = threadIdx.x;
    unsigned k = start + t;
    long long sum = 0;
    for (int r = 0; r < 9; r++) {
        sum += (long long)(int)k + in[(k + 3) % 40u];
        k += step;
    }
    out[t] = sum;
}

// Signed, downwards, with the promise of C++ that it does not overflow.
__global__ void down(const int *in, int *out, int step)
{
    int t = threadIdx.x, sum = 0;
    for (int k = 199 - t; k >= t; k -= step)
        sum += in[k];
    out[t] = sum;
}

// Differences that a branch keeps from going below zero, and those that it does not.
// TEST guarded: --kernel guarded --grid 2 --block 96 --arg 'u32[192]=rand:21' --arg 'u64[192]' --arg u32:7
// EXPECT arg 1: sum 2843090078858 checksum 169db2fc502d762a
__global__ void guarded(const unsigned *in, unsigned long long *out, unsigned step)
{
    __shared__ unsigned s[96];
    const unsigned t = threadIdx.x, i = blockIdx.x * 96 + t;
    unsigned long long x = 0;
    s[t] = in[i];
    __syncthreads();
    if (t >= step)
        x = s[t - step];
    else
        x = (unsigned long long)(t - step) << 1; // wraps
    if (t >= 5)
        x += s[t - 5] * 3ull;
    if (t)
        x ^= s[t - 1];
    if (t > 2)
        x += s[t - 3];
    if (t < 3)
        x += (unsigned long long)(t - 3); // wraps
    if (t >= 2)
        x += t - 4u < 96 ? s[t - 4u] : (unsigned long long)(t - 4u); // less than what the branch says
    for (unsigned k = 1; k < 96; k *= 2) {
        unsigned y = s[t];
        if (t >= k)
            y += s[t - k];
        __syncthreads();
        s[t] = y;
        __syncthreads();
    }
    out[i] = x + s[t];
}
