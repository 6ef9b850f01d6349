// The algorithms of cuda::std, and reverse iterators, in kernels: the host has the same answer.
#include <cuda/std/algorithm>
#include <cuda/std/iterator>
#include <cuda/std/numeric>
#include <cuda/std/functional>
#include "check.h"
namespace cs = cuda::std;
__host__ __device__ int go()
{
    int a[10] = {5, 3, 9, 1, 7, 2, 8, 0, 6, 4}, b[10], r = 0;
    cs::sort(a, a + 10, cs::greater<>());
    r = r * 3 + (a[0] == 9 && cs::is_sorted(a, a + 10, cs::greater<int>()));
    cs::reverse_copy(a, a + 10, b);
    r = r * 3 + (*cs::lower_bound(b, b + 10, 4) == 4);
    r = r * 3 + (int)cs::count_if(b, b + 10, [](int x) { return x % 2 == 0; });
    cs::rotate(b, b + 3, b + 10);
    r = r * 3 + b[0];
    r = r * 3 + (int)(cs::find_if(b, b + 10, [](int x) { return x > 8; }) - b);
    r += cs::reduce(a, a + 10) + cs::inner_product(a, a + 10, b, 0);
    int *e = cs::remove_if(b, b + 10, [](int x) { return x < 5; });
    r += (int)(e - b) * 1000 + *cs::max_element(b, e);
    auto m = cs::minmax_element(b, e);
    r += *m.first * 7 + *m.second * 11 + cs::gcd(12u, 18u) + (int)cs::midpoint(3, 8);
    cs::reverse_iterator<int *> ri(a + 10);
    for (int i = 0; i < 3; i++)
        r = r * 2 + *ri++;
    cs::partial_sort(a, a + 3, a + 10);
    r += a[2] + (cs::is_heap(a, a + 1)) + (cs::includes(a, a + 3, a + 1, a + 2));
    cs::exclusive_scan(a, a + 3, b, 10);
    return r + b[2];
}
__global__ void kernel(int *out)
{
    *out = go();
}
int main()
{
    int *m;
    CUDA(cudaMallocManaged(&m, sizeof *m));
    kernel<<<1, 1>>>(m);
    CUDA(cudaDeviceSynchronize());
    CHECK(*m == go() && *m == 44755);
    puts("ok");
}
