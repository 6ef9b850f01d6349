// Thrust and CUB from the toolkit: sort, scan, reduce.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include "../programs/check.h"

int main()
{
    const int n = 5000;
    thrust::host_vector<int> h(n);
    long long total = 0;
    for (int i = 0; i < n; i++)
        total += h[i] = (int)((i * 7919LL + 13) % 10007);
    thrust::device_vector<int> d = h, s(n);
    CHECK(thrust::reduce(d.begin(), d.end(), 0LL) == total);
    thrust::inclusive_scan(d.begin(), d.end(), s.begin());
    CHECK(s[n - 1] == (int)total);
    thrust::sort(d.begin(), d.end());
    for (int i = 1; i < n; i++)
        CHECK(d[i - 1] <= d[i]);
    puts("ok");
    return 0;
}
