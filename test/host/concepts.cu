// OPTIONS: -std=c++20
// Concepts that go on behind the brace of a requires-expression.
#include <cstdio>
#include <type_traits>

template <class T> concept whole = std::is_integral_v<T>;
template <class T> concept counts = requires(T a) { a + 1; } && whole<T>;
template <class T> concept four = whole<T> && requires(T a) { { a + 1 } -> whole; } && sizeof(T) == 4;
template <class T> requires counts<T> int f(T) { return 1; }
template <class T> int f(T) { return 2; }
struct adds {
    int operator+(int) { return 3; }
};

int main()
{
    printf("%d %d %d %d %d\n", f(1), f(1.0), f(adds()), (int)four<int>, (int)four<long>);
}
