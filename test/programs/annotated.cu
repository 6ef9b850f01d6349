// cuda::annotated_ptr and what is said of memory's use, in both halves; cuda::atomic_ref of the host.
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <thread>
#include <vector>
#include "check.h"

enum { COUNT = 256 };

__global__ void uses(int *data, float *out)
{
    __shared__ int room[COUNT];
    cuda::annotated_ptr<int, cuda::access_property::persisting> kept(data);
    cuda::annotated_ptr<const int, cuda::access_property> any(data, cuda::access_property(cuda::access_property::streaming{}, 0.5f));
    cuda::annotated_ptr<int, cuda::access_property::shared> near_by(room);
    const int t = threadIdx.x;
    near_by[t] = kept[t] + any[t];
    __syncthreads();
    int *same = cuda::associate_access_property(data, cuda::access_property::normal{});
    same[t] = near_by[COUNT - 1 - t];
    cuda::apply_access_property(data, COUNT * sizeof *data, cuda::access_property::persisting{});
    if (t == 0)
        out[0] = (float)(&kept[5] - kept.get()) + (kept ? 0.5f : 0);
}

int main()
{
    int *data;
    float *out;
    CUDA(cudaMallocManaged(&data, COUNT * sizeof *data));
    CUDA(cudaMallocManaged(&out, sizeof *out));
    for (int i = 0; i < COUNT; i++)
        data[i] = i;
    uses<<<1, COUNT>>>(data, out);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++)
        CHECK(data[i] == 2 * (COUNT - 1 - i));
    CHECK(out[0] == 5.5f);
    cuda::annotated_ptr<int, cuda::access_property::global> here(data);
    cuda::annotated_ptr<const int, cuda::access_property> there = cuda::annotated_ptr<const int, cuda::access_property>(data, cuda::access_property::normal{});
    CHECK(here[3] == there[3] && *here == 2 * (COUNT - 1));
    static_assert(sizeof here == sizeof(int *), "a static property takes no room");
    cuda::discard_memory(data, sizeof *data);

    long sum = 0;
    double most = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; k++)
        threads.emplace_back([&sum, &most, k] {
            cuda::atomic_ref<long> s(sum);
            cuda::atomic_ref<double, cuda::thread_scope_device> m(most);
            for (int i = 0; i < 1000; i++) {
                s.fetch_add(i, cuda::memory_order_relaxed);
                m.fetch_max(k * 1000 + i);
            }
            ++s;
        });
    for (std::thread &t : threads)
        t.join();
    CHECK(sum == 4 * 499500 + 4 && most == 3999);
    cuda::std::atomic_ref<long> s(sum);
    long seen = 7;
    CHECK(!s.compare_exchange_strong(seen, 1) && seen == sum && s.compare_exchange_strong(seen, 1) && sum == 1);
    CHECK(s.exchange(6) == 1 && (s |= 9) == 15 && s.fetch_min(3) == 15 && s == 3);
    puts("ok");
}
