// Headers of libcu++ beside cuda::std, as Thrust's callers use them.
// OPTIONS: --extended-lambda
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/span>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include "check.h"

__global__ void over_spans(cuda::std::span<int> out, cuda::std::span<const int, 4> in)
{
    for (size_t i = threadIdx.x; i < out.size(); i += blockDim.x)
        out[i] = in[i % 4] + cuda::ceil_div(i, 2);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int x : out.subspan(1, 2))
            sum += x;
        out.back() = sum;
    }
}
__global__ void count_down(int *out, int from)
{
    int steps = 0;
    asm volatile("{ .reg .pred more; .reg .u32 left;\n"
                 "mov.u32 left, %1;\n"
                 "mov.u32 %0, 0;\n"
                 "again_%=: add.u32 %0, %0, 1;\n"
                 "sub.u32 left, left, 1;\n"
                 "setp.ne.u32 more, left, 0;\n"
                 "@more bra again_%=; }"
                 : "=&r"(steps)
                 : "r"(from));
    *out = steps;
}

int main()
{
    thrust::device_vector<int> v(8);
    for (int i = 0; i < 8; i++)
        v[i] = i;
    CHECK(thrust::reduce(v.begin(), v.end(), 0, cuda::maximum<>{}) == 7);
    CHECK(thrust::reduce(v.begin(), v.end(), 100, cuda::minimum<int>{}) == 0);
    CHECK(thrust::count_if(v.begin(), v.end(), cuda::std::identity{}) == 7);
    auto twice = cuda::proclaim_return_type<int>([] __device__(int x) { return 2 * x; });
    CHECK(thrust::transform_reduce(v.begin(), v.end(), twice, 0, cuda::std::plus<>{}) == 56);
    CHECK(cuda::round_up(5, 4) == 8 && cuda::round_down(7u, 4) == 4 && cuda::ilog2(9) == 3);
    CHECK(cuda::is_power_of_two(8) && !cuda::is_power_of_two(6) && cuda::uabs(-5) == 5u);

    int *in, *out;
    CUDA(cudaMallocManaged(&in, 4 * sizeof *in));
    CUDA(cudaMallocManaged(&out, 6 * sizeof *out));
    for (int i = 0; i < 4; i++)
        in[i] = i;
    over_spans<<<1, 32>>>(cuda::std::span<int>(out, 6), cuda::std::span<const int, 4>(in, 4));
    CUDA(cudaDeviceSynchronize());
    const int want[6] = {0, 2, 3, 5, 2, 5};
    for (int i = 0; i < 6; i++)
        CHECK(out[i] == want[i]);
    count_down<<<1, 1>>>(out, 9);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 9);
    size_t limit;
    CUDA(cudaThreadSetCacheConfig(cudaFuncCachePreferShared));
    CUDA(cudaThreadGetLimit(&limit, cudaLimitStackSize));
    CHECK(limit > 0);
    puts("ok");
}
