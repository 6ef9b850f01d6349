/* Several measurements of one thing: what they come to, and whether two sets of them differ. */
#ifndef PROF_STATS_H
#define PROF_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct prof_stats {
    size_t n;
    double least, most, mean, deviation;
    double spread;            /* between the quartiles, as a share of the median */
    double median, low, high; /* low, high: the median's 95 % confidence interval */
};
/* Sorts the samples. */
struct prof_stats prof_stats(double *samples, size_t n);
/* The median's change from a to b: -1 it is smaller, 1 larger, by more than noise explains, and by
 * 2 % at least, which is how far apart two runs of one program may lie; 0: neither can be said. */
int prof_differ(const struct prof_stats *a, const struct prof_stats *b);

#endif
