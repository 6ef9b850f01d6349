// What vector code may know of single lanes: steps between them, masks that are the same in every gang, and operations whose
// instructions differ from CUDA's at the edges.
// TEST steps: --kernel steps --grid 2 --block 48 --arg 'i32[200]=iota' --arg 'i32[96]'
// EXPECT arg 1: sum -96890 checksum a72866dc5ff62a81
// TEST leaders: --kernel leaders --grid 3 --block 64 --arg 'i32[192]=iota' --arg 'i32[12]' --arg 'i32[1]'
// EXPECT arg 1: sum 40794 checksum 0a0955dcb8c88ea1
// EXPECT arg 2: sum 18624 checksum 2e3964c158db361d
// TEST extremes: --kernel extremes --grid 1 --block 64 --arg 'u32[64]' --arg 'u32[64]'
// EXPECT arg 0: sum 156413984768 checksum 8c043fede4c91325
// EXPECT arg 1: sum 116744257536 checksum 38024b0bc28d6588
// TEST rows: --kernel rows --grid 3,2 --block 16,4 --arg 'i32[315]=iota' --arg 'i32[315]' --arg i32:45 --arg i32:7
// EXPECT arg 1: sum 142072 checksum 3501206bbadf712d
// TEST powers: --kernel powers --grid 1 --block 64 --arg 'f32[64]'
// EXPECT arg 0: near 2.4e-07 8.67361738e-19 4.90653893e-18 2.77555756e-17 1.57009246e-16 8.8817842e-16 5.02429587e-15 2.84217094e-14 1.60777468e-13 sum 2.72211783387124e+29
// TEST ends: --kernel ends --grid 1 --block 8 --arg 'u32[8]'
// EXPECT arg 0: sum 7482638336 checksum 82d3ce46a3942725
// TEST bytes: --kernel bytes --grid 2 --block 96 --arg 'u8[192]=rand:5' --arg 'i8[192]=rand:6' --arg 'i32[192]' --arg 'i64[192]' --arg 'f32[192]'
// EXPECT arg 2: sum 13838 checksum 210a8219497ba24f
// EXPECT arg 3: sum 6424999982949 checksum 58e4e894275dcc63
// EXPECT arg 4: sum 2468.5 checksum f52a09304ea9c593
// TEST meet: --kernel meet --grid 1 --block 16 --arg 'i32[16]=iota' --arg 'i32[16]'
// EXPECT arg 1: sum 418 checksum 020bec5b1e4ecc25
__global__ void steps(const int *in, int *out)
{
    __shared__ int s[48][3];
    int t = threadIdx.x, i = blockIdx.x * 48 + t, v = in[2 * i] - in[199 - 2 * t];
    s[47 - t][1] = v;
    s[t][2] = t;
    __syncthreads();
    if (t >= 5) // the lanes before would read what is not there
        v += in[3 * (t - 5)] + s[t][1] * s[52 - t][2];
    out[i] = v;
}

__global__ void leaders(const int *in, int *out, int *count)
{
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32, v = in[i];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0 || lane == 31)
        out[i / 32 * 2 + lane / 31] = v + i;
    if (lane == 3)
        atomicAdd(count, v);
}

__constant__ unsigned edges[8] = {0x7fc00000, 0x80000000, 0, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000};
__constant__ unsigned far_off[8] = {0x7f800000, 0xff800000, 0x43000000, 0xc3170000, 0xc3250000, 0x44800000, 0xc4800000, 0};

__global__ void extremes(unsigned *low, unsigned *high)
{
    int t = threadIdx.x;
    float a = __uint_as_float(edges[t / 8]), b = __uint_as_float(edges[t % 8]);
    float least = fminf(a, b);
    low[t] = least != least ? 0x7fc00000 : __float_as_uint(least); // which NaN it is, each device decides
    high[t] = __float_as_uint(fmaxf(fmaxf(a, b), -2.0f));
}

__global__ void rows(const int *in, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y < h)
        out[y * w + x] = in[y * w + x - 1] + 2 * in[y * w + x + 1];
}

__global__ void powers(float *out)
{
    float x = 2.5f * threadIdx.x - 80, r;
    asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[threadIdx.x] = r * 1048576;
}

__global__ void ends(unsigned *out)
{
    float x = __uint_as_float(far_off[threadIdx.x]), r;
    asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    out[threadIdx.x] = __float_as_uint(r);
}

// Masks that come from bytes, for elements of every width.
__global__ void bytes(const unsigned char *a, const signed char *b, int *out, long long *wide, float *real)
{
    __shared__ unsigned char some[96];
    __shared__ bool less[96];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    some[t] = a[i] & 3;
    less[t] = a[i] < b[i];
    __syncthreads();
    out[i] = some[t] ? i : -1;
    wide[i] = less[t] ? i * 5000000000ll : -i;
    real[i] = less[95 - t] || !some[95 - t] ? 0.5f * i : b[i] < 7 ? -1.0f : 2.0f;
}

// Lanes that meet at one place of shared memory: of four of them one runs, which is not the last.
__global__ void meet(const int *in, int *out)
{
    __shared__ int s[16];
    const int t = threadIdx.x;
    s[t] = -1;
    __syncthreads();
    if (in[t] / 4 == t % 4)
        s[t % 4] = 100 + t;
    __syncthreads();
    out[t] = s[t];
}
