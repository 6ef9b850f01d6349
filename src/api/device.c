/* Contexts and devices: opening, waiting, errors that stick. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/api.h"

/* ---- contexts ---- */

void context_message(struct tern_context *c, const char *format, ...)
{
    char text[sizeof c->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&c->message_lock);
    memcpy(c->message, text, sizeof text);
    pthread_mutex_unlock(&c->message_lock);
}

size_t tern_message(tern_context *c, char *out, size_t size)
{
    if (!size)
        return 0;
    pthread_mutex_lock(&c->message_lock);
    snprintf(out, size, "%s", c->message);
    pthread_mutex_unlock(&c->message_lock);
    return strlen(out);
}

static void say(const struct tern_context *c, const char *text)
{
    if (c->options.say)
        c->options.say(c->options.user, text);
}

/* Kernels print where the program prints, in order with what it printed itself. */
static void print(const struct tern_context *c, const struct report *r)
{
    if (c->options.print)
        c->options.print(c->options.user, r->message, r->length);
    else
        fwrite(r->message, 1, r->length, stdout);
}

void context_report(void *ctx, const struct report *r)
{
    struct tern_context *c = ctx;
    if (r->kind == REPORT_PRINT) {
        print(c, r);
        return;
    }
    if (r->kind == REPORT_NOTE) {
        rt_log(NULL, r);
        return;
    }
    if (c->check && r->kind != REPORT_FINDING && check_takes(c->check, r)) {
        context_message(c, "%s", r->message ? r->message : tern_error_text(r->error));
        return;
    }
    char *text = report_string(r);
    context_message(c, "%s", text ? text : tern_error_text(r->error));
    if (c->host.reports.take) {
        report_send(&c->host.reports, r);
        free(text);
        return;
    }
    /* A call that failed gives an error code, which is the program's to read. */
    for (unsigned k = 0; k < c->ndevices && r->kind == REPORT_BUILD; k++)
        if (device_may_give_way(&c->devices[k])) { /* who takes its place says why */
            free(text);
            return;
        }
    const bool told = report_is_fault(r) || r->kind == REPORT_BUILD || r->kind == REPORT_FINDING ||
                      (r->kind == REPORT_REFUSED && r->error == TERN_UNSUPPORTED);
    if (told && text) {
        if (!c->options.print)
            fflush(stdout);
        say(c, text);
        say(c, "\n");
    }
    free(text);
}

enum tern_error tern_context_new(const struct tern_options *options, tern_context **out)
{
    return context_new(options, NULL, out);
}

enum tern_error context_new(const struct tern_options *options, const struct context_host *host,
                            struct tern_context **out)
{
    *out = NULL;
    struct tern_context *c = calloc(1, sizeof *c);
    if (!c)
        return TERN_OUT_OF_MEMORY;
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->message_lock, NULL);
    if (options)
        c->options = *options;
    if (host)
        c->host = *host;
    if (!rt_cache_dir(c->cache, sizeof c->cache))
        c->cache[0] = 0;
    const struct report_sink sink = {context_report, c};
    if (check_new(&sink, &c->check)) {
        tern_context_free(c);
        return TERN_OUT_OF_MEMORY;
    }
    const char *list = c->options.devices;
    if (!list)
        list = setting_text(SETTING_DEVICES);
    enum tern_error e = select_devices(c, list && *list ? list : "auto");
    for (unsigned k = 0; k < c->ndevices; k++) {
        c->devices[k].context = c;
        c->devices[k].chosen = !strcmp(c->devices[k].name, "auto");
        c->devices[k].ordinal = k;
        pthread_mutex_init(&c->devices[k].lock, NULL);
        pthread_mutex_init(&c->devices[k].notes, NULL);
    }
    c->options.devices = NULL; /* it was the caller's */
    if (e) {
        say(c, c->message);
        tern_context_free(c);
        return e;
    }
    *out = c;
    return TERN_OK;
}

void tern_context_free(tern_context *c)
{
    if (!c)
        return;
    for (unsigned k = 0; k < c->ndevices; k++) {
        device_close(&c->devices[k]);
        pthread_mutex_destroy(&c->devices[k].lock);
        pthread_mutex_destroy(&c->devices[k].notes);
        free(c->devices[k].history);
    }
    if (c->threads)
        pool_destroy(c->threads);
    check_close(c->check);
    pthread_mutex_destroy(&c->message_lock);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

unsigned tern_context_devices(const tern_context *c)
{
    return c->ndevices;
}

/* ---- devices ---- */

/* One line: what did not go, as far as its first line says, and who takes its place. */
static void say_instead(const struct tern_context *c, const struct tern_device *d, const char *why)
{
    char text[512];
    int n = (int)strcspn(why, "\n");
    while (n && strchr(": .", why[n - 1]))
        n--;
    snprintf(text, sizeof text, "tern: %.*s: %s is used instead\n", n < 300 ? n : 300, why,
             d->rt.driver->name);
    say(c, text);
}

static enum tern_error open_locked(struct tern_context *c, struct tern_device *d, char *why)
{
    struct dev_host host = {.reports = {context_report, c},
                            .cancel = c->host.cancel,
                            .cache_dir = c->cache[0] ? c->cache : NULL,
                            .shelf = c->host.shelf,
                            .check = c->check};
    if (c->parts) { /* only a driver that divides its machine looks at it */
        unsigned cores = thread_cores();
        host.threads = cores > c->parts ? cores / c->parts : 1;
    }
    enum tern_error e = rt_open(d->name, &host, &d->rt, why);
    if (e)
        return e;
    const struct dev_driver *v = d->rt.driver;
    e = v->info(d->rt.dev, &d->info);
    if (!e)
        e = v->queue_new(d->rt.dev, &d->own.queue);
    if (!e)
        e = v->event_new(d->rt.dev, &d->own.tail);
    if (e) {
        if (d->own.queue)
            v->queue_free(d->own.queue);
        d->own.queue = NULL;
        rt_close(&d->rt);
        snprintf(why, 256, "%s: %s", d->name, tern_error_text(e));
        return e;
    }
    d->own.device = d;
    d->own.blocking = true;
    d->own.id = 1;
    d->next_id = 2;
    d->lost = TERN_OK;
    __atomic_store_n(&d->open, true, __ATOMIC_RELEASE);
    if (why[0])
        say_instead(c, d, why);
    rt_note("device %u is %s: %s (%s)", (unsigned)(d - c->devices), d->rt.driver->name,
            d->info.name, d->info.driver);
    return TERN_OK;
}

enum tern_error device_open(struct tern_context *c, unsigned n, struct tern_device **out)
{
    if (n >= c->ndevices)
        return TERN_NO_DEVICE;
    struct tern_device *d = &c->devices[n];
    enum tern_error e = TERN_OK;
    if (!__atomic_load_n(&d->open, __ATOMIC_ACQUIRE)) {
        char why[256] = "";
        pthread_mutex_lock(&c->lock);
        if (!d->open)
            e = open_locked(c, d, why);
        pthread_mutex_unlock(&c->lock);
        if (e) {
            context_message(c, "tern: %s\n", why);
            if (!__atomic_exchange_n(&d->complained, true, __ATOMIC_RELAXED))
                say(c, c->message); /* once: programs try again at each call */
        }
    }
    *out = d;
    return e;
}

enum tern_error tern_context_device(tern_context *c, unsigned n, tern_device **out)
{
    *out = NULL;
    return device_open(c, n, out);
}

bool device_may_give_way(const struct tern_device *d)
{
    return d->open && d->chosen && d->rt.driver != dev_drivers[0] && !d->streams &&
           !__atomic_load_n(&d->used, __ATOMIC_RELAXED);
}

bool device_give_way(struct tern_device *d, const char *why)
{
    struct tern_context *c = d->context;
    char reason[320], ignored[256];
    size_t n = 0;
    if (!device_may_give_way(d))
        return false;
    while (dev_drivers[n] != d->rt.driver)
        n++;
    snprintf(reason, sizeof reason, "%s: %s", d->rt.driver->name,
             strncmp(why, "error: ", 7) ? why : why + 7);
    device_close(d);
    pthread_mutex_lock(&c->lock);
    while (n-- > 0 && !d->open) {
        snprintf(d->name, sizeof d->name, "%s", dev_drivers[n]->name);
        ignored[0] = 0;
        if (!open_locked(c, d, ignored) && d->info.flags & DEV_SOFTWARE) {
            pthread_mutex_unlock(&c->lock);
            device_close(d); /* slower than the processor, which comes next */
            pthread_mutex_lock(&c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    if (d->open)
        say_instead(c, d, reason);
    return d->open;
}

/* ---- what libraries keep ---- */

struct kept {
    struct kept *next;
    const void *key;
    void (*release)(void *);
    _Alignas(16) char data[];
};

void *tern_device_keep(tern_device *d, const void *key, size_t bytes, void (*init)(void *),
                       void (*release)(void *))
{
    pthread_mutex_lock(&d->lock);
    struct kept *k = d->kept;
    while (k && k->key != key)
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k + bytes))) {
        k->next = d->kept;
        k->key = key;
        k->release = release;
        if (init)
            init(k->data);
        d->kept = k;
    }
    pthread_mutex_unlock(&d->lock);
    return k ? k->data : NULL;
}

static void release_kept(struct tern_device *d)
{
    for (struct kept *k = d->kept, *next; k; k = next) {
        next = k->next;
        if (k->release)
            k->release(k->data);
        free(k);
    }
    d->kept = NULL;
}

void device_close(struct tern_device *d)
{
    if (!d->open)
        return;
    device_wait(d);
    timed_close(d);
    release_kept(d);
    stream_free_all(d);
    d->rt.driver->event_free(d->own.tail);
    d->rt.driver->queue_free(d->own.queue);
    rt_close(&d->rt);
    free(d->own.attributes);
    d->own = (struct tern_stream){0};
    d->gather = NULL;
    d->own_version = 0;
    d->lost = TERN_OK;
    __atomic_store_n(&d->open, false, __ATOMIC_RELEASE);
}

/* One stream after the other, without the lock while waiting, so that others may go on. */
enum tern_error device_wait(struct tern_device *d)
{
    enum tern_error first = TERN_OK;
    if (__atomic_load_n(&d->own.busy, __ATOMIC_ACQUIRE) || d->lost)
        first = stream_drain(&d->own);
    pthread_mutex_lock(&d->lock);
    const uint64_t visit = ++d->visit;
    for (struct tern_stream *s = d->streams; s;) {
        if (s->visited == visit || !__atomic_load_n(&s->busy, __ATOMIC_ACQUIRE) || s->capture) {
            s = s->next;
            continue;
        }
        s->visited = visit;
        s->users++;
        pthread_mutex_unlock(&d->lock);
        enum tern_error e = stream_drain(s);
        first = first ? first : e;
        pthread_mutex_lock(&d->lock);
        s->users--;
        s = d->streams; /* the list may have changed */
    }
    pthread_mutex_unlock(&d->lock);
    return first;
}

/* Streams that are captured cannot be waited for: to ask for it spoils their captures. */
enum tern_error tern_device_wait(tern_device *d)
{
    bool captured = false;
    pthread_mutex_lock(&d->lock);
    for (struct tern_stream *k = d->streams; k && d->captures; k = k->next)
        if (k->capture && k->blocking)
            captured = k->capture->invalid = true;
    pthread_mutex_unlock(&d->lock);
    return captured ? TERN_CAPTURE_UNSUPPORTED : device_wait(d);
}

enum tern_error tern_device_reset(tern_device *d)
{
    device_wait(d);
    enum tern_error e = d->rt.driver->reset_fault(d->rt.dev);
    if (!e)
        d->lost = TERN_OK;
    return e;
}

bool device_is_native(struct tern_device *d)
{
    return rt_is_native(&d->rt);
}

unsigned device_level(const struct tern_device *d)
{
    return d->rt.driver->level;
}

enum tern_error device_test_pairs(struct tern_device *d)
{
    return device_check(d, rt_test_pairs(&d->rt));
}

tern_context *tern_device_context(const tern_device *d)
{
    return d->context;
}

void device_facts(const struct dev_info *i, struct tern_device_info *out)
{
    *out = (struct tern_device_info){.memory = i->memory,
                                     .memory_free = i->memory_free,
                                     .units = i->units,
                                     .warp_size = i->warp_size,
                                     .max_threads_per_block = i->max_threads_per_block,
                                     .shared_per_block = i->shared_per_block,
                                     .host_memory = (i->flags & DEV_HOST_MEMORY) != 0,
                                     .f64 = (i->flags & DEV_F64) != 0,
                                     .f16 = (i->flags & DEV_F16) != 0,
                                     .cooperative = (i->flags & DEV_COOPERATIVE) != 0,
                                     .software = (i->flags & DEV_SOFTWARE) != 0,
                                     .checked = (i->flags & DEV_CHECKED) != 0,
                                     .host_code = (i->flags & DEV_HOST_CODE) != 0,
                                     .matrix = (i->flags & DEV_MATRIX) != 0,
                                     .capability = i->arch / 10,
                                     .own_capability = i->has_arch};
    memcpy(out->name, i->name, sizeof out->name);
    memcpy(out->driver, i->driver, sizeof out->driver);
}

enum tern_error tern_device_info(tern_device *d, struct tern_device_info *out)
{
    struct dev_info i;
    enum tern_error e = d->rt.driver->info(d->rt.dev, &i);
    if (!e)
        device_facts(&i, out);
    return e;
}

/* ---- history ---- */

static tern_dim dim_of(const uint32_t d[3])
{
    return (tern_dim){d[0], d[1], d[2]};
}

void device_launched(struct tern_device *d, const struct rt_kernel *k, const struct dev_launch *l,
                     enum tern_error e)
{
    pthread_mutex_lock(&d->notes);
    if (!d->history)
        d->history = calloc(TERN_HISTORY, sizeof *d->history);
    if (d->history) {
        struct tern_launched *h = &d->history[d->launched % TERN_HISTORY];
        *h = (struct tern_launched){.number = ++d->launched,
                                    .grid = dim_of(l->grid),
                                    .block = dim_of(l->block),
                                    .shared = l->shared,
                                    .error = e};
        snprintf(h->kernel, sizeof h->kernel, "%s", k->display ? k->display : k->name);
    }
    pthread_mutex_unlock(&d->notes);
}

unsigned tern_device_history(tern_device *d, struct tern_launched *out, unsigned most)
{
    unsigned n = 0;
    pthread_mutex_lock(&d->notes);
    for (; d->history && n < most && n < TERN_HISTORY && n < d->launched; n++)
        out[n] = d->history[(d->launched - 1 - n) % TERN_HISTORY];
    pthread_mutex_unlock(&d->notes);
    return n;
}

/* ---- errors ---- */

/* Faults of kernels leave the device unusable until it is reset, as in CUDA. */
static bool sticks(enum tern_error e)
{
    switch (e) {
    case TERN_ILLEGAL_ADDRESS:
    case TERN_MISALIGNED:
    case TERN_TRAP:
    case TERN_ASSERT:
    case TERN_TIMEOUT:
    case TERN_DEADLOCK:
    case TERN_STACK_OVERFLOW:
    case TERN_DEVICE_LOST: return true;
    default: return false;
    }
}

enum tern_error device_check(struct tern_device *d, enum tern_error e)
{
    if (!e || !sticks(e))
        return e;
    enum tern_error none = TERN_OK;
    __atomic_compare_exchange_n(&d->lost, &none, e, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return e;
}
