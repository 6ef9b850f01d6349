// OPTIONS: -lcusolver
// NOT ON: vulkan: solver_svd has it there
// NOT ON: interp: solver_svd has it there
/* Singular values and vectors of matrices that are hard on methods by halves: values many times over, next to each other, 0,
 * of all sizes; parts that fall apart. Held against the matrix, each other and, where they are known, the values. */
#include <random>
#include "solver.h"

template <class T> struct solver;
template <> struct solver<float> {
    static constexpr auto gesvd = cusolverDnSgesvd;
};
template <> struct solver<double> {
    static constexpr auto gesvd = cusolverDnDgesvd;
};

static std::mt19937 random_bits(5);
static double number()
{
    return std::uniform_real_distribution<double>(-1, 1)(random_bits);
}

/* The larger, or what is no number. */
static double worse(double a, double b)
{
    return b <= a ? a : b;
}

/* a, m by n, by columns. expected: falling, or empty. */
template <class T> static void hold(cusolverDnHandle_t h, const char *what, int m, int n, const std::vector<double> &a, const std::vector<double> &expected)
{
    const int k = std::min(m, n);
    both<T> da(m * n), u(m * k), vt(k * n), s(k), work(1);
    double size = 0;
    for (int i = 0; i < m * n; i++)
        da.host[i] = (T)a[i], size += (double)da.host[i] * (double)da.host[i];
    da.put();
    flag info;
    SOLVE(solver<T>::gesvd(h, 'S', 'S', m, n, da.device, m, s.device, u.device, m, vt.device, k, work.device, 1, nullptr, info.device));
    CHECK(info.get() == 0);
    const std::vector<T> su = u.get(), sv = vt.get(), ss = s.get();
    const double eps = sizeof(T) == 4 ? 6e-8 : 1.1e-16, bound = 40 * eps * std::max(m, n), norm = std::sqrt(size);
    double off_u = 0, off_v = 0, off_a = 0, off_s = 0;
    for (int i = 0; i < k; i++) {
        CHECK(ss[i] >= 0 && (!i || ss[i] <= ss[i - 1]));
        if (!expected.empty())
            off_s = worse(off_s, std::fabs(ss[i] - expected[i]));
        for (int j = 0; j <= i; j++) {
            double x = i == j ? -1 : 0, y = x;
            for (int l = 0; l < m; l++)
                x += (double)su[l + i * m] * su[l + j * m];
            for (int l = 0; l < n; l++)
                y += (double)sv[i + l * k] * sv[j + l * k];
            off_u = worse(off_u, std::fabs(x));
            off_v = worse(off_v, std::fabs(y));
        }
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double x = -(double)da.host[i + j * m];
            for (int l = 0; l < k; l++)
                x += (double)su[i + l * m] * ss[l] * sv[l + j * k];
            off_a = worse(off_a, std::fabs(x));
        }
    if (!(off_u <= bound && off_v <= bound && off_a <= bound * norm && off_s <= bound * norm)) {
        printf("%s, %d by %d, %d bytes: U %g, V %g, A %g, values %g; %g and %g are allowed\n", what, m, n, (int)sizeof(T), off_u, off_v, off_a,
               off_s, bound, bound * norm);
        exit(1);
    }
}

template <class T> static void all(cusolverDnHandle_t h, int n)
{
    const auto at = [n](int i, int j) { return i + j * n; };
    std::vector<double> a(n * n);
    for (double &x : a)
        x = number();
    hold<T>(h, "random", n, n, a, {});
    for (double &x : a)
        x = 0;
    hold<T>(h, "zero", n, n, a, std::vector<double>(n, 0.0));
    for (int i = 0; i < n; i++)
        a[at(i, i)] = i % 2 ? -3 : 3;
    hold<T>(h, "one value", n, n, a, std::vector<double>(n, 3.0));
    for (double &x : a)
        x = 1;
    std::vector<double> one(n, 0.0);
    one[0] = n;
    hold<T>(h, "rank 1", n, n, a, one);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[at(i, j)] = i == j ? 1 : i + 1 == j ? 1 : 0; /* a chain: values next to each other */
    hold<T>(h, "chain", n, n, a, {});
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[at(i, j)] = i == j ? std::pow(10.0, -12.0 * i / n) : i + 1 == j ? std::pow(10.0, -12.0 * i / n) : 0;
    hold<T>(h, "graded", n, n, a, {});
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const bool same = i / 5 == j / 5;
            a[at(i, j)] = same ? (i % 5 == j % 5 ? 2 : 0.25) : 0; /* the same block again and again */
        }
    hold<T>(h, "blocks", n, n, a, {});
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[at(i, j)] = i <= j ? (i == j ? 1 : -1) : 0; /* almost singular */
    hold<T>(h, "Kahan", n, n, a, {});
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            a[at(i, j)] = j < n / 2 ? number() : j == n / 2 ? 0 : a[at(i, j - n / 2 - 1)] * 2; /* half the rank */
    hold<T>(h, "half", n, n, a, {});
    std::vector<double> tall(2 * n * n);
    for (double &x : tall)
        x = 1e-3 * number();
    hold<T>(h, "tall", 2 * n, n, tall, {});
    hold<T>(h, "wide", n, 2 * n, tall, {});
}

int main()
{
    cusolverDnHandle_t h;
    SOLVE(cusolverDnCreate(&h));
    for (int n : {1, 2, 3, 5, 15, 16, 17, 18, 33, 34, 35, 65, 100}) {
        all<double>(h, n);
        all<float>(h, n);
    }
    all<double>(h, 150);
    /* Very large and very small. */
    for (double scale : {1e150, 1e-150}) {
        std::vector<double> a(40 * 40);
        for (double &x : a)
            x = scale * number();
        both<double> d(1600), s(40), u(1600), v(1600), work(1);
        flag info;
        d.host = a;
        d.put();
        SOLVE(cusolverDnDgesvd(h, 'A', 'A', 40, 40, d.device, 40, s.device, u.device, 40, v.device, 40, work.device, 1, nullptr, info.device));
        CHECK(info.get() == 0 && s.get()[0] > scale && s.get()[0] < 40 * scale);
    }
    SOLVE(cusolverDnDestroy(h));
    puts("ok");
}
