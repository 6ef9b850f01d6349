// More of the standard library: what other headers of it bring along, reductions, durations, streams as iterators.
// OPTIONS: -std=c++17
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>
using namespace std::chrono_literals;
static void numbers()
{
    std::vector<int> v(6);
    std::iota(v.begin(), v.end(), 1); // <random> has <numeric>, <cmath> std::min
    std::printf("%d %d %g\n", std::min(3, v[1]), std::max(v[0], 7), std::max(1.5, std::fabs(-2.0)));
    std::printf("%d %d %d\n", std::reduce(v.begin(), v.end()), std::reduce(v.begin(), v.end(), 10), std::reduce(v.begin(), v.end(), 1, std::multiplies<int>()));
    std::printf("%d %d %d\n", std::transform_reduce(v.begin(), v.end(), v.begin(), 0), std::transform_reduce(v.begin(), v.end(), 0, std::plus<int>(), [](int x) { return x * x; }), std::inner_product(v.begin(), v.end(), v.begin(), 1, std::multiplies<int>(), std::plus<int>()));
    std::vector<int> w(6);
    std::inclusive_scan(v.begin(), v.end(), w.begin(), std::multiplies<int>());
    std::copy(w.begin(), w.end(), std::ostream_iterator<int>(std::cout, " "));
    std::exclusive_scan(v.begin(), v.end(), w.begin(), 1, std::multiplies<int>());
    std::copy(w.begin(), w.end(), std::ostream_iterator<int>(std::cout, ","));
    std::adjacent_difference(w.begin(), w.end(), v.begin(), std::plus<int>());
    std::copy(v.begin(), v.end(), std::ostream_iterator<int>(std::cout));
    std::cout << std::endl;
    std::printf("%d %g %g\n", (int)std::isnan(std::nanf("")), std::atan2(0.0f, 1.0f), std::log2f(8));
}
static void times()
{
    auto d = std::chrono::milliseconds(12345);
    std::printf("%ld %ld %ld\n", (long)(d % 1000).count(), (long)(d % 7ms).count(), (long)(2 * d).count());
    std::printf("%ld %ld %g\n", (long)std::chrono::seconds(2min).count(), (long)std::chrono::minutes(3h).count(), (double)(1.5s).count());
    std::chrono::system_clock::time_point t = std::chrono::system_clock::from_time_t(86400);
    t -= 10s;
    std::printf("%d %ld %d\n", t == t, (long)std::chrono::system_clock::to_time_t(t - 5s), t != t + 1s);
    std::time_t at = 0;
    std::cout << std::put_time(std::gmtime(&at), "%Y-%m-%d %H:%M:%S") << "|" << std::put_time(std::gmtime(&at), "") << "|\n";
    ++d;
    d %= 1000;
    std::cout << d.count() << std::setiosflags(std::ios::fixed) << std::setprecision(2) << " " << 1.0 << std::resetiosflags(std::ios::fixed) << std::endl;
}
int main()
{
    numbers();
    times();
    std::istringstream in("3 1 4 1 5");
    std::vector<int> read((std::istream_iterator<int>(in)), std::istream_iterator<int>());
    std::printf("%zu %d\n", read.size(), read[4]);
    const char text[] = "abcdef";
    std::string s;
    s.assign(text + 1, text + 4);
    std::string r;
    r.assign(s.rbegin(), s.rend());
    std::string q;
    q.assign(r, 1, 2);
    std::printf("%s %s %s\n", s.c_str(), r.c_str(), q.c_str());
}
