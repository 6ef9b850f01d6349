/* terndnn's speed: a line for each case (name, time in µs, rate, unit), for `dnn`, which holds them against PyTorch's of the same names
 * (dnn_torch.py). Where a kernel of a GPU's own does the work, it is held against the general one in f32 first: `# … differs by`. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include "terndnn.h"
#include "timing.hpp"

static terndnnHandle_t handle;
static char *memory;
static size_t used;
static const size_t ROOM = (size_t)24 << 30;

/* A case that takes its memory from the beginning. */
static void apart(const std::string &name, const std::function<void()> &run)
{
    used = 0;
    guarded(name, run);
}

/* Memory for n elements; numbers from -1 to 1 as bfloat16, half or float. */
static size_t bytes_of(cudaDataType t) { return t == CUDA_R_32F ? 4 : t == CUDA_R_64F ? 8 : 2; }
static void *room(size_t n, cudaDataType t)
{
    char *p = memory + used;
    used += (n * bytes_of(t) + 255) / 256 * 256;
    if (used > ROOM)
        throw -1;
    return p;
}
static uint32_t seed_now = 1;
static float uniform()
{
    seed_now = seed_now * 1664525u + 1013904223u;
    return (float)(seed_now >> 8) / 8388608.f - 1.f;
}
static uint16_t bfloat(float v)
{
    uint32_t b;
    memcpy(&b, &v, 4);
    return (uint16_t)(b >> 16);
}
static uint16_t half(float v) /* of -1 to 1, towards 0 */
{
    uint32_t b;
    memcpy(&b, &v, 4);
    const int e = (int)(b >> 23 & 255) - 112;
    return (uint16_t)((b >> 16 & 0x8000) | (e <= 0 ? 0 : (uint32_t)e << 10 | (b >> 13 & 1023)));
}
static float value(const void *p, size_t i, cudaDataType t)
{
    if (t == CUDA_R_32F)
        return ((const float *)p)[i];
    const uint16_t h = ((const uint16_t *)p)[i];
    uint32_t b = t == CUDA_R_16BF ? (uint32_t)h << 16 : (h & 0x7fff) ? (uint32_t)(h & 0x8000) << 16 | (((uint32_t)(h & 0x7fff) << 13) + (112u << 23)) : 0;
    float v;
    memcpy(&v, &b, 4);
    return v;
}
/* The same numbers again and again, a period that is no power of two. */
static void *some(size_t n, cudaDataType t, float scale = 1)
{
    const size_t period = 1000003;
    const size_t bytes = bytes_of(t), each = n < period ? n : period;
    std::vector<char> h(each * bytes);
    for (size_t i = 0; i < each; i++) {
        const float v = uniform() * scale;
        const uint16_t b = t == CUDA_R_16BF ? bfloat(v) : half(v);
        memcpy(&h[i * bytes], t == CUDA_R_32F ? (const void *)&v : &b, bytes);
    }
    char *p = (char *)room(n, t);
    for (size_t at = 0; at < n; at += each)
        NEED(cudaMemcpy(p + at * bytes, at ? p : h.data(), (n - at < each ? n - at : each) * bytes, at ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice));
    return p;
}
static std::vector<float> read(const void *p, size_t n, cudaDataType t)
{
    std::vector<char> h(n * bytes_of(t));
    NEED(cudaMemcpy(h.data(), p, h.size(), cudaMemcpyDeviceToHost));
    std::vector<float> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = value(h.data(), i, t);
    return v;
}
static void *as_floats(const void *p, size_t n, cudaDataType t)
{
    const std::vector<float> v = read(p, n, t);
    void *out = room(n, CUDA_R_32F);
    NEED(cudaMemcpy(out, v.data(), n * 4, cudaMemcpyHostToDevice));
    return out;
}
static void compare(const char *what, const void *got, cudaDataType t, const void *want, size_t n)
{
    const std::vector<float> a = read(got, n, t), b = read(want, n, CUDA_R_32F);
    double worst = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        const double d = fabs(a[i] - b[i]);
        worst = d <= worst ? worst : d; /* NaN stays */
    }
    printf("# %s differs by %.2e of %.2e%s\n", what, worst, size, worst <= 0.02 * size ? "" : " WRONG");
}

/* ---- attention ---- */
/* Lengths of sequences, all the same: not for kernels that know one length for all. */
static const int *same_lengths(int64_t batch, int64_t keys)
{
    const std::vector<int> v(batch, (int)keys);
    void *p = room(batch, CUDA_R_32F);
    NEED(cudaMemcpy(p, v.data(), batch * sizeof(int), cudaMemcpyHostToDevice));
    return (const int *)p;
}
static void attention_check(int64_t b, int64_t h, int64_t kv, int64_t q, int64_t k, int64_t d, int causal, int window, double cap, bool lengths = false)
{
    apart("attention", [&] {
        const cudaDataType t = CUDA_R_16BF;
        terndnnAttention_t a = {b, h, kv, q, k, d, d, {}, {}, {}, {}, nullptr, nullptr, causal, window, 0, cap};
        const size_t nq = b * h * q * d, nk = b * kv * k * d, rows = b * h * q;
        if (lengths)
            a.lengths = same_lengths(b, k);
        void *x[4] = {some(nq, t), some(nk, t), some(nk, t), some(nq, t)}, *o = room(nq, t), *dq = room(nq, t), *dk = room(nk, t), *dv = room(nk, t), *sums = room(rows, CUDA_R_32F);
        void *w[4] = {as_floats(x[0], nq, t), as_floats(x[1], nk, t), as_floats(x[2], nk, t), as_floats(x[3], nq, t)};
        void *wo = room(nq, CUDA_R_32F), *wq = room(nq, CUDA_R_32F), *wk = room(nk, CUDA_R_32F), *wv = room(nk, CUDA_R_32F), *ws = room(rows, CUDA_R_32F);
        NEED(terndnnAttentionForward(handle, t, &a, x[0], x[1], x[2], o, sums));
        NEED(terndnnAttentionBackward(handle, t, &a, x[0], x[1], x[2], o, sums, x[3], dq, dk, dv));
        NEED(terndnnAttentionForward(handle, CUDA_R_32F, &a, w[0], w[1], w[2], wo, ws));
        NEED(terndnnAttentionBackward(handle, CUDA_R_32F, &a, w[0], w[1], w[2], wo, ws, w[3], wq, wk, wv));
        NEED(cudaDeviceSynchronize());
        printf("# attention %lldx%lld/%lld, %lld by %lld, %lld, causal %d, window %d, cap %g\n", (long long)b, (long long)h, (long long)kv, (long long)q, (long long)k, (long long)d, causal, window, cap);
        compare("o", o, t, wo, nq);
        compare("sums", sums, CUDA_R_32F, ws, rows);
        compare("dq", dq, t, wq, nq);
        compare("dk", dk, t, wk, nk);
        compare("dv", dv, t, wv, nk);
    });
}
static void attention_case(int64_t b, int64_t h, int64_t kv, int64_t q, int64_t k, int64_t d, int causal, bool back, bool lengths = false)
{
    char name[64];
    snprintf(name, sizeof name, "attention_%lldx%lld/%lldx%lldx%lldx%lld%s", (long long)b, (long long)h, (long long)kv, (long long)q, (long long)k, (long long)d, causal ? "c" : "");
    apart(name, [&] {
        const cudaDataType t = CUDA_R_16BF;
        terndnnAttention_t a = {b, h, kv, q, k, d, d, {}, {}, {}, {}, nullptr, nullptr, causal, 0, 0, 0};
        const size_t nq = b * h * q * d, nk = b * kv * k * d;
        void *x[4] = {some(nq, t), some(nk, t), some(nk, t), some(nq, t)}, *o = room(nq, t), *dq = room(nq, t), *dk = room(nk, t), *dv = room(nk, t), *sums = room(b * h * q, CUDA_R_32F);
        if (lengths)
            a.lengths = same_lengths(b, k);
        const double flops = 4.0 * b * h * q * k * d / (causal && q == k ? 2 : 1);
        time_case(std::string(name) + (lengths ? "_lengths_forward" : "_forward"), flops / 1e3, "TFLOP/s", [&] { NEED(terndnnAttentionForward(handle, t, &a, x[0], x[1], x[2], o, sums)); });
        if (back)
            time_case(std::string(name) + "_backward", 2.5 * flops / 1e3, "TFLOP/s", [&] { NEED(terndnnAttentionBackward(handle, t, &a, x[0], x[1], x[2], o, sums, x[3], dq, dk, dv)); });
    });
}
/* For a profiler: each kernel of attention and of a convolution a single time. */
static void once()
{
    apart("once", [&] {
        const cudaDataType t = CUDA_R_16BF;
        terndnnAttention_t a = {4, 16, 16, 4096, 4096, 128, 128};
        const size_t n = (size_t)4 * 16 * 4096 * 128;
        void *x[4] = {some(n, t), some(n, t), some(n, t), some(n, t)}, *out[4] = {room(n, t), room(n, t), room(n, t), room(n, t)}, *sums = room(n / 128, CUDA_R_32F);
        for (a.causal = 0; a.causal < 2; a.causal++) {
            NEED(terndnnAttentionForward(handle, t, &a, x[0], x[1], x[2], out[0], sums));
            NEED(terndnnAttentionBackward(handle, t, &a, x[0], x[1], x[2], out[0], sums, x[3], out[1], out[2], out[3]));
        }
        terndnnConvolution_t v = {64, 256, 256, 1, {1, 28, 28}, {}, {1, 3, 3}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, TERNDNN_CONVOLUTION_ANY, 1};
        NEED(terndnnConvolutionOut(&v));
        NEED(terndnnConvolutionForward(handle, t, &v, 1, x[0], x[1], 0, out[0]));
        NEED(terndnnConvolutionBackwardData(handle, t, &v, 1, x[1], x[2], 0, out[0]));
        NEED(terndnnConvolutionBackwardFilter(handle, t, &v, 1, x[0], x[2], 0, out[0]));
        NEED(cudaDeviceSynchronize());
    });
}
static void attention()
{
    attention_check(1, 4, 2, 200, 333, 128, 1, 0, 0, true);
    attention_case(4, 16, 16, 4096, 4096, 128, 0, false, true);
    attention_case(4, 16, 16, 4096, 4096, 128, 1, false, true);
    attention_case(8, 16, 16, 2048, 2048, 64, 1, false, true);
    attention_check(1, 4, 2, 200, 333, 128, 1, 0, 0);
    attention_check(2, 2, 2, 257, 130, 64, 0, 0, 0);
    attention_check(1, 2, 1, 150, 300, 96, 1, 70, 5);
    attention_check(1, 2, 1, 1, 300, 40, 1, 0, 0);
    attention_check(2, 8, 2, 1000, 1333, 128, 1, 0, 0);
    attention_check(1, 3, 3, 777, 650, 64, 1, 100, 0);
    attention_case(4, 16, 16, 4096, 4096, 128, 0, true);
    attention_case(4, 16, 16, 4096, 4096, 128, 1, true);
    attention_case(2, 16, 16, 8192, 8192, 128, 1, true);
    attention_case(4, 32, 8, 4096, 4096, 128, 1, true);
    attention_case(8, 16, 16, 2048, 2048, 64, 0, true);
    attention_case(8, 16, 16, 2048, 2048, 64, 1, true);
    attention_case(16, 12, 12, 1024, 1024, 64, 1, true);
    attention_case(16, 32, 8, 1, 8192, 128, 0, false);
}

/* ---- what memory bounds: read and written bytes over time ---- */
static const char *type_name(cudaDataType t) { return t == CUDA_R_32F ? "f32" : t == CUDA_R_16F ? "f16" : "bf16"; }
static void rows(cudaDataType t, int64_t n, int64_t c)
{
    char tail[64];
    snprintf(tail, sizeof tail, "_%s_%lldx%lld", type_name(t), (long long)n, (long long)c);
    apart(tail, [&] {
        const double bytes = (double)n * c * bytes_of(t) / 1.0;
        void *x = some(n * c, t), *dy = some(n * c, t), *y = room(n * c, t), *dx = room(n * c, t), *gamma = some(c, CUDA_R_32F), *beta = some(c, CUDA_R_32F), *means = room(n, CUDA_R_32F),
             *inverses = room(n, CUDA_R_32F), *dgamma = room(c, CUDA_R_32F), *dbeta = room(c, CUDA_R_32F);
        const terndnnNorm_t layer = {TERNDNN_NORM_LAYER, n, c, 1, 0, 1e-5}, rms = {TERNDNN_NORM_RMS, n, c, 1, 0, 1e-5};
        const std::string s(tail);
        time_case("softmax" + s, 2 * bytes, "GB/s", [&] { NEED(terndnnSoftmaxForward(handle, t, 0, n, c, 1, x, y)); });
        time_case("softmax_back" + s, 3 * bytes, "GB/s", [&] { NEED(terndnnSoftmaxBackward(handle, t, 0, n, c, 1, y, dy, dx)); });
        time_case("rms_norm" + s, 2 * bytes, "GB/s", [&] { NEED(terndnnNormForward(handle, t, &rms, x, gamma, nullptr, y, nullptr, inverses, 0, nullptr, nullptr)); });
        time_case("layer_norm" + s, 2 * bytes, "GB/s", [&] { NEED(terndnnNormForward(handle, t, &layer, x, gamma, beta, y, means, inverses, 0, nullptr, nullptr)); });
        time_case("layer_norm_back" + s, 3 * bytes, "GB/s", [&] { NEED(terndnnNormBackward(handle, t, &layer, x, dy, gamma, means, inverses, dx, dgamma, dbeta)); });
        time_case("copy" + s, 2 * bytes, "GB/s", [&] { NEED(cudaMemcpyAsync(y, x, n * c * bytes_of(t), cudaMemcpyDeviceToDevice, 0)); });
    });
}
static void elements(cudaDataType t, int64_t n)
{
    apart("elements", [&] {
        const double bytes = (double)n * bytes_of(t);
        void *x = some(n, t), *dy = some(n, t), *y = room(n, t);
        const std::string s = std::string("_") + type_name(t) + "_" + std::to_string(n);
        time_case("gelu" + s, 2 * bytes, "GB/s", [&] { NEED(terndnnActivationForward(handle, t, TERNDNN_ACTIVATION_GELU, 0, 0, n, x, y)); });
        time_case("gelu_back" + s, 3 * bytes, "GB/s", [&] { NEED(terndnnActivationBackward(handle, t, TERNDNN_ACTIVATION_GELU, 0, 0, n, x, dy, y)); });
        time_case("silu" + s, 2 * bytes, "GB/s", [&] { NEED(terndnnActivationForward(handle, t, TERNDNN_ACTIVATION_SILU, 0, 0, n, x, y)); });
        time_case("relu" + s, 2 * bytes, "GB/s", [&] { NEED(terndnnActivationForward(handle, t, TERNDNN_ACTIVATION_RELU, 0, 0, n, x, y)); });
        time_case("add" + s, 3 * bytes, "GB/s", [&] { NEED(terndnnBinary(handle, t, TERNDNN_BINARY_ADD, n, 1, x, 1, dy, 0, y)); });
    });
}
static void memory_bound()
{
    rows(CUDA_R_16F, 131072, 1024);
    rows(CUDA_R_16F, 32768, 4096);
    rows(CUDA_R_32F, 65536, 768);
    rows(CUDA_R_32F, 16384, 8192);
    rows(CUDA_R_16F, 1048576, 128);
    elements(CUDA_R_16F, 1 << 28);
    elements(CUDA_R_32F, 1 << 27);
}

/* ---- ResNet-50: its different layers, 64 images ---- */
static void convolution(cudaDataType t, bool tf32, int64_t c, int64_t size, int64_t k, int64_t taps, int64_t stride)
{
    char name[96];
    snprintf(name, sizeof name, "conv_%s_%lldx%lld_%lld_%lldx%lld_%lld", tf32 ? "tf32" : type_name(t), (long long)c, (long long)size, (long long)k, (long long)taps, (long long)taps, (long long)stride);
    apart(name, [&] {
        const int64_t n = 64, pad = taps / 2;
        terndnnConvolution_t v = {n, c, k, 1, {1, size, size}, {}, {1, taps, taps}, {0, pad, pad}, {1, stride, stride}, {1, 1, 1}, 0, TERNDNN_CONVOLUTION_ANY, 0, tf32};
        NEED(terndnnConvolutionOut(&v));
        const size_t nx = n * c * size * size, ny = n * k * v.out[1] * v.out[2], nf = k * c * taps * taps;
        void *x = some(nx, t), *f = some(nf, t, 0.1f), *y = room(ny, t), *dy = some(ny, t, 0.1f), *dx = room(nx, t), *df = room(nf, t);
        const double flops = 2.0 * ny * c * taps * taps;
        for (int last = 0; last < 2 && (t == CUDA_R_16F || tf32); last++) {
            terndnnConvolution_t two = v;
            two.images = 2;
            two.channels_last = last;
            const size_t mx = nx / n * 2, my = ny / n * 2, before = used;
            void *wx = as_floats(x, mx, t), *wf = as_floats(f, nf, t), *wdy = as_floats(dy, my, t), *wy = room(my, CUDA_R_32F), *wdx = room(mx, CUDA_R_32F), *wdf = room(nf, CUDA_R_32F);
            NEED(terndnnConvolutionForward(handle, t, &two, 1, x, f, 0, y));
            NEED(terndnnConvolutionBackwardData(handle, t, &two, 1, f, dy, 0, dx));
            NEED(terndnnConvolutionBackwardFilter(handle, t, &two, 1, x, dy, 0, df));
            two.way = TERNDNN_CONVOLUTION_PRODUCT;
            two.tf32 = 0;
            NEED(terndnnConvolutionForward(handle, CUDA_R_32F, &two, 1, wx, wf, 0, wy));
            NEED(terndnnConvolutionBackwardData(handle, CUDA_R_32F, &two, 1, wf, wdy, 0, wdx));
            NEED(terndnnConvolutionBackwardFilter(handle, CUDA_R_32F, &two, 1, wx, wdy, 0, wdf));
            printf("# %s, channels %s\n", name, last ? "last" : "first");
            compare("y", y, t, wy, my);
            compare("dx", dx, t, wdx, mx);
            compare("df", df, t, wdf, nf);
            used = before;
        }
        /* The faster of both orders, as PyTorch's is. */
        const auto both = [&](const char *what, const std::function<void()> &run) {
            v.channels_last = 0;
            const double first = time_of(run);
            v.channels_last = 1;
            const double last = t == CUDA_R_16F || tf32 ? time_of(run) : first;
            printf("# %s_%s: channels first %.1f us, last %.1f\n", name, what, first, last);
            say_time(std::string(name) + "_" + what, flops / 1e3, "TFLOP/s", first < last ? first : last);
        };
        both("forward", [&] { NEED(terndnnConvolutionForward(handle, t, &v, 1, x, f, 0, y)); });
        both("data", [&] { NEED(terndnnConvolutionBackwardData(handle, t, &v, 1, f, dy, 0, dx)); });
        if (!tf32) /* the same as without */
            both("filter", [&] { NEED(terndnnConvolutionBackwardFilter(handle, t, &v, 1, x, dy, 0, df)); });
    });
}
static const int layers[][5] = {
#include "resnet50.inc"
};
static void convolutions(cudaDataType t, bool tf32)
{
    for (const auto &l : layers)
        convolution(t, tf32, l[0], l[1], l[2], l[3], l[4]);
}

int main(int argc, char **argv)
{
    NEED(cudaMalloc((void **)&memory, ROOM));
    NEED(cudaEventCreate(&from));
    NEED(cudaEventCreate(&to));
    NEED(terndnnCreate(&handle));
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "once"))
            once();
        else if (!strcmp(argv[i], "attention"))
            attention();
        else if (!strcmp(argv[i], "memory"))
            memory_bound();
        else if (!strcmp(argv[i], "conv16"))
            convolutions(CUDA_R_16F, false);
        else if (!strcmp(argv[i], "conv32"))
            convolutions(CUDA_R_32F, false);
        else if (!strcmp(argv[i], "conv_tf32"))
            convolutions(CUDA_R_32F, true);
}
