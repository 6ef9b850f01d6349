/* The CUDA device: NVIDIA GPUs through the driver library.
 *
 * The primary context is used, so that other users of the GPU in the process share it. Kernels are
 * submitted to streams that do not wait for the default one. Device printf goes to the process's
 * standard output: the driver writes it itself, at the next wait. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "rt/dev/cuda/nvidia_int.h"

/* ---- errors ---- */
enum tern_error nv_enter(struct dev *d)
{
    if (d->sticky)
        return nv_error(d->sticky);
    nv_result r = d->api.ctx_set(d->ctx);
    return r ? nv_check(d, r, "using the device") : TERN_OK;
}

enum tern_error nv_enter_with(struct dev *d, unsigned made)
{
    return made != d->made ? TERN_INVALID_HANDLE : nv_enter(d);
}

enum tern_error nv_check(struct dev *d, nv_result r, const char *what)
{
    enum tern_error e = nv_error(r);
    if (!r || e == TERN_NOT_READY || e == TERN_OK)
        return e;
    const bool lost = nv_is_sticky(r);
    char message[256], kernel[sizeof d->last_kernel];
    pthread_mutex_lock(&d->lock);
    const bool known = d->sticky; /* the first error is the one to tell of */
    if (lost && !known)
        d->sticky = r;
    memcpy(kernel, d->last_kernel, sizeof kernel);
    pthread_mutex_unlock(&d->lock);
    if (known)
        return e;
    snprintf(message, sizeof message, "%s: %s (%d)%s%s%s", what, nv_error_name(r), r,
             lost && kernel[0] ? "\n  kernel launched last: " : "", lost ? kernel : "",
             lost ? "\n  the device does nothing more until it is reset" : "");
    struct report report = {.kind = lost ? report_kind_of(e) : REPORT_CALL,
                            .error = e,
                            .device = "cuda",
                            .message = message};
    if (lost && !report_is_fault(&report))
        report.kind = REPORT_LOST;
    report_send(&d->host.reports, &report);
    return e;
}

/* A lost context takes its memory and modules with it. */
static enum tern_error reset_fault(struct dev *d)
{
    nv_forget_wishes(d, NULL);
    pthread_mutex_lock(&d->lock);
    bool lost = d->sticky != 0, runs = d->sticky == NV_STILL_RUNS;
    d->sticky = 0;
    d->made += lost;
    d->stack = lost ? 0 : d->stack;
    pthread_mutex_unlock(&d->lock);
    if (!lost)
        return TERN_OK;
    nv_result r = runs ? d->api.primary_reset(d->device) : 0; /* else the driver waits for it */
    nv_check_drop(d);
    nv_pool_free(d);
    d->api.primary_release(d->device);
    if (!r)
        r = d->api.primary_reset(d->device);
    if (!r)
        r = d->api.primary_retain(&d->ctx, d->device);
    if (!r)
        r = d->api.ctx_set(d->ctx);
    if (!r)
        r = d->api.event_create(&d->origin, 0);
    if (!r)
        r = d->api.event_record(d->origin, NULL);
    enum tern_error e = nv_pool_new(d);
    return r ? nv_check(d, r, "resetting the device") : e;
}

/* ---- the device ---- */
static unsigned count(const char **why)
{
    struct nv_api api;
    int n = 0;
    *why = NULL;
    if (!nv_find(&api, why))
        return 0;
    if (api.device_count(&n) || n < 1) {
        *why = "the NVIDIA driver finds no GPU";
        n = 0;
    }
    nv_drop(&api);
    return (unsigned)n;
}

static int attribute(struct dev *d, enum nv_attribute which)
{
    int v = 0;
    return d->api.device_attribute(&v, which, d->device) ? 0 : v;
}

static void close_device(struct dev *d)
{
    nv_forget_wishes(d, NULL);
    if (d->ctx) {
        if (d->sticky == NV_STILL_RUNS) /* the kernel ends with its context */
            d->api.primary_reset(d->device);
        if (!d->sticky && !d->api.ctx_set(d->ctx)) {
            d->api.ctx_sync();
            if (d->origin)
                d->api.event_destroy(d->origin);
        }
        nv_textures_drop(d);
        nv_check_close(d);
        nv_pool_free(d);
        d->api.primary_release(d->device);
        if (d->sticky) /* or the next one to open the device would find it as it is */
            d->api.primary_reset(d->device);
    }
    nv_drop(&d->api);
    pthread_mutex_destroy(&d->assembler);
    pthread_mutex_destroy(&d->wishes.granting);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static enum tern_error open_device(unsigned ordinal, const struct dev_host *host, struct dev **out)
{
    const char *why = NULL;
    struct dev *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d)
        return TERN_OUT_OF_MEMORY;
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->assembler, NULL);
    pthread_mutex_init(&d->wishes.granting, NULL);
    if (host)
        d->host = *host;
    d->ordinal = ordinal;
    if (!nv_find(&d->api, &why)) {
        report_note(&d->host.reports, "%s", why);
        close_device(d);
        return TERN_NO_DEVICE;
    }
    nv_result r = ordinal > 4096 ? 101 : d->api.device_get(&d->device, (int)ordinal);
    enum tern_error e = TERN_OK;
    if (!r) {
        unsigned cc = (unsigned)(attribute(d, CUDA_CAPABILITY_MAJOR) * 10 +
                                 attribute(d, CUDA_CAPABILITY_MINOR));
        d->arch = cc > 90 ? 90 : cc; /* newer processors take older PTX */
        d->exact_arch = d->arch == cc;
        if (cc < 70) {
            report_note(&d->host.reports, "this NVIDIA GPU is older than sm_70");
            close_device(d);
            return TERN_UNSUPPORTED;
        }
        r = d->api.primary_retain(&d->ctx, d->device);
    }
    if (!r)
        r = d->api.ctx_set(d->ctx);
    if (!r)
        r = d->api.event_create(&d->origin, 0);
    if (!r)
        r = d->api.event_record(d->origin, NULL);
    if (!r)
        e = nv_pool_new(d);
    if (!r && !e)
        e = nv_check_open(d);
    if (r || e) {
        e = r ? nv_check(d, r, "opening the device") : e;
        close_device(d);
        return e;
    }
    *out = d;
    return TERN_OK;
}

static bool has_words(struct dev *d)
{
    const struct nv_api *a = &d->api;
    return a->wait32 && a->wait64 && a->write32 && a->write64 && attribute(d, CUDA_WORDS) &&
           attribute(d, CUDA_WIDE_WORDS) && attribute(d, CUDA_WORDS_NOR);
}

static enum tern_error info(struct dev *d, struct dev_info *out)
{
    size_t total = 0, unused = 0;
    *out = (struct dev_info){
        .flags = DEV_F64 | DEV_I64 | DEV_F16 | DEV_GPU | DEV_TAKES_COPIES |
                 (d->arch >= 80 ? DEV_MATRIX : 0) | (d->arch >= 70 ? DEV_PROGRESS : 0),
        .units = (uint32_t)attribute(d, CUDA_MULTIPROCESSORS),
        .warp_size = (uint32_t)attribute(d, CUDA_WARP_SIZE),
        .shared_per_block = (uint32_t)attribute(d, CUDA_SHARED_PER_BLOCK_OPTIN),
        .unit_threads = (uint32_t)attribute(d, CUDA_UNIT_THREADS),
        .unit_blocks = (uint32_t)attribute(d, CUDA_UNIT_BLOCKS),
        .unit_shared = (uint32_t)attribute(d, CUDA_UNIT_SHARED),
        .clock_khz = (uint32_t)attribute(d, CUDA_CLOCK_KHZ),
        .memory_khz = (uint32_t)attribute(d, CUDA_MEMORY_CLOCK_KHZ),
        .memory_bits = (uint32_t)attribute(d, CUDA_MEMORY_BUS_WIDTH),
        .cache_bytes = (uint32_t)attribute(d, CUDA_L2_CACHE_SIZE),
        .arch = d->arch * 10,
        .has_arch = true,
        .gpu = d->ordinal + 1};
    if (attribute(d, CUDA_COOPERATIVE_LAUNCH))
        out->flags |= DEV_COOPERATIVE;
    if (attribute(d, CUDA_MANAGED_MEMORY))
        out->flags |= DEV_MANAGED;
    if (has_words(d))
        out->flags |= DEV_WORDS;
    out->max_threads_per_block = (uint32_t)attribute(d, CUDA_MAX_THREADS_PER_BLOCK);
    for (unsigned k = 0; k < 3; k++) {
        out->max_block[k] = (uint32_t)attribute(d, (enum nv_attribute)(CUDA_MAX_BLOCK_X + k));
        out->max_grid[k] = (uint32_t)attribute(d, (enum nv_attribute)(CUDA_MAX_GRID_X + k));
    }
    enum tern_error e = nv_enter(d);
    if (!e && !d->api.mem_info(&unused, &total)) {
        out->memory = total;
        out->memory_free = unused;
    }
    if (d->api.device_name(out->name, (int)sizeof out->name, d->device))
        snprintf(out->name, sizeof out->name, "NVIDIA GPU %u", d->ordinal);
    snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", d->api.version / 1000,
             d->api.version % 1000 / 10);
    return e;
}

/* ---- copies ---- */
static enum tern_error copy_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                               uint64_t n)
{
    enum tern_error e = nv_enter_with(d, q->made);
    if (e || !n)
        return e;
    if (!check_copies(d->host.check, q, to, (dev_ptr)(uintptr_t)from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    return nv_check(d, d->api.copy_in(to, from, n, q->stream), "copying to the device");
}

static enum tern_error copy_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from,
                                uint64_t n)
{
    enum tern_error e = nv_enter_with(d, q->made);
    if (e || !n)
        return e;
    if (!check_copies(d->host.check, q, (dev_ptr)(uintptr_t)to, from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    return nv_check(d, d->api.copy_out(to, from, n, q->stream), "copying from the device");
}

static enum tern_error copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from,
                            uint64_t n)
{
    enum tern_error e = nv_enter_with(d, q->made);
    if (e || !n)
        return e;
    if (!check_copies(d->host.check, q, to, from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    return nv_check(d, d->api.copy(to, from, n, q->stream), "copying on the device");
}

static enum tern_error fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                            uint32_t pattern, unsigned pattern_bytes)
{
    enum tern_error e = nv_enter_with(d, q->made);
    if (e)
        return e;
    if ((pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4) || n % pattern_bytes)
        return TERN_INVALID_ARGUMENT;
    if (!n)
        return TERN_OK;
    if (!check_copies(d->host.check, q, to, 0, n, "a fill"))
        return TERN_INVALID_ARGUMENT;
    nv_result r = pattern_bytes == 1 ? d->api.fill8(to, (unsigned char)pattern, n, q->stream)
                  : pattern_bytes == 2
                      ? d->api.fill16(to, (unsigned short)pattern, n / 2, q->stream)
                      : d->api.fill32(to, pattern, n / 4, q->stream);
    return nv_check(d, r, "filling memory");
}

static enum tern_error host_alloc(struct dev *d, uint64_t size, void **out)
{
    enum tern_error e = nv_enter(d);
    *out = NULL;
    if (e)
        return e;
    return nv_check(d, d->api.host_alloc(out, size ? size : 1, CUDA_HOST_PORTABLE),
                    "allocating pinned host memory");
}

static enum tern_error host_free(struct dev *d, void *p)
{
    enum tern_error e = nv_enter(d);
    if (e || !p)
        return e;
    return nv_check(d, d->api.host_free(p), "freeing pinned host memory");
}

/* Memory that cannot be written is registered for copies alone, which say nothing of it here. */
static enum tern_error share(struct dev *d, void *at, uint64_t size, bool writable)
{
    enum tern_error e = nv_enter(d);
    if (e)
        return e;
    if (!d->api.host_register || !writable ||
        d->api.host_register(at, size, CUDA_HOST_PORTABLE | CUDA_HOST_DEVICEMAP))
        return TERN_UNSUPPORTED;
    if (d->host.check)
        check_tell(d->host.check, (dev_ptr)(uintptr_t)at, size, CHECK_DEVICE, "mapped memory");
    return TERN_OK;
}

static void take_back(struct dev *d, dev_ptr at)
{
    if (nv_enter(d) == TERN_OK)
        d->api.host_unregister((void *)(uintptr_t)at);
    if (d->host.check)
        check_forget(d->host.check, at);
}

/* ---- queues ---- */
static enum tern_error queue_new(struct dev *d, struct dev_queue **out)
{
    enum tern_error e = nv_enter(d);
    *out = NULL;
    if (e)
        return e;
    struct dev_queue *q = calloc(1, sizeof *q);
    if (!q)
        return TERN_OUT_OF_MEMORY;
    q->dev = d;
    q->made = d->made;
    e = nv_check(d, d->api.stream_create(&q->stream, CUDA_STREAM_NON_BLOCKING), "making a queue");
    if (e) {
        free(q);
        return e;
    }
    pthread_mutex_lock(&d->lock);
    q->next = d->queues;
    d->queues = q;
    pthread_mutex_unlock(&d->lock);
    *out = q;
    return TERN_OK;
}

/* Events at the end of what each queue has; their number. Queues may go while one waits. */
static nv_result mark_queues(struct dev *d, nv_event **marks, unsigned *n)
{
    unsigned room = 0;
    nv_result r = 0;
    *n = 0;
    pthread_mutex_lock(&d->lock);
    for (const struct dev_queue *q = d->queues; q; q = q->next)
        room++;
    *marks = calloc(room + 1, sizeof **marks);
    for (const struct dev_queue *q = d->queues; q && *marks && !r; q = q->next) {
        if (q->made != d->made || q->capturing)
            continue;
        r = d->api.event_create(&(*marks)[*n], CUDA_EVENT_NO_TIMING);
        if (!r)
            r = d->api.event_record((*marks)[(*n)++], q->stream);
    }
    pthread_mutex_unlock(&d->lock);
    return *marks ? r : 2;
}

/* Not for the context: another device may be the same GPU's, with work that waits for this one. */
nv_result nv_wait_queues(struct dev *d)
{
    nv_event *marks;
    unsigned n;
    nv_result r = mark_queues(d, &marks, &n);
    for (unsigned k = 0; k < n; k++) {
        if (!r)
            r = d->api.event_sync(marks[k]);
        d->api.event_destroy(marks[k]);
    }
    free(marks);
    return r;
}

/* The host knows that the queue, or what is before the event, is done. */
static enum tern_error seen(struct dev *d, const void *queue, const void *event, enum tern_error e)
{
    if (d->host.check && e != TERN_NOT_READY)
        check_waited(d->host.check, queue, event);
    return e;
}

static void queue_free(struct dev_queue *q)
{
    seen(q->dev, q, NULL, TERN_OK);
    if (q->dev->host.check)
        check_drop(q->dev->host.check, q);
    pthread_mutex_lock(&q->dev->lock);
    for (struct dev_queue **p = &q->dev->queues; *p; p = &(*p)->next)
        if (*p == q) {
            *p = q->next;
            break;
        }
    pthread_mutex_unlock(&q->dev->lock);
    if (nv_enter_with(q->dev, q->made) == TERN_OK)
        q->dev->api.stream_destroy(q->stream);
    free(q);
}

/* A kernel cannot be stopped: past its time, or on request, the device counts as lost. */
static nv_result wait_patiently(struct dev_queue *q, bool (*stuck)(void *ctx), void *ctx,
                                bool *cancelled)
{
    struct dev *d = q->dev;
    const struct timespec pause = {0, 200000};
    for (;;) {
        nv_result r = d->api.stream_query(q->stream);
        if (r != 600)
            return r;
        if ((q->deadline && thread_nanoseconds() > q->deadline) || (stuck && stuck(ctx)))
            return NV_STILL_RUNS;
        *cancelled = d->host.cancel && *d->host.cancel;
        if (*cancelled)
            return 0;
        nanosleep(&pause, NULL);
    }
}

nv_result nv_finish(struct dev_queue *q, bool (*stuck)(void *ctx), void *ctx, bool *cancelled)
{
    *cancelled = false;
    if (!q->deadline && !q->dev->host.cancel && !stuck)
        return q->dev->api.stream_sync(q->stream);
    const nv_result r = wait_patiently(q, stuck, ctx, cancelled);
    q->deadline = 0;
    return r;
}

enum tern_error nv_queue_wait(struct dev_queue *q)
{
    struct dev *d = q->dev;
    enum tern_error e = nv_enter_with(d, q->made);
    if (e)
        return e;
    bool cancelled;
    const uint64_t began = thread_nanoseconds();
    const nv_result r = nv_finish(q, NULL, NULL, &cancelled);
    e = cancelled ? TERN_CANCELLED : nv_check(d, r, "waiting for the device");
    if (!e)
        nv_waited(d, began);
    return seen(d, q, NULL, e);
}

static enum tern_error queue_query(struct dev_queue *q)
{
    enum tern_error e = nv_enter_with(q->dev, q->made);
    if (!e)
        e = nv_check(q->dev, q->dev->api.stream_query(q->stream), "asking about a queue");
    return seen(q->dev, q, NULL, e);
}

static enum tern_error event_new(struct dev *d, struct dev_event **out)
{
    enum tern_error e = nv_enter(d);
    *out = NULL;
    if (e)
        return e;
    struct dev_event *x = calloc(1, sizeof *x);
    if (!x)
        return TERN_OUT_OF_MEMORY;
    x->dev = d;
    x->made = d->made;
    e = nv_check(d, d->api.event_create(&x->event, 0), "making an event");
    if (e) {
        free(x);
        return e;
    }
    *out = x;
    return TERN_OK;
}

static void event_free(struct dev_event *x)
{
    if (x->dev->host.check)
        check_drop(x->dev->host.check, x);
    if (nv_enter_with(x->dev, x->made) == TERN_OK)
        x->dev->api.event_destroy(x->event);
    free(x);
}

static enum tern_error event_record(struct dev_event *x, struct dev_queue *q)
{
    enum tern_error e = nv_enter_with(x->dev, x->made);
    if (e)
        return e;
    x->recorded = true;
    if (x->dev->host.check)
        check_record(x->dev->host.check, x, q);
    return nv_check(x->dev, x->dev->api.event_record(x->event, q->stream), "recording an event");
}

static enum tern_error event_wait(struct dev_event *x)
{
    enum tern_error e = nv_enter_with(x->dev, x->made);
    const uint64_t began = thread_nanoseconds();
    if (!e)
        e = nv_check(x->dev, x->dev->api.event_sync(x->event), "waiting for an event");
    if (!e)
        nv_waited(x->dev, began);
    return seen(x->dev, NULL, x, e);
}

static enum tern_error queue_after(struct dev_queue *q, struct dev_event *x)
{
    enum tern_error e = nv_enter_with(q->dev, q->made);
    if (q->dev->host.check)
        check_after(q->dev->host.check, q, x);
    return e ? e
             : nv_check(q->dev, q->dev->api.stream_wait(q->stream, x->event, 0), "ordering queues");
}

static enum tern_error event_time(struct dev_event *x, uint64_t *ns)
{
    struct dev *d = x->dev;
    float ms = 0;
    *ns = 0;
    enum tern_error e = nv_enter_with(d, x->made);
    if (e)
        return e;
    if (!x->recorded)
        return TERN_INVALID_HANDLE;
    e = nv_check(d, d->api.event_elapsed(&ms, d->origin, x->event), "reading an event");
    if (!e)
        seen(d, NULL, x, e);
    if (!e && ms > 0)
        *ns = (uint64_t)((double)ms * 1e6);
    return e;
}

static enum tern_error host_call(struct dev_queue *q, void (*fn)(void *), void *arg)
{
    enum tern_error e = nv_enter_with(q->dev, q->made);
    return e ? e : nv_check(q->dev, q->dev->api.host_call(q->stream, fn, arg), "queueing a call");
}

static enum tern_error queue_word(struct dev_queue *q, enum word_op op, dev_ptr at, uint64_t value,
                                  bool wide)
{
    static const unsigned flags[] = {[WORD_GEQ] = 0, [WORD_EQ] = 1, [WORD_AND] = 2, [WORD_NOR] = 3};
    struct dev *d = q->dev;
    const struct nv_api *a = &d->api;
    enum tern_error e = nv_enter_with(d, q->made);
    if (!e && !has_words(d))
        e = TERN_UNSUPPORTED;
    if (e)
        return e;
    nv_result r;
    if (op == WORD_WRITE)
        r = wide ? a->write64(q->stream, at, value, 0)
                 : a->write32(q->stream, at, (uint32_t)value, 0);
    else
        r = wide ? a->wait64(q->stream, at, value, flags[op])
                 : a->wait32(q->stream, at, (uint32_t)value, flags[op]);
    return nv_check(d, r, "queueing a word");
}

/* ---- graphs ---- */
static void graph_free(struct dev_graph *g)
{
    if (nv_enter_with(g->dev, g->made) == TERN_OK) {
        if (g->exec)
            g->dev->api.graph_exec_destroy(g->exec);
        if (g->graph)
            g->dev->api.graph_destroy(g->graph);
    }
    free(g);
}

static enum tern_error capture_begin(struct dev_queue *q)
{
    if (q->dev->host.check) /* kernels are looked at one by one */
        return TERN_UNSUPPORTED;
    enum tern_error e = nv_enter_with(q->dev, q->made);
    if (!e)
        e = nv_check(q->dev, q->dev->api.capture_begin(q->stream, 1), "starting a capture");
    q->capturing = !e;
    q->spoilt = false;
    return e;
}

static enum tern_error capture_end(struct dev_queue *q, struct dev_graph **out)
{
    struct dev *d = q->dev;
    enum tern_error e = nv_enter_with(d, q->made);
    *out = NULL;
    if (e)
        return e;
    struct dev_graph *g = calloc(1, sizeof *g);
    if (!g)
        return TERN_OUT_OF_MEMORY;
    g->dev = d;
    g->made = d->made;
    nv_result r = d->api.capture_end(q->stream, &g->graph);
    q->capturing = false;
    if (!r && !q->spoilt)
        r = d->api.graph_instantiate(&g->exec, g->graph, 0);
    if (r || q->spoilt) {
        e = r ? nv_check(d, r, "ending a capture") : TERN_UNSUPPORTED;
        graph_free(g);
        return e;
    }
    *out = g;
    return TERN_OK;
}

static enum tern_error graph_launch(struct dev_graph *g, struct dev_queue *q)
{
    enum tern_error e = nv_enter_with(q->dev, q->made);
    if (!e && g->made != q->made)
        e = TERN_INVALID_HANDLE;
    return e ? e
             : nv_check(q->dev, q->dev->api.graph_launch(g->exec, q->stream), "launching a graph");
}

/* ---- peers ---- */
static enum tern_error heap_limit(struct dev *d, uint64_t bytes)
{
    enum { CU_LIMIT_MALLOC_HEAP_SIZE = 2 };
    enum tern_error e = nv_enter(d);
    return e ? e
             : nv_check(d, d->api.ctx_limit(CU_LIMIT_MALLOC_HEAP_SIZE, bytes),
                        "setting the size of the heap");
}

/* False: the driver does not have so much. */
bool nv_stack_at_least(struct dev *d, uint64_t bytes)
{
    pthread_mutex_lock(&d->lock);
    const bool told = d->stack >= bytes || !d->api.ctx_limit(NV_LIMIT_STACK, bytes);
    if (told && d->stack < bytes)
        d->stack = bytes;
    pthread_mutex_unlock(&d->lock);
    return told;
}

/* Programs ask for what NVIDIA's code needs. Frames of ours may be larger: twice as much, where the
 * driver has it. */
static enum tern_error stack_limit(struct dev *d, uint64_t bytes)
{
    enum tern_error e = nv_enter(d);
    if (e || nv_stack_at_least(d, 2 * bytes) || nv_stack_at_least(d, bytes))
        return e;
    return nv_check(d, d->api.ctx_limit(NV_LIMIT_STACK, bytes), "setting the size of the stack");
}

static enum tern_error peer_enable(struct dev *d, struct dev *peer)
{
    enum tern_error e = nv_enter(d);
    int can = 0;
    if (e)
        return e;
    nv_result r = d->api.device_can_access(&can, d->device, peer->device);
    if (!r && !can)
        return TERN_UNSUPPORTED;
    if (!r)
        r = d->api.ctx_peer(peer->ctx, 0);
    return nv_check(d, r, "opening a peer's memory");
}

/* By the link between the two where there is one, else as NVIDIA's driver does it. */
static enum tern_error copy_peer(struct dev_queue *q, struct dev *to_device, dev_ptr to,
                                 struct dev *from_device, dev_ptr from, uint64_t n)
{
    struct dev *d = q->dev;
    enum tern_error e = nv_enter_with(d, q->made);
    if (e || !n)
        return e;
    return nv_check(d, d->api.copy_peer(to, to_device->ctx, from, from_device->ctx, n, q->stream),
                    "copying to another device");
}

const struct dev_driver dev_cuda = {
    .abi = DEV_ABI,
    .name = "cuda",
    .level = 2,
    .checks = true,
    .count = count,
    .open = open_device,
    .close = close_device,
    .info = info,
    .reset_fault = reset_fault,
    .alloc = nv_checked_alloc,
    .free = nv_checked_free,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .fill = fill,
    .managed_alloc = nv_checked_managed,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .share = share,
    .unshare = take_back,
    .load = nv_load,
    .unload = nv_unload,
    .kernel = nv_kernel,
    .prepare = nv_prepare,
    .prepares_early = nv_prepares_early,
    .prepare_early = nv_prepare_early,
    .global = nv_global,
    .launch = nv_launch,
    .occupancy = nv_occupancy,
    .queue_new = queue_new,
    .queue_free = queue_free,
    .queue_wait = nv_queue_wait,
    .queue_query = queue_query,
    .event_new = event_new,
    .event_free = event_free,
    .event_record = event_record,
    .event_wait = event_wait,
    .queue_after = queue_after,
    .event_time = event_time,
    .host_call = host_call,
    .queue_word = queue_word,
    .texture_new = nv_texture_new,
    .texture_free = nv_texture_free,
    .tensor_map = nv_tensor_map,
    .tensor_move = nv_tensor_move,
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .graph_launch = graph_launch,
    .graph_free = graph_free,
    .heap_limit = heap_limit,
    .stack_limit = stack_limit,
    .peer_enable = peer_enable,
    .copy_peer = copy_peer,
};
