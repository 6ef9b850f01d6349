/* Checked programs: kernels leave records of what they do (device/gpu/check.h) in a list, which is
 * handed to the checker when a kernel has run. So kernels run one at a time, and the host waits for
 * each. Allocations have room on both sides, and stay for a while when they are freed. */
#include <stdlib.h>
#include <string.h>
#include "rt/checks.h"
#include "rt/dev/vulkan/vulkan_int.h"

/* ---- memory ---- */
static void release(struct dev *d, uint64_t start)
{
    vk_free(d, vk_start_of(d, start));
}

enum tern_error vk_checked_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                                 dev_ptr *out)
{
    static const struct checks_memory memory = {vk_alloc, release};
    return d->host.check ? checks_alloc(d->host.check, d, &memory, size, align, name, out)
                         : vk_alloc(d, size, align, name, out);
}

enum tern_error vk_checked_free(struct dev *d, dev_ptr p)
{
    if (!d->host.check || !p)
        return vk_free(d, p);
    if (vk_start_of(d, p) == p) { /* managed: it has no rooms */
        check_forget(d->host.check, p);
        return vk_free(d, p);
    }
    return check_free(d->host.check, p) ? TERN_OK : TERN_INVALID_ARGUMENT;
}

enum tern_error vk_checked_managed(struct dev *d, uint64_t size, dev_ptr *out)
{
    enum tern_error e = vk_managed_alloc(d, size, out);
    if (!e && d->host.check)
        check_tell(d->host.check, *out, size, CHECK_MANAGED, NULL);
    return e;
}

/* ---- copies ---- */
enum tern_error vk_checked_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                              uint64_t n)
{
    return check_copies(d->host.check, q, to, (dev_ptr)(uintptr_t)from, n, "a copy")
               ? vk_copy_in(d, q, to, from, n)
               : TERN_INVALID_ARGUMENT;
}

enum tern_error vk_checked_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from,
                               uint64_t n)
{
    return check_copies(d->host.check, q, (dev_ptr)(uintptr_t)to, from, n, "a copy")
               ? vk_copy_out(d, q, to, from, n)
               : TERN_INVALID_ARGUMENT;
}

enum tern_error vk_checked_copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from,
                                uint64_t n)
{
    return check_copies(d->host.check, q, to, from, n, "a copy") ? vk_copy(d, q, to, from, n)
                                                                 : TERN_INVALID_ARGUMENT;
}

enum tern_error vk_checked_fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                                uint32_t pattern, unsigned bytes)
{
    return check_copies(d->host.check, q, to, 0, n, "a fill") ? vk_fill(d, q, to, n, pattern, bytes)
                                                              : TERN_INVALID_ARGUMENT;
}

/* ---- order ---- */
void vk_checked_queue_free(struct dev_queue *q)
{
    struct check *c = q->dev->host.check;
    if (c) {
        check_waited(c, q, NULL);
        check_drop(c, q);
    }
    vk_queue_free(q);
}

enum tern_error vk_checked_queue_wait(struct dev_queue *q)
{
    struct check *c = q->dev->host.check;
    const enum tern_error e = vk_queue_wait(q);
    if (c)
        check_waited(c, q, NULL);
    return e;
}

enum tern_error vk_checked_queue_query(struct dev_queue *q)
{
    struct check *c = q->dev->host.check;
    const enum tern_error e = vk_queue_query(q);
    if (c && e != TERN_NOT_READY)
        check_waited(c, q, NULL);
    return e;
}

void vk_checked_event_free(struct dev_event *e)
{
    if (e->dev && e->dev->host.check)
        check_drop(e->dev->host.check, e);
    vk_event_free(e);
}

enum tern_error vk_checked_event_record(struct dev_event *e, struct dev_queue *q)
{
    if (q->dev->host.check)
        check_record(q->dev->host.check, e, q);
    return vk_event_record(e, q);
}

enum tern_error vk_checked_event_wait(struct dev_event *e)
{
    struct check *c = e->dev ? e->dev->host.check : NULL;
    const enum tern_error r = vk_event_wait(e);
    if (c)
        check_waited(c, NULL, e);
    return r;
}

enum tern_error vk_checked_queue_after(struct dev_queue *q, struct dev_event *e)
{
    if (q->dev->host.check)
        check_after(q->dev->host.check, q, e);
    return vk_queue_after(q, e);
}

enum tern_error vk_checked_event_time(struct dev_event *e, uint64_t *ns)
{
    struct check *c = e->dev ? e->dev->host.check : NULL;
    const enum tern_error r = vk_event_time(e, ns);
    if (c && !r)
        check_waited(c, NULL, e);
    return r;
}

/* ---- code ---- */
enum tern_error vk_checked_code(struct dev *d, struct compilation *c)
{
    if (!d->host.check)
        return TERN_OK;
    if (setjmp(c->unwind))
        return TERN_OUT_OF_MEMORY;
    return check_instrument(d->host.check, CHECK_BY_LOG, &c->arena, c->module, &c->diag, &c->log)
               ? TERN_OK
               : TERN_INTERNAL;
}

/* ---- launches ---- */
static struct device_checks *list_of(struct dev *d)
{
    return (struct device_checks *)d->checks.mapped;
}

static bool make_list(struct dev *d)
{
    const uint32_t visible = VK_MEMORY_HOST | VK_MEMORY_COHERENT;
    for (uint64_t bytes = VK_CHECK_BYTES; !d->checks.mapped && bytes >= VK_CHECK_BYTES >> 4;
         bytes /= 2)
        if (!vk_buffer_new(d, bytes, visible, VK_MEMORY_CACHED, &d->checks))
            *list_of(d) = (struct device_checks){
                .capacity = (uint32_t)((bytes - sizeof(struct device_checks)) /
                                       sizeof(struct device_check)),
                .at = d->checks.address + offsetof(struct device_checks, records)};
    return d->checks.mapped;
}

static void fill_ranges(struct dev *d, const struct dev_queue *q)
{
    const uint64_t heap = !d->heap ? 0 : d->heap_bytes ? d->heap_bytes : DEV_DEFAULT_HEAP;
    checks_ranges(list_of(d), d->host.check,
                  (struct check_range[]){{q->params.address, q->params.address + q->params.size},
                                         {d->heap, d->heap + heap}},
                  2);
}

enum tern_error vk_check_begin(struct dev_queue *q, const struct dev_kernel *k,
                               const struct dev_launch *l, struct vk_checking *x)
{
    struct dev *d = q->dev;
    *x = (struct vk_checking){.queue = q, .kernel = k, .launch = l};
    enum tern_error e = q->graph ? TERN_UNSUPPORTED : vk_queue_wait(q);
    if (e)
        return e;
    pthread_mutex_lock(&d->checking);
    x->on = true;
    if (!make_list(d)) {
        vk_check_end(x, TERN_OUT_OF_MEMORY);
        return TERN_OUT_OF_MEMORY;
    }
    struct device_checks *list = list_of(d);
    const uint32_t fixed = (k->info.static_shared + 15) / 16 * 16;
    fill_ranges(d, q);
    list->used = 0;
    list->dynamic_shared = l->shared;
    list->shared_base = SPIRV_SHARED_BASE;
    list->shared_bytes = fixed + l->shared;
    ((struct device_output *)q->output.mapped)->checks = d->checks.address;
    const struct check_kernel about = {.name = k->display,
                                       .sources = k->module->sources,
                                       .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                       .block = {l->block[0], l->block[1], l->block[2]},
                                       .dynamic_shared = l->shared,
                                       .shared_bytes = list->shared_bytes,
                                       .resident = true,
                                       .same_place = true};
    x->check = check_begin(d->host.check, &about, check_submit(d->host.check, q));
    return TERN_OK;
}

static bool in_params(void *ctx, uint64_t address)
{
    const struct dev_queue *q = ctx;
    return address - q->params.address < q->params.size;
}

enum tern_error vk_check_end(struct vk_checking *x, enum tern_error e)
{
    struct dev *d = x->queue->dev;
    if (!e)
        e = vk_flush(x->queue, true);
    if (!e) /* what comes of it, who waits for the queue is told */
        vk_wait_value(x->queue, x->queue->submitted);
    struct device_checks *list = list_of(d);
    const uint32_t n = !list || !x->check            ? 0
                       : list->used < list->capacity ? list->used
                                                     : list->capacity;
    if (n)
        checks_read(x->check, list, list->records, n, in_params, x->queue);
    const bool all = !n || list->used < list->capacity;
    if (!all) {
        struct report r = checks_too_many(x->kernel->display);
        vk_report(d, &r);
    }
    if (list)
        memset(list->records, 0, n * sizeof *list->records);
    const struct device_output *o = (const struct device_output *)x->queue->output.mapped;
    check_end(x->check, vk_gone(d) || o->fault || !all);
    pthread_mutex_unlock(&d->checking);
    x->on = false;
    return e;
}

void vk_check_close(struct dev *d, bool works)
{
    if (d->host.check)
        check_disown(d->host.check, d);
    if (works)
        vk_buffer_free(d, &d->checks);
}
