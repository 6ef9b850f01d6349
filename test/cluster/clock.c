/* A clock of the wall that jumps: preloaded, each third question of the calling process is answered
 * an hour late, each next one an hour early. The monotonic clock goes on as it does. */
#include <dlfcn.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static long jump(void)
{
    static int asked;
    const int k = __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED) % 3;
    return k == 0 ? 0 : k == 1 ? 3600 : -3600;
}

int clock_gettime(clockid_t which, struct timespec *t)
{
    int (*real)(clockid_t, struct timespec *);
    *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    const int r = real(which, t);
    if (which == CLOCK_REALTIME)
        t->tv_sec += jump();
    return r;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t)
        *t = now.tv_sec;
    return now.tv_sec;
}
