// LONG ON: interp: ten seconds and more
// LONG ON: vulkan: a software GPU compiles its kernels for many seconds
// OPTIONS: -O0 -lterndnn
// A small language model from end to end: tokens in, logits out, text by the likeliest token with a cache of keys and values, the same as
// a reference in double on every device; and training, whose gradients are held against differences and whose loss falls.
//
// Two layers in the way of today's models: RMS norms, rotary positions, four heads that share two pairs of keys and values, SwiGLU, one table for
// words in and out. Weights are the numbers of a 64-bit linear congruential generator (dnn.h), times 1 / sqrt(inputs).
#include "dnn.h"
#include <string>

static terndnnHandle_t handle;
enum { V = 29, D = 24, H = 4, K = 2, S = 6, F = 40, LAYERS = 2, ROOM = 48 };
static const double EPSILON = 1e-5;
static const char letters[V + 1] = "abcdefghijklmnopqrstuvwxyz .,";

/* ---- weights: where each lies in one array ---- */
struct layer_at {
    size_t norm1, wq, wk, wv, wo, norm2, w1, w3, w2;
};
struct model_at {
    size_t words, norm, end;
    layer_at layer[LAYERS];
};
static model_at lay_out()
{
    model_at m;
    size_t at = 0;
    auto take = [&](size_t n) {
        const size_t here = at;
        at += n;
        return here;
    };
    m.words = take(V * D);
    for (layer_at &l : m.layer)
        l = {take(D), take(D * H * S), take(D * K * S), take(D * K * S), take(H * S * D), take(D), take(D * F), take(D * F), take(F * D)};
    m.norm = take(D);
    m.end = at;
    return m;
}
static const model_at at = lay_out();
static numbers weights()
{
    seed_now = 7;
    numbers w(at.end);
    auto fill = [&](size_t from, size_t n, double size) {
        for (size_t i = 0; i < n; i++)
            w[from + i] = size * uniform();
    };
    fill(at.words, V * D, 1);
    for (const layer_at &l : at.layer) {
        const double in = 2 / sqrt((double)D);
        fill(l.wq, D * H * S, in);
        fill(l.wk, D * K * S, in);
        fill(l.wv, D * K * S, in);
        fill(l.wo, H * S * D, in);
        fill(l.w1, D * F, in);
        fill(l.w3, D * F, in);
        fill(l.w2, F * D, 2 / sqrt((double)F));
        for (int i = 0; i < D; i++)
            w[l.norm1 + i] = w[l.norm2 + i] = 1 + 0.2 * uniform();
    }
    for (int i = 0; i < D; i++)
        w[at.norm + i] = 1;
    return w;
}

/* ---- the reference: logits of the last of some tokens ---- */
static numbers normed(const numbers &x, const double *gamma)
{
    numbers y(D);
    double s = 0;
    for (int i = 0; i < D; i++)
        s += x[i] * x[i] / D;
    for (int i = 0; i < D; i++)
        y[i] = x[i] / sqrt(s + EPSILON) * gamma[i];
    return y;
}
static numbers times(const numbers &x, const double *w, int out)
{
    numbers y(out);
    for (size_t i = 0; i < x.size(); i++)
        for (int j = 0; j < out; j++)
            y[j] += x[i] * w[i * out + j];
    return y;
}
static void turn(numbers &x, int heads, int place)
{
    for (int h = 0; h < heads; h++)
        for (int p = 0; p < S / 2; p++) {
            double &a = x[h * S + p], &b = x[h * S + p + S / 2];
            const double t = place * pow(10000, -2.0 * p / S), u = a * cos(t) - b * sin(t);
            b = a * sin(t) + b * cos(t);
            a = u;
        }
}
static numbers reference(const numbers &w, const std::vector<int> &tokens)
{
    std::vector<numbers> x;
    for (int t : tokens)
        x.emplace_back(w.begin() + at.words + t * D, w.begin() + at.words + (t + 1) * D);
    for (const layer_at &l : at.layer) {
        std::vector<numbers> q, k, v;
        for (size_t i = 0; i < x.size(); i++) {
            const numbers n = normed(x[i], &w[l.norm1]);
            q.push_back(times(n, &w[l.wq], H * S));
            k.push_back(times(n, &w[l.wk], K * S));
            v.push_back(times(n, &w[l.wv], K * S));
            turn(q[i], H, (int)i);
            turn(k[i], K, (int)i);
        }
        for (size_t i = 0; i < x.size(); i++) {
            numbers o(H * S);
            for (int h = 0; h < H; h++) {
                const int g = h / (H / K) * S;
                double sum = 0;
                for (size_t j = 0; j <= i; j++) {
                    double s = 0;
                    for (int d = 0; d < S; d++)
                        s += q[i][h * S + d] * k[j][g + d];
                    s = exp(s / sqrt((double)S));
                    sum += s;
                    for (int d = 0; d < S; d++)
                        o[h * S + d] += s * v[j][g + d];
                }
                for (int d = 0; d < S; d++)
                    o[h * S + d] /= sum;
            }
            const numbers a = times(o, &w[l.wo], D);
            for (int d = 0; d < D; d++)
                x[i][d] += a[d];
            const numbers n = normed(x[i], &w[l.norm2]), up = times(n, &w[l.w3], F);
            numbers gate = times(n, &w[l.w1], F);
            for (int f = 0; f < F; f++)
                gate[f] = gate[f] / (1 + exp(-gate[f])) * up[f];
            const numbers down = times(gate, &w[l.w2], D);
            for (int d = 0; d < D; d++)
                x[i][d] += down[d];
        }
    }
    const numbers n = normed(x.back(), &w[at.norm]);
    numbers logits(V);
    for (int t = 0; t < V; t++)
        for (int d = 0; d < D; d++)
            logits[t] += n[d] * w[at.words + t * D + d];
    return logits;
}

/* ---- the model on the device ---- */
template <class T> struct model {
    static cudaDataType type() { return number<T>::type(); }
    array<T> w, g, m1, m2;
    struct kept { /* of a pass, for the way back */
        array<T> x, n1, q, k, v, o, x2, n2, gate, up, act;
        array<T> inv1, inv2, sums;
        kept(int n)
            : x(n * D), n1(n * D), q(n * H * S), k(n * K * S), v(n * K * S), o(n * H * S), x2(n * D), n2(n * D), gate(n * F), up(n * F), act(n * F), inv1(n),
              inv2(n), sums(n * H)
        {
        }
    };
    std::vector<kept *> layer;
    std::vector<array<T> *> keys, values; /* caches [K, ROOM, S] */
    array<T> x, n, logits, inv;
    int room;
    explicit model(int tokens)
        : w(weights()), g(at.end), m1(numbers(at.end)), m2(numbers(at.end)), x(tokens * D), n(tokens * D), logits(tokens * V), inv(tokens), room(tokens)
    {
        for (int l = 0; l < LAYERS; l++) {
            layer.push_back(new kept(tokens));
            keys.push_back(new array<T>(K * ROOM * S));
            values.push_back(new array<T>(K * ROOM * S));
        }
    }
    ~model()
    {
        for (int l = 0; l < LAYERS; l++) {
            delete layer[l];
            delete keys[l];
            delete values[l];
        }
    }
    void norm(int count, const T *from, size_t gamma, T *to, T *inverses)
    {
        const terndnnNorm_t k = {TERNDNN_NORM_RMS, count, D, 1, 0, EPSILON};
        DNN(terndnnNormForward(handle, type(), &k, from, w.p + gamma, nullptr, to, nullptr, inverses, 0, nullptr, nullptr));
    }
    void norm_back(int count, const T *from, size_t gamma, const T *inverses, const T *dy, T *dx)
    {
        const terndnnNorm_t k = {TERNDNN_NORM_RMS, count, D, 1, 0, EPSILON};
        DNN(terndnnNormBackward(handle, type(), &k, from, dy, w.p + gamma, nullptr, inverses, dx, g.p + gamma, nullptr));
    }
    void linear(int count, int in, int out, const T *from, size_t weight, T *to, double beta = 0)
    {
        DNN(terndnnMatmul(handle, type(), 0, 0, count, out, in, 1, from, w.p + weight, beta, to, 1));
    }
    void linear_back(int count, int in, int out, const T *from, size_t weight, const T *dy, T *dx, double beta)
    {
        DNN(terndnnMatmul(handle, type(), 1, 0, in, out, count, 1, from, dy, 0, g.p + weight, 1));
        DNN(terndnnMatmul(handle, type(), 0, 1, count, in, out, 1, dy, w.p + weight, beta, dx, 1));
    }
    void rotate(int count, int heads, int first, T *a, int backward)
    {
        const terndnnRotary_t r = {1, heads, count, S, {count * heads * S, S, heads * S}, 0, nullptr, first, 1, backward, 0, 0};
        DNN(terndnnRotary(handle, type(), &r, a, a));
    }
    terndnnAttention_t attention(int count) const
    {
        const int64_t q = H * S, k = K * S;
        return {1, H, K, count, count, S, S, {count * q, S, q}, {count * k, S, k}, {count * k, S, k}, {count * q, S, q}, nullptr, nullptr, 1, 0, 0, 0};
    }
    void copy(T *to, const T *from, size_t count) { CUDA(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice)); }
    /* cached < 0: a whole sequence; else one token behind so many. */
    void forward(int count, const int *tokens, int cached = -1)
    {
        DNN(terndnnEmbeddingForward(handle, type(), count, D, V, tokens, w.p + at.words, x.p));
        for (int l = 0; l < LAYERS; l++) {
            const layer_at &a = at.layer[l];
            kept &k = *layer[l];
            copy(k.x.p, x.p, count * D);
            norm(count, x.p, a.norm1, k.n1.p, k.inv1.p);
            linear(count, D, H * S, k.n1.p, a.wq, k.q.p);
            linear(count, D, K * S, k.n1.p, a.wk, k.k.p);
            linear(count, D, K * S, k.n1.p, a.wv, k.v.p);
            rotate(count, H, cached < 0 ? 0 : cached, k.q.p, 0);
            rotate(count, K, cached < 0 ? 0 : cached, k.k.p, 0);
            terndnnAttention_t t = attention(count);
            const T *keys_at = k.k.p, *values_at = k.v.p;
            if (cached >= 0) {
                DNN(terndnnCacheAppend(handle, type(), 1, K, 1, S, ROOM, nullptr, cached, k.k.p, keys[l]->p));
                DNN(terndnnCacheAppend(handle, type(), 1, K, 1, S, ROOM, nullptr, cached, k.v.p, values[l]->p));
                const int64_t step[3] = {K * ROOM * S, ROOM * S, S};
                t.keys = cached + 1;
                memcpy(t.k_step, step, sizeof step);
                memcpy(t.v_step, step, sizeof step);
                keys_at = keys[l]->p;
                values_at = values[l]->p;
            }
            DNN(terndnnAttentionForward(handle, type(), &t, k.q.p, keys_at, values_at, k.o.p, k.sums.p));
            linear(count, H * S, D, k.o.p, a.wo, x.p, 1);
            copy(k.x2.p, x.p, count * D);
            norm(count, x.p, a.norm2, k.n2.p, k.inv2.p);
            linear(count, D, F, k.n2.p, a.w1, k.gate.p);
            linear(count, D, F, k.n2.p, a.w3, k.up.p);
            DNN(terndnnGateForward(handle, type(), TERNDNN_ACTIVATION_SILU, 0, 0, count * F, k.gate.p, k.up.p, k.act.p));
            linear(count, F, D, k.act.p, a.w2, x.p, 1);
        }
        norm(count, x.p, at.norm, n.p, inv.p);
        DNN(terndnnMatmul(handle, type(), 0, 1, count, V, D, 1, n.p, w.p + at.words, 0, logits.p, 1));
    }
    double loss(int count, const int *tokens, const int *next)
    {
        array<T> each(count);
        forward(count, tokens);
        DNN(terndnnCrossEntropyForward(handle, type(), count, V, logits.p, next, -1, 0, each.p));
        double sum = 0;
        for (double v : each.get())
            sum += v / count;
        return sum;
    }
    /* After loss: all of g. */
    void backward(int count, const int *tokens, const int *next)
    {
        array<T> dl(count * V), dn(count * D), dx(count * D), da(count * F), dgate(count * F), dup(count * F), dq(count * H * S), dk(count * K * S), dv(count * K * S),
            dout(count * H * S);
        DNN(terndnnCrossEntropyBackward(handle, type(), count, V, logits.p, next, -1, 0, 1.0 / count, nullptr, dl.p));
        DNN(terndnnMatmul(handle, type(), 1, 0, V, D, count, 1, dl.p, n.p, 0, g.p + at.words, 1));
        DNN(terndnnMatmul(handle, type(), 0, 0, count, D, V, 1, dl.p, w.p + at.words, 0, dn.p, 1));
        norm_back(count, x.p, at.norm, inv.p, dn.p, dx.p);
        auto add = [&](const T *more) { DNN(terndnnBinary(handle, type(), TERNDNN_BINARY_ADD, count * D, 1, dx.p, 1, more, 0, dx.p)); };
        for (int l = LAYERS - 1; l >= 0; l--) {
            const layer_at &a = at.layer[l];
            kept &k = *layer[l];
            array<T> more(count * D);
            linear_back(count, F, D, k.act.p, a.w2, dx.p, da.p, 0);
            DNN(terndnnGateBackward(handle, type(), TERNDNN_ACTIVATION_SILU, 0, 0, count * F, k.gate.p, k.up.p, da.p, dgate.p, dup.p));
            linear_back(count, D, F, k.n2.p, a.w1, dgate.p, dn.p, 0);
            linear_back(count, D, F, k.n2.p, a.w3, dup.p, dn.p, 1);
            norm_back(count, k.x2.p, a.norm2, k.inv2.p, dn.p, more.p);
            add(more.p);
            linear_back(count, H * S, D, k.o.p, a.wo, dx.p, dout.p, 0);
            const terndnnAttention_t t = attention(count);
            DNN(terndnnAttentionBackward(handle, type(), &t, k.q.p, k.k.p, k.v.p, k.o.p, k.sums.p, dout.p, dq.p, dk.p, dv.p));
            rotate(count, H, 0, dq.p, 1);
            rotate(count, K, 0, dk.p, 1);
            linear_back(count, D, H * S, k.n1.p, a.wq, dq.p, dn.p, 0);
            linear_back(count, D, K * S, k.n1.p, a.wk, dk.p, dn.p, 1);
            linear_back(count, D, K * S, k.n1.p, a.wv, dv.p, dn.p, 1);
            norm_back(count, k.x.p, a.norm1, k.inv1.p, dn.p, more.p);
            add(more.p);
        }
        DNN(terndnnEmbeddingBackward(handle, type(), count, D, V, tokens, dx.p, 1, g.p + at.words));
    }
    void step(int number_of)
    {
        const terndnnOptimizerOptions_t o = {0.02, 0.9, 0.95, 1e-8, 0.01, 0, 0, number_of};
        const int64_t sizes[] = {(int64_t)at.end};
        void *const all[] = {g.p};
        DNN(terndnnClipNorm(handle, type(), 1, sizes, all, 1, nullptr));
        DNN(terndnnOptimizerStep(handle, type(), TERNDNN_OPTIMIZER_ADAMW, &o, at.end, w.p, g.p, m1.p, m2.p));
    }
};

/* Many passes: where they take seconds, only if there is time. */
static bool interpreted()
{
    const char *device = getenv("TERN_DEVICES");
    return device && strcmp(device, "interp") == 0 && !getenv("TERN_TEST_LONG");
}
static std::vector<int> read_text(const char *s)
{
    std::vector<int> t;
    for (; *s; s++)
        t.push_back((int)(strchr(letters, *s) - letters));
    return t;
}
static int likeliest(const numbers &v)
{
    int best = 0;
    for (int i = 1; i < V; i++)
        if (v[i] > v[best])
            best = i;
    return best;
}

static void text()
{
    model<float> m(1);
    const numbers w = rounded<float>(weights());
    std::vector<int> tokens = read_text("the terns ");
    std::string said;
    const size_t prompt = tokens.size(), length = prompt + 24;
    for (size_t i = 0; i + 1 < length; i++) {
        plain_array<int> token({tokens[i]});
        m.forward(1, token.p, (int)i);
        if (i + 1 < prompt)
            continue;
        const numbers got = m.logits.get(), want = reference(w, tokens);
        same("logits", got, want, 2e-5);
        /* The likeliest token is far enough ahead for every device to say the same. */
        const int next = likeliest(want);
        for (int t = 0; t < V; t++)
            CHECK(t == next || want[next] - want[t] > 1e-4);
        CHECK(likeliest(got) == next);
        tokens.push_back(next);
        said += letters[next];
    }
    printf("text: %s\n", said.c_str());
}

static void gradients(const std::vector<int> &line)
{
    const int count = (int)line.size() - 1;
    plain_array<int> tokens(std::vector<int>(line.begin(), line.end() - 1)), next(std::vector<int>(line.begin() + 1, line.end()));
    model<double> m(count);
    m.loss(count, tokens.p, next.p);
    m.backward(count, tokens.p, next.p);
    const numbers g = m.g.get(), start = m.w.get();
    std::vector<size_t> some_of = {at.words + line[0] * D + 1, at.words + line[3] * D + 5, at.norm + 2};
    for (const layer_at &l : at.layer)
        for (size_t p : {l.norm1, l.wq, l.wk, l.wv, l.wo, l.norm2, l.w1, l.w3, l.w2})
            some_of.push_back(p + 7);
    for (size_t p : some_of) {
        numbers w = start;
        const double h = 1e-5;
        w[p] = start[p] + h;
        m.w.put(w);
        const double up = m.loss(count, tokens.p, next.p);
        w[p] = start[p] - h;
        m.w.put(w);
        const double down = m.loss(count, tokens.p, next.p), want = (up - down) / (2 * h);
        if (!(fabs(g[p] - want) <= 1e-7 + 1e-6 * fabs(want))) {
            printf("gradient of weight %zu: %.12g, by differences %.12g\n", p, g[p], want);
            exit(1);
        }
    }
}

static void training(const std::vector<int> &line)
{
    const int count = (int)line.size() - 1;
    plain_array<int> tokens(std::vector<int>(line.begin(), line.end() - 1)), next(std::vector<int>(line.begin() + 1, line.end()));
    model<float> m(count);
    double first = 0, last = 0;
    for (int step = 1; step <= 16; step++) {
        last = m.loss(count, tokens.p, next.p);
        if (step == 1)
            first = last;
        m.backward(count, tokens.p, next.p);
        m.step(step);
    }
    printf("loss: %.3f, after 16 steps %.3f\n", first, last);
    CHECK(last < first / 2);
    /* What it has learned it says by itself, from the first letters on. */
    model<float> speaker(1);
    speaker.w.put(m.w.get());
    std::vector<int> said(line.begin(), line.begin() + 6);
    for (size_t i = 0; i + 1 < line.size(); i++) {
        plain_array<int> token({said[i]});
        speaker.forward(1, token.p, (int)i);
        if (i + 1 == said.size())
            said.push_back(likeliest(speaker.logits.get()));
    }
    for (int t : said)
        putchar(letters[t]);
    putchar('\n');
    CHECK(said == line);
}

int main()
{
    DNN(terndnnCreate(&handle));
    const std::vector<int> line = read_text("terns fly from pole to pole.");
    text();
    if (!slow_device() && !interpreted())
        gradients(line);
    training(line);
    DNN(terndnnDestroy(handle));
    puts("ok");
}
