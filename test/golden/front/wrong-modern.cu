// RUN: tern compile %s --to ir -o %t --error-limit 200 2>&1 | grep -E "front/.*(error|warning|note):"
// Templates and classes as libraries write them, used wrongly.
#include <concepts>
template <bool B> struct less_than {};
struct maker { template <class T> struct apply {}; };
template <template <class> class F> struct takes {};
template <class T> struct guided { T v; __device__ guided(T, int) {} };
template <class T> guided(T) -> guided<T>;
template <class T> struct nest { struct never; };
struct parent { template <class T> __device__ parent(T) {} };
struct heir : parent { using parent::parent; };
struct point { int x; __device__ auto get() const { return x; } };
template <class R, class C> __device__ int call(R (C::*)() const) { return 1; }
__device__ int grid(const int (&a)[2][3]) { return a[0][0]; }
template <std::integral T> __device__ int only_whole(T) { return 1; }
struct elsewhere { __device__ int get() { return point::x; } };
__global__ void lists(int *p) { less_than<1 < 2, 3> a; }
__global__ void members(int *p) { takes<maker::template none> t; }
__global__ void guides(int *p) { guided g(p); }
__global__ void nested(int *p) { nest<int>::never n; }
__global__ void heirs(int *p) { heir h(p, p, p); }
__global__ void pointers(int *p) { p[0] = call(&point::none); }
__global__ void lambdas(int *p) { int (*f)(int) = [p](auto x) { return x; }; }
__global__ void arrays(int *p) { int wide[2][4]; p[0] = grid(wide); }
__global__ void concepts(int *p) { p[0] = only_whole(1.5f); }
__global__ void objects(int *p) { p[0] = elsewhere{}.get(); }
__global__ void exceptions(int *p) { p[0] = noexcept(none()); }
__global__ void library(int *p) { p[0] = __builtin_none(p[0]); }
__global__ void packs(int *p) { auto l = [... ys = p] { return 1; }; }
