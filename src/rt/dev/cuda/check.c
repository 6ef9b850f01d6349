/* Checked programs: kernels leave records of what they do (device/gpu/check.h), which are handed to
 * the checker when a kernel has run. So kernels run one at a time, and the host waits for each.
 * Allocations have room on both sides, and stay for a while when they are freed.
 *
 * The records lie in memory of the host, where they can be read even of a kernel that faults and
 * takes its context with it; what kernels look at lies in the device's. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rt/checks.h"
#include "rt/dev/cuda/nvidia_int.h"

enum { RECORDS_EACH = 256, MOST = 8 << 20, FEWEST = 1 << 16 };
#define PATIENCE UINT64_C(10000000000) /* nanoseconds */

struct nv_checks {
    pthread_mutex_t lock; /* one kernel at a time */
    struct device_checks *head;
    nv_ptr device; /* the same there */
    struct device_check *records;
    uint32_t most; /* of them that can be had */
};

/* ---- memory ---- */
static void release(struct dev *d, uint64_t start)
{
    struct heap_found f;
    if (heap_nearest(d->pool, start, &f))
        nv_free(d, f.address);
}

enum tern_error nv_checked_alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                                 dev_ptr *out)
{
    static const struct checks_memory memory = {nv_alloc, release};
    return d->host.check ? checks_alloc(d->host.check, d, &memory, size, align, name, out)
                         : nv_alloc(d, size, align, name, out);
}

enum tern_error nv_checked_free(struct dev *d, dev_ptr p)
{
    if (!d->host.check || !p)
        return nv_free(d, p);
    if (nv_is_managed(d, p)) { /* it has no rooms */
        check_forget(d->host.check, p);
        return nv_free(d, p);
    }
    return check_free(d->host.check, p) ? TERN_OK : TERN_INVALID_ARGUMENT;
}

enum tern_error nv_checked_managed(struct dev *d, uint64_t size, dev_ptr *out)
{
    const enum tern_error e = nv_managed_alloc(d, size, out);
    if (!e && d->host.check)
        check_tell(d->host.check, *out, size, CHECK_MANAGED, NULL);
    return e;
}

/* ---- code ---- */
enum tern_error nv_checked_code(struct dev *d, struct compilation *c)
{
    if (!d->host.check)
        return TERN_OK;
    if (setjmp(c->unwind))
        return TERN_OUT_OF_MEMORY;
    return check_instrument(d->host.check, CHECK_BY_TAGGED_LOG, &c->arena, c->module, &c->diag,
                            &c->log)
               ? TERN_OK
               : TERN_INTERNAL;
}

/* ---- the list ---- */
/* Where the shared memory of blocks begins: a processor may have the first of it for itself. */
static nv_result find_shared(struct dev *d, struct nv_checks *c)
{
    static const char probe[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".visible .entry where(.param .u64 p)\n{\n"
                                ".shared .align 16 .b8 s[16];\n.reg .b64 %d;\n.reg .b32 %r;\n"
                                "ld.param.u64 %d, [p];\ncvta.to.global.u64 %d, %d;\n"
                                "mov.u32 %r, s;\nst.global.u32 [%d], %r;\nret;\n}\n";
    nv_ptr at = c->device + offsetof(struct device_checks, shared_base);
    void *params[] = {&at};
    nv_module m = NULL;
    nv_function f;
    nv_result r = d->api.module_load(&m, probe);
    if (!r)
        r = d->api.module_function(&f, m, "where");
    if (!r)
        r = d->api.launch(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    if (!r)
        r = d->api.copy_out(&c->head->shared_base, at, sizeof c->head->shared_base, NULL);
    if (!r)
        r = d->api.stream_sync(NULL);
    if (m)
        d->api.module_unload(m);
    return r;
}

/* Room for what so many threads do, as a rule: pinning memory takes time. */
static uint32_t room_for(const struct dev_launch *l)
{
    const uint64_t wanted = RECORDS_EACH * (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] *
                            l->block[0] * l->block[1] * l->block[2];
    uint32_t n = FEWEST;
    while (n < wanted && n < MOST)
        n *= 2;
    return n;
}

static nv_result make_records(struct dev *d, struct nv_checks *c, uint32_t n)
{
    void *p = NULL;
    nv_result r = 2;
    if (c->records)
        d->api.host_free(c->records);
    c->records = NULL;
    c->head->capacity = 0;
    for (n *= 2; r == 2 && n > FEWEST;) {
        n /= 2;
        r = d->api.host_alloc(&p, n * sizeof *c->records, CUDA_HOST_PORTABLE | CUDA_HOST_DEVICEMAP);
    }
    if (r)
        return r;
    c->records = memset(p, 0, n * sizeof *c->records);
    c->head->capacity = n;
    c->head->at = (uint64_t)(uintptr_t)p;
    return 0;
}

static enum tern_error make_list(struct dev *d, struct nv_checks *c, uint32_t n)
{
    nv_result r = 0;
    if (!c->head) {
        c->head = calloc(1, sizeof *c->head);
        if (!c->head)
            return TERN_OUT_OF_MEMORY;
        c->head->heap[0] = UINT64_MAX;
    }
    if (!c->device) {
        r = d->api.mem_alloc(&c->device, sizeof *c->head);
        if (!r)
            r = find_shared(d, c);
    }
    if (!r && c->head->capacity < n && c->head->capacity < c->most)
        r = make_records(d, c, n);
    if (r)
        return nv_check(d, r, "making a list of what kernels do");
    if (c->head->capacity < n) /* there is no more */
        c->most = c->head->capacity;
    return TERN_OK;
}

enum tern_error nv_check_open(struct dev *d)
{
    if (!d->host.check)
        return TERN_OK;
    d->checks = calloc(1, sizeof *d->checks);
    if (!d->checks)
        return TERN_OUT_OF_MEMORY;
    d->checks->most = MOST;
    pthread_mutex_init(&d->checks->lock, NULL);
    return TERN_OK;
}

/* The context ends, and what it had with it. */
void nv_check_drop(struct dev *d)
{
    struct nv_checks *c = d->checks;
    if (!c)
        return;
    check_disown(d->host.check, d);
    if (c->records)
        d->api.host_free(c->records);
    if (c->device)
        d->api.mem_free(c->device);
    free(c->head);
    c->head = NULL;
    c->records = NULL;
    c->device = 0;
}

void nv_check_close(struct dev *d)
{
    nv_check_drop(d);
    if (d->checks)
        pthread_mutex_destroy(&d->checks->lock);
    free(d->checks);
    d->checks = NULL;
}

/* ---- launches ---- */
static uint32_t shared_bytes(const struct nv_checking *x)
{
    enum { DYNAMIC_ALIGN = 128 };
    int fixed = 0;
    x->queue->dev->api.function_attribute(&fixed, CUDA_FUNC_SHARED_BYTES, x->function);
    if (x->launch->shared)
        fixed = (fixed + DYNAMIC_ALIGN - 1) / DYNAMIC_ALIGN * DYNAMIC_ALIGN;
    return (uint32_t)fixed + x->launch->shared;
}

enum tern_error nv_check_begin(struct nv_checking *x)
{
    struct dev_queue *q = x->queue;
    struct dev *d = q->dev;
    struct nv_checks *c = d->checks;
    const struct dev_launch *l = x->launch;
    if (!c)
        return TERN_OK;
    if (l->cluster[0] || q->capturing)
        return TERN_UNSUPPORTED;
    pthread_mutex_lock(&c->lock);
    x->on = true;
    const enum tern_error e = make_list(d, c, room_for(l));
    if (e)
        return nv_check_end(x, e);
    struct device_checks *head = c->head;
    checks_ranges(head, d->host.check, NULL, 0);
    head->used = 0;
    head->dynamic_shared = l->shared;
    head->shared_bytes = shared_bytes(x);
    const size_t known = head->nranges == CHECKS_ANY ? 0 : head->nranges;
    nv_result r = d->api.copy_in(
        c->device, head, offsetof(struct device_checks, ranges) + known * sizeof *head->ranges,
        q->stream);
    if (!r)
        r = d->api.copy_in(x->output + offsetof(struct device_output, checks), &c->device,
                           sizeof c->device, q->stream);
    if (r)
        return nv_check_end(x, nv_check(d, r, "launching a kernel"));
    const struct check_kernel about = {.name = x->name,
                                       .sources = x->sources,
                                       .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                       .block = {l->block[0], l->block[1], l->block[2]},
                                       .dynamic_shared = l->shared,
                                       .shared_bytes = head->shared_bytes,
                                       .resident = true,
                                       .same_place = true};
    x->findings = check_findings(d->host.check);
    x->check = check_begin(d->host.check, &about, check_submit(d->host.check, q));
    return TERN_OK;
}

/* Does a thread wait for others? */
static bool waits(const struct device_check *records, uint32_t n)
{
    int64_t waiting = 0;
    for (uint32_t k = 0; k < n; k++)
        switch (records[k].what & 255) {
        case IR_CHECK_BARRIER:
        case IR_CHECK_WARPSYNC:
        case IR_CHECK_GRID: waiting++; break;
        case IR_CHECK_PASSED:
        case IR_CHECK_WARPED:
        case IR_CHECK_GRIDDED: waiting--; break;
        default: break;
        }
    return waiting > 0;
}

/* Nobody has done anything for long, and some wait: the processor does not tell. */
static bool is_stuck(void *ctx)
{
    struct nv_checking *x = ctx;
    const struct nv_checks *c = x->queue->dev->checks;
    const uint64_t now = thread_nanoseconds();
    const uint32_t before = x->seen;
    while (x->seen < c->head->capacity &&
           __atomic_load_n(&c->records[x->seen].done, __ATOMIC_ACQUIRE))
        x->seen++;
    if (x->seen != before || !x->since)
        x->since = now;
    return now - x->since > PATIENCE && x->seen < c->head->capacity && waits(c->records, x->seen);
}

/* Every access that is looked at goes where it may: what is left is the stack. */
static nv_result overflows(const struct nv_checking *x, nv_result r)
{
    enum { ILLEGAL_ADDRESS = 700, STACK = 714 };
    struct dev *d = x->queue->dev;
    const bool clean = check_findings(d->host.check) == x->findings;
    return r == ILLEGAL_ADDRESS && x->recurses && clean ? STACK : r;
}

/* A kernel that hangs cannot be stopped, and the driver waits for it when its context is to go, at
 * the end of the process too: it ends here, having told what it found. */
static void leave(struct dev *d)
{
    report_send(&d->host.reports,
                &(struct report){.kind = REPORT_LOST,
                                 .error = TERN_TIMEOUT,
                                 .device = "cuda",
                                 .message = "a kernel that hangs cannot be stopped on this device: "
                                            "the program ends here"});
    check_abandon(d->host.check);
    fflush(NULL);
    _exit(CHECK_STATUS);
}

/* What came of the kernel is told when it is known where it was. */
enum tern_error nv_check_end(struct nv_checking *x, enum tern_error e)
{
    struct dev *d = x->queue->dev;
    struct nv_checks *c = d->checks;
    bool hangs = false;
    if (!x->on)
        return e;
    bool cancelled = false;
    nv_result r = e || !x->check ? 0 : nv_finish(x->queue, is_stuck, x, &cancelled);
    if (x->check && !e) {
        struct device_checks *head = c->head;
        hangs = r == NV_STILL_RUNS;
        if (!r)
            r = d->api.copy_out(head, c->device, offsetof(struct device_checks, ranges),
                                x->queue->stream);
        if (!r)
            r = d->api.stream_sync(x->queue->stream);
        const bool all = r || head->used < head->capacity;
        const uint32_t n = r || !all ? head->capacity : head->used;
        checks_read(x->check, head, c->records, n, NULL, NULL);
        memset(c->records, 0, n * sizeof *c->records);
        if (!all) {
            const struct report too_many = checks_too_many(x->name);
            report_send(&d->host.reports, &too_many);
        }
        check_end(x->check, r || !all);
        r = overflows(x, r);
    } else if (x->check) {
        check_end(x->check, true);
    }
    pthread_mutex_unlock(&c->lock);
    x->on = false;
    if (!e)
        e = cancelled ? TERN_CANCELLED : nv_check(d, r, "waiting for the device");
    if (hangs)
        leave(d);
    return e;
}
