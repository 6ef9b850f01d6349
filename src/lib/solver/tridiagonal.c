/* Eigenvalues of a symmetric tridiagonal matrix, on the host: implicit QL steps in double
 * precision. */
#include "lib/solver/solver_int.h"

#include <float.h>
#include <math.h>

enum { MOST_STEPS = 60 }; /* for one eigenvalue; two are usual */

/* One sweep from the last row of an unreduced block to its first, with Wilkinson's shift. */
static void sweep(double *d, double *e, int64_t from, int64_t to)
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
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
    }
    d[from] -= p;
    e[from] = g;
    e[to] = 0;
}

bool tridiagonal_eigenvalues(int64_t n, double *d, double *e)
{
    for (int64_t at = 0; at < n; at++)
        for (int steps = 0;; steps++) {
            int64_t to = at;
            while (to < n - 1 && fabs(e[to]) > DBL_EPSILON * (fabs(d[to]) + fabs(d[to + 1])))
                to++;
            if (to < n - 1)
                e[to] = 0;
            if (to == at)
                break;
            if (steps == MOST_STEPS)
                return false;
            sweep(d, e, at, to);
        }
    return true;
}
