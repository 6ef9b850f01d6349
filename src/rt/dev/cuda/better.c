/* Kernels that the program keeps the device busy with, assembled by the driver: it takes the driver
 * 15 to 170 ms, and what it makes is a little faster than our own code.
 *
 * It is done by a thread of the program's own, behind a wait for the device, when nothing is left
 * for that to do. Not in a thread beside the program: the driver's assembler is a library that is
 * loaded when it is first needed, so that at the process's end it takes itself down before anybody
 * who was there earlier can stop a thread that is still inside it; it dies in free(). And not while
 * kernels run: the driver loads a module when the device is idle, and a kernel may be waiting for
 * what the program launches or writes next.
 *
 * It has its price for programs that measure themselves, so a kernel has to have been launched some
 * times while the program waited for the device for a second in all, and assembling never takes
 * more than a tenth of what has been waited. */
#include <stdlib.h>
#include "rt/dev/cuda/nvidia_int.h"

enum { WAITED_MS = 1000, LAUNCHES = 3, SHARE = 10, EXPECTED_MS = 60 };

struct wish {
    struct nv_wish what;
    struct wish *next;
};

bool nv_is_worth_it(struct dev *d, struct nv_use *u)
{
    const uint64_t waited = __atomic_load_n(&d->wishes.waited, __ATOMIC_RELAXED);
    const uint32_t n = __atomic_add_fetch(&u->launches, 1, __ATOMIC_RELAXED);
    if (n == 1)
        __atomic_store_n(&u->since, waited, __ATOMIC_RELAXED);
    const uint64_t since = __atomic_load_n(&u->since, __ATOMIC_RELAXED);
    return n >= LAUNCHES && waited >= since + WAITED_MS * UINT64_C(1000000);
}

bool nv_wish(struct dev *d, const struct nv_wish *w)
{
    struct wish *mine = calloc(1, sizeof *mine);
    if (!mine)
        return false;
    mine->what = *w;
    pthread_mutex_lock(&d->lock);
    struct wish **end = &d->wishes.first;
    while (*end)
        end = &(*end)->next;
    __atomic_store_n(end, mine, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&d->lock);
    return true;
}

static struct wish *take(struct dev *d)
{
    pthread_mutex_lock(&d->lock);
    struct wish *w = d->wishes.first;
    if (w)
        __atomic_store_n(&d->wishes.first, w->next, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&d->lock);
    return w;
}

static bool is_affordable(const struct dev *d)
{
    const uint64_t after = d->wishes.spent + EXPECTED_MS * UINT64_C(1000000);
    return after * SHARE <= __atomic_load_n(&d->wishes.waited, __ATOMIC_RELAXED);
}

static bool is_idle(struct dev *d)
{
    bool idle = true;
    pthread_mutex_lock(&d->lock);
    for (const struct dev_queue *q = d->queues; q && idle; q = q->next)
        idle = q->made != d->made || (!q->capturing && !d->api.stream_query(q->stream));
    pthread_mutex_unlock(&d->lock);
    return idle;
}

static void grant(struct dev *d, const struct nv_wish *w)
{
    struct nv_made made = {0};
    const uint64_t began = thread_nanoseconds();
    const bool ok =
        d->made == w->made && !d->sticky && nv_make_assembled(d, w->source, w->kernel, &made);
    const uint64_t took = thread_nanoseconds() - began;
    d->wishes.spent += took;
    if (ok)
        report_note(&d->host.reports, "kernel %s: the driver's code from now on, after %.1f ms",
                    w->display, (double)took * 1e-6);
    else
        report_note(&d->host.reports, "kernel %s: our own code stays: %s", w->display,
                    made.why.len ? made.why.data : "the device is lost");
    w->done(w->ctx, ok ? &made : NULL);
    nv_made_free(d, &made);
}

void nv_waited(struct dev *d, uint64_t began)
{
    const uint64_t now = thread_nanoseconds();
    __atomic_add_fetch(&d->wishes.waited, now > began ? now - began : 0, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&d->wishes.first, __ATOMIC_ACQUIRE) ||
        pthread_mutex_trylock(&d->wishes.granting))
        return;
    struct wish *w;
    while (is_affordable(d) && is_idle(d) && (w = take(d))) {
        grant(d, &w->what);
        free(w);
    }
    pthread_mutex_unlock(&d->wishes.granting);
}

void nv_forget_wishes(struct dev *d, const struct nv_source *s)
{
    pthread_mutex_lock(&d->wishes.granting);
    pthread_mutex_lock(&d->lock);
    for (struct wish **p = &d->wishes.first; *p;) {
        struct wish *w = *p;
        if (s && w->what.source != s) {
            p = &w->next;
            continue;
        }
        __atomic_store_n(p, w->next, __ATOMIC_RELAXED);
        free(w);
    }
    pthread_mutex_unlock(&d->lock);
    pthread_mutex_unlock(&d->wishes.granting);
}
