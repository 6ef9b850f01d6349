// Loops of host code and what they cost: the least of five times, of the processor, for others may
// use it too.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

struct loop {
    const char *name;
    double (*run)(int);
    int n;
};

static double seconds()
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Each of them, or the one that the command line names: its name, seconds, and what it gave.
template <int N> static void run_loops(const loop (&all)[N], int argc, char **argv)
{
    for (const loop &c : all) {
        if (argc > 1 && strcmp(argv[1], c.name) != 0)
            continue;
        double best = 1e9, value = 0;
        for (int k = 0; k < 5; k++) {
            const double start = seconds();
            value = c.run(c.n);
            best = std::min(best, seconds() - start);
        }
        printf("%s %.6f %.10g\n", c.name, best, value);
    }
}
