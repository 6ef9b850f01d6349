// RUN: tern compile %s --to ir -o %t --error-limit 200 2>&1 | grep -E "(error|warning):" | sed 's/\(<tern>[^:]*\):[0-9]*:[0-9]*/\1/'
// More of the language and its headers, used wrongly: one line each.
#include <array>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <initializer_list>
#include <type_traits>
#include <utility>
namespace cg = cooperative_groups;
struct __align__(3) crooked { int v; };
struct bits { unsigned a : 3; };
struct shut { private: struct inner { int v; }; int v; friend struct key; };
struct key { __device__ static int open(shut &s) { return s.v; } };
struct base { __device__ virtual int f(int) { return 1; } };
struct child : base { __device__ int f(float) override { return 2; } };
struct explicit_ { int v; __device__ explicit operator int() const { return v; } };
struct unfinished;
template <typename T, typename U> using both = T;
template <typename T> constexpr T zero = T(0);
template <typename T> struct only { };
template <typename T> struct only<T *> { T v; };
template <typename T, typename = std::enable_if_t<std::is_integral<T>::value>> __device__ int whole(T x) { return x; }
template <typename... T> struct pack { template <int I> __device__ int get() { return I < sizeof...(T); } };
namespace there { __device__ int inside() { return 1; } }
using there::outside;
inline constexpr int ready = 1;
extern "C" { __device__ int in_c(int); __device__ int in_c(float); }

__global__ void k01(int *p) { __managed__ int m; p[0] = m; }
__global__ void k02(int *p) { bits b; unsigned *q = &b.a; p[0] = *q; }
__global__ void k03(int *p) { shut s; p[0] = s.v; }
__global__ void k04(int *p) { shut::inner i; p[0] = i.v; }
__global__ void k05(int *p) { int v = explicit_{3}; p[0] = v; }
__global__ void k06(int *p) { unfinished u; p[0] = sizeof u; }
__global__ void k07(int *p) { both<int> b = 1; p[0] = b; }
__global__ void k08(int *p) { p[0] = zero; }
__global__ void k09(int *p) { only<int> o; p[0] = o.v; }
__global__ void k10(int *p) { p[0] = whole(1.5f); }
__global__ void k11(int *p) { pack<int> q; p[0] = q.get<p>(); }
__global__ void k12(int *p) { p[0] = outside(); }
__global__ void k13(int *p) { auto l = [q]() { return 1; }; p[0] = l(); }
__global__ void k14(int *p) { const int c = 1; auto l = [c]() { c = 2; }; l(); }
__global__ void k15(int *p) { decltype(p.x) v; p[0] = v; }
__global__ void k16(int *p) { unfinished *u = new unfinished; p[0] = 1; }
__global__ void k17(int *p) { int (*f)(int) = there::inside; p[0] = f(1); }
__global__ void k18(int *p) { const_cast<int &>(ready) = p; }
__global__ void k19(int *p) { static_assert(sizeof(int) == 8, "ints are not so large"); }
__global__ void k20(int *p) { bits b{.b = 1}; p[0] = b.a; }
__global__ void k21(int *p) { while (int x = 0, y = 1) p[0] = x; }
__global__ void k22(int *p) { p[0] = p ? 1 : "two"; }
__global__ void k23(int *p) { p[0] = ~1.5f % 2; }
__global__ void k24(int *p) { int a[2] = {1, 2, 3}; p[0] = a[0]; }
__global__ void k25(int *p) { std::array<int, 2> a = {1, 2, 3}; p[0] = a[0]; }
__global__ void k26(int *p) { p[0] = std::sqrt("two"); }
__global__ void k27(int *p) { std::int128_t v = 1; p[0] = v; }
__global__ void k28(int *p) { crooked c; p[0] = c.v; }
__global__ void k29(int *p) { cuda::barrier<7> b; p[0] = 1; }
__global__ void k30(int *p) { cuda::std::array<int> a; p[0] = 1; }
__global__ void k31(int *p) { __nv_fp8_e4m3 v = p; p[0] = 1; }
__global__ void k32(int *p) { __nv_bfloat162 v = __hadd2(p, p); p[0] = 1; }
__global__ void k33(int *p) { auto t = cg::tiled_partition<33>(cg::this_thread_block()); p[0] = t.size(); }
__global__ void k34(int *p) { p[0] = cg::reduce(cg::this_thread_block(), p, cg::plus<int>()); }
__global__ void k35(int *p) { p[0] = cg::inclusive_scan(p, 1); }
__global__ void k36(int *p) { cg::memcpy_async(p, p, p, 4); }
__global__ void k37(int *p, cudaSurfaceObject_t s) { surf2Dwrite(1, p, 0, 0); }
__global__ void k38(int *p) { p[0] = std::is_same<int>::value; }
__global__ void k39(int *p) { std::pair<int, int> q(1); p[0] = q.first; }
__global__ void k40(int *p) { std::initializer_list<int> l = {1, "two"}; p[0] = l.size(); }
__global__ void k41(int *p) { p[0] = cg::coalesced_threads(); }
__global__ void k42(int *p) { uint128 q = 1; p[0] = __popcll(p); }
__global__ void k43(int *p) { float4 f = make_float4(1, 2); p[0] = f.r; }
__global__ void k44(int *p) { int &&r = p[0]; r = 1; }
__global__ void k45(int *p) { for (int v : p) p[0] = v; }
__global__ void k46(int *p, int n) { extern __shared__ int a[], b[4]; __shared__ int c[n]; p[0] = c[0]; }
__global__ void k47(int *p, dim3 *c) { p[0] = __ldcg(c).x; }
