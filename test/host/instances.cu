// Templates that another file, or a later line, is said to instantiate; containers with their allocators named.
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

template <class T> struct held {
    T v;
    operator bool() const;
    T twice() const { return v + v; }
};
template <class T> T sum(T a, T b) { return a + b; }
extern template struct held<float>;
extern template class __attribute__((visibility("default"))) held<double>;
extern template int sum<int>(int, int);
template <class T> held<T>::operator bool() const { return v != 0; }
template struct held<float>;
template struct held<double>;
template int sum<int>(int, int);

template <class K, class T> using table = std::map<K, T, std::less<K>, std::allocator<std::pair<const K, T>>>;
template <template <class, class, class...> class Map> static int filled()
{
    Map<std::string, int> m;
    m["one"] = 1;
    m["two"] = 2;
    return (int)m.size();
}

int main()
{
    held<float> a{1};
    held<double> b{0};
    table<int, const char *> t = {{2, "two"}, {1, "one"}};
    std::set<int, std::greater<int>, std::allocator<int>> s = {1, 3, 2};
    std::list<int, std::allocator<int>> l = {4, 5};
    std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, std::allocator<std::pair<const int, int>>> u = {{7, 8}};
    printf("%d %d %g %d %s %d %d %d %d %d\n", (bool)a, (bool)b, a.twice(), sum(2, 3), t.begin()->second, *s.begin(), l.back(), u[7], filled<std::map>(), filled<std::unordered_map>());
}
