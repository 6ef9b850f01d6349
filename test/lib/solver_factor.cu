// LONG ON: interp: ten seconds and more
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolver
/* Gauss, Householder, inverses, indefinite matrices and batches: factors against the matrix, solutions, singular input through info. */
#include "solver.h"

#define CALLS(T_, L, org, orm)                                                                     \
    template <> struct solver<T_> {                                                                \
        static constexpr auto getrf = cusolverDn##L##getrf;                                        \
        static constexpr auto getrs = cusolverDn##L##getrs;                                        \
        static constexpr auto laswp = cusolverDn##L##laswp;                                        \
        static constexpr auto geqrf = cusolverDn##L##geqrf;                                        \
        static constexpr auto orgqr = cusolverDn##L##org;                                          \
        static constexpr auto ormqr = cusolverDn##L##orm;                                          \
        static constexpr auto potrf = cusolverDn##L##potrf;                                        \
        static constexpr auto potri = cusolverDn##L##potri;                                        \
        static constexpr auto lauum = cusolverDn##L##lauum;                                        \
        static constexpr auto potrfBatched = cusolverDn##L##potrfBatched;                          \
        static constexpr auto potrsBatched = cusolverDn##L##potrsBatched;                          \
        static constexpr auto sytrf = cusolverDn##L##sytrf;                                        \
        static constexpr auto sytri = cusolverDn##L##sytri;                                        \
        static constexpr cudaDataType type = as<T_>::is_complex ? (sizeof(T_) == 8 ? CUDA_C_32F : CUDA_C_64F) : sizeof(T_) == 4 ? CUDA_R_32F : CUDA_R_64F; \
    };
CALLS(float, S, orgqr, ormqr)
CALLS(double, D, orgqr, ormqr)
CALLS(cuComplex, C, ungqr, unmqr)
CALLS(cuDoubleComplex, Z, ungqr, unmqr)

static dense apply(const dense &a, cublasOperation_t o)
{
    dense d(a.n, a.m);
    if (o == CUBLAS_OP_N)
        return a;
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.m; i++)
            d(j, i) = op(a(i, j), o);
    return d;
}
static dense unit(dense l)
{
    for (int i = 0; i < l.n && i < l.m; i++)
        l(i, i) = 1.0;
    return l;
}

template <class T> struct test {
    cusolverDnHandle_t h;

    void lu(int m, int n)
    {
        const int lda = m + 2, k = std::min(m, n);
        const dense a = random_matrix<T>(m, n);
        both<T> da(lda * n);
        both<int> pivots(k);
        store(da.host, a, lda);
        da.put();
        flag info;
        SOLVE(solver<T>::getrf(h, m, n, da.device, lda, da.device, pivots.device, info.device));
        CHECK(info.get() == 0);
        const dense f = wide(da.get(), m, n, lda);
        dense moved = a;
        const std::vector<int> p = pivots.get();
        for (int i = 0; i < k; i++)
            for (int j = 0; j < n; j++)
                std::swap(moved(i, j), moved(p[i] - 1, j));
        const dense product = times(unit(triangle(part(f, m, k), false)), triangle(part(f, k, n), true));
        CHECK(distance(product, moved) < tolerance<T>(k));
        for (int j = 0; j < k; j++)
            for (int i = j + 1; i < m; i++)
                CHECK(std::abs(f(i, j)) < 1.5);
        if (m != n)
            return;
        for (int o = 0; o < 3; o++) {
            const dense b = random_matrix<T>(n, 2);
            both<T> db((n + 1) * 2);
            store(db.host, b, n + 1);
            db.put();
            SOLVE(solver<T>::getrs(h, (cublasOperation_t)o, n, 2, da.device, lda, pivots.device, db.device, n + 1, info.device));
            const dense x = wide(db.get(), n, 2, n + 1);
            CHECK(minus(times(apply(a, (cublasOperation_t)o), x), b).norm() < tolerance<T>(n) * 4 * (a.norm() * x.norm() + 1));
        }
        both<T> back(lda * n); /* rows as they are after the exchanges, and back */
        store(back.host, a, lda);
        back.put();
        SOLVE(solver<T>::laswp(h, n, back.device, lda, 1, k, pivots.device, 1));
        CHECK(distance(wide(back.get(), m, n, lda), moved) < 1e-6);
        SOLVE(solver<T>::laswp(h, n, back.device, lda, 1, k, pivots.device, -1));
        CHECK(distance(wide(back.get(), m, n, lda), a) < 1e-6);
    }

    /* No exchanges where there are no pivots; a column of zeros is found. */
    void unpivoted_and_singular(int n, int bad)
    {
        dense a = random_matrix<T>(n, n);
        for (int i = 0; i < n; i++)
            a(i, i) += (double)n;
        both<T> da(n * n);
        both<int> pivots(n);
        store(da.host, a, n);
        da.put();
        flag info;
        SOLVE(solver<T>::getrf(h, n, n, da.device, n, da.device, nullptr, info.device));
        CHECK(info.get() == 0);
        const dense f = wide(da.get(), n, n, n);
        CHECK(distance(times(unit(triangle(f, false)), triangle(f, true)), a) < tolerance<T>(n));
        for (int i = 0; i < n; i++)
            a(i, bad - 1) = 0;
        store(da.host, a, n);
        da.put();
        SOLVE(solver<T>::getrf(h, n, n, da.device, n, da.device, pivots.device, info.device));
        CHECK(info.get() == bad);
    }

    void wide_pivots(int n)
    {
        const dense a = random_matrix<T>(n, n), b = random_matrix<T>(n, 1);
        both<T> da(n * n), db(n);
        space<int64_t> pivots(n);
        store(da.host, a, n);
        store(db.host, b, n);
        da.put();
        db.put();
        size_t device, host;
        flag info;
        const cudaDataType t = solver<T>::type;
        SOLVE(cusolverDnXgetrf_bufferSize(h, nullptr, n, n, t, da.device, n, t, &device, &host));
        space<char> work(device);
        SOLVE(cusolverDnXgetrf(h, nullptr, n, n, t, da.device, n, pivots.device, t, work.device, device, nullptr, host, info.device));
        CHECK(info.get() == 0);
        SOLVE(cusolverDnXgetrs(h, nullptr, CUBLAS_OP_N, n, 1, t, da.device, n, pivots.device, t, db.device, n, info.device));
        const dense x = wide(db.get(), n, 1, n);
        CHECK(minus(times(a, x), b).norm() < tolerance<T>(n) * 4 * (a.norm() * x.norm() + 1));
    }

    void qr(int m, int n)
    {
        const int lda = m + 1, k = std::min(m, n);
        const dense a = random_matrix<T>(m, n);
        both<T> da(lda * n), tau(k);
        store(da.host, a, lda);
        da.put();
        flag info;
        SOLVE(solver<T>::geqrf(h, m, n, da.device, lda, tau.device, da.device, 0, info.device));
        CHECK(info.get() == 0);
        const dense r = triangle(wide(da.get(), m, n, lda), true);
        /* Q R, by products with Q. */
        both<T> dc(lda * n);
        store(dc.host, r, lda);
        dc.put();
        SOLVE(solver<T>::ormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, n, k, da.device, lda, tau.device, dc.device, lda, da.device, 0, info.device));
        CHECK(distance(wide(dc.get(), m, n, lda), a) < tolerance<T>(m));
        SOLVE(solver<T>::ormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m, n, k, da.device, lda, tau.device, dc.device, lda, da.device, 0, info.device));
        CHECK(distance(wide(dc.get(), m, n, lda), r) < tolerance<T>(m));
        /* From the right: (C Q) Q' = C. */
        const dense c = random_matrix<T>(3, m);
        both<T> right(3 * m);
        store(right.host, c, 3);
        right.put();
        SOLVE(solver<T>::ormqr(h, CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, 3, m, k, da.device, lda, tau.device, right.device, 3, da.device, 0, info.device));
        const dense cq = wide(right.get(), 3, m, 3);
        SOLVE(solver<T>::ormqr(h, CUBLAS_SIDE_RIGHT, CUBLAS_OP_C, 3, m, k, da.device, lda, tau.device, right.device, 3, da.device, 0, info.device));
        CHECK(distance(wide(right.get(), 3, m, 3), c) < tolerance<T>(m));
        if (n > m)
            return;
        SOLVE(solver<T>::orgqr(h, m, n, k, da.device, lda, tau.device, da.device, 0, info.device));
        const dense q = wide(da.get(), m, n, lda);
        CHECK(skew(q) < tolerance<T>(m));
        CHECK(distance(times(q, part(r, n, n)), a) < tolerance<T>(m));
        CHECK(distance(part(cq, 3, n), times(c, q)) < tolerance<T>(m));
    }

    void inverses(int n)
    {
        std::vector<double> e(n);
        for (int i = 0; i < n; i++)
            e[i] = 1 + i % 5;
        const dense a = hermitian<T>(e);
        for (int upper = 0; upper < 2; upper++) {
            const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
            both<T> da(n * n);
            store(da.host, a, n);
            da.put();
            flag info;
            SOLVE(solver<T>::potrf(h, uplo, n, da.device, n, da.device, 0, info.device));
            SOLVE(solver<T>::potri(h, uplo, n, da.device, n, da.device, 0, info.device));
            CHECK(info.get() == 0);
            dense x = triangle(wide(da.get(), n, n, n), upper);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < j; i++)
                    if (upper)
                        x(j, i) = std::conj(x(i, j));
                    else
                        x(i, j) = std::conj(x(j, i));
            dense id(n, n);
            CHECK(distance(times(a, x), unit(id)) < 5 * tolerance<T>(n));
            /* A triangle's inverse, and its product with itself. */
            dense t = triangle(random_matrix<T>(n, n), upper);
            for (int i = 0; i < n; i++)
                t(i, i) = 2.0 + i % 3;
            store(da.host, t, n);
            da.put();
            SOLVE(cusolverDnXtrtri(h, uplo, CUBLAS_DIAG_NON_UNIT, n, solver<T>::type, da.device, n, nullptr, 0, nullptr, 0, info.device));
            CHECK(info.get() == 0);
            const dense inverse = wide(da.get(), n, n, n);
            CHECK(minus(times(t, inverse), unit(id)).norm() < tolerance<T>(n) * inverse.norm() * t.norm());
            da.put();
            SOLVE(solver<T>::lauum(h, uplo, n, da.device, n, da.device, 0, info.device));
            CHECK(distance(triangle(wide(da.get(), n, n, n), upper), triangle(upper ? times(t, adjoint(t)) : times(adjoint(t), t), upper)) <
                  tolerance<T>(n));
        }
    }

    void batches(int n)
    {
        const int count = 3, nrhs = 2;
        std::vector<double> e(n);
        for (int i = 0; i < n; i++)
            e[i] = 1 + i % 5;
        std::vector<dense> a;
        both<T> da(n * n * count), db(n * nrhs * count);
        both<T *> pa(count), pb(count);
        both<int> infos(count);
        for (int upper = 0; upper < 2; upper++) {
            const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
            a.clear();
            for (int z = 0; z < count; z++) {
                a.push_back(hermitian<T>(e));
                dense stored = a[z];
                if (z == 1)
                    stored(n - 1, n - 1) = -100.0;
                store(da.host, stored, n, (size_t)z * n * n);
                pa.host[z] = da.device + (size_t)z * n * n;
                pb.host[z] = db.device + (size_t)z * n * nrhs;
            }
            da.put();
            db.put();
            pa.put();
            pb.put();
            flag info;
            SOLVE(solver<T>::potrfBatched(h, uplo, n, pa.device, n, infos.device, count));
            SOLVE(solver<T>::potrsBatched(h, uplo, n, nrhs, pa.device, n, pb.device, n, info.device, count));
            CHECK(info.get() == 0);
            const std::vector<int> found = infos.get();
            CHECK(found[0] == 0 && found[1] == n && found[2] == 0);
            for (int z = 0; z < count; z += 2)
                CHECK(distance(times(a[z], wide(db.get(), n, nrhs, n, (size_t)z * n * nrhs)), wide(db.host, n, nrhs, n, (size_t)z * n * nrhs)) <
                      10 * tolerance<T>(n));
        }
    }

    /* Symmetric, also where the numbers are complex; zeros on the diagonal ask for blocks of two. */
    void indefinite(int n)
    {
        dense a = random_matrix<T>(n, n);
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < j; i++)
                a(j, i) = a(i, j);
            a(j, j) = j % 3 ? a(j, j) * 0.01 : 0.0;
        }
        const dense b = random_matrix<T>(n, 2);
        for (int upper = 0; upper < 2; upper++) {
            const cublasFillMode_t uplo = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
            both<T> da(n * n), db(n * 2);
            both<int> pivots(n);
            store(da.host, spoilt(a, upper), n);
            store(db.host, b, n);
            da.put();
            db.put();
            flag info;
            SOLVE(solver<T>::sytrf(h, uplo, n, da.device, n, pivots.device, da.device, 0, info.device));
            CHECK(info.get() == (n == 1 ? 1 : 0));
            if (n == 1)
                continue;
            std::vector<int64_t> p;
            bool pairs = false;
            for (int v : pivots.get()) {
                p.push_back(v);
                pairs |= v < 0;
            }
            CHECK(pairs);
            space<int64_t> wide_pivots(n);
            CUDA(cudaMemcpy(wide_pivots.device, p.data(), 8 * n, cudaMemcpyHostToDevice));
            SOLVE(cusolverDnXsytrs(h, uplo, n, 2, solver<T>::type, da.device, n, wide_pivots.device, solver<T>::type, db.device, n, nullptr, 0, nullptr, 0,
                                   info.device));
            const dense x = wide(db.get(), n, 2, n);
            CHECK(minus(times(a, x), b).norm() < tolerance<T>(n) * 10 * (a.norm() * x.norm() + 1));
            SOLVE(solver<T>::sytri(h, uplo, n, da.device, n, pivots.device, da.device, 0, info.device));
            dense inverse = wide(da.get(), n, n, n);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < j; i++)
                    if (upper)
                        inverse(j, i) = inverse(i, j);
                    else
                        inverse(i, j) = inverse(j, i);
            dense id(n, n);
            CHECK(minus(times(a, inverse), unit(id)).norm() < tolerance<T>(n) * 10 * a.norm() * inverse.norm());
        }
    }

    void all()
    {
        lu(1, 1);
        lu(9, 23);
        lu(40, 12);
        lu(53, 53);
        unpivoted_and_singular(21, 18);
        wide_pivots(35);
        qr(1, 1);
        qr(50, 37);
        qr(11, 30);
        inverses(21);
        batches(9);
        batches(35);
        for (int n : {1, 2, 7, 26})
            indefinite(n);
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
