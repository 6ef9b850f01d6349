// LONG ON: vulkan: the same kernels as on the cpu, which is quicker
// CUB's collectives for blocks and warps.
#include <cub/cub.cuh>
#include "check.h"
#include <algorithm>
#include <vector>

enum { THREADS = 96, ITEMS = 3, COUNT = THREADS * ITEMS };

struct running { // what came before the block
    int sum;
    __device__ int operator()(int block)
    {
        int before = sum;
        sum += block;
        return before;
    }
};
struct affine { // x → a x + b: composition does not commute
    unsigned a, b;
};
struct compose {
    __device__ affine operator()(const affine &f, const affine &g) const
    {
        return affine{f.a * g.a, f.b * g.a + g.b};
    }
};

__global__ void reductions(const int *in, int *out, unsigned *ab)
{
    typedef cub::BlockReduce<int, THREADS> reduce;
    typedef cub::BlockReduce<affine, 32, cub::BLOCK_REDUCE_RAKING, 3> reduce_affine;
    __shared__ union {
        typename reduce::TempStorage ints;
        typename reduce_affine::TempStorage affines;
    } temp;
    const int t = threadIdx.x;
    int items[ITEMS];
    cub::LoadDirectBlocked(t, in, items);
    int r = reduce().Sum(in[t]);
    if (t == 0)
        out[0] = r;
    __syncthreads();
    r = reduce(temp.ints).Reduce(items, cub::Max());
    if (t == 0)
        out[1] = r;
    __syncthreads();
    r = reduce(temp.ints).Sum(in[t], 50);
    if (t == 0)
        out[2] = r;
    __syncthreads();
    const affine f =
        reduce_affine(temp.affines).Reduce(affine{2 * (unsigned)t + 1, (unsigned)in[t]}, compose());
    if (t == 0) {
        ab[0] = f.a;
        ab[1] = f.b;
    }
}

__global__ void scans(const int *in, int *out)
{
    typedef cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan;
    typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE> load;
    typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE> store;
    __shared__ typename scan::TempStorage s;
    __shared__ typename load::TempStorage l;
    __shared__ typename store::TempStorage w;
    const int t = threadIdx.x;
    int items[ITEMS], sum, x;
    load(l).Load(in, items);
    scan(s).InclusiveSum(items, items);
    store(w).Store(out, items);
    __syncthreads();
    scan(s).ExclusiveSum(in[t], x, sum);
    out[COUNT + t] = x + sum;
    __syncthreads();
    running before{1000};
    scan(s).ExclusiveSum(in[t], x, before);
    out[COUNT + THREADS + t] = x;
    __syncthreads();
    scan(s).ExclusiveScan(in[t], x, -1, cub::Max());
    out[COUNT + 2 * THREADS + t] = x;
}

struct less {
    __device__ bool operator()(int a, int b) const
    {
        return a < b;
    }
};

__global__ void sorts(const int *in, int *keys_out, int *values_out, int *merged)
{
    typedef cub::BlockRadixSort<int, THREADS, ITEMS, int> sort;
    typedef cub::BlockMergeSort<int, THREADS, ITEMS> merge;
    typedef cub::BlockExchange<int, THREADS, ITEMS> exchange;
    __shared__ typename sort::TempStorage s;
    __shared__ typename merge::TempStorage m;
    __shared__ typename exchange::TempStorage e;
    const int t = threadIdx.x;
    int keys[ITEMS], values[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        keys[i] = in[t * ITEMS + i];
        values[i] = t * ITEMS + i;
    }
    sort(s).SortDescending(keys, values);
    cub::StoreDirectBlocked(t, keys_out, keys);
    cub::StoreDirectBlocked(t, values_out, values);
    cub::LoadDirectStriped<THREADS>(t, in, keys);
    exchange(e).StripedToBlocked(keys);
    merge(m).Sort(keys, less());
    __syncthreads();
    exchange(e).BlockedToStriped(keys);
    cub::StoreDirectStriped<THREADS>(t, merged, keys);
}

__global__ void neighbours(const int *in, int *heads, int *differences, unsigned *histogram)
{
    typedef cub::BlockDiscontinuity<int, THREADS> discontinuity;
    typedef cub::BlockAdjacentDifference<int, THREADS> difference;
    typedef cub::BlockHistogram<unsigned char, THREADS, ITEMS, 16, cub::BLOCK_HISTO_ATOMIC> count;
    __shared__ typename discontinuity::TempStorage d;
    __shared__ typename difference::TempStorage a;
    __shared__ typename count::TempStorage c;
    __shared__ unsigned bins[16];
    const int t = threadIdx.x;
    int items[ITEMS], out[ITEMS];
    unsigned char small[ITEMS];
    cub::LoadDirectBlocked(t, in, items);
    discontinuity(d).FlagHeads(out, items, cub::Inequality());
    cub::StoreDirectBlocked(t, heads, out);
    difference(a).SubtractLeft(items, out, cub::Difference());
    cub::StoreDirectBlocked(t, differences, out);
    for (int i = 0; i < ITEMS; i++)
        small[i] = items[i] & 15;
    count(c).Histogram(small, bins);
    __syncthreads();
    if (t < 16)
        histogram[t] = bins[t];
}

__global__ void warps(const int *in, int *sums, int *scans, int *segments)
{
    typedef cub::WarpReduce<int> reduce;
    typedef cub::WarpScan<int, 8> scan;
    __shared__ typename reduce::TempStorage r[THREADS / 32];
    __shared__ typename scan::TempStorage s[THREADS / 8];
    const int t = threadIdx.x;
    const int sum = reduce(r[t / 32]).Sum(in[t]);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    int x, all;
    scan(s[t / 8]).InclusiveSum(in[t], x, all);
    scans[t] = x * 1000 + all;
    __syncwarp();
    segments[t] = reduce(r[t / 32]).HeadSegmentedSum(in[t], t % 5 == 0);
}

int main()
{
    std::vector<int> h(COUNT), sorted(COUNT), order(COUNT);
    for (int i = 0; i < COUNT; i++)
        h[i] = i * 37 % 101 / 2;
    int *in, *out, *more, *third;
    unsigned *ab;
    CUDA(cudaMallocManaged(&in, COUNT * 4));
    CUDA(cudaMallocManaged(&out, 4 * COUNT * 4));
    CUDA(cudaMallocManaged(&more, COUNT * 4));
    CUDA(cudaMallocManaged(&third, COUNT * 4));
    CUDA(cudaMallocManaged(&ab, 64));
    std::copy(h.begin(), h.end(), in);

    reductions<<<1, THREADS>>>(in, out, ab);
    CUDA(cudaDeviceSynchronize());
    int sum = 0, half = 0, largest = 0;
    unsigned a = 1, b = 0;
    for (int i = 0; i < COUNT; i++)
        largest = std::max(largest, h[i]);
    for (int i = 0; i < THREADS; i++) {
        sum += h[i];
        half += i < 50 ? h[i] : 0;
        b = b * (2 * i + 1) + h[i];
        a *= 2 * i + 1;
    }
    CHECK(out[0] == sum && out[1] == largest && out[2] == half && ab[0] == a && ab[1] == b);

    scans<<<1, THREADS>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0, s = 0; i < COUNT; i++)
        CHECK(out[i] == (s += h[i]));
    for (int i = 0, s = 0, m = -1; i < THREADS; i++) {
        CHECK(out[COUNT + i] == s + sum && out[COUNT + THREADS + i] == s + 1000 &&
              out[COUNT + 2 * THREADS + i] == m);
        s += h[i];
        m = std::max(m, h[i]);
    }

    sorts<<<1, THREADS>>>(in, out, more, third);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return h[x] > h[y]; });
    sorted = h;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < COUNT; i++)
        CHECK(out[i] == h[order[i]] && more[i] == order[i] && third[i] == sorted[i]);

    neighbours<<<1, THREADS>>>(in, out, more, ab);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        CHECK(out[i] == (i == 0 || h[i] != h[i - 1]) && more[i] == h[i] - (i ? h[i - 1] : 0));
    for (int i = 0; i < 16; i++)
        CHECK(ab[i] ==
              (unsigned)std::count_if(h.begin(), h.end(), [=](int x) { return (x & 15) == i; }));

    warps<<<1, THREADS>>>(in, out, more, third);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++) {
        int s = 0, all = 0, rest = 0;
        for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++) {
            all += h[k];
            s += k <= i ? h[k] : 0;
        }
        for (int k = i; k < THREADS && (k == i || (k % 5 && k % 32)); k++)
            rest += h[k];
        CHECK(more[i] == s * 1000 + all && third[i] == rest);
    }
    for (int w = 0; w < THREADS / 32; w++) {
        int s = 0;
        for (int k = 0; k < 32; k++)
            s += h[w * 32 + k];
        CHECK(out[w] == s);
    }
    puts("ok");
}
