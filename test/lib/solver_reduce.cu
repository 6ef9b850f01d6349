// OPTIONS: -I../.. -arch=sm_90a
// NOT ON: vulkan: its kernels are not these
// LONG ON: interp: half a minute
/* Kernels that only NVIDIA's GPUs are given, launched by hand so that other devices run them, too. The reduction to a tridiagonal matrix by
 * blocks that meet: the reflections that it stores, applied to the matrix, leave the tridiagonal one that it says. Cholesky's factor of a
 * square, its inverse, and what that makes of the rows below. Strips of Gauss's elimination, and what follows for other columns. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "device/solver/square.h"
#include "device/solver/strip.h"
#include "device/solver/tridiagonal.h"

enum { WIDTH = 16 };

template <class T> struct memory {
    T *device;
    memory(size_t n)
    {
        if (cudaMalloc((void **)&device, n * sizeof(T)) || cudaMemset(device, 0, n * sizeof(T)))
            exit(1);
    }
    ~memory() { cudaFree(device); }
    void put(const std::vector<T> &v) { cudaMemcpy(device, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); }
    std::vector<T> get(size_t n)
    {
        std::vector<T> v(n);
        if (cudaMemcpy(v.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost))
            exit(1);
        return v;
    }
};

typedef std::vector<double> numbers;

/* a less what v and w say, where the panel that ends before `end` has not been. */
static void update(int n, int end, int columns, numbers &a, const numbers &v, const numbers &w)
{
    for (int j = end; j < n; j++)
        for (int i = end; i < n; i++)
            for (int q = 0; q < columns; q++)
                a[i + j * n] -= v[i + q * n] * w[j + q * n] + w[i + q * n] * v[j + q * n];
}

/* H a H for the reflection of column k. */
static void reflect(int n, int k, double tau, const numbers &stored, numbers &a)
{
    numbers u(n, 0.0);
    for (int i = k + 1; i < n; i++)
        u[i] = i == k + 1 ? 1 : stored[i + k * n];
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < n; j++) {
            const int row = side ? n : 1, line = side ? 1 : n;
            double dot = 0;
            for (int i = 0; i < n; i++)
                dot += u[i] * a[i * row + j * line];
            for (int i = 0; i < n; i++)
                a[i * row + j * line] -= tau * dot * u[i];
        }
}

static void reduce(int n, int blocks)
{
    numbers a(n * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            a[i + j * n] = a[j + i * n] = rand() / (double)RAND_MAX - 0.5;
    numbers whole = a;
    memory<double> da(n * n), v(n * WIDTH), w(n * WIDTH), d(n), e(n), tau(n);
    memory<char> board(TRI_BOARD(n, blocks, WIDTH, (int)sizeof(double)));
    for (int first = 0; first < n; first += WIDTH) {
        const int end = first + WIDTH < n ? first + WIDTH : n;
        da.put(a);
        long long rows = n, from = first, to = end;
        void *args[] = {&rows, &from, &to, &da.device, &rows, &v.device, &w.device, &rows, &d.device, &e.device, &tau.device, &board.device};
        if (cudaLaunchCooperativeKernel((const void *)tridiagonal_panel<double, WIDTH>, blocks, TRI_THREADS, args, TRI_SHARED(n, blocks, WIDTH) * sizeof(double), 0))
            exit(1);
        a = da.get(n * n);
        update(n, end, end - first, a, v.get(n * WIDTH), w.get(n * WIDTH));
    }
    const numbers hd = d.get(n), he = e.get(n), factors = tau.get(n);
    for (int k = 0; k + 1 < n; k++)
        reflect(n, k, factors[k], a, whole);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double want = i == j ? hd[i] : i == j + 1 ? he[j] : j == i + 1 ? he[i] : 0;
            if (!(std::fabs(whole[i + j * n] - want) < 1e-13 * n)) {
                printf("%d rows, %d blocks: (%d, %d) is %g, not %g\n", n, blocks, i, j, whole[i + j * n], want);
                exit(1);
            }
        }
}

/* bad: a row whose pivot is not positive. */
static void square(int n, bool upper, int bad)
{
    numbers a(n * n, 0.0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++)
            a[i + j * n] = a[j + i * n] = rand() / (double)RAND_MAX + (i == j ? n : 0);
    if (bad)
        a[(bad - 1) * (n + 1)] = -1;
    memory<double> da(n * n), inverse(SQUARE_ROWS * SQUARE_ROWS);
    memory<int> info(1);
    da.put(a);
    cudaFuncSetAttribute((const void *)potrf_square, cudaFuncAttributeMaxDynamicSharedMemorySize, SQUARE_SHARED);
    potrf_square<<<1, SQUARE_THREADS, SQUARE_SHARED>>>(n, da.device, n, upper, info.device, 1000, inverse.device);
    const int said = info.get(1)[0];
    if (said != (bad ? 1000 + bad : 0)) {
        printf("square of %d rows: info is %d\n", n, said);
        exit(1);
    }
    const numbers l = da.get(n * n), x = inverse.get(SQUARE_ROWS * SQUARE_ROWS);
    for (int j = 0; j < n && !bad; j++)
        for (int i = 0; i < n; i++) {
            double product = 0, one = 0;
            for (int k = 0; k <= (i < j ? i : j); k++)
                product += upper ? l[k + i * n] * l[k + j * n] : l[i + k * n] * l[j + k * n];
            for (int k = 0; k <= i; k++)
                one += k < j ? 0 : (upper ? l[k + i * n] : l[i + k * n]) * x[k * SQUARE_ROWS + j];
            const bool other = i != j && (i < j) != upper; /* stays as it was */
            if (!(std::fabs(product - a[i + j * n]) < 1e-12 * n) || !(std::fabs(one - (i == j)) < 1e-12 * n) || (other && l[i + j * n] != a[i + j * n])) {
                printf("square of %d rows: (%d, %d) is not right\n", n, i, j);
                exit(1);
            }
        }
}

/* m rows below a square, times the transpose of its inverse, which only has what is on the diagonal's blocks and below. */
template <int SHAPE> static void below(int m, bool upper)
{
    enum { N = SQUARE_ROWS };
    const int row = upper ? N + 3 : 1, col = upper ? 1 : m + 1, to_row = upper ? N : 1, to_col = upper ? 1 : m + 2;
    numbers a(m * row + N * col, 0.0), x(N * N);
    for (double &v : a)
        v = rand() / (double)RAND_MAX - 0.5;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i * N + j] = j / 32 > i / 32 ? NAN : j > i ? 0 : rand() / (double)RAND_MAX - 0.5;
    memory<double> da(a.size()), dx(x.size()), done(m * to_row + N * to_col);
    da.put(a);
    dx.put(x);
    cudaFuncSetAttribute((const void *)potrf_below<SHAPE>, cudaFuncAttributeMaxDynamicSharedMemorySize, BELOW_SHARED);
    potrf_below<SHAPE><<<(m + BELOW_ROWS - 1) / BELOW_ROWS, BELOW_THREADS, BELOW_SHARED>>>(m, da.device, row, col, dx.device, done.device, to_row, to_col);
    const numbers got = da.get(a.size()), copy = done.get(m * to_row + N * to_col);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < N; j++) {
            double want = 0;
            for (int k = 0; k <= j; k++)
                want += a[i * row + k * col] * x[j * N + k];
            if (!(std::fabs(got[i * row + j * col] - want) < 1e-13) || copy[i * to_row + j * to_col] != got[i * row + j * col]) {
                printf("%d rows below a square: (%d, %d) is %g, not %g\n", m, i, j, got[i * row + j * col], want);
                exit(1);
            }
        }
}

/* Diagonals of all sizes of numbers. */
static void sizes()
{
    enum { N = 70 };
    numbers a(N * N, 0.0);
    for (int k = 0; k < N; k++)
        a[k * (N + 1)] = std::ldexp(1.0 + k / 100.0, k < 2 ? -1074 + 30 * k : -1040 + k * 29);
    memory<double> da(N * N);
    memory<int> info(1);
    da.put(a);
    potrf_square<<<1, SQUARE_THREADS, SQUARE_SHARED>>>(N, da.device, N, 0, info.device, 0, (double *)nullptr);
    const numbers l = da.get(N * N);
    for (int k = 0; k < N; k++)
        if (info.get(1)[0] || !(std::fabs(l[k * (N + 1)] / std::sqrt(a[k * (N + 1)]) - 1) < 1e-15)) {
            printf("the root of %g is not %g\n", a[k * (N + 1)], l[k * (N + 1)]);
            exit(1);
        }
}

/* A strip of n columns of m rows, with `left` columns before it and `right` after it: what elimination column by column makes of all of them. zero: a
 * column of zeros. Where rows stay, the diagonal is large. */
template <class T, int THREADS> static void strip(int m, int n, int left, int right, bool exchanges, int zero)
{
    enum { COLUMNS = STRIP_COLUMNS };
    const int all = left + n + right, lda = m + 1, blocks = (m + THREADS - 1) / THREADS;
    std::vector<T> a(lda * all), want, moved;
    for (T &v : a)
        v = (T)(rand() / (double)RAND_MAX - 0.5);
    for (int k = 0; k < n && !exchanges; k++)
        a[k + (left + k) * lda] += 3;
    for (int i = 0; i < m && zero; i++)
        a[i + (left + zero - 1) * lda] = 0;
    want = moved = a;
    std::vector<int> rows(n);
    for (int k = 0; k < n; k++) {
        T *column = &want[(left + k) * lda];
        int p = k;
        for (int i = k; i < m && exchanges; i++)
            p = std::fabs(column[i]) > std::fabs(column[p]) ? i : p;
        rows[k] = p + 101;
        for (int j = 0; j < all; j++) {
            std::swap(want[k + j * lda], want[p + j * lda]);
            std::swap(moved[k + j * lda], moved[p + j * lda]);
        }
        for (int i = k + 1; i < m && column[k] != 0; i++) {
            column[i] /= column[k];
            for (int j = left + k + 1; j < all; j++)
                want[i + j * lda] -= column[i] * want[k + j * lda];
        }
    }
    for (int j = left + n; j < all; j++) /* a product's, later */
        for (int i = n; i < m; i++)
            want[i + j * lda] = moved[i + j * lda];
    memory<T> da(a.size());
    memory<int> pivots(n), info(1), moves(2 * COLUMNS);
    memory<unsigned long long> board(2 * blocks * (4 + COLUMNS * sizeof(T) / 4));
    da.put(a);
    const int shared = COLUMNS * THREADS * sizeof(T), after = COLUMNS * COLUMNS * sizeof(T);
    T *first = da.device + left * lda;
    cudaFuncSetAttribute((const void *)getrf_strip<T, int, COLUMNS, THREADS>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    cudaFuncSetAttribute((const void *)getrf_follow<T, COLUMNS>, cudaFuncAttributeMaxDynamicSharedMemorySize, after);
    getrf_strip<T, int, COLUMNS, THREADS><<<blocks, THREADS, shared>>>(m, n, first, lda, exchanges ? pivots.device : (int *)nullptr, info.device, 100, board.device, moves.device);
    if (left == 1)
        strip_exchange<T, COLUMNS><<<1, STRIP_THREADS>>>(left, da.device, lda, n, moves.device);
    getrf_follow<T, COLUMNS><<<(left > 1 ? (left + 15) / 16 : 0) + (right + 15) / 16, STRIP_THREADS, after>>>(n, first, lda, left > 1 ? left : 0, right, moves.device);
    const std::vector<T> got = da.get(a.size());
    const std::vector<int> chosen = pivots.get(n);
    const double small = sizeof(T) == 8 ? 1e-12 : 1e-3;
    bool wrong = info.get(1)[0] != (zero ? 100 + zero : 0);
    for (int k = 0; k < n && exchanges; k++)
        wrong |= chosen[k] != rows[k];
    for (size_t e = 0; e < a.size(); e++)
        wrong |= !(std::fabs(got[e] - want[e]) < small * (1 + std::fabs(want[e])));
    if (wrong) {
        printf("a strip of %d by %d is not right\n", m, n);
        exit(1);
    }
}

int main()
{
    strip<double, 128>(128, 64, 20, 20, true, 0);
    strip<double, 128>(97, 33, 1, 5, true, 7);
    strip<double, 256>(200, 64, 0, 17, false, 0);
    strip<float, 256>(130, 50, 3, 0, true, 0);
    const char *which = getenv("TERN_DEVICES");
    const bool large = which && strstr(which, "cuda");
    if (large) /* blocks that run at the same time */
        strip<double, 128>(1000, 64, 20, 40, true, 0);
    square(128, false, 0);
    square(128, true, 0);
    square(70, false, 0);
    square(3, true, 0);
    square(100, false, 41);
    sizes();
    below<4>(64, false);
    below<8>(70, true);
    below<8>(131, false);
    reduce(1, 1);
    reduce(2, 1);
    reduce(37, 5);
    reduce(80, 5);
    if (large || getenv("TERN_TEST_LONG")) {
        reduce(80, 1);
        reduce(131, 2);
    }
    puts("ok");
}
