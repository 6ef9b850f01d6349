// Factorisations on the CPU beside LAPACK on OpenBLAS, one thread each: processor time, the best of rounds in turn.
// Prints lines of name, value, unit and goal.
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <dlfcn.h>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

static double seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double timed(const std::function<void()> &f)
{
    const double start = seconds();
    f();
    return seconds() - start;
}

static void *lapack;
template <class F> static F *theirs(const char *name)
{
    return lapack ? (F *)dlsym(lapack, name) : nullptr;
}

static cusolverDnHandle_t h;
static double *device, *device_w, *device_u, *device_v, *device_work;
static int *device_info;
static std::vector<double> general, symmetric, a, w, u, v, work;
static std::vector<int> iwork;

static void to_device(const std::vector<double> &x)
{
    cudaMemcpy(device, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);
}

static void compare(const char *name, int n, const char *goal, const std::vector<double> &from, const std::function<void()> &ours,
                    const std::function<void(int *)> &reference)
{
    double mine = 1e30, other = 1e30;
    const int rounds = n <= 512 ? 5 : 3;
    for (int k = 0; k < rounds; k++) {
        to_device(from);
        const double t = timed([&] {
            ours();
            cudaDeviceSynchronize();
        });
        mine = t < mine ? t : mine;
        if (!lapack)
            continue;
        a = from;
        int info = 0;
        const double s = timed([&] { reference(&info); });
        other = s < other ? s : other;
    }
    printf("%s %d\t%.4g\tms\t0\n", name, n, 1e3 * mine);
    if (lapack)
        printf("%s %d, of LAPACK\t%.3f\tx\t%s\n", name, n, other / mine, goal);
    fflush(stdout);
}

#define P const int *
#define D double *
static void all(int n)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> in(-1, 1);
    const size_t nn = (size_t)n * n;
    general.resize(nn);
    symmetric.resize(nn);
    for (double &x : general)
        x = in(random);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            symmetric[i + (size_t)j * n] = symmetric[j + (size_t)i * n] = i == j ? n : general[i <= j ? i + (size_t)j * n : j + (size_t)i * n];
    w.resize(n);
    u.resize(nn);
    v.resize(nn);
    work.resize(10 * nn + 1000);
    iwork.resize(16 * n);
    cudaMalloc(&device, nn * sizeof(double));
    cudaMalloc(&device_u, nn * sizeof(double));
    cudaMalloc(&device_v, nn * sizeof(double));
    cudaMalloc(&device_w, n * sizeof(double));
    cudaMalloc(&device_info, n * sizeof(int) + 64);
    cudaMalloc(&device_work, nn * sizeof(double));
    const int lwork = (int)work.size(), liwork = (int)iwork.size(), space = (int)nn;
    int *pivots = device_info + 8;
    int *host_pivots = iwork.data();
    compare("potrf", n, "0.8", symmetric, [&] { cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, n, device, n, device_work, space, device_info); },
            [&](int *info) { theirs<void(const char *, P, D, P, int *)>("dpotrf_")("L", &n, a.data(), &n, info); });
    int *p;
    cudaMalloc(&p, n * sizeof(int));
    pivots = p;
    compare("getrf", n, "0.8", general, [&] { cusolverDnDgetrf(h, n, n, device, n, device_work, pivots, device_info); },
            [&](int *info) { theirs<void(P, P, D, P, int *, int *)>("dgetrf_")(&n, &n, a.data(), &n, host_pivots, info); });
    cudaFree(p);
    compare("geqrf", n, "0.8", general, [&] { cusolverDnDgeqrf(h, n, n, device, n, device_w, device_work, space, device_info); },
            [&](int *info) { theirs<void(P, P, D, P, D, D, P, int *)>("dgeqrf_")(&n, &n, a.data(), &n, w.data(), work.data(), &lwork, info); });
    compare("syevd", n, "0.7", symmetric,
            [&] {
                cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, device, n, device_w, device_work, space, device_info);
            },
            [&](int *info) {
                theirs<void(const char *, const char *, P, D, P, D, D, P, int *, P, int *)>("dsyevd_")(
                    "V", "L", &n, a.data(), &n, w.data(), work.data(), &lwork, iwork.data(), &liwork, info);
            });
    if (n > 1024)
        return;
    compare("gesvd beside gesdd", n, "0.7", general,
            [&] {
                cusolverDnDgesvd(h, 'A', 'A', n, n, device, n, device_w, device_u, n, device_v, n, device_work, space, nullptr, device_info);
            },
            [&](int *info) {
                theirs<void(const char *, P, P, D, P, D, D, P, D, P, D, P, int *, int *)>("dgesdd_")(
                    "A", &n, &n, a.data(), &n, w.data(), u.data(), &n, v.data(), &n, work.data(), &lwork, iwork.data(), info);
            });
    compare("gesvd", n, "0.7", general,
            [&] {
                cusolverDnDgesvd(h, 'A', 'A', n, n, device, n, device_w, device_u, n, device_v, n, device_work, space, nullptr, device_info);
            },
            [&](int *info) {
                theirs<void(const char *, const char *, P, P, D, P, D, D, P, D, P, D, P, int *)>("dgesvd_")(
                    "A", "A", &n, &n, a.data(), &n, w.data(), u.data(), &n, v.data(), &n, work.data(), &lwork, info);
            });
}

int main(int argc, char **argv)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    lapack = dlopen("liblapack.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (cusolverDnCreate(&h))
        return 1;
    if (argc > 1) {
        for (int k = 1; k < argc; k++)
            all(atoi(argv[k]));
        return 0;
    }
    for (const int n : {128, 512, 1024})
        all(n);
    return 0;
}
