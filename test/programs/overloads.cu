// Overloaded kernels, kernels in namespaces, in unnamed ones, as static members, in C's manner; some declared only.
#include "check.h"

__global__ void store(int *out, int v) { *out = v; }
__global__ void store(float *out, float v) { *out = v * 2; }
__global__ void store(int *out, int v, int w) { *out = v * w; }
__global__ void store(int *out, const char *text, unsigned long n) { *out = (int)n + (text != nullptr); }
__global__ void never(int a, int b, int c); // declared, and never defined
__global__ void never(int *out) { *out = 77; }
namespace one {
__global__ void k(int *out) { *out = 1; }
}
namespace two {
__global__ void k(int *out) { *out = 2; }
namespace {
__global__ void secret(int *out) { *out = 3; }
} // namespace
} // namespace two
extern "C" __global__ void plain_c(int *out) { *out = 4; }
extern "C" {
static __global__ void static_c(int *out) { *out = 5; }
}
struct box {
    int v[3];
};
__global__ void by_class(box b, box *out, const volatile int *const *p, int (*f)(int)) { out->v[0] = b.v[2] + (p == nullptr) + (f == nullptr); }
// packs of references: of a constant, const T &… is more special than T &&…
template <class... T> __device__ int packs(T &&...) { return 1; }
template <class... T> __device__ int packs(const T &...) { return 2; }
struct made {
    int by;
    template <class... T> __device__ made(T &&...) : by(1) {}
    template <class... T> __device__ made(const T &...) : by(2) {}
};
__global__ void of_packs(int *out)
{
    const int c = 3;
    int v = 4;
    *out = packs(c) + 10 * packs(c, c) + 100 * packs(v) + 1000 * packs(5) + 10000 * made(c).by + 100000 * made(v, c).by;
}
template <class T> __global__ void general(T *out) { *out = 6; }
template <> __global__ void general<short>(short *out) { *out = 7; }
template __global__ void general<long>(long *);

int main()
{
    int *d;
    float *f;
    box *b;
    short *s;
    CUDA(cudaMallocManaged(&d, 4));
    CUDA(cudaMallocManaged(&f, 4));
    CUDA(cudaMallocManaged(&b, sizeof *b));
    CUDA(cudaMallocManaged(&s, 4));
    auto got = [&] {
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
        return *d;
    };
    store<<<1, 1>>>(d, 5);
    CHECK(got() == 5);
    store<<<1, 1>>>(f, 1.5f);
    CHECK(got() == 5 && *f == 3);
    store<<<1, 1>>>(d, 5, 6);
    CHECK(got() == 30);
    store<<<1, 1>>>(d, (const char *)d, 8ul);
    CHECK(got() == 9);
    never<<<1, 1>>>(d);
    CHECK(got() == 77);
    one::k<<<1, 1>>>(d);
    CHECK(got() == 1);
    two::k<<<1, 1>>>(d);
    CHECK(got() == 2);
    two::secret<<<1, 1>>>(d);
    CHECK(got() == 3);
    plain_c<<<1, 1>>>(d);
    CHECK(got() == 4);
    static_c<<<1, 1>>>(d);
    CHECK(got() == 5);
    by_class<<<1, 1>>>(box{{1, 2, 39}}, b, nullptr, nullptr);
    got();
    CHECK(b->v[0] == 41);
    of_packs<<<1, 1>>>(d);
    CHECK(got() == 121122);
    general<<<1, 1>>>(d);
    CHECK(got() == 6);
    general<<<1, 1>>>(s);
    got();
    CHECK(*s == 7);
    puts("ok");
}
