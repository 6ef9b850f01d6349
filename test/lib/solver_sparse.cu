// OPTIONS: -lcusolver -lcusparse
/* Sparse systems: a grid's matrix in every way there is, singular and indefinite ones, steps, batches, orders, an eigenvalue. */
#include "solver.h"
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

#define CALLS(T_, R_, L)                                                                           \
    template <> struct solver<T_> {                                                                \
        typedef R_ real;                                                                           \
        static constexpr auto qr = cusolverSp##L##csrlsvqr;                                        \
        static constexpr auto qrHost = cusolverSp##L##csrlsvqrHost;                                \
        static constexpr auto chol = cusolverSp##L##csrlsvchol;                                    \
        static constexpr auto cholHost = cusolverSp##L##csrlsvcholHost;                            \
        static constexpr auto luHost = cusolverSp##L##csrlsvluHost;                                \
        static constexpr auto least = cusolverSp##L##csrlsqvqrHost;                                \
        static constexpr auto eigvsi = cusolverSp##L##csreigvsi;                                   \
        static constexpr auto cholFactor = cusolverSp##L##csrcholFactor;                           \
        static constexpr auto cholPivot = cusolverSp##L##csrcholZeroPivot;                         \
        static constexpr auto cholSolve = cusolverSp##L##csrcholSolve;                             \
        static constexpr auto cholDiag = cusolverSp##L##csrcholDiag;                               \
        static constexpr auto luFactor = cusolverSp##L##csrluFactorHost;                           \
        static constexpr auto luSolve = cusolverSp##L##csrluSolveHost;                             \
        static constexpr auto luExtract = cusolverSp##L##csrluExtractHost;                         \
        static constexpr auto qrSetup = cusolverSp##L##csrqrSetup;                                 \
        static constexpr auto qrFactor = cusolverSp##L##csrqrFactor;                               \
        static constexpr auto qrSolve = cusolverSp##L##csrqrSolve;                                 \
        static constexpr auto batched = cusolverSp##L##csrqrsvBatched;                             \
    };
CALLS(float, float, S)
CALLS(double, double, D)
CALLS(cuComplex, float, C)
CALLS(cuDoubleComplex, double, Z)

template <class T> struct sparse {
    int m, n, base;
    std::vector<int> ptr, col;
    std::vector<T> val;
    sparse(const dense &a, int base) : m(a.m), n(a.n), base(base)
    {
        for (int i = 0; i < m; i++) {
            ptr.push_back((int)col.size() + base);
            for (int j = 0; j < n; j++)
                if (a(i, j) != zd(0)) {
                    col.push_back(j + base);
                    val.push_back(as<T>::narrow(a(i, j)));
                }
        }
        ptr.push_back((int)col.size() + base);
    }
    int nnz() const
    {
        return (int)col.size();
    }
};
template <class T> struct on_device {
    T *p = nullptr;
    explicit on_device(const std::vector<T> &v)
    {
        CUDA(cudaMalloc((void **)&p, (v.size() + 1) * sizeof(T)));
        CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~on_device()
    {
        cudaFree(p);
    }
};

/* Neighbours on a grid of w by w: Hermitian and positive definite; skewed: neither. */
template <class T> dense grid(int w, bool skewed)
{
    dense a(w * w, w * w);
    const zd link = as<T>::is_complex ? zd(-1, 0.5) : zd(-1);
    for (int y = 0; y < w; y++)
        for (int x = 0; x < w; x++) {
            const int i = x + y * w;
            a(i, i) = skewed ? 0.5 + x : 5.0;
            if (x + 1 < w) {
                a(i, i + 1) = link;
                a(i + 1, i) = skewed ? 2.0 * link : std::conj(link);
            }
            if (y + 1 < w) {
                a(i, i + w) = link;
                a(i + w, i) = skewed ? zd(3) : std::conj(link);
            }
        }
    return a;
}

template <class T> struct test {
    typedef typename solver<T>::real R;
    cusolverDnHandle_t unused;
    cusolverSpHandle_t h;
    cusparseMatDescr_t descr[2];

    void hold(const dense &a, const std::vector<T> &x, const std::vector<T> &b, size_t from = 0)
    {
        const dense dx = wide(x, a.n, 1, a.n, from * a.n), db = wide(b, a.m, 1, a.m, from * a.m);
        CHECK(minus(times(a, dx), db).norm() < tolerance<T>(a.n) * 10 * (a.norm() * dx.norm() + 1));
    }
    std::vector<T> right(int n)
    {
        std::vector<T> b(n);
        for (T &v : b)
            v = any<T>();
        return b;
    }

    void systems(int w, int base)
    {
        for (int skewed = 0; skewed < 2; skewed++)
            for (int reorder = 0; reorder < 4; reorder++) {
                const dense a = grid<T>(w, skewed);
                const sparse<T> s(a, base);
                const std::vector<T> b = right(s.n);
                std::vector<T> x(s.n);
                int singular = 7;
                on_device<T> val(s.val), db(b);
                on_device<int> ptr(s.ptr), col(s.col);
                both<T> dx(s.n);
                SOLVE(solver<T>::luHost(h, s.n, s.nnz(), descr[base], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, reorder, x.data(), &singular));
                CHECK(singular == -1);
                hold(a, x, b);
                SOLVE(solver<T>::qrHost(h, s.n, s.nnz(), descr[base], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, reorder, x.data(), &singular));
                CHECK(singular == -1);
                hold(a, x, b);
                SOLVE(solver<T>::qr(h, s.n, s.nnz(), descr[base], val.p, ptr.p, col.p, db.p, 0, reorder, dx.device, &singular));
                CHECK(singular == -1);
                hold(a, dx.get(), b);
                if (skewed)
                    continue;
                SOLVE(solver<T>::chol(h, s.n, s.nnz(), descr[base], val.p, ptr.p, col.p, db.p, 0, reorder, dx.device, &singular));
                CHECK(singular == -1);
                hold(a, dx.get(), b);
                SOLVE(solver<T>::cholHost(h, s.n, s.nnz(), descr[base], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, reorder, x.data(), &singular));
                CHECK(singular == -1);
                hold(a, x, b);
            }
    }

    void singular()
    {
        dense a = grid<T>(4, false);
        for (int j = 0; j < 16; j++) /* a row of nothing but the diagonal, which is 0, and a column */
            a(9, j) = a(j, 9) = j == 9 ? zd(-1) : zd(0);
        sparse<T> s(a, 0);
        const std::vector<T> b = right(16);
        std::vector<T> x(16);
        int where = -1;
        SOLVE(solver<T>::cholHost(h, 16, s.nnz(), descr[0], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, 0, x.data(), &where));
        CHECK(where == 9);
        for (int p = s.ptr[9]; p < s.ptr[10]; p++)
            s.val[p] = as<T>::narrow(0);
        SOLVE(solver<T>::luHost(h, 16, s.nnz(), descr[0], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, 0, x.data(), &where));
        CHECK(where == 9);
        SOLVE(solver<T>::qrHost(h, 16, s.nnz(), descr[0], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, 0, x.data(), &where));
        CHECK(where == 9);
        s.col[3] = 99;
        CHECK(solver<T>::luHost(h, 16, s.nnz(), descr[0], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, 0, x.data(), &where) ==
              CUSOLVER_STATUS_INVALID_VALUE);
    }

    void least_squares()
    {
        dense a = random_matrix<T>(12, 5);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 5; j++)
                if ((i + 2 * j) % 3)
                    a(i, j) = 0;
        const sparse<T> s(a, 0);
        const std::vector<T> b = right(12);
        std::vector<T> x(5);
        int rank = -1, p[5];
        R left = -1;
        SOLVE(solver<T>::least(h, 12, 5, s.nnz(), descr[0], s.val.data(), s.ptr.data(), s.col.data(), b.data(), 0, &rank, x.data(), p, &left));
        const dense r = minus(times(a, wide(x, 5, 1, 5)), wide(b, 12, 1, 12));
        CHECK(rank == 5 && std::fabs(left - r.norm()) < tolerance<T>(12) * 10);
        CHECK(times(adjoint(a), r).norm() < tolerance<T>(12) * 10);
    }

    void steps()
    {
        const dense a = grid<T>(5, false), c = grid<T>(5, true);
        const sparse<T> s(a, 0), g(c, 0);
        const int n = s.n;
        const std::vector<T> b = right(n);
        on_device<T> val(s.val), db(b);
        on_device<int> ptr(s.ptr), col(s.col);
        both<T> dx(n);
        csrcholInfo_t chol;
        int where = 7;
        SOLVE(cusolverSpCreateCsrcholInfo(&chol));
        SOLVE(cusolverSpXcsrcholAnalysis(h, n, s.nnz(), descr[0], ptr.p, col.p, chol));
        SOLVE(solver<T>::cholFactor(h, n, s.nnz(), descr[0], val.p, ptr.p, col.p, chol, nullptr));
        SOLVE(solver<T>::cholPivot(h, chol, 0, &where));
        CHECK(where == -1);
        SOLVE(solver<T>::cholSolve(h, n, db.p, dx.device, chol, nullptr));
        hold(a, dx.get(), b);
        /* The determinants of the leading blocks are the products of the diagonal's squares. */
        both<R> diagonal(n);
        SOLVE(solver<T>::cholDiag(h, chol, diagonal.device));
        dense left = a;
        for (int k = 0; k < n; k++) {
            CHECK(std::fabs((double)diagonal.get()[k] - std::sqrt(left(k, k).real())) < tolerance<T>(n));
            for (int j = k + 1; j < n; j++)
                for (int i = k + 1; i < n; i++)
                    left(i, j) -= left(i, k) * left(k, j) / left(k, k);
        }
        SOLVE(solver<T>::cholPivot(h, chol, (R)10, &where));
        CHECK(where == 0); /* none is as large */
        SOLVE(cusolverSpDestroyCsrcholInfo(chol));
        csrqrInfo_t qr;
        SOLVE(cusolverSpCreateCsrqrInfo(&qr));
        SOLVE(cusolverSpXcsrqrAnalysis(h, n, n, s.nnz(), descr[0], ptr.p, col.p, qr));
        dense shifted = a;
        for (int i = 0; i < n; i++)
            shifted(i, i) -= 0.5;
        SOLVE(solver<T>::qrSetup(h, n, n, s.nnz(), descr[0], val.p, ptr.p, col.p, as<T>::narrow(0.5), qr));
        SOLVE(solver<T>::qrFactor(h, n, n, s.nnz(), nullptr, nullptr, qr, nullptr));
        SOLVE(solver<T>::qrSolve(h, n, n, db.p, dx.device, qr, nullptr));
        hold(shifted, dx.get(), b);
        /* A diagonal that is not in the pattern is shifted, too. */
        dense bare = c;
        for (int i = 0; i < n; i += 3)
            bare(i, i) = 0;
        const sparse<T> few(bare, 1);
        on_device<T> fewVal(few.val);
        on_device<int> fewPtr(few.ptr), fewCol(few.col);
        for (int i = 0; i < n; i++)
            bare(i, i) += 2.5;
        SOLVE(cusolverSpXcsrqrAnalysis(h, n, n, few.nnz(), descr[1], fewPtr.p, fewCol.p, qr));
        SOLVE(solver<T>::qrSetup(h, n, n, few.nnz(), descr[1], fewVal.p, fewPtr.p, fewCol.p, as<T>::narrow(-2.5), qr));
        SOLVE(solver<T>::qrFactor(h, n, n, few.nnz(), db.p, dx.device, qr, nullptr));
        hold(bare, dx.get(), b);
        /* Two matrices of one pattern. */
        std::vector<T> twice = s.val, bs = b;
        for (const T &v : s.val)
            twice.push_back(as<T>::narrow(as<T>::wide(v) * 2.0));
        bs.insert(bs.end(), b.begin(), b.end());
        on_device<T> vals(twice), dbs(bs);
        both<T> dxs(2 * n);
        SOLVE(cusolverSpXcsrqrAnalysisBatched(h, n, n, s.nnz(), descr[0], ptr.p, col.p, qr));
        SOLVE(solver<T>::batched(h, n, n, s.nnz(), descr[0], vals.p, ptr.p, col.p, dbs.p, dxs.device, 2, qr, nullptr));
        hold(a, dxs.get(), bs);
        dense doubled = a;
        for (zd &v : doubled.v)
            v *= 2.0;
        hold(doubled, dxs.get(), bs, 1);
        SOLVE(cusolverSpDestroyCsrqrInfo(qr));
        /* P A Q' = L U */
        csrluInfoHost_t lu;
        int nl, nu;
        std::vector<T> x(n);
        SOLVE(cusolverSpCreateCsrluInfoHost(&lu));
        SOLVE(cusolverSpXcsrluAnalysisHost(h, n, g.nnz(), descr[0], g.ptr.data(), g.col.data(), lu));
        SOLVE(solver<T>::luFactor(h, n, g.nnz(), descr[0], g.val.data(), g.ptr.data(), g.col.data(), lu, 1, nullptr));
        SOLVE(solver<T>::luSolve(h, n, b.data(), x.data(), lu, nullptr));
        hold(c, x, b);
        SOLVE(cusolverSpXcsrluNnzHost(h, &nl, &nu, lu));
        std::vector<int> p(n), q(n), lp(n + 1), lc(nl), up(n + 1), uc(nu);
        std::vector<T> lv(nl), uv(nu);
        SOLVE(solver<T>::luExtract(h, p.data(), q.data(), descr[0], lv.data(), lp.data(), lc.data(), descr[1], uv.data(), up.data(), uc.data(), lu, nullptr));
        dense l(n, n), u(n, n), moved(n, n);
        for (int i = 0; i < n; i++) {
            l(i, i) = 1; /* not stored */
            for (int k = lp[i]; k < lp[i + 1]; k++)
                l(i, lc[k]) += as<T>::wide(lv[k]);
            for (int k = up[i] - 1; k < up[i + 1] - 1; k++)
                u(i, uc[k] - 1) = as<T>::wide(uv[k]);
            for (int j = 0; j < n; j++)
                moved(i, j) = c(p[i], q[j]);
        }
        CHECK(distance(times(l, u), moved) < tolerance<T>(n) * 10);
        SOLVE(cusolverSpDestroyCsrluInfoHost(lu));
    }

    void orders()
    {
        const dense a = grid<T>(5, false);
        for (int how = 0; how < 4; how++) {
            sparse<T> s(a, 1);
            const int n = s.n;
            std::vector<int> p(n), seen(n), map(s.nnz());
            if (how == 0)
                SOLVE(cusolverSpXcsrsymrcmHost(h, n, s.nnz(), descr[1], s.ptr.data(), s.col.data(), p.data()));
            else if (how == 1)
                SOLVE(cusolverSpXcsrsymamdHost(h, n, s.nnz(), descr[1], s.ptr.data(), s.col.data(), p.data()));
            else if (how == 2)
                SOLVE(cusolverSpXcsrsymmdqHost(h, n, s.nnz(), descr[1], s.ptr.data(), s.col.data(), p.data()));
            else
                SOLVE(cusolverSpXcsrmetisndHost(h, n, s.nnz(), descr[1], s.ptr.data(), s.col.data(), nullptr, p.data()));
            for (int v : p)
                seen.at(v)++;
            CHECK(*std::min_element(seen.begin(), seen.end()) == 1);
            int symmetric = -1;
            SOLVE(cusolverSpXcsrissymHost(h, n, s.nnz(), descr[1], s.ptr.data(), s.ptr.data() + 1, s.col.data(), &symmetric));
            CHECK(symmetric == 1);
            for (int k = 0; k < s.nnz(); k++)
                map[k] = k;
            SOLVE(cusolverSpXcsrpermHost(h, n, n, s.nnz(), descr[1], s.ptr.data(), s.col.data(), p.data(), p.data(), map.data(), nullptr));
            for (int i = 0; i < n; i++)
                for (int k = s.ptr[i] - 1; k < s.ptr[i + 1] - 1; k++)
                    CHECK(as<T>::wide(s.val[map[k]]) == a(p[i], p[s.col[k] - 1]));
        }
    }

    void eigenvalue()
    {
        dense a(6, 6); /* 1 … 6 */
        for (int i = 0; i < 6; i++) {
            a(i, i) = i + 1;
            if (i)
                a(i, i - 1) = 0.25;
        }
        const sparse<T> s(a, 0);
        on_device<T> val(s.val), x0(std::vector<T>(6, as<T>::narrow(1)));
        on_device<int> ptr(s.ptr), col(s.col);
        both<T> mu(1), x(6);
        SOLVE(solver<T>::eigvsi(h, 6, s.nnz(), descr[0], val.p, ptr.p, col.p, as<T>::narrow(3.2), x0.p, 60, (R)(as<T>::eps() * 4), mu.device, x.device));
        CHECK(std::abs(as<T>::wide(mu.get()[0]) - 3.0) < as<T>::eps() * 200);
        const dense v = wide(x.get(), 6, 1, 6);
        dense three = v;
        for (zd &e : three.v)
            e *= 3.0;
        CHECK(minus(times(a, v), three).norm() < as<T>::eps() * 400);
    }

    void all()
    {
        SOLVE(cusolverSpCreate(&h));
        for (int k = 0; k < 2; k++) {
            CHECK(cusparseCreateMatDescr(&descr[k]) == CUSPARSE_STATUS_SUCCESS);
            CHECK(cusparseSetMatIndexBase(descr[k], k ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO) == CUSPARSE_STATUS_SUCCESS);
        }
        systems(5, 0);
        systems(1, 0);
        systems(9, 1);
        singular();
        least_squares();
        steps();
        orders();
        eigenvalue();
        for (int k = 0; k < 2; k++)
            cusparseDestroyMatDescr(descr[k]);
        SOLVE(cusolverSpDestroy(h));
    }
};

/* Factors along those of another matrix of the same pattern. */
static void refactor()
{
    const dense c = grid<double>(5, true);
    const sparse<double> g(c, 0);
    const int n = g.n;
    cusolverSpHandle_t h;
    cusparseMatDescr_t descr;
    csrluInfoHost_t lu;
    int nl, nu;
    SOLVE(cusolverSpCreate(&h));
    CHECK(cusparseCreateMatDescr(&descr) == CUSPARSE_STATUS_SUCCESS);
    SOLVE(cusolverSpCreateCsrluInfoHost(&lu));
    SOLVE(cusolverSpXcsrluAnalysisHost(h, n, g.nnz(), descr, g.ptr.data(), g.col.data(), lu));
    SOLVE(cusolverSpDcsrluFactorHost(h, n, g.nnz(), descr, g.val.data(), g.ptr.data(), g.col.data(), lu, 1, nullptr));
    SOLVE(cusolverSpXcsrluNnzHost(h, &nl, &nu, lu));
    std::vector<int> p(n), q(n), lp(n + 1), lc(nl), up(n + 1), uc(nu), ptr = g.ptr, col = g.col;
    std::vector<double> lv(nl), uv(nu), val = g.val, b(n);
    SOLVE(cusolverSpDcsrluExtractHost(h, p.data(), q.data(), descr, lv.data(), lp.data(), lc.data(), descr, uv.data(), up.data(), uc.data(), lu, nullptr));
    cusolverRfHandle_t rf;
    SOLVE(cusolverRfCreate(&rf));
    SOLVE(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
    SOLVE(cusolverRfSetupHost(n, g.nnz(), ptr.data(), col.data(), val.data(), nl, lp.data(), lc.data(), lv.data(), nu, up.data(), uc.data(), uv.data(), p.data(),
                              q.data(), rf));
    SOLVE(cusolverRfAnalyze(rf));
    dense changed = c;
    for (int k = 0; k < g.nnz(); k++)
        val[k] *= 1 + 0.125 * (k % 3);
    for (int i = 0; i < n; i++)
        for (int k = g.ptr[i]; k < g.ptr[i + 1]; k++)
            changed(i, g.col[k]) = val[k];
    for (double &v : b)
        v = uniform();
    on_device<int> dptr(ptr), dcol(col), dp(p), dq(q);
    on_device<double> dval(val), dx(b);
    SOLVE(cusolverRfResetValues(n, g.nnz(), dptr.p, dcol.p, dval.p, dp.p, dq.p, rf));
    SOLVE(cusolverRfRefactor(rf));
    SOLVE(cusolverRfSolve(rf, dp.p, dq.p, 1, nullptr, n, dx.p, n));
    std::vector<double> x(n);
    CUDA(cudaMemcpy(x.data(), dx.p, 8 * n, cudaMemcpyDeviceToHost));
    const dense solution = wide(x, n, 1, n);
    CHECK(minus(times(changed, solution), wide(b, n, 1, n)).norm() < 1e-10 * (changed.norm() * solution.norm() + 1));
    int nm, *mp, *mc;
    double *mv;
    SOLVE(cusolverRfExtractBundledFactorsHost(rf, &nm, &mp, &mc, &mv));
    CHECK(nm == nl + nu && mp[n] == nm);
    free(mp);
    free(mc);
    free(mv);
    for (double &v : val)
        v = 0;
    CUDA(cudaMemcpy(dval.p, val.data(), val.size() * 8, cudaMemcpyHostToDevice));
    SOLVE(cusolverRfResetValues(n, g.nnz(), dptr.p, dcol.p, dval.p, dp.p, dq.p, rf));
    CHECK(cusolverRfRefactor(rf) == CUSOLVER_STATUS_ZERO_PIVOT);
    SOLVE(cusolverRfDestroy(rf));
    SOLVE(cusolverSpDestroyCsrluInfoHost(lu));
    cusparseDestroyMatDescr(descr);
    SOLVE(cusolverSpDestroy(h));
}

int main()
{
    every_type<test>(nullptr);
    refactor();
    printf("ok\n");
}
