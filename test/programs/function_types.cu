// noexcept, const, volatile, &, && and ... are parts of a function's type: traits tell them apart, a
// noexcept that is a parameter is deduced, and a function that throws nothing goes where one may throw.
#include <cstdio>
#include <functional>
#include <type_traits>

#define BOTH __host__ __device__

BOTH int plain(int x) { return x; }
BOTH int quiet(int x) noexcept { return x + 1; }
BOTH int older(int x) throw() { return x + 2; }
template <bool B> BOTH int maybe(int x) noexcept(B) { return x; }
using quiet_type = int(int) noexcept;
quiet_type declared;
BOTH int declared(int x) noexcept { return x + 3; }

struct holder {
    BOTH int get(int x) const & noexcept { return x + value; }
    BOTH void later() noexcept(sizeof(holder) == 4) {}
    int value;
    typedef void silent() noexcept;
};

template <class T> constexpr int shape = 0;
template <class R, class... A> constexpr int shape<R(A...)> = 1;
template <class R, class... A> constexpr int shape<R(A...) noexcept> = 2;
template <class R, class... A> constexpr int shape<R(A...) &> = 3;
template <class R, class... A> constexpr int shape<R(A...) &&> = 4;
template <class R, class... A> constexpr int shape<R(A...) const> = 5;
template <class R, class... A> constexpr int shape<R(A...) volatile> = 6;
template <class R, class... A> constexpr int shape<R(A..., ...)> = 7;
static_assert(shape<int(int)> == 1 && shape<quiet_type> == 2 && shape<void() &> == 3 && shape<void() &&> == 4);
static_assert(shape<void() const> == 5 && shape<void() volatile> == 6 && shape<void(int, ...)> == 7);
static_assert(shape<void() const &> == 0 && shape<void() const noexcept> == 0);

// one specialisation for both, as wrappers of functions have it
template <class T> constexpr int promise = -1;
template <class R, class... A, bool N> constexpr int promise<R(A...) noexcept(N)> = N;
template <class R, class... A, bool N> constexpr int promise<R (*)(A...) noexcept(N)> = 10 + N;
template <class R, class C, class... A, bool N> constexpr int promise<R (C::*)(A...) const & noexcept(N)> = 20 + N;
static_assert(promise<decltype(plain)> == 0 && promise<decltype(quiet)> == 1 && promise<decltype(older)> == 1);
static_assert(promise<decltype(&plain)> == 10 && promise<decltype(&quiet)> == 11);
static_assert(promise<decltype(&holder::get)> == 21 && promise<int (holder::*)(int) const &> == 20);

template <class T, class U> constexpr bool same = std::is_same_v<T, U>;
static_assert(!same<int(int), int(int) noexcept> && same<void() noexcept(false), void()>);
static_assert(same<decltype(&maybe<true>), int (*)(int) noexcept> && same<decltype(&maybe<false>), int (*)(int)>);
static_assert(same<decltype(&holder::later), void (holder::*)() noexcept> && same<holder::silent, void() noexcept>);
static_assert(same<decltype(true ? &quiet : &plain), int (*)(int)>);
static_assert(same<decltype(true ? &quiet : &declared), int (*)(int) noexcept>);

template <class F, class T> constexpr bool goes = std::is_convertible_v<F, T>;
static_assert(goes<int (*)(int) noexcept, int (*)(int)> && !goes<int (*)(int), int (*)(int) noexcept>);
static_assert(goes<void (holder::*)() noexcept, void (holder::*)()> && !goes<void (holder::*)(), void (holder::*)() noexcept>);
static_assert(!goes<int (**)(int) noexcept, int (**)(int)>);
static_assert(std::is_nothrow_invocable_v<int (*)(int) noexcept, int> && !std::is_nothrow_invocable_v<int (*)(int), int>);
static_assert(std::is_nothrow_invocable_v<decltype(&holder::get), const holder &, int>);

template <class R, class... A> BOTH int takes(R (*f)(A...)) { return f(1); }
template <class R, class... A, bool N> BOTH int asks(R (*)(A...) noexcept(N)) { return N; }
BOTH int chosen(int (*)(int)) { return 1; }
BOTH int chosen(int (*)(int) noexcept) { return 2; }
template <int (*F)(int)> BOTH int through(int x) { return F(x); }
template <int (*F)(int) noexcept> BOTH int quietly(int x) { return F(x); }

struct results {
    int v[8];
};

BOTH results run(int n)
{
    results r;
    auto closure = [](int x) noexcept { return x * 2; };
    int (*p)(int) = quiet, (*twice)(int) noexcept = closure, (*twice_plain)(int) = closure;
    int (*q)(int) noexcept = quiet;
    static_assert(noexcept(q(1)) && !noexcept(p(1)) && same<decltype(+closure), int (*)(int) noexcept>);
    const auto &name = quiet;
    static_assert(same<decltype(name), int (&)(int) noexcept>);
    int (&reference)(int) = quiet;
    int (holder::*member)(int) const & = &holder::get;
    const holder h{4};
    r.v[0] = takes(quiet) * 10 + takes(&plain);
    r.v[1] = asks(quiet) * 10 + asks(plain);
    r.v[2] = chosen(quiet) * 100 + chosen(plain) * 10 + chosen(closure);
    r.v[3] = through<quiet>(n) * 100 + through<plain>(n) * 10 + quietly<quiet>(n);
    r.v[4] = p(n) + q(n) + twice(n) + twice_plain(n) + name(n) + reference(n);
    r.v[5] = (h.*member)(n) * 100 + declared(n);
    r.v[6] = (n ? quiet : plain)(n) * 10 + (p == q);
    r.v[7] = older(n);
    return r;
}

__global__ void kernel(results *out, int n) { *out = run(n); }

int main()
{
    static const int known[] = {21, 10, 212, 878, 60, 1110, 81, 9};
    results host = run(7), device, *d;
    cudaMalloc(&d, sizeof *d);
    kernel<<<1, 1>>>(d, 7);
    cudaMemcpy(&device, d, sizeof device, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        if (host.v[i] != known[i] || device.v[i] != known[i])
            return printf("%d: %d on the host, %d on the device, not %d\n", i, host.v[i], device.v[i], known[i]), 1;
    std::function<int(int)> wrapped = quiet;
    puts(wrapped(1) == 2 ? "ok" : "a function behind std::function");
}
