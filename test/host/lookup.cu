// Where unqualified names of functions are looked for: namespaces of the classes of arguments, of template arguments, of bases, of
// parameters of functions, of members that are pointed to; friends that only their class names.
// OPTIONS: -DEXPECTED_LIST=1
#include <cstdio>

namespace inner {
struct tag {};
int of(tag) { return 1; }
template <class T> int of_any(const T &) { return 2; }
template <class T> struct holder {};
} // namespace inner
namespace outer {
template <class T> struct box {
    T v;
};
template <class T> struct derived : box<T> {};
struct plain : inner::holder<int> {};
int seen(int (*f)(plain), int more) { return f(plain{}) + more; }
int called(plain) { return 40; }
struct measure {
    int length;
};
int measured(int measure::*m) { return measure{17}.*m; }
struct with_friend {
    int v;
    friend int hidden(const with_friend &w) { return w.v * 3; }
    friend with_friend operator-(with_friend a, with_friend b) { return {a.v - b.v}; }
};
enum class colour { red, green };
int name_of(colour c) { return c == colour::green ? 8 : 9; }
} // namespace outer
namespace elsewhere {
int of_any(int) { return -1; }
int run()
{
    int sum = of(inner::tag{});
    sum = sum * 10 + of_any(outer::box<inner::tag>{});     // by the template argument
    sum = sum * 10 + of_any(outer::derived<inner::tag>{}); // by that, and by the base's
    outer::box<inner::tag> b{};
    sum = sum * 10 + of_any(&b) + of_any(3);
    sum = sum * 10 + of_any(outer::plain{}); // by the base
    return sum;
}
} // namespace elsewhere

int main()
{
    printf("%d\n", elsewhere::run());
    printf("%d %d\n", seen(outer::called, 2), measured(&outer::measure::length));
    const outer::with_friend a{7}, b{5};
    printf("%d %d %d\n", hidden(a), (a - b).v, name_of(outer::colour::green));
    constexpr int list[] = {__CUDA_ARCH_LIST__};
    printf("%d\n", (int)(sizeof list / sizeof *list) == EXPECTED_LIST && list[0] >= 500);
}
