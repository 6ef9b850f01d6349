// cuda::counting_semaphore, cuda::latch and cuda::std::complex, in both halves of a program.
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/complex>
#include <new>
#include <thread>

#include "check.h"

using permits = cuda::binary_semaphore<cuda::thread_scope_device>;
using complex = cuda::std::complex<float>;

struct shared_state {
    permits one;
    cuda::latch<cuda::thread_scope_device> all;
    int sum;
    complex product;
    __device__ shared_state(int n) : one(1), all(n), sum(0), product(1, 0) {}
};

__global__ void prepare(shared_state *s, int n)
{
    new (s) shared_state(n);
}

/* One thread of each block goes in at a time; all wait for all. */
__global__ void work(shared_state *s, int *seen)
{
    if (threadIdx.x == 0) {
        s->one.acquire();
        s->sum += (int)blockIdx.x + 1;
        s->product *= complex(0, 1);
        s->one.release();
        s->all.arrive_and_wait();
        seen[blockIdx.x] = s->sum + (cuda::std::real(s->product) == -1.0f && cuda::std::imag(s->product) == 0.0f ? 100 : 0);
    }
}

int main()
{
    shared_state *s;
    int *seen, host[2];
    CUDA(cudaMalloc(&s, sizeof *s));
    CUDA(cudaMalloc(&seen, sizeof host));
    prepare<<<1, 1>>>(s, 2);
    void *arguments[] = {&s, &seen};
    CUDA(cudaLaunchCooperativeKernel((void *)work, dim3(2), dim3(32), arguments, 0, 0));
    CUDA(cudaMemcpy(host, seen, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 103 && host[1] == 103);

    cuda::counting_semaphore<cuda::thread_scope_system> ready(0);
    cuda::latch<cuda::thread_scope_system> done(1);
    int value = 0;
    std::thread other([&] {
        ready.acquire();
        value++;
        done.count_down();
    });
    CHECK(!done.try_wait());
    ready.release();
    done.wait();
    other.join();
    CHECK(value == 1 && !ready.try_acquire());
    CHECK(cuda::std::norm(complex(3, 4)) == 25.0f);
    puts("ok");
}
