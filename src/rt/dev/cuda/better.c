/* Kernels that are launched often, assembled by the driver beside the program: it takes the driver
 * 15 to 170 ms, and what it makes is a little faster than our own code.
 *
 * One thread does it, in the order in which it is asked; it is there from the first wish on until
 * the device is closed or the process ends. The driver must not be left while it assembles: who
 * closes waits. In the child of a fork there is no such thread, and nobody waits for it. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "rt/dev/cuda/nvidia_int.h"

struct wish {
    struct nv_wish what;
    struct wish *next;
};

struct nv_maker {
    struct dev *dev;
    pid_t owner;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool stop;
    struct wish *first;
    const struct wish *current; /* being done */
};

static void grant(struct dev *d, const struct nv_wish *w)
{
    struct nv_made made = {0};
    const uint64_t began = thread_nanoseconds();
    const bool ok = d->made == w->made && !d->sticky && !d->api.ctx_set(d->ctx) &&
                    nv_make_assembled(d, w->source, w->kernel, &made);
    const double ms = (double)(thread_nanoseconds() - began) * 1e-6;
    if (ok)
        report_note(&d->host.reports, "kernel %s: the driver's code from now on, after %.1f ms",
                    w->display, ms);
    else
        report_note(&d->host.reports, "kernel %s: our own code stays: %s", w->display,
                    made.why.len ? made.why.data : "the device is lost");
    w->done(w->ctx, ok ? &made : NULL);
    nv_made_free(d, &made);
}

static void *work(void *arg)
{
    struct nv_maker *m = arg;
    pthread_mutex_lock(&m->lock);
    for (;;) {
        while (!m->first && !m->stop)
            pthread_cond_wait(&m->changed, &m->lock);
        if (m->stop)
            break;
        struct wish *w = m->first;
        m->first = w->next;
        m->current = w;
        pthread_mutex_unlock(&m->lock);
        grant(m->dev, &w->what);
        pthread_mutex_lock(&m->lock);
        m->current = NULL;
        free(w);
        pthread_cond_broadcast(&m->changed);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

/* Signals are for the program's own threads. */
static bool begin(struct nv_maker *m)
{
    enum { STACK = 64 << 20 }; /* of a compiler; what is not touched costs nothing */
    sigset_t all, before;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return false;
    pthread_attr_setstacksize(&attr, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool ok = !pthread_create(&m->thread, &attr, work, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return ok;
}

static struct nv_maker *maker_new(struct dev *d)
{
    struct nv_maker *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->dev = d;
    m->owner = getpid();
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->changed, NULL);
    if (begin(m))
        return m;
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
    free(m);
    return NULL;
}

bool nv_wish(struct dev *d, const struct nv_wish *w)
{
    struct wish *mine = calloc(1, sizeof *mine);
    if (!mine)
        return false;
    mine->what = *w;
    pthread_mutex_lock(&d->lock);
    if (!d->maker)
        d->maker = maker_new(d);
    struct nv_maker *m = d->maker && d->maker->owner == getpid() ? d->maker : NULL;
    pthread_mutex_unlock(&d->lock);
    if (!m) {
        free(mine);
        return false;
    }
    pthread_mutex_lock(&m->lock);
    const bool taken = !m->stop;
    struct wish **end = &m->first;
    while (*end)
        end = &(*end)->next;
    if (taken)
        *end = mine;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    if (!taken)
        free(mine);
    return taken;
}

static struct nv_maker *maker_of(struct dev *d)
{
    pthread_mutex_lock(&d->lock);
    struct nv_maker *m = d->maker;
    pthread_mutex_unlock(&d->lock);
    return m && m->owner == getpid() ? m : NULL;
}

/* Those with such a source; NULL: all. */
static void forget(struct nv_maker *m, const struct nv_source *s)
{
    for (struct wish **p = &m->first; *p;) {
        struct wish *w = *p;
        if (s && w->what.source != s) {
            p = &w->next;
            continue;
        }
        *p = w->next;
        free(w);
    }
    while (m->current && (!s || m->current->what.source == s))
        pthread_cond_wait(&m->changed, &m->lock);
}

void nv_forget_wishes(struct dev *d, const struct nv_source *s)
{
    struct nv_maker *m = maker_of(d);
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    forget(m, s);
    pthread_mutex_unlock(&m->lock);
}

void nv_maker_stop(struct dev *d)
{
    struct nv_maker *m = maker_of(d);
    if (!m)
        return;
    pthread_mutex_lock(&m->lock);
    const bool first = !m->stop;
    m->stop = true;
    forget(m, NULL);
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    if (first)
        pthread_join(m->thread, NULL);
}

void nv_maker_free(struct dev *d)
{
    nv_maker_stop(d);
    if (d->maker && d->maker->owner == getpid()) {
        pthread_cond_destroy(&d->maker->changed);
        pthread_mutex_destroy(&d->maker->lock);
    }
    free(d->maker);
    d->maker = NULL;
}
