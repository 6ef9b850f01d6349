// Quotients and square roots of f64 are rounded to nearest, in the middle of the range and at its ends: held against the host's.
#include <cmath>
#include <cstring>
#include <vector>
#include "check.h"

__global__ void compute(const double *a, const double *b, double *quotient, double *root, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        quotient[i] = a[i] / b[i];
        root[i] = sqrt(fabs(a[i]));
    }
}

static unsigned long long state = 12345;
static unsigned long long number()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state ^ state >> 29;
}

static double with_exponent(unsigned long long bits, unsigned long long exponent)
{
    double x;
    bits = (bits & 0x800fffffffffffffull) | exponent << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const double ends[] = {0., -0., 1., -1., 3., INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1e-310, 1e308,
                              2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1. / 3};

// any bits, the middle of the range, fractions of ones, ends on either side, zeros divided
static void make(double &a, double &b)
{
    const unsigned kind = number() % 8;
    a = with_exponent(number() | (kind == 2 ? 0xffffffff00000ull : 0), kind < 4 ? 983 + number() % 80 : number() % 2048);
    b = with_exponent(number() | (kind == 1 ? 0xfffffffffff00ull : 0), kind < 4 ? 983 + number() % 80 : number() % 2048);
    if (kind == 5)
        a = ends[number() % 16];
    else if (kind == 6)
        b = ends[number() % 16];
    else if (kind == 7)
        a = ends[number() % 2], b = number() % 4 ? b : with_exponent(number(), 0);
}

static bool same(double x, double y)
{
    return !memcmp(&x, &y, sizeof x) || (x != x && y != y);
}

int main()
{
    const int n = 8192;
    std::vector<double> a(n), b(n), quotient(n), root(n);
    for (int i = 0; i < n; i++)
        make(a[i], b[i]);
    double *x;
    CHECK(cudaMalloc(&x, 4 * n * sizeof *x) == cudaSuccess);
    cudaMemcpy(x, a.data(), n * sizeof *x, cudaMemcpyHostToDevice);
    cudaMemcpy(x + n, b.data(), n * sizeof *x, cudaMemcpyHostToDevice);
    compute<<<n / 128, 128>>>(x, x + n, x + 2 * n, x + 3 * n, n);
    CHECK(cudaMemcpy(quotient.data(), x + 2 * n, n * sizeof *x, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(cudaMemcpy(root.data(), x + 3 * n, n * sizeof *x, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0; i < n; i++) {
        CHECK(same(quotient[i], a[i] / b[i]));
        CHECK(same(root[i], std::sqrt(std::fabs(a[i]))));
    }
    puts("ok");
}
