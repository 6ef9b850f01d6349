/* Work: what can be done on a stream.
 *
 * Copies of several rows and slices are made of single ones; copies between devices go through the
 * host unless both devices' addresses are host addresses, or their driver copies between them. */
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "prof/prof.h"

enum { STAGED_BYTES = 64 << 10, ACROSS_BYTES = 4 << 20 };

/* ---- copies ---- */

struct run { /* one contiguous piece */
    struct tern_stream *stream;
    struct tern_device *to_device, *from_device;
};

/* Through the host, in pieces: while one leaves the first device, the one before enters the other.
 */
static enum tern_error copy_by_host(struct tern_device *a, uint64_t to, struct tern_device *b,
                                    uint64_t from, uint64_t n)
{
    const uint64_t most = n < ACROSS_BYTES ? n : ACROSS_BYTES;
    struct dev_queue *in = a->own.queue, *out = b->own.queue;
    char *pieces = malloc(2 * most);
    enum tern_error e = TERN_OK;
    if (!pieces)
        return TERN_OUT_OF_MEMORY;
    for (uint64_t at = 0, k = 0; at < n && !e; at += most, k++) {
        const uint64_t bytes = n - at < most ? n - at : most;
        char *piece = pieces + (k & 1) * most;
        e = device_check(b, b->rt.driver->copy_out(b->rt.dev, out, piece, from + at, bytes));
        if (!e)
            e = device_check(b, b->rt.driver->queue_wait(out));
        if (!e) /* the piece before: its memory is the next one's */
            e = device_check(a, a->rt.driver->queue_wait(in));
        if (!e)
            e = device_check(a, a->rt.driver->copy_in(a->rt.dev, in, to + at, piece, bytes));
    }
    const enum tern_error last = device_check(a, a->rt.driver->queue_wait(in));
    free(pieces);
    return e ? e : last;
}

static enum tern_error copy_across(const struct run *r, uint64_t to, uint64_t from, uint64_t n)
{
    struct tern_device *a = r->to_device, *b = r->from_device, *d = r->stream->device;
    const struct dev_driver *v = a->rt.driver;
    const bool direct = v == b->rt.driver && v->copy_peer;
    if (direct && (d == a || d == b)) /* in the stream's order */
        return device_check(d, v->copy_peer(r->stream->queue, a->rt.dev, to, b->rt.dev, from, n));
    enum tern_error e = stream_wait(r->stream);
    if (e)
        return e;
    if (a->info.flags & b->info.flags & DEV_HOST_MEMORY) {
        memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n);
        return TERN_OK;
    }
    if (!direct)
        return copy_by_host(a, to, b, from, n);
    e = device_check(a, v->copy_peer(a->own.queue, a->rt.dev, to, b->rt.dev, from, n));
    return e ? e : device_check(a, v->queue_wait(a->own.queue));
}

static enum tern_error copy_piece(const struct run *r, uint64_t to, uint64_t from, uint64_t n)
{
    struct tern_device *a = r->to_device, *b = r->from_device;
    struct dev_queue *q = r->stream->queue;
    if (a && b && a != b)
        return copy_across(r, to, from, n);
    if (a && b)
        return device_check(a, a->rt.driver->copy(a->rt.dev, q, to, from, n));
    if (a)
        return device_check(
            a, a->rt.driver->copy_in(a->rt.dev, q, to, (const void *)(uintptr_t)from, n));
    if (b)
        return device_check(b,
                            b->rt.driver->copy_out(b->rt.dev, q, (void *)(uintptr_t)to, from, n));
    enum tern_error e = stream_wait(r->stream);
    if (!e)
        memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n);
    return e;
}

/* Pageable memory may change as soon as we return: when the device would read it later, little of
 * it travels in a copy of our own, and for much we wait. */
static bool reads_later(struct tern_stream *s)
{
    return !(s->device->info.flags & DEV_TAKES_COPIES) &&
           s->device->rt.driver->queue_query(s->queue) == TERN_NOT_READY;
}

static enum tern_error copy_staged(const struct run *r, uint64_t to, uint64_t from, uint64_t n)
{
    struct tern_device *d = r->to_device;
    void *copy = malloc(n);
    if (!copy)
        return TERN_OUT_OF_MEMORY;
    memcpy(copy, (const void *)(uintptr_t)from, n);
    enum tern_error e = d->rt.driver->copy_in(d->rt.dev, r->stream->queue, to, copy, n);
    if (!e)
        e = d->rt.driver->host_call(r->stream->queue, free, copy);
    if (e)
        free(copy);
    return device_check(d, e);
}

static enum tern_error do_copy(struct tern_stream *s, const struct work *w)
{
    const struct work_place *to = &w->copy.to, *from = &w->copy.from;
    uint64_t width = w->copy.width, height = w->copy.height, depth = w->copy.depth;
    if (!width || !height || !depth)
        return TERN_OK;
    struct tern_device *d = to->device ? to->device : from->device;
    if (d && s->device != d && (!to->device || !from->device || to->device == from->device)) {
        /* another device's memory: on that device's own stream, after what s has done */
        enum tern_error e = stream_wait(s);
        s = &d->own;
        if (!e)
            e = stream_begin(s);
        if (e)
            return e;
        stream_end(s); /* early is right here: we wait for it ourselves below, or it is in order */
    }
    struct run r = {.stream = s, .to_device = to->device, .from_device = from->device};
    if ((height == 1 || (to->row == width && from->row == width)) && width * height <= INT64_MAX) {
        width *= height;
        if (depth > 1 && to->slice == width && from->slice == width) {
            width *= depth;
            depth = 1;
        }
        height = 1;
    }
    const bool pageable = w->copy.pageable && !to->device != !from->device;
    if (pageable && to->device && height == 1 && depth == 1 && width <= STAGED_BYTES &&
        reads_later(s))
        return copy_staged(&r, to->at, from->at, width);
    enum tern_error e = TERN_OK;
    for (uint64_t z = 0; z < depth && !e; z++)
        for (uint64_t y = 0; y < height && !e; y++)
            e = copy_piece(&r, to->at + z * to->slice + y * to->row,
                           from->at + z * from->slice + y * from->row, width);
    if (!e && pageable && !(s->device->info.flags & DEV_TAKES_COPIES))
        e = device_check(s->device, s->device->rt.driver->queue_wait(s->queue));
    return e;
}

static enum tern_error do_fill(struct tern_stream *s, const struct work *w)
{
    struct tern_device *d = w->fill.to.device;
    uint64_t width = w->fill.width, height = w->fill.height;
    if (!width || !height)
        return TERN_OK;
    if (height > 1 && w->fill.to.row == width) {
        width *= height;
        height = 1;
    }
    enum tern_error e = TERN_OK;
    if (d != s->device) {
        e = stream_wait(s);
        if (!e && d)
            e = stream_begin(&d->own);
        if (!e && d)
            stream_end(&d->own);
    }
    for (uint64_t y = 0; y < height && !e; y++) {
        const uint64_t at = w->fill.to.at + y * w->fill.to.row;
        if (d)
            e = device_check(d,
                             d->rt.driver->fill(d->rt.dev, d == s->device ? s->queue : d->own.queue,
                                                at, width, w->fill.value, w->fill.element));
        else
            for (uint64_t k = 0; k + w->fill.element <= width; k += w->fill.element)
                memcpy((char *)(uintptr_t)at + k, &w->fill.value, w->fill.element);
    }
    return e;
}

/* ---- the others ---- */

static enum tern_error do_after(struct tern_stream *s, struct tern_event *e)
{
    struct tern_device *d = e->device;
    if (d != s->device) /* devices do not wait for each other: the host does */
        return device_check(d, d->rt.driver->event_wait(e->event));
    return device_check(d, d->rt.driver->queue_after(s->queue, e->event));
}

static enum tern_error do_record(struct tern_stream *s, struct tern_event *e)
{
    struct tern_device *d = e->device;
    enum tern_error r = device_check(d, d->rt.driver->event_record(e->event, s->queue));
    if (!r) {
        e->recorded = true;
        capture_forget(e);
    }
    return r;
}

/* The number is known when all before it is done, so that we wait here: what a graph does after it
 * is submitted when it is decided. */
static enum tern_error do_condition(struct tern_stream *s, const struct work *w)
{
    const struct dev_driver *v = s->device->rt.driver;
    if (w->device != s->device)
        return TERN_INVALID_HANDLE;
    for (;;) {
        uint32_t value = 0;
        enum tern_error e =
            v->copy_out(s->device->rt.dev, s->queue, &value, w->condition.at, sizeof value);
        if (!e)
            e = v->queue_wait(s->queue);
        if (e)
            return device_check(s->device, e);
        const bool again = w->condition.kind == CONDITION_WHILE;
        if (w->condition.kind != CONDITION_SWITCH)
            value = !value;
        if (value >= w->condition.nbodies)
            return TERN_OK;
        e = graph_do(s, w->condition.bodies[value]);
        if (e || !again)
            return e;
    }
}

/* A call that owns its argument frees it: each gets a copy. */
static enum tern_error do_call(struct tern_stream *s, const struct work *w)
{
    struct tern_device *d = s->device;
    void *arg = w->call.arg;
    if (w->call.bytes) {
        arg = malloc(w->call.bytes);
        if (!arg)
            return TERN_OUT_OF_MEMORY;
        memcpy(arg, w->call.arg, w->call.bytes);
    }
    if (d->context->check)
        check_called(d->context->check, s->queue);
    enum tern_error e = device_check(d, d->rt.driver->host_call(s->queue, w->call.fn, arg));
    if (e && w->call.bytes)
        free(arg);
    return e;
}

/* ---- words ---- */

struct word_item {
    struct tern_device *device;
    struct work_word word;
};

static uint64_t read_word(const struct work_word *w)
{
    return w->wide ? __atomic_load_n((const uint64_t *)(uintptr_t)w->at, __ATOMIC_ACQUIRE)
                   : __atomic_load_n((const uint32_t *)(uintptr_t)w->at, __ATOMIC_ACQUIRE);
}

static bool word_is(const struct work_word *w)
{
    const uint64_t now = read_word(w), mask = w->wide ? UINT64_MAX : UINT32_MAX;
    switch (w->op) {
    case WORD_GEQ:
        return w->wide ? (int64_t)(now - w->value) >= 0
                       : (int32_t)((uint32_t)now - (uint32_t)w->value) >= 0;
    case WORD_EQ: return now == (w->value & mask);
    case WORD_AND: return (now & w->value) != 0;
    case WORD_NOR: return (~(now | w->value) & mask) != 0;
    default: return true;
    }
}

/* A lost device is waited for by nobody. */
static bool word_reached(void *arg, bool give_up)
{
    struct word_item *i = arg;
    const bool done =
        give_up || __atomic_load_n(&i->device->lost, __ATOMIC_ACQUIRE) || word_is(&i->word);
    if (done)
        free(i);
    return done;
}

static void write_word(void *arg)
{
    const struct word_item i = *(struct word_item *)arg;
    free(arg);
    if (i.word.wide)
        __atomic_store_n((uint64_t *)(uintptr_t)i.word.at, i.word.value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)(uintptr_t)i.word.at, (uint32_t)i.word.value,
                         __ATOMIC_RELEASE);
}

/* As the device's own driver has them. */
static enum tern_error native_words(struct tern_stream *s, const struct work *w)
{
    const struct dev_driver *v = s->device->rt.driver;
    enum tern_error e = w->device == s->device ? TERN_OK : TERN_INVALID_HANDLE;
    for (unsigned k = 0; k < w->words.n && !e; k++) {
        const struct work_word *x = &w->words.list[k];
        if (x->op != WORD_NOTHING)
            e = v->queue_word(s->queue, x->op, x->at, x->value, x->wide);
    }
    return device_check(s->device, e);
}

static enum tern_error do_words(struct tern_stream *s, const struct work *w)
{
    const struct dev_driver *v = s->device->rt.driver;
    if (s->device->info.flags & DEV_WORDS)
        return native_words(s, w);
    if (!v->queue_until || w->device != s->device)
        return v->queue_until ? TERN_INVALID_HANDLE : TERN_UNSUPPORTED;
    enum tern_error e = TERN_OK;
    for (unsigned k = 0; k < w->words.n && !e; k++) {
        if (w->words.list[k].op == WORD_NOTHING)
            continue;
        struct word_item *i = malloc(sizeof *i);
        if (!i)
            return TERN_OUT_OF_MEMORY;
        *i = (struct word_item){s->device, w->words.list[k]};
        e = i->word.op == WORD_WRITE ? v->host_call(s->queue, write_word, i)
                                     : v->queue_until(s->queue, word_reached, i);
        if (e)
            free(i);
    }
    return device_check(s->device, e);
}

static enum tern_error perform(struct tern_stream *s, const struct work *w)
{
    struct tern_device *d = s->device;
    switch (w->kind) {
    case WORK_EMPTY: return TERN_OK;
    case WORK_KERNEL:
        if (w->device != d)
            return TERN_INVALID_HANDLE;
        return device_check(d, rt_launch(&d->rt, s->queue, w->kernel.kernel, &w->kernel.shape));
    case WORK_COPY: return do_copy(s, w);
    case WORK_FILL: return do_fill(s, w);
    case WORK_CALL: return do_call(s, w);
    case WORK_RECORD: return do_record(s, w->event);
    case WORK_AFTER: return do_after(s, w->event);
    case WORK_ALLOC: /* the memory was made with the node, and is kept: see graph.c */
    case WORK_FREE: return TERN_OK;
    case WORK_GRAPH: return graph_do(s, w->graph);
    case WORK_WORDS: return do_words(s, w);
    case WORK_CONDITION: return do_condition(s, w);
    }
    return TERN_INTERNAL;
}

enum tern_error work_do(struct tern_stream *s, const struct work *w)
{
    enum tern_error e = s->device->lost ? s->device->lost : stream_begin(s);
    if (!e) {
        struct timed *t = prof_on() ? timed_begin(s, w) : NULL;
        e = perform(s, w);
        if (t)
            timed_end(t, e);
        stream_end(s);
    }
    return e;
}

enum tern_error work_submit(struct tern_stream *s, const struct work *w)
{
    return s->capture ? capture_add(s, w) : work_do(s, w);
}
