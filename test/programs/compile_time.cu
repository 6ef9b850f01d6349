// What the compiler works out: constexpr functions and tables, if constexpr, traits, static_assert, recursion in types.
#include <array>
#include <type_traits>
#include "check.h"

constexpr unsigned crc_entry(unsigned n)
{
    for (int k = 0; k < 8; k++)
        n = n & 1 ? 0xedb88320u ^ (n >> 1) : n >> 1;
    return n;
}
struct crc_table {
    unsigned entry[256];
    constexpr crc_table() : entry()
    {
        for (unsigned i = 0; i < 256; i++)
            entry[i] = crc_entry(i);
    }
};
__constant__ constexpr crc_table table;
static_assert(crc_entry(1) == 0x77073096u, "");

template <int N> struct factorial {
    static constexpr long long value = N * factorial<N - 1>::value;
};
template <> struct factorial<0> {
    static constexpr long long value = 1;
};
constexpr int primes_below(int n)
{
    int count = 0;
    for (int i = 2; i < n; i++) {
        bool prime = true;
        for (int k = 2; k * k <= i; k++)
            prime = prime && i % k != 0;
        count += prime;
    }
    return count;
}
template <class T> __device__ int kind(T)
{
    if constexpr (std::is_floating_point<T>::value)
        return sizeof(T) == 4 ? 1 : 2;
    else if constexpr (std::is_pointer_v<T>)
        return 3;
    else if constexpr (std::is_integral<T>::value && std::is_signed<T>::value)
        return 4;
    else
        return 5;
}
// What is left out ends where its statement ends, whatever stands before that.
template <bool Yes> __device__ int discarded(int x)
{
    if constexpr (Yes)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            x += 100;
        }
    x += 1;
    if constexpr (Yes)
        [[likely]] while (x < 50) { x++; }
    x += 10;
    if constexpr (!Yes) {
        x += 2;
    } else
#pragma unroll 2
        for (int i = 0; i < 2; i++)
            x += 100;
    x += 20;
    return x;
}
template <class T, std::enable_if_t<(sizeof(T) > 4), int> = 0> __device__ int width(T) { return 64; }
template <class T, std::enable_if_t<(sizeof(T) <= 4), int> = 0> __device__ int width(T) { return 32; }
enum { STEPS = primes_below(30) };
__host__ __device__ constexpr int log2_of(int x) { return x > 1 ? log2_of(x / 2) + 1 : 0; }
__host__ __device__ constexpr size_t log2_of(size_t x) { return x > 1 ? log2_of(x / 2) + 1 : 0; }
template <int N> struct passes {
    enum { group = N < 32 ? N : 32, count = log2_of(group), bytes = sizeof(count) }; // an int while the list is read
};

__global__ void crc(const unsigned char *text, int n, unsigned *out)
{
    unsigned c = ~0u;
    for (int i = 0; i < n; i++)
        c = table.entry[(c ^ text[i]) & 255] ^ (c >> 8);
    *out = ~c;
}
__global__ void others(long long *out)
{
    int local[STEPS];
    for (int i = 0; i < STEPS; i++)
        local[i] = i;
    constexpr std::array<int, 4> a{{1, 2, 3, 4}};
    static_assert(a.size() == 4 && primes_below(100) == 25, "");
    out[0] = factorial<15>::value;
    out[1] = local[STEPS - 1] + a[2];
    out[5] = passes<128>::count * 10 + passes<8>::count;
    out[2] = kind(1.0f) * 10000 + kind(1.0) * 1000 + kind(&local[0]) * 100 + kind(1L) * 10 + kind(1u);
    out[3] = width(1) + width(1.0) * 100;
    out[6] = discarded<false>(0);
    out[7] = discarded<true>(0);
    out[4] = std::is_same<std::conditional<true, int, float>::type, int>::value;
}

int main()
{
    unsigned char *text;
    unsigned *sum;
    long long *out;
    CUDA(cudaMallocManaged(&text, 16));
    CUDA(cudaMallocManaged(&sum, 4));
    CUDA(cudaMallocManaged(&out, 64));
    for (int i = 0; i < 9; i++)
        text[i] = (unsigned char)('1' + i);
    crc<<<1, 1>>>(text, 9, sum);
    others<<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(*sum == 0xcbf43926u);
    CHECK(out[0] == 1307674368000LL && out[1] == 9 + 3 && out[2] == 12345 && out[3] == 6432 && out[4] == 1 && out[5] == 53);
    CHECK(out[6] == 33 && out[7] == 431);
    puts("ok");
}
