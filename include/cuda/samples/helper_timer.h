/* Stop watches, as the samples of CUDA's toolkit have them. */
#pragma once
#include <time.h>
struct StopWatchInterface {
    double total, from;
    int runs;
    bool on;
};
inline double __tern_milliseconds()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
inline bool sdkCreateTimer(StopWatchInterface **timer)
{
    *timer = new StopWatchInterface{0, 0, 0, false};
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
    delete *timer;
    *timer = nullptr;
    return true;
}
inline bool sdkStartTimer(StopWatchInterface **timer)
{
    (*timer)->from = __tern_milliseconds();
    (*timer)->on = true;
    return true;
}
inline bool sdkStopTimer(StopWatchInterface **timer)
{
    (*timer)->total += __tern_milliseconds() - (*timer)->from;
    (*timer)->runs++;
    (*timer)->on = false;
    return true;
}
inline bool sdkResetTimer(StopWatchInterface **timer)
{
    (*timer)->total = 0;
    (*timer)->runs = 0;
    (*timer)->from = __tern_milliseconds();
    return true;
}
inline float sdkGetTimerValue(StopWatchInterface **timer)
{
    return (float)((*timer)->total + ((*timer)->on ? __tern_milliseconds() - (*timer)->from : 0));
}
inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->runs ? (float)((*timer)->total / (*timer)->runs) : 0;
}
