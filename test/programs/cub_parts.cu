// LONG ON: vulkan: the same kernels as on the cpu, which is quicker
// Blocks and warps of CUB: scans with a start, exchanges with gaps, differences of part of a tile, heads and tails
// beside other tiles; and Thrust's engines of random numbers beside the standard library's.
#include <cub/cub.cuh>
#include <random>
#include <thrust/random.h>
#include "check.h"

enum { THREADS = 64, ITEMS = 3, COUNT = THREADS * ITEMS };
struct minus_of {
    __device__ int operator()(int a, int b) const { return 10 * a - b; }
};

__global__ void scans(const int *in, int *out, int *last)
{
    typedef cub::BlockScan<int, THREADS> scan;
    __shared__ typename scan::TempStorage temp;
    int own[ITEMS], to[ITEMS], sum;
    cub::LoadDirectWarpStriped(threadIdx.x, in, own);
    scan(temp).InclusiveScan(own, to, 100, cub::Max(), sum);
    cub::StoreDirectWarpStriped(threadIdx.x, out, to);
    last[threadIdx.x] = sum;
    __syncthreads();
    int one;
    scan(temp).InclusiveScan(in[threadIdx.x], one, 1000, cub::Sum());
    out[COUNT + threadIdx.x] = one;
}
__global__ void neighbours(const int *in, int *out)
{
    typedef cub::BlockAdjacentDifference<int, THREADS> difference;
    typedef cub::BlockDiscontinuity<int, THREADS> edge;
    typedef cub::BlockExchange<int, THREADS, ITEMS> exchange;
    __shared__ typename difference::TempStorage a;
    __shared__ typename edge::TempStorage b;
    __shared__ typename exchange::TempStorage c;
    int own[ITEMS], to[ITEMS], heads[ITEMS], tails[ITEMS], ranks[ITEMS];
    cub::LoadDirectBlocked(threadIdx.x, in, own);
    difference(a).SubtractLeftPartialTile(own, to, minus_of(), 100, 7);
    cub::StoreDirectBlocked(threadIdx.x, out, to);
    __syncthreads();
    difference(a).SubtractRightPartialTile(own, to, minus_of(), 100);
    cub::StoreDirectBlocked(threadIdx.x, out + COUNT, to);
    edge(b).FlagHeadsAndTails(heads, in[0], tails, -1, own, cub::Inequality());
    for (int i = 0; i < ITEMS; i++) {
        out[2 * COUNT + threadIdx.x * ITEMS + i] = heads[i] + 2 * tails[i];
        ranks[i] = i == 1 ? -1 : (int)threadIdx.x * ITEMS + i;
    }
    for (int i = 0; i < COUNT / THREADS; i++)
        c[i * THREADS + threadIdx.x] = 5;
    __syncthreads();
    exchange(c).ScatterToStripedGuarded(own, ranks);
    cub::StoreDirectStriped<THREADS>(threadIdx.x, out + 3 * COUNT, own);
}
__global__ void warps(const int *in, int *out)
{
    typedef cub::WarpReduce<int, 16> reduce;
    typedef cub::WarpScan<int, 16> scan;
    __shared__ typename reduce::TempStorage a[2];
    __shared__ typename scan::TempStorage b[2];
    const int w = threadIdx.x / 16;
    const int own[2] = {in[2 * threadIdx.x], in[2 * threadIdx.x + 1]};
    const int most = reduce(a[w]).Max(own), least = reduce(a[w]).Min(in[threadIdx.x]);
    int with, sum;
    scan(b[w]).InclusiveScan(in[threadIdx.x], with, 50, cub::Sum(), sum);
    out[threadIdx.x] = with;
    out[32 + threadIdx.x] = sum;
    if (threadIdx.x % 16 == 0)
        out[64 + w] = most * 100 + least;
}
struct put_place {
    int *to;
    __host__ __device__ void operator()(int i, int x, int y) const { to[i] = 100 * x + y; }
};
template <class E> __global__ void draws(unsigned long long *out)
{
    E e;
    e.discard(1000);
    out[threadIdx.x] = e();
}
template <class E, class S> static void engine(const char *name)
{
    unsigned long long *out;
    CUDA(cudaMallocManaged(&out, sizeof *out));
    draws<E><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    E e;
    S s;
    for (int i = 0; i < 1001; i++) {
        const unsigned long long x = e(), y = s();
        if (x != y)
            printf("%s: number %d\n", name, i);
        CHECK(x == y);
        if (i == 1000)
            CHECK(x == out[0]);
    }
}

// Of one thread, in each form.
enum { OWN = 5, FORMS = 8 };
struct take { // not commutative
    __device__ int operator()(int a, int b) const { return 3 * a - b; }
};
__global__ void thread_scans(const int *in, int *out, int *sums)
{
    int x[OWN], y[OWN];
    for (int form = 0; form < FORMS; form++) {
        for (int i = 0; i < OWN; i++)
            x[i] = in[i], y[i] = -1;
        int sum = -1;
        switch (form) {
        case 0: sum = cub::ThreadScanInclusive(x, y, take()); break;
        case 1: sum = cub::ThreadScanInclusive(x, y, take(), 7); break;
        case 2: sum = cub::ThreadScanInclusive(x, y, take(), 7, false); break;
        case 3: sum = cub::ThreadScanExclusive(x, y, take(), 7); break;
        case 4: sum = cub::ThreadScanExclusive(x, y, take(), 7, false); break;
        case 5: cub::detail::ThreadScanInclusivePartial(x, y, take(), 3); break;
        case 6: cub::detail::ThreadScanInclusivePartial(x, y, take(), 3, 7); break;
        case 7: cub::detail::ThreadScanInclusivePartial(x, y, take(), 0, 7); break;
        }
        for (int i = 0; i < OWN; i++)
            out[form * OWN + i] = y[i];
        sums[form] = sum;
    }
}
static void check_thread_scans()
{
    int *in, *out, *sums;
    CUDA(cudaMallocManaged(&in, OWN * sizeof(int)));
    CUDA(cudaMallocManaged(&out, FORMS * OWN * sizeof(int)));
    CUDA(cudaMallocManaged(&sums, FORMS * sizeof(int)));
    for (int i = 0; i < OWN; i++)
        in[i] = 5 * i % 7 + 1;
    thread_scans<<<1, 1>>>(in, out, sums);
    CUDA(cudaDeviceSynchronize());
    for (int form = 0; form < FORMS; form++) {
        const bool prefix = form == 1 || form == 3 || form == 6, exclusive = form == 3 || form == 4;
        const int valid = form < 5 ? OWN : form == 7 ? 0 : 3;
        int sum = 7;
        for (int i = 0; i < OWN; i++) {
            const int before = sum;
            sum = i || prefix ? 3 * sum - in[i] : in[i];
            CHECK(out[form * OWN + i] == (i >= valid ? -1 : exclusive ? before : sum));
        }
        CHECK(sums[form] == (form < 5 ? sum : -1));
    }
}

int main()
{
    check_thread_scans();
    int *in, *out, *last;
    CUDA(cudaMallocManaged(&in, 2 * COUNT * sizeof(int)));
    CUDA(cudaMallocManaged(&out, 4 * COUNT * sizeof(int)));
    CUDA(cudaMallocManaged(&last, THREADS * sizeof(int)));
    unsigned s = 9;
    for (int i = 0; i < 2 * COUNT; i++)
        in[i] = (int)((s = s * 1664525u + 1013904223u) >> 29) + i / 2;
    scans<<<1, THREADS>>>(in, out, last);
    CUDA(cudaDeviceSynchronize());
    int most = 100, all = 0;
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < ITEMS; i++) {
            const int at = t / 32 * 32 * ITEMS + i * 32 + t % 32;
            all = in[at] > all ? in[at] : all;
            most = in[at] > most ? in[at] : most;
            CHECK(out[at] == most);
        }
    CHECK(last[0] == all && last[THREADS - 1] == all);
    int sum = 1000;
    for (int t = 0; t < THREADS; t++)
        CHECK(out[COUNT + t] == (sum += in[t]));
    neighbours<<<1, THREADS>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        CHECK(out[i] == (i >= 100 ? in[i] : 10 * in[i] - (i ? in[i - 1] : 7)));
        CHECK(out[COUNT + i] == (i + 1 < 100 ? 10 * in[i] - in[i + 1] : in[i]));
        const int head = i ? in[i] != in[i - 1] : 0, tail = i + 1 < COUNT ? in[i] != in[i + 1] : 1;
        CHECK(out[2 * COUNT + i] == head + 2 * tail);
        CHECK(out[3 * COUNT + i] == (i % ITEMS == 1 ? 5 : in[i]));
    }
    warps<<<1, 32>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int w = 0; w < 2; w++) {
        int high = 0, low = 1 << 30, total = 0;
        for (int i = 0; i < 32; i++)
            high = in[32 * w + i] > high ? in[32 * w + i] : high;
        for (int i = 0; i < 16; i++) {
            low = in[16 * w + i] < low ? in[16 * w + i] : low;
            total += in[16 * w + i];
            CHECK(out[16 * w + i] == 50 + total);
        }
        CHECK(out[64 + w] == high * 100 + low);
        CHECK(out[32 + 16 * w] == total);
    }
    typedef cuda::std::extents<int, 3, 4> matrix;
    CUDA(cub::DeviceFor::ForEachInLayout(cuda::std::layout_left::mapping<matrix>(matrix()), put_place{out}));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 12; i++)
        CHECK(out[i] == 100 * (i % 3) + i / 3);
    engine<thrust::ranlux24_base, std::ranlux24_base>("ranlux24_base");
    engine<thrust::ranlux24, std::ranlux24>("ranlux24");
    engine<thrust::ranlux48_base, std::ranlux48_base>("ranlux48_base");
    engine<thrust::ranlux48, std::ranlux48>("ranlux48");
    thrust::taus88 taus;
    taus.discard(9999);
    CHECK(taus() == 3535848941u); // the ten thousandth
    puts("ok");
}
