// OPTIONS: -lnppif -lnppim -lnppig -lnppicc -lnppisu -lnppc
// NPP's filters, geometry and colours, against loops.
#include <cmath>
#include <cstring>
#include <vector>
#include <npp.h>
#include "npp_check.h"

enum { W = 12, H = 9 };
template <class T, int C> struct image {
    T *p;
    int step = W * C * (int)sizeof(T);
    image(unsigned seed)
    {
        CUDA(cudaMallocManaged(&p, step * H));
        for (int i = 0; i < W * H * C; i++) {
            seed = seed * 1664525u + 1013904223u;
            p[i] = (T)(seed >> 24);
        }
    }
    ~image() { cudaFree(p); }
    double at(int x, int y, int c) const { return (double)p[(y * W + x) * C + c]; }
    double near(int x, int y, int c) const { return at(x < 0 ? 0 : x >= W ? W - 1 : x, y < 0 ? 0 : y >= H ? H - 1 : y, c); }
};
template <class T> bool same(double got, double want)
{
    const bool whole = (T)0.5 == (T)0;
    return fabs(got - (whole ? fmin(fmax(rint(want), 0), 255) : want)) <= (whole ? 0 : 1e-4 * (1 + fabs(want)));
}

/* Inside: what lies around is there. */
static const NppiSize inside = {W - 4, H - 4}, mask = {3, 2};
static const NppiPoint anchor = {1, 0};

template <class T, int C, class Call, class F> void filter(const char *what, Call call, F f)
{
    image<T, C> a(1), d(2), was(2);
    NPP(call(a.p + (2 * W + 2) * C, a.step, d.p + (2 * W + 2) * C));
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < C; c++) {
                const bool in = x >= 2 && y >= 2 && x < W - 2 && y < H - 2;
                const double want = in ? f(a, x, y, c) : was.at(x, y, c);
                if (!same<T>(d.at(x, y, c), want)) {
                    printf("%s: (%d, %d) channel %d: %g, not %g\n", what, x, y, c, d.at(x, y, c), want);
                    exit(1);
                }
            }
}

static void filters()
{
    filter<Npp8u, 1>("box", [](Npp8u *a, int s, Npp8u *d) { return nppiFilterBox_8u_C1R(a, s, d, s, inside, mask, anchor); },
                     [](const image<Npp8u, 1> &a, int x, int y, int c) {
                         double sum = 0;
                         for (int j = 0; j < 2; j++)
                             for (int i = 0; i < 3; i++)
                                 sum += a.at(x - 1 + i, y + j, c);
                         return sum / 6;
                     });
    filter<Npp32f, 4>("max", [](Npp32f *a, int s, Npp32f *d) { return nppiFilterMax_32f_C4R(a, s, d, s, inside, mask, anchor); },
                      [](const image<Npp32f, 4> &a, int x, int y, int c) {
                          double most = -1;
                          for (int j = 0; j < 2; j++)
                              for (int i = 0; i < 3; i++)
                                  most = fmax(most, a.at(x - 1 + i, y + j, c));
                          return most;
                      });
    Npp8u *places;
    CUDA(cudaMallocManaged(&places, 6));
    const Npp8u cross[6] = {0, 1, 0, 1, 1, 1};
    memcpy(places, cross, 6);
    filter<Npp8u, 3>("erode", [&](Npp8u *a, int s, Npp8u *d) { return nppiErode_8u_C3R(a, s, d, s, inside, places, mask, anchor); },
                     [&](const image<Npp8u, 3> &a, int x, int y, int c) {
                         double least = 256;
                         for (int k = 0; k < 6; k++)
                             if (cross[k])
                                 least = fmin(least, a.at(x - 1 + k % 3, y + k / 3, c));
                         return least;
                     });
    filter<Npp8u, 1>("dilate 3x3", [](Npp8u *a, int s, Npp8u *d) { return nppiDilate3x3_8u_C1R(a, s, d, s, inside); },
                     [](const image<Npp8u, 1> &a, int x, int y, int c) {
                         double most = 0;
                         for (int k = 0; k < 9; k++)
                             most = fmax(most, a.at(x - 1 + k % 3, y - 1 + k / 3, c));
                         return most;
                     });
    Npp32s *kernel;
    CUDA(cudaMallocManaged(&kernel, 6 * sizeof *kernel));
    const Npp32s weights[6] = {1, 2, -3, 4, 0, 5};
    memcpy(kernel, weights, sizeof weights);
    filter<Npp8u, 3>("filter", [&](Npp8u *a, int s, Npp8u *d) { return nppiFilter_8u_C3R(a, s, d, s, inside, kernel, mask, anchor, 4); },
                     [&](const image<Npp8u, 3> &a, int x, int y, int c) {
                         double sum = 0;
                         for (int k = 0; k < 6; k++)
                             sum += weights[5 - k] * a.at(x - 1 + k % 3, y + k / 3, c);
                         return sum / 4;
                     });
    /* With a border of the nearest pixels, over the whole image. */
    image<Npp8u, 1> a(1), d(2);
    const NppiSize all = {W, H};
    NPP(nppiFilterBoxBorder_8u_C1R(a.p, a.step, all, NppiPoint{0, 0}, d.p, d.step, all, NppiSize{5, 5}, NppiPoint{2, 2}, NPP_BORDER_REPLICATE));
    CUDA(cudaDeviceSynchronize());
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            double sum = 0;
            for (int k = 0; k < 25; k++)
                sum += a.near(x - 2 + k % 5, y - 2 + k / 5, 0);
            CHECK(same<Npp8u>(d.at(x, y, 0), sum / 25));
        }
    CHECK(nppiFilterBoxBorder_8u_C1R(a.p, a.step, all, NppiPoint{0, 0}, d.p, d.step, all, mask, anchor, NPP_BORDER_WRAP) == NPP_NOT_SUPPORTED_MODE_ERROR);
    CHECK(nppiFilterBox_8u_C1R(a.p, a.step, d.p, d.step, inside, NppiSize{0, 2}, anchor) == NPP_MASK_SIZE_ERROR);
    CHECK(nppiFilterBox_8u_C1R(a.p, a.step, d.p, d.step, inside, mask, NppiPoint{3, 0}) == NPP_ANCHOR_ERROR);
}

static double cubic(double t)
{
    t = fabs(t);
    return t < 1 ? 1.5 * t * t * t - 2.5 * t * t + 1 : t < 2 ? -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2 : 0;
}
template <class I> double sample(const I &a, double x, double y, int c, int how)
{
    if (how == NPPI_INTER_NN)
        return a.near((int)floor(x + 0.5), (int)floor(y + 0.5), c);
    double sum = 0;
    const int fx = (int)floor(x), fy = (int)floor(y);
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            const double dx = fabs(x - fx - i), dy = fabs(y - fy - j);
            sum += a.near(fx + i, fy + j, c) * (how == NPPI_INTER_LINEAR ? fmax(0, 1 - dx) * fmax(0, 1 - dy) : cubic(dx) * cubic(dy));
        }
    return sum;
}

static void sizes()
{
    const NppiSize all = {W, H};
    const NppiRect from = {0, 0, W, H}, to = {1, 2, 8, 5};
    for (int how : {NPPI_INTER_NN, NPPI_INTER_LINEAR, NPPI_INTER_CUBIC, NPPI_INTER_SUPER}) {
        image<Npp32f, 3> a(1), d(2), was(2);
        NPP(nppiResize_32f_C3R(a.p, a.step, all, from, d.p, d.step, all, to, how));
        CUDA(cudaDeviceSynchronize());
        const double fx = W / 8.0, fy = H / 5.0;
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                for (int c = 0; c < 3; c++) {
                    double want = was.at(x, y, c);
                    if (x >= 1 && y >= 2 && x < 9 && y < 7 && how != NPPI_INTER_SUPER)
                        want = sample(a, (x - 1 + 0.5) * fx - 0.5, (y - 2 + 0.5) * fy - 0.5, c, how);
                    else if (x >= 1 && y >= 2 && x < 9 && y < 7) {
                        want = 0;
                        for (int j = 0; j < H; j++)
                            for (int i = 0; i < W; i++)
                                want += fmax(0, fmin((x - 1 + 1) * fx, i + 1.0) - fmax((x - 1) * fx, i)) *
                                        fmax(0, fmin((y - 2 + 1) * fy, j + 1.0) - fmax((y - 2) * fy, j)) * a.at(i, j, c);
                        want /= fx * fy;
                    }
                    CHECK(same<Npp32f>(d.at(x, y, c), want));
                }
    }
    image<Npp8u, 1> a(1), d(2);
    CHECK(nppiResize_8u_C1R(a.p, a.step, all, from, d.p, d.step, all, to, NPPI_INTER_LANCZOS) == NPP_INTERPOLATION_ERROR);
    CHECK(nppiResize_8u_C1R(a.p, a.step, all, NppiRect{0, 0, W + 1, H}, d.p, d.step, all, to, NPPI_INTER_NN) == NPP_WRONG_INTERSECTION_ROI_WARNING);
}

/* A pixel whose place in the source is outside stays as it is. back: from what is written to what is read. */
template <class F> static void warped(const char *what, F call, const double (*back)[3])
{
    image<Npp32f, 1> a(1), d(2), was(2);
    NPP(call(a, d));
    CUDA(cudaDeviceSynchronize());
    int moved = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const double z = back[2][0] * x + back[2][1] * y + back[2][2];
            const double sx = (back[0][0] * x + back[0][1] * y + back[0][2]) / z, sy = (back[1][0] * x + back[1][1] * y + back[1][2]) / z;
            const bool edge = fabs(sx + 0.5 - rint(sx + 0.5)) < 1e-9 || fabs(sy + 0.5 - rint(sy + 0.5)) < 1e-9; // either is right
            const bool in = sx >= -0.5 && sy >= -0.5 && sx < W - 0.5 && sy < H - 0.5;
            moved += in;
            if (!edge && !same<Npp32f>(d.at(x, y, 0), in ? sample(a, sx, sy, 0, NPPI_INTER_LINEAR) : was.at(x, y, 0))) {
                printf("%s: (%d, %d) from (%g, %g): %g\n", what, x, y, sx, sy, d.at(x, y, 0));
                exit(1);
            }
        }
    CHECK(moved > 10 && moved < W * H);
}
static void geometry()
{
    const NppiSize all = {W, H};
    const NppiRect whole = {0, 0, W, H};
    const double back[3][3] = {{0.8, 0.3, -1.1}, {-0.2, 0.9, 1.3}, {0, 0, 1}}, det = 0.8 * 0.9 + 0.2 * 0.3;
    const double there[2][3] = {{0.9 / det, -0.3 / det, (0.3 * 1.3 + 0.9 * 1.1) / det}, {0.2 / det, 0.8 / det, (0.2 * 1.1 - 0.8 * 1.3) / det}};
    const double tilted[3][3] = {{0.8, 0.3, -1.1}, {-0.2, 0.9, 1.3}, {0.01, 0.02, 1}};
    warped("affine back", [&](auto &a, auto &d) { return nppiWarpAffineBack_32f_C1R(a.p, all, a.step, whole, d.p, d.step, whole, back, NPPI_INTER_LINEAR); }, back);
    warped("affine", [&](auto &a, auto &d) { return nppiWarpAffine_32f_C1R(a.p, all, a.step, whole, d.p, d.step, whole, there, NPPI_INTER_LINEAR); }, back);
    warped("perspective", [&](auto &a, auto &d) { return nppiWarpPerspectiveBack_32f_C1R(a.p, all, a.step, whole, d.p, d.step, whole, tilted, NPPI_INTER_LINEAR); }, tilted);
    const double t = 25 * M_PI / 180, c = cos(t), s = sin(t); // there: (c x + s y + 1.5, -s x + c y + 2)
    const double turned[3][3] = {{c, -s, -c * 1.5 + s * 2}, {s, c, -s * 1.5 - c * 2}, {0, 0, 1}};
    warped("rotate", [&](auto &a, auto &d) { return nppiRotate_32f_C1R(a.p, all, a.step, whole, d.p, d.step, whole, 25, 1.5, 2, NPPI_INTER_LINEAR); }, turned);
    image<Npp8u, 1> a(1), d(2);
    const double flat[2][3] = {{1, 2, 0}, {2, 4, 0}};
    CHECK(nppiWarpAffine_8u_C1R(a.p, all, a.step, whole, d.p, d.step, whole, flat, NPPI_INTER_NN) == NPP_COEFFICIENT_ERROR);
}

static void colours()
{
    const NppiSize all = {W, H};
    image<Npp8u, 3> a(1), yuv(2), back(3);
    image<Npp8u, 1> grey(4);
    NPP(nppiRGBToGray_8u_C3C1R(a.p, a.step, grey.p, grey.step, all));
    NPP(nppiRGBToYUV_8u_C3R(a.p, a.step, yuv.p, yuv.step, all));
    NPP(nppiYUVToRGB_8u_C3R(yuv.p, yuv.step, back.p, back.step, all));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < W * H; i++) {
        const double r = a.p[3 * i], g = a.p[3 * i + 1], b = a.p[3 * i + 2], y = 0.299 * r + 0.587 * g + 0.114 * b;
        CHECK(fabs(grey.p[i] - y) <= 0.5 + 1e-4 && fabs(yuv.p[3 * i] - y) <= 0.5 + 1e-4);
        CHECK(fabs(yuv.p[3 * i + 1] - fmin(fmax(0.492 * (b - y) + 128, 0), 255)) <= 0.51);
        CHECK(fabs(yuv.p[3 * i + 2] - fmin(fmax(0.877 * (r - y) + 128, 0), 255)) <= 0.51);
        for (int c = 0; c < 3; c++)
            if (yuv.p[3 * i + 1] % 255 && yuv.p[3 * i + 2] % 255) // not at its limits
                CHECK(abs(back.p[3 * i + c] - a.p[3 * i + c]) <= 3);
    }
    NPP(nppiRGBToYCbCr_8u_C3R(a.p, a.step, yuv.p, yuv.step, all));
    NPP(nppiYCbCrToRGB_8u_C3R(yuv.p, yuv.step, back.p, back.step, all));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < W * H; i++) {
        const double y = 0.257 * a.p[3 * i] + 0.504 * a.p[3 * i + 1] + 0.098 * a.p[3 * i + 2] + 16;
        CHECK(fabs(yuv.p[3 * i] - y) <= 0.5 + 1e-4);
        for (int c = 0; c < 3; c++)
            CHECK(abs(back.p[3 * i + c] - a.p[3 * i + c]) <= 4);
    }
    const Npp32f twist[3][4] = {{0, 1, 0, 5}, {0, 0, 1, 0}, {-1, 0, 0, 300}};
    NPP(nppiColorTwist32f_8u_C3R(a.p, a.step, back.p, back.step, all, twist));
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < W * H; i++) {
        CHECK(back.p[3 * i] == (a.p[3 * i + 1] + 5 > 255 ? 255 : a.p[3 * i + 1] + 5) && back.p[3 * i + 1] == a.p[3 * i + 2]);
        CHECK(back.p[3 * i + 2] == (300 - a.p[3 * i] > 255 ? 255 : 300 - a.p[3 * i]));
    }
}

int main()
{
    filters();
    sizes();
    geometry();
    colours();
    printf("ok\n");
}
