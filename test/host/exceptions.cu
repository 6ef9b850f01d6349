// What is thrown, who catches it, and what is destroyed on the way.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

__global__ void put(int *p, int n)
{
    p[threadIdx.x] = n;
}

struct noisy {
    static int next;
    int n;
    noisy() : n(next++) { printf("+%d\n", n); if (n == 102) throw n; }
    noisy(int n) : n(n) { printf("+%d\n", n); }
    noisy(const noisy &o) : n(o.n) { printf("copy %d\n", n); }
    ~noisy() { printf("-%d\n", n); }
};
int noisy::next = 100;
struct base { virtual ~base() {} virtual int run(int n) { return n; } };
struct other { virtual ~other() {} int o = 7; };
struct derived : base, other {
    int run(int n) override { noisy here(60); if (n > 2) throw std::string("from a virtual function"); return n; }
};
struct my_error : std::runtime_error {
    int code;
    my_error(const std::string &s, int c) : std::runtime_error(s), code(c) {}
};
int depth(int n)
{
    noisy a(n);
    if (n == 0)
        throw my_error("deep " + std::to_string(n), 42);
    const int r = depth(n - 1);
    printf("never\n");
    return r;
}
struct pair_of {
    noisy a, b;
    pair_of() : a(10), b(11) { throw 5; }
    ~pair_of() { printf("never\n"); }
};
struct delegating {
    noisy a;
    delegating(int n) : a(n) {}
    delegating() : delegating(20) { throw 6L; }
    ~delegating() { printf("delegating is destroyed\n"); }
};
struct aggregate {
    noisy a, b;
    int c;
};
int thrower(int n) { if (n) throw n; return n; }
int value(bool b) { return b ? 3 : throw std::logic_error("no value"); }
noisy make(int n) { noisy x(n + 200); if (n == 32) throw 'c'; return noisy(n); }
int &counted(bool fails)
{
    static int tries = 0;
    tries++;
    static int made = thrower(fails ? tries : 0) + 50;
    return made;
}
int holds() noexcept
{
    try { throw 1; } catch (...) { return 9; }
}
struct guard {
    ~guard() { try { throw 1; } catch (int) { printf("inside a destructor, %d under way\n", std::uncaught_exceptions()); } }
};
#define TRY(code_) try { code_; printf("nothing was thrown\n"); }                                                        \
    catch (const my_error &e) { printf("my_error %d %s\n", e.code, e.what()); }                                        \
    catch (const std::exception &e) { printf("exception %s\n", e.what()); }                                            \
    catch (int i) { printf("int %d\n", i); }                                                                           \
    catch (long i) { printf("long %ld\n", i); }                                                                        \
    catch (base *b) { printf("pointer %d\n", b != nullptr); }                                                          \
    catch (const char *s) { printf("text %s\n", s); }                                                                  \
    catch (const std::string &s) { printf("string %s\n", s.c_str()); }                                                 \
    catch (...) { printf("something\n"); }

int main()
{
    setvbuf(stdout, nullptr, _IONBF, 0);
    derived d;
    std::vector<int> v = {3, 1, 2};
    std::map<int, int> m;
    std::function<int(int)> f = [](int n) { noisy here(70); return thrower(n); }, none;
    TRY(depth(2))
    TRY(pair_of p)
    TRY(delete new pair_of)
    TRY(delegating x)
    TRY(noisy three[3])
    noisy::next = 100;
    TRY(delete[] new noisy[4])
    TRY((aggregate{noisy(30), noisy(31), thrower(8)}))
    TRY(printf("%d %d\n", make(33).n, make(32).n))
    TRY(v.at(7))
    TRY(m.at(1))
    TRY(std::stoi("x"))
    TRY(none(1))
    TRY(f(4))
    TRY(static_cast<base &>(d).run(3))
    TRY(throw static_cast<derived *>(&d))
    TRY(throw "text")
    TRY(throw 1.5f)
    TRY(value(false))
    TRY(std::sort(v.begin(), v.end(), [](int a, int b) { if (a == 2 || b == 2) throw 2; return a < b; }))
    TRY(guard g; throw 77)
    TRY(std::optional<int>().value())
    TRY(throw noisy(80))
    TRY(counted(true)) TRY(counted(true)) TRY(printf("%d\n", counted(false)))
    try {
        try { throw std::string("inner"); } catch (std::string &s) { s += " changed"; throw; }
    } catch (std::string s) { printf("%s\n", s.c_str()); }
    try {
        try { throw 1; } catch (int) { noisy n(90); throw 2L; }
    } catch (long) { printf("another\n"); }
    for (int i = 0; i < 4; i++) {
        try {
            noisy n(i);
            if (i == 1) continue;
            if (i == 2) break;
            thrower(i == 0);
        } catch (int) { continue; }
    }
    int k = 0;
    try { k = 1; depth(0); k = 2; } catch (...) { k += 10; }
    std::exception_ptr kept;
    try { throw 78; } catch (...) { kept = std::current_exception(); }
    TRY(std::rethrow_exception(kept))
    int *p;
    cudaMallocManaged(&p, 16);
    long mine = 0;
    for (int i = 0; i < 1000; i++)
        try { thrower(i % 5); } catch (int n) { mine += n; }
    try { put<<<1, 4>>>(p, k); cudaDeviceSynchronize(); if (p[3] != 11) throw std::runtime_error("wrong"); } catch (...) { printf("%d\n", p[3]); }
    printf("%d %d %d %ld\n", k, holds(), p[0], mine);
    try { throw 1; } catch (int) { return [] { try { throw 3; } catch (int n) { return n; } return 0; }(); }
}
