/* Work of devices in a recording (prof/prof.h): an event of the device's own before it and one
 * behind it. Their times are read where somebody has waited for the stream, so that nobody waits
 * for them. */
#include <stdlib.h>
#include "api/api.h"
#include "prof/prof.h"

enum { MOST_PENDING = 4096 };

struct timed {
    struct prof_record record;
    struct tern_stream *stream;
    struct dev_event *before, *after;
    struct timed *next;
};

struct timing {
    pthread_mutex_t lock;
    struct timed *first, **last; /* submitted, in order */
    size_t npending;
    struct timed *spare;
    int64_t offset; /* from the device's clock to the host's */
    struct tern_device *device;
};

static enum tern_error compare_clocks(struct tern_device *d, int64_t *offset)
{
    const struct dev_driver *v = d->rt.driver;
    struct dev_event *e;
    uint64_t there = 0;
    *offset = 0;
    if (d->info.flags & DEV_HOST_MEMORY) /* it runs on this machine's processor, and its clock */
        return TERN_OK;
    enum tern_error r = v->event_new(d->rt.dev, &e);
    if (r)
        return r;
    const uint64_t a = prof_now();
    r = v->event_record(e, d->own.queue);
    if (!r)
        r = v->event_wait(e);
    const uint64_t b = prof_now();
    if (!r)
        r = v->event_time(e, &there);
    if (!r)
        *offset = (int64_t)(a + (b - a) / 2 - there);
    v->event_free(e);
    return r;
}

static void settle_at_end(void *device)
{
    timed_settle(device, NULL);
}

static void put_device(struct tern_device *d)
{
    prof_put(&(struct prof_record){
        .kind = PROF_DEVICE,
        .device = (uint16_t)d->ordinal,
        .start = prof_now(),
        .end = prof_now(),
        .name = prof_text(d->info.name),
        .device_info = {.memory = d->info.memory,
                        .units = d->info.units,
                        .clock_khz = d->info.clock_khz,
                        .warp = d->info.warp_size},
    });
}

static struct timing *timing_of(struct tern_device *d)
{
    pthread_mutex_lock(&d->lock);
    struct timing *t = d->timing;
    if (!t && (t = calloc(1, sizeof *t))) {
        if (compare_clocks(d, &t->offset)) {
            free(t); /* a device that cannot tell the time: its work is not in the recording */
            t = NULL;
        } else {
            pthread_mutex_init(&t->lock, NULL);
            t->last = &t->first;
            t->device = d;
            d->timing = t;
            put_device(d);
            prof_at_end(settle_at_end, d);
        }
    }
    pthread_mutex_unlock(&d->lock);
    return t;
}

/* ---- what a piece of work is ---- */

static void describe_kernel(struct prof_record *r, const struct work *w, struct tern_device *d)
{
    const struct rt_kernel *k = w->kernel.kernel;
    const struct dev_launch *l = &w->kernel.shape;
    uint32_t blocks = 0;
    r->kind = PROF_KERNEL;
    r->name = prof_text(k->display ? k->display : k->name);
    for (int i = 0; i < 3; i++) {
        r->kernel.grid[i] = l->grid[i];
        r->kernel.block[i] = l->block[i];
    }
    r->kernel.shared = k->static_shared + l->shared;
    if (d->rt.driver->occupancy &&
        !d->rt.driver->occupancy(k->dev, l->block[0] * l->block[1] * l->block[2], l->shared,
                                 &blocks))
        r->kernel.per_unit = blocks;
}

/* False: nothing that takes a device's time. */
static bool describe(struct prof_record *r, const struct work *w, struct tern_device *d)
{
    switch (w->kind) {
    case WORK_KERNEL: describe_kernel(r, w, d); return true;
    case WORK_COPY:
        r->kind = PROF_COPY;
        r->sub = (uint8_t)(w->copy.to.device ? w->copy.from.device ? PROF_ON_DEVICE : PROF_TO_DEVICE
                           : w->copy.from.device ? PROF_FROM_DEVICE
                                                 : PROF_ON_HOST);
        r->memory.bytes = w->copy.width * w->copy.height * w->copy.depth;
        r->memory.address = w->copy.to.at;
        return r->memory.bytes > 0;
    case WORK_FILL:
        r->kind = PROF_FILL;
        r->memory.bytes = w->fill.width * w->fill.height;
        r->memory.address = w->fill.to.at;
        return r->memory.bytes > 0;
    default: return false;
    }
}

/* ---- before and behind ---- */

static struct timed *take(struct timing *t, struct tern_device *d)
{
    const struct dev_driver *v = d->rt.driver;
    pthread_mutex_lock(&t->lock);
    struct timed *x = t->spare;
    if (x)
        t->spare = x->next;
    pthread_mutex_unlock(&t->lock);
    if (x || !(x = calloc(1, sizeof *x)))
        return x;
    if (v->event_new(d->rt.dev, &x->before)) {
        free(x);
        return NULL;
    }
    if (v->event_new(d->rt.dev, &x->after)) {
        v->event_free(x->before);
        free(x);
        return NULL;
    }
    return x;
}

static void give(struct timing *t, struct timed *x)
{
    x->next = t->spare;
    t->spare = x;
}

struct timed *timed_begin(struct tern_stream *s, const struct work *w)
{
    struct tern_device *d = s->device;
    struct prof_record r = {.device = (uint16_t)d->ordinal,
                            .thread = prof_thread(),
                            .call = prof_call_now(),
                            .stream = s == &d->own ? 0 : (uint32_t)s->id + 1};
    if (!prof_recording() || !describe(&r, w, d))
        return NULL;
    struct timing *t = timing_of(d);
    struct timed *x = t ? take(t, d) : NULL;
    if (!x)
        return NULL;
    x->record = r;
    x->stream = s;
    if (d->rt.driver->event_record(x->before, s->queue)) {
        pthread_mutex_lock(&t->lock);
        give(t, x);
        pthread_mutex_unlock(&t->lock);
        return NULL;
    }
    return x;
}

void timed_end(struct timed *x, enum tern_error e)
{
    struct tern_device *d = x->stream->device;
    struct timing *t = d->timing;
    const bool good = !e && !d->rt.driver->event_record(x->after, x->stream->queue);
    pthread_mutex_lock(&t->lock);
    x->next = NULL;
    if (good) {
        *t->last = x;
        t->last = &x->next;
        t->npending++;
    } else {
        give(t, x);
    }
    const bool many = t->npending > MOST_PENDING;
    pthread_mutex_unlock(&t->lock);
    if (many)
        timed_settle(d, NULL);
}

/* ---- times ---- */

static void put(struct timing *t, struct timed *x)
{
    const struct dev_driver *v = t->device->rt.driver;
    uint64_t from, to;
    if (v->event_wait(x->after) || v->event_time(x->before, &from) || v->event_time(x->after, &to))
        return; /* it failed, and so did all behind it */
    x->record.start = from + (uint64_t)t->offset;
    x->record.end = (to < from ? from : to) + (uint64_t)t->offset;
    prof_put(&x->record);
}

void timed_settle(struct tern_device *d, const struct tern_stream *only)
{
    struct timing *t = d->timing;
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    struct timed *all = t->first, *keep = NULL, **keep_last = &keep;
    t->first = NULL;
    t->last = &t->first;
    t->npending = 0;
    pthread_mutex_unlock(&t->lock);
    struct timed *done = NULL;
    size_t nkept = 0;
    for (struct timed *x = all, *next; x; x = next) {
        next = x->next;
        if (only && x->stream != only) {
            *keep_last = x;
            keep_last = &x->next;
            nkept++;
            continue;
        }
        put(t, x);
        x->next = done;
        done = x;
    }
    *keep_last = NULL;
    pthread_mutex_lock(&t->lock);
    if (keep) { /* before what was submitted meanwhile */
        *keep_last = t->first;
        if (!t->first)
            t->last = keep_last;
        t->first = keep;
        t->npending += nkept;
    }
    for (struct timed *x = done, *next; x; x = next) {
        next = x->next;
        give(t, x);
    }
    pthread_mutex_unlock(&t->lock);
}

void timed_close(struct tern_device *d)
{
    struct timing *t = d->timing;
    if (!t)
        return;
    timed_settle(d, NULL);
    prof_not_at_end(d);
    for (struct timed *x = t->spare, *next; x; x = next) {
        next = x->next;
        d->rt.driver->event_free(x->before);
        d->rt.driver->event_free(x->after);
        free(x);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
    d->timing = NULL;
}
