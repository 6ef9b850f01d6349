// LONG ON: vulkan: test/kernels/atomics has each operation
// Every atomic operation, on global and shared memory, with many threads on one word.
#include <cuda/atomic>
#include "check.h"

struct results {
    int add, sub, min, max, exch, band, bor, bxor, cas;
    unsigned inc, dec, umin, umax;
    unsigned long long add64, min64, max64, and64, or64, xor64, cas64, exch64;
    float fadd, fexch;
    double dadd;
    unsigned short cas16;
};
__device__ void all(results *r, int i)
{
    atomicAdd(&r->add, i);
    atomicSub(&r->sub, i);
    atomicMin(&r->min, i - 50);
    atomicMax(&r->max, i * 3);
    atomicExch(&r->exch, 7);
    atomicAnd(&r->band, ~(1 << i % 8));
    atomicOr(&r->bor, 1 << i % 20);
    atomicXor(&r->bxor, 1 << i % 5);
    atomicInc(&r->inc, 9);
    atomicDec(&r->dec, 9);
    atomicMin(&r->umin, 1000u - i);
    atomicMax(&r->umax, 0x80000000u + i);
    atomicAdd(&r->add64, 1ull << 33);
    atomicMin(&r->min64, (1ull << 40) - i);
    atomicMax(&r->max64, (1ull << 40) + i);
    atomicAnd(&r->and64, ~(1ull << (i % 8 + 32)));
    atomicOr(&r->or64, 1ull << (i % 20 + 32));
    atomicXor(&r->xor64, 1ull << (i % 5 + 40));
    atomicExch(&r->exch64, 1ull << 50);
    atomicAdd(&r->fadd, 0.5f);
    atomicExch(&r->fexch, 2.5f);
    atomicAdd(&r->dadd, 0.25);
    for (int old = r->cas, seen;; old = seen) // multiply by two, modulo a prime
        if ((seen = atomicCAS(&r->cas, old, old * 2 % 1009)) == old)
            break;
    for (unsigned long long old = r->cas64, seen;; old = seen)
        if ((seen = atomicCAS(&r->cas64, old, old + (1ull << 35))) == old)
            break;
    for (unsigned short old = r->cas16, seen;; old = seen)
        if ((seen = atomicCAS(&r->cas16, old, (unsigned short)(old + 3))) == old)
            break;
}
__device__ void start(results *r)
{
    *r = results{};
    r->min = 100, r->band = -1, r->dec = 4, r->umin = ~0u, r->min64 = ~0ull, r->and64 = ~0ull, r->cas = 1;
}
__global__ void in_global(results *r) { all(r, threadIdx.x + blockIdx.x * blockDim.x); }
__global__ void set(results *r) { start(r); }
__global__ void in_shared(results *out)
{
    __shared__ results r;
    if (threadIdx.x == 0)
        start(&r);
    __syncthreads();
    all(&r, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = r;
}
__global__ void tickets(int *next, int *seen) { seen[atomicAdd(next, 1)]++; }
__global__ void scopes(int *p)
{
    atomicAdd_block(p, 1);
    atomicAdd_system(p + 1, 1);
}

static void verify(const results &r, int n)
{
    int x5 = 0, cas = 1;
    for (int i = 0; i < n; i++)
        x5 ^= 1 << i % 5, cas = cas * 2 % 1009;
    CHECK(r.add == n * (n - 1) / 2 && r.sub == -r.add && r.min == -50 && r.max == 3 * (n - 1) && r.exch == 7);
    CHECK(r.band == ~255 && r.bor == (1 << 20) - 1 && r.bxor == x5);
    CHECK(r.inc == (unsigned)n % 10 && r.dec == (unsigned)(4 - n % 10 + 10) % 10);
    CHECK(r.umin == 1000u - (n - 1) && r.umax == 0x80000000u + n - 1);
    CHECK(r.add64 == (unsigned long long)n << 33 && r.min64 == (1ull << 40) - (n - 1) && r.max64 == (1ull << 40) + n - 1);
    CHECK(r.and64 == ~(255ull << 32) && r.or64 == (1048575ull << 32) && r.xor64 == (unsigned long long)x5 << 40);
    CHECK(r.exch64 == 1ull << 50 && r.fadd == 0.5f * n && r.fexch == 2.5f && r.dadd == 0.25 * n);
    CHECK(r.cas == cas && r.cas64 == (unsigned long long)n << 35 && r.cas16 == (unsigned short)(3 * n));
}

// The same objects in host code.
struct shared_counts {
    cuda::atomic<int, cuda::thread_scope_system> sum{5};
    cuda::std::atomic<unsigned> largest{0};
};
__global__ void count(shared_counts *c)
{
    c->sum.fetch_add(2, cuda::memory_order_relaxed);
    c->largest.fetch_max(threadIdx.x);
}

int main()
{
    results *d, h;
    CUDA(cudaMalloc(&d, sizeof h));
    set<<<1, 1>>>(d);
    in_global<<<4, 64>>>(d);
    CUDA(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    verify(h, 256);
    in_shared<<<1, 200>>>(d);
    CUDA(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
    verify(h, 200);
    int *seen, got[512];
    CUDA(cudaMalloc(&seen, 513 * sizeof *seen));
    CUDA(cudaMemset(seen, 0, 513 * sizeof *seen));
    tickets<<<8, 64>>>(seen + 512, seen);
    CUDA(cudaMemcpy(got, seen, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 512; i++)
        CHECK(got[i] == 1);
    CUDA(cudaMemset(seen, 0, 8));
    scopes<<<1, 64>>>(seen);
    CUDA(cudaMemcpy(got, seen, 8, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 64 && got[1] == 64);
    shared_counts counts, *c;
    CUDA(cudaMalloc(&c, sizeof *c));
    CUDA(cudaMemcpy((void *)c, &counts, sizeof counts, cudaMemcpyHostToDevice));
    count<<<2, 32>>>(c);
    CUDA(cudaMemcpy((void *)&counts, c, sizeof counts, cudaMemcpyDeviceToHost));
    CHECK(counts.sum++ == 133 && counts.largest.load() == 31 && counts.sum.fetch_max(200) == 134 && counts.sum == 200);
    puts("ok");
}
