/* Queues: commands are recorded into a buffer and submitted together.
 *
 * A queue is a timeline semaphore and a ring of command buffers. Commands of one queue run in
 * order: a barrier stands between each two, and at the end of a buffer. What is recorded is
 * submitted at once when the queue is idle, else when the buffer is full or somebody waits, so that
 * single launches start without delay and many are cheap. Kernels write printf and faults into an
 * output buffer, which is read when the queue is waited for. */
#include <stdlib.h>
#include <string.h>
#include "rt/dev/vulkan/vulkan_int.h"

enum { COMMANDS_PER_BUFFER = 64 };

static vk_result lane_new(struct dev *d, struct vk_lane *l, uint32_t family, uint32_t stages)
{
    struct vk_command_pool_create pool = {
        .type = VK_TYPE_COMMAND_POOL, .flags = VK_POOL_RESET, .family = family};
    vk_command_buffer buffers[VK_SLOTS];
    l->stages = stages;
    vk_result r = d->fn.CreateCommandPool(d->device, &pool, NULL, &l->pool);
    struct vk_command_buffer_allocate allocate = {
        .type = VK_TYPE_COMMAND_BUFFER_ALLOCATE, .pool = l->pool, .count = VK_SLOTS};
    if (r == VK_SUCCESS)
        r = d->fn.AllocateCommandBuffers(d->device, &allocate, buffers);
    for (int k = 0; k < VK_SLOTS && r == VK_SUCCESS; k++)
        l->slots[k].commands = buffers[k];
    return r;
}

enum tern_error vk_queue_new(struct dev *d, struct dev_queue **out)
{
    struct dev_queue *q = vk_gone(d) ? NULL : calloc(1, sizeof *q);
    if (!q)
        return vk_gone(d) ? TERN_DEVICE_LOST : TERN_OUT_OF_MEMORY;
    q->dev = d;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&q->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_lock(&d->lock);
    q->lanes[VK_LANE_COMPUTE].vk_index = d->next_queue++ % d->nvk_queues;
    q->next = d->queues;
    if (q->next)
        q->next->prev = q;
    d->queues = q;
    pthread_mutex_unlock(&d->lock);

    struct vk_semaphore_type kind = {.type = VK_TYPE_SEMAPHORE_TYPE, .kind = 1};
    struct vk_semaphore_create semaphore = {.type = VK_TYPE_SEMAPHORE, .next = &kind};
    vk_result r = d->fn.CreateSemaphore(d->device, &semaphore, NULL, &q->timeline);
    if (r == VK_SUCCESS)
        r = lane_new(d, &q->lanes[VK_LANE_COMPUTE], d->family,
                     VK_PIPELINE_COMPUTE | VK_PIPELINE_TRANSFER);
    q->lanes[VK_LANE_COPY].vk_index = VK_COPY_QUEUE;
    if (r == VK_SUCCESS && d->copy_family != d->family)
        r = lane_new(d, &q->lanes[VK_LANE_COPY], d->copy_family, VK_PIPELINE_TRANSFER);
    enum tern_error e = vk_error(r);
    uint32_t visible = VK_MEMORY_HOST | VK_MEMORY_COHERENT;
    if (!e)
        e = vk_buffer_new(d, VK_OUTPUT_BYTES, visible, VK_MEMORY_CACHED, &q->output);
    if (!e)
        e = vk_buffer_new(d, VK_ARENA_BYTES, visible, VK_MEMORY_DEVICE, &q->params);
    if (e) {
        vk_queue_free(q);
        return e;
    }
    q->last_mark = -1;
    struct vk_query_pool_create marks = {.type = VK_TYPE_QUERY_POOL, .kind = 2, .count = VK_MARKS};
    if (d->timestamps && d->host_reset &&
        d->fn.CreateQueryPool(d->device, &marks, NULL, &q->marks) != VK_SUCCESS)
        q->marks = 0; /* events then have queries of their own only */
    struct device_output *o = (struct device_output *)q->output.mapped;
    *o = (struct device_output){.capacity = (VK_OUTPUT_BYTES - sizeof *o) / 4};
    *out = q;
    return TERN_OK;
}

static uint64_t read_clock(struct dev *d, vk_handle queries, uint32_t index, enum tern_error *e)
{
    uint64_t ticks = 0;
    *e = vk_error(d->fn.GetQueryPoolResults(d->device, queries, index, 1, sizeof ticks, &ticks,
                                            sizeof ticks, 1 | 2 /* 64 bits, wait */));
    return ticks;
}

/* The mark is wanted for something else: its event gets the time to keep. */
static void mark_release(struct dev_queue *q, int index)
{
    struct dev_event *owner = q->mark[index].owner;
    enum tern_error e = TERN_OK;
    if (!owner)
        return;
    if (!vk_gone(q->dev))
        owner->ticks = read_clock(q->dev, q->marks, (uint32_t)index, &e);
    owner->known = !e;
    owner->marked = NULL;
    q->mark[index].owner = NULL;
}

void vk_queue_free(struct dev_queue *q)
{
    struct dev *d = q->dev;
    if (q->output.mapped)
        vk_queue_wait(q);
    for (int k = 0; k < VK_MARKS; k++)
        mark_release(q, k);
    if (q->marks && !vk_gone(d))
        d->fn.DestroyQueryPool(d->device, q->marks, NULL);
    pthread_mutex_lock(&d->lock);
    *(q->prev ? &q->prev->next : &d->queues) = q->next;
    if (q->next)
        q->next->prev = q->prev;
    pthread_mutex_unlock(&d->lock);
    vk_buffer_free(d, &q->output);
    vk_buffer_free(d, &q->params);
    vk_buffer_free(d, &q->staging);
    for (int k = 0; k < VK_LANES; k++)
        if (q->lanes[k].pool && !vk_gone(d))
            d->fn.DestroyCommandPool(d->device, q->lanes[k].pool, NULL);
    if (q->timeline && !vk_gone(d))
        d->fn.DestroySemaphore(d->device, q->timeline, NULL);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

/* ---- recording ---- */

enum { SPIN_NS = 30000 };

/* What waits for work that will never be done gets. */
static enum tern_error given_up(struct dev *d)
{
    const int why = atomic_load(&d->stopped);
    return why == TERN_ILLEGAL_ADDRESS ? TERN_ILLEGAL_ADDRESS : why ? TERN_DEVICE_LOST : TERN_OK;
}

/* A software driver's thread met a bad address, and stays there: the device is lost. */
static bool faulted(struct dev *d)
{
    uint64_t address;
    int none = 0;
    if (!rt_fault_of_driver(&d->threads, &address))
        return false;
    if (!atomic_compare_exchange_strong(&d->stopped, &none, TERN_ILLEGAL_ADDRESS))
        return true;
    const struct dev_kernel *suspect = NULL;
    bool several = false;
    pthread_mutex_lock(&d->lock);
    for (struct dev_queue *q = d->queues; q; q = q->next) {
        several |= q->suspects || (suspect && q->suspect && suspect != q->suspect);
        suspect = q->suspect ? q->suspect : suspect;
    }
    pthread_mutex_unlock(&d->lock);
    vk_report(d, &(struct report){.kind = report_kind_of(TERN_ILLEGAL_ADDRESS),
                                  .error = TERN_ILLEGAL_ADDRESS,
                                  .kernel = suspect && !several ? suspect->display : NULL,
                                  .access = REPORT_ANY_ACCESS,
                                  .address = address,
                                  .advice = "the device is lost; TERN_DEVICES=interp tells which "
                                            "thread it was, and where"});
    return true;
}

/* A kernel cannot be stopped: past its time, or on request, the device counts as lost. */
static enum tern_error give_up(struct dev *d, enum tern_error why)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&d->stopped, &none, why))
        vk_report(d, &(struct report){.kind = REPORT_HANG,
                                      .error = why,
                                      .message = why == TERN_TIMEOUT
                                                     ? "a kernel ran longer than allowed; the "
                                                       "device is lost"
                                                     : "a kernel was interrupted; the device is "
                                                       "lost"});
    return why;
}

/* Short work is done before a thread would have gone to sleep and woken up: look for a while. */
static enum tern_error wait_value(struct dev *d, vk_handle timeline, uint64_t value,
                                  uint64_t deadline)
{
    enum { LOOK_NS = 50000000 };
    uint64_t start = thread_nanoseconds(), done = 0;
    if (vk_gone(d)) /* all was waited for before */
        return given_up(d);
    do {
        if (d->fn.GetSemaphoreCounterValue(d->device, timeline, &done) == VK_SUCCESS &&
            done >= value)
            return TERN_OK;
    } while (d->properties.device_type != VK_DEVICE_TYPE_CPU &&
             thread_nanoseconds() - start < SPIN_NS);
    struct vk_semaphore_wait wait = {
        .type = VK_TYPE_SEMAPHORE_WAIT, .n = 1, .semaphores = &timeline, .values = &value};
    const bool looks = deadline || d->host.cancel || d->threads.n;
    for (;;) {
        vk_result r = d->fn.WaitSemaphores(d->device, &wait, looks ? LOOK_NS : UINT64_MAX);
        if (r != VK_TIMEOUT)
            return vk_error(r);
        if (faulted(d))
            return given_up(d);
        if (d->host.cancel && *d->host.cancel)
            return give_up(d, TERN_CANCELLED);
        if (deadline && thread_nanoseconds() > deadline)
            return give_up(d, TERN_TIMEOUT);
    }
}

static bool idle(struct dev_queue *q)
{
    struct dev *d = q->dev;
    uint64_t done = 0;
    if (q->done >= q->submitted || vk_gone(d))
        return true;
    if (d->fn.GetSemaphoreCounterValue(d->device, q->timeline, &done) == VK_SUCCESS)
        q->done = done;
    return q->done >= q->submitted;
}

/* A barrier between the commands before and those of these stages, or what the host reads. */
static void order(struct dev_queue *q, vk_command_buffer commands, uint32_t stages)
{
    struct vk_memory_barrier barrier = {
        .type = VK_TYPE_MEMORY_BARRIER,
        .from = (q->stages & VK_PIPELINE_COMPUTE ? VK_ACCESS_SHADER_WRITE : 0) |
                (q->stages & VK_PIPELINE_TRANSFER ? VK_ACCESS_TRANSFER_WRITE : 0),
        .to = (stages & VK_PIPELINE_COMPUTE ? VK_ACCESS_SHADER_READ | VK_ACCESS_SHADER_WRITE : 0) |
              (stages & VK_PIPELINE_TRANSFER ? VK_ACCESS_TRANSFER_READ | VK_ACCESS_TRANSFER_WRITE
                                             : 0) |
              (stages & VK_PIPELINE_HOST ? VK_ACCESS_HOST_READ | VK_ACCESS_HOST_WRITE : 0)};
    if (q->stages)
        q->dev->fn.CmdPipelineBarrier(commands, q->stages, stages, 0, 1, &barrier, 0, NULL, 0,
                                      NULL);
}

static enum tern_error begin(struct dev *d, struct vk_slot *s)
{
    struct vk_command_buffer_begin begin = {.type = VK_TYPE_COMMAND_BUFFER_BEGIN,
                                            .flags = 1 /* once */};
    enum tern_error e = s->open ? TERN_OK : vk_error(d->fn.BeginCommandBuffer(s->commands, &begin));
    s->open = !e;
    return e;
}

/* While the device is at work the next buffer is begun: it would delay the next launch. */
static void begin_ahead(struct dev_queue *q)
{
    struct vk_lane *l = &q->lanes[VK_LANE_COMPUTE];
    struct vk_slot *s = &l->slots[l->slot];
    if (!q->recording && s->value <= q->done)
        begin(q->dev, s);
}

/* An open command buffer. */
static enum tern_error open_commands(struct dev_queue *q, enum vk_lane_name lane,
                                     vk_command_buffer *out)
{
    struct dev *d = q->dev;
    struct vk_lane *l = &q->lanes[lane];
    enum tern_error e = TERN_OK;
    q->last_thing = false;
    if (vk_gone(d))
        return TERN_DEVICE_LOST;
    if (q->graph) {
        *out = q->graph->commands;
        return TERN_OK;
    }
    if (q->recording && q->lane != lane)
        e = vk_flush(q, true);
    struct vk_slot *s = &l->slots[l->slot];
    if (!q->recording && !e) {
        if (s->value)
            e = wait_value(d, q->timeline, s->value, q->deadline);
        if (!e)
            e = begin(d, s);
        if (e)
            return e;
        s->open = false;
        q->recording = true;
        q->recorded = 0;
        q->lane = lane;
        if (q->last_lane != lane)
            q->stages = 0; /* a semaphore is between */
    }
    if (e)
        return e;
    q->recorded++;
    *out = s->commands;
    return TERN_OK;
}

enum tern_error vk_record(struct dev_queue *q, uint32_t stage, vk_command_buffer *out)
{
    enum tern_error e = open_commands(q, VK_LANE_COMPUTE, out);
    if (!e) {
        order(q, *out, stage);
        q->stages |= stage;
    }
    return e;
}

enum tern_error vk_record_copy(struct dev_queue *q, vk_command_buffer *out)
{
    if (!q->lanes[VK_LANE_COPY].pool || q->graph)
        return vk_record(q, VK_PIPELINE_TRANSFER, out);
    enum tern_error e = open_commands(q, VK_LANE_COPY, out);
    if (!e) {
        order(q, *out, VK_PIPELINE_TRANSFER);
        q->stages |= VK_PIPELINE_TRANSFER;
    }
    return e;
}

enum tern_error vk_wait_value(struct dev_queue *q, uint64_t value)
{
    return value ? wait_value(q->dev, q->timeline, value, q->deadline) : TERN_OK;
}

enum tern_error vk_submit(struct dev_queue *q, enum vk_lane_name lane, vk_command_buffer commands)
{
    struct dev *d = q->dev;
    const struct vk_lane *l = &q->lanes[lane];
    uint64_t value = q->submitted + 1, values[2];
    vk_handle semaphores[2];
    uint32_t stages[2] = {l->stages, l->stages}, n = 0;
    if (q->wait_semaphore) {
        semaphores[n] = q->wait_semaphore;
        values[n++] = q->wait_value;
    }
    if (lane != q->last_lane && q->submitted) { /* what went the other way before */
        semaphores[n] = q->timeline;
        values[n++] = q->submitted;
    }
    struct vk_timeline_submit timeline = {.type = VK_TYPE_TIMELINE_SUBMIT,
                                          .nwait = n,
                                          .wait = values,
                                          .nsignal = 1,
                                          .signal = &value};
    struct vk_submit submit = {.type = VK_TYPE_SUBMIT,
                               .next = &timeline,
                               .nwait = n,
                               .wait = semaphores,
                               .wait_stages = stages,
                               .nbuffers = 1,
                               .buffers = &commands,
                               .nsignal = 1,
                               .signal = &q->timeline};
    if (vk_gone(d))
        return TERN_DEVICE_LOST;
    pthread_mutex_lock(&d->submit_lock[l->vk_index]);
    enum tern_error e = vk_error(d->fn.QueueSubmit(d->vk_queues[l->vk_index], 1, &submit, 0));
    pthread_mutex_unlock(&d->submit_lock[l->vk_index]);
    if (e)
        return e;
    q->wait_semaphore = 0;
    q->timed = false;
    q->submitted = value;
    q->last_lane = lane;
    return TERN_OK;
}

enum tern_error vk_flush(struct dev_queue *q, bool always)
{
    struct dev *d = q->dev;
    if (!q->recording || vk_gone(d) || q->graph)
        return TERN_OK;
    if (!always && q->recorded < COMMANDS_PER_BUFFER && !idle(q))
        return TERN_OK;
    struct vk_lane *l = &q->lanes[q->lane];
    struct vk_slot *s = &l->slots[l->slot];
    /* What the next buffer would begin with stands at the end of this one, where nobody waits. */
    order(q, s->commands, l->stages | (q->shows || d->mapped_chunks ? VK_PIPELINE_HOST : 0));
    q->stages = 0;
    q->shows = false;
    enum tern_error e = vk_error(d->fn.EndCommandBuffer(s->commands));
    q->recording = false;
    if (!e)
        e = vk_submit(q, q->lane, s->commands);
    if (e)
        return e;
    s->value = q->submitted;
    l->slot = (l->slot + 1) % VK_SLOTS;
    return TERN_OK;
}

/* ---- device output ---- */

static const char *string_at(const struct dev_module *m, uint64_t address)
{
    uint64_t at = address - m->globals;
    if (!m->globals_copy || at >= m->globals_size ||
        !memchr(m->globals_copy + at, 0, m->globals_size - at))
        return NULL;
    return m->globals_copy + at;
}

/* A literal, or text in memory that the host sees. Threads' own memory is gone by now. */
static const char *string_argument(void *ctx, size_t index, uint64_t address)
{
    const struct dev_queue *q = ctx;
    const char *literal = string_at(q->printed, address);
    struct vk_buffer b;
    uint64_t at;
    (void)index;
    if (literal || !address)
        return literal;
    if (vk_locate(q->dev, address, 1, &b, &at) && b.mapped && memchr(b.mapped + at, 0, b.size - at))
        return b.mapped + at;
    return "(unreadable)";
}

static uint64_t wide(const uint32_t *w)
{
    return w[0] | (uint64_t)w[1] << 32;
}

static const struct {
    enum tern_error error;
    const char *what;
} faults[] = {
    [RECORD_ASSERT] = {TERN_ASSERT, "assert"},
    [RECORD_TRAP] = {TERN_TRAP, "trap"},
    [RECORD_STUCK] = {TERN_DEADLOCK, "threads wait for each other for ever"},
    [RECORD_STACK] = {TERN_STACK_OVERFLOW, "the recursion is too deep"},
};

static enum tern_error fault_error(uint32_t kind)
{
    return kind < sizeof faults / sizeof *faults ? faults[kind].error : TERN_TRAP;
}

static const char *or_unknown(const char *text)
{
    return text ? text : "?";
}

static void report(struct dev_queue *q, const struct dev_module *m, const uint32_t *w,
                   uint32_t kind)
{
    if (kind <= RECORD_PRINTF || kind > RECORD_STACK)
        return;
    const uint32_t *where = w + (kind == RECORD_ASSERT ? 9 : 3);
    struct sbuf text;
    struct report r = {.kind = report_kind_of(fault_error(kind)),
                       .error = fault_error(kind),
                       .message = faults[kind].what,
                       .kernel = q->suspect && !q->suspects ? q->suspect->display : NULL,
                       .has_block = true,
                       .block = {where[0], where[1], where[2]},
                       .has_thread = true,
                       .thread = {where[3], where[4], where[5]}};
    sbuf_init(&text, NULL);
    if (kind == RECORD_ASSERT) {
        sbuf_printf(&text, REPORT_ASSERT_FORMAT, or_unknown(string_at(m, wide(w + 2))),
                    or_unknown(string_at(m, wide(w + 4))), w[8],
                    or_unknown(string_at(m, wide(w + 6))));
        r.message = text.failed ? NULL : text.data;
    } else {
        r.at = report_place_of(m->sources, w[2]);
        r.at.text = (struct str){0};
    }
    /* Many threads fail alike: the first is told of. */
    if (!q->error) {
        q->error = r.error;
        vk_report(q->dev, &r);
    }
    sbuf_free(&text);
}

static void drain(struct dev_queue *q)
{
    struct device_output *o = (struct device_output *)q->output.mapped;
    const struct dev_module *m = q->printed;
    o->arrived = 0; /* a kernel that stopped may have left its count */
    if (!o->used && !o->fault)
        return;
    struct sbuf text;
    sbuf_init(&text, NULL);
    uint32_t end = o->used < o->capacity ? o->used : o->capacity;
    for (uint32_t at = 0; m && at + 2 <= end;) {
        const uint32_t *w = o->words + at;
        uint64_t args[FORMAT_MAX_ARGS];
        if (w[0] < 2 || w[0] > end - at)
            break; /* the record that did not fit left nothing */
        if (w[1] == RECORD_PRINTF) {
            const uint32_t given = (w[0] - 4) / 2,
                           n = given < FORMAT_MAX_ARGS ? given : FORMAT_MAX_ARGS;
            for (uint32_t k = 0; k < n; k++)
                args[k] = wide(w + 4 + 2 * k);
            const char *format = string_at(m, wide(w + 2));
            if (format)
                format_device(&text, format, args, n, string_argument, q);
        } else if (w[1] == RECORD_LAUNCH) {
            if (!children_add(&q->children, w + 2, w[0] - 2))
                q->error = TERN_OUT_OF_MEMORY;
        } else {
            report(q, m, w, w[1]);
        }
        at += w[0];
    }
    if (o->fault && !q->error)
        q->error = fault_error(o->fault);
    uint32_t lost = o->used > o->capacity ? o->used - o->capacity : 0;
    if (lost)
        report_note(&q->dev->host.reports,
                    "vulkan: %u words of device output did not fit and were lost", lost);
    memset(o->words, 0, 4 * (size_t)end);
    o->used = o->fault = 0;
    report_print(&q->dev->host.reports, text.data, text.len);
    sbuf_free(&text);
}

enum tern_error vk_queue_wait(struct dev_queue *q)
{
    struct dev *d = q->dev;
    if (vk_gone(d))
        return given_up(d);
    pthread_mutex_lock(&q->lock);
    q->last_thing = false; /* the host comes between */
    if (q->graph) {        /* nothing has run that could be waited for */
        q->graph->spoilt = true;
        pthread_mutex_unlock(&q->lock);
        return TERN_UNSUPPORTED;
    }
    enum tern_error e = vk_flush(q, true);
    if (!e && q->submitted) {
        begin_ahead(q);
        e = wait_value(d, q->timeline, q->submitted, q->deadline);
    }
    if (!e) {
        q->done = q->submitted;
        drain(q);
        q->suspect = NULL;
        q->suspects = false;
        q->params_used = 0;
        q->deadline = 0;
        e = q->error;
    } else if (e == TERN_DEVICE_LOST) {
        vk_report(d, &(struct report){.kind = REPORT_LOST,
                                      .error = e,
                                      .message = "the Vulkan device was lost; open it again"});
    }
    q->error = TERN_OK;
    pthread_mutex_unlock(&q->lock);
    return e;
}

void vk_queues_settle(struct dev *d, uint64_t ns)
{
    uint64_t end = thread_nanoseconds() + ns;
    if (atomic_load(&d->stopped) == TERN_ILLEGAL_ADDRESS)
        return; /* its thread does not come back */
    pthread_mutex_lock(&d->lock);
    for (struct dev_queue *q = d->queues; q; q = q->next) {
        uint64_t now = thread_nanoseconds();
        struct vk_semaphore_wait wait = {.type = VK_TYPE_SEMAPHORE_WAIT,
                                         .n = 1,
                                         .semaphores = &q->timeline,
                                         .values = &q->submitted};
        d->fn.WaitSemaphores(d->device, &wait, now < end ? end - now : 0);
    }
    pthread_mutex_unlock(&d->lock);
}

enum tern_error vk_queue_query(struct dev_queue *q)
{
    pthread_mutex_lock(&q->lock);
    enum tern_error e = vk_flush(q, true);
    if (!e)
        e = idle(q) ? TERN_OK : faulted(q->dev) ? given_up(q->dev) : TERN_NOT_READY;
    pthread_mutex_unlock(&q->lock);
    return e;
}

/* ---- events ---- */

void vk_mark(struct dev_queue *q, vk_command_buffer c)
{
    struct dev *d = q->dev;
    const int index = (q->last_mark + 1) % VK_MARKS;
    if (!q->timed || !q->marks || q->graph || q->mark[index].value > q->done)
        return;
    mark_release(q, index);
    d->fn.ResetQueryPool(d->device, q->marks, (uint32_t)index, 1);
    d->fn.CmdWriteTimestamp(c, VK_PIPELINE_BOTTOM, q->marks, (uint32_t)index);
    q->mark[index].value = q->submitted + 1;
    q->last_mark = index;
    q->last_thing = true;
}

/* Whether nothing was asked of the queue since its last mark, which then is the event's. */
static bool take_mark(struct dev_event *e, struct dev_queue *q)
{
    struct vk_mark *m = q->last_mark < 0 ? NULL : &q->mark[q->last_mark];
    if (!m || !q->last_thing || m->owner || m->value != q->submitted || q->recording || q->graph ||
        q->wait_semaphore || vk_gone(q->dev))
        return false;
    m->owner = e;
    e->marked = q;
    e->mark = q->last_mark;
    e->at = (struct vk_place){q, q->timeline, q->submitted};
    return true;
}

static void forget_mark(struct dev_event *e)
{
    struct dev_queue *q = e->marked;
    if (q) {
        pthread_mutex_lock(&q->lock);
        q->mark[e->mark].owner = NULL;
        pthread_mutex_unlock(&q->lock);
    }
    e->marked = NULL;
    e->known = false;
}

enum tern_error vk_event_new(struct dev *d, struct dev_event **out)
{
    struct dev_event *e = vk_gone(d) ? NULL : calloc(1, sizeof *e);
    if (!e)
        return vk_gone(d) ? TERN_DEVICE_LOST : TERN_OUT_OF_MEMORY;
    e->dev = d;
    struct vk_query_pool_create create = {.type = VK_TYPE_QUERY_POOL, .kind = 2, .count = 1};
    vk_result r =
        d->timestamps ? d->fn.CreateQueryPool(d->device, &create, NULL, &e->queries) : VK_SUCCESS;
    if (r != VK_SUCCESS) {
        free(e);
        return vk_error(r);
    }
    pthread_mutex_lock(&d->lock);
    e->next = d->events;
    if (e->next)
        e->next->prev = e;
    d->events = e;
    pthread_mutex_unlock(&d->lock);
    *out = e;
    return TERN_OK;
}

static void end_event(struct dev_event *e)
{
    struct dev *d = e->dev;
    if (e->queries && !vk_gone(d))
        d->fn.DestroyQueryPool(d->device, e->queries, NULL);
    pthread_mutex_lock(&d->lock);
    *(e->prev ? &e->prev->next : &d->events) = e->next;
    if (e->next)
        e->next->prev = e->prev;
    pthread_mutex_unlock(&d->lock);
    *e = (struct dev_event){0};
}

void vk_event_free(struct dev_event *e)
{
    if (e->dev) {
        vk_event_wait(e);
        forget_mark(e);
        end_event(e);
    }
    free(e);
}

void vk_events_close(struct dev *d)
{
    while (d->events)
        end_event(d->events);
}

/* It goes with the commands around it: what asks for it later submits them. The clock is read when
 * all before is done, without a barrier; the host makes the query ready, unless the device may
 * still be at its last use: it would have to do so between the kernels whose time is taken. */
enum tern_error vk_event_record(struct dev_event *e, struct dev_queue *q)
{
    struct dev *d = q->dev;
    vk_command_buffer c;
    uint64_t done = 0;
    forget_mark(e);
    pthread_mutex_lock(&q->lock);
    if (e->queries && take_mark(e, q)) {
        pthread_mutex_unlock(&q->lock);
        return TERN_OK;
    }
    bool by_host = d->host_reset && !vk_gone(d) &&
                   (!e->at.value || (e->at.timeline == q->timeline && q->done >= e->at.value) ||
                    (e->at.timeline == q->timeline &&
                     d->fn.GetSemaphoreCounterValue(d->device, q->timeline, &done) == VK_SUCCESS &&
                     done >= e->at.value));
    enum tern_error r =
        by_host ? open_commands(q, VK_LANE_COMPUTE, &c) : vk_record(q, VK_PIPELINE_TRANSFER, &c);
    if (!r && e->queries) {
        if (by_host)
            d->fn.ResetQueryPool(d->device, e->queries, 0, 1);
        else
            d->fn.CmdResetQueryPool(c, e->queries, 0, 1);
        d->fn.CmdWriteTimestamp(c, VK_PIPELINE_BOTTOM, e->queries, 0);
        q->timed = true;
    }
    if (!r)
        e->at = (struct vk_place){q, q->timeline, q->submitted + 1};
    pthread_mutex_unlock(&q->lock);
    return r;
}

/* Submits all up to there. False: the queue is gone, and with it all that was on it. */
static bool submit_to(struct dev *d, const struct vk_place *at, enum tern_error *r)
{
    bool found = false;
    *r = TERN_OK;
    pthread_mutex_lock(&d->lock);
    for (struct dev_queue *q = d->queues; q; q = q->next)
        found |= q == at->queue && q->timeline == at->timeline;
    pthread_mutex_unlock(&d->lock);
    if (!found)
        return false;
    pthread_mutex_lock(&at->queue->lock);
    if (at->queue->submitted < at->value)
        *r = vk_flush(at->queue, true);
    pthread_mutex_unlock(&at->queue->lock);
    return true;
}

enum tern_error vk_reach(struct dev *d, const struct vk_place *at)
{
    enum tern_error r = TERN_OK;
    if (!at->value || !submit_to(d, at, &r) || r)
        return r;
    return wait_value(d, at->timeline, at->value, 0);
}

enum tern_error vk_event_wait(struct dev_event *e)
{
    return vk_reach(e->dev, &e->at);
}

enum tern_error vk_queue_after(struct dev_queue *q, struct dev_event *e)
{
    enum tern_error r = TERN_OK;
    if (!e->at.value || e->at.timeline == q->timeline || !submit_to(e->dev, &e->at, &r) || r)
        return r;
    pthread_mutex_lock(&q->lock);
    /* One wait travels with a submission: an earlier one must go first, by an empty submission. */
    r = vk_flush(q, true);
    vk_command_buffer c;
    if (!r && q->wait_semaphore) {
        r = vk_record(q, VK_PIPELINE_TRANSFER, &c);
        if (!r)
            r = vk_flush(q, true);
    }
    if (!r) {
        q->wait_semaphore = e->at.timeline;
        q->wait_value = e->at.value;
        r = vk_record(q, VK_PIPELINE_TRANSFER, &c);
        if (!r)
            r = vk_flush(q, true);
    }
    pthread_mutex_unlock(&q->lock);
    return r;
}

enum tern_error vk_event_time(struct dev_event *e, uint64_t *ns)
{
    if (!e->at.value)
        return TERN_NOT_READY;
    if (!e->queries || vk_gone(e->dev))
        return e->queries ? TERN_DEVICE_LOST : TERN_UNSUPPORTED;
    enum tern_error r = vk_event_wait(e);
    uint64_t ticks = e->ticks;
    if (!r && !e->known)
        ticks = e->marked ? read_clock(e->dev, e->marked->marks, (uint32_t)e->mark, &r)
                          : read_clock(e->dev, e->queries, 0, &r);
    if (!r)
        *ns = (uint64_t)((double)ticks * (double)e->dev->properties.limits.timestamp_period);
    return r;
}

enum tern_error vk_host_call(struct dev_queue *q, void (*fn)(void *), void *arg)
{
    const bool recorded = q->graph;
    enum tern_error e = vk_queue_wait(q);
    if (!recorded)
        fn(arg);
    return e;
}
