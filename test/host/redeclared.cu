// Overloads that differ in a condition only, declared before they are defined; lists; members that hide what `using` brings.
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <ostream>
#include <iostream>
#include <string>
#include <type_traits>
template <bool c, class T = void> using enable = typename std::enable_if<c, T>::type;
template <class Out, class Arg, class... Rest, enable<std::is_integral<Arg>::value, int> = 0> void put(Out &out, const Arg &a, Rest &&...rest);
template <class Out, class Arg, class... Rest, enable<std::is_floating_point<Arg>::value, int> = 0> void put(Out &out, const Arg &a, Rest &&...rest);
template <class Out, class Arg, class... Rest, enable<std::is_convertible<Arg, std::string>::value, int> = 0> void put(Out &out, const Arg &a, Rest &&...rest);
template <class Out> void put(Out &) {}
template <class O, class A, class... R, enable<std::is_integral<A>::value, int>> void put(O &out, const A &a, R &&...rest) { out += "i" + std::to_string(a) + " "; put(out, rest...); }
template <class Out, class Arg, class... Rest, enable<std::is_floating_point<Arg>::value, int>> void put(Out &out, const Arg &a, Rest &&...rest) { out += "f" + std::to_string((int)a) + " "; put(out, rest...); }
template <class Out, class Arg, class... Rest, enable<std::is_convertible<Arg, std::string>::value, int>> void put(Out &out, const Arg &a, Rest &&...rest) { out += "s" + std::string(a) + " "; put(out, rest...); }

struct value {
    int n = 0;
    value() {}
    value(int x) : n(x) {}
    value(std::initializer_list<value> all) { for (const value &v : all) n = n * 10 + v.n; }
    value(value &&o) : n(o.n) {}
    value(const value &o) : n(o.n) {}
};
struct base {
    const char *check(int) { return "base int"; }
    const char *check(const char *) { return "base text"; }
};
struct derived : base {
    const char *check(int) { return "derived int"; }
    using base::check;
};
template <class C> struct adapter {
    int kind;
    adapter(std::basic_ostream<C> &) : kind(1) {}
    adapter(std::basic_string<C> &) : kind(2) {}
};
int main()
{
    std::string out;
    put(out, 1, 2.5, "three", std::string("four"), 5u);
    puts(out.c_str());
    printf("%d %d\n", value({1, 2, 3}).n, value({value({4, 5}), 6}).n);
    derived d;
    printf("%s, %s\n", d.check(1), d.check("x"));
    printf("%d %d\n", adapter<char>(std::cout).kind, adapter<char>(out).kind);
    printf("%d\n", std::numeric_limits<long double>::is_iec559);
}
