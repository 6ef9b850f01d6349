// OPTIONS: --extended-lambda
// Closures that need some of the types and constants that are declared around them, by way of others too.
#include <cstdio>
template <class A, class B> struct pair_type { A a; B b; };
template <class K, int N> struct node_type { K k[N]; };
template <class F> __global__ void each(F f, int *p) { p[threadIdx.x] = f(threadIdx.x); }
struct host_class {
    static constexpr int step = 5;
    using word = unsigned;
    int run(int *p) {
        static constexpr int first = 4;
        constexpr int second = 2 * first, third = second + 1;
        using key_type = unsigned;
        using pair_type = pair_type<key_type, key_type>;
        using node = node_type<key_type, second>;
        enum shade { dark = 3, light };
        typedef node nodes;
        auto f = [=] __device__(key_type x) -> int {
            word w = x;
            nodes n;
            n.k[0] = w * 10;
            return n.k[0] + step + light + sizeof n / sizeof n.k[0];
        };
        each<<<1, 8>>>(f, p);
        auto g = [] __host__ __device__(key_type x, const node_type<key_type, third> &n) { return x + n.k[second]; };
        node_type<key_type, 9> n = {};
        n.k[8] = 7;
        return g(3, n) + cudaDeviceSynchronize();
    }
};
/* constants that nobody captures, made of others */
static int constants(int *p, int n) {
    const int many = 1 << 4;
    const unsigned half = many / 2, *none = nullptr;
    const int given = n;
    {
        const int more = many * 2 + (int)sizeof(int);
        each<<<1, 8>>>([] __device__(unsigned x) -> int { return (int)x + many * 100 + more; }, p);
    }
    each<<<1, 8>>>([=] __device__(unsigned x) -> int { return (int)x * given + many; }, p + 8);
    return cudaDeviceSynchronize() + (none != nullptr) + (half != 8);
}
int main() {
    int *p, bad = 0; cudaMallocManaged(&p, 64);
    bad += constants(p, 3);
    for (int i = 0; i < 8; i++) bad += p[i] != i + 1636 || p[8 + i] != 3 * i + 16;
    host_class c;
    bad += c.run(p) != 10;
    for (int i = 0; i < 8; i++) bad += p[i] != i * 10 + 5 + 4 + 8;
    puts(bad ? "wrong" : "ok");
}
