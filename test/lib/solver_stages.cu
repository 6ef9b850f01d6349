// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolver
/* Eigenvalues in two stages, a band and then its sweeps, which large matrices take: here any matrix is told to. Sizes around the band's width and
 * its multiples, spectra that are known, equal, graded, or hard on reflections (columns of zeros, a matrix that is a band or tridiagonal before);
 * vectors of all and of some; values alone; and the same values as in one stage. */
#include "solver.h"

#define CALLS(T_, L, ev, R_)                                                                                                                         \
    template <> struct solver<T_> {                                                                                                                  \
        typedef R_ R;                                                                                                                                \
        static constexpr auto evd = cusolverDn##L##ev##evd;                                                                                          \
        static constexpr auto evdx = cusolverDn##L##ev##evdx;                                                                                        \
    };
CALLS(float, S, sy, float)
CALLS(double, D, sy, double)
CALLS(cuComplex, C, he, float)
CALLS(cuDoubleComplex, Z, he, double)

template <class T> struct test {
    typedef typename solver<T>::R R;
    cusolverDnHandle_t h;

    /* What is wrong with values and vectors of A. */
    void hold(const char *name, const dense &a, const std::vector<R> &values, const dense &v)
    {
        dense vw = v;
        for (int j = 0; j < v.n; j++)
            for (int i = 0; i < v.m; i++)
                vw(i, j) *= (double)values[j];
        const double size = std::max(a.norm(), 1e-300), bound = as<T>::eps() * 20 * std::sqrt(a.n + 3.0);
        const double residual = minus(times(a, v), vw).norm() / size, off = skew(v) / std::sqrt((double)v.n);
        if (!(residual < bound) || !(off < bound)) {
            printf("%s, %d rows: residual %g, not orthogonal by %g, bound %g\n", name, a.n, residual, off, bound);
            exit(1);
        }
        for (size_t j = 0; j + 1 < values.size(); j++)
            CHECK(values[j] <= values[j + 1]);
    }
    std::vector<R> solve(const dense &a, bool upper, bool vectors, dense *v)
    {
        const int n = a.n, lda = n + 1;
        both<T> da(lda * n);
        both<R> w(n);
        flag info;
        store(da.host, spoilt(a, upper), lda);
        da.put();
        SOLVE(solver<T>::evd(h, vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR, upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, n,
                             da.device, lda, w.device, nullptr, 0, info.device));
        CHECK(info.get() == 0);
        if (v)
            *v = wide(da.get(), n, n, lda);
        return w.get();
    }
    /* known: the values that it was made with, sorted. */
    void one(const char *name, const dense &a, const std::vector<double> &known = {})
    {
        const double size = a.norm(), bound = as<T>::eps() * 20 * (a.n + 3.0) * size;
        dense v(a.n, a.n);
        const std::vector<R> values = solve(a, a.n % 2, true, &v), alone = solve(a, false, false, nullptr);
        hold(name, a, values, v);
        SOLVE(cusolverDnSetTwoStageRows(h, 0));
        const std::vector<R> before = solve(a, false, false, nullptr);
        SOLVE(cusolverDnSetTwoStageRows(h, 1));
        for (int j = 0; j < a.n; j++) {
            CHECK(std::fabs((double)(values[j] - alone[j])) <= bound);
            CHECK(std::fabs((double)(values[j] - before[j])) <= bound);
            if (!known.empty())
                CHECK(std::fabs((double)values[j] - known[j]) <= bound);
        }
    }
    void some(const dense &a, int from, int to)
    {
        const int n = a.n;
        both<T> da(n * n);
        both<R> w(n);
        flag info;
        int count = 0;
        store(da.host, a, n);
        da.put();
        SOLVE(solver<T>::evdx(h, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n, da.device, n, 0, 0, from, to, &count, w.device, nullptr, 0, info.device));
        CHECK(info.get() == 0);
        CHECK(count == to - from + 1);
        std::vector<R> values = w.get();
        values.resize(count);
        hold("some", a, values, wide(da.get(), n, count, n));
    }
    std::vector<double> spectrum(int n, const std::function<double(int)> &of)
    {
        std::vector<double> v(n);
        for (int i = 0; i < n; i++)
            v[i] = of(i);
        std::sort(v.begin(), v.end());
        return v;
    }
    void known(const char *name, int n, const std::function<double(int)> &of)
    {
        const std::vector<double> v = spectrum(n, of);
        one(name, hermitian<T>(v), v);
    }

    void all()
    {
        const char *device = getenv("TERN_DEVICES");
        const bool slow = device && (!strcmp(device, "interp") || !strcmp(device, "vulkan"));
        SOLVE(cusolverDnSetTwoStageRows(h, 1));
        if (slow) {
            one("random", banded<T>(67, 67));
            some(banded<T>(34, 34), 20, 33);
            return;
        }
        for (int n : as<T>::is_complex ? std::vector<int>{3, 33, 97} : std::vector<int>{3, 4, 64, 65, 66, 129, 193})
            one("random", banded<T>(n, n));
        const int n = as<T>::is_complex ? 71 : 131;
        known("clustered", n, [](int i) { return i % 3 + 1e-9 * (i % 5); });
        known("graded", n, [](int i) { return std::pow(0.7, i); });
        if (sizeof(R) == 8) {
            one("zero", dense(n, n));
            one("diagonal", banded<T>(n, 0));
            one("tridiagonal", banded<T>(n, 1));
            one("a band", banded<T>(n, 40));
            known("large", n, [](int i) { return 1e30 * (i + 1); });
            known("small", n, [](int i) { return 1e-30 * (i + 1); });
            known("one value", n, [](int) { return 2.5; });
            dense hole = banded<T>(n, n);
            for (int i = 0; i < n; i++)
                for (int j : {0, 7, n / 2})
                    hole(i, j) = hole(j, i) = 0;
            one("zeros in columns", hole);
            some(banded<T>(257, 257), 3, 40);
        }
        some(banded<T>(n, n), n - 9, n);
    }
};

int main()
{
    cusolverDnHandle_t h;
    int64_t rows;
    SOLVE(cusolverDnCreate(&h));
    SOLVE(cusolverDnGetTwoStageRows(h, &rows));
    CHECK(rows == -1);
    CHECK(cusolverDnSetTwoStageRows(h, -2) == CUSOLVER_STATUS_INVALID_VALUE);
    every_type<test>(h);
    SOLVE(cusolverDnDestroy(h));
    printf("ok\n");
}
