// cuFFT's transforms on the CPU beside FFTW's measured plans where FFTW is installed: ratios of processor time, rounds in turn.
// Prints lines of name, value, unit and goal. `run` gives it one core.
#include <cuda_runtime.h>
#include <cufft.h>
#include <dlfcn.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

enum { FORWARD = -1, MEASURE = 0, PRESERVE = 1 << 4 }; // FFTW's
static double product = 1;
static int cases;

static double processor_time()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + t.tv_nsec * 1e-9;
}

template <class Real> struct kind;
template <> struct kind<float> {
    typedef cufftComplex complex;
    static const char *name() { return "f32"; }
    static const char *library() { return "libfftw3f.so.3"; }
    static std::string function(const char *f) { return std::string("fftwf_") + f; }
    static cufftResult plan(cufftHandle *p, int n, int batch) { return cufftPlan1d(p, n, CUFFT_C2C, batch); }
    static cufftResult run(cufftHandle p, complex *x, complex *y) { return cufftExecC2C(p, x, y, CUFFT_FORWARD); }
};
template <> struct kind<double> {
    typedef cufftDoubleComplex complex;
    static const char *name() { return "f64"; }
    static const char *library() { return "libfftw3.so.3"; }
    static std::string function(const char *f) { return std::string("fftw_") + f; }
    static cufftResult plan(cufftHandle *p, int n, int batch) { return cufftPlan1d(p, n, CUFFT_Z2Z, batch); }
    static cufftResult run(cufftHandle p, complex *x, complex *y) { return cufftExecZ2Z(p, x, y, CUFFT_FORWARD); }
};

// Processor time of f() once: how often one round calls it is told.
template <class F> static double round_of(int calls, F f)
{
    const double start = processor_time();
    for (int k = 0; k < calls; k++)
        f();
    cudaDeviceSynchronize();
    return (processor_time() - start) / calls;
}

template <class Real> struct fftw {
    typedef typename kind<Real>::complex complex;
    typedef void *plan_many(int, const int *, int, complex *, const int *, int, int, complex *, const int *, int, int, int, unsigned);
    typedef void with_plan(void *);
    plan_many *plan = nullptr;
    with_plan *run, *destroy;
    void (*limit)(double);
    fftw()
    {
        void *library = dlopen(kind<Real>::library(), RTLD_NOW);
        if (!library)
            return;
        const auto find = [&](const char *name) { return dlsym(library, kind<Real>::function(name).c_str()); };
        plan = (plan_many *)find("plan_many_dft");
        run = (with_plan *)find("execute");
        destroy = (with_plan *)find("destroy_plan");
        limit = (void (*)(double))find("set_timelimit");
    }
};

template <class Real> static void transform(fftw<Real> &theirs, int n, int batch)
{
    typedef kind<Real> K;
    typename K::complex *x, *y;
    const size_t count = (size_t)n * batch;
    cufftHandle plan;
    cudaMallocManaged(&x, count * sizeof *x);
    cudaMallocManaged(&y, count * sizeof *y);
    theirs.limit(0.5);
    void *other = theirs.plan(1, &n, batch, x, nullptr, 1, n, y, nullptr, 1, n, FORWARD, MEASURE | PRESERVE);
    for (size_t i = 0; i < count; i++) {
        x[i].x = (Real)(i % 17) - 8;
        x[i].y = (Real)(i % 13) - 6;
    }
    if (!other || K::plan(&plan, n, batch) != CUFFT_SUCCESS) {
        printf("# no plan for %d\n", n);
        return;
    }
    const auto mine = [&] { K::run(plan, x, y); };
    const auto others = [&] { theirs.run(other); };
    const double once = round_of(1, mine) + round_of(1, others) + round_of(3, others);
    const int calls = once > 5e-3 ? 1 : (int)(5e-3 / once) + 1;
    double least[2] = {1e30, 1e30};
    for (int round = 0; round < 15; round++) {
        least[0] = std::fmin(least[0], round_of(calls, mine));
        least[1] = std::fmin(least[1], round_of(calls, others));
    }
    product *= least[1] / least[0];
    cases++;
    printf("fft %s %d, %d lines, beside FFTW\t%.3g\tx\t0\n", K::name(), n, batch, least[1] / least[0]);
    fflush(stdout);
    theirs.destroy(other);
    cufftDestroy(plan);
    cudaFree(x);
    cudaFree(y);
}

template <class Real> static void all()
{
    static const struct { int n, batch; } sizes[] = {{8, 8192}, {16, 4096}, {64, 1024}, {256, 256}, {1024, 64}, {1024, 1}, {4096, 16}, {65536, 1},
                                                     {1 << 20, 1}, {81, 512}, {625, 64}, {343, 128}, {1000, 64}, {1009, 32}};
    fftw<Real> theirs;
    if (!theirs.plan)
        return;
    product = 1;
    cases = 0;
    for (auto &s : sizes)
        transform<Real>(theirs, s.n, s.batch);
    printf("fft %s, geometric mean beside FFTW\t%.3g\tx\t0.8\n", kind<Real>::name(), std::pow(product, 1.0 / cases));
}

// [f32|f64 LENGTH LINES]: that alone.
int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "f32")) {
        fftw<float> theirs;
        if (theirs.plan)
            transform<float>(theirs, atoi(argv[2]), atoi(argv[3]));
    } else if (argc == 4) {
        fftw<double> theirs;
        if (theirs.plan)
            transform<double>(theirs, atoi(argv[2]), atoi(argv[3]));
    } else {
        all<float>();
        all<double>();
    }
}
