// variant, any, optional, complex, algorithms: what tutorials take from the standard library.
#include <algorithm>
#include <any>
#include <complex>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <typeindex>
#include <variant>
#include <vector>

struct shape { std::string name; double size; };
struct say {
    void operator()(int i) const { printf("int %d\n", i); }
    void operator()(double d) const { printf("double %g\n", d); }
    void operator()(const std::string &s) const { printf("string %s\n", s.c_str()); }
};
int main()
{
    std::vector<std::variant<int, double, std::string>> all = {1, 2.5, std::string("three")};
    all.push_back("four");
    for (const auto &v : all)
        std::visit(say(), v);
    auto copy = all;
    copy[0] = 7.5;
    printf("%zu %zu %d %d %g\n", copy[0].index(), all[0].index(), std::holds_alternative<double>(copy[0]), copy == all, std::get<double>(copy[0]));
    try { std::get<int>(copy[0]); } catch (const std::bad_variant_access &) { printf("not an int\n"); }
    printf("%d %s\n", std::get_if<int>(&copy[0]) == nullptr, std::get<2>(copy[2]).c_str());
    const double area = std::visit([](auto &&x) -> double { if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::string>) return x.size(); else return x * 2; }, copy[2]);
    std::any a = 5, b = std::string("any"), c;
    printf("%g %d %s %d %d\n", area, std::any_cast<int>(a), std::any_cast<std::string>(b).c_str(), c.has_value(), a.type() == typeid(int));
    try { std::any_cast<double>(a); } catch (const std::bad_any_cast &e) { printf("%s\n", e.what()); }
    std::optional<shape> s;
    printf("%d ", s.has_value());
    s = shape{"circle", 2};
    printf("%s %g %d\n", s->name.c_str(), s.value().size, std::type_index(typeid(s)) == std::type_index(typeid(shape)));
    const std::complex<double> z(3, 4);
    printf("%g %g %.12g %.12g %.12g\n", std::abs(z), std::norm(z), std::sqrt(z).real(), std::exp(z).imag(), (z / (1.0 - z)).real());
    std::vector<int> x = {5, 3, 1, 4}, y = {1, 2, 3}, o;
    std::sort(x.begin(), x.end());
    std::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(o));
    for (int i : o)
        printf("%d ", i);
    printf("%td %d\n", std::find_first_of(x.begin(), x.end(), y.begin() + 2, y.end()) - x.begin(), std::prev_permutation(x.begin(), x.end()));
    auto [p, q] = std::make_tuple(1, std::string("tuple"));
    printf("%d %s %s\n", p, q.c_str(), std::string("a,b;c").substr(std::string("a,b;c").find_last_of(",;")).c_str());
}
