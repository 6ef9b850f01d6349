// OPTIONS: --extended-lambda
// Closures that name classes which are members of the class around, and declarations with template arguments between
// their commas.
#include <cstdio>
template <class A, class B, class C> struct sizes { static __host__ __device__ int bytes(int n) { return n * (int)sizeof(A) + (int)(sizeof(B) + sizeof(C)); } };
template <class F, class T> __global__ void each(F f, T *p) { f(threadIdx.x, p[threadIdx.x]); }
template <class Space> struct reduce_of {
    struct scalar {
        int v[4];
        __host__ __device__ scalar() : v() {}
        __device__ void operator+=(int x) { for (int i = 0; i < 4; i++) v[i] += x; }
    };
    struct other { int unused; };
    using index = int; // which constants around closures are of
    using others = sizes<other, index, Space>;
    static int constants(int *p) {
        constexpr index many = 3;
        each<<<1, 8>>>([=] __device__(int i, int &x) { x = i * many + others::bytes(1); }, p);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    static int run(int many) {
        scalar *p;
        cudaMallocManaged(&p, 8 * sizeof *p);
        for (int i = 0; i < 8; i++) p[i] = scalar();
        each<<<1, 8>>>([=] __device__(int i, scalar &s) { s += many * i; scalar t = s; s += t.v[0]; }, p);
        int bad = cudaDeviceSynchronize() != cudaSuccess;
        for (int i = 0; i < 8; i++) bad += p[i].v[i % 4] != 2 * many * i;
        return bad;
    }
    int member(int *p) {
        struct local { int a; };
        const int per_block = 3 * sizes<double *, Space, local>::bytes(2), more = per_block < 99, less = 5;
        const Space none = Space(), *nothing = nullptr;
        each<<<1, 8>>>([=] __host__ __device__(int i, int &x) { x = int(Space(i) + per_block + more + less + none) + (nothing != nullptr) + (int)sizeof(other); }, p);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
};
class plain : public sizes<int, int, int> {
public:
    class box final { public: int side; };
    template <class T> struct not_this {};
    int run(int *p, int n);
};
int plain::run(int *p, int n)
{
    box b = {n};
    each<<<1, 8>>>([=] __device__(int i, int &x) { box c = b; c.side += i; x = c.side; }, p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
int main() {
    int *p, bad = reduce_of<float>::run(3);
    cudaMallocManaged(&p, 32);
    reduce_of<int> r;
    bad += r.member(p);
    for (int i = 0; i < 8; i++) bad += p[i] != i + 3 * (16 + 4 + 4) + 1 + 5 + 4;
    bad += r.constants(p);
    for (int i = 0; i < 8; i++) bad += p[i] != 3 * i + 12;
    plain q;
    bad += q.run(p, 7);
    for (int i = 0; i < 8; i++) bad += p[i] != 7 + i;
    puts(bad ? "wrong" : "ok");
}
