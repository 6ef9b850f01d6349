/* The interpreter's machine: modules, launches, and the scheduler.
 *
 * Blocks run one after the other; a cooperative grid has all its blocks resident. Each warp in turn
 * runs for a slice of operations, its ready groups in turn. When the threads of a warp only spin
 * (nothing in memory changes, no one gets anywhere), groups parked at a join are let go, since one
 * of them may hold what the others wait for; when all resident blocks only spin, the next block is
 * started beside them, since they may wait for it. When nobody can run, it is a deadlock. */
#include <stdio.h>
#include <stdlib.h>
#include "interp/interp_int.h"

/* Counted in operations of a warp. */
#define SLICE       8192
#define QUIET_SLICE 512              /* once a slice has passed without progress */
#define QUIET       (16 * SLICE)     /* without progress, before parked groups are let go */
#define MEETING     (16 * QUIET)     /* the same where groups meet in the loop */
#define BUSY        (8192ll * SLICE) /* the same though memory changes */

#define QUIET_ROUNDS  8 /* of all resident blocks, before another block is started */
#define MAX_RESIDENT  1024
#define LAUNCH_MEMORY (UINT64_C(4) << 30)

/* ---- the machine ---- */
enum tern_error interp_create(const struct interp_host *host, struct interp **out)
{
    struct interp *m = calloc(1, sizeof *m);
    if (!m)
        return TERN_OUT_OF_MEMORY;
    if (host)
        m->host = *host;
    m->heap_limit = INTERP_HEAP_BYTES;
    if (interp_memory_init(m) != TERN_OK) {
        free(m);
        return TERN_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->run_lock, NULL);
    for (unsigned i = 0; i < sizeof m->text / sizeof *m->text; i++)
        sbuf_init(&m->text[i], NULL);
    *out = m;
    return TERN_OK;
}

static void report_leaks(struct interp *m)
{
    size_t blocks = 0;
    const struct alloc *first = NULL;
    for (size_t i = 0; i < m->nallocs; i++)
        if (m->allocs[i]->kind == INTERP_HEAP && m->allocs[i]->live) {
            blocks++;
            first = first ? first : m->allocs[i];
        }
    if (blocks)
        report_note(&m->host.reports,
                    "device heap: %zu block%s of %llu bytes in all never freed, the first a %s",
                    blocks, blocks == 1 ? "" : "s", (unsigned long long)m->heap_used,
                    first->name ? first->name : "heap block");
}

void interp_destroy(struct interp *m)
{
    if (!m)
        return;
    report_leaks(m);
    while (m->modules)
        interp_unload(m, m->modules);
    interp_memory_destroy(m);
    free(m->func_by_index);
    free(m->fault);
    free(m->run);
    for (unsigned i = 0; i < sizeof m->text / sizeof *m->text; i++)
        sbuf_free(&m->text[i]);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->run_lock);
    free(m);
}

enum tern_error interp_alloc(struct interp *m, uint64_t size, uint32_t align,
                             enum interp_memory kind, const char *name, uint64_t *out)
{
    const struct alloc *a = interp_new_alloc(m, size, align, kind, name);
    *out = a ? a->base : 0;
    return a ? TERN_OK : TERN_OUT_OF_MEMORY;
}

enum tern_error interp_free(struct interp *m, uint64_t address)
{
    return address ? interp_free_alloc(m, address, INTERP_GLOBAL) : TERN_OK;
}

void *interp_at(struct interp *m, uint64_t address, uint64_t n)
{
    const struct alloc *a = interp_find(m, address);
    if (!a || !a->live || address - a->base > a->size || n > a->size - (address - a->base))
        return NULL;
    return a->host + (address - a->base);
}

uint64_t interp_memory_used(struct interp *m)
{
    return __atomic_load_n(&m->used, __ATOMIC_RELAXED);
}

const struct report *interp_fault(const struct interp *m)
{
    return m->fault;
}

void interp_reset_fault(struct interp *m)
{
    free(m->fault);
    m->fault = NULL;
}

struct interp_stats interp_stats(const struct interp *m)
{
    return m->stats;
}

/* ---- modules ---- */
bool interp_number_funcs(struct interp_module *mod)
{
    struct interp *m = mod->machine;
    for (struct interp_func *f = mod->first; f; f = f->next) {
        if (m->nfuncs == m->cap_funcs) {
            const size_t cap = m->cap_funcs ? m->cap_funcs * 2 : 64;
            struct interp_func **grown = realloc(m->func_by_index, cap * sizeof *grown);
            if (!grown)
                longjmp(mod->unwind, 1);
            m->func_by_index = grown;
            m->cap_funcs = cap;
        }
        m->func_by_index[m->nfuncs] = f->declared_only ? NULL : f;
        f->address = (WINDOW_FUNC << WINDOW_SHIFT) + 16 * m->nfuncs++;
    }
    return true;
}

enum tern_error interp_load(struct interp *m, const struct ir_module *ir, struct diag *diag,
                            struct interp_module **out)
{
    struct interp_module *mod = calloc(1, sizeof *mod);
    *out = NULL;
    if (!mod)
        return TERN_OUT_OF_MEMORY;
    pthread_mutex_lock(&m->run_lock);
    mod->machine = m;
    mod->mem.unwind = &mod->unwind;
    arena_init(&mod->arena, &mod->mem);
    arena_init(&mod->scratch, &mod->mem);
    mod->next = m->modules;
    m->modules = mod;
    /* Decoding numbers and measures the module in the module's own arena: that must land here too.
     */
    jmp_buf *const theirs = ir->arena->mem->unwind;
    ir->arena->mem->unwind = &mod->unwind;
    enum tern_error e;
    if (setjmp(mod->unwind))
        e = TERN_OUT_OF_MEMORY;
    else
        e = interp_decode(mod, ir, diag) ? TERN_OK : TERN_COMPILE;
    ir->arena->mem->unwind = theirs;
    pthread_mutex_unlock(&m->run_lock);
    if (e == TERN_OK)
        *out = mod;
    else
        interp_unload(m, mod);
    return e;
}

void interp_unload(struct interp *m, struct interp_module *mod)
{
    pthread_mutex_lock(&m->run_lock);
    for (struct interp_module **p = &m->modules; *p; p = &(*p)->next)
        if (*p == mod) {
            *p = mod->next;
            break;
        }
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->func_by_index[i] && m->func_by_index[i]->module == mod)
            m->func_by_index[i] = NULL;
    for (uint32_t i = 0; i < mod->nglobals; i++)
        if (mod->globals[i].space != IR_SPACE_SHARED && mod->globals[i].address)
            interp_free_alloc(m, mod->globals[i].address, INTERP_GLOBAL);
    pthread_mutex_unlock(&m->run_lock);
    for (struct interp_func *f = mod->first; f; f = f->next)
        free(f->counts);
    mem_release(&mod->mem); /* scratch of a decoding that was cut short, too */
    free(mod);
}

static bool named(const char *name, const char *a, const char *b, const char *c)
{
    return (a && !strcmp(name, a)) || (b && !strcmp(name, b)) || (c && !strcmp(name, c));
}

const char *interp_func_name(const struct interp_func *f)
{
    return f->display ? f->display : f->name;
}

struct interp_func *interp_kernel(struct interp_module *mod, const char *name)
{
    for (struct interp_func *f = mod->first; f; f = f->next)
        if (f->flags & IR_FUNC_KERNEL && !f->declared_only &&
            named(name, f->name, f->mangled, f->display))
            return f;
    return NULL;
}

bool interp_global(struct interp_module *mod, const char *name, uint64_t *address, uint64_t *size)
{
    for (uint32_t i = 0; i < mod->nglobals; i++) {
        const struct interp_global *g = &mod->globals[i];
        if (g->space == IR_SPACE_SHARED || !named(name, g->name, g->mangled, g->display))
            continue;
        *address = g->address;
        *size = g->size;
        return true;
    }
    return false;
}

/* ---- blocks ---- */
static void set_params(struct run *r, const struct frame *f)
{
    const struct interp_func *k = f->func;
    for (uint32_t i = 0; i < k->nparams; i++) {
        const struct ir_param *p = &k->params[i];
        char *reg = f->regs + k->param_regs[i];
        if (p->byval_size) {
            for (uint32_t lane = 0; lane < LANES; lane++)
                set_lane(reg, 8, lane, r->param_alloc->base + p->offset);
            continue;
        }
        const uint32_t bytes = ir_bytes(p->type);
        for (uint32_t lane = 0; lane < LANES; lane++)
            memcpy(reg + (size_t)lane * bytes, (const char *)r->launch->params + p->offset, bytes);
    }
}

static void start_warp(struct run *r, struct block *b, uint32_t index)
{
    struct warp *w = &b->warps[index];
    char *local = w->local;
    memset(w, 0, sizeof *w);
    w->local = local;
    w->block = b;
    w->index = index;
    const uint32_t *dim = r->launch->block;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t t = index * LANES + lane;
        if (t >= r->block_threads)
            break;
        w->live |= UINT32_C(1) << lane;
        w->tid[0][lane] = t % dim[0];
        w->tid[1][lane] = t / dim[0] % dim[1];
        w->tid[2][lane] = t / dim[0] / dim[1];
    }
    r->block = b;
    r->warp = w;
    r->frame = NULL;
    struct frame *f = interp_push_frame(r, r->kernel, NULL, w->live);
    f->caller_region = NULL;
    set_params(r, f);
    const struct group all = {
        .state = GROUP_READY, .mask = w->live, .pc = r->kernel->ops, .frame = f};
    w->groups[0] = all;
    for (uint32_t lane = 0; r->kernel->in_order && lane < LANES; lane++) {
        w->groups[lane] = all;
        w->groups[lane].mask &= UINT32_C(1) << lane;
        if (!w->groups[lane].mask)
            w->groups[lane].state = GROUP_NONE;
    }
}

static struct block *new_block(struct run *r)
{
    struct block *b = arena_new(&r->arena, struct block);
    b->nwarps = r->block_warps;
    b->warps = arena_array(&r->arena, struct warp, b->nwarps);
    b->shared = arena_alloc(&r->arena, r->shared_bytes + 64);
    for (unsigned i = 0; i < NBARRIERS; i++)
        b->barriers[i].lanes = arena_array(&r->arena, uint32_t, b->nwarps);
    return b;
}

static void start_block(struct run *r)
{
    struct block *b = r->spare_blocks;
    if (b)
        r->spare_blocks = b->next;
    else
        b = new_block(r);
    const uint32_t *grid = r->launch->grid;
    b->next = NULL;
    b->number = r->next_block++;
    b->id[0] = (uint32_t)(b->number % grid[0]);
    b->id[1] = (uint32_t)(b->number / grid[0] % grid[1]);
    b->id[2] = (uint32_t)(b->number / grid[0] / grid[1]);
    b->nlive = r->block_threads;
    memset(b->shared, 0, r->shared_bytes);
    for (unsigned i = 0; i < NBARRIERS; i++) {
        uint32_t *lanes = b->barriers[i].lanes;
        memset(lanes, 0, b->nwarps * sizeof *lanes);
        b->barriers[i] = (struct barrier){.lanes = lanes};
    }
    for (uint32_t i = 0; i < b->nwarps; i++)
        start_warp(r, b, i);
    *r->last_block = b;
    r->last_block = &b->next;
    r->nresident++;
}

void interp_pending(struct interp *m, uint32_t most)
{
    m->pending = most;
}

void interp_in_order(struct interp *m, bool on)
{
    m->in_order = on;
}

/* ---- running ---- */
static void execute(struct run *r, const struct op *o)
{
    const bool counting = r->machine->counting;
    while (o) {
        if (counting)
            interp_count(r, o);
        if (!o->kernel) {
            o = o->handler(r, o);
            continue;
        }
        char *g = r->regs;
        if (r->full) {
            o->kernel(g + o->dst, g + o->a, g + o->b, g + o->c, o);
        } else {
            o->kernel(r->scratch, g + o->a, g + o->b, g + o->c, o);
            interp_blend(g + o->dst, r->scratch, r->mask, o->size);
        }
        o++;
    }
}

static void check_time(struct run *r)
{
    const volatile int *cancel = r->machine->host.cancel;
    if (cancel && *cancel)
        interp_fail(r, TERN_CANCELLED, NULL, LANES, 0, "the kernel was stopped on request");
    if (r->deadline && thread_nanoseconds() > r->deadline) {
        const struct op *o = NULL;
        uint32_t lane = LANES;
        for (struct group *g = r->warp->groups; g < r->warp->groups + LANES; g++)
            if (g->state == GROUP_READY) {
                r->frame = g->frame;
                o = g->pc;
                lane = (uint32_t)__builtin_ctz(g->mask);
                break;
            }
        interp_fail(r, TERN_TIMEOUT, o, lane, 0, "the kernel ran longer than %.3g s",
                    (double)r->launch->timeout_ns * 1e-9);
    }
}

static struct group *next_ready(struct warp *w)
{
    for (unsigned i = 0; i < LANES; i++) {
        struct group *g = &w->groups[(w->turn + i) % LANES];
        if (g->state == GROUP_READY) {
            w->turn = (unsigned)(g - w->groups);
            return g;
        }
    }
    return NULL;
}

static bool may_spin(const struct warp *w) /* a region here had to be broken up before */
{
    for (const struct group *g = w->groups; g < w->groups + LANES; g++)
        if (g->state == GROUP_JOIN && g->joining->split->x->spins)
            return true;
    return false;
}

/* No group is ready, some wait at a join and the rest for them in a warp operation: nobody outside
 * the warp can help. */
static bool stuck_with_itself(const struct warp *w)
{
    bool joins = false, others = false, outside = false;
    for (const struct group *g = w->groups; g < w->groups + LANES; g++) {
        joins |= g->state == GROUP_JOIN;
        others |= g->state == GROUP_WARP;
        outside |= g->state == GROUP_BARRIER || g->state == GROUP_GRID;
    }
    return joins && others && !outside;
}

/* One slice of a warp; false: no group is ready. */
static bool run_warp(struct run *r, struct warp *w)
{
    struct group *g = next_ready(w);
    if (!g && stuck_with_itself(w) && interp_release_joins(r, w))
        g = next_ready(w);
    if (!g)
        return false;
    const uint64_t events = r->events, leaps = r->leaps;
    r->warp = w;
    r->block = w->block;
    const int64_t slice = w->quiet ? QUIET_SLICE : SLICE;
    r->budget = slice;
    r->changed = false;
    while (g && r->budget > 0) {
        interp_set_group(r, g);
        execute(r, g->pc);
        r->group = NULL;
        g = next_ready(w);
    }
    w->turn = (w->turn + 1) % LANES; /* who used up the slice goes last */
    r->round_changed |= r->changed;
    check_time(r);
    if (leaps != r->leaps) {
        w->quiet = w->busy = 0;
        return true;
    }
    w->busy += slice - r->budget;
    w->quiet = r->changed ? 0 : w->quiet + (slice - r->budget);
    w->met = w->quiet && (w->met || events != r->events);
    if ((w->quiet > (w->met ? MEETING : QUIET) || w->busy > BUSY ||
         (w->quiet > (w->met ? SLICE : 0) && may_spin(w))) &&
        interp_release_joins(r, w))
        w->quiet = w->busy = 0;
    return true;
}

/* A warp whose threads are groups of their own, one after the other: each until it waits or is
 * done, or until somebody was let go who comes before it. One that only spins lets others on.
 * False: none is ready. */
static bool run_warp_in_order(struct run *r, struct warp *w)
{
    const uint64_t events = r->events;
    bool any = false;
    r->warp = w;
    r->block = w->block;
    for (struct group *g = w->groups; g < w->groups + LANES; g++) {
        r->changed = true;
        while (g->state == GROUP_READY && r->changed) {
            any = true;
            r->budget = SLICE;
            r->changed = false;
            interp_set_group(r, g);
            execute(r, g->pc);
            r->group = NULL;
            r->round_changed |= r->changed;
            check_time(r);
            if (events != r->events)
                return true;
        }
    }
    return any;
}

/* One round over the warps of a block; false: no one could run. */
static bool run_block(struct run *r, struct block *b)
{
    bool any = false;
    const uint64_t events = r->events;
    const bool in_order = r->kernel->in_order;
    for (uint32_t i = 0; i < b->nwarps && !(in_order && events != r->events); i++)
        any |= in_order ? run_warp_in_order(r, &b->warps[i]) : run_warp(r, &b->warps[i]);
    if (any || !b->nlive)
        return true;
    for (uint32_t i = 0; i < b->nwarps; i++)
        any |= interp_release_joins(r, &b->warps[i]);
    if (any)
        return true;
    for (uint32_t i = 0; i < b->nwarps; i++)
        for (uint32_t k = 0; k < LANES; k++)
            if (b->warps[i].groups[k].state == GROUP_GRID)
                return false;
    interp_fail_deadlock(r, b);
}

static void retire_blocks(struct run *r)
{
    struct block **p = &r->blocks;
    while (*p) {
        struct block *b = *p;
        if (b->nlive) {
            p = &b->next;
            continue;
        }
        *p = b->next;
        b->next = r->spare_blocks;
        r->spare_blocks = b;
        r->nresident--;
    }
    r->last_block = p;
}

static void run_grid(struct run *r)
{
    uint64_t quiet_rounds = 0;
    while (r->next_block < r->nblocks && (!r->nresident || r->launch->cooperative))
        start_block(r);
    while (r->blocks) {
        const uint64_t leaps = r->leaps;
        bool any = false;
        r->round_changed = false;
        for (struct block *b = r->blocks; b; b = b->next)
            any |= run_block(r, b);
        retire_blocks(r);
        if (!any && !interp_release_grid(r))
            interp_fail_deadlock(r, r->blocks);
        quiet_rounds = r->round_changed || leaps != r->leaps ? 0 : quiet_rounds + 1;
        if (r->next_block < r->nblocks &&
            (!r->nresident || (quiet_rounds > QUIET_ROUNDS && r->nresident < MAX_RESIDENT))) {
            start_block(r);
            quiet_rounds = 0;
        }
    }
}

/* ---- launches ---- */
static enum tern_error bad_launch(struct interp *m, const struct interp_func *k, const char *fmt,
                                  ...) __attribute__((format(printf, 3, 4)));
static enum tern_error bad_launch(struct interp *m, const struct interp_func *k, const char *fmt,
                                  ...)
{
    struct sbuf text;
    va_list ap;
    sbuf_init(&text, NULL);
    va_start(ap, fmt);
    sbuf_vprintf(&text, fmt, ap);
    va_end(ap);
    interp_report(m, &(struct report){.kind = REPORT_REFUSED,
                                      .error = TERN_INVALID_LAUNCH,
                                      .kernel = k->display,
                                      .message = text.failed ? NULL : text.data});
    sbuf_free(&text);
    return TERN_INVALID_LAUNCH;
}

static enum tern_error check_launch(struct interp *m, const struct interp_func *k,
                                    const struct interp_launch *l)
{
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    const uint64_t shared = (uint64_t)k->static_shared + l->shared;
    if (!l->grid[0] || !l->grid[1] || !l->grid[2] || !threads)
        return bad_launch(m, k, "an empty grid or block");
    if (l->grid[0] > INT32_MAX || l->grid[1] > 65535 || l->grid[2] > 65535)
        return bad_launch(m, k, "the grid %u x %u x %u is too large", l->grid[0], l->grid[1],
                          l->grid[2]);
    if (l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64 ||
        threads > INTERP_MAX_THREADS)
        return bad_launch(m, k, "a block of %u x %u x %u threads; %u is the most", l->block[0],
                          l->block[1], l->block[2], INTERP_MAX_THREADS);
    if (k->max_threads && threads > k->max_threads)
        return bad_launch(m, k, "a block of %llu threads; its launch bounds say %u",
                          (unsigned long long)threads, k->max_threads);
    for (unsigned i = 0; i < 3; i++)
        if (k->required_block[i] && k->required_block[i] != l->block[i])
            return bad_launch(m, k, "it needs a block of %u x %u x %u", k->required_block[0],
                              k->required_block[1], k->required_block[2]);
    if (shared > INTERP_MAX_SHARED)
        return bad_launch(m, k, "%llu bytes of shared memory; %u is the most",
                          (unsigned long long)shared, INTERP_MAX_SHARED);
    if (l->param_bytes < k->param_bytes)
        return bad_launch(m, k, "%u bytes of parameters were given, it takes %u", l->param_bytes,
                          k->param_bytes);
    const uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (l->cooperative && blocks > MAX_RESIDENT)
        return bad_launch(m, k, "a cooperative grid of %llu blocks; %u is the most",
                          (unsigned long long)blocks, MAX_RESIDENT);
    return TERN_OK;
}

/* Local memory of warps goes back to the machine for the next launch. */
static void keep_locals(struct run *r, struct block *b)
{
    for (; b; b = b->next)
        for (uint32_t i = 0; i < b->nwarps; i++) {
            struct warp *w = &b->warps[i];
            if (!w->local)
                continue;
            struct local_pool *p = malloc(sizeof *p);
            if (!p) {
                interp_unmap_local(w->local);
            } else {
                p->memory = w->local;
                p->next = r->machine->locals;
                r->machine->locals = p;
            }
            w->local = NULL;
        }
}

static void forget_frames(struct interp *m)
{
    for (struct interp_module *mod = m->modules; mod; mod = mod->next)
        for (struct interp_func *f = mod->first; f; f = f->next)
            f->spare = NULL;
}

/* One grid. r is zeroed but for machine, arena, and the list of children. */
static void launch_grid(struct run *r, struct interp_func *k, const struct interp_launch *l,
                        unsigned depth)
{
    r->kernel = k;
    r->launch = l;
    r->depth = depth;
    r->block_threads = l->block[0] * l->block[1] * l->block[2];
    r->block_warps = (r->block_threads + LANES - 1) / LANES;
    r->shared_bytes = k->module->static_shared + l->shared;
    r->nblocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->next_block = r->nresident = 0;
    r->blocks = r->spare_blocks = NULL;
    r->last_block = &r->blocks;
    r->frame = NULL;
    r->group = NULL;
    r->block = NULL;
    r->warp = NULL;
    r->machine->launches++;
    r->param_alloc = interp_new_alloc(r->machine, k->param_bytes ? k->param_bytes : 1, 16,
                                      INTERP_PARAM, "the kernel's parameters");
    if (!r->param_alloc)
        interp_fail(r, TERN_OUT_OF_MEMORY, NULL, LANES, 0, "no memory for kernel parameters");
    if (k->param_bytes)
        memcpy(r->param_alloc->host, l->params, k->param_bytes);
    run_grid(r);
}

static void end_grid(struct run *r)
{
    keep_locals(r, r->blocks);
    keep_locals(r, r->spare_blocks);
    r->blocks = r->spare_blocks = NULL;
    if (r->param_alloc)
        interp_free_alloc(r->machine, r->param_alloc->base, INTERP_PARAM);
    r->param_alloc = NULL;
}

/* What the grid that just ended has launched, in order, each with everything it launches in turn;
 * those of the tail stream last. Not deeper than IR_LAUNCH_DEPTH. */
static enum tern_error run_children(struct run *r, uint64_t timeout_ns)
{
    struct child_launch *all = r->children;
    r->children = NULL;
    r->last_child = &r->children;
    for (int tail = 0; tail < 2; tail++)
        for (struct child_launch *c = all; c; c = c->next) {
            if (c->tail != (tail == 1))
                continue;
            r->npending--;
            c->launch.timeout_ns = timeout_ns;
            enum tern_error e = check_launch(r->machine, c->kernel, &c->launch);
            if (e != TERN_OK)
                return e;
            forget_frames(r->machine);
            launch_grid(r, c->kernel, &c->launch, c->depth);
            end_grid(r);
            e = run_children(r, timeout_ns);
            if (e != TERN_OK)
                return e;
        }
    return TERN_OK;
}

static enum tern_error run_launch(struct run *r, struct interp_func *k,
                                  const struct interp_launch *l)
{
    struct interp *m = r->machine;
    if (setjmp(r->fault))
        return m->error;
    if (setjmp(r->unwind))
        interp_fail(r, TERN_OUT_OF_MEMORY, NULL, LANES, 0,
                    "the launch needs more than %llu MiB of memory for its threads",
                    (unsigned long long)(LAUNCH_MEMORY >> 20));
    launch_grid(r, k, l, 0);
    end_grid(r);
    return run_children(r, l->timeout_ns);
}

enum tern_error interp_launch(struct interp *m, struct interp_func *k,
                              const struct interp_launch *l)
{
    pthread_mutex_lock(&m->run_lock);
    enum tern_error e = check_launch(m, k, l);
    if (e == TERN_OK && !m->run && !(m->run = aligned_alloc(64, (sizeof *m->run + 63) / 64 * 64)))
        e = TERN_OUT_OF_MEMORY;
    if (e == TERN_OK) {
        struct run *r = m->run;
        memset(r, 0, sizeof *r);
        r->machine = m;
        r->mem.unwind = &r->unwind;
        r->mem.limit = LAUNCH_MEMORY;
        arena_init(&r->arena, &r->mem);
        r->last_child = &r->children;
        if (l->timeout_ns)
            r->deadline = thread_nanoseconds() + l->timeout_ns;
        forget_frames(m);
        e = run_launch(r, k, l);
        end_grid(r);
        forget_frames(m);
        m->stats.lane_ops += r->lane_ops;
        arena_free(&r->arena);
    }
    pthread_mutex_unlock(&m->run_lock);
    return e;
}
