// RUN: tern run --device interp %s --kernel test_kernel --grid 1 --block 1 --arg 'i32[64]=0' --print 64
#include <array>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
__device__ int g_i = 5;
__device__ float g_f[3] = {1, 2, 3};
struct GS {
  int a;
  float b;
};
__constant__ GS g_s = {3, 4.5f};
__device__ int *g_p = &g_i;
template <class T> __device__ T g_t = T(7);
__device__ void swap2(int &a, int &b) {
  int t = a;
  a = b;
  b = t;
}
__device__ int ret_struct_sum();
struct S3 {
  int a, b, c;
};
__device__ S3 mk3(int x) {
  S3 s;
  s.a = x;
  s.b = x + 1;
  s.c = x + 2;
  return s;
}
__device__ int ret_struct_sum() { return mk3(4).a + mk3(5).c; }
__device__ const int &maxr(const int &a, const int &b) { return a < b ? b : a; }
struct It {
  int v;
  __device__ int operator*() const { return v; }
  __device__ It &operator++() {
    v++;
    return *this;
  }
  __device__ bool operator!=(It o) const { return v != o.v; }
};
struct Range {
  int lo, hi;
  __device__ It begin() const { return {lo}; }
  __device__ It end() const { return {hi}; }
};
__device__ int vsum(std::initializer_list<int> l) {
  int s = 0;
  for (int x : l)
    s += x;
  return s;
}
struct IL {
  int s;
  __device__ IL(std::initializer_list<int> l) : s(vsum(l)) {}
};
template <typename T> struct Vec3 {
  T x, y, z;
  __host__ __device__ Vec3 operator*(T s) const { return {x * s, y * s, z * s}; }
  __host__ __device__ friend Vec3 operator+(const Vec3 &a, const Vec3 &b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  template <typename U> __host__ __device__ explicit operator Vec3<U>() const {
    return {(U)x, (U)y, (U)z};
  }
};
template <typename T> __device__ T dot(const Vec3<T> &a, const Vec3<T> &b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <int D> struct Loop {
  template <class F> __device__ static void run(F f) {
    Loop<D - 1>::run(f);
    f(D - 1);
  }
};
template <> struct Loop<0> {
  template <class F> __device__ static void run(F) {}
};
enum Op { ADD, SUB, MUL };
template <Op O> __device__ int ev(int a, int b);
template <> __device__ int ev<ADD>(int a, int b) { return a + b; }
template <> __device__ int ev<MUL>(int a, int b) { return a * b; }
template <typename T> struct num {
  static __device__ T lowest() { return T(-1); }
};
template <> struct num<float> {
  static __device__ float lowest() { return -2.5f; }
};
template <class... Fs> struct Ovl : Fs... { using Fs::operator()...; };
template <class... Fs> Ovl(Fs...) -> Ovl<Fs...>;
struct Cnt {
  static constexpr int arr[3] = {4, 5, 6};
};
template <typename T, T... vs> struct vals { static constexpr T sum = (vs + ...); };
struct Big {
  int d[20];
  __device__ int &at(int i) { return d[i]; }
};
__device__ int useBig(Big b) {
  b.d[0] = 100;
  return b.d[0] + b.d[19];
}
constexpr int cpow(int b, int e) {
  int r = 1;
  while (e--)
    r *= b;
  return r;
}
struct Mat {
  float m[2][2];
  __device__ float *operator[](int i) { return m[i]; }
};
__device__ unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}
template <typename F> struct Defer {
  F f;
  __device__ ~Defer() { f(); }
};
__device__ void test(int *o) {
  int k = 0;
  o[k++] = g_i + *g_p;
  o[k++] = g_f[2];
  o[k++] = g_s.a + g_s.b;
  o[k++] = g_t<int>;
  g_t<int> += 2;
  o[k++] = g_t<int>;
  int a = 1, b = 2;
  swap2(a, b);
  o[k++] = a * 10 + b;
  o[k++] = ret_struct_sum();
  o[k++] = maxr(a, b);
  int s = 0;
  for (auto v : Range{2, 6})
    s += v;
  o[k++] = s;
  o[k++] = vsum({1, 2, 3});
  IL il{4, 5};
  o[k++] = il.s;
  Vec3<float> v{1, 2, 3};
  auto w = v * 2.f + v;
  o[k++] = dot(v, w);
  auto vi = static_cast<Vec3<int>>(w);
  o[k++] = vi.z;
  int acc = 0;
  Loop<4>::run([&](int i) { acc = acc * 10 + i; });
  o[k++] = acc;
  o[k++] = ev<ADD>(3, 4) + ev<MUL>(3, 4);
  o[k++] = num<int>::lowest();
  o[k++] = num<float>::lowest() * 2;
  auto ov = Ovl{[](int) { return 1; }, [](float) { return 2; }};
  o[k++] = ov(1) * 10 + ov(1.f);
  o[k++] = Cnt::arr[1];
  int idx = 2;
  o[k++] = Cnt::arr[idx];
  o[k++] = vals<int, 1, 2, 3>::sum;
  Big bg;
  for (int i = 0; i < 20; i++)
    bg.at(i) = i;
  o[k++] = useBig(bg);
  o[k++] = bg.d[0];
  int ar[cpow(2, 3)];
  o[k++] = sizeof(ar) / sizeof(*ar);
  Mat m = {{{1, 2}, {3, 4}}};
  m[1][0] = 9;
  o[k++] = m[1][0] + m[0][1];
  o[k++] = (int)hash(12345u);
  {
    int z = 5;
    auto fin = [&] { z = 50; };
    {
      Defer<decltype(fin)> df{fin};
      z++;
    }
    o[k++] = z;
  }
  int i = 0;
  while (true) {
    if (++i > 10)
      break;
    if (i % 2)
      continue;
    s += i;
  }
  o[k++] = s;
  do {
    i--;
  } while (i > 5);
  o[k++] = i;
  for (int x = 0, y = 10; x < y; x++, y--)
    s++;
  o[k++] = s;
  switch (i) {
  case 1 ... 4:
    s = 1;
    break;
  case 5: {
    int q = 3;
    s = q;
  }
  default:
    s += 100;
  }
  o[k++] = s;
  unsigned char uc = 250;
  uc += 10;
  o[k++] = uc;
  short sh = -5;
  o[k++] = sh >> 1;
  o[k++] = (unsigned short)sh;
  o[k++] = -sh;
  int ov2 = 7;
  ov2 <<= 3;
  ov2 |= 1;
  ov2 ^= 0xf;
  ov2 &= ~2;
  ov2 %= 40;
  o[k++] = ov2;
  float ff = 7.9f;
  ff /= 2;
  o[k++] = ff * 100;
  double dd = 0.1;
  dd *= 3;
  o[k++] = dd * 1000;
  o[k++] = !ff;
  o[k++] = ~5;
  o[k++] = +3;
  bool bb = 5;
  o[k++] = bb;
  bb = 0.5;
  o[k++] = bb;
  char *cp = nullptr;
  o[k++] = !cp;
  o[k++] =
      sizeof(char) + sizeof(short) + sizeof(wchar_t) + sizeof(void *) + sizeof(long) * 0;
}

__global__ void test_kernel(int *out)
{
    test(out);
}
