// Kernel templates over everything a template can be over: the two halves agree on the names.
#include "check.h"

enum class place { here, there };
enum plain { zero, one, two };
namespace deep {
struct tag {};
template <class T> struct holder {
    struct inner {};
};
} // namespace deep
namespace {
struct hidden {};
} // namespace

template <class T, place P, bool B> __global__ void enums(int *out) { *out = (int)P * 10 + B + (int)sizeof(T); }
template <plain P, char C, unsigned U, long long L> __global__ void numbers(long long *out) { *out = P + C + U + L; }
template <class... Ts> __global__ void types(int *out) { *out = (0 + ... + (int)sizeof(Ts)); }
template <template <class> class H, class T> __global__ void templates(int *out) { *out = (int)sizeof(typename H<T>::inner) + (int)sizeof(T); }
template <class T> struct outer {
    template <int N> static __device__ int value() { return N + (int)sizeof(T); }
};
template <class T, int N = 3, class U = deep::holder<T>> __global__ void defaults(int *out) { *out = outer<T>::template value<N>() + (int)sizeof(U); }
namespace deep {
template <class A, class B> __global__ void nested(int *out) { *out = (int)sizeof(A) * 100 + (int)sizeof(B); }
}
template <class F> __global__ void signature(int *out, F *f = nullptr) { *out = f == nullptr; }

int main()
{
    int *d, h;
    long long *l;
    CUDA(cudaMallocManaged(&d, sizeof *d));
    CUDA(cudaMallocManaged(&l, sizeof *l));
    auto got = [&] {
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
        h = *d;
        return h;
    };
    enums<double, place::there, true><<<1, 1>>>(d);
    CHECK(got() == 19);
    enums<unsigned char, place::here, false><<<1, 1>>>(d);
    CHECK(got() == 1);
    numbers<two, 'a', 4000000000u, -5000000000LL><<<1, 1>>>(l);
    got();
    CHECK(*l == 2 + 97 + 4000000000LL - 5000000000LL);
    types<int, const float *, deep::tag, hidden, unsigned long, float[3], double2><<<1, 1>>>(d);
    CHECK(got() == 4 + 8 + 1 + 1 + 8 + 12 + 16);
    types<><<<1, 1>>>(d);
    CHECK(got() == 0);
    templates<deep::holder, short><<<1, 1>>>(d);
    CHECK(got() == 3);
    defaults<long><<<1, 1>>>(d);
    CHECK(got() == 12);
    defaults<char, -7, hidden *><<<1, 1>>>(d);
    CHECK(got() == -7 + 1 + 8);
    deep::nested<deep::holder<deep::holder<int>>::inner, int (*)(float, char)><<<1, 1>>>(d);
    CHECK(got() == 108);
    signature<int(const char *, ...)><<<1, 1>>>(d);
    CHECK(got() == 1);
    puts("ok");
}
