// Threads of a small block that exchange by shared variables: a processor may hold these in registers.
// TEST steps: --kernel steps --grid 2 --block 256 --arg 'u32[512]=rand:11' --arg 'u32[512]'
// EXPECT arg 1: sum 1067702654504 checksum 3d92f6a751013b99
// TEST around: --kernel around --block 256 --arg 'u32[256]=rand:12' --arg 'u32[256]'
// EXPECT arg 1: sum 571952078926 checksum 07f6c5fffc440c80
// TEST wide: --kernel wide --block 128 --arg 'u64[128]=rand:13' --arg 'u64[128]'
// EXPECT arg 1: sum 12083170336629872500 checksum 25490ae5c3c8f224
// TEST mixed: --kernel mixed --block 256 --arg 'u32[256]=rand:14' --arg 'u32[256]'
// EXPECT arg 1: sum 502992778216 checksum d9405e9d386c9eb4
// TEST narrow: --kernel narrow --block 256 --arg 'u32[256]=rand:15' --arg 'u32[256]'
// EXPECT arg 1: sum 16864679 checksum 9417c854e86edb2c
// TEST some: --kernel some --block 192 --arg 'u32[192]=rand:16' --arg 'u32[192]' --arg i32:150
// EXPECT arg 1: sum 366925434824 checksum ad26b660f3abd127

// Prefix sums, up and then down.
__global__ void steps(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = in[i];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        unsigned x = s[t];
        if (t >= step)
            x += s[t - step];
        __syncthreads();
        s[t] = x;
        __syncthreads();
    }
    for (int step = 1; step < 256; step *= 2) {
        unsigned x = s[t];
        if (t + step < 256)
            x ^= s[t + step];
        __syncthreads();
        s[t] = x;
        __syncthreads();
    }
    out[i] = s[t];
}
// Neighbours on both sides, of two variables in turn, with room at both ends.
__global__ void around(const unsigned *in, unsigned *out)
{
    __shared__ unsigned a[300], b[300];
    const int t = threadIdx.x;
    a[t] = 0;
    b[t] = 0;
    if (t < 44)
        a[t + 256] = b[t + 256] = 0;
    __syncthreads();
    a[t + 19] = in[t];
    __syncthreads();
    b[t + 19] = a[t + 19] * 3 + a[t + 18] + a[t + 20] + a[t + 2] * 5 + a[t + 36] * 7;
    __syncthreads();
    a[t + 20] = b[t + 19] + b[t + 3] - b[t + 26];
    __syncthreads();
    out[t] = a[t + 19] ^ b[t + 22] ^ a[255 - t];
}
__global__ void wide(const unsigned long long *in, unsigned long long *out)
{
    __shared__ unsigned long long s[128];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 3) {
        unsigned long long x = s[t];
        if (t >= step)
            x += s[t - step] * 3;
        __syncthreads();
        s[t] = x;
        __syncthreads();
    }
    out[t] = s[t];
}
// What no register has: any element, one element, one that a thread alone writes.
__global__ void mixed(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[256];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    unsigned x = s[(t * 5) & 255] + s[t ^ 1];
    __syncthreads();
    s[t] = x;
    __syncthreads();
    x += s[7];
    if (t >= 3)
        x += s[t - 3];
    __syncthreads();
    if (t == 100)
        s[9] = x;
    __syncthreads();
    if (t & 1)
        x += s[9];
    if (t < 250)
        x ^= s[t + 6];
    __syncthreads();
    s[255 - t] = x;
    __syncthreads();
    out[t] = s[t] + (t ? s[t - 1] : 0);
}
__global__ void narrow(const unsigned *in, unsigned *out)
{
    __shared__ unsigned short h[256];
    __shared__ unsigned char b[256];
    const int t = threadIdx.x;
    h[t] = (unsigned short)in[t];
    b[t] = (unsigned char)(in[t] >> 8);
    __syncthreads();
    unsigned x = h[t], y = b[t];
    if (t >= 2)
        x += h[t - 2], y += b[t - 2];
    __syncthreads();
    h[t] = (unsigned short)x;
    b[t] = (unsigned char)y;
    __syncthreads();
    out[t] = h[t] + (t >= 4 ? b[t - 4] * 3 : 1) + (t >= 32 ? h[t - 32] : 0);
}
// Threads that take no part.
__global__ void some(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned s[192];
    const int t = threadIdx.x;
    s[t] = t < n ? in[t] : 1;
    __syncthreads();
    unsigned x = s[t];
    if (t < n && t >= 1)
        x += s[t - 1] * 2;
    __syncthreads();
    if (t < n)
        s[t] = x;
    __syncthreads();
    if (t + 5 < n)
        x -= s[t + 5];
    __syncthreads();
    if (t % 3)
        s[t] = x;
    __syncthreads();
    out[t] = s[t] + (t >= 16 ? s[t - 16] : 0);
}
