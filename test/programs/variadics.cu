// Packs, folds, recursion over them, tuples of one's own, index sequences, perfect forwarding.
#include <type_traits>
#include <utility>
#include "check.h"

template <class... Ts> struct tuple;
template <> struct tuple<> {
};
template <class T, class... Rest> struct tuple<T, Rest...> : tuple<Rest...> {
    T value;
    __host__ __device__ tuple(T v, Rest... rest) : tuple<Rest...>(rest...), value(v) {}
};
template <size_t I, class T, class... Rest> __host__ __device__ auto &get(tuple<T, Rest...> &t)
{
    if constexpr (I == 0)
        return t.value;
    else
        return get<I - 1>(static_cast<tuple<Rest...> &>(t));
}
template <class... Ts> __host__ __device__ auto sum(Ts... xs) { return (xs + ... + 0); }
template <class F, class... Ts> __host__ __device__ void each(F f, Ts &&...xs) { (f(std::forward<Ts>(xs)), ...); }
template <class Tuple, size_t... I> __host__ __device__ double total(Tuple &t, std::index_sequence<I...>)
{
    return (0.0 + ... + (double)get<I>(t));
}
template <class T, class... Rest> __host__ __device__ T largest(T first, Rest... rest)
{
    if constexpr (sizeof...(rest) == 0) {
        return first;
    } else {
        T other = largest<T>(rest...);
        return first < other ? other : first;
    }
}
template <int... Ns> struct list {
    static constexpr int count = sizeof...(Ns);
    static constexpr int product = (1 * ... * Ns);
};
template <class... Args> __global__ void store(double *out, Args... args)
{
    int i = 0;
    each([&](auto x) { out[i++] = (double)x; }, args...);
    tuple<Args...> t(args...);
    out[i++] = total(t, std::index_sequence_for<Args...>());
    out[i++] = sum(args...);
    out[i++] = largest<double>((double)args...);
    out[i++] = list<2, 3, 4>::product + list<>::count;
}

int main()
{
    double *out;
    CUDA(cudaMallocManaged(&out, 64 * sizeof *out));
    store<<<1, 1>>>(out, 1, 2.5f, 'A', 4.0, true);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 1 && out[1] == 2.5 && out[2] == 65 && out[3] == 4 && out[4] == 1);
    CHECK(out[5] == 73.5 && out[6] == 73.5 && out[7] == 65 && out[8] == 24);
    store<<<1, 1>>>(out, 5u);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 5 && out[1] == 5 && out[3] == 5);
    puts("ok");
}
