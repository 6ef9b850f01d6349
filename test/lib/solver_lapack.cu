// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -lcusolver -ldl
/* LAPACK's answers as a second opinion, where the system has it: factors, pivots, reflections, eigenvalues and singular values of random, graded,
 * clustered, nearly singular (Hilbert's) and singular matrices. */
#include <dlfcn.h>
#include "solver.h"

static void *lapack;
template <class... A> static int call(const char *name, A... a) /* the last argument is info */
{
    void (*f)(A..., int *) = (void (*)(A..., int *))dlsym(lapack, name);
    int info = 99;
    if (!f) {
        printf("LAPACK has no %s\n", name);
        exit(1);
    }
    f(a..., &info);
    return info;
}

typedef std::vector<double> numbers;
static cusolverDnHandle_t h;
static const double eps = 2.3e-16;
static std::string trying;

static void near(const char *what, const numbers &ours, const numbers &theirs, double bound)
{
    CHECK(ours.size() == theirs.size());
    for (size_t k = 0; k < ours.size(); k++)
        if (!(std::fabs(ours[k] - theirs[k]) <= bound)) {
            printf("%s of %s: element %zu is %.17g, LAPACK's %.17g, bound %g\n", what, trying.c_str(), k, ours[k], theirs[k], bound);
            exit(1);
        }
}
static double size_of(const numbers &a)
{
    double s = 0;
    for (double x : a)
        s += x * x;
    return std::sqrt(s);
}

static numbers made(const char *kind, int n)
{
    numbers a((size_t)n * n);
    dense d(n, n);
    std::vector<double> e(n);
    switch (kind[0]) {
    case 'h': /* Hilbert's */
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                d(i, j) = 1.0 / (i + j + 1);
        break;
    case 'r': /* random */
        d = random_matrix<double>(n, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < j; i++)
                d(i, j) = d(j, i);
        break;
    default: /* graded, clustered, singular */
        for (int i = 0; i < n; i++)
            e[i] = kind[0] == 'g' ? std::pow(0.5, i) : kind[0] == 'c' ? 1 + i / 5 + 1e-10 * (i % 5) : i % 3;
        d = hermitian<double>(e);
    }
    store(a, d, n);
    return a;
}

static void compare(const char *kind, int n)
{
    trying = std::string(kind) + " " + std::to_string(n);
    const numbers a = made(kind, n);
    const double size = size_of(a), bound = 40 * eps * (n + 3) * size;
    const int lwork = 64 * n + 256;
    numbers b, work(lwork), w(n), left((size_t)n * n), right((size_t)n * n), wr(n), wi(n), tau(n);
    both<double> da(n * n), dw(n), du(n * n), dv(n * n), dtau(n), de(n), dtaup(n);
    both<int> pivots(n);
    flag info;
    da.host = a;
    int *pn = &n, m = n;

    da.put(); /* eigenvalues */
    SOLVE(cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.device, n, dw.device, nullptr, 0, info.device));
    b = a;
    CHECK(info.get() == call("dsyev_", "N", "L", pn, b.data(), pn, w.data(), work.data(), &lwork));
    near("eigenvalues", dw.get(), w, bound);
    da.put();
    syevjInfo_t params;
    SOLVE(cusolverDnCreateSyevjInfo(&params));
    SOLVE(cusolverDnDsyevj(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, da.device, n, dw.device, nullptr, 0, info.device, params));
    CHECK(info.get() == 0);
    near("eigenvalues by rotations", dw.get(), w, bound);
    SOLVE(cusolverDnDestroySyevjInfo(params));

    da.put(); /* singular values */
    SOLVE(cusolverDnDgesvd(h, 'A', 'A', n, n, da.device, n, dw.device, du.device, n, dv.device, n, nullptr, 0, nullptr, info.device));
    b = a;
    CHECK(info.get() == call("dgesvd_", "N", "N", pn, pn, b.data(), pn, w.data(), left.data(), pn, right.data(), pn, work.data(), &lwork));
    near("singular values", dw.get(), w, bound);

    da.put(); /* Gauss: where the largest element of a column is one, pivots are the same */
    SOLVE(cusolverDnDgetrf(h, n, n, da.device, n, nullptr, pivots.device, info.device));
    std::vector<int> theirs(n);
    b = a;
    const int bad = call("dgetrf_", pn, pn, b.data(), pn, theirs.data());
    if (kind[0] == 'r') {
        CHECK(info.get() == bad && pivots.get() == theirs);
        near("Gauss's factors", da.get(), b, 1e3 * bound);
    }

    da.put(); /* Cholesky */
    SOLVE(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, n, da.device, n, nullptr, 0, info.device));
    b = a;
    const int minor = call("dpotrf_", "L", pn, b.data(), pn);
    if (kind[0] == 'r' || kind[0] == 'c' || (kind[0] == 'h' && n < 10)) {
        CHECK(info.get() == minor);
        if (!minor)
            near("Cholesky's factor", da.get(), b, kind[0] == 'h' ? 1e-3 : 10 * bound);
    } else if (kind[0] == 's') {
        CHECK(info.get() != 0 && minor != 0);
    }

    da.put(); /* reflections */
    SOLVE(cusolverDnDgeqrf(h, n, n, da.device, n, dtau.device, nullptr, 0, info.device));
    b = a;
    CHECK(call("dgeqrf_", pn, pn, b.data(), pn, tau.data(), work.data(), &lwork) == 0);
    if (kind[0] == 'r') {
        near("reflections", da.get(), b, 100 * bound);
        near("their factors", dtau.get(), tau, 100 * bound);
    }
    da.put();
    SOLVE(cusolverDnDsytrd(h, CUBLAS_FILL_MODE_LOWER, n, da.device, n, dw.device, de.device, dtau.device, nullptr, 0, info.device));
    b = a;
    numbers e(n);
    CHECK(call("dsytrd_", "L", pn, b.data(), pn, w.data(), e.data(), tau.data(), work.data(), &lwork) == 0);
    if (kind[0] == 'r') {
        near("tridiagonal form", dw.get(), w, 1e3 * bound);
        near("its reflections", da.get(), b, 1e3 * bound);
    }
    da.put();
    SOLVE(cusolverDnDgebrd(h, n, n, da.device, n, dw.device, de.device, dtau.device, dtaup.device, nullptr, 0, info.device));
    b = a;
    numbers taup(n);
    CHECK(call("dgebrd_", pn, pn, b.data(), pn, w.data(), e.data(), tau.data(), taup.data(), work.data(), &lwork) == 0);
    if (kind[0] == 'r')
        near("bidiagonal form", dw.get(), w, 1e3 * bound);

    da.put(); /* not definite */
    SOLVE(cusolverDnDsytrf(h, CUBLAS_FILL_MODE_LOWER, n, da.device, n, pivots.device, nullptr, 0, info.device));
    b = a;
    const int zero = call("dsytrf_", "L", pn, b.data(), pn, theirs.data(), work.data(), &lwork);
    if (kind[0] == 'r') {
        CHECK(info.get() == zero && pivots.get() == theirs);
        near("L D L'", da.get(), b, 1e3 * bound);
    }

    /* Any matrix: one triangle of another sign. */
    if (kind[0] == 'r') {
        numbers any = a;
        for (int j = 0; j < n; j++)
            for (int i = j + 1; i < n; i++)
                any[i + j * n] *= -0.5;
        da.host = any;
        da.put();
        both<double> values(2 * n);
        SOLVE(cusolverDnXgeev(h, nullptr, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_NOVECTOR, n, CUDA_R_64F, da.device, n, CUDA_C_64F, values.device, CUDA_R_64F, nullptr, 1, CUDA_R_64F,
                              nullptr, 1, CUDA_R_64F, nullptr, 0, nullptr, 0, info.device));
        CHECK(info.get() == call("dgeev_", "N", "N", pn, any.data(), pn, wr.data(), wi.data(), left.data(), pn, right.data(), pn, work.data(), &lwork));
        const numbers got = values.get();
        for (int k = 0; k < n; k++) { /* each has one of LAPACK's beside it */
            double best = 1e300;
            for (int l = 0; l < n; l++)
                best = std::min(best, std::hypot(got[2 * k] - wr[l], got[2 * k + 1] - wi[l]));
            CHECK(best < 1e3 * bound);
        }
        da.host = a;
    }

    /* Two matrices. */
    numbers second = made("clustered", n);
    both<double> db(n * n);
    db.host = second;
    da.put();
    db.put();
    SOLVE(cusolverDnDsygvd(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.device, n, db.device, n, dw.device, nullptr, 0, info.device));
    b = a;
    int one = 1;
    CHECK(info.get() == call("dsygv_", &one, "N", "L", pn, b.data(), pn, second.data(), pn, w.data(), work.data(), &lwork));
    near("eigenvalues of two", dw.get(), w, 10 * bound);
    (void)m;
}

int main()
{
    for (const char *name : {"libopenblas.so.0", "liblapack.so.3", "liblapack.so"})
        lapack = lapack ? lapack : dlopen(name, RTLD_NOW);
    if (!lapack || !dlsym(lapack, "dsyev_")) {
        puts("there is no LAPACK here\nok");
        return 0;
    }
    const char *device = getenv("TERN_DEVICES");
    const bool slow = device && strcmp(device, "cpu") && strcmp(device, "cuda");
    SOLVE(cusolverDnCreate(&h));
    for (const char *kind : {"random", "graded", "clustered", "hilbert", "singular"})
        for (int n : slow ? std::vector<int>{1, 9} : getenv("TERN_TEST_LONG") ? std::vector<int>{1, 2, 9, 33, 67, 130, 260} : std::vector<int>{1, 2, 9, 33, 67})
            compare(kind, n);
    if (!slow)
        compare("graded", 130); /* down to 2^-129: rotations end where products are no more exact */
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}
