// OPTIONS: -lcusolver
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
/* Matrices without full rank: what is left of their columns is rounding, and of that rounding again, down to the least numbers. Reflections
 * stay orthogonal, rotations end. */
#include "solver.h"

template <class T> struct solver;
template <> struct solver<float> {
    static constexpr auto geqrf = cusolverDnSgeqrf;
    static constexpr auto orgqr = cusolverDnSorgqr;
    static constexpr auto gesvd = cusolverDnSgesvd;
    static constexpr auto batch = cusolverDnSgesvdjBatched;
    static constexpr double eps = 6e-8;
};
template <> struct solver<double> {
    static constexpr auto geqrf = cusolverDnDgeqrf;
    static constexpr auto orgqr = cusolverDnDorgqr;
    static constexpr auto gesvd = cusolverDnDgesvd;
    static constexpr auto batch = cusolverDnDgesvdjBatched;
    static constexpr double eps = 1.1e-16;
};

/* How far columns are from orthonormal; what is no number is far. */
template <class T> static double bent(int n, const std::vector<T> &q)
{
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            double x = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                x += (double)q[k + i * n] * q[k + j * n];
            most = std::fabs(x) <= most ? most : std::fabs(x);
        }
    return most;
}

template <class T> static void reflections(cusolverDnHandle_t h, int n, double value)
{
    both<T> a(n * n), tau(n), work(64 * n + 4096);
    for (T &x : a.host)
        x = (T)value;
    a.put();
    flag info;
    SOLVE(solver<T>::geqrf(h, n, n, a.device, n, tau.device, work.device, 64 * n + 4096, info.device));
    const std::vector<T> r = a.get();
    SOLVE(solver<T>::orgqr(h, n, n, n, a.device, n, tau.device, work.device, 64 * n + 4096, info.device));
    const std::vector<T> q = a.get();
    const double bound = 40 * n * solver<T>::eps;
    CHECK(bent(n, q) <= bound);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double x = 0;
            for (int k = 0; k <= j; k++)
                x += (double)q[i + k * n] * r[k + j * n];
            CHECK(std::fabs(x - (double)(T)value) <= bound * n * value);
        }
}

template <class T> static void rotations(cusolverDnHandle_t h, int n)
{
    both<T> a(n * n), u(n * n), vt(n * n), s(n), work(1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a.host[i + j * n] = (T)((i + 1) * (j % 3 + 1)) / n;
    a.put();
    flag info;
    SOLVE(solver<T>::gesvd(h, 'S', 'S', n, n, a.device, n, s.device, u.device, n, vt.device, n, work.device, 1, nullptr, info.device));
    CHECK(info.get() == 0);
    const double bound = 40 * n * solver<T>::eps;
    CHECK(bent(n, u.get()) <= bound && bent(n, vt.get()) <= bound);
    CHECK(s.get()[0] > 0 && s.get()[1] <= bound * s.get()[0]);
}

template <class T> static void batch(cusolverDnHandle_t h, int n)
{
    both<T> a(2 * n * n), u(2 * n * n), v(2 * n * n), s(2 * n), work(64 * n * n + 4096);
    for (int e = 0; e < 2 * n * n; e++)
        a.host[e] = (T)(e < n * n ? 1 : e % n + 1);
    a.put();
    both<int> info(2);
    gesvdjInfo_t params;
    SOLVE(cusolverDnCreateGesvdjInfo(&params));
    SOLVE(solver<T>::batch(h, CUSOLVER_EIG_MODE_VECTOR, n, n, a.device, n, s.device, u.device, n, v.device, n, work.device, 64 * n * n + 4096, info.device,
                           params, 2));
    CHECK(info.get()[0] == 0 && info.get()[1] == 0);
    const std::vector<T> all = u.get();
    for (int k = 0; k < 2; k++)
        CHECK(bent(n, std::vector<T>(all.begin() + k * n * n, all.begin() + (k + 1) * n * n)) <= 40 * n * solver<T>::eps);
    SOLVE(cusolverDnDestroyGesvdjInfo(params));
}

int main()
{
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    for (double value : {1.0, 3e-3, 1e-30}) {
        reflections<float>(h, 100, value);
        reflections<double>(h, 60, value);
    }
    rotations<float>(h, 15);
    rotations<double>(h, 15);
    batch<float>(h, 8);
    batch<double>(h, 8);
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}
