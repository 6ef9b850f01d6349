// LONG ON: vulkan: the same kernels as on the cpu, which is quicker
// CUB's shuffles and ranks of blocks, and loads, stores and sorts of warps.
#include <cub/cub.cuh>
#include <algorithm>
#include <vector>
#include "check.h"

enum { THREADS = 96, ITEMS = 3, COUNT = THREADS * ITEMS };

__global__ void shuffles(int *out)
{
    typedef cub::BlockShuffle<int, 32, 3> shuffle;
    __shared__ typename shuffle::TempStorage temp;
    const int t = threadIdx.x + 32 * threadIdx.y;
    int got = -1;
    shuffle(temp).Offset(t * 2, got, 5);
    out[t] = got;
    got = -1;
    shuffle(temp).Offset(t * 2, got, -7);
    out[96 + t] = got;
    shuffle(temp).Rotate(t * 2, got, 90);
    out[192 + t] = got;
    int in[ITEMS] = {t * 3, t * 3 + 1, t * 3 + 2}, moved[ITEMS] = {-1, -1, -1}, edge;
    shuffle(temp).Up(in, moved, edge);
    for (int i = 0; i < ITEMS; i++)
        out[288 + t * 3 + i] = moved[i] + edge * 1000;
    moved[ITEMS - 1] = -1;
    shuffle(temp).Down(in, moved, edge);
    for (int i = 0; i < ITEMS; i++)
        out[576 + t * 3 + i] = moved[i] + edge * 1000;
}

template <bool down> __global__ void ranks(const unsigned *in, int *out, int *before)
{
    typedef cub::BlockRadixRank<THREADS, 5, down> rank;
    __shared__ typename rank::TempStorage temp;
    unsigned keys[ITEMS];
    int places[ITEMS], prefix[rank::BINS_TRACKED_PER_THREAD];
    cub::LoadDirectBlocked(threadIdx.x, in, keys);
    rank(temp).RankKeys(keys, places, cub::BFEDigitExtractor<unsigned>(3, 5), prefix);
    cub::StoreDirectBlocked(threadIdx.x, out, places);
    if (threadIdx.x < 32)
        before[threadIdx.x] = prefix[0];
}
__global__ void matched(const unsigned *in, int *out)
{
    typedef cub::BlockRadixRankMatch<THREADS, 5, false> rank;
    __shared__ typename rank::TempStorage temp;
    const int first = threadIdx.x / 32 * 32 * ITEMS + threadIdx.x % 32;
    unsigned keys[ITEMS];
    int places[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        keys[i] = in[first + i * 32];
    rank(temp).RankKeys(keys, places, cub::BFEDigitExtractor<unsigned>(3, 5));
    for (int i = 0; i < ITEMS; i++)
        out[first + i * 32] = places[i];
}

struct by_tens {
    __device__ bool operator()(unsigned a, unsigned b) const { return a / 10 < b / 10; }
};
// Two halves of a warp, each with its own items.
__global__ void warps(const unsigned *in, unsigned *out, unsigned *stripes)
{
    typedef cub::WarpLoad<unsigned, ITEMS, cub::WARP_LOAD_TRANSPOSE, 16> load;
    typedef cub::WarpStore<unsigned, ITEMS, cub::WARP_STORE_STRIPED, 16> store;
    typedef cub::WarpMergeSort<unsigned, ITEMS, 16, int> sort;
    __shared__ typename load::TempStorage loads[2];
    __shared__ typename store::TempStorage stores[2];
    __shared__ typename sort::TempStorage sorts[2];
    const int w = threadIdx.x / 16, n = 16 * ITEMS;
    unsigned keys[ITEMS];
    int at[ITEMS];
    load(loads[w]).Load(in + w * n, keys, 40, 7777u);
    for (int i = 0; i < ITEMS; i++)
        at[i] = threadIdx.x % 16 * ITEMS + i;
    store(stores[w]).Store(stripes + w * n, keys);
    sort(sorts[w]).Sort(keys, at, by_tens(), 40, 9999u);
    for (int i = 0; i < ITEMS; i++)
        out[w * n + threadIdx.x % 16 * ITEMS + i] = keys[i] < 9999 ? keys[i] * 100 + at[i] : 0;
}

static int digit(unsigned k) { return k >> 3 & 31; }

int main()
{
    unsigned *in, *sorted, *stripes;
    int *out, *before;
    CUDA(cudaMallocManaged(&in, COUNT * 4));
    CUDA(cudaMallocManaged(&sorted, COUNT * 4));
    CUDA(cudaMallocManaged(&stripes, COUNT * 4));
    CUDA(cudaMallocManaged(&out, COUNT * 3 * 4));
    CUDA(cudaMallocManaged(&before, 32 * 4));
    for (int i = 0; i < COUNT; i++)
        in[i] = i * 2654435761u >> 20 & 255;

    shuffles<<<1, dim3(32, 3)>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        CHECK(out[t] == (t + 5 < THREADS ? (t + 5) * 2 : -1));
        CHECK(out[96 + t] == (t >= 7 ? (t - 7) * 2 : -1));
        CHECK(out[192 + t] == (t + 90) % THREADS * 2);
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK(out[288 + i] == i - 1 + (COUNT - 1) * 1000);
        CHECK(out[576 + i] == (i + 1 < COUNT ? i + 1 : -1));
    }

    for (int down = 0; down < 3; down++) {
        if (down == 2)
            matched<<<1, THREADS>>>(in, out);
        else if (down)
            ranks<true><<<1, THREADS>>>(in, out, before);
        else
            ranks<false><<<1, THREADS>>>(in, out, before);
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < COUNT; i++) {
            int place = 0;
            for (int k = 0; k < COUNT; k++) {
                const int a = digit(in[k]), b = digit(in[i]);
                place += a == b ? k < i : down == 1 ? a > b : a < b;
            }
            CHECK(out[i] == place);
        }
        for (int d = 0; d < 32 && down < 2; d++) {
            int first = 0;
            for (int k = 0; k < COUNT; k++)
                first += down ? digit(in[k]) > d : digit(in[k]) < d;
            CHECK(before[d] == first);
        }
    }

    warps<<<1, 32>>>(in, sorted, stripes);
    CUDA(cudaDeviceSynchronize());
    for (int w = 0; w < 2; w++) {
        std::vector<std::pair<unsigned, int>> all;
        for (int i = 0; i < 40; i++)
            all.push_back({in[w * 48 + i], i});
        std::stable_sort(all.begin(), all.end(), [](auto a, auto b) { return a.first / 10 < b.first / 10; });
        for (int i = 0; i < 48; i++) {
            const int from = i % 16 * ITEMS + i / 16; // lane i % 16's item i / 16
            CHECK(stripes[w * 48 + i] == (from < 40 ? in[w * 48 + from] : 7777u));
            CHECK(sorted[w * 48 + i] == (i < 40 ? all[i].first * 100 + all[i].second : 0u));
        }
    }
    puts("ok");
}
