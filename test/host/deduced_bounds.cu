// Bounds of arrays are deduced beside parameters that are given; (T()).member is no cast; vectors of what cannot be assigned.
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>
template <class C, size_t N> size_t length(const C (&)[N]) { return N; }
template <class C, size_t N> C last(C (&a)[N]) { return a[N - 1]; }
struct four { int n = 4; int twice() const { return 2 * n; } };
struct fixed {
    const int id;
    explicit fixed(int n) : id(n) {}
    fixed(const fixed &) = default;
    fixed &operator=(const fixed &) = delete;
};
int main()
{
    int x[3] = {1, 2, 3};
    printf("%zu %zu %d\n", length<char>("abc"), length<int>(x), last<int>(x));
    printf("%d %d\n", (four()).twice(), (four()).n);
    std::vector<fixed> a;
    for (int k = 0; k < 5; k++)
        a.emplace_back(k * k);
    const std::vector<fixed> b(a), c(a.begin() + 1, a.end()), d{fixed(7), fixed(8)};
    printf("%zu %d %zu %d %d\n", b.size(), b[4].id, c.size(), c[0].id, d[1].id);
    std::map<std::string, int, std::less<>> m{{"a", 1}, {"b", 2}, {"c", 3}};
    printf("%d %zu\n", m.find(std::string_view("b"))->second, m.count("zz"));
    m.erase(m.begin());
    m.erase(m.find("c"));
    std::string k = "key";
    m[std::move(k)] = 9;
    for (auto i = m.crbegin(); i != m.crend(); ++i)
        printf("%s %d\n", i->first.c_str(), i->second);
    std::set<int> s{5, 3, 9, 1};
    s.erase(s.begin());
    s.erase(s.find(5), s.end());
    std::set<int> t = std::move(s);
    t.emplace_hint(t.end(), 7);
    const std::set<int> &r = t;
    printf("%d %d %zu\n", *r.rbegin(), t < std::set<int>{4}, t.size());
    printf("%d\n", std::map<int, int>().value_comp()({1, 5}, {2, 0}));
#ifdef __cpp_exceptions
    puts("exceptions");
#endif
}
