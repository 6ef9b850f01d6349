// LONG ON: interp: ten seconds and more
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolver
/* Eigenvalues: known spectra (also graded and clustered), residual and orthogonality, parts of the spectrum, two matrices, the tridiagonal form, and
 * rotations, also of many matrices. */
#include "solver.h"

#define CALLS(T_, R_, L, sy, or_)                                                                  \
    template <> struct solver<T_> {                                                                \
        typedef R_ real;                                                                           \
        static constexpr auto evd_size = cusolverDn##L##sy##evd_bufferSize;                        \
        static constexpr auto evd = cusolverDn##L##sy##evd;                                        \
        static constexpr auto evdx = cusolverDn##L##sy##evdx;                                      \
        static constexpr auto gvd = cusolverDn##L##sy##gvd;                                        \
        static constexpr auto gvj = cusolverDn##L##sy##gvj;                                        \
        static constexpr auto gvdx = cusolverDn##L##sy##gvdx;                                      \
        static constexpr auto trd = cusolverDn##L##sy##trd;                                        \
        static constexpr auto orgtr = cusolverDn##L##or_##gtr;                                     \
        static constexpr auto ormtr = cusolverDn##L##or_##mtr;                                     \
        static constexpr auto evj = cusolverDn##L##sy##evj;                                        \
        static constexpr auto evjBatched = cusolverDn##L##sy##evjBatched;                          \
    };
CALLS(float, float, S, sy, or)
CALLS(double, double, D, sy, or)
CALLS(cuComplex, float, C, he, un)
CALLS(cuDoubleComplex, double, Z, he, un)

static std::vector<double> graded(int n)
{
    std::vector<double> e(n);
    for (int i = 0; i < n; i++)
        e[i] = std::pow(2.0, -i) * (i % 2 ? -1 : 1);
    return e;
}
static std::vector<double> clustered(int n)
{
    std::vector<double> e(n);
    for (int i = 0; i < n; i++)
        e[i] = i < n / 2 ? 1 : i == n - 1 ? 3 : 2 + 1e-9 * i;
    return e;
}
static std::vector<double> spread(int n)
{
    std::vector<double> e(n);
    for (int i = 0; i < n; i++)
        e[i] = i - n / 3 + 0.25;
    return e;
}

template <class T> struct test {
    typedef typename solver<T>::real R;
    cusolverDnHandle_t h;

    /* Values in order, vectors orthonormal, A v = v w. */
    void hold(const dense &a, const std::vector<double> &expected, const std::vector<R> &w, const dense &v)
    {
        const int n = a.n, count = v.n;
        const double bound = tolerance<T>(n) * (a.norm() + 1);
        for (int k = 0; k < count; k++)
            CHECK(std::fabs((double)w[k] - expected[k]) < bound);
        CHECK(skew(v) < tolerance<T>(n));
        dense vw = v;
        for (int j = 0; j < count; j++)
            for (int i = 0; i < n; i++)
                vw(i, j) *= (double)w[j];
        CHECK(minus(times(a, v), vw).norm() < bound);
    }

    void values(std::vector<double> e, bool jacobi)
    {
        const int n = (int)e.size(), lda = n + 2;
        const dense a = hermitian<T>(e);
        std::sort(e.begin(), e.end());
        syevjInfo_t params;
        SOLVE(cusolverDnCreateSyevjInfo(&params));
        for (int upper = 0; upper < 2; upper++) {
            const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
            std::vector<R> only;
            for (int vectors = 0; vectors < 2; vectors++) {
                const cusolverEigMode_t job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
                both<T> da(lda * n);
                both<R> w(n);
                store(da.host, spoilt(a, upper), lda);
                da.put();
                flag info;
                if (jacobi) {
                    SOLVE(solver<T>::evj(h, job, uplo, n, da.device, lda, w.device, da.device, 0, info.device, params));
                    int sweeps = -1;
                    double residual = -1;
                    SOLVE(cusolverDnXsyevjGetSweeps(h, params, &sweeps));
                    SOLVE(cusolverDnXsyevjGetResidual(h, params, &residual));
                    CHECK(sweeps >= (n > 1) && sweeps < 15 && residual >= 0 && residual < tolerance<T>(n) * (a.norm() + 1));
                } else {
                    int size = -1;
                    SOLVE(solver<T>::evd_size(h, job, uplo, n, da.device, lda, w.device, &size));
                    space<T> work(size);
                    SOLVE(solver<T>::evd(h, job, uplo, n, da.device, lda, w.device, work.device, size, info.device));
                }
                CHECK(info.get() == 0);
                if (vectors)
                    hold(a, e, w.get(), wide(da.get(), n, n, lda));
                else
                    for (int k = 0; k < n; k++)
                        CHECK(std::fabs((double)w.get()[k] - e[k]) < tolerance<T>(n) * (a.norm() + 1));
            }
        }
        SOLVE(cusolverDnDestroySyevjInfo(params));
    }

    void some(int n)
    {
        const std::vector<double> e = spread(n);
        const dense a = hermitian<T>(e);
        for (int by_value = 0; by_value < 2; by_value++) {
            both<T> da(n * n);
            both<R> w(n);
            store(da.host, a, n);
            da.put();
            flag info;
            int found = -1;
            SOLVE(solver<T>::evdx(h, CUSOLVER_EIG_MODE_VECTOR, by_value ? CUSOLVER_EIG_RANGE_V : CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n, da.device,
                                  n, (R)(e[2] - 0.5), (R)(e[5] + 0.5), 3, 6, &found, w.device, da.device, 0, info.device));
            CHECK(info.get() == 0 && found == 4);
            hold(a, {e[2], e[3], e[4], e[5]}, w.get(), wide(da.get(), n, 4, n));
        }
    }

    void two(int n, int kind, bool upper, int how)
    {
        std::vector<double> e(n);
        for (int i = 0; i < n; i++)
            e[i] = 1 + i % 3;
        const dense a = hermitian<T>(spread(n)), b = hermitian<T>(e);
        both<T> da(n * n), db(n * n);
        both<R> w(n);
        store(da.host, a, n);
        store(db.host, b, n);
        da.put();
        db.put();
        flag info;
        const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        int count = n;
        if (how == 0)
            SOLVE(solver<T>::gvd(h, (cusolverEigType_t)kind, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.device, n, db.device, n, w.device, da.device, 0,
                                 info.device));
        else if (how == 1)
            SOLVE(solver<T>::gvdx(h, (cusolverEigType_t)kind, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, uplo, n, da.device, n, db.device, n, 0, 0, 2, 4,
                                  &count, w.device, da.device, 0, info.device));
        else {
            syevjInfo_t params;
            SOLVE(cusolverDnCreateSyevjInfo(&params));
            SOLVE(solver<T>::gvj(h, (cusolverEigType_t)kind, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.device, n, db.device, n, w.device, da.device, 0,
                                 info.device, params));
            SOLVE(cusolverDnDestroySyevjInfo(params));
        }
        CHECK(info.get() == 0 && count == (how == 1 ? 3 : n));
        const dense x = wide(da.get(), n, count, n);
        const std::vector<R> got = w.get();
        const dense left = kind == 1 ? times(a, x) : kind == 2 ? times(a, times(b, x)) : times(b, times(a, x));
        dense right = kind == 1 ? times(b, x) : x;
        for (int j = 0; j < count; j++)
            for (int i = 0; i < n; i++)
                right(i, j) *= (double)got[j];
        CHECK(minus(left, right).norm() < 20 * tolerance<T>(n) * (a.norm() * b.norm() + 1));
        dense not_definite = b;
        not_definite(1, 1) = -9.0;
        store(db.host, not_definite, n);
        db.put();
        SOLVE(solver<T>::gvd(h, (cusolverEigType_t)kind, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.device, n, db.device, n, w.device, da.device, 0, info.device));
        CHECK(info.get() == n + 2);
    }

    /* A = Q T Q', and products with Q. */
    void tridiagonal(int n, bool upper)
    {
        const int lda = n + 1;
        const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        const dense a = hermitian<T>(spread(n)), c = random_matrix<T>(n, 3);
        both<T> da(lda * n), tau(n), dc(n * 3);
        both<R> d(n), e(n);
        store(da.host, spoilt(a, upper), lda);
        store(dc.host, c, n);
        da.put();
        dc.put();
        flag info;
        SOLVE(solver<T>::trd(h, uplo, n, da.device, lda, d.device, e.device, tau.device, da.device, 0, info.device));
        CHECK(info.get() == 0);
        SOLVE(solver<T>::ormtr(h, CUBLAS_SIDE_LEFT, uplo, CUBLAS_OP_N, n, 3, da.device, lda, tau.device, dc.device, n, da.device, 0, info.device));
        SOLVE(solver<T>::orgtr(h, uplo, n, da.device, lda, tau.device, da.device, 0, info.device));
        const dense q = wide(da.get(), n, n, lda);
        dense t(n, n);
        for (int i = 0; i < n; i++) {
            t(i, i) = (double)d.get()[i];
            if (i + 1 < n)
                t(i, i + 1) = t(i + 1, i) = (double)e.get()[i];
        }
        CHECK(skew(q) < tolerance<T>(n));
        CHECK(distance(times(q, times(t, adjoint(q))), a) < tolerance<T>(n));
        CHECK(distance(wide(dc.get(), n, 3, n), times(q, c)) < tolerance<T>(n));
    }

    void batch(int n, int count)
    {
        const int lda = n + 1;
        std::vector<dense> a;
        both<T> da(lda * n * count);
        both<R> w(n * count);
        both<int> infos(count);
        for (int z = 0; z < count; z++) {
            a.push_back(hermitian<T>(z % 2 ? clustered(n) : spread(n)));
            store(da.host, spoilt(a[z], z % 2), lda, (size_t)z * lda * n);
        }
        syevjInfo_t params;
        SOLVE(cusolverDnCreateSyevjInfo(&params));
        for (int upper = 0; upper < 2; upper++) {
            for (int z = 0; z < count; z++)
                store(da.host, spoilt(a[z], upper), lda, (size_t)z * lda * n);
            da.put();
            SOLVE(solver<T>::evjBatched(h, CUSOLVER_EIG_MODE_VECTOR, upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, n, da.device, lda, w.device,
                                        da.device, 0, infos.device, params, count));
            const std::vector<R> got = w.get();
            for (int z = 0; z < count; z++) {
                std::vector<double> e = z % 2 ? clustered(n) : spread(n);
                std::sort(e.begin(), e.end());
                CHECK(infos.get()[z] == 0);
                hold(a[z], e, std::vector<R>(got.begin() + z * n, got.begin() + (z + 1) * n), wide(da.get(), n, n, lda, (size_t)z * lda * n));
            }
        }
        SOLVE(cusolverDnXsyevjSetMaxSweeps(params, 1)); /* too few: it says so */
        da.put();
        SOLVE(solver<T>::evjBatched(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, da.device, lda, w.device, da.device, 0, infos.device, params, count));
        CHECK(infos.get()[0] == n + 1);
        SOLVE(cusolverDnDestroySyevjInfo(params));
    }

    /* A v = v w, of any matrix; real ones have their complex eigenvalues in pairs. */
    void any_matrix(int n, bool pairs)
    {
        const cudaDataType r = sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F, z = sizeof(R) == 4 ? CUDA_C_32F : CUDA_C_64F;
        const cudaDataType t = as<T>::is_complex ? z : r, v = t, w = pairs ? r : z;
        const dense a = random_matrix<T>(n, n);
        both<T> da(n * n), dv(n * n);
        both<R> dw(2 * n);
        store(da.host, a, n);
        da.put();
        flag info;
        size_t device = 0, host = 0;
        SOLVE(cusolverDnXgeev_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, n, t, da.device, n, w, dw.device, v, nullptr, 1, v,
                                         dv.device, n, t, &device, &host));
        SOLVE(cusolverDnXgeev(h, nullptr, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, n, t, da.device, n, w, dw.device, v, nullptr, 1, v, dv.device, n, t,
                              nullptr, 0, nullptr, 0, info.device));
        CHECK(info.get() == 0);
        const std::vector<R> got = dw.get();
        dense x = wide(dv.get(), n, n, n), xw(n, n);
        zd trace = 0, sum = 0;
        for (int j = 0; j < n; j++) {
            const zd l = pairs ? zd(got[j], got[n + j]) : zd(got[2 * j], got[2 * j + 1]);
            if (!as<T>::is_complex && l.imag() > 0) /* two real columns are the parts of one vector */
                for (int i = 0; i < n; i++) {
                    const zd both_parts(x(i, j).real(), x(i, j + 1).real());
                    x(i, j) = both_parts;
                    x(i, j + 1) = std::conj(both_parts);
                }
            double length = 0;
            for (int i = 0; i < n; i++) {
                xw(i, j) = x(i, j) * l;
                length += std::norm(x(i, j));
            }
            CHECK(std::fabs(length - 1) < tolerance<T>(n));
            trace += a(j, j);
            sum += l;
        }
        CHECK(std::abs(trace - sum) < tolerance<T>(n) * a.norm());
        CHECK(minus(times(a, x), xw).norm() < tolerance<T>(n) * 4 * a.norm());
    }

    void all()
    {
        any_matrix(1, false);
        any_matrix(17, !as<T>::is_complex);
        any_matrix(12, false);
        for (int n : {1, 2, 35})
            values(spread(n), false);
        values(graded(18), false);
        values(clustered(34), false);
        values(std::vector<double>(9, 0.0), false);
        values(std::vector<double>(9, 2.0), false);
        values(spread(1), true);
        values(spread(7), true);
        values(clustered(12), true);
        some(11);
        two(9, 1, false, 0);
        two(9, 2, true, 0);
        two(10, 3, false, 2);
        two(8, 1, true, 1);
        two(8, 3, true, 0);
        tridiagonal(35, false);
        tridiagonal(9, true);
        batch(9, 3);
        if (sizeof(T) == 4) {
            batch(17, 2);
            batch(33, 1);
        }
    }
};

int main()
{
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    every_type<test>(h);
    test<float>{h}.values(spread(67), true); /* round by round */
    SOLVE(cusolverDnDestroy(h));
    printf("ok\n");
}
