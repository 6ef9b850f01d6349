// Integers divided by constants, beside the same numbers divided by what is read from memory: quotients become products and shifts, where
// lanes have no division. Words and long ones, signed and not; powers of two, negative divisors, ends of the ranges. All must be 0.
// TEST words: --kernel words --grid 2 --block 96 --arg 'u32[192]' --arg 'i32[1]'
// EXPECT arg 0: sum 0 checksum 9fa9e040e0eedf25
// TEST long_ones: --kernel long_ones --grid 2 --block 96 --arg 'u32[192]' --arg 'i32[1]'
// EXPECT arg 0: sum 0 checksum 9fa9e040e0eedf25

template <class T, long long D> __device__ unsigned differs(T x, int zero)
{
    const T d = (T)D, read = (T)(d + zero);
    return (x / d != x / read) + (x % d != x % read);
}
template <class T> __device__ unsigned all(T x, int zero)
{
    return differs<T, 2>(x, zero) + differs<T, 3>(x, zero) + differs<T, 5>(x, zero) + differs<T, 6>(x, zero) + differs<T, 7>(x, zero) +
           differs<T, 10>(x, zero) + differs<T, 14>(x, zero) + differs<T, 32>(x, zero) + differs<T, 100>(x, zero) + differs<T, 641>(x, zero) +
           differs<T, 1000>(x, zero) + differs<T, 65536>(x, zero) + differs<T, 1000000007>(x, zero) + differs<T, 0x7fffffff>(x, zero) +
           differs<T, -3>(x, zero) + differs<T, -7>(x, zero) + differs<T, -32>(x, zero) + differs<T, -100>(x, zero);
}
__device__ unsigned long long number(unsigned i) // around zero and the ends, and anything
{
    unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    switch (i % 4) {
    case 0: return i / 4 - 24ull;
    case 1: return (1ull << 63) - 20 + i / 4;
    case 2: return (1ull << 31) - 20 + i / 4;
    default: return x;
    }
}
__global__ void words(unsigned *out, const int *zero)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = (unsigned)number(i) ^ (i % 4 == 1 ? 0x80000000u : 0);
    out[i] = all<int>((int)x, zero[0]) + all<unsigned>(x, zero[0]);
}
__global__ void long_ones(unsigned *out, const int *zero)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned long long x = number(i);
    out[i] = all<long long>((long long)x, zero[0]) + all<unsigned long long>(x, zero[0]);
}
