// LONG ON: interp: ten seconds and more
// OPTIONS: -lcusolver
// LONG ON: vulkan: half a minute
/* Eigenvectors by halves: matrices large enough for several merges, whose spectra are hard on them: equal and nearly equal values (everything
 * deflates, or almost everything), values that halve, parts that are not coupled or hardly, tridiagonal matrices glued together, rank one,
 * zero; and sizes around the smallest part's. */
#include "solver.h"

static double number()
{
    static unsigned seed = 5;
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / (1 << 23) - 1;
}

static dense tridiagonal(int n, const std::function<double(int)> &d, const std::function<double(int)> &e)
{
    dense a(n, n);
    for (int i = 0; i < n; i++) {
        a(i, i) = d(i);
        if (i + 1 < n)
            a(i + 1, i) = a(i, i + 1) = e(i);
    }
    return a;
}

template <class R> struct calls;
template <> struct calls<double> {
    static constexpr auto evd = cusolverDnDsyevd;
};
template <> struct calls<float> {
    static constexpr auto evd = cusolverDnSsyevd;
};

template <class R> static void hold(cusolverDnHandle_t h, const char *name, const dense &a)
{
    const int n = a.n;
    both<R> da(n * n), w(n), only(n);
    flag info;
    store(da.host, a, n);
    da.put();
    SOLVE(calls<R>::evd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.device, n, w.device, nullptr, 0, info.device));
    CHECK(info.get() == 0);
    da.host = da.get();
    w.host = w.get();
    const dense v = wide(da.host, n, n, n);
    dense vw = v;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            vw(i, j) *= (double)w.host[j];
    const double size = std::max(a.norm(), 1e-300), bound = as<R>::eps() * 20 * std::sqrt((double)n);
    const double residual = minus(times(a, v), vw).norm() / size, off = skew(v) / std::sqrt((double)n);
    if (!(residual < bound) || !(off < bound)) {
        printf("%s, %d rows: residual %g, not orthogonal by %g, bound %g\n", name, n, residual, off, bound);
        exit(1);
    }
    for (int j = 0; j + 1 < n; j++)
        CHECK(w.host[j] <= w.host[j + 1]);
    store(da.host, a, n);
    da.put();
    SOLVE(calls<R>::evd(h, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, da.device, n, only.device, nullptr, 0, info.device));
    only.host = only.get();
    for (int j = 0; j < n; j++)
        CHECK(std::fabs((double)(only.host[j] - w.host[j])) <= bound * size);
}

template <class R> static void all(cusolverDnHandle_t h, int most)
{
    auto constant = [](double v) { return [v](int) { return v; }; };
    for (int n : most < 100 ? std::vector<int>{33, most} : std::vector<int>{31, 32, 33, 65, most}) {
        hold<R>(h, "second difference", tridiagonal(n, constant(2), constant(-1)));
        hold<R>(h, "random tridiagonal", tridiagonal(n, [](int) { return number(); }, [](int) { return number(); }));
    }
    const int n = most;
    hold<R>(h, "zero", dense(n, n));
    hold<R>(h, "identity", tridiagonal(n, constant(3), constant(0)));
    hold<R>(h, "hardly coupled", tridiagonal(n, [](int i) { return i % 7; }, [](int i) { return i % 5 ? 1e-9 : 1; }));
    hold<R>(h, "nearly equal", tridiagonal(n, constant(1), [](int i) { return 1e-14 * (i + 1); }));
    hold<R>(h, "halving", tridiagonal(n, [](int i) { return std::pow(0.5, i); }, [](int i) { return std::pow(0.5, i) / 3; }));
    hold<R>(h, "large", tridiagonal(n, [](int) { return 1e30 * number(); }, constant(1e30)));
    hold<R>(h, "small", tridiagonal(n, [](int) { return 1e-30 * number(); }, constant(1e-30)));
    /* Wilkinson's matrices of 21 rows, whose largest values come in pairs that agree to 14 digits, glued together. */
    hold<R>(h, "glued", tridiagonal(n, [](int i) { return std::abs(i % 21 - 10); }, [](int i) { return i % 21 == 20 ? 1e-7 : 1; }));
    dense one(n, n), random(n, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            one(i, j) = one(j, i) = 1;
            random(i, j) = random(j, i) = number();
        }
    hold<R>(h, "rank one", one);
    hold<R>(h, "random", random);
}

int main()
{
    const char *device = getenv("TERN_DEVICES");
    const bool slow = device && (!strcmp(device, "interp") || !strcmp(device, "vulkan"));
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    all<double>(h, slow ? 70 : 301);
    if (!slow)
        all<float>(h, 150);
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}
