// Many instantiations of one kernel, of which a few are launched: each is compiled when it is.
#include <utility>
#include "check.h"

template <int N, class T> __global__ void power(T *x)
{
    T y = 1;
    for (int k = 0; k < N; k++)
        y *= x[threadIdx.x];
    x[threadIdx.x] = y;
}
template <class T> using kernel = void (*)(T *);
template <class T, int... N> kernel<T> nth(int n, std::integer_sequence<int, N...>)
{
    static const kernel<T> all[] = {power<N, T>...};
    return all[n];
}
__global__ void plain(float *x) { x[threadIdx.x] = threadIdx.x; }
void (*const table[2][2])(float *) = {{plain, nullptr}, {nullptr, plain}};
auto chosen(int n) { return table[n]; }

int main()
{
    std::make_integer_sequence<int, 40> numbers;
    float *x, got[8];
    CUDA(cudaMalloc(&x, sizeof got));
    for (int n : {3, 17, 3, 39}) {
        if (n > 3)
            (*plain)<<<1, 8>>>(x);
        else if (n)
            chosen(1)[1]<<<1, 8>>>(x);
        table[0][0]<<<1, 8>>>(x);
        nth<float>(n, numbers)<<<1, 8>>>(x);
        CUDA(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
        CHECK(got[0] == 0 && got[1] == 1 && got[2] == (float)(1ull << n));
    }
    kernel<double> k = nth<double>(2, numbers);
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, (const void *)k));
    CHECK(a.maxThreadsPerBlock > 0);
    CUDA(cudaDeviceReset());
    double *y, one[1] = {-3};
    CUDA(cudaMalloc(&y, sizeof one));
    CUDA(cudaMemcpy(y, one, sizeof one, cudaMemcpyHostToDevice));
    k<<<1, 1>>>(y);
    CUDA(cudaMemcpy(one, y, sizeof one, cudaMemcpyDeviceToHost));
    CHECK(one[0] == 9);
    puts("ok");
}
