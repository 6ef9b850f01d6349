/* libcu++ beside the classics: what cuda::std has before the host's std does, and CUDA's own headers of bits, views, warps and numbers. Host
 * and device must give the same. */
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/concepts>
#include <cuda/std/functional>
#include <cuda/std/inplace_vector>
#include <cuda/std/iterator>
#include <cuda/std/mdspan>
#include <cuda/std/memory>
#include <cuda/std/source_location>
#include <cuda/std/span>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/bit>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/mdspan>
#include <cuda/numeric>
#include <cuda/type_traits>
#include <cuda/warp>
#include <cuda/work_stealing>
#include <cuda/discard_memory>
#include <cuda_fp16.h>
#include <cstdio>
namespace cs = cuda::std;
__device__ int placed = 7;
enum class colour : short { red = 3 };
enum plain { one };
/* The same on both sides: a number that depends on everything. */
__host__ __device__ unsigned all(unsigned t, int *room)
{
    unsigned r = cs::rotl(0x80000001u, t) ^ cs::rotr((unsigned char)0x81, t);
    r = r * 31 + cs::popcount(t) + cs::countl_zero(t) + cs::countr_one(t) + cs::countl_one((unsigned short)~t) + cs::bit_width(t) + cs::bit_floor(t);
    r = r * 31 + cs::byteswap(t) + cs::byteswap((short)t) + cs::byteswap((signed char)5) + (cs::endian::native == cs::endian::little);
    r = r * 31 + cs::bit_cast<unsigned>((float)t) + cs::to_underlying(colour::red) + cs::cmp_less(-1, t) + cs::in_range<signed char>((int)t) * 2 + cs::cmp_equal((int)t, t) * 4;
    r = r * 31 + cuda::bit_reverse(t) + cuda::bitfield_insert(t, 5u, 7, 9) + cuda::bitfield_extract(~t, 3, 4) + cuda::bitmask<unsigned>(4, 28) + cuda::bit_reverse((unsigned char)t);
    static_assert(cuda::bit_reverse(1u) == 0x80000000u && cs::byteswap(0x12345678) == 0x78563412, "");
    auto o = cuda::overflow_cast<signed char>(t * 3);
    r = r * 31 + (o ? 1000 : o.value) + (int)(cs::lerp(1.f, 5.f, t * .25f) * 8) + (int)(cs::sqrtf((float)t) * 100);
    static_assert(cs::integral<int> && !cs::integral<float> && cs::same_as<int, int> && cs::regular<int> && cs::invocable<int (*)(int), int> && cs::totally_ordered<float>, "");
    static_assert(cs::is_scoped_enum_v<colour> && !cs::is_scoped_enum_v<plain> && cs::is_same_v<cs::remove_cvref_t<const int &>, int> && cuda::is_floating_point_v<__half>, "");
    cs::inplace_vector<int, 8> v{3, 1, 4};
    v.insert(v.begin() + 1, (int)t);
    v.push_back(9);
    v.erase(v.begin());
    r = r * 31 + v[0] * 7 + v[1] * 5 + v.size() + (v.try_push_back(1) != nullptr) + cs::erase_if(v, [](int x) { return x == 1; });
    v.insert(v.end(), 2, 6);
    cs::inplace_vector<int, 8> w(v);
    r = r * 31 + (w == v) + w.back() + (w.rbegin() + 2)[0];
    auto add = cs::bind_front([](int a, int b, int c) { return a + b * c; }, 2, 3);
    r = r * 31 + add((int)t) + cs::invoke_r<int>([](double x) { return x * 1.5; }, t);
    const auto a = cs::to_array({1, 2, 3});
    r = r * 31 + a[t % 3] + cs::ssize(a) + *cs::to_address(room + 1);
    cs::mdspan<int, cs::extents<int, 4, cs::dynamic_extent>> m(room, 6);
    cs::mdspan<const int, cs::dextents<int, 2>> c(m);
    auto s = cs::submdspan(m, cs::full_extent, cs::pair<int, int>(1, 5));
    auto row = cs::submdspan(c, 2, cs::strided_slice<int, int, int>{1, 5, 2});
    r = r * 31 + c(3, 5) + s(2, 3) + s.extent(0) * 10 + s.extent(1) + row(2) + row.extent(0) * 100 + row.stride(0) + s.is_exhaustive();
    cs::mdspan d(room, cs::extents<int, 2, 3>());
    cuda::restrict_mdspan<int, cs::dextents<int, 2>> q(room, 4, 6);
    r = r * 31 + d(1, 2) + q(1, 1) + cuda::is_restrict_mdspan_v<decltype(q)>;
    auto by = cs::as_bytes(cs::span<int>(room, 3));
    r = r * 31 + by.size() + (int)by[4] + *cs::span<int>(room, 3).rbegin();
    static_assert(cs::random_access_iterator<int *> && cs::contiguous_iterator<int *> && !cs::input_iterator<int>, "");
    r = r * 31 + cuda::ilog10(t * 1000 + 1) + cuda::proclaim_copyable_arguments([](int x) { return x + 1; })((int)t);
    const auto here = cs::source_location::current();
    r = r * 31 + here.line() + here.function_name()[0];
    cs::atomic_int n(5);
    cs::atomic_fetch_add(&n, (int)t);
    int e = 5 + t;
    r = r * 31 + cs::atomic_load(&n) + cs::atomic_compare_exchange_strong(&n, &e, 77) + cs::atomic_exchange_explicit(&n, 3, cs::memory_order_relaxed);
    cs::atomic_flag f{};
    r = r * 2 + cs::atomic_flag_test_and_set(&f) + cs::atomic_flag_test(&f);
    cuda::discard_memory(nullptr, 0);
    return r;
}
__global__ void k(unsigned *o, int *room)
{
    const unsigned t = threadIdx.x;
    unsigned r = all(t, room);
    struct wide { int a[3]; };
    wide x{{(int)t, 2, 3}};
    wide y = cuda::device::warp_shuffle_idx(x, 5);
    auto z = cuda::device::warp_shuffle_up<8>(t, 3);
    o[t] = r;
    o[32 + t] = y.a[0] * 100 + z.data + z.pred * 1000 + cuda::device::warp_shuffle_xor(t, 1).data;
    cuda::for_each_canceled_block<1>([&](dim3 b) { o[64 + t] = b.x + 1; });
}
int main()
{
    unsigned *o;
    int *room;
    cudaMallocManaged(&o, 400);
    cudaMallocManaged(&room, 96);
    for (int i = 0; i < 24; i++)
        room[i] = i * i;
    k<<<1, 32>>>(o, room);
    int wrong = cudaDeviceSynchronize() != cudaSuccess;
    for (unsigned t = 0; t < 32; t++)
        wrong += o[t] != all(t, room) || o[64 + t] != 1 || o[32 + t] != 500 + ((t & 7) >= 3 ? t - 3 + 1000 : t) + (t ^ 1);
    int got = 0;
    cudaMemcpy(&got, cuda::get_device_address(placed), sizeof got, cudaMemcpyDeviceToHost);
    wrong += got != 7;
    puts(wrong ? "wrong" : "ok");
    return wrong;
}
