// Tuples and pairs of both halves are the same bytes: what the host makes a kernel reads, and the
// other way round.
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cstdio>
#include <tuple>

namespace cs = cuda::std;
struct Empty {
};
struct Other {
};
struct Sealed final {
};
struct Ten {
    double d;
    short s;
};

template <class T, size_t... i>
__host__ __device__ void places(T &t, int *to, cs::index_sequence<i...>)
{
    ((to[i] = (int)((char *)&cs::get<i>(t) - (char *)&t)), ...);
    to[sizeof...(i)] = (int)sizeof(T);
}
template <class T> __global__ void places_there(T t, int *to)
{
    places(t, to, cs::make_index_sequence<cs::tuple_size<T>::value>());
}
template <class T> int compare(const char *name, int *m)
{
    constexpr int n = (int)cs::tuple_size<T>::value;
    T t{};
    int mine[16];
    places(t, mine, cs::make_index_sequence<n>());
    places_there<<<1, 1>>>(t, m);
    cudaDeviceSynchronize();
    int bad = 0;
    for (int i = 0; i <= n; i++)
        bad += mine[i] != m[i];
    if (bad)
        printf("%s: host and device differ\n", name);
    return bad;
}
#define COMPARE(...) bad += compare<__VA_ARGS__>(#__VA_ARGS__, m)

__global__ void read(cs::tuple<int, float, char> t, cs::pair<int, char> p,
                     cs::tuple<short, double> *there, int *out)
{
    out[0] = cs::get<0>(t);
    out[1] = (int)(cs::get<1>(t) * 2);
    out[2] = cs::get<char>(t);
    out[3] = p.first * 100 + p.second;
    out[4] = cs::get<0>(*there);
    *there = cs::make_tuple((short)(cs::get<0>(*there) + 1), cs::get<1>(*there) / 2);
}
/* what tuples do beside: conversions, ties, calls with their elements, joins */
struct Moved {
    int v;
    __host__ __device__ explicit Moved(int v) : v(v)
    {
    }
    __host__ __device__ Moved(Moved &&o) : v(o.v)
    {
        o.v = -1;
    }
    Moved(const Moved &) = delete;
};
__host__ __device__ int uses()
{
    int bad = 0;
    cs::tuple<double, long> wide(cs::tuple<float, int>(1.5f, 7));
    bad += cs::get<0>(wide) != 1.5 || cs::get<1>(wide) != 7;
    wide = cs::make_pair(2.5f, 9);
    bad += cs::get<0>(wide) != 2.5 || cs::get<1>(wide) != 9;
    int a = 1, b = 2;
    cs::tie(a, b) = cs::make_tuple(b, a);
    bad += a != 2 || b != 1;
    cs::tie(a, cs::ignore) = cs::make_pair(5, 6);
    bad += a != 5;
    bad += !(cs::tie(a, b) == cs::make_tuple(5, 1)) ||
           !(cs::make_tuple(1, 2.5) < cs::make_tuple(1L, 3.5f));
    cs::tuple<Moved, int> m(Moved(4), 5);
    cs::tuple<Moved, int> n(cs::move(m));
    bad += cs::get<0>(n).v != 4 || cs::get<0>(m).v != -1;
    const auto joined = cs::tuple_cat(cs::make_tuple(1, 2), cs::make_pair('c', 4.0), cs::tuple<>(),
                                      cs::make_tuple(5u));
    bad += cs::tuple_size<decltype(cs::tuple_cat(cs::make_tuple(1, 2), cs::make_pair('c', 4.0),
                                                 cs::tuple<>(), cs::make_tuple(5u)))>::value != 5;
    bad += cs::get<2>(joined) != 'c' || cs::get<4>(joined) != 5u;
    bad += cs::apply([](int x, int y, char, double z, unsigned w) { return (int)(x + y + z + w); },
                     joined) != 12;
    cs::pair<Moved, int> p(Moved(3), 1);
    bad += p.first.v != 3;
    cs::pair<int, cs::pair<int, int>> q(cs::piecewise_construct, cs::make_tuple(8),
                                        cs::make_tuple(9, 10));
    bad += q.first != 8 || q.second.second != 10;
    return bad;
}
__global__ void uses_there(int *out)
{
    *out = uses();
}
int main()
{
    int *m, bad = 0;
    cudaMallocManaged(&m, 64 * sizeof *m);
    COMPARE(cs::tuple<char>);
    COMPARE(cs::tuple<int, float, char>);
    COMPARE(cs::tuple<char, int, char>);
    COMPARE(cs::tuple<char, char, int>);
    COMPARE(cs::tuple<Ten, char>);
    COMPARE(cs::tuple<char, Ten>);
    COMPARE(cs::tuple<Empty, int>);
    COMPARE(cs::tuple<int, Empty, Other, double>);
    COMPARE(cs::tuple<Empty, Empty, short>);
    COMPARE(cs::tuple<Sealed, int>);
    COMPARE(cs::tuple<cs::tuple<char, int>, char>);
    COMPARE(cs::tuple<cs::tuple<int, char>, char>);
    COMPARE(cs::tuple<char, cs::pair<int, char>, char>);
    COMPARE(cs::pair<char, double>);
    COMPARE(cs::pair<Ten, cs::tuple<char, short>>);
    COMPARE(std::tuple<short, long, Empty>);
    cs::tuple<short, double> *t;
    cudaMallocManaged(&t, sizeof *t);
    *t = cs::make_tuple((short)3, 5.0);
    read<<<1, 1>>>(cs::make_tuple(1, 2.5f, (char)3), cs::make_pair(4, (char)5), t, m);
    cudaDeviceSynchronize();
    printf("%d %d %d %d %d, %d %g\n", m[0], m[1], m[2], m[3], m[4], cs::get<0>(*t), cs::get<1>(*t));
    uses_there<<<1, 1>>>(m);
    cudaDeviceSynchronize();
    bad += *m + uses() + (m[1] != 5);
    puts(bad ? "wrong" : "ok");
    return bad != 0;
}
