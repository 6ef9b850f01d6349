// Many instantiations that read constant tables and strings, built one at a time; and what the host sees of the tables, of
// which there may then be several.
#include <utility>
#include "check.h"

static const __device__ int squares[20] = {0,   1,   4,   9,   16,  25,  36,  49,  64,  81,
                                           100, 121, 144, 169, 196, 225, 256, 289, 324, 361};

template <int n> __global__ void read(int *out)
{
    if (n > 100)
        printf("never\n");
    *out = squares[n] + n;
}

template <int n> static void check_read(int *out)
{
    read<n><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == n * n + n);
}
template <int... n> static void check_all(int *out, std::integer_sequence<int, n...>)
{
    (check_read<n>(out), ...);
}

int main()
{
    int *out, seen[20];
    void *at;
    CUDA(cudaMallocManaged(&out, sizeof *out));
    check_all(out, std::make_integer_sequence<int, 10>());
    CUDA(cudaMemcpyFromSymbol(seen, squares, sizeof seen));
    CHECK(seen[19] == 361);
    CUDA(cudaGetSymbolAddress(&at, squares));
    CHECK(at);
    check_all(out, std::make_integer_sequence<int, 20>());
    puts("ok");
    return 0;
}
