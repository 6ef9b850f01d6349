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
static void omp_dgemm(int n, const double *restrict A, const double *restrict B, double *restrict C)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        memset(C + (size_t)i * n, 0, 8 * (size_t)n);
        for (int k = 0; k < n; k++) {
            double a = A[(size_t)i * n + k];
#pragma omp simd
            for (int j = 0; j < n; j++)
                C[(size_t)i * n + j] += a * B[(size_t)k * n + j];
        }
    }
}
static void omp_stencil3d(int n, const float *restrict in, const float *unused, float *restrict out)
{
    (void)unused;
    int plane = n * n;
#pragma omp parallel for
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
#pragma omp simd
            for (int x = 1; x < n - 1; x++) {
                int i = z * plane + y * n + x;
                out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] +
                                                in[i - plane] + in[i + plane]);
            }
}
static void omp_layer_norm(int n, const float *restrict in, const float *restrict scale,
                           float *restrict out)
{
#pragma omp parallel for
    for (int r = 0; r < n; r++) {
        float sum = 0, square = 0;
#pragma omp simd reduction(+ : sum, square)
        for (int i = 0; i < n; i++) {
            float x = in[(size_t)r * n + i];
            sum += x;
            square += x * x;
        }
        float mean = sum / n, s = 1 / sqrtf(square / n - mean * mean + 1e-5f);
#pragma omp simd
        for (int i = 0; i < n; i++)
            out[(size_t)r * n + i] = (in[(size_t)r * n + i] - mean) * s * scale[i];
    }
}
static void omp_scan(int n, const float *restrict in, const float *unused, float *restrict out)
{
    (void)unused;
#pragma omp parallel for
    for (int b = 0; b < n; b += 256) {
        float s = 0;
        for (int i = b; i < b + 256; i++)
            out[i] = s += in[i];
    }
}
static void omp_fft(int n, const float *restrict in, const float *restrict w, float *restrict out)
{
#pragma omp parallel for
    for (int b = 0; b < n; b++) {
        float re[256], im[256];
        for (int i = 0; i < 256; i++) {
            int r = 0;
            for (int bit = 0; bit < 8; bit++)
                r |= (i >> bit & 1) << (7 - bit);
            re[r] = in[(size_t)b * 512 + i];
            im[r] = in[(size_t)b * 512 + 256 + i];
        }
        for (int half = 1; half < 256; half *= 2)
            for (int k = 0; k < 256; k += 2 * half)
#pragma omp simd
                for (int j = 0; j < half; j++) {
                    float c = w[j * (128 / half)], s = w[128 + j * (128 / half)];
                    float x = re[k + j + half] * c - im[k + j + half] * s,
                          y = re[k + j + half] * s + im[k + j + half] * c, u = re[k + j],
                          v = im[k + j];
                    re[k + j] = u + x, im[k + j] = v + y;
                    re[k + j + half] = u - x, im[k + j + half] = v - y;
                }
        memcpy(out + (size_t)b * 512, re, sizeof re);
        memcpy(out + (size_t)b * 512 + 256, im, sizeof im);
    }
}
static void omp_bitonic(int n, const float *restrict in, const float *unused, float *restrict out)
{
    (void)unused;
#pragma omp parallel for
    for (int b = 0; b < n; b += 512) {
        float *a = out + b;
        memcpy(a, in + b, 2048);
        for (int size = 2; size <= 512; size *= 2)
            for (int step = size / 2; step > 0; step /= 2)
                for (int k = 0; k < 512; k += 2 * step) {
                    int up = (k & size) == 0;
#pragma omp simd
                    for (int i = k; i < k + step; i++) {
                        float x = a[i], y = a[i + step];
                        float low = x < y ? x : y, high = x < y ? y : x;
                        a[i] = up ? low : high;
                        a[i + step] = up ? high : low;
                    }
                }
    }
}
static void omp_jacobi(int n, const float *restrict in, const float *unused, float *restrict out)
{
    (void)unused;
#pragma omp parallel for simd
    for (int t = 0; t < n; t++) {
        float a[4][4];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                a[i][j] = in[(i > j ? i * 4 + j : j * 4 + i) * n + t];
        for (int sweep = 0; sweep < 5; sweep++)
            for (int p = 0; p < 3; p++)
                for (int q = p + 1; q < 4; q++) {
                    float apq = a[p][q], d = a[q][q] - a[p][p];
                    float h = fabsf(d) + sqrtf(d * d + 4 * apq * apq) + 1e-30f;
                    float tn = d < 0 ? -2 * apq / h : 2 * apq / h;
                    float c = 1 / sqrtf(tn * tn + 1), s = tn * c;
                    for (int k = 0; k < 4; k++) {
                        float x = a[k][p], y = a[k][q];
                        a[k][p] = c * x - s * y;
                        a[k][q] = s * x + c * y;
                    }
                    for (int k = 0; k < 4; k++) {
                        float x = a[p][k], y = a[q][k];
                        a[p][k] = c * x - s * y;
                        a[q][k] = s * x + c * y;
                    }
                }
        for (int i = 0; i < 4; i++)
            out[i * n + t] = a[i][i];
    }
}
static void omp_md_force(int n, const int *restrict list, const float *restrict p,
                         float *restrict out)
{
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) {
        float x = p[i], y = p[n + i], z = p[2 * n + i], fx = 0, fy = 0, fz = 0;
        for (int k = 0; k < 32; k++) {
            int j = list[k * n + i];
            float dx = x - p[j], dy = y - p[n + j], dz = z - p[2 * n + j];
            float r2 = dx * dx + dy * dy + dz * dz;
            float inv = 1 / r2, s6 = inv * inv * inv * 1e-6f, f = inv * s6 * (s6 - 0.5f);
            f = r2 < 0.25f && r2 > 0 ? f : 0;
            fx += dx * f, fy += dy * f, fz += dz * f;
        }
        out[i] = fx, out[n + i] = fy, out[2 * n + i] = fz;
    }
}
