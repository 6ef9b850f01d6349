// RUN: tern compile %s --to ir 2>&1 | grep -E "error|kernel"
// RUN: tern compile %s -DWRONG --to ir 2>&1 | grep -E "error"
// A using declaration gives a base's members the access of the place where it stands.
struct base {
  protected:
    int v;
    typedef int word;
    static const int most = 3;
    __device__ void f() noexcept {}
    template <class T> __device__ void g(T) {}
    __device__ void h() {}
    __device__ void h(int) {}
};
struct open : base {
    using base::f;
    using base::g;
    using base::h;
    using base::most;
    using base::v;
    using base::word;
};
struct hidden : protected base {
  public:
    using base::f;
};
struct shut : open {
  private:
    using base::v;
};
struct further : open {};
template <class T> struct mixed : T {
    using T::f;
};
__global__ void k(int *p)
{
    open d;
    d.f(), d.v = 3, d.g(2), d.h(), d.h(1);
    hidden e;
    e.f();
    further x;
    x.f(), x.v = 2;
    mixed<base> m;
    m.f();
    open::word w = open::most;
    static_assert(noexcept(d.f()), "");
    p[0] = d.v + w;
#ifdef WRONG
    shut s;
    s.v = 1;
    hidden().h();
    base().f();
#endif
}
