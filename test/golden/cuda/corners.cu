// RUN: tern run --device interp %s --kernel test_kernel --grid 1 --block 1 --arg 'i32[64]=0' --print 64
#include <type_traits>
// corner cases: evaluation, conversions, overloading
struct Conv2 {
  __device__ operator float() const { return 2.5f; }
};
struct FromInt {
  int v;
  __device__ FromInt(int x) : v(x) {}
};
__device__ int ov(FromInt f) { return f.v; }
__device__ int ov(const char *) { return -1; }
__device__ int ov2(long) { return 1; }
__device__ int ov2(double) { return 2; }
__device__ int ov3(unsigned) { return 1; }
__device__ int ov3(int) { return 2; }
__device__ int ov4(int &) { return 1; }
__device__ int ov4(const int &) { return 2; }
__device__ int ov4(int &&) { return 3; }
__device__ int ov5(int *) { return 1; }
__device__ int ov5(const int *) { return 2; }
__device__ int ov5(void *) { return 3; }
__device__ int ov5(bool) { return 4; }
template <class T> __device__ int ov6(T) { return 1; }
__device__ int ov6(int) { return 2; }
template <class T> __device__ int ov7(const T &) { return 1; }
template <class T> __device__ int ov7(T *) { return 2; }
template <class T> __device__ int ov8(T &&) { return std::is_lvalue_reference<T>::value; }
struct Bs {
  int x;
  __device__ Bs() : x(1) {}
};
struct Dv : Bs {
  int y = 2;
  __device__ Dv() {}
};
__device__ int sl(Bs b) { return b.x; }
__device__ int ovb(const Bs &) { return 1; }
__device__ int ovb(const Dv &) { return 2; }
struct Dd : Dv {};
struct Idx {
  int d[4] = {1, 2, 3, 4};
  __device__ int &operator()(int i, int j) { return d[i * 2 + j]; }
  __device__ int operator()(int i, int j) const { return d[i * 2 + j] + 100; }
};
__device__ int order(int *log, int v) {
  *log = *log * 10 + v;
  return v;
}
struct Tmp {
  int *c;
  __device__ Tmp(int *p) : c(p) { *c += 1; }
  __device__ ~Tmp() { *c += 10; }
  __device__ int val() const { return *c; }
};
__device__ Tmp mkt(int *p) { return Tmp(p); }
template <int N> struct Fac { static constexpr long long v = N * Fac<N - 1>::v; };
template <> struct Fac<0> { static constexpr long long v = 1; };
struct alignas(32) Al {
  float f[3];
};
struct __attribute__((packed)) Pk {
  char a;
  int b;
  short c;
};
struct Emp {};
struct EB : Emp {
  int x;
};
struct Bf {
  long long a : 40;
  long long b : 24;
  unsigned char c : 1, d : 7;
};
union Un {
  double d;
  unsigned long long u;
  struct {
    unsigned lo, hi;
  } w;
};
__device__ float fastinv(float x) {
  union {
    float f;
    int i;
  } u;
  u.f = x;
  u.i = 0x5f3759df - (u.i >> 1);
  return u.f;
}
template <class T> struct Singleton {
  static __device__ int id() { return sizeof(T); }
};
__device__ int variadic_max(int a) { return a; }
template <class... R> __device__ int variadic_max(int a, R... r) {
  int m = variadic_max(r...);
  return a > m ? a : m;
}
template <typename T, typename U> __device__ auto addt(T t, U u) -> decltype(t + u) {
  return t + u;
}
__device__ int defarg(int a, int b = 3, int *p = nullptr) { return a + b + (p ? *p : 0); }
struct Static {
  static __device__ int s(int x) { return x + 1; }
  static constexpr float pi = 3.25f;
  enum { K = 12 };
  typedef short sh;
};
__device__ void test(int *o) {
  int k = 0;
  o[k++] = ov(5);
  o[k++] = ov("x");
  o[k++] = ov2(1.5f);
  o[k++] = ov3(1u);
  o[k++] = ov3('a');
  int lv = 1;
  const int cl = 2;
  o[k++] = ov4(lv);
  o[k++] = ov4(cl);
  o[k++] = ov4(3);
  o[k++] = ov5(&lv);
  o[k++] = ov5(&cl);
  double dbl;
  o[k++] = ov5(&dbl);
  o[k++] = ov6(1);
  o[k++] = ov6(1L);
  o[k++] = ov7(&lv);
  o[k++] = ov7(lv);
  o[k++] = ov8(lv) * 10 + ov8(3);
  Dv dv;
  o[k++] = sl(dv);
  Dd dd;
  o[k++] = ovb(dd);
  Idx ix;
  ix(1, 0) = 9;
  const Idx &cix = ix;
  o[k++] = cix(1, 0);
  int log = 0;
  int r = order(&log, 1) + order(&log, 2) * order(&log, 3);
  o[k++] = r;
  log = 0;
  (order(&log, 1) && order(&log, 0) && order(&log, 5)) || order(&log, 7);
  o[k++] = log;
  int c = 0;
  int vv = mkt(&c).val() + 100 * c;
  o[k++] = c;
  {
    const Tmp &ref = mkt(&c);
    o[k++] = c;
  }
  o[k++] = c;
  c = 0;
  bool b = true;
  int q = b ? Tmp(&c).val() : Tmp(&c).val();
  o[k++] = q * 100 + c;
  o[k++] = (int)(Fac<12>::v / 1000);
  o[k++] = sizeof(Al) * 100 + alignof(Al);
  o[k++] = sizeof(Pk) * 10 + alignof(Pk);
  o[k++] = sizeof(Emp) * 10 + sizeof(EB);
  Bf bf;
  bf.a = -5;
  bf.b = 3;
  bf.c = 1;
  bf.d = 100;
  o[k++] = (int)bf.a;
  o[k++] = (int)bf.b * 1000 + bf.c * 200 + bf.d;
  o[k++] = sizeof(Bf);
  Un un;
  un.d = 1.0;
  o[k++] = un.w.hi;
  o[k++] = (int)(fastinv(4.f) * 1000);
  o[k++] = Singleton<double>::id();
  o[k++] = variadic_max(3, 9, 2, 7);
  o[k++] = addt(1, 2.75) * 4;
  o[k++] = defarg(1) + defarg(1, 1) + defarg(1, 1, &lv);
  o[k++] = Static::s(1) + (int)(Static::pi * 4) + Static::K;
  Static::sh ss = 70000;
  o[k++] = ss;
  Static st;
  o[k++] = st.s(5);
  int arr[2][3] = {1, 2, 3, 4};
  o[k++] = arr[1][0] * 10 + arr[1][2];
  int part[5] = {7};
  o[k++] = part[0] + part[4];
  char cs[8] = "ab";
  o[k++] = cs[1] + cs[7];
  const char *names[] = {"zero", "one"};
  o[k++] = names[1][2];
  int *pa = part;
  *pa++ = 4;
  *(pa + 1) = 6;
  o[k++] = part[0] * 10 + part[2];
  o[k++] = pa - part;
  o[k++] = pa[-1];
  unsigned sh = 1u << 31;
  o[k++] = sh >> 31;
  int neg = -8;
  o[k++] = neg >> 1;
  o[k++] = (unsigned)neg >> 28;
  o[k++] = (int)(short)0x18000;
  long lg = -1;
  o[k++] = lg == 0xffffffffffffffffUL;
  o[k++] = (float)16777217 == 16777216.0f;
  o[k++] = (int)3e9f == 2147483647 || true;
  o[k++] = 7 & 3 | 8 ^ 1;
  o[k++] = 1 < 2 == true;
  o[k++] = sizeof 'a' + sizeof(1.0f) + sizeof(1L);
}

__global__ void test_kernel(int *out)
{
    test(out);
}
