// FFTW's names: plans of all kinds over memory of the host and of the device, against sums.
// OPTIONS: -lcufftw
#include <cufftw.h>
#include "fft.h"

static void judge(const char *what, double d, double limit)
{
    if (!(d <= limit)) {
        printf("%s: %g, allowed %g\n", what, d, limit);
        exit(1);
    }
}

static std::vector<zd> numbers(int n)
{
    std::vector<zd> v(n);
    for (int i = 0; i < n; i++)
        v[i] = zd(number(2 * i), number(2 * i + 1));
    return v;
}

static void one_axis()
{
    const int n = 30;
    std::vector<zd> want = numbers(n), got(n);
    fftw_complex *in = (fftw_complex *)fftw_malloc(n * sizeof *in), *out = (fftw_complex *)fftw_malloc(n * sizeof *out);
    fftw_plan plan = fftw_plan_dft_1d(n, in, out, FFTW_BACKWARD, FFTW_MEASURE);
    CHECK(plan);
    memcpy(in, want.data(), n * sizeof *in);
    fftw_execute(plan);
    reference(want, {n}, 1);
    memcpy((void *)got.data(), out, n * sizeof *out);
    judge("one axis", distance(got, want), 1e-14);
    // The same plan, other memory: the device's.
    device<cufftDoubleComplex> a(n), b(n);
    CUDA(cudaMemcpy(a.p, in, n * sizeof *in, cudaMemcpyHostToDevice));
    fftw_execute_dft(plan, (fftw_complex *)a.p, (fftw_complex *)b.p);
    CUDA(cudaMemcpy((void *)got.data(), b.p, n * sizeof *in, cudaMemcpyDeviceToHost));
    judge("on the device", distance(got, want), 1e-14);
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
    fftw_cleanup();
}

static void reals()
{
    const int n0 = 6, n1 = 9, half = n1 / 2 + 1;
    std::vector<float> x(n0 * 2 * half), back(n0 * 2 * half);
    std::vector<zd> want(n0 * n1), spectrum(n0 * half), got(n0 * half);
    for (int i = 0; i < n0 * n1; i++) {
        want[i] = (double)(float)number(i);
        x[i / n1 * 2 * half + i % n1] = (float)want[i].real();
    }
    const std::vector<float> first = x;
    // In place: rows have room for their spectrum.
    fftwf_plan there = fftwf_plan_dft_r2c_2d(n0, n1, x.data(), (fftwf_complex *)x.data(), FFTW_ESTIMATE);
    fftwf_plan home = fftwf_plan_dft_c2r_2d(n0, n1, (fftwf_complex *)x.data(), x.data(), FFTW_ESTIMATE);
    CHECK(there && home);
    fftwf_execute(there);
    reference(want, {n0, n1}, -1);
    for (int i = 0; i < n0 * half; i++) {
        got[i] = zd(x[2 * i], x[2 * i + 1]);
        spectrum[i] = want[i / half * n1 + i % half];
    }
    judge("reals in place", distance(got, spectrum), 1e-6);
    fftwf_execute(home);
    for (int i = 0; i < n0 * n1; i++) {
        const int at = i / n1 * 2 * half + i % n1;
        CHECK(fabs(x[at] / (n0 * n1) - first[at]) < 1e-6);
    }
    fftwf_destroy_plan(there);
    fftwf_destroy_plan(home);
}

// Strides with no embedding, and the guru's dimensions: two batches in each other.
static void strides()
{
    const int n = 8;
    std::vector<zd> x = numbers(96), y(96, zd(5, 5)), line(n);
    fftw_complex *in = (fftw_complex *)x.data(), *out = (fftw_complex *)y.data();
    const int sizes[1] = {n};
    fftw_plan plan = fftw_plan_many_dft(1, sizes, 3, in, nullptr, 3, 1, out, nullptr, 1, 10, FFTW_FORWARD, FFTW_ESTIMATE);
    CHECK(plan);
    fftw_execute(plan);
    for (int b = 0; b < 3; b++) {
        for (int j = 0; j < n; j++)
            line[j] = x[b + 3 * j];
        reference(line, {n}, -1);
        for (int k = 0; k < n; k++)
            CHECK(std::abs(line[k] - y[10 * b + k]) < 1e-13);
        CHECK(y[10 * b + 8] == zd(5, 5));
    }
    fftw_destroy_plan(plan);
    const fftw_iodim64 dims[1] = {{n, 1, 12}}, batches[2] = {{2, 48, 6}, {3, 16, 1}};
    plan = fftw_plan_guru64_dft(1, dims, 2, batches, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    CHECK(plan);
    fftw_execute(plan);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++) {
            for (int j = 0; j < n; j++)
                line[j] = x[48 * a + 16 * b + j];
            reference(line, {n}, -1);
            for (int k = 0; k < n; k++)
                CHECK(std::abs(line[k] - y[6 * a + b + 12 * k]) < 1e-13);
        }
    fftw_destroy_plan(plan);
    CHECK(!fftw_plan_dft_1d(0, in, out, FFTW_FORWARD, 0));
    CHECK(!fftw_plan_dft_1d(8, in, out, 3, 0));
}

int main()
{
    one_axis();
    reals();
    strides();
    puts("ok");
}
