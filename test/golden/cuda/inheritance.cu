// RUN: tern run --device interp %s --kernel test_kernel --grid 1 --block 1 --arg 'i32[64]=0' --print 64
#include <array>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
// inheritance, multiple, static members, friends, nested templates, operators
struct A {
  int a = 1;
  __device__ virtual int fa() { return a; }
  __device__ virtual ~A() {}
};
struct B {
  int b = 2;
  __device__ virtual int fb() { return b; }
  __device__ virtual ~B() {}
};
struct C : A, B {
  int c = 3;
  __device__ int fb() override { return b * 10 + c; }
  __device__ int fa() override { return 50 + c; }
};
struct D : C {
  __device__ int fb() override { return 1000 + a + b; }
};
class Pr {
  int s;
  friend class Fr;
  friend __device__ int peek(const Pr &p) { return p.s; }

public:
  __device__ Pr(int x) : s(x) {}
  static int count;
  template <class T> friend __device__ T getp(const Pr &, T);
  __device__ bool operator==(const Pr &o) const { return s == o.s; }
  __device__ bool operator<(const Pr &o) const { return s < o.s; }
  __device__ Pr operator-() const { return Pr(-s); }
  __device__ Pr &operator++() {
    ++s;
    return *this;
  }
  __device__ Pr operator++(int) {
    Pr t = *this;
    ++s;
    return t;
  }
};
template <class T> __device__ T getp(const Pr &p, T t) { return p.s + t; }
class Fr {
public:
  __device__ static int get(const Pr &p) { return p.s; }
};
template <class T> struct Stack {
  T data[8];
  int n = 0;
  __device__ void push(T t) { data[n++] = t; }
  __device__ T pop() { return data[--n]; }
  struct It {
    T *p;
    __device__ T &operator*() { return *p; }
    __device__ It &operator++() {
      ++p;
      return *this;
    }
    __device__ bool operator!=(const It &o) const { return p != o.p; }
  };
  __device__ It begin() { return It{data}; }
  __device__ It end() { return It{data + n}; }
};
template <class T> struct Opt {
  bool has;
  T v;
  __device__ Opt() : has(false), v() {}
  __device__ Opt(const T &t) : has(true), v(t) {}
  __device__ explicit operator bool() const { return has; }
  __device__ T *operator->() { return &v; }
  __device__ T &operator*() { return v; }
  __device__ T value_or(T d) const { return has ? v : d; }
};
struct Mv {
  int *p;
  __device__ Mv(int *q) : p(q) {}
  __device__ Mv(Mv &&m) : p(m.p) { m.p = nullptr; }
  Mv(const Mv &) = delete;
  __device__ Mv &operator=(Mv &&m) {
    p = m.p;
    m.p = nullptr;
    return *this;
  }
  __device__ ~Mv() {
    if (p)
      ++*p;
  }
};
__device__ Mv make(int *q) {
  Mv m(q);
  return m;
}
struct Agg {
  int a, b[2];
  struct {
    int x;
  } s;
};
template <class T, class U = int> struct Pair {
  T t;
  U u;
  __device__ Pair(T a, U b) : t(a), u(b) {}
  template <class V> __device__ Pair(const Pair<V, U> &o) : t(o.t), u(o.u) {}
};
template <class T> __device__ Pair<T> mkpair(T t) { return Pair<T>(t, 5); }
template <int I> struct Int {
  static constexpr int value = I;
  __device__ constexpr operator int() const { return I; }
};
template <class A1, class B1>
__device__ constexpr auto operator+(A1, B1) -> Int<A1::value + B1::value> {
  return {};
}
template <typename Op> __device__ int reduce(const int *p, int n, Op op, int init) {
  for (int i = 0; i < n; i++)
    init = op(init, p[i]);
  return init;
}
struct Max {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
__device__ int fibr(int n) { return n < 2 ? n : fibr(n - 1) + fibr(n - 2); }
typedef int (*binop)(int, int);
__device__ int addf(int a, int b) { return a + b; }
__device__ int subf(int a, int b) { return a - b; }
__device__ binop pick(bool b) { return b ? addf : subf; }
__device__ int sideeff(int &x) { return x++; }
struct Ref {
  int &r;
  const int c;
  __device__ Ref(int &x) : r(x), c(x * 2) {}
};
namespace N1 {
struct T {};
__device__ int adl(T) { return 61; }
__device__ int operator%(T, int x) { return x + 6; }
} // namespace N1
__device__ void test(int *o) {
  int k = 0;
  C c;
  A *pa = &c;
  B *pb = &c;
  o[k++] = pa->fa();
  o[k++] = pb->fb();
  D d;
  pb = &d;
  o[k++] = pb->fb();
  o[k++] = static_cast<C *>(pb)->c;
  o[k++] = d.fa();
  Pr p(5), q(6);
  o[k++] = peek(p);
  o[k++] = Fr::get(q);
  o[k++] = getp(p, 2.5);
  o[k++] = p == q;
  o[k++] = p < q;
  o[k++] = peek(-p);
  o[k++] = peek(p++);
  o[k++] = peek(++p);
  Stack<int> s;
  s.push(3);
  s.push(4);
  s.push(5);
  int t = 0;
  for (int x : s)
    t = t * 10 + x;
  o[k++] = t;
  o[k++] = s.pop();
  Opt<int> e, f(7);
  o[k++] = e.value_or(3);
  if (f)
    o[k++] = *f;
  Opt<Agg> g(Agg{1, {2, 3}, {4}});
  o[k++] = g->b[1] + g->s.x;
  int n = 0;
  {
    Mv m = make(&n);
    Mv m2(std::move(m));
    o[k++] = m.p == nullptr;
    Mv m3(nullptr);
    m3 = std::move(m2);
  }
  o[k++] = n;
  Pair<int> pi(1, 2);
  Pair<float> pf(pi);
  o[k++] = pf.t + pf.u;
  o[k++] = mkpair('a').t;
  o[k++] = Int<3>() + Int<4>();
  int arr[] = {3, 9, 2};
  o[k++] = reduce(arr, 3, Max(), -1);
  o[k++] = reduce(
      arr, 3, [](int a, int b) { return a + b; }, 0);
  o[k++] = fibr(10);
  o[k++] = pick(true)(5, 3) * 10 + pick(false)(5, 3);
  int x = 1;
  int y = sideeff(x) + sideeff(x) * 10;
  o[k++] = y;
  o[k++] = x;
  Ref r(x);
  r.r = 8;
  o[k++] = x * 100 + r.c;
  N1::T nt;
  o[k++] = adl(nt);
  o[k++] = nt % 3;
  int z = 0;
  z = x > 3 ? (z = 5, z + 1) : 7;
  o[k++] = z;
  bool b1 = (z++ > 0) || (z++ > 0);
  o[k++] = z;
  b1 = (z++ < 0) && (z++ > 0);
  o[k++] = z + b1;
  static const int tbl[4] = {5, 6, 7, 8};
  o[k++] = tbl[x & 3];
  const char *str = "hello";
  o[k++] = str[1];
  char buf[] = "abc";
  buf[0]++;
  o[k++] = buf[0] + sizeof(buf);
  int m2[2][3] = {{1, 2, 3}, {4, 5, 6}};
  int(*row)[3] = m2;
  row++;
  o[k++] = (*row)[1];
  int *fl = &m2[0][0];
  o[k++] = fl[5];
  o[k++] = (int)(&m2[1][0] - &m2[0][0]);
  volatile int vv = 3;
  vv += 4;
  o[k++] = vv;
  unsigned long long big = 0x123456789abcdefULL;
  o[k++] = (int)(big >> 32);
  o[k++] = (int)(unsigned)big;
  o[k++] = (char)300;
  o[k++] = 5u - 6 > 0;
  o[k++] = (int)(3.7f + 0.5);
  o[k++] = 1 ? 2 : 3.5;
  {
    struct L {
      int v;
      __device__ int dbl() { return v * 2; }
    };
    L l{21};
    o[k++] = l.dbl();
  }
}

__global__ void test_kernel(int *out)
{
    test(out);
}
