// OPTIONS: -I../.. -lcusolver -arch=sm_90a
// NOT ON: vulkan: its kernels are not these
/* Eigenvalues of small matrices in a block's shared memory, kernels that only NVIDIA's GPUs are given, launched by hand so that other devices run
 * them, too: reflections and QL steps, and rotations. Known spectra, equal values, graded ones, extremes, matrices that are diagonal or tridiagonal
 * before, either triangle, values alone, matrices without numbers. */
#include "solver.h"
#include "device/solver/jacobi_near.h"
#include "device/solver/small_eigen.h"

template <class T> struct on_device;
template <> struct on_device<float> { typedef float type, R; };
template <> struct on_device<double> { typedef double type, R; };
template <> struct on_device<cuComplex> { typedef complex<float> type; typedef float R; };
template <> struct on_device<cuDoubleComplex> { typedef complex<double> type; typedef double R; };

/* The second of two matrices is the one that is looked at. */
template <class T> struct batch {
    typedef typename on_device<T>::type D;
    typedef typename on_device<T>::R R;
    int n, ld;
    both<T> a, v;
    both<R> w, report;
    both<int> info;
    explicit batch(int n) : n(n), ld(n + 2), a(2 * ld * n), v(2 * ld * n), w(2 * n), report(4), info(2) {}
    void run(bool rotations, bool upper, bool vectors)
    {
        D *out = vectors ? (D *)v.device : nullptr;
        const D *in = (const D *)a.device;
        a.put();
        if (rotations) {
            const int half = n <= 16 ? 8 : n <= 32 ? 16 : 32, bytes = NEAR_SHARED(half, (int)sizeof(T));
            const double tolerance = as<T>::eps();
            auto go = [&](auto kernel) {
                CUDA(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
                kernel<<<2, NEAR_THREADS(half), bytes>>>(n, in, ld, ld * n, upper, tolerance, 100, 1, w.device, out, ld, ld * n, report.device, info.device);
            };
            if (half == 8)
                go(syevj_near<D, 8>);
            else if (half == 16)
                go(syevj_near<D, 16>);
            else
                go(syevj_near<D, 32>);
        } else {
            const int bytes = SMALL_SHARED(n, (int)sizeof(T));
            CUDA(cudaFuncSetAttribute((const void *)syev_small<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
            syev_small<D><<<2, SMALL_THREADS(n), bytes>>>(n, in, ld, ld * n, upper, 1, w.device, out, ld, ld * n, info.device);
        }
        CUDA(cudaDeviceSynchronize());
    }
};

template <class T> struct test {
    cusolverDnHandle_t unused;
    typedef typename on_device<T>::R R;

    void hold(const char *name, const dense &a, double scale, const std::vector<double> *known)
    {
        const int n = a.n;
        const double bound = tolerance<T>(n) * std::max(a.norm(), 1e-30);
        for (int way = 0; way < (n <= 64 && sizeof(T) <= 8 ? 4 : 2); way++) {
            const bool upper = way % 2, rotations = way >= 2;
            batch<T> b(n);
            dense scaled = a;
            for (zd &x : scaled.v)
                x *= scale;
            store(b.a.host, spoilt(scaled, upper), b.ld, b.ld * n);
            b.run(rotations, upper, true);
            const std::vector<R> values = b.w.get();
            const dense v = wide(b.v.get(), n, n, b.ld, b.ld * n);
            dense vw = v;
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    vw(i, j) *= (double)values[n + j] / scale;
            const double residual = minus(times(a, v), vw).norm(), off = skew(v);
            if (b.info.get()[1] || !(residual < bound) || !(off < tolerance<T>(n))) {
                printf("%s, %d rows, way %d: info %d, residual %g of %g, not orthogonal by %g of %g\n", name, n, way, b.info.get()[1], residual, bound, off, tolerance<T>(n));
                exit(1);
            }
            b.run(rotations, upper, false);
            const std::vector<R> alone = b.w.get();
            for (int j = 0; j < n; j++) {
                CHECK(j == 0 || values[n + j] >= values[n + j - 1]);
                CHECK(std::fabs((double)(values[n + j] - alone[n + j])) / scale <= bound);
                CHECK(!known || std::fabs((double)values[n + j] / scale - (*known)[j]) <= bound);
            }
        }
    }
    void spectrum(const char *name, int n, double scale, const std::function<double(int)> &of)
    {
        std::vector<double> e(n);
        for (int i = 0; i < n; i++)
            e[i] = of(i);
        std::sort(e.begin(), e.end());
        hold(name, hermitian<T>(e), scale, &e);
    }
    void no_numbers(int n)
    {
        for (double bad : {(double)NAN, (double)INFINITY})
            for (int rotations = 0; rotations < (sizeof(T) <= 8 ? 2 : 1); rotations++) {
                batch<T> b(n);
                dense a = banded<T>(n, n);
                a(n - 1, 0) = a(0, n - 1) = bad;
                store(b.a.host, a, b.ld, b.ld * n);
                b.run(rotations, false, true);
                bool told = b.info.get()[1] == n + 1;
                for (R x : b.w.get())
                    told |= !std::isfinite(x);
                CHECK(told);
            }
    }

    void all()
    {
        const char *device = getenv("TERN_DEVICES");
        const bool slow = device && strcmp(device, "cpu") && strcmp(device, "cuda"), fast = !device || !strcmp(device, "cuda") || getenv("TERN_TEST_LONG");
        const double far = sizeof(R) == 8 ? 1e160 : 1e25;
        for (int n : slow ? std::vector<int>{1, 5, 33} : fast ? std::vector<int>{1, 2, 3, 8, 20, 31, 32, 33, 64, 65, 100} : std::vector<int>{1, 2, 3, 15, 32, 65})
            hold("random", banded<T>(n, n), 1, nullptr);
        for (int n : slow ? std::vector<int>{6} : fast ? std::vector<int>{7, 30, 48} : std::vector<int>{17}) {
            spectrum("graded", n, 1, [](int i) { return std::pow(0.6, i) * (i % 2 ? -1 : 1); });
            spectrum("clustered", n, 1, [n](int i) { return i < n / 2 ? 1 : 2 + 1e-9 * i; });
            spectrum("one value", n, 1, [](int) { return 2.5; });
            spectrum("large", n, far, [](int i) { return i + 1; });
            spectrum("small", n, 1 / far, [](int i) { return i + 1; });
            hold("zero", dense(n, n), 1, nullptr);
            hold("diagonal", banded<T>(n, 0), 1, nullptr);
            hold("tridiagonal", banded<T>(n, 1), 1, nullptr);
            dense hole = banded<T>(n, n);
            for (int i = 0; i < n; i++)
                for (int j : {1, n / 2})
                    hole(i, j) = hole(j, i) = 0;
            hold("zeros in columns", hole, 1, nullptr);
        }
        no_numbers(9);
    }
};

int main()
{
    every_type<test>(nullptr);
    puts("ok");
}
