// Operations of warps as a device's subgroups do them: shuffles that stay in tiles of 4, 8 and 16 lanes, in blocks of any size;
// and all of them in blocks of no more threads than a subgroup has. (No software GPU has subgroups of 32.)
// TEST tiles-4: --kernel tiles<4> --grid 2 --block 96 --arg 'i32[1728]' --arg i32:3
// TEST tiles-4-ragged: --kernel tiles<4> --grid 2 --block 50 --arg 'i32[900]' --arg i32:3
// TEST tiles-4-square: --kernel tiles<4> --block 8,6 --arg 'i32[432]' --arg i32:3
// TEST tiles-8: --kernel tiles<8> --grid 2 --block 96 --arg 'i32[1728]' --arg i32:5
// TEST tiles-16: --kernel tiles<16> --grid 2 --block 96 --arg 'i32[1728]' --arg i32:11
// TEST wide: --kernel wide --block 64 --arg 'i64[256]' --arg 'f64[256]' --arg i32:1
// TEST sums: --kernel sums --grid 3 --block 64 --arg 'f32[1000]=iota' --arg 'f32[48]' --arg i32:1000
// TEST votes: --kernel votes --block 16 --arg 'u32[512]' --arg i32:3
// TEST matches: --kernel matches --block 16 --arg 'u32[512]'
// TEST reductions: --kernel reductions --block 16 --arg 'i32[256]'
// TEST shuffles: --kernel shuffles --block 16 --arg 'i32[320]' --arg i32:2 --arg i32:2
// TEST left: --kernel left --grid 4 --block 16 --arg 'i32[128]' --arg 'u32[128]' --arg i32:41
// TEST loops: --kernel loops --grid 2 --block 16 --arg 'i32[64]' --arg 'i32[64]=iota'
// TEST counted: --kernel counted --grid 2 --block 16 --arg 'i32[32]=iota'
template <int W> __global__ void tiles(int *out, int by)
{
    int threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x, v = blockIdx.x * 1000 + t * 10, lane = t & 31;
    int *p = out + blockIdx.x * 9 * threads + t;
    p[0] = __shfl_sync(~0u, v, 1, W);
    p[threads] = __shfl_sync(~0u, v, t * 3 + by, W);
    p[2 * threads] = __shfl_up_sync(~0u, v, 1, W);
    p[3 * threads] = __shfl_up_sync(~0u, v, by, W);
    p[4 * threads] = __shfl_down_sync(~0u, v, W / 2, W);
    p[5 * threads] = __shfl_down_sync(~0u, v, by, W);
    p[6 * threads] = __shfl_xor_sync(~0u, v, W - 1, W);
    for (int d = 1; d < W; d *= 2) { // a scan in each tile
        int from = __shfl_up_sync(~0u, v, d, W);
        if (lane % W >= d)
            v += from;
    }
    p[7 * threads] = v;
    p[8 * threads] = __shfl_sync(~0u, v, W - 1, W);
}

__global__ void wide(long long *whole, double *real, int by)
{
    int t = threadIdx.x;
    long long v = 10000000000ll * t + 7;
    double x = t / 7.0;
    short s = -t;
    bool odd = t & 1;
    whole[t] = __shfl_xor_sync(~0u, v, 3, 4);
    whole[64 + t] = __shfl_down_sync(~0u, v, by, 4);
    whole[128 + t] = (short)__shfl_up_sync(~0u, s, 1, 4);
    whole[192 + t] = __shfl_sync(~0u, odd, t + 1, 4);
    real[t] = __shfl_xor_sync(~0u, x, 1, 4);
    real[64 + t] = __shfl_up_sync(~0u, (float)x, 2, 4);
    real[128 + t] = __shfl_sync(~0u, x + by, 3, 4);
    real[192 + t] = __shfl_down_sync(~0u, (float)by, 1, 4);
}

__global__ void sums(const float *in, float *out, int n)
{
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) // of different lengths
        s += in[i];
    for (int d = 2; d; d /= 2)
        s += __shfl_down_sync(~0u, s, d, 4);
    if (threadIdx.x % 4 == 0)
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 4] = s;
}

__global__ void votes(unsigned *out, int n)
{
    unsigned t = threadIdx.x, *p = out + 16 * t;
    p[0] = __any_sync(~0u, t == n);
    p[1] = __all_sync(~0u, t < n);
    p[2] = __ballot_sync(~0u, t % n == 0);
    p[3] = __uni_sync(~0u, t < n) + 2 * __uni_sync(~0u, n == 3) + 4 * __uni_sync(~0u, n == 4);
    p[4] = __activemask();
    p[5] = __ballot_sync((1ull << blockDim.x) - 1, t & 2);
    p[6] = __any_sync(__activemask(), t == 2) + 2 * __all_sync(__activemask(), t != 2);
    if (__any_sync(~0u, t > n)) // the same for all
        p[7] = __ballot_sync(~0u, t > n);
    if (t == 1)
        p[8] = 77;
    p[9] = __popc(__ballot_sync(~0u, true));
}

__global__ void matches(unsigned *out)
{
    int t = threadIdx.x, same;
    unsigned *p = out + 16 * t;
    p[0] = __match_any_sync(~0u, t / 3);
    p[1] = __match_all_sync(~0u, 7ull, &same) + same;
    p[2] = __match_all_sync(~0u, t & 2, &same) * 2 + same;
    p[3] = __match_any_sync(~0u, (unsigned long long)(t % 2) << 40);
    p[4] = __match_any_sync(~0u, t % 3 * 0.5f);
}

__global__ void reductions(int *out)
{
    int t = threadIdx.x, v = (t * 37) % 41 - 20, *p = out + 8 * t;
    p[0] = __reduce_add_sync(~0u, v);
    p[1] = __reduce_min_sync(~0u, v);
    p[2] = __reduce_max_sync(~0u, v);
    p[3] = (int)__reduce_min_sync(~0u, (unsigned)v);
    p[4] = (int)__reduce_and_sync(~0u, (unsigned)v | 0x40u);
    p[5] = (int)__reduce_or_sync(__activemask(), (unsigned)(t & 5));
    p[6] = (int)__reduce_xor_sync(~0u, (unsigned)v);
    p[7] = __reduce_max_sync(__activemask(), v);
}

// Widths and distances that are not known to the compiler; lanes that do not exist.
__global__ void shuffles(int *out, int by, int width)
{
    int t = threadIdx.x, v = t * 10, *p = out + 10 * t;
    p[0] = __shfl_sync(~0u, v, by);
    p[1] = __shfl_sync(~0u, v, t + by, width);
    p[2] = __shfl_up_sync(~0u, v, by);
    p[3] = __shfl_up_sync(~0u, v, 1, width);
    p[4] = __shfl_down_sync(~0u, v, 2);
    p[5] = __shfl_down_sync(~0u, v, by, width);
    p[6] = __shfl_xor_sync(~0u, v, 3);
    p[7] = __shfl_xor_sync(~0u, v, 3, 2);
    p[8] = __shfl_xor_sync(~0u, v, 16);
    p[9] = __shfl_sync(~0u, v, 31);
}

__global__ void left(int *out, unsigned *who, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int v = i;
    for (int d = 1; d < 32; d *= 2)
        v += __shfl_xor_sync(~0u, v, d);
    out[i] = v;
    who[i] = __ballot_sync(~0u, i & 1) + __activemask();
}

__global__ void loops(int *out, const int *in)
{
    int t = threadIdx.x, v = in[t], turns = 0;
    while (__any_sync(~0u, v > 3)) { // all go on until the last is done
        if (v > 3)
            v -= 3;
        turns++;
    }
    for (int i = 0; i < in[2]; i++)
        v += __shfl_sync(~0u, v, i);
    __syncwarp();
    out[blockIdx.x * blockDim.x + t] = v * 100 + turns;
}

__global__ void counted(int *p) // barriers of the block that count, beside operations of warps
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = p[i], n = __syncthreads_count(v % 3 == 0);
    for (int lanes = 8; lanes; lanes /= 2)
        v += __shfl_xor_sync(~0u, v, lanes, 16);
    p[i] = v + 1000 * n + 100000 * __syncthreads_or(p[i] == 7);
}
