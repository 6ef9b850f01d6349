// LONG ON: vulkan: its kernels take ten seconds to be compiled; solver_svd and solver_larft have some of them
// OPTIONS: -lcusolver
/* Systems and least squares in a lower precision, refined; and the bidiagonal form. */
#include "solver.h"

#define CALLS(T_, R_, L, own, low, or_, main_, lowest_)                                            \
    template <> struct solver<T_> {                                                                \
        typedef R_ real;                                                                           \
        static constexpr auto gesv = cusolverDn##own##gesv;                                        \
        static constexpr auto gesv_low = cusolverDn##low##gesv;                                    \
        static constexpr auto gesv_size = cusolverDn##low##gesv_bufferSize;                        \
        static constexpr auto gels = cusolverDn##own##gels;                                        \
        static constexpr auto gels_low = cusolverDn##low##gels;                                    \
        static constexpr auto gebrd = cusolverDn##L##gebrd;                                        \
        static constexpr auto orgbr = cusolverDn##L##or_##gbr;                                     \
        static constexpr cusolverPrecType_t main = main_, lowest = lowest_;                        \
    };
CALLS(float, float, S, SS, SH, or, CUSOLVER_R_32F, CUSOLVER_R_16F)
CALLS(double, double, D, DD, DS, or, CUSOLVER_R_64F, CUSOLVER_R_32F)
CALLS(cuComplex, float, C, CC, CK, un, CUSOLVER_C_32F, CUSOLVER_C_TF32)
CALLS(cuDoubleComplex, double, Z, ZZ, ZC, un, CUSOLVER_C_64F, CUSOLVER_C_32F)

template <class T> struct test {
    typedef typename solver<T>::real R;
    cusolverDnHandle_t h;

    void systems(int n, int nrhs)
    {
        dense a = random_matrix<T>(n, n);
        const dense b = random_matrix<T>(n, nrhs);
        for (int i = 0; i < n; i++)
            a(i, i) += 3.0;
        for (int how = 0; how < 3; how++) {
            both<T> da(n * n), db(n * nrhs), dx(n * nrhs);
            both<int> pivots(n);
            store(da.host, a, n);
            store(db.host, b, n);
            da.put();
            db.put();
            flag info;
            int steps = -99;
            size_t size = 0;
            SOLVE(solver<T>::gesv_size(h, n, nrhs, da.device, n, pivots.device, db.device, n, dx.device, n, nullptr, &size));
            space<char> work(size);
            if (how == 0)
                SOLVE(solver<T>::gesv(h, n, nrhs, da.device, n, pivots.device, db.device, n, dx.device, n, work.device, size, &steps, info.device));
            else if (how == 1)
                SOLVE(solver<T>::gesv_low(h, n, nrhs, da.device, n, pivots.device, db.device, n, dx.device, n, work.device, size, &steps, info.device));
            else {
                cusolverDnIRSParams_t params;
                cusolverDnIRSInfos_t infos;
                int told = -99;
                SOLVE(cusolverDnIRSParamsCreate(&params));
                SOLVE(cusolverDnIRSInfosCreate(&infos));
                CHECK(cusolverDnIRSXgesv(h, params, infos, n, nrhs, da.device, n, db.device, n, dx.device, n, work.device, size, &steps, info.device) ==
                      CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC);
                SOLVE(cusolverDnIRSParamsSetSolverPrecisions(params, solver<T>::main, solver<T>::lowest));
                SOLVE(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_GMRES));
                SOLVE(cusolverDnIRSInfosRequestResidual(infos));
                SOLVE(cusolverDnIRSXgesv_bufferSize(h, params, n, nrhs, &size));
                SOLVE(cusolverDnIRSXgesv(h, params, infos, n, nrhs, da.device, n, db.device, n, dx.device, n, work.device, size, &steps, info.device));
                SOLVE(cusolverDnIRSInfosGetNiters(infos, &told));
                CHECK(told == steps);
                SOLVE(cusolverDnIRSParamsDestroy(params));
                SOLVE(cusolverDnIRSInfosDestroy(infos));
            }
            CHECK(info.get() == 0 && steps >= 0 && steps < 20);
            CHECK((steps > 0) == (how > 0 && sizeof(R) == 8));
            const dense x = wide(dx.get(), n, nrhs, n);
            CHECK(minus(times(a, x), b).norm() < tolerance<T>(n) * (a.norm() * x.norm() + 1));
        }
        /* Singular: info says where, in the caller's precision. */
        for (int i = 0; i < n; i++)
            a(i, 1) = 0;
        both<T> da(n * n), db(n), dx(n);
        both<int> pivots(n);
        store(da.host, a, n);
        da.put();
        flag info;
        int steps = 0;
        SOLVE(solver<T>::gesv_low(h, n, 1, da.device, n, pivots.device, db.device, n, dx.device, n, nullptr, 0, &steps, info.device));
        CHECK(info.get() == 2);
    }

    void least_squares(int m, int n)
    {
        const dense a = random_matrix<T>(m, n), b = random_matrix<T>(m, 2);
        for (int low = 0; low < 2; low++) {
            both<T> da(m * n), db(m * 2), dx(n * 2);
            store(da.host, a, m);
            store(db.host, b, m);
            da.put();
            db.put();
            flag info;
            int steps = -99;
            if (low)
                SOLVE(solver<T>::gels_low(h, m, n, 2, da.device, m, db.device, m, dx.device, n, nullptr, 0, &steps, info.device));
            else
                SOLVE(solver<T>::gels(h, m, n, 2, da.device, m, db.device, m, dx.device, n, nullptr, 0, &steps, info.device));
            CHECK(info.get() == 0);
            CHECK(low && sizeof(R) == 8 ? steps > 0 && steps < 12 : steps == 0); /* b is no product of A's */
            const dense x = wide(dx.get(), n, 2, n);
            CHECK(times(adjoint(a), minus(times(a, x), b)).norm() < tolerance<T>(m) * a.norm() * (a.norm() * x.norm() + 1));
        }
    }

    /* Where refinement cannot do, the caller's precision does; why is told. */
    void fallback(int m, int n)
    {
        if (sizeof(R) < 8)
            return;
        for (int how = 0; how < 4; how++) {
            dense a = random_matrix<T>(m, n), b = random_matrix<T>(m, 1);
            const int expected[] = {-2, -2, -50, -3};
            if (how == 0) /* too large for f32 */
                a(3, 2) = 1e60;
            if (how == 1)
                b(4, 0) = 1e50;
            if (how == 2) /* columns that are the same in f32, nearly */
                for (int i = 0; i < m; i++)
                    a(i, 1) = a(i, 0) * (1.0 + 1e-9 * (i % 3));
            if (how == 3) /* columns that are 0 in f32 */
                for (int i = 0; i < m; i++)
                    a(i, 1) *= 1e-60;
            both<T> da(m * n), db(m), dx(n);
            store(da.host, a, m);
            store(db.host, b, m);
            da.put();
            db.put();
            flag info;
            int steps = 99;
            SOLVE(solver<T>::gels_low(h, m, n, 1, da.device, m, db.device, m, dx.device, n, nullptr, 0, &steps, info.device));
            if (how == 2)
                CHECK(steps < 0);
            else
                CHECK(steps == expected[how]);
            CHECK(info.get() == 0);
            const dense x = wide(dx.get(), n, 1, n), r = minus(times(a, x), b);
            CHECK(times(adjoint(a), r).norm() < tolerance<T>(m) * a.norm() * (a.norm() * x.norm() + r.norm()));
        }
    }

    /* A = Q B P' */
    void bidiagonal(int m, int n)
    {
        const int k = std::min(m, n), lda = m + 1;
        const dense a = random_matrix<T>(m, n);
        both<T> da(lda * n), tauq(k), taup(k);
        both<R> d(k), e(k);
        store(da.host, a, lda);
        da.put();
        flag info;
        SOLVE(solver<T>::gebrd(h, m, n, da.device, lda, d.device, e.device, tauq.device, taup.device, da.device, 0, info.device));
        CHECK(info.get() == 0);
        const std::vector<T> f = da.get();
        dense b(k, k);
        for (int i = 0; i < k; i++) {
            b(i, i) = (double)d.get()[i];
            if (i + 1 < k && m >= n)
                b(i, i + 1) = (double)e.get()[i];
            if (i + 1 < k && m < n)
                b(i + 1, i) = (double)e.get()[i];
        }
        both<T> q(m * k), p(k * n);
        store(q.host, wide(f, m, k, lda), m);
        store(p.host, wide(f, k, n, lda), k);
        q.put();
        p.put();
        SOLVE(solver<T>::orgbr(h, CUBLAS_SIDE_LEFT, m, k, n, q.device, m, tauq.device, da.device, 0, info.device));
        SOLVE(solver<T>::orgbr(h, CUBLAS_SIDE_RIGHT, k, n, m, p.device, k, taup.device, da.device, 0, info.device));
        const dense dq = wide(q.get(), m, k, m), dp = wide(p.get(), k, n, k);
        CHECK(skew(dq) < tolerance<T>(m) && skew(adjoint(dp)) < tolerance<T>(n));
        CHECK(distance(times(dq, times(b, dp)), a) < tolerance<T>(m + n));
    }

    void all()
    {
        systems(23, 2);
        least_squares(19, 6);
        fallback(15, 4);
        bidiagonal(11, 6);
        bidiagonal(6, 6);
        bidiagonal(4, 9);
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
