// OPTIONS: --f64=fast
// Double as pairs of floats: the largest relative error of operations and functions, in units of 2^-48, against the
// host's double. An argument multiplies the number of points and prints a table; -DALL is for all functions.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// name, bound, range of x, range of y, expression
#define FEW(F)                                                                                                         \
    F(add, 3, -1e6, 1e6, -1e6, 1e6, x + y)                                                                             \
    F(subtract, 3, -1e6, 1e6, -1e6, 1e6, x - y)                                                                        \
    F(multiply, 4, -1e6, 1e6, -1e6, 1e6, x * y)                                                                        \
    F(divide, 9.8, -1e6, 1e6, 1e-3, 1e6, x / y)                                                                        \
    F(sqrt, 3.125, 0, 1e6, 0, 1, sqrt(x))                                                                              \
    F(fma, 3, 0, 1e3, 0, 1e3, fma(x, y, 1.0))                                                                          \
    F(exp, 2, -60, 80, 0, 1, exp(x))                                                                                   \
    F(log, 2, 1e-6, 1e6, 0, 1, log(x))                                                                                 \
    F(sin_far, 2, 1, 1e5, 0, 1, sin(x) + 2)
#define MANY(F)                                                                                                        \
    F(rsqrt, 6, 1e-6, 1e6, 0, 1, 1 / sqrt(x))                                                                          \
    F(cbrt, 1, -1e6, 1e6, 0, 1, cbrt(x))                                                                               \
    F(exp2, 2, -90, 120, 0, 1, exp2(x))                                                                                \
    F(expm1, 2, -20, 80, 0, 1, expm1(x))                                                                               \
    F(log2, 2, 1e-6, 1e6, 0, 1, log2(x))                                                                               \
    F(log10, 2, 1e-6, 1e6, 0, 1, log10(x))                                                                             \
    F(log1p, 2, -0.5, 10, 0, 1, log1p(x))                                                                              \
    F(sin, 3, -3, 3, 0, 1, sin(x))                                                                                     \
    F(cos, 2, -1.5, 1.5, 0, 1, cos(x))                                                                                 \
    F(tan, 3, -1.5, 1.5, 0, 1, tan(x))                                                                                 \
    F(asin, 3, -1, 1, 0, 1, asin(x))                                                                                   \
    F(acos, 3, -1, 0.99, 0, 1, acos(x))                                                                                \
    F(atan, 3, -100, 100, 0, 1, atan(x))                                                                               \
    F(atan2, 3, -10, 10, -10, 10, atan2(x, y))                                                                         \
    F(sinh, 2, -60, 60, 0, 1, sinh(x))                                                                                 \
    F(cosh, 2, -60, 60, 0, 1, cosh(x))                                                                                 \
    F(tanh, 2, -20, 20, 0, 1, tanh(x))                                                                                 \
    F(asinh, 2, -100, 100, 0, 1, asinh(x))                                                                             \
    F(acosh, 3, 1.1, 100, 0, 1, acosh(x))                                                                              \
    F(atanh, 3, -0.99, 0.99, 0, 1, atanh(x))                                                                           \
    F(pow, 2, 0.01, 10, -12, 12, pow(x, y))                                                                            \
    F(hypot, 2, -1e6, 1e6, -1e6, 1e6, hypot(x, y))                                                                     \
    F(erf, 2, -5, 5, 0, 1, erf(x))                                                                                     \
    F(erfc, 2, -5, 7, 0, 1, erfc(x))                                                                                   \
    F(tgamma, 256, 0.1, 30, 0, 1, tgamma(x))                                                                           \
    F(lgamma, 4, 3, 1e4, 0, 1, lgamma(x))
#ifdef ALL
#define FUNCTIONS(F) FEW(F) MANY(F)
#else
#define FUNCTIONS(F) FEW(F)
#endif

enum function {
#define F(name, bound, x0, x1, y0, y1, expression) f_##name,
    FUNCTIONS(F)
#undef F
        functions
};

__global__ void evaluate(int n, const double *xs, const double *ys, double *out, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = xs[i], y = ys[i], r = 0;
    switch (which) {
#define F(name, bound, x0, x1, y0, y1, expression)                                                                     \
    case f_##name: r = expression; break;
        FUNCTIONS(F)
#undef F
    }
    out[i] = r;
}

// What is special, and what moves bits: comparisons, conversions, signs, infinities, memory.
__global__ void special(const double *x, double *out, long long *bits)
{
    out[0] = x[0] / x[1];                       // 1 / 0
    out[1] = -x[0] / x[1];                      // -1 / 0
    out[2] = x[1] / x[1];                       // 0 / 0
    out[3] = x[2] * x[2];                       // beyond float's range
    out[4] = sqrt(-x[0]);
    out[5] = fmin(x[0], out[2]);
    out[6] = floor(x[3]) + 10 * ceil(x[3]) + 100 * trunc(x[3]) + 1000 * rint(x[3]);
    out[7] = x[4];                              // all 53 bits, only moved
    out[8] = copysign(x[3], -x[0]) + fabs(-x[3]);
    out[9] = (double)(int)x[5] + (double)(float)x[0];
    out[10] = exp(x[6]);                        // 1000: infinite
    out[11] = exp(-x[6]);                       // 0
    bits[0] = __double_as_longlong(x[4]);
    bits[1] = (long long)x[5];
    bits[2] = (x[0] < x[2]) + 2 * (x[1] == -x[1]) + 4 * (out[2] != out[2]) + 8 * (x[2] >= x[0]);
    bits[3] = __double_as_longlong(x[3] + 6755399441055744.0) & 0xff; // the way to an integer by 1.5 * 2^52
}

static double uniform(unsigned long long *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 9007199254740992.0;
}

template <class T> static void managed(T **p, size_t bytes)
{
    cudaError_t e = cudaMallocManaged(p, bytes);
    if (e != cudaSuccess) {
        printf("cudaMallocManaged: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const int n = 1024 * (argc > 1 ? atoi(argv[1]) : 1);
    static const struct {
        const char *name;
        double bound, x0, x1, y0, y1;
    } rows[] = {
#define F(name, bound, x0, x1, y0, y1, expression) {#name, bound, x0, x1, y0, y1},
        FUNCTIONS(F)
#undef F
    };
    double *x, *y, *out;
    long long *bits;
    managed(&x, n * sizeof *x);
    managed(&y, n * sizeof *y);
    managed(&out, n * sizeof *out);
    managed(&bits, 4 * sizeof *bits);
    unsigned long long state = 88172645463325252ull;
    int bad = 0;
    for (int f = 0; f < functions; f++) {
        for (int i = 0; i < n; i++) {
            x[i] = rows[f].x0 + (rows[f].x1 - rows[f].x0) * uniform(&state);
            y[i] = rows[f].y0 + (rows[f].y1 - rows[f].y0) * uniform(&state);
            // 46 bits: what a pair holds without rounding, so that the error is the function's
            x[i] = ldexp(rint(ldexp(x[i], 25)), -25);
            y[i] = ldexp(rint(ldexp(y[i], 25)), -25);
        }
        evaluate<<<(n + 127) / 128, 128>>>(n, x, y, out, f);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return printf("%s\n", cudaGetErrorString(cudaGetLastError())), 1;
        double worst = 0, at = 0;
        for (int i = 0; i < n; i++) {
            double X = x[i], Y = y[i], want = 0;
            switch (f) {
#define F(name, bound, x0, x1, y0, y1, expression)                                                                     \
    case f_##name: {                                                                                                   \
        double x = X, y = Y;                                                                                           \
        (void)y;                                                                                                       \
        want = expression;                                                                                             \
        break;                                                                                                         \
    }
                FUNCTIONS(F)
#undef F
            }
            double e = want == out[i] ? 0 : fabs((out[i] - want) / want) * 281474976710656.0;
            if (!(e <= worst)) {
                worst = e;
                at = X;
            }
        }
        if (argc > 1)
            printf("| `%s` | %d | %.3g to %.3g | %.2f | %g | %.17g |\n", rows[f].name, n, rows[f].x0, rows[f].x1, worst,
                   rows[f].bound, at);
        if (!(worst <= rows[f].bound)) {
            printf("%s: %g, bound %g, at %.17g\n", rows[f].name, worst, rows[f].bound, at);
            bad++;
        }
    }
    const double given[] = {1, 0, 1e30, 2.5, 0x1.23456789abcdep+0, -7.75, 1000};
    memcpy(x, given, sizeof given);
    special<<<1, 1>>>(x, out, bits);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    const double want[] = {INFINITY, -INFINITY, NAN, INFINITY, NAN, 1, 2 + 30 + 200 + 2000, given[4], 0, -6, INFINITY, 0};
    for (int i = 0; i < 12; i++)
        if (!(out[i] == want[i] || (out[i] != out[i] && want[i] != want[i])) && ++bad)
            printf("special %d: %g, expected %g\n", i, out[i], want[i]);
    long long same;
    memcpy(&same, &given[4], sizeof same);
    const long long expected[] = {same, -7, 1 + 2 + 4 + 8, 2};
    for (int i = 0; i < 4; i++)
        if (llabs(bits[i] - expected[i]) > (i == 0 ? 16 : 0) && ++bad) // a function's argument has 48 bits
            printf("bits %d: %lld, expected %lld\n", i, bits[i], expected[i]);
    printf(bad ? "%d wrong\n" : "ok\n", bad);
    return bad != 0;
}
