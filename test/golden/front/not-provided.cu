// RUN: tern compile %s --to ir
#include <thrust/async/reduce.h>
#include <cub/agent/agent_scan.cuh>
#include <vector>
#include <cxxabi.h>
#include <parallel/algorithm>
#include <print>
#include <smmintrin.h>
void host() { thrust::device_vector<int> v(10); }
__global__ void k(int *p)
{
    *p = thrust::max(1, 2);
}
__global__ void l(int *p)
{
    typedef cub::BlockReduce<int, 128> reduce;
}
__global__ void m(int *p)
{
    std::vector<int> v;
}
__global__ void n(int *p)
{
    *p = _mm_popcnt_u32(3);
}
