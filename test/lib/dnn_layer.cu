// LONG ON: interp: ten seconds and more
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lterndnn
// Layers: normalisation, pooling, convolutions, embeddings and dropout against loops in double, gradients against differences.
#include "dnn.h"

static terndnnHandle_t handle;
typedef long long integer;
template <class T> struct wide {
    typedef float type;
};
template <> struct wide<double> {
    typedef double type;
};

/* ---- normalisation ---- */
static numbers norm(const terndnnNorm_t &k, const numbers &x, const numbers &gamma, const numbers &beta)
{
    const integer n = k.images, c = k.channels, s = k.places;
    const integer groups = k.kind == TERNDNN_NORM_GROUP ? k.groups : k.kind == TERNDNN_NORM_INSTANCE ? c : 1;
    numbers y(x.size());
    auto set_of = [&](integer i) { return k.kind == TERNDNN_NORM_BATCH ? i / s % c : i / (c * s) * groups + i / s % c / (c / groups); };
    const integer sets = k.kind == TERNDNN_NORM_BATCH ? c : n * groups;
    numbers mean(sets), square(sets), count(sets);
    for (integer i = 0; i < (integer)x.size(); i++) {
        mean[set_of(i)] += x[i];
        count[set_of(i)]++;
    }
    for (integer q = 0; q < sets; q++)
        mean[q] = k.kind == TERNDNN_NORM_RMS ? 0 : mean[q] / count[q];
    for (integer i = 0; i < (integer)x.size(); i++)
        square[set_of(i)] += pow(x[i] - mean[set_of(i)], 2);
    for (integer i = 0; i < (integer)x.size(); i++) {
        const integer q = set_of(i);
        y[i] = (x[i] - mean[q]) / sqrt(square[q] / count[q] + k.epsilon) * gamma[i / s % c] + beta[i / s % c];
    }
    return y;
}
template <class T> static void norms(terndnnNorm_t k)
{
    typedef typename wide<T>::type W;
    const integer n = k.images * k.channels * k.places, sets = k.kind == TERNDNN_NORM_BATCH ? k.channels : k.images * k.channels;
    k.epsilon = 1e-3;
    const numbers x = rounded<T>(some(n, 2, 1)), gamma = rounded<W>(some(k.channels)), beta = rounded<W>(some(k.channels)), dy = rounded<T>(some(n));
    array<T> dx(x), ddy(dy), y(n), g(n);
    array<W> dg(gamma), db(beta), means(sets), inverses(sets), gg(k.channels), gb(k.channels);
    const double tolerance = 20 * number<T>::eps();
    DNN(terndnnNormForward(handle, number<T>::type(), &k, dx.p, dg.p, db.p, y.p, means.p, inverses.p, 0, nullptr, nullptr));
    same("norm", y.get(), norm(k, x, gamma, beta), tolerance);
    DNN(terndnnNormBackward(handle, number<T>::type(), &k, dx.p, ddy.p, dg.p, means.p, inverses.p, g.p, gg.p, gb.p));
    same("norm backward", g.get(), differences(x, dy, [&](const numbers &v) { return norm(k, v, gamma, beta); }), 4 * tolerance + 1e-7);
    same("its gamma", gg.get(), differences(gamma, dy, [&](const numbers &v) { return norm(k, x, v, beta); }), 4 * tolerance + 1e-7);
    same("its beta", gb.get(), differences(beta, dy, [&](const numbers &v) { return norm(k, x, gamma, v); }), 4 * tolerance + 1e-7);
}
static void running()
{
    const terndnnNorm_t k = {TERNDNN_NORM_BATCH, 3, 2, 5, 0, 1e-5};
    const numbers x = some(30, 2, 1);
    array<float> dx(x), y(30), mean(numbers{1, 2}), variance(numbers{3, 4}), z(30);
    DNN(terndnnNormForward(handle, CUDA_R_32F, &k, dx.p, nullptr, nullptr, y.p, nullptr, nullptr, 0.25, mean.p, variance.p));
    numbers m(2), v(2), want(30);
    for (int i = 0; i < 30; i++)
        m[i / 5 % 2] += x[i] / 15;
    for (int i = 0; i < 30; i++)
        v[i / 5 % 2] += pow(x[i] - m[i / 5 % 2], 2) / 14;
    for (int c = 0; c < 2; c++) {
        m[c] = 0.75 * (c + 1) + 0.25 * m[c];
        v[c] = 0.75 * (c + 3) + 0.25 * v[c];
    }
    same("running mean", mean.get(), m, 1e-6);
    same("running variance", variance.get(), v, 1e-6);
    DNN(terndnnNormInference(handle, CUDA_R_32F, &k, dx.p, nullptr, nullptr, mean.p, variance.p, z.p));
    for (int i = 0; i < 30; i++)
        want[i] = (x[i] - m[i / 5 % 2]) / sqrt(v[i / 5 % 2] + 1e-5);
    same("with given statistics", z.get(), want, 2e-6);
    terndnnNorm_t wrong = k;
    wrong.kind = TERNDNN_NORM_GROUP;
    wrong.groups = 4;
    FAILS(INVALID_VALUE, terndnnNormForward(handle, CUDA_R_32F, &wrong, dx.p, nullptr, nullptr, y.p, nullptr, nullptr, 0, nullptr, nullptr));
}

/* ---- windows: loops over all of them; f(output place, input place or -1, tap) ---- */
template <class F> static void windows(const int64_t *in, const int64_t *out, const int64_t *size, const int64_t *pad, const int64_t *stride,
                                       const int64_t *dilation, F f)
{
    integer o = 0;
    for (integer z = 0; z < out[0]; z++)
        for (integer y = 0; y < out[1]; y++)
            for (integer x = 0; x < out[2]; x++, o++) {
                integer tap = 0;
                for (integer a = 0; a < size[0]; a++)
                    for (integer b = 0; b < size[1]; b++)
                        for (integer c = 0; c < size[2]; c++, tap++) {
                            const integer i = z * stride[0] - pad[0] + a * dilation[0], j = y * stride[1] - pad[1] + b * dilation[1],
                                          k = x * stride[2] - pad[2] + c * dilation[2];
                            const bool inside = i >= 0 && i < in[0] && j >= 0 && j < in[1] && k >= 0 && k < in[2];
                            f(o, inside ? (i * in[1] + j) * in[2] + k : -1, tap);
                        }
            }
}
static integer volume(const int64_t *v) { return v[0] * v[1] * v[2]; }

static numbers pooled(const terndnnPool_t &p, const numbers &x)
{
    const integer in = volume(p.in), out = volume(p.out), images = p.images * p.channels;
    numbers y(images * out);
    for (integer n = 0; n < images; n++) {
        numbers sum(out), top(out, -1e300), count(out);
        auto add = [&](integer o, integer i, integer) {
            if (i >= 0) {
                sum[o] += x[n * in + i];
                top[o] = fmax(top[o], x[n * in + i]);
                count[o]++;
            }
        };
        if (!p.adaptive) {
            windows(p.in, p.out, p.size, p.pad, p.stride, p.dilation, add);
        } else {
            for (integer o = 0; o < out; o++) {
                const integer at[3] = {o / (p.out[1] * p.out[2]), o / p.out[2] % p.out[1], o % p.out[2]};
                for (integer i = 0; i < in; i++) {
                    const integer place[3] = {i / (p.in[1] * p.in[2]), i / p.in[2] % p.in[1], i % p.in[2]};
                    bool inside = true;
                    for (int d = 0; d < 3; d++)
                        inside = inside && place[d] >= floor((double)at[d] * p.in[d] / p.out[d]) && place[d] < ceil((double)(at[d] + 1) * p.in[d] / p.out[d]);
                    if (inside)
                        add(o, i, 0);
                }
            }
        }
        for (integer o = 0; o < out; o++)
            y[n * out + o] = p.kind == TERNDNN_POOL_MAX ? top[o] : sum[o] / (p.kind == TERNDNN_POOL_AVERAGE || p.adaptive ? count[o] : volume(p.size));
    }
    return y;
}
template <class T> static void pools(terndnnPool_t p)
{
    DNN(terndnnPoolOut(&p));
    const integer in = p.images * p.channels * volume(p.in), out = p.images * p.channels * volume(p.out);
    const numbers x = rounded<T>(some(in)), dy = rounded<T>(some(out));
    array<T> dx(x), ddy(dy), y(out), g(in);
    for (int kind = 0; kind < 3; kind++) {
        p.kind = (terndnnPoolKind_t)kind;
        DNN(terndnnPoolForward(handle, number<T>::type(), &p, dx.p, y.p));
        same("pool", y.get(), pooled(p, x), 4 * number<T>::eps());
        DNN(terndnnPoolBackward(handle, number<T>::type(), &p, dx.p, ddy.p, g.p));
        same("pool backward", g.get(), differences(x, dy, [&](const numbers &v) { return pooled(p, v); }, 1e-7), 8 * number<T>::eps() + 1e-7);
    }
}

static numbers convolved(const terndnnConvolution_t &k, const numbers &x, const numbers &f)
{
    const integer in = volume(k.in), out = volume(k.out), taps = volume(k.size), groups = k.groups ? k.groups : 1;
    const integer each = k.channels / groups, results = k.results / groups;
    numbers y(k.images * k.results * out);
    for (integer n = 0; n < k.images; n++)
        for (integer r = 0; r < k.results; r++)
            for (integer c = 0; c < each; c++)
                windows(k.in, k.out, k.size, k.pad, k.stride, k.dilation, [&](integer o, integer i, integer tap) {
                    if (i >= 0)
                        y[(n * k.results + r) * out + o] += x[(n * k.channels + r / results * each + c) * in + i] *
                                                           f[(r * each + c) * taps + (k.flip ? taps - 1 - tap : tap)];
                });
    return y;
}
/* Convolutions are linear in each operand: a gradient is exact at any step. */
template <class T> static void convolutions(terndnnConvolution_t k)
{
    DNN(terndnnConvolutionOut(&k));
    const integer groups = k.groups ? k.groups : 1, nx = k.images * k.channels * volume(k.in), nf = k.results * (k.channels / groups) * volume(k.size),
                  ny = k.images * k.results * volume(k.out);
    const numbers x = rounded<T>(some(nx)), f = rounded<T>(some(nf)), dy = rounded<T>(some(ny)), start = rounded<T>(some(ny));
    const numbers want = convolved(k, x, f), wx = differences(x, dy, [&](const numbers &v) { return convolved(k, v, f); }, 1),
                  wf = differences(f, dy, [&](const numbers &v) { return convolved(k, x, v); }, 1);
    numbers blended(want);
    for (integer i = 0; i < ny; i++)
        blended[i] = 0.5 * want[i] + 2 * start[i];
    for (int way = 0; way < 6; way++) {
        k.way = (terndnnConvolutionWay_t)(way % 3);
        k.tf32 = way / 3;
        const double tolerance = 30 * (k.tf32 ? std::max(number<T>::eps(), 0x1p-11) : number<T>::eps());
        array<T> dx(x), df(f), ddy(dy), y(start), gx(nx), gf(nf);
        DNN(terndnnConvolutionForward(handle, number<T>::type(), &k, 0.5, dx.p, df.p, 2, y.p));
        same("convolution", y.get(), blended, tolerance);
        DNN(terndnnConvolutionBackwardData(handle, number<T>::type(), &k, 1, df.p, ddy.p, 0, gx.p));
        same("its data", gx.get(), wx, tolerance);
        DNN(terndnnConvolutionBackwardFilter(handle, number<T>::type(), &k, 1, dx.p, ddy.p, 0, gf.p));
        same("its filter", gf.get(), wf, tolerance);
    }
}

/* ---- embeddings and dropout ---- */
static void embeddings()
{
    const integer rows = 7, size = 5, count = 6;
    const std::vector<int> index = {3, 0, 3, 6, 3, 0};
    const numbers table = some(rows * size), dy = some(count * size);
    array<float> dt(table), y(count * size), ddy(dy), g(numbers(rows * size, 1));
    plain_array<int> di(index);
    DNN(terndnnEmbeddingForward(handle, CUDA_R_32F, count, size, rows, di.p, dt.p, y.p));
    DNN(terndnnEmbeddingBackward(handle, CUDA_R_32F, count, size, rows, di.p, ddy.p, 1, g.p));
    numbers want(count * size), sums(rows * size, 1);
    for (integer i = 0; i < count * size; i++) {
        want[i] = table[index[i / size] * size + i % size];
        sums[index[i / size] * size + i % size] += dy[i];
    }
    same("embedding", y.get(), want, 1e-7);
    same("embedding backward", g.get(), sums, 1e-6);
    const std::vector<int> bad = {1, 7};
    plain_array<int> db(bad);
    DNN(terndnnEmbeddingForward(handle, CUDA_R_32F, 2, size, rows, db.p, dt.p, y.p));
    CHECK(!std::isnan(y.get()[0]) && std::isnan(y.get()[size]));
}
/* Philox 4x32-10 once more, from its paper: key the seed, counter the place divided by 4. */
static uint32_t philox(uint64_t seed, uint64_t at, int word)
{
    uint32_t c[4] = {(uint32_t)at, (uint32_t)(at >> 32), 0, 0}, k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int r = 0; r < 10; r++) {
        const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        const uint32_t n[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, n, sizeof c);
        k[0] += 0x9e3779b9;
        k[1] += 0xbb67ae85;
    }
    return c[word];
}
static void dropout()
{
    const integer n = 1003;
    const double p = 0.3;
    const uint64_t seed = 0x123456789abcdefull, offset = 0xfffffffeull;
    const numbers x = some(n), dy = some(n);
    array<float> dx(x), y(n), ddy(dy), g(n);
    plain_array<unsigned char> mask(std::vector<unsigned char>(n, 7));
    DNN(terndnnDropoutForward(handle, CUDA_R_32F, p, seed, offset, n, dx.p, y.p, mask.p));
    DNN(terndnnDropoutBackward(handle, CUDA_R_32F, p, n, mask.p, ddy.p, g.p));
    numbers want(n), back(n);
    const std::vector<unsigned char> m = mask.get();
    integer kept = 0;
    for (integer i = 0; i < n; i++) {
        const bool keep = philox(seed, offset + i / 4, i % 4) >= p * 4294967296.0;
        CHECK(m[i] == keep);
        kept += keep;
        want[i] = keep ? x[i] / 0.7 : 0;
        back[i] = keep ? dy[i] / 0.7 : 0;
    }
    CHECK(fabs(kept / (double)n - 0.7) < 0.05);
    same("dropout", y.get(), want, 1e-6);
    same("dropout backward", g.get(), back, 1e-6);
}

int main()
{
    DNN(terndnnCreate(&handle));
    const terndnnNorm_t batch = {TERNDNN_NORM_BATCH, 3, 5, 7, 0, 0}, layer = {TERNDNN_NORM_LAYER, 3, 37, 1, 0, 0}, rms = {TERNDNN_NORM_RMS, 3, 37, 1, 0, 0},
                        group = {TERNDNN_NORM_GROUP, 2, 6, 5, 3, 0}, instance = {TERNDNN_NORM_INSTANCE, 2, 3, 11, 0, 0};
    norms<float>(batch);
    norms<float>(layer);
    norms<float>(rms);
    norms<double>(group);
    running();
    const terndnnPool_t flat = {TERNDNN_POOL_MAX, 0, 2, 2, {1, 7, 6}, {}, {1, 3, 2}, {0, 1, 1}, {1, 2, 2}, {1, 1, 1}},
                        deep = {TERNDNN_POOL_MAX, 0, 1, 2, {4, 5, 3}, {}, {2, 2, 3}, {1, 0, 1}, {2, 1, 1}, {1, 2, 1}},
                        adaptive = {TERNDNN_POOL_MAX, 1, 1, 2, {1, 7, 10}, {1, 3, 4}, {1, 1, 1}, {}, {}, {}};
    pools<float>(flat);
    pools<float>(adaptive);
    const terndnnConvolution_t line = {2, 3, 4, 1, {1, 1, 11}, {}, {1, 1, 3}, {0, 0, 2}, {1, 1, 2}, {1, 1, 1}, 0, TERNDNN_CONVOLUTION_ANY},
                               plane = {2, 4, 8, 2, {1, 7, 5}, {}, {1, 3, 2}, {0, 1, 1}, {1, 2, 1}, {1, 1, 2}, 0, TERNDNN_CONVOLUTION_ANY},
                               depthwise = {1, 3, 3, 3, {1, 5, 6}, {}, {1, 3, 3}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, TERNDNN_CONVOLUTION_ANY},
                               single = {2, 5, 3, 1, {1, 3, 4}, {}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 0, TERNDNN_CONVOLUTION_ANY},
                               several = {3, 2, 3, 1, {1, 15, 17}, {}, {1, 2, 3}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, TERNDNN_CONVOLUTION_ANY}, /* partial sums, and what is left over */
                               large = {2, 1, 2, 1, {1, 32, 33}, {}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 0, TERNDNN_CONVOLUTION_ANY},
                               space = {1, 2, 3, 1, {3, 4, 5}, {}, {2, 3, 3}, {1, 1, 0}, {1, 1, 2}, {1, 1, 1}, 1, TERNDNN_CONVOLUTION_ANY};
    convolutions<float>(plane);
    convolutions<float>(space);
    convolutions<float>(several);
    embeddings();
    dropout();
    if (!slow_device()) {
        norms<float>(instance);
        norms<double>(batch);
        norms<__half>(layer);
        norms<__nv_bfloat16>(rms);
        pools<double>(deep);
        pools<float>(deep);
        pools<__half>(flat);
        convolutions<float>(line);
        convolutions<double>(plane);
        convolutions<float>(depthwise);
        convolutions<float>(large);
        convolutions<double>(several);
        convolutions<float>(single);
        convolutions<__half>(plane);
        convolutions<__nv_bfloat16>(single);
    }
    terndnnConvolution_t wrong = plane;
    FAILS(INVALID_VALUE, terndnnConvolutionForward(handle, CUDA_R_32F, &wrong, 1, nullptr, nullptr, 0, nullptr)); /* no sizes of the result */
    DNN(terndnnDestroy(handle));
    puts("ok");
}
