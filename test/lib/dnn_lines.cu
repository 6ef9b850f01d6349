// OPTIONS: -I../..
// NOT ON: vulkan: its kernels are not these
/* Softmax and normalisation by lines in registers, and elements 16 bytes at a time: launched by hand so that other devices than GPUs
 * run them, too, against sums in double. Lines that fill their threads and lines that do not; more lines than threads, and fewer. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "device/dnn/each.h"
#include "device/dnn/lines.h"

static double as_double(__half v) { return __half2float(v); }
static double as_double(float v) { return v; }
static double as_double(double v) { return v; }
static void check(bool right, const char *what)
{
    if (right)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}
template <class T> struct array {
    std::vector<T> host;
    T *device;
    array(size_t n, bool fill = true) : host(n)
    {
        for (auto &v : host)
            v = (T)(float)(fill ? rand() % 2001 / 500.0 - 2 : NAN);
        check(!cudaMalloc((void **)&device, n * sizeof(T)), "memory");
        check(!cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    ~array() { cudaFree(device); }
    double operator[](size_t i) const { return as_double(host[i]); }
};
template <class T> static void same(const char *what, array<T> &got, const std::vector<double> &want, double tolerance)
{
    check(!cudaMemcpy(got.host.data(), got.device, got.host.size() * sizeof(T), cudaMemcpyDeviceToHost), what);
    for (size_t i = 0; i < want.size(); i++)
        if (!(fabs(got[i] - want[i]) <= tolerance * (1 + fabs(want[i])))) {
            printf("%s: [%zu of %zu] is %g, not %g\n", what, i, want.size(), got[i], want[i]);
            exit(1);
        }
}

template <class T, int WIDTH, int CHUNKS> static void lines(long long n, int length, double tolerance)
{
    typedef typename wide_of<T>::type A;
    const int threads = WIDTH > DNN_THREADS ? WIDTH : DNN_THREADS, blocks = 3;
    array<T> x(n * length), dy(n * length), y(n * length, false), l(n * length, false), dx(n * length, false);
    array<A> gamma(length), beta(length), means(n, false), inverses(n, false), dgamma(length, false), dbeta(length, false), parts(2 * 2 * length, false);
    std::vector<double> soft(n * length), logs(n * length), back(n * length), log_back(n * length), norm(n * length), norm_back(n * length), rms(n * length), dg(length), db(length);
    for (long long r = 0; r < n; r++) {
        const size_t at = r * length;
        double sum = 0, mean = 0, variance = 0, square = 0, dot = 0, all = 0, s = 0, m = 0;
        for (int i = 0; i < length; i++) {
            sum += exp(x[at + i]);
            mean += x[at + i] / length;
            square += x[at + i] * x[at + i] / length;
        }
        for (int i = 0; i < length; i++) {
            soft[at + i] = exp(x[at + i]) / sum;
            logs[at + i] = x[at + i] - log(sum);
            variance += (x[at + i] - mean) * (x[at + i] - mean) / length;
            all += dy[at + i];
        }
        const double inverse = 1 / sqrt(variance + 0.01), inverse_rms = 1 / sqrt(square + 0.01);
        for (int i = 0; i < length; i++) {
            dot += soft[at + i] * dy[at + i];
            const double u = (x[at + i] - mean) * inverse;
            norm[at + i] = u * gamma[i] + beta[i];
            rms[at + i] = x[at + i] * inverse_rms * gamma[i];
            dg[i] += dy[at + i] * u;
            db[i] += dy[at + i];
            s += dy[at + i] * gamma[i] / length;
            m += dy[at + i] * gamma[i] * u / length;
        }
        for (int i = 0; i < length; i++) {
            back[at + i] = soft[at + i] * (dy[at + i] - dot);
            log_back[at + i] = dy[at + i] - soft[at + i] * all;
            norm_back[at + i] = inverse * (dy[at + i] * gamma[i] - s - (x[at + i] - mean) * inverse * m);
        }
    }
    line_softmax<T, WIDTH, CHUNKS, 0><<<blocks, threads>>>(n, length, x.device, y.device);
    same("softmax", y, soft, tolerance);
    line_softmax<T, WIDTH, CHUNKS, 1><<<blocks, threads>>>(n, length, x.device, l.device);
    same("its logarithm", l, logs, tolerance);
    line_softmax_back<T, WIDTH, CHUNKS, 0><<<blocks, threads>>>(n, length, y.device, dy.device, dx.device);
    same("softmax, back", dx, back, 8 * tolerance);
    line_softmax_back<T, WIDTH, CHUNKS, 1><<<blocks, threads>>>(n, length, l.device, dy.device, dx.device);
    same("its logarithm, back", dx, log_back, 32 * tolerance);
    line_norm<T, WIDTH, CHUNKS, 1><<<blocks, threads>>>(n, length, 0.01, x.device, gamma.device, nullptr, y.device, nullptr, nullptr);
    same("rms", y, rms, 4 * tolerance);
    line_norm<T, WIDTH, CHUNKS, 0><<<blocks, threads>>>(n, length, 0.01, x.device, gamma.device, beta.device, y.device, means.device, inverses.device);
    same("norm", y, norm, 4 * tolerance);
    line_params<T, 0><<<dim3((unsigned)(length * sizeof(T) / 512 + 1), 2), DNN_THREADS>>>(n, length, (n + 1) / 2, x.device, dy.device, means.device, inverses.device, parts.device);
    line_params_sum<A><<<2, DNN_THREADS>>>(length, 2, parts.device, dgamma.device, dbeta.device);
    same("gamma", dgamma, dg, 64 * tolerance);
    same("beta", dbeta, db, 64 * tolerance);
    line_norm_back<T, WIDTH, CHUNKS, 0><<<blocks, threads>>>(n, length, x.device, dy.device, gamma.device, means.device, inverses.device, dy.device);
    same("norm, back", dy, norm_back, 32 * tolerance);
}

template <class T> static void elements(int n, double tolerance)
{
    typedef typename wide_of<T>::type A;
    array<T> x(n), y(n);
    std::vector<double> want(n);
    for (int i = 0; i < n; i++)
        want[i] = 2 * x[i] / (1 + exp(-x[i])) + 3 * y[i];
    dnn_each e = {};
    e.count = n;
    e.flat = 1;
    e.out = y.device;
    e.in[0] = x.device;
    e.alpha = 2;
    e.beta = 3;
    each_flat<T, A, forward<A, act_silu<A> > ><<<2, DNN_THREADS>>>(e);
    same("elements", y, want, tolerance);
    e.beta = 0;
    if (sizeof(T) > 2)
        return;
    for (int i = 0; i < n; i++)
        want[i] = x[i] * erfc(-x[i] * sqrt(0.5));
    each_flat<T, brief, forward<brief, act_gelu<brief> > ><<<2, DNN_THREADS>>>(e);
    same("gelu", y, want, tolerance);
    for (int i = 0; i < n; i++) /* dy is x, too */
        want[i] = x[i] * (erfc(-x[i] * sqrt(0.5)) + 2 * x[i] * exp(-x[i] * x[i] / 2) * 0.3989422804);
    e.in[1] = x.device;
    each_flat<T, brief, backward<brief, act_gelu<brief> > ><<<2, DNN_THREADS>>>(e);
    same("gelu, back", y, want, tolerance);
    for (int i = 0; i < n; i++)
        want[i] = 2 * x[i] / (1 + exp(-x[i]));
    each_flat<T, brief, forward<brief, act_silu<brief> > ><<<2, DNN_THREADS>>>(e);
    same("silu", y, want, tolerance);
}

int main()
{
    lines<__half, 8, 1>(37, 56, 2e-3);
    lines<float, 32, 2>(13, 252, 2e-6);
    lines<double, 128, 2>(7, 412, 2e-14);
    lines<__half, 256, 1>(5, 1992, 2e-3);
    elements<__half>(4099, 2e-3);
    elements<double>(1001, 1e-14);
    puts("ok");
}
