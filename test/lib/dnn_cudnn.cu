// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcudnn
// cuDNN's calls: descriptors, layouts, scalars, workspaces and what is refused, against loops in double; gradients against differences.
#include "cudnn_check.h"

#define WRONG(status, call) CHECK((call) == CUDNN_STATUS_##status)

static cudnnHandle_t handle;
static const float one = 1, zero = 0;

template <class T> struct kind;
template <> struct kind<float> {
    static const cudnnDataType_t type = CUDNN_DATA_FLOAT;
};
template <> struct kind<double> {
    static const cudnnDataType_t type = CUDNN_DATA_DOUBLE;
};
template <> struct kind<__half> {
    static const cudnnDataType_t type = CUDNN_DATA_HALF;
};

/* A tensor n, c, h, w whose numbers are in that order on the host, however they lie on the device. */
template <class T> struct tensor {
    cudnnTensorDescriptor_t d;
    int dim[4];
    bool last; /* channels last */
    array<T> a;
    tensor(int n, int c, int h, int w, bool channels_last = false) : dim{n, c, h, w}, last(channels_last), a((size_t)n * c * h * w)
    {
        NN(cudnnCreateTensorDescriptor(&d));
        NN(cudnnSetTensor4dDescriptor(d, last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, kind<T>::type, n, c, h, w));
    }
    tensor(const numbers &v, int n, int c, int h, int w, bool channels_last = false) : tensor(n, c, h, w, channels_last) { put(v); }
    ~tensor() { cudnnDestroyTensorDescriptor(d); }
    size_t place(size_t i) const /* on the device */
    {
        const size_t w = i % dim[3], h = i / dim[3] % dim[2], c = i / dim[3] / dim[2] % dim[1], n = i / dim[3] / dim[2] / dim[1];
        return last ? ((n * dim[2] + h) * dim[3] + w) * dim[1] + c : i;
    }
    void put(const numbers &v)
    {
        numbers t(v.size());
        for (size_t i = 0; i < v.size(); i++)
            t[place(i)] = v[i];
        a.put(t);
    }
    numbers get() const
    {
        const numbers t = a.get();
        numbers v(t.size());
        for (size_t i = 0; i < v.size(); i++)
            v[i] = t[place(i)];
        return v;
    }
};

/* ---- convolutions ---- */
struct shape {
    int n, c, h, w, k, r, s, pad, stride, dilation, groups;
    bool flip;
    int oh() const { return (h + 2 * pad - ((r - 1) * dilation + 1)) / stride + 1; }
    int ow() const { return (w + 2 * pad - ((s - 1) * dilation + 1)) / stride + 1; }
};
static numbers convolved(const shape &p, const numbers &x, const numbers &f)
{
    numbers y((size_t)p.n * p.k * p.oh() * p.ow());
    const int each = p.c / p.groups, out = p.k / p.groups;
    size_t o = 0;
    for (int n = 0; n < p.n; n++)
        for (int k = 0; k < p.k; k++)
            for (int i = 0; i < p.oh(); i++)
                for (int j = 0; j < p.ow(); j++, o++)
                    for (int c = 0; c < each; c++)
                        for (int r = 0; r < p.r; r++)
                            for (int s = 0; s < p.s; s++) {
                                const int a = i * p.stride - p.pad + r * p.dilation, b = j * p.stride - p.pad + s * p.dilation;
                                if (a >= 0 && a < p.h && b >= 0 && b < p.w)
                                    y[o] += x[((n * p.c + k / out * each + c) * p.h + a) * p.w + b] *
                                            f[((k * each + c) * p.r + (p.flip ? p.r - 1 - r : r)) * p.s + (p.flip ? p.s - 1 - s : s)];
                            }
    return y;
}
template <class T> static void convolutions(const shape &p, bool last)
{
    typedef typename std::conditional<std::is_same<T, double>::value, double, float>::type S;
    const S half = 0.5, two = 2, unit = 1, none = 0;
    const int each = p.c / p.groups;
    const numbers x = rounded<T>(some((size_t)p.n * p.c * p.h * p.w)), f = rounded<T>(some((size_t)p.k * each * p.r * p.s)),
                  dy = rounded<T>(some((size_t)p.n * p.k * p.oh() * p.ow())), start = rounded<T>(some(dy.size()));
    tensor<T> dx(x, p.n, p.c, p.h, p.w, last), ddy(dy, p.n, p.k, p.oh(), p.ow(), last), y(p.n, p.k, p.oh(), p.ow(), last), gx(p.n, p.c, p.h, p.w, last);
    tensor<T> df(f, p.k, each, p.r, p.s, last), gf(p.k, each, p.r, p.s, last); /* a filter lies as a tensor does */
    cudnnFilterDescriptor_t fd;
    cudnnConvolutionDescriptor_t cd;
    NN(cudnnCreateFilterDescriptor(&fd));
    NN(cudnnSetFilter4dDescriptor(fd, kind<T>::type, last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW, p.k, each, p.r, p.s));
    NN(cudnnCreateConvolutionDescriptor(&cd));
    NN(cudnnSetConvolution2dDescriptor(cd, p.pad, p.pad, p.stride, p.stride, p.dilation, p.dilation, p.flip ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION,
                                       sizeof(T) == 8 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
    NN(cudnnSetConvolutionGroupCount(cd, p.groups));
    NN(cudnnSetConvolutionMathType(cd, CUDNN_FMA_MATH)); /* not TF32, which the default allows */
    int n, c, h, w;
    NN(cudnnGetConvolution2dForwardOutputDim(cd, dx.d, fd, &n, &c, &h, &w));
    CHECK(n == p.n && c == p.k && h == p.oh() && w == p.ow());
    const numbers want = convolved(p, x, f), wx = differences(x, dy, [&](const numbers &v) { return convolved(p, v, f); }, 1),
                  wf = differences(f, dy, [&](const numbers &v) { return convolved(p, x, v); }, 1);
    numbers blended(want);
    for (size_t i = 0; i < want.size(); i++)
        blended[i] = 0.5 * want[i] + 2 * start[i];
    const double tolerance = 30 * number<T>::eps();
    for (int algo = 0; algo < 3; algo++) {
        size_t bytes;
        void *space;
        NN(cudnnGetConvolutionForwardWorkspaceSize(handle, dx.d, fd, cd, y.d, (cudnnConvolutionFwdAlgo_t)algo, &bytes));
        CUDA(cudaMalloc(&space, bytes + 1));
        y.put(start);
        NN(cudnnConvolutionForward(handle, &half, dx.d, dx.a.p, fd, df.a.p, cd, (cudnnConvolutionFwdAlgo_t)algo, space, bytes, &two, y.d, y.a.p));
        same("forward", y.get(), blended, tolerance);
        if (bytes) /* too small */
            CHECK(cudnnConvolutionForward(handle, &half, dx.d, dx.a.p, fd, df.a.p, cd, (cudnnConvolutionFwdAlgo_t)algo, space, bytes - 1, &two, y.d, y.a.p));
        CUDA(cudaFree(space));
        NN(cudnnGetConvolutionBackwardDataWorkspaceSize(handle, fd, ddy.d, cd, gx.d, (cudnnConvolutionBwdDataAlgo_t)algo, &bytes));
        CUDA(cudaMalloc(&space, bytes + 1));
        NN(cudnnConvolutionBackwardData(handle, &unit, fd, df.a.p, ddy.d, ddy.a.p, cd, (cudnnConvolutionBwdDataAlgo_t)algo, space, bytes, &none, gx.d, gx.a.p));
        same("data", gx.get(), wx, tolerance);
        CUDA(cudaFree(space));
        NN(cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, dx.d, ddy.d, cd, fd, (cudnnConvolutionBwdFilterAlgo_t)algo, &bytes));
        CUDA(cudaMalloc(&space, bytes + 1));
        NN(cudnnConvolutionBackwardFilter(handle, &unit, dx.d, dx.a.p, ddy.d, ddy.a.p, cd, (cudnnConvolutionBwdFilterAlgo_t)algo, space, bytes, &none, fd, gf.a.p));
        same("filter", gf.get(), wf, tolerance);
        CUDA(cudaFree(space));
    }
    /* Its bias, and the fused form: y = relu(conv + 2 z + bias). */
    const numbers b = rounded<T>(some(p.k)), z = rounded<T>(some(want.size()));
    tensor<T> db(b, 1, p.k, 1, 1), gb(1, p.k, 1, 1), dz(z, p.n, p.k, p.oh(), p.ow(), last);
    NN(cudnnConvolutionBackwardBias(handle, &unit, ddy.d, ddy.a.p, &none, gb.d, gb.a.p));
    numbers sums(p.k), fused(want);
    for (size_t i = 0; i < dy.size(); i++) {
        const size_t k = i / (p.oh() * p.ow()) % p.k;
        sums[k] += dy[i];
        fused[i] = fmax(0, want[i] + 2 * z[i] + b[k]);
    }
    same("bias", gb.get(), sums, tolerance);
    cudnnActivationDescriptor_t relu;
    NN(cudnnCreateActivationDescriptor(&relu));
    NN(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));
    NN(cudnnConvolutionBiasActivationForward(handle, &unit, dx.d, dx.a.p, fd, df.a.p, cd, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &two, dz.d, dz.a.p,
                                             db.d, db.a.p, relu, y.d, y.a.p));
    same("fused", y.get(), fused, tolerance);
    y.put(z); /* z is y */
    NN(cudnnConvolutionBiasActivationForward(handle, &unit, dx.d, dx.a.p, fd, df.a.p, cd, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &two, y.d, y.a.p,
                                             db.d, db.a.p, relu, y.d, y.a.p));
    same("fused in place", y.get(), fused, tolerance);
    /* What would be chosen. */
    int count = 0, most;
    cudnnConvolutionFwdAlgoPerf_t perf[8];
    cudnnConvolutionBwdDataAlgoPerf_t data[8];
    cudnnConvolutionBwdFilterAlgoPerf_t filter[8];
    NN(cudnnGetConvolutionForwardAlgorithmMaxCount(handle, &most));
    NN(cudnnGetConvolutionForwardAlgorithm_v7(handle, dx.d, fd, cd, y.d, 8, &count, perf));
    CHECK(count >= 1 && count <= most && perf[0].status == CUDNN_STATUS_SUCCESS && perf[0].determinism == CUDNN_DETERMINISTIC);
    NN(cudnnFindConvolutionForwardAlgorithm(handle, dx.d, fd, cd, y.d, 8, &count, perf));
    CHECK(count == 2 && perf[0].status == CUDNN_STATUS_SUCCESS && perf[0].time >= 0 && perf[0].time <= perf[1].time && perf[0].algo != perf[1].algo);
    NN(cudnnFindConvolutionBackwardDataAlgorithm(handle, fd, ddy.d, cd, gx.d, 1, &count, data));
    CHECK(count == 1 && data[0].status == CUDNN_STATUS_SUCCESS && data[0].time >= 0);
    NN(cudnnFindConvolutionBackwardFilterAlgorithmEx(handle, dx.d, dx.a.p, ddy.d, ddy.a.p, cd, fd, gf.a.p, 8, &count, filter, nullptr, 0));
    CHECK(count == 2 && filter[0].status == CUDNN_STATUS_SUCCESS && filter[0].memory == 0);
    same("filter, while it is timed", gf.get(), wf, tolerance);
    /* A result of another size, a group that does not divide. */
    tensor<T> small(p.n, p.k, p.oh() + 1, p.ow(), last);
    WRONG(BAD_PARAM, cudnnConvolutionForward(handle, &unit, dx.d, dx.a.p, fd, df.a.p, cd, CUDNN_CONVOLUTION_FWD_ALGO_GEMM, nullptr, 0, &none, small.d, small.a.p));
    NN(cudnnDestroyActivationDescriptor(relu));
    NN(cudnnDestroyConvolutionDescriptor(cd));
    NN(cudnnDestroyFilterDescriptor(fd));
}

/* ---- layers ---- */
static void activations()
{
    static const cudnnActivationMode_t modes[] = {CUDNN_ACTIVATION_SIGMOID, CUDNN_ACTIVATION_RELU, CUDNN_ACTIVATION_TANH,    CUDNN_ACTIVATION_CLIPPED_RELU,
                                                  CUDNN_ACTIVATION_ELU,     CUDNN_ACTIVATION_SWISH, CUDNN_ACTIVATION_IDENTITY};
    cudnnActivationDescriptor_t d;
    NN(cudnnCreateActivationDescriptor(&d));
    for (cudnnActivationMode_t m : modes) {
        const double coef = 1.5;
        auto f = [&](const numbers &v) {
            numbers y(v);
            for (double &x : y)
                x = m == CUDNN_ACTIVATION_SIGMOID ? 1 / (1 + exp(-x)) : m == CUDNN_ACTIVATION_RELU ? fmax(x, 0) : m == CUDNN_ACTIVATION_TANH ? tanh(x)
                    : m == CUDNN_ACTIVATION_CLIPPED_RELU ? fmin(fmax(x, 0), coef) : m == CUDNN_ACTIVATION_ELU ? (x > 0 ? x : coef * (exp(x) - 1))
                    : m == CUDNN_ACTIVATION_SWISH ? x / (1 + exp(-x)) : x;
            return y;
        };
        NN(cudnnSetActivationDescriptor(d, m, CUDNN_PROPAGATE_NAN, coef));
        const numbers x = rounded<float>(some(60, 3)), dy = rounded<float>(some(60));
        tensor<float> dx(x, 2, 3, 2, 5), y(2, 3, 2, 5, true), ddy(dy, 2, 3, 2, 5), g(2, 3, 2, 5);
        NN(cudnnActivationForward(handle, d, &one, dx.d, dx.a.p, &zero, y.d, y.a.p)); /* into another layout */
        same("activation", y.get(), f(x), 1e-6);
        NN(cudnnActivationBackward(handle, d, &one, y.d, y.a.p, ddy.d, ddy.a.p, dx.d, dx.a.p, &zero, g.d, g.a.p));
        same("activation backward", g.get(), differences(x, dy, f, 1e-6), 1e-5);
    }
    NN(cudnnDestroyActivationDescriptor(d));
}
static void softmaxes()
{
    const int n = 2, c = 5, s = 6;
    for (int mode = 0; mode < 2; mode++)
        for (int last = 0; last < 2; last++) {
            auto f = [&](const numbers &v) {
                numbers y(v.size());
                auto group = [&](size_t i) { return mode == CUDNN_SOFTMAX_MODE_INSTANCE ? i / (c * s) : i / (c * s) * s + i % s; };
                numbers sum(n * s);
                for (size_t i = 0; i < v.size(); i++)
                    sum[group(i)] += exp(v[i]);
                for (size_t i = 0; i < v.size(); i++)
                    y[i] = v[i] - log(sum[group(i)]);
                return y;
            };
            const numbers x = rounded<float>(some(n * c * s, 2)), dy = rounded<float>(some(n * c * s));
            tensor<float> dx(x, n, c, 2, 3, last), y(n, c, 2, 3, last), ddy(dy, n, c, 2, 3, last), g(n, c, 2, 3, last);
            const cudnnStatus_t r = cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_LOG, (cudnnSoftmaxMode_t)mode, &one, dx.d, dx.a.p, &zero, y.d, y.a.p);
            CHECK(r == CUDNN_STATUS_SUCCESS || (last && mode == CUDNN_SOFTMAX_MODE_INSTANCE && r == CUDNN_STATUS_NOT_SUPPORTED));
            if (r)
                continue;
            same("softmax", y.get(), f(x), 1e-6);
            NN(cudnnSoftmaxBackward(handle, CUDNN_SOFTMAX_LOG, (cudnnSoftmaxMode_t)mode, &one, y.d, y.a.p, ddy.d, ddy.a.p, &zero, g.d, g.a.p));
            same("softmax backward", g.get(), differences(x, dy, f), 1e-5);
        }
}
static void pools()
{
    const int n = 2, c = 3, h = 5, w = 6, oh = 3, ow = 3;
    cudnnPoolingDescriptor_t d;
    NN(cudnnCreatePoolingDescriptor(&d));
    for (int mode = 0; mode < 4; mode++)
        for (int last = 0; last < 2; last++) {
            auto f = [&](const numbers &v) {
                numbers y(n * c * oh * ow);
                for (int i = 0; i < (int)y.size(); i++) {
                    double top = -1e30, sum = 0, count = 0;
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 2; b++) {
                            const int p = i / ow % oh * 2 - 1 + a, q = i % ow * 2 + b;
                            if (p >= 0 && p < h && q >= 0 && q < w) {
                                const double x = v[(i / (oh * ow) * h + p) * w + q];
                                top = fmax(top, x);
                                sum += x;
                                count++;
                            }
                        }
                    y[i] = mode % 3 == 0 ? top : mode == 1 ? sum / 6 : sum / count;
                }
                return y;
            };
            NN(cudnnSetPooling2dDescriptor(d, (cudnnPoolingMode_t)mode, CUDNN_PROPAGATE_NAN, 3, 2, 1, 0, 2, 2));
            const numbers x = rounded<float>(some(n * c * h * w)), dy = rounded<float>(some(n * c * oh * ow));
            tensor<float> dx(x, n, c, h, w, last), y(n, c, oh, ow, last), ddy(dy, n, c, oh, ow, last), g(n, c, h, w, last);
            int a, b, e, k;
            NN(cudnnGetPooling2dForwardOutputDim(d, dx.d, &a, &b, &e, &k));
            CHECK(a == n && b == c && e == oh && k == ow);
            NN(cudnnPoolingForward(handle, d, &one, dx.d, dx.a.p, &zero, y.d, y.a.p));
            same("pooling", y.get(), f(x), 1e-6);
            NN(cudnnPoolingBackward(handle, d, &one, y.d, y.a.p, ddy.d, ddy.a.p, dx.d, dx.a.p, &zero, g.d, g.a.p));
            same("pooling backward", g.get(), differences(x, dy, f, 1e-7), 1e-5);
        }
    NN(cudnnDestroyPoolingDescriptor(d));
}
template <class T> static void batches(cudnnBatchNormMode_t mode, bool last)
{
    const int n = 4, c = 3, s = 6;
    const double epsilon = 1e-3;
    const bool each = mode == CUDNN_BATCHNORM_PER_ACTIVATION;
    const int channels = each ? c * s : c;
    auto channel = [&](size_t i) { return each ? i % (c * s) : i / s % c; };
    const numbers x = rounded<T>(some(n * c * s)), dy = rounded<T>(some(n * c * s)), gamma = rounded<float>(some(channels)), beta = rounded<float>(some(channels)),
                  z = rounded<T>(some(n * c * s));
    auto f = [&](const numbers &v, const numbers &g, const numbers &b) {
        numbers mean(channels), square(channels), y(v.size());
        const double count = (double)v.size() / channels;
        for (size_t i = 0; i < v.size(); i++)
            mean[channel(i)] += v[i] / count;
        for (size_t i = 0; i < v.size(); i++)
            square[channel(i)] += pow(v[i] - mean[channel(i)], 2) / count;
        for (size_t i = 0; i < v.size(); i++)
            y[i] = (v[i] - mean[channel(i)]) / sqrt(square[channel(i)] + epsilon) * g[channel(i)] + b[channel(i)];
        return y;
    };
    tensor<T> dx(x, n, c, 2, 3, last), y(n, c, 2, 3, last), ddy(dy, n, c, 2, 3, last), g(n, c, 2, 3, last), dz(z, n, c, 2, 3, last), gz(n, c, 2, 3, last);
    cudnnTensorDescriptor_t pd;
    NN(cudnnCreateTensorDescriptor(&pd));
    NN(cudnnDeriveBNTensorDescriptor(pd, dx.d, mode));
    array<float> dg(gamma), db(beta), mean(channels), inverse(channels), gg(channels), gb(channels);
    const double tolerance = 20 * number<T>::eps();
    NN(cudnnBatchNormalizationForwardTraining(handle, mode, &one, &zero, dx.d, dx.a.p, y.d, y.a.p, pd, dg.p, db.p, 1, nullptr, nullptr, epsilon, mean.p, inverse.p));
    same("batch norm", y.get(), f(x, gamma, beta), tolerance);
    for (int saved = 0; saved < 2; saved++) {
        NN(cudnnBatchNormalizationBackward(handle, mode, &one, &zero, &one, &zero, dx.d, dx.a.p, ddy.d, ddy.a.p, g.d, g.a.p, pd, dg.p, gg.p, gb.p, epsilon,
                                           saved ? mean.p : nullptr, saved ? inverse.p : nullptr));
        same("batch norm backward", g.get(), differences(x, dy, [&](const numbers &v) { return f(v, gamma, beta); }), 4 * tolerance + 1e-6);
        same("its scale", gg.get(), differences(gamma, dy, [&](const numbers &v) { return f(x, v, beta); }), 4 * tolerance + 1e-6);
        same("its bias", gb.get(), differences(beta, dy, [&](const numbers &v) { return f(x, gamma, v); }), 4 * tolerance + 1e-6);
    }
    /* relu(norm + z), and back. */
    cudnnActivationDescriptor_t relu;
    NN(cudnnCreateActivationDescriptor(&relu));
    NN(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0));
    const cudnnBatchNormOps_t ops = CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
    NN(cudnnBatchNormalizationForwardTrainingEx(handle, mode, ops, &one, &zero, dx.d, dx.a.p, dz.d, dz.a.p, y.d, y.a.p, pd, dg.p, db.p, 1, nullptr, nullptr, epsilon,
                                                mean.p, inverse.p, relu, nullptr, 0, nullptr, 0));
    auto fused = [&](const numbers &v, const numbers &add) {
        numbers r = f(v, gamma, beta);
        for (size_t i = 0; i < r.size(); i++)
            r[i] = fmax(0, r[i] + add[i]);
        return r;
    };
    same("fused", y.get(), fused(x, z), tolerance);
    NN(cudnnBatchNormalizationBackwardEx(handle, mode, ops, &one, &zero, &one, &zero, dx.d, dx.a.p, y.d, y.a.p, ddy.d, ddy.a.p, gz.d, gz.a.p, g.d, g.a.p, pd, dg.p, db.p,
                                         gg.p, gb.p, epsilon, mean.p, inverse.p, relu, nullptr, 0, nullptr, 0));
    same("fused backward", g.get(), differences(x, dy, [&](const numbers &v) { return fused(v, z); }, 1e-6), 4 * tolerance + 1e-5);
    same("what was added", gz.get(), differences(z, dy, [&](const numbers &v) { return fused(x, v); }, 1e-6), 4 * tolerance + 1e-5);
    NN(cudnnDestroyActivationDescriptor(relu));
    NN(cudnnDestroyTensorDescriptor(pd));
}
static void responses()
{
    const int n = 2, c = 7, s = 4;
    const double alpha = 0.3, beta = 0.75, k = 2;
    cudnnLRNDescriptor_t d;
    NN(cudnnCreateLRNDescriptor(&d));
    for (int size = 4; size < 6; size++) {
        auto f = [&](const numbers &v) {
            numbers y(v.size());
            for (int i = 0; i < n * c * s; i++) {
                const int at = i / s % c;
                double sum = 0;
                for (int j = at - (size - 1) / 2; j <= at + size / 2; j++)
                    if (j >= 0 && j < c)
                        sum += pow(v[i + (j - at) * s], 2);
                y[i] = v[i] / pow(k + alpha / size * sum, beta);
            }
            return y;
        };
        NN(cudnnSetLRNDescriptor(d, size, alpha, beta, k));
        const numbers x = rounded<float>(some(n * c * s, 2)), dy = rounded<float>(some(n * c * s));
        tensor<float> dx(x, n, c, 2, 2), y(n, c, 2, 2), ddy(dy, n, c, 2, 2), g(n, c, 2, 2);
        NN(cudnnLRNCrossChannelForward(handle, d, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, dx.d, dx.a.p, &zero, y.d, y.a.p));
        same("local response", y.get(), f(x), 2e-6);
        NN(cudnnLRNCrossChannelBackward(handle, d, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, y.d, y.a.p, ddy.d, ddy.a.p, dx.d, dx.a.p, &zero, g.d, g.a.p));
        same("local response backward", g.get(), differences(x, dy, f), 1e-5);
    }
    WRONG(BAD_PARAM, cudnnSetLRNDescriptor(d, 17, alpha, beta, k));
    NN(cudnnDestroyLRNDescriptor(d));
}
static void tensors()
{
    const numbers x = rounded<float>(some(60)), b = rounded<float>(some(3));
    tensor<float> dx(x, 2, 3, 2, 5), bias(b, 1, 3, 1, 1), y(x, 2, 3, 2, 5, true);
    const float two = 2, half = 0.5f;
    NN(cudnnAddTensor(handle, &two, bias.d, bias.a.p, &half, y.d, y.a.p));
    numbers want(60);
    for (int i = 0; i < 60; i++)
        want[i] = 2 * b[i / 10 % 3] + 0.5 * x[i];
    same("add", y.get(), want, 1e-6);
    cudnnOpTensorDescriptor_t op;
    NN(cudnnCreateOpTensorDescriptor(&op));
    NN(cudnnSetOpTensorDescriptor(op, CUDNN_OP_TENSOR_MAX, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN));
    NN(cudnnOpTensor(handle, op, &two, dx.d, dx.a.p, &half, bias.d, bias.a.p, &zero, y.d, y.a.p));
    for (int i = 0; i < 60; i++)
        want[i] = fmax(2 * x[i], 0.5 * b[i / 10 % 3]);
    same("op", y.get(), want, 1e-6);
    NN(cudnnTransformTensor(handle, &one, y.d, y.a.p, &zero, dx.d, dx.a.p));
    same("transform", dx.get(), want, 1e-6);
    NN(cudnnScaleTensor(handle, dx.d, dx.a.p, &two));
    for (double &w : want)
        w *= 2;
    same("scale", dx.get(), want, 1e-6);
    NN(cudnnSetTensor(handle, dx.d, dx.a.p, &half));
    same("set", dx.get(), numbers(60, 0.5), 0);
    /* Over the places of each channel. */
    cudnnReduceTensorDescriptor_t r;
    NN(cudnnCreateReduceTensorDescriptor(&r));
    NN(cudnnSetReduceTensorDescriptor(r, CUDNN_REDUCE_TENSOR_MAX, CUDNN_DATA_FLOAT, CUDNN_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_FLATTENED_INDICES, CUDNN_32BIT_INDICES));
    tensor<float> small(2, 3, 1, 1);
    y.put(x);
    size_t bytes;
    NN(cudnnGetReductionIndicesSize(handle, r, y.d, small.d, &bytes));
    CHECK(bytes == 6 * sizeof(unsigned));
    plain_array<unsigned> index(std::vector<unsigned>(6));
    NN(cudnnReduceTensor(handle, r, index.p, bytes, nullptr, 0, &two, y.d, y.a.p, &zero, small.d, small.a.p));
    numbers top(6, -1e30);
    std::vector<unsigned> where(6);
    for (int i = 0; i < 60; i++)
        if (2 * x[i] > top[i / 10]) {
            top[i / 10] = 2 * x[i];
            where[i / 10] = i % 10;
        }
    same("reduce", small.get(), top, 1e-6);
    CHECK(index.get() == where);
    NN(cudnnDestroyReduceTensorDescriptor(r));
    NN(cudnnDestroyOpTensorDescriptor(op));
    WRONG(BAD_PARAM, cudnnSetTensor4dDescriptor(dx.d, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 0, 1, 1, 1));
    WRONG(NOT_SUPPORTED, cudnnSetTensor4dDescriptor(dx.d, CUDNN_TENSOR_NCHW_VECT_C, CUDNN_DATA_INT8x4, 1, 4, 1, 1));
}
static void dropout()
{
    const int n = 1000;
    cudnnDropoutDescriptor_t d;
    NN(cudnnCreateDropoutDescriptor(&d));
    size_t bytes, reserve;
    void *states, *mask;
    NN(cudnnDropoutGetStatesSize(handle, &bytes));
    CUDA(cudaMalloc(&states, bytes));
    NN(cudnnSetDropoutDescriptor(d, handle, 0.25f, states, bytes, 42));
    tensor<float> x(numbers(n, 3), 1, n, 1, 1), y(1, n, 1, 1), z(1, n, 1, 1), g(1, n, 1, 1);
    NN(cudnnDropoutGetReserveSpaceSize(x.d, &reserve));
    CUDA(cudaMalloc(&mask, reserve));
    NN(cudnnDropoutForward(handle, d, x.d, x.a.p, y.d, y.a.p, mask, reserve));
    NN(cudnnDropoutBackward(handle, d, x.d, x.a.p, g.d, g.a.p, mask, reserve));
    same("the same are dropped", g.get(), y.get(), 0);
    int kept = 0;
    for (double v : y.get()) {
        CHECK(v == 0 || fabs(v - 4) < 1e-6);
        kept += v != 0;
    }
    CHECK(kept > 700 && kept < 800);
    NN(cudnnDropoutForward(handle, d, x.d, x.a.p, z.d, z.a.p, mask, reserve));
    CHECK(z.get() != y.get()); /* others, the next time */
    NN(cudnnSetDropoutDescriptor(d, handle, 0.25f, states, bytes, 42));
    NN(cudnnDropoutForward(handle, d, x.d, x.a.p, z.d, z.a.p, mask, reserve));
    CHECK(z.get() == y.get()); /* the same from the same seed */
    CUDA(cudaFree(states));
    CUDA(cudaFree(mask));
    NN(cudnnDestroyDropoutDescriptor(d));
}

/* ---- spatial transformers: theta to samples, and both ways back ---- */
static void transformers()
{
    const int n = 2, c = 2, h = 4, w = 5, oh = 3, ow = 4;
    auto f = [&](const numbers &x, const numbers &theta) {
        numbers y(n * c * oh * ow);
        for (int i = 0; i < (int)y.size(); i++) {
            const int o = i % (oh * ow), image = i / (c * oh * ow);
            const double u = -1 + 2.0 * (o % ow) / (ow - 1), v = -1 + 2.0 * (o / ow) / (oh - 1);
            const double *m = &theta[image * 6];
            const double px = (m[0] * u + m[1] * v + m[2] + 1) * (w - 1) / 2, py = (m[3] * u + m[4] * v + m[5] + 1) * (h - 1) / 2;
            for (int a = (int)floor(py); a <= (int)floor(py) + 1; a++)
                for (int b = (int)floor(px); b <= (int)floor(px) + 1; b++)
                    if (a >= 0 && a < h && b >= 0 && b < w)
                        y[i] += (1 - fabs(py - a)) * (1 - fabs(px - b)) * x[(i / (oh * ow) * h + a) * w + b];
        }
        return y;
    };
    const numbers x = rounded<float>(some(n * c * h * w)), theta = rounded<float>(some(n * 6, 0.6)), dy = rounded<float>(some(n * c * oh * ow));
    cudnnSpatialTransformerDescriptor_t d;
    const int dim[] = {n, c, oh, ow};
    NN(cudnnCreateSpatialTransformerDescriptor(&d));
    NN(cudnnSetSpatialTransformerNdDescriptor(d, CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_FLOAT, 4, dim));
    tensor<float> dx(x, n, c, h, w, true), y(n, c, oh, ow), ddy(dy, n, c, oh, ow), gx(n, c, h, w, true);
    array<float> dt(theta), grid(n * oh * ow * 2), dgrid(n * oh * ow * 2), gt(n * 6);
    NN(cudnnSpatialTfGridGeneratorForward(handle, d, dt.p, grid.p));
    NN(cudnnSpatialTfSamplerForward(handle, d, &one, dx.d, dx.a.p, grid.p, &zero, y.d, y.a.p));
    same("samples", y.get(), f(x, theta), 2e-6);
    NN(cudnnSpatialTfSamplerBackward(handle, d, &one, dx.d, dx.a.p, &zero, gx.d, gx.a.p, &one, ddy.d, ddy.a.p, grid.p, &zero, dgrid.p));
    NN(cudnnSpatialTfGridGeneratorBackward(handle, d, dgrid.p, gt.p));
    same("sampled image", gx.get(), differences(x, dy, [&](const numbers &v) { return f(v, theta); }, 1), 1e-5);
    same("theta", gt.get(), differences(theta, dy, [&](const numbers &v) { return f(x, v); }, 1e-6), 1e-4);
    NN(cudnnDestroySpatialTransformerDescriptor(d));
}

/* ---- temporal classification: all ways through few steps, one by one ---- */
static void temporal()
{
    const int steps = 5, batch = 3, classes = 3;
    const std::vector<int> labels = {1, 2, 2, 2, 1}, lengths = {2, 2, 1}, inputs = {5, 4, 3};
    auto f = [&](const numbers &x) {
        numbers cost(batch);
        int first = 0;
        for (int b = 0; b < batch; b++) {
            double sum = 0;
            int ways = 1;
            for (int t = 0; t < inputs[b]; t++)
                ways *= classes;
            for (int way = 0; way < ways; way++) {
                std::vector<int> text;
                double p = 1;
                int last = 0, rest = way;
                for (int t = 0; t < inputs[b]; t++) {
                    const int k = rest % classes;
                    rest /= classes;
                    double all = 0;
                    for (int j = 0; j < classes; j++)
                        all += exp(x[(t * batch + b) * classes + j]);
                    p *= exp(x[(t * batch + b) * classes + k]) / all;
                    if (k && k != last)
                        text.push_back(k);
                    last = k;
                }
                if (text == std::vector<int>(labels.begin() + first, labels.begin() + first + lengths[b]))
                    sum += p;
            }
            cost[b] = -log(sum);
            first += lengths[b];
        }
        return cost;
    };
    const numbers x = rounded<float>(some(steps * batch * classes, 2));
    cudnnTensorDescriptor_t td;
    cudnnCTCLossDescriptor_t d;
    const int dim[] = {steps, batch, classes}, step[] = {batch * classes, classes, 1};
    NN(cudnnCreateTensorDescriptor(&td));
    NN(cudnnSetTensorNdDescriptor(td, CUDNN_DATA_FLOAT, 3, dim, step));
    NN(cudnnCreateCTCLossDescriptor(&d));
    NN(cudnnSetCTCLossDescriptor(d, CUDNN_DATA_FLOAT));
    array<float> dx(x), costs(batch), g(steps * batch * classes);
    NN(cudnnCTCLoss(handle, td, dx.p, labels.data(), lengths.data(), inputs.data(), costs.p, td, g.p, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, d, nullptr, 0));
    same("costs", costs.get(), f(x), 2e-6);
    const numbers want = differences(x, numbers(batch, 1), f);
    same("their gradients", g.get(), want, 2e-5);
    /* Labels on the device. */
    plain_array<int> l(labels), ll(lengths), il(inputs);
    NN(cudnnSetCTCLossDescriptor_v9(d, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_CTC_ZERO_OOB_GRADIENTS, 4));
    g.put(numbers(steps * batch * classes, 9));
    NN(cudnnCTCLoss_v8(handle, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, d, td, dx.p, l.p, ll.p, il.p, costs.p, td, g.p, 0, nullptr));
    same("their gradients", g.get(), want, 2e-5);
    NN(cudnnDestroyCTCLossDescriptor(d));
    NN(cudnnDestroyTensorDescriptor(td));
}

int main()
{
    NN(cudnnCreate(&handle));
    int major;
    NN(cudnnGetProperty(MAJOR_VERSION, &major));
    CHECK(major == CUDNN_MAJOR && cudnnGetVersion() == CUDNN_VERSION);
    CHECK(!strcmp(cudnnGetErrorString(CUDNN_STATUS_NOT_SUPPORTED), "CUDNN_STATUS_NOT_SUPPORTED"));
    const shape plain = {2, 3, 7, 6, 4, 3, 2, 1, 1, 1, 1, false}, groups = {2, 4, 6, 7, 8, 3, 3, 1, 2, 1, 2, true}, wide = {1, 2, 9, 8, 5, 2, 3, 2, 1, 2, 1, false};
    convolutions<float>(plain, false);
    convolutions<float>(groups, true);
    activations();
    pools();
    tensors();
    if (!slow_device()) {
        convolutions<float>(wide, false);
        convolutions<double>(groups, false);
        convolutions<__half>(plain, true);
        softmaxes();
        batches<float>(CUDNN_BATCHNORM_SPATIAL, false);
        batches<float>(CUDNN_BATCHNORM_SPATIAL, true);
        batches<float>(CUDNN_BATCHNORM_PER_ACTIVATION, false);
        batches<__half>(CUDNN_BATCHNORM_SPATIAL_PERSISTENT, true);
        responses();
        transformers();
        temporal();
        dropout();
    }
    WRONG(NOT_INITIALIZED, cudnnSetStream(nullptr, nullptr));
    NN(cudnnDestroy(handle));
    puts("ok");
}
