/* The interpreter as a device: always there, slow, and right. Work is done when it is submitted, so
 * that queues only remember how it went; addresses are host addresses. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check/check.h"
#include "interp/interp.h"
#include "ir/launch.h"
#include "pass/pass.h"
#include "prof/prof.h"
#include "rt/dev.h"
#include "rt/texture.h"

struct dev_queue {
    struct dev *dev;
    _Atomic(enum tern_error) error; /* of work since the last wait */
};

struct dev_event {
    struct dev *dev;
    uint64_t time;
};

struct dev {
    struct interp *machine;
    struct check_launch *checked;   /* the launch that runs, for who checks; NULL: none yet */
    uint64_t checked_launch, place; /* which it is; when it was submitted */
    struct dev_module *modules;
    struct dev_host host;
    _Atomic(enum tern_error)
        sticky;           /* a kernel went wrong: everything fails until the fault is reset */
    pthread_mutex_t lock; /* sticky, textures */
    struct texture_slot *textures;
    size_t ntextures;
};

struct texture_slot {
    struct texture_desc desc;
    bool live;
};

struct dev_module {
    struct dev *dev;
    struct dev_module *next;
    struct mem mem; /* of the copy that is checked, */
    struct arena arena;
    struct interner names;
    const struct ir_module *ir; /* or the module as it was given, NULL: nobody checks */
    struct interp_module *code;
};

struct dev_kernel {
    int unused; /* a struct interp_func * in disguise */
};

static struct interp_func *func_of(struct dev_kernel *k)
{
    return (struct interp_func *)(void *)k;
}

static void forward(void *ctx, const struct report *r)
{
    const struct dev *d = ctx;
    struct report mine = *r;
    mine.device = "interp";
    report_send(&d->host.reports, &mine);
}

/* ---- textures: a handle is a position in a table, counted from 1, with a mark ---- */
#define HANDLE_MARK (UINT64_C(0x7e) << 48)

static const char *access_texture(void *ctx, struct interp_tex *x)
{
    struct dev *d = ctx;
    pthread_mutex_lock(&d->lock);
    const uint64_t index = x->handle - HANDLE_MARK - 1;
    struct texture_desc desc;
    const bool live = index < d->ntextures && d->textures[index].live;
    if (live)
        desc = d->textures[index].desc;
    pthread_mutex_unlock(&d->lock);
    if (!live)
        return "the handle names no texture or surface";
    void *texels = interp_at(d->machine, desc.memory, desc.bytes);
    if (!texels)
        return "the texture's memory has been freed";
    return texture_access(&desc, texels, x->op, x->type, x->imm, x->args, x->nargs, x->results);
}

static enum tern_error texture_new(struct dev *d, const struct texture_desc *desc, uint64_t *handle)
{
    *handle = 0;
    if (!desc->nlevels || !interp_at(d->machine, desc->memory, desc->bytes))
        return TERN_INVALID_ARGUMENT;
    pthread_mutex_lock(&d->lock);
    size_t i = 0;
    while (i < d->ntextures && d->textures[i].live)
        i++;
    enum tern_error e = TERN_OK;
    if (i == d->ntextures) {
        struct texture_slot *grown = realloc(d->textures, (i + 1) * sizeof *grown);
        if (grown) {
            d->textures = grown;
            d->ntextures++;
        } else {
            e = TERN_OUT_OF_MEMORY;
        }
    }
    if (e == TERN_OK) {
        d->textures[i] = (struct texture_slot){*desc, true};
        *handle = HANDLE_MARK + i + 1;
    }
    pthread_mutex_unlock(&d->lock);
    return e;
}

static enum tern_error texture_free(struct dev *d, uint64_t handle)
{
    pthread_mutex_lock(&d->lock);
    const uint64_t index = handle - HANDLE_MARK - 1;
    const bool live = index < d->ntextures && d->textures[index].live;
    if (live)
        d->textures[index].live = false;
    pthread_mutex_unlock(&d->lock);
    return live ? TERN_OK : TERN_INVALID_HANDLE;
}

/* ---- what a checker is told ---- */
/* Bounds are the interpreter's own business: it stops at what is outside. So an access is told of
 * only if it is to be done: its fault comes first where it has one. */
static void new_launch(struct dev *d, const struct interp_check *c)
{
    check_end(d->checked, false);
    struct check_kernel k = {.name = c->kernel,
                             .grid = {c->grid[0], c->grid[1], c->grid[2]},
                             .block = {c->threads[0], c->threads[1], c->threads[2]},
                             .dynamic_shared = c->dynamic_shared,
                             .shared_bytes = c->shared_bytes,
                             .resident = true};
    pthread_mutex_lock(&d->lock);
    for (const struct dev_module *m = d->modules; m; m = m->next)
        if (m->code == c->module && m->ir)
            k.sources = m->ir->sources;
    pthread_mutex_unlock(&d->lock);
    d->checked = check_begin(d->host.check, &k, d->place);
    d->checked_launch = c->launch;
    d->place = 0; /* what it starts comes after it */
}

static void tell(void *ctx, const struct interp_check *c)
{
    struct dev *d = ctx;
    if (!d->checked || d->checked_launch != c->launch)
        new_launch(d, c);
    if (!d->checked)
        return;
    for (uint32_t left = c->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t *x = c->operands[lane];
        struct check_event e = {.what = c->what,
                                .site = c->site,
                                .thread = c->thread + lane,
                                .mask = 1,
                                .first = x[0],
                                .more = {x[1], x[2], x[3]},
                                .only_state = true};
        memcpy(e.block, c->block, sizeof e.block);
        const bool access = (c->what & 255) <= IR_CHECK_LAST_WITH_ADDRESS;
        if (access && c->local[lane])
            continue;
        if (access) {
            e.what &= ~((uint64_t)7 << IR_CHECK_SPACE_SHIFT);
            e.what |= (uint64_t)(c->shared[lane] ? IR_SPACE_SHARED : IR_SPACE_GLOBAL)
                      << IR_CHECK_SPACE_SHIFT;
        }
        check_event(d->checked, &e);
    }
}

/* ---- the device ---- */
static unsigned count(const char **why)
{
    *why = NULL;
    return 1;
}

static enum tern_error open_device(unsigned ordinal, const struct dev_host *host, struct dev **out)
{
    struct dev *d = calloc(1, sizeof *d);
    if (!d || ordinal) {
        free(d);
        return d ? TERN_NO_DEVICE : TERN_OUT_OF_MEMORY;
    }
    if (host)
        d->host = *host;
    const struct interp_host h = {.ctx = d,
                                  .reports = {forward, d},
                                  .cancel = d->host.cancel,
                                  .tex = access_texture,
                                  .check = d->host.check ? tell : NULL};
    const enum tern_error e = interp_create(&h, &d->machine);
    if (e != TERN_OK) {
        free(d);
        return e;
    }
    interp_counting(d->machine, prof_counting());
    interp_pending(d->machine, DEV_DEFAULT_PENDING);
    interp_in_order(d->machine, setting_on(SETTING_DETERMINISTIC));
    pthread_mutex_init(&d->lock, NULL);
    *out = d;
    return TERN_OK;
}

static void close_device(struct dev *d)
{
    interp_destroy(d->machine);
    pthread_mutex_destroy(&d->lock);
    free(d->textures);
    free(d);
}

static enum tern_error info(struct dev *d, struct dev_info *out)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    *out = (struct dev_info){
        .flags = DEV_HOST_MEMORY | DEV_F64 | DEV_I64 | DEV_F16 | DEV_COOPERATIVE | DEV_MANAGED |
                 DEV_CHECKED | DEV_TAKES_COPIES,
        .memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 30,
        .units = setting_on(SETTING_DETERMINISTIC) ? DEV_FIXED_UNITS : 1,
        .warp_size = 32,
        .max_threads_per_block = INTERP_MAX_THREADS,
        .max_block = {1024, 1024, 64},
        .max_grid = {INT32_MAX, 65535, 65535},
        .shared_per_block = INTERP_MAX_SHARED,
        .clock_khz = 1000000,
        .arch = 800,
    };
    const uint64_t used = interp_memory_used(d->machine);
    out->memory_free = used < out->memory ? out->memory - used : 0;
    snprintf(out->name, sizeof out->name, "IR interpreter, one core");
    snprintf(out->driver, sizeof out->driver, "built in");
    return TERN_OK;
}

static enum tern_error pending_limit(struct dev *d, uint64_t launches)
{
    if (launches > IR_LAUNCH_PENDING)
        return TERN_LIMIT;
    interp_pending(d->machine, (uint32_t)launches);
    return TERN_OK;
}

static enum tern_error reset_fault(struct dev *d)
{
    pthread_mutex_lock(&d->lock);
    d->sticky = TERN_OK;
    interp_reset_fault(d->machine);
    pthread_mutex_unlock(&d->lock);
    return TERN_OK;
}

/* ---- memory ---- */
static enum tern_error alloc(struct dev *d, uint64_t size, uint32_t align, const char *name,
                             dev_ptr *out)
{
    *out = 0;
    if (d->sticky)
        return d->sticky;
    struct dev_info limits;
    info(d, &limits);
    if (size > limits.memory_free)
        return TERN_OUT_OF_MEMORY;
    const enum tern_error e = interp_alloc(d->machine, size, align, INTERP_GLOBAL, name, out);
    if (!e && d->host.check)
        check_tell(d->host.check, *out, size, CHECK_DEVICE, name);
    return e;
}

static enum tern_error release(struct dev *d, dev_ptr p)
{
    const enum tern_error e = interp_free(d->machine, p);
    if (d->host.check && p) {
        if (e)
            check_bad_free(d->host.check, p, "a free");
        else
            check_forget(d->host.check, p);
    }
    return e;
}

static enum tern_error share(struct dev *d, void *at, uint64_t size, bool writable)
{
    const enum tern_error e = interp_lend(d->machine, at, size, writable);
    if (!e && d->host.check)
        check_tell(d->host.check, (dev_ptr)(uintptr_t)at, size, CHECK_DEVICE, "mapped memory");
    return e;
}

static void take_back(struct dev *d, dev_ptr at)
{
    interp_take_back(d->machine, at);
    if (d->host.check)
        check_forget(d->host.check, at);
}

static enum tern_error copy_in(struct dev *d, struct dev_queue *q, dev_ptr to, const void *from,
                               uint64_t n)
{
    if (!check_copies(d->host.check, q, to, (dev_ptr)(uintptr_t)from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    if (d->sticky)
        return d->sticky;
    void *at = n ? interp_at(d->machine, to, n) : NULL;
    if (n && !at)
        return TERN_INVALID_ARGUMENT;
    if (n)
        memcpy(at, from, n);
    return TERN_OK;
}

static enum tern_error copy_out(struct dev *d, struct dev_queue *q, void *to, dev_ptr from,
                                uint64_t n)
{
    if (!check_copies(d->host.check, q, (dev_ptr)(uintptr_t)to, from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    if (d->sticky)
        return d->sticky;
    const void *at = n ? interp_at(d->machine, from, n) : NULL;
    if (n && !at)
        return TERN_INVALID_ARGUMENT;
    if (n)
        memcpy(to, at, n);
    return TERN_OK;
}

static enum tern_error copy(struct dev *d, struct dev_queue *q, dev_ptr to, dev_ptr from,
                            uint64_t n)
{
    if (!check_copies(d->host.check, q, to, from, n, "a copy"))
        return TERN_INVALID_ARGUMENT;
    if (d->sticky)
        return d->sticky;
    void *target = n ? interp_at(d->machine, to, n) : NULL;
    const void *source = n ? interp_at(d->machine, from, n) : NULL;
    if (n && (!target || !source))
        return TERN_INVALID_ARGUMENT;
    if (n)
        memmove(target, source, n);
    return TERN_OK;
}

static enum tern_error heap_limit(struct dev *d, uint64_t bytes)
{
    interp_heap_limit(d->machine, bytes);
    return TERN_OK;
}

static enum tern_error fill(struct dev *d, struct dev_queue *q, dev_ptr to, uint64_t n,
                            uint32_t pattern, unsigned pattern_bytes)
{
    if (!check_copies(d->host.check, q, to, 0, n, "a fill"))
        return TERN_INVALID_ARGUMENT;
    if (d->sticky)
        return d->sticky;
    if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4)
        return TERN_INVALID_ARGUMENT;
    char *at = n ? interp_at(d->machine, to, n) : NULL;
    if ((n && !at) || n % pattern_bytes)
        return TERN_INVALID_ARGUMENT;
    for (uint64_t i = 0; i < n; i += pattern_bytes)
        memcpy(at + i, &pattern, pattern_bytes);
    return TERN_OK;
}

/* Host memory that kernels may use: the machine knows only its own. */
static enum tern_error host_alloc(struct dev *d, uint64_t size, void **out)
{
    dev_ptr at = 0;
    const enum tern_error e = alloc(d, size, 256, "host memory", &at);
    *out = (void *)(uintptr_t)at;
    return e;
}

static enum tern_error host_free(struct dev *d, void *p)
{
    return interp_free(d->machine, (uint64_t)(uintptr_t)p);
}

/* ---- code ---- */
/* A copy of the module that tells what it does. */
static enum tern_error instrumented(struct dev_module *mod, const struct ir_module **m,
                                    struct diag *diag)
{
    jmp_buf unwind;
    struct ir_module *copy;
    struct pass_log log = {.verify = pass_verifies()};
    mod->mem.unwind = &unwind;
    if (setjmp(unwind))
        return TERN_OUT_OF_MEMORY;
    intern_init(&mod->names, &mod->arena);
    copy = ir_clone(&mod->arena, &mod->names, *m);
    copy->sources = (*m)->sources;
    if (!check_instrument(mod->dev->host.check, CHECK_BY_OP, &mod->arena, copy, diag, &log))
        return TERN_INTERNAL;
    mod->mem.unwind = NULL;
    mod->ir = *m = copy;
    return TERN_OK;
}

static void tell_variables(const struct dev_module *mod, bool live)
{
    struct check *c = mod->dev->host.check;
    uint64_t at, size;
    if (!c || !mod->ir)
        return;
    ir_each_global (g, mod->ir) {
        if (g->space != IR_SPACE_GLOBAL || !interp_global(mod->code, g->name, &at, &size))
            continue;
        if (live)
            check_tell(c, at, size, CHECK_VARIABLES, g->display ? g->display : g->name);
        else
            check_forget(c, at);
    }
}

static enum tern_error load(struct dev *d, const struct ir_module *m, struct diag *diag,
                            struct dev_module **out)
{
    struct dev_module *mod = calloc(1, sizeof *mod);
    *out = NULL;
    if (!mod)
        return TERN_OUT_OF_MEMORY;
    mod->dev = d;
    arena_init(&mod->arena, &mod->mem);
    enum tern_error e = d->host.check ? instrumented(mod, &m, diag) : TERN_OK;
    if (!e)
        e = interp_load(d->machine, m, diag, &mod->code);
    if (e == TERN_OK) {
        *out = mod;
        pthread_mutex_lock(&d->lock);
        mod->next = d->modules;
        d->modules = mod;
        pthread_mutex_unlock(&d->lock);
        tell_variables(mod, true);
    } else {
        arena_free(&mod->arena);
        free(mod);
    }
    return e;
}

static void unload(struct dev *d, struct dev_module *m)
{
    tell_variables(m, false);
    pthread_mutex_lock(&d->lock);
    struct dev_module **at = &d->modules;
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    pthread_mutex_unlock(&d->lock);
    arena_free(&m->arena);
    interp_unload(d->machine, m->code);
    free(m);
}

static enum tern_error kernel(struct dev_module *m, const char *name, struct dev_kernel **out)
{
    *out = (struct dev_kernel *)(void *)interp_kernel(m->code, name);
    return *out ? TERN_OK : TERN_NOT_FOUND;
}

static enum tern_error global(struct dev_module *m, const char *name, dev_ptr *out, uint64_t *size)
{
    return interp_global(m->code, name, out, size) ? TERN_OK : TERN_NOT_FOUND;
}

static void record_line(void *kernel, const char *path, uint32_t line, const struct counts *c)
{
    prof_count(kernel, path, line, c);
}

static void record_counts(struct dev *d, struct dev_kernel *k)
{
    const char *name = interp_func_name(func_of(k));
    interp_each_count(d->machine, record_line, (void *)(uintptr_t)name);
    prof_count_launch(name);
}

static enum tern_error launch(struct dev *d, struct dev_queue *q, struct dev_kernel *k,
                              const struct dev_launch *l)
{
    if (d->sticky)
        return d->sticky;
    const struct interp_launch il = {
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .shared = l->shared,
        .params = l->params,
        .param_bytes = l->param_bytes,
        .cooperative = l->cooperative,
        .timeout_ns = l->timeout_ns,
    };
    if (d->host.check) /* launches are done one at a time, when they are submitted */
        d->place = check_submit(d->host.check, q);
    const enum tern_error e = interp_launch(d->machine, func_of(k), &il);
    if (d->host.check) {
        check_end(d->checked, e != TERN_OK);
        d->checked = NULL;
    }
    if (prof_counting())
        record_counts(d, k);
    if (e == TERN_OK)
        return TERN_OK;
    pthread_mutex_lock(&d->lock);
    if (e != TERN_INVALID_LAUNCH)
        d->sticky = e;
    pthread_mutex_unlock(&d->lock);
    if (e == TERN_INVALID_LAUNCH || !q)
        return e;
    q->error = e;
    return TERN_OK; /* it was submitted; how it went is told by the next wait */
}

/* ---- order ---- */
static enum tern_error queue_new(struct dev *d, struct dev_queue **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return TERN_OUT_OF_MEMORY;
    (*out)->dev = d;
    return TERN_OK;
}

static void queue_free(struct dev_queue *q)
{
    if (q->dev->host.check) {
        check_waited(q->dev->host.check, q, NULL);
        check_drop(q->dev->host.check, q);
    }
    free(q);
}

static enum tern_error queue_wait(struct dev_queue *q)
{
    /* several threads may wait: one of them is told */
    const enum tern_error e = atomic_exchange(&q->error, TERN_OK);
    if (q->dev->host.check)
        check_waited(q->dev->host.check, q, NULL);
    return e ? e : q->dev->sticky;
}

static enum tern_error event_new(struct dev *d, struct dev_event **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return TERN_OUT_OF_MEMORY;
    (*out)->dev = d;
    return TERN_OK;
}

static void event_free(struct dev_event *e)
{
    if (e->dev->host.check)
        check_drop(e->dev->host.check, e);
    free(e);
}

static enum tern_error event_record(struct dev_event *e, struct dev_queue *q)
{
    if (e->dev->host.check)
        check_record(e->dev->host.check, e, q);
    e->time = thread_nanoseconds();
    return TERN_OK;
}

static enum tern_error event_wait(struct dev_event *e)
{
    if (e->dev->host.check)
        check_waited(e->dev->host.check, NULL, e);
    return e->dev->sticky;
}

static enum tern_error queue_after(struct dev_queue *q, struct dev_event *e)
{
    if (e->dev->host.check)
        check_after(e->dev->host.check, q, e);
    return TERN_OK;
}

static enum tern_error event_time(struct dev_event *e, uint64_t *ns)
{
    *ns = e->time;
    if (e->time && e->dev->host.check)
        check_waited(e->dev->host.check, NULL, e);
    return e->time ? TERN_OK : TERN_NOT_READY;
}

static enum tern_error host_call(struct dev_queue *q, void (*fn)(void *), void *arg)
{
    (void)q;
    fn(arg);
    return TERN_OK;
}

/* Any number of blocks runs at once, each with its threads' state; as many are told as a
 * multiprocessor of the architecture has room for. */
static enum tern_error occupancy(struct dev_kernel *k, uint32_t threads, uint32_t shared,
                                 uint32_t *blocks)
{
    enum { THREADS = 2048, BLOCKS = 32 };
    (void)k, (void)shared;
    if (!threads)
        return TERN_INVALID_ARGUMENT;
    *blocks = threads > INTERP_MAX_THREADS ? 0
              : THREADS / threads > BLOCKS ? BLOCKS
                                           : THREADS / threads;
    return TERN_OK;
}

const struct dev_driver dev_interp = {
    .abi = DEV_ABI,
    .name = "interp",
    .checks = true,
    .in_order = true,
    .pending_limit = pending_limit,
    .count = count,
    .open = open_device,
    .close = close_device,
    .info = info,
    .reset_fault = reset_fault,
    .alloc = alloc,
    .share = share,
    .unshare = take_back,
    .free = release,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .fill = fill,
    .heap_limit = heap_limit,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .load = load,
    .unload = unload,
    .kernel = kernel,
    .global = global,
    .launch = launch,
    .occupancy = occupancy,
    .queue_new = queue_new,
    .queue_free = queue_free,
    .queue_wait = queue_wait,
    .queue_query = queue_wait,
    .event_new = event_new,
    .event_free = event_free,
    .event_record = event_record,
    .event_wait = event_wait,
    .queue_after = queue_after,
    .event_time = event_time,
    .host_call = host_call,
    .texture_new = texture_new,
    .texture_free = texture_free,
};
