// More kinds of host code than host.cu has: integers, virtual calls, recursion, copies of structures, pointers, text.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <queue>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include "loops.h"

static double integers(int n) // remainders, shifts and a table
{
    uint32_t table[256], sum = ~0u;
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t c = k;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[k] = c;
    }
    uint64_t x = 88172645463325252ull, all = 0;
    for (int i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        sum = table[(sum ^ x) & 255] ^ sum >> 8;
        all += x % 1000003 + sum / (1 + (i & 15));
    }
    return (double)(all % 1000000007) + sum;
}
static double matrices(int n) // rows of pointers, doubles
{
    std::vector<std::vector<double>> a(n, std::vector<double>(n)), b = a, c = a;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = i + j % 3, b[i][j] = i - j % 5;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i][j] += a[i][k] * b[k][j];
    double trace = 0;
    for (int i = 0; i < n; i++)
        trace += c[i][i];
    return trace;
}
static double pushing(int n) // elements of many vectors, sorted by a lambda
{
    struct item { int key; float weight; };
    std::vector<std::vector<item>> buckets(64);
    uint32_t x = 1;
    for (int i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        buckets[x >> 26].push_back({(int)(x >> 3 & 0xfffff), (float)i});
    }
    double sum = 0;
    for (auto &b : buckets) {
        std::sort(b.begin(), b.end(), [](const item &p, const item &q) { return p.key < q.key || (p.key == q.key && p.weight < q.weight); });
        for (size_t i = 0; i < b.size(); i += 7)
            sum += b[i].key * 0.5 + b[i].weight;
    }
    return sum;
}
struct shape { virtual ~shape() {} virtual double area() const = 0; virtual int corners() const { return 0; } };
struct square : shape { double a; explicit square(double s) : a(s) {} double area() const override { return a * a; } int corners() const override { return 4; } };
struct disc : shape { double r; explicit disc(double s) : r(s) {} double area() const override { return 3.25 * r * r; } };
struct triangle : shape { double a, h; explicit triangle(double s) : a(s), h(s / 2) {} double area() const override { return a * h / 2; } int corners() const override { return 3; } };
static double virtuals(int n)
{
    std::vector<std::unique_ptr<shape>> all;
    for (int i = 0; i < 1000; i++)
        if (i % 3 == 0)
            all.push_back(std::make_unique<square>(i));
        else if (i % 3 == 1)
            all.push_back(std::make_unique<disc>(i));
        else
            all.push_back(std::make_unique<triangle>(i));
    double sum = 0;
    for (int k = 0; k < n; k++)
        for (const auto &s : all)
            sum += s->area() + s->corners();
    return sum;
}
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int queens(int n, unsigned columns, unsigned left, unsigned right)
{
    const unsigned all = (1u << n) - 1;
    if (columns == all)
        return 1;
    int count = 0;
    for (unsigned open = all & ~(columns | left | right); open; open &= open - 1) {
        const unsigned bit = open & (0u - open);
        count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}
static double recursion(int n) { return fibonacci(n) + queens(9, 0, 0, 0); }
struct body { double x[3], v[3]; int id, cell; };
static body moved(const body &b, double t)
{
    body r = b;
    for (int k = 0; k < 3; k++)
        r.x[k] += t * r.v[k];
    r.cell = (int)r.x[0] & 15;
    return r;
}
static double copies(int n)
{
    std::vector<body> a(n), b;
    for (int i = 0; i < n; i++)
        a[i] = {{i * 0.5, i * 0.25, 1}, {1, 0.5, i % 3 * 0.1}, i, 0};
    for (int step = 0; step < 30; step++) {
        b.clear();
        for (const body &p : a)
            b.push_back(moved(p, 0.01));
        std::swap(a, b);
        for (int i = 1; i < n; i += 2)
            std::swap(a[i], a[i - 1]);
    }
    double sum = 0;
    for (const body &p : a)
        sum += p.x[2] * (p.cell + 1) + p.id;
    return sum;
}
static double counting(int n) // unordered_map, priority_queue: distances in a graph
{
    std::vector<std::vector<std::pair<int, int>>> edges(n);
    uint32_t x = 7;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            x = x * 1664525 + 1013904223;
            edges[i].push_back({(int)((x >> 8) % n), (int)(x >> 28) + 1});
        }
    std::unordered_map<int, int> far;
    std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<std::pair<int, int>>> open;
    open.push({0, 0});
    while (!open.empty()) {
        const auto [d, at] = open.top();
        open.pop();
        if (far.count(at))
            continue;
        far[at] = d;
        for (const auto &[to, cost] : edges[at])
            open.push({d + cost, to});
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += far.count(i) ? far[i] : 0;
    return sum;
}
static double splitting(int n) // text into words, words into numbers
{
    std::string all;
    for (int i = 0; i < n; i++)
        all += (i % 3 ? "alpha," : "b,") + std::to_string(i) + (i % 5 ? ";" : "\n");
    std::vector<std::string> words;
    size_t from = 0;
    for (size_t at = all.find_first_of(",;\n"); at != std::string::npos; at = all.find_first_of(",;\n", from)) {
        words.push_back(all.substr(from, at - from));
        from = at + 1;
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    long sum = 0;
    for (const auto &w : words)
        sum = (sum * 31 + (w[0] <= '9' ? std::stoi(w) : (long)w.size())) % 1000003;
    return sum + words.size();
}
struct node { int key; std::unique_ptr<node> left, right; };
static void put(std::unique_ptr<node> &at, int key)
{
    if (!at) {
        at.reset(new node{key, nullptr, nullptr});
        return;
    }
    put(key < at->key ? at->left : at->right, key);
}
static long depths(const node *at, int depth) { return at ? depth + depths(at->left.get(), depth + 1) + depths(at->right.get(), depth + 1) : 0; }
static double trees(int n)
{
    std::unique_ptr<node> root;
    std::list<int> order;
    uint32_t x = 99;
    for (int i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        put(root, x >> 1);
        order.push_front(x >> 9);
    }
    order.sort();
    return depths(root.get(), 0) + std::accumulate(order.begin(), order.end(), 0.0);
}
static double callables(int n) // std::function and lambdas by template
{
    std::vector<std::function<long(long)>> steps;
    for (int k = 0; k < 16; k++)
        steps.push_back([k](long v) { return (v * (k + 3) + k) & 0xffffff; });
    std::array<long, 64> a;
    for (int i = 0; i < 64; i++)
        a[i] = i;
    for (int i = 0; i < n; i++)
        std::transform(a.begin(), a.end(), a.begin(), steps[i & 15]);
    return std::accumulate(a.begin(), a.end(), 0L);
}
static double machine(int n) // a switch in a loop
{
    static const unsigned char code[] = {0, 5, 1, 3, 2, 4, 3, 1, 4, 0, 5, 2, 2, 3, 6};
    long a = 1, b = 2, count = 0;
    for (int turn = 0; turn < n; turn++)
        for (size_t at = 0;; at++) {
            switch (code[at]) {
            case 0: a += b; continue;
            case 1: b ^= a << 3; continue;
            case 2: a -= b >> 2; continue;
            case 3: count += a & 1; continue;
            case 4: b = b * 5 + 1; continue;
            case 5: a ^= turn; continue;
            default: break;
            }
            break;
        }
    return (double)(((a ^ b) & 0xffff) + count);
}

int main(int argc, char **argv)
{
    const loop all[] = {
        {"integers", integers, 3000000}, {"matrices", matrices, 200}, {"pushing", pushing, 300000}, {"virtuals", virtuals, 2000}, {"recursion", recursion, 30},
        {"copies", copies, 5000}, {"counting", counting, 20000}, {"splitting", splitting, 50000}, {"trees", trees, 30000}, {"callables", callables, 50000}, {"machine", machine, 200000}};
    run_loops(all, argc, argv);
}
