// OPTIONS: -O0 -lnppial -lnppidei -lnppitc -lnppist -lnppicc -lnppisu -lnpps -lnppc
// NPP element by element, against loops: each operation in types and channels.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <npp.h>
#include "npp_check.h"

enum { W = 7, H = 3, STEP = 7 * 4 * 4 + 16 }; /* bytes: room for four channels of four bytes, and a gap */

template <class T> struct image {
    T *p;
    std::vector<unsigned char> was;
    image(unsigned seed)
    {
        CUDA(cudaMallocManaged(&p, STEP * H));
        was.resize(STEP * H);
        for (int i = 0; i < STEP * H / (int)sizeof(T); i++) {
            seed = seed * 1664525u + 1013904223u;
            T v = sizeof(T) == 1 ? (T)(seed >> 24) : (T)((int)(seed >> 20) - ((T)-1 < (T)0 ? 2048 : 0));
            p[i] = v;
        }
        memcpy(was.data(), p, STEP * H);
    }
    ~image() { cudaFree(p); }
    T old(int y, int e) const { return ((const T *)(was.data() + y * STEP))[e]; }
    T at(int y, int e) const { return ((const T *)((const char *)p + y * STEP))[e]; }
};

template <class T> double limited(double v)
{
    if ((T)0.5 != (T)0)
        return (double)(T)v;
    const double low = (T)-1 < (T)0 ? -pow(2, 8 * sizeof(T) - 1) : 0, high = (T)-1 < (T)0 ? pow(2, 8 * sizeof(T) - 1) - 1 : pow(2, 8 * sizeof(T)) - 1;
    v = rint(v);
    return std::isnan(v) ? 0 : v < low ? low : v > high ? high : v;
}

static int checked;
/* Every element of d is f(its row, its place, its channel), or as it was: in gaps and in alpha. */
template <class T, class F> void hold(const char *what, const image<T> &d, int channels, int alpha, F f)
{
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int e = 0; e < STEP / (int)sizeof(T); e++) {
            const bool in = e < W * channels && !(alpha && e % channels == 3);
            const double want = in ? limited<T>(f(y, e, e % channels)) : (double)d.old(y, e), got = (double)d.at(y, e);
            const double off = fabs(got - want);
            if (!(off <= ((T)0.5 != (T)0 ? 1e-5 * (1 + fabs(want)) : 0)) && !(std::isnan(got) && std::isnan(want))) {
                printf("%s: row %d, element %d: %g, not %g\n", what, y, e, got, want);
                exit(1);
            }
        }
    checked++;
}
static const NppiSize size = {W, H};

#define VALUE_C1(k) k[0]
#define VALUE_C3(k) k
#define VALUE_C4(k) k
#define VALUE_AC4(k) k
#define CHANNELS_C1 1
#define CHANNELS_C3 3
#define CHANNELS_C4 4
#define CHANNELS_AC4 4
#define ALPHA_C1 0
#define ALPHA_C3 0
#define ALPHA_C4 0
#define ALPHA_AC4 1
#define ARGS(t, c) #t "_" #c, d, CHANNELS_##c, ALPHA_##c

/* Two images, an image and constants, out of place and in place; with a scale, S, or without. */
#define TWO(op, t, c, suffix, formula, scale, ...)                                                 \
    {                                                                                              \
        image<Npp##t> a(1), b(2);                                                                  \
        const Npp##t k[4] = {3, 5, 7, 2};                                                          \
        auto f = [](double u, double v) { (void)v; return (double)(formula) * (scale); };          \
        {                                                                                          \
            image<Npp##t> d(3);                                                                    \
            NPP(nppi##op##_##t##_##c##R##suffix(a.p, STEP, b.p, STEP, d.p, STEP, size __VA_ARGS__)); \
            hold(#op ARGS(t, c), [&](int y, int e, int) { return f(b.old(y, e), a.old(y, e)); });  \
        }                                                                                          \
        {                                                                                          \
            image<Npp##t> d(3);                                                                    \
            NPP(nppi##op##_##t##_##c##IR##suffix(a.p, STEP, d.p, STEP, size __VA_ARGS__));         \
            hold(#op "I" ARGS(t, c), [&](int y, int e, int) { return f(d.old(y, e), a.old(y, e)); }); \
        }                                                                                          \
        {                                                                                          \
            image<Npp##t> d(3);                                                                    \
            NPP(nppi##op##C_##t##_##c##R##suffix(a.p, STEP, VALUE_##c(k), d.p, STEP, size __VA_ARGS__)); \
            hold(#op "C" ARGS(t, c), [&](int y, int e, int n) { return f(a.old(y, e), k[n]); });   \
        }                                                                                          \
        {                                                                                          \
            image<Npp##t> d(3);                                                                    \
            NPP(nppi##op##C_##t##_##c##IR##suffix(VALUE_##c(k), d.p, STEP, size __VA_ARGS__));     \
            hold(#op "CI" ARGS(t, c), [&](int y, int e, int n) { return f(d.old(y, e), k[n]); });  \
        }                                                                                          \
    }
#define COMMA ,
#define SCALED(op, t, c, formula) TWO(op, t, c, Sfs, formula, 0.5, COMMA 1)
#define PLAIN(op, t, c, formula) TWO(op, t, c, , formula, 1.0, )
#define ARITHMETIC(op, formula)                                                                    \
    SCALED(op, 8u, C1, formula) SCALED(op, 8u, C3, formula) SCALED(op, 8u, C4, formula) SCALED(op, 8u, AC4, formula) \
    SCALED(op, 16u, C1, formula) SCALED(op, 16u, AC4, formula) SCALED(op, 16s, C3, formula) SCALED(op, 16s, C4, formula) \
    SCALED(op, 32s, C1, formula) SCALED(op, 32s, C3, formula)                                      \
    PLAIN(op, 32f, C1, formula) PLAIN(op, 32f, C3, formula) PLAIN(op, 32f, C4, formula) PLAIN(op, 32f, AC4, formula)
#define LOGIC(op, sign)                                                                            \
    PLAIN(op, 8u, C1, (long long)u sign(long long) v) PLAIN(op, 8u, C3, (long long)u sign(long long) v) \
    PLAIN(op, 16u, C4, (long long)u sign(long long) v) PLAIN(op, 32s, C1, (long long)u sign(long long) v) \
    PLAIN(op, 32s, AC4, (long long)u sign(long long) v)

static void arithmetic()
{
    ARITHMETIC(Add, u + v)
    ARITHMETIC(Sub, u - v)
    ARITHMETIC(Mul, u *v)
    ARITHMETIC(Div, u / v)
    LOGIC(And, &)
    LOGIC(Or, |)
    LOGIC(Xor, ^)
}

#define SHIFT(op, t, c, expression)                                                                \
    {                                                                                              \
        image<Npp##t> a(1), d(3);                                                                  \
        const Npp32u k[4] = {1, 3, 2, 5};                                                          \
        NPP(nppi##op##_##t##_##c##R(a.p, STEP, VALUE_##c(k), d.p, STEP, size));                    \
        hold(#op ARGS(t, c), [&](int y, int e, int n) { const long long u = (long long)a.old(y, e); return (double)(Npp##t)(expression); }); \
    }
static void shifts()
{
    SHIFT(LShiftC, 8u, C1, u << k[n])
    SHIFT(LShiftC, 16u, C3, u << k[n])
    SHIFT(LShiftC, 32s, C4, u << k[n])
    SHIFT(RShiftC, 8u, C4, u >> k[n])
    SHIFT(RShiftC, 8s, C1, u >> k[n])
    SHIFT(RShiftC, 16s, C3, u >> k[n])
    SHIFT(RShiftC, 32s, C1, u >> k[n])
}

#define ONE(name, t, c, formula, ...)                                                              \
    {                                                                                              \
        image<Npp##t> a(1), d(3);                                                                  \
        NPP(nppi##name##_##t##_##c##R(a.p, STEP, d.p, STEP, size __VA_ARGS__));                    \
        hold(#name ARGS(t, c), [&](int y, int e, int n) { const double u = (double)a.old(y, e); (void)n; return (double)(formula); }); \
    }
static void one_image()
{
    const Npp8u low8[3] = {100, 120, 140}, new8[3] = {1, 2, 3};
    const Npp32f low32[3] = {10, 20, 30};
    ONE(Not, 8u, C1, 255 - u)
    ONE(Not, 8u, AC4, 255 - u)
    ONE(Abs, 16s, C3, fabs(u))
    ONE(Abs, 32f, C1, fabs(u))
    ONE(Sqr, 32f, C4, u *u)
    ONE(Sqrt, 32f, C1, sqrt(u))
    ONE(Threshold, 8u, C1, u < 100 ? 100 : u, COMMA 100 COMMA NPP_CMP_LESS)
    ONE(Threshold, 8u, C3, u > low8[n] ? low8[n] : u, COMMA low8 COMMA NPP_CMP_GREATER)
    ONE(Threshold, 32f, AC4, u < low32[n] ? low32[n] : u, COMMA low32 COMMA NPP_CMP_LESS)
    ONE(Threshold_Val, 8u, C3, u > low8[n] ? new8[n] : u, COMMA low8 COMMA new8 COMMA NPP_CMP_GREATER)
    ONE(Threshold_LT, 16s, C1, u < 5 ? 5 : u, COMMA 5)
    ONE(Threshold_GTVal, 16u, C1, u > 900 ? 7 : u, COMMA 900 COMMA 7)
    ONE(Copy, 16u, C3, u)
    ONE(Copy, 32f, AC4, u)
    const int order[4] = {2, 1, 0, 3};
    ONE(SwapChannels, 8u, C3, a.old(y, e - n + order[n]), COMMA order)
    ONE(SwapChannels, 32f, C4, a.old(y, e - n + order[n]), COMMA order)
    ONE(Mirror, 8u, C1, a.old(y, W - 1 - e), COMMA NPP_VERTICAL_AXIS)
    ONE(Mirror, 32f, C3, a.old(H - 1 - y, e), COMMA NPP_HORIZONTAL_AXIS)
    ONE(Mirror, 16u, C4, a.old(H - 1 - y, (W - 1 - e / 4) * 4 + n), COMMA NPP_BOTH_AXIS)
    {
        image<Npp8u> a(1), b(4), d(3);
        NPP(nppiAbsDiff_8u_C1R(a.p, STEP, b.p, STEP, d.p, STEP, size));
        hold("AbsDiff", d, 1, 0, [&](int y, int e, int) { return abs(a.old(y, e) - b.old(y, e)); });
        NPP(nppiCompare_8u_C3R(a.p, STEP, b.p, STEP, d.p, STEP, size, NPP_CMP_GREATER_EQ));
        image<Npp8u> fresh(3);
        NPP(nppiCompare_8u_C3R(a.p, STEP, b.p, STEP, fresh.p, STEP, size, NPP_CMP_GREATER_EQ));
        hold("Compare", fresh, 1, 0, [&](int y, int e, int) {
            bool all = true;
            for (int c = 0; c < 3; c++)
                all &= a.old(y, 3 * e + c) >= b.old(y, 3 * e + c);
            return all ? 255 : 0;
        });
        CHECK(nppiThreshold_8u_C1R(a.p, STEP, d.p, STEP, size, 1, NPP_CMP_EQ) == NPP_NOT_SUPPORTED_MODE_ERROR);
        CHECK(nppiNot_8u_C1R(nullptr, STEP, d.p, STEP, size) == NPP_NULL_POINTER_ERROR);
        CHECK(nppiNot_8u_C1R(a.p, 0, d.p, STEP, size) == NPP_STEP_ERROR);
        CHECK(nppiNot_8u_C1R(a.p, STEP, d.p, STEP, NppiSize{-1, 2}) == NPP_SIZE_ERROR);
    }
    {
        image<Npp16s> d(3);
        const Npp16s k[3] = {-5, 6, 7};
        NPP(nppiSet_16s_C3R(k, d.p, STEP, size));
        hold("Set", d, 3, 0, [&](int, int, int n) { return k[n]; });
        image<Npp16s> c(3);
        NPP(nppiSet_16s_C1R(9, c.p, STEP, size));
        hold("Set", c, 1, 0, [&](int, int, int) { return 9; });
    }
}

template <class S, class D, class F, class G> static void convert(const char *what, int channels, F call, G formula)
{
    image<S> a(5);
    image<D> d(6);
    NPP(call(a.p, d.p));
    hold(what, d, channels, 0, [&](int y, int e, int) { return formula((double)a.old(y, e)); });
}
static void conversions()
{
    auto same = [](double u) { return u; };
    convert<Npp8u, Npp32f>("8u32f", 3, [](Npp8u *a, Npp32f *d) { return nppiConvert_8u32f_C3R(a, STEP, d, STEP, size); }, same);
    convert<Npp16s, Npp8u>("16s8u", 1, [](Npp16s *a, Npp8u *d) { return nppiConvert_16s8u_C1R(a, STEP, d, STEP, size); }, same);
    convert<Npp8u, Npp16s>("8u16s", 4, [](Npp8u *a, Npp16s *d) { return nppiConvert_8u16s_C4R(a, STEP, d, STEP, size); }, same);
    convert<Npp32f, Npp16s>("32f16s", 1, [](Npp32f *a, Npp16s *d) { return nppiConvert_32f16s_C1R(a, STEP, d, STEP, size, NPP_RND_ZERO); }, [](double u) { return trunc(u); });
    convert<Npp8u, Npp32f>("scale", 1, [](Npp8u *a, Npp32f *d) { return nppiScale_8u32f_C1R(a, STEP, d, STEP, size, -1, 1); }, [](double u) { return u * 2 / 255 - 1; });
    image<Npp32f> a(5), d(6);
    CHECK(nppiConvert_32f8u_C1R(a.p, STEP, (Npp8u *)d.p, STEP, size, (NppRoundMode)9) == NPP_ROUND_MODE_NOT_SUPPORTED_ERROR);
    /* Halves: each way of rounding. */
    const float halves[4] = {0.5f, 1.5f, 2.5f, 2.4f};
    const int even[4] = {0, 2, 2, 2}, away[4] = {1, 2, 3, 2};
    memcpy(a.p, halves, sizeof halves);
    for (int mode = NPP_RND_NEAR; mode <= NPP_RND_FINANCIAL; mode++) {
        NPP(nppiConvert_32f8u_C1R(a.p, STEP, (Npp8u *)d.p, STEP, NppiSize{4, 1}, (NppRoundMode)mode));
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < 4; i++)
            CHECK(((Npp8u *)d.p)[i] == (mode == NPP_RND_NEAR ? even : away)[i]);
    }
}

/* Borders and transposition, whose sizes differ. */
static void moved()
{
    image<Npp8u> a(1), c(2), r(2), w(2), t(2);
    const NppiSize from = {W - 3, H - 1};
    NPP(nppiCopyConstBorder_8u_C1R(a.p, STEP, from, c.p, STEP, size, 1, 2, 99));
    NPP(nppiCopyReplicateBorder_8u_C1R(a.p, STEP, from, r.p, STEP, size, 1, 2));
    NPP(nppiCopyWrapBorder_8u_C1R(a.p, STEP, from, w.p, STEP, size, 1, 2));
    auto within = [](int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; };
    hold("constant", c, 1, 0, [&](int y, int e, int) { const int v = y - 1, u = e - 2; return v < 0 || u < 0 || v >= H - 1 || u >= W - 3 ? 99 : a.old(v, u); });
    hold("replicate", r, 1, 0, [&](int y, int e, int) { return a.old(within(y - 1, H - 1), within(e - 2, W - 3)); });
    hold("wrap", w, 1, 0, [&](int y, int e, int) { return a.old((y - 1 + H - 1) % (H - 1), (e - 2 + W - 3) % (W - 3)); });
    NPP(nppiTranspose_8u_C1R(a.p, STEP, t.p, STEP, NppiSize{H, H}));
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < H; x++)
            CHECK(t.at(y, x) == a.old(x, y));
}

template <class T, class V> V *device_value()
{
    V *p;
    CUDA(cudaMallocManaged(&p, 4 * sizeof *p));
    return p;
}
static void measures()
{
    image<Npp8u> a(1);
    image<Npp32f> f(7);
    Npp8u *buffer;
    size_t bytes;
    NPP(nppiSumGetBufferHostSize_8u_C3R(size, &bytes));
    CUDA(cudaMalloc(&buffer, bytes));
    Npp64f *sum, *mean, *deviation;
    Npp8u *least, *most;
    CUDA(cudaMallocManaged(&sum, 32));
    CUDA(cudaMallocManaged(&mean, 32));
    CUDA(cudaMallocManaged(&deviation, 32));
    CUDA(cudaMallocManaged(&least, 4));
    CUDA(cudaMallocManaged(&most, 4));
    NPP(nppiSum_8u_C3R(a.p, STEP, size, buffer, sum));
    NPP(nppiMinMax_8u_C3R(a.p, STEP, size, least, most, buffer));
    NPP(nppiMean_StdDev_32f_C1R(f.p, STEP, size, buffer, mean, deviation));
    CUDA(cudaDeviceSynchronize());
    for (int c = 0; c < 3; c++) {
        double want = 0, low = 255, high = 0;
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const double v = a.old(y, 3 * x + c);
                want += v;
                low = fmin(low, v);
                high = fmax(high, v);
            }
        CHECK(sum[c] == want && least[c] == low && most[c] == high);
    }
    double s = 0, q = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            s += f.old(y, x);
    s /= W * H;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            q += (f.old(y, x) - s) * (f.old(y, x) - s);
    CHECK(fabs(mean[0] - s) < 1e-9 * fabs(s) + 1e-9 && fabs(deviation[0] - sqrt(q / (W * H))) < 1e-6 * sqrt(q));
    NPP(nppiMax_32f_C1R(f.p, STEP, size, buffer, (Npp32f *)sum));
    NPP(nppiMean_8u_C1R(a.p, STEP, size, buffer, mean));
    /* Six bins over 20 … 219: the levels decide. */
    Npp32s levels[7], *counts;
    CUDA(cudaMallocManaged(&counts, 6 * sizeof *counts));
    NPP(nppiEvenLevelsHost_32s(levels, 7, 20, 220));
    CHECK(levels[0] == 20 && levels[6] == 220);
    NPP(nppiHistogramEven_8u_C1R(a.p, STEP, size, counts, 7, 20, 220, buffer));
    CUDA(cudaDeviceSynchronize());
    double top = -1e30, all = 0;
    int want[6] = {0};
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            top = fmax(top, f.old(y, x));
            all += a.old(y, x);
            for (int k = 0; k < 6; k++)
                want[k] += a.old(y, x) >= levels[k] && a.old(y, x) < levels[k + 1];
        }
    CHECK(((Npp32f *)sum)[0] == (float)top && fabs(mean[0] - all / (W * H)) < 1e-12 * all);
    for (int k = 0; k < 6; k++)
        CHECK(counts[k] == want[k]);
}

static void signals()
{
    enum { N = 1000 };
    Npp32f *a = nppsMalloc_32f(N), *b = nppsMalloc_32f(N), *d = nppsMalloc_32f(N), host[N];
    CHECK(a && b && d);
    NPP(nppsSet_32f(6, a, N));
    NPP(nppsSet_32f(1.5f, b, N));
    const struct {
        NppStatus status;
        float want;
    } steps[] = {{nppsAdd_32f(a, b, d, N), 7.5f}};
    NPP(steps[0].status);
    auto is = [&](float want) {
        CUDA(cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost));
        for (float v : host)
            CHECK(v == want);
    };
    is(7.5f);
    NPP(nppsSub_32f(b, a, d, N));
    is(4.5f);
    NPP(nppsMulC_32f(a, 0.5f, d, N));
    is(3);
    NPP(nppsAddC_32f_I(2, d, N));
    is(5);
    NPP(nppsDiv_32f_I(b, d, N));
    is(5 / 1.5f);
    NPP(nppsZero_32f(d, N));
    is(0);
    NPP(nppsSqr_32f(a, d, N));
    is(36);
    nppsFree(a);
    nppsFree(b);
    nppsFree(d);
}

/* The stream of calls without a context, and memory. */
static void context()
{
    cudaStream_t stream;
    NppStreamContext c;
    int step;
    CUDA(cudaStreamCreate(&stream));
    NPP(nppSetStream(stream));
    CHECK(nppGetStream() == stream);
    NPP(nppGetStreamContext(&c));
    CHECK(c.hStream == stream && c.nMultiProcessorCount == (int)nppGetGpuNumSMs() && nppGetGpuName()[0]);
    Npp8u *p = nppiMalloc_8u_C3(100, 20, &step);
    CHECK(p && step >= 300);
    const Npp8u k[3] = {1, 2, 3};
    NPP(nppiSet_8u_C3R_Ctx(k, p, step, NppiSize{100, 20}, c));
    std::vector<Npp8u> row(300);
    CUDA(cudaMemcpyAsync(row.data(), p + 19 * step, 300, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < 300; i++)
        CHECK(row[i] == 1 + i % 3);
    nppiFree(p);
    NPP(nppSetStream(0));
    CHECK(nppGetLibVersion()->major >= 12);
    CUDA(cudaStreamDestroy(stream));
}

int main()
{
    arithmetic();
    shifts();
    one_image();
    conversions();
    moved();
    measures();
    signals();
    context();
    printf("%d images compared\nok\n", checked);
}
