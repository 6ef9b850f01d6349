// LONG ON: interp: ten seconds and more
// Transforms of every length to 64, primes, powers, mixtures and long ones: complex and real, both precisions, forwards and
// backwards, in batches, in place and out of place, against sums.
#include "fft.h"

template <class R> struct types;
template <> struct types<float> {
    typedef cufftComplex C;
    static const cufftType c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R;
    static double eps() { return 1.2e-7; }
    static cufftResult run(cufftHandle p, C *a, C *b, int d) { return cufftExecC2C(p, a, b, d); }
    static cufftResult run(cufftHandle p, float *a, C *b) { return cufftExecR2C(p, a, b); }
    static cufftResult run(cufftHandle p, C *a, float *b) { return cufftExecC2R(p, a, b); }
};
template <> struct types<double> {
    typedef cufftDoubleComplex C;
    static const cufftType c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D;
    static double eps() { return 2.3e-16; }
    static cufftResult run(cufftHandle p, C *a, C *b, int d) { return cufftExecZ2Z(p, a, b, d); }
    static cufftResult run(cufftHandle p, double *a, C *b) { return cufftExecD2Z(p, a, b); }
    static cufftResult run(cufftHandle p, C *a, double *b) { return cufftExecZ2D(p, a, b); }
};

template <class C> std::vector<zd> wide(const std::vector<C> &v)
{
    std::vector<zd> w(v.size());
    for (size_t i = 0; i < v.size(); i++)
        w[i] = zd(v[i].x, v[i].y);
    return w;
}

// Errors grow with the logarithm of the length; a chirp's convolution is two transforms.
static double allowed(double eps, long long n)
{
    return eps * (2.0 + 1.5 * log2((double)n + 1));
}

static void judge(const char *what, long long n, int batch, double d, double limit)
{
    if (!(d <= limit)) {
        printf("%s of %lld, %d times: %g, allowed %g\n", what, n, batch, d, limit);
        exit(1);
    }
}

template <class R> static void complex_lines(int n, int batch)
{
    typedef typename types<R>::C C;
    std::vector<C> x((size_t)n * batch);
    for (size_t i = 0; i < x.size(); i++) {
        x[i].x = (R)number(2 * i);
        x[i].y = (R)number(2 * i + 1);
    }
    device<C> in(x), out(x.size());
    cufftHandle plan;
    FFT(cufftPlan1d(&plan, n, types<R>::c2c, batch));
    for (int direction = -1; direction <= 1; direction += 2) {
        std::vector<zd> want = wide(x);
        const std::vector<zd> w = roots(n, direction);
        for (int b = 0; b < batch; b++)
            line(want, (size_t)b * n, 1, w);
        FFT(types<R>::run(plan, in.p, out.p, direction));
        judge("complex", n, batch, distance(wide(out.get()), want), allowed(types<R>::eps(), n));
        if (memcmp(in.get().data(), x.data(), x.size() * sizeof(C))) {
            printf("a transform of %d out of place has written to its input\n", n);
            exit(1);
        }
        out.put(x);
        FFT(types<R>::run(plan, out.p, out.p, direction));
        judge("complex in place", n, batch, distance(wide(out.get()), want), allowed(types<R>::eps(), n));
    }
    FFT(cufftDestroy(plan));
}

template <class R> static void real_lines(int n, int batch)
{
    typedef typename types<R>::C C;
    const size_t half = n / 2 + 1;
    std::vector<R> x((size_t)n * batch), padded(2 * half * batch);
    std::vector<zd> whole((size_t)n * batch), want(half * batch);
    for (int b = 0; b < batch; b++)
        for (int j = 0; j < n; j++) {
            const R v = (R)number((unsigned long long)b * n + j);
            x[(size_t)b * n + j] = padded[2 * half * b + j] = v;
            whole[(size_t)b * n + j] = v;
        }
    const std::vector<zd> w = roots(n, -1);
    for (int b = 0; b < batch; b++) {
        line(whole, (size_t)b * n, 1, w);
        for (size_t k = 0; k < half; k++)
            want[b * half + k] = whole[(size_t)b * n + k];
    }
    device<R> in(x), back(x.size()), in_place(padded);
    device<C> out(want.size());
    cufftHandle there, home;
    FFT(cufftPlan1d(&there, n, types<R>::r2c, batch));
    FFT(cufftPlan1d(&home, n, types<R>::c2r, batch));
    FFT(types<R>::run(there, in.p, out.p));
    const std::vector<C> spectrum = out.get();
    judge("real", n, batch, distance(wide(spectrum), want), allowed(types<R>::eps(), n));
    FFT(types<R>::run(home, out.p, back.p));
    std::vector<zd> a(x.size()), b(x.size());
    const std::vector<R> y = back.get();
    for (size_t i = 0; i < x.size(); i++)
        a[i] = (double)y[i] / n, b[i] = (double)x[i];
    judge("real and back", n, batch, distance(a, b), 2 * allowed(types<R>::eps(), n));
    CHECK(!memcmp(out.get().data(), spectrum.data(), spectrum.size() * sizeof(C)));
    FFT(types<R>::run(there, in_place.p, (C *)in_place.p));
    std::vector<R> z = in_place.get();
    std::vector<zd> got(want.size());
    for (size_t i = 0; i < got.size(); i++)
        got[i] = zd(z[2 * i], z[2 * i + 1]);
    judge("real in place", n, batch, distance(got, want), allowed(types<R>::eps(), n));
    FFT(types<R>::run(home, (C *)in_place.p, in_place.p));
    z = in_place.get();
    for (int t = 0; t < batch; t++)
        for (int j = 0; j < n; j++)
            a[(size_t)t * n + j] = (double)z[2 * half * t + j] / n;
    judge("real in place and back", n, batch, distance(a, b), 2 * allowed(types<R>::eps(), n));
    FFT(cufftDestroy(there));
    FFT(cufftDestroy(home));
}

// Too long for all sums: some elements, the round trip, and Parseval's sum.
template <class R> static void long_line(int n)
{
    typedef typename types<R>::C C;
    std::vector<C> x(n);
    long double energy = 0;
    for (int i = 0; i < n; i++) {
        x[i].x = (R)number(2 * i);
        x[i].y = (R)number(2 * i + 1);
        energy += (double)x[i].x * x[i].x + (double)x[i].y * x[i].y;
    }
    device<C> in(x), out(x.size());
    cufftHandle plan;
    FFT(cufftPlan1d(&plan, n, types<R>::c2c, 1));
    FFT(types<R>::run(plan, in.p, out.p, CUFFT_FORWARD));
    const std::vector<C> y = out.get();
    const std::vector<zd> w = roots(n, -1);
    long double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (double)y[k].x * y[k].x + (double)y[k].y * y[k].y;
    judge("energy", n, 1, (double)fabsl(sum / n / energy - 1), 4 * allowed(types<R>::eps(), n));
    for (int t = 0; t < 8; t++) {
        const long long k = t == 0 ? 0 : t == 1 ? n - 1 : (long long)(fabs(number(t)) * (n - 1));
        zd want = 0;
        for (long long j = 0; j < n; j++)
            want += zd(x[j].x, x[j].y) * w[j * k % n];
        judge("one element", n, 1, std::abs(zd(y[k].x, y[k].y) - want) / sqrt((double)n), 4 * allowed(types<R>::eps(), n));
    }
    FFT(types<R>::run(plan, out.p, out.p, CUFFT_INVERSE));
    std::vector<zd> back = wide(out.get());
    for (zd &v : back)
        v /= n;
    judge("there and back", n, 1, distance(back, wide(x)), 2 * allowed(types<R>::eps(), n));
    FFT(cufftDestroy(plan));
}

template <class R> static void sizes(bool all)
{
    std::vector<int> ns;
    for (int n = 1; n <= 64; n++)
        if (all || n <= 20 || n == 31 || n == 64)
            ns.push_back(n);
    const int more[] = {67, 77, 81, 97, 100, 121, 125, 127, 128, 143, 169, 210, 243, 256, 257, 343, 360, 499, 512, 625, 1001, 1009, 1024, 1080, 1155, 1331, 1536, 2017, 2048};
    for (int n : more)
        if (all || n == 97 || n == 128 || n == 210 || n == 243 || n == 1024)
            ns.push_back(n);
    for (int n : ns) {
        complex_lines<R>(n, n < 70 ? 5 : 1);
        real_lines<R>(n, n < 70 ? 3 : 1);
    }
    if (!all)
        return;
    for (int n : {7, 16, 60, 128})
        complex_lines<R>(n, 37), real_lines<R>(n, 37);
    for (int n : {4096, 5000, 6561, 8191, 16384, 30030, 65536, 65537, 100000, 131072})
        long_line<R>(n);
}

int main()
{
    cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    // A driver that compiles a kernel for seconds: one for each way that there is.
    if (strstr(device.name, "llvmpipe")) {
        complex_lines<float>(60, 3);
        real_lines<float>(22, 3);
        puts("ok");
        return 0;
    }
    // The interpreter is slow; and for a GPU each length, precision and direction is a kernel to be compiled: all of them took an H200's
    // machine more than a minute, 67 ms each.
    const bool all = !strstr(device.name, "interp") && (!strstr(device.name, "NVIDIA") || getenv("TERN_TEST_LONG"));
    sizes<float>(all);
    sizes<double>(all);
    if (!all)
        long_line<float>(5000), long_line<double>(2 * 1009);
    puts("ok");
}
