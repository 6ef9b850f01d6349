// NOT ON: interp: the kernels are those of the other programs
// NOT ON: vulkan: the kernels are those of the other programs
// OPTIONS: -lcusolver
/* Functions whose types are numbers, for four types; pairs of precisions by every name; what Jacobi's rotations are told, one matrix or many. */
#include "solver.h"

static cusolverDnHandle_t h;
static const cusolverEigMode_t VEC = CUSOLVER_EIG_MODE_VECTOR;
static const cublasFillMode_t LOW = CUBLAS_FILL_MODE_LOWER;
enum { M = 9, N = 7, LD = 11 };

template <class T> struct of;
#define OF(T, R_, t, r)                                                                            \
    template <> struct of<T> {                                                                     \
        typedef R_ R;                                                                              \
        static const cudaDataType type = t, real = r;                                              \
    };
OF(float, float, CUDA_R_32F, CUDA_R_32F)
OF(double, double, CUDA_R_64F, CUDA_R_64F)
OF(cuComplex, float, CUDA_C_32F, CUDA_R_32F)
OF(cuDoubleComplex, double, CUDA_C_64F, CUDA_R_64F)

static std::vector<double> spectrum(int n)
{
    std::vector<double> e(n);
    for (int i = 0; i < n; i++)
        e[i] = -2 + i * 0.75;
    return e;
}
/* A V = V E for columns from, from + 1, … of the spectrum. */
template <class T> static void eigen(const dense &a, const std::vector<T> &v, const std::vector<typename of<T>::R> &w, int from, int count, size_t at, size_t at_w)
{
    const std::vector<double> e = spectrum(N);
    const dense q = wide(v, N, count, LD, at);
    dense scaled = q;
    for (int j = 0; j < count; j++) {
        CHECK(std::fabs((double)w[at_w + j] - e[from + j]) < tolerance<T>(N) * 4);
        for (int i = 0; i < N; i++)
            scaled(i, j) *= e[from + j];
    }
    CHECK(skew(q) < tolerance<T>(N) && minus(times(a, q), scaled).norm() < tolerance<T>(N) * 4);
}

template <class T> static void by_number()
{
    typedef typename of<T>::R R;
    const cudaDataType t = of<T>::type, r = of<T>::real;
    cusolverDnParams_t p;
    SOLVE(cusolverDnCreateParams(&p));
    const dense a = hermitian<T>(spectrum(N)), tall = random_matrix<T>(M, N);
    both<T> da(LD * N * 2), tau(N);
    both<R> w(2 * N);
    flag info;
    auto again = [&](const dense &m) {
        store(da.host, m, LD);
        store(da.host, m, LD, LD * N);
        da.put();
    };
    again(spoilt(a, false));
    SOLVE(cusolverDnXsyevd(h, p, VEC, LOW, N, t, da.device, LD, r, w.device, t, nullptr, 0, nullptr, 0, info.device));
    CHECK(info.get() == 0);
    eigen<T>(a, da.get(), w.get(), 0, N, 0, 0);
    again(spoilt(a, false));
    int64_t found = -1;
    R low = 0, high = 0;
    SOLVE(cusolverDnXsyevdx(h, p, VEC, CUSOLVER_EIG_RANGE_I, LOW, N, t, da.device, LD, &low, &high, 3, 5, &found, r, w.device, t, nullptr, 0, nullptr, 0, info.device));
    CHECK(info.get() == 0 && found == 3);
    eigen<T>(a, da.get(), w.get(), 2, 3, 0, 0);
    again(spoilt(a, false));
    low = (R)-1.5, high = (R)0.5; /* of -2, -1.25, -0.5, 0.25, 1, … */
    SOLVE(cusolverDnXsyevdx(h, p, VEC, CUSOLVER_EIG_RANGE_V, LOW, N, t, da.device, LD, &low, &high, 0, 0, &found, r, w.device, t, nullptr, 0, nullptr, 0, info.device));
    CHECK(info.get() == 0 && found == 3);
    eigen<T>(a, da.get(), w.get(), 1, 3, 0, 0);
    again(spoilt(a, false));
    both<int> each(2);
    SOLVE(cusolverDnXsyevBatched(h, p, VEC, LOW, N, t, da.device, LD, r, w.device, t, nullptr, 0, nullptr, 0, each.device, 2));
    CHECK(each.get() == (std::vector<int>{0, 0}));
    for (int k = 0; k < 2; k++)
        eigen<T>(a, da.get(), w.get(), 0, N, (size_t)k * LD * N, (size_t)k * N);
    /* R' R = A' A */
    again(tall);
    SOLVE(cusolverDnXgeqrf(h, p, M, N, t, da.device, LD, t, tau.device, t, nullptr, 0, nullptr, 0, info.device));
    CHECK(info.get() == 0);
    const dense u = triangle(wide(da.get(), N, N, LD), true), g = times(adjoint(tall), tall);
    CHECK(distance(times(adjoint(u), u), g) < tolerance<T>(M));
    CHECK(cusolverDnXgeqrf(h, p, M, N, t, da.device, M - 1, t, tau.device, t, nullptr, 0, nullptr, 0, info.device) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(cusolverDnXsyevd(h, p, VEC, LOW, N, t, da.device, LD, CUDA_R_16F, w.device, t, nullptr, 0, nullptr, 0, info.device) == CUSOLVER_STATUS_NOT_SUPPORTED);
    SOLVE(cusolverDnDestroyParams(p));
}

/* A system and a least squares problem by a name of two precisions. */
template <class T, class S, class L> static void pair(S gesv, L gels)
{
    dense a = random_matrix<T>(M, N), square(N, N);
    const dense b = random_matrix<T>(M, 2);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            square(i, j) = a(i, j) + (i == j ? 4.0 : 0.0);
    both<T> da(LD * N), ds(LD * N), db(LD * 2), dx(LD * 2);
    both<int> pivots(N);
    store(da.host, a, LD);
    store(ds.host, square, LD);
    store(db.host, b, LD);
    for (both<T> *p : {&da, &ds, &db})
        p->put();
    flag info;
    int steps = -99;
    SOLVE(gesv(h, N, 2, ds.device, LD, pivots.device, db.device, LD, dx.device, LD, nullptr, 0, &steps, info.device));
    dense x = wide(dx.get(), N, 2, LD);
    CHECK(info.get() == 0 && steps >= 0);
    CHECK(minus(times(square, x), wide(db.host, N, 2, LD)).norm() < tolerance<T>(N) * (square.norm() * x.norm() + 1));
    SOLVE(gels(h, M, N, 2, da.device, LD, db.device, LD, dx.device, LD, nullptr, 0, &steps, info.device));
    x = wide(dx.get(), N, 2, LD);
    CHECK(info.get() == 0 && steps >= 0);
    CHECK(times(adjoint(a), minus(times(a, x), b)).norm() < tolerance<T>(M) * a.norm() * (a.norm() * x.norm() + 1));
}
#define PAIR(T, name) pair<T>(cusolverDn##name##gesv, cusolverDn##name##gels);

/* Told to: no order, few rotations, a tolerance that is met at once. */
static void rotations()
{
    const dense a = hermitian<double>(spectrum(N));
    both<double> da(N * N), w(N), u(N * N), v(N * N);
    flag info;
    syevjInfo_t s;
    gesvdjInfo_t g;
    SOLVE(cusolverDnCreateSyevjInfo(&s));
    SOLVE(cusolverDnCreateGesvdjInfo(&g));
    store(da.host, a, N);
    double left = -1;
    int sweeps = -1;
    CHECK(cusolverDnXsyevjGetSweeps(h, s, &sweeps) != CUSOLVER_STATUS_SUCCESS); /* there were none yet */
    SOLVE(cusolverDnXsyevjSetSortEig(s, 0));
    da.put();
    SOLVE(cusolverDnDsyevj(h, VEC, LOW, N, da.device, N, w.device, u.device, 0, info.device, s));
    SOLVE(cusolverDnXsyevjGetSweeps(h, s, &sweeps));
    SOLVE(cusolverDnXsyevjGetResidual(h, s, &left));
    CHECK(info.get() == 0 && sweeps > 1 && sweeps < 12 && left < 1e-14 * a.norm()); /* it ends when little is left */
    std::vector<double> values = w.get(), e = spectrum(N);
    std::sort(values.begin(), values.end());
    for (int i = 0; i < N; i++)
        CHECK(std::fabs(values[i] - e[i]) < 1e-13);
    SOLVE(cusolverDnXsyevjSetTolerance(s, 1e-3));
    int fewer = -1;
    da.put();
    SOLVE(cusolverDnDsyevj(h, VEC, LOW, N, da.device, N, w.device, u.device, 0, info.device, s));
    SOLVE(cusolverDnXsyevjGetSweeps(h, s, &fewer));
    SOLVE(cusolverDnXsyevjGetResidual(h, s, &left));
    CHECK(info.get() == 0 && fewer < sweeps && left <= 1e-3 * a.norm() && left > 0);
    /* Of many each stops for itself: a diagonal one and one that is not, with no rotations at all. */
    both<double> two(2 * N * N), values_of(2 * N);
    both<int> infos(2);
    std::fill(two.host.begin(), two.host.end(), 0);
    for (int i = 0; i < N; i++)
        two.host[i + i * N] = i + 1;
    store(two.host, a, N, N * N);
    two.put();
    SOLVE(cusolverDnXsyevjSetMaxSweeps(s, 0));
    SOLVE(cusolverDnDsyevjBatched(h, VEC, LOW, N, two.device, N, values_of.device, u.device, 0, infos.device, s, 2));
    CHECK(infos.get() == (std::vector<int>{0, N + 1}));
    SOLVE(cusolverDnXsyevjSetMaxSweeps(s, 20));
    two.put();
    SOLVE(cusolverDnDsyevjBatched(h, VEC, LOW, N, two.device, N, values_of.device, u.device, 0, infos.device, s, 2));
    CHECK(infos.get() == (std::vector<int>{0, 0}));
    SOLVE(cusolverDnXgesvdjSetSortEig(g, 1));
    SOLVE(cusolverDnXgesvdjSetMaxSweeps(g, 1));
    da.put();
    SOLVE(cusolverDnDgesvdj(h, VEC, 0, N, N, da.device, N, w.device, u.device, N, v.device, N, two.device, 0, info.device, g));
    CHECK(info.get() == N + 1); /* one sweep is not enough */
    SOLVE(cusolverDnXgesvdjSetMaxSweeps(g, 50));
    da.put();
    SOLVE(cusolverDnDgesvdj(h, VEC, 0, N, N, da.device, N, w.device, u.device, N, v.device, N, two.device, 0, info.device, g));
    CHECK(info.get() == 0);
    values = w.get();
    for (int i = 1; i < N; i++)
        CHECK(values[i] <= values[i - 1]);
    CHECK(cusolverDnXsyevjSetSortEig(nullptr, 1) == CUSOLVER_STATUS_INVALID_VALUE && cusolverDnXgesvdjSetMaxSweeps(g, -1) == CUSOLVER_STATUS_INVALID_VALUE);
    SOLVE(cusolverDnDestroySyevjInfo(s));
    SOLVE(cusolverDnDestroyGesvdjInfo(g));
}

/* Elements whose squares are no numbers: too large, too small. */
static void extremes(int n)
{
    std::vector<double> e(n);
    for (int i = 0; i < n; i++)
        e[i] = i + 1;
    const dense a = hermitian<float>(e);
    for (float by : {1e25f, 1e-25f})
        for (int how = 0; how < 4; how++) {
            if (how == 3 && n > 32)
                continue; /* as cuSOLVER has it */
            both<float> da(n * n), w(n), u(n * n), v(n * n);
            flag info;
            syevjInfo_t s;
            gesvdjInfo_t g;
            SOLVE(cusolverDnCreateSyevjInfo(&s));
            SOLVE(cusolverDnCreateGesvdjInfo(&g));
            for (int k = 0; k < n * n; k++)
                da.host[k] = (float)a.v[k].real() * by;
            da.put();
            if (how == 0)
                SOLVE(cusolverDnSsyevj(h, VEC, LOW, n, da.device, n, w.device, u.device, 0, info.device, s));
            else if (how == 1)
                SOLVE(cusolverDnSsyevjBatched(h, VEC, LOW, n, da.device, n, w.device, u.device, 0, info.device, s, 1));
            else if (how == 2)
                SOLVE(cusolverDnSgesvdj(h, VEC, 0, n, n, da.device, n, w.device, u.device, n, v.device, n, u.device, 0, info.device, g));
            else
                SOLVE(cusolverDnSgesvdjBatched(h, VEC, n, n, da.device, n, w.device, u.device, n, v.device, n, u.device, 0, info.device, g, 1));
            CHECK(info.get() == 0);
            std::vector<float> values = w.get();
            std::sort(values.begin(), values.end());
            for (int i = 0; i < n; i++)
                CHECK(std::fabs(values[i] / by - e[i]) < tolerance<float>(n) * n);
            SOLVE(cusolverDnDestroySyevjInfo(s));
            SOLVE(cusolverDnDestroyGesvdjInfo(g));
        }
}

int main()
{
    SOLVE(cusolverDnCreate(&h));
    by_number<float>();
    by_number<double>();
    by_number<cuComplex>();
    by_number<cuDoubleComplex>();
    PAIR(float, SB)
    PAIR(float, SX)
    PAIR(double, DH)
    PAIR(double, DB)
    PAIR(double, DX)
    PAIR(cuComplex, CE)
    PAIR(cuComplex, CY)
    PAIR(cuDoubleComplex, ZK)
    PAIR(cuDoubleComplex, ZE)
    PAIR(cuDoubleComplex, ZY)
    rotations();
    extremes(8);
    extremes(70);
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}
