// Maps and sets by hashing, walked through in GNU's order.
#include <cstdio>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>
__global__ void square(const int *x, int *y) { y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }
struct point {
    int x, y;
    bool operator==(const point &o) const { return x == o.x && y == o.y; }
};
template <> struct std::hash<point> {
    size_t operator()(const point &p) const { return (size_t)p.x * 31 + (size_t)p.y; }
};
int main()
{
    std::unordered_map<std::string, int> words;
    for (const char *w : {"the", "cat", "and", "the", "dog", "and", "a bird that is long enough for two words", "cat", "the"})
        words[w]++;
    for (const auto &[w, n] : words)
        printf("%s:%d ", w.c_str(), n);
    puts("");
    std::unordered_map<int, int> squares;
    int h[64], *d, *e;
    for (int k = 0; k < 64; k++)
        h[k] = (k * 37) % 101;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&e, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    square<<<1, 64>>>(d, e);
    std::vector<int> r(64);
    cudaMemcpy(r.data(), e, sizeof h, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 64; k++)
        squares.emplace(h[k], r[k]);
    for (int k = 0; k < 64; k += 3)
        squares.erase(h[k]);
    long sum = 0, place = 0;
    for (auto &p : squares)
        sum += ++place * p.first + p.second;
    printf("%zu of them, %ld, %zu buckets, %d\n", squares.size(), sum, squares.bucket_count(), squares.at(37));
    std::unordered_set<point> seen;
    int again = 0;
    for (int k = 0; k < 200; k++)
        again += !seen.insert({k % 7, k % 5}).second;
    auto copy = seen;
    seen.clear();
    printf("%d again, %zu and %zu, %s\n", again, seen.size(), copy.size(), copy.count({6, 4}) ? "there" : "not there");
    std::unordered_set<double> reals{1.5, -2.25, 0.0, 1e300};
    for (double x : reals)
        printf("%g ", x);
    std::unordered_map<std::string, std::vector<int>> lists = {{"one", {1}}, {"two", {1, 2}}};
    lists["two"].push_back(3);
    auto moved = std::move(lists);
    printf("%zu %zu %zu\n", moved["two"].size(), moved.size(), lists.size());
}
