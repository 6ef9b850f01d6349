// NOT ON: vulkan: one kernel has all functions inlined, for which Mesa takes more than 8 GB
// Complex functions at the ends of the range: zeros, infinities, numbers whose exponentials do not
// fit. The host's library is the reference.
#include <cuda/std/complex>
#include <cmath>
#include <complex>
#include <nv/target>
#include "check.h"

typedef cuda::std::complex<double> C;
#define FUNCTIONS(X)                                                                               \
    X(exp)                                                                                         \
    X(sinh) X(cosh) X(tanh) X(sin) X(cos) X(tan) X(sqrt) X(asin) X(acos) X(atan) X(asinh) X(acosh) \
        X(atanh) X(proj)
__host__ __device__ C here(int k, C z)
{
    int n = 0;
#define ONE(g)                                                                                     \
    if (k == n++)                                                                                  \
        return cuda::std::g(z);
    FUNCTIONS(ONE)
    return z;
}
static std::complex<double> there(int k, std::complex<double> z)
{
    int n = 0;
#define TWO(g)                                                                                     \
    if (k == n++)                                                                                  \
        return std::g(z);
    FUNCTIONS(TWO)
    return z;
}
__global__ void kernel(const C *z, C *out, int n, int functions)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; i < n && j < functions; j++)
        out[j * n + i] = here(j, z[i]);
}
#define NAME(g) #g,
static const char *name[] = {FUNCTIONS(NAME)};

/* Signs of zeros and infinities are the implementation's where the other part is a NaN. */
static bool same(double a, double b, double size, double other)
{
    if (a != a || b != b)
        return a != a && b != b;
    if (other != other)
        return std::fabs(a) == std::fabs(b);
    if (a == b)
        return a != 0 || std::signbit(a) == std::signbit(b);
    return !std::isinf(a) && !std::isinf(b) &&
           (std::fabs(a - b) <= 1e-13 * std::fabs(b) || std::fabs(a - b) < 1e-14 * size);
}
/* statements of NV_IF_TARGET with parentheses and without */
__host__ __device__ int half()
{
    int h = 0;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (h = 1; h++;), h = 1;)
    NV_IF_TARGET(NV_IS_HOST, h += 10;)
    return h;
}
__global__ void which(int *out)
{
    *out = half();
}
int main()
{
    const double v[] = {0.,   -0., 1,    -1,    .5,     -.5,      1e-300,    -1e-300, 1e-9,
                        3,    -3,  20,   -20,   30,     -30,      709.5,     -709.5,  710.2,
                        -711, 1e4, -1e4, 1e300, -1e300, INFINITY, -INFINITY, 1.1,     -1.7};
    const int m = sizeof v / sizeof *v, n = m * m, functions = sizeof name / sizeof *name;
    C *z, *out;
    int bad = 0, *h;
    CUDA(cudaMallocManaged(&z, n * sizeof(C)));
    CUDA(cudaMallocManaged(&out, n * functions * sizeof(C)));
    CUDA(cudaMallocManaged(&h, sizeof *h));
    for (int i = 0; i < n; i++)
        z[i] = C(v[i / m], v[i % m]);
    kernel<<<n / 128 + 1, 128>>>(z, out, n, functions);
    which<<<1, 1>>>(h);
    CUDA(cudaDeviceSynchronize());
    CHECK(*h == 2 && half() == 11);
    for (int j = 0; j < functions; j++)
        for (int i = 0; i < n; i++) {
            const std::complex<double> w = there(j, {z[i].real(), z[i].imag()});
            for (const C a : {out[j * n + i], here(j, z[i])})
                if (!same(a.real(), w.real(), std::abs(w), w.imag()) ||
                    !same(a.imag(), w.imag(), std::abs(w), w.real())) {
                    printf("%s(%g, %g) is (%.17g, %.17g), not (%.17g, %.17g)\n", name[j],
                           z[i].real(), z[i].imag(), w.real(), w.imag(), a.real(), a.imag());
                    bad++;
                }
        }
    CHECK(bad == 0);
    puts("ok");
}
