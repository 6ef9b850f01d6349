/* The same work as kernels.cu, as a C programmer writes it with OpenMP. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void omp_vector_add(int n, const float *restrict a, const float *restrict b,
                           float *restrict c)
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
static void omp_saxpy(int n, const float *restrict x, float *restrict y, float *unused)
{
    (void)unused;
#pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        y[i] = 2.5f * x[i] + y[i];
}
static void omp_dot_product(int n, const float *restrict a, const float *restrict b,
                            float *restrict sums)
{
#pragma omp parallel for
    for (int k = 0; k < n / 4096; k++) {
        float s = 0;
#pragma omp simd reduction(+ : s)
        for (int i = k * 4096; i < (k + 1) * 4096; i++)
            s += a[i] * b[i];
        sums[k] = s;
    }
}
static void omp_sgemm(int n, const float *restrict A, const float *restrict B, float *restrict C)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        memset(C + (size_t)i * n, 0, 4 * (size_t)n);
        for (int k = 0; k < n; k++) {
            float a = A[(size_t)i * n + k];
#pragma omp simd
            for (int j = 0; j < n; j++)
                C[(size_t)i * n + j] += a * B[(size_t)k * n + j];
        }
    }
}
static void omp_transpose(int n, const float *restrict in, const float *unused, float *restrict out)
{
    (void)unused;
#pragma omp parallel for collapse(2)
    for (int y = 0; y < n; y += 16)
        for (int x = 0; x < n; x += 16)
            for (int i = 0; i < 16; i++)
                for (int j = 0; j < 16; j++)
                    out[(size_t)(x + i) * n + y + j] = in[(size_t)(y + j) * n + x + i];
}
static void omp_stencil(int n, const float *restrict in, const float *unused, float *restrict out)
{
    (void)unused;
#pragma omp parallel for
    for (int y = 1; y < n - 1; y++)
#pragma omp simd
        for (int x = 1; x < n - 1; x++)
            out[y * n + x] =
                0.5f * in[y * n + x] + 0.125f * (in[y * n + x - 1] + in[y * n + x + 1] +
                                                 in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}
static void omp_conv(int n, const float *restrict in, const float *restrict w, float *restrict out)
{
#pragma omp parallel for
    for (int y = 0; y < n - 4; y++)
#pragma omp simd
        for (int x = 0; x < n - 4; x++) {
            float s = 0;
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 5; j++)
                    s += in[(y + i) * n + x + j] * w[i * 5 + j];
            out[y * n + x] = s;
        }
}
static void omp_softmax(int n, const float *restrict in, const float *unused, float *restrict out)
{
    (void)unused;
#pragma omp parallel for
    for (int r = 0; r < n; r++) {
        float most = -1e30f, sum = 0;
#pragma omp simd reduction(max : most)
        for (int i = 0; i < n; i++)
            most = in[(size_t)r * n + i] > most ? in[(size_t)r * n + i] : most;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < n; i++)
            sum += expf(in[(size_t)r * n + i] - most);
        sum = 1 / sum;
#pragma omp simd
        for (int i = 0; i < n; i++)
            out[(size_t)r * n + i] = expf(in[(size_t)r * n + i] - most) * sum;
    }
}
static void omp_histogram(int n, const int *restrict in, const float *unused, int *restrict bins)
{
    (void)unused;
#pragma omp parallel
    {
        int part[256] = {0};
#pragma omp for
        for (int i = 0; i < n; i++)
            part[in[i] & 255]++;
        for (int i = 0; i < 256; i++)
            __atomic_fetch_add(&bins[i], part[i], __ATOMIC_RELAXED);
    }
}
static void omp_nbody(int n, const float *restrict p, const float *unused, float *restrict out)
{
    (void)unused;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float x = p[i], y = p[n + i], z = p[2 * n + i], ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (int j = 0; j < n; j++) {
            float dx = p[j] - x, dy = p[n + j] - y, dz = p[2 * n + j] - z;
            float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = r * r * r;
            ax += dx * s, ay += dy * s, az += dz * s;
        }
        out[i] = ax, out[n + i] = ay, out[2 * n + i] = az;
    }
}
static void omp_black_scholes(int n, const float *restrict price, const float *restrict strike,
                              float *restrict call)
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) {
        float s = price[i], k = strike[i], root = sqrtf(2.0f);
        float d1 = (logf(s / k) + (0.02f + 0.5f * 0.09f) * 2.0f) / (0.3f * root),
              d2 = d1 - 0.3f * root;
        float c[2], d[2] = {d1, d2};
        for (int m = 0; m < 2; m++) {
            float t = 1 / (1 + 0.2316419f * fabsf(d[m]));
            float v = 0.3989422804f * expf(-0.5f * d[m] * d[m]) *
                      (t * (0.31938153f +
                            t * (-0.356563782f +
                                 t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f)))));
            c[m] = d[m] > 0 ? 1 - v : v;
        }
        call[i] = s * c[0] - k * expf(-0.02f * 2.0f) * c[1];
    }
}
static void omp_mandelbrot(int n, const float *unused, const float *unused2, int *restrict out)
{
    (void)unused, (void)unused2;
#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < n; py++)
        for (int px = 0; px < n; px++) {
            float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
            int k = 0;
            while (k < 256 && x * x + y * y < 4) {
                float t = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = t;
                k++;
            }
            out[py * n + px] = k;
        }
}
static void omp_spmv(int n, const int *restrict columns, const float *restrict x, float *restrict y)
{
#pragma omp parallel for simd
    for (int row = 0; row < n; row++) {
        float s = 0;
        for (int k = 0; k < 16; k++)
            s += (float)(k + 1) * x[columns[k * n + row]];
        y[row] = s;
    }
}
