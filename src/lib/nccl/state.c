/* What the process has: its number, the segments it maps; and each thread its group and the last
 * error's text. */
#include <sched.h>
#include <string.h>
#include <unistd.h>
#include "lib/nccl/nccl_int.h"

static struct {
    pthread_mutex_t lock;
    pthread_mutex_t segments_lock;
    pthread_cond_t segments_changed;
    struct nccl_segment *segments;
    uint64_t process;
    pid_t pid;
    unsigned cpus;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .segments_lock = PTHREAD_MUTEX_INITIALIZER,
           .segments_changed = PTHREAD_COND_INITIALIZER};

static _Thread_local struct nccl_group group;
static _Thread_local char last_error[256];

uint64_t nccl_process(void)
{
    pthread_mutex_lock(&state.lock);
    /* A process that was forked is another one. */
    if (!state.process || state.pid != getpid()) {
        state.pid = getpid();
        if (!nccl_random(&state.process, sizeof state.process))
            state.process = (uint64_t)state.pid << 32 ^ (uint64_t)nccl_now_ms();
    }
    const uint64_t p = state.process;
    pthread_mutex_unlock(&state.lock);
    return p;
}

unsigned nccl_cpus(void)
{
    pthread_mutex_lock(&state.lock);
    cpu_set_t set;
    if (!state.cpus)
        state.cpus = sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
    const unsigned n = state.cpus;
    pthread_mutex_unlock(&state.lock);
    return n;
}

struct nccl_group *nccl_group(void)
{
    return &group;
}

char *nccl_last_error(size_t *size)
{
    *size = sizeof last_error;
    return last_error;
}

void nccl_segments_lock(void)
{
    pthread_mutex_lock(&state.segments_lock);
}

void nccl_segments_unlock(void)
{
    pthread_mutex_unlock(&state.segments_lock);
}

void nccl_segments_wait(void)
{
    pthread_cond_wait(&state.segments_changed, &state.segments_lock);
}

void nccl_segments_changed(void)
{
    pthread_cond_broadcast(&state.segments_changed);
}

struct nccl_segment **nccl_segments(void)
{
    return &state.segments;
}
