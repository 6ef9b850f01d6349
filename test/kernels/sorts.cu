// Sorting inside a block: bitonic, odd-even, radix, and by merging.
// TEST bitonic: --kernel bitonic --block 256 --arg 'i32[512]=rand:21'
// EXPECT arg 0: sum 78370198961 checksum ec0987976954796a
// TEST odd_even: --kernel odd_even --block 64 --arg 'i32[128]=rand:22'
// EXPECT arg 0: sum -7190402859 checksum b6855ff5978ebd6f
// TEST radix: --kernel radix --block 256 --arg 'u32[256]=rand:23' --arg 'u32[256]'
// EXPECT arg 1: sum 522332205967 checksum 72bd4d654e3abf73
// TEST merge: --kernel merge_sort --block 128 --arg 'i64[128]=rand:24' --arg 'i64[128]'
// EXPECT arg 1: sum 8932982208315843143 checksum 01f25f218288b76c
// TEST rank: --kernel rank_sort --grid 2 --block 64 --arg 'u16[128]=rand:25' --arg 'u16[128]'
// EXPECT arg 1: sum 3930704 checksum 44fc09e57634c690
template <class T> __device__ inline void order(T &a, T &b, bool up)
{
    if ((a > b) == up) {
        T t = a;
        a = b;
        b = t;
    }
}

__global__ void bitonic(int *data)
{
    __shared__ int s[512];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    s[t + 256] = data[t + 256];
    for (unsigned k = 2; k <= 512; k <<= 1)
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            unsigned i = 2 * t - (t & (j - 1));
            order(s[i], s[i + j], (i & k) == 0);
        }
    __syncthreads();
    data[t] = s[t];
    data[t + 256] = s[t + 256];
}

__global__ void odd_even(int *data)
{
    int n = 2 * blockDim.x, t = threadIdx.x;
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * t + (phase & 1);
        if (i + 1 < n)
            order(data[i], data[i + 1], true);
        __syncthreads();
    }
}

__global__ void radix(const unsigned *in, unsigned *out)
{
    __shared__ unsigned keys[2][256], zeros[256];
    unsigned t = threadIdx.x, from = 0;
    keys[0][t] = in[t];
    for (unsigned bit = 0; bit < 32; bit++) {
        __syncthreads();
        unsigned key = keys[from][t], zero = !(key >> bit & 1u);
        zeros[t] = zero;
        __syncthreads();
        for (unsigned d = 1; d < 256; d *= 2) {
            unsigned add = t >= d ? zeros[t - d] : 0;
            __syncthreads();
            zeros[t] += add;
            __syncthreads();
        }
        unsigned total = zeros[255];
        unsigned to = zero ? zeros[t] - 1 : total + t - zeros[t];
        keys[1 - from][to] = key;
        from = 1 - from;
    }
    __syncthreads();
    out[t] = keys[from][t];
}

// each thread finds where its element goes by binary search in the other half
__global__ void merge_sort(const long long *in, long long *out)
{
    __shared__ long long a[128], b[128];
    int t = threadIdx.x, n = blockDim.x;
    a[t] = in[t];
    __syncthreads();
    for (int w = 1; w < n; w *= 2) {
        int start = t / (2 * w) * (2 * w), in_right = t / w % 2, other = in_right ? start : start + w;
        long long key = a[t];
        int lo = 0, hi = w;
        while (lo < hi) {
            int mid = (lo + hi) / 2;
            if (in_right ? a[other + mid] <= key : a[other + mid] < key)
                lo = mid + 1;
            else
                hi = mid;
        }
        b[start + t % w + lo] = key;
        __syncthreads();
        a[t] = b[t];
        __syncthreads();
    }
    out[t] = a[t];
}

__global__ void rank_sort(const unsigned short *in, unsigned short *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, rank = 0;
    for (int j = 0; j < n; j++)
        rank += in[j] < in[i] || (in[j] == in[i] && j < i);
    out[rank] = in[i];
}
