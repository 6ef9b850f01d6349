/* Checked programs: kernels leave records of what they do (device/gpu/check.h) in a list, which is
 * handed to the checker when a kernel has run. So kernels run one at a time, and the host waits for
 * each. Allocations have room on both sides, and stay for a while when they are freed. */
#include <stdlib.h>
#include <string.h>
#include "rt/dev/vulkan/vulkan_int.h"

/* ---- memory ---- */
static void release(struct dev *d, uint64_t start)
{
    vk_free(d, vk_start_of(d, start));
}

enum tern_error vk_checked_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                                 dev_ptr *out)
{
    const uint64_t room = CHECK_GRANULE;
    if (!d->host.check)
        return vk_alloc(d, size, align, name, out);
    if (!size || align > room || size > UINT64_MAX / 4)
        return size && align <= room ? TERN_OUT_OF_MEMORY : TERN_INVALID_ARGUMENT;
    const uint64_t mapped = (size + room - 1) / room * room + 2 * room;
    dev_ptr start;
    enum tern_error e = vk_alloc(d, mapped + room, align, name, &start);
    if (e)
        return e;
    const dev_ptr base = (start + room - 1) / room * room + room;
    *out = base;
    return check_adopt(d->host.check, base, size, mapped, release, d);
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
                                       sizeof(struct device_check))};
    return d->checks.mapped;
}

static bool add_range(struct device_checks *list, uint64_t base, uint64_t bytes)
{
    uint32_t k = list->nranges;
    if (!bytes || k == sizeof list->ranges / sizeof *list->ranges)
        return !bytes;
    for (; k && list->ranges[k - 1].base > base; k--)
        list->ranges[k] = list->ranges[k - 1];
    list->ranges[k] = (struct device_check_range){base, base + bytes};
    list->nranges++;
    return true;
}

static void fill_ranges(struct dev *d, const struct dev_queue *q)
{
    struct device_checks *list = list_of(d);
    size_t n = 0;
    struct check_range *all = check_ranges(d->host.check, &n);
    bool fits = all != NULL;
    list->nranges = 0;
    fits &= add_range(list, q->params.address, q->params.size);
    fits &=
        add_range(list, d->heap, d->heap ? d->heap_bytes ? d->heap_bytes : DEV_DEFAULT_HEAP : 0);
    for (size_t k = 0; k < n && fits; k++)
        fits = add_range(list, all[k].base, all[k].end - all[k].base);
    if (!fits)
        list->nranges = CHECKS_ANY;
    free(all);
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

static void one_record(struct vk_checking *x, const struct device_check *r)
{
    enum { TAG_SHARED = 0x7e, TAG_LOCAL = 0x7d };
    struct check_event e = {.what = r->what,
                            .site = r->site,
                            .thread = r->thread,
                            .mask = 1,
                            .first = r->operands[0],
                            .more = {r->operands[1], r->operands[2], r->operands[3]},
                            .shared = SPIRV_SHARED_BASE,
                            .is_local = in_params,
                            .ctx = x->queue,
                            .later = true};
    const enum ir_space given = (enum ir_space)(r->what >> IR_CHECK_SPACE_SHIFT & 7);
    memcpy(e.block, r->block, sizeof e.block);
    if ((r->what & 255) <= IR_CHECK_LAST_WITH_ADDRESS && given != IR_SPACE_LOCAL &&
        given != IR_SPACE_CONST) {
        const uint64_t tag = e.first >> 56;
        if (tag == TAG_LOCAL)
            return;
        const enum ir_space space = tag == TAG_SHARED ? IR_SPACE_SHARED : IR_SPACE_GLOBAL;
        e.what = (e.what & ~((uint64_t)7 << IR_CHECK_SPACE_SHIFT)) | (uint64_t)space
                                                                         << IR_CHECK_SPACE_SHIFT;
        e.first = tag == TAG_SHARED ? (uint32_t)e.first : e.first;
        if (tag == TAG_SHARED && r->what & IR_CHECK_ROOTED)
            e.more[0] = (uint32_t)e.more[0];
    }
    check_event(x->check, &e); /* what it did wrong, it did elsewhere */
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
    for (uint32_t k = 0; k < n; k++)
        if (list->records[k].done)
            one_record(x, &list->records[k]);
    if (n && list->used > n)
        vk_report(d, &(struct report){.kind = REPORT_REFUSED,
                                      .error = TERN_UNSUPPORTED,
                                      .kernel = x->kernel->display,
                                      .message = "not all of it was checked: it does more than the "
                                                 "list on the device holds; cpu and interp check "
                                                 "all"});
    if (list)
        memset(list->records, 0, n * sizeof *list->records);
    const struct device_output *o = (const struct device_output *)x->queue->output.mapped;
    check_end(x->check, vk_gone(d) || o->fault || (list && list->used > n));
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
