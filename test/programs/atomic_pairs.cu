// cuda::atomic of pairs, small classes and numbers that are no number: by their bits, with the alignment of the host.
#include <cstdio>
#include <cuda/atomic>
struct pair { unsigned key, value; };
struct small { short a, b; };
struct tiny { unsigned char c; };
struct with { int x; cuda::atomic<pair, cuda::thread_scope_device> p; };
__global__ void insert(cuda::atomic<pair, cuda::thread_scope_device> *table, int n, int *where, size_t *sizes)
{
    const unsigned key = threadIdx.x + blockIdx.x * blockDim.x;
    for (unsigned at = key * 7 % n;; at = (at + 1) % n) {
        pair expected = {~0u, 0};
        if (table[at].compare_exchange_strong(expected, pair{key, key * 3}, cuda::memory_order_relaxed)) {
            where[key] = at;
            break;
        }
    }
    if (key == 0)
        sizes[0] = sizeof(with), sizes[1] = alignof(with);
}
__global__ void find(cuda::atomic<pair, cuda::thread_scope_device> *table, const int *where, int *bad)
{
    const unsigned key = threadIdx.x + blockIdx.x * blockDim.x;
    const pair p = table[where[key]].load(cuda::memory_order_relaxed);
    if (p.key != key || p.value != key * 3)
        atomicAdd(bad, 1);
    const pair old = table[where[key]].exchange(pair{1, 2});
    if (old.key != key)
        atomicAdd(bad, 1);
}
__global__ void others(small *s, tiny *t, float *f, int *bad)
{
    cuda::atomic_ref<small, cuda::thread_scope_device> r(*s);
    small e = r.load();
    while (!r.compare_exchange_weak(e, small{(short)(e.a + 1), (short)(e.b - 1)})) {}
    cuda::atomic_ref<tiny> u(*t);
    tiny c = u.load();
    while (!u.compare_exchange_weak(c, tiny{(unsigned char)(c.c + 1)})) {}
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        cuda::atomic_ref<float> nan(*f);
        float was = nan.load();
        if (!nan.compare_exchange_strong(was, 2.0f))
            atomicAdd(bad, 1);
    }
}
int main()
{
    const int n = 1024;
    cuda::atomic<pair, cuda::thread_scope_device> *table;
    int *where, *bad;
    size_t *sizes;
    small *s;
    tiny *t;
    float *f;
    cudaMallocManaged(&table, n * sizeof *table);
    cudaMallocManaged(&where, n * sizeof *where);
    cudaMallocManaged(&bad, sizeof *bad);
    cudaMallocManaged(&sizes, 16);
    cudaMallocManaged(&s, sizeof *s);
    cudaMallocManaged(&t, 4);
    cudaMallocManaged(&f, sizeof *f);
    for (int i = 0; i < n; i++)
        table[i].store(pair{~0u, 0});
    *bad = 0;
    *s = {0, 0};
    t->c = 0;
    *f = __builtin_nanf("");
    insert<<<7, 128>>>(table, n, where, sizes);
    find<<<7, 128>>>(table, where, bad);
    others<<<2, 100>>>(s, t, f, bad);
    if (cudaDeviceSynchronize())
        return 1;
    printf("%d %d %d %d %g %d\n", *bad, s->a, s->b, t->c, *f, sizes[0] == sizeof(with) && sizes[1] == alignof(with));
    const bool ok = !*bad && s->a == 200 && s->b == -200 && t->c == 200 && *f == 2 && sizes[0] == sizeof(with) && sizes[1] == alignof(with);
    puts(ok ? "ok" : "wrong");
    return !ok;
}
