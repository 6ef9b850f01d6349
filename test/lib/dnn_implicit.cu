// OPTIONS: -I../.. -arch=sm_90a
// LONG ON: interp: matrices of four warps take it many seconds
// NOT ON: vulkan: its kernels are not these
/* Convolutions without columns on Hopper's matrix instructions, launched by hand so that other devices run them, too: small whole numbers,
 * so that sums are exact; padding, strides, dilation, channels that are no multiples of 8, results in both orders. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "device/dnn/gathered.h"

static __half element(__half, float v) { return __float2half(v); }
static float element(float, float v) { return v; }
static float value(__half v) { return __half2float(v); }
static float value(float v) { return v; }
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
    array(size_t n) : host(n)
    {
        for (auto &v : host)
            v = element(v, (float)(rand() % 5 - 2));
        check(!cudaMalloc((void **)&device, n * sizeof(T)), "memory");
        check(!cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    ~array() { cudaFree(device); }
    float operator[](size_t i) const { return value(host[i]); }
    void same(const char *what, const std::vector<float> &want)
    {
        std::vector<T> got(host.size());
        check(!cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost), what);
        for (size_t i = 0; i < want.size(); i++)
            if (value(got[i]) != value(element(got[i], want[i]))) {
                printf("%s: [%zu of %zu] is %g, not %g\n", what, i, want.size(), value(got[i]), want[i]);
                exit(1);
            }
    }
};
template <int THREADS = WGMMA_THREADS, class K, class... A> static void launch(K kernel, dim3 grid, int shared, A... args)
{
    cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    kernel<<<grid, THREADS, shared>>>(args...);
    check(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "launch");
}
static int parts(int n, int each) { return (n + each - 1) / each; }

static CUtensorMapDataType map_type(__half) { return CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }
static CUtensorMapDataType map_type(float) { return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32; }

/* What the copy engine gathers: `places` of the result at the first tap in memory, by 128 bytes of channels. */
template <class T> static CUtensorMap gathered_map(const dnn_implicit &p, const array<T> &x, int places)
{
    CUtensorMap map;
    const cuuint64_t c = p.channels, w = p.from[2], h = p.from[1], b = sizeof(T), sizes[4] = {c, w, h, (cuuint64_t)p.images}, strides[3] = {c * b, w * c * b, h * w * c * b};
    const cuuint32_t steps[4] = {1, (cuuint32_t)p.step[2], (cuuint32_t)p.step[1], 1};
    int lower[2], upper[2];
    for (int k = 0; k < 2; k++) {
        const int d = 2 - k, span = p.taps[d] > 0 ? (p.taps[d] - 1) * p.off_step[d] : 0;
        lower[k] = p.off[d] + (span < 0 ? span : 0);
        upper[k] = lower[k] + (p.count[d] - 1) * p.step[d] + 1 - p.from[d];
    }
    check(!cuTensorMapEncodeIm2col(&map, map_type(T()), 4, x.device, sizes, strides, lower, upper, 128 / b, places, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeIm2col");
    return map;
}
/* [outer, middle, inner], in boxes of `rows` by 1 by 128 bytes. */
template <class T> static CUtensorMap tiled_map(const array<T> &x, long long outer, long long middle, long long inner, int rows)
{
    CUtensorMap map;
    const cuuint64_t sizes[3] = {(cuuint64_t)inner, (cuuint64_t)middle, (cuuint64_t)outer}, strides[2] = {inner * sizeof(T), inner * middle * sizeof(T)};
    const cuuint32_t box[3] = {128 / sizeof(T), 1, (cuuint32_t)rows}, each[3] = {1, 1, 1};
    check(!cuTensorMapEncodeTiled(&map, map_type(T()), 3, x.device, sizes, strides, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
    return map;
}

/* n images of c channels [n, c, h, w], k filters [k, c, r, s], channels first; or channels last. Floats have no gradients of filters,
 * nor filters across. */
template <class T, int ROWS, bool FIRST> static void convolution(int n, int c, int h, int w, int k, int r, int s, int pad, int stride, int dilation, int flip)
{
    constexpr bool NARROW = sizeof(T) == 2;
    const int STAGES = 4, oh = (h + 2 * pad - (r - 1) * dilation - 1) / stride + 1, ow = (w + 2 * pad - (s - 1) * dilation - 1) / stride + 1;
    const int cp = (c + 7) / 8 * 8, kp = (k + 7) / 8 * 8, shared = 1024 + STAGES * (128 + ROWS) * 128 > 1024 + 128 * (ROWS + 8) * 4 ? 1024 + STAGES * (128 + ROWS) * 128 : 1024 + 128 * (ROWS + 8) * 4;
    const long long xc = FIRST ? h * w : 1, xp = FIRST ? 1 : c, yc = FIRST ? oh * ow : 1, yp = FIRST ? 1 : k;
    array<T> x(n * c * h * w), f(k * c * r * s), y(n * k * oh * ow), dx(x.host.size()), df(f.host.size());
    array<T> x_last(n * h * w * cp), y_last(n * oh * ow * kp), f_last(k * r * s * cp), f_data(c * r * s * kp);
    std::vector<float> want_y(y.host.size()), want_x(x.host.size()), want_f(f.host.size());
    for (int b = 0; b < n; b++)
        for (int o = 0; o < k; o++)
            for (int i = 0; i < oh; i++)
                for (int j = 0; j < ow; j++)
                    for (int u = 0; u < r; u++)
                        for (int v = 0; v < s; v++) {
                            const int p = i * stride - pad + u * dilation, q = j * stride - pad + v * dilation;
                            if (p < 0 || q < 0 || p >= h || q >= w)
                                continue;
                            for (int d = 0; d < c; d++) {
                                const size_t at = b * c * h * w + d * xc + (p * w + q) * xp, out = b * k * oh * ow + o * yc + (i * ow + j) * yp;
                                const size_t tap = ((o * c + d) * r + (flip ? r - 1 - u : u)) * s + (flip ? s - 1 - v : v);
                                want_y[out] += x[at] * f[tap];
                                want_x[at] += y[out] * f[tap];
                                want_f[tap] += x[at] * y[out];
                            }
                        }
    dnn_filters ff = {k, c, cp, {1, r, s}, (long long)c * r * s, r * s, {r * s, s, 1}, flip, 1, 1}, fd = {c, k, kp, {1, r, s}, r * s, (long long)c * r * s, {r * s, s, 1}, flip, 1, 0};
    for (size_t i = 0; i < want_f.size(); i++)
        want_f[i] += df[i];
    implicit_filters<T><<<3, DNN_THREADS>>>(ff, f.device, f_last.device);
    implicit_filters<T><<<3, DNN_THREADS>>>(fd, f.device, f_data.device);
    implicit_turn<T><<<dim3(parts(h * w, IMPLICIT_TURN), parts(cp, IMPLICIT_TURN_CHANNELS), n), DNN_THREADS>>>(c, cp, h * w, (long long)c * h * w, xc, xp, x.device, x_last.device);
    implicit_turn<T><<<dim3(parts(oh * ow, IMPLICIT_TURN), parts(kp, IMPLICIT_TURN_CHANNELS), n), DNN_THREADS>>>(k, kp, oh * ow, (long long)k * oh * ow, yc, yp, y.device, y_last.device);
    const dnn_implicit p = {n, {1, oh, ow}, {1, h, w}, {1, stride, stride}, {0, -pad, -pad}, {1, dilation, dilation}, {1, r, s}, {}, {1, 1, 1}, {1, r, s}, cp, k, {}, {1, 1, 1},
                            {(long long)k * oh * ow, yc, 0, ow * yp, yp}, 1, 0};
    float *sums;
    /* Two parts at least. */
    const int steps = parts(parts(n * oh * ow, 64), 2), count = parts(parts(n * oh * ow, 64), steps), taps = r * s;
    check(!cudaMalloc((void **)&sums, (size_t)count * k * taps * cp * sizeof *sums), "memory");
    if constexpr (NARROW) {
        launch(implicit_filter<T, ROWS, STAGES>, dim3(parts(k, 128) * parts(taps * cp, ROWS), count), shared, p, x_last.device, y_last.device, kp, steps, sums);
        implicit_filter_sum<T><<<2, DNN_THREADS>>>(ff, count, sums, df.device);
        df.same("filters", want_f);
    }
    launch(implicit_product<T, ROWS, STAGES, FIRST>, dim3(parts(n * oh * ow, 128) * parts(k, ROWS)), shared, p, x_last.device, f_last.device, y.device);
    y.same("forward", want_y);
    const bool gather = !FIRST && cp >= 64 && kp >= 64;
    if (gather) {
        cudaMemset(y.device, 255, y.host.size() * sizeof(T));
        launch<MAPPED_THREADS>(gathered_product<T, ROWS, STAGES, true>, dim3(2), shared, gathered_map(p, x_last, 128), tiled_map(f_last, k, taps, cp, ROWS), p, y.device);
        y.same("forward, gathered", want_y);
    }
    if constexpr (NARROW) {
        if (gather && cp % 64 == 0) {
            check(!cudaMemcpy(df.device, df.host.data(), df.host.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
            launch<MAPPED_THREADS>(gathered_filter<T, ROWS, STAGES>, dim3(parts(k, 128) * parts(taps * cp, ROWS), count), shared, gathered_map(p, x_last, 64),
                                   tiled_map(y_last, n * oh * ow, 1, kp, 64), p, steps, sums);
            implicit_filter_sum<T><<<2, DNN_THREADS>>>(ff, count, sums, df.device);
            df.same("filters, gathered", want_f);
        }
    }
    cudaFree(sums);
    array<T> dx2(dx.host.size()), dx3(dx.host.size());
    /* A launch for each class of places that take the same taps. */
    for (int a = 0; a < stride; a++)
        for (int b = 0; b < stride; b++) {
            dnn_implicit g = {n, {1, 0, 0}, {1, oh, ow}, {1, 1, 1}, {}, {}, {1, 0, 0}, {}, {1, 1, 1}, {1, r, s}, kp, c, {0, a, b}, {1, stride, stride}, {(long long)c * h * w, xc, 0, w * xp, xp}, 1, 0};
            for (int d = 1; d < 3; d++) {
                const int from = d == 1 ? a : b, size = d == 1 ? r : s, in = d == 1 ? h : w;
                g.count[d] = parts(in - from, stride);
                for (int t = size - 1, last = -1; t >= 0; t--)
                    if ((from + pad - t * dilation) % stride == 0) {
                        g.tap_step[d] = last < 0 ? 1 : last - t;
                        g.tap[d] = last = t;
                        g.taps[d]++;
                        g.off[d] = (from + pad - t * dilation) / stride;
                    }
                g.off_step[d] = -g.tap_step[d] * dilation / stride;
            }
            if (!g.taps[1] || !g.taps[2])
                g.taps[0] = g.taps[1] = g.taps[2] = 0;
            if (g.count[1] <= 0 || g.count[2] <= 0)
                continue;
            if (gather)
                launch<MAPPED_THREADS>(gathered_product<T, ROWS, STAGES, true>, dim3(2), shared, gathered_map(g, y_last, 128), tiled_map(f_data, c, taps, kp, ROWS), g, dx2.device);
            if constexpr (NARROW)
                if (gather)
                    launch<MAPPED_THREADS>(gathered_product<T, ROWS, STAGES, false>, dim3(2), shared, gathered_map(g, y_last, 128), tiled_map(f_last, k, taps, cp, 64), g, dx3.device);
            launch(implicit_product<T, ROWS, STAGES, FIRST>, dim3(parts(n * g.count[1] * g.count[2], 128) * parts(c, ROWS)), shared, g, y_last.device, f_data.device, dx.device);
        }
    dx.same("data", want_x);
    if (gather)
        dx2.same("data, gathered", want_x);
    if (NARROW && gather && c == cp)
        dx3.same("data, gathered across", want_x);
}

int main()
{
    const char *which = getenv("TERN_DEVICES");
    convolution<__half, 64, true>(2, 12, 9, 7, 20, 3, 3, 1, 1, 1, 0);
    convolution<__half, 64, false>(1, 8, 11, 12, 70, 3, 2, 1, 2, 1, 1);
    convolution<__half, 128, true>(1, 24, 8, 8, 9, 1, 1, 0, 2, 1, 0);
    convolution<__half, 64, false>(1, 3, 13, 9, 8, 3, 3, 2, 2, 2, 0);
    convolution<__half, 64, false>(3, 72, 7, 5, 68, 3, 2, 1, 2, 1, 1);
    convolution<float, 64, true>(2, 12, 9, 7, 20, 3, 3, 1, 1, 1, 0);
    convolution<float, 128, false>(1, 3, 8, 8, 132, 3, 3, 2, 2, 2, 0);
    if (getenv("TERN_TEST_LONG") || (which && strstr(which, "cuda"))) {
        convolution<__half, 64, false>(2, 64, 9, 11, 72, 3, 3, 1, 1, 1, 0);
        convolution<__half, 128, false>(1, 128, 6, 5, 136, 1, 1, 0, 2, 1, 0);
        convolution<float, 64, false>(1, 8, 11, 12, 70, 3, 2, 1, 2, 1, 1);
        convolution<float, 64, false>(2, 72, 7, 6, 68, 3, 2, 1, 2, 1, 1);
    }
    puts("ok");
}
