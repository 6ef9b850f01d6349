/* Roots of unity and what is made of them: computed in double, each from an angle of an eighth turn
 * at most, so that no error adds up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/fft/fft_int.h"

void fft_root(int64_t k, int64_t n, double out[2])
{
    static const double turn = 6.28318530717958647692528676655900577;
    /* Mirrored at a half, a quarter, an eighth. */
    const bool below = 2 * k > n;
    if (below)
        k = n - k;
    const bool left = 4 * k > n;
    int64_t twice = 2 * k; /* in 2n-ths: a half less k need not be whole in n-ths */
    if (left)
        twice = n - twice;
    const bool steep = 4 * twice > n;
    const double angle = steep ? turn * (double)(n - 2 * twice) / (double)(4 * n)
                               : turn * (double)twice / (double)(2 * n);
    double c = cos(angle), s = sin(angle);
    if (steep) {
        const double t = c;
        c = s;
        s = t;
    }
    out[0] = left ? -c : c;
    out[1] = below ? s : -s;
}

/* exp(-pi i j^2 / n) for j < n: the square is kept less than 2 n. */
static void chirp(int64_t n, double *out)
{
    for (int64_t j = 0, square = 0; j < n; j++) {
        fft_root(square, 2 * n, out + 2 * j);
        square += 2 * j + 1;
        while (square >= 2 * n)
            square -= 2 * n;
    }
}

size_t fft_table_count(const struct fft_table *t)
{
    switch (t->kind) {
    case FFT_COARSE: return (size_t)(t->a >> t->b) + 1;
    case FFT_TWIDDLES:
    case FFT_CHIRP: return (size_t)t->a;
    default: return (size_t)t->b;
    }
}

size_t fft_table_element(const struct fft_program *p, const struct fft_table *t)
{
    return p->wide || (p->limits.host && (t->kind == FFT_FINE || t->kind == FFT_COARSE)) ? 16 : 8;
}

static bool product(int64_t n, int64_t m, double *x)
{
    memset(x, 0, (size_t)m * 2 * sizeof *x);
    chirp(n, x);
    for (int64_t j = 0; j < n; j++) {
        x[2 * j] /= (double)m;
        x[2 * j + 1] /= -(double)m;
        if (j)
            memcpy(x + 2 * (m - j), x + 2 * j, 2 * sizeof *x);
    }
    return fft_host_spectrum(m, x);
}

/* Of order a, b columns: a row's roots are powers of one, each made of two from tables of which one
 * has every 256th. */
static bool twiddles(int64_t a, int64_t b, double *x)
{
    const int64_t rows = a / b, steps = a / 256 + 1;
    double *coarse = malloc((size_t)(steps + 256) * 2 * sizeof *coarse);
    if (!coarse)
        return false;
    double *fine = coarse + 2 * steps;
    for (int64_t k = 0; k < steps; k++)
        fft_root(256 * k % a, a, coarse + 2 * k);
    for (int64_t k = 0; k < 256; k++)
        fft_root(k % a, a, fine + 2 * k);
    for (int64_t k = 0; k < rows; k++)
        for (int64_t j = 0, e = 0; j < b; j++, e += k) {
            const double *u = coarse + 2 * (e >> 8), *v = fine + 2 * (e & 255);
            x[2 * (k * b + j)] = u[0] * v[0] - u[1] * v[1];
            x[2 * (k * b + j) + 1] = u[0] * v[1] + u[1] * v[0];
        }
    free(coarse);
    return true;
}

static bool fill(const struct fft_table *t, double *x)
{
    const int64_t count = (int64_t)fft_table_count(t);
    if (t->kind == FFT_PRODUCT)
        return product(t->a, t->b, x);
    if (t->kind == FFT_TWIDDLES)
        return twiddles(t->a, t->b, x);
    if (t->kind == FFT_CHIRP)
        chirp(t->a, x);
    else
        for (int64_t k = 0; k < count; k++)
            fft_root(t->kind == FFT_COARSE ? (k << t->b) % t->a : k, t->a, x + 2 * k);
    return true;
}

void *fft_tables(const struct fft_program *p)
{
    char *all = calloc(p->table_bytes ? p->table_bytes : 1, 1);
    bool good = all != NULL;
    for (int k = 0; k < p->ntables && good; k++) {
        const struct fft_table *t = p->tables + k;
        const size_t count = fft_table_count(t);
        double *x = malloc((count ? count : 1) * 2 * sizeof *x);
        good = x && fill(t, x);
        if (good && fft_table_element(p, t) == 16)
            memcpy(all + t->offset, x, count * 2 * sizeof *x);
        else if (good)
            for (size_t i = 0; i < 2 * count; i++)
                ((float *)(void *)(all + t->offset))[i] = (float)x[i];
        free(x);
    }
    if (!good) {
        free(all);
        return NULL;
    }
    return all;
}
