// Vectors of all kinds of elements, algorithms over them, owning pointers.
#include <algorithm>
#include <vector>
#include <cstdio>
#include <memory>
struct N { int x; N(int a) : x(a) {} N(const N &o) : x(o.x) { } ~N() { } };
int main() {
  std::vector<int> v = {3, 1, 2};
  for (int i = 0; i < 40; i++) v.push_back((i * 37) % 41);
  std::sort(v.begin(), v.end());
  for (int x : v) printf("%d ", x);
  std::vector<float> f(10, 1.5f);
  f.resize(20);
  printf("\n%zu %g %g\n", f.size(), f[9], f.back());
  std::vector<std::vector<int>> vv(3, std::vector<int>(4, 7));
  vv[1][2] = 5; vv.emplace_back(2);
  printf("%d %zu\n", vv[1][2], vv.back().size());
  std::vector<N> n; n.reserve(2); n.emplace_back(4); n.push_back(N(5)); n.insert(n.begin(), N(9)); n.erase(n.begin() + 1);
  for (auto &e : n) printf("%d ", e.x);
  std::vector<bool> b(5); b[2] = true; auto r = b[3]; r = true; int c = 0; for (bool x : b) c += x;
  auto p = std::make_unique<N>(11); auto q = std::make_shared<N>(12); auto q2 = q;
  printf("%d %d %d %ld\n", c, p->x, q2->x, q.use_count());
  auto it = std::find_if(v.begin(), v.end(), [&](int x) { return x > c + 5; });
  printf("%d %ld\n", *it, it - v.begin());
}
