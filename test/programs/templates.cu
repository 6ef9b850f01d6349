// Template kernels: types, values, packs, functors, namespaces, function pointers to kernels.
#include "check.h"

namespace ops {
struct Add {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Max {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T, int N, class Op> __global__ void reduce(const T *in, T *out, Op op)
{
    __shared__ T s[N];
    s[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
    __syncthreads();
    for (int k = N / 2; k; k /= 2) {
        if (threadIdx.x < k)
            s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = s[0];
}
} // namespace ops

template <typename... A> __global__ void sum_all(int *out, A... a)
{
    *out = (0 + ... + a);
}

template <class T> void run()
{
    const int n = 256;
    T h[n], *d, *o, r[4];
    for (int i = 0; i < n; i++)
        h[i] = (T)((i * 37) % 101);
    CUDA(cudaMalloc(&d, sizeof h));
    CUDA(cudaMalloc(&o, sizeof r));
    CUDA(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    ops::reduce<T, 64><<<4, 64>>>(d, o, ops::Add());
    CUDA(cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 4; b++) {
        T s = 0;
        for (int i = 0; i < 64; i++)
            s += h[b * 64 + i];
        CHECK(r[b] == s);
    }
    void (*kernel)(const T *, T *, ops::Max) = ops::reduce<T, 128, ops::Max>;
    kernel<<<2, 128>>>(d, o, ops::Max{});
    CUDA(cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 2; b++) {
        T m = h[b * 128];
        for (int i = 0; i < 128; i++)
            m = ops::Max()(m, h[b * 128 + i]);
        CHECK(r[b] == m);
    }
    CUDA(cudaFree(d));
    CUDA(cudaFree(o));
}

// A kernel whose name is longer than most.
template <class A, class B> struct both {
    static constexpr int leaves = A::leaves + B::leaves;
};
struct one_leaf {
    static constexpr int leaves = 1;
};
template <class T, int N> struct tree : tree<both<T, T>, N - 1> {};
template <class T> struct tree<T, 0> {
    using type = T;
};
template <class T> __global__ void count_leaves(int *out) { *out = T::leaves; }

// Templates of one name: the parameters tell which is meant. Of `other` one is launched.
template <int A, int B> __global__ void several(int *out, const int first) { *out = A * first + B; }
namespace {
template <int A, int B>
__global__ void several(int *__restrict__ const out, const short *, float (*const pairs)[2], bool minus)
{
    *out = (minus ? A - B : A + B) + (pairs != nullptr);
}
} // namespace
template <class T> __global__ void several(T *out) { *out = 1; }
template <> __global__ void several<int>(int *out) { *out = 2; }
template <int A> __global__ void other(int *out) { *out = A; }
template <int A> __global__ void other(int *out, int more) { *out = A + more; }

static void run_several(int *out)
{
    several<5, 3><<<1, 1>>>(out, 7);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 38);
    several<5, 3><<<1, 1>>>(out, nullptr, nullptr, true);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 2);
    several<int><<<1, 1>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 2);
    several<unsigned><<<1, 1>>>((unsigned *)out);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 1);
    other<40><<<1, 1>>>(out, 2);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == 42);
}

int main()
{
    run<int>();
    run<float>();
    run<double>();
    run<unsigned long long>();
    int *d, r;
    CUDA(cudaMalloc(&d, sizeof r));
    sum_all<<<1, 1>>>(d, 1, 2, 3, 4);
    CUDA(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r == 10);
    sum_all<<<1, 1>>>(d, (short)5, 6u);
    CUDA(cudaMemcpy(&r, d, sizeof r, cudaMemcpyDeviceToHost));
    CHECK(r == 11);
    int *leaves;
    CUDA(cudaMallocManaged(&leaves, sizeof *leaves));
    count_leaves<tree<one_leaf, 8>::type><<<1, 1>>>(leaves);
    CUDA(cudaDeviceSynchronize());
    CHECK(*leaves == 256);
    run_several(leaves);
    puts("ok");
}
