/* The processor's own counters, where the system lets a program have them: from the first call of
 * CUDA's to the end of the process, on all threads that were made since. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "prof/prof_int.h"
#if defined(__linux__) && __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#include <sys/syscall.h>

static const struct {
    const char *name;
    uint64_t config;
} events[PROF_NHARDWARE] = {
    {"cycles", PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
    {"cache misses", PERF_COUNT_HW_CACHE_MISSES},
    {"branch misses", PERF_COUNT_HW_BRANCH_MISSES},
};

static int open_event(uint64_t config)
{
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_HARDWARE;
    a.size = sizeof a;
    a.config = config;
    a.inherit = 1;
    a.exclude_kernel = 1;
    a.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void hardware_start(struct hardware *h)
{
    for (unsigned k = 0; k < PROF_NHARDWARE; k++) {
        h->fd[k] = open_event(events[k].config);
        h->why[k] = h->fd[k] < 0 ? errno : 0;
    }
}

bool hardware_read(struct hardware *h, unsigned k, const char **name, uint64_t *value)
{
    *name = events[k].name;
    if (h->fd[k] < 0)
        return false;
    const bool good = read(h->fd[k], value, sizeof *value) == sizeof *value;
    close(h->fd[k]);
    h->fd[k] = -1;
    return good;
}
#else
void hardware_start(struct hardware *h)
{
    for (unsigned k = 0; k < PROF_NHARDWARE; k++) {
        h->fd[k] = -1;
        h->why[k] = ENOSYS;
    }
}

bool hardware_read(struct hardware *h, unsigned k, const char **name, uint64_t *value)
{
    (void)h, (void)k, (void)value;
    *name = "the processor's counters";
    return false;
}
#endif
