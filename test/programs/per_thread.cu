// OPTIONS: -default-stream per-thread
// With a default stream for each thread, work of one thread does not wait for another's.
#include <thread>
#include <vector>
#include "check.h"

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "the option is to be seen by the program"
#endif

__global__ void add(int *p, int v) { *p += v; }

int main()
{
    int *data;
    CUDA(cudaMallocManaged(&data, 4 * sizeof *data));
    for (int i = 0; i < 4; i++)
        data[i] = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([=] {
            for (int k = 0; k < 100; k++)
                add<<<1, 1>>>(data + i, i + 1);
            CUDA(cudaStreamSynchronize(0));
            CHECK(data[i] == 100 * (i + 1));
        });
    for (auto &t : threads)
        t.join();
    puts("ok");
}
