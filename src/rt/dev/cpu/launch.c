/* A launch: blocks handed out over the thread pool, and the functions that kernels call back for.
 *
 * A kernel that fails (trap, assert, deadlock) jumps out of the blocks of its worker; the other
 * workers stop at their next block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "ir/launch.h"
#include "rt/dev/cpu/cpu_int.h"

/* What a launch in progress is. */
struct running {
    struct dev *dev;
    const struct cpu_launch *what;
    struct tern_launch launch;
    jmp_buf *jumps; /* by worker */
    struct cpu_watch **watches;
    _Atomic int error;
    volatile int cancel;
    uint64_t deadline;                    /* 0: none */
    struct child *children, **last_child; /* under the device's lock */
    unsigned nchildren;
};

/* A kernel that this one has started; it runs when this one is done. */
struct child {
    struct child *next;
    bool tail;                /* after all others of the same grid */
    struct cpu_launch launch; /* parameters follow */
};

enum tern_error cpu_fault(struct dev *d, enum tern_error e, const struct tern_block *b,
                          const char *kernel, const char *fmt, ...)
{
    pthread_mutex_lock(&d->lock);
    if (!d->faulted) {
        d->faulted = true;
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(d->message, sizeof d->message, fmt, ap);
        va_end(ap);
        d->fault = (struct dev_fault){.error = e, .message = d->message};
        snprintf(d->fault.kernel, sizeof d->fault.kernel, "%s", kernel);
        if (b) {
            memcpy(d->fault.block, b->ctaid, sizeof b->ctaid);
            memcpy(d->fault.thread, b->tid, sizeof b->tid);
        }
    }
    pthread_mutex_unlock(&d->lock);
    return e;
}

/* ---- called by kernels ---- */
/* printf as CUDA defines it: arguments are 64-bit slots, conversions say what is in them. */
static void print(const struct tern_launch *l, const char *format, const uint64_t *args,
                  uint32_t count)
{
    struct running *r = l->user;
    struct sbuf o;
    sbuf_init(&o, NULL);
    uint32_t next = 0;
    for (const char *s = format; *s;) {
        const char *percent = strchr(s, '%');
        size_t plain = percent ? (size_t)(percent - s) : strlen(s);
        sbuf_put(&o, s, plain);
        if (!percent)
            break;
        char spec[64];
        size_t n = 0;
        int stars[2], nstars = 0;
        const char *p = percent + 1;
        spec[n++] = '%';
        while (*p && strchr("-+ #0123456789.*", *p) && n < 40) {
            if (*p == '*' && nstars < 2) {
                stars[nstars++] = next < count ? (int)args[next] : 0;
                next++;
            }
            spec[n++] = *p++;
        }
        unsigned longs = 0, shorts = 0;
        while (*p && strchr("hljztL", *p)) {
            longs += *p == 'l' || *p == 'j' || *p == 'z' || *p == 't';
            shorts += *p == 'h';
            p++;
        }
        char c = *p;
        s = c ? p + 1 : p;
        if (c == '%') {
            sbuf_putc(&o, '%');
            continue;
        }
        if (!c || !strchr("diouxXcsfFeEgGaAp", c)) { /* not a conversion: as it stands */
            sbuf_put(&o, percent, (size_t)(s - percent));
            continue;
        }
        uint64_t v = next < count ? args[next] : 0;
        next++;
        char text[512];
        int len = 0;
#define PRINT(x)                                                                                   \
    (nstars == 0   ? snprintf(text, sizeof text, spec, x)                                          \
     : nstars == 1 ? snprintf(text, sizeof text, spec, stars[0], x)                                \
                   : snprintf(text, sizeof text, spec, stars[0], stars[1], x))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (strchr("diouxX", c)) {
            spec[n++] = 'l', spec[n++] = 'l', spec[n++] = c, spec[n] = 0;
            bool is_signed = c == 'd' || c == 'i';
            long long x = longs         ? (long long)v
                          : shorts == 1 ? (is_signed ? (int16_t)v : (long long)(uint16_t)v)
                          : shorts      ? (is_signed ? (int8_t)v : (long long)(uint8_t)v)
                          : is_signed   ? (int32_t)v
                                        : (long long)(uint32_t)v;
            len = PRINT(x);
        } else if (c == 'c') {
            spec[n++] = c, spec[n] = 0;
            len = PRINT((int)(unsigned char)v);
        } else if (c == 's') {
            spec[n++] = c, spec[n] = 0;
            const char *z = v ? (const char *)(uintptr_t)v : "(null)";
            if (n == 2)
                sbuf_puts(&o, z);
            else
                len = PRINT(z);
        } else if (c == 'p') {
            spec[n++] = c, spec[n] = 0;
            len = PRINT((void *)(uintptr_t)v);
        } else {
            double x;
            memcpy(&x, &v, sizeof x);
            spec[n++] = c, spec[n] = 0;
            len = PRINT(x);
        }
#pragma GCC diagnostic pop
#undef PRINT
        if (len > 0)
            sbuf_put(&o, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
    }
    if (!o.failed && o.len && r->dev->host.print)
        r->dev->host.print(r->dev->host.ctx, o.data, o.len);
    sbuf_free(&o);
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

static void fail(const struct tern_block *b, uint32_t error, const char *what, const char *file,
                 uint32_t line, const char *function)
{
    struct running *r = b->launch->user;
    const char *kernel = r->what->kernel->display;
    char text[512];
    if (error == TERN_ASSERT)
        snprintf(text, sizeof text, "assertion failed: %.300s\n  %.100s:%u: %.60s",
                 what ? what : "", file ? file : "?", line, function ? function : kernel);
    else
        snprintf(text, sizeof text, "%s", what ? what : "");
    if (!atomic_exchange(&r->error, (int)error))
        cpu_fault(r->dev, (enum tern_error)error, b, kernel,
                  "%s\n  in kernel %s, block (%u, %u, %u), thread (%u, %u, %u)", text, kernel,
                  b->ctaid[0], b->ctaid[1], b->ctaid[2], b->tid[0], b->tid[1], b->tid[2]);
    stop(r);
    longjmp(r->jumps[b->worker], 1);
}

static void *device_malloc(const struct tern_launch *l, uint64_t size)
{
    (void)l;
    return size > (uint64_t)8 << 30 ? NULL : malloc(size ? size : 1);
}

static void device_free(const struct tern_launch *l, void *p)
{
    (void)l;
    free(p);
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
    const char *why = cpu_texture_access(r->dev, what, type, imm, args, count, results);
    char text[200];
    snprintf(text, sizeof text, "texture access: %s", why ? why : "");
    if (why)
        fail(b, TERN_INVALID_HANDLE, text, NULL, 0, NULL);
}

/* args: see enum ir_launch_operand. */
static uint32_t launch_child(const struct tern_block *b, const uint64_t *args)
{
    struct running *r = b->launch->user;
    struct dev_kernel *k = r->what->kernel->module->kernels;
    const uint64_t *grid = args + IR_LAUNCH_GRID, *block = args + IR_LAUNCH_BLOCK;
    uint64_t threads = block[0] * block[1] * block[2], number;
    const struct ir_module *m = r->what->kernel->module->ir;
    for (; k; k = k->next) {
        number = 1;
        ir_each_func (f, m) {
            if (!strcmp(f->name, k->name) && f->address)
                break;
            number += f->address != NULL;
        }
        if (number == args[IR_LAUNCH_KERNEL])
            break;
    }
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
    const bool fits = r->nchildren < IR_LAUNCH_PENDING;
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

static void place(char *out, size_t n, uint64_t distance, const char *side, const char *name,
                  uint64_t size)
{
    const char *quote = *name ? "'" : "";
    char gap[32] = "right";
    if (distance)
        snprintf(gap, sizeof gap, "%llu bytes", (unsigned long long)distance);
    snprintf(out, n, "%s %s %s%s%s of %llu bytes", gap, side, quote, *name ? name : "a buffer",
             quote, (unsigned long long)size);
}

/* The allocation nearest to an address, for a report. */
static void describe(struct dev *d, uint64_t address, char *out, size_t n)
{
    static const char after[] = "after the end of";
    struct heap_found f;
    snprintf(out, n, "no allocation is near");
    if (!d->guard) {
        if (heap_nearest(d->heap, address, &f) && address - f.address - f.size <= 1 << 20)
            place(out, n, address - f.address - f.size, after, f.name, f.size);
        return;
    }
    const struct cpu_alloc *best = NULL;
    uint64_t distance = UINT64_MAX;
    pthread_mutex_lock(&d->lock);
    for (const struct cpu_alloc *a = d->allocs; a; a = a->next) {
        uint64_t end = a->address + a->size;
        uint64_t gap = address < a->address ? a->address - address
                       : address >= end     ? address - end
                                            : 0;
        if (gap < distance)
            distance = gap, best = a;
    }
    if (best && distance <= 1 << 20)
        place(out, n, distance, address < best->address ? "before" : after, best->name, best->size);
    pthread_mutex_unlock(&d->lock);
}

static void report(struct running *r, const struct cpu_watch *w)
{
    const struct dev_kernel *k = r->what->kernel;
    char near[160], place[320] = "";
    struct source_pos pos;
    if (w->what == TERN_CANCELLED || atomic_exchange(&r->error, w->what))
        return;
    if (w->what == TERN_TIMEOUT) {
        cpu_fault(r->dev, TERN_TIMEOUT, NULL, k->display, "kernel %s ran longer than allowed",
                  k->display);
        return;
    }
    describe(r->dev, w->address, near, sizeof near);
    const struct source_map *sources = k->module->ir->sources;
    if (w->at && sources && source_position(sources, source_expanded(sources, w->at), &pos))
        snprintf(place, sizeof place, "\n  at %s:%u:%u%s%.*s", pos.path, pos.line, pos.column,
                 pos.text.len ? ": " : "", (int)(pos.text.len < 120 ? pos.text.len : 120),
                 pos.text.ptr);
    cpu_fault(r->dev, TERN_ILLEGAL_ADDRESS, NULL, k->display,
              "access to memory at 0x%llx: %s%s\n  in kernel %s%s", (unsigned long long)w->address,
              near, place, k->display, *place ? "" : " (TERN_GUARD=1 tells the source line)");
    r->dev->fault.address = w->address;
}

/* One piece of shared memory for each block that runs at once. */
static uint64_t shared_bytes(const struct running *r, uint64_t blocks)
{
    uint64_t each = (r->launch.shared_bytes + 63) / 64 * 64, most = r->what->variant->how.resident;
    return each * (blocks < most ? blocks : most) + 2 * CPU_SHARED_ROOM;
}

static void run_blocks(void *arg, uint64_t begin, uint64_t end, unsigned worker)
{
    struct running *r = arg;
    if (stopped(r))
        return;
    if ((r->dev->host.cancel && *r->dev->host.cancel) ||
        (r->deadline && thread_nanoseconds() > r->deadline)) {
        stop(r);
        return;
    }
    struct cpu_worker *mine = &r->dev->workers[worker];
    struct tern_worker w = {.number = worker};
    if (!mine->signals)
        mine->signals = malloc(CPU_WATCH_BYTES);
    if (!mine->signals ||
        (r->launch.shared_bytes &&
         !(w.shared = shared_memory(r->dev, worker, shared_bytes(r, end - begin))))) {
        atomic_store(&r->error, TERN_OUT_OF_MEMORY);
        stop(r);
        return;
    }
    if (w.shared)
        w.shared += CPU_SHARED_ROOM;
    if (r->what->variant->how.asks_space)
        stack_bounds(w.stack);
    struct cpu_watch *watch =
        cpu_watch_begin(mine->signals, CPU_WATCH_BYTES, r->deadline, r->dev->host.cancel);
    r->watches[worker] = watch;
    watch->jump = &r->jumps[worker];
    w.at = &watch->at;
    if (!setjmp(r->jumps[worker]))
        r->what->variant->run(&r->launch, &w, begin, end);
    watch = r->watches[worker];
    if (watch->what) {
        report(r, watch);
        stop(r);
    }
    cpu_watch_end(watch);
}

enum tern_error cpu_run(struct dev *d, const struct cpu_launch *l)
{
    uint32_t slots = pool_slots(d->pool);
    struct running r = {.dev = d, .what = l};
    const uint32_t *grid = l->shape.grid, *block = l->variant->threads;
    r.launch = (struct tern_launch){
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .dynamic_shared = l->shape.shared,
        .shared_bytes = l->variant->static_shared + l->shape.shared,
        .workers = pool_size(d->pool),
        .cooperative = l->shape.cooperative,
        .params = l->params,
        .globals = l->kernel->module->globals,
        .cancel = &r.cancel,
        .host = &host,
        .user = &r,
    };
    pthread_mutex_lock(&d->lock);
    r.launch.id = ++d->launches;
    bool lost = d->faulted;
    pthread_mutex_unlock(&d->lock);
    if (lost)
        return d->fault.error;
    if (l->shape.timeout_ns)
        r.deadline = thread_nanoseconds() + l->shape.timeout_ns;
    r.jumps = malloc(slots * (sizeof *r.jumps + sizeof *r.watches));
    if (!r.jumps)
        return TERN_OUT_OF_MEMORY;
    r.watches = (struct cpu_watch **)(void *)(r.jumps + slots);
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    uint64_t chunk = blocks / (pool_size(d->pool) * 16u), resident = l->variant->how.resident;
    if (resident > 1) { /* blocks that wait for each other: many to a worker */
        uint64_t share = (blocks + pool_size(d->pool) - 1) / pool_size(d->pool);
        chunk = resident == UINT32_MAX ? blocks : share < resident ? share : resident;
    }
    if (l->variant->how.runs && blocks >= (uint64_t)4 * pool_size(d->pool) * grid[0])
        chunk = chunk > grid[0] ? chunk - chunk % grid[0] : grid[0]; /* whole rows of blocks */
    if (l->variant->how.sweeps) { /* as many rows as it takes at once */
        const uint64_t most = BACK_SWEEP_THREADS / (block[0] * block[1] * block[2]),
                       share = blocks / (pool_size(d->pool) * 2u);
        if (chunk < most)
            chunk = share < most ? share : most;
        chunk -= chunk > grid[0] ? chunk % grid[0] : 0;
    }
    r.last_child = &r.children;
    pool_for(d->pool, blocks, chunk ? chunk : 1, run_blocks, &r);
    free(r.jumps);
    enum tern_error e = (enum tern_error)atomic_load(&r.error);
    if (!e && r.deadline && stopped(&r) && thread_nanoseconds() > r.deadline)
        e = cpu_fault(d, TERN_TIMEOUT, NULL, l->kernel->display,
                      "kernel %s ran longer than allowed", l->kernel->display);
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
