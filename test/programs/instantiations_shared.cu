// Many instantiations that count in a variable which they have in common: they are compiled together.
#include <utility>
#include "check.h"

__device__ int next()
{
    static __device__ int count = 40;
    return atomicAdd(&count, 2);
}
template <int N> __global__ void take(int *out) { *out = next() * 100 + N; }
template <int... N> void launch(int n, int *out, std::integer_sequence<int, N...>)
{
    void (*const all[])(int *) = {take<N>...};
    all[n]<<<1, 1>>>(out);
}

int main()
{
    int *out, got, count = 40;
    CUDA(cudaMalloc(&out, sizeof *out));
    for (int n : {0, 19, 7}) {
        launch(n, out, std::make_integer_sequence<int, 20>());
        CUDA(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(got == count * 100 + n);
        count += 2;
    }
    puts("ok");
}
