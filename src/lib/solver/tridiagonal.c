/* Eigenvalues of a symmetric tridiagonal matrix, on the host: implicit QL steps in double
 * precision. The rotations are recorded, and applied to vectors by whoever wants them. */
#include "lib/solver/solver_int.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_STEPS = 60 }; /* for one eigenvalue; two are usual */

/* One sweep from the last row of an unreduced block to its first, with Wilkinson's shift. */
static void sweep(double *d, double *e, int64_t from, int64_t to, double *angles)
{
    const double half = (d[from + 1] - d[from]) / (2 * e[from]), root = hypot(half, 1);
    double g = d[to] - d[from] + e[from] / (half + copysign(root, half));
    double s = 1, c = 1, p = 0;
    for (int64_t i = to - 1; i >= from; i--) {
        double f = s * e[i], b = c * e[i];
        const double r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) { /* split here: the rest is as it was */
            d[i + 1] -= p;
            e[to] = 0;
            for (; i >= from; i--, angles += 2) {
                angles[0] = 1;
                angles[1] = 0;
            }
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        angles[0] = c;
        angles[1] = s;
        angles += 2;
    }
    d[from] -= p;
    e[from] = g;
    e[to] = 0;
}

int tridiagonal_eigenvalues(struct tridiagonal *t)
{
    double *d = t->d, *e = t->e; /* e has n elements, the last is 0 */
    const int64_t n = t->n;
    for (; t->at < n; t->at++, t->steps = 0)
        for (;;) {
            int64_t to = t->at;
            while (to < n - 1 && fabs(e[to]) > DBL_EPSILON * (fabs(d[to]) + fabs(d[to + 1])))
                to++;
            if (to < n - 1)
                e[to] = 0;
            if (to == t->at)
                break;
            if (t->steps++ == MOST_STEPS)
                return -1;
            if (t->nspans == t->most_spans || t->nangles + (to - t->at) > t->most_angles) {
                t->steps--;
                return 1;
            }
            double *angles = t->angles + 2 * t->nangles;
            sweep(d, e, t->at, to, angles);
            if (t->spans) {
                int64_t *s = t->spans + 3 * t->nspans++;
                s[0] = t->at;
                s[1] = to;
                s[2] = t->nangles;
                t->nangles += to - t->at;
            }
        }
    return 0;
}
