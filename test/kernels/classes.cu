// Classes: construction and destruction in order, inheritance, virtual calls, operators, members.
// TEST life: --kernel life --block 1 --arg 'i32[32]'
// EXPECT arg 0: sum 1080 checksum 6ec968ee905d61e5
// TEST virtuals: --kernel virtuals --block 4 --arg 'i32[4]'
// EXPECT arg 0: sum 24732 checksum ac12da4eb17f5d4e
// TEST operators: --kernel operators --block 1 --arg 'i32[14]'
// EXPECT arg 0: sum 14 checksum 8cf3bf134f778c95
// TEST members: --kernel members --block 1 --arg 'i32[9]'
// EXPECT arg 0: sum 9 checksum 08ea6050e3ac2ba4
// TEST references: --kernel references --block 1 --arg 'i32[8]'
// EXPECT arg 0: sum 8 checksum 40b4c7b1d593d365
#define CHECK(...) (*out++ = (__VA_ARGS__) ? 1 : 0)

__device__ int *trace;
struct noisy {
    int id;
    __device__ noisy(int i) : id(i) { *trace++ = id; }
    __device__ noisy(const noisy &o) : id(o.id + 100) { *trace++ = id; }
    __device__ ~noisy() { *trace++ = -id; }
};
struct pair_of {
    noisy a, b;
    __device__ pair_of() : a(1), b(2) { *trace++ = 50; }
};
struct heir : noisy {
    noisy own{7};
    __device__ heir() : noisy(6) {}
};
__device__ void take(noisy n) { *trace++ = n.id * 10; }

__global__ void life(int *out)
{
    trace = out;
    {
        pair_of p;
        noisy c(3);
        for (int i = 0; i < 2; i++) {
            noisy in_loop(20 + i);
            if (i == 0)
                continue;
            take(c);
        }
    }
    heir h;
    noisy *heap = new noisy(8), *more = new noisy(9);
    delete more;
    delete heap;
}

struct animal {
    int legs;
    __device__ animal(int n) : legs(n) {}
    __device__ virtual int speak() const { return 1; }
    __device__ virtual int twice() const { return 2 * speak(); }
};
struct dog : animal {
    __device__ dog() : animal(4) {}
    __device__ int speak() const override { return 20 + legs; }
};
struct puppy final : dog {
    int age;
    __device__ puppy(int a) : age(a) {}
    __device__ int speak() const override { return dog::speak() * 10 + age; }
};
struct bird {
    __device__ virtual int fly() { return 7; }
    int wings = 2;
};
struct griffin : dog, bird {
    __device__ int fly() override { return wings + legs; }
    __device__ int speak() const override { return 99; }
};

__global__ void virtuals(int *out)
{
    animal a(3);
    dog d;
    puppy p(threadIdx.x);
    griffin g;
    animal *all[] = {&a, &d, &p, &g};
    bird *b = &g;
    out[threadIdx.x] = all[threadIdx.x]->twice() + b->fly() * 1000;
}

struct fraction {
    int n, d;
    __device__ constexpr fraction(int a = 0, int b = 1) : n(a), d(b) {}
    __device__ fraction &operator+=(const fraction &o)
    {
        n = n * o.d + o.n * d;
        d *= o.d;
        return *this;
    }
    __device__ fraction operator-() const { return fraction(-n, d); }
    __device__ fraction &operator++()
    {
        n += d;
        return *this;
    }
    __device__ fraction operator++(int)
    {
        fraction old = *this;
        ++*this;
        return old;
    }
    __device__ explicit operator bool() const { return n != 0; }
    __device__ operator float() const { return (float)n / d; }
    __device__ int operator[](int i) const { return i ? d : n; }
    __device__ int operator()(int a, int b) const { return n * a + d * b; }
    __device__ fraction *operator->() { return this; }
    __device__ bool operator==(const fraction &o) const { return n * o.d == o.n * d; }
    __device__ bool operator!=(const fraction &o) const { return !(*this == o); }
};
__device__ fraction operator+(fraction a, const fraction &b) { return a += b; }
__device__ fraction operator*(int s, const fraction &f) { return fraction(s * f.n, f.d); }
__device__ bool operator<(const fraction &a, const fraction &b) { return a.n * b.d < b.n * a.d; }
__device__ int operator,(const fraction &a, const fraction &b) { return a.n + b.n; }
__device__ unsigned long long operator""_k(unsigned long long v) { return v * 1000; }

__global__ void operators(int *out)
{
    fraction h(1, 2), t(1, 3);
    CHECK((h + t) == fraction(5, 6));
    h += fraction(1, 2);
    CHECK(h == fraction(1));
    CHECK(-t == fraction(-1, 3) && t != h);
    CHECK(++h == fraction(2) && h++ == fraction(2) && h == fraction(3));
    CHECK((h ? 1 : 0) == 1 && !fraction());
    float f = t;
    CHECK(f > 0.33f && f < 0.34f);
    CHECK(t[0] == 1 && t[1] == 3);
    CHECK(t(10, 100) == 310);
    CHECK(t->d == 3);
    CHECK(2 * t == fraction(2, 3));
    CHECK(t < h && !(h < t));
    CHECK((t, h) == 1 + h.n);
    CHECK(5_k == 5000);
    CHECK(fraction(3) + fraction(2) == fraction(5));
}

struct point {
    int x, y;
    static constexpr int dims = 2;
    __device__ int sum() const { return x + y; }
    __device__ int scaled(int k) const { return (x + y) * k; }
    struct inner {
        int z = 4;
    };
    mutable int reads = 0;
    __device__ int read() const { return ++reads; }
    friend __device__ int secret(const point &p) { return p.x * 10 + p.y; }
    __device__ static int make(int v) { return v * dims; }
};

__global__ void members(int *out)
{
    point p{3, 4}, *q = &p;
    int point::*field = &point::y;
    int (point::*method)(int) const = &point::scaled;
    CHECK(p.*field == 4 && q->*field == 4);
    CHECK((p.*method)(2) == 14 && (q->*method)(3) == 21);
    field = &point::x;
    q->*field = 30;
    CHECK(p.x == 30);
    CHECK(point::make(5) == 10 && point::dims == 2);
    CHECK(point::inner().z == 4 && p.read() == 1 && p.read() == 2);
    CHECK(secret(p) == 304);
    point c = p;
    c.y = 9;
    CHECK(p.y == 4 && c.sum() == 39);
    point d{.x = 1, .y = 2};
    CHECK(d.sum() == 3);
    point all[2] = {{1, 2}, {3}};
    CHECK(all[0].sum() + all[1].sum() == 6);
}

__device__ void bump(int &r) { r++; }
__device__ int which(int &) { return 1; }
__device__ int which(const int &) { return 2; }
__device__ int which(int &&) { return 3; }
__device__ int &pick(int *a, int i) { return a[i]; }
__device__ void defaults(int &r, int a = 5, int b = 7) { r = a * 10 + b; }
namespace outer {
inline namespace v1 {
__device__ int f(int) { return 1; }
}
namespace inner {
__device__ int f(float) { return 2; }
}
}
namespace alias = outer::inner;

__global__ void references(int *out)
{
    int x = 1, a[3] = {1, 2, 3};
    const int c = 2;
    bump(x);
    CHECK(x == 2);
    CHECK(which(x) == 1 && which(c) == 2 && which(5) == 3);
    pick(a, 1) = 20;
    CHECK(a[1] == 20);
    int &r = a[2];
    r *= 5;
    CHECK(a[2] == 15);
    int v;
    defaults(v);
    int w;
    defaults(w, 1);
    CHECK(v == 57 && w == 17);
    const int &temporary = 3 + x;
    CHECK(temporary == 5);
    using outer::f;
    CHECK(f(1) == 1 && alias::f(1.0f) == 2 && outer::f(2) == 1);
    auto [p, q, s] = a;
    auto &[e, g, h] = a;
    e = 100;
    CHECK(p == 1 && q == 20 && s == 15 && a[0] == 100 && g == 20 && h == 15);
}
