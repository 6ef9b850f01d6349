// Host functions whose result is deduced, read by the device half for it: what is for host code alone in them does not matter.
#include <iostream>
#include <sstream>

struct desc {
    int v;
};
template <class T> inline auto make(T n)
{
    desc d{(int)n};
    if (n > 1000) {
        std::cerr << "large " << n << std::endl;
        return desc{-1};
    }
    std::ostringstream all;
    all << n;
    return d;
}
template <class D> __global__ void tell(D d, int *out)
{
    *out += d.v;
}
template <class T> struct holder {
    using type = decltype(make(T()));
    type d;
};
int main()
{
    holder<int> h{make(7)};
    int *out;
    cudaMallocManaged(&out, sizeof *out);
    *out = 0;
    tell<<<1, 1>>>(h.d, out);
    tell<holder<int>::type><<<1, 1>>>(h.d, out);
    cudaDeviceSynchronize();
    std::cout << (*out == 14 ? "ok" : "wrong") << "\n";
    return *out != 14;
}
