// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lcudnn
// cuDNN's recurrent networks against loops in double: every cell, both directions, layers, sequences of different lengths in each layout; gradients of
// inputs, states and weights against differences.
#include "cudnn_check.h"

static cudnnHandle_t handle;
struct net {
    cudnnRNNMode_t mode;
    cudnnRNNBiasMode_t bias;
    int layers, dirs, in, size, batch, steps;
    cudnnRNNDataLayout_t layout;
    std::vector<int> lengths;
    int gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
    int inputs(int layer) const { return layer ? dirs * size : in; }
};
/* Where weights are, as the library says: matrices and biases of each pseudo-layer and gate, in elements; -1: none. */
struct places {
    std::vector<std::vector<long>> matrix, bias;
};
static double logistic(double x) { return 1 / (1 + exp(-x)); }

/* x is [steps][batch][in]; y [steps][batch][dirs * size], then the last states h, then c. */
static numbers recur(const net &n, const places &p, const numbers &x0, const numbers &hx, const numbers &cx, const numbers &w)
{
    numbers x = x0, hy(hx), cy(cx);
    const int g = n.gates(), S = n.size;
    for (int l = 0; l < n.layers; l++) {
        numbers y((size_t)n.steps * n.batch * n.dirs * S);
        const int I = n.inputs(l);
        for (int d = 0; d < n.dirs; d++)
            for (int b = 0; b < n.batch; b++) {
                const int ps = l * n.dirs + d, len = n.lengths[b];
                double *h = &hy[(ps * n.batch + b) * S], *c = &cy[(ps * n.batch + b) * S];
                for (int k = 0; k < len; k++) {
                    const int t = d ? len - 1 - k : k;
                    numbers a(g * S), r(g * S), next(S);
                    for (int q = 0; q < g; q++)
                        for (int j = 0; j < S; j++) {
                            for (int i = 0; i < I; i++)
                                a[q * S + j] += w[p.matrix[ps][q] + j * I + i] * x[((size_t)t * n.batch + b) * I + i];
                            for (int i = 0; i < S; i++)
                                r[q * S + j] += w[p.matrix[ps][g + q] + j * S + i] * h[i];
                            if (p.bias[ps][q] >= 0)
                                a[q * S + j] += w[p.bias[ps][q] + j];
                            if (p.bias[ps][g + q] >= 0)
                                r[q * S + j] += w[p.bias[ps][g + q] + j];
                        }
                    for (int j = 0; j < S; j++) {
                        if (n.mode == CUDNN_LSTM) {
                            c[j] = logistic(a[S + j] + r[S + j]) * c[j] + logistic(a[j] + r[j]) * tanh(a[2 * S + j] + r[2 * S + j]);
                            next[j] = logistic(a[3 * S + j] + r[3 * S + j]) * tanh(c[j]);
                        } else if (n.mode == CUDNN_GRU) {
                            const double z = logistic(a[S + j] + r[S + j]);
                            next[j] = (1 - z) * tanh(a[2 * S + j] + logistic(a[j] + r[j]) * r[2 * S + j]) + z * h[j];
                        } else {
                            next[j] = n.mode == CUDNN_RNN_TANH ? tanh(a[j] + r[j]) : fmax(0, a[j] + r[j]);
                        }
                    }
                    for (int j = 0; j < S; j++)
                        y[((size_t)t * n.batch + b) * n.dirs * S + d * S + j] = h[j] = next[j];
                }
            }
        x = y;
    }
    x.insert(x.end(), hy.begin(), hy.end());
    if (n.mode == CUDNN_LSTM)
        x.insert(x.end(), cy.begin(), cy.end());
    return x;
}
/* Between [steps][batch][size] and the layout; padding is 0. */
static numbers laid(const net &n, const numbers &v, int size, bool back)
{
    numbers out(n.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && back ? (size_t)n.steps * n.batch * size : v.size());
    size_t packed = 0;
    for (int t = 0; t < n.steps; t++)
        for (int b = 0; b < n.batch; b++) {
            if (t >= n.lengths[b])
                continue;
            const size_t plain = ((size_t)t * n.batch + b) * size;
            const size_t there = n.layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED ? ((size_t)b * n.steps + t) * size
                                 : n.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED   ? packed
                                                                                        : plain;
            packed += size;
            for (int i = 0; i < size; i++)
                out[back ? plain + i : there + i] = v[back ? there + i : plain + i];
        }
    return out;
}
template <class T> struct type_of;
template <> struct type_of<float> {
    static const cudnnDataType_t value = CUDNN_DATA_FLOAT;
};
template <> struct type_of<double> {
    static const cudnnDataType_t value = CUDNN_DATA_DOUBLE;
};

template <class T> static void check(const net &n)
{
    cudnnRNNDescriptor_t d;
    cudnnRNNDataDescriptor_t xd, yd;
    cudnnTensorDescriptor_t hd, md, bd;
    cudnnDropoutDescriptor_t drop;
    NN(cudnnCreateRNNDescriptor(&d));
    NN(cudnnCreateRNNDataDescriptor(&xd));
    NN(cudnnCreateRNNDataDescriptor(&yd));
    NN(cudnnCreateTensorDescriptor(&hd));
    NN(cudnnCreateTensorDescriptor(&md));
    NN(cudnnCreateTensorDescriptor(&bd));
    NN(cudnnCreateDropoutDescriptor(&drop));
    NN(cudnnSetDropoutDescriptor(drop, handle, 0, nullptr, 0, 0));
    NN(cudnnSetRNNDescriptor_v8(d, CUDNN_RNN_ALGO_STANDARD, n.mode, n.bias, n.dirs == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
                                type_of<T>::value, type_of<T>::value, CUDNN_DEFAULT_MATH, n.in, n.size, n.size, n.layers, drop, CUDNN_RNN_PADDED_IO_ENABLED));
    NN(cudnnSetRNNDataDescriptor(xd, type_of<T>::value, n.layout, n.steps, n.batch, n.in, n.lengths.data(), nullptr));
    NN(cudnnSetRNNDataDescriptor(yd, type_of<T>::value, n.layout, n.steps, n.batch, n.dirs * n.size, n.lengths.data(), nullptr));
    const int dim[] = {n.layers * n.dirs, n.batch, n.size}, step[] = {n.batch * n.size, n.size, 1};
    NN(cudnnSetTensorNdDescriptor(hd, type_of<T>::value, 3, dim, step));
    size_t weight_bytes, work, reserve;
    NN(cudnnGetRNNWeightSpaceSize(handle, d, &weight_bytes));
    NN(cudnnGetRNNTempSpaceSizes(handle, d, CUDNN_FWD_MODE_TRAINING, xd, &work, &reserve));
    const size_t nw = weight_bytes / sizeof(T), nh = (size_t)n.layers * n.dirs * n.batch * n.size, nx = (size_t)n.steps * n.batch * n.in,
                 ny = (size_t)n.steps * n.batch * n.dirs * n.size;
    const numbers w = rounded<T>(some(nw, 0.7)), hx = rounded<T>(some(nh)), cx = rounded<T>(some(nh));
    const numbers x = laid(n, laid(n, rounded<T>(some(nx)), n.in, false), n.in, true); /* nothing where sequences have ended */
    array<T> dw(w), dhx(hx), dcx(cx), dx(laid(n, x, n.in, false)), y(ny), hy(nh), cy(nh), gx(nx), ghx(nh), gcx(nh), gw(numbers(nw, 0));
    void *space, *kept;
    CUDA(cudaMalloc(&space, work + 1));
    CUDA(cudaMalloc(&kept, reserve));
    places p;
    size_t counted = 0;
    for (int ps = 0; ps < n.layers * n.dirs; ps++) {
        p.matrix.emplace_back();
        p.bias.emplace_back();
        for (int lin = 0; lin < 2 * n.gates(); lin++) {
            void *m, *b;
            int dims, size[3], steps[3];
            cudnnDataType_t type;
            NN(cudnnGetRNNWeightParams(handle, d, ps, weight_bytes, dw.p, lin, md, &m, bd, &b));
            NN(cudnnGetTensorNdDescriptor(md, 3, &type, &dims, size, steps));
            CHECK(dims == 3 && size[0] == 1 && size[1] == n.size && size[2] == (lin < n.gates() ? n.inputs(ps / n.dirs) : n.size));
            p.matrix[ps].push_back((T *)m - dw.p);
            p.bias[ps].push_back(b ? (T *)b - dw.p : -1);
            counted += (size_t)size[1] * size[2] + (b ? n.size : 0);
        }
    }
    CHECK(counted == nw);
    const bool lstm = n.mode == CUDNN_LSTM;
    const double tolerance = 60 * number<T>::eps();
    auto result = [&]() {
        numbers r = laid(n, y.get(), n.dirs * n.size, true);
        const numbers h = hy.get(), c = cy.get();
        r.insert(r.end(), h.begin(), h.end());
        if (lstm)
            r.insert(r.end(), c.begin(), c.end());
        return r;
    };
    const numbers want = recur(n, p, x, hx, cx, w);
    NN(cudnnRNNForward(handle, d, CUDNN_FWD_MODE_INFERENCE, nullptr, xd, dx.p, yd, y.p, hd, dhx.p, hy.p, hd, dcx.p, cy.p, weight_bytes, dw.p, work, space, 0, nullptr));
    same("inference", result(), want, tolerance);
    NN(cudnnRNNForward(handle, d, CUDNN_FWD_MODE_TRAINING, nullptr, xd, dx.p, yd, y.p, hd, dhx.p, hy.p, hd, dcx.p, cy.p, weight_bytes, dw.p, work, space, reserve, kept));
    same("training", result(), want, tolerance);
    const numbers dy = laid(n, laid(n, rounded<T>(some(ny)), n.dirs * n.size, false), n.dirs * n.size, true), dh = rounded<T>(some(nh)), dc = rounded<T>(some(nh));
    numbers weights = dy;
    weights.insert(weights.end(), dh.begin(), dh.end());
    if (lstm)
        weights.insert(weights.end(), dc.begin(), dc.end());
    array<T> ddy(laid(n, dy, n.dirs * n.size, false)), ddh(dh), ddc(dc);
    NN(cudnnRNNBackwardData_v8(handle, d, nullptr, yd, y.p, ddy.p, xd, gx.p, hd, dhx.p, ddh.p, ghx.p, hd, dcx.p, ddc.p, gcx.p, weight_bytes, dw.p, work, space, reserve,
                               kept));
    NN(cudnnRNNBackwardWeights_v8(handle, d, CUDNN_WGRAD_MODE_ADD, nullptr, xd, dx.p, hd, dhx.p, yd, y.p, weight_bytes, gw.p, work, space, reserve, kept));
    const double loose = 8 * tolerance + 1e-7;
    same("x", laid(n, gx.get(), n.in, true), laid(n, laid(n, differences(x, weights, [&](const numbers &v) { return recur(n, p, v, hx, cx, w); }), n.in, false), n.in, true), loose);
    same("hx", ghx.get(), differences(hx, weights, [&](const numbers &v) { return recur(n, p, x, v, cx, w); }), loose);
    if (lstm)
        same("cx", gcx.get(), differences(cx, weights, [&](const numbers &v) { return recur(n, p, x, hx, v, w); }), loose);
    same("weights", gw.get(), differences(w, weights, [&](const numbers &v) { return recur(n, p, x, hx, cx, v); }), loose);
    CUDA(cudaFree(space));
    CUDA(cudaFree(kept));
    NN(cudnnDestroyDropoutDescriptor(drop));
    NN(cudnnDestroyTensorDescriptor(bd));
    NN(cudnnDestroyTensorDescriptor(md));
    NN(cudnnDestroyTensorDescriptor(hd));
    NN(cudnnDestroyRNNDataDescriptor(yd));
    NN(cudnnDestroyRNNDataDescriptor(xd));
    NN(cudnnDestroyRNNDescriptor(d));
}

int main()
{
    NN(cudnnCreate(&handle));
    const std::vector<int> mixed = {4, 3, 1};
    check<double>({CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS, 2, 2, 3, 4, 3, 4, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, mixed});
    check<float>({CUDNN_GRU, CUDNN_RNN_DOUBLE_BIAS, 2, 1, 5, 3, 3, 4, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, mixed});
    if (!slow_device()) {
        check<double>({CUDNN_GRU, CUDNN_RNN_SINGLE_REC_BIAS, 1, 2, 2, 3, 3, 4, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, mixed});
        check<float>({CUDNN_LSTM, CUDNN_RNN_SINGLE_INP_BIAS, 1, 1, 4, 5, 2, 3, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, {3, 2}});
        check<double>({CUDNN_RNN_TANH, CUDNN_RNN_NO_BIAS, 2, 2, 3, 3, 3, 4, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, {2, 4, 1}});
        check<double>({CUDNN_RNN_RELU, CUDNN_RNN_DOUBLE_BIAS, 1, 1, 3, 4, 2, 3, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, {3, 3}});
    }
    NN(cudnnDestroy(handle));
    puts("ok");
}
