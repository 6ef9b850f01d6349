// What programs take of the library beside containers: clocks, text, iterators of streams, tuples, bits, numbers.
// OPTIONS: -std=c++20
#include <algorithm>
#include <array>
#include <bitset>
#include <chrono>
#include <cmath>
#include <ctime>
#include <deque>
#include <forward_list>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <list>
#include <memory>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

static void clocks()
{
    using namespace std::chrono;
    auto d = 1h + 2min + 3s + 4ms;
    std::cout << duration_cast<milliseconds>(d).count() << " " << hours(5) / minutes(30) << " " << (7s % 4s).count() << " " << round<seconds>(2500ms).count() << floor<seconds>(-1ms).count() << "\n";
    steady_clock::time_point t, u = t + 5s;
    t += 2s;
    std::cout << (t < u) << (u - 3s == t) << duration<double>(u - t).count() << duration<float, std::milli>(1.5s).count() << "\n";
    std::tm day{};
    day.tm_year = 124;
    day.tm_mon = 1;
    day.tm_mday = 3;
    std::cout << std::put_time(&day, "%Y-%m-%d") << (system_clock::from_time_t(86400) - system_clock::time_point() == 24h) << "\n";
    std::timespec now;
    std::cout << (std::timespec_get(&now, TIME_UTC) == TIME_UTC && now.tv_sec > 1700000000) << "\n";
}

static void rests()
{
    int q = 0, p = 0;
    std::cout << std::remquo(7.5f, 2.0f, &q) << " " << (q & 7) << " " << std::remquo(-7.5, 2.0, &p) << " " << -(-p & 7) << " " << std::remquo(7.5L, 2.0L, &q) << "\n";
}

static void text()
{
    using namespace std::literals;
    std::cout << "a"s + "b" << "abc"sv.size() << std::hex << std::showbase << 255 << std::noshowbase << 255 << std::dec << std::setiosflags(std::ios::showpos) << 5 << std::resetiosflags(std::ios::showpos) << 5 << "\n";
    std::istringstream in("3 1 2");
    std::vector<int> v((std::istream_iterator<int>(in)), std::istream_iterator<int>());
    std::copy(v.begin(), v.end(), std::ostream_iterator<int>(std::cout, ","));
    std::istringstream all("two\nlines"), rest("all of it");
    std::string s((std::istreambuf_iterator<char>(all)), std::istreambuf_iterator<char>());
    std::ostringstream o;
    o << rest.rdbuf();
    std::cout << s.size() << o.str() << "\n";
    for (const char *number : {"12", "99999999999", "x"})
        try {
            std::cout << std::stoi(number) << "\n";
        } catch (const std::out_of_range &e) {
            std::cout << "range " << e.what() << "\n";
        } catch (const std::invalid_argument &e) {
            std::cout << "invalid " << e.what() << "\n";
        }
}

static void collections()
{
    std::list<int> l{3, 1, 2, 3}, m{9, 8};
    l.sort();
    l.unique();
    l.splice(l.begin(), m);
    l.remove(1);
    l.reverse();
    for (auto i = l.rbegin(); i != l.rend(); ++i)
        std::cout << *i;
    std::forward_list<int> f{1, 2};
    f.push_front(0);
    std::bitset<70> b(5);
    b.set(69);
    std::cout << std::distance(f.begin(), f.end()) << b.count() << (b << 1)[70 - 1 - 69] << std::bitset<8>("1011") << " " << (~std::bitset<5>(6)).to_ulong() << "\n";
    std::map<std::string, int> k{{"a", 1}};
    k.insert_or_assign("a", 2);
    std::cout << k["a"] << k.try_emplace("b", 3).second << k.try_emplace("b", 4).second << k["b"] << "\n";
    std::vector<int> v{1, 2, 3, 4};
    std::span<int> s(v);
    for (int &x : s.subspan(1, 2))
        x *= 10;
    std::cout << s.size() << v[1] << std::reduce(v.begin(), v.end()) << std::transform_reduce(v.begin(), v.end(), 0, std::plus<>(), [](int x) { return x + 1; }) << std::gcd(12, 18L) << "\n";
    std::vector<std::string> from{"x", "y"}, to(std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    std::vector<bool> bits(5);
    bits.flip();
    std::cout << to[1] << from[1].size() << bits[4] << "\n";
    try {
        std::array<int, 3> a{};
        a.at(v.size());
    } catch (const std::out_of_range &) {
        std::cout << "outside\n";
    }
}

static void several_of_a_key()
{
    std::unordered_multiset<int> s{1, 2, 2, 3, 2};
    for (int i = 0; i < 100; i++)
        s.insert(i % 40);
    auto twos = s.equal_range(2);
    std::cout << s.size() << " " << s.count(2) << " " << std::distance(twos.first, twos.second) << " " << s.erase(2) << " " << s.count(2) << " " << s.size();
    for (int k = 0; k < 40; k++)
        std::cout << s.count(k);
    std::unordered_multimap<std::string, int> m{{"a", 1}, {"b", 2}};
    m.emplace("a", 3);
    m.insert({"a", 4});
    m.erase(m.find("b"));
    int sum = 0, walked = 0;
    for (auto r = m.equal_range("a"); r.first != r.second; ++r.first)
        sum += r.first->second;
    for (int i = 0; i < 1000; i++) // tables grow with several of each
        m.emplace(std::to_string(i % 10), i);
    for (auto &x : m)
        walked += x.second;
    std::cout << " " << sum << " " << walked << " " << m.count("7") << " " << m.size() << (m.find("b") == m.end()) << "\n";
}

// A deleter's own pointers: numbers of things that are not memory.
struct slot {
    int n = 0;
    slot(std::nullptr_t = nullptr) {}
    explicit slot(int n) : n(n) {}
    explicit operator bool() const { return n != 0; }
    friend bool operator==(slot a, slot b) { return a.n == b.n; }
    friend bool operator!=(slot a, slot b) { return a.n != b.n; }
};
static int closed;
struct closing {
    using pointer = slot;
    void operator()(slot s) const { closed = closed * 10 + s.n; }
};
static void count_deleted(int *p) { closed += *p; delete p; }

static void owners()
{
    {
        std::unique_ptr<int, closing> a(slot(1)), b(slot(2)), c;
        std::cout << b.get().n << (bool)c;
        c = std::move(a);
        b.reset(slot(3));
        std::cout << closed << !a;
        std::unique_ptr<void, closing> d(slot(4));
        std::unique_ptr<char[], closing> e(slot(5));
        e.reset();
        e = nullptr;
        std::cout << closed;
    }
    std::cout << closed;
    closed = 0;
    {
        std::unique_ptr<int, void (*)(int *)> p(new int(7), count_deleted), q(std::move(p));
        std::unique_ptr<int, decltype(&count_deleted)> r(nullptr, &count_deleted);
        r.swap(q);
        auto f = [](int *x) { closed += 100 * *x; delete x; };
        std::unique_ptr<int, decltype(f)> s(new int(2), f);
        std::unique_ptr<int, decltype(f) &> t(new int(3), f);
    }
    std::cout << " " << closed << "\n";
}

static void tuples()
{
    std::tuple<int, float, std::string> t{1, 2.5f, "s"};
    auto both = std::tuple_cat(t, std::make_tuple('c'), std::tuple<long>(7));
    std::cout << std::get<float>(t) << std::get<std::string>(t) << std::get<3>(both) << std::get<4>(both) << std::tuple_size<decltype(both)>::value << "\n";
    int one = 1, two = 2, three = 3;
    std::deque<int> q{1, 2, 3};
    q.erase(q.begin() + 1);
    auto range = std::minmax({3, 1, 2});
    std::cout << (std::tie(one, two) < std::tie(one, three)) << (std::tie(one, two) == std::tie(two, one)) << *q.rbegin() << range.first << range.second << "\n";
    auto quiet = []() noexcept { return 3; };
    auto loud = [] { return 3; };
    static_assert(noexcept(quiet()) && !noexcept(loud()));
    try {
        try {
            throw std::invalid_argument("inner");
        } catch (...) {
            std::throw_with_nested(std::logic_error("outer"));
        }
    } catch (const std::exception &e) {
        std::cout << e.what();
        try {
            std::rethrow_if_nested(e);
        } catch (const std::exception &n) {
            std::cout << " of " << n.what() << "\n";
        }
    }
}

static void chance()
{
    std::mt19937 g(42);
    std::seed_seq words{1, 2, 3};
    std::mt19937 h(words);
    std::mt19937_64 wide(words);
    std::cout << h() << " " << wide() << " " << std::generate_canonical<double, 53>(g) << "\n";
    std::exponential_distribution<double> e(2);
    std::lognormal_distribution<double> l;
    std::gamma_distribution<double> a(2, 1), small(0.5, 2);
    std::cauchy_distribution<double> c;
    std::weibull_distribution<double> w(2, 3);
    std::geometric_distribution<int> q(0.3);
    std::poisson_distribution<int> p(4);
    std::discrete_distribution<int> d{1, 2, 3};
    for (int i = 0; i < 3; i++)
        std::cout << e(g) << " " << l(g) << " " << a(g) << " " << small(g) << " " << c(g) << " " << w(g) << " " << q(g) << " " << p(g) << " " << d(g) << "\n";
    std::poisson_distribution<int> large(100);
    std::binomial_distribution<int> trials(40, 0.25);
    double sum = 0, other = 0; // numbers of our own, as distributed
    for (int i = 0; i < 4000; i++) {
        sum += large(g);
        other += trials(g);
    }
    std::cout << (sum / 4000 > 99 && sum / 4000 < 101) << (other / 4000 > 9.7 && other / 4000 < 10.3) << "\n";
}

int main()
{
    clocks();
    rests();
    text();
    collections();
    several_of_a_key();
    owners();
    tuples();
    chance();
}
