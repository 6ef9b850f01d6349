/* Queues and events.
 *
 * A queue is a list of work done in order. Whoever finds it idle may do the work: the queue's own
 * thread, which sleeps until there is some, or a thread that waits for the queue and would only
 * sleep otherwise. So a launch that is waited for at once runs on the caller's thread, without the
 * wait for another to wake up, and work that is not waited for still proceeds by itself. What takes
 * less time than to tell another thread of it is done by who submits it. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "rt/dev/cpu/cpu_int.h"

enum item_kind {
    ITEM_LAUNCH,
    ITEM_COPY,
    ITEM_FILL,
    ITEM_RECORD,
    ITEM_AFTER,
    ITEM_CALL,
    ITEM_UNTIL
};

struct item {
    struct item *next;
    enum item_kind kind;
    bool brief; /* a launch that takes little time and waits for nobody */
    struct cpu_launch launch;
    void *to;
    const void *from;
    uint64_t n;
    uint32_t pattern, pattern_bytes;
    struct dev_event *event;
    uint64_t ticket; /* of the event */
    void (*fn)(void *);
    bool (*done)(void *arg, bool give_up);
    void *arg;
};

struct dev_queue {
    struct dev *dev;
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct item *first, **end;
    bool busy;       /* someone is doing the work */
    unsigned longer; /* items that are not brief, in the list or being done from it */
    bool stop, started, asleep;
    unsigned waiters;
    pthread_t thread;
    enum tern_error error;
};

/* Programs may destroy an event that queues still have to reach or wait for. */
struct dev_event {
    pthread_mutex_t lock;
    pthread_cond_t reached_one;
    unsigned users;             /* its owner, and items of queues */
    uint64_t recorded, reached; /* tickets */
    uint64_t time;
    struct check *check; /* NULL: nobody wants to know the order */
};

/* ---- doing work ---- */
static void fill(char *to, uint64_t n, uint32_t pattern, unsigned bytes)
{
    if (bytes == 1) {
        memset(to, (int)(pattern & 255), n);
        return;
    }
    for (uint64_t i = 0; i + bytes <= n; i += bytes)
        memcpy(to + i, &pattern, bytes); /* little-endian: the low bytes come first */
}

static void event_drop(struct dev_event *e)
{
    pthread_mutex_lock(&e->lock);
    bool last = --e->users == 0;
    pthread_mutex_unlock(&e->lock);
    if (last) {
        pthread_cond_destroy(&e->reached_one);
        pthread_mutex_destroy(&e->lock);
        free(e);
    }
}

static void event_reach(struct dev_event *e, uint64_t ticket)
{
    pthread_mutex_lock(&e->lock);
    if (ticket > e->reached)
        e->reached = ticket;
    e->time = thread_nanoseconds();
    pthread_cond_broadcast(&e->reached_one);
    pthread_mutex_unlock(&e->lock);
}

static void event_await(struct dev_event *e, uint64_t ticket)
{
    pthread_mutex_lock(&e->lock);
    while (e->reached < ticket)
        pthread_cond_wait(&e->reached_one, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

/* Asks more and more rarely. Who cancels, or a fault elsewhere on the device, ends it. */
static enum tern_error wait_until(struct dev *d, struct item *i)
{
    long pause = 1000;
    for (unsigned n = 0; !i->done(i->arg, false); n++) {
        pthread_mutex_lock(&d->lock);
        const enum tern_error fault = d->fault;
        pthread_mutex_unlock(&d->lock);
        const bool cancelled = d->host.cancel && __atomic_load_n(d->host.cancel, __ATOMIC_RELAXED);
        if (fault || cancelled) {
            i->done(i->arg, true);
            return fault ? fault : TERN_TIMEOUT;
        }
        if (n < 32) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){0, pause}, NULL);
            pause = pause < 500000 ? 2 * pause : pause;
        }
    }
    return TERN_OK;
}

static enum tern_error work(struct dev *d, struct item *i)
{
    switch (i->kind) {
    case ITEM_LAUNCH: return cpu_run(d, &i->launch);
    case ITEM_COPY: memmove(i->to, i->from, i->n); break;
    case ITEM_FILL: fill(i->to, i->n, i->pattern, i->pattern_bytes); break;
    case ITEM_RECORD: event_reach(i->event, i->ticket); break;
    case ITEM_AFTER: event_await(i->event, i->ticket); break;
    case ITEM_CALL: i->fn(i->arg); break;
    case ITEM_UNTIL: return wait_until(d, i);
    }
    return TERN_OK;
}

static void item_free(struct item *i)
{
    if (i->event)
        event_drop(i->event);
    free(i);
}

/* Under the lock, which it lets go of while it works. Work that comes after an error is dropped,
 * but events are reached, so that nobody waits for ever. */
static void drain(struct dev_queue *q)
{
    q->busy = true;
    while (q->first) {
        struct item *i = q->first;
        if (!(q->first = i->next))
            q->end = &q->first;
        bool skip =
            q->error && (i->kind == ITEM_LAUNCH || i->kind == ITEM_COPY || i->kind == ITEM_FILL);
        pthread_mutex_unlock(&q->lock);
        enum tern_error e = skip ? TERN_OK : work(q->dev, i);
        const bool brief = i->brief;
        item_free(i);
        pthread_mutex_lock(&q->lock);
        q->longer -= !brief;
        if (e && !q->error)
            q->error = e;
    }
    q->busy = false;
    if (q->waiters)
        pthread_cond_broadcast(&q->idle);
}

static void *queue_main(void *arg)
{
    struct dev_queue *q = arg;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        if (q->first && !q->busy) {
            drain(q);
        } else if (q->stop) {
            break;
        } else {
            q->asleep = true;
            pthread_cond_wait(&q->work, &q->lock);
            q->asleep = false;
        }
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* ---- giving work ---- */
static enum tern_error submit(struct dev_queue *q, const struct item *what, const void *extra,
                              size_t extra_bytes)
{
    struct item *i = malloc(sizeof *i + extra_bytes);
    if (!i) {
        if (what->event)
            event_drop(what->event);
        return TERN_OUT_OF_MEMORY;
    }
    *i = *what;
    i->next = NULL;
    if (extra_bytes) { /* the parameters of a launch travel behind the item */
        memcpy(i + 1, extra, extra_bytes);
        i->launch.params = (char *)(i + 1);
    }
    enum tern_error e = TERN_OK;
    pthread_mutex_lock(&q->lock);
    if (!q->started) {
        if (pthread_create(&q->thread, NULL, queue_main, q))
            e = TERN_OUT_OF_MEMORY;
        else
            q->started = true;
    }
    if (e) {
        item_free(i);
    } else {
        *q->end = i;
        q->end = &i->next;
        q->longer += !i->brief;
        if (q->asleep && !q->busy)
            pthread_cond_signal(&q->work);
    }
    pthread_mutex_unlock(&q->lock);
    return e;
}

static enum tern_error do_now(struct dev *d, struct item *i)
{
    enum tern_error e = work(d, i);
    if (i->event)
        event_drop(i->event);
    return e;
}

/* Under the lock, which it lets go of meanwhile. */
static void come_to_end(struct dev_queue *q)
{
    if (!q->busy) {
        drain(q);
    } else {
        q->waiters++;
        pthread_cond_wait(&q->idle, &q->lock);
        q->waiters--;
    }
}

/* What is brief lets launches before it that are brief, too, be done first: else a program that
 * launches faster than another thread can follow would never find the queue idle again. */
static void settle(struct dev_queue *q)
{
    while (!q->longer && (q->first || q->busy))
        come_to_end(q);
}

/* Whoever takes a queue in which nothing is does the next piece of work itself. */
static bool take_idle(struct dev_queue *q, bool brief)
{
    pthread_mutex_lock(&q->lock);
    if (brief)
        settle(q);
    const bool idle = !q->first && !q->busy;
    if (idle)
        q->busy = true;
    pthread_mutex_unlock(&q->lock);
    return idle;
}

static void give_back(struct dev_queue *q, enum tern_error e)
{
    pthread_mutex_lock(&q->lock);
    if (e && !q->error)
        q->error = e;
    q->busy = false;
    if (q->first)
        pthread_cond_signal(&q->work);
    if (q->waiters)
        pthread_cond_broadcast(&q->idle);
    pthread_mutex_unlock(&q->lock);
}

/* What is short and touches nothing but memory is done at once when nothing is before it. */
static enum tern_error submit_or_do(struct dev *d, struct dev_queue *q, struct item *i)
{
    if (!q)
        return do_now(d, i);
    if (!take_idle(q, false))
        return submit(q, i, NULL, 0);
    if (!q->error || i->event)
        do_now(d, i);
    give_back(q, TERN_OK);
    return TERN_OK;
}

enum tern_error cpu_copy(struct dev *d, struct dev_queue *q, void *to, const void *from, uint64_t n)
{
    struct item i = {.kind = ITEM_COPY, .to = to, .from = from, .n = n};
    return submit_or_do(d, q, &i);
}

enum tern_error cpu_fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                         uint32_t pattern, unsigned pattern_bytes)
{
    if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4)
        return TERN_INVALID_ARGUMENT;
    struct item i = {.kind = ITEM_FILL,
                     .to = (void *)(uintptr_t)to,
                     .n = n,
                     .pattern = pattern,
                     .pattern_bytes = pattern_bytes};
    return submit_or_do(d, q, &i);
}

/* Queues would overlap: with TERN_DETERMINISTIC work is done when it is submitted. Its error is
 * told by who waits. */
static enum tern_error finish_in_order(struct dev_queue *q)
{
    if (q->dev->in_order)
        cpu_queue_wait(q);
    return TERN_OK;
}

enum tern_error cpu_host_call(struct dev_queue *q, void (*fn)(void *), void *arg)
{
    struct item i = {.kind = ITEM_CALL, .fn = fn, .arg = arg};
    const enum tern_error e = submit(q, &i, NULL, 0);
    return e ? e : finish_in_order(q);
}

/* Under the lock, because the call is short: to let go of it and take it again would cost as much
 * as the call. Who checks wants to know of all that is submitted. */
enum tern_error cpu_call_now(struct dev_queue *q, void (*fn)(void *), void *arg)
{
    if (q->dev->host.check)
        return TERN_NOT_READY;
    pthread_mutex_lock(&q->lock);
    settle(q);
    const bool idle = !q->first && !q->busy;
    if (idle)
        fn(arg);
    pthread_mutex_unlock(&q->lock);
    return idle ? TERN_OK : TERN_NOT_READY;
}

/* With TERN_DETERMINISTIC there are no queues to wait in. */
enum tern_error cpu_queue_until(struct dev_queue *q, bool (*done)(void *arg, bool give_up),
                                void *arg)
{
    struct item i = {.kind = ITEM_UNTIL, .done = done, .arg = arg};
    return q->dev->in_order ? TERN_UNSUPPORTED : submit(q, &i, NULL, 0);
}

enum tern_error cpu_launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                           const struct dev_launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    for (int n = 0; n < 3; n++)
        if (!l->grid[n] || !l->block[n])
            return TERN_INVALID_LAUNCH;
    if (threads > 1024 || (k->max_threads && threads > k->max_threads))
        return TERN_INVALID_LAUNCH;
    if (l->param_bytes < k->param_bytes)
        return TERN_INVALID_ARGUMENT;
    struct item i = {.kind = ITEM_LAUNCH, .launch = {.kernel = k, .shape = *l}};
    enum tern_error e = cpu_variant(k, l->block, &i.launch.variant);
    if (e)
        return e;
    if (d->host.check)
        i.launch.place = check_submit(d->host.check, q);
    if (!q) {
        i.launch.params = (char *)(uintptr_t)l->params;
        return cpu_run(d, &i.launch);
    }
    i.brief = !d->host.check && cpu_takes_less(&i.launch, CPU_BRIEF_NS);
    if (i.brief && take_idle(q, true)) {
        i.launch.params = (char *)(uintptr_t)l->params;
        give_back(q, q->error ? TERN_OK : cpu_run(d, &i.launch));
        return TERN_OK;
    }
    e = submit(q, &i, l->params, l->param_bytes);
    return e ? e : finish_in_order(q);
}

/* ---- queues ---- */
enum tern_error cpu_queue_new(struct dev *d, struct dev_queue **out)
{
    struct dev_queue *q = calloc(1, sizeof *q);
    if (!q)
        return TERN_OUT_OF_MEMORY;
    q->dev = d;
    q->end = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->work, NULL);
    pthread_cond_init(&q->idle, NULL);
    *out = q;
    return TERN_OK;
}

enum tern_error cpu_queue_wait(struct dev_queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->first || q->busy)
        come_to_end(q);
    enum tern_error e = q->error;
    pthread_mutex_unlock(&q->lock);
    if (q->dev->host.check)
        check_waited(q->dev->host.check, q, NULL);
    return e;
}

void cpu_queue_free(struct dev_queue *q)
{
    cpu_queue_wait(q);
    if (q->dev->host.check)
        check_drop(q->dev->host.check, q);
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    pthread_cond_broadcast(&q->work);
    pthread_mutex_unlock(&q->lock);
    if (q->started)
        pthread_join(q->thread, NULL);
    pthread_cond_destroy(&q->work);
    pthread_cond_destroy(&q->idle);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

enum tern_error cpu_queue_query(struct dev_queue *q)
{
    pthread_mutex_lock(&q->lock);
    enum tern_error e = q->first || q->busy ? TERN_NOT_READY : q->error;
    pthread_mutex_unlock(&q->lock);
    if (!e && q->dev->host.check)
        check_waited(q->dev->host.check, q, NULL);
    return e;
}

/* ---- events ---- */
enum tern_error cpu_event_new(struct dev *d, struct dev_event **out)
{
    struct dev_event *e = calloc(1, sizeof *e);
    if (!e)
        return TERN_OUT_OF_MEMORY;
    e->check = d->host.check;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->reached_one, NULL);
    e->users = 1;
    *out = e;
    return TERN_OK;
}

void cpu_event_free(struct dev_event *e)
{
    if (e->check)
        check_drop(e->check, e);
    event_drop(e);
}

enum tern_error cpu_event_record(struct dev_event *e, struct dev_queue *q)
{
    if (e->check)
        check_record(e->check, e, q);
    pthread_mutex_lock(&e->lock);
    struct item i = {.kind = ITEM_RECORD, .event = e, .ticket = ++e->recorded};
    e->users++;
    pthread_mutex_unlock(&e->lock);
    return submit_or_do(NULL, q, &i);
}

enum tern_error cpu_event_wait(struct dev_event *e)
{
    pthread_mutex_lock(&e->lock);
    uint64_t ticket = e->recorded;
    pthread_mutex_unlock(&e->lock);
    event_await(e, ticket);
    if (e->check)
        check_waited(e->check, NULL, e);
    return TERN_OK;
}

enum tern_error cpu_queue_after(struct dev_queue *q, struct dev_event *e)
{
    if (e->check)
        check_after(e->check, q, e);
    pthread_mutex_lock(&e->lock);
    struct item i = {.kind = ITEM_AFTER, .event = e, .ticket = e->recorded};
    bool reached = e->reached >= e->recorded;
    e->users += !reached;
    pthread_mutex_unlock(&e->lock);
    return reached ? TERN_OK : submit(q, &i, NULL, 0);
}

enum tern_error cpu_event_time(struct dev_event *e, uint64_t *ns)
{
    pthread_mutex_lock(&e->lock);
    bool reached = e->recorded && e->reached >= e->recorded;
    *ns = e->time;
    pthread_mutex_unlock(&e->lock);
    if (reached && e->check)
        check_waited(e->check, NULL, e);
    return reached ? TERN_OK : TERN_NOT_READY;
}
