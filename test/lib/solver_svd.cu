// OPTIONS: -lcusolver
/* Singular values: known ones, vectors, wide and tall matrices, matrices without full rank, and many at once. */
#include "solver.h"

#define CALLS(T_, R_, L, t)                                                                        \
    template <> struct solver<T_> {                                                                \
        typedef R_ real;                                                                           \
        static constexpr cudaDataType type = t;                                                    \
        static constexpr cudaDataType real_type = sizeof(R_) == 4 ? CUDA_R_32F : CUDA_R_64F;       \
        static constexpr auto gesvd_size = cusolverDn##L##gesvd_bufferSize;                        \
        static constexpr auto gesvd = cusolverDn##L##gesvd;                                        \
        static constexpr auto gesvdj = cusolverDn##L##gesvdj;                                      \
        static constexpr auto gesvdjBatched = cusolverDn##L##gesvdjBatched;                        \
        static constexpr auto gesvda = cusolverDn##L##gesvdaStridedBatched;                        \
    };
CALLS(float, float, S, CUDA_R_32F)
CALLS(double, double, D, CUDA_R_64F)
CALLS(cuComplex, float, C, CUDA_C_32F)
CALLS(cuDoubleComplex, double, Z, CUDA_C_64F)

template <class T> dense with_values(int m, int n, const std::vector<double> &s)
{
    const int k = (int)s.size();
    dense u = orthonormal<T>(m, k);
    const dense v = orthonormal<T>(n, k);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < m; i++)
            u(i, j) *= s[j];
    return times(u, adjoint(v));
}

template <class T> struct test {
    typedef typename solver<T>::real R;
    cusolverDnHandle_t h;

    void hold(const dense &a, const std::vector<double> &expected, const std::vector<R> &s, const dense &u, const dense &v, size_t from = 0)
    {
        const int k = std::min(a.m, a.n);
        const double bound = tolerance<T>(std::max(a.m, a.n)) * (a.norm() + 1);
        dense us(a.m, k), vk(a.n, k);
        for (int j = 0; j < k; j++) {
            const double e = j < (int)expected.size() ? expected[j] : 0;
            CHECK(std::fabs((double)s[from + j] - e) < bound && s[from + j] >= 0);
            for (int i = 0; i < a.m; i++)
                us(i, j) = u(i, j) * (double)s[from + j];
            for (int i = 0; i < a.n; i++)
                vk(i, j) = v(i, j);
        }
        CHECK(skew(u) < tolerance<T>(std::max(a.m, a.n)));
        CHECK(skew(v) < tolerance<T>(std::max(a.m, a.n)));
        CHECK(minus(times(us, adjoint(vk)), a).norm() < bound);
    }

    void gesvd(int m, int n, const std::vector<double> &expected, char job)
    {
        const int lda = m + 1, k = std::min(m, n), rows = job == 'A' ? n : k, columns = job == 'A' ? m : k;
        const dense a = with_values<T>(m, n, expected);
        both<T> da(lda * n), u(m * columns), vt(rows * n);
        both<R> s(k);
        store(da.host, a, lda);
        da.put();
        flag info;
        int size = -1;
        SOLVE(solver<T>::gesvd_size(h, m, n, &size));
        space<T> work(size);
        SOLVE(solver<T>::gesvd(h, job, job, m, n, da.device, lda, s.device, u.device, m, vt.device, rows, work.device, size, nullptr, info.device));
        CHECK(info.get() == 0);
        hold(a, expected, s.get(), wide(u.get(), m, columns, m), adjoint(wide(vt.get(), rows, n, rows)));
        da.put();
        const std::vector<R> before = s.get();
        SOLVE(solver<T>::gesvd(h, 'N', 'N', m, n, da.device, lda, s.device, nullptr, 1, nullptr, 1, work.device, size, nullptr, info.device));
        for (int i = 0; i < k; i++)
            CHECK(std::fabs((double)(s.get()[i] - before[i])) < tolerance<T>(m + n) * (a.norm() + 1));
    }

    void gesvdj(int m, int n, const std::vector<double> &expected, int econ)
    {
        const int k = std::min(m, n), columns = econ ? k : m, rows = econ ? k : n;
        const dense a = with_values<T>(m, n, expected);
        both<T> da(m * n), u(m * columns), v(n * rows);
        both<R> s(k);
        store(da.host, a, m);
        da.put();
        flag info;
        gesvdjInfo_t params;
        int sweeps = -1;
        double residual = -1;
        SOLVE(cusolverDnCreateGesvdjInfo(&params));
        SOLVE(cusolverDnXgesvdjSetTolerance(params, 1e-7));
        SOLVE(cusolverDnXgesvdjSetTolerance(params, 0));
        SOLVE(solver<T>::gesvdj(h, CUSOLVER_EIG_MODE_VECTOR, econ, m, n, da.device, m, s.device, u.device, m, v.device, n, da.device, 0, info.device, params));
        CHECK(info.get() == 0);
        SOLVE(cusolverDnXgesvdjGetSweeps(h, params, &sweeps));
        SOLVE(cusolverDnXgesvdjGetResidual(h, params, &residual));
        CHECK(sweeps >= 1 && sweeps < 20 && residual < tolerance<T>(m + n) * (a.norm() + 1));
        hold(a, expected, s.get(), wide(u.get(), m, columns, m), wide(v.get(), n, rows, n));
        SOLVE(cusolverDnDestroyGesvdjInfo(params));
    }

    void batch(int m, int n)
    {
        const int count = 3, k = std::min(m, n), lda = m + 1;
        std::vector<double> full(k);
        const std::vector<double> some = {4, 1};
        for (int i = 0; i < k; i++)
            full[i] = 5.0 - 4.5 * i / k;
        std::vector<dense> a;
        both<T> da(lda * n * count), u(m * m * count), v(n * n * count);
        both<R> s(k * count);
        both<int> infos(count);
        for (int z = 0; z < count; z++) {
            a.push_back(with_values<T>(m, n, z == 1 ? some : full));
            store(da.host, a[z], lda, (size_t)z * lda * n);
        }
        da.put();
        gesvdjInfo_t params;
        SOLVE(cusolverDnCreateGesvdjInfo(&params));
        SOLVE(solver<T>::gesvdjBatched(h, CUSOLVER_EIG_MODE_VECTOR, m, n, da.device, lda, s.device, u.device, m, v.device, n, da.device, 0, infos.device, params,
                                       count));
        for (int z = 0; z < count; z++) {
            CHECK(infos.get()[z] == 0);
            hold(a[z], z == 1 ? some : full, s.get(), wide(u.get(), m, m, m, (size_t)z * m * m),
                 wide(v.get(), n, n, n, (size_t)z * n * n), (size_t)z * k);
        }
        SOLVE(cusolverDnDestroyGesvdjInfo(params));
    }

    /* The first two of three. */
    void approximate(int m, int n)
    {
        const int count = 2, rank = 2;
        const std::vector<double> values = {3, 2, 0.125};
        both<T> da(m * n * count), u(m * rank * count), v(n * rank * count);
        both<R> s(rank * count);
        both<int> infos(count);
        double left[count] = {0, 0};
        for (int z = 0; z < count; z++)
            store(da.host, with_values<T>(m, n, values), m, (size_t)z * m * n);
        da.put();
        SOLVE(solver<T>::gesvda(h, CUSOLVER_EIG_MODE_VECTOR, rank, m, n, da.device, m, m * n, s.device, rank, u.device, m, m * rank, v.device, n, n * rank,
                                da.device, 0, infos.device, left, count));
        for (int z = 0; z < count; z++) {
            CHECK(infos.get()[z] == 0);
            CHECK(std::fabs(left[z] - 0.125) < tolerance<T>(m) * 10);
            for (int k = 0; k < rank; k++)
                CHECK(std::fabs((double)s.get()[z * rank + k] - values[k]) < tolerance<T>(m) * 4);
            CHECK(skew(wide(u.get(), m, rank, m, (size_t)z * m * rank)) < tolerance<T>(m));
        }
    }

    void wide_calls(int m, int n)
    {
        const std::vector<double> values = {7, 3, 1, 0.5};
        const dense a = with_values<T>(m, n, values);
        const cudaDataType t = solver<T>::type, r = solver<T>::real_type;
        both<T> da(m * n), u(m * 4), v(n * 4);
        both<R> s(std::min(m, n));
        store(da.host, a, m);
        flag info;
        size_t device, host;
        double error = -1;
        da.put();
        SOLVE(cusolverDnXgesvdp_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, t, da.device, m, r, s.device, t, u.device, m, t, v.device, n, t, &device,
                                           &host));
        both<T> uu(m * std::min(m, n)), vv(n * std::min(m, n));
        SOLVE(cusolverDnXgesvdp(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, t, da.device, m, r, s.device, t, uu.device, m, t, vv.device, n, t, nullptr, 0,
                                nullptr, 0, info.device, &error));
        CHECK(info.get() == 0 && error >= 0);
        hold(a, values, s.get(), wide(uu.get(), m, std::min(m, n), m), wide(vv.get(), n, std::min(m, n), n));
        da.put();
        SOLVE(cusolverDnXgesvdr(h, nullptr, 'S', 'S', m, n, 4, 1, 2, t, da.device, m, r, s.device, t, u.device, m, t, v.device, n, t, nullptr, 0, nullptr, 0,
                                info.device));
        CHECK(info.get() == 0);
        const dense left = wide(u.get(), m, 4, m);
        CHECK(skew(left) < tolerance<T>(m) && skew(wide(v.get(), n, 4, n)) < tolerance<T>(n));
        CHECK(cusolverDnXgesvd(h, nullptr, 'S', 'S', m, n, t, da.device, m, t == r ? CUDA_R_16F : t, s.device, t, u.device, m, t, v.device, 4, t, nullptr, 0,
                               nullptr, 0, info.device) == CUSOLVER_STATUS_NOT_SUPPORTED);
    }

    void all()
    {
        gesvd(1, 1, {2}, 'A');
        gesvd(13, 6, {9, 4, 4, 4, 1, 0.001}, 'A');
        gesvd(13, 6, {9, 4, 1}, 'S'); /* without full rank */
        gesvd(5, 11, {3, 2, 1, 0.5, 0.25}, 'S');
        gesvd(5, 11, {3, 2}, 'A');
        gesvdj(12, 7, {1, 1, 1, 0.5, 0.5, 1e-3, 1e-6}, 0);
        gesvdj(6, 9, {3, 2, 1, 0.5, 0.25}, 1);
        batch(7, 4);
        batch(4, 6);
        batch(32, 31);
        batch(17, 34); /* not in registers */
        approximate(14, 5);
        wide_calls(12, 6);
    }
};

int main()
{
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    every_type<test>(h);
    SOLVE(cusolverDnDestroy(h));
    printf("ok\n");
}
