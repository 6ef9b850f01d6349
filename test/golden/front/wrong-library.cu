// RUN: tern compile %s --to ir -o %t --error-limit 200 2>&1 | grep "front/.*error:"
// The headers' functions and classes, used wrongly; and headers that are not there.
#include <cooperative_groups.h>
#include <nvgraph.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <curand_kernel.h>
#include <limits>
#include <mma.h>
#include <thrust/sort.h>
#include <tuple>
#include <vector>
namespace cg = cooperative_groups;
using namespace nvcuda;
struct heavy { int v[64]; };

__global__ void wrong(int *p, const int *q, float *f, cudaTextureObject_t t)
{
    atomicAdd(q, 1);
    atomicAdd(p, f);
    atomicCAS(f, 1, 2);
    __shfl_sync(p[0], 1);
    __shfl_sync(0xffffffff, heavy{}, 1);
    __syncthreads(1);
    __half h = p;
    __half2 h2 = __hadd2(1.0f, h);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half> no_layout;
    wmma::fragment<wmma::matrix_a, 7, 16, 16, __half, wmma::row_major> odd;
    curand_uniform(p);
    curandState state;
    curand_init(1, 2, state);
    tex2D<float>(t);
    tex2D<heavy>(t, 1, 2);
    std::get<5>(std::tuple<int, float>(1, 2));
    int m = std::numeric_limits<heavy>::max();
    std::vector<int> v;
    thrust::plus<int>()(p);
    cub::BlockReduce<int, 32>().Sum();
    nvgraphCreate(0);
    make_float4(1, 2, 3);
    threadIdx.x = 1;
    threadIdx.w;
    sinf(p);
    min(p, 1);
    printf(1);
    memcpy(p[0], p, 4);
    __ldg(1);
    cudaMemcpy(p, q, 4, cudaMemcpyDeviceToDevice);
    assert();
    float4 four = {1, 2, 3, 4, 5};
    dim3 d = "text";
}
