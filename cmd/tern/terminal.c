/* What tern does on a terminal while it works: a progress line, Ctrl-C, the log. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tern.h"

struct progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    const char *what;
};

static void *show(void *arg)
{
    struct progress *p = arg;
    const uint64_t start = thread_nanoseconds();
    bool shown = false;
    pthread_mutex_lock(&p->lock);
    while (!p->done) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        pthread_cond_timedwait(&p->changed, &p->lock, &until);
        const uint64_t seconds = (thread_nanoseconds() - start) / 1000000000u;
        if (!p->done && seconds) {
            fprintf(stderr, "\r\033[K%s, %llu s", p->what, (unsigned long long)seconds);
            fflush(stderr);
            shown = true;
        }
    }
    pthread_mutex_unlock(&p->lock);
    if (shown)
        fputs("\r\033[K", stderr);
    return NULL;
}

struct progress *progress_start(const char *what)
{
    if (!isatty(STDERR_FILENO))
        return NULL;
    struct progress *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->what = what;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, show, p)) {
        free(p);
        return NULL;
    }
    return p;
}

void progress_stop(struct progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->done = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    free(p);
}

/* A signal handler can reach nothing but what is static. */
static volatile int interrupted;

static void interrupt(int signal_number)
{
    if (interrupted) /* the second time, do not ask */
        _exit(EXIT_STOPPED);
    interrupted = signal_number;
}

const volatile int *cancel_flag(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &interrupted;
}
