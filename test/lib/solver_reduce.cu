// OPTIONS: -I../.. -arch=sm_90a
// NOT ON: vulkan: its kernels are not these
/* Kernels that only NVIDIA's GPUs are given, launched by hand so that other devices run them, too. The reduction to a tridiagonal matrix by
 * blocks that meet: the reflections that it stores, applied to the matrix, leave the tridiagonal one that it says. Cholesky's factor of a
 * square, and its inverse. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "device/solver/square.h"
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
    memory<char> board(256 + (2 * WIDTH + 2 * blocks + 2 * n) * sizeof(double));
    for (int first = 0; first < n; first += WIDTH) {
        const int end = first + WIDTH < n ? first + WIDTH : n;
        da.put(a);
        cudaMemset(board.device, 0, 256);
        tridiagonal_panel<double, WIDTH><<<blocks, TRI_THREADS, n * 8>>>(n, first, end, da.device, n, v.device, w.device, n, d.device, e.device, tau.device, board.device);
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
                one += (upper ? l[k + i * n] : l[i + k * n]) * x[k + j * SQUARE_ROWS];
            const bool other = i != j && (i < j) != upper; /* stays as it was */
            if (!(std::fabs(product - a[i + j * n]) < 1e-12 * n) || !(std::fabs(one - (i == j)) < 1e-12 * n) || (other && l[i + j * n] != a[i + j * n])) {
                printf("square of %d rows: (%d, %d) is not right\n", n, i, j);
                exit(1);
            }
        }
}

int main()
{
    square(128, false, 0);
    square(128, true, 0);
    square(70, false, 0);
    square(3, true, 0);
    square(100, false, 41);
    /* Elsewhere blocks need not run at the same time. */
    const char *device = getenv("TERN_DEVICES");
    const int blocks = device && strstr(device, "cuda") ? 5 : 1;
    reduce(1, 1);
    reduce(2, 1);
    reduce(37, blocks);
    reduce(80, blocks);
    puts("ok");
}
