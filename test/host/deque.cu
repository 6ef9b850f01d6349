// std::deque and what stands on it: elements stay where they are while others come and go at either end.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <functional>
#include <queue>
#include <stack>
#include <string>
#include <vector>

struct counted {
    static int alive;
    int v;
    explicit counted(int v) : v(v) { alive++; }
    counted(const counted &o) : v(o.v) { alive++; }
    counted &operator=(const counted &) = default;
    ~counted() { alive--; }
};
int counted::alive = 0;

static void references()
{
    std::deque<std::string> d;
    d.push_back("first");
    std::string &kept = d.front();
    for (int i = 0; i < 1000; i++) {
        d.push_back(std::to_string(i));
        d.push_front(std::to_string(-i));
    }
    kept += ", still";
    printf("%s %s %s %zu\n", d[1000].c_str(), d.front().c_str(), d.back().c_str(), d.size());
}

static void breadth_first()
{
    struct node { int at, depth; };
    std::queue<node> q;
    q.push({1, 0});
    int seen = 0, deepest = 0;
    while (!q.empty()) {
        const node &n = q.front(); // and is read after others were pushed
        for (int k = 0; k < 3 && n.depth < 6; k++)
            q.push({n.at * 3 + k, n.depth + 1});
        seen += n.at % 7;
        deepest = std::max(deepest, n.depth);
        q.pop();
    }
    printf("%d %d\n", seen, deepest);
}

static void as_a_queue()
{
    {
        std::deque<counted> d;
        long sum = 0;
        for (int i = 0; i < 10000; i++) {
            d.emplace_back(i);
            if (i % 3) {
                sum += d.front().v;
                d.pop_front();
            }
        }
        printf("%zu %ld %d\n", d.size(), sum, counted::alive);
        std::deque<counted> copy(d), moved(std::move(d));
        d = copy;
        copy.erase(copy.begin() + 10, copy.end() - 10);
        copy.insert(copy.begin() + 3, 5, counted(-1));
        printf("%zu %zu %zu %d\n", d.size(), copy.size(), moved.size(), counted::alive);
        for (const counted &c : copy)
            printf("%d ", c.v);
        puts("");
    }
    printf("%d\n", counted::alive);
}

static void iterators()
{
    std::deque<int> d(300);
    for (size_t i = 0; i < d.size(); i++)
        d[i] = (int)(i * 7919 % 1000);
    std::sort(d.begin(), d.end(), std::greater<int>());
    const std::deque<int> &c = d;
    std::deque<int>::const_iterator i = d.begin() + 250;
    printf("%d %d %td %td %d %d\n", *i, i[-200], i - c.begin(), c.end() - i, i < c.end(), *(d.rbegin() + 3));
    i -= 249;
    printf("%d %d %d\n", *i, *std::lower_bound(d.begin(), d.end(), 500, std::greater<int>()), std::is_sorted(d.rbegin(), d.rend()));
    d.insert(d.begin() + 1, {1, 2, 3});
    d.erase(d.begin());
    d.resize(5);
    d.resize(7, 9);
    for (int x : d)
        printf("%d ", x);
    std::deque<int> e{4, 5}, f(e.begin(), e.end());
    e.swap(d);
    printf("| %zu %zu %d %d\n", d.size(), e.size(), d == f, f < e);
}

int main()
{
    references();
    breadth_first();
    as_a_queue();
    iterators();
    std::stack<std::string> s;
    s.push("a");
    s.emplace(3, 'b');
    const auto &same = s;
    printf("%s %zu\n", same.top().c_str(), s.size());
    std::vector<int> v{5, 1, 4};
    std::priority_queue<int, std::vector<int>, std::greater<int>> p(v.begin(), v.end());
    p.push(3);
    for (; !p.empty(); p.pop())
        printf("%d ", p.top());
    std::queue<int> a(std::deque<int>{1, 2}), b = a;
    b.push(3);
    a.swap(b);
    printf("%zu %zu %d\n", a.size(), b.size(), a == b);
}
