// LONG ON: interp: ten seconds and more
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lterndnn
// Attention with all its masks, rotary positions and caches; optimisers and clipping; quantised weights bit for bit.
#include "dnn.h"

static terndnnHandle_t handle;
typedef long long integer;
template <class T> struct wide {
    typedef float type;
};
template <> struct wide<double> {
    typedef double type;
};

/* All scores at once, as the formula has it. */
static numbers attention(const terndnnAttention_t &a, const numbers &q, const numbers &k, const numbers &v, const std::vector<int> &lengths,
                         const std::vector<float> &slopes)
{
    numbers o(a.batch * a.heads * a.queries * a.value_size);
    for (integer b = 0; b < a.batch; b++)
        for (integer h = 0; h < a.heads; h++)
            for (integer i = 0; i < a.queries; i++) {
                const integer g = h / (a.heads / a.kv_heads), keys = lengths.empty() ? a.keys : lengths[b], place = keys - a.queries + i;
                numbers w(keys);
                double sum = 0;
                for (integer j = 0; j < keys; j++) {
                    double s = 0;
                    for (integer d = 0; d < a.size; d++)
                        s += q[((b * a.heads + h) * a.queries + i) * a.size + d] * k[((b * a.kv_heads + g) * a.keys + j) * a.size + d];
                    s *= a.scale != 0 ? a.scale : 1 / sqrt((double)a.size);
                    if (a.cap > 0)
                        s = a.cap * tanh(s / a.cap);
                    if (!slopes.empty())
                        s -= slopes[h] * fabs((double)(place - j));
                    const bool seen = (!a.causal || j <= place) && (!a.window || j > place - a.window);
                    w[j] = seen ? exp(s) : 0;
                    sum += w[j];
                }
                for (integer j = 0; j < keys; j++)
                    for (integer d = 0; d < a.value_size; d++)
                        o[((b * a.heads + h) * a.queries + i) * a.value_size + d] += w[j] / sum * v[((b * a.kv_heads + g) * a.keys + j) * a.value_size + d];
            }
    return o;
}
template <class T> static void attentions(terndnnAttention_t a, bool alibi, bool back, const std::vector<int> &lengths = {})
{
    typedef typename wide<T>::type W;
    const integer nq = a.batch * a.heads * a.queries * a.size, nk = a.batch * a.kv_heads * a.keys * a.size, nv = a.batch * a.kv_heads * a.keys * a.value_size,
                  no = a.batch * a.heads * a.queries * a.value_size;
    const numbers q = rounded<T>(some(nq, 2)), k = rounded<T>(some(nk, 2)), v = rounded<T>(some(nv)), dy = rounded<T>(some(no));
    std::vector<float> slopes;
    for (integer h = 0; alibi && h < a.heads; h++)
        slopes.push_back(1.f / (1 << (h + 1)));
    plain_array<float> ds(slopes);
    plain_array<int> dl(lengths);
    a.slopes = alibi ? ds.p : nullptr;
    a.lengths = lengths.empty() ? nullptr : dl.p;
    array<T> dq(q), dk(k), dv(v), o(no), ddy(dy), gq(nq), gk(nk), gv(nv);
    array<W> sums(a.batch * a.heads * a.queries);
    const double tolerance = 16 * number<T>::eps();
    DNN(terndnnAttentionForward(handle, number<T>::type(), &a, dq.p, dk.p, dv.p, o.p, sums.p));
    same("attention", o.get(), attention(a, q, k, v, lengths, slopes), tolerance);
    if (!back)
        return;
    DNN(terndnnAttentionBackward(handle, number<T>::type(), &a, dq.p, dk.p, dv.p, o.p, sums.p, ddy.p, gq.p, gk.p, gv.p));
    same("queries", gq.get(), differences(q, dy, [&](const numbers &x) { return attention(a, x, k, v, lengths, slopes); }), 8 * tolerance + 1e-7);
    same("keys", gk.get(), differences(k, dy, [&](const numbers &x) { return attention(a, q, x, v, lengths, slopes); }), 8 * tolerance + 1e-7);
    same("values", gv.get(), differences(v, dy, [&](const numbers &x) { return attention(a, q, k, x, lengths, slopes); }), 8 * tolerance + 1e-7);
}

static void rotary()
{
    for (int halves = 0; halves < 2; halves++) {
        const integer batch = 2, heads = 3, length = 5, size = 10, rotated = 8, n = batch * heads * length * size;
        const numbers x = some(n);
        array<float> dx(x), y(n), z(n);
        terndnnRotary_t r = {batch, heads, length, size, {}, rotated, nullptr, 7, halves, 0, 500, 0};
        DNN(terndnnRotary(handle, CUDA_R_32F, &r, dx.p, y.p));
        numbers want(x);
        for (integer line = 0; line < batch * heads * length; line++)
            for (integer p = 0; p < rotated / 2; p++) {
                const integer a = line * size + (halves ? p : 2 * p), b = line * size + (halves ? p + rotated / 2 : 2 * p + 1);
                const double t = (7 + line % length) * pow(500, -2.0 * p / rotated);
                want[a] = x[a] * cos(t) - x[b] * sin(t);
                want[b] = x[a] * sin(t) + x[b] * cos(t);
            }
        same("rotary", y.get(), want, 1e-6);
        r.backward = 1;
        DNN(terndnnRotary(handle, CUDA_R_32F, &r, y.p, z.p));
        same("and back", z.get(), x, 1e-6);
    }
}

/* One query at a time with a cache gives what all at once give. */
static void cache()
{
    const integer heads = 2, length = 9, room = 16, size = 6;
    const numbers q = some(heads * length * size), k = some(heads * length * size), v = some(heads * length * size);
    array<float> dq(q), dk(k), dv(v), all(heads * length * size), ck(numbers(heads * room * size)), cv(numbers(heads * room * size));
    terndnnAttention_t whole = {1, heads, heads, length, length, size, size, {}, {}, {}, {}, nullptr, nullptr, 1, 0, 0, 0};
    DNN(terndnnAttentionForward(handle, CUDA_R_32F, &whole, dq.p, dk.p, dv.p, all.p, nullptr));
    const numbers want = all.get();
    for (integer i = 0; i < length; i++) {
        numbers one[3];
        for (int w = 0; w < 3; w++)
            for (integer h = 0; h < heads; h++)
                for (integer d = 0; d < size; d++)
                    one[w].push_back((w == 0 ? q : w == 1 ? k : v)[(h * length + i) * size + d]);
        array<float> q1(one[0]), k1(one[1]), v1(one[2]), o(heads * size);
        DNN(terndnnCacheAppend(handle, CUDA_R_32F, 1, heads, 1, size, room, nullptr, i, k1.p, ck.p));
        DNN(terndnnCacheAppend(handle, CUDA_R_32F, 1, heads, 1, size, room, nullptr, i, v1.p, cv.p));
        terndnnAttention_t step = {1, heads, heads, 1, i + 1, size, size, {}, {heads * room * size, room * size, size}, {heads * room * size, room * size, size},
                                   {}, nullptr, nullptr, 1, 0, 0, 0};
        DNN(terndnnAttentionForward(handle, CUDA_R_32F, &step, q1.p, ck.p, cv.p, o.p, nullptr));
        numbers w;
        for (integer h = 0; h < heads; h++)
            for (integer d = 0; d < size; d++)
                w.push_back(want[(h * length + i) * size + d]);
        same("with a cache", o.get(), w, 1e-6);
    }
    FAILS(INVALID_VALUE, terndnnCacheAppend(handle, CUDA_R_32F, 1, heads, 2, size, room, nullptr, room - 1, dk.p, ck.p));
}

/* ---- optimisers: three steps of each, as papers have them ---- */
template <class T> static void optimizers()
{
    const integer n = 41;
    for (int kind = 0; kind < TERNDNN_OPTIMIZER_COUNT; kind++) {
        terndnnOptimizerOptions_t o = {0.01, 0.9, 0.99, 1e-6, 0.02, 0.8, kind == TERNDNN_OPTIMIZER_MOMENTUM, 0};
        numbers w = rounded<T>(some(n)), m(n), v(n);
        typedef typename wide<T>::type W;
        array<T> dw(w);
        array<W> dm(m), dv(v);
        for (int step = 1; step <= 3; step++) {
            const numbers g = rounded<T>(some(n));
            array<T> dg(g);
            o.step = step;
            DNN(terndnnOptimizerStep(handle, number<T>::type(), (terndnnOptimizer_t)kind, &o, n, dw.p, dg.p, dm.p, dv.p));
            for (integer i = 0; i < n; i++) {
                const double c1 = 1 - pow(o.beta1, step), c2 = 1 - pow(o.beta2, step), d = g[i] + o.decay * w[i];
                switch (kind) {
                case TERNDNN_OPTIMIZER_SGD: w[i] -= o.rate * d; break;
                case TERNDNN_OPTIMIZER_MOMENTUM:
                    m[i] = o.momentum * m[i] + d;
                    w[i] -= o.rate * (d + o.momentum * m[i]);
                    break;
                case TERNDNN_OPTIMIZER_ADAM:
                case TERNDNN_OPTIMIZER_ADAMW: {
                    const double u = kind == TERNDNN_OPTIMIZER_ADAM ? d : g[i];
                    if (kind == TERNDNN_OPTIMIZER_ADAMW)
                        w[i] *= 1 - o.rate * o.decay;
                    m[i] = o.beta1 * m[i] + (1 - o.beta1) * u;
                    v[i] = o.beta2 * v[i] + (1 - o.beta2) * u * u;
                    w[i] -= o.rate * (m[i] / c1) / (sqrt(v[i] / c2) + o.epsilon);
                    break;
                }
                case TERNDNN_OPTIMIZER_ADAMAX:
                    m[i] = o.beta1 * m[i] + (1 - o.beta1) * d;
                    v[i] = fmax(o.beta2 * v[i], fabs(d) + o.epsilon);
                    w[i] -= o.rate / c1 * m[i] / v[i];
                    break;
                case TERNDNN_OPTIMIZER_RMSPROP:
                    m[i] = o.beta2 * m[i] + (1 - o.beta2) * d * d;
                    w[i] -= o.rate * d / (sqrt(m[i]) + o.epsilon);
                    break;
                case TERNDNN_OPTIMIZER_ADAGRAD:
                    m[i] += d * d;
                    w[i] -= o.rate * d / (sqrt(m[i]) + o.epsilon);
                    break;
                case TERNDNN_OPTIMIZER_ADADELTA: {
                    v[i] = o.beta2 * v[i] + (1 - o.beta2) * d * d;
                    const double u = sqrt(m[i] + o.epsilon) / sqrt(v[i] + o.epsilon) * d;
                    m[i] = o.beta2 * m[i] + (1 - o.beta2) * u * u;
                    w[i] -= o.rate * u;
                    break;
                }
                case TERNDNN_OPTIMIZER_LION: {
                    const double u = o.beta1 * m[i] + (1 - o.beta1) * g[i];
                    w[i] = w[i] - o.rate * o.decay * w[i];
                    w[i] -= o.rate * ((u > 0) - (u < 0));
                    m[i] = o.beta2 * m[i] + (1 - o.beta2) * g[i];
                    break;
                }
                default: CHECK(!"an optimiser without a formula");
                }
            }
        }
        same("weights", dw.get(), w, 30 * number<T>::eps());
    }
}
static void clipping()
{
    const numbers a = some(1000), b = some(7);
    array<float> da(a), db(b);
    plain_array<double> norm(std::vector<double>(1));
    const int64_t sizes[] = {1000, 7};
    void *const arrays[] = {da.p, db.p};
    double sum = 0;
    for (double x : a)
        sum += x * x;
    for (double x : b)
        sum += x * x;
    DNN(terndnnClipNorm(handle, CUDA_R_32F, 2, sizes, arrays, 3, norm.p));
    CHECK(fabs(norm.get()[0] - sqrt(sum)) < 1e-5 * sqrt(sum));
    numbers wa(a), wb(b);
    for (double &x : wa)
        x *= 3 / sqrt(sum);
    for (double &x : wb)
        x *= 3 / sqrt(sum);
    same("clipped", da.get(), wa, 1e-6);
    same("clipped", db.get(), wb, 1e-6);
    DNN(terndnnClipNorm(handle, CUDA_R_32F, 2, sizes, arrays, 3.1, nullptr)); /* already shorter */
    same("as it was", db.get(), wb, 1e-6);
    DNN(terndnnClipValue(handle, CUDA_R_32F, 7, db.p, 0.02));
    for (double &x : wb)
        x = fmin(fmax(x, -0.02), 0.02);
    same("values clipped", db.get(), wb, 1e-6);
}

/* ---- quantised weights: the fields of each block as llama.cpp's documentation of its formats has them ---- */
static float half_of(const unsigned char *b)
{
    uint16_t bits = (uint16_t)(b[0] | b[1] << 8);
    __half h;
    memcpy(&h, &bits, 2);
    return __half2float(h);
}
static void unpack(int format, const unsigned char *b, float *y)
{
    const float d = half_of(format == TERNDNN_FORMAT_Q6_K ? b + 208 : b);
    switch (format) {
    case TERNDNN_FORMAT_Q4_0:
    case TERNDNN_FORMAT_Q4_1:
    case TERNDNN_FORMAT_Q5_0:
    case TERNDNN_FORMAT_Q5_1: {
        const bool five = format == TERNDNN_FORMAT_Q5_0 || format == TERNDNN_FORMAT_Q5_1, least = format == TERNDNN_FORMAT_Q4_1 || format == TERNDNN_FORMAT_Q5_1;
        const unsigned char *high = b + (least ? 4 : 2), *q = high + (five ? 4 : 0);
        uint32_t bits = 0;
        memcpy(&bits, high, 4);
        for (int j = 0; j < 16; j++)
            for (int s = 0; s < 2; s++) {
                int v = s ? q[j] >> 4 : q[j] & 15;
                if (five)
                    v |= (bits >> (j + 16 * s) & 1) << 4;
                volatile float t = (float)(least ? v : v - (five ? 16 : 8)) * d;
                y[j + 16 * s] = least ? t + half_of(b + 2) : t;
            }
        return;
    }
    case TERNDNN_FORMAT_Q8_0:
        for (int j = 0; j < 32; j++)
            y[j] = (float)(signed char)b[2 + j] * d;
        return;
    case TERNDNN_FORMAT_Q4_K:
    case TERNDNN_FORMAT_Q5_K: {
        const bool five = format == TERNDNN_FORMAT_Q5_K;
        const float dmin = half_of(b + 2);
        const unsigned char *s = b + 4, *high = b + 16, *q = five ? b + 48 : b + 16;
        for (int part = 0; part < 8; part++) {
            int scale = s[part] & 63, least = s[part + 4 < 12 ? part + 4 : 0] & 63;
            if (part >= 4) {
                scale = (s[part + 4] & 15) + 16 * (s[part - 4] >> 6);
                least = (s[part + 4] >> 4) + 16 * (s[part] >> 6);
            }
            for (int l = 0; l < 32; l++) {
                const int byte = q[part / 2 * 32 + l], v = (part % 2 ? byte / 16 : byte % 16) + (five && (high[l] >> part & 1) ? 16 : 0);
                volatile float a = d * (float)scale, t = a * (float)v, m = dmin * (float)least;
                y[32 * part + l] = t - m;
            }
        }
        return;
    }
    case TERNDNN_FORMAT_Q6_K:
        for (int n = 0; n < 2; n++)
            for (int l = 0; l < 32; l++) {
                const unsigned char *low = b + 64 * n, *high = b + 128 + 32 * n;
                const signed char *s = (const signed char *)b + 192 + 8 * n;
                const int v[4] = {(low[l] & 15) | (high[l] & 3) << 4, (low[l + 32] & 15) | (high[l] >> 2 & 3) << 4, low[l] >> 4 | (high[l] >> 4 & 3) << 4,
                                  low[l + 32] >> 4 | (high[l] >> 6 & 3) << 4};
                for (int k = 0; k < 4; k++) {
                    volatile float a = d * (float)s[l / 16 + 2 * k];
                    y[128 * n + 32 * k + l] = a * (float)(v[k] - 32);
                }
            }
        return;
    }
    CHECK(!"a format without a description");
}
static void quantised(int format)
{
    static const int shapes[][2] = {
#define ROW(NAME, name, size, bytes) {size, bytes},
        TERNDNN_FORMATS(ROW)
#undef ROW
    };
    const integer rows = 5, size = shapes[format][0], bytes = shapes[format][1], k = 2 * size, columns = 11, n = rows * k;
    std::vector<unsigned char> blocks(n / size * bytes);
    for (unsigned char &b : blocks)
        b = (unsigned char)(128 * (uniform() + 1));
    for (integer b = 0; b < n / size; b++) { /* scales that are numbers */
        unsigned char *at = &blocks[b * bytes];
        const uint16_t d = half_bits(0.01 + 0.02 * b), m = half_bits(0.003 * b);
        memcpy(format == TERNDNN_FORMAT_Q6_K ? at + 208 : at, &d, 2);
        if (format == TERNDNN_FORMAT_Q4_1 || format == TERNDNN_FORMAT_Q5_1 || format == TERNDNN_FORMAT_Q4_K || format == TERNDNN_FORMAT_Q5_K)
            memcpy(at + 2, &m, 2);
    }
    std::vector<float> want(n);
    for (integer b = 0; b < n / size; b++)
        unpack(format, &blocks[b * bytes], &want[b * size]);
    plain_array<unsigned char> db(blocks);
    plain_array<float> y(std::vector<float>(n, 1e30f));
    DNN(terndnnDequantize(handle, CUDA_R_32F, (terndnnFormat_t)format, n, db.p, y.p));
    const std::vector<float> got = y.get();
    for (integer i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], 4)) {
            printf("format %d: [%lld] is %.9g, not %.9g\n", format, i, got[i], want[i]);
            exit(1);
        }
    for (integer c : {(integer)1, columns}) {
        const numbers x = some(c * k);
        array<float> dx(x), p(c * rows);
        DNN(terndnnQuantizedProduct(handle, CUDA_R_32F, (terndnnFormat_t)format, rows, k, c, db.p, dx.p, p.p));
        numbers sums(c * rows);
        for (integer i = 0; i < c; i++)
            for (integer r = 0; r < rows; r++)
                for (integer j = 0; j < k; j++)
                    sums[i * rows + r] += (double)want[r * k + j] * x[i * k + j];
        same("quantised product", p.get(), sums, 2e-6);
    }
    FAILS(INVALID_VALUE, terndnnDequantize(handle, CUDA_R_32F, (terndnnFormat_t)format, size + 1, db.p, y.p));
}
static void quantise()
{
    const integer n = 96;
    const numbers x = some(n, 3);
    array<float> dx(x), y(n);
    plain_array<unsigned char> blocks(std::vector<unsigned char>(n / 32 * 34));
    DNN(terndnnQuantize(handle, CUDA_R_32F, TERNDNN_FORMAT_Q8_0, n, dx.p, blocks.p));
    DNN(terndnnDequantize(handle, CUDA_R_32F, TERNDNN_FORMAT_Q8_0, n, blocks.p, y.p));
    same("eight bits", y.get(), x, 3 / 127.0 / 2 / 3);
    DNN(terndnnQuantize(handle, CUDA_R_32F, TERNDNN_FORMAT_Q4_0, n, dx.p, blocks.p));
    DNN(terndnnDequantize(handle, CUDA_R_32F, TERNDNN_FORMAT_Q4_0, n, blocks.p, y.p));
    same("four bits", y.get(), x, 0.15);
    FAILS(NOT_SUPPORTED, terndnnQuantize(handle, CUDA_R_32F, TERNDNN_FORMAT_Q5_0, n, dx.p, blocks.p));
}

int main()
{
    DNN(terndnnCreate(&handle));
    const terndnnAttention_t plain = {2, 2, 2, 7, 45, 5, 3, {}, {}, {}, {}, nullptr, nullptr, 0, 0, 0, 0}, causal = {1, 4, 2, 37, 37, 8, 8, {}, {}, {}, {}, nullptr, nullptr, 1, 0, 0.3, 0},
                             local = {1, 4, 1, 9, 40, 4, 7, {}, {}, {}, {}, nullptr, nullptr, 1, 6, 0, 2}, large = {1, 1, 1, 3, 290, 70, 65, {}, {}, {}, {}, nullptr, nullptr, 1, 0, 0, 0};
    attentions<float>(plain, false, true);
    attentions<float>(causal, true, !slow_device());
    attentions<float>(local, true, true);
    rotary();
    clipping();
    for (int f = 0; f < TERNDNN_FORMAT_COUNT; f += slow_device() ? 5 : 1)
        quantised(f);
    if (!slow_device()) {
        cache();
        attentions<double>(local, false, true);
        attentions<float>(large, false, false);
        attentions<__half>(plain, true, true);
        attentions<__nv_bfloat16>(causal, false, false);
        attentions<float>(plain, false, true, {45, 20});
        optimizers<float>();
        optimizers<double>();
        optimizers<__nv_bfloat16>();
        quantise();
    }
    DNN(terndnnDestroy(handle));
    puts("ok");
}
