// Integers divided by what is not known, beside division bit by bit: of all widths, with and without signs, by what differs between
// threads, by what a block has in common, and where some lanes do not run, those that would divide by 0 among them. Numbers are
// small ones, powers of two and their neighbours, ends of ranges, any. x / 0 is all ones, x % 0 is x, MIN / -1 wraps. All must be 0.
// TEST narrow: --kernel narrow --grid 40 --block 96 --arg 'u32[3840]'
// EXPECT arg 0: sum 0 checksum 2e12471f8680d325
// TEST words: --kernel words --grid 40 --block 96 --arg 'u32[3840]'
// EXPECT arg 0: sum 0 checksum 2e12471f8680d325
// TEST long_ones: --kernel long_ones --grid 40 --block 96 --arg 'u32[3840]'
// EXPECT arg 0: sum 0 checksum 2e12471f8680d325

using u64 = unsigned long long;

__device__ u64 number(unsigned k)
{
    const u64 any = (k + 1) * 0x9e3779b97f4a7c15ull, power = 1ull << (k * 11 / 5 & 63);
    switch (k % 5) {
    case 0: return k / 5 - 3ull;
    case 1: return power - 1;
    case 2: return 0 - power;
    case 3: return power + (k / 5 & 1);
    default: return (any ^ any >> 29) >> (k * 13 & 63);
    }
}
template <class T> struct answer {
    T quotient, rest;
};
template <class T> __device__ bool is_negative(T x)
{
    return (T)-1 < (T)0 && x < 0;
}
template <class T> __device__ answer<T> bit_by_bit(T a, T b)
{
    constexpr u64 mask = sizeof(T) == 8 ? ~0ull : (1ull << 8 * sizeof(T) % 64) - 1;
    if (!b)
        return {(T)mask, a};
    const u64 x = is_negative(a) ? 0 - (u64)a : (u64)a, y = is_negative(b) ? 0 - (u64)b : (u64)b;
    u64 q = 0, r = 0;
    for (int k = 8 * sizeof(T) - 1; k >= 0; k--) {
        const bool carry = r >> 63;
        r = r << 1 | (x >> k & 1);
        if (carry || r >= y)
            r -= y, q |= 1ull << k;
    }
    return {(T)(is_negative(a) != is_negative(b) ? 0 - q : q), (T)(is_negative(a) ? 0 - r : r)};
}
template <class T> __device__ unsigned differs(T a, T b)
{
    const answer<T> right = bit_by_bit(a, b);
    unsigned wrong = (T)(a / b) != right.quotient || (T)(a % b) != right.rest;
    if (b) // by 0 in lanes that do not run
        wrong += (T)(b / (T)(a % b)) != bit_by_bit(b, right.rest).quotient;
    return wrong;
}
// By another number in each thread, by one for the block, by one in a loop.
template <class T> __device__ unsigned all()
{
    const T a = (T)number(threadIdx.x * 7 + blockIdx.x), b = (T)number(threadIdx.x + 61 * blockIdx.x);
    const T common = (T)number(blockIdx.x * 3);
    unsigned wrong = differs(a, b) + differs(a, common) + differs(common, a);
    T sum = 0, right = 0;
    for (T k = 0; k < 3; k++) {
        sum += (T)(a + k) / common;
        right += bit_by_bit((T)(a + k), common).quotient;
    }
    return wrong + (sum != right);
}
__global__ void narrow(unsigned *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all<signed char>() + all<unsigned char>() + all<short>() + all<unsigned short>();
}
__global__ void words(unsigned *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all<int>() + all<unsigned>();
}
__global__ void long_ones(unsigned *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = all<long long>() + all<u64>();
}
