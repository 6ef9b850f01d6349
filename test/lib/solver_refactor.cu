// OPTIONS: -lcusolver
// NOT ON: interp: the host does the work
// NOT ON: vulkan: the host does the work
/* cusolverRf: the setups, settings, a batch, factors in each form, pivots that are too small, factorising again. */
#include "solver.h"
#include <cusolverRf.h>

enum { N = 7 };
template <class T> struct on_device {
    T *p = nullptr;
    size_t n;
    explicit on_device(const std::vector<T> &v) : n(v.size())
    {
        CUDA(cudaMalloc((void **)&p, (n + 1) * sizeof(T)));
        put(v);
    }
    void put(const std::vector<T> &v)
    {
        CUDA(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const
    {
        std::vector<T> v(n);
        CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
    on_device(const on_device &) = delete;
    ~on_device()
    {
        cudaFree(p);
    }
};
struct rows {
    std::vector<int> ptr, col;
    std::vector<double> val;
    explicit rows(const dense &a)
    {
        for (int i = 0; i < a.m; i++) {
            ptr.push_back((int)col.size());
            for (int j = 0; j < a.n; j++)
                if (a(i, j) != zd(0)) {
                    col.push_back(j);
                    val.push_back(a(i, j).real());
                }
        }
        ptr.push_back((int)col.size());
    }
    int nnz()
    {
        return (int)col.size();
    }
};
static dense unpack(int n, const int *ptr, const int *col, const double *val)
{
    dense a(n, n);
    for (int i = 0; i < n; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            a(i, col[k]) += val[k];
    return a;
}

/* A band with corners, and its factors without exchanges: what is 0 in A and not in them is filled. */
static dense matrix(double by)
{
    dense a(N, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (std::abs(i - j) < 2 || i + j == N - 1)
                a(i, j) = i == j ? 6.0 + by * i : 1.0 + by * ((i + 2 * j) % 3);
    return a;
}
static void factor(const dense &a, dense &l, dense &u)
{
    l = dense(N, N);
    u = a;
    for (int k = 0; k < N; k++) {
        l(k, k) = 1;
        for (int i = k + 1; i < N; i++) {
            l(i, k) = u(i, k) / u(k, k);
            for (int j = k; j < N; j++)
                u(i, j) -= l(i, k) * u(k, j);
            u(i, k) = 0;
        }
    }
}
/* Row p[i] and column q[j] of A are row i and column j of what is factorised. */
static dense moved(const dense &a, const std::vector<int> &p, const std::vector<int> &q)
{
    dense m(N, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m(p[i], q[j]) = a(i, j);
    return m;
}
static const std::vector<int> P = {2, 0, 1, 4, 3, 6, 5}, Q = {1, 2, 0, 3, 6, 4, 5};

static void settings(cusolverRfHandle_t h)
{
    cusolverRfMatrixFormat_t format;
    cusolverRfUnitDiagonal_t diagonal;
    cusolverRfFactorization_t how;
    cusolverRfTriangularSolve_t solve;
    cusolverRfResetValuesFastMode_t fast;
    double zero = -1, boost = -1;
    SOLVE(cusolverRfSetMatrixFormat(h, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U));
    SOLVE(cusolverRfGetMatrixFormat(h, &format, &diagonal));
    CHECK(format == CUSOLVERRF_MATRIX_FORMAT_CSR && diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U);
    CHECK(cusolverRfSetMatrixFormat(h, (cusolverRfMatrixFormat_t)7, diagonal) == CUSOLVER_STATUS_INVALID_VALUE);
    SOLVE(cusolverRfSetAlgs(h, CUSOLVERRF_FACTORIZATION_ALG1, CUSOLVERRF_TRIANGULAR_SOLVE_ALG2));
    SOLVE(cusolverRfGetAlgs(h, &how, &solve));
    CHECK(how == CUSOLVERRF_FACTORIZATION_ALG1 && solve == CUSOLVERRF_TRIANGULAR_SOLVE_ALG2);
    SOLVE(cusolverRfSetNumericProperties(h, 0.25, 3));
    SOLVE(cusolverRfGetNumericProperties(h, &zero, &boost));
    CHECK(zero == 0.25 && boost == 3);
    SOLVE(cusolverRfSetNumericProperties(h, 0, 0));
    SOLVE(cusolverRfSetResetValuesFastMode(h, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
    SOLVE(cusolverRfGetResetValuesFastMode(h, &fast));
    CHECK(fast == CUSOLVERRF_RESET_VALUES_FAST_MODE_ON);
    SOLVE(cusolverRfSetResetValuesFastMode(h, CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF));
    CHECK(cusolverRfAnalyze(h) == CUSOLVER_STATUS_INVALID_VALUE); /* of nothing */
    CHECK(cusolverRfGetAlgs(nullptr, &how, &solve) == CUSOLVER_STATUS_NOT_INITIALIZED);
}

/* The factors are those of A, in the form that was asked for, however often it is factorised. */
static void forms(cusolverRfHandle_t h)
{
    dense l(0, 0), u(0, 0);
    factor(matrix(0), l, u);
    rows a(moved(matrix(0), P, Q)), rl(l), ru(u), other(moved(matrix(0.25), P, Q));
    on_device<int> ptr(a.ptr), col(a.col), lptr(rl.ptr), lcol(rl.col), uptr(ru.ptr), ucol(ru.col), p(P), q(Q);
    on_device<double> val(a.val), lval(rl.val), uval(ru.val);
    for (int form = CUSOLVERRF_UNIT_DIAGONAL_STORED_L; form <= CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U; form++) {
        const bool upper = form == CUSOLVERRF_UNIT_DIAGONAL_STORED_U || form == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U;
        const bool stored = form == CUSOLVERRF_UNIT_DIAGONAL_STORED_L || form == CUSOLVERRF_UNIT_DIAGONAL_STORED_U;
        SOLVE(cusolverRfSetMatrixFormat(h, CUSOLVERRF_MATRIX_FORMAT_CSR, (cusolverRfUnitDiagonal_t)form));
        if (form % 2)
            SOLVE(cusolverRfSetupDevice(N, a.nnz(), ptr.p, col.p, val.p, rl.nnz(), lptr.p, lcol.p, lval.p, ru.nnz(), uptr.p, ucol.p, uval.p, p.p, q.p, h));
        else
            SOLVE(cusolverRfSetupHost(N, a.nnz(), a.ptr.data(), a.col.data(), a.val.data(), rl.nnz(), rl.ptr.data(), rl.col.data(), rl.val.data(), ru.nnz(), ru.ptr.data(), ru.col.data(),
                                      ru.val.data(), (int *)P.data(), (int *)Q.data(), h));
        SOLVE(cusolverRfAnalyze(h));
        for (int which = 0; which < 4; which++) {
            const dense now = matrix(which < 2 ? 0 : 0.25);
            if (which == 2) {
                SOLVE(cusolverRfSetResetValuesFastMode(h, form < 2 ? CUSOLVERRF_RESET_VALUES_FAST_MODE_ON : CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF));
                val.put(other.val);
                SOLVE(cusolverRfResetValues(N, a.nnz(), ptr.p, col.p, val.p, p.p, q.p, h));
            }
            SOLVE(cusolverRfRefactor(h));
            on_device<double> x(std::vector<double>(2 * (N + 1), 1));
            SOLVE(cusolverRfSolve(h, p.p, q.p, 2, nullptr, N, x.p, N + 1));
            for (int k = 0; k < 2; k++) {
                const dense one = wide(std::vector<double>(N, 1), N, 1, N), got = wide(x.get(), N, 1, N + 1, k * (N + 1));
                CHECK(minus(times(moved(now, P, Q), got), one).norm() < 1e-12);
            }
            int nm, *mp, *mc, nl, *lp, *lc, nu, *up, *uc;
            double *mv, *lv, *uv;
            SOLVE(cusolverRfExtractSplitFactorsHost(h, &nl, &lp, &lc, &lv, &nu, &up, &uc, &uv));
            dense fl = unpack(N, lp, lc, lv), fu = unpack(N, up, uc, uv);
            const int own = upper ? nu : nl;
            for (int i = 0; i < N; i++) {
                CHECK((upper ? fu : fl)(i, i) == zd(stored ? 1 : 0));
                (upper ? fu : fl)(i, i) = 1;
                for (int j = i + 1; j < N; j++)
                    CHECK(fl(i, j) == zd(0) && fu(j, i) == zd(0));
            }
            CHECK(distance(times(fl, fu), now) < 1e-14);
            CHECK(own > 0);
            for (int where = 0; where < 2; where++) {
                dense m(N, N);
                if (where) {
                    SOLVE(cusolverRfAccessBundledFactorsDevice(h, &nm, &mp, &mc, &mv));
                    std::vector<int> hp(N + 1), hc(nm);
                    std::vector<double> hv(nm);
                    CUDA(cudaMemcpy(hp.data(), mp, hp.size() * 4, cudaMemcpyDeviceToHost));
                    CUDA(cudaMemcpy(hc.data(), mc, hc.size() * 4, cudaMemcpyDeviceToHost));
                    CUDA(cudaMemcpy(hv.data(), mv, hv.size() * 8, cudaMemcpyDeviceToHost));
                    m = unpack(N, hp.data(), hc.data(), hv.data());
                } else {
                    SOLVE(cusolverRfExtractBundledFactorsHost(h, &nm, &mp, &mc, &mv));
                    m = unpack(N, mp, mc, mv);
                    free(mp);
                    free(mc);
                    free(mv);
                }
                for (int i = 0; i < N; i++)
                    m(i, i) += 1.0;
                CHECK(distance(m, [&] {
                          dense s = fl;
                          for (size_t k = 0; k < s.v.size(); k++)
                              s.v[k] += fu.v[k];
                          return s;
                      }()) < 1e-14);
                CHECK(nm == nl + nu - (stored ? N : 0));
            }
            for (void *o : {(void *)lp, (void *)lc, (void *)lv, (void *)up, (void *)uc, (void *)uv})
                free(o);
        }
        val.put(a.val);
    }
    /* What is no order, and an element that has no place. */
    std::vector<int> twice = P;
    twice[1] = twice[0];
    CHECK(cusolverRfSetupHost(N, a.nnz(), a.ptr.data(), a.col.data(), a.val.data(), rl.nnz(), rl.ptr.data(), rl.col.data(), rl.val.data(), ru.nnz(), ru.ptr.data(), ru.col.data(), ru.val.data(),
                              twice.data(), (int *)Q.data(), h) == CUSOLVER_STATUS_INVALID_VALUE);
}

/* A pivot is zero where it is not above `zero`; it becomes `boost`, if that is above 0. */
static void pivots(cusolverRfHandle_t h)
{
    dense a(N, N), eye(N, N);
    for (int i = 0; i < N; i++) {
        eye(i, i) = 1;
        a(i, i) = i == 2 ? -0.125 : i == 5 ? 0.25 : 4;
    }
    rows ra(a), id(eye);
    SOLVE(cusolverRfSetMatrixFormat(h, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
    SOLVE(cusolverRfSetupHost(N, N, ra.ptr.data(), ra.col.data(), ra.val.data(), N, id.ptr.data(), id.col.data(), id.val.data(), N, ra.ptr.data(), ra.col.data(), ra.val.data(), nullptr, nullptr,
                              h));
    SOLVE(cusolverRfAnalyze(h));
    const struct {
        double zero, boost;
        cusolverStatus_t status;
        int where;
        bool boosted;
    } tries[] = {{0, 0, CUSOLVER_STATUS_SUCCESS, -1, false},       {0.125, 0, CUSOLVER_STATUS_ZERO_PIVOT, 2, false}, {0.125, -3, CUSOLVER_STATUS_ZERO_PIVOT, 2, false},
                 {0.1, 3, CUSOLVER_STATUS_SUCCESS, -1, false},     {0.125, 3, CUSOLVER_STATUS_SUCCESS, -1, true},    {0.5, 0, CUSOLVER_STATUS_ZERO_PIVOT, 2, false},
                 {0.5, 8, CUSOLVER_STATUS_SUCCESS, -1, true}};
    for (auto &t : tries) {
        cusolverRfNumericBoostReport_t report;
        int where = 9, nm, *mp, *mc;
        double *mv;
        SOLVE(cusolverRfSetNumericProperties(h, t.zero, t.boost));
        CHECK(cusolverRfRefactor(h) == t.status);
        CHECK(cusolverRfBatchZeroPivot(h, &where) == t.status && where == t.where);
        SOLVE(cusolverRfGetNumericBoostReport(h, &report));
        CHECK((report == CUSOLVERRF_NUMERIC_BOOST_USED) == t.boosted);
        SOLVE(cusolverRfExtractBundledFactorsHost(h, &nm, &mp, &mc, &mv));
        for (int i = 0; i < N; i++) {
            const double d = a(i, i).real();
            CHECK(mv[i] == (std::fabs(d) <= t.zero && t.boost > 0 ? t.boost : d));
        }
        free(mp);
        free(mc);
        free(mv);
    }
    SOLVE(cusolverRfSetNumericProperties(h, 0, 0));
}

static void batch(cusolverRfHandle_t h)
{
    dense l(0, 0), u(0, 0);
    factor(matrix(0), l, u);
    rows rl(l), ru(u), a(moved(matrix(0), P, Q)), b(moved(matrix(0.5), P, Q)), c(moved(matrix(0.125), P, Q));
    double *given[] = {a.val.data(), b.val.data()};
    on_device<int> ptr(a.ptr), col(a.col), p(P), q(Q);
    SOLVE(cusolverRfSetResetValuesFastMode(h, CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF));
    SOLVE(cusolverRfBatchSetupHost(2, N, a.nnz(), a.ptr.data(), a.col.data(), given, rl.nnz(), rl.ptr.data(), rl.col.data(), rl.val.data(), ru.nnz(), ru.ptr.data(), ru.col.data(), ru.val.data(),
                                   (int *)P.data(), (int *)Q.data(), h));
    SOLVE(cusolverRfBatchAnalyze(h));
    for (int changed = 0; changed < 2; changed++) {
        const double by[2][2] = {{0, 0.5}, {0.125, 0}};
        if (changed) {
            on_device<double> first(c.val), second(a.val);
            on_device<double *> both({first.p, second.p});
            SOLVE(cusolverRfBatchResetValues(2, N, a.nnz(), ptr.p, col.p, both.p, p.p, q.p, h));
        }
        SOLVE(cusolverRfBatchRefactor(h));
        SOLVE(cusolverRfBatchRefactor(h));
        int where[2] = {9, 9};
        SOLVE(cusolverRfBatchZeroPivot(h, where));
        CHECK(where[0] == -1 && where[1] == -1);
        on_device<double> x(std::vector<double>(N, 1)), y(std::vector<double>(N, 2));
        on_device<double *> xs({x.p, y.p});
        SOLVE(cusolverRfBatchSolve(h, p.p, q.p, 1, nullptr, N, xs.p, N));
        for (int k = 0; k < 2; k++)
            CHECK(minus(times(moved(matrix(by[changed][k]), P, Q), wide(k ? y.get() : x.get(), N, 1, N)), wide(std::vector<double>(N, k + 1), N, 1, N)).norm() < 1e-12);
    }
}

int main()
{
    cusolverRfHandle_t h;
    SOLVE(cusolverRfCreate(&h));
    settings(h);
    forms(h);
    pivots(h);
    batch(h);
    SOLVE(cusolverRfDestroy(h));
    puts("ok");
}
