/* Medians with confidence intervals by order statistics: nothing is taken for granted of how times
 * are distributed, which have a long tail. */
#include "prof/stats.h"
#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of n samples in order, between which two the true median lies in 95 of 100 cases: ranks by the
 * normal approximation to the binomial distribution; with few samples all of them. */
static void interval(const double *s, size_t n, struct prof_stats *out)
{
    const double half = 0.98 * sqrt((double)n), middle = (double)n / 2;
    const long low = (long)floor(middle - half) - 1, high = (long)ceil(middle + half);
    out->low = s[low < 0 ? 0 : low];
    out->high = s[high >= (long)n ? (long)n - 1 : high];
}

struct prof_stats prof_stats(double *s, size_t n)
{
    struct prof_stats out = {.n = n};
    double sum = 0, squares = 0;
    if (!n)
        return out;
    qsort(s, n, sizeof *s, by_value);
    for (size_t k = 0; k < n; k++)
        sum += s[k];
    out.mean = sum / (double)n;
    for (size_t k = 0; k < n; k++)
        squares += (s[k] - out.mean) * (s[k] - out.mean);
    out.deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    out.least = s[0];
    out.most = s[n - 1];
    out.median = n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
    out.spread = out.median > 0 ? (s[n * 3 / 4] - s[n / 4]) / out.median : 0;
    interval(s, n, &out);
    return out;
}

int prof_differ(const struct prof_stats *a, const struct prof_stats *b)
{
    enum { LEAST = 5 }; /* fewer samples than that say nothing of noise */
    if (a->n < LEAST || b->n < LEAST)
        return 0;
    if (fabs(b->median - a->median) < 0.02 * a->median)
        return 0;
    return b->high < a->low ? -1 : b->low > a->high ? 1 : 0;
}
