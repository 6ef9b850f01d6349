// Groups of threads that work together: tiles of a warp, groups of those that are active, sums by each of them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <iostream>
#include <vector>
namespace cg = cooperative_groups;

template <int Size> __global__ void tiles(const int *in, int *sums, int *firsts)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
    int i = block.group_index().x * block.size() + block.thread_rank(), v = in[i];
    int sum = cg::reduce(tile, v, cg::plus<int>());
    int most = cg::reduce(tile, v, cg::greater<int>());
    if (tile.thread_rank() == 0) {
        sums[i / Size] = sum;
        firsts[i / Size] = most * 1000 + tile.shfl(v, 0);
    }
}
__device__ int append(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0)
        base = atomicAdd(counter, (int)active.size());
    return active.shfl(base, 0) + (int)active.thread_rank();
}
__global__ void odd_ones(const int *in, int n, int *out, int *counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2)
        out[append(counter)] = in[i];
}
__global__ void votes(const int *in, unsigned *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int v = in[warp.meta_group_rank() * 32 + warp.thread_rank()];
    unsigned mask = warp.ballot(v % 3 == 0), any = warp.any(v > 90), all = warp.all(v >= 0);
    if (warp.thread_rank() == 0)
        out[warp.meta_group_rank()] = mask ^ (any << 1) ^ all;
}

int main()
{
    const int n = 256;
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = (i * 37 + 11) % 101;
    int *in, *sums, *firsts, *odd, *counter;
    unsigned *mask;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&sums, n * sizeof(int));
    cudaMallocManaged(&firsts, n * sizeof(int));
    cudaMallocManaged(&odd, n * sizeof(int));
    cudaMallocManaged(&counter, sizeof(int));
    cudaMallocManaged(&mask, 8 * sizeof(unsigned));
    std::copy(host.begin(), host.end(), in);
    tiles<8><<<2, 128>>>(in, sums, firsts);
    cudaDeviceSynchronize();
    for (int t = 0; t < n / 8; t++)
        std::cout << sums[t] << '/' << firsts[t] << (t % 8 == 7 ? '\n' : ' ');
    tiles<32><<<2, 128>>>(in, sums, firsts);
    cudaDeviceSynchronize();
    for (int t = 0; t < n / 32; t++)
        std::cout << sums[t] << ' ';
    *counter = 0;
    odd_ones<<<2, 128>>>(in, n, odd, counter);
    votes<<<1, 256>>>(in, mask);
    cudaDeviceSynchronize();
    long total = 0;
    for (int i = 0; i < *counter; i++)
        total += odd[i];
    std::cout << '\n' << *counter << " odd ones, in all " << total << std::hex;
    for (int w = 0; w < 8; w++)
        std::cout << ' ' << mask[w];
    std::cout << '\n';
    for (void *p : {(void *)in, (void *)sums, (void *)firsts, (void *)odd, (void *)counter, (void *)mask})
        cudaFree(p);
    return 0;
}
