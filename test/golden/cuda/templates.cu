// RUN: tern run --device interp %s --kernel test_kernel --grid 1 --block 1 --arg 'i32[64]=0' --print 64
#include <array>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
template <typename... Ts> __device__ int cnt(Ts... ts) { return sizeof...(Ts); }
template <typename... Ts> __device__ int sum(Ts... ts) { return (ts + ... + 0); }
template <typename T> __device__ int rec(T t) { return t; }
template <typename T, typename... R> __device__ int rec(T t, R... r) { return t * 10 + rec(r...); }
template <int... Is> struct seq {};
template <int N, int... Is> struct mk : mk<N - 1, N - 1, Is...> {};
template <int... Is> struct mk<0, Is...> { typedef seq<Is...> type; };
template <int... Is> __device__ int dosum(seq<Is...>) {
  int a[] = {Is...};
  int s = 0;
  for (int x : a)
    s = s * 10 + x;
  return s;
}
template <typename T> constexpr bool is_ptr_v = false;
template <typename T> constexpr bool is_ptr_v<T *> = true;
template <typename T> __device__ int ic(T t) {
  if constexpr (std::is_floating_point<T>::value)
    return 1;
  else if constexpr (is_ptr_v<T>)
    return 2;
  else
    return 3;
}
template <typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0>
__device__ int sf(T) {
  return 1;
}
template <typename T, typename std::enable_if<!std::is_integral<T>::value, int>::type = 0>
__device__ int sf(T) {
  return 2;
}
template <class T> __device__ auto has(T t) -> decltype(t.size()) { return t.size(); }
__device__ int has(...) { return -1; }
struct Sz {
  __device__ int size() { return 8; }
};
constexpr int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
constexpr int loop(int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 3)
      continue;
    s += i;
  }
  return s;
}
template <int N> struct Fib {
  enum { v = Fib<N - 1>::v + Fib<N - 2>::v };
};
template <> struct Fib<0> {
  enum { v = 0 };
};
template <> struct Fib<1> {
  enum { v = 1 };
};
struct P {
  int a;
  int b;
};
constexpr P mkp(int x) {
  P p{x, x * 2};
  p.a += 1;
  return p;
}
__constant__ int tab[3] = {fact(3), loop(6), mkp(4).b};
template <typename F, typename... A> __device__ decltype(auto) call(F &&f, A &&...a) {
  return f(std::forward<A>(a)...);
}
template <template <typename> class C, typename T> struct Wrap { C<T> c; };
template <typename T> struct Box {
  T v;
  __device__ Box(T x = T()) : v(x) {}
  template <typename U> __device__ U as() const { return (U)v; }
};
using BI = Box<int>;
template <class T> using BoxP = Box<T *>;
template <class T> struct CR {
  __device__ int go() { return static_cast<T *>(this)->impl(); }
};
struct CD : CR<CD> {
  __device__ int impl() { return 77; }
};
__device__ void test(int *o) {
  int k = 0;
  o[k++] = cnt(1, 2.0, 'c');
  o[k++] = sum(1, 2, 3, 4);
  o[k++] = sum();
  o[k++] = rec(1, 2, 3);
  o[k++] = dosum(mk<4>::type{});
  int q = 0;
  o[k++] = ic(1.0f);
  o[k++] = ic(&q);
  o[k++] = ic(2);
  o[k++] = sf(1);
  o[k++] = sf(1.0f);
  Sz sz;
  o[k++] = has(sz);
  o[k++] = has(3);
  o[k++] = fact(5);
  constexpr int c = fact(4);
  int arr[c / 8];
  o[k++] = sizeof(arr);
  o[k++] = loop(10);
  o[k++] = Fib<10>::v;
  constexpr P p = mkp(3);
  o[k++] = p.a * 100 + p.b;
  o[k++] = tab[0];
  o[k++] = tab[1];
  o[k++] = tab[2];
  o[k++] = call(
      [](int a, int &b) {
        b += a;
        return b * 2;
      },
      4, q);
  o[k++] = q;
  Wrap<Box, int> w;
  w.c.v = 3;
  o[k++] = w.c.v;
  BI bi(9);
  o[k++] = bi.as<float>() / 2;
  BoxP<int> bp(&q);
  o[k++] = *bp.v;
  CD cd;
  o[k++] = cd.go();
  auto [x, y] = P{5, 6};
  o[k++] = x * 10 + y;
  P pa[2] = {{1, 2}, {3, 4}};
  for (auto &e : pa)
    e.a *= 2;
  for (const auto &[m, n] : pa)
    o[k++] = m * n;
  std::tuple<int, float, char> t(1, 2.5f, 'a');
  o[k++] = std::get<0>(t) + (int)std::get<1>(t) + std::get<2>(t);
  auto [ta, tb, tc] = t;
  o[k++] = ta + (int)tb + tc;
  std::pair<int, int> pr{3, 4};
  o[k++] = pr.first * pr.second;
  std::array<int, 3> sa = {1, 2, 3};
  o[k++] = sa[0] + sa.size();
  decltype(q) dq = 4;
  auto ap = &dq;
  *ap = 6;
  o[k++] = dq;
  static_assert(sizeof(int) == 4, "x");
  int i1 = std::is_same<decltype(ap), int *>::value;
  o[k++] = i1;
  P des = {.a = 1, .b = 7};
  o[k++] = des.b;
  if (int v = sum(1, 1); v > 1)
    o[k++] = v;
  switch (int v = 3; v) {
  case 1:
    o[k++] = 1;
  case 3: {
    o[k++] = 33;
  } break;
  case 4:
    o[k++] = 4;
  }
  o[k++] = noexcept(1);
  o[k++] = alignof(double);
  int s2 = 0;
  [&] {
    for (int i = 0; i < 3; i++)
      s2 += i;
  }();
  o[k++] = s2;
  auto mut = [s2]() mutable { return ++s2; };
  mut();
  o[k++] = mut();
}

__global__ void test_kernel(int *out)
{
    test(out);
}
