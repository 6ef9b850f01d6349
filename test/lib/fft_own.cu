// OPTIONS: -lcufft
// LONG ON: vulkan: a kernel for each length takes long to compile there
// Cosine and sine transforms, convolution, transforms modulo primes: against their sums.
#include <tern_fft.h>
#include "fft.h"

typedef unsigned long long u64;

/* FFTW's definitions, the factor of x[j] in y[k]. */
static double factor(int kind, int n, int j, int k)
{
    const double pi = M_PI;
    switch (kind) {
    case TERN_DCT1: return j == 0 ? 1 : j == n - 1 ? (k % 2 ? -1 : 1) : 2 * cos(pi * j * k / (n - 1));
    case TERN_DCT2: return 2 * cos(pi * (j + 0.5) * k / n);
    case TERN_DCT3: return j == 0 ? 1 : 2 * cos(pi * j * (k + 0.5) / n);
    case TERN_DCT4: return 2 * cos(pi * (j + 0.5) * (k + 0.5) / n);
    case TERN_DST1: return 2 * sin(pi * (j + 1) * (k + 1) / (n + 1));
    case TERN_DST2: return 2 * sin(pi * (j + 0.5) * (k + 1) / n);
    case TERN_DST3: return j == n - 1 ? (k % 2 ? -1 : 1) : 2 * sin(pi * (j + 1) * (k + 0.5) / n);
    default: return 2 * sin(pi * (j + 0.5) * (k + 0.5) / n);
    }
}

template <class T> static void real_kinds(cudaDataType type, int n, double tolerance)
{
    const int batch = 2;
    T *x, *y;
    CUDA(cudaMallocManaged(&x, batch * n * sizeof *x));
    CUDA(cudaMallocManaged(&y, batch * n * sizeof *y));
    for (int i = 0; i < batch * n; i++)
        x[i] = (T)number(i);
    for (int kind = TERN_DCT1; kind <= TERN_DST4; kind++) {
        if (kind == TERN_DCT1 && n < 2) {
            CHECK(ternRealTransform(0, type, TERN_DCT1, n, batch, x, y) == CUFFT_INVALID_SIZE);
            continue;
        }
        FFT(ternRealTransform(0, type, (ternRealKind_t)kind, n, batch, x, y));
        CUDA(cudaDeviceSynchronize());
        for (int b = 0; b < batch; b++)
            for (int k = 0; k < n; k++) {
                double want = 0;
                for (int j = 0; j < n; j++)
                    want += factor(kind, n, j, k) * (double)x[b * n + j];
                CHECK(fabs(want - (double)y[b * n + k]) < tolerance * n);
            }
    }
    CUDA(cudaFree(x));
    CUDA(cudaFree(y));
}

/* There and back, in place: the scale that the header tells. */
static void real_round(int n)
{
    double *x;
    CUDA(cudaMallocManaged(&x, n * sizeof *x));
    const ternRealKind_t pairs[][2] = {{TERN_DCT2, TERN_DCT3}, {TERN_DST3, TERN_DST2}, {TERN_DCT4, TERN_DCT4}, {TERN_DCT1, TERN_DCT1}, {TERN_DST1, TERN_DST1}};
    for (auto &p : pairs) {
        const double scale = 2.0 * (p[0] == TERN_DCT1 ? n - 1 : p[0] == TERN_DST1 ? n + 1 : n);
        for (int i = 0; i < n; i++)
            x[i] = number(i);
        FFT(ternRealTransform(0, CUDA_R_64F, p[0], n, 1, x, x));
        FFT(ternRealTransform(0, CUDA_R_64F, p[1], n, 1, x, x));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++)
            CHECK(fabs(x[i] / scale - number(i)) < 1e-12);
    }
    CUDA(cudaFree(x));
}

template <class T> static void convolve(cudaDataType type, int na, int nb, double tolerance)
{
    const int batch = 2, nc = na + nb - 1, parts = type == CUDA_C_32F || type == CUDA_C_64F ? 2 : 1;
    T *a, *b, *c;
    CUDA(cudaMallocManaged(&a, batch * na * parts * sizeof *a));
    CUDA(cudaMallocManaged(&b, batch * nb * parts * sizeof *b));
    CUDA(cudaMallocManaged(&c, batch * nc * parts * sizeof *c));
    for (int i = 0; i < batch * na * parts; i++)
        a[i] = (T)number(i);
    for (int i = 0; i < batch * nb * parts; i++)
        b[i] = (T)number(10000 + i);
    FFT(ternConvolve(0, type, na, nb, batch, a, b, c));
    CUDA(cudaDeviceSynchronize());
    auto at = [&](const T *p, int i) { return parts == 1 ? zd(p[i]) : zd(p[2 * i], p[2 * i + 1]); };
    for (int k = 0; k < batch; k++) {
        std::vector<zd> want(nc);
        for (int i = 0; i < na; i++)
            for (int j = 0; j < nb; j++)
                want[i + j] += at(a, k * na + i) * at(b, k * nb + j);
        for (int i = 0; i < nc; i++)
            CHECK(std::abs(want[i] - at(c, k * nc + i)) < tolerance * (na < nb ? na : nb));
    }
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    CUDA(cudaFree(c));
}

static u64 times(u64 a, u64 b, u64 p) { return (u64)((unsigned __int128)a * b % p); }

template <class U> static void modular(int bits, int n, u64 p, u64 given)
{
    const int batch = 2;
    ternNtt_t plan;
    U *x, *y;
    CUDA(cudaMallocManaged(&x, batch * n * sizeof *x));
    CUDA(cudaMallocManaged(&y, batch * n * sizeof *y));
    FFT(ternNttCreate(&plan, bits, n, batch, p, given));
    const u64 root = ternNttRoot(plan);
    CHECK(!given || given == root);
    u64 seed = 12345;
    for (int i = 0; i < batch * n; i++)
        x[i] = (U)((seed = seed * 6364136223846793005ull + 1442695040888963407ull) >> (64 - bits)); // not all below p
    std::vector<U> was(x, x + batch * n);
    FFT(ternNttExecute(plan, 0, x, y, CUFFT_FORWARD));
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < batch; b++)
        for (int k = 0, step = n > 64 ? 37 : 1; k < n; k += step) {
            u64 sum = 0, w = 1, r = 1;
            for (int e = 0; e < k; e++)
                r = times(r, root, p);
            for (int j = 0; j < n; j++, w = times(w, r, p))
                sum = (u64)(((unsigned __int128)sum + times(was[b * n + j] % p, w, p)) % p);
            CHECK(y[b * n + k] == (U)sum);
        }
    FFT(ternNttExecute(plan, 0, y, y, CUFFT_INVERSE)); // in place
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < batch * n; i++)
        CHECK(y[i] == was[i] % p);
    /* A product of polynomials modulo x^n - 1. */
    for (int i = 0; i < batch * n; i++)
        y[i] = (U)((i * 7919u + 5) % 1000);
    std::vector<U> other(y, y + batch * n);
    FFT(ternNttMultiply(plan, 0, x, y, y));
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < batch; b++)
        for (int k = 0, step = n > 64 ? 29 : 1; k < n; k += step) {
            u64 sum = 0;
            for (int j = 0; j < n; j++)
                sum = (u64)(((unsigned __int128)sum + times(was[b * n + j] % p, other[b * n + (k - j + n) % n], p)) % p);
            CHECK(y[b * n + k] == (U)sum);
        }
    FFT(ternNttDestroy(plan));
    CUDA(cudaFree(x));
    CUDA(cudaFree(y));
}

static void refused()
{
    ternNtt_t plan;
    CHECK(ternNttCreate(&plan, 32, 8, 1, 15, 0) == CUFFT_INVALID_VALUE);                  // no prime
    CHECK(ternNttCreate(&plan, 32, 8, 1, 18446744069414584321ull, 0) == CUFFT_INVALID_VALUE); // 64 bits
    CHECK(ternNttCreate(&plan, 32, 16, 1, 41, 0) == CUFFT_INVALID_SIZE);                  // 16 does not divide 40
    CHECK(ternNttCreate(&plan, 32, 67, 1, 269, 0) == CUFFT_INVALID_SIZE);                 // a prime above 61 in it
    CHECK(ternNttCreate(&plan, 32, 8, 1, 17, 4) == CUFFT_INVALID_VALUE);                  // of order 4
    CHECK(ternNttDestroy(nullptr) == CUFFT_INVALID_PLAN);
    float x[2];
    CHECK(ternRealTransform(0, CUDA_R_16F, TERN_DCT2, 2, 1, x, x) == CUFFT_INVALID_TYPE);
    CHECK(ternConvolve(0, CUDA_R_32F, 0, 2, 1, x, x, x) == CUFFT_INVALID_SIZE);
}

int main()
{
    for (int n : {1, 2, 5, 16, 33})
        real_kinds<double>(CUDA_R_64F, n, 1e-13);
    real_kinds<float>(CUDA_R_32F, 24, 1e-6);
    real_round(40);
    convolve<float>(CUDA_R_32F, 17, 5, 1e-6);
    convolve<double>(CUDA_R_64F, 3, 60, 1e-13);
    convolve<float>(CUDA_C_32F, 9, 9, 1e-6);
    convolve<double>(CUDA_C_64F, 1, 7, 1e-13);
    modular<unsigned>(32, 1, 3, 0);
    modular<unsigned>(32, 2, 998244353, 0);
    modular<unsigned>(32, 512, 998244353, 0);
    modular<unsigned>(32, 60, 4294967161u, 0);               // above 2^31; 60 = 4 * 3 * 5
    modular<unsigned>(32, 8, 17, 2);
    modular<u64>(64, 256, 18446744069414584321ull, 0);       // 2^64 - 2^32 + 1
    modular<u64>(64, 122, 18446744073709551113ull, 0);      // 2 * 61
    refused();
    printf("ok\n");
}
