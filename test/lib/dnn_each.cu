// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lterndnn
// Elements: each activation, loss, operation and reduction against its formula in double, each derivative against differences, softmax,
// cross-entropy, products.
#include "dnn.h"

static terndnnHandle_t handle;
typedef long long integer;

/* ---- formulas, as papers have them ---- */
static double sigma(double x) { return 1 / (1 + exp(-x)); }
static double plus(double x) { return log1p(exp(x)); }
static double activation(int k, double x, double p, double q)
{
    switch (k) {
    case TERNDNN_ACTIVATION_IDENTITY: return x;
    case TERNDNN_ACTIVATION_RELU: return fmax(x, 0);
    case TERNDNN_ACTIVATION_CLIPPED_RELU: return fmin(fmax(x, 0), p);
    case TERNDNN_ACTIVATION_LEAKY_RELU: return fmax(x, 0) + p * fmin(x, 0);
    case TERNDNN_ACTIVATION_ELU: return x > 0 ? x : p * (exp(x) - 1);
    case TERNDNN_ACTIVATION_CELU: return fmax(x, 0) + fmin(0, p * (exp(x / p) - 1));
    case TERNDNN_ACTIVATION_SELU: return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * (exp(x) - 1));
    case TERNDNN_ACTIVATION_SIGMOID: return sigma(x);
    case TERNDNN_ACTIVATION_HARDSIGMOID: return fmin(fmax(x + 3, 0), 6) / 6;
    case TERNDNN_ACTIVATION_LOGSIGMOID: return log(sigma(x));
    case TERNDNN_ACTIVATION_TANH: return tanh(x);
    case TERNDNN_ACTIVATION_HARDTANH: return fmin(fmax(x, p), q);
    case TERNDNN_ACTIVATION_GELU: return x * 0.5 * erfc(-x / sqrt(2));
    case TERNDNN_ACTIVATION_GELU_TANH: return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * pow(x, 3))));
    case TERNDNN_ACTIVATION_QUICK_GELU: return x * sigma(1.702 * x);
    case TERNDNN_ACTIVATION_SILU: return x * sigma(x);
    case TERNDNN_ACTIVATION_SWISH: return x * sigma(p * x);
    case TERNDNN_ACTIVATION_SOFTPLUS: return p * x > q ? x : plus(p * x) / p;
    case TERNDNN_ACTIVATION_SOFTSIGN: return x / (1 + fabs(x));
    case TERNDNN_ACTIVATION_MISH: return x * tanh(plus(x));
    case TERNDNN_ACTIVATION_HARDSWISH: return x * fmin(fmax(x + 3, 0), 6) / 6;
    case TERNDNN_ACTIVATION_HARDSHRINK: return x > p || x < -p ? x : 0;
    case TERNDNN_ACTIVATION_SOFTSHRINK: return x > p ? x - p : x < -p ? x + p : 0;
    case TERNDNN_ACTIVATION_TANHSHRINK: return x - tanh(x);
    case TERNDNN_ACTIVATION_THRESHOLD: return x > p ? x : q;
    case TERNDNN_ACTIVATION_RELU_SQUARED: return pow(fmax(x, 0), 2);
    }
    CHECK(!"an activation without a formula");
    return 0;
}
static double loss(int k, double x, double t, double p, double q)
{
    const double d = x - t, m = p - t * x, r = sigma(x);
    switch (k) {
    case TERNDNN_LOSS_SQUARED: return d * d;
    case TERNDNN_LOSS_ABSOLUTE: return fabs(d);
    case TERNDNN_LOSS_SMOOTH_ABSOLUTE: return fabs(d) < p ? d * d / (2 * p) : fabs(d) - p / 2;
    case TERNDNN_LOSS_HUBER: return fabs(d) < p ? d * d / 2 : p * (fabs(d) - p / 2);
    case TERNDNN_LOSS_LOG_COSH: return log(cosh(d));
    case TERNDNN_LOSS_BINARY_ENTROPY: return -t * log(x) - (1 - t) * log(1 - x);
    case TERNDNN_LOSS_BINARY_ENTROPY_LOGITS: return -t * log(r) - (1 - t) * log(1 - r);
    case TERNDNN_LOSS_DIVERGENCE: return t * (log(t) - x);
    case TERNDNN_LOSS_POISSON: return exp(x) - t * x;
    case TERNDNN_LOSS_HINGE: return fmax(0, m);
    case TERNDNN_LOSS_SQUARED_HINGE: return pow(fmax(0, m), 2);
    case TERNDNN_LOSS_SOFT_MARGIN: return log(1 + exp(-t * x));
    case TERNDNN_LOSS_QUANTILE: return fmax(p * (t - x), (p - 1) * (t - x));
    case TERNDNN_LOSS_FOCAL: return -q * t * pow(1 - r, p) * log(r) - (1 - q) * (1 - t) * pow(r, p) * log(1 - r);
    }
    CHECK(!"a loss without a formula");
    return 0;
}

template <class T> static void activations(int from, int step)
{
    const integer n = 257;
    const double tolerance = 8 * number<T>::eps();
    for (int k = from; k < TERNDNN_ACTIVATION_COUNT; k += step) {
        double p = 0.6, q = 0.9;
        if (k == TERNDNN_ACTIVATION_HARDTANH)
            p = -0.7;
        if (k == TERNDNN_ACTIVATION_CLIPPED_RELU)
            p = 2.5;
        numbers x = rounded<T>(some(n, 6));
        const numbers dy = rounded<T>(some(n));
        auto f = [&](double v) { return activation(k, v, p, q); };
        for (double &v : x) /* not where the slope jumps: narrow numbers lie there */
            if (fabs(f(v + 1e-6) + f(v - 1e-6) - 2 * f(v)) > 1e-8)
                v = 1.25;
        array<T> dx(x), ddy(dy), y(n), g(n);
        numbers want(n), slope(n);
        for (integer i = 0; i < n; i++) {
            want[i] = activation(k, x[i], p, q);
            slope[i] = dy[i] * (activation(k, x[i] + 1e-6, p, q) - activation(k, x[i] - 1e-6, p, q)) / 2e-6;
        }
        DNN(terndnnActivationForward(handle, number<T>::type(), (terndnnActivation_t)k, p, q, n, dx.p, y.p));
        same("activation", y.get(), want, tolerance);
        DNN(terndnnActivationBackward(handle, number<T>::type(), (terndnnActivation_t)k, p, q, n, dx.p, ddy.p, g.p));
        same("its derivative", g.get(), slope, tolerance + 1e-9);
    }
}

static void gates()
{
    const integer n = 33;
    const numbers a = some(n, 3), b = some(n), dy = some(n);
    array<double> da(a), db(b), dd(dy), y(n), ga(n), gb(n);
    DNN(terndnnGateForward(handle, CUDA_R_64F, TERNDNN_ACTIVATION_SILU, 0, 0, n, da.p, db.p, y.p));
    DNN(terndnnGateBackward(handle, CUDA_R_64F, TERNDNN_ACTIVATION_SILU, 0, 0, n, da.p, db.p, dd.p, ga.p, gb.p));
    numbers want(n), wa(n), wb(n);
    for (integer i = 0; i < n; i++) {
        want[i] = a[i] * sigma(a[i]) * b[i];
        wa[i] = dy[i] * b[i] * (sigma(a[i]) + a[i] * sigma(a[i]) * (1 - sigma(a[i])));
        wb[i] = dy[i] * a[i] * sigma(a[i]);
    }
    same("gate", y.get(), want, 1e-14);
    same("gate by a", ga.get(), wa, 1e-13);
    same("gate by b", gb.get(), wb, 1e-14);
    FAILS(INVALID_VALUE, terndnnGateBackward(handle, CUDA_R_64F, TERNDNN_ACTIVATION_SILU, 0, 0, n, da.p, db.p, dd.p, da.p, gb.p));
}

template <class T> static void losses(int from, int step)
{
    const integer n = 131;
    const cudaDataType type = number<T>::type();
    for (int k = from; k < TERNDNN_LOSS_COUNT; k += step) {
        const double p = k == TERNDNN_LOSS_FOCAL ? 2 : 0.7, q = 0.25;
        const bool probability = k == TERNDNN_LOSS_BINARY_ENTROPY || k == TERNDNN_LOSS_DIVERGENCE;
        numbers x = rounded<T>(k == TERNDNN_LOSS_BINARY_ENTROPY ? some(n, 0.45, 0.5) : some(n, 2)), t = rounded<T>(some(n, 0.45, 0.5)), want(n), slope(n);
        for (integer i = 0; i < n; i++) {
            if (!probability && k >= TERNDNN_LOSS_HINGE && k <= TERNDNN_LOSS_SOFT_MARGIN)
                t[i] = i % 2 ? 1 : -1;
            want[i] = loss(k, x[i], t[i], p, q);
            slope[i] = (loss(k, x[i] + 1e-6, t[i], p, q) - loss(k, x[i] - 1e-6, t[i], p, q)) / 2e-6;
        }
        array<T> dx(x), dt(t), each(n), one(1), g(n);
        const double tolerance = 16 * number<T>::eps();
        DNN(terndnnLossForward(handle, type, (terndnnLoss_t)k, p, q, TERNDNN_LOSS_EACH, n, dx.p, dt.p, each.p));
        same("loss", each.get(), want, tolerance);
        DNN(terndnnLossForward(handle, type, (terndnnLoss_t)k, p, q, TERNDNN_LOSS_MEAN, n, dx.p, dt.p, one.p));
        double sum = 0;
        for (double w : want)
            sum += w;
        same("mean loss", one.get(), {sum / n}, tolerance);
        DNN(terndnnLossBackward(handle, type, (terndnnLoss_t)k, p, q, TERNDNN_LOSS_EACH, n, dx.p, dt.p, nullptr, g.p));
        same("slope of a loss", g.get(), slope, tolerance + 1e-8);
        array<T> two(numbers{2});
        DNN(terndnnLossBackward(handle, type, (terndnnLoss_t)k, p, q, TERNDNN_LOSS_MEAN, n, dx.p, dt.p, two.p, g.p));
        for (double &s : slope)
            s *= 2.0 / n;
        same("slope of a mean loss", g.get(), slope, tolerance + 1e-8);
    }
}

template <class T> static void softmax()
{
    const integer outer = 3, axis = 45, inner = 2, n = outer * axis * inner;
    const double tolerance = 8 * number<T>::eps();
    for (int logarithm = 0; logarithm < 2; logarithm++) {
        const numbers x = rounded<T>(some(n, 5)), dy = rounded<T>(some(n));
        auto f = [&](const numbers &v) {
            numbers y(n);
            for (integer o = 0; o < outer; o++)
                for (integer i = 0; i < inner; i++) {
                    double sum = 0;
                    for (integer k = 0; k < axis; k++)
                        sum += exp(v[(o * axis + k) * inner + i]);
                    for (integer k = 0; k < axis; k++) {
                        const integer at = (o * axis + k) * inner + i;
                        y[at] = logarithm ? v[at] - log(sum) : exp(v[at]) / sum;
                    }
                }
            return y;
        };
        array<T> dx(x), ddy(dy), y(n), g(n);
        DNN(terndnnSoftmaxForward(handle, number<T>::type(), logarithm, outer, axis, inner, dx.p, y.p));
        same("softmax", y.get(), f(x), tolerance);
        DNN(terndnnSoftmaxBackward(handle, number<T>::type(), logarithm, outer, axis, inner, y.p, ddy.p, g.p));
        same("softmax backward", g.get(), differences(x, dy, f), 4 * tolerance + 1e-8);
    }
}

template <class T> static void entropy()
{
    const integer rows = 5, classes = 37;
    const std::vector<int> labels = {3, 36, -100, 0, 11};
    const numbers x = rounded<T>(some(rows * classes, 4));
    const double smoothing = 0.1;
    auto f = [&](const numbers &v) {
        numbers y(rows);
        for (integer r = 0; r < rows; r++) {
            double sum = 0, all = 0;
            for (integer k = 0; k < classes; k++)
                sum += exp(v[r * classes + k]);
            for (integer k = 0; k < classes; k++)
                all += (smoothing / classes + (k == labels[r] ? 1 - smoothing : 0)) * (log(sum) - v[r * classes + k]);
            y[r] = labels[r] < 0 ? 0 : all;
        }
        return y;
    };
    typedef typename std::conditional<std::is_same<T, double>::value, double, float>::type W;
    array<T> dx(x), g(rows * classes);
    array<W> losses(rows);
    plain_array<int> l(labels);
    DNN(terndnnCrossEntropyForward(handle, number<T>::type(), rows, classes, dx.p, l.p, -100, smoothing, losses.p));
    same("cross-entropy", losses.get(), f(x), 8 * number<W>::eps());
    DNN(terndnnCrossEntropyBackward(handle, number<T>::type(), rows, classes, dx.p, l.p, -100, smoothing, 0.25, nullptr, g.p));
    same("cross-entropy backward", g.get(), differences(x, numbers(rows, 0.25), f), 8 * number<T>::eps() + 1e-8);
}

static double reduced(int kind, const numbers &v)
{
    double sum = 0, product = 1, squares = 0, absolute = 0, low = v[0], high = v[0], top = 0, nonzero = 1;
    for (double x : v) {
        sum += x;
        product *= x;
        squares += x * x;
        absolute += fabs(x);
        low = fmin(low, x);
        high = fmax(high, x);
        top = fmax(top, fabs(x));
        nonzero *= x != 0 ? x : 1;
    }
    switch (kind) {
    case TERNDNN_REDUCE_SUM: return sum;
    case TERNDNN_REDUCE_PRODUCT: return product;
    case TERNDNN_REDUCE_MINIMUM: return low;
    case TERNDNN_REDUCE_MAXIMUM: return high;
    case TERNDNN_REDUCE_ABSOLUTE_MAXIMUM: return top;
    case TERNDNN_REDUCE_MEAN: return sum / v.size();
    case TERNDNN_REDUCE_NORM1: return absolute;
    case TERNDNN_REDUCE_NORM2: return sqrt(squares);
    case TERNDNN_REDUCE_PRODUCT_NO_ZEROS: return nonzero;
    }
    CHECK(!"a reduction without a formula");
    return 0;
}
static void reductions()
{
    const integer outer = 3, axis = 301, inner = 2;
    numbers x = some(outer * axis * inner, 0.3, 1);
    x[77] = 0;
    x[180] = x[190] = 5; /* equal extremes: the first */
    array<double> dx(x), y(outer * inner);
    plain_array<unsigned> index(std::vector<unsigned>(outer * inner));
    for (int k = 0; k < TERNDNN_REDUCE_COUNT; k++) {
        DNN(terndnnReduce(handle, CUDA_R_64F, (terndnnReduction_t)k, outer, axis, inner, dx.p, y.p, index.p));
        numbers want(outer * inner);
        const std::vector<unsigned> where = index.get();
        for (integer o = 0; o < outer; o++)
            for (integer i = 0; i < inner; i++) {
                numbers line(axis);
                for (integer a = 0; a < axis; a++)
                    line[a] = x[(o * axis + a) * inner + i];
                want[o * inner + i] = reduced(k, line);
                if (k == TERNDNN_REDUCE_MAXIMUM || k == TERNDNN_REDUCE_MINIMUM) {
                    unsigned first = 0;
                    while (line[first] != want[o * inner + i])
                        first++;
                    CHECK(where[o * inner + i] == first);
                }
            }
        same("reduction", y.get(), want, 1e-12);
    }
}

template <class T> static void products()
{
    const integer m = 7, n = 5, k = 13, batch = 3;
    const numbers a = rounded<T>(some(m * k * batch)), b = rounded<T>(some(k * n * batch)), c = rounded<T>(some(m * n * batch));
    for (int ta = 0; ta < 2; ta++)
        for (int tb = 0; tb < 2; tb++) {
            numbers want(c);
            for (integer z = 0; z < batch; z++)
                for (integer i = 0; i < m; i++)
                    for (integer j = 0; j < n; j++) {
                        double s = 0;
                        for (integer l = 0; l < k; l++)
                            s += a[z * m * k + (ta ? l * m + i : i * k + l)] * b[z * k * n + (tb ? j * k + l : l * n + j)];
                        double &w = want[z * m * n + i * n + j];
                        w = 0.5 * s + 2 * w;
                    }
            array<T> da(a), db(b), dc(c);
            DNN(terndnnMatmul(handle, number<T>::type(), ta, tb, m, n, k, 0.5, da.p, db.p, 2, dc.p, batch));
            same("product", dc.get(), want, 8 * number<T>::eps());
        }
}

static void others()
{
    const integer images = 2, channels = 3, places = 5, n = images * channels * places;
    const numbers x = some(n), b = some(channels);
    array<float> y(x), bias(b), db(numbers(channels, 1));
    DNN(terndnnAddBias(handle, CUDA_R_32F, images, channels, places, bias.p, y.p));
    numbers want(n), sums(channels, 2);
    for (integer i = 0; i < n; i++) {
        want[i] = x[i] + b[i / places % channels];
        sums[i / places % channels] += want[i];
    }
    same("bias", y.get(), want, 1e-6);
    DNN(terndnnBiasBackward(handle, CUDA_R_32F, images, channels, places, y.p, 2, db.p));
    same("bias backward", db.get(), sums, 1e-6);
    array<float> z(n);
    DNN(terndnnBinary(handle, CUDA_R_32F, TERNDNN_BINARY_MULTIPLY, n, 2, y.p, 3, y.p, 0, z.p));
    for (double &w : want)
        w = 6 * w * w;
    same("product of elements", z.get(), want, 1e-6);
    FAILS(INVALID_VALUE, terndnnBinary(handle, CUDA_R_32F, TERNDNN_BINARY_COUNT, n, 1, y.p, 1, y.p, 0, z.p));
    FAILS(NOT_SUPPORTED, terndnnBinary(handle, CUDA_C_32F, TERNDNN_BINARY_ADD, n, 1, y.p, 1, y.p, 0, z.p));
    FAILS(NOT_INITIALIZED, terndnnBinary(nullptr, CUDA_R_32F, TERNDNN_BINARY_ADD, n, 1, y.p, 1, y.p, 0, z.p));
}

int main()
{
    DNN(terndnnCreate(&handle));
    activations<float>(0, slow_device() ? 5 : 1);
    activations<double>(0, slow_device() ? 9 : 3);
    losses<float>(0, slow_device() ? 5 : 1);
    gates();
    softmax<float>();
    entropy<float>();
    others();
    products<float>();
    if (!slow_device()) {
        activations<__half>(1, 6);
        activations<__nv_bfloat16>(2, 6);
        losses<double>(0, 3);
        softmax<double>();
        softmax<__half>();
        entropy<double>();
        entropy<__nv_bfloat16>();
        products<double>();
        products<__half>();
        reductions();
    }
    DNN(terndnnDestroy(handle));
    puts("ok");
}
