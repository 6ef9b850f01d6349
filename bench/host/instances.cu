// Many instances of the standard library's templates: what it costs to compile them.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

template <int N> struct item {
    int key;
    std::array<float, N> part;
    std::string name;
    bool operator<(const item &o) const { return key < o.key; }
};
template <int N> static long use(int n)
{
    std::vector<item<N>> v;
    std::vector<std::vector<short>> rows(N);
    std::map<int, item<N>> by_key;
    for (int i = 0; i < n; i++) {
        item<N> t{i * 7919 % 1009, {}, "item " + std::to_string(i)};
        t.part[i % N] = (float)i;
        v.push_back(t);
        rows[i % N].push_back((short)i);
        by_key.emplace(t.key, t);
    }
    std::sort(v.begin(), v.end());
    v.insert(v.begin() + n / 2, v.back());
    v.erase(v.begin());
    v.resize(v.size() + 3);
    std::reverse(v.begin(), v.end());
    const auto big = std::find_if(v.begin(), v.end(), [](const item<N> &t) { return t.key > 500; });
    long sum = big - v.begin() + (long)by_key.size();
    for (const auto &t : v)
        sum = sum * 31 % 1000003 + t.key + (long)t.part[0] + (long)t.name.size();
    for (const auto &r : rows)
        sum += (long)r.size();
    return sum;
}
template <int... N> static long all(std::integer_sequence<int, N...>)
{
    long sum = 0;
    for (const long k : {use<N + 1>(40 + N)...})
        sum += k;
    return sum;
}
int main() { printf("%ld\n", all(std::make_integer_sequence<int, 24>())); }
