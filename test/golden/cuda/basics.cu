// RUN: tern run --device interp %s --kernel test_kernel --grid 1 --block 1 --arg 'i32[64]=0' --print 64
#include <array>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
// references, overloads, namespaces, defaults, function templates
namespace a {
namespace b {
__device__ int f(int x) { return x + 1; }
__device__ int f(float x) { return (int)(x * 10); }
} // namespace b
using namespace b;
} // namespace a
namespace c = a::b;
__device__ void inc(int &x) { x++; }
__device__ int add(int a, int b = 5, int c = 7) { return a + b * c; }
template <typename T> __device__ T mx(T a, T b) { return a > b ? a : b; }
template <int N, typename T> __device__ T pw(T x) {
  T r = 1;
  for (int i = 0; i < N; i++)
    r *= x;
  return r;
}
template <typename T, int N> __device__ int len(T (&)[N]) { return N; }
template <class T> __device__ int kind(T) { return 0; }
template <class T> __device__ int kind(T *) { return 1; }
template <> __device__ int kind<double>(double) { return 2; }
__device__ int kind(char) { return 3; }
__device__ void test(int *o) {
  int k = 0;
  o[k++] = a::b::f(3);
  o[k++] = a::f(2.5f);
  o[k++] = c::f(4);
  int v = 1;
  inc(v);
  int &r = v;
  r += 10;
  inc(r);
  o[k++] = v;
  const int &cr = 3 + 4;
  o[k++] = cr;
  o[k++] = add(1);
  o[k++] = add(1, 2);
  o[k++] = add(1, 2, 3);
  o[k++] = mx(3, 4);
  o[k++] = (int)mx(2.5f, 1.5f);
  o[k++] = mx<double>(3, 4.7) * 10;
  o[k++] = pw<3>(2);
  o[k++] = (int)pw<2>(1.5f * 2);
  int arr[7];
  o[k++] = len(arr);
  o[k++] = kind(1);
  o[k++] = kind(&v);
  o[k++] = kind(1.0);
  o[k++] = kind('c');
  int x = 5;
  int *p = &x;
  *p = 9;
  int **pp = &p;
  **pp += 2;
  o[k++] = x;
  bool t = x > 3 && (x < 100 || v == 2);
  o[k++] = t;
  o[k++] = t ? x : v;
  unsigned u = 0xffffffffu;
  o[k++] = (u >> 4) & 0xff;
  short s = (short)40000;
  o[k++] = s;
  signed char sc = (signed char)200;
  o[k++] = sc;
  long long ll = 1LL << 40;
  o[k++] = (int)(ll >> 35);
  o[k++] = (int)sizeof(long);
  o[k++] = -7 / 2;
  o[k++] = -7 % 3;
  float fl = 3.99f;
  o[k++] = (int)fl;
  o[k++] = (int)(-2.7);
  double d = 1e10;
  o[k++] = (int)(d / 1e7);
  int y = 3;
  y = y++ + ++y * 0;
  int z = (y, 4);
  o[k++] = z;
  goto end;
  o[k++] = 99;
end:
  o[k++] = 42;
  enum E { A, B = 5, C };
  enum class F : unsigned char { X = 3, Y };
  E e = C;
  F ff = F::Y;
  o[k++] = e;
  o[k++] = (int)ff;
  o[k++] = e == C;
  union {
    float f;
    int i;
  } un;
  un.f = 1.0f;
  o[k++] = un.i;
}

__global__ void test_kernel(int *out)
{
    test(out);
}
