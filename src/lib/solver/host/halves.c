/* Singular values and vectors of a bidiagonal matrix by halves, after Gu and Eisenstat.
 *
 * A part is `rows` rows and as many columns, or one column more: then it has one right vector more,
 * whose product with it is 0, in the last of its columns of V. Small parts are done by rotations.
 * Two parts with a row between them become one: in the parts' vectors it is a matrix with numbers
 * z in the first row and the parts' values d on the rest of the diagonal, where the row between has
 * d = 0. Squares of its singular values are the roots of
 *     1 + sum of z^2 / (d^2 - x) = 0,
 * one between each two squares (poles). Columns of little z, or of a d that another has, stay as
 * they are. From the roots, whatever their errors, z is computed again so that it has exactly
 * these roots: that makes vectors orthogonal. */
#include "lib/solver/host/singular.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 16, MOST_SWEEPS = 60, MOST_STEPS = 80 };

/* Rows of a column that its vectors have numbers in: those above the row between, those from it on,
 * or all. */
enum kind { UPPER, BOTH, LOWER, NKINDS };

struct pole {
    double d, z;
    int64_t at; /* column of U and V */
    enum kind kind;
};

struct halves {
    struct work *w;
    const struct loops *loops;
    int64_t n;
    double *d; /* of the matrix, then singular values by column of U */
    const double *e;
    double *u, *v;
    /* of one merge */
    struct pole *poles;
    double *z, *p, *root_d, *shifted, *product, *roots, *new_v, *new_u; /* n each */
    double *distances, *su, *sv, *gathered, *result;                    /* n by n */
    int64_t *place; /* of a pole among rows of su and sv */
};

/* ---- small parts ---- */

/* Makes column k of v (size rows) orthonormal to those before it: from the first unit vector of
 * which enough is left. */
static void complete(int64_t size, double *v, int64_t ld, int64_t k, const bool *known,
                     int64_t columns)
{
    double *x = v + k * ld;
    for (int64_t unit = 0; unit < size; unit++) {
        double length = 1;
        memset(x, 0, (size_t)size * sizeof *x);
        x[unit] = 1;
        for (int again = 0; again < 2; again++) {
            for (int64_t j = 0; j < columns; j++) {
                double by = 0;
                for (int64_t i = 0; i < size && known[j]; i++)
                    by += v[i + j * ld] * x[i];
                for (int64_t i = 0; i < size && known[j]; i++)
                    x[i] -= by * v[i + j * ld];
            }
            length = 0;
            for (int64_t i = 0; i < size; i++)
                length += x[i] * x[i];
            length = sqrt(length);
            if (length < 0.5 / sqrt((double)size) && !again)
                break;
            for (int64_t i = 0; i < size; i++)
                x[i] /= length;
        }
        if (length > 0.25)
            return;
    }
}

/* One rotation of the columns i and j of x (size rows) and of u; false: they are orthogonal. */
static bool rotate(int64_t size, int64_t rows, double *x, double *u, int64_t ldu, int64_t i,
                   int64_t j)
{
    double *a = x + i * (LEAF + 1), *b = x + j * (LEAF + 1), aa = 0, bb = 0, ab = 0;
    for (int64_t k = 0; k < size; k++) {
        aa += a[k] * a[k];
        bb += b[k] * b[k];
        ab += a[k] * b[k];
    }
    /* Products of so many elements are no more exact. */
    const double least = DBL_EPSILON * sqrt((double)size);
    if (fabs(ab) <= least * sqrt(aa) * sqrt(bb) || fabs(ab) < DBL_MIN)
        return false;
    const double zeta = (bb - aa) / (2 * ab), t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta),
                 c = 1 / hypot(1, t), s = c * t;
    for (int64_t k = 0; k < size; k++) {
        const double old = a[k];
        a[k] = c * old - s * b[k];
        b[k] = s * old + c * b[k];
    }
    for (int64_t k = 0; k < rows; k++) {
        double *left = u + k + i * ldu, *right = u + k + j * ldu;
        const double old = *left;
        *left = c * old - s * *right;
        *right = s * old + c * *right;
    }
    return true;
}

/* Rotations of the columns of B', which are B's rows, until they are orthogonal. */
static void leaf(struct halves *h, int64_t at, int64_t rows, int64_t more)
{
    const int64_t size = rows + more, n = h->n;
    double x[LEAF * (LEAF + 1)] = {0}, *u = h->u + at + at * n, *v = h->v + at + at * n;
    bool known[LEAF + 1] = {false};
    for (int64_t k = 0; k < rows; k++) {
        x[k + k * (LEAF + 1)] = h->d[at + k];
        if (k + 1 < size)
            x[k + 1 + k * (LEAF + 1)] = h->e[at + k];
        u[k + k * n] = 1;
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
        turned = false;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = i + 1; j < rows; j++)
                turned |= rotate(size, rows, x, u, n, i, j);
    }
    if (turned)
        work_fail(h->w, TERN_INTERNAL);
    for (int64_t k = 0; k < rows; k++) {
        double length = 0;
        for (int64_t i = 0; i < size; i++)
            length = hypot(length, x[i + k * (LEAF + 1)]);
        h->d[at + k] = length;
        known[k] = length > DBL_MIN / DBL_EPSILON;
        for (int64_t i = 0; i < size && known[k]; i++)
            v[i + k * n] = x[i + k * (LEAF + 1)] / length;
    }
    for (int64_t k = 0; k < size; k++)
        if (!known[k]) {
            complete(size, v, n, k, known, size);
            known[k] = true;
        }
}

/* ---- the roots ---- */

/* The root between the poles i and i + 1, or beyond the last: which pole it is counted from, and
 * how far from there it is. p has the poles, count of them; those from the chosen one are left in
 * h->shifted. */
static double root(struct halves *h, int64_t count, int64_t i, int64_t *origin)
{
    const double *z = h->z, *p = h->p;
    const bool last = i + 1 == count;
    double low = 0, high, psi, phi, psi_slope, phi_slope, all = 0;
    for (int64_t k = 0; k < count && last; k++)
        all += z[k] * z[k];
    const double gap = last ? all : p[i + 1] - p[i];
    for (int64_t k = 0; k < count; k++)
        h->shifted[k] = p[k] - p[i];
    h->loops->secular(i + 1, z, h->shifted, gap / 2, &psi, &psi_slope);
    h->loops->secular(count - i - 1, z + i + 1, h->shifted + i + 1, gap / 2, &phi, &phi_slope);
    *origin = i;
    double t;
    if (last) {
        low = 0, high = gap * (1 + 4 * DBL_EPSILON);
        t = 1 + psi > 0 ? gap / 2 : gap;
    } else if (1 + psi + phi >= 0) { /* nearer to the pole before it */
        low = 0, high = gap / 2;
        t = gap / 4;
    } else {
        *origin = i + 1;
        for (int64_t k = 0; k < count; k++)
            h->shifted[k] = p[k] - p[i + 1];
        low = -gap / 2, high = 0;
        t = -gap / 4;
    }
    /* Where the last is nothing but its own pole's, this is it; a good guess for the others, too.
     */
    const int64_t one = last && i ? i - 1 : i, two = last ? i : i + 1;
    for (int step = 0; step < MOST_STEPS; step++) {
        h->loops->secular(one + 1, z, h->shifted, t, &psi, &psi_slope);
        h->loops->secular(count - one - 1, z + one + 1, h->shifted + one + 1, t, &phi, &phi_slope);
        const double f = 1 + psi + phi, slope = psi_slope + phi_slope;
        if (fabs(f) <= 4 * DBL_EPSILON * (1 + fabs(psi) + fabs(phi)) || !isfinite(f))
            break;
        if (f < 0)
            low = t;
        else
            high = t;
        /* Each of both sums as a constant and one pole: a quadratic equation. */
        const double x = h->shifted[one] - t, y = two < count ? h->shifted[two] - t : 0,
                     c = f - x * psi_slope - y * phi_slope, a = (x + y) * f - x * y * slope,
                     b = x * y * f, square = sqrt(fabs(a * a - 4 * b * c));
        double by;
        if (count == 1 || c == 0)
            by = -f / slope;
        else if (last)
            by = a >= 0 ? (a + square) / (2 * c) : 2 * b / (a - square);
        else
            by = a <= 0 ? (a - square) / (2 * c) : 2 * b / (a + square);
        if (!isfinite(by) || f * by > 0)
            by = -f / slope;
        double next = t + by;
        if (!(next > low && next < high))
            next = low + (high - low) / 2;
        if (next == t || high - low <= DBL_EPSILON * fmin(fabs(low), fabs(high)))
            break;
        t = next;
    }
    return t != 0 ? t : *origin == i ? DBL_MIN : -DBL_MIN;
}

/* Roots of all, their distances from the poles, and z again. */
static void solve(struct halves *h, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t origin;
        const double t = root(h, count, i, &origin);
        double *distance = h->distances + i * h->n;
        for (int64_t k = 0; k < count; k++)
            distance[k] = h->shifted[k] - t;
        h->roots[i] = sqrt(fmax(h->p[origin] + t, 0));
    }
    for (int64_t k = 0; k < count; k++)
        h->product[k] = -h->distances[k + (count - 1) * h->n];
    for (int64_t i = 0; i + 1 < count; i++) {
        const double *distance = h->distances + i * h->n;
        h->loops->ratios(i + 1, distance, h->p, h->p[i + 1], h->product);
        h->loops->ratios(count - i - 1, distance + i + 1, h->p + i + 1, h->p[i],
                         h->product + i + 1);
    }
    for (int64_t k = 0; k < count; k++)
        h->z[k] = copysign(sqrt(fabs(h->product[k])), h->z[k]);
}

/* Vectors of the small matrix, rows in the order in which columns are gathered. */
static void small_vectors(struct halves *h, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        double length[2];
        h->loops->vectors(count, h->z, h->distances + i * h->n, h->root_d, h->new_v, h->new_u,
                          length);
        h->new_u[0] = -1; /* the row between */
        const double by_v = 1 / sqrt(length[0]), by_u = 1 / sqrt(length[1] + 1);
        for (int64_t k = 0; k < count; k++) {
            h->sv[h->place[k] + i * h->n] = h->new_v[k] * by_v;
            h->su[h->place[k] + i * h->n] = h->new_u[k] * by_u;
        }
    }
}

/* ---- merging ---- */

static int smaller_first(const void *a, const void *b)
{
    const struct pole *x = a, *y = b;
    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void turn(double *a, double *b, int64_t count, double c, double s)
{
    for (int64_t k = 0; k < count; k++) {
        const double old = a[k];
        a[k] = c * old + s * b[k];
        b[k] = c * b[k] - s * old;
    }
}

struct merge {
    int64_t at, upper, rows, more; /* more: 1, a column more than rows */
};

/* Poles that change come first, in order; the result is how many. The first is the row between's.
 */
static int64_t deflate(struct halves *h, const struct merge *m, double tolerance)
{
    struct pole *p = h->poles;
    const int64_t n = h->n;
    int64_t kept = 1, pending = -1;
    qsort(p + 1, (size_t)(m->rows - 1), sizeof *p, smaller_first);
    if (fabs(p[0].z) <= tolerance)
        p[0].z = copysign(tolerance, p[0].z);
    for (int64_t k = 1; k < m->rows; k++) {
        if (fabs(p[k].z) <= tolerance)
            continue;
        if (pending >= 0 && p[k].d - p[pending].d <= tolerance) {
            const double length = hypot(p[k].z, p[pending].z), c = p[k].z / length,
                         s = -p[pending].z / length;
            const int64_t i = m->at + p[pending].at * n, j = m->at + p[k].at * n;
            turn(h->u + i, h->u + j, m->rows, c, s);
            turn(h->v + i, h->v + j, m->rows + m->more, c, s);
            p[k].z = length;
            if (p[k].kind != p[pending].kind)
                p[k].kind = BOTH;
        } else if (pending >= 0) {
            p[kept++] = p[pending];
        }
        pending = k;
    }
    if (pending >= 0)
        p[kept++] = p[pending];
    /* A pole next to the first one's 0 may be moved by as much as all else is. */
    if (kept > 1 && p[1].d < tolerance / 2)
        p[1].d = tolerance / 2;
    return kept;
}

/* The columns of x that change, `count` of them, become their products with s. top rows are those
 * of the upper part. */
static void multiply(struct halves *h, const struct merge *m, int64_t count, const int64_t *kinds,
                     double *x, const double *s, int64_t top, int64_t rows)
{
    struct work *w = h->w;
    const int64_t n = h->n, first = kinds[UPPER] + kinds[BOTH], second = count - kinds[UPPER];
    for (int64_t k = 0; k < count; k++)
        memcpy(h->gathered + h->place[k] * n, x + m->at + h->poles[k].at * n,
               (size_t)rows * sizeof *x);
    if (top)
        work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, top, count, first, 1, h->gathered, n, s, n, 0,
                  h->result, n);
    if (rows > top)
        work_gemm(w, CUBLAS_OP_N, CUBLAS_OP_N, rows - top, count, second, 1,
                  h->gathered + top + kinds[UPPER] * n, n, s + kinds[UPPER], n, 0, h->result + top,
                  n);
    host_settle(w);
    for (int64_t k = 0; k < count; k++)
        memcpy(x + m->at + h->poles[k].at * n, h->result + k * n, (size_t)rows * sizeof *x);
}

/* The row between becomes the first of the small matrix. */
static double couple(struct halves *h, const struct merge *m, double alpha, double beta)
{
    const int64_t n = h->n, middle = m->at + m->upper, last = m->at + m->rows;
    double *null = h->v + m->at + middle * n, *other = h->v + m->at + last * n,
           first = alpha * h->v[middle + middle * n], most = 0;
    if (m->more) { /* of the two right vectors that are beside the matrix, one stays so */
        const double second = beta * h->v[middle + 1 + last * n], length = hypot(first, second);
        if (length > 0)
            turn(null, other, m->rows + 1, first / length, second / length);
        first = length;
    }
    h->poles[0] = (struct pole){0, first, middle, BOTH};
    for (int64_t k = 0, to = 1; k < m->rows; k++) {
        const int64_t c = m->at + k;
        if (c == middle)
            continue;
        const bool upper = c < middle;
        h->poles[to++] = (struct pole){.d = h->d[c],
                                       .z = upper ? alpha * h->v[middle + c * n]
                                                  : beta * h->v[middle + 1 + c * n],
                                       .at = c,
                                       .kind = upper ? UPPER : LOWER};
        most = fmax(most, h->d[c]);
    }
    return fmax(most, fmax(fabs(alpha), fabs(beta)));
}

static void merge(struct halves *h, const struct merge *m, double alpha, double beta)
{
    const double size = couple(h, m, alpha, beta);
    h->u[m->at + m->upper + (m->at + m->upper) * h->n] = 1;
    const int64_t count = deflate(h, m, 8 * DBL_EPSILON * size);
    int64_t kinds[NKINDS] = {0}, next[NKINDS];
    for (int64_t k = 0; k < count; k++)
        kinds[h->poles[k].kind]++;
    next[UPPER] = 0;
    next[BOTH] = kinds[UPPER];
    next[LOWER] = kinds[UPPER] + kinds[BOTH];
    for (int64_t k = 0; k < count; k++) {
        h->place[k] = next[h->poles[k].kind]++;
        h->z[k] = h->poles[k].z;
        h->root_d[k] = h->poles[k].d;
        h->p[k] = h->poles[k].d * h->poles[k].d;
    }
    solve(h, count);
    small_vectors(h, count);
    multiply(h, m, count, kinds, h->u, h->su, m->upper, m->rows);
    multiply(h, m, count, kinds, h->v, h->sv, m->upper + 1, m->rows + m->more);
    for (int64_t k = 0; k < count; k++)
        h->d[h->poles[k].at] = h->roots[k];
}

static void part(struct halves *h, int64_t at, int64_t rows, int64_t more)
{
    if (h->w->error)
        return;
    if (rows <= LEAF) {
        leaf(h, at, rows, more);
        return;
    }
    const struct merge m = {at, (rows - 1) / 2, rows, more};
    const int64_t middle = at + m.upper;
    const double alpha = h->d[middle], beta = h->e[middle];
    part(h, at, m.upper, 1);
    part(h, middle + 1, rows - m.upper - 1, more);
    if (!h->w->error)
        merge(h, &m, alpha, beta);
}

/* ---- all of it ---- */

/* Falling, columns with them. */
static void sort(struct halves *h)
{
    const int64_t n = h->n;
    for (int64_t k = 0; k < n; k++)
        h->poles[k] = (struct pole){.d = -h->d[k], .at = k};
    qsort(h->poles, (size_t)n, sizeof *h->poles, smaller_first);
    for (int side = 0; side < 2; side++) {
        double *x = side ? h->v : h->u;
        memcpy(h->gathered, x, (size_t)(n * n) * sizeof *x);
        for (int64_t k = 0; k < n; k++)
            memcpy(x + k * n, h->gathered + h->poles[k].at * n, (size_t)n * sizeof *x);
    }
    for (int64_t k = 0; k < n; k++)
        h->d[k] = -h->poles[k].d;
}

void host_halves(struct work *w, int64_t n, double *d, const double *e, double *u, double *v)
{
    struct halves h = {.w = w, .loops = host_loops(), .n = n, .d = d, .e = e, .u = u, .v = v};
    double **const lines[] = {&h.z,       &h.p,     &h.root_d, &h.shifted,
                              &h.product, &h.roots, &h.new_v,  &h.new_u},
                   **const squares[] = {&h.distances, &h.su, &h.sv, &h.gathered, &h.result};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        *lines[k] = work_reals(w, n);
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
        *squares[k] = work_reals(w, n * n);
    h.poles = calloc((size_t)n, sizeof *h.poles);
    h.place = calloc((size_t)n, sizeof *h.place);
    if (!h.poles || !h.place)
        work_fail(w, TERN_OUT_OF_MEMORY);
    host_settle(w);
    if (!w->error) {
        memset(u, 0, (size_t)(n * n) * sizeof *u);
        memset(v, 0, (size_t)(n * n) * sizeof *v);
        part(&h, 0, n, 0);
    }
    if (!w->error)
        sort(&h);
    free(h.poles);
    free(h.place);
}
