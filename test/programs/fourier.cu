// A fast Fourier transform in shared memory, forth and back, against the definition.
#include <cmath>
#include "check.h"

struct complex {
    float re, im;
    __host__ __device__ complex operator+(complex o) const { return {re + o.re, im + o.im}; }
    __host__ __device__ complex operator-(complex o) const { return {re - o.re, im - o.im}; }
    __host__ __device__ complex operator*(complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};
template <int N> __global__ void fft(complex *data, float sign)
{
    __shared__ complex s[N];
    complex *mine = data + blockIdx.x * N;
    constexpr int bits = __builtin_ctz(N);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        s[__brev((unsigned)i) >> (32 - bits)] = mine[i];
    for (int half = 1; half < N; half *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < N / 2; i += blockDim.x) {
            int k = i % half, low = (i / half) * 2 * half + k;
            float si, co;
            sincospif(sign * k / half, &si, &co);
            complex t = s[low + half] * complex{co, si};
            s[low + half] = s[low] - t;
            s[low] = s[low] + t;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        mine[i] = s[i];
}

int main()
{
    const int N = 256, batch = 3;
    complex *d, h[N * batch];
    CUDA(cudaMallocManaged(&d, sizeof h));
    for (int i = 0; i < N * batch; i++)
        d[i] = h[i] = {cosf(i * 0.37f) + (i % 7) * 0.1f, sinf(i * 1.1f)};
    fft<N><<<batch, 64>>>(d, -1);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < batch; b++)
        for (int k = 0; k < N; k += 17) {
            double re = 0, im = 0;
            for (int i = 0; i < N; i++) {
                double angle = -2 * M_PI * k * i / N;
                re += h[b * N + i].re * cos(angle) - h[b * N + i].im * sin(angle);
                im += h[b * N + i].re * sin(angle) + h[b * N + i].im * cos(angle);
            }
            CHECK(fabs(d[b * N + k].re - re) < 2e-3 && fabs(d[b * N + k].im - im) < 2e-3);
        }
    fft<N><<<batch, 128>>>(d, 1);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N * batch; i++)
        CHECK(fabsf(d[i].re / N - h[i].re) < 1e-5f && fabsf(d[i].im / N - h[i].im) < 1e-5f);
    puts("ok");
}
