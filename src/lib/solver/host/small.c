/* Eigenvalues of many small Hermitian matrices on the CPU, one after the other on each core, in
 * double precision: reflections to a tridiagonal matrix, and QL steps with implicit shifts on it
 * (as device/solver/small_eigen.h has it). Complex numbers are pairs of rows; a QL step's rotations
 * are real and turn them alike. */
#include "lib/solver/host/singular.h"

#include <complex.h>
#undef complex /* it is the name of a field, too */
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 30 /* for each row, as LAPACK */,
    ROWS = 16 /* columns are padded to so many rows, zeros */
};

struct small {
    enum lib_type type;
    bool upper, sort;
    int64_t n, ld, lda; /* ld: of doubles */
    const void *a;
    void *values, *out;
    int *info;
    double *room; /* small_room(n, ld) for each */
    const struct loops *loops;
};

/* What one matrix is worked on with. */
struct bench {
    int64_t n, ld;
    const struct loops *loops;
    double *z, *w, *tau;   /* ld n; ld each */
    double *d, *e, *turns; /* n, n, 2 n */
};
static int64_t small_room(int64_t n, int64_t ld)
{
    return ld * n + 2 * ld + 4 * n;
}

/* ---- real numbers ---- */

static void real_reduce(const struct bench *b)
{
    const struct loops *loops = b->loops;
    const int64_t n = b->n, ld = b->ld;
    for (int64_t k = 0; k + 1 < n; k++) {
        const int64_t rows = n - k - 1;
        double *x = b->z + k * ld + k + 1, *square = x + ld, *w = b->w;
        const double alpha = x[0], rest = loops->dot(rows - 1, x + 1, x + 1);
        double beta = alpha, tau = 0;
        if (rest > 0 || isnan(rest)) {
            const double length = sqrt(alpha * alpha + rest);
            beta = alpha < 0 ? length : -length;
            tau = (beta - alpha) / beta;
            for (int64_t i = 1; i < rows; i++)
                x[i] /= alpha - beta;
        }
        x[0] = 1;
        b->d[k] = x[-1];
        b->e[k] = beta;
        b->tau[k] = tau;
        if (tau == 0)
            continue;
        memset(w, 0, (size_t)rows * sizeof *w);
        int64_t j = 0;
        for (; j + 4 <= rows; j += 4)
            loops->add4(rows, square + j * ld, ld, x + j, w);
        for (; j < rows; j++)
            loops->add(rows, square + j * ld, x[j], w);
        const double dot = loops->dot(rows, w, x) * tau;
        for (int64_t i = 0; i < rows; i++)
            w[i] = tau * (w[i] - dot / 2 * x[i]);
        for (j = 0; j < rows; j++) {
            loops->add(rows, x, -w[j], square + j * ld);
            loops->add(rows, w, -x[j], square + j * ld);
        }
    }
    b->d[n - 1] = b->z[(n - 1) * (ld + 1)];
    b->e[n - 1] = 0;
}

/* Q in place of the reflections, the last first. */
static void real_form(const struct bench *b)
{
    const int64_t n = b->n, ld = b->ld;
    for (int64_t k = n - 2; k >= 0; k--) {
        const int64_t rows = n - k - 1;
        const double *x = b->z + k * ld + k + 1;
        for (int64_t j = 0; j < rows; j++) {
            double *column = b->z + (k + 1 + j) * ld + k + 1;
            if (j == 0)
                memset(column, 0, (size_t)rows * sizeof *column);
            column[0] = j == 0;
            b->loops->add(rows, x, -b->tau[k] * b->loops->dot(rows, x, column), column);
        }
    }
    for (int64_t j = 1; j < n; j++)
        b->z[j * ld] = 0;
    memset(b->z, 0, (size_t)n * sizeof *b->z);
    b->z[0] = 1;
}

/* ---- complex numbers: the same; ld of them is half as large ---- */

typedef double _Complex cd;

static cd inner(int64_t n, const cd *a, const cd *b)
{
    cd s = 0;
    for (int64_t i = 0; i < n; i++)
        s += conj(a[i]) * b[i];
    return s;
}

static void complex_reduce(const struct bench *b)
{
    const int64_t n = b->n, ld = b->ld / 2;
    cd *z = (cd *)b->z, *w = (cd *)b->w, *taus = (cd *)b->tau;
    for (int64_t k = 0; k + 1 < n; k++) {
        const int64_t rows = n - k - 1;
        cd *x = z + k * ld + k + 1, *square = x + ld;
        const cd alpha = x[0];
        const double rest = creal(inner(rows - 1, x + 1, x + 1));
        double beta = creal(alpha);
        cd tau = 0;
        if (rest > 0 || isnan(rest) || cimag(alpha) != 0) {
            const double length =
                sqrt(creal(alpha) * creal(alpha) + cimag(alpha) * cimag(alpha) + rest);
            beta = creal(alpha) < 0 ? length : -length;
            tau = (beta - alpha) / beta;
            for (int64_t i = 1; i < rows; i++)
                x[i] /= alpha - beta;
        }
        x[0] = 1;
        b->d[k] = creal(x[-1]);
        b->e[k] = beta;
        taus[k] = tau;
        memset(w, 0, (size_t)rows * sizeof *w);
        for (int64_t j = 0; j < rows; j++)
            for (int64_t i = 0; i < rows; i++)
                w[i] += square[i + j * ld] * x[j];
        const cd dot = conj(tau) * inner(rows, w, x);
        for (int64_t i = 0; i < rows; i++)
            w[i] = tau * (w[i] - dot / 2 * x[i]);
        for (int64_t j = 0; j < rows; j++)
            for (int64_t i = 0; i < rows; i++)
                square[i + j * ld] -= x[i] * conj(w[j]) + w[i] * conj(x[j]);
    }
    b->d[n - 1] = creal(z[(n - 1) * (ld + 1)]);
    b->e[n - 1] = 0;
}

static void complex_form(const struct bench *b)
{
    const int64_t n = b->n, ld = b->ld / 2;
    cd *z = (cd *)b->z, *taus = (cd *)b->tau;
    for (int64_t k = n - 2; k >= 0; k--) {
        const int64_t rows = n - k - 1;
        const cd *x = z + k * ld + k + 1;
        for (int64_t j = 0; j < rows; j++) {
            cd *column = z + (k + 1 + j) * ld + k + 1;
            if (j == 0)
                memset(column, 0, (size_t)rows * sizeof *column);
            column[0] = j == 0;
            const cd by = taus[k] * inner(rows, x, column);
            for (int64_t i = 0; i < rows; i++)
                column[i] -= by * x[i];
        }
    }
    for (int64_t j = 1; j < n; j++)
        z[j * ld] = 0;
    memset(z, 0, (size_t)n * sizeof *z);
    z[0] = 1;
}

/* ---- QL steps ---- */

/* One step on rows l … m of d and e: its rotations to turns, from the first that there is, which is
 * the result. */
static int64_t step(double *d, double *e, int64_t l, int64_t m, double *turns)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1), c = 1, s = 1, p = 0;
    int64_t i;
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    for (i = m - 1; i >= l; i--) {
        const double f = s * e[i], b = c * e[i], before = d[i + 1] - p, square = f * f + g * g;
        r = square > 0x1p-960 ? sqrt(square) : hypot(f, g);
        e[i + 1] = r;
        if (r == 0) { /* it falls apart here */
            d[i + 1] = before;
            e[m] = 0;
            return i + 1;
        }
        s = f / r;
        c = g / r;
        const double q = (d[i] - before) * s + 2 * c * b;
        p = s * q;
        d[i + 1] = before + p;
        g = c * q - b;
        turns[2 * i] = c;
        turns[2 * i + 1] = s;
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
    return l;
}

/* false: it does not converge. */
static bool diagonalise(const struct bench *b, bool vectors)
{
    double *d = b->d, *e = b->e;
    int64_t left = MOST_STEPS * b->n; /* a graded matrix takes most of them in its first rows */
    for (int64_t l = 0; l < b->n; l++)
        for (;;) {
            int64_t m = l;
            while (m < b->n - 1 && !(fabs(e[m]) <= DBL_EPSILON / 2 * (fabs(d[m]) + fabs(d[m + 1]))))
                m++;
            if (m == l)
                break;
            if (left-- == 0)
                return false;
            const int64_t first = step(d, e, l, m, b->turns);
            if (vectors)
                b->loops->turn(b->ld, m - first, b->turns + 2 * first, b->z + first * b->ld, b->ld);
        }
    return true;
}

/* ---- one matrix ---- */

static bool narrow(const struct small *s)
{
    return s->type == LIB_F32 || s->type == LIB_C32;
}
static double number(const struct small *s, const void *a, int64_t at)
{
    return narrow(s) ? (double)((const float *)a)[at] : ((const double *)a)[at];
}
static void put(const struct small *s, void *a, int64_t at, double v)
{
    if (narrow(s))
        ((float *)a)[at] = (float)v;
    else
        ((double *)a)[at] = v;
}

/* All of matrix k, its triangle mirrored, times a power of two that makes squares numbers; that
 * power is the result. */
static double load(const struct small *s, int64_t k, double *z)
{
    const int parts = lib_types[s->type].complex ? 2 : 1;
    const int64_t n = s->n, ld = s->ld, from = k * s->lda * n;
    double most = 0;
    int power = 0;
    memset(z, 0, (size_t)(ld * n) * sizeof *z);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = s->upper ? 0 : j; i < (s->upper ? j + 1 : n); i++) {
            const int64_t at = parts * (from + i + j * s->lda);
            double *here = z + parts * i + j * ld, *there = z + parts * j + i * ld;
            here[0] = there[0] = number(s, s->a, at);
            if (parts == 2 && i != j) {
                here[1] = number(s, s->a, at + 1);
                there[1] = -here[1];
            }
            most = fmax(most, fmax(fabs(here[0]), parts == 2 ? fabs(here[1]) : 0));
        }
    if (most > 0 && isfinite(most) && (most > 1e100 || most < 1e-100))
        frexp(most, &power);
    for (int64_t e = 0; power && e < ld * n; e++)
        z[e] = ldexp(z[e], -power);
    return ldexp(1, power);
}

static void store(const struct small *s, int64_t k, const struct bench *b, double scale)
{
    const int parts = lib_types[s->type].complex ? 2 : 1;
    const int64_t n = s->n;
    for (int64_t j = 0; j < n; j++) {
        int64_t at = s->sort ? 0 : j;
        for (int64_t i = 0; s->sort && i < n; i++)
            at += b->d[i] < b->d[j] || (b->d[i] == b->d[j] && i < j);
        put(s, s->values, k * n + at, b->d[j] * scale);
        for (int64_t i = 0; s->out && i < parts * n; i++)
            put(s, s->out, parts * (k * n + at) * s->lda + i, b->z[i + j * b->ld]);
    }
}

static void small_task(const tern_thread *thread, void *args)
{
    const struct small *s = args;
    const int64_t k = thread->block.x, n = s->n, ld = s->ld;
    const bool complex_ = lib_types[s->type].complex;
    double *room = s->room + k * small_room(n, ld);
    const struct bench b = {.n = n,
                            .ld = ld,
                            .loops = s->loops,
                            .z = room,
                            .w = room + ld * n,
                            .tau = room + ld * n + ld,
                            .d = room + ld * n + 2 * ld,
                            .e = room + ld * n + 2 * ld + n,
                            .turns = room + ld * n + 2 * ld + 2 * n};
    const double scale = load(s, k, b.z);
    (complex_ ? complex_reduce : real_reduce)(&b);
    if (s->out)
        (complex_ ? complex_form : real_form)(&b);
    s->info[k] = diagonalise(&b, s->out) ? 0 : (int)n + 1;
    store(s, k, &b, scale);
}

void host_small(struct work *w, bool upper, int64_t n, int64_t count, const void *a, int64_t lda,
                bool sort, void *values, void *out, int *info)
{
    const int64_t parts = lib_types[w->type].complex ? 2 : 1,
                  ld = (parts * n + ROWS - 1) / ROWS * ROWS;
    double *room = work_bytes(w, (size_t)(small_room(n, ld) * count) * sizeof *room);
    const struct small s = {w->type, upper,  sort, n,    ld,   lda,
                            a,       values, out,  info, room, host_loops()};
    tern_stream *stream;
    if (!w->error)
        work_fail(w, tern_cuda_stream(w->h->device.device, w->h->stream, &stream));
    if (!w->error)
        work_fail(w, tern_launch_function(stream, small_task, (tern_dim){(uint32_t)count, 1, 1},
                                          (tern_dim){1, 1, 1}, 0, &s, sizeof s));
}
