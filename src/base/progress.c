/* See progress.h. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/progress.h"
#include "base/thread.h"

struct progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done, told;
    unsigned percent;
    const char *what;
    void (*say)(const char *text);
};

static const char clear_line[] = "\r\033[K";

/* Under the lock. */
static void write_line(struct progress *p, uint64_t seconds)
{
    enum { WIDTH = 24 };
    char line[256], bar[WIDTH + 1] = "";
    if (p->told)
        for (unsigned k = 0; k < WIDTH; k++)
            bar[k] = k < p->percent * WIDTH / 100 ? '#' : '.';
    snprintf(line, sizeof line, "%s%.180s%s%s%s, %llu s", clear_line, p->what, p->told ? " [" : "",
             bar, p->told ? "]" : "", (unsigned long long)seconds);
    p->say(line);
}

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
        if (!p->done && (seconds || p->told)) {
            write_line(p, seconds);
            shown = true;
        }
    }
    pthread_mutex_unlock(&p->lock);
    if (shown)
        p->say(clear_line);
    return NULL;
}

struct progress *progress_begin(const char *what, void (*say)(const char *text))
{
    struct progress *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->what = what;
    p->say = say;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, show, p)) {
        free(p);
        return NULL;
    }
    return p;
}

void progress_tell(struct progress *p, unsigned percent)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->told = true;
    p->percent = percent < 100 ? percent : 100;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p)
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
