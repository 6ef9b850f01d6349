// Thrust as most programs use it: a vector, a sum, a sort.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include "check.h"
#include <vector>

int main()
{
    const int n = 5000;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++)
        h[i] = (float)(i * 7919 % n) - 1000;
    thrust::device_vector<float> d = h;
    CHECK(thrust::reduce(d.begin(), d.end()) == 7497500.0f);
    thrust::sort(d.begin(), d.end());
    thrust::copy(d.begin(), d.end(), h.begin());
    for (int i = 0; i < n; i++)
        CHECK(h[i] == (float)i - 1000);
    puts("ok");
}
