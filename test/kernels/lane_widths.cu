// Lanes of every width, some of which run: loads and stores side by side and each somewhere, divisions, upper halves of products,
// shifts by what is in two words, the lesser of a number and a NaN. Each thread computes a thing in two ways and counts where they
// differ: none.
// TEST places: --kernel places --grid 3 --block 96 --arg 'u32[288]'
// EXPECT arg 0: sum 0 checksum 36fe4d3f1c233d25
// TEST numbers: --kernel numbers --grid 3 --block 96 --arg 'u32[288]'
// EXPECT arg 0: sum 0 checksum 36fe4d3f1c233d25
// TEST across: --kernel across --grid 3 --block 96 --arg 'u32[288]'
// EXPECT arg 0: sum 0 checksum 36fe4d3f1c233d25

__device__ unsigned mixed(unsigned i, unsigned salt)
{
    unsigned x = (i * 5 + salt) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

// Elements are written by other threads than read them: first side by side, then by a permutation of 96.
template <class T> __device__ unsigned moved(T *row, unsigned salt)
{
    const unsigned i = threadIdx.x, at = i * 35 % 96, block = blockIdx.x * 96;
    unsigned bad = 0;
    row[i] = 1;
    __syncthreads();
    if (mixed(block + i, salt) % 3) // side by side, under a mask
        row[i] = (T)mixed(block + i, salt);
    __syncthreads();
    T expected = mixed(block + at, salt) % 3 ? (T)mixed(block + at, salt) : (T)1;
    if (i % 5 != 2) // from anywhere, under a mask
        bad += row[at] != expected;
    __syncthreads();
    if (i % 7 != 3) // to anywhere
        row[at] = (T)(mixed(block + i, salt + 1) ^ i);
    __syncthreads();
    T before = mixed(block + at, salt) % 3 ? (T)mixed(block + at, salt) : (T)1;
    bad += row[at] != (i % 7 != 3 ? (T)(mixed(block + i, salt + 1) ^ i) : before);
    __syncthreads();
    return bad;
}

__global__ void places(unsigned *out)
{
    __shared__ unsigned char bytes[96];
    __shared__ unsigned short shorts[96];
    __shared__ int words[96];
    __shared__ long long longs[96];
    __shared__ float floats[96];
    __shared__ double doubles[96];
    unsigned bad = moved(bytes, 1) + moved(shorts, 2) + moved(words, 3) + moved(longs, 4);
    out[blockIdx.x * 96 + threadIdx.x] = bad + moved(floats, 5) + moved(doubles, 6);
}

template <class S, class U> __device__ unsigned divided(U a, U b)
{
    S x = (S)a, y = (S)b == -1 ? 3 : (S)b;
    unsigned bad = b && (a / b * b + a % b != a || a % b >= b);
    return bad + (y && (x / y * y + x % y != x || (x < 0 ? x % y > 0 : x % y < 0)));
}

__device__ unsigned long long pair(unsigned high, unsigned low)
{
    return (unsigned long long)high << 32 | low;
}

__global__ void numbers(unsigned *out)
{
    const unsigned i = blockIdx.x * 96 + threadIdx.x, a = mixed(i, 1) >> mixed(i, 2) % 32, b = mixed(i, 3) >> mixed(i, 4) % 32,
                   by = mixed(i, 5) % 80, c = mixed(i, 6);
    const unsigned long long p = pair(a, c) >> by % 64, q = pair(b, a) >> c % 64;
    unsigned bad = divided<int, unsigned>(a, b) + divided<long long, unsigned long long>(p, q) +
                   divided<short, unsigned short>(a, b) + divided<signed char, unsigned char>(a, b);
    bad += __umulhi(a, c) != (unsigned)((unsigned long long)a * c >> 32);
    bad += __mulhi((int)a, (int)c) != (int)((long long)(int)a * (int)c >> 32);
    const unsigned long long low = (p & 0xffffffff) * (q & 0xffffffff), one = (p >> 32) * (q & 0xffffffff) + (low >> 32),
                             other = (p & 0xffffffff) * (q >> 32) + (one & 0xffffffff);
    bad += __umul64hi(p, q) != (p >> 32) * (q >> 32) + (one >> 32) + (other >> 32);
    bad += __funnelshift_l(c, a, by) != (unsigned)(pair(a, c) << by % 32 >> 32);
    bad += __funnelshift_r(c, a, by) != (unsigned)(pair(a, c) >> by % 32);
    bad += __popcll(p) != __popc((unsigned)p) + __popc((unsigned)(p >> 32));
    bad += __brevll(p) != pair(__brev((unsigned)p), __brev((unsigned)(p >> 32)));
    const float number = (float)(int)a, quiet = __uint_as_float(0x7fc00000 | (c & 0x3fffff));
    bad += fminf(number, quiet) != number || fmaxf(quiet, number) != number;
    bad += (long long)(double)(int)a != (int)a || (unsigned)(double)a != a;
    bad += (float)(long long)(p >> 41) != (float)(int)(p >> 41);
    out[i] = bad;
}

// Warps whose lanes exchange, vote and add up.
__global__ void across(unsigned *out)
{
    const unsigned i = blockIdx.x * 96 + threadIdx.x, lane = i % 32, from = (lane * 11 + 5) % 32, first = i - lane;
    unsigned bad = __shfl_sync(~0u, mixed(i, 1), from) != mixed(first + from, 1);
    const unsigned long long wide = __shfl_sync(~0u, pair(mixed(i, 1), i), from);
    bad += wide != pair(mixed(first + from, 1), first + from);
    bad += __shfl_xor_sync(~0u, mixed(i, 2), 9) != mixed(i ^ 9, 2);
    unsigned ballot = 0, sum = 0, least = ~0u, any = 0, every = 1;
    for (unsigned k = 0; k < 32; k++) {
        const unsigned x = mixed(first + k, 3);
        ballot |= (x % 3 == 0) << k;
        sum += x;
        least = x < least ? x : least;
        any |= x % 41 == 0;
        every &= x % 41 != 0;
    }
    const unsigned mine = mixed(i, 3);
    bad += __ballot_sync(~0u, mine % 3 == 0) != ballot;
    bad += __reduce_add_sync(~0u, mine) != sum || __reduce_min_sync(~0u, mine) != least;
    bad += __any_sync(~0u, mine % 41 == 0) != any || __all_sync(~0u, mine % 41 != 0) != every;
    out[i] = bad;
}
