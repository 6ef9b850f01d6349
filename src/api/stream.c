/* Streams and events.
 *
 * A device's own stream orders itself with every blocking stream: its work follows theirs, and
 * theirs follows its. The order is made with device events, only where work has been submitted
 * since. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "api/api.h"

static const struct dev_driver *driver(const struct tern_stream *s)
{
    return s->device->rt.driver;
}

enum tern_error stream_new(struct tern_device *d, bool blocking, unsigned flags, int priority,
                           struct tern_stream **out)
{
    struct tern_stream *s = calloc(1, sizeof *s);
    if (!s)
        return TERN_OUT_OF_MEMORY;
    s->device = d;
    s->blocking = blocking;
    s->flags = flags;
    s->priority = priority;
    device_use(d);
    enum tern_error e = d->rt.driver->queue_new(d->rt.dev, &s->queue);
    if (!e)
        e = d->rt.driver->event_new(d->rt.dev, &s->tail);
    if (e) {
        if (s->queue)
            d->rt.driver->queue_free(s->queue);
        free(s);
        return device_check(d, e);
    }
    pthread_mutex_lock(&d->lock);
    s->id = d->next_id++;
    s->next = d->streams;
    if (s->next)
        s->next->prev = s;
    __atomic_store_n(&d->streams, s, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&d->lock);
    *out = s;
    return TERN_OK;
}

static void drop(struct tern_stream *s)
{
    driver(s)->queue_wait(s->queue);
    timed_settle(s->device, s);
    driver(s)->event_free(s->tail);
    driver(s)->queue_free(s->queue);
    free(s->frontier);
    free(s->attributes);
    free(s);
}

void stream_free(struct tern_stream *s)
{
    struct tern_device *d = s->device;
    if (s->capture) {
        struct tern_graph *g;
        if (s->capture->origin != s)
            capture_leave(s);
        else if (!capture_end(s, &g))
            graph_free(g);
    }
    pthread_mutex_lock(&d->lock);
    __atomic_store_n(s->prev ? &s->prev->next : &d->streams, s->next, __ATOMIC_RELEASE);
    if (s->next)
        s->next->prev = s->prev;
    while (s->users) { /* someone is waiting for it */
        pthread_mutex_unlock(&d->lock);
        driver(s)->queue_wait(s->queue);
        pthread_mutex_lock(&d->lock);
    }
    pthread_mutex_unlock(&d->lock);
    drop(s);
}

void stream_free_all(struct tern_device *d)
{
    while (d->streams) {
        struct tern_stream *s = d->streams;
        d->streams = s->next;
        drop(s);
    }
}

bool stream_is_live(struct tern_device *d, const struct tern_stream *s)
{
    bool found = false;
    pthread_mutex_lock(&d->lock);
    for (struct tern_stream *k = d->streams; k && !found; k = k->next)
        found = k == s;
    pthread_mutex_unlock(&d->lock);
    return found;
}

static enum tern_error follow(struct tern_stream *later, struct tern_stream *earlier)
{
    enum tern_error e = driver(earlier)->event_record(earlier->tail, earlier->queue);
    return e ? e : driver(later)->queue_after(later->queue, earlier->tail);
}

enum tern_error stream_follow(struct tern_stream *s, unsigned long long id)
{
    struct tern_device *d = s->device;
    enum tern_error e = TERN_OK;
    pthread_mutex_lock(&d->lock);
    struct tern_stream *earlier = d->own.id == id ? &d->own : d->streams;
    while (earlier && earlier->id != id)
        earlier = earlier->next;
    if (earlier && earlier != s)
        e = follow(s, earlier);
    pthread_mutex_unlock(&d->lock);
    return device_check(d, e);
}

/* The own stream has new work, which streams to come follow, too. */
static void next_version(struct tern_device *d)
{
    const uint64_t v = __atomic_load_n(&d->own_version, __ATOMIC_RELAXED);
    __atomic_store_n(&d->own_version, v + 1, __ATOMIC_RELAXED);
}

enum tern_error stream_begin(struct tern_stream *s)
{
    struct tern_device *d = s->device;
    enum tern_error e = TERN_OK;
    if (!s->blocking)
        return TERN_OK;
    if (s == &d->own && !__atomic_load_n(&d->streams, __ATOMIC_ACQUIRE)) {
        next_version(d); /* nobody to follow: brief calls are spared the lock */
        return TERN_OK;
    }
    pthread_mutex_lock(&d->lock);
    if (s != &d->own) {
        const uint64_t version = __atomic_load_n(&d->own_version, __ATOMIC_RELAXED);
        if (s->seen != version) {
            e = follow(s, &d->own);
            s->seen = version;
        }
        s->dirty = true;
    } else if (d->captures) {
        e = TERN_CAPTURE_IMPLICIT;
        for (struct tern_stream *k = d->streams; k; k = k->next)
            if (k->capture && k->blocking)
                k->capture->invalid = true;
    } else {
        for (struct tern_stream *k = d->streams; k && !e; k = k->next)
            if (k->dirty && k->blocking) {
                e = follow(s, k);
                k->dirty = false;
            }
        next_version(d);
    }
    pthread_mutex_unlock(&d->lock);
    return device_check(d, e);
}

void stream_end(struct tern_stream *s)
{
    __atomic_store_n(&s->busy, true, __ATOMIC_RELEASE);
}

/* A wait with a limit asks again and again, more and more rarely. */
static enum tern_error limited_wait(struct tern_stream *s, uint64_t limit)
{
    const uint64_t start = thread_nanoseconds();
    long pause = 1000;
    for (;;) {
        enum tern_error e = driver(s)->queue_query(s->queue);
        if (e != TERN_NOT_READY)
            return e;
        if (thread_nanoseconds() - start > limit)
            return TERN_TIMEOUT;
        nanosleep(&(struct timespec){0, pause}, NULL);
        if (pause < 1000000)
            pause *= 2;
    }
}

enum tern_error stream_wait(struct tern_stream *s)
{
    struct tern_device *d = s->device;
    if (s->capture)
        return capture_break(s, TERN_CAPTURE_UNSUPPORTED);
    if (s == &d->own) { /* it follows the blocking ones */
        enum tern_error e = stream_begin(s);
        if (e)
            return e;
    }
    return stream_drain(s);
}

enum tern_error stream_drain(struct tern_stream *s)
{
    struct tern_device *d = s->device;
    (void)__atomic_exchange_n(&s->busy, false, __ATOMIC_ACQ_REL);
    const uint64_t limit = d->context->options.wait_limit_ns;
    const enum tern_error e = limit ? limited_wait(s, limit) : driver(s)->queue_wait(s->queue);
    if (!e)
        timed_settle(d, s);
    return device_check(d, e);
}

enum tern_error stream_query(struct tern_stream *s)
{
    if (s->capture)
        return capture_break(s, TERN_CAPTURE_UNSUPPORTED);
    return device_check(s->device, driver(s)->queue_query(s->queue));
}

enum tern_error tern_stream_new(tern_device *d, tern_stream **out)
{
    *out = NULL;
    return d->lost ? d->lost : stream_new(d, false, 0, 0, out);
}

void tern_stream_free(tern_stream *s)
{
    if (s)
        stream_free(s);
}

enum tern_error tern_stream_wait(tern_stream *s)
{
    return stream_wait(s);
}

enum tern_error tern_stream_query(tern_stream *s)
{
    return stream_query(s);
}

/* ---- events ---- */

enum tern_error event_new(struct tern_device *d, unsigned flags, struct tern_event **out)
{
    struct tern_event *e = calloc(1, sizeof *e);
    if (!e)
        return TERN_OUT_OF_MEMORY;
    e->device = d;
    e->flags = flags;
    device_use(d);
    enum tern_error r = device_check(d, d->rt.driver->event_new(d->rt.dev, &e->event));
    if (r)
        free(e);
    else
        *out = e;
    return r;
}

void event_free(struct tern_event *e)
{
    capture_forget(e);
    e->device->rt.driver->event_free(e->event);
    free(e->frontier);
    free(e);
}

enum tern_error event_record(struct tern_event *e, struct tern_stream *s)
{
    if (s->device != e->device)
        return TERN_INVALID_HANDLE;
    return work_submit(s, &(struct work){.kind = WORK_RECORD, .device = s->device, .event = e});
}

enum tern_error event_wait(struct tern_event *e)
{
    struct tern_device *d = e->device;
    if (e->capture)
        return TERN_CAPTURED_EVENT;
    return e->recorded ? device_check(d, d->rt.driver->event_wait(e->event)) : TERN_OK;
}

enum tern_error event_query(struct tern_event *e)
{
    uint64_t ns;
    struct tern_device *d = e->device;
    if (e->capture)
        return TERN_CAPTURED_EVENT;
    if (!e->recorded)
        return TERN_OK;
    enum tern_error r = d->rt.driver->event_time(e->event, &ns);
    return device_check(d, r == TERN_UNSUPPORTED ? d->rt.driver->event_wait(e->event) : r);
}

enum tern_error event_elapsed(struct tern_event *from, struct tern_event *to, int64_t *ns)
{
    uint64_t a, b;
    if (!from->recorded || !to->recorded || from->device != to->device)
        return TERN_INVALID_HANDLE;
    struct tern_device *d = from->device;
    enum tern_error e = d->rt.driver->event_time(from->event, &a);
    if (!e)
        e = d->rt.driver->event_time(to->event, &b);
    if (!e)
        *ns = (int64_t)(b - a);
    return device_check(d, e);
}

enum tern_error stream_after(struct tern_stream *s, struct tern_event *e)
{
    if (e->capture && !s->capture)
        return capture_join(s, e);
    if (!e->recorded && !e->capture)
        return TERN_OK;
    return work_submit(s, &(struct work){.kind = WORK_AFTER, .device = s->device, .event = e});
}

/* ---- of a whole device ---- */

static bool any_captured(struct tern_device *d)
{
    bool captured = false;
    pthread_mutex_lock(&d->lock);
    for (const struct tern_stream *k = d->streams; k && !captured; k = k->next)
        captured = k->capture != NULL;
    pthread_mutex_unlock(&d->lock);
    return captured;
}

/* All streams come together in one of our own, which orders itself with no other. */
enum tern_error device_record(struct tern_device *d, struct tern_event *e)
{
    if (e->device != d)
        return TERN_INVALID_HANDLE;
    if (any_captured(d))
        return TERN_CAPTURE_UNSUPPORTED;
    pthread_mutex_lock(&d->lock);
    struct tern_stream *to = d->gather;
    pthread_mutex_unlock(&d->lock);
    enum tern_error r = to ? TERN_OK : stream_new(d, false, 0, 0, &to);
    if (r)
        return r;
    pthread_mutex_lock(&d->lock);
    if (!d->gather)
        d->gather = to; /* another thread's stays, unused, until the device closes */
    r = follow(to, &d->own);
    for (struct tern_stream *k = d->streams; k && !r; k = k->next)
        if (k != to)
            r = follow(to, k);
    pthread_mutex_unlock(&d->lock);
    return r ? device_check(d, r) : event_record(e, to);
}

enum tern_error device_after(struct tern_device *d, struct tern_event *e)
{
    if (e->capture || any_captured(d))
        return TERN_CAPTURE_UNSUPPORTED;
    if (!e->recorded)
        return TERN_OK;
    if (e->device != d) /* devices do not wait for each other: the host does */
        return event_wait(e);
    enum tern_error r = d->rt.driver->queue_after(d->own.queue, e->event);
    pthread_mutex_lock(&d->lock);
    for (struct tern_stream *k = d->streams; k && !r; k = k->next)
        r = d->rt.driver->queue_after(k->queue, e->event);
    pthread_mutex_unlock(&d->lock);
    return device_check(d, r);
}

enum tern_error tern_event_new(tern_device *d, tern_event **out)
{
    *out = NULL;
    return d->lost ? d->lost : event_new(d, 0, out);
}

void tern_event_free(tern_event *e)
{
    if (e)
        event_free(e);
}

enum tern_error tern_record(tern_stream *s, tern_event *e)
{
    return event_record(e, s ? s : &e->device->own);
}

enum tern_error tern_after(tern_stream *s, tern_event *e)
{
    return stream_after(s ? s : &e->device->own, e);
}

enum tern_error tern_event_wait(tern_event *e)
{
    return event_wait(e);
}

enum tern_error tern_event_query(tern_event *e)
{
    return event_query(e);
}

enum tern_error tern_event_elapsed(tern_event *from, tern_event *to, double *seconds)
{
    int64_t ns = 0;
    enum tern_error e = event_elapsed(from, to, &ns);
    *seconds = (double)ns * 1e-9;
    return e;
}
