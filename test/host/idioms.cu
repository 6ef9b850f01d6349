// What programs say of strings, numbers, containers and streams, as the library of g++ says it.
// OPTIONS: -std=c++17
#include <iostream>
#include <iomanip>
#include <fstream>
#include <sstream>
#include <vector>
#include <string>
#include <map>
#include <set>
#include <unordered_map>
#include <algorithm>
#include <numeric>
#include <functional>
#include <memory>
#include <random>
#include <chrono>
#include <cmath>
#include <cstring>
#include <queue>
#include <tuple>
#include <array>
#include <optional>
#include <limits>
struct P {
    int id;
    double w;
    std::string n;
    bool operator<(const P &o) const
    {
        return w < o.w;
    }
};
std::ostream &operator<<(std::ostream &o, const P &p)
{
    return o << '{' << p.id << ", " << p.w << ", " << std::quoted(p.n) << '}';
}
template <class T> T clampv(T v, T a, T b)
{
    return std::clamp(v, a, b);
}
__global__ void order(int *o)
{
    o[0] = std::make_tuple(1, 2.f) < std::make_tuple(1, 3.f);
    o[1] = std::make_tuple(2, 2.f) <= std::make_tuple(1, 3.f);
    o[2] = std::make_pair(1, 2) >= std::make_pair(1, 2);
}
int main(int argc, char **argv)
{
    int *out, h[3];
    cudaMalloc(&out, sizeof h);
    order<<<1, 1>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDefault);
    printf("%d %d %d\n", h[0], h[1], h[2]);
    fflush(stdout);
    std::vector<P> v{{3, 2.5, "c"}, {1, 0.5, "a"}, {2, 1.5, "b"}};
    std::sort(v.begin(), v.end());
    for (auto &p : v)
        std::cout << p << ' ';
    std::cout << '\n';
    std::stable_sort(v.begin(), v.end(), [](const P &a, const P &b) { return a.id > b.id; });
    std::cout << v[0] << '\n';
    std::cout << std::setw(10) << std::left << "ab" << '|' << std::right << std::setw(8)
              << std::setprecision(3) << std::fixed << 3.14159 << '|' << std::scientific
              << 12345.678 << '|' << std::hex << std::showbase << 255 << std::dec << '\n';
    std::cout << std::defaultfloat << std::setprecision(6) << 1e-5 << ' ' << 123456789.0 << ' '
              << 0.1f << ' ' << 1e20 << ' ' << 100000.0 << ' ' << 1000000.0 << ' ' << std::boolalpha
              << true << '\n';
    std::cout << std::setfill('0') << std::setw(5) << 42 << std::setfill(' ') << ' ' << std::showpos
              << 5 << std::noshowpos << ' ' << 1.0 / 0.0 << ' ' << std::nan("") << '\n';
    std::map<std::string, std::vector<int>> m;
    m["x"].push_back(1);
    m["y"] = {2, 3};
    m.emplace("z", std::vector<int>(2, 7));
    for (auto &[k, w] : m)
        std::cout << k << w.size() << w.back() << ' ';
    std::cout << m.count("q") << (m.find("y") != m.end()) << '\n';
    std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>> q;
    q.push({3, 1});
    q.push({1, 2});
    q.emplace(2, 9);
    while (!q.empty()) {
        std::cout << q.top().first << q.top().second << ' ';
        q.pop();
    }
    std::cout << '\n';
    std::mt19937 g(42);
    std::uniform_int_distribution<int> d(0, 99);
    std::uniform_real_distribution<float> r(0, 1);
    std::normal_distribution<double> nd(0, 1);
    std::cout << d(g) << ' ' << d(g) << ' ' << r(g) << ' ' << nd(g) << ' ' << nd(g) << ' ' << g()
              << '\n';
    std::vector<int> iv(10);
    std::iota(iv.begin(), iv.end(), 0);
    std::shuffle(iv.begin(), iv.end(), g);
    for (int x : iv)
        std::cout << x;
    std::cout << ' ' << std::accumulate(iv.begin(), iv.end(), 0) << ' '
              << *std::max_element(iv.begin(), iv.end()) << '\n';
    std::string s = "  Hello, World  ";
    s.erase(0, s.find_first_not_of(' '));
    s.erase(s.find_last_not_of(' ') + 1);
    std::transform(s.begin(), s.end(), s.begin(), ::toupper);
    std::cout << s << s.substr(7, 3) << s.find("WOR") << ' ' << std::to_string(3.5)
              << std::stoi("12x") << std::stod("1.25e2") << '\n';
    auto up = std::make_unique<int[]>(4);
    up[2] = 5;
    auto sp = std::make_shared<P>(P{9, 1, "q"});
    std::weak_ptr<P> wp = sp;
    std::cout << up[2] << sp.use_count() << wp.expired() << '\n';
    std::function<int(int)> f = [&](int n) { return n < 2 ? n : f(n - 1) + f(n - 2); };
    std::cout << f(15) << '\n';
    std::tuple<int, double, const char *> t{1, 2.5, "t"};
    auto [a, b, c] = t;
    std::cout << a << b << c << std::get<1>(t) << '\n';
    std::optional<int> o;
    std::cout << o.value_or(4) << o.has_value();
    o = 3;
    std::cout << *o << '\n';
    std::ostringstream os;
    os << std::setw(6) << std::setprecision(2) << std::fixed << 2.345 << "," << -0.0;
    std::cout << os.str() << '\n';
    std::cout << std::numeric_limits<float>::max() << ' ' << std::numeric_limits<int>::min() << ' '
              << std::numeric_limits<double>::epsilon() << '\n';
    std::set<int> st{5, 1, 3};
    auto it = st.lower_bound(2);
    std::cout << *it << *st.rbegin() << st.size() << '\n';
    std::unordered_map<int, int> um;
    for (int i = 0; i < 5; i++)
        um[i % 3] += i;
    std::cout << um[0] << um[1] << um[2] << um.size() << '\n';
    std::cout << std::flush;
    printf("%5.2f|%-8s|%08x|%+d|%e|%g|%lu|%%|%c|%p\n", 3.14159, "hi", 255, 7, 12345.678, 0.0001,
           5ul, 'z', (void *)0);
    fflush(stdout);
    try {
        std::vector<int> z;
        z.at(3);
    } catch (const std::out_of_range &e) {
        std::cout << "oor\n";
    }
    try {
        throw std::runtime_error("boom " + std::to_string(1));
    } catch (const std::exception &e) {
        std::cout << e.what() << '\n';
    }
    std::vector<std::vector<float>> M(3, std::vector<float>(4, 1.5f));
    M[1][2] = 2;
    float sum = 0;
    for (const auto &row : M)
        for (float x : row)
            sum += x;
    std::cout << sum << '\n';
    std::cout << clampv(5, 1, 3) << std::gcd(12, 18) << ' ' << std::hypot(3.0, 4.0) << ' '
              << std::round(2.5) << std::lround(-2.5) << std::fmod(7.5, 2) << '\n';
    auto last = std::unique(iv.begin(), iv.end());
    iv.erase(last, iv.end());
    std::nth_element(iv.begin(), iv.begin() + 5, iv.end());
    std::cout << iv[5] << std::count_if(iv.begin(), iv.end(), [](int x) { return x % 2; }) << '\n';
    char buf[64];
    snprintf(buf, sizeof buf, "%s_%03d.ppm", "img", 7);
    std::cout << buf << std::strlen(buf) << std::endl;
    std::cerr << "";
    std::cout << std::string(5, '=') << "\t" << (argc > 5) << '\n';
    return 0;
}
