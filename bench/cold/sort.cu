// Thrust: many headers, and kernels that are templates, from its source to the first result.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
int main()
{
    thrust::device_vector<int> v(4096);
    for (int i = 0; i < 4096; i++)
        v[i] = (i * 7919) % 4096;
    thrust::sort(v.begin(), v.end());
    int first = v[5];
    printf("%d\n", first);
}
