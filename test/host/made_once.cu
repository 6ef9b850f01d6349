// What is made, copied, moved and destroyed, and when: results that are locals, thrown locals, elements of vectors.
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

static int left = 1 << 30; // how many more may be made

template <bool Safe> struct told {
    int n;
    told(int n = 7) : n(n)
    {
        if (!--left)
            throw 1;
        printf("+%d ", n);
    }
    told(const told &o) : n(o.n)
    {
        if (!--left)
            throw 2;
        printf("c%d ", n);
    }
    told(told &&o) noexcept(Safe) : n(o.n)
    {
        if (!Safe && !--left)
            throw 3;
        o.n = -1;
        printf("m%d ", n);
    }
    ~told() { printf("-%d ", n); }
    told &operator=(const told &o)
    {
        n = o.n;
        printf("=%d ", n);
        return *this;
    }
    told &operator=(told &&o)
    {
        n = o.n;
        o.n = -2;
        printf("M%d ", n);
        return *this;
    }
};
typedef told<true> T;

static T one(int k)
{
    T t(k);
    if (k & 1)
        throw t;
    t.n += 10;
    return t;
}
static T either(int k)
{
    T a(k), b(k + 1);
    if (k > 3)
        return a;
    return b;
}
static T inner(int k)
{
    for (int i = 0;; i++) {
        T t(i);
        if (i == k)
            return t;
    }
}
static const T fixed(int k)
{
    const T t(k);
    return t;
}
static T around(int k)
{
    T t(k);
again:
    if (t.n++ < 3)
        goto again;
    return t;
}
static T outer_try(int k)
{
    T t(k);
    try {
        if (k)
            throw t; // is still there behind the handler: copied
    } catch (T &e) {
        printf("caught %d ", e.n);
    }
    return t;
}

template <class V> static void show(const char *what, const V &v)
{
    printf("\n%s %zu of %zu:", what, v.size(), v.capacity());
    for (auto &x : v)
        printf(" %d", x.n);
    puts("");
}

template <class X> static void vectors()
{
    std::vector<X> v;
    for (int i = 0; i < 3; i++)
        v.push_back(X(i));
    X k(50), some[] = {1, 2, 3};
    v.push_back(k), show("push_back", v);
    v.push_back(v[0]), show("its own", v);
    v.emplace_back(51), v.insert(v.begin() + 2, k), v.insert(v.begin() + 1, X(60)), show("insert", v);
    v.insert(v.begin() + 3, 2, k), v.reserve(40), v.insert(v.begin() + 3, 2, k), v.insert(v.end() - 1, 4, k), show("insert n", v);
    v.insert(v.begin() + 1, some, some + 3), v.insert(v.end() - 1, some, some + 3), v.emplace(v.begin() + 2, 9), show("insert more", v);
    v.erase(v.begin() + 1, v.begin() + 4), v.resize(5), v.resize(9, k), v.shrink_to_fit(), v.resize(20), show("resize", v);
    std::vector<X> w = v, x = std::move(w);
    w = x, w.resize(3), w = x, x.assign(4, k), x.assign(some, some + 3), show("assign", x);
    x = {X(1), X(2)}, show("a list", x);
}

template <class X> static void failures()
{
    for (int k = 1; k < 30; k += 2) {
        left = k;
        try {
            std::vector<X> v(3);
            v.push_back(X(1));
            X q(2);
            v.insert(v.begin() + 1, q), v.insert(v.begin() + 1, 2, q);
            std::vector<X> w(v);
            w.resize(9), w.assign(4, q);
        } catch (int e) {
            printf("failed: %d", e);
        }
        puts("");
    }
    left = 1 << 30;
}

int main()
{
    for (int k = 2; k < 6; k++) {
        try {
            T t = one(k);
            printf("got %d ", t.n);
        } catch (const T &t) {
            printf("thrown %d ", t.n);
        }
        T a = either(k), b = inner(k - 2);
        puts("");
    }
    T f = fixed(4), g = around(0), h = outer_try(0), i = outer_try(6);
    puts("");
    for (int k = 0; k < 2; k++)
        try {
            k ? throw nullptr : throw (int *)nullptr;
        } catch (const char *p) {
            printf("a string %d\n", p == nullptr);
        } catch (int *p) {
            printf("a number %d\n", p == nullptr);
        }
    vectors<told<true>>();
    vectors<told<false>>();
    failures<told<true>>();
    failures<told<false>>();
    std::optional<T> a, b = 3, c = b, d = std::move(c);
    a = 5, a = T(6), a = b, a = std::nullopt, a.emplace(9);
    std::optional<std::vector<int>> v{{1, 2, 3}};
    std::optional<double> wide = std::optional<int>(3);
    printf("%d %d %zu %g %d %d %d\n", a->n, d->n, v->size(), *wide, std::optional<int>() < 3, b == std::nullopt, std::optional<int>(4) == 4);
}
