/* How the speed programs of this folder time a case and say so: a line with its name, the time in microseconds, a rate and its
 * unit. What fails is a line that says so. */
#pragma once
#include <cstdio>
#include <functional>
#include <string>
#include "cuda_runtime_api.h"

static cudaEvent_t from, to;

static void need(int status, const char *what)
{
    if (status) {
        printf("# %s: status %d\n", what, status);
        fflush(stdout);
        throw status;
    }
}
#define NEED(call) need((int)(call), #call)

/* Microseconds of one case: warmed up, then repeated for about 50 ms; the mean of the repetitions. */
static double time_of(const std::function<void()> &run)
{
    run();
    NEED(cudaDeviceSynchronize());
    float ms = 0;
    int n = 1;
    for (;;) {
        NEED(cudaEventRecord(from, 0));
        for (int i = 0; i < n; i++)
            run();
        NEED(cudaEventRecord(to, 0));
        NEED(cudaEventSynchronize(to));
        NEED(cudaEventElapsedTime(&ms, from, to));
        if (ms > 30 || n >= 1000)
            break;
        n = ms < 1 ? n * 10 : (int)(n * 50 / ms) + 1;
    }
    return ms * 1000.0 / n;
}
static void say_time(const std::string &name, double work, const char *unit, double us)
{
    printf("%s %.1f %.3f %s\n", name.c_str(), us, work / us * 1e-3, unit);
    fflush(stdout);
}
static inline void time_case(const std::string &name, double work, const char *unit, const std::function<void()> &run) { say_time(name, work, unit, time_of(run)); }

static void guarded(const std::string &name, const std::function<void()> &run)
{
    try {
        run();
    } catch (int status) {
        printf("%s 0 0 failed-%d\n", name.c_str(), status);
        (void)cudaGetLastError();
    }
}
