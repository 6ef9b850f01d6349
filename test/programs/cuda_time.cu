// cuda::std::chrono, ratio and bitset, on both sides.
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/ratio>
#include "check.h"

namespace chrono = cuda::std::chrono;
using namespace cuda::std::chrono_literals;

static_assert(cuda::std::ratio<6, -4>::num == -3 && cuda::std::ratio<6, -4>::den == 2, "");
static_assert(cuda::std::ratio_add<cuda::std::ratio<1, 2>, cuda::std::ratio<1, 3>>::den == 6, "");
static_assert(chrono::milliseconds(2) == chrono::microseconds(2000) && chrono::seconds(1) > 999ms, "");
static_assert(!std::is_convertible<chrono::nanoseconds, chrono::seconds>::value, "");

__host__ __device__ long long numbers(int which)
{
    constexpr auto half = chrono::duration<int, cuda::std::ratio<1, 2>>(3);
    constexpr auto third = chrono::duration<int, cuda::std::ratio<1, 3>>(2);
    switch (which) {
    case 0: return (chrono::minutes(2) + chrono::seconds(5)).count();
    case 1: return chrono::duration_cast<chrono::milliseconds>(1234567ns).count();
    case 2: return (half + third).count() * 100 + decltype(half + third)::period::den;
    case 3: return chrono::floor<chrono::seconds>(-1500ms).count() * 10 + chrono::ceil<chrono::seconds>(1500ms).count();
    case 4: return chrono::round<chrono::seconds>(2500ms).count() * 10 + chrono::round<chrono::seconds>(3500ms).count();
    case 5: return 7s / 2s * 10 + (7s % 4).count();
    case 6: return (long long)(chrono::duration<double>(250ms).count() * 8);
    case 7: return (chrono::system_clock::time_point(5s) - chrono::system_clock::time_point(2s)).count();
    default: return 0;
    }
}
__host__ __device__ unsigned long long bits(int which)
{
    cuda::std::bitset<70> b(5);
    b.set(69).flip(1);
    b[3] = b[2];
    switch (which) {
    case 0: return b.count();
    case 1: return (b >> 60).to_ullong();
    case 2: return (b << 3).to_ullong();
    case 3: return (~b).count();
    case 4: return (b & cuda::std::bitset<70>(12)).to_ullong() + (b ^ b).none() + b.any() * 2 + b.all() * 4;
    case 5: return cuda::std::bitset<70>().set().all() + ((b | b) == b) + b.test(69) * 2;
    default: return 0;
    }
}
__global__ void all(long long *out, unsigned long long *some, long long *spent)
{
    for (int i = 0; i < 8; i++)
        out[i] = numbers(i);
    for (int i = 0; i < 6; i++)
        some[i] = bits(i);
    const auto from = chrono::high_resolution_clock::now();
    const auto until = from + chrono::microseconds(50);
    long long turns = 0; // is told: a loop that leaves nothing behind is none to some drivers
    while (chrono::high_resolution_clock::now() < until)
        turns++;
    spent[1] = turns;
    *spent = chrono::duration_cast<chrono::microseconds>(chrono::high_resolution_clock::now() - from).count();
}

int main()
{
    const long long expected[] = {125, 1, 1306, -18, 24, 33, 2, 3000000000ll};
    const unsigned long long expected_bits[] = {5, 512, 120, 65, 15, 4};
    long long *out;
    CUDA(cudaMallocManaged(&out, 32 * sizeof *out));
    all<<<1, 1>>>(out, (unsigned long long *)out + 8, out + 16);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++)
        CHECK(out[i] == expected[i] && numbers(i) == expected[i]);
    for (int i = 0; i < 6; i++)
        CHECK((unsigned long long)out[8 + i] == expected_bits[i] && bits(i) == expected_bits[i]);
    CHECK(out[16] >= 50);
    const auto then = chrono::steady_clock::now();
    CHECK(chrono::steady_clock::now() >= then);
    puts("ok");
}
