// Several bases and virtual ones: where they lie, which functions they have while an object is made, and the way back.
#include <cstdio>
#include <exception>
#include <typeinfo>

struct said {
    const char *name;
    said(const char *n) : name(n) { printf("+%s ", n); }
    ~said() { printf("-%s ", name); }
};

// Two bases with functions of one name; deletion through the second; results of a derived class.
struct left { virtual int f() { return 1; } virtual ~left() { printf("~left "); } int a = 5; };
struct right { virtual int f() { return 2; } virtual right *self() { return this; } virtual ~right() { printf("~right "); } int b = 6; };
struct both : left, right { said m{"m"}; both *self() override { return this; } };
struct none : left, right { int f() override { return 3; } };

static void several()
{
    both x;
    left *l = &x;
    right *r = &x;
    printf("%d %d %d\n", l->f(), r->f(), (char *)r->self() == (char *)r && x.self() == &x);
    none n;
    l = &n, r = &n;
    printf("%d %d %d\n", l->f(), r->f(), dynamic_cast<none *>(r) == &n);
    r = new both;
    delete r;
    printf("\n");
}

// A diamond, told in the order in which it is made and destroyed.
struct top {
    int t;
    said s{"top"};
    top(int v = 7) : t(v) { printf("top(%d) ", v); }
    top(const top &o) : t(o.t + 100) {}
    virtual const char *name() const { return "top"; }
    virtual int sum() const { return t; }
    virtual ~top() { printf("~top:%s ", name()); }
};
struct a : virtual top {
    int x = 1;
    a() : top(1) { printf("a:%s,%d ", top::name(), call()); }
    int call() { printf("[%s %d] ", name(), sum()); return t; }
    const char *name() const override { return "a"; }
    ~a() { printf("~a:%s ", name()); }
};
struct b : virtual top {
    int y = 2;
    b() : top(2) { printf("b:%s ", name()); }
    int sum() const override { return t + y; }
    ~b() { printf("~b:%d ", sum()); }
};
struct d : a, b {
    said m{"d.m"};
    int z = 3;
    d(int v) : top(v) { printf("d:%s,%d ", name(), sum()); }
    ~d() { printf("~d:%s ", name()); }
};
struct e : d {
    e() : top(9), d(4) { printf("e:%d ", sum()); }
    const char *name() const override { return "e"; }
    int sum() const override { return b::sum() * 10; }
};

static void diamond()
{
    { d x(4); printf("| %d %d %d %s\n", x.t, x.sum(), static_cast<a &>(x).call(), x.name()); }
    printf("\n");
    {
        e x;
        top *p = &x;
        b *q = &x;
        a *r = dynamic_cast<a *>(p);
        printf("| %s %d %s %d %d\n", p->name(), q->sum(), r->name(), r->t, dynamic_cast<e *>(p) == &x);
        printf("%d %d %d\n", (top *)q == p, static_cast<top *>(r) == p, dynamic_cast<void *>(q) == &x);
        printf("%d %d\n", typeid(*p) == typeid(e), typeid(*q) == typeid(d));
        q = nullptr;
        top *null = q;
        printf("%d\n", null == nullptr);
    }
    printf("\n");
    top *p = new e;
    delete p;
    printf("\n");
    a alone;
    a copy = alone;
    alone.t = 50, alone.x = 60;
    copy = alone;
    printf("%d %d %s\n", copy.t, copy.x, copy.name());
}

// Interfaces without data share the pointer of who derives from them; sizes are those of the host's compilers.
struct empty {};
struct face { virtual int f() = 0; virtual ~face() {} };
struct face2 : virtual face { virtual int g() { return f() + 1; } };
struct impl : virtual face { int n = 10; int f() override { return n; } };
struct joined : face2, impl { };
struct other : impl, face2 { int k = 4; int g() override { return 100 + k; } };
struct plain_v : virtual empty { char c; };
struct data_v { long l; char c; };
struct tail : virtual data_v { char c; };
struct tail2 : tail, virtual empty { short s; };
struct deep1 : virtual plain_v { int i; };
struct deep2 : virtual deep1, virtual tail { int i; };
struct v1 { virtual void f() {} };
struct v2 : virtual v1 { int q; };
struct v3 : virtual v1, v2 { int r; };
struct v4 : virtual v2, virtual v1 { };
struct v5 : virtual v4, v3 { char c; };
struct alignas(32) wide { virtual void f() {} };
struct wide_v : virtual wide { char c; };
struct wide_d : wide_v { char d; };

template <typename T, typename B> long far(T &x) { return (char *)static_cast<B *>(&x) - (char *)&x; }

static void layout()
{
    joined j;
    other o;
    face *f = &j;
    face2 *g = &o;
    printf("%d %d %d %d\n", f->f(), j.g(), g->f(), g->g());
    printf("%zu %zu %zu %zu %zu %zu\n", sizeof(face2), sizeof(impl), sizeof(joined), sizeof(other), sizeof(plain_v), sizeof(tail));
    printf("%zu %zu %zu %zu %zu %zu %zu %zu %zu\n", sizeof(tail2), sizeof(deep1), sizeof(deep2), sizeof(v2), sizeof(v3), sizeof(v4), sizeof(v5), sizeof(wide_v), sizeof(wide_d));
    printf("%zu %zu %zu %zu\n", sizeof(a), sizeof(b), sizeof(d), sizeof(e));
    tail2 t;
    deep2 p;
    v5 v;
    wide_d w;
    d x(1);
    printf("\n%ld %ld %ld %ld\n", far<tail2, data_v>(t), far<tail2, empty>(t), far<deep2, plain_v>(p), far<deep2, data_v>(p));
    printf("%ld %ld %ld %ld\n", far<v5, v1>(v), far<v5, v4>(v), far<v5, v3>(v), far<wide_d, wide>(w));
    printf("%ld %ld %ld\n", far<d, top>(x), far<d, b>(x), far<other, face>(o));
}

// A base that throws: what was made is destroyed, virtual bases last.
struct thrower : virtual top { thrower() : top(3) { throw 5; } };
struct around : a, thrower { said m{"never"}; around() : top(8) {} };
struct error_base { virtual int code() const { return 1; } virtual ~error_base() {} };
struct error_left : virtual error_base { };
struct error_right : virtual error_base { int code() const override { return 2; } };
struct error_all : error_left, error_right { };

static void thrown()
{
    try { around x; } catch (int v) { printf("| caught %d\n", v); }
    try { throw error_all(); } catch (const error_base &x) { printf("code %d\n", x.code()); }
    try { throw new error_all; } catch (error_base *x) { printf("code %d\n", x->code()); delete x; }
    error_all all;
    error_base *base = &all;
    printf("%d %d\n", dynamic_cast<error_left *>(base) == &all, dynamic_cast<top *>(base) == nullptr);
}

// Who derives without saying so; constructors that hand on; members of templates.
template <typename T> struct mixed : virtual T { using T::T; int call() { return this->t + 1; } };
struct handed : mixed<top>, virtual left {
    handed(int v) : top(v) {}
    handed() : handed(77) {}
};

int main()
{
    several();
    diamond();
    layout();
    thrown();
    handed h;
    handed *many = new handed[2];
    printf("%d %d %d %d\n", h.call(), h.f(), many[1].call(), many[0].a);
    delete[] many;
    printf("\n");
}
