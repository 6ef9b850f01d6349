/* Checks of NPP's regions, edges and tables against what the words say: floods, all pixels'
 * distances, loops. Each function gets a name with and without a context. */
#pragma once
#include <cmath>
#include <cstring>
#include <queue>
#include <vector>
#include <npp.h>
#include "npp_check.h"

namespace regions
{
enum { W = 37, H = 23, GAP = 3 }; /* rows of other lengths than the image */
template <class T> struct grid {
    T *p;
    int step;
    explicit grid(int per = 1) : step((W + GAP) * per * (int)sizeof(T))
    {
        CUDA(cudaMallocManaged((void **)&p, (size_t)step * H));
        memset(p, 0x55, (size_t)step * H);
    }
    grid(const grid &) = delete;
    ~grid()
    {
        cudaFree(p);
    }
    T &at(int x, int y) const
    {
        return ((T *)((char *)p + y * step))[x];
    }
};
static const NppiSize size = {W, H};
static Npp8u *buffer()
{
    static Npp8u *p;
    if (!p)
        CUDA(cudaMalloc((void **)&p, 64));
    return p;
}
inline void differ(const char *name, int x, int y, double got, double want)
{
    printf("%s: (%d, %d): %g, not %g\n", name, x, y, got, want);
    exit(1);
}
/* Few values, so that regions are large and wind. */
template <class T> void speckle(const grid<T> &g, unsigned seed, int values, int scale)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            seed = seed * 1664525u + 1013904223u;
            g.at(x, y) = (T)((seed >> 20) % values * scale);
        }
}
/* By floods from the first pixels on. */
template <class T> std::vector<unsigned> flooded(const grid<T> &g, bool across)
{
    std::vector<unsigned> label(W * H, ~0u);
    for (int start = 0; start < W * H; start++) {
        if (label[start] != ~0u)
            continue;
        std::queue<int> todo;
        todo.push(start);
        label[start] = start;
        while (!todo.empty()) {
            const int at = todo.front(), x = at % W, y = at / W;
            todo.pop();
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    const int i = x + dx, j = y + dy;
                    if ((!across && dx && dy) || i < 0 || j < 0 || i >= W || j >= H ||
                        label[j * W + i] != ~0u || g.at(i, j) != g.at(x, y))
                        continue;
                    label[j * W + i] = start;
                    todo.push(j * W + i);
                }
        }
    }
    return label;
}
template <class T, class F, class G> void labels(const char *name, F f, G g)
{
    for (int which = 0; which < 4; which++) {
        grid<T> a;
        grid<Npp32u> d;
        const bool across = which & 1;
        speckle(a, which, 2 + which / 2, 100);
        const NppiNorm norm = across ? nppiNormInf : nppiNormL1;
        NPP(which & 2 ? f(a.p, a.step, d.p, d.step, size, norm, buffer())
                      : g(a.p, a.step, d.p, d.step, size, norm, buffer(), NppStreamContext{}));
        CUDA(cudaDeviceSynchronize());
        const std::vector<unsigned> want = flooded(a, across);
        for (int i = 0; i < W * H; i++)
            if (d.at(i % W, i / W) != want[i])
                differ(name, i % W, i / W, d.at(i % W, i / W), want[i]);
        CHECK(d.at(W, 0) == 0x55555555u);
    }
}
template <class F, class G> void compress(const char *name, F f, G g)
{
    for (int which = 0; which < 2; which++) {
        grid<Npp8u> a;
        grid<Npp32u> d;
        speckle(a, 7 + which, 3, 1);
        const std::vector<unsigned> label = flooded(a, true);
        std::vector<unsigned> number(W * H);
        int all = 0, count = -1;
        for (int i = 0; i < W * H; i++) {
            d.at(i % W, i / W) = label[i];
            if (label[i] == (unsigned)i)
                number[i] = all++;
        }
        NPP(which ? f(d.p, d.step, size, W * H, &count, buffer())
                  : g(d.p, d.step, size, W * H, &count, buffer(), NppStreamContext{}));
        CHECK(count == all);
        for (int i = 0; i < W * H; i++)
            if (d.at(i % W, i / W) != number[label[i]])
                differ(name, i % W, i / W, d.at(i % W, i / W), number[label[i]]);
    }
}
template <class D, class F, class G> void distance(const char *name, F f, G g)
{
    for (int which = 0; which < 3; which++) {
        grid<Npp8u> a;
        grid<D> d;
        grid<Npp16s> places(2);
        speckle(a, 3 + which, which == 2 ? 1 : 97, 1); /* the last has no site */
        const int low = which == 2 ? 200 : 3, high = which == 2 ? 210 : 4;
        NPP(which ? f(a.p, a.step, low, high, nullptr, 0, places.p, places.step, nullptr, 0, d.p,
                      d.step, size, buffer())
                  : g(a.p, a.step, low, high, nullptr, 0, places.p, places.step, nullptr, 0, d.p,
                      d.step, size, buffer(), NppStreamContext{}));
        CUDA(cudaDeviceSynchronize());
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                int best = -1;
                for (int i = 0; i < W * H; i++) {
                    const int v = a.at(i % W, i / W),
                              square = (i % W - x) * (i % W - x) + (i / W - y) * (i / W - y);
                    if (v >= low && v <= high && (best < 0 || square < best))
                        best = square;
                }
                const bool whole = (D)0.5 == (D)0;
                const double far = whole ? 65535 : 3.402823466e38, want = best < 0 ? far
                                                                          : whole
                                                                              ? floor(sqrt(best))
                                                                              : sqrt(best);
                const int px = places.at(2 * x, y), py = places.at(2 * x + 1, y);
                if (fabs((double)d.at(x, y) - want) > 1e-6 * want)
                    differ(name, x, y, (double)d.at(x, y), want);
                if (best < 0 ? px != -1 || py != -1
                             : (px - x) * (px - x) + (py - y) * (py - y) != best ||
                                   a.at(px, py) < low || a.at(px, py) > high)
                    differ(name, x, y, px, py);
            }
    }
    NppStatus s = f(buffer(), 1, 0, 0, (Npp16s *)buffer(), 4, nullptr, 0, nullptr, 0, nullptr, 0,
                    NppiSize{1, 1}, buffer());
    CHECK(s == NPP_NOT_SUPPORTED_MODE_ERROR);
}

/* ---- edges ---- */

/* Smoothing across, from the middle to the side; the slope's half. */
struct weights {
    int reach;
    double smooth[3], slope[3];
};
static const weights prewitt = {1, {1, 1}, {0, 1}}, scharr = {1, {10, 3}, {0, 1}},
                     sobel = {1, {2, 1}, {0, 1}}, wide = {2, {6, 4, 1}, {0, 2, 1}};
inline void slope(const weights &k, const grid<Npp8u> &a, int x, int y, double *dx, double *dy)
{
    *dx = *dy = 0;
    for (int j = -k.reach; j <= k.reach; j++)
        for (int i = -k.reach; i <= k.reach; i++) {
            const int px = x + i < 0    ? 0
                           : x + i >= W ? W - 1
                                        : x + i,
                      py = y + j < 0    ? 0
                           : y + j >= H ? H - 1
                                        : y + j;
            const double v = a.at(px, py);
            *dx += v * k.smooth[abs(j)] * k.slope[abs(i)] * (i < 0 ? -1 : 1);
            *dy += v * k.smooth[abs(i)] * k.slope[abs(j)] * (j < 0 ? 1 : -1);
        }
}
inline double length(NppiNorm norm, double dx, double dy)
{
    return norm == nppiNormL1   ? fabs(dx) + fabs(dy)
           : norm == nppiNormL2 ? sqrt(dx * dx + dy * dy)
                                : fmax(fabs(dx), fabs(dy));
}
template <class F, class G> void gradient(const char *name, const weights &k, F f, G g)
{
    const NppiMaskSize mask = k.reach == 1 ? NPP_MASK_SIZE_3_X_3 : NPP_MASK_SIZE_5_X_5;
    for (NppiNorm norm : {nppiNormInf, nppiNormL1, nppiNormL2}) {
        grid<Npp8u> a;
        grid<Npp16s> dx, dy, m;
        grid<Npp32f> angle;
        speckle(a, norm, 256, 1);
        /* The region is what is left of two columns and a row. */
        const NppiSize part = {W - 2, H - 1};
        const NppiPoint offset = {2, 1};
        NPP(norm ? f(&a.at(2, 1), a.step, size, offset, dx.p, dx.step, dy.p, dy.step, m.p, m.step,
                     angle.p, angle.step, part, mask, norm, NPP_BORDER_REPLICATE)
                 : g(&a.at(2, 1), a.step, size, offset, dx.p, dx.step, dy.p, dy.step, m.p, m.step,
                     angle.p, angle.step, part, mask, norm, NPP_BORDER_REPLICATE,
                     NppStreamContext{}));
        CUDA(cudaDeviceSynchronize());
        for (int y = 0; y < H - 1; y++)
            for (int x = 0; x < W - 2; x++) {
                double u, v;
                slope(k, a, x + 2, y + 1, &u, &v);
                const double want[4] = {u, v, rint(length(norm, u, v)), atan2(v, u)},
                             got[4] = {(double)dx.at(x, y), (double)dy.at(x, y), (double)m.at(x, y),
                                       angle.at(x, y)};
                for (int i = 0; i < 4; i++)
                    if (fabs(got[i] - want[i]) > (i == 3 ? 1e-5 : 0))
                        differ(name, x, y, got[i], want[i]);
            }
        NPP(f(a.p, a.step, size, NppiPoint{0, 0}, nullptr, 0, dy.p, dy.step, nullptr, 0, nullptr, 0,
              size, mask, norm, NPP_BORDER_REPLICATE));
        CHECK(f(a.p, a.step, size, NppiPoint{0, 0}, nullptr, 0, dy.p, dy.step, nullptr, 0, nullptr,
                0, size, mask, norm, NPP_BORDER_WRAP) == NPP_NOT_SUPPORTED_MODE_ERROR);
        CUDA(cudaDeviceSynchronize());
    }
}
/* Thin edges, then floods from the strong ones. */
inline std::vector<int> edges(const weights &k, const grid<Npp8u> &a, NppiNorm norm, int low,
                              int high)
{
    std::vector<float> m((W + 2) * (H + 2));
    std::vector<int> kind(W * H), out(W * H);
    std::queue<int> todo;
    double dx, dy;
    const auto at = [&](int x, int y) -> float & { return m[(y + 1) * (W + 2) + x + 1]; };
    for (int i = 0; i < W * H; i++) {
        slope(k, a, i % W, i / W, &dx, &dy);
        at(i % W, i / W) = (float)length(norm, dx, dy);
    }
    for (int i = 0; i < W * H; i++) {
        const int x = i % W, y = i / W;
        slope(k, a, x, y, &dx, &dy);
        const double turn = atan2(fabs(dy), fabs(dx)) * 180 / acos(-1.0);
        const int sx = turn > 67.5                           ? 0
                       : turn < 22.5 || (dx > 0) == (dy > 0) ? 1
                                                             : -1,
                  sy = turn < 22.5 ? 0 : -1;
        const float v = at(x, y);
        if (v > low && v > at(x - sx, y - sy) && v >= at(x + sx, y + sy))
            kind[i] = v > high ? 2 : 1;
        if (kind[i] == 2)
            todo.push(i), out[i] = 255;
    }
    for (; !todo.empty(); todo.pop())
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++) {
                const int x = todo.front() % W + di, y = todo.front() / W + dj, i = y * W + x;
                if (x >= 0 && y >= 0 && x < W && y < H && kind[i] && !out[i])
                    todo.push(i), out[i] = 255;
            }
    return out;
}
template <class F, class G> void canny(const char *name, F f, G g)
{
    const struct {
        const weights *k;
        NppiDifferentialKernel filter;
        NppiMaskSize mask;
        NppiNorm norm;
        Npp16s low, high;
    } cases[] = {{&sobel, NPP_FILTER_SOBEL, NPP_MASK_SIZE_3_X_3, nppiNormL2, 72, 256},
                 {&wide, NPP_FILTER_SOBEL, NPP_MASK_SIZE_5_X_5, nppiNormL1, 900, 4000},
                 {&scharr, NPP_FILTER_SCHARR, NPP_MASK_SIZE_3_X_3, nppiNormInf, 500, 1500}};
    for (const auto &c : cases) {
        grid<Npp8u> a, d;
        speckle(a, c.low, 120, 1);
        for (int y = 0; y < H; y++) /* a disc and a slope under the noise */
            for (int x = 0; x < W; x++)
                a.at(x, y) =
                    (Npp8u)(a.at(x, y) / 4 +
                            ((x - 15) * (x - 15) + (y - 11) * (y - 11) < 64 ? 120 : 0) + x + y);
        NPP(c.low == 72
                ? f(a.p, a.step, size, NppiPoint{0, 0}, d.p, d.step, size, c.filter, c.mask, c.low,
                    c.high, c.norm, NPP_BORDER_REPLICATE, buffer())
                : g(a.p, a.step, size, NppiPoint{0, 0}, d.p, d.step, size, c.filter, c.mask, c.low,
                    c.high, c.norm, NPP_BORDER_REPLICATE, buffer(), NppStreamContext{}));
        CUDA(cudaDeviceSynchronize());
        const std::vector<int> want = edges(*c.k, a, c.norm, c.low, c.high);
        int found = 0;
        for (int i = 0; i < W * H; i++) {
            found += want[i] != 0;
            if (d.at(i % W, i / W) != want[i])
                differ(name, i % W, i / W, d.at(i % W, i / W), want[i]);
        }
        CHECK(found > 10 && found < W * H / 2);
        CHECK(f(a.p, a.step, size, NppiPoint{0, 0}, d.p, d.step, size, c.filter, c.mask, 9, 3,
                c.norm, NPP_BORDER_REPLICATE, buffer()) == NPP_RANGE_ERROR);
    }
}

/* ---- tables ---- */

template <class T, class V, class F, class G> void table(const char *name, bool linear, F f, G g)
{
    enum { N = 5 };
    grid<T> a, d;
    speckle(a, 5, 256, 1);
    V *levels, *values;
    CUDA(cudaMallocManaged((void **)&levels, sizeof(V) * N));
    CUDA(cudaMallocManaged((void **)&values, sizeof(V) * N));
    const int l[N] = {10, 50, 51, 120, 200}, v[N] = {255, 3, 100, 7, 90};
    for (int k = 0; k < N; k++)
        levels[k] = (V)l[k], values[k] = (V)v[k];
    for (int which = 0; which < 2; which++) {
        NPP(which ? f(a.p, a.step, d.p, d.step, size, values, levels, N)
                  : g(a.p, a.step, d.p, d.step, size, values, levels, N, NppStreamContext{}));
        CUDA(cudaDeviceSynchronize());
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const double u = (double)a.at(x, y);
                double want = u;
                for (int k = 0; k + 1 < N; k++)
                    if (u >= l[k] && u < l[k + 1])
                        want = linear ? v[k] + (v[k + 1] - v[k]) * (u - l[k]) / (l[k + 1] - l[k])
                                      : v[k];
                if ((T)0.5 == (T)0)
                    want = rint(want);
                if (fabs((double)d.at(x, y) - want) > 1e-5 * fabs(want))
                    differ(name, x, y, (double)d.at(x, y), want);
            }
    }
    CHECK(f(a.p, a.step, d.p, d.step, size, values, levels, 1) == NPP_LUT_NUMBER_OF_LEVELS_ERROR);
    CUDA(cudaFree(levels));
    CUDA(cudaFree(values));
}
} // namespace regions
