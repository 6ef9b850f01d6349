// The standard library: containers, algorithms, streams, random numbers, threads, pointers, closures, virtual functions.
#include <iostream>
#include <iomanip>
#include <string>
#include <sstream>
#include <vector>
#include <map>
#include <set>
#include <algorithm>
#include <numeric>
#include <random>
#include <chrono>
#include <thread>
#include <mutex>
#include <atomic>
#include <queue>
#include <functional>
#include <memory>
#include <complex>
#include <optional>
#include <list>
struct shape { virtual double area() const = 0; virtual ~shape() { std::cout << "gone\n"; } };
struct square : shape { double a; square(double x) : a(x) {} double area() const override { return a * a; } };
struct circle : shape { double r; circle(double x) : r(x) {} double area() const override { return 3.0 * r * r; } };
int main() {
  std::cout << "hello " << 42 << ' ' << 3.14159265 << " " << true << std::endl;
  std::cout << std::fixed << std::setprecision(3) << 2.5 << std::setw(8) << 7 << std::hex << " " << 255 << std::dec << "\n";
  std::string s = "abc"; s += "def"; s = s + "-" + std::to_string(17);
  std::cout << s << " " << s.size() << " " << s.find("def") << " " << s.substr(2, 3) << std::endl;
  std::string longer; for (int i = 0; i < 50; i++) longer += char('a' + i % 26);
  std::cout << longer << "\n";
  std::map<std::string, int> m; m["x"] = 3; m["a"] = 1; m["q"]++; m["a"] += 5;
  for (const auto &[k, v] : m) std::cout << k << "=" << v << " ";
  std::set<int> st = {5, 1, 9, 1}; for (int x : st) std::cout << x << ' ';
  std::cout << "\n";
  std::mt19937 g(42); std::uniform_int_distribution<int> d(1, 100); std::uniform_real_distribution<float> f(0, 1); std::normal_distribution<double> n(0, 1);
  for (int i = 0; i < 5; i++) std::cout << d(g) << " " << f(g) << " " << n(g) << "  ";
  std::vector<int> v(20); std::iota(v.begin(), v.end(), 0); std::shuffle(v.begin(), v.end(), g);
  for (int x : v) std::cout << x << " ";
  std::cout << std::accumulate(v.begin(), v.end(), 0) << "\n";
  std::atomic<int> total(0); std::mutex mu; std::vector<std::thread> ts;
  for (int i = 0; i < 4; i++) ts.emplace_back([&, i] { for (int k = 0; k < 100; k++) total += i; std::lock_guard<std::mutex> l(mu); });
  for (auto &t : ts) t.join();
  std::cout << total << "\n";
  std::priority_queue<int> pq; for (int x : v) pq.push(x * 7 % 13); while (!pq.empty()) { std::cout << pq.top() << " "; pq.pop(); }
  std::function<int(int)> fn = [&](int x) { return x + (int)v.size(); }; std::cout << fn(1) << "\n";
  std::vector<std::unique_ptr<shape>> shapes; shapes.push_back(std::make_unique<square>(2)); shapes.push_back(std::make_unique<circle>(1));
  double sum = 0; for (auto &p : shapes) sum += p->area(); std::cout << sum << "\n";
  std::stringstream ss; ss << 12 << " word " << 1.5; int a; std::string w; double x; ss >> a >> w >> x; std::cout << a << w << x << "\n";
  std::complex<float> c(1, 2); c *= c; std::cout << c << std::abs(c) << "\n";
  auto t0 = std::chrono::steady_clock::now(); auto dt = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t0); std::cout << (dt.count() >= 0) << "\n";
  std::optional<int> o; o = 5; std::cout << *o << o.value_or(3) << "\n";
  std::list<int> l = {1, 2, 3}; l.push_front(0); for (int i : l) std::cout << i; std::cout << std::boolalpha << (l.size() == 4) << std::endl;
}
