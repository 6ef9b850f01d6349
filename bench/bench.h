/* What benchmarks share. A benchmark is bench/bench_NAME.c; it prints, through bench_report, one
 * line for each number, which bench/run turns into a table and JSON. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include "base/base.h"

/* goal 0: none is stated. A unit that ends in "/s", and "x" (times), is better when higher, others
 * when lower; see bench/run for goals that say it themselves. */
static inline void bench_report(const char *name, double value, const char *unit, double goal)
{
    printf("%s\t%.6g\t%s\t%.6g\n", name, value, unit, goal);
}

/* The best of several runs: what the machine can do, not what it was disturbed by. Gives seconds.
 */
static inline double bench_best(void (*run)(void *), void *arg, int times)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < times; i++) {
        uint64_t start = thread_nanoseconds();
        run(arg);
        uint64_t took = thread_nanoseconds() - start;
        if (took < best)
            best = took;
    }
    return (double)best * 1e-9;
}

/* A file's contents with a zero behind them; NULL: it cannot be read. */
static inline char *bench_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(1, *n + 1);
    if (text && fread(text, 1, *n, f) != *n)
        text = NULL;
    fclose(f);
    return text;
}

#endif
