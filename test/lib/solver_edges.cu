// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// LONG ON: interp: ten seconds and more
// OPTIONS: -lcusolver
/* Arguments that other programs do not vary: every side, triangle, kind, range and job of a call against each other, sizes of 0, matrices that are
 * singular or have no numbers, calls by number in each type. */
#include "solver.h"

#define CALLS(T_, R_, L, sy, or_, t)                                                               \
    template <> struct solver<T_> {                                                                \
        typedef R_ real;                                                                           \
        static constexpr cudaDataType type = t;                                                    \
        static constexpr cudaDataType real_type = sizeof(R_) == 4 ? CUDA_R_32F : CUDA_R_64F;       \
        static constexpr auto potrf = cusolverDn##L##potrf;                                        \
        static constexpr auto potri = cusolverDn##L##potri;                                        \
        static constexpr auto getrf = cusolverDn##L##getrf;                                        \
        static constexpr auto getrs = cusolverDn##L##getrs;                                        \
        static constexpr auto geqrf = cusolverDn##L##geqrf;                                        \
        static constexpr auto orgqr = cusolverDn##L##or_##gqr;                                     \
        static constexpr auto ormqr = cusolverDn##L##or_##mqr;                                     \
        static constexpr auto sytrf = cusolverDn##L##sytrf;                                        \
        static constexpr auto trd = cusolverDn##L##sy##trd;                                        \
        static constexpr auto orgtr = cusolverDn##L##or_##gtr;                                     \
        static constexpr auto ormtr = cusolverDn##L##or_##mtr;                                     \
        static constexpr auto gebrd = cusolverDn##L##gebrd;                                        \
        static constexpr auto orgbr = cusolverDn##L##or_##gbr;                                     \
        static constexpr auto evd = cusolverDn##L##sy##evd;                                        \
        static constexpr auto evdx = cusolverDn##L##sy##evdx;                                      \
        static constexpr auto gvd = cusolverDn##L##sy##gvd;                                        \
        static constexpr auto gvdx = cusolverDn##L##sy##gvdx;                                      \
        static constexpr auto gvj = cusolverDn##L##sy##gvj;                                        \
        static constexpr auto evj = cusolverDn##L##sy##evj;                                        \
        static constexpr auto evjBatched = cusolverDn##L##sy##evjBatched;                          \
        static constexpr auto gesvd = cusolverDn##L##gesvd;                                        \
        static constexpr auto gesvdj = cusolverDn##L##gesvdj;                                      \
        static constexpr auto gesvdjBatched = cusolverDn##L##gesvdjBatched;                        \
        static constexpr auto gesvda = cusolverDn##L##gesvdaStridedBatched;                        \
        static constexpr auto gesv = cusolverDn##L##L##gesv;                                       \
    };
CALLS(float, float, S, sy, or, CUDA_R_32F)
CALLS(double, double, D, sy, or, CUDA_R_64F)
CALLS(cuComplex, float, C, he, un, CUDA_C_32F)
CALLS(cuDoubleComplex, double, Z, he, un, CUDA_C_64F)

static const cusolverEigMode_t VEC = CUSOLVER_EIG_MODE_VECTOR, NOVEC = CUSOLVER_EIG_MODE_NOVECTOR;
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};

static dense by(dense a, const std::vector<double> &w)
{
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            a(i, j) *= w[j];
    return a;
}
static std::vector<double> steps(int n, double from, double step)
{
    std::vector<double> e(n);
    for (int i = 0; i < n; i++)
        e[i] = from + step * i;
    return e;
}

template <class T> struct test {
    typedef typename solver<T>::real R;
    typedef solver<T> S;
    cusolverDnHandle_t h;

    std::vector<double> first(const both<R> &w, int n)
    {
        const std::vector<R> v = w.get();
        return std::vector<double>(v.begin(), v.begin() + n);
    }
    void same(const std::vector<double> &got, const std::vector<double> &want, double bound)
    {
        CHECK(got.size() == want.size());
        for (size_t k = 0; k < got.size(); k++)
            CHECK(std::fabs(got[k] - want[k]) < bound);
    }

    /* ---- singular values: every pair of jobs, by name and by number ---- */
    void jobs(int m, int n)
    {
        const int least = std::min(m, n), lda = m + 1;
        std::vector<double> s = steps(least, least, -1);
        s[least - 1] = 1e-3;
        const dense a = times(by(orthonormal<T>(m, least), s), adjoint(orthonormal<T>(n, least)));
        both<T> da(lda * n), u(m * m), vt(n * n);
        both<R> w(least);
        flag info;
        store(da.host, a, lda);
        for (const char *jobs : {"AA", "AS", "AO", "AN", "SA", "SS", "SO", "SN", "OA", "OS", "ON", "NA", "NS", "NO", "NN"})
            for (int number = 0; number < 2; number++) {
                const signed char ju = jobs[0], jv = jobs[1];
                da.put();
                if (number)
                    SOLVE(cusolverDnXgesvd(h, nullptr, ju, jv, m, n, S::type, da.device, lda, S::real_type, w.device, S::type, u.device, m, S::type, vt.device, n, S::type, nullptr, 0,
                                           nullptr, 0, info.device));
                else
                    SOLVE(S::gesvd(h, ju, jv, m, n, da.device, lda, w.device, u.device, m, vt.device, n, nullptr, 0, nullptr, info.device));
                CHECK(info.get() == 0);
                same(first(w, least), s, tolerance<T>(m + n) * least);
                const std::vector<T> left = ju == 'O' ? da.get() : u.get(), right = jv == 'O' ? da.get() : vt.get();
                const int ucols = ju == 'A' ? m : least, vrows = jv == 'A' ? n : least;
                const dense du = ju == 'N' ? dense(0, 0) : wide(left, m, ucols, ju == 'O' ? lda : m), dv = jv == 'N' ? dense(0, 0) : wide(right, vrows, n, jv == 'O' ? lda : n);
                if (ju != 'N')
                    CHECK(skew(du) < tolerance<T>(m));
                if (jv != 'N')
                    CHECK(skew(adjoint(dv)) < tolerance<T>(n));
                if (ju != 'N' && jv != 'N')
                    CHECK(distance(times(by(part(du, m, least), s), part(dv, least, n)), a) < tolerance<T>(m + n));
                else if (ju != 'N') /* A' u is as long as the value */
                    CHECK(minus(times(a, times(adjoint(a), part(du, m, least))), by(by(part(du, m, least), s), s)).norm() < tolerance<T>(m + n) * least * least);
                else if (jv != 'N')
                    CHECK(minus(times(adjoint(a), times(a, adjoint(part(dv, least, n)))), by(by(adjoint(part(dv, least, n)), s), s)).norm() < tolerance<T>(m + n) * least * least);
            }
        CHECK(S::gesvd(h, 'O', 'O', m, n, da.device, lda, w.device, u.device, m, vt.device, n, nullptr, 0, nullptr, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
        CHECK(S::gesvd(h, 'X', 'A', m, n, da.device, lda, w.device, u.device, m, vt.device, n, nullptr, 0, nullptr, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
    }

    /* Rotations without order, with and without full rank, of one matrix and of several; values alone. */
    void unordered(int m, int n, int rank)
    {
        const int least = std::min(m, n);
        const std::vector<double> s = steps(rank, 1, 1);
        const dense a = times(by(orthonormal<T>(m, rank), s), adjoint(orthonormal<T>(n, rank)));
        for (int sort = 0; sort < 2; sort++)
            for (int how = 0; how < 4; how++) { /* of one matrix, also no more vectors than values; of two */
                both<T> da(2 * m * n), u(2 * m * m), v(2 * n * n);
                both<R> w(2 * least);
                both<int> infos(2);
                gesvdjInfo_t g;
                SOLVE(cusolverDnCreateGesvdjInfo(&g));
                SOLVE(cusolverDnXgesvdjSetSortEig(g, sort));
                store(da.host, a, m);
                store(da.host, a, m, m * n);
                da.put();
                const bool batch = how >= 2, econ = how == 1;
                const cusolverEigMode_t job = how == 3 ? NOVEC : VEC;
                if (batch)
                    SOLVE(S::gesvdjBatched(h, job, m, n, da.device, m, w.device, u.device, m, v.device, n, nullptr, 0, infos.device, g, 2));
                else
                    SOLVE(S::gesvdj(h, job, econ, m, n, da.device, m, w.device, u.device, m, v.device, n, nullptr, 0, infos.device, g));
                for (int z = 0; z < 1 + batch; z++) {
                    CHECK(infos.get()[z] == 0);
                    const std::vector<R> all = w.get();
                    std::vector<double> values(all.begin() + z * least, all.begin() + (z + 1) * least), sorted = values, want = s;
                    want.resize(least);
                    std::sort(sorted.begin(), sorted.end());
                    std::sort(want.begin(), want.end());
                    same(sorted, want, tolerance<T>(m + n) * rank);
                    for (int k = 1; k < least && sort; k++)
                        CHECK(values[k] <= values[k - 1]);
                    if (job == NOVEC)
                        continue;
                    const int ucols = econ ? least : m, vcols = econ ? least : n;
                    const dense du = wide(u.get(), m, ucols, m, (size_t)z * m * m), dv = wide(v.get(), n, vcols, n, (size_t)z * n * n);
                    CHECK(distance(times(by(part(du, m, least), values), adjoint(part(dv, n, least))), a) < tolerance<T>(m + n));
                    CHECK(skew(du) < tolerance<T>(m));
                    CHECK(skew(dv) < tolerance<T>(n));
                }
                SOLVE(cusolverDnDestroyGesvdjInfo(g));
            }
    }

    /* ---- reflections from every side ---- */
    void sides(int m, int n)
    {
        const int lda = m + 1, k = std::min(m, n);
        const dense a = random_matrix<T>(m, n);
        both<T> da(lda * n), tau(k), q(m * m);
        flag info;
        store(da.host, a, lda);
        da.put();
        SOLVE(S::geqrf(h, m, n, da.device, lda, tau.device, nullptr, 0, info.device));
        store(q.host, wide(da.get(), m, k, lda), m);
        q.put();
        SOLVE(S::orgqr(h, m, m, k, q.device, m, tau.device, nullptr, 0, info.device));
        const dense whole = wide(q.get(), m, m, m);
        CHECK(skew(whole) < tolerance<T>(m));
        for (int right = 0; right < 2; right++)
            for (int op = 0; op < 3; op++) {
                const int rows = right ? 5 : m, cols = right ? m : 5;
                const dense c = random_matrix<T>(rows, cols), o = op ? adjoint(whole) : whole;
                both<T> dc((rows + 2) * cols);
                store(dc.host, c, rows + 2);
                dc.put();
                const cusolverStatus_t s = S::ormqr(h, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, (cublasOperation_t)op, rows, cols, k, da.device, lda, tau.device, dc.device, rows + 2,
                                                    nullptr, 0, info.device);
                if (op == CUBLAS_OP_T && as<T>::is_complex) {
                    CHECK(s == CUSOLVER_STATUS_INVALID_VALUE);
                    continue;
                }
                SOLVE(s);
                CHECK(distance(wide(dc.get(), rows, cols, rows + 2), right ? times(c, o) : times(o, c)) < tolerance<T>(m));
            }
    }
    void tridiagonal(int n)
    {
        const dense a = hermitian<T>(steps(n, -2, 0.75));
        both<T> da(n * n), tau(n), q(n * n);
        both<R> d(n), e(n);
        flag info;
        for (cublasFillMode_t uplo : fills) {
            store(da.host, spoilt(a, uplo == CUBLAS_FILL_MODE_UPPER), n);
            da.put();
            SOLVE(S::trd(h, uplo, n, da.device, n, d.device, e.device, tau.device, nullptr, 0, info.device));
            CUDA(cudaMemcpy(q.device, da.device, sizeof(T) * n * n, cudaMemcpyDeviceToDevice));
            SOLVE(S::orgtr(h, uplo, n, q.device, n, tau.device, nullptr, 0, info.device));
            const dense whole = wide(q.get(), n, n, n);
            for (int right = 0; right < 2; right++)
                for (int op = 0; op < 3; op++) {
                    const int rows = right ? 4 : n, cols = right ? n : 4;
                    const dense c = random_matrix<T>(rows, cols), o = op ? adjoint(whole) : whole;
                    both<T> dc(rows * cols);
                    store(dc.host, c, rows);
                    dc.put();
                    const cusolverStatus_t s =
                        S::ormtr(h, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT, uplo, (cublasOperation_t)op, rows, cols, da.device, n, tau.device, dc.device, rows, nullptr, 0, info.device);
                    if (op == CUBLAS_OP_T && as<T>::is_complex) {
                        CHECK(s == CUSOLVER_STATUS_INVALID_VALUE);
                        continue;
                    }
                    SOLVE(s);
                    CHECK(distance(wide(dc.get(), rows, cols, rows), right ? times(c, o) : times(o, c)) < tolerance<T>(n));
                }
        }
    }
    /* All of Q and of P' from the bidiagonal form. */
    void bidiagonal(int m, int n)
    {
        const int k = std::min(m, n), most = std::max(m, n);
        const dense a = random_matrix<T>(m, n);
        both<T> da(m * n), tauq(k), taup(k), q(m * m), p(n * n);
        both<R> d(k), e(k);
        flag info;
        store(da.host, a, m);
        da.put();
        SOLVE(S::gebrd(h, m, n, da.device, m, d.device, e.device, tauq.device, taup.device, nullptr, 0, info.device));
        const dense f = wide(da.get(), m, n, m);
        for (int j = 0; j < k; j++)
            for (int i = 0; i < most; i++) {
                if (i < m)
                    q.host[i + j * m] = as<T>::narrow(f(i, j));
                if (i < n)
                    p.host[j + i * n] = as<T>::narrow(f(j, i));
            }
        q.put();
        p.put();
        SOLVE(S::orgbr(h, CUBLAS_SIDE_LEFT, m, m, n, q.device, m, tauq.device, nullptr, 0, info.device));
        SOLVE(S::orgbr(h, CUBLAS_SIDE_RIGHT, n, n, m, p.device, n, taup.device, nullptr, 0, info.device));
        const dense dq = wide(q.get(), m, m, m), dp = wide(p.get(), n, n, n);
        const std::vector<R> hd = d.get(), he = e.get();
        dense b(m, n);
        for (int i = 0; i < k; i++) {
            b(i, i) = (double)hd[i];
            if (i + 1 < k)
                b(m >= n ? i : i + 1, m >= n ? i + 1 : i) = (double)he[i];
        }
        CHECK(skew(dq) < tolerance<T>(m) && skew(dp) < tolerance<T>(n));
        CHECK(distance(times(dq, times(b, dp)), a) < tolerance<T>(m + n));
    }

    /* ---- two matrices: every kind, triangle and range; values alone ---- */
    void two(int n)
    {
        const dense a = hermitian<T>(steps(n, -3, 1.25)), b = hermitian<T>(steps(n, 1, 0.25));
        syevjInfo_t params;
        SOLVE(cusolverDnCreateSyevjInfo(&params));
        for (int kind = 1; kind <= 3; kind++) {
            std::vector<double> all; /* of the first way */
            for (cublasFillMode_t uplo : fills) {
                const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
                for (int way = 0; way < 6; way++) {
                    both<T> da(n * n), db(n * n);
                    both<R> w(n);
                    flag info;
                    int count = n, from = 0;
                    const cusolverEigType_t type = (cusolverEigType_t)kind;
                    const cusolverEigMode_t job = way % 2 ? NOVEC : VEC;
                    store(da.host, spoilt(a, upper), n);
                    store(db.host, spoilt(b, upper), n);
                    da.put();
                    db.put();
                    if (way < 2)
                        SOLVE(S::gvd(h, type, job, uplo, n, da.device, n, db.device, n, w.device, nullptr, 0, info.device));
                    else if (way < 4)
                        SOLVE(S::gvj(h, type, job, uplo, n, da.device, n, db.device, n, w.device, nullptr, 0, info.device, params));
                    else {
                        from = 2;
                        SOLVE(S::gvdx(h, type, job, CUSOLVER_EIG_RANGE_V, uplo, n, da.device, n, db.device, n, (R)((all[1] + all[2]) / 2), (R)((all[4] + all[5]) / 2), 0, 0, &count, w.device,
                                      nullptr, 0, info.device));
                        CHECK(count == 3);
                    }
                    CHECK(info.get() == 0);
                    const std::vector<double> got = first(w, count);
                    if (all.empty())
                        all = got;
                    same(got, std::vector<double>(all.begin() + from, all.begin() + from + count), 20 * tolerance<T>(n) * a.norm() * b.norm());
                    if (job == NOVEC)
                        continue;
                    const dense x = wide(da.get(), n, count, n);
                    const dense left = kind == 1 ? times(a, x) : kind == 2 ? times(a, times(b, x)) : times(b, times(a, x));
                    CHECK(minus(left, by(kind == 1 ? times(b, x) : x, got)).norm() < 20 * tolerance<T>(n) * (a.norm() * b.norm() + 1));
                    /* x' B x = 1, or x' B^-1 x = 1. */
                    both<T> bx(n * count);
                    dense unit = kind == 3 ? dense(n, count) : times(b, x);
                    if (kind == 3) {
                        both<int> pivots(n);
                        store(bx.host, x, n);
                        store(db.host, b, n);
                        bx.put();
                        db.put();
                        SOLVE(S::getrf(h, n, n, db.device, n, nullptr, pivots.device, info.device));
                        SOLVE(S::getrs(h, CUBLAS_OP_N, n, count, db.device, n, pivots.device, bx.device, n, info.device));
                        unit = wide(bx.get(), n, count, n);
                    }
                    dense g = times(adjoint(x), unit);
                    for (int i = 0; i < count; i++)
                        g(i, i) -= 1.0;
                    CHECK(g.norm() < 20 * tolerance<T>(n) * b.norm());
                }
            }
        }
        SOLVE(cusolverDnDestroySyevjInfo(params));
    }
    void ranges(int n)
    {
        const std::vector<double> e = steps(n, -1, 0.5);
        const dense a = hermitian<T>(e);
        const struct {
            cusolverEigRange_t range;
            double vl, vu;
            int il, iu, from, count;
        } cases[] = {{CUSOLVER_EIG_RANGE_ALL, 0, 0, 0, 0, 0, n}, {CUSOLVER_EIG_RANGE_I, 0, 0, 1, 1, 0, 1}, {CUSOLVER_EIG_RANGE_I, 0, 0, n, n, n - 1, 1}, {CUSOLVER_EIG_RANGE_V, 100, 200, 0, 0, 0, 0}, {CUSOLVER_EIG_RANGE_V, -0.75, 0.25, 0, 0, 1, 2}};
        for (auto &c : cases)
            for (int vectors = 0; vectors < 2; vectors++) {
                both<T> da(n * n);
                both<R> w(n);
                flag info;
                int found = -1;
                store(da.host, a, n);
                da.put();
                SOLVE(S::evdx(h, vectors ? VEC : NOVEC, c.range, fills[vectors], n, da.device, n, (R)c.vl, (R)c.vu, c.il, c.iu, &found, w.device, nullptr, 0, info.device));
                CHECK(info.get() == 0 && found == c.count);
                const std::vector<double> want(e.begin() + c.from, e.begin() + c.from + c.count);
                same(first(w, found), want, tolerance<T>(n) * a.norm());
                const dense v = wide(da.get(), n, found, n);
                if (vectors)
                    CHECK(skew(v) < tolerance<T>(n) && minus(times(a, v), by(v, want)).norm() < tolerance<T>(n) * a.norm());
            }
        both<T> da(n * n);
        both<R> w(n);
        flag info;
        int found;
        CHECK(S::evdx(h, VEC, CUSOLVER_EIG_RANGE_V, fills[0], n, da.device, n, (R)2, (R)1, 0, 0, &found, w.device, nullptr, 0, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
        CHECK(S::evdx(h, VEC, CUSOLVER_EIG_RANGE_I, fills[0], n, da.device, n, 0, 0, 2, n + 1, &found, w.device, nullptr, 0, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
    }

    /* ---- what cannot be factorised ---- */
    void singular(int m, int n, int zero)
    {
        const int lda = m;
        dense a = random_matrix<T>(m, n);
        for (int i = 0; i < m; i++)
            a(i, zero - 1) = 0;
        both<T> da(lda * n);
        both<int> pivots(std::min(m, n));
        flag info;
        store(da.host, a, lda);
        da.put();
        SOLVE(S::getrf(h, m, n, da.device, lda, nullptr, pivots.device, info.device));
        CHECK(info.get() == zero);
        /* The factors are there all the same, and P A = L U. */
        dense moved = a;
        const std::vector<int> p = pivots.get();
        const int k = std::min(m, n);
        for (int i = 0; i < k; i++)
            for (int j = 0; j < n; j++)
                std::swap(moved(i, j), moved(p[i] - 1, j));
        const dense f = wide(da.get(), m, n, lda);
        dense l = triangle(part(f, m, k), false);
        for (int i = 0; i < k; i++)
            l(i, i) = 1;
        CHECK(distance(times(l, triangle(part(f, k, n), true)), moved) < tolerance<T>(k));
    }
    void not_there(int n)
    {
        flag info;
        both<int> pivots(n);
        for (cublasFillMode_t uplo : fills) {
            dense t = triangle(random_matrix<T>(n, n), uplo == CUBLAS_FILL_MODE_UPPER);
            for (int i = 0; i < n; i++)
                t(i, i) = i == 4 ? 0.0 : 2.0 + i;
            both<T> da(n * n);
            store(da.host, t, n);
            da.put();
            SOLVE(S::potri(h, uplo, n, da.device, n, nullptr, 0, info.device));
            CHECK(info.get() == 5);
            da.put();
            SOLVE(cusolverDnXtrtri(h, uplo, CUBLAS_DIAG_NON_UNIT, n, S::type, da.device, n, nullptr, 0, nullptr, 0, info.device));
            CHECK(info.get() == 5);
            da.put(); /* nobody looks at a diagonal of ones */
            SOLVE(cusolverDnXtrtri(h, uplo, CUBLAS_DIAG_UNIT, n, S::type, da.device, n, nullptr, 0, nullptr, 0, info.device));
            CHECK(info.get() == 0);
            dense one = t, inverse = triangle(wide(da.get(), n, n, n), uplo == CUBLAS_FILL_MODE_UPPER), unit(n, n);
            for (int i = 0; i < n; i++)
                unit(i, i) = one(i, i) = inverse(i, i) = 1;
            CHECK(minus(times(one, inverse), unit).norm() < tolerance<T>(n) * one.norm() * inverse.norm());
            /* Symmetric, with a row of zeros. */
            dense s(n, n);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    s(i, j) = i == 3 || j == 3 ? 0.0 : i == j ? 5.0 + i : 0.5;
            store(da.host, s, n);
            da.put();
            SOLVE(S::sytrf(h, uplo, n, da.device, n, pivots.device, nullptr, 0, info.device));
            CHECK(info.get() > 0 && info.get() <= n);
            /* B of two matrices is not definite: by rotations, too. */
            both<T> db(n * n);
            both<R> w(n);
            syevjInfo_t params;
            SOLVE(cusolverDnCreateSyevjInfo(&params));
            store(da.host, hermitian<T>(steps(n, 1, 1)), n);
            dense b = hermitian<T>(steps(n, 1, 1));
            b(6, 6) = -50.0;
            store(db.host, b, n);
            da.put();
            db.put();
            SOLVE(S::gvj(h, CUSOLVER_EIG_TYPE_1, VEC, uplo, n, da.device, n, db.device, n, w.device, nullptr, 0, info.device, params));
            CHECK(info.get() == n + 7);
            SOLVE(cusolverDnDestroySyevjInfo(params));
        }
        /* A system that has no solution. */
        dense a = random_matrix<T>(n, n);
        for (int i = 0; i < n; i++)
            a(i, 2) = 0;
        both<T> da(n * n), db(n), dx(n);
        store(da.host, a, n);
        da.put();
        int steps_taken = 99;
        SOLVE(S::gesv(h, n, 1, da.device, n, pivots.device, db.device, n, dx.device, n, nullptr, 0, &steps_taken, info.device));
        CHECK(info.get() == 3);
    }

    /* Without numbers: every call ends, and nothing looks as if it were right. */
    void no_numbers(int n)
    {
        const double none = std::numeric_limits<double>::quiet_NaN(), far = std::numeric_limits<double>::infinity();
        for (double bad : {none, far}) {
            dense a = hermitian<T>(steps(n, 1, 1));
            a(n / 2, n / 3) = a(n / 3, n / 2) = bad;
            both<T> da(2 * n * n), u(2 * n * n), v(2 * n * n);
            both<R> w(2 * n);
            both<int> pivots(n), infos(2);
            store(da.host, a, n);
            store(da.host, a, n, n * n);
            syevjInfo_t j;
            gesvdjInfo_t g;
            SOLVE(cusolverDnCreateSyevjInfo(&j));
            SOLVE(cusolverDnCreateGesvdjInfo(&g));
            for (int how = 0; how < 9; how++) {
                CUDA(cudaMemset(infos.device, 0, 8));
                CUDA(cudaMemset(w.device, 0, sizeof(R) * 2 * n));
                da.put();
                switch (how) {
                case 0: SOLVE(S::evd(h, VEC, fills[0], n, da.device, n, w.device, nullptr, 0, infos.device)); break;
                case 1: SOLVE(S::evd(h, NOVEC, fills[1], n, da.device, n, w.device, nullptr, 0, infos.device)); break;
                case 2: SOLVE(S::evj(h, VEC, fills[0], n, da.device, n, w.device, nullptr, 0, infos.device, j)); break;
                case 3: SOLVE(S::evjBatched(h, VEC, fills[0], n, da.device, n, w.device, nullptr, 0, infos.device, j, 2)); break;
                case 4: SOLVE(S::gesvd(h, 'A', 'A', n, n, da.device, n, w.device, u.device, n, v.device, n, nullptr, 0, nullptr, infos.device)); break;
                case 5: SOLVE(S::gesvdj(h, VEC, 0, n, n, da.device, n, w.device, u.device, n, v.device, n, nullptr, 0, infos.device, g)); break;
                case 6: SOLVE(S::gesvdjBatched(h, VEC, n, n, da.device, n, w.device, u.device, n, v.device, n, nullptr, 0, infos.device, g, 2)); break;
                case 7: SOLVE(S::getrf(h, n, n, da.device, n, nullptr, pivots.device, infos.device)); break;
                default: SOLVE(S::potrf(h, fills[0], n, da.device, n, nullptr, 0, infos.device));
                }
                bool told = infos.get()[0] != 0;
                if (how < 7)
                    for (double x : first(w, n))
                        told |= !std::isfinite(x);
                else
                    for (const zd &x : wide(da.get(), n, n, n).v)
                        told |= !std::isfinite(x.real()) || !std::isfinite(x.imag());
                if (!told) {
                    printf("of %g, call %d: nobody is told\n", bad, how);
                    exit(1);
                }
            }
            SOLVE(cusolverDnDestroySyevjInfo(j));
            SOLVE(cusolverDnDestroyGesvdjInfo(g));
        }
    }

    /* ---- nothing to do ---- */
    void nothing()
    {
        both<T> da(9), db(9), dx(9);
        both<R> w(9), e(9);
        both<int> pivots(9);
        flag info;
        int found = 9, taken = 9;
        syevjInfo_t j;
        gesvdjInfo_t g;
        SOLVE(cusolverDnCreateSyevjInfo(&j));
        SOLVE(cusolverDnCreateGesvdjInfo(&g));
        SOLVE(S::potrf(h, fills[0], 0, da.device, 1, nullptr, 0, info.device));
        SOLVE(S::potri(h, fills[0], 0, da.device, 1, nullptr, 0, info.device));
        SOLVE(S::getrf(h, 0, 3, da.device, 1, nullptr, pivots.device, info.device));
        SOLVE(S::getrs(h, CUBLAS_OP_N, 0, 1, da.device, 1, pivots.device, db.device, 1, info.device));
        SOLVE(S::getrs(h, CUBLAS_OP_N, 3, 0, da.device, 3, pivots.device, db.device, 3, info.device));
        SOLVE(S::geqrf(h, 3, 0, da.device, 3, dx.device, nullptr, 0, info.device));
        SOLVE(S::orgqr(h, 3, 0, 0, da.device, 3, dx.device, nullptr, 0, info.device));
        SOLVE(S::ormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, 3, 2, 0, da.device, 3, dx.device, db.device, 3, nullptr, 0, info.device));
        SOLVE(S::sytrf(h, fills[0], 0, da.device, 1, pivots.device, nullptr, 0, info.device));
        SOLVE(S::trd(h, fills[0], 0, da.device, 1, w.device, e.device, dx.device, nullptr, 0, info.device));
        SOLVE(S::gebrd(h, 3, 0, da.device, 3, w.device, e.device, dx.device, db.device, nullptr, 0, info.device));
        SOLVE(S::evd(h, VEC, fills[0], 0, da.device, 1, w.device, nullptr, 0, info.device));
        SOLVE(S::evdx(h, VEC, CUSOLVER_EIG_RANGE_ALL, fills[0], 0, da.device, 1, 0, 0, 0, 0, &found, w.device, nullptr, 0, info.device));
        CHECK(found == 0);
        SOLVE(S::gvd(h, CUSOLVER_EIG_TYPE_1, VEC, fills[0], 0, da.device, 1, db.device, 1, w.device, nullptr, 0, info.device));
        SOLVE(S::evj(h, VEC, fills[0], 0, da.device, 1, w.device, nullptr, 0, info.device, j));
        SOLVE(S::evjBatched(h, VEC, fills[0], 3, da.device, 3, w.device, nullptr, 0, info.device, j, 0));
        SOLVE(S::gesvdj(h, VEC, 0, 0, 0, da.device, 1, w.device, db.device, 1, dx.device, 1, nullptr, 0, info.device, g));
        SOLVE(S::gesv(h, 0, 1, da.device, 1, pivots.device, db.device, 1, dx.device, 1, nullptr, 0, &taken, info.device));
        /* Of no columns, all of U is the identity. */
        SOLVE(S::gesvd(h, 'A', 'N', 3, 0, da.device, 3, w.device, db.device, 3, dx.device, 1, nullptr, 0, nullptr, info.device));
        CHECK(info.get() == 0 && skew(wide(db.get(), 3, 3, 3)) == 0);
        SOLVE(cusolverDnDestroySyevjInfo(j));
        SOLVE(cusolverDnDestroyGesvdjInfo(g));
    }

    /* ---- by number ---- */
    void cholesky(int n)
    {
        const dense a = hermitian<T>(steps(n, 1, 0.5)), b = random_matrix<T>(n, 2);
        for (cublasFillMode_t uplo : fills) {
            both<T> da((n + 2) * n), db(n * 2);
            flag info;
            size_t device = 0, host = 0;
            store(da.host, spoilt(a, uplo == CUBLAS_FILL_MODE_UPPER), n + 2);
            store(db.host, b, n);
            da.put();
            db.put();
            SOLVE(cusolverDnXpotrf_bufferSize(h, nullptr, uplo, n, S::type, da.device, n + 2, S::type, &device, &host));
            space<char> work(device);
            SOLVE(cusolverDnXpotrf(h, nullptr, uplo, n, S::type, da.device, n + 2, S::type, work.device, device, nullptr, 0, info.device));
            CHECK(info.get() == 0);
            SOLVE(cusolverDnXpotrs(h, nullptr, uplo, n, 2, S::type, da.device, n + 2, S::type, db.device, n, info.device));
            CHECK(distance(times(a, wide(db.get(), n, 2, n)), b) < 10 * tolerance<T>(n));
            dense not_definite = a;
            not_definite(n - 2, n - 2) = -9.0;
            store(da.host, not_definite, n + 2);
            da.put();
            SOLVE(cusolverDnXpotrf(h, nullptr, uplo, n, S::type, da.device, n + 2, S::type, work.device, device, nullptr, 0, info.device));
            CHECK(info.get() == n - 1);
        }
    }
    /* Eigenvalues that are known, of matrices without enough vectors, too. */
    void any_matrix(int n)
    {
        const cudaDataType z = sizeof(R) == 4 ? CUDA_C_32F : CUDA_C_64F;
        for (int how = 0; how < 4; how++) {
            dense a(n, n);
            std::vector<double> want(n);
            for (int i = 0; i < n; i++) {
                if (how == 0) { /* a triangle */
                    a(i, i) = want[i] = i + 1;
                    for (int k = 0; k < i; k++)
                        a(k, i) = 0.25;
                } else if (how == 1) { /* Jordan's: one value, found no better than its n-th root allows */
                    a(i, i) = want[i] = 2;
                    if (i)
                        a(i - 1, i) = 1;
                } else if (how == 2) { /* values that grow by a thousand, turned out of order */
                    a(n - 1 - i, n - 1 - i) = want[i] = std::pow(10.0, 3 * i / (n - 1.0));
                } /* zeros */
            }
            both<T> da(n * n);
            both<R> w(2 * n);
            flag info;
            store(da.host, a, n);
            da.put();
            SOLVE(cusolverDnXgeev(h, nullptr, NOVEC, NOVEC, n, S::type, da.device, n, z, w.device, S::type, nullptr, 1, S::type, nullptr, 1, S::type, nullptr, 0, nullptr, 0, info.device));
            CHECK(info.get() == 0);
            std::vector<double> got;
            const double bound = how == 1 ? std::pow(as<T>::eps() * 100, 1.0 / n) : tolerance<T>(n) * (1 + a.norm()) * 100;
            const std::vector<R> v = w.get();
            for (int i = 0; i < n; i++) {
                CHECK(std::fabs((double)v[2 * i + 1]) < bound);
                got.push_back(v[2 * i]);
            }
            std::sort(got.begin(), got.end());
            same(got, want, bound);
        }
    }
    void approximate_values(int m, int n)
    {
        both<T> da(m * n * 2);
        both<R> w(2 * 2);
        both<int> infos(2);
        const std::vector<double> s = steps(std::min(m, n), std::min(m, n), -1);
        for (int z = 0; z < 2; z++)
            store(da.host, times(by(orthonormal<T>(m, (int)s.size()), s), adjoint(orthonormal<T>(n, (int)s.size()))), m, (size_t)z * m * n);
        da.put();
        SOLVE(S::gesvda(h, NOVEC, 2, m, n, da.device, m, m * n, w.device, 2, nullptr, m, 0, nullptr, n, 0, nullptr, 0, infos.device, nullptr, 2));
        CHECK(infos.get() == (std::vector<int>{0, 0}));
        same(first(w, 4), {s[0], s[1], s[0], s[1]}, tolerance<T>(m) * s[0]);
    }

    void all()
    {
        jobs(9, 5);
        jobs(4, 7);
        unordered(8, 5, 5);
        unordered(8, 6, 3);
        unordered(5, 7, 2);
        sides(11, 6);
        sides(5, 9);
        tridiagonal(8);
        bidiagonal(9, 5);
        bidiagonal(4, 7);
        bidiagonal(6, 6);
        two(7);
        ranges(8);
        singular(9, 9, 4);
        singular(45, 20, 17);
        singular(20, 37, 20);
        not_there(9);
        no_numbers(6);
        nothing();
        cholesky(13);
        any_matrix(5);
        approximate_values(9, 4);
    }
};

int main()
{
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    every_type<test>(h);
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}
