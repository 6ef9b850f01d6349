/* Singular values of many small matrices of real numbers on the CPU, one after the other on each
 * core, in double precision: rotations of columns from one side until all are orthogonal. */
#include "lib/solver/host/singular.h"

#include <math.h>
#include <string.h>

struct turns {
    struct host_turns given;
    bool narrow;
    int64_t ld; /* of X and V in room */
    double *room;
    const struct loops *loops;
};
static int64_t turns_room(const struct host_turns *g, int64_t ld)
{
    return 2 * ld * g->cols + 2 * g->cols + g->rows * g->rows;
}

static double number(const struct turns *t, const void *a, int64_t at)
{
    return t->narrow ? (double)((const float *)a)[at] : ((const double *)a)[at];
}
static void put(const struct turns *t, void *a, int64_t at, double v)
{
    if (t->narrow)
        ((float *)a)[at] = (float)v;
    else
        ((double *)a)[at] = v;
}

/* The pair p, q of columns, whose lengths are kept; whether it was turned and is more than
 * rounding. The lengths follow from the angle, but for what rounding adds up to in a sweep. */
static bool turn_pair(const struct turns *t, double *x, double *v, int64_t p, int64_t q,
                      double least, double *lengths)
{
    const int64_t ld = t->ld;
    const double a = lengths[p], b = lengths[q], xy = t->loops->dot(ld, x + p * ld, x + q * ld);
    if (!(fabs(xy) > t->given.tolerance * (a * b)))
        return false;
    const double xx = a * a, yy = b * b;
    const double ratio = (yy - xx) / (2 * xy),
                 tangent = copysign(1, ratio) / (fabs(ratio) + sqrt(1 + ratio * ratio)),
                 c = 1 / sqrt(1 + tangent * tangent), s = c * tangent;
    t->loops->rotate(ld, c, s, x + p * ld, x + q * ld);
    t->loops->rotate(ld, c, s, v + p * ld, v + q * ld);
    const double moved = tangent * xy, close = 0x1p-10;
    if (xx - moved > close * xx && yy + moved > close * yy) {
        lengths[p] = sqrt(xx - moved);
        lengths[q] = sqrt(yy + moved);
    } else { /* few digits of the difference would be left */
        double sums[3];
        t->loops->squares(ld, x + p * ld, x + q * ld, sums);
        lengths[p] = sqrt(sums[0]);
        lengths[q] = sqrt(sums[1]);
    }
    return a > least && b > least;
}

/* Columns of u, n rows, that are not there become orthonormal to those that are. */
static void complete(int64_t n, int64_t cols, const double *lengths, double least, double *u,
                     int64_t ldu)
{
    int64_t axis = 0;
    for (int64_t k = 0; k < n; k++)
        for (bool found = k < cols && lengths[k] > least; axis < n && !found; axis++) {
            double *c = u + k * ldu, size = 1;
            memset(c, 0, (size_t)n * sizeof *c);
            c[axis] = 1;
            for (int again = 0; again < 2 && size * size * 4 * (double)n >= 1; again++) {
                for (int64_t l = 0; l < n; l++) {
                    double dot = 0;
                    if (l >= k && !(l < cols && lengths[l] > least && l != k))
                        continue;
                    for (int64_t i = 0; i < n; i++)
                        dot += u[i + l * ldu] * c[i];
                    for (int64_t i = 0; i < n; i++)
                        c[i] -= dot * u[i + l * ldu];
                }
                size = 0;
                for (int64_t i = 0; i < n; i++)
                    size += c[i] * c[i];
                size = sqrt(size);
                for (int64_t i = 0; i < n && size > 0; i++)
                    c[i] /= size;
            }
            found = size * size * 4 * (double)n >= 1;
        }
}

/* X, or its adjoint, times a power of two that makes squares numbers; that power is the result. */
static double load(const struct turns *t, int64_t z, double *x, double *v)
{
    const struct host_turns *g = &t->given;
    const int64_t from = z * g->lda * (g->adjoint ? g->rows : g->cols);
    double most = 0;
    int power = 0;
    memset(x, 0, (size_t)(2 * t->ld * g->cols) * sizeof *x);
    for (int64_t j = 0; j < g->cols; j++) {
        v[j + j * t->ld] = 1;
        for (int64_t i = 0; i < g->rows; i++) {
            const int64_t at = from + (g->adjoint ? j + i * g->lda : i + j * g->lda);
            x[i + j * t->ld] = number(t, g->a, at);
            most = fmax(most, fabs(x[i + j * t->ld]));
        }
    }
    if (most > 0 && isfinite(most) && (most > 1e100 || most < 1e-100))
        frexp(most, &power);
    for (int64_t e = 0; power && e < t->ld * g->cols; e++)
        x[e] = ldexp(x[e], -power);
    return ldexp(1, power);
}

/* Values, all of U and V, in the order of values where they are sorted. */
static void store(const struct turns *t, int64_t z, const double *x, const double *v,
                  const double *lengths, double least, double scale, double *u)
{
    const struct host_turns *g = &t->given;
    double *in_order = u + g->rows * g->rows;
    for (int64_t j = 0; j < g->cols; j++) {
        int64_t at = g->sort ? 0 : j;
        for (int64_t i = 0; g->sort && i < g->cols; i++)
            at += lengths[i] > lengths[j] || (lengths[i] == lengths[j] && i < j);
        in_order[at] = lengths[j];
        put(t, g->values, z * g->cols + at, lengths[j] * scale);
        for (int64_t i = 0; g->u && i < g->rows; i++)
            u[i + at * g->rows] = lengths[j] > 0 ? x[i + j * t->ld] / lengths[j] : 0;
        for (int64_t i = 0; g->v && i < g->cols; i++)
            put(t, g->v, z * g->vstep + i + at * g->ldv, v[i + j * t->ld]);
    }
    if (!g->u)
        return;
    complete(g->rows, g->cols, in_order, least, u, g->rows);
    for (int64_t j = 0; j < g->rows; j++)
        for (int64_t i = 0; i < g->rows; i++)
            put(t, g->u, z * g->ustep + i + j * g->ldu, u[i + j * g->rows]);
}

static void turns_task(const tern_thread *thread, void *args)
{
    const struct turns *t = args;
    const struct host_turns *g = &t->given;
    const int64_t z = thread->block.x;
    double *x = t->room + z * turns_room(g, t->ld), *v = x + t->ld * g->cols,
           *lengths = v + t->ld * g->cols, square = 0;
    const double scale = load(t, z, x, v);
    for (int64_t j = 0; j < g->cols; j++)
        square += t->loops->dot(t->ld, x + j * t->ld, x + j * t->ld);
    /* What is no longer than this is rounding, and never becomes orthogonal to what it is of. */
    const double least = g->tolerance * sqrt(square);
    bool left = true;
    for (int sweep = 0; left && sweep < g->sweeps; sweep++) {
        left = false;
        for (int64_t j = 0; j < g->cols; j++)
            lengths[j] = sqrt(t->loops->dot(t->ld, x + j * t->ld, x + j * t->ld));
        /* All pairs in rounds: those of a round have no column in common, so that a processor is at
         * several of them at a time. */
        const int64_t ring = g->cols - 1 + g->cols % 2;
        for (int64_t round = 0; round < ring; round++)
            for (int64_t k = 0; k <= ring / 2; k++) {
                const int64_t p = (round + k) % ring, q = k ? (round + ring - k) % ring : ring;
                if (p < g->cols && q < g->cols && g->cols > 1)
                    left |= turn_pair(t, x, v, p < q ? p : q, p < q ? q : p, least, lengths);
            }
    }
    for (int64_t j = 0; j < g->cols; j++)
        lengths[j] = sqrt(t->loops->dot(t->ld, x + j * t->ld, x + j * t->ld));
    store(t, z, x, v, lengths, least, scale, lengths + g->cols);
    g->info[z] = left || !isfinite(least) ? (int)g->cols + 1 : 0;
}

void host_turns(struct work *w, const struct host_turns *g, int64_t count)
{
    enum { PAD = 8 };
    struct turns t = {.given = *g,
                      .narrow = w->type == LIB_F32,
                      .ld = (g->rows + PAD - 1) / PAD * PAD,
                      .loops = host_loops()};
    tern_stream *stream;
    t.room = work_bytes(w, (size_t)(turns_room(g, t.ld) * count) * sizeof *t.room);
    if (!w->error)
        work_fail(w, tern_cuda_stream(w->h->device.device, w->h->stream, &stream));
    if (!w->error)
        work_fail(w, tern_launch_function(stream, turns_task, (tern_dim){(uint32_t)count, 1, 1},
                                          (tern_dim){1, 1, 1}, 0, &t, sizeof t));
}
