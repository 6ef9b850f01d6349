// RUN: tern run --device interp %s --kernel test_kernel --grid 1 --block 1 --arg 'i32[64]=0' --print 64
#include <array>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
// classes
struct V {
  float x, y;
  __device__ V(float a = 0, float b = 0) : x(a), y(b) {}
  __device__ V operator+(const V &o) const { return V(x + o.x, y + o.y); }
  __device__ V &operator+=(const V &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
  __device__ float dot(const V &o) const { return x * o.x + y * o.y; }
  __device__ float operator[](int i) const { return i ? y : x; }
  __device__ float &operator[](int i) { return i ? y : x; }
};
__device__ V operator*(float s, const V &v) { return V(s * v.x, s * v.y); }
class Base {
public:
  int a;
  __device__ Base(int v) : a(v) {}
  __device__ virtual int f() { return a; }
  __device__ virtual int g(int x) const { return x + 1; }
  __device__ virtual ~Base() {}
};
class Derived : public Base {
  int b;

public:
  __device__ Derived(int v, int w) : Base(v), b(w) {}
  __device__ int f() override { return a * 10 + b; }
};
class D2 : public Derived {
public:
  using Derived::Derived;
  __device__ int g(int x) const override { return x * 100; }
};
struct Count {
  int *p;
  __device__ Count(int *q) : p(q) { ++*p; }
  __device__ Count(const Count &c) : p(c.p) { *p += 10; }
  __device__ ~Count() { *p += 100; }
};
__device__ int take(Count c) { return *c.p; }
template <typename T, int N> struct Arr {
  T d[N];
  static const int size = N;
  __device__ T &operator[](int i) { return d[i]; }
  __device__ T sum() const;
};
template <typename T, int N> __device__ T Arr<T, N>::sum() const {
  T s = 0;
  for (int i = 0; i < N; i++)
    s += d[i];
  return s;
}
template <typename T> struct Arr<T, 0> {
  __device__ T sum() const { return -1; }
};
template <typename T> struct tr {
  static constexpr int v = 0;
  typedef T type;
};
template <typename T> struct tr<T *> {
  static constexpr int v = 1 + tr<T>::v;
  typedef T type;
};
template <> struct tr<char> {
  static constexpr int v = 100;
  typedef int type;
};
struct Bits {
  unsigned a : 3;
  int b : 5;
  unsigned c : 10;
};
struct Nest {
  struct In {
    int q;
  } in;
  int arr[3];
  union {
    int u;
    float f;
  };
};
struct Conv {
  int v;
  __device__ operator int() const { return v; }
  __device__ explicit operator bool() const { return v != 0; }
};
struct Fn {
  int k;
  __device__ int operator()(int x) const { return x * k; }
};
template <class F> __device__ int apply(F f, int x) { return f(x); }
__device__ int sq(int x) { return x * x; }
__device__ void test(int *o) {
  int k = 0;
  V a(1, 2), b = V(3, 4);
  V c = a + 2.0f * b;
  o[k++] = c.x;
  o[k++] = c.y;
  c += a;
  o[k++] = c.dot(b);
  c[1] = 7;
  o[k++] = c[1];
  V z;
  o[k++] = z.x;
  V arr[2];
  o[k++] = arr[1].y;
  Derived d(3, 4);
  Base *p = &d;
  o[k++] = p->f();
  o[k++] = p->g(1);
  D2 e(5, 6);
  Base &r = e;
  o[k++] = r.f();
  o[k++] = r.g(2);
  o[k++] = r.Base::f();
  int n = 0;
  {
    Count q(&n);
    take(q);
    Count q2 = q;
  }
  o[k++] = n;
  for (int i = 0; i < 3; i++) {
    Count q(&n);
    if (i == 1)
      continue;
    if (i == 2)
      break;
  }
  o[k++] = n;
  Arr<int, 4> x = {{1, 2, 3, 4}};
  x[2] = 10;
  o[k++] = x.sum();
  o[k++] = Arr<int, 4>::size;
  Arr<int, 0> y;
  o[k++] = y.sum();
  o[k++] = tr<int>::v;
  o[k++] = tr<int **>::v;
  o[k++] = tr<char *>::v;
  typename tr<float *>::type ff = 2.5f;
  o[k++] = ff * 2;
  Bits bb;
  bb.a = 9;
  bb.b = -3;
  bb.c = 1000;
  o[k++] = bb.a;
  o[k++] = bb.b;
  o[k++] = bb.c;
  bb.c += 100;
  o[k++] = bb.c;
  o[k++] = sizeof(Bits);
  Nest ne = {{4}, {1, 2}};
  ne.u = 77;
  o[k++] = ne.in.q + ne.arr[1] + ne.arr[2] + ne.u;
  Nest m = ne;
  m.arr[0] = 50;
  ne = m;
  o[k++] = ne.arr[0];
  Conv cv{5};
  o[k++] = cv + 1;
  if (cv)
    o[k++] = 1;
  int (*fp)(int) = sq;
  o[k++] = fp(6);
  o[k++] = apply(sq, 3);
  o[k++] = apply(Fn{4}, 5);
  int cap = 3;
  auto lam = [=](int q) { return q + cap; };
  o[k++] = lam(4);
  auto lr = [&cap](int q) {
    cap += q;
    return cap;
  };
  lr(5);
  o[k++] = cap;
  o[k++] = apply([&](int q) { return q * cap; }, 2);
  auto g = [](auto u, auto w) { return u + w; };
  o[k++] = g(1, 2);
  o[k++] = g(1.5, 2.5f);
  int (*lp)(int) = [](int x) { return x + 100; };
  o[k++] = lp(1);
  int V::*nope = nullptr;
  (void)nope;
  float V::*mp = &V::y;
  o[k++] = (int)(a.*mp);
  float (V::*mf)(const V &) const = &V::dot;
  o[k++] = (int)(a.*mf)(b);
  int *hp = new int(12);
  o[k++] = *hp;
  delete hp;
  V *va = new V[3];
  va[1].x = 4;
  o[k++] = va[1].x;
  delete[] va;
  Base *bp = new D2(1, 2);
  o[k++] = bp->f();
  delete bp;
}

__global__ void test_kernel(int *out)
{
    test(out);
}
