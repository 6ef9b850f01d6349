// Operators of literals: of values, of their text, templates of their characters, of characters and strings; on the device, too.
#include <cstdio>

#define BOTH __host__ __device__ constexpr
template <char... C> BOTH int operator""_decimal()
{
    int r = 0;
    ((r = r * 10 + (C - '0')), ...);
    return r;
}
BOTH int operator""_length(const char *s)
{
    int n = 0;
    while (s[n])
        n++;
    return n;
}
BOTH unsigned long long operator""_k(unsigned long long v) { return v * 1024; }
BOTH double operator""_half(long double v) { return (double)v / 2; }
BOTH double operator""_half(unsigned long long v) { return (double)v * 100; }
BOTH int operator""_next(char c) { return c + 1; }
BOTH int operator""_sum(const char *s, size_t n) { return s[0] * 10 + (int)n; }

__host__ __device__ void all(double *out)
{
    out[0] = 123_decimal;
    out[1] = 0x1f_length;
    out[2] = 99999999999999999999999999_length; // more than any integer holds
    out[3] = 3_k;
    out[4] = 3.0_half;
    out[5] = 3_half;
    out[6] = 'a'_next;
    out[7] = "xy"_sum;
}
__global__ void kernel(double *out) { all(out); }

int main()
{
    double here[8], *there;
    all(here);
    cudaMallocManaged(&there, sizeof here);
    kernel<<<1, 1>>>(there);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++)
        printf("%g %g\n", here[i], there[i]);
}
