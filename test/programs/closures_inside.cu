// OPTIONS: --extended-lambda
// Closures of the device with closures inside that name what they capture, and arrays among what is captured.
#include "check.h"

template <class F> __global__ void each(int n, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}
template <class F> __host__ __device__ int times(int n, F f)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    return sum;
}

struct Work {
    int *p, factor;
    void run()
    {
        int *q = p;
        int k = factor;
        // captured by name, by reference, with an initialiser, and by a closure inside a closure inside
        each<<<1, 32>>>(10, [=] __device__(int i) { q[i] = times(3, [q, i, k](int j) { return i + j * k; }); });
        each<<<1, 32>>>(10, [=] __device__(int i) { q[i + 10] = times(2, [&q, i](int j) { return q[i] + j; }); });
        each<<<1, 32>>>(10, [=] __device__(int i) {
            auto in = [q, k = k + 1, i] {
                auto deep = [q, k, i] { q[i + 20] = k; };
                deep();
            };
            in();
        });
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 10; i++)
            CHECK(q[i] == 3 * i + 3 * k && q[i + 10] == 2 * q[i] + 1 && q[i + 20] == k + 1);
    }
};

struct Pair {
    char name;
    double value;
};

static void arrays(int *p)
{
    const int weights[3] = {1, 10, 100};
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, last = 7;
    const Pair pairs[2] = {{'a', 0.5}, {'b', 1.5}};
    auto all = [=] __host__ __device__(int i) {
        const int at[2] = {i, i + 1}; // an index is no list of captures
        int own = at[last - 7];
        auto more = [own, last](int x) mutable { return own += x + last; };
        p[i] = weights[i % 3] + grid[1][i % 3] + (int)(pairs[i % 2].value * 2) + more(1) + pairs[1].name;
    };
    all(5);
    const int host = p[5];
    each<<<1, 32>>>(10, all);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[5] == host);
    for (int i = 0; i < 10; i++)
        CHECK(p[i] == weights[i % 3] + grid[1][i % 3] + (i % 2 ? 3 : 1) + i + 8 + 'b');
}

int main()
{
    int *p;
    CUDA(cudaMallocManaged(&p, 100 * sizeof *p));
    Work{p, 7}.run();
    arrays(p);
    puts("ok");
}
