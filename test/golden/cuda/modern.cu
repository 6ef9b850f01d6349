// RUN: tern run --device interp %s --kernel test_kernel --grid 1 --block 1 --arg 'i32[64]=0' --print 64
#include <type_traits>
#include <utility>
// more C++: static locals, member templates, nested lambdas, constexpr classes, iterators, traits
struct Acc {
  int total = 0;
  template <class T> __device__ Acc &add(T t) {
    total += (int)t;
    return *this;
  }
  template <class... Ts> __device__ Acc &many(Ts... ts) {
    (add(ts), ...);
    return *this;
  }
};
template <class T> class Ptr {
  T *p;

public:
  __device__ Ptr(T *q) : p(q) {}
  template <class U> __device__ Ptr(const Ptr<U> &o) : p(o.get()) {}
  __device__ T *get() const { return p; }
  __device__ T &operator*() const { return *p; }
  __device__ T *operator->() const { return p; }
  __device__ explicit operator bool() const { return p; }
};
struct Sh {
  __device__ virtual float area() const = 0;
  __device__ virtual const char *name() const { return "shape"; }
  __device__ virtual ~Sh() {}
};
struct Sq : Sh {
  float s;
  __device__ Sq(float x) : s(x) {}
  __device__ float area() const override { return s * s; }
};
struct Ci final : Sh {
  float r;
  __device__ Ci(float x) : r(x) {}
  __device__ float area() const override { return 3 * r * r; }
  __device__ const char *name() const override { return "circle"; }
};
template <typename T, unsigned N> struct Fixed {
  T v[N]{};
  __device__ constexpr unsigned size() const { return N; }
  __device__ T *begin() { return v; }
  __device__ T *end() { return v + N; }
  __device__ const T *begin() const { return v; }
  __device__ const T *end() const { return v + N; }
};
template <class C> __device__ int total(const C &c) {
  int s = 0;
  for (const auto &x : c)
    s += x;
  return s;
}
struct CX {
  int v;
  constexpr CX(int x) : v(x) {}
  constexpr CX operator+(CX o) const { return CX(v + o.v); }
  constexpr bool operator==(CX o) const { return v == o.v; }
};
constexpr CX cx = CX(3) + CX(4);
static_assert(cx == CX(7), "cx");
template <bool B, class T, class F> struct cond { using type = T; };
template <class T, class F> struct cond<false, T, F> { using type = F; };
template <class T> struct rank_of { static constexpr int v = 0; };
template <class T, int N> struct rank_of<T[N]> { static constexpr int v = 1 + rank_of<T>::v; };
template <class R, class... A> struct fsig { static constexpr int n = sizeof...(A); };
template <class F> struct fs;
template <class R, class... A> struct fs<R(A...)> : fsig<R, A...> {};
template <class R, class C, class... A> struct fs<R (C::*)(A...) const> : fsig<R, A...> {
  using ret = R;
};
template <typename T> __device__ typename std::enable_if<(sizeof(T) > 4), int>::type big(T) {
  return 1;
}
template <typename T> __device__ typename std::enable_if<(sizeof(T) <= 4), int>::type big(T) {
  return 0;
}
template <class...> using vt = void;
template <class T, class = void> struct has_x { static constexpr bool v = false; };
template <class T> struct has_x<T, vt<decltype(std::declval<T>().x)>> {
  static constexpr bool v = true;
};
struct HX {
  int x;
};
template <int N> __device__ int unrolled(const int *p) {
  if constexpr (N == 0)
    return 0;
  else
    return p[N - 1] + unrolled<N - 1>(p);
}
struct Node {
  int v;
  Node *next;
};
__device__ int counter() {
  static int n = 10;
  return n++;
}
__device__ auto make_adder(int a) {
  return [a](int b) { return a + b; };
}
template <class F, class G> __device__ auto compose(F f, G g) {
  return [=](auto x) { return f(g(x)); };
}
enum class Color : char { R, G = 4, B };
__device__ Color next(Color c) {
  switch (c) {
  case Color::R:
    return Color::G;
  case Color::G:
    return Color::B;
  default:
    return Color::R;
  }
}
struct Cpy {
  int *log;
  int id;
  __device__ Cpy(int *l, int i) : log(l), id(i) {}
  __device__ Cpy(const Cpy &o) : log(o.log), id(o.id + 1) { ++*log; }
  __device__ Cpy &operator=(const Cpy &o) {
    id = o.id + 100;
    return *this;
  }
};
struct Holder {
  Cpy c;
  Cpy arr[2];
};
namespace outer {
inline namespace v1 {
__device__ int ver() { return 1; }
} // namespace v1
namespace {
__device__ int hid() { return 9; }
} // namespace
template <class T> struct Tm {
  static __device__ T id(T t) { return t; }
};
} // namespace outer
using outer::ver;
typedef unsigned long long u64t;
typedef int arr3[3];
template <class T> __device__ void sort3(T *a) {
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++)
      if (a[j] < a[i])
        std::swap(a[i], a[j]);
}
struct Str {
  const char *s;
  int n;
  __device__ Str(const char *p) : s(p), n(0) {
    while (p[n])
      n++;
  }
};
__device__ int operator"" _k(unsigned long long v) { return (int)v * 1000; }
template <class T> struct Base2 {
  T val;
  __device__ T get() { return val; }

protected:
  __device__ void set(T t) { val = t; }
};
template <class T> struct Der2 : Base2<T> {
  using Base2<T>::get;
  __device__ Der2(T t) {
    this->set(t);
    Base2<T>::val += 1;
  }
};
__device__ void test(int *o) {
  int k = 0;
  Acc a;
  a.add(1).add(2.9f).many(3, 'a', 5.5);
  o[k++] = a.total;
  int iv = 7;
  Ptr<int> pi(&iv);
  Ptr<const int> pc(pi);
  o[k++] = *pc;
  if (pc)
    o[k++] = 1;
  HX hx{5};
  Ptr<HX> ph(&hx);
  o[k++] = ph->x;
  Sq sq(3);
  Ci ci(2);
  const Sh *sh[2] = {&sq, &ci};
  for (auto s : sh) {
    o[k++] = s->area();
    o[k++] = s->name()[0];
  }
  Fixed<int, 4> fx;
  fx.v[2] = 9;
  for (auto &e : fx)
    e++;
  o[k++] = total(fx);
  o[k++] = fx.size();
  o[k++] = cx.v;
  typename cond<(sizeof(int) > 2), char, double>::type cc = 'z';
  o[k++] = cc + sizeof(cc);
  o[k++] = rank_of<int[2][3]>::v;
  o[k++] = fs<int(float, char)>::n;
  auto lam = [](int, int, int) { return 1.5; };
  o[k++] = fs<decltype(&decltype(lam)::operator())>::n;
  o[k++] = big(1) * 10 + big(1.0);
  o[k++] = has_x<HX>::v * 10 + has_x<Node>::v;
  int ar[4] = {1, 2, 3, 4};
  o[k++] = unrolled<4>(ar);
  Node n3{3, nullptr}, n2{2, &n3}, n1{1, &n2};
  int s = 0;
  for (Node *p = &n1; p; p = p->next)
    s = s * 10 + p->v;
  o[k++] = s;
  counter();
  o[k++] = counter();
  o[k++] = make_adder(5)(6);
  o[k++] = compose(make_adder(1), [](int x) { return x * 10; })(4);
  o[k++] = (int)next(Color::G);
  o[k++] = next(Color::B) == Color::R;
  int log = 0;
  {
    Holder h{Cpy(&log, 1), {Cpy(&log, 2), Cpy(&log, 3)}};
    Holder g(h);
    o[k++] = log;
    o[k++] = g.arr[1].id;
    g = h;
    o[k++] = g.c.id;
  }
  o[k++] = ver() + outer::v1::ver() + outer::hid() + outer::Tm<int>::id(4);
  u64t u = 1ull << 40;
  o[k++] = (int)(u >> 38);
  arr3 x3 = {3, 1, 2};
  sort3(x3);
  o[k++] = x3[0] * 100 + x3[1] * 10 + x3[2];
  Str st("hello");
  o[k++] = st.n;
  o[k++] = 5_k;
  Der2<float> d2(1.5f);
  o[k++] = d2.get() * 10;
  int depth = 0;
  auto rec = [&](auto self, int n) -> int {
    depth++;
    return n <= 1 ? 1 : n * self(self, n - 1);
  };
  o[k++] = rec(rec, 5);
  o[k++] = depth;
  int outerv = 1;
  auto l1 = [&] {
    auto l2 = [&] {
      outerv += 5;
      return outerv;
    };
    return l2() + outerv;
  };
  o[k++] = l1();
  int arr2[3] = {1, 2, 3};
  auto lc = [arr2]() { return arr2[2]; };
  arr2[2] = 50;
  o[k++] = lc();
  auto li = [q = iv * 2, &r = iv]() {
    r++;
    return q;
  };
  o[k++] = li() + iv;
  const int cst = 6;
  auto ln = [] { return cst * 2; };
  o[k++] = ln();
  int (*tbl[2])(int) = {[](int x) { return x + 1; }, [](int x) { return x * x; }};
  o[k++] = tbl[1](tbl[0](3));
  struct {
    int a;
    union {
      int b;
      float c;
    };
  } an = {1, {2}};
  o[k++] = an.a + an.b;
  alignas(16) char buf[32];
  Cpy *pn = new (buf) Cpy(&log, 42);
  o[k++] = pn->id;
  pn->~Cpy();
  o[k++] = ((unsigned long long)buf & 15);
  o[k++] = sizeof(Holder) + alignof(Holder);
}

__global__ void test_kernel(int *out)
{
    test(out);
}
