/* The interpreter's memory: the allocation table, and every operation that reads or writes.
 *
 * Global memory is handed out from one reserved window of addresses, upward and with gaps, so that
 * an address names at most one allocation in the life of the window, live or freed. When the window
 * is used up, freed addresses are given out again. Each memory operation remembers the allocation
 * it touched last: a hit costs two comparisons, a miss a binary search. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "interp/interp_int.h"
#include "ir/check.h"

#define ALLOC_GAP 256u                 /* at least this much between allocations */
#define MAX_FREED 65536u               /* freed allocations remembered by name */
#define MAX_STALE (UINT64_C(16) << 20) /* bytes that small freed allocations may hold */

/* ---- the allocation table ---- */
enum tern_error interp_memory_init(struct interp *m)
{
    /* Only addresses are reserved; pages are taken as they are touched. The wished-for place makes
     * addresses, too, the same in every run, where it is free. */
    void *wish = (void *)(uintptr_t)(UINT64_C(1) << 44);
    for (uint64_t size = UINT64_C(1) << 36; size >= UINT64_C(1) << 28; size >>= 1) {
        void *p = mmap(wish, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            m->window = p;
            m->window_size = size;
            m->cursor = ALLOC_GAP;
            return TERN_OK;
        }
    }
    return TERN_OUT_OF_MEMORY;
}

/* What an operation found last it remembers, and looks at without the lock (resolve). Another
 * thread may free that meanwhile, or have it used anew: it then looks again. */
static void set_bounds(struct alloc *a, uint64_t base, uint64_t size)
{
    __atomic_store_n(&a->size, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&a->base, base, __ATOMIC_RELAXED);
    __atomic_store_n(&a->size, size, __ATOMIC_RELAXED);
}

static void drop_alloc(struct interp *m, struct alloc *a)
{
    free(a->name);
    a->name = NULL;
    set_bounds(a, a->base, 0);
    a->next_spare = m->spare_allocs[a->writable];
    m->spare_allocs[a->writable] = a;
}

void interp_unmap_local(char *memory)
{
    munmap(memory, (size_t)INTERP_STACK_BYTES * LANES);
}

void interp_memory_destroy(struct interp *m)
{
    for (size_t i = 0; i < m->nallocs; i++) {
        free(m->allocs[i]->name);
        free(m->allocs[i]);
    }
    for (int k = 0; k < 2; k++)
        for (struct alloc *a = m->spare_allocs[k], *next; a; a = next) {
            next = a->next_spare;
            free(a);
        }
    free(m->allocs);
    if (m->window)
        munmap(m->window, m->window_size);
    while (m->locals) {
        struct local_pool *next = m->locals->next;
        interp_unmap_local(m->locals->memory);
        free(m->locals);
        m->locals = next;
    }
}

/* Index of the first allocation above address. */
static size_t upper_bound(const struct interp *m, uint64_t address)
{
    size_t low = 0, high = m->nallocs;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (m->allocs[mid]->base <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct alloc *interp_find(struct interp *m, uint64_t address)
{
    pthread_mutex_lock(&m->lock);
    const size_t at = upper_bound(m, address);
    struct alloc *a = at ? m->allocs[at - 1] : NULL;
    pthread_mutex_unlock(&m->lock);
    return a;
}

static void forget_freed(struct interp *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->nallocs; i++) {
        if (m->allocs[i]->live)
            m->allocs[kept++] = m->allocs[i];
        else
            drop_alloc(m, m->allocs[i]);
    }
    m->nallocs = kept;
    m->nfreed = 0;
}

static uint64_t align_up(uint64_t x, uint64_t align)
{
    return (x + align - 1) / align * align;
}

/* Pages without a live allocation in them go back to the system. Addresses are not given out again
 * before the window is used up: without this every launch, by its parameters, would take memory for
 * good. */
static void give_back(struct interp *m)
{
    const uint64_t unit = (uint64_t)sysconf(_SC_PAGESIZE), window = (uint64_t)(uintptr_t)m->window;
    uint64_t from = 0;
    for (size_t i = 0; i <= m->nallocs; i++) {
        const bool last = i == m->nallocs;
        if (!last && (!m->allocs[i]->live || m->allocs[i]->lent))
            continue;
        const uint64_t first = align_up(from, unit),
                       end = (last ? m->cursor : m->allocs[i]->base - window) / unit * unit;
        if (first < end)
            madvise(m->window + first, end - first, MADV_DONTNEED);
        if (!last)
            from = m->allocs[i]->base - window + m->allocs[i]->was_size;
    }
    m->stale = 0;
}

/* An offset in the window for size bytes: after everything so far, or, once the window is used up,
 * in the first gap. */
static bool find_room(struct interp *m, uint64_t size, uint64_t align, uint64_t *at, bool *again)
{
    *again = false;
    const uint64_t start = align_up(m->cursor, align);
    if (size < m->window_size && start <= m->window_size - size - ALLOC_GAP) {
        *at = start;
        m->cursor = start + size + ALLOC_GAP;
        return true;
    }
    *again = true;
    forget_freed(m);
    const uint64_t window = (uint64_t)(uintptr_t)m->window;
    uint64_t from = ALLOC_GAP;
    for (size_t i = 0; i <= m->nallocs; i++) {
        if (i < m->nallocs && m->allocs[i]->lent)
            continue;
        const uint64_t to = i < m->nallocs ? m->allocs[i]->base - window : m->window_size;
        const uint64_t place = align_up(from, align);
        if (place + size + ALLOC_GAP <= to) {
            *at = place;
            return true;
        }
        if (i < m->nallocs)
            from = to + m->allocs[i]->was_size + ALLOC_GAP;
    }
    return false;
}

/* One more, of nothing yet; under the lock. NULL: out of memory. */
static struct alloc *take_alloc(struct interp *m, bool writable)
{
    struct alloc *a;
    if (m->nallocs == m->cap_allocs) {
        const size_t cap = m->cap_allocs ? m->cap_allocs * 2 : 64;
        struct alloc **grown = realloc(m->allocs, cap * sizeof *grown);
        if (!grown)
            return NULL;
        m->allocs = grown;
        m->cap_allocs = cap;
    }
    if ((a = m->spare_allocs[writable]))
        m->spare_allocs[writable] = a->next_spare;
    else if (!(a = malloc(sizeof *a)))
        return NULL;
    set_bounds(a, 0, 0);
    a->name = NULL;
    a->next_spare = NULL;
    a->live = a->lent = false;
    a->writable = writable;
    return a;
}

static void insert_alloc(struct interp *m, struct alloc *a)
{
    const size_t at = upper_bound(m, a->base);
    memmove(m->allocs + at + 1, m->allocs + at, (m->nallocs - at) * sizeof *m->allocs);
    m->allocs[at] = a;
    m->nallocs++;
}

struct alloc *interp_new_alloc(struct interp *m, uint64_t size, uint32_t align,
                               enum interp_memory kind, const char *name)
{
    const uint64_t want = align > 256 ? align : 256;
    pthread_mutex_lock(&m->lock);
    struct alloc *a = take_alloc(m, kind != INTERP_CONST && kind != INTERP_PARAM);
    if (!a)
        goto out;
    uint64_t offset;
    bool again;
    if ((name && !(a->name = strdup(name))) || !find_room(m, size, want, &offset, &again)) {
        drop_alloc(m, a);
        a = NULL;
        goto out;
    }
    a->host = m->window + offset;
    a->was_size = size;
    set_bounds(a, (uint64_t)(uintptr_t)a->host, size);
    a->kind = kind;
    a->live = true;
    if (again)
        memset(a->host, 0, size);
    insert_alloc(m, a);
    __atomic_add_fetch(&m->used, size, __ATOMIC_RELAXED);
    if (kind == INTERP_HEAP)
        m->heap_used += size;
out:
    pthread_mutex_unlock(&m->lock);
    return a;
}

enum tern_error interp_lend(struct interp *m, void *at, uint64_t size, bool writable)
{
    pthread_mutex_lock(&m->lock);
    struct alloc *a = take_alloc(m, writable);
    if (a) {
        a->host = at;
        a->was_size = size;
        set_bounds(a, (uint64_t)(uintptr_t)at, size);
        a->kind = INTERP_GLOBAL;
        a->live = a->lent = true;
        insert_alloc(m, a);
    }
    pthread_mutex_unlock(&m->lock);
    return a ? TERN_OK : TERN_OUT_OF_MEMORY;
}

/* Nothing of it stays: other memory may be lent at addresses inside of it. */
void interp_take_back(struct interp *m, uint64_t address)
{
    pthread_mutex_lock(&m->lock);
    const size_t at = upper_bound(m, address);
    struct alloc *a = at ? m->allocs[at - 1] : NULL;
    if (a && a->base == address && a->lent) {
        memmove(m->allocs + at - 1, m->allocs + at, (m->nallocs - at) * sizeof *m->allocs);
        m->nallocs--;
        drop_alloc(m, a);
    }
    pthread_mutex_unlock(&m->lock);
}

enum tern_error interp_free_alloc(struct interp *m, uint64_t address, enum interp_memory kind)
{
    enum tern_error e = TERN_INVALID_ARGUMENT;
    pthread_mutex_lock(&m->lock);
    const size_t at = upper_bound(m, address);
    struct alloc *a = at ? m->allocs[at - 1] : NULL;
    if (a && a->base == address && a->live && !a->lent &&
        (a->kind == INTERP_HEAP) == (kind == INTERP_HEAP)) {
        a->live = false;
        set_bounds(a, a->base, 0);
        __atomic_sub_fetch(&m->used, a->was_size, __ATOMIC_RELAXED);
        if (kind == INTERP_HEAP)
            m->heap_used -= a->was_size;
        /* Whole pages go back to the system (64 KiB is a multiple of every page size). */
        const uint64_t unit = 65536, first = align_up(address, unit),
                       last = (address + a->was_size) / unit * unit;
        if (first < last)
            madvise(a->host + (first - address), last - first, MADV_DONTNEED);
        if (++m->nfreed > MAX_FREED)
            forget_freed(m);
        m->stale += ALLOC_GAP + (first < last ? unit : a->was_size);
        if (m->stale > MAX_STALE)
            give_back(m);
        e = TERN_OK;
    }
    pthread_mutex_unlock(&m->lock);
    return e;
}

static char *local_memory(struct run *r, struct warp *w)
{
    if (!w->local) {
        struct local_pool *pool = r->machine->locals;
        if (pool) {
            r->machine->locals = pool->next;
            w->local = pool->memory;
            free(pool);
        } else {
            void *p = mmap(NULL, (size_t)INTERP_STACK_BYTES * LANES, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (p == MAP_FAILED)
                interp_fail(r, TERN_OUT_OF_MEMORY, NULL, LANES, 0, "no memory for thread stacks");
            w->local = p;
        }
    }
    return w->local;
}

/* ---- addresses ---- */
/* The local variable of the frame or of one that called it which holds the bytes; false: none. */
static bool in_local(const struct frame *f, uint64_t offset, uint64_t n)
{
    while (f && offset < f->local_base)
        f = f->parent;
    if (!f)
        return false;
    const uint64_t at = offset - f->local_base;
    for (uint32_t i = 0; i < f->func->nlocals; i++) {
        const struct local_var *v = &f->func->locals[i];
        if (at >= v->offset && at - v->offset <= v->size && n <= v->size - (at - v->offset))
            return true;
    }
    return false;
}

static bool in_shared(const struct run *r, uint64_t offset, uint64_t n)
{
    const struct interp_module *mod = r->kernel->module;
    for (uint32_t i = 0; i < mod->nshared; i++) {
        const struct shared_var *v = &mod->shared[i];
        const uint64_t size = v->dynamic ? r->launch->shared : v->size;
        if (offset >= v->offset && offset - v->offset < size && n <= size - (offset - v->offset))
            return true;
    }
    return false;
}

static char *resolve_global(struct run *r, const struct op *o, enum ir_space space,
                            uint64_t address, uint64_t n, bool write, uint32_t lane)
{
    struct alloc *a = interp_find(r->machine, address);
    if (!a || !a->live || address - a->base >= a->size || n > a->size - (address - a->base) ||
        (write && !a->writable))
        interp_fail_access(r, o, space, address, n, write, lane);
    ((struct op *)o)->u.cache = a; /* ops belong to the machine, which runs one launch at a time */
    return a->host + (address - a->base);
}

static inline char *resolve(struct run *r, const struct op *o, enum ir_space space,
                            uint64_t address, uint64_t n, bool write, uint32_t lane)
{
    if (space == IR_SPACE_GENERIC) {
        const uint64_t window = address >> WINDOW_SHIFT;
        if (window == WINDOW_SHARED) {
            space = IR_SPACE_SHARED;
            address -= WINDOW_SHARED << WINDOW_SHIFT;
        } else if (window == WINDOW_LOCAL) {
            space = IR_SPACE_LOCAL;
            address -= WINDOW_LOCAL << WINDOW_SHIFT;
        }
    }
    if (space == IR_SPACE_SHARED) {
        if (!in_shared(r, address - SPACE_BASE, n))
            interp_fail_access(r, o, space, address, n, write, lane);
        return r->block->shared + (address - SPACE_BASE);
    }
    if (space == IR_SPACE_LOCAL) {
        if (!in_local(r->frame, address - SPACE_BASE, n))
            interp_fail_access(r, o, space, address, n, write, lane);
        return local_memory(r, r->warp) + (size_t)lane * INTERP_STACK_BYTES +
               (address - SPACE_BASE);
    }
    const struct alloc *a = o->u.cache;
    const uint64_t offset = address - __atomic_load_n(&a->base, __ATOMIC_RELAXED),
                   size = __atomic_load_n(&a->size, __ATOMIC_RELAXED);
    if (offset < size && n <= size - offset)
        return (char *)(uintptr_t)address; /* a device address is where it lies */
    return resolve_global(r, o, space, address, n, write, lane);
}

char *interp_resolve(struct run *r, const struct op *o, enum ir_space space, uint64_t address,
                     uint64_t n, bool write, uint32_t lane)
{
    return resolve(r, o, space, address, n, write, lane);
}

static void check_align(struct run *r, const struct op *o, uint64_t address, uint32_t align,
                        uint32_t lane)
{
    if (address & (align - 1))
        interp_fail(r, TERN_MISALIGNED, o, lane, address,
                    "address 0x%llx is not aligned to %u bytes", (unsigned long long)address,
                    align);
}

/* ---- loads and stores of scalars: one handler for each size and space ---- */
#define LOAD(T, space)                                                                             \
    static const struct op *load_##T##_##space(struct run *r, const struct op *o)                  \
    {                                                                                              \
        const uint64_t *p = REG(r, uint64_t, o->a);                                                \
        T *d = REG(r, T, o->dst);                                                                  \
        const uint32_t mask = r->mask, align = o->x->align - 1;                                    \
        EACH_LANE (i, mask) {                                                                      \
            if (p[i] & align)                                                                      \
                check_align(r, o, p[i], o->x->align, i);                                           \
            memcpy(&d[i], resolve(r, o, IR_SPACE_##space, p[i], sizeof(T), false, i), sizeof(T));  \
        }                                                                                          \
        return o + 1;                                                                              \
    }
#define STORE(T, space)                                                                            \
    static const struct op *store_##T##_##space(struct run *r, const struct op *o)                 \
    {                                                                                              \
        const uint64_t *p = REG(r, uint64_t, o->a);                                                \
        const T *v = REG(r, T, o->b);                                                              \
        const uint32_t mask = r->mask, align = o->x->align - 1;                                    \
        EACH_LANE (i, mask) {                                                                      \
            if (p[i] & align)                                                                      \
                check_align(r, o, p[i], o->x->align, i);                                           \
            memcpy(resolve(r, o, IR_SPACE_##space, p[i], sizeof(T), true, i), &v[i], sizeof(T));   \
        }                                                                                          \
        r->changed |= IR_SPACE_##space != IR_SPACE_LOCAL;                                          \
        return o + 1;                                                                              \
    }
#define BOTH(T, space)                                                                             \
    LOAD(T, space)                                                                                 \
    STORE(T, space)
#define ALL_SIZES(space)                                                                           \
    BOTH(uint8_t, space) BOTH(uint16_t, space) BOTH(uint32_t, space) BOTH(uint64_t, space)
ALL_SIZES(GENERIC)
ALL_SIZES(GLOBAL)
ALL_SIZES(SHARED)
ALL_SIZES(LOCAL)

#define SIZES(what, space)                                                                         \
    {                                                                                              \
        what##_uint8_t_##space, what##_uint16_t_##space, what##_uint32_t_##space,                  \
            what##_uint64_t_##space                                                                \
    }
#define SPACES(what)                                                                               \
    {                                                                                              \
        [IR_SPACE_GENERIC] = SIZES(what, GENERIC), [IR_SPACE_GLOBAL] = SIZES(what, GLOBAL),        \
        [IR_SPACE_CONST] = SIZES(what, GLOBAL), [IR_SPACE_PARAM] = SIZES(what, GLOBAL),            \
        [IR_SPACE_SHARED] = SIZES(what, SHARED), [IR_SPACE_LOCAL] = SIZES(what, LOCAL),            \
    }
static handler_fn *const loads[IR_SPACE_COUNT][4] = SPACES(load);
static handler_fn *const stores[IR_SPACE_COUNT][4] = SPACES(store);

static enum ir_space pointer_space(const struct op *o, unsigned arg)
{
    return ir_space(o->x->arg_types[arg]);
}

/* i1 in memory is one byte; only its lowest bit is looked at. Vectors lie element after element. */
static const struct op *load_any(struct run *r, const struct op *o)
{
    const uint64_t *p = REG(r, uint64_t, o->a);
    const uint32_t bytes = o->size * o->elements, mask = r->mask;
    EACH_LANE (i, mask) {
        check_align(r, o, p[i], o->x->align, i);
        char *d = r->regs + o->dst + (size_t)i * bytes;
        memcpy(d, resolve(r, o, pointer_space(o, 0), p[i], bytes, false, i), bytes);
        if (ir_kind(o->type) == IR_I1)
            for (uint32_t k = 0; k < bytes; k++)
                d[k] &= 1;
    }
    return o + 1;
}

static const struct op *store_any(struct run *r, const struct op *o)
{
    const uint64_t *p = REG(r, uint64_t, o->a);
    const uint32_t bytes = o->size * o->elements, mask = r->mask;
    EACH_LANE (i, mask) {
        check_align(r, o, p[i], o->x->align, i);
        memcpy(resolve(r, o, pointer_space(o, 0), p[i], bytes, true, i),
               r->regs + o->b + (size_t)i * bytes, bytes);
    }
    r->changed = true;
    return o + 1;
}

/* ---- blocks of memory ---- */
/* An op that both reads and writes has one cache: what may be read must not pass for writable. */
static void forget_cache(struct run *r, const struct op *o)
{
    ((struct op *)o)->u.cache = &r->machine->nothing;
}

static const struct op *copy_memory(struct run *r, const struct op *o)
{
    const uint64_t *to = REG(r, uint64_t, o->a), *from = REG(r, uint64_t, o->b);
    const uint64_t *n = REG(r, uint64_t, o->c);
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        if (!n[i])
            continue;
        check_align(r, o, to[i], o->x->align, i);
        check_align(r, o, from[i], o->x->align, i);
        const char *source = resolve(r, o, pointer_space(o, 1), from[i], n[i], false, i);
        forget_cache(r, o);
        char *target = resolve(r, o, pointer_space(o, 0), to[i], n[i], true, i);
        forget_cache(r, o);
        memmove(target, source, n[i]);
    }
    r->changed = true;
    return o + 1;
}

static const struct op *fill_memory(struct run *r, const struct op *o)
{
    const uint64_t *to = REG(r, uint64_t, o->a), *n = REG(r, uint64_t, o->c);
    const uint8_t *value = REG(r, uint8_t, o->b);
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask)
        if (n[i])
            memset(resolve(r, o, pointer_space(o, 0), to[i], n[i], true, i), value[i], n[i]);
    r->changed = true;
    return o + 1;
}

/* Asynchronous copies complete at once, which every program must allow for. */
static const struct op *copy_async(struct run *r, const struct op *o)
{
    const uint64_t *to = REG(r, uint64_t, o->a), *from = REG(r, uint64_t, o->b);
    const uint32_t *reads = REG(r, uint32_t, o->c), mask = r->mask;
    const uint32_t n = (uint32_t)o->imm;
    EACH_LANE (i, mask) {
        const uint32_t take = reads[i] < n ? reads[i] : n;
        char data[16] = {0};
        check_align(r, o, to[i], n, i);
        check_align(r, o, from[i], n, i);
        if (take)
            memcpy(data, resolve(r, o, pointer_space(o, 1), from[i], take, false, i), take);
        forget_cache(r, o);
        memcpy(resolve(r, o, pointer_space(o, 0), to[i], n, true, i), data, n);
        forget_cache(r, o);
    }
    r->changed = true;
    return o + 1;
}

/* ---- atomics: lane after lane ---- */
static const struct op *read_modify_write(struct run *r, const struct op *o)
{
    const uint64_t *p = REG(r, uint64_t, o->a);
    const uint32_t mask = r->mask, size = o->size;
    EACH_LANE (i, mask) {
        check_align(r, o, p[i], size, i);
        char *at = resolve(r, o, pointer_space(o, 0), p[i], size, true, i);
        uint64_t old = 0;
        memcpy(&old, at, size);
        const uint64_t new =
            ir_eval_rmw((enum ir_rmw)o->imm, o->type, old, lane_bits(r->regs + o->b, size, i));
        memcpy(at, &new, size);
        r->changed |= old != new;
        set_lane(r->regs + o->dst, size, i, old);
    }
    return o + 1;
}

static const struct op *compare_swap(struct run *r, const struct op *o)
{
    const uint64_t *p = REG(r, uint64_t, o->a);
    const uint32_t mask = r->mask, size = o->size;
    EACH_LANE (i, mask) {
        check_align(r, o, p[i], size, i);
        char *at = resolve(r, o, pointer_space(o, 0), p[i], size, true, i);
        uint64_t old = 0;
        memcpy(&old, at, size);
        if (old == lane_bits(r->regs + o->b, size, i)) {
            const uint64_t new = lane_bits(r->regs + o->c, size, i);
            memcpy(at, &new, size);
            r->changed |= old != new;
        }
        set_lane(r->regs + o->dst, size, i, old);
    }
    return o + 1;
}

/* ---- local variables and the heap ---- */
static const struct op *allocate_local(struct run *r, const struct op *o)
{
    const uint64_t offset = r->frame->local_base + o->imm;
    char *memory = local_memory(r, r->warp) + offset;
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        memset(memory + (size_t)i * INTERP_STACK_BYTES, 0, o->x->bytes);
        REG(r, uint64_t, o->dst)[i] = SPACE_BASE + offset;
    }
    return o + 1;
}

void interp_heap_limit(struct interp *m, uint64_t bytes)
{
    m->heap_limit = bytes;
}

static const struct op *allocate_heap(struct run *r, const struct op *o)
{
    const uint64_t *n = REG(r, uint64_t, o->a);
    uint64_t *d = REG(r, uint64_t, o->dst);
    const struct line *at = interp_line(r->frame->func, o);
    char name[256] = "heap block";
    if (at && at->path)
        snprintf(name, sizeof name, "heap block from %s:%u", at->path, at->line);
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        struct interp *m = r->machine;
        struct alloc *a = NULL;
        if (n[i] && n[i] <= m->heap_limit && m->heap_used <= m->heap_limit - n[i])
            a = interp_new_alloc(m, n[i], 16, INTERP_HEAP, name);
        d[i] = a ? a->base : 0;
    }
    r->changed = true;
    return o + 1;
}

static const struct op *free_heap(struct run *r, const struct op *o)
{
    const uint64_t *p = REG(r, uint64_t, o->a);
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        if (!p[i])
            continue;
        if (interp_free_alloc(r->machine, p[i], INTERP_HEAP) == TERN_OK)
            continue;
        const struct alloc *a = interp_find(r->machine, p[i]);
        const bool twice = a && a->base == p[i] && a->kind == INTERP_HEAP && !a->live;
        interp_fail(r, TERN_ILLEGAL_ADDRESS, o, i, p[i],
                    twice ? "heap block at 0x%llx is freed twice"
                          : "free of 0x%llx, which no malloc in a kernel gave",
                    (unsigned long long)p[i]);
    }
    r->changed = true;
    return o + 1;
}

/* ---- checks ---- */
static void split_address(struct interp_check *c, uint32_t lane, enum ir_space space)
{
    uint64_t *p = &c->operands[lane][0];
    if (space == IR_SPACE_GENERIC) {
        const uint64_t window = *p >> WINDOW_SHIFT;
        space = window == WINDOW_SHARED  ? IR_SPACE_SHARED
                : window == WINDOW_LOCAL ? IR_SPACE_LOCAL
                                         : IR_SPACE_GLOBAL;
        if (space != IR_SPACE_GLOBAL)
            *p &= (UINT64_C(1) << WINDOW_SHIFT) - 1;
    }
    c->shared[lane] = space == IR_SPACE_SHARED;
    c->local[lane] = space == IR_SPACE_LOCAL;
    if (c->shared[lane])
        *p -= SPACE_BASE;
}

static const struct op *tell_check(struct run *r, const struct op *o)
{
    const struct interp_host *h = &r->machine->host;
    const struct detail *x = o->x;
    if (!h->check)
        return o + 1;
    struct interp_check c = {.what = o->imm,
                             .site = interp_line(r->frame->func, o)->span.loc,
                             .thread = r->warp->index * LANES,
                             .mask = r->mask,
                             .launch = r->machine->launches,
                             .module = r->kernel->module,
                             .kernel = r->kernel->display ? r->kernel->display : r->kernel->name,
                             .dynamic_shared = r->launch->shared,
                             .shared_bytes = r->shared_bytes};
    memcpy(c.block, r->block->id, sizeof c.block);
    memcpy(c.grid, r->launch->grid, sizeof c.grid);
    memcpy(c.threads, r->launch->block, sizeof c.threads);
    const bool access = (o->imm & 255) <= IR_CHECK_LAST_WITH_ADDRESS;
    const uint32_t mask = r->mask;
    EACH_LANE (i, mask) {
        for (uint32_t k = 0; k < x->nargs && k < 4; k++)
            c.operands[i][k] = lane_bits(r->regs + x->args[k], storage_bytes(x->arg_types[k]), i);
        if (access && x->nargs)
            split_address(&c, i, (enum ir_space)(o->imm >> IR_CHECK_SPACE_SHIFT & 7));
        if (access && x->nargs > 1 && c.shared[i] && o->imm & IR_CHECK_ROOTED)
            c.operands[i][1] -= SPACE_BASE;
    }
    h->check(h->ctx, &c);
    return o + 1;
}

static const struct op *nothing_to_do(struct run *r, const struct op *o)
{
    (void)r;
    return o + 1;
}

/* ---- pointers between spaces ---- */
static const struct op *convert_address(struct run *r, const struct op *o)
{
    const enum ir_space from = pointer_space(o, 0), to = ir_space(o->type);
    const enum ir_space special = to == IR_SPACE_GENERIC ? from : to;
    const uint64_t window = special == IR_SPACE_SHARED  ? WINDOW_SHARED << WINDOW_SHIFT
                            : special == IR_SPACE_LOCAL ? WINDOW_LOCAL << WINDOW_SHIFT
                                                        : 0;
    const uint64_t *p = REG(r, uint64_t, o->a);
    uint64_t *d = REG(r, uint64_t, o->dst);
    const uint32_t mask = r->mask, n = o->elements;
    EACH_LANE (i, mask)
        for (uint32_t k = i * n; k < (i + 1) * n; k++)
            d[k] = !p[k] ? 0 : to == IR_SPACE_GENERIC ? p[k] + window : p[k] - window;
    return o + 1;
}

static const struct op *in_space(struct run *r, const struct op *o)
{
    const uint64_t *p = REG(r, uint64_t, o->a);
    uint8_t *d = REG(r, uint8_t, o->dst);
    const uint32_t mask = r->mask, n = o->elements;
    EACH_LANE (i, mask)
        for (uint32_t k = i * n; k < (i + 1) * n; k++) {
            const uint64_t window = p[k] >> WINDOW_SHIFT;
            bool is = false;
            if (o->imm == IR_SPACE_SHARED || o->imm == IR_SPACE_LOCAL) {
                is = window == (o->imm == IR_SPACE_SHARED ? WINDOW_SHARED : WINDOW_LOCAL);
            } else if (!window) {
                const struct alloc *a = interp_find(r->machine, p[k]);
                const bool inside = a && a->live && p[k] - a->base < a->size;
                const enum ir_space space = !inside                   ? IR_SPACE_GLOBAL
                                            : a->kind == INTERP_CONST ? IR_SPACE_CONST
                                            : a->kind == INTERP_PARAM ? IR_SPACE_PARAM
                                                                      : IR_SPACE_GLOBAL;
                is = o->imm == space;
            }
            d[k] = is;
        }
    return o + 1;
}

handler_fn *interp_memory_handler(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_OP_load:
    case IR_OP_store: {
        const ir_type t = i->type;
        if (ir_is_vector(t) || ir_kind(t) == IR_I1)
            return i->op == IR_OP_load ? load_any : store_any;
        const unsigned size = (unsigned)__builtin_ctz(storage_bytes(t));
        const enum ir_space space = ir_space(i->args[0]->type);
        return i->op == IR_OP_load ? loads[space][size] : stores[space][size];
    }
    case IR_OP_memcpy: return copy_memory;
    case IR_OP_memset: return fill_memory;
    case IR_OP_rmw: return read_modify_write;
    case IR_OP_cas: return compare_swap;
    case IR_OP_cpasync: return copy_async;
    case IR_OP_cpasync_commit:
    case IR_OP_cpasync_wait:
    case IR_OP_fence: return nothing_to_do;
    case IR_OP_alloca: return allocate_local;
    case IR_OP_malloc: return allocate_heap;
    case IR_OP_free: return free_heap;
    case IR_OP_check: return tell_check;
    case IR_OP_cvta: return convert_address;
    case IR_OP_isspace: return in_space;
    default: return NULL;
    }
}
