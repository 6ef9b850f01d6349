/* What threads tell, one event for the lanes of a gang or for one thread. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "check/check_int.h"

#define NULL_PAGES UINT64_C(65536) /* what lies below is a null pointer with an index */

static enum ir_check kind_of(const struct check_event *e)
{
    return (enum ir_check)(e->what & 255);
}

static uint64_t operand_of(const struct check_event *e, uint32_t lane)
{
    return e->lanes ? e->lanes[lane] : e->first + (uint64_t)(e->stride * (int64_t)lane);
}

static void split_thread(const struct check_launch *l, uint32_t thread, uint32_t out[3])
{
    const uint32_t *n = l->kernel.block;
    out[0] = thread % n[0];
    out[1] = thread / n[0] % n[1];
    out[2] = thread / n[0] / n[1];
}

struct report event_report(const struct check_launch *l, const struct check_event *e,
                           uint32_t thread)
{
    struct report r = {.kernel = l->kernel.name,
                       .has_block = true,
                       .has_thread = true,
                       .at = report_place_of(l->kernel.sources, e->site)};
    memcpy(r.block, e->block, sizeof r.block);
    split_thread(l, thread, r.thread);
    return r;
}

static struct report access_report(const struct access *a, char *name, size_t size)
{
    struct report r = event_report(a->l, a->e, a->thread);
    r.access = a->write ? REPORT_WRITE : REPORT_READ;
    r.address = a->address;
    r.bytes = a->bytes;
    if (a->space == IR_SPACE_SHARED)
        r.memory = (struct report_memory){.name = "shared memory of the block",
                                          .space = "shared memory",
                                          .base = a->e->shared,
                                          .size = a->l->kernel.shared_bytes};
    else if (a->memory)
        r.memory = check_memory_report(a->memory, name, size);
    return r;
}

static void found(const struct access *a, enum check_kind kind, struct report *r)
{
    found_add_at(a->l->check, kind, r, a->l, a->e->site, 0);
}

/* ---- bounds ---- */
/* Is there memory at the address at all? It is not asked before something is wrong. */
bool is_mapped(uint64_t address)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return !msync((void *)(uintptr_t)(address / page * page), page, MS_ASYNC);
}

static enum tern_error outside(const struct access *a, struct report_memory memory, bool harmless)
{
    char index[96], name[96];
    struct report r = access_report(a, name, sizeof name);
    if (memory.space || memory.note)
        r.memory = memory;
    if (r.memory.space && a->bytes && !((a->address - r.memory.base) % a->bytes)) {
        snprintf(index, sizeof index, "index %lld, counted in elements of %llu bytes",
                 (long long)(a->address - r.memory.base) / (long long)a->bytes,
                 (unsigned long long)a->bytes);
        r.advice = index;
    }
    found(a, r.memory.state ? CHECK_USE_AFTER_FREE : CHECK_OUT_OF_BOUNDS, &r);
    return harmless ? TERN_OK : TERN_ILLEGAL_ADDRESS;
}

static enum tern_error in_nothing(struct access *a)
{
    if (a->e->is_local && a->e->is_local(a->e->ctx, a->address)) {
        a->space = IR_SPACE_LOCAL;
        return TERN_OK;
    }
    if (a->address >= NULL_PAGES && is_mapped(a->address)) {
        char name[96];
        struct report r = access_report(a, name, sizeof name);
        r.memory =
            (struct report_memory){.note = "memory of the host program, which a GPU cannot reach"};
        found(a, CHECK_HOST_POINTER, &r);
        return TERN_OK;
    }
    return outside(a,
                   (struct report_memory){.note = a->address < NULL_PAGES
                                                      ? "a null pointer"
                                                      : "no allocation is near"},
                   false);
}

/* Of a variable that the code names. */
static enum tern_error in_variable(const struct access *a)
{
    const struct check_event *e = a->e;
    uint64_t size = e->more[1];
    if (e->what & IR_CHECK_DYNAMIC)
        size = a->l->kernel.dynamic_shared;
    const uint64_t offset = a->address - e->more[0];
    if (offset <= size && a->bytes <= size - offset)
        return TERN_OK;
    struct report_memory m = {.name = a->space == IR_SPACE_LOCAL    ? "a local variable"
                                      : e->what & IR_CHECK_DYNAMIC  ? "dynamic shared memory"
                                      : a->space == IR_SPACE_SHARED ? "a shared variable"
                                                                    : "a variable",
                              .space = a->space == IR_SPACE_LOCAL    ? "local memory"
                                       : a->space == IR_SPACE_SHARED ? "shared memory"
                                                                     : "global memory",
                              .base = e->more[0],
                              .size = size};
    return outside(a, m, false);
}

/* Memory that is freed in the order of a queue: before this kernel, or perhaps meanwhile? */
static bool freed_before(const struct access *a, const struct check_memory *m)
{
    struct check_launch *l = a->l;
    const struct order *o = l->check->order;
    if (!m->freed_in || !l->place || !m->live)
        return false;
    if (order_after(o, m->freed_in, l->place))
        return true;
    if (l->check->on[CHECK_STREAM_RACE] && !order_is(o, m->freed_in, l->place)) {
        char name[96];
        struct report r = access_report(a, name, sizeof name);
        r.message = "memory that may have been freed in another stream: nothing orders the two";
        found(a, CHECK_STREAM_RACE, &r);
    }
    return false;
}

static enum tern_error in_allocation(struct access *a)
{
    struct check_memory *m = a->memory = memory_at(a->l->check, a->address);
    if (!m)
        return in_nothing(a);
    const uint64_t offset = a->address - m->base;
    const bool inside = offset <= m->size && a->bytes <= m->size - offset;
    if (inside && freed_before(a, m)) {
        const enum tern_error e = outside(a, (struct report_memory){0}, true);
        a->memory = NULL;
        a->space = IR_SPACE_LOCAL;
        return e;
    }
    if (m->live && inside)
        return TERN_OK;
    if (!m->mapped && m->kind != CHECK_DEVICE && m->kind != CHECK_HEAP && offset >= m->size &&
        m->live && is_mapped(a->address)) {
        a->memory = NULL; /* just behind memory of the host's */
        return in_nothing(a);
    }
    const bool harmless = m->mapped && a->address + a->bytes <= m->base - GRANULE + m->mapped;
    const enum tern_error e = outside(a, (struct report_memory){0}, harmless);
    a->memory = NULL;
    a->space = IR_SPACE_LOCAL; /* nothing more is to be said of it */
    return e;
}

static void check_alignment(const struct access *a)
{
    const uint64_t align = UINT64_C(1) << (a->e->what >> IR_CHECK_ALIGN_SHIFT & 15);
    if (!(a->address & (align - 1)))
        return;
    char name[96], text[96];
    struct report r = access_report(a, name, sizeof name);
    snprintf(text, sizeof text, "address 0x%llx is not aligned to %llu bytes",
             (unsigned long long)a->address, (unsigned long long)align);
    r.message = text;
    found(a, CHECK_MISALIGNED, &r);
}

/* ---- what is defined ---- */
static void undefined(const struct access *a, const char *what)
{
    char name[96], text[128];
    struct report r = access_report(a, name, sizeof name);
    snprintf(text, sizeof text, "read of %llu bytes of %s that nothing has written",
             (unsigned long long)a->bytes, what);
    r.message = text;
    found(a, CHECK_UNINITIALIZED, &r);
}

static void check_defined(struct access *a)
{
    const bool reads = !a->write || a->atomic;
    const bool shared = a->space == IR_SPACE_SHARED;
    if (!shared && !a->memory)
        return;
    uint8_t *shadow = shared ? a->b->shadow : a->l->check->shadow;
    const uint64_t offset = shared ? a->address - a->e->shared : a->address;
    if (!shared && a->memory->defined)
        return;
    if (reads && !(a->e->what & IR_CHECK_COPIES) &&
        shadow_undefined(shadow, offset, a->bytes) < a->bytes) {
        a->undefined = true;
        undefined(a, shared ? "shared memory" : "global memory");
    }
    if (a->write)
        shadow_set(shadow, offset, a->bytes,
                   !shared && a->memory->freed_in ? IR_CHECK_HIDDEN : IR_CHECK_WRITTEN);
}

/* ---- races: word by word ---- */
static struct cell *cells_of(const struct access *a, uint64_t *base)
{
    if (a->space == IR_SPACE_SHARED) {
        *base = a->e->shared;
        return a->b->cells;
    }
    struct check_memory *m = a->memory;
    if (!m || m->kind == CHECK_HEAP)
        return NULL;
    *base = m->base & ~UINT64_C(3);
    return memory_cells(a->l->check, m);
}

static void one_word(const struct access *a, uint64_t address, struct cell *full, uint8_t bytes)
{
    struct compact at;
    if (!compact_places(a, address, &at)) {
        race_word(a, full, bytes);
        return;
    }
    if (compact_word(a, &at, bytes))
        return;
    compact_others(a, &at, bytes);
    struct cell was, is;
    compact_load(a, &at, full, &was);
    is = was;
    race_word(a, &is, bytes);
    compact_store(a, &at, full, &was, &is);
}

static void check_races(const struct access *a)
{
    uint64_t base;
    struct cell *cells = cells_of(a, &base);
    if (!cells)
        return;
    const uint64_t from = a->address - base, end = from + a->bytes;
    for (uint64_t w = from / 4; w * 4 < end; w++)
        one_word(a, base + 4 * w, &cells[w], word_bytes(w, from, end));
    if (a->e->what & IR_CHECK_ASYNC && a->space == IR_SPACE_SHARED)
        copy_begins(a);
}

/* ---- an access ---- */
/* An atomic location, by its place in the device or in the block's shared memory. */
static uint64_t sync_key(const struct access *a)
{
    return a->space == IR_SPACE_SHARED
               ? a->address - a->e->shared + (a->b->number + 1) * (UINT64_C(1) << 40)
               : a->address + (UINT64_C(1) << 63);
}

/* Whether what is read was written, and who else is at it. */
static void check_state(struct access *a)
{
    if (a->space != IR_SPACE_GLOBAL && a->space != IR_SPACE_SHARED)
        return;
    if (a->l->check->on[CHECK_UNINITIALIZED])
        check_defined(a);
    if (a->strong && a->write && a->l->check->races)
        race_atomic(a->l, a->b, a->thread, sync_key(a), a->e->what, false);
    if (a->l->check->races)
        check_races(a);
}

/* An access outside is none of ours: the device stops at it. */
static enum tern_error state_only(struct access *a)
{
    const bool shared = a->space == IR_SPACE_SHARED;
    if (a->e->what & IR_CHECK_ROOTED && !(a->e->what & IR_CHECK_DYNAMIC) &&
        a->address - a->e->more[0] >= a->e->more[1])
        return TERN_OK;
    if (!shared)
        a->memory = memory_at(a->l->check, a->address);
    const uint64_t size = shared      ? a->l->kernel.shared_bytes
                          : a->memory ? a->memory->size
                                      : 0,
                   offset = a->address - (shared      ? 0
                                          : a->memory ? a->memory->base
                                                      : 0);
    if (!(shared || (a->memory && a->memory->live)) || offset > size || a->bytes > size - offset)
        return TERN_OK;
    if (!shared && freed_before(a, a->memory))
        return outside(a, (struct report_memory){0}, true);
    check_state(a);
    return TERN_OK;
}

static enum tern_error one_access(struct access *a)
{
    const struct check_event *e = a->e;
    if (!a->bytes)
        return TERN_OK;
    if (a->space == IR_SPACE_GENERIC)
        a->space =
            a->address - e->shared < a->l->kernel.shared_bytes ? IR_SPACE_SHARED : IR_SPACE_GLOBAL;
    enum tern_error error = TERN_OK;
    a->memory = NULL;
    a->undefined = false;
    if (e->only_state)
        return state_only(a);
    if (e->what & IR_CHECK_ROOTED)
        error = in_variable(a);
    if (error || a->space == IR_SPACE_LOCAL)
        return error;
    if (a->space == IR_SPACE_SHARED && !(e->what & IR_CHECK_ROOTED)) {
        const uint64_t offset = a->address - e->shared;
        if (offset > a->l->kernel.shared_bytes || a->bytes > a->l->kernel.shared_bytes - offset)
            return outside(a, (struct report_memory){0}, false);
    }
    if (a->space == IR_SPACE_GLOBAL) {
        if (!(e->what & IR_CHECK_ROOTED))
            error = in_allocation(a);
        else
            a->memory = memory_at(a->l->check, a->address);
    }
    if (error)
        return error;
    check_alignment(a);
    check_state(a);
    return TERN_OK;
}

/* Lanes side by side: all of them at once, as far as bounds and what was written go. */
static bool whole_range(struct access *a, uint32_t lanes)
{
    const struct check_event *e = a->e;
    struct check_launch *l = a->l;
    const uint64_t bytes = a->bytes * lanes;
    const uint64_t align = UINT64_C(1) << (e->what >> IR_CHECK_ALIGN_SHIFT & 15);
    if (e->lanes || e->stride != (int64_t)a->bytes || a->strong || e->only_state ||
        e->what & IR_CHECK_SIZED || a->space == IR_SPACE_LOCAL || a->bytes % align ||
        e->first % align)
        return false;
    const bool shared = e->first - e->shared < l->kernel.shared_bytes;
    const uint64_t size = e->what & IR_CHECK_DYNAMIC ? l->kernel.dynamic_shared : e->more[1];
    if (e->what & IR_CHECK_ROOTED &&
        (e->first - e->more[0] > size || bytes > size - (e->first - e->more[0])))
        return false;
    uint8_t *shadow = shared ? a->b->shadow : l->check->shadow;
    uint64_t offset = shared ? e->first - e->shared : e->first;
    if (shared) {
        if (bytes > l->kernel.shared_bytes - offset)
            return false;
    } else {
        struct check_memory *m = memory_at(l->check, e->first);
        if (!m || !m->live || m->freed_in || offset - m->base > m->size ||
            bytes > m->size - (offset - m->base))
            return false;
        a->memory = m;
    }
    a->space = shared ? IR_SPACE_SHARED : IR_SPACE_GLOBAL;
    if (!l->check->on[CHECK_UNINITIALIZED] || (!shared && a->memory->defined))
        return true;
    if (a->write)
        shadow_set(shadow, offset, bytes, IR_CHECK_WRITTEN);
    else if (!(e->what & IR_CHECK_COPIES) && shadow_undefined(shadow, offset, bytes) < bytes)
        return false;
    return true;
}

static void row_races(struct access *a, uint32_t lanes)
{
    for (uint32_t k = 0; k < lanes && a->l->check->races; k++) {
        a->thread = a->e->thread + k;
        a->address = a->e->first + k * a->bytes;
        check_races(a);
    }
}

static enum tern_error accesses(struct check_launch *l, struct block_state *b,
                                const struct check_event *e)
{
    const enum ir_check kind = kind_of(e);
    struct access a = {.l = l,
                       .b = b,
                       .e = e,
                       .bytes = e->what >> IR_CHECK_BYTES_SHIFT,
                       .space = (enum ir_space)(e->what >> IR_CHECK_SPACE_SHIFT & 7),
                       .write = kind != IR_CHECK_READ,
                       .atomic = kind == IR_CHECK_ATOMIC,
                       .strong = (e->what & IR_CHECK_STRONG) != 0};
    const enum ir_space space = a.space;
    if (e->what & IR_CHECK_SIZED)
        a.bytes = e->more[e->what & IR_CHECK_ROOTED ? 2 : 0];
    const uint32_t lanes = (uint32_t)__builtin_popcount(e->mask);
    if (!(e->mask & (e->mask + 1)) && whole_range(&a, lanes)) {
        row_races(&a, lanes);
        return TERN_OK;
    }
    uint32_t left = e->mask, seen = 0;
    const bool one_place = !e->lanes && !e->stride && !a.write && !a.strong;
    for (; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (one_place && seen++ >= 2) /* two threads that read it stand for all */
            break;
        a.thread = e->thread + lane;
        a.address = operand_of(e, lane);
        a.space = space;
        const enum tern_error error = one_access(&a);
        if (error)
            return error;
    }
    return TERN_OK;
}

/* ---- the rest ---- */
static void has_read(struct check_launch *l, struct block_state *b, const struct check_event *e)
{
    struct access a = {.l = l, .b = b, .e = e};
    for (uint32_t left = e->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        a.space = (enum ir_space)(e->what >> IR_CHECK_SPACE_SHIFT & 7);
        a.address = operand_of(e, lane);
        if (a.space == IR_SPACE_GENERIC)
            a.space =
                a.address - e->shared < l->kernel.shared_bytes ? IR_SPACE_SHARED : IR_SPACE_GLOBAL;
        race_atomic(l, b, e->thread + lane, sync_key(&a), e->what, true);
    }
}

static void check_mask(struct check_launch *l, const struct check_event *e)
{
    for (uint32_t left = e->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), thread = e->thread + lane;
        const uint32_t mask = (uint32_t)operand_of(e, lane);
        if (mask >> thread % 32 & 1)
            continue;
        char text[96];
        struct report r = event_report(l, e, thread);
        snprintf(text, sizeof text, "the mask 0x%x does not name the thread's own lane, %u", mask,
                 thread % 32);
        r.message = text;
        found_add_at(l->check, CHECK_BAD_MASK, &r, l, e->site, 0);
    }
}

static void check_marks(struct check_launch *l, struct block_state *b, const struct check_event *e)
{
    for (uint32_t left = e->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const struct access a = {.l = l,
                                 .b = b,
                                 .e = e,
                                 .thread = e->thread + lane,
                                 .bytes = e->what >> IR_CHECK_BYTES_SHIFT,
                                 .space = IR_SPACE_LOCAL};
        if (operand_of(e, lane) != UINT64_MAX)
            undefined(&a, "local memory");
    }
}

/* Threads of a block that come to barriers at different places of the source in the same turn. */
static void check_barrier(struct check_launch *l, struct block_state *b,
                          const struct check_event *e, uint32_t thread)
{
    const uint32_t epoch = b->clocks[thread] >> RELEASE_BITS, k = epoch % 64;
    if (b->first_at[k] != epoch + 1) {
        b->first_at[k] = epoch + 1;
        b->sites[k] = e->site;
        return;
    }
    if (b->sites[k] == e->site)
        return;
    struct report r = event_report(l, e, thread);
    r.message = "threads of the block wait at different barriers at the same time";
    r.other = report_place_of(l->kernel.sources, b->sites[k]);
    if (r.other.path && r.at.path && r.other.line == r.at.line && r.other.column == r.at.column)
        return; /* one barrier, written twice by the compiler */
    found_add_at(l->check, CHECK_BARRIER, &r, l, e->site, b->sites[k]);
}

/* Others that come to the same barrier with the same clock do as this one did. */
static void others_come(struct check_launch *l, const struct block_state *b, uint32_t before)
{
    const uint32_t epoch = before >> RELEASE_BITS;
    if (!l->table.quiet || l->kernel.resident)
        return;
    l->table.barrier = b->sites[epoch % 64];
    l->table.before = before;
    l->table.after = (epoch + 1) << RELEASE_BITS;
    l->table.pending = l->check->races ? l->table.after : 0;
    l->table.arrived = IR_CHECK_ARRIVED_ELSE;
}

/* Neighbours that come to a barrier of the block with one clock, where nothing else is to be
 * known. */
static bool come_alike(struct check_launch *l, struct block_state *b, const struct check_event *e)
{
    uint32_t *clocks = b->clocks + e->thread;
    const uint32_t n = (uint32_t)__builtin_popcount(e->mask), before = clocks[0];
    if (!l->table.quiet || e->mask & (e->mask + 1) || e->first || e->more[0] || e->lanes ||
        e->stride || memcmp(clocks, clocks + 1, (n - 1) * sizeof *clocks))
        return false;
    check_barrier(l, b, e, e->thread);
    for (uint32_t k = 0; k < n; k++)
        clocks[k] = ((before >> RELEASE_BITS) + 1) << RELEASE_BITS;
    return true;
}

static void together(struct check_launch *l, struct block_state *b, const struct check_event *e)
{
    const bool barrier = kind_of(e) == IR_CHECK_BARRIER;
    if (kind_of(e) == IR_CHECK_PASSED)
        compact_passed(l, b, b->clocks[e->thread + (uint32_t)__builtin_ctz(e->mask)]);
    const uint32_t before = b->clocks[e->thread + (uint32_t)__builtin_ctz(e->mask)];
    const bool done = barrier ? come_alike(l, b, e) : !race_has_news(l, b, e);
    for (uint32_t left = done ? 0 : e->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (barrier)
            check_barrier(l, b, e, e->thread + lane);
        race_sync(l, b, e, e->thread + lane, operand_of(e, lane));
    }
    if (barrier)
        others_come(l, b, before);
}

static bool heap_freed(struct check_launch *l, const struct check_event *e, uint32_t thread,
                       uint64_t at)
{
    struct check *c = l->check;
    char text[96];
    check_lock(c);
    const struct check_memory *m = memory_at(c, at);
    const bool twice = !m || m->kind != CHECK_HEAP || !m->live || m->base != at;
    if (twice) {
        struct report r = event_report(l, e, thread);
        snprintf(text, sizeof text, "free of 0x%llx, which %s", (unsigned long long)at,
                 m && m->kind == CHECK_HEAP && m->base == at ? "has been freed before"
                                                             : "is not what malloc gave");
        r.message = text;
        r.address = at;
        found_add(c, CHECK_DOUBLE_FREE, &r);
    }
    check_unlock(c);
    return twice;
}

static void heap_event(struct check_launch *l, const struct check_event *e)
{
    for (uint32_t left = e->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t at = operand_of(e, lane);
        if (!at)
            continue;
        if (kind_of(e) == IR_CHECK_ALLOC) {
            const struct report_place here = report_place_of(l->kernel.sources, e->site);
            check_tell(l->check, at, e->more[0], CHECK_HEAP, NULL);
            memory_made_at(l->check, at, &here);
        } else if (!e->later || !heap_freed(l, e, e->thread + lane, at))
            check_forget(l->check, at);
    }
}

enum tern_error check_event(struct check_launch *l, const struct check_event *e)
{
    struct check *c = l->check;
    enum tern_error error = TERN_OK;
    const enum ir_check kind = kind_of(e);
    if (kind == IR_CHECK_ALLOC || kind == IR_CHECK_FREE) {
        heap_event(l, e);
        return TERN_OK;
    }
    check_lock(c);
    struct block_state *b = block_of(l, e);
    if (!b) {
        check_unlock(c);
        return TERN_OUT_OF_MEMORY;
    }
    if (kind <= IR_CHECK_ATOMIC) {
        error = accesses(l, b, e);
    } else if (kind == IR_CHECK_BLOCK) {
        /* block_of has begun it */
    } else if (kind == IR_CHECK_GOT) {
        if (c->races)
            has_read(l, b, e);
    } else if (kind == IR_CHECK_FAILS) {
        c->failing = report_place_of(l->kernel.sources, e->site);
    } else if (kind == IR_CHECK_COMMIT || kind == IR_CHECK_AWAIT) {
        copy_event(l, b, e);
    } else if (kind == IR_CHECK_DEFINED) {
        check_marks(l, b, e);
    } else {
        if (kind == IR_CHECK_MASK || kind == IR_CHECK_WARPSYNC)
            check_mask(l, e);
        together(l, b, e);
    }
    check_unlock(c);
    return error;
}

/* ---- launches ---- */
struct check_launch *check_begin(struct check *c, const struct check_kernel *k, uint64_t place)
{
    struct check_launch *l = calloc(1, sizeof *l);
    if (!l) {
        check_lock(c);
        check_lost(c);
        check_unlock(c);
        return NULL;
    }
    l->check = c;
    l->kernel = *k;
    l->place = place;
    l->nthreads = k->block[0] * k->block[1] * k->block[2];
    l->table.shadow = (uint64_t)(uintptr_t)c->shadow;
    l->table.block = UINT64_MAX;
    l->table.quiet = 1;
    l->table.threads = l->nthreads;
    compact_begin(l);
    for (unsigned k = 0; k < IR_CHECK_ALIGNS; k++)
        l->table.limit[k] = c->shadow_limit >> k;
    return l;
}

const struct ir_check_table *check_table(const struct check_launch *l)
{
    return l ? &l->table : NULL;
}

void check_end(struct check_launch *l, bool faulted)
{
    if (!l)
        return;
    struct check *c = l->check;
    check_lock(c);
    for (struct block_state *b = l->blocks; b && !faulted; b = b->next)
        block_close(l, b);
    launch_free(l);
    check_unlock(c);
}
