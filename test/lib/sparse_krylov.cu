// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusparse
// Krylov methods: |b - A x| and, for Lanczos, eigenvalues that are known.
#include "sparse.h"
#include <algorithm>
#include <tern_krylov.h>

static cusparseHandle_t handle;

/* A grid of n by n with five points; `skew` makes it unsymmetric, `shift` indefinite. */
template <class T> struct grid {
    long n;
    std::vector<int> off{0}, idx;
    std::vector<T> val;
    device_copy<int> doff, didx;
    device_copy<T> dval;
    cusparseSpMatDescr_t d;
    grid(long side, double skew, double shift) : n(side * side)
    {
        for (long i = 0; i < n; i++) {
            auto put = [&](long j, double v) {
                idx.push_back((int)j);
                val.push_back((T)v);
            };
            if (i >= side)
                put(i - side, -1 - skew);
            if (i % side)
                put(i - 1, -1 - skew);
            put(i, 4 - shift);
            if ((i + 1) % side)
                put(i + 1, -1 + skew);
            if (i + side < n)
                put(i + side, -1 + skew);
            off.push_back((int)idx.size());
        }
        doff.put(off);
        didx.put(idx);
        dval.put(val);
        SPARSE(cusparseCreateCsr(&d, n, n, idx.size(), doff.p, didx.p, dval.p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 number<T>::value));
    }
    ~grid() { SPARSE(cusparseDestroySpMat(d)); }
};

template <class T> int solve(const grid<T> &g, ternKrylovMethod_t method, ternPrecondition_t pre, double tolerance)
{
    vec<T> b(g.n), x(g.n);
    ternKrylovOptions_t o = {method, pre, 500, 25, tolerance};
    ternKrylovResult_t r;
    SPARSE(ternKrylovSolve(handle, &o, g.d, b.d, x.d, &r));
    const std::vector<T> s = x.get();
    double error = 0, size = 0;
    for (long i = 0; i < g.n; i++) {
        double sum = b.host[i];
        size += sum * sum;
        for (int k = g.off[i]; k < g.off[i + 1]; k++)
            sum -= (double)g.val[k] * s[g.idx[k]];
        error += sum * sum;
    }
    const double left = sqrt(error / size);
    if (r.converged != 1 || !(left <= 20 * tolerance) || r.iterations < 1) {
        printf("method %d preconditioner %d: converged %d after %d, says %g, is %g\n", method, pre, r.converged, r.iterations, r.residual, left);
        exit(1);
    }
    return r.iterations;
}

int main()
{
    SPARSE(cusparseCreate(&handle));
    const grid<double> spd(12, 0, 0), any(12, 0.3, 0), indefinite(9, 0, 2.3);
    const int plain = solve(spd, TERN_KRYLOV_CG, TERN_PRECONDITION_NONE, 1e-10);
    solve(spd, TERN_KRYLOV_CG, TERN_PRECONDITION_JACOBI, 1e-10);
    CHECK(solve(spd, TERN_KRYLOV_CG, TERN_PRECONDITION_IC0, 1e-10) < plain);
    solve(any, TERN_KRYLOV_BICGSTAB, TERN_PRECONDITION_NONE, 1e-10);
    solve(any, TERN_KRYLOV_BICGSTAB, TERN_PRECONDITION_ILU0, 1e-10);
    solve(any, TERN_KRYLOV_GMRES, TERN_PRECONDITION_NONE, 1e-10);
    solve(any, TERN_KRYLOV_GMRES, TERN_PRECONDITION_ILU0, 1e-10);
    solve(indefinite, TERN_KRYLOV_MINRES, TERN_PRECONDITION_NONE, 1e-10);
    solve(spd, TERN_KRYLOV_MINRES, TERN_PRECONDITION_IC0, 1e-10);
    if (all_types()) {
        const grid<float> narrow(10, 0, 0);
        solve(narrow, TERN_KRYLOV_CG, TERN_PRECONDITION_JACOBI, 1e-5);
        solve(narrow, TERN_KRYLOV_GMRES, TERN_PRECONDITION_JACOBI, 1e-5);
    }
    /* Lanczos: the largest eigenvalue is 4 + 4 cos(pi / (side + 1)); Sturm's count finds it in the tridiagonal matrix. */
    const grid<double> small(4, 0, 0);
    const int steps = 9;
    vec<double> start(small.n);
    device_copy<double> diagonal{std::vector<double>(steps)}, off{std::vector<double>(steps)};
    SPARSE(ternLanczos(handle, small.d, start.d, steps, diagonal.p, off.p));
    const std::vector<double> a = diagonal.get(), c = off.get();
    /* 16 eigenvalues, of which 9 are different: after 9 steps nothing is left. */
    CHECK(c[steps - 1] < 1e-6);
    double low = 0, high = 10;
    while (high - low > 1e-12) {
        const double x = (low + high) / 2;
        int below = 0;
        double q = 1;
        for (int i = 0; i < steps; i++) {
            q = a[i] - x - (i ? c[i - 1] * c[i - 1] / q : 0);
            below += q < 0;
        }
        (below == steps ? high : low) = x;
    }
    CHECK(fabs(low - (4 + 4 * cos(M_PI / 5))) < 1e-9);
    /* Refused: no such preconditioner for the method, no such type. */
    vec<double> b(spd.n), x(spd.n);
    ternKrylovOptions_t o = {TERN_KRYLOV_CG, TERN_PRECONDITION_ILU0, 10, 0, 1e-6};
    ternKrylovResult_t r;
    FAILS(NOT_SUPPORTED, ternKrylovSolve(handle, &o, spd.d, b.d, x.d, &r));
    o.precondition = TERN_PRECONDITION_NONE;
    o.maxIterations = 3;
    SPARSE(ternKrylovSolve(handle, &o, spd.d, b.d, x.d, &r));
    CHECK(r.converged == 0 && r.iterations == 3 && r.residual > 1e-6);
    SPARSE(cusparseDestroy(handle));
    puts("ok");
}
