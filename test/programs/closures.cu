// OPTIONS: --extended-lambda
// Closures for the device, written in host code and handed to kernel templates.
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <utility>
#include <vector>
#include "check.h"

template <class F> __global__ void each(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}
template <class F> void parallel_for(int n, F f)
{
    each<<<(n + 63) / 64, 64>>>(n, f);
    CUDA(cudaDeviceSynchronize());
}
template <class T, class F, class G> __global__ void map(T *out, int n, F f, G g)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = g(f(i), T(i));
}
struct point {
    float x, y;
};
__device__ float scale = 2;
__host__ __device__ float half_of(float x) { return x / 2; }

template <class T, int N> void in_template(T *out, T start)
{
    using value = T;
    constexpr int width = N * 2;
    parallel_for(width, [=] __device__(int i) {
        value local[width];
        for (int k = 0; k < width; k++)
            local[k] = start + T(k);
        out[i] = local[width - 1 - i];
    });
}

// The types of the function around may be a pack; a parameter of the closure hides one of its.
template <class T, class... More> __global__ void each_with(int n, T f, More... more)
{
    if ((int)threadIdx.x < n)
        f(threadIdx.x, more...);
}
template <class F, class... More> void twice(int *out, F f, More... more)
{
    auto k = [=] __device__(int i, More... more) { out[i] = 2 * f(i, more...); };
    each_with<<<1, 32>>>(20, k, more...);
    CUDA(cudaDeviceSynchronize());
}

class field {
    typedef int whole;
    enum { STEP = 7 };
    int *data;
    int n;

public:
    field(int count) : n(count) { CUDA(cudaMallocManaged(&data, n * sizeof *data)); }
    void fill(int value)
    {
        int *p = data;
        parallel_for(n, [p, v = value + 1] __device__(int i) { p[i] = v * i; });
    }
    // Types of the class; names that the body declares elsewhere, or in a class of its own.
    void shift(int by, int most)
    {
        enum { FIRST = 2 };
        int *p = data, sum = by * 2;
        {
            typedef float whole;
            (void)sizeof(whole);
        }
        parallel_for(n, [=] __device__(int i) {
            union {
                int by;
                float f;
            } u;
            u.by = min(i * by, most);
            whole x = u.by + STEP + FIRST;
            if (i > 1) {
                int sum = i;
                x += sum;
            }
            p[i] = x + sum;
        });
    }
    int operator[](int i) const { return data[i]; }
};

namespace deep {
namespace {
void run(int *out)
{
    parallel_for(32, [out] __device__(int i) { out[i] = -i; });
}
} // namespace
} // namespace deep

#define FOR(i, n, ...) parallel_for(n, [=] __device__(int i) { __VA_ARGS__ })

namespace named {
template <class T> struct view {
    T *p;
    __host__ __device__ T &operator[](int i) const { return p[i]; }
};
}
__device__ int weight = 100;
__device__ int limit(int i) { return 10 * i; }

int main()
{
    const int n = 100;
    float *a, *b;
    CUDA(cudaMallocManaged(&a, n * sizeof *a));
    CUDA(cudaMallocManaged(&b, n * sizeof *b));
    float k = 0.5f, unused = 1;
    const float c = k * 3;
    point p{1, 2}, *pp = nullptr;
    (void)pp, (void)unused;
    parallel_for(n, [=] __device__(int i) {
        int k2 = i * 2; // a name of its own
        a[i] = k * k2 + p.y + c;
    });
    for (int i = 0; i < n; i++)
        CHECK(a[i] == i + 2 + 1.5f);
    FOR(i, n, b[i] = a[i] * scale; a[i] = half_of(b[i]) + n;);
    CHECK(b[3] == 2 * 6.5f && a[3] == 6.5f + 100);

    // For both sides: the host can call it, too.
    auto square = [=] __host__ __device__(float x) { return x * x + c; };
    CHECK(square(3) == 10.5f);
    parallel_for(n, [=] __device__(int i) { a[i] = square((float)i); });
    CHECK(a[4] == 17.5f);

    // No capture, a result type, generic parameters, mutable, one in an argument list with another.
    map<<<1, 64>>>(a, 64, [] __device__(int i) -> double { return i * 1.5; },
                   [=] __device__(auto x, auto y) mutable {
                       k += 1;
                       return (float)x + y * k;
                   });
    CUDA(cudaDeviceSynchronize());
    CHECK(a[10] == 15 + 10 * 1.5f && k == 0.5f);

    float *t = a;
    in_template<float, 4>(t, 10);
    CHECK(a[0] == 17 && a[7] == 10);
    int *d;
    CUDA(cudaMallocManaged(&d, 64 * sizeof *d));
    in_template<int, 8>(d, 1);
    CHECK(d[0] == 16 && d[15] == 1);
    deep::run(d);
    CHECK(d[31] == -31);
    field f(40);
    f.fill(6);
    CHECK(f[3] == 21);
    f.shift(5, 50);
    CHECK(f[1] == 5 + 9 + 10 && f[3] == 15 + 9 + 3 + 10 && f[30] == 50 + 9 + 30 + 10);

    twice(d, [] __device__(int i, int a, float b) { return i + a + int(b); }, 5, 7.5f);
    CHECK(d[3] == 30);
    twice(d, [=] __device__(int i) { return i - n; });
    CHECK(d[19] == -162);

    // Types of the function around, in parameters and results.
    typedef int index;
    using pair = int2;
    parallel_for(8, [=] __device__(index i) -> pair {
        d[i] = i * 3;
        return pair{i, i};
    });
    CHECK(d[7] == 21);

    // Inside other blocks and closures of the host.
    std::vector<int> counts{1, 2, 3};
    int total = 0;
    for (int count : counts) {
        auto add = [&](int more) {
            int sum = count + more;
            parallel_for(1, [=] __device__(int i) { d[i] = sum; });
            total += d[0];
        };
        add(count * 10);
    }
    CHECK(total == 66);
    // Locals of every way to declare one; names that are not in force any more.
    named::view<int> view{d};
    const auto &[first, second] = std::pair<int, float>(5, 6.5f);
    decltype(first) third = 7;
    [&](int weight, int limit) { total = weight + limit; }(1, 2);
    for (int weight = 0; weight < 3; weight++)
        total += weight;
    parallel_for(4, [=] __device__(int i) { view[i] = i + first + int(second) + third + weight; });
    CHECK(d[3] == 121);
    parallel_for(4, [=] __device__(int i) {
        auto add = [=](int third, int weight) { return third + weight; };
        view[i] = add(1, 2) + third + limit(i);
    });
    CHECK(d[3] == 40);

    /* What the two halves make of the C library's macros differs. */
    parallel_for(4, [=] __device__(int i) {
        assert(i < 4 && "four of them");
        d[i] = (i < INT_MAX) + (d != NULL) + (float)M_PI + (FLT_MAX < INFINITY);
    });
    CHECK(d[3] == 6);
    puts("ok");
}
