// Arrays whose sizes are known at run time only, as g++ has them in C++.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct told {
    int n;
    told() : n(7) { puts("made"); }
    ~told() { puts("gone"); }
};

template <class T> T last(int n)
{
    T a[n];
    for (int i = 0; i < n; i++)
        a[i] = (T)(i * i);
    return a[sizeof a / sizeof a[0] - 1];
}

static int deep(int n)
{
    int a[n];
    a[n - 1] = n;
    return n == 1 ? a[0] : deep(n - 1) + a[n - 1];
}

static void leaves(int n)
{
    told a[n];
    if (n == 2)
        throw std::runtime_error("left");
    printf("%d of %zu\n", a[n - 1].n, sizeof a / sizeof(told));
}

__global__ void twice(int *p, int n)
{
    if ((int)threadIdx.x < n)
        p[threadIdx.x] *= 2;
}

int main(int argc, char **)
{
    const int n = argc + 2; // 5
    int a[n], other = 3;
    for (int i = 0; i < n; i++)
        a[i] = n - i;
    printf("%zu %d %d %d\n", sizeof a, a[0], *(a + 1), other);
    std::sort(a, a + n);
    for (int x : a)
        printf("%d ", x);
    for (int &x : a)
        x += 10;
    puts("");
    auto sum = [&] { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; };
    printf("%d %d %g\n", sum(), last<int>(n), last<double>(n + 1));

    char name[n * 2 + 1];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    printf("%s %zu\n", name, strlen(name));

    float rows[n][3];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            rows[i][j] = i + 0.5f * j;
    printf("%g %zu %zu\n", rows[n - 1][2], sizeof rows, sizeof rows[0]);

    double grid[n][n + 1], total = 0;
    memset(grid, 0, sizeof grid);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            grid[i][j] += i * 10 + j;
    for (int i = 0; i < n; i++)
        for (double x : grid[i])
            total += x;
    const double *row = grid[2];
    printf("%g %g %zu %zu %zu\n", total, row[3], sizeof grid, sizeof grid[0], sizeof grid / sizeof grid[0]);
    short cube[2][n][3];
    cube[1][n - 1][2] = 9;
    printf("%d %zu %zu\n", cube[1][n - 1][2], sizeof cube, sizeof cube[0][0]);

    int zero[n] = {}, some[n] = {1, 2};
    std::string words[n] = {"one", "two"};
    std::vector<int> lists[n];
    lists[n - 1].push_back(4);
    printf("%d %d %d %d %s %s %zu\n", zero[0] + zero[n - 1], some[0], some[1], some[n - 1], words[1].c_str(), words[2].c_str(), lists[n - 1].size());

    for (int k = 0; k < 20000; k++) { // given back at the end of each turn
        char large[60000 + n];
        large[0] = large[sizeof large - 1] = (char)k;
        if (k == 19999)
            printf("%d\n", large[0] + large[sizeof large - 1]);
        if (k % 2)
            continue;
    }
    printf("%d\n", deep(100));
    leaves(1);
    try {
        leaves(2);
    } catch (const std::exception &e) {
        puts(e.what());
    }
    std::thread threads[n];
    for (int i = 0; i < n; i++)
        threads[i] = std::thread([&a, i] { a[i] = 100 + i; });
    for (auto &t : threads)
        t.join();
    cudaStream_t streams[n];
    for (cudaStream_t &s : streams)
        cudaStreamCreate(&s);
    int *d;
    cudaMalloc(&d, sizeof a);
    cudaMemcpyAsync(d, a, sizeof a, cudaMemcpyHostToDevice, streams[1]);
    twice<<<1, 32, 0, streams[1]>>>(d, n);
    cudaMemcpyAsync(a, d, sizeof a, cudaMemcpyDeviceToHost, streams[1]);
    cudaStreamSynchronize(streams[1]);
    for (int i = 0; i < n; i++)
        cudaStreamDestroy(streams[i]);
    printf("%d %d\n", a[0], a[n - 1]);
}
