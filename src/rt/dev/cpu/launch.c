/* A launch: blocks handed out over the thread pool, and the functions that kernels call back for.
 *
 * A kernel that fails (trap, assert, deadlock) jumps out of the blocks of its worker; the other
 * workers stop at their next block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "ir/debug.h"
#include "ir/launch.h"
#include "rt/dev/cpu/cpu_int.h"

/* What a launch in progress is. */
struct running {
    struct dev *dev;
    const struct cpu_launch *what;
    struct tern_launch launch;
    struct cpu_host host;
    _Atomic int error;
    volatile int cancel;
    uint64_t deadline;                    /* 0: none */
    struct child *children, **last_child; /* under the device's lock */
    unsigned nchildren;
    struct check_launch *checked; /* NULL: nobody looks */
};

/* A kernel that this one has started; it runs when this one is done. */
struct child {
    struct child *next;
    bool tail;                /* after all others of the same grid */
    struct cpu_launch launch; /* parameters follow */
};

enum tern_error cpu_report(struct dev *d, struct report *r)
{
    const bool fault = report_is_fault(r);
    bool first = true;
    if (fault) {
        pthread_mutex_lock(&d->lock);
        first = !d->fault;
        if (first)
            d->fault = r->error;
        pthread_mutex_unlock(&d->lock);
    }
    r->device = "cpu";
    if (first)
        report_send(&d->host.reports, r);
    return r->error;
}

/* ---- called by kernels ---- */
static const char *string_argument(void *ctx, size_t index, uint64_t address)
{
    (void)ctx, (void)index;
    return (const char *)(uintptr_t)address;
}

static void print(const struct tern_launch *l, const char *format, const uint64_t *args,
                  uint32_t count)
{
    const struct running *r = l->user;
    struct cpu_watch *w = cpu_call_begin(NULL);
    struct sbuf text;
    sbuf_init(&text, NULL);
    format_device(&text, format, args, count, string_argument, NULL);
    if (!text.failed)
        report_print(&r->dev->host.reports, text.data, text.len);
    sbuf_free(&text);
    cpu_call_end(w);
}

/* Any worker may say so, and several at once. */
static void stop(struct running *r)
{
    __atomic_store_n(&r->cancel, 1, __ATOMIC_RELAXED);
}

static bool stopped(const struct running *r)
{
    return __atomic_load_n(&r->cancel, __ATOMIC_RELAXED);
}

/* True: no other error came before. The first one stays: what a block meets that is told to stop
 * does not replace it. */
static bool first_error(struct running *r, int error)
{
    int none = 0;
    return atomic_compare_exchange_strong(&r->error, &none, error);
}

static struct cpu_watch *watch_of(const struct tern_block *b)
{
    const struct running *r = b->launch->user;
    return r->dev->workers[b->worker].watch;
}

static void fail(const struct tern_block *b, uint32_t error, const char *what, const char *file,
                 uint32_t line, const char *function)
{
    struct running *r = b->launch->user;
    const char *kernel = r->what->kernel->display;
    cpu_call_begin(watch_of(b)); /* for good */
    char text[512];
    struct report f = {.kind = report_kind_of((enum tern_error)error),
                       .error = (enum tern_error)error,
                       .message = what,
                       .kernel = kernel,
                       .has_block = true,
                       .has_thread = true};
    memcpy(f.block, b->ctaid, sizeof f.block);
    memcpy(f.thread, b->tid, sizeof f.thread);
    if (error == TERN_ASSERT) {
        snprintf(text, sizeof text, REPORT_ASSERT_FORMAT, what ? what : "", file ? file : "?", line,
                 function ? function : kernel);
        f.message = text;
    }
    if (first_error(r, (int)error))
        cpu_report(r->dev, &f);
    stop(r);
    longjmp(r->dev->workers[b->worker].jump, 1);
}

static void *device_malloc(const struct tern_launch *l, uint64_t size)
{
    const struct running *r = l->user;
    struct cpu_watch *w = cpu_call_begin(NULL);
    if (w)
        w->in_heap = true;
    void *p = cpu_device_malloc(r->dev->device_heap, size);
    cpu_call_end(w);
    return p;
}

static void device_free(const struct tern_launch *l, void *p)
{
    struct running *r = l->user;
    struct cpu_watch *w = cpu_call_begin(NULL);
    if (w)
        w->in_heap = true;
    const bool freed = !p || cpu_device_free(r->dev->device_heap, p);
    if (!freed && first_error(r, TERN_ILLEGAL_ADDRESS))
        cpu_report(r->dev,
                   &(struct report){.kind = REPORT_ACCESS,
                                    .error = TERN_ILLEGAL_ADDRESS,
                                    .message = "free of memory that malloc did not give, or "
                                               "that was freed before",
                                    .kernel = r->what->kernel->display,
                                    .address = (uintptr_t)p});
    if (!freed)
        stop(r);
    cpu_call_end(w);
    if (!freed && w)
        longjmp(*w->jump, 1);
}

static uint64_t read_clock(uint32_t which)
{
    if (which == CPU_CYCLES) {
#if defined(__x86_64__)
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
        uint64_t t;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
        return t;
#endif
    }
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void texture(const struct tern_block *b, uint32_t what, uint32_t type, uint64_t imm,
                    const uint64_t *args, uint32_t count, uint64_t *results)
{
    struct running *r = b->launch->user;
    cpu_call_begin(watch_of(b));
    const char *why = cpu_texture_access(r->dev, what, type, imm, args, count, results);
    char text[200];
    snprintf(text, sizeof text, "texture access: %s", why ? why : "");
    if (why)
        fail(b, TERN_INVALID_HANDLE, text, NULL, 0, NULL);
    cpu_call_end(watch_of(b));
}

/* Without the module's interner, which is not for several threads at once. */
static bool is_number_of(const struct ir_module *m, const char *name, uint64_t number)
{
    ir_each_func (f, m)
        if (f->address && !strcmp(f->name, name))
            return lower_taken_number(f) == number;
    return false;
}

/* args: see enum ir_launch_operand. */
static uint32_t queue_child(const struct tern_block *b, const uint64_t *args)
{
    struct running *r = b->launch->user;
    struct dev_kernel *k = r->what->kernel->module->kernels;
    const uint64_t *grid = args + IR_LAUNCH_GRID, *block = args + IR_LAUNCH_BLOCK;
    uint64_t threads = block[0] * block[1] * block[2];
    const struct ir_module *m = r->what->kernel->module->ir;
    while (k && !is_number_of(m, k->name, args[IR_LAUNCH_KERNEL]))
        k = k->next;
    if (!k || !grid[0] || !grid[1] || !grid[2] || !threads || threads > IR_LAUNCH_MOST_THREADS ||
        args[IR_LAUNCH_SHARED] > IR_LAUNCH_MOST_SHARED)
        return (uint32_t)tern_error_cuda(TERN_INVALID_LAUNCH);
    if (r->what->depth + 1 >= IR_LAUNCH_DEPTH)
        return IR_LAUNCH_TOO_DEEP;
    struct child *c = calloc(1, sizeof *c + k->param_bytes + 1);
    if (!c)
        return (uint32_t)tern_error_cuda(TERN_OUT_OF_MEMORY);
    c->tail = args[IR_LAUNCH_STREAM] == IR_LAUNCH_TAIL;
    c->launch = (struct cpu_launch){.kernel = k,
                                    .params = (char *)(c + 1),
                                    .depth = r->what->depth + 1,
                                    .shape = {.shared = (uint32_t)args[IR_LAUNCH_SHARED]}};
    for (int n = 0; n < 3; n++) {
        c->launch.shape.grid[n] = (uint32_t)grid[n];
        c->launch.shape.block[n] = (uint32_t)block[n];
    }
    memcpy(c->launch.params, (const void *)(uintptr_t)args[IR_LAUNCH_PARAMS], k->param_bytes);
    pthread_mutex_lock(&r->dev->lock);
    const bool fits = r->nchildren < r->dev->pending;
    if (fits) {
        *r->last_child = c;
        r->last_child = &c->next;
        r->nchildren++;
    }
    pthread_mutex_unlock(&r->dev->lock);
    if (!fits)
        free(c);
    return fits ? 0 : IR_LAUNCH_TOO_MANY;
}

static uint32_t launch_child(const struct tern_block *b, const uint64_t *args)
{
    cpu_call_begin(watch_of(b));
    const uint32_t e = queue_child(b, args);
    cpu_call_end(watch_of(b));
    return e;
}

/* ---- what a checker is told ---- */
static bool on_stack(void *ctx, uint64_t address)
{
    const struct running *r = ctx;
    for (unsigned k = 0; k < pool_slots(r->dev->pool); k++) {
        const struct cpu_worker *w = &r->dev->workers[k];
        if ((address >= (uintptr_t)w->stack.low && address < (uintptr_t)w->stack.high) ||
            address - (uintptr_t)w->stacks.at < w->stacks.bytes)
            return true;
    }
    return address - (uintptr_t)r->launch.params < r->what->kernel->param_bytes;
}

static void tell(struct tern_block *b, u64 what, u64 site, const u64 *args)
{
    struct running *r = b->launch->user;
    const uint32_t *n = b->launch->block;
    if (!r->checked)
        return;
    struct check_event e = {.what = what,
                            .site = (source_loc)site,
                            .thread = b->tid[0] + n[0] * (b->tid[1] + n[1] * b->tid[2]),
                            .mask = 1,
                            .shared = (uintptr_t)b->shared,
                            .is_local = on_stack,
                            .ctx = r};
    memcpy(e.block, b->ctaid, sizeof e.block);
    if (what & IR_CHECK_GANG) {
        e.stride = (int64_t)args[0];
        e.mask = (uint32_t)args[1];
        e.thread = (uint32_t)args[2];
        args += 3;
    }
    if (!e.mask)
        return;
    if (e.stride == IR_CHECK_BY_LANE)
        e.lanes = (const u64 *)(uintptr_t)args[0];
    e.first = args[0];
    memcpy(e.more, args + 1, sizeof e.more);
    cpu_call_begin(watch_of(b));
    const enum tern_error error = check_event(r->checked, &e);
    if (error) { /* it is told already */
        first_error(r, (int)error);
        pthread_mutex_lock(&r->dev->lock);
        r->dev->fault = r->dev->fault ? r->dev->fault : error;
        pthread_mutex_unlock(&r->dev->lock);
        stop(r);
        longjmp(r->dev->workers[b->worker].jump, 1);
    }
    cpu_call_end(watch_of(b));
}

static const struct tern_host host = {.print = print,
                                      .fail = fail,
                                      .alloc = device_malloc,
                                      .release = device_free,
                                      .clock = read_clock,
                                      .texture = texture,
                                      .launch = launch_child};

/* ---- running ---- */
/* Shared memory lies below 4 GiB where there is room: inline PTX keeps its addresses in 32 bits. */
static char *map_low(uint64_t size)
{
    for (uint64_t at = 0x10000000; at + size < UINT64_C(0xf0000000); at += 0x1000000) {
#ifdef MAP_FIXED_NOREPLACE
        void *p = mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
#else
        void *p = mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
        if (p == (void *)(uintptr_t)at)
            return p;
        if (p != MAP_FAILED)
            munmap(p, size);
    }
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static char *shared_memory(struct dev *d, unsigned worker, uint64_t bytes)
{
    struct cpu_worker *w = &d->workers[worker];
    if (w->shared_bytes < bytes) {
        if (w->shared)
            munmap(w->shared, w->shared_bytes);
        w->shared_bytes = (bytes + 65535) & ~(uint64_t)65535;
        w->shared = map_low(w->shared_bytes);
        if (!w->shared)
            w->shared_bytes = 0;
    }
    return w->shared;
}

static void stack_bounds(char *bounds[2])
{
    pthread_attr_t a;
    void *low = NULL;
    size_t size = 0;
    if (!pthread_getattr_np(pthread_self(), &a)) {
        pthread_attr_getstack(&a, &low, &size);
        pthread_attr_destroy(&a);
    }
    bounds[0] = low, bounds[1] = (char *)low + size;
}

/* The allocation nearest to an address, for a report; its name is copied. */
static struct report_memory nearest(struct dev *d, uint64_t address, char *name, size_t size)
{
    enum { NEAR = 1 << 20 };
    struct report_memory m = {.name = name, .space = "global memory"};
    struct heap_found f;
    uint64_t distance = UINT64_MAX;
    if (!d->guard && heap_nearest(d->heap, address, &f)) {
        m.base = f.address, m.size = f.size;
        distance = address - f.address < f.size ? 0 : address - f.address - f.size;
        snprintf(name, size, "%s", f.name);
    }
    pthread_mutex_lock(&d->lock);
    for (const struct cpu_alloc *a = d->allocs; a; a = a->next) {
        const uint64_t end = a->address + a->size;
        const uint64_t gap = address < a->address ? a->address - address
                             : address >= end     ? address - end
                                                  : 0;
        if (gap >= distance)
            continue;
        distance = gap;
        m.base = a->address, m.size = a->size;
        snprintf(name, size, "%s", a->name);
    }
    pthread_mutex_unlock(&d->lock);
    return distance <= NEAR ? m : (struct report_memory){.note = "no allocation is near"};
}

static struct report_memory memory_at(struct dev *d, uint64_t address, char *name, size_t size)
{
    for (unsigned k = 0; k < pool_slots(d->pool); k++)
        if (cpu_stack_guards(&d->workers[k].stack, address))
            return (struct report_memory){.note = "outside of local memory"};
    return nearest(d, address, name, size);
}

static enum tern_error too_long(struct dev *d, const struct cpu_launch *l)
{
    char text[64];
    snprintf(text, sizeof text, "the kernel ran longer than %.3g s",
             (double)l->shape.timeout_ns / 1e9);
    return cpu_report(d, &(struct report){.kind = REPORT_HANG,
                                          .error = TERN_TIMEOUT,
                                          .message = text,
                                          .kernel = l->kernel->display});
}

static void report(struct running *r, const struct cpu_watch *w)
{
    const struct dev_kernel *k = r->what->kernel;
    char name[64];
    if (w->what == TERN_CANCELLED || !first_error(r, w->what))
        return;
    if (w->what == TERN_TIMEOUT) {
        too_long(r->dev, r->what);
        return;
    }
    struct report f = {.kind = REPORT_ACCESS,
                       .error = (enum tern_error)w->what,
                       .kernel = k->display,
                       .access = REPORT_ANY_ACCESS,
                       .address = w->address,
                       .memory = memory_at(r->dev, w->address, name, sizeof name),
                       .at = report_place_of(k->module->ir->sources, w->at)};
    if (!f.at.path)
        f.advice = "TERN_GUARD=1 tells the source line";
    cpu_report(r->dev, &f);
}

/* One piece of shared memory for each block that runs at once. */
static uint64_t shared_bytes(const struct running *r, uint64_t blocks, uint64_t room)
{
    uint64_t each = (r->launch.shared_bytes + CPU_SHARED_ALIGN - 1) / CPU_SHARED_ALIGN *
                    CPU_SHARED_ALIGN,
             most = r->what->variant->how.resident;
    return each * (blocks < most ? blocks : most) + room + CPU_SHARED_ROOM;
}

/* What a worker does on its own stack. */
struct part {
    const struct running *r;
    const struct tern_worker *worker;
    uint64_t begin, end;
};

static void run_part(void *arg)
{
    const struct part *p = arg;
    const struct cpu_variant *v = p->r->what->variant;
    if (v->run)
        v->run(&p->r->launch, p->worker, p->begin, p->end);
    else
        cpu_own_run(&v->own, &p->r->launch, p->worker, p->begin, p->end);
}

static void run_blocks(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    struct running *r = arg;
    if (stopped(r))
        return;
    if ((r->dev->host.cancel && __atomic_load_n(r->dev->host.cancel, __ATOMIC_RELAXED)) ||
        (r->deadline && thread_nanoseconds() > r->deadline)) {
        stop(r);
        return;
    }
    struct cpu_worker *mine = &r->dev->workers[worker];
    struct tern_worker w = {.number = worker, .stacks = &mine->stacks};
    const uint32_t align = r->what->kernel->module->shared_align;
    const uint64_t room = align > CPU_SHARED_ROOM ? align : CPU_SHARED_ROOM;
    if (!mine->signals)
        mine->signals = malloc(CPU_WATCH_BYTES);
    if (!mine->signals ||
        (r->launch.shared_bytes &&
         !(w.shared = shared_memory(r->dev, worker, shared_bytes(r, end - begin, room))))) {
        first_error(r, TERN_OUT_OF_MEMORY);
        stop(r);
        return;
    }
    if (w.shared)
        w.shared += room;
    if (mine->stack.low || cpu_stack_new(&mine->stack))
        w.stack[0] = mine->stack.low, w.stack[1] = mine->stack.high;
    else if (r->what->variant->how.asks_space)
        stack_bounds(w.stack);
    struct cpu_watch *watch = cpu_watch_begin(mine->signals, r->deadline, r->dev->host.cancel,
                                              !pthread_equal(mine->unblocked, pthread_self()));
    mine->unblocked = pthread_self();
    mine->watch = watch;
    watch->jump = &mine->jump;
    w.at = &watch->at;
    struct part part = {r, &w, begin, end};
    if (!setjmp(mine->jump))
        cpu_stack_call(&mine->stack, run_part, &part);
    watch = r->dev->workers[worker].watch;
    if (watch->what) {
        report(r, watch);
        stop(r);
    }
    cpu_watch_end(watch);
}

/* Blocks that run at once lie one behind the other: where a kernel asks for more than every block
 * gets, all begin at a multiple of that. */
static uint32_t whole_shared(const struct cpu_launch *l)
{
    const uint32_t bytes = l->variant->static_shared + l->shape.shared,
                   align = l->kernel->module->shared_align;
    return align > CPU_SHARED_ALIGN ? (bytes + align - 1) / align * align : bytes;
}

static uint64_t blocks_of(const struct cpu_launch *l)
{
    return (uint64_t)l->shape.grid[0] * l->shape.grid[1] * l->shape.grid[2];
}

bool cpu_takes_less(const struct cpu_launch *l, uint64_t nanoseconds)
{
    const uint64_t pace = atomic_load_explicit(&l->variant->pace, memory_order_relaxed),
                   most = nanoseconds * CPU_PACE_NS;
    return !l->kernel->waits && pace && pace <= most && blocks_of(l) <= most / pace;
}

/* The mean of the last few. That a launch took many times as long as those before may mean that its
 * thread was not on a core: such a one counts, but not for all. */
static void note_pace(struct cpu_variant *v, uint64_t nanoseconds, uint64_t blocks)
{
    enum { MOST_TIMES = 8, FEW = 4 };
    const uint64_t before = atomic_load_explicit(&v->pace, memory_order_relaxed),
                   took = nanoseconds * CPU_PACE_NS / blocks + 1,
                   now = before && took > MOST_TIMES * before ? MOST_TIMES * before : took;
    atomic_store_explicit(&v->pace, before ? ((FEW - 1) * before + now) / FEW : now,
                          memory_order_relaxed);
}

enum tern_error cpu_run(struct dev *d, const struct cpu_launch *l)
{
    struct running r = {.dev = d, .what = l};
    const uint32_t *grid = l->shape.grid, *block = l->variant->threads;
    r.launch = (struct tern_launch){
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .dynamic_shared = l->shape.shared,
        .shared_bytes = whole_shared(l),
        .workers = pool_size(d->pool),
        .cooperative = l->shape.cooperative,
        .params = l->params,
        .globals = l->kernel->module->globals,
        .cancel = &r.cancel,
        .host = &r.host.abi,
        .user = &r,
    };
    cpu_own_host(&r.host, &host);
    r.host.check = tell;
    pthread_mutex_lock(&d->lock);
    r.launch.id = ++d->launches;
    const enum tern_error lost = d->fault;
    pthread_mutex_unlock(&d->lock);
    if (lost)
        return lost;
    if (l->shape.timeout_ns)
        r.deadline = thread_nanoseconds() + l->shape.timeout_ns;
    const uint64_t blocks = blocks_of(l);
    uint64_t chunk = blocks / (pool_size(d->pool) * 16u), resident = l->variant->how.resident;
    if (resident > 1) { /* blocks that wait for each other: many to a worker */
        uint64_t share = (blocks + pool_size(d->pool) - 1) / pool_size(d->pool);
        chunk = resident == UINT32_MAX ? blocks : share < resident ? share : resident;
    }
    if (l->variant->how.coarsens_x && blocks >= (uint64_t)4 * pool_size(d->pool) * grid[0])
        chunk = chunk > grid[0] ? chunk - chunk % grid[0] : grid[0]; /* whole rows of blocks */
    if (l->variant->how.coarsens_x && block[0] < l->variant->how.gang) {
        /* blocks that share vectors: as many as fill some, as long as every worker gets as many */
        const uint64_t fill = l->variant->how.gang / block[0], share = blocks / pool_size(d->pool);
        if (chunk % fill && share > fill)
            chunk += fill - chunk % fill;
        else if (chunk % fill && share)
            chunk = share;
    }
    if (l->variant->how.coarsens_y) { /* as many rows as it takes at once */
        const uint64_t most = BACK_COARSE_THREADS / (block[0] * block[1] * block[2]),
                       share = blocks / (pool_size(d->pool) * 2u);
        if (chunk < most)
            chunk = share < most ? share : most;
        chunk -= chunk > grid[0] ? chunk % grid[0] : 0;
    }
    const struct ir_debug *debug = l->kernel->module->ir->debug;
    if ((debug && debug->steps) || l->kernel->in_order || cpu_takes_less(l, CPU_ALONE_NS))
        chunk = blocks; /* one after the other */
    chunk = chunk ? chunk : 1;
    r.last_child = &r.children;
    if (d->host.check) {
        const struct check_kernel k = {.name = l->kernel->display,
                                       .sources = l->kernel->module->ir->sources,
                                       .grid = {grid[0], grid[1], grid[2]},
                                       .block = {block[0], block[1], block[2]},
                                       .dynamic_shared = l->shape.shared,
                                       .shared_bytes = r.launch.shared_bytes,
                                       .resident = resident > 1};
        r.checked = check_begin(d->host.check, &k, l->place);
        r.launch.checks = check_table(r.checked);
    }
    const uint64_t start = thread_nanoseconds();
    pool_for(d->pool, blocks, chunk, run_blocks, &r);
    const uint64_t took = thread_nanoseconds() - start;
    atomic_fetch_add_explicit(&l->variant->spent, took, memory_order_relaxed);
    atomic_fetch_add_explicit(&l->variant->blocks, blocks, memory_order_relaxed);
    note_pace(l->variant, chunk == blocks ? took : took * pool_size(d->pool), blocks);
    check_end(r.checked, atomic_load(&r.error) || stopped(&r));
    enum tern_error e = (enum tern_error)atomic_load(&r.error);
    if (!e && r.deadline && stopped(&r) && thread_nanoseconds() > r.deadline)
        e = too_long(d, l);
    else if (!e && stopped(&r))
        e = TERN_CANCELLED;
    for (int tail = 0; tail < 2; tail++)
        for (struct child *c = r.children; c; c = c->next) {
            if (c->tail != (tail == 1))
                continue;
            c->launch.shape.timeout_ns = l->shape.timeout_ns;
            if (!e)
                e = cpu_variant(c->launch.kernel, c->launch.shape.block, &c->launch.variant);
            if (!e)
                e = cpu_run(d, &c->launch);
        }
    for (struct child *c = r.children, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    return e;
}
