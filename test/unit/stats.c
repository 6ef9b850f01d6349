/* prof/stats.h: medians, intervals, and when two sets of samples differ. */
#include "prof/stats.h"
#include "unit.h"

static struct prof_stats around(double middle, double step, unsigned n)
{
    double samples[64];
    for (unsigned k = 0; k < n; k++)
        samples[k] = middle + step * ((double)(k * 7 % n) - (n - 1) / 2.0);
    return prof_stats(samples, n);
}

TEST(stats_medians_and_intervals)
{
    const struct prof_stats s = around(10, 1, 25);
    CHECK_INT(s.n, 25);
    CHECK(s.median == 10 && s.least == -2 && s.most == 22 && s.mean == 10);
    CHECK(s.low < 10 && s.high > 10 && s.low >= 4 && s.high <= 16); /* 25 samples: ranks 7 to 18 */
    const struct prof_stats few = around(10, 1, 4);
    CHECK(few.low == few.least && few.high == few.most && few.median == 10);
    CHECK_INT(prof_stats(NULL, 0).n, 0);
}

TEST(stats_differences_beyond_noise)
{
    const struct prof_stats a = around(10, 0.1, 25), slower = around(12, 0.1, 25),
                            near = around(10.1, 0.001, 25), noisy = around(12, 2, 25),
                            few = around(20, 0.1, 4);
    CHECK_INT(prof_differ(&a, &slower), 1);
    CHECK_INT(prof_differ(&slower, &a), -1);
    CHECK_INT(prof_differ(&a, &near), 0);  /* 1 % is no difference */
    CHECK_INT(prof_differ(&a, &noisy), 0); /* intervals overlap */
    CHECK_INT(prof_differ(&a, &few), 0);   /* too few to say */
}
