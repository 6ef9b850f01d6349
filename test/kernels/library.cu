// The standard library in device code, and cuda::std beside it. All must be 1.
// TEST containers: --kernel containers --block 1 --arg 'i32[10]'
// EXPECT arg 0: sum 10 checksum 2d8d2779dbbae475
// TEST algorithms: --kernel algorithms --block 1 --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
// TEST traits: --kernel traits --block 1 --arg 'i32[4]'
// EXPECT arg 0: sum 4 checksum af657290f3fef745
// TEST atomic: --kernel atomics --grid 2 --block 32 --arg 'i32[6]' --arg 'f32[1]'
// EXPECT arg 0: sum 2355 checksum 5fd48a501e777181
// EXPECT arg 1: sum 32 checksum 4d25b47f9dce7d4f
// TEST barrier: --kernel barriers --block 64 --arg 'i32[64]'
// EXPECT arg 0: sum 2208 checksum 9ff481e170eeb0e5
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

__device__ int sum_of(std::initializer_list<int> l)
{
    int s = 0;
    for (int v : l)
        s += v;
    return s;
}

__global__ void containers(int *out)
{
    std::array<int, 4> a = {4, 2, 3, 1};
    a[1] = 7;
    int s = 0;
    for (int v : a)
        s = s * 10 + v;
    CHECK(s == 4731 && a.size() == 4 && a.back() == 1);
    std::tuple<int, float, char> t(1, 2.5f, 'x');
    std::get<0>(t) += 4;
    auto [i, f, c] = t;
    CHECK(i == 5 && f == 2.5f && c == 'x' && std::tuple_size<decltype(t)>::value == 3);
    std::pair<int, double> p = std::make_pair(3, 4.5);
    auto [x, y] = p;
    CHECK(x == 3 && y == 4.5 && p == std::make_pair(3, 4.5));
    std::pair<int, int> pairs[2] = {{1, 2}, {3, 4}};
    int dot = 0;
    for (auto &[l, r] : pairs)
        dot += l * r;
    CHECK(sum_of({1, 2, 3, 4}) == 10 && sum_of({}) == 0 && dot == 14);
    int u = 1, v = 2;
    std::swap(u, v);
    CHECK(u == 2 && v == 1 && std::exchange(u, 9) == 2 && u == 9);
    CHECK(std::numeric_limits<int>::max() == INT_MAX && std::numeric_limits<float>::max() == FLT_MAX && std::numeric_limits<unsigned char>::digits == 8);
    CHECK(std::numeric_limits<double>::infinity() > DBL_MAX && std::numeric_limits<float>::lowest() == -FLT_MAX && cuda::std::numeric_limits<short>::min() == SHRT_MIN);
    cuda::std::array<float, 2> ca = {1.5f, 2.5f};
    cuda::std::tuple<int, int> ct(3, 4);
    CHECK(ca[0] + ca[1] == 4.0f && cuda::std::get<1>(ct) == 4);
    int64_t big = INT64_MAX;
    uint8_t small = 255;
    small++;
    CHECK(big == 0x7fffffffffffffffll && small == 0 && sizeof(uintptr_t) == sizeof(void *));
    CHECK(std::apply([](int q, float r, char) { return q + (int)r; }, t) == 7);
}

__global__ void algorithms(int *out)
{
    int a[] = {5, 3, 9, 1, 7, 3}, b[6];
    std::sort(a, a + 6);
    CHECK(a[0] == 1 && a[1] == 3 && a[2] == 3 && a[5] == 9);
    CHECK(std::lower_bound(a, a + 6, 4) - a == 3 && std::binary_search(a, a + 6, 7) && !std::binary_search(a, a + 6, 6));
    std::copy(a, a + 6, b);
    std::reverse(b, b + 6);
    CHECK(b[0] == 9 && std::accumulate(b, b + 6, 0) == 28 && *std::max_element(b, b + 6) == 9);
    CHECK(std::min(2, 1) == 1 && std::max(2.5f, 1.5f) == 2.5f && std::clamp(11, 0, 10) == 10 && std::max({4, 8, 2}) == 8);
    CHECK(std::plus<int>()(2, 3) == 5 && std::less<>()(1, 2) && std::multiplies<float>{}(2.0f, 1.5f) == 3.0f);
    char s[8];
#ifdef BY_NVCC // has none of these for the device
    CHECK(memcpy(s, "tern", 5) == s && s[3] == 'n');
#else
    strcpy(s, "tern");
    CHECK(strlen(s) == 4 && strcmp(s, "tern") == 0 && strncmp(s, "test", 2) == 0 && memcmp(s, "terx", 4) < 0);
#endif
    CHECK(std::popcount(0xf0u) == 4 && std::bit_cast<unsigned>(1.0f) == 0x3f800000u && std::gcd(12, 18) == 6);
    assert(a[0] == 1);
    CHECK(std::abs(-3) == 3 && std::abs(-2.5f) == 2.5f && std::sqrt(16.0f) == 4.0f && std::floor(-0.5) == -1.0 && std::isnan(NAN));
}

struct empty {};
struct polymorphic {
    virtual void f();
};
__global__ void traits(int *out)
{
    CHECK(std::is_integral<char>::value && !std::is_integral<float>::value && std::is_unsigned_v<unsigned> && std::is_signed_v<int>);
    CHECK(std::is_empty_v<empty> && std::is_polymorphic_v<polymorphic> && std::is_class_v<empty> && !std::is_class_v<int> && std::is_trivially_copyable_v<empty>);
    CHECK((std::is_same_v<float_t, float>)&&(std::is_same_v<double_t, double>)&&(std::is_same_v<std::make_unsigned_t<int>, unsigned>)&&(std::is_same_v<std::common_type_t<int, float>, float>)&&(std::extent_v<int[3][4], 1> == 4));
    CHECK((std::is_same_v<std::invoke_result_t<int (*)(float), float>, int>)&&std::conjunction_v<std::true_type, std::is_void<void>> && (std::is_same_v<std::underlying_type_t<std::byte>, unsigned char>));
}

__device__ cuda::atomic<int, cuda::thread_scope_device> shared_count;
__global__ void atomics(int *out, float *f)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(out[0]), b(out[1]), c(out[2]);
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    a.fetch_add(t, cuda::memory_order_relaxed);
    b.fetch_max(t * 3);
    int seen = c.load(cuda::std::memory_order_acquire);
    while (!c.compare_exchange_weak(seen, seen + 2))
        ;
    shared_count++;
    cuda::atomic_ref<float>(f[0]).fetch_add(0.5f);
    cuda::atomic_ref<int>(out[3]).fetch_or(t & 5);
    cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst);
    if (t == 63)
        cuda::atomic_ref<int>(out[4]).store(17, cuda::std::memory_order_release);
    if (shared_count.load() < 1)
        out[5] = 1;
}

__global__ void barriers(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    int v = t;
    for (int round = 0; round < 3; round++) {
        s[t] = v;
        bar.arrive_and_wait();
        v = s[(t + 17) % 64] + round;
        auto token = bar.arrive();
        bar.wait(cuda::std::move(token));
    }
    out[t] = v;
}
