// NOT ON: interp: the host does the work
// NOT ON: vulkan: the host does the work
// OPTIONS: -lcusolver -lcusparse
/* Sparse systems in steps, with the host's memory and with the device's, in each type: what is asked for, factors, pivots that are too small,
 * solutions; rows in an order that has no zero on the diagonal; an eigenvalue. */
#include "solver.h"
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>

enum { N = 9 };
static cusolverSpHandle_t h;
static cusparseMatDescr_t descr;

template <class T> struct rows {
    std::vector<int> ptr, col;
    std::vector<T> val;
    explicit rows(const dense &a)
    {
        for (int i = 0; i < a.m; i++) {
            ptr.push_back((int)col.size());
            for (int j = 0; j < a.n; j++)
                if (a(i, j) != zd(0)) {
                    col.push_back(j);
                    val.push_back(as<T>::narrow(a(i, j)));
                }
        }
        ptr.push_back((int)col.size());
    }
    int nnz() const
    {
        return (int)col.size();
    }
};
template <class T> static T *put(const std::vector<T> &v)
{
    T *p;
    CUDA(cudaMalloc((void **)&p, (v.size() + 1) * sizeof(T)));
    CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}
/* Hermitian, and its last pivot is small: 1e-3 or so. */
template <class T> static dense matrix()
{
    dense a(N, N);
    for (int i = 0; i < N; i++) {
        a(i, i) = i == N - 1 ? 0.21 : 5.0 + i;
        if (i) {
            a(i, i - 1) = as<T>::is_complex ? zd(1, 0.5) : zd(1.118);
            a(i - 1, i) = std::conj(a(i, i - 1));
        }
    }
    return a;
}
template <class T> static void hold(const dense &a, const std::vector<T> &x, const std::vector<T> &b)
{
    const dense dx = wide(x, N, 1, N);
    CHECK(minus(times(a, dx), wide(b, N, 1, N)).norm() < tolerance<T>(N) * 10 * (a.norm() * dx.norm() + 1));
}

#define STEPS(T, R, L)                                                                             \
    static void steps_##L()                                                                        \
    {                                                                                              \
        const dense a = matrix<T>();                                                               \
        const rows<T> s(a);                                                                        \
        std::vector<T> b(N), x(N);                                                                 \
        for (T &v : b)                                                                             \
            v = any<T>();                                                                          \
        const int nnz = s.nnz(), *ptr = s.ptr.data(), *col = s.col.data();                         \
        const T *val = s.val.data();                                                               \
        int *dptr = put(s.ptr), *dcol = put(s.col), where = 7;                                     \
        T *dval = put(s.val), *db = put(b), *dx = put(x);                                          \
        size_t kept = 0, work = 0;                                                                 \
        const R loose = 1, tight = 0;                                                              \
        {                                                                                          \
            csrcholInfoHost_t o;                                                                   \
            csrcholInfo_t d;                                                                       \
            SOLVE(cusolverSpCreateCsrcholInfoHost(&o));                                            \
            SOLVE(cusolverSpCreateCsrcholInfo(&d));                                                \
            CHECK(cusolverSp##L##csrcholBufferInfoHost(h, N, nnz, descr, val, ptr, col, o, &kept, &work) == CUSOLVER_STATUS_INVALID_VALUE); \
            SOLVE(cusolverSpXcsrcholAnalysisHost(h, N, nnz, descr, ptr, col, o));                  \
            SOLVE(cusolverSp##L##csrcholBufferInfoHost(h, N, nnz, descr, val, ptr, col, o, &kept, &work)); \
            CHECK(kept > 0 && work > 0);                                                           \
            SOLVE(cusolverSp##L##csrcholFactorHost(h, N, nnz, descr, val, ptr, col, o, nullptr));  \
            SOLVE(cusolverSp##L##csrcholZeroPivotHost(h, o, tight, &where));                       \
            CHECK(where == -1);                                                                    \
            SOLVE(cusolverSp##L##csrcholZeroPivotHost(h, o, loose, &where));                       \
            CHECK(where == N - 1);                                                                 \
            SOLVE(cusolverSp##L##csrcholSolveHost(h, N, b.data(), x.data(), o, nullptr));          \
            hold(a, x, b);                                                                         \
            SOLVE(cusolverSpXcsrcholAnalysis(h, N, nnz, descr, dptr, dcol, d));                    \
            SOLVE(cusolverSp##L##csrcholBufferInfo(h, N, nnz, descr, dval, dptr, dcol, d, &kept, &work)); \
            SOLVE(cusolverSpDestroyCsrcholInfoHost(o));                                            \
            SOLVE(cusolverSpDestroyCsrcholInfo(d));                                                \
        }                                                                                          \
        {                                                                                          \
            csrqrInfoHost_t o;                                                                     \
            csrqrInfo_t d;                                                                         \
            dense shifted = a;                                                                     \
            for (int i = 0; i < N; i++)                                                            \
                shifted(i, i) -= 0.25;                                                             \
            const T mu = as<T>::narrow(zd(0.25)), none = as<T>::narrow(zd(0));                     \
            SOLVE(cusolverSpCreateCsrqrInfoHost(&o));                                              \
            SOLVE(cusolverSpCreateCsrqrInfo(&d));                                                  \
            SOLVE(cusolverSpXcsrqrAnalysisHost(h, N, N, nnz, descr, ptr, col, o));                 \
            SOLVE(cusolverSp##L##csrqrBufferInfoHost(h, N, N, nnz, descr, val, ptr, col, o, &kept, &work)); \
            SOLVE(cusolverSp##L##csrqrSetupHost(h, N, N, nnz, descr, val, ptr, col, mu, o));       \
            SOLVE(cusolverSp##L##csrqrFactorHost(h, N, N, nnz, nullptr, nullptr, o, nullptr));     \
            SOLVE(cusolverSp##L##csrqrZeroPivotHost(h, o, tight, &where));                         \
            CHECK(where == -1);                                                                    \
            SOLVE(cusolverSp##L##csrqrZeroPivotHost(h, o, loose, &where));                         \
            CHECK(where == N - 1);                                                                 \
            SOLVE(cusolverSp##L##csrqrSolveHost(h, N, N, b.data(), x.data(), o, nullptr));         \
            hold(shifted, x, b);                                                                   \
            SOLVE(cusolverSpXcsrqrAnalysis(h, N, N, nnz, descr, dptr, dcol, d));                   \
            SOLVE(cusolverSp##L##csrqrBufferInfo(h, N, N, nnz, descr, dval, dptr, dcol, d, &kept, &work)); \
            SOLVE(cusolverSp##L##csrqrBufferInfoBatched(h, N, N, nnz, descr, dval, dptr, dcol, 2, d, &kept, &work)); \
            SOLVE(cusolverSp##L##csrqrSetup(h, N, N, nnz, descr, dval, dptr, dcol, none, d));      \
            SOLVE(cusolverSp##L##csrqrFactor(h, N, N, nnz, db, dx, d, nullptr));                   \
            SOLVE(cusolverSp##L##csrqrZeroPivot(h, d, loose, &where));                             \
            CHECK(where == N - 1);                                                                 \
            CUDA(cudaMemcpy(x.data(), dx, N * sizeof(T), cudaMemcpyDeviceToHost));                 \
            hold(a, x, b);                                                                         \
            SOLVE(cusolverSpDestroyCsrqrInfoHost(o));                                              \
            SOLVE(cusolverSpDestroyCsrqrInfo(d));                                                  \
        }                                                                                          \
        csrluInfoHost_t lu;                                                                        \
        SOLVE(cusolverSpCreateCsrluInfoHost(&lu));                                                 \
        SOLVE(cusolverSpXcsrluAnalysisHost(h, N, nnz, descr, ptr, col, lu));                       \
        SOLVE(cusolverSp##L##csrluBufferInfoHost(h, N, nnz, descr, val, ptr, col, lu, &kept, &work)); \
        CHECK(cusolverSp##L##csrluZeroPivotHost(h, lu, tight, &where) == CUSOLVER_STATUS_INVALID_VALUE); \
        SOLVE(cusolverSp##L##csrluFactorHost(h, N, nnz, descr, val, ptr, col, lu, 1, nullptr));    \
        SOLVE(cusolverSp##L##csrluZeroPivotHost(h, lu, tight, &where));                            \
        CHECK(where == -1);                                                                        \
        SOLVE(cusolverSp##L##csrluZeroPivotHost(h, lu, loose, &where));                            \
        CHECK(where == N - 1);                                                                     \
        SOLVE(cusolverSpDestroyCsrluInfoHost(lu));                                                 \
        /* A zero diagonal: rows are exchanged until each has an element there. */                 \
        dense turned(N, N);                                                                        \
        for (int i = 0; i < N; i++)                                                                \
            for (int j = 0; j < N; j++)                                                            \
                turned((i + 4) % N, j) = a(i, j);                                                  \
        const rows<T> z(turned);                                                                   \
        std::vector<int> p(N), seen(N);                                                            \
        SOLVE(cusolverSp##L##csrzfdHost(h, N, z.nnz(), descr, z.val.data(), z.ptr.data(), z.col.data(), p.data(), &where)); \
        CHECK(where == N);                                                                         \
        for (int i = 0; i < N; i++) {                                                              \
            seen.at(p[i])++;                                                                       \
            CHECK(turned(p[i], i) != zd(0));                                                       \
        }                                                                                          \
        CHECK(*std::min_element(seen.begin(), seen.end()) == 1);                                   \
        /* The eigenvalue next to 1, 2, … N's 3.2. */                                              \
        dense e(N, N);                                                                             \
        for (int i = 0; i < N; i++) {                                                              \
            e(i, i) = i + 1;                                                                       \
            if (i)                                                                                 \
                e(i, i - 1) = 0.25;                                                                \
        }                                                                                          \
        const rows<T> r(e);                                                                        \
        const std::vector<T> x0(N, as<T>::narrow(zd(1)));                                          \
        T mu = x0[0];                                                                              \
        SOLVE(cusolverSp##L##csreigvsiHost(h, N, r.nnz(), descr, r.val.data(), r.ptr.data(), r.col.data(), as<T>::narrow(zd(3.2)), x0.data(), 60, (R)(as<T>::eps() * 4), &mu, x.data())); \
        CHECK(std::abs(as<T>::wide(mu) - 3.0) < as<T>::eps() * 200);                               \
        SOLVE(cusolverSpXcsrperm_bufferSizeHost(h, N, N, nnz, descr, ptr, col, p.data(), p.data(), &work)); \
        for (void *q : {(void *)dptr, (void *)dcol, (void *)dval, (void *)db, (void *)dx})         \
            CUDA(cudaFree(q));                                                                     \
    }
STEPS(float, float, S)
STEPS(double, double, D)
STEPS(cuComplex, float, C)
STEPS(cuDoubleComplex, double, Z)

int main()
{
    SOLVE(cusolverSpCreate(&h));
    CHECK(cusparseCreateMatDescr(&descr) == CUSPARSE_STATUS_SUCCESS);
    steps_S();
    steps_D();
    steps_C();
    steps_Z();
    cusparseDestroyMatDescr(descr);
    SOLVE(cusolverSpDestroy(h));
    puts("ok");
}
